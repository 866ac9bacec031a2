/* The help: every command with its keys, made from the table; and the screen as a whole. */
#include "command/state.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <wchar.h>

/* ---- the lines of the help ---- */

struct help_line {
    const char *heading; /* or a command */
    const struct sw_command *command;
};

static bool wanted(const struct sw_session *session, const struct sw_command *command) {
    return !session->help_topic[0] || strcmp(session->help_topic, command->name) == 0;
}

/* Line number `n`; false past the last. */
static bool help_line(const struct sw_session *session, size_t n, struct help_line *line) {
    const char *section = "";
    for (size_t i = 0; i < sw_command_count(); i++) {
        const struct sw_command *command = sw_command_get(i);
        if (!wanted(session, command)) {
            continue;
        }
        if (strcmp(section, command->section) != 0) {
            section = command->section;
            if (n-- == 0) {
                *line = (struct help_line){.heading = section};
                return true;
            }
        }
        if (n-- == 0) {
            *line = (struct help_line){.command = command};
            return true;
        }
    }
    return false;
}

/* ---- as a scene ---- */

/* Cut a sentence into pieces of at most `width` bytes at blanks. */
static size_t piece(const char *text, size_t width) {
    size_t length = strlen(text);
    if (length <= width) {
        return length;
    }
    size_t cut = width;
    while (cut > 0 && text[cut] != ' ') {
        cut--;
    }
    return cut ? cut : width;
}

struct page {
    struct sw_session *session;
    struct sw_scene *scene;
    struct sw_panel *panel;
    size_t skip, room, help_width;
    bool narrow;  /* the sentence under the command instead of beside it */
    size_t lines; /* all of them */
};

static void add(struct page *page, const char *keys, const char *usage, const char *help,
                enum sw_style style) {
    page->lines++;
    if (page->skip > 0) {
        page->skip--;
        page->panel->hidden_above++;
        return;
    }
    if (page->room == 0) {
        page->panel->hidden_below++;
        return;
    }
    page->room--;
    struct sw_item none = {SW_ITEM_NONE, 0};
    sw_panel_row(page->scene, page->panel, none, false);
    if (style == SW_STYLE_STRONG) {
        sw_panel_cell(page->scene, page->panel, style, false, usage);
        return;
    }
    sw_panel_cell(page->scene, page->panel, SW_STYLE_KEY, false, keys);
    sw_panel_cell(page->scene, page->panel, page->narrow && help ? SW_STYLE_DIM : SW_STYLE_TEXT,
                  false, page->narrow && help ? help : usage);
    if (!page->narrow) {
        sw_panel_cell(page->scene, page->panel, SW_STYLE_DIM, false, help ? help : "");
    }
}

static void add_command(struct page *page, const struct sw_command *command) {
    const char *usage = sw_scene_printf(page->scene, "%s %s", command->name, command->arguments);
    const char *help = command->help;
    char text[SW_KEYS_BYTES];
    bool first = true;
    const char *keys =
        sw_scene_printf(page->scene, "%s", sw_keymap_text(&page->session->keymap, command, text));
    if (page->narrow) {
        add(page, keys, usage, NULL, SW_STYLE_TEXT);
    }
    while (*help) {
        size_t length = piece(help, page->help_width);
        const char *part = sw_scene_printf(page->scene, "%.*s", (int)length, help);
        bool beside = first && !page->narrow;
        add(page, beside ? keys : "", beside ? usage : "", part, SW_STYLE_TEXT);
        help += length + (help[length] == ' ');
        first = false;
    }
    const struct sw_binding *bound;
    for (size_t i = 0; (bound = sw_keymap_bound(&page->session->keymap, command, i)); i++) {
        add(page, sw_scene_clean(page->scene, bound->key), sw_scene_clean(page->scene, bound->line),
            NULL, SW_STYLE_TEXT);
    }
}

