/* stowage compare of a file that tells requests: a row per online allocator, each from an empty heap, and below them
 * what a planner makes of the same requests when it knows all of them beforehand. */
#include "cli/shared/output.h"
#include "base/base.h"
#include "cli/shared/run.h"
#include "cli/allocators/served.h"
#include "cli/subcommands/compare.h"

enum { WASTE = 5 }; /* kinds of it: rounding, unsplit, waiting, holes, cached */
struct allocator_row {
    const struct sw_planner *planner;
    bool ran;
    struct sw_served served;
    uint64_t waste[WASTE], allocated, requested; /* at the peak of what is reserved */
    char settings[700];
    char why[sizeof((struct sw_error *)0)->message];
};
struct allocator_table {
    const struct sw_problem *problem;
    /* Of a trace: what its planner did, which is no allocator that can be run again. */
    bool has_recorded;
    char recorder[SW_PLANNER_LABEL];
    struct sw_served recorded; /* grown: times that the peak rose */
    const struct sw_planner
        *own; /* the file's own allocator: it has the first row, and the bound counts sizes as it rounds them */
    SW_ARRAY(struct allocator_row) rows;
    struct sw_problem *known; /* the same requests as buffers with lifetimes; NULL: not made */
    bool planned, optimal;    /* the planner found a plan; nothing smaller exists */
    uint64_t peak;
    const struct sw_planner *planner;
    char why[sizeof((struct sw_error *)0)->message];
};

/* ---- what is compared ---- */

/* The allocator of the file is the first. */
static bool add_allocators(struct allocator_table *table) {
    for (int others = 0; others < 2; others++) {
        for (size_t i = 0; i < sw_planner_built_in_count(); i++) {
            const struct sw_planner *planner = sw_planner_get(i);
            bool other = planner != table->own;
            if (sw_online_kind(planner) && other == others &&
                !SW_PUSH(&table->rows, (struct allocator_row){.planner = planner})) {
                return false;
            }
        }
    }
    return true;
}

/* What the user sets, and else the settings that the file recorded of this allocator; the run begins empty, with all
 * that was alive before. */
static bool settings_of_row(const struct sw_cli *cli, struct allocator_row *row, const struct sw_requests *told,
                            struct sw_params *params, struct sw_error *error) {
    bool recorded = *told->settings && strcmp(row->planner->name, told->allocator) == 0 &&
                    sw_compare_has_parameter(row->planner, "conf") && !sw_params_given(&cli->params, "conf");
    if (!sw_served_settings(cli, row->planner, params, error) ||
        (recorded && !sw_params_set(params, "conf", told->settings, error)) ||
        !sw_params_check(params, row->planner, error)) {
        return false;
    }
    for (size_t i = 0, used = 0; i < params->settings.count; i++) {
        const struct sw_setting *setting = &params->settings.items[i];
        if (strcmp(setting->key, "start") != 0 || sw_params_given(&cli->params, "start")) {
            bool conf = strcmp(setting->key, "conf") == 0;
            int length = snprintf(row->settings + used, sizeof row->settings - used, "%s%s%s%s", used ? "," : "",
                                  conf ? "" : setting->key, conf ? "" : "=", setting->value);
            used += length > 0 && (size_t)length < sizeof row->settings - used ? (size_t)length : 0;
        }
    }
    return true;
}

/* ---- the reference ---- */

/* Buffers with the rounded sizes that this heap gives them: alive from the request for them until they are given back.
 * Time moves on where a request for memory comes after something was given back, so that there are few steps. */
