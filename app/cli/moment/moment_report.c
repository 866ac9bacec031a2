/* What stowage plan prints of a moment: nothing is planned, for it has no times. */
#include "base/base.h"
#include "cli/moment/moment_parts.h"
#include "cli/shared/output.h"
#include "cli/shared/summary.h"
#include "view/moment/moment_words.h"
#include "view/scene/scene.h"

enum { GROUPS_SHOWN = 8, NAMED_SHOWN = 16 };

/* ---- JSON: the keys of every summary, and the moment ---- */

void sw_moment_json_figures(const struct sw_moment_sums *sums, struct sw_json_out *json) {
    for (enum sw_moment_figure figure = 0; figure < SW_MOMENT_FIGURES; figure++) {
        sw_put_known(json, sw_moment_figure_key(figure), sums->figure[figure] != SW_UNTOLD, sums->figure[figure]);
    }
}

/* Lines of a text as a list. */
static void put_json_sentences(const char *key, const struct sw_moment *moment,
                               void put(const struct sw_moment *, struct sw_sink *), struct sw_json_out *json) {
    struct sw_sink text = {0};
    put(moment, &text);
    char *rest = sw_sink_ended(&text);
    json->out->failed |= !rest;
    sw_put_list(json, key);
    for (char *line = rest ? strtok_r(rest, "\n", &rest) : NULL; line; line = strtok_r(NULL, "\n", &rest)) {
        sw_put_text(json, NULL, line);
    }
    sw_put_end(json);
    sw_sink_done(&text);
}

static void put_json_reasons(const struct sw_moment *moment, struct sw_json_out *json) {
    put_json_sentences("why", moment, sw_moment_put_why, json);
    put_json_sentences("ways", moment, sw_moment_put_ways, json);
    put_json_sentences("keeps", moment, sw_moment_put_keepers, json);
}

static void put_json_moment(const struct sw_moment *moment, struct sw_json_out *json) {
    struct sw_moment_sums sums;
    sw_moment_sum(moment, &sums);
    sw_put_object(json, "moment");
    sw_moment_json_figures(&sums, json);
    SW_PUT_COUNTS(json, {"blocks_in_use", sums.blocks[SW_HELD_USED]}, {"blocks_free", sums.blocks[SW_HELD_FREE]});
    sw_put_known(json, "free_too_small", sums.needed != SW_UNTOLD && sums.shown[SW_MOMENT_FREE] != SW_UNTOLD,
                 sums.small_free);
    sw_moment_json_put(moment, put_json_reasons, json);
    sw_put_end(json);
}

static void put_moment_json(const struct sw_problem *problem, struct sw_json_out *json) {
    static const char *const nulls[] = {"seed",      "peak",       "lower_bound", "naive",
                                        "feasible",  "optimal",    "cost",        "migration_bytes",
                                        "decisions", "stopped_at", "seconds",     "details"};
    sw_put_object(json, NULL);
    sw_put_lines(json);
    sw_put_null(json, "planner");
    sw_put_text(json, "graph", sw_problem_name(problem));
    SW_PUT_COUNTS(json, {"buffers", sw_problem_buffer_count(problem)}, {"operators", 0});
    for (size_t i = 0; i < sizeof nulls / sizeof *nulls; i++) {
        sw_put_null(json, nulls[i]);
    }
    static const char *const lists[] = {"tiers", "placements", "transfers", "overwrites"};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        sw_put_list(json, lists[i]);
        sw_put_end(json);
    }
    put_json_moment(sw_problem_moment(problem), json);
    sw_put_end(json);
}

/* ---- for people, and as CSV ---- */

static void put_figures(const struct sw_moment *moment, const struct sw_moment_sums *sums, struct sw_sink *words) {
    for (enum sw_moment_figure figure = 0; figure < SW_MOMENT_FIGURES; figure++) {
        if (sums->figure[figure] == SW_UNTOLD || (figure == SW_MOMENT_WAITING && sums->figure[figure] == 0) ||
            sw_moment_repeats(sums, figure)) {
            continue;
        }
        char remark[96] = "";
        if (sums->about[figure] > 0) {
            snprintf(remark, sizeof remark, "as the text rounds it");
        } else if (sums->differs[figure]) {
            snprintf(remark, sizeof remark, "as the text says");
        } else if (figure == SW_MOMENT_RESERVED && moment->segments.count > 0) {
            snprintf(remark, sizeof remark, "in %s", SW_COUNTED(moment->segments.count, "segment"));
        } else if (figure == SW_MOMENT_IN_USE && sums->blocks[SW_HELD_USED] > 0) {
            snprintf(remark, sizeof remark, "in %s", SW_COUNTED(sums->blocks[SW_HELD_USED], "block"));
        } else if (figure == SW_MOMENT_FREE && sums->blocks[SW_HELD_FREE] > 0) {
            snprintf(remark, sizeof remark, "in %s", SW_COUNTED(sums->blocks[SW_HELD_FREE], "piece"));
        }
        sw_report_bytes(words, sw_moment_figure_words(figure), sums->figure[figure], "%s", remark);
    }
    for (size_t i = 0; i < moment->told.count; i++) {
        const struct sw_moment_told *told = &moment->told.items[i];
        if (told->pool) {
            sw_report_bytes(words, sw_moment_figure_words(told->figure), told->bytes, "in the %s pool%s",
                            SW_SHOWN(told->pool), told->about ? ", as the text rounds it" : "");
        }
    }
}

