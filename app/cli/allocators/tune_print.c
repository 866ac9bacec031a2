/* What stowage tune prints. */
#include "cli/allocators/tune.h"

#include "cli/shared/output.h"
#include "cli/allocators/rows.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Trials from the best to the worst; the default settings stay known by their pointer. */
struct report {
    const struct tune *tune;
    const struct tune_trial *usual, **order;
    const struct tune_trial *best;   /* NULL: nothing is better than the default settings */
    const struct tune_trial *free;   /* the best of those without a limit, where `best` needs one of its own; NULL */
};

static int by_rank(const void *a, const void *b) {
    const struct tune_trial *x = *(const struct tune_trial *const *)a, *y = *(const struct tune_trial *const *)b;
    return tune_better(x, y) ? -1 : tune_better(y, x) ? 1 : 0;
}

/* Does it serve more requests than the default settings, or with less memory? */
static bool helps(const struct report *report, const struct tune_trial *trial) {
    const struct sw_served *usual = &report->usual->served, *one = &trial->served;
    return trial->ran && one->ooms == 0 && (usual->ooms > 0 || one->reserved < usual->reserved);
}

static void rank(struct report *report) {
    size_t count = report->tune->trials.count;
    for (size_t i = 0; i < count; i++) {
        report->order[i] = &report->tune->trials.items[i];
    }
    qsort(report->order, count, sizeof(const struct tune_trial *), by_rank);
    for (size_t i = count; i-- > 0;) {
        const struct tune_trial *trial = report->order[i];
        if (helps(report, trial)) {
            report->best = trial;
            report->free = trial->limit == report->tune->limit ? trial : report->free;
        }
    }
    report->free = report->free == report->best ? NULL : report->free;
}

/* ---- JSON ---- */

static double saved_part(const struct report *report, const struct tune_trial *trial) {
    double usual = (double)report->usual->served.reserved;
    return usual > 0 ? (usual - (double)trial->served.reserved) / usual : 0;
}

/* NAME=VALUE, or options of stowage plan where no variable takes them. */
static void put_environment(const struct tune *tune, const struct tune_trial *trial, struct sw_sink *out) {
    sw_sink_printf(out, "%s%s%s", tune->allocator->environment ? tune->allocator->environment : "",
                   tune->allocator->environment ? "=" : "", trial->text);
}

static void json_trial(const struct report *report, const struct tune_trial *trial, struct sw_sink *out) {
    sw_sink_printf(out, "{\"settings\":");
    sw_sink_json(out, trial->text);
    sw_sink_printf(out, ",\"recorded\":%s,\"limit\":", trial->recorded ? "true" : "false");
    if (trial->limit == SW_UNBOUNDED) {
        sw_sink_printf(out, "null");
    } else {
        sw_sink_printf(out, "%" PRIu64, trial->limit);
    }
    if (!trial->ran) {
        sw_sink_printf(out, ",\"remark\":");
        sw_sink_json(out, trial->why);
    } else {
        sw_sink_printf(out, ",");
        sw_served_json(&trial->served, out);
        sw_sink_printf(out, ",\"saves\":%" PRId64 ",\"saves_part\":",
                       (int64_t)report->usual->served.reserved - (int64_t)trial->served.reserved);
        sw_sink_number(out, saved_part(report, trial));
    }
    sw_sink_printf(out, "}");
}

static void json_best(const struct report *report, const char *key, const struct tune_trial *trial, struct sw_sink *out) {
    sw_sink_printf(out, ",\n \"%s\":", key);
    if (!trial) {
        sw_sink_printf(out, "null");
        return;
    }
    struct sw_sink text = {0};
    put_environment(report->tune, trial, &text);
    sw_sink_add(&text, "", 1);
    sw_sink_printf(out, "{\"environment\":");
    if (report->tune->allocator->environment && !text.failed) {
        sw_sink_json(out, text.text.items);
    } else {
        sw_sink_printf(out, "null");
    }
    out->failed |= text.failed;
    sw_sink_printf(out, ",\"trial\":");
    json_trial(report, trial, out);
    sw_sink_printf(out, "}");
    sw_sink_done(&text);
}

