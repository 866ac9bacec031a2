/* The help. Its first page is about what is on the screen now. The whole of it has what keys of other programs are
 * here, the signs of the map, and every command with its keys, made from the table. */
#include "base/base.h"
#include "command/runs/branches.h"
#include "command/screen/reading.h"
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
    {{"░ ▒ ▓", ". : %"}, "blocks too small to draw: the denser, the less is free; {merged} tells more"},
    {{"·  :  =  /", ".  :  =  /"}, "inside of an input, an output, a constant, scratch memory"},
    {{"───  ╌╌╌", "---  - -"}, "with a word at the right: the peak so far, and the lower bound"},
    {{"═══", "==="}, "the capacity of the memory"},
    {{"┆", ":"}, "the cursor: the time step that panes speak of; {cursor-left} {cursor-right} move it"},
    {{"│▲ │▼", "|^ |v"}, "a block was moved, or goes to another memory"},
    {{"▂▅█", ".:#"}, "below the map: the bytes alive at each step"},
};

/* ---- keys of other programs ---- */

static const struct habit {
    const char *what, *gdb, *vim, *tig, *htop;
    const char *commands; /* the commands that do it here; the help names their keys */
} habits[] = {
    {"decision on, back", "step, rs", "j, k", "j, k", "Down, Up", "step back"},
    {"operator on, back", "next, rn", "}, {", "", "", "next-operator previous-operator"},
    {"group on, back", "finish", "]], [[", "", "", "next-group previous-group"},
    {"run on, back", "continue, rc", "", "", "", "continue continue-back"},
    {"stop where ...", "break", "", "", "", "break"},
    {"first, last", "run", "gg, G", "Home, End", "Home, End", "first last"},
    {"to decision 12", "jump 12", ":12", ":12", "", ":12"},
    {"find; next, back", "search", "/, n, N", "/, n, N", "F3", "find next-match previous-match"},
    {"where one was", "", "Ctrl-O", "<", "", "went-back"},
    {"undo, redo", "", "u, Ctrl-R", "", "", "undo redo"},
    {"why is it there", "backtrace", "", "B", "", ":pane blame"},
    {"another pane", "layout next", "Ctrl-W w", "Tab", "", "pane previous-pane"},
    {"the pane alone", "", "Ctrl-W o", "O", "", "whole"},
    {"down, up in a text", "", "Ctrl-D/U", "Ctrl-D/U", "PgDn, PgUp", "scroll-down scroll-up"},
    {"sort, filter", "", "", "", "F6, F4", "sort filter"},
    {"help", "help", ":h", "h", "F1", "help"},
    {"mark, go there", "bookmark", "m, '", "", "", "mark jump"},
    {"reload the file", "file", ":e", "R", "", ":reload"},
    {"leave", "quit", ":q", "q", "F10", "quit"},
};
enum { SIGNS = sizeof signs / sizeof *signs, HABITS = sizeof habits / sizeof *habits };

/* ---- the lines of the help ---- */

/* What is on view: everything, one command, or one of the two lists by its heading. */
static const char now_heading[] = "On the screen", map_heading[] = "The map",
                  habits_heading[] = "Coming from gdb, vim, tig or htop";
static bool is_wanted_topic(const struct sw_session *session, const char *topic) {
    return !session->screenful->topic[0] || strcmp(session->screenful->topic, topic) == 0;
}

/* ---- as a scene ---- */

