/* Small multiples: what planners make of the same input, on the same axes, the best first. Those that need the same
 * share a map, and those that cannot do the input a line. */
#include "base/base.h"
#include "base/sort.h"
#include "layout/difference.h"
#include "view/pages/runs.h"

#include "view/view_internal.h"

#define GUTTER 58.0                   /* left of the first column: tick labels */
#define RIGHT 34.0                    /* right of the last: the title of the axis of time */
#define BETWEEN_COLUMNS 16.0          /* columns */
#define BELOW_MAP 20.0                /* a map: tick labels, where no other map follows */
#define NOTE_HEIGHT (6 * SW_PAGE_ROW) /* a row of the grid without a map */
#define NAME_LINE 130.0               /* a line of names above each map for so much height of the page */
#define LEAST_CELL_WIDTH 64.0
#define LEAST_STOPPED 320.0 /* narrower maps leave it to the caption where a run was stopped */
#define LEAST_CELL_HEIGHT 30.0
#define GOOD_CELL_HEIGHT 36.0             /* for which the page does without its legend */
#define BESIDE_CELL (BETWEEN_COLUMNS - 4) /* room for a heading beyond its map */
#define BESIDE_EMPTY (BESIDE_CELL + 18)   /* of sentences without a map: their letters may be wide */

/* Runs that need the same, or have nothing to show for the same reason: one of them is shown. */
struct compare_cell {
    const struct sw_compare_run *shown, *const *runs;
    size_t count, elsewhere; /* so many of the runs have other layouts than the one that is shown */
    bool optimal;            /* proved, by any of them */
};
struct compare_grid {
    const struct sw_compare_page *all;
    struct sw_scene *scene;
    struct sw_box box;
    struct compare_cell *cells;       /* the best first */
    uint32_t count;                   /* of cells */
    uint32_t maps;                    /* after so many of them none has a map */
    uint32_t columns, rows, shown;    /* cells; rows: those with maps */
    bool frames;                      /* the best have one */
    double width, height;             /* of a map, or of a stack of maps */
    double least_width, least_height; /* height: of all */
    double *headings;                 /* the height of what stands above the maps of each row */
    size_t name_lines;                /* at most, above a map */
    uint32_t steps;
    uint64_t least;            /* the least peak; SW_UNBOUNDED: not to be compared */
    double cheapest;           /* the least cost; NaN: not to be compared */
    double tops[SW_MAX_TIERS]; /* of the axis of each tier; 0: it is not used */
    uint32_t tiers;            /* used */
};

