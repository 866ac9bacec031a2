/* Filing placed blocks by lifetime. See near.h. */
#include "layout/free/near.h"

#include "layout/layout_internal.h"
#include "problem/hot.h"

#include <string.h>

static uint32_t level_of(const struct sw_hot *hot) {
    uint32_t length = hot->last - hot->first + 1; /* at least 1; 0 when it wraps, which no problem can */
    return 31 - (uint32_t)__builtin_clz(length | 1);
}

static struct sw_near_drawer *drawer_of(struct sw_near *near, const struct sw_hot *hot) {
    uint32_t level = level_of(hot);
    return &near->drawers.items[near->levels[level].first_drawer + (hot->first >> level)];
}

/* Make drawers for the lives of a problem, each with room for all that can be filed in it. */
static bool build_drawers(struct sw_near *near, const struct sw_problem *problem) {
    const struct sw_hot *hot = sw_problem_hot(problem);
    uint32_t count = sw_problem_planned_count(problem), steps = sw_problem_steps(problem);
    uint32_t drawers = 0, begin = 0;
    memset(near->levels, 0, sizeof near->levels);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t level = level_of(&hot[i]);
        near->levels[level].count = ((steps - 1) >> level) + 1;
    }
    for (uint32_t level = 0; level < SW_NEAR_LEVELS; level++) {
        near->levels[level].first_drawer = drawers;
        drawers += near->levels[level].count; /* below 2 * steps in all */
    }
    near->drawers.count = near->blocks.count = 0;
    if (!SW_RESERVE(&near->drawers, drawers) || !SW_RESERVE(&near->blocks, count)) {
        return false;
    }
    near->drawers.count = drawers;
    near->blocks.count = count;
    memset(near->drawers.items, 0, drawers * sizeof *near->drawers.items);
    for (uint32_t i = 0; i < count; i++) {
        drawer_of(near, &hot[i])->count++;
    }
    for (uint32_t i = 0; i < drawers; i++) {
        near->drawers.items[i].begin = begin;
        begin += near->drawers.items[i].count;
    }
    return true;
}

static void file_block(struct sw_near *near, const struct sw_hot *hot, const struct sw_layout_slot *slot) {
    struct sw_near_drawer *drawer = drawer_of(near, hot);
    near->blocks.items[drawer->begin + drawer->count++] = (struct sw_near_block){
        hot->first, hot->last, hot->buffer, slot->tier - 1U, slot->offset, slot->offset + hot->size};
}

static bool enter_near(void *index, const struct sw_layout *layout, uint32_t rank, uint64_t offset) {
    (void)offset; /* the slot has it */
    file_block(index, &sw_problem_hot(layout->problem)[rank], sw_cow_get(&layout->slots, rank));
    return true;
}

static bool file_all(void *index, const struct sw_layout *layout, bool fresh) {
    struct sw_near *near = index;
    const struct sw_problem *problem = layout->problem;
    const struct sw_hot *hot = sw_problem_hot(problem);
    if (fresh && !build_drawers(near, problem)) {
        return false;
    }
    for (size_t i = 0; i < near->drawers.count; i++) {
        near->drawers.items[i].count = 0;
    }
    for (uint32_t i = 0; layout->placed > 0 && i < sw_problem_planned_count(problem); i++) {
        const struct sw_layout_slot *slot = sw_cow_get(&layout->slots, i);
        if (slot->tier != 0 && hot[i].size > 0) {
            file_block(near, &hot[i], slot);
        }
    }
    return true;
}

bool sw_near_ready(struct sw_near *near, const struct sw_layout *layout, uint32_t buffer) {
    static const struct sw_follower follower = {.enter = enter_near, .fill = file_all};
    return sw_problem_simple(layout->problem) && layout->spans.count == 0 &&
           sw_follow_ready(&near->follow, layout, buffer, &follower, near);
}

void sw_near_done(struct sw_near *near) {
    SW_ARRAY_DONE(&near->drawers, &near->blocks);
    *near = (struct sw_near){0};
}
