/* The decoder's general way: any problem, and with every space refused on request.
 *
 * What stands in the way of a buffer is a list of bars: it may not start strictly between the two
 * ends of one. Sorted by their lower ends, a single sweep upwards finds the lowest start that no
 * bar forbids. */
#include "planners/orders/decode_internal.h"
#include "base/base.h"
#include "base/sort.h"

enum { NOWHERE = UINT8_MAX };

/* One buffer looking for its place. */
struct seeker {
    struct sw_decoder *d;
    uint32_t place;
    uint32_t tier;
    uint64_t capacity;
    struct sw_explanation *explain;
};

static bool add_decoder_bar(struct sw_decoder *d, int64_t lo, int64_t hi, uint64_t width, uint32_t owner) {
    return hi <= 0 || SW_PUSH(&d->bars, (struct sw_bar){lo - (int64_t)width, hi, (int64_t)width, owner});
}

/* What a block in place `k` forbids. Between whole buffers pre-allocated spaces must not meet;
 * windows and permits speak of the bytes themselves. */
static bool add_item_neighbor(struct sw_decoder *d, const struct sw_decode_item *item, uint32_t k) {
    const struct sw_decode_item *other = &d->items[k];
    enum sw_conflict conflict = sw_problem_conflict(d->problem, item->buffer, other->buffer);
    if (conflict == SW_CONFLICT_NONE) {
        return true;
    }
    if (conflict == SW_CONFLICT_WHOLE) {
        return add_decoder_bar(d, (int64_t)d->blocks[k].lo, (int64_t)d->blocks[k].hi, item->size, other->buffer);
    }
    d->obstacles.count = 0;
    if (!sw_problem_obstacles(d->problem, item->buffer, SW_WHOLE_LIFE, other->buffer, SW_WHOLE_LIFE, d->blocks[k].lo,
                              &d->obstacles)) {
        return false;
    }
    for (size_t i = 0; i < d->obstacles.count; i++) {
        const struct sw_obstacle *o = &d->obstacles.items[i];
        if (!add_decoder_bar(d, o->lo, o->hi, item->real, other->buffer)) {
            return false;
        }
    }
    return true;
}

static bool add_ranges(struct sw_decoder *d, const struct sw_decode_item *item, uint32_t tier) {
    size_t count;
    const struct sw_reserved *reserved = sw_problem_reserved(d->problem, &count);
    for (size_t i = 0; i < count; i++) {
        if (reserved[i].tier == tier && reserved[i].lo < reserved[i].hi &&
            !add_decoder_bar(d, (int64_t)reserved[i].lo, (int64_t)reserved[i].hi, item->size, SW_NONE)) {
            return false;
        }
    }
    for (size_t i = 0; i < d->rules.forbids.count; i++) {
        const struct sw_forbid *f = &d->rules.forbids.items[i];
        if (f->tier == tier && f->lo < f->hi && (f->buffer == SW_NONE || f->buffer == item->buffer) &&
            !add_decoder_bar(d, (int64_t)f->lo, (int64_t)f->hi, item->size, SW_NONE)) {
            return false;
        }
    }
    return true;
}

SW_BY_FIELDS(compare_bars, struct sw_bar, SW_UP(lo), SW_UP(hi), SW_UP(owner))

static bool gather_bars(const struct seeker *s) {
    struct sw_decoder *d = s->d;
    const struct sw_decode_item *item = &d->items[s->place];
    struct sw_neighbors walk = sw_problem_neighbors(d->problem, item->buffer);
    d->bars.count = 0;
    for (uint32_t other; (other = sw_neighbors_next(&walk)) != SW_NONE;) {
        uint32_t k = sw_problem_rank(d->problem, other).at;
        if (d->tier[k] == s->tier && !add_item_neighbor(d, item, k)) {
            return false;
        }
    }
    if (!add_ranges(d, item, s->tier)) {
        return false;
    }
    sw_sort(d->bars.items, d->bars.count, sizeof *d->bars.items, compare_bars);
    return true;
}

/* ---- explaining ---- */

static bool explain_bar(const struct seeker *s, const struct sw_bar *bar, uint64_t at, uint32_t below) {
    const struct sw_decode_item *item = &s->d->items[s->place];
    const struct sw_problem *problem = s->d->problem;
    char name[SW_SHORT_NAME], other[SW_SHORT_NAME];
    int64_t top = bar->lo + bar->width;
    if (!s->explain || top <= (int64_t)at) {
        return true;
    }
    bool range = bar->owner == SW_NONE;
    return sw_explain(s->explain, SW_VERDICT_REFUSED, s->tier, at, (uint64_t)top - at, below, bar->owner,
                      "%s (%s) refused at %.24s+%llu: %s short of %s%s", sw_place_name(problem, item->buffer, name),
                      SW_BYTES(item->real), sw_problem_tier(problem, s->tier)->name, (unsigned long long)at,
                      SW_BYTES((uint64_t)((int64_t)at - bar->lo)), range ? "" : "the next live buffer ",
                      range ? "a reserved or forbidden range" : sw_place_name(problem, bar->owner, other));
}

static bool explain_above(const struct seeker *s, uint64_t at, uint32_t below) {
    const struct sw_decode_item *item = &s->d->items[s->place];
    char name[SW_SHORT_NAME];
    return sw_explain(s->explain, SW_VERDICT_REFUSED, s->tier, at, s->capacity > at ? s->capacity - at : 0, below,
                      SW_NONE, "%s (%s) refused at %.24s+%llu: %s short of the capacity",
                      sw_place_name(s->d->problem, item->buffer, name), SW_BYTES(item->real),
                      sw_problem_tier(s->d->problem, s->tier)->name, (unsigned long long)at,
                      SW_BYTES(at + item->real - s->capacity));
}

