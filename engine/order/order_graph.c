#include "order/order_graph.h"
#include "base/base.h"
#include "order/order_wishes.h"
#include "base/sort.h"
#include "problem/change/whole_order.h"

/* Pairs of two numbers, the first in the high half, so that sorting groups them. */
SW_ARRAY_TYPE(order_pairs, struct sw_keyed);

static bool push_pair(struct order_pairs *pairs, uint32_t a, uint32_t b) {
    return SW_PUSH(pairs, (struct sw_keyed){(uint64_t)a << 32 | b, 0});
}

static bool sort_pairs(struct order_pairs *pairs) {
    size_t kept = 0;
    if (pairs->count > 0 && !sw_sort_keyed(pairs->items, pairs->count)) {
        return false;
    }
    for (size_t i = 0; i < pairs->count; i++) {
        if (i == 0 || pairs->items[i].key != pairs->items[kept - 1].key) {
            pairs->items[kept++] = pairs->items[i];
        }
    }
    pairs->count = kept;
    return true;
}

/* Lists by the first number of each pair. The pairs are sorted. */
static bool make_lists(struct sw_order_graph *graph, const struct order_pairs *pairs, uint32_t items,
                       struct sw_order_lists *lists) {
    lists->at = SW_NEW_IN(&graph->arena, uint32_t, (size_t)items + 1);
    lists->list = SW_NEW_IN(&graph->arena, uint32_t, pairs->count + 1);
    if (!lists->at || !lists->list) {
        return false;
    }
    for (size_t i = 0; i < pairs->count; i++) {
        lists->at[(pairs->items[i].key >> 32) + 1]++;
        lists->list[i] = (uint32_t)pairs->items[i].key;
    }
    for (uint32_t i = 0; i < items; i++) {
        lists->at[i + 1] += lists->at[i];
    }
    return true;
}

static bool make_both(struct sw_order_graph *graph, struct order_pairs *pairs, uint32_t firsts, uint32_t seconds,
                      struct sw_order_lists *forth, struct sw_order_lists *back) {
    if (!sort_pairs(pairs) || pairs->count >= UINT32_MAX || !make_lists(graph, pairs, firsts, forth)) {
        return false;
    }
    for (size_t i = 0; i < pairs->count; i++) {
        pairs->items[i].key = pairs->items[i].key << 32 | pairs->items[i].key >> 32;
    }
    return sort_pairs(pairs) && make_lists(graph, pairs, seconds, back);
}

/* ---- which operators use which bytes ---- */

struct op_use {
    uint32_t operator_;
    bool writes;
    uint64_t lo, hi;
};
SW_ARRAY_TYPE(op_uses, struct op_use);

static bool add_uses(const struct sw_problem *problem, struct op_uses *uses, uint32_t op, const struct sw_ref *refs,
                     uint32_t count, bool writes) {
    for (uint32_t i = 0; i < count; i++) {
        const struct sw_member *member = refs[i].member == SW_NONE ? NULL : sw_problem_member(problem, refs[i].member);
        struct op_use use = {op, writes, member ? member->lo : 0,
                             member ? member->hi : sw_problem_buffer(problem, refs[i].buffer)->size};
        if (!SW_PUSH(&uses[refs[i].buffer], use)) {
            return false;
        }
    }
    return true;
}

/* Operators that name the same range of size 0 share it, too: their order is meant as well. */
static bool uses_share_bytes(const struct op_use *a, const struct op_use *b) {
    return (a->lo < b->hi && b->lo < a->hi) || (a->lo == b->lo && a->hi == b->hi);
}

/* Edges between an operator that writes and every other one that uses the same bytes, in the file's order. */
static bool tie_uses(const struct op_uses *uses, struct order_pairs *edges) {
    for (size_t i = 0; i < uses->count; i++) {
        const struct op_use *writer = &uses->items[i];
        for (size_t k = 0; writer->writes && k < uses->count; k++) {
            const struct op_use *other = &uses->items[k];
            uint32_t first = SW_MIN(writer->operator_, other->operator_);
            uint32_t second = SW_MAX(writer->operator_, other->operator_);
            if (first != second && uses_share_bytes(writer, other) && !push_pair(edges, first, second)) {
                return false;
            }
        }
    }
    return true;
}

