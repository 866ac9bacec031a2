/* What a planner is: one table of functions.
 *
 * A planner makes one decision per call of `step`, on a layout that the search owns, and keeps the rest
 * of its state to itself. It is deterministic for (problem, parameters, seed, overrides), never prints,
 * reads no clock, never recurses on the size of the problem, and can be stopped between any two
 * decisions. The same code runs with explanation on and off: where `run->explain` is not NULL, `step`
 * reports every candidate it looks at.
 *
 * To add a planner: one file in engine/planners/ that defines a `const struct sw_planner`, and one line
 * in planners.def. */
#ifndef SW_PLANNERS_PLANNER_H
#define SW_PLANNERS_PLANNER_H

#include "layout/free/gaps.h"
#include "planners/breeding.h"
#include "planners/messages.h"
#include "planners/params.h"
#include "planners/planner_table.h"
#include "planners/tables/state_tables.h"
#include "search/decision.h"

SW_C_BEGIN

struct sw_described; /* base/described.h */
struct sw_shelf;

/* ---- a run: what the search lends to a planner ---- */

struct sw_run {
    const struct sw_problem *problem;
    const struct sw_planner *planner;
    const struct sw_params *params;
    struct sw_layout *layout;       /* the planner places blocks here */
    struct sw_rules rules;          /* pins and forbidden ranges in force */
    struct sw_gaps gaps;            /* scratch */
    struct sw_shelf *shelf;         /* scratch of planners that place in program order; NULL: they do without */
    struct sw_explanation *explain; /* NULL unless this step is to be explained */
    int64_t choice;                 /* candidate the user chose for this decision, or -1 */
    uint64_t work;                  /* total so far; planners add what they looked at */
    struct sw_no_room no_room;      /* for a step that fails; cleared before each */
    struct sw_error *error;         /* where a hook that fails says why; NULL: no answer is wanted */
    /* Set by a step that chooses the order of the operators: the same model in that order, a reference that the search
     * takes. The run goes on with it, on an empty layout of it. The step itself has placed nothing. Of a planner that
     * `rewrites` it is another model, with other buffers. */
    const struct sw_problem *handed;
};

/* What a planner needs of a problem. */
enum {
    SW_NEEDS_OPERATORS = 1,
    SW_NEEDS_PLAN = 2,         /* an offset for every buffer */
    SW_NEEDS_TIERS = 4,        /* at least one tier with a bandwidth */
    SW_NEEDS_CAPACITY = 8,     /* tier 0 is bounded */
    SW_NEEDS_ACCESSES = 16,    /* it is known when buffers are read and written */
    SW_NEEDS_FIXED_TIERS = 32, /* no buffer may choose among several tiers */
    SW_NEEDS_RECORDING = 64,   /* the file tells what a planner decided */
    SW_NEEDS_WINDOWS = 256,    /* an operator of which it is known what rows it reads */
    SW_NEEDS_ONE_MEMORY = 128  /* one tier without reserved ranges, one core, no pins, no pairs kept apart */
};
/* Which inputs of a run a planner reads. Options that none of the planners reads are refused. */
enum {
    SW_READS_COST = 1,     /* params.cost decides what it does, maybe only with some parameters */
    SW_READS_ACTIONS = 2,  /* params.actions */
    SW_READS_BREEDING = 4, /* params.breeding */
    SW_READS_POLICY = 8    /* params.policy */
};
/* Why a block has its turn before another one that has no place yet, as a clause: "it is larger (4,096 B; t3 has
 * 1,024 B)". False: by the planner's rule it has not. */
typedef bool sw_turn_fn(const struct sw_problem *, uint32_t taken, uint32_t other, char *text, size_t size);
typedef void sw_because_fn(const void *state, const struct sw_run *, const struct sw_decision *, char *text,
                           size_t size); /* the text is "" before */
enum { SW_BECAUSE = 400 };               /* has room for any */
struct sw_planner {
    const char *name;
    const char *summary; /* one sentence, for lists */
    unsigned needs;      /* SW_NEEDS_... */
    unsigned reads;      /* SW_READS_... */
    bool seeded;         /* randomized: another seed may give another layout */
    bool budgets;        /* it spends params.work itself and says so; for others that is a limit of the run */
    bool goes_on;        /* with SW_WORK_UNBOUNDED it, or what stands in for it, improves until it is stopped */
    bool decides;        /* a run that ends by itself has the answer, whatever the seed */
    bool one_layout;     /* its decisions build one layout, block by block: it never measures several, nor
                            keeps a better one than the run's */
    bool reserves; /* an allocator: its arena is what it reserves, which may be more than its blocks reach, and its
                      blocks may lie beyond it */
    bool reorders; /* it chooses the order of the operators (run->handed), and then lets another planner plan */
    bool rewrites; /* it changes the model (run->handed): from then on the run is about other operators and buffers.
                      Decisions before have no buffer */
    bool derives_lives;     /* its first step derives lifetimes, which the summary lists under "life" */
    const char *group_noun; /* what a group is: "size class"; NULL when it has none */
    /* What its publication calls an action of a decision ({"cross-tier move", "A3"}), ended by NULL; may be NULL. */
    const char *const (*action_marks)[2];
    const struct sw_parameter *parameters; /* ended by a NULL name; may be NULL */
    const char *tells; /* its BOOL parameter with which steps that change no plan are decisions, too: the level of
                          events; NULL */
    const struct sw_plain_choice *plain; /* what choices=plain sets, where there is that parameter; may be NULL */
    /* Are the settings, each legal by itself, legal together, and its TEXTs? If not it is said. NULL: they are. */
    bool (*legal)(const struct sw_params *, const struct sw_planner *, struct sw_error *);
    const void *context; /* of planners made at run time: what they are made from; `run->planner` has it */

