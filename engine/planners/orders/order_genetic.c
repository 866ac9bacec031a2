/* order-genetic: evolve the allocation order.
 *
 * The idea. First fit is quick and good, but its result depends on the order in which it takes the
 * buffers. So orders are evolved: begin with many random ones, lay out the buffers in each, keep the
 * orders that need little memory, and breed new ones from them. A stretch of buffers that use the same
 * bytes one after another without waste is worth keeping in a child: *continuity* counts the neighbors
 * in a sequence of which the later one may reuse the space of the earlier one.
 *
 * Words. Two buffers are in *conflict* when their lifetimes cross (on several cores: unless every
 * operator touching one happens before every operator touching the other). A buffer may *reuse*
 * another's space when they are not in conflict and it is not larger. An *individual* is an order
 * together with its layout; its *block sequence* is the buffers by start address in that layout.
 *
 * The rules, as numbered in the specification:
 *
 * 1. Conflict: sw_problem_conflict; their number stands in the details.
 * 2. Reuse relation: no conflict, and size(reused) >= size(reuser); the earlier of two neighbors in a sequence is
 *    the reused one.
 * 3. Population (`population`, 16) of different orders; all of them when fewer exist. With `seeds=greedy` the orders
 *    of the finished layouts of first-fit, greedy-by-size and greedy-by-breadth come first (order_genetic_seeds.c),
 *    and the population has room for them. The others are drawn: `draw=weight` takes the blocks by size times the
 *    bytes in conflict, each shaken by up to a tenth; `draw=uniform` any order. Each is pre-allocated in its order
 *    by first fit: the lowest offset not overlapping a conflicting buffer placed before, sizes rounded up to the
 *    alignment (decode.h).
 * 4. Sort by start address, ties in the decoded order: the block sequence. (Several tiers: one after another.)
 * 5. Each generation makes as many children as the population has members. Two different parents are drawn evenly.
 *    *Crossover*, with probability `crossover` (0.1): of the windows of a random length from `window_min` (2) to
 *    `window_max` (n/2) in the first parent's sequence the one with the largest continuity, random among equals,
 *    stays at its positions; the rest is filled in the second parent's order. Fewer than 4 buffers: no crossover,
 *    the child begins as its first parent. *Further adjustment*: two positions are swapped; with probability `swap`
 *    (0.3) once more, and so on. `exchange=peak` takes a block that reaches the first parent's peak and one that
 *    comes before it and is in conflict with it; `exchange=uniform` any two. With `again` a crossover or a swap that
 *    would change nothing is drawn again (order_genetic_choices.c). Decode, sort. Of parents and children the best
 *    stay, without duplicates (equal sequences).
 * 6. `fitness=peak`: the smaller peak, ties by higher continuity; `fitness=continuity`: the reverse; `fitness=cost`:
 *    less cost (layout/cost.h, or a script's), then as for peak. The end comes as soon as the best individual's peak
 *    is the lower bound (unless cost counts), as soon as a block sequence has the continuity `continuity_goal`
 *    (none: the preset condition), after `patience` (110) generations without gain, or after `generations` (750). A
 *    budget of work ends it as well: the user's, or what takes some seconds.
 *
 * `choices=plain` sets what the publication leaves open to the plain choices, mostly by lot.
 *
 * With several tiers "peak" means: fewer bytes above a capacity, then less of the lowest tier, and
 * so on up.
 *
 * Demands. The layout one sees is that of the individual decoded last; after `finish` it is the
 * best. A pin or a forbidden range changes what an order decodes to, so everything held is decoded
 * again at once, and a run that had ended goes on if it can. In a crossover another window can be
 * chosen; the other decisions leave no choice, and say so.
 *
 * One group is one generation; group 0 is the first population. `figures` of a decode: the best
 * peak so far; of a generation: best, mean and worst peak, with the best individual's continuity as
 * `amount`.
 *
 * Cost: a child costs n times the neighbors a buffer meets, and n for everything else.
 *
 * More than `largest` buffers, or too many pairs in conflict: there is no time for a population. Then the greedy
 * planners run and `improve` lowers the best of their layouts (fallback.c), whatever the fitness. */
#include "planners/orders/order_tables.h"
#include "base/base.h"
#include "planners/orders/order_genetic.h"

