/* stowage diff: two models or plans, matched by the names of buffers. */
#include "cli/allocators/served.h"
#include "base/base.h"
#include "base/sort.h"
#include "cli/moment/moment_parts.h"
#include "cli/orders/order_parts.h"
#include "cli/shared/output.h"
#include "cli/report/cli_report.h"
#include "cli/shared/pictures.h"
#include "search/broken.h"

struct diff_side {
    struct sw_diff_side
        seen; /* of its search, which is at its end; a plan in the file is played, else -p or auto runs */
    struct sw_problem *problem;
    struct sw_search *search;
    bool recorded; /* the file's run was played */
    bool several;  /* complete, and in several tiers: */
    uint64_t tier_peak[SW_MAX_TIERS];
    char words[SW_MAX_TIERS][48]; /* "peak of sram" */
    size_t faults;                /* of a finished plan or a recorded run, as far as this file alone can tell */
};
/* One thing that became of a buffer. */
struct diff_aspect {
    const char *what; /* "grew", ... */
    char before[516], after[516];
};
enum { ASPECTS = 3 }; /* size, lifetime, place */
/* A buffer that is not the same on both sides: a row, the largest first. */
struct diff_row {
    uint32_t old, fresh; /* SW_NONE: not there */
    uint64_t weight;     /* bytes of the buffer */
    size_t number;
};
/* Which figure decides, and does the new side need more of it? */
struct diff_verdict {
    const char *measure;
    uint64_t before, after;
    bool more;
};
struct diff_table {
    const struct diff_side *old, *fresh;
    struct diff_verdict verdict;
    struct sw_cli_report *out;
    const struct sw_diff_page *pair;
    SW_ARRAY(struct diff_row) rows;
};

/* ---- the two sides ---- */

/* Run the plan of the file, or a planner. Runs that placed not every block have no peak. False
 * after saying why. */
static bool find_peak(struct sw_cli *cli, struct diff_side *side) {
    struct sw_cli own = *cli;
    struct sw_result result;
    struct sw_metrics metrics;
    own.base = 0;
    if (side->seen.plan) {
        own.planner = "as-built";
        own.params = SW_PARAMS_DEFAULT;
    }
    side->seen.search = side->search = sw_cli_search(&own, side->problem);
    if (!side->search || !sw_cli_finish(&own, side->search, &result)) {
        return false;
    }
    if (sw_cli_interrupted()) { /* the other side would stop at once, too: no verdict */
        sw_cli_tell(SW_ERROR_CANCELED, NULL, "interrupted: nothing is compared");
        return false;
    }
    sw_metrics_of(result.layout, &metrics);
    const struct sw_problem *about = sw_layout_problem(result.layout);
    if (sw_search_planner(side->search)->reorders && about != side->problem) {
        sw_problem_unref(side->problem); /* what is compared is the model in the order of its plan */
        side->problem = sw_problem_ref(about);
    }
    side->seen.stopped_at = result.stopped_at;
    side->seen.has_peak = metrics.complete && metrics.single_tier;
    side->seen.peak = metrics.peak;
    side->several = metrics.complete && !metrics.single_tier;
    for (uint32_t t = 0; t < sw_problem_tier_count(side->problem); t++) {
        side->tier_peak[t] = metrics.tier_peak[t];
        snprintf(side->words[t], sizeof side->words[t], "peak of %.36s",
                 SW_SHOWN(sw_problem_tier(side->problem, t)->name));
    }
    bool known = true;
    side->recorded = !side->seen.plan && sw_search_planner(side->search)->needs & SW_NEEDS_RECORDING;
    if (side->recorded) {
        known = sw_search_broken(side->search, &side->faults, NULL);
    } else if (side->seen.plan) { /* what is written at an address counts from there */
        side->seen.peak -= SW_MIN(cli->base, side->seen.peak);
        known = sw_layout_check(result.layout, &side->faults, NULL, NULL);
    }
    return known || !sw_cli_fail_memory();
}

static bool open_side(struct sw_cli *cli, const char *path, struct diff_side *side) {
    struct sw_error error = {0};
    side->seen.path = path;
    side->problem = sw_load(path, &cli->load, &side->seen.digest, &error);
    if (!side->problem) {
        sw_cli_fail(&error);
        return false;
    }
    side->seen.plan = sw_problem_has_plan(side->problem);
    return true;
}

