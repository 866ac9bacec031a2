/* The decoder's tables, sorting and showing. decode_fast.c and decode_general.c have the two ways.
 */
#include "planners/orders/decode_internal.h"
#include "base/base.h"
#include "problem/hot.h"

enum { MOST_IN_MATRIX = 8192, MOST_IN_LARGE_MATRIX = 20480 }; /* 8 MiB, and 50 MiB where not too many conflict */
enum { MOST_PAIRS = 1 << 23 }; /* in conflict, by the general way: decoding an order once takes a second or two */
/* Some seconds of work. FAST_WORK: by the fast way with up to IN_CACHE buffers, as many as have their tables in the
 * processor's cache. GENERAL_WORK: by the general way, with buffers of one piece and one tier. PILED: with blocks that
 * all lie on top of one another. */
/* Some ten seconds, with all that belongs to an evaluation. */
#define LONG_WORK UINT64_C(45000000000)
enum { EACH_PLACE = 64, LONG_TIMES = 20 };
enum { FAST_WORK = 500000000, IN_CACHE = 1024, GENERAL_WORK = 15000000, PILED = 100000000 };

/* ---- making ---- */

static void decoder_free(struct sw_decoder *d) {
    sw_arena_done(&d->room);
    SW_ARRAY_DONE(&d->obstacles);
    SW_ARRAY_DONE(&d->bars);
    sw_rules_done(&d->rules);
    sw_problem_unref(d->problem);
    SW_FREE(d, 1);
}

void sw_decoder_unref(struct sw_decoder *d) {
    if (d && --d->owners == 0) {
        decoder_free(d);
    }
}

static void decoder_drop(void *of) {
    sw_decoder_unref(of);
}

const struct sw_pointed sw_decoder_pointed = {.drop = decoder_drop};

static bool is_power(uint64_t alignment) {
    return (alignment & (alignment - 1)) == 0;
}

static void fill_item(struct sw_decoder *d, const struct sw_run *run, uint32_t place) {
    uint32_t buffer = sw_problem_order(d->problem)[place];
    const struct sw_buffer *b = sw_problem_buffer(d->problem, buffer);
    struct sw_decode_item *item = &d->items[place];
    struct sw_pin pin;
    *item = (struct sw_decode_item){
        .size = sw_align_up(b->size, b->alignment), .real = b->size, .alignment = b->alignment, .buffer = buffer};
    if (sw_rules_pin(d->problem, &run->rules, buffer, &pin)) {
        item->fixed = true;
        d->blocks[place] = (struct sw_block){pin.offset, pin.offset + item->size};
        d->tier[place] = (uint8_t)pin.tier;
    }
    d->powers &= is_power(b->alignment);
    d->even &= b->alignment == d->items[0].alignment;
}

/* Are all buffers alive together, as a whole, without anything else that could be in the way? Every block then lies on
 * those before it, and nothing has to be looked up. */
static bool is_pile(const struct sw_decoder *d) {
    size_t ranges;
    uint32_t step;
    sw_problem_reserved(d->problem, &ranges);
    bool pile = d->even && d->tiers == 1 && ranges == 0 && d->rules.forbids.count == 0 &&
                sw_problem_simple(d->problem) && sw_problem_together(d->problem, &step);
    for (uint32_t i = 0; pile && i < d->count; i++) {
        pile = d->items[i].size > 0 && !d->items[i].fixed;
    }
    return pile;
}

static void decode_pile(struct sw_decoder *d, const struct sw_rank *order) {
    uint64_t end = 0;
    d->arena[0] = 0;
    for (uint32_t i = 0; i < d->count; i++) {
        uint32_t place = order[i].at;
        d->blocks[place] = (struct sw_block){end, end + d->items[place].size};
        d->tier[place] = 0;
        d->arena[0] = end + d->items[place].real;
        end += d->items[place].size;
    }
}

