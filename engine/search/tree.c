/* The tree of a run, read from its journal. See tree.h. */
#include "search/tree.h"

#include "base/sort.h"

/* A demand makes a search begin again: what comes after it belongs to a new tree. */
static bool begins_again(const struct sw_search *search, uint64_t step) {
    size_t count = 0;
    const struct sw_recipe_entry *recipe = sw_search_recipe(search, &count);
    for (size_t i = 0; i < count; i++) {
        if (recipe[i].step + 1 == step && recipe[i].override.kind != SW_OVERRIDE_CHOOSE) {
            return true;
        }
    }
    return false;
}

static bool is_end(const struct sw_decision *decision) {
    return decision->kind == SW_DECISION_PROVED || decision->kind == SW_DECISION_FINISH ||
           decision->kind == SW_DECISION_UPDATE || decision->kind == SW_DECISION_RESTART ||
           decision->kind == SW_DECISION_PROVED_ORDER || decision->kind == SW_DECISION_RAISE ||
           decision->kind == SW_DECISION_GIVE_UP || decision->kind == SW_DECISION_HAND_OVER ||
           (sw_decision_is(decision, SW_DECISION_EVALUATE) && decision->kind != SW_DECISION_EVALUATE_LEAF);
}

/* ---- reading ---- */

static void go_up(struct sw_tree *tree) {
    struct sw_node *node = &tree->nodes.items[tree->now];
    node->end = (uint32_t)tree->nodes.count;
    tree->now = node->parent;
}

static void leave_tree(struct sw_tree *tree) {
    while (tree->now != SW_NONE) {
        go_up(tree);
    }
}

/* A new node below the present one, or a root. */
static bool add_tree_node(struct sw_tree *tree, uint64_t step) {
    uint32_t id = (uint32_t)tree->nodes.count;
    struct sw_node node = {.step = step,
                           .parent = tree->now,
                           .before = tree->last,
                           .end = SW_NONE,
                           .ordinal = tree->roots,
                           .pruned = tree->pruned,
                           .incumbents = (uint32_t)tree->found.count,
                           .last = SW_NONE};
    if (tree->now != SW_NONE) {
        const struct sw_node *parent = &tree->nodes.items[tree->now];
        node.depth = parent->depth + 1;
        node.before = parent->last;
        node.ordinal = parent->children;
    }
    if (tree->nodes.count >= SW_NONE - 1 || !SW_PUSH(&tree->nodes, node)) {
        return false;
    }
    if (tree->now != SW_NONE) {
        struct sw_node *parent = &tree->nodes.items[tree->now];
        parent->last = id;
        parent->children++;
    } else {
        tree->last = id;
        tree->roots++;
    }
    tree->now = id;
    return true;
}

static bool is_fresh(const struct sw_tree *tree) {
    return tree->now != SW_NONE && tree->nodes.items[tree->now].kind == SW_NODE_REACHED;
}

/* The present node, or a new root, turns out to be of a kind. */
static bool turn_out(struct sw_tree *tree, uint64_t step, enum sw_node_kind kind) {
    if (!is_fresh(tree)) {
        leave_tree(tree);
        if (!add_tree_node(tree, step)) {
            return false;
        }
    }
    tree->nodes.items[tree->now].kind = (uint8_t)kind;
    tree->pruned += kind == SW_NODE_PRUNED;
    return true;
}

/* The node that the decision leaves: the search stands at the one above it by then. */
static bool leaves_node(const struct sw_decision *decision) {
    return sw_decision_is(decision, SW_DECISION_BACKTRACK) ||
           (decision->kind == SW_DECISION_PRUNE_SET && decision->prune_set.left);
}

/* A set of operators is cut off, unless it was opened: then all of it was tried. */
static bool take_prune_set(struct sw_tree *tree, const struct sw_decision *decision) {
    if (is_fresh(tree)) {
        tree->nodes.items[tree->now].kind = SW_NODE_PRUNED;
        tree->pruned++;
    }
    if (tree->now != SW_NONE && leaves_node(decision)) {
        go_up(tree);
    }
    return true;
}

