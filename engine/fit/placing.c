#include "fit/placing.h"
#include "base/base.h"

#include "base/sort.h"

enum { KEPT_LAYOUTS = 48, PART_TRIES = 100 };
#define NOT_PLACED UINT64_MAX

/* A layout of what was born so far. */
struct partial {
    uint64_t *offsets; /* of each buffer; NOT_PLACED: it is not placed */
    uint64_t peak;
};

struct placing {
    const struct sw_problem *problem;
    uint32_t count; /* buffers */
    uint64_t limit, random, *work;
    bool *second;  /* of each buffer: it lies at the second end, if buffers take turns between the ends */
    uint32_t next; /* the step at which the part behind this one begins */
    struct partial kept[2][KEPT_LAYOUTS];
    size_t kept_count[2];
    struct partial attempt;
    SW_ARRAY(uint32_t) part;    /* buffers that are born in it, in the order that is tried */
    SW_ARRAY(uint32_t) staying; /* buffers that are placed then and live on: what the next part sees of a layout */
    struct sw_obstacles obstacles;
    struct sw_arena arena; /* `second`, and all offsets */
    bool no_memory;
};

SW_BY_FIELDS(by_lo, struct sw_obstacle, SW_UP(lo), SW_UP(hi))

SW_BY_FIELDS(by_hi, struct sw_obstacle, SW_DOWN(hi), SW_DOWN(lo))

/* What the placed buffers forbid to one. */
static bool gather_obstacles(struct placing *placing, uint32_t b) {
    struct sw_neighbors neighbors = sw_problem_neighbors(placing->problem, b);
    placing->obstacles.count = 0;
    for (uint32_t other; (other = sw_neighbors_next(&neighbors)) != SW_NONE;) {
        uint64_t offset = placing->attempt.offsets[other];
        *placing->work -= *placing->work > 0;
        if (offset != NOT_PLACED && !sw_problem_obstacles(placing->problem, b, SW_WHOLE_LIFE, other, SW_WHOLE_LIFE,
                                                          offset, &placing->obstacles)) {
            placing->no_memory = true;
            return false;
        }
    }
    return true;
}

/* Where a buffer is put, of the places that it can have. */
enum arena_side { BOTTOM, TOP, BESIDE_ANOTHER /* right above or below another one, at random */, RANDOM, IN_TURN };

static int64_t align_down(int64_t x, int64_t alignment) {
    return x >= 0 ? x / alignment * alignment : -1;
}

static int64_t align_up(int64_t x, int64_t alignment) {
    return (x + alignment - 1) / alignment * alignment;
}

/* The lowest place, or the highest one; may lie outside of the limit. */
static int64_t scan_places(struct placing *placing, int64_t size, int64_t alignment, bool top) {
    struct sw_obstacles *list = &placing->obstacles;
    int64_t x = top ? align_down((int64_t)placing->limit - size, alignment) : 0;
    sw_sort(list->items, list->count, sizeof *list->items, top ? by_hi : by_lo);
    for (size_t i = 0; i < list->count && x >= 0; i++) {
        const struct sw_obstacle *o = &list->items[i];
        if (x > o->lo - size && x < o->hi) {
            x = top ? align_down(o->lo - size, alignment) : align_up(o->hi, alignment);
        }
    }
    return x;
}

static bool is_place_free(const struct placing *placing, int64_t x, int64_t size) {
    bool good = x >= 0 && x + size <= (int64_t)placing->limit;
    for (size_t i = 0; good && i < placing->obstacles.count; i++) {
        const struct sw_obstacle *o = &placing->obstacles.items[i];
        good = x <= o->lo - size || x >= o->hi;
    }
    return good;
}

/* False: there is no place below the limit. */
static bool place_buffer(struct placing *placing, uint32_t b, enum arena_side side) {
    const struct sw_buffer *buffer = sw_problem_buffer(placing->problem, b);
    int64_t size = (int64_t)buffer->size, alignment = (int64_t)SW_MAX(buffer->alignment, 1), x = -1;
    if (!gather_obstacles(placing, b)) {
        return false;
    }
    for (int tries = 0;
         side == BESIDE_ANOTHER && tries < 4 && placing->obstacles.count > 0 && !is_place_free(placing, x, size);
         tries++) {
        const struct sw_obstacle *o =
            &placing->obstacles.items[sw_random_below(&placing->random, placing->obstacles.count)];
        x = sw_random(&placing->random) & 1 ? align_down(o->lo - size, alignment) : align_up(o->hi, alignment);
    }
    if (side != BESIDE_ANOTHER || !is_place_free(placing, x, size)) {
        x = scan_places(placing, size, alignment, side == TOP);
    }
    if (x < 0 || x + size > (int64_t)placing->limit) {
        return false;
    }
    placing->attempt.offsets[b] = (uint64_t)x;
    placing->attempt.peak = SW_MAX(placing->attempt.peak, (uint64_t)(x + size));
    return true;
}

