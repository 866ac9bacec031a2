/* segment-genetic: a sequence made in the order of time, for devices that have hardly any room to spare.
 *
 * Access runs come one after the other. An object gets its segment at its first run, and what that costs shows at once:
 * clashes with objects that have a segment, and the bytes of the change of residents. Which choice was good shows
 * later. So many **states** go on side by side, as many as WIDEST_BEAM and the work allows: each tries every segment,
 * and the best of all that come of it stay. Two states that have all objects with clashes to come in the same segments
 * differ in what they have cost alone; the one that cost less stays. Where few objects wait for clashes, as in chains,
 * all states that matter stay, and a sequence without clashes is found where there is one.
 *
 * A state is a row: of each segment the run that is resident, and behind them, in a column of its own for each object
 * that is still needed, its segment. A node per choice says from which state it came. */
#include "planners/segments/segment_genetic.h"
#include "base/base.h"
#include "base/sort.h"

enum { WIDEST_BEAM = 256, BEAM_WORK = 4000000, BEAM_NODES = 8 << 20 };

struct beam_state {
    uint64_t bytes, waiting; /* waiting: a digest of where the objects are that have clashes to come */
    uint32_t clashes, node;
};
struct beam_child {
    uint64_t bytes, waiting;
    uint32_t clashes, next; /* next: the run that will need the object again that is resident there; SW_NONE: none */
    uint32_t parent, segment;
};
struct beam_node {
    uint32_t parent, segment;
};
struct beam_object {
    uint32_t first, last, until; /* runs; until: the last first run of an object that it clashes with */
    uint32_t column;             /* SW_NONE: it has none */
};
struct segment_beam {
    const struct sw_objects *o;
    const struct sw_partition *p;
    uint32_t width, count, columns, words; /* words: of a row */
    struct beam_object *objects;
    uint32_t *again; /* per run: the next one of its object */
    uint32_t *free;  /* columns that are free: a stack */
    uint32_t free_count;
    struct beam_state *states, *other;
    uint32_t *rows, *other_rows;
    struct beam_child *children;
    uint32_t child_count;
    uint32_t *clashes; /* per segment, and 0 between uses */
    struct beam_node *nodes;
    uint32_t node_count;
    uint32_t *order; /* objects in the order in which they got segments */
    uint64_t looked;
    struct sw_arena room;
};

/* ---- what is known beforehand ---- */

static uint32_t last_need(const struct beam_object *x) {
    return SW_MAX(x->last, x->until);
}

static void find_beam_runs(struct segment_beam *b) {
    const struct sw_objects *o = b->o;
    for (uint32_t i = 0; i < o->count; i++) {
        b->objects[i] = (struct beam_object){SW_NONE, 0, 0, SW_NONE};
    }
    for (uint32_t i = (uint32_t)o->run_count; i-- > 0;) {
        struct beam_object *x = &b->objects[o->runs[i].object];
        b->again[i] = x->first;
        x->last = x->first == SW_NONE ? i : x->last;
        x->first = i;
    }
    for (uint32_t i = 0; i < o->count; i++) {
        for (size_t k = o->clash_begin[i]; k < o->clash_begin[i + 1]; k++) {
            b->objects[i].until = SW_MAX(b->objects[i].until, b->objects[o->clashes[k]].first);
        }
    }
}

/* The most objects that need a column at a time. */
static bool count_columns(struct segment_beam *b) {
    uint32_t *ends = SW_NEW_ZERO(uint32_t, b->o->run_count), live = 0;
    for (uint32_t i = 0; ends && i < b->o->count; i++) {
        ends[last_need(&b->objects[i])]++;
    }
    for (uint32_t i = 0; ends && i < b->o->run_count; i++) {
        live += b->objects[b->o->runs[i].object].first == i;
        b->columns = SW_MAX(b->columns, live);
        live -= ends[i];
    }
    SW_FREE(ends, b->o->run_count);
    return ends != NULL;
}

