/* The explorer's screen as a scene, and its panels by name. */
#ifndef SW_TUI_SCENES_H
#define SW_TUI_SCENES_H

#include "tui/sessions.h"

#include "view/scene/scene.h"

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

#endif
