/* The summary of a run: the contract's JSON, a row of CSV, and a page for a person. */
#include "base/base.h"
#include "cli/orders/order_parts.h"
#include "cli/shared/run.h"
#include "cli/shared/summary.h"
#include "formats/plans/finished_plan.h"
#include "formats/tflite/tflite_model.h"
#include "planners/planner.h"
#include "view/facts.h"
#include "view/blame/misfit.h"
#include "search/broken.h"

enum { MOST_ASSUMED = 20 }; /* of a list for a person */

struct run_told {
    const struct sw_cli *cli;
    const struct sw_result *result;
    const struct sw_search *search;
    const struct sw_problem *problem; /* of its layout */
    struct sw_metrics metrics;
    struct sw_claims claims;
};

/* ---- times: files and people see raw time ---- */

static int64_t raw_last(const struct sw_problem *problem, uint32_t step) {
    return sw_problem_time(problem, step + 1) - 1;
}

static const char *named_buffer(const struct sw_problem *problem, uint32_t buffer) {
    return sw_problem_buffer(problem, buffer)->name;
}

static const char *named_tier(const struct sw_problem *problem, uint32_t tier) {
    return sw_problem_tier(problem, tier)->name;
}

/* One peak for all: of one tier in use, and not of a reference that places nothing. */
static bool peak_is_told(const struct run_told *run) {
    const struct sw_metrics *m = &run->metrics;
    return m->single_tier && !(run->claims.no_addresses && m->placed == 0 && m->planned > 0);
}

/* ---- what does not fit ---- */

/* A report for sw_layout_check that keeps the first fault. */
static void keep_first(void *context, const struct sw_fault *fault) {
    struct sw_fault *first = context;
    if (first->buffer == SW_NONE) {
        *first = *fault;
    }
}

static bool fail_fault(const struct sw_result *result, bool recorded, struct sw_error *error) {
    struct sw_fault first = {.buffer = SW_NONE};
    char text[2048];
    size_t count;
    if (!(recorded ? sw_search_broken(result->search, &count, &first)
                   : sw_search_check(result->search, &count, NULL, keep_first, &first))) {
        return !sw_fail_memory(error);
    }
    if (count == 0) {
        return false;
    }
    sw_fault_describe(sw_layout_problem(result->layout), &first, text, sizeof text);
    return !sw_fail(error, SW_ERROR_INFEASIBLE, "infeasible: %s%s", text, count > 1 ? ", and more faults" : "");
}

void sw_summary_infeasible(const struct sw_result *result, struct sw_error *error) {
    struct sw_misfit misfit;
    struct sw_error why = {0};
    bool found;
    if (sw_search_failed(result->search, &why)) {
        sw_fail(error, SW_ERROR_INFEASIBLE, "infeasible: %s", why.message);
        return;
    }
    if (!sw_misfit_of(result->search, &misfit, &found)) {
        sw_fail_memory(error);
        return;
    }
    if (!found) {
        bool recorded = sw_search_planner(result->search)->needs & SW_NEEDS_RECORDING;
        bool stopped = result->stopped_at || !recorded;
        if (!result->stopped_at && fail_fault(result, recorded, error)) {
            return;
        }
        sw_fail(error, SW_ERROR_INFEASIBLE, "undecided: %s at decision %" PRIu64 " before every buffer had a place",
                stopped ? "stopped" : "the recorded run breaks off",
                stopped ? result->stopped_at : sw_search_known(result->search));
        return;
    }
    const struct sw_problem *problem = sw_layout_problem(result->layout);
    char others[96] = "";
    if (misfit.blocks > 1) {
        snprintf(others, sizeof others, "; %" PRIu32 " blocks end above that, the highest at %" PRIu64, misfit.blocks,
                 misfit.top);
    }
    sw_fail(error, SW_ERROR_INFEASIBLE, "infeasible: %s does not fit into %s: %s required, %s available, %s too many%s",
            named_buffer(problem, misfit.buffer), named_tier(problem, misfit.tier), SW_BYTES(misfit.required),
            SW_BYTES(misfit.available), SW_BYTES(misfit.excess), others);
}

