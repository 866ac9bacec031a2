#include "planners/operators/ordering_look.h"

#include "base/minmax.h"
#include "planners/operators/ordering.h"

/* The set that the stage under way has reached; NULL: it makes no order now. */
static const struct sw_order_state *set_so_far(const struct ordering *o) {
    uint64_t peak;
    if (!o->running || o->phase != ORDERING_STAGE) {
        return NULL;
    }
    return o->beam         ? sw_order_beam_best(o->beam, &peak)
           : o->search     ? sw_order_search_state(o->search)
           : o->walk.graph ? &o->walk
                           : NULL;
}

/* Run the operators anew, one after the other, and write down what is alive. */
static bool tell_live(const struct sw_order_graph *graph, const uint32_t *list, struct sw_order_look *look) {
    struct sw_order_state state;
    if (!sw_order_state_init(&state, graph)) {
        return false;
    }
    for (uint32_t i = 0; i < look->done; i++) {
        uint32_t place = look->backward ? look->count - 1 - i : i;
        look->at[place] = list[i];
        look->during[place] = sw_order_state_during(&state, list[i]);
        look->most = SW_MAX(look->most, look->during[place]);
        look->last = look->made ? place : SW_NONE;
        sw_order_state_run(&state, list[i]);
    }
    sw_order_state_done(&state);
    return true;
}

static bool fill_order_look(const struct ordering *o, struct sw_order_look *look) {
    const struct sw_order_state *set = set_so_far(o);
    const struct ordering_order *whole = o->best.list ? &o->best : &o->ground->base;
    if (o->phase == ORDERING_TRIAL && o->trial < o->trial_count) {
        whole = &o->trials[o->trial];
    } else if (o->phase == ORDERING_READY && o->trial_count > 0) {
        whole = &o->trials[o->winner];
    }
    *look = (struct sw_order_look){.model = o->ground->problem,
                                   .count = ordering_operators(o),
                                   .done = set ? set->done : ordering_operators(o),
                                   .backward = set && set->graph->turned != o->ground->graph->turned,
                                   .made = set != NULL,
                                   .best = !set && o->best.list && whole->list == o->best.list,
                                   .last = SW_NONE,
                                   .threshold = o->search ? sw_order_search_threshold(o->search) : 0};
    look->at = SW_NEW(uint32_t, look->count);
    look->during = SW_NEW_ZERO(uint64_t, look->count);
    for (uint32_t i = 0; look->at && i < look->count; i++) {
        look->at[i] = SW_NONE;
    }
    return look->at && look->during &&
           tell_live(set ? set->graph : o->ground->graph, set ? set->trail : whole->list, look);
}

bool sw_order_look(const struct sw_search *search, struct sw_order_look *look, bool *missed) {
    struct sw_claims claims;
    const struct ordering *o = sw_search_planner_state(search);
    *missed = false;
    sw_search_claims(search, &claims);
    if (!sw_search_planner(search)->reorders || !claims.ordering || !o) {
        return false;
    }
    *missed = !fill_order_look(o, look);
    if (*missed) {
        sw_order_look_done(look);
    }
    return !*missed;
}

void sw_order_look_done(struct sw_order_look *look) {
    SW_FREE(look->at, look->at ? look->count : 0);
    SW_FREE(look->during, look->during ? look->count : 0);
    *look = (struct sw_order_look){0};
}
