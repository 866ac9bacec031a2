/* The summary of a run: the contract's JSON, a row of CSV, and a page for a person. */
#include "cli/allocators/reserved_report.h"
#include "cli/orders/order_report.h"
#include "cli/shared/bounds_report.h"
#include "cli/shared/output.h"
#include "cli/shared/run.h"
#include "cli/shared/summary.h"
#include "formats/plans/finished_plan.h"
#include "formats/tflite/tflite_model.h"
#include "planners/planner.h"
#include "view/facts.h"
#include "view/blame/misfit.h"
#include "search/broken.h"
#include "base/number.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_ASSUMED = 20 }; /* of a list for a person */

/* ---- times: files and people see raw time ---- */

static int64_t raw_first(const struct sw_problem *problem, uint32_t step) {
    return sw_problem_time(problem, step);
}

static int64_t raw_last(const struct sw_problem *problem, uint32_t step) {
    return sw_problem_time(problem, step + 1) - 1;
}

static const char *buffer_name(const struct sw_problem *problem, uint32_t buffer) {
    return sw_problem_buffer(problem, buffer)->name;
}

static const char *tier_name(const struct sw_problem *problem, uint32_t tier) {
    return sw_problem_tier(problem, tier)->name;
}

/* One peak for all: of one tier in use, and not of a reference that places nothing. */
static bool has_peak(const struct sw_result *result, const struct sw_metrics *metrics) {
    struct sw_claims claims;
    sw_search_claims(result->search, &claims);
    return metrics->single_tier && !(claims.no_addresses && metrics->placed == 0 && metrics->planned > 0);
}

/* ---- what does not fit ---- */

/* A report for sw_layout_check that keeps the first fault. */
static void keep_first(void *context, const struct sw_fault *fault) {
    struct sw_fault *first = context;
    if (first->buffer == SW_NONE) {
        *first = *fault;
    }
}

static bool is_recorded(const struct sw_result *result) {
    return sw_search_planner(result->search)->needs & SW_NEEDS_RECORDING;
}

static bool fail_fault(const struct sw_result *result, struct sw_error *error) {
    struct sw_fault first = {.buffer = SW_NONE};
    char text[2048];
    size_t count;
    if (!(is_recorded(result) ? sw_search_broken(result->search, &count, &first)
                              : sw_search_check(result->search, &count, NULL, keep_first, &first))) {
        return !sw_fail_memory(error);
    }
    if (count == 0) {
        return false;
    }
    sw_fault_describe(sw_layout_problem(result->layout), &first, text, sizeof text);
    return !sw_fail(error, SW_ERROR_INFEASIBLE, "infeasible: %s%s", text,
                    count > 1 ? ", and more faults" : "");
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
        if (!result->stopped_at && fail_fault(result, error)) {
            return;
        }
        bool stopped = result->stopped_at || !is_recorded(result);
        sw_fail(error, SW_ERROR_INFEASIBLE, "undecided: %s at decision %" PRIu64 " before every buffer had a place",
                stopped ? "stopped" : "the recorded run breaks off",
                stopped ? result->stopped_at : sw_search_known(result->search));
        return;
    }
    const struct sw_problem *problem = sw_layout_problem(result->layout);
    char others[96] = "";
    if (misfit.blocks > 1) {
        snprintf(others, sizeof others,
                 "; %" PRIu32 " blocks end above that, the highest at %" PRIu64, misfit.blocks,
                 misfit.top);
    }
    sw_fail(error, SW_ERROR_INFEASIBLE,
            "infeasible: %s does not fit into %s: %s required, %s available, %s too many%s",
            buffer_name(problem, misfit.buffer), tier_name(problem, misfit.tier),
            SW_BYTES(misfit.required), SW_BYTES(misfit.available), SW_BYTES(misfit.excess), others);
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

static void json_key(struct sw_sink *out, const char *key) {
    sw_sink_printf(out, ",\n \"%s\":", key);
}

static void json_count(struct sw_sink *out, const char *key, bool known, uint64_t value) {
    json_key(out, key);
    if (known) {
        sw_sink_printf(out, "%" PRIu64, value);
    } else {
        sw_sink_printf(out, "null");
    }
}

