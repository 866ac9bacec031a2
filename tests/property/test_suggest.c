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

static uint64_t of_kind[SW_SUGGEST_KINDS], lists, at_bound, ways, firsts, added_blocks;

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

/* ---- why, restated by looking at all blocks and bytes ---- */

static uint64_t whys, stood_on, chains, parted;

static bool lies_whole(const struct sw_layout *layout, uint32_t b, uint32_t tier, uint64_t *lo, uint64_t *hi) {
    struct sw_placement at, second;
    const struct sw_buffer *buffer = sw_problem_buffer(sw_layout_problem(layout), b);
    bool whole = buffer->size > 0 && sw_layout_placement(layout, b, 0, &at) &&
                 !sw_layout_placement(layout, b, 1, &second) && at.tier == tier && at.span.from == 0 &&
                 at.span.to == UINT32_MAX;
    *lo = whole ? at.offset : 0;
    *hi = whole ? at.offset + buffer->size : 0;
    return whole;
}

/* Do the two lie one on the other and exclude each other? */
static bool stands_on(const struct sw_layout *layout, uint32_t tier, uint32_t upper, uint32_t lower) {
    const struct sw_problem *problem = sw_layout_problem(layout);
    uint64_t lo, hi, under, top;
    uint64_t alignment = sw_problem_buffer(problem, upper)->alignment;
    return lies_whole(layout, upper, tier, &lo, &hi) && lies_whole(layout, lower, tier, &under, &top) && top <= lo &&
           lo - top < (alignment > 1 ? alignment : 1) && sw_problem_conflict(problem, upper, lower) != SW_CONFLICT_NONE;
}

/* Is there a way down of that many blocks? */
static bool leads_down(const struct sw_layout *layout, uint32_t tier, uint32_t from, uint32_t to, uint32_t links) {
    bool leads = links == 1 && stands_on(layout, tier, from, to);
    for (uint32_t b = 0; !leads && links > 1 && b < sw_problem_buffer_count(sw_layout_problem(layout)); b++) {
        leads = stands_on(layout, tier, from, b) && leads_down(layout, tier, b, to, links - 1);
    }
    return leads;
}

/* Byte by byte. */
static uint64_t unused_below(const struct sw_layout *layout, uint32_t step, uint32_t tier, uint64_t top) {
    const struct sw_problem *problem = sw_layout_problem(layout);
    uint64_t unused = 0;
    for (uint64_t byte = 0; byte < top; byte++) {
        bool used = false;
        for (uint32_t b = 0; !used && b < sw_problem_buffer_count(problem); b++) {
            const struct sw_buffer *buffer = sw_problem_buffer(problem, b);
            struct sw_placement at;
            bool there = buffer->planned && sw_layout_at(layout, b, step, &at) && at.tier == tier && byte >= at.offset;
            for (uint32_t i = 0; there && !used && i < buffer->piece_count; i++) {
                const struct sw_piece *piece = &buffer->pieces[i];
                used = piece->first <= step && step <= piece->last && byte - at.offset >= piece->lo &&
                       byte - at.offset < piece->hi;
            }
        }
        unused += !used;
    }
    return unused;
}

static void check_place(const struct suggested *t, const struct sw_layout *layout, uint32_t block,
                        const struct sw_why_place *place) {
    const struct sw_problem *problem = sw_layout_problem(layout);
    const struct sw_buffer *buffer = sw_problem_buffer(problem, block);
    struct sw_placement at;
    if (place->step == SW_NONE) {
        return;
    }
    SUGGEST_MUST(sw_buffer_alive(buffer, place->step), "it is not alive then");
    for (uint32_t s = buffer->first; s <= buffer->last; s++) {
        uint64_t bytes = sw_problem_profile(problem)[s];
        SUGGEST_MUST(!sw_buffer_alive(buffer, s) || (s < place->step ? bytes < place->live : bytes <= place->live),
                     "more is alive at step %u", s);
    }
    SUGGEST_MUST(place->placed == sw_layout_at(layout, block, place->step, &at), "it is there, or not");
    if (!place->placed) {
        return;
    }
    SUGGEST_MUST(at.tier == place->tier && at.offset == place->offset, "it lies elsewhere");
    if (place->offset < 4000) {
        SUGGEST_MUST(place->unused == unused_below(layout, place->step, place->tier, place->offset), "unused bytes");
    }
    if (place->below != SW_NONE) {
        SUGGEST_MUST(stands_on(layout, place->tier, block, place->below), "it does not lie on that");
        SUGGEST_MUST(place->meet == SW_NONE || (sw_buffer_alive(buffer, place->meet) &&
                                                sw_buffer_alive(sw_problem_buffer(problem, place->below), place->meet)),
                     "the two are not alive then");
        stood_on++;
    } else {
        for (uint32_t b = 0; b < sw_problem_buffer_count(problem); b++) {
            SUGGEST_MUST(!stands_on(layout, place->tier, block, b), "it lies on a block");
        }
    }
}

/* The block ends highest, and so many others with it. */
static void check_top(const struct suggested *t, const struct sw_layout *layout, uint32_t tier, uint32_t block,
                      uint32_t with, bool ends) {
    uint64_t lo, hi, top, count = 0;
    SUGGEST_MUST(lies_whole(layout, block, tier, &lo, &top), "it lies elsewhere");
    for (uint32_t b = 0; b < sw_problem_buffer_count(sw_layout_problem(layout)); b++) {
        bool whole = lies_whole(layout, b, tier, &lo, &hi);
        SUGGEST_MUST(!whole || hi <= top, "another block ends higher");
        count += whole && hi == top;
    }
    SUGGEST_MUST(count == with + UINT64_C(1) && ends == (top == sw_layout_tier_peak(layout, tier)), "not the peak");
}