/* A run that placed nothing, though there was something, has no map to show. */
static bool has_map(const struct sw_compare_run *run) {
    return run->search && (sw_layout_placed_count(sw_search_layout(run->search)) > 0 ||
                           sw_problem_planned_count(sw_search_problem(run->search)) == 0);
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

/* ---- which share a cell ---- */

struct ranked_run {
    const struct sw_compare_run *run;
    enum { RANK_MEASURED, RANK_FOUND, RANK_MAP, RANK_NONE, RANK_UNFIT } rank;
    double cost;
    uint64_t peak;
    bool taken; /* by a cell */
};
SW_BY_FIELDS(better_run_first, struct ranked_run, SW_UP(rank), SW_UP(cost), SW_UP(peak), SW_UP(run))

static struct ranked_run rank_run(const struct compare_grid *page, const struct sw_compare_run *run) {
    struct ranked_run ranked = {.run = run, .peak = UINT64_MAX};
    struct sw_metrics metrics;
    bool map = has_map(run), compared = map && !*run->why && !is_unfinished_run(run) && !other_sizes(page, run);
    ranked.rank = compared                    ? RANK_MEASURED
                  : run->search && !*run->why ? RANK_FOUND
                  : map                       ? RANK_MAP
                  : run->search               ? RANK_NONE
                                              : RANK_UNFIT;
    ranked.cost = compared && !isnan(page->cheapest) ? run->cost : 0;
    if (compared && run_has_peak(run, &metrics)) {
        ranked.peak = metrics.peak;
    }
    return ranked;
}

/* Without the planner's own name, with which some begin. */
static const char *bare_reason(const struct sw_compare_run *run) {
    size_t length = strlen(run->planner);
    bool named = strncmp(run->why, run->planner, length) == 0 && run->why[length] == ' ';
    return run->why + (named ? length + 1 : 0);
}

static const char *cell_reason(const struct compare_cell *cell) {
    return cell->count > 1 ? bare_reason(cell->shown) : cell->shown->why;
}

/* Do both need the same? To the byte, in each tier. */
static bool need_the_same(const struct sw_compare_run *a, const struct sw_compare_run *b) {
    struct sw_claims x, y;
    struct sw_metrics m, n;
    sw_search_claims(a->search, &x);
    sw_search_claims(b->search, &y);
    sw_metrics_of(sw_search_layout(a->search), &m);
    sw_metrics_of(sw_search_layout(b->search), &n);
    bool same = !x.no_addresses && !y.no_addresses && m.complete && n.complete && m.single_tier == n.single_tier &&
                m.peak == n.peak && x.has_migration == y.has_migration && x.migration_bytes == y.migration_bytes &&
                (a->cost == b->cost || (isnan(a->cost) && isnan(b->cost)));
    uint32_t tiers = sw_problem_tier_count(sw_search_problem(a->search));
    same = same && tiers == sw_problem_tier_count(sw_search_problem(b->search));
    for (uint32_t t = 0; same && t < tiers; t++) {
        same = m.tier_peak[t] == n.tier_peak[t];
    }
    return same;
}

static bool shares_cell(const struct ranked_run *a, const struct ranked_run *b) {
    return a->rank == b->rank && strcmp(bare_reason(a->run), bare_reason(b->run)) == 0 &&
           (a->rank == RANK_MEASURED ? need_the_same(a->run, b->run) : a->rank >= RANK_NONE);
}

static bool drawn_elsewhere(const struct sw_compare_run *run, const struct sw_compare_run *other) {
    struct sw_differences found;
    if (sw_search_problem(run->search) != sw_search_problem(other->search)) {
        return true;
    }
    sw_layout_differences(sw_search_layout(run->search), sw_search_layout(other->search), &found);
    return found.moved + found.here + found.there > 0;
}

static void make_cells(struct compare_grid *page) {
    size_t count = page->all->count;
    struct ranked_run *ranked = SW_NEW_IN(&page->scene->arena, struct ranked_run, count + 1);
    const struct sw_compare_run **members = SW_NEW_IN(&page->scene->arena, const struct sw_compare_run *, count + 1);
    page->cells = SW_NEW_IN(&page->scene->arena, struct compare_cell, count + 1);
    page->headings = SW_NEW_IN(&page->scene->arena, double, count + 1);
    page->scene->failed |= !ranked || !members || !page->cells || !page->headings;
    for (size_t i = 0; !page->scene->failed && i < count; i++) {
        ranked[i] = rank_run(page, &page->all->runs[i]);
    }
    if (page->scene->failed) {
        return;
    }
    sw_sort(ranked, count, sizeof *ranked, better_run_first);
    for (size_t i = 0; i < count; i++) {
        struct compare_cell cell = {.shown = ranked[i].run, .runs = members};
        for (size_t k = i; !ranked[i].taken && k < count; k++) {
            if (k == i || (!ranked[k].taken && shares_cell(&ranked[i], &ranked[k]))) {
                members[cell.count++] = ranked[k].run;
                cell.optimal |= ranked[k].run->optimal;
                cell.elsewhere += k > i && has_map(ranked[k].run) && drawn_elsewhere(ranked[k].run, cell.shown);
                ranked[k].taken |= k > i;
            }
        }
        members += cell.count;
        /* Those that cannot do the input have a line in the caption, unless there is nothing else. */
        if (cell.count > 0 && (ranked[i].rank != RANK_UNFIT || ranked[0].rank == RANK_UNFIT)) {
            page->cells[page->count++] = cell;
            page->maps = has_map(cell.shown) ? page->count : page->maps;
        }
    }
}

/* "first-fit, best-fit, auto". */
static const char *cell_names(struct sw_scene *scene, const struct compare_cell *cell, const char *before_last) {
    const char *text = cell->shown->planner;
    for (size_t i = 1; i < cell->count; i++) {
        text = sw_scene_printf(scene, "%s%s%s", text, i + 1 < cell->count ? ", " : before_last, cell->runs[i]->planner);
    }
    return text;
}

static unsigned heading_room(double width) {
    return (unsigned)fmax((width + BESIDE_CELL) / SW_PAGE_CHARACTER, 8);
}

/* The names of all where they fit above a map of that width; else how many more there are. */
static const char *cell_title(const struct compare_grid *page, const struct compare_cell *cell, double width) {
    struct sw_scene *scene = page->scene;
    const char *names = cell_names(scene, cell, ", "), *name = cell->shown->planner;
    unsigned room = heading_room(width);
    if (cell->count == 1 || sw_view_line_count(names, room) <= page->name_lines) {
        return names;
    }
    const char *more = sw_scene_printf(scene, "%s and %zu more", name, cell->count - 1);
    return sw_view_columns(more) <= room ? more : sw_scene_printf(scene, "%s +%zu", name, cell->count - 1);
}

#define LEAST_LAYOUT_WORDS "layout of the first"

/* Whose layout is drawn, where it stands for several. */
static const char *whose_layout(struct sw_scene *scene, const struct compare_cell *cell, double width) {
    const char *name = cell->shown->planner;
    if (cell->count == 1 || !has_map(cell->shown)) {
        return "";
    }
    const char *own = sw_scene_printf(scene, "layout of %s", name);
    const char *more = cell->elsewhere == 0 ? "all with this layout"
                                            : sw_scene_printf(scene, "%s; %zu differ%s", own, cell->elsewhere,
                                                              cell->elsewhere == 1 ? "s" : "");
    unsigned room = heading_room(width);
    return sw_view_columns(more) <= room ? more : sw_view_columns(own) <= room ? own : LEAST_LAYOUT_WORDS;
}

/* ---- what stands above a map ---- */

static const char *over_bound_words(struct sw_scene *scene, const struct compare_cell *cell,
                                    const struct sw_metrics *metrics, bool wide) {
    const struct sw_compare_run *run = cell->shown;
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
                           cell->optimal ? ", proved least" : "");
}

