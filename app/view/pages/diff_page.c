/* Two plans on one page: the old and the new layout on the same axes, each block by what became of
 * it, the largest changes, the totals, and where the two part. */
#include "formats/format.h"
#include "base/base.h"
#include "view/pages/runs.h"

#include "view/view_internal.h"

#define BETWEEN_SIDES 10.0
#define LEAST_TABLE 290.0 /* of changes */

struct diff_sheet {
    const struct sw_diff_page *pair;
    struct sw_scene *scene;
    struct sw_box box;
    bool raw_time;
    double time_lo, time_hi;     /* what both sides show, as their axis has it */
    double height[SW_MAX_TIERS]; /* bytes; 0: not used on either side */
    uint32_t tiers;              /* used */
};

static const struct sw_problem *side_problem(const struct sw_diff_side *side) {
    return sw_search_problem(side->search);
}

/* ---- what both sides have in common ---- */

/* Steps are the axis where both have the same ones. */
static bool same_steps(const struct sw_problem *p, const struct sw_problem *q) {
    uint32_t steps = SW_MIN(sw_problem_steps(p), sw_problem_steps(q));
    if (sw_problem_time_is_step(p) && sw_problem_time_is_step(q)) {
        return true;
    }
    for (uint32_t i = 0; i <= steps; i++) {
        if (sw_problem_time(p, i) != sw_problem_time(q, i)) {
            return false;
        }
    }
    return sw_problem_steps(p) == sw_problem_steps(q);
}

static void survey_side(struct diff_sheet *page, const struct sw_diff_side *side, uint64_t base) {
    const struct sw_problem *problem = side_problem(side);
    struct sw_view_input in = {.run.search = side->search, .look.raw_time = page->raw_time};
    uint32_t steps = sw_problem_steps(problem);
    if (steps > 0) {
        page->time_lo = fmin(page->time_lo, sw_view_x(&in, 0));
        page->time_hi = fmax(page->time_hi, sw_view_x(&in, steps));
    }
    for (uint32_t t = 0; t < sw_problem_tier_count(problem); t++) {
        if (sw_layout_arena(sw_search_layout(side->search), t) > 0) {
            double hi = sw_viewport_all(side->search, t).bytes_hi - (double)base;
            page->height[t] = fmax(page->height[t], fmax(hi, 1));
        }
    }
}

static void survey_sides(struct diff_sheet *page) {
    const struct sw_diff_page *pair = page->pair;
    page->raw_time = !same_steps(side_problem(&pair->old), side_problem(&pair->fresh));
    page->time_lo = INFINITY;
    page->time_hi = -INFINITY;
    survey_side(page, &pair->old, pair->matching->old.base);
    survey_side(page, &pair->fresh, pair->matching->fresh.base);
    if (page->time_lo >= page->time_hi) {
        page->time_lo = 0;
        page->time_hi = 1;
    }
    for (uint32_t t = 0; t < SW_MAX_TIERS; t++) {
        page->tiers += page->height[t] > 0;
    }
    if (page->tiers == 0) {
        page->height[0] = page->tiers = 1;
    }
}

/* ---- the maps ---- */

static const char *side_peak(const struct diff_sheet *page, const struct sw_diff_side *side) {
    struct sw_scene *scene = page->scene;
    if (side->has_peak) {
        return sw_scene_printf(scene, "peak %s", sw_runs_bytes(scene, side->peak));
    }
    const char *text = sw_runs_tier_peaks(scene, side->search);
    return *text ? text : "no complete layout";
}

static bool fits_memory(const struct sw_diff_side *side) {
    struct sw_metrics metrics;
    sw_metrics_of(sw_search_layout(side->search), &metrics);
    return metrics.fits;
}

static const char *side_maker(const struct diff_sheet *page, const struct sw_diff_side *side) {
    return side->plan ? "a plan" : sw_scene_printf(page->scene, "by %s", SW_SEARCH_LABEL(side->search));
}

