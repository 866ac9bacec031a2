/* Genomes and their operators. See genome.h. */
#include "planners/orders/genome.h"
#include "base/base.h"
#include "base/sort.h"

#include "layout/cost.h"

struct sw_genome *sw_genome_new(const struct sw_decoder *decoder) {
    size_t count = sw_decoder_count(decoder), tiers = sw_decoder_tier_count(decoder);
    size_t bytes = sizeof(struct sw_genome) + tiers * sizeof(uint64_t) + 2 * count * sizeof(struct sw_rank) +
                   2 * count * sizeof(bool);
    struct sw_genome *g = sw_mem_new(bytes, 1);
    if (!g) {
        return NULL;
    }
    *g = (struct sw_genome){.owners = 1, .bytes = bytes, .count = (uint32_t)count, .tiers = (uint32_t)tiers};
    g->arena = (uint64_t *)(g + 1);
    g->order = (struct sw_rank *)(g->arena + tiers);
    g->sequence = g->order + count;
    g->reuse = (bool *)(g->sequence + count);
    g->high = g->reuse + count;
    return g;
}

struct sw_genome *sw_genome_ref(struct sw_genome *g) {
    g->owners++;
    return g;
}

void sw_genome_unref(struct sw_genome *g) {
    if (g && --g->owners == 0) {
        sw_mem_free(g, g->bytes, 1);
    }
}

void sw_genome_replace(struct sw_genome **where, struct sw_genome *with) {
    struct sw_genome *before = *where;
    *where = with ? sw_genome_ref(with) : NULL;
    sw_genome_unref(before);
}

static uint64_t hash_order(const struct sw_rank *order, uint32_t count) {
    uint64_t hash = count;
    for (uint32_t i = 0; i < count; i++) { /* as sw_fold, without waiting for the one before */
        hash += sw_mix(((uint64_t)i << 32 | order[i].at) + UINT64_C(0x9e3779b97f4a7c15));
    }
    return hash;
}

static uint64_t genome_digest(const void *of) {
    const struct sw_genome *g = of;
    uint64_t digest = sw_fold(hash_order(g->order, g->count), g->decoded);
    return g->decoded ? sw_fold(sw_fold(digest, g->hash), g->peak) : digest;
}

static size_t genome_bytes(const void *of) {
    const struct sw_genome *g = of;
    return g->bytes / g->owners;
}

static void genome_drop(void *of) {
    sw_genome_unref(of);
}

const struct sw_pointed sw_genome_pointed = {.drop = genome_drop, .digest = genome_digest, .bytes = genome_bytes};

bool sw_genome_decode(struct sw_genome *g, struct sw_decoder *decoder) {
    struct sw_need need;
    if (!sw_decode(decoder, g->order)) {
        return false;
    }
    sw_decoder_need(decoder, &need);
    g->above = need.above;
    g->peak = need.peak;
    memcpy(g->arena, need.arena, g->tiers * sizeof *g->arena);
    sw_decoder_sort(decoder, g->order, g->sequence);
    g->continuity = sw_decoder_continuity(decoder, g->sequence, g->reuse);
    sw_decoder_high(decoder, g->sequence, g->high);
    g->hash = hash_order(g->sequence, g->count);
    g->decoded = true;
    return true;
}

struct sw_genome *sw_genome_again(const struct sw_genome *old, struct sw_decoder *decoder, struct sw_run *run,
                                  bool by_cost) {
    struct sw_genome *genome = sw_genome_new(decoder);
    if (!genome) {
        sw_fail_memory(run->error);
        return NULL;
    }
    if (old->count > 0) {
        memcpy(genome->order, old->order, old->count * sizeof *genome->order);
    }
    genome->generation = old->generation;
    bool ok = !old->decoded || sw_genome_decode(genome, decoder) || sw_fail_memory(run->error);
    if (ok && old->decoded && by_cost) {
        ok = sw_decoder_show(decoder, run) && sw_genome_price(genome, run);
    }
    if (!ok) {
        sw_genome_unref(genome);
        return NULL;
    }
    return genome;
}

bool sw_genome_show(const struct sw_genome *g, struct sw_decoder *decoder, struct sw_run *run) {
    return (sw_decode(decoder, g->order) || sw_fail_memory(run->error)) && sw_decoder_show_best(decoder, run, g->made);
}

bool sw_genome_meets_bound(const struct sw_genome *g, const struct sw_problem *problem) {
    return g && g->tiers == 1 && g->above == 0 && g->peak <= sw_problem_lower_bound(problem);
}

bool sw_genome_may_price(const struct sw_run *run) {
    return sw_cost_known(run->problem, run->params->cost) ||
           sw_fail(run->error, SW_ERROR_USAGE,
                   "fitness=cost: nothing says what a layout costs; that takes a cost model, or "
                   "tiers with a bandwidth or a latency, and times of access");
}

