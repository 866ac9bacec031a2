/* order-genetic and random-order: their states as tables. The population comes with the child in the making; its genes
 * stand under those of its parents, with the ones that a crossover kept together or a swap exchanged marked. */
#include "planners/orders/order_genetic.h"
#include "base/base.h"
#include "planners/orders/order_tables.h"

static const char *const population_columns[] = {"member",         "generation", "peak", "continuity",
                                                 "above capacity", "cost",       "what", NULL};
static const char *const luck_columns[] = {"member", "peak", "continuity", "above capacity", "cost", "what", NULL};
static const char *const gene_columns[] = {"place", "first parent", "second parent", "child", "from", NULL};
static const char *const order_columns[] = {"place", "buffer", "bytes", "by address", "may reuse the one before", NULL};

/* ---- the population ---- */

/* `bred`: it was born in a generation. */
static void add_member_row(struct sw_state_tables *tables, uint64_t number, bool by_cost, bool bred,
                           const struct sw_genome *genome, const char *what) {
    bool known = genome->decoded;
    struct sw_state_cell cells[] = {sw_cell_count(number),
                                    sw_cell_count(genome->generation),
                                    known ? sw_cell_bytes(genome->peak) : sw_cell_none(),
                                    known ? sw_cell_count(genome->continuity) : sw_cell_none(),
                                    known ? sw_cell_bytes(genome->above) : sw_cell_none(),
                                    known && by_cost ? sw_cell_number(genome->cost) : sw_cell_none(),
                                    sw_cell_word(what)};
    uint32_t skipped = bred ? 0 : 1, count = sizeof cells / sizeof *cells;
    cells[skipped] = cells[0];
    sw_state_row(tables, cells + skipped, count - skipped);
}

static const char *what_of_member(const struct genetic *g, uint64_t i) {
    return i == g->parents[0]     ? "first parent"
           : i == g->parents[1]   ? "second parent"
           : g->all[i] == g->best ? "the fittest so far"
           : i >= g->members      ? "child"
                                  : NULL;
}

static void add_genomes(const struct genetic *g, const struct sw_decision *last, struct sw_state_tables *tables) {
    uint64_t here = (uint64_t)g->members + g->children, all = here + (g->now != NULL);
    uint32_t member = last ? sw_decision_member(last, 0) : SW_NONE;
    uint64_t touched = g->now ? here : member < here ? member : SW_NO_ROW;
    struct sw_state_table *t = sw_state_table(tables, "population", population_columns, all, touched);
    for (uint64_t i = t->first; i < t->end; i++) {
        if (i < here) {
            add_member_row(tables, i, g->by_cost, true, g->all[i], what_of_member(g, i));
        } else {
            add_member_row(tables, i, g->by_cost, true, g->now, "in the making");
        }
    }
}

/* ---- the genes of the child ---- */

static const struct sw_rank *parent_sequence(const struct genetic *g, int which) {
    uint32_t number = g->parents[which];
    return number < g->members && g->all[number]->decoded ? g->all[number]->sequence : NULL;
}

static const char *origin(const struct sw_decision *last, uint64_t place, struct sw_rank rank, uint32_t buffer,
                          const struct sw_rank *first) {
    if (last && last->kind == SW_DECISION_SWAP && (buffer == last->buffer || buffer == last->swap.with)) {
        return "exchanged";
    }
    if (last && last->kind == SW_DECISION_CROSSOVER && last->offset <= place && place < last->offset + last->size) {
        return "kept together";
    }
    return first && first[place].at == rank.at ? "as in the first" : NULL;
}

static void add_genes(const struct genetic *g, const struct sw_run *run, const struct sw_decision *last,
                      struct sw_state_tables *tables) {
    const struct sw_rank *first = parent_sequence(g, 0), *second = parent_sequence(g, 1);
    uint64_t touched = SW_NO_ROW;
    if (!g->now) {
        return;
    }
    if (last && last->kind == SW_DECISION_CROSSOVER) {
        touched = last->offset;
    }
    for (uint32_t i = 0; last && last->kind == SW_DECISION_SWAP && i < g->count; i++) {
        touched = sw_problem_at_rank(run->problem, g->now->order[i]) == last->buffer ? i : touched;
    }
    struct sw_state_table *t = sw_state_table(tables, "genes", gene_columns, g->count, touched);
    for (uint64_t i = t->first; i < t->end; i++) {
        struct sw_rank rank = g->now->order[i];
        uint32_t buffer = sw_problem_at_rank(run->problem, rank);
        SW_STATE_ROW(tables, sw_cell_count(i),
                     first ? sw_cell_buffer(sw_problem_at_rank(run->problem, first[i])) : sw_cell_none(),
                     second ? sw_cell_buffer(sw_problem_at_rank(run->problem, second[i])) : sw_cell_none(),
                     sw_cell_buffer(buffer), sw_cell_word(origin(last, i, rank, buffer, first)));
    }
}

