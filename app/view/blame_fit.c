/* What does not fit into a tier: which buffer, at which step, how many bytes are missing, and what
 * would make room. */
#include "view/blame.h"
#include "view/misfit.h"

#include <stdlib.h>

enum { MOST_NEAR = 256, MOST_SHOWN = 5 };

/* A buffer that found no room below the capacity. */
struct misfit {
    uint32_t buffer, tier, step;
    uint64_t capacity, available, hole;
    uint64_t excess;   /* by which the run passed the capacity; 0: it gave up */
    uint64_t decision; /* that put it there; 0: none is known */
    uint32_t blocks;   /* that pass the capacity */
    uint64_t top;      /* where the highest of them ends */
};

static bool find(struct sw_lines *lines, struct misfit *misfit) {
    const struct sw_search *search = lines->in->search;
    struct sw_no_room room;
    *misfit = (struct misfit){.tier = SW_NONE};
    if (sw_search_no_room(search, &room) && sw_search_at(search) == sw_search_known(search)) {
        misfit->buffer = room.buffer;
        misfit->tier = room.tier;
        misfit->step = room.time;
        misfit->available = room.available;
        misfit->hole = room.hole;
        misfit->capacity =
            room.tier == SW_NONE ? 0 : sw_problem_tier(lines->problem, room.tier)->capacity;
        return true;
    }
    struct sw_misfit found;
    bool any;
    if (!sw_misfit_of(search, &found, &any)) {
        lines->scene->failed = true;
        return false;
    }
    if (!any) {
        return false;
    }
    misfit->buffer = found.buffer;
    misfit->tier = found.tier;
    misfit->step = found.time;
    misfit->capacity = found.available;
    misfit->excess = found.excess;
    misfit->decision = found.step;
    misfit->blocks = found.blocks;
    misfit->top = found.top;
    if (!sw_blame_room(search, misfit->buffer, SW_NONE, misfit->tier, misfit->capacity,
                       &misfit->available, &misfit->hole)) {
        lines->scene->failed = true;
    }
    return true;
}

static void say_misfit(struct sw_lines *lines, const struct misfit *misfit) {
    const struct sw_buffer *buffer = sw_problem_buffer(lines->problem, misfit->buffer);
    const char *tier = misfit->tier == SW_NONE
                           ? "any tier"
                           : sw_scene_printf(lines->scene, "%s (%s)",
                                             sw_problem_tier(lines->problem, misfit->tier)->name,
                                             sw_lines_bytes(lines, misfit->capacity));
    char at[32];
    sw_lines_text(lines, SW_STYLE_ERROR,
                  sw_scene_printf(lines->scene, "%s does not fit into %s at %s.", buffer->name,
                                  tier, sw_lines_when(lines, misfit->step)));
    uint64_t missing = buffer->size > misfit->available ? buffer->size - misfit->available : 0;
    sw_lines_text(
        lines, SW_STYLE_TEXT,
        sw_scene_printf(
            lines->scene, "It needs %s; %s are free during its life, the largest hole has %s%s.",
            sw_lines_bytes(lines, buffer->size), sw_lines_bytes(lines, misfit->available),
            sw_lines_bytes(lines, misfit->hole),
            missing
                ? sw_scene_printf(lines->scene, ": %s are missing", sw_lines_bytes(lines, missing))
                : ": enough, but in pieces"));
    if (misfit->decision) {
        sw_lines_text(lines, SW_STYLE_TEXT,
                      sw_scene_printf(lines->scene,
                                      "Decision %s put it above the capacity, by %s (goto %s).",
                                      sw_show_count(misfit->decision, at),
                                      sw_lines_bytes(lines, misfit->excess), at));
    }
    if (misfit->blocks > 1) {
        sw_lines_text(lines, SW_STYLE_TEXT,
                      sw_scene_printf(
                          lines->scene,
                          "It was the first: %s blocks end above the capacity, the highest at %s.",
                          sw_show_count(misfit->blocks, at), sw_lines_bytes(lines, misfit->top)));
    }
}

struct near {
    uint32_t buffer;
    uint64_t size;
};

static int by_size(const void *a, const void *b) {
    const struct near *x = a, *y = b;
    int order = (x->size > y->size) - (x->size < y->size);
    return order ? order : (x->buffer > y->buffer) - (x->buffer < y->buffer);
}

/* Smallest first: whatever must be away for it, the less the better. */
static void say_who(struct sw_lines *lines, const struct misfit *misfit) {
    const struct sw_layout *layout = sw_search_layout(lines->in->search);
    uint64_t size = sw_problem_buffer(lines->problem, misfit->buffer)->size, all, hole;
    struct near near[MOST_NEAR];
    size_t count = 0, shown = 0, more = 0;
    struct sw_neighbours list = sw_problem_neighbours(lines->problem, misfit->buffer);
    for (uint32_t b; (b = sw_neighbours_next(&list)) != SW_NONE;) {
        struct sw_placement place;
        if (!sw_layout_placement(layout, b, 0, &place) || place.tier != misfit->tier) {
            continue;
        }
        if (count == MOST_NEAR) {
            more++;
        } else {
            near[count++] = (struct near){b, sw_problem_buffer(lines->problem, b)->size};
        }
    }
    qsort(near, count, sizeof *near, by_size);
    for (size_t i = 0; i < count && shown < MOST_SHOWN && !lines->scene->failed; i++) {
        if (!sw_blame_room(lines->in->search, misfit->buffer, near[i].buffer, misfit->tier,
                           misfit->capacity, &all, &hole)) {
            lines->scene->failed = true;
        } else if (hole >= size) {
            shown++;
            sw_lines_text(lines, SW_STYLE_FITS,
                          sw_scene_printf(lines->scene,
                                          "With %s (%s) elsewhere, in another tier or at another "
                                          "address, it would fit.",
                                          sw_problem_buffer(lines->problem, near[i].buffer)->name,
                                          sw_lines_bytes(lines, near[i].size)));
        }
    }
    if (shown == 0) {
        sw_lines_text(
            lines, SW_STYLE_TEXT,
            "No single block makes room for it: two or more would have to lie elsewhere.");
    }
    if (more > 0) {
        sw_lines_text(lines, SW_STYLE_DIM,
                      sw_scene_printf(lines->scene, "%zu more blocks were not tried.", more));
    }
}

void sw_blame_fit(struct sw_lines *lines) {
    struct misfit misfit;
    if (!find(lines, &misfit)) {
        return;
    }
    say_misfit(lines, &misfit);
    uint64_t bound = sw_problem_lower_bound(lines->problem);
    if (misfit.tier != SW_NONE && sw_problem_tier_count(lines->problem) == 1 &&
        bound > misfit.capacity) {
        sw_lines_text(lines, SW_STYLE_TEXT,
                      sw_scene_printf(lines->scene,
                                      "No layout fits: %s are alive at once, %s more than there "
                                      "are. See below for what would lower that.",
                                      sw_lines_bytes(lines, bound),
                                      sw_lines_bytes(lines, bound - misfit.capacity)));
    } else if (misfit.tier != SW_NONE) {
        say_who(lines, &misfit);
    }
    sw_lines_blank(lines);
}