static const struct sw_parameter genetic_parameters[] = {
    {"choices", SW_PARAMETER_CHOICE, "good", 0, 0, SW_WORDS("good", "plain"),
     "Where the publication leaves a choice open: what does well, or the plain choice, by lot"},
    {"population", SW_PARAMETER_INTEGER, "16", 1, 10000, NULL, "How many orders live at a time"},
    {"generations", SW_PARAMETER_INTEGER, "750", 0, 1000000, NULL, "The most generations"},
    {"patience", SW_PARAMETER_INTEGER, "110", 1, 1000000, NULL, "Generations without gain after which it ends"},
    {"fitness", SW_PARAMETER_CHOICE, "peak", 0, 0, SW_WORDS("peak", "continuity", "cost"),
     "What counts first: a low peak, continuity, or what the layout costs to run"},
    {"continuity_goal", SW_PARAMETER_INTEGER, "none", 1, UINT32_MAX, SW_WORDS("none"),
     "End as soon as so many blocks of a sequence can reuse the space of the one before"},
    {"seeds", SW_PARAMETER_CHOICE, "greedy", 0, 0, SW_WORDS("none", "greedy"),
     "greedy: the orders of three greedy layouts join the first population"},
    {"draw", SW_PARAMETER_CHOICE, "weight", 0, 0, SW_WORDS("weight", "uniform"),
     "Draw an order by size times the bytes in conflict, each shaken by up to a tenth; or any"},
    {"crossover", SW_PARAMETER_NUMBER, "0.1", 0, 1, NULL, "The probability that a child is crossed"},
    {"swap", SW_PARAMETER_NUMBER, "0.3", 0, 0.99, NULL,
     "The probability that two more positions of a child are swapped"},
    {"exchange", SW_PARAMETER_CHOICE, "peak", 0, 0, SW_WORDS("peak", "uniform"),
     "Swap a block at the first parent's peak with one before it in its way; or any two"},
    {"again", SW_PARAMETER_BOOL, "true", 0, 0, NULL, "A crossover or a swap that would change nothing is drawn again"},
    {"window_min", SW_PARAMETER_INTEGER, "2", 1, UINT32_MAX, NULL, "The shortest window of a crossover"},
    {"window_max", SW_PARAMETER_INTEGER, "n/2", 1, UINT32_MAX, SW_WORDS("n/2"),
     "The longest window of a crossover; n is the number of blocks"},
    {"largest", SW_PARAMETER_INTEGER, "20000", 0, 1e9, NULL,
     "More buffers than this are not bred: a greedy layout is improved"},
    {0}};

static const struct sw_plain_choice genetic_plain[] = {
    {"population", "60"}, {"generations", "200"},  {"patience", "30"}, {"seeds", "none"},   {"draw", "uniform"},
    {"crossover", "1"},   {"exchange", "uniform"}, {"again", "false"}, {"largest", "2000"}, {0}};

/* ---- state ---- */

static uint64_t genetic_digest(const void *state) {
    const struct genetic *g = state;
    if (g->instead) {
        return sw_fold(6, sw_described_digest(&sw_fallback_described, g->instead));
    }
    uint64_t digest = sw_fold(sw_fold(6, g->phase), (uint64_t)g->resume << 32 | g->stop);
    digest = sw_fold(digest, (uint64_t)g->members << 32 | g->children);
    digest = sw_fold(digest, (uint64_t)g->generation << 32 | g->stale);
    digest = sw_fold(sw_fold(digest, g->evaluations), g->random);
    digest = sw_fold(digest, (uint64_t)g->parents[0] << 32 | g->parents[1]);
    for (uint32_t i = 0; i < g->members + g->children; i++) {
        digest = sw_fold(sw_fold(digest, g->all[i]->hash), g->all[i]->peak);
    }
    digest = g->seeds ? sw_fold(digest, g->seed) : digest;
    const struct sw_genome *const genomes[] = {g->now, g->shown, g->best};
    for (size_t i = 0; i < 3; i++) {
        digest = sw_fold(digest, genomes[i] ? sw_genome_pointed.digest(genomes[i]) : 0);
    }
    return digest;
}

static const struct sw_described genomes_described = {SW_POINTERS(&sw_genome_pointed)};
SW_HOW_MANY(all_of, struct genetic, 2 * (size_t)o->size)
SW_HOW_MANY(genetic_places, struct genetic, o->count)
#define STATE struct genetic
static const struct sw_described genetic_described = {
    SW_STRUCT, .digest = genetic_digest,
    .fields = SW_FIELDS(SW_OWNED(instead, &sw_fallback_described), SW_KEPT(largest, largest),
                        SW_POINTER(decoder, &sw_decoder_pointed), SW_KEPT(phase, window_max),
                        SW_ITEMS(all, all_of, .of = &genomes_described), SW_KEPT(members, children),
                        SW_POINTER(now, &sw_genome_pointed), SW_POINTER(shown, &sw_genome_pointed),
                        SW_POINTER(best, &sw_genome_pointed), SW_POINTER(before, &sw_genome_pointed),
                        SW_KEPT(parents, begin), SW_ITEMS(taken, genetic_places))};
#undef STATE

/* "none" and "n/2" are the numbers that mean them. */
static uint32_t read_genetic_number(const struct sw_run *run, const char *key, const char *word, uint32_t meant) {
    bool is_word = strcmp(sw_params_text(run->params, run->planner, key), word) == 0;
    return is_word ? meant : (uint32_t)sw_params_integer(run->params, run->planner, key);
}

