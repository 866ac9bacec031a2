/* The ':' prompt: a line with editing and history. */
#include "command/screen/prompt.h"
#include "base/base.h"
#include "command/screen/reading.h"
#include "command/screen/screen.h"
#include "command/state.h"

/* ---- editing; the caret never stands inside of a character ---- */

static size_t before(const struct sw_prompt *prompt, size_t at) {
    at -= at > 0;
    while (at > 0 && sw_prompt_continues(prompt->text[at])) {
        at--;
    }
    return at;
}

static size_t after(const struct sw_prompt *prompt, size_t at) {
    at += at < prompt->length;
    while (at < prompt->length && sw_prompt_continues(prompt->text[at])) {
        at++;
    }
    return at;
}

static size_t word_before(const struct sw_prompt *prompt) {
    size_t at = prompt->at;
    while (at > 0 && prompt->text[at - 1] == ' ') {
        at--;
    }
    while (at > 0 && prompt->text[at - 1] != ' ') {
        at--;
    }
    return at;
}

/* Control characters become blanks. False: there is no room. */
static bool insert_clean(struct sw_prompt *prompt, const char *text) {
    char clean[sizeof prompt->text];
    size_t used = 0;
    if (strlen(text) + prompt->length >= sizeof prompt->text) {
        return false;
    }
    for (; *text; text++) {
        bool control = (unsigned char)*text < 32 || *text == 127;
        clean[used++] = control ? ' ' : *text;
    }
    clean[used] = 0;
    sw_prompt_insert(prompt, clean);
    return true;
}

void sw_session_type(struct sw_session *session, const char *text) {
    if (session->mode == SW_MODE_PROMPT) {
        insert_clean(session->prompt, text);
    }
}

void sw_session_paste(struct sw_session *session, const char *text) {
    struct sw_prompt *prompt = session->prompt;
    if (!prompt->pasting) {
        prompt->pasting = true;
        prompt->overfull = false;
        prompt->pasted_at = prompt->at;
    }
    if (session->mode == SW_MODE_PROMPT && !prompt->overfull && !insert_clean(prompt, text)) {
        prompt->overfull = true;
        sw_prompt_cut(prompt, prompt->pasted_at, prompt->at);
    }
}

void sw_session_paste_end(struct sw_session *session) {
    struct sw_prompt *prompt = session->prompt;
    prompt->pasting = false;
    if (session->mode != SW_MODE_PROMPT) {
        sw_session_say(session, false, "what was pasted is not taken for keys; %s opens the prompt, for a command",
                       SW_KEY(session, "prompt"));
    } else if (prompt->overfull) {
        sw_session_say(session, true, "what was pasted is too long for a line");
    } else { /* a line that was pasted with its end */
        while (prompt->at > prompt->pasted_at && prompt->text[prompt->at - 1] == ' ') {
            sw_prompt_cut(prompt, prompt->at - 1, prompt->at);
        }
    }
}

/* ---- history ---- */

static void recall(struct sw_prompt *prompt, bool older) {
    size_t count = prompt->history.count;
    if (older ? prompt->recalled == 0 : prompt->recalled >= count) {
        return;
    }
    if (prompt->recalled == count) {
        memcpy(prompt->typed, prompt->text, sizeof prompt->typed);
    }
    prompt->recalled += older ? (size_t)-1 : 1;
    sw_prompt_set(prompt, prompt->recalled == count ? prompt->typed : prompt->history.items[prompt->recalled]);
}

/* ---- keys ---- */

static bool enter_line(struct sw_session *session, struct sw_error *error) {
    struct sw_prompt *prompt = session->prompt;
    if (session->screenful->seek.asking) {
        sw_seek_answer(session, prompt->text);
        return true;
    }
    prompt->fresh += sw_prompt_remember(prompt, prompt->text);
    session->mode = SW_MODE_NORMAL;
    if (session->within.keys > 8) {
        return sw_fail(error, SW_ERROR_USAGE, "keys press keys too deeply");
    }
    char line[sizeof prompt->text];
    memcpy(line, prompt->text, sizeof line);
    return sw_session_command_by(session, SW_DOOR_PROMPT, line, error);
}

