/* order-genetic and random-order: the second example of the specification, their parameters, what their decisions say,
 * and what can be demanded of them. */
#include "planners/orders/genome.h"
#include "unit/planners.h"

/* ---- runs, and questions to them ---- */

static const int64_t example_2[][3] = {{1, 4, 5}, {1, 6, 3}, {1, 6, 4}, {2, 3, 2}, {5, 6, 1}, {5, 6, 6}};
enum { ROWS = sizeof example_2 / sizeof example_2[0] };

static struct sw_params params_with(const char *key, const char *value) {
    struct sw_params params = SW_PARAMS_DEFAULT;
    assert_true(sw_params_set(&params, key, value, NULL));
    return params;
}

static void run_out(struct sw_search *search) {
    struct sw_error error = {0};
    if (sw_search_run(search, 0, NULL, NULL, &error) != SW_STEP_DONE) {
        fail_msg("%s", error.message);
    }
    assert_int_equal(sw_fault_count(sw_search_layout(search), NULL, NULL), 0);
}

static struct sw_search *run_with(const struct sw_problem *problem, const char *planner,
                                  const struct sw_params *params) {
    struct sw_search *search = search_for(problem, planner, params);
    run_out(search);
    return search;
}

/* The same with the plain choices, which sections 1 to 8 of the specification describe. */
static struct sw_search *run_plain(const struct sw_problem *problem, const struct sw_params *given) {
    struct sw_params params = SW_PARAMS_DEFAULT;
    assert_true((!given || sw_params_copy(&params, given)) && sw_params_set(&params, "choices", "plain", NULL));
    struct sw_search *search = run_with(problem, "order-genetic", &params);
    sw_params_done(&params);
    return search;
}

static uint32_t count_kind(const struct sw_search *search, enum sw_decision_kind kind) {
    uint32_t count = 0;
    for (uint64_t i = 1; i <= sw_search_known(search); i++) {
        count += sw_decision_is(sw_search_journal(search, i), kind);
    }
    return count;
}

static uint64_t first_of_kind(struct sw_search *search, enum sw_decision_kind kind) {
    for (uint64_t i = 1; i <= sw_search_known(search); i++) {
        if (sw_decision_is(sw_search_journal(search, i), kind)) {
            return i;
        }
    }
    fail_msg("there is no decision %s", sw_decision_word(kind));
    return 0;
}

/* ---- example 2: orders matter ---- */

static void decode_expect(const struct sw_problem *problem, const struct sw_rank *order, uint64_t wanted_peak,
                          const uint64_t *offsets) {
    struct sw_params params = SW_PARAMS_DEFAULT;
    struct sw_run stage = {.problem = problem, .params = &params, .choice = -1};
    struct sw_decoder *decoder = sw_decoder_new(&stage);
    for (int slow = 0; slow < 2; slow++) {
        struct sw_need need;
        assert_int_equal(sw_decoder_fast(decoder), !slow);
        assert_true(sw_decode(decoder, order));
        sw_decoder_need(decoder, &need);
        assert_int_equal(need.peak, wanted_peak);
        for (uint32_t i = 0; i < ROWS; i++) { /* program order is the listed order here */
            assert_int_equal(sw_decoder_offset(decoder, (struct sw_rank){i}), offsets[i]);
        }
        sw_decoder_slow_down(decoder);
    }
    sw_decoder_unref(decoder);
}

static void example_2_decoded(void **state) {
    (void)state;
    struct sw_problem *problem = plain_problem(example_2, ROWS);
    decode_expect(problem, (const struct sw_rank[]){{0}, {1}, {2}, {3}, {4}, {5}}, 18,
                  (const uint64_t[]){0, 5, 8, 12, 0, 12});
    decode_expect(problem, (const struct sw_rank[]){{0}, {3}, {1}, {2}, {4}, {5}}, 14,
                  (const uint64_t[]){0, 7, 10, 5, 0, 1});
    /* First fit by size: 5 (6 B), 0 (5 B), 2 (4 B), 1 (3 B), 3 (2 B), 4 (1 B). */
    decode_expect(problem, (const struct sw_rank[]){{5}, {0}, {2}, {1}, {3}, {4}}, 15,
                  (const uint64_t[]){0, 10, 6, 13, 13, 0});
    struct sw_search *search = run_with(problem, "best-fit", NULL);
    EXPECT(search, 0, 5, 8, 12, 12, 13);
    assert_int_equal(peak(search), 19);
    sw_search_free(search);
    sw_problem_unref(problem);
}

