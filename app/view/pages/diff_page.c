/* Two plans on one page: the old and the new layout on the same axes, each block by what became of it, what the change
 * of the peak is due to, the changes that weigh most, the totals, and where the two part. */
#include "formats/format.h"
#include "base/base.h"
#include "view/pages/runs.h"
#include "view/scene/short_names.h"

#include "view/view_internal.h"

#define BETWEEN_SIDES 10.0
#define BETWEEN_TABLES 20.0
#define NARROW_TABLES 560.0        /* so narrow a page has its tables below one another */
#define LEAST_WITH_TABLES 460.0    /* of the page's height */
#define LEAST_RIGHT 88.0           /* beside a map: "peak = bound" */
#define TITLE_CHARACTER 9.5        /* of the page's title */
enum { MOST_CHANGES_DRAWN = 200 }; /* rows of the list that are looked at */

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
        return sw_scene_printf(scene, "peak %s", sw_scene_bytes(scene, side->peak));
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

/* With more words, where there is room for them. */
static const char *longer_title(const struct diff_sheet *page, const char *title, const char *words, double room) {
    const char *more = sw_scene_printf(page->scene, "%s, %s", title, words);
    return (double)sw_view_columns(more) * SW_PAGE_CHARACTER * 1.2 < room ? more : title;
}

