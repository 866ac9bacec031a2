#include "command/state.h"

bool sw_do_greet(struct sw_session *session, char **arguments, size_t count, struct sw_error *error) {
    (void)arguments, (void)count, (void)error;
    sw_session_say(session, false, "the template greets");
    return true;
}