/* The same axes for both. */
static struct sw_viewport shared_window(const struct diff_sheet *page, const struct sw_diff_side *side, uint64_t base,
                                        double height) {
    const struct sw_problem *problem = side_problem(side);
    uint32_t steps = sw_problem_steps(problem);
    double lo = page->time_lo, hi = page->time_hi;
    if (page->raw_time && steps > 0) { /* steps go on before the first and after the last */
        lo -= (double)sw_problem_time(problem, 0);
        hi += steps - (double)sw_problem_time(problem, steps);
    }
    return (struct sw_viewport){lo, hi, (double)base, (double)base + height};
}

static void add_side_map(struct diff_sheet *page, bool fresh, uint32_t tier, struct sw_box box, bool first, bool last) {
    const struct sw_diff_side *side = fresh ? &page->pair->fresh : &page->pair->old;
    const struct sw_matched *matched = fresh ? &page->pair->matching->fresh : &page->pair->matching->old;
    double right = fmin(SW_PAGE_RIGHT, box.width * 0.28), gutter = fmin(SW_PAGE_GUTTER, box.width / 4);
    struct sw_furniture furniture = {.has_room = true,
                                     .left = gutter,
                                     .right = right,
                                     .above = first ? SW_PAGE_HEADING : 4,
                                     .below = last ? SW_PAGE_TICKS : 2,
                                     .x_title = true,
                                     .y_title =
                                         page->tiers > 1 ? sw_problem_tier(side_problem(side), tier)->name : "memory",
                                     .x_labels = true,
                                     .y_labels = true};
    struct sw_view_input in = sw_runs_map(&page->pair->page, side->search, tier, &furniture);
    in.look.raw_time = page->raw_time;
    in.run.changes = matched->changes;
    in.run.other = side_problem(fresh ? &page->pair->old : &page->pair->fresh);
    in.look.viewport = shared_window(page, side, matched->base, page->height[tier]);
    sw_view_build_map(&in, page->scene, box, last);
    if (page->scene->failed) {
        return;
    }
    struct sw_panel *panel = &page->scene->panels.items[page->scene->panels.count - 1];
    uint64_t hidden = sw_runs_hidden(page->scene, page->scene->panels.count - 1);
    if (sw_problem_steps(side_problem(side)) == 0) { /* nothing to draw: the other side's axis */
        panel->x.lo = page->time_lo;
        panel->x.hi = page->time_hi;
        panel->x.ticks.count = 0;
    }
    panel->id = fresh ? "new" : "old";
    if (first) {
        panel->title = sw_scene_printf(page->scene, "%s: %s", fresh ? "new" : "old", side_peak(page, side));
        if (!fits_memory(side)) {
            panel->title = sw_scene_printf(page->scene, "%s, does not fit", panel->title);
        }
        const char *more = sw_scene_printf(page->scene, "%s, %s", panel->title, side_maker(page, side));
        bool fits = (double)sw_view_columns(more) * SW_PAGE_CHARACTER * 1.2 < panel->body_width;
        panel->title = fits ? more : panel->title;
        panel->title =
            hidden ? sw_scene_printf(page->scene, "%s, %s too small", panel->title, SW_COUNT(hidden)) : panel->title;
    }
}

static void add_diff_side(struct diff_sheet *page, bool fresh, struct sw_box box) {
    const struct sw_diff_side *side = fresh ? &page->pair->fresh : &page->pair->old;
    uint32_t place = 0;
    double height = (box.height - SW_PAGE_HEADING - SW_PAGE_TICKS) / page->tiers, top = box.top;
    for (uint32_t t = 0; t < SW_MAX_TIERS; t++) {
        if (page->height[t] <= 0) {
            continue;
        }
        bool first = place == 0, last = ++place == page->tiers;
        struct sw_box one = {box.left, top, box.width,
                             height + (first ? SW_PAGE_HEADING : 0) + (last ? SW_PAGE_TICKS : 0)};
        top += one.height;
        if (t < sw_problem_tier_count(side_problem(side))) {
            add_side_map(page, fresh, t, one, first, last);
        }
    }
}

/* ---- the largest changes ---- */