static struct sw_problem *known_beforehand(const struct sw_problem *problem, const struct sw_online_look *look,
                                           struct sw_error *error) {
    const struct sw_requests *requests = look->requests;
    uint32_t count = sw_problem_buffer_count(problem), time = 0;
    uint32_t *born = SW_NEW(uint32_t, 2 * (size_t)count + 1), *gone = born ? born + count : NULL;
    struct sw_builder *builder = born || sw_fail_memory(error) ? sw_builder_new(error) : NULL;
    bool good = builder && sw_builder_name(builder, sw_problem_name(problem), error), freed = false;
    for (uint32_t i = 0; good && i < count; i++) {
        born[i] = gone[i] = SW_NONE;
    }
    for (size_t i = 0; good && i < requests->items.count; i++) {
        const struct sw_request *request = &requests->items.items[i];
        if (request->kind == SW_REQUEST_OVER && gone[request->over] == SW_NONE) {
            gone[request->over] = time++; /* what is written in its place comes behind it */
        }
        if (request->kind == SW_REQUEST_ALLOC || request->kind == SW_REQUEST_OVER) {
            time += freed;
            freed = false;
            born[request->buffer] = time;
        } else if ((request->kind == SW_REQUEST_FREE || request->kind == SW_REQUEST_FREE_COMPLETED) &&
                   request->buffer != SW_NONE && born[request->buffer] != SW_NONE && gone[request->buffer] == SW_NONE) {
            gone[request->buffer] = time;
            freed = true;
        }
    }
    for (uint32_t i = 0; good && i < count; i++) {
        const struct sw_buffer *b = sw_problem_buffer(problem, i);
        const char *reason = "";
        if (born[i] != SW_NONE && b->size > 0) {
            good = sw_builder_buffer(
                builder,
                &(struct sw_buffer_spec){.name = b->name,
                                         .kind = SW_KIND_INTERMEDIATE,
                                         .has_size = true,
                                         .size = look->heap->kind->round(look->heap, b->asked, &reason),
                                         .has_first = true,
                                         .has_last = true,
                                         .first = born[i],
                                         .last = gone[i] == SW_NONE ? time : gone[i]},
                error);
        }
    }
    struct sw_problem *known = good ? sw_builder_finish(builder, error) : NULL;
    sw_builder_free(builder);
    SW_FREE(born, 2 * (size_t)count + 1);
    return known;
}

/* False: no memory; what else goes wrong is said below the table. */
static bool plan_beforehand(struct sw_cli *cli, struct allocator_table *table, struct sw_error *error) {
    struct sw_params params = {0};
    struct sw_result result;
    struct sw_search *search = NULL;
    table->planner = sw_planner_find("auto", error);
    bool good = table->planner && sw_compare_settings(&params, &cli->params, table->planner, error) &&
                (search = sw_search_new(table->known, table->planner, &params, error)) &&
                (sw_search_only_end(search), sw_cli_complete(cli, search, &result, error));
    if (good) {
        struct sw_metrics metrics;
        sw_metrics_of(result.layout, &metrics);
        table->planned = metrics.complete;
        table->peak = metrics.peak;
        table->optimal = result.optimal;
    }
    sw_search_free(search);
    sw_params_done(&params);
    return good;
}

/* ---- running ---- */

static bool count_growth(void *context, const struct sw_search *search, const struct sw_decision *d) {
    struct sw_served *recorded = context;
    (void)search;
    recorded->grown += d->peak > d->peak_before;
    return sw_cli_interrupted();
}

/* The run that a trace tells, as far as it goes. False: no memory. */
static bool run_recorded(struct allocator_table *table, struct sw_error *error) {
    struct sw_metrics metrics;
    if (!sw_problem_recording(table->problem)) {
        return true;
    }
    const struct sw_planner *planner = sw_planner_find("recorded", error);
    struct sw_search *search = planner ? sw_search_new(table->problem, planner, NULL, error) : NULL;
    if (search) {
        sw_search_only_end(search);
        enum sw_step step = sw_search_run(search, 0, count_growth, &table->recorded, error);
        snprintf(table->recorder, sizeof table->recorder, "%s", sw_search_label(search, (char[SW_PLANNER_LABEL]){0}));
        sw_metrics_of(sw_search_layout(search), &metrics);
        table->has_recorded = step == SW_STEP_DONE || error->code == SW_ERROR_INFEASIBLE;
        table->recorded.reserved = metrics.peak;
        table->recorded.allocated = metrics.lower_bound;
    }
    sw_search_free(search);
    return error->code != SW_ERROR_MEMORY;
}

