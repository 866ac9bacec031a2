/* What the planner of a run makes as small as it can, for the header: where that is now, the best so far, and the
 * bound where there is one. It is E, bytes moved, the bytes alive in an order, or the peak. */
#include "view/goal.h"
#include "base/base.h"
#include "planners/online/online_look.h"
#include "planners/operators/ordering_look.h"
#include "planners/planner.h"
#include "view/facts.h"
#include "view/moment/moment_words.h"
#include "view/view_internal.h"

/* What the run measured up to the present decision. */
struct measured {
    bool any;
    enum sw_measure measure;
    double first, now, best;
    bool here; /* the present decision measured `now` */
};

static bool may_measure(const struct sw_search *search) {
    const struct sw_planner *planner = sw_search_planner(search);
    return !planner->one_layout;
}

unsigned sw_view_goal_reads(const struct sw_search *search) {
    struct sw_claims claims;
    sw_search_claims(search, &claims);
    return (may_measure(search) ? SW_VIEW_READS_TREND : 0u) | (claims.ordering ? SW_VIEW_READS_TREE : 0u) |
           (claims.has_migration ? SW_VIEW_READS_FACTS : 0u);
}

static struct measured measured_so_far(const struct sw_view_input *in, struct sw_scene *scene) {
    struct sw_trend own = {0};
    struct measured result = {0};
    const struct sw_trend *trend = in->run.trend;
    if (!trend && may_measure(in->run.search)) {
        scene->failed |= !sw_trend_read(&own, in->run.search);
        trend = &own;
    }
    size_t seen = trend ? sw_trend_point_after(trend, sw_search_at(in->run.search)) : 0;
    if (seen > 0) {
        const struct sw_trend_point *last = &trend->points.items[seen - 1];
        result = (struct measured){.any = true, .measure = trend->measure, .first = trend->points.items[0].value};
        result.now = last->value;
        result.best = last->best;
        result.here = last->step == sw_search_at(in->run.search);
        size_t rounds =
            sw_trend_round_after(trend, sw_search_at(in->run.search)); /* they know members unmeasured so far */
        for (size_t i = 0; i < rounds; i++) {
            result.best = fmin(result.best, trend->rounds.items[i].best); /* NaN is none */
        }
    }
    sw_trend_done(&own);
    return result;
}

static bool migration_bound(const struct sw_view_input *in, struct sw_scene *scene, uint64_t *bound) {
    struct sw_facts own = {0};
    const struct sw_facts *facts = in->run.facts;
    if (!facts) {
        scene->failed |= !sw_facts_gather(&own, in->run.search);
        facts = &own;
    }
    bool has = facts->has_bound;
    *bound = facts->migration_bound;
    sw_facts_done(&own);
    return has;
}

static const char *goal_bytes(struct sw_scene *scene, const char *word, double bytes) {
    char text[16];
    return sw_scene_printf(scene, "%s%s", word, sw_show_bytes((uint64_t)bytes, text));
}

static const char *goal_percent(struct sw_scene *scene, double value, double of, const char *before,
                                const char *after) {
    return of > 0 ? sw_scene_printf(scene, "%s%s%s", before, SW_PERCENT(value / of - 1, true), after) : "";
}

/* What is alive in the order that is being made, in the best one, and in any order. */
static void tell_orders_goal(const struct sw_view_input *in, struct sw_scene *scene, const struct sw_claims *claims,
                             struct sw_goal *goal) {
    struct sw_order_look look = {0};
    bool missed, making = sw_order_look(in->run.search, &look, &missed) && look.made && look.done > 0;
    bool found = claims->order_peak > 0;
    double order = (double)(found ? claims->order_peak : claims->order_before);
    if (making) {
        goal->now = goal_bytes(scene, "order now ", (double)look.most);
        goal->now_brief = goal_bytes(scene, "now ", (double)look.most);
        goal->best = goal_bytes(scene, found ? "best " : "file's ", order);
    } else {
        goal->now = goal_bytes(scene, found ? "best order " : "file's order ", order);
        goal->now_brief = goal_bytes(scene, "order ", order);
    }
    goal->bound = goal_bytes(scene, "orders' bound ", (double)claims->order_bound);
    goal->bound_brief = goal_bytes(scene, "bound ", (double)claims->order_bound);
    scene->failed |= missed;
    sw_order_look_done(&look);
    if (found) {
        goal->change = goal_percent(scene, order, (double)claims->order_before, "", " of file's");
    }
}

/* E of the layout as it is, which the planner knows, or as it was measured last. */
static void tell_cost_goal(const struct sw_view_input *in, struct sw_scene *scene, const struct sw_claims *claims,
                           const struct measured *seen, struct sw_goal *goal) {
    double now = isnan(claims->cost) ? seen->now : claims->cost, best = seen->any ? fmin(seen->best, now) : now;
    goal->now = sw_scene_printf(scene, "E %.6g", now);
    if (!sw_view_at_end(in->run.search)) {
        goal->best = sw_scene_printf(scene, "best %.6g", best);
    }
    if (seen->any && seen->first > best) {
        goal->change = goal_percent(scene, best, seen->first, "", " of the first");
    }
}

static void tell_moved_goal(const struct sw_view_input *in, struct sw_scene *scene, const struct sw_claims *claims,
                            const struct measured *seen, struct sw_goal *goal) {
    uint64_t bound;
    bool over = sw_view_at_end(in->run.search) || !seen->any;
    double best = over ? (double)claims->migration_bytes : seen->best, now = over ? best : seen->now;
    bool shown = over || seen->here; /* else `now` is of another layout than the one on view */
    goal->now = shown ? goal_bytes(scene, "moved ", now) : goal_bytes(scene, "best moved ", best);
    if (!over && shown) {
        goal->best = goal_bytes(scene, "best ", best);
    }
    if (claims->has_migration && migration_bound(in, scene, &bound)) {
        bool tells = best >= (double)bound || sw_view_at_end(in->run.search); /* before the end less says nothing */
        goal->bound = goal_bytes(scene, "bound ", (double)bound);
        goal->change = tells ? goal_percent(scene, best, (double)bound, over ? "" : "best ", "") : "";
    }
}

