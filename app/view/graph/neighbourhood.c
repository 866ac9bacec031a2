/* The graph around a buffer or an operator: producers three levels up, consumers three levels down, one
 * level of indentation each; where there is room, as columns with arrows (graph_columns.h). Operators stand in
 * brackets. Where there are no operators: what lies around the buffer in address and in time. */
#include "view/scene/lines.h"
#include "base/base.h"
#include "view/graph/graph_columns.h"

enum { LEVELS = 3, MOST_USERS = 8 };

enum node_kind { NODE_BUFFER, NODE_OPERATOR, NODE_MORE, NODE_ALSO };
struct graph_node {
    enum node_kind kind;
    uint8_t depth;
    bool center;
    uint32_t id;      /* buffer, operator, or how many more */
    const char *text; /* NODE_MORE, NODE_ALSO */
};
struct user_graph {
    struct sw_lines lines;
    SW_ARRAY(struct graph_node) nodes;
    size_t center;
};

static void add_graph_node(struct user_graph *graph, struct graph_node node) {
    if (node.center) {
        graph->center = graph->nodes.count;
    }
    graph->lines.scene->failed |= !SW_PUSH(&graph->nodes, node);
}

static void add_more(struct user_graph *graph, uint32_t depth, uint32_t count, const char *what) {
    if (count > 0) {
        add_graph_node(graph, (struct graph_node){.kind = NODE_MORE,
                                                  .depth = (uint8_t)depth,
                                                  .id = count,
                                                  .text = sw_scene_printf(graph->lines.scene, "and %u more %s%s", count,
                                                                          what, count == 1 ? "" : "s")});
    }
}

/* ---- what writes it and what reads it ---- */

struct users {
    uint32_t steps[MOST_USERS], count, more;
};

static struct users users_of(const struct user_graph *graph, uint32_t b, bool writers) {
    const struct sw_problem *problem = graph->lines.problem;
    const struct sw_buffer *buffer = sw_problem_buffer(problem, b);
    struct users users = {.count = 0};
    uint32_t before = SW_NONE;
    for (uint32_t i = 0; i < buffer->access_count; i++) {
        uint32_t step = buffer->accesses[i];
        if (step == before || step >= sw_problem_operator_count(problem) ||
            !(writers ? sw_problem_writes(problem, step, b) : sw_problem_reads(problem, step, b))) {
            continue;
        }
        before = step;
        if (users.count < MOST_USERS) {
            users.steps[users.count++] = step;
        } else {
            users.more++;
        }
    }
    return users;
}

/* "reads a, b" but for what has a row of its own, which is what `apart` says. */
static void add_also(struct user_graph *graph, uint32_t depth, const char *words, const struct sw_ref *refs,
                     uint32_t count, uint32_t apart) {
    struct sw_scene *scene = graph->lines.scene;
    const char *list = "";
    uint32_t left = 0;
    for (uint32_t i = 0; i < count && !scene->failed; i++) {
        const struct sw_buffer *buffer = sw_problem_buffer(graph->lines.problem, refs[i].buffer);
        if (refs[i].buffer == apart || (apart == SW_NONE && buffer->planned)) {
            continue;
        }
        if (sw_view_columns(list) + depth * 2 + 30 > graph->lines.room && *list) {
            left++;
            continue;
        }
        list = sw_scene_printf(scene, "%s%s%s", list, *list ? ", " : "",
                               sw_view_buffer_name(graph->lines.in, scene, refs[i].buffer, 24));
    }
    if (*list) {
        list = left ? sw_scene_printf(scene, "%s and %u more", list, left) : list;
        add_graph_node(graph, (struct graph_node){.kind = NODE_ALSO,
                                                  .depth = (uint8_t)depth,
                                                  .text = sw_scene_printf(scene, "%s %s", words, list)});
    }
}

/* ---- the levels ---- */

