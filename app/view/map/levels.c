/* Sums over what lies in memory at each step. */
#include "view/map/levels.h"
#include "base/sort.h"
#include "base/base.h"
#include "view/facts.h"

/* ---- blocks ---- */

static void add_placed_pieces(struct sw_levels *levels, const struct sw_placement *place) {
    const struct sw_buffer *buffer = sw_problem_buffer(levels->problem, place->buffer);
    uint64_t *use = levels->tiers[place->tier].use;
    for (uint32_t k = 0; k < buffer->piece_count; k++) {
        const struct sw_piece *piece = &buffer->pieces[k];
        uint32_t from = SW_MAX(piece->first, place->span.from);
        uint32_t to = SW_MIN(piece->last, place->span.to);
        if (from <= to && to < levels->steps) {
            use[from] += piece->hi - piece->lo;
            use[to + 1] -= piece->hi - piece->lo; /* wraps; the sum does not */
        }
    }
}

/* A block that lies in one place for its whole life; most of a million do, and are told by their
 * packed rows. `by` is its size, or what takes it out again. */
static void add_whole_block(struct sw_levels *levels, const struct sw_layout_block *block, uint64_t by) {
    uint64_t *use = levels->tiers[block->tier].use;
    use[block->first] += by;
    use[block->last + 1] -= by; /* wraps; the sum does not */
}

static void add_layout_blocks(struct sw_levels *levels, const struct sw_layout *layout) {
    enum { LEVEL_BATCH = 256 };
    struct sw_layout_block blocks[LEVEL_BATCH];
    struct sw_placement place;
    uint32_t rank = 0;
    levels->simple = true;
    for (size_t some; (some = sw_layout_blocks(layout, &rank, blocks, LEVEL_BATCH)) > 0;) {
        for (size_t i = 0; i < some; i++) {
            if (blocks[i].whole) {
                add_whole_block(levels, &blocks[i], blocks[i].hi - blocks[i].lo);
                continue;
            }
            levels->simple = false;
            for (uint32_t k = 0; sw_layout_placement(layout, blocks[i].buffer, k, &place); k++) {
                add_placed_pieces(levels, &place);
            }
        }
    }
}

/* From what changes at each step to what is there. */
static void sum_levels(struct sw_levels *levels) {
    for (uint32_t t = 0; t < levels->count; t++) {
        uint64_t *use = levels->tiers[t].use, sum = 0;
        for (uint32_t step = 0; step <= levels->steps; step++) {
            sum += use[step];
            use[step] = sum;
        }
    }
}

static void find_most(struct sw_levels *levels) {
    for (uint32_t t = 0; t < levels->count; t++) {
        struct sw_tier_use *level = &levels->tiers[t];
        level->most = 0;
        level->when = 0;
        for (uint32_t step = 0; step < levels->steps; step++) {
            if (level->use[step] > level->most) {
                level->most = level->use[step];
                level->when = step;
            }
        }
    }
}

/* ---- bytes that are shared ---- */

struct level_steps {
    uint64_t lo, hi;
    uint32_t tier;
};

SW_BY_FIELDS(compare_step_ranges, struct level_steps, SW_UP(tier), SW_UP(lo))

/* Bytes that two buffers hold by permission count once. */
static void measure_step(struct sw_levels *levels, const struct sw_layout *layout, uint32_t step,
                         struct level_steps *ranges, size_t room) {
    struct sw_neighbors alive = sw_problem_alive(levels->problem, step, step);
    size_t count = 0;
    uint64_t top = 0;
    for (uint32_t b; (b = sw_neighbors_next(&alive)) != SW_NONE;) {
        const struct sw_buffer *buffer = sw_problem_buffer(levels->problem, b);
        struct sw_placement place;
        if (!sw_layout_at(layout, b, step, &place)) {
            continue;
        }
        for (uint32_t k = 0; k < buffer->piece_count && count < room; k++) {
            const struct sw_piece *piece = &buffer->pieces[k];
            if (piece->first <= step && step <= piece->last) {
                ranges[count++] = (struct level_steps){place.offset + piece->lo, place.offset + piece->hi, place.tier};
            }
        }
    }
    if (count > 1) {
        qsort(ranges, count, sizeof *ranges, compare_step_ranges);
    }
    for (uint32_t t = 0; t < levels->count; t++) {
        levels->tiers[t].use[step] = 0;
    }
    for (size_t i = 0; i < count; i++) {
        top = i && ranges[i].tier == ranges[i - 1].tier ? top : 0;
        uint64_t from = SW_MAX(ranges[i].lo, top);
        levels->tiers[ranges[i].tier].use[step] += ranges[i].hi > from ? ranges[i].hi - from : 0;
        top = SW_MAX(ranges[i].hi, top);
    }
}

