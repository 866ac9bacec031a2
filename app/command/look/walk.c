/* From buffer to buffer along the graph, as the pane neighbourhood shows it: to what its operator reads, to what its
 * readers write, and to those beside it. */
#include "base/base.h"
#include "command/look/look.h"
#include "command/runs/branches.h"
#include "command/state.h"

enum way { WAY_LEFT, WAY_RIGHT, WAY_UP, WAY_DOWN };

static bool is_planned(const struct sw_problem *problem, uint32_t b) {
    return sw_problem_buffer(problem, b)->planned;
}

/* The first planned one of a list; SW_NONE: there is none. */
static uint32_t first_planned(const struct sw_problem *problem, const struct sw_ref *refs, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        if (is_planned(problem, refs[i].buffer)) {
            return refs[i].buffer;
        }
    }
    return SW_NONE;
}

static uint32_t read_by(const struct sw_problem *problem, uint32_t step) {
    const struct sw_operator *op = sw_problem_operator(problem, step);
    return first_planned(problem, op->inputs, op->input_count);
}

static uint32_t written_by(const struct sw_problem *problem, uint32_t step) {
    const struct sw_operator *op = sw_problem_operator(problem, step);
    return first_planned(problem, op->outputs, op->output_count);
}

static bool reads_it(const struct sw_problem *problem, uint32_t step, uint32_t b) {
    return step < sw_problem_operator_count(problem) && sw_problem_reads(problem, step, b);
}

/* What the first of its readers that writes anything writes. */
static uint32_t consumer_of(const struct sw_problem *problem, uint32_t b) {
    const struct sw_buffer *buffer = sw_problem_buffer(problem, b);
    uint32_t found = SW_NONE;
    for (uint32_t i = 0; i < buffer->access_count && found == SW_NONE; i++) {
        found = reads_it(problem, buffer->accesses[i], b) ? written_by(problem, buffer->accesses[i]) : SW_NONE;
    }
    return found;
}

/* The nearest before `b`, or after it, among the buffers of a list; `best` is the nearest so far. */
static uint32_t nearer_beside(const struct sw_problem *problem, const struct sw_ref *refs, uint32_t count, uint32_t b,
                              bool up, uint32_t best) {
    for (uint32_t i = 0; i < count; i++) {
        uint32_t other = refs[i].buffer;
        bool there = is_planned(problem, other) && (up ? other < b : other > b);
        bool near = best == SW_NONE || (up ? other > best : other < best);
        best = there && near ? other : best;
    }
    return best;
}

/* Beside it stands what one of its readers reads as well, and what its writer writes as well. */
static uint32_t beside_buffer(const struct sw_problem *problem, uint32_t b, bool up) {
    const struct sw_buffer *buffer = sw_problem_buffer(problem, b);
    uint32_t best = SW_NONE, writer = sw_problem_producer(problem, b);
    for (uint32_t i = 0; i < buffer->access_count; i++) {
        if (reads_it(problem, buffer->accesses[i], b)) {
            const struct sw_operator *op = sw_problem_operator(problem, buffer->accesses[i]);
            best = nearer_beside(problem, op->inputs, op->input_count, b, up, best);
        }
    }
    if (writer != SW_NONE) {
        const struct sw_operator *op = sw_problem_operator(problem, writer);
        best = nearer_beside(problem, op->outputs, op->output_count, b, up, best);
    }
    return best;
}

static uint32_t neighbor_of(const struct sw_problem *problem, uint32_t b, enum way way) {
    uint32_t writer = sw_problem_producer(problem, b);
    return way == WAY_LEFT    ? (writer == SW_NONE ? SW_NONE : read_by(problem, writer))
           : way == WAY_RIGHT ? consumer_of(problem, b)
                              : beside_buffer(problem, b, way == WAY_UP);
}

bool sw_do_walk(struct sw_session *session, const struct sw_given *given, struct sw_error *error) {
    static const char *const nothing[] = {"nothing is read for it", "nothing is made of it", "none stands above it",
                                          "none stands below it"};
    const struct sw_problem *problem = sw_state_problem(session);
    enum way way = (enum way)(given->value[0].choice - 1);
    uint32_t from = session->sight.selected, to, cursor = session->sight.cursor;
    if (sw_problem_operator_count(problem) == 0) {
        return sw_fail(error, SW_ERROR_USAGE, "the file names no operators, so there is no graph to walk");
    }
    if (from == SW_NONE) {
        cursor = SW_MIN(cursor, sw_problem_operator_count(problem) - 1);
        to = way == WAY_LEFT ? read_by(problem, cursor) : written_by(problem, cursor);
    } else {
        to = neighbor_of(problem, from, way);
    }
    if (to == SW_NONE) {
        sw_session_say(session, false, "%s", nothing[way]);
        return true;
    }
    session->sight.selected = to;
    session->sight.scroll = 0;
    session->sight.cursor = sw_problem_buffer(problem, to)->first;
    sw_session_say(session, false, "%s", sw_problem_buffer(problem, to)->name);
    return true;
}

/* The arrow keys walk while the pane of the graph is on view. */
const char *sw_walk_line(const struct sw_session *session, const char *key) {
    static const char *const lines[][2] = {
        {"Left", "walk left"}, {"Right", "walk right"}, {"Up", "walk up"}, {"Down", "walk down"}};
    static const char *const along_addresses[] = {"select-left", "select-right", "select-left", "select-right"};
    bool moment = sw_view_moment_of(sw_state_search(session)) != NULL && session->mode == SW_MODE_NORMAL;
    const struct sw_view *pane = sw_view_pane(session->sight.side);
    bool here = session->mode == SW_MODE_NORMAL && pane->keys == SW_KEYS_GRAPH && !sw_drag_valid(session) &&
                sw_problem_operator_count(sw_state_problem(session)) > 0;
    for (size_t i = 0; (here || moment) && i < sizeof lines / sizeof *lines; i++) {
        if (strcmp(key, lines[i][0]) == 0) {
            return moment ? along_addresses[i] : lines[i][1];
        }
    }
    return NULL;
}
