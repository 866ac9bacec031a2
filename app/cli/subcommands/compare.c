/* stowage compare: a row per planner on the same input.
 *
 * A star marks what is proved: nothing smaller exists. Migration and cost have a column when some
 * planner has such a figure. A planner that goes on until it has a proof gets a limit of work here,
 * unless --work gives one, so that the table comes within seconds.
 *
 * As text rows fit into 80 columns: figures are rounded, and columns left out by their rank. Three planners and more
 * that say the same are a row and a list of names, and those that do not apply have a line together. JSON, CSV and
 * Markdown have a row for each. */
#include "cli/orders/order_parts.h"
#include "base/base.h"
#include "cli/shared/output.h"
#include "cli/shared/pictures.h"
#include "cli/shared/run.h"
#include "cli/shared/summary.h"
#include "cli/subcommands/compare.h"
#include "lua/planning/lua_planner.h"
#include "planners/planner.h"

/* ---- which planners ---- */

static bool add_planner(struct compared_table *table, const struct sw_planner *planner, struct sw_error *error) {
    for (size_t i = 0; i < table->rows.count; i++) {
        if (table->rows.items[i].planner == planner) {
            return sw_fail(error, SW_ERROR_USAGE, "planner %s is named twice", planner->name);
        }
    }
    return SW_PUSH(&table->rows, (struct compared_row){.planner = planner}) || sw_fail_memory(error);
}

/* "A,B,...": every one must exist. */
static bool add_named(struct compared_table *table, const char *list, struct sw_error *error) {
    for (;;) {
        char name[64];
        size_t length = strcspn(list, ",");
        if (length == 0 || length >= sizeof name) {
            return sw_fail(error, SW_ERROR_USAGE, "--planner: expected names separated by commas");
        }
        memcpy(name, list, length);
        name[length] = '\0';
        const struct sw_planner *planner = sw_lua_planner_find(name, error);
        if (!planner || !add_planner(table, planner, error)) {
            return false;
        }
        if (!list[length]) {
            return true;
        }
        list += length + 1;
    }
}

static bool add_all_planners(struct compared_table *table, struct sw_error *error) {
    bool good = true;
    for (size_t i = 0; good && i < sw_planner_built_in_count(); i++) {
        good = add_planner(table, sw_planner_get(i), error);
    }
    return good;
}

/* Some planners are compared only when they are named: online allocators, those that change the model, and those that
 * put the operators in order, but for the one that keeps the best of all orders. */
static void drop_unnamed(struct compared_table *table) {
    size_t kept = 0;
    for (size_t i = 0; i < table->rows.count; i++) {
        const struct sw_planner *planner = table->rows.items[i].planner;
        bool part = (planner->reorders && strcmp(planner->name, "order") != 0) || planner->rewrites;
        if (!planner->reserves && !part) {
            table->rows.items[kept++] = table->rows.items[i];
        }
    }
    table->rows.count = kept;
}

static bool is_rival(const struct compared_table *table, const char *name) {
    bool is = false;
    for (size_t i = 0; i < table->rows.count; i++) {
        is |= strcmp(table->rows.items[i].planner->name, name) == 0;
    }
    return is;
}

/* With --seeds it is always the same two, but for a picture. */
static bool add_rivals(struct compared_table *table, const char *list, struct sw_error *error) {
    if (!add_named(table, list ? list : "order-genetic,random-order", error)) {
        return false;
    }
    if (!table->picture &&
        (table->rows.count != 2 || !is_rival(table, "order-genetic") || !is_rival(table, "random-order"))) {
        return sw_fail(error, SW_ERROR_USAGE,
                       "--seeds sets order-genetic beside random-order: leave out --planner; only a "
                       "picture takes others");
    }
    return true;
}