/* The peaks of layouts that are tried, while it is not known which one is the plan. */
static void tell_peaks_goal(const struct sw_view_input *in, struct sw_scene *scene, const struct measured *seen,
                            const struct sw_metrics *metrics, struct sw_goal *goal) {
    double now = metrics->placed > 0 ? (double)metrics->peak : seen->now, bound = (double)metrics->lower_bound;
    const struct sw_planner *planner = sw_search_planner(in->run.search);
    goal->now = goal_bytes(scene, planner->rewrites && metrics->placed == 0 ? "head now " : "peak now ", now);
    goal->now_brief = goal_bytes(scene, "now ", now);
    goal->best = goal_bytes(scene, "best ", seen->best);
    goal->bound = goal_bytes(scene, "bound ", bound);
    goal->change = seen->best >= bound ? goal_percent(scene, seen->best, bound, "best ", "") : "";
}

bool sw_view_goal_is_cost(const struct sw_view_input *in) {
    struct sw_claims claims;
    const struct sw_trend *trend = in->run.trend;
    sw_search_claims(in->run.search, &claims);
    return claims.priced || (!isnan(claims.cost) && !claims.no_addresses) ||
           (trend && trend->any && trend->measure == SW_MEASURE_COST);
}

/* "free 470M"; "" where it is not told. */
static const char *moment_figure(struct sw_scene *scene, const struct sw_moment_sums *sums,
                                 enum sw_moment_figure figure) {
    return sums->figure[figure] == SW_UNTOLD
               ? ""
               : goal_bytes(scene, sw_scene_printf(scene, "%s ", sw_moment_figure_words(figure)),
                            (double)sums->figure[figure]);
}

/* A moment has no peak and no bound: what it holds. */
static void tell_moments_goal(struct sw_scene *scene, const struct sw_moment *moment, struct sw_goal *goal) {
    struct sw_moment_sums sums;
    sw_moment_sum(moment, &sums);
    goal->more = moment_figure(scene, &sums, SW_MOMENT_RESERVED);
    goal->now = moment_figure(scene, &sums, SW_MOMENT_IN_USE);
    goal->best = moment_figure(scene, &sums, SW_MOMENT_FREE);
    goal->bound = moment_figure(scene, &sums, SW_MOMENT_LARGEST_FREE);
    goal->change = moment->failure.size == SW_UNTOLD ? "" : goal_bytes(scene, "failed ", (double)moment->failure.size);
}

/* The same of a run that goes on from one, with what failed in it so far. */
static bool tell_goal_after_moment(const struct sw_search *search, struct sw_scene *scene, struct sw_goal *goal) {
    struct sw_online_look look;
    if (!sw_problem_goes_on(sw_search_problem(search)) ||
        !sw_online_look(sw_search_planner(search), sw_search_planner_state(search), &look)) {
        return false;
    }
    goal->more = goal_bytes(scene, "reserved ", (double)look.heap->reserved);
    goal->now = goal_bytes(scene, "in use ", (double)look.heap->allocated);
    goal->best = goal_bytes(scene, "free ", (double)(look.heap->reserved - look.heap->active));
    goal->bound = goal_bytes(scene, "largest free ", (double)sw_heap_largest_free(look.heap));
    goal->change = look.failed > 0 ? goal_bytes(scene, "failed ", (double)look.failed) : "";
    return true;
}

bool sw_view_goal(const struct sw_view_input *in, struct sw_scene *scene, struct sw_goal *goal) {
    struct sw_claims claims;
    struct sw_metrics metrics;
    sw_search_claims(in->run.search, &claims);
    sw_metrics_of(sw_search_layout(in->run.search), &metrics);
    *goal = (struct sw_goal){"", NULL, "", "", "", NULL, ""};
    if (sw_view_moment_of(in->run.search)) {
        tell_moments_goal(scene, sw_view_moment_of(in->run.search), goal);
        return true;
    }
    if (tell_goal_after_moment(in->run.search, scene, goal)) {
        return true;
    }
    if (claims.ordering) {
        tell_orders_goal(in, scene, &claims, goal);
        return true;
    }
    struct measured seen = measured_so_far(in, scene);
    if (!isnan(claims.cost) && !claims.no_addresses) {
        tell_cost_goal(in, scene, &claims, &seen, goal);
    } else if (seen.any && seen.measure == SW_MEASURE_COST) {
        tell_cost_goal(in, scene, &claims, &seen, goal);
    } else if (claims.has_migration || (seen.any && seen.measure == SW_MEASURE_MOVED)) {
        tell_moved_goal(in, scene, &claims, &seen, goal);
    } else if (seen.any && metrics.single_tier && sw_view_tries(in)) {
        tell_peaks_goal(in, scene, &seen, &metrics, goal);
        return true;
    } else {
        return false;
    }
    uint32_t tier = in->look.tier;
    goal->more =
        !metrics.single_tier && metrics.tier_peak[tier] > 0
            ? goal_bytes(scene,
                         sw_scene_printf(scene, "%s ", sw_problem_tier(sw_search_problem(in->run.search), tier)->name),
                         (double)metrics.tier_peak[tier])
        : claims.no_addresses && metrics.placed == 0 ? goal_bytes(scene, "in use ", (double)metrics.peak)
                                                     : "";
    return true;
}
