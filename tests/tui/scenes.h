/* The explorer's screen as a scene, and its panels by name. */
#ifndef SW_TUI_SCENES_H
#define SW_TUI_SCENES_H

#include "tui/sessions.h"
#include "view/scene/scene.h"

#include <stdio.h>

static struct sw_scene scene;

static inline void draw(struct sw_session *session, unsigned width, unsigned height) {
    struct sw_error error = {0};
    if (!sw_session_screen(session, &scene, width, height, 1, 2, &error)) {
        fail_msg("%s", error.message);
    }
}

/* NULL: there is none. */
static inline const struct sw_panel *panel(const char *id) {
    for (size_t i = 0; i < scene.panels.count; i++) {
        if (strcmp(scene.panels.items[i].id, id) == 0) {
            return &scene.panels.items[i];
        }
    }
    return NULL;
}

/* All cells of a panel's row, with "|" between. */
static inline const char *row_text(const struct sw_panel *of, size_t row) {
    static char line[4000];
    const struct sw_row *r = &of->rows.items[row];
    line[0] = '\0';
    for (uint32_t i = 0; i < r->count; i++) {
        size_t used = strlen(line);
        snprintf(line + used, sizeof line - used, "%s%s", i ? "|" : "", of->texts.items[r->first + i].text);
    }
    return line;
}

#endif
