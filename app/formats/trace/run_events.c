#include "formats/trace/run_events.h"
#include "base/base.h"
#include "base/sort.h"
#include "formats/text/json_write.h"
#include "planners/online/online_look.h"
#include "planners/planner.h"
#include "problem/moment/moment.h"

#define ENOUGH_EVENTS (1u << 16) /* bytes collected before they are poured */

enum { OF_MODEL = 1, OF_PLANNER, OF_BUFFERS }; /* processes */
/* Threads, each number once: OPERATORS and on are the cores, and behind them the tracks of buffers. */
enum { DECISIONS = 1, TRANSFERS, OPERATORS };

bool sw_events_named(const char *path, bool *gzip) {
    static const char end[] = ".perfetto.json", zipped[] = ".perfetto.json.gz";
    size_t length = strlen(path);
    bool is_zipped = length >= sizeof zipped && strcmp(path + length - (sizeof zipped - 1), zipped) == 0;
    if (gzip) {
        *gzip = is_zipped;
    }
    return is_zipped || (length >= sizeof end && strcmp(path + length - (sizeof end - 1), end) == 0);
}

/* ---- events ---- */

static void put_microseconds(struct sw_json_out *json, const char *key, uint64_t nanoseconds) {
    if (nanoseconds % SW_EVENTS_US == 0) {
        sw_put_count(json, key, nanoseconds / SW_EVENTS_US);
    } else {
        sw_put_printf(json, key, "%" PRIu64 ".%03u", nanoseconds / SW_EVENTS_US,
                      (unsigned)(nanoseconds % SW_EVENTS_US));
    }
}

void sw_events_begin(struct sw_events *events, char phase, const char *name, unsigned process, uint32_t thread,
                     uint64_t at) {
    struct sw_json_out *json = &events->json;
    sw_put_object(json, NULL);
    sw_put_text(json, "ph", (const char[]){phase, '\0'});
    sw_put_text(json, "name", name);
    SW_PUT_COUNTS(json, {"pid", process}, {"tid", thread});
    if (phase != 'M') {
        static const char *const categories[] = {"", "model", "planner", "buffers"};
        sw_put_text(json, "cat", categories[process]);
        put_microseconds(json, "ts", at);
    }
    if (phase == 'i') {
        sw_put_text(json, "s", "t"); /* as high as its thread */
    }
    if (phase != 'X') {
        sw_put_object(json, "args");
    }
}

void sw_events_begin_long(struct sw_events *events, const char *name, unsigned process, uint32_t thread, uint64_t at,
                          uint64_t duration) {
    sw_events_begin(events, 'X', name, process, thread, at);
    put_microseconds(&events->json, "dur", duration);
    sw_put_object(&events->json, "args");
}

bool sw_events_end(struct sw_events *events) {
    sw_put_end(&events->json);
    sw_put_end(&events->json);
    if (events->out.failed) {
        return sw_fail_memory(events->error);
    }
    return events->out.text.count < ENOUGH_EVENTS ||
           events->way->pour(events->way->pour_context, &events->out, events->error);
}

bool sw_events_count(struct sw_events *events, const char *name, unsigned process, uint64_t at, uint64_t bytes) {
    sw_events_begin(events, 'C', name, process, 0, at);
    sw_put_count(&events->json, "bytes", bytes);
    return sw_events_end(events);
}

static bool name_track(struct sw_events *events, const char *what, unsigned process, uint32_t thread,
                       const char *name) {
    sw_events_begin(events, 'M', what, process, thread, 0);
    sw_put_text(&events->json, "name", name);
    return sw_events_end(events);
}

static bool sort_track(struct sw_events *events, const char *what, unsigned process, uint32_t thread, uint32_t at) {
    sw_events_begin(events, 'M', what, process, thread, 0);
    sw_put_count(&events->json, "sort_index", at);
    return sw_events_end(events);
}

