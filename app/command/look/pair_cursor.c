/* Two buffers: the selected one and another. The matrix of conflicts shows them as its row and its column, and says
 * what is true of the two. */
#include "command/look/look.h"
#include "view/panes/pair.h"

#include <stdio.h>

/* The next or the one before in program order of those that are planned; the first or last when it is not one of them.
 */
static uint32_t neighbor(const struct sw_session *session, bool known, uint32_t buffer, bool forward) {
    uint32_t count = sw_problem_planned_count(sw_state_problem(session));
    uint32_t rank = known ? sw_problem_rank(sw_state_problem(session), buffer).at : count;
    if (count == 0) {
        return SW_NONE;
    }
    return sw_problem_order(sw_state_problem(session))[sw_row_beside(rank, count, forward)];
}

static void say(struct sw_session *session) {
    const struct sw_sight *sight = &session->sight;
    char text[SW_PAIR_TEXT];
    if (sight->selected == SW_NONE || !sight->paired) {
        return;
    }
    sw_pair_describe(sw_search_layout(sw_state_search(session)), sight->selected, sight->other, text, sizeof text);
    sw_session_say(session, false, "%s and %s: %s", sw_problem_buffer(sw_state_problem(session), sight->selected)->name,
                   sw_problem_buffer(sw_state_problem(session), sight->other)->name, text);
}

void sw_pair_row(struct sw_session *session, bool forward) {
    struct sw_sight *sight = &session->sight;
    uint32_t buffer = neighbor(session, sight->selected != SW_NONE, sight->selected, forward);
    if (buffer == SW_NONE) {
        sw_session_say(session, false, "the matrix has no rows");
        return;
    }
    sight->selected = buffer;
    sight->cursor = sw_problem_buffer(sw_state_problem(session), buffer)->first;
    sw_session_say(session, false, "%s", sw_problem_buffer(sw_state_problem(session), buffer)->name);
    say(session);
}

static bool column(struct sw_session *session, bool forward) {
    struct sw_sight *sight = &session->sight;
    sw_sight_pane(session, SW_KEYS_MATRIX);
    if (sight->selected == SW_NONE) {
        sw_pair_row(session, true);
        return true;
    }
    uint32_t other = neighbor(session, true, sight->paired ? sight->other : sight->selected, forward);
    if (other == SW_NONE) {
        sw_session_say(session, false, "the matrix has no columns");
        return true;
    }
    sight->other = other;
    sight->paired = true;
    say(session);
    return true;
}

SW_PLAIN_COMMAND(next_column, column(session, true));
SW_PLAIN_COMMAND(previous_column, column(session, false));

bool sw_do_pair(struct sw_session *session, const struct sw_given *given, struct sw_error *error) {
    struct sw_sight *sight = &session->sight;
    uint32_t first = given->count > 1 ? given->value[0].index : sight->selected;
    if (first == SW_NONE) {
        return sw_fail(error, SW_ERROR_USAGE, "no buffer is selected: name two, or select one first");
    }
    sight->selected = first;
    sight->other = given->value[given->count - 1].index;
    sight->paired = true;
    sight->cursor = sw_problem_buffer(sw_state_problem(session), first)->first;
    sw_sight_pane(session, SW_KEYS_MATRIX);
    say(session);
    return true;
}