/* Bits for pairs in conflict, where there is a matrix, and their number in any case. */
static void fill_conflicts(struct sw_decoder *d) {
    if (d->pile) {
        d->conflicts = d->count ? (uint64_t)d->count * (d->count - 1) / 2 : 0;
        d->work = d->count + 2 * d->conflicts;
        for (uint32_t i = 0; i < d->count; i++) {
            d->items[i].crowd = 1; /* the same of all, but for their own sizes */
        }
        return;
    }
    uint64_t pairs = 0;
    bool all = d->rows && d->item_capacity <= MOST_IN_MATRIX;
    for (uint32_t i = 0; i < d->count && (all || pairs / 2 <= MOST_PAIRS); i++) {
        struct sw_neighbors walk = sw_problem_neighbors(d->problem, d->items[i].buffer);
        for (uint32_t other; (other = sw_neighbors_next(&walk)) != SW_NONE;) {
            enum sw_conflict conflict = sw_problem_conflict(d->problem, d->items[i].buffer, other);
            if (conflict == SW_CONFLICT_NONE) {
                continue;
            }
            pairs++;
            d->items[i].crowd += (double)sw_problem_buffer(d->problem, other)->size;
            d->fast &= conflict == SW_CONFLICT_WHOLE;
            if (d->rows) {
                uint32_t k = sw_problem_rank(d->problem, other).at;
                d->rows[i * d->words + k / 64] |= UINT64_C(1) << (k % 64);
            }
        }
    }
    d->fast &= all || pairs / 2 <= MOST_PAIRS;
    d->conflicts = pairs / 2;
    d->work = d->count + pairs;
}

static bool allocate_tables(struct sw_decoder *d) {
    size_t ranges, capacity;
    sw_problem_reserved(d->problem, &ranges);
    capacity = d->count + ranges + d->rules.forbids.count + 1;
    d->item_capacity = capacity;
    d->items = SW_NEW_IN(&d->room, struct sw_decode_item, capacity);
    d->tier = SW_NEW_IN(&d->room, uint8_t, capacity);
    d->blocks = SW_NEW_IN(&d->room, struct sw_block, capacity);
    d->keys = SW_NEW_IN(&d->room, struct sw_decode_key, 2 * capacity);
    bool ok = d->items && d->tier && d->blocks && d->keys;
    return ok;
}

/* Rows of bits for what is in conflict, where they are not too many. */
static bool allocate_rows(struct sw_decoder *d) {
    d->pile = d->item_capacity > MOST_IN_MATRIX && is_pile(d);
    if (d->pile || d->item_capacity > MOST_IN_LARGE_MATRIX) {
        return true;
    }
    d->words = (d->item_capacity + 63) / 64;
    d->rows = SW_NEW_IN(&d->room, uint64_t, (size_t)d->count * d->words);
    return d->rows != NULL;
}

/* Place what is pinned, and nothing else, on a scratch layout. The messages of a failure are then those
 * of the planners that place for good. */
static bool check_pins(const struct sw_run *run) {
    struct sw_run stage = *run;
    struct sw_decision decision;
    bool ok = true, done;
    stage.layout = NULL;
    stage.explain = NULL;
    stage.choice = -1;
    stage.gaps = (struct sw_gaps){0};
    stage.shelf = NULL;
    for (uint32_t i = 0; ok && i < sw_problem_planned_count(run->problem); i++) {
        uint32_t buffer = sw_problem_order(run->problem)[i];
        struct sw_pin pin;
        if (!sw_rules_pin(run->problem, &run->rules, buffer, &pin)) {
            continue;
        }
        if (!stage.layout) {
            stage.layout = sw_run_layout(run);
        }
        if (!stage.layout) {
            return false;
        }
        sw_place_begin(&stage, buffer, &decision);
        ok = sw_place_settled(&stage, buffer, &done, &decision) == SW_STEP_MORE;
    }
    sw_layout_free(stage.layout);
    sw_gaps_done(&stage.gaps);
    return ok;
}

struct sw_decoder *sw_decoder_new(const struct sw_run *run) {
    if (!check_pins(run)) {
        return NULL;
    }
    struct sw_decoder *d = SW_NEW_ZERO(struct sw_decoder, 1);
    if (!d) {
        sw_fail_memory(run->error);
        return NULL;
    }
    d->owners = 1;
    d->problem = sw_problem_ref(run->problem);
    d->count = sw_problem_planned_count(run->problem);
    d->tiers = sw_problem_tier_count(run->problem);
    if (!sw_rules_copy(&d->rules, &run->rules) || !allocate_tables(d)) {
        decoder_free(d);
        sw_fail_memory(run->error);
        return NULL;
    }
    d->even = d->powers = true;
    for (uint32_t i = 0; i < d->count; i++) {
        fill_item(d, run, i);
    }
    if (!allocate_rows(d)) {
        decoder_free(d);
        sw_fail_memory(run->error);
        return NULL;
    }
    d->fast = d->rows != NULL && d->tiers == 1;
    fill_conflicts(d);
    d->fast &= d->even || d->powers;
    if (!d->fast && !d->pile && d->conflicts > MOST_PAIRS) {
        decoder_free(d);
        sw_fail(run->error, SW_ERROR_UNSUPPORTED,
                "more than %d pairs of buffers are in conflict, the most that %s can handle here", MOST_PAIRS,
                run->planner->name);
        return NULL;
    }
    if (d->fast && !sw_decoder_fast_new(d)) {
        decoder_free(d);
        sw_fail_memory(run->error);
        return NULL;
    }
    return d;
}

