/* The tree of a run that searches one, read from its journal: branch opens a node, place leads to the
 * node below, prune cuts one off, incumbent says that one is better than all before, backtrack goes up. In a
 * tree of actions accept and revert lead to the two nodes below, and evaluate says what a leaf is. In a tree of sets of
 * operators attempt opens a root, and run leads to the node below, which prune cuts off or leaves.
 *
 * Nodes are kept in the order in which they were reached, which is preorder: the subtree of node i is the
 * nodes i to its end, so sums over a subtree cost nothing. Each reading of the journal goes on
 * where the last one ended. */
#ifndef SW_SEARCH_TREE_H
#define SW_SEARCH_TREE_H

#include "search/search.h"

SW_C_BEGIN

enum sw_node_kind {
    SW_NODE_REACHED, /* nothing is known of it yet */
    SW_NODE_BRANCH,
    SW_NODE_PRUNED,
    SW_NODE_INCUMBENT
};
struct sw_node {
    uint64_t step;   /* the decision that led to it */
    uint32_t parent; /* SW_NONE: the root of a part */
    uint32_t before; /* the sibling before it, or SW_NONE */
    uint32_t end;    /* the node after its subtree; SW_NONE until the subtree is left */
    uint32_t depth;
    uint32_t ordinal; /* among its siblings, from 0 */
    uint32_t children;
    uint32_t pruned, incumbents; /* among all nodes before this one */
    uint32_t last;               /* its last child, or SW_NONE */
    uint8_t kind;                /* enum sw_node_kind */
};
struct sw_tree {
    SW_ARRAY(struct sw_node) nodes;
    SW_ARRAY(uint32_t) found; /* the incumbents */
    uint32_t roots, last;     /* how many; the last one, or SW_NONE */
    uint32_t pruned;
    uint32_t now;  /* where the reading stands, or SW_NONE */
    uint64_t read; /* decisions */
};
/* Zero it to start with; it is the caller's, and for this one run until sw_tree_done. Reads all that is
 * known. False: no memory. */
bool sw_tree_read(struct sw_tree *, const struct sw_search *);
void sw_tree_done(struct sw_tree *);

/* The node at which the run stands at a known step; SW_NONE: at none. O(log nodes + depth). */
uint32_t sw_tree_at(const struct sw_tree *, const struct sw_search *, uint64_t step);
/* The node reached last, at or before a step; SW_NONE: none was. */
uint32_t sw_tree_reached(const struct sw_tree *, uint64_t step);
/* The node after the subtree of a node, and the figures of the subtree, the node included. */
uint32_t sw_tree_end(const struct sw_tree *, uint32_t node);
uint32_t sw_tree_pruned(const struct sw_tree *, uint32_t node);
uint32_t sw_tree_incumbents(const struct sw_tree *, uint32_t node);
/* The sibling after a node, or SW_NONE. */
uint32_t sw_tree_next(const struct sw_tree *, uint32_t node);
/* Siblings of a node, itself included. */
uint32_t sw_tree_siblings(const struct sw_tree *, uint32_t node);

SW_C_END

#endif