/* Tracks stand in the order of their numbers. */
bool sw_events_name_process(struct sw_events *events, unsigned process, const char *name) {
    return name_track(events, "process_name", process, 0, name) &&
           sort_track(events, "process_sort_index", process, 0, process);
}

bool sw_events_name_thread(struct sw_events *events, unsigned process, uint32_t thread, const char *name) {
    return name_track(events, "thread_name", process, thread, name) &&
           sort_track(events, "thread_sort_index", process, thread, thread);
}

/* ---- the model, in its own time ---- */

struct run_events {
    struct sw_events common;
    struct sw_search *search;
    const struct sw_planner *planner;
    const struct sw_layout *layout;
    bool raw; /* a microsecond is a unit of the model's time, not a step */
};

static uint64_t nanoseconds_at(const struct run_events *run, uint32_t step) {
    const struct sw_problem *problem = run->common.problem;
    uint64_t since = (uint64_t)sw_problem_time(problem, step) - (uint64_t)sw_problem_time(problem, 0);
    return (run->raw ? since : step) * SW_EVENTS_US;
}

static void put_track_names(struct run_events *run, const char *key, const struct sw_ref *refs, uint32_t count) {
    struct sw_json_out *json = &run->common.json;
    const struct sw_problem *problem = run->common.problem;
    sw_put_list(json, key);
    for (uint32_t i = 0; i < count; i++) {
        sw_put_text(json, NULL,
                    refs[i].member == SW_NONE ? sw_problem_buffer(problem, refs[i].buffer)->name
                                              : sw_problem_member(problem, refs[i].member)->name);
    }
    sw_put_end(json);
}

static bool put_operators(struct run_events *run) {
    struct sw_events *events = &run->common;
    const struct sw_problem *problem = events->problem;
    uint32_t cores = sw_problem_core_count(problem), count = sw_problem_operator_count(problem);
    bool good = true;
    for (uint32_t c = 0; good && count > 0 && c < cores; c++) {
        char name[300];
        snprintf(name, sizeof name, cores > 1 ? "operators of %.200s" : "operators", sw_problem_core(problem, c));
        good = sw_events_name_thread(events, OF_MODEL, OPERATORS + c, name);
    }
    for (uint32_t i = 0; good && i < count; i++) {
        const struct sw_operator *operator_ = sw_problem_operator(problem, i);
        uint64_t at = nanoseconds_at(run, i);
        sw_events_begin_long(events, operator_->name, OF_MODEL, OPERATORS + operator_->core, at,
                             nanoseconds_at(run, i + 1) - at);
        sw_put_count(&events->json, "step", i);
        sw_put_time(&events->json, "time", sw_problem_time(problem, i));
        sw_put_text(&events->json, "kind", operator_->kind);
        sw_put_count(&events->json, "live_bytes", sw_problem_profile(problem)[i]);
        put_track_names(run, "reads", operator_->inputs, operator_->input_count);
        put_track_names(run, "writes", operator_->outputs, operator_->output_count);
        put_track_names(run, "scratch", operator_->scratch, operator_->scratch_count);
        good = sw_events_end(events);
    }
    return good;
}

/* Behind the last step nothing is alive. */
static bool put_live(struct run_events *run) {
    uint32_t steps = sw_problem_steps(run->common.problem);
    const uint64_t *profile = sw_problem_profile(run->common.problem);
    bool good = true;
    for (uint32_t i = 0; good && i < steps; i++) {
        good = (i > 0 && profile[i] == profile[i - 1]) ||
               sw_events_count(&run->common, "live bytes", OF_MODEL, nanoseconds_at(run, i), profile[i]);
    }
    return good && (steps == 0 || sw_events_count(&run->common, "live bytes", OF_MODEL, nanoseconds_at(run, steps), 0));
}

