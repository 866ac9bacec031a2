/* Placements in chunks that clones share. */
#include "layout/layout_internal.h"
#include "base/base.h"

#include "base/described.h"
#include "problem/hot.h"

uint64_t sw_layout_placement_digest(const struct sw_placement *p) {
    uint64_t digest = sw_fold(1, (uint64_t)p->buffer << 32 | p->tier);
    return sw_fold(sw_fold(digest, p->offset), (uint64_t)p->span.from << 32 | p->span.to);
}

struct sw_layout *sw_layout_new(const struct sw_problem *problem, struct sw_error *error) {
    struct sw_layout *layout = SW_NEW_ZERO(struct sw_layout, 1);
    if (!layout) {
        sw_fail_memory(error);
        return NULL;
    }
    layout->problem = sw_problem_ref(problem);
    sw_cow_init(&layout->slots, sizeof(struct sw_layout_slot));
    sw_cow_init(&layout->spans, sizeof(struct sw_layout_span));
    sw_cow_init(&layout->transfers, sizeof(struct sw_transfer));
    sw_cow_init(&layout->permits, sizeof(struct sw_permit));
    if (!sw_cow_resize(&layout->slots, sw_problem_planned_count(problem))) {
        sw_layout_free(layout);
        sw_fail_memory(error);
        return NULL;
    }
    return layout;
}

struct sw_layout *sw_layout_clone(const struct sw_layout *from, struct sw_error *error) {
    struct sw_layout *layout = sw_mem_copy(from, 1, sizeof *from);
    if (!layout) {
        sw_fail_memory(error);
        return NULL;
    }
    sw_cow_init(&layout->spans, from->spans.item);
    sw_cow_init(&layout->transfers, from->transfers.item);
    sw_cow_init(&layout->permits, from->permits.item);
    sw_problem_ref(layout->problem);
    for (uint32_t t = 0; t < SW_MAX_TIERS; t++) {
        layout->far_end[t].cover = NULL; /* that of the other */
    }
    if (!sw_cow_clone(&layout->slots, &from->slots) || !sw_cow_clone(&layout->spans, &from->spans) ||
        !sw_cow_clone(&layout->transfers, &from->transfers) || !sw_cow_clone(&layout->permits, &from->permits)) {
        sw_layout_free(layout);
        sw_fail_memory(error);
        return NULL;
    }
    return layout;
}

void sw_layout_free(struct sw_layout *layout) {
    if (!layout) {
        return;
    }
    sw_cow_done(&layout->slots);
    sw_cow_done(&layout->spans);
    sw_cow_done(&layout->transfers);
    sw_cow_done(&layout->permits);
    sw_problem_unref(layout->problem);
    for (uint32_t t = 0; t < SW_MAX_TIERS; t++) {
        sw_far_end_forget(layout, t);
    }
    SW_FREE(layout, 1);
}

SW_GETTER(const struct sw_problem *, sw_layout_problem, sw_layout, problem)
SW_GETTER(uint32_t, sw_layout_placed_count, sw_layout, placed)
SW_GETTER(size_t, sw_layout_transfer_count, sw_layout, transfers.count)
SW_GETTER(size_t, sw_layout_permit_count, sw_layout, permits.count)
SW_GETTER(uint64_t, sw_layout_stamped, sw_layout, stamp)
SW_GETTER(bool, sw_layout_shared, sw_layout, shared)

static const struct sw_layout_slot *layout_slot_of(const struct sw_layout *layout, uint32_t buffer) {
    static const struct sw_layout_slot nowhere = {0};
    uint32_t rank = sw_problem_rank(layout->problem, buffer).at;
    return rank == SW_NONE ? &nowhere : sw_cow_get(&layout->slots, rank);
}

/* For writing; only planned buffers have a place. */
static struct sw_layout_slot *edit_slot(struct sw_layout *layout, uint32_t buffer) {
    return sw_cow_edit(&layout->slots, sw_problem_rank(layout->problem, buffer).at);
}

/* Span k of a slot that has a list of them, or the last; k becomes how many more it would have to have. */
static const struct sw_layout_span *layout_span_of(const struct sw_layout *layout, const struct sw_layout_slot *slot,
                                                   uint32_t *k) {
    const struct sw_layout_span *at = sw_cow_get(&layout->spans, slot->span - 1U);
    for (; *k > 0 && at->next; --*k) {
        at = sw_cow_get(&layout->spans, at->next - 1);
    }
    return at;
}

static struct sw_layout_slot slot_at(uint64_t offset, uint32_t tier, uint32_t span, uint32_t made) {
    return (struct sw_layout_slot){.offset = offset,
                                   .tier = (tier + 1) & ((1U << SW_SLOT_TIER) - 1),
                                   .span = span & ((1U << SW_SLOT_SPAN) - 1),
                                   .made = made};
}