/* A --set goes to the planners that have such a parameter; one must. */
static bool check_compared_settings(const struct compared_table *table, const struct sw_params *params,
                                    struct sw_error *error) {
    for (size_t i = 0; i < params->settings.count; i++) {
        bool found = false;
        for (size_t k = 0; k < table->rows.count; k++) {
            found |= sw_compare_has_parameter(table->rows.items[k].planner, params->settings.items[i].key);
        }
        if (!found) {
            return table->rows.count == 1
                       ? sw_params_unknown(table->rows.items[0].planner, params->settings.items[i].key, error)
                       : sw_fail(error, SW_ERROR_USAGE, "--set %s: none of the planners has this parameter",
                                 params->settings.items[i].key);
        }
    }
    return true;
}

/* --actions must have an effect in some row. A cost model has one in all: the figure of cost. */
static bool check_params_heeded(const struct sw_cli *cli, const struct compared_table *table, struct sw_error *error) {
    for (size_t i = 0; i < table->rows.count; i++) {
        if (sw_cli_heeded(cli, &table->rows.items[i].planner, 1, true, NULL)) {
            return true;
        }
    }
    return table->rows.count == 0 || sw_cli_heeded(cli, &table->rows.items[0].planner, 1, true, error);
}

/* ---- running them ---- */

static bool finish_row(const struct sw_cli *cli, struct compared_table *table, struct compared_row *row,
                       struct sw_search *search, struct sw_error *error) {
    struct sw_result result;
    if (!sw_cli_complete(cli, search, &result, error) || !sw_figures_of(search, &row->figures, error)) {
        return false;
    }
    row->ran = true;
    row->outcome = sw_cli_outcome(&result);
    row->decisions = sw_search_known(search);
    row->stopped_at = result.stopped_at;
    row->seconds = result.seconds;
    row->optimal = result.optimal;
    row->reordered = sw_cli_reordered(search);
    uint64_t bound = sw_problem_lower_bound(table->problem);
    if (row->reordered && bound) { /* beside the others, over the bound that heads the table */
        row->figures.metrics.over_bound = (double)row->figures.metrics.peak / (double)bound - 1;
    }
    table->has_optimal |= row->optimal;
    table->has_optimal_here |= row->optimal && !row->planner->reorders;
    table->has_orders_best |= row->planner->reorders && row->optimal;
    table->has_stopped |= row->stopped_at > 0;
    table->has_migration |= row->figures.claims.has_migration;
    table->has_cost |= !isnan(row->figures.cost);
    if (row->outcome == SW_OUTCOME_FEASIBLE) {
        table->feasible = true;
        return true;
    }
    sw_summary_infeasible(&result, error);
    snprintf(row->why, sizeof row->why, "%s", error->message);
    return error->code != SW_ERROR_MEMORY;
}

/* False when nothing more can be done: no memory. A planner that does not apply is told in its row.
 */
static bool run_planner_row(struct sw_cli *cli, struct compared_table *table, struct compared_row *row) {
    struct sw_error error = {0};
    struct sw_params params = {0};
    struct sw_search *search = NULL;
    bool ok;
    row->figures.cost = row->figures.claims.cost = (double)NAN;
    if (sw_cli_interrupted()) {
        sw_fail(&error, SW_ERROR_CANCELED, "not run: interrupted");
    } else if (sw_compare_settings(&params, &cli->params, row->planner, &error)) {
        row->limited = cli->params.work == 0 && params.work == SW_PROOF_WORK;
        search = sw_search_new(table->problem, row->planner, &params, &error);
    }
    if (search) {
        if (!table->picture) { /* which is drawn from what was decided */
            sw_search_only_end(search);
        }
        ok = finish_row(cli, table, row, search, &error);
    } else {
        snprintf(row->why, sizeof row->why, "%s", error.message);
        row->unfit = error.code != SW_ERROR_CANCELED;
        ok = error.code != SW_ERROR_MEMORY && error.code != SW_ERROR_USAGE;
    }
    if (!ok) {
        sw_cli_fail(&error);
    }
    if (ok && search && table->picture) {
        sw_search_budget(search, 0, UINT64_MAX); /* its past is not wanted any more */
        row->search = search;
    } else {
        sw_search_free(search);
    }
    sw_params_done(&params);
    return ok;
}