static void json_held(const struct tune *tune, struct sw_sink *out) {
    sw_sink_printf(out, ",\n \"held\":{\"request\":%" PRIu64 ",\"segments\":%zu,\"free\":%" PRIu64 ",\"largest\":[",
                   tune->held.request, tune->held.segments, tune->held.free);
    for (size_t i = 0; i < tune->held.count; i++) {
        const struct tune_held *held = &tune->held.items[i];
        const struct sw_buffer *b = sw_problem_buffer(tune->problem, held->buffer);
        sw_sink_printf(out, "%s{\"address\":%" PRIu64 ",\"reserved\":%" PRIu64 ",\"free\":%" PRIu64 ",\"buffer\":",
                       i ? ",\n  " : "\n  ", held->address, held->size, held->free);
        sw_sink_json(out, b->name);
        sw_sink_printf(out, ",\"size\":%" PRIu64 ",\"until\":", held->block);
        if (held->ends) {
            sw_sink_printf(out, "%" PRIu32, held->time);
        } else {
            sw_sink_printf(out, "null");
        }
        sw_sink_printf(out, ",\"origin\":");
        if (b->origin) {
            sw_sink_json(out, b->origin);
        } else {
            sw_sink_printf(out, "null");
        }
        sw_sink_printf(out, "}");
    }
    sw_sink_printf(out, "]}");
}

static void print_json(const struct report *report, struct sw_sink *out) {
    const struct tune *tune = report->tune;
    sw_sink_printf(out, "{\"graph\":");
    sw_sink_json(out, sw_problem_name(tune->problem));
    sw_sink_printf(out,
                   ",\n \"planner\":\"%s\",\n \"requests\":%" PRIu64 ",\n \"lower_bound_rounded\":%" PRIu64
                   ",\n \"limit\":",
                   tune->planner->name, report->usual->served.allocs, tune->bound);
    if (tune->limit == SW_UNBOUNDED) {
        sw_sink_printf(out, "null");
    } else {
        sw_sink_printf(out, "%" PRIu64, tune->limit);
    }
    sw_sink_printf(out, ",\n \"tried\":%zu,\n \"interrupted\":%s,\n \"default\":", tune->trials.count,
                   tune->stopped ? "true" : "false");
    json_trial(report, report->usual, out);
    json_best(report, "best", report->best, out);
    json_best(report, "best_without_limit", report->free, out);
    sw_sink_printf(out, ",\n \"settings\":[");
    for (size_t i = 0; i < tune->trials.count; i++) {
        sw_sink_printf(out, i ? ",\n  " : "\n  ");
        json_trial(report, report->order[i], out);
    }
    sw_sink_printf(out, "]");
    json_held(tune, out);
    sw_sink_printf(out, "}\n");
}

/* ---- text ---- */

/* "3 growths", "1 growth". */
static void put_number(struct sw_sink *out, uint64_t count, const char *what) {
    char text[32];
    sw_sink_printf(out, "%s %s%s", sw_show_count(count, text), what, count == 1 ? "" : "s");
}

/* "7 more growths", "as many growths". */
static void put_change(struct sw_sink *out, uint64_t from, uint64_t to, const char *what) {
    char text[32];
    if (from == to) {
        sw_sink_printf(out, "as many %ss", what);
    } else {
        uint64_t by = to > from ? to - from : from - to;
        sw_sink_printf(out, "%s %s %s%s", sw_show_count(by, text), to > from ? "more" : "fewer", what, by == 1 ? "" : "s");
    }
}

static void put_usual(const struct report *report, struct sw_sink *out) {
    const struct sw_served *usual = &report->usual->served;
    sw_sink_printf(out, "default settings: at most %s reserved", SW_BYTES(usual->reserved));
    char text[16];
    sw_sink_printf(out, ", %s over what is allocated at most; ", sw_show_percent(sw_served_over(usual), true, text));
    put_number(out, usual->grown, "growth");
    sw_sink_printf(out, ", ");
    put_number(out, usual->releases, "release");
    if (usual->ooms > 0) {
        sw_sink_printf(out, "; ");
        put_number(out, usual->ooms, "request");
        sw_sink_printf(out, " refused");
    }
    sw_sink_printf(out, "\n");
}

