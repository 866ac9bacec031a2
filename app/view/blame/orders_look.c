#include "view/blame/orders_look.h"

#include <stdio.h>

/* Moves that are undone, one by one, to see what each is worth. */
enum { MOVES_UNDONE = 200 };

static void forget_moves(struct sw_orders_look *look) {
    sw_order_moves_done(&look->moves);
    sw_problem_unref(look->from);
    sw_problem_unref(look->to);
    look->from = look->to = NULL;
    look->moves_known = false;
}

static void forget_orders(struct sw_orders_look *look) {
    sw_orders_done(&look->orders);
    sw_problem_unref(look->problem);
    sw_problem_unref(look->there);
    look->problem = look->there = NULL;
    look->known = false;
}

void sw_orders_look_done(struct sw_orders_look *look) {
    forget_moves(look);
    forget_orders(look);
    *look = (struct sw_orders_look){0};
}

/* A page may take longer than a frame. */
static struct sw_orders_budget budget_of(const struct sw_view_input *in, const struct sw_problem *problem) {
    bool large = sw_problem_operator_count(problem) > SW_ORDERS_QUICK;
    return sw_medium(in)->still && large ? (struct sw_orders_budget){20000, 20000000} : (struct sw_orders_budget){0, 0};
}

/* The problem is made in that order: writes in place and other memories count as they do there. */
static bool find_order_bound(struct sw_orders_look *look, struct sw_error *error) {
    look->there = sw_problem_in_order(look->problem, look->orders.order, error);
    look->bound_there = look->there ? sw_problem_lower_bound(look->there) : 0;
    return look->there != NULL;
}

static bool look_at_orders(const struct sw_view_input *in, const struct sw_problem *problem,
                           struct sw_orders_look *look) {
    struct sw_error error = {0};
    bool ordered = sw_problem_operator_count(problem) > 1;
    look->problem = sw_problem_ref(problem);
    look->known = ordered && sw_problem_has_orders(problem, &error) &&
                  sw_orders_of(problem, budget_of(in, problem), &look->orders, &error) &&
                  find_order_bound(look, &error);
    snprintf(look->why, sizeof look->why, "%.199s", error.message);
    return error.code != SW_ERROR_MEMORY;
}

const char *sw_view_order_need(struct sw_scene *scene, const struct sw_problem *problem, const char *bytes) {
    return sw_problem_tier_count(problem) == 1
               ? bytes
               : sw_scene_printf(scene, "%s of what may lie in %s", bytes, sw_problem_tier(problem, 0)->name);
}

const struct sw_orders_look *sw_orders_look(const struct sw_view_input *in, const struct sw_problem *problem,
                                            struct sw_orders_look *own) {
    struct sw_orders_look *look = in->kept ? sw_frame_cache_orders(in->kept) : own;
    if (look->problem == problem) {
        return look;
    }
    forget_orders(look);
    if (!look_at_orders(in, problem, look)) {
        forget_orders(look);
        return NULL;
    }
    return look;
}

const struct sw_order_moves *sw_orders_moved(const struct sw_view_input *in, const struct sw_problem *from,
                                             const struct sw_problem *to, struct sw_orders_look *own) {
    struct sw_orders_look *look = in->kept ? sw_frame_cache_orders(in->kept) : own;
    if (look->moves_known && look->from == from && look->to == to) {
        return &look->moves;
    }
    forget_moves(look);
    uint32_t count = sw_problem_operator_count(from);
    uint32_t *order = sw_problem_operator_count(to) == count ? sw_problem_order_between(from, to) : NULL;
    look->moves_known = order && sw_order_moves_of(from, order, MOVES_UNDONE, &look->moves, NULL);
    SW_FREE(order, order ? count : 0);
    look->from = sw_problem_ref(from);
    look->to = sw_problem_ref(to);
    return look->moves_known ? &look->moves : NULL;
}
