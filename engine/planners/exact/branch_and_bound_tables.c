/* branch-and-bound: its state as tables. The parts that the problem falls into; of the part that is searched the stack
 * of open nodes, from the root down, and the figures of the search; and what was cut off, by rule. */
#include "planners/exact/branch_and_bound.h"

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

static void add_search(const struct bb *s, const struct sw_run *run, struct sw_state_tables *tables) {
    uint64_t limit = s->model && s->part != SW_NONE ? bb_limit(s, run) : BB_NOWHERE;
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
