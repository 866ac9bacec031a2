/* A trace as a finished plan: where its run leaves the blocks. */
#include "formats/trace/read/trace_plan.h"

#include "formats/plans/finished_plan.h"
#include "planners/planner.h"

/* A planner that has sizes of its own is named, so that the graph is looked at with its eyes. */
static bool write_plan(const struct sw_search *search, struct sw_sink *sink, struct sw_error *error) {
    const struct sw_recording *recording = sw_problem_recording(sw_search_problem(search));
    struct sw_json_out json = {.out = sink};
    sw_put_object(&json, NULL);
    if (recording && recording->seen_by) {
        sw_put_text(&json, "planner", recording->seen_by->name);
    }
    sw_plan_json_lists(sw_search_layout(search), 0, &json);
    sw_put_end(&json);
    return !sink->failed || sw_fail_memory(error);
}

bool sw_trace_plan(const struct sw_input *input, struct sw_sink *sink, struct sw_error *error) {
    struct sw_problem *problem = sw_load_input(input, NULL, error);
    const struct sw_planner *recorded = problem ? sw_planner_find("recorded", error) : NULL;
    struct sw_search *search = recorded ? sw_search_new(problem, recorded, NULL, error) : NULL;
    bool good = search && sw_search_seek(search, UINT64_MAX, error) && write_plan(search, sink, error);
    sw_search_free(search);
    sw_problem_unref(problem);
    return good;
}
