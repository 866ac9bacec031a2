/* What is cut: the model as it is, in another order, with operators that run again, and each of these with results over
 * arguments. */
#include "fit/fit_search.h"

#include "base/minmax.h"
#include "problem/change/change.h"

#define MORE_WORK UINT64_C(30000000) /* that finding cuts of further variants may take: a second or two */
#define REFINING UINT64_C(20000000)  /* calls and values that are looked at: some seconds */
enum { VARIANT_ROUNDS = 4, MOST_CANDIDATES = 6 };

uint64_t sw_fit_least_of(const struct sw_fit_search *run, const struct sw_fit_variant *variant) {
    return run->limits.of_head ? variant->front.live : variant->front.arena;
}

uint64_t sw_fit_bound_of(const struct sw_fit_search *run, const struct sw_fit_variant *variant) {
    enum { TAIL_GAP = 12 }; /* at most so much lies between two structures of the tail, and may not with others */
    uint64_t gap = sw_problem_outside(variant->base.problem) > 0 ? TAIL_GAP : 0;
    return run->limits.of_head ? variant->front.live : variant->front.bound - SW_MIN(gap, variant->front.bound);
}

bool sw_fit_refine_front(struct sw_fit_search *run, struct sw_fit_variant *variant) {
    const struct sw_fit_limits *limits = &run->limits;
    uint64_t work = REFINING;
    bool good = sw_fit_front_find(&variant->cuts, limits, &variant->front);
    for (size_t round = 0, count = 0; good && round < VARIANT_ROUNDS && work > 0 && variant->cuts.items.count != count;
         round++) {
        count = variant->cuts.items.count;
        good = sw_fit_cuts_refine(&variant->cuts, limits, &variant->front, &work);
        if (good && variant->cuts.items.count != count) {
            sw_fit_front_done(&variant->front);
            good = sw_fit_front_find(&variant->cuts, limits, &variant->front);
        }
    }
    return good || sw_fail_memory(run->error);
}

/* Find the variant's cuts, or copy those of another variant with the same ones, and find its front. */
static bool find_variant_front(struct sw_fit_search *run, struct sw_fit_variant *variant,
                               const struct sw_fit_cuts *known) {
    const struct sw_fit_limits *limits = &run->limits;
    bool good = true;
    variant->cuts.more = variant->base.more;
    if (known) {
        good = sw_fit_cuts_copy(known, variant->base.problem, &variant->cuts);
    } else if (sw_fit_may(run, SW_FIT_STRIPS)) {
        good = sw_fit_cuts_find(variant->base.problem, limits, &variant->cuts);
    } else {
        sw_fit_cuts_none(variant->base.problem, &variant->cuts);
    }
    return (good || sw_fail_memory(run->error)) && sw_fit_refine_front(run, variant);
}

void sw_fit_drop_variant(struct sw_fit_variant *variant) {
    sw_fit_front_done(&variant->front);
    sw_fit_cuts_done(&variant->cuts);
    sw_fit_base_done(&variant->base);
}

/* Add a variant of this base, which it takes over. */
static bool add_variant(struct sw_fit_search *run, struct sw_fit_base *base, const struct sw_fit_cuts *known) {
    struct sw_fit_variant *variant = &run->result->variants[run->result->variant_count++];
    variant->base = *base;
    *base = (struct sw_fit_base){0};
    return find_variant_front(run, variant, known);
}

static bool may_add_variant(const struct sw_fit_search *run) {
    return run->result->variant_count < SW_FIT_MOST_VARIANTS;
}

