/* What is suggested comes true, on random problems: the commands of every suggestion are given to a session of the same
 * file, which runs to its end, and the peak and the bound are what was promised, and the plan breaks no rule. The same
 * work gives the same list, however it is cut into slices. */
#include "share.h"
#include "model.h"

#include "base/hash.h"
#include "command/session.h"
#include "formats/format.h"
#include "suggest/suggest.h"
#include "view/suggest/suggest_words.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SHARE = 640, MOST_MADE = 24 };

static uint64_t of_kind[SW_SUGGEST_KINDS], lists, at_bound, ways, firsts;

static const char *const planners[] = {"first-fit",         "best-fit",    "greedy-by-size",    "tflm-greedy", "auto",
                                       "lifetime-best-fit", "tier-search", "greedy-by-breadth", "random-order"};

struct suggested {
    const struct model *m;
    const char *planner, *path;
    struct sw_suggest_state state;
};

#define SUGGEST_MUST(what, ...) check_that((what), t->m, t->planner, __VA_ARGS__)

static struct sw_session *open_file(const struct suggested *t) {
    struct sw_error error = {0};
    struct sw_session_options options = {.path = t->path, .planner = t->planner, .params = SW_PARAMS_DEFAULT};
    if (strcmp(t->planner, "random-order") == 0) {
        sw_params_set(&options.params, "evaluations", "40", &error);
    }
    struct sw_session *session = sw_session_new(&options, &error);
    sw_params_done(&options.params);
    SUGGEST_MUST(session != NULL, "%s", error.message);
    return session;
}

/* One suggestion, typed. */
static void make(const struct suggested *t, const struct sw_search *run, const struct sw_suggestion *of) {
    struct sw_session *session = open_file(t);
    struct sw_error error = {0};
    struct sw_sink lines = {0};
    sw_suggest_put_commands(run, 0, of, "\n", &lines);
    sw_sink_printf(&lines, "\nlast");
    sw_sink_add(&lines, "", 1);
    char copy[600], *rest = copy;
    snprintf(copy, sizeof copy, "%s", lines.text.items);
    for (char *line; (line = strtok_r(rest, "\n", &rest));) {
        bool done = sw_session_command_by(session, SW_DOOR_SCRIPT, line, &error) && sw_session_finish(session, &error);
        SUGGEST_MUST(done, "%s: %s", line, error.message);
    }
    const struct sw_search *made = sw_session_search(session);
    struct sw_metrics metrics;
    size_t faults;
    sw_metrics_of(sw_search_layout(made), &metrics);
    SUGGEST_MUST(sw_search_complete(made) && metrics.complete, "no plan");
    SUGGEST_MUST(metrics.tier_peak[t->state.tier] == of->peak, "%s came to %llu, not %llu",
                 sw_suggest_kind_name(of->kind), (unsigned long long)metrics.tier_peak[t->state.tier],
                 (unsigned long long)of->peak);
    SUGGEST_MUST(metrics.lower_bound == of->bound, "%s: the bound is another one", sw_suggest_kind_name(of->kind));
    SUGGEST_MUST(metrics.fits == of->fits, "it fits, or not");
    SUGGEST_MUST(!metrics.fits || (sw_layout_check(sw_search_layout(made), &faults, NULL, NULL) && faults == 0),
                 "%s breaks a rule", lines.text.items);
    sw_sink_done(&lines);
    sw_session_free(session);
    of_kind[of->kind]++;
}

static struct sw_suggest *suggest_all(const struct suggested *t, const struct sw_search *run, uint64_t slice) {
    struct sw_error error = {0};
    struct sw_suggest_request request = {.work = 400000};
    struct sw_suggest *suggest = sw_suggest_new(run, &request, &error);
    enum sw_step step = SW_STEP_MORE;
    while (suggest && step == SW_STEP_MORE) {
        step = sw_suggest_step(suggest, slice, &error);
    }
    SUGGEST_MUST(suggest && step == SW_STEP_DONE, "%s", error.message);
    return suggest;
}