/* The first row that runs says which requests there are. */
static bool look_at_peak(struct allocator_table *table, struct allocator_row *row, const struct sw_params *params,
                         struct sw_error *error) {
    struct sw_online_look look;
    struct sw_search *search = sw_serve_to_peak(table->problem, params, &row->served, error);
    if (!search) {
        return false;
    }
    sw_served_look(search, &look);
    struct sw_heap_waste waste;
    sw_heap_waste(look.heap, 0, &waste);
    const uint64_t kinds[WASTE] = {waste.rounding, waste.unsplit, waste.waiting, waste.holes + waste.small_holes,
                                   waste.cached};
    memcpy(row->waste, kinds, sizeof kinds);
    row->allocated = look.heap->allocated;
    row->requested = look.heap->requested;
    bool good = table->known || (table->known = known_beforehand(table->problem, &look, error));
    sw_search_free(search);
    return good;
}

static bool serve_row(const struct sw_cli *cli, struct allocator_table *table, struct allocator_row *row,
                      struct sw_error *error) {
    struct sw_params params = {0};
    bool good = settings_of_row(cli, row, sw_problem_told_requests(table->problem), &params, error) &&
                sw_serve(table->problem, row->planner, &params, &row->served, error) &&
                look_at_peak(table, row, &params, error);
    row->ran = good;
    sw_params_done(&params);
    if (!good && error->code != SW_ERROR_MEMORY && error->code != SW_ERROR_USAGE) {
        snprintf(row->why, sizeof row->why, "%s",
                 error->code == SW_ERROR_CANCELED ? "not run: interrupted" : error->message);
        good = true;
    }
    return good;
}

static bool serve_allocators(struct sw_cli *cli, struct allocator_table *table, struct sw_error *error) {
    struct sw_tally tally = sw_tally_start(cli, "comparing: allocator");
    bool good = run_recorded(table, error);
    for (size_t i = 0; good && i < table->rows.count; i++) {
        if (!sw_tally_go_on(&tally, i, table->rows.count)) {
            snprintf(table->rows.items[i].why, sizeof table->rows.items[i].why, "not run: interrupted");
        } else {
            *error = (struct sw_error){0};
            good = serve_row(cli, table, &table->rows.items[i], error);
        }
    }
    sw_tally_end(&tally);
    if (good && table->known && !sw_cli_interrupted() && !plan_beforehand(cli, table, error)) {
        snprintf(table->why, sizeof table->why, "%s", error->message);
        good = error->code != SW_ERROR_MEMORY;
    }
    return good;
}

/* ---- output ---- */

static void put_references(const struct allocator_table *table, struct sw_json_out *json) {
    if (table->has_recorded) {
        sw_put_object(json, "recorded");
        sw_put_text(json, "planner", table->recorder);
        SW_PUT_COUNTS(json, {"reserved", table->recorded.reserved}, {"grown", table->recorded.grown});
        sw_put_end(json);
    } else {
        sw_put_null(json, "recorded");
    }
    if (table->planned) {
        sw_put_object(json, "offline");
        sw_put_text(json, "planner", table->planner->name);
        SW_PUT_COUNTS(json, {"peak", table->peak}, {"lower_bound", sw_problem_lower_bound(table->known)});
        sw_put_truth(json, "optimal", table->optimal);
        sw_put_end(json);
    } else {
        sw_put_null(json, "offline");
    }
}

/* What only an allocator has, which JSON tells in full. */
static void put_allocator_json(const struct allocator_row *row, struct sw_json_out *json) {
    const uint64_t *waste = row->waste;
    sw_put_text(json, "settings", row->settings);
    sw_served_put(&row->served, json);
    sw_put_object(json, "at_peak");
    SW_PUT_COUNTS(json, {"allocated", row->allocated}, {"requested", row->requested}, {"rounding", waste[0]},
                  {"unsplit", waste[1]}, {"waiting", waste[2]}, {"holes", waste[3]}, {"cached", waste[4]});
    sw_put_end(json);
}

