/* Online allocators against their rules restated: plain arrays and linear scans, written from the rules alone; nothing
 * here calls engine/heap but the heap under test.
 *
 * Random requests go to both. After each the same address must have come out and the same blocks must be there, byte by
 * byte; the heap must be sound, live blocks must not overlap, and every byte of a segment must be in exactly one block.
 */
#include "share.h"

#include "base/hash.h"
#include "heap/heap.h"
#include "stowage.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { TRACES = 1000, LIVE = 48, CROWD = 1200, PIECES = 3000, REGIONS = 3000, KIB = 1024 };
#define NOWHERE UINT64_MAX
#define ENDLESS UINT64_MAX

/* ---- the allocators restated ---- */

struct piece {
    bool used;
    uint64_t at, size; /* of tlsf the payload */
    int id, region;
    uint32_t owner;
    uint64_t born; /* tlsf: when it was listed */
};
struct plain {
    uint64_t limit, device, unit;
    struct piece pieces[PIECES]; /* by address */
    int count;
    bool gone[REGIONS]; /* regions, chunks */
    uint64_t base[REGIONS], bytes[REGIONS], top[REGIONS];
    int regions;
    /* bfc-arena */
    uint64_t cur, max_dead, after_shrink, max_extend, next;
    bool same, tensorflow, collects, coalesces;
    uint64_t max_chunk;              /* ggml-dyn */
    uint64_t sl, header, least, now; /* tlsf; `least` also of buddy */
    uint64_t arena;                  /* free-list, buddy */
};

static uint64_t up(uint64_t n, uint64_t unit) {
    return n % unit ? n + unit - n % unit : n;
}

static void insert(struct plain *p, int i, struct piece piece) {
    memmove(&p->pieces[i + 1], &p->pieces[i], (size_t)(p->count++ - i) * sizeof *p->pieces);
    p->pieces[i] = piece;
}

static void take_out(struct plain *p, int i) {
    memmove(&p->pieces[i], &p->pieces[i + 1], (size_t)(--p->count - i) * sizeof *p->pieces);
}

static int index_of(const struct plain *p, int id) {
    for (int i = 0; i < p->count; i++) {
        if (p->pieces[i].used && p->pieces[i].id == id) {
            return i;
        }
    }
    return -1;
}

/* The low n bytes of piece i stay, what is left becomes a free piece of the same owner, `gap` bytes behind it. */
static void cut(struct plain *p, int i, uint64_t n, uint64_t gap) {
    struct piece rest = p->pieces[i];
    rest.at += n + gap;
    rest.size -= n + gap;
    rest.used = false;
    p->pieces[i].size = n;
    insert(p, i + 1, rest);
}

static uint64_t use(struct plain *p, int i, int id, uint32_t owner) {
    p->pieces[i].used = true;
    p->pieces[i].id = id;
    p->pieces[i].owner = owner;
    return p->pieces[i].at;
}

static uint64_t sum_of_regions(const struct plain *p) {
    uint64_t sum = 0;
    for (int r = 0; r < p->regions; r++) {
        sum += p->gone[r] ? 0 : p->bytes[r];
    }
    return sum;
}

/* -- free-list -- */

static uint64_t free_list_alloc(struct plain *p, int id, uint64_t size, uint32_t stream) {
    uint64_t n = up(size, p->unit);
    int found = -1;
    (void)stream;
    for (int i = p->count - 1; i >= 0; i--) {
        found = !p->pieces[i].used && p->pieces[i].size >= n ? i : found;
    }
    if (found < 0) {
        bool extends = p->count > 0 && !p->pieces[p->count - 1].used;
        uint64_t more = n - (extends ? p->pieces[p->count - 1].size : 0);
        if (p->limit != ENDLESS && p->arena + more > p->limit) {
            return NOWHERE;
        }
        if (!extends) {
            insert(p, p->count, (struct piece){.at = p->arena});
        }
        p->pieces[p->count - 1].size = n;
        p->arena += more;
        found = p->count - 1;
    }
    if (p->pieces[found].size - n >= p->unit) {
        cut(p, found, n, 0);
    }
    return use(p, found, id, 0);
}

