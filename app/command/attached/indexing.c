/* A large trace. Its beginning is shown while the rest of it is read, slice by slice.
 *
 * What comes are decisions, as a rule: they join the recording, and the runs that play it can go on. Where a buffer or
 * another run comes in the rest, the problem is another one: then all of the file is read anew, at once. */
#include "command/attached/attached.h"

#include "command/doors/doors.h"
#include "formats/trace/read/trace_grow.h"

#include <stdio.h>

enum { INDEX_SLICE = 1 << 20 }; /* bytes at a time: 5 to 10 ms */

static void read_whole(struct sw_session *session) {
    struct sw_error error = {0};
    session->options.load.first_bytes = 0;
    if (session->calls.show_wait) {
        sw_session_say(session, false, "the trace tells of more buffers: all of it is read anew ...");
        session->calls.show_wait(session->calls.wait_context);
    }
    if (!sw_reload_grown(session, &error)) {
        sw_session_say(session, true, "the trace cannot be read on: %s", error.message);
    }
}

bool sw_session_index(struct sw_session *session) {
    struct sw_error error = {0};
    switch (sw_trace_read_on(sw_branch_at(session, 0)->problem, INDEX_SLICE, &error)) {
    case SW_TRACE_GREW:
    case SW_TRACE_SAME:
        sw_recorded_more(session);
        return true;
    case SW_TRACE_OTHERWISE:
        read_whole(session);
        return true;
    default:
        sw_trace_read_no_further(sw_branch_at(session, 0)->problem);
        sw_session_say(session, true, "the trace cannot be read on: line %u: %s", error.line, error.message);
        return true;
    }
}
