/* The report: one run on several pages. Each page is a part, and most parts are views that exist
 * anyway; the tables of the summary and of the provenance are in report_table.c. */
#include "view/facts.h"
#include "view/report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* At most so many pages of each long table; what is left out is said. */
enum { MOST_PAGES = 12 };

enum part_kind { SUMMARY, LAYOUT, LIVE, SEGMENTS, COST, OPERATORS, BUFFERS, PROVENANCE, KINDS };
struct part {
    enum part_kind kind;
    uint32_t which; /* LAYOUT: the tier; tables: the page of it, from 0 */
    uint32_t of;    /* so many pages of this kind */
};

/* Rows of a table, without title and heads, that fit on a page of this size. */
static uint32_t rows_per_page(const struct sw_view_input *in) {
    double high = in->height - 2 * SW_PAGE_MARGIN - SW_PAGE_TITLE - SW_PAGE_CAPTION_GAP -
                  3 * SW_PAGE_CAPTION_LINE;
    double rows = floor(high / SW_PAGE_ROW) - 3;
    return rows < 1 ? 1 : rows > 100000 ? 100000 : (uint32_t)rows;
}

static uint32_t table_pages(const struct sw_view_input *in, uint32_t rows) {
    uint32_t each = rows_per_page(in), pages = rows / each + (rows % each > 0);
    return pages < MOST_PAGES ? pages : MOST_PAGES;
}

static bool has_segments(const struct sw_view_input *in) {
    struct sw_facts own = {0};
    const struct sw_facts *facts = in->facts;
    if (!facts && sw_facts_gather(&own, in->search)) {
        facts = &own;
    }
    bool has = facts && (facts->segments.count || facts->moves.count);
    sw_facts_done(&own);
    return has;
}

static bool has_cost(const struct sw_view_input *in) {
    struct sw_costs own = {0};
    bool has = in->costs ? in->costs->kind != SW_COSTS_NONE
                         : sw_costs_of(in->search, &own) && own.kind != SW_COSTS_NONE;
    sw_costs_done(&own);
    return has;
}

static uint32_t count_of(const struct sw_view_input *in, enum part_kind kind) {
    const struct sw_problem *problem = sw_search_problem(in->search);
    uint32_t count = 0;
    switch (kind) {
    case LAYOUT:
        for (uint32_t t = 0; t < sw_problem_tier_count(problem); t++) {
            count += sw_view_uses(in, t);
        }
        return count ? count : 1;
    case SEGMENTS:
        return has_segments(in);
    case COST:
        return has_cost(in);
    case OPERATORS:
        return table_pages(in, sw_problem_operator_count(problem));
    case BUFFERS:
        return table_pages(in, sw_problem_planned_count(problem));
    default:
        return 1;
    }
}

static uint32_t pages(const struct sw_view_input *in) {
    uint32_t count = 0;
    for (int kind = 0; kind < KINDS; kind++) {
        count += count_of(in, (enum part_kind)kind);
    }
    return count;
}

static struct part part_of(const struct sw_view_input *in) {
    uint32_t before = 0;
    for (int kind = 0; kind < KINDS; kind++) {
        uint32_t count = count_of(in, (enum part_kind)kind);
        if (in->page < before + count) {
            return (struct part){(enum part_kind)kind, in->page - before, count};
        }
        before += count;
    }
    return (struct part){PROVENANCE, 0, 1};
}

/* The k-th tier that is in use. */
static uint32_t tier_of(const struct sw_view_input *in, uint32_t k) {
    uint32_t tiers = sw_problem_tier_count(sw_search_problem(in->search));
    for (uint32_t t = 0; t < tiers; t++) {
        if (sw_view_uses(in, t) && k-- == 0) {
            return t;
        }
    }
    return 0;
}

/* ---- the pages that are views ---- */

static const char *build_layout(const struct sw_view_input *in, struct sw_scene *scene,
                                struct sw_box box, const struct part *part) {
    struct sw_view_input one = *in;
    one.tier = tier_of(in, part->which);
    if (!sw_view_single(in)) {
        one.viewport = sw_view_tier(in, one.tier);
    }
    sw_view_layout.build(&one, scene, box.left, box.top, box.width, box.height);
    return sw_view_single(in)
               ? "Layout"
               : sw_scene_printf(scene, "Layout of %s",
                                 sw_problem_tier(sw_search_problem(in->search), one.tier)->name);
}

/* The largest first, of the same size by birth. */
struct ranked {
    uint64_t size;
    uint32_t place, buffer;
};
static int by_size(const void *a, const void *b) {
    const struct ranked *x = a, *y = b;
    return x->size != y->size ? (x->size < y->size) - (x->size > y->size)
                              : (x->place > y->place) - (x->place < y->place);
}

