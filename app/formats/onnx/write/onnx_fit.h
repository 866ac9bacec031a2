/* An ONNX model with regions of its operators computed in strips of rows (fit/strips/strip_program.h). */
#ifndef SW_FORMATS_ONNX_FIT_H
#define SW_FORMATS_ONNX_FIT_H

#include "fit/strips/strip_program.h"
#include "formats/onnx/onnx_edges.h"

/* Write the model with the program's calls in place of its nodes: Slice, the operators on strips with pads of their
 * own, and Concat. All else stays byte for byte. The problem of the program is the one that the model was loaded as,
 * with these options (NULL: none). ONNX has no place for a plan, so none is written.
 *
 * False: the error says in one sentence why not, and the sink is empty. The rows of every call are computed once more
 * from the file before. */
bool sw_onnx_write_fit(const struct sw_input *, const struct sw_load_options *, const struct sw_fit_program *,
                       struct sw_sink *, struct sw_error *);

/* Can regions of the model be written at all? Else the error says why not: rows or columns are open, runtimes do not
 * agree about a shape, or the problem has the operators in another order. */
bool sw_onnx_may_fit(const struct sw_input *, const struct sw_load_options *, const struct sw_problem *,
                     struct sw_error *);

/* ---- for the writer's own files ---- */

struct onnx_fit {
    struct onnx_model model;
    struct onnx_tops tops;
    const struct sw_fit_program *program;
    uint32_t *node_of; /* of each operator of the problem: its node in the model */
    uint32_t *
        value_of; /* of each buffer of the problem that a region reads or makes: its value in the model; else SW_NONE */
};
/* Does an operator compute its rows from windows, and pad as it is told? */
bool onnx_fit_slides(const struct onnx_node *);
/* The name of a call for messages, shortened where it is long. */
struct sw_quote onnx_fit_call(const struct onnx_fit *, uint32_t call);
/* Do the program's calls compute what the model's nodes do, to the row? O(calls x (arguments + rows x kernel)) */
bool onnx_fit_prove(struct onnx_fit *);

#endif
