/* The conflict matrix: which buffers may not share bytes, in program order from the top left. Pairs that do share
 * bytes in the present layout are drawn as well: that is the reuse relation.
 *
 * Where there are more buffers than marks, a mark stands for a block of the matrix and says how many conflicts it
 * hides; of very many buffers only some rows are looked at, and the title says so. The cursor is at the row of the
 * selected buffer and the column of another one; what is true of the two is said below. On paper a list of the buffers
 * with the most conflicts fills what the square leaves free. */
#include "view/panes/pair.h"
#include "base/sort.h"
#include "base/base.h"
#include "view/map/map.h"
#include "view/scene/lines.h"

#define MOST_BUFFERS 20000        /* of which every row is looked at */
#define PAIR_ROWS 5               /* of the screen, below the matrix */
#define MOST_COMPARED_PLACES 2000 /* of which every pair of places is compared, each time: layouts change */

enum { DOTS = 1 }; /* the pattern of reuse */

struct conflict_matrix {
    const struct sw_view_input *in;
    struct sw_scene *scene;
    struct sw_panel *panel;
    const struct sw_problem *problem;
    uint32_t count;     /* of buffers: rows and columns */
    uint64_t pairs;     /* that conflict */
    uint8_t *row;       /* per buffer: 1, a conflict; 2, none, and they share bytes */
    uint32_t *blocks;   /* merged: conflicts in each block, row by row */
    uint32_t *reuse;    /* the same: pairs that share bytes */
    uint64_t shared;    /* pairs that share bytes, of rows that are looked at */
    uint32_t every;     /* every so manyth row is looked at for those */
    uint32_t side;      /* blocks in a row; 0: every pair is drawn by itself */
    uint32_t stride;    /* every so manyth row is looked at */
    uint32_t *degree;   /* conflicts by rank, of rows that are looked at */
    unsigned name_room; /* characters of a row's number and name */
    struct sw_map_hues hues;
};

static uint32_t matrix_buffer(const struct conflict_matrix *matrix, uint32_t rank) {
    return sw_problem_order(matrix->problem)[rank];
}

static uint32_t matrix_block(const struct conflict_matrix *matrix, uint32_t rank) {
    return (uint32_t)((uint64_t)rank * matrix->side / matrix->count);
}

/* Of rows that are left out nothing is known but by their columns: the matrix is its own mirror. */
static void count_pair(struct conflict_matrix *matrix, uint32_t row, uint32_t column) {
    matrix->blocks[(size_t)row * matrix->side + column]++;
    if (matrix->stride > 1) {
        matrix->blocks[(size_t)column * matrix->side + row]++;
    }
}

/* Flag what the buffer of a rank conflicts with, or count it in its block. */
static void fill_row(struct conflict_matrix *matrix, uint32_t rank) {
    uint32_t buffer = matrix_buffer(matrix, rank), other;
    if (matrix->side == 0) {
        memset(matrix->row, 0, matrix->count);
    }
    struct sw_neighbors near = sw_problem_neighbors(matrix->problem, buffer);
    while ((other = sw_neighbors_next(&near)) != SW_NONE) {
        uint32_t at = sw_problem_rank(matrix->problem, other).at;
        if (at == rank || sw_problem_conflict(matrix->problem, buffer, other) == SW_CONFLICT_NONE) {
            continue;
        }
        matrix->degree[rank]++;
        if (matrix->side == 0) {
            matrix->row[at] = 1;
        } else {
            count_pair(matrix, matrix_block(matrix, rank), matrix_block(matrix, at));
        }
    }
    matrix->pairs += matrix->degree[rank];
}

/* Flag with 2, or count, what shares bytes with the buffer of a rank and does not conflict with it. */
static void fill_reuse(struct conflict_matrix *matrix, uint32_t rank) {
    const struct sw_layout *layout = sw_search_layout(matrix->in->run.search);
    uint32_t buffer = matrix_buffer(matrix, rank);
    struct sw_shared_bytes shared;
    if (!sw_layout_placed(layout, buffer)) {
        return;
    }
    for (uint32_t at = 0; at < matrix->count; at++) {
        uint32_t other = matrix_buffer(matrix, at);
        if (at == rank || !sw_pair_shares(layout, buffer, other, &shared)) {
            continue;
        }
        matrix->shared++;
        if (matrix->side > 0) {
            matrix->reuse[(size_t)matrix_block(matrix, rank) * matrix->side + matrix_block(matrix, at)]++;
        } else if (matrix->row[at] == 0 || sw_problem_conflict(matrix->problem, buffer, other) == SW_CONFLICT_INPLACE) {
            matrix->row[at] = 2;
        }
    }
}

