/* The two tables of this folder, of all commands and of all parts of a session. Only this file knows them all; what
 * calls one of them does so through its table. */
#include "command/state.h"

enum {
    LOGGED = SW_COMMAND_LOGGED,
    FOOTER = SW_COMMAND_FOOTER,
    BUSY = SW_COMMAND_BUSY,
    PROMPT = SW_COMMAND_PROMPT,
    RAW = SW_COMMAND_RAW,
    JUMPS = SW_COMMAND_JUMPS,
    COUNTS = SW_COMMAND_COUNTS,
    PROGRAMS = SW_COMMAND_PROGRAMS,
    BASELESS = SW_COMMAND_BASELESS,
    TIMED = SW_COMMAND_TIMED
};
enum {
    RECORD = SW_DOOR_SESSION,
    BY_HAND = SW_DOOR_KEYS | SW_DOOR_PROMPT,
    DIRECT = BY_HAND | SW_DOOR_SCRIPT | SW_DOOR_LUA,
    ANY = DIRECT | SW_DOOR_SESSION
};

const struct sw_command sw_commands[SW_COMMANDS] = {
#define X(id, name, arguments, keys, label, flags, doors, section, help) \
    {name, arguments, help, keys, label, section, flags, doors, sw_do_##id},
#include "command/commands.def"
#undef X
};

enum { RUNS, PROGRAM };
const struct sw_part sw_session_parts[SW_PARTS] = {
#define X(part, group)                                                                                  \
    [SW_PART_##part].at = offsetof(struct sw_session, part), [SW_PART_##part].kind = &sw_##part##_part, \
    [SW_PART_##part].of_the_program = (group) == PROGRAM,
#define H(part, hook) [SW_PART_##part].hook = sw_##part##_##hook,
#include "command/parts.def"
#undef H
#undef X
};