/* Is there a peak of each tier on both sides, of the same tiers? */
static bool have_tiers(const struct diff_side *old, const struct diff_side *fresh) {
    uint32_t count = sw_problem_tier_count(old->problem);
    bool alike = (old->several || old->seen.has_peak) && (fresh->several || fresh->seen.has_peak) &&
                 (old->several || fresh->several) && sw_problem_tier_count(fresh->problem) == count;
    for (uint32_t t = 0; alike && t < count; t++) {
        alike = strcmp(sw_problem_tier(old->problem, t)->name, sw_problem_tier(fresh->problem, t)->name) == 0;
    }
    return alike;
}

/* Of several tiers the first that needs more, or else the first that needs less decides. */
static uint32_t deciding_tier(const struct diff_side *old, const struct diff_side *fresh) {
    uint32_t less = SW_NONE, used = SW_NONE;
    for (uint32_t t = 0; t < sw_problem_tier_count(old->problem); t++) {
        if (fresh->tier_peak[t] > old->tier_peak[t]) {
            return t;
        }
        less = less == SW_NONE && fresh->tier_peak[t] < old->tier_peak[t] ? t : less;
        used = used == SW_NONE && fresh->tier_peak[t] > 0 ? t : used;
    }
    return less != SW_NONE ? less : used != SW_NONE ? used : 0;
}

/* Peaks are compared when they come from the same source; else the bounds, which need no planner. */
static struct diff_verdict judge_sides(const struct diff_side *old, const struct diff_side *fresh) {
    bool files = (old->seen.plan || old->recorded) == (fresh->seen.plan || fresh->recorded);
    struct diff_verdict v = {"bound", sw_problem_lower_bound(old->problem), sw_problem_lower_bound(fresh->problem),
                             false};
    if (files && have_tiers(old, fresh)) {
        uint32_t t = deciding_tier(old, fresh);
        v = (struct diff_verdict){fresh->words[t], old->tier_peak[t], fresh->tier_peak[t], false};
    } else if (files && old->seen.has_peak && fresh->seen.has_peak) {
        v = (struct diff_verdict){"peak", old->seen.peak, fresh->seen.peak, false};
    }
    v.more = v.after > v.before;
    return v;
}

/* ---- rows ---- */

static const struct sw_buffer *buffer_of_row(const struct diff_side *side, uint32_t number) {
    return number == SW_NONE ? NULL : sw_problem_buffer(side->problem, number);
}

/* What a side says of a buffer, as an object; null when it has none. */
static void put_buffer_json(struct sw_json_out *json, const char *key, const struct sw_layout *layout,
                            uint32_t number) {
    const struct sw_problem *problem = sw_layout_problem(layout);
    struct sw_placement place;
    if (number == SW_NONE) {
        sw_put_null(json, key);
        return;
    }
    const struct sw_buffer *buffer = sw_problem_buffer(problem, number);
    sw_put_object(json, key);
    sw_put_count(json, "size", buffer->size);
    sw_put_time(json, "first", sw_problem_time(problem, buffer->first));
    sw_put_time(json, "last", sw_problem_time(problem, buffer->last + 1) - 1);
    if (sw_layout_placement(layout, number, 0, &place)) {
        sw_put_count(json, "offset", place.offset);
        sw_put_text(json, "tier", sw_problem_tier(problem, place.tier)->name);
    }
    sw_put_end(json);
}

/* The word that the picture has for it. */
static const char *md_word(const char *what) {
    return !strcmp(what, "came")   ? sw_change_look(SW_CHANGE_ADDED).name
           : !strcmp(what, "went") ? sw_change_look(SW_CHANGE_REMOVED).name
                                   : what;
}

/* In Markdown figures have separators; elsewhere they are exact. */
static const char *show_figure(const struct sw_cli_report *out, uint64_t figure, char text[32]) {
    snprintf(text, 32, "%" PRIu64, figure);
    return out->output == SW_OUTPUT_MD ? sw_show_count(figure, text) : text;
}

