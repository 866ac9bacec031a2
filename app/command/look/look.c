/* Looking: the selection, the cursor over time, the window on the map. Nothing here changes a run.
 */
#include "command/look/regex.h"
#include "base/base.h"
#include "command/command_line.h"
#include "command/look/look.h"
#include "command/state.h"

/* ---- the window ---- */

static void scale_window(double *lo, double *hi, double at, double factor, double least) {
    double width = (*hi - *lo) * factor;
    if (width < least) {
        width = least;
    }
    double part = *hi > *lo ? (at - *lo) / (*hi - *lo) : 0.5;
    part = part < 0 ? 0 : part > 1 ? 1 : part;
    *lo = at - part * width;
    *hi = *lo + width;
}

/* Where zooming keeps still: the selected block, or the cursor, or the middle. */
static void center(const struct sw_session *session, double *time, double *bytes) {
    const struct sw_sight *sight = &session->sight;
    const struct sw_viewport *view = &sight->viewport;
    *time = sight->cursor + 0.5;
    if (*time < view->time_lo || *time > view->time_hi) {
        *time = (view->time_lo + view->time_hi) / 2;
    }
    *bytes = (view->bytes_lo + view->bytes_hi) / 2;
    struct sw_placement place;
    if (sight->selected != SW_NONE &&
        sw_layout_placement(sw_search_layout(sw_state_search(session)), sight->selected, 0, &place) &&
        place.tier == sight->tier) {
        double middle =
            (double)place.offset + (double)sw_problem_buffer(sw_state_problem(session), sight->selected)->size / 2;
        if (middle >= view->bytes_lo && middle <= view->bytes_hi) {
            *bytes = middle;
        }
    }
}

/* Around the point that was given, a time step and a number of bytes, or around what is looked at. */
static bool zoom_by(struct sw_session *session, double time_factor, double bytes_factor, const struct sw_given *point,
                    struct sw_error *error) {
    double time = 0, bytes = 0;
    if (point && point->count == 1) {
        return sw_fail(error, SW_ERROR_USAGE, "a point is a time step and a number of bytes");
    }
    sw_sight_unfit(session);
    center(session, &time, &bytes);
    if (point && point->count == 2) {
        time = (double)point->value[0].number + 0.5;
        bytes = (double)point->value[1].number;
    }
    struct sw_viewport *view = &session->sight.viewport;
    scale_window(&view->time_lo, &view->time_hi, time, time_factor, 1);
    scale_window(&view->bytes_lo, &view->bytes_hi, bytes, bytes_factor, 16);
    sw_sight_clamp(session);
    return true;
}

SW_PLAIN_COMMAND(zoom_in, zoom_by(session, 0.5, 0.5, given, error));

/* Is everything in view? Then that is said. */
static bool all_in_view(struct sw_session *session) {
    if (session->sight.fit) {
        sw_session_say(session, false, "everything is in view; %s zooms in", SW_KEY(session, "zoom-in"));
    }
    return session->sight.fit;
}

SW_PLAIN_COMMAND(zoom_out, (given->count == 0 && all_in_view(session)) || zoom_by(session, 2, 2, given, error));

/* in, or out. */
static double factor_of(const struct sw_given *given) {
    return given->value[0].choice == 1 ? 0.5 : 2;
}

SW_PLAIN_COMMAND(zoom_time, zoom_by(session, factor_of(given), 1, NULL, error));
SW_PLAIN_COMMAND(zoom_bytes, zoom_by(session, 1, factor_of(given), NULL, error));

bool sw_do_zoom_fit(struct sw_session *session, const struct sw_given *given, struct sw_error *error) {
    (void)given, (void)error;
    return all_in_view(session) || (session->sight.fit = true);
}

