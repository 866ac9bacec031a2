/* Demands on another program's planner: its command runs again with them.
 *
 * What was decided before must be decided again, byte for byte, or the branch would not be one of this run. What comes
 * after is the planner's answer, whether it heeds the demand or not; where it does not, the decision says so. */
#include "command/attached/attached.h"
#include "base/base.h"

#include "command/doors/doors.h"
#include "formats/text/json.h"
#include "formats/trace/read/trace_grow.h"
#include "planners/planner.h"

bool sw_attached_demands(const struct sw_session *session) {
    return sw_attached_of(session)->argv && sw_recorded_plays(sw_state_search(session));
}

/* The demands of the present run, and one more. Texts are borrowed from problem and override. */
struct demands {
    SW_ARRAY(struct sw_demand) list;
};

static bool gather_demands(const struct sw_session *session, const struct sw_override *o, struct demands *demands) {
    const struct sw_problem *problem = session->problem;
    size_t count;
    const struct sw_demand *before = sw_trace_demands(problem, &count);
    struct sw_demand fresh = {.step = sw_search_at(sw_state_search(session)) + 1,
                              .forbid = o->kind == SW_OVERRIDE_FORBID,
                              .buffer = o->buffer == SW_NONE ? NULL : sw_problem_buffer(problem, o->buffer)->name,
                              .tier = sw_problem_tier(problem, o->tier)->name,
                              .lo = o->kind == SW_OVERRIDE_FORBID ? o->lo : o->offset,
                              .hi = o->hi};
    bool ok = true;
    for (size_t i = 0; ok && i < count; i++) {
        ok = SW_PUSH(&demands->list, before[i]);
    }
    return ok && SW_PUSH(&demands->list, fresh);
}

/* ---- running again ---- */

/* A decision in few words, "place b7 sram+512". False: the line is none, or it does not say where. */
static bool few_words(const char *line, size_t length, char *text, size_t size) {
    struct sw_arena arena = {0};
    json_error_t why;
    bool memory = false;
    const json_t *root = line ? sw_json_parse(&arena, line, length, 0, &why, &memory) : NULL;
    const char *kind = json_string_value(json_object_get(root, "decision"));
    const char *buffer = json_string_value(json_object_get(root, "buffer"));
    const char *tier = json_string_value(json_object_get(root, "tier"));
    const json_t *offset = json_object_get(root, "offset");
    bool good = kind && buffer && json_is_integer(offset);
    if (good) {
        snprintf(text, size, "%.40s %.60s %.40s+%lld", kind, buffer, tier ? tier : "",
                 (long long)json_integer_value(offset));
    }
    sw_arena_done(&arena);
    return good;
}

/* What differs of two lines, from a little before. */
static void cut_out_difference(const char *line, size_t length, size_t from, char *text, size_t size) {
    size_t begin = from > 20 ? from - 20 : 0, most = size - 8;
    begin = begin < length ? begin : length;
    size_t shown = length - begin < most ? length - begin : most;
    snprintf(text, size, "%s%.*s%s", begin ? "..." : "", (int)shown, line + begin, begin + shown < length ? "..." : "");
}

static bool fail_different(const struct sw_rerun *rerun, struct sw_error *error) {
    char was[120] = "not there", is[120] = "not there";
    size_t same = 0;
    bool words = few_words(rerun->was, rerun->was_length, was, sizeof was) &&
                 few_words(rerun->is, rerun->is_length, is, sizeof is);
    if (!words || strcmp(was, is) == 0) {
        while (rerun->was && rerun->is && same < rerun->was_length && same < rerun->is_length &&
               rerun->was[same] == rerun->is[same]) {
            same++;
        }
        if (rerun->was) {
            cut_out_difference(rerun->was, rerun->was_length, same, was, sizeof was);
        }
        if (rerun->is) {
            cut_out_difference(rerun->is, rerun->is_length, same, is, sizeof is);
        }
    }
    return sw_fail(error, SW_ERROR_UNSUPPORTED, "the planner is not deterministic: %s %" PRIu64 " was %s, is %s",
                   rerun->declared ? "before decision" : "decision", rerun->decision, was, is);
}

struct answer {
    bool asks;      /* for demands */
    bool unchanged; /* to the end it is the run that there was */
};

/* Has it decided the same up to here? */
static bool same_decisions(const struct sw_session *session, struct sw_live_command *live, struct answer *answer,
                           struct sw_error *error) {
    struct sw_input before = {0}, now = {0};
    struct sw_rerun rerun = {0};
    bool good = sw_input_open(sw_attached_path(session, sw_attached_present(session)), &before, error) &&
                sw_input_open(sw_live_path(live), &now, error);
    if (good) {
        const struct sw_run_text a = {before.bytes, before.length, true}, b = {now.bytes, now.length, true};
        answer->asks = memmem(now.bytes, now.length, "\"asked\":", 8) ||
                       sw_child_facts(sw_live_child(live))->opened_demands != 0; /* -1: not known */
        answer->unchanged = before.length == now.length && memcmp(before.bytes, now.bytes, now.length) == 0;
        good = sw_runs_compare(&a, &b, sw_search_at(sw_state_search(session)), &rerun) != SW_NOT_SAME ||
               fail_different(&rerun, error);
    }
    sw_input_close(&before);
    sw_input_close(&now);
    return good;
}

