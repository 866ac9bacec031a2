/* The report: one run on several pages. Each page is a part, and most parts are views that exist
 * anyway; the tables of the summary and of the provenance are in report_table.c. */
#include "view/facts.h"
#include "base/sort.h"
#include "base/base.h"
#include "view/fit/fit_sight.h"
#include "problem/requests.h"
#include "view/pages/report.h"

/* At most so many pages of each long table; what is left out is said. */
enum { MOST_PAGES = 12 };
#define COLUMN_SPACE 26.0

enum part_kind {
    PART_SUMMARY,
    PART_WHY,
    PART_PLANNERS,
    PART_LAYOUT,
    PART_LIVE,
    PART_OCCUPANCY,
    PART_SEGMENTS,
    PART_COST,
    PART_FRONT,
    PART_STRIPS,
    PART_BEFORE_AFTER,
    PART_OPERATORS,
    PART_BUFFERS,
    PART_PROVENANCE,
    PART_KINDS
};
struct report_part {
    enum part_kind kind;
    uint32_t which; /* LAYOUT: the tier; tables: the page of it, from 0 */
    uint32_t of;    /* so many pages of this kind */
};

/* Rows of a table, without title and heads, that fit in a column of a page of this size. */
static uint32_t rows_per_page(const struct sw_view_input *in) {
    double high = in->height - 2 * SW_PAGE_MARGIN - SW_PAGE_TITLE - SW_PAGE_CAPTION_GAP - SW_PAGE_CAPTION_LINE;
    double rows = floor(high / SW_PAGE_ROW) - 3;
    return rows < 1 ? 1 : rows > 100000 ? 100000 : (uint32_t)rows;
}

/* A table runs over so many columns of a page that no cell of a usual one is cut. */
#define LEAST_TABLE_COLUMN 345.0
static uint32_t columns_per_page(const struct sw_view_input *in) {
    double columns = floor((in->width - 2 * SW_PAGE_MARGIN + COLUMN_SPACE) / (LEAST_TABLE_COLUMN + COLUMN_SPACE));
    return columns < 1 ? 1 : columns > 4 ? 4 : (uint32_t)columns;
}

static uint32_t table_pages(const struct sw_view_input *in, uint32_t rows) {
    uint32_t each = columns_per_page(in) * rows_per_page(in), pages = rows / each + (rows % each > 0);
    return pages < MOST_PAGES ? pages : MOST_PAGES;
}

static bool has_segments(const struct sw_view_input *in) {
    struct sw_facts own = {0};
    const struct sw_facts *facts = in->run.facts;
    if (!facts && sw_facts_gather(&own, in->run.search)) {
        facts = &own;
    }
    bool has = facts && (facts->segments.count || facts->moves.count);
    sw_facts_done(&own);
    return has;
}

static bool has_cost(const struct sw_view_input *in) {
    struct sw_costs own = {0};
    bool has = in->run.costs ? in->run.costs->kind != SW_COSTS_NONE
                             : sw_costs_of(in->run.search, &own) && own.kind != SW_COSTS_NONE;
    sw_costs_done(&own);
    return has;
}

/* Changes of the model gain something; `strips`: some of them are regions in strips. */
static bool has_fit(const struct sw_view_input *in, bool strips) {
    struct sw_scene none = {0};
    struct sw_fit_seen seen;
    return sw_fit_seen(in, &none, &seen) &&
           (strips ? seen.looked->region_count > 0 : seen.looked->moves.items.count > 0);
}

