/* Writing a model in strips, in three files: tflite_fit_tensors.c finds the tensors that stay, tflite_fit.c writes the
 * first subgraph, and tflite_fit_loops.c the subgraphs of loops. */
#ifndef SW_FORMATS_TFLITE_FIT_WRITER_H
#define SW_FORMATS_TFLITE_FIT_WRITER_H

#include "formats/tflite/write/tflite_fit.h"
#include "formats/tflite/write/tflite_front.h"

enum { PATCH_OPERANDS = 2, PATCH_NUMBERS = 4 * SW_FIT_MOST_BEGINS };
enum { CODE_VERSION = 2, OLD_CODES = 127 /* the largest in a byte: the number stands elsewhere */ };
/* Of the schema's options. */
enum {
    OPTIONS_CONCATENATION = 10,
    OPTIONS_ADD = 11,
    OPTIONS_PAD = 22,
    OPTIONS_LESS = 41,
    OPTIONS_PADV2 = 43,
    OPTIONS_SLICE = 48,
    OPTIONS_WHILE = 93,
    OPTIONS_UPDATE = 117
};

/* A new constant: numbers, or two for each dimension, or one element like those of a tensor. */
struct tflite_constant {
    int32_t numbers[PATCH_NUMBERS];
    uint32_t count;
    bool pairs;
    const struct tflite_tensor *like; /* NULL: they are numbers of 32 bits */
    bool used;                        /* in the first subgraph */
    uint32_t number;                  /* of its tensor there */
};
struct tflite_new_code {
    uint32_t builtin, index;
};
struct tflite_new_operator {
    uint32_t code, options;
    const int32_t *inputs, *outputs;
    uint32_t input_count, output_count, number_count;
    uint64_t numbers[2]; /* its options */
};

/* A tensor that a loop needs and that is no value of the program: in its subgraphs, or in the first one. */
enum tflite_entry_kind {
    TFLITE_ENTRY_OLD,      /* the old tensor `which`: a constant */
    TFLITE_ENTRY_CONSTANT, /* the new constant `which` */
    TFLITE_ENTRY_VALUE,    /* the value `which` */
    TFLITE_ENTRY_HANDED,   /* the value `which`, handed over: it lies in the same bytes */
    TFLITE_ENTRY_COUNTER,  /* `count` numbers, at `at` in the value `which` */
    TFLITE_ENTRY_FLAG      /* the result of a test, at `at` in the value `which` */
};
struct tflite_entry {
    enum tflite_entry_kind kind;
    uint32_t which, count, number;
    uint64_t at;
    const char *name; /* of a counter or a flag */
};
struct tflite_entries {
    struct tflite_entry *items;
    size_t count, capacity;
};
/* A loop and its two subgraphs. Constants are numbers of items of `constants`. */
struct tflite_loop {
    uint32_t call, next;      /* of the program */
    uint32_t begins, reached; /* tensors of the first subgraph: where the rounds begin, and where they end */
    uint32_t first, steps, limit, tested_at, one,
        each; /* constants: the begins of the first round, the steps between rounds, the limit of the test,
               * which counter is tested, the sizes of one number and of one begin */
    uint32_t parts[SW_FIT_MOST_BEGINS]; /* constants: where each begin stands, if there are several */
    uint32_t *left;                     /* of each variable: the first subgraph's tensor that the loop makes of it */
    struct tflite_entries test, body;
};

struct tflite_writer {
    struct tflite_fit fit;
    const struct sw_layout *layout;
    struct tflite_front front;
    uint32_t tensor_count;                /* of the first subgraph, old */
    bool *used;                           /* of its tensors: it stays */
    bool *dropped;                        /* of its tensors: an operator of a region reads or makes it */
    uint32_t *number;                     /* of each value: its tensor in the first subgraph; SW_NONE: it has none */
    uint32_t *whole;                      /* of each old tensor the value that it is; SW_NONE */
    uint32_t (*operands)[PATCH_OPERANDS]; /* of each call: constants; SW_NONE */
    SW_ARRAY(struct tflite_constant) constants;
    SW_ARRAY(uint32_t) spare; /* old tensors that new ones replace */
    SW_ARRAY(struct tflite_loop) loops;
    struct tflite_entries handed; /* tensors of the first subgraph that loops make of variables that they do not change,
                                     and of counters */
    const struct tflite_loop *body; /* the loop with the rounds that are written; NULL: the first subgraph is written */
    size_t given;                   /* numbers of tensors */
    size_t fresh_count;             /* tensors at the end */
    struct tflite_new_code codes[8];
    size_t new_codes, buffers; /* buffers: the first new one */
};

