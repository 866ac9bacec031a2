/* tier-search: its state as tables: E of the reference and of the states that are kept, where the walk stands, the open
 * nodes or the beam of `inside`, and where each block lies now. */
#include "planners/tiers/tier_search.h"
#include "base/base.h"

#include <math.h>

static const char *const cost_columns[] = {"state", "E", NULL};
static const char *const walk_columns[] = {"step", "block", "action", "segment", NULL};
static const char *const cut_columns[] = {"segment", "first step", "last step", NULL};
static const char *const tier_node_columns[] = {"depth", "step", "block", "action", "walked", "E without it", NULL};
static const char *const beam_columns[] = {"state", "E", "what", NULL};
static const char *const block_columns[] = {"block", "bytes", "born", "tier", "offset", "since the last update", NULL};

static struct sw_state_cell cost_cell(double cost) {
    return isnan(cost) ? sw_cell_none() : sw_cell_number(cost);
}

static void add_costs(const struct sw_tier_search *s, struct sw_state_tables *tables) {
    const struct sw_state_figure rows[] = {
        {"pre-configuration", cost_cell(s->initial)},
        {"reference: the last update", cost_cell(s->reference)},
        {"recorded since, the cheapest", s->best ? sw_cell_number(s->best->cost) : sw_cell_none()},
        {"present", cost_cell(s->current)}};
    uint64_t count = sizeof rows / sizeof *rows;
    struct sw_state_table *t = sw_state_table(tables, "costs", cost_columns, count, count - 1);
    for (uint64_t i = t->first; i < t->end; i++) {
        SW_STATE_ROW(tables, sw_cell_word(rows[i].name), rows[i].value);
    }
}

static uint32_t visited(const struct sw_tier_search *s, uint32_t time, uint32_t visit) {
    const struct sw_tier_plan *plan = s->plan;
    return time < plan->steps && plan->visit_at[time] + visit < plan->visit_at[time + 1]
               ? plan->visits[plan->visit_at[time] + visit]
               : SW_NONE;
}

static void add_walk(const struct sw_tier_search *s, const struct sw_run *run, struct sw_state_tables *tables) {
    uint32_t block = visited(s, s->time, s->visit);
    bool walks = s->phase != SW_TIER_PRECONF && block != SW_NONE;
    struct sw_state_table *t = sw_state_table(tables, "walk: comes next", walk_columns, walks, SW_NO_ROW);
    for (uint64_t i = t->first; i < t->end; i++) {
        SW_STATE_ROW(tables, sw_cell_step(s->time), sw_cell_buffer(block),
                     sw_cell_word(sw_tier_action_name(s, run, s->action)),
                     sw_cell_count(sw_tier_segment_at(s, s->time)));
    }
}

/* Of segments that do not have equal lengths: where they begin and end. */
static void add_cuts(const struct sw_tier_search *s, struct sw_state_tables *tables) {
    const uint32_t *of = s->plan->segments;
    uint32_t steps = s->plan->steps;
    if (!of || steps == 0) {
        return;
    }
    struct sw_state_table *t = sw_state_table(tables, "segments of the last walk", cut_columns, of[steps - 1] + 1,
                                              s->segment < s->longest ? SW_NO_ROW : of[SW_MIN(s->time, steps - 1)]);
    for (uint32_t first = 0, end; first < steps; first = end) {
        for (end = first + 1; end < steps && of[end] == of[first]; end++) {
        }
        if (of[first] >= t->first && of[first] < t->end) {
            SW_STATE_ROW(tables, sw_cell_count(of[first]), sw_cell_step(first), sw_cell_step(end - 1));
        }
    }
}

