#include "order/order_wishes.h"

#include <string.h>

void sw_order_wishes_done(struct sw_order_wishes *wishes) {
    SW_ARRAY_DONE(&wishes->before, &wishes->together);
}

/* ---- what lies behind an operator ---- */

struct wish_walk {
    const struct sw_problem *problem;
    uint8_t *seen;
    uint32_t *stack;
};

static const char *name_of_operator(const struct wish_walk *walk, uint32_t op) {
    return sw_problem_operator(walk->problem, op)->name;
}

/* Mark with `bit` what can be reached from an operator along the lists. */
static void mark_reached(struct wish_walk *walk, const struct sw_order_lists *lists, uint32_t from, uint8_t bit) {
    uint32_t top = 0;
    walk->stack[top++] = from;
    while (top > 0) {
        uint32_t op = walk->stack[--top];
        for (uint32_t i = lists->at[op]; i < lists->at[op + 1]; i++) {
            uint32_t next = lists->list[i];
            if (!(walk->seen[next] & bit)) {
                walk->seen[next] |= bit;
                walk->stack[top++] = next;
            }
        }
    }
}

/* ---- one before the other ---- */

static bool is_with(const struct sw_order_graph *graph, uint32_t op, uint32_t other) {
    return op == other || (graph->group && graph->group[op] != SW_NONE && graph->group[op] == graph->group[other]);
}

/* The edge, and where one of the two is kept together with others, edges of all of them. */
static bool tie_whole(struct sw_order_graph *graph, const struct sw_order_wish *wish) {
    SW_ARRAY(struct sw_order_wish) ties = {0};
    bool same = is_with(graph, wish->first, wish->second), ok = true;
    for (uint32_t a = 0; ok && a < graph->operator_count; a++) {
        bool first = same ? a == wish->first : is_with(graph, a, wish->first);
        for (uint32_t b = 0; ok && first && b < graph->operator_count; b++) {
            bool second = same ? b == wish->second : is_with(graph, b, wish->second);
            ok = !second || SW_PUSH(&ties, ((struct sw_order_wish){a, b}));
        }
    }
    ok = ok && sw_order_graph_tie(graph, ties.items, ties.count);
    SW_ARRAY_DONE(&ties);
    return ok;
}

static bool wish_before(struct wish_walk *walk, struct sw_order_graph *graph, const struct sw_order_wish *wish,
                        struct sw_error *error) {
    memset(walk->seen, 0, graph->operator_count);
    mark_reached(walk, &graph->behind, wish->second, 1);
    if (wish->first == wish->second || walk->seen[wish->first]) {
        return sw_fail(error, SW_ERROR_UNSUPPORTED, "%s cannot run before %s: %s", name_of_operator(walk, wish->first),
                       name_of_operator(walk, wish->second),
                       wish->first == wish->second
                           ? "it is the same operator"
                           : "what the operators read, or what was asked for, has it the other way round");
    }
    return tie_whole(graph, wish) || sw_fail_memory(error);
}

/* ---- together ---- */

static bool enroll_members(const struct wish_walk *walk, struct sw_order_graph *graph, const uint32_t *members,
                           uint32_t count, struct sw_error *error) {
    if (!graph->group && !sw_order_graph_regroup(graph)) {
        return sw_fail_memory(error);
    }
    for (uint32_t i = 0; i < count; i++) {
        if (graph->group[members[i]] != SW_NONE) {
            return sw_fail(error, SW_ERROR_UNSUPPORTED,
                           "%s is listed twice: an operator is kept together with one group",
                           name_of_operator(walk, members[i]));
        }
        graph->group[members[i]] = graph->group_count;
    }
    graph->group_size[graph->group_count++] = count;
    return true;
}

/* Nothing may have to run between two members. */
static bool may_be_closed(struct wish_walk *walk, const struct sw_order_graph *graph, const uint32_t *members,
                          uint32_t count, struct sw_error *error) {
    uint32_t group = graph->group[members[0]];
    memset(walk->seen, 0, graph->operator_count);
    for (uint32_t i = 0; i < count; i++) {
        mark_reached(walk, &graph->behind, members[i], 1);
        mark_reached(walk, &graph->before, members[i], 2);
    }
    for (uint32_t op = 0; op < graph->operator_count; op++) {
        if (walk->seen[op] == 3 && graph->group[op] != group) {
            return sw_fail(error, SW_ERROR_UNSUPPORTED,
                           "%s and the operators listed with it cannot be kept together: "
                           "%s has to run between them",
                           name_of_operator(walk, members[0]), name_of_operator(walk, op));
        }
    }
    return true;
}