bool sw_do_zoom_block(struct sw_session *session, const struct sw_given *given, struct sw_error *error) {
    struct sw_sight *sight = &session->sight;
    struct sw_placement place;
    uint32_t block;
    uint64_t range[2];
    if (sw_moment_piece_range(session, range)) {
        sw_sight_unfit(session);
        sight->viewport.bytes_lo = (double)range[0] - (double)range[1];
        sight->viewport.bytes_hi = (double)range[0] + (double)SW_MAX(2 * range[1], 16);
        sw_sight_clamp(session);
        return true;
    }
    if (!sw_state_subject(session, given, &block, error)) {
        return false;
    }
    if (!sw_layout_placement(sw_search_layout(sw_state_search(session)), block, 0, &place)) {
        return sw_fail(error, SW_ERROR_USAGE, "this block is not placed yet; %s runs to it",
                       SW_KEY(session, "goto-block"));
    }
    const struct sw_buffer *buffer = sw_problem_buffer(sw_state_problem(session), block);
    double life = buffer->last - (double)buffer->first + 1, size = (double)buffer->size;
    sight->fit = false;
    sight->tier = place.tier;
    sight->viewport =
        (struct sw_viewport){buffer->first - life / 2, buffer->last + 1 + life / 2, (double)place.offset - size,
                             (double)place.offset + (size > 8 ? 2 * size : 16)};
    sw_sight_clamp(session);
    return true;
}

bool sw_do_zoom(struct sw_session *session, const struct sw_given *given, struct sw_error *error) {
    const struct sw_given_value *value = given->value;
    uint64_t from = value[0].number, to = value[1].number, lo = value[2].number, hi = value[3].number;
    if (given->count == 3 || from >= to || (given->count == 4 && lo >= hi) || to > UINT32_MAX) {
        return sw_fail(error, SW_ERROR_USAGE, "a range needs its lower end and then its upper end");
    }
    sw_sight_unfit(session);
    struct sw_viewport *view = &session->sight.viewport;
    view->time_lo = (double)from;
    view->time_hi = (double)to;
    if (given->count == 4) {
        view->bytes_lo = (double)lo;
        view->bytes_hi = (double)hi;
    }
    sw_sight_clamp(session);
    return true;
}

static bool pan(struct sw_session *session, double time, double bytes) {
    if (session->sight.whole && bytes != 0) { /* the map is not to be seen: the pane is */
        return sw_pane_scroll(session, NULL, bytes < 0, NULL);
    }
    if (all_in_view(session)) {
        return true;
    }
    struct sw_viewport *view = &session->sight.viewport;
    double width = view->time_hi - view->time_lo, height = view->bytes_hi - view->bytes_lo;
    view->time_lo += time * width;
    view->time_hi += time * width;
    view->bytes_lo += bytes * height;
    view->bytes_hi += bytes * height;
    sw_sight_clamp(session);
    return true;
}

SW_PLAIN_COMMAND(pan_left, pan(session, -0.25, 0));
SW_PLAIN_COMMAND(pan_right, pan(session, 0.25, 0));
SW_PLAIN_COMMAND(pan_up, pan(session, 0, 0.25));
SW_PLAIN_COMMAND(pan_down, pan(session, 0, -0.25));

/* ---- the cursor ---- */

static void cursor_to(struct sw_session *session, uint64_t step) {
    uint32_t steps = sw_problem_steps(sw_state_problem(session));
    uint32_t last = steps ? steps - 1 : 0;
    bool stays = session->sight.cursor == (SW_MIN(step, last));
    session->sight.cursor = step < last ? (uint32_t)step : last;
    session->sight.scroll = 0;
    if (stays) {
        sw_session_say(session, false, "the cursor stays at time step %u of %u", session->sight.cursor, last);
    }
    sw_sight_show(session, session->sight.cursor, -1);
}

/* The first step at which the highest end of what is placed stands. */
static uint32_t placed_peak_step(const struct sw_session *session) {
    const struct sw_layout *layout = sw_search_layout(sw_state_search(session));
    uint32_t buffer = sw_layout_at_peak(layout, session->sight.tier);
    return buffer == SW_NONE ? session->sight.cursor : sw_problem_buffer(sw_state_problem(session), buffer)->first;
}

bool sw_do_cursor(struct sw_session *session, const struct sw_given *given, struct sw_error *error) {
    enum { CURSOR_PEAK = 2, CURSOR_BOUND };
    (void)error;
    unsigned which = given->value[0].choice;
    cursor_to(session, which == CURSOR_PEAK    ? placed_peak_step(session)
                       : which == CURSOR_BOUND ? sw_problem_bound_step(sw_state_problem(session))
                                               : given->value[0].number);
    return true;
}

/* By one time step, or by so many. */
static bool move_cursor(struct sw_session *session, const uint64_t *steps, bool right) {
    uint64_t by = steps ? *steps : 1, at = session->sight.cursor, to = 0;
    if (right) {
        cursor_to(session, __builtin_add_overflow(by, at, &to) ? UINT64_MAX : to);
    } else {
        cursor_to(session, by < at ? at - by : 0);
    }
    return true;
}