/* Of what was planned offline nothing was served, and only an allocator (else NULL) has a waste, which is short where
 * all of it in full would be too wide. */
static void put_request_row(struct sw_cli_report *out, const char *name, uint64_t reserved,
                            const struct sw_served *served, const struct allocator_row *allocator, bool brief) {
    sw_row_text(out, name);
    if (allocator) {
        put_allocator_json(allocator, &out->json);
    }
    sw_row_count(out, reserved);
    sw_row_percent(out, served ? sw_served_over(served) : (double)NAN, true);
    for (size_t k = 0; k < WASTE; k++) {
        if (allocator && brief && allocator->waste[k] > 0) {
            sw_row_words(out, "%s", sw_show_bytes_long(allocator->waste[k], (char[24]){0}));
        } else {
            sw_row_known(out, allocator, allocator ? allocator->waste[k] : 0);
        }
    }
    sw_row_known(out, served, served ? served->grown : 0);
    SW_ROW_COUNTS(out, allocator, served ? served->releases : 0, served ? served->ooms : 0);
}

/* In full such figures would leave no room for other columns. */
static bool wastes_much(const struct allocator_table *table) {
    enum { MUCH = 100000 };
    bool much = false;
    for (size_t i = 0; i < table->rows.count; i++) {
        for (size_t k = 0; k < WASTE; k++) {
            much |= table->rows.items[i].ran && table->rows.items[i].waste[k] >= MUCH;
        }
    }
    return much;
}

/* JSON has the references beside the list. */
static void put_request_rows(const struct allocator_table *table, bool brief, struct sw_cli_report *out) {
    static const struct sw_report_column columns[] = {{.key = "planner", .head = "allocator", .left = true},
                                                      {.csv = "reserved", .head = "peak reserved"},
                                                      {.csv = "over_allocated_percent", .head = "over"},
                                                      {.csv = "rounding", .head = "rounding"},
                                                      {.csv = "unsplit", .head = "unsplit", .rank = 2},
                                                      {.csv = "waiting", .head = "waits", .rank = 1},
                                                      {.csv = "holes", .head = "holes"},
                                                      {.csv = "cached", .head = "cached"},
                                                      {.csv = "grown", .head = "growths", .rank = 3},
                                                      {.csv = "releases", .head = "releases", .rank = 4},
                                                      {.csv = "ooms", .head = "refused"}};
    bool csv = out->output == SW_OUTPUT_CSV, json = out->output == SW_OUTPUT_JSON;
    sw_rows_begin(out, "allocators", columns, sizeof columns / sizeof *columns);
    if (table->has_recorded && !json) {
        put_request_row(out, csv ? "recorded" : table->recorder, table->recorded.reserved, &table->recorded, NULL,
                        brief);
    }
    for (size_t i = 0; i < table->rows.count; i++) {
        const struct allocator_row *row = &table->rows.items[i];
        if (row->ran) {
            put_request_row(out, row->planner->name, row->served.reserved, &row->served, row, brief);
        }
    }
    if (table->planned && !json) {
        put_request_row(out, csv ? "offline" : "offline plan", table->peak, NULL, NULL, brief);
    }
    sw_rows_end(out);
}

/* What the log itself says, where it leaves requests out. */
static void put_log(const struct allocator_table *table, const char *edge, struct sw_sink *out) {
    const struct sw_requests *told = sw_problem_told_requests(table->problem);
    uint64_t regions = 0, bytes = 0, most = 0;
    for (size_t i = 0; i < told->items.count; i++) {
        const struct sw_request *request = &told->items.items[i];
        bool made = request->kind == SW_REQUEST_SEGMENT_MADE, gone = request->kind == SW_REQUEST_SEGMENT_GONE;
        regions += made && request->address != SW_NO_ADDRESS;
        bytes += made ? request->size : gone ? -request->size : 0;
        most = bytes > most ? bytes : most;
    }
    if (told->partial) {
        sw_sink_printf(
            out,
            "%sthe log says that %s %s reserved, after %s; it tells only the requests that grew it, which are "
            "all that is served here\n",
            edge, SW_BYTES(most), most == 1 ? "was" : "were", SW_COUNTED(regions, "growth"));
    }
}