/* Merge with both neighbors that are free, and like it. `gap` bytes between two pieces join the merged one. */
static int merge(struct plain *p, int i, uint64_t gap) {
    p->pieces[i].used = false;
    for (int k = i, least = i > 0 ? i - 1 : 0; k >= least; k--) {
        struct piece *a = &p->pieces[k], *b = a + 1;
        if (k + 1 < p->count && !a->used && !b->used && a->region == b->region && a->owner == b->owner) {
            a->size += gap + b->size;
            take_out(p, k + 1);
            i = k;
        }
    }
    return i;
}

static void plain_free(struct plain *p, int id) {
    int i = index_of(p, id);
    if (i >= 0) {
        merge(p, i, 0);
    }
}

/* -- bfc-arena -- */

static int bfc_find(const struct plain *p, uint64_t n, uint32_t stream) {
    int best = -1;
    for (int i = 0; i < p->count; i++) {
        const struct piece *c = &p->pieces[i];
        bool fits = !c->used && c->size >= n && (c->owner == 0 || c->owner == stream);
        best = fits && (best < 0 || c->size < p->pieces[best].size) ? i : best;
    }
    return best;
}

/* x to 24 significant bits, halves to even. */
static uint64_t single(uint64_t x) {
    uint64_t unit = 1;
    while (x / unit >= 1 << 24) {
        unit *= 2;
    }
    uint64_t low = x % unit, high = x / unit;
    high += low * 2 > unit || (low * 2 == unit && high % 2 == 1);
    return high * unit;
}

/* float32(x) * float32(0.9): the latter is 15099494 / 2^24. */
static uint64_t tenth_less(uint64_t x) {
    uint64_t unit = 1, product;
    for (x = single(x); x % 2 == 0 && x > 0; x /= 2) {
        unit *= 2;
    }
    product = single(x * 15099494);
    return unit >= 1 << 24 ? product * (unit >> 24) : product / ((1 << 24) / unit);
}

static bool bfc_grow(struct plain *p, uint64_t n) {
    uint64_t total = sum_of_regions(p), region = n;
    uint64_t room = p->limit == ENDLESS ? ENDLESS - 255 : (p->limit - total) / 256 * 256;
    bool raised = false;
    if (n > room) {
        return false;
    }
    if (!p->same) {
        for (; n > p->cur; p->cur *= 2) {
            raised = true;
        }
        region = p->cur < room ? p->cur : room;
        if (!raised && !p->tensorflow) {
            p->cur = 2 * p->cur < p->max_extend ? 2 * p->cur : p->max_extend;
        }
    }
    while (p->device != ENDLESS && total + region > p->device) {
        uint64_t less = up(tenth_less(region), 256);
        if (less < n || less >= region || (less < 8192 && !p->tensorflow)) {
            return false;
        }
        region = less;
    }
    if (!raised && p->tensorflow) {
        p->cur *= 2;
    }
    int r = p->regions;
    bool extends = p->coalesces && r > 0 && !p->gone[r - 1];
    r -= extends;
    if (!extends) {
        p->base[r] = p->next;
        p->bytes[r] = 0;
        p->regions++;
    }
    p->bytes[r] += region;
    insert(p, p->count, (struct piece){.at = p->next, .size = region, .region = r});
    merge(p, p->count - 1, 0);
    p->next += region;
    return true;
}

static int bfc_give_back(struct plain *p, int from) {
    int given = 0;
    for (int r = from; r < p->regions; r++) {
        bool any = p->gone[r];
        for (int i = 0; i < p->count; i++) {
            any = any || (p->pieces[i].region == r && p->pieces[i].used);
        }
        for (int i = p->count - 1; i >= 0 && !any; i--) {
            if (p->pieces[i].region == r) {
                take_out(p, i);
            }
        }
        given += !any;
        p->gone[r] = p->gone[r] || !any;
    }
    return given;
}

static uint64_t bfc_alloc(struct plain *p, int id, uint64_t size, uint32_t stream) {
    uint64_t n = up(size, 256);
    if (bfc_find(p, n, stream) < 0 && !bfc_grow(p, n) && !(p->collects && bfc_give_back(p, 0) > 0 && bfc_grow(p, n))) {
        return NOWHERE;
    }
    int i = bfc_find(p, n, stream);
    if (p->pieces[i].size >= 2 * n || p->pieces[i].size - n >= p->max_dead) {
        if (p->pieces[i].size > n) {
            cut(p, i, n, 0);
        }
    }
    return use(p, i, id, stream);
}

