/* stowage diff: two models or plans, matched by the names of buffers. */
#include "cli/allocators/served.h"
#include "base/base.h"
#include "cli/moment/moment_parts.h"
#include "cli/orders/order_parts.h"
#include "cli/shared/output.h"
#include "cli/shared/pictures.h"
#include "cli/subcommands/diff.h"

/* One thing that became of a buffer. */
#include <unistd.h>

struct diff_aspect {
    const char *what; /* "grew", ... */
    char before[516], after[516];
};
enum { ASPECTS = 3 }; /* size, lifetime, place */
struct diff_table {
    const struct sw_diff_run *old, *fresh;
    struct sw_diff_verdict verdict;
    struct sw_cli_report *out;
    const struct sw_diff_page *pair;
    const struct sw_due *due; /* NULL: not known */
    const char *picture;      /* beside it, in the same folder; NULL: none */
    struct sw_matched_changes rows;
};

/* ---- which side needs more ---- */

/* Is there a peak of each tier on both sides, of the same tiers? */
static bool have_tiers(const struct sw_diff_run *old, const struct sw_diff_run *fresh) {
    uint32_t count = sw_problem_tier_count(old->problem);
    bool alike = (old->several || old->seen.has_peak) && (fresh->several || fresh->seen.has_peak) &&
                 (old->several || fresh->several) && sw_problem_tier_count(fresh->problem) == count;
    for (uint32_t t = 0; alike && t < count; t++) {
        alike = strcmp(sw_problem_tier(old->problem, t)->name, sw_problem_tier(fresh->problem, t)->name) == 0;
    }
    return alike;
}