/* What the rows are, and what the offline plan says. */
static void put_notes(const struct allocator_table *table, struct sw_cli_report *report) {
    struct sw_sink *out = report->words;
    const char *edge = report->output == SW_OUTPUT_MD ? "- " : "";
    for (size_t i = 0; i < table->rows.count; i++) {
        const struct allocator_row *row = &table->rows.items[i];
        if (*row->settings && row->ran) {
            sw_sink_printf(out, "%s%s: with ", edge, row->planner->name);
            sw_report_name(report, row->settings);
            sw_sink_printf(out, "\n");
        }
    }
    put_log(table, edge, out);
    if (table->planned) {
        uint64_t bound = sw_problem_lower_bound(table->known);
        sw_sink_printf(out,
                       "%soffline plan: %s knows all requests beforehand and puts them into one arena; with the sizes "
                       "that %s rounds to ",
                       edge, table->planner->name,
                       table->rows.items[0].planner->name); /* another one may round to less */
        sw_sink_printf(out, table->peak == bound ? "nothing smaller exists\n" : "nothing is smaller than %s\n",
                       SW_BYTES(bound));
    } else if (*table->why) {
        sw_sink_printf(out, "%sno offline plan: ", edge);
        sw_sink_text(out, table->why);
        sw_sink_printf(out, "\n");
    }
}

static void put_compared_requests(const struct allocator_table *table, struct sw_cli_report *report) {
    struct sw_json_out *json = &report->json;
    const struct allocator_row *first = &table->rows.items[0];
    sw_report_about(report, table->problem);
    SW_PUT_COUNTS(json, {"requests", first->served.allocs}, {"lower_bound_rounded", first->served.lower_bound});
    sw_sink_printf(report->words, ": %s from an empty heap, lower bound %s, as %s rounds sizes\n\n",
                   SW_COUNTED(first->served.allocs, "request"), SW_BYTES(first->served.lower_bound),
                   first->planner->name);
    put_request_rows(table, report->output == SW_OUTPUT_TEXT && wastes_much(table), report);
    put_references(table, json);
    sw_sink_printf(
        report->words,
        "\nover: the peak reserved over the peak allocated. rounding to cached: where the\nbytes are that are "
        "reserved and not asked for when the peak is reached first;\ncached are segments that are wholly "
        "free.\n\n");
    put_notes(table, report);
    sw_put_list(json, "remarks");
    sw_put_lines(json);
    for (size_t i = 0; i < table->rows.count; i++) {
        sw_compare_remark(report, table->rows.items[i].planner, table->rows.items[i].why);
    }
    sw_put_end(json);
    sw_put_end(json);
}

int sw_compare_requests(struct sw_cli *cli, const struct sw_problem *problem, enum sw_output output) {
    struct allocator_table table = {.problem = problem};
    struct sw_error error = {0};
    struct sw_cli_report out;
    int status = 2;
    if (sw_problem_goes_on(problem)) {
        return sw_cli_tell(SW_ERROR_UNSUPPORTED, cli->files[0],
                           "requests that follow a moment have the rules of its allocator: no other serves them; "
                           "stowage plan with --set tries other settings");
    }
    table.own = sw_served_own(problem, &error);
    bool good =
        table.own && (add_allocators(&table) || sw_fail_memory(&error)) && serve_allocators(cli, &table, &error);
    if (!good) {
        sw_cli_fail(&error);
    } else {
        status = 1;
        for (size_t i = 0; i < table.rows.count; i++) {
            status = table.rows.items[i].ran && table.rows.items[i].served.ooms == 0 ? 0 : status;
        }
        sw_cli_report_start(&out, output);
        put_compared_requests(&table, &out);
        status = sw_cli_report_finish(cli, &out, status);
    }
    sw_problem_unref(table.known);
    SW_ARRAY_DONE(&table.rows);
    return status;
}