static void bfc_empty(struct plain *p) {
    if (!p->tensorflow) {
        bfc_give_back(p, p->same ? 0 : 1);
        p->cur = p->after_shrink;
    }
}

/* -- ggml-dyn -- */

/* The last free block of a chunk. */
static int ggml_last(const struct plain *p, int chunk) {
    int last = -1;
    for (int i = 0; i < p->count; i++) {
        last = !p->pieces[i].used && p->pieces[i].region == chunk ? i : last;
    }
    return last;
}

static uint64_t ggml_alloc(struct plain *p, int id, uint64_t size, uint32_t stream) {
    uint64_t n = up(size, p->unit), total = 0;
    int found = -1;
    (void)stream;
    for (int c = 0; c < p->regions; c++) {
        uint64_t best = UINT64_MAX;
        int last = ggml_last(p, c);
        for (int i = 0; i < p->count; i++) {
            const struct piece *b = &p->pieces[i];
            if (b->region == c && !b->used && i != last && b->size >= n && b->size <= best) {
                best = b->size;
                found = i;
            }
        }
    }
    if (found < 0) {
        int64_t best = INT64_MIN;
        for (int c = 0; c < p->regions; c++) {
            int last = ggml_last(p, c);
            if (last >= 0 && p->pieces[last].size >= n) {
                int64_t r = (int64_t)p->top[c] - (int64_t)(p->pieces[last].at - p->base[c]) - (int64_t)n;
                if ((best < 0 && r > best) || (r >= 0 && r < best)) {
                    best = r;
                    found = last;
                }
            }
        }
    }
    if (found < 0) {
        int c = p->regions;
        uint64_t bytes = c == 15 ? INT64_MAX : n > p->max_chunk ? n : p->max_chunk;
        for (int k = 0; k < c; k++) {
            total += p->top[k];
        }
        if (c == 16 || (p->limit != ENDLESS && total + n > p->limit)) {
            return NOWHERE;
        }
        p->base[c] = p->next;
        p->next += bytes;
        p->top[c] = 0;
        p->regions++;
        insert(p, p->count, (struct piece){.at = p->base[c], .size = bytes, .region = c});
        found = p->count - 1;
    }
    int c = p->pieces[found].region;
    uint64_t end = p->pieces[found].at - p->base[c] + n, top = end > p->top[c] ? end : p->top[c];
    total = top - p->top[c];
    for (int k = 0; k < p->regions; k++) {
        total += p->top[k];
    }
    if (p->limit != ENDLESS && total > p->limit) {
        return NOWHERE;
    }
    p->top[c] = top;
    if (p->pieces[found].size > n) {
        cut(p, found, n, 0);
    }
    return use(p, found, id, 0);
}

/* -- tlsf -- */

static uint64_t floor_log(uint64_t n) {
    return n > 1 ? 1 + floor_log(n / 2) : 0;
}

/* Lists in the order of the search, as numbers. */
static uint64_t tlsf_list(const struct plain *p, uint64_t s) {
    uint64_t width = p->unit << p->sl, f = floor_log(s);
    if (s < width) {
        return s / p->unit;
    }
    return ((f - floor_log(width) + 1) << 32) + (s >> (f - p->sl)) - (1 << p->sl);
}

static uint64_t tlsf_alloc(struct plain *p, int id, uint64_t size, uint32_t stream) {
    uint64_t n = up(size, p->unit) > p->least ? up(size, p->unit) : p->least, m = n;
    int found = -1;
    (void)stream;
    if (n >= p->unit << p->sl) {
        m = n + (UINT64_C(1) << (floor_log(n) - p->sl)) - 1;
    }
    for (int i = 0; i < p->count; i++) {
        const struct piece *b = &p->pieces[i];
        uint64_t list = tlsf_list(p, b->size);
        if (b->used || list < tlsf_list(p, m)) {
            continue;
        }
        uint64_t best = found < 0 ? UINT64_MAX : tlsf_list(p, p->pieces[found].size);
        found = list < best || (list == best && b->born > p->pieces[found].born) ? i : found;
    }
    if (found < 0) {
        return NOWHERE;
    }
    bool splits = p->pieces[found].size >= n + p->header + p->least;
    uint64_t end = p->pieces[found].at + (splits ? n : p->pieces[found].size);
    if (p->limit != ENDLESS && end > p->limit) {
        return NOWHERE;
    }
    p->top[0] = end > p->top[0] ? end : p->top[0];
    if (splits) {
        cut(p, found, n, p->header);
        p->pieces[found + 1].born = ++p->now;
    }
    return use(p, found, id, 0);
}