static void example_2_evolved(void **state) {
    (void)state;
    struct sw_problem *problem = plain_problem(example_2, ROWS);
    for (uint64_t seed = 1; seed <= 20; seed++) {
        struct sw_params params = {.seed = seed};
        struct sw_search *search = run_plain(problem, &params);
        struct sw_claims claims;
        assert_int_equal(peak(search), 14);
        sw_search_claims(search, &claims);
        assert_true(claims.optimal);
        sw_search_free(search);
        search = run_with(problem, "random-order", &params);
        assert_int_equal(peak(search), 14);
        sw_search_free(search);
    }
    sw_problem_unref(problem);
}

/* ---- alignment ---- */

static void sizes_are_rounded_up(void **state) {
    (void)state;
    struct sw_builder *builder = sw_builder_new(NULL);
    for (int i = 0; i < 2; i++) {
        struct sw_buffer_spec spec = {.name = i ? "b" : "a",
                                      .kind = SW_KIND_INTERMEDIATE,
                                      .has_size = true,
                                      .size = 10,
                                      .alignment = i ? 1 : 16,
                                      .has_first = true,
                                      .has_last = true,
                                      .first = 0,
                                      .last = 1};
        assert_true(sw_builder_buffer(builder, &spec, NULL));
    }
    struct sw_problem *problem = must_finish(builder);
    struct sw_params params = SW_PARAMS_DEFAULT;
    struct sw_run stage = {.problem = problem, .params = &params, .choice = -1};
    struct sw_decoder *decoder = sw_decoder_new(&stage);
    for (int slow = 0; slow < 2; slow++) {
        assert_true(sw_decode(decoder, (const struct sw_rank[]){{0}, {1}}));
        assert_int_equal(sw_decoder_offset(decoder, (struct sw_rank){1}), 16); /* not 10: a's space is 16 bytes */
        assert_true(sw_decode(decoder, (const struct sw_rank[]){{1}, {0}}));
        assert_int_equal(sw_decoder_offset(decoder, (struct sw_rank){0}), 16);
        sw_decoder_slow_down(decoder);
    }
    sw_decoder_unref(decoder);
    sw_problem_unref(problem);
}

/* ---- parameters ---- */

/* A problem with a bound that no planner reaches, for 4 bytes at the bottom are reserved. */
static struct sw_problem *with_bottom_reserved(const int64_t (*rows)[3], size_t count) {
    struct sw_builder *builder = sw_builder_new(NULL);
    for (size_t i = 0; i < count; i++) {
        char name[24];
        snprintf(name, sizeof name, "b%zu", i);
        add_plain(builder, name, rows[i][0], rows[i][1], (uint64_t)rows[i][2]);
    }
    struct sw_tier tier = {.name = "memory", .capacity = SW_UNBOUNDED};
    assert_true(sw_builder_tier(builder, &tier, NULL));
    assert_true(sw_builder_reserve(builder, "memory", 0, 4, NULL));
    return must_finish(builder);
}

static struct sw_problem *unreachable(void) {
    return with_bottom_reserved(example_2, ROWS);
}

static void the_end_comes_as_told(void **state) {
    (void)state;
    struct sw_problem *problem = unreachable();
    struct sw_params params = params_with("patience", "7");
    struct sw_search *search = run_plain(problem, &params);
    const struct sw_decision *last = sw_search_journal(search, sw_search_known(search));
    assert_int_equal(peak(search), 18);
    assert_string_equal(last->reason, "no gain for long enough");
    assert_int_equal(detail_of(search, "evaluations"), 60 + 60 * detail_of(search, "generations"));
    assert_int_equal(count_kind(search, SW_DECISION_DECODE), detail_of(search, "evaluations"));
    uint32_t stale = 0;
    for (uint64_t i = 1; i <= sw_search_known(search); i++) {
        const struct sw_decision *d = sw_search_journal(search, i);
        if (d->kind == SW_DECISION_GENERATION) {
            stale = strcmp(d->reason, "no gain") == 0 ? stale + 1 : 0;
            assert_true(stale < 7 || i + 1 == sw_search_known(search));
        }
    }
    assert_int_equal(stale, 7);
    sw_search_free(search);
    sw_params_done(&params);

    params = params_with("generations", "3");
    assert_true(sw_params_set(&params, "population", "11", NULL));
    search = run_plain(problem, &params);
    last = sw_search_journal(search, sw_search_known(search));
    assert_string_equal(last->reason, "the last generation is over");
    assert_int_equal(detail_of(search, "generations"), 3);
    assert_int_equal(detail_of(search, "evaluations"), 44);
    assert_int_equal(count_kind(search, SW_DECISION_INDIVIDUAL), 11);
    assert_int_equal(count_kind(search, SW_DECISION_CROSSOVER), 33);
    assert_int_equal(count_kind(search, SW_DECISION_SELECT), 3);
    assert_int_equal(count_kind(search, SW_DECISION_GENERATION), 4); /* and the first population */
    sw_search_free(search);
    sw_params_done(&params);

    params = params_with("evaluations", "25");
    search = run_with(problem, "random-order", &params);
    assert_int_equal(detail_of(search, "evaluations"), 25);
    assert_int_equal(count_kind(search, SW_DECISION_DECODE), 25);
    sw_search_free(search);
    sw_params_done(&params);
    sw_problem_unref(problem);
}

