#include "command/state.h"

bool sw_do_greet(struct sw_session *session, const struct sw_given *given, struct sw_error *error) {
    (void)given, (void)error;
    sw_session_say(session, false, "the template greets");
    return true;
}
