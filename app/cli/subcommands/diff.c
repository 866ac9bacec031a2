/* stowage diff: two models or plans, matched by the names of buffers. */
#include "base/minmax.h"
#include "cli/allocators/diff_requests.h"
#include "cli/orders/order_diff.h"
#include "cli/shared/output.h"
#include "cli/shared/pictures.h"
#include "cli/shared/run.h"
#include "search/broken.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct side {
    const char *path;
    uint64_t digest;
    struct sw_problem *problem;
    struct sw_search *search; /* at its end */
    bool plan;                /* the file holds a finished plan; else `auto` (or -p) made one, */
    bool recorded;            /* or the file's run was played */
    bool has_peak;            /* complete, and in one tier */
    uint64_t peak;
    bool several;             /* complete, and in several tiers: */
    uint64_t tier_peak[SW_MAX_TIERS];
    char words[SW_MAX_TIERS][48]; /* "peak of sram" */
    uint64_t stopped_at; /* by a limit; 0: not */
    size_t faults;       /* of a finished plan or a recorded run, as far as this file alone can tell */
};
/* What became of one buffer: a row, the largest first. */
enum { ASPECTS = 3 }; /* size, lifetime, place */
struct row {
    const struct sw_buffer *old, *fresh; /* NULL: not there */
    const char *what[ASPECTS];           /* "grew", ... */
    const char *before[ASPECTS], *after[ASPECTS];
    size_t count;    /* of these */
    uint64_t weight; /* bytes of the buffer */
    size_t number;
};
struct table {
    const struct sw_problem *old, *fresh;
    struct sw_sink *out;
    enum sw_output output;
    const struct sw_diff_page *pair;
    SW_ARRAY(struct row) rows;
    struct sw_arena arena; /* their texts */
};

/* ---- the two sides ---- */

/* Run the plan of the file, or a planner. Runs that placed not every block have no peak. False
 * after saying why. */
static bool find_peak(struct sw_cli *cli, struct side *side) {
    struct sw_cli own = *cli;
    struct sw_result result;
    struct sw_metrics metrics;
    own.base = 0;
    if (side->plan) {
        own.planner = "as-built";
        own.params = SW_PARAMS_DEFAULT;
    }
    side->search = sw_cli_search(&own, side->problem);
    bool good = side->search && sw_cli_finish(&own, side->search, &result);
    if (good && sw_cli_interrupted()) { /* the other side would stop at once, too: no verdict */
        struct sw_error error = {0};
        sw_fail(&error, SW_ERROR_CANCELED, "interrupted: nothing is compared");
        sw_cli_fail(&error);
        return false;
    }
    if (good) {
        struct sw_error error = {0};
        sw_metrics_of(result.layout, &metrics);
        const struct sw_problem *about = sw_layout_problem(result.layout);
        if (sw_search_planner(side->search)->reorders && about != side->problem) {
            sw_problem_unref(side->problem); /* what is compared is the model in the order of its plan */
            side->problem = sw_problem_ref(about);
        }
        side->stopped_at = result.stopped_at;
        side->has_peak = metrics.complete && metrics.single_tier;
        side->peak = metrics.peak;
        side->several = metrics.complete && !metrics.single_tier;
        for (uint32_t t = 0; t < sw_problem_tier_count(side->problem); t++) {
            side->tier_peak[t] = metrics.tier_peak[t];
            snprintf(side->words[t], sizeof side->words[t], "peak of %.36s", SW_SHOWN(sw_problem_tier(side->problem, t)->name));
        }
        side->recorded = !side->plan && sw_search_planner(side->search)->needs & SW_NEEDS_RECORDING;
        if (side->recorded) {
            good = sw_search_broken(side->search, &side->faults, NULL) ||
                   (sw_fail_memory(&error), sw_cli_fail(&error), false);
        }
        if (side->plan) { /* what is written at an address counts from there */
            side->peak -= SW_MIN(cli->base, side->peak);
            good = sw_layout_check(result.layout, &side->faults, NULL, NULL) ||
                   (sw_fail_memory(&error), sw_cli_fail(&error), false);
        }
    }
    return good;
}

static bool open_side(struct sw_cli *cli, const char *path, struct side *side) {
    struct sw_error error = {0};
    side->path = path;
    side->problem = sw_load(path, &cli->load, &side->digest, &error);
    if (!side->problem) {
        sw_cli_fail(&error);
        return false;
    }
    side->plan = sw_problem_has_plan(side->problem);
    return true;
}