/* The preset condition: a block sequence as continuous as was asked for. */
static void a_continuity_ends_it(void **state) {
    (void)state;
    struct sw_problem *problem = unreachable();
    struct sw_params params = params_with("continuity_goal", "2");
    struct sw_search *search = run_plain(problem, &params);
    uint64_t known = sw_search_known(search);
    assert_string_equal(sw_search_journal(search, known)->reason, "a block sequence has reached the continuity goal");
    for (uint64_t i = 1; i < known; i++) { /* the last individual is the first that has it */
        const struct sw_decision *d = sw_search_journal(search, i);
        assert_true(d->kind != SW_DECISION_SORT_BLOCKS || (d->sort_blocks.continuity >= 2) == (i + 1 == known));
    }
    sw_search_free(search);
    sw_params_done(&params);
    sw_problem_unref(problem);
}

/* The lengths of all windows, the least and the largest; false: there is none. */
static bool windows_of(const struct sw_search *search, uint64_t *least, uint64_t *most) {
    *least = UINT64_MAX;
    *most = 0;
    for (uint64_t i = 1; i <= sw_search_known(search); i++) {
        const struct sw_decision *d = sw_search_journal(search, i);
        if (d->kind == SW_DECISION_CROSSOVER) {
            *least = d->size < *least ? d->size : *least;
            *most = d->size > *most ? d->size : *most;
        }
    }
    return *most > 0;
}

static void breeding_has_parameters(void **state) {
    (void)state;
    struct sw_problem *problem = unreachable();
    struct sw_error error = {0};
    uint64_t least, most;
    struct sw_params params = params_with("crossover", "0");
    assert_true(sw_params_set(&params, "swap", "0", NULL));
    assert_true(sw_params_set(&params, "generations", "2", NULL));
    struct sw_search *search = run_plain(problem, &params);
    assert_false(windows_of(search, &least, &most));
    assert_int_equal(count_kind(search, SW_DECISION_SWAP), 120); /* one for each child */
    sw_search_free(search);
    sw_params_done(&params);

    params = params_with("crossover", "0.25");
    assert_true(sw_params_set(&params, "swap", "0.9", NULL));
    assert_true(sw_params_set(&params, "generations", "10", NULL));
    search = run_plain(problem, &params);
    uint32_t crossed = count_kind(search, SW_DECISION_CROSSOVER);
    assert_in_range(crossed, 100, 200); /* of 600 children */
    assert_in_range(count_kind(search, SW_DECISION_SWAP), 4500, 8000);
    sw_search_free(search);
    sw_params_done(&params);

    params = params_with("window_min", "4");
    assert_true(sw_params_set(&params, "window_max", "5", NULL));
    search = run_plain(problem, &params);
    assert_true(windows_of(search, &least, &most) && least == 4 && most == 5);
    sw_search_free(search);
    sw_params_done(&params);

    params = params_with("window_min", "5");
    assert_true(sw_params_set(&params, "window_max", "4", NULL));
    assert_null(sw_search_new(problem, sw_planner_find("order-genetic", NULL), &params, &error));
    assert_string_equal(error.message, "window_min 5 is above window_max 4: no window of a crossover is so long");
    sw_params_done(&params);
    sw_problem_unref(problem);
}