static int show_life(const struct sw_problem *problem, const struct sw_buffer *buffer, char text[64]) {
    return snprintf(text, 64, "%" PRId64 "..%" PRId64 "%s", sw_problem_time(problem, buffer->first),
                    sw_problem_time(problem, buffer->last + 1) - 1, buffer->piece_count > 1 ? " in pieces" : "");
}

/* For people with the unit, for programs without. */
static int show_size(const struct diff_table *table, const struct sw_buffer *buffer, char text[64]) {
    return snprintf(text, 64, "%s%s", show_figure(table->out, buffer->size, (char[32]){0}),
                    table->out->output == SW_OUTPUT_CSV ? "" : " B");
}

/* "128", or "sram+128" when there is a choice of tiers; "sram+128, dram+0 from 7" when it moves in
 * mid-life. */
static void show_places(const struct diff_table *table, const struct sw_layout *layout, uint32_t buffer,
                        char text[512]) {
    const struct sw_problem *problem = sw_layout_problem(layout);
    struct sw_placement place;
    size_t used = 0;
    snprintf(text, 512, "no place");
    for (uint32_t k = 0; used < 512 && sw_layout_placement(layout, buffer, k, &place); k++) {
        bool tiers = sw_problem_tier_count(problem) > 1;
        char from[40] = "";
        if (k > 0) {
            snprintf(from, sizeof from, " from %" PRId64, sw_problem_time(problem, place.span.from));
        }
        int length = snprintf(text + used, 512 - used, "%s%s%s%s%s", k ? ", " : "",
                              tiers ? sw_problem_tier(problem, place.tier)->name : "", tiers ? "+" : "",
                              show_figure(table->out, place.offset, (char[32]){0}), from);
        used += length > 0 ? (size_t)length : 512;
    }
}

/* What became of the buffer; 0: it is the same. */
static size_t aspects_of(const struct diff_table *table, const struct diff_row *row,
                         struct diff_aspect aspects[ASPECTS]) {
    const struct sw_buffer *a = buffer_of_row(table->old, row->old), *b = buffer_of_row(table->fresh, row->fresh);
    const struct sw_problem *old = table->old->problem, *fresh = table->fresh->problem;
    const struct sw_name_matching *m = table->pair->matching;
    bool csv = table->out->output == SW_OUTPUT_CSV;
    struct diff_aspect *next = aspects;
    memset(aspects, 0, ASPECTS * sizeof *aspects);
    if (!a || !b) { /* only one side has it */
        char *text = a ? next->before : next->after;
        next->what = a ? "went" : "came";
        text += show_size(table, a ? a : b, text);
        if (!csv) {
            text += snprintf(text, 16, ", alive ");
            show_life(a ? old : fresh, a ? a : b, text);
        }
        return 1;
    }
    if (a->size != b->size) {
        next->what = b->size > a->size ? "grew" : "shrank";
        show_size(table, a, next->before);
        show_size(table, b, next++->after);
    }
    if (!sw_same_life(old, a, fresh, b)) {
        next->what = "lifetime";
        show_life(old, a, next->before);
        show_life(fresh, b, next++->after);
    }
    if (sw_matching_moved(m, row->old, row->fresh)) {
        int at = next > aspects && !csv ? (int)strlen("at ") : 0;
        next->what = "moved";
        memcpy(next->before, "at ", (size_t)at);
        memcpy(next->after, "at ", (size_t)at);
        show_places(table, m->old.layout, row->old, next->before + at);
        show_places(table, m->fresh.layout, row->fresh, next++->after + at);
    }
    return (size_t)(next - aspects);
}

static const char *name_of_row(const struct diff_table *table, const struct diff_row *row) {
    return (row->old != SW_NONE ? buffer_of_row(table->old, row->old) : buffer_of_row(table->fresh, row->fresh))->name;
}

static void put_json_row(const struct diff_table *table, const struct diff_row *row) {
    struct sw_json_out *json = &table->out->json;
    struct diff_aspect aspects[ASPECTS];
    size_t count = aspects_of(table, row, aspects);
    sw_put_object(json, NULL);
    sw_put_text(json, "change", aspects->what);
    sw_put_list(json, "changes");
    for (size_t i = 0; i < count; i++) {
        sw_put_text(json, NULL, aspects[i].what);
    }
    sw_put_end(json);
    sw_put_text(json, "buffer", name_of_row(table, row));
    put_buffer_json(json, "old", table->pair->matching->old.layout, row->old);
    put_buffer_json(json, "new", table->pair->matching->fresh.layout, row->fresh);
    sw_put_end(json);
}