/* Of a plan: each memory in use keeps its bytes from the first step to the last. */
static bool put_arena_counters(struct run_events *run) {
    const struct sw_problem *problem = run->common.problem;
    uint32_t tiers = sw_problem_tier_count(problem), steps = sw_problem_steps(problem);
    bool good = true;
    for (uint32_t t = 0; good && t < tiers; t++) {
        uint64_t bytes = sw_layout_tier_peak(run->layout, t);
        char name[300];
        snprintf(name, sizeof name, tiers > 1 ? "reserved bytes of %.200s" : "reserved bytes",
                 sw_problem_tier(problem, t)->name);
        good = bytes == 0 || (sw_events_count(&run->common, name, OF_MODEL, 0, bytes) &&
                              sw_events_count(&run->common, name, OF_MODEL, nanoseconds_at(run, steps), bytes));
    }
    return good;
}

static const char *place_name(const struct sw_problem *problem, uint32_t tier) {
    return tier == SW_NONE ? SW_HOST_NAME : sw_problem_tier(problem, tier)->name;
}

static bool put_transfers(struct run_events *run) {
    struct sw_events *events = &run->common;
    size_t count = sw_layout_transfer_count(run->layout);
    bool good = count == 0 || sw_events_name_thread(events, OF_MODEL, TRANSFERS, "transfers");
    for (size_t i = 0; good && i < count; i++) {
        struct sw_transfer transfer = sw_layout_transfer_get(run->layout, i);
        const struct sw_buffer *buffer = sw_problem_buffer(events->problem, transfer.buffer);
        sw_events_begin(events, 'i', buffer->name, OF_MODEL, TRANSFERS, nanoseconds_at(run, transfer.step));
        sw_put_count(&events->json, "size", buffer->size);
        sw_put_text(&events->json, "from", place_name(events->problem, transfer.from));
        sw_put_text(&events->json, "to", place_name(events->problem, transfer.to));
        good = sw_events_end(events);
    }
    return good;
}

/* ---- buffers: side by side, on as few tracks as are alive at once ---- */

struct buffer_stay {
    uint32_t first, last; /* steps, both inside */
    uint32_t track;
    struct sw_placement place; /* tier SW_NONE: the run gave it none */
};
struct buffer_stays {
    SW_ARRAY(struct buffer_stay) items;
    SW_ARRAY(size_t) by_end; /* their numbers */
    SW_ARRAY(uint32_t) free_tracks;
    uint32_t tracks;
};

static bool list_stays(const struct run_events *run, struct buffer_stays *stays) {
    const struct sw_problem *problem = run->common.problem;
    bool good = true;
    for (uint32_t i = 0; good && i < sw_problem_planned_count(problem); i++) {
        uint32_t number = sw_problem_order(problem)[i];
        const struct sw_buffer *buffer = sw_problem_buffer(problem, number);
        struct buffer_stay stay = {buffer->first, buffer->last, 0, {.buffer = number, .tier = SW_NONE}};
        uint32_t k = 0;
        for (; good && sw_layout_placement(run->layout, number, k, &stay.place); k++) {
            stay.first = SW_MAX(stay.place.span.from, buffer->first);
            stay.last = SW_MIN(stay.place.span.to, buffer->last);
            good = SW_PUSH(&stays->items, stay);
        }
        stay.place = (struct sw_placement){.buffer = number, .tier = SW_NONE};
        good = good && (k > 0 || SW_PUSH(&stays->items, stay));
    }
    return good;
}

static int compare_begins(const void *of_a, const void *of_b) {
    const struct buffer_stay *a = of_a, *b = of_b;
    return a->first != b->first ? SW_COMPARE(a->first, b->first) : SW_COMPARE(a->place.buffer, b->place.buffer);
}

static int compare_ends(const void *of_a, const void *of_b, void *of_stays) {
    const struct buffer_stay *all = of_stays, *a = &all[*(const size_t *)of_a], *b = &all[*(const size_t *)of_b];
    return a->last != b->last ? SW_COMPARE(a->last, b->last) : SW_COMPARE(*(const size_t *)of_a, *(const size_t *)of_b);
}