static const uint32_t *largest_first(const struct sw_problem *problem, struct sw_scene *scene) {
    uint32_t count = sw_problem_planned_count(problem);
    uint32_t *list = sw_arena_new(&scene->arena, count, sizeof *list);
    struct ranked *ranked = SW_NEW(struct ranked, count);
    scene->failed |= !list || !ranked;
    for (uint32_t i = 0; i < count && !scene->failed; i++) {
        uint32_t b = sw_problem_order(problem)[i];
        ranked[i] = (struct ranked){sw_problem_buffer(problem, b)->size, i, b};
    }
    if (!scene->failed) {
        qsort(ranked, count, sizeof *ranked, by_size);
        for (uint32_t i = 0; i < count; i++) {
            list[i] = ranked[i].buffer;
        }
    }
    SW_FREE(ranked, count);
    return scene->failed ? NULL : list;
}

/* "rows 34 to 66 of 120", or what is left out. */
static const char *range(struct sw_scene *scene, const char *what, uint32_t first, uint32_t last,
                         uint32_t shown, uint32_t all) {
    char a[32], b[32], c[32];
    const char *text =
        sw_scene_printf(scene, "%s %s to %s of %s", what, sw_show_count(first + 1, a),
                        sw_show_count(last, b), sw_show_count(all, c));
    return shown < all ? sw_scene_printf(scene, "%s; the last %s are left out", text,
                                         sw_show_count(all - shown, a))
                       : text;
}

static const char *build_buffers(const struct sw_view_input *in, struct sw_scene *scene,
                                 struct sw_box box, const struct part *part) {
    const struct sw_problem *problem = sw_search_problem(in->search);
    uint32_t each = rows_per_page(in), all = sw_problem_planned_count(problem);
    uint32_t shown = all / each < part->of ? all : part->of * each;
    uint32_t first = part->which * each, last = shown - first > each ? first + each : shown;
    struct sw_view_input one = *in;
    one.first_row = first;
    one.selected = SW_NONE;
    one.listing.items = shown < all ? largest_first(problem, scene) : sw_problem_order(problem);
    one.listing.count = last;
    one.listing.words = "";
    if (scene->failed) {
        return "";
    }
    /* One row more than there are, so that the table never thinks that it is cut. */
    sw_view_buffers.build(&one, scene, box.left, box.top, box.width,
                          (each + 3) * SW_PAGE_ROW + SW_PAGE_ROW / 2);
    scene->panels.items[scene->panels.count - 1].title =
        range(scene, shown < all ? "buffers, largest first:" : "buffers", first, last, shown, all);
    return "Buffers";
}

static const char *build_operators(const struct sw_view_input *in, struct sw_scene *scene,
                                   struct sw_box box, const struct part *part) {
    uint32_t each = rows_per_page(in);
    uint32_t all = sw_problem_operator_count(sw_search_problem(in->search));
    uint32_t shown = all / each < part->of ? all : part->of * each;
    uint32_t first = part->which * each, last = shown - first > each ? first + each : shown;
    struct sw_view_input one = *in;
    one.first_row = first;
    one.last_row = last;
    sw_view_operators.build(&one, scene, box.left, box.top, box.width,
                            (each + 3) * SW_PAGE_ROW + SW_PAGE_ROW / 2);
    scene->panels.items[scene->panels.count - 1].title =
        range(scene, "operators", first, last, shown, all);
    return "Operators";
}

static const char *build_part(const struct sw_view_input *in, struct sw_scene *scene,
                              struct sw_box box, const struct part *part) {
    const struct sw_view *view = part->kind == LIVE       ? &sw_view_live
                                 : part->kind == SEGMENTS ? &sw_view_segments
                                                          : &sw_view_cost;
    switch (part->kind) {
    case SUMMARY:
        sw_report_summary(in, scene, box);
        return "Summary";
    case PROVENANCE:
    case KINDS:
        sw_report_provenance(in, scene, box);
        return "Provenance";
    case LAYOUT:
        return build_layout(in, scene, box, part);
    case OPERATORS:
        return build_operators(in, scene, box, part);
    case BUFFERS:
        return build_buffers(in, scene, box, part);
    case LIVE:
    case SEGMENTS:
    case COST:
        break;
    }
    view->build(in, scene, box.left, box.top, box.width, box.height);
    return part->kind == LIVE       ? "Live bytes"
           : part->kind == SEGMENTS ? "Segments and transfers"
                                    : "Cost";
}

/* The title is the run's on every page; below it stands what the page shows. */
static void build(const struct sw_view_input *in, struct sw_scene *scene, double left, double top,
                  double width, double height) {
    struct part part = part_of(in);
    const char *figures = scene->subtitle;
    scene->heading = build_part(in, scene, (struct sw_box){left, top, width, height}, &part);
    bool table = part.kind == OPERATORS || part.kind == BUFFERS;
    if (part.which > 0 && table) {
        scene->heading = NULL; /* the list of contents has the first page of a table */
    }
    const char *name = scene->heading ? scene->heading : "continued";
    scene->subtitle = figures ? sw_scene_printf(scene, "%s. %s", name, figures) : name;
}

const struct sw_view sw_view_report = {
    .name = "report",
    .summary = "the whole run on several pages of a PDF: summary, layout, tables, provenance",
    .facts = true,
    .build = build,
    .pages = pages,
};
