/* Holes in lifetimes and byte windows are exact: what a buffer does not hold at a step is free for
 * others at that step.
 *
 * - Nests: buffers in the holes of others, and those in the holes of these. Every planner needs no
 *   more than the largest.
 * - Shelves: a buffer holds more and more (or less and less) of its bytes, others take what it
 * leaves. Every planner needs no more than its size.
 * - First fit restated piece by piece, on problems without any such order.
 * - The checker, on layouts that no planner made, finds the pairs that share a byte, and no others.
 *
 * token-sharing takes the hull, and says so: tests/unit/test_token_layers.c. Planners that move
 * buffers in mid-life are judged step by step in test_segments. */
#include "share.h"
#include "model.h"
#include "faults.h"

#include <stdio.h>
#include <string.h>

enum { NESTS = 1500, SHELVES = 1500, RESTATED = 1500, JUDGED = 1500, STEPS = 24 };

static uint64_t runs[3], hulls_need_more, judged[2];

static int add_buffer(struct model *m, uint64_t size) {
    int i = m->buffer_count++;
    struct model_buffer *b = &m->buffers[i];
    *b = (struct model_buffer){.kind = SW_KIND_INTERMEDIATE,
                               .planned = true,
                               .size = size,
                               .alignment = 1,
                               .tiers = m->tier_count > 1 ? 3 : 1,
                               .tier = -1,
                               .writer = -1};
    snprintf(b->name, sizeof b->name, "b%d", i);
    return i;
}

/* Alive at a step, with a window; the same window again makes the last piece longer. */
static void live(struct model *m, int i, int64_t step, uint64_t lo, uint64_t hi) {
    struct model_buffer *b = &m->buffers[i];
    struct model_piece *last = b->pieces ? &b->piece[b->pieces - 1] : NULL;
    if (last && last->last + 1 == step && last->lo == lo && last->hi == hi) {
        last->last = step;
    } else {
        b->piece[b->pieces++] = (struct model_piece){step, step, lo, hi};
    }
    b->first = b->piece[0].first;
    b->last = step;
}

static void begin(struct model *m, uint64_t seed) {
    *m = (struct model){.seed = seed,
                        .cores = 1,
                        .tier_count = seed % 2 ? 1 : 2,
                        .accesses = true,
                        .capacity = {SW_UNBOUNDED, SW_UNBOUNDED}};
}

/* ---- nests ---- */

/* A stack of buffers; only the top one holds anything. */
static uint64_t draw_nest(struct model *m, uint64_t seed) {
    uint64_t r = seed * 7919 + 1, most = 0;
    int stack[STEPS], depth = 0;
    begin(m, seed);
    for (int64_t step = 0; step < STEPS; step++) {
        uint64_t dice = sw_random_below(&r, 4);
        bool room = depth == 0 || m->buffers[stack[depth - 1]].size > 16;
        if (depth > 0 && (dice == 0 || m->buffers[stack[depth - 1]].pieces == MAX_PIECES)) {
            depth--;
        }
        if (m->buffer_count < MAX_BUFFERS && (depth == 0 || (dice == 1 && room))) {
            uint64_t limit = depth ? m->buffers[stack[depth - 1]].size / 16 : 12;
            stack[depth] = add_buffer(m, 16 * (1 + sw_random_below(&r, limit)));
            depth++;
        }
        bool full = depth > 0 && m->buffers[stack[depth - 1]].pieces == MAX_PIECES &&
                    m->buffers[stack[depth - 1]].last + 1 != step;
        if (depth > 0 && !full) {
            live(m, stack[depth - 1], step, 0, m->buffers[stack[depth - 1]].size);
        }
    }
    for (int i = 0; i < m->buffer_count; i++) {
        most = m->buffers[i].size > most ? m->buffers[i].size : most;
    }
    return most;
}

/* ---- shelves ---- */

static uint64_t draw_shelf(struct model *m, uint64_t seed) {
    uint64_t r = seed * 6131 + 5, size = 16 * (4 + sw_random_below(&r, 20));
    uint64_t held[MAX_PIECES];
    int64_t step = 0;
    begin(m, seed);
    int host = add_buffer(m, size);
    bool grows = sw_random_below(&r, 2), top = sw_random_below(&r, 2);
    for (int k = 0; k < MAX_PIECES; k++) { /* held: of the quarter that is k-th, or k-th from last */
        uint64_t part = size / 16 * (uint64_t)(grows ? k + 1 : MAX_PIECES - k) / MAX_PIECES;
        held[k] = part ? 16 * part : 16;
    }
    for (int k = 0; k < MAX_PIECES; k++) {
        int64_t end = step + 1 + (int64_t)sw_random_below(&r, 3);
        int guest = held[k] < size && sw_random_below(&r, 4) ? add_buffer(m, size - held[k]) : -1;
        for (; step < end; step++) {
            live(m, host, step, top ? size - held[k] : 0, top ? size : held[k]);
            if (guest >= 0) {
                live(m, guest, step, 0, m->buffers[guest].size);
            }
        }
    }
    return size;
}

