/* Moves beside strips: networks in another order, with results over arguments, with operators that run again. What the
 * search offers is written, read back, and computed in the arena that its own plan says; its effects add up; and no set
 * of cuts needs less than what is said to be least. */
#include "fit/networks.h"
#include "fit/interpreter.h"
#include "share.h"
#include "unit/unit.h"

#include "fit/find_fit.h"
#include "formats/tflite/write/tflite_fit.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    ALL =
        SW_FIT_MAY(SW_FIT_STRIPS) | SW_FIT_MAY(SW_FIT_ORDER) | SW_FIT_MAY(SW_FIT_INPLACE) | SW_FIT_MAY(SW_FIT_RECOMPUTE)
};

static struct { uint64_t networks, models, kinds[SW_FIT_MOVE_KINDS], together; } seen;

static uint64_t first_seed(void) {
    const char *first = getenv("SW_PROPERTY_SEED");
    return first ? strtoull(first, NULL, 10) : 1;
}

/* As a file that was opened: its reader counts what changed versions of it come to. */
static struct sw_problem *load(const void *bytes, size_t count) {
    struct sw_error error = {0};
    struct sw_input input = {.name = "network", .bytes = bytes, .length = count}, opened;
    assert_true(sw_input_keep(&input, &opened, &error));
    struct sw_problem *problem = sw_load_input(&opened, NULL, &error);
    sw_input_close(&opened);
    if (!problem) {
        fail_msg("%s", error.message);
    }
    return problem;
}

/* Written, read back, and judged by the checker as its own plan; then computed. */
static void check_model(const struct bytes *file, const struct sw_fit_result *result, const struct sw_fit_model *model,
                        uint64_t seed) {
    struct sw_input input = {.name = "network", .bytes = (const char *)file->items, .length = file->count};
    struct sw_fit_program program = {0};
    struct sw_fit_refusal refusal = {.op = SW_NONE};
    struct sw_sink sink = {0};
    struct sw_error error = {0};
    size_t faults = 0;
    assert_true(sw_layout_check(model->layout, &faults, NULL, NULL));
    assert_int_equal(faults, 0);
    if (!sw_fit_model_program(result, model, &program, &refusal) ||
        !tflite_write_fit(&input, NULL, &program, model->layout, &sink, &error)) {
        fail_msg("seed %" PRIu64 ": %s", seed, program.calls.count ? error.message : refusal.reason);
    }
    struct bytes changed = {.items = (unsigned char *)sink.text.items, .count = sink.text.count};
    char why[WHY];
    if (!same_results(file, &changed, seed, why)) {
        fail_msg("seed %" PRIu64 ": %s", seed, why);
    }
    struct sw_problem *again = load(sink.text.items, sink.text.count);
    uint64_t peak = 0;
    assert_true(sw_problem_plan_peak(again, &peak));
    assert_true(peak <= model->head &&
                model->head - peak < SW_FIT_COUNTER); /* the last counter of a loop may be one byte of its 16 */
    const struct sw_planner *planner = sw_planner_find("as-built", &error);
    struct sw_search *search = planner ? sw_search_new(again, planner, NULL, &error) : NULL;
    if (!search || sw_search_run(search, 0, NULL, NULL, &error) != SW_STEP_DONE) {
        fail_msg("seed %" PRIu64 ": its plan: %s", seed, error.message);
    }
    assert_true(sw_layout_check(sw_search_layout(search), &faults, NULL, NULL));
    if (faults > 0) {
        fail_msg("seed %" PRIu64 ": the plan that is read back is not valid", seed);
    }
    if (model->moves.items.count > 0) {
        assert_int_equal(model->flash, sink.text.count - file->count);
        assert_int_equal(sw_problem_outside(model->problem), sw_problem_outside(again));
        assert_int_equal(sw_problem_least_arena(model->problem), sw_problem_least_arena(again));
    }
    seen.models++;
    sw_search_free(search);
    sw_problem_unref(again);
    sw_sink_done(&sink);
    sw_fit_program_done(&program);
}

/* Some cuts of each variant, whether the search would take them or not: loops above all. */
static void check_cuts(const struct bytes *file, const struct sw_fit_result *result,
                       const struct sw_fit_request *request, uint64_t seed) {
    enum { MOST = 2, EACH = 7 };
    struct sw_fit_request small = *request;
    struct sw_error error = {0};
    small.work = 1000000;
    for (uint32_t v = 0; v < result->variant_count; v++) {
        const struct sw_fit_cuts *cuts = &result->variants[v].cuts;
        int taken = 0;
        for (size_t i = seed % 3; i < cuts->items.count && taken < MOST; i++) {
            struct sw_fit_model model = {0};
            const struct sw_fit_region *region = &cuts->items.items[i].region;
            if (!region->loop && i % EACH != 0) {
                continue;
            }
            if (!sw_fit_plan(result, &small, v, region, 1, &model, &error)) {
                fail_msg("seed %" PRIu64 ": %s", seed, error.message);
            }
            check_model(file, result, &model, seed);
            sw_fit_model_done(&model);
            taken++;
        }
    }
}

