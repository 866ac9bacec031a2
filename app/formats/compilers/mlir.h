/* Reading MLIR: what the files beside this one share. */
#ifndef SW_FORMATS_MLIR_H
#define SW_FORMATS_MLIR_H

#include "formats/compilers/program.h"
#include "formats/settings/lengths.h"

struct mlir_buffer {
    struct sw_input_text name;
    const char *tier, *at;
    struct sw_input_text space; /* the memory that its type names; empty */
    uint64_t size, alignment;
    uint64_t element; /* bytes of one, of a memref with one dimension; else 0 */
    enum sw_dtype dtype;
    int64_t first, last;
    uint32_t loop; /* the outermost loop that uses it and began after it; SW_NONE */
    bool output;
    uint32_t line;
    /* Views at constant offsets of one allocation: mlir_arena.c. */
    uint32_t arena;         /* what it is a view of; SW_NONE: nothing */
    uint64_t offset;        /* there, in bytes */
    bool used;              /* a view: something reads or writes it */
    bool foreign;           /* an argument or a global: not allocated here */
    bool whole;             /* something other than such views uses it */
    uint32_t views, merged; /* how many views; the view that it is a part of, or SW_NONE */
};
struct mlir_loop {
    const char *at;
    int64_t first, end; /* lines */
};

struct mlir {
    const struct sw_input *input;
    struct sw_builder *builder;
    struct sw_error *error;
    struct sw_lengths lengths; /* --dim NAME=LENGTH */
    const char *at, *end;
    uint32_t line;
    const char *listed;      /* behind the names before the last "=": what begins before it is no statement */
    struct sw_input_text op; /* of the present statement */
    SW_ARRAY(struct sw_input_text) results;
    SW_ARRAY(struct mlir_buffer) buffers;
    SW_ARRAY(struct mlir_loop) loops;
    SW_ARRAY(uint32_t) open;    /* braces: the loop that each began, or SW_NONE */
    SW_ARRAY(uint32_t) running; /* loops around the present place */
    SW_ARRAY(uint64_t) numbers;
    struct sw_names values;    /* buffers by the names of values, and of their views */
    struct sw_names constants; /* places in `numbers` by the names of values */
    struct sw_names packed;    /* values that are the size of all of a pack */
    struct sw_names aliases;   /* where in the text what "!name" or "#name" stands for begins */
    struct sw_arena arena;
    const char *tiers[SW_MAX_TIERS];
    uint32_t tier_count, packs, arenas, functions, arguments, layouts;
    int64_t clock;                              /* where the times of the next pack begin; 0: not known yet */
    uint64_t offset_alignment, range_alignment; /* of IREE's packs in this function; 1: none */
    uint64_t module_offset_alignment, module_range_alignment; /* and where a function says nothing */
    /* The next brace that ends a header, and the next config: no part of a text is searched for every header. */
    const char *brace, *config;
    size_t scanned, foreign; /* bytes of arguments of functions; how many of them and of globals may be arenas */
    bool planned;            /* the views are a finished plan */
    uint32_t unused_views;
    size_t beside; /* allocations beside an arena: its views are no plan */
};

#define mlir_fail(reader, at, ...) sw_text_fail((reader)->input, (at), (reader)->error, __VA_ARGS__)

/* ---- text: mlir_text.c ---- */

bool mlir_starts(const char *at, const char *end, const char *word);
/* Behind blanks, ends of lines and comments. */
const char *mlir_skip(const char *at, const char *end);
const char *mlir_skip_text(const char *at, const char *end); /* behind a text in quotes, or at the end of the line */
struct sw_input_text mlir_word(const char *at, const char *end);
/* "%name", without what may stand behind it: "#1", ":2". */
bool mlir_value(const char **at, const char *end, struct sw_input_text *name);
/* The bracket that closes the one at `at`, all kinds counted, texts and arrows passed over; NULL: it is cut off. */
const char *mlir_close(const char *at, const char *end);
/* Where the next comma outside of brackets stands, or the end. */
const char *mlir_part(const char *at, const char *end);
/* Behind "key = " in an attribute list; NULL: it is not there. */
const char *mlir_attribute(const char *at, const char *end, const char *key);

/* A value that is a constant of the text. False: it is none. */
bool mlir_constant(const struct mlir *, struct sw_input_text name, uint64_t *number);
/* The same or a length that --dim gives; one that is missing counts as 1 and is told at the end. False: an error was
 * set. */
bool mlir_number_of(struct mlir *, struct sw_input_text name, uint64_t *number);
/* "%c4 = arith.constant 4 : index", "%n = arith.muli %a, %b : index". */
bool mlir_read_number(struct mlir *, const char *at);

/* ---- types: mlir_types.c ---- */

/* What "!name" or "#name" at `at` stands for, or `at` itself. O(1): names that are too long stand for nothing. */
const char *mlir_resolve(const struct mlir *, const char *at);
/* The end of the text in which a type or an attribute that begins at `at` is looked for. What an alias stands for is
 * read wherever the alias is named, so that types of any length would take quadratic time; of no more bytes none is
 * read. */
#define MLIR_MOST_TYPE 8192
const char *mlir_near(const struct mlir *, const char *at);
/* The memref at `at`, or its alias: size, type of elements, memory. `open` are the operands that give the lengths of
 * dimensions with a question mark, up to `close`. O(MLIR_MOST_TYPE). */
bool mlir_memref(struct mlir *, const char *at, const char *open, const char *close, struct mlir_buffer *);

/* ---- IREE's stream dialect: mlir_stream.c ---- */

bool mlir_read_resource(struct mlir *, const char *at);
bool mlir_read_pack(struct mlir *, const char *at);
/* What holds where no header names a device: the first that the text describes. */
void mlir_first_config(struct mlir *);
/* What the header of a function or module at `at` says of alignments. */
void mlir_read_config(struct mlir *, const char *at, bool function);

/* ---- one arena and its views: mlir_arena.c ---- */

/* Is the operation one that gives a part of its operand another name? */
bool mlir_is_view(struct sw_input_text op);
/* A view of `number`. The view's operands begin at `at`. At a constant offset the view is a buffer of its own. */
bool mlir_read_view(struct mlir *, uint32_t number, const char *at, bool *made);
/* An argument "%arg0: memref<64xi8>" or a global that may be an arena. */
bool mlir_add_foreign(struct mlir *, struct sw_input_text name, const char *type);
/* Is it an allocation that nothing but such views uses? */
bool mlir_is_arena(const struct mlir_buffer *);
/* When all is read: whether the views are a plan, and when they live. */
bool mlir_settle_views(struct mlir *);

/* ---- mlir.c ---- */

bool mlir_add_buffer(struct mlir *, struct mlir_buffer *);
bool mlir_define_buffer(struct mlir *, struct mlir_buffer *); /* the same, and its name means it from here on */
bool mlir_find_tier(struct mlir *, struct sw_input_text name, const char **tier);

#endif