int sw_summary_verdict(const struct sw_search *search, struct sw_error *error) {
    struct sw_result result = {.search = search, .layout = sw_search_layout(search)};
    if (!sw_cli_figures(&result, error)) {
        return 2;
    }
    int status = sw_cli_status(&result);
    if (status) {
        sw_summary_infeasible(&result, error);
    }
    return error->code == SW_ERROR_MEMORY ? 2 : status;
}

/* ---- JSON ---- */

static void put_tiers(const struct run_told *run, struct sw_json_out *json) {
    sw_put_list(json, "tiers");
    for (uint32_t t = 0; t < sw_problem_tier_count(run->problem); t++) {
        const struct sw_tier *tier = sw_problem_tier(run->problem, t);
        sw_put_object(json, NULL);
        sw_put_text(json, "name", tier->name);
        sw_put_known(json, "capacity", tier->capacity != SW_UNBOUNDED, tier->capacity);
        sw_put_count(json, "peak", run->metrics.tier_peak[t]);
        sw_put_end(json);
    }
    sw_put_end(json);
}

/* lifetime-best-fit: the lifetimes its first step derived. With keep_outputs=false a network output
 * dies like any other buffer. */
static void put_lifetimes(const struct run_told *run, struct sw_json_out *json) {
    bool keep = sw_params_bool(sw_search_params(run->search), sw_search_planner(run->search), "keep_outputs");
    sw_put_object(json, "life");
    for (uint32_t b = 0; b < sw_problem_buffer_count(run->problem); b++) {
        const struct sw_buffer *buffer = sw_problem_buffer(run->problem, b);
        bool shortened = !keep && buffer->output && !buffer->lifetime_given;
        if (buffer->planned) {
            sw_put_list(json, buffer->name);
            sw_put_time(json, NULL, sw_problem_time(run->problem, buffer->first));
            sw_put_time(json, NULL,
                        raw_last(run->problem, !shortened             ? buffer->last
                                               : buffer->access_count ? buffer->accesses[buffer->access_count - 1]
                                                                      : buffer->first));
            sw_put_end(json);
        }
    }
    sw_put_end(json);
}

static void put_misfit(const struct run_told *run, const struct sw_misfit *misfit, struct sw_json_out *json) {
    sw_put_object(json, "does_not_fit");
    sw_put_text(json, "buffer", named_buffer(run->problem, misfit->buffer));
    sw_put_text(json, "tier", misfit->tier == SW_NONE ? NULL : named_tier(run->problem, misfit->tier));
    sw_put_time(json, "time", sw_problem_time(run->problem, misfit->time));
    SW_PUT_COUNTS(json, {"required", misfit->required}, {"available", misfit->available}, {"excess", misfit->excess});
    sw_put_known(json, "largest_hole", misfit->has_hole, misfit->hole);
    if (misfit->blocks) {
        sw_put_count(json, "blocks", misfit->blocks);
    }
    sw_put_end(json);
}

/* ---- figures of a planner's own ---- */

static void put_detail_value(const struct sw_detail *detail, const char *key, struct sw_json_out *json) {
    if (detail->word) {
        sw_put_text(json, key, detail->name);
    } else if (detail->none) {
        sw_put_null(json, key);
    } else if (detail->truth) {
        sw_put_truth(json, key, detail->integer);
    } else if (detail->whole) {
        sw_put_time(json, key, detail->integer);
    } else {
        sw_put_number(json, key, detail->number);
    }
}