/* ---- tflite_fit_tensors.c ---- */

/* Fill `used`, `dropped`, `whole` and `spare`, and the numbers of values that are tensors of the model. False: no
 * memory. */
bool tflite_fit_tensors(struct tflite_writer *);

/* ---- tflite_fit.c ---- */

/* The number of a constant, and a new number in the first subgraph. */
bool tflite_fit_constant(struct tflite_writer *, const int32_t *numbers, uint32_t count, bool pairs, uint32_t *found);
uint32_t tflite_fit_number(struct tflite_writer *);
/* The whole name of a value. NULL: no memory. */
const char *tflite_fit_name(struct tflite_writer *, uint32_t value);
/* A new tensor, for a reference at `at`. `like`: it has that one's quantization; NULL: none. */
bool tflite_fit_tensor(struct tflite_writer *, size_t at, const int32_t *shape, uint32_t rank, unsigned type,
                       uint64_t buffer, const char *name, const struct tflite_tensor *like);
bool tflite_fit_value(struct tflite_writer *, size_t at, uint32_t value, const char *name);
bool tflite_fit_constant_tensor(struct tflite_writer *, size_t at, size_t constant);
/* A table of numbers of four bytes; fields without `has` are left out. Several operators share equal tables. */
void tflite_fit_arguments(struct sw_sink *, size_t reference, const int32_t *arguments, uint32_t count);
bool tflite_fit_operator(struct tflite_writer *, size_t at, const struct tflite_new_operator *);
/* A call that is no loop, in the subgraph at hand. */
bool tflite_fit_call(struct tflite_writer *, size_t at, size_t call);
bool tflite_fit_offset(struct tflite_writer *, uint32_t value, uint64_t *offset);

/* ---- tflite_fit_codes.c ---- */

/* Is the call of an operator that the model does not have: a slice, a padding, a join, an update? Which it is. */
bool tflite_code_is_new(const struct sw_fit_call *);
uint32_t tflite_code_of(const struct sw_fit_call *);
/* The number of an operator's code, which is a new one where the model has none. False: the model is damaged. */
bool tflite_code_find(struct tflite_writer *, uint32_t builtin, uint32_t *index);
bool tflite_codes_find(struct tflite_writer *); /* of all calls */
bool tflite_codes_add(struct tflite_writer *, size_t reference);

/* ---- tflite_fit_loops.c ---- */

/* Find all loops of the program, the tensors of their subgraphs, and the tensors that they need in the first one. */
bool tflite_loops_find(struct tflite_writer *);
void tflite_loops_done(struct tflite_writer *);
size_t tflite_loops_tensors(const struct tflite_writer *);
bool tflite_loops_offsets(struct tflite_writer *, int32_t *offsets);
bool tflite_entry_offset(struct tflite_writer *, const struct tflite_entry *, int32_t *offset);
bool tflite_fit_entry(struct tflite_writer *, size_t at, const struct tflite_entry *);
bool tflite_loop_operator(struct tflite_writer *, size_t at, uint32_t call);
/* Write the two subgraphs of each loop; the references to them stand from `at` on. */
bool tflite_loops_write(struct tflite_writer *, size_t at);
/* The numbers that these have in the body of the loop at hand. */
uint32_t tflite_body_value(const struct tflite_writer *, uint32_t value);
uint32_t tflite_body_entry(const struct tflite_writer *, enum tflite_entry_kind, uint32_t which);
uint32_t tflite_body_begin(const struct tflite_writer *, uint32_t begin);

#endif