static void add_inside(const struct sw_tier_search *s, const struct sw_run *run, struct sw_state_tables *tables) {
    if (s->inside == SW_TIER_EXHAUSTIVE) {
        uint64_t count = s->nodes.count;
        struct sw_state_table *t =
            sw_state_table(tables, "open nodes", tier_node_columns, count, count > 0 ? count - 1 : SW_NO_ROW);
        for (uint64_t i = t->first; i < t->end; i++) {
            const struct sw_tier_node *node = &s->nodes.items[i];
            SW_STATE_ROW(tables, sw_cell_count(i), sw_cell_step(node->time),
                         sw_cell_buffer(visited(s, node->time, node->visit)),
                         sw_cell_word(sw_tier_action_name(s, run, node->action)),
                         sw_cell_word(node->second ? "without it" : "with it"),
                         node->without ? sw_cell_number(node->without->cost) : sw_cell_none());
        }
    }
    if (s->inside == SW_TIER_BEAM) {
        uint64_t old = s->beam.items.count, count = old + s->fresh.items.count;
        struct sw_state_table *t =
            sw_state_table(tables, "beam", beam_columns, count, s->member < old ? s->member : SW_NO_ROW);
        for (uint64_t i = t->first; i < t->end; i++) {
            const struct sw_tier_state *kept = i < old ? s->beam.items.items[i] : s->fresh.items.items[i - old];
            SW_STATE_ROW(tables, sw_cell_count(i), sw_cell_number(kept->cost),
                         sw_cell_word(i < old ? "of the beam" : "new"));
        }
    }
}

static void add_tier_blocks(const struct sw_tier_search *s, const struct sw_run *run, const struct sw_decision *last,
                            struct sw_state_tables *tables) {
    const uint32_t *order = sw_problem_order(run->problem);
    uint32_t rank = last && last->buffer != SW_NONE ? sw_problem_rank(run->problem, last->buffer).at : SW_NONE;
    struct sw_state_table *t =
        sw_state_table(tables, "blocks", block_columns, s->plan->planned, rank == SW_NONE ? SW_NO_ROW : rank);
    for (uint64_t i = t->first; i < t->end; i++) {
        const struct sw_buffer *b = sw_problem_buffer(run->problem, order[i]);
        struct sw_placement p = {.tier = SW_NONE};
        bool placed = sw_layout_placement(run->layout, order[i], 0, &p);
        bool known = placed && s->previous && i < s->previous->count;
        const struct sw_tier_spot *was = known ? sw_tier_spot_at(&s->previous->spots, (uint32_t)i) : NULL;
        bool moved = was && (was->tier != p.tier || was->offset != p.offset);
        SW_STATE_ROW(tables, sw_cell_buffer(order[i]), sw_cell_bytes(b->size), sw_cell_step(b->first),
                     placed ? sw_cell_tier(p.tier) : sw_cell_none(), placed ? sw_cell_offset(p.offset) : sw_cell_none(),
                     sw_cell_word(moved ? "moved" : NULL));
    }
}

void sw_tier_state_tables(const void *state, const struct sw_run *run, const struct sw_decision *last,
                          struct sw_state_tables *tables) {
    const struct sw_tier_search *s = state;
    add_costs(s, tables);
    add_walk(s, run, tables);
    add_cuts(s, tables);
    add_inside(s, run, tables);
    add_tier_blocks(s, run, last, tables);
}

void sw_tier_because(const void *state, const struct sw_run *run, const struct sw_decision *last, char *text,
                     size_t size) {
    const struct sw_tier_search *s = state;
    if (last->kind == SW_DECISION_PRECONF) {
        uint32_t born = sw_problem_buffer(run->problem, last->buffer)->first;
        snprintf(
            text, size,
            "before any action blocks are placed by birth, inputs and constants first, and it is born at time %" PRId64,
            sw_problem_time(run->problem, born));
        return;
    }
    if (s->inside == SW_TIER_EXHAUSTIVE && s->nodes.count > 0) {
        snprintf(text, size, "the node at depth %zu is open; ", s->nodes.count - 1);
    }
    if (!isnan(s->reference)) {
        sw_text_add(text, size, "E is %s now, against %s at the last update", SW_NUMBER(s->current),
                    SW_NUMBER(s->reference));
    } else if (!isnan(s->current)) {
        sw_text_add(text, size, "E is %s now", SW_NUMBER(s->current));
    }
    if (s->best) {
        sw_text_add(text, size, "; the cheapest state recorded since has %s", SW_NUMBER(s->best->cost));
    }
}