/* ---- output ---- */

/* A line below the table; as text it is broken like the rest. */
static void put_remark_line(struct sw_sink *out, enum sw_output output, struct sw_sink *line) {
    const char *text = sw_sink_ended(line);
    out->failed |= !text;
    if (text && output == SW_OUTPUT_TEXT) {
        sw_report_wrapped(out, text, 0, 2);
    } else if (text) {
        sw_sink_printf(out, "%s\n", text);
    }
    sw_sink_done(line);
}

void sw_compare_remark(struct sw_cli_report *out, const struct sw_planner *planner, const char *why) {
    bool named = strncmp(why, planner->name, strlen(planner->name)) == 0;
    if (*why) {
        sw_put_object(&out->json, NULL);
        sw_put_text(&out->json, "planner", planner->name);
        sw_put_text(&out->json, "remark", why);
        sw_put_end(&out->json);
        struct sw_sink line = {0}, *words = out->words;
        sw_sink_printf(&line, "%s%s%s", out->output == SW_OUTPUT_MD ? "- " : "", named ? "" : planner->name,
                       named ? "" : ": ");
        out->words = &line;
        sw_report_name(out, why);
        out->words = words;
        put_remark_line(words, out->output, &line);
    }
}

/* A reference for some figure has no addresses, and so no peak. */
static bool row_has_peak(const struct compared_row *row) {
    return row->figures.metrics.single_tier && !row->figures.claims.no_addresses &&
           (row->figures.metrics.placed > 0 || row->figures.metrics.planned == 0);
}

/* A limit ended the run before every block had a place: its peak will rise, and says nothing beside
 * those of others. */
static bool ended_unfinished(const struct compared_row *row) {
    return row->stopped_at > 0 && !row->figures.metrics.complete;
}

/* What a limit did to the run, in its row; "" when none did. */
static void stop_words(const struct sw_cli_report *out, const struct compared_row *row, char text[96]) {
    *text = '\0';
    if (ended_unfinished(row)) {
        uint32_t planned = row->figures.metrics.planned;
        snprintf(text, 96, "unfinished: %s of %s", SW_COUNT(row->figures.metrics.placed),
                 out->output == SW_OUTPUT_TEXT ? SW_COUNT(planned) : SW_COUNTED(planned, "block"));
    } else if (row->stopped_at) {
        snprintf(text, 96, "stopped at %s", SW_COUNT(row->stopped_at));
    }
}

static const char *const below_reasons[] = {
    [SW_BELOW_NOT] = "",
    [SW_BELOW_MOVED] = "",
    [SW_BELOW_PERMITTED] = "is below the bound by overlaps that the graph permits",
    [SW_BELOW_ASSUMED] = "is below the bound only if operators can write over what they read",
    [SW_BELOW_WRONG] = ("IS WRONG: its plan is below the bound and lets buffers overlap that are "
                        "needed together")};

/* In the place of a percentage over the bound; a line under the table says more. */
static const char *const below_texts[] = {[SW_BELOW_NOT] = "",
                                          [SW_BELOW_MOVED] = "",
                                          [SW_BELOW_PERMITTED] = "below, ok",
                                          [SW_BELOW_ASSUMED] = "BELOW, if",
                                          [SW_BELOW_WRONG] = "BELOW: WRONG"};

/* "+" where the proof is about every order of the operators. */
static const char *proof_mark(const struct compared_table *table, const struct compared_row *row) {
    return row->optimal ? (row->planner->reorders ? "+" : "*") : table->has_optimal ? " " : "";
}