/* Is there a layout kept already in which the buffers that live on lie at the same places? */
static bool is_layout_kept(const struct placing *placing, int to) {
    for (size_t k = 0; k < placing->kept_count[to]; k++) {
        bool same = true;
        for (size_t i = 0; same && i < placing->staying.count; i++) {
            uint32_t b = placing->staying.items[i];
            same = placing->kept[to][k].offsets[b] == placing->attempt.offsets[b];
        }
        if (same) {
            return true;
        }
    }
    return false;
}

/* Keep the attempt. If enough are kept, it replaces one at random. */
static void keep_attempt(struct placing *placing, int to) {
    size_t at = placing->kept_count[to];
    if (is_layout_kept(placing, to)) {
        return;
    }
    if (at == KEPT_LAYOUTS) {
        at = sw_random_below(&placing->random, KEPT_LAYOUTS);
    } else {
        placing->kept_count[to]++;
    }
    memcpy(placing->kept[to][at].offsets, placing->attempt.offsets, placing->count * sizeof *placing->attempt.offsets);
    placing->kept[to][at].peak = placing->attempt.peak;
}

/* Does it live on when the part is over? */
static bool buffer_lives_on(const struct placing *placing, uint32_t b) {
    return sw_problem_buffer(placing->problem, b)->last >= placing->next;
}

static bool is_tried_before(const struct placing *placing, uint32_t a, uint32_t b, bool staying_first) {
    bool one = buffer_lives_on(placing, a), other = buffer_lives_on(placing, b);
    return staying_first && one != other
               ? one
               : sw_problem_buffer(placing->problem, a)->size > sw_problem_buffer(placing->problem, b)->size;
}

/* How an attempt places buffers. The first ways put what a region reads at one end of the arena and its result at the
 * other, and leave the room between in one piece. */
struct placing_way {
    bool staying_first;
    enum arena_side staying,
        others;     /* RANDOM: any. IN_TURN: what is made lies at the other end than what it is made of */
    bool first_end; /* IN_TURN: which end the first ones have */
};
static struct placing_way way_of_attempt(uint32_t attempt) {
    static const struct placing_way ways[] = {{true, TOP, IN_TURN, false},    {true, TOP, IN_TURN, true},
                                              {true, BOTTOM, IN_TURN, false}, {true, BOTTOM, IN_TURN, true},
                                              {true, TOP, TOP, false},        {true, BOTTOM, BOTTOM, false},
                                              {true, TOP, BOTTOM, false},     {true, BOTTOM, TOP, false},
                                              {false, BOTTOM, BOTTOM, false}, {false, TOP, TOP, false}};
    return attempt < sizeof ways / sizeof *ways
               ? ways[attempt]
               : (struct placing_way){attempt % 2 == 1, RANDOM, attempt % 3 ? RANDOM : IN_TURN, attempt % 4 < 2};
}

static enum arena_side side_of(const struct placing *placing, uint32_t b, struct placing_way way) {
    enum arena_side side = buffer_lives_on(placing, b) ? way.staying : way.others;
    return side == IN_TURN ? (placing->second[b] == way.first_end ? BOTTOM : TOP) : side;
}

/* The order of an attempt: large buffers first, or those that live on first; then some are exchanged at random. */
static void shuffle_part(struct placing *placing, uint32_t attempt) {
    bool staying_first = way_of_attempt(attempt).staying_first;
    for (size_t i = 1; i < placing->part.count; i++) {
        uint32_t b = placing->part.items[i];
        size_t k = i;
        for (; k > 0 && is_tried_before(placing, b, placing->part.items[k - 1], staying_first); k--) {
            placing->part.items[k] = placing->part.items[k - 1];
        }
        placing->part.items[k] = b;
    }
    for (uint32_t swaps = attempt / 4; swaps > 0 && placing->part.count > 1; swaps--) {
        size_t a = sw_random_below(&placing->random, placing->part.count),
               b = sw_random_below(&placing->random, placing->part.count);
        uint32_t other = placing->part.items[a];
        placing->part.items[a] = placing->part.items[b];
        placing->part.items[b] = other;
    }
}

/* False: the budget is spent. */
static bool spend_work(struct placing *placing, uint64_t work) {
    *placing->work -= work < *placing->work ? work : *placing->work;
    return *placing->work > 0;
}

