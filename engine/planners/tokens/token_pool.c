/* token-sharing: memory ids, the free pool, and where ids lie (rule (d)). See token_sharing.c.
 *
 * offset(id) = sum over smaller ids of the same memory space of their aligned allocated bytes.
 * (chosen) Every id has the alignment of the tensors it ever held; its bytes are rounded up to it,
 * and so is its beginning where ids of smaller alignment lie below. Reserved and forbidden ranges
 * and pinned tensors are stepped over: the id begins at the next place where it meets none. */
#include "planners/tokens/token.h"
#include "base/base.h"
#include "base/sort.h"

/* ---- owning ---- */

bool sw_token_ids_init(struct token_ids *ids, uint32_t buffers) {
    *ids = (struct token_ids){
        .id_of = SW_NEW(uint32_t, buffers), .next = SW_NEW(uint32_t, buffers), .value = SW_NEW(uint32_t, buffers)};
    for (uint32_t b = 0; ids->id_of && ids->next && ids->value && b < buffers; b++) {
        ids->id_of[b] = ids->next[b] = SW_NONE;
        ids->value[b] = b;
    }
    return ids->id_of && ids->next && ids->value;
}

/* ---- ids and the tensors that hold them ---- */

uint32_t sw_token_id_new(struct token_ids *ids, uint32_t tier, uint64_t bytes, uint64_t alignment) {
    uint32_t id = (uint32_t)ids->ids.count;
    bool ok = SW_PUSH(&ids->ids, (struct token_id){.bytes = bytes,
                                                   .alignment = alignment,
                                                   .tier = tier,
                                                   .head = SW_NONE,
                                                   .tail = SW_NONE,
                                                   .stay = SW_NONE,
                                                   .last_stay = SW_NONE,
                                                   .cursor = SW_NONE,
                                                   .reused_by = SW_NONE});
    return ok ? id : SW_NONE;
}

void sw_token_join(struct token_ids *ids, uint32_t id, uint32_t buffer) {
    struct token_id *i = &ids->ids.items[id];
    ids->id_of[buffer] = id;
    if (i->tail == SW_NONE) {
        i->head = buffer;
    } else {
        ids->next[i->tail] = buffer;
    }
    i->tail = buffer;
}

bool sw_token_occupy(struct token_ids *ids, uint32_t id, uint32_t call) {
    uint32_t stay = (uint32_t)ids->stays.count;
    if (!SW_PUSH(&ids->stays, (struct token_stay){call, SW_NONE, 0, SW_NONE})) {
        return false;
    }
    struct token_id *i = &ids->ids.items[id];
    if (i->last_stay == SW_NONE) {
        i->stay = i->cursor = stay;
    } else {
        ids->stays.items[i->last_stay].next = stay;
    }
    i->last_stay = stay;
    return true;
}

/* ---- the free pool ---- */

static bool pool_before(const struct token_ids *ids, uint32_t a, uint32_t b) {
    const struct token_id *x = &ids->ids.items[a], *y = &ids->ids.items[b];
    if (x->bytes != y->bytes) {
        return x->bytes < y->bytes;
    }
    return x->released != y->released ? x->released < y->released : a < b;
}

static bool insert_in_pool(struct token_ids *ids, uint32_t id) {
    if (!SW_RESERVE(&ids->pool, ids->pool.count + 1)) {
        return false;
    }
    size_t at = SW_FIRST(k, ids->pool.count, !pool_before(ids, ids->pool.items[k], id));
    memmove(ids->pool.items + at + 1, ids->pool.items + at, (ids->pool.count - at) * sizeof *ids->pool.items);
    ids->pool.items[at] = id;
    ids->pool.count++;
    return true;
}

bool sw_token_release(struct token_ids *ids, uint32_t id, uint32_t call, uint32_t step, enum token_layer layer) {
    struct token_id *i = &ids->ids.items[id];
    i->released = (uint64_t)(step + 1) << 32 | (uint32_t)++ids->releases;
    if (layer == TOKEN_OPERATOR) {
        i->inner = i->released;
    } else {
        ids->stays.items[i->last_stay].to = call;
        ids->stays.items[i->last_stay].released = i->released;
    }
    return i->fixed || insert_in_pool(ids, id);
}

void sw_token_take(struct token_ids *ids, uint32_t id) {
    size_t at = 0;
    while (at < ids->pool.count && ids->pool.items[at] != id) {
        at++;
    }
    if (at < ids->pool.count) {
        memmove(ids->pool.items + at, ids->pool.items + at + 1, (ids->pool.count - at - 1) * sizeof *ids->pool.items);
        ids->pool.count--;
    }
}

bool sw_token_enter(struct token_ids *ids, uint32_t call, uint64_t *work) {
    bool ok = true;
    ids->pool.count = 0;
    for (uint32_t k = 0; ok && k < ids->ids.count; k++) {
        struct token_id *id = &ids->ids.items[k];
        while (id->cursor != SW_NONE && ids->stays.items[id->cursor].to < call) {
            id->past = ids->stays.items[id->cursor].released;
            id->cursor = ids->stays.items[id->cursor].next;
        }
        bool held = id->cursor != SW_NONE && ids->stays.items[id->cursor].from <= call;
        id->released = SW_MAX(id->past, id->inner);
        ok = held || id->fixed || insert_in_pool(ids, k);
    }
    *work += ids->ids.count;
    return ok;
}

/* ---- where ids lie ---- */

/* Step over what the range meets of fixed things; true when it did. */
static bool step_over(uint64_t lo, uint64_t hi, uint64_t alignment, uint64_t bytes, uint64_t *at) {
    if (lo >= *at + bytes || *at >= hi) {
        return false;
    }
    *at = sw_align_up(hi, alignment);
    return true;
}

