/* What a run is made with: a planner by its name, its parameters as the user gave them, and what scripts put in place
 * of built-in rules. */
#ifndef SW_PLANNERS_PARAMS_H
#define SW_PLANNERS_PARAMS_H

#include "base/mem.h"
#include "layout/layout.h"

SW_C_BEGIN

struct sw_breeding;
struct sw_cost_model;
struct sw_planner;
struct sw_policy;
struct sw_tier_rules;

/* ---- what scripts may put in place of built-in rules ---- */

/* What an action proposes: new places for one block or several, all at once. The places of one block stand
 * together: one for its whole life (SW_WHOLE_LIFE), or, where its life is split, one per span, which
 * follow one another from its first step to its last, each in another tier; it is moved before the first
 * step of each. Blocks of later steps cannot be moved: they are planned anew. */
struct sw_moves {
    uint32_t count; /* 0: none, for the reason given */
    struct sw_placement places[64];
    char reason[160];
};
enum { SW_MOVES_PLACES = 64 };

/* A further action of tier-search. Same terms. It is asked about `buffer` at a step of the walk: `state` is
 * the present state, `room` the same as far as that step, without the buffer: in it proposals are
 * checked like any other place. The proposal comes zeroed. */
struct sw_action {
    const char *name;
    void *context;
    bool (*propose)(void *context, const struct sw_layout *state, const struct sw_layout *room, uint32_t buffer,
                    uint32_t step, struct sw_moves *, struct sw_error *);
};

/* ---- parameters ---- */

enum sw_parameter_type {
    SW_PARAMETER_BOOL,
    SW_PARAMETER_INTEGER,
    SW_PARAMETER_NUMBER,
    SW_PARAMETER_CHOICE,
    SW_PARAMETER_LIST,
    SW_PARAMETER_PLANNER,
    SW_PARAMETER_TEXT
};
struct sw_parameter {
    const char *name;
    enum sw_parameter_type type;
    const char *fallback;       /* the default, as text */
    double lowest, highest;     /* inclusive, for numbers */
    const char *const *choices; /* NULL-ended, for SW_PARAMETER_CHOICE; words that an integer or the name of a planner
                                   may also be; the words of a LIST: some of them, each once, with commas between; of a
                                   TEXT one word, what it looks like: "key:value,..." */
    const char *help;           /* one sentence */
};
/* Another default of a parameter, with choices=plain. */
struct sw_plain_choice {
    const char *name, *value; /* NULL ends a list */
};

/* Parameters as the user gave them. Belongs to the caller; copied by the search. */
struct sw_setting {
    char key[1024], value[512]; /* a key may be the name of a tensor */
};
struct sw_params {
    uint64_t seed; /* default 1 */
    uint64_t work; /* budget in units of work (neighbors looked at); 0 = the planner's default */
    uint64_t
        patience; /* of `auto` inside another planner: it ends when so much work on end has gained nothing; 0: never */
    const struct sw_cost_model *cost; /* borrowed; NULL: built in */
    const struct sw_action *actions;  /* borrowed, tried after the built-in ones, in this order */
    size_t action_count;
    const struct sw_breeding *breeding;     /* borrowed; operators of a genetic planner instead of its own; NULL */
    const struct sw_policy *policy;         /* borrowed; choices of a planner instead of its own; NULL */
    const struct sw_tier_rules *tier_rules; /* borrowed; the same of tier-search; they come with actions; NULL */
    SW_ARRAY(struct sw_setting) settings;
};
#define SW_WORK_UNBOUNDED UINT64_MAX /* a budget without end: something else stops the run */
#define SW_PARAMS_DEFAULT ((struct sw_params){.seed = 1})
#define SW_MAX_SETTINGS 4096
/* Remember KEY=VALUE, replacing an earlier one. At most SW_MAX_SETTINGS of them. */
bool sw_params_set(struct sw_params *, const char *key, const char *value, struct sw_error *);
/* "key=value,...": each of them that is not set yet. */
bool sw_params_add(struct sw_params *, const char *settings, struct sw_error *);
/* Does every setting name a parameter of the planner, with a legal value? If not, say so, naming the
 * legal ones. */
bool sw_params_check(const struct sw_params *, const struct sw_planner *, struct sw_error *);
/* Says that the planner has no such parameter: which it has, the one of nearest name, else the planners that have it.
 * Always false. */
bool sw_params_unknown(const struct sw_planner *, const char *key, struct sw_error *);
bool sw_params_copy(struct sw_params *to, const struct sw_params *from);
void sw_params_done(struct sw_params *);
/* The run tells as decisions what it else does in silence (sw_planner.tells), where the planner can and the user does
 * not say otherwise. */
bool sw_params_tell(struct sw_params *, const struct sw_planner *, struct sw_error *);
/* Did the user set it? */
bool sw_params_given(const struct sw_params *, const char *key);
/* Read a checked parameter: the user's value or the default. */
bool sw_params_bool(const struct sw_params *, const struct sw_planner *, const char *key);
int64_t sw_params_integer(const struct sw_params *, const struct sw_planner *, const char *key);
double sw_params_number(const struct sw_params *, const struct sw_planner *, const char *key);
const char *sw_params_text(const struct sw_params *, const struct sw_planner *, const char *key);

SW_C_END

#endif
