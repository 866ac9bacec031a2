/* Parts of the graph format that others read too. */
#ifndef SW_FORMATS_GRAPH_JSON_H
#define SW_FORMATS_GRAPH_JSON_H

#include "formats/format.h"

/* A file {"tiers":[...]} as --tiers takes it. */
bool sw_tiers_read(const struct sw_input *, struct sw_builder *, struct sw_error *);
bool sw_graph_json_write(const struct sw_problem *, struct sw_sink *, struct sw_error *);

extern const struct sw_format sw_format_graph_json;

#endif
