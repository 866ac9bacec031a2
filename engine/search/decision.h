/* Decisions: what one step of a planner did, and, on demand, everything it looked at.
 *
 * A `struct sw_decision` is small and fixed, so that a journal of a million of them is cheap. The list
 * of candidates with reasons (`struct sw_explanation`) is made by running that one step again with
 * explanation switched on. */
#ifndef SW_SEARCH_DECISION_H
#define SW_SEARCH_DECISION_H

#include "base/mem.h"
#include "layout/layout.h"

SW_C_BEGIN

/* The kinds, their words, operands and sentences stand in decisions.def. */
enum sw_decision_kind {
#define OPERAND(type, name, key)
#define DECISION(id, member, word, meaning, operands, sentence) SW_DECISION_##id,
#define VARIANT(id, of, member, operands, sentence) SW_DECISION_##id,
#include "search/decisions.def"
#undef DECISION
#undef VARIANT
#undef OPERAND
    SW_DECISION_KIND_COUNT
};
const char *sw_decision_word(enum sw_decision_kind);
/* The kind that a variant is one of; else the kind itself. Words belong to such kinds alone. */
enum sw_decision_kind sw_decision_family(enum sw_decision_kind);
/* The kind with this word; false: there is none, and the error names one like it, and all. */
bool sw_decision_named(const char *word, enum sw_decision_kind *, struct sw_error *);
/* The name of the member of the union that is in force: with the word it tells variants apart. Static. */
const char *sw_decision_member_name(enum sw_decision_kind);
/* The reverse: the kind with this word and this member (NULL: the kind that is no variant). False: there is none. */
bool sw_decision_kind_of(const char *word, const char *member, enum sw_decision_kind *);

/* The types of operands, as decisions.def explains them. */
struct sw_before_after {
    double before, after;
};
typedef uint32_t sw_operand_buffer, sw_operand_index;
typedef uint64_t sw_operand_count, sw_operand_bytes;
typedef bool sw_operand_flag;
typedef struct sw_before_after sw_operand_change;
typedef double sw_operand_score;
typedef const char *sw_operand_text;
enum sw_operand_type {
    SW_OPERAND_buffer,
    SW_OPERAND_index,
    SW_OPERAND_count,
    SW_OPERAND_bytes,
    SW_OPERAND_flag,
    SW_OPERAND_change,
    SW_OPERAND_score,
    SW_OPERAND_text
};
/* Where an operand stands in the older form of a trace. */
enum sw_operand_key {
    SW_KEY_NOTHING,
    SW_KEY_OTHER,
    SW_KEY_AMOUNT,
    SW_KEY_PART,
    SW_KEY_MEMBER_0,
    SW_KEY_MEMBER_1,
    SW_KEY_FIGURE_0,
    SW_KEY_FIGURE_1,
    SW_KEY_FIGURE_2,
    SW_KEY_ACTION
};

/* What the amount of an evaluation or an answer is a measure of. */
enum sw_amount { SW_AMOUNT_MEMORY, SW_AMOUNT_MOVED, SW_AMOUNT_NOTHING };

struct sw_decision {
    uint64_t step;       /* from 1: the first decision is step 1; 0 = none yet */
    uint16_t kind;       /* enum sw_decision_kind; it says which member of the union below is in force */
    bool forced : 1;     /* an override made it what it is */
    bool another : 1;    /* it put another layout in the place of the one before it, and no block of its own there */
    uint8_t measures;    /* enum sw_amount */
    uint32_t buffer;     /* the subject, or SW_NONE */
    uint32_t tier;       /* SW_NONE when no tier is concerned */
    uint32_t time;       /* the step of time it belongs to; SW_NONE */
    uint32_t group;      /* which group of the planner (size class, member ...), from 0 */
    uint32_t candidates; /* how many were looked at */
    uint64_t offset, size;
    uint64_t peak;        /* of its tier after it; without a tier of the only one in use, or the highest in use */
    uint64_t peak_before; /* the same before it; of a block that it put into another layout: of that without it */
    uint64_t live;        /* placed bytes alive at `time` after it */
    double cost;          /* NaN when the planner has none */
    uint64_t work;        /* of the run up to and with this decision, in units of work */
    const char *reason;   /* a static phrase: "smallest free block that fits". Where it has "{}" that stands for: */
    const char *subject;  /* a static name, of a planner; NULL: the reason has no {} */
    const char *said;     /* of a recorded run: its planner's own sentence, which stands for ours; NULL */
    const char *fault;    /* of a recorded run: what is wrong with where the block lies, a static clause; NULL */
    union {               /* what only this kind has: decisions.def */
#define OPERAND(type, name, key) sw_operand_##type name;
#define DECISION(id, member, word, meaning, operands, sentence) \
    struct {                                                    \
        operands                                                \
    } member;
#define VARIANT(id, of, member, operands, sentence) DECISION(id, member, , , operands, )
#include "search/decisions.def"
#undef DECISION
#undef VARIANT
#undef OPERAND
    };
};
/* A decision with nothing in it: every number that may be absent says so. Its kind is PLACE. */
void sw_decision_clear(struct sw_decision *);
/* It becomes one of this kind: operands are absent until they are set, all other fields stay. */
void sw_decision_become(struct sw_decision *, enum sw_decision_kind);
/* Is it of this kind or of a variant of it? */
bool sw_decision_is(const struct sw_decision *, enum sw_decision_kind);
/* Does it put a block somewhere, and nothing else? */
bool sw_decision_puts_block(const struct sw_decision *);
/* What a decision is called: the word of its kind, or, in a recorded run, of a planner's own kind. */
const char *sw_decision_called(const struct sw_decision *);