    /* With these parameters its layouts hold overlaps that are right only if every operator can write over
     * what it reads (sw_layout_check_assuming). NULL: never. */
    bool (*assumes)(const struct sw_params *, const struct sw_planner *);
    /* The problem as this planner sees it: another reference to the one given, or one derived from it
     * (problem/builder.h). The run, its layout and all that is shown are about that one. NULL: as given. The
     * parameters may be NULL: the defaults. */
    const struct sw_problem *(*derive)(const struct sw_problem *, const struct sw_params *, struct sw_error *);
    /* Its state: how it is copied, for the same problem and parameters, its digest, its size and its end. `once`:
     * history replays from the start. */
    const struct sw_described *described;
    /* Fill in the state, which comes zeroed; run->layout is empty. False: the caller ends the state. NULL: zeroed it is
     * right. */
    bool (*open)(void *state, struct sw_run *);
    /* One decision. On SW_STEP_MORE `decision` is filled but for step, peak and peak_before, which the
     * search reads from the layout. */
    enum sw_step (*step)(void *state, struct sw_run *, struct sw_decision *);
    /* Make a decision that was made before once more, from its entry in the journal alone: the same state and
     * layout as after `step`, but not `run->work`. For planners of which a decision places one block and all
     * else follows from how many were made. False: nothing has changed, `step` has to do it. NULL: always. */
    bool (*redo)(void *state, struct sw_run *run, const struct sw_decision *);
    /* Whose turn it is: of planners that take blocks in an order known before the first decision. NULL: no such order
     * is known. */
    sw_turn_fn *turn;
    /* What led to the decision that it made last, in the terms of its method, as a clause: "candidate 2 of 5 at depth
     * 4". Each figure is one of the decision, of its candidates, or of the tables of the state after it. "": there is
     * no more to say than its reason. NULL: there never is. */
    sw_because_fn *because;
    /* The planner inside it that made the last decision; NULL: it decides itself, as all do that have no such hook. */
    const struct sw_planner *(*acting)(const void *state);
    /* Obey an override that has already passed the general test and stands in run->rules, or refuse
     * with a reason. NULL: nothing to do, since `step` reads the rules. */
    bool (*constrain)(void *state, struct sw_run *, const struct sw_override *);
    /* Figures of its own; NULL: none. False: no memory. */
    bool (*details)(const void *state, const struct sw_run *, struct sw_details *);
    /* What it keeps in mind as tables (tables/state_tables.h), after the decision `last` (NULL: before the first);
     * NULL: nothing. Lack of memory is told there. */
    void (*state)(const void *state, const struct sw_run *, const struct sw_decision *last, struct sw_state_tables *);
    /* What it claims of its result; NULL: nothing. `claims` comes zeroed, cost NaN. */
    void (*claims)(const void *state, const struct sw_run *, struct sw_claims *);
    /* A limit stops the run here: put the best layout known into run->layout. Only the layout may change, which may be
     * one of the problem in another order; the run itself goes on from what it was. NULL: the layout so far is the
     * answer. False: no memory. */
    bool (*settle)(const void *state, struct sw_run *);
    /* Put the layout that a member of its population stands for into run->layout, for people to look at, if it `has`
     * one, which comes false. False: no memory. NULL: there is no population. */
    bool (*member)(const void *state, struct sw_run *, uint32_t member, bool *has);
};

/* A step that ends for lack of memory: says so, and FAILED. */
static inline enum sw_step sw_step_memory(const struct sw_run *run) {
    sw_fail_memory(run->error);
    return SW_STEP_FAILED;
}

/* Make and open a state, which sw_described_close ends. False: *state is NULL. */
bool sw_planner_open(const struct sw_planner *, struct sw_run *, void **state);

/* Put a legal override into force: it joins the rules, and a block that is placed and now pinned moves there, with the
 * arenas of its tiers measured again. Choices leave both alone. False: no memory. O(buffers) for a block that moves. */
bool sw_override_obey(const struct sw_override *, struct sw_rules *, struct sw_layout *);

SW_C_END

#endif
