/* Looking for words in a text that fills the screen: '/' there, then n and N. The rows of such a text are made
 * while it is drawn, as many as its width needs, so a match is found then, too. */
#include "command/screen/reading.h"
#include "base/base.h"
#include "command/screen/screen.h"
#include "command/state.h"

void sw_seek_answer(struct sw_session *session, const char *text) {
    struct sw_seek *seek = &session->screenful->seek;
    sw_seek_close(session);
    snprintf(seek->needle, sizeof seek->needle, "%.*s", (int)sizeof seek->needle - 1, text);
    seek->at = SIZE_MAX;
    seek->by = *text != '\0';
}

void sw_seek_close(struct sw_session *session) {
    session->screenful->seek.asking = false;
    session->mode = SW_MODE_HELP;
}

void sw_seek_forget(struct sw_session *session) {
    session->screenful->seek.needle[0] = '\0';
    session->screenful->seek.by = 0;
    session->screenful->seek.at = SIZE_MAX;
}

bool sw_seek_key(struct sw_session *session, const char *key) {
    bool next = strcmp(key, "n") == 0, previous = strcmp(key, "N") == 0;
    if (strcmp(key, "/") == 0) {
        session->screenful->seek.asking = true;
        sw_prompt_open(session, "");
    } else if (next || previous) {
        session->screenful->seek.by += next ? 1 : -1;
    }
    return next || previous || session->screenful->seek.asking;
}

void sw_seek_begin(struct sw_session *session) {
    session->screenful->seek.rows.count = 0;
}

bool sw_seek_row(struct sw_session *session, size_t row, const char *text) {
    struct sw_seek *seek = &session->screenful->seek;
    if (!seek->needle[0] || !strcasestr(text, seek->needle)) {
        return false;
    }
    bool known = seek->rows.count > 0 && seek->rows.items[seek->rows.count - 1] == row;
    if (!known && !SW_PUSH(&seek->rows, row)) {
        return false; /* no memory: it is not found */
    }
    return row == seek->at;
}

bool sw_seek_settle(struct sw_session *session, size_t room) {
    struct sw_seek *seek = &session->screenful->seek;
    size_t count = seek->rows.count, i = 0;
    int by = seek->by;
    seek->by = 0;
    if (by == 0 || count == 0) {
        return false;
    }
    while (i < count && seek->at != SIZE_MAX && seek->rows.items[i] < seek->at) {
        i++;
    }
    size_t steps = (size_t)(by < 0 ? -by : by) % count;
    if (seek->at == SIZE_MAX) { /* nothing is found yet: the first of all, or the last */
        i = by > 0 ? count - 1 : 0;
    } else if (by > 0 && (i == count || seek->rows.items[i] != seek->at)) {
        i = i + count - 1; /* the screen has another width now: between two rows */
    }
    i = (by > 0 ? i + steps : i + count - steps) % count;
    seek->at = seek->rows.items[i];
    session->screenful->top = seek->at > room / 3 ? seek->at - room / 3 : 0;
    return true;
}

const char *sw_seek_text(const struct sw_session *session, struct sw_scene *scene) {
    const struct sw_seek *seek = &session->screenful->seek;
    size_t i = 0;
    if (!seek->needle[0]) {
        return "/ finds";
    }
    while (i < seek->rows.count && seek->rows.items[i] < seek->at) {
        i++;
    }
    return seek->rows.count == 0
               ? sw_scene_printf(scene, "no line has '%.30s'", seek->needle)
               : sw_scene_printf(scene, "'%.30s': %zu of %zu, n N", seek->needle, i + 1, seek->rows.count);
}
