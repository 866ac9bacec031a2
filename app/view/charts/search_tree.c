/* The tree that a planner searches: the way to the present node is open, what lies beside it is one
 * row for each subtree, which says how much it hides. */
#include "view/scene/lines.h"
#include "base/base.h"
#include "planners/planner.h"

static const struct sw_lines_head tree_heads[] = {
    {"", true}, {"depth", true}, {"node", false}, {"what became of it", false}};
enum { TREE_COLUMNS = sizeof tree_heads / sizeof *tree_heads, MOST_TREE_LEVELS = 24 };

struct drawing {
    struct sw_lines lines;
    const struct sw_search *search;
    const struct sw_tree *tree;
    uint32_t focus;  /* the node that the way leads to, or SW_NONE */
    bool there;      /* the run stands at it */
    uint32_t base;   /* rows of this level are not indented */
    bool *more;      /* by level: does another one follow the node of that level? */
    uint32_t levels; /* of indentation, at most */
};

static const struct sw_node *node_at(const struct drawing *d, uint32_t id) {
    return &d->tree->nodes.items[id];
}

/* ---- which rows ---- */

/* Is the node on the way to the focus? */
static bool is_open_node(const struct drawing *d, uint32_t id) {
    return d->focus != SW_NONE && id <= d->focus && d->focus < sw_tree_end(d->tree, id);
}

/* The row above one of the way, or above a sibling of one: the sibling before, which is closed
 * then, or the parent. */
static uint32_t node_row_above(const struct drawing *d, uint32_t id) {
    const struct sw_node *node = node_at(d, id);
    return node->before != SW_NONE ? node->before : node->parent;
}

/* An only child stands where its parent does: indentation says where one could have gone elsewhere.
 */
static uint32_t own_level(const struct drawing *d, uint32_t id) {
    return sw_tree_siblings(d->tree, id) > 1;
}

/* The row below: the first child of an open node, or the next one that is not below this. `level`
 * is that of the row, and becomes that of the one below. */
static uint32_t row_below(const struct drawing *d, uint32_t id, uint32_t *level) {
    if (is_open_node(d, id) && node_at(d, id)->children > 0) {
        *level += own_level(d, id + 1);
        return id + 1;
    }
    uint32_t next = sw_tree_next(d->tree, id);
    while (next == SW_NONE && id != SW_NONE) {
        *level -= own_level(d, id);
        id = node_at(d, id)->parent;
        next = id == SW_NONE ? SW_NONE : sw_tree_next(d->tree, id);
    }
    return next;
}

/* Rows above and below the focus. O(depth). */
static void count_tree_rows(const struct drawing *d, uint64_t *above, uint64_t *below) {
    uint32_t id = d->focus;
    *above = 0;
    *below = node_at(d, id)->children;
    for (; id != SW_NONE; id = node_at(d, id)->parent) {
        *above += node_at(d, id)->ordinal + (node_at(d, id)->parent != SW_NONE);
        *below += sw_tree_siblings(d->tree, id) - node_at(d, id)->ordinal - 1;
    }
}

/* ---- one row ---- */

/* The lines that join a node with its siblings and with those of the nodes above it. */
static const char *branches(const struct drawing *d, uint32_t id, uint32_t level) {
    char text[(MOST_TREE_LEVELS + 1) * 4 + 1];
    size_t used = 0;
    for (uint32_t k = d->base + 1; k <= level && used + 5 < sizeof text; k++) {
        bool own = k == level && own_level(d, id);
        const char *glyph = own ? (d->more[k] ? "├" : "└") : (d->more[k] ? "│" : " ");
        used += (size_t)snprintf(text + used, sizeof text - used, "%s ", glyph);
    }
    text[used] = '\0';
    return sw_scene_printf(d->lines.scene, "%s", text);
}