static bool give_tracks(struct buffer_stays *stays) {
    size_t count = stays->items.count, ended = 0;
    bool good = true;
    for (size_t i = 0; good && i < count; i++) {
        good = SW_PUSH(&stays->by_end, i);
    }
    if (!good || count == 0) {
        return good;
    }
    qsort(stays->items.items, count, sizeof *stays->items.items, compare_begins);
    qsort_r(stays->by_end.items, count, sizeof *stays->by_end.items, compare_ends, stays->items.items);
    for (size_t i = 0; good && i < count; i++) {
        struct buffer_stay *stay = &stays->items.items[i];
        for (; good && stays->items.items[stays->by_end.items[ended]].last < stay->first; ended++) {
            good = SW_PUSH(&stays->free_tracks, stays->items.items[stays->by_end.items[ended]].track);
        }
        stay->track = stays->free_tracks.count ? stays->free_tracks.items[--stays->free_tracks.count] : stays->tracks++;
    }
    return good;
}

static uint32_t buffer_track(const struct sw_problem *problem, uint32_t track) {
    return OPERATORS + sw_problem_core_count(problem) + track;
}

static bool put_stay(struct run_events *run, const struct buffer_stay *stay) {
    struct sw_events *events = &run->common;
    struct sw_json_out *json = &events->json;
    const struct sw_problem *problem = events->problem;
    const struct sw_buffer *buffer = sw_problem_buffer(problem, stay->place.buffer);
    uint64_t at = nanoseconds_at(run, stay->first);
    bool placed = stay->place.tier != SW_NONE;
    sw_events_begin_long(events, buffer->name, OF_BUFFERS, buffer_track(problem, stay->track), at,
                         nanoseconds_at(run, stay->last + 1) - at);
    sw_put_count(json, "size", buffer->size);
    sw_put_text(json, "tier", placed ? place_name(problem, stay->place.tier) : NULL);
    sw_put_known(json, "offset", placed, events->about->base + stay->place.offset);
    sw_put_time(json, "first", sw_problem_time(problem, stay->first));
    sw_put_time(json, "last", sw_problem_time(problem, stay->last + 1) - 1);
    sw_put_text(json, "kind", sw_buffer_kind(buffer));
    if (buffer->asked != buffer->size) {
        sw_put_count(json, "asked", buffer->asked);
    }
    if (buffer->origin) {
        sw_put_text(json, "stack", buffer->origin);
    }
    return sw_events_end(events);
}

static bool put_buffers(struct run_events *run) {
    struct buffer_stays stays = {0};
    bool good = (list_stays(run, &stays) && give_tracks(&stays)) || sw_fail_memory(run->common.error);
    good = good && (stays.tracks == 0 || sw_events_name_process(&run->common, OF_BUFFERS, "buffers"));
    for (uint32_t t = 0; good && t < stays.tracks; t++) {
        good = sw_events_name_thread(&run->common, OF_BUFFERS, buffer_track(run->common.problem, t), "alive");
    }
    for (size_t i = 0; good && i < stays.items.count; i++) {
        good = put_stay(run, &stays.items.items[i]);
    }
    SW_ARRAY_DONE(&stays.items, &stays.by_end, &stays.free_tracks);
    return good;
}

/* ---- decisions ---- */