static void put_best(const struct report *report, const struct tune_trial *trial, struct sw_sink *out) {
    const struct sw_served *usual = &report->usual->served, *best = &trial->served;
    char text[16];
    sw_sink_printf(out, "  ");
    put_environment(report->tune, trial, out);
    sw_sink_printf(out, "%s\n", *trial->text ? "" : "(the default settings)");
    sw_sink_printf(out, "    at most %s reserved", SW_BYTES(best->reserved));
    if (usual->ooms > 0) {
        sw_sink_printf(out, "; every request is served");
    } else {
        sw_show_percent(saved_part(report, trial), false, text);
        sw_sink_printf(out, "; saves %s, %s; ", SW_BYTES(usual->reserved - best->reserved), text);
        put_change(out, usual->grown, best->grown, "growth");
        sw_sink_printf(out, ", ");
        put_change(out, usual->releases, best->releases, "release");
    }
    sw_sink_printf(out, "\n");
    if (trial->limit != SW_UNBOUNDED && report->tune->limit == SW_UNBOUNDED) {
        sw_sink_printf(out,
                       "    works only with a limit on what is reserved, here %s\n"
                       "    (torch.cuda.set_per_process_memory_fraction)\n",
                       SW_BYTES(trial->limit));
    }
}

static void put_verdict(const struct report *report, struct sw_sink *out) {
    const struct tune *tune = report->tune;
    bool limited = tune->limit != SW_UNBOUNDED;
    if (limited && !report->best && report->usual->served.ooms > 0) {
        sw_sink_printf(out, "nothing fits: under all settings that were tried some request is refused at the limit of %s\n",
                       SW_BYTES(tune->limit));
    } else if (!report->best) {
        sw_sink_printf(out, "nothing helps: no settings that were tried reserve less than the default settings\n");
    } else {
        sw_sink_printf(out, "least:\n");
        put_best(report, report->best, out);
    }
    bool needs_one = report->best && report->best->limit != tune->limit;
    if (needs_one && !report->free) {
        sw_sink_printf(out, "without a limit nothing helps\n");
    } else if (report->free) {
        sw_sink_printf(out, "least without a limit:\n");
        put_best(report, report->free, out);
    }
}

static void put_held(const struct tune *tune, struct sw_sink *out) {
    static const char *const heads[] = {"segment at", "reserved", "free", "held by", "of size", "until", "asked for in"};
    const struct tune_held_list *list = &tune->held;
    struct sw_rows rows = {.heads = heads, .columns = sizeof heads / sizeof *heads, .left = 1 << 3 | 1 << 6};
    char text[SW_ROWS_SITE + 1];
    if (list->segments == 0) {
        sw_sink_printf(out, "\nat the peak of the default settings no segment is held by a block with free bytes beside "
                            "it\n");
        return;
    }
    sw_sink_printf(out, "\nat the peak of the default settings, with request %s, ", sw_show_count(list->request, text));
    put_number(out, list->segments, "segment");
    sw_sink_printf(out, " with %s free cannot be given back.\n", SW_BYTES(list->free));
    sw_sink_printf(out, "%s with most free bytes, and the block in it that lives longest:\n",
                   list->count == 1 ? "The one" : "Those");
    for (size_t i = 0; i < list->count; i++) {
        const struct tune_held *held = &list->items[i];
        const struct sw_buffer *b = sw_problem_buffer(tune->problem, held->buffer);
        sw_rows_count(&rows, held->address, false);
        sw_rows_count(&rows, held->size, false);
        sw_rows_count(&rows, held->free, false);
        sw_rows_text(&rows, b->name);
        sw_rows_count(&rows, held->block, false);
        if (held->ends) {
            sw_rows_count(&rows, held->time, false);
        } else {
            sw_rows_text(&rows, "the end");
        }
        sw_rows_text(&rows, sw_rows_site(b->origin, text));
    }
    sw_rows_print(&rows, SW_OUTPUT_TEXT, out);
    sw_rows_done(&rows);
}