static uint32_t planned_inputs(const struct user_graph *graph, const struct sw_operator *op, uint32_t without,
                               uint32_t list[MOST_USERS], uint32_t *more) {
    uint32_t count = 0;
    *more = 0;
    for (uint32_t i = 0; i < op->input_count; i++) {
        uint32_t b = op->inputs[i].buffer;
        bool known = b == without || !sw_problem_buffer(graph->lines.problem, b)->planned;
        for (uint32_t k = 0; k < count; k++) {
            known |= list[k] == b;
        }
        if (!known && count < MOST_USERS) {
            list[count++] = b;
        } else {
            *more += !known;
        }
    }
    return count;
}

static void up_from_operator(struct user_graph *graph, uint32_t step, uint32_t without, uint32_t levels,
                             uint32_t depth);

/* The writers of a buffer at `depth`, each above it with what it reads. */
static void up_from_buffer(struct user_graph *graph, uint32_t b, uint32_t levels, uint32_t depth) {
    struct users users = users_of(graph, b, true);
    for (uint32_t i = 0; levels > 0 && i < users.count && !graph->lines.scene->failed; i++) {
        const struct sw_operator *op = sw_problem_operator(graph->lines.problem, users.steps[i]);
        if (levels > 1) {
            up_from_operator(graph, users.steps[i], b, levels - 1, depth - 1);
        }
        add_graph_node(graph,
                       (struct graph_node){.kind = NODE_OPERATOR, .depth = (uint8_t)(depth - 1), .id = users.steps[i]});
        add_also(graph, depth - 1, levels > 1 ? "also reads" : "reads", op->inputs, op->input_count,
                 levels > 1 ? SW_NONE : b);
    }
    add_more(graph, depth - 1, levels > 0 ? users.more : 0, "writer");
}

/* The inputs of an operator at `depth`, each with its writers above it. */
static void up_from_operator(struct user_graph *graph, uint32_t step, uint32_t without, uint32_t levels,
                             uint32_t depth) {
    uint32_t list[MOST_USERS], more = 0;
    const struct sw_operator *op = sw_problem_operator(graph->lines.problem, step);
    uint32_t count = planned_inputs(graph, op, without, list, &more);
    for (uint32_t i = 0; i < count && !graph->lines.scene->failed; i++) {
        up_from_buffer(graph, list[i], levels, depth - 1);
        add_graph_node(graph, (struct graph_node){.kind = NODE_BUFFER, .depth = (uint8_t)(depth - 1), .id = list[i]});
    }
    add_more(graph, depth - 1, more, "input");
}

static void down_from_operator(struct user_graph *graph, uint32_t step, uint32_t levels, uint32_t depth);

static void down_from_buffer(struct user_graph *graph, uint32_t b, uint32_t levels, uint32_t depth) {
    struct users users = users_of(graph, b, false);
    for (uint32_t i = 0; levels > 0 && i < users.count && !graph->lines.scene->failed; i++) {
        const struct sw_operator *op = sw_problem_operator(graph->lines.problem, users.steps[i]);
        add_graph_node(graph,
                       (struct graph_node){.kind = NODE_OPERATOR, .depth = (uint8_t)(depth + 1), .id = users.steps[i]});
        add_also(graph, depth + 1, "also reads", op->inputs, op->input_count, b);
        if (levels > 1) {
            down_from_operator(graph, users.steps[i], levels - 1, depth + 1);
        }
    }
    add_more(graph, depth + 1, levels > 0 ? users.more : 0, "reader");
}

static void down_from_operator(struct user_graph *graph, uint32_t step, uint32_t levels, uint32_t depth) {
    const struct sw_operator *op = sw_problem_operator(graph->lines.problem, step);
    uint32_t shown = SW_MIN(op->output_count, MOST_USERS);
    for (uint32_t i = 0; i < shown && !graph->lines.scene->failed; i++) {
        uint32_t b = op->outputs[i].buffer;
        add_graph_node(graph, (struct graph_node){.kind = NODE_BUFFER, .depth = (uint8_t)(depth + 1), .id = b});
        down_from_buffer(graph, b, levels, depth + 1);
    }
    add_more(graph, depth + 1, op->output_count - shown, "output");
}

