/* The command table: every command with its arguments, help, default keys and flags, in one list.
 *
 * To add a command: one line in commands.def, one function `sw_do_<id>` in the file it belongs to.
 * Help, `list commands`, `list keys`, completion and the footer are made from this list. */
#ifndef SW_COMMAND_COMMANDS_H
#define SW_COMMAND_COMMANDS_H

#include "command/session.h"
#include "lua/config.h"

enum {
    SW_COMMAND_LOGGED = 1,      /* goes into the session file */
    SW_COMMAND_FOOTER = 8,      /* shown in the footer while there is room */
    SW_COMMAND_BUSY = 16,       /* leaves a run that is under way alone; others stop it first */
    SW_COMMAND_RAW = 64,        /* takes the rest of the line as one argument, quotation marks and all */
    SW_COMMAND_JUMPS = 128,     /* leads away: `went-back` returns to where it was given */
    SW_COMMAND_PROGRAMS = 256,  /* its words may name files in Lua */
    SW_COMMAND_COUNTS = 512,    /* its last word says how far its run goes */
    SW_COMMAND_TIMED = 2048,    /* about a run over time; not of one moment of an allocator */
    SW_COMMAND_BASELESS = 1024, /* its offsets are bytes from the start of the arena, without --base */
    SW_COMMAND_PROMPT = 32      /* its key opens the prompt with the name typed */
};

/* The arguments of a command, each parsed as its type wants it: given.def. */
enum { SW_MOST_WORDS = 64 }; /* of a line, at most */
struct sw_given_value {
    const char *word; /* as it was given; NULL: it was left out */
    unsigned choice;  /* which of the alternatives in small letters it is, its place among all of them from 1; or 0 */
    uint32_t index;   /* BUFFER, TIER, OPERATOR, STEP, MARK, KIND: its number; SW_NONE: it is none of them */
    uint64_t number;  /* N, BYTES, OFFSET and the like; BLOCK: sight.piece */
    int64_t time;     /* FIRST, LAST */
    const struct sw_planner *planner; /* PLANNER, RUN; NULL: a RUN is the branch `number` */
    const struct sw_view *view;       /* PANE */
    const struct sw_command *command; /* COMMAND */
    char digits[24];                  /* of a size that was rounded: in full; "", and */
    char read[160];                   /* how it was read, as a sentence */
};
struct sw_given {
    char **words;
    size_t count;
    struct sw_given_value value[SW_MOST_WORDS];
};
/* A number that may be left out: NULL. */
static inline const uint64_t *sw_given_number(const struct sw_given *given, size_t i) {
    return given->value[i].word ? &given->value[i].number : NULL;
}

typedef bool sw_command_fn(struct sw_session *, const struct sw_given *, struct sw_error *);

struct sw_command {
    const char *name;      /* "step" */
    const char *arguments; /* "[N]"; "" for none */
    const char *help;      /* one sentence; {panes} stands for their names: sw_command_help */
    const char *keys;      /* default keys, separated by spaces: "s Right" */
    const char *label;     /* two words at most, for the footer; "" */
    const char *section;   /* heading in the help */
    unsigned flags;
    unsigned doors; /* through which it may come: SW_DOOR_ */
    sw_command_fn *run;
};
/* The table has one of each, in this order. */
enum sw_command_id {
#define X(id, name, arguments, keys, label, flags, doors, section, help) SW_DO_##id,
#include "command/commands.def"
#undef X
    SW_COMMANDS
};
extern const struct sw_command sw_commands[SW_COMMANDS]; /* tables.c */
size_t sw_command_count(void);
const struct sw_command *sw_command_get(size_t);
/* By name or a unique prefix. */
const struct sw_command *sw_command_find(const char *name, struct sw_error *);
const struct sw_command *sw_command_for_key(const char *key); /* NULL */
/* Key number i of a command, from 0, into `key`; false past the last. */
bool sw_command_key(const struct sw_command *, size_t i, char key[16]);
/* Its help in full. */
enum { SW_HELP_BYTES = 1024 };
const char *sw_command_help(const struct sw_command *, char text[SW_HELP_BYTES]);
/* The doors in words, "keys prompt script". */
enum { SW_DOORS_BYTES = 40 };
const char *sw_command_doors(const struct sw_command *, char text[SW_DOORS_BYTES]);
/* The same in a sentence: "a key, the prompt or a script", "a session file alone". */
enum { SW_FROM_BYTES = 80 };
const char *sw_command_from(const struct sw_command *, char text[SW_FROM_BYTES]);
/* May it come through all of these doors, one behind the other? 0: the program itself gives it. */
bool sw_command_admit(const struct sw_command *, unsigned through, struct sw_error *);
/* The command of a line of the log, which has its full name. */
const struct sw_command *sw_command_of(const char *line);
/* The command of a line, when there is one of that name and the number of its words is right. */
const struct sw_command *sw_command_check(const char *line, struct sw_error *);

/* keymap.c: the keys in force, which are those of the table as the user's config changes them. A keymap
 * is zeroed to start with; NULL stands for the table itself. */
struct sw_binding {
    char key[16];
    char *line;                       /* "step 10"; owned; NULL: the key does nothing */
    const struct sw_command *command; /* of the line */
};
struct sw_keymap {
    SW_ARRAY(struct sw_binding) list;
};
void sw_keymap_done(struct sw_keymap *);
bool sw_key_known(const char *key);
bool sw_keymap_bind(struct sw_keymap *, const char *key, const char *line, struct sw_error *);
bool sw_keymap_configure(struct sw_keymap *, const struct sw_config *, struct sw_error *);
/* The command that a key runs, and the line; NULL for none. */
const struct sw_command *sw_keymap_find(const struct sw_keymap *, const char *key, const char **line);
/* Key number i, from 0, of the command alone; and binding number i of it with arguments. */
bool sw_keymap_key(const struct sw_keymap *, const struct sw_command *, size_t i, char key[16]);
const struct sw_binding *sw_keymap_bound(const struct sw_keymap *, const struct sw_command *, size_t i);
/* The key of a command, for a sentence: ":NAME" where it has none. */
const char *sw_key_of(const struct sw_session *, const char *command, char text[SW_KEY_BYTES]);
#define SW_KEY(session, command) sw_key_of((session), (command), (char[SW_KEY_BYTES]){""})
/* A text with the keys of the commands that stand in braces: "{ghosts} hides them". */
const char *sw_keys_in(const struct sw_session *, const char *from, char *text, size_t size);
/* Its keys alone, separated by spaces. */
enum { SW_KEYS_BYTES = 160 };
const char *sw_keymap_text(const struct sw_keymap *, const struct sw_command *, char text[SW_KEYS_BYTES]);

#endif