static bool read_breeding(struct genetic *g, const struct sw_run *run, uint64_t orders) {
    bool greedy = strcmp(sw_params_text(run->params, run->planner, "seeds"), "greedy") == 0;
    if (greedy && orders > SW_MAX(g->size, SW_ORDER_SEEDS)) { /* else all of them are drawn */
        g->seeds = SW_ORDER_SEEDS;
        g->size = SW_MAX(g->size, SW_ORDER_SEEDS);
    }
    g->shaken = strcmp(sw_params_text(run->params, run->planner, "draw"), "weight") == 0;
    g->by_high = strcmp(sw_params_text(run->params, run->planner, "exchange"), "peak") == 0;
    g->again = sw_params_bool(run->params, run->planner, "again");
    g->goal = read_genetic_number(run, "continuity_goal", "none", 0);
    g->crosses = sw_params_number(run->params, run->planner, "crossover");
    g->swaps_again = sw_params_number(run->params, run->planner, "swap");
    g->window_min = (uint32_t)sw_params_integer(run->params, run->planner, "window_min");
    g->window_max = read_genetic_number(run, "window_max", "n/2", g->count / 2);
    if (g->count >= 4 && g->window_min > g->window_max) {
        return sw_fail(run->error, SW_ERROR_USAGE,
                       "window_min %u is above window_max %u: no window of a crossover is so long", g->window_min,
                       g->window_max);
    }
    g->window_min = SW_MIN(g->window_min, g->count);
    g->window_max = SW_MIN(g->window_max, g->count);
    return true;
}

static bool genetic_open(void *state, struct sw_run *run) {
    struct genetic *g = state;
    uint64_t wanted = (uint64_t)sw_params_integer(run->params, run->planner, "population");
    g->count = sw_problem_planned_count(run->problem);
    uint64_t orders = sw_genome_orders(g->count);
    g->size = (uint32_t)(SW_MIN(orders, wanted));
    g->generations = (uint32_t)sw_params_integer(run->params, run->planner, "generations");
    g->patience = (uint32_t)sw_params_integer(run->params, run->planner, "patience");
    g->largest = (uint32_t)sw_params_integer(run->params, run->planner, "largest");
    if (!read_breeding(g, run, orders)) {
        return false;
    }
    const char *fitness = sw_params_text(run->params, run->planner, "fitness");
    g->by_continuity = strcmp(fitness, "continuity") == 0;
    g->by_cost = strcmp(fitness, "cost") == 0;
    g->random = run->params->seed;
    g->begin = run->work;
    g->parents[0] = g->parents[1] = SW_NONE;
    if (!sw_described_make(&genetic_described, g)) {
        return sw_fail_memory(run->error);
    }
    return !g->by_cost || sw_genome_may_price(run);
}

/* ---- small answers ---- */

/* Is there nothing better to be found? */
static bool is_best_peak(const struct genetic *g, const struct sw_run *run) {
    const struct sw_breeding *breeding = run->params->breeding;
    bool by_others = breeding && breeding->fitness && !breeding->peak_first;
    return !g->by_cost && !by_others && sw_genome_meets_bound(g->best, run->problem);
}

/* Has a block sequence the continuity that was asked for? */
static bool meets_goal(const struct genetic *g) {
    bool met = false;
    for (uint32_t i = 0; g->goal > 0 && i < g->members + g->children && !met; i++) {
        met = g->all[i]->continuity >= g->goal;
    }
    return met;
}

/* Of more blocks than that a few seconds are too few evaluations. */
enum { MANY_GENES = 2000 };

static bool work_is_spent(const struct genetic *g, const struct sw_run *run) {
    uint64_t own = g->count > MANY_GENES ? sw_decoder_long_budget(g->decoder) : sw_decoder_budget(g->decoder);
    return run->work - g->begin >= (run->params->work ? run->params->work : own);
}

/* A new genome to write an order into, which begins as `from`; NULL: as nothing. */
static bool make_now(struct genetic *g, const struct sw_rank *from) {
    struct sw_genome *genome = sw_genome_new(g->decoder);
    if (genome && from) {
        memcpy(genome->order, from, g->count * sizeof *genome->order);
    }
    if (genome) {
        genome->generation = g->generation;
        sw_genome_unref(g->now);
        g->now = genome;
    }
    return genome != NULL;
}

/* Before it is written: a copy of one's own if a clone holds it as well. */
static bool own_now(struct genetic *g) {
    return g->now->owners == 1 || make_now(g, g->now->order);
}

/* ---- the first population ---- */

bool sw_genetic_has_order(const struct genetic *g, const struct sw_rank *order) {
    for (uint32_t i = 0; i < g->members; i++) {
        if (memcmp(g->all[i]->order, order, g->count * sizeof *order) == 0) {
            return true;
        }
    }
    return false;
}

/* The next order of the first population, and how it came about: new, and by lot, or, when all are wanted, simply the
 * next. False: no memory. */
static bool draw_order(struct genetic *g, const char **how) {
    struct sw_rank *order = g->now->order;
    bool drawn = false;
    if (sw_genome_orders(g->count) == g->size) {
        if (g->members > 0) {
            memcpy(order, g->all[g->members - 1]->order, g->count * sizeof *order);
            sw_genome_next_order(order, g->count);
        }
        for (uint32_t i = 0; g->members == 0 && i < g->count; i++) {
            order[i].at = i;
        }
        *how = "the next of all orders";
        return true;
    }
    if (g->shaken && !sw_genetic_draw_shaken(g, order, &drawn)) {
        return false;
    }
    *how = drawn ? "by size times the bytes in conflict, shaken by up to a tenth, and different from those before"
                 : "a random order, different from those before";
    while (!drawn) {
        sw_genome_shuffle(order, g->count, &g->random);
        drawn = !sw_genetic_has_order(g, order);
    }
    return true;
}

