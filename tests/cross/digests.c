/* Prints what every planner makes of random problems: one line per run, with the digest of every state on the way, what
 * it came to, and its sentences. run.sh compares the lines of one build, compiler, C library and processor with those
 * of another: the same seed gives the same bytes everywhere. */
#include "share.h"
#include "property/model.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { PROBLEMS = 120, MAX_STEPS = 2000, PLAIN = 3 };

/* FNV-1a. */
static void fold(uint64_t *sum, const void *data, size_t size) {
    for (size_t i = 0; i < size; i++) {
        *sum = (*sum ^ ((const unsigned char *)data)[i]) * UINT64_C(0x100000001b3);
    }
}

static void fold_number(uint64_t *sum, uint64_t number) {
    unsigned char bytes[8]; /* the lowest first, on every machine */
    for (int i = 0; i < 8; i++) {
        bytes[i] = (unsigned char)(number >> 8 * i);
    }
    fold(sum, bytes, sizeof bytes);
}

/* One run of one planner, a line. */
static void run(const struct sw_problem *problem, const struct sw_planner *planner, uint64_t seed) {
    struct sw_error error = {0};
    struct sw_params params = SW_PARAMS_DEFAULT;
    params.seed = seed;
    struct sw_search *search = sw_search_new(problem, planner, &params, &error);
    enum sw_step step = search ? SW_STEP_MORE : SW_STEP_FAILED;
    uint64_t states = UINT64_C(0xcbf29ce484222325), sentences = states;
    while (step == SW_STEP_MORE && sw_search_at(search) < MAX_STEPS) {
        step = sw_search_step(search, &error);
        if (step == SW_STEP_MORE) {
            char sentence[300];
            sw_decision_describe(problem, sw_search_decision(search), sentence, sizeof sentence);
            fold(&sentences, sentence, strlen(sentence));
            fold_number(&states, sw_search_digest(search));
        }
    }
    printf("%" PRIu64 " %s:", seed, planner->name);
    if (search) {
        const struct sw_layout *layout = sw_search_layout(search);
        for (uint32_t i = 0; i < sw_problem_buffer_count(problem); i++) {
            struct sw_placement place = {0};
            if (sw_layout_placement(layout, i, 0, &place)) {
                fold_number(&states, place.offset);
            }
        }
        printf(" %" PRIu64 " decisions %016" PRIx64 ", peak %" PRIu64 ", words %016" PRIx64, sw_search_at(search),
               states, sw_layout_peak(layout), sentences);
    }
    printf("%s%s\n", step == SW_STEP_FAILED ? ", " : "", step == SW_STEP_FAILED ? error.message : "");
    sw_search_free(search);
    sw_params_done(&params);
}

int main(void) {
    uint64_t count = cases(PROBLEMS);
    for (uint64_t seed = 1; seed <= count; seed++) {
        struct model model;
        if (seed % PLAIN == 0) {
            model_draw_plain(&model, seed, MAX_BUFFERS);
        } else {
            model_draw(&model, seed);
        }
        struct sw_problem *problem = model_build(&model, NULL);
        for (size_t i = 0; i < sw_planner_count(); i++) {
            if (sw_planner_applies(sw_planner_get(i), problem, NULL)) {
                run(problem, sw_planner_get(i), seed);
            }
        }
        sw_problem_unref(problem);
    }
    return 0;
}