/* Bytes as the form has them: where rows have to fit into a line, many are rounded. */
static const char *compared_bytes(const struct sw_cli_report *out, uint64_t bytes, char text[32]) {
    enum { LARGEST_EXACT = 99999999 };
    if (!sw_report_is_read(out)) {
        snprintf(text, 32, "%" PRIu64, bytes);
    } else if (out->output == SW_OUTPUT_TEXT && bytes > LARGEST_EXACT) {
        sw_show_bytes_long(bytes, text);
    } else {
        sw_show_count(bytes, text);
    }
    return text;
}

/* One peak for each tier in use: "70 + 120". Of a run without a peak: "-". */
static void put_peak_cell(struct sw_cli_report *out, const struct compared_table *table,
                          const struct compared_row *row) {
    bool read = sw_report_is_read(out);
    char text[200] = "", count[32];
    for (uint32_t t = 0;
         !row->figures.metrics.single_tier && !ended_unfinished(row) && t < sw_problem_tier_count(table->problem);
         t++) {
        SW_TEXT_ADD(text, "%s%s", t ? " + " : "", compared_bytes(out, row->figures.metrics.tier_peak[t], count));
    }
    if (row->figures.metrics.single_tier && !row_has_peak(row)) {
        snprintf(text, sizeof text, "%s", read ? "-" : "");
    } else if (row->figures.metrics.single_tier) {
        snprintf(text, sizeof text, "%s%s", read && ended_unfinished(row) ? ">=" : "",
                 compared_bytes(out, row->figures.metrics.peak, count));
    }
    sw_row_words(out, "%s%s", text, read ? proof_mark(table, row) : "");
}

/* The figures, in all forms. With several tiers in use there is no single peak, and JSON has a list. */
static void put_planner_row(struct sw_cli_report *out, const struct compared_table *table,
                            const struct compared_row *row) {
    const struct sw_metrics *m = &row->figures.metrics;
    bool ran = row->ran, json = out->output == SW_OUTPUT_JSON;
    bool comparable =
        ran && m->comparable && !ended_unfinished(row) && (row_has_peak(row) || (!json && !m->single_tier));
    const char *below =
        ran && sw_report_is_read(out) && !ended_unfinished(row) && (row_has_peak(row) || !m->single_tier)
            ? below_texts[row->figures.below]
            : "";
    char words[96] = "";
    sw_row_text(out, row->planner->name);
    sw_row_truth(out, ran && row->outcome != SW_OUTCOME_UNDECIDED, row->outcome == SW_OUTCOME_FEASIBLE);
    sw_row_truth(out, ran, row->optimal);
    sw_row_known(out, ran && row_has_peak(row), m->peak);
    if (ran) {
        put_peak_cell(out, table, row);
        stop_words(out, row, words);
    } else {
        sw_row_none(out);
    }
    if (*below) {
        sw_row_words(out, "%s", below);
    } else {
        sw_row_percent(out, comparable ? m->over_bound : (double)NAN, true);
    }
    sw_row_percent(out, comparable ? m->fragmentation : (double)NAN, false);
    sw_row_text(out, *below_reasons[row->figures.below] ? below_reasons[row->figures.below] : NULL);
    if (ran && row->figures.claims.has_migration) {
        sw_row_words(out, "%s", compared_bytes(out, row->figures.claims.migration_bytes, (char[32]){0}));
    } else {
        sw_row_none(out);
    }
    sw_row_number(out, row->figures.cost);
    sw_put_list(&out->json, "tier_peaks");
    for (uint32_t t = 0; t < sw_problem_tier_count(table->problem); t++) {
        sw_put_count(&out->json, NULL, m->tier_peak[t]);
    }
    sw_put_end(&out->json);
    sw_row_truth(out, ran, m->complete);
    sw_row_known(out, ran, row->decisions);
    sw_row_known(out, row->stopped_at > 0, row->stopped_at);
    sw_row_seconds(out, ran ? row->seconds : (double)NAN);
    sw_row_words(out, "%s", words);
    sw_row_text(out, *row->why || !ran ? row->why : below_reasons[row->figures.below]);
    sw_row_truth(out, ran, m->complete);
}

