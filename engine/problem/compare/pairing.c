#include "problem/compare/pairing.h"
#include "base/base.h"
#include "base/sort.h"

#include "problem/problem_internal.h"

static void pair_buffers(struct sw_pairing *pairing, uint32_t old, uint32_t fresh) {
    const struct sw_buffer *a = &pairing->problems[0]->buffers[old], *b = &pairing->problems[1]->buffers[fresh];
    pairing->buffers[0][old] = fresh;
    pairing->buffers[1][fresh] = old;
    pairing->renamed += a->planned && strcmp(a->name, b->name) != 0;
}

static void pair_operators(struct sw_pairing *pairing, uint32_t old, uint32_t fresh) {
    pairing->operators[0][old] = fresh;
    pairing->operators[1][fresh] = old;
}

/* ---- by name ---- */

static void pair_by_name(struct sw_pairing *pairing) {
    const struct sw_problem *old = pairing->problems[0], *fresh = pairing->problems[1];
    for (uint32_t a = 0; a < old->buffer_count; a++) {
        uint32_t b = sw_problem_find_buffer(fresh, old->buffers[a].name);
        if (b != SW_NONE && old->buffers[a].planned == fresh->buffers[b].planned) {
            pair_buffers(pairing, a, b);
        }
    }
    for (uint32_t a = 0; a < old->operator_count; a++) {
        uint32_t b = sw_problem_find_operator(fresh, old->operators[a].name);
        if (b != SW_NONE) {
            pair_operators(pairing, a, b);
        }
    }
}

/* ---- by place ---- */

/* What is left of a side, each with what it must have in common with its other half. */
SW_ARRAY_TYPE(sort_list, struct sw_keyed);

static uint64_t operator_sort(const struct sw_problem *problem, const struct sw_operator *op) {
    uint64_t sort = sw_fold_bytes(1, op->kind, strlen(op->kind));
    sort = sw_fold(sw_fold(sw_fold(sort, op->input_count), op->output_count), op->scratch_count);
    for (uint32_t i = 0; i < sw_ref_count(op); i++) {
        sort = sw_fold(sort, problem->buffers[sw_ref_at(op, i)->buffer].size);
    }
    return sort;
}

static bool list_operators(const struct sw_pairing *pairing, enum sw_side side, struct sort_list *list) {
    const struct sw_problem *problem = pairing->problems[side];
    bool good = true;
    for (uint32_t i = 0; good && i < problem->operator_count; i++) {
        good = pairing->operators[side][i] != SW_NONE ||
               SW_PUSH(list, (struct sw_keyed){operator_sort(problem, &problem->operators[i]), i});
    }
    return good;
}

/* Of those that no operator of the model touches. */
static bool list_buffers(const struct sw_pairing *pairing, enum sw_side side, struct sort_list *list) {
    const struct sw_problem *problem = pairing->problems[side];
    bool good = true;
    for (uint32_t i = 0; good && i < problem->buffer_count; i++) {
        const struct sw_buffer *buffer = &problem->buffers[i];
        bool free = buffer->planned && pairing->buffers[side][i] == SW_NONE;
        free = free && (problem->operator_count == 0 || buffer->access_count == 0);
        uint64_t sort = sw_fold(buffer->kind, buffer->size);
        for (uint32_t k = 0; k < buffer->piece_count; k++) {
            sort = sw_fold(sort, (uint64_t)sw_problem_time(problem, buffer->pieces[k].first));
            sort = sw_fold(sort, (uint64_t)sw_problem_time(problem, buffer->pieces[k].last + 1));
        }
        good = !free || SW_PUSH(list, (struct sw_keyed){sort, i});
    }
    return good;
}

/* The k-th of each sort with the k-th, in listed order. */
static bool pair_sorts(struct sw_pairing *pairing, struct sort_list *old, struct sort_list *fresh,
                       void (*pair)(struct sw_pairing *, uint32_t, uint32_t)) {
    if ((old->count && !sw_sort_keyed(old->items, old->count)) ||
        (fresh->count && !sw_sort_keyed(fresh->items, fresh->count))) {
        return false;
    }
    for (size_t a = 0, b = 0; a < old->count && b < fresh->count;) {
        uint64_t x = old->items[a].key, y = fresh->items[b].key;
        if (x == y) {
            pair(pairing, old->items[a].index, fresh->items[b].index);
        }
        a += x <= y;
        b += y <= x;
    }
    return true;
}

