/* The conflict matrix: which buffers may not share bytes, in program order from the top left. Where
 * there are more buffers than marks, a mark stands for a block of the matrix and says how many
 * conflicts it hides; of very many buffers only some rows are looked at, and the title says so. On
 * paper a list of the buffers with the most conflicts fills what the square leaves free. */
#include "view/scene/lines.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST_BUFFERS 20000 /* of which every row is looked at */

struct matrix {
    const struct sw_view_input *in;
    struct sw_scene *scene;
    struct sw_panel *panel;
    const struct sw_problem *problem;
    uint32_t count;   /* of buffers: rows and columns */
    uint64_t pairs;   /* that conflict */
    uint8_t *row;     /* one flag per buffer */
    uint32_t *blocks; /* merged: conflicts in each block, row by row */
    uint32_t side;    /* blocks in a row; 0: every pair is drawn by itself */
    uint32_t stride;  /* every so manyth row is looked at */
    uint32_t *degree; /* conflicts by rank, of rows that are looked at */
};

static uint32_t buffer_at(const struct matrix *matrix, uint32_t rank) {
    return sw_problem_order(matrix->problem)[rank];
}

static uint32_t block_of(const struct matrix *matrix, uint32_t rank) {
    return (uint32_t)((uint64_t)rank * matrix->side / matrix->count);
}

/* Of rows that are left out nothing is known but by their columns: the matrix is its own mirror. */
static void count_pair(struct matrix *matrix, uint32_t row, uint32_t column) {
    matrix->blocks[(size_t)row * matrix->side + column]++;
    if (matrix->stride > 1) {
        matrix->blocks[(size_t)column * matrix->side + row]++;
    }
}

/* Flag what the buffer of a rank conflicts with, or count it in its block. */
static void fill_row(struct matrix *matrix, uint32_t rank) {
    uint32_t buffer = buffer_at(matrix, rank), other;
    if (matrix->side == 0) {
        memset(matrix->row, 0, matrix->count);
    }
    struct sw_neighbors near = sw_problem_neighbors(matrix->problem, buffer);
    while ((other = sw_neighbors_next(&near)) != SW_NONE) {
        uint32_t at = sw_problem_rank(matrix->problem, other);
        if (at == rank || sw_problem_conflict(matrix->problem, buffer, other) == SW_CONFLICT_NONE) {
            continue;
        }
        matrix->degree[rank]++;
        if (matrix->side == 0) {
            matrix->row[at] = 1;
        } else {
            count_pair(matrix, block_of(matrix, rank), block_of(matrix, at));
        }
    }
    matrix->pairs += matrix->degree[rank];
}

static void rect(struct matrix *matrix, enum sw_style style, double x0, double x1, double y0,
                 double y1, struct sw_mark more) {
    more.kind = SW_MARK_RECT;
    more.style = (uint8_t)style;
    more.x0 = x0;
    more.x1 = x1;
    more.y0 = matrix->count - y1; /* the first row is the top one */
    more.y1 = matrix->count - y0;
    sw_panel_mark(matrix->scene, matrix->panel, more);
}

/* One row, each run of conflicts as one mark; the buffer itself on the diagonal. */
static void draw_row(struct matrix *matrix, uint32_t rank) {
    uint32_t buffer = buffer_at(matrix, rank);
    struct sw_mark mark = {.item = {SW_ITEM_BUFFER, buffer}};
    for (uint32_t from = 0, to; from < matrix->count; from = to + 1) {
        for (to = from; to < matrix->count && matrix->row[to]; to++) {
        }
        if (to > from) {
            rect(matrix, SW_STYLE_LIVE, from, to, rank, rank + 1.0, mark);
        }
    }
    mark.hue = (uint8_t)(buffer % SW_HUES);
    rect(matrix, SW_STYLE_BLOCK, rank, rank + 1.0, rank, rank + 1.0, mark);
}

/* A mark for each block that hides a conflict, how full in quarters. */
static void draw_blocks(struct matrix *matrix) {
    double size = (double)matrix->count / matrix->side;
    double each = matrix->stride > 1 ? matrix->stride / 2.0 : 1;
    for (uint32_t r = 0; r < matrix->side; r++) {
        for (uint32_t c = 0; c < matrix->side && !matrix->scene->failed; c++) {
            double hidden = matrix->blocks[(size_t)r * matrix->side + c] * each;
            double quarters = fmin(fmax(ceil(4 * hidden / (size * size)), 1), 4);
            uint32_t whole = (uint32_t)fmin(fmax(floor(hidden), 1), UINT32_MAX);
            if (hidden > 0) {
                rect(matrix, SW_STYLE_MERGED, c * size, (c + 1) * size, r * size, (r + 1) * size,
                     (struct sw_mark){.pattern = (uint8_t)quarters,
                                      .hidden = whole,
                                      .item = {SW_ITEM_MERGED, whole}});
            }
        }
    }
}