struct block_change {
    const struct sw_buffer *old, *fresh; /* NULL: not there */
    enum sw_change what;
    uint32_t a, b;
    uint64_t weight; /* bytes of it */
};
struct changes {
    SW_ARRAY(struct block_change) items;
};

static bool collect_changes(const struct diff_sheet *page, struct changes *changes) {
    const struct sw_name_matching *m = page->pair->matching;
    const struct sw_problem *p = side_problem(&page->pair->old), *q = side_problem(&page->pair->fresh);
    for (uint32_t a = 0; a < sw_problem_buffer_count(p); a++) {
        const struct sw_buffer *buffer = sw_problem_buffer(p, a);
        enum sw_change what = (enum sw_change)m->old.changes[a];
        uint32_t b = m->old.partners[a];
        if (!buffer->planned || what == SW_CHANGE_SAME) {
            continue;
        }
        struct block_change change = {buffer, b == SW_NONE ? NULL : sw_problem_buffer(q, b), what, a, b, buffer->size};
        if (change.fresh && change.fresh->size > change.weight) {
            change.weight = change.fresh->size;
        }
        if (!SW_PUSH(&changes->items, change)) {
            return false;
        }
    }
    for (uint32_t b = 0; b < sw_problem_buffer_count(q); b++) {
        const struct sw_buffer *buffer = sw_problem_buffer(q, b);
        struct block_change change = {NULL, buffer, SW_CHANGE_ADDED, SW_NONE, b, buffer->size};
        if (buffer->planned && m->fresh.partners[b] == SW_NONE && !SW_PUSH(&changes->items, change)) {
            return false;
        }
    }
    return true;
}

static int larger_change_first(const void *x, const void *y) {
    const struct block_change *a = x, *b = y;
    if (a->weight != b->weight) {
        return a->weight < b->weight ? 1 : -1;
    }
    return a->what != b->what ? (a->what > b->what) - (a->what < b->what)
           : a->a != b->a     ? (a->a > b->a) - (a->a < b->a)
                              : (a->b > b->b) - (a->b < b->b);
}

/* "sram+128", "128". */
static const char *side_place(const struct diff_sheet *page, const struct sw_diff_side *side, uint32_t buffer) {
    struct sw_placement at;
    const struct sw_problem *problem = side_problem(side);
    if (!sw_layout_placement(sw_search_layout(side->search), buffer, 0, &at)) {
        return "nowhere";
    }
    const char *offset = SW_COUNT(at.offset);
    bool several = sw_problem_tier_count(problem) > 1 && at.tier < sw_problem_tier_count(problem);
    return several ? sw_scene_printf(page->scene, "%s+%s", sw_problem_tier(problem, at.tier)->name, offset)
                   : sw_scene_printf(page->scene, "%s", offset);
}

/* What a side says of it, of the kind that changed. */
static const char *said(const struct diff_sheet *page, const struct block_change *change, bool fresh) {
    const struct sw_diff_side *side = fresh ? &page->pair->fresh : &page->pair->old;
    const struct sw_buffer *buffer = fresh ? change->fresh : change->old;
    if (!buffer) {
        return "";
    }
    if (change->what == SW_CHANGE_LIFETIME) {
        return sw_scene_printf(page->scene, "alive %s", sw_view_life(page->scene, side_problem(side), buffer));
    }
    const char *place = side_place(page, side, fresh ? change->b : change->a);
    if (change->what == SW_CHANGE_MOVED) {
        return sw_scene_printf(page->scene, "at %s", place);
    }
    const char *size = sw_runs_bytes(page->scene, buffer->size);
    return change->old && change->fresh && sw_matching_moved(page->pair->matching, change->a, change->b)
               ? sw_scene_printf(page->scene, "%s at %s", size, place)
               : size;
}

/* Its size, where old and new do not say it. */
static const char *change_size(const struct diff_sheet *page, const struct block_change *change) {
    bool same = change->what == SW_CHANGE_LIFETIME || change->what == SW_CHANGE_MOVED;
    return same ? sw_runs_bytes(page->scene, change->weight) : "";
}

