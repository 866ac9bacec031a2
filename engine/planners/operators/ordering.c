/* order, order-greedy, order-lpmf, order-beam, order-exact: planners that choose the order of the operators, and then
 * let another planner give the buffers their addresses.
 *
 * The idea. The peak depends on the order in which operators run, and no planner of offsets can undo a bad one. So the
 * run begins with the order: which of the operators that may run next is taken, again and again. The rules:
 *
 * - order-greedy takes the operator that leaves least alive, of equal ones that which needs least while it runs.
 *   From the end it goes backward: it takes the operator that may run last by what is alive before it.
 * - order-lpmf is the rule of PyTorch Inductor, "least peak memory first": an operator that stays within the peak so
 *   far, by the greedy rule; where none does, the one that raises the peak least.
 * - order-beam keeps, after each operator, the `width` best ways to have come so far.
 * - order-exact asks whether an order within a threshold exists, depth first over sets of operators, and at every
 *   moment has an order and a bound that is proved. engine/order/order_search.h tells the method, and why it may
 *   leave out what it leaves out.
 * - order runs a beam from the end and then the exact search, within a budget.
 *
 * Of equals the operator that the file lists first is taken. The first three make the order of their rule, be it worse
 * than the file's, unless `accept` is `better`. order-exact and order accept an order only where the planned peak
 * falls: they plan the best one unseen, then an order of the same peak that is nearer to the file's, and the file's
 * own, and stop at the first with a layout that needs no more than what is alive.
 *
 * The planner of offsets, `then`, runs several times: for each order that is planned unseen, and for the one that is
 * taken. Where the user gives no budget of work, `auto` ends when so much of it on end has gained nothing: mostly it
 * meets the bound of an order at once, and where it does not, its own budget would be spent four times over.
 *
 * `ready` says which operators may run next, and which one was taken; choosing another candidate makes that one run
 * next. `hand-over` ends the first part: from there on the run is about the model in its new order, and its decisions
 * are those of the planner `then`.
 *
 * With `before` and `together` the user asks more of the order; order_wishes.h tells why all rules still hold. A bound
 * is then one of the orders that have what was asked for.
 *
 * Counted is what is alive, by the rules of engine/order/order_graph.h. */
#include "planners/operators/ordering.h"
#include "base/base.h"

#include "problem/change/whole_order.h"

/* ---- the ground ---- */

static void ordering_ground_unref(struct ordering_ground *ground) {
    if (ground && --ground->owners == 0) {
        SW_FREE(ground->base.list, ground->graph ? ground->graph->operator_count : 0);
        sw_order_graph_free(ground->graph);
        sw_order_graph_free(ground->reversed);
        sw_problem_unref(ground->problem);
        SW_FREE(ground, 1);
    }
}

/* The order that takes the first of the file that may run: the file's own where nothing else was asked for. */
static bool find_base(struct ordering_ground *ground) {
    struct sw_order_state state;
    uint32_t count = ground->graph->operator_count;
    ground->base.list = SW_NEW(uint32_t, count);
    if (!ground->base.list || !sw_order_state_init(&state, ground->graph)) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t op = state.ready[0];
        for (uint32_t k = 1; k < state.ready_count; k++) {
            op = state.ready[k] < op ? state.ready[k] : op;
        }
        sw_order_state_run(&state, op);
        ground->base.list[i] = op;
    }
    sw_order_state_done(&state);
    return sw_order_peak(ground->graph, ground->base.list, &ground->base.peak, NULL);
}

/* Of the graph before anything was asked for. */
static bool find_file_peak(struct ordering_ground *ground) {
    uint32_t count = ground->graph->operator_count, *order = SW_NEW(uint32_t, count);
    for (uint32_t op = 0; order && op < count; op++) {
        uint64_t own = ground->graph->always + sw_order_graph_own(ground->graph, op);
        ground->least = own > ground->least ? own : ground->least;
        order[op] = op;
    }
    bool ok = order && sw_order_peak(ground->graph, order, &ground->file_peak, NULL);
    SW_FREE(order, order ? count : 0);
    return ok;
}

static bool ground_make(struct ordering_ground *ground, const struct sw_run *run) {
    struct sw_order_wishes wishes = {0};
    ground->graph = sw_order_graph_new(run->problem, run->error);
    if (!ground->graph) {
        return false;
    }
    if (!find_file_peak(ground)) {
        return sw_fail_memory(run->error);
    }
    bool ok =
        ordering_read_wishes(run, &wishes) && sw_order_graph_wish(ground->graph, run->problem, &wishes, run->error);
    sw_order_wishes_done(&wishes);
    if (!ok) {
        return false;
    }
    ground->reversed = sw_order_graph_reversed(ground->graph);
    return (ground->reversed && find_base(ground)) || sw_fail_memory(run->error);
}

