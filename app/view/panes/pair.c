/* Two buffers in a sentence. See pair.h. */
#include "view/panes/pair.h"
#include "base/base.h"

enum { PAIR_NAME = 24 };

bool sw_pair_shares(const struct sw_layout *layout, uint32_t a, uint32_t b, struct sw_shared_bytes *shared) {
    const struct sw_problem *problem = sw_layout_problem(layout);
    uint64_t of_a = sw_problem_buffer(problem, a)->size, of_b = sw_problem_buffer(problem, b)->size;
    struct sw_placement p, q;
    for (uint32_t i = 0; a != b && sw_layout_placement(layout, a, i, &p); i++) {
        for (uint32_t k = 0; sw_layout_placement(layout, b, k, &q); k++) {
            uint64_t lo = SW_MAX(p.offset, q.offset), hi = SW_MIN(p.offset + of_a, q.offset + of_b);
            if (p.tier == q.tier && p.tier != SW_NONE && lo < hi) {
                *shared = (struct sw_shared_bytes){p.tier, lo, hi};
                return true;
            }
        }
    }
    return false;
}

/* Why they may, where they do not conflict. */
static const char *why_not(const struct sw_problem *problem, const struct sw_buffer *a, const struct sw_buffer *b) {
    return a->size == 0 || b->size == 0          ? "one of them has no bytes"
           : !a->planned || !b->planned          ? "one of them is not planned"
           : sw_problem_core_count(problem) == 1 ? "at no step do both hold something"
                                                 : "all operators of one come before all of the other";
}

static void relation(const struct sw_problem *problem, uint32_t a, uint32_t b, char *text, size_t size) {
    struct sw_witness witness = sw_problem_witness(problem, a, b);
    char why[SW_WITNESS_TEXT];
    sw_witness_describe(problem, &witness, PAIR_NAME, why, sizeof why);
    switch (sw_problem_conflict(problem, a, b)) {
    case SW_CONFLICT_NONE:
        snprintf(text, size, "may share bytes: %s",
                 why_not(problem, sw_problem_buffer(problem, a), sw_problem_buffer(problem, b)));
        return;
    case SW_CONFLICT_WHOLE:
        snprintf(text, size, "conflict: %s", why);
        return;
    case SW_CONFLICT_WINDOWS:
        snprintf(text, size, "conflict with parts of their bytes: %s", why);
        return;
    case SW_CONFLICT_INPLACE:
        snprintf(text, size, "may share bytes from the same start on, in place: %s", why);
        return;
    }
}

int sw_pair_describe(const struct sw_layout *layout, uint32_t a, uint32_t b, char *text, size_t size) {
    const struct sw_problem *problem = sw_layout_problem(layout);
    struct sw_shared_bytes shared;
    char first[SW_WITNESS_TEXT + 60];
    if (a == b) {
        return snprintf(text, size, "one buffer, not two");
    }
    relation(problem, a, b, first, sizeof first);
    if (sw_pair_shares(layout, a, b, &shared)) {
        const char *tier = sw_problem_tier(problem, shared.tier)->name;
        return snprintf(text, size, "%s; here they share %s at %.40s+%llu", first, SW_BYTES(shared.hi - shared.lo),
                        tier, (unsigned long long)shared.lo);
    }
    bool placed = sw_layout_placed(layout, a) && sw_layout_placed(layout, b);
    return snprintf(text, size, "%s%s", first, placed ? "; here they share none" : "");
}
