/* A block in the hand: it is carried from one free place to the next, seen on the map where it
 * would lie, and put down as a pin. Nothing is changed, and nothing logged, before that. */
#include "command/command_line.h"
#include "base/base.h"
#include "command/runs/branches.h"
#include "command/state.h"

struct sw_drag {
    bool on;
    uint32_t buffer, tier;
    uint32_t branch; /* where it was taken up */
    uint64_t step;
    SW_ARRAY(uint64_t) places; /* where it may be put, ascending */
    size_t at;
};

SW_SESSION_PART(drag, SW_ARRAY_DONE(&drag->places));

enum { MOST_DRAG_PLACES = 4096 }; /* both ends of so many gaps */

void sw_drag_drop(struct sw_session *session) {
    session->drag->on = false;
}

static bool add_drag_place(struct sw_drag *hold, uint64_t offset) {
    if (hold->places.count && hold->places.items[hold->places.count - 1] >= offset) {
        return true; /* the gap is as large as the block: both ends are one place */
    }
    return SW_PUSH(&hold->places, offset);
}

/* The lowest and the highest place in every gap that is large enough, ascending. */
static bool find_drag_places(struct sw_session *session, struct sw_error *error) {
    struct sw_drag *hold = session->drag;
    const struct sw_search *search = sw_state_search(session);
    const struct sw_buffer *buffer = sw_problem_buffer(session->problem, hold->buffer);
    struct sw_gaps gaps = {0};
    bool good = sw_gaps_find(&gaps, sw_search_layout(search), sw_search_rules(search), hold->buffer, SW_WHOLE_LIFE,
                             hold->tier, sw_problem_tier(session->problem, hold->tier)->capacity);
    hold->places.count = 0;
    for (size_t i = 0; good && i < gaps.gaps.count && i < MOST_DRAG_PLACES; i++) {
        const struct sw_gap *gap = &gaps.gaps.items[i];
        if (!sw_gap_fits(gap, buffer->size)) {
            continue;
        }
        good = add_drag_place(hold, gap->start);
        if (good && gap->hi != SW_UNBOUNDED) {
            uint64_t high = gap->hi - buffer->size;
            good = add_drag_place(hold, high - high % buffer->alignment);
        }
    }
    sw_gaps_done(&gaps);
    if (!good) {
        return sw_fail_memory(error);
    }
    return hold->places.count > 0 || sw_fail(error, SW_ERROR_USAGE, "there is no free place for %s in %s", buffer->name,
                                             sw_problem_tier(session->problem, hold->tier)->name);
}

/* The place nearest to an offset. */
static size_t nearest(const struct sw_drag *hold, uint64_t offset) {
    size_t best = 0;
    uint64_t least = UINT64_MAX;
    for (size_t i = 0; i < hold->places.count; i++) {
        uint64_t at = hold->places.items[i], by = at > offset ? at - offset : offset - at;
        if (by < least) {
            least = by;
            best = i;
        }
    }
    return best;
}

/* Is the middle of the block, put there, outside of the window? */
static bool out_of_view(const struct sw_session *session, const struct sw_buffer *buffer, uint64_t offset) {
    const struct sw_viewport *view = &session->sight.viewport;
    double middle = (double)offset + (double)buffer->size / 2;
    return !session->sight.fit && (buffer->first + 1.0 <= view->time_lo || buffer->first >= view->time_hi ||
                                   middle < view->bytes_lo || middle >= view->bytes_hi);
}

static void say_place(struct sw_session *session) {
    const struct sw_drag *hold = session->drag;
    const struct sw_buffer *buffer = sw_problem_buffer(session->problem, hold->buffer);
    uint64_t offset = hold->places.items[hold->at];
    char at[32], end[16];
    if (out_of_view(session, buffer, offset)) { /* a command, since the log has to know */
        sw_session_command(session, "zoom-fit", NULL);
    }
    sw_session_say(session, false,
                   "%s to %s, up to %s (place %zu of %zu): Enter puts it there, Up Down carry "
                   "it, Esc lets go",
                   buffer->name, sw_show_count(offset + session->options.base, at),
                   sw_show_bytes(offset + buffer->size + session->options.base, end), hold->at + 1, hold->places.count);
}

/* The block and its tier come into view: by commands, for the session's log. */
static bool show_held(struct sw_session *session, struct sw_error *error) {
    char name[700], line[760];
    bool good = true;
    if (session->sight.selected != session->drag->buffer) {
        sw_session_quote(sw_problem_buffer(session->problem, session->drag->buffer)->name, name, sizeof name);
        snprintf(line, sizeof line, "select %s", name);
        good = sw_session_command(session, line, error);
    }
    if (good && session->sight.tier != session->drag->tier) {
        snprintf(line, sizeof line, "tier %" PRIu32, session->drag->tier);
        good = sw_session_command(session, line, error);
    }
    return good;
}

