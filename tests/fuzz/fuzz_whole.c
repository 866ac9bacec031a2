/* The whole way of any input: it is loaded as the program loads it, planned by two of the planners that apply, checked,
 * looked at in a view and on a page, walked back and forth, and written by every writer. */
#include "fuzz/fuzz.h"
#include "faults.h"

#include "view/view.h"

#include <math.h>

enum { MOST = 400, MOST_BUFFERS = 2000 };

static void no_memory(bool good, const char *what) {
    if (!good) {
        fuzz_fail("%s failed", what);
    }
}

/* A view on a page, or a pane on a screen. */
static void look(const struct sw_search *search, const struct sw_explanation *why, uint64_t lot, bool paper) {
    size_t panes = 0;
    while (sw_view_pane(panes)) {
        panes++;
    }
    const struct sw_view *view = paper ? sw_view_get(lot % sw_view_count()) : sw_view_pane(lot % panes);
    uint32_t buffers = sw_problem_buffer_count(sw_search_problem(search));
    struct sw_scene scene = {0};
    struct sw_view_input in = {.run = {.search = search, .explanation = why, .input_name = "input"},
                               .look = {.selected = buffers ? buffers / 2 : SW_NONE,
                                        .candidate = SW_NONE,
                                        .viewport = sw_viewport_all(search, 0)},
                               .medium = paper ? SW_ON_PAGE : SW_ON_CELLS,
                               .width = paper ? 800 : 80,
                               .height = paper ? 600 : 24,
                               .marks_per_unit_x = 1,
                               .marks_per_unit_y = paper ? 1 : 2};
    if (paper) {
        sw_view_page(&in, view, &scene);
    } else {
        scene.width = in.width;
        scene.height = in.height;
        in.look.side = view;
        sw_view_screen(&in, &scene, NULL, false);
    }
    sw_scene_done(&scene);
}

static void write(const struct sw_search *search, bool broken) {
    struct sw_result result = {
        .search = search, .layout = sw_search_layout(search), .broken = broken, .cost = NAN, .even_if_larger = true};
    for (size_t i = 0; i < sw_format_count(); i++) {
        const struct sw_format *format = sw_format_get(i);
        struct sw_error error = {0};
        struct sw_sink sink = {0};
        if (format->write_plan && !format->write_plan(&result, &sink, &error) && !*error.message) {
            fuzz_fail("%s refuses a plan without a word", format->name);
        }
        sw_sink_done(&sink);
    }
}

static void write_problem(const struct sw_problem *problem) {
    for (size_t i = 0; i < sw_format_count(); i++) {
        const struct sw_format *format = sw_format_get(i);
        struct sw_error error = {0};
        struct sw_sink sink = {0};
        if (format->write_problem && !format->write_problem(problem, &sink, &error) && !*error.message) {
            fuzz_fail("%s refuses a problem without a word", format->name);
        }
        sw_sink_done(&sink);
    }
}

static void seek(struct sw_search *search, uint64_t to, uint64_t digest) {
    struct sw_error error = {0};
    if (!sw_search_seek(search, to, &error) || sw_search_at(search) != to) {
        fuzz_fail("decision %llu cannot be gone to: %s", (unsigned long long)to, error.message);
    }
    if (digest && sw_search_digest(search) != digest) {
        fuzz_fail("decision %llu is another one when one comes back to it", (unsigned long long)to);
    }
}

/* That a layout ends above the capacity is a result, which the run tells; any other fault is a planner's. */
static void count_broken(void *context, const struct sw_fault *fault) {
    size_t *broken = context;
    *broken += fault->kind != SW_FAULT_CAPACITY;
}

static void run(const struct sw_problem *problem, const struct sw_planner *planner, uint64_t lot) {
    struct sw_params params = SW_PARAMS_DEFAULT;
    struct sw_error error = {0};
    params.work = 5000;
    params.seed = lot;
    struct sw_search *search = sw_search_new(problem, planner, &params, &error);
    struct sw_explanation why = {0};
    enum sw_step step = SW_STEP_MORE;
    uint64_t half = 0;
    if (!search) {
        if (!*error.message) {
            fuzz_fail("%s refuses a problem without a word", planner->name);
        }
        return;
    }
    while (sw_search_at(search) < MOST && step == SW_STEP_MORE) {
        step = lot % 2 ? sw_search_step_explained(search, &why, &error) : sw_search_step(search, &error);
        half = sw_search_at(search) == MOST / 8 ? sw_search_digest(search) : half;
    }
    if (step == SW_STEP_FAILED && !*error.message) {
        fuzz_fail("%s fails without a word", planner->name);
    }
    bool told = planner->needs & (SW_NEEDS_PLAN | SW_NEEDS_RECORDING); /* what a file says may break every rule */
    size_t broken = 0, faults = sw_search_faults(search, NULL, count_broken, &broken);
    struct sw_claims claims;
    sw_search_claims(search, &claims);
    if (broken && !claims.no_addresses && step == SW_STEP_DONE && !told && !planner->reserves) {
        fuzz_fail("%s ends with a layout that breaks a rule", planner->name);
    }
    uint64_t end = sw_search_at(search), last = sw_search_digest(search);
    look(search, lot % 2 && end ? &why : NULL, lot / 2, lot % 2);
    if (half) {
        seek(search, MOST / 8, half);
    }
    seek(search, end / 2, 0);
    look(search, NULL, lot / 128, lot % 2 == 0);
    seek(search, end, last);
    if (step == SW_STEP_MORE) {
        no_memory(sw_search_settle(search, &error), "settling");
    }
    write(search, faults > 0);
    sw_explanation_done(&why);
    sw_search_free(search);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct sw_input input = fuzz_input(data, size);
    struct sw_load_options options = {.inplace_safe = size % 3 == 0};
    struct sw_error error = {0};
    const struct sw_format *format = sw_format_detect(&input, NULL);
    if (format && format->is_program) {
        return 0; /* the target `lua` runs programs, under limits */
    }
    struct sw_problem *problem = sw_load_input(&input, &options, &error);
    if (!problem) {
        if (!*error.message) {
            fuzz_fail("refused without a word");
        }
        return 0;
    }
    uint64_t lot = sw_fold_bytes(0, data, size);
    size_t count = sw_planner_count();
    if (sw_problem_buffer_count(problem) <= MOST_BUFFERS) {
        write_problem(problem);
        for (unsigned tried = 0, done = 0; tried < count && done < 2; tried++) {
            const struct sw_planner *planner = sw_planner_get((lot + tried) % count);
            if (sw_planner_applies(planner, problem, &error)) {
                run(problem, planner, sw_mix(lot + done));
                done++;
            }
        }
    }
    sw_problem_unref(problem);
    return 0;
}
