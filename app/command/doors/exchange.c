/* Two sessions change places, at a reload and its undo. */
#include "command/doors/doors.h"
#include "command/state.h"

struct sw_reloads {
    struct sw_session *older, *newer;
};

static void forget_reloads(struct sw_reloads *reloads) {
    sw_session_free(reloads->older);
    sw_session_free(reloads->newer);
}

SW_SESSION_PART(reloads, forget_reloads(reloads));

static void point_home(struct sw_session *session) {
    session->options.load.print_context = session->options.load.uses_context = session;
}

/* What belongs to the program, not to the runs, of what stands in the session itself; parts.def says it of the parts.
 */
#define OF_THE_PROGRAM(X) \
    X(display) X(leaving) X(status) X(mode) X(calls) X(within) X(keymap) X(owner) X(saved) X(exchanged)

static void swap_bytes(void *a, void *b, size_t size) {
    unsigned char *x = a, *y = b;
    for (size_t i = 0; i < size; i++) {
        unsigned char kept = x[i];
        x[i] = y[i];
        y[i] = kept;
    }
}

void sw_reload_exchange(struct sw_session *front, struct sw_session *other) {
    swap_bytes(front, other, sizeof *front);
#define SWAP_FIELD(field) swap_bytes(&front->field, &other->field, sizeof front->field);
    OF_THE_PROGRAM(SWAP_FIELD)
#undef SWAP_FIELD
    SW_PARTS_WITH(of_the_program) {
        swap_bytes((char *)front + part->at, (char *)other + part->at, sizeof(void *));
    }
    point_home(front);
    point_home(other);
    front->exchanged = true;
    front->display.drawn++;
}

void sw_reload_forget(struct sw_session *session) {
    sw_session_free(session->reloads->newer);
    session->reloads->newer = NULL;
}

void sw_reload_remember(struct sw_session *session, struct sw_session *older) {
    session->reloads->older = older;
}

bool sw_reload_turn(struct sw_session *session, bool undo) {
    struct sw_session *other = undo ? session->reloads->older : session->reloads->newer;
    if (!other) {
        return false;
    }
    sw_reload_exchange(session, other); /* the other is what is shown now */
    *(undo ? &other->reloads->older : &other->reloads->newer) = NULL;
    *(undo ? &session->reloads->newer : &session->reloads->older) = other;
    const char *name = sw_path_name(session->options.path);
    sw_session_say(session, false,
                   undo ? "undone: the reading of %s, which has changed since" : "%s as it was read again", name);
    return true;
}