/* Everything under the key of item `first`: a number, a map by name or by buffer, or a list. */
static void put_detail(const struct run_told *run, const struct sw_details *details, size_t first,
                       struct sw_json_out *json) {
    const struct sw_detail *head = &details->items.items[first];
    bool map = !head->list && (head->name || head->buffer != SW_NONE);
    if (!map && !head->list) {
        put_detail_value(head, head->key, json);
        return;
    }
    (map ? sw_put_object : sw_put_list)(json, head->key);
    for (size_t i = first; i < details->items.count; i++) {
        const struct sw_detail *detail = &details->items.items[i];
        if (strcmp(detail->key, head->key) == 0) {
            put_detail_value(detail,
                             !map           ? NULL
                             : detail->name ? detail->name
                                            : named_buffer(run->problem, detail->buffer),
                             json);
        }
    }
    sw_put_end(json);
}

static bool seen_before(const struct sw_details *details, size_t item) {
    size_t i = 0;
    while (i < item && strcmp(details->items.items[i].key, details->items.items[item].key) != 0) {
        i++;
    }
    return i < item;
}

/* The keys in the order in which the planner named them first. Members of one key mostly follow
 * each other, and those after the first are passed over without looking back. */
static void put_own(const struct run_told *run, const struct sw_details *details, struct sw_json_out *json) {
    for (size_t i = 0; i < details->items.count; i++) {
        const char *key = details->items.items[i].key;
        if ((i == 0 || strcmp(key, details->items.items[i - 1].key) != 0) && !seen_before(details, i)) {
            put_detail(run, details, i, json);
        }
    }
}

static void put_details(const struct run_told *run, struct sw_json_out *json) {
    struct sw_misfit misfit;
    struct sw_error error = {0};
    struct sw_details details = {0};
    struct sw_sink *out = json->out;
    bool life = sw_search_planner(run->search)->derives_lives, found = false;
    bool infeasible = sw_cli_outcome(run->result) == SW_OUTCOME_INFEASIBLE;
    out->failed |= !sw_search_details(run->search, &details);
    if (!life && !infeasible && !run->cli->bounds && details.items.count == 0) {
        sw_details_done(&details);
        sw_put_null(json, "details");
        return;
    }
    sw_put_object(json, "details");
    if (life) {
        put_lifetimes(run, json);
    }
    put_own(run, &details, json);
    sw_details_done(&details);
    if (run->cli->bounds) {
        sw_cli_bounds_json(run->result, json);
    }
    if (infeasible) {
        sw_summary_infeasible(run->result, &error);
        out->failed |= error.code == SW_ERROR_MEMORY;
        sw_put_text(json, "reason", error.message);
    }
    if (infeasible && !(found = sw_misfit_unplaced(run->search, &misfit))) {
        out->failed |= !sw_misfit_of(run->search, &misfit, &found);
    }
    if (found && !out->failed) {
        put_misfit(run, &misfit, json);
    }
    sw_put_end(json);
}

/* Only where the peak is below the bound: what lets it. */
static void put_below(const struct sw_search *search, struct sw_json_out *json) {
    static const char *const words[] = {[SW_BELOW_NOT] = NULL,
                                        [SW_BELOW_MOVED] = "moved",
                                        [SW_BELOW_PERMITTED] = "permitted",
                                        [SW_BELOW_ASSUMED] = "assumed",
                                        [SW_BELOW_WRONG] = "wrong"};
    enum sw_below below;
    if (!sw_search_below(search, &below)) {
        json->out->failed = true;
    } else if (words[below]) {
        sw_put_text(json, "below_bound", words[below]);
    }
}

/* What a model has beside what is planned. */
static void put_beside(const struct run_told *run, struct sw_json_out *json) {
    uint64_t built;
    if (sw_problem_outside(run->problem) > 0) {
        sw_put_count(json, "outside", sw_problem_outside(run->problem));
        sw_put_known(json, "arena", run->metrics.single_tier, sw_problem_arena(run->problem, run->metrics.peak));
    }
    if (sw_problem_plan_peak(run->problem, &built)) {
        sw_put_count(json, "as_built", built);
    }
}

/* ---- JSON and CSV ---- */

