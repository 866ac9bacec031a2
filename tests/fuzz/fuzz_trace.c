/* Decision traces: what is accepted is played to its end, looked at decision by decision, played back, checked,
 * continued by another planner, and written as a trace, which opens again and leads through the same layouts. */
#include "fuzz/fuzz.h"

#include "formats/trace/trace_write.h"
#include "planners/planner.h"
#include "search/search.h"

#include <stdio.h> /* snprintf */
#include <stdlib.h>
#include <string.h>

enum { MOST = 300 }; /* decisions that are played one by one */

static uint64_t digests[MOST + 1];

static void no_memory(bool good, const char *what) {
    if (!good) {
        fuzz_fail("%s failed", what);
    }
}

static struct sw_search *open_run(const struct sw_problem *problem) {
    struct sw_error error = {0};
    struct sw_search *search = sw_search_new(problem, sw_planner_find("recorded", NULL), NULL, &error);
    if (!search) {
        fuzz_fail("the run cannot be played: %s", error.message);
    }
    return search;
}

static void look(const struct sw_search *search, const struct sw_explanation *why) {
    struct sw_state_tables tables = {.most = 20};
    char sentence[200];
    sw_decision_describe(sw_search_problem(search), &why->decision, sentence, sizeof sentence);
    for (size_t i = 0; i < why->candidates.count; i++) {
        const struct sw_candidate *c = &why->candidates.items[i];
        if (c->tier != SW_NONE && c->tier >= sw_problem_tier_count(sw_search_problem(search))) {
            fuzz_fail("a candidate in a tier that there is not");
        }
    }
    sw_search_state(search, &tables);
    no_memory(!tables.failed, "the state");
    sw_state_tables_done(&tables);
}

static bool pour(void *context, struct sw_sink *sink, struct sw_error *error) {
    struct sw_sink *all = context;
    (void)error;
    sw_sink_add(all, sink->text.items, sink->text.count);
    sink->text.count = 0;
    return true;
}

/* Every decision, and the layout after it, into a trace. */
static uint64_t play(struct sw_search *search, struct sw_sink *trace) {
    struct sw_explanation why = {0};
    struct sw_error error = {0};
    enum sw_step step = SW_STEP_MORE;
    struct sw_trace_writer *writer = sw_trace_writer_new(search, true, pour, trace, &error);
    no_memory(writer != NULL, "the writer");
    while (sw_search_at(search) < MOST && (step = sw_search_step_explained(search, &why, &error)) == SW_STEP_MORE) {
        look(search, &why);
        digests[sw_search_at(search)] = sw_layout_digest(sw_search_layout(search));
        no_memory(sw_trace_writer_decision(writer, &why, &error), "writing");
    }
    if (step == SW_STEP_FAILED && error.code != SW_ERROR_INFEASIBLE) {
        fuzz_fail("decision %llu: %s", (unsigned long long)sw_search_at(search), error.message);
    }
    no_memory(sw_trace_writer_end(writer, step == SW_STEP_FAILED ? error.message : NULL, 0, &error), "ending");
    sw_trace_writer_free(writer);
    sw_explanation_done(&why);
    return sw_search_at(search);
}

static void seek(struct sw_search *search, uint64_t to) {
    struct sw_error error = {0};
    no_memory(sw_search_seek(search, to, &error), "seeking");
    if (sw_search_at(search) != to || sw_layout_digest(sw_search_layout(search)) != digests[to]) {
        fuzz_fail("decision %llu has another layout when one goes back to it", (unsigned long long)to);
    }
}

static void check(const struct sw_search *search) {
    struct sw_metrics metrics;
    size_t faults = 0;
    sw_metrics_of(sw_search_layout(search), &metrics);
    no_memory(sw_layout_check(sw_search_layout(search), &faults, NULL, NULL), "checking");
}

/* What was written opens again. */
static void again(const struct sw_sink *trace, uint64_t end) {
    struct sw_input input = fuzz_input((const uint8_t *)trace->text.items, trace->text.count);
    struct sw_problem *problem = fuzz_read(&sw_format_trace, &input);
    if (!problem) {
        fuzz_fail("what was written cannot be opened:\n%.*s", (int)trace->text.count, trace->text.items);
    }
    struct sw_search *search = open_run(problem);
    for (uint64_t at = 1; at <= end; at++) {
        if (sw_search_step(search, NULL) != SW_STEP_MORE || sw_layout_digest(sw_search_layout(search)) != digests[at]) {
            fuzz_fail("written and opened again, decision %llu differs:\n%.*s", (unsigned long long)at,
                      (int)trace->text.count, trace->text.items);
        }
    }
    sw_search_free(search);
    sw_problem_unref(problem);
}

/* One of our planners takes over in the middle: it may refuse, with a word. */
static void go_on(const struct sw_problem *problem, uint64_t from) {
    struct sw_params params = SW_PARAMS_DEFAULT;
    struct sw_error error = {0};
    char text[24];
    snprintf(text, sizeof text, "%llu", (unsigned long long)from);
    no_memory(sw_params_set(&params, "continue", "best-fit", &error) && sw_params_set(&params, "from", text, &error),
              "a setting");
    struct sw_search *search = sw_search_new(problem, sw_planner_find("recorded", NULL), &params, &error);
    for (unsigned i = 0; search && i < 2 * MOST && sw_search_step(search, &error) == SW_STEP_MORE; i++) {
    }
    if (search && sw_search_at(search) > from / 2 && !sw_search_seek(search, from / 2, &error)) {
        fuzz_fail("cannot go back: %s", error.message);
    }
    sw_search_free(search);
    sw_params_done(&params);
}

static void try_run(const struct sw_problem *problem) {
    struct sw_sink trace = {0};
    struct sw_search *search = open_run(problem);
    digests[0] = sw_layout_digest(sw_search_layout(search));
    uint64_t end = play(search, &trace);
    check(search);
    seek(search, end / 2);
    check(search);
    seek(search, end / 3);
    seek(search, end);
    seek(search, 0);
    sw_search_free(search);
    again(&trace, end);
    sw_sink_done(&trace);
    go_on(problem, end / 2);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct sw_input input = fuzz_input(data, size);
    sw_format_trace.detect(&input);
    struct sw_problem *problem = fuzz_read(&sw_format_trace, &input);
    if (problem && sw_problem_recording(problem)) {
        try_run(problem);
    }
    sw_problem_unref(problem);
    return 0;
}
