/* What tests of sessions share: cmocka with its headers in order, opening a model, and giving commands. */
#ifndef SW_TUI_SESSIONS_H
#define SW_TUI_SESSIONS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "command/session.h"

static inline struct sw_session *open_model(const char *path, const char *planner) {
    struct sw_error error = {0};
    struct sw_session_options options = {.path = path, .planner = planner, .params = SW_PARAMS_DEFAULT};
    if (planner && strcmp(planner, "tier-search") == 0) { /* blocks that share bytes are to be seen */
        assert_true(sw_params_set(&options.params, "overwrite", "any", &error));
        assert_true(sw_params_set(&options.params, "choices", "plain", &error)); /* the worked example */
    }
    if (planner &&
        strcmp(planner, "segment-genetic") == 0) { /* what is measured and moved stays as the tests have it */
        assert_true(sw_params_set(&options.params, "choices", "plain", &error));
    }
    struct sw_session *session = sw_session_new(&options, &error);
    sw_params_done(&options.params);
    if (!session) {
        fail_msg("%s", error.message);
    }
    return session;
}

static inline void run(struct sw_session *session, const char *line) {
    struct sw_error error = {0};
    if (!sw_session_command(session, line, &error) || !sw_session_finish(session, &error)) {
        fail_msg("%s: %s", line, error.message);
    }
}

static inline bool refused(struct sw_session *session, const char *line) {
    struct sw_error error = {0};
    bool done = sw_session_command(session, line, &error);
    return !done && error.code != SW_OK && error.message[0];
}

/* It must be refused, in words with this part. */
static inline void refuses(struct sw_session *session, const char *line, const char *part) {
    struct sw_error error = {0};
    assert_false(sw_session_command(session, line, &error));
    if (!strstr(error.message, part)) {
        fail_msg("%s gave '%s', not '%s'", line, error.message, part);
    }
}

/* What views are given to look at. */
static inline struct sw_view_input look(struct sw_session *session) {
    struct sw_view_input in = {0};
    struct sw_error error = {0};
    assert_true(sw_session_view(session, &in, &error));
    return in;
}

/* The present step. */
static inline uint64_t at(const struct sw_session *session) {
    return sw_search_at(sw_session_search(session));
}

/* Does the status line say that? */
static inline bool says(const struct sw_session *session, const char *text) {
    bool is_error = false;
    return strstr(sw_session_status(session, &is_error), text) != NULL;
}

#endif