static struct ordering_ground *ordering_ground_new(const struct sw_run *run) {
    struct ordering_ground *ground = SW_NEW_ZERO(struct ordering_ground, 1);
    if (!ground) {
        sw_fail_memory(run->error);
        return NULL;
    }
    ground->owners = 1;
    ground->problem = sw_problem_ref(run->problem);
    if (!ground_make(ground, run)) {
        ordering_ground_unref(ground);
        return NULL;
    }
    return ground;
}

const char *ordering_name(const struct ordering *o, uint32_t op) {
    return sw_problem_operator(o->ground->problem, op)->name;
}

const char *ordering_least(const struct ordering *o) {
    return o->ground->graph->wished ? "no order with what was asked for needs less" : "no order needs less";
}

/* ---- orders ---- */

bool ordering_copy(struct ordering_order *to, const struct ordering_order *from, uint32_t count) {
    to->peak = from->peak;
    to->list = from->list ? sw_mem_copy(from->list, count, sizeof *to->list) : NULL;
    return to->list || !from->list;
}

bool ordering_offer(struct ordering *o, uint32_t *list, uint64_t peak, uint64_t *before) {
    bool better = !o->best.list || peak < o->best.peak;
    *before = o->best.list ? o->best.peak : 0;
    if (better) {
        SW_FREE(o->best.list, ordering_operators(o));
        o->best = (struct ordering_order){list, peak};
    } else {
        SW_FREE(list, ordering_operators(o));
    }
    return better;
}

/* ---- the state of a run ---- */

SW_OWNERS(ordering_ground, struct ordering_ground, ordering_ground_unref)
SW_HOW_MANY(operators_ordered, struct ordering, o->ground->graph->operator_count)
SW_POINTED(beam, struct sw_order_beam, sw_order_beam_free, sw_order_beam_clone, sw_order_beam_digest,
           sw_order_beam_bytes)
SW_POINTED(search, struct sw_order_search, sw_order_search_free, sw_order_search_clone, sw_order_search_digest,
           sw_order_search_bytes)

static bool walk_copy(void *of, const void *from) {
    struct sw_order_state *walk = of;
    *walk = (struct sw_order_state){0};
    if (((const struct sw_order_state *)from)->block) {
        if (!sw_order_state_init(walk, ((const struct sw_order_state *)from)->graph)) {
            return false;
        }
        sw_order_state_copy(walk, from);
    }
    return true;
}

static void walk_done(void *walk) {
    sw_order_state_done(walk);
}

static uint64_t walk_digest(const void *of) {
    const struct sw_order_state *walk = of;
    return walk->block ? sw_fold(walk->print.a, walk->done) : 0;
}

static size_t walk_bytes(const void *of) {
    return sizeof(struct sw_order_state) + ((const struct sw_order_state *)of)->block_size;
}

static const struct sw_described walk_described = {.size = sizeof(struct sw_order_state),
                                                   .copy = walk_copy,
                                                   .done = walk_done,
                                                   .digest = walk_digest,
                                                   .bytes = walk_bytes};
#define STATE struct ordering
static const struct sw_described ordering_described = {
    SW_STRUCT, .salt = 11,
    .fields = SW_FIELDS(
        SW_POINTER(ground, &ordering_ground_pointed), SW_KEPT(then, stages), SW_TOLD(stage), SW_TOLD(phase),
        SW_KEPT(begin, begin), SW_ITEMS(best.list, operators_ordered, .told = true), SW_TOLD(best.peak), SW_TOLD(bound),
        SW_KEPT(proof_told, proof_told), SW_TOLD(running), SW_PART(walk, &walk_described), SW_TOLD(walk_peak),
        SW_TOLD(chosen), SW_KEPT(chosen_by_user, chosen_by_user), SW_POINTER(beam, &beam_pointed),
        SW_POINTER(search, &search_pointed), SW_TOLD(search_over), SW_ITEMS(trials[0].list, operators_ordered),
        SW_KEPT(trials[0].peak, trials[0].peak), SW_ITEMS(trials[1].list, operators_ordered),
        SW_KEPT(trials[1].peak, trials[1].peak), SW_ITEMS(trials[2].list, operators_ordered),
        SW_KEPT(trials[2].peak, trials[2].peak), SW_TOLD(trial_count), SW_TOLD(trial), SW_TOLD(winner),
        SW_TOLD_EACH(planned), SW_PART(unseen, &sw_nested_described), SW_POINTER(layout, &sw_layout_pointed),
        SW_KEPT(handed, handed), SW_PART(planner, &sw_nested_described))};
