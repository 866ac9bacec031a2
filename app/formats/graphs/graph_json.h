/* Parts of the graph format that others read too. */
#ifndef SW_FORMATS_GRAPH_JSON_H
#define SW_FORMATS_GRAPH_JSON_H

#include "formats/text/json.h"
#include "formats/text/json_write.h"

/* A file {"tiers":[...]} as --tiers takes it. */
bool sw_tiers_read(const struct sw_input *, struct sw_builder *, struct sw_error *);

/* A list of pieces of a buffer, under "pieces" of the present value. One that ends above `size` is an error;
 * SW_UNBOUNDED when the size is not known. The array belongs to the caller and may be used again. */
struct sw_piece_list {
    struct sw_piece_spec *items;
    size_t count, capacity;
};
bool sw_pieces_read(struct sw_json *, const char *name, uint64_t size, struct sw_piece_list *);
/* "pieces":[...] in raw times. */
void sw_pieces_write(const struct sw_problem *, const struct sw_buffer *, struct sw_json_out *);

bool sw_graph_json_write(const struct sw_problem *, struct sw_sink *, struct sw_error *);

#endif
