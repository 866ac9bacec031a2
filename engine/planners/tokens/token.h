/* What the files of token-sharing share: what a graph says about tokens before anything is
 * allocated.
 *
 * token_graph.c finds calls, tuples, layers, counts and the list of tasks; token_chain.c where a
 * function may write over its input; token_sizes.c adopts
 * dtypes and alignments and derives the problem that is planned; token_pool.c keeps ids, the free
 * pool and the offsets; token_sharing.c makes the decisions. Not installed. */
#ifndef SW_PLANNERS_TOKEN_H
#define SW_PLANNERS_TOKEN_H

#include "base/minmax.h"
#include "layout/live_count.h"
#include "planners/planner_internal.h"

/* ---- the graph (immutable, shared by all clones) ---- */

/* The layer that gives a tensor its id. */
enum token_layer { TOKEN_MODEL, TOKEN_FUNCTION, TOKEN_OPERATOR };

/* A call: a maximal run of neighboring operators of one function, or a single operator without
 * one. */
struct token_call {
    uint32_t first, last;        /* operators */
    uint32_t unit;               /* SW_NONE: the only, or the default, one */
    bool own;                    /* an operator that is a function of its own */
    uint32_t input, input_count; /* of a declared function: a slice of graph->inputs */
};

/* An input of a call. */
struct token_input {
    uint32_t buffer;
    bool first; /* no earlier call uses it, so no earlier one has counted this use */
};

/* A chain of in-place operators of a function from one of its inputs to an output. */
enum token_chain_answer {
    CHAIN_WHOLE,
    CHAIN_LATER, /* `op` uses the input after the chain has begun */
    CHAIN_READ   /* `op` reads `through`, which lies between */
};
struct token_chain {
    enum token_chain_answer answer;
    uint32_t input, length; /* length: in operators */
    uint32_t op, through;   /* what breaks it */
    uint32_t core;          /* that the output's operator runs on */
    bool reshape;           /* all are pure reshapes */
    bool one_core;          /* all run on that core */
};

struct token_info {
    uint64_t bytes;     /* of the tensor, padded to its alignment; 0 for a tuple */
    uint64_t alignment; /* of the offset; of a root: all that have its token */
    uint64_t tiers;     /* of a root: the memory spaces every unit that touches it reaches */
    uint32_t root; /* the tensor that its token belongs to: itself, or a tuple's branch; SW_NONE: none or several */
    bool tuple;    /* it has no bytes of its own */
    uint32_t part, part_count;   /* a tuple's tokens: a slice of graph->parts */
    uint32_t chain, chain_count; /* of a function's output: a slice of graph->chains */
    uint32_t count;              /* of a root: its own count */
    uint64_t units;              /* of a root: a bit per unit that touches it */
    enum token_layer layer;
    bool hull;   /* its pieces are taken by their hull */
    bool steady; /* written once: it keeps the bytes it is born with */
    /* What it adopted. */
    const char *adopted;       /* why; NULL: it is as the model says */
    uint32_t term, term_count; /* how its size came about: a slice of graph->terms */
    enum sw_dtype dtype;
    uint64_t size, before; /* bytes after and before */
};

/* A step from the declared size of a tensor to the adopted one. The first begins at the declared bytes, each where the
 * one before it ended, and the last ends at the size. */
enum token_term_kind { TERM_TYPE, TERM_CHANNELS, TERM_ALIGNMENT };
struct token_term {
    enum token_term_kind kind;
    uint64_t before, after;  /* bytes */
    uint64_t units;          /* a bit for each unit that demands it; TYPE: none, or one */
    uint64_t overruled;      /* TYPE: units that demand another dtype */
    uint32_t op;             /* TYPE: the pseudo-quantise operator that demands it, or SW_NONE */
    enum sw_dtype dtype;     /* TYPE */
    uint32_t axis;           /* CHANNELS: the dimension, from 0 on, */
    uint64_t length, padded; /* how long it is, and becomes */
    uint64_t multiple;       /* CHANNELS, ALIGNMENT: of what */
};

enum token_task_kind {
    TASK_ADOPT,
    TASK_TOKEN,
    TASK_MODEL,  /* a fresh id for an input or a constant */
    TASK_SOURCE, /* a tensor that no operator produces, at its first use */
    TASK_OUTPUT, /* a result */
    TASK_SCRATCH,
    TASK_ALIAS,  /* a tuple, or a branch of one */
    TASK_UNREAD, /* a result with a count of 0 goes straight back */
    TASK_DROP,   /* the count drops by one; at 0 the block is released */
    TASK_BEGIN,  /* the operator layer enters a call */
    TASK_SHARE   /* an operator's tensor is one of its function */
};
struct token_task {
    enum token_task_kind kind;
    uint32_t buffer, op, call;
    enum token_layer layer;
};

