/* improve: lower a finished layout by taking out what stands too high and making room below.
 *
 * The idea. A greedy layout is too high only in a few places, and there it is seldom far from a
 * good one. So nothing is planned anew: the blocks that end above a target are taken out and put
 * back below it, and blocks that are pushed out on the way have to find another place in turn. A block
 * that had to push others out is itself harder to push out afterwards, so that the same blocks do not
 * take turns forever. (Known as guided ejection search: Nagata and Bräysy, 2009.)
 *
 * The rules:
 *
 * - It begins with the layout of greedy-by-size, or, inside `auto`, with the best one so far. Where
 *   looking at all neighbors would take too long, all blocks are placed in one sweep through time
 *   (sweep.c), or by best-fit, where that would be walking past too many free spaces.
 * - An *attempt* has a *target* below the present peak; repair.h tells how it goes. With success
 *   the layout is that of the attempt, and its peak the new one. An attempt without a gain, that is
 *   without fewer blocks left than ever before, for `patience` units of work is given up.
 * - Targets halve the distance between the present peak and the highest target that failed in this
 *   *round*; a round begins with the lower bound, which the first round takes for failed. When they
 *   are close, a new round begins, after one without a gain with twice the patience. How fast a
 *   grudge grows changes from attempt to attempt.
 * - Attempts of another kind begin *afresh*: all blocks are placed anew, in turn those of the
 *   busiest times first, and level by level, the large ones first (repair.h). Their target begins
 *   near the bound, and rises whenever the blocks left do not become fewer: what has a place keeps
 *   it. So one always comes to an end, unless the target meets the present peak. The first attempt is
 *   one, where the layout is far from the bound; then each round begins with one that follows a round
 *   without a gain. Their patience is four times as long after all kinds have had their turn.
 * - It ends at the lower bound, when the budget of work is spent, or, unless a budget was given,
 *   after `rounds` rounds without a gain.
 * - Several tiers: the lowest first, each for itself; no block changes its tier.
 *
 * Never worse than the layout it began with: what one sees is always the best layout so far, whole
 * and legal; the attempts go on behind it. Pins, reserved and forbidden ranges and alignments are
 * kept. Demands hold from the next attempt on, which begins at once.
 *
 * One decision is a slice of an attempt, some ten to a thousand insertions. A group is a round. The
 * state is the repair and a few numbers. */
#include "planners/nested.h"
#include "base/base.h"

#include "planners/portfolio/repair.h"
#include "planners/portfolio/sweep.h"

static const struct sw_parameter improve_parameters[] = {
    {"rounds", SW_PARAMETER_INTEGER, "6", 1, 1000, NULL,
     "Rounds without a gain after which it ends, unless a budget of work is given"},
    {0}};

/* About a second of work. */
#define DEFAULT_WORK UINT64_C(40000000)
/* A decision's share of it: less than a millisecond. */
#define SLICE UINT64_C(16384)
#define DECISION_WORK UINT64_C(64)
/* The patience of the first round, per block, as long as they are few; and of many. */
#define FIRST_PATIENCE UINT64_C(64)
#define MOST_FIRST_PATIENCE UINT64_C(400000)
#define PATIENCE_OF_MANY UINT64_C(4)
/* The patience of the first attempt afresh, per block. */
#define AFRESH_PATIENCE UINT64_C(256)
#define ENOUGH_PATIENCE UINT64_C(6000000)
/* A first layout further than this part of the bound above it is begun afresh at once, unless that
 * takes too long because of so many blocks. */
enum { FAR_BLOCKS = 256, MOST_FOR_AFRESH = 80000 };
/* Afresh: the first target is that part of the bound, or of the present peak's distance, above it;
 * it rises by that part of its distance, or of the bound, but by no more than a part of the peak's.
 */
enum { FIRST_AIM = 1024, FIRST_NEAR = 4, RISE = 4, LEAST_RISE = 2048, RISE_NEAR = 8 };

