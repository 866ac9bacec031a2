/* What a session says: its status line, and the log of what scripts and commands said. */
#include "command/doors/doors.h"
#include "base/base.h"
#include "command/state.h"

enum { MOST_TOLD = 2000 };

void sw_lines_add(struct sw_session *session, struct sw_text_lines *lines, enum sw_style style, const char *text) {
    struct sw_log_line line = {sw_state_copy(text), style};
    if (!line.text || !SW_PUSH(&lines->list, line)) {
        sw_state_drop(line.text);
        session->missed = true;
    }
}

void sw_lines_clear(struct sw_text_lines *lines) {
    SW_TEXTS_DONE(&lines->list, .text);
}

SW_SESSION_PART(messages, sw_lines_clear(&messages->lines));

void sw_messages_view(struct sw_session *session, struct sw_view_input *in) {
    if (in->look.side) {
        in->run.log = session->messages->lines.list.items;
        in->run.log_count = session->messages->lines.list.count;
    }
}

/* Forget the oldest line; what scripts printed outlasts what commands said. */
static void forget_line(struct sw_session *session) {
    struct sw_log_line *said = session->messages->lines.list.items;
    size_t at = 0;
    while (at < session->messages->lines.list.count && said[at].style != SW_STYLE_DIM) {
        at++;
    }
    at = at < session->messages->lines.list.count ? at : 0;
    sw_state_drop(said[at].text);
    memmove(said + at, said + at + 1, (session->messages->lines.list.count - at - 1) * sizeof *said);
    session->messages->lines.list.count--;
}

static void tell_line(struct sw_session *session, enum sw_style style, const char *line) {
    if (session->messages->lines.list.count >= MOST_TOLD) {
        forget_line(session);
    }
    sw_lines_add(session, &session->messages->lines, style, line);
}

/* Lines of their own for what has several; tabs become blanks. */
void sw_session_tell(struct sw_session *session, bool is_error, const char *text) {
    session = session->owner ? session->owner : session;
    struct sw_sink lines = {0};
    for (; *text; text++) {
        sw_sink_add(&lines, *text == '\t' ? "  " : text, *text == '\t' ? 2 : 1);
    }
    char *rest = sw_sink_ended(&lines);
    session->missed |= !rest;
    for (char *line; (line = strsep(&rest, "\n")) != NULL;) {
        tell_line(session, is_error ? SW_STYLE_ERROR : SW_STYLE_TEXT, line);
    }
    sw_sink_done(&lines);
}

void sw_session_print(void *session, const char *line) {
    sw_session_tell(session, false, line);
}

/* Joins the log. */
static void tell_status(struct sw_session *session) {
    size_t count = session->messages->lines.list.count;
    bool known = count > 0 && strcmp(session->messages->lines.list.items[count - 1].text, session->status.text) == 0;
    if (session->status.text[0] && !known) {
        tell_line(session, SW_STYLE_DIM, session->status.text);
    }
}

void sw_messages_add_note(struct sw_session *session, const char *text) {
    char *note = session->messages->note;
    size_t used = text ? strlen(note) : 0;
    snprintf(note + used, sizeof session->messages->note - used, "%s%s", used ? "; " : "", text ? text : "");
}

void sw_session_say(struct sw_session *session, bool is_error, const char *format, ...) {
    SW_FORMAT_INTO(session->status.text, format);
    if (session->messages->note[0]) {
        size_t used = strlen(session->status.text);
        snprintf(session->status.text + used, sizeof session->status.text - used, "%s%s", used ? "; " : "",
                 session->messages->note);
    }
    session->status.is_error = is_error;
    session->status.is_passing = false;
    session->status.picked = 0;
    tell_status(session);
}

/* FILE:LINE: what is wrong. */
void sw_session_tell_error(struct sw_session *session, const struct sw_error *error) {
    char text[sizeof error->message + sizeof error->file + 24];
    if (error->line) {
        snprintf(text, sizeof text, "%s:%u: %s", error->file, error->line, error->message);
    } else {
        snprintf(text, sizeof text, "%s%s%s", error->file, *error->file ? ": " : "", error->message);
    }
    sw_session_tell(session, true, text);
}