#undef STATE

static bool find_then(struct ordering *o, const struct sw_run *run) {
    o->then = sw_planner_find(sw_params_text(run->params, run->planner, "then"), run->error);
    return o->then && sw_planner_follows(o->then, run->problem, run->error);
}

/* The planners of this folder differ in their stages alone. */
static struct ordering_stages stages_of(const struct sw_run *);

static bool ordering_open(void *state, struct sw_run *run) {
    struct ordering *o = state;
    if (!sw_problem_has_orders(run->problem, run->error)) {
        return false;
    }
    o->chosen = SW_NONE;
    o->begin = run->work;
    o->better_only = strcmp(sw_params_text(run->params, run->planner, "accept"), "better") == 0;
    o->stages = stages_of(run);
    o->ground = ordering_ground_new(run);
    o->bound = o->ground ? o->ground->least : 0;
    return o->ground && find_then(o, run);
}

/* ---- handing over ---- */

/* How many operators stand elsewhere: all but a longest run of those that kept their order would be
 * the least, but what one sees is which of them have another number. */
static uint64_t count_moved(const uint32_t *order, uint32_t count) {
    uint64_t elsewhere = 0;
    for (uint32_t i = 0; i < count; i++) {
        elsewhere += order[i] != i;
    }
    return elsewhere;
}

struct sw_problem *ordering_problem(const struct ordering *o, const uint32_t *order, struct sw_error *error) {
    return count_moved(order, ordering_operators(o)) > 0 ? sw_problem_in_order(o->ground->problem, order, error)
                                                         : sw_problem_ref(o->ground->problem);
}

static const struct ordering_order *best_answer(const struct ordering *o) {
    return o->trial_count > 0 ? &o->trials[o->winner] : &o->best;
}

static enum sw_step hand_over_order(struct ordering *o, struct sw_run *run, struct sw_decision *decision) {
    const struct ordering_order *order = best_answer(o);
    if (run->choice >= 0) {
        return sw_place_no_candidate(run, 0);
    }
    uint64_t elsewhere = count_moved(order->list, ordering_operators(o));
    struct sw_problem *ordered = ordering_problem(o, order->list, run->error);
    if (!ordered) {
        return SW_STEP_FAILED;
    }
    run->handed = ordered;
    run->work += ordering_operators(o);
    sw_decision_become(decision, SW_DECISION_HAND_OVER);
    decision->group = o->stage;
    decision->hand_over.planner = o->then->name;
    decision->hand_over.needed = order->peak;
    decision->hand_over.before = o->ground->file_peak;
    decision->hand_over.moved = elsewhere;
    decision->reason = order->peak <= o->bound ? ordering_least(o)
                       : o->trial_count > 0    ? elsewhere == 0 ? "no other order that was found plans better"
                                                                : "of the orders that were found it plans best"
                       : order->peak <= o->ground->file_peak ? "the best order that was found"
                                                             : "the best order that its rules found";
    o->phase = ORDERING_PLANS;
    o->handed = true;
    return SW_STEP_MORE;
}

/* In units of work; about a quarter of a second. */
#define PATIENCE UINT64_C(30000000)

struct sw_params ordering_then_params(const struct sw_run *run) {
    return (struct sw_params){.seed = run->params->seed,
                              .cost = run->params->cost,
                              .work = run->params->work,
                              .patience = run->params->work == 0 ? PATIENCE : 0};
}

static enum sw_step plan_offsets(struct ordering *o, struct sw_run *run, struct sw_decision *decision) {
    if (!o->planner.planner) {
        o->planner.params = ordering_then_params(run);
        if (!sw_nested_open(&o->planner, o->then, run)) {
            return SW_STEP_FAILED;
        }
    }
    enum sw_step result = sw_nested_step(&o->planner, run, decision);
    decision->group += o->stage + 1;
    return result;
}

