/* segment-genetic: a population of sequences, measured.
 *
 * Members stand in an order; their sequences lie in rows that never move. One row more than the
 * population holds is there for the member being drawn. */
#include "planners/segments/segment_genetic.h"
#include "base/base.h"

static uint64_t sequences_digest(const void *of) {
    const struct sw_sequences *p = of;
    uint64_t digest = sw_fold(sw_fold(7, p->count), p->segments);
    for (uint32_t i = 0; i < p->count; i++) {
        const struct sw_sequence_member *m = &p->members[i];
        const uint32_t *sequence = sw_sequences_sequence(p, i);
        digest = sw_fold(sw_fold(digest, m->fitness.clashes), m->fitness.bytes);
        digest = sw_fold(digest, m->processed);
        for (uint32_t k = 0; k < p->objects; k++) {
            digest = sw_fold(digest, sequence[k]);
        }
    }
    return digest;
}

#define COUNT_SEQUENCES(name, expression) SW_HOW_MANY(name, struct sw_sequences, expression)
COUNT_SEQUENCES(sequence_rows, (size_t)o->capacity + 1)
COUNT_SEQUENCES(objects_of_rows, sequence_rows(o) * o->objects)
COUNT_SEQUENCES(segments_of_rows, sequence_rows(o) * o->segments)
COUNT_SEQUENCES(words_of_rows, sequence_rows(o) * o->words)
COUNT_SEQUENCES(segments_of, o->segments)
COUNT_SEQUENCES(words_of, o->mask_words)
COUNT_SEQUENCES(sequence_objects, o->objects)
#define STATE struct sw_sequences
const struct sw_described sw_sequences_described = {
    SW_STRUCT, .digest = sequences_digest,
    .fields =
        SW_FIELDS(SW_KEPT(objects, mask_words), SW_ITEMS(members, sequence_rows), SW_ITEMS(sequences, objects_of_rows),
                  SW_ITEMS(cost, segments_of_rows), SW_ITEMS(clash, segments_of_rows), SW_ITEMS(dirty, words_of_rows),
                  SW_ITEMS(residents, segments_of), SW_ITEMS(mask, words_of), SW_ITEMS(list, sequence_objects))};
#undef STATE

bool sw_sequences_init(struct sw_sequences *p, const struct sw_objects *o, uint32_t segments, uint32_t capacity) {
    *p = (struct sw_sequences){.objects = o->count,
                               .segments = segments,
                               .capacity = capacity,
                               .words = (segments + 63) / 64,
                               .mask_words = o->words};
    if (!sw_described_make(&sw_sequences_described, p)) {
        sw_described_done(&sw_sequences_described, p);
        return false;
    }
    for (uint32_t i = 0; i <= capacity; i++) {
        p->members[i].row = i;
    }
    return true;
}

uint32_t *sw_sequences_sequence(const struct sw_sequences *p, uint32_t i) {
    return p->sequences + (size_t)p->members[i].row * p->objects;
}

uint64_t *sw_sequences_dirty(const struct sw_sequences *p, uint32_t i) {
    return p->dirty + p->members[i].row * p->words;
}

void sw_sequences_measure(struct sw_sequences *p, const struct sw_objects *o, uint32_t i, bool whole) {
    struct sw_sequence_member *m = &p->members[i];
    const uint32_t *sequence = sw_sequences_sequence(p, i);
    uint64_t *cost = p->cost + (size_t)m->row * p->segments;
    uint32_t *clash = p->clash + (size_t)m->row * p->segments;
    uint64_t *dirty = sw_sequences_dirty(p, i);
    if (whole) {
        sw_segments_count(o, p->segments, sequence, p->residents, cost, clash);
    } else {
        sw_segments_recount(o, p->segments, sequence, dirty, p->residents, p->mask, cost, clash);
    }
    for (size_t w = 0; w < p->words; w++) {
        dirty[w] = 0;
    }
    m->fitness = (struct sw_segment_fitness){0};
    for (uint32_t s = 0; s < p->segments; s++) {
        m->fitness.bytes += cost[s];
        m->fitness.clashes += clash[s];
    }
    m->fitness.moved = m->fitness.bytes;
}

bool sw_sequences_price(struct sw_sequences *p, const struct sw_sequence_hooks *hooks, uint32_t i) {
    struct sw_sequence_member *m = &p->members[i];
    return !hooks || !hooks->price || m->fitness.clashes > 0 ||
           hooks->price(hooks->context, sw_sequences_sequence(p, i), &m->fitness);
}

