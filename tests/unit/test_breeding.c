/* Operators of breeding that come from outside: order-genetic asks them in place of its own, and checks what they
 * answer. */
#include "base/hash.h"
#include "planners/orders/genome.h"
#include "unit/unit.h"

#define COUNT(list) (sizeof(list) / sizeof *(list))

static const int64_t rows[][3] = {{0, 4, 30}, {1, 6, 20}, {2, 3, 50}, {5, 9, 40}, {4, 8, 10},
                                  {7, 9, 60}, {3, 7, 25}, {0, 2, 15}, {6, 8, 35}};

static struct sw_genome seen_as(const struct sw_individual *one) {
    return (struct sw_genome){
        .count = one->count, .sequence = (struct sw_rank *)one->sequence, .reuse = (bool *)one->reuse};
}

/* The planner's own ones, told from outside. */
static bool own_seed(void *context, const struct sw_breeding_scene *scene, struct sw_rank *order, bool *given,
                     const char **why, struct sw_error *error) {
    (void)context, (void)error;
    sw_genome_shuffle(order, sw_problem_planned_count(scene->problem), scene->random);
    *given = true;
    *why = "a random order, different from those before";
    return true;
}

static bool own_cross(void *context, const struct sw_breeding_scene *scene, const struct sw_individual *first,
                      const struct sw_individual *second, struct sw_rank *order, struct sw_crossing *told,
                      struct sw_error *error) {
    (void)context, (void)error;
    bool taken[256];
    struct sw_genome a = seen_as(first);
    uint32_t length =
        scene->window_min + (uint32_t)sw_random_below(scene->random, scene->window_max - scene->window_min + 1);
    struct sw_window window = sw_genome_window(&a, length, scene->random);
    sw_genome_cross(first->sequence, second->sequence, first->count, &window, taken, order);
    *told = (struct sw_crossing){window.at, window.length,
                                 window.equals > 1 ? "one of the most continuous windows, the rest in the other's order"
                                                   : "the most continuous window, the rest in the other's order"};
    return true;
}

static bool own_mutate(void *context, const struct sw_breeding_scene *scene, const struct sw_individual *one,
                       struct sw_exchange *told, struct sw_error *error) {
    (void)context, (void)error;
    told->a = (uint32_t)sw_random_below(scene->random, one->count);
    told->b = (uint32_t)sw_random_below(scene->random, one->count - 1);
    told->b += told->b >= told->a;
    told->again = (double)sw_random_below(scene->random, 10) < scene->swap * 10;
    told->why = scene->swaps ? "two more random positions, as happens with the probability `swap`"
                             : "two random positions, as a further adjustment";
    return true;
}

static bool own_fitness(void *context, const struct sw_breeding_scene *scene, const struct sw_individual *one,
                        double *figures, uint32_t *count, struct sw_error *error) {
    (void)context, (void)scene, (void)error;
    figures[0] = (double)one->above;
    figures[1] = (double)one->peak;
    figures[2] = -(double)one->continuity;
    *count = 3;
    return true;
}

static uint64_t digest_with(const struct sw_problem *problem, const struct sw_breeding *breeding, char *texts,
                            size_t size) {
    struct sw_params params = {.seed = 7, .breeding = breeding};
    assert_true(sw_params_set(&params, "generations", "3", NULL) && sw_params_set(&params, "choices", "plain", NULL));
    struct sw_search *search = sw_search_new(problem, sw_planner_find("order-genetic", NULL), &params, NULL);
    size_t used = 0;
    while (sw_search_step(search, NULL) == SW_STEP_MORE) {
        if (used + 400 < size) {
            used += (size_t)sw_decision_describe(problem, sw_search_decision(search), texts + used, size - used);
        }
    }
    uint64_t digest = sw_search_digest(search);
    sw_params_done(&params);
    sw_search_free(search);
    return digest;
}

static void operators_from_outside(void **state) {
    (void)state;
    static char plain[200000], told[200000];
    struct sw_problem *problem = plain_problem(rows, COUNT(rows));
    struct sw_breeding breeding = {.name = "own",
                                   .peak_first = true,
                                   .seed = own_seed,
                                   .cross = own_cross,
                                   .mutate = own_mutate,
                                   .fitness = own_fitness};
    uint64_t digest = digest_with(problem, NULL, plain, sizeof plain);
    assert_true(digest_with(problem, &breeding, told, sizeof told) == digest);
    assert_string_equal(plain, told);
    struct sw_breeding one = {.name = "own", .mutate = own_mutate};
    assert_true(digest_with(problem, &one, told, sizeof told) == digest);
    sw_problem_unref(problem);
}

static bool twice_the_first(void *context, const struct sw_breeding_scene *scene, struct sw_rank *order, bool *given,
                            const char **why, struct sw_error *error) {
    (void)scene, (void)why, (void)error;
    for (uint32_t i = 0; i < 9; i++) {
        order[i].at = i;
    }
    order[0].at = context ? 1 : 0;
    *given = true;
    return true;
}

static bool no_exchange(void *context, const struct sw_breeding_scene *scene, const struct sw_individual *one,
                        struct sw_exchange *told, struct sw_error *error) {
    (void)context, (void)scene, (void)one, (void)error;
    *told = (struct sw_exchange){.a = 3, .b = 3};
    return true;
}

/* Answers that are none end the run in words, and leave the state as it was. */
static void operators_are_checked(void **state) {
    (void)state;
    const struct {
        struct sw_breeding breeding;
        const char *message;
    } wrong[] = {
        {{.name = "w", .seed = twice_the_first, .fitness = own_fitness, .context = (void *)rows},
         "seed_population of w: place 2 has a buffer that came before"},
        {{.name = "w", .seed = twice_the_first, .fitness = own_fitness},
         "seed_population of w gives orders that are there already, 1000 times in a row"},
        {{.name = "w", .mutate = no_exchange, .fitness = own_fitness},
         "mutate of w: it gives two different places from 1 to 9"},
    };
    struct sw_problem *problem = plain_problem(rows, COUNT(rows));
    for (size_t i = 0; i < COUNT(wrong); i++) {
        struct sw_error error = {0};
        struct sw_params params = {.seed = 7, .breeding = &wrong[i].breeding};
        struct sw_search *search = sw_search_new(problem, sw_planner_find("order-genetic", NULL), &params, NULL);
        enum sw_step step = SW_STEP_MORE;
        while (step == SW_STEP_MORE) {
            step = sw_search_step(search, &error);
        }
        assert_int_equal(step, SW_STEP_FAILED);
        assert_string_equal(error.message, wrong[i].message);
        sw_search_free(search);
    }
    sw_problem_unref(problem);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operators_from_outside),
        cmocka_unit_test(operators_are_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