static void check_why(const struct suggested *t, const struct sw_search *run, const struct sw_search *made,
                      const struct sw_suggestion *of) {
    const struct sw_layout *was = sw_search_layout(run), *now = sw_search_layout(made);
    const struct sw_suggest_why *why = &of->why;
    const struct sw_problem *before = sw_layout_problem(was), *after = sw_layout_problem(now);
    uint32_t others = 0, tier = t->state.tier;
    uint64_t least = 0;
    for (uint32_t b = 0; b < sw_problem_buffer_count(before) && b < sw_problem_buffer_count(after); b++) {
        others += sw_layout_lies_elsewhere(was, now, b);
    }
    SUGGEST_MUST(others == why->others, "%u blocks lie elsewhere, not %u", others, why->others);
    for (uint32_t i = 0; i < SW_WHY_MOVED && i < others; i++) {
        uint64_t size = sw_problem_buffer(before, why->moved[i])->size;
        SUGGEST_MUST(sw_layout_lies_elsewhere(was, now, why->moved[i]) && (i == 0 || size <= least), "not the largest");
        least = size;
    }
    if (!t->state.ended || why->block == SW_NONE) {
        return;
    }
    whys++;
    check_top(t, was, tier, why->block, why->with, why->ends);
    if (why->top != SW_NONE) {
        check_top(t, now, tier, why->top, why->top_with, why->top_ends);
    }
    check_place(t, was, why->block, &why->was);
    check_place(t, now, why->block, &why->now);
    if (why->links > 0) {
        SUGGEST_MUST(leads_down(was, tier, why->block, why->mover, why->links), "it is no link of the chain");
        chains++;
    }
    if (why->parted != SW_NONE) {
        SUGGEST_MUST(sw_problem_conflict(before, why->block, why->parted) != SW_CONFLICT_NONE &&
                         sw_problem_conflict(after, why->block, why->parted) == SW_CONFLICT_NONE,
                     "they are in conflict");
        parted++;
    }
    SUGGEST_MUST(!why->ends || !why->now.placed || why->now.tier != tier ||
                     why->now.offset + sw_problem_buffer(after, why->block)->size <= of->peak || !why->top_ends,
                 "it ends above the peak");
}

/* One suggestion, typed. */
static void make(const struct suggested *t, const struct sw_search *run, const struct sw_search *ended,
                 const struct sw_suggestion *of) {
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
    check_why(t, ended, made, of);
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

/* The blocks of the plan that came out have the names that they have there, also those that a change added. */
static void check_named(const struct suggested *t, const struct sw_suggestion *of, const struct sw_suggest *suggest,
                        const char *words) {
    const struct sw_problem *problem = of->made ? of->made : sw_search_problem(sw_suggest_run(suggest));
    uint32_t count = sw_problem_buffer_count(problem), known[] = {of->why.top, of->why.now.below};
    SUGGEST_MUST(words && !strstr(words, "(null)"), "%s", words);
    for (int i = 0; i < 2; i++) {
        SUGGEST_MUST(known[i] == SW_NONE || known[i] < count, "block %" PRIu32 " of %" PRIu32 ": %s", known[i], count,
                     words);
    }
    added_blocks += of->made != NULL;
}

static void check_same(const struct suggested *t, const struct sw_search *run, const struct sw_suggest *a,
                       const struct sw_suggest *b) {
    SUGGEST_MUST(sw_suggest_count(a) == sw_suggest_count(b), "slices change the list");
    for (size_t i = 0; i < sw_suggest_count(a); i++) {
        const struct sw_suggestion *x = sw_suggest_get(a, i), *y = sw_suggest_get(b, i);
        struct sw_sink p = {0}, q = {0};
        sw_suggest_put_commands(run, 0, x, ";", &p);
        sw_suggest_put_commands(run, 0, y, ";", &q);
        sw_suggest_put_why(a, 0, x, &p);
        sw_suggest_put_why(b, 0, y, &q);
        SUGGEST_MUST(x->peak == y->peak && p.text.count == q.text.count &&
                         memcmp(p.text.items, q.text.items, p.text.count) == 0,
                     "slices change number %zu", i);
        check_named(t, x, a, sw_sink_ended(&p));
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
    SUGGEST_MUST(sw_suggest_way_of(at, &pin, &way, &error), "%s", error.message);
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
            make(t, run, sw_suggest_run(whole), of);
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
    printf("; %llu told why, %llu lay on a block, %llu with a chain, %llu parted", (unsigned long long)whys,
           (unsigned long long)stood_on, (unsigned long long)chains, (unsigned long long)parted);
    printf(", %llu with blocks that the change added; refused pins: %llu go back, %llu another first\n",
           (unsigned long long)added_blocks, (unsigned long long)ways, (unsigned long long)firsts);
    return often(of_kind[SW_SUGGEST_PIN], 12000) && often(of_kind[SW_SUGGEST_PINS], 300) &&
                   often(of_kind[SW_SUGGEST_FORBID], 800) && often(of_kind[SW_SUGGEST_PLANNER], 2000) &&
                   often(of_kind[SW_SUGGEST_SPILL], 200) && often(whys, 15000) && often(stood_on, 15000) &&
                   often(chains, 1000) && often(parted, 100)
               ? 0
               : 1;
}
