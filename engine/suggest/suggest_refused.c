/* What would make a pin work that the run refuses: an earlier decision, or another pin first; each was tried. */
#include "suggest/suggest_internal.h"

/* Blocks that lie where it should; the first of them, and the decision before which none was there. */
struct in_the_way {
    uint32_t count, first;
    uint64_t before; /* 0: one was there without a decision */
};

static struct in_the_way find_in_the_way(const struct sw_search *run, const struct sw_override *pin) {
    const struct sw_problem *problem = sw_search_problem(run);
    const struct sw_layout *layout = sw_search_layout(run);
    struct in_the_way found = {0, SW_NONE, UINT64_MAX};
    struct sw_neighbors near = sw_problem_neighbors(problem, pin->buffer);
    struct sw_placement at;
    for (uint32_t b; (b = sw_neighbors_next(&near)) != SW_NONE;) {
        if (sw_layout_placement(layout, b, 0, &at) && at.tier == pin->tier &&
            sw_problem_collide(problem, pin->buffer, pin->offset, b, at.offset)) {
            found.first = found.count++ == 0 ? b : found.first;
            found.before = SW_MIN(found.before, sw_layout_made(layout, b, 0));
        }
    }
    return found;
}

/* Are the pins accepted before that decision? One after the other, on a fork. False: no memory; a refusal is none. */
static bool are_accepted(const struct sw_search *run, uint64_t before, const struct sw_override *const *pins,
                         size_t count, bool *accepted, struct sw_error *error) {
    struct sw_error own = {0};
    struct sw_search *fork = sw_search_fork(run, &own);
    *accepted = fork && sw_search_seek(fork, before - 1, &own);
    for (size_t i = 0; *accepted && i < count; i++) {
        *accepted = sw_search_force(fork, pins[i], &own);
    }
    sw_search_free(fork);
    return own.code != SW_ERROR_MEMORY || sw_fail_memory(error);
}

/* The block in the way at another free place, the lowest that will do, here; then the pin. */
static bool try_first(const struct sw_search *run, const struct sw_override *pin, uint32_t other,
                      struct sw_suggest_way *way, struct sw_error *error) {
    enum { FEW = 16 };
    const struct sw_buffer *buffer = sw_problem_buffer(sw_search_problem(run), other);
    uint64_t lo = pin->offset, hi = lo + sw_problem_buffer(sw_search_problem(run), pin->buffer)->size;
    struct sw_gaps gaps = {0};
    bool good = sw_gaps_find(&gaps, sw_search_layout(run), sw_search_rules(run), other, SW_WHOLE_LIFE, pin->tier,
                             sw_problem_tier(sw_search_problem(run), pin->tier)->capacity) ||
                sw_fail_memory(error);
    for (size_t i = 0; good && !way->has_first && i < gaps.gaps.count && i < FEW; i++) {
        const struct sw_gap *gap = &gaps.gaps.items[i];
        uint64_t behind = sw_align_up(hi, buffer->alignment);
        uint64_t offset = gap->start + buffer->size <= lo || gap->start >= hi ? gap->start : behind;
        struct sw_gap rest = {.lo = offset, .hi = gap->hi, .start = offset};
        way->first =
            (struct sw_override){.kind = SW_OVERRIDE_PIN, .buffer = other, .tier = pin->tier, .offset = offset};
        if (offset >= gap->start && sw_gap_fits(&rest, buffer->size)) {
            const struct sw_override *const both[] = {&way->first, pin};
            good = are_accepted(run, sw_search_at(run) + 1, both, 2, &way->has_first, error);
        }
    }
    sw_gaps_done(&gaps);
    return good;
}

bool sw_suggest_way_of(const struct sw_search *run, const struct sw_override *pin, struct sw_suggest_way *way,
                       struct sw_error *error) {
    struct in_the_way found = find_in_the_way(run, pin);
    *way = (struct sw_suggest_way){0};
    if (found.before > 0 && found.before <= sw_search_at(run)) {
        bool accepted;
        if (!are_accepted(run, found.before, &pin, 1, &accepted, error)) {
            return false;
        }
        way->before = accepted ? found.before : 0;
    }
    return found.count != 1 || try_first(run, pin, found.first, way, error);
}
