/* A session file that is replayed, and what scripts and replays may use: for session_file.c and allowance.c. */
#ifndef SW_COMMAND_REPLAYING_H
#define SW_COMMAND_REPLAYING_H

#include "command/state.h"

struct sw_allowance {
    bool on, spent;
    double stops_at; /* of the clock, in seconds */
    size_t most;     /* bytes that the program may hold then */
};

struct sw_replaying {
    struct sw_allowance allowance; /* of the outermost script or replay */
    const struct sw_replay *how;   /* while a session file is replayed, */
    struct sw_strangers *programs; /* the programs it may run, */
    uint32_t line, lines;          /* and how far it is */
    bool stopped;
};

#endif
