/* Pins: from the block that sets the peak back through those that keep it up, each at places that free something.
 *
 * What is tried for a block: the bottom; where its neighbors end, and where it would end below one, which are the edges
 * of all free places that it saw; above the block that it keeps up, when that goes where it lies now; and below the
 * lower bound. Blocks come by their distance over conflicts from the one at the peak, and of each distance the larger
 * ones first. A pin is given as late as it can be: before the first decision that put something there, or the block
 * itself. A second pin is looked for in the same way, in the runs that the first pins led to. */
#include "suggest/suggest_internal.h"

/* ---- the chain ---- */

struct chained {
    uint32_t buffer, distance;
    uint64_t size;
};

SW_BY_FIELDS(by_chain, struct chained, SW_UP(distance), SW_DOWN(size), SW_UP(buffer))

struct chain_list {
    SW_ARRAY(struct chained) blocks;
    uint64_t looks; /* neighbors looked at */
};

/* Neighbors over conflicts, level by level, as far as there is room for places. */
static bool spread_chain(const struct sw_layout *layout, const struct sw_peak *peak, bool *seen,
                         struct chain_list *list) {
    const struct sw_problem *problem = sw_layout_problem(layout);
    struct sw_placement at;
    seen[peak->buffer] = true;
    bool good =
        SW_PUSH(&list->blocks, ((struct chained){peak->buffer, 0, sw_problem_buffer(problem, peak->buffer)->size}));
    for (size_t i = 0; good && i < list->blocks.count && list->blocks.count < SUGGEST_PLACES / 8; i++) {
        struct chained from = list->blocks.items[i];
        struct sw_neighbors near = sw_problem_neighbors(problem, from.buffer);
        for (uint32_t b; good && list->looks < SUGGEST_LOOKS && (b = sw_neighbors_next(&near)) != SW_NONE;) {
            list->looks++;
            if (!seen[b] && sw_problem_conflict(problem, from.buffer, b) != SW_CONFLICT_NONE &&
                sw_suggest_lies_in(layout, b, peak->tier, &at)) {
                seen[b] = true;
                good = SW_PUSH(&list->blocks,
                               ((struct chained){b, from.distance + 1, sw_problem_buffer(problem, b)->size}));
            }
        }
    }
    return good;
}

static bool find_chain(const struct sw_layout *layout, struct chain_list *list) {
    struct sw_peak peak;
    uint32_t with;
    uint64_t end;
    sw_peak_of(layout, &peak);
    if (peak.buffer == SW_NONE) { /* the arena is rounded up, and ends above all blocks */
        peak.buffer = sw_suggest_highest(layout, peak.tier, &with, &end);
    }
    size_t count = sw_problem_buffer_count(sw_layout_problem(layout));
    bool *seen = peak.buffer == SW_NONE ? NULL : SW_NEW_ZERO(bool, count);
    bool good = peak.buffer == SW_NONE || (seen && spread_chain(layout, &peak, seen, list));
    SW_FREE(seen, seen ? count : 0);
    sw_sort(list->blocks.items, list->blocks.count, sizeof *list->blocks.items, by_chain);
    return good;
}

bool sw_suggest_find_chain(struct sw_suggest *suggest, struct sw_error *error) {
    struct chain_list list = {0};
    bool good = find_chain(sw_search_layout(suggest->base), &list);
    suggest->chain.count = 0;
    for (size_t i = 0; good && i < list.blocks.count && i < SUGGEST_CHAIN; i++) {
        good = SW_PUSH(&suggest->chain, list.blocks.items[i].buffer);
    }
    SW_ARRAY_DONE(&list.blocks);
    return good || sw_fail_memory(error);
}

/* ---- places ---- */

SW_BY_FIELDS(by_place, struct suggest_place, SW_UP(buffer), SW_UP(offset), SW_UP(rank))

static int by_promise(const void *of_a, const void *of_b) {
    const struct suggest_place *a = of_a, *b = of_b;
    return a->rank != b->rank ? SW_COMPARE(a->rank, b->rank) : by_place(a, b);
}

struct place_list {
    struct suggest_seed *seed;
    const struct sw_layout *layout;
    uint32_t tier, buffer, rank;
    uint64_t size, alignment, here, below; /* `below`: it must end there or lower */
    uint64_t looks;                        /* neighbors looked at */
    bool good;
};

