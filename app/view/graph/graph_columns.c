/* The graph around a buffer or an operator, drawn: producers left, consumers right, three levels of each. A node is a
 * buffer, with the operator that writes it below; where boxes are narrow the name has two rows instead. */
#include "base/base.h"
#include "view/graph/graph_columns.h"

enum {
    GRAPH_LEVELS = 3,
    GRAPH_COLUMNS = 2 * GRAPH_LEVELS + 1,
    MOST_GRAPH_NODES = 24,
    NODE_ROWS = 3,
    ARROW_CELLS = 4,
    ONE_ROW_NAME = 12
};

struct column_node {
    uint32_t buffer;    /* SW_NONE: it is the operator */
    uint32_t operator_; /* that writes the buffer, or is the node itself; SW_NONE: the host writes it */
    uint32_t toward;    /* the node of the column nearer to the middle that it is joined with */
    double row;
};
struct graph_column {
    struct column_node nodes[MOST_GRAPH_NODES];
    uint32_t count;
    bool more; /* there are some that have no room */
};
struct graph_columns {
    const struct sw_view_input *in;
    struct sw_scene *scene;
    struct sw_panel *panel;
    const struct sw_problem *problem;
    struct graph_column columns[GRAPH_COLUMNS];
    uint32_t most; /* nodes of a column that have room */
    double rows, width;
};

static bool is_in_column(const struct graph_column *column, uint32_t buffer, uint32_t operator_, uint32_t toward) {
    for (uint32_t i = 0; i < column->count; i++) {
        const struct column_node *node = &column->nodes[i];
        if (node->buffer == buffer && node->toward == toward && (buffer != SW_NONE || node->operator_ == operator_)) {
            return true;
        }
    }
    return false;
}

static void add_column_node(const struct graph_columns *g, struct graph_column *column, uint32_t buffer,
                            uint32_t operator_, uint32_t toward) {
    if (is_in_column(column, buffer, operator_, toward)) {
        return;
    }
    if (column->count >= g->most) {
        column->more = true;
        return;
    }
    column->nodes[column->count++] = (struct column_node){buffer, operator_, toward, 0};
}

/* What an operator reads, as nodes of the column to the left. */
static void add_producers(const struct graph_columns *g, struct graph_column *column, uint32_t step, uint32_t toward) {
    const struct sw_operator *op = sw_problem_operator(g->problem, step);
    for (uint32_t i = 0; i < op->input_count; i++) {
        uint32_t b = op->inputs[i].buffer;
        if (sw_problem_buffer(g->problem, b)->planned) {
            add_column_node(g, column, b, sw_problem_producer(g->problem, b), toward);
        }
    }
}

/* What it writes, as nodes of the column to the right; itself where it writes nothing. */
static void add_results(const struct graph_columns *g, struct graph_column *column, uint32_t step, uint32_t toward) {
    const struct sw_operator *op = sw_problem_operator(g->problem, step);
    for (uint32_t i = 0; i < op->output_count; i++) {
        add_column_node(g, column, op->outputs[i].buffer, step, toward);
    }
    if (op->output_count == 0) {
        add_column_node(g, column, SW_NONE, step, toward);
    }
}

static void add_consumers(const struct graph_columns *g, struct graph_column *column, uint32_t buffer,
                          uint32_t toward) {
    const struct sw_buffer *b = sw_problem_buffer(g->problem, buffer);
    for (uint32_t i = 0; i < b->access_count; i++) {
        uint32_t step = b->accesses[i];
        if (step < sw_problem_operator_count(g->problem) && sw_problem_reads(g->problem, step, buffer)) {
            add_results(g, column, step, toward);
        }
    }
}

static void fill_columns(struct graph_columns *g) {
    for (uint32_t k = 1; k <= GRAPH_LEVELS; k++) {
        struct graph_column *left = &g->columns[GRAPH_LEVELS - k], *right = &g->columns[GRAPH_LEVELS + k];
        for (uint32_t i = 0; i < left[1].count; i++) {
            if (left[1].nodes[i].operator_ != SW_NONE) {
                add_producers(g, left, left[1].nodes[i].operator_, i);
            }
        }
        for (uint32_t i = 0; i < right[-1].count; i++) {
            const struct column_node *node = &right[-1].nodes[i];
            if (node->buffer != SW_NONE) {
                add_consumers(g, right, node->buffer, i);
            } else if (k == 1) {
                add_results(g, right, node->operator_, i);
            }
        }
    }
}

