/* A finished plan as a table in Markdown, for a pull request: what was planned with what, what it
 * needs, and where every buffer lies, the highest first. */

#include "formats/format.h"
#include "base/base.h"
#include "base/sort.h"
#include "formats/plans/finished_plan.h"
#include "planners/planner.h"

struct md_line {
    struct sw_placement place;
    uint64_t size;
};

/* By tier, then from the top down; ties as listed. */
static int compare_lines(const void *a, const void *b) {
    const struct md_line *x = a, *y = b;
    uint64_t u = x->place.offset + x->size, v = y->place.offset + y->size;
    return x->place.tier != y->place.tier ? SW_COMPARE(x->place.tier, y->place.tier)
           : u != v                       ? SW_COMPARE(v, u)
                                          : SW_COMPARE(x->place.buffer, y->place.buffer);
}

static void add_head(const struct sw_result *result, struct sw_sink *sink) {
    const struct sw_problem *problem = sw_layout_problem(result->layout);
    struct sw_metrics metrics;
    sw_metrics_of(result->layout, &metrics);
    sw_sink_printf(sink, "**");
    sw_sink_md(sink, sw_problem_name(problem));
    sw_sink_printf(sink, "** planned by ");
    sw_sink_md(sink, sw_search_planner(result->search)->name);
    sw_sink_printf(sink, ", seed %" PRIu64 ": ", sw_search_params(result->search)->seed);
    if (metrics.single_tier) {
        sw_sink_printf(sink, "%" PRIu64 " bytes, lower bound %" PRIu64, metrics.peak, metrics.lower_bound);
        if (metrics.comparable) {
            sw_sink_printf(sink, " (%+.1f%%)", 100 * metrics.over_bound);
        }
        sw_sink_printf(sink, "%s\n\n", result->optimal ? ", proved optimal" : "");
        return;
    }
    for (uint32_t t = 0; t < sw_problem_tier_count(problem); t++) {
        sw_sink_printf(sink, "%s", t ? ", " : "");
        sw_sink_md(sink, sw_problem_tier(problem, t)->name);
        sw_sink_printf(sink, " %" PRIu64 " bytes", metrics.tier_peak[t]);
    }
    sw_sink_printf(sink, "\n\n");
}

static void add_md_line(const struct sw_result *result, const struct md_line *line, bool tiers, struct sw_sink *sink) {
    const struct sw_problem *problem = sw_layout_problem(result->layout);
    const struct sw_buffer *buffer = sw_problem_buffer(problem, line->place.buffer);
    const struct sw_span span = line->place.span;
    uint32_t from = SW_MAX(span.from, buffer->first);
    uint32_t to = SW_MIN(span.to, buffer->last);
    sw_sink_printf(sink, "| ");
    sw_sink_md(sink, buffer->name);
    if (tiers) {
        sw_sink_printf(sink, " | ");
        sw_sink_md(sink, sw_problem_tier(problem, line->place.tier)->name);
    }
    sw_sink_printf(sink, " | %" PRIu64 " | %" PRIu64 " | %" PRId64 "..%" PRId64 " |\n",
                   line->place.offset + result->base, buffer->size, sw_problem_time(problem, from),
                   sw_problem_time(problem, to + 1) - 1);
}

static bool plan_md_write(const struct sw_result *result, struct sw_sink *sink, struct sw_error *error) {
    const struct sw_problem *problem = sw_layout_problem(result->layout);
    SW_ARRAY(struct md_line) lines = {0};
    bool tiers = sw_problem_tier_count(problem) > 1, good = true;
    for (uint32_t b = 0; b < sw_problem_buffer_count(problem) && good; b++) {
        struct md_line line = {.size = sw_problem_buffer(problem, b)->size};
        for (uint32_t k = 0; good && sw_layout_placement(result->layout, b, k, &line.place); k++) {
            good = SW_PUSH(&lines, line);
        }
    }
    if (lines.count > 1) {
        qsort(lines.items, lines.count, sizeof *lines.items, compare_lines);
    }
    char assumed[200];
    const char *words = sw_plan_assumed_words(result, assumed, sizeof assumed);
    good = good && words;
    add_head(result, sink);
    if (words && *words) {
        sw_sink_printf(sink, "<!-- %s -->\n\n**%s**\n\n", words, words);
    }
    sw_sink_printf(sink, "| buffer |%s offset | bytes | alive |\n| --- |%s ---: | ---: | ---: |\n",
                   tiers ? " tier |" : "", tiers ? " --- |" : "");
    for (size_t i = 0; i < lines.count; i++) {
        add_md_line(result, &lines.items[i], tiers, sink);
    }
    SW_ARRAY_DONE(&lines);
    return (good && !sink->failed) || sw_fail_memory(error);
}

const struct sw_format sw_format_plan_md = {
    .name = "plan-md",
    .summary = "a finished plan as a table in Markdown, the highest blocks first; alive is inclusive",
    .extensions = ".md",
    .write_plan = plan_md_write,
};
