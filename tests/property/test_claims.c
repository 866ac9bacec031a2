/* What sentences claim, on small random problems of which all orders and layouts are tried.
 *
 * A sentence with "proves", "at least", "no order", "nothing", "every" or "instead of" compares two figures, or a
 * figure with all that could be. The sentences are read as a person reads them, and each claim is looked up in what
 * trying everything gave:
 *
 * - of networks of up to 7 operators the least of all orders, and what each operator runs with at least;
 * - of lists of up to 7 buffers the least of all layouts, which first fit finds in some order of the buffers. */
#include "share.h"
#include "model.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NETWORKS = 700, LISTS = 500, MOST = 7, TEXT = 1024, LONGEST = 4000 };

static uint64_t sentences, claims;

/* ---- reading ---- */

/* The bytes behind these words: "1,712,256 B". False: the words are not there, or no figure follows. */
static bool figure_behind(const char *text, const char *words, uint64_t *bytes) {
    const char *at = strstr(text, words);
    if (!at || !isdigit((unsigned char)at[strlen(words)])) {
        return false;
    }
    *bytes = 0;
    for (at += strlen(words); isdigit((unsigned char)*at) || *at == ','; at++) {
        *bytes = isdigit((unsigned char)*at) ? *bytes * 10 + (uint64_t)(*at - '0') : *bytes;
    }
    claims++;
    return true;
}

/* The number of the operator "oK" behind these words. */
static bool operator_behind(const char *text, const char *words, uint32_t *op) {
    const char *at = strstr(text, words);
    bool there = at && at[strlen(words)] == 'o' && isdigit((unsigned char)at[strlen(words) + 1]);
    *op = there ? (uint32_t)strtoul(at + strlen(words) + 1, NULL, 10) : 0;
    return there;
}

/* ---- networks ---- */

struct network {
    struct model name; /* for messages: its seed */
    uint32_t count;    /* operator k writes buffer k, and reads some of those before it */
    uint64_t size[MOST];
    uint32_t reads[MOST]; /* bits: operators that read it */
    bool output[MOST];
    /* of all orders */
    uint64_t least, of_file, with[MOST]; /* with: an operator runs with so much alive, at least */
    uint32_t places[MOST];               /* bits: places that it has in the orders that need least */
};

static void draw_network(struct network *n, uint64_t seed) {
    uint64_t r = seed * 1000003 + 17;
    *n = (struct network){.name.seed = seed, .count = 2 + (uint32_t)sw_random_below(&r, MOST - 1)};
    for (uint32_t k = 0; k < n->count; k++) {
        n->size[k] = 1 + sw_random_below(&r, sw_random_below(&r, 2) ? 9 : 2000);
        uint32_t wanted = k ? (uint32_t)sw_random_below(&r, 4) : 0;
        for (uint32_t i = 0; i < wanted; i++) {
            n->reads[sw_random_below(&r, k)] |= 1u << k;
        }
    }
    for (uint32_t k = 0; k < n->count; k++) {
        n->output[k] = !n->reads[k];
    }
}

static struct sw_problem *build_network(const struct network *n) {
    struct sw_error error = {0};
    struct sw_builder *builder = sw_builder_new(&error);
    char names[MOST][12], operators[MOST][12];
    for (uint32_t k = 0; k < n->count; k++) {
        const char *inputs[MOST], *outputs[1] = {names[k]};
        size_t count = 0;
        snprintf(names[k], sizeof names[k], "t%u", k);
        snprintf(operators[k], sizeof operators[k], "o%u", k);
        for (uint32_t b = 0; b < k; b++) {
            inputs[count] = names[b];
            count += n->reads[b] >> k & 1;
        }
        struct sw_operator_spec op = {
            .name = operators[k], .inputs = inputs, .input_count = count, .outputs = outputs, .output_count = 1};
        struct sw_buffer_spec buffer = {.name = names[k],
                                        .has_size = true,
                                        .size = n->size[k],
                                        .output = n->output[k],
                                        .kind = n->output[k] ? SW_KIND_OUTPUT : SW_KIND_INTERMEDIATE};
        check_that(sw_builder_operator(builder, &op, &error) && sw_builder_buffer(builder, &buffer, &error), &n->name,
                   "network", "%s", error.message);
    }
    struct sw_problem *problem = sw_builder_finish(builder, &error);
    check_that(problem != NULL, &n->name, "network", "%s", error.message);
    sw_builder_free(builder);
    return problem;
}