static void rect(struct conflict_matrix *matrix, enum sw_style style, double x0, double x1, double y0, double y1,
                 struct sw_mark more) {
    more.kind = SW_MARK_RECT;
    more.style = (uint8_t)style;
    more.x0 = x0;
    more.x1 = x1;
    more.y0 = matrix->count - y1; /* the first row is the top one */
    more.y1 = matrix->count - y0;
    sw_panel_mark(matrix->scene, matrix->panel, more);
}

/* Of pairs that share bytes: on paper one that stands out on white. */
static enum sw_style reuse_style(const struct conflict_matrix *matrix) {
    return sw_medium(matrix->in)->still ? SW_STYLE_FITS : SW_STYLE_GAP;
}

/* One row, each run of conflicts, or of reuse, as one mark; the buffer itself on the diagonal. */
static void draw_matrix_row(struct conflict_matrix *matrix, uint32_t rank) {
    uint32_t buffer = matrix_buffer(matrix, rank);
    struct sw_mark mark = {.item = {SW_ITEM_BUFFER, buffer}};
    for (uint32_t from = 0, to; from < matrix->count; from = to) {
        uint8_t what = matrix->row[from];
        for (to = from; to < matrix->count && matrix->row[to] == what; to++) {
        }
        if (what) {
            mark.pattern = what == 1 ? 0 : DOTS;
            rect(matrix, what == 1 ? SW_STYLE_LIVE : reuse_style(matrix), from, to, rank, rank + 1.0, mark);
        }
    }
    mark.hue = matrix->hues.of[buffer];
    mark.pattern = 0;
    rect(matrix, SW_STYLE_BLOCK, rank, rank + 1.0, rank, rank + 1.0, mark);
}

/* A mark for each block that hides a conflict, how full in quarters. */
static void draw_matrix_blocks(struct conflict_matrix *matrix) {
    double size = (double)matrix->count / matrix->side;
    double each = matrix->stride > 1 ? matrix->stride / 2.0 : 1;
    for (uint32_t r = 0; r < matrix->side; r++) {
        for (uint32_t c = 0; c < matrix->side && !matrix->scene->failed; c++) {
            double hidden = matrix->blocks[(size_t)r * matrix->side + c] * each;
            double quarters = fmin(fmax(ceil(4 * hidden / (size * size)), 1), 4);
            uint32_t whole = (uint32_t)fmin(fmax(floor(hidden), 1), UINT32_MAX);
            if (hidden <= 0 && matrix->reuse[(size_t)r * matrix->side + c]) {
                rect(matrix, reuse_style(matrix), c * size, (c + 1) * size, r * size, (r + 1) * size,
                     (struct sw_mark){.pattern = DOTS});
            } else if (hidden > 0) {
                rect(matrix, SW_STYLE_MERGED, c * size, (c + 1) * size, r * size, (r + 1) * size,
                     (struct sw_mark){.pattern = (uint8_t)quarters, .hidden = whole, .item = {SW_ITEM_MERGED, whole}});
            }
        }
    }
}

/* How often each row has a conflict only paper tells. */
static void draw_matrix(struct conflict_matrix *matrix) {
    struct sw_frame_cache *kept = sw_medium(matrix->in)->still || matrix->side == 0 ? NULL : matrix->in->kept;
    for (uint32_t rank = 0; matrix->side > 0 && rank < matrix->count; rank += matrix->every) {
        fill_reuse(matrix, rank);
    }
    if (sw_frame_cache_matrix(kept, matrix->problem, matrix->side, matrix->blocks, &matrix->pairs)) {
        draw_matrix_blocks(matrix);
        return;
    }
    for (uint32_t rank = 0; rank < matrix->count && !matrix->scene->failed;) {
        fill_row(matrix, rank);
        if (matrix->side == 0) {
            fill_reuse(matrix, rank);
            draw_matrix_row(matrix, rank);
        }
        rank = matrix->count - rank > matrix->stride ? rank + matrix->stride : matrix->count;
    }
    matrix->pairs = matrix->pairs * matrix->stride / 2;
    if (matrix->side > 0) {
        draw_matrix_blocks(matrix);
        sw_frame_cache_put_matrix(kept, matrix->problem, matrix->side, matrix->blocks, matrix->pairs);
    }
}