static bool draw_individual(struct genetic *g, struct sw_run *run, struct sw_decision *decision) {
    const char *seed = NULL;
    if (!make_now(g, NULL)) {
        return sw_fail_memory(run->error);
    }
    if (!sw_genetic_seed(g, run, g->now->order, &seed)) {
        return false;
    }
    bool told = false;
    if (!seed && !sw_genetic_breed_seed(g, run, &told, &seed)) {
        return false;
    }
    if (!seed && !told && !draw_order(g, &seed)) {
        return sw_fail_memory(run->error);
    }
    seed = seed ? seed : "by the seed_population of the script";
    run->work += g->count;
    g->phase = DECODE;
    sw_decision_begin(decision, SW_DECISION_INDIVIDUAL, g->generation, seed);
    decision->individual.member = g->members + g->children;
    decision->individual.generation = g->generation;
    return sw_genetic_explain_draw(g, run) || sw_fail_memory(run->error);
}

/* ---- decode and sort ---- */

static bool decode_now(struct genetic *g, struct sw_run *run, struct sw_decision *decision) {
    if (!own_now(g) || !sw_genome_decode(g->now, g->decoder) || !sw_decoder_explain(g->decoder, run, g->now->order)) {
        return sw_fail_memory(run->error);
    }
    if (!sw_decoder_show(g->decoder, run) || (g->by_cost && !sw_genome_price(g->now, run)) ||
        !sw_genetic_breed_fitness(g, run, g->now)) {
        return false;
    }
    run->work += sw_decoder_work(g->decoder);
    g->now->made = sw_run_decision(run);
    sw_genome_replace(&g->shown, g->now);
    g->evaluations++;
    g->phase = SORT;
    bool better = !g->best || sw_genome_compare_need(g->now, g->best) < 0;
    sw_decision_begin(decision, SW_DECISION_DECODE, g->generation,
                      better       ? g->by_cost ? "the cheapest so far" : "the lowest so far"
                      : g->by_cost ? "no cheaper than the best so far"
                                   : "no lower than the best so far");
    decision->cost = g->by_cost ? g->now->cost : decision->cost;
    decision->candidates = g->count;
    decision->decode.member = g->members + g->children;
    decision->decode.generation = g->generation;
    decision->decode.needed = g->now->peak;
    decision->decode.best.before = g->best ? (double)g->best->peak : (double)NAN;
    decision->decode.best.after = (double)(better ? g->now->peak : g->best->peak);
    return true;
}

/* What comes after an individual is complete. */
static enum genetic_phase after_sort(const struct genetic *g) {
    if (g->generation == 0) {
        return g->members < g->size ? DRAW : GENERATION;
    }
    return g->children < g->size ? CROSS : SELECT;
}

static bool sort_by_start(struct genetic *g, struct sw_run *run, struct sw_decision *decision) {
    sw_decision_begin(decision, SW_DECISION_SORT_BLOCKS, g->generation,
                      "so many blocks can reuse the space of the one before them");
    decision->sort_blocks.member = g->members + g->children;
    decision->sort_blocks.generation = g->generation;
    decision->sort_blocks.continuity = g->now->continuity;
    if (!sw_genetic_explain_sort(g, run)) {
        return sw_fail_memory(run->error);
    }
    run->work += g->count;
    g->all[g->members + g->children] = g->now;
    if (!g->best || sw_genome_compare(g->now, g->best, g->by_continuity) < 0) {
        sw_genome_replace(&g->best, g->now);
    }
    *(g->generation == 0 ? &g->members : &g->children) += 1;
    g->now = NULL;
    g->parents[0] = g->parents[1] = SW_NONE;
    g->phase = g->resume = after_sort(g);
    if (is_best_peak(g, run) || meets_goal(g) || work_is_spent(g, run)) {
        g->stop = is_best_peak(g, run) ? AT_BOUND : meets_goal(g) ? AT_GOAL : WORK_SPENT;
        g->phase = GENETIC_FINISH;
    }
    return true;
}

/* ---- breeding ---- */

void sw_genetic_draw_parents(struct genetic *g) {
    uint32_t a = (uint32_t)sw_random_below(&g->random, g->members), b = a;
    if (g->members > 1) {
        b = (uint32_t)sw_random_below(&g->random, g->members - 1);
        b += b >= a;
    }
    g->parents[0] = a;
    g->parents[1] = b;
}

static void tell_crossover(struct genetic *g, struct sw_run *run, const struct sw_window *window, const char *reason,
                           struct sw_decision *decision) {
    run->work += g->count;
    g->swaps = 0;
    g->phase = SWAP;
    sw_decision_begin(decision, SW_DECISION_CROSSOVER, g->generation, reason);
    decision->forced = run->choice >= 0;
    decision->offset = window->at;
    decision->size = window->length;
    decision->crossover.first = g->parents[0];
    decision->crossover.second = g->parents[1];
    decision->crossover.generation = g->generation;
    decision->crossover.continuity = window->continuity;
    decision->candidates = window->length > 0 ? g->count - window->length + 1 : 0;
}