static void json_tiers(const struct sw_problem *problem, const struct sw_metrics *metrics,
                       struct sw_sink *out) {
    json_key(out, "tiers");
    for (uint32_t t = 0; t < sw_problem_tier_count(problem); t++) {
        const struct sw_tier *tier = sw_problem_tier(problem, t);
        sw_sink_printf(out, "%s{\"name\":", t ? "," : "[");
        sw_sink_json(out, tier->name);
        if (tier->capacity == SW_UNBOUNDED) {
            sw_sink_printf(out, ",\"capacity\":null");
        } else {
            sw_sink_printf(out, ",\"capacity\":%" PRIu64, tier->capacity);
        }
        sw_sink_printf(out, ",\"peak\":%" PRIu64 "}", metrics->tier_peak[t]);
    }
    sw_sink_printf(out, "]");
}

/* lifetime-best-fit: the lifetimes its first step derived. With keep_outputs=false a network output
 * dies like any other buffer. */
static void json_life(const struct sw_result *result, struct sw_sink *out) {
    const struct sw_problem *problem = sw_layout_problem(result->layout);
    bool keep = sw_params_bool(sw_search_params(result->search), sw_search_planner(result->search),
                               "keep_outputs");
    const char *separator = "";
    sw_sink_printf(out, "\"life\":{");
    for (uint32_t b = 0; b < sw_problem_buffer_count(problem); b++) {
        const struct sw_buffer *buffer = sw_problem_buffer(problem, b);
        uint32_t last = buffer->last;
        if (!buffer->planned) {
            continue;
        }
        if (!keep && buffer->output && !buffer->lifetime_given) {
            last =
                buffer->access_count ? buffer->accesses[buffer->access_count - 1] : buffer->first;
        }
        sw_sink_printf(out, "%s", separator);
        sw_sink_json(out, buffer->name);
        sw_sink_printf(out, ":[%" PRId64 ",%" PRId64 "]", raw_first(problem, buffer->first),
                       raw_last(problem, last));
        separator = ",";
    }
    sw_sink_printf(out, "}");
}

static void json_misfit(const struct sw_result *result, const struct sw_misfit *misfit,
                        struct sw_sink *out) {
    const struct sw_problem *problem = sw_layout_problem(result->layout);
    sw_sink_printf(out, "\"does_not_fit\":{\"buffer\":");
    sw_sink_json(out, buffer_name(problem, misfit->buffer));
    sw_sink_printf(out, ",\"tier\":");
    if (misfit->tier == SW_NONE) {
        sw_sink_printf(out, "null");
    } else {
        sw_sink_json(out, tier_name(problem, misfit->tier));
    }
    sw_sink_printf(out,
                   ",\"time\":%" PRId64 ",\"required\":%" PRIu64 ",\"available\":%" PRIu64
                   ",\"excess\":%" PRIu64,
                   raw_first(problem, misfit->time), misfit->required, misfit->available,
                   misfit->excess);
    if (misfit->has_hole) {
        sw_sink_printf(out, ",\"largest_hole\":%" PRIu64, misfit->hole);
    } else {
        sw_sink_printf(out, ",\"largest_hole\":null");
    }
    if (misfit->blocks) {
        sw_sink_printf(out, ",\"blocks\":%" PRIu32, misfit->blocks);
    }
    sw_sink_printf(out, "}");
}

/* ---- figures of a planner's own ---- */

static void json_detail_value(const struct sw_detail *detail, struct sw_sink *out) {
    if (detail->word) {
        sw_sink_json(out, detail->name);
    } else if (detail->none) {
        sw_sink_printf(out, "null");
    } else if (detail->truth) {
        sw_sink_printf(out, "%s", detail->integer ? "true" : "false");
    } else if (detail->whole) {
        sw_sink_printf(out, "%" PRId64, detail->integer);
    } else {
        sw_sink_number(out, detail->number);
    }
}

static bool is_member(const struct sw_detail *detail) {
    return !detail->list && (detail->name || detail->buffer != SW_NONE);
}

/* Everything under the key of item `first`: a number, a map by name or by buffer, or a list. */
static void json_detail(const struct sw_problem *problem, const struct sw_details *details,
                        size_t first, struct sw_sink *out) {
    const struct sw_detail *head = &details->items.items[first];
    bool map = is_member(head), list = head->list;
    const char *separator = "";
    sw_sink_json(out, head->key);
    sw_sink_printf(out, ":%s", map ? "{" : list ? "[" : "");
    for (size_t i = first; i < details->items.count; i++) {
        const struct sw_detail *detail = &details->items.items[i];
        if (strcmp(detail->key, head->key) != 0) {
            continue;
        }
        sw_sink_printf(out, "%s", separator);
        if (map) {
            sw_sink_json(out, detail->name ? detail->name : buffer_name(problem, detail->buffer));
            sw_sink_printf(out, ":");
        }
        json_detail_value(detail, out);
        separator = ",";
        if (!map && !list) {
            break;
        }
    }
    sw_sink_printf(out, "%s", map ? "}" : list ? "]" : "");
}