static const char *node_name(const struct drawing *d, uint32_t id) {
    const struct sw_decision *decision = sw_search_journal(d->search, node_at(d, id)->step);
    struct sw_scene *scene = d->lines.scene;
    if (decision->kind == SW_DECISION_ACCEPT || decision->kind == SW_DECISION_REVERT) {
        bool with = decision->kind == SW_DECISION_ACCEPT;
        return sw_scene_printf(scene, "%s %s of %s%s", with ? "with" : "without",
                               with ? decision->accept.action : decision->revert.action,
                               sw_problem_buffer(d->lines.problem, decision->buffer)->name,
                               decision->buffer == d->lines.in->look.selected ? " (selected)" : "");
    }
    if (decision->kind == SW_DECISION_BRANCH_ACTION) {
        return sw_scene_printf(scene, "segment %u", decision->branch_action.segment);
    }
    if (decision->kind == SW_DECISION_RUN) {
        return sw_scene_printf(scene, "%s", decision->run.op);
    }
    if (decision->kind == SW_DECISION_ATTEMPT) {
        return sw_scene_printf(scene, "within %s%s", sw_lines_bytes(&d->lines, decision->attempt.threshold),
                               decision->attempt.backward ? ", from the end" : "");
    }
    if (decision->kind != SW_DECISION_PLACE || decision->buffer == SW_NONE) {
        uint32_t part = sw_decision_part(decision);
        return part == SW_NONE ? "root" : sw_scene_printf(scene, "root of part %u", part + 1);
    }
    const char *name = sw_problem_buffer(d->lines.problem, decision->buffer)->name;
    uint32_t other = decision->place.partner;
    const char *with =
        other == SW_NONE ? "" : sw_scene_printf(scene, " beside %s", sw_problem_buffer(d->lines.problem, other)->name);
    bool picked =
        decision->buffer == d->lines.in->look.selected || (other != SW_NONE && other == d->lines.in->look.selected);
    char offset[24];
    return sw_scene_printf(scene, "%s%s +%s%s", name, with,
                           sw_show_bytes(decision->offset + d->lines.in->run.base, offset),
                           picked ? " (selected)" : "");
}

static bool is_selected(const struct drawing *d, uint32_t id) {
    const struct sw_decision *decision = sw_search_journal(d->search, node_at(d, id)->step);
    return d->lines.in->look.selected != SW_NONE && (decision->buffer == d->lines.in->look.selected ||
                                                     sw_decision_other(decision) == d->lines.in->look.selected);
}

/* "1,204 nodes, 3 incumbents, pruned 900". */
static const char *hides(const struct drawing *d, uint32_t id) {
    struct sw_scene *scene = d->lines.scene;
    uint32_t found = sw_tree_incumbents(d->tree, id), pruned = sw_tree_pruned(d->tree, id);
    uint32_t count = sw_tree_end(d->tree, id) - id - 1;
    const char *text = sw_scene_counted(scene, count, "node");
    if (found > 0) {
        text = sw_scene_printf(scene, "%s, %s", text, sw_scene_counted(scene, found, "incumbent"));
    }
    return pruned ? sw_scene_printf(scene, "%s, pruned %s", text, SW_COUNT(pruned)) : text;
}

/* The decision at which it turned out what the node is: the one that led to it, or the next one. */
static const struct sw_decision *verdict(const struct drawing *d, uint32_t id) {
    uint64_t step = node_at(d, id)->step;
    const struct sw_decision *decision = sw_search_journal(d->search, step);
    if (decision->kind == SW_DECISION_ACCEPT || decision->kind == SW_DECISION_REVERT ||
        decision->kind == SW_DECISION_RUN || decision->kind == SW_DECISION_ATTEMPT) {
        do { /* actions that fail come in between, and operators that need no choice */
            decision = sw_search_journal(d->search, ++step);
        } while (decision && (decision->kind == SW_DECISION_TRY || decision->kind == SW_DECISION_SAFE));
        return decision;
    }
    return decision->kind == SW_DECISION_PLACE ? sw_search_journal(d->search, step + 1) : decision;
}

static const char *outcome(const struct drawing *d, uint32_t id) {
    struct sw_scene *scene = d->lines.scene;
    const struct sw_decision *decision = verdict(d, id);
    char reason[SW_REASON];
    if (decision && decision->kind == SW_DECISION_EVALUATE_LEAF) {
        return sw_scene_printf(scene, "%scost %.6g, %s", node_at(d, id)->kind == SW_NODE_INCUMBENT ? "recorded: " : "",
                               decision->evaluate_leaf.costs.after, sw_decision_reason(decision, reason));
    }
    switch ((enum sw_node_kind)node_at(d, id)->kind) {
    case SW_NODE_PRUNED:
        return sw_scene_printf(scene, "pruned, %s", sw_decision_reason(decision, reason));
    case SW_NODE_INCUMBENT:
        return sw_scene_printf(scene, "incumbent: %s", sw_lines_bytes(&d->lines, sw_decision_amount(decision)));
    case SW_NODE_BRANCH:
        return is_open_node(d, id) ? sw_scene_printf(scene, "%s below", hides(d, id))
                                   : sw_scene_printf(scene, "+ %s", hides(d, id));
    case SW_NODE_REACHED:
        break;
    }
    return "reached last";
}