static void around_buffer(struct user_graph *graph, uint32_t b) {
    uint32_t depth = 2 * LEVELS - 1;
    up_from_buffer(graph, b, LEVELS, depth);
    add_graph_node(graph, (struct graph_node){.depth = (uint8_t)depth, .center = true, .id = b});
    down_from_buffer(graph, b, LEVELS, depth);
}

static void around_operator(struct user_graph *graph, uint32_t step) {
    const struct sw_operator *op = sw_problem_operator(graph->lines.problem, step);
    uint32_t depth = 2 * LEVELS;
    up_from_operator(graph, step, SW_NONE, LEVELS, depth);
    add_graph_node(graph,
                   (struct graph_node){.kind = NODE_OPERATOR, .depth = (uint8_t)depth, .center = true, .id = step});
    add_also(graph, depth, "also reads", op->inputs, op->input_count, SW_NONE);
    add_also(graph, depth, "works in", op->scratch, op->scratch_count, SW_NONE - 1);
    down_from_operator(graph, step, LEVELS, depth);
}

/* ---- without operators ---- */

/* The nearest one in each direction. */
struct nearest {
    uint32_t above, below, before, after;
    uint64_t above_at, below_end;
};

static void meet(const struct user_graph *graph, uint32_t b, const struct sw_placement *place, uint32_t other,
                 struct nearest *near) {
    const struct sw_problem *problem = graph->lines.problem;
    const struct sw_buffer *mine = sw_problem_buffer(problem, b), *its = sw_problem_buffer(problem, other);
    struct sw_placement at;
    if (other == b || its->size == 0 || !sw_layout_placement(graph->lines.layout, other, 0, &at) ||
        at.tier != place->tier) {
        return;
    }
    uint64_t lo = place->offset, hi = lo + mine->size, end = at.offset + its->size;
    bool shares = at.offset < hi && end > lo;
    if (its->last < mine->first) {
        bool later = near->before == SW_NONE || its->last > sw_problem_buffer(problem, near->before)->last;
        near->before = shares && later ? other : near->before;
    } else if (its->first > mine->last) {
        bool earlier = near->after == SW_NONE || its->first < sw_problem_buffer(problem, near->after)->first;
        near->after = shares && earlier ? other : near->after;
    } else if (at.offset >= hi && at.offset < near->above_at) {
        near->above = other;
        near->above_at = at.offset;
    } else if (end <= lo && (near->below == SW_NONE || end > near->below_end)) {
        near->below = other;
        near->below_end = end;
    }
}

static void meet_all(const struct user_graph *graph, uint32_t b, const struct sw_placement *place, uint32_t first,
                     uint32_t last, struct nearest *near) {
    struct sw_neighbors alive = sw_problem_alive(graph->lines.problem, first, last);
    for (uint32_t other; (other = sw_neighbors_next(&alive)) != SW_NONE;) {
        meet(graph, b, place, other, near);
    }
}

/* In time it looks further and further away, until it meets a block that had, or will have, the
 * bytes. */
static struct nearest find_nearest_blocks(const struct user_graph *graph, uint32_t b,
                                          const struct sw_placement *place) {
    struct nearest near = {SW_NONE, SW_NONE, SW_NONE, SW_NONE, UINT64_MAX, 0};
    const struct sw_buffer *buffer = sw_problem_buffer(graph->lines.problem, b);
    uint32_t steps = sw_problem_steps(graph->lines.problem), lo = buffer->first, hi = buffer->last;
    meet_all(graph, b, place, lo, hi, &near);
    for (uint32_t width = 1; lo > 0 && near.before == SW_NONE; width *= 2) {
        uint32_t from = lo > width ? lo - width : 0;
        meet_all(graph, b, place, from, lo - 1, &near);
        lo = from;
    }
    for (uint32_t width = 1; hi + 1 < steps && near.after == SW_NONE; width *= 2) {
        uint32_t to = steps - 1 - hi > width ? hi + width : steps - 1;
        meet_all(graph, b, place, hi + 1, to, &near);
        hi = to;
    }
    return near;
}