static bool seen_before(const struct sw_details *details, size_t item) {
    for (size_t i = 0; i < item; i++) {
        if (strcmp(details->items.items[i].key, details->items.items[item].key) == 0) {
            return true;
        }
    }
    return false;
}

/* The keys in the order in which the planner named them first. Members of one key mostly follow
 * each other, and those after the first are passed over without looking back. */
static void json_own(const struct sw_result *result, const struct sw_details *details,
                     const char **separator, struct sw_sink *out) {
    for (size_t i = 0; i < details->items.count; i++) {
        const char *key = details->items.items[i].key;
        if ((i > 0 && strcmp(key, details->items.items[i - 1].key) == 0) ||
            seen_before(details, i)) {
            continue;
        }
        sw_sink_printf(out, "%s", *separator);
        json_detail(sw_layout_problem(result->layout), details, i, out);
        *separator = ",";
    }
}

static void json_details(const struct sw_cli *cli, const struct sw_result *result,
                         struct sw_sink *out) {
    struct sw_misfit misfit;
    struct sw_error error = {0};
    struct sw_details details = {0};
    const char *separator = "";
    bool life = sw_search_planner(result->search)->derives_lives;
    bool infeasible = sw_cli_outcome(result) == SW_OUTCOME_INFEASIBLE;
    json_key(out, "details");
    out->failed |= !sw_search_details(result->search, &details);
    if (!life && !infeasible && !cli->bounds && details.items.count == 0) {
        sw_details_done(&details);
        sw_sink_printf(out, "null");
        return;
    }
    sw_sink_printf(out, "{");
    if (life) {
        json_life(result, out);
        separator = ",";
    }
    json_own(result, &details, &separator, out);
    sw_details_done(&details);
    if (cli->bounds) {
        sw_sink_printf(out, "%s", separator);
        sw_cli_bounds_json(result, out);
        separator = ",";
    }
    bool found = false;
    if (infeasible) {
        sw_summary_infeasible(result, &error);
        out->failed |= error.code == SW_ERROR_MEMORY;
        sw_sink_printf(out, "%s\"reason\":", separator);
        sw_sink_json(out, error.message);
    }
    if (infeasible && !(found = sw_misfit_unplaced(result->search, &misfit))) {
        out->failed |= !sw_misfit_of(result->search, &misfit, &found);
    }
    if (found && !out->failed) {
        sw_sink_printf(out, ",");
        json_misfit(result, &misfit, out);
    }
    sw_sink_printf(out, "}");
}

static const char *feasible_word(const struct sw_result *result) {
    static const char *const words[] = {"true", "false", "null"};
    return words[sw_cli_outcome(result)];
}

/* Only where the peak is below the bound: what lets it. */
static void json_below(const struct sw_search *search, struct sw_sink *out) {
    static const char *const words[] = {[SW_BELOW_NOT] = NULL,
                                        [SW_BELOW_MOVED] = "moved",
                                        [SW_BELOW_PERMITTED] = "permitted",
                                        [SW_BELOW_ASSUMED] = "assumed",
                                        [SW_BELOW_WRONG] = "wrong"};
    enum sw_below below;
    if (!sw_search_below(search, &below)) {
        out->failed = true;
    } else if (words[below]) {
        json_key(out, "below_bound");
        sw_sink_json(out, words[below]);
    }
}

