#include "cli/shared/summary.h"

#include "base/text.h"
#include "planners/online/online_look.h"

/* A figure of the planner's; 0 where it has none of that name. */
static uint64_t figure_of(const struct sw_details *details, const char *key) {
    uint64_t value = 0;
    sw_details_figure(details, key, &value);
    return value;
}

/* A figure of the planner's, where it has one of that name. */
static void put_reserved_figure(struct sw_sink *out, const struct sw_details *details, const char *label,
                                const char *key, const char *remark) {
    uint64_t value;
    if (sw_details_figure(details, key, &value)) {
        sw_report_bytes(out, label, value, "%s", remark);
    }
}

static void requests(struct sw_sink *out, const struct sw_details *details, bool partial) {
    uint64_t allocs = figure_of(details, "allocs"), grown = figure_of(details, "grown"), hits, growth_hits;
    uint64_t releases = figure_of(details, "releases"), ooms = figure_of(details, "ooms");
    sw_sink_printf(out, "  %-15s %s", "requests", SW_COUNT(allocs));
    if (partial) {
        sw_sink_printf(out, ", all that the log tells; %s grew what is reserved", SW_COUNT(grown));
    } else if (sw_details_figure(details, "hits", &hits) && sw_details_figure(details, "growth_hits", &growth_hits)) {
        sw_sink_printf(out,
                       hits == allocs ? ", each predicted where it was recorded"
                                      : ", %s of them predicted where they were recorded",
                       SW_COUNT(hits));
        sw_sink_printf(out, "; %s grew what is reserved", SW_COUNT(grown));
        if (grown > 0) {
            sw_sink_printf(out, growth_hits == grown ? ", as predicted" : ", %s as predicted", SW_COUNT(growth_hits));
        }
    } else if (grown > 0) {
        sw_sink_printf(out, ", of which %s grew what is reserved", SW_COUNT(grown));
    }
    sw_sink_printf(out, "\n");
    if (releases > 0) {
        sw_report_line(out, "given back", "%s, %s in all", SW_COUNTED(releases, "time"),
                       SW_COUNTED(figure_of(details, "segments_freed"), "piece"));
    }
    if (ooms > 0) {
        sw_report_line(out, "out of memory", "%s", SW_COUNTED(ooms, "request"));
    }
}

/* The bound is that of the problem. With the allocator's own sizes it may be another. */
static void lower_bound(struct sw_sink *out, const struct sw_details *details, const struct sw_result *result) {
    struct sw_metrics metrics;
    sw_metrics_of(result->layout, &metrics);
    bool same = figure_of(details, "lower_bound_rounded") == metrics.lower_bound;
    sw_report_bytes(out, "lower bound", metrics.lower_bound,
                    same ? "rounded sizes alive at once: they need no less" : "sizes alive at once");
    if (!same) {
        put_reserved_figure(out, details, "rounded up", "lower_bound_rounded",
                            "sizes as this allocator rounds them: they need no less");
    }
}

/* Of a log that leaves requests out: what it says is reserved, what the requests that it tells take of it, and what it
 * does not tell of the rest. */
static void partly_told(struct sw_sink *out, const struct sw_details *details) {
    uint64_t reserved = figure_of(details, "reserved");
    uint64_t told = figure_of(details, "allocated") + figure_of(details, "reserved_elsewhere");
    uint64_t untold = reserved > told ? reserved - told : 0;
    put_reserved_figure(out, details, "peak reserved", "reserved", "as the log says");
    put_reserved_figure(out, details, "before the log", "reserved_elsewhere", "in regions that it does not show");
    put_reserved_figure(out, details, "in the log", "allocated",
                        "the requests that it tells, in blocks, as if none were freed");
    sw_report_bytes(out, "not in the log", untold, "the rest of the regions: other requests, or free");
}

bool sw_cli_reserved_text(const struct sw_result *result, struct sw_sink *out) {
    struct sw_details details = {0};
    if (!sw_search_planner(result->search)->reserves) {
        return false;
    }
    out->failed |= !sw_search_details(result->search, &details);
    struct sw_online_look look;
    if (sw_online_look(sw_search_planner(result->search), sw_search_planner_state(result->search), &look) &&
        look.heap->partial) {
        partly_told(out, &details);
        requests(out, &details, true);
        sw_details_done(&details);
        return true;
    }
    put_reserved_figure(out, &details, "peak reserved", "reserved", "");
    put_reserved_figure(out, &details, "allocated", "allocated", "the most at once, in blocks");
    put_reserved_figure(out, &details, "asked for", "requested", "the most at once");
    lower_bound(out, &details, result);
    uint64_t first = figure_of(&details, "fragmentation"), least = figure_of(&details, "fragmentation_least");
    put_reserved_figure(out, &details, "not allocated", "fragmentation",
                        first == least ? "when the peak was reached" : "when the peak was first reached");
    if (first != least) {
        put_reserved_figure(out, &details, "", "fragmentation_least", "the least, while it held");
    }
    requests(out, &details, false);
    sw_details_done(&details);
    return true;
}
