/* XLA's HLO as text: computations of instructions, parsed but not yet followed. */
#ifndef SW_FORMATS_HLO_H
#define SW_FORMATS_HLO_H

#include "formats/compilers/program.h"

/* An array, one of those that a tuple holds in the end. What has no bytes (a token) has size 0. */
struct hlo_leaf {
    uint64_t size;
    enum sw_dtype dtype;
    uint32_t space; /* of memory: S(1) */
};
struct hlo_shape {
    size_t first_leaf, leaf_count;   /* all, whatever tuples they are in */
    size_t first_child, child_count; /* of a tuple: at which of the leaves each element begins */
    bool tuple;
};
struct hlo_instruction {
    struct sw_input_text name, opcode, attributes, literal; /* literal: what stands between the parentheses */
    struct hlo_shape shape;
    size_t first_operand, operand_count; /* numbers of instructions */
    struct sw_position position;
};
struct hlo_computation {
    struct sw_input_text name;
    size_t first, count; /* instructions */
    size_t first_leaf, leaf_count;
    uint32_t root;
    bool active; /* while it is followed: it must not call itself */
};
struct hlo_module {
    const struct sw_input *input;
    struct sw_error *error;
    const char *at, *end;
    struct sw_line_count lines;
    struct sw_input_text header; /* what stands behind "HloModule" */
    SW_ARRAY(struct hlo_leaf) leaves;
    SW_ARRAY(size_t) children;
    SW_ARRAY(struct hlo_instruction) instructions;
    SW_ARRAY(uint32_t) operands;
    SW_ARRAY(struct hlo_computation) computations;
    struct sw_names names, computation_names;
    uint32_t entry; /* SW_NONE */
};
bool hlo_parse(struct hlo_module *);
void hlo_done(struct hlo_module *);
#define hlo_fail(module, at, ...) sw_text_fail((module)->input, (at), (module)->error, __VA_ARGS__)
/* The value of an attribute: "body" of ", body=%region_1, index=2". False: there is none. */
bool hlo_attribute(struct sw_input_text attributes, const char *name, struct sw_input_text *value);
bool hlo_detect(const struct sw_input *);
/* Operators that XLA may let write over an argument: each element needs only those at its own place. */
bool hlo_elementwise(struct sw_input_text opcode);
/* Where the leaves of an element of a tuple begin, and how many they are. */
bool hlo_child(const struct hlo_module *, const struct hlo_shape *, uint64_t child, size_t *first, size_t *count);
/* "{1}" of a result: its only leaf. */
bool hlo_leaf_of(const struct hlo_module *, const struct hlo_shape *, int64_t index, size_t depth, size_t *leaf);
/* "{{1}: (2, {0}), {}: (0, {})}": result {1} lies where operand 2's element {0} does. */
struct hlo_alias {
    size_t result, operand, leaf;
};
bool hlo_next_alias(const struct hlo_module *, const char **at, const char *end, const struct hlo_shape *result,
                    struct hlo_alias *, int64_t *element, size_t *depth);
/* All bytes of the shape at `at`, which moves behind it. False: it is none, or there is no memory. */
bool hlo_shape_size(const char **at, const char *end, uint64_t *bytes, struct sw_error *);

/* When the values of a scheduled module live, as places in its schedule, both inside: `each` gets "name{1}", of what is
 * no tuple "name{}". Constants live all the time, parameters from the start: to the end unless a result takes their
 * place; results to the end. False: an error was set. */
typedef bool hlo_range_fn(void *context, const char *name, size_t length, int64_t first, int64_t last);
bool hlo_ranges(const struct sw_input *, hlo_range_fn *each, void *context, struct sw_error *);

#endif