static void put_tier_peaks(const struct run_told *run, struct sw_cli_report *out) {
    char peaks[SW_MAX_TIERS * 24] = "";
    for (uint32_t t = 0; t < sw_problem_tier_count(run->problem); t++) {
        SW_TEXT_ADD(peaks, "%s%" PRIu64, t ? " + " : "", run->metrics.tier_peak[t]);
    }
    sw_row_words(out, "%s", peaks);
}

static void summary_figures(const struct run_told *run, struct sw_cli_report *out) {
    static const struct sw_report_column columns[] = {
        {.key = "planner"},         {.key = "graph"},      {.key = "seed"},        {.key = "buffers"},
        {.key = "operators"},       {.key = "peak"},       {.key = "lower_bound"}, {.key = "naive"},
        {.key = "feasible"},        {.key = "optimal"},    {.json = "cost"},       {.json = "migration_bytes"},
        {.key = "decisions"},       {.key = "stopped_at"}, {.key = "seconds"},     {.csv = "cost"},
        {.csv = "migration_bytes"}, {.csv = "tier_peaks"}};
    struct sw_json_out *json = out->output == SW_OUTPUT_JSON ? &out->json : NULL;
    enum sw_outcome outcome = sw_cli_outcome(run->result);
    sw_record_begin(out, columns, sizeof columns / sizeof *columns);
    sw_row_text(out, sw_search_planner(run->search)->name);
    if (json && run->cli->what_ifs && *run->cli->what_ifs) {
        sw_put_text(json, "what_ifs", run->cli->what_ifs);
    }
    sw_row_text(out, sw_problem_name(run->problem));
    sw_row_count(out, sw_search_params(run->search)->seed);
    sw_row_count(out, sw_problem_planned_count(run->problem));
    sw_row_count(out, sw_problem_operator_count(run->problem));
    sw_row_known(out, peak_is_told(run), run->metrics.peak);
    sw_row_count(out, run->metrics.lower_bound);
    sw_row_count(out, run->metrics.naive);
    if (json) {
        put_beside(run, json);
    }
    sw_row_truth(out, outcome != SW_OUTCOME_UNDECIDED, outcome == SW_OUTCOME_FEASIBLE);
    sw_row_truth(out, true, run->result->optimal);
    sw_row_number(out, run->result->cost);
    sw_row_known(out, run->claims.has_migration, run->claims.migration_bytes);
    if (json) {
        put_tiers(run, json);
    }
    sw_row_count(out, sw_search_known(run->search));
    sw_row_known(out, run->result->stopped_at, run->result->stopped_at);
    sw_row_seconds(out, run->result->seconds);
    sw_row_number(out, run->result->cost);
    sw_row_known(out, run->claims.has_migration, run->claims.migration_bytes);
    put_tier_peaks(run, out);
    sw_rows_end(out);
}

static void summary_json(const struct run_told *run, struct sw_cli_report *out) {
    struct sw_json_out *json = &out->json;
    sw_put_object(json, NULL);
    sw_put_lines(json);
    summary_figures(run, out);
    sw_plan_json_lists(run->result->layout, run->result->base, json);
    sw_plan_json_assumed(run->result, json);
    put_below(run->search, json);
    put_details(run, json);
    sw_put_end(json);
}

/* ---- a page for a person ---- */