/* What is written below the columns of a picture: names where each has room, else the numbers of the rows. */
static bool columns_have_names(const struct conflict_matrix *matrix) {
    double column = matrix->panel->body_width / matrix->count;
    for (uint32_t rank = 0; rank < matrix->count; rank++) {
        const char *name = sw_problem_buffer(matrix->problem, matrix_buffer(matrix, rank))->name;
        if ((double)sw_view_columns(name) * SW_PAGE_CHARACTER + 4 > column) {
            return false;
        }
    }
    return true;
}

static void name_columns_of(struct conflict_matrix *matrix, bool names) {
    char last[16];
    int digits = snprintf(last, sizeof last, "%u", matrix->count);
    double column = matrix->panel->body_width / matrix->count, wide = digits * SW_PAGE_CHARACTER + 6;
    uint32_t stride = names || wide <= column ? 1 : (uint32_t)ceil(wide / column);
    for (uint32_t rank = 0; rank < matrix->count && !matrix->scene->failed; rank += stride) {
        const char *name = sw_problem_buffer(matrix->problem, matrix_buffer(matrix, rank))->name;
        struct sw_tick tick = {rank + 0.5, names ? sw_scene_clean(matrix->scene, name)
                                                 : sw_scene_printf(matrix->scene, "%u", rank)};
        matrix->scene->failed |= !SW_PUSH(&matrix->panel->x.ticks, tick);
    }
}

/* As many as the longest of them takes, and not too many. */
static unsigned matrix_name_room(const struct conflict_matrix *matrix) {
    enum { SHORTEST_NAME = 11, LONGEST_ROW_NAME = 22, NUMBER_ROOM = 7 };
    size_t longest = SHORTEST_NAME;
    for (uint32_t rank = 0; rank < matrix->count && longest < LONGEST_ROW_NAME; rank++) {
        size_t columns = sw_view_columns(sw_problem_buffer(matrix->problem, matrix_buffer(matrix, rank))->name);
        longest = columns + NUMBER_ROOM > longest ? columns + NUMBER_ROOM : longest;
    }
    return longest < LONGEST_ROW_NAME ? (unsigned)longest : LONGEST_ROW_NAME;
}

/* "12 conv_3": a row, with the number that stands below its column. */
static const char *numbered_row(const struct conflict_matrix *matrix, uint32_t rank, const char *name) {
    const char *number = sw_scene_printf(matrix->scene, "%u", rank);
    const char *label = sw_view_name_within(matrix->scene, name, matrix->name_room - (unsigned)strlen(number));
    return *label ? sw_scene_printf(matrix->scene, "%s  %s", number, label) : number;
}

/* Names at the rows, of every so manyth where not each has room. */
static void name_rows(struct conflict_matrix *matrix, bool numbers) {
    double room = sw_medium(matrix->in)->name_row;
    if (matrix->panel->body_left <= matrix->panel->left || matrix->panel->body_height < 3 * room) {
        return;
    }
    double apart = room * matrix->count / matrix->panel->body_height; /* in rows of the matrix */
    uint32_t stride = apart <= 1 ? 1 : (uint32_t)ceil(2 * apart);
    for (uint32_t rank = 0; rank < matrix->count; rank += stride) {
        const char *name = sw_problem_buffer(matrix->problem, matrix_buffer(matrix, rank))->name;
        struct sw_tick tick = {matrix->count - rank - 0.5, numbers
                                                               ? numbered_row(matrix, rank, name)
                                                               : sw_view_gutter_name(matrix->in, matrix->scene, name)};
        if (*tick.label) {
            matrix->scene->failed |= !SW_PUSH(&matrix->panel->y.ticks, tick);
        }
    }
}

