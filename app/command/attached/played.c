/* What is known of the recording that a session plays: does it go on, which run is shown, how does it end? */
#include "command/attached/attached.h"
#include "base/base.h"

#include "formats/trace/read/trace_grow.h"
#include "planners/planner.h"

struct sw_attached *sw_attached_of(const struct sw_session *session) {
    while (session->owner) {
        session = session->owner;
    }
    return session->attached;
}

bool sw_recorded_plays(const struct sw_search *search) {
    const struct sw_planner *planner = sw_search_planner(search);
    return (planner->needs & SW_NEEDS_RECORDING) &&
           strcmp(sw_params_text(sw_search_params(search), planner, "continue"), "none") == 0;
}

bool sw_attached_open(const struct sw_session *session) {
    const struct sw_attached *attached = session->attached; /* one that a reload makes does not read */
    return attached->live && !attached->over && !session->owner && sw_recorded_plays(sw_state_search(session)) &&
           session->problem == sw_branch_at(session, 0)->problem;
}

static const struct sw_problem *traced(const struct sw_session *session) {
    return sw_branch_at(session, 0)->problem;
}

bool sw_session_indexing(const struct sw_session *session) {
    double part;
    return !session->owner && sw_trace_unread(traced(session), &part);
}

bool sw_indexing_open(const struct sw_session *session) {
    return sw_session_indexing(session) && session->problem == traced(session) &&
           sw_recorded_plays(sw_state_search(session));
}

void sw_recorded_more(struct sw_session *session) {
    for (size_t i = 0; i < sw_branch_count(session); i++) {
        struct sw_branch *branch = sw_branch_at(session, i);
        if (branch->search && branch->problem == sw_branch_at(session, 0)->problem &&
            sw_recorded_plays(branch->search)) {
            sw_search_more(branch->search);
            branch->ended = branch->figured = false;
        }
    }
}

const struct sw_attached_rerun *sw_attached_find_rerun(const struct sw_attached *attached, const char *demands) {
    for (size_t i = 0; i < attached->reruns.count; i++) {
        if (strcmp(attached->reruns.items[i].demands, demands) == 0) {
            return &attached->reruns.items[i];
        }
    }
    return NULL;
}

const struct sw_attached_rerun *sw_attached_present(const struct sw_session *session) {
    struct sw_sink wanted = {0};
    size_t count;
    const struct sw_demand *demands = sw_trace_demands(session->problem, &count);
    sw_child_demands(&wanted, demands, count);
    const char *text = sw_sink_ended(&wanted);
    const struct sw_attached_rerun *present =
        count > 0 && text ? sw_attached_find_rerun(sw_attached_of(session), text) : NULL;
    sw_sink_done(&wanted);
    return present;
}

void sw_recorded_fault(char *text, size_t size, const struct sw_recording *recording, const char *how) {
    snprintf(text, size, "the recording ends without its end, after decision %zu%s%.200s", recording->decisions.count,
             *how ? ": the command " : "", how);
}

const char *sw_attached_fault(const struct sw_session *session, char *text, size_t size) {
    const struct sw_attached *attached = sw_attached_of(session);
    const struct sw_recording *recording = sw_problem_recording(session->problem);
    size_t demands;
    if (!attached->argv || !sw_recorded_plays(sw_state_search(session))) {
        return NULL;
    }
    if (session->problem == sw_branch_at(session, 0)->problem) {
        snprintf(text, size, "%s", attached->over ? attached->fault : "");
        return *text ? text : NULL;
    }
    sw_trace_demands(session->problem, &demands);
    if (demands == 0 || recording->end != SW_RECORDING_OPEN) {
        return NULL;
    }
    struct sw_live_command *live = sw_attached_present(session) ? sw_attached_present(session)->live : NULL;
    sw_recorded_fault(text, size, recording, live ? sw_child_facts(sw_live_child(live))->how : "");
    return text;
}
