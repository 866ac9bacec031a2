/* Why two runs part, for all planners on networks that ship: each side has a reason in the terms of its planner, and
 * each figure in it is one of the decision, of its candidates, or of the planner's state. */
#include "unit/unit.h"

#include "base/number.h"
#include "base/text.h"
#include "formats/format.h"
#include "planners/planner.h"
#include "search/apart/setting_apart.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static const char *const networks[] = {"two_tiers.json", "mobilenet_v1_025_96.json", "branches.json"};
enum { NETWORKS = sizeof networks / sizeof *networks, WALKED = 400, WALKED_LONGER = 120 };
/* Planners that find little to do there, on networks where they have more. */
static const struct {
    const char *planner, *key, *value, *network;
} longer[] = {
    {"branch-and-bound", "branching", "canonical", "darts.lua"},
    {"branch-and-bound", "branching", "pivot", "darts.lua"},
    {"auto", NULL, NULL, "darts.lua"},
    {"improve", NULL, NULL, "darts.lua"},
    {"order-exact", NULL, NULL, "darts.lua"},
    {"fit", NULL, NULL, "resnet8.lua"},
    {"tier-search", "inside", "exhaustive", "two_tiers.json"},
    {"tier-search", "inside", "beam:3", "two_tiers.json"},
};

static struct sw_problem *load_network(const char *name) {
    char path[1024];
    uint64_t digest;
    struct sw_error error = {0};
    struct sw_load_options options = {0};
    snprintf(path, sizeof path, SW_TEST_SOURCE "/scripts/models/%s", name);
    struct sw_problem *problem = sw_load(path, &options, &digest, &error);
    if (!problem) {
        fail_msg("%s", error.message);
    }
    return problem;
}

static struct sw_search *begin_run(const struct sw_problem *problem, const struct sw_planner *planner, uint64_t seed,
                                   const char *key, const char *value) {
    struct sw_params params = SW_PARAMS_DEFAULT;
    struct sw_error error = {0};
    params.seed = seed;
    assert_true(!key || sw_params_set(&params, key, value, &error));
    struct sw_search *run = sw_search_new(problem, planner, &params, &error);
    if (!run) {
        fail_msg("%s: %s", planner->name, error.message);
    }
    sw_params_done(&params);
    return run;
}

/* ---- the figures that may be named ---- */

static struct sw_sink figures;

static void add_words(const char *words) {
    sw_sink_add(&figures, " ", 1);
    sw_sink_add(&figures, words, strlen(words));
}

static void add_figure(double figure) {
    if (figure >= 0 && figure < 0x1p63 && figure == (double)(uint64_t)figure) {
        add_words(SW_COUNT((uint64_t)figure));
    }
    add_words(SW_NUMBER(figure));
}

static void add_decision(const struct sw_problem *problem, const struct sw_explanation *why) {
    const struct sw_decision *d = &why->decision;
    char text[SW_MESSAGE];
    sw_decision_describe(problem, d, text, sizeof text);
    add_words(text);
    const uint64_t fields[] = {d->step, d->offset, d->size, d->group, d->candidates, d->peak, d->live};
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        add_figure((double)fields[i]);
    }
    if (d->time < sw_problem_steps(problem)) {
        add_figure((double)sw_problem_time(problem, d->time));
    }
    for (const struct sw_operand *o = sw_decision_operands((enum sw_decision_kind)d->kind); o->name; o++) {
        double number;
        add_figure(sw_decision_value(d, o, &number, NULL) ? number : 0);
    }
    for (size_t i = 0; i < why->candidates.count; i++) {
        add_figure((double)why->candidates.items[i].offset);
        add_figure((double)why->candidates.items[i].size);
        add_words(why->candidates.items[i].reason);
    }
}