static void add_near(struct sw_lines *lines, const char *where, uint32_t b, bool center) {
    struct sw_placement place;
    if (b == SW_NONE) {
        if (sw_lines_row(lines, SW_NO_ITEM, false)) {
            sw_lines_cell(lines, SW_STYLE_DIM, false, where);
            sw_lines_cell(lines, SW_STYLE_DIM, false, "none");
        }
        return;
    }
    const struct sw_buffer *buffer = sw_problem_buffer(lines->problem, b);
    enum sw_style style = center ? SW_STYLE_SELECTED : SW_STYLE_TEXT;
    bool placed = sw_layout_placement(lines->layout, b, 0, &place);
    sw_lines_row(lines, (struct sw_item){SW_ITEM_BUFFER, b}, center);
    sw_lines_cell(lines, SW_STYLE_DIM, false, where);
    sw_lines_name(lines, style, buffer->name);
    sw_lines_cell(lines, style, true, sw_scene_bytes(lines->scene, buffer->size));
    sw_lines_cell(lines, style, true, buffer->planned ? sw_lines_life(lines, buffer) : "");
    sw_lines_cell(lines, style, true, placed ? sw_scene_bytes(lines->scene, place.offset + lines->in->run.base) : "");
}

/* What else is alive then, in the room that is left. */
static void add_alive_rows(struct sw_lines *lines, uint32_t step, uint32_t without) {
    struct sw_neighbors alive = sw_problem_alive(lines->problem, step, step);
    for (uint32_t b; (b = sw_neighbors_next(&alive)) != SW_NONE && !lines->scene->failed;) {
        if (b != without && sw_buffer_alive(sw_problem_buffer(lines->problem, b), step)) {
            add_near(lines, "alive", b, false);
        }
    }
}

static void build_near(struct user_graph *graph, uint32_t b) {
    static const struct sw_lines_head heads[] = {
        {"", false}, {"buffer", false}, {"size", true}, {"alive", true}, {"at", true}};
    struct sw_lines *lines = &graph->lines;
    struct sw_placement place;
    sw_lines_flow(lines);
    sw_lines_text(lines, SW_STYLE_DIM, "No operators are named here: the nearest in address and time instead.");
    if (lines->rows >= 9) {
        sw_lines_heads(lines, heads, 5, 0);
    }
    if (b == SW_NONE) {
        add_alive_rows(lines, sw_lines_cursor(lines->in), SW_NONE);
    } else if (sw_layout_placement(lines->layout, b, 0, &place)) {
        struct nearest near = find_nearest_blocks(graph, b, &place);
        add_near(lines, "before", near.before, false);
        add_near(lines, "above", near.above, false);
        add_near(lines, "", b, true);
        add_near(lines, "below", near.below, false);
        add_near(lines, "after", near.after, false);
    } else {
        add_near(lines, "", b, true);
        sw_lines_text(lines, SW_STYLE_DIM, "It is not placed yet. Alive at its birth:");
        if (sw_problem_buffer(lines->problem, b)->planned) {
            add_alive_rows(lines, sw_problem_buffer(lines->problem, b)->first, b);
        }
    }
}

/* ---- rows ---- */