/* ---- rows that say the same ---- */

/* Do the two rows differ in the planner, and in what it took, alone? */
static bool says_the_same(const struct sw_cli_report *out, const struct compared_row *a, const struct compared_row *b) {
    const struct sw_figures *x = &a->figures, *y = &b->figures;
    bool costs = (isnan(x->cost) && isnan(y->cost)) || x->cost == y->cost;
    return out->output == SW_OUTPUT_TEXT && a->ran && b->ran && !a->stopped_at && !b->stopped_at &&
           a->outcome == b->outcome && a->optimal == b->optimal && a->planner->reorders == b->planner->reorders &&
           a->reordered == b->reordered && row_has_peak(a) == row_has_peak(b) && x->below == y->below && costs &&
           x->metrics.over_bound == y->metrics.over_bound && x->metrics.fragmentation == y->metrics.fragmentation &&
           x->metrics.comparable == y->metrics.comparable && x->metrics.single_tier == y->metrics.single_tier &&
           x->claims.has_migration == y->claims.has_migration &&
           x->claims.migration_bytes == y->claims.migration_bytes &&
           memcmp(x->metrics.tier_peak, y->metrics.tier_peak, sizeof x->metrics.tier_peak) == 0;
}

/* The first row that says what this one does; how many others do goes to `others`. */
static size_t first_alike(const struct sw_cli_report *out, const struct compared_table *table, size_t row,
                          size_t *others) {
    size_t first = row;
    *others = 0;
    for (size_t i = 0; i < table->rows.count; i++) {
        if (i != row && says_the_same(out, &table->rows.items[i], &table->rows.items[row])) {
            first = SW_MIN(first, i);
            ++*others;
        }
    }
    return first;
}

/* "+6 others at 54 KiB: best-fit, auto, ..." below the row of the first. */
static void put_others(struct sw_cli_report *out, const struct compared_table *table, size_t first, size_t others) {
    const struct compared_row *row = &table->rows.items[first];
    struct sw_sink names = {0};
    for (size_t i = first + 1; i < table->rows.count; i++) {
        if (says_the_same(out, &table->rows.items[i], row)) {
            sw_sink_printf(&names, "%s%s", names.text.count ? ", " : "", table->rows.items[i].planner->name);
        }
    }
    sw_sink_add(&names, "", 1);
    out->out.failed |= names.failed;
    sw_row_note(out, "+%zu others%s%s%s: %s", others, row_has_peak(row) ? " at " : " with the same figures",
                row_has_peak(row) ? sw_show_bytes_long(row->figures.metrics.peak, (char[24]){0}) : "",
                row_has_peak(row) && row->optimal ? row->planner->reorders ? "+" : "*" : "",
                names.failed ? "" : names.text.items);
    sw_sink_done(&names);
}

/* As CSV those that did not run have a row, too. As text three rows and more that say the same are two lines. */
static void put_planner_rows(struct sw_cli_report *out, const struct compared_table *table) {
    enum { FEWEST_OTHERS = 2 };
    const struct sw_report_column columns[] = {
        {.name = "planner", .left = true, .plain = true},
        {.key = "feasible"},
        {.key = "optimal"},
        {.json = "peak"},
        {.csv = "peak", .head = table->has_optimal ? "peak " : "peak"},
        {.json = "over_bound", .csv = "over_bound_percent", .head = "over bound", .none = "-", .rank = 3},
        {.json = "fragmentation", .csv = "fragmentation_percent", .head = "fragmentation", .none = "-", .rank = 6},
        {.json = "remark", .optional = true},
        {.key = "migration_bytes", .head = table->has_migration ? "migration" : NULL, .rank = 2},
        {.key = "cost", .head = table->has_cost ? "cost" : NULL, .rank = 1},
        {.json = "complete"},
        {.name = "decisions", .rank = 4},
        {.key = "stopped_at"},
        {.name = "seconds", .rank = 5},
        {.head = table->has_stopped ? "limit" : NULL, .left = true},
        {.csv = "remark"},
        {.csv = "complete"}};
    sw_rows_begin(out, "planners", columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < table->rows.count; i++) {
        const struct compared_row *row = &table->rows.items[i];
        size_t others, first = first_alike(out, table, i, &others);
        bool folded = others >= FEWEST_OTHERS;
        if ((row->ran || out->output == SW_OUTPUT_CSV) && (!folded || first == i)) {
            put_planner_row(out, table, row);
        }
        if (folded && first == i) {
            put_others(out, table, i, others);
        }
    }
    sw_rows_end(out);
}