static const char *peak_words(const struct compare_grid *page, const struct compare_cell *cell) {
    const struct sw_compare_run *run = cell->shown;
    struct sw_scene *scene = page->scene;
    struct sw_metrics metrics;
    if (is_unfinished_run(run)) { /* no figure beside those of others: it would still rise */
        sw_metrics_of(sw_search_layout(run->search), &metrics);
        return sw_scene_printf(scene, "unfinished: %s of %s", SW_COUNT(metrics.placed),
                               sw_scene_counted(scene, metrics.planned, "block"));
    }
    if (run_has_peak(run, &metrics)) {
        return sw_scene_printf(scene, "%s%s%s", sw_scene_bytes(scene, metrics.peak),
                               other_sizes(page, run) ? " of other sizes" : "",
                               over_bound_words(scene, cell, &metrics, page->width > 260));
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

/* The text up to the last of the marks between its parts with which it takes no more rows; none is cut. */
static const char *whole_parts(struct sw_scene *scene, const char *text, const char *between, unsigned room,
                               size_t rows) {
    const char *said = text;
    while (sw_view_line_count(said, room) > rows) {
        size_t length = strlen(said), mark = strlen(between);
        const char *end = length > mark ? said + length - mark : said;
        while (end > said && strncmp(end, between, mark) != 0) {
            end--;
        }
        if (end == said) {
            break;
        }
        said = sw_scene_printf(scene, "%.*s", (int)(end - said), said);
    }
    return said;
}

/* Of what went wrong, above a map, and of the figures there. */
static size_t text_rows(const struct compare_grid *page) {
    return SW_MIN(page->name_lines, 2);
}

/* Left of the word that says that it is the best. */
static unsigned figures_room(const struct compare_grid *page, const struct compare_cell *cell) {
    const char *word;
    return heading_room(page->width) - (is_best_run(page, cell->shown, &word) ? (unsigned)strlen("best") + 2 : 0);
}

static const char *cell_figures(const struct compare_grid *page, const struct compare_cell *cell, uint64_t hidden) {
    const struct sw_compare_run *run = cell->shown;
    struct sw_scene *scene = page->scene;
    struct sw_claims claims;
    sw_search_claims(run->search, &claims);
    const char *line = peak_words(page, cell);
    if (claims.has_migration) {
        line = sw_scene_printf(scene, "%s, moves %s", line, sw_scene_bytes(scene, claims.migration_bytes));
    }
    if (!isnan(run->cost)) { /* where both have no room: the peaks stand below the maps as well */
        const char *both = sw_scene_printf(scene, "%s, cost %s", line, SW_NUMBER(run->cost));
        bool wide = page->width <= 0 || (double)sw_view_columns(both) * SW_PAGE_CHARACTER <= page->width;
        line = wide ? both : sw_scene_printf(scene, "cost %s", SW_NUMBER(run->cost));
    }
    if (run->stopped_at && !*run->why && cell->count == 1) {
        line = page->width < LEAST_STOPPED
                   ? sw_scene_printf(scene, "%s, stopped", line)
                   : sw_scene_printf(scene, "%s, stopped at decision %s", line, SW_COUNT(run->stopped_at));
    }
    unsigned room = figures_room(page, cell);
    line = has_map(run) ? whole_parts(scene, line, ", ", room, *run->why ? text_rows(page) : 2) : line;
    const char *more = hidden ? sw_scene_printf(scene, "%s, %s too small", line, SW_COUNT(hidden)) : line;
    return sw_view_line_count(more, room) <= sw_view_line_count(line, room) ? more : line;
}

/* What went wrong with a run that has a map: as much as there is room for. */
static const char *map_note(const struct compare_grid *page, const struct compare_cell *cell) {
    return whole_parts(page->scene, cell_reason(cell), ": ", heading_room(page->width), text_rows(page));
}

/* Rows above a map: names, figures, whose layout it is, and what went wrong. */
static size_t heading_rows(const struct compare_grid *page, const struct compare_cell *cell) {
    unsigned room = heading_room(page->width);
    const char *note = map_note(page, cell);
    return sw_view_line_count(cell_title(page, cell, page->width), room) +
           sw_view_line_count(cell_figures(page, cell, 0), figures_room(page, cell)) + (cell->count > 1) +
           (*note ? sw_view_line_count(note, room) : 0);
}

/* ---- the grid ---- */

/* Of maps of that width from `first` on, up to `end`. */
static double heading_for(const struct compare_grid *page, double width, uint32_t first, uint32_t end) {
    struct compare_grid of = *page;
    size_t rows = 2;
    of.width = width;
    for (uint32_t i = first; i < page->maps && i < end; i++) {
        rows = has_map(page->cells[i].shown) ? SW_MAX(heading_rows(&of, &page->cells[i]), rows) : rows;
    }
    return SW_PAGE_ROW * (double)rows + 3;
}

/* Of so many rows of the grid, and their sum. */
static double set_headings(struct compare_grid *page, double width, uint32_t columns, uint32_t rows) {
    double sum = 0;
    for (uint32_t row = 0; row < rows; row++) {
        page->headings[row] = heading_for(page, width, row * columns, (row + 1) * columns);
        sum += page->headings[row];
    }
    return sum;
}

/* Rows and columns by the shape of the page: as large as can be, wider than high, few holes. */
static void choose_grid(struct compare_grid *page) {
    double best = -1, room = page->box.width - GUTTER - RIGHT + BETWEEN_COLUMNS;
    size_t longest = 0;
    for (uint32_t i = 0; i < page->count; i++) {
        const struct compare_cell *cell = &page->cells[i];
        for (size_t k = 0; k < cell->count; k++) {
            longest = SW_MAX(sw_view_columns(cell->runs[k]->planner) + (cell->count > 1) * strlen(" +1"), longest);
        }
        longest = cell->count > 1 ? SW_MAX(strlen(LEAST_LAYOUT_WORDS), longest) : longest;
    }
    page->name_lines = (size_t)fmax(floor(page->box.height / NAME_LINE), 1);
    page->least_width = fmin(fmax((double)longest * SW_PAGE_CHARACTER - BESIDE_CELL, LEAST_CELL_WIDTH),
                             fmax(room - BETWEEN_COLUMNS, LEAST_CELL_WIDTH));
    uint32_t across = (uint32_t)fmax(1, floor(room / (page->least_width + BETWEEN_COLUMNS)));
    double row = LEAST_CELL_HEIGHT * page->tiers + heading_for(page, page->least_width, 0, page->maps) + BELOW_MAP;
    uint32_t most = across * (uint32_t)fmax(1, floor((page->box.height - SW_PAGE_TICKS) / row));
    row += (GOOD_CELL_HEIGHT - LEAST_CELL_HEIGHT) * page->tiers;
    page->least_height = (page->count + across - 1) / across * row + SW_PAGE_TICKS;
    page->shown = SW_MIN(page->count, most);
    if (page->count > page->shown) { /* the last cell says how many more there are */
        page->maps = SW_MIN(page->maps, page->shown - 1);
    }
    for (uint32_t columns = 1; columns <= page->shown; columns++) {
        uint32_t rows = (page->shown + columns - 1) / columns;
        double width = (page->box.width - GUTTER - RIGHT - BETWEEN_COLUMNS * (columns - 1)) / columns;
        uint32_t drawn = (page->maps + columns - 1) / columns;
        drawn = drawn > 0 ? drawn : rows;
        double headings = set_headings(page, width, columns, drawn);
        double height = (page->box.height - NOTE_HEIGHT * (rows - drawn) - headings) / drawn - BELOW_MAP;
        double holes = (double)(columns * rows - page->shown) / page->shown;
        double score = fmin(width / 1.8, height) * (1 - 0.3 * holes);
        score = width < page->least_width || height < LEAST_CELL_HEIGHT ? score / 100 : score;
        if (score > best || columns == 1) {
            best = score;
            page->columns = columns;
            page->rows = drawn;
            page->width = fmax(width, 1);
            page->height = fmax(height, 1);
        }
    }
    set_headings(page, page->width, page->columns, page->rows);
}

/* ---- one planner ---- */

/* Text from the left edge of a cell on, broken between words; the last row that there is room for is cut. */
static void add_wrapped_rows(struct sw_scene *scene, struct sw_panel *panel, enum sw_style style, const char *text,
                             unsigned room, size_t rows) {
    for (size_t i = 0; *text && !scene->failed; i++) {
        sw_panel_row(scene, panel, SW_NO_ITEM, style == SW_STYLE_STRONG);
        sw_panel_cell(scene, panel, style, false, sw_view_line(scene, &text, i + 1 == rows ? UINT_MAX : room));
    }
}

/* The names, and below them what came of it. They stand on the map. */
static void add_cell_heading(const struct compare_grid *page, const struct compare_cell *cell, uint32_t row,
                             struct sw_box box, uint64_t hidden) {
    struct sw_scene *scene = page->scene;
    struct sw_panel *panel = sw_scene_panel(scene, SW_PANEL_TABLE, "planner");
    const char *word = "", *title = cell_title(page, cell, page->width), *own = whose_layout(scene, cell, page->width);
    bool map = has_map(cell->shown);
    double rows = map ? (double)heading_rows(page, cell) : (double)sw_view_line_count(title, heading_room(page->width));
    box.width += BESIDE_CELL;
    box.top += map ? fmax(page->headings[row] - 3 - rows * SW_PAGE_ROW, 0) : 0;
    box.height = rows * SW_PAGE_ROW + 3;
    sw_panel_put(panel, box);
    panel->stretch = 0;
    add_wrapped_rows(scene, panel, SW_STYLE_STRONG, title, heading_room(page->width), SIZE_MAX);
    if (!map) {
        return;
    }
    const char *figures = cell_figures(page, cell, hidden);
    sw_panel_row(scene, panel, SW_NO_ITEM, false);
    const char *first = sw_view_line(scene, &figures, figures_room(page, cell));
    sw_panel_cell(scene, panel, SW_STYLE_TEXT, false, first);
    if (is_best_run(page, cell->shown, &word)) {
        bool fits = sw_view_columns(first) + strlen(word) + 2 <= heading_room(page->width);
        sw_panel_cell(scene, panel, SW_STYLE_CHOSEN, false, fits ? word : "best");
    }
    add_wrapped_rows(scene, panel, SW_STYLE_TEXT, figures, figures_room(page, cell), SIZE_MAX);
    if (*own) {
        sw_panel_row(scene, panel, SW_NO_ITEM, false);
        sw_panel_cell(scene, panel, SW_STYLE_DIM, false, own);
    }
}

/* What is said where there is no map. */
static const char *empty_note(const struct compare_grid *page, const struct compare_cell *cell) {
    return *cell->shown->why ? cell_reason(cell) : cell_figures(page, cell, 0);
}

/* Why there is no layout, or none that counts. */
static void add_cell_note(const struct compare_grid *page, const struct compare_cell *cell, struct sw_box box) {
    const struct sw_compare_run *run = cell->shown;
    struct sw_panel *panel = sw_scene_panel(page->scene, SW_PANEL_TABLE, "note");
    enum sw_style style = !run->search ? SW_STYLE_DIM : *run->why ? SW_STYLE_ERROR : SW_STYLE_TEXT;
    sw_panel_put(panel, box);
    panel->columns = 1;
    unsigned room = heading_room(box.width - (has_map(run) ? 0 : BESIDE_EMPTY));
    size_t rows = (size_t)fmax(box.height / SW_PAGE_ROW, 1);
    const char *text = has_map(run) ? map_note(page, cell) : empty_note(page, cell);
    add_wrapped_rows(page->scene, panel, style, whole_parts(page->scene, text, ": ", room, rows), room, rows);
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
    double top = 0;
    for (uint32_t i = 0; i < row; i++) {
        top += i < page->rows ? page->headings[i] + page->height + BELOW_MAP : NOTE_HEIGHT;
    }
    return top;
}

/* The room for what is said of a run that went wrong. */
static double note_height(const struct compare_grid *page, const struct compare_cell *cell, uint32_t row) {
    if (has_map(cell->shown)) {
        return SW_PAGE_ROW * (double)sw_view_line_count(map_note(page, cell), heading_room(page->width));
    }
    return row < page->rows ? page->height + SW_PAGE_ROW : NOTE_HEIGHT - 2 * SW_PAGE_ROW;
}

static void add_compare_cell(const struct compare_grid *page, const struct compare_cell *shared, uint32_t cell) {
    const struct sw_compare_run *run = shared->shown;
    uint32_t column = cell % page->columns, row = cell / page->columns;
    struct sw_box box = {page->box.left + GUTTER + column * (page->width + BETWEEN_COLUMNS),
                         page->box.top + row_top(page, row), page->width, page->height};
    struct sw_box map = box;
    size_t first = page->scene->panels.count;
    map.top += row < page->rows ? page->headings[row] : 0;
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
    add_cell_heading(page, shared, row, box, sw_runs_hidden(page->scene, first));
    if (*run->why || !has_map(run)) {
        size_t names = sw_view_line_count(cell_title(page, shared, page->width), heading_room(page->width));
        box.height = note_height(page, shared, row);
        box.top += has_map(run) ? page->headings[row] - 3 - box.height : (double)names * SW_PAGE_ROW;
        add_cell_note(page, shared, box);
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
static const char *planners_alike(const struct compare_grid *page, size_t first, size_t *alike) {
    const char *settings = run_settings(page, first), *text = "";
    *alike = 0;
    for (size_t i = 0; *settings && i < page->all->count; i++) {
        if (strcmp(run_settings(page, i), settings) != 0) {
            continue;
        }
        if (i < first) {
            return "";
        }
        ++*alike;
        text = sw_scene_printf(page->scene, "%s%s%s", text, *text ? ", " : "", page->all->runs[i].planner);
    }
    return *text ? sw_scene_printf(page->scene, "%s (%s)", text, settings) : "";
}

/* Planners with the same settings are told together. Where more than four have the same, the most that do are "all
 * others": their names stand in the line above. */
static void settings_caption(const struct compare_grid *page) {
    struct sw_scene *scene = page->scene;
    const char *text = "", *others = "";
    size_t most = 4, alike;
    for (size_t i = 0; i < page->all->count; i++) {
        const char *more = planners_alike(page, i, &alike);
        if (*more && alike > most) {
            const char *before = others;
            others = run_settings(page, i);
            most = alike;
            more = *before ? before : "";
        }
        text = sw_scene_printf(scene, "%s%s%s", text, *more && *text ? "; " : "", more);
    }
    others = *others ? sw_scene_printf(scene, *text ? "; all others (%s)" : "all (%s)", others) : "";
    if (*text || *others) {
        sw_runs_caption(&page->all->page, scene, sw_scene_printf(scene, "Planners: %s%s.", text, others));
    }
}

/* Does the cell have less room than the sentence about it needs? */
static bool is_cut_note(const struct compare_grid *page, uint32_t cell) {
    const struct compare_cell *it = &page->cells[cell];
    if (has_map(it->shown)) {
        return strlen(map_note(page, it)) < strlen(cell_reason(it));
    }
    double rows = note_height(page, it, cell / page->columns) / SW_PAGE_ROW;
    return sw_view_line_count(it->shown->why, heading_room(page->width - BESIDE_EMPTY)) > fmax(floor(rows), 1);
}

/* Does a heading above a map say it, for each of the planners? */
static bool tells_peak(const struct compare_grid *page, uint32_t cell) {
    const struct compare_cell *it = &page->cells[cell];
    return cell < page->maps && has_map(it->shown) &&
           strcmp(cell_title(page, it, page->width), cell_names(page->scene, it, ", ")) == 0 &&
           strstr(cell_figures(page, it, 0), peak_words(page, it));
}

/* The peaks, for tools that read the file, and below the page where no headings say them; and whose layouts are not
 * drawn. */
static void peaks_caption(const struct compare_grid *page) {
    struct sw_scene *scene = page->scene;
    const char *text = "", *others = "";
    bool told = true;
    for (uint32_t i = 0; i < page->count; i++) {
        const struct compare_cell *cell = &page->cells[i];
        struct sw_metrics metrics;
        if (!cell->shown->search || (!run_has_peak(cell->shown, &metrics) && metrics.placed == 0)) {
            continue;
        }
        told = told && tells_peak(page, i);
        text = sw_scene_printf(scene, "%s%s%s %s%s", text, *text ? "; " : "Peaks: ", cell_names(scene, cell, " and "),
                               cell->count > 1 ? "each " : "", peak_words(page, cell));
        for (size_t k = 1; cell->elsewhere > 0 && k < cell->count; k++) {
            if (drawn_elsewhere(cell->runs[k], cell->shown)) {
                others = sw_scene_printf(scene, "%s%s%s", others, *others ? ", " : "", cell->runs[k]->planner);
            }
        }
    }
    if (*text && told) {
        sw_runs_unshown(scene, sw_scene_printf(scene, "%s.", text));
    } else if (*text) {
        sw_runs_caption(&page->all->page, scene, sw_scene_printf(scene, "%s.", text));
    }
    if (*others) {
        sw_runs_caption(&page->all->page, scene,
                        sw_scene_printf(scene, "Of the same peak, laid out otherwise and not drawn: %s.", others));
    }
}

/* "as-built, recorded (need ...)": with the same reason. `detail`: 2 all of the reason, 1 up to its first comma and
 * "and", 0 nothing of it. */
static const char *unfit_words(const struct compare_grid *page, int detail) {
    const struct sw_compare_page *all = page->all;
    struct sw_scene *scene = page->scene;
    const char *text = "";
    for (size_t i = 0; i < all->count; i++) {
        const char *reason = bare_reason(&all->runs[i]), *names = "",
                   *rest = detail == 1 ? strstr(reason, ", and ") : NULL;
        bool first = !all->runs[i].search;
        size_t many = 0;
        for (size_t k = 0; first && k < all->count; k++) {
            bool same = !all->runs[k].search && strcmp(bare_reason(&all->runs[k]), reason) == 0;
            first = !same || k >= i;
            names = same ? sw_scene_printf(scene, "%s%s%s", names, many ? ", " : "", all->runs[k].planner) : names;
            many += same;
        }
        if (!first) {
            continue;
        }
        /* Of several: "need". */
        bool needs = many > 1 && strncmp(reason, "needs ", 6) == 0;
        size_t from = needs ? strlen("needs") : 0, end = rest ? (size_t)(rest - reason) : strlen(reason);
        const char *said = sw_scene_printf(scene, " (%s%.*s)", needs ? "need" : "", (int)(end - from), reason + from);
        text = sw_scene_printf(scene, "%s%s%s%s", text, *text ? ", " : "", names, detail ? said : "");
    }
    return *text ? sw_scene_printf(scene, "Not for this input: %s.", text) : "";
}

/* In as few words as the page has room for. */
static void unfit_caption(const struct compare_grid *page) {
    bool alone = page->count > 0 && !page->cells[0].shown->search; /* they have cells */
    double room = 1.9 * sw_runs_caption_room(&page->all->page);    /* two lines, which are not quite full */
    int detail = 2;
    while (detail > 0 && sw_page_text_width(unfit_words(page, detail), SW_PAGE_CAPTION_SIZE) > room) {
        detail--;
    }
    if (!alone) {
        sw_runs_caption(&page->all->page, page->scene, unfit_words(page, detail));
    }
}

static void add_compare_caption(const struct compare_grid *page) {
    struct sw_scene *scene = page->scene;
    const struct sw_compare_page *all = page->all;
    sw_runs_caption(&all->page, scene,
                    sw_scene_printf(scene, "Input %s; lower bound %s, without reuse %s. stowage %s.",
                                    sw_runs_input(scene, all->input_name, all->input_digest, all->problem),
                                    sw_scene_bytes(scene, sw_problem_lower_bound(all->problem)),
                                    sw_scene_bytes(scene, sw_problem_naive(all->problem)), STOWAGE_VERSION));
    sw_runs_conditions(&all->page, scene, all->problem);
    peaks_caption(page);
    settings_caption(page);
    /* What the heading may have to cut. */
    for (uint32_t c = 0; c < page->count; c++) {
        const struct compare_cell *cell = &page->cells[c];
        for (size_t i = 0; i < cell->count; i++) {
            const struct sw_compare_run *run = cell->runs[i];
            if (run->stopped_at && !*run->why && (page->width < LEAST_STOPPED || cell->count > 1)) {
                sw_runs_caption(
                    &all->page, scene,
                    sw_scene_printf(scene, "%s: stopped at decision %s.", run->planner, SW_COUNT(run->stopped_at)));
            }
        }
        if (is_cut_note(page, c)) {
            sw_runs_caption(&all->page, scene,
                            sw_scene_printf(scene, "%s: %s.", cell_names(scene, cell, ", "), bare_reason(cell->shown)));
        }
    }
    unfit_caption(page);
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
                                       sw_scene_bytes(scene, sw_problem_lower_bound(all->problem)));
    if (best > 0 && isnan(page->cheapest)) {
        text = sw_scene_printf(scene, "Least peak %s, by %zu of %zu; %s", sw_scene_bytes(scene, page->least), best, ran,
                               sw_scene_printf(scene, "lower bound %s; all on the same axes",
                                               sw_scene_bytes(scene, sw_problem_lower_bound(all->problem))));
    } else if (best > 0) {
        text = sw_scene_printf(scene, "The %s is %s, by %zu of %zu; all on the same axes", measure,
                               SW_NUMBER(page->cheapest), best, ran);
    }
    if (ran > 0 && all->none_fits) {
        scene->warns = true;
        text = sw_scene_printf(scene, "No planner found a plan that fits; %c%s", text[0] | 0x20, *text ? text + 1 : "");
    }
    scene->subtitle = text;
}

static void add_cells(struct compare_grid *page) {
    bool short_of_room = page->count > page->shown;
    uint32_t drawn = page->shown - short_of_room;
    size_t left = 0;
    for (uint32_t i = 0; i < page->count && !page->scene->failed; i++) {
        if (i < drawn) {
            add_compare_cell(page, &page->cells[i], i);
        } else {
            left += page->cells[i].count;
        }
    }
    if (short_of_room) { /* the last cell */
        struct sw_compare_run rest = {.planner = sw_scene_printf(page->scene, "%zu more", left),
                                      .why = "There is no room for them here: ask for a larger size."};
        add_compare_cell(page, &(struct compare_cell){.shown = &rest, .count = 1}, drawn);
    }
}

static void build_comparison(const void *context, struct sw_scene *scene, double foot) {
    const struct sw_compare_page *all = context;
    struct compare_grid page = {
        .all = all, .scene = scene, .box = sw_page_box(all->page.width, all->page.height, foot)};
    survey_runs(&page);
    make_cells(&page);
    if (scene->failed) {
        return;
    }
    set_compare_titles(&page);
    choose_grid(&page);
    add_compare_caption(&page);
    add_cells(&page);
}

/* The height that maps of all cells need. */
static double compare_height(const struct sw_compare_page *all, struct sw_scene *scene) {
    struct compare_grid page = {.all = all, .scene = scene, .box = sw_page_box(all->page.width, all->page.height, 0)};
    survey_runs(&page);
    make_cells(&page);
    if (!scene->failed) {
        choose_grid(&page);
    }
    return page.least_height;
}

void sw_view_multiples(const struct sw_compare_page *all, struct sw_scene *scene) {
    struct sw_runs_page page = all->page;
    uint64_t most = sw_problem_lower_bound(all->problem);
    for (size_t i = 0; i < all->count; i++) {
        uint64_t arena = all->runs[i].search ? sw_layout_peak(sw_search_layout(all->runs[i].search)) : 0;
        most = SW_MAX(arena, most);
    }
    page.units = sw_units_for(page.units, most);
    page.least_view = compare_height(all, scene);
    sw_runs_build(&page, scene, build_comparison, all);
}