/* What runs before one member runs before all of them, and what runs behind one, behind all. */
static bool tie_group(struct sw_order_graph *graph, const uint32_t *members, uint32_t count, struct sw_error *error) {
    SW_ARRAY(struct sw_order_wish) ties = {0};
    uint32_t group = graph->group[members[0]];
    bool ok = true;
    for (uint32_t op = 0; ok && op < graph->operator_count; op++) {
        bool before = false, behind = false;
        if (graph->group[op] == group) {
            continue;
        }
        for (uint32_t i = graph->behind.at[op]; i < graph->behind.at[op + 1]; i++) {
            before |= graph->group[graph->behind.list[i]] == group;
        }
        for (uint32_t i = graph->before.at[op]; i < graph->before.at[op + 1]; i++) {
            behind |= graph->group[graph->before.list[i]] == group;
        }
        for (uint32_t i = 0; ok && i < count && (before || behind); i++) {
            struct sw_order_wish tie = {before ? op : members[i], before ? members[i] : op};
            ok = SW_PUSH(&ties, tie);
        }
    }
    ok = ok && sw_order_graph_tie(graph, ties.items, ties.count);
    SW_ARRAY_DONE(&ties);
    return ok || sw_fail_memory(error);
}

/* ---- all of them ---- */

static bool wish_all(struct wish_walk *walk, struct sw_order_graph *graph, const struct sw_order_wishes *wishes,
                     struct sw_error *error) {
    for (size_t i = 0; i < wishes->before.count; i++) {
        if (!wish_before(walk, graph, &wishes->before.items[i], error)) {
            return false;
        }
    }
    for (size_t i = 0, from = 0; i < wishes->together.count; i++) {
        const uint32_t *members = wishes->together.items + from;
        uint32_t count = (uint32_t)(i - from);
        if (members[count] != SW_NONE) {
            continue;
        }
        if (!enroll_members(walk, graph, members, count, error) || !may_be_closed(walk, graph, members, count, error) ||
            !tie_group(graph, members, count, error)) {
            return false;
        }
        from = i + 1;
    }
    return true;
}

static bool add_wishes(struct sw_order_graph *graph, const struct sw_problem *problem,
                       const struct sw_order_wishes *wishes, struct sw_error *error) {
    struct wish_walk walk = {.problem = problem};
    walk.seen = SW_NEW(uint8_t, graph->operator_count);
    walk.stack = SW_NEW(uint32_t, (size_t)graph->operator_count + 1);
    bool ok = walk.seen && walk.stack ? wish_all(&walk, graph, wishes, error) : sw_fail_memory(error);
    SW_FREE(walk.seen, graph->operator_count);
    SW_FREE(walk.stack, (size_t)graph->operator_count + 1);
    return ok;
}

bool sw_order_graph_wish(struct sw_order_graph *graph, const struct sw_problem *problem,
                         const struct sw_order_wishes *wishes, struct sw_error *error) {
    if (wishes->before.count == 0 && wishes->together.count == 0) {
        return true;
    }
    graph->wished = true;
    return add_wishes(graph, problem, wishes, error);
}

bool sw_order_graph_join(struct sw_order_graph *graph, const struct sw_problem *problem, struct sw_error *error) {
    struct sw_order_wishes parts = {0};
    uint32_t count = graph->operator_count;
    bool ok = true;
    for (uint32_t op = 1; ok && op < count; op++) {
        bool joined = sw_problem_operator(problem, op)->joined;
        bool begins = joined && !sw_problem_operator(problem, op - 1)->joined;
        bool ends = joined && (op + 1 == count || !sw_problem_operator(problem, op + 1)->joined);
        ok = (!joined || SW_PUSH(&parts.before, ((struct sw_order_wish){op - 1, op}))) &&
             (!begins || SW_PUSH(&parts.together, op - 1)) && (!joined || SW_PUSH(&parts.together, op)) &&
             (!ends || SW_PUSH(&parts.together, SW_NONE));
    }
    ok = ok ? parts.before.count == 0 || add_wishes(graph, problem, &parts, error) : sw_fail_memory(error);
    sw_order_wishes_done(&parts);
    return ok;
}
