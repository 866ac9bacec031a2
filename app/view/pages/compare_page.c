/* Small multiples: what each planner makes of the same input, on the same axes. */
#include "base/base.h"
#include "view/pages/runs.h"

#include "view/view_internal.h"

#define GUTTER 58.0                   /* left of the first column: tick labels */
#define RIGHT 34.0                    /* right of the last: the title of the axis of time */
#define BETWEEN_COLUMNS 16.0          /* columns */
#define BELOW_MAP 20.0                /* a map: tick labels, where no other map follows */
#define NOTE_HEIGHT (6 * SW_PAGE_ROW) /* a row of the grid without a map */
#define LEAST_CELL_WIDTH 64.0
#define LEAST_STOPPED 320.0 /* narrower maps leave it to the caption where a run was stopped */
#define LEAST_CELL_HEIGHT 26.0

struct compare_grid {
    const struct sw_compare_page *all;
    struct sw_scene *scene;
    struct sw_box box;
    uint32_t columns, rows, shown; /* cells; rows: those with maps */
    uint32_t maps;                 /* the first of them hold a map */
    bool brief;                    /* "best" instead of "least peak" */
    bool frames;                   /* the best have one */
    double width, height;          /* of a map, or of a stack of maps */
    double heading;
    uint32_t steps;
    uint64_t least;            /* the least peak; SW_UNBOUNDED: not to be compared */
    double cheapest;           /* the least cost; NaN: not to be compared */
    double tops[SW_MAX_TIERS]; /* of the axis of each tier; 0: it is not used */
    uint32_t tiers;            /* used */
    bool notes;                /* a row for what went wrong with runs that have a layout */
};

/* A run that placed nothing, though there was something, has no map to show. */
static bool has_map(const struct sw_compare_run *run) {
    return run->search && (sw_layout_placed_count(sw_search_layout(run->search)) > 0 ||
                           sw_problem_planned_count(sw_search_problem(run->search)) == 0);
}

/* Did it find a plan? */
static bool found_plan(const struct sw_compare_run *run) {
    return run->search && !*run->why;
}

static bool run_has_peak(const struct sw_compare_run *run, struct sw_metrics *metrics) {
    struct sw_claims claims;
    sw_metrics_of(sw_search_layout(run->search), metrics);
    sw_search_claims(run->search, &claims);
    return metrics->single_tier && !claims.no_addresses && (metrics->placed > 0 || metrics->planned == 0);
}

/* A limit ended it before every block had a place. */
static bool is_unfinished_run(const struct sw_compare_run *run) {
    struct sw_metrics metrics;
    if (!run->search || run->stopped_at == 0) {
        return false;
    }
    sw_metrics_of(sw_search_layout(run->search), &metrics);
    return !metrics.complete;
}

/* A planner may give buffers other sizes than the input does: its peak is that of its own
 * sizes. */
static bool other_sizes(const struct compare_grid *page, const struct sw_compare_run *run) {
    const struct sw_problem *own = sw_search_problem(run->search), *input = page->all->problem;
    return own != input && (sw_problem_naive(own) != sw_problem_naive(input) ||
                            sw_problem_lower_bound(own) != sw_problem_lower_bound(input));
}

/* ---- what they have in common ---- */

static void survey_run(struct compare_grid *page, const struct sw_compare_run *run, bool *peaks, bool *costs) {
    const struct sw_problem *problem = sw_search_problem(run->search);
    struct sw_metrics metrics;
    bool feasible = !*run->why;
    bool peak = run_has_peak(run, &metrics);
    page->steps = SW_MAX(sw_problem_steps(problem), page->steps);
    for (uint32_t t = 0; t < sw_problem_tier_count(problem); t++) {
        if (sw_layout_arena(sw_search_layout(run->search), t) > 0) {
            page->tops[t] = fmax(page->tops[t], sw_viewport_all(run->search, t).bytes_hi);
        }
    }
    page->notes |= !feasible;
    if (!feasible || is_unfinished_run(run) || other_sizes(page, run)) {
        return;
    }
    struct sw_claims claims;
    sw_search_claims(run->search, &claims);
    if (!claims.no_addresses) {
        *peaks = *peaks && peak;
        page->least = peak && metrics.peak < page->least ? metrics.peak : page->least;
    }
    *costs = *costs && !isnan(run->cost);
    page->cheapest = fmin(page->cheapest, run->cost);
}

