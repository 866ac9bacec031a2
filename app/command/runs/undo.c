/* Undo and redo: what a session goes back to is its branch, its decision, its view and its breakpoints. */
#include "command/doors/doors.h"
#include "command/look/look.h"
#include "command/runs/branches.h"
#include "command/state.h"

struct sw_undo {
    SW_ARRAY(struct sw_branch_change) changes; /* the first `done` of them are done, the others undone */
    size_t done;
};

void sw_undo_point_done(struct sw_undo_point *point) {
    sw_breaks_done(&point->breaks);
}

void sw_undo_point_take(const struct sw_session *session, struct sw_undo_point *point) {
    *point = (struct sw_undo_point){.branch = session->current,
                                    .step = sw_search_at(sw_state_search(session)),
                                    .sight = session->sight,
                                    .breaks = sw_breaks_copy(&session->breaks)};
}

static void forget_change(struct sw_branch_change *change) {
    sw_undo_point_done(&change->before);
    sw_undo_point_done(&change->after);
    SW_ARRAY_DONE(&change->dropped);
}

static void hide_dropped(struct sw_session *session, const struct sw_branch_change *change, bool hidden) {
    for (size_t i = 0; i < change->dropped.count; i++) {
        sw_branch_at(session, change->dropped.items[i])->hidden = hidden;
    }
}

/* What was undone cannot be redone once something else was done. */
void sw_change_forget_undone(struct sw_session *session) {
    sw_state_forget_indexes(session); /* they may be of a run that goes */
    sw_reload_forget(session);
    while (session->undo->changes.count > session->undo->done) {
        struct sw_branch_change *change = &session->undo->changes.items[--session->undo->changes.count];
        if (change->made != SW_NONE) {
            struct sw_branch *branch = sw_branch_at(session, change->made);
            sw_search_free(branch->search);
            branch->search = NULL;
            branch->hidden = true;
        }
        forget_change(change);
    }
}

static void forget_changes(struct sw_undo *undo) {
    for (size_t i = 0; i < undo->changes.count; i++) {
        forget_change(&undo->changes.items[i]);
    }
    undo->done = 0;
    SW_ARRAY_DONE(&undo->changes);
}

SW_SESSION_PART(undo, forget_changes(undo));

void sw_change_forget_all(struct sw_session *session) {
    forget_changes(session->undo);
}

/* Takes over `before`. */
bool sw_change_record(struct sw_session *session, struct sw_undo_point *before, uint32_t made, struct sw_error *error) {
    sw_change_forget_undone(session);
    struct sw_branch_change change = {.before = *before, .made = made};
    sw_undo_point_take(session, &change.after);
    if (!SW_PUSH(&session->undo->changes, change)) {
        forget_change(&change);
        return sw_fail_memory(error);
    }
    session->undo->done = session->undo->changes.count;
    session->saved.edits += made != SW_NONE;
    return true;
}

static bool restore_undo_point(struct sw_session *session, const struct sw_undo_point *point, struct sw_error *error) {
    struct sw_search *search = sw_branch_at(session, point->branch)->search;
    if (sw_search_at(search) != point->step && !sw_search_seek(search, point->step, error)) {
        return false;
    }
    struct sw_breaks breaks = sw_breaks_copy(&point->breaks);
    sw_breaks_done(&session->breaks);
    session->breaks = breaks;
    sw_state_use(session, point->branch);
    session->sight = point->sight;
    return true;
}

/* Of a change that made no branch. */
static const char *what_changed(const struct sw_branch_change *change) {
    return change->dropped.count                           ? "the dropping of branches"
           : change->before.branch != change->after.branch ? "the switch of branches"
                                                           : "the change of breakpoints";
}

static bool turn_change(struct sw_session *session, bool undo, struct sw_error *error) {
    struct sw_undo *all = session->undo;
    if (all->done == (undo ? 0 : all->changes.count)) {
        return sw_reload_turn(session, undo) ||
               sw_fail(error, SW_ERROR_USAGE, undo ? "nothing to undo" : "nothing to redo");
    }
    struct sw_branch_change *change = &all->changes.items[undo ? all->done - 1 : all->done];
    struct sw_branch *made = change->made != SW_NONE ? sw_branch_at(session, change->made) : NULL;
    if (undo && session->current == change->after.branch) {
        sw_undo_point_done(&change->after);
        sw_undo_point_take(session, &change->after);
    }
    if (!restore_undo_point(session, undo ? &change->before : &change->after, error)) {
        return false;
    }
    all->done = undo ? all->done - 1 : all->done + 1;
    hide_dropped(session, change, !undo);
    if (made) {
        made->hidden = undo;
    }
    if (undo) {
        sw_session_say(session, false, "undone: %s", made ? made->what : what_changed(change));
    } else {
        sw_session_say(session, false, "done again%s%s", made ? ": " : "", made ? made->what : "");
    }
    return true;
}

SW_PLAIN_COMMAND(undo, turn_change(session, true, error));
SW_PLAIN_COMMAND(redo, turn_change(session, false, error));

bool sw_undo_can(const struct sw_session *session) {
    return session->undo->done > 0;
}

struct sw_branch_change *sw_change_last(struct sw_session *session) {
    return &session->undo->changes.items[session->undo->done - 1];
}