static void summary_json(const struct sw_cli *cli, const struct sw_result *result,
                         struct sw_sink *out) {
    const struct sw_problem *problem = sw_layout_problem(result->layout);
    struct sw_metrics metrics;
    struct sw_claims claims;
    sw_metrics_of(result->layout, &metrics);
    sw_search_claims(result->search, &claims);
    sw_sink_printf(out, "{\"planner\":");
    sw_sink_json(out, sw_search_planner(result->search)->name);
    if (cli->what_ifs && *cli->what_ifs) {
        json_key(out, "what_ifs");
        sw_sink_json(out, cli->what_ifs);
    }
    json_key(out, "graph");
    sw_sink_json(out, sw_problem_name(problem));
    json_count(out, "seed", true, sw_search_params(result->search)->seed);
    json_count(out, "buffers", true, sw_problem_planned_count(problem));
    json_count(out, "operators", true, sw_problem_operator_count(problem));
    json_count(out, "peak", has_peak(result, &metrics), metrics.peak);
    json_count(out, "lower_bound", true, metrics.lower_bound);
    json_count(out, "naive", true, metrics.naive);
    if (sw_problem_outside(problem) > 0) {
        json_count(out, "outside", true, sw_problem_outside(problem));
        json_count(out, "arena", metrics.single_tier, sw_problem_arena(problem, metrics.peak));
    }
    uint64_t built;
    if (sw_problem_plan_peak(problem, &built)) {
        json_count(out, "as_built", true, built);
    }
    json_key(out, "feasible");
    sw_sink_printf(out, "%s", feasible_word(result));
    json_key(out, "optimal");
    sw_sink_printf(out, "%s", result->optimal ? "true" : "false");
    json_key(out, "cost");
    sw_sink_printf(out, "%s", isfinite(result->cost) ? SW_NUMBER(result->cost) : "null");
    json_count(out, "migration_bytes", claims.has_migration, claims.migration_bytes);
    json_tiers(problem, &metrics, out);
    json_count(out, "decisions", true, sw_search_known(result->search));
    json_count(out, "stopped_at", result->stopped_at != 0, result->stopped_at);
    json_key(out, "seconds");
    sw_sink_printf(out, "%.6f", result->seconds);
    sw_sink_printf(out, ",\n ");
    sw_plan_json_lists(result->layout, result->base, out);
    sw_plan_json_assumed(result, out);
    json_below(result->search, out);
    json_details(cli, result, out);
    sw_sink_printf(out, "}\n");
}

/* ---- CSV ---- */

static void summary_csv(const struct sw_result *result, struct sw_sink *out) {
    const struct sw_problem *problem = sw_layout_problem(result->layout);
    struct sw_metrics metrics;
    struct sw_claims claims;
    sw_search_claims(result->search, &claims);
    sw_metrics_of(result->layout, &metrics);
    sw_sink_printf(out, "planner,graph,seed,buffers,operators,peak,lower_bound,naive,feasible,"
                        "optimal,decisions,stopped_at,seconds,cost,migration_bytes,tier_peaks\n");
    sw_sink_csv(out, sw_search_planner(result->search)->name);
    sw_sink_printf(out, ",");
    sw_sink_csv(out, sw_problem_name(problem));
    sw_sink_printf(out, ",%" PRIu64 ",%" PRIu32 ",%" PRIu32 ",",
                   sw_search_params(result->search)->seed, sw_problem_planned_count(problem),
                   sw_problem_operator_count(problem));
    if (has_peak(result, &metrics)) {
        sw_sink_printf(out, "%" PRIu64, metrics.peak);
    }
    sw_sink_printf(out, ",%" PRIu64 ",%" PRIu64 ",%s,%s,%" PRIu64 ",", metrics.lower_bound,
                   metrics.naive,
                   sw_cli_outcome(result) == SW_OUTCOME_UNDECIDED ? "" : feasible_word(result),
                   result->optimal ? "true" : "false", sw_search_known(result->search));
    if (result->stopped_at) {
        sw_sink_printf(out, "%" PRIu64, result->stopped_at);
    }
    sw_sink_printf(out, ",%.6f,%s,", result->seconds, isnan(result->cost) ? "" : SW_NUMBER(result->cost));
    if (claims.has_migration) {
        sw_sink_printf(out, "%" PRIu64, claims.migration_bytes);
    }
    sw_sink_printf(out, ",");
    for (uint32_t t = 0; t < sw_problem_tier_count(problem); t++) {
        sw_sink_printf(out, "%s%" PRIu64, t ? " + " : "", metrics.tier_peak[t]);
    }
    sw_sink_printf(out, "\n");
}

/* ---- a page for a person ---- */

/* "  peak             63.0 KiB        64,512 B   remark" */
static void text_bytes(struct sw_sink *out, const char *label, uint64_t bytes) {
    char human[24], exact[32];
    sw_sink_printf(out, "  %-15s %10s %15s B", label, sw_show_bytes_long(bytes, human),
                   sw_show_count(bytes, exact));
}