/* Which places there are for a buffer, in the tier where it lies or belongs. `place`: where it lies, or all zero. */
static bool look_for_places(struct sw_session *session, uint32_t buffer, struct sw_placement *place,
                            struct sw_error *error) {
    struct sw_drag *hold = session->drag;
    const struct sw_buffer *about = sw_problem_buffer(session->problem, buffer);
    if (!about->planned) {
        return sw_fail(error, SW_ERROR_USAGE, "%s is not planned", about->name);
    }
    bool placed = sw_layout_placement(sw_search_layout(sw_state_search(session)), buffer, 0, place);
    hold->on = false;
    hold->buffer = buffer;
    hold->tier = placed ? place->tier : sw_state_home(session, buffer);
    return find_drag_places(session, error);
}

const uint64_t *sw_drag_places(struct sw_session *session, uint32_t buffer, size_t *count) {
    struct sw_placement place = {0};
    bool found = look_for_places(session, buffer, &place, NULL);
    *count = session->drag->places.count;
    return found ? session->drag->places.items : NULL;
}

bool sw_do_hold(struct sw_session *session, const struct sw_given *given, struct sw_error *error) {
    struct sw_drag *hold = session->drag;
    uint32_t buffer;
    struct sw_placement place = {0};
    if (!sw_state_subject(session, given, &buffer, error) || !look_for_places(session, buffer, &place, error)) {
        return false;
    }
    hold->branch = session->current;
    hold->step = sw_search_at(sw_state_search(session));
    hold->at = nearest(hold, given->count > 1 ? given->value[1].number : place.offset);
    hold->on = true;
    if (!show_held(session, error)) {
        hold->on = false;
        return false;
    }
    say_place(session);
    return true;
}

bool sw_do_put(struct sw_session *session, const struct sw_given *given, struct sw_error *error) {
    (void)given;
    char name[700], line[900];
    if (!sw_drag_valid(session)) {
        return sw_fail(error, SW_ERROR_USAGE, "no block is in the hand: hold takes one");
    }
    const struct sw_drag *hold = session->drag;
    session->drag->on = false;
    sw_session_quote(sw_problem_buffer(session->problem, hold->buffer)->name, name, sizeof name);
    snprintf(line, sizeof line, "pin %s %" PRIu64 " %" PRIu32, name,
             hold->places.items[hold->at] + session->options.base, hold->tier);
    return sw_session_command(session, line, error);
}

bool sw_drag_valid(const struct sw_session *session) {
    const struct sw_drag *hold = session->drag;
    return hold->on && hold->branch == session->current && hold->step == sw_search_at(sw_state_search(session));
}

enum sw_taken sw_drag_key(struct sw_session *session, const char *key, struct sw_error *error) {
    struct sw_drag *hold = session->drag;
    if (!sw_drag_valid(session)) {
        hold->on = false; /* something else was done meanwhile */
        return SW_PASSED;
    }
    static const struct {
        const char *key;
        int by;
    } ways[] = {{"Up", 1},
                {"k", 1},
                {"Down", -1},
                {"j", -1},
                {"PageUp", 10},
                {"PageDown", -10},
                {"End", MOST_DRAG_PLACES * 2},
                {"G", MOST_DRAG_PLACES * 2},
                {"Home", -MOST_DRAG_PLACES * 2},
                {"g", -MOST_DRAG_PLACES * 2}};
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        if (strcmp(ways[i].key, key) == 0) {
            long at = (long)hold->at + ways[i].by, most = (long)hold->places.count - 1;
            hold->at = (size_t)(at < 0 ? 0 : at > most ? most : at);
            say_place(session);
            return SW_TAKEN;
        }
    }
    if (strcmp(key, "Enter") == 0) {
        sw_session_command(session, "put", error);
        return SW_TAKEN;
    }
    hold->on = false; /* any other key lets go, and Esc does no more than that */
    if (strcmp(key, "Esc") == 0) {
        sw_session_say(session, false, "let go");
        return SW_TAKEN;
    }
    return SW_PASSED;
}

void sw_drag_view(struct sw_session *session, struct sw_view_input *in) {
    const struct sw_drag *hold = session->drag;
    in->look.holding = sw_drag_valid(session);
    if (!in->look.holding) {
        return;
    }
    in->look.held = hold->buffer;
    in->look.held_tier = hold->tier;
    in->look.held_offset = hold->places.items[hold->at];
    /* The window follows the block while it is carried; the session's own stays where it is. */
    double lo = (double)in->look.held_offset;
    double hi = lo + (double)sw_problem_buffer(session->problem, hold->buffer)->size;
    double by = lo < in->look.viewport.bytes_lo   ? lo - in->look.viewport.bytes_lo
                : hi > in->look.viewport.bytes_hi ? hi - in->look.viewport.bytes_hi
                                                  : 0;
    if (!session->sight.fit && in->look.tier == in->look.held_tier) {
        in->look.viewport.bytes_lo += by;
        in->look.viewport.bytes_hi += by;
    }
}