static void text_header(const struct run_told *run, struct sw_sink *out) {
    uint32_t count = sw_problem_operator_count(run->problem), planned = sw_problem_planned_count(run->problem);
    sw_sink_text(out, sw_problem_name(run->problem));
    sw_sink_printf(out, ": ");
    if (count) {
        sw_sink_printf(out, "%s, ", SW_COUNTED(count, "operator"));
    }
    sw_sink_printf(out, "%s\n", SW_COUNTED(planned, "buffer"));
    sw_sink_text(out, sw_search_label(run->search, (char[SW_PLANNER_LABEL]){0}));
    sw_sink_printf(out, ", seed %" PRIu64 ": %s in %.3f s%s\n", sw_search_params(run->search)->seed,
                   SW_COUNTED(sw_search_known(run->search), "decision"), run->result->seconds,
                   run->result->stopped_at ? ", then stopped" : "");
    if (run->cli->what_ifs && *run->cli->what_ifs) {
        sw_sink_printf(out, "changed by what-ifs, so not what the planner does by itself: %s\n",
                       SW_SHOWN(run->cli->what_ifs));
    }
    const struct sw_decision *last = sw_search_decision(run->search);
    char reason[SW_REASON];
    if (last && last->kind == SW_DECISION_FINISH && last->reason) {
        sw_sink_printf(out, "%s\n", SW_SHOWN(sw_decision_reason(last, reason)));
    } else if (run->claims.instead) {
        sw_sink_printf(out, "%s\n", SW_SHOWN(run->claims.instead));
    }
    size_t noted;
    const char *const *notes = sw_problem_notes(run->problem, &noted);
    if (noted > 0 && sw_plan_is_changed(run->result)) {
        sw_sink_printf(out, "note: the model was changed; the notes below are about the one that was read\n");
    }
    for (size_t i = 0; i < noted; i++) {
        sw_sink_printf(out, "note: %s\n", SW_SHOWN(notes[i]));
    }
    sw_sink_printf(out, "\n");
}

static void text_bound(const struct run_told *run, struct sw_sink *out) {
    const char *remark = run->claims.has_migration ? "; less will do only with migration" : "";
    uint32_t step = sw_problem_bound_step(run->problem);
    if (step < sw_problem_operator_count(run->problem)) {
        sw_report_bytes(out, "lower bound", run->metrics.lower_bound, "live at %s (step %" PRIu32 ")%s",
                        SW_SHOWN(sw_problem_operator(run->problem, step)->name), step, remark);
    } else {
        sw_report_bytes(out, "lower bound", run->metrics.lower_bound, "live at time %" PRId64 "%s",
                        sw_problem_time(run->problem, step), remark);
    }
}

/* A run that chose the order of the operators: what that saves. What addresses lose is the line `over the bound`. */
static void text_order(const struct run_told *run, struct sw_sink *out) {
    char words[192];
    uint64_t bytes;
    if (sw_cli_order_words(run->search, run->result->load ? run->result->load->order : NULL, &bytes, words,
                           sizeof words)) {
        sw_report_bytes(out, "alive at most", bytes, "%s", words);
    }
}

static void text_ratios(const struct run_told *run, struct sw_sink *out) {
    uint64_t padding;
    const char *below = sw_below_words(run->search, false);
    if (!below || *below) {
        sw_report_bytes(out, "below the bound", run->metrics.lower_bound - run->metrics.peak, "%s", below ? below : "");
        out->failed |= !below;
    }
    if (run->metrics.peak > run->metrics.lower_bound) {
        sw_report_bytes(out, "over the bound", run->metrics.peak - run->metrics.lower_bound,
                        "%s; %s of the peak is fragmentation",
                        sw_show_percent(run->metrics.over_bound, true, (char[16]){0}),
                        sw_show_percent(run->metrics.fragmentation, false, (char[16]){0}));
    }
    sw_report_bytes(out, "without reuse", run->metrics.naive, "%.2f times the peak", run->metrics.reuse);
    if (sw_layout_padding(run->result->layout, &padding) && padding) {
        sw_report_bytes(out, "padding", padding, "lost to alignment");
    }
    uint64_t outside = sw_problem_outside(run->problem), used = run->metrics.peak + outside;
    if (outside > 0 && run->metrics.single_tier) {
        bool planning = sw_problem_least_arena(run->problem) > used;
        sw_report_bytes(out, "whole arena", sw_problem_arena(run->problem, run->metrics.peak),
                        planning ? "%sso much is needed while the runtime plans, %s later"
                                 : "%swith the tail, %s, which no plan places",
                        sw_problem_more_outside(run->problem) ? "at least: " : "", SW_BYTES(planning ? used : outside));
    }
}