/* A crossover from outside: it may say which places of the first parent it kept, and leaves no choice. */
static bool cross_as_told(struct genetic *g, struct sw_run *run, struct sw_decision *decision) {
    struct sw_crossing told;
    if (!sw_run_unchosen(run)) {
        return false;
    }
    if (!make_now(g, NULL)) {
        return sw_fail_memory(run->error);
    }
    if (!sw_genetic_breed_cross(g, run, &told)) {
        sw_genome_unref(g->now);
        g->now = NULL;
        return false;
    }
    struct sw_window window = {.at = told.at, .length = told.length};
    window.continuity = told.length > 0 ? sw_genome_window_continuity(g->all[g->parents[0]], told.at, told.length) : 0;
    tell_crossover(g, run, &window, told.why ? told.why : "by the crossover of the script", decision);
    return told.length == 0 || sw_genetic_explain_cross(g, run, &window) || sw_fail_memory(run->error);
}

static bool cross_window(struct genetic *g, struct sw_run *run, struct sw_decision *decision) {
    uint32_t parents[2] = {g->parents[0], g->parents[1]};
    uint64_t random = g->random;
    if (run->params->breeding && run->params->breeding->cross) {
        sw_genetic_draw_parents(g);
        bool good = cross_as_told(g, run, decision);
        if (!good) {
            g->random = random;
            memcpy(g->parents, parents, sizeof parents);
        }
        return good;
    }
    struct sw_window window = sw_genetic_draw_window(g);
    const struct sw_genome *a = g->all[g->parents[0]], *b = g->all[g->parents[1]];
    uint32_t windows = g->count - window.length + 1;
    if (run->choice >= (int64_t)windows) {
        g->random = random;
        memcpy(g->parents, parents, sizeof parents);
        sw_place_no_candidate(run, windows);
        return false;
    }
    if (run->choice >= 0) {
        window.at = (uint32_t)run->choice;
        window.continuity = sw_genome_window_continuity(a, window.at, window.length);
    }
    if (!make_now(g, NULL)) {
        return sw_fail_memory(run->error);
    }
    sw_genome_cross(a->sequence, b->sequence, g->count, &window, g->taken, g->now->order);
    tell_crossover(g, run, &window,
                   run->choice >= 0    ? "the window chosen by the user, the rest in the other's order"
                   : window.equals > 1 ? "one of the most continuous windows, the rest in the other's order"
                                       : "the most continuous window, the rest in the other's order",
                   decision);
    return sw_genetic_explain_cross(g, run, &window) || sw_fail_memory(run->error);
}

/* Something that happens with a probability; one draw, in tenths where these say it. */
static bool happens_with(struct genetic *g, double probability) {
    double tenths = probability * 10, whole = floor(tenths + 0.5);
    bool exact = fabs(tenths - whole) < 1e-9;
    return exact ? (double)sw_random_below(&g->random, 10) < whole
                 : (double)sw_random_below(&g->random, 1000000) < probability * 1e6;
}

/* Without a crossover the child begins as its first parent. */
static bool begin_child(struct genetic *g) {
    sw_genetic_draw_parents(g);
    g->parents[1] = SW_NONE;
    g->swaps = 0;
    return make_now(g, g->all[g->parents[0]]->sequence);
}

/* Which places change: as told from outside, or as drawn, and two more with the probability `swap`. */
static bool draw_exchange(struct genetic *g, const struct sw_run *run, struct sw_exchange *exchange) {
    if (run->params->breeding && run->params->breeding->mutate) {
        bool ok = sw_genetic_breed_mutate(g, run, exchange);
        exchange->why = exchange->why ? exchange->why : "by the mutation of the script";
        return ok;
    }
    sw_genetic_draw_exchange(g, exchange);
    exchange->again = happens_with(g, g->swaps_again);
    return true;
}

static bool swap_places(struct genetic *g, struct sw_run *run, struct sw_decision *decision) {
    struct sw_exchange exchange;
    uint64_t random = g->random;
    uint32_t parents[2] = {g->parents[0], g->parents[1]}, swaps = g->swaps;
    bool begins = !g->now;
    if (begins ? !begin_child(g) : !own_now(g)) {
        return sw_fail_memory(run->error);
    }
    if (!draw_exchange(g, run, &exchange)) { /* all is as it was */
        g->random = random;
        memcpy(g->parents, parents, sizeof parents);
        g->swaps = swaps;
        if (begins) {
            sw_genome_unref(g->now);
            g->now = NULL;
        }
        return false;
    }
    uint32_t a = exchange.a, b = exchange.b;
    struct sw_rank *order = g->now->order, moved = order[a];
    order[a] = order[b];
    order[b] = moved;
    g->phase = exchange.again ? SWAP : DECODE;
    g->swaps++;
    run->work++;
    sw_decision_begin(decision, SW_DECISION_SWAP, g->generation, exchange.why);
    decision->buffer = sw_problem_at_rank(run->problem, order[a]);
    decision->swap.with = sw_problem_at_rank(run->problem, order[b]);
    decision->swap.first = g->parents[0];
    decision->swap.second = g->parents[1];
    decision->swap.generation = g->generation;
    decision->candidates = 1;
    return sw_genetic_explain_swap(run, decision->buffer, decision->swap.with, a, b) || sw_fail_memory(run->error);
}