static uint32_t part_pages(const struct sw_view_input *in, enum part_kind kind) {
    const struct sw_problem *problem = sw_search_problem(in->run.search);
    uint32_t count = 0;
    switch (kind) {
    case PART_WHY:
        return sw_report_why_apart(in);
    case PART_PLANNERS:
        return sw_report_has_planners(in) && !sw_report_with_planners(in);
    case PART_LIVE: /* else the layout has them below it */
        return !sw_view_single(in) || sw_problem_told_requests(problem) != NULL;
    case PART_LAYOUT:
        for (uint32_t t = 0; t < sw_problem_tier_count(problem); t++) {
            count += sw_view_uses(in, t);
        }
        return count ? count : 1;
    case PART_OCCUPANCY:
        return !sw_view_single(in);
    case PART_SEGMENTS:
        return has_segments(in);
    case PART_COST:
        return has_cost(in);
    case PART_FRONT:
    case PART_BEFORE_AFTER:
        return has_fit(in, false);
    case PART_STRIPS:
        return has_fit(in, true);
    case PART_OPERATORS:
        return table_pages(in, sw_problem_operator_count(problem));
    case PART_BUFFERS:
        return table_pages(in, sw_problem_planned_count(problem));
    default:
        return 1;
    }
}

/* Of a moment: the map, the sentences, what recurs, the blocks. */
static const struct {
    const struct sw_view *view;
    const char *heading;
} moment_parts[] = {{&sw_view_moment_map, "Segments"},
                    {&sw_view_moment_pane, "The moment"},
                    {&sw_view_sizes, "Sizes that recur"},
                    {&sw_view_buffers, "Blocks"}};
enum { MOMENT_PARTS = sizeof moment_parts / sizeof *moment_parts };

static uint32_t report_pages(const struct sw_view_input *in) {
    if (sw_view_moment_of(in->run.search)) {
        return MOMENT_PARTS;
    }
    uint32_t count = 0;
    for (int kind = 0; kind < PART_KINDS; kind++) {
        count += part_pages(in, (enum part_kind)kind);
    }
    return count;
}

static struct report_part part_shown(const struct sw_view_input *in) {
    uint32_t before = 0;
    for (int kind = 0; kind < PART_KINDS; kind++) {
        uint32_t count = part_pages(in, (enum part_kind)kind);
        if (in->look.page < before + count) {
            return (struct report_part){(enum part_kind)kind, in->look.page - before, count};
        }
        before += count;
    }
    return (struct report_part){PART_PROVENANCE, 0, 1};
}

/* The k-th tier that is in use. */
static uint32_t tier_of(const struct sw_view_input *in, uint32_t k) {
    uint32_t tiers = sw_problem_tier_count(sw_search_problem(in->run.search));
    for (uint32_t t = 0; t < tiers; t++) {
        if (sw_view_uses(in, t) && k-- == 0) {
            return t;
        }
    }
    return 0;
}

/* ---- the pages that are views ---- */

static const char *build_layout(const struct sw_view_input *in, struct sw_scene *scene, struct sw_box box,
                                const struct report_part *part) {
    struct sw_view_input one = *in;
    one.look.tier = tier_of(in, part->which);
    if (!sw_view_single(in)) {
        one.look.viewport = sw_view_tier(in, one.look.tier);
    }
    sw_view_layout.build(&one, scene, box);
    return sw_view_single(in)
               ? "Layout"
               : sw_scene_printf(scene, "Layout of %s",
                                 sw_problem_tier(sw_search_problem(in->run.search), one.look.tier)->name);
}

/* The largest first, of the same size by birth. */
struct report_buffer {
    uint64_t size;
    uint32_t place, buffer;
};
SW_BY_FIELDS(larger_ranked_first, struct report_buffer, SW_DOWN(size), SW_UP(place))

static const uint32_t *largest_first(const struct sw_problem *problem, struct sw_scene *scene) {
    uint32_t count = sw_problem_planned_count(problem);
    uint32_t *list = sw_arena_new(&scene->arena, count, sizeof *list);
    struct report_buffer *ranked = SW_NEW(struct report_buffer, count);
    scene->failed |= !list || !ranked;
    for (uint32_t i = 0; i < count && !scene->failed; i++) {
        uint32_t b = sw_problem_order(problem)[i];
        ranked[i] = (struct report_buffer){sw_problem_buffer(problem, b)->size, i, b};
    }
    if (!scene->failed) {
        qsort(ranked, count, sizeof *ranked, larger_ranked_first);
        for (uint32_t i = 0; i < count; i++) {
            list[i] = ranked[i].buffer;
        }
    }
    SW_FREE(ranked, count);
    return scene->failed ? NULL : list;
}

