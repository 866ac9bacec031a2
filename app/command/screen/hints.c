/* The footer: the keys that matter now. First what the present state asks for, from the top of the
 * rules; then the commands with FOOTER in the order of their table, which ends with help and quit.
 * The view shows as many as fit. */
#include "command/look/look.h"
#include "base/base.h"
#include "command/runs/branches.h"
#include "command/screen/screen.h"
#include "command/state.h"

/* What may be so at the moment. */
enum when {
    RUNNING,    /* a run is under way */
    HOLDING,    /* a block is in the hand */
    COMPARING,  /* runs side by side */
    CHOOSING,   /* a candidate is highlighted */
    CAN_CHOOSE, /* which was not refused */
    TABLE,      /* the table of buffers is on view */
    MATRIX,     /* the matrix of conflicts is */
    TREE,       /* the branches are */
    FIT_FRONT,  /* the front of a run of fit is, and is known */
    GRAPH,      /* the graph around a buffer is */
    SUGGESTING, /* the pane of suggestions is, and has some */
    WHOLE,      /* the pane has the whole screen */
    SELECTED,   /* a buffer is selected */
    MOMENT,     /* a moment of an allocator is opened, and no run */
    MOMENT_MAP, /* and its blocks have addresses */
    ZOOMED,     /* part of the map is out of view */
    CAN_UNDO,
    CAN_STEP, /* the run goes on from here */
    CAN_BACK
};

/* Is the candidate that is highlighted one that the planner may take? */
static bool can_choose(struct sw_session *session) {
    const struct sw_explanation *explanation = sw_state_explanation(session);
    uint32_t candidate = session->sight.candidate;
    return explanation && candidate < explanation->candidates.count &&
           explanation->candidates.items[candidate].verdict != SW_VERDICT_REFUSED;
}

/* What is so now. */
static void look_round(struct sw_session *session, bool now[CAN_BACK + 1]) {
    const struct sw_sight *sight = &session->sight;
    const struct sw_search *search = sw_state_search(session);
    const struct sw_view *side = sw_sight_side(sight);
    enum sw_pane_keys keys = side ? side->keys : SW_KEYS_USUAL;
    bool busy = sw_session_busy(session);
    now[RUNNING] = busy;
    now[HOLDING] = sw_drag_valid(session);
    now[COMPARING] = sw_beside_count(session) > 1;
    now[CHOOSING] = !busy && sight->candidate != SW_NONE;
    now[CAN_CHOOSE] = now[CHOOSING] && can_choose(session);
    now[TABLE] = keys == SW_KEYS_TABLE;
    now[MATRIX] = keys == SW_KEYS_MATRIX;
    now[TREE] = !busy && keys == SW_KEYS_BRANCHES;
    now[GRAPH] = keys == SW_KEYS_GRAPH && sw_problem_operator_count(sw_state_problem(session)) > 0;
    now[FIT_FRONT] = !busy && keys == SW_KEYS_FRONT && sw_front_known(session);
    now[SUGGESTING] = keys == SW_KEYS_SUGGEST && sw_suggestions_any(session);
    now[WHOLE] = sight->whole;
    now[MOMENT] = sw_view_moment_of(search) != NULL;
    now[MOMENT_MAP] = sw_moment_has_places(sw_view_moment_of(search));
    now[SELECTED] = !busy && sight->selected != SW_NONE;
    now[ZOOMED] = !sight->fit && !session->display.text;
    now[CAN_UNDO] = !busy && sw_undo_can(session);
    now[CAN_STEP] = !busy && !sw_run_at_end(search);
    now[CAN_BACK] = !busy && sw_search_at(search) > 0;
}