/* ---- selection ---- */

/* Numbers of all individuals, the fittest first, equals as they stand. Merging: never quadratic. */
static void rank_all_members(const struct genetic *g, uint32_t *numbers, uint32_t *other, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        numbers[i] = i;
    }
    for (uint32_t width = 1; width < count; width *= 2) {
        for (uint32_t from = 0; from < count; from += 2 * width) {
            uint32_t middle = from + width < count ? from + width : count;
            uint32_t end = middle + width < count ? middle + width : count;
            uint32_t a = from, b = middle;
            for (uint32_t k = from; k < end; k++) {
                bool right = a == middle || (b < end && sw_genome_compare(g->all[numbers[b]], g->all[numbers[a]],
                                                                          g->by_continuity) < 0);
                other[k] = right ? numbers[b++] : numbers[a++];
            }
        }
        memcpy(numbers, other, count * sizeof *numbers);
    }
}

/* The same sequence as one that stays already; those have the same fitness, and so stand just
 * before. */
static uint32_t find_twin(const struct genetic *g, const uint32_t *kept, uint32_t count, uint32_t number) {
    const struct sw_genome *genome = g->all[number];
    for (uint32_t i = count; i-- > 0;) {
        const struct sw_genome *other = g->all[kept[i]];
        if (sw_genome_compare(other, genome, g->by_continuity) != 0) {
            break;
        }
        if (other->hash == genome->hash &&
            memcmp(other->sequence, genome->sequence, g->count * sizeof *genome->sequence) == 0) {
            return kept[i];
        }
    }
    return SW_NONE;
}

static bool reorder_members(struct genetic *g, const uint32_t *kept, uint32_t count) {
    struct sw_genome **all = SW_NEW_ZERO(struct sw_genome *, 2 * (size_t)g->size);
    if (!all) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        all[i] = sw_genome_ref(g->all[kept[i]]);
    }
    for (uint32_t i = 0; i < g->members + g->children; i++) {
        sw_genome_unref(g->all[i]);
    }
    SW_FREE(g->all, 2 * (size_t)g->size);
    g->all = all;
    g->members = count;
    g->children = 0;
    return true;
}

/* As a script chose: first the elite, then those of its list. `why`: what it says. */
static bool choose_as_told(struct genetic *g, struct sw_run *run, const uint32_t *numbers, uint32_t *kept,
                           uint32_t *stay, const char **why) {
    uint32_t count = g->members + g->children;
    struct sw_chosen chosen = {.objects = SW_NEW(uint32_t, count)};
    if (!chosen.objects) {
        return sw_fail_memory(run->error);
    }
    bool ok = sw_genetic_breed_select(g, run, &chosen);
    for (uint32_t i = 0; ok && i < count && *stay < SW_MIN(run->params->breeding->elite, g->size); i++) {
        if (find_twin(g, kept, *stay, numbers[i]) == SW_NONE) {
            kept[(*stay)++] = numbers[i];
        }
    }
    *stay = ok ? sw_keep_chosen(&chosen, kept, *stay, g->size) : 0;
    *why = chosen.why ? chosen.why : "as the select of the script says";
    SW_FREE(chosen.objects, count);
    return ok;
}

static bool choose_survivors(struct genetic *g, struct sw_run *run, uint32_t *numbers, uint32_t *kept, uint32_t *fate,
                             const char **why) {
    uint32_t count = g->members + g->children, stay = 0;
    bool told = run->params->breeding && run->params->breeding->select;
    rank_all_members(g, numbers, fate, count);
    if (told && !choose_as_told(g, run, numbers, kept, &stay, why)) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t number = numbers[i];
        uint32_t same = !told && stay < g->size ? find_twin(g, kept, stay, number) : number;
        fate[number] = same;
        if (same == SW_NONE) {
            kept[stay++] = number;
        }
    }
    for (uint32_t i = 0; told && i < stay; i++) {
        fate[kept[i]] = SW_NONE;
    }
    run->work += count;
    return (sw_genetic_explain_select(g, run, fate, told) && reorder_members(g, kept, stay)) ||
           sw_fail_memory(run->error);
}

static bool keep_best_genomes(struct genetic *g, struct sw_run *run, struct sw_decision *decision) {
    uint32_t count = g->members + g->children;
    uint32_t *numbers = SW_NEW(uint32_t, 3 * (size_t)count);
    const char *why = "the fittest of parents and children, without duplicates";
    bool ok = numbers ? choose_survivors(g, run, numbers, numbers + count, numbers + 2 * (size_t)count, &why)
                      : sw_fail_memory(run->error);
    SW_FREE(numbers, 3 * (size_t)count);
    if (!ok) {
        return false;
    }
    sw_decision_begin(decision, SW_DECISION_SELECT, g->generation, why);
    decision->select.kept = g->members;
    decision->select.generation = g->generation;
    decision->candidates = count;
    g->phase = GENERATION;
    return true;
}

