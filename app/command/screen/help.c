/* The help: the signs of the map, every command with its keys, made from the table, and what keys of other
 * programs are here. */
#include "command/screen/reading.h"
#include "base/base.h"
#include "command/screen/screen.h"
#include "command/state.h"

/* ---- the signs of the map ---- */

static const struct sign {
    const char *signs[2]; /* in UTF-8, in ASCII */
    const char *text;
} signs[] = {
    {{"┌──┐", "+--+"}, "a block: a buffer, as wide as its life and as high as its size"},
    {{"┏━━┓ ╔══╗", "#==# ****"}, "the block of this decision, and the selected one"},
    {{"┌╌╌┐", "...."}, "a place that was looked at: refused, or it would fit; {ghosts} hides them"},
    {{"├──┤ ▄▄▖", "[--] aa"}, "a block lower than a row, or than half of one"},
    {{"░ ▒ ▓", ". : %"}, "blocks too small to be drawn individually: the darker, the less is free"},
    {{"·  :  =  /", ".  :  =  /"}, "inside of an input, an output, a constant, scratch memory"},
    {{"───  ╌╌╌", "---  - -"}, "with a word at the right: the peak so far, and the lower bound"},
    {{"═══", "==="}, "the capacity of the memory"},
    {{"┆", ":"}, "the cursor: the time step that panes speak of; {cursor-left} {cursor-right} move it"},
    {{"│▲ │▼", "|^ |v"}, "a block was moved, or goes to another memory"},
    {{"▂▅█", ".:#"}, "below the map: the bytes alive at each step"},
};

/* ---- keys of other programs ---- */

static const struct habit {
    const char *what, *gdb, *vim, *tig;
    const char *commands; /* the commands that do it here; the help names their keys */
} habits[] = {
    {"one decision on, back", "step, reverse-step", "j, k", "j, k", "step back"},
    {"one operator on, back", "next, reverse-next", "}, {", "", "next-operator previous-operator"},
    {"one group on, back", "finish", "]], [[", "", "next-group previous-group"},
    {"run on, back", "continue, rc", "", "", "continue continue-back"},
    {"stop where ...", "break", "", "", "break"},
    {"first, last", "run", "gg, G", "Home, End", "first last"},
    {"to decision 12", "jump 12", ":12", ":12", ":12"},
    {"find; next, previous", "search", "/, n, N", "/, n, N", "find next-match previous-match"},
    {"back to where one was", "", "Ctrl-O", "<", "went-back"},
    {"undo, redo", "", "u, Ctrl-R", "", "undo redo"},
    {"why is it there", "backtrace", "", "B", ":pane blame"},
    {"another pane", "layout next", "Ctrl-W w", "Tab", "pane previous-pane"},
    {"the pane alone", "", "Ctrl-W o", "O", "whole"},
    {"down, up in a text", "", "Ctrl-D/U", "Ctrl-D/U", "scroll-down scroll-up"},
    {"mark, go there", "bookmark", "m, '", "", "mark jump"},
    {"read the file again", "file", ":e", "R", ":reload"},
    {"leave", "quit", ":q", "q", "quit"},
};
enum { SIGNS = sizeof signs / sizeof *signs, HABITS = sizeof habits / sizeof *habits };

/* ---- the lines of the help ---- */

/* What is on view: everything, one command, or one of the two lists by its heading. */
static const char map_heading[] = "The map", habits_heading[] = "Coming from gdb, vim or tig";
static bool is_wanted_topic(const struct sw_session *session, const char *topic) {
    return !session->screenful->topic[0] || strcmp(session->screenful->topic, topic) == 0;
}

/* ---- as a scene ---- */

struct help_page {
    struct sw_session *session;
    struct sw_scene *scene;
    struct sw_panel *panel;
    size_t room, help_width;
    bool narrow;  /* the sentence under the command instead of beside it */
    size_t lines; /* all of them */
};

/* Is there room for one more row? It has these texts. */
static bool open_row(struct help_page *page, const char *keys, const char *usage, const char *help) {
    bool found = sw_seek_row(page->session, page->lines, keys);
    found |= sw_seek_row(page->session, page->lines, usage);
    found |= sw_seek_row(page->session, page->lines, help ? help : "");
    size_t top = page->session->screenful->top, row = page->lines++;
    if (row < top || row >= top + page->room) {
        return false;
    }
    sw_panel_row(page->scene, page->panel, (struct sw_item){SW_ITEM_NONE, 0}, found);
    return true;
}

/* A row of its own. */
static void add_help_text(struct help_page *page, enum sw_style style, const char *text) {
    if (open_row(page, "", text, NULL)) {
        sw_panel_cell(page->scene, page->panel, style, false, text);
    }
}

static void add_help_heading(struct help_page *page, const char *heading) {
    if (page->lines > 0) {
        add_help_text(page, SW_STYLE_TEXT, "");
    }
    add_help_text(page, SW_STYLE_STRONG, heading);
}