static void add_pin_place(struct place_list *list, uint64_t offset, unsigned class) {
    offset = sw_align_up(offset, list->alignment);
    if (list->good && offset != list->here && offset + list->size <= list->below) {
        list->good =
            SW_PUSH(&list->seed->places, ((struct suggest_place){list->buffer, list->rank * 4 + class, offset}));
    }
}

/* So that it ends there. */
static void add_place_under(struct place_list *list, uint64_t end, unsigned class) {
    if (end >= list->size) {
        uint64_t offset = end - list->size;
        add_pin_place(list, list->alignment > 1 ? offset - offset % list->alignment : offset, class);
    }
}

/* One listing is done at once, so that it must end within a slice also where a block has many neighbors. */
static bool has_room(const struct place_list *list) {
    return list->looks < SUGGEST_LOOKS && list->seed->places.count < 2 * SUGGEST_PLACES;
}

static void list_pin_places(struct place_list *list, uint64_t bound) {
    const struct sw_problem *problem = sw_layout_problem(list->layout);
    struct sw_neighbors near = sw_problem_neighbors(problem, list->buffer);
    struct sw_placement at;
    add_pin_place(list, 0, 0);
    add_place_under(list, bound, 1);
    for (uint32_t b; list->good && has_room(list) && (b = sw_neighbors_next(&near)) != SW_NONE;) {
        list->looks++;
        if (!sw_suggest_lies_in(list->layout, b, list->tier, &at) ||
            sw_problem_conflict(problem, list->buffer, b) == SW_CONFLICT_NONE) {
            continue;
        }
        uint64_t size = sw_problem_buffer(problem, b)->size;
        add_pin_place(list, at.offset + size, 1);
        add_place_under(list, at.offset, 1);
        if (at.offset > list->here) { /* it lies above: room for it where this lies, or at the bottom */
            add_pin_place(list, size, 1);
            add_pin_place(list, list->here + size, 2);
        }
        add_place_under(list, at.offset + size, 3);
    }
}

/* The first of each that are equal, the most promising first. */
static void sort_places(struct suggest_seed *seed) {
    size_t kept = 0;
    struct suggest_place *items = seed->places.items;
    sw_sort(items, seed->places.count, sizeof *items, by_place);
    for (size_t i = 0; i < seed->places.count; i++) {
        if (kept == 0 || items[kept - 1].buffer != items[i].buffer || items[kept - 1].offset != items[i].offset) {
            items[kept++] = items[i];
        }
    }
    seed->places.count = kept;
    sw_sort(items, kept, sizeof *items, by_promise);
}

static bool list_seed(struct sw_suggest *suggest, struct suggest_seed *seed, const struct sw_layout *layout,
                      struct sw_error *error) {
    const struct sw_problem *problem = sw_layout_problem(layout);
    struct chain_list chain = {0};
    struct place_list list = {.seed = seed, .layout = layout, .tier = suggest->peak.tier, .good = true};
    seed->places.count = seed->next = 0;
    bool good = find_chain(layout, &chain);
    for (size_t i = 0; good && i < chain.blocks.count && seed->places.count < SUGGEST_PLACES && has_room(&list); i++) {
        uint32_t b = chain.blocks.items[i].buffer;
        const struct sw_buffer *buffer = sw_problem_buffer(problem, b);
        struct sw_placement at;
        struct sw_pin pin;
        if (buffer->size == 0 || sw_rules_pin(problem, sw_search_rules(suggest->base), b, &pin) ||
            (seed->pinned && seed->first.buffer == b) || !sw_suggest_lies_in(layout, b, list.tier, &at)) {
            continue;
        }
        list.buffer = b;
        list.rank = chain.blocks.items[i].distance;
        list.size = buffer->size;
        list.alignment = buffer->alignment;
        list.here = at.offset;
        list.below = suggest->peak.bytes - 1;
        list_pin_places(&list, suggest->bound);
        good = list.good;
    }
    suggest->work += seed->places.count / 4;
    SW_ARRAY_DONE(&chain.blocks);
    sort_places(seed);
    seed->listed = good;
    return good || sw_fail_memory(error);
}

/* The decision before which the block can be pinned there: the first that placed it, or anything in the way; 0: it
 * cannot, as something lies there that no decision placed. */