/* All layouts kept so far, with the buffers of one part added in many orders. */
static void place_part(struct placing *placing, int from) {
    int to = 1 - from;
    placing->kept_count[to] = 0;
    for (size_t k = 0; k < placing->kept_count[from] && !placing->no_memory; k++) {
        for (uint32_t attempt = 0; attempt < PART_TRIES && !placing->no_memory; attempt++) {
            bool good = true;
            if (!spend_work(placing, placing->count / 8 + placing->staying.count + 1)) {
                return;
            }
            memcpy(placing->attempt.offsets, placing->kept[from][k].offsets,
                   placing->count * sizeof *placing->attempt.offsets);
            placing->attempt.peak = placing->kept[from][k].peak;
            shuffle_part(placing, attempt);
            for (size_t i = 0; good && i < placing->part.count; i++) {
                enum arena_side side = side_of(placing, placing->part.items[i], way_of_attempt(attempt));
                good = place_buffer(placing, placing->part.items[i],
                                    side < RANDOM ? side : (enum arena_side)sw_random_below(&placing->random, RANDOM));
            }
            if (good) {
                keep_attempt(placing, to);
            }
            if (placing->part.count == 0) {
                break;
            }
        }
    }
}

/* Ends in turn: a buffer lies at the other end than the largest buffer of the same part that it is made of. */
static void set_turns(struct placing *placing, uint32_t from, uint32_t to) {
    const struct sw_problem *problem = placing->problem;
    for (uint32_t step = from; step < to && step < sw_problem_operator_count(problem); step++) {
        const struct sw_operator *op = sw_problem_operator(problem, step);
        uint64_t most = 0;
        bool second = false;
        for (uint32_t i = 0; i < op->input_count; i++) {
            const struct sw_buffer *input = sw_problem_buffer(problem, op->inputs[i].buffer);
            if (input->planned && input->size > most) {
                most = input->size;
                second = input->first >= from && !placing->second[op->inputs[i].buffer];
            }
        }
        for (uint32_t i = 0; i < op->output_count; i++) {
            uint32_t b = op->outputs[i].buffer;
            placing->second[b] = sw_problem_buffer(problem, b)->first == step ? second : placing->second[b];
        }
    }
}

static bool list_part(struct placing *placing, uint32_t from, uint32_t to) {
    bool good = true;
    placing->part.count = placing->staying.count = 0;
    set_turns(placing, from, to);
    for (uint32_t b = 0; good && b < placing->count; b++) {
        const struct sw_buffer *buffer = sw_problem_buffer(placing->problem, b);
        bool placed = buffer->planned && buffer->first < to;
        good = (!placed || buffer->first < from || SW_PUSH(&placing->part, b)) &&
               (!placed || buffer->last < to || SW_PUSH(&placing->staying, b));
    }
    return good;
}

static bool open_all(struct placing *placing) {
    placing->second = SW_NEW_IN(&placing->arena, bool, placing->count);
    placing->attempt.offsets = SW_NEW_IN(&placing->arena, uint64_t, placing->count);
    bool good = placing->second && placing->attempt.offsets;
    for (size_t k = 0; k < KEPT_LAYOUTS; k++) {
        placing->kept[0][k].offsets = SW_NEW_IN(&placing->arena, uint64_t, placing->count);
        placing->kept[1][k].offsets = SW_NEW_IN(&placing->arena, uint64_t, placing->count);
        good = good && placing->kept[0][k].offsets && placing->kept[1][k].offsets;
    }
    for (uint32_t b = 0; good && b < placing->count; b++) {
        placing->kept[0][0].offsets[b] = NOT_PLACED;
    }
    placing->kept_count[0] = 1;
    return good;
}

static void close_placing(struct placing *placing) {
    sw_arena_done(&placing->arena);
    SW_ARRAY_DONE(&placing->part, &placing->staying, &placing->obstacles);
}

bool sw_fit_place(const struct sw_problem *problem, const uint32_t *begins, size_t count, uint64_t limit, uint64_t seed,
                  uint64_t *work, uint64_t *offsets, bool *memory) {
    struct placing placing = {
        .problem = problem, .count = sw_problem_buffer_count(problem), .limit = limit, .random = seed, .work = work};
    int side = 0;
    bool good = open_all(&placing);
    for (size_t p = 0; good && !placing.no_memory && p <= count && placing.kept_count[side] > 0; p++, side = 1 - side) {
        uint32_t from = p == 0 ? 0 : begins[p - 1];
        placing.next = p == count ? UINT32_MAX : begins[p];
        good = list_part(&placing, from, placing.next);
        place_part(&placing, side);
    }
    *memory = good && !placing.no_memory;
    bool found = *memory && *work > 0 && placing.kept_count[side] > 0;
    size_t best = 0;
    for (size_t k = 1; found && k < placing.kept_count[side]; k++) {
        best = placing.kept[side][k].peak < placing.kept[side][best].peak ? k : best;
    }
    if (found) {
        memcpy(offsets, placing.kept[side][best].offsets, placing.count * sizeof *offsets);
    }
    close_placing(&placing);
    return found;
}