static void add_help_row(struct help_page *page, const char *keys, const char *usage, const char *help) {
    if (!open_row(page, keys, usage, help)) {
        return;
    }
    sw_panel_cell(page->scene, page->panel, SW_STYLE_KEY, false, keys);
    sw_panel_cell(page->scene, page->panel, page->narrow && help ? SW_STYLE_DIM : SW_STYLE_TEXT, false,
                  page->narrow && help ? help : usage);
    if (!page->narrow) {
        sw_panel_cell(page->scene, page->panel, SW_STYLE_DIM, false, help ? help : "");
    }
}

/* A sentence over all columns; what follows of it stands under `indent`. */
static void add_help_wrapped(struct help_page *page, const char *text, unsigned indent) {
    unsigned width = page->panel->width > 24 ? (unsigned)page->panel->width - 1 : 23;
    for (bool first = true; *text; first = false) {
        size_t length = sw_view_wrap(text, first ? width : width - indent);
        add_help_text(page, SW_STYLE_TEXT,
                      sw_scene_printf(page->scene, "%*s%.*s", first ? 0 : (int)indent, "", (int)length, text));
        text += length;
        text += strspn(text, " ");
    }
}

/* As many blanks as make a text so wide. */
static int pad(const char *text, int width) {
    int used = (int)sw_view_columns(text);
    return used < width ? width - used : 0;
}

static void add_signs(struct help_page *page) {
    bool ascii = page->session->display.ascii;
    enum { WIDE = 10 };
    add_help_heading(page, map_heading);
    for (size_t i = 0; i < SIGNS; i++) {
        const char *sign = signs[i].signs[ascii];
        char text[200];
        add_help_wrapped(page,
                         sw_scene_printf(page->scene, " %s%*s %s", sign, pad(sign, WIDE), "",
                                         sw_keys_in(page->session, signs[i].text, text, sizeof text)),
                         WIDE + 2);
    }
}

/* "s S": the first keys of the commands; what is no command is typed as it stands. */
static const char *keys_here(struct help_page *page, const char *commands) {
    char name[40], key[16];
    const char *text = "";
    while (*commands && *commands != ':') {
        size_t length = strcspn(commands, " ");
        snprintf(name, sizeof name, "%.*s", (int)length, commands);
        const struct sw_command *command = sw_command_find(name, NULL);
        bool bound = command && sw_keymap_key(&page->session->keymap, command, 0, key);
        text = sw_scene_printf(page->scene, "%s%s%s", text, *text ? " " : "",
                               bound ? key : sw_scene_printf(page->scene, ":%s", name));
        commands += length + (commands[length] == ' ');
    }
    return *commands ? commands : text;
}

static void add_habits(struct help_page *page) {
    static const char format[] = " %-13s %-22s %-19s %-11s %s";
    add_help_heading(page, habits_heading);
    if (!page->narrow) {
        add_help_text(page, SW_STYLE_DIM, sw_scene_printf(page->scene, format, "here", "", "gdb", "vim", "tig"));
    }
    for (size_t i = 0; i < HABITS; i++) {
        const struct habit *habit = &habits[i];
        const char *here = keys_here(page, habit->commands);
        if (!page->narrow) {
            add_help_text(page, SW_STYLE_TEXT,
                          sw_scene_printf(page->scene, format, here, habit->what, habit->gdb, habit->vim, habit->tig));
            continue;
        }
        const char *const elsewhere[][2] = {{"gdb", habit->gdb}, {"vim", habit->vim}, {"tig", habit->tig}};
        const char *text = sw_scene_printf(page->scene, " %s%*s %s:", here, pad(here, 10), "", habit->what);
        for (size_t k = 0; k < 3; k++) {
            text = *elsewhere[k][1] ? sw_scene_printf(page->scene, "%s %s %s;", text, elsewhere[k][0], elsewhere[k][1])
                                    : text;
        }
        add_help_wrapped(page, sw_scene_printf(page->scene, "%.*s", (int)strlen(text) - 1, text), 13);
    }
}

/* In the help of one command: the doors through which it may come. */
static const char *help_of(struct help_page *page, const struct sw_command *command) {
    char from[SW_FROM_BYTES], text[SW_HELP_BYTES];
    const char *help = sw_command_help(command, text);
    bool alone = page->session->screenful->topic[0];
    return sw_scene_printf(page->scene, "%s%s%s%s", help, alone ? " It comes from " : "",
                           alone ? sw_command_from(command, from) : "", alone ? "." : "");
}

