/* The free spaces without their owners: where they are, and how many obstacles there are. See gaps.h.
 *
 * The covered ranges come from skyline.h, sorted by address; one sweep over them gives the spaces. */
#include "base/minmax.h"
#include "layout/free/indexes.h"
#include "layout/layout_internal.h"
#include "problem/hot.h"

/* Spaces between what is covered, written over it: there are never more of them. Returns how many;
 * `*top` is where the last range ends. Each is written where the next one goes, and stays when it
 * is one: there is no branch to guess. */
static size_t sweep_spaces(uint64_t *words, uint64_t *top) {
    uint64_t cursor = 0;
    size_t spaces = 0;
    for (size_t i = 0; words[i] != SW_RANGES_END; i++) {
        uint64_t lo = sw_range_lo(words[i]), hi = sw_range_hi(words[i]);
        words[spaces] = cursor << 32 | lo;
        spaces += lo > cursor;
        cursor = SW_MAX(hi, cursor);
    }
    *top = cursor;
    return spaces;
}

/* There is room for it. */
static void glance_gap(struct sw_gaps *gaps, uint64_t lo, uint64_t hi, uint64_t alignment) {
    uint64_t start = alignment == 1 ? lo : sw_align_up(lo, alignment);
    gaps->gaps.items[gaps->gaps.count++] = (struct sw_gap){lo, hi, start, SW_NONE, SW_NONE};
}

/* Turn what the skyline says into gaps. */
static bool add_gaps(struct sw_gaps *gaps, uint64_t alignment, uint64_t top) {
    struct sw_skyline *skyline = &gaps->indexes->skyline;
    unsigned shift = skyline->shift;
    uint64_t *words = skyline->covered.items, cursor;
    size_t spaces = sweep_spaces(words, &cursor), i = 0;
    if (!SW_RESERVE(&gaps->gaps, spaces + 1)) {
        return false;
    }
    cursor <<= shift;
    for (; i < spaces && sw_range_hi(words[i]) << shift < top; i++) {
        glance_gap(gaps, sw_range_lo(words[i]) << shift, sw_range_hi(words[i]) << shift, alignment);
    }
    cursor = i < spaces ? sw_range_lo(words[i]) << shift : cursor; /* nothing above the top matters */
    if (cursor < top) {
        glance_gap(gaps, cursor, top, alignment);
    }
    return true;
}

/* Not where there are other obstacles than blocks, which may begin and end anywhere, nor for a
 * block that is placed already, for it would be in its own way. */
static bool is_easy(const struct sw_layout *layout, const struct sw_rules *rules, uint32_t buffer) {
    return !(rules && (rules->pins.count > 0 || rules->forbids.count > 0)) &&
           sw_problem_buffer(layout->problem, buffer)->size > 0 && !sw_layout_placed(layout, buffer);
}

bool sw_gaps_glance(struct sw_gaps *gaps, const struct sw_layout *layout, const struct sw_rules *rules, uint32_t buffer,
                    uint32_t tier, uint64_t top) {
    const struct sw_problem *problem = layout->problem;
    if (!sw_gaps_indexes(gaps)) {
        return false;
    }
    struct sw_skyline *skyline = &gaps->indexes->skyline;
    if (!is_easy(layout, rules, buffer) || !sw_skyline_ready(skyline, layout, buffer)) {
        uint64_t before = gaps->visited;
        bool ok = sw_gaps_find(gaps, layout, rules, buffer, SW_WHOLE_LIFE, tier, top);
        skyline->follow.owed += gaps->visited - before + 1;
        gaps->in_the_way = gaps->bounds.count;
        return ok;
    }
    const struct sw_hot *own = &sw_problem_hot(problem)[sw_problem_rank(problem, buffer).at];
    gaps->gaps.count = 0;
    /* What is counted is the question, not how it was answered: all that live with it, placed or
     * not. */
    gaps->visited += sw_problem_alive_count(problem, own->first, own->last) - 1;
    if (!sw_skyline_look(skyline, problem, own->first, own->last)) {
        return false;
    }
    gaps->live = skyline->live;
    gaps->in_the_way = skyline->blocks;
    return add_gaps(gaps, sw_problem_buffer(problem, buffer)->alignment, top);
}