/* How often each row has a conflict only paper tells. */
static void draw(struct matrix *matrix) {
    struct sw_frame_cache *kept = sw_medium(matrix->in)->still || matrix->side == 0 ? NULL : matrix->in->kept;
    if (sw_frame_cache_matrix(kept, matrix->problem, matrix->side, matrix->blocks, &matrix->pairs)) {
        draw_blocks(matrix);
        return;
    }
    for (uint32_t rank = 0; rank < matrix->count && !matrix->scene->failed;) {
        fill_row(matrix, rank);
        if (matrix->side == 0) {
            draw_row(matrix, rank);
        }
        rank = matrix->count - rank > matrix->stride ? rank + matrix->stride : matrix->count;
    }
    matrix->pairs = matrix->pairs * matrix->stride / 2;
    if (matrix->side > 0) {
        draw_blocks(matrix);
        sw_frame_cache_put_matrix(kept, matrix->problem, matrix->side, matrix->blocks, matrix->pairs);
    }
}

/* Names at the rows where each has room, else none: a mark tells its two buffers. */
static void name_rows(struct matrix *matrix) {
    double room = sw_medium(matrix->in)->name_row;
    size_t most = sw_medium(matrix->in)->gutter_name;
    if (matrix->panel->body_left <= matrix->panel->left ||
        matrix->panel->body_height < room * matrix->count) {
        return;
    }
    for (uint32_t rank = 0; rank < matrix->count; rank++) {
        const char *name = sw_problem_buffer(matrix->problem, buffer_at(matrix, rank))->name;
        const char *const *labels = sw_scene_labels(matrix->scene, name);
        while (labels && **labels && sw_view_columns(*labels) > most) {
            labels++;
        }
        struct sw_tick tick = {matrix->count - rank - 0.5, labels ? *labels : ""};
        matrix->scene->failed |= !SW_PUSH(&matrix->panel->y.ticks, tick);
    }
}

static bool open(struct matrix *matrix) {
    struct sw_space space = sw_view_space(matrix->in, matrix->panel);
    double marks = fmin(space.columns, space.rows);
    matrix->side = matrix->count > marks ? (uint32_t)marks : 0;
    matrix->stride = 1;
    if (matrix->side > 0 && matrix->count > MOST_BUFFERS) {
        /* As many rows as give the work of the largest full matrix, and one a block at least. */
        double rows = fmax((double)MOST_BUFFERS * MOST_BUFFERS / matrix->count, matrix->side);
        matrix->stride = (uint32_t)fmax(floor(matrix->count / rows), 1);
    }
    matrix->row = SW_NEW_ZERO(uint8_t, matrix->count);
    matrix->degree = SW_NEW_ZERO(uint32_t, matrix->count);
    matrix->blocks = SW_NEW_ZERO(uint32_t, (size_t)matrix->side * matrix->side);
    return matrix->row && matrix->degree && (matrix->blocks || matrix->side == 0);
}

/* ---- the buffers with the most conflicts ---- */

struct degree {
    uint32_t conflicts, rank;
};

static int compare_degrees(const void *a, const void *b) {
    const struct degree *x = a, *y = b;
    return x->conflicts != y->conflicts
               ? (x->conflicts < y->conflicts) - (x->conflicts > y->conflicts)
               : (x->rank > y->rank) - (x->rank < y->rank);
}

static void list_rows(const struct matrix *matrix, struct sw_lines *lines,
                      const struct degree *sorted, uint32_t count) {
    static const struct sw_lines_head heads[] = {
        {"conflicts", true}, {"bytes", true}, {"alive", true}, {"buffer", false}};
    uint32_t shown = sw_lines_heads(lines, heads, 4, count);
    char text[32];
    for (uint32_t i = 0; i < shown && !matrix->scene->failed; i++) {
        uint32_t b = buffer_at(matrix, sorted[i].rank);
        const struct sw_buffer *buffer = sw_problem_buffer(matrix->problem, b);
        sw_lines_row(lines, (struct sw_item){SW_ITEM_BUFFER, b}, false);
        sw_lines_cell(
            lines, SW_STYLE_TEXT, true,
            sw_scene_printf(matrix->scene, "%s", sw_show_count(sorted[i].conflicts, text)));
        sw_lines_cell(lines, SW_STYLE_DIM, true, sw_lines_bytes(lines, buffer->size));
        sw_lines_cell(lines, SW_STYLE_DIM, true, sw_lines_life(lines, buffer));
        sw_lines_name(lines, SW_STYLE_TEXT, buffer->name);
    }
    lines->panel->hidden_below = count - shown;
}