struct help_page {
    struct sw_session *session;
    struct sw_scene *scene;
    struct sw_panel *panel;
    size_t room, help_width;
    int keys_width, usage_width; /* of the first columns: the same on every page */
    bool narrow;                 /* the sentence under the command instead of beside it */
    size_t lines;                /* all of them */
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

/* As many blanks as make a text so wide. */
static int pad(const char *text, int width) {
    int used = (int)sw_view_columns(text);
    return used < width ? width - used : 0;
}

static const char *padded_help(struct help_page *page, const char *text, int width) {
    return sw_scene_printf(page->scene, "%s%*s", text, pad(text, width), "");
}

static void add_help_row(struct help_page *page, const char *keys, const char *usage, const char *help) {
    if (!open_row(page, keys, usage, help)) {
        return;
    }
    sw_panel_cell(page->scene, page->panel, SW_STYLE_KEY, false, padded_help(page, keys, page->keys_width));
    sw_panel_cell(page->scene, page->panel, page->narrow && help ? SW_STYLE_DIM : SW_STYLE_TEXT, false,
                  page->narrow && help ? help : padded_help(page, usage, page->usage_width));
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
    static const char format[] = " %-13s %-18s %-12s %-9s %-9s %s";
    add_help_heading(page, habits_heading);
    if (!page->narrow) {
        add_help_text(page, SW_STYLE_DIM,
                      sw_scene_printf(page->scene, format, "here", "", "gdb", "vim", "tig", "htop"));
    }
    for (size_t i = 0; i < HABITS; i++) {
        const struct habit *habit = &habits[i];
        const char *here = keys_here(page, habit->commands);
        if (!page->narrow) {
            add_help_text(page, SW_STYLE_TEXT,
                          sw_scene_printf(page->scene, format, here, habit->what, habit->gdb, habit->vim, habit->tig,
                                          habit->htop));
            continue;
        }
        const char *const elsewhere[][2] = {
            {"gdb", habit->gdb}, {"vim", habit->vim}, {"tig", habit->tig}, {"htop", habit->htop}};
        const char *text = sw_scene_printf(page->scene, " %s%*s %s:", here, pad(here, 10), "", habit->what);
        for (size_t k = 0; k < 4; k++) {
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
    bool alone = !page->narrow && sw_view_columns(usage) > (size_t)page->usage_width;
    for (const char *rest = usage, *of = keys; page->narrow && *rest; of = "") {
        size_t length = sw_view_wrap(rest, (unsigned)page->help_width);
        add_help_row(page, of, sw_scene_printf(page->scene, "%.*s", (int)length, rest), NULL);
        rest += length + strspn(rest + length, " ");
    }
    if (alone) { /* too long for its column: a row of its own */
        add_help_text(page, SW_STYLE_TEXT,
                      sw_scene_printf(page->scene, "%s %s", padded_help(page, keys, page->keys_width), usage));
    }
    while (*help) {
        size_t length = sw_view_wrap(help, (unsigned)page->help_width);
        const char *part = sw_scene_printf(page->scene, "%.*s", (int)length, help);
        bool beside = first && !page->narrow && !alone;
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
        bool recorded = command->doors == SW_DOOR_SESSION; /* nothing but a session file has it */
        if (!is_wanted_topic(page->session, command->name) || (recorded && !page->session->screenful->topic[0])) {
            continue;
        }
        if (strcmp(section, command->section) != 0) {
            section = command->section;
            add_help_heading(page, section);
        }
        add_command_help(page, command);
    }
}

/* What a command does, as far as it is said before the first pause. */
static const char *what_it_does(struct help_page *page, const struct sw_command *command) {
    char text[SW_HELP_BYTES];
    const char *help = sw_command_help(command, text);
    size_t length = strcspn(help, ".;:");
    while (help[length] == '.' && help[length + 1] && help[length + 1] != ' ') { /* of .svg */
        length += 1 + strcspn(help + length + 1, ".;:");
    }
    return sw_scene_printf(page->scene, "%.*s", (int)length, help);
}

/* The map or the runs side by side, the pane, and the keys that the footer has or would have, were it longer. */
static void add_what_is_on_view(struct help_page *page) {
    struct sw_session *session = page->session;
    const struct sw_view *side = sw_view_pane(session->sight.side);
    struct sw_hints hints;
    size_t widest = 0;
    add_help_heading(page, now_heading);
    bool moment = sw_view_moment_of(sw_state_search(session)) != NULL;
    add_help_wrapped(
        page,
        moment ? " map: a bar for each segment with its blocks, one scale for all; what is free is "
                 "dotted, and a heavy edge has "
                 "what would make room for the request that failed when given back; Tab and the arrow keys go from "
                 "block to block, what is free among them"
        : sw_beside_count(session) > 1
            ? " runs side by side: what differs in them, and the map of each"
            : " map: memory over time; a block is a buffer, as wide as its life and as high as its size",
        2);
    if (sw_beside_count(session) < 2) {
        if (!moment) {
            add_help_wrapped(page, " below the map: the bytes alive at each step", 2);
        }
        add_help_wrapped(page, sw_scene_printf(page->scene, " %s: %s", side->name, side->summary), 2);
    }
    add_help_heading(page, "Keys that matter now");
    sw_hints_now(session, &hints);
    for (size_t i = 0; i < hints.count; i++) {
        widest = SW_MAX(widest, sw_view_columns(hints.keys[i]));
    }
    enum { LAST = 2, ROWS = 4 }; /* help and quit; what they take, and the next one before them */
    for (size_t i = 0; i < hints.count; i++) {
        const char *line = NULL;
        if (i + LAST < hints.count && page->lines + ROWS > page->room) {
            continue; /* one page: the most useful ones come first */
        }
        const struct sw_command *command = sw_keymap_find(&session->keymap, hints.keys[i], &line);
        bool usual = command && strcmp(hints.list[i].label, command->label) == 0; /* not another use in this pane */
        const char *help = usual ? what_it_does(page, command) : hints.list[i].label;
        add_help_wrapped(
            page, sw_scene_printf(page->scene, " %s%*s  %s", hints.keys[i], pad(hints.keys[i], (int)widest), "", help),
            (unsigned)widest + 3);
    }
}

/* The widest keys of all commands. */
static int keys_width(struct help_page *page) {
    char text[SW_KEYS_BYTES];
    size_t most = 0;
    for (size_t i = 0; i < sw_command_count(); i++) {
        size_t width = sw_view_columns(sw_keymap_text(&page->session->keymap, sw_command_get(i), text));
        most = SW_MAX(most, width);
    }
    return (int)SW_MIN(most, 14);
}

static size_t draw_help(struct sw_session *session, struct sw_scene *scene, struct sw_panel *panel, size_t room) {
    double width = scene->width;
    struct help_page page = {.session = session, .scene = scene, .panel = panel, .room = room, .narrow = width < 72};
    page.keys_width = keys_width(&page);
    page.usage_width = page.narrow ? 0 : width < 100 ? 24 : 41;
    page.help_width = (size_t)fmax(width - page.keys_width - page.usage_width - 4, 0);
    if (page.help_width < 12 || width < 30) {
        page.help_width = 12;
    }
    panel->columns = page.narrow ? 2 : 3;
    panel->stretch = page.narrow ? 1 : 2;
    if (strcmp(session->screenful->topic, now_heading) == 0) {
        add_what_is_on_view(&page);
        return page.lines;
    }
    if (is_wanted_topic(session, habits_heading)) {
        add_habits(&page);
    }
    if (is_wanted_topic(session, map_heading)) {
        add_signs(&page);
    }
    add_commands(&page);
    return page.lines;
}

/* Is the first page on view, from which it goes on to the whole? */
static bool shows_first_page(const struct sw_session *session) {
    return !session->screenful->paging && strcmp(session->screenful->topic, now_heading) == 0;
}

void sw_help_scene(struct sw_session *session, struct sw_scene *scene, double width, double height) {
    const char *prompt = SW_KEY(session, "prompt"), *help = SW_KEY(session, "help");
    const char *title =
        shows_first_page(session) ? sw_scene_printf(scene, " %s again: all keys and commands by task", help)
        : width < 62              ? " Keys and commands"
                     : sw_scene_printf(scene, " Keys and commands: press a key, or type %s and the command", prompt);
    sw_screenful_scene(session, scene, width, height, title, "help", draw_help);
}

enum sw_taken sw_screenful_key(struct sw_session *session, const char *key, struct sw_error *error) {
    (void)error;
    if (session->mode != SW_MODE_HELP) {
        return SW_PASSED;
    }
    size_t *top = &session->screenful->top, page = session->screenful->room > 1 ? session->screenful->room : 10;
    const char *line = NULL;
    bool asks = strcmp(key, "?") == 0 || sw_keymap_find(&session->keymap, key, &line) == &sw_commands[SW_DO_help];
    if (shows_first_page(session) && (asks || strcmp(key, "/") == 0)) { /* the whole, in which one can look for words */
        session->screenful->topic[0] = '\0';
        *top = 0;
        if (asks) {
            return SW_TAKEN;
        }
    }
    if (sw_seek_key(session, key)) {
        return SW_TAKEN;
    }
    if (strcmp(key, "Esc") == 0 || strcmp(key, "q") == 0 || asks || strcmp(key, "Enter") == 0) {
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
    enum { A_COMMAND = 0, ALL_OF_IT = 2, THE_MAP = 3 }; /* of its alternatives; the other programs come last */
    unsigned which = given->value[0].choice;
    const char *topic = given->count == 0    ? now_heading
                        : which == ALL_OF_IT ? ""
                        : which == THE_MAP   ? map_heading
                                             : habits_heading;
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