/* Alive while the operator at each place of an order runs; the most of them. False: the order is none. */
static bool measure(const struct network *n, const uint32_t *order, uint64_t *alive, uint64_t *most) {
    uint32_t ran = 0;
    *most = 0;
    for (uint32_t i = 0; i < n->count; i++) {
        uint32_t op = order[i];
        alive[i] = 0;
        for (uint32_t b = 0; b < n->count; b++) {
            if (n->reads[b] >> op & 1 && !(ran >> b & 1)) {
                return false;
            }
        }
        ran |= 1u << op;
        for (uint32_t b = 0; b < n->count; b++) { /* written, and still to be read, by this one or later */
            bool wanted = b == op || n->output[b] || (n->reads[b] & (~ran | 1u << op));
            alive[i] += ran >> b & 1 && wanted ? n->size[b] : 0;
        }
        *most = alive[i] > *most ? alive[i] : *most;
    }
    return true;
}

static void try_all_orders(struct network *n) {
    uint32_t order[MOST];
    uint64_t alive[MOST], most;
    for (int pass = 0; pass < 2; pass++) {
        n->least = pass ? n->least : UINT64_MAX;
        for (uint32_t k = 0; k < n->count; k++) {
            order[k] = k;
            n->with[k] = pass ? n->with[k] : UINT64_MAX;
        }
        measure(n, order, alive, &n->of_file);
        do {
            if (!measure(n, order, alive, &most)) {
                continue;
            }
            n->least = most < n->least ? most : n->least;
            for (uint32_t i = 0; i < n->count; i++) {
                n->with[order[i]] = alive[i] < n->with[order[i]] ? alive[i] : n->with[order[i]];
                n->places[order[i]] |= pass && most == n->least ? 1u << i : 0;
            }
        } while (next_order(order, n->count));
    }
}

/* `known`: what was proved before. */
static void check_order_sentence(const struct network *n, const char *planner, const struct sw_decision *d,
                                 const char *text, uint64_t *known) {
    uint64_t bytes, other = 0;
    uint32_t op = 0;
    const struct model *m = &n->name;
    if (figure_behind(text, "needs less than ", &bytes)) {
        check_that(bytes <= n->least, m, planner, "'%s', but one needs %" PRIu64, text, n->least);
        check_that(d->kind != SW_DECISION_PROVED_ORDER || bytes == n->least, m, planner,
                   "'%s', but the least is %" PRIu64, text, n->least);
        check_that(d->kind == SW_DECISION_PROVED_ORDER || bytes > *known, m, planner,
                   "'%s', and %" PRIu64 " was proved before", text, *known);
        if (figure_behind(text, ", not only ", &other)) {
            check_that(other < bytes && other == *known, m, planner, "'%s', where %" PRIu64 " was known", text, *known);
        }
        if (operator_behind(text, ", since ", &op)) {
            check_that(n->with[op] >= bytes, m, planner, "'%s', but it can run with %" PRIu64, text, n->with[op]);
        }
        *known = bytes;
    } else if (figure_behind(text, "with at least ", &bytes)) {
        check_that(operator_behind(text, "that ", &op) && bytes <= n->with[op], m, planner, "'%s', but with %" PRIu64,
                   text, n->with[op]);
        check_that(!strstr(text, "known of all orders already") || bytes <= *known, m, planner,
                   "'%s', and %" PRIu64 " is known", text, *known);
    } else if (figure_behind(text, "first runs the ", &bytes)) {
        check_that(operator_behind(text, "up to ", &op) && (n->places[op] & ((1u << bytes) - 1)), m, planner,
                   "'%s', but no least order has it there", text);
    } else if (figure_behind(text, "finds an order with ", &bytes)) {
        check_that(bytes >= n->least, m, planner, "'%s', but the least is %" PRIu64, text, n->least);
        check_that(!figure_behind(text, ", not ", &other) || bytes < other, m, planner, "'%s'", text);
    } else if (figure_behind(text, "another place, for ", &bytes)) {
        check_that(bytes >= n->least && figure_behind(text, "instead of ", &other) && other == n->of_file, m, planner,
                   "'%s', of %" PRIu64 " in the order of the file", text, n->of_file);
        check_that(bytes != other && (bytes > other) == (strstr(text, "which is more") != NULL), m, planner, "'%s'",
                   text);
        check_that(bytes < other || !strstr(text, "the best order that was found"), m, planner, "'%s'", text);
    } else if (figure_behind(text, "another place, with ", &bytes)) {
        check_that(bytes == n->of_file, m, planner, "'%s', of %" PRIu64 " in the order of the file", text, n->of_file);
    } else if (figure_behind(text, "keeps the order of the file, with ", &bytes)) {
        check_that(bytes == n->of_file, m, planner, "'%s', but it has %" PRIu64, text, n->of_file);
    } else if (figure_behind(text, "leaves open whether there is an order within ", &bytes)) {
        check_that(bytes >= *known, m, planner, "'%s', which was known not to be", text);
    }
    if (strstr(text, "no order needs less") && !strstr(text, "needs less than")) {
        uint64_t said = sw_decision_amount(d);
        check_that(d->kind == SW_DECISION_RUN || said == n->least, m, planner, "'%s', but the least is %" PRIu64, text,
                   n->least);
    }
}