/* Is the one being made among the members? Equal sequences move equal bytes. */
static bool is_population_known(const struct sw_sequences *p) {
    const struct sw_sequence_member *fresh = &p->members[p->count];
    const uint32_t *sequence = sw_sequences_sequence(p, p->count);
    for (uint32_t i = 0; i < p->count; i++) {
        if (p->members[i].fitness.bytes == fresh->fitness.bytes &&
            p->members[i].fitness.clashes == fresh->fitness.clashes &&
            memcmp(sequence, sw_sequences_sequence(p, i), p->objects * sizeof *sequence) == 0) {
            return true;
        }
    }
    return false;
}

/* Member number `count` is drawn: measure it, price it, and keep it when it is new. */
static enum sw_drawn keep_drawn(struct sw_sequences *p, const struct sw_objects *o,
                                const struct sw_sequence_hooks *hooks) {
    struct sw_sequence_member *m = &p->members[p->count];
    m->processed = false;
    sw_sequences_measure(p, o, p->count, true);
    if (!sw_sequences_price(p, hooks, p->count)) {
        return SW_DRAWN_FAILED;
    }
    m->before = m->fitness;
    if (is_population_known(p)) {
        return SW_DRAWN_KNOWN;
    }
    p->count++;
    return SW_DRAWN_NEW;
}

enum sw_drawn sw_sequences_draw(struct sw_sequences *p, const struct sw_objects *o,
                                const struct sw_partition *partition, const struct sw_sequence_hooks *hooks,
                                uint64_t *random, uint32_t *homeless) {
    uint32_t *sequence = sw_sequences_sequence(p, p->count);
    bool given = false;
    if (hooks && hooks->draw && !hooks->draw(hooks->context, sequence, &given)) {
        return SW_DRAWN_FAILED;
    }
    if (!given && !sw_segments_draw(o, partition, random, sequence, p->list, homeless)) {
        return SW_DRAWN_NOWHERE;
    }
    return keep_drawn(p, o, hooks);
}

enum sw_drawn sw_sequences_seed(struct sw_sequences *p, const struct sw_objects *o,
                                const struct sw_partition *partition, const struct sw_sequence_hooks *hooks,
                                enum sw_greedy_order order, uint64_t *looked, uint32_t *homeless) {
    bool too_large;
    struct sw_board *board = sw_board_new(o, partition, &too_large);
    *looked = 0;
    if (!board) {
        return too_large ? SW_DRAWN_KNOWN : SW_DRAWN_NO_MEMORY;
    }
    bool made = sw_board_greedy(board, order, sw_sequences_sequence(p, p->count), homeless);
    *looked = sw_board_looked(board);
    sw_board_free(board);
    return !made ? SW_DRAWN_NO_MEMORY : *homeless != SW_NONE ? SW_DRAWN_NOWHERE : keep_drawn(p, o, hooks);
}

/* Is member i equal to one of the first `count`? These are sorted, and equal ones are as fit. */
static bool is_twin_of_first(const struct sw_sequences *p, uint32_t i, uint32_t count) {
    const struct sw_sequence_member *m = &p->members[i];
    for (uint32_t k = count; k-- > 0 && !sw_segment_fitter(p->members[k].fitness, m->fitness);) {
        if (memcmp(sw_sequences_sequence(p, k), sw_sequences_sequence(p, i), p->objects * sizeof *p->sequences) == 0) {
            return true;
        }
    }
    return false;
}

/* Put member `from` before member `to`, which comes earlier. */
static void bring_forward(struct sw_sequences *p, uint32_t from, uint32_t to) {
    struct sw_sequence_member m = p->members[from];
    for (uint32_t k = from; k > to; k--) {
        p->members[k] = p->members[k - 1];
    }
    p->members[to] = m;
}

uint32_t sw_sequences_sort(struct sw_sequences *p, bool twins) {
    for (uint32_t i = 1; i < p->count; i++) { /* by insertion: stable, and mostly sorted already */
        uint32_t k = i;
        while (k > 0 && sw_segment_fitter(p->members[i].fitness, p->members[k - 1].fitness)) {
            k--;
        }
        bring_forward(p, i, k);
    }
    uint32_t apart = twins ? p->count : 0;
    for (uint32_t i = 0; i < p->count && !twins; i++) {
        if (!is_twin_of_first(p, i, apart)) {
            bring_forward(p, i, apart++);
        }
    }
    return apart;
}

void sw_sequences_keep(struct sw_sequences *p, const uint32_t *rows, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        uint32_t at = i;
        while (p->members[at].row != rows[i]) {
            at++;
        }
        bring_forward(p, at, i);
        p->members[i].processed = false;
    }
    p->count = count;
}