/* What both ends of the lists have in common comes first: so one operator more does not shift all others. */
static void pair_ends(struct sw_pairing *pairing, struct sort_list *old, struct sort_list *fresh) {
    size_t least = SW_MIN(old->count, fresh->count), head = 0, tail = 0;
    while (head < least && old->items[head].key == fresh->items[head].key) {
        pair_operators(pairing, old->items[head].index, fresh->items[head].index);
        head++;
    }
    while (tail < least - head && old->items[old->count - 1 - tail].key == fresh->items[fresh->count - 1 - tail].key) {
        tail++;
        pair_operators(pairing, old->items[old->count - tail].index, fresh->items[fresh->count - tail].index);
    }
    struct sort_list *lists[] = {old, fresh};
    for (int side = 0; head + tail > 0 && side < 2; side++) {
        lists[side]->count -= head + tail;
        memmove(lists[side]->items, lists[side]->items + head, lists[side]->count * sizeof *lists[side]->items);
    }
}

static void pair_refs(struct sw_pairing *pairing, const struct sw_ref *old, uint32_t old_count,
                      const struct sw_ref *fresh, uint32_t fresh_count) {
    for (uint32_t i = 0; i < SW_MIN(old_count, fresh_count); i++) {
        uint32_t a = old[i].buffer, b = fresh[i].buffer;
        const struct sw_buffer *x = &pairing->problems[0]->buffers[a], *y = &pairing->problems[1]->buffers[b];
        if (pairing->buffers[0][a] == SW_NONE && pairing->buffers[1][b] == SW_NONE && x->size == y->size &&
            x->planned == y->planned) {
            pair_buffers(pairing, a, b);
        }
    }
}

static void pair_operands(struct sw_pairing *pairing) {
    for (uint32_t i = 0; i < pairing->problems[0]->operator_count; i++) {
        uint32_t other = pairing->operators[0][i];
        if (other != SW_NONE) {
            const struct sw_operator *a = &pairing->problems[0]->operators[i];
            const struct sw_operator *b = &pairing->problems[1]->operators[other];
            pair_refs(pairing, a->outputs, a->output_count, b->outputs, b->output_count);
            pair_refs(pairing, a->inputs, a->input_count, b->inputs, b->input_count);
            pair_refs(pairing, a->scratch, a->scratch_count, b->scratch, b->scratch_count);
        }
    }
}

static bool pair_by_place(struct sw_pairing *pairing) {
    struct sort_list operators[2] = {{0}, {0}}, buffers[2] = {{0}, {0}};
    bool good =
        list_operators(pairing, SW_SIDE_OLD, &operators[0]) && list_operators(pairing, SW_SIDE_NEW, &operators[1]);
    if (good) {
        pair_ends(pairing, &operators[0], &operators[1]);
        good = pair_sorts(pairing, &operators[0], &operators[1], pair_operators);
    }
    if (good) {
        pair_operands(pairing);
        good = list_buffers(pairing, SW_SIDE_OLD, &buffers[0]) && list_buffers(pairing, SW_SIDE_NEW, &buffers[1]) &&
               pair_sorts(pairing, &buffers[0], &buffers[1], pair_buffers);
    }
    SW_ARRAY_DONE(&operators[0], &operators[1], &buffers[0], &buffers[1]);
    return good;
}

/* ---- both ---- */

static uint32_t *no_partners(uint32_t count) {
    uint32_t *partners = SW_NEW(uint32_t, (size_t)count + 1);
    for (uint32_t i = 0; partners && i < count; i++) {
        partners[i] = SW_NONE;
    }
    return partners;
}

bool sw_pairing_make(struct sw_pairing *pairing, const struct sw_problem *old, const struct sw_problem *fresh) {
    *pairing = (struct sw_pairing){.problems = {old, fresh}};
    bool good = true;
    for (int side = 0; side < 2; side++) {
        pairing->buffers[side] = no_partners(pairing->problems[side]->buffer_count);
        pairing->operators[side] = no_partners(pairing->problems[side]->operator_count);
        good &= pairing->buffers[side] && pairing->operators[side];
    }
    if (good) {
        pair_by_name(pairing);
        good = pair_by_place(pairing);
    }
    return good;
}

void sw_pairing_done(struct sw_pairing *pairing) {
    for (int side = 0; side < 2 && pairing->problems[side]; side++) {
        SW_FREE(pairing->buffers[side], (size_t)pairing->problems[side]->buffer_count + 1);
        SW_FREE(pairing->operators[side], (size_t)pairing->problems[side]->operator_count + 1);
    }
    *pairing = (struct sw_pairing){.renamed = 0};
}