/* What each move is worth comes to the difference in all. */
static void check_effects(struct sw_fit_result *result, const struct sw_fit_request *request) {
    struct sw_error error = {0};
    struct sw_fit_effect sum = {0};
    assert_true(sw_fit_find_effects(result, request, &error));
    const struct sw_fit_model *chosen = &result->models.items[result->chosen], *as_is = &result->models.items[0];
    for (size_t i = 0; i < chosen->moves.items.count; i++) {
        const struct sw_fit_effect *effect = &chosen->moves.items.items[i].effect;
        sum.head += effect->head;
        sum.arena += effect->arena;
        sum.tail += effect->tail;
        sum.macs += effect->macs;
        sum.operators += effect->operators;
        sum.flash += effect->flash;
        assert_true(chosen->moves.items.items[i].kind != SW_FIT_INPLACE ||
                    (effect->macs == 0 && effect->operators == 0));
        assert_true(chosen->moves.items.items[i].kind != SW_FIT_ORDER || (effect->macs == 0 && effect->operators == 0));
        assert_true(chosen->moves.items.items[i].kind != SW_FIT_RECOMPUTE || effect->operators == 1);
    }
    if (sum.macs != (int64_t)(chosen->macs - as_is->macs) || sum.head != (int64_t)(chosen->head - as_is->head)) {
        for (size_t i = 0; i < chosen->moves.items.count; i++) {
            print_message("%s: head %" PRId64 ", multiply-adds %" PRId64 "\n",
                          sw_fit_move_name(chosen->moves.items.items[i].kind), chosen->moves.items.items[i].effect.head,
                          chosen->moves.items.items[i].effect.macs);
        }
    }
    assert_int_equal(sum.head, (int64_t)(chosen->head - as_is->head));
    assert_int_equal(sum.arena, (int64_t)(chosen->arena - as_is->arena));
    assert_int_equal(sum.tail, (int64_t)(chosen->arena - chosen->head) - (int64_t)(as_is->arena - as_is->head));
    assert_int_equal(sum.macs, (int64_t)(chosen->macs - as_is->macs));
    assert_int_equal(sum.operators, (int64_t)chosen->calls - (int64_t)as_is->calls);
    assert_int_equal(sum.flash, (int64_t)chosen->flash);
}

/* ---- the least, against all sets of cuts of all variants tried one by one ---- */

static uint64_t more(uint64_t a, uint64_t b) {
    return a > b ? a : b;
}

static void try_all(const struct sw_fit_cuts *cuts, bool of_head, uint32_t op, uint64_t live, uint64_t tail,
                    uint64_t *least) {
    if (op == sw_problem_operator_count(cuts->problem)) {
        uint64_t bytes = of_head ? live : sw_problem_arena(cuts->problem, live) + tail;
        *least = bytes < *least ? bytes : *least;
        return;
    }
    try_all(cuts, of_head, op + 1, more(live, sw_problem_profile(cuts->problem)[op]), tail, least);
    for (size_t i = 0; i < cuts->items.count; i++) {
        const struct sw_fit_cut *cut = &cuts->items.items[i];
        if (cut->region.first == op) {
            try_all(cuts, of_head, cut->region.last + 1, more(live, sw_fit_live(cuts, cut)),
                    tail + cut->tail - cut->shared, least);
        }
    }
}

/* Whatever is done with the operators of the witness has the live bytes that are said. */
static void check_witness(const struct sw_fit_variant *variant) {
    const struct sw_fit_cuts *cuts = &variant->cuts;
    const struct sw_fit_front *front = &variant->front;
    bool alone = front->from == front->forced && sw_problem_profile(cuts->problem)[front->forced] >= front->live;
    for (size_t i = 0; front->from == front->forced && i < cuts->items.count; i++) {
        const struct sw_fit_cut *cut = &cuts->items.items[i];
        if (cut->region.first <= front->forced && cut->region.last >= front->forced) {
            alone &= sw_fit_live(cuts, cut) >= front->live;
        }
    }
    assert_true(alone || front->from < front->forced);
}

static void check_least(const struct sw_fit_result *result, bool of_head) {
    uint64_t least = UINT64_MAX;
    for (size_t v = 0; v < result->variant_count; v++) {
        if (result->variants[v].base.operator_count > 12 || result->variants[v].cuts.items.count > 40) {
            return;
        }
        try_all(&result->variants[v].cuts, of_head, 0, 0, 0, &least);
        check_witness(&result->variants[v]);
    }
    assert_int_equal(result->least,
                     of_head ? least
                             : least - 12); /* structures of the tail may stand closer to each other than was seen */
    for (size_t i = 0; i < result->models.count; i++) {
        assert_true(result->models.items[i].bytes >= result->least);
    }
}

/* ---- all of it ---- */

/* Strips, and other moves beside them? */
static bool together(const struct sw_fit_model *model) {
    return model->region_count > 0 && model->moves.items.count > model->region_count;
}