static void text_header(const struct sw_cli *cli, const struct sw_result *result, struct sw_sink *out) {
    const struct sw_problem *problem = sw_layout_problem(result->layout);
    char operators[32], buffers[32], decisions[32], label[SW_PLANNER_LABEL];
    sw_sink_text(out, sw_problem_name(problem));
    sw_sink_printf(out, ": ");
    if (sw_problem_operator_count(problem)) {
        uint32_t count = sw_problem_operator_count(problem);
        sw_sink_printf(out, "%s operator%s, ", sw_show_count(count, operators),
                       count == 1 ? "" : "s");
    }
    uint32_t planned = sw_problem_planned_count(problem);
    sw_sink_printf(out, "%s buffer%s\n", sw_show_count(planned, buffers), planned == 1 ? "" : "s");
    sw_sink_text(out, sw_search_label(result->search, label));
    sw_sink_printf(out, ", seed %" PRIu64 ": %s decision%s in %.3f s%s\n", sw_search_params(result->search)->seed,
                   sw_show_count(sw_search_known(result->search), decisions), sw_search_known(result->search) == 1 ? "" : "s", result->seconds,
                   result->stopped_at ? ", then stopped" : "");
    if (cli->what_ifs && *cli->what_ifs) {
        sw_sink_printf(out, "changed by what-ifs, so not what the planner does by itself: %s\n", SW_SHOWN(cli->what_ifs));
    }
    const struct sw_decision *last = sw_search_decision(result->search);
    struct sw_claims claims;
    char reason[SW_REASON];
    sw_search_claims(result->search, &claims);
    if (last && last->kind == SW_DECISION_FINISH && last->reason) {
        sw_sink_printf(out, "%s\n", SW_SHOWN(sw_decision_reason(last, reason)));
    } else if (claims.instead) {
        sw_sink_printf(out, "%s\n", SW_SHOWN(claims.instead));
    }
    size_t count;
    const char *const *notes = sw_problem_notes(problem, &count);
    if (count > 0 && sw_plan_is_changed(result)) {
        sw_sink_printf(out, "note: the model was changed; the notes below are about the one that was read\n");
    }
    for (size_t i = 0; i < count; i++) {
        sw_sink_printf(out, "note: %s\n", SW_SHOWN(notes[i]));
    }
    sw_sink_printf(out, "\n");
}

static void text_bound(const struct sw_result *result, const struct sw_metrics *metrics,
                       struct sw_sink *out) {
    const struct sw_problem *problem = sw_layout_problem(result->layout);
    struct sw_claims claims;
    sw_search_claims(result->search, &claims);
    const char *remark = claims.has_migration ? "; less will do only with migration" : "";
    uint32_t step = sw_problem_bound_step(problem);
    text_bytes(out, "lower bound", metrics->lower_bound);
    if (step < sw_problem_operator_count(problem)) {
        sw_sink_printf(out, "   live at %s (step %" PRIu32 ")%s\n",
                       SW_SHOWN(sw_problem_operator(problem, step)->name), step, remark);
    } else {
        sw_sink_printf(out, "   live at time %" PRId64 "%s\n", raw_first(problem, step), remark);
    }
}

/* A run that chose the order of the operators: what that saves. What addresses lose is the line `over the bound`. */
static void text_order(const struct sw_result *result, struct sw_sink *out) {
    char words[192];
    uint64_t bytes;
    if (sw_cli_order_words(result->search, result->load ? result->load->order : NULL, &bytes, words, sizeof words)) {
        text_bytes(out, "alive at most", bytes);
        sw_sink_printf(out, "   %s\n", words);
    }
}

