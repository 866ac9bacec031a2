/* order-genetic after a demand: all orders once more, under the new rules. */
#include "planners/orders/order_genetic.h"

/* The same order under the new rules, which is then what the run shows when cost counts. */
static struct sw_genome *member_again(struct genetic *g, struct sw_run *run, const struct sw_genome *old) {
    struct sw_genome *genome = sw_genome_again(old, g->decoder, run, g->by_cost);
    if (genome && !sw_genetic_breed_fitness(g, run, genome)) {
        sw_genome_unref(genome);
        return NULL;
    }
    return genome;
}

static bool decode_member_again(struct genetic *g, struct sw_run *run, struct sw_genome **where) {
    struct sw_genome *genome = *where ? member_again(g, run, *where) : NULL;
    if (*where && !genome) {
        return false;
    }
    sw_genome_unref(*where);
    *where = genome;
    return true;
}

bool sw_genetic_decode_all_again(struct genetic *g, struct sw_run *run) {
    sw_genome_replace(&g->best, NULL);
    for (uint32_t i = 0; i < g->members + g->children; i++) {
        if (!decode_member_again(g, run, &g->all[i])) {
            return false;
        }
        if (!g->best || sw_genome_compare(g->all[i], g->best, g->by_continuity) < 0) {
            sw_genome_replace(&g->best, g->all[i]);
        }
    }
    run->work += sw_decoder_work(g->decoder) * (g->members + g->children + 2);
    sw_genome_replace(&g->before, g->before ? g->best : NULL);
    g->stale = 0;
    return decode_member_again(g, run, &g->now);
}

bool sw_genetic_show_again(struct genetic *g, struct sw_run *run) {
    if (g->phase == GENETIC_FINISH || g->phase == GENETIC_OVER) {
        sw_genome_replace(&g->shown, g->best);
    }
    if (!g->shown) {
        return true;
    }
    if (!decode_member_again(g, run, &g->shown)) {
        return false;
    }
    if (!sw_decode(g->decoder, g->shown->order)) {
        return sw_fail_memory(run->error);
    }
    return sw_decoder_show(g->decoder, run);
}