static void survey_runs(struct compare_grid *page) {
    bool peaks = true, costs = true;
    page->least = SW_UNBOUNDED;
    page->cheapest = INFINITY;
    page->steps = sw_problem_steps(page->all->problem);
    for (size_t i = 0; i < page->all->count; i++) {
        if (has_map(&page->all->runs[i])) {
            page->maps++;
            survey_run(page, &page->all->runs[i], &peaks, &costs);
        }
    }
    for (uint32_t t = 0; t < SW_MAX_TIERS; t++) {
        page->tiers += page->tops[t] > 0;
    }
    if (page->tiers == 0) { /* nothing is placed anywhere: an empty map of the first */
        page->tops[0] = fmax(1, (double)sw_problem_lower_bound(page->all->problem) * 1.04);
        page->tiers = 1;
    }
    page->least = peaks ? page->least : SW_UNBOUNDED;
    page->cheapest = costs && isfinite(page->cheapest) ? page->cheapest : (double)NAN;
}

/* Rows and columns by the shape of the page: as large as can be, wider than high, few holes. */
static void choose_grid(struct compare_grid *page) {
    double best = -1;
    page->heading = SW_PAGE_ROW * (page->notes ? 3 : 2) + 3;
    uint32_t most = (uint32_t)fmax(
        1, floor((page->box.width - GUTTER - RIGHT + BETWEEN_COLUMNS) / (LEAST_CELL_WIDTH + BETWEEN_COLUMNS)));
    most *= (uint32_t)fmax(
        1, floor((page->box.height - SW_PAGE_TICKS) / (LEAST_CELL_HEIGHT * page->tiers + page->heading + BELOW_MAP)));
    page->shown = page->all->count < most ? (uint32_t)page->all->count : most;
    if (page->all->count > page->shown) { /* the last cell says how many more there are */
        uint32_t fit = 0;
        for (size_t i = 0; i < page->all->count; i++) {
            fit += !has_map(&page->all->runs[i]) && found_plan(&page->all->runs[i]);
        }
        uint32_t most_maps = page->shown - 1 - SW_MIN(fit, page->shown - 1);
        page->maps = SW_MIN(page->maps, most_maps);
    }
    for (uint32_t columns = 1; columns <= page->shown; columns++) {
        uint32_t rows = (page->shown + columns - 1) / columns;
        double width = (page->box.width - GUTTER - RIGHT - BETWEEN_COLUMNS * (columns - 1)) / columns;
        uint32_t drawn = (page->maps + columns - 1) / columns;
        drawn = drawn > 0 ? drawn : rows;
        double height = (page->box.height - NOTE_HEIGHT * (rows - drawn)) / drawn - page->heading - BELOW_MAP;
        double holes = (double)(columns * rows - page->shown) / page->shown;
        double score = fmin(width / 1.8, height) * (1 - 0.3 * holes);
        score = width < LEAST_CELL_WIDTH || height < LEAST_CELL_HEIGHT ? score / 100 : score;
        if (score > best || columns == 1) {
            best = score;
            page->columns = columns;
            page->rows = drawn;
            page->width = fmax(width, 1);
            page->height = fmax(height, 1);
        }
    }
}

/* ---- one planner ---- */

static const char *over_bound_words(struct sw_scene *scene, const struct sw_compare_run *run,
                                    const struct sw_metrics *metrics, bool wide) {
    if (!metrics->comparable) {
        const char *below = sw_view_below(scene, run->search, true);
        return *below ? sw_scene_printf(scene, ", %s", below) : "";
    }
    if (metrics->lower_bound == 0) {
        return "";
    }
    if (metrics->peak == metrics->lower_bound) {
        return wide ? ", at the bound" : " = bound";
    }
    return sw_scene_printf(scene, ", %s%s%s", SW_PERCENT(metrics->over_bound, true), wide ? " over the bound" : "",
                           run->optimal ? ", proved least" : "");
}

