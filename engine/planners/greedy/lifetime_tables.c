/* lifetime-best-fit: its state as tables. The free list is told as the method has it at this moment: what was released
 * and what coalesced so far, and not what the map implies: a block that died is not free before it is released, and
 * two free blocks that touch are two until they coalesce. */
#include "planners/greedy/lifetime_internal.h"
#include "base/base.h"
#include "base/sort.h"

static const char *const life_columns[] = {"buffer", "bytes", "born", "dies", "state", NULL};
static const char *const memory_columns[] = {"buffer", "bytes", "tier", "offset", "placed at", "shifted", "now", NULL};
static const char *const release_columns[] = {"buffer", "bytes", "tier", "offset", NULL};
static const char *const free_columns[] = {"tier", "from", "to", "bytes", "state", NULL};
static const char *const arena_columns[] = {"tier", "next offset", "capacity", NULL};

static const struct sw_layout *layout_tabled(const struct sw_lifetime_fit *fit, const struct sw_run *run) {
    return fit->layout ? fit->layout : run->layout;
}

static bool is_pending(const struct sw_lifetime_fit *fit, uint32_t buffer) {
    for (size_t i = fit->next; i < fit->pending.count; i++) {
        if (fit->pending.items[i] == buffer) {
            return true;
        }
    }
    return false;
}

static const char *life_state(const struct sw_lifetime_fit *fit, const struct sw_run *run, uint32_t b) {
    return fit->lives                                              ? "not known in full yet"
           : !sw_layout_placed(layout_tabled(fit, run), b)         ? "to come"
           : sw_problem_buffer(fit->problem, b)->last >= fit->time ? "alive"
           : is_pending(fit, b)                                    ? "dead, not released"
                                                                   : "released";
}

static void add_lifetimes(const struct sw_lifetime_fit *fit, const struct sw_run *run, const struct sw_decision *last,
                          struct sw_state_tables *tables) {
    const uint32_t *order = sw_problem_order(fit->problem);
    uint32_t touched = last && last->buffer != SW_NONE ? sw_problem_rank(fit->problem, last->buffer).at : SW_NONE;
    struct sw_state_table *t = sw_state_table(tables, "lifetimes", life_columns, sw_problem_planned_count(fit->problem),
                                              touched == SW_NONE ? SW_NO_ROW : touched);
    for (uint64_t i = t->first; i < t->end; i++) {
        const struct sw_buffer *b = sw_problem_buffer(fit->problem, order[i]);
        SW_STATE_ROW(tables, sw_cell_buffer(order[i]), sw_cell_bytes(b->size), sw_cell_step(b->first),
                     sw_cell_step(fit->lives ? fit->ends[order[i]] : b->last),
                     sw_cell_word(life_state(fit, run, order[i])));
    }
}

/* ---- the memory queue ---- */

/* By how much a block was moved up since its turn. A pinned block lies where it is told to. */
static uint64_t shift_of(const struct sw_lifetime_fit *fit, const struct sw_run *run, uint32_t b,
                         const struct sw_placement *p) {
    const struct sw_lifetime_shift *shifts = sw_shared_items(fit->shifts.block);
    uint32_t rank = sw_problem_rank(fit->problem, b).at;
    uint64_t offset = p->offset;
    struct sw_pin pin;
    if (sw_problem_buffer(fit->problem, b)->size == 0 || sw_rules_pin(fit->problem, &run->rules, b, &pin)) {
        return 0;
    }
    for (size_t i = fit->shifts.count; i-- > 0;) {
        const struct sw_lifetime_shift *s = &shifts[i];
        bool moved = s->tier == p->tier && rank < s->ranks && offset >= s->from + s->delta;
        offset -= moved ? s->delta : 0;
    }
    return p->offset - offset;
}