static bool explain_placed(const struct seeker *s, uint64_t at, uint64_t size, uint32_t below, uint32_t above,
                           const char *why) {
    char name[SW_SHORT_NAME];
    const struct sw_decode_item *item = &s->d->items[s->place];
    return sw_explain(s->explain, SW_VERDICT_CHOSEN, s->tier, at, size, below, above,
                      "%s (%s) placed at %.24s+%llu: %s", sw_place_name(s->d->problem, item->buffer, name),
                      SW_BYTES(item->real), sw_problem_tier(s->d->problem, s->tier)->name, (unsigned long long)at, why);
}

#define LOWEST "the lowest that fits"
#define ABOVE "it fits nowhere, so it stands above the capacity"

/* ---- one buffer ---- */

/* The lowest start in the tier. `fits`: it ends below the capacity, or `last` lets it stand above.
 */
static bool seek_start(const struct seeker *s, bool last, uint64_t *found, bool *fits) {
    const struct sw_decoder *d = s->d;
    const struct sw_decode_item *item = &d->items[s->place];
    uint64_t at = 0;
    uint32_t below = SW_NONE;
    size_t i = 0;
    for (; i < d->bars.count && d->bars.items[i].lo < (int64_t)at; i++) {
        const struct sw_bar *bar = &d->bars.items[i];
        if ((int64_t)at < bar->hi) {
            if (!explain_bar(s, bar, at, below)) {
                return false;
            }
            at = sw_align_up((uint64_t)bar->hi, item->alignment);
            below = bar->owner;
        }
    }
    bool inside = item->real <= s->capacity && at <= s->capacity - item->real;
    *found = at;
    *fits = inside || last;
    if (!s->explain) {
        return true;
    }
    if (!*fits) {
        return explain_above(s, at, below);
    }
    const struct sw_bar *next = i < d->bars.count ? &d->bars.items[i] : NULL;
    return explain_placed(s, at, next ? (uint64_t)(next->lo + next->width) - at : SW_UNBOUNDED, below,
                          next ? next->owner : SW_NONE, inside ? LOWEST : ABOVE);
}

static bool place_fixed(struct seeker *s) {
    s->tier = s->d->tier[s->place];
    return !s->explain ||
           explain_placed(s, s->d->blocks[s->place].lo, s->d->items[s->place].real, SW_NONE, SW_NONE, "pinned there");
}

static bool place_free(struct seeker *s) {
    struct sw_decoder *d = s->d;
    const struct sw_decode_item *item = &d->items[s->place];
    uint64_t tiers = sw_place_tiers(d->problem, item->buffer), at = 0;
    bool fits = false;
    for (uint32_t t = 0; !fits && t < d->tiers; t++) {
        if (!(tiers >> t & 1)) {
            continue;
        }
        bool last = t == 63 || tiers >> (t + 1) == 0;
        s->tier = t;
        s->capacity = sw_problem_tier(d->problem, t)->capacity;
        d->bars.count = 0;
        if ((item->real > 0 && !gather_bars(s)) || !seek_start(s, last || item->real == 0, &at, &fits)) {
            return false;
        }
    }
    d->blocks[s->place] = (struct sw_block){at, at + item->size};
    d->tier[s->place] = (uint8_t)s->tier;
    return true;
}

bool sw_decode_general(struct sw_decoder *d, const struct sw_rank *order, struct sw_explanation *explain) {
    for (uint32_t t = 0; t < d->tiers; t++) {
        d->arena[t] = 0;
    }
    for (uint32_t i = 0; i < d->count; i++) {
        d->tier[i] = d->items[i].fixed ? d->tier[i] : NOWHERE;
    }
    for (uint32_t i = 0; i < d->count; i++) {
        struct seeker s = {.d = d, .place = order[i].at, .explain = explain};
        if (d->items[order[i].at].fixed ? !place_fixed(&s) : !place_free(&s)) {
            return false;
        }
        uint64_t size = d->items[order[i].at].real;
        uint64_t top = size > 0 ? d->blocks[order[i].at].lo + size : 0;
        d->arena[s.tier] = SW_MAX(top, d->arena[s.tier]);
    }
    return true;
}

/* Of a pile each block is above the one before it, and no space is refused. */
static bool explain_pile(struct sw_decoder *d, const struct sw_rank *order, struct sw_explanation *explain) {
    uint64_t capacity = sw_problem_tier(d->problem, 0)->capacity;
    bool ok = true;
    for (uint32_t i = 0; ok && i < d->count; i++) {
        struct seeker s = {.d = d, .place = order[i].at, .capacity = capacity, .explain = explain};
        uint64_t at = d->blocks[s.place].lo, real = d->items[s.place].real;
        ok = explain_placed(&s, at, SW_UNBOUNDED, i > 0 ? d->items[order[i - 1].at].buffer : SW_NONE, SW_NONE,
                            real <= capacity && at <= capacity - real ? LOWEST : ABOVE);
    }
    return ok;
}

bool sw_decoder_explain(struct sw_decoder *d, const struct sw_run *run, const struct sw_rank *order) {
    return !run->explain || (d->pile ? sw_decode(d, order) && explain_pile(d, order, run->explain)
                                     : sw_decode_general(d, order, run->explain));
}