static const char *peak_words(const struct compare_grid *page, const struct sw_compare_run *run) {
    struct sw_scene *scene = page->scene;
    struct sw_metrics metrics;
    if (is_unfinished_run(run)) { /* no figure beside those of others: it would still rise */
        sw_metrics_of(sw_search_layout(run->search), &metrics);
        return sw_scene_printf(scene, "unfinished: %s of %s", SW_COUNT(metrics.placed),
                               sw_scene_counted(scene, metrics.planned, "block"));
    }
    if (run_has_peak(run, &metrics)) {
        return sw_scene_printf(scene, "%s%s%s", sw_runs_bytes(scene, metrics.peak),
                               other_sizes(page, run) ? " of other sizes" : "",
                               over_bound_words(scene, run, &metrics, page->width > 260));
    }
    const char *text = sw_runs_tier_peaks(scene, run->search);
    return *text ? text : "no addresses";
}

static bool is_best_run(const struct compare_grid *page, const struct sw_compare_run *run, const char **word) {
    struct sw_metrics metrics;
    if (!run->search || *run->why || is_unfinished_run(run) || other_sizes(page, run)) {
        return false;
    }
    bool peak = run_has_peak(run, &metrics);
    *word = !isnan(page->cheapest) ? "least cost" : "least peak";
    return !isnan(page->cheapest) ? run->cost <= page->cheapest : peak && metrics.peak == page->least;
}

static const char *run_figures(const struct compare_grid *page, const struct sw_compare_run *run, uint64_t hidden) {
    struct sw_scene *scene = page->scene;
    struct sw_claims claims;
    sw_search_claims(run->search, &claims);
    const char *line = peak_words(page, run);
    if (claims.has_migration) {
        line = sw_scene_printf(scene, "%s, moves %s", line, sw_runs_bytes(scene, claims.migration_bytes));
    }
    if (!isnan(run->cost)) { /* where both have no room: the peaks stand below the maps as well */
        const char *both = sw_scene_printf(scene, "%s, cost %s", line, SW_NUMBER(run->cost));
        bool wide = page->width <= 0 || (double)sw_view_columns(both) * SW_PAGE_CHARACTER <= page->width;
        line = wide ? both : sw_scene_printf(scene, "cost %s", SW_NUMBER(run->cost));
    }
    if (run->stopped_at && !*run->why) {
        line = page->width < LEAST_STOPPED
                   ? sw_scene_printf(scene, "%s, stopped", line)
                   : sw_scene_printf(scene, "%s, stopped at decision %s", line, SW_COUNT(run->stopped_at));
    }
    return hidden ? sw_scene_printf(scene, "%s, %s too small", line, SW_COUNT(hidden)) : line;
}

/* The name, and below it what came of it. */
static void add_planner_heading(const struct compare_grid *page, const struct sw_compare_run *run, struct sw_box box,
                                uint64_t hidden) {
    struct sw_scene *scene = page->scene;
    struct sw_panel *panel = sw_scene_panel(scene, SW_PANEL_TABLE, "planner");
    const char *word = "";
    sw_panel_put(panel, (struct sw_box){box.left, box.top, box.width + BETWEEN_COLUMNS - 4, page->heading});
    panel->stretch = 0;
    sw_panel_row(scene, panel, SW_NO_ITEM, true);
    sw_panel_cell(scene, panel, SW_STYLE_STRONG, false, run->planner);
    if (is_best_run(page, run, &word)) {
        sw_panel_cell(scene, panel, SW_STYLE_CHOSEN, false, page->brief ? "best" : word);
    }
    if (has_map(run)) {
        sw_panel_row(scene, panel, SW_NO_ITEM, false);
        sw_panel_cell(scene, panel, SW_STYLE_TEXT, false, run_figures(page, run, hidden));
    }
}

/* Why there is no layout, or none that counts. */
static void add_note(const struct compare_grid *page, const struct sw_compare_run *run, struct sw_box box) {
    struct sw_scene *scene = page->scene;
    struct sw_panel *panel = sw_scene_panel(scene, SW_PANEL_TABLE, "note");
    sw_panel_put(panel, box);
    panel->columns = 1;
    unsigned room = (unsigned)fmax(box.width / SW_PAGE_CHARACTER, 8);
    size_t rows = (size_t)fmax(box.height / SW_PAGE_ROW, 1);
    enum sw_style style = !run->search ? SW_STYLE_DIM : *run->why ? SW_STYLE_ERROR : SW_STYLE_TEXT;
    for (const char *text = *run->why ? run->why : run_figures(page, run, 0); *text && !scene->failed;) {
        /* The last row that there is room for is cut by the back end. */
        bool last = panel->rows.count + 1 == rows;
        sw_panel_row(scene, panel, SW_NO_ITEM, false);
        sw_panel_cell(scene, panel, style, false, sw_view_line(scene, &text, last ? UINT_MAX : room));
    }
}