struct token_graph {
    size_t owners;
    const struct sw_problem *origin; /* as the user gave it */
    uint32_t buffer_count, operator_count, call_count;
    struct token_call *calls;
    uint32_t *call_of; /* per operator */
    struct token_info *info;
    SW_ARRAY(uint32_t) parts;
    SW_ARRAY(struct token_input) inputs;
    SW_ARRAY(struct token_chain) chains;
    SW_ARRAY(struct token_task) tasks;
    SW_ARRAY(struct token_term) terms;
    SW_ARRAY(uint32_t) pinned; /* by the problem */
    bool simple;               /* counts alone say what is alive: one core, no lifetimes given, no tensors kept
                                  separate */
    uint64_t saved_bytes;
    struct sw_arena room; /* of the arrays without a count */
};
struct token_graph *sw_token_graph_new(const struct sw_problem *origin, struct sw_error *);
void sw_token_graph_drop(struct token_graph *);

/* Sets of tensors: the least member leads each. `leader` of each tensor is itself to begin with. */
uint32_t sw_token_leader(uint32_t *leader, uint32_t buffer);
void sw_token_unite(uint32_t *leader, uint32_t a, uint32_t b);

bool sw_token_kind(const struct sw_operator *, const char *kind);
/* Is it there before the model runs: an input or a constant? */
static inline bool sw_token_given(const struct sw_problem *problem, uint32_t buffer) {
    enum sw_kind kind = sw_problem_buffer(problem, buffer)->kind;
    return kind == SW_KIND_INPUT || kind == SW_KIND_CONSTANT;
}
/* The tokens of an argument: one, a tuple's, or none. */
uint32_t sw_token_count(const struct token_graph *, uint32_t buffer);
uint32_t sw_token_at(const struct token_graph *, uint32_t buffer, uint32_t k);
/* Does the operator only read `old`, as a whole, and only write `fresh`? */
bool sw_token_plain(const struct sw_operator *, uint32_t fresh, uint32_t old);
/* May output `out` of the operator be written over input `in`, as far as its mark says? */
bool sw_token_marked(const struct sw_operator *, uint32_t in, uint32_t out);
/* Is it a reshape with exactly its input's bytes as its result? */
bool sw_token_pure_reshape(const struct token_graph *, const struct sw_operator *, uint32_t in, uint32_t out);

/* ---- what a function may write over ---- */

/* Fill the inputs of calls and the chains; layers and tuples are known. */
bool sw_token_find_chains(struct token_graph *); /* false: no memory */
/* The chain that leads from an input of a function to its output; NULL: none does. */
const struct token_chain *sw_token_chain(const struct token_graph *, uint32_t in, uint32_t out);

/* ---- sizes ---- */

/* Fill `adopted`, `dtype`, `size`, `before` and the terms of every tensor. */
bool sw_token_adopt(struct token_graph *); /* false: no memory */
const struct sw_problem *sw_token_derive(const struct sw_problem *, const struct sw_params *, struct sw_error *);

/* token_adopt.c: the terms of a tensor's size as candidates, each in force or overruled; false: no memory. Its bytes
 * after the terms up to those of a kind. And the table of all sizes that were adopted. */
bool sw_token_explain_size(const struct token_graph *, const struct sw_run *, uint32_t buffer);
uint64_t sw_token_bytes_after(const struct token_graph *, uint32_t buffer, enum token_term_kind);
struct token;
void sw_token_sizes_table(const struct token *, const struct sw_decision *last, struct sw_state_tables *);

/* ---- ids, the free pool and the offsets ---- */

/* When an id was occupied, as the function layer sees it. */
struct token_stay {
    uint32_t from, to; /* calls; to = SW_NONE: to the end */
    uint64_t released;
    uint32_t next; /* of the same id, or SW_NONE */
};
struct token_id {
    uint64_t bytes; /* allocated */
    uint64_t alignment;
    uint64_t offset, floor; /* floor: the end of what lies below */
    uint64_t released;      /* time of the last release; 0: never */
    uint64_t past, inner;   /* operator layer: the last release by the function layer, and by itself */
    uint32_t tier, count;
    uint32_t head, tail;      /* tensors it ever held */
    uint32_t stay, last_stay; /* of the function layer, or SW_NONE */
    uint32_t cursor;          /* operator layer: the first stay not over */
    uint32_t reused_by;       /* the operator that last wrote it in place */
    bool fixed;               /* pinned: it never moves and is never shared */
};
struct token_ids {
    SW_ARRAY(struct token_id) ids;
    SW_ARRAY(struct token_stay) stays;
    SW_ARRAY(uint32_t) pool; /* free ids by allocated bytes, then by time of release */
    uint32_t *id_of, *next,
        *value; /* per buffer: its id; the next tensor of the id; the one that stands for all with the same bytes */
    uint64_t top[SW_MAX_TIERS];   /* the end of the ids that can move */
    uint64_t fixed[SW_MAX_TIERS]; /* the end of those that cannot */
    uint64_t releases;
};