/* ---- small answers ---- */

#define DECODER_GIVES(name, type, field)    \
    type name(const struct sw_decoder *d) { \
        return d->field;                    \
    }
DECODER_GIVES(sw_decoder_count, uint32_t, count)
DECODER_GIVES(sw_decoder_tier_count, uint32_t, tiers)
DECODER_GIVES(sw_decoder_fast, bool, fast)
DECODER_GIVES(sw_decoder_work, uint64_t, work)
DECODER_GIVES(sw_decoder_conflicts, uint64_t, conflicts)
#undef DECODER_GIVES
void sw_decoder_slow_down(struct sw_decoder *d) {
    d->fast = false;
}
uint64_t sw_decoder_budget(const struct sw_decoder *d) {
    uint64_t pieces = 0, decodes;
    for (uint32_t i = 0; i < d->count; i++) {
        pieces += sw_problem_buffer(d->problem, d->items[i].buffer)->piece_count;
    }
    uint64_t each = d->count ? (pieces + d->count - 1) / d->count : 1;
    decodes = d->fast   ? FAST_WORK / (d->work + 1) / (1 + d->count / IN_CACHE)
              : d->pile ? PILED / (d->count + 1)
                        : GENERAL_WORK / (d->work + 1) / d->tiers / (each + 1);
    return (decodes + 1) * d->work;
}
double sw_decoder_weight(const struct sw_decoder *d, struct sw_rank place) {
    return (double)d->items[place.at].real * d->items[place.at].crowd;
}
uint64_t sw_decoder_long_budget(const struct sw_decoder *d) {
    uint64_t decodes = LONG_WORK / (d->work + EACH_PLACE * (uint64_t)d->count + 1) / (1 + d->count / IN_CACHE);
    return d->fast ? (decodes + 1) * d->work : LONG_TIMES * sw_decoder_budget(d);
}
uint64_t sw_decoder_offset(const struct sw_decoder *d, struct sw_rank place) {
    return d->blocks[place.at].lo;
}
void sw_decoder_need(const struct sw_decoder *d, struct sw_need *need) {
    need->above = need->peak = 0;
    for (uint32_t t = 0; t < d->tiers; t++) {
        uint64_t arena = d->arena[t], capacity = sw_problem_tier(d->problem, t)->capacity;
        need->arena[t] = arena;
        need->peak = SW_MAX(arena, need->peak);
        need->above += arena > capacity ? arena - capacity : 0;
    }
}

/* ---- decoding ---- */

bool sw_decode(struct sw_decoder *d, const struct sw_rank *order) {
    if (d->fast) {
        sw_decode_fast(d, order);
        return true;
    }
    if (d->pile) {
        decode_pile(d, order);
        return true;
    }
    return sw_decode_general(d, order, NULL);
}

/* ---- the block sequence ---- */

static struct sw_decode_key *sort_keys_pass(const struct sw_decode_key *keys, struct sw_decode_key *to, uint32_t count,
                                            unsigned shift) {
    uint32_t starts[256] = {0}, sum = 0;
    for (uint32_t i = 0; i < count; i++) {
        starts[keys[i].start >> shift & 255]++;
    }
    for (uint32_t k = 0; k < 256; k++) {
        uint32_t own = starts[k];
        starts[k] = sum;
        sum += own;
    }
    for (uint32_t i = 0; i < count; i++) {
        to[starts[keys[i].start >> shift & 255]++] = keys[i];
    }
    return to;
}

/* Digit by digit from the last; each pass keeps the order of equals, so ties stay as decoded.
 * Digits that are the same for all are passed over. */
void sw_decoder_sort(struct sw_decoder *d, const struct sw_rank *order, struct sw_rank *sequence) {
    struct sw_decode_key *keys = d->keys, *other = d->keys + d->count;
    uint64_t used = 0;
    for (uint32_t i = 0; i < d->count; i++) {
        keys[i] = (struct sw_decode_key){d->blocks[order[i].at].lo, order[i]};
        used |= keys[i].start;
    }
    for (unsigned shift = 0; shift < 64 && used >> shift != 0; shift += 8) {
        if (used >> shift & 255) {
            struct sw_decode_key *sorted = sort_keys_pass(keys, other, d->count, shift);
            other = keys;
            keys = sorted;
        }
    }
    for (uint32_t i = 0; d->tiers > 1 && i < d->count; i++) {
        keys[i].start = d->tier[keys[i].place.at];
    }
    if (d->tiers > 1) {
        keys = sort_keys_pass(keys, other, d->count, 0);
    }
    for (uint32_t i = 0; i < d->count; i++) {
        sequence[i] = keys[i].place;
    }
}

