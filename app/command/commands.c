#include "base/text.h"
#include "command/look/look.h"
#include "command/state.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    LOGGED = SW_COMMAND_LOGGED,
    UNDOABLE = SW_COMMAND_UNDOABLE,
    HEADLESS = SW_COMMAND_HEADLESS,
    FOOTER = SW_COMMAND_FOOTER,
    BUSY = SW_COMMAND_BUSY,
    PROMPT = SW_COMMAND_PROMPT,
    RAW = SW_COMMAND_RAW,
    JUMPS = SW_COMMAND_JUMPS,
    PROGRAMS = SW_COMMAND_PROGRAMS
};
enum {
    RECORD = SW_DOOR_SESSION,
    BY_HAND = SW_DOOR_KEYS | SW_DOOR_PROMPT,
    LIVE = BY_HAND | SW_DOOR_SCRIPT | SW_DOOR_LUA,
    ANY = LIVE | SW_DOOR_SESSION
};

static char pane_help[1024]; /* names them all */

static const struct sw_command commands[] = {
#define X(id, name, arguments, keys, label, flags, doors, section, help) \
    {name, arguments, help, keys, label, section, flags, doors, sw_do_##id},
#include "command/commands.def"
#undef X
};
#define COUNT (sizeof commands / sizeof *commands)

/* Every name and every key with its command, sorted, so that a held key does not wait for the search. */
enum { MOST_KEYS = 400 };
struct entry {
    char text[24];
    const struct sw_command *command;
};
static struct {
    struct entry names[COUNT], keys[MOST_KEYS];
    size_t key_count;
} sorted;
static pthread_once_t sort_once = PTHREAD_ONCE_INIT;

static int by_text(const void *a, const void *b) {
    return strcmp(((const struct entry *)a)->text, ((const struct entry *)b)->text);
}

static void sort(void) {
    char key[16];
    int used = snprintf(pane_help, sizeof pane_help, "Show another pane beside the map: ");
    for (unsigned i = 0; sw_pane_name(i); i++) {
        used += snprintf(pane_help + used, sizeof pane_help - (size_t)used, "%s%s", i ? ", " : "", sw_pane_name(i));
    }
    snprintf(pane_help + used, sizeof pane_help - (size_t)used,
             "; without a name the next one that has something to show.");
    for (size_t i = 0; i < COUNT; i++) {
        struct entry *name = &sorted.names[i];
        name->command = &commands[i];
        snprintf(name->text, sizeof name->text, "%s", commands[i].name);
        for (size_t k = 0; sw_command_key(&commands[i], k, key) && sorted.key_count < MOST_KEYS; k++) {
            struct entry *one = &sorted.keys[sorted.key_count++];
            one->command = &commands[i];
            memcpy(one->text, key, sizeof key);
        }
    }
    qsort(sorted.names, COUNT, sizeof *sorted.names, by_text);
    qsort(sorted.keys, sorted.key_count, sizeof *sorted.keys, by_text);
}

static const struct sw_command *look_up(const struct entry *entries, size_t count, const char *text) {
    struct entry wanted;
    if (strlen(text) >= sizeof wanted.text) {
        return NULL;
    }
    strcpy(wanted.text, text);
    const struct entry *found = bsearch(&wanted, entries, count, sizeof *entries, by_text);
    return found ? found->command : NULL;
}

size_t sw_command_count(void) {
    return COUNT;
}

const struct sw_command *sw_command_get(size_t i) {
    pthread_once(&sort_once, sort);
    return i < COUNT ? &commands[i] : NULL;
}

const struct sw_command *sw_command_find(const char *name, struct sw_error *error) {
    pthread_once(&sort_once, sort);
    size_t length = strlen(name);
    const struct sw_command *found = look_up(sorted.names, COUNT, name);
    size_t matches = 0;
    char which[1024] = "";
    const char *like = NULL;
    if (found) {
        return found;
    }
    for (size_t i = 0; i < COUNT; i++) {
        like = sw_word_nearer(name, like, commands[i].name);
        if (length > 0 && strncmp(commands[i].name, name, length) == 0) {
            found = &commands[i];
            size_t used = strlen(which);
            snprintf(which + used, sizeof which - used, "%s%s", matches ? ", " : "", commands[i].name);
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
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < DOORS; i++) {
        if (command->doors & doors[i].door) {
            int length = snprintf(text + used, SW_DOORS_BYTES - used, "%s%s", used ? " " : "", doors[i].word);
            used += (size_t)length;
        }
    }
    return text;
}

const char *sw_command_from(const struct sw_command *command, char text[SW_FROM_BYTES]) {
    size_t used = 0, left = 0;
    for (size_t i = 0; i < DOORS; i++) {
        left += (command->doors & doors[i].door) != 0;
    }
    text[0] = '\0';
    for (size_t i = 0; i < DOORS; i++) {
        if (command->doors & doors[i].door) {
            left--;
            int length = snprintf(text + used, SW_FROM_BYTES - used, "%s%s%s",
                                  used == 0  ? ""
                                  : left > 0 ? ", "
                                             : " or ",
                                  doors[i].noun, left > 0 || used > 0 ? "" : " alone");
            used += (size_t)length;
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
    pthread_once(&sort_once, sort);
    return look_up(sorted.keys, sorted.key_count, key);
}
