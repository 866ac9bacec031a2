/* What a planner is: one table of functions.
 *
 * A planner makes one decision per call of `step`, on a layout that the search owns, and keeps the rest
 * of its state to itself. It is deterministic for (problem, parameters, seed, overrides), never prints,
 * reads no clock, never recurses on the size of the problem, and can be stopped between any two
 * decisions. The same code runs with explanation on and off: where `run->explain` is not NULL, `step`
 * reports every candidate it looks at.
 *
 * To add a planner: one file in engine/planners/ that defines a `const struct sw_planner`, and one line
 * in planner_table.c. */
#ifndef SW_PLANNERS_PLANNER_H
#define SW_PLANNERS_PLANNER_H

#include "layout/free/shelf.h"
#include "planners/breeding.h"
#include "planners/state_tables.h"
#include "search/decision.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- what scripts may put in place of built-in rules ---- */

/* What memory traffic costs. Borrowed: must outlive every search that uses it. Pure: the same arguments
 * give the same figure. `failed` of the error stops the run with the message. */
struct sw_cost_model {
    const char *name;
    void *context;
    /* One read or write of `bytes` bytes of a buffer in a tier at a step; NULL: the built-in rule,
     * (latency + bytes / bandwidth) x (1 + conflict factor). */
    bool (*access)(void *context, const struct sw_problem *, uint32_t buffer, uint32_t step,
                   uint32_t tier, uint64_t bytes, double *cost, struct sw_error *);
    /* Instead of a sum over accesses: the cost of a whole layout; NULL: the sum. */
    bool (*whole)(void *context, const struct sw_layout *, double *cost, struct sw_error *);
};

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
    bool (*propose)(void *context, const struct sw_layout *state, const struct sw_layout *room,
                    uint32_t buffer, uint32_t step, struct sw_moves *, struct sw_error *);
};

/* ---- parameters ---- */

enum sw_parameter_type { SW_PARAMETER_BOOL, SW_PARAMETER_INTEGER, SW_PARAMETER_NUMBER,
                         SW_PARAMETER_CHOICE, SW_PARAMETER_LIST, SW_PARAMETER_PLANNER,
                         SW_PARAMETER_TEXT };
struct sw_parameter {
    const char *name;
    enum sw_parameter_type type;
    const char *fallback;       /* the default, as text */
    double lowest, highest;     /* inclusive, for numbers */
    const char *const *choices; /* NULL-ended, for SW_PARAMETER_CHOICE; words that an integer or the name of a planner
                                   may also be; the words of a LIST: some of them, each once, with commas between; of a TEXT
                                   one word, what it looks like: "key:value,..." */
    const char *help;           /* one sentence */
};

/* Parameters as the user gave them. Belongs to the caller; copied by the search. */
struct sw_setting {
    char key[1024], value[512]; /* a key may be the name of a tensor */
};
struct sw_params {
    uint64_t seed; /* default 1 */
    uint64_t work; /* budget in units of work (neighbors looked at); 0 = the planner's default */
    uint64_t patience; /* of `auto` inside another planner: it ends when so much work on end has gained nothing; 0: never */
    const struct sw_cost_model *cost;  /* borrowed; NULL: built in */
    const struct sw_action *actions;   /* borrowed, tried after the built-in ones, in this order */
    size_t action_count;
    const struct sw_breeding
        *breeding; /* borrowed; operators of a genetic planner instead of its own; NULL */
    SW_ARRAY(struct sw_setting) settings;
};
struct sw_planner;
#define SW_WORK_UNBOUNDED UINT64_MAX /* a budget without end: something else stops the run */
#define SW_PARAMS_DEFAULT ((struct sw_params){.seed = 1})
#define SW_MAX_SETTINGS 4096
/* Remember KEY=VALUE, replacing an earlier one. At most SW_MAX_SETTINGS of them. */
bool sw_params_set(struct sw_params *, const char *key, const char *value, struct sw_error *);
/* Does every setting name a parameter of the planner, with a legal value? If not, say so, naming the
 * legal ones. */
bool sw_params_check(const struct sw_params *, const struct sw_planner *, struct sw_error *);
/* Says that the planner has no such parameter: which it has, the one of nearest name, else the planners that have it.
 * Always false. */