bool sw_decoder_conflict(const struct sw_decoder *d, struct sw_rank a, struct sw_rank b) {
    return d->rows ? d->rows[a.at * d->words + b.at / 64] >> (b.at % 64) & 1
                   : sw_problem_conflict(d->problem, d->items[a.at].buffer, d->items[b.at].buffer) != SW_CONFLICT_NONE;
}

bool sw_decoder_alike(const struct sw_decoder *d, struct sw_rank a, struct sw_rank b) {
    const struct sw_decode_item *x = &d->items[a.at], *y = &d->items[b.at];
    bool alike = d->rows && x->real == y->real && x->alignment == y->alignment && !x->fixed && !y->fixed;
    for (size_t w = 0; alike && w < d->words; w++) {
        uint64_t differ = d->rows[a.at * d->words + w] ^ d->rows[b.at * d->words + w];
        differ &= a.at / 64 == w ? ~(UINT64_C(1) << (a.at % 64)) : UINT64_MAX;
        differ &= b.at / 64 == w ? ~(UINT64_C(1) << (b.at % 64)) : UINT64_MAX;
        alike = differ == 0;
    }
    return alike;
}

void sw_decoder_high(const struct sw_decoder *d, const struct sw_rank *sequence, bool *high) {
    uint32_t lowest = d->tiers - 1;
    while (lowest > 0 && d->arena[lowest] == 0) {
        lowest--;
    }
    for (uint32_t i = 0; i < d->count; i++) {
        uint32_t at = sequence[i].at;
        high[i] = d->tier[at] == lowest && d->blocks[at].lo + d->items[at].real == d->arena[lowest];
    }
}

/* May the later neighbor reuse the space of the earlier one: no conflict, and not larger? */
static bool may_reuse(const struct sw_decoder *d, struct sw_rank earlier, struct sw_rank later) {
    const struct sw_decode_item *a = &d->items[earlier.at], *b = &d->items[later.at];
    if (a->real < b->real) {
        return false;
    }
    return !sw_decoder_conflict(d, earlier, later);
}

uint32_t sw_decoder_continuity(const struct sw_decoder *d, const struct sw_rank *sequence, bool *reuse) {
    uint32_t continuity = 0;
    for (uint32_t i = 0; i < d->count; i++) {
        reuse[i] = i > 0 && may_reuse(d, sequence[i - 1], sequence[i]);
        continuity += reuse[i];
    }
    return continuity;
}

/* ---- showing ---- */

static bool put_block(const struct sw_decoder *d, struct sw_run *run, bool permits) {
    sw_layout_anew(run->layout);
    for (uint32_t i = 0; i < d->count; i++) {
        uint32_t buffer = d->items[i].buffer;
        struct sw_placement now;
        if (!permits && sw_layout_placement(run->layout, buffer, 0, &now) && now.tier == d->tier[i] &&
            now.offset == d->blocks[i].lo) {
            continue;
        }
        if (permits ? !sw_place_at(run, buffer, d->tier[i], d->blocks[i].lo)
                    : !sw_layout_place(run->layout, buffer, d->tier[i], d->blocks[i].lo)) {
            return sw_fail_memory(run->error);
        }
    }
    for (uint32_t t = 0; t < d->tiers; t++) {
        sw_layout_set_arena(run->layout, t, d->arena[t]);
    }
    return true;
}

static bool begin_afresh(struct sw_run *run, uint64_t made) {
    struct sw_layout *fresh = sw_run_layout(run);
    if (fresh) {
        sw_layout_stamp(fresh, made);
        sw_layout_free(run->layout);
        run->layout = fresh;
    }
    return fresh != NULL;
}

bool sw_decoder_show(const struct sw_decoder *d, struct sw_run *run) {
    size_t permits;
    sw_problem_permits(d->problem, &permits);
    /* Permits of the layout before must go. */
    return (permits == 0 || begin_afresh(run, sw_run_decision(run))) && put_block(d, run, permits > 0);
}

bool sw_decoder_show_best(const struct sw_decoder *d, struct sw_run *run, uint64_t made) {
    size_t permits;
    uint64_t now = sw_run_decision(run);
    sw_problem_permits(d->problem, &permits);
    bool ok = begin_afresh(run, made ? made : now) && put_block(d, run, permits > 0);
    sw_layout_stamp(run->layout, now);
    return ok;
}