static void check_same(const struct suggested *t, const struct sw_search *run, const struct sw_suggest *a,
                       const struct sw_suggest *b) {
    SUGGEST_MUST(sw_suggest_count(a) == sw_suggest_count(b), "slices change the list");
    for (size_t i = 0; i < sw_suggest_count(a); i++) {
        const struct sw_suggestion *x = sw_suggest_get(a, i), *y = sw_suggest_get(b, i);
        struct sw_sink p = {0}, q = {0};
        sw_suggest_put_commands(run, 0, x, ";", &p);
        sw_suggest_put_commands(run, 0, y, ";", &q);
        SUGGEST_MUST(x->peak == y->peak && x->others == y->others && p.text.count == q.text.count &&
                         memcmp(p.text.items, q.text.items, p.text.count) == 0,
                     "slices change number %zu", i);
        sw_sink_done(&p);
        sw_sink_done(&q);
    }
    struct sw_suggest_state of_a, of_b;
    sw_suggest_state_of(a, &of_a);
    sw_suggest_state_of(b, &of_b);
    SUGGEST_MUST(of_a.work == of_b.work && memcmp(of_a.tried, of_b.tried, sizeof of_a.tried) == 0,
                 "slices change work");
}

/* A pin that is refused, at some decision of the run: what is said to make it work does. */
static void check_refused(const struct suggested *t, const struct sw_search *run, uint64_t *r) {
    struct sw_error error = {0};
    const struct sw_problem *problem = sw_search_problem(run);
    struct sw_search *at = sw_search_fork(run, &error), *fork;
    struct sw_suggest_way way;
    uint64_t step = sw_random_below(r, sw_search_known(run) + 1);
    struct sw_override pin = {.kind = SW_OVERRIDE_PIN,
                              .buffer = (uint32_t)sw_random_below(r, sw_problem_buffer_count(problem))};
    uint64_t alignment = sw_problem_buffer(problem, pin.buffer)->alignment;
    pin.offset = sw_random_below(r, 40) * (alignment > 1 ? alignment : 1);
    SUGGEST_MUST(at && sw_search_seek(at, step, &error), "%s", error.message);
    if (sw_search_force(at, &pin, &error) || error.code != SW_ERROR_UNSUPPORTED) {
        sw_search_free(at);
        return;
    }
    sw_suggest_way_of(at, &pin, &way);
    if (way.before > 0) {
        fork = sw_search_fork(at, &error);
        SUGGEST_MUST(fork && way.before <= step && sw_search_seek(fork, way.before, &error), "%s", error.message);
        SUGGEST_MUST(!sw_search_force(fork, &pin, &error), "it works later, too");
        SUGGEST_MUST(sw_search_seek(fork, way.before - 1, &error) && sw_search_force(fork, &pin, &error), "%s",
                     error.message);
        sw_search_free(fork);
        ways++;
    }
    if (way.has_first) {
        SUGGEST_MUST(sw_search_force(at, &way.first, &error) && sw_search_force(at, &pin, &error), "%s", error.message);
        firsts++;
    }
    sw_search_free(at);
}

/* Nothing is told twice. */
static void check_different(const struct suggested *t, const struct sw_search *run, const struct sw_suggest *found) {
    for (size_t i = 0; i < sw_suggest_count(found) && i < MOST_MADE; i++) {
        struct sw_sink a = {0};
        sw_suggest_put_phrase(run, 0, sw_suggest_get(found, i), &a);
        for (size_t k = 0; k < i; k++) {
            struct sw_sink b = {0};
            sw_suggest_put_phrase(run, 0, sw_suggest_get(found, k), &b);
            SUGGEST_MUST(a.text.count != b.text.count || memcmp(a.text.items, b.text.items, a.text.count) != 0,
                         "%.*s is told twice", (int)a.text.count, a.text.items);
            sw_sink_done(&b);
        }
        sw_sink_done(&a);
    }
}