bool sw_genome_price(struct sw_genome *g, const struct sw_run *run) {
    return sw_cost_of_layout(run->layout, run->params->cost, &g->cost, run->error);
}

int sw_genome_compare_need(const struct sw_genome *a, const struct sw_genome *b) {
    if (a->above != b->above) {
        return SW_COMPARE(a->above, b->above);
    }
    if (a->cost < b->cost || a->cost > b->cost) {
        return a->cost < b->cost ? -1 : 1;
    }
    for (uint32_t t = a->tiers; t-- > 0;) {
        if (a->arena[t] != b->arena[t]) {
            return SW_COMPARE(a->arena[t], b->arena[t]);
        }
    }
    return 0;
}

int sw_genome_compare(const struct sw_genome *a, const struct sw_genome *b, bool continuity) {
    for (uint32_t i = 0; i < a->figure_count && i < b->figure_count; i++) {
        if (a->figures[i] < b->figures[i] || a->figures[i] > b->figures[i]) {
            return a->figures[i] < b->figures[i] ? -1 : 1;
        }
    }
    if (a->figure_count > 0) {
        return 0;
    }
    int need = sw_genome_compare_need(a, b), touch = SW_COMPARE(b->continuity, a->continuity);
    return continuity ? (touch ? touch : need) : (need ? need : touch);
}

/* ---- orders ---- */

void sw_genome_shuffle(struct sw_rank *order, uint32_t count, uint64_t *random) {
    for (uint32_t i = 0; i < count; i++) {
        order[i].at = i;
    }
    for (uint32_t i = count; i > 1; i--) {
        uint32_t k = (uint32_t)sw_random_below(random, i);
        struct sw_rank swap = order[i - 1];
        order[i - 1] = order[k];
        order[k] = swap;
    }
}

uint64_t sw_genome_orders(uint32_t count) {
    uint64_t orders = 1;
    for (uint32_t i = 2; i <= count; i++) {
        if (__builtin_mul_overflow(orders, (uint64_t)i, &orders)) {
            return UINT64_MAX;
        }
    }
    return orders;
}

bool sw_genome_next_order(struct sw_rank *order, uint32_t count) {
    uint32_t i = count;
    while (i > 1 && order[i - 2].at > order[i - 1].at) {
        i--;
    }
    if (i < 2) {
        return false;
    }
    uint32_t k = count;
    while (order[k - 1].at < order[i - 2].at) {
        k--;
    }
    struct sw_rank swap = order[k - 1];
    order[k - 1] = order[i - 2];
    order[i - 2] = swap;
    for (uint32_t lo = i - 1, hi = count - 1; lo < hi; lo++, hi--) {
        swap = order[lo];
        order[lo] = order[hi];
        order[hi] = swap;
    }
    return true;
}

/* ---- crossover ---- */

uint32_t sw_genome_window_continuity(const struct sw_genome *g, uint32_t at, uint32_t length) {
    uint32_t continuity = 0;
    for (uint32_t i = at + 1; i < at + length; i++) {
        continuity += g->reuse[i];
    }
    return continuity;
}

/* A window moves on by one: the pair at its front comes in, that at its back goes out. */
static uint32_t move_on(const struct sw_genome *g, uint32_t now, uint32_t at, uint32_t length) {
    return now - g->reuse[at + 1] + g->reuse[at + length];
}

/* First the largest and how many have it; one draw; then the k-th of them. */
struct sw_window sw_genome_window(const struct sw_genome *g, uint32_t length, uint64_t *random) {
    struct sw_window best = {.length = length};
    uint32_t last = g->count - length;
    uint32_t now = sw_genome_window_continuity(g, 0, length), first = now;
    best.continuity = now;
    best.equals = 1;
    for (uint32_t at = 0; at < last; at++) {
        now = move_on(g, now, at, length);
        if (now > best.continuity) {
            best.continuity = now;
            best.equals = 0;
        }
        best.equals += now == best.continuity;
    }
    uint64_t wanted = sw_random_below(random, best.equals);
    now = first;
    for (;; best.at++) {
        if (now == best.continuity && wanted-- == 0) {
            return best;
        }
        now = move_on(g, now, best.at, length);
    }
}

void sw_genome_cross(const struct sw_rank *a, const struct sw_rank *b, uint32_t count, const struct sw_window *window,
                     bool *taken, struct sw_rank *child) {
    memset(taken, 0, count * sizeof *taken);
    for (uint32_t i = 0; i < window->length; i++) {
        child[window->at + i] = a[window->at + i];
        taken[a[window->at + i].at] = true;
    }
    uint32_t at = window->at == 0 ? window->length : 0;
    for (uint32_t i = 0; i < count; i++) {
        if (taken[b[i].at]) {
            continue;
        }
        child[at++] = b[i];
        at = at == window->at ? at + window->length : at;
    }
}
