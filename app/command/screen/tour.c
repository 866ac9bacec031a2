/* The tour: a guide of two minutes above the footer. Each station says one thing and asks for one
 * command; when that was given, by whatever door, it goes on. */
#include "command/look/look.h"
#include "command/runs/branches.h"
#include "command/screen/screen.h"
#include "command/state.h"
#include "planners/planner.h"

#include <stdio.h>
#include <string.h>

struct sw_tour {
    unsigned station; /* from 1; 0: none */
};

SW_PLAIN_PART(tour)

struct station {
    const char *text;
    const char *wanted[3]; /* commands that lead on */
};

/* The block that the tour moves: in the model that ships it is what stands in the way. */
#define IN_THE_WAY "conv_1_out"
static const struct station stations[] = {
    {"Memory over time: a block is a buffer, as wide as its lifetime and as high as its size, at "
     "its "
     "address. The planner has decided nothing yet. Press s for its first decision.",
     {"step"}},
    {"The pane says what was decided, why, and which places it looked at; S goes back, o goes on "
     "to "
     "a decision about another operator. Press p: straight to the one that set the peak.",
     {"goto-peak"}},
    {"The dashed line is the lower bound: what is alive at once, so no plan does with less. What "
     "is "
     "above it is this planner's doing. For why, press v until the pane 'why the peak' stands "
     "there.",
     {"pane"}},
    {"It names the decision, the blocks below, and what would help. Could a block below have gone "
     "elsewhere? g goes to the start.",
     {"first"}},
    {"Press s again, for the first decision only: the other blocks are still free to go anywhere.",
     {"step"}},
    {"Now / and " IN_THE_WAY
     " and Enter: a block is selected by its name. (In another model: by any "
     "name; or Tab takes those on the map one by one.)",
     {"find", "select-next", "select"}},
    {"X takes it in the hand, and shows where it would lie; Up and Down carry it from one free "
     "place "
     "to the next. Enter puts it down.",
     {"pin"}},
    {"You are on a branch of your own, and the line below says what becomes of the peak. G shows "
     "the whole plan.",
     {"last"}},
    {"u takes the last what-if back, and Ctrl-R does it again. Press u.", {"undo"}},
    {"Would another planner do better? Press =, then Enter for a rival, or name one: two runs side "
     "by "
     "side, in step.",
     {"compare"}},
    {"s, S, o and G move both. The table counts what differs and says where they part. Press d: "
     "what is the same is dim on the maps.",
     {"diff"}},
    {"Esc closes this. ? lists every key, e exports a picture, : takes commands, also in Lua. That "
     "was the tour.",
     {"stop"}}};
enum { STATIONS = sizeof stations / sizeof *stations };

static bool blame_is_open(const struct sw_session *session) {
    const struct sw_view *side = sw_sight_side(&session->sight);
    return side && strcmp(side->name, "blame") == 0;
}

static void go_on(struct sw_session *session) {
    session->tour->station++;
    if (session->tour->station > STATIONS) {
        session->tour->station = 0;
    }
}

void sw_tour_saw(struct sw_session *session, const char *command) {
    if (session->tour->station == 0) {
        return;
    }
    const struct station *station = &stations[session->tour->station - 1];
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
    if (session->tour->station == 0 || strcmp(key, "Space") != 0) {
        return false;
    }
    go_on(session);
    return true;
}

const char *sw_tour_text(const struct sw_session *session, unsigned *at, unsigned *count) {
    *at = session->tour->station;
    *count = STATIONS;
    return session->tour->station ? stations[session->tour->station - 1].text : NULL;
}

bool sw_do_tour(struct sw_session *session, char **arguments, size_t count,
                struct sw_error *error) {
    if (count > 0 && strcmp(arguments[0], "off") == 0) {
        session->tour->station = 0;
        return true;
    }
    if (count > 0) {
        return sw_fail(error, SW_ERROR_USAGE, "say tour, or tour off");
    }
    /* A planner that leaves something to be asked, on the model as it is. */
    const char *planner = sw_search_planner(sw_state_search(session))->name;
    if (strcmp(planner, "greedy-by-size") != 0 &&
        !sw_session_command(session, "planner greedy-by-size 0", error)) {
        return false;
    }
    session->tour->station = 1;
    sw_beside_close(session);
    return sw_session_command(session, "restart", error);
}