/* ---- ends ---- */

static bool generations_are_over(struct genetic *g, const struct sw_run *run) {
    if (g->count < 2) {
        g->stop = NOTHING_TO_MOVE;
    } else if (g->generation >= g->generations) {
        g->stop = ALL_GENERATIONS;
    } else if (g->stale >= g->patience) {
        g->stop = NO_GAIN;
    } else if (work_is_spent(g, run)) {
        g->stop = WORK_SPENT;
    } else {
        return false;
    }
    return true;
}

static bool end_generation(struct genetic *g, struct sw_run *run, struct sw_decision *decision) {
    bool gain = !g->before || sw_genome_compare(g->best, g->before, g->by_continuity) < 0;
    double sum = 0, best = (double)g->all[0]->peak, worst = best;
    for (uint32_t i = 0; i < g->members; i++) {
        double peak = (double)g->all[i]->peak;
        sum += peak;
        best = SW_MIN(peak, best);
        worst = SW_MAX(peak, worst);
    }
    g->stale = gain ? 0 : g->stale + 1;
    sw_genome_replace(&g->before, g->best);
    sw_decision_begin(decision, SW_DECISION_GENERATION, g->generation,
                      g->generation == 0 ? "the first population is complete"
                      : gain             ? "the best individual has improved"
                                         : "no gain");
    decision->generation.generation = g->generation;
    decision->generation.continuity = g->best->continuity;
    decision->generation.best = best;
    decision->generation.mean = sum / (double)g->members;
    decision->generation.worst = worst;
    g->resume = BEGIN;
    g->phase = generations_are_over(g, run) ? GENETIC_FINISH : BEGIN;
    return sw_genetic_explain_best(g, run) || sw_fail_memory(run->error);
}

static bool finish_generations(struct genetic *g, struct sw_run *run, struct sw_decision *decision) {
    static const char *const reasons[] = {"its peak is the lower bound, so nothing can be better",
                                          "no gain for long enough",
                                          "the last generation is over",
                                          "the budget of work is spent",
                                          "there is nothing to reorder",
                                          "a block sequence has reached the continuity goal"};
    if (!sw_genome_show(g->best, g->decoder, run)) {
        return false;
    }
    run->work += sw_decoder_work(g->decoder);
    sw_genome_replace(&g->shown, g->best);
    sw_decision_begin(decision, SW_DECISION_FINISH, g->generation, reasons[g->stop]);
    decision->finish.answer = g->best->peak;
    decision->finish.part = g->generation;
    decision->cost = g->by_cost ? g->best->cost : decision->cost;
    g->phase = GENETIC_OVER;
    return sw_genetic_explain_best(g, run) || sw_fail_memory(run->error);
}

/* ---- one decision ---- */

static bool allows_choice(const struct genetic *g, const struct sw_run *run) {
    static const char *const words[] = {[DRAW] = "the orders of the first population are random",
                                        [DECODE] = "first fit follows from the order",
                                        [SORT] = "the sequence follows from the layout",
                                        [SWAP] = "the positions are random",
                                        [SELECT] = "the fittest stay",
                                        [GENERATION] = "a generation only sums up",
                                        [GENETIC_FINISH] = "the fittest is the answer"};
    enum genetic_phase phase = g->phase == BEGIN ? CROSS : g->phase;
    phase = phase == CROSS && g->count < 4 ? SWAP : phase;
    if (run->choice < 0 || phase == CROSS || phase == GENETIC_OVER) {
        return true;
    }
    return sw_fail(run->error, SW_ERROR_UNSUPPORTED,
                   "there is nothing to choose here: %s; pin a buffer or forbid a range instead", words[phase]);
}

/* Too much to do: leave it to the greedy planners and to `improve`. */
static enum sw_step defer_genetic(struct genetic *g, struct sw_run *run, struct sw_decision *decision) {
    if (run->choice >= 0) {
        return sw_place_no_candidate(run, 0);
    }
    bool blocks = g->count > g->largest;
    g->instead = sw_fallback_new(
        run, false,
        blocks ? "too many blocks to breed orders; the best greedy layout is improved"
               : "too many pairs of blocks in conflict to breed orders; the best greedy layout is improved",
        blocks ? "too many blocks to breed orders; the best greedy layout was improved"
               : "too many pairs of blocks in conflict to breed orders; the best greedy layout was improved");
    return g->instead ? sw_fallback_step(g->instead, run, decision) : SW_STEP_FAILED;
}

/* Too many blocks, or what a decoder cannot do: `deferred`. False: the error says why. */
static bool make_genetic_decoder(struct genetic *g, struct sw_run *run, bool *deferred) {
    struct sw_error *told = run->error, own = {0};
    *deferred = g->count > g->largest;
    if (*deferred) {
        return true;
    }
    run->error = &own;
    g->decoder = sw_decoder_new(run);
    run->error = told;
    *deferred = !g->decoder && own.code == SW_ERROR_UNSUPPORTED;
    if (!g->decoder && !*deferred && told) {
        *told = own;
    }
    return g->decoder || *deferred;
}