static enum sw_step ordering_step(void *state, struct sw_run *run, struct sw_decision *decision) {
    struct ordering *o = state;
    enum sw_step result;
    if (o->phase <= ORDERING_STAGE) {
        result = ordering_stage_step(o, run, decision);
        if (result != SW_STEP_DONE) {
            return result;
        }
        ordering_stage_close(o);
        o->phase = o->better_only ? ORDERING_TRIAL : ORDERING_READY;
    }
    if (o->phase == ORDERING_TRIAL) {
        result = ordering_trial_step(o, run, decision);
        if (result != SW_STEP_DONE) {
            return result;
        }
        o->phase = ORDERING_READY;
    }
    return o->phase == ORDERING_READY ? hand_over_order(o, run, decision) : plan_offsets(o, run, decision);
}

/* ---- demands ---- */

static bool ordering_constrain(void *state, struct sw_run *run, const struct sw_override *override) {
    struct ordering *o = state;
    if (o->phase == ORDERING_PLANS) {
        return sw_nested_constrain(&o->planner, run, override);
    }
    if (override->kind != SW_OVERRIDE_CHOOSE) {
        ordering_trial_close(o); /* what was planned unseen was planned without it */
        o->phase = o->phase == ORDERING_READY ? ORDERING_TRIAL : o->phase;
    }
    return true; /* the planner that comes later obeys; a choice is judged by the next step */
}

/* ---- what it says of itself ---- */

static bool tell_found_order(const struct ordering *o, const struct ordering_order *order, struct sw_details *details) {
    for (uint32_t i = 0; i < ordering_operators(o); i++) {
        if (!sw_detail_word(details, "order", ordering_name(o, order->list[i]))) {
            return false;
        }
    }
    return true;
}

static bool ordering_details(const void *state, const struct sw_run *run, struct sw_details *details) {
    const struct ordering *o = state;
    const struct ordering_order *order = best_answer(o);
    if (!order->list) {
        return true;
    }
    bool proved = order->peak <= o->bound;
    if (!sw_detail_integer(details, "live_peak", (int64_t)order->peak) ||
        !sw_detail_integer(details, "live_peak_before", (int64_t)o->ground->file_peak) ||
        !sw_detail_integer(details, "order_bound", (int64_t)o->bound) ||
        !sw_detail_truth(details, "order_proved", proved) || !tell_found_order(o, order, details)) {
        return false;
    }
    if (!o->planner.planner || !o->then->details) {
        return true;
    }
    struct sw_run inner = sw_nested_lend(&o->planner, run);
    return o->then->details(o->planner.state, &inner, details);
}

/* What the other planner proves holds for one order. */
static void ordering_claims(const void *state, const struct sw_run *run, struct sw_claims *claims) {
    const struct ordering *o = state;
    claims->over_orders = true;
    claims->ordering = o->phase != ORDERING_PLANS;
    claims->order_asked = o->ground->graph->wished;
    claims->order_peak = best_answer(o)->list ? best_answer(o)->peak : 0;
    claims->order_before = o->ground->file_peak;
    claims->order_bound = o->bound;
    if (!o->planner.planner) {
        return;
    }
    if (o->then->claims) {
        struct sw_run inner = sw_nested_lend(&o->planner, run);
        o->then->claims(o->planner.state, &inner, claims);
    }
    struct sw_metrics metrics;
    sw_metrics_of(run->layout, &metrics);
    claims->infeasible = false;
    claims->optimal = metrics.complete && metrics.single_tier && metrics.peak <= o->bound;
}

/* A limit stops the run. Before the order is handed over no layout is there: one is made of the best order, and, where
 * that is to be better, of the file's. Afterwards the other planner has one. */
static bool ordering_settle(const void *state, struct sw_run *run) {
    const struct ordering *o = state;
    return o->handed ? sw_nested_settle(&o->planner, run) : ordering_plan_now(o, run);
}

static bool ordering_legal(const struct sw_params *params, const struct sw_planner *planner, struct sw_error *error) {
    const struct sw_planner *then = sw_planner_find(sw_params_text(params, planner, "then"), error);
    return then &&
           (!then->reorders ||
            sw_fail(error, SW_ERROR_USAGE, "%s chooses an order itself: `then` is a planner of offsets", then->name));
}

/* ---- the planners ---- */

/* The width of the beam that `order` begins with, and the most operators for which it does: a beam copies whole sets.
 */
enum { BEAM_OF_ORDER = 30, MOST_FOR_BEAM = 2000 };

/* clang-format off */
#define THEN                                                                                                           \
    {"then", SW_PARAMETER_PLANNER, "auto", 0, 0, NULL,                                                                 \
     "the planner that gives the buffers their addresses once the operators are in order"}
#define ACCEPT(fallback)                                                                                               \
    {"accept", SW_PARAMETER_CHOICE, fallback, 0, 0, SW_WORDS("better", "always"),                                      \
     "take the order only where it plans better than the file's, or always"}