SW_PLAIN_COMMAND(cursor_left, move_cursor(session, sw_given_number(given, 0), false));
SW_PLAIN_COMMAND(cursor_right, move_cursor(session, sw_given_number(given, 0), true));

/* ---- the selection ---- */

/* Where a block stands on the map; false when it is not placed in the tier on view. */
static bool place_in_view(const struct sw_session *session, uint32_t buffer, struct sw_placement *place) {
    const struct sw_layout *layout = sw_search_layout(sw_state_search(session));
    for (uint32_t k = 0; sw_layout_placement(layout, buffer, k, place); k++) {
        if (place->tier == session->sight.tier) {
            return true;
        }
    }
    return false;
}

static void select_block(struct sw_session *session, uint32_t buffer) {
    if (sw_moment_select(session, buffer, 0)) {
        return;
    }
    struct sw_sight *sight = &session->sight;
    const struct sw_buffer *about = sw_problem_buffer(sw_state_problem(session), buffer);
    struct sw_placement place;
    char size[16], offset[16];
    sight->selected = buffer;
    sight->scroll = 0;
    if (sw_layout_placement(sw_search_layout(sw_state_search(session)), buffer, 0, &place)) {
        if (!place_in_view(session, buffer, &place)) {
            sight->tier = place.tier;
        }
        sw_sight_show(session, -1, (double)place.offset);
        sw_session_say(session, false, "%s: %s at %s, alive %u..%u", about->name, sw_show_bytes(about->size, size),
                       sw_show_bytes(place.offset + session->options.base, offset), about->first, about->last);
    } else if (!about->planned) {
        sw_session_say(session, false, "%s: %s, not planned", about->name, sw_show_bytes(about->size, size));
    } else {
        sw_session_say(session, false, "%s: %s, alive %u..%u, not placed yet", about->name,
                       sw_show_bytes(about->size, size), about->first, about->last);
    }
}

static void choose_and_follow(struct sw_session *session, uint32_t buffer) {
    const struct sw_buffer *about = sw_problem_buffer(sw_state_problem(session), buffer);
    select_block(session, buffer);
    if (about->planned && (session->sight.cursor < about->first || session->sight.cursor > about->last)) {
        cursor_to(session, about->first);
    }
}

bool sw_do_select(struct sw_session *session, const struct sw_given *given, struct sw_error *error) {
    (void)error;
    if (given->count > 0 && given->value[0].index != SW_NONE) {
        choose_and_follow(session, given->value[0].index);
    } else {
        session->sight.selected = SW_NONE;
        session->sight.piece = 0;
        if (given->count > 0) {
            sw_moment_select(session, SW_NONE, given->value[0].number);
        }
    }
    return true;
}

bool sw_do_select_current(struct sw_session *session, const struct sw_given *given, struct sw_error *error) {
    (void)given;
    const struct sw_decision *decision = sw_search_decision(sw_state_search(session));
    if (!decision || decision->buffer == SW_NONE) {
        return sw_fail(error, SW_ERROR_USAGE, "this decision is about no block");
    }
    select_block(session, decision->buffer);
    return true;
}

/* Is the block at one place above another, by offset, then number? */
static bool lies_above(uint64_t offset, uint32_t buffer, uint64_t than, uint32_t other) {
    return offset > than || (offset == than && buffer > other);
}

/* Next above (or below) the selected one among the blocks alive at the cursor; past the last one
 * the first, when `wrap`. */
static uint32_t block_beside(const struct sw_session *session, bool up, bool wrap) {
    const struct sw_sight *sight = &session->sight;
    struct sw_placement own = {0}, place;
    bool from_here = sight->selected != SW_NONE && place_in_view(session, sight->selected, &own);
    uint32_t best = SW_NONE, end = SW_NONE, buffer;
    uint64_t best_at = 0, end_at = 0;
    struct sw_neighbors alive = sw_problem_alive(sw_state_problem(session), sight->cursor, sight->cursor);
    while ((buffer = sw_neighbors_next(&alive)) != SW_NONE) {
        if (buffer == sight->selected || !place_in_view(session, buffer, &place)) {
            continue;
        }
        uint64_t at = place.offset;
        if (from_here && lies_above(at, buffer, own.offset, sight->selected) == up &&
            (best == SW_NONE || lies_above(best_at, best, at, buffer) == up)) {
            best = buffer;
            best_at = at;
        }
        if (end == SW_NONE || lies_above(end_at, end, at, buffer) == up) {
            end = buffer;
            end_at = at;
        }
    }
    if (wrap && best == SW_NONE && end == SW_NONE && from_here) {
        const struct sw_buffer *own_buffer = sw_problem_buffer(sw_state_problem(session), sight->selected);
        return sw_buffer_alive(own_buffer, sight->cursor) ? sight->selected : SW_NONE;
    }
    return best != SW_NONE ? best : wrap || !from_here ? end : SW_NONE;
}

