/* E of tier-search: on 30 cases, shipped networks with 512 KiB to 16 MiB of fast memory, beside the best of three
 * rivals, and with segments of 1, 2, 4 ... steps; and processor time on chains. The rates are those of the worked
 * example: 16 bytes a cycle and a latency of 1, 4 and 10. */
#include "tiers.h"
#include "measure.h"

#include "base/hash.h"
#include "formats/format.h"
#include "problem/builder.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static const char *const networks[] = {"googlenet", "randwire", "train_cnn", "densenet121", "mobilenet_v2"};
static const struct rival {
    const char *name, *parameter, *value;
} rivals[] = {{"greedy-by-size", NULL, NULL}, {"farthest-next-use", NULL, NULL}, {"order-genetic", "fitness", "cost"}};
enum { LONGEST = 16 };

static struct sw_problem *load_network(const char *network, uint64_t capacity) {
    char path[4096];
    struct sw_error error = {0};
    static const char text[] = "{\"tiers\":[{\"name\":\"sram\",\"capacity\":1048576,\"bandwidth\":16,\"latency\":1},"
                               "{\"name\":\"dram\",\"bandwidth\":4,\"latency\":10}]}";
    const struct sw_input tiers = {.name = "tiers", .bytes = text, .length = sizeof text - 1};
    struct sw_load_options options = {.tiers_text = &tiers, .has_capacity = true, .capacity = capacity};
    snprintf(path, sizeof path, "%s/scripts/models/%s.lua", SW_TEST_SOURCE, network);
    struct sw_problem *problem = sw_load(path, &options, NULL, &error);
    if (!problem) {
        bench_fail(&error);
    }
    return problem;
}

/* E at the end, NaN where there is no plan, and seconds of processor time. */
static double run_for_cost(const struct sw_problem *problem, const char *planner, const char *parameter,
                           const char *value, double *seconds) {
    struct sw_error error = {0};
    struct sw_params params = SW_PARAMS_DEFAULT;
    const struct sw_planner *found = sw_planner_find(planner, &error);
    clock_t before = clock();
    bool ok = found && (!parameter || sw_params_set(&params, parameter, value, &error));
    struct sw_search *search = ok ? sw_search_new(problem, found, &params, &error) : NULL;
    bool done = search && sw_search_run(search, 0, NULL, NULL, &error) == SW_STEP_DONE;
    struct sw_claims claims = {.cost = (double)NAN}; /* of a planner without addresses its own word */
    double cost = (double)NAN;
    if (done) {
        sw_search_claims(search, &claims);
        cost = claims.cost;
    }
    if ((!done && error.code != SW_ERROR_INFEASIBLE) ||
        (done && isnan(cost) && !sw_cost_of_layout(sw_search_layout(search), NULL, &cost, &error))) {
        bench_fail(&error);
    }
    *seconds = (double)(clock() - before) / CLOCKS_PER_SEC;
    sw_search_free(search);
    sw_params_done(&params);
    return cost;
}

/* Does E rise anywhere when segments become longer? */
static bool longer_costs_more(const struct sw_problem *problem, double cost) {
    for (int steps = 2; steps <= LONGEST; steps *= 2) {
        char value[16];
        double seconds, before = cost;
        snprintf(value, sizeof value, "%d", steps);
        cost = run_for_cost(problem, "tier-search", "segment", value, &seconds);
        if (cost > before) {
            return true;
        }
    }
    return false;
}

static void case_row(const char *network, uint64_t capacity) {
    struct sw_problem *problem = load_network(network, capacity);
    double good_time, plain_time, time, least = (double)INFINITY;
    const char *best = "";
    for (size_t i = 0; i < sizeof rivals / sizeof *rivals; i++) {
        double cost = run_for_cost(problem, rivals[i].name, rivals[i].parameter, rivals[i].value, &time);
        best = cost < least ? rivals[i].name : best;
        least = cost < least ? cost : least;
    }
    double good = run_for_cost(problem, "tier-search", "choices", "good", &good_time);
    double plain = run_for_cost(problem, "tier-search", "choices", "plain", &plain_time);
    printf("  %-13s %6" PRIu64 " KiB %+9.2f %8.3f %+9.2f %8.3f  %-17s %8s%s\n", network, capacity >> 10,
           100 * (good / least - 1), good_time, 100 * (plain / least - 1), plain_time, best,
           longer_costs_more(problem, good) ? "more" : "no more", good > 1.01 * least ? "   ABOVE" : "");
    fflush(stdout);
    sw_problem_unref(problem);
}

/* Each operator reads what the one before wrote. */
static struct sw_problem *tier_chain(uint32_t buffers, struct sw_error *error) {
    const struct sw_tier tiers[] = {{"sram", 64 << 10, 16, 1, 0}, {"dram", SW_UNBOUNDED, 4, 10, 0}};
    struct sw_builder *builder = sw_builder_new(error);
    uint64_t random = 1;
    bool ok = builder && sw_builder_tier(builder, &tiers[0], error) && sw_builder_tier(builder, &tiers[1], error);
    for (uint32_t i = 0; ok && i < buffers; i++) {
        char name[16], before[16];
        const char *input = before, *output = name;
        struct sw_buffer_spec buffer = {.name = name,
                                        .kind = SW_KIND_INTERMEDIATE,
                                        .has_size = true,
                                        .size = 64 * (16 + sw_random_below(&random, 625))};
        struct sw_operator_spec operator_ = {
            .name = name, .inputs = &input, .input_count = i > 0, .outputs = &output, .output_count = 1};
        snprintf(name, sizeof name, "b%" PRIu32, i);
        snprintf(before, sizeof before, "b%" PRIu32, i - 1);
        ok = sw_builder_buffer(builder, &buffer, error) && sw_builder_operator(builder, &operator_, error);
    }
    struct sw_problem *problem = ok ? sw_builder_finish(builder, error) : NULL;
    sw_builder_free(builder);
    return problem;
}

static void chain_row(uint32_t buffers, const char *aim) {
    struct sw_error error = {0};
    struct sw_problem *problem = tier_chain(buffers, &error);
    double good_time, greedy_time;
    if (!problem) {
        bench_fail(&error);
    }
    double good = run_for_cost(problem, "tier-search", NULL, NULL, &good_time);
    double greedy = run_for_cost(problem, "greedy-by-size", NULL, NULL, &greedy_time);
    printf("  chain of %-11" PRIu32 " %+9.2f %8.2f  greedy-by-size    %s\n", buffers, 100 * (good / greedy - 1),
           good_time, aim);
    fflush(stdout);
    sw_problem_unref(problem);
}

void bench_tiers(void) {
    printf("tier-search, E in %% above the best of greedy-by-size, farthest-next-use and order-genetic by cost\n"
           "  %-24s %9s %8s %9s %8s  %-17s %8s\n",
           "aim: at most 1", "good", "s", "plain", "s", "the best of these", "longer segments cost");
    for (size_t i = 0; i < sizeof networks / sizeof *networks; i++) {
        for (uint64_t capacity = 512 << 10; capacity <= 16 << 20; capacity *= 2) {
            case_row(networks[i], capacity);
        }
    }
    chain_row(10000, "in 1 s");
    chain_row(100000, "in 20 s");
}