static bool collect_edges(const struct sw_problem *problem, struct order_pairs *edges) {
    uint32_t buffers = sw_problem_buffer_count(problem);
    struct op_uses *uses = SW_NEW_ZERO(struct op_uses, (size_t)buffers + 1);
    bool ok = uses != NULL;
    for (uint32_t op = 0; ok && op < sw_problem_operator_count(problem); op++) {
        const struct sw_operator *about = sw_problem_operator(problem, op);
        ok = add_uses(problem, uses, op, about->inputs, about->input_count, false) &&
             add_uses(problem, uses, op, about->outputs, about->output_count, true);
        for (uint32_t i = 0; ok && i < about->after_count; i++) {
            ok = push_pair(edges, about->after[i], op);
        }
    }
    for (uint32_t b = 0; uses && b < buffers; b++) {
        ok = ok && tie_uses(&uses[b], edges);
        SW_ARRAY_DONE(&uses[b]);
    }
    SW_FREE(uses, (size_t)buffers + 1);
    return ok;
}

/* ---- which buffers count ---- */

static bool is_counted(const struct sw_buffer *buffer) {
    return buffer->planned && buffer->size > 0 && (buffer->tiers & 1) != 0 &&
           (buffer->tier == SW_NONE || buffer->tier == 0);
}

/* What was given a beginning among the operators that begin every order is held by the operator there; and what no
 * operator touches and is gone before they end, by the last of its time. */
static bool collect_given(const struct sw_problem *problem, uint32_t fixed, struct order_pairs *holds) {
    for (uint32_t b = 0; b < sw_problem_buffer_count(problem); b++) {
        const struct sw_buffer *buffer = sw_problem_buffer(problem, b);
        if (!is_counted(buffer) || buffer->first >= fixed) {
            continue;
        }
        bool begins = sw_problem_given_ends(problem, b, fixed).first, touched = buffer->access_count > 0;
        bool ends = !touched && buffer->last < fixed;
        if ((begins && (touched || ends) && !push_pair(holds, buffer->first, b)) ||
            (begins && ends && !push_pair(holds, buffer->last, b))) {
            return false;
        }
    }
    return true;
}

static bool collect_holds(const struct sw_problem *problem, uint32_t fixed, struct order_pairs *holds) {
    for (uint32_t op = 0; op < sw_problem_operator_count(problem); op++) {
        const struct sw_operator *about = sw_problem_operator(problem, op);
        const struct sw_ref *refs[] = {about->inputs, about->outputs, about->scratch};
        const uint32_t many[] = {about->input_count, about->output_count, about->scratch_count};
        for (int l = 0; l < 3; l++) {
            for (uint32_t i = 0; i < many[l]; i++) {
                if (is_counted(sw_problem_buffer(problem, refs[l][i].buffer)) &&
                    !push_pair(holds, op, refs[l][i].buffer)) {
                    return false;
                }
            }
        }
    }
    return collect_given(problem, fixed, holds);
}

/* Untouched, and alive throughout. */
static bool is_always_alive(const struct sw_problem *problem, const struct sw_buffer *buffer) {
    return is_counted(buffer) && buffer->first == 0 && buffer->last + 1 == sw_problem_steps(problem);
}

/* Number the buffers that some operator names, in the problem's order, and rename the second halves of the pairs. */
static bool number_order_buffers(struct sw_order_graph *graph, const struct sw_problem *problem,
                                 struct order_pairs *holds) {
    uint32_t all = sw_problem_buffer_count(problem), *number = SW_NEW_ZERO(uint32_t, (size_t)all + 1);
    if (!number) {
        return false;
    }
    for (size_t i = 0; i < holds->count; i++) {
        number[(uint32_t)holds->items[i].key]++;
    }
    graph->buffers = SW_NEW_IN(&graph->arena, struct sw_order_buffer, (size_t)all + 1);
    for (uint32_t b = 0; graph->buffers && b < all; b++) {
        const struct sw_buffer *buffer = sw_problem_buffer(problem, b);
        if (number[b] > 0) {
            struct sw_given_ends given = sw_problem_given_ends(problem, b, 0);
            bool touched = buffer->access_count > 0;
            bool starts =
                buffer->lifetime_given ? given.first && buffer->first == 0 && touched : buffer->kind == SW_KIND_INPUT;
            bool ends = buffer->lifetime_given ? given.last && touched : buffer->output;
            graph->buffers[graph->buffer_count] = (struct sw_order_buffer){buffer->size, number[b], b, starts, ends};
            number[b] = graph->buffer_count++;
        } else if (is_always_alive(problem, buffer)) {
            graph->always += buffer->size;
        }
    }
    for (size_t i = 0; i < holds->count; i++) {
        uint64_t key = holds->items[i].key;
        holds->items[i].key = (key & ~(uint64_t)UINT32_MAX) | number[(uint32_t)key];
    }
    SW_FREE(number, (size_t)all + 1);
    return graph->buffers != NULL;
}