enum improve_phase { START, SWEEP, NEXT_TIER, NEXT_START, ATTEMPT, SEARCH_OVER };

struct improve {
    enum improve_phase phase;
    struct sw_nested first;   /* START: it makes the first layout */
    struct sw_repair *repair; /* NULL: to be made from the layout */
    uint32_t tier;            /* counts down */
    uint32_t round, stale, attempts, rounds;
    uint64_t begin;           /* run->work when it began */
    uint64_t failed;          /* the highest target that failed in this round */
    uint64_t patience, still; /* work without a gain: allowed, and so far */
    bool fresh;               /* the round has not tried the least yet */
    bool gained;              /* in this round */
    bool improved;            /* ever */
    bool afresh;              /* the next attempt begins afresh */
    bool whole;               /* the present attempt has begun afresh: it says nothing of its target */
    uint32_t afresh_count;    /* attempts that have */
    enum sw_repair_kind kind; /* the last of them */
};

#define STATE struct improve
static const struct sw_described improve_described = {
    SW_STRUCT, .salt = 12,
    .fields = SW_FIELDS(SW_TOLD(phase), SW_PART(first, &sw_nested_described), SW_OWNED(repair, &sw_repair_described),
                        SW_TOLD(tier), SW_TOLD(round), SW_TOLD(stale), SW_TOLD(attempts), SW_KEPT(rounds, begin),
                        SW_TOLD(failed), SW_TOLD(patience), SW_TOLD(still), SW_TOLD(fresh), SW_TOLD(gained),
                        SW_TOLD(improved), SW_TOLD(afresh), SW_TOLD(whole), SW_TOLD(afresh_count), SW_TOLD(kind))};
#undef STATE

static bool is_layout_complete(const struct sw_run *run) {
    return sw_layout_placed_count(run->layout) == sw_problem_planned_count(run->problem);
}

/* ---- the state as tables ---- */

static void improve_state(const void *state, const struct sw_run *run, const struct sw_decision *last,
                          struct sw_state_tables *tables) {
    static const char *const phases[] = {"the first layout", "the first layout", "the next tier",
                                         "the next attempt", "an attempt",       "over"};
    const struct improve *m = state;
    sw_nested_state(&m->first, run, last, tables);
    const struct sw_state_figure rows[] = {
        {"under way", sw_cell_word(phases[m->phase])},
        {"tier", m->repair ? sw_cell_tier(sw_repair_tier(m->repair)) : sw_cell_none()},
        {"round", sw_cell_count(m->round)},
        {"rounds without a gain", sw_cell_count(m->stale)},
        {"attempts", sw_cell_count(m->attempts)},
        {"of which begun afresh", sw_cell_count(m->afresh_count)},
        {"peak", m->repair ? sw_cell_bytes(sw_repair_peak(m->repair)) : sw_cell_none()},
        {"target of the attempt",
         m->repair && m->phase == ATTEMPT ? sw_cell_bytes(sw_repair_target(m->repair)) : sw_cell_none()},
        {"blocks in its pool",
         m->repair && m->phase == ATTEMPT ? sw_cell_count(sw_repair_pool(m->repair)) : sw_cell_none()},
        {"highest target that failed", m->failed ? sw_cell_bytes(m->failed) : sw_cell_none()},
        {"nothing can be lower than", m->repair ? sw_cell_bytes(sw_repair_least(m->repair)) : sw_cell_none()}};
    sw_state_figures(tables, "improve", SW_WORDS("figure", "value"), rows, sizeof rows / sizeof *rows, SW_NO_ROW);
}