static void add_change_row(const struct diff_sheet *page, struct sw_panel *table, const struct block_change *change) {
    struct sw_scene *scene = page->scene;
    const struct sw_buffer *any = change->old ? change->old : change->fresh;
    sw_panel_row(scene, table, SW_NO_ITEM, false);
    sw_panel_cell(scene, table, SW_STYLE_DIM, false, sw_change_look(change->what).name);
    sw_panel_cell(scene, table, SW_STYLE_TEXT, false, any->name);
    sw_panel_cell(scene, table, SW_STYLE_TEXT, true, change_size(page, change));
    sw_panel_cell(scene, table, SW_STYLE_TEXT, true, said(page, change, false));
    sw_panel_cell(scene, table, SW_STYLE_TEXT, true, said(page, change, true));
}

static struct sw_panel *table_at(struct sw_scene *scene, const char *id, const char *title, struct sw_box box) {
    struct sw_panel *panel = sw_scene_panel(scene, SW_PANEL_TABLE, id);
    panel->title = title;
    sw_panel_put(panel, box);
    return panel;
}

static void add_heads(struct sw_scene *scene, struct sw_panel *table) {
    static const char *const heads[] = {"", "buffer", "size", "old", "new"};
    sw_panel_row(scene, table, SW_NO_ITEM, false);
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
        sw_panel_cell(scene, table, SW_STYLE_DIM, i > 1, heads[i]);
    }
}

/* As many tables beside one another as there is room for, or need. */
static void add_list(const struct diff_sheet *page, const struct changes *changes, struct sw_box box) {
    struct sw_scene *scene = page->scene;
    size_t count = changes->items.count, at = 0;
    const char *title = count == 0 ? "no buffer changed"
                                   : sw_scene_printf(scene, "%s changed%s", sw_scene_counted(scene, count, "buffer"),
                                                     count > 1 ? ", the largest first" : "");
    /* Title and heads take room, too. */
    size_t rows = (size_t)fmax(floor((box.height - 4) / SW_PAGE_ROW) - 1, 2);
    size_t tables = (size_t)fmax(floor((box.width + 20) / (LEAST_TABLE + 20)), 1);
    size_t needed = (count + rows - 2) / (rows - 1);
    tables = tables < needed ? tables : needed > 0 ? needed : 1;
    box.width = (box.width + 20) / (double)tables - 20;
    for (size_t k = 0; k < tables && !scene->failed; k++) {
        struct sw_panel *table = table_at(scene, "changes", k ? NULL : title, box);
        table->stretch = 1;
        if (count > 0) {
            add_heads(scene, table);
        }
        for (; at < count && table->rows.count < rows && !scene->failed; at++) {
            add_change_row(page, table, &changes->items.items[at]);
        }
        table->hidden_below = k + 1 == tables ? count - at : 0;
        if (k == 0) { /* those without a title begin where its rows do */
            box.top += SW_PAGE_ROW;
            box.height -= SW_PAGE_ROW;
        }
        box.left += box.width + 20;
    }
}

/* ---- totals, and where they part ---- */

static const char *step_words(struct sw_scene *scene, const struct sw_search *search, uint64_t step) {
    char text[SW_MESSAGE];
    const struct sw_decision *decision = sw_search_journal(search, step);
    if (!decision || step > sw_search_known(search)) {
        return "has ended";
    }
    sw_decision_describe(sw_search_problem(search), decision, text, sizeof text);
    return sw_scene_printf(scene, "%s", text);
}

static const char *first_elsewhere_words(const struct diff_sheet *page) {
    const struct sw_name_matching *m = page->pair->matching;
    uint32_t a = sw_matching_first_elsewhere(m);
    if (a == SW_NONE) {
        return "every block that both have lies at the same place.";
    }
    return sw_scene_printf(page->scene,
                           "the first block in time that lies elsewhere is %s: at %s before, at %s "
                           "now.",
                           sw_problem_buffer(side_problem(&page->pair->old), a)->name,
                           side_place(page, &page->pair->old, a),
                           side_place(page, &page->pair->fresh, m->old.partners[a]));
}