/* What TensorFlow Lite Micro's own planner needs for the model that was read; 0: the file is no such model, or that is
 * too much work to find out. False: no memory. */
static bool find_interpreter(const struct sw_result *result, uint64_t *peak) {
    enum { MOST_PAIRWISE = 5000 }; /* it is quadratic */
    const struct sw_problem *problem = sw_search_given(result->search);
    uint64_t outside = sw_problem_outside(problem);
    struct sw_error error = {0};
    const struct sw_planner *own = sw_planner_find("tflm-greedy", NULL);
    struct sw_search *search = outside > 0 && own && sw_search_planner(result->search) != own &&
                                       sw_problem_tier_count(problem) == 1 &&
                                       sw_problem_buffer_count(problem) <= MOST_PAIRWISE
                                   ? sw_search_new(problem, own, NULL, &error)
                                   : NULL;
    struct sw_metrics metrics = {.complete = false};
    if (search && sw_search_run(search, 0, NULL, NULL, &error) == SW_STEP_DONE) {
        sw_metrics_of(sw_search_layout(search), &metrics);
    }
    sw_search_free(search);
    *peak = metrics.complete ? metrics.peak : 0;
    return error.code != SW_ERROR_MEMORY;
}

/* What a plan needs there, where sizes are rounded up. */
uint64_t sw_summary_in_interpreter(const struct sw_metrics *metrics) {
    return sw_align_up(metrics->peak, TFLITE_ALIGNMENT);
}

static uint64_t text_interpreter(const struct run_told *run, struct sw_sink *out) {
    uint64_t peak = 0, outside = sw_problem_outside(run->problem);
    uint64_t own = sw_summary_in_interpreter(&run->metrics);
    out->failed = !find_interpreter(run->result, &peak) || out->failed;
    if (peak == 0 || !run->metrics.complete) {
        return 0;
    }
    char own_part[64] = ", as much as this plan", tail[64] = "";
    if (own != peak) {
        snprintf(own_part, sizeof own_part, "; this plan takes %s %s", SW_BYTES(own < peak ? peak - own : own - peak),
                 own < peak ? "less" : "more");
    }
    if (outside > run->metrics.peak) {
        snprintf(tail, sizeof tail, "; the tail is larger, %s", SW_BYTES(outside));
    }
    sw_report_bytes(out, "interpreter", peak, "what its own planner takes%s%s%s",
                    sw_plan_is_changed(run->result) ? " for the model that was read" : "", own_part, tail);
    return peak;
}

/* The plan that came with the file, beside another planner's. */
static void text_as_built(const struct run_told *run, struct sw_sink *out) {
    uint64_t peak;
    if (sw_search_planner(run->search)->needs & SW_NEEDS_PLAN || !run->metrics.complete ||
        !sw_problem_plan_peak(run->problem, &peak) || peak == 0) {
        return;
    }
    double change = (double)run->metrics.peak / (double)peak - 1;
    sw_report_bytes(out, "as built", peak, "the plan in the file; this one is %s",
                    change == 0 ? "as large" : sw_show_percent(change, true, (char[16]){0}));
}

/* Each memory has a peak of its own; most of it may be free at any time. */
static void text_tiers(const struct run_told *run, struct sw_sink *out) {
    uint64_t most[SW_MAX_TIERS];
    bool several = sw_problem_tier_count(run->problem) > 1 && !run->claims.no_addresses;
    if (several && !sw_most_in_use(run->result->layout, most)) {
        out->failed = true;
        return;
    }
    for (uint32_t t = 0; t < sw_problem_tier_count(run->problem); t++) {
        const struct sw_tier *tier = sw_problem_tier(run->problem, t);
        char used[64] = "no limit", most_used[64] = "";
        if (tier->capacity == SW_UNBOUNDED && sw_problem_tier_count(run->problem) == 1) {
            continue;
        }
        if (tier->capacity != SW_UNBOUNDED) {
            double part = tier->capacity ? (double)run->metrics.tier_peak[t] / (double)tier->capacity : 1.0;
            snprintf(used, sizeof used, "%s of %s", sw_show_percent(part, false, (char[16]){0}),
                     sw_show_bytes_long(tier->capacity, (char[24]){0}));
        }
        if (several && most[t] < run->metrics.tier_peak[t]) {
            snprintf(most_used, sizeof most_used, ", and at most %s in use at once",
                     sw_show_bytes_long(most[t], (char[24]){0}));
        }
        sw_report_bytes(out, SW_SHOWN(tier->name), run->metrics.tier_peak[t], "%s%s%s", used,
                        run->metrics.tier_peak[t] < run->metrics.tier_top[t] ? ", filled from its far end" : "",
                        most_used);
    }
}

