/* stowage check: is a plan valid for a graph? The answer comes from sw_layout_check, which shares
 * nothing with the planners. A CSV cannot list overwrites; there every overlap that the graph
 * itself allows (rule R6) is taken for one, and the answer says how many. */
#include "cli/run.h"
#include "lua/planner.h"

#include <inttypes.h>
#include <string.h>

/* Beyond these a plan is simply wrong, and pairs can be very many. */
#define MOST_FAULTS 10000

static const char *const fault_words[] = {"missing", "tier", "alignment", "capacity", "reserved",
                                          "overlap", "pin",  "transfer",  "away"};

struct listing {
    const struct sw_problem *problem;
    struct sw_sink *out;
    bool json;
    bool lists;     /* the plan can say what is written over what */
    size_t granted; /* otherwise: overlaps that the graph allows */
    size_t count;
    SW_ARRAY(char) text; /* of the present fault: names can be long */
};

static void list_fault(void *context, const struct sw_fault *fault) {
    struct listing *listing = context;
    struct sw_sink *out = listing->out;
    const struct sw_problem *problem = listing->problem;
    if (listing->count++ >= MOST_FAULTS) {
        return;
    }
    int length = sw_fault_describe(problem, fault, NULL, 0);
    if (length < 0 || !SW_RESERVE(&listing->text, (size_t)length + 1)) {
        out->failed = true;
        return;
    }
    char *text = listing->text.items;
    sw_fault_describe(problem, fault, text, (size_t)length + 1);
    if (!listing->json) {
        sw_sink_text(out, text);
        sw_sink_add(out, "\n", 1);
        return;
    }
    sw_sink_printf(out, "%s{\"kind\":\"%s\",\"buffer\":", listing->count > 1 ? ",\n  " : "\n  ",
                   fault_words[fault->kind]);
    sw_sink_json(out, sw_problem_buffer(problem, fault->buffer)->name);
    sw_sink_printf(out, ",\"other\":");
    if (fault->other == SW_NONE) {
        sw_sink_printf(out, "null");
    } else {
        sw_sink_json(out, sw_problem_buffer(problem, fault->other)->name);
    }
    sw_sink_printf(out, ",\"time\":%" PRId64 ",\"lo\":%" PRIu64 ",\"hi\":%" PRIu64 ",\"text\":",
                   sw_problem_time(problem, fault->step), fault->lo, fault->hi);
    sw_sink_json(out, text);
    sw_sink_printf(out, "}");
}

/* Where the plan and the graph disagree. */
static void list_mismatch(void *context, const char *buffer, const char *text) {
    struct listing *listing = context;
    struct sw_sink *out = listing->out;
    if (listing->count++ >= MOST_FAULTS) {
        return;
    }
    if (!listing->json) {
        sw_sink_text(out, text);
        sw_sink_add(out, "\n", 1);
        return;
    }
    sw_sink_printf(out,
                   "%s{\"kind\":\"mismatch\",\"buffer\":", listing->count > 1 ? ",\n  " : "\n  ");
    sw_sink_json(out, buffer);
    sw_sink_printf(out, ",\"other\":null,\"time\":null,\"lo\":null,\"hi\":null,\"text\":");
    sw_sink_json(out, text);
    sw_sink_printf(out, "}");
}

/* ", peak 5120 B": of the one tier in use, or of each. */
static void add_peaks(const struct sw_problem *problem, const struct sw_metrics *metrics,
                      struct sw_sink *out) {
    if (metrics->single_tier) {
        sw_sink_printf(out, ", peak %" PRIu64, metrics->peak);
        return;
    }
    for (uint32_t t = 0; t < sw_problem_tier_count(problem); t++) {
        sw_sink_printf(out, ", peak of ");
        sw_sink_text(out, sw_problem_tier(problem, t)->name);
        sw_sink_printf(out, " %" PRIu64, metrics->tier_peak[t]);
    }
}

