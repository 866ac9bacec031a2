/* Between auto.c, which runs the members, and auto_lower.c, which lowers the winner's layout. */
#ifndef SW_PLANNERS_AUTO_INTERNAL_H
#define SW_PLANNERS_AUTO_INTERNAL_H

#include "planners/nested.h"

/* About a second of work: a neighbor takes some 25 ns to look at. */
#define SW_AUTO_WORK UINT64_C(40000000)
/* The first is the sweep, which only runs where there are many neighbors. */
enum { SWEEP_MEMBER, MEMBERS = 6, NO_MEMBER = MEMBERS };

/* How good a layout is; see the rules in auto.c. */
struct member_figure {
    bool known;
    uint64_t above; /* bytes above capacities */
    uint64_t tier_peak[SW_MAX_TIERS];
    uint64_t peak;
};

/* A demand made before the decision that follows `at` decisions of the run. */
struct member_demand {
    uint64_t at;
    struct sw_override override;
};
/* One run of one member: enough to do it again. */
struct take {
    uint32_t member; /* NO_MEMBER: none */
    struct sw_rules rules;
    SW_ARRAY(struct member_demand) demands;
    struct member_figure figure;
    uint64_t decisions;
    uint64_t work; /* what it cost */
};

/* What comes next. */
enum auto_phase { NEXT, RUN, MEASURE, REPEAT, IMPROVE, SEARCH, AUTO_FINISH, AUTO_OVER };
enum auto_stop { ALL_RAN, AUTO_AT_BOUND, BUDGET_SPENT };

struct portfolio {
    enum auto_phase phase;
    enum auto_stop stop;
    struct take now, best;
    bool to_run[MEMBERS];
    struct member_figure figures[MEMBERS]; /* the last of each, for explanations */
    struct sw_nested member;               /* the present one; no settings, the same seed */
    struct sw_layout *layout;              /* of `best`; NULL: none yet */
    /* IMPROVE and SEARCH. */
    struct sw_nested polish, exact; /* `improve` and branch-and-bound */
    struct sw_layout *aside;        /* the layout of the one that waits for its turn; NULL: none */
    uint64_t lower_begin;           /* run->work when lowering began */
    uint64_t turn_begin;            /* and when the turn did */
    uint64_t gained;                /* and when something was gained last */
    uint64_t least;                 /* what the lowest layout needs, as far as that is known */
    uint32_t turns;                 /* of `improve` that are over */
    bool takes_turns;               /* the problem is searched */
    bool improved;                  /* `improve` has lowered something */
    bool searched;                  /* the layout is that of the search */
    bool spent;                     /* the budget is spent */
    bool weary;                     /* or nothing was gained for so long that it ends */
    bool proven, infeasible;        /* by the search: nothing is lower; nothing fits */
    bool alone;                     /* no member runs: `improve` does everything */
    bool crowded;                   /* members are charged by measured work, not what they count */
    uint64_t neighbors;             /* of all blocks, there */
    uint64_t members_work;          /* what members but the sweep have been charged, there */
    bool unsearched;                /* it runs inside branch-and-bound, or others that do not want it */
    uint32_t group;                 /* of the present run; counts up */
    bool ran;                       /* a run has begun */
    bool failed;                    /* the present member found no layout */
    struct sw_error failure;
    uint64_t begin;        /* run->work when the portfolio began */
    uint64_t started;      /* and when the present run did */
    uint64_t longest;      /* the work of the longest run */
    struct sw_rules rules; /* REPEAT: those in force there */
    size_t demanded;       /* REPEAT: demands of `best` already made */
    bool changed;          /* REPEAT: by the user */
};

/* ---- auto.c ---- */

struct member_figure sw_auto_measure(const struct sw_layout *);
bool sw_auto_is_better(const struct member_figure *, const struct member_figure *);
/* Can nothing be better? With one tier, when the peak meets the lower bound. */
bool sw_auto_meets_bound(const struct sw_problem *, const struct member_figure *);
void sw_auto_tell(const struct portfolio *, const struct sw_run *, enum sw_decision_kind, const struct member_figure *,
                  const char *reason, struct sw_decision *);

/* ---- auto_lower.c ---- */

/* A copy of a layout takes the place of the one shown. */
bool sw_auto_show(struct sw_run *, const struct sw_layout *);
/* The winner's layout stands: is there anything left to gain, and to spend? Then begin to lower it: IMPROVE comes
 * next, or AUTO_FINISH. */
bool sw_auto_begin_lowering(struct portfolio *, struct sw_run *);
/* One decision of lowering, by the planner that has its turn. DONE: it is over, and sw_auto_conclude chooses the
 * answer. */
enum sw_step sw_auto_lower(struct portfolio *, struct sw_run *, struct sw_decision *);
bool sw_auto_conclude(struct portfolio *, struct sw_run *);
/* A demand while it goes on. */
bool sw_auto_obey_lowering(struct portfolio *, struct sw_run *, const struct sw_override *);
/* A limit while the two take turns: the better one of their layouts. */
bool sw_auto_settle_turns(const struct portfolio *, struct sw_run *);

#endif