static void tell_level(struct sw_scene *scene, const struct sw_mark *mark) {
    bool bound = mark->style == SW_STYLE_BOUND;
    if (mark->labels || (bound && mark->pattern)) {
        sw_scene_legend_line(scene, (enum sw_style)mark->style, 0, mark->pattern ? SW_DASH_LONG : SW_DASH_NONE, false,
                             mark->style == SW_STYLE_PEAK ? "peak"
                             : bound                      ? "lower bound"
                                                          : "capacity");
    }
}

static void add_planner_map(const struct compare_grid *page, const struct sw_compare_run *run, uint32_t cell,
                            uint32_t tier, uint32_t place, struct sw_box box) {
    bool first = cell % page->columns == 0;
    bool last = cell + page->columns >= page->maps && place + 1 == page->tiers;
    bool right = cell % page->columns == page->columns - 1 || cell + 1 == page->maps;
    /* What is the same for all is said once. */
    struct sw_furniture furniture = {.has_room = true,
                                     .left = first ? GUTTER : 1,
                                     .right = RIGHT,
                                     .below = SW_PAGE_TICKS,
                                     .x_title = last && right,
                                     .y_title = !first            ? NULL
                                                : page->tiers > 1 ? sw_problem_tier(page->all->problem, tier)->name
                                                                  : "memory",
                                     .x_labels = last,
                                     .y_labels = first,
                                     .tell_level = tell_level};
    struct sw_view_input in = sw_runs_map(&page->all->page, run->search, tier, &furniture);
    in.look.viewport = (struct sw_viewport){0, page->steps ? page->steps : 1, 0, page->tops[tier]};
    box.left -= furniture.left;
    box.width += furniture.left + furniture.right;
    box.height += furniture.below;
    sw_view_build_map(&in, page->scene, box, true);
    if (page->scene->failed) {
        return;
    }
    struct sw_panel *panel = &page->scene->panels.items[page->scene->panels.count - 1];
    const char *word;
    if (page->frames && is_best_run(page, run, &word)) {
        sw_panel_mark(page->scene, panel,
                      sw_mark_over(SW_MARK_FRAME, SW_STYLE_CHOSEN, panel->x.lo, panel->x.hi, panel->y.lo, panel->y.hi));
    }
}

static double row_top(const struct compare_grid *page, uint32_t row) {
    double map = page->height + page->heading + BELOW_MAP;
    return row < page->rows ? row * map : page->rows * map + (row - page->rows) * NOTE_HEIGHT;
}

/* The room for what is said of a run that went wrong. */
static double note_height(const struct compare_grid *page, const struct sw_compare_run *run, uint32_t row) {
    return has_map(run) ? SW_PAGE_ROW : row < page->rows ? page->height + SW_PAGE_ROW : NOTE_HEIGHT - 2 * SW_PAGE_ROW;
}

static void add_planner_cell(const struct compare_grid *page, const struct sw_compare_run *run, uint32_t cell) {
    uint32_t column = cell % page->columns, row = cell / page->columns;
    struct sw_box box = {page->box.left + GUTTER + column * (page->width + BETWEEN_COLUMNS),
                         page->box.top + row_top(page, row), page->width, page->height};
    struct sw_box map = box;
    size_t first = page->scene->panels.count;
    map.top += page->heading;
    map.height /= page->tiers;
    uint32_t place = 0;
    for (uint32_t t = 0; has_map(run) && t < sw_problem_tier_count(page->all->problem); t++) {
        if (page->tops[t] > 0) {
            struct sw_box one = map;
            one.top += place * map.height;
            one.height -= place + 1 < page->tiers ? 8 : 0;
            add_planner_map(page, run, cell, t, place++, one);
        }
    }
    add_planner_heading(page, run, box, sw_runs_hidden(page->scene, first));
    if (*run->why || !has_map(run)) {
        box.top += SW_PAGE_ROW * (has_map(run) ? 2 : 1);
        box.height = note_height(page, run, row);
        add_note(page, run, box);
    }
}

/* ---- the page ---- */