static void check_network(uint64_t seed) {
    struct network n;
    uint64_t hungriest = 0;
    draw_network(&n, seed);
    try_all_orders(&n);
    struct sw_problem *problem = build_network(&n);
    for (uint32_t op = 0; op < n.count; op++) { /* what it names itself */
        uint64_t own = n.size[op];
        for (uint32_t b = 0; b < n.count; b++) {
            own += n.reads[b] >> op & 1 ? n.size[b] : 0;
        }
        hungriest = own > hungriest ? own : hungriest;
    }
    for (size_t i = 0; i < sw_planner_built_in_count(); i++) {
        const struct sw_planner *planner = sw_planner_get(i);
        struct sw_error error = {0};
        struct sw_search *search = planner->reorders ? sw_search_new(problem, planner, NULL, &error) : NULL;
        uint64_t known = hungriest;
        while (search && sw_search_at(search) < LONGEST && sw_search_step(search, &error) == SW_STEP_MORE) {
            char text[TEXT];
            sw_decision_describe(sw_search_problem(search), sw_search_decision(search), text, sizeof text);
            check_order_sentence(&n, planner->name, sw_search_decision(search), text, &known);
            sentences++;
        }
        sw_search_free(search);
    }
    sw_problem_unref(problem);
}

/* ---- lists of buffers ---- */

struct told {
    uint64_t optimum, capacity, lowest; /* lowest: of the layouts that were found so far */
};