/* ---- every planner ---- */

/* Would whole lives and whole buffers need more? Otherwise the problem shows nothing. */
static bool shows_something(const struct model *m, uint64_t most) {
    struct model whole = *m;
    for (int i = 0; i < m->buffer_count; i++) {
        struct model_buffer *b = &whole.buffers[i];
        b->piece[0] = (struct model_piece){b->first, b->last, 0, b->size};
        b->pieces = 1;
    }
    return oracle_live(&whole) > most;
}

static void expect_peak(const struct model *m, uint64_t most, const char *what, uint64_t *count) {
    struct sw_problem *problem = model_build(m, NULL);
    hulls_need_more += shows_something(m, most);
    check_that(sw_problem_lower_bound(problem) <= most, m, what, "the bound is %llu, above %llu",
               (unsigned long long)sw_problem_lower_bound(problem), (unsigned long long)most);
    for (size_t i = 0; i < sw_planner_count(); i++) {
        const struct sw_planner *planner = sw_planner_get(i);
        struct sw_error error = {0};
        struct sw_params brief = short_run(planner);
        if (!moves_buffers(planner) && !planner->reserves && model_applies(planner, problem)) {
            struct sw_search *search = sw_search_new(problem, planner, &brief, &error);
            check_that(search && sw_search_run(search, 0, NULL, NULL, &error) == SW_STEP_DONE, m, planner->name,
                       "%s: %s", what, error.message);
            uint64_t arena = sw_layout_arena(sw_search_layout(search), 0);
            uint64_t below = sw_layout_arena(sw_search_layout(search), 1);
            check_that(arena <= most && (m->tier_count == 1 || below == 0), m, planner->name,
                       "%s: %llu B, and %llu are enough", what, (unsigned long long)(arena + below),
                       (unsigned long long)most);
            sw_search_free(search);
            ++*count;
        }
        sw_params_done(&brief);
    }
    sw_problem_unref(problem);
}

/* ---- first fit, piece by piece ---- */

static void draw_pieces(struct model *m, uint64_t seed) {
    uint64_t r = seed * 4423 + 9;
    model_draw_plain(m, seed, MAX_BUFFERS - 4);
    for (int i = 0; i < m->buffer_count; i++) {
        struct model_buffer *b = &m->buffers[i];
        int64_t first = b->first, last = b->last;
        b->pieces = 0;
        for (int64_t t = first; t <= last; t++) {
            bool end = t == first || t == last;
            uint64_t lo = sw_random_below(&r, 3) ? 0 : sw_random_below(&r, b->size + 1) / 2;
            uint64_t hi = b->size - (sw_random_below(&r, 3) ? 0 : sw_random_below(&r, b->size + 1) / 2);
            bool there = end || sw_random_below(&r, 3);
            if (there && lo < hi && b->pieces < MAX_PIECES - (t < last)) {
                live(m, i, t, lo, hi);
            }
        }
        if (b->pieces == 0) {
            live(m, i, first, 0, b->size);
        }
    }
}

static bool collide(const struct model_buffer *x, uint64_t at, const struct model_buffer *y, uint64_t other) {
    for (int p = 0; p < x->pieces; p++) {
        for (int q = 0; q < y->pieces; q++) {
            const struct model_piece *s = &x->piece[p], *t = &y->piece[q];
            if (s->first <= t->last && t->first <= s->last && at + s->lo < other + t->hi &&
                other + t->lo < at + s->hi) {
                return true;
            }
        }
    }
    return false;
}

static bool is_free(const struct model *m, const bool *placed, const uint64_t *offset, int i, uint64_t at) {
    bool free_ = true;
    for (int k = 0; k < m->buffer_count && free_; k++) {
        free_ = !placed[k] || !collide(&m->buffers[i], at, &m->buffers[k], offset[k]);
    }
    return free_;
}

