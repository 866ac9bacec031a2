#include "tui/frames.h"

#include "base/hash.h"
#include "command/session.h"
#include "command/state.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const sw_glyph_mode_names[SW_GLYPH_MODES] = {"utf8", "ascii", "text"};

void sw_frames_mode(struct sw_session *session, enum sw_glyph_mode mode) {
    sw_session_display(session)->ascii = mode == SW_MODE_ASCII;
    sw_session_display(session)->text = mode == SW_MODE_TEXT;
}

/* ---- models ---- */

/* Wide, combining, joined, right to left, and longer than any screen. */
static const char *const odd_names[] = {"層_和",
                                        "활성화_출력",
                                        "e\xcc\x81te\xcc\x81",
                                        "👩\xe2\x80\x8d🔬_lab",
                                        "日本語の長い名前の緩衝域",
                                        "שלום_עולם",
                                        "\xf0\x9f\x8f\xb3\xef\xb8\x8f_flag",
                                        "a name with blanks and \\\\ and 'marks'",
                                        "model/encoder/layer_12/attention/self/query_key_value/"
                                        "projection/kernel_after_fusion_with_bias;"
                                        "model/encoder/layer_12/attention/self/dropout",
                                        "ｆｕｌｌｗｉｄｔｈ"};
enum { ODD = sizeof odd_names / sizeof *odd_names };

static void put_name(FILE *file, uint32_t i) {
    if (i % 4 == 1) {
        fprintf(file, "%s_%u", odd_names[i / 4 % ODD], i);
    } else {
        fprintf(file, "t%u", i);
    }
}

/* A chain of operators with some long edges and some scratch. */
static void write_graph(FILE *file, uint32_t buffers, uint64_t *seed) {
    fprintf(file, "{\"format\": \"stowage-graph\", \"version\": 1, \"operators\": [");
    for (uint32_t i = 0; i + 1 < buffers; i++) {
        uint32_t also = (uint32_t)sw_random_below(seed, i + 1);
        fprintf(file, "%s\n{\"name\": \"op%u\", \"kind\": \"add\", \"inputs\": [\"", i ? "," : "", i);
        put_name(file, i);
        if (also != i && sw_random_below(seed, 3) == 0) {
            fprintf(file, "\", \"");
            put_name(file, also);
        }
        fprintf(file, "\"], \"outputs\": [\"");
        put_name(file, i + 1);
        fprintf(file, "\"]}");
    }
    fprintf(file, "], \"buffers\": [");
    for (uint32_t i = 0; i < buffers; i++) {
        uint64_t size = 64 * (1 + sw_random_below(seed, 40));
        size *= sw_random_below(seed, 8) == 0 ? 20 : 1;
        fprintf(file, "%s\n{\"name\": \"", i ? "," : "");
        put_name(file, i);
        fprintf(file, "\", \"size\": %llu, \"kind\": \"%s\"}", (unsigned long long)size,
                i == 0             ? "input"
                : i + 1 == buffers ? "output"
                                   : "intermediate");
    }
    fprintf(file, "]}\n");
}

static void write_table(FILE *file, uint32_t buffers, uint64_t *seed) {
    fprintf(file, "id,lower,upper,size\n");
    for (uint32_t i = 0; i < buffers; i++) {
        uint64_t from = sw_random_below(seed, buffers / 2 + 1);
        uint64_t life = 1 + sw_random_below(seed, 20) + (sw_random_below(seed, 200) == 0 ? 900 : 0);
        uint64_t size = 64 * (1 + sw_random_below(seed, 60) + (sw_random_below(seed, 500) == 0 ? 4000u : 0));
        fprintf(file, "b%u,%llu,%llu,%llu\n", i, (unsigned long long)from, (unsigned long long)(from + life),
                (unsigned long long)size);
    }
}

bool sw_frames_model(const char *folder, uint32_t buffers, char path[200]) {
    uint64_t seed = 1000003u + buffers;
    bool graph = buffers > 1 && buffers <= 1000;
    snprintf(path, 200, "%s/model%u.%s", folder, buffers, graph ? "json" : "csv");
    FILE *file = fopen(path, "w");
    if (!file) {
        return false;
    }
    (graph ? write_graph : write_table)(file, buffers, &seed);
    return fclose(file) == 0;
}

