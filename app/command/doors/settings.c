/* A session as the user's config wants it. What a replay must reproduce is set by commands, so that
 * the log has it; a session file says these things itself. */
#include "command/doors/doors.h"
#include "base/base.h"
#include "command/state.h"
#include "lua/theme_file.h"

bool sw_state_quietly(struct sw_session *session, const char *line, struct sw_error *error) {
    char status[sizeof session->status.text];
    bool is_error = session->status.is_error;
    memcpy(status, session->status.text, sizeof status);
    bool done = sw_session_command(session, line, error);
    memcpy(session->status.text, status, sizeof status);
    session->status.is_error = is_error;
    return done;
}

bool sw_state_theme(struct sw_session *session, const char *name, struct sw_error *error) {
    struct sw_theme *theme = SW_NEW_ZERO(struct sw_theme, 1);
    bool good = theme ? sw_theme_load(name, theme, error) : sw_fail_memory(error);
    SW_FREE(theme, 1);
    if (good) {
        snprintf(session->display.theme, sizeof session->display.theme, "%s", name);
    }
    return good;
}

static bool use_config_theme(struct sw_session *session, const struct sw_config *config, struct sw_error *error) {
    bool good = sw_state_theme(session, config->theme, error);
    if (!good && error && error->code != SW_ERROR_MEMORY && !error->line) {
        sw_error_at(error, config->path, config->theme_line, 0);
    }
    return good;
}

/* A command with one word of the config. */
static bool use_word(struct sw_session *session, const struct sw_config *config, const char *command, const char *word,
                     uint32_t at, struct sw_error *error) {
    char line[64];
    snprintf(line, sizeof line, "%s %s", command, word);
    if (strpbrk(word, " \t\"\\")) {
        sw_fail(error, SW_ERROR_INPUT, "there is no %s of that name", command);
    } else if (sw_state_quietly(session, line, error)) {
        return true;
    }
    sw_error_at(error, config->path, at, 0);
    return false;
}

/* Not every graph has raw time: what cannot be is left as it is. */
static void use_switch(struct sw_session *session, const char *name, enum sw_said said, bool now) {
    char line[32];
    if (said != SW_UNSAID && (said == SW_YES) != now) {
        snprintf(line, sizeof line, "%s %s", name, said == SW_YES ? "on" : "off");
        sw_state_quietly(session, line, NULL);
    }
}

bool sw_session_configure(struct sw_session *session, const struct sw_config *config, bool fresh,
                          struct sw_error *error) {
    struct sw_display *display = &session->display;
    if (!sw_keymap_configure(&session->keymap, config, error) ||
        (config->theme[0] && !use_config_theme(session, config, error))) {
        return false;
    }
    display->ascii = config->ascii == SW_UNSAID ? display->ascii : config->ascii == SW_YES;
    display->mouse = config->mouse == SW_UNSAID ? display->mouse : config->mouse == SW_YES;
    if (config->map[0] && !use_word(session, config, "map", config->map, config->map_line, error)) {
        return false;
    }
    if (!fresh) {
        return true;
    }
    use_switch(session, "ghosts", config->ghosts, session->sight.ghosts);
    use_switch(session, "raw-time", config->raw_time, session->sight.raw_time);
    return !config->pane[0] || use_word(session, config, "pane", config->pane, config->pane_line, error);
}