static void check_layout_sentence(const struct model *m, const struct sw_search *search, const char *text,
                                  struct told *told) {
    const char *planner = sw_search_planner(search)->name;
    const struct sw_decision *d = sw_search_decision(search);
    uint64_t bytes, amount = sw_decision_amount(d);
    bool answers = sw_decision_is(d, SW_DECISION_FINISH) || sw_decision_is(d, SW_DECISION_INCUMBENT) ||
                   sw_decision_is(d, SW_DECISION_EVALUATE) || sw_decision_is(d, SW_DECISION_DECODE);
    if (figure_behind(text, "proves that ", &bytes) && strstr(text, " is the least")) {
        check_that(bytes == told->optimum, m, planner, "'%s', but the least is %" PRIu64, text, told->optimum);
    }
    if (strstr(text, "proves that nothing fits")) {
        check_that(told->optimum > told->capacity, m, planner, "'%s', but %" PRIu64 " do", text, told->optimum);
        claims++;
    }
    if (answers && (strstr(text, "nothing can be better") || strstr(text, "nothing is lower") ||
                    strstr(text, "nothing can be lower"))) {
        check_that(amount == told->optimum, m, planner, "'%s', but the least is %" PRIu64, text, told->optimum);
        claims++;
    }
    if (strstr(text, "lower than every layout before")) {
        check_that(amount < told->lowest, m, planner, "'%s', but there was %" PRIu64, text, told->lowest);
        claims++;
    }
    if (strstr(text, "best so far") || strstr(text, "lowest so far")) {
        bool is = !strstr(text, "no better") && !strstr(text, "no lower") && !strstr(text, "no cheaper");
        check_that(!answers || d->kind == SW_DECISION_FINISH || (is ? amount <= told->lowest : amount >= told->lowest),
                   m, planner, "'%s', and there was %" PRIu64, text, told->lowest);
        claims++;
    }
    if (answers && !strstr(text, "measures nothing") && amount > 0) {
        check_that(amount >= told->optimum, m, planner, "'%s', but nothing is below %" PRIu64, text, told->optimum);
        told->lowest = amount < told->lowest ? amount : told->lowest;
    }
    if (d->kind == SW_DECISION_PRUNE && figure_behind(text, "and more than ", &bytes)) {
        uint64_t end = 0;
        check_that(figure_behind(text, "would end at ", &end) && end > bytes, m, planner, "'%s'", text);
    }
    if (strstr(text, "nothing lies in its way")) {
        for (uint32_t b = 0; b < sw_problem_buffer_count(sw_search_problem(search)); b++) {
            struct sw_placement p;
            bool conflict = sw_problem_conflict(sw_search_problem(search), b, d->buffer) != SW_CONFLICT_NONE;
            check_that(!conflict || !sw_layout_placement(sw_search_layout(search), b, 0, &p) ||
                           p.offset >= told->capacity, /* above the capacity it is in the way of none */
                       m, planner, "'%s', but b%u does", text, b);
        }
        claims++;
    }
}

static void check_list(uint64_t seed) {
    struct model m;
    uint64_t r = seed * 7919 + 3;
    model_draw_plain(&m, seed, MOST);
    struct told about = {.optimum = oracle_optimum(&m), .capacity = SW_UNBOUNDED, .lowest = UINT64_MAX};
    if (seed % 3 == 0) {
        m.capacity[0] = about.capacity = about.optimum + sw_random_below(&r, 6) - (about.optimum > 3 ? 3 : 0);
    }
    struct sw_problem *problem = model_build(&m, NULL);
    for (size_t i = 0; i < sw_planner_built_in_count(); i++) {
        const struct sw_planner *planner = sw_planner_get(i);
        struct sw_params params = short_run(planner);
        struct sw_error error = {0};
        bool suits = model_applies(planner, problem) && !planner->reserves;
        if (seed % 2) { /* to the end, which is where most is proved */
            sw_params_done(&params);
            params = SW_PARAMS_DEFAULT;
            params.work = planner->seeded || planner->goes_on ? 20000 : 0;
        }
        struct sw_search *search = suits ? sw_search_new(problem, planner, &params, &error) : NULL;
        struct told told = about;
        while (search && sw_search_at(search) < LONGEST && sw_search_step(search, &error) == SW_STEP_MORE) {
            char text[TEXT];
            sw_decision_describe(sw_search_problem(search), sw_search_decision(search), text, sizeof text);
            check_layout_sentence(&m, search, text, &told);
            sentences++;
        }
        sw_search_free(search);
        sw_params_done(&params);
    }
    sw_problem_unref(problem);
}

int main(void) {
    uint64_t seed = base_seed();
    for (uint64_t i = first_case(NETWORKS), i_end = i + cases(NETWORKS); i < i_end; i++) {
        check_network(seed + i);
    }
    for (uint64_t i = first_case(LISTS), i_end = i + cases(LISTS); i < i_end; i++) {
        check_list(seed + i);
    }
    printf("%" PRIu64 " claims in %" PRIu64 " sentences, from seed %" PRIu64 "\n", claims, sentences, seed);
    return often(claims, 4000) ? 0 : 1;
}
