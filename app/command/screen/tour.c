/* The tour: a guide of two minutes above the footer. Each station says one thing and asks for one
 * command; when that was given, by whatever door, it goes on. Space gives it. */
#include "command/look/look.h"
#include "base/base.h"
#include "command/runs/branches.h"
#include "command/state.h"
#include "planners/planner.h"

struct sw_tour {
    unsigned station; /* from 1; 0: none */
    char text[512];   /* with the keys in force */
};

SW_PLAIN_PART(tour);

struct station {
    const char *text;                   /* {step}: the key of that command */
    const struct sw_command *wanted[3]; /* commands that lead on */
    const char *lines[2];               /* what Space does, one line after the other */
};

/* The block that the tour moves: in the model that ships it is what stands in the way. */
#define IN_THE_WAY "conv_1_out"
static const struct station stations[] = {
    {"Memory over time: a block is a buffer, as wide as its lifetime and as high as its size, at its address. The "
     "planner has decided nothing yet. Press {step} for its first decision.",
     {&sw_commands[SW_DO_step]},
     {"step"}},
    {"The pane says what was decided, why, and which places it looked at; {back} goes back, {next-operator} goes on to "
     "a decision about another operator. Press {goto-peak}: straight to the one that set the peak.",
     {&sw_commands[SW_DO_goto_peak]},
     {"goto-peak"}},
    {"The dashed line is the lower bound: what is alive at once, so no plan does with less. What is above it is this "
     "planner's doing. For why, press {pane} until the pane 'why the peak' stands there.",
     {&sw_commands[SW_DO_pane]},
     {"pane blame"}},
    {"It names the decision, the blocks below, and what would help. Could a block below have gone elsewhere? {first} "
     "goes to the start.",
     {&sw_commands[SW_DO_first]},
     {"first"}},
    {"Press {step} again, for the first decision only: the other blocks are still free to go anywhere.",
     {&sw_commands[SW_DO_step]},
     {"step"}},
    {"Now {find} and " IN_THE_WAY " and Enter: a block is selected by its name. (In another model: by any name; or "
     "{select-next} takes those on the map one by one.)",
     {&sw_commands[SW_DO_find], &sw_commands[SW_DO_select_next], &sw_commands[SW_DO_select]},
     {"select " IN_THE_WAY}},
    {"{hold} takes it in the hand, and shows where it would lie; Up and Down carry it from one free place to the next. "
     "Enter puts it down.",
     {&sw_commands[SW_DO_pin]},
     {"hold", "put"}},
    {"You are on a branch of your own, and the line below says what becomes of the peak. {last} shows the whole plan.",
     {&sw_commands[SW_DO_last]},
     {"last"}},
    {"{undo} takes the last what-if back, and {redo} does it again. Press {undo}.",
     {&sw_commands[SW_DO_undo]},
     {"undo"}},
    {"Would another planner do better? Press {compare}, then Enter for a rival, or name one: two runs side by side, in "
     "step.",
     {&sw_commands[SW_DO_compare]},
     {"compare"}},
    {"{step}, {back}, {next-operator} and {last} move both. The table counts what differs and says where they part. "
     "Press {diff}: what is the same is dim on the maps.",
     {&sw_commands[SW_DO_diff]},
     {"diff on"}},
    {"{stop} closes this. {help} says which keys matter now, twice all, {export} exports a picture, {prompt} takes "
     "commands, also in Lua. "
     "That was the tour.",
     {&sw_commands[SW_DO_stop]},
     {"stop"}}};