static void try_network(uint64_t seed, void (*draw)(uint64_t, struct bytes *), unsigned moves, bool of_head) {
    struct bytes file;
    struct sw_error error = {0};
    struct sw_fit_result result = {0};
    const struct sw_fit_request request = {
        .seed = seed, .moves = moves, .work = 3000000, .limits = {.of_head = of_head}};
    draw(seed, &file);
    struct sw_problem *problem = load(file.items, file.count);
    if (!sw_fit_run(problem, &request, &result, &error)) {
        fail_msg("seed %" PRIu64 ": %s", seed, error.message);
    }
    for (size_t i = 1; i < result.models.count; i++) {
        const struct sw_fit_model *model = &result.models.items[i];
        for (size_t k = 0; k < model->moves.items.count; k++) {
            assert_true((moves & SW_FIT_MAY(model->moves.items.items[k].kind)) != 0);
            seen.kinds[model->moves.items.items[k].kind]++;
        }
        assert_true(model->bytes < result.models.items[0].bytes);
        check_model(&file, &result, model, seed);
    }
    check_cuts(&file, &result, &request, seed);
    check_effects(&result, &request);
    check_least(&result, of_head);
    seen.together += together(&result.models.items[result.chosen]);
    sw_fit_result_done(&result);
    sw_problem_unref(problem);
    free(file.items);
    seen.networks++;
}

static void all_moves(void **state) {
    (void)state;
    const uint64_t each = getenv("STOWAGE_LONG") ? 24 : 48; /* takes as long as so many cases; a share has half */
    uint64_t count = cases(2000) / each + 1, first = first_seed() + first_case(2000) / each;
    for (uint64_t seed = first; seed < first + count; seed++) {
        try_network(seed, skipping_file, ALL, seed % 8 == 3);
        try_network(seed, seed % 2 ? skipping_file : network_file,
                    seed % 3 == 0   ? SW_FIT_MAY(SW_FIT_INPLACE)
                    : seed % 3 == 1 ? SW_FIT_MAY(SW_FIT_RECOMPUTE)
                                    : ALL,
                    false);
    }
    print_message("%" PRIu64 " networks, %" PRIu64 " models: %" PRIu64 " regions in strips, %" PRIu64
                  " orders, %" PRIu64 " results over arguments, %" PRIu64 " operators again, %" PRIu64
                  " of them all with strips\n",
                  seen.networks, seen.models, seen.kinds[SW_FIT_STRIPS], seen.kinds[SW_FIT_ORDER],
                  seen.kinds[SW_FIT_INPLACE], seen.kinds[SW_FIT_RECOMPUTE], seen.together);
    if (count >= 20) {
        assert_true(seen.kinds[SW_FIT_ORDER] > count / 4 && seen.kinds[SW_FIT_INPLACE] > count / 8 &&
                    seen.kinds[SW_FIT_RECOMPUTE] > count / 8 && seen.together > count / 16);
    }
}

/* A step before the first operator, for which all others wait, is no reason not to cut these. */
static void idle_tensors(void **state) {
    (void)state;
    uint64_t before = seen.kinds[SW_FIT_STRIPS];
    for (uint64_t seed = 1; seed <= (getenv("STOWAGE_LONG") ? 212 : cases(2000) / 20 + 6); seed++) {
        try_network(seed, idle_file, SW_FIT_MAY(SW_FIT_STRIPS), false);
    }
    assert_true(seen.kinds[SW_FIT_STRIPS] > before);
}

/* ---- limits ---- */

/* With a limit that is one less than what was needed another model is taken, and with one that is met the same one. */
static void limits(void **state) {
    (void)state;
    struct bytes file;
    struct sw_error error = {0};
    skipping_file(3, &file);
    struct sw_problem *problem = load(file.items, file.count);
    struct sw_fit_result result = {0};
    struct sw_fit_request request = {.moves = ALL};
    assert_true(sw_fit_run(problem, &request, &result, &error));
    const struct sw_fit_model *chosen = &result.models.items[result.chosen];
    uint64_t flash = chosen->flash, bytes = chosen->bytes;
    uint32_t calls = chosen->calls;
    assert_true(flash > 0 && calls > result.models.items[0].calls);
    sw_fit_result_done(&result);
    for (int less = 0; less < 2; less++) {
        if (!in_share((uint64_t)less, 2)) {
            continue;
        }
        request.limits = (struct sw_fit_limits){.flash = flash - (uint64_t)less};
        assert_true(sw_fit_run(problem, &request, &result, &error));
        chosen = &result.models.items[result.chosen];
        assert_true(chosen->flash <= request.limits.flash && (less ? chosen->bytes > bytes : chosen->bytes == bytes));
        sw_fit_result_done(&result);
        request.limits = (struct sw_fit_limits){.calls = calls - (uint32_t)less};
        assert_true(sw_fit_run(problem, &request, &result, &error));
        chosen = &result.models.items[result.chosen];
        assert_true(chosen->calls <= request.limits.calls && (less ? chosen->bytes > bytes : chosen->bytes == bytes));
        sw_fit_result_done(&result);
    }
    sw_problem_unref(problem);
    free(file.items);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(all_moves), cmocka_unit_test(idle_tensors),
                                       cmocka_unit_test(limits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