static bool begin_segment_beam(struct segment_beam *b) {
    const struct sw_objects *o = b->o;
    uint32_t segments = b->p->count;
    b->objects = SW_NEW_IN(&b->room, struct beam_object, o->count);
    b->again = SW_NEW_IN(&b->room, uint32_t, o->run_count);
    b->order = SW_NEW_IN(&b->room, uint32_t, o->count);
    if (!b->objects || !b->again || !b->order) {
        return false;
    }
    find_beam_runs(b);
    if (!count_columns(b)) {
        return false;
    }
    b->words = segments + b->columns;
    uint64_t each = (uint64_t)o->count * (2 * (uint64_t)segments + b->words / 4 + 4) + o->run_count + 1;
    uint64_t width = SW_MIN(BEAM_WORK / each, BEAM_NODES / ((uint64_t)o->count + 1));
    b->width = (uint32_t)SW_MAX(1, SW_MIN(width, WIDEST_BEAM));
    b->free = SW_NEW_IN(&b->room, uint32_t, b->columns);
    b->states = SW_NEW_IN(&b->room, struct beam_state, b->width);
    b->other = SW_NEW_IN(&b->room, struct beam_state, b->width);
    b->rows = SW_NEW_IN(&b->room, uint32_t, (size_t)b->width * b->words);
    b->other_rows = SW_NEW_IN(&b->room, uint32_t, (size_t)b->width * b->words);
    b->children = SW_NEW_IN(&b->room, struct beam_child, (size_t)b->width * segments);
    b->clashes = SW_NEW_IN(&b->room, uint32_t, segments);
    b->nodes = SW_NEW_IN(&b->room, struct beam_node, (size_t)b->width * o->count);
    if (!b->free || !b->states || !b->other || !b->rows || !b->other_rows || !b->children || !b->clashes || !b->nodes) {
        return false;
    }
    while (b->free_count < b->columns) {
        b->free[b->free_count] = segments + b->free_count;
        b->free_count++;
    }
    memset(b->clashes, 0, segments * sizeof *b->clashes);
    sw_fill_none(b->rows, segments);
    b->states[0] = (struct beam_state){.node = SW_NONE};
    b->count = 1;
    return true;
}

/* ---- a run ---- */

static uint64_t waiting_key(uint32_t object, uint32_t segment) {
    return sw_mix((uint64_t)object << 32 | segment);
}

static uint64_t resident_change(const struct segment_beam *b, uint32_t resident, uint32_t run) {
    const struct sw_access_run *runs = b->o->runs;
    bool same = resident == SW_NONE || runs[resident].object == runs[run].object;
    return same ? 0 : runs[resident].out + runs[run].in;
}

/* What comes of a state where the object goes to each segment that it fits. */
static void add_children(struct segment_beam *b, uint32_t state, uint32_t object, uint32_t run) {
    const struct sw_objects *o = b->o;
    const uint32_t *row = b->rows + (size_t)state * b->words;
    uint64_t waiting = b->states[state].waiting;
    uint32_t fixed = b->p->free_owners ? SW_NONE : b->p->fixed[object];
    for (size_t k = o->clash_begin[object]; k < o->clash_begin[object + 1]; k++) {
        const struct beam_object *y = &b->objects[o->clashes[k]];
        if (y->first < run) {
            b->clashes[row[y->column]]++;
            waiting ^= y->until == run ? waiting_key(o->clashes[k], row[y->column]) : 0;
        }
    }
    for (uint32_t s = b->p->fitting[object]; s-- > 0;) {
        if (fixed == SW_NONE ? sw_partition_fits(b->p, o, object, s) : s == fixed) {
            b->children[b->child_count++] =
                (struct beam_child){.bytes = b->states[state].bytes + resident_change(b, row[s], run),
                                    .waiting = waiting ^ (b->objects[object].until > run ? waiting_key(object, s) : 0),
                                    .clashes = b->states[state].clashes + b->clashes[s],
                                    .next = row[s] == SW_NONE ? SW_NONE : b->again[row[s]],
                                    .parent = state,
                                    .segment = s};
        }
    }
    for (size_t k = o->clash_begin[object]; k < o->clash_begin[object + 1]; k++) {
        const struct beam_object *y = &b->objects[o->clashes[k]];
        if (y->first < run) {
            b->clashes[row[y->column]] = 0;
        }
    }
    b->looked += b->p->fitting[object];
}

SW_BY_FIELDS(compare_children, struct beam_child, SW_UP(clashes), SW_UP(bytes), SW_DOWN(next), SW_UP(parent),
             SW_DOWN(segment))