/* Add the same variant with results over arguments, if that may be better. */
bool sw_fit_add_in_place(struct sw_fit_search *run, uint32_t of) {
    struct sw_fit_result *result = run->result;
    struct sw_fit_base base = {0};
    bool gains = false, good = !sw_fit_may(run, SW_FIT_INPLACE) || !may_add_variant(run) ||
                               sw_fit_base_in_place(&result->variants[of].base, &base, &gains, run->error);
    if (good && gains) {
        good = add_variant(run, &base, &result->variants[of].cuts);
        struct sw_fit_variant *variant = &result->variants[result->variant_count - 1];
        if (good && variant->front.live == result->variants[of].front.live &&
            variant->front.arena == result->variants[of].front.arena &&
            sw_problem_lower_bound(variant->base.problem) ==
                sw_problem_lower_bound(result->variants[of].base.problem)) {
            sw_fit_drop_variant(variant);
            result->variant_count--;
        }
    }
    sw_fit_base_done(&base);
    return good;
}

bool sw_fit_add_in_order(struct sw_fit_search *run) {
    struct sw_fit_base base = {0};
    bool gains = false;
    bool good = !sw_fit_may(run, SW_FIT_ORDER) || sw_fit_is_stopped(run) ||
                sw_fit_base_in_order(&run->result->variants[0].base, &base, &gains, run->error);
    good = good && (!gains || !may_add_variant(run) || add_variant(run, &base, NULL));
    sw_fit_base_done(&base);
    return good;
}

/* Buffers that wait where a variant needs most, the largest first. */
static size_t list_waiting(const struct sw_fit_variant *variant, uint32_t waiting[MOST_CANDIDATES]) {
    const struct sw_problem *problem = variant->base.problem;
    size_t count = 0;
    for (uint32_t b = 0; b < sw_problem_buffer_count(problem); b++) {
        uint32_t from, to;
        uint64_t size = sw_problem_buffer(problem, b)->size;
        if (!sw_problem_waits(problem, b, variant->front.forced, &from, &to) ||
            sw_problem_recomputes(problem, b, variant->front.forced, NULL) == SW_NONE) {
            continue;
        }
        size_t at = count < MOST_CANDIDATES ? count++ : MOST_CANDIDATES - 1;
        if (at == MOST_CANDIDATES - 1 && count == MOST_CANDIDATES && waiting[at] != SW_NONE &&
            sw_problem_buffer(problem, waiting[at])->size >= size) {
            continue;
        }
        for (; at > 0 && sw_problem_buffer(problem, waiting[at - 1])->size < size; at--) {
            waiting[at] = waiting[at - 1];
        }
        waiting[at] = b;
    }
    return count;
}

/* Of all operators that could run again for the step at which a variant needs most, add the variant with the one that
 * helps most. `better`: there is one. */
bool sw_fit_add_again(struct sw_fit_search *run, uint32_t of, uint64_t *work, bool *better) {
    struct sw_fit_result *result = run->result;
    uint32_t waiting[MOST_CANDIDATES] = {SW_NONE, SW_NONE, SW_NONE, SW_NONE, SW_NONE, SW_NONE};
    size_t count = list_waiting(&result->variants[of], waiting);
    struct sw_fit_variant best = {0};
    bool good = true;
    *better = false;
    for (size_t i = 0; good && i < count && !sw_fit_is_stopped(run); i++) {
        struct sw_fit_variant one = {0};
        bool gains = false;
        good = sw_fit_base_again(&result->variants[of].base, waiting[i], result->variants[of].front.forced, &one.base,
                                 &gains, run->error);
        if (!good || !gains || *work + result->variants[of].cuts.work > MORE_WORK ||
            !sw_fit_allows(&result->variants[of].cuts, &run->limits,
                           &(struct sw_fit_more){one.base.more.macs - result->variants[of].base.more.macs,
                                                 one.base.more.flash - result->variants[of].base.more.flash, 1})) {
            sw_fit_drop_variant(&one);
            continue;
        }
        good = find_variant_front(run, &one, NULL);
        *work += one.cuts.work;
        if (good && sw_fit_least_of(run, &one) < sw_fit_least_of(run, *better ? &best : &result->variants[of])) {
            sw_fit_drop_variant(&best);
            best = one;
            *better = true;
        } else {
            sw_fit_drop_variant(&one);
        }
    }
    if (good && *better) {
        result->variants[result->variant_count++] = best;
    } else {
        sw_fit_drop_variant(&best);
    }
    return good;
}