/* A buffer of 0 bytes holds none, wherever it is put. */
static void raise_tier_arena(struct sw_layout *layout, uint32_t buffer, uint32_t tier, uint64_t offset) {
    uint64_t size = sw_problem_buffer(layout->problem, buffer)->size, end = offset + size;
    if (size > 0 && end > layout->arena[tier]) {
        sw_layout_set_arena(layout, tier, end);
    }
    if (size > 0) {
        sw_far_end_placed(layout, buffer, tier, offset);
    }
}

bool sw_layout_place(struct sw_layout *layout, uint32_t buffer, uint32_t tier, uint64_t offset) {
    if (layout_slot_of(layout, buffer)->span && !sw_layout_lift(layout, buffer)) {
        return false;
    }
    struct sw_layout_slot *slot = edit_slot(layout, buffer);
    if (!slot) {
        return false;
    }
    struct sw_placement placement = {buffer, slot->tier - 1U, slot->offset, SW_WHOLE_LIFE};
    if (slot->tier) {
        layout->digest -= sw_layout_placement_digest(&placement);
        sw_far_end_lifted(layout, buffer, placement.tier, placement.offset);
    } else {
        layout->placed++;
    }
    *slot = slot_at(offset, tier, 0, layout->stamp);
    placement.tier = tier;
    placement.offset = offset;
    layout->digest += sw_layout_placement_digest(&placement);
    raise_tier_arena(layout, buffer, tier, offset);
    return true;
}

bool sw_layout_place_span(struct sw_layout *layout, const struct sw_placement *placement) {
    size_t index = layout->spans.count;
    if (index + 1 >= 1U << SW_SLOT_SPAN || !sw_cow_resize(&layout->spans, index + 1)) {
        return false;
    }
    struct sw_layout_span *fresh = sw_cow_edit(&layout->spans, index);
    struct sw_layout_slot *slot = edit_slot(layout, placement->buffer);
    if (!fresh || !slot) {
        return false;
    }
    *fresh = (struct sw_layout_span){.placement = *placement, .made = layout->stamp};
    if (!slot->span) {
        layout->placed += slot->tier == 0;
        *slot = slot_at(placement->offset, placement->tier, (uint32_t)index + 1, layout->stamp);
    } else {
        uint32_t last = slot->span;
        for (const struct sw_layout_span *at = sw_cow_get(&layout->spans, last - 1); at->next;
             at = sw_cow_get(&layout->spans, last - 1)) {
            last = at->next;
        }
        struct sw_layout_span *tail = sw_cow_edit(&layout->spans, last - 1);
        if (!tail) {
            return false;
        }
        tail->next = (uint32_t)index + 1;
    }
    layout->digest += sw_layout_placement_digest(placement);
    raise_tier_arena(layout, placement->buffer, placement->tier, placement->offset);
    return true;
}

bool sw_layout_lift(struct sw_layout *layout, uint32_t buffer) {
    struct sw_placement placement;
    if (!sw_layout_placed(layout, buffer)) {
        return true;
    }
    for (uint32_t k = 0; sw_layout_placement(layout, buffer, k, &placement); k++) {
        layout->digest -= sw_layout_placement_digest(&placement);
        sw_far_end_lifted(layout, buffer, placement.tier, placement.offset);
    }
    struct sw_layout_slot *slot = edit_slot(layout, buffer);
    if (!slot) {
        return false;
    }
    layout->placed -= slot->tier != 0;
    *slot = (struct sw_layout_slot){0}; /* its spans stay behind, unreachable, until the layout dies */
    return true;
}

static uint64_t digest_of_transfer(const void *item) {
    const struct sw_transfer *transfer = item;
    uint64_t digest = sw_fold(2, (uint64_t)transfer->buffer << 32 | transfer->step);
    return sw_fold(digest, (uint64_t)transfer->from << 32 | transfer->to);
}

/* One more item, which adds so much to the digest. */
static bool append_item(struct sw_layout *layout, struct sw_cow *list, const void *item, uint64_t digest) {
    void *slot = sw_cow_resize(list, list->count + 1) ? sw_cow_edit(list, list->count - 1) : NULL;
    if (slot) {
        memcpy(slot, item, list->item);
        layout->digest += digest;
    }
    return slot != NULL;
}

static bool cut_items(struct sw_layout *layout, struct sw_cow *list, size_t count,
                      uint64_t (*digest_of)(const void *item)) {
    uint64_t digest = layout->digest;
    for (size_t i = count; i < list->count; i++) {
        digest -= digest_of(sw_cow_get(list, i));
    }
    if (!sw_cow_resize(list, count)) {
        return false;
    }
    layout->digest = digest;
    return true;
}