struct sw_session *sw_frames_open(const char *path, const char *planner) {
    struct sw_error error = {0};
    struct sw_session_options options = {.path = path, .planner = planner, .params = SW_PARAMS_DEFAULT};
    struct sw_session *session = sw_session_new(&options, &error);
    if (!session) {
        printf("%s: %s\n", path, error.message);
    }
    return session;
}

/* ---- what must hold ---- */

static char fault[600];

static const char *wrong(const char *format, ...) __attribute__((format(printf, 1, 2)));
static const char *wrong(const char *format, ...) {
    va_list list;
    va_start(list, format);
    vsnprintf(fault, sizeof fault, format, list);
    va_end(list);
    return fault;
}

/* The grid has the size asked for, and every wide character both its halves. */
static const char *check_cells(const struct sw_grid *grid, unsigned columns, unsigned rows) {
    if (grid->columns != columns || grid->rows != rows) {
        return wrong("the grid is %ux%u", grid->columns, grid->rows);
    }
    for (unsigned y = 0; y < rows; y++) {
        for (unsigned x = 0; x < columns; x++) {
            const struct sw_cell *cell = sw_grid_cell(grid, x, y);
            const struct sw_cell *next = sw_grid_cell(grid, x + 1, y);
            const struct sw_cell *before = x ? sw_grid_cell(grid, x - 1, y) : NULL;
            bool whole = cell->width == 1   ? cell->text[0] != '\0'
                         : cell->width == 2 ? cell->text[0] && next && next->width == 0
                                            : cell->width == 0 && !cell->text[0] && before && before->width == 2;
            if (!whole) {
                return wrong("half a character at %u,%u", x, y);
            }
            for (const char *byte = cell->text; *byte; byte++) {
                if ((unsigned char)*byte < 32 || *byte == 127) {
                    return wrong("a control character at %u,%u", x, y);
                }
            }
        }
    }
    return NULL;
}

/* The text of a row from one column to another. */
static const char *row_text(const struct sw_grid *grid, unsigned y, unsigned from, unsigned to, char *text,
                            size_t size) {
    size_t used = 0;
    text[0] = '\0';
    for (unsigned x = from; x < to && x < grid->columns; x++) {
        const char *cell = sw_grid_cell(grid, x, y)->text;
        used += used < size ? (size_t)snprintf(text + used, size - used, "%s", cell) : 0;
    }
    return text;
}

static const struct sw_panel *find_panel(const struct sw_scene *scene, const char *id) {
    for (size_t i = 0; i < scene->panels.count; i++) {
        if (strcmp(scene->panels.items[i].id, id) == 0) {
            return &scene->panels.items[i];
        }
    }
    return NULL;
}

static const char *check_bars(const struct sw_frame *frame, const struct sw_session *session, unsigned columns,
                              unsigned rows) {
    char text[4000];
    if (columns < 40 || rows < 12) {
        return NULL; /* says so, or shows a message */
    }
    if (sw_session_mode(session) == SW_MODE_HELP || find_panel(&frame->scene, "help-footer")) {
        return NULL; /* a page, above which a prompt may be open */
    }
    if (!find_panel(&frame->scene, "header") || !find_panel(&frame->scene, "footer")) {
        return wrong("no header or no footer");
    }
    /* Where it is narrow the objective and the branch come first. One tier of several has no bound, but a name. */
    row_text(&frame->grid, 0, 0, columns, text, sizeof text);
    const struct sw_problem *problem = sw_state_problem(session);
    const char *tier =
        sw_problem_tier_count(problem) > 1 ? sw_problem_tier(problem, session->sight.tier)->name : "bound ";
    char decided[48]; /* "decision" may be left out for the names of planner and file, the number may not */
    snprintf(decided, sizeof decided, " %s/", SW_COUNT(sw_search_at(sw_session_search(session))));
    if (!strstr(text, decided) &&
        !(columns < 80 && (strstr(text, "bound ") || strstr(text, " E ") || strstr(text, tier)))) {
        return wrong("the header is '%s'", text);
    }
    row_text(&frame->grid, rows - 1, 0, columns, text, sizeof text);
    bool prompt = sw_session_mode(session) == SW_MODE_PROMPT;
    if (prompt ? text[0] != ':' : !strstr(text, "? q") && !strstr(text, "? help   q quit")) {
        return wrong("the footer is '%s'", text);
    }
    return NULL;
}