bool sw_params_unknown(const struct sw_planner *, const char *key, struct sw_error *);
bool sw_params_copy(struct sw_params *to, const struct sw_params *from);
void sw_params_done(struct sw_params *);
/* Did the user set it? */
bool sw_params_given(const struct sw_params *, const char *key);
/* Read a checked parameter: the user's value or the default. */
bool sw_params_bool(const struct sw_params *, const struct sw_planner *, const char *key);
int64_t sw_params_integer(const struct sw_params *, const struct sw_planner *, const char *key);
double sw_params_number(const struct sw_params *, const struct sw_planner *, const char *key);
const char *sw_params_text(const struct sw_params *, const struct sw_planner *, const char *key);

/* ---- overrides: what a user demands at a step ---- */

enum sw_override_kind {
    SW_OVERRIDE_PIN,    /* buffer to tier + offset: moved there now, or placed there when its turn comes */
    SW_OVERRIDE_FORBID, /* buffer (SW_NONE: every buffer) may not use [lo, hi) of tier */
    SW_OVERRIDE_CHOOSE  /* the next decision takes candidate k of its explanation */
};
struct sw_override {
    enum sw_override_kind kind;
    uint32_t buffer, tier;
    uint64_t offset;  /* PIN */
    uint64_t lo, hi;  /* FORBID */
    uint32_t choice;  /* CHOOSE, from 0 */
};

/* ---- a run: what the search lends to a planner ---- */

/* Which block found no room, and when; a planner that ends so fills it in. */
struct sw_no_room {
    uint32_t buffer, time; /* time: a step */
    uint32_t tier;         /* the tier of the largest hole; SW_NONE: there is no hole at all */
    uint64_t required;     /* the size of the block; 0: nothing was filled in */
    uint64_t available;    /* bytes free in all tiers in which it may lie */
    uint64_t hole;         /* the largest free space */
};

struct sw_run {
    const struct sw_problem *problem;
    const struct sw_planner *planner;
    const struct sw_params *params;
    struct sw_layout *layout;          /* the planner places blocks here */
    struct sw_rules rules;             /* pins and forbidden ranges in force */
    struct sw_gaps gaps;               /* scratch */
    struct sw_shelf shelf;             /* scratch of planners that place in program order */
    struct sw_explanation *explain;    /* NULL unless this step is to be explained */
    int64_t choice;                    /* candidate the user chose for this decision, or -1 */
    uint64_t work;                     /* total so far; planners add what they looked at */
    struct sw_no_room no_room;         /* for a step that fails; cleared before each */
    /* Set by a step that chooses the order of the operators: the same model in that order, a reference that the search
     * takes. The run goes on with it, on an empty layout of it. The step itself has placed nothing. Of a planner that `rewrites`
     * it is another model, with other buffers. */
    const struct sw_problem *handed;
};

enum sw_step {
    SW_STEP_MORE,  /* a decision was made; there may be more */
    SW_STEP_DONE,  /* no decision was made: the run was complete already */
    SW_STEP_FAILED /* infeasible, or no memory: see the error; the layout so far stays */
};

/* What a planner needs of a problem. */
enum {
    SW_NEEDS_OPERATORS = 1,
    SW_NEEDS_PLAN = 2,     /* an offset for every buffer */
    SW_NEEDS_TIERS = 4,    /* at least one tier with a bandwidth */
    SW_NEEDS_CAPACITY = 8, /* tier 0 is bounded */
    SW_NEEDS_ACCESSES = 16, /* it is known when buffers are read and written */
    SW_NEEDS_FIXED_TIERS = 32, /* no buffer may choose among several tiers */
    SW_NEEDS_RECORDING = 64, /* the file tells what a planner decided */
    SW_NEEDS_WINDOWS = 256,    /* an operator of which it is known what rows it reads */
    SW_NEEDS_ONE_MEMORY = 128 /* one tier without reserved ranges, one core, no pins, no pairs kept apart */
};
/* Which inputs of a run a planner reads. Options that none of the planners reads are refused. */
enum {
    SW_READS_COST = 1,    /* params.cost decides what it does, maybe only with some parameters */
    SW_READS_ACTIONS = 2, /* params.actions */
    SW_READS_BREEDING = 4 /* params.breeding */
};
/* Levels at which a run can be stepped. A new `time` opens an operator, a new `group` a group. */
enum sw_level { SW_LEVEL_EVENT, SW_LEVEL_DECISION, SW_LEVEL_OPERATOR, SW_LEVEL_GROUP, SW_LEVEL_RUN,
                SW_LEVEL_COUNT };
const char *sw_level_name(enum sw_level);
bool sw_level_parse(const char *name, enum sw_level *);

