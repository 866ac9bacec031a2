/* The tour: a guide of two minutes above the footer. Each station says one thing and asks for one
 * command; when that was given, by whatever door, it goes on. */
#include "command/state.h"

#include <stdio.h>
#include <string.h>

struct station {
    const char *text;
    const char
        *wanted[3]; /* commands that lead on; the first with its key in brackets, in the text */
};
static const struct station stations[] = {
    {"Memory over time: a block is a buffer, as wide as its lifetime and as high as its size, at "
     "its "
     "address. The planner has decided nothing yet. Press s for its first decision.",
     {"step"}},
    {"The pane says what was decided, why, and which places it looked at; S goes back. Press n for "
     "the first decision about the next operator.",
     {"next-operator"}},
    {"Press p: straight to the decision that set the peak of the whole run.", {"goto-peak"}},
    {"The dashed line is the lower bound: what is alive at once, so no plan does with less. What "
     "is "
     "above it is this planner's doing. For why, press v until the pane 'why the peak' stands "
     "there.",
     {"pane"}},
    {"It names the decision, the blocks below, and what would help. Now End, to see the whole "
     "plan.",
     {"last"}},
    {"What if a block lay elsewhere? Tab selects the block under the cursor, and the next one up.",
     {"select-next", "select-previous", "select"}},
    {"X takes it in the hand; Up and Down carry it from one free place to the next, Enter puts it "
     "there.",
     {"pin"}},
    {"You are on a branch of your own now, and the line below said what became of the peak. u "
     "takes "
     "it back, at any time.",
     {"undo"}},
    {"Would another planner do better? Press = and Enter: two runs side by side, in step.",
     {"compare"}},
    {"s, S and n move both. The table counts what differs and says where they part; d shows it on "
     "the maps. Press d.",
     {"diff"}},
    {"Esc closes this. ? lists every key, / finds a name, e exports a picture, : takes commands, "
     "also in Lua. That was the tour.",
     {"stop"}}};
enum { STATIONS = sizeof stations / sizeof *stations };

static bool blame_is_open(const struct sw_session *session) {
    const struct sw_view *side = sw_sight_side(&session->sight);
    return side && strcmp(side->name, "blame") == 0;
}

static void go_on(struct sw_session *session) {
    session->tour++;
    if (session->tour > STATIONS) {
        session->tour = 0;
    }
}

void sw_tour_saw(struct sw_session *session, const char *command) {
    if (session->tour == 0) {
        return;
    }
    const struct station *station = &stations[session->tour - 1];
    for (size_t i = 0; i < 3 && station->wanted[i]; i++) {
        if (strcmp(station->wanted[i], command) == 0) {
            if (strcmp(command, "pane") != 0 || blame_is_open(session)) {
                go_on(session);
            }
            return;
        }
    }
    if (strcmp(command, "previous-pane") == 0 && blame_is_open(session)) {
        sw_tour_saw(session, "pane");
    }
}

bool sw_tour_key(struct sw_session *session, const char *key) {
    if (session->tour == 0 || strcmp(key, "Space") != 0) {
        return false;
    }
    go_on(session);
    return true;
}

const char *sw_tour_text(const struct sw_session *session, unsigned *at, unsigned *count) {
    *at = session->tour;
    *count = STATIONS;
    return session->tour ? stations[session->tour - 1].text : NULL;
}

bool sw_do_tour(struct sw_session *session, char **arguments, size_t count,
                struct sw_error *error) {
    if (count > 0 && strcmp(arguments[0], "off") == 0) {
        session->tour = 0;
        return true;
    }
    if (count > 0) {
        return sw_fail(error, SW_ERROR_USAGE, "say tour, or tour off");
    }
    session->tour = 1;
    sw_beside_close(session);
    return sw_session_command(session, "restart", error);
}