static bool put_decision_event(struct run_events *run, const struct sw_decision *decision, uint64_t at,
                               uint64_t duration) {
    struct sw_events *events = &run->common;
    struct sw_json_out *json = &events->json;
    const struct sw_problem *problem = events->problem;
    const char *buffer = decision->buffer == SW_NONE ? NULL : sw_problem_buffer(problem, decision->buffer)->name;
    char name[300], text[SW_MESSAGE], reason[SW_REASON];
    bool placed = decision->tier != SW_NONE;
    snprintf(name, sizeof name, "%s%s%.200s", sw_decision_called(decision), buffer ? " " : "", buffer ? buffer : "");
    struct sw_decision addressed = *decision;
    addressed.offset += placed ? events->about->base : 0;
    sw_decision_describe(problem, &addressed, text, sizeof text);
    sw_events_begin_long(events, name, OF_PLANNER, DECISIONS, at, duration);
    sw_put_count(json, "step", decision->step);
    sw_put_text(json, "kind", sw_decision_called(decision));
    sw_put_text(json, "buffer", buffer);
    sw_put_text(json, "tier", placed ? sw_problem_tier(problem, decision->tier)->name : NULL);
    sw_put_known(json, "offset", placed, addressed.offset);
    sw_put_known(json, "size", placed || buffer, decision->size);
    sw_put_count(json, "peak", decision->peak);
    sw_put_number(json, "cost", decision->cost);
    sw_put_text(json, "reason", sw_decision_reason(decision, reason));
    sw_put_text(json, "sentence", text);
    return sw_events_end(events);
}

static bool tell_written_decision(const struct run_events *run, uint64_t decision) {
    const struct sw_events_way *way = run->common.way;
    return !way->go_on || way->go_on(way->go_on_context, decision) ||
           sw_fail(run->common.error, SW_ERROR_CANCELED, "interrupted");
}

/* A microsecond each, in the planner's own order. */
static bool put_decision_events(struct run_events *run) {
    uint64_t last = UINT64_MAX;
    bool good = true;
    for (uint64_t step = 1; good && step <= sw_search_known(run->search); step++) {
        const struct sw_decision *decision = sw_search_journal(run->search, step);
        uint64_t at = (step - 1) * SW_EVENTS_US;
        good = !decision || (put_decision_event(run, decision, at, SW_EVENTS_US) &&
                             (decision->peak == last || sw_events_count(&run->common, "peak after the decision",
                                                                        OF_PLANNER, at, decision->peak)));
        last = decision ? decision->peak : last;
        good = good && (step % 1024 > 0 || tell_written_decision(run, step));
    }
    return good;
}

/* Those of one step, from `step` on: how many. */
static uint64_t decisions_of_step(const struct run_events *run, uint64_t step, uint32_t time) {
    uint64_t count = 0;
    const struct sw_decision *decision;
    while (step + count <= sw_search_known(run->search) &&
           (decision = sw_search_journal(run->search, step + count)) != NULL &&
           (decision->time == time || decision->time == SW_NONE)) {
        count++;
    }
    return SW_MAX(count, 1);
}

/* An online allocator decides as time goes on: the decisions of a step share it. */
static bool put_served_decisions(struct run_events *run) {
    uint32_t steps = sw_problem_steps(run->common.problem), time = 0;
    uint64_t known = sw_search_known(run->search), step = 1, last = UINT64_MAX;
    bool good = sw_search_seek(run->search, 0, run->common.error);
    while (good && step <= known) {
        const struct sw_decision *first = sw_search_journal(run->search, step);
        time = first && first->time != SW_NONE && first->time >= time && first->time < steps ? first->time : time;
        uint64_t count = decisions_of_step(run, step, first ? first->time : SW_NONE), at = nanoseconds_at(run, time);
        uint64_t room = nanoseconds_at(run, time + 1) - at;
        for (uint64_t i = 0; good && i < count; i++, step++) {
            struct sw_online_look look;
            uint64_t from = at + room * i / count, to = at + room * (i + 1) / count;
            good = sw_search_seek(run->search, step, run->common.error) && tell_written_decision(run, step) &&
                   put_decision_event(run, sw_search_decision(run->search), from, to - from);
            bool changed = good && sw_online_look(run->planner, sw_search_planner_state(run->search), &look) &&
                           look.heap->reserved != last;
            last = changed ? look.heap->reserved : last;
            good = good && (!changed || sw_events_count(&run->common, "reserved bytes", OF_MODEL, from, last));
        }
    }
    good = good &&
           (known == 0 || sw_events_count(&run->common, "reserved bytes", OF_MODEL, nanoseconds_at(run, steps), last));
    bool back = sw_search_seek(run->search, known, good ? run->common.error : NULL);
    run->layout = sw_search_layout(run->search);
    return back && good;
}