static void check_first_fit(uint64_t seed) {
    struct model m;
    struct sw_error error = {0};
    bool placed[MAX_BUFFERS] = {false};
    uint64_t offset[MAX_BUFFERS] = {0};
    draw_pieces(&m, seed);
    for (int n = 0; n < m.buffer_count; n++) {
        int next = -1;
        for (int i = 0; i < m.buffer_count; i++) {
            if (!placed[i] && (next < 0 || m.buffers[i].first < m.buffers[next].first)) {
                next = i;
            }
        }
        while (!is_free(&m, placed, offset, next, offset[next])) {
            offset[next]++; /* byte by byte: nothing to be clever about */
        }
        placed[next] = true;
    }
    struct sw_problem *problem = model_build(&m, NULL);
    struct sw_search *search = sw_search_new(problem, sw_planner_find("first-fit", NULL), NULL, &error);
    check_that(search && sw_search_run(search, 0, NULL, NULL, &error) == SW_STEP_DONE, &m, "first-fit", "%s",
               error.message);
    for (int i = 0; i < m.buffer_count; i++) {
        struct sw_placement p;
        check_that(sw_layout_placement(sw_search_layout(search), (uint32_t)i, 0, &p) &&
                       (p.offset == offset[i] || m.buffers[i].size == 0),
                   &m, "first-fit", "b%d lies at %llu; piece by piece at %llu", i, (unsigned long long)p.offset,
                   (unsigned long long)offset[i]);
    }
    runs[2]++;
    sw_search_free(search);
    sw_problem_unref(problem);
}

/* ---- the checker ---- */

struct verdict {
    bool shared[MAX_BUFFERS][MAX_BUFFERS];
};

static void note_fault(void *context, const struct sw_fault *fault) {
    struct verdict *verdict = context;
    if (fault->kind == SW_FAULT_OVERLAP) {
        verdict->shared[fault->buffer][fault->other] = true;
        verdict->shared[fault->other][fault->buffer] = true;
    }
}

/* Places drawn by lot: by their hulls nearly all of them would be wrong. */
static void check_checker(uint64_t seed) {
    struct model m;
    struct verdict verdict = {0};
    uint64_t r = seed * 8161 + 3, offset[MAX_BUFFERS];
    draw_pieces(&m, seed);
    struct sw_problem *problem = model_build(&m, NULL);
    struct sw_layout *layout = sw_layout_new(problem, NULL);
    check_that(layout != NULL, &m, "check", "no layout");
    for (int i = 0; i < m.buffer_count; i++) {
        offset[i] = sw_random_below(&r, 4 * m.buffers[i].size + 1);
        check_that(sw_layout_place(layout, (uint32_t)i, 0, offset[i]), &m, "check", "no memory");
    }
    sw_fault_count(layout, note_fault, &verdict);
    for (int i = 0; i < m.buffer_count; i++) {
        for (int k = 0; k < i; k++) {
            bool wrong = collide(&m.buffers[i], offset[i], &m.buffers[k], offset[k]);
            check_that(verdict.shared[i][k] == wrong, &m, "check", "b%d at %llu and b%d at %llu %s a byte", i,
                       (unsigned long long)offset[i], k, (unsigned long long)offset[k],
                       wrong ? "share" : "do not share");
            judged[wrong]++;
        }
    }
    sw_layout_free(layout);
    sw_problem_unref(problem);
}

int main(void) {
    uint64_t seed = base_seed();
    struct model m;
    for (uint64_t i = first_case(NESTS), i_end = i + cases(NESTS); i < i_end; i++) {
        uint64_t most = draw_nest(&m, seed + i);
        expect_peak(&m, most, "nest", &runs[0]);
    }
    for (uint64_t i = first_case(SHELVES), i_end = i + cases(SHELVES); i < i_end; i++) {
        uint64_t most = draw_shelf(&m, seed + i);
        expect_peak(&m, most, "shelf", &runs[1]);
    }
    for (uint64_t i = first_case(RESTATED), i_end = i + cases(RESTATED); i < i_end; i++) {
        check_first_fit(seed + i);
    }
    for (uint64_t i = first_case(JUDGED), i_end = i + cases(JUDGED); i < i_end; i++) {
        check_checker(seed + i);
    }
    printf("the checker judged %llu pairs that share a byte and %llu that do not\n", (unsigned long long)judged[1],
           (unsigned long long)judged[0]);
    printf("%llu runs on nests, %llu on shelves, %llu of %d problems need more by their hulls; "
           "first fit restated on %llu, from seed %llu\n",
           (unsigned long long)runs[0], (unsigned long long)runs[1], (unsigned long long)hulls_need_more,
           NESTS + SHELVES, (unsigned long long)runs[2], (unsigned long long)seed);
    return 0;
}