static void put_trials(const struct report *report, enum sw_output output, struct sw_sink *out) {
    static const char *const heads[] = {"peak reserved", "saves", "over", "growths", "releases", "refused", "settings"};
    static const char *const keys[] = {"reserved", "saves_percent", "over_allocated_percent", "segments_grown", "releases",
                                       "ooms", "settings"};
    bool exact = output == SW_OUTPUT_CSV;
    struct sw_rows rows = {.heads = exact ? keys : heads, .columns = sizeof heads / sizeof *heads, .left = 1 << 6};
    for (size_t i = 0; i < report->tune->trials.count; i++) {
        const struct tune_trial *trial = report->order[i];
        char text[SW_ROWS_CELL];
        if (!trial->ran) {
            for (size_t k = 0; k < 6; k++) {
                sw_rows_text(&rows, "");
            }
        } else {
            sw_rows_count(&rows, trial->served.reserved, exact);
            sw_rows_percent(&rows, saved_part(report, trial), exact);
            sw_rows_percent(&rows, sw_served_over(&trial->served), exact);
            sw_rows_count(&rows, trial->served.grown, exact);
            sw_rows_count(&rows, trial->served.releases, exact);
            sw_rows_count(&rows, trial->served.ooms, exact);
        }
        snprintf(text, sizeof text, "%.150s%s%s%.60s",
                 *trial->text ? trial->text
                 : exact      ? ""
                              : "(default)",
                 trial->recorded ? " (as recorded)" : "", trial->ran ? "" : ": ", trial->why);
        sw_rows_text(&rows, text);
    }
    sw_rows_print(&rows, output, out);
    sw_rows_done(&rows);
}

static void print_text(const struct report *report, enum sw_output output, struct sw_sink *out) {
    const struct tune *tune = report->tune;
    char count[32];
    sw_sink_text(out, sw_problem_name(tune->problem));
    sw_sink_printf(out, ": %s request%s from an empty heap, %s, lower bound %s\n",
                   sw_show_count(report->usual->served.allocs, count), report->usual->served.allocs == 1 ? "" : "s", tune->planner->name, SW_BYTES(tune->bound));
    if (tune->instead) {
        sw_sink_printf(out, "(of %s, the allocator of this file, there are no settings to try; these are %s's, and -p bfc-arena tries its own)\n",
                       tune->instead, tune->planner->name);
    }
    if (tune->limit != SW_UNBOUNDED) {
        sw_sink_printf(out, "limit: %s\n", SW_BYTES(tune->limit));
    }
    sw_sink_printf(out, "\n");
    put_usual(report, out);
    put_verdict(report, out);
    if (!tune->stopped) {
        put_held(tune, out);
    }
    sw_sink_printf(out, "\n");
    put_number(out, tune->trials.count, "setting");
    sw_sink_printf(out, " tried%s:\n", tune->stopped ? " until it was interrupted" : "");
    put_trials(report, output, out);
}

int tune_print(const struct sw_cli *cli, struct tune *tune, enum sw_output output) {
    struct sw_error error = {0};
    struct sw_sink out = {0};
    size_t count = tune->trials.count;
    struct report report = {.tune = tune, .usual = &tune->trials.items[0]};
    report.order = SW_NEW(const struct tune_trial *, count);
    if (!report.order) {
        sw_fail_memory(&error);
        return sw_cli_fail(&error);
    }
    rank(&report);
    if (output == SW_OUTPUT_JSON) {
        print_json(&report, &out);
    } else if (output == SW_OUTPUT_CSV) {
        put_trials(&report, output, &out);
    } else {
        print_text(&report, output, &out);
        sw_cli_clean(&out);
    }
    bool served = report.usual->served.ooms == 0 || report.best;
    SW_FREE(report.order, count);
    return sw_cli_put(cli, &out, served ? 0 : 1);
}