static void text_ratios(const struct sw_result *result, const struct sw_metrics *metrics,
                        struct sw_sink *out) {
    const struct sw_layout *layout = result->layout;
    char percent[16];
    uint64_t padding;
    const char *below = sw_below_words(result->search, false);
    if (!below || *below) {
        text_bytes(out, "below the bound", metrics->lower_bound - metrics->peak);
        sw_sink_printf(out, "   %s\n", below ? below : "");
        out->failed |= !below;
    }
    if (metrics->peak > metrics->lower_bound) {
        text_bytes(out, "over the bound", metrics->peak - metrics->lower_bound);
        sw_sink_printf(out, "   %s; %s of the peak is fragmentation\n",
                       sw_show_percent(metrics->over_bound, true, percent),
                       sw_show_percent(metrics->fragmentation, false, (char[16]){0}));
    }
    text_bytes(out, "without reuse", metrics->naive);
    sw_sink_printf(out, "   %.2f times the peak\n", metrics->reuse);
    if (sw_layout_padding(layout, &padding) && padding) {
        text_bytes(out, "padding", padding);
        sw_sink_printf(out, "   lost to alignment\n");
    }
    uint64_t outside = sw_problem_outside(sw_layout_problem(layout));
    if (outside > 0 && metrics->single_tier) {
        const struct sw_problem *problem = sw_layout_problem(layout);
        uint64_t used = metrics->peak + outside;
        bool planning = sw_problem_least_arena(problem) > used;
        text_bytes(out, "whole arena", sw_problem_arena(problem, metrics->peak));
        sw_sink_printf(out,
                       planning ? "   %sso much is needed while the runtime plans, %s B later\n"
                                : "   %swith the tail, %s B, which no plan places\n",
                       sw_problem_more_outside(problem) ? "at least: " : "", sw_show_count(planning ? used : outside, (char[32]){0}));
    }
}

/* What TensorFlow Lite Micro's own planner needs for the model that was read; 0: the file is no such model, or that is too
 * much work to find out. False: no memory. */
