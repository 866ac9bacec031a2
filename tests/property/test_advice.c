/* What the blame advises comes true, on random problems: every change that it tried is made, and the bound
 * is what was said; what it says would make room for a buffer is done, and every offset tried. */
#include "share.h"
#include "model.h"

#include "view/blame/blame.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SHARE = 1000, FULL = 10000 };

static uint64_t edits, helpful, together, marked, misfits, makers, roomy;

/* ---- the bound ---- */

static void check_edits(const struct model *m, const struct sw_problem *problem, const struct sw_edit *list,
                        size_t count, const struct sw_changed_bound *bound) {
    struct sw_error error = {0};
    struct sw_problem *changed = sw_problem_changed(problem, list, count, &error);
    check_that(changed != NULL, m, "advice", "%s", error.message);
    uint64_t most = 0;
    for (uint32_t s = 0; s < sw_problem_steps(changed); s++) {
        uint64_t live = sw_problem_profile(changed)[s];
        most = live > most ? live : most;
    }
    uint32_t clique;
    bool proof = sw_problem_bound_clique(changed, &clique) != NULL;
    check_that(proof || most == bound->bytes, m, "advice", "%llu alive, not %llu", (unsigned long long)most,
               (unsigned long long)bound->bytes);
    check_that(sw_problem_lower_bound(changed) == bound->bytes, m, "advice", "another bound");
    sw_problem_unref(changed);
    edits++;
}

static void check_tries(const struct model *m, const struct sw_problem *problem, const struct sw_tries *tries) {
    for (size_t i = 0; i < tries->count; i++) {
        const struct sw_tried *one = &tries->items[i];
        check_edits(m, problem, &one->edit, 1, &one->bound);
        check_that(i == 0 || tries->items[i - 1].bound.bytes <= one->bound.bytes, m, "advice", "the best is not first");
        helpful += one->bound.bytes < sw_problem_lower_bound(problem);
    }
    check_that((tries->refused == 0) == (tries->why[0] == '\0'), m, "advice", "no reason");
}

/* Nothing that can be done at the step is missing from what was tried. */
static void check_all_tried(const struct model *m, const struct sw_problem *problem, const struct sw_advice *advice) {
    uint32_t step = sw_problem_bound_step(problem), waiting = 0, from, to;
    size_t spills = 0, again = 0;
    for (uint32_t b = 0; b < sw_problem_buffer_count(problem); b++) {
        struct sw_edit edit = {SW_EDIT_SPILL, step, b, 0, 0};
        waiting += sw_problem_waits(problem, b, step, &from, &to);
        spills += sw_problem_may_change(problem, &edit, NULL);
        edit.kind = SW_EDIT_RECOMPUTE;
        again += sw_problem_may_change(problem, &edit, NULL);
    }
    check_that(waiting == advice->waiting && spills == advice->spills.count && again == advice->again.count, m,
               "advice", "%u wait, %zu spills, %zu recomputations: not all tried", waiting, spills, again);
}

static void check_advice(const struct model *m, const struct sw_problem *problem) {
    struct sw_advice advice;
    uint32_t clique;
    check_that(sw_advice_of(problem, &advice), m, "advice", "no memory");
    check_tries(m, problem, &advice.spills);
    check_tries(m, problem, &advice.again);
    check_tries(m, problem, &advice.inplace);
    check_tries(m, problem, &advice.moves);
    if (advice.has_marked) {
        struct sw_edit all = {.kind = SW_EDIT_INPLACE_MARKED};
        check_edits(m, problem, &all, 1, &advice.marked);
        marked++;
        struct model safe = *m;
        safe.inplace_safe = true; /* as the option does it */
        struct sw_problem *built = model_build(&safe, NULL);
        check_that(sw_problem_lower_bound(built) == advice.marked.bytes, m, "advice", "--inplace safe has %llu",
                   (unsigned long long)sw_problem_lower_bound(built));
        sw_problem_unref(built);
    }
    if (advice.together_count > 0) {
        check_edits(m, problem, advice.together, advice.together_count, &advice.together_bound);
        check_that(advice.together_bound.bytes < sw_problem_lower_bound(problem), m, "advice",
                   "together they do not help");
        together++;
    }
    if (m->cores == 1 && sw_problem_lower_bound(problem) > 0 && !sw_problem_bound_clique(problem, &clique)) {
        check_all_tried(m, problem, &advice);
    }
}

/* ---- room ---- */