/* What is asked of the order besides. */
#define WISHES                                                                                                         \
    {"before", SW_PARAMETER_TEXT, "", 0, 0, SW_WORDS("A<B;C<D"), "operators that run one before the other"},           \
    {"together", SW_PARAMETER_TEXT, "", 0, 0, SW_WORDS("A,B,C;D,E"),                                                   \
     "groups of operators between which no other runs"}
#define FROM(fallback)                                                                                                 \
    {"from", SW_PARAMETER_CHOICE, fallback, 0, 0, SW_WORDS("start", "end", "both"),                                    \
     "make the order from its start, from its end, or both and keep the better"}
/* clang-format on */

static const struct sw_parameter rule_parameters[] = {FROM("both"), ACCEPT("always"), THEN, WISHES, {.name = NULL}};
static const struct sw_parameter lpmf_parameters[] = {FROM("start"), ACCEPT("always"), THEN, WISHES, {.name = NULL}};
static const struct sw_parameter beam_parameters[] = {
    {"width", SW_PARAMETER_INTEGER, "100", 1, 100000, NULL,
     "how many ways to have come so far are kept; from some 3,000 operators on the default is less"},
    FROM("both"),
    ACCEPT("always"),
    THEN,
    WISHES,
    {.name = NULL}};
static const struct sw_parameter exact_parameters[] = {ACCEPT("better"), THEN, WISHES, {.name = NULL}};
static const struct sw_parameter order_parameters[] = {ACCEPT("better"), THEN, WISHES, {.name = NULL}};

const struct sw_planner sw_order_greedy_planner = ORDERING_PLANNER(
    "order-greedy", "Orders operators: next runs the one that leaves least alive; then plans", rule_parameters);
const struct sw_planner sw_order_lpmf_planner = ORDERING_PLANNER(
    "order-lpmf", "Orders operators by Inductor's rule, least peak memory first; then plans", lpmf_parameters);
const struct sw_planner sw_order_beam_planner =
    ORDERING_PLANNER("order-beam", "Orders operators by a beam search; then plans", beam_parameters);
const struct sw_planner sw_order_exact_planner =
    ORDERING_PLANNER("order-exact", "Searches the order of operators that needs least, and proves it; then plans",
                     exact_parameters, .budgets = true, .goes_on = true);

const struct sw_planner sw_order_planner =
    ORDERING_PLANNER("order", "Orders operators within a budget: a beam, then the search with its proof; then plans",
                     order_parameters, .budgets = true, .goes_on = true);

/* A layer of a beam copies as many sets as it is wide, and there is a layer for each operator: by default no more is
 * copied than some seconds of work. */
static uint32_t beam_width(const struct sw_run *run) {
    const uint64_t most = UINT64_C(1000000000), count = sw_problem_operator_count(run->problem);
    uint64_t width = (uint64_t)sw_params_integer(run->params, run->planner, "width");
    uint64_t affordable = SW_MAX(most / SW_MAX(count * count, UINT64_C(1)), UINT64_C(1));
    return (uint32_t)(sw_params_given(run->params, "width") ? width : SW_MIN(width, affordable));
}

static struct ordering_stages stages_of(const struct sw_run *run) {
    struct ordering_stages stages = {.count = 0};
    const struct sw_planner *planner = run->planner;
    if (planner->parameters == order_parameters && sw_problem_operator_count(run->problem) <= MOST_FOR_BEAM) {
        stages.items[stages.count++] =
            (struct ordering_stage){.kind = ORDERING_BEAM, .backward = true, .width = BEAM_OF_ORDER};
    }
    if (planner->parameters == order_parameters || planner->parameters == exact_parameters) {
        bool coarse = planner->parameters == order_parameters;
        stages.items[stages.count++] = (struct ordering_stage){.kind = ORDERING_SEARCH, .coarse = coarse};
        return stages;
    }
    const char *from = sw_params_text(run->params, planner, "from");
    struct ordering_stage stage = {.kind = ORDERING_WALK, .rule = SW_ORDER_GREEDY};
    if (planner->parameters == lpmf_parameters) {
        stage.rule = SW_ORDER_LPMF;
    } else if (planner->parameters == beam_parameters) {
        stage.kind = ORDERING_BEAM;
        stage.width = beam_width(run);
    }
    for (int backward = 0; backward < 2; backward++) {
        if (strcmp(from, backward ? "start" : "end") != 0) {
            stage.backward = backward;
            stages.items[stages.count++] = stage;
        }
    }
    return stages;
}