/* Those that do not apply, in one line; why is said when they are named. */
static void print_unfit(const struct compared_table *table, struct sw_cli_report *out) {
    struct sw_sink names = {0};
    for (size_t i = 0; i < table->rows.count; i++) {
        if (table->rows.items[i].unfit) {
            sw_sink_printf(&names, "%s%s", names.text.count ? ", " : "unsuited: ", table->rows.items[i].planner->name);
        }
    }
    sw_sink_add(&names, "", 1);
    out->out.failed |= names.failed;
    if (!names.failed && *names.text.items) {
        sw_sink_printf(out->words, "\n");
        sw_report_wrapped(out->words, names.text.items, 0, 2);
    }
    sw_sink_done(&names);
}

/* What kept each from running, or from a plan. As text those that do not apply to a file have a line together, unless
 * they were asked for by name. */
static void print_remarks(const struct sw_cli *cli, const struct compared_table *table, struct sw_cli_report *out) {
    bool first = true, together = !cli->planner && out->output == SW_OUTPUT_TEXT;
    struct sw_sink *words = out->words;
    for (size_t i = 0; i < table->rows.count; i++) {
        const struct compared_row *row = &table->rows.items[i];
        out->words = together && row->unfit ? &out->unseen : words;
        sw_sink_add(out->words, "\n", first && *row->why);
        sw_compare_remark(out, row->planner, row->why);
        first = first && (!*row->why || out->words != words);
    }
    out->words = words;
    if (together) {
        print_unfit(table, out);
    }
}

/* What the marks behind the peaks mean. */
static void print_proofs(const struct compared_table *table, bool markdown, struct sw_sink *out) {
    if (table->has_optimal_here) {
        sw_sink_printf(out, "%s proved: nothing smaller exists%s\n", markdown ? "\\*" : "*",
                       sw_problem_operator_count(table->problem) > 1 ? " in this order of the operators" : "");
    }
    if (table->has_orders_best) {
        sw_sink_printf(out, "%s+ proved: nothing smaller exists in any order of the operators%s\n",
                       markdown ? "\\" : "", table->asked ? " with what was asked for" : "");
    }
}

/* Is the row about another order of the operators, or other sizes of the buffers, than the table's lower bound? */
static const char *bound_words(const struct compared_table *table, const struct compared_row *row, char text[200]) {
    uint64_t bound = row->figures.metrics.lower_bound;
    bool same = !row->reordered && bound == sw_problem_lower_bound(table->problem);
    snprintf(text, 200, "%s %s is the bound",
             row->reordered ? "puts the operators in another order, in which"
                            : "plans other sizes of the buffers than the file has, with which",
             SW_BYTES(bound));
    return same ? "" : text;
}