/* The lowest place of a buffer below `top` by trying all of them; false: none. */
static bool lowest(const struct sw_layout *layout, uint32_t buffer, uint32_t tier, uint64_t top, uint32_t without,
                   uint64_t *place) {
    const struct sw_problem *problem = sw_layout_problem(layout);
    const struct sw_buffer *it = sw_problem_buffer(problem, buffer);
    size_t ranges;
    const struct sw_reserved *reserved = sw_problem_reserved(problem, &ranges);
    for (uint64_t at = 0; at + it->size <= top; at += it->alignment) {
        bool free_ = true;
        for (size_t i = 0; i < ranges; i++) {
            free_ = free_ && (reserved[i].tier != tier || at >= reserved[i].hi || at + it->size <= reserved[i].lo);
        }
        for (uint32_t b = 0; free_ && b < sw_problem_buffer_count(problem); b++) {
            struct sw_placement other;
            free_ = b == buffer || b == without || !sw_layout_placement(layout, b, 0, &other) || other.tier != tier ||
                    !sw_problem_collide(problem, buffer, at, b, other.offset);
        }
        if (free_) {
            *place = at;
            return true;
        }
    }
    return false;
}

static void check_makers(const struct model *m, const struct sw_search *search, uint32_t buffer, uint32_t tier,
                         uint64_t top) {
    const struct sw_layout *layout = sw_search_layout(search);
    const struct sw_problem *problem = sw_layout_problem(layout);
    struct sw_makers found;
    struct sw_gaps gaps = {0};
    struct sw_room room;
    uint64_t place = 0;
    bool good = sw_blame_makers(search, buffer, tier, top, &found) &&
                sw_blame_room(&gaps, layout, sw_search_rules(search), buffer, tier, top, &room);
    sw_gaps_done(&gaps);
    check_that(good, m, "room", "no memory");
    bool fits = lowest(layout, buffer, tier, top, SW_NONE, &place);
    check_that(fits == room.fits && (!fits || place == room.place), m, "room",
               "b%u fits below %llu: %d at %llu, said %d at %llu", buffer, (unsigned long long)top, fits,
               (unsigned long long)place, room.fits, (unsigned long long)room.place);
    roomy += fits;
    if (fits) {
        return;
    }
    size_t count = 0;
    for (uint32_t b = 0; b < sw_problem_buffer_count(problem); b++) {
        struct sw_placement other;
        if (!sw_problem_buffer(problem, b)->pinned && b != buffer && sw_layout_placement(layout, b, 0, &other) &&
            other.tier == tier && other.offset < top && lowest(layout, buffer, tier, top, b, &place)) {
            bool told = false;
            for (size_t i = 0; i < found.count; i++) {
                told |= found.buffers[i] == b && found.places[i] == place;
            }
            check_that(told, m, "room", "b%u elsewhere makes room for b%u at %llu", b, buffer,
                       (unsigned long long)place);
            count++;
        }
    }
    check_that(count == found.count && found.left_out == 0, m, "room", "%zu make room, not %zu", count, found.count);
    makers += count;
    misfits++;
}

static void check_layout(const struct model *m, struct sw_problem *problem) {
    struct sw_error error = {0};
    struct sw_params params = SW_PARAMS_DEFAULT;
    const struct sw_planner *planner = sw_planner_find("first-fit", NULL);
    struct sw_search *search = sw_search_new(problem, planner, &params, &error);
    if (!search) {
        return; /* pins that contradict each other */
    }
    while (sw_search_step(search, &error) == SW_STEP_MORE) {
    }
    for (uint32_t b = 0; b < sw_problem_buffer_count(problem); b++) {
        struct sw_placement place;
        const struct sw_buffer *buffer = sw_problem_buffer(problem, b);
        if (buffer->size > 0 && !buffer->pinned && sw_layout_placement(sw_search_layout(search), b, 0, &place)) {
            uint64_t top = place.offset + buffer->size - 1;
            check_makers(m, search, b, place.tier, top);
            check_makers(m, search, b, place.tier, place.offset);
        }
    }
    sw_search_free(search);
}

int main(void) {
    struct model *m = calloc(1, sizeof *m);
    bool full = getenv("STOWAGE_LONG") != NULL;
    uint64_t problems = full ? FULL : cases(4 * SHARE), first = base_seed() + (full ? 0 : first_case(4 * SHARE));
    for (uint64_t i = 0; m && i < problems; i++) {
        model_draw(m, first + i);
        m->accesses = m->operator_count == 0;
        struct sw_problem *problem = model_build(m, NULL);
        check_advice(m, problem);
        check_layout(m, problem);
        sw_problem_unref(problem);
    }
    free(m);
    printf("%llu changes made, %llu lower the bound, %llu by marks, %llu together; %llu buffers without "
           "room, %llu blocks that make it, %llu with room\n",
           (unsigned long long)edits, (unsigned long long)helpful, (unsigned long long)marked,
           (unsigned long long)together, (unsigned long long)misfits, (unsigned long long)makers,
           (unsigned long long)roomy);
    if (full) {
        printf("in full: problems advised %llu\n", (unsigned long long)problems);
    }
    return often(edits, 4000) && often(helpful, 800) && often(together, 200) && often(misfits, 4000) &&
                   often(makers, 2000)
               ? 0
               : 1;
}