/* What the result costs, and what the planner says of it. */
static void text_claims(const struct run_told *run, struct sw_sink *out) {
    if (!isnan(run->result->cost)) {
        double bound = (double)NAN;
        bool known = sw_cost_bound(run->problem, sw_search_params(run->search)->cost, &bound, NULL) && !isnan(bound);
        sw_report_line(out, "cost",
                       known ? "%s   at least %s is needed: every access at the fastest tier that could hold the block"
                             : "%s",
                       SW_NUMBER(run->result->cost), SW_NUMBER(bound));
    }
    if (run->claims.has_migration) {
        struct sw_migration bound = {0};
        bool known = sw_problem_migration_bound(run->problem, &bound) && bound.feasible;
        sw_report_bytes(out, "migration", run->claims.migration_bytes, "%s%s%s", known ? "at least " : "",
                        known ? SW_BYTES(bound.bytes) : "", known ? " is needed" : "");
        sw_migration_done(&bound);
    }
}

/* Which block stands at the top: the first one to look at. */
static void text_at_peak(const struct run_told *run, struct sw_sink *out) {
    bool several = sw_problem_tier_count(run->problem) > 1;
    for (uint32_t t = 0; t < sw_problem_tier_count(run->problem); t++) {
        struct sw_placement at;
        char offset[32];
        uint32_t top = sw_layout_at_peak(run->result->layout, t);
        if (top == SW_NONE || !sw_layout_placement(run->result->layout, top, 0, &at)) {
            continue;
        }
        const struct sw_buffer *buffer = sw_problem_buffer(run->problem, top);
        snprintf(offset, sizeof offset, "0x%" PRIx64, run->result->base + at.offset);
        sw_report_line(out, "at the peak", "%s%s%s: %s at %s, alive %" PRId64 "..%" PRId64,
                       several ? SW_SHOWN(named_tier(run->problem, t)) : "", several ? ", " : "",
                       SW_SHOWN(buffer->name), SW_BYTES(buffer->size), run->result->base ? offset : SW_COUNT(at.offset),
                       sw_problem_time(run->problem, buffer->first), raw_last(run->problem, buffer->last));
    }
}

static void text_misfit(const struct run_told *run, struct sw_sink *out) {
    struct sw_misfit misfit;
    struct sw_error error = {0};
    bool found;
    if (!sw_misfit_of(run->search, &misfit, &found)) {
        out->failed = true;
        return;
    }
    if (!found) {
        sw_summary_infeasible(run->result, &error);
        out->failed |= error.code == SW_ERROR_MEMORY;
        sw_sink_printf(out, "\n%s\n", error.message);
        return;
    }
    sw_sink_printf(out, "\ninfeasible: %s (%s) does not fit into %s at time %" PRId64,
                   SW_SHOWN(named_buffer(run->problem, misfit.buffer)),
                   SW_BYTES(sw_problem_buffer(run->problem, misfit.buffer)->size),
                   SW_SHOWN(named_tier(run->problem, misfit.tier)), sw_problem_time(run->problem, misfit.time));
    sw_sink_printf(out, misfit.step ? ", decision %s\n" : "\n", SW_COUNT(misfit.step));
    sw_report_bytes(out, "required", misfit.required, "%s", "");
    sw_report_bytes(out, "available", misfit.available, "%s", "");
    sw_report_bytes(out, "excess", misfit.excess, "%s", "");
    if (misfit.has_hole) {
        sw_report_bytes(out, "largest hole", misfit.hole, "free for its whole life");
    }
    if (misfit.blocks > 1) {
        sw_report_bytes(out, "for all of them", misfit.top, "%s blocks end above the capacity; it is the first of them",
                        SW_COUNT(misfit.blocks));
    }
    if (sw_problem_tier_count(run->problem) == 1 && sw_problem_lower_bound(run->problem) > misfit.available) {
        sw_sink_printf(
            out,
            "no planner can do it without moving blocks out and back: the lower bound itself is above the capacity\n");
    }
}

