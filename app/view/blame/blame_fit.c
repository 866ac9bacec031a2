/* What does not fit into a tier: which buffer, at which step, how many bytes are missing, and what
 * would make room. */
#include "view/blame/blame.h"
#include "planners/planner.h"
#include "view/blame/misfit.h"

enum { MOST_SHOWN = 5, MAKERS_LOOKED_AT = 200000 };

/* A buffer that found no room below the capacity. */
struct misfit {
    struct sw_misfit of; /* `available` and `hole`: what is free for it */
    uint64_t capacity;
    bool several; /* tiers, of which the misfit's has the largest hole; what is available is so in all of them */
    bool moves;   /* the planner moves buffers: the figures are of that step alone */
    bool fits;    /* as things lie now there is room for it */
    uint64_t place;
};

/* What is free for it as things lie now. */
static void look_for_room(struct sw_lines *lines, struct misfit *misfit, bool told) {
    struct sw_gaps gaps = {0};
    struct sw_room room = {0};
    if (misfit->of.tier != SW_NONE &&
        !sw_blame_room(&gaps, sw_search_layout(lines->search), sw_search_rules(lines->search), misfit->of.buffer,
                       misfit->of.tier, misfit->capacity, &room)) {
        lines->scene->failed = true;
    }
    sw_gaps_done(&gaps);
    misfit->of.available = told ? misfit->of.available : room.all;
    misfit->of.hole = told ? misfit->of.hole : room.largest;
    misfit->fits = room.fits;
    misfit->place = room.place;
}

static bool find_misfit(struct sw_lines *lines, struct misfit *misfit) {
    *misfit = (struct misfit){.of.tier = SW_NONE};
    if (sw_search_at(lines->search) == sw_search_known(lines->search) &&
        sw_misfit_unplaced(lines->search, &misfit->of)) {
        uint32_t tier = misfit->of.tier;
        misfit->several = tier != SW_NONE && sw_problem_tier_count(lines->problem) > 1;
        misfit->capacity = tier == SW_NONE ? 0 : sw_problem_tier(lines->problem, tier)->capacity;
        unsigned needs = sw_search_planner(lines->search)->needs & (SW_NEEDS_ACCESSES | SW_NEEDS_TIERS);
        misfit->moves = needs == SW_NEEDS_ACCESSES; /* one that looks at accesses without prices moves what waits */
        if (!misfit->moves) {                       /* else what lies where is not the layout's */
            look_for_room(lines, misfit, true);
        }
        return true;
    }
    bool any;
    if (!sw_misfit_of(lines->search, &misfit->of, &any)) {
        lines->scene->failed = true;
        return false;
    }
    if (!any) {
        return false;
    }
    misfit->capacity = misfit->of.available;
    look_for_room(lines, misfit, false);
    return true;
}

/* " of SRAM", where several were tried. */
static const char *of_tier(const struct sw_lines *lines, const struct misfit *misfit) {
    return misfit->several
               ? sw_scene_printf(lines->scene, " of %s", sw_problem_tier(lines->problem, misfit->of.tier)->name)
               : "";
}

/* What is wrong with the room that there is. */
static const char *room_words(const struct sw_lines *lines, const struct misfit *misfit, uint64_t size) {
    if (misfit->fits) {
        return sw_scene_printf(lines->scene, ". As things lie now there is room for it at %s%s",
                               sw_lines_bytes(lines, misfit->place + lines->in->run.base), of_tier(lines, misfit));
    }
    if (size > misfit->of.available) {
        return sw_scene_printf(lines->scene, ": %s are missing", sw_lines_bytes(lines, size - misfit->of.available));
    }
    return size > misfit->of.hole ? ": enough, but in pieces" : ", but not where it may lie";
}

