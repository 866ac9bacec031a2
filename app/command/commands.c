#include "command/commands.h"
#include "base/base.h"

size_t sw_command_count(void) {
    return SW_COMMANDS;
}

const struct sw_command *sw_command_get(size_t i) {
    return i < SW_COMMANDS ? &sw_commands[i] : NULL;
}

const char *sw_command_help(const struct sw_command *command, char text[SW_HELP_BYTES]) {
    const char *names = strstr(command->help, "{panes}");
    if (!names) {
        return command->help;
    }
    snprintf(text, SW_HELP_BYTES, "%.*s", (int)(names - command->help), command->help);
    for (unsigned i = 0; sw_view_pane(i); i++) {
        sw_text_add(text, SW_HELP_BYTES, "%s%s", i ? ", " : "", sw_view_pane(i)->name);
    }
    sw_text_add(text, SW_HELP_BYTES, "%s", names + strlen("{panes}"));
    return text;
}

static const struct sw_command *command_named(const char *name, size_t length) {
    for (size_t i = 0; i < SW_COMMANDS; i++) {
        if (strncmp(sw_commands[i].name, name, length) == 0 && !sw_commands[i].name[length]) {
            return &sw_commands[i];
        }
    }
    return NULL;
}

const struct sw_command *sw_command_of(const char *line) {
    return command_named(line, strcspn(line, " "));
}

const struct sw_command *sw_command_find(const char *name, struct sw_error *error) {
    size_t length = strlen(name);
    const struct sw_command *found = command_named(name, length);
    size_t matches = 0;
    char which[1024] = "";
    const char *like = NULL;
    if (found) {
        return found;
    }
    for (size_t i = 0; i < SW_COMMANDS; i++) {
        like = sw_word_nearer(name, like, sw_commands[i].name);
        if (length > 0 && strncmp(sw_commands[i].name, name, length) == 0) {
            found = &sw_commands[i];
            SW_TEXT_ADD(which, "%s%s", matches ? ", " : "", sw_commands[i].name);
            matches++;
        }
    }
    if (matches == 1) {
        return found;
    }
    if (matches > 1) {
        sw_fail(error, SW_ERROR_USAGE, "'%s' could be %s", name, which);
    } else {
        sw_fail_unknown(error, "command", name, like, "; help lists them all");
    }
    return NULL;
}

static const struct {
    unsigned door;
    const char *word, *noun;
} doors[] = {{SW_DOOR_KEYS, "keys", "a key"},
             {SW_DOOR_PROMPT, "prompt", "the prompt"},
             {SW_DOOR_SCRIPT, "script", "a script"},
             {SW_DOOR_SESSION, "session", "a session file"},
             {SW_DOOR_LUA, "lua", "Lua"}};
enum { DOORS = sizeof doors / sizeof *doors };

const char *sw_command_doors(const struct sw_command *command, char text[SW_DOORS_BYTES]) {
    text[0] = '\0';
    for (size_t i = 0; i < DOORS; i++) {
        if (command->doors & doors[i].door) {
            sw_text_add(text, SW_DOORS_BYTES, "%s%s", *text ? " " : "", doors[i].word);
        }
    }
    return text;
}

const char *sw_command_from(const struct sw_command *command, char text[SW_FROM_BYTES]) {
    size_t all = (size_t)__builtin_popcount(command->doors), said = 0;
    text[0] = '\0';
    for (size_t i = 0; i < DOORS; i++) {
        if (command->doors & doors[i].door) {
            const char *joint = said++ == 0 ? "" : said == all ? " or " : ", ";
            sw_text_add(text, SW_FROM_BYTES, "%s%s%s", joint, doors[i].noun, all == 1 ? " alone" : "");
        }
    }
    return text;
}

bool sw_command_admit(const struct sw_command *command, unsigned through, struct sw_error *error) {
    char text[SW_DOORS_BYTES];
    for (size_t i = 0; i < DOORS; i++) {
        if (through & ~command->doors & doors[i].door) {
            return sw_fail(error, SW_ERROR_USAGE, "%s may not come from %s, only from: %s", command->name,
                           doors[i].noun, sw_command_doors(command, text));
        }
    }
    return true;
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
    char own[16];
    for (size_t i = 0; i < SW_COMMANDS; i++) {
        for (size_t k = 0; sw_command_key(&sw_commands[i], k, own); k++) {
            if (strcmp(own, key) == 0) {
                return &sw_commands[i];
            }
        }
    }
    return NULL;
}
