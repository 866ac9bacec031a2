/* The command table: every command with its arguments, help, default keys and flags, in one list.
 *
 * To add a command: one line in commands.def, one function `sw_do_<id>` in the file it belongs to.
 * Help, `list commands`, `list keys`, completion and the footer are made from this list. */
#ifndef SW_COMMAND_COMMANDS_H
#define SW_COMMAND_COMMANDS_H

#include "command/session.h"

enum {
    SW_COMMAND_LOGGED = 1,   /* goes into the session file */
    SW_COMMAND_UNDOABLE = 2, /* `undo` takes it back */
    SW_COMMAND_HEADLESS = 4, /* makes sense without a screen */
    SW_COMMAND_FOOTER = 8,   /* shown in the footer while there is room */
    SW_COMMAND_BUSY = 16,    /* leaves a run that is under way alone; others stop it first */
    SW_COMMAND_RAW = 64,     /* takes the rest of the line as one argument, quotation marks and all */
    SW_COMMAND_JUMPS = 128,  /* leads away: `went-back` returns to where it was given */
    SW_COMMAND_PROMPT = 32   /* its key opens the prompt with the name typed */
};

struct sw_command {
    const char *name;      /* "step" */
    const char *arguments; /* "[N]"; "" for none */
    const char *help;      /* one sentence */
    const char *keys;      /* default keys, separated by spaces: "s Right" */
    const char *label;     /* two words at most, for the footer; "" */
    const char *section;   /* heading in the help */
    unsigned flags;
    bool (*run)(struct sw_session *, char **arguments, size_t count, struct sw_error *);
};
size_t sw_command_count(void);
const struct sw_command *sw_command_get(size_t);
/* By name or a unique prefix. */
const struct sw_command *sw_command_find(const char *name, struct sw_error *);
const struct sw_command *sw_command_for_key(const char *key); /* NULL */
/* Key number i of a command, from 0, into `key`; false past the last. */
bool sw_command_key(const struct sw_command *, size_t i, char key[16]);

#endif