/* Of one moment of an allocator, which has no run. */
static const struct station moment_stations[] = {
    {"What an allocator held when memory ran out: a bar for each segment that it got from the device, with its blocks; "
     "what is free is dotted. The line at the top has the sums. Press {select-next}: a block is selected.",
     {&sw_commands[SW_DO_select_next], &sw_commands[SW_DO_select_up], &sw_commands[SW_DO_select]},
     {"select-next"}},
    {"The pane says why the request failed, and what would have made it fit; the blocks which would make room when "
     "given "
     "back have a heavy edge. Press {scroll-down} for what is below.",
     {&sw_commands[SW_DO_scroll_down]},
     {"scroll-down"}},
    {"Press {sort} until it says by size: the table of blocks has the largest first, and so has the map.",
     {&sw_commands[SW_DO_sort]},
     {"sort size"}},
    {"Press {zoom-block}: the segments around the selected block alone, with more room for each byte.",
     {&sw_commands[SW_DO_zoom_block]},
     {"zoom-block"}},
    {"{zoom-fit} shows all again.", {&sw_commands[SW_DO_zoom_fit]}, {"zoom-fit"}},
    {"{pane} goes through the other panes: sizes that recur, all of the selected block. Press it.",
     {&sw_commands[SW_DO_pane], &sw_commands[SW_DO_previous_pane]},
     {"pane sizes"}},
    {"{export} draws this map as a picture, {save} keeps where you are; stowage convert FILE -o NAME.json keeps the "
     "moment. "
     "{stop} closes this. That was the tour.",
     {&sw_commands[SW_DO_stop]},
     {"stop"}}};

/* Those of what is opened. */
static const struct station *stations_of(const struct sw_session *session, unsigned *count) {
    bool moment = sw_view_moment_of(sw_state_search(session)) != NULL;
    *count = moment ? sizeof moment_stations / sizeof *moment_stations : sizeof stations / sizeof *stations;
    return moment ? moment_stations : stations;
}

static bool blame_is_open(const struct sw_session *session) {
    const struct sw_view *side = sw_sight_side(&session->sight);
    return side && strcmp(side->name, "blame") == 0;
}

static void next_station(struct sw_session *session) {
    unsigned count;
    stations_of(session, &count);
    session->tour->station++;
    if (session->tour->station > count) {
        session->tour->station = 0;
    }
}

void sw_tour_after(struct sw_session *session, const struct sw_call *call) {
    if (!call->done || session->tour->station == 0) {
        return;
    }
    const struct sw_command *given = call->command, *pane = &sw_commands[SW_DO_pane];
    unsigned count;
    const struct station *all = stations_of(session, &count), *station = &all[session->tour->station - 1];
    bool turned = all == stations && (given == pane || given == &sw_commands[SW_DO_previous_pane]);
    for (size_t i = 0; i < 3 && station->wanted[i]; i++) {
        if (turned ? station->wanted[i] == pane && blame_is_open(session) : station->wanted[i] == given) {
            next_station(session);
            return;
        }
    }
}

/* Do what the station asks for. The tour goes on as well where that cannot be done, say on a model without that block.
 */
static void do_station(struct sw_session *session, struct sw_error *error) {
    unsigned at = session->tour->station, count;
    const struct station *station = &stations_of(session, &count)[at - 1];
    for (size_t i = 0; i < 2 && station->lines[i]; i++) {
        if (!sw_session_command_by(session, SW_DOOR_KEYS, station->lines[i], error)) {
            break;
        }
    }
    if (session->tour->station == at) {
        next_station(session);
    }
}

enum sw_taken sw_tour_key(struct sw_session *session, const char *key, struct sw_error *error) {
    if (session->tour->station == 0 || strcmp(key, "Space") != 0) {
        return SW_PASSED;
    }
    do_station(session, error);
    return SW_TAKEN;
}

void sw_tour_view(struct sw_session *session, struct sw_view_input *in) {
    struct sw_tour *tour = session->tour;
    unsigned count;
    const struct station *all = stations_of(session, &count);
    in->look.guide_at = tour->station;
    in->look.guide_count = count;
    in->look.guide =
        tour->station == 0 ? NULL : sw_keys_in(session, all[tour->station - 1].text, tour->text, sizeof tour->text);
}

bool sw_do_tour(struct sw_session *session, const struct sw_given *given, struct sw_error *error) {
    if (given->count > 0) {
        session->tour->station = 0;
        return true;
    }
    if (sw_view_moment_of(sw_state_search(session))) {
        session->tour->station = 1;
        return true;
    }
    /* A planner that leaves something to be asked, on the model as it is. */
    const char *planner = sw_search_planner(sw_state_search(session))->name;
    if (strcmp(planner, "greedy-by-size") != 0 && !sw_session_command(session, "planner greedy-by-size 0", error)) {
        return false;
    }
    session->tour->station = 1;
    sw_beside_close(session);
    return sw_session_command(session, "restart", error);
}
