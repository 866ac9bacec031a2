/* The whole screen: what is on view, with status, footer hints and prompt. */
#include "command/look/look.h"
#include "base/base.h"
#include "command/runs/branches.h"
#include "command/screen/prompt.h"
#include "command/screen/reading.h"
#include "command/screen/screen.h"
#include "command/state.h"

#include <wchar.h>

/* Columns a text takes; what is not UTF-8 or not printable counts as one. */
static unsigned columns(const char *text, size_t length) {
    unsigned total = 0;
    mbstate_t state = {0};
    for (size_t at = 0; at < length;) {
        wchar_t wide = 0;
        size_t used = mbrtowc(&wide, text + at, length - at, &state);
        if (used == 0 || used > length) {
            memset(&state, 0, sizeof state);
            used = 1;
            total++;
        } else {
            int width = wcwidth(wide);
            total += width < 0 ? 1 : (unsigned)width;
        }
        at += used;
    }
    return total;
}

/* The part of the prompt that is on view in `width` columns: from which byte. */
static size_t prompt_from(const struct sw_prompt *prompt, unsigned width) {
    size_t from = 0;
    unsigned room = width > 3 ? width - 3 : 1;
    while (from < prompt->at && columns(prompt->text + from, prompt->at - from) > room) {
        do {
            from++;
        } while (from < prompt->at && sw_prompt_continues(prompt->text[from]));
    }
    return from;
}

unsigned sw_session_caret(const struct sw_session *session, unsigned width) {
    const struct sw_prompt *prompt = session->prompt;
    size_t from = prompt_from(prompt, width);
    unsigned at = 1 + columns(prompt->text + from, prompt->at - from);
    return at < width ? at : width ? width - 1 : 0;
}

static void add_prompt(struct sw_session *session, struct sw_scene *scene, unsigned width, unsigned height) {
    const struct sw_prompt *prompt = session->prompt;
    bool seeks = session->screenful->seek.asking;
    const char *help = seeks ? "Enter finds it  Esc closes" : "Tab completes  Up recalls  Enter does it  Esc closes";
    const char *line = sw_scene_printf(scene, "%c%s", seeks ? '/' : ':', prompt->text + prompt_from(prompt, width));
    sw_page_line(scene, "prompt", height - 1.0, width, SW_STYLE_TEXT, line);
    if (columns(line, strlen(line)) + strlen(help) + 5 <= width && !scene->failed) {
        struct sw_panel *panel = &scene->panels.items[scene->panels.count - 1];
        panel->stretch = 0;
        sw_panel_cell(scene, panel, SW_STYLE_DIM, false, help);
    }
}

/* What a run under way has reached. */
static void progress(const struct sw_session *session, char *text, size_t size) {
    uint32_t running = 0;
    const struct sw_search *search = session->job.kind ? NULL : sw_compare_search(session, &running);
    bool aside = search != NULL;
    search = aside ? search : sw_state_search(session);
    const struct sw_decision *decision = sw_search_decision(search);
    char count[32], peak[16];
    char which[64] = "running";
    if (aside) {
        snprintf(which, sizeof which, "running branch %u to compare", running + 1);
    }
    snprintf(text, size, "%s: decision %s, peak %s; %s stops", which, sw_show_count(sw_search_at(search), count),
             sw_show_bytes(decision ? decision->peak : 0, peak), SW_KEY(session, "stop"));
}

/* What the picked area of blocks hides, as the screen is: said once, and seen at once. */
static void say_picked(struct sw_session *session, const struct sw_view_input *in, struct sw_scene *scene) {
    uint32_t picked = session->status.picked;
    const char *words = sw_view_pick_merged(in, scene, picked);
    if (strcmp(session->status.text, words) != 0) {
        sw_session_say(session, false, "%s", words);
        session->status.picked = picked;
        sw_scene_clear(scene);
        sw_view_screen(in, scene, session->status.text, false);
        (void)sw_view_pick_merged(in, scene, picked);
    }
}

enum { PROMPT_HEIGHT = 12 }; /* rows of the smallest screen */

bool sw_session_screen(struct sw_session *session, struct sw_scene *scene, unsigned width, unsigned height,
                       double marks_per_unit_x, double marks_per_unit_y, struct sw_error *error) {
    struct sw_view_input in = {0};
    struct sw_hints hints;
    char status[sizeof session->status.text];
    sw_scene_clear(scene);
    bool seeks = session->mode == SW_MODE_PROMPT && session->screenful->seek.asking;
    if ((session->mode == SW_MODE_HELP || seeks) && width >= 30 && height >= 6) {
        session->screenful->room = height - 3;
        (session->screenful->paging ? sw_page_scene : sw_help_scene)(session, scene, width, height);
        if (seeks) {
            add_prompt(session, scene, width, height);
        }
    } else {
        if (!sw_session_view(session, &in, error)) {
            return false;
        }
        in.width = width;
        /* Above an open prompt the footer still says what was said. */
        bool above = session->mode == SW_MODE_PROMPT && session->status.text[0] && height > PROMPT_HEIGHT;
        in.height = above ? height - 1 : height;
        in.marks_per_unit_x = marks_per_unit_x;
        in.marks_per_unit_y = marks_per_unit_y;
        in.cell_width = session->display.cell_width;
        in.cell_height = session->display.cell_height;
        in.text = session->display.text;
        in.look.passing = session->status.is_passing;
        sw_hints_now(session, &hints);
        in.look.hint_count = hints.count;
        in.look.hints = hints.list;
        snprintf(status, sizeof status, "%s", session->status.text);
        if (sw_session_busy(session) && !status[0]) {
            progress(session, status, sizeof status);
        }
        sw_view_screen(&in, scene, status, session->status.is_error);
        if (session->status.picked && session->mode == SW_MODE_NORMAL) {
            say_picked(session, &in, scene);
        }
        sw_pane_drawn(session, scene);
        if (session->mode == SW_MODE_PROMPT && height > 0) {
            add_prompt(session, scene, width, height);
        }
    }
    scene->failed |= session->missed;
    session->missed = false;
    return !scene->failed || sw_fail_memory(error);
}