static void conclude_text(const struct sw_cli *cli, const struct listing *listing,
                          const struct sw_metrics *metrics) {
    struct sw_sink *out = listing->out;
    if (listing->count > MOST_FAULTS) {
        sw_sink_printf(out, "and %zu more faults\n", listing->count - MOST_FAULTS);
    }
    if (listing->count > 0) {
        return;
    }
    sw_sink_text(out, cli->files[1]);
    sw_sink_printf(out, ": valid, %" PRIu32 " buffer%s", metrics->planned,
                   metrics->planned == 1 ? "" : "s");
    add_peaks(listing->problem, metrics, out);
    sw_sink_printf(out, ", bound %" PRIu64 "\n", metrics->lower_bound);
    if (listing->granted > 0) {
        bool one = listing->granted == 1;
        sw_sink_printf(out, "%zu overlap%s that the graph allows (rule R6)\n", listing->granted,
                       one ? " is an overwrite" : "s are overwrites");
    }
}

static void conclude_json(const struct listing *listing, const struct sw_metrics *metrics) {
    struct sw_sink *out = listing->out;
    sw_sink_printf(out, "],\n \"fault_count\":%zu,\"valid\":%s,\"buffers\":%" PRIu32 ",\"peak\":",
                   listing->count, listing->count ? "false" : "true", metrics->planned);
    if (metrics->single_tier) {
        sw_sink_printf(out, "%" PRIu64, metrics->peak);
    } else {
        sw_sink_printf(out, "null");
    }
    sw_sink_printf(out, ",\"lower_bound\":%" PRIu64 ",\"taken_as_overwrites\":%zu}\n",
                   metrics->lower_bound, listing->granted);
}

/* What is left to find once the plan is read, and the verdict. */
static int check(struct sw_cli *cli, const struct sw_layout *layout, struct listing *listing) {
    struct sw_metrics metrics;
    sw_metrics_of(layout, &metrics);
    size_t faults;
    if (!sw_layout_check_granting(layout, &faults, listing->lists ? NULL : &listing->granted,
                                  list_fault, listing)) {
        struct sw_error error;
        sw_fail_memory(&error);
        return sw_cli_fail(&error);
    }
    if (listing->json) {
        conclude_json(listing, &metrics);
    } else {
        conclude_text(cli, listing, &metrics);
    }
    return sw_cli_put(cli, listing->out, listing->count ? 1 : 0);
}

static int read_and_check(struct sw_cli *cli, const struct sw_problem *problem, bool json) {
    struct sw_error error = {0};
    struct sw_sink out = {0};
    struct listing listing = {.problem = problem, .out = &out, .json = json};
    if (json) {
        sw_sink_printf(&out, "{\"plan\":");
        sw_sink_json(&out, cli->files[1]);
        sw_sink_printf(&out, ",\"faults\":[");
    }
    struct sw_layout *layout = sw_plan_read_for_check(
        cli->files[1], problem, cli->base, list_mismatch, &listing, &listing.lists, &error);
    listing.problem = layout ? sw_layout_problem(layout) : problem;
    int status = layout ? check(cli, layout, &listing) : sw_cli_fail(&error);
    sw_layout_free(layout);
    SW_ARRAY_DONE(&listing.text);
    sw_sink_done(&out);
    return status;
}

/* The graph as the planner of --planner sees it: a plan as CSV cannot say whose it is. */
static const struct sw_problem *seen_by(const char *name, const struct sw_problem *problem,
                                        struct sw_error *error) {
    const struct sw_planner *planner = name ? sw_lua_planner_find(name, error) : NULL;
    if (name && (!planner || !sw_planner_applies(planner, problem, error))) {
        return NULL;
    }
    return planner && planner->derive ? planner->derive(problem, error) : sw_problem_ref(problem);
}

int sw_cli_check(struct sw_cli *cli) {
    struct sw_error error = {0};
    enum sw_output output;
    if (!sw_cli_output(cli, &output, &error)) {
        return sw_cli_fail(&error);
    }
    if (output != SW_OUTPUT_TEXT && output != SW_OUTPUT_JSON) {
        sw_fail(&error, SW_ERROR_USAGE, "check writes text or JSON");
        return sw_cli_fail(&error);
    }
    struct sw_problem *problem = sw_cli_load(cli, NULL);
    if (!problem) {
        return 2;
    }
    const struct sw_problem *seen = seen_by(cli->planner, problem, &error);
    int status = seen ? read_and_check(cli, seen, output == SW_OUTPUT_JSON) : sw_cli_fail(&error);
    sw_problem_unref(seen);
    sw_problem_unref(problem);
    return status;
}