static bool open_matrix(struct conflict_matrix *matrix) {
    struct sw_space space = sw_view_space(matrix->in, matrix->panel);
    double marks = fmin(space.columns, space.rows);
    matrix->side = matrix->count > marks ? (uint32_t)marks : 0;
    if (matrix->side > 0 && !sw_medium(matrix->in)->still) { /* of cells only whole ones tell how full they are */
        matrix->side = (uint32_t)fmax(fmin(space.columns, matrix->panel->body_height), 1);
    }
    matrix->stride = 1;
    if (matrix->side > 0 && matrix->count > MOST_BUFFERS) {
        /* As many rows as give the work of the largest full matrix, and one a block at least. */
        double rows = fmax((double)MOST_BUFFERS * MOST_BUFFERS / matrix->count, matrix->side);
        matrix->stride = (uint32_t)fmax(floor(matrix->count / rows), 1);
    }
    matrix->every =
        matrix->count > MOST_COMPARED_PLACES
            ? (uint32_t)((uint64_t)matrix->count * matrix->count / MOST_COMPARED_PLACES / MOST_COMPARED_PLACES) + 1
            : 1;
    matrix->row = SW_NEW_ZERO(uint8_t, matrix->count);
    matrix->degree = SW_NEW_ZERO(uint32_t, matrix->count);
    matrix->blocks = SW_NEW_ZERO(uint32_t, (size_t)matrix->side * matrix->side);
    matrix->reuse = SW_NEW_ZERO(uint32_t, (size_t)matrix->side * matrix->side);
    return matrix->row && matrix->degree && ((matrix->blocks && matrix->reuse) || matrix->side == 0);
}

/* ---- the buffers with the most conflicts ---- */

struct degree {
    uint32_t conflicts, rank;
};

SW_BY_FIELDS(compare_degrees, struct degree, SW_DOWN(conflicts), SW_UP(rank))

static void list_degrees(const struct conflict_matrix *matrix, struct sw_lines *lines, const struct degree *sorted,
                         uint32_t count) {
    static const struct sw_lines_head heads[] = {
        {"conflicts", true}, {"bytes", true}, {"alive", true}, {"buffer", false}};
    uint32_t shown = sw_lines_heads(lines, heads, 4, count);
    for (uint32_t i = 0; i < shown && !matrix->scene->failed; i++) {
        uint32_t b = matrix_buffer(matrix, sorted[i].rank);
        const struct sw_buffer *buffer = sw_problem_buffer(matrix->problem, b);
        sw_lines_row(lines, (struct sw_item){SW_ITEM_BUFFER, b}, false);
        sw_lines_cellf(lines, SW_STYLE_TEXT, true, "%s", SW_COUNT(sorted[i].conflicts));
        sw_lines_cell(lines, SW_STYLE_DIM, true, sw_lines_bytes(lines, buffer->size));
        sw_lines_cell(lines, SW_STYLE_DIM, true, sw_lines_life(lines, buffer));
        sw_lines_name(lines, SW_STYLE_TEXT, buffer->name);
    }
    lines->panel->hidden_below = count - shown;
}

static void list_most(struct conflict_matrix *matrix, struct sw_box box) {
    struct degree *sorted = SW_NEW(struct degree, matrix->count);
    uint32_t count = 0;
    const char *title = matrix->stride > 1 ? "most conflicts, of those looked at" : "most conflicts";
    if (!sorted) {
        matrix->scene->failed = true;
        return;
    }
    struct sw_lines lines = sw_lines_begin(matrix->in, matrix->scene, "most-conflicts", title, box, 4, 3);
    for (uint32_t rank = 0; rank < matrix->count; rank += matrix->stride) {
        sorted[count++] = (struct degree){matrix->degree[rank], rank};
        if (matrix->count - rank <= matrix->stride) {
            break;
        }
    }
    if (count > 1) {
        qsort(sorted, count, sizeof *sorted, compare_degrees);
    }
    list_degrees(matrix, &lines, sorted, count);
    SW_FREE(sorted, matrix->count);
}

/* ---- the cursor ---- */

static void frame_pair(struct conflict_matrix *matrix, double x0, double x1, double y0, double y1, uint32_t buffer) {
    struct sw_mark mark = {.kind = SW_MARK_FRAME,
                           .style = SW_STYLE_SELECTED,
                           .item = {SW_ITEM_BUFFER, buffer},
                           .x0 = x0,
                           .x1 = x1,
                           .y0 = matrix->count - y1, /* the first row is the top one */
                           .y1 = matrix->count - y0};
    sw_panel_mark(matrix->scene, matrix->panel, mark);
}