/* The rows of one column of a page, and of all pages. Pages have the same number of rows, or one more, and so have
 * the columns of a page; few rows take few columns, which are wider. */
struct rows {
    uint32_t first, end, shown, all;
    uint32_t columns; /* of this page */
};

static uint32_t rows_before(uint32_t count, uint32_t part, uint32_t of) {
    return (uint32_t)((uint64_t)count * part / of);
}

static struct rows column_rows(const struct sw_view_input *in, const struct report_part *part, uint32_t column,
                               uint32_t all) {
    uint32_t each = rows_per_page(in), page = columns_per_page(in) * each, pages = part->of ? part->of : 1;
    uint32_t shown = all / page < pages ? all : pages * page;
    uint32_t begin = rows_before(shown, part->which, pages), count = rows_before(shown, part->which + 1, pages) - begin;
    uint32_t columns = count ? count / each + (count % each > 0) : 1;
    bool there = column < columns;
    return (struct rows){.first = begin + (there ? rows_before(count, column, columns) : count),
                         .end = begin + (there ? rows_before(count, column + 1, columns) : count),
                         .shown = shown,
                         .all = all,
                         .columns = columns};
}

/* "buffers 34 to 66 of 120". */
static void set_range(struct sw_scene *scene, const char *what, const struct rows *rows, uint32_t base) {
    struct sw_panel *panel = &scene->panels.items[scene->panels.count - 1];
    panel->title = sw_scene_printf(scene, "%s %s to %s of %s", what, SW_COUNT(rows->first + base),
                                   SW_COUNT(rows->end - 1 + base), SW_COUNT(rows->all));
}

static const char *heading(struct sw_scene *scene, const char *what, const struct rows *rows) {
    return rows->shown < rows->all
               ? sw_scene_printf(scene, "%s, of which %s are left out", what, SW_COUNT(rows->all - rows->shown))
               : what;
}

static struct sw_box column_box(struct sw_box box, uint32_t column, const struct rows *rows) {
    double width = floor((box.width + COLUMN_SPACE) / rows->columns - COLUMN_SPACE);
    box.left += column * (width + COLUMN_SPACE);
    box.width = width;
    box.height = (rows->end - rows->first + 2.5) * SW_PAGE_ROW; /* title, heads, and never a row too few */
    return box;
}

/* The columns of a page, each built by the view of the table. */
static void build_columns(const struct sw_view_input *in, struct sw_scene *scene, struct sw_box box,
                          const struct report_part *part, uint32_t all) {
    bool buffers = part->kind == PART_BUFFERS;
    struct rows rows = column_rows(in, part, 0, all);
    struct sw_view_input one = *in;
    for (uint32_t column = 0; column < rows.columns && !scene->failed; column++) {
        rows = column_rows(in, part, column, all);
        one.look.first_row = rows.first;
        one.look.last_row = one.look.listing.count = rows.end;
        (buffers ? &sw_view_buffers : &sw_view_operators)->build(&one, scene, column_box(box, column, &rows));
        if (all > 0 && !scene->failed) {
            set_range(scene, buffers ? "buffers" : "operators", &rows, buffers);
        }
    }
}

