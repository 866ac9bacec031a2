/* stowage check: is a plan valid for a graph? The answer comes from sw_layout_check, which shares
 * nothing with the planners. Only the graph makes an overlap right: what a plan says of its overwrites
 * is not believed. With --assume-overwrites a buffer may also be written over another one that the
 * operator that writes it uses last; each such overlap is printed. */
#include "cli/shared/output.h"
#include "base/base.h"
#include "cli/report/cli_report.h"
#include "formats/plans/finished_plan.h"
#include "lua/planning/lua_planner.h"
#include "planners/planner.h"

#include <sys/stat.h>

/* Beyond these a plan is simply wrong, and pairs can be very many. */
#define MOST_FAULTS 10000

static const char *const fault_words[] = {"missing", "tier", "alignment", "capacity", "reserved",
                                          "overlap", "pin",  "transfer",  "away"};

/* For people the text says all. */
static const struct sw_report_column fault_columns[] = {{.json = "kind"},
                                                        {.json = "buffer"},
                                                        {.json = "other"},
                                                        {.json = "time"},
                                                        {.json = "lo"},
                                                        {.json = "hi"},
                                                        {.json = "text", .head = "", .left = true}};

struct listing {
    const struct sw_problem *problem;
    struct sw_cli_report out;
    size_t count;
    struct sw_assumed assumed;
    bool moves;          /* some buffer changes its memory */
    SW_ARRAY(char) text; /* of the present fault: names can be long */
};

/* Where `fault` is NULL there is a buffer alone. */
static void put_fault(struct listing *listing, const char *kind, const char *buffer, const struct sw_fault *fault,
                      const char *text) {
    const struct sw_problem *problem = listing->problem;
    struct sw_cli_report *out = &listing->out;
    bool pair = fault && fault->other != SW_NONE;
    sw_row_text(out, kind);
    sw_row_text(out, buffer);
    sw_row_text(out, pair ? sw_problem_buffer(problem, fault->other)->name : NULL);
    fault ? sw_row_words(out, "%" PRId64, sw_problem_time(problem, fault->step)) : sw_row_none(out);
    SW_ROW_COUNTS(out, fault, fault ? fault->lo : 0, fault ? fault->hi : 0);
    sw_row_text(out, text);
}

static void list_fault(void *context, const struct sw_fault *fault) {
    struct listing *listing = context;
    const struct sw_problem *problem = listing->problem;
    if (listing->count++ >= MOST_FAULTS) {
        return;
    }
    int length = sw_fault_describe(problem, fault, NULL, 0);
    if (length < 0 || !SW_RESERVE(&listing->text, (size_t)length + 1)) {
        listing->out.out.failed = true;
        return;
    }
    sw_fault_describe(problem, fault, listing->text.items, (size_t)length + 1);
    put_fault(listing, fault_words[fault->kind], sw_problem_buffer(problem, fault->buffer)->name, fault,
              listing->text.items);
}

/* Where the plan and the graph disagree. */
static void list_mismatch(void *context, const char *buffer, const char *text) {
    struct listing *listing = context;
    if (listing->count++ < MOST_FAULTS) {
        put_fault(listing, "mismatch", buffer, NULL, text);
    }
}