static bool improve_open(void *state, struct sw_run *run) {
    struct improve *m = state;
    uint64_t neighbors;
    if (!sw_sweep_neighbors(run, &neighbors)) {
        return false;
    }
    m->begin = run->work;
    m->rounds = (uint32_t)sw_params_integer(run->params, &sw_improve, "rounds");
    m->tier = sw_problem_tier_count(run->problem) - 1;
    m->phase = is_layout_complete(run) && sw_problem_planned_count(run->problem) > 0 ? NEXT_TIER
               : neighbors > 0                                                       ? SWEEP
                                                                                     : START;
    return m->phase != START || sw_nested_open(&m->first, &sw_greedy_by_size, run);
}

/* ---- what comes next ---- */

static bool improve_is_spent(const struct improve *m, const struct sw_run *run) {
    return run->work - m->begin >= (run->params->work ? run->params->work : DEFAULT_WORK);
}

/* Nothing was gained for `rounds` rounds, and no budget of work was given that it should use up. */
static bool rounds_gain_nothing(const struct improve *m, const struct sw_run *run) {
    return run->params->work == 0 && m->stale >= m->rounds;
}

/* The next tier's turn. */
static void begin_next_tier(struct improve *m) {
    sw_described_close(&sw_repair_described, m->repair);
    m->repair = NULL;
    m->phase = NEXT_TIER;
    m->tier--;
}

static void begin_improve_round(struct improve *m) {
    m->stale = m->gained ? 0 : m->stale + 1;
    m->patience *= m->gained ? 1 : 2;
    m->round++;
    m->afresh = !m->gained;
    m->gained = false;
    m->fresh = true;
    m->failed = sw_repair_least(m->repair);
}

static bool begin_tier(struct improve *m, struct sw_run *run) {
    if (!m->repair) {
        m->repair = sw_repair_new(run, m->tier, run->params->seed + m->attempts);
        if (!m->repair) {
            return false;
        }
        uint64_t patience = (sw_repair_count(m->repair) + UINT64_C(16)) * FIRST_PATIENCE;
        uint64_t many = sw_repair_count(m->repair) * PATIENCE_OF_MANY;
        patience = SW_MIN(patience, MOST_FIRST_PATIENCE);
        m->patience = SW_MAX(patience, many);
        m->stale = 0;
        /* Some planners reserve more than their blocks reach. */
        sw_layout_set_arena(run->layout, m->tier, sw_repair_peak(m->repair));
        m->fresh = m->gained = m->afresh = false;
        m->afresh_count = 0;
        m->failed = sw_repair_least(m->repair);
        m->afresh = sw_repair_count(m->repair) <= MOST_FOR_AFRESH &&
                    sw_repair_peak(m->repair) - m->failed > m->failed / FAR_BLOCKS;
    }
    m->phase = NEXT_START;
    return true;
}

/* All ends are multiples of the grain. */
static uint64_t on_grain(const struct improve *m, uint64_t target) {
    uint64_t rounded = target - target % sw_repair_grain(m->repair);
    return rounded >= sw_repair_least(m->repair) ? rounded : target;
}

/* Near the bound, with luck. */
static bool begin_attempt_afresh(struct improve *m, struct sw_run *run) {
    uint64_t peak = sw_repair_peak(m->repair), least = sw_repair_least(m->repair);
    uint64_t above = (peak - least) / FIRST_NEAR;
    above = above < least / FIRST_AIM ? above : least / FIRST_AIM;
    m->kind = (enum sw_repair_kind)(m->afresh_count++ % SW_REPAIR_KINDS);
    m->afresh = false;
    m->whole = true;
    return sw_repair_begin_afresh(m->repair, run, on_grain(m, least + above), 4, m->kind) || sw_fail_memory(run->error);
}

/* A level does not get on: may the target rise, as the attempt began afresh? */
static bool may_rise(const struct improve *m, uint64_t *target) {
    uint64_t peak = sw_repair_peak(m->repair), least = sw_repair_least(m->repair);
    uint64_t now = sw_repair_target(m->repair);
    uint64_t part = (now - least) / RISE, usual = least / LEAST_RISE, near = (peak - least) / RISE_NEAR;
    usual = SW_MIN(usual, near);
    uint64_t rise = SW_MAX(part, usual), grain = sw_repair_grain(m->repair);
    *target = on_grain(m, now + (SW_MAX(rise, grain)));
    return m->whole && *target < peak;
}