static bool measure_shared(struct sw_levels *levels, const struct sw_layout *layout) {
    size_t room = 1;
    for (uint32_t b = 0; b < sw_problem_buffer_count(levels->problem); b++) {
        room += sw_problem_buffer(levels->problem, b)->piece_count;
    }
    struct level_steps *ranges = SW_NEW(struct level_steps, room);
    for (uint32_t step = 0; ranges && step < levels->steps; step++) {
        measure_step(levels, layout, step, ranges, room);
    }
    SW_FREE(ranges, room);
    return ranges != NULL;
}

/* ---- all of it ---- */

static bool shares(const struct sw_levels *levels, const struct sw_layout *layout) {
    return sw_layout_permit_count(layout) > 0 || sw_problem_origin(levels->problem) != levels->problem;
}

bool sw_levels_open(struct sw_levels *levels, const struct sw_layout *layout) {
    const struct sw_problem *problem = sw_layout_problem(layout);
    bool good = true;
    *levels = (struct sw_levels){
        .problem = problem, .steps = sw_problem_steps(problem), .count = sw_problem_tier_count(problem)};
    for (uint32_t t = 0; t < levels->count; t++) {
        levels->tiers[t].use = SW_NEW_ZERO(uint64_t, (size_t)levels->steps + 1);
        good = good && levels->tiers[t].use;
    }
    if (good) {
        add_layout_blocks(levels, layout);
        sum_levels(levels);
        if (shares(levels, layout)) {
            levels->simple = false;
            good = measure_shared(levels, layout);
        }
    }
    if (!good) {
        sw_levels_done(levels);
        return false;
    }
    find_most(levels);
    return true;
}

void sw_levels_done(struct sw_levels *levels) {
    for (uint32_t t = 0; t < levels->count; t++) {
        SW_FREE(levels->tiers[t].use, (size_t)levels->steps + 1);
    }
    sw_layout_free(levels->layout);
    *levels = (struct sw_levels){0};
}

/* Take the blocks of `from` that lie elsewhere in `other` out of the sums, or add them. False: not
 * all are simple, or `left`, the steps of them all, are more than it takes to reckon anew. */
static bool change(struct sw_levels *levels, const struct sw_layout *from, const struct sw_layout *other, bool adds,
                   uint64_t *left) {
    enum { LEVEL_BATCH = 64 };
    struct sw_layout_block blocks[LEVEL_BATCH];
    uint32_t rank = 0;
    for (size_t some; (some = sw_layout_blocks_of(from, other, 0, UINT32_MAX, &rank, blocks, LEVEL_BATCH)) > 0;) {
        for (size_t i = 0; i < some; i++) {
            const struct sw_layout_block *block = &blocks[i];
            uint64_t size = block->hi - block->lo, steps = (uint64_t)block->last - block->first + 1;
            if (!block->whole || steps > *left) {
                return false;
            }
            *left -= steps;
            for (uint32_t step = block->first; step <= block->last; step++) {
                levels->tiers[block->tier].use[step] += adds ? size : 0 - size;
            }
        }
    }
    return true;
}

bool sw_levels_follow(struct sw_levels *levels, const struct sw_layout *layout) {
    uint64_t left = 2 * (uint64_t)levels->steps;
    if (!levels->simple || shares(levels, layout) || !change(levels, levels->layout, layout, false, &left) ||
        !change(levels, layout, levels->layout, true, &left)) {
        return false;
    }
    if (left < 2 * (uint64_t)levels->steps) { /* else nothing has changed */
        find_most(levels);
    }
    return true;
}

bool sw_most_in_use(const struct sw_layout *layout, uint64_t most[SW_MAX_TIERS]) {
    struct sw_levels levels;
    if (!sw_levels_open(&levels, layout)) {
        return false;
    }
    for (uint32_t t = 0; t < levels.count; t++) {
        most[t] = levels.tiers[t].most;
    }
    sw_levels_done(&levels);
    return true;
}
