/* What a script or a replay may use as a whole: time, and memory beyond what there was when it began. A script
 * inside of another one has no allowance of its own. --trust lifts it. */
#include "command/doors/doors.h"
#include "command/doors/replaying.h"
#include "command/state.h"

#include <stdlib.h>

SW_PLAIN_PART(replaying);

bool sw_replay_on(const struct sw_session *session) {
    return session->replaying->how != NULL;
}

bool sw_replay_was_cut(const struct sw_session *session) {
    return session->replaying->stopped || session->replaying->allowance.spent;
}

enum { SECONDS = 120, MOST_GIB = 2 };

bool sw_allowance_begin(struct sw_session *session) {
    struct sw_allowance *allowance = &session->replaying->allowance;
    if (allowance->on || session->options.load.trust) {
        return false;
    }
    const char *seconds = getenv("STOWAGE_SCRIPT_SECONDS"), *bytes = getenv("STOWAGE_SCRIPT_BYTES");
    allowance->on = true;
    allowance->stops_at = sw_state_clock() + (seconds ? strtod(seconds, NULL) : SECONDS);
    size_t more = bytes ? (size_t)strtoull(bytes, NULL, 10) : (size_t)MOST_GIB << 30;
    allowance->most = sw_mem_held() + more;
    return true;
}

void sw_allowance_end(struct sw_session *session, bool began) {
    session->replaying->allowance.on &= !began;
}

bool sw_allowance_left(struct sw_session *session, struct sw_error *error) {
    const struct sw_allowance *allowance = &session->replaying->allowance;
    if (!allowance->on) {
        return true;
    }
    if (sw_mem_held() > allowance->most) {
        session->replaying->allowance.spent = true;
        return sw_fail(error, SW_ERROR_USAGE,
                       "this needs more memory than scripts and sessions have; --trust allows it");
    }
    if (sw_state_clock() > allowance->stops_at) {
        session->replaying->allowance.spent = true;
        return sw_fail(error, SW_ERROR_USAGE, "this takes longer than scripts and sessions may; --trust allows it");
    }
    return true;
}

bool sw_replay_goes_on(struct sw_session *session, struct sw_error *error) {
    const struct sw_replay *replay = session->replaying->how;
    if (replay && replay->watch &&
        !replay->watch(replay->context, session->replaying->line, session->replaying->lines)) {
        session->replaying->stopped = true;
        return sw_fail(error, SW_ERROR_CANCELED, "stopped at line %u of %u of the session", session->replaying->line,
                       session->replaying->lines);
    }
    return sw_allowance_left(session, error);
}