static void add_side_map(struct diff_sheet *page, bool fresh, uint32_t tier, struct sw_box box, bool first, bool last) {
    const struct sw_diff_side *side = fresh ? &page->pair->fresh : &page->pair->old;
    const struct sw_matched *matched = fresh ? &page->pair->matching->fresh : &page->pair->matching->old;
    double right = fmin(SW_PAGE_RIGHT, fmax(box.width * 0.34, fmin(LEAST_RIGHT, box.width * 0.4))),
           gutter = fmin(SW_PAGE_GUTTER, box.width / 4);
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
        if (!side->has_peak && !sw_page_title_fits(panel->title, panel->body_width)) { /* which the caption says, too */
            panel->title = fresh ? "new" : "old";
        }
        if (!fits_memory(side)) {
            panel->title = sw_scene_printf(page->scene, "%s, does not fit", panel->title);
        }
        double room = panel->body_width;
        panel->title = longer_title(page, panel->title, side_maker(page, side), room);
        const char *small = sw_scene_printf(page->scene, "%s too small", SW_COUNT(hidden));
        panel->title = hidden ? longer_title(page, panel->title, small, room) : panel->title;
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

/* ---- the changes, what weighs most first ---- */

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

static enum sw_change change_of(const struct diff_sheet *page, const struct sw_matched_change *change) {
    const struct sw_name_matching *m = page->pair->matching;
    return (enum sw_change)(change->old == SW_NONE ? m->fresh.changes[change->fresh] : m->old.changes[change->old]);
}

/* What a side says of it, of the kind that changed. */
static const char *said(const struct diff_sheet *page, const struct sw_matched_change *change, bool fresh) {
    const struct sw_diff_side *side = fresh ? &page->pair->fresh : &page->pair->old;
    uint32_t number = fresh ? change->fresh : change->old;
    enum sw_change what = change_of(page, change);
    if (number == SW_NONE) {
        return "";
    }
    const struct sw_buffer *buffer = sw_problem_buffer(side_problem(side), number);
    if (what == SW_CHANGE_LIFETIME || what == SW_CHANGE_SHIFTED) {
        return sw_scene_printf(page->scene, "alive %s", sw_view_life(page->scene, side_problem(side), buffer));
    }
    return what == SW_CHANGE_MOVED ? sw_scene_printf(page->scene, "at %s", side_place(page, side, number))
                                   : sw_scene_bytes(page->scene, buffer->size);
}

enum { CHANGE_CELLS = 5 };
static const char *const change_heads[CHANGE_CELLS] = {"", "buffer", "size", "old", "new"};

static void change_cells(const struct diff_sheet *page, const struct sw_matched_change *change,
                         const char *cells[CHANGE_CELLS]) {
    enum sw_change what = change_of(page, change);
    bool same = what == SW_CHANGE_LIFETIME || what == SW_CHANGE_MOVED || what == SW_CHANGE_SHIFTED;
    cells[0] = what == SW_CHANGE_SHIFTED ? "shifted" : sw_change_look(what).name;
    cells[1] = change->old != SW_NONE ? sw_problem_buffer(side_problem(&page->pair->old), change->old)->name
                                      : sw_problem_buffer(side_problem(&page->pair->fresh), change->fresh)->name;
    cells[2] = same ? sw_scene_bytes(page->scene, change->size) : ""; /* where old and new do not say it */
    cells[3] = said(page, change, false);
    cells[4] = said(page, change, true);
}

/* The columns of some of the changes: which hold anything, and the width in which nothing is cut. */
struct change_columns {
    bool used[CHANGE_CELLS];
    double width;
};

static struct change_columns change_columns_of(const struct diff_sheet *page, const struct sw_matched_changes *changes,
                                               size_t rows) {
    struct change_columns columns = {0};
    double wide[CHANGE_CELLS] = {0};
    for (size_t i = 0; i < changes->count && i < rows && !page->scene->failed; i++) {
        const char *cells[CHANGE_CELLS];
        change_cells(page, &changes->items[i], cells);
        for (int c = 0; c < CHANGE_CELLS; c++) {
            columns.used[c] |= *cells[c] != '\0';
            wide[c] = fmax(sw_page_text_width(cells[c], SW_PAGE_TABLE_SIZE), wide[c]);
        }
    }
    for (int c = 0; c < CHANGE_CELLS; c++) {
        double head = sw_page_text_width(change_heads[c], SW_PAGE_TABLE_SIZE) * columns.used[c];
        columns.width += columns.used[c] ? fmax(wide[c], head) + SW_PAGE_COLUMN : 0;
    }
    return columns;
}

static void add_change_row(const struct diff_sheet *page, struct sw_panel *table, const struct change_columns *columns,
                           const struct sw_matched_change *change) {
    const char *cells[CHANGE_CELLS];
    change_cells(page, change, cells);
    sw_panel_row(page->scene, table, SW_NO_ITEM, false);
    for (int i = 0; i < CHANGE_CELLS; i++) {
        if (columns->used[i]) {
            sw_panel_cell(page->scene, table, i ? SW_STYLE_TEXT : SW_STYLE_DIM, i > 1, cells[i]);
        }
    }
}

static struct sw_panel *table_at(struct sw_scene *scene, const char *id, const char *title, struct sw_box box) {
    struct sw_panel *panel = sw_scene_panel(scene, SW_PANEL_TABLE, id);
    panel->title = title;
    sw_panel_put(panel, box);
    return panel;
}

static void add_heads(struct sw_scene *scene, struct sw_panel *table, const struct change_columns *columns) {
    sw_panel_row(scene, table, SW_NO_ITEM, false);
    for (int i = 0; i < CHANGE_CELLS; i++) {
        if (columns->used[i]) {
            sw_panel_cell(scene, table, SW_STYLE_DIM, i > 1, change_heads[i]);
        }
    }
}

/* As many tables beside one another as there is room for, or need. */
static void add_list(const struct diff_sheet *page, const struct sw_matched_changes *changes, struct sw_box box) {
    struct sw_scene *scene = page->scene;
    size_t count = changes->count, at = 0;
    const char *title = count == 0 ? "no buffer changed"
                                   : sw_scene_printf(scene, "%s changed%s", sw_scene_counted(scene, count, "buffer"),
                                                     count > 1 ? ", what weighs most first" : "");
    /* Title and heads take room, too. */
    size_t rows = (size_t)fmax(floor((box.height - 4) / SW_PAGE_ROW) - 1, 2);
    struct change_columns columns = change_columns_of(page, changes, MOST_CHANGES_DRAWN);
    size_t tables = (size_t)fmax(floor((box.width + BETWEEN_TABLES) / (columns.width + BETWEEN_TABLES)), 1);
    size_t needed = (count + rows - 2) / (rows - 1);
    tables = tables < needed ? tables : needed > 0 ? needed : 1;
    box.width = (box.width + BETWEEN_TABLES) / (double)tables - BETWEEN_TABLES;
    box.width = fmin(box.width, fmax(columns.width * 1.3, (double)sw_view_columns(title) * SW_PAGE_CHARACTER));
    for (size_t k = 0; k < tables && !scene->failed; k++) {
        struct sw_panel *table = table_at(scene, "changes", k ? NULL : title, box);
        table->stretch = 1;
        if (count > 0) {
            add_heads(scene, table, &columns);
        }
        for (; at < count && table->rows.count < rows && !scene->failed; at++) {
            add_change_row(page, table, &columns, &changes->items[at]);
        }
        table->hidden_below = k + 1 == tables ? count - at : 0;
        if (k == 0) { /* those without a title begin where its rows do */
            box.top += SW_PAGE_ROW;
            box.height -= SW_PAGE_ROW;
        }
        box.left += box.width + BETWEEN_TABLES;
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

/* The same for a picture: that a plan has no decisions is no news there. */
static const char *parting_for_picture(const struct diff_sheet *page) {
    const char *words = page->pair->old.plan || page->pair->fresh.plan ? first_elsewhere_words(page)
                                                                       : sw_diff_parting(page->pair, page->scene);
    return sw_scene_capital(page->scene, words);
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
                           sw_scene_bytes(scene, fresh > old ? fresh - old : old - fresh));
}

static void total(const struct diff_sheet *page, struct sw_panel *table, const char *name, uint64_t old, uint64_t fresh,
                  bool known) {
    struct sw_scene *scene = page->scene;
    sw_panel_row(scene, table, SW_NO_ITEM, false);
    sw_panel_cell(scene, table, SW_STYLE_DIM, false, name);
    sw_panel_cell(scene, table, SW_STYLE_TEXT, true, known ? sw_scene_bytes(scene, old) : "?");
    sw_panel_cell(scene, table, SW_STYLE_TEXT, true, known ? sw_scene_bytes(scene, fresh) : "?");
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

/* ---- what it is due to ---- */

const struct sw_due_name sw_due_names[SW_DUE_KINDS] = {
    [SW_DUE_WENT] = {"went", "buffers that went"},
    [SW_DUE_SIZES] = {"size", "buffers that grew or shrank"},
    [SW_DUE_CAME] = {"came", "buffers that came"},
    [SW_DUE_LIVES] = {"lifetime", "buffers that live longer or shorter"},
    [SW_DUE_ORDER] = {"order", "the order of operators, or of the list"},
    [SW_DUE_REST] = {"other", "alignments, memories, pins and the like"},
    [SW_DUE_PLANNER] = {"planner", "the planner chose otherwise"}};

static const char *due_words(struct sw_scene *scene, unsigned kinds) {
    const char *text = "";
    for (int kind = 0; kind < SW_DUE_KINDS; kind++) {
        if (kinds & SW_DUE(kind)) {
            text = sw_scene_printf(scene, "%s%s%s", text, *text ? ", with " : "", sw_due_names[kind].words);
        }
    }
    return text;
}

static const char *due_bytes(struct sw_scene *scene, int64_t figure) {
    return sw_scene_printf(scene, "%s%s", figure < 0 ? "-" : "+",
                           sw_scene_bytes(scene, figure < 0 ? -(uint64_t)figure : (uint64_t)figure));
}

/* The parts that are not 0. */
static size_t due_count(const struct sw_diff_page *pair) {
    size_t count = 0;
    for (size_t i = 0; pair->due && i < pair->due->count; i++) {
        count += pair->due->parts[i].figure != 0;
    }
    return count;
}

/* Of two plans the parts of the model are told by what its bound needs more. */
static bool due_by_bound(const struct sw_diff_page *pair) {
    return pair->due && pair->due->by_bound && pair->due->parts[0].kinds != SW_DUE(SW_DUE_PLANNER);
}

static const char *due_title(const struct diff_sheet *page) {
    int64_t sum = 0;
    for (size_t i = 0; i < page->pair->due->count; i++) {
        sum += page->pair->due->parts[i].figure;
    }
    const char *measure = page->pair->measure ? page->pair->measure : "peak";
    measure = strcmp(measure, "bound") == 0 ? "lower bound" : measure;
    return sw_scene_printf(page->scene, "%s %s, due to", measure, sum ? due_bytes(page->scene, sum) : "the same");
}

static void add_due(const struct diff_sheet *page, struct sw_box box) {
    struct sw_scene *scene = page->scene;
    struct sw_panel *table = table_at(scene, "due", due_title(page), box);
    table->stretch = 0;
    for (size_t i = 0; i < page->pair->due->count; i++) {
        const struct sw_due_part *part = &page->pair->due->parts[i];
        if (part->figure) {
            sw_panel_row(scene, table, SW_NO_ITEM, false);
            sw_panel_cell(scene, table, SW_STYLE_TEXT, false, due_words(scene, part->kinds));
            sw_panel_cell(scene, table, part->figure > 0 ? SW_STYLE_PEAK : SW_STYLE_TEXT, true,
                          due_bytes(scene, part->figure));
        }
    }
    if (due_by_bound(page->pair)) {
        sw_panel_row(scene, table, SW_NO_ITEM, false);
        sw_panel_cell(scene, table, SW_STYLE_DIM, false, "parts of the model: of its lower bound");
    }
}

/* The same as a sentence. */
static void due_caption(const struct diff_sheet *page) {
    struct sw_scene *scene = page->scene;
    const char *text = due_title(page);
    for (size_t i = 0, told = 0; i < page->pair->due->count; i++) {
        const struct sw_due_part *part = &page->pair->due->parts[i];
        if (part->figure) {
            text = sw_scene_printf(scene, "%s%s %s (%s)", text, told++ ? "," : ":", due_words(scene, part->kinds),
                                   due_bytes(scene, part->figure));
        }
    }
    sw_runs_caption(
        &page->pair->page, scene,
        sw_scene_printf(scene, "%s.%s", sw_scene_capital(scene, text),
                        due_by_bound(page->pair) ? " Parts of the model are those of its lower bound." : ""));
}

/* ---- the page ---- */

/* Where there is room for all of it. Below the page it stands where nothing else tells why the two differ. */
static void add_parting_words(const struct diff_sheet *page, struct sw_box box) {
    const char *words = parting_for_picture(page);
    unsigned room = (unsigned)fmax(box.width / SW_PAGE_CHARACTER, 8);
    if (sw_view_line_count(words, room) > floor((box.height - 4) / SW_PAGE_ROW) - 1) {
        bool told = false;
        for (size_t i = 0; page->pair->due && i < page->pair->due->count; i++) {
            told |= page->pair->due->parts[i].figure && page->pair->due->parts[i].kinds != SW_DUE(SW_DUE_PLANNER);
        }
        sw_runs_caption(&page->pair->page, page->scene, told ? "" : words);
        return;
    }
    struct sw_panel *table = table_at(page->scene, "parting", "where they part", box);
    while (*words && !page->scene->failed) {
        sw_panel_row(page->scene, table, SW_NO_ITEM, false);
        sw_panel_cell(page->scene, table, SW_STYLE_TEXT, false, sw_view_line(page->scene, &words, room));
    }
}

static const char *count_words(const struct diff_sheet *page) {
    const char *text = "";
    for (unsigned i = 0; i < SW_CHANGE_COUNT; i++) {
        uint64_t many = page->pair->matching->counts[i];
        const char *word = i == SW_CHANGE_LIFETIME  ? "with another lifetime"
                           : i == SW_CHANGE_SHIFTED ? "shifted"
                                                    : sw_change_look((enum sw_change)i).name;
        if (many > 0) {
            text = sw_scene_printf(page->scene, "%s%s%s %s", text, *text ? ", " : "", SW_COUNT(many), word);
        }
    }
    return *text ? text : "no blocks";
}

static const char *count_words_short(const struct diff_sheet *page) {
    const uint64_t *counts = page->pair->matching->counts;
    uint64_t all = 0;
    for (unsigned i = 0; i < SW_CHANGE_COUNT; i++) {
        all += counts[i];
    }
    return sw_scene_printf(page->scene, "%s of %s changed", SW_COUNT(all - counts[SW_CHANGE_SAME]),
                           sw_scene_counted(page->scene, all, "block"));
}

static bool fits_title(const struct diff_sheet *page, const char *text, double character) {
    return (double)sw_view_columns(text) * character <= page->pair->page.width - 2 * SW_PAGE_MARGIN;
}

/* The last part of a path; with its folder where both files have the same name. */
static const char *side_file(const struct diff_sheet *page, const struct sw_diff_side *side) {
    const struct sw_diff_page *pair = page->pair;
    const char *name = sw_path_name(side->path), *from = name;
    bool alike = strcmp(name, sw_path_name(pair->old.path)) == 0 && strcmp(name, sw_path_name(pair->fresh.path)) == 0;
    if (alike && strcmp(pair->old.path, pair->fresh.path) != 0 && from > side->path + 1) {
        for (from--; from > side->path && from[-1] != '/'; from--) {
        }
    }
    return sw_scene_printf(page->scene, "%s", from);
}

/* Names that are too long lose what both begin with, and then their middles. Of one file the planners are told. */
static const char *diff_title(const struct diff_sheet *page) {
    const struct sw_diff_page *pair = page->pair;
    struct sw_scene *scene = page->scene;
    if (strcmp(pair->old.path, pair->fresh.path) == 0 && !pair->old.plan && !pair->fresh.plan) {
        const char *makers[] = {SW_SEARCH_LABEL(pair->old.search), SW_SEARCH_LABEL(pair->fresh.search)};
        const char *text = sw_scene_printf(scene, "%s, %s → %s", sw_path_name(pair->old.path), makers[0], makers[1]);
        if (strcmp(makers[0], makers[1]) != 0 && fits_title(page, text, TITLE_CHARACTER)) {
            return text;
        }
    }
    const char *names[] = {side_file(page, &page->pair->old), side_file(page, &page->pair->fresh)};
    const char *title = sw_scene_printf(scene, "%s → %s", names[0], names[1]);
    struct sw_short both = {.items = names, .count = 2};
    double room = (pair->page.width - 2 * SW_PAGE_MARGIN) / TITLE_CHARACTER - 3;
    char short_names[2][256];
    if (fits_title(page, title, TITLE_CHARACTER)) {
        return title;
    }
    sw_short_open(&both);
    for (int i = 0; i < 2; i++) {
        sw_short_name(&both, names[i], (unsigned)fmax(room / 2, 4), short_names[i], sizeof short_names[i]);
    }
    return sw_scene_printf(scene, "%s → %s", short_names[0], short_names[1]);
}

static void set_diff_titles(const struct diff_sheet *page) {
    const struct sw_diff_page *pair = page->pair;
    struct sw_scene *scene = page->scene;
    scene->title = pair->page.title ? sw_scene_clean(scene, pair->page.title) : diff_title(page);
    const char *peaks = "";
    if (pair->old.has_peak && pair->fresh.has_peak) {
        peaks =
            sw_scene_printf(scene, "Peak %s → %s (%s); ", sw_scene_bytes(scene, pair->old.peak),
                            sw_scene_bytes(scene, pair->fresh.peak), delta(scene, pair->old.peak, pair->fresh.peak));
    }
    const char *limit = pair->old.stopped_at && pair->fresh.stopped_at ? "; a limit stopped both"
                        : pair->old.stopped_at                         ? "; a limit stopped the old run"
                        : pair->fresh.stopped_at                       ? "; a limit stopped the new run"
                                                                       : "";
    const char *all = sw_scene_printf(scene, "%s%s%s", peaks, count_words(page), limit);
    scene->subtitle = fits_title(page, all, SW_PAGE_CHARACTER)
                          ? all
                          : sw_scene_printf(scene, "%s%s%s", peaks, count_words_short(page), limit);
}

static const char *side_made(const struct diff_sheet *page, const struct sw_diff_side *side) {
    struct sw_scene *scene = page->scene;
    const char *made = side->plan ? "a finished plan"
                                  : sw_scene_printf(scene, "planned by %s, %s", SW_SEARCH_LABEL(side->search),
                                                    sw_page_settings(scene, sw_search_params(side->search)));
    return side->stopped_at
               ? sw_scene_printf(scene, "%s, stopped by a limit after decision %s", made, SW_COUNT(side->stopped_at))
               : made;
}

/* What both sides have in common is said once. */
static void sides_caption(const struct diff_sheet *page) {
    const struct sw_diff_side *sides[] = {&page->pair->old, &page->pair->fresh};
    const struct sw_problem *problems[] = {side_problem(sides[0]), side_problem(sides[1])};
    const struct sw_runs_page *on = &page->pair->page;
    struct sw_scene *scene = page->scene;
    bool same = sw_problem_digest(problems[0]) == sw_problem_digest(problems[1]);
    bool one = same && sides[0]->digest == sides[1]->digest && strcmp(sides[0]->path, sides[1]->path) == 0;
    const char *text[2];
    for (int i = 0; i < 2; i++) {
        const char *bound =
            sw_scene_printf(scene, ", lower bound %s", sw_scene_bytes(scene, sw_problem_lower_bound(problems[i])));
        const char *input = sw_runs_input(scene, sides[i]->path, sides[i]->digest, problems[i]);
        if (one && i == 0) {
            sw_runs_caption(on, scene,
                            sw_scene_printf(scene, "Input %s%s. stowage %s.", input, bound, STOWAGE_VERSION));
        }
        text[i] = sw_scene_printf(scene, "%s: %s%s%s, %s%s.", i ? "New" : "Old", one ? "" : input, one ? "" : "; ",
                                  side_made(page, sides[i]), side_peak(page, sides[i]), one ? "" : bound);
    }
    if (one) {
        sw_runs_caption(on, scene, sw_scene_printf(scene, "%s %s", text[0], text[1]));
    } else {
        sw_runs_caption(on, scene, text[0]);
        sw_runs_caption(on, scene, sw_scene_printf(scene, "%s stowage %s.", text[1], STOWAGE_VERSION));
    }
    if (on->conditions && *on->conditions && !same) {
        sw_runs_caption(on, scene,
                        sw_scene_printf(scene, "Options %s; problems %016llx and %016llx.", on->conditions,
                                        (unsigned long long)sw_problem_digest(problems[0]),
                                        (unsigned long long)sw_problem_digest(problems[1])));
    } else {
        sw_runs_conditions(on, scene, problems[0]);
    }
}

/* Maps side by side on a wide page, one above the other on a high one. */
static void add_maps(struct diff_sheet *page, struct sw_box box) {
    bool wide = box.width > box.height * 1.5 && (box.width > 600 || box.height < 250);
    struct sw_box one = box;
    one.width = wide ? (box.width - BETWEEN_SIDES) / 2 : box.width;
    one.height = wide ? box.height : (box.height - BETWEEN_SIDES) / 2;
    add_diff_side(page, false, one);
    one.left += wide ? one.width + BETWEEN_SIDES : 0;
    one.top += wide ? 0 : one.height + BETWEEN_SIDES;
    add_diff_side(page, true, one);
}

static double totals_height(const struct diff_sheet *page) {
    return (5.0 + page->tiers) * SW_PAGE_ROW + 6;
}

static double due_height(const struct diff_sheet *page) {
    size_t parts = due_count(page->pair);
    return parts ? ((double)parts + 1 + due_by_bound(page->pair)) * SW_PAGE_ROW + 10 : 0;
}

static bool due_beside_totals(const struct diff_sheet *page, double width) {
    return width > 400 && due_count(page->pair);
}

/* Two tables in a box, beside one another where it is wide. What is left of the box. */
static struct sw_box add_diff_figures(const struct diff_sheet *page, struct sw_box box) {
    size_t parts = due_count(page->pair);
    double totals = totals_height(page), due = due_height(page);
    bool beside = due_beside_totals(page, box.width);
    struct sw_box first = box, second = box;
    first.height = fmin(totals, box.height);
    second.height = due;
    if (beside) {
        first.width = floor((box.width - 24) * 0.55);
        second.left += first.width + 24;
        second.width = box.width - first.width - 24;
    } else {
        second.top += first.height;
    }
    add_totals(page, first);
    double used = beside ? fmax(first.height, due) : first.height;
    if (parts && second.top + due <= box.top + box.height + 1) {
        add_due(page, second);
        used = beside ? used : used + due;
    } else if (parts) {
        due_caption(page);
    }
    sw_box_take(&box, fmin(used, box.height - 1));
    return box;
}

/* Beside figures and words, or above them. */
static double list_width(double width) {
    return width > NARROW_TABLES ? floor(width * 0.62) : width;
}

/* How high the tables are that tell all, in so wide a box. */
static double tables_height(const struct diff_sheet *page, const struct sw_matched_changes *changes, double width) {
    double least = change_columns_of(page, changes, MOST_CHANGES_DRAWN).width, list = list_width(width),
           side = width - list - 24;
    double tables = fmax(floor((list + BETWEEN_TABLES) / (least + BETWEEN_TABLES)), 1);
    double rows = changes->count ? ceil((double)changes->count / tables) + 2 : 1;
    double totals = totals_height(page), due = due_height(page);
    double listed = rows * SW_PAGE_ROW + 6;
    bool narrow = width <= NARROW_TABLES;
    double figures = due_beside_totals(page, narrow ? width : side) ? fmax(totals, due) : totals + due;
    return narrow ? listed + figures : fmax(listed, figures);
}

/* Below the maps: the list, beside it figures and words; on a narrow page one below the other. */
static void add_tables(struct diff_sheet *page, const struct sw_matched_changes *changes, struct sw_box box) {
    struct sw_box list = box;
    if (box.width > NARROW_TABLES) {
        struct sw_box side = box;
        list.width = list_width(box.width);
        side.left += list.width + 24;
        side.width -= list.width + 24;
        side = add_diff_figures(page, side);
        add_parting_words(page, side);
    } else {
        list = add_diff_figures(page, box);
        add_parting_words(page, (struct sw_box){.width = list.width}); /* no room beside the list */
    }
    add_list(page, changes, list);
}

static void build_diff(const void *context, struct sw_scene *scene, double foot) {
    const struct sw_diff_page *pair = context;
    struct diff_sheet page = {
        .pair = pair, .scene = scene, .box = sw_page_box(pair->page.width, pair->page.height, foot)};
    struct sw_matched_changes changes = {0};
    scene->failed |= !sw_matching_list(pair->matching, &changes);
    survey_sides(&page);
    set_diff_titles(&page);
    sides_caption(&page);
    bool narrow = page.box.width <= NARROW_TABLES;
    double low = fmin(fmax(page.box.height * (narrow ? 0.42 : 0.36), 12 * SW_PAGE_ROW), page.box.height * 0.55);
    low = fmin(low, tables_height(&page, &changes, page.box.width)); /* maps take what tables do not need */
    low = pair->page.height < LEAST_WITH_TABLES ? 0 : low;           /* a small picture is a picture */
    struct sw_box maps = page.box, tables = page.box;
    maps.height -= low + (low > 0 ? 10 : 0);
    tables.top += page.box.height - low;
    tables.height = low;
    add_maps(&page, maps);
    if (low > 0) {
        add_tables(&page, &changes, tables);
    } else if (due_count(pair)) {
        due_caption(&page);
    }
    SW_ARRAY_DONE(&changes);
}

void sw_view_pair(const struct sw_diff_page *pair, struct sw_scene *scene) {
    struct sw_runs_page page = pair->page;
    uint64_t old = sw_layout_peak(sw_search_layout(pair->old.search));
    uint64_t fresh = sw_layout_peak(sw_search_layout(pair->fresh.search));
    page.units = sw_units_for(page.units, SW_MAX(old, fresh));
    sw_runs_build(&page, scene, build_diff, pair);
    sw_page_one_unit(scene, sw_search_problem(pair->old.search), pair->old.path, sw_search_problem(pair->fresh.search),
                     pair->fresh.path);
}
