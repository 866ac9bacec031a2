#include "tui/tui.h"
#include "base/base.h"
#include "lua/theme_file.h"

#include <langinfo.h>

/* Where no theme can be found: no colors, but everything can still be told apart. */
static void plain_theme(struct sw_theme *theme) {
    *theme = (struct sw_theme){.name = "plain"};
    static const struct {
        enum sw_style style;
        unsigned attributes;
    } known[] = {{SW_STYLE_STRONG, SW_ATTRIBUTE_BOLD},    {SW_STYLE_HEADER, SW_ATTRIBUTE_REVERSE},
                 {SW_STYLE_FOOTER, SW_ATTRIBUTE_REVERSE}, {SW_STYLE_KEY, SW_ATTRIBUTE_BOLD},
                 {SW_STYLE_CURRENT, SW_ATTRIBUTE_BOLD},   {SW_STYLE_SELECTED, SW_ATTRIBUTE_REVERSE},
                 {SW_STYLE_CHOSEN, SW_ATTRIBUTE_BOLD},    {SW_STYLE_PEAK, SW_ATTRIBUTE_BOLD},
                 {SW_STYLE_ERROR, SW_ATTRIBUTE_BOLD}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        theme->styles[known[i].style].attributes = known[i].attributes;
    }
}

static bool use_frame_theme(struct sw_frame *frame, struct sw_session *session, const char *fallback,
                            struct sw_error *why) {
    struct sw_display *display = sw_session_display(session);
    const char *name = display->theme[0] ? display->theme : fallback;
    if (frame->has_theme && strcmp(name, frame->theme_name) == 0) {
        return true;
    }
    struct sw_error error = {0};
    if (!sw_theme_load(name, &frame->theme, &error)) {
        if (error.code == SW_ERROR_MEMORY) { /* the next frame may have it */
            return sw_fail_memory(why);
        }
        sw_session_say(session, true, "%s", error.message);
        plain_theme(&frame->theme);
    }
    snprintf(frame->theme_name, sizeof frame->theme_name, "%s", name);
    frame->has_theme = true;
    return true;
}

bool sw_frame_draw(struct sw_frame *frame, struct sw_session *session, unsigned columns, unsigned rows,
                   const char *fallback, struct sw_error *error) {
    bool ascii = sw_session_display(session)->ascii || strcmp(nl_langinfo(CODESET), "UTF-8") != 0;
    if (!use_frame_theme(frame, session, fallback, error)) {
        return false;
    }
    frame->grid.ascii = ascii;
    bool parts = frame->down > 0 && !ascii && frame->theme.colors;
    frame->grid.across = parts ? frame->across : 0;
    frame->grid.down = parts ? frame->down : 0;
    if (!sw_session_screen(session, &frame->scene, columns, rows, parts ? frame->across : 1,
                           parts ? frame->down : sw_grid_fineness_y(ascii), error)) {
        return false;
    }
    return (sw_grid_reset(&frame->grid, columns, rows, &frame->theme) &&
            sw_grid_scene(&frame->grid, &frame->scene, &frame->theme)) ||
           sw_fail_memory(error);
}

void sw_frame_done(struct sw_frame *frame) {
    sw_scene_done(&frame->scene);
    sw_grid_done(&frame->grid);
}