/* Blocks in the order in which they got their places, with the offsets that they have by now. */
static void add_memory_queue(const struct sw_lifetime_fit *fit, const struct sw_run *run,
                             const struct sw_decision *last, struct sw_state_tables *tables) {
    const uint32_t *order = sw_problem_order(fit->problem);
    const struct sw_lifetime_shift *shifts = sw_shared_items(fit->shifts.block);
    bool grows = last && last->kind == SW_DECISION_GROW && last->grow.pushed != SW_NONE;
    const struct sw_lifetime_shift *now = grows && fit->shifts.count > 0 ? &shifts[fit->shifts.count - 1] : NULL;
    uint64_t touched = last && sw_decision_puts_block(last) && fit->at > 0 ? fit->at - 1 : SW_NO_ROW;
    struct sw_state_table *t = sw_state_table(tables, "memqueue", memory_columns, fit->at, touched);
    for (uint64_t i = t->first; i < t->end; i++) {
        struct sw_placement p = {.tier = SW_NONE};
        sw_layout_placement(layout_tabled(fit, run), order[i], 0, &p);
        uint64_t shift = shift_of(fit, run, order[i], &p);
        bool moves = now && shift > 0 && now->tier == p.tier && i < now->ranks && p.offset >= now->from + now->delta;
        SW_STATE_ROW(tables, sw_cell_buffer(order[i]), sw_cell_bytes(sw_problem_buffer(fit->problem, order[i])->size),
                     sw_cell_tier(p.tier), sw_cell_offset(p.offset),
                     shift > 0 ? sw_cell_offset(p.offset - shift) : sw_cell_none(),
                     shift > 0 ? sw_cell_bytes(shift) : sw_cell_none(), sw_cell_word(moves ? "moved up" : NULL));
    }
}

static void add_releases(const struct sw_lifetime_fit *fit, const struct sw_run *run, struct sw_state_tables *tables) {
    struct sw_state_table *t =
        sw_state_table(tables, "to be released", release_columns, fit->pending.count - fit->next, SW_NO_ROW);
    for (uint64_t i = t->first; i < t->end; i++) {
        uint32_t b = fit->pending.items[fit->next + i];
        struct sw_placement p = {.tier = SW_NONE};
        sw_layout_placement(layout_tabled(fit, run), b, 0, &p);
        SW_STATE_ROW(tables, sw_cell_buffer(b), sw_cell_bytes(sw_problem_buffer(fit->problem, b)->size),
                     sw_cell_tier(p.tier), sw_cell_offset(p.offset));
    }
}

/* A stretch of a tier that is not free; or one that is, `freed`: of the released block that has not coalesced yet. */
struct stretch {
    uint64_t lo, hi;
    bool freed;
};
typedef SW_ARRAY(struct stretch) stretches;

static bool add_stretch(void *list_, uint64_t lo, uint64_t hi, bool freed) {
    stretches *list = list_;
    return lo >= hi || SW_PUSH(list, (struct stretch){lo, hi, freed});
}

SW_BY_FIELDS(compare_stretches, struct stretch, SW_UP(lo), SW_UP(hi))

/* What is not free: what is alive with the bytes that it holds, what is still to be released, and reserved ranges. */
static bool gather_taken(const struct sw_lifetime_fit *fit, const struct sw_run *run, uint32_t tier, stretches *list) {
    const struct sw_layout *layout = layout_tabled(fit, run);
    struct sw_neighbors alive = sw_problem_alive(fit->problem, fit->time, fit->time);
    struct sw_placement p;
    bool ok = true;
    for (uint32_t b; ok && (b = sw_neighbors_next(&alive)) != SW_NONE;) {
        const struct sw_buffer *buffer = sw_problem_buffer(fit->problem, b);
        bool here = sw_layout_placement(layout, b, 0, &p) && p.tier == tier;
        for (uint32_t i = 0; ok && here && i < buffer->piece_count; i++) {
            const struct sw_piece *piece = &buffer->pieces[i];
            ok = piece->first > fit->time || fit->time > piece->last ||
                 add_stretch(list, p.offset + piece->lo, p.offset + piece->hi, false);
        }
    }
    for (size_t i = fit->next; ok && i < fit->pending.count; i++) {
        uint32_t b = fit->pending.items[i];
        if (sw_layout_placement(layout, b, 0, &p) && p.tier == tier) {
            ok = add_stretch(list, p.offset, p.offset + sw_problem_buffer(fit->problem, b)->size, false);
        }
    }
    size_t count;
    const struct sw_reserved *reserved = sw_problem_reserved(fit->problem, &count);
    for (size_t i = 0; ok && i < count; i++) {
        ok = reserved[i].tier != tier || add_stretch(list, reserved[i].lo, reserved[i].hi, false);
    }
    sw_sort(list->items, list->count, sizeof *list->items, compare_stretches);
    return ok;
}