/* ", peak 5,120 B": of the one tier in use, or of each. */
static void add_tier_peaks(const struct sw_problem *problem, const struct sw_metrics *metrics, struct sw_sink *out) {
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

/* A valid plan below the bound: by what? The bound is one of plans that move nothing. */
static const char *below_bound_words(const struct listing *listing, const struct sw_metrics *metrics) {
    if (!metrics->complete || !metrics->single_tier || listing->moves || metrics->peak >= metrics->lower_bound) {
        return "";
    }
    return listing->assumed.items.count ? ": below it only if operators can write over what they read"
                                        : ": below it by overlaps that the graph permits";
}

static void conclude_text(const struct sw_cli *cli, struct listing *listing, const struct sw_metrics *metrics) {
    struct sw_sink *out = &listing->out.out;
    if (listing->count > MOST_FAULTS) {
        sw_sink_printf(out, "and %zu more faults\n", listing->count - MOST_FAULTS);
    }
    if (listing->count > 0) {
        return;
    }
    sw_sink_text(out, cli->files[1]);
    sw_sink_printf(out, ": valid, %" PRIu32 " buffer%s", metrics->planned, metrics->planned == 1 ? "" : "s");
    add_tier_peaks(listing->problem, metrics, out);
    sw_sink_printf(out, ", bound %" PRIu64 "%s", metrics->lower_bound, below_bound_words(listing, metrics));
    if (cli->planner && sw_problem_origin(listing->problem) != listing->problem) {
        sw_sink_printf(out, ", for the model as %s sees it", cli->planner);
    }
    sw_sink_add(out, "\n", 1);
    for (size_t i = 0; i < listing->assumed.items.count; i++) {
        const struct sw_permit *permit = &listing->assumed.items.items[i];
        sw_sink_printf(out, "assumed: ");
        sw_sink_text(out, sw_problem_buffer(listing->problem, permit->fresh)->name);
        sw_sink_printf(out, " is written over ");
        sw_sink_text(out, sw_problem_buffer(listing->problem, permit->old)->name);
        sw_sink_printf(out, " at time %" PRId64 ", though the graph does not permit it\n",
                       sw_problem_time(listing->problem, permit->step));
    }
}

static void conclude_json(struct listing *listing, const struct sw_metrics *metrics) {
    struct sw_json_out *json = &listing->out.json;
    sw_put_count(json, "fault_count", listing->count);
    sw_put_truth(json, "valid", !listing->count);
    sw_put_count(json, "buffers", metrics->planned);
    sw_put_known(json, "peak", metrics->single_tier, metrics->peak);
    sw_put_count(json, "lower_bound", metrics->lower_bound);
    sw_put_list(json, "assumed_overwrites");
    for (size_t i = 0; i < listing->assumed.items.count; i++) {
        sw_plan_put_permit(listing->problem, &listing->assumed.items.items[i], json);
    }
    sw_put_end(json);
    sw_put_end(json);
}

static void keep_permit(void *context, const struct sw_permit *permit) {
    struct listing *listing = context;
    listing->out.out.failed |= !SW_PUSH(&listing->assumed.items, *permit);
}

static void count_mismatch(void *context, const char *buffer, const char *text) {
    (void)buffer, (void)text;
    ++*(size_t *)context;
}

/* Is the plan one without a fault, for the graph as it is seen here? It is not where it cannot be read. False: no
 * memory. */
static bool is_sound(const struct sw_cli *cli, const struct sw_problem *problem, bool *sound) {
    size_t mismatches = 0, faults = 0;
    struct sw_error error = {0};
    struct sw_layout *layout = sw_plan_read(cli->files[1], problem, cli->base, count_mismatch, &mismatches, &error);
    bool memory = layout ? sw_layout_check(layout, &faults, NULL, NULL) : error.code != SW_ERROR_MEMORY;
    *sound = layout && memory && mismatches == 0 && faults == 0;
    sw_layout_free(layout);
    return memory;
}

/* A plan as CSV does not name its planner, and some planners plan other sizes or groups of buffers than the graph has.
 * Find the first planner for which the plan is right; NULL: there is none, or the plan cannot be read again. False: no
 * memory. */
static bool find_planner(const struct sw_cli *cli, const struct sw_problem *problem, const struct sw_planner **found,
                         struct sw_error *error) {
    struct stat about;
    bool again = stat(cli->files[1], &about) == 0 && S_ISREG(about.st_mode); /* what is no file can be read only once */
    *found = NULL;
    for (size_t i = 0; again && !*found && i < sw_planner_built_in_count(); i++) {
        const struct sw_planner *planner = sw_planner_get(i);
        bool derives = planner->derive && !planner->reserves && sw_planner_applies(planner, problem, NULL),
             sound = false;
        const struct sw_problem *seen = derives ? planner->derive(problem, NULL, error) : NULL;
        bool memory = derives && !seen
                          ? error->code != SW_ERROR_MEMORY
                          : !seen || seen == problem || is_sound(cli, seen, &sound) || sw_fail_memory(error);
        sw_problem_unref(seen);
        if (!memory) {
            return false;
        }
        *found = sound ? planner : NULL;
    }
    return true;
}

/* What is left to find once the plan is read, and the verdict. */
static int check_one_layout(struct sw_cli *cli, const struct sw_layout *layout, struct listing *listing) {
    struct sw_metrics metrics;
    sw_metrics_of(layout, &metrics);
    size_t faults;
    bool known = cli->assume_overwrites ? sw_layout_check_assuming(layout, &faults, keep_permit, list_fault, listing)
                                        : sw_layout_check(layout, &faults, list_fault, listing);
    listing->moves = sw_layout_transfer_count(layout) > 0;
    if (!known || listing->out.out.failed) {
        return sw_cli_fail_memory();
    }
    sw_rows_end(&listing->out);
    if (listing->out.output == SW_OUTPUT_JSON) {
        conclude_json(listing, &metrics);
    } else {
        conclude_text(cli, listing, &metrics);
    }
    const struct sw_planner *maker = NULL;
    struct sw_error error = {0};
    if (listing->count && !cli->planner && !cli->assume_overwrites &&
        !find_planner(cli, listing->problem, &maker, &error)) {
        return sw_cli_fail(&error);
    }
    int status = sw_cli_report_finish(cli, &listing->out, listing->count ? 1 : 0);
    if (maker && status == 1) {
        sw_cli_tell(SW_ERROR_UNSUPPORTED, cli->files[1],
                    "note: it is valid for the model as %s sees it, which check -p %s judges", maker->name,
                    maker->name);
    }
    return status;
}

static int read_and_check(struct sw_cli *cli, const struct sw_problem *problem, enum sw_output output) {
    struct sw_error error = {0};
    struct listing listing = {.problem = problem};
    sw_cli_report_start(&listing.out, output);
    if (output == SW_OUTPUT_JSON) {
        sw_put_object(&listing.out.json, NULL);
        sw_put_lines(&listing.out.json);
        sw_put_text(&listing.out.json, "plan", cli->files[1]);
    }
    sw_rows_begin(&listing.out, "faults", fault_columns, sizeof fault_columns / sizeof *fault_columns);
    struct sw_layout *layout = sw_plan_read(cli->files[1], problem, cli->base, list_mismatch, &listing, &error);
    listing.problem = layout ? sw_layout_problem(layout) : problem;
    int status = layout ? check_one_layout(cli, layout, &listing) : sw_cli_fail(&error);
    sw_layout_free(layout);
    SW_ARRAY_DONE(&listing.text, &listing.assumed.items);
    sw_cli_report_drop(&listing.out);
    return status;
}

/* The graph as the planner of --planner sees it: a plan as CSV cannot name its planner. */
static const struct sw_problem *problem_of_checker(const char *name, const struct sw_problem *problem,
                                                   struct sw_error *error) {
    const struct sw_planner *planner = name ? sw_lua_planner_find(name, error) : NULL;
    if (name && (!planner || !sw_planner_applies(planner, problem, error))) {
        return NULL;
    }
    return planner && planner->derive ? planner->derive(problem, NULL, error) : sw_problem_ref(problem);
}

int sw_cli_check(struct sw_cli *cli) {
    struct sw_error error = {0};
    enum sw_output output;
    if (!sw_cli_output(cli, &output, &error)) {
        return sw_cli_fail(&error);
    }
    if (output != SW_OUTPUT_TEXT && output != SW_OUTPUT_JSON) {
        return sw_cli_tell(SW_ERROR_USAGE, NULL, "check writes text or JSON");
    }
    struct sw_problem *problem = sw_cli_load(cli, NULL);
    if (!problem) {
        return 2;
    }
    const struct sw_problem *seen = problem_of_checker(cli->planner, problem, &error);
    int status = seen ? read_and_check(cli, seen, output) : sw_cli_fail(&error);
    sw_problem_unref(seen);
    sw_problem_unref(problem);
    return status;
}
