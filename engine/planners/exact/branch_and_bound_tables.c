/* branch-and-bound: its state as tables. The parts that the problem falls into; of the part that is searched the stack
 * of open nodes, from the root down, and the figures of the search; and what was cut off, by rule. */
#include "planners/exact/branch_and_bound.h"
#include "base/base.h"

static const char *const part_columns[] = {"part", "tier", "blocks", "bound", "best", "state", NULL};
static const char *const bb_node_columns[] = {"depth", "block", "in order with", "offset", "arena before", "candidate",
                                              "of",    NULL};
static const char *const rule_columns[] = {"rule", "nodes cut off", NULL};

static void add_bb_parts(const struct bb *s, struct sw_state_tables *tables) {
    struct sw_state_table *t =
        sw_state_table(tables, "parts", part_columns, s->model->part_count, s->part == SW_NONE ? SW_NO_ROW : s->part);
    for (uint64_t i = t->first; i < t->end; i++) {
        const struct bb_part *part = &s->model->parts[i];
        uint64_t height = s->height ? s->height[i] : BB_NOWHERE;
        SW_STATE_ROW(tables, sw_cell_count(i), sw_cell_tier(part->tier), sw_cell_count(part->count),
                     sw_cell_bytes(part->bound), height == BB_NOWHERE ? sw_cell_none() : sw_cell_bytes(height),
                     sw_cell_word(s->done && s->done[i] ? "done"
                                  : i == s->part        ? "is searched"
                                  : part->large         ? "too large to search"
                                                        : "to come"));
    }
}

/* Above `depth` the way that is taken: blocks placed, or, in parts that are not plain, pairs put in order. The node at
 * `depth` is open: what comes there is looked at. */
static void add_bb_node(const struct bb *s, struct sw_state_tables *tables, uint64_t depth) {
    const struct bb_frame *frame = &s->frames.items[depth];
    struct sw_state_cell block = sw_cell_word("open"), with = sw_cell_none(), offset = sw_cell_none(),
                         arena = sw_cell_none();
    struct sw_state_cell of = frame->option_count > 0 ? sw_cell_count(frame->option_count) : sw_cell_none();
    bool decided = depth < s->depth, plain = bb_part(s)->plain;
    if (decided && plain) {
        block = sw_cell_buffer(bb_item_at(s, frame->item)->buffer);
        arena = sw_cell_bytes(frame->arena);
    } else if (decided) {
        const struct bb_pair *pair = &s->model->pairs.items[bb_part(s)->pair + frame->item];
        block = sw_cell_buffer(s->model->items[pair->a].buffer);
        with = sw_cell_buffer(s->model->items[pair->b].buffer);
        of = sw_cell_count(pair->count);
    }
    if (decided) {
        offset = sw_cell_offset(frame->offset);
    }
    bool counted = of.kind != SW_CELL_NONE;
    SW_STATE_ROW(tables, sw_cell_count(depth), block, with, offset, arena,
                 counted ? sw_cell_count((uint64_t)frame->option + 1) : sw_cell_none(), of);
}

/* Only what ends there or below is looked for; a round about a pivot may aim lower. */
static uint64_t highest_wanted(const struct bb *s, const struct sw_run *run) {
    return s->pivot.round > 0 ? s->pivot.limit : bb_limit(s, run);
}

static void add_search(const struct bb *s, const struct sw_run *run, struct sw_state_tables *tables) {
    uint64_t limit = s->model && s->part != SW_NONE ? highest_wanted(s, run) : BB_NOWHERE;
    const struct sw_state_figure rows[] = {
        {"nodes", sw_cell_count(s->nodes)},
        {"most nodes",
         s->node_limit == 0 || s->node_limit == UINT64_MAX ? sw_cell_none() : sw_cell_count(s->node_limit)},
        {"round", sw_cell_count(s->pivot.round)},
        {"to end at or below", limit <= BB_TOP ? sw_cell_bytes(limit) : sw_cell_none()},
        {"room for nogoods", sw_cell_count(s->pivot.nogoods.count)},
        {"blocks asleep", sw_cell_count(s->pivot.sleepers)},
        {"parts searched", sw_cell_count(s->searched)}};
    sw_state_figures(tables, "search", SW_WORDS("figure", "value"), rows, sizeof rows / sizeof *rows, SW_NO_ROW);
}