/* A choice where chance made no crossover is refused, and the run goes on as if nothing had been asked. */
static void no_choice_without_a_crossover(void **state) {
    (void)state;
    struct sw_problem *problem = unreachable();
    struct sw_params params = params_with("crossover", "0");
    struct sw_search *search = run_plain(problem, &params);
    struct sw_error error = {0};
    uint64_t digest = sw_search_digest(search), at = first_of_kind(search, SW_DECISION_SWAP) - 1;
    struct sw_search *fork = sw_search_fork(search, NULL);
    struct sw_override choice = {.kind = SW_OVERRIDE_CHOOSE, .buffer = SW_NONE, .choice = 0};
    assert_true(sw_search_seek(fork, at, NULL));
    assert_false(sw_search_force(fork, &choice, &error));
    assert_non_null(strstr(error.message, "the positions are random"));
    assert_int_equal(sw_search_run(fork, 0, NULL, NULL, &error), SW_STEP_DONE);
    assert_int_equal(sw_search_digest(fork), digest);
    sw_search_free(fork);
    assert_int_equal(sw_search_digest(search), digest);
    sw_search_free(search);
    sw_params_done(&params);
    sw_problem_unref(problem);
}

/* The first members are the layouts of the greedy planners, each once. */
static void seeds_come_first(void **state) {
    (void)state;
    struct sw_problem *problem = unreachable();
    struct sw_params params = params_with("seeds", "greedy");
    assert_true(sw_params_set(&params, "population", "1", NULL)); /* which has room for them */
    struct sw_search *search = run_plain(problem, &params);
    uint32_t seen = 0;
    for (uint64_t i = 1; i <= sw_search_known(search); i++) {
        const struct sw_decision *d = sw_search_journal(search, i);
        seen += d->kind == SW_DECISION_INDIVIDUAL && strstr(d->reason, "layout by start address");
    }
    assert_in_range(seen, 1, 3);
    assert_int_equal(count_kind(search, SW_DECISION_INDIVIDUAL), 3);
    sw_search_free(search);
    sw_params_done(&params);
    sw_problem_unref(problem);
}

static void work_ends_it(void **state) {
    (void)state;
    struct sw_problem *problem = unreachable();
    struct sw_params params = {.seed = 1, .work = 3000};
    struct sw_search *search = run_plain(problem, &params);
    assert_string_equal(sw_search_journal(search, sw_search_known(search))->reason, "the budget of work is spent");
    assert_true(detail_of(search, "generations") < 5);
    sw_search_free(search);
    search = run_with(problem, "random-order", &params);
    assert_true(detail_of(search, "evaluations") < 1000);
    sw_search_free(search);
    sw_problem_unref(problem);
}

/* Three buffers have six orders, and fewer than four have no crossover. */
static void few_buffers(void **state) {
    (void)state;
    static const int64_t rows[][3] = {{0, 1, 5}, {1, 2, 3}, {2, 3, 4}};
    for (size_t count = 0; count <= 3; count++) {
        struct sw_problem *problem = count > 0 ? with_bottom_reserved(rows, count) : plain_problem(rows, 0);
        struct sw_search *search = run_plain(problem, NULL);
        static const uint32_t orders[] = {1, 1, 2, 6};
        assert_int_equal(count_kind(search, SW_DECISION_INDIVIDUAL), orders[count]);
        assert_int_equal(count_kind(search, SW_DECISION_CROSSOVER), 0);
        assert_int_equal(count_kind(search, SW_DECISION_SWAP) > 0, count >= 2);
        assert_int_equal(count_kind(search, SW_DECISION_FINISH), 1);
        assert_true(count < 2 ||
                    strcmp(sw_search_journal(search, sw_search_known(search))->reason, "no gain for long enough") == 0);
        sw_search_free(search);
        sw_problem_unref(problem);
    }
}

/* All of the first orders are different. */
static void orders_are_different(void **state) {
    (void)state;
    static const int64_t rows[][3] = {{0, 1, 5}, {1, 2, 3}, {2, 3, 4}, {0, 3, 1}};
    struct sw_problem *problem = with_bottom_reserved(rows, 4);
    static const char *const sizes[] = {"20", "24", "60"};
    for (int s = 0; s < 3; s++) {
        struct sw_params params = params_with("population", sizes[s]);
        assert_true(sw_params_set(&params, "generations", "0", NULL));
        struct sw_search *search = search_for(problem, "order-genetic", &params);
        struct sw_explanation e = {0};
        char seen[24][200];
        size_t count = 0;
        while (sw_search_step_explained(search, &e, NULL) == SW_STEP_MORE) {
            if (e.decision.kind != SW_DECISION_INDIVIDUAL) {
                continue;
            }
            assert_true(count < 24);
            strcpy(seen[count], strchr(e.candidates.items[0].reason, ':'));
            for (size_t k = 0; k < count; k++) {
                assert_string_not_equal(seen[k], seen[count]);
            }
            count++;
        }
        assert_int_equal(count, s == 0 ? 20 : 24);
        sw_explanation_done(&e);
        sw_search_free(search);
        sw_params_done(&params);
    }
    sw_problem_unref(problem);
}