/* Begin the next attempt, below the present peak. */
static bool begin_repair(struct improve *m, struct sw_run *run) {
    uint64_t peak = sw_repair_peak(m->repair), least = sw_repair_least(m->repair);
    uint64_t grain = sw_repair_grain(m->repair), close = (peak - least) / 16 + 1;
    m->phase = ATTEMPT;
    m->still = 0;
    if (!m->fresh && !m->afresh && peak - m->failed <= (SW_MAX(close, grain))) {
        begin_improve_round(m);
    }
    if (m->afresh) {
        return begin_attempt_afresh(m, run);
    }
    uint64_t target = m->fresh ? least : m->failed + (peak - m->failed) / 2;
    target = target - target % grain > m->failed ? target - target % grain : target;
    m->whole = false;
    m->fresh = false;
    sw_repair_begin(m->repair, run, target, 3 + m->attempts % 3);
    m->attempts++;
    return true;
}

/* ---- decisions ---- */

static void tell_improve(const struct improve *m, const struct sw_run *run, enum sw_decision_kind kind,
                         const char *reason, struct sw_decision *decision) {
    sw_decision_begin(decision, kind, m->round, reason);
    sw_decision_set(decision, SW_KEY_AMOUNT, sw_layout_peak(run->layout));
}

/* How a slice of an attempt came out. */
enum attempt_outcome { FOUND, STUCK, WEARY, RISEN, NEARER, STILL };

static void tell_slice(const struct improve *m, const struct sw_run *run, enum attempt_outcome outcome,
                       uint32_t inserted, uint32_t ejected, uint64_t before, struct sw_decision *decision) {
    static const char *const said[] = {[FOUND] = "every block has found a place below the target",
                                       [STUCK] = "given up, since a block fits nowhere below the target",
                                       [WEARY] = "given up, since the blocks left do not become fewer",
                                       [RISEN] = "the target rises, since the blocks left do not become fewer",
                                       [NEARER] = "fewer blocks are left than ever",
                                       [STILL] = "blocks push one another out"};
    struct sw_repair *r = m->repair;
    tell_improve(m, run, outcome == FOUND ? SW_DECISION_INCUMBENT : SW_DECISION_REPAIR, said[outcome], decision);
    decision->candidates = inserted;
    decision->tier = sw_repair_tier(r);
    struct sw_before_after best = {(double)before, (double)sw_repair_peak(r)};
    if (outcome == FOUND) {
        decision->incumbent.needed = sw_repair_peak(r);
        decision->incumbent.best = best;
        decision->incumbent.inserted = inserted;
        decision->incumbent.ejected = ejected;
        decision->incumbent.part = sw_repair_pool(r);
    } else {
        decision->repair.target = sw_repair_target(r);
        decision->repair.best = best;
        decision->repair.inserted = inserted;
        decision->repair.ejected = ejected;
        decision->repair.left = sw_repair_pool(r);
    }
}

/* Work without a gain that is allowed in the present attempt. */
static uint64_t attempts_allowed(const struct improve *m) {
    unsigned before = (m->afresh_count - m->whole) / SW_REPAIR_KINDS;
    uint64_t count = sw_repair_count(m->repair), first = count * AFRESH_PATIENCE;
    uint64_t all = count * count / 4; /* so that each could look at many neighbors */
    all = SW_MIN(all, ENOUGH_PATIENCE);
    first = SW_MAX(first, all);
    return m->whole ? first << 2 * (SW_MIN(before, 10)) : m->patience;
}

