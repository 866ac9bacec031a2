/* Lack of memory: every allocation of a run fails once, alone and with all that follow. Then the
 * run says so, nothing leaks (the address sanitiser watches), and the search can go on when there
 * is memory again. */
#include "share.h"
#include "model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PROBLEMS = 6, MAX_DECISIONS = 400 };

static struct {
    uint64_t count, fail_at;
    bool persistent;
} faults;
static uint64_t injected;

static void *faulty(void *context, void *pointer, size_t old_size, size_t new_size) {
    (void)context;
    (void)old_size;
    if (new_size == 0) {
        free(pointer);
        return NULL;
    }
    faults.count++;
    if (faults.count == faults.fail_at || (faults.persistent && faults.count > faults.fail_at)) {
        injected++;
        return NULL;
    }
    return realloc(pointer, new_size);
}

static void must_be_memory(const struct model *m, const char *planner, bool ok, const struct sw_error *error) {
    check_that(ok || error->code == SW_ERROR_MEMORY, m, planner, "without memory: %s", error->message);
}

/* One whole use of a search. True when everything went well. */
static bool use(const struct model *m, const struct sw_problem *problem, const struct sw_planner *planner,
                const struct sw_params *params, uint64_t *digest) {
    struct sw_error error = {0};
    struct sw_explanation e = {0};
    struct sw_search *search = sw_search_new(problem, planner, params, &error);
    must_be_memory(m, planner->name, search != NULL, &error);
    if (!search) {
        return false;
    }
    sw_search_budget(search, 1 << 20, 20);
    enum sw_step result = sw_search_run(search, 0, NULL, NULL, &error);
    must_be_memory(m, planner->name, result == SW_STEP_DONE, &error);
    bool ok = result == SW_STEP_DONE;
    uint64_t middle = sw_search_known(search) / 2 + 1;
    ok = ok && sw_search_explain(search, middle, &e, &error) && sw_search_seek(search, middle, &error);
    must_be_memory(m, planner->name, ok, &error);
    struct sw_override choose = {.kind = SW_OVERRIDE_CHOOSE, .choice = 0};
    if (ok && !sw_search_force(search, &choose, &error)) {
        ok = error.code == SW_ERROR_UNSUPPORTED;
        check_that(ok || error.code == SW_ERROR_MEMORY, m, planner->name, "%s", error.message);
    }
    /* With memory again the search goes on as if nothing had happened. */
    faults.fail_at = 0;
    faults.persistent = false;
    if (sw_search_seek(search, 0, &error) && sw_search_seek(search, MAX_DECISIONS * 10, &error)) {
        *digest = sw_search_digest(search);
    } else {
        check_that(false, m, planner->name, "it does not recover: %s", error.message);
    }
    size_t demands;
    sw_search_recipe(search, &demands);
    *digest = demands ? 0 : *digest;
    sw_explanation_done(&e);
    sw_search_free(search);
    return ok;
}

/* `oversize`: as if every problem were too large for it. */
static void starve(const struct model *m, const struct sw_problem *problem, const struct sw_planner *planner,
                   bool oversize, bool persistent) {
    uint64_t wanted = 0, digest = 0;
    struct sw_error error = {0};
    if (!model_applies(planner, problem)) {
        return;
    }
    struct sw_params brief = short_run(planner);
    if (oversize && !sw_params_set(&brief, "largest", "0", NULL)) {
        sw_params_done(&brief);
        return;
    }
    brief.work = oversize ? 3000 : brief.work;
    struct sw_search *search = sw_search_new(problem, planner, &brief, &error);
    enum sw_step end = search ? sw_search_run(search, 0, NULL, NULL, &error) : SW_STEP_FAILED;
    if (search && end == SW_STEP_FAILED && error.code == SW_ERROR_INFEASIBLE) {
        sw_search_free(search); /* tier-search may find no room; nothing to compare with then */
        sw_params_done(&brief);
        return;
    }
    check_that(end == SW_STEP_DONE, m, planner->name, "%s", error.message);
    wanted = sw_search_digest(search);
    sw_search_free(search);
    /* Every one of the first, then ever fewer. */
    for (uint64_t at = 1;; at += at < (SW_SANITIZED ? 60 : 300) ? 1 : at / 30) {
        faults.count = 0;
        faults.fail_at = at;
        faults.persistent = persistent;
        bool ok = use(m, problem, planner, &brief, &digest);
        check_that(digest == 0 || digest == wanted, m, planner->name,
                   "after a lack of memory at allocation %llu the run ends elsewhere", (unsigned long long)at);
        if (ok && faults.count < at) {
            sw_params_done(&brief);
            return;
        }
    }
}

int main(void) {
    uint64_t seed = base_seed();
    sw_mem_hook(faulty, NULL);
    for (uint64_t i = first_case(PROBLEMS), i_end = i + cases(PROBLEMS); i < i_end; i++) {
        struct model m;
        model_draw(&m, seed + i);
        struct sw_problem *problem = model_build(&m, NULL);
        for (size_t k = 0; k < sw_planner_count(); k++) {
            if (in_share(k + i, 4)) {
                starve(&m, problem, sw_planner_get(k), false, false);
                starve(&m, problem, sw_planner_get(k), false, true);
            }
        }
        for (size_t k = 0; k < 2; k++) {
            static const char *const deferring[] = {"branch-and-bound", "order-genetic"};
            const struct sw_planner *planner = sw_planner_find(deferring[k], NULL);
            starve(&m, problem, planner, true, i % 2 > 0);
        }
        sw_problem_unref(problem);
    }
    printf("%llu failing allocations, from seed %llu\n", (unsigned long long)injected, (unsigned long long)seed);
    return 0;
}