static void fitness_decides(void **state) {
    (void)state;
    struct sw_problem *problem = unreachable();
    struct sw_params params = params_with("fitness", "continuity");
    struct sw_search *by_peak = run_plain(problem, NULL);
    struct sw_search *by_continuity = run_plain(problem, &params);
    assert_int_equal(peak(by_peak), 18);
    assert_true(detail_of(by_continuity, "continuity") >= detail_of(by_peak, "continuity"));
    /* The best of each generation never falls. */
    uint64_t continuity = 0;
    double least = 1e9;
    for (uint64_t i = 1; i <= sw_search_known(by_continuity); i++) {
        const struct sw_decision *d = sw_search_journal(by_continuity, i);
        if (d->kind == SW_DECISION_GENERATION) {
            assert_true(sw_decision_amount(d) >= continuity);
            continuity = sw_decision_amount(d);
        }
    }
    for (uint64_t i = 1; i <= sw_search_known(by_peak); i++) {
        const struct sw_decision *d = sw_search_journal(by_peak, i);
        if (d->kind == SW_DECISION_GENERATION) {
            assert_true(sw_decision_figure(d, 0) <= least && sw_decision_figure(d, 0) <= sw_decision_figure(d, 1) &&
                        sw_decision_figure(d, 1) <= sw_decision_figure(d, 2));
            least = sw_decision_figure(d, 0);
        }
    }
    sw_search_free(by_peak);
    sw_search_free(by_continuity);
    sw_params_done(&params);
    sw_problem_unref(problem);
}

/* Fitter: by peak and then continuity, or the other way round. */
static void fitness_is_in_that_order(void **state) {
    (void)state;
    struct sw_problem *problem = unreachable();
    struct sw_params params = SW_PARAMS_DEFAULT;
    struct sw_run stage = {.problem = problem, .params = &params, .choice = -1};
    struct sw_decoder *decoder = sw_decoder_new(&stage);
    struct sw_genome *low = sw_genome_new(decoder), *smooth = sw_genome_new(decoder);
    low->above = smooth->above = 0;
    low->arena[0] = 10;
    smooth->arena[0] = 11;
    low->continuity = 1;
    smooth->continuity = 2;
    assert_true(sw_genome_compare(low, smooth, false) < 0);
    assert_true(sw_genome_compare(low, smooth, true) > 0);
    smooth->arena[0] = 10; /* ties */
    assert_true(sw_genome_compare(low, smooth, false) > 0);
    smooth->arena[0] = 11;
    smooth->continuity = 1;
    assert_true(sw_genome_compare(low, smooth, true) < 0);
    low->above = 1; /* above the capacity is worse than any peak */
    assert_true(sw_genome_compare(low, smooth, false) > 0);
    sw_genome_unref(low);
    sw_genome_unref(smooth);
    sw_decoder_unref(decoder);
    sw_problem_unref(problem);
}

static void seeds_differ(void **state) {
    (void)state;
    struct sw_problem *problem = unreachable();
    struct sw_params one = {.seed = 1}, two = {.seed = 2};
    static const char *const planners[] = {"order-genetic", "random-order"};
    for (int i = 0; i < 2; i++) {
        struct sw_search *a = run_with(problem, planners[i], &one), *b = run_with(problem, planners[i], &one),
                         *c = run_with(problem, planners[i], &two);
        assert_true(sw_search_digest(a) == sw_search_digest(b));
        assert_true(sw_search_digest(a) != sw_search_digest(c));
        sw_search_free(a);
        sw_search_free(b);
        sw_search_free(c);
    }
    sw_problem_unref(problem);
}

/* ---- what decisions say ---- */

