/* The global access order, and the least migration any plan can do with.
 *
 * The bound. Think of the device as a box of single bytes and let objects be evicted in part. An
 * access needs all bytes of its object in the box. Whenever room is wanted, bytes of the resident
 * object that is accessed again farthest in the future go first (Belady's rule, here exact, because
 * every byte is as large as every other). The first load of a byte is free; every byte fetched
 * again has been moved out and in, which makes two.
 *
 * Why no plan can do better. A plan that moves whole objects, keeps addresses, or wants all objects
 * of an operator at once obeys everything asked here and more: the box asks for one object at a
 * time, so what is in a plan's memory at a step would serve the box, too. Objects of one step are
 * asked for in an order that even in-place operators respect: what is used there for the last time,
 * then what lives on and workspaces, then what is born. Farthest-next-use evicts least bytes among
 * all ways to serve that sequence, so its figure is a floor for all of them. Buffers that no
 * operator touches and that could stay outside are left out. */
#include "base/sort.h"
#include "base/base.h"
#include "problem/problem.h"

/* ---- the global access order ---- */

bool sw_problem_accesses_known(const struct sw_problem *problem) {
    if (sw_problem_operator_count(problem) > 0) {
        return true;
    }
    bool any = false;
    for (uint32_t i = 0; i < sw_problem_buffer_count(problem); i++) {
        const struct sw_buffer *b = sw_problem_buffer(problem, i);
        if (b->planned && b->size > 0 && !b->accesses_given) {
            return false;
        }
        any = any || (b->planned && b->access_count > 0);
    }
    return any;
}

bool sw_problem_may_migrate(const struct sw_problem *problem) {
    return sw_problem_tier(problem, 0)->capacity != SW_UNBOUNDED && sw_problem_accesses_known(problem);
}

/* 0: used here for the last time; 1: lives on, or a workspace; 2: born here. */
static unsigned turn_of(const struct sw_buffer *b, uint32_t step) {
    if (b->kind == SW_KIND_SCRATCH) {
        return 1;
    }
    return b->first == step ? 2 : b->last == step ? 0 : 1;
}

struct keyed {
    struct sw_access access;
    unsigned turn;
};

SW_BY_FIELDS(compare_keyed, struct keyed, SW_UP(access.step), SW_UP(turn), SW_UP(access.buffer))

SW_ARRAY_TYPE(keyed_list, struct keyed);

/* The steps of one buffer, each once; an access outside of its life counts at the life's edge. */
static bool add_accesses(struct keyed_list *list, const struct sw_buffer *b, uint32_t id) {
    uint32_t before = SW_NONE;
    for (uint32_t i = 0; i < b->access_count || i == 0; i++) {
        uint32_t step = b->access_count ? b->accesses[i] : b->first;
        step = step < b->first ? b->first : step > b->last ? b->last : step;
        if (step == before) {
            continue;
        }
        before = step;
        if (!SW_PUSH(list, (struct keyed){{step, id}, turn_of(b, step)})) {
            return false;
        }
    }
    return true;
}

bool sw_problem_access_order(const struct sw_problem *problem, struct sw_accesses *list) {
    struct keyed_list keyed = {0};
    bool ok = true;
    list->count = 0;
    for (uint32_t i = 0; ok && i < sw_problem_buffer_count(problem); i++) {
        const struct sw_buffer *b = sw_problem_buffer(problem, i);
        if (b->planned && b->size > 0 && (b->tiers & 1)) {
            ok = add_accesses(&keyed, b, i);
        }
    }
    ok = ok && SW_RESERVE(list, keyed.count);
    sw_sort(keyed.items, keyed.count, sizeof *keyed.items, compare_keyed);
    for (size_t i = 0; ok && i < keyed.count; i++) {
        list->items[list->count++] = keyed.items[i].access;
    }
    SW_ARRAY_DONE(&keyed);
    return ok;
}

void sw_accesses_done(struct sw_accesses *list) {
    SW_ARRAY_DONE(list);
}

/* ---- room ---- */

uint64_t sw_problem_usable_bytes(const struct sw_problem *problem) {
    uint64_t room = sw_problem_tier(problem, 0)->capacity, capacity = room, at = 0;
    size_t count;
    const struct sw_reserved *reserved = sw_problem_reserved(problem, &count);
    while (capacity != SW_UNBOUNDED && at < capacity) {
        uint64_t lo = capacity, hi = capacity; /* the first range that ends above `at` */
        for (size_t i = 0; i < count; i++) {
            if (reserved[i].tier == 0 && reserved[i].hi > at && reserved[i].lo < lo) {
                lo = reserved[i].lo;
                hi = SW_MIN(reserved[i].hi, capacity);
            }
        }
        lo = SW_MAX(lo, at);
        room -= hi - lo;
        at = hi;
    }
    return room;
}

/* ---- Belady's rule ---- */

/* A buffer and its next access; a heap with the farthest on top. An entry with an access that is no longer
 * the next one of its buffer is out of date, and is thrown away when it comes up. */