/* Figures of a planner's own, for the summary: key -> number, or key -> {name -> number}. Belongs to the
 * caller; zero it to start with. */
struct sw_detail {
    const char *key;    /* static: "conflicts", "ids", "pruned" */
    const char *name;   /* of a member of a map: a rule (static) ...; NULL */
    uint32_t buffer;    /* ... or a buffer; SW_NONE */
    bool list;          /* an element of a list under `key`, in order */
    bool whole;         /* an integer; otherwise `number` */
    bool none;          /* there is no such figure: null */
    bool truth;         /* a whole that is 0 or 1: false or true */
    bool word;          /* `name` is itself the figure, an element of a list: the name of an operator */
    int64_t integer;
    double number;
};
struct sw_details {
    SW_ARRAY(struct sw_detail) items;
};
/* Each returns false for lack of memory. */
bool sw_detail_integer(struct sw_details *, const char *key, int64_t value);
bool sw_detail_number(struct sw_details *, const char *key, double value);
bool sw_detail_none(struct sw_details *, const char *key); /* null */
bool sw_detail_truth(struct sw_details *, const char *key, bool value);
bool sw_detail_of(struct sw_details *, const char *key, uint32_t buffer, int64_t value);
bool sw_detail_named(struct sw_details *, const char *key, const char *name, int64_t value);
bool sw_detail_element(struct sw_details *, const char *key, int64_t value);
bool sw_detail_word(struct sw_details *, const char *key, const char *word); /* an element; `word` as good as the search */
/* A whole figure of that name; false: there is none, or it is null. */
bool sw_details_figure(const struct sw_details *, const char *key, uint64_t *value);
void sw_details_done(struct sw_details *);

/* What a finished (or stopped) run can say of itself besides its layout. */
struct sw_claims {
    bool optimal;             /* proved: nothing smaller exists */
    bool over_orders;         /* operators may run in any order: that a layout meets the bound of its order proves nothing */
    /* The order is still being chosen: the most bytes alive in the best one so far (0: there is none) and in the file's, and what every order needs. */
    bool ordering, order_asked; /* order_asked: of the orders that have what the user asked for */
    uint64_t order_peak, order_before, order_bound;
    bool infeasible;          /* proved: nothing fits */
    bool no_addresses;        /* a finished run places nothing: it is a reference for a figure */
    bool has_migration;
    uint64_t migration_bytes; /* segment-genetic, farthest-next-use */
    double cost;              /* E; NaN when the planner has none */
    bool priced;              /* it minimizes what its layout costs */
    const char *instead;      /* a static clause: what it did in place of its own method; NULL */
};

struct sw_planner {
    const char *name;
    const char *summary;    /* one sentence, for lists */
    unsigned needs;         /* SW_NEEDS_... */
    unsigned reads;         /* SW_READS_... */
    bool seeded;            /* randomized: another seed may give another layout */
    bool budgets;           /* it spends params.work itself and says so; for others that is a limit of the run */
    bool goes_on;           /* with SW_WORK_UNBOUNDED it, or what stands in for it, improves until it is stopped */
    bool decides;           /* a run that ends by itself has the answer, whatever the seed */
    bool one_layout;        /* its decisions build one layout, block by block: it never measures several, nor
                               keeps a better one than the run's */
    bool reserves;          /* an allocator: its arena is what it reserves, which may be more than its blocks reach, and its
                               blocks may lie beyond it */
    bool reorders;          /* it chooses the order of the operators (run->handed), and then lets another planner plan */
    bool rewrites;          /* it changes the model (run->handed): from then on the run is about other operators and buffers. Decisions
                               before have no buffer */
    bool derives_lives;     /* its first step derives lifetimes, which the summary lists under "life" */
    const char *group_noun; /* what a group is: "size class"; NULL when it has none */
    const struct sw_parameter *parameters; /* ended by a NULL name; may be NULL */
    /* Are the settings, each legal by itself, legal together, and its TEXTs? If not it is said. NULL: they are. */
    bool (*legal)(const struct sw_params *, const struct sw_planner *, struct sw_error *);
    const void *context;    /* of planners made at run time: what they are made from; `run->planner` has it */