static bool read_rerun(struct sw_session *session, struct sw_live_command *live, struct sw_error *error) {
    enum { RERUN_PART = 256 << 10 };
    while (!sw_live_over(live)) {
        size_t got;
        if (!sw_live_read(live, RERUN_PART, &got, error)) {
            return false;
        }
        sw_live_wait(live, got > 0, got > 0 ? 0 : 50);
        if (session->calls.wait) {
            sw_session_say(session, false, "the command runs again: %" PRIu64 " decisions so far; Esc ends it",
                           sw_live_decisions(live));
            if (!session->calls.wait(session->calls.program_context)) {
                return sw_fail(error, SW_ERROR_CANCELED, "the command was ended; nothing has changed");
            }
        }
    }
    return true;
}

static bool keep_rerun(struct sw_attached *attached, const char *demands, struct sw_live_command *live,
                       struct sw_error *error) {
    struct sw_attached_rerun fresh = {.demands = sw_state_copy(demands), .live = live};
    if (!fresh.demands || !SW_PUSH(&attached->reruns, fresh)) {
        sw_state_drop(fresh.demands);
        return sw_fail_memory(error);
    }
    return true;
}

/* A planner places most buffers once. */
static bool fail_too_late(const struct sw_session *session, const struct sw_override *override,
                          struct sw_error *error) {
    return sw_fail(error, SW_ERROR_UNSUPPORTED,
                   "the run stays as it is: %s had its place before this decision, and the planner does not decide "
                   "about it again; go "
                   "back to where it is placed",
                   sw_problem_buffer(session->problem, override->buffer)->name);
}

static bool has_place(const struct sw_session *session, uint32_t buffer) {
    struct sw_placement place;
    return buffer != SW_NONE && sw_layout_placement(sw_search_layout(sw_state_search(session)), buffer, 0, &place);
}

static bool run_command_again(struct sw_session *session, const struct demands *demands,
                              const struct sw_override *override, const char *key, struct sw_error *error) {
    struct sw_attached *attached = sw_attached_of(session);
    const struct sw_child_command command = {.argv = (const char *const *)attached->argv,
                                             .directory = attached->directory,
                                             .demands = demands->list.items,
                                             .demand_count = demands->list.count};
    struct answer answer = {0};
    if (!attached->allowed) {
        return sw_fail(error, SW_ERROR_UNSUPPORTED,
                       "this would run the command again that recorded this session: :run-command shows it, and "
                       ":run-command yes allows it");
    }
    struct sw_live_command *live = sw_live_start(&command, error);
    if (!live) {
        return false;
    }
    bool good = read_rerun(session, live, error);
    session->status.text[0] = '\0';
    good = good && same_decisions(session, live, &answer, error);
    if (good && !answer.asks) {
        good = sw_fail(
            error, SW_ERROR_UNSUPPORTED,
            "the planner never asks whether a place is demanded (stowage_record_demand, stowage_record_forbidden): "
            "it decides the same again");
    }
    if (good && answer.unchanged && has_place(session, override->buffer)) {
        good = fail_too_late(session, override, error);
    }
    good = good && keep_rerun(attached, key, live, error);
    if (!good) {
        sw_live_free(live);
    }
    return good;
}

static bool open_branch(struct sw_session *session, const struct demands *demands,
                        const struct sw_attached_rerun *rerun, const struct sw_origin *origin, struct sw_error *error) {
    struct sw_load_options load = session->options.load;
    load.demands = demands->list.items;
    load.demand_count = demands->list.count;
    load.grows = false;
    load.uses = NULL; /* it is no file of the user's */
    const char *path = sw_attached_path(session, rerun);
    const struct sw_planner *planner = sw_search_planner(sw_state_search(session));
    struct sw_problem *problem = sw_load(path, &load, NULL, error);
    struct sw_search *search = NULL;
    if (problem && sw_planner_applies(planner, problem, error)) {
        search = sw_search_new(problem, planner, sw_search_params(sw_state_search(session)), error);
    }
    uint64_t at = sw_search_at(sw_state_search(session));
    bool good = search && sw_branch_adopt(session, search, problem, origin, at, error);
    sw_problem_unref(problem); /* the branch has its own reference */
    return good;
}

bool sw_attached_branch(struct sw_session *session, const struct sw_override *override, const struct sw_origin *origin,
                        struct sw_error *error) {
    struct demands demands = {0};
    struct sw_sink key = {0};
    const char *text = NULL;
    if (gather_demands(session, override, &demands)) {
        sw_child_demands(&key, demands.list.items, demands.list.count);
        text = sw_sink_ended(&key);
    }
    bool good = (text || sw_fail_memory(error)) && (sw_attached_find_rerun(sw_attached_of(session), text) ||
                                                    run_command_again(session, &demands, override, text, error));
    good = good && open_branch(session, &demands, sw_attached_find_rerun(sw_attached_of(session), text), origin, error);
    sw_sink_done(&key);
    SW_ARRAY_DONE(&demands.list);
    return good;
}
