/* The line at the prompt, and those before it. */
#include "command/screen/prompt.h"
#include "base/base.h"
#include "command/screen/screen.h"

SW_SESSION_PART(prompt, SW_TEXTS_DONE(&prompt->history, ));

bool sw_prompt_continues(char byte) {
    return ((unsigned char)byte & 0xc0) == 0x80;
}

void sw_prompt_clear(struct sw_prompt *prompt) {
    prompt->text[0] = '\0';
    prompt->length = prompt->at = 0;
    prompt->recalled = prompt->history.count;
    prompt->pasting = prompt->overfull = prompt->tabbing = false;
}

void sw_prompt_set(struct sw_prompt *prompt, const char *text) {
    snprintf(prompt->text, sizeof prompt->text, "%s", text);
    prompt->length = prompt->at = strlen(prompt->text);
}

void sw_prompt_open(struct sw_session *session, const char *text) {
    session->mode = SW_MODE_PROMPT;
    session->prompt->recalled = session->prompt->history.count;
    session->status.text[0] = 0;
    session->status.is_error = false;
    session->prompt->tabbing = false;
    sw_prompt_set(session->prompt, text);
}

void sw_prompt_cut(struct sw_prompt *prompt, size_t from, size_t to) {
    memmove(prompt->text + from, prompt->text + to, prompt->length - to + 1);
    prompt->length -= to - from;
    prompt->at = from;
}

void sw_prompt_insert(struct sw_prompt *prompt, const char *text) {
    size_t length = strlen(text);
    if (prompt->length + length >= sizeof prompt->text) {
        return;
    }
    memmove(prompt->text + prompt->at + length, prompt->text + prompt->at, prompt->length - prompt->at + 1);
    memcpy(prompt->text + prompt->at, text, length);
    prompt->at += length;
    prompt->length += length;
}

bool sw_prompt_remember(struct sw_prompt *prompt, const char *line) {
    size_t count = prompt->history.count;
    if (!*line || (count > 0 && strcmp(prompt->history.items[count - 1], line) == 0)) {
        return false;
    }
    char *copy = sw_state_copy(line);
    if (!copy || !SW_PUSH(&prompt->history, copy)) {
        sw_state_drop(copy);
        return false;
    }
    if (prompt->history.count > SW_HISTORY) {
        sw_state_drop(prompt->history.items[0]);
        memmove(prompt->history.items, prompt->history.items + 1, SW_HISTORY * sizeof *prompt->history.items);
        prompt->history.count--;
    }
    return true;
}