static void decodes_are_explained(void **state) {
    (void)state;
    struct sw_problem *problem = plain_problem(example_2, ROWS);
    struct sw_search *search = run_plain(problem, NULL);
    struct sw_explanation e = {0};
    assert_true(sw_search_explain(search, first_of_kind(search, SW_DECISION_DECODE), &e, NULL));
    size_t placed = 0, refused = 0;
    for (size_t i = 0; i < e.candidates.count; i++) {
        const struct sw_candidate *c = &e.candidates.items[i];
        placed += c->verdict == SW_VERDICT_CHOSEN;
        refused += c->verdict == SW_VERDICT_REFUSED;
        assert_true(c->verdict != SW_VERDICT_REFUSED || strstr(c->reason, " short of "));
    }
    assert_int_equal(placed, ROWS);
    assert_int_equal(refused, 2);
    assert_string_equal(e.candidates.items[5].reason,
                        "b5 (6 B) refused at memory+1: 2 B short of the next live buffer b1");
    sw_explanation_done(&e);
    sw_search_free(search);
    sw_problem_unref(problem);
}

static void selections_are_explained(void **state) {
    (void)state;
    struct sw_problem *problem = unreachable();
    struct sw_params params = params_with("population", "8");
    struct sw_search *search = run_plain(problem, &params);
    struct sw_explanation e = {0};
    uint64_t at = first_of_kind(search, SW_DECISION_SELECT);
    assert_true(sw_search_explain(search, at, &e, NULL));
    size_t stay = 0;
    assert_int_equal(e.candidates.count, 16);
    for (size_t i = 0; i < e.candidates.count; i++) {
        stay += e.candidates.items[i].verdict == SW_VERDICT_CHOSEN;
    }
    assert_int_equal(stay, sw_decision_amount(sw_search_journal(search, at)));
    assert_true(stay <= 8);
    sw_explanation_done(&e);
    sw_search_free(search);
    sw_params_done(&params);
    sw_problem_unref(problem);
}

/* ---- demands ---- */

static struct sw_override choice_of(uint32_t k) {
    return (struct sw_override){.kind = SW_OVERRIDE_CHOOSE, .choice = k};
}

static void windows_can_be_chosen(void **state) {
    (void)state;
    struct sw_problem *problem = unreachable();
    struct sw_search *search = run_plain(problem, NULL);
    uint64_t at = first_of_kind(search, SW_DECISION_CROSSOVER);
    struct sw_explanation e = {0};
    struct sw_error error = {0};
    assert_true(sw_search_explain(search, at, &e, NULL));
    uint32_t windows = (uint32_t)e.candidates.count;
    assert_int_equal(windows, ROWS - e.decision.size + 1);
    assert_true(sw_search_seek(search, at - 1, NULL));
    struct sw_override last = choice_of(windows - 1), none = choice_of(windows);
    assert_false(sw_search_force(search, &none, &error));
    assert_non_null(strstr(error.message, "does not exist"));
    assert_true(sw_search_force(search, &last, &error));
    assert_int_equal(sw_search_step(search, NULL), SW_STEP_MORE);
    assert_int_equal(sw_search_decision(search)->offset, windows - 1);
    assert_true(sw_search_decision(search)->forced);
    /* Nothing else can be chosen: first fit follows from the order. */
    assert_true(sw_search_seek(search, 1, NULL));
    last = choice_of(0);
    assert_false(sw_search_force(search, &last, &error));
    assert_non_null(strstr(error.message, "first fit follows from the order"));
    run_out(search);
    sw_explanation_done(&e);
    sw_search_free(search);
    sw_problem_unref(problem);
}

/* A finished run goes on when a pin takes its answer away. */
static void pins_are_obeyed(void **state) {
    (void)state;
    static const char *const planners[] = {"order-genetic", "random-order"};
    struct sw_problem *problem = plain_problem(example_2, ROWS);
    for (int i = 0; i < 2; i++) {
        struct sw_search *search = run_with(problem, planners[i], NULL);
        struct sw_error error = {0};
        uint64_t known = sw_search_known(search);
        struct sw_override pin = {.kind = SW_OVERRIDE_PIN, .buffer = 5, .tier = 0, .offset = 40};
        if (!sw_search_force(search, &pin, &error)) {
            fail_msg("%s", error.message);
        }
        assert_int_equal(offset_of(search, "b5"), 40);
        run_out(search);
        assert_int_equal(offset_of(search, "b5"), 40);
        assert_int_equal(peak(search), 46);
        assert_true(sw_search_known(search) > known);
        assert_int_equal(sw_decision_amount(sw_search_journal(search, sw_search_known(search))), 46);
        /* And one from the very beginning. */
        assert_true(sw_search_seek(search, 0, NULL));
        pin.offset = 2;
        assert_true(sw_search_force(search, &pin, &error));
        run_out(search);
        assert_int_equal(offset_of(search, "b5"), 2);
        sw_search_free(search);
    }
    sw_problem_unref(problem);
}