static void tlsf_free(struct plain *p, int id) {
    int i = index_of(p, id);
    if (i >= 0) {
        i = merge(p, i, p->header);
        p->pieces[i].born = ++p->now;
    }
}

/* -- buddy -- */

static void buddy_join(struct plain *p, int i) {
    p->pieces[i].used = false;
    while (p->pieces[i].size < p->arena) {
        int buddy = -1;
        for (int k = 0; k < p->count; k++) {
            if (!p->pieces[k].used && p->pieces[k].at == (p->pieces[i].at ^ p->pieces[i].size) &&
                p->pieces[k].size == p->pieces[i].size) {
                buddy = k;
            }
        }
        if (buddy < 0) {
            return;
        }
        int low = buddy < i ? buddy : i;
        p->pieces[low].size *= 2;
        take_out(p, low + 1);
        i = low;
    }
}

static uint64_t buddy_alloc(struct plain *p, int id, uint64_t size, uint32_t stream) {
    uint64_t n = 1;
    (void)stream;
    while (n < size || n < p->least) {
        n *= 2;
    }
    for (;;) {
        int best = -1;
        for (int i = 0; i < p->count; i++) {
            const struct piece *b = &p->pieces[i];
            best = !b->used && b->size >= n && (best < 0 || b->size < p->pieces[best].size) ? i : best;
        }
        if (best >= 0) {
            while (p->pieces[best].size > n) {
                cut(p, best, p->pieces[best].size / 2, 0);
            }
            return use(p, best, id, 0);
        }
        uint64_t more = p->arena == 0 ? n : p->arena;
        if (p->limit != ENDLESS && p->arena + more > p->limit) {
            return NOWHERE;
        }
        insert(p, p->count, (struct piece){.at = p->arena, .size = more});
        p->arena += more;
        buddy_join(p, p->count - 1);
    }
}

static void buddy_free(struct plain *p, int id) {
    int i = index_of(p, id);
    if (i >= 0) {
        buddy_join(p, i);
    }
}

/* ---- settings ---- */

/* Of "key=value key=value"; `fallback` where the key is not there. */
static uint64_t value_of(const char *settings, const char *key, uint64_t fallback) {
    char wanted[64];
    snprintf(wanted, sizeof wanted, "%s=", key);
    const char *at = strstr(settings, wanted);
    return at ? strtoull(at + strlen(wanted), NULL, 10) : fallback;
}

static bool has(const char *settings, const char *words) {
    return strstr(settings, words) != NULL;
}

static void set_free_list(struct plain *p, const char *s) {
    p->unit = value_of(s, "align", 16);
}

static void set_bfc(struct plain *p, const char *s) {
    p->tensorflow = has(s, "flavor=tensorflow");
    p->same = has(s, "same-as-requested");
    p->collects = has(s, "garbage_collection=true");
    p->coalesces = has(s, "coalesce_regions=true");
    uint64_t initial = value_of(s, "initial", p->tensorflow ? 2 * KIB * KIB : KIB * KIB);
    p->cur = up(initial < p->limit ? initial : p->limit, 256);
    p->max_dead = value_of(s, "max_dead", 128 * KIB * KIB);
    p->after_shrink = value_of(s, "growth_after_shrink", 2 * KIB * KIB);
    p->max_extend = value_of(s, "max_extend", UINT64_C(1) << 30);
}

static void set_ggml(struct plain *p, const char *s) {
    p->unit = value_of(s, "alignment", 32);
    p->max_chunk = value_of(s, "max_chunk", INT64_MAX);
}

static void set_tlsf(struct plain *p, const char *s) {
    p->unit = value_of(s, "align", 8);
    p->sl = value_of(s, "sl", 5);
    p->header = value_of(s, "header", 0);
    p->least = value_of(s, "least", p->header == 8 ? 24 : p->unit);
    p->regions = 1;
    p->count = 1;
    p->pieces[0] = (struct piece){.size = value_of(s, "size", UINT64_C(1) << 46)};
}