void sw_help_scene(struct sw_session *session, struct sw_scene *scene, double width,
                   double height) {
    scene->width = width;
    scene->height = height;
    struct sw_panel *title = sw_scene_panel(scene, SW_PANEL_TABLE, "header");
    struct sw_panel *panel = title ? sw_scene_panel(scene, SW_PANEL_TABLE, "help") : NULL;
    if (!panel || height < 3) {
        return;
    }
    struct page page = {.session = session,
                        .scene = scene,
                        .panel = panel,
                        .skip = session->help_top,
                        .room = (size_t)height - 2,
                        .narrow = width < 72};
    page.help_width = (size_t)(page.narrow ? width - 17 : width - 42);
    if (page.help_width < 12 || width < 30) {
        page.help_width = 12;
    }
    panel->left = 1;
    panel->top = 1;
    panel->width = width - 1;
    panel->height = height - 2;
    panel->columns = page.narrow ? 2 : 3;
    panel->stretch = page.narrow ? 1 : 2;
    struct help_line line;
    for (size_t n = 0; help_line(session, n, &line); n++) {
        if (line.command) {
            add_command(&page, line.command);
        } else {
            if (n > 0) {
                add(&page, "", "", NULL, SW_STYLE_TEXT);
            }
            add(&page, "", line.heading, NULL, SW_STYLE_STRONG);
        }
    }
    if (panel->hidden_below == 0 && session->help_top > 0 && page.room > 0) {
        /* Scrolled past the end: the next frame shows the last lines. */
        size_t room = (size_t)height - 2;
        session->help_top = page.lines > room ? page.lines - room : 0;
    }
    uint64_t above = panel->hidden_above, below = panel->hidden_below;
    panel->hidden_above = panel->hidden_below = 0;
    panel = sw_scene_panel(scene, SW_PANEL_TABLE, "help-footer");
    title = scene->failed ? NULL : &scene->panels.items[0];
    if (!panel || !title) {
        return;
    }
    struct sw_item none = {SW_ITEM_NONE, 0};
    title->width = panel->width = width;
    title->height = panel->height = 1;
    title->columns = panel->columns = 1;
    title->fill = SW_STYLE_HEADER;
    panel->fill = SW_STYLE_FOOTER;
    panel->top = height - 1;
    sw_panel_row(scene, title, none, false);
    sw_panel_cell(scene, title, SW_STYLE_HEADER, false,
                  " Keys and commands: press a key, or type : and the command");
    sw_panel_row(scene, panel, none, false);
    sw_panel_cell(scene, panel, SW_STYLE_FOOTER, false,
                  sw_scene_printf(scene,
                                  " Esc closes   Up Down PageUp PageDown scroll   %" PRIu64
                                  " above, %" PRIu64 " below",
                                  above, below));
}

bool sw_help_key(struct sw_session *session, const char *key) {
    size_t *top = &session->help_top, page = session->help_page > 1 ? session->help_page : 10;
    if (strcmp(key, "Esc") == 0 || strcmp(key, "q") == 0 || strcmp(key, "?") == 0 ||
        strcmp(key, "Enter") == 0) {
        session->mode = SW_MODE_NORMAL;
    } else if (strcmp(key, "Down") == 0 || strcmp(key, "j") == 0) {
        ++*top;
    } else if (strcmp(key, "Up") == 0 || strcmp(key, "k") == 0) {
        *top -= *top > 0;
    } else if (strcmp(key, "PageDown") == 0 || strcmp(key, "Space") == 0) {
        *top += page;
    } else if (strcmp(key, "PageUp") == 0) {
        *top -= *top > page ? page : *top;
    } else if (strcmp(key, "Home") == 0 || strcmp(key, "g") == 0) {
        *top = 0;
    } else if (strcmp(key, "End") == 0 || strcmp(key, "G") == 0) {
        *top = 100000;
    } else {
        /* Anything else closes the help and does what it does. */
        session->mode = SW_MODE_NORMAL;
        return false;
    }
    return true;
}

bool sw_do_help(struct sw_session *session, char **arguments, size_t count,
                struct sw_error *error) {
    session->help_topic[0] = 0;
    if (count > 0) {
        const struct sw_command *command = sw_command_find(arguments[0], error);
        if (!command) {
            return false;
        }
        snprintf(session->help_topic, sizeof session->help_topic, "%s", command->name);
    }
    session->help_top = 0;
    session->paging = false;
    session->mode = SW_MODE_HELP;
    return true;
}