/* ---- where they stand ---- */

/* Below one another, the middle of a group as near to the node it is joined with as the others let it. */
static void place_column(struct graph_columns *g, struct graph_column *column, const struct graph_column *nearer) {
    double next = 0;
    for (uint32_t i = 0, end; i < column->count; i = end) {
        for (end = i + 1; end < column->count && column->nodes[end].toward == column->nodes[i].toward; end++) {
        }
        double size = (end - i) * (double)NODE_ROWS;
        double wanted = floor(nearer->nodes[column->nodes[i].toward].row + NODE_ROWS / 2.0 - size / 2);
        double top = fmax(wanted, next);
        for (uint32_t k = i; k < end; k++) {
            column->nodes[k].row = top + (k - i) * (double)NODE_ROWS;
        }
        next = top + size;
    }
    double over = fmax(next - g->rows - 1, 0); /* the last one needs no blank row */
    for (uint32_t i = column->count; over > 0 && i-- > 0;) {
        double least = i * (double)NODE_ROWS;
        column->nodes[i].row = fmax(column->nodes[i].row - over, least);
    }
}

/* ---- marks ---- */

static double column_left(const struct graph_columns *g, uint32_t column) {
    return column * g->width;
}

static const char *node_text(const struct graph_columns *g, const struct column_node *node, unsigned room) {
    if (node->buffer == SW_NONE) {
        return sw_scene_printf(g->scene, "[%s]", sw_view_operator_name(g->in, g->scene, node->operator_, room - 2));
    }
    const char *size = sw_scene_bytes(g->scene, sw_problem_buffer(g->problem, node->buffer)->size);
    unsigned own = (unsigned)sw_view_columns(size) + 1;
    bool both = room >= own + 10; /* a name comes first */
    const char *name = sw_view_buffer_name(g->in, g->scene, node->buffer, both ? room - own : room);
    return both ? sw_scene_printf(g->scene, "%s %s", name, size) : name;
}

/* In a narrow box a name may go on in a second row, behind a separator where there is one. */
static size_t first_row(const char *text, unsigned room) {
    size_t most = sw_view_wrap(text, room), at = most;
    while (at > most / 2 && !strchr("_/.:;-", text[at - 1])) {
        at--;
    }
    return at > most / 2 && sw_view_columns(text + at) <= room ? at : most;
}

static void add_node_line(const struct graph_columns *g, enum sw_style style, double x, double y, const char *text) {
    struct sw_mark line = sw_mark_over(SW_MARK_TEXT, style, x, x, y, y);
    line.labels = SW_LABELS(g->scene, text, "");
    sw_panel_mark(g->scene, g->panel, line);
}

static void draw_column_node(const struct graph_columns *g, uint32_t column, const struct column_node *node) {
    double x0 = column_left(g, column), y = g->rows - node->row;
    unsigned room = (unsigned)g->width - ARROW_CELLS, inside = room - 2;
    const char *text = node_text(g, node, inside), *rest = "";
    bool narrow = inside < ONE_ROW_NAME;
    if (narrow) {
        const char *whole = node_text(g, node, 2 * inside);
        size_t length = sw_view_columns(whole) > inside ? first_row(whole, inside) : strlen(whole);
        text = sw_scene_printf(g->scene, "%.*s", (int)length, whole);
        rest = whole + length + strspn(whole + length, " ");
    }
    enum sw_style style = column == GRAPH_LEVELS ? SW_STYLE_SELECTED : SW_STYLE_TEXT;
    struct sw_mark box = sw_mark_over(SW_MARK_RECT, style, x0, x0 + room, y - (*rest ? 2 : 1), y);
    box.item = node->buffer == SW_NONE ? (struct sw_item){SW_ITEM_OPERATOR, node->operator_}
                                       : (struct sw_item){SW_ITEM_BUFFER, node->buffer};
    box.labels = SW_LABELS(g->scene, text, "");
    sw_panel_mark(g->scene, g->panel, box);
    if (*rest) {
        add_node_line(g, style, x0 + 1, y - 1.5, rest);
    }
    const char *by = node->buffer == SW_NONE      ? ""
                     : node->operator_ == SW_NONE ? "the host"
                                                  : sw_view_operator_name(g->in, g->scene, node->operator_, room - 3);
    by = *by ? sw_scene_printf(g->scene, "by %s", by) : by;
    if (*by && !*rest && (!narrow || sw_view_columns(by) <= room)) {
        add_node_line(g, SW_STYLE_DIM, x0, y - 1.5, by);
    }
}