/* The row and the column of what is selected; with a cursor the mark that the pair is in. */
static void mark_cursor(struct conflict_matrix *matrix) {
    uint32_t buffer = matrix->in->look.selected, other = matrix->in->look.other;
    if (buffer >= sw_problem_buffer_count(matrix->problem)) {
        return;
    }
    double rank = sw_problem_rank(matrix->problem, buffer).at, size = 1;
    if (rank >= matrix->count) {
        return; /* it needs no memory */
    }
    bool pair = matrix->in->look.paired;
    double column = pair ? sw_problem_rank(matrix->problem, other).at : 0;
    if (matrix->side > 0 && pair) {
        size = (double)matrix->count / matrix->side;
        rank = matrix_block(matrix, (uint32_t)rank) * size;
        column = column < matrix->count ? matrix_block(matrix, (uint32_t)column) * size : column;
    }
    if (!pair || sw_medium(matrix->in)->still) {
        frame_pair(matrix, 0, matrix->count, rank, rank + size, buffer);
        frame_pair(matrix, rank, rank + size, 0, matrix->count, buffer);
    }
    if (pair && column < matrix->count) {
        frame_pair(matrix, column, column + size, rank, rank + size, buffer);
    }
}

/* What the mark hides in which the cursor is. */
static void say_matrix_block(struct conflict_matrix *matrix, struct sw_lines *lines, uint32_t row, uint32_t column) {
    uint32_t r = matrix_block(matrix, row), c = matrix_block(matrix, column);
    size_t at = (size_t)r * matrix->side + c;
    uint32_t rows = 0, columns = 0;
    for (uint32_t rank = 0; rank < matrix->count; rank++) {
        rows += matrix_block(matrix, rank) == r;
        columns += matrix_block(matrix, rank) == c;
    }
    double each = matrix->stride > 1 ? matrix->stride / 2.0 : 1;
    uint64_t held = (uint64_t)rows * columns;
    bool half = r == c; /* each pair stands there twice, and each buffer once with itself */
    held = half ? held / 2 - rows / 2 : held;
    uint64_t in_conflict = (uint64_t)(matrix->blocks[at] * each) / (half ? 2 : 1);
    uint64_t in_reuse = (uint64_t)matrix->reuse[at] * matrix->every / (half ? 2 : 1);
    sw_lines_textf(lines, SW_STYLE_DIM,
                   "This mark: %s pairs of %u and %u buffers, of which %s%s conflict and %s%s "
                   "share bytes.",
                   SW_COUNT(held), rows, columns, matrix->stride > 1 ? "about " : "", SW_COUNT(in_conflict),
                   matrix->every > 1 ? "about " : "", SW_COUNT(in_reuse));
}

/* What is true of the two buffers at the cursor. */
static void say_pair(struct conflict_matrix *matrix, struct sw_box box) {
    const struct sw_view_look *look = &matrix->in->look;
    uint32_t count = sw_problem_buffer_count(matrix->problem);
    struct sw_lines lines = sw_lines_begin(matrix->in, matrix->scene, "pair", "pair", box, 1, 0);
    if (look->selected >= count) {
        sw_lines_text(&lines, SW_STYLE_DIM,
                      "No buffer is selected: its row of the matrix, and why it conflicts, are shown then.");
        return;
    }
    const char *row = sw_lines_buffer(&lines, look->selected);
    if (!look->paired) {
        lines.panel->title = row;
        sw_lines_textf(&lines, SW_STYLE_DIM,
                       "A second buffer (next-column, pair NAME) makes a pair, "
                       "and what is true of the two is said here.");
        return;
    }
    char text[SW_PAIR_TEXT];
    sw_pair_describe(sw_search_layout(matrix->in->run.search), look->selected, look->other, text, sizeof text);
    lines.panel->title = sw_scene_printf(matrix->scene, "%s and %s", row, sw_lines_buffer(&lines, look->other));
    sw_lines_textf(&lines, SW_STYLE_TEXT, "%s.", sw_scene_capital(matrix->scene, text));
    uint32_t at = sw_problem_rank(matrix->problem, look->selected).at,
             column = sw_problem_rank(matrix->problem, look->other).at;
    if (matrix->side > 0 && at < matrix->count && column < matrix->count) {
        say_matrix_block(matrix, &lines, at, column);
    }
}

static const char *matrix_title(const struct conflict_matrix *matrix) {
    uint64_t shared = matrix->shared * matrix->every / 2;
    const char *brief =
        sw_scene_printf(matrix->scene, "%s%s conflict%s", matrix->stride > 1 ? "about " : "",
                        sw_scene_counted(matrix->scene, matrix->pairs, "pair"), matrix->pairs == 1 ? "s" : "");
    const char *text = sw_scene_printf(matrix->scene, "%s, %s%s share%s bytes", brief,
                                       matrix->every > 1 ? "about " : "", SW_COUNT(shared), shared == 1 ? "s" : "");
    if (matrix->stride > 1) {
        text = sw_scene_printf(matrix->scene, "%s; one row in %s looked at", text, SW_COUNT(matrix->stride));
    }
    bool fits = !sw_medium(matrix->in)->still || sw_page_title_fits(text, matrix->panel->body_width);
    return fits ? text : brief;
}