static void add_state(const struct sw_search *run) {
    struct sw_state_tables tables = {.most = 1000};
    sw_search_state(run, &tables);
    assert_false(tables.failed);
    for (size_t i = 0; i < tables.items.count; i++) {
        const struct sw_state_table *t = &tables.items.items[i];
        add_figure((double)t->row_count);
        for (size_t k = 0; k < t->cells.count; k++) {
            const struct sw_state_cell *cell = &t->cells.items[k];
            bool step = cell->kind == SW_CELL_STEP && cell->count < sw_problem_steps(sw_search_problem(run));
            add_figure(step ? (double)sw_problem_time(sw_search_problem(run), (uint32_t)cell->count)
                       : cell->kind == SW_CELL_NUMBER ? cell->number
                                                      : (double)cell->count);
        }
    }
    sw_state_tables_done(&tables);
}

/* The next number of a text that is no part of a name; NULL: there is none. */
static const char *next_number(const char **text, char number[64]) {
    const char *at = *text;
    char before = ' ';
    while (*at && (!isdigit((unsigned char)*at) || isalnum((unsigned char)before) || before == '_')) {
        before = *at++;
    }
    size_t length = strspn(at, "0123456789,.");
    while (length > 0 && !isdigit((unsigned char)at[length - 1])) {
        length--;
    }
    snprintf(number, 64, "%.*s", (int)length, at);
    *text = at + length;
    return length ? number : NULL;
}

static void each_number_is_known(const char *text, const char *label) {
    char wanted[64], known[64];
    sw_sink_add(&figures, "", 1);
    while (next_number(&text, wanted)) {
        const char *all = figures.text.items;
        while (next_number(&all, known) && strcmp(wanted, known) != 0) {
        }
        if (strcmp(wanted, known) != 0) {
            fail_msg("%s: where does %s come from?\n%s\n%s", label, wanted, text, figures.text.items);
        }
    }
    figures.text.count = 0;
}

/* ---- every decision of every planner ---- */

static void walk_planner(struct sw_search *run, uint64_t most) {
    const struct sw_planner *planner = sw_search_planner(run);
    char because[SW_BECAUSE], label[SW_BECAUSE + 128];
    while (sw_search_at(run) < most && sw_search_step(run, NULL) == SW_STEP_MORE) {
        struct sw_explanation why = {0};
        sw_search_because(run, because, sizeof because);
        snprintf(label, sizeof label, "%s, decision %llu: %s", planner->name, (unsigned long long)sw_search_at(run),
                 because);
        assert_true(strlen(because) + 1 < SW_BECAUSE);
        if (planner->because) {
            assert_true(*because);
        } else {
            assert_true(planner->turn && !*because);
        }
        if (*because) {
            assert_true(sw_search_explain(run, sw_search_at(run), &why, NULL));
            add_decision(sw_search_problem(run), &why);
            add_state(run);
            each_number_is_known(because, label);
        }
        sw_explanation_done(&why);
    }
    sw_search_free(run);
}

static void figures_of_decisions(void **state) {
    (void)state;
    for (size_t n = 0; n < NETWORKS; n++) {
        struct sw_problem *problem = load_network(networks[n]);
        for (size_t i = 0; i < sw_planner_count(); i++) {
            if (sw_planner_applies(sw_planner_get(i), problem, NULL)) {
                walk_planner(begin_run(problem, sw_planner_get(i), 1, NULL, NULL), WALKED);
            }
        }
        sw_problem_unref(problem);
    }
    for (size_t i = 0; i < sizeof longer / sizeof *longer; i++) {
        struct sw_problem *problem = load_network(longer[i].network);
        const struct sw_planner *planner = sw_planner_find(longer[i].planner, NULL);
        walk_planner(begin_run(problem, planner, 1, longer[i].key, longer[i].value), WALKED_LONGER);
        sw_problem_unref(problem);
    }
}

/* ---- every pair ---- */

static const char *const names[2] = {"One", "Two"};

/* "One takes t1 first: ", "One, now running x, takes t1 (64 B): " */
static bool has_turn(const char *text, const char *name) {
    const char *at = strstr(text, name), *takes = at ? strstr(at, " takes ") : NULL;
    const char *colon = takes ? strchr(takes, ':') : NULL, *end = takes ? strpbrk(takes, ";.") : NULL;
    return colon && end && colon < end;
}