/* Inside of the screen, and apart from each other; but the prompt covers the footer, a message that needs several rows
 * what is above it, and the menu of panes the map. */
static const char *check_panels(const struct sw_scene *scene, unsigned columns, unsigned rows) {
    for (size_t i = 0; i < scene->panels.count; i++) {
        const struct sw_panel *a = &scene->panels.items[i];
        if (a->left < 0 || a->top < 0 || a->left + a->width > columns || a->top + a->height > rows) {
            return wrong("the panel %s is outside", a->id);
        }
        bool covers = strncmp(a->id, "prompt", 6) == 0 || strcmp(a->id, "pane-menu") == 0 ||
                      (strcmp(a->id, "footer") == 0 && a->height > 1);
        for (size_t k = 0; k < i && !covers; k++) {
            const struct sw_panel *b = &scene->panels.items[k];
            if (strcmp(b->id, "pane-menu") == 0) {
                continue;
            }
            bool apart = a->left + a->width <= b->left || b->left + b->width <= a->left ||
                         a->top + a->height <= b->top || b->top + b->height <= a->top || a->height <= 0 ||
                         b->height <= 0;
            if (!apart) {
                return wrong("the panels %s and %s overlap", a->id, b->id);
            }
        }
    }
    return NULL;
}

/* A text stands in the row, whole or cut. Bytes are compared, up to the first that the terminal may
 * show otherwise. */
static bool stands(const char *row, const char *text) {
    size_t length = 0;
    while (text[length] && (unsigned char)text[length] < 0x80 && length < 60) {
        length++;
    }
    char part[64];
    for (; length > 0; length--) {
        memcpy(part, text, length);
        part[length] = '\0';
        const char *at = strstr(row, part);
        if (at) { /* the rest is cut, or of another script */
            const char *end = at + length;
            return !text[length] || strncmp(end, "…", 3) == 0 || *end == '~' || *end == '\0' ||
                   (unsigned char)text[length] >= 0x80 || length >= 60;
        }
    }
    return !*text || (unsigned char)text[0] >= 0x80 || strstr(row, "…") || strchr(row, '~');
}

/* Every row of the table that is shown stands there as it should, so nothing was drawn over it; and
 * what is not shown is counted. */
static const char *check_table(const struct sw_grid *grid, const struct sw_panel *panel) {
    unsigned left = (unsigned)panel->left, top = (unsigned)panel->top;
    unsigned right = left + (unsigned)panel->width, height = (unsigned)panel->height;
    bool titled = panel->title || (panel->edges & SW_EDGE_TOP);
    unsigned room = height > titled ? height - titled : 0;
    char text[4000], more[64], count[32];
    if (room == 0) {
        return NULL;
    }
    size_t shown = panel->rows.count;
    if (panel->hidden_below > 0 || shown > room) {
        shown = shown < room ? shown : room > 1 ? room - 1 : room;
    }
    for (size_t r = 0; r < shown; r++) {
        const struct sw_row *row = &panel->rows.items[r];
        row_text(grid, top + titled + (unsigned)r, left, right, text, sizeof text);
        if (row->count > 0 && row->count <= 24 && panel->width >= 40 &&
            !stands(text, panel->texts.items[row->first].text)) {
            return wrong("row %zu of %s is '%s', not '%s'", r, panel->id, text, panel->texts.items[row->first].text);
        }
    }
    uint64_t hidden = panel->hidden_below + (panel->rows.count - shown);
    if (hidden > 0 && panel->width >= 40) {
        unsigned y = top + titled + (unsigned)(shown < room ? shown : room - 1);
        snprintf(more, sizeof more, "%s more", sw_show_count(hidden, count));
        if (!strstr(row_text(grid, y, left, right, text, sizeof text), more)) {
            return wrong("%s does not say '%s' but '%s'", panel->id, more, text);
        }
    }
    return NULL;
}

/* Each placed block that is in view is drawn, or counted in one merged mark, and the title says how
 * many are in view where not all are. */
