/* order-genetic: what it chooses where the method leaves a choice open (`choices=good`). */
#include "planners/orders/order_genetic.h"

#include "base/base.h"
#include "base/sort.h"

/* A figure is shaken by up to a tenth; in so many steps. So often a draw that leads to nothing new is repeated. */
enum { SHAKEN_STEPS = 1 << 20, SHAKEN_PART = 10, MOST_DRAWN_AGAIN = 16 };

static void list_by_weight(struct genetic *g, struct sw_keyed *keyed) {
    for (uint32_t i = 0; i < g->count; i++) {
        double drawn = (double)sw_random_below(&g->random, SHAKEN_STEPS) / SHAKEN_STEPS;
        double weight = sw_decoder_weight(g->decoder, (struct sw_rank){i}) * (1 + (2 * drawn - 1) / SHAKEN_PART);
        uint64_t bits; /* numbers from 0 on are sorted as their bits are */
        memcpy(&bits, &weight, sizeof bits);
        keyed[i] = (struct sw_keyed){~bits, i};
    }
}

bool sw_genetic_draw_shaken(struct genetic *g, struct sw_rank *order, bool *drawn) {
    struct sw_keyed *keyed = SW_NEW(struct sw_keyed, (size_t)g->count);
    uint64_t random = g->random;
    bool ok = keyed != NULL;
    *drawn = false;
    for (int tries = 0; ok && !*drawn && tries < MOST_DRAWN_AGAIN; tries++) {
        list_by_weight(g, keyed);
        ok = sw_sort_keyed(keyed, g->count);
        for (uint32_t i = 0; ok && i < g->count; i++) {
            order[i].at = keyed[i].index;
        }
        *drawn = ok && !sw_genetic_has_order(g, order);
    }
    g->random = ok ? g->random : random;
    SW_FREE(keyed, (size_t)g->count);
    return ok;
}

/* Is the child of this crossover another order than its parents' sequences? */
static bool is_new_child(struct genetic *g, const struct sw_rank *a, const struct sw_rank *b,
                         const struct sw_window *window) {
    bool differs[2] = {false, false};
    memset(g->taken, 0, g->count * sizeof *g->taken);
    for (uint32_t i = 0; i < window->length; i++) {
        g->taken[a[window->at + i].at] = true;
    }
    for (uint32_t i = 0, next = 0; i < g->count && !(differs[0] && differs[1]); i++) {
        struct sw_rank child = a[i];
        if (i < window->at || i >= window->at + window->length) {
            while (g->taken[b[next].at]) {
                next++;
            }
            child = b[next++];
        }
        differs[0] = differs[0] || child.at != a[i].at;
        differs[1] = differs[1] || child.at != b[i].at;
    }
    return differs[0] && differs[1];
}

struct sw_window sw_genetic_draw_window(struct genetic *g) {
    struct sw_window window;
    int tries = 0;
    do {
        sw_genetic_draw_parents(g);
        uint32_t length = g->window_min + (uint32_t)sw_random_below(&g->random, g->window_max - g->window_min + 1);
        window = sw_genome_window(g->all[g->parents[0]], length, &g->random);
    } while (g->again && ++tries < MOST_DRAWN_AGAIN &&
             !is_new_child(g, g->all[g->parents[0]]->sequence, g->all[g->parents[1]]->sequence, &window));
    return window;
}

static void draw_two(struct genetic *g, struct sw_exchange *exchange) {
    exchange->a = (uint32_t)sw_random_below(&g->random, g->count);
    exchange->b = (uint32_t)sw_random_below(&g->random, g->count - 1);
    exchange->b += exchange->b >= exchange->a;
    exchange->why = g->swaps ? "two more random positions, as happens with the probability `swap`"
                             : "two random positions, as a further adjustment";
}

/* One of the blocks that reach the peak of the first parent, evenly drawn. */
static struct sw_rank draw_high(struct genetic *g) {
    const struct sw_genome *parent = g->all[g->parents[0]];
    uint32_t count = 0, at = 0;
    for (uint32_t i = 0; i < g->count; i++) {
        count += parent->high[i];
    }
    uint64_t wanted = count > 0 ? sw_random_below(&g->random, count) : 0;
    for (; count > 0; at++) {
        if (parent->high[at] && wanted-- == 0) {
            break;
        }
    }
    return parent->sequence[at];
}

/* A block at the peak, and one before it that it is in conflict with: from that one's turn on it may find a lower
 * place. False: there is none before it. */
static bool draw_lower(struct genetic *g, struct sw_exchange *exchange) {
    const struct sw_rank *order = g->now->order;
    struct sw_rank high = draw_high(g);
    uint32_t count = 0, at = 0;
    for (; order[at].at != high.at; at++) {
        bool meets = sw_decoder_conflict(g->decoder, high, order[at]);
        g->taken[at] = meets;
        count += meets;
    }
    if (count == 0) {
        return false;
    }
    uint64_t wanted = sw_random_below(&g->random, count);
    exchange->a = at;
    for (exchange->b = 0; !g->taken[exchange->b] || wanted-- > 0;) {
        exchange->b++;
    }
    exchange->why = g->swaps ? "once more, as happens with the probability `swap`: a block at the first parent's peak, "
                               "and one before it in its way"
                             : "a block at the first parent's peak, and one before it in its way";
    return true;
}

void sw_genetic_draw_exchange(struct genetic *g, struct sw_exchange *exchange) {
    int tries = 0;
    do {
        if (!g->by_high || !draw_lower(g, exchange)) {
            draw_two(g, exchange);
        }
    } while (g->again && ++tries < MOST_DRAWN_AGAIN &&
             sw_decoder_alike(g->decoder, g->now->order[exchange->a], g->now->order[exchange->b]));
}