/* ---- what the method does not hold for ---- */

static bool refuse_problem(const struct sw_problem *problem, uint32_t *fixed, struct sw_error *error) {
    if (sw_problem_operator_count(problem) == 0) {
        return sw_fail(error, SW_ERROR_UNSUPPORTED, "there are no operators to choose an order of");
    }
    if (sw_problem_core_count(problem) > 1) {
        return sw_fail(error, SW_ERROR_UNSUPPORTED,
                       "on several cores the order of the list decides nothing, and none is chosen");
    }
    if (!sw_problem_fixed_start(problem, fixed)) {
        return sw_fail_memory(error);
    }
    for (uint32_t b = 0; b < sw_problem_buffer_count(problem); b++) {
        const struct sw_buffer *buffer = sw_problem_buffer(problem, b);
        if (is_counted(buffer) && !sw_problem_given_ends(problem, b, *fixed).follows) {
            return sw_fail(error, SW_ERROR_UNSUPPORTED,
                           "%s has a lifetime of its own, which does not follow the operators", buffer->name);
        }
    }
    return true;
}

/* The bytes that an operator adds to the inputs when it runs first, or to the outputs when it runs last. */
static uint64_t end_step(const struct sw_order_graph *graph, uint32_t op, bool first) {
    uint64_t bytes = 0;
    for (uint32_t i = graph->holds.at[op]; i < graph->holds.at[op + 1]; i++) {
        const struct sw_order_buffer *buffer = &graph->buffers[graph->holds.list[i]];
        bytes += (first ? buffer->starts : buffer->ends) ? 0 : buffer->size;
    }
    return bytes;
}

static bool fits_ends(const struct sw_order_graph *graph, uint64_t first, uint64_t last) {
    uint64_t most = 0, begin = 0, end = 0;
    for (uint32_t op = 0; op < graph->operator_count; op++) {
        bool may_begin = graph->before.at[op] == graph->before.at[op + 1];
        bool may_end = graph->behind.at[op] == graph->behind.at[op + 1];
        most = SW_MAX(most, graph->always + sw_order_graph_own(graph, op));
        begin = may_begin ? SW_MAX(begin, end_step(graph, op, true)) : begin;
        end = may_end ? SW_MAX(end, end_step(graph, op, false)) : end;
    }
    begin += graph->always + first;
    end += graph->always + last;
    for (uint32_t b = 0; b < graph->buffer_count; b++) {
        begin += graph->buffers[b].starts ? graph->buffers[b].size : 0;
        end += graph->buffers[b].ends ? graph->buffers[b].size : 0;
    }
    return (first == 0 || begin <= most) && (last == 0 || end <= most);
}

/* What no operator touches keeps its steps, whichever operator runs there. It decides nothing where it is alive at the
 * first step alone, or at the last, and fits beside the largest operator of that end under what the largest of all
 * needs in any order; elsewhere every step of an order costs so much more. */
static bool add_extra(struct sw_order_graph *graph, const struct sw_problem *problem) {
    uint32_t count = graph->operator_count, known = 0; /* both lists ascend */
    uint64_t *extra = SW_NEW_IN(&graph->arena, uint64_t, (size_t)count + 1);
    if (!extra) {
        return false;
    }
    for (uint32_t b = 0; b < sw_problem_buffer_count(problem); b++) {
        const struct sw_buffer *buffer = sw_problem_buffer(problem, b);
        while (known < graph->buffer_count && graph->buffers[known].in_problem < b) {
            known++;
        }
        bool touched = known < graph->buffer_count && graph->buffers[known].in_problem == b;
        if (is_counted(buffer) && !touched && !is_always_alive(problem, buffer)) {
            extra[buffer->first] += buffer->size;
            extra[buffer->last + 1] -= buffer->size; /* modulo 2^64: the sums are right */
        }
    }
    bool any = false;
    for (uint32_t step = 0; step < count; step++) {
        extra[step] += step > 0 ? extra[step - 1] : 0;
        any |= extra[step] > 0 && step > 0 && step + 1 < count;
    }
    graph->extra = any || !fits_ends(graph, extra[0], extra[count - 1]) ? extra : NULL;
    return true;
}

uint64_t sw_order_graph_own(const struct sw_order_graph *graph, uint32_t op) {
    uint64_t bytes = 0, saved = sw_order_graph_saved(graph, op);
    for (uint32_t i = graph->holds.at[op]; i < graph->holds.at[op + 1]; i++) {
        bytes += graph->buffers[graph->holds.list[i]].size;
    }
    return bytes - saved;
}