/* Is there a better one that has the waiting objects in the same segments? `seen` has a place for each. */
static bool is_child_known(uint64_t *seen, uint32_t places, uint64_t waiting) {
    uint32_t at = (uint32_t)waiting % places;
    while (seen[at] != 0 && seen[at] != waiting + 1) {
        at = (at + 1) % places;
    }
    bool known = seen[at] != 0;
    seen[at] = waiting + 1;
    return known;
}

/* The best children become the states. */
static void take_children(struct segment_beam *b, uint32_t object, uint32_t run) {
    enum { PLACES = 2 * WIDEST_BEAM };
    uint64_t seen[PLACES] = {0};
    struct beam_object *x = &b->objects[object];
    uint32_t count = 0;
    qsort(b->children, b->child_count, sizeof *b->children, compare_children);
    for (uint32_t i = 0; i < b->child_count && count < b->width; i++) {
        const struct beam_child *c = &b->children[i];
        if (is_child_known(seen, PLACES, c->waiting)) {
            continue;
        }
        uint32_t *row = b->other_rows + (size_t)count * b->words;
        memcpy(row, b->rows + (size_t)c->parent * b->words, b->words * sizeof *row);
        row[c->segment] = run;
        row[x->column] = c->segment;
        b->nodes[b->node_count] = (struct beam_node){b->states[c->parent].node, c->segment};
        b->other[count++] = (struct beam_state){c->bytes, c->waiting, c->clashes, b->node_count++};
    }
    b->count = count;
    struct beam_state *states = b->states;
    uint32_t *rows = b->rows;
    b->states = b->other;
    b->rows = b->other_rows;
    b->other = states;
    b->other_rows = rows;
}

static void free_column(struct segment_beam *b, struct beam_object *x) {
    b->free[b->free_count++] = x->column;
    x->column = SW_NONE;
}

/* The object gets a segment, in every state. False: it fits into none. */
static bool place_in_beam(struct segment_beam *b, uint32_t object, uint32_t run) {
    const struct sw_objects *o = b->o;
    b->objects[object].column = b->free[--b->free_count];
    b->child_count = 0;
    for (uint32_t i = 0; i < b->count; i++) {
        add_children(b, i, object, run);
    }
    take_children(b, object, run);
    for (size_t k = o->clash_begin[object]; k < o->clash_begin[object + 1]; k++) {
        struct beam_object *y = &b->objects[o->clashes[k]];
        if (y->column != SW_NONE && y->first < run && last_need(y) == run) {
            free_column(b, y);
        }
    }
    return b->count > 0;
}

static void access_in_beam(struct segment_beam *b, uint32_t object, uint32_t run) {
    for (uint32_t i = 0; i < b->count; i++) {
        uint32_t *row = b->rows + (size_t)i * b->words, *resident = &row[row[b->objects[object].column]];
        b->states[i].bytes += resident_change(b, *resident, run);
        *resident = run;
    }
}

/* Write the sequence of the state with the fewest clashes, then bytes. */
static void take_best_state(const struct segment_beam *b, uint32_t placed, uint32_t *sequence) {
    const struct beam_state *best = &b->states[0];
    for (uint32_t i = 1; i < b->count; i++) {
        const struct beam_state *s = &b->states[i];
        best = s->clashes < best->clashes || (s->clashes == best->clashes && s->bytes < best->bytes) ? s : best;
    }
    for (uint32_t node = best->node; placed > 0; node = b->nodes[node].parent) {
        sequence[b->order[--placed]] = b->nodes[node].segment;
    }
}

bool sw_segments_beam(const struct sw_objects *o, const struct sw_partition *p, uint32_t *sequence, uint64_t *looked,
                      uint32_t *homeless) {
    struct segment_beam b = {.o = o, .p = p};
    bool ok = begin_segment_beam(&b);
    uint32_t placed = 0;
    for (uint32_t i = 0; ok && *homeless == SW_NONE && i < o->run_count; i++) {
        uint32_t object = o->runs[i].object;
        if (b.objects[object].first < i) {
            access_in_beam(&b, object, i);
        } else {
            b.order[placed++] = object;
            *homeless = place_in_beam(&b, object, i) ? SW_NONE : object;
        }
        if (last_need(&b.objects[object]) == i) {
            free_column(&b, &b.objects[object]);
        }
    }
    if (ok && *homeless == SW_NONE) {
        take_best_state(&b, placed, sequence);
    }
    *looked += b.looked;
    sw_arena_done(&b.room);
    return ok;
}