static void forbidden_ranges_are_obeyed(void **state) {
    (void)state;
    static const char *const planners[] = {"order-genetic", "random-order"};
    struct sw_problem *problem = plain_problem(example_2, ROWS);
    for (int i = 0; i < 2; i++) {
        struct sw_search *search = search_for(problem, planners[i], NULL);
        struct sw_override forbid = {.kind = SW_OVERRIDE_FORBID, .buffer = SW_NONE, .tier = 0, .lo = 0, .hi = 3};
        assert_int_equal(sw_search_step(search, NULL), SW_STEP_MORE);
        assert_true(sw_search_force(search, &forbid, NULL));
        run_out(search);
        for (uint32_t b = 0; b < ROWS; b++) {
            struct sw_placement place;
            assert_true(sw_layout_placement(sw_search_layout(search), b, 0, &place));
            assert_true(place.offset >= 3);
        }
        assert_int_equal(peak(search), 17);
        sw_search_free(search);
    }
    sw_problem_unref(problem);
}

/* A run that a limit stopped answers with its best. */
static void limits_settle_on_the_best(void **state) {
    (void)state;
    static const char *const planners[] = {"order-genetic", "random-order"};
    struct sw_problem *problem = unreachable();
    for (int i = 0; i < 2; i++) {
        struct sw_search *search = search_for(problem, planners[i], NULL);
        uint64_t best = UINT64_MAX;
        for (int k = 0; k < 40; k++) {
            assert_int_equal(sw_search_step(search, NULL), SW_STEP_MORE);
            const struct sw_decision *d = sw_search_decision(search);
            bool decoded = d->kind == (i ? SW_DECISION_DECODE : SW_DECISION_SORT_BLOCKS);
            best = decoded && peak(search) < best ? peak(search) : best;
        }
        assert_true(sw_search_settle(search, NULL));
        assert_int_equal(peak(search), best);
        assert_int_equal(sw_fault_count(sw_search_layout(search), NULL, NULL), 0);
        run_out(search);
        sw_search_free(search);
    }
    sw_problem_unref(problem);
}

/* ---- choices ---- */

/* choices=plain is nothing but other defaults. */
static void plain_choices_are_settings(void **state) {
    (void)state;
    static const char *const settings[][2] = {
        {"population", "60"}, {"generations", "200"},  {"patience", "30"}, {"seeds", "none"},   {"draw", "uniform"},
        {"crossover", "1"},   {"exchange", "uniform"}, {"again", "false"}, {"largest", "2000"},
    };
    struct sw_problem *problem = unreachable();
    struct sw_params params = SW_PARAMS_DEFAULT;
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        assert_true(sw_params_set(&params, settings[i][0], settings[i][1], NULL));
    }
    struct sw_search *plain = run_plain(problem, NULL), *set = run_with(problem, "order-genetic", &params);
    assert_int_equal(sw_search_digest(plain), sw_search_digest(set));
    assert_int_equal(detail_of(plain, "evaluations") % 60, 0);
    sw_search_free(plain);
    sw_search_free(set);
    sw_params_done(&params);
    sw_problem_unref(problem);
}

/* Blocks that live at random, of which first fit needs more than the bound. */
static struct sw_problem *crowded(size_t count) {
    int64_t(*rows)[3] = calloc(count, sizeof *rows);
    uint64_t random = 5;
    for (size_t i = 0; i < count; i++) {
        rows[i][0] = (int64_t)sw_random_below(&random, count);
        rows[i][1] = rows[i][0] + (int64_t)sw_random_below(&random, 9);
        rows[i][2] = 1 + (int64_t)sw_random_below(&random, 50);
    }
    struct sw_problem *problem = with_bottom_reserved((const int64_t(*)[3])rows, count);
    free(rows);
    return problem;
}