/* What follows from it. */
static void conclude(struct improve *m, enum attempt_outcome outcome, uint64_t target) {
    struct sw_repair *r = m->repair;
    if (outcome == FOUND) {
        m->gained = m->improved = true;
        /* The peak is below a target that failed from another layout, so that failure means nothing. */
        if (m->failed >= sw_repair_peak(r)) {
            m->failed = sw_repair_least(r);
        }
    } else if (outcome == RISEN) {
        m->still = 0;
        sw_repair_raise(r, target);
    } else if (outcome == STUCK || outcome == WEARY) {
        if (!m->whole) {
            m->failed = SW_MAX(sw_repair_target(r), m->failed);
        }
        sw_repair_abandon(r);
    }
    m->phase = outcome == FOUND || outcome == STUCK || outcome == WEARY ? NEXT_START : ATTEMPT;
}

/* One slice of an attempt. */
static enum sw_step go_on_attempt(struct improve *m, struct sw_run *run, struct sw_decision *decision) {
    struct sw_repair *r = m->repair;
    uint32_t inserted, ejected;
    bool progress;
    uint64_t before = run->work, peak = sw_repair_peak(r), target = 0;
    run->work += DECISION_WORK; /* even where there is next to nothing to do */
    enum sw_repaired result = sw_repair_go(r, run, SLICE, &inserted, &ejected, &progress);
    bool found = result == SW_REPAIR_DONE;
    if (result == SW_REPAIR_MEMORY || (found && !sw_repair_commit(r, run))) {
        return sw_step_memory(run);
    }
    m->still = progress ? 0 : m->still + run->work - before;
    bool stuck = result == SW_REPAIR_STUCK, weary = m->still >= attempts_allowed(m);
    enum attempt_outcome outcome = found                                      ? FOUND
                                   : (stuck || weary) && may_rise(m, &target) ? RISEN
                                   : stuck                                    ? STUCK
                                   : weary                                    ? WEARY
                                   : progress                                 ? NEARER
                                                                              : STILL;
    tell_slice(m, run, outcome, inserted, ejected, peak, decision);
    conclude(m, outcome, target);
    return SW_STEP_MORE;
}

static enum sw_step finish_improve(struct improve *m, const struct sw_run *run, struct sw_decision *decision) {
    bool least = m->repair && sw_repair_peak(m->repair) <= sw_repair_least(m->repair);
    bool bound =
        sw_problem_tier_count(run->problem) == 1 && sw_layout_peak(run->layout) <= sw_problem_lower_bound(run->problem);
    tell_improve(m, run, SW_DECISION_FINISH,
                 bound                   ? "the lower bound is met, so nothing can be better"
                 : least                 ? "what may not be moved leaves no room for less"
                 : run->params->work     ? "the budget of work is spent"
                 : m->stale >= m->rounds ? "the last rounds gained nothing"
                                         : "the budget of work is spent",
                 decision);
    m->phase = SEARCH_OVER;
    return SW_STEP_MORE;
}

static bool open_starting_planner(struct improve *m, const struct sw_planner *planner, struct sw_run *run) {
    bool open = sw_nested_open(&m->first, planner, run);
    m->phase = open ? START : m->phase;
    return open;
}

/* Make the first layout in one sweep. DONE: that would take too long, and best-fit begins instead. */
static enum sw_step sweep_first(struct improve *m, struct sw_run *run, struct sw_decision *decision) {
    bool done;
    if (!sw_sweep(run, &done)) {
        return SW_STEP_FAILED;
    }
    if (!done) { /* best-fit is quick, however many spaces there are */
        return open_starting_planner(m, &sw_best_fit, run) ? SW_STEP_DONE : SW_STEP_FAILED;
    }
    m->phase = NEXT_TIER;
    sw_sweep_tell(run, decision);
    decision->group = m->round;
    return SW_STEP_MORE;
}