bool sw_layout_transfer(struct sw_layout *layout, const struct sw_transfer *transfer) {
    return append_item(layout, &layout->transfers, transfer, digest_of_transfer(transfer));
}

bool sw_layout_forget_transfers(struct sw_layout *layout) {
    return cut_items(layout, &layout->transfers, 0, digest_of_transfer);
}

bool sw_layout_has_host(const struct sw_problem *problem) {
    return sw_problem_tier_count(problem) == 1 && sw_problem_tier(problem, 0)->capacity != SW_UNBOUNDED &&
           sw_problem_accesses_known(problem);
}

static uint64_t digest_of_permit(const void *item) {
    const struct sw_permit *permit = item;
    return sw_fold(sw_fold(3, (uint64_t)permit->fresh << 32 | permit->old), permit->step);
}

bool sw_layout_permit(struct sw_layout *layout, const struct sw_permit *permit) {
    return append_item(layout, &layout->permits, permit, digest_of_permit(permit));
}

bool sw_layout_cut_permits(struct sw_layout *layout, size_t count) {
    return cut_items(layout, &layout->permits, count, digest_of_permit);
}

bool sw_layout_forget_permits(struct sw_layout *layout) {
    return sw_layout_cut_permits(layout, 0);
}

bool sw_layout_placed(const struct sw_layout *layout, uint32_t buffer) {
    return layout_slot_of(layout, buffer)->tier != 0;
}

bool sw_layout_placement(const struct sw_layout *layout, uint32_t buffer, uint32_t k, struct sw_placement *placement) {
    const struct sw_layout_slot *slot = layout_slot_of(layout, buffer);
    if (slot->tier == 0) {
        return false;
    }
    if (!slot->span) {
        *placement = (struct sw_placement){buffer, slot->tier - 1U, slot->offset, SW_WHOLE_LIFE};
        return k == 0;
    }
    const struct sw_layout_span *at = layout_span_of(layout, slot, &k);
    *placement = at->placement;
    return k == 0;
}

bool sw_layout_at(const struct sw_layout *layout, uint32_t buffer, uint32_t step, struct sw_placement *placement) {
    struct sw_placement found;
    for (uint32_t k = 0; sw_layout_placement(layout, buffer, k, &found); k++) {
        if (found.span.from <= step && step <= found.span.to) {
            *placement = found;
            return true;
        }
    }
    return false;
}

struct sw_transfer sw_layout_transfer_get(const struct sw_layout *layout, size_t index) {
    return *(const struct sw_transfer *)sw_cow_get(&layout->transfers, index);
}

struct sw_permit sw_layout_permit_get(const struct sw_layout *layout, size_t index) {
    return *(const struct sw_permit *)sw_cow_get(&layout->permits, index);
}

uint64_t sw_layout_arena(const struct sw_layout *layout, uint32_t tier) {
    return layout->arena[tier];
}

void sw_layout_set_arena(struct sw_layout *layout, uint32_t tier, uint64_t bytes) {
    if (layout->arena[tier] != bytes) {
        layout->arena[tier] = bytes;
        layout->arena_made[tier] = layout->stamp;
        layout->far_end[tier].known = false;
    }
}

void sw_layout_stamp(struct sw_layout *layout, uint64_t decision) {
    layout->stamp = decision > UINT32_MAX ? 0 : (uint32_t)decision;
}

void sw_layout_begin(struct sw_layout *layout, uint64_t decision) {
    sw_layout_stamp(layout, decision);
    layout->before = layout->stamp;
}

bool sw_layout_goes_on(const struct sw_layout *layout, uint64_t decision) {
    return layout->before == decision || decision > UINT32_MAX;
}

void sw_layout_replaced(struct sw_layout *layout) {
    layout->before = 0;
}

void sw_layout_anew(struct sw_layout *layout) {
    layout->since = layout->stamp;
    sw_layout_replaced(layout);
    for (uint32_t t = 0; t < sw_problem_tier_count(layout->problem); t++) {
        layout->arena_made[t] = layout->stamp;
    }
}

static uint32_t made_by(const struct sw_layout *layout, const struct sw_layout_slot *slot, uint32_t k) {
    uint32_t by = slot->made;
    if (slot->span) {
        by = layout_span_of(layout, slot, &k)->made;
    }
    return k > 0 || slot->tier == 0 ? 0 : SW_MAX(by, layout->since);
}

uint64_t sw_layout_made(const struct sw_layout *layout, uint32_t buffer, uint32_t k) {
    return made_by(layout, layout_slot_of(layout, buffer), k);
}

uint64_t sw_layout_arena_made(const struct sw_layout *layout, uint32_t tier) {
    return layout->arena_made[tier];
}