static void add_command_help(struct help_page *page, const struct sw_command *command) {
    const char *usage = sw_scene_printf(page->scene, "%s %s", command->name, command->arguments);
    const char *help = help_of(page, command);
    char text[SW_KEYS_BYTES];
    bool first = true;
    const char *keys = sw_scene_printf(page->scene, "%s", sw_keymap_text(&page->session->keymap, command, text));
    if (page->narrow) {
        add_help_row(page, keys, usage, NULL);
    }
    while (*help) {
        size_t length = sw_view_wrap(help, (unsigned)page->help_width);
        const char *part = sw_scene_printf(page->scene, "%.*s", (int)length, help);
        bool beside = first && !page->narrow;
        add_help_row(page, beside ? keys : "", beside ? usage : "", part);
        help += length + (help[length] == ' ');
        first = false;
    }
    const struct sw_binding *bound;
    for (size_t i = 0; (bound = sw_keymap_bound(&page->session->keymap, command, i)); i++) {
        add_help_row(page, sw_scene_clean(page->scene, bound->key), sw_scene_clean(page->scene, bound->line), NULL);
    }
}

static void add_commands(struct help_page *page) {
    const char *section = "";
    for (size_t i = 0; i < sw_command_count(); i++) {
        const struct sw_command *command = sw_command_get(i);
        if (!is_wanted_topic(page->session, command->name)) {
            continue;
        }
        if (strcmp(section, command->section) != 0) {
            section = command->section;
            add_help_heading(page, section);
        }
        add_command_help(page, command);
    }
}

static size_t draw_help(struct sw_session *session, struct sw_scene *scene, struct sw_panel *panel, size_t room) {
    double width = scene->width;
    struct help_page page = {.session = session, .scene = scene, .panel = panel, .room = room, .narrow = width < 72};
    page.help_width = (size_t)(page.narrow ? width - 17 : width - 42);
    if (page.help_width < 12 || width < 30) {
        page.help_width = 12;
    }
    panel->columns = page.narrow ? 2 : 3;
    panel->stretch = page.narrow ? 1 : 2;
    if (is_wanted_topic(session, map_heading)) {
        add_signs(&page);
    }
    add_commands(&page);
    if (is_wanted_topic(session, habits_heading)) {
        add_habits(&page);
    }
    return page.lines;
}

void sw_help_scene(struct sw_session *session, struct sw_scene *scene, double width, double height) {
    sw_screenful_scene(session, scene, width, height,
                       width < 62
                           ? " Keys and commands"
                           : sw_scene_printf(scene, " Keys and commands: press a key, or type %s and the command",
                                             SW_KEY(session, "prompt")),
                       "help", draw_help);
}

enum sw_taken sw_screenful_key(struct sw_session *session, const char *key, struct sw_error *error) {
    (void)error;
    if (session->mode != SW_MODE_HELP) {
        return SW_PASSED;
    }
    size_t *top = &session->screenful->top, page = session->screenful->room > 1 ? session->screenful->room : 10;
    if (sw_seek_key(session, key)) {
        return SW_TAKEN;
    }
    if (strcmp(key, "Esc") == 0 || strcmp(key, "q") == 0 || strcmp(key, "?") == 0 || strcmp(key, "Enter") == 0) {
        session->mode = SW_MODE_NORMAL;
    } else if (strcmp(key, "Down") == 0 || strcmp(key, "j") == 0) {
        ++*top;
    } else if (strcmp(key, "Up") == 0 || strcmp(key, "k") == 0) {
        *top -= *top > 0;
    } else if (strcmp(key, "Ctrl-D") == 0) {
        *top += page / 2 + 1;
    } else if (strcmp(key, "Ctrl-U") == 0) {
        *top -= *top > page / 2 + 1 ? page / 2 + 1 : *top;
    } else if (strcmp(key, "PageDown") == 0 || strcmp(key, "Space") == 0) {
        *top += page;
    } else if (strcmp(key, "PageUp") == 0) {
        *top -= *top > page ? page : *top;
    } else if (strcmp(key, "Home") == 0 || strcmp(key, "g") == 0) {
        *top = 0;
    } else if (strcmp(key, "End") == 0 || strcmp(key, "G") == 0) {
        *top = SIZE_MAX / 2;
    } else {
        /* Anything else closes the help and does what it does. */
        session->mode = SW_MODE_NORMAL;
        return SW_PASSED;
    }
    return SW_TAKEN;
}

bool sw_do_help(struct sw_session *session, const struct sw_given *given, struct sw_error *error) {
    session->screenful->topic[0] = 0;
    enum { THE_MAP = 2 }; /* of its alternatives: a command is 0, the other programs come after it */
    unsigned which = given->value[0].choice;
    const char *topic = which == THE_MAP ? map_heading : which ? habits_heading : "";
    if (given->value[0].command) {
        topic = given->value[0].command->name;
    }
    (void)error;
    snprintf(session->screenful->topic, sizeof session->screenful->topic, "%s", topic);
    session->screenful->top = 0;
    sw_seek_forget(session);
    session->screenful->paging = false;
    session->mode = SW_MODE_HELP;
    return true;
}