static void put_sentences(const char *title, const struct sw_moment *moment,
                          void put(const struct sw_moment *, struct sw_sink *), struct sw_sink *words) {
    struct sw_sink text = {0};
    put(moment, &text);
    char *rest = sw_sink_ended(&text);
    words->failed |= !rest;
    if (rest && *rest) {
        sw_sink_printf(words, "\n%s\n", title);
    }
    for (char *line = rest ? strtok_r(rest, "\n", &rest) : NULL; line; line = strtok_r(NULL, "\n", &rest)) {
        sw_sink_printf(words, "  ");
        sw_report_wrapped(words, line, 2, 2);
    }
    sw_sink_done(&text);
}

static bool put_groups(const struct sw_moment *moment, struct sw_cli_report *report) {
    static const struct sw_report_column columns[] = {{.name = "size"}, {.name = "blocks"}, {.name = "bytes"}};
    struct sw_moment_groups groups = {0};
    bool good = sw_moment_group_by(moment, SW_MOMENT_BY_SIZE, &groups);
    size_t most = sw_report_is_read(report) ? GROUPS_SHOWN : groups.items.count;
    if (good && groups.items.count > 0) {
        sw_sink_printf(report->words, "\nIn use, by size%s\n",
                       groups.items.count > most ? ": those with the most bytes" : "");
        sw_rows_begin(report, NULL, columns, sizeof columns / sizeof *columns);
        for (size_t i = 0; i < groups.items.count && i < most; i++) {
            const struct sw_moment_group *group = &groups.items.items[i];
            SW_ROW_COUNTS(report, true, group->size, group->count, group->bytes);
        }
        sw_rows_end(report);
        if (groups.items.count > most) {
            sw_sink_printf(report->words, "  and %s more\n", SW_COUNTED(groups.items.count - most, "size"));
        }
    }
    SW_ARRAY_DONE(&groups.items);
    return good;
}

/* Blocks that have a name and no address, in the order of the text. False: there are none. */
static bool put_named(const struct sw_moment *moment, struct sw_cli_report *report) {
    static const struct sw_report_column columns[] = {{.name = "block", .left = true},
                                                      {.name = "size"},
                                                      {.name = "asked for", .none = "-"},
                                                      {.name = "what", .left = true, .rank = 1}};
    size_t named = 0, most = NAMED_SHOWN;
    for (size_t i = 0; i < moment->blocks.count; i++) {
        const struct sw_moment_block *block = &moment->blocks.items[i];
        if (!block->name || block->address != SW_UNTOLD || named++ >= most) {
            continue;
        }
        if (named == 1) {
            sw_sink_printf(report->words, "\nBlocks\n");
            sw_rows_begin(report, NULL, columns, sizeof columns / sizeof *columns);
        }
        sw_row_text(report, block->name);
        sw_row_count(report, block->size);
        sw_row_known(report, block->requested != SW_UNTOLD, block->requested);
        sw_row_text(report, block->origin);
    }
    if (named > 0) {
        sw_rows_end(report);
    }
    if (named > most) {
        sw_sink_printf(report->words, "  and %s more\n", SW_COUNTED(named - most, "block"));
    }
    return named > 0;
}

static bool put_moment_words(const struct sw_problem *problem, struct sw_cli_report *report) {
    const struct sw_moment *moment = sw_problem_moment(problem);
    struct sw_sink *words = report->words;
    struct sw_moment_sums sums;
    size_t noted;
    const char *const *notes = sw_problem_notes(problem, &noted);
    sw_moment_sum(moment, &sums);
    sw_report_name(report, sw_problem_name(problem));
    sw_sink_printf(words, ": one moment of an allocator, without times\n");
    for (size_t i = 0; i < noted; i++) {
        sw_sink_printf(words, "note: %s\n", SW_SHOWN(notes[i]));
    }
    sw_sink_printf(words, "\n");
    put_figures(moment, &sums, words);
    put_sentences("Why it failed", moment, sw_moment_put_why, words);
    put_sentences("What would have made it fit", moment, sw_moment_put_ways, words);
    put_sentences("What keeps memory", moment, sw_moment_put_keepers, words);
    put_sentences("Where the text and what it shows differ", moment, sw_moment_put_doubts, words);
    return (sw_report_is_read(report) && put_named(moment, report)) || put_groups(moment, report);
}

/* -o: the summary as JSON, or the blocks as a table. */
static int write_moment(struct sw_cli *cli, const struct sw_problem *problem) {
    struct sw_error error = {0};
    struct sw_sink out = {0};
    struct sw_json_out json = {.out = &out};
    enum sw_output output;
    if (!sw_cli_output(cli, &output, &error)) {
        return sw_cli_fail(&error);
    }
    if (output == SW_OUTPUT_JSON) {
        put_moment_json(problem, &json);
    } else if (output == SW_OUTPUT_CSV || strcmp(cli->output, "-") == 0) {
        sw_moment_csv_put(sw_problem_moment(problem), &out);
    } else {
        return sw_cli_tell(SW_ERROR_UNSUPPORTED, cli->output,
                           "one moment of an allocator is written as .json, and its blocks as .csv");
    }
    return sw_cli_put(cli, &out, 0);
}

int sw_cli_moment(struct sw_cli *cli, const struct sw_problem *problem) {
    struct sw_cli_report report;
    struct sw_error error = {0};
    if (cli->output) {
        return write_moment(cli, problem);
    }
    sw_cli_report_start(&report, cli->format);
    if (report.output == SW_OUTPUT_JSON) {
        put_moment_json(problem, &report.json);
    } else if (!put_moment_words(problem, &report)) {
        sw_cli_report_drop(&report);
        sw_fail_memory(&error);
        return sw_cli_fail(&error);
    }
    return sw_cli_report_finish(cli, &report, 0);
}