static bool has_reason(const struct sw_apart_parting *parting, unsigned i, const char *text) {
    if (parting->step[i] == 0 || *parting->because[i]) {
        return parting->step[i] == 0 || strstr(text, parting->because[i]) || has_turn(text, names[i]);
    }
    return parting->kind == SW_APART_TURN    ? has_turn(text, names[i])
           : parting->kind == SW_APART_PLACE ? parting->why[i].decision.reason[0] != '\0'
                                             : strstr(text, "it has its turn before") != NULL;
}

/* Sizes and lifetimes of the blocks that a sentence names. */
static void add_block(const struct sw_problem *problem, uint32_t buffer) {
    if (buffer < sw_problem_buffer_count(problem)) {
        const struct sw_buffer *b = sw_problem_buffer(problem, buffer);
        add_figure((double)b->size);
        add_figure((double)((b->size + 15) / 16 * 16));
        add_figure((double)sw_problem_time(problem, b->first));
        for (uint32_t s = b->first; s <= b->last && s < sw_problem_steps(problem); s++) {
            uint64_t live = 0;
            for (uint32_t other = 0; other < sw_problem_buffer_count(problem); other++) {
                const struct sw_buffer *one = sw_problem_buffer(problem, other);
                live += one->planned ? sw_buffer_live_bytes(one, s) : 0;
            }
            add_figure((double)live);
        }
    }
}

static void compare_planners(const struct sw_problem *problem, const struct sw_planner *const two[2], bool *parts) {
    struct sw_search *runs[2];
    char text[SW_APART_SENTENCE], label[128];
    snprintf(label, sizeof label, "%s and %s", two[0]->name, two[1]->name);
    for (unsigned i = 0; i < 2; i++) {
        runs[i] = begin_run(problem, two[i], i + 1, NULL, NULL);
    }
    struct sw_apart *apart = sw_apart_new(runs[0], runs[1], NULL);
    const struct sw_apart_parting *parting = sw_apart_parting(apart);
    while (!parting->known && sw_apart_work(apart, 20000, NULL)) {
    }
    assert_true(parting->known);
    assert_in_range(sw_apart_sentence(apart, names, 0, text, sizeof text), 1, sizeof text - 1);
    for (unsigned i = 0; i < 2 && parting->kind != SW_APART_NOT; i++) {
        if (!has_reason(parting, i, text)) {
            fail_msg("%s: no reason of %s in '%s'", label, names[i], text);
        }
        if (parting->step[i]) {
            struct sw_search *there = sw_search_fork(runs[i], NULL);
            assert_true(there && sw_search_seek(there, 0, NULL));
            while (sw_search_at(there) < parting->step[i] && sw_search_step(there, NULL) == SW_STEP_MORE) {
            }
            add_decision(parting->problem[i], &parting->why[i]);
            add_state(there);
            add_block(parting->problem[i], parting->next[i]);
            add_block(parting->problem[i], parting->why[i].decision.buffer);
            sw_search_free(there);
        }
    }
    add_words("16");
    *parts |= parting->kind != SW_APART_NOT;
    each_number_is_known(text, label);
    sw_apart_free(apart);
    sw_search_free(runs[0]);
    sw_search_free(runs[1]);
}

/* A planner with itself has another seed in the second run. */
static void reasons_of_pairs(void **state) {
    (void)state;
    for (size_t n = 0; n < NETWORKS; n++) {
        struct sw_problem *problem = load_network(networks[n]);
        for (size_t i = 0; i < sw_planner_count(); i++) {
            bool parts = false;
            for (size_t k = 0; k < sw_planner_count(); k++) {
                const struct sw_planner *two[2] = {sw_planner_get(i), sw_planner_get(k)};
                if (sw_planner_applies(two[0], problem, NULL) && sw_planner_applies(two[1], problem, NULL)) {
                    compare_planners(problem, two, &parts);
                }
            }
            assert_true(parts || !sw_planner_applies(sw_planner_get(i), problem, NULL));
        }
        sw_problem_unref(problem);
    }
}

int main(void) {
    setenv("STOWAGE_DATA", SW_TEST_SOURCE, 1);
    const struct CMUnitTest tests[] = {cmocka_unit_test(figures_of_decisions), cmocka_unit_test(reasons_of_pairs)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    sw_sink_done(&figures);
    return failed;
}