static void conflicts_build(const struct sw_view_input *in, struct sw_scene *scene, struct sw_box box) {
    struct sw_panel *panel = sw_scene_panel(scene, SW_PANEL_PLOT, "conflicts");
    const struct sw_problem *problem = sw_search_problem(in->run.search);
    struct conflict_matrix matrix = {.in = in,
                                     .scene = scene,
                                     .panel = panel,
                                     .problem = problem,
                                     .count = sw_problem_planned_count(problem),
                                     .name_room = sw_medium(in)->gutter_name};
    panel->title = "conflicts"; /* so that there is room for it */
    bool live = !sw_medium(in)->still;
    double below = live && box.height >= 16 ? PAIR_ROWS : 0;
    struct sw_box rest = box;
    box = sw_box_take(&rest, box.height - below);
    /* On paper the body is a square. */
    sw_view_place(in, scene, panel, box, sw_medium(in)->fine);
    panel->x.ticks.count = 0;
    if (sw_medium(in)->square) {
        double right = 0;
        if (sw_medium(in)->still) { /* the axis has its title at the right */
            matrix.name_room = matrix_name_room(&matrix);
            panel->body_left = box.left + fmin(matrix.name_room * SW_PAGE_CHARACTER, box.width / 4);
            right = 44;
        }
        double side = fmin(panel->body_height, panel->left + box.width - right - panel->body_left);
        panel->body_width = panel->body_height = side;
        panel->width = panel->body_left + side + right - box.left;
        panel->height = panel->body_top + side + sw_medium(in)->ticks - box.top;
    }
    panel->x.lo = panel->y.lo = 0;
    panel->x.hi = panel->y.hi = matrix.count ? matrix.count : 1;
    panel->x.title = "buffer";
    panel->timed = false;
    scene->failed |= !open_matrix(&matrix);
    bool colored = !scene->failed && matrix.side == 0 && sw_map_hues(in, scene, &matrix.hues);
    if (!scene->failed) {
        draw_matrix(&matrix);
        bool names = sw_medium(in)->fine && matrix.count > 0 && columns_have_names(&matrix);
        name_rows(&matrix, sw_medium(in)->fine && !names);
        if (sw_medium(in)->fine && matrix.count > 0) {
            name_columns_of(&matrix, names);
        }
    }
    if (!scene->failed) {
        mark_cursor(&matrix);
    }
    panel->title = matrix_title(&matrix);
    if (colored) {
        sw_map_hues_legend(in, scene, &matrix.hues);
    }
    if (sw_medium(in)->legend && matrix.pairs) {
        sw_scene_legend(scene, matrix.side ? SW_STYLE_MERGED : SW_STYLE_LIVE, 0, matrix.side ? 4 : 0,
                        matrix.side ? "conflicts" : "conflict");
    }
    if (sw_medium(in)->legend && matrix.shared) {
        sw_scene_legend(scene, reuse_style(&matrix), 0, DOTS, "share bytes");
    }
    /* Adding a panel may move this one. */
    double used = panel->width + (sw_medium(in)->still ? SW_PAGE_GAP : SW_PAGE_MARGIN),
           high = panel->height + SW_PAGE_GAP;
    if (sw_medium(in)->square && box.width - used >= 240 && !scene->failed) {
        list_most(&matrix, (struct sw_box){box.left + used, box.top, box.width - used, box.height});
    } else if (sw_medium(in)->still && box.height - high >= 5 * SW_PAGE_ROW && !scene->failed) {
        list_most(&matrix, (struct sw_box){box.left, box.top + high, box.width, box.height - high});
    }
    if (below > 0 && !scene->failed) {
        say_pair(&matrix, rest);
    }
    SW_FREE(matrix.reuse, (size_t)matrix.side * matrix.side);
    SW_FREE(matrix.degree, matrix.count);
    SW_FREE(matrix.row, matrix.count);
    SW_FREE(matrix.blocks, (size_t)matrix.side * matrix.side);
}

const struct sw_view sw_view_conflicts = {
    .name = "conflicts",
    .summary = "the matrix of conflicts: which buffers may not share bytes",
    .takes = SW_TAKES_BUFFER,
    .keys = SW_KEYS_MATRIX,
    .build = conflicts_build,
};