bool sw_token_ids_init(struct token_ids *, uint32_t buffers);

/* A new id at the end of a tier, without tensors; SW_NONE: no memory. */
uint32_t sw_token_id_new(struct token_ids *, uint32_t tier, uint64_t bytes, uint64_t alignment);
/* A tensor joins an id. */
void sw_token_join(struct token_ids *, uint32_t id, uint32_t buffer);
bool sw_token_occupy(struct token_ids *, uint32_t id, uint32_t call);
bool sw_token_release(struct token_ids *, uint32_t id, uint32_t call, uint32_t step, enum token_layer);
void sw_token_take(struct token_ids *, uint32_t id); /* out of the pool */
/* The pool becomes all ids that no stay of the function layer holds during the call. */
bool sw_token_enter(struct token_ids *, uint32_t call, uint64_t *work);
/* Offsets of id `from` and all above it in its tier; moves tensors that were placed, and sets the
 * arena. */
bool sw_token_layout(struct token_ids *, const struct token_graph *, struct sw_run *, uint32_t from);
/* The same for everything, when pins or forbidden ranges changed. */
bool sw_token_layout_all(struct token_ids *, const struct token_graph *, struct sw_run *);
/* Where a new id would begin. */
uint64_t sw_token_end(const struct token_ids *, const struct token_graph *, const struct sw_run *, uint32_t tier,
                      uint64_t bytes, uint64_t alignment);

/* ---- the run of the planner, and the options of a placing ---- */

enum option_kind { OPTION_INPUT, OPTION_BLOCK, OPTION_NEW };
enum option_answer {
    ANSWER_FITS,
    ANSWER_SMALL,  /* a block that would have to be enlarged */
    ANSWER_WINDOW, /* its size is outside the window */
    ANSWER_SPACE,  /* another memory space */
    ANSWER_ALIVE,  /* `other` is still alive in it */
    ANSWER_NEVER,  /* a model input or constant */
    ANSWER_PINNED,
    ANSWER_READERS, /* `number` other readers remain */
    ANSWER_LESS,    /* allocated bytes below own bytes */
    ANSWER_SMALLER, /* the input itself is smaller: what is written would run ahead of what is read */
    ANSWER_ALIGNS,
    ANSWER_TAKEN, /* this operator has overwritten it already */
    ANSWER_CORES,
    ANSWER_OFF,    /* the parameter `reuse` is against it */
    ANSWER_SCRIPT, /* the reuse condition of a script is, for the reason `why` */
    ANSWER_CHAIN,  /* no chain of in-place operators of the function leads from it to the output */
    ANSWER_LATER,  /* the function's operator `number` uses it after the chain has begun */
    ANSWER_READ,   /* the function's operator `number` reads `through`, which lies between */
    ANSWER_FULL    /* the capacity */
};
struct option {
    enum option_kind kind;
    enum option_answer answer;
    uint32_t id, other, tier, through;
    uint32_t input; /* INPUT: what would be overwritten; `other` may be what is in the way */
    bool function;  /* it is an input of the function, not of a single operator */
    bool reshape;   /* it has the very bytes of the input */
    uint64_t number;
    const char *why; /* of a script; NULL: it does not say */
};
/* What may be written over an input. */
enum token_reuse { REUSE_IN_PLACE, REUSE_RESHAPE, REUSE_NONE };

struct token {
    struct token_graph *graph;
    struct token_ids ids;
    size_t at;      /* the next task */
    uint64_t match; /* a free block is taken from size / match to size * match; 0: of any size */
    enum token_reuse reuse;
    uint64_t digest; /* of all decisions so far */
    struct sw_live live;
    SW_ARRAY(struct option) options; /* scratch */
};

const struct token_info *sw_token_info(const struct token *, uint32_t buffer);
/* The id of a tensor, of a tuple that of its first branch; SW_NONE: none yet. */
uint32_t sw_token_id(const struct token *, uint32_t buffer);

/* Fill t->options: the inputs that could be overwritten, the free pool, a new id. False: run->error says why. */
bool sw_token_gather(struct token *, struct sw_run *, const struct token_task *);
/* The option that the rules take. */
size_t sw_token_pick(const struct token *, uint32_t buffer);
/* May it be taken, too? Blocks that are too small only when the rules came to enlarging. */
bool sw_token_fits(const struct token *, const struct option *, size_t picked);
/* The state as tables, and what led to it (token_tables.c). */
sw_because_fn sw_token_because;
void sw_token_state(const void *state, const struct sw_run *, const struct sw_decision *last, struct sw_state_tables *);
const char *sw_token_reason(const struct option *, bool user);
/* Why an input is not overwritten, as a clause. */
void sw_token_say_input(const struct token *, const struct sw_run *, const struct option *, uint32_t buffer, char *text,
                        size_t size);
bool sw_token_explain(const struct token *, const struct sw_run *, uint32_t buffer, size_t picked, const char *reason);

#endif