/* A line for each planner of which there is something to say: about the bound, or about a peak below it. */
static void print_lines(const struct compared_table *table, enum sw_output output, struct sw_sink *out, bool below) {
    const char *separator = "\n";
    for (size_t i = 0; i < table->rows.count; i++) {
        const struct compared_row *row = &table->rows.items[i];
        const char *said = !row->ran ? ""
                           : below   ? below_reasons[row->figures.below]
                                     : bound_words(table, row, (char[200]){0});
        if (*said) {
            struct sw_sink line = {0};
            sw_sink_printf(out, "%s", separator);
            sw_sink_printf(&line, "%s %s", row->planner->name, said);
            put_remark_line(out, output, &line);
            separator = "";
        }
    }
}

/* Which rows ended at the limit that a comparison has of its own. */
static void print_limit(const struct compared_table *table, enum sw_output output, struct sw_sink *out) {
    struct sw_sink line = {0};
    size_t count = 0;
    for (size_t i = 0; i < table->rows.count; i++) {
        const struct compared_row *row = &table->rows.items[i];
        if (row->ran && row->limited && row->stopped_at > 0) {
            sw_sink_printf(&line, "%s%s", count++ ? ", " : "", row->planner->name);
        }
    }
    if (count > 0) {
        sw_sink_printf(out, "\n");
        sw_sink_printf(&line, ": stopped after %s units of work, the limit of a comparison; --work N sets another",
                       SW_COUNT(SW_PROOF_WORK));
        put_remark_line(out, output, &line);
    }
}

static void print_head(const struct compared_table *table, struct sw_cli_report *report) {
    uint64_t bound = sw_problem_lower_bound(table->problem);
    uint32_t planned = sw_problem_planned_count(table->problem);
    sw_report_about(report, table->problem);
    SW_PUT_COUNTS(&report->json, {"buffers", planned}, {"lower_bound", bound},
                  {"naive", sw_problem_naive(table->problem)});
    sw_sink_printf(report->words, ": %s, lower bound %s", SW_COUNTED(planned, "buffer"), SW_BYTES(bound));
    if (bound >= 1024) {
        sw_sink_printf(report->words, " (%s)", sw_show_bytes_long(bound, (char[24]){0}));
    }
    sw_sink_printf(report->words, "\n\n");
}

static int print_compared(const struct sw_cli *cli, const struct compared_table *table, enum sw_output output) {
    struct sw_cli_report report;
    struct sw_json_out *json = &report.json;
    sw_cli_report_start(&report, output);
    print_head(table, &report);
    put_planner_rows(&report, table);
    if (table->has_optimal) {
        sw_sink_printf(report.words, "\n");
        print_proofs(table, output == SW_OUTPUT_MD, report.words);
    }
    print_limit(table, report.output, report.words);
    print_lines(table, report.output, report.words, false);
    print_lines(table, report.output, report.words, true);
    sw_put_list(json, "remarks");
    sw_put_lines(json);
    print_remarks(cli, table, &report);
    sw_put_end(json);
    sw_put_end(json);
    return sw_cli_report_finish(cli, &report, table->feasible ? 0 : 1);
}

/* ---- as a picture ---- */

static bool draw_maps(const struct sw_cli *cli, const struct compared_table *table, struct sw_error *error) {
    struct sw_compare_run *runs = SW_NEW_ZERO(struct sw_compare_run, table->rows.count);
    struct sw_compare_page all = {.problem = table->problem,
                                  .input_name = cli->files[0],
                                  .input_digest = table->digest,
                                  .runs = runs,
                                  .count = table->rows.count,
                                  .none_fits = !table->feasible,
                                  .own_work = cli->params.work ? 0 : SW_PROOF_WORK};
    if (!runs) {
        return sw_fail_memory(error);
    }
    for (size_t i = 0; i < table->rows.count; i++) {
        const struct compared_row *row = &table->rows.items[i];
        runs[i] = (struct sw_compare_run){.planner = row->planner->name,
                                          .search = row->search,
                                          .why = row->why,
                                          .optimal = row->optimal,
                                          .stopped_at = row->stopped_at,
                                          .cost = row->figures.cost};
    }
    struct sw_scene scene = {0};
    if (!sw_coloring_suits(table->problem, cli->coloring, error)) {
        SW_FREE(runs, table->rows.count);
        return false;
    }
    all.page = sw_picture_page(cli, table->problem);
    sw_view_multiples(&all, &scene);
    bool good = sw_picture_write(cli, &scene, error);
    SW_FREE(runs, table->rows.count);
    return good;
}