/* ---- writing in place ---- */

static int by_fresh(const struct sw_order_graph *graph, struct sw_order_pair a, struct sw_order_pair b) {
    uint64_t x = graph->buffers[a.fresh].size, y = graph->buffers[b.fresh].size;
    return x != y ? SW_COMPARE(y, x) : a.fresh != b.fresh ? SW_COMPARE(a.fresh, b.fresh) : SW_COMPARE(a.old, b.old);
}

/* The pairs of one operator among the buffers that it names. False: no memory, or too many, which the error says. */
static bool find_pairs(struct sw_order_graph *graph, const struct sw_problem *problem, uint32_t op,
                       struct sw_error *error) {
    struct sw_order_pair found[SW_ORDER_MOST_PAIRS];
    struct sw_order_pairs *pairs = &graph->pairs[op];
    for (uint32_t i = graph->holds.at[op]; i < graph->holds.at[op + 1]; i++) {
        for (uint32_t k = graph->holds.at[op]; k < graph->holds.at[op + 1]; k++) {
            struct sw_order_pair one = {graph->holds.list[i], graph->holds.list[k]};
            if (!sw_problem_could_overwrite(problem, op, graph->buffers[one.fresh].in_problem,
                                            graph->buffers[one.old].in_problem)) {
                continue;
            }
            if (pairs->count == SW_ORDER_MOST_PAIRS) {
                return sw_fail(error, SW_ERROR_UNSUPPORTED, "%s may write over its inputs in more than %d ways",
                               sw_problem_operator(problem, op)->name, SW_ORDER_MOST_PAIRS);
            }
            uint32_t at = pairs->count++;
            for (; at > 0 && by_fresh(graph, one, found[at - 1]) < 0; at--) {
                found[at] = found[at - 1];
            }
            found[at] = one;
        }
    }
    pairs->list = sw_arena_copy(&graph->arena, found, pairs->count, sizeof *found);
    return pairs->list || sw_fail_memory(error);
}

static bool add_in_place_pairs(struct sw_order_graph *graph, const struct sw_problem *problem, struct sw_error *error) {
    bool any = false;
    if (!sw_problem_inplace_safe(problem)) {
        return true;
    }
    graph->pairs = SW_NEW_IN(&graph->arena, struct sw_order_pairs, graph->operator_count);
    if (!graph->pairs) {
        return sw_fail_memory(error);
    }
    for (uint32_t op = 0; op < graph->operator_count; op++) {
        if (!find_pairs(graph, problem, op, error)) {
            return false;
        }
        any |= graph->pairs[op].count > 0;
    }
    graph->pairs = any ? graph->pairs : NULL;
    return true;
}

/* ---- making it ---- */

static bool make_order_graph(struct sw_order_graph *graph, const struct sw_problem *problem, uint32_t fixed) {
    struct order_pairs edges = {0}, holds = {0};
    graph->operator_count = sw_problem_operator_count(problem);
    bool ok = collect_edges(problem, &edges) &&
              make_both(graph, &edges, graph->operator_count, graph->operator_count, &graph->behind, &graph->before) &&
              collect_holds(problem, fixed, &holds) && sort_pairs(&holds) &&
              number_order_buffers(graph, problem, &holds) &&
              make_both(graph, &holds, graph->operator_count, graph->buffer_count, &graph->holds, &graph->users);
    SW_ARRAY_DONE(&edges, &holds);
    return ok;
}

struct sw_order_graph *sw_order_graph_new(const struct sw_problem *problem, struct sw_error *error) {
    uint32_t fixed;
    if (!refuse_problem(problem, &fixed, error)) {
        return NULL;
    }
    struct sw_order_graph *graph = SW_NEW_ZERO(struct sw_order_graph, 1);
    if (!graph || !make_order_graph(graph, problem, fixed)) {
        sw_fail_memory(error);
    } else if (add_in_place_pairs(graph, problem, error) && sw_order_graph_join(graph, problem, error) &&
               (add_extra(graph, problem) || sw_fail_memory(error))) {
        return graph;
    }
    sw_order_graph_free(graph);
    return NULL;
}

bool sw_order_graph_tie(struct sw_order_graph *graph, const struct sw_order_wish *ties, size_t count) {
    struct order_pairs edges = {0};
    bool ok = true;
    for (uint32_t op = 0; op < graph->operator_count; op++) {
        for (uint32_t i = graph->behind.at[op]; ok && i < graph->behind.at[op + 1]; i++) {
            ok = push_pair(&edges, op, graph->behind.list[i]);
        }
    }
    for (size_t i = 0; ok && i < count; i++) {
        ok = push_pair(&edges, ties[i].first, ties[i].second);
    }
    ok = ok && make_both(graph, &edges, graph->operator_count, graph->operator_count, &graph->behind, &graph->before);
    SW_ARRAY_DONE(&edges);
    return ok;
}