/* For programs a row for each aspect: its cells hold one figure each. */
static void put_csv_row(const struct diff_table *table, const struct diff_row *row) {
    struct diff_aspect aspects[ASPECTS];
    size_t count = aspects_of(table, row, aspects);
    for (size_t i = 0; i < count; i++) {
        sw_row_text(table->out, aspects[i].what);
        sw_row_text(table->out, name_of_row(table, row));
        sw_row_text(table->out, aspects[i].before);
        sw_row_text(table->out, aspects[i].after);
        sw_row_none(table->out);
    }
}

/* One aspect more: "2,048 B, 0..4, 512". */
static void join_aspect(char *text, size_t size, const char *said) {
    sw_text_add(text, size, "%s%s", *text ? ", " : "", said);
}

/* For people one for each buffer. */
static void put_diff_row(const struct diff_table *table, const struct diff_row *row) {
    struct sw_cli_report *report = table->out;
    struct diff_aspect aspects[ASPECTS];
    bool md = report->output == SW_OUTPUT_MD;
    char words[64] = "", before[sizeof aspects] = "", after[sizeof aspects] = "";
    size_t count = aspects_of(table, row, aspects);
    for (size_t i = 0; i < count; i++) {
        join_aspect(words, sizeof words, md ? md_word(aspects[i].what) : aspects[i].what);
        join_aspect(before, sizeof before, aspects[i].before);
        join_aspect(after, sizeof after, aspects[i].after);
    }
    if (md) {
        sw_row_words(report, "%s", words);
        sw_row_text(report, name_of_row(table, row));
        sw_row_text(report, before);
        sw_row_text(report, after);
    } else {
        sw_sink_printf(&report->out, "  %-9s ", words);
        sw_report_name(report, name_of_row(table, row));
        sw_sink_printf(&report->out, "  ");
        sw_report_name(report, before);
        sw_sink_printf(&report->out, *before && *after ? " -> " : "");
        sw_report_name(report, after);
        sw_sink_printf(&report->out, "\n");
    }
}

static void list_change(struct diff_table *table, uint32_t old, uint32_t fresh) {
    const struct sw_buffer *a = buffer_of_row(table->old, old), *b = buffer_of_row(table->fresh, fresh);
    uint64_t before = a ? a->size : 0, after = b ? b->size : 0;
    struct diff_row row = {old, fresh, SW_MAX(before, after), table->rows.count};
    struct diff_aspect aspects[ASPECTS];
    table->out->out.failed |= aspects_of(table, &row, aspects) > 0 && !SW_PUSH(&table->rows, row);
}

SW_BY_FIELDS(heavier_row_first, struct diff_row, SW_DOWN(weight), SW_UP(number))

/* The largest buffers first; equal ones in the old file's order, then what came, in the new file's.
 */
static void list_changes(struct diff_table *table) {
    const struct sw_name_matching *m = table->pair->matching;
    for (uint32_t i = 0; i < sw_problem_buffer_count(table->old->problem); i++) {
        if (sw_problem_buffer(table->old->problem, i)->planned) {
            list_change(table, i, m->old.partners[i]);
        }
    }
    for (uint32_t i = 0; i < sw_problem_buffer_count(table->fresh->problem); i++) {
        if (sw_problem_buffer(table->fresh->problem, i)->planned && m->fresh.partners[i] == SW_NONE) {
            list_change(table, SW_NONE, i);
        }
    }
    sw_sort(table->rows.items, table->rows.count, sizeof *table->rows.items, heavier_row_first);
}

/* ---- totals ---- */