/* ---- one order ---- */

static void add_order(const struct sw_run *run, const struct sw_genome *genome, const char *name,
                      struct sw_state_tables *tables) {
    if (!genome || !genome->decoded) {
        return;
    }
    struct sw_state_table *t = sw_state_table(tables, name, order_columns, genome->count, SW_NO_ROW);
    for (uint64_t i = t->first; i < t->end; i++) {
        uint32_t b = sw_problem_at_rank(run->problem, genome->order[i]);
        SW_STATE_ROW(
            tables, sw_cell_count(i), sw_cell_buffer(b), sw_cell_bytes(sw_problem_buffer(run->problem, b)->size),
            sw_cell_buffer(sw_problem_at_rank(run->problem, genome->sequence[i])), sw_cell_truth(genome->reuse[i]));
    }
}

void sw_genetic_state(const void *state, const struct sw_run *run, const struct sw_decision *last,
                      struct sw_state_tables *tables) {
    const struct genetic *g = state;
    if (g->instead) {
        sw_fallback_state(g->instead, run, last, tables);
        return;
    }
    add_genomes(g, last, tables);
    add_genes(g, run, last, tables);
    add_order(run, g->best, "the fittest order", tables);
}

/* ---- what led to a decision ---- */

void sw_genome_tell_start(const struct sw_genome *genome, const struct sw_run *run, char *text, size_t size) {
    enum { SHOWN = 3 };
    for (uint32_t i = 0; genome && i < genome->count && i < SHOWN; i++) {
        char name[SW_SHORT_NAME];
        sw_place_name(run->problem, sw_problem_at_rank(run->problem, genome->order[i]), name);
        sw_text_add(text, size, "%s%s", i == 0 ? "; the order begins with " : ", ", name);
    }
}

/* "member 3 (64 B, continuity 5)" */
static void tell_parent(const struct genetic *g, uint32_t member, char *text, size_t size) {
    const struct sw_genome *parent = member < g->members ? g->all[member] : NULL;
    sw_text_add(text, size, "member %" PRIu32, member);
    if (parent && parent->decoded) {
        sw_text_add(text, size, " (%s, continuity %" PRIu32 ")", SW_BYTES(parent->peak), parent->continuity);
    }
}

/* Where a block is in the order of the child. */
static uint32_t place_in_order(const struct genetic *g, const struct sw_run *run, uint32_t buffer) {
    uint32_t at = 0;
    while (at < g->count && sw_problem_at_rank(run->problem, g->now->order[at]) != buffer) {
        at++;
    }
    return at;
}

void sw_genetic_because(const void *state, const struct sw_run *run, const struct sw_decision *last, char *text,
                        size_t size) {
    const struct genetic *g = state;
    if (g->instead) {
        sw_fallback_because(g->instead, run, last, text, size);
        return;
    }
    if (last->group > 0) {
        snprintf(text, size, "this is generation %" PRIu32, last->group);
    } else {
        snprintf(text, size, "the first population is being made");
    }
    if (last->kind == SW_DECISION_CROSSOVER || last->kind == SW_DECISION_SWAP) {
        sw_text_add(text, size, ", and a child of ");
        tell_parent(g, g->parents[0], text, size);
        if (g->parents[1] != SW_NONE) {
            sw_text_add(text, size, " and ");
            tell_parent(g, g->parents[1], text, size);
        }
    }
    if (last->kind == SW_DECISION_SWAP && last->buffer != SW_NONE && g->now) {
        sw_text_add(text, size, ": places %" PRIu32 " and %" PRIu32 " of its order",
                    place_in_order(g, run, last->buffer), place_in_order(g, run, last->swap.with));
    }
    if (last->kind == SW_DECISION_INDIVIDUAL || last->kind == SW_DECISION_DECODE) {
        sw_genome_tell_start(g->now ? g->now : g->shown, run, text, size);
    }
    if (g->best) {
        sw_text_add(text, size, "; the fittest so far has %s and continuity %" PRIu32, SW_BYTES(g->best->peak),
                    g->best->continuity);
    }
}

void sw_luck_state(const struct sw_genome *shown, const struct sw_genome *best, bool by_cost, const struct sw_run *run,
                   struct sw_state_tables *tables) {
    uint64_t rows = (uint64_t)(shown != NULL) + (best != NULL);
    struct sw_state_table *t =
        sw_state_table(tables, "orders", luck_columns, rows, shown && shown->decoded ? 0 : SW_NO_ROW);
    for (uint64_t i = t->first; i < t->end; i++) {
        const struct sw_genome *genome = i == 0 && shown ? shown : best;
        add_member_row(tables, i, by_cost, false, genome, genome == shown ? "drawn last" : "the best so far");
    }
    add_order(run, shown, "the order drawn last", tables);
}