bool sw_order_graph_regroup(struct sw_order_graph *graph) {
    graph->group = SW_NEW_IN(&graph->arena, uint32_t, graph->operator_count);
    graph->group_size = SW_NEW_IN(&graph->arena, uint32_t, graph->operator_count);
    for (uint32_t op = 0; graph->group && op < graph->operator_count; op++) {
        graph->group[op] = SW_NONE;
    }
    return graph->group && graph->group_size;
}

static bool copy_groups(struct sw_order_graph *to, const struct sw_order_graph *from) {
    to->wished = from->wished;
    if (!from->group) {
        return true;
    }
    if (!sw_order_graph_regroup(to)) {
        return false;
    }
    to->group_count = from->group_count;
    memcpy(to->group, from->group, from->operator_count * sizeof *to->group);
    memcpy(to->group_size, from->group_size, from->group_count * sizeof *to->group_size);
    return true;
}

/* The lists of `from`, in an arena of their own. */
static bool copy_order_lists(struct sw_order_graph *graph, const struct sw_order_lists *from, uint32_t items,
                             struct sw_order_lists *to) {
    to->at = sw_arena_copy(&graph->arena, from->at, (size_t)items + 1, sizeof *to->at);
    to->list = sw_arena_copy(&graph->arena, from->list, from->at[items], sizeof *to->list);
    return to->at && to->list;
}

/* An operator that uses what another one might write over: read from the end, running it first may keep that one from
 * it. */
static bool turn_pairs(struct sw_order_graph *to, const struct sw_order_graph *from) {
    to->turned = !from->turned;
    if (!from->pairs) {
        return true;
    }
    to->pairs = SW_NEW_IN(&to->arena, struct sw_order_pairs, from->operator_count);
    to->loses = SW_NEW_IN(&to->arena, bool, from->operator_count);
    for (uint32_t op = 0; to->pairs && to->loses && op < from->operator_count; op++) {
        const struct sw_order_pairs *pairs = &from->pairs[op];
        to->pairs[op].count = pairs->count;
        to->pairs[op].list = sw_arena_copy(&to->arena, pairs->list, pairs->count, sizeof *pairs->list);
        if (!to->pairs[op].list) {
            return false;
        }
        for (uint32_t i = 0; i < pairs->count; i++) {
            uint32_t old = pairs->list[i].old;
            for (uint32_t k = from->users.at[old]; k < from->users.at[old + 1]; k++) {
                to->loses[from->users.list[k]] |= from->users.list[k] != op;
            }
        }
    }
    return to->pairs && to->loses;
}

struct sw_order_graph *sw_order_graph_reversed(const struct sw_order_graph *of) {
    struct sw_order_graph *graph = SW_NEW_ZERO(struct sw_order_graph, 1);
    if (!graph) {
        return NULL;
    }
    graph->operator_count = of->operator_count;
    graph->buffer_count = of->buffer_count;
    graph->always = of->always;
    graph->buffers = sw_arena_copy(&graph->arena, of->buffers, of->buffer_count, sizeof *of->buffers);
    graph->extra = of->extra ? SW_NEW_IN(&graph->arena, uint64_t, of->operator_count) : NULL;
    if (!graph->buffers || (of->extra && !graph->extra) || !copy_groups(graph, of) || !turn_pairs(graph, of) ||
        !copy_order_lists(graph, &of->before, of->operator_count, &graph->behind) ||
        !copy_order_lists(graph, &of->behind, of->operator_count, &graph->before) ||
        !copy_order_lists(graph, &of->holds, of->operator_count, &graph->holds) ||
        !copy_order_lists(graph, &of->users, of->buffer_count, &graph->users)) {
        sw_order_graph_free(graph);
        return NULL;
    }
    for (uint32_t step = 0; of->extra && step < of->operator_count; step++) {
        graph->extra[step] = of->extra[of->operator_count - 1 - step];
    }
    for (uint32_t b = 0; b < of->buffer_count; b++) {
        graph->buffers[b].starts = of->buffers[b].ends;
        graph->buffers[b].ends = of->buffers[b].starts;
    }
    return graph;
}

void sw_order_graph_free(struct sw_order_graph *graph) {
    if (graph) {
        sw_arena_done(&graph->arena);
        SW_FREE(graph, 1);
    }
}