static bool take_decision(struct sw_tree *tree, const struct sw_decision *decision) {
    bool open = tree->now != SW_NONE && tree->nodes.items[tree->now].kind == (uint8_t)SW_NODE_BRANCH;
    switch ((enum sw_decision_kind)decision->kind) {
    case SW_DECISION_ATTEMPT:
        leave_tree(tree);
        return add_tree_node(tree, decision->step);
    case SW_DECISION_RUN:
        return !open || add_tree_node(tree, decision->step);
    case SW_DECISION_PRUNE_SET:
        return take_prune_set(tree, decision);
    case SW_DECISION_BRANCH:
    case SW_DECISION_BRANCH_ACTION:
    case SW_DECISION_BRANCH_SET:
        return turn_out(tree, decision->step, SW_NODE_BRANCH);
    case SW_DECISION_PRUNE:
        return turn_out(tree, decision->step, SW_NODE_PRUNED);
    case SW_DECISION_PLACE:
        return !open || add_tree_node(tree, decision->step);
    case SW_DECISION_ACCEPT: /* the way with an action, and the way without */
    case SW_DECISION_REVERT:
        return !open || decision->buffer == SW_NONE || add_tree_node(tree, decision->step);
    case SW_DECISION_INCUMBENT:
    case SW_DECISION_INCUMBENT_ORDER:
    case SW_DECISION_EVALUATE_LEAF:
        if (!is_fresh(tree) || /* it was found before the search */
            (decision->kind == SW_DECISION_EVALUATE_LEAF && !decision->evaluate_leaf.best)) {
            return true;
        }
        tree->nodes.items[tree->now].kind = SW_NODE_INCUMBENT;
        return SW_PUSH(&tree->found, tree->now);
    case SW_DECISION_BACKTRACK:
    case SW_DECISION_LEAVE_NODE:
        if (tree->now != SW_NONE) {
            go_up(tree);
        }
        return true;
    default:
        if (is_end(decision)) {
            leave_tree(tree);
        }
        return true;
    }
}

bool sw_tree_read(struct sw_tree *tree, const struct sw_search *search) {
    if (tree->read == 0) {
        tree->now = tree->last = SW_NONE;
    }
    uint64_t known = sw_search_forgets(search) ? 0 : sw_search_known(search);
    for (; tree->read < known; tree->read++) {
        if (begins_again(search, tree->read + 1)) {
            leave_tree(tree);
        }
        if (!take_decision(tree, sw_search_journal(search, tree->read + 1))) {
            sw_tree_done(tree); /* half of a decision may be in it */
            return false;
        }
    }
    return true;
}

void sw_tree_done(struct sw_tree *tree) {
    SW_ARRAY_DONE(&tree->nodes, &tree->found);
    *tree = (struct sw_tree){0};
}

/* ---- looking ---- */

uint32_t sw_tree_reached(const struct sw_tree *tree, uint64_t step) {
    size_t after = SW_FIRST(i, tree->nodes.count, tree->nodes.items[i].step > step);
    return after > 0 ? (uint32_t)after - 1 : SW_NONE;
}

uint32_t sw_tree_at(const struct sw_tree *tree, const struct sw_search *search, uint64_t step) {
    uint32_t node = sw_tree_reached(tree, step);
    uint64_t at = node == SW_NONE ? step : tree->nodes.items[node].step;
    while (node != SW_NONE && at++ < step) {
        const struct sw_decision *decision = sw_search_journal(search, at);
        if (!decision || is_end(decision) || begins_again(search, at)) {
            return SW_NONE;
        }
        if (leaves_node(decision)) {
            node = tree->nodes.items[node].parent;
        }
    }
    return node;
}

uint32_t sw_tree_end(const struct sw_tree *tree, uint32_t node) {
    uint32_t end = tree->nodes.items[node].end;
    return end == SW_NONE ? (uint32_t)tree->nodes.count : end;
}

uint32_t sw_tree_pruned(const struct sw_tree *tree, uint32_t node) {
    uint32_t end = sw_tree_end(tree, node);
    uint32_t before = end < tree->nodes.count ? tree->nodes.items[end].pruned : tree->pruned;
    return before - tree->nodes.items[node].pruned;
}

uint32_t sw_tree_incumbents(const struct sw_tree *tree, uint32_t node) {
    uint32_t end = sw_tree_end(tree, node), all = (uint32_t)tree->found.count;
    uint32_t before = end < tree->nodes.count ? tree->nodes.items[end].incumbents : all;
    return before - tree->nodes.items[node].incumbents;
}

uint32_t sw_tree_siblings(const struct sw_tree *tree, uint32_t node) {
    uint32_t parent = tree->nodes.items[node].parent;
    return parent == SW_NONE ? tree->roots : tree->nodes.items[parent].children;
}

uint32_t sw_tree_next(const struct sw_tree *tree, uint32_t node) {
    bool last = tree->nodes.items[node].ordinal + 1 >= sw_tree_siblings(tree, node);
    return last ? SW_NONE : sw_tree_end(tree, node);
}