static void say_misfit(struct sw_lines *lines, const struct misfit *misfit) {
    const struct sw_buffer *buffer = sw_problem_buffer(lines->problem, misfit->of.buffer);
    const char *name = misfit->several ? sw_problem_tier(lines->problem, misfit->of.tier)->name : "";
    const char *tier =
        misfit->of.tier == SW_NONE || misfit->several
            ? "any tier"
            : sw_scene_printf(lines->scene, "%s (%s)", sw_problem_tier(lines->problem, misfit->of.tier)->name,
                              sw_lines_bytes(lines, misfit->capacity));
    sw_lines_textf(lines, SW_STYLE_ERROR, "%s does not fit into %s at %s.", buffer->name, tier,
                   sw_lines_when(lines, misfit->of.time));
    sw_lines_textf(lines, SW_STYLE_TEXT, "It needs %s; %s are free %s%s, the largest hole%s%s has %s%s.",
                   sw_lines_bytes(lines, buffer->size), sw_lines_bytes(lines, misfit->of.available),
                   misfit->moves ? "then" : "during its life", misfit->several ? " in all tiers together" : "",
                   misfit->several ? ", in " : "", misfit->several ? sw_scene_printf(lines->scene, "%s,", name) : "",
                   sw_lines_bytes(lines, misfit->of.hole), room_words(lines, misfit, buffer->size));
    if (misfit->of.step) {
        sw_lines_textf(lines, SW_STYLE_TEXT, "Decision %s put it above the capacity, by %s (goto %s).",
                       SW_COUNT(misfit->of.step), sw_lines_bytes(lines, misfit->of.excess), SW_COUNT(misfit->of.step));
    }
    if (misfit->of.blocks > 1) {
        sw_lines_textf(lines, SW_STYLE_TEXT, "It was the first: %s blocks end above the capacity, the highest at %s.",
                       SW_COUNT(misfit->of.blocks), sw_lines_bytes(lines, misfit->of.top));
    }
}

/* ---- what would make room ---- */

/* The smallest of those that could make room. Beside a block that is away there is on each side at most the largest
 * hole: smaller ones cannot make room. `neighbors`: how many neighbors it has. */
static void find_smallest(const struct sw_search *search, uint32_t buffer, uint32_t tier, uint64_t top, uint64_t least,
                          struct sw_first_buffers *list, size_t *neighbors) {
    const struct sw_problem *problem = sw_search_problem(search);
    const struct sw_layout *layout = sw_search_layout(search);
    struct sw_neighbors near = sw_problem_neighbors(problem, buffer);
    *list = (struct sw_first_buffers){0};
    *neighbors = 0;
    for (uint32_t b; (b = sw_neighbors_next(&near)) != SW_NONE;) {
        struct sw_placement place;
        struct sw_pin pin;
        uint64_t size = sw_problem_buffer(problem, b)->size;
        ++*neighbors;
        if (size >= least && sw_layout_placement(layout, b, 0, &place) && place.tier == tier && place.offset < top &&
            !sw_rules_pin(problem, sw_search_rules(search), b, &pin)) {
            sw_first_buffers_offer(list, b, size, false);
        }
    }
}

/* Lift one after the other out of a copy of the layout, look, and put it back. */
static bool try_makers(struct sw_layout *layout, const struct sw_rules *rules, uint32_t buffer, uint32_t tier,
                       uint64_t top, const struct sw_first_buffers *list, size_t neighbors, struct sw_makers *makers) {
    struct sw_gaps gaps = {0};
    size_t most = MAKERS_LOOKED_AT / (neighbors + 1) + 1;
    bool good = true;
    for (size_t i = 0; good && i < list->count && i < most; i++) {
        struct sw_placement place, second;
        struct sw_room room;
        if (!sw_layout_placement(layout, list->items[i].buffer, 0, &place) ||
            sw_layout_placement(layout, list->items[i].buffer, 1, &second)) {
            continue; /* it moves in mid-life */
        }
        good = sw_layout_lift(layout, list->items[i].buffer) &&
               sw_blame_room(&gaps, layout, rules, buffer, tier, top, &room) &&
               sw_layout_place(layout, list->items[i].buffer, place.tier, place.offset);
        makers->tried += good;
        if (good && room.fits) {
            makers->buffers[makers->count] = list->items[i].buffer;
            makers->places[makers->count++] = room.place;
        }
    }
    sw_gaps_done(&gaps);
    return good;
}

/* With everything away that is not pinned. */
static bool try_empty(const struct sw_search *search, uint32_t buffer, uint32_t tier, uint64_t top, bool *fits) {
    struct sw_layout *empty = sw_layout_new(sw_search_problem(search), NULL);
    struct sw_gaps gaps = {0};
    struct sw_room room = {0};
    bool good = empty && sw_blame_room(&gaps, empty, sw_search_rules(search), buffer, tier, top, &room);
    sw_gaps_done(&gaps);
    sw_layout_free(empty);
    *fits = room.fits;
    return good;
}

