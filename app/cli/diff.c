/* stowage diff: two models or plans, matched by the names of buffers. */
#include "cli/pictures.h"
#include "cli/run.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct side {
    const char *path;
    uint64_t digest;
    struct sw_problem *problem;
    struct sw_search *search; /* at its end */
    bool plan;                /* the file holds a finished plan; else `auto` (or -p) made one */
    bool has_peak;            /* complete, and in one tier */
    uint64_t peak;
    size_t faults; /* of a finished plan, as far as this file alone can tell */
};
struct table {
    const struct sw_problem *old, *fresh;
    struct sw_sink *out;
    enum sw_output output;
    size_t count;
    const struct sw_pair *pair;
};

/* ---- the two sides ---- */

/* Run the plan of the file, or a planner. Infeasible runs have no peak. False after saying why. */
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
    if (good) {
        sw_metrics_of(result.layout, &metrics);
        side->has_peak = metrics.complete && metrics.single_tier;
        side->peak = metrics.peak;
        if (side->plan) { /* what is written at an address counts from there */
            side->peak -= cli->base < side->peak ? cli->base : side->peak;
            side->faults = sw_layout_check(result.layout, NULL, NULL);
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

/* Which figure decides, and does the new side need more of it? Peaks are compared when they come
 * from the same source; else the bounds, which need no planner. */
static bool needs_more(const struct side *old, const struct side *fresh, const char **measure,
                       uint64_t *before, uint64_t *after) {
    bool peaks = old->has_peak && fresh->has_peak && old->plan == fresh->plan;
    *measure = peaks ? "peak" : "bound";
    *before = peaks ? old->peak : sw_problem_lower_bound(old->problem);
    *after = peaks ? fresh->peak : sw_problem_lower_bound(fresh->problem);
    return *after > *before;
}

/* ---- rows ---- */

static void add_cell(struct sw_sink *out, bool md, const char *text) {
    if (!md) {
        sw_sink_csv(out, text);
        return;
    }
    for (; *text; text++) { /* a bar would end the cell */
        unsigned char c = (unsigned char)*text;
        sw_sink_printf(out, "%s", c == '|' ? "\\" : "");
        sw_sink_add(out, c < 0x20 || c == 0x7f ? "?" : text, 1);
    }
}

/* What a side says of a buffer, as an object; null when it has none. */
static void add_object(const struct sw_problem *problem, const struct sw_buffer *buffer,
                       struct sw_sink *out) {
    if (!buffer) {
        sw_sink_printf(out, "null");
        return;
    }
    sw_sink_printf(out, "{\"size\":%" PRIu64 ",\"first\":%" PRId64 ",\"last\":%" PRId64,
                   buffer->size, sw_problem_time(problem, buffer->first),
                   sw_problem_time(problem, buffer->last + 1) - 1);
    if (buffer->has_offset) {
        sw_sink_printf(out, ",\"offset\":%" PRIu64, buffer->offset);
    }
    if (buffer->tier != SW_NONE) {
        sw_sink_printf(out, ",\"tier\":");
        sw_sink_json(out, sw_problem_tier(problem, buffer->tier)->name);
    }
    sw_sink_printf(out, "}");
}

/* One change: the buffer on each side (NULL: not there), and what to show of it. */
struct change {
    const char *what;
    const struct sw_buffer *old, *fresh;
    const char *before, *after;
};

static void add_row(struct table *table, struct change change) {
    struct sw_sink *out = table->out;
    const char *name = (change.old ? change.old : change.fresh)->name;
    const char *const cells[] = {change.what, name, change.before, change.after};
    bool md = table->output == SW_OUTPUT_MD;
    table->count++;
    if (table->output == SW_OUTPUT_JSON) {
        sw_sink_printf(out, "%s\n  {\"change\":\"%s\",\"buffer\":", table->count > 1 ? "," : "",
                       change.what);
        sw_sink_json(out, name);
        sw_sink_printf(out, ",\"old\":");
        add_object(table->old, change.old, out);
        sw_sink_printf(out, ",\"new\":");
        add_object(table->fresh, change.fresh, out);
        sw_sink_printf(out, "}");
    } else if (table->output == SW_OUTPUT_TEXT) {
        sw_sink_printf(out, "  %-9s ", change.what);
        sw_sink_text(out, name);
        sw_sink_printf(out, "  ");
        sw_sink_text(out, change.before);
        sw_sink_printf(out, *change.before && *change.after ? " -> " : "");
        sw_sink_text(out, change.after);
        sw_sink_printf(out, "\n");
    } else {
        for (size_t i = 0; i < 4; i++) {
            sw_sink_printf(out, "%s", md ? (i ? " | " : "| ") : (i ? "," : ""));
            add_cell(out, md, cells[i]);
        }
        sw_sink_printf(out, "%s\n", md ? " |" : "");
    }
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
    const char *unit = table->output == SW_OUTPUT_CSV ? "" : " B";
    snprintf(text, 64, "%" PRIu64 "%s", buffer->size, unit);
    return text;
}

/* "128", or "sram+128" when there is a choice of tiers. */
static const char *show_place(const struct sw_problem *problem, const struct sw_buffer *buffer,
                              char text[512]) {
    if (sw_problem_tier_count(problem) > 1 && buffer->tier != SW_NONE) {
        snprintf(text, 512, "%s+%" PRIu64, sw_problem_tier(problem, buffer->tier)->name,
                 buffer->offset);
    } else {
        snprintf(text, 512, "%" PRIu64, buffer->offset);
    }
    return text;
}

static void compare_buffers(struct table *table, const struct sw_buffer *a,
                            const struct sw_buffer *b) {
    char before[512], after[512];
    struct change change = {.old = a, .fresh = b, .before = before, .after = after};
    if (a->size != b->size) {
        change.what = b->size > a->size ? "grew" : "shrank";
        show_size(table, a, before);
        show_size(table, b, after);
        add_row(table, change);
    }
    if (!sw_same_life(table->old, a, table->fresh, b)) {
        change.what = "lifetime";
        show_life(table->old, a, before);
        show_life(table->fresh, b, after);
        add_row(table, change);
    }
    if (a->has_offset && b->has_offset) {
        change.what = "moved";
        show_place(table->old, a, before);
        show_place(table->fresh, b, after);
        if (strcmp(before, after) != 0) {
            add_row(table, change);
        }
    }
}

/* A buffer that only one side has. */
static void add_single(struct table *table, const struct sw_buffer *buffer, bool came) {
    char text[512], size[64], life[64];
    show_size(table, buffer, size);
    show_life(came ? table->fresh : table->old, buffer, life);
    snprintf(text, sizeof text, "%s, alive %s", size, life);
    const char *shown = table->output == SW_OUTPUT_CSV ? size : text;
    add_row(table, (struct change){.what = came ? "came" : "went",
                                   .old = came ? NULL : buffer,
                                   .fresh = came ? buffer : NULL,
                                   .before = came ? "" : shown,
                                   .after = came ? shown : ""});
}

static const struct sw_buffer *planned_by_name(const struct sw_problem *problem, const char *name) {
    uint32_t i = sw_problem_find_buffer(problem, name);
    const struct sw_buffer *buffer = i == SW_NONE ? NULL : sw_problem_buffer(problem, i);
    return buffer && buffer->planned ? buffer : NULL;
}

/* In the old file's order, then what came, in the new file's. */
static void list_changes(struct table *table) {
    for (uint32_t i = 0; i < sw_problem_buffer_count(table->old); i++) {
        const struct sw_buffer *a = sw_problem_buffer(table->old, i);
        const struct sw_buffer *b = planned_by_name(table->fresh, a->name);
        if (a->planned && b) {
            compare_buffers(table, a, b);
        } else if (a->planned) {
            add_single(table, a, false);
        }
    }
    for (uint32_t i = 0; i < sw_problem_buffer_count(table->fresh); i++) {
        const struct sw_buffer *b = sw_problem_buffer(table->fresh, i);
        if (b->planned && !planned_by_name(table->old, b->name)) {
            add_single(table, b, true);
        }
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
        sw_sink_printf(out, "total,%s,%" PRIu64 ",%" PRIu64 "\n", name, before, after);
    } else if (output == SW_OUTPUT_MD && known) {
        sw_sink_printf(out, "| total | %s | %" PRIu64 " | %" PRIu64 " (%s) |\n", name, before,
                       after, change);
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
    add_total(out, output, "peak", old->has_peak && fresh->has_peak, old->peak, fresh->peak);
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
    sw_sink_printf(out, ",\"peak_of\":\"%s\",\"faults\":", side->plan ? "file" : "planner");
    if (side->plan) {
        sw_sink_printf(out, "%zu}", side->faults);
    } else {
        sw_sink_printf(out, "null}");
    }
}

/* ---- where they part ---- */

static bool parting_words(const struct table *table, struct sw_sink *out) {
    struct sw_scene scene = {0};
    const char *words = sw_pair_parting(table->pair, &scene);
    bool good = !scene.failed;
    if (good && table->output == SW_OUTPUT_TEXT) {
        sw_sink_printf(out, "\n");
        sw_sink_text(out, words);
        sw_sink_printf(out, "\n");
    } else if (good && table->output == SW_OUTPUT_MD) {
        sw_sink_printf(out, "\n");
        add_cell(out, true, words);
        sw_sink_printf(out, "\n");
    }
    sw_scene_done(&scene);
    return good;
}

static void add_decision(const struct sw_search *search, const char *key, uint64_t step,
                         struct sw_sink *out) {
    char text[400];
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
    const struct sw_pair *pair = table->pair;
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
    sw_sink_printf(out, ",\"old\":%" PRIu64 ",\"new\":%" PRIu64 "}", a.offset, b.offset);
}

/* ---- the four ways of saying it ---- */

static void begin(const struct side *old, const struct side *fresh, enum sw_output output,
                  struct sw_sink *out) {
    switch (output) {
    case SW_OUTPUT_CSV:
        sw_sink_printf(out, "change,buffer,old,new\n");
        return;
    case SW_OUTPUT_MD:
        sw_sink_printf(out, "| change | buffer | old | new |\n|---|---|---|---|\n");
        return;
    case SW_OUTPUT_JSON:
        sw_sink_printf(out, "{");
        side_json(old, "old", out);
        sw_sink_printf(out, ",\n ");
        side_json(fresh, "new", out);
        sw_sink_printf(out, ",\n \"changes\":[");
        return;
    default:
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

static void end(const struct side *old, const struct side *fresh, const struct table *table) {
    struct sw_sink *out = table->out;
    const char *measure;
    uint64_t before, after;
    bool more = needs_more(old, fresh, &measure, &before, &after);
    if (table->output == SW_OUTPUT_JSON) {
        sw_sink_printf(out, "],\n \"measure\":\"%s\",\"needs_more\":%s", measure,
                       more ? "true" : "false");
        parting_json(table, out);
        sw_sink_printf(out, "}\n");
        return;
    }
    if (table->output == SW_OUTPUT_TEXT) {
        sw_sink_printf(out, "%s  %-9s %15s %15s %15s\n", table->count ? "\n" : "", "", "old", "new",
                       "change");
    }
    add_totals(old, fresh, table->output, out);
    if (table->output != SW_OUTPUT_TEXT) {
        out->failed |= !parting_words(table, out);
        return;
    }
    if (old->plan != fresh->plan) {
        sw_sink_printf(out, "  (the peak of %s is that of its plan, the other was planned here)\n",
                       old->plan ? "the old" : "the new");
    }
    if (table->count == 0) {
        sw_sink_printf(out, "\nno buffer changed");
    } else {
        sw_sink_printf(out, "\n%zu change%s", table->count, table->count == 1 ? "" : "s");
    }
    sw_sink_printf(out, "; the new one needs %s", more ? "" : after < before ? "" : "the same");
    if (after != before) {
        sw_sink_printf(out, "%" PRIu64 " B %s", more ? after - before : before - after,
                       more ? "more" : "less");
    }
    sw_sink_printf(out, " (%s)\n", measure);
    out->failed |= !parting_words(table, out);
    add_hint(old, out);
    add_hint(fresh, out);
}

static int report(struct sw_cli *cli, const struct side *old, const struct side *fresh,
                  const struct sw_pair *pair, enum sw_output output) {
    struct sw_sink out = {0};
    struct table table = {
        .old = old->problem, .fresh = fresh->problem, .out = &out, .output = output, .pair = pair};
    const char *measure;
    uint64_t before, after;
    begin(old, fresh, output, &out);
    list_changes(&table);
    end(old, fresh, &table);
    return sw_cli_put(cli, &out, needs_more(old, fresh, &measure, &before, &after) ? 1 : 0);
}

static int draw(struct sw_cli *cli, const struct side *old, const struct side *fresh,
                struct sw_pair *pair) {
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

static struct sw_pair_side side_of(const struct side *side) {
    return (struct sw_pair_side){.path = side->path,
                                 .digest = side->digest,
                                 .search = side->search,
                                 .plan = side->plan,
                                 .has_peak = side->has_peak,
                                 .peak = side->peak};
}

/* Both sides are open and planned. */
static int compare(struct sw_cli *cli, const struct side *old, const struct side *fresh,
                   bool picture, enum sw_output output) {
    struct sw_error error = {0};
    struct sw_matching matching = {
        .old = {.layout = sw_search_layout(old->search), .base = old->plan ? cli->base : 0},
        .fresh = {.layout = sw_search_layout(fresh->search), .base = fresh->plan ? cli->base : 0}};
    struct sw_pair pair = {.old = side_of(old), .fresh = side_of(fresh), .matching = &matching};
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
    bool good = open_side(cli, cli->files[0], &old) && open_side(cli, cli->files[1], &fresh) &&
                find_peak(cli, &old) && find_peak(cli, &fresh);
    int status = good ? compare(cli, &old, &fresh, picture, output) : 2;
    close_side(&old);
    close_side(&fresh);
    return status;
}