static void add_tree_row(struct drawing *d, uint32_t id, uint32_t level) {
    const struct sw_node *node = node_at(d, id);
    bool later = node->step > sw_search_at(d->search);
    enum sw_style style = later ? SW_STYLE_DIM : node->kind == SW_NODE_INCUMBENT ? SW_STYLE_STRONG : SW_STYLE_TEXT;
    sw_lines_row(&d->lines, (struct sw_item){SW_ITEM_DECISION, node->step}, d->there && id == d->focus);
    sw_lines_cellf(&d->lines, SW_STYLE_DIM, true, "%s", SW_COUNT(node->step));
    sw_lines_cellf(&d->lines, SW_STYLE_DIM, true, "%u", node->depth);
    sw_lines_cellf(&d->lines, is_selected(d, id) ? SW_STYLE_SELECTED : style, false, "%s%s", branches(d, id, level),
                   node_name(d, id));
    sw_lines_cell(&d->lines, style, false, outcome(d, id));
}

/* ---- all rows ---- */

/* The level of the first row, with the lines that come from above it. */
static uint32_t begin_levels(struct drawing *d, uint32_t first) {
    uint32_t level = 0, above;
    for (uint32_t id = first; id != SW_NONE; id = node_at(d, id)->parent) {
        level += own_level(d, id);
    }
    above = level;
    for (uint32_t id = first; id != SW_NONE; id = node_at(d, id)->parent) {
        if (own_level(d, id)) {
            d->more[above--] = sw_tree_next(d->tree, id) != SW_NONE;
        }
    }
    return level;
}

/* Indentation begins at the shallowest row in sight, or so deep that the deepest has room. */
static void choose_base(struct drawing *d, uint32_t id, uint32_t level, uint64_t count) {
    uint32_t least = UINT32_MAX, most = 0;
    for (uint64_t i = 0; i < count && id != SW_NONE; i++) {
        uint32_t lines = level - own_level(d, id);
        least = SW_MIN(lines, least);
        most = SW_MAX(level, most);
        id = row_below(d, id, &level);
    }
    least = least == UINT32_MAX ? 0 : least;
    d->base = most > least + d->levels ? most - d->levels : least;
}

static void add_tree_rows(struct drawing *d) {
    uint64_t above = 0, below = 0, all;
    uint32_t id = d->focus;
    if (id == SW_NONE) {
        id = 0;
        below = d->tree->roots - 1;
    } else {
        count_tree_rows(d, &above, &below);
    }
    all = above + 1 + below;
    uint64_t room = sw_lines_heads(&d->lines, tree_heads, TREE_COLUMNS, all < UINT32_MAX ? (uint32_t)all : UINT32_MAX);
    uint64_t up = above < room / 2 ? above : room / 2;
    uint64_t down = room > up ? room - up - 1 : 0;
    if (down > below) {
        up = up + (down - below) < above ? up + (down - below) : above;
        down = below;
    }
    uint64_t shown = up + 1 + down, at = above;
    uint64_t first = sw_view_first(d->lines.panel, d->lines.in->look.scroll, above - up, all, shown);
    for (; at > first && id != SW_NONE; at--) {
        id = node_row_above(d, id);
    }
    uint32_t level = begin_levels(d, id);
    for (; at < first && id != SW_NONE; at++) {
        d->more[level] = sw_tree_next(d->tree, id) != SW_NONE;
        id = row_below(d, id, &level);
    }
    choose_base(d, id, level, shown);
    for (uint64_t i = 0; i < shown && i < room && id != SW_NONE; i++) {
        d->more[level] = sw_tree_next(d->tree, id) != SW_NONE;
        add_tree_row(d, id, level);
        id = row_below(d, id, &level);
    }
}

/* ---- nothing to show ---- */