bool sw_layout_inherit(struct sw_layout *layout, const struct sw_layout *from) {
    for (uint32_t i = 0; i < sw_problem_planned_count(layout->problem); i++) {
        const struct sw_layout_slot *here = sw_cow_get(&layout->slots, i), *there = sw_cow_get(&from->slots, i);
        uint32_t by = made_by(from, there, 0);
        if (here->span || there->span || here->tier == 0 || here->tier != there->tier ||
            here->offset != there->offset || here->made == by) {
            continue;
        }
        struct sw_layout_slot *slot = sw_cow_edit(&layout->slots, i);
        if (!slot) {
            return false;
        }
        slot->made = by;
    }
    for (uint32_t t = 0; t < sw_problem_tier_count(layout->problem); t++) {
        layout->arena_made[t] = layout->arena[t] == from->arena[t] ? from->arena_made[t] : layout->arena_made[t];
    }
    return true;
}

void sw_layout_set_shared(struct sw_layout *layout) {
    layout->shared = true;
}

uint64_t sw_layout_digest(const struct sw_layout *layout) {
    uint64_t digest = layout->digest;
    for (uint32_t t = 0; t < sw_problem_tier_count(layout->problem); t++) {
        digest = sw_fold(digest, layout->arena[t]);
    }
    return digest;
}

size_t sw_layout_own_bytes(const struct sw_layout *layout) {
    size_t tables = layout->slots.chunk_count + layout->spans.chunk_count;
    return sizeof *layout + tables * sizeof(void *) + layout->slots.own + layout->spans.own + layout->transfers.own +
           layout->permits.own;
}

static struct sw_layout_block layout_block_of(const struct sw_hot *row, const struct sw_layout_slot *slot) {
    return (struct sw_layout_block){.buffer = row->buffer,
                                    .tier = slot->tier - 1U,
                                    .first = row->first,
                                    .last = row->last,
                                    .lo = slot->offset,
                                    .hi = slot->offset + row->size,
                                    .whole = row->plain && slot->span == 0};
}

bool sw_layout_block(const struct sw_layout *layout, uint32_t buffer, struct sw_layout_block *block) {
    const struct sw_layout_slot *slot = layout_slot_of(layout, buffer);
    if (slot->tier != 0) {
        *block = layout_block_of(&sw_problem_hot(layout->problem)[sw_problem_rank(layout->problem, buffer).at], slot);
    }
    return slot->tier != 0;
}

static bool same_slot(const struct sw_layout_slot *a, const struct sw_layout_slot *b) {
    return (a->span && b->span) || (a->offset == b->offset && a->tier == b->tier && !a->span == !b->span);
}

/* A chunk at a time: what two layouts share, and what died before `first`, is passed over as a
 * whole. */
size_t sw_layout_blocks_of(const struct sw_layout *layout, const struct sw_layout *other, uint32_t first, uint32_t last,
                           uint32_t *rank, struct sw_layout_block *blocks, size_t room) {
    const struct sw_hot *hot = sw_problem_hot(layout->problem);
    uint32_t planned = sw_problem_planned_count(layout->problem);
    size_t count = 0, run = 0;
    while (*rank < planned && count < room) {
        *rank = first > 0 ? sw_problem_outlives(layout->problem, *rank, planned, first) : *rank;
        if (*rank == planned || hot[*rank].first > last) { /* they are born in this order */
            *rank = planned;
            break;
        }
        const struct sw_layout_slot *slot = sw_cow_run(&layout->slots, *rank, &run), *there = NULL;
        const struct sw_hot *row = &hot[*rank];
        if (other && sw_cow_shares(&layout->slots, &other->slots, *rank)) {
            *rank += (uint32_t)run;
            continue;
        }
        there = other ? sw_cow_run(&other->slots, *rank, &run) : NULL;
        sw_cow_hint(&layout->slots, *rank);
        size_t i = 0;
        for (; i < run && count < room; i++) {
            if (slot[i].tier != 0 && row[i].last >= first && row[i].first <= last &&
                !(there && same_slot(&slot[i], &there[i]))) {
                blocks[count++] = layout_block_of(&row[i], &slot[i]);
            }
        }
        *rank += (uint32_t)i;
    }
    return count;
}

size_t sw_layout_blocks(const struct sw_layout *layout, uint32_t *rank, struct sw_layout_block *blocks, size_t room) {
    return sw_layout_blocks_of(layout, NULL, 0, UINT32_MAX, rank, blocks, room);
}

static void drop_layout(void *layout) {
    sw_layout_free(layout);
}

static void *copy_layout(const void *layout) {
    return sw_layout_clone(layout, NULL);
}

static uint64_t digest_of_layout(const void *layout) {
    return sw_layout_digest(layout);
}

static size_t bytes_of_layout(const void *layout) {
    return sw_layout_own_bytes(layout);
}

const struct sw_pointed sw_layout_pointed = {drop_layout, copy_layout, digest_of_layout, bytes_of_layout};