static bool find_interpreter(const struct sw_result *result, uint64_t *peak) {
    enum { MOST = 5000 }; /* it is quadratic */
    const struct sw_problem *problem = sw_search_given(result->search);
    uint64_t outside = sw_problem_outside(problem);
    struct sw_error error = {0};
    const struct sw_planner *own = sw_planner_find("tflm-greedy", NULL);
    struct sw_search *search = outside > 0 && own && sw_search_planner(result->search) != own && sw_problem_tier_count(problem) == 1 &&
                                       sw_problem_buffer_count(problem) <= MOST
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

static uint64_t text_interpreter(const struct sw_result *result, const struct sw_metrics *metrics, struct sw_sink *out) {
    uint64_t peak = 0, outside = sw_problem_outside(sw_layout_problem(result->layout));
    uint64_t own = sw_summary_in_interpreter(metrics);
    out->failed = !find_interpreter(result, &peak) || out->failed;
    if (peak == 0 || !metrics->complete) {
        return 0;
    }
    text_bytes(out, "interpreter", peak);
    sw_sink_printf(out, "   what its own planner takes%s", sw_plan_is_changed(result) ? " for the model that was read" : "");
    if (own == peak) {
        sw_sink_printf(out, ", as much as this plan");
    } else {
        sw_sink_printf(out, "; this plan takes %s B %s", sw_show_count(own < peak ? peak - own : own - peak, (char[32]){0}), own < peak ? "less" : "more");
    }
    if (outside > metrics->peak) {
        sw_sink_printf(out, "; the tail is larger, %s B", sw_show_count(outside, (char[32]){0}));
    }
    sw_sink_printf(out, "\n");
    return peak;
}

/* The plan that came with the file, beside another planner's. */
static void text_as_built(const struct sw_result *result, const struct sw_metrics *metrics,
                          struct sw_sink *out) {
    uint64_t peak;
    if (sw_search_planner(result->search)->needs & SW_NEEDS_PLAN || !metrics->complete ||
        !sw_problem_plan_peak(sw_layout_problem(result->layout), &peak) || peak == 0) {
        return;
    }
    text_bytes(out, "as built", peak);
    double change = (double)metrics->peak / (double)peak - 1;
    sw_sink_printf(out, "   the plan in the file; this one is %s\n",
                   change == 0 ? "as large" : sw_show_percent(change, true, (char[16]){0}));
}

/* Each memory has a peak of its own; most of it may be free at any time. */
static void text_tiers(const struct sw_layout *layout, const struct sw_metrics *metrics, bool addresses,
                       struct sw_sink *out) {
    const struct sw_problem *problem = sw_layout_problem(layout);
    uint64_t most[SW_MAX_TIERS];
    bool several = sw_problem_tier_count(problem) > 1 && addresses;
    if (several && !sw_most_in_use(layout, most)) {
        out->failed = true;
        return;
    }
    for (uint32_t t = 0; t < sw_problem_tier_count(problem); t++) {
        const struct sw_tier *tier = sw_problem_tier(problem, t);
        char human[24], percent[16];
        if (tier->capacity == SW_UNBOUNDED && sw_problem_tier_count(problem) == 1) {
            continue;
        }
        text_bytes(out, SW_SHOWN(tier->name), metrics->tier_peak[t]);
        if (tier->capacity == SW_UNBOUNDED) {
            sw_sink_printf(out, "   no limit");
        } else {
            double used =
                tier->capacity ? (double)metrics->tier_peak[t] / (double)tier->capacity : 1.0;
            sw_sink_printf(out, "   %s of %s", sw_show_percent(used, false, percent),
                           sw_show_bytes_long(tier->capacity, human));
        }
        sw_sink_printf(out, "%s", metrics->tier_peak[t] < metrics->tier_top[t] ? ", filled from its far end" : "");
        if (several && most[t] < metrics->tier_peak[t]) {
            sw_sink_printf(out, ", and at most %s in use at once",
                           sw_show_bytes_long(most[t], human));
        }
        sw_sink_printf(out, "\n");
    }
}

/* What the result costs, and what the planner says of it. */
static void text_claims(const struct sw_result *result, struct sw_sink *out) {
    struct sw_claims claims;
    sw_search_claims(result->search, &claims);
    if (!isnan(result->cost)) {
        double bound = (double)NAN;
        sw_sink_printf(out, "  %-15s %s", "cost", SW_NUMBER(result->cost));
        if (sw_cost_bound(sw_layout_problem(result->layout), sw_search_params(result->search)->cost,
                          &bound, NULL) &&
            !isnan(bound)) {
            sw_sink_printf(out,
                           "   at least %s is needed: every access at the fastest tier that "
                           "could hold the block",
                           SW_NUMBER(bound));
        }
        sw_sink_printf(out, "\n");
    }
    if (claims.has_migration) {
        struct sw_migration bound = {0};
        char bytes[32];
        text_bytes(out, "migration", claims.migration_bytes);
        if (sw_problem_migration_bound(sw_layout_problem(result->layout), &bound) &&
            bound.feasible) {
            sw_sink_printf(out, "   at least %s B is needed", sw_show_count(bound.bytes, bytes));
        }
        sw_migration_done(&bound);
        sw_sink_printf(out, "\n");
    }
}

/* Which block stands at the top: the first one to look at. */
static void text_at_peak(const struct sw_result *result, struct sw_sink *out) {
    const struct sw_problem *problem = sw_layout_problem(result->layout);
    for (uint32_t t = 0; t < sw_problem_tier_count(problem); t++) {
        struct sw_placement at;
        char size[32], offset[32];
        uint32_t top = sw_layout_at_peak(result->layout, t);
        if (top == SW_NONE || !sw_layout_placement(result->layout, top, 0, &at)) {
            continue;
        }
        const struct sw_buffer *buffer = sw_problem_buffer(problem, top);
        sw_sink_printf(out, "  at the peak     %s%s%s: %s B at ",
                       sw_problem_tier_count(problem) > 1 ? SW_SHOWN(tier_name(problem, t)) : "",
                       sw_problem_tier_count(problem) > 1 ? ", " : "", SW_SHOWN(buffer->name),
                       sw_show_count(buffer->size, size));
        if (result->base) {
            sw_sink_printf(out, "0x%" PRIx64, result->base + at.offset);
        } else {
            sw_sink_printf(out, "%s", sw_show_count(at.offset, offset));
        }
        sw_sink_printf(out, ", alive %" PRId64 "..%" PRId64 "\n", raw_first(problem, buffer->first),
                       raw_last(problem, buffer->last));
    }
}

static void text_misfit(const struct sw_result *result, struct sw_sink *out) {
    const struct sw_problem *problem = sw_layout_problem(result->layout);
    struct sw_misfit misfit;
    struct sw_error error = {0};
    bool found;
    if (!sw_misfit_of(result->search, &misfit, &found)) {
        out->failed = true;
        return;
    }
    if (!found) {
        sw_summary_infeasible(result, &error);
        out->failed |= error.code == SW_ERROR_MEMORY;
        sw_sink_printf(out, "\n%s\n", error.message);
        return;
    }
    char size[32], count[32];
    sw_sink_printf(out, "\ninfeasible: %s (%s B) does not fit into %s at time %" PRId64,
                   SW_SHOWN(buffer_name(problem, misfit.buffer)),
                   sw_show_count(sw_problem_buffer(problem, misfit.buffer)->size, size),
                   SW_SHOWN(tier_name(problem, misfit.tier)), raw_first(problem, misfit.time));
    if (misfit.step) {
        sw_sink_printf(out, ", decision %s", sw_show_count(misfit.step, count));
    }
    sw_sink_printf(out, "\n");
    text_bytes(out, "required", misfit.required);
    sw_sink_printf(out, "\n");
    text_bytes(out, "available", misfit.available);
    sw_sink_printf(out, "\n");
    text_bytes(out, "excess", misfit.excess);
    sw_sink_printf(out, "\n");
    if (misfit.has_hole) {
        text_bytes(out, "largest hole", misfit.hole);
        sw_sink_printf(out, "\n");
    }
    if (misfit.blocks > 1) {
        text_bytes(out, "for all of them", misfit.top);
        sw_sink_printf(out, "   %s blocks end above the capacity; it is the first of them\n",
                       sw_show_count(misfit.blocks, count));
    }
    if (sw_problem_tier_count(problem) == 1 && sw_problem_lower_bound(problem) > misfit.available) {
        sw_sink_printf(out, "no planner can do it without moving blocks out and back: the lower bound itself is above the capacity\n");
    }
}

/* What is right only if operators can write over what they read, which few kernels can. */
static void text_assumed(const struct sw_result *result, struct sw_sink *out) {
    struct sw_assumed assumed = {0};
    const struct sw_problem *problem = sw_layout_problem(result->layout);
    if (!sw_plan_assumed(result, &assumed)) {
        out->failed = true;
    }
    size_t count = assumed.items.count;
    if (count > 0) {
        sw_sink_printf(out, "\nassumes %zu overwrite%s that the graph does not permit:\n", count,
                       count == 1 ? "" : "s");
    }
    for (size_t i = 0; i < count && i < MOST_ASSUMED; i++) {
        const struct sw_permit *permit = &assumed.items.items[i];
        sw_sink_printf(out, "  %s over %s at time %" PRId64 "\n",
                       buffer_name(problem, permit->fresh), buffer_name(problem, permit->old),
                       raw_first(problem, permit->step));
    }
    if (count > MOST_ASSUMED) {
        sw_sink_printf(out, "  and %zu more\n", count - MOST_ASSUMED);
    }
    SW_ARRAY_DONE(&assumed.items);
}

static void summary_text(const struct sw_cli *cli, const struct sw_result *result,
                         struct sw_sink *out) {
    struct sw_metrics metrics;
    uint64_t interpreter = 0;
    sw_metrics_of(result->layout, &metrics);
    text_header(cli, result, out);
    if (sw_cli_reserved_text(result, out)) {
        if (sw_cli_outcome(result) != SW_OUTCOME_FEASIBLE) {
            text_misfit(result, out);
        }
        sw_summary_next(cli, result, 0, out);
        sw_cli_clean(out);
        return;
    }
    if (metrics.single_tier && (metrics.placed > 0 || metrics.planned == 0)) {
        text_bytes(out, "peak", metrics.peak);
        bool bound = metrics.peak == metrics.lower_bound;
        sw_sink_printf(out, "%s%s\n", !result->optimal ? "" : "   optimal: ",
                       !result->optimal ? ""
                       : sw_search_planner(result->search)->reorders
                           ? sw_cli_order_least(result->search)
                       : bound ? "it is the bound"
                               : "proved");
    }
    text_order(result, out);
    text_bound(result, &metrics, out);
    if (metrics.single_tier && metrics.complete) {
        text_ratios(result, &metrics, out);
        text_as_built(result, &metrics, out);
        interpreter = text_interpreter(result, &metrics, out);
    }
    struct sw_claims claims;
    sw_search_claims(result->search, &claims);
    text_tiers(result->layout, &metrics, !claims.no_addresses, out);
    text_claims(result, out);
    text_at_peak(result, out);
    text_assumed(result, out);
    if (sw_cli_outcome(result) != SW_OUTCOME_FEASIBLE) {
        text_misfit(result, out);
    }
    if (cli->bounds) {
        sw_cli_bounds_text(result, out);
    }
    sw_summary_next(cli, result, interpreter, out);
    sw_cli_clean(out);
}

void sw_cli_summary(const struct sw_cli *cli, const struct sw_result *result, enum sw_output output,
                    struct sw_sink *out) {
    if (output == SW_OUTPUT_JSON) {
        summary_json(cli, result, out);
    } else if (output == SW_OUTPUT_CSV) {
        summary_csv(result, out);
    } else {
        summary_text(cli, result, out);
    }
}