static enum sw_step genetic_step(void *state, struct sw_run *run, struct sw_decision *decision) {
    static bool (*const phases[])(struct genetic *, struct sw_run *, struct sw_decision *) = {
        [DRAW] = draw_individual,      [DECODE] = decode_now,
        [SORT] = sort_by_start,        [CROSS] = cross_window,
        [SWAP] = swap_places,          [SELECT] = keep_best_genomes,
        [GENERATION] = end_generation, [GENETIC_FINISH] = finish_generations};
    struct genetic *g = state;
    if (g->instead) {
        return sw_fallback_step(g->instead, run, decision);
    }
    bool deferred = false;
    if (!g->decoder && !make_genetic_decoder(g, run, &deferred)) {
        return SW_STEP_FAILED;
    }
    if (deferred) {
        return defer_genetic(g, run, decision);
    }
    if (!allows_choice(g, run)) {
        return SW_STEP_FAILED;
    }
    if (g->phase == BEGIN) {
        g->generation++;
        g->phase = CROSS;
    }
    uint64_t random = g->random;
    if (g->phase == CROSS && (g->count < 4 || (g->crosses < 1 && !happens_with(g, g->crosses)))) {
        g->phase = SWAP; /* of a child that is not crossed */
        if (!allows_choice(g, run)) {
            g->phase = CROSS;
            g->random = random;
            return SW_STEP_FAILED;
        }
    }
    return g->phase == GENETIC_OVER ? SW_STEP_DONE : phases[g->phase](g, run, decision) ? SW_STEP_MORE : SW_STEP_FAILED;
}

/* ---- demands ---- */

static bool genetic_constrain(void *state, struct sw_run *run, const struct sw_override *override) {
    struct genetic *g = state;
    if (g->instead) {
        return sw_fallback_constrain(g->instead, run, override);
    }
    if (override->kind == SW_OVERRIDE_CHOOSE || !g->decoder) {
        return true;
    }
    struct sw_decoder *decoder = sw_decoder_new(run);
    if (!decoder) {
        return false;
    }
    sw_decoder_unref(g->decoder);
    g->decoder = decoder;
    if (!sw_genetic_decode_all_again(g, run) || !sw_genetic_show_again(g, run)) {
        return false;
    }
    if (g->phase == GENETIC_FINISH || g->phase == GENETIC_OVER) {
        bool bound = is_best_peak(g, run), goal = meets_goal(g);
        g->stop = bound ? AT_BOUND : goal ? AT_GOAL : g->stop;
        g->phase = bound || goal || (g->resume == BEGIN && generations_are_over(g, run)) ? GENETIC_FINISH : g->resume;
    }
    return true;
}

/* ---- what it says of itself ---- */

static bool genetic_details(const void *state, const struct sw_run *run, struct sw_details *details) {
    const struct genetic *g = state;
    (void)run;
    return (!g->decoder || sw_detail_integer(details, "conflicts", (int64_t)sw_decoder_conflicts(g->decoder))) &&
           (!g->best || sw_detail_integer(details, "continuity", g->best->continuity)) &&
           (!g->instead || sw_detail_truth(details, "deferred", true)) &&
           sw_detail_integer(details, "generations", g->generation) &&
           sw_detail_integer(details, "evaluations", (int64_t)g->evaluations);
}

static void genetic_claims(const void *state, const struct sw_run *run, struct sw_claims *claims) {
    const struct genetic *g = state;
    if (g->instead) {
        sw_fallback_claims(g->instead, run, claims);
        return;
    }
    claims->optimal = g->phase == GENETIC_OVER && sw_genome_meets_bound(g->best, run->problem);
    claims->priced = g->by_cost;
}

/* A limit ends the run here: the fittest so far. */
static bool genetic_settle(const void *state, struct sw_run *run) {
    const struct genetic *g = state;
    if (g->instead) {
        return sw_fallback_settle(g->instead, run);
    }
    return !g->best || sw_genome_show(g->best, g->decoder, run);
}

static bool genetic_member(const void *state, struct sw_run *run, uint32_t member, bool *has) {
    const struct genetic *g = state;
    *has = !g->instead && member < g->members + g->children && g->all[member]->decoded;
    return !*has || sw_genome_show(g->all[member], g->decoder, run);
}

static const struct sw_planner *genetic_acting(const void *state) {
    const struct genetic *g = state;
    return g->instead ? sw_fallback_acting(g->instead) : NULL;
}

const struct sw_planner sw_order_genetic = {
    .name = "order-genetic",
    .summary = "Evolves the order in which first fit takes the blocks",
    .reads = SW_READS_COST | SW_READS_BREEDING,
    .seeded = true,
    .budgets = true,
    .goes_on = true,
    .group_noun = "generation",
    .parameters = genetic_parameters,
    .plain = genetic_plain,
    .open = genetic_open,
    .step = genetic_step,
    .described = &genetic_described,
    .constrain = genetic_constrain,
    .details = genetic_details,
    .claims = genetic_claims,
    .settle = genetic_settle,
    .member = genetic_member,
    .state = sw_genetic_state,
    .because = sw_genetic_because,
    .acting = genetic_acting,
};