/* From the left one of two nodes to the right one. */
static void draw_edge(const struct graph_columns *g, uint32_t left, double from_row, double to_row) {
    double x = column_left(g, left) + g->width - ARROW_CELLS;
    struct sw_mark arrow = sw_mark_over(SW_MARK_ARROW, SW_STYLE_BORDER, x + 1, x + ARROW_CELLS - 1,
                                        g->rows - from_row - 0.5, g->rows - to_row - 0.5);
    sw_panel_mark(g->scene, g->panel, arrow);
}

static void draw_columns(struct graph_columns *g) {
    for (uint32_t c = 0; c < GRAPH_COLUMNS && !g->scene->failed; c++) {
        const struct graph_column *column = &g->columns[c];
        bool left = c < GRAPH_LEVELS;
        for (uint32_t i = 0; i < column->count; i++) {
            const struct column_node *node = &column->nodes[i];
            draw_column_node(g, c, node);
            if (left) {
                draw_edge(g, c, node->row, column[1].nodes[node->toward].row);
            } else if (c > GRAPH_LEVELS) {
                draw_edge(g, c - 1, column[-1].nodes[node->toward].row, node->row);
            }
        }
        if (column->more) {
            struct sw_mark more =
                sw_mark_over(SW_MARK_TEXT, SW_STYLE_DIM, column_left(g, c), column_left(g, c), 0.5, 0.5);
            more.labels = SW_LABELS(g->scene, "more ...", "");
            sw_panel_mark(g->scene, g->panel, more);
        }
    }
}

bool sw_view_build_graph(const struct sw_view_input *in, struct sw_scene *scene, struct sw_box box, uint32_t buffer,
                         uint32_t step, const char *title) {
    enum { LEAST_GRAPH_WIDTH = 76, LEAST_GRAPH_HEIGHT = 9 };
    if (sw_medium(in)->fine || box.width < LEAST_GRAPH_WIDTH || box.height < LEAST_GRAPH_HEIGHT) {
        return false;
    }
    struct graph_columns *g = sw_arena_new(&scene->arena, 1, sizeof *g);
    if (!g) {
        scene->failed = true;
        return true;
    }
    g->in = in;
    g->scene = scene;
    g->problem = sw_search_problem(in->run.search);
    g->panel = sw_scene_panel(scene, SW_PANEL_PLOT, "neighbourhood");
    sw_panel_put(g->panel, box);
    g->panel->title = title;
    g->panel->tier = SW_NONE;
    g->panel->body_left = box.left;
    g->panel->body_top = box.top + 1;
    g->panel->body_width = box.width;
    g->panel->body_height = box.height - 1;
    g->rows = box.height - 1;
    g->width = floor((box.width + ARROW_CELLS) / GRAPH_COLUMNS);
    g->panel->x.hi = g->panel->body_width;
    g->panel->y.hi = g->rows;
    g->most = (uint32_t)fmin(floor((g->rows - 1) / NODE_ROWS), MOST_GRAPH_NODES);
    struct graph_column *center = &g->columns[GRAPH_LEVELS];
    uint32_t writer = buffer == SW_NONE ? step : sw_problem_producer(g->problem, buffer);
    center->nodes[center->count++] = (struct column_node){buffer, writer, 0, floor((g->rows - 2) / 2)};
    fill_columns(g);
    for (uint32_t k = 1; k <= GRAPH_LEVELS; k++) {
        place_column(g, &g->columns[GRAPH_LEVELS - k], &g->columns[GRAPH_LEVELS - k + 1]);
        place_column(g, &g->columns[GRAPH_LEVELS + k], &g->columns[GRAPH_LEVELS + k - 1]);
    }
    draw_columns(g);
    return true;
}