static void put_total(struct sw_cli_report *out, const char *name, bool known, uint64_t before, uint64_t after) {
    bool text = out->output == SW_OUTPUT_TEXT;
    char figure[32];
    if (!known && !text) {
        return;
    }
    sw_row_text(out, "total");
    sw_row_text(out, name);
    sw_row_words(out, "%s", known ? show_figure(out, before, figure) : "unknown");
    sw_row_words(out, "%s", known ? show_figure(out, after, figure) : "unknown");
    if (known && before != after) {
        show_figure(out, after < before ? before - after : after - before, figure);
        sw_row_words(out, "%s%s", after < before ? "-" : "+", figure);
    } else {
        sw_row_words(out, "%s", !known ? "" : text ? "same" : "the same");
    }
}

static void put_peaks(const struct diff_table *table) {
    const struct diff_side *old = table->old, *fresh = table->fresh;
    if (!have_tiers(old, fresh)) {
        put_total(table->out, "peak", old->seen.has_peak && fresh->seen.has_peak, old->seen.peak, fresh->seen.peak);
        return;
    }
    for (uint32_t t = 0; t < sw_problem_tier_count(old->problem); t++) {
        put_total(table->out, fresh->words[t], true, old->tier_peak[t], fresh->tier_peak[t]);
    }
}

/* As CSV the buffers follow in the same table. In Markdown what a reviewer wants to know first comes first. */
static void put_diff_totals(const struct diff_table *table) {
    struct sw_cli_report *out = table->out;
    bool md = out->output == SW_OUTPUT_MD;
    const struct sw_problem *old = table->old->problem, *fresh = table->fresh->problem;
    uint64_t bounds[] = {sw_problem_lower_bound(old), sw_problem_lower_bound(fresh)};
    uint64_t naive[] = {sw_problem_naive(old), sw_problem_naive(fresh)};
    const struct sw_report_column columns[] = {
        {.csv = "change"},
        {.csv = "buffer", .head = md ? "bytes" : "", .width = md ? 0 : 9, .left = true},
        {.name = "old", .width = md ? 0 : 14},
        {.name = "new", .width = md ? 0 : 14},
        {.head = "change", .width = md ? 0 : 14}};
    sw_rows_begin(out, NULL, columns, sizeof columns / sizeof *columns);
    out->indent = "  ";
    if (md) {
        put_peaks(table);
        put_total(out, "lower bound", true, bounds[0], bounds[1]);
        put_total(out, "without reuse", true, naive[0], naive[1]);
    }
    put_total(out, md ? "blocks (number)" : "buffers", true, sw_problem_planned_count(old),
              sw_problem_planned_count(fresh));
    if (!md) {
        put_total(out, "naive", true, naive[0], naive[1]);
        put_total(out, "bound", true, bounds[0], bounds[1]);
        put_peaks(table);
    }
    for (size_t i = 0; out->output == SW_OUTPUT_CSV && i < table->rows.count; i++) {
        put_csv_row(table, &table->rows.items[i]);
    }
    sw_rows_end(out);
}

static void put_side(struct sw_json_out *json, const char *key, const struct diff_side *side) {
    sw_put_object(json, key);
    sw_put_text(json, "file", side->seen.path);
    SW_PUT_COUNTS(json, {"buffers", sw_problem_planned_count(side->problem)},
                  {"naive", sw_problem_naive(side->problem)}, {"lower_bound", sw_problem_lower_bound(side->problem)});
    sw_put_known(json, "peak", side->seen.has_peak, side->seen.peak);
    sw_put_list(json, "tiers");
    for (uint32_t t = 0; t < sw_problem_tier_count(side->problem); t++) {
        sw_put_object(json, NULL);
        sw_put_text(json, "name", sw_problem_tier(side->problem, t)->name);
        sw_put_known(json, "peak", side->several || side->seen.has_peak, side->tier_peak[t]);
        sw_put_end(json);
    }
    sw_put_end(json);
    sw_put_text(json, "peak_of", side->seen.plan || side->recorded ? "file" : "planner");
    sw_put_known(json, "faults", side->seen.plan || side->recorded, side->faults);
    sw_put_known(json, "stopped_at", side->seen.stopped_at > 0, side->seen.stopped_at);
    sw_put_end(json);
}

/* ---- where they part ---- */

