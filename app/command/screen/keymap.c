/* The keys in force: those of the table of commands, as the user's config changes them. */
#include "command/state.h"
#include "base/base.h"

void sw_keymap_done(struct sw_keymap *map) {
    SW_TEXTS_DONE(&map->list, .line);
}

/* ---- names of keys ---- */

/* In UTF-8, whatever the locale. */
static bool is_one_character(const char *key) {
    uint32_t code;
    return *key && sw_utf8_decode(key, strlen(key), &code) == strlen(key) && code > ' ' && code != 127;
}

bool sw_key_known(const char *key) {
    static const char *const names[] = {"Left",      "Right",      "Up",          "Down",     "Home",
                                        "End",       "PageUp",     "PageDown",    "Tab",      "Enter",
                                        "Esc",       "Space",      "Backspace",   "Delete",   "Insert",
                                        "Shift-Tab", "Shift-Left", "Shift-Right", "Shift-Up", "Shift-Down"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(names[i], key) == 0) {
            return true;
        }
    }
    if (strncmp(key, "Ctrl-", 5) == 0) {
        /* The others are Backspace, Tab, Enter, or belong to the terminal. */
        return key[5] >= 'A' && key[5] <= 'Z' && !key[6] && !strchr("CHIJMQSZ", key[5]);
    }
    if (key[0] == 'F' && key[1] >= '1' && key[1] <= '9') {
        char *end = NULL;
        unsigned long number = strtoul(key + 1, &end, 10);
        return !*end && number <= 24;
    }
    return is_one_character(key);
}

/* ---- changing ---- */

static const struct sw_binding *changed(const struct sw_keymap *map, const char *key) {
    for (size_t i = 0; map && i < map->list.count; i++) {
        if (strcmp(map->list.items[i].key, key) == 0) {
            return &map->list.items[i];
        }
    }
    return NULL;
}

bool sw_keymap_bind(struct sw_keymap *map, const char *key, const char *line, struct sw_error *error) {
    struct sw_binding binding = {.command = NULL};
    if (!sw_key_known(key)) {
        return sw_fail(error, SW_ERROR_INPUT,
                       "there is no key '%s'; keys are one character, Ctrl-A, F1, Left, PageUp, "
                       "Home, Tab, Shift-Tab, Space, Enter, Delete and so on",
                       key);
    }
    if (changed(map, key)) {
        return sw_fail(error, SW_ERROR_INPUT, "the key '%s' is bound twice", key);
    }
    if (line && !(binding.command = sw_command_check(line, error))) {
        return false;
    }
    snprintf(binding.key, sizeof binding.key, "%s", key);
    binding.line = line ? sw_state_copy(line + strspn(line, " \t")) : NULL;
    if ((line && !binding.line) || !SW_PUSH(&map->list, binding)) {
        sw_state_drop(binding.line);
        return sw_fail_memory(error);
    }
    return true;
}

bool sw_keymap_configure(struct sw_keymap *map, const struct sw_config *config, struct sw_error *error) {
    for (size_t i = 0; i < config->keys.count; i++) {
        const struct sw_config_key *key = &config->keys.items[i];
        if (!sw_keymap_bind(map, key->key, key->unbind ? NULL : key->line, error)) {
            char what[sizeof error->message];
            if (error && error->code != SW_ERROR_MEMORY) {
                snprintf(what, sizeof what, "%s", error->message);
                sw_fail(error, SW_ERROR_INPUT, "keys[\"%s\"]: %s", key->key, what);
                sw_error_at(error, config->path, key->at, 0);
            }
            return false;
        }
    }
    return true;
}

/* ---- asking ---- */

/* Nothing but the name of the command. */
static bool is_bare(const struct sw_binding *binding) {
    return binding->line && binding->line[strcspn(binding->line, " \t")] == '\0';
}

const struct sw_command *sw_keymap_find(const struct sw_keymap *map, const char *key, const char **line) {
    const struct sw_binding *binding = changed(map, key);
    if (binding) {
        *line = is_bare(binding) ? binding->command->name : binding->line;
        return binding->command;
    }
    const struct sw_command *command = sw_command_for_key(key);
    *line = command ? command->name : NULL;
    return command;
}

bool sw_keymap_key(const struct sw_keymap *map, const struct sw_command *command, size_t i, char key[16]) {
    /* The user's own first: they are what the footer shows. */
    for (size_t k = 0; map && k < map->list.count; k++) {
        const struct sw_binding *binding = &map->list.items[k];
        if (binding->command == command && is_bare(binding) && i-- == 0) {
            snprintf(key, 16, "%s", binding->key);
            return true;
        }
    }
    for (size_t k = 0; sw_command_key(command, k, key); k++) {
        if (!changed(map, key) && i-- == 0) {
            return true;
        }
    }
    return false;
}

const char *sw_key_of(const struct sw_session *session, const char *command, char text[SW_KEY_BYTES]) {
    if (!sw_keymap_key(&session->keymap, sw_command_find(command, NULL), 0, text)) {
        snprintf(text, SW_KEY_BYTES, ":%s", command);
    }
    return text;
}

const char *sw_keys_in(const struct sw_session *session, const char *from, char *text, size_t size) {
    size_t used = 0;
    while (*from && used + SW_KEY_BYTES < size) {
        char name[SW_KEY_BYTES];
        if (*from != '{') {
            text[used++] = *from++;
            continue;
        }
        int length = (int)strcspn(from, "}");
        snprintf(name, sizeof name, "%.*s", length - 1, from + 1);
        from += length + 1;
        used += strlen(sw_key_of(session, name, text + used));
    }
    text[used] = '\0';
    return text;
}

const struct sw_binding *sw_keymap_bound(const struct sw_keymap *map, const struct sw_command *command, size_t i) {
    for (size_t k = 0; map && k < map->list.count; k++) {
        const struct sw_binding *binding = &map->list.items[k];
        if (binding->command == command && binding->line && !is_bare(binding) && i-- == 0) {
            return binding;
        }
    }
    return NULL;
}

const char *sw_keymap_text(const struct sw_keymap *map, const struct sw_command *command, char text[SW_KEYS_BYTES]) {
    char key[16];
    text[0] = '\0';
    for (size_t i = 0; sw_keymap_key(map, command, i, key); i++) {
        sw_text_add(text, SW_KEYS_BYTES, "%s%s", i ? " " : "", key);
    }
    return text;
}
