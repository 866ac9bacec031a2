/* What all files of this folder need of a session: texts, and the run that is shown. */
#include "command/doors/doors.h"
#include "command/runs/branches.h"
#include "command/state.h"

char *sw_state_copy(const char *text) {
    size_t length = strlen(text) + 1;
    char *copy = SW_NEW(char, length);
    if (copy) {
        memcpy(copy, text, length);
    }
    return copy;
}

void sw_state_drop(char *text) {
    if (text) {
        SW_FREE(text, strlen(text) + 1);
    }
}

double sw_state_clock(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

bool sw_state_good(const struct sw_error *own, struct sw_error *error) {
    if (own->code != SW_OK && error) {
        *error = *own;
    }
    return own->code == SW_OK;
}

struct sw_search *sw_state_search(const struct sw_session *session) {
    return sw_branch_at(session, session->current)->search;
}

const struct sw_problem *sw_state_problem(const struct sw_session *session) {
    return sw_search_problem(sw_state_search(session));
}

const struct sw_search *sw_session_search(const struct sw_session *session) {
    return sw_state_search(session);
}

struct sw_display *sw_session_display(struct sw_session *session) {
    return &session->display;
}

enum sw_mode sw_session_mode(const struct sw_session *session) {
    return session->mode;
}

void sw_session_watch_waits(struct sw_session *session, bool (*wait)(void *context), void *context) {
    session->calls.wait = wait;
    session->calls.program_context = context;
}

bool sw_session_wants_quit(const struct sw_session *session) {
    return session->leaving == SW_LEAVING;
}

const char *sw_session_status(const struct sw_session *session, bool *is_error) {
    *is_error = session->status.is_error;
    return session->status.text;
}
