/* What the decisions of order-genetic say of themselves. */
#include "planners/orders/order_genetic.h"
#include "base/base.h"

static const char *rank_name(const struct sw_run *run, struct sw_rank place, char text[SW_SHORT_NAME]) {
    return sw_place_name(run->problem, sw_problem_at_rank(run->problem, place), text);
}

/* The first names of an order, as many as there is room for. */
static void list_order_names(const struct genetic *g, const struct sw_run *run, const struct sw_rank *order, char *text,
                             size_t size) {
    text[0] = '\0';
    for (uint32_t i = 0; i < g->count; i++) {
        char name[SW_SHORT_NAME];
        rank_name(run, order[i], name);
        if (strlen(text) + strlen(name) + 8 > size) {
            sw_text_add(text, size, " ...");
            return;
        }
        sw_text_add(text, size, "%s%s", i ? ", " : "", name);
    }
}

bool sw_genetic_explain_draw(const struct genetic *g, const struct sw_run *run) {
    char names[140];
    if (!run->explain) {
        return true;
    }
    list_order_names(g, run, g->now->order, names, sizeof names);
    return SW_EXPLAIN(run->explain, SW_VERDICT_CHOSEN, SW_NONE, 0, 0, "chosen: order %u of %u is %s", g->members + 1,
                      g->size, names);
}

/* One line per block of the sequence: may it reuse the block before it, and if not, why? */
bool sw_genetic_explain_sort(const struct genetic *g, const struct sw_run *run) {
    const struct sw_rank *sequence = g->now->sequence;
    for (uint32_t i = 0; run->explain && i < g->count; i++) {
        char name[SW_SHORT_NAME], other[SW_SHORT_NAME] = "";
        struct sw_placement p = {.tier = SW_NONE};
        uint32_t buffer = sw_problem_at_rank(run->problem, sequence[i]),
                 before = i ? sw_problem_at_rank(run->problem, sequence[i - 1]) : SW_NONE;
        sw_layout_placement(run->layout, buffer, 0, &p);
        sw_place_name(run->problem, buffer, name);
        char why[120] = "lowest";
        uint64_t size = sw_problem_buffer(run->problem, buffer)->size;
        bool reuse = g->now->reuse[i];
        if (before != SW_NONE) {
            bool conflict = sw_problem_conflict(run->problem, before, buffer) != SW_CONFLICT_NONE;
            uint64_t space = sw_problem_buffer(run->problem, before)->size;
            sw_place_name(run->problem, before, other);
            if (reuse || conflict) {
                snprintf(why, sizeof why, "%s %s", reuse ? "can reuse the space of" : "no reuse: it conflicts with",
                         other);
            } else {
                snprintf(why, sizeof why, "no reuse: it is %s larger than %s", SW_BYTES(size - space), other);
            }
        }
        if (!sw_explain(run->explain, reuse || before == SW_NONE ? SW_VERDICT_FITS : SW_VERDICT_REFUSED, p.tier,
                        p.offset, size, before, SW_NONE, "%s comes at place %u, %s", name, i, why)) {
            return false;
        }
    }
    return true;
}

bool sw_genetic_explain_cross(const struct genetic *g, const struct sw_run *run, const struct sw_window *window) {
    const struct sw_genome *a = g->all[g->parents[0]];
    for (uint32_t at = 0; run->explain && at + window->length <= g->count; at++) {
        char first[SW_SHORT_NAME], last[SW_SHORT_NAME];
        uint32_t continuity = sw_genome_window_continuity(a, at, window->length);
        bool chosen = at == window->at;
        if (!SW_EXPLAIN(run->explain, chosen ? SW_VERDICT_CHOSEN : SW_VERDICT_FITS, SW_NONE, at, window->length,
                        "%s to %s, places %u to %u: %u of %u can reuse the one before",
                        rank_name(run, a->sequence[at], first),
                        rank_name(run, a->sequence[at + window->length - 1], last), at, at + window->length - 1,
                        continuity, window->length - 1)) {
            return false;
        }
    }
    return true;
}

bool sw_genetic_explain_swap(const struct sw_run *run, uint32_t a, uint32_t b, uint32_t at, uint32_t to) {
    char one[SW_SHORT_NAME], other[SW_SHORT_NAME];
    return SW_EXPLAIN(run->explain, SW_VERDICT_CHOSEN, SW_NONE, 0, 0, "%s comes to place %u, and %s to place %u",
                      sw_place_name(run->problem, a, one), at, sw_place_name(run->problem, b, other), to);
}

bool sw_genetic_explain_best(const struct genetic *g, const struct sw_run *run) {
    char names[80];
    if (!run->explain) {
        return true;
    }
    list_order_names(g, run, g->best->sequence, names, sizeof names);
    return SW_EXPLAIN(run->explain, SW_VERDICT_CHOSEN, SW_NONE, 0, g->best->peak,
                      "the fittest needs %s with a continuity of %s: %s", SW_BYTES(g->best->peak),
                      SW_COUNT(g->best->continuity), names);
}

bool sw_genetic_explain_select(const struct genetic *g, const struct sw_run *run, const uint32_t *fate, bool told) {
    for (uint32_t i = 0; run->explain && i < g->members + g->children; i++) {
        const struct sw_genome *genome = g->all[i];
        const char *role = i < g->members ? "member" : "child";
        uint32_t number = i < g->members ? i : i - g->members;
        bool stays = fate[i] == SW_NONE, weak = fate[i] == i;
        const char *twin = !stays && fate[i] < g->members ? "member" : "child";
        uint32_t other = stays ? 0 : fate[i] < g->members ? fate[i] : fate[i] - g->members;
        bool ok = stays || weak
                      ? SW_EXPLAIN(run->explain, stays ? SW_VERDICT_CHOSEN : SW_VERDICT_REFUSED, SW_NONE, 0,
                                   genome->peak, "%s %u %s: it needs %s with a continuity of %s", role, number,
                                   stays  ? "stays"
                                   : told ? "goes, the script did not choose it"
                                          : "goes, others are fitter",
                                   SW_BYTES(genome->peak), SW_COUNT(genome->continuity))
                      : SW_EXPLAIN(run->explain, SW_VERDICT_REFUSED, SW_NONE, 0, genome->peak,
                                   "%s %u goes: %s %u has the same block sequence", role, number, twin, other);
        if (!ok) {
            return false;
        }
    }
    return true;
}