static bool select_beside(struct sw_session *session, bool up, bool wrap) {
    if (sw_moment_step(session, up, wrap)) {
        return true;
    }
    uint32_t next = block_beside(session, up, wrap);
    if (next != SW_NONE) {
        select_block(session, next);
    } else {
        sw_session_say(session, false, "no block %s at time step %u",
                       wrap ? "is alive"
                       : up ? "above"
                            : "below",
                       session->sight.cursor);
    }
    return true;
}

/* Nearest in time, and of those nearest in address, on one side of the selected block. */
static uint32_t aside(const struct sw_session *session, bool right) {
    const struct sw_sight *sight = &session->sight;
    const struct sw_problem *problem = sw_state_problem(session);
    const struct sw_buffer *from = sw_problem_buffer(problem, sight->selected);
    struct sw_placement own = {0}, place;
    if (!place_in_view(session, sight->selected, &own)) {
        own.offset = 0;
    }
    uint32_t best = SW_NONE, best_gap = 0, count = sw_problem_buffer_count(problem);
    uint64_t best_far = 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct sw_buffer *buffer = sw_problem_buffer(problem, i);
        bool there = buffer->planned && buffer->piece_count > 0 &&
                     (right ? buffer->first > from->last : buffer->last < from->first);
        uint32_t gap = right ? buffer->first - from->last : from->first - buffer->last;
        /* Most of a million are farther away, and where they lie need not be looked up. */
        if (!there || (best != SW_NONE && gap > best_gap) || !place_in_view(session, i, &place)) {
            continue;
        }
        uint64_t far = place.offset > own.offset ? place.offset - own.offset : own.offset - place.offset;
        if (best == SW_NONE || gap < best_gap || (gap == best_gap && far < best_far)) {
            best = i;
            best_gap = gap;
            best_far = far;
        }
    }
    return best;
}

static bool select_aside(struct sw_session *session, bool right) {
    if (sw_moment_step(session, right, false)) {
        return true;
    }
    if (session->sight.selected == SW_NONE) {
        return select_beside(session, true, true);
    }
    uint32_t next = aside(session, right);
    if (next != SW_NONE) {
        choose_and_follow(session, next);
    } else {
        sw_session_say(session, false, "no placed block %s",
                       right ? "is born after this one dies" : "dies before this one is born");
    }
    return true;
}

SW_PLAIN_COMMAND(select_next, select_beside(session, true, true));
SW_PLAIN_COMMAND(select_previous, select_beside(session, false, true));
SW_PLAIN_COMMAND(select_up, select_beside(session, true, false));
SW_PLAIN_COMMAND(select_down, select_beside(session, false, false));
SW_PLAIN_COMMAND(select_left, select_aside(session, false));
SW_PLAIN_COMMAND(select_right, select_aside(session, true));

/* ---- find ---- */