const char *sw_diff_parting(const struct sw_diff_page *pair, struct sw_scene *scene) {
    struct diff_sheet page = {.pair = pair, .scene = scene};
    if (pair->old.plan || pair->fresh.plan) {
        const char *what = pair->old.plan && pair->fresh.plan ? "Plans have no decisions"
                           : pair->old.plan                   ? "The old side is a plan and has no decisions"
                                                              : "The new side is a plan and has no decisions";
        return sw_scene_printf(scene, "%s; %s", what, first_elsewhere_words(&page));
    }
    struct sw_parting parting = sw_matching_parting(pair->matching, pair->old.search, pair->fresh.search);
    if (!parting.step) {
        return sw_scene_printf(scene, "Both runs make the same %s decisions.", SW_COUNT(parting.agreed));
    }
    return sw_scene_printf(scene, "They part at decision %s: the old run %s; the new run %s.", SW_COUNT(parting.step),
                           step_words(scene, pair->old.search, parting.step),
                           step_words(scene, pair->fresh.search, parting.step));
}

static const char *delta(struct sw_scene *scene, uint64_t old, uint64_t fresh) {
    if (old == fresh) {
        return "the same";
    }
    return sw_scene_printf(scene, "%s%s", fresh > old ? "+" : "-",
                           sw_runs_bytes(scene, fresh > old ? fresh - old : old - fresh));
}

static void total(const struct diff_sheet *page, struct sw_panel *table, const char *name, uint64_t old, uint64_t fresh,
                  bool known) {
    struct sw_scene *scene = page->scene;
    sw_panel_row(scene, table, SW_NO_ITEM, false);
    sw_panel_cell(scene, table, SW_STYLE_DIM, false, name);
    sw_panel_cell(scene, table, SW_STYLE_TEXT, true, known ? sw_runs_bytes(scene, old) : "?");
    sw_panel_cell(scene, table, SW_STYLE_TEXT, true, known ? sw_runs_bytes(scene, fresh) : "?");
    sw_panel_cell(scene, table, fresh > old && known ? SW_STYLE_PEAK : SW_STYLE_TEXT, true,
                  known ? delta(scene, old, fresh) : "");
}

/* Of several memories each has a peak. */
static void add_peak_totals(const struct diff_sheet *page, struct sw_panel *table) {
    const struct sw_diff_page *pair = page->pair;
    const struct sw_problem *p = side_problem(&pair->old), *q = side_problem(&pair->fresh);
    struct sw_metrics old, fresh;
    if (page->tiers == 1 || sw_problem_tier_count(p) != sw_problem_tier_count(q)) {
        total(page, table, "peak", pair->old.peak, pair->fresh.peak, pair->old.has_peak && pair->fresh.has_peak);
        return;
    }
    sw_metrics_of(sw_search_layout(pair->old.search), &old);
    sw_metrics_of(sw_search_layout(pair->fresh.search), &fresh);
    for (uint32_t t = 0; t < sw_problem_tier_count(p); t++) {
        if (page->height[t] > 0) {
            total(page, table, sw_scene_printf(page->scene, "peak in %s", sw_problem_tier(p, t)->name),
                  old.tier_peak[t], fresh.tier_peak[t], true);
        }
    }
}