bool sw_blame_makers(const struct sw_search *search, uint32_t buffer, uint32_t tier, uint64_t top,
                     struct sw_makers *makers) {
    const struct sw_rules *rules = sw_search_rules(search);
    uint64_t size = sw_problem_buffer(sw_search_problem(search), buffer)->size;
    struct sw_gaps gaps = {0};
    struct sw_room room;
    struct sw_first_buffers list;
    size_t neighbors;
    *makers = (struct sw_makers){0};
    bool good = sw_blame_room(&gaps, sw_search_layout(search), rules, buffer, tier, top, &room);
    sw_gaps_done(&gaps);
    if (!good) {
        return false;
    }
    uint64_t beside = 2 * room.largest;
    find_smallest(search, buffer, tier, top, size > beside ? size - beside : 1, &list, &neighbors);
    struct sw_layout *copy = sw_layout_clone(sw_search_layout(search), NULL);
    good = copy && try_makers(copy, rules, buffer, tier, top, &list, neighbors, makers) &&
           try_empty(search, buffer, tier, top, &makers->emptied);
    makers->left_out = list.total - makers->tried;
    sw_layout_free(copy);
    return good;
}

static void say_makers(struct sw_lines *lines, const struct misfit *misfit) {
    const struct sw_buffer *buffer = sw_problem_buffer(lines->problem, misfit->of.buffer);
    struct sw_makers makers;
    const char *name = sw_problem_tier(lines->problem, misfit->of.tier)->name;
    const char *tier = misfit->several ? name : "the tier";
    const char *in = misfit->several ? sw_scene_printf(lines->scene, " in %s", name) : "";
    if (!sw_blame_makers(lines->search, misfit->of.buffer, misfit->of.tier, misfit->capacity, &makers)) {
        lines->scene->failed = true;
        return;
    }
    for (size_t i = 0; i < makers.count && i < MOST_SHOWN; i++) {
        const struct sw_buffer *maker = sw_problem_buffer(lines->problem, makers.buffers[i]);
        sw_lines_textf(lines, SW_STYLE_FITS,
                       "With %s (%s) elsewhere, in another tier or at another address, it "
                       "would fit at %s%s.",
                       maker->name, sw_lines_bytes(lines, maker->size),
                       sw_lines_bytes(lines, makers.places[i] + lines->in->run.base), of_tier(lines, misfit));
    }
    if (!makers.emptied) {
        sw_lines_text(
            lines, SW_STYLE_TEXT,
            buffer->size > misfit->capacity
                ? sw_scene_printf(lines->scene, "It is larger than %s.", tier)
                : sw_scene_printf(lines->scene, "Pins and reserved ranges alone leave no room for it%s.", in));
    } else if (makers.count == 0) {
        sw_lines_text(
            lines, SW_STYLE_TEXT,
            makers.left_out == 0
                ? sw_scene_printf(lines->scene,
                                  "No single block that may move makes room for it%s: two or more would have to lie "
                                  "elsewhere.",
                                  in)
                : sw_scene_printf(lines->scene, "None of the blocks tried makes room for it%s alone.", in));
    }
    if (makers.left_out > 0) {
        sw_lines_textf(lines, SW_STYLE_DIM, "%s more block%s not tried.", SW_COUNT(makers.left_out),
                       makers.left_out == 1 ? " was" : "s were");
    }
}

void sw_blame_fit(struct sw_lines *lines) {
    struct misfit misfit;
    if (!find_misfit(lines, &misfit)) {
        return;
    }
    say_misfit(lines, &misfit);
    uint64_t bound = sw_problem_lower_bound(lines->problem);
    if (misfit.of.tier != SW_NONE && sw_problem_tier_count(lines->problem) == 1 && bound > misfit.capacity) {
        sw_lines_textf(lines, SW_STYLE_TEXT,
                       "No layout%s fits: %s are alive at once, %s more than there "
                       "are.%s",
                       sw_view_bound_remark(lines->in), sw_lines_bytes(lines, bound),
                       sw_lines_bytes(lines, bound - misfit.capacity),
                       lines->in->run.rivals ? "" : " See below for what would lower that.");
    } else if (misfit.of.tier != SW_NONE && !misfit.fits && !misfit.moves) {
        say_makers(lines, &misfit);
    }
    sw_lines_blank(lines);
}