static void put_parting(const struct diff_table *table) {
    struct sw_scene scene = {0};
    const char *words = sw_diff_parting(table->pair, &scene);
    table->out->out.failed |= scene.failed;
    if (!scene.failed) {
        sw_sink_printf(&table->out->out, "\n");
        sw_report_name(table->out, words);
        sw_sink_printf(&table->out->out, "\n");
    }
    sw_scene_done(&scene);
}

static void put_parting_decision(struct sw_json_out *json, const char *key, const struct sw_search *search,
                                 uint64_t step) {
    char text[SW_MESSAGE];
    bool over = step > sw_search_known(search); /* it has ended */
    if (!over) {
        sw_decision_describe(sw_search_problem(search), sw_search_journal(search, step), text, sizeof text);
    }
    sw_put_text(json, key, over ? NULL : text);
}

/* "parting": the first decision that differs; null: none does, or a side is a plan. "elsewhere":
 * the first block in time that lies elsewhere. */
static void put_parting_json(const struct diff_table *table) {
    struct sw_json_out *json = &table->out->json;
    const struct sw_diff_page *pair = table->pair;
    struct sw_parting parting = {0};
    if (!pair->old.plan && !pair->fresh.plan) {
        parting = sw_matching_parting(pair->matching, pair->old.search, pair->fresh.search);
    }
    if (parting.step) {
        sw_put_object(json, "parting");
        sw_put_count(json, "decision", parting.step);
        put_parting_decision(json, "old", pair->old.search, parting.step);
        put_parting_decision(json, "new", pair->fresh.search, parting.step);
        sw_put_end(json);
    } else {
        sw_put_null(json, "parting");
    }
    uint32_t first = sw_matching_first_elsewhere(pair->matching);
    if (first == SW_NONE) {
        sw_put_null(json, "first_elsewhere");
        return;
    }
    struct sw_placement a = {0}, b = {0};
    sw_layout_placement(pair->matching->old.layout, first, 0, &a);
    sw_layout_placement(pair->matching->fresh.layout, pair->matching->old.partners[first], 0, &b);
    sw_put_object(json, "first_elsewhere");
    sw_put_text(json, "buffer", sw_problem_buffer(sw_search_problem(pair->old.search), first)->name);
    SW_PUT_COUNTS(json, {"old", a.offset}, {"new", b.offset});
    const struct sw_problem *old = table->old->problem, *fresh = table->fresh->problem;
    if (sw_problem_tier_count(old) > 1 || sw_problem_tier_count(fresh) > 1) {
        sw_put_text(json, "old_tier", sw_problem_tier(old, a.tier)->name);
        sw_put_text(json, "new_tier", sw_problem_tier(fresh, b.tier)->name);
    }
    sw_put_end(json);
}

/* ---- the four ways of saying it ---- */

/* A plan's file does not tell everything that makes an overlap legal (operators, say), so this is
 * no verdict. */
static void add_faults_hint(const struct diff_side *side, struct sw_sink *out) {
    if (side->faults > 0) {
        sw_sink_printf(out, "the plan in ");
        sw_sink_text(out, side->seen.path);
        sw_sink_printf(out, " has %zu fault%s, taken alone (see: stowage check)\n", side->faults,
                       side->faults == 1 ? "" : "s");
    }
}

static void add_limits(const struct diff_table *table) {
    for (int new = 0; new < 2; new ++) {
        const struct diff_side *side = new ? table->fresh : table->old;
        if (side->seen.stopped_at) {
            sw_sink_printf(table->out->words,
                           "a limit stopped the %s run after decision %" PRIu64 ": its peak may not be its last word\n",
                           new ? "new" : "old", side->seen.stopped_at);
        }
    }
}

static void put_paths(const struct diff_table *table, const char *arrow) {
    sw_report_name(table->out, table->old->seen.path);
    sw_sink_printf(table->out->words, "%s", arrow);
    sw_report_name(table->out, table->fresh->seen.path);
}

/* ---- Markdown: what a reviewer wants to know first comes first ---- */

enum { UNFOLDED = 12 }; /* rows that need no folding */