/* `label` NULL: that of the command table. */
static const struct rule {
    enum when when;
    const char *command, *label;
} hint_rules[] = {
    {RUNNING, "stop", NULL},
    {RUNNING, "prompt", NULL},
    {RUNNING, "zoom-in", NULL},
    {RUNNING, "pane", NULL},
    {COMPARING, "select-next", "other run"},
    {COMPARING, "pane", NULL},
    {COMPARING, "sync", NULL},
    {COMPARING, "diff", NULL},
    {CAN_CHOOSE, "choose", NULL},
    {CHOOSING, "next-candidate", "next place"},
    {CHOOSING, "ghosts", NULL},
    {TABLE, "next-row", "next row"},
    {TABLE, "sort", NULL},
    {TABLE, "filter", NULL},
    {MATRIX, "next-row", "next row"},
    {MATRIX, "next-column", NULL},
    {TREE, "next-branch", NULL},
    {TREE, "compare", NULL},
    {FIT_FRONT, "next-row", "next model"},
    {SUGGESTING, "next-candidate", "next one"},
    {WHOLE, "whole", NULL},
    {MOMENT_MAP, "select-next", "next block"},
    {MOMENT, "pane", NULL},
    {MOMENT, "sort", NULL},
    {MOMENT_MAP, "zoom-block", NULL},
    {SELECTED, "goto-block", NULL},
    {SELECTED, "hold", NULL},
    {ZOOMED, "zoom-fit", NULL},
    {CAN_UNDO, "undo", NULL},
};

/* Of the usual ones these make sense only now and then. */
static bool makes_sense(const bool now[], enum sw_command_id id) {
    bool goes_on = id == SW_DO_step || id == SW_DO_next_operator || id == SW_DO_continue;
    return goes_on ? now[CAN_STEP] : id != SW_DO_back || now[CAN_BACK];
}

static void hint_at_key(struct sw_hints *hints, const char *key, const char *label) {
    for (size_t i = 0; i < hints->count; i++) {
        if (strcmp(hints->keys[i], key) == 0) {
            return;
        }
    }
    if (hints->count < SW_HINTS) {
        snprintf(hints->keys[hints->count], sizeof hints->keys[0], "%s", key);
        hints->list[hints->count] = (struct sw_hint){hints->keys[hints->count], label};
        hints->count++;
    }
}

static void add_command_hint(const struct sw_session *session, struct sw_hints *hints, const struct sw_command *command,
                             const char *label) {
    char key[16];
    if (command && !sw_command_needs_run(session, command) && sw_keymap_key(&session->keymap, command, 0, key)) {
        hint_at_key(hints, key, label ? label : command->label);
    }
}

void sw_hints_now(struct sw_session *session, struct sw_hints *hints) {
    bool now[CAN_BACK + 1];
    hints->count = 0;
    look_round(session, now);
    if (now[HOLDING]) { /* keys of the hand, not of the table: drag.c */
        hint_at_key(hints, "Enter", "put it there");
        hint_at_key(hints, "Up", "carry it");
        hint_at_key(hints, "Esc", "let go");
    }
    if ((now[SUGGESTING] || now[FIT_FRONT]) && !now[HOLDING]) { /* and of these lists: look/panes.c */
        hint_at_key(hints, "Enter", sw_commands[now[FIT_FRONT] ? SW_DO_take_model : SW_DO_take_suggestion].label);
    }
    if (now[GRAPH] && !now[HOLDING]) { /* and of the graph: walk.c */
        hint_at_key(hints, "Left", "producer");
        hint_at_key(hints, "Right", "consumer");
        hint_at_key(hints, "Down", "beside");
    }
    for (size_t i = 0; i < sizeof hint_rules / sizeof *hint_rules && !now[HOLDING]; i++) {
        if (now[hint_rules[i].when]) {
            add_command_hint(session, hints, sw_command_find(hint_rules[i].command, NULL), hint_rules[i].label);
        }
    }
    for (size_t i = 0; i < sw_command_count(); i++) {
        const struct sw_command *command = sw_command_get(i);
        if ((command->flags & SW_COMMAND_FOOTER) && makes_sense(now, (enum sw_command_id)i)) {
            add_command_hint(session, hints, command, NULL);
        }
    }
}