/* The first layout, from another planner. */
static enum sw_step step_first(struct improve *m, struct sw_run *run, struct sw_decision *decision) {
    enum sw_step result = sw_nested_step(&m->first, run, decision);
    if (result == SW_STEP_DONE) {
        sw_nested_close(&m->first);
        m->phase = NEXT_TIER;
    }
    decision->group = 0;
    return result;
}

static enum sw_step improve_step(void *state, struct sw_run *run, struct sw_decision *decision) {
    struct improve *m = state;
    enum sw_step result = SW_STEP_DONE;
    if (m->phase == SWEEP) {
        result = run->choice >= 0 ? sw_place_no_candidate(run, 0) : sweep_first(m, run, decision);
    }
    if (m->phase == START && result == SW_STEP_DONE) {
        result = step_first(m, run, decision);
    }
    if (m->phase == SEARCH_OVER || result != SW_STEP_DONE) {
        return result;
    }
    if (run->choice >= 0) {
        return sw_place_no_candidate(run, 0);
    }
    for (;;) {
        if (m->phase == NEXT_TIER && !begin_tier(m, run)) {
            return SW_STEP_FAILED;
        }
        bool met = sw_repair_peak(m->repair) <= sw_repair_least(m->repair);
        bool over = met || rounds_gain_nothing(m, run);
        if (improve_is_spent(m, run) || (over && m->tier == 0)) {
            return finish_improve(m, run, decision);
        }
        if (over) {
            begin_next_tier(m);
            continue;
        }
        if (m->phase == NEXT_START && !begin_repair(m, run)) {
            return SW_STEP_FAILED;
        }
        return go_on_attempt(m, run, decision);
    }
}

/* Blocks may have moved, and others may lie where they may not stay: look at the layout again. */
static bool improve_constrain(void *state, struct sw_run *run, const struct sw_override *override) {
    struct improve *m = state;
    if (override->kind != SW_OVERRIDE_CHOOSE && m->phase == SWEEP) {
        /* What is demanded is more than a sweep can obey. */
        return open_starting_planner(m, &sw_greedy_by_size, run);
    }
    if (override->kind != SW_OVERRIDE_CHOOSE && m->phase != START) {
        sw_described_close(&sw_repair_described, m->repair);
        m->repair = NULL;
        m->phase = NEXT_TIER;
        m->stale = 0;
    }
    return true;
}

static void improve_because(const void *state, const struct sw_run *run, const struct sw_decision *last, char *text,
                            size_t size) {
    const struct improve *m = state;
    (void)run, (void)last;
    if (!m->repair) {
        snprintf(text, size, "it is part of the first layout, from which the attempts start");
    } else if (m->attempts + m->afresh_count == 0) {
        snprintf(text, size, "no attempt was made: it started with %s, and nothing can be lower than %s",
                 SW_BYTES(sw_repair_peak(m->repair)), SW_BYTES(sw_repair_least(m->repair)));
    } else {
        snprintf(text, size,
                 "it is round %" PRIu32 ", after %s and %" PRIu32
                 " begun afresh; the best layout needs %s, and nothing can be lower than %s",
                 m->round, SW_COUNTED(m->attempts, "attempt"), m->afresh_count, SW_BYTES(sw_repair_peak(m->repair)),
                 SW_BYTES(sw_repair_least(m->repair)));
    }
}

static const struct sw_planner *improve_acting(const void *state) {
    const struct improve *m = state;
    return m->phase == START ? m->first.planner : NULL;
}

const struct sw_planner sw_improve = {
    .name = "improve",
    .summary = "Greedy-by-size, then what stands too high is put back lower, pushing others out",
    .seeded = true,
    .budgets = true,
    .goes_on = true,
    .group_noun = "round",
    .parameters = improve_parameters,
    .open = improve_open,
    .step = improve_step,
    .described = &improve_described,
    .constrain = improve_constrain,
    .state = improve_state,
    .because = improve_because,
    .acting = improve_acting,
};