static void md_head(const struct diff_table *table) {
    struct sw_sink *out = table->out->words;
    struct diff_verdict v = table->verdict;
    sw_sink_printf(out, "**");
    put_paths(table, " → ");
    sw_sink_printf(out, "**: %s %s → %s bytes", !strcmp(v.measure, "bound") ? "lower bound" : v.measure,
                   SW_COUNT(v.before), SW_COUNT(v.after));
    if (v.before != v.after) {
        sw_sink_printf(out, " (%s%s", v.more ? "+" : "-", SW_COUNT(v.more ? v.after - v.before : v.before - v.after));
        if (v.before > 0) {
            double part = ((double)v.after - (double)v.before) / (double)v.before;
            sw_sink_printf(out, ", %s", sw_show_percent(part, true, (char[16]){0}));
        }
        sw_sink_printf(out, ")");
    }
    sw_sink_printf(out, "\n\n");
}

static void md_rows(const struct diff_table *table) {
    static const struct sw_report_column columns[] = {
        {.head = "change", .left = true}, {.head = "buffer", .left = true}, {.head = "old"}, {.head = "new"}};
    struct sw_sink *out = &table->out->out;
    size_t count = table->rows.count;
    if (count == 0 || out->failed) {
        sw_sink_printf(out, "\nNo buffer changed.\n");
        return;
    }
    const char *title = count > 1 ? " buffers changed, the largest first" : " buffer changed";
    sw_sink_printf(out, count > UNFOLDED ? "\n<details><summary>%s%s</summary>\n\n" : "\n%s%s:\n\n", SW_COUNT(count),
                   title);
    sw_rows_begin(table->out, NULL, columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < count; i++) {
        put_diff_row(table, &table->rows.items[i]);
    }
    sw_rows_end(table->out);
    if (count > UNFOLDED) {
        sw_sink_printf(out, "\n</details>\n");
    }
}

/* The verdict, in a sentence. */
static void text_verdict(const struct diff_table *table) {
    struct sw_sink *out = table->out->words;
    struct diff_verdict v = table->verdict;
    size_t count = table->rows.count;
    if (count == 0) {
        sw_sink_printf(out, "\nno buffer changed");
    } else {
        sw_sink_printf(out, "\n%zu buffer%s changed", count, count == 1 ? "" : "s");
    }
    sw_sink_printf(out, v.after == v.before ? "; the new one needs the same" : "; the new one needs %s %s",
                   SW_BYTES(v.more ? v.after - v.before : v.before - v.after), v.more ? "more" : "less");
    sw_sink_printf(out, " (%s)\n", v.measure);
}

/* In text the totals are first, and what they come from follows. */
static void put_diff_read(const struct diff_table *table) {
    const struct diff_side *old = table->old, *fresh = table->fresh;
    struct sw_sink *out = table->out->words;
    bool md = table->out->output == SW_OUTPUT_MD;
    if (md) {
        md_head(table);
    } else {
        put_paths(table, " -> ");
        sw_sink_printf(out, "\n\n");
    }
    put_diff_totals(table);
    if (!md && old->seen.plan != fresh->seen.plan) {
        sw_sink_printf(out, "  (the peak of %s is that of its plan, the other was planned here)\n",
                       old->seen.plan ? "the old" : "the new");
    }
    if (!md) {
        text_verdict(table);
    }
    sw_cli_order_diff(old->problem, fresh->problem, table->out);
    put_parting(table);
    sw_sink_printf(out, md && (old->seen.stopped_at || fresh->seen.stopped_at) ? "\n" : "");
    add_limits(table);
    if (md) {
        md_rows(table);
        return;
    }
    add_faults_hint(old, out);
    add_faults_hint(fresh, out);
    sw_sink_printf(out, table->rows.count ? "\n" : "");
    for (size_t i = 0; i < table->rows.count; i++) {
        put_diff_row(table, &table->rows.items[i]);
    }
}

static void put_diff_json(const struct diff_table *table) {
    struct sw_json_out *json = &table->out->json;
    sw_put_object(json, NULL);
    sw_put_lines(json);
    put_side(json, "old", table->old);
    put_side(json, "new", table->fresh);
    sw_put_list(json, "changes");
    sw_put_lines(json);
    for (size_t i = 0; i < table->rows.count; i++) {
        put_json_row(table, &table->rows.items[i]);
    }
    sw_put_end(json);
    sw_put_text(json, "measure", table->verdict.measure);
    sw_put_truth(json, "needs_more", table->verdict.more);
    sw_cli_order_diff(table->old->problem, table->fresh->problem, table->out);
    put_parting_json(table);
    sw_put_end(json);
}

