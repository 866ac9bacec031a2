#include "command/state.h"

#include <stdio.h>
#include <string.h>

enum {
    LOGGED = SW_COMMAND_LOGGED,
    UNDOABLE = SW_COMMAND_UNDOABLE,
    HEADLESS = SW_COMMAND_HEADLESS,
    FOOTER = SW_COMMAND_FOOTER,
    BUSY = SW_COMMAND_BUSY,
    PROMPT = SW_COMMAND_PROMPT,
    RAW = SW_COMMAND_RAW,
    JUMPS = SW_COMMAND_JUMPS
};

static const struct sw_command commands[] = {
#define X(id, name, arguments, keys, label, flags, section, help)                                  \
    {name, arguments, help, keys, label, section, flags, sw_do_##id},
#include "command/commands.def"
#undef X
};
#define COUNT (sizeof commands / sizeof *commands)

size_t sw_command_count(void) {
    return COUNT;
}

const struct sw_command *sw_command_get(size_t i) {
    return i < COUNT ? &commands[i] : NULL;
}

const struct sw_command *sw_command_find(const char *name, struct sw_error *error) {
    size_t length = strlen(name);
    const struct sw_command *found = NULL;
    size_t matches = 0;
    char which[160] = "";
    for (size_t i = 0; i < COUNT; i++) {
        if (strcmp(commands[i].name, name) == 0) {
            return &commands[i];
        }
        if (length > 0 && strncmp(commands[i].name, name, length) == 0) {
            found = &commands[i];
            size_t used = strlen(which);
            snprintf(which + used, sizeof which - used, "%s%s", matches ? ", " : "",
                     commands[i].name);
            matches++;
        }
    }
    if (matches == 1) {
        return found;
    }
    if (matches > 1) {
        sw_fail(error, SW_ERROR_USAGE, "'%.40s' could be %s", name, which);
    } else {
        sw_fail(error, SW_ERROR_USAGE, "there is no command '%.40s'; ? lists them all", name);
    }
    return NULL;
}

bool sw_command_key(const struct sw_command *command, size_t i, char key[16]) {
    const char *at = command->keys;
    while (*at) {
        size_t length = strcspn(at, " ");
        if (i-- == 0) {
            snprintf(key, 16, "%.*s", (int)length, at);
            return true;
        }
        at += length + (at[length] == ' ');
    }
    return false;
}

const struct sw_command *sw_command_for_key(const char *key) {
    char one[16];
    for (size_t i = 0; i < COUNT; i++) {
        for (size_t k = 0; sw_command_key(&commands[i], k, one); k++) {
            if (strcmp(one, key) == 0) {
                return &commands[i];
            }
        }
    }
    return NULL;
}