static const char *run_settings(const struct compare_grid *page, size_t i) {
    const struct sw_search *search = page->all->runs[i].search;
    const struct sw_params *params = search ? sw_search_params(search) : NULL;
    const char *text = params ? sw_page_settings(page->scene, params) : "";
    return params && params->work && params->work == page->all->own_work
               ? sw_scene_printf(page->scene, "%s, the limit of a comparison", text)
               : text;
}

/* "first-fit, best-fit (seed 1)": all that ran as this one did, if it is the first of them. */
static const char *planners_alike(const struct compare_grid *page, size_t first) {
    const char *settings = run_settings(page, first), *text = "";
    for (size_t i = 0; *settings && i < page->all->count; i++) {
        if (strcmp(run_settings(page, i), settings) != 0) {
            continue;
        }
        if (i < first) {
            return "";
        }
        text = sw_scene_printf(page->scene, "%s%s%s", text, *text ? ", " : "", page->all->runs[i].planner);
    }
    return *text ? sw_scene_printf(page->scene, "%s (%s)", text, settings) : "";
}

/* In which row of the grid the run stands: those with a map come first. */
static size_t row_of(const struct compare_grid *page, size_t run) {
    size_t maps = 0, before = 0;
    for (size_t i = 0; i < page->all->count; i++) {
        bool map = has_map(&page->all->runs[i]);
        maps += map;
        before += i < run && map == has_map(&page->all->runs[run]);
    }
    return ((has_map(&page->all->runs[run]) ? 0 : maps) + before) / page->columns;
}

/* Does the cell have less room than the sentence about it needs? */
static bool is_cut_note(const struct compare_grid *page, size_t run) {
    const struct sw_compare_run *it = &page->all->runs[run];
    unsigned room = (unsigned)fmax(page->width / SW_PAGE_CHARACTER, 8);
    double rows = note_height(page, it, (uint32_t)row_of(page, run)) / SW_PAGE_ROW;
    return sw_view_line_count(it->why, room) > fmax(floor(rows), 1);
}

/* The figures of the headings once more, as text for tools that read the file. */
static void peaks_caption(const struct compare_grid *page) {
    struct sw_scene *scene = page->scene;
    const char *text = "";
    for (size_t i = 0; i < page->all->count; i++) {
        const struct sw_compare_run *run = &page->all->runs[i];
        struct sw_metrics metrics;
        if (run->search && (run_has_peak(run, &metrics) || metrics.placed > 0)) {
            text = sw_scene_printf(scene, "%s%s%s %s", text, *text ? "; " : "Peaks: ", run->planner,
                                   peak_words(page, run));
        }
    }
    if (*text) {
        sw_runs_caption(&page->all->page, scene, sw_scene_printf(scene, "%s.", text));
    }
}

static void add_compare_caption(const struct compare_grid *page) {
    struct sw_scene *scene = page->scene;
    const struct sw_compare_page *all = page->all;
    sw_runs_caption(&all->page, scene,
                    sw_scene_printf(scene, "Input %s; lower bound %s, without reuse %s. stowage %s.",
                                    sw_runs_input(scene, all->input_name, all->input_digest, all->problem),
                                    sw_runs_bytes(scene, sw_problem_lower_bound(all->problem)),
                                    sw_runs_bytes(scene, sw_problem_naive(all->problem)), STOWAGE_VERSION));
    sw_runs_conditions(&all->page, scene, all->problem);
    peaks_caption(page);
    const char *text = "";
    for (size_t i = 0; i < all->count; i++) {
        const char *more = planners_alike(page, i);
        text = sw_scene_printf(scene, "%s%s%s", text, *more && *text ? "; " : "", more);
    }
    if (*text) {
        sw_runs_caption(&all->page, scene, sw_scene_printf(scene, "Planners: %s.", text));
    }
    /* What the heading may have to cut. */
    for (size_t i = 0; i < all->count; i++) {
        if (all->runs[i].stopped_at && !*all->runs[i].why && page->width < LEAST_STOPPED) {
            sw_runs_caption(&all->page, scene,
                            sw_scene_printf(scene, "%s: stopped at decision %s.", all->runs[i].planner,
                                            SW_COUNT(all->runs[i].stopped_at)));
        }
        if (is_cut_note(page, i)) {
            sw_runs_caption(&all->page, scene,
                            sw_scene_printf(scene, "%s: %s.", all->runs[i].planner, all->runs[i].why));
        }
    }
}