/* One operand of a kind: its name, its type, and where it lies in the union. */
struct sw_operand {
    const char *name;
    enum sw_operand_type type;
    enum sw_operand_key key;
    size_t at;
};
/* Of a kind, in the order of decisions.def, ended by a name that is NULL. Static. */
const struct sw_operand *sw_decision_operands(enum sw_decision_kind);
/* The first operand with this name, of any kind: those that share a name share the type. NULL: there is none. */
const struct sw_operand *sw_decision_operand_named(const char *name);
/* Is an operand of this decision's kind present? Its value goes to `number` (of a change: what it is after; NaN when
 * a number is absent, but 0 for counts, bytes and flags), or to `text`. Both may be NULL. */
bool sw_decision_value(const struct sw_decision *, const struct sw_operand *, double *number, const char **text);
/* The place of a value, to be read as its type. */
const void *sw_decision_at(const struct sw_decision *, const struct sw_operand *);

/* The older form: what stands at a key, whatever the kind calls it; else absent (0, SW_NONE, NaN, NULL). O(1). */
uint64_t sw_decision_amount(const struct sw_decision *);
uint32_t sw_decision_other(const struct sw_decision *);
uint32_t sw_decision_part(const struct sw_decision *);
uint32_t sw_decision_member(const struct sw_decision *, unsigned which); /* 0 to 3 */
double sw_decision_figure(const struct sw_decision *, unsigned which);   /* 0 to 2 */
const char *sw_decision_action(const struct sw_decision *);
/* Set the number at a key, for what many kinds have in common, and for planners that are not written in C. False:
 * this kind has nothing there. */
bool sw_decision_set(struct sw_decision *, enum sw_operand_key, uint64_t);
/* The reason in full; "" when there is none. Its text when it needs nothing put in, else `text`. */
enum { SW_REASON = 256 };
const char *sw_decision_reason(const struct sw_decision *, char text[SW_REASON]);

enum sw_verdict { SW_VERDICT_CHOSEN, SW_VERDICT_FITS, SW_VERDICT_REFUSED };
const char *sw_verdict_word(enum sw_verdict); /* "chosen", "fits", "refused" */

struct sw_candidate {
    enum sw_verdict verdict;
    uint32_t tier;
    uint64_t offset;       /* where the block would start */
    uint64_t size;         /* of the space; SW_UNBOUNDED for an open end */
    uint32_t below, above; /* neighbors, or SW_NONE */
    bool occupied;         /* not a free space: another block lies there, or none may */
    bool runs;             /* not a space at all but an operator that may run next, which is: */
    bool backward;         /* as the last one: the order is made from its end */
    bool changes; /* not a space but a change to the model, about `op` and what follows: `size` is what it needs;
                     SW_UNBOUNDED: that is not known */
    uint32_t op;  /* its number in the problem that the run began with. Where it `runs`, `size` is alive while it does,
                     `offset` after it, or,  backward, before it. SW_NONE: the change is about the whole model */
    char reason[360];
};
/* Is it only said: neither a space nor an operator nor a change, and without a figure of its own? */
bool sw_candidate_only_said(const struct sw_candidate *);
/* Its reason, without what stands before it: "NAME (SIZE) refused at PLACE: ". */
const char *sw_candidate_words(const struct sw_candidate *);
/* A block that the decision moved. */
struct sw_moved {
    uint32_t buffer, tier;
    uint64_t from, to;
};
/* A number that another planner wrote down beside its decision. */
struct sw_figure {
    char name[48];
    double value; /* NaN: it was not finite */
};
/* Belongs to the caller; zero it to start with; may be used again. */
struct sw_explanation {
    struct sw_decision decision;
    SW_ARRAY(struct sw_candidate) candidates;
    SW_ARRAY(struct sw_moved) moved;
    SW_ARRAY(struct sw_figure) figures; /* of a recorded run */
    char source[128];                   /* of a recorded run: the place in its planner's source; "" */
};
void sw_explanation_clear(struct sw_explanation *);
void sw_explanation_done(struct sw_explanation *);
/* Append a candidate; `format` makes its reason. With explanation NULL it does nothing and succeeds.
 * False: no memory. */
bool sw_explain(struct sw_explanation *, enum sw_verdict, uint32_t tier, uint64_t offset, uint64_t size, uint32_t below,
                uint32_t above, const char *format, ...) __attribute__((format(printf, 8, 9)));

/* The same for an operator that may run next. */
bool sw_explain_operator(struct sw_explanation *, enum sw_verdict, uint32_t op, bool backward, uint64_t during,
                         uint64_t after, const char *format, ...) __attribute__((format(printf, 7, 8)));

/* The same for a change to the model that begins with this operator, or is about all of it (SW_NONE). */
bool sw_explain_change(struct sw_explanation *, enum sw_verdict, uint32_t op, uint64_t bytes, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/* Levels at which a run can be stepped. A new `time` opens an operator, a new `group` a group. */
enum sw_level { SW_LEVEL_EVENT, SW_LEVEL_DECISION, SW_LEVEL_OPERATOR, SW_LEVEL_GROUP, SW_LEVEL_RUN, SW_LEVEL_COUNT };
extern const char *const sw_level_names[]; /* NULL-ended */
const char *sw_level_name(enum sw_level);

/* One sentence for a person: "places conv3_out (2,048 B) at sram+4096: smallest free block that fits".
 * Returns snprintf's length. */
int sw_decision_describe(const struct sw_problem *, const struct sw_decision *, char *text, size_t size);

SW_C_END

#endif