static void list_most(struct matrix *matrix, struct sw_box box) {
    struct degree *sorted = SW_NEW(struct degree, matrix->count);
    struct sw_lines lines;
    uint32_t count = 0;
    const char *title =
        matrix->stride > 1 ? "most conflicts, of those looked at" : "most conflicts";
    if (!sorted ||
        !sw_lines_begin(&lines, matrix->in, matrix->scene, "most-conflicts", title, box, 4, 3)) {
        matrix->scene->failed = true;
        SW_FREE(sorted, matrix->count);
        return;
    }
    for (uint32_t rank = 0; rank < matrix->count; rank += matrix->stride) {
        sorted[count++] = (struct degree){matrix->degree[rank], rank};
        if (matrix->count - rank <= matrix->stride) {
            break;
        }
    }
    if (count > 1) {
        qsort(sorted, count, sizeof *sorted, compare_degrees);
    }
    list_rows(matrix, &lines, sorted, count);
    SW_FREE(sorted, matrix->count);
}

/* The row and the column of what is selected. */
static void mark_buffer(struct matrix *matrix) {
    uint32_t buffer = matrix->in->look.selected, rank = sw_problem_rank(matrix->problem, buffer);
    struct sw_mark mark = {.kind = SW_MARK_FRAME,
                           .style = SW_STYLE_SELECTED,
                           .item = {SW_ITEM_BUFFER, buffer},
                           .x1 = matrix->count};
    if (rank >= matrix->count) {
        return; /* it needs no memory */
    }
    mark.y1 = matrix->count - rank; /* the first row is the top one */
    mark.y0 = mark.y1 - 1;
    sw_panel_mark(matrix->scene, matrix->panel, mark);
    mark.x0 = rank;
    mark.x1 = rank + 1.0;
    mark.y0 = 0;
    mark.y1 = matrix->count;
    sw_panel_mark(matrix->scene, matrix->panel, mark);
}

static const char *title_of(const struct matrix *matrix) {
    char pairs[32], stride[32];
    const char *text = sw_scene_printf(
        matrix->scene, "%s%s conflicting pair%s", matrix->stride > 1 ? "about " : "",
        sw_show_count(matrix->pairs, pairs), matrix->pairs == 1 ? "" : "s");
    return matrix->stride > 1 ? sw_scene_printf(matrix->scene, "%s; one row in %s looked at", text,
                                                sw_show_count(matrix->stride, stride))
                              : text;
}

static void build(const struct sw_view_input *in, struct sw_scene *scene, double left, double top,
                  double width, double height) {
    struct sw_panel *panel = sw_scene_panel(scene, SW_PANEL_PLOT, "conflicts");
    const struct sw_problem *problem = sw_search_problem(in->run.search);
    struct matrix matrix = {.in = in,
                            .scene = scene,
                            .panel = panel,
                            .problem = problem,
                            .count = sw_problem_planned_count(problem)};
    if (!panel) {
        return;
    }
    panel->title = "conflicts"; /* so that there is room for it */
    /* On paper the body is a square. */
    sw_view_place(in, scene, panel, (struct sw_box){left, top, width, height}, false);
    if (sw_medium(in)->square) {
        double side = fmin(panel->body_height, panel->left + width - panel->body_left);
        panel->body_width = panel->body_height = side;
        panel->width = panel->body_left + side - left;
    }
    panel->x.lo = panel->y.lo = 0;
    panel->x.hi = panel->y.hi = matrix.count ? matrix.count : 1;
    panel->x.title = "buffer";
    panel->timed = false;
    scene->failed |= !open(&matrix);
    if (!scene->failed) {
        draw(&matrix);
        name_rows(&matrix);
    }
    if (sw_medium(in)->still && in->look.selected < sw_problem_buffer_count(problem)) {
        mark_buffer(&matrix);
    }
    panel->title = title_of(&matrix);
    if (sw_medium(in)->legend && matrix.pairs) {
        sw_scene_legend(scene, matrix.side ? SW_STYLE_MERGED : SW_STYLE_LIVE, 0,
                        matrix.side ? 4 : 0, matrix.side ? "conflicts" : "conflict");
    }
    double used = panel->width + SW_PAGE_MARGIN; /* adding a panel may move this one */
    if (sw_medium(in)->square && width - used >= 240 && !scene->failed) {
        list_most(&matrix, (struct sw_box){left + used, top, width - used, height});
    }
    SW_FREE(matrix.degree, matrix.count);
    SW_FREE(matrix.row, matrix.count);
    SW_FREE(matrix.blocks, (size_t)matrix.side * matrix.side);
}

const struct sw_view sw_view_conflicts = {
    .name = "conflicts",
    .summary = "the matrix of conflicts: which buffers may not share bytes",
    .takes = SW_TAKES_BUFFER,
    .build = build,
};