/* Why there is no tree, as far as the journal tells. */
static void say_no_tree(struct drawing *d) {
    char reason[SW_REASON];
    uint64_t known = sw_search_known(d->search);
    const char *planner = sw_search_planner(d->search)->name;
    const struct sw_decision *last = sw_search_journal(d->search, known);
    struct sw_scene *scene = d->lines.scene;
    const char *text;
    if (sw_problem_planned_count(d->lines.problem) == 0) {
        text = "There is nothing to place, so nothing is searched.";
    } else if (!sw_search_complete(d->search)) {
        text = sw_scene_printf(scene,
                               "%s has opened no node of a search tree so far: run on (End), or take "
                               "a planner that searches one (:planner branch-and-bound).",
                               planner);
    } else if (last && last->kind == SW_DECISION_PROVED) {
        text = sw_scene_printf(scene, "%s opened no node, since it needs no search: %s.", planner,
                               last->reason ? sw_decision_reason(last, reason) : "nothing is better");
    } else {
        text = sw_scene_printf(scene,
                               "%s opens no nodes, so it has no search tree; one that has is "
                               "branch-and-bound.",
                               planner);
    }
    sw_lines_text(&d->lines, SW_STYLE_DIM, text);
}

/* ---- the panel ---- */

/* After the search, the way to the best layout that it found. */
static void choose_focus(struct drawing *d) {
    uint64_t at = sw_search_at(d->search);
    d->focus = sw_tree_at(d->tree, d->search, at);
    d->there = d->focus != SW_NONE;
    for (size_t i = d->tree->found.count; !d->there && i-- > 0;) {
        uint32_t id = d->tree->found.items[i];
        if (node_at(d, id)->step <= at) {
            d->focus = id;
            return;
        }
    }
    d->focus = d->there ? d->focus : sw_tree_reached(d->tree, at);
}

static const char *tree_title(const struct drawing *d) {
    struct sw_scene *scene = d->lines.scene;
    const struct sw_tree *tree = d->tree;
    size_t nodes = tree->nodes.count, found = tree->found.count;
    if (nodes == 0) {
        return "search tree";
    }
    const char *text = sw_scene_printf(scene, "search tree: %s, %s, pruned %s", sw_scene_counted(scene, nodes, "node"),
                                       sw_scene_counted(scene, found, "incumbent"), SW_COUNT(tree->pruned));
    return d->there ? text
           : d->focus == SW_NONE
               ? sw_scene_printf(scene, "%s; not begun here", text)
               : sw_scene_printf(scene, "%s; the way to the %s", text,
                                 node_at(d, d->focus)->kind == SW_NODE_INCUMBENT ? "best" : "last one");
}

static void search_tree_build(const struct sw_view_input *in, struct sw_scene *scene, struct sw_box box) {
    struct sw_tree own = {0};
    struct drawing d = {.search = in->run.search, .tree = in->run.tree};
    d.lines = sw_lines_begin(in, scene, "search-tree", NULL, box, TREE_COLUMNS, TREE_COLUMNS - 1);
    if (!d.tree && !sw_tree_read(&own, in->run.search)) {
        scene->failed = true;
        return;
    }
    d.tree = d.tree ? d.tree : &own;
    d.levels = d.lines.room / 6 < MOST_TREE_LEVELS ? d.lines.room / 6 : MOST_TREE_LEVELS;
    if (d.tree->nodes.count == 0) {
        d.lines.panel->title = tree_title(&d);
        say_no_tree(&d);
    } else {
        choose_focus(&d);
        d.lines.panel->title = tree_title(&d);
        size_t deepest = d.focus == SW_NONE ? 0 : node_at(&d, d.focus)->depth;
        d.more = sw_arena_new(&scene->arena, deepest + 3, sizeof *d.more);
        scene->failed = scene->failed || !d.more;
        if (d.more) {
            add_tree_rows(&d);
        }
    }
    sw_tree_done(&own);
}

static bool search_tree_applies(const struct sw_search *search, bool *missed) {
    struct sw_tree tree = {0};
    bool tries = !sw_search_planner(search)->one_layout, whole = sw_search_complete(search);
    *missed |= tries && whole && !sw_tree_read(&tree, search);
    bool shows = tries && (!whole || tree.nodes.count > 0);
    sw_tree_done(&tree);
    return shows;
}

const struct sw_view sw_view_search_tree = {
    .name = "search-tree",
    .summary = "the nodes a search has opened, and the way to this one",
    .takes = SW_TAKES_BUFFER,
    .scrolls = SW_SCROLLS_LIST,
    .applies = search_tree_applies,
    .build = search_tree_build,
    .reads = SW_VIEW_READS_TREE,
};