/* ---- the whole ---- */

static void put_about(struct run_events *run, const char *unit) {
    struct sw_json_out *json = &run->common.json;
    const struct sw_events_about *about = run->common.about;
    const struct sw_problem *problem = run->common.problem;
    char label[SW_PLANNER_LABEL];
    struct sw_metrics metrics;
    sw_put_object(json, "otherData");
    sw_put_text(json, "made_by", "stowage " SW_VERSION);
    sw_put_text(json, "model", sw_problem_name(problem));
    sw_put_text(json, "input", about->input);
    if (about->conditions && *about->conditions) {
        sw_put_text(json, "options", about->conditions);
    }
    sw_put_text(json, "microsecond", unit);
    if (!sw_problem_moment(problem)) {
        sw_metrics_of(run->layout, &metrics);
        sw_put_text(json, "planner", sw_search_label(run->search, label));
        sw_put_count(json, "seed", sw_search_params(run->search)->seed);
        sw_put_known(json, "peak", metrics.single_tier, metrics.peak);
        sw_put_count(json, "lower_bound", sw_problem_lower_bound(problem));
        if (about->fault) {
            sw_put_text(json, "fault", about->fault);
        }
    }
    sw_put_end(json);
}

static bool put_run_events(struct run_events *run) {
    struct sw_events *events = &run->common;
    char name[SW_PLANNER_LABEL + 80], label[SW_PLANNER_LABEL];
    bool online = sw_online_kind(run->planner) != NULL;
    snprintf(name, sizeof name, "%s, %s", sw_search_label(run->search, label),
             online ? "decisions in the model's time" : "a decision a microsecond");
    return sw_events_name_process(events, OF_MODEL, sw_problem_name(events->problem)) && put_operators(run) &&
           put_live(run) && (online || put_arena_counters(run)) && put_transfers(run) &&
           sw_events_name_process(events, OF_PLANNER, name) &&
           sw_events_name_thread(events, OF_PLANNER, DECISIONS, "decisions") &&
           (online ? put_served_decisions(run) : put_decision_events(run)) && put_buffers(run);
}

bool sw_events_write(struct sw_search *search, const struct sw_events_about *about, const struct sw_events_way *way,
                     struct sw_error *error) {
    const struct sw_problem *problem = sw_search_problem(search);
    const struct sw_moment *moment = sw_problem_moment(problem);
    uint32_t steps = sw_problem_steps(problem);
    struct run_events run = {.common = {.problem = problem, .about = about, .way = way, .error = error},
                             .search = search,
                             .planner = sw_search_planner(search),
                             .layout = sw_search_layout(search)};
    struct sw_json_out *json = &run.common.json;
    json->out = &run.common.out;
    run.raw = (uint64_t)sw_problem_time(problem, steps) - (uint64_t)sw_problem_time(problem, 0) <= SW_EVENTS_MOST_TIME;
    sw_put_object(json, NULL);
    sw_put_lines(json);
    char bytes[60];
    snprintf(bytes, sizeof bytes, "%s of address", SW_COUNTED(moment ? sw_events_moment_unit(moment) : 0, "byte"));
    put_about(&run, moment                             ? bytes
                    : !run.raw                         ? "a step of the model; a decision of the planner"
                    : sw_problem_time_is_step(problem) ? "a step of the model; a decision of the planner"
                                                       : "a unit of the model's time; a decision of the planner");
    sw_put_text(json, "displayTimeUnit", "ns");
    sw_put_list(json, "traceEvents");
    sw_put_lines(json);
    bool good = moment ? sw_events_moment(&run.common, moment) : put_run_events(&run);
    if (good) {
        sw_put_end(json);
        sw_put_end(json);
        good = run.common.out.failed ? sw_fail_memory(error) : way->pour(way->pour_context, &run.common.out, error);
    }
    sw_sink_done(&run.common.out);
    return good;
}