static const char *check_map(const struct sw_panel *panel, const struct sw_view_input *look) {
    struct sw_view_input one = *look, *in = &one; /* there may be a strip for each tier */
    if (panel->tier != in->look.tier) {
        in->look.tier = panel->tier;
        in->look.viewport.bytes_lo = panel->y.lo;
        in->look.viewport.bytes_hi = panel->y.hi;
    }
    const struct sw_problem *problem = sw_search_problem(in->run.search);
    uint32_t count = sw_problem_buffer_count(problem);
    uint8_t *drawn = calloc(count ? count : 1, 1);
    uint64_t said = 0, expected = 0;
    for (size_t i = 0; drawn && i < panel->marks.count; i++) {
        const struct sw_mark *mark = &panel->marks.items[i];
        bool block = mark->kind == SW_MARK_RECT && mark->item.kind == SW_ITEM_BUFFER;
        if (block && mark->item.id < count) {
            said += !drawn[mark->item.id];
            drawn[mark->item.id] = 1;
        }
        said += mark->item.kind == SW_ITEM_MERGED ? mark->hidden : 0;
    }
    for (uint32_t b = 0; drawn && b < count; b++) {
        const struct sw_buffer *buffer = sw_problem_buffer(problem, b);
        struct sw_placement place;
        bool there = false;
        for (uint32_t k = 0; sw_layout_placement(sw_search_layout(in->run.search), b, k, &place); k++) {
            uint32_t from = place.span.from > buffer->first ? place.span.from : buffer->first;
            uint32_t to = place.span.to < buffer->last ? place.span.to : buffer->last;
            there |= place.tier == in->look.tier && from <= to && from < in->look.viewport.time_hi &&
                     to + 1.0 > in->look.viewport.time_lo && (double)place.offset < in->look.viewport.bytes_hi &&
                     (double)(place.offset + buffer->size) > in->look.viewport.bytes_lo;
        }
        expected += there && buffer->size > 0 && buffer->planned && buffer->piece_count == 1;
        if (buffer->piece_count > 1) { /* a window may fall into a hole between pieces */
            said -= drawn[b];
        }
    }
    free(drawn);
    for (size_t i = 0; panel->title && i < panel->marks.count; i++) {
        if (panel->marks.items[i].hidden > 0 && (double)sw_view_columns(panel->title) > panel->width) {
            return wrong("the title '%s' does not fit", panel->title);
        }
    }
    return said == expected
               ? NULL
               : wrong("the map shows %llu blocks of %llu", (unsigned long long)said, (unsigned long long)expected);
}

const char *sw_frames_fault(const struct sw_frame *frame, struct sw_session *session, unsigned columns, unsigned rows) {
    const struct sw_scene *scene = &frame->scene;
    const char *bad = check_cells(&frame->grid, columns, rows);
    bad = bad ? bad : check_bars(frame, session, columns, rows);
    bad = bad ? bad : check_panels(scene, columns, rows);
    bool prompt = sw_session_mode(session) == SW_MODE_PROMPT;
    for (size_t i = 0; i < scene->panels.count && !bad; i++) {
        const struct sw_panel *panel = &scene->panels.items[i];
        bool covered = prompt && (strcmp(panel->id, "footer") == 0 || strcmp(panel->id, "message") == 0);
        const struct sw_panel *footer = find_panel(scene, "footer");
        covered |= footer && footer->height > 1 && panel != footer && panel->top + panel->height > footer->top;
        const struct sw_panel *menu = find_panel(scene, "pane-menu");
        covered |= menu && menu != panel && panel->left < menu->left + menu->width &&
                   panel->top < menu->top + menu->height && panel->top + panel->height > menu->top;
        covered |= find_panel(scene, "prompt") && strcmp(panel->id, "help-footer") == 0; /* it stands on that */
        if (panel->kind == SW_PANEL_TABLE && !covered) {
            bad = check_table(&frame->grid, panel);
        }
    }
    struct sw_view_input in = {0};
    bool own = !find_panel(scene, "shown-layout") && sw_session_view(session, &in, NULL) && in.run.beside.count < 2;
    for (size_t i = 0; own && i < scene->panels.count && !bad; i++) { /* else they show other layouts */
        const struct sw_panel *map = &scene->panels.items[i];
        bad = strcmp(map->id, "map") == 0 ? check_map(map, &in) : NULL;
    }
    return bad;
}