static void add_node_row(struct user_graph *graph, const struct graph_node *node) {
    struct sw_lines *lines = &graph->lines;
    bool arrow = !node->text && node->depth > 0; /* from the row above that stands less far in */
    const char *indent = sw_scene_printf(lines->scene, "%*s%s", node->depth * 2 - arrow, "", arrow ? "→" : "");
    enum sw_style style = node->center ? SW_STYLE_SELECTED : SW_STYLE_TEXT;
    enum { OTHERS = 22, LEAST_NODE_NAME = 12 }; /* characters of the other columns; of a name */
    unsigned taken = OTHERS + node->depth * 2u;
    unsigned width = lines->room > taken + LEAST_NODE_NAME ? lines->room - taken : LEAST_NODE_NAME;
    struct sw_item item = {SW_ITEM_NONE, 0};
    if (node->kind == NODE_BUFFER || node->kind == NODE_OPERATOR) {
        item = (struct sw_item){node->kind == NODE_BUFFER ? SW_ITEM_BUFFER : SW_ITEM_OPERATOR, node->id};
    }
    sw_lines_row(lines, item, node->center);
    if (node->text) {
        sw_lines_cellf(lines, SW_STYLE_DIM, false, "%s  %s", indent, node->text);
    } else if (node->kind == NODE_OPERATOR) {
        const char *name = sw_view_operator_name(lines->in, lines->scene, node->id, width);
        sw_lines_cellf(lines, node->center ? style : SW_STYLE_KEY, false, "%s[%s]", indent, name);
        sw_lines_cell(lines, style, true, "");
        sw_lines_cellf(lines, style, true, "%u", node->id);
        if (sw_lines_cores(lines)) {
            sw_lines_cell(lines, style, false, sw_lines_core(lines, node->id));
        }
    } else {
        const struct sw_buffer *buffer = sw_problem_buffer(lines->problem, node->id);
        const char *name = sw_view_buffer_name(lines->in, lines->scene, node->id, width);
        sw_lines_cellf(lines, style, false, "%s%s", indent, name);
        sw_lines_cell(lines, style, true, sw_scene_bytes(lines->scene, buffer->size));
        sw_lines_cell(lines, style, true,
                      buffer->planned ? sw_scene_printf(lines->scene, "%u..%u", buffer->first, buffer->last)
                                      : "never planned");
    }
}

static void build_user_graph(struct user_graph *graph, uint32_t b) {
    static const struct sw_lines_head heads[] = {
        {"[operator], buffer", false}, {"size", true}, {"steps", true}, {"core", false}};
    struct sw_lines *lines = &graph->lines;
    uint32_t columns = sw_lines_cores(lines) ? 4 : 3;
    lines->panel->columns = columns;
    if (b != SW_NONE) {
        around_buffer(graph, b);
    } else {
        around_operator(graph, sw_lines_cursor(lines->in));
    }
    uint32_t count = (uint32_t)graph->nodes.count, center = (uint32_t)graph->center;
    uint32_t room = sw_lines_heads(lines, heads, columns, count);
    room = room ? room : 1; /* the last row may say how many follow */
    uint32_t first = center > (room - 1) / 2 ? center - (room - 1) / 2 : 0;
    first = sw_lines_first(lines, first, count, room);
    for (uint32_t i = first; i < first + room && !lines->scene->failed; i++) {
        add_node_row(graph, &graph->nodes.items[i]);
    }
}

static void neighbourhood_build(const struct sw_view_input *in, struct sw_scene *scene, struct sw_box box) {
    struct user_graph graph = {.center = 0};
    const struct sw_problem *problem = sw_search_problem(in->run.search);
    bool operators = sw_problem_operator_count(problem) > 0;
    uint32_t b = in->look.selected < sw_problem_buffer_count(problem) ? in->look.selected : SW_NONE;
    unsigned width = sw_view_room(in, box.width), room = width > 44 ? width - 28 : 16; /* keys stand beside it */
    const char *what = b != SW_NONE ? sw_view_buffer_name(in, scene, b, room)
                       : operators  ? sw_view_operator_name(in, scene, sw_lines_cursor(in), room)
                                    : "the cursor";
    const char *title = sw_scene_printf(scene, "around %s", what);
    if (operators && sw_view_build_graph(in, scene, box, b, sw_lines_cursor(in), title)) {
        return;
    }
    graph.lines = sw_lines_begin(in, scene, "neighbourhood", title, box, operators ? 3 : 5, operators ? 0 : 1);
    if (operators) {
        build_user_graph(&graph, b);
    } else if (sw_problem_planned_count(problem) > 0) {
        build_near(&graph, b);
    } else {
        sw_lines_text(&graph.lines, SW_STYLE_DIM, "There are no buffers and no operators.");
    }
    SW_ARRAY_DONE(&graph.nodes);
}

const struct sw_view sw_view_neighbourhood = {
    .name = "neighbourhood",
    .summary = "the graph three levels up and down from a buffer",
    .takes = SW_TAKES_BUFFER,
    .scrolls = SW_SCROLLS_LIST,
    .keys = SW_KEYS_GRAPH,
    .build = neighbourhood_build,
};