/* Of several tiers the first that needs more, or else the first that needs less decides. */
static uint32_t deciding_tier(const struct sw_diff_run *old, const struct sw_diff_run *fresh) {
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

struct sw_diff_verdict sw_diff_judge(const struct sw_diff_run *old, const struct sw_diff_run *fresh) {
    bool files = (old->seen.plan || old->recorded) == (fresh->seen.plan || fresh->recorded);
    struct sw_diff_verdict v = {
        "bound", SW_NONE, sw_problem_lower_bound(old->problem), sw_problem_lower_bound(fresh->problem), true, false};
    if (files && have_tiers(old, fresh)) {
        uint32_t t = deciding_tier(old, fresh);
        v = (struct sw_diff_verdict){fresh->words[t], t, old->tier_peak[t], fresh->tier_peak[t], false, false};
    } else if (files && old->seen.has_peak && fresh->seen.has_peak) {
        v = (struct sw_diff_verdict){"peak", SW_NONE, old->seen.peak, fresh->seen.peak, false, false};
    }
    v.more = v.after > v.before;
    return v;
}

/* ---- rows ---- */

static const struct sw_buffer *buffer_of_row(const struct sw_diff_run *side, uint32_t number) {
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

/* For people figures have separators. */
static const char *show_figure(const struct sw_cli_report *out, uint64_t figure, char text[32]) {
    snprintf(text, 32, "%" PRIu64, figure);
    return out->output == SW_OUTPUT_CSV ? text : sw_show_count(figure, text);
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
static size_t aspects_of(const struct diff_table *table, const struct sw_matched_change *row,
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

static const char *name_of_row(const struct diff_table *table, const struct sw_matched_change *row) {
    return (row->old != SW_NONE ? buffer_of_row(table->old, row->old) : buffer_of_row(table->fresh, row->fresh))->name;
}

static void put_json_row(const struct diff_table *table, const struct sw_matched_change *row) {
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
static void put_csv_row(const struct diff_table *table, const struct sw_matched_change *row) {
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
static void put_diff_row(const struct diff_table *table, const struct sw_matched_change *row) {
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
    const struct sw_diff_run *old = table->old, *fresh = table->fresh;
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
    bool md = out->output == SW_OUTPUT_MD, csv = out->output == SW_OUTPUT_CSV;
    const struct sw_problem *old = table->old->problem, *fresh = table->fresh->problem;
    uint64_t bounds[] = {sw_problem_lower_bound(old), sw_problem_lower_bound(fresh)};
    uint64_t naive[] = {sw_problem_naive(old), sw_problem_naive(fresh)};
    const struct sw_report_column columns[] = {
        {.csv = "change"},
        {.csv = "buffer", .head = md ? "bytes" : "", .width = md ? 0 : 13, .left = true},
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
        put_total(out, csv ? "naive" : "without reuse", true, naive[0], naive[1]);
        put_total(out, csv ? "bound" : "lower bound", true, bounds[0], bounds[1]);
        put_peaks(table);
    }
    if (out->output == SW_OUTPUT_CSV && table->due) {
        sw_cli_due_csv(out, table->due);
    }
    for (size_t i = 0; out->output == SW_OUTPUT_CSV && i < table->rows.count; i++) {
        put_csv_row(table, &table->rows.items[i]);
    }
    sw_rows_end(out);
}

static void put_side(struct sw_json_out *json, const char *key, const struct sw_diff_run *side) {
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
        if (table->out->output == SW_OUTPUT_TEXT) {
            sw_report_wrapped(&table->out->out, words, 0, 0); /* the scene's texts are clean */
        } else {
            sw_report_name(table->out, words);
            sw_sink_printf(&table->out->out, "\n");
        }
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
static void add_faults_hint(const struct sw_diff_run *side, struct sw_sink *out) {
    if (side->faults > 0) {
        sw_sink_printf(out, "the plan in ");
        sw_sink_text(out, side->seen.path);
        sw_sink_printf(out, " has %zu fault%s, taken alone (see: stowage check)\n", side->faults,
                       side->faults == 1 ? "" : "s");
    }
}

static void add_limits(const struct diff_table *table) {
    for (int new = 0; new < 2; new ++) {
        const struct sw_diff_run *side = new ? table->fresh : table->old;
        if (side->seen.stopped_at) {
            sw_sink_printf(table->out->words,
                           "a limit stopped the %s run after decision %" PRIu64 ": its peak may not be its last word\n",
                           new ? "new" : "old", side->seen.stopped_at);
        }
    }
}

/* What is compared; of two runs by different planners these, too: "net.json, best-fit -> auto". */
static void put_paths(const struct diff_table *table, const char *arrow) {
    const struct sw_diff_side *old = &table->old->seen, *fresh = &table->fresh->seen;
    const char *makers[] = {SW_SEARCH_LABEL(old->search), SW_SEARCH_LABEL(fresh->search)};
    bool plans = old->plan || fresh->plan || table->old->recorded || table->fresh->recorded || table->old->kept;
    bool told = !plans && strcmp(makers[0], makers[1]) != 0, same = told && strcmp(old->path, fresh->path) == 0;
    sw_report_name(table->out, old->path);
    sw_sink_printf(table->out->words, told ? ", %s%s" : "%s%s", told ? makers[0] : "", arrow);
    if (!same) {
        sw_report_name(table->out, fresh->path);
    }
    sw_sink_printf(table->out->words, "%s%s", told && !same ? ", " : "", told ? makers[1] : "");
}

/* Most plans of the same model differ by places alone. */
static const char *changed_words(const struct diff_table *table) {
    bool moved = true;
    for (size_t i = 0; moved && i < table->rows.count; i++) {
        struct diff_aspect aspects[ASPECTS];
        moved = aspects_of(table, &table->rows.items[i], aspects) == 1 && strcmp(aspects->what, "moved") == 0;
    }
    return moved ? "moved" : "changed";
}

/* ---- Markdown: what a reviewer wants to know first comes first ---- */

enum { UNFOLDED = 12 }; /* rows that need no folding */

static void md_head(const struct diff_table *table) {
    struct sw_sink *out = table->out->words;
    struct sw_diff_verdict v = table->verdict;
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
    if (table->picture) {
        sw_sink_printf(out, "![the old and the new layout](");
        for (const char *at = table->picture; *at; at++) {
            bool plain = sw_is_letter(*at) || sw_is_digit(*at) || strchr("._-", *at);
            sw_sink_printf(out, plain ? "%c" : "%%%02X", (unsigned char)*at);
        }
        sw_sink_printf(out, ")\n\n");
    }
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
    sw_sink_printf(out, count > UNFOLDED ? "\n<details><summary>%s %s%s</summary>\n\n" : "\n%s %s%s:\n\n",
                   SW_COUNTED(count, "buffer"), changed_words(table), count > 1 ? ", what weighs most first" : "");
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
    struct sw_diff_verdict v = table->verdict;
    size_t count = table->rows.count;
    if (count == 0) {
        sw_sink_printf(out, "\nno buffer changed");
    } else {
        sw_sink_printf(out, "\n%s %s", SW_COUNTED(count, "buffer"), changed_words(table));
    }
    sw_sink_printf(out, v.after == v.before ? "; the new one needs the same" : "; the new one needs %s %s",
                   SW_BYTES(v.more ? v.after - v.before : v.before - v.after), v.more ? "more" : "less");
    sw_sink_printf(out, " (%s)\n", v.measure);
}

static void put_diff_due(const struct diff_table *table) {
    if (table->due) {
        sw_cli_due(table->out, table->due, table->verdict.measure);
    }
}

/* What has another name and is the same otherwise is no change. */
static void put_renamed(const struct diff_table *table) {
    const struct sw_pairing *pairing = &table->pair->matching->pairing;
    struct sw_json_out *json = &table->out->json;
    sw_put_list(json, "renamed");
    for (uint32_t a = 0; a < sw_problem_buffer_count(table->old->problem); a++) {
        const struct sw_buffer *old = buffer_of_row(table->old, a);
        const struct sw_buffer *fresh = buffer_of_row(table->fresh, pairing->buffers[0][a]);
        if (old->planned && fresh && strcmp(old->name, fresh->name) != 0) {
            sw_put_object(json, NULL);
            sw_put_text(json, "old", old->name);
            sw_put_text(json, "new", fresh->name);
            sw_put_end(json);
        }
    }
    sw_put_end(json);
    if (pairing->renamed > 0) {
        sw_sink_printf(table->out->words, "\n%s under another name, matched by place and size\n",
                       SW_COUNTED(pairing->renamed, "buffer"));
    }
}

/* In text the totals are first, and what they come from follows. */
static void put_diff_read(const struct diff_table *table) {
    const struct sw_diff_run *old = table->old, *fresh = table->fresh;
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
    put_diff_due(table);
    put_renamed(table);
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
    put_diff_due(table);
    put_renamed(table);
    sw_cli_order_diff(table->old->problem, table->fresh->problem, table->out);
    put_parting_json(table);
    sw_put_end(json);
}

static void tell_table(struct diff_table *table, struct sw_cli_report *out) {
    static void (*const forms[])(const struct diff_table *) = {[SW_OUTPUT_TEXT] = put_diff_read,
                                                               [SW_OUTPUT_CSV] = put_diff_totals,
                                                               [SW_OUTPUT_JSON] = put_diff_json,
                                                               [SW_OUTPUT_MD] = put_diff_read};
    table->out = out;
    out->out.failed |= !sw_matching_list(table->pair->matching, &table->rows);
    forms[out->output](table);
    SW_ARRAY_DONE(&table->rows);
}

/* ---- both sides, told or drawn ---- */

/* What both views of a pair look at. */
struct diff_pair {
    struct sw_name_matching matching;
    struct sw_diff_page page;
};

static bool pair_runs(const struct sw_diff_run *old, const struct sw_diff_run *fresh, struct diff_pair *pair) {
    *pair = (struct diff_pair){
        .matching = {.old = {.layout = sw_search_layout(old->search), .base = old->seen.plan ? old->own.base : 0},
                     .fresh = {.layout = sw_search_layout(fresh->search),
                               .base = fresh->seen.plan ? fresh->own.base : 0}},
        .page = {.old = old->seen, .fresh = fresh->seen}};
    pair->page.matching = &pair->matching;
    return sw_matching_make(&pair->matching);
}

bool sw_diff_tell(const struct sw_diff_run *old, const struct sw_diff_run *fresh, const struct sw_due *due,
                  const char *picture, struct sw_cli_report *out) {
    struct diff_pair pair;
    bool good = pair_runs(old, fresh, &pair);
    if (good) {
        struct diff_table table = {.old = old,
                                   .fresh = fresh,
                                   .verdict = sw_diff_judge(old, fresh),
                                   .pair = &pair.page,
                                   .due = due,
                                   .picture = picture ? sw_path_name(picture) : NULL};
        tell_table(&table, out);
    }
    sw_matching_done(&pair.matching);
    return good;
}

int sw_diff_draw(struct sw_cli *cli, const struct sw_diff_run *old, const struct sw_diff_run *fresh,
                 const struct sw_due *due) {
    struct sw_error error = {0};
    struct sw_scene scene = {0};
    struct diff_pair pair;
    const struct sw_problem *p = old->problem, *q = fresh->problem;
    bool good = pair_runs(old, fresh, &pair) || sw_fail_memory(&error);
    good = good && (sw_coloring_suits(p, cli->coloring, NULL) || sw_coloring_suits(q, cli->coloring, &error));
    if (good) {
        pair.page.page = sw_picture_page(cli, sw_problem_planned_count(q) > sw_problem_planned_count(p) ? q : p);
        pair.page.due = due;
        pair.page.measure = sw_diff_judge(old, fresh).measure;
        sw_view_pair(&pair.page, &scene);
        good = sw_picture_write(cli, &scene, &error);
    }
    sw_matching_done(&pair.matching);
    return good ? 0 : sw_cli_fail(&error);
}

/* "change.svg" beside "change.md"; "": Markdown that goes elsewhere has no picture. False: no room for the name. */
static bool picture_beside(const struct sw_cli *cli, enum sw_output output, char path[4096]) {
    const char *dot = cli->output ? strrchr(cli->output, '.') : NULL;
    bool named = output == SW_OUTPUT_MD && dot && strcmp(dot, ".md") == 0;
    *path = '\0';
    return !named || snprintf(path, 4096, "%.*s.svg", (int)(dot - cli->output), cli->output) < 4096;
}

static int report_runs(struct sw_cli *cli, const struct sw_diff_run *old, const struct sw_diff_run *fresh,
                       enum sw_output output) {
    struct sw_diff_verdict verdict = sw_diff_judge(old, fresh);
    struct sw_cli_report out;
    struct sw_error error = {0};
    struct sw_due due;
    struct sw_cli beside = *cli;
    char picture[4096];
    beside.output = picture;
    if (!picture_beside(cli, output, picture)) {
        return sw_cli_tell(SW_ERROR_USAGE, cli->output, "the name is too long for a picture beside it");
    }
    if ((*picture && !sw_cli_spares(cli, picture, &error)) || !sw_diff_due(old, fresh, &verdict, &due, &error)) {
        return sw_cli_fail(&error);
    }
    sw_cli_report_start(&out, output);
    bool told = sw_diff_tell(old, fresh, &due, *picture ? picture : NULL, &out), made = access(picture, F_OK) != 0;
    int status = !told ? sw_cli_fail_memory() : *picture ? sw_diff_draw(&beside, old, fresh, &due) : 0;
    if (status) {
        sw_cli_report_drop(&out);
        return status;
    }
    status = sw_cli_report_finish(cli, &out, verdict.more ? 1 : 0);
    if (status == 2 && *picture && made) { /* both, or neither */
        unlink(picture);
    }
    return status;
}

/* Both sides are open and planned. */
static int compare_runs(struct sw_cli *cli, const struct sw_diff_run *old, const struct sw_diff_run *fresh,
                        bool picture, enum sw_output output) {
    if (!picture) {
        return report_runs(cli, old, fresh, output);
    }
    struct sw_diff_verdict verdict = sw_diff_judge(old, fresh);
    struct sw_error error = {0};
    struct sw_due due;
    if (!sw_diff_due(old, fresh, &verdict, &due, &error)) {
        return sw_cli_fail(&error);
    }
    int status = sw_diff_draw(cli, old, fresh, &due);
    return status ? status : verdict.more;
}

int sw_cli_diff(struct sw_cli *cli) {
    struct sw_error error = {0};
    enum sw_output output;
    bool picture;
    struct sw_diff_run old = {0}, fresh = {0};
    if (!sw_picture_asked(cli, &picture, &error) || !sw_cli_output(cli, &output, &error)) {
        return sw_cli_fail(&error);
    }
    bool good = sw_diff_open(cli, 1, cli->files[0], NULL, 0, &old, &error) &&
                sw_diff_open(cli, 2, cli->files[1], NULL, 0, &fresh, &error);
    bool planner = good && (old.own.planner || fresh.own.planner);
    int status = 2;
    if (!good) {
        sw_cli_fail(&error);
    } else if (sw_problem_moment(old.problem) || sw_problem_moment(fresh.problem)) {
        const struct sw_problem *moment = sw_problem_moment(old.problem) ? old.problem : fresh.problem;
        status = planner || sw_cli_heeds_moment(cli, moment, &error)
                     ? sw_diff_moments(cli, old.problem, fresh.problem, picture, output)
                     : sw_cli_fail(&error);
    } else if (sw_problem_goes_on(old.problem) || sw_problem_goes_on(fresh.problem)) {
        status = sw_cli_tell(SW_ERROR_UNSUPPORTED, NULL,
                             "requests that follow a moment are not compared: two moments are, and two plans");
    } else if (!planner && sw_problem_told_requests(old.problem) && sw_problem_told_requests(fresh.problem)) {
        status = sw_diff_requests(cli, old.problem, fresh.problem, picture, output);
    } else if (sw_diff_plan(&old, &error) && sw_diff_plan(&fresh, &error)) {
        status = compare_runs(cli, &old, &fresh, picture, output);
    } else {
        sw_cli_fail(&error);
    }
    sw_diff_close(&old);
    sw_diff_close(&fresh);
    return status;
}