static bool step_over_pin(const struct sw_run *run, uint32_t tier, uint32_t buffer, uint64_t alignment, uint64_t bytes,
                          uint64_t *at) {
    struct sw_pin pin;
    uint64_t size = sw_problem_buffer(run->problem, buffer)->size;
    return size > 0 && sw_rules_pin(run->problem, &run->rules, buffer, &pin) && pin.tier == tier &&
           step_over(pin.offset, pin.offset + size, alignment, bytes, at);
}

/* The first place at or above `at` that meets no reserved or forbidden range and no pin. `id`:
 * SW_NONE for one that does not exist yet. */
static uint64_t settle_ids(const struct token_ids *ids, const struct token_graph *g, const struct sw_run *run,
                           uint32_t id, uint32_t tier, uint64_t bytes, uint64_t alignment, uint64_t at) {
    size_t count;
    const struct sw_reserved *reserved = sw_problem_reserved(run->problem, &count);
    at = sw_align_up(at, alignment);
    for (bool moved = bytes > 0; moved;) {
        moved = false;
        for (size_t i = 0; i < count; i++) {
            moved |= reserved[i].tier == tier && step_over(reserved[i].lo, reserved[i].hi, alignment, bytes, &at);
        }
        for (size_t i = 0; i < run->rules.forbids.count; i++) {
            const struct sw_forbid *f = &run->rules.forbids.items[i];
            bool concerns = f->buffer == SW_NONE || (id != SW_NONE && ids->id_of[f->buffer] == id);
            moved |= f->tier == tier && concerns && step_over(f->lo, f->hi, alignment, bytes, &at);
        }
        for (size_t i = 0; i < g->pinned.count; i++) {
            moved |= step_over_pin(run, tier, g->pinned.items[i], alignment, bytes, &at);
        }
        for (size_t i = 0; i < run->rules.pins.count; i++) {
            moved |= step_over_pin(run, tier, run->rules.pins.items[i].buffer, alignment, bytes, &at);
        }
    }
    return at;
}

uint64_t sw_token_end(const struct token_ids *ids, const struct token_graph *g, const struct sw_run *run, uint32_t tier,
                      uint64_t bytes, uint64_t alignment) {
    return settle_ids(ids, g, run, SW_NONE, tier, bytes, alignment, ids->top[tier]);
}

static bool move_id(struct token_ids *ids, struct sw_run *run, uint32_t id, uint64_t to) {
    struct token_id *i = &ids->ids.items[id];
    i->offset = to;
    for (uint32_t b = i->head; b != SW_NONE; b = ids->next[b]) {
        struct sw_placement p;
        run->work++;
        if (!sw_layout_placement(run->layout, b, 0, &p) || p.offset == to) {
            continue;
        }
        if (!sw_layout_place(run->layout, b, i->tier, to) ||
            (run->explain && !SW_PUSH(&run->explain->moved,
                                      (struct sw_moved){.buffer = b, .tier = i->tier, .from = p.offset, .to = to}))) {
            return false;
        }
    }
    return true;
}

/* The tier reaches to the end of a pinned id; 0 bytes end nowhere. */
static void note_fixed_end(struct token_ids *ids, const struct token_id *id, const struct sw_run *run) {
    uint64_t size = sw_problem_buffer(run->problem, id->head)->size;
    ids->fixed[id->tier] = SW_MAX(size > 0 ? id->offset + size : 0, ids->fixed[id->tier]);
}

bool sw_token_layout(struct token_ids *ids, const struct token_graph *g, struct sw_run *run, uint32_t from) {
    uint32_t tier = ids->ids.items[from].tier;
    uint64_t cursor = ids->ids.items[from].fixed ? ids->top[tier] : ids->ids.items[from].floor;
    if (ids->ids.items[from].fixed) { /* the others keep where they are */
        note_fixed_end(ids, &ids->ids.items[from], run);
    }
    for (uint32_t k = from; !ids->ids.items[from].fixed && k < ids->ids.count; k++) {
        struct token_id *id = &ids->ids.items[k];
        if (id->tier != tier || id->fixed) {
            continue;
        }
        id->floor = cursor;
        uint64_t at = settle_ids(ids, g, run, k, tier, id->bytes, id->alignment, cursor);
        if (at != id->offset && !move_id(ids, run, k, at)) {
            return false;
        }
        cursor = at + sw_align_up(id->bytes, id->alignment);
        run->work++;
    }
    ids->top[tier] = cursor;
    sw_layout_set_arena(run->layout, tier, SW_MAX(cursor, ids->fixed[tier]));
    return true;
}

bool sw_token_layout_all(struct token_ids *ids, const struct token_graph *g, struct sw_run *run) {
    memset(ids->top, 0, sizeof ids->top);
    memset(ids->fixed, 0, sizeof ids->fixed);
    for (uint32_t k = 0; k < ids->ids.count; k++) {
        if (ids->ids.items[k].fixed) {
            note_fixed_end(ids, &ids->ids.items[k], run);
        }
    }
    for (uint32_t t = 0; t < sw_problem_tier_count(run->problem); t++) {
        uint32_t first = 0;
        while (first < ids->ids.count && (ids->ids.items[first].tier != t || ids->ids.items[first].fixed)) {
            first++;
        }
        if (first < ids->ids.count) {
            ids->ids.items[first].floor = 0;
            if (!sw_token_layout(ids, g, run, first)) {
                return false;
            }
        } else {
            sw_layout_set_arena(run->layout, t, ids->fixed[t]);
        }
    }
    return true;
}