static bool has_capital(const char *text) {
    return strpbrk(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != NULL;
}

/* What is no pattern means its letters. */
static bool open_needle(struct sw_regex *pattern, const char *text, struct sw_error *error) {
    unsigned fold = has_capital(text) ? 0 : SW_REGEX_FOLD;
    struct sw_error why = {0};
    if (sw_regex_open(pattern, text, fold, &why)) {
        return true;
    }
    return why.code == SW_ERROR_MEMORY ? sw_fail_memory(error)
                                       : sw_regex_open(pattern, text, fold | SW_REGEX_LETTERS, error);
}

static const char *ring_name(const struct sw_problem *problem, uint64_t n) {
    uint64_t buffers = sw_problem_buffer_count(problem);
    return n < buffers ? sw_problem_buffer(problem, (uint32_t)n)->name
                       : sw_problem_operator(problem, (uint32_t)(n - buffers))->name;
}

/* Buffers first, then operators, in listed order, as one ring. An operator is found through the
 * cursor: the ring is entered at the selected buffer, or at the operator under the cursor. */
static bool find_from(struct sw_session *session, bool forward, bool here, struct sw_error *error) {
    const struct sw_problem *problem = sw_state_problem(session);
    uint64_t buffers = sw_problem_buffer_count(problem);
    uint64_t all = buffers + sw_problem_operator_count(problem);
    uint64_t at = session->sight.selected != SW_NONE ? session->sight.selected
                  : here                             ? 0
                                                     : buffers + session->sight.cursor;
    struct sw_regex regex;
    if (!open_needle(&regex, session->needle, error)) {
        return false;
    }
    bool found = false, good = true;
    uint64_t n = 0;
    for (uint64_t i = here ? 0 : 1; good && !found && i <= all && all > 0; i++) {
        n = (forward ? at + i : at + all - i % all) % all;
        good = sw_regex_matches(&regex, ring_name(problem, n), &found, error);
    }
    sw_regex_close(&regex);
    if (!good) {
        return false;
    }
    if (!found) {
        return sw_fail(error, SW_ERROR_USAGE, "no name has '%s' in it", session->needle);
    }
    if (n < buffers) {
        choose_and_follow(session, (uint32_t)n);
    } else {
        session->sight.selected = SW_NONE;
        cursor_to(session, n - buffers);
        sw_session_say(session, false, "operator %s", ring_name(problem, n));
    }
    return true;
}

bool sw_do_find(struct sw_session *session, const struct sw_given *given, struct sw_error *error) {
    char text[512];
    sw_given_join(given, 0, text, sizeof text);
    char *copy = sw_state_copy(text);
    if (!copy) {
        return sw_fail_memory(error);
    }
    char *old = session->needle;
    session->needle = copy;
    bool found = find_from(session, true, true, error);
    if (!found) { /* the next match is of what was found before */
        session->needle = old;
    }
    sw_state_drop(found ? old : copy);
    return found;
}

static bool find_needle_again(struct sw_session *session, bool forward, struct sw_error *error) {
    if (!session->needle) {
        return sw_fail(error, SW_ERROR_USAGE, "nothing was looked for yet; %s finds", SW_KEY(session, "find"));
    }
    return find_from(session, forward, false, error);
}

SW_PLAIN_COMMAND(next_match, find_needle_again(session, true, error));
SW_PLAIN_COMMAND(previous_match, find_needle_again(session, false, error));

/* ---- switches ---- */

bool sw_do_tier(struct sw_session *session, const struct sw_given *given, struct sw_error *error) {
    uint32_t tiers = sw_problem_tier_count(sw_state_problem(session));
    uint32_t tier = given->count ? given->value[0].index : (session->sight.tier + 1) % tiers;
    (void)error;
    session->sight.tier = tier;
    session->sight.fit = true;
    sw_session_say(session, false, "tier %u of %u: %s", tier + 1, tiers,
                   sw_problem_tier(sw_state_problem(session), tier)->name);
    return true;
}

/* Which areas there are, and so the words, only the next frame knows. */
static bool pick_merged(struct sw_session *session) {
    snprintf(session->status.text, sizeof session->status.text, "what is too small to draw is told on the screen");
    session->status.is_passing = false;
    session->status.picked++;
    return true;
}

SW_PLAIN_COMMAND(merged, pick_merged(session));
SW_PLAIN_COMMAND(ghosts, sw_state_switch(session, given, &session->sight.ghosts, "refused places are drawn on the map",
                                         "refused places are not drawn"));
/* Without a word the next that the model tells. */
bool sw_do_color_by(struct sw_session *session, const struct sw_given *given, struct sw_error *error) {
    const struct sw_problem *problem = sw_state_problem(session);
    unsigned by = given->count ? given->value[0].choice - 1 : (session->sight.coloring + 1u) % SW_COLORINGS_COUNT;
    while (!given->count && !sw_coloring_suits(problem, (enum sw_coloring)by, NULL)) {
        by = (by + 1) % SW_COLORINGS_COUNT;
    }
    if (!sw_coloring_suits(problem, (enum sw_coloring)by, error)) {
        return false;
    }
    session->sight.coloring = (uint8_t)by;
    sw_session_say(session, false, "colors by %s", by ? sw_coloring_words[by] : "what tells most blocks apart");
    return true;
}

SW_PLAIN_COMMAND(raw_time, sw_state_switch(session, given, &session->sight.raw_time, "the axis shows raw time",
                                           "the axis shows steps"));