/* The child that was crossed last is neither parent. */
static void is_another_child(const struct sw_search *search) {
    struct sw_state_tables tables = {.most = 1000};
    bool differs[2] = {false, false};
    sw_search_state(search, &tables);
    for (size_t t = 0; t < tables.items.count; t++) {
        const struct sw_state_table *genes = &tables.items.items[t];
        for (size_t i = 0; strcmp(genes->name, "genes") == 0 && i < genes->cells.count; i += genes->column_count) {
            const struct sw_state_cell *cells = &genes->cells.items[i];
            differs[0] = differs[0] || cells[1].count != cells[3].count;
            differs[1] = differs[1] || cells[2].count != cells[3].count;
        }
    }
    assert_true(differs[0] && differs[1]);
    sw_state_tables_done(&tables);
}

/* Good choices: greedy orders and heavy blocks first; what is crossed is new; what is swapped is a block at the peak of
 * its parent, and one in its way. */
static void good_choices_are_made(void **state) {
    (void)state;
    struct sw_problem *problem = crowded(60);
    struct sw_params params = params_with("generations", "30");
    assert_true(sw_params_set(&params, "crossover", "0.5", NULL));
    struct sw_search *search = search_for(problem, "order-genetic", &params);
    uint32_t seeds = 0, heavy = 0, crossed = 0, high = 0, swaps = 0;
    while (sw_search_step(search, NULL) == SW_STEP_MORE) {
        const struct sw_decision *d = sw_search_decision(search);
        seeds += d->kind == SW_DECISION_INDIVIDUAL && strstr(d->reason, "layout by start address");
        heavy += d->kind == SW_DECISION_INDIVIDUAL && strstr(d->reason, "by size times the bytes in conflict");
        if (d->kind == SW_DECISION_CROSSOVER) {
            is_another_child(search);
            crossed++;
        }
        if (d->kind == SW_DECISION_SWAP) {
            swaps++;
            if (strstr(d->reason, "a block at the first parent's peak")) {
                assert_int_not_equal(sw_problem_conflict(problem, d->buffer, d->swap.with), SW_CONFLICT_NONE);
                high++;
            }
        }
    }
    assert_in_range(seeds, 1, 3);
    assert_int_equal(seeds + heavy, 16);
    assert_true(crossed > 100 && swaps > 400);
    assert_true(high > swaps / 2);
    uint64_t least = peak(search);
    sw_search_free(search);
    sw_params_done(&params);
    static const char *const greedy[] = {"first-fit", "greedy-by-size", "greedy-by-breadth"};
    for (size_t i = 0; i < 3; i++) {
        search = run_with(problem, greedy[i], NULL);
        assert_true(least <= peak(search));
        sw_search_free(search);
    }
    sw_problem_unref(problem);
}

/* Above 2,000 blocks it breeds, too; above `largest` it says that it does not. */
static void many_buffers_are_bred(void **state) {
    (void)state;
    struct sw_problem *problem = crowded(2500);
    for (int plain = 0; plain < 2; plain++) {
        struct sw_params params = params_with("choices", plain ? "plain" : "good");
        params.work = 400000;
        struct sw_search *search = run_with(problem, "order-genetic", &params);
        assert_int_equal(count_kind(search, SW_DECISION_DEFER), plain);
        assert_int_equal(count_kind(search, SW_DECISION_INDIVIDUAL) > 2, !plain);
        sw_search_free(search);
        sw_params_done(&params);
    }
    sw_problem_unref(problem);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_choices_are_settings),
        cmocka_unit_test(good_choices_are_made),
        cmocka_unit_test(many_buffers_are_bred),
        cmocka_unit_test(example_2_decoded),
        cmocka_unit_test(example_2_evolved),
        cmocka_unit_test(sizes_are_rounded_up),
        cmocka_unit_test(the_end_comes_as_told),
        cmocka_unit_test(a_continuity_ends_it),
        cmocka_unit_test(breeding_has_parameters),
        cmocka_unit_test(no_choice_without_a_crossover),
        cmocka_unit_test(seeds_come_first),
        cmocka_unit_test(work_ends_it),
        cmocka_unit_test(few_buffers),
        cmocka_unit_test(orders_are_different),
        cmocka_unit_test(fitness_decides),
        cmocka_unit_test(fitness_is_in_that_order),
        cmocka_unit_test(seeds_differ),
        cmocka_unit_test(decodes_are_explained),
        cmocka_unit_test(selections_are_explained),
        cmocka_unit_test(windows_can_be_chosen),
        cmocka_unit_test(pins_are_obeyed),
        cmocka_unit_test(forbidden_ranges_are_obeyed),
        cmocka_unit_test(limits_settle_on_the_best),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