static const char *build_buffer_pages(const struct sw_view_input *in, struct sw_scene *scene, struct sw_box box,
                                      const struct report_part *part) {
    const struct sw_problem *problem = sw_search_problem(in->run.search);
    struct rows rows = column_rows(in, part, 0, sw_problem_planned_count(problem));
    bool cut = rows.shown < rows.all;
    struct sw_view_input one = *in;
    one.look.selected = SW_NONE;
    one.look.listing.items = cut ? largest_first(problem, scene) : sw_problem_order(problem);
    one.look.listing.words = "";
    /* A document is what one looks addresses up in: exact, unless a unit was asked for. */
    scene->units = in->units == SW_UNITS_AUTO ? SW_UNITS_BYTES : in->units;
    build_columns(&one, scene, box, part, rows.all);
    return heading(scene, cut ? "Buffers, the largest first" : "Buffers", &rows);
}

static const char *build_operators(const struct sw_view_input *in, struct sw_scene *scene, struct sw_box box,
                                   const struct report_part *part) {
    uint32_t all = sw_problem_operator_count(sw_search_problem(in->run.search));
    struct rows rows = column_rows(in, part, 0, all);
    build_columns(in, scene, box, part, all);
    return heading(scene, "Operators", &rows);
}

static const char *build_part(const struct sw_view_input *in, struct sw_scene *scene, struct sw_box box,
                              const struct report_part *part) {
    /* Those that are one view, or one table. */
    static const struct {
        const struct sw_view *view;
        const char *heading;
    } parts[PART_KINDS] = {[PART_WHY] = {NULL, "Verdict"},
                           [PART_LIVE] = {&sw_view_live, "Live bytes"},
                           [PART_OCCUPANCY] = {&sw_view_occupancy, "Memories over time"},
                           [PART_SEGMENTS] = {&sw_view_segments, "Segments and transfers"},
                           [PART_COST] = {&sw_view_cost, "Cost"},
                           [PART_FRONT] = {&sw_view_front, "What makes the model need less, against multiply-adds"},
                           [PART_STRIPS] = {&sw_view_strips, "Regions in strips"},
                           [PART_BEFORE_AFTER] = {&sw_view_before_after, "The model as it is, and changed"},
                           [PART_PROVENANCE] = {NULL, "Provenance"}};
    switch (part->kind) {
    case PART_SUMMARY:
        return sw_report_summary(in, scene, box);
    case PART_WHY:
        sw_report_why(in, scene, box);
        break;
    case PART_PLANNERS:
        return sw_report_planners(in, scene, box);
    case PART_PROVENANCE:
        sw_report_provenance(in, scene, box);
        break;
    case PART_LAYOUT:
        return build_layout(in, scene, box, part);
    case PART_OPERATORS:
        return build_operators(in, scene, box, part);
    case PART_BUFFERS:
        return build_buffer_pages(in, scene, box, part);
    default:
        parts[part->kind].view->build(in, scene, box);
    }
    return parts[part->kind].heading;
}

/* The title is the run's on every page; below it stands what the page shows. */
static void report_build(const struct sw_view_input *in, struct sw_scene *scene, struct sw_box box) {
    if (sw_view_moment_of(in->run.search)) {
        uint32_t page = SW_MIN(in->look.page, MOMENT_PARTS - 1u);
        scene->heading = moment_parts[page].heading;
        moment_parts[page].view->build(in, scene, box);
        return;
    }
    struct report_part part = part_shown(in);
    scene->heading = build_part(in, scene, box, &part);
    bool table = part.kind == PART_OPERATORS || part.kind == PART_BUFFERS;
    scene->subtitle = scene->heading;
    if (part.which > 0 && table) {
        scene->heading = NULL; /* the list of contents has the first page of a table */
    }
}

const struct sw_view sw_view_report = {
    .name = "report",
    .of = SW_VIEW_OF_BOTH,
    .summary = "the whole run on several pages: summary, planners, what would help, layout, tables",
    .reads = SW_VIEW_READS_FACTS,
    .takes = SW_TAKES_TIME | SW_TAKES_ADDRESS | SW_TAKES_BUFFER | SW_TAKES_COLORING,
    .build = report_build,
    .pages = report_pages,
};