/* What is right only if operators can write over what they read, which few kernels can. */
static void text_assumed(const struct run_told *run, struct sw_sink *out) {
    struct sw_assumed assumed = {0};
    if (!sw_plan_assumed(run->result, &assumed)) {
        out->failed = true;
    }
    size_t count = assumed.items.count;
    if (count > 0) {
        sw_sink_printf(out, "\nassumes %zu overwrite%s that the graph does not permit:\n", count,
                       count == 1 ? "" : "s");
    }
    for (size_t i = 0; i < count && i < MOST_ASSUMED; i++) {
        const struct sw_permit *permit = &assumed.items.items[i];
        sw_sink_printf(out, "  %s over %s at time %" PRId64 "\n", named_buffer(run->problem, permit->fresh),
                       named_buffer(run->problem, permit->old), sw_problem_time(run->problem, permit->step));
    }
    if (count > MOST_ASSUMED) {
        sw_sink_printf(out, "  and %zu more\n", count - MOST_ASSUMED);
    }
    SW_ARRAY_DONE(&assumed.items);
}

static void summary_text(const struct run_told *run, struct sw_sink *out) {
    uint64_t interpreter = 0;
    const struct sw_metrics *m = &run->metrics;
    bool infeasible = sw_cli_outcome(run->result) != SW_OUTCOME_FEASIBLE;
    text_header(run, out);
    if (sw_cli_reserved_text(run->result, out)) {
        if (infeasible) {
            text_misfit(run, out);
        }
        sw_summary_next(run->cli, run->result, 0, out);
        return;
    }
    if (m->single_tier && (m->placed > 0 || m->planned == 0)) {
        sw_report_bytes(out, "peak", m->peak, "%s%s", run->result->optimal ? "optimal: " : "",
                        !run->result->optimal                      ? ""
                        : sw_search_planner(run->search)->reorders ? sw_cli_order_least(run->search)
                        : m->peak == m->lower_bound                ? "it is the bound"
                                                                   : "proved");
    }
    text_order(run, out);
    text_bound(run, out);
    if (m->single_tier && m->complete) {
        text_ratios(run, out);
        text_as_built(run, out);
        interpreter = text_interpreter(run, out);
    }
    text_tiers(run, out);
    text_claims(run, out);
    text_at_peak(run, out);
    text_assumed(run, out);
    if (infeasible) {
        text_misfit(run, out);
    }
    if (run->cli->bounds) {
        sw_cli_bounds_text(run->result, out);
    }
    sw_summary_next(run->cli, run->result, interpreter, out);
}

void sw_cli_summary(const struct sw_cli *cli, const struct sw_result *result, struct sw_cli_report *report) {
    struct run_told run = {cli, result, result->search, .problem = sw_layout_problem(result->layout)};
    sw_metrics_of(result->layout, &run.metrics);
    sw_search_claims(result->search, &run.claims);
    if (report->output == SW_OUTPUT_JSON) {
        summary_json(&run, report);
    } else if (report->output == SW_OUTPUT_CSV) {
        summary_figures(&run, report);
    } else {
        summary_text(&run, &report->out);
    }
}
