/* What a session file says of the programs it names, and which of them may run. */
#ifndef SW_COMMAND_STRANGERS_H
#define SW_COMMAND_STRANGERS_H

#include "command/session.h"

#include <limits.h>

struct sw_stranger {
    char path[PATH_MAX];
    uint64_t digest; /* of its bytes, as the session has it */
    bool admitted;
};
struct sw_strangers {
    const char *session; /* its path; borrowed */
    SW_ARRAY(struct sw_stranger) list;
};
/* Does the file lie in the session's folder, or below it, or ship with stowage? */
bool sw_strangers_are_near(const struct sw_strangers *, const char *path);
/* Is it no device, no pipe and not standard input, all of which may never end? True for what is not there. */
bool sw_strangers_regular(const char *path, struct sw_error *);
bool sw_strangers_digest(const char *path, uint64_t *digest, struct sw_error *);
/* May it run? Asks when it lies elsewhere, has changed, or is not known; vouched: the head of the session has a digest
 * of it elsewhere, which is compared once it is open. */
bool sw_strangers_admit(struct sw_strangers *, const struct sw_replay *, const char *path, bool vouched,
                        struct sw_error *);

#endif