static uint64_t before_which(struct sw_suggest *suggest, const struct sw_layout *layout,
                             const struct suggest_place *place) {
    const struct sw_problem *problem = sw_layout_problem(layout);
    struct sw_neighbors near = sw_problem_neighbors(problem, place->buffer);
    uint64_t size = sw_problem_buffer(problem, place->buffer)->size;
    uint64_t before = sw_layout_made(layout, place->buffer, 0);
    struct sw_placement at;
    uint64_t visited = 0;
    for (uint32_t b; before > 0 && (b = sw_neighbors_next(&near)) != SW_NONE; visited++) {
        if (sw_layout_placement(layout, b, 0, &at) && at.tier == suggest->peak.tier &&
            at.offset < place->offset + size && place->offset < at.offset + sw_problem_buffer(problem, b)->size &&
            sw_problem_collide(problem, place->buffer, place->offset, b, at.offset)) {
            before = SW_MIN(before, sw_layout_made(layout, b, 0));
        }
    }
    suggest->work += 4 + visited / 8;
    return before;
}

static struct sw_override pin_at(const struct sw_suggest *suggest, const struct suggest_place *place) {
    return (struct sw_override){
        .kind = SW_OVERRIDE_PIN, .buffer = place->buffer, .tier = suggest->peak.tier, .offset = place->offset};
}

enum sw_step sw_suggest_next_pin(struct sw_suggest *suggest, struct sw_suggestion *of, struct sw_error *error) {
    struct suggest_seed *own = &suggest->own;
    const struct sw_layout *layout = sw_search_layout(suggest->base);
    if (!own->listed && !list_seed(suggest, own, layout, error)) {
        return SW_STEP_FAILED;
    }
    while (own->next < own->places.count) {
        const struct suggest_place *place = &own->places.items[own->next++];
        uint64_t before = before_which(suggest, layout, place);
        if (before > 0) {
            of->kind = SW_SUGGEST_PIN;
            of->count = 1;
            of->before = before;
            of->overrides[0] = pin_at(suggest, place);
            return SW_STEP_MORE;
        }
    }
    return SW_STEP_DONE;
}

/* ---- a second pin ---- */

void sw_suggest_seed_done(struct suggest_seed *seed) {
    sw_layout_free((struct sw_layout *)seed->layout);
    SW_ARRAY_DONE(&seed->places);
}

bool sw_suggest_offer_seed(struct sw_suggest *suggest, const struct suggest_trial *trial, struct sw_error *error) {
    uint64_t peak = trial->of.peak;
    size_t at = suggest->seeds.count;
    while (at > 0 && suggest->seeds.items[at - 1].peak > peak) {
        at--;
    }
    if (at == SUGGEST_SEEDS) {
        return true;
    }
    struct suggest_seed seed = {
        .pinned = true, .first = trial->of.overrides[0], .before = trial->of.before, .peak = peak};
    seed.layout = sw_layout_clone(sw_search_layout(trial->search), error);
    if (!seed.layout || !SW_RESERVE(&suggest->seeds, SUGGEST_SEEDS)) {
        sw_suggest_seed_done(&seed);
        return sw_fail_memory(error);
    }
    if (suggest->seeds.count == SUGGEST_SEEDS) {
        sw_suggest_seed_done(&suggest->seeds.items[--suggest->seeds.count]);
    }
    memmove(&suggest->seeds.items[at + 1], &suggest->seeds.items[at],
            (suggest->seeds.count - at) * sizeof *suggest->seeds.items);
    suggest->seeds.items[at] = seed;
    suggest->seeds.count++;
    return true;
}

/* The seeds take turns, a few places each, the best one first. */
enum sw_step sw_suggest_next_pair(struct sw_suggest *suggest, struct sw_suggestion *of, struct sw_error *error) {
    enum { TURN = 32 };
    for (uint32_t idle = 0; idle <= suggest->seeds.count && suggest->seeds.count > 0;) {
        struct suggest_seed *seed = &suggest->seeds.items[suggest->at % suggest->seeds.count];
        if (!seed->listed && !list_seed(suggest, seed, seed->layout, error)) {
            return SW_STEP_FAILED;
        }
        if (seed->next == seed->places.count || suggest->of >= TURN) {
            idle += seed->next == seed->places.count;
            suggest->at++;
            suggest->of = 0;
            continue;
        }
        const struct suggest_place *place = &seed->places.items[seed->next++];
        uint64_t before = before_which(suggest, seed->layout, place);
        suggest->of++;
        if (before > 0) {
            of->kind = SW_SUGGEST_PINS;
            of->count = 2;
            of->before = SW_MIN(before, seed->before);
            of->overrides[0] = seed->first;
            of->overrides[1] = pin_at(suggest, place);
            return SW_STEP_MORE;
        }
    }
    return SW_STEP_DONE;
}