static void check_file(struct suggested *t) {
    struct sw_session *session = open_file(t);
    const struct sw_search *run = sw_session_search(session);
    struct sw_suggest *whole = suggest_all(t, run, 0), *cut = suggest_all(t, run, 777);
    sw_suggest_state_of(whole, &t->state);
    check_same(t, run, whole, cut);
    check_different(t, run, whole);
    uint64_t before = 0;
    bool fitted = true;
    for (size_t i = 0; i < sw_suggest_count(whole); i++) {
        const struct sw_suggestion *of = sw_suggest_get(whole, i);
        SUGGEST_MUST(!t->state.ended || (of->saved > 0 && of->saved == t->state.peak - of->peak), "it saves nothing");
        SUGGEST_MUST(fitted || !of->fits, "what fits is not first");
        SUGGEST_MUST(of->fits != fitted || before <= of->peak, "the best is not first");
        fitted = of->fits;
        before = of->peak;
        if (i < MOST_MADE) {
            make(t, run, of);
        }
    }
    uint64_t r = t->m->seed;
    struct sw_search *end = sw_search_fork(run, &(struct sw_error){0});
    if (end && sw_search_run(end, 0, NULL, NULL, NULL) == SW_STEP_DONE && t->state.ended) {
        for (int i = 0; i < 20; i++) {
            check_refused(t, end, &r);
        }
    }
    sw_search_free(end);
    lists++;
    at_bound += t->state.at_bound;
    sw_suggest_free(whole);
    sw_suggest_free(cut);
    sw_session_free(session);
}

static void write_model(const struct model *m, const char *path) {
    struct sw_error error = {0};
    struct sw_sink out = {0};
    struct sw_problem *problem = model_build(m, NULL);
    const struct sw_format *json = sw_format_for_output(path, false, &error);
    check_that(json && json->write_problem(problem, &out, &error) && sw_sink_commit(&out, path, &error), m, "json",
               "%s", error.message);
    sw_sink_done(&out);
    sw_problem_unref(problem);
}

int main(void) {
    char path[] = "/tmp/stowage-suggest-XXXXXX.json";
    int file = mkstemps(path, 5);
    if (file < 0) {
        perror(path);
        return 1;
    }
    close(file);
    for (uint64_t seed = first_case(SHARE), end = seed + cases(SHARE); seed < end; seed++) {
        struct model m;
        struct suggested t = {.m = &m, .path = path};
        if (seed % 2) {
            model_draw_plain(&m, base_seed() + seed, 20);
        } else {
            model_draw(&m, base_seed() + seed);
        }
        write_model(&m, path);
        for (size_t p = 0; p < sizeof planners / sizeof *planners; p++) {
            struct sw_problem *problem = model_build(&m, NULL);
            t.planner = planners[p];
            if (model_applies(sw_planner_find(t.planner, NULL), problem)) {
                check_file(&t);
            }
            sw_problem_unref(problem);
        }
    }
    unlink(path);
    printf("%llu lists, %llu of runs that meet the bound;", (unsigned long long)lists, (unsigned long long)at_bound);
    for (int k = 0; k < SW_SUGGEST_KINDS; k++) {
        printf(" %s %llu", sw_suggest_kind_name((enum sw_suggest_kind)k), (unsigned long long)of_kind[k]);
    }
    printf("; refused pins: %llu go back, %llu another first\n", (unsigned long long)ways, (unsigned long long)firsts);
    return often(of_kind[SW_SUGGEST_PIN], 12000) && often(of_kind[SW_SUGGEST_PINS], 300) &&
                   often(of_kind[SW_SUGGEST_FORBID], 800) && often(of_kind[SW_SUGGEST_PLANNER], 2000) &&
                   often(of_kind[SW_SUGGEST_SPILL], 200)
               ? 0
               : 1;
}