static void add_totals(const struct diff_sheet *page, struct sw_box box) {
    static const char *const heads[] = {"", "old", "new", "change"};
    const struct sw_diff_page *pair = page->pair;
    const struct sw_problem *p = side_problem(&pair->old), *q = side_problem(&pair->fresh);
    struct sw_panel *table = table_at(page->scene, "totals", "totals", box);
    table->stretch = 0;
    sw_panel_row(page->scene, table, SW_NO_ITEM, false);
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
        sw_panel_cell(page->scene, table, SW_STYLE_DIM, i > 0, heads[i]);
    }
    add_peak_totals(page, table);
    total(page, table, "lower bound", sw_problem_lower_bound(p), sw_problem_lower_bound(q), true);
    total(page, table, "without reuse", sw_problem_naive(p), sw_problem_naive(q), true);
    sw_panel_row(page->scene, table, SW_NO_ITEM, false);
    sw_panel_cell(page->scene, table, SW_STYLE_DIM, false, "blocks");
    const uint32_t counts[] = {sw_problem_planned_count(p), sw_problem_planned_count(q)};
    for (int i = 0; i < 2; i++) {
        sw_panel_cell(page->scene, table, SW_STYLE_TEXT, true, sw_scene_printf(page->scene, "%s", SW_COUNT(counts[i])));
    }
    sw_panel_cell(page->scene, table, SW_STYLE_TEXT, true, "");
}

/* ---- the page ---- */

static void add_parting_words(const struct diff_sheet *page, const char *words, struct sw_box box) {
    const char *all = words;
    struct sw_panel *table = table_at(page->scene, "parting", "where they part", box);
    unsigned room = (unsigned)fmax(box.width / SW_PAGE_CHARACTER, 8);
    size_t rows = (size_t)fmax(floor((box.height - 4) / SW_PAGE_ROW) - 1, 1);
    while (*words && !page->scene->failed && table->rows.count < rows) {
        bool last = table->rows.count + 1 == rows;
        if (last && sw_view_columns(words) > room) { /* cut: all of it stands below */
            sw_runs_caption(&page->pair->page, page->scene, all);
        }
        sw_panel_row(page->scene, table, SW_NO_ITEM, false);
        sw_panel_cell(page->scene, table, SW_STYLE_TEXT, false,
                      sw_view_line(page->scene, &words, last ? UINT_MAX : room));
    }
}

static const char *count_words(const struct diff_sheet *page) {
    const char *text = "";
    for (unsigned i = 0; i < SW_CHANGE_COUNT; i++) {
        uint64_t many = page->pair->matching->counts[i];
        const char *word = i == SW_CHANGE_LIFETIME ? "with another lifetime" : sw_change_look((enum sw_change)i).name;
        if (many > 0) {
            text = sw_scene_printf(page->scene, "%s%s%s %s", text, *text ? ", " : "", SW_COUNT(many), word);
        }
    }
    return *text ? text : "no blocks";
}

static void set_diff_titles(const struct diff_sheet *page) {
    const struct sw_diff_page *pair = page->pair;
    struct sw_scene *scene = page->scene;
    scene->title = pair->page.title ? sw_scene_clean(scene, pair->page.title)
                                    : sw_scene_printf(scene, "%s → %s", sw_path_name(pair->old.path),
                                                      sw_path_name(pair->fresh.path));
    const char *peaks = "";
    if (pair->old.has_peak && pair->fresh.has_peak) {
        peaks = sw_scene_printf(scene, "Peak %s → %s (%s); ", sw_runs_bytes(scene, pair->old.peak),
                                sw_runs_bytes(scene, pair->fresh.peak), delta(scene, pair->old.peak, pair->fresh.peak));
    }
    const char *limit = pair->old.stopped_at && pair->fresh.stopped_at ? "; a limit stopped both"
                        : pair->old.stopped_at                         ? "; a limit stopped the old run"
                        : pair->fresh.stopped_at                       ? "; a limit stopped the new run"
                                                                       : "";
    scene->subtitle = sw_scene_printf(scene, "%s%s%s", peaks, count_words(page), limit);
}

static void side_caption(const struct diff_sheet *page, const char *name, const struct sw_diff_side *side) {
    struct sw_scene *scene = page->scene;
    const char *made = side->plan ? "a finished plan"
                                  : sw_scene_printf(scene, "planned by %s, %s", SW_SEARCH_LABEL(side->search),
                                                    sw_page_settings(scene, sw_search_params(side->search)));
    if (side->stopped_at) {
        made = sw_scene_printf(scene, "%s, stopped by a limit after decision %s", made, SW_COUNT(side->stopped_at));
    }
    sw_runs_caption(&page->pair->page, scene,
                    sw_scene_printf(scene, "%s: %s; %s, %s, lower bound %s.%s", name,
                                    sw_runs_input(scene, side->path, side->digest, side_problem(side)), made,
                                    side_peak(page, side),
                                    sw_runs_bytes(scene, sw_problem_lower_bound(side_problem(side))),
                                    side == &page->pair->fresh ? " stowage " STOWAGE_VERSION "." : ""));
    sw_runs_conditions(&page->pair->page, scene, side_problem(side));
}