static void set_compare_titles(struct compare_grid *page) {
    const struct sw_compare_page *all = page->all;
    struct sw_scene *scene = page->scene;
    size_t ran = 0, planned = 0, best = 0;
    const char *word, *measure = "";
    for (size_t i = 0; i < all->count; i++) {
        ran += all->runs[i].search != NULL;
        planned += all->runs[i].search && !*all->runs[i].why;
        if (is_best_run(page, &all->runs[i], &word)) {
            best++;
            measure = word;
        }
    }
    ran = planned ? planned : ran;
    /* Where most are best none stands out. */
    page->frames = best > 0 && 2 * best <= ran;
    scene->title = all->page.title
                       ? sw_scene_clean(scene, all->page.title)
                       : sw_scene_printf(scene, "%s, planned by %zu planner%s",
                                         sw_runs_name(scene, all->problem, all->input_name), ran, ran == 1 ? "" : "s");
    const char *text = sw_scene_printf(scene, "Lower bound %s; all on the same axes",
                                       sw_runs_bytes(scene, sw_problem_lower_bound(all->problem)));
    if (best > 0 && isnan(page->cheapest)) {
        text = sw_scene_printf(scene, "Least peak %s, by %zu of %zu; %s", sw_runs_bytes(scene, page->least), best, ran,
                               sw_scene_printf(scene, "lower bound %s; all on the same axes",
                                               sw_runs_bytes(scene, sw_problem_lower_bound(all->problem))));
    } else if (best > 0) {
        text = sw_scene_printf(scene, "The %s is %s, by %zu of %zu; all on the same axes", measure,
                               SW_NUMBER(page->cheapest), best, ran);
    }
    if (ran > 0 && all->none_fits) {
        scene->warns = true;
        text = sw_scene_printf(scene, "No planner found a plan that fits; %c%s", text[0] | 0x20, text + 1);
    }
    scene->subtitle = text;
}

/* Those with a map first, then those that say why there is none. Where there is no room for all, those that found a
 * plan come first among each. */
static void add_cells(struct compare_grid *page) {
    const struct sw_compare_page *all = page->all;
    uint32_t cell = 0;
    size_t left = all->count;
    bool short_of_room = all->count > page->shown;
    for (int pass = 0; pass < 4; pass++) {
        bool maps = pass < 2;
        uint32_t most = maps && short_of_room ? page->maps : page->shown - short_of_room;
        for (size_t i = 0; i < all->count && !page->scene->failed; i++) {
            bool now = short_of_room ? found_plan(&all->runs[i]) == (pass % 2 == 0) : pass % 2 == 0;
            if (has_map(&all->runs[i]) != maps || !now || cell == most) {
                continue;
            }
            add_planner_cell(page, &all->runs[i], cell++);
            left--;
        }
    }
    if (short_of_room) { /* the last cell */
        add_planner_cell(page,
                         &(struct sw_compare_run){.planner = sw_scene_printf(page->scene, "%zu more", left),
                                                  .why = "There is no room for them here: ask for a larger size."},
                         cell);
    }
}

static void build_comparison(const void *context, struct sw_scene *scene, double foot) {
    const struct sw_compare_page *all = context;
    struct compare_grid page = {
        .all = all, .scene = scene, .box = sw_page_box(all->page.width, all->page.height, foot)};
    survey_runs(&page);
    set_compare_titles(&page);
    choose_grid(&page);
    for (size_t i = 0; i < all->count; i++) {
        const char *word;
        double name = (double)sw_view_columns(all->runs[i].planner);
        page.brief |= is_best_run(&page, &all->runs[i], &word) && (name + 12) * SW_PAGE_CHARACTER * 1.1 > page.width;
    }
    add_compare_caption(&page);
    add_cells(&page);
}

void sw_view_multiples(const struct sw_compare_page *all, struct sw_scene *scene) {
    struct sw_runs_page page = all->page;
    uint64_t most = sw_problem_lower_bound(all->problem);
    for (size_t i = 0; i < all->count; i++) {
        uint64_t arena = all->runs[i].search ? sw_layout_peak(sw_search_layout(all->runs[i].search)) : 0;
        most = SW_MAX(arena, most);
    }
    page.units = sw_units_for(page.units, most);
    sw_runs_build(&page, scene, build_comparison, all);
}