static bool edit_key(struct sw_prompt *prompt, const char *key) {
    if (strcmp(key, "Left") == 0 || strcmp(key, "Ctrl-B") == 0) {
        prompt->at = before(prompt, prompt->at);
    } else if (strcmp(key, "Right") == 0 || strcmp(key, "Ctrl-F") == 0) {
        prompt->at = after(prompt, prompt->at);
    } else if (strcmp(key, "Home") == 0 || strcmp(key, "Ctrl-A") == 0) {
        prompt->at = 0;
    } else if (strcmp(key, "End") == 0 || strcmp(key, "Ctrl-E") == 0) {
        prompt->at = prompt->length;
    } else if (strcmp(key, "Backspace") == 0) {
        sw_prompt_cut(prompt, before(prompt, prompt->at), prompt->at);
    } else if (strcmp(key, "Delete") == 0 || strcmp(key, "Ctrl-D") == 0) {
        sw_prompt_cut(prompt, prompt->at, after(prompt, prompt->at));
    } else if (strcmp(key, "Ctrl-W") == 0) {
        sw_prompt_cut(prompt, word_before(prompt), prompt->at);
    } else if (strcmp(key, "Ctrl-U") == 0) {
        sw_prompt_cut(prompt, 0, prompt->at);
    } else if (strcmp(key, "Ctrl-K") == 0) {
        sw_prompt_cut(prompt, prompt->at, prompt->length);
    } else if (strcmp(key, "Up") == 0 || strcmp(key, "Ctrl-P") == 0) {
        recall(prompt, true);
    } else if (strcmp(key, "Down") == 0 || strcmp(key, "Ctrl-N") == 0) {
        recall(prompt, false);
    } else {
        return false;
    }
    return true;
}

/* One character, whatever its length in bytes. */
static bool is_character(const char *key) {
    uint32_t code;
    return *key && sw_utf8_decode(key, strlen(key), &code) == strlen(key) && code >= 32;
}

static bool take_key(struct sw_session *session, const char *key, struct sw_error *error) {
    struct sw_prompt *prompt = session->prompt;
    if (strcmp(key, "Enter") == 0) {
        return enter_line(session, error);
    }
    if (strcmp(key, "Esc") == 0 || strcmp(key, "Ctrl-G") == 0 ||
        (prompt->length == 0 && strcmp(key, "Backspace") == 0)) {
        session->mode = SW_MODE_NORMAL;
        sw_prompt_close_list(session);
        if (session->screenful->seek.asking) {
            sw_seek_close(session);
        }
        return true;
    }
    if (session->screenful->seek.asking && (strcmp(key, "Tab") == 0 || strcmp(key, "Shift-Tab") == 0)) {
        return true; /* nothing is completed */
    }
    if (strcmp(key, "Tab") == 0 || strcmp(key, "Shift-Tab") == 0) {
        sw_prompt_complete(session, key[0] == 'T');
        return true;
    }
    bool done = edit_key(prompt, key);
    if (!done && (strcmp(key, "Space") == 0 || is_character(key))) {
        sw_prompt_insert(prompt, strcmp(key, "Space") == 0 ? " " : key);
        done = true;
    }
    if (done && prompt->lists) { /* of what is typed now */
        prompt->tabbing = false;
        sw_prompt_list(session);
    }
    return done;
}

enum sw_taken sw_prompt_key(struct sw_session *session, const char *key, struct sw_error *error) {
    if (session->mode != SW_MODE_PROMPT) {
        return SW_PASSED;
    }
    return take_key(session, key, error) ? SW_TAKEN : SW_REFUSED;
}

/* A command that wants words is typed, with the selected buffer where it wants one. */
enum sw_taken sw_prompt_press(struct sw_session *session, const struct sw_command **command, const char **line) {
    char text[SW_MESSAGE];
    const char *name = (*command)->name, *subject = "";
    if (!((*command)->flags & SW_COMMAND_PROMPT) || strcmp(*line, name) != 0) {
        return SW_PASSED;
    }
    if (sw_command_needs_run(session, *command)) {
        sw_session_say(session, true, "%s: " SW_NO_RUN_HERE, name);
        return SW_TAKEN;
    }
    if (session->sight.selected != SW_NONE && strncmp((*command)->arguments, "BUFFER", 6) == 0) {
        subject = sw_problem_buffer(session->problem, session->sight.selected)->name;
    }
    bool quote = strpbrk(subject, " \"\\\t") != NULL;
    snprintf(text, sizeof text, quote ? "%s \"%s\" " : *subject ? "%s %s " : "%s %s", name, subject);
    session->mode = SW_MODE_NORMAL;
    sw_prompt_open(session, text);
    if (*subject || *command == &sw_commands[SW_DO_compare]) {
        sw_prompt_list(session);
    }
    return SW_TAKEN;
}