struct wish {
    size_t next; /* index of the next access; SIZE_MAX: never */
    uint32_t buffer;
};
struct box {
    const struct sw_problem *problem;
    SW_ARRAY(struct wish) heap;
    uint64_t *held; /* per buffer: its bytes in the box */
    size_t *wanted; /* per buffer: its next access */
    bool *seen;     /* per buffer: accessed before */
    uint64_t room;  /* free bytes */
};

static bool farther(const struct wish *a, const struct wish *b) {
    return a->next != b->next ? a->next > b->next : a->buffer < b->buffer;
}

static bool push_wish(struct box *box, struct wish wish) {
    if (!SW_PUSH(&box->heap, wish)) {
        return false;
    }
    size_t at = box->heap.count - 1;
    for (; at > 0 && farther(&wish, &box->heap.items[(at - 1) / 2]); at = (at - 1) / 2) {
        box->heap.items[at] = box->heap.items[(at - 1) / 2];
    }
    box->heap.items[at] = wish;
    return true;
}

static void pop_wish(struct box *box) {
    struct wish last = box->heap.items[--box->heap.count];
    size_t at = 0, count = box->heap.count;
    for (size_t child; (child = 2 * at + 1) < count; at = child) {
        if (child + 1 < count && farther(&box->heap.items[child + 1], &box->heap.items[child])) {
            child++;
        }
        if (!farther(&box->heap.items[child], &last)) {
            break;
        }
        box->heap.items[at] = box->heap.items[child];
    }
    if (count > 0) {
        box->heap.items[at] = last;
    }
}

/* Make room, the farthest first. Everything else fits beside the present object, so this ends. */
static void free_room(struct box *box, uint64_t bytes) {
    while (box->room < bytes && box->heap.count > 0) {
        struct wish top = box->heap.items[0];
        uint64_t short_of = bytes - box->room, *held = &box->held[top.buffer];
        if (box->wanted[top.buffer] != top.next || *held == 0) {
            pop_wish(box);
            continue;
        }
        uint64_t out = *held < short_of ? *held : short_of;
        *held -= out;
        box->room += out;
    }
}

/* One access; `next` is the buffer's next one. */
static bool serve_access(struct box *box, const struct sw_access *access, size_t next, struct sw_migration *bound) {
    uint32_t id = access->buffer;
    uint64_t size = sw_problem_buffer(box->problem, id)->size, missing = size - box->held[id];
    box->wanted[id] = 0; /* in use: no entry of the heap matches */
    free_room(box, missing);
    if (missing > 0 && box->seen[id]) {
        if (bound->bytes > INT64_MAX - 2 * missing) {
            bound->bytes = INT64_MAX; /* a floor all the same */
        } else {
            bound->bytes += 2 * missing;
        }
        if (!SW_PUSH(bound, (struct sw_refetch){access->step, id, missing})) {
            return false;
        }
    }
    box->room -= missing;
    box->held[id] = size;
    box->seen[id] = true;
    box->wanted[id] = next;
    return push_wish(box, (struct wish){next, id});
}

static bool play_accesses(struct box *box, const struct sw_accesses *list, struct sw_migration *bound) {
    const struct sw_problem *problem = box->problem;
    uint32_t buffers = sw_problem_buffer_count(problem);
    size_t *next = SW_NEW(size_t, list->count);
    bool ok = next || list->count == 0;
    for (uint32_t b = 0; ok && b < buffers; b++) {
        box->wanted[b] = SIZE_MAX;
    }
    for (size_t i = list->count; ok && i-- > 0;) {
        next[i] = box->wanted[list->items[i].buffer];
        box->wanted[list->items[i].buffer] = i;
    }
    for (size_t i = 0; ok && i < list->count; i++) {
        const struct sw_buffer *b = sw_problem_buffer(problem, list->items[i].buffer);
        if (b->access_count > 0) {
            ok = serve_access(box, &list->items[i], next[i], bound);
        }
    }
    SW_FREE(next, list->count);
    return ok;
}

bool sw_problem_migration_bound(const struct sw_problem *problem, struct sw_migration *bound) {
    uint32_t buffers = sw_problem_buffer_count(problem);
    struct sw_accesses list = {0};
    struct box box = {.problem = problem,
                      .held = SW_NEW_ZERO(uint64_t, buffers),
                      .wanted = SW_NEW_ZERO(size_t, buffers),
                      .seen = SW_NEW_ZERO(bool, buffers),
                      .room = sw_problem_usable_bytes(problem)};
    bool ok = box.held && box.wanted && box.seen && sw_problem_access_order(problem, &list);
    bound->count = 0;
    bound->bytes = 0;
    bound->feasible = true;
    for (size_t i = 0; ok && i < list.count; i++) {
        const struct sw_buffer *b = sw_problem_buffer(problem, list.items[i].buffer);
        bound->feasible = bound->feasible && (b->access_count == 0 || b->size <= box.room);
    }
    if (ok && bound->feasible && box.room != SW_UNBOUNDED) {
        ok = play_accesses(&box, &list, bound);
    }
    SW_FREE(box.held, buffers);
    SW_FREE(box.wanted, buffers);
    SW_FREE(box.seen, buffers);
    SW_ARRAY_DONE(&box.heap, &list);
    return ok;
}

void sw_migration_done(struct sw_migration *bound) {
    SW_ARRAY_DONE(bound);
}