static void set_buddy(struct plain *p, const char *s) {
    p->least = value_of(s, "least", 256);
    p->arena = value_of(s, "initial", 0);
    p->limit = p->limit < p->arena ? p->arena : p->limit;
    p->count = p->arena > 0;
    p->pieces[0] = (struct piece){.size = p->arena};
}

static void nothing(struct plain *p) {
    (void)p;
}

/* An allocator under some settings; `most` is the size of a usual large request. */
static const struct trial {
    const char *name; /* of the planner */
    void (*set)(struct plain *, const char *settings);
    uint64_t (*alloc)(struct plain *, int id, uint64_t size, uint32_t stream);
    void (*free)(struct plain *, int id);
    void (*empty)(struct plain *);
    const char *settings;
    uint64_t most;
    uint32_t streams;
} trials[] = {
#define FREE_LIST(...) \
    { "free-list", set_free_list, free_list_alloc, plain_free, nothing, __VA_ARGS__ }
    FREE_LIST("", 2000, 1),
    FREE_LIST("align=1", 64, 1),
    FREE_LIST("align=512", 9000, 1),
#define BFC(...) \
    { "bfc-arena", set_bfc, bfc_alloc, plain_free, bfc_empty, __VA_ARGS__ }
    BFC("", 900 * KIB, 1),
    BFC("initial=4096 growth_after_shrink=2048", 6000, 1),
    BFC("initial=4096 max_dead=1024 max_extend=16384", 6000, 1),
    BFC("initial=8192 max_extend=5000", 6000, 1),
    BFC("strategy=same-as-requested", 6000, 1),
    BFC("initial=8192 max_dead=512", 20000, 3),
    BFC("strategy=same-as-requested max_dead=512", 6000, 3),
    BFC("flavor=tensorflow", 3000 * KIB, 1),
    BFC("flavor=tensorflow initial=4294967296", UINT64_C(1) << 36, 1),
    BFC("flavor=tensorflow initial=4096 garbage_collection=true", 6000, 1),
    BFC("flavor=tensorflow initial=4096 max_dead=768 coalesce_regions=true garbage_collection=true", 6000, 2),
#define GGML(...) \
    { "ggml-dyn", set_ggml, ggml_alloc, plain_free, nothing, __VA_ARGS__ }
    GGML("", 500, 1),
    GGML("alignment=256", 4000, 1),
    GGML("alignment=16 max_chunk=512", 300, 1),
    GGML("alignment=8 max_chunk=100", 200, 1),
    GGML("alignment=1 max_chunk=4000", 900, 1),
#define TLSF(...) \
    { "tlsf", set_tlsf, tlsf_alloc, tlsf_free, nothing, __VA_ARGS__ }
    TLSF("", 3000, 1),
    TLSF("header=8", 3000, 1),
    TLSF("align=16 sl=4 least=32 size=16384", 2000, 1),
    TLSF("align=1 sl=0", 100, 1),
    TLSF("align=4 sl=2 header=8 size=8191", 900, 1),
    TLSF("align=32 sl=6 header=4", 100000, 1),
#define BUDDY(...) \
    { "buddy", set_buddy, buddy_alloc, buddy_free, nothing, __VA_ARGS__ }
    BUDDY("", 4000, 1),
    BUDDY("least=1", 60, 1),
    BUDDY("least=64 initial=8192", 1500, 1),
    BUDDY("least=256 initial=16", 1500, 1),
};

/* ---- both at once ---- */

struct both {
    const struct trial *trial;
    uint64_t seed, requests;
    uint64_t buffers;
    bool live[CROWD];
    struct plain plain;
    struct sw_heap *heap;
};

static void must(bool ok, const struct both *b, const char *what) {
    if (!ok) {
        fprintf(stderr, "%s %s, seed %" PRIu64 ", request %" PRIu64 ": %s\n", b->trial->name, b->trial->settings,
                b->seed, b->requests, what);
        exit(1);
    }
}