static int draw_compared(struct sw_cli *cli, const struct compared_table *table) {
    struct sw_error error = {0};
    bool curves = cli->view && strcmp(cli->view, "convergence") == 0;
    if (!(cli->seeds > 0 ? sw_compare_seed_curves(cli, table, &error)
          : curves       ? sw_compare_curves(cli, table, &error)
                         : draw_maps(cli, table, &error))) {
        return sw_cli_fail(&error);
    }
    return cli->seeds > 0 || table->feasible /* else the table would have said it */
               ? 0
               : sw_cli_tell(SW_ERROR_INFEASIBLE, NULL, "none of the planners found a plan that fits");
}

/* A picture shows maps or curves; every other view says the same for every planner, or speaks of
 * one. */
static bool check_view(const struct sw_cli *cli, struct sw_error *error) {
    bool curves = cli->seeds > 0 || (cli->view && strcmp(cli->view, "convergence") == 0);
    if (cli->coloring && curves) {
        return sw_fail(error, SW_ERROR_USAGE, "--color-by: the view 'convergence' has no map of blocks");
    }
    if (!cli->view || strcmp(cli->view, "convergence") == 0 || (strcmp(cli->view, "layout") == 0 && cli->seeds == 0)) {
        return true;
    }
    return sw_fail(error, SW_ERROR_USAGE,
                   cli->seeds ? "--view %s: runs over seeds are drawn as convergence"
                              : "--view %s: planners are compared as layout or convergence",
                   cli->view);
}

static void free_table(struct compared_table *table) {
    for (size_t i = 0; i < table->rows.count; i++) {
        sw_search_free(table->rows.items[i].search);
    }
    SW_ARRAY_DONE(&table->rows);
}

int sw_cli_compare(struct sw_cli *cli) {
    struct compared_table table = {0};
    struct sw_error error = {0};
    enum sw_output output;
    int status = 2;
    if (!sw_picture_asked(cli, &table.picture, &error) || (table.picture && !check_view(cli, &error)) ||
        !sw_cli_output(cli, &output, &error) ||
        !(cli->seeds > 0 ? add_rivals(&table, cli->planner, &error)
          : cli->planner ? add_named(&table, cli->planner, &error)
                         : add_all_planners(&table, &error)) ||
        !check_compared_settings(&table, &cli->params, &error) || !check_params_heeded(cli, &table, &error)) {
        SW_ARRAY_DONE(&table.rows);
        return sw_cli_fail(&error);
    }
    struct sw_problem *problem = sw_cli_load(cli, &table.digest);
    table.problem = problem;
    table.asked = sw_params_given(&cli->params, "before") || sw_params_given(&cli->params, "together");
    bool ok = problem != NULL;
    if (ok && !cli->planner && cli->seeds == 0 && !table.picture && sw_problem_told_requests(problem)) {
        status = sw_compare_requests(cli, problem, output);
        ok = false;
    } else if (!cli->planner && cli->seeds == 0) {
        drop_unnamed(&table);
    }
    for (size_t i = 0; ok && cli->seeds == 0 && i < table.rows.count; i++) {
        ok = run_planner_row(cli, &table, &table.rows.items[i]);
    }
    if (ok && table.picture) {
        status = draw_compared(cli, &table);
    } else if (ok && cli->seeds > 0) {
        status = sw_compare_seeds(cli, problem, output);
    } else if (ok) {
        status = print_compared(cli, &table, output);
    }
    free_table(&table);
    sw_problem_unref(problem);
    return status;
}