void bb_state(const void *state, const struct sw_run *run, const struct sw_decision *last,
              struct sw_state_tables *tables) {
    const struct bb *s = state;
    if (s->instead) {
        sw_fallback_state(s->instead, run, last, tables);
        return;
    }
    add_search(s, run, tables);
    if (s->model && s->part != SW_NONE) {
        uint64_t open = s->frames.count;
        struct sw_state_table *t = sw_state_table(tables, "open nodes", bb_node_columns, open,
                                                  s->depth < open ? s->depth : open - 1); /* none: no row */
        for (uint64_t i = t->first; i < t->end; i++) {
            add_bb_node(s, tables, i);
        }
    }
    struct sw_state_table *t = sw_state_table(tables, "pruned", rule_columns, BB_RULES,
                                              s->cut < BB_RULES && s->mode == BB_CUT ? s->cut : SW_NO_ROW);
    for (uint64_t i = t->first; i < t->end; i++) {
        SW_STATE_ROW(tables, sw_cell_word(bb_rule_names[i]), sw_cell_count(s->pruned[i]));
    }
    if (s->model) {
        add_bb_parts(s, tables);
    }
}

/* ---- what led to a decision ---- */

/* The node that the decision was about: a placing leaves the one above. */
static void tell_bb_node(const struct bb *s, const struct sw_decision *d, char *text, size_t size) {
    bool down = d->kind == SW_DECISION_PLACE && s->depth > 0;
    uint32_t depth = s->depth - down;
    const struct bb_frame *frame = depth < s->frames.count ? &s->frames.items[depth] : NULL;
    if (d->kind == SW_DECISION_PLACE && frame && frame->option_count > 0) {
        snprintf(text, size, "it is candidate %" PRIu32 " of %" PRIu32 " of the node at depth %" PRIu32,
                 frame->option + 1, frame->option_count, depth);
    } else if (d->kind == SW_DECISION_PLACE && bb_part(s)->plain) {
        snprintf(text, size, "it is the next child of the node at depth %" PRIu32 ", tried by lowest offset", depth);
    } else {
        snprintf(text, size, "the search is at depth %" PRIu32 " after %s", depth, SW_COUNTED(s->nodes, "node"));
    }
}

void bb_because(const void *state, const struct sw_run *run, const struct sw_decision *d, char *text, size_t size) {
    const struct bb *s = state;
    if (s->instead) {
        sw_fallback_because(s->instead, run, d, text, size);
    } else if (s->phase == BB_OVER) {
        snprintf(text, size, "%s of its tree %s opened for that", SW_COUNTED(s->nodes, "node"),
                 s->nodes == 1 ? "was" : "were");
    } else if (s->part != SW_NONE) {
        char node[120], limit[80] = "";
        uint64_t most = highest_wanted(s, run);
        tell_bb_node(s, d, node, sizeof node);
        if (most < BB_TOP) {
            snprintf(limit, sizeof limit, ", and only ends at or below %s are looked for", SW_BYTES(most));
        }
        snprintf(text, size, "%s; nothing is lower than the bound %s%s", node, SW_BYTES(bb_part(s)->bound), limit);
    } else if (d->kind == SW_DECISION_PLACE) {
        snprintf(text, size, "what is pinned or has no bytes comes before the search");
    } else if (s->model && s->model->part_count > 0) { /* without buffers there is none */
        uint32_t highest = 0;
        for (uint32_t i = 1; i < s->model->part_count; i++) {
            highest = s->model->parts[i].bound > s->model->parts[highest].bound ? i : highest;
        }
        snprintf(text, size,
                 "greedy planners come before the search, which then looks only below the best of them, down to the "
                 "bound %s",
                 SW_BYTES(s->model->parts[highest].bound));
    }
}
