/* ONNX models: what the table of formats and the fuzzers need of their reader. */
#ifndef SW_FORMATS_ONNX_FORMAT_H
#define SW_FORMATS_ONNX_FORMAT_H

#include "formats/format.h"

/* Of the options (NULL: none), `dims` gives lengths to dimensions that the file leaves open, by their name or as
 * INPUT:AXIS, and `values` gives inputs of one element their value. */
bool sw_onnx_read(const struct sw_input *, const struct sw_load_options *, struct sw_builder *, struct sw_error *);
/* struct sw_format's write_order (onnx_order.c). O(bytes + nodes log nodes). */
bool sw_onnx_write_order(const struct sw_input *, const struct sw_load_options *, const uint32_t *order, uint32_t count,
                         struct sw_sink *, struct sw_error *);
/* struct sw_format's runtime_order (onnx_runtime.c): ONNX Runtime's default, or PRIORITY_BASED. O(bytes + edges log
 * edges). */
bool sw_onnx_runtime_order(const struct sw_input *, const struct sw_load_options *, bool priority, uint32_t *order,
                           uint32_t count, struct sw_error *);
/* struct sw_format's beside (onnx_external.c). O(bytes of what is no weight). */
bool sw_onnx_beside(const struct sw_input *, sw_beside_fn *each, void *context, struct sw_error *);

#endif