static void open_heap(struct both *b) {
    const struct sw_planner *planner = sw_planner_find(b->trial->name, NULL);
    struct sw_params params = SW_PARAMS_DEFAULT;
    struct sw_error error = {0};
    char text[256], *save = NULL;
    snprintf(text, sizeof text, "%s", b->trial->settings);
    for (char *word = strtok_r(text, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
        char *value = strchr(word, '=');
        *value = '\0';
        must(sw_params_set(&params, word, value + 1, &error), b, error.message);
    }
    must(sw_params_check(&params, planner, &error), b, error.message);
    b->heap =
        sw_heap_new(planner->context, (uint32_t)b->buffers, &params, planner, b->plain.limit, b->plain.device, &error);
    must(b->heap != NULL, b, error.message);
    sw_params_done(&params);
}

/* Every byte of a segment is in exactly one block, and no two segments overlap. So blocks do not, either. */
static void bytes_once(const struct both *b) {
    const struct sw_heap *heap = b->heap;
    for (size_t s = 0; s < heap->segments.count; s++) {
        const struct sw_heap_segment *segment = &heap->segments.items[s];
        uint64_t at = segment->address;
        for (uint32_t i = segment->live ? segment->first : SW_NONE; i != SW_NONE; i = heap->blocks.items[i].next) {
            const struct sw_heap_block *block = &heap->blocks.items[i];
            must(block->address == at && block->size > 0, b, "blocks do not follow one another");
            at += block->size;
        }
        must(!segment->live || at == segment->address + segment->span, b, "blocks do not fill the segment");
        for (size_t t = 0; t < s; t++) {
            const struct sw_heap_segment *other = &heap->segments.items[t];
            must(!segment->live || !other->live || segment->address + segment->span <= other->address ||
                     other->address + other->span <= segment->address,
                 b, "segments overlap");
        }
    }
}

/* The same pieces on both sides, and the same sums. */
static void compare(const struct both *b) {
    const struct plain *p = &b->plain;
    const struct sw_heap *heap = b->heap;
    uint64_t used = 0, reserved = p->arena;
    int blocks = 0;
    for (size_t i = 0; i < heap->blocks.count; i++) {
        blocks += heap->blocks.items[i].state != SW_BLOCK_GONE;
    }
    must(blocks == p->count, b, "another number of blocks");
    for (int i = 0; i < p->count; i++) {
        const struct piece *piece = &p->pieces[i];
        bool there = false;
        for (size_t k = 0; k < heap->blocks.count && !there; k++) {
            const struct sw_heap_block *block = &heap->blocks.items[k];
            there = block->state == (piece->used ? SW_BLOCK_USED : SW_BLOCK_FREE) && block->address == piece->at &&
                    block->size == piece->size + p->header &&
                    block->buffer == (piece->used ? (uint32_t)piece->id : SW_NONE) &&
                    (b->trial->streams == 1 || block->stream == piece->owner);
        }
        must(there, b, "a block is missing");
        used += piece->used ? piece->size + p->header : 0;
        must(i == 0 || piece[-1].at + piece[-1].size <= piece->at, b, "the restated rules overlap");
    }
    reserved += sum_of_regions(p);
    for (int r = 0; r < p->regions; r++) {
        reserved += p->top[r];
    }
    must(heap->reserved == reserved, b, "another amount is reserved");
    must(heap->allocated == used, b, "another amount is allocated");
    must(reserved <= p->limit && reserved <= p->device, b, "more is reserved than may be");
}

static uint64_t draw_size(uint64_t *r, uint64_t most) {
    switch (sw_random_below(r, 12)) {
    case 0:
        return sw_random_below(r, 10) ? 1 + sw_random_below(r, 9) : 0;
    case 1:
        return 1 + sw_random_below(r, 4 * most);
    case 2:
    case 3:
        return UINT64_C(1) << sw_random_below(r, floor_log(most) + 1);
    case 4:
    case 5:
        return most / (1 + sw_random_below(r, 6)) - sw_random_below(r, 2);
    case 6:
    case 7: /* a few sizes over and over, so that there are equal holes */
        return 1 + most * (1 + sw_random_below(r, 4)) / 8;
    default:
        return 1 + sw_random_below(r, most);
    }
}

/* The parts of the waste add up, whatever free blocks are compared with. */
static void waste_adds_up(const struct both *b, uint64_t wanted) {
    struct sw_heap_waste w;
    sw_heap_waste(b->heap, wanted, &w);
    must(w.rounding + w.unsplit + w.waiting + w.small_holes + w.holes + w.cached ==
             b->heap->reserved - b->heap->requested,
         b, "the parts of the waste do not add up");
}

static void step(struct both *b, uint64_t *r, bool grows) {
    struct sw_turn turn = SW_TURN_NEW;
    struct sw_error error = {0};
    uint64_t got = NOWHERE, wanted = NOWHERE;
    int id = (int)sw_random_below(r, b->buffers);
    turn.buffer = (uint32_t)id;
    if (sw_random_below(r, 60) == 0) {
        turn.kind = SW_REQUEST_EMPTY;
        turn.buffer = SW_NONE;
        b->trial->empty(&b->plain);
    } else if (b->live[id]) {
        if (grows && sw_random_below(r, 3)) {
            return;
        }
        turn.kind = SW_REQUEST_FREE;
        b->live[id] = false;
        b->trial->free(&b->plain, id);
    } else {
        turn.size = draw_size(r, b->trial->most);
        turn.stream = (uint32_t)sw_random_below(r, b->trial->streams);
        b->live[id] = true;
        wanted = turn.size ? b->trial->alloc(&b->plain, id, turn.size, turn.stream) : NOWHERE;
    }
    b->requests++;
    must(sw_heap_serve(b->heap, &turn, NULL, &got, &error), b, error.message);
    must(got == wanted, b, "another address");
    if (b->buffers == LIVE || b->requests % 500 == 0) {
        must(sw_heap_sound(b->heap, &error), b, error.message);
        compare(b);
        bytes_once(b);
        waste_adds_up(b, turn.rounded);
    }
}

static uint64_t run(const struct trial *trial, uint64_t seed) {
    struct both b = {.trial = trial, .seed = seed, .buffers = LIVE, .plain = {.limit = ENDLESS, .device = ENDLESS}};
    uint64_t r = sw_fold(seed, (uint64_t)(trial - trials)), length = 20 + sw_random_below(&r, 120);
    if (seed % 100 == 1) { /* a long one, with many free blocks */
        b.buffers = CROWD;
        length = 2500;
    }
    if (seed % 3 == 0) {
        b.plain.limit = trial->most * (1 + sw_random_below(&r, 16)) + sw_random_below(&r, 300);
    }
    if (trial->set == set_bfc && seed % 4 == 0) {
        b.plain.device = trial->most * (1 + sw_random_below(&r, 20)) + sw_random_below(&r, 300);
    }
    trial->set(&b.plain, trial->settings);
    open_heap(&b);
    compare(&b);
    for (uint64_t i = 0; i < length; i++) {
        step(&b, &r, i % 50 < 30);
        if (sw_random_below(&r, 40) == 0) { /* a clone goes on in its place */
            struct sw_heap *copy = sw_heap_clone(b.heap);
            must(copy && sw_heap_digest(copy) == sw_heap_digest(b.heap), &b, "a clone differs");
            sw_heap_free(b.heap);
            b.heap = copy;
        }
    }
    for (int id = 0; id < (int)b.buffers; id++) {
        trial->free(&b.plain, id);
        struct sw_turn turn = SW_TURN_NEW;
        turn.kind = SW_REQUEST_FREE;
        turn.buffer = (uint32_t)id;
        must(sw_heap_serve(b.heap, &turn, NULL, NULL, NULL), &b, "memory");
    }
    compare(&b);
    must(b.heap->allocated == 0 && b.heap->requested == 0, &b, "something stays allocated");
    sw_heap_free(b.heap);
    return b.requests;
}

int main(void) {
    const char *begin = getenv("SW_PROPERTY_SEED");
    uint64_t from = begin ? strtoull(begin, NULL, 10) : 1, requests = 0;
    for (size_t t = 0; t < sizeof trials / sizeof *trials; t++) {
        for (uint64_t seed = from + first_case(TRACES), seed_end = seed + cases(TRACES); seed < seed_end; seed++) {
            requests += run(&trials[t], seed);
        }
    }
    printf("%zu settings, %" PRIu64 " traces each, %" PRIu64 " requests\n", sizeof trials / sizeof *trials,
           cases(TRACES), requests);
    return 0;
}
