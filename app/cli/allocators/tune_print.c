/* What stowage tune prints. */
#include "cli/allocators/tune.h"
#include "base/base.h"

#include "cli/shared/output.h"

/* Trials from the best to the worst; the default settings stay known by their pointer. */
struct report {
    const struct tune *tune;
    const struct tune_trial *usual, **order;
    const struct tune_trial *best; /* NULL: nothing is better than the default settings */
    const struct tune_trial *free; /* the best of those without a limit, where `best` needs one of its own; NULL */
};

static int by_rank(const void *a, const void *b) {
    const struct tune_trial *x = *(const struct tune_trial *const *)a, *y = *(const struct tune_trial *const *)b;
    return tune_better(x, y) ? -1 : tune_better(y, x) ? 1 : 0;
}

/* Does it serve more requests than the default settings, or with less memory? */
static bool setting_helps(const struct report *report, const struct tune_trial *trial) {
    const struct sw_served *usual = &report->usual->served, *one = &trial->served;
    return trial->ran && one->ooms == 0 && (usual->ooms > 0 || one->reserved < usual->reserved);
}

static void rank_trials(struct report *report) {
    size_t count = report->tune->trials.count;
    for (size_t i = 0; i < count; i++) {
        report->order[i] = &report->tune->trials.items[i];
    }
    qsort(report->order, count, sizeof(const struct tune_trial *), by_rank);
    for (size_t i = count; i-- > 0;) {
        const struct tune_trial *trial = report->order[i];
        if (setting_helps(report, trial)) {
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
static const char *environment_of(const struct tune *tune, const struct tune_trial *trial, char text[800]) {
    const char *name = tune->allocator->environment;
    snprintf(text, 800, "%s%s%s", name ? name : "", name ? "=" : "", trial->text);
    return text;
}

static void put_tune_trial(const struct report *report, const char *key, const struct tune_trial *trial,
                           struct sw_json_out *json) {
    sw_put_object(json, key);
    sw_put_text(json, "settings", trial->text);
    sw_put_truth(json, "recorded", trial->recorded);
    sw_put_known(json, "limit", trial->limit != SW_UNBOUNDED, trial->limit);
    if (!trial->ran) {
        sw_put_text(json, "remark", trial->why);
    } else {
        sw_served_put(&trial->served, json);
        sw_put_time(json, "saves", (int64_t)report->usual->served.reserved - (int64_t)trial->served.reserved);
        sw_put_number(json, "saves_part", saved_part(report, trial));
    }
    sw_put_end(json);
}

static void put_best_of(const struct report *report, const char *key, const struct tune_trial *trial,
                        struct sw_json_out *json) {
    char text[800];
    if (!trial) {
        sw_put_null(json, key);
        return;
    }
    sw_put_object(json, key);
    environment_of(report->tune, trial, text);
    sw_put_text(json, "environment", report->tune->allocator->environment ? text : NULL);
    put_tune_trial(report, "trial", trial, json);
    sw_put_end(json);
}

static void put_tune_json(const struct report *report, struct sw_json_out *json) {
    const struct tune *tune = report->tune;
    sw_put_text(json, "planner", tune->planner->name);
    SW_PUT_COUNTS(json, {"requests", report->usual->served.allocs}, {"lower_bound_rounded", tune->bound});
    sw_put_known(json, "limit", tune->limit != SW_UNBOUNDED, tune->limit);
    sw_put_count(json, "tried", tune->trials.count);
    sw_put_truth(json, "interrupted", tune->stopped);
    put_tune_trial(report, "default", report->usual, json);
    put_best_of(report, "best", report->best, json);
    put_best_of(report, "best_without_limit", report->free, json);
    sw_put_list(json, "settings");
    sw_put_lines(json);
    for (size_t i = 0; i < tune->trials.count; i++) {
        put_tune_trial(report, NULL, report->order[i], json);
    }
    sw_put_end(json);
}

/* ---- text ---- */

/* "7 more growths", "as many growths". */
static const char *show_change(uint64_t from, uint64_t to, const char *what, char text[64]) {
    char noun[40];
    if (from == to) {
        snprintf(text, 64, "as many %ss", what);
        return text;
    }
    snprintf(noun, sizeof noun, "%s %s", to > from ? "more" : "fewer", what);
    return sw_show_counted(to > from ? to - from : from - to, noun, text);
}

static void put_usual(const struct report *report, struct sw_sink *out) {
    const struct sw_served *usual = &report->usual->served;
    char text[16];
    sw_sink_printf(out, "default settings: at most %s reserved, %s over what is allocated at most; %s, %s",
                   SW_BYTES(usual->reserved), sw_show_percent(sw_served_over(usual), true, text),
                   SW_COUNTED(usual->grown, "growth"), SW_COUNTED(usual->releases, "release"));
    sw_sink_printf(out, usual->ooms > 0 ? "; %s refused\n" : "\n", SW_COUNTED(usual->ooms, "request"));
}

static void put_best(const struct report *report, const struct tune_trial *trial, struct sw_sink *out) {
    const struct sw_served *usual = &report->usual->served, *best = &trial->served;
    char part[16], growths[64], releases[64];
    sw_sink_printf(out, "  %s%s\n", environment_of(report->tune, trial, (char[800]){0}),
                   *trial->text ? "" : "(the default settings)");
    sw_sink_printf(out, "    at most %s reserved", SW_BYTES(best->reserved));
    if (usual->ooms > 0) {
        sw_sink_printf(out, "; every request is served\n");
    } else {
        sw_sink_printf(out, "; saves %s, %s; %s, %s\n", SW_BYTES(usual->reserved - best->reserved),
                       sw_show_percent(saved_part(report, trial), false, part),
                       show_change(usual->grown, best->grown, "growth", growths),
                       show_change(usual->releases, best->releases, "release", releases));
    }
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
        sw_sink_printf(out,
                       "nothing fits: under all settings that were tried some request is refused at the limit of %s\n",
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

/* The segments that are held, and by what. */
static void put_segments(const struct tune *tune, struct sw_cli_report *out) {
    static const struct sw_report_column columns[] = {{.json = "address", .head = "segment at"},
                                                      {.json = "reserved", .head = "reserved"},
                                                      {.json = "free", .head = "free"},
                                                      {.json = "buffer", .head = "held by", .left = true},
                                                      {.json = "size", .head = "of size"},
                                                      {.json = "until"},
                                                      {.head = "until"},
                                                      {.json = "origin"},
                                                      {.head = "asked for in", .left = true}};
    char text[SW_SERVED_SITE + 1];
    sw_rows_begin(out, "largest", columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < tune->held.count; i++) {
        const struct tune_held *held = &tune->held.items[i];
        const struct sw_buffer *b = sw_problem_buffer(tune->problem, held->buffer);
        SW_ROW_COUNTS(out, true, held->address, held->size, held->free);
        sw_row_text(out, b->name);
        sw_row_count(out, held->block);
        sw_row_known(out, held->ends, held->time);
        sw_row_words(out, "%s", held->ends ? SW_COUNT(held->time) : "the end");
        sw_row_text(out, b->origin);
        sw_row_text(out, sw_served_site(b->origin, text));
    }
    sw_rows_end(out);
}

static void put_held(const struct tune *tune, struct sw_cli_report *report) {
    const struct tune_held_list *list = &tune->held;
    struct sw_sink *out = report->words;
    sw_put_object(&report->json, "held");
    SW_PUT_COUNTS(&report->json, {"request", list->request}, {"segments", list->segments}, {"free", list->free});
    if (list->segments == 0) {
        sw_sink_printf(out,
                       "\nat the peak of the default settings no segment is held by a block with free bytes beside "
                       "it\n");
    } else {
        sw_sink_printf(
            out, "\nat the peak of the default settings, with request %s, %s with %s free cannot be given back.\n",
            SW_COUNT(list->request), SW_COUNTED(list->segments, "segment"), SW_BYTES(list->free));
        sw_sink_printf(out, "%s with most free bytes, and the block in it that lives longest:\n",
                       list->count == 1 ? "The one" : "Those");
    }
    if (list->segments > 0 || report->output == SW_OUTPUT_JSON) {
        put_segments(tune, report);
    }
    sw_put_end(&report->json);
}

static void put_trials(const struct report *report, struct sw_cli_report *out) {
    static const struct sw_report_column columns[] = {{.csv = "reserved", .head = "peak reserved"},
                                                      {.csv = "saves_percent", .head = "saves"},
                                                      {.csv = "over_allocated_percent", .head = "over"},
                                                      {.csv = "segments_grown", .head = "growths"},
                                                      {.name = "releases"},
                                                      {.csv = "ooms", .head = "refused"},
                                                      {.name = "settings", .left = true}};
    sw_rows_begin(out, NULL, columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < report->tune->trials.count; i++) {
        const struct tune_trial *trial = report->order[i];
        char text[240];
        sw_row_known(out, trial->ran, trial->served.reserved);
        sw_row_percent(out, trial->ran ? saved_part(report, trial) : (double)NAN, true);
        sw_row_percent(out, trial->ran ? sw_served_over(&trial->served) : (double)NAN, true);
        SW_ROW_COUNTS(out, trial->ran, trial->served.grown, trial->served.releases, trial->served.ooms);
        snprintf(text, sizeof text, "%.150s%s%s%.60s",
                 *trial->text                   ? trial->text
                 : out->output == SW_OUTPUT_CSV ? ""
                                                : "(default)",
                 trial->recorded ? " (as recorded)" : "", trial->ran ? "" : ": ", trial->why);
        sw_row_text(out, text);
    }
    sw_rows_end(out);
}

static void put_tune(const struct report *report, struct sw_cli_report *to) {
    const struct tune *tune = report->tune;
    struct sw_sink *out = to->words;
    sw_report_about(to, tune->problem);
    put_tune_json(report, &to->json);
    sw_sink_printf(out, ": %s from an empty heap, %s, lower bound %s\n",
                   SW_COUNTED(report->usual->served.allocs, "request"), tune->planner->name, SW_BYTES(tune->bound));
    if (tune->instead) {
        sw_sink_printf(out,
                       "(of %s, the allocator of this file, there are no settings to try; these are %s's, and -p "
                       "bfc-arena tries its own)\n",
                       tune->instead, tune->planner->name);
    }
    if (tune->limit != SW_UNBOUNDED) {
        sw_sink_printf(out, "limit: %s\n", SW_BYTES(tune->limit));
    }
    sw_sink_printf(out, "\n");
    put_usual(report, out);
    put_verdict(report, out);
    if (!tune->stopped || to->output == SW_OUTPUT_JSON) {
        put_held(tune, to);
    }
    sw_sink_printf(out, "\n%s tried%s:\n", SW_COUNTED(tune->trials.count, "setting"),
                   tune->stopped ? " until it was interrupted" : "");
    if (to->output != SW_OUTPUT_JSON) {
        put_trials(report, to);
    }
    sw_put_end(&to->json);
}

int tune_print(const struct tune *tune, enum sw_output output) {
    struct sw_cli_report to;
    size_t count = tune->trials.count;
    struct report report = {.tune = tune, .usual = &tune->trials.items[0]};
    report.order = SW_NEW(const struct tune_trial *, count);
    if (!report.order) {
        return sw_cli_fail_memory();
    }
    rank_trials(&report);
    sw_cli_report_start(&to, output);
    if (output == SW_OUTPUT_CSV) {
        put_trials(&report, &to);
    } else {
        put_tune(&report, &to);
    }
    bool served = report.usual->served.ooms == 0 || report.best;
    SW_FREE(report.order, count);
    return sw_cli_report_finish(tune->cli, &to, served ? 0 : 1);
}