/* Is there a peak of each tier on both sides, of the same tiers? */
static bool has_tiers(const struct side *old, const struct side *fresh) {
    uint32_t count = sw_problem_tier_count(old->problem);
    bool alike = (old->several || old->has_peak) && (fresh->several || fresh->has_peak) && (old->several || fresh->several) &&
                 sw_problem_tier_count(fresh->problem) == count;
    for (uint32_t t = 0; alike && t < count; t++) {
        alike = strcmp(sw_problem_tier(old->problem, t)->name, sw_problem_tier(fresh->problem, t)->name) == 0;
    }
    return alike;
}

/* Of several tiers the first that needs more, or else the first that needs less decides. */
static uint32_t deciding_tier(const struct side *old, const struct side *fresh) {
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

/* Which figure decides, and does the new side need more of it? Peaks are compared when they come
 * from the same source; else the bounds, which need no planner. */
static bool needs_more(const struct side *old, const struct side *fresh, const char **measure,
                       uint64_t *before, uint64_t *after) {
    bool files = (old->plan || old->recorded) == (fresh->plan || fresh->recorded);
    bool peaks = old->has_peak && fresh->has_peak && files;
    if (files && has_tiers(old, fresh)) {
        uint32_t t = deciding_tier(old, fresh);
        *measure = fresh->words[t];
        *before = old->tier_peak[t];
        *after = fresh->tier_peak[t];
        return *after > *before;
    }
    *measure = peaks ? "peak" : "bound";
    *before = peaks ? old->peak : sw_problem_lower_bound(old->problem);
    *after = peaks ? fresh->peak : sw_problem_lower_bound(fresh->problem);
    return *after > *before;
}

/* ---- rows ---- */

/* What a side says of a buffer, as an object; null when it has none. */
static void add_object(const struct sw_layout *layout, const struct sw_buffer *buffer,
                       struct sw_sink *out) {
    const struct sw_problem *problem = sw_layout_problem(layout);
    struct sw_placement place;
    if (!buffer) {
        sw_sink_printf(out, "null");
        return;
    }
    sw_sink_printf(out, "{\"size\":%" PRIu64 ",\"first\":%" PRId64 ",\"last\":%" PRId64,
                   buffer->size, sw_problem_time(problem, buffer->first),
                   sw_problem_time(problem, buffer->last + 1) - 1);
    uint32_t number = sw_problem_find_buffer(problem, buffer->name);
    if (sw_layout_placement(layout, number, 0, &place)) {
        sw_sink_printf(out, ",\"offset\":%" PRIu64 ",\"tier\":", place.offset);
        sw_sink_json(out, sw_problem_tier(problem, place.tier)->name);
    }
    sw_sink_printf(out, "}");
}

/* The word that the picture has for it. */
static const char *md_word(const char *what) {
    return !strcmp(what, "came")   ? sw_change_look(SW_CHANGE_ADDED).name
           : !strcmp(what, "went") ? sw_change_look(SW_CHANGE_REMOVED).name
                                   : what;
}

static void add_aspect(struct table *table, struct row *row, const char *what, const char *before,
                       const char *after) {
    size_t i = row->count++;
    row->what[i] = what;
    const char *from = sw_arena_string(&table->arena, before, strlen(before));
    const char *to = sw_arena_string(&table->arena, after, strlen(after));
    table->out->failed |= !from || !to;
    row->before[i] = from ? from : "";
    row->after[i] = to ? to : "";
}

static void keep_row(struct table *table, struct row *row) {
    uint64_t old = row->old ? row->old->size : 0, fresh = row->fresh ? row->fresh->size : 0;
    row->weight = SW_MAX(old, fresh);
    row->number = table->rows.count;
    table->out->failed |= row->count > 0 && !SW_PUSH(&table->rows, *row);
}

/* What one side says in all its aspects, one after the other: "2,048 B, 0..4, 512". */
static void add_said(const char *const said[], size_t count, bool md, struct sw_sink *out) {
    for (size_t i = 0; i < count; i++) {
        sw_sink_printf(out, i ? ", " : "");
        md ? sw_sink_md(out, said[i]) : sw_sink_text(out, said[i]);
    }
}

static void add_words(const struct row *row, bool md, struct sw_sink *out) {
    for (size_t i = 0; i < row->count; i++) {
        sw_sink_printf(out, "%s%s", i ? ", " : "", md ? md_word(row->what[i]) : row->what[i]);
    }
}

static const char *name_of(const struct row *row) {
    return (row->old ? row->old : row->fresh)->name;
}

static void json_row(const struct table *table, const struct row *row, struct sw_sink *out) {
    sw_sink_printf(out, "\n  {\"change\":\"%s\",\"changes\":[", row->what[0]);
    for (size_t i = 0; i < row->count; i++) {
        sw_sink_printf(out, "%s\"%s\"", i ? "," : "", row->what[i]);
    }
    sw_sink_printf(out, "],\"buffer\":");
    sw_sink_json(out, name_of(row));
    sw_sink_printf(out, ",\"old\":");
    add_object(table->pair->matching->old.layout, row->old, out);
    sw_sink_printf(out, ",\"new\":");
    add_object(table->pair->matching->fresh.layout, row->fresh, out);
    sw_sink_printf(out, "}");
}

/* A row for each aspect: its cells hold one figure each. */
static void csv_rows(const struct row *row, struct sw_sink *out) {
    for (size_t i = 0; i < row->count; i++) {
        const char *const cells[] = {row->what[i], name_of(row), row->before[i], row->after[i]};
        for (size_t k = 0; k < 4; k++) {
            sw_sink_printf(out, "%s", k ? "," : "");
            sw_sink_csv(out, cells[k]);
        }
        sw_sink_printf(out, "\n");
    }
}

static void text_row(const struct row *row, struct sw_sink *out) {
    struct sw_sink words = {0};
    add_words(row, false, &words);
    sw_sink_printf(out, "  %-9.*s ", (int)words.text.count,
                   words.text.items ? words.text.items : "");
    out->failed |= words.failed;
    sw_sink_done(&words);
    sw_sink_text(out, name_of(row));
    sw_sink_printf(out, "  ");
    add_said(row->before, row->count, false, out);
    sw_sink_printf(out, *row->before[0] && *row->after[0] ? " -> " : "");
    add_said(row->after, row->count, false, out);
    sw_sink_printf(out, "\n");
}

static void md_row(const struct row *row, struct sw_sink *out) {
    sw_sink_printf(out, "| ");
    add_words(row, true, out);
    sw_sink_printf(out, " | ");
    sw_sink_md(out, name_of(row));
    sw_sink_printf(out, " | ");
    add_said(row->before, row->count, true, out);
    sw_sink_printf(out, " | ");
    add_said(row->after, row->count, true, out);
    sw_sink_printf(out, " |\n");
}

static const char *show_life(const struct sw_problem *problem, const struct sw_buffer *buffer,
                             char text[64]) {
    snprintf(text, 64, "%" PRId64 "..%" PRId64 "%s", sw_problem_time(problem, buffer->first),
             sw_problem_time(problem, buffer->last + 1) - 1,
             buffer->piece_count > 1 ? " in pieces" : "");
    return text;
}

/* For people with the unit, for programs without. */
static const char *show_size(const struct table *table, const struct sw_buffer *buffer,
                             char text[64]) {
    char count[32];
    if (table->output == SW_OUTPUT_MD) {
        snprintf(text, 64, "%s B", sw_show_count(buffer->size, count));
        return text;
    }
    const char *unit = table->output == SW_OUTPUT_CSV ? "" : " B";
    snprintf(text, 64, "%" PRIu64 "%s", buffer->size, unit);
    return text;
}

/* "128", or "sram+128" when there is a choice of tiers; "sram+128, dram+0 from 7" when it moves in
 * mid-life. */
static const char *show_places(const struct table *table, const struct sw_layout *layout,
                               uint32_t buffer, char text[512]) {
    const struct sw_problem *problem = sw_layout_problem(layout);
    struct sw_placement place;
    size_t used = 0;
    snprintf(text, 512, "no place");
    for (uint32_t k = 0; used < 512 && sw_layout_placement(layout, buffer, k, &place); k++) {
        bool tiers = sw_problem_tier_count(problem) > 1;
        char from[40] = "", count[32];
        snprintf(count, sizeof count, "%" PRIu64, place.offset);
        if (k > 0) {
            snprintf(from, sizeof from, " from %" PRId64,
                     sw_problem_time(problem, place.span.from));
        }
        int length = snprintf(
            text + used, 512 - used, "%s%s%s%s%s", k ? ", " : "",
            tiers ? sw_problem_tier(problem, place.tier)->name : "", tiers ? "+" : "",
            table->output == SW_OUTPUT_MD ? sw_show_count(place.offset, count) : count, from);
        used += length > 0 ? (size_t)length : 512;
    }
    return text;
}

static void compare_buffers(struct table *table, uint32_t old, uint32_t fresh) {
    const struct sw_buffer *a = sw_problem_buffer(table->old, old);
    const struct sw_buffer *b = sw_problem_buffer(table->fresh, fresh);
    const struct sw_matching *m = table->pair->matching;
    char before[512], after[512];
    struct row row = {.old = a, .fresh = b};
    if (a->size != b->size) {
        add_aspect(table, &row, b->size > a->size ? "grew" : "shrank", show_size(table, a, before),
                   show_size(table, b, after));
    }
    if (!sw_same_life(table->old, a, table->fresh, b)) {
        add_aspect(table, &row, "lifetime", show_life(table->old, a, before),
                   show_life(table->fresh, b, after));
    }
    if (sw_matching_moved(m, old, fresh)) {
        const char *at = row.count && table->output != SW_OUTPUT_CSV ? "at " : "";
        char x[516], y[516];
        snprintf(x, sizeof x, "%s%s", at, show_places(table, m->old.layout, old, before));
        snprintf(y, sizeof y, "%s%s", at, show_places(table, m->fresh.layout, fresh, after));
        add_aspect(table, &row, "moved", x, y);
    }
    keep_row(table, &row);
}

/* A buffer that only one side has. */
static void add_single(struct table *table, const struct sw_buffer *buffer, bool came) {
    char text[512], size[64], life[64];
    show_size(table, buffer, size);
    show_life(came ? table->fresh : table->old, buffer, life);
    snprintf(text, sizeof text, "%s, alive %s", size, life);
    const char *shown = table->output == SW_OUTPUT_CSV ? size : text;
    struct row row = {.old = came ? NULL : buffer, .fresh = came ? buffer : NULL};
    add_aspect(table, &row, came ? "came" : "went", came ? "" : shown, came ? shown : "");
    keep_row(table, &row);
}

static int larger_first(const void *a, const void *b) {
    const struct row *x = a, *y = b;
    return x->weight != y->weight ? (x->weight < y->weight) - (x->weight > y->weight)
                                  : (x->number > y->number) - (x->number < y->number);
}

/* The largest buffers first; equal ones in the old file's order, then what came, in the new file's.
 */
static void list_changes(struct table *table) {
    const struct sw_matching *m = table->pair->matching;
    for (uint32_t i = 0; i < sw_problem_buffer_count(table->old); i++) {
        const struct sw_buffer *a = sw_problem_buffer(table->old, i);
        if (a->planned && m->old.partners[i] != SW_NONE) {
            compare_buffers(table, i, m->old.partners[i]);
        } else if (a->planned) {
            add_single(table, a, false);
        }
    }
    for (uint32_t i = 0; i < sw_problem_buffer_count(table->fresh); i++) {
        const struct sw_buffer *b = sw_problem_buffer(table->fresh, i);
        if (b->planned && m->fresh.partners[i] == SW_NONE) {
            add_single(table, b, true);
        }
    }
    if (table->rows.count > 1) {
        qsort(table->rows.items, table->rows.count, sizeof *table->rows.items, larger_first);
    }
}

/* ---- totals ---- */

static void show_change(uint64_t before, uint64_t after, char text[32]) {
    snprintf(text, 32, "%c%" PRIu64, after < before ? '-' : '+',
             after < before ? before - after : after - before);
}

static void add_total(struct sw_sink *out, enum sw_output output, const char *name, bool known,
                      uint64_t before, uint64_t after) {
    char change[32];
    show_change(before, after, change);
    if (output == SW_OUTPUT_TEXT) {
        if (known) {
            sw_sink_printf(out, "  %-9s %15" PRIu64 " %15" PRIu64 " %15s\n", name, before, after,
                           before == after ? "same" : change);
        } else {
            sw_sink_printf(out, "  %-9s %15s %15s\n", name, "unknown", "unknown");
        }
    } else if (output == SW_OUTPUT_CSV && known) {
        sw_sink_printf(out, "total,");
        sw_sink_csv(out, name);
        sw_sink_printf(out, ",%" PRIu64 ",%" PRIu64 "\n", before, after);
    }
}

static void add_totals(const struct side *old, const struct side *fresh, enum sw_output output,
                       struct sw_sink *out) {
    add_total(out, output, "buffers", true, sw_problem_planned_count(old->problem),
              sw_problem_planned_count(fresh->problem));
    add_total(out, output, "naive", true, sw_problem_naive(old->problem),
              sw_problem_naive(fresh->problem));
    add_total(out, output, "bound", true, sw_problem_lower_bound(old->problem),
              sw_problem_lower_bound(fresh->problem));
    if (!has_tiers(old, fresh)) {
        add_total(out, output, "peak", old->has_peak && fresh->has_peak, old->peak, fresh->peak);
        return;
    }
    for (uint32_t t = 0; t < sw_problem_tier_count(old->problem); t++) {
        add_total(out, output, fresh->words[t], true, old->tier_peak[t], fresh->tier_peak[t]);
    }
}

static void side_json(const struct side *side, const char *key, struct sw_sink *out) {
    sw_sink_printf(out, "\"%s\":{\"file\":", key);
    sw_sink_json(out, side->path);
    sw_sink_printf(
        out, ",\"buffers\":%" PRIu32 ",\"naive\":%" PRIu64 ",\"lower_bound\":%" PRIu64 ",\"peak\":",
        sw_problem_planned_count(side->problem), sw_problem_naive(side->problem),
        sw_problem_lower_bound(side->problem));
    if (side->has_peak) {
        sw_sink_printf(out, "%" PRIu64, side->peak);
    } else {
        sw_sink_printf(out, "null");
    }
    sw_sink_printf(out, ",\"tiers\":[");
    for (uint32_t t = 0; t < sw_problem_tier_count(side->problem); t++) {
        sw_sink_printf(out, "%s{\"name\":", t ? "," : "");
        sw_sink_json(out, sw_problem_tier(side->problem, t)->name);
        sw_sink_printf(out, side->several || side->has_peak ? ",\"peak\":%" PRIu64 "}" : ",\"peak\":null}", side->tier_peak[t]);
    }
    sw_sink_printf(out, "]");
    sw_sink_printf(out, ",\"peak_of\":\"%s\",\"faults\":", side->plan || side->recorded ? "file" : "planner");
    if (side->plan || side->recorded) {
        sw_sink_printf(out, "%zu", side->faults);
    } else {
        sw_sink_printf(out, "null");
    }
    sw_sink_printf(out, side->stopped_at ? ",\"stopped_at\":%" PRIu64 "}" : ",\"stopped_at\":null}",
                   side->stopped_at);
}

/* ---- where they part ---- */

static bool parting_words(const struct table *table, struct sw_sink *out) {
    struct sw_scene scene = {0};
    const char *words = sw_diff_parting(table->pair, &scene);
    bool good = !scene.failed;
    if (good && table->output == SW_OUTPUT_TEXT) {
        sw_sink_printf(out, "\n");
        sw_sink_text(out, words);
        sw_sink_printf(out, "\n");
    } else if (good && table->output == SW_OUTPUT_MD) {
        sw_sink_printf(out, "\n");
        sw_sink_md(out, words);
        sw_sink_printf(out, "\n");
    }
    sw_scene_done(&scene);
    return good;
}

static void add_decision(const struct sw_search *search, const char *key, uint64_t step,
                         struct sw_sink *out) {
    char text[SW_MESSAGE];
    sw_sink_printf(out, ",\"%s\":", key);
    if (step > sw_search_known(search)) {
        sw_sink_printf(out, "null"); /* it has ended */
        return;
    }
    sw_decision_describe(sw_search_problem(search), sw_search_journal(search, step), text,
                         sizeof text);
    sw_sink_json(out, text);
}

/* "parting": the first decision that differs; null: none does, or a side is a plan. "elsewhere":
 * the first block in time that lies elsewhere. */
static void parting_json(const struct table *table, struct sw_sink *out) {
    const struct sw_diff_page *pair = table->pair;
    bool runs = !pair->old.plan && !pair->fresh.plan;
    struct sw_parting parting = {0};
    if (runs) {
        parting = sw_matching_parting(pair->matching, pair->old.search, pair->fresh.search);
    }
    if (parting.step) {
        sw_sink_printf(out, ",\n \"parting\":{\"decision\":%" PRIu64, parting.step);
        add_decision(pair->old.search, "old", parting.step, out);
        add_decision(pair->fresh.search, "new", parting.step, out);
        sw_sink_printf(out, "}");
    } else {
        sw_sink_printf(out, ",\n \"parting\":null");
    }
    uint32_t first = sw_matching_first_elsewhere(pair->matching);
    sw_sink_printf(out, ",\n \"first_elsewhere\":");
    if (first == SW_NONE) {
        sw_sink_printf(out, "null");
        return;
    }
    struct sw_placement a = {0}, b = {0};
    sw_layout_placement(pair->matching->old.layout, first, 0, &a);
    sw_layout_placement(pair->matching->fresh.layout, pair->matching->old.partners[first], 0, &b);
    sw_sink_printf(out, "{\"buffer\":");
    sw_sink_json(out, sw_problem_buffer(sw_search_problem(pair->old.search), first)->name);
    sw_sink_printf(out, ",\"old\":%" PRIu64 ",\"new\":%" PRIu64, a.offset, b.offset);
    if (sw_problem_tier_count(table->old) > 1 || sw_problem_tier_count(table->fresh) > 1) {
        sw_sink_printf(out, ",\"old_tier\":");
        sw_sink_json(out, sw_problem_tier(table->old, a.tier)->name);
        sw_sink_printf(out, ",\"new_tier\":");
        sw_sink_json(out, sw_problem_tier(table->fresh, b.tier)->name);
    }
    sw_sink_printf(out, "}");
}

/* ---- the four ways of saying it ---- */

static void begin(const struct side *old, const struct side *fresh, enum sw_output output,
                  struct sw_sink *out) {
    switch (output) {
    case SW_OUTPUT_CSV:
        sw_sink_printf(out, "change,buffer,old,new\n");
        return;
    case SW_OUTPUT_MD: /* the totals first, when all is known */
        return;
    case SW_OUTPUT_JSON:
        sw_sink_printf(out, "{");
        side_json(old, "old", out);
        sw_sink_printf(out, ",\n ");
        side_json(fresh, "new", out);
        sw_sink_printf(out, ",\n \"changes\":[");
        return;
    case SW_OUTPUT_TEXT:
        sw_sink_text(out, old->path);
        sw_sink_printf(out, " -> ");
        sw_sink_text(out, fresh->path);
        sw_sink_printf(out, "\n\n");
    }
}

/* A plan's file does not tell everything that makes an overlap legal (operators, say), so this is
 * no verdict. */
static void add_hint(const struct side *side, struct sw_sink *out) {
    if (side->faults > 0) {
        sw_sink_printf(out, "the plan in ");
        sw_sink_text(out, side->path);
        sw_sink_printf(out, " has %zu fault%s, taken alone (see: stowage check)\n", side->faults,
                       side->faults == 1 ? "" : "s");
    }
}

static void add_limit(const struct side *side, const char *which, struct sw_sink *out) {
    if (side->stopped_at) {
        sw_sink_printf(out,
                       "a limit stopped the %s run after decision %" PRIu64
                       ": its peak may not be its last word\n",
                       which, side->stopped_at);
    }
}

/* ---- Markdown: what a reviewer wants to know first comes first ---- */

enum { UNFOLDED = 12 }; /* rows that need no folding */

static void md_change(uint64_t before, uint64_t after, char text[40]) {
    char count[32];
    snprintf(text, 40, "%s%s", after < before ? "-" : "+",
             sw_show_count(after < before ? before - after : after - before, count));
}

static void md_total(struct sw_sink *out, const char *name, uint64_t before, uint64_t after) {
    char a[32], b[32], change[40];
    md_change(before, after, change);
    sw_sink_printf(out, "| ");
    sw_sink_md(out, name);
    sw_sink_printf(out, " | %s | %s | %s |\n", sw_show_count(before, a), sw_show_count(after, b),
                   before == after ? "the same" : change);
}

static void md_head(const struct side *old, const struct side *fresh, struct sw_sink *out) {
    char a[32], b[32], change[40], percent[16];
    const char *measure;
    uint64_t before, after;
    needs_more(old, fresh, &measure, &before, &after);
    sw_sink_printf(out, "**");
    sw_sink_md(out, old->path);
    sw_sink_printf(out, " → ");
    sw_sink_md(out, fresh->path);
    sw_sink_printf(out, "**: %s %s → %s bytes", !strcmp(measure, "bound") ? "lower bound" : measure,
                   sw_show_count(before, a), sw_show_count(after, b));
    if (before != after) {
        md_change(before, after, change);
        sw_sink_printf(out, " (%s", change);
        if (before > 0) {
            double part = ((double)after - (double)before) / (double)before;
            sw_sink_printf(out, ", %s", sw_show_percent(part, true, percent));
        }
        sw_sink_printf(out, ")");
    }
    sw_sink_printf(out, "\n\n| bytes | old | new | change |\n| --- | ---: | ---: | ---: |\n");
    if (old->has_peak && fresh->has_peak) {
        md_total(out, "peak", old->peak, fresh->peak);
    }
    for (uint32_t t = 0; has_tiers(old, fresh) && t < sw_problem_tier_count(old->problem); t++) {
        md_total(out, fresh->words[t], old->tier_peak[t], fresh->tier_peak[t]);
    }
    md_total(out, "lower bound", sw_problem_lower_bound(old->problem),
             sw_problem_lower_bound(fresh->problem));
    md_total(out, "without reuse", sw_problem_naive(old->problem),
             sw_problem_naive(fresh->problem));
    md_total(out, "blocks (number)", sw_problem_planned_count(old->problem),
             sw_problem_planned_count(fresh->problem));
}

static void md_rows(struct table *table) {
    struct sw_sink *out = table->out;
    size_t count = table->rows.count;
    char text[32];
    if (count == 0 || out->failed) {
        sw_sink_printf(out, "\nNo buffer changed.\n");
        return;
    }
    const char *title = count > 1 ? " buffers changed, the largest first" : " buffer changed";
    sw_sink_printf(out, count > UNFOLDED ? "\n<details><summary>%s%s</summary>\n" : "\n%s%s:\n",
                   sw_show_count(count, text), title);
    sw_sink_printf(out, "\n| change | buffer | old | new |\n| --- | --- | ---: | ---: |\n");
    for (size_t i = 0; i < count; i++) {
        md_row(&table->rows.items[i], out);
    }
    if (count > UNFOLDED) {
        sw_sink_printf(out, "\n</details>\n");
    }
}

/* The verdict, in a sentence. */
static void text_verdict(const struct side *old, const struct side *fresh,
                         const struct table *table) {
    struct sw_sink *out = table->out;
    const char *measure;
    uint64_t before, after;
    bool more = needs_more(old, fresh, &measure, &before, &after);
    size_t count = table->rows.count;
    if (count == 0) {
        sw_sink_printf(out, "\nno buffer changed");
    } else {
        sw_sink_printf(out, "\n%zu buffer%s changed", count, count == 1 ? "" : "s");
    }
    sw_sink_printf(out, "; the new one needs %s", more ? "" : after < before ? "" : "the same");
    if (after != before) {
        sw_sink_printf(out, "%s %s", SW_BYTES(more ? after - before : before - after),
                       more ? "more" : "less");
    }
    sw_sink_printf(out, " (%s)\n", measure);
}

/* The totals first, what they come from afterwards. */
static void end_text(const struct side *old, const struct side *fresh, struct table *table) {
    struct sw_sink *out = table->out;
    sw_sink_printf(out, "  %-9s %15s %15s %15s\n", "", "old", "new", "change");
    add_totals(old, fresh, table->output, out);
    if (old->plan != fresh->plan) {
        sw_sink_printf(out, "  (the peak of %s is that of its plan, the other was planned here)\n",
                       old->plan ? "the old" : "the new");
    }
    text_verdict(old, fresh, table);
    sw_cli_order_diff_text(old->problem, fresh->problem, false, out);
    out->failed |= !parting_words(table, out);
    add_limit(old, "old", out);
    add_limit(fresh, "new", out);
    add_hint(old, out);
    add_hint(fresh, out);
    sw_sink_printf(out, table->rows.count ? "\n" : "");
    for (size_t i = 0; i < table->rows.count; i++) {
        text_row(&table->rows.items[i], out);
    }
}

static void end_json(const struct side *old, const struct side *fresh, struct table *table) {
    struct sw_sink *out = table->out;
    const char *measure;
    uint64_t before, after;
    bool more = needs_more(old, fresh, &measure, &before, &after);
    for (size_t i = 0; i < table->rows.count; i++) {
        sw_sink_printf(out, i ? "," : "");
        json_row(table, &table->rows.items[i], out);
    }
    sw_sink_printf(out, "],\n \"measure\":");
    sw_sink_json(out, measure);
    sw_sink_printf(out, ",\"needs_more\":%s", more ? "true" : "false");
    sw_cli_order_diff_json(old->problem, fresh->problem, out);
    parting_json(table, out);
    sw_sink_printf(out, "}\n");
}

static void end(const struct side *old, const struct side *fresh, struct table *table) {
    struct sw_sink *out = table->out;
    switch (table->output) {
    case SW_OUTPUT_JSON:
        end_json(old, fresh, table);
        return;
    case SW_OUTPUT_MD:
        md_head(old, fresh, out);
        sw_cli_order_diff_text(old->problem, fresh->problem, true, out);
        out->failed |= !parting_words(table, out);
        sw_sink_printf(out, old->stopped_at || fresh->stopped_at ? "\n" : "");
        add_limit(old, "old", out);
        add_limit(fresh, "new", out);
        md_rows(table);
        return;
    case SW_OUTPUT_CSV:
        add_totals(old, fresh, table->output, out);
        for (size_t i = 0; i < table->rows.count; i++) {
            csv_rows(&table->rows.items[i], out);
        }
        return;
    case SW_OUTPUT_TEXT:
        end_text(old, fresh, table);
    }
}

static int report(struct sw_cli *cli, const struct side *old, const struct side *fresh,
                  const struct sw_diff_page *pair, enum sw_output output) {
    struct sw_sink out = {0};
    struct table table = {
        .old = old->problem, .fresh = fresh->problem, .out = &out, .output = output, .pair = pair};
    const char *measure;
    uint64_t before, after;
    begin(old, fresh, output, &out);
    list_changes(&table);
    end(old, fresh, &table);
    SW_ARRAY_DONE(&table.rows);
    sw_arena_done(&table.arena);
    return sw_cli_put(cli, &out, needs_more(old, fresh, &measure, &before, &after) ? 1 : 0);
}

static int draw(struct sw_cli *cli, const struct side *old, const struct side *fresh,
                struct sw_diff_page *pair) {
    struct sw_error error = {0};
    struct sw_scene scene = {0};
    const char *measure;
    uint64_t before, after;
    bool large = sw_problem_planned_count(fresh->problem) > sw_problem_planned_count(old->problem);
    pair->page = sw_picture_page(cli, large ? fresh->problem : old->problem);
    sw_view_pair(pair, &scene);
    bool good = sw_picture_write(cli, &scene, &error);
    sw_scene_done(&scene);
    return !good ? sw_cli_fail(&error) : needs_more(old, fresh, &measure, &before, &after) ? 1 : 0;
}

static struct sw_diff_side side_of(const struct side *side) {
    return (struct sw_diff_side){.path = side->path,
                                 .digest = side->digest,
                                 .search = side->search,
                                 .plan = side->plan,
                                 .has_peak = side->has_peak,
                                 .peak = side->peak,
                                 .stopped_at = side->stopped_at};
}

/* Both sides are open and planned. */
static int compare(struct sw_cli *cli, const struct side *old, const struct side *fresh,
                   bool picture, enum sw_output output) {
    struct sw_error error = {0};
    struct sw_matching matching = {
        .old = {.layout = sw_search_layout(old->search), .base = old->plan ? cli->base : 0},
        .fresh = {.layout = sw_search_layout(fresh->search), .base = fresh->plan ? cli->base : 0}};
    struct sw_diff_page pair = {.old = side_of(old), .fresh = side_of(fresh), .matching = &matching};
    int status;
    if (!sw_matching_make(&matching)) {
        sw_fail_memory(&error);
        status = sw_cli_fail(&error);
    } else {
        status = picture ? draw(cli, old, fresh, &pair) : report(cli, old, fresh, &pair, output);
    }
    sw_matching_done(&matching);
    return status;
}

static void close_side(struct side *side) {
    sw_search_free(side->search);
    sw_problem_unref(side->problem);
}

int sw_cli_diff(struct sw_cli *cli) {
    struct sw_error error = {0};
    enum sw_output output;
    bool picture;
    struct side old = {0}, fresh = {0};
    if (!sw_picture_asked(cli, &picture, &error) || !sw_cli_output(cli, &output, &error)) {
        return sw_cli_fail(&error);
    }
    bool good = open_side(cli, cli->files[0], &old) && open_side(cli, cli->files[1], &fresh);
    if (good && !cli->planner && sw_problem_told_requests(old.problem) && sw_problem_told_requests(fresh.problem)) {
        int told = sw_diff_requests(cli, old.problem, fresh.problem, picture, output);
        close_side(&old);
        close_side(&fresh);
        return told;
    }
    good = good && find_peak(cli, &old) && find_peak(cli, &fresh);
    int status = good ? compare(cli, &old, &fresh, picture, output) : 2;
    close_side(&old);
    close_side(&fresh);
    return status;
}