/* The released block that has not coalesced yet, in this tier; else an empty range. */
static struct stretch freed_block(const struct sw_lifetime_fit *fit, const struct sw_run *run, uint32_t tier) {
    struct stretch freed = {0, 0, true};
    struct sw_placement p;
    if (fit->coalesce != SW_NONE && sw_layout_placement(layout_tabled(fit, run), fit->coalesce, 0, &p) &&
        p.tier == tier) {
        freed.lo = p.offset;
        freed.hi = p.offset + sw_problem_buffer(fit->problem, fit->coalesce)->size;
    }
    return freed;
}

/* [lo, hi) is free: what of it the freed block has stands by itself. */
static bool add_stretch_pieces(stretches *list, uint64_t lo, uint64_t hi, const struct stretch *freed) {
    uint64_t from = SW_MIN(SW_MAX(freed->lo, lo), hi), to = SW_MAX(SW_MIN(freed->hi, hi), from);
    return add_stretch(list, lo, from, false) && add_stretch(list, from, to, true) && add_stretch(list, to, hi, false);
}

/* What is left of [0, arena), by offset. */
static bool find_free(const stretches *taken, uint64_t arena, const struct stretch *freed, stretches *list) {
    uint64_t at = 0;
    bool ok = true;
    for (size_t i = 0; ok && i < taken->count && at < arena; i++) {
        ok = taken->items[i].lo <= at || add_stretch_pieces(list, at, SW_MIN(taken->items[i].lo, arena), freed);
        at = SW_MAX(taken->items[i].hi, at);
    }
    return ok && (at >= arena || add_stretch_pieces(list, at, arena, freed));
}

static void add_free(const struct sw_lifetime_fit *fit, const struct sw_run *run, struct sw_state_tables *tables) {
    SW_ARRAY(uint32_t) tiers = {0};
    stretches taken = {0}, all = {0};
    uint64_t touched = SW_NO_ROW;
    for (uint32_t tier = 0; tier < sw_problem_tier_count(fit->problem) && !tables->failed; tier++) {
        size_t from = all.count;
        taken.count = 0;
        struct stretch freed = freed_block(fit, run, tier);
        bool ok = gather_taken(fit, run, tier, &taken) &&
                  find_free(&taken, sw_layout_arena(layout_tabled(fit, run), tier), &freed, &all);
        for (size_t i = from; ok && i < all.count; i++) {
            touched = all.items[i].freed ? i : touched;
            ok = SW_PUSH(&tiers, tier);
        }
        tables->failed = !ok;
    }
    struct sw_state_table *t =
        sw_state_table(tables, "free list", free_columns, tables->failed ? 0 : all.count, touched);
    for (uint64_t i = t->first; i < t->end; i++) {
        const struct stretch *s = &all.items[i];
        SW_STATE_ROW(tables, sw_cell_tier(tiers.items[i]), sw_cell_offset(s->lo), sw_cell_offset(s->hi),
                     sw_cell_bytes(s->hi - s->lo), sw_cell_word(s->freed ? "released, not coalesced yet" : NULL));
    }
    SW_ARRAY_DONE(&tiers);
    SW_ARRAY_DONE(&taken);
    SW_ARRAY_DONE(&all);
}

void sw_lifetime_state(const void *state, const struct sw_run *run, const struct sw_decision *last,
                       struct sw_state_tables *tables) {
    const struct sw_lifetime_fit *fit = state;
    add_free(fit, run, tables);
    struct sw_state_table *t =
        sw_state_table(tables, "arenas", arena_columns, sw_problem_tier_count(fit->problem), SW_NO_ROW);
    for (uint64_t i = t->first; i < t->end; i++) {
        uint64_t capacity = sw_problem_tier(fit->problem, (uint32_t)i)->capacity;
        SW_STATE_ROW(tables, sw_cell_tier(i), sw_cell_offset(sw_layout_arena(layout_tabled(fit, run), (uint32_t)i)),
                     capacity == SW_UNBOUNDED ? sw_cell_none() : sw_cell_bytes(capacity));
    }
    add_releases(fit, run, tables);
    add_memory_queue(fit, run, last, tables);
    add_lifetimes(fit, run, last, tables);
}
