/* The conflict matrix: which buffers may not share bytes, in program order from the top left. Where
 * there are more buffers than marks, a mark stands for a block of the matrix and says how many
 * conflicts it hides. */
#include "view/internal.h"

#include <math.h>

#define MOST_BUFFERS 20000

struct matrix {
    const struct sw_view_input *in;
    struct sw_scene *scene;
    struct sw_panel *panel;
    const struct sw_problem *problem;
    uint32_t count;   /* of buffers: rows and columns */
    uint64_t pairs;   /* that conflict */
    uint8_t *row;     /* one flag per buffer */
    uint32_t *blocks; /* merged: a row of blocks, conflicts in each */
    uint32_t side;    /* blocks in a row; 0: every pair is drawn by itself */
};

static uint32_t buffer_at(const struct matrix *matrix, uint32_t rank) {
    return sw_problem_order(matrix->problem)[rank];
}

/* Flag what the buffer of a rank conflicts with. */
static void fill_row(struct matrix *matrix, uint32_t rank) {
    uint32_t buffer = buffer_at(matrix, rank), other;
    for (uint32_t i = 0; i < matrix->count; i++) {
        matrix->row[i] = 0;
    }
    struct sw_neighbours near = sw_problem_neighbours(matrix->problem, buffer);
    while ((other = sw_neighbours_next(&near)) != SW_NONE) {
        uint32_t at = sw_problem_rank(matrix->problem, other);
        if (at != rank && sw_problem_conflict(matrix->problem, buffer, other) != SW_CONFLICT_NONE) {
            matrix->row[at] = 1;
            matrix->pairs += at > rank;
        }
    }
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

static uint32_t block_of(const struct matrix *matrix, uint32_t rank) {
    return (uint32_t)((uint64_t)rank * matrix->side / matrix->count);
}

/* A row of blocks: a mark for each that hides a conflict, how full in quarters. */
static void draw_blocks(struct matrix *matrix, uint32_t row, uint32_t rows_in) {
    double size = (double)matrix->count / matrix->side;
    for (uint32_t c = 0; c < matrix->side; c++) {
        uint32_t hidden = matrix->blocks[c];
        if (hidden > 0) {
            double full = hidden / (rows_in * fmax(size, 1));
            double quarters = fmin(fmax(ceil(4 * full), 1), 4);
            rect(matrix, SW_STYLE_MERGED, c * size, (c + 1) * size, row * size, (row + 1) * size,
                 (struct sw_mark){.pattern = (uint8_t)quarters,
                                  .hidden = hidden,
                                  .item = {SW_ITEM_MERGED, hidden}});
        }
        matrix->blocks[c] = 0;
    }
}

static void draw(struct matrix *matrix) {
    uint32_t rows_in = 0;
    for (uint32_t rank = 0; rank < matrix->count && !matrix->scene->failed; rank++) {
        fill_row(matrix, rank);
        if (matrix->side == 0) {
            draw_row(matrix, rank);
            continue;
        }
        for (uint32_t i = 0; i < matrix->count; i++) {
            matrix->blocks[block_of(matrix, i)] += matrix->row[i];
        }
        rows_in++;
        uint32_t block = block_of(matrix, rank);
        if (rank + 1 == matrix->count || block_of(matrix, rank + 1) != block) {
            draw_blocks(matrix, block, rows_in);
            rows_in = 0;
        }
    }
}

/* Names at the rows where each has room, else none: the marks say whose they are. */
static void name_rows(struct matrix *matrix) {
    double room = matrix->in->paper ? 9 : 1;
    size_t most = matrix->in->paper ? 11 : 6;
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
    matrix->row = SW_NEW_ZERO(uint8_t, matrix->count);
    matrix->blocks = SW_NEW_ZERO(uint32_t, matrix->side);
    return matrix->row && (matrix->blocks || matrix->side == 0);
}

static void refuse(struct matrix *matrix) {
    char text[32];
    matrix->panel->kind = SW_PANEL_TABLE;
    sw_panel_row(matrix->scene, matrix->panel, (struct sw_item){SW_ITEM_NONE, 0}, false);
    sw_panel_cell(matrix->scene, matrix->panel, SW_STYLE_TEXT, false,
                  sw_scene_printf(matrix->scene,
                                  "%s buffers are too many for a matrix: 20,000 is "
                                  "the most",
                                  sw_show_count(matrix->count, text)));
}

static void build(const struct sw_view_input *in, struct sw_scene *scene, double left, double top,
                  double width, double height) {
    struct sw_panel *panel = sw_scene_panel(scene, SW_PANEL_PLOT, "conflicts");
    const struct sw_problem *problem = sw_search_problem(in->search);
    struct matrix matrix = {in, scene, panel, problem, sw_problem_planned_count(problem),
                            0,  NULL,  NULL,  0};
    char pairs[32];
    if (!panel) {
        return;
    }
    panel->title = "conflicts"; /* so that there is room for it */
    /* On paper the body is a square. */
    double square = height - SW_PAGE_HEADING + SW_PAGE_GUTTER + SW_PAGE_RIGHT;
    double side = in->paper ? fmin(width, square) : width;
    sw_view_place(in, scene, panel, (struct sw_box){left, top, side, height}, false);
    panel->x.lo = panel->y.lo = 0;
    panel->x.hi = panel->y.hi = matrix.count ? matrix.count : 1;
    panel->x.title = "buffer";
    if (matrix.count > MOST_BUFFERS) {
        refuse(&matrix);
        return;
    }
    scene->failed |= !open(&matrix);
    if (!scene->failed) {
        draw(&matrix);
        name_rows(&matrix);
    }
    panel->title =
        sw_scene_printf(scene, "%s conflicting pair%s", sw_show_count(matrix.pairs, pairs),
                        matrix.pairs == 1 ? "" : "s");
    if (in->paper) {
        sw_scene_legend(scene, matrix.side ? SW_STYLE_MERGED : SW_STYLE_LIVE, 0,
                        matrix.side ? 4 : 0, "conflict");
    }
    SW_FREE(matrix.row, matrix.count);
    SW_FREE(matrix.blocks, matrix.side);
}

const struct sw_view sw_view_conflicts = {
    .name = "conflicts",
    .summary = "the matrix of conflicts: which buffers may not share bytes",
    .build = build,
};