static int report_sides(struct sw_cli *cli, struct diff_table *table, enum sw_output output) {
    static void (*const forms[])(const struct diff_table *) = {[SW_OUTPUT_TEXT] = put_diff_read,
                                                               [SW_OUTPUT_CSV] = put_diff_totals,
                                                               [SW_OUTPUT_JSON] = put_diff_json,
                                                               [SW_OUTPUT_MD] = put_diff_read};
    struct sw_cli_report out;
    table->out = &out;
    sw_cli_report_start(&out, output);
    list_changes(table);
    forms[output](table);
    SW_ARRAY_DONE(&table->rows);
    return sw_cli_report_finish(cli, &out, table->verdict.more ? 1 : 0);
}

static int draw_sides(struct sw_cli *cli, const struct diff_table *table, struct sw_diff_page *pair) {
    struct sw_error error = {0};
    struct sw_scene scene = {0};
    const struct sw_problem *old = table->old->problem, *fresh = table->fresh->problem;
    pair->page = sw_picture_page(cli, sw_problem_planned_count(fresh) > sw_problem_planned_count(old) ? fresh : old);
    sw_view_pair(pair, &scene);
    return !sw_picture_write(cli, &scene, &error) ? sw_cli_fail(&error) : table->verdict.more ? 1 : 0;
}

/* Both sides are open and planned. */
static int compare_sides(struct sw_cli *cli, const struct diff_side *old, const struct diff_side *fresh, bool picture,
                         enum sw_output output) {
    struct sw_name_matching matching = {
        .old = {.layout = sw_search_layout(old->search), .base = old->seen.plan ? cli->base : 0},
        .fresh = {.layout = sw_search_layout(fresh->search), .base = fresh->seen.plan ? cli->base : 0}};
    struct sw_diff_page pair = {.old = old->seen, .fresh = fresh->seen, .matching = &matching};
    struct diff_table table = {.old = old, .fresh = fresh, .verdict = judge_sides(old, fresh), .pair = &pair};
    int status = !sw_matching_make(&matching) ? sw_cli_fail_memory()
                 : picture                    ? draw_sides(cli, &table, &pair)
                                              : report_sides(cli, &table, output);
    sw_matching_done(&matching);
    return status;
}

static void close_side(struct diff_side *side) {
    sw_search_free(side->search);
    sw_problem_unref(side->problem);
}

int sw_cli_diff(struct sw_cli *cli) {
    struct sw_error error = {0};
    enum sw_output output;
    bool picture;
    struct diff_side old = {0}, fresh = {0};
    if (!sw_picture_asked(cli, &picture, &error) || !sw_cli_output(cli, &output, &error)) {
        return sw_cli_fail(&error);
    }
    bool good = open_side(cli, cli->files[0], &old) && open_side(cli, cli->files[1], &fresh);
    int status = 2;
    if (good && (sw_problem_moment(old.problem) || sw_problem_moment(fresh.problem))) {
        const struct sw_problem *moment = sw_problem_moment(old.problem) ? old.problem : fresh.problem;
        status = cli->planner || sw_cli_heeds_moment(cli, moment, &error)
                     ? sw_diff_moments(cli, old.problem, fresh.problem, picture, output)
                     : sw_cli_fail(&error);
    } else if (good && (sw_problem_goes_on(old.problem) || sw_problem_goes_on(fresh.problem))) {
        status = sw_cli_tell(SW_ERROR_UNSUPPORTED, NULL,
                             "requests that follow a moment are not compared: two moments are, and two plans");
    } else if (good && !cli->planner && sw_problem_told_requests(old.problem) &&
               sw_problem_told_requests(fresh.problem)) {
        status = sw_diff_requests(cli, old.problem, fresh.problem, picture, output);
    } else if (good && find_peak(cli, &old) && find_peak(cli, &fresh)) {
        status = compare_sides(cli, &old, &fresh, picture, output);
    }
    close_side(&old);
    close_side(&fresh);
    return status;
}