    /* With these parameters its layouts hold overlaps that are right only if every operator can write over
     * what it reads (sw_layout_check_assuming). NULL: never. */
    bool (*assumes)(const struct sw_params *, const struct sw_planner *);
    /* The problem as this planner sees it: another reference to the one given, or one derived from it
     * (problem/builder.h). The run, its layout and all that is shown are about that one. NULL: as given. The
     * parameters may be NULL: the defaults. */
    const struct sw_problem *(*derive)(const struct sw_problem *, const struct sw_params *, struct sw_error *);
    /* Make the state. run->layout is empty. */
    bool (*open)(struct sw_run *, void **state, struct sw_error *);
    /* One decision. On SW_STEP_MORE `decision` is filled but for step, peak and peak_before, which the
     * search reads from the layout. */
    enum sw_step (*step)(void *state, struct sw_run *, struct sw_decision *, struct sw_error *);
    /* Make a decision that was made before once more, from its entry in the journal alone: the same state and
     * layout as after `step`, but not `run->work`. For planners of which a decision places one block and all
     * else follows from how many were made. False: nothing has changed, `step` has to do it. NULL: always. */
    bool (*redo)(void *state, struct sw_run *run, const struct sw_decision *);
    /* A deep copy for the same problem and parameters. NULL: history replays from the start. */
    void *(*clone)(const void *state);
    /* Obey an override that has already passed the general test and stands in run->rules, or refuse
     * with a reason. NULL: nothing to do, since `step` reads the rules. */
    bool (*constrain)(void *state, struct sw_run *, const struct sw_override *, struct sw_error *);
    /* Figures of its own; NULL: none. False: no memory. */
    bool (*details)(const void *state, const struct sw_run *, struct sw_details *);
    /* What it keeps in mind as tables (state_tables.h), after the decision `last` (NULL: before the first); NULL: nothing.
     * Lack of memory is told there. */
    void (*state)(const void *state, const struct sw_run *, const struct sw_decision *last,
                  struct sw_state_tables *);
    /* What it claims of its result; NULL: nothing. `claims` comes zeroed, cost NaN. */
    void (*claims)(const void *state, const struct sw_run *, struct sw_claims *);
    /* A limit stops the run here: put the best layout known into run->layout. Only the layout may change, which may be one of
     * the problem in another order; the run itself goes on from what it was. NULL: the layout so far is the answer. False: no memory. */
    bool (*settle)(const void *state, struct sw_run *, struct sw_error *);
    uint64_t (*digest)(const void *state);
    size_t (*bytes)(const void *state);
    void (*close)(void *state); /* NULL is allowed as state */
};

/* A step that ends for lack of memory: says so in `error` (NULL is allowed), and FAILED. */
static inline enum sw_step sw_step_memory(struct sw_error *error) {
    sw_fail_memory(error);
    return SW_STEP_FAILED;
}

/* ---- the table ---- */

size_t sw_planner_count(void);          /* built in, then registered ones */
size_t sw_planner_built_in_count(void);
/* The names of the built-in ones that look at any of these (SW_READS_*), with commas between them. */
void sw_planners_that_read(unsigned reads, char *names, size_t size);
/* Add one that is made at run time, by a script. It must outlive everything; names are unique. */
bool sw_planner_register(const struct sw_planner *, struct sw_error *);
/* A newer version of a registered one, under the same name; runs of the old one go on with it. False: it was not
 * registered, or another planner has the new name. */
bool sw_planner_replace(const struct sw_planner *old, const struct sw_planner *fresh);
const struct sw_planner *sw_planner_get(size_t);
/* By name or a unique prefix. NULL with an error that lists what there is. */
const struct sw_planner *sw_planner_find(const char *name, struct sw_error *);
/* What it needs of a problem, in a few words for lists: "capacity, access times"; "-" when any will do. */
void sw_planner_needs(const struct sw_planner *, char *text, size_t size);
/* Does the problem have what the planner needs? If not, one sentence says what is missing. */
bool sw_planner_applies(const struct sw_planner *, const struct sw_problem *, struct sw_error *);
/* And can it give addresses to what another planner has put in order? If not, says why. */
bool sw_planner_follows(const struct sw_planner *, const struct sw_problem *, struct sw_error *);

/* The planner for a problem where none is named: `recorded` where the file tells a run, else `auto`. */
const char *sw_planner_usual(const struct sw_problem *);

/* Put a legal override into force: it joins the rules, and a block that is placed and now pinned moves there, with the
 * arenas of its tiers measured again. Choices leave both alone. False: no memory. O(buffers) for a block that moves. */
bool sw_override_obey(const struct sw_override *, struct sw_rules *, struct sw_layout *);

#ifdef __cplusplus
}
#endif

#endif