/* Maps side by side on a wide page, one above the other on a high one. */
static void add_maps(struct diff_sheet *page, struct sw_box box) {
    bool wide = box.width > box.height * 1.5;
    struct sw_box one = box;
    one.width = wide ? (box.width - BETWEEN_SIDES) / 2 : box.width;
    one.height = wide ? box.height : (box.height - BETWEEN_SIDES) / 2;
    add_diff_side(page, false, one);
    one.left += wide ? one.width + BETWEEN_SIDES : 0;
    one.top += wide ? 0 : one.height + BETWEEN_SIDES;
    add_diff_side(page, true, one);
}

/* Below the maps: the list, beside it totals and words; on a narrow page one below the other. */
static void add_tables(struct diff_sheet *page, const struct changes *changes, struct sw_box box) {
    const char *words = sw_diff_parting(page->pair, page->scene);
    struct sw_box list = box, side = box;
    if (box.width > 560) {
        list.width = floor(box.width * 0.62);
        side.left += list.width + 24;
        side.width -= list.width + 24;
    } else {
        list.height = fmax(box.height - 13 * SW_PAGE_ROW, 2 * SW_PAGE_ROW);
        side.top += list.height + 4;
        side.height = fmax(box.height - list.height - 4, 1);
    }
    add_list(page, changes, list);
    struct sw_box totals = side;
    totals.height = fmin((5.0 + page->tiers) * SW_PAGE_ROW + 6, side.height);
    add_totals(page, totals);
    side.top += totals.height + 6;
    side.height = fmax(side.height - totals.height - 6, 1);
    if (side.height >= 2 * SW_PAGE_ROW) {
        add_parting_words(page, words, side);
    } else {
        sw_runs_caption(&page->pair->page, page->scene, words);
    }
}

static void build_diff(const void *context, struct sw_scene *scene, double foot) {
    const struct sw_diff_page *pair = context;
    struct diff_sheet page = {
        .pair = pair, .scene = scene, .box = sw_page_box(pair->page.width, pair->page.height, foot)};
    struct changes changes = {.items = {0}};
    if (!collect_changes(&page, &changes)) {
        scene->failed = true;
    }
    SW_SORT_LIST(&changes.items, larger_change_first);
    survey_sides(&page);
    set_diff_titles(&page);
    side_caption(&page, "Old", &pair->old);
    side_caption(&page, "New", &pair->fresh);
    double low = fmin(fmax(page.box.height * 0.36, 12 * SW_PAGE_ROW), page.box.height * 0.55);
    low = page.box.height < 200 ? 0 : low; /* a small picture is a picture */
    struct sw_box maps = page.box, tables = page.box;
    maps.height -= low + (low > 0 ? 10 : 0);
    tables.top += page.box.height - low;
    tables.height = low;
    add_maps(&page, maps);
    if (low > 0) {
        add_tables(&page, &changes, tables);
    } else {
        sw_runs_caption(&pair->page, scene, sw_diff_parting(pair, scene));
    }
    SW_ARRAY_DONE(&changes.items);
}

void sw_view_pair(const struct sw_diff_page *pair, struct sw_scene *scene) {
    struct sw_runs_page page = pair->page;
    uint64_t old = sw_layout_peak(sw_search_layout(pair->old.search));
    uint64_t fresh = sw_layout_peak(sw_search_layout(pair->fresh.search));
    page.units = sw_units_for(page.units, SW_MAX(old, fresh));
    sw_runs_build(&page, scene, build_diff, pair);
}
