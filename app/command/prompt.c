/* The ':' prompt: a line with editing, history and completion. */
#include "command/state.h"
#include "lua/planner.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <wchar.h>

enum { HISTORY = 500 };

void sw_prompt_done(struct sw_prompt *prompt) {
    for (size_t i = 0; i < prompt->history.count; i++) {
        sw_state_drop(prompt->history.items[i]);
    }
    SW_ARRAY_DONE(&prompt->history);
}

static void set_text(struct sw_prompt *prompt, const char *text) {
    snprintf(prompt->text, sizeof prompt->text, "%s", text);
    prompt->length = prompt->at = strlen(prompt->text);
}

void sw_prompt_open(struct sw_session *session, const char *text) {
    session->mode = SW_MODE_PROMPT;
    session->prompt.recalled = session->prompt.history.count;
    session->status[0] = 0;
    session->status_error = false;
    set_text(&session->prompt, text);
}

/* ---- editing; the caret never stands inside of a character ---- */

static bool continues(char byte) {
    return ((unsigned char)byte & 0xc0) == 0x80;
}

static size_t before(const struct sw_prompt *prompt, size_t at) {
    if (at > 0) {
        do {
            at--;
        } while (at > 0 && continues(prompt->text[at]));
    }
    return at;
}

static size_t after(const struct sw_prompt *prompt, size_t at) {
    if (at < prompt->length) {
        do {
            at++;
        } while (at < prompt->length && continues(prompt->text[at]));
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

static void cut(struct sw_prompt *prompt, size_t from, size_t to) {
    memmove(prompt->text + from, prompt->text + to, prompt->length - to + 1);
    prompt->length -= to - from;
    prompt->at = from;
}

static void insert(struct sw_prompt *prompt, const char *text) {
    size_t length = strlen(text);
    if (prompt->length + length >= sizeof prompt->text) {
        return;
    }
    memmove(prompt->text + prompt->at + length, prompt->text + prompt->at,
            prompt->length - prompt->at + 1);
    memcpy(prompt->text + prompt->at, text, length);
    prompt->at += length;
    prompt->length += length;
}

void sw_session_type(struct sw_session *session, const char *text) {
    if (session->mode == SW_MODE_PROMPT) {
        char clean[256];
        size_t used = 0;
        for (; *text && used + 1 < sizeof clean; text++) {
            bool control = (unsigned char)*text < 32 || *text == 127;
            clean[used++] = control ? ' ' : *text;
        }
        clean[used] = 0;
        insert(&session->prompt, clean);
    }
}

/* ---- history ---- */

static void remember(struct sw_prompt *prompt) {
    size_t count = prompt->history.count;
    if (prompt->length == 0 ||
        (count > 0 && strcmp(prompt->history.items[count - 1], prompt->text) == 0)) {
        return;
    }
    char *copy = sw_state_copy(prompt->text);
    if (!copy || !SW_PUSH(&prompt->history, copy)) {
        sw_state_drop(copy);
        return;
    }
    if (prompt->history.count > HISTORY) {
        sw_state_drop(prompt->history.items[0]);
        memmove(prompt->history.items, prompt->history.items + 1,
                HISTORY * sizeof *prompt->history.items);
        prompt->history.count--;
    }
}

static void recall(struct sw_prompt *prompt, bool older) {
    size_t count = prompt->history.count;
    if (older ? prompt->recalled == 0 : prompt->recalled >= count) {
        return;
    }
    if (prompt->recalled == count) {
        memcpy(prompt->typed, prompt->text, sizeof prompt->typed);
    }
    prompt->recalled += older ? (size_t)-1 : 1;
    set_text(prompt,
             prompt->recalled == count ? prompt->typed : prompt->history.items[prompt->recalled]);
}

/* ---- completion ---- */

struct matches {
    const char *stem;
    size_t length, count;
    char common[512]; /* what all of them start with */
    char some[300];   /* their names, for the status line */
};

static void offer(struct matches *matches, const char *name) {
    if (strncmp(name, matches->stem, matches->length) != 0 ||
        strlen(name) >= sizeof matches->common) {
        return;
    }
    if (matches->count++ == 0) {
        snprintf(matches->common, sizeof matches->common, "%s", name);
    } else {
        size_t same = 0;
        while (matches->common[same] && matches->common[same] == name[same]) {
            same++;
        }
        matches->common[same] = 0;
        while (same > 0 && continues(name[same])) {
            matches->common[--same] = 0;
        }
    }
    size_t used = strlen(matches->some);
    snprintf(matches->some + used, sizeof matches->some - used, "%s%s", used ? "  " : "", name);
}

static void offer_planners(struct matches *matches) {
    sw_lua_planner_load_all();
    for (size_t i = 0; i < sw_planner_count(); i++) {
        offer(matches, sw_planner_get(i)->name);
    }
}

static void offer_buffers(const struct sw_session *session, struct matches *matches) {
    uint32_t count = sw_problem_buffer_count(session->problem);
    for (uint32_t i = 0; i < count; i++) {
        offer(matches, sw_problem_buffer(session->problem, i)->name);
    }
}

static void offer_words(struct matches *matches, const char *words) {
    char word[32];
    while (*words) {
        size_t length = strcspn(words, "| ");
        snprintf(word, sizeof word, "%.*s", (int)length, words);
        offer(matches, word);
        words += length + (words[length] != 0);
    }
}

/* What may stand as argument number `position` (from 0) of a command. */
static void offer_arguments(const struct sw_session *session, const struct sw_command *command,
                            size_t position, const char *previous, struct matches *matches) {
    const char *at = command->arguments;
    for (size_t i = 0; i < position && *at; i++) {
        at += strcspn(at, " ");
        at += *at == ' ';
    }
    size_t length = strcspn(at, " ");
    char argument[64];
    snprintf(argument, sizeof argument, "%.*s", (int)length, at);
    if (strcmp(command->name, "planner") == 0) {
        offer_planners(matches);
    } else if (strcmp(command->name, "theme") == 0) {
        for (const char *const *name = sw_theme_names(); *name; name++) {
            offer(matches, *name);
        }
    } else if (strcmp(command->name, "help") == 0) {
        for (size_t i = 0; i < sw_command_count(); i++) {
            offer(matches, sw_command_get(i)->name);
        }
    } else if (strcmp(command->name, "set") == 0) {
        const struct sw_parameter *parameter =
            sw_search_planner(sw_state_search(session))->parameters;
        char word[48];
        for (; parameter && parameter->name; parameter++) {
            snprintf(word, sizeof word, "%s=", parameter->name);
            offer(matches, word);
        }
        offer(matches, "seed=");
    } else if (strcmp(command->name, "break") == 0) {
        if (position == 0) {
            offer_words(matches, "peak|kind|buffer|step|clear");
        } else if (strcmp(previous, "buffer") == 0) {
            offer_buffers(session, matches);
        } else if (strcmp(previous, "kind") == 0) {
            for (int i = 0; i < SW_DECISION_KIND_COUNT; i++) {
                offer(matches, sw_decision_word((enum sw_decision_kind)i));
            }
        }
    } else if (strstr(argument, "BUFFER") || strstr(argument, "TEXT")) {
        offer_buffers(session, matches);
    } else if (strstr(argument, "TIER") || strcmp(command->name, "tier") == 0) {
        for (uint32_t i = 0; i < sw_problem_tier_count(session->problem); i++) {
            offer(matches, sw_problem_tier(session->problem, i)->name);
        }
    } else if (strcmp(argument, "[on|off]") == 0) {
        offer_words(matches, "on|off");
    } else if (strchr(argument, '|')) {
        offer_words(matches, argument);
    }
}

static void complete(struct sw_session *session) {
    struct sw_prompt *prompt = &session->prompt;
    char line[sizeof prompt->text], previous[64] = "";
    snprintf(line, sizeof line, "%.*s", (int)prompt->at, prompt->text);
    char *start = strrchr(line, ' ');
    struct matches matches = {.stem = start ? start + 1 : line};
    matches.length = strlen(matches.stem);
    if (!start) {
        for (size_t i = 0; i < sw_command_count(); i++) {
            offer(&matches, sw_command_get(i)->name);
        }
    } else {
        size_t position = 0;
        for (char *at = line; at < start; at++) {
            position += at[0] == ' ' && at[1] != ' ';
        }
        *start = 0;
        char *last = strrchr(line, ' ');
        snprintf(previous, sizeof previous, "%s", last ? last + 1 : line);
        line[strcspn(line, " ")] = 0;
        const struct sw_command *command = sw_command_find(line, NULL);
        if (command) {
            offer_arguments(session, command, position, previous, &matches);
        }
    }
    if (matches.count == 0) {
        sw_session_say(session, false, "nothing to complete");
        return;
    }
    size_t stem = prompt->at - matches.length;
    cut(prompt, stem, prompt->at);
    insert(prompt, matches.common);
    if (matches.count == 1) {
        size_t length = strlen(matches.common);
        if (length > 0 && matches.common[length - 1] != '=') {
            insert(prompt, " ");
        }
        sw_session_say(session, false, "%s", "");
    } else {
        sw_session_say(session, false, "%zu: %.380s", matches.count, matches.some);
    }
}

/* ---- keys ---- */

static bool enter(struct sw_session *session, struct sw_error *error) {
    struct sw_prompt *prompt = &session->prompt;
    remember(prompt);
    session->mode = SW_MODE_NORMAL;
    if (session->depth > 8) {
        return sw_fail(error, SW_ERROR_USAGE, "keys press keys too deeply");
    }
    char line[sizeof prompt->text];
    memcpy(line, prompt->text, sizeof line);
    return sw_session_command(session, line, error);
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
        cut(prompt, before(prompt, prompt->at), prompt->at);
    } else if (strcmp(key, "Delete") == 0 || strcmp(key, "Ctrl-D") == 0) {
        cut(prompt, prompt->at, after(prompt, prompt->at));
    } else if (strcmp(key, "Ctrl-W") == 0) {
        cut(prompt, word_before(prompt), prompt->at);
    } else if (strcmp(key, "Ctrl-U") == 0) {
        cut(prompt, 0, prompt->at);
    } else if (strcmp(key, "Ctrl-K") == 0) {
        cut(prompt, prompt->at, prompt->length);
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
    size_t length = strlen(key);
    if (length == 0 || (length == 1 && (unsigned char)key[0] < 32)) {
        return false;
    }
    for (size_t i = 1; i < length; i++) {
        if (!continues(key[i])) {
            return false;
        }
    }
    return true;
}

bool sw_prompt_key(struct sw_session *session, const char *key, struct sw_error *error) {
    struct sw_prompt *prompt = &session->prompt;
    if (strcmp(key, "Enter") == 0) {
        return enter(session, error);
    }
    if (strcmp(key, "Esc") == 0 || strcmp(key, "Ctrl-G") == 0 ||
        (prompt->length == 0 && strcmp(key, "Backspace") == 0)) {
        session->mode = SW_MODE_NORMAL;
        return true;
    }
    if (strcmp(key, "Tab") == 0) {
        complete(session);
        return true;
    }
    if (edit_key(prompt, key)) {
        return true;
    }
    if (strcmp(key, "Space") == 0) {
        insert(prompt, " ");
    } else if (is_character(key)) {
        insert(prompt, key);
    } else {
        return false;
    }
    return true;
}
