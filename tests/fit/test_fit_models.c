/* Random networks with random regions of them in strips compute what they did: run as a program of the engine, each
 * value in memory of its own and all in one planned arena, and written as a model, in the arena that its own plan says.
 * Every plan is valid. */
#include "fit/networks.h"
#include "fit/program_run.h"
#include "share.h"
#include "unit/unit.h"

#include "base/hash.h"
#include "fit/find_fit.h"
#include "formats/tflite/write/tflite_fit.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_REGIONS = 8 };

/* One network, and how it is cut. */
struct scene {
    uint64_t seed, r;
    struct bytes file;
    struct model model;
    struct sw_problem *problem;
    struct sw_fit_region regions[MOST_REGIONS];
    size_t region_count;
    struct run original;
};
/* What came up in all. */
static struct {
    uint64_t programs, calls, slices, padded, discarded, joined, within, refused, regions, smaller, kept, once, least,
        loops, rounds;
} seen;

static void blame(const struct scene *s, const char *what, const char *why) {
    char text[400] = "";
    size_t length = 0;
    for (size_t i = 0; i < s->region_count && length < sizeof text - 64; i++) {
        const struct sw_fit_region *region = &s->regions[i];
        length += (size_t)snprintf(text + length, sizeof text - length,
                                   " [%u..%u in %u%s %s by %s, keeping %" PRIx64 ", %u, %u]", region->first,
                                   region->last, region->strips, region->loop ? " in a loop" : "",
                                   region->backwards ? "backwards" : "forwards",
                                   region->padded == SW_FIT_PAD_ALL ? "padding"
                                   : region->padded                 ? "partly padding"
                                                                    : "discarding",
                                   region->kept, region->lead, region->rows);
    }
    fail_msg("seed %" PRIu64 ",%s: %s: %s", s->seed, text, what, why);
}

static uint32_t below(struct scene *s, uint64_t bound) {
    return (uint32_t)sw_random_below(&s->r, bound);
}

/* ---- the scene ---- */

/* The same region as a loop, if it has rows for one, and strips that are alike: the first cut of some that are drawn.
 */
static void draw_loop(struct scene *s, struct sw_fit_region *region) {
    uint32_t rows = (uint32_t)sw_fit_region_rows(s->problem, region->last);
    for (int tries = 0; tries < 4 && rows >= 4; tries++) {
        struct sw_fit_region loop = *region;
        struct sw_fit_program program = {0};
        struct sw_fit_refusal refusal;
        loop.loop = true;
        loop.backwards = false;
        loop.rows = tries < 3 ? 1 + below(s, rows / 4 < 3 ? rows / 4 : 3) : 1;
        loop.strips = (rows + loop.rows - 1) / loop.rows;
        loop.lead = 1 + below(s, rows - (loop.strips - 2) * loop.rows - 1);
        bool good = loop.strips >= 4 && sw_fit_program_make(s->problem, &loop, 1, &program, &refusal);
        sw_fit_program_done(&program);
        if (good) {
            *region = loop;
            return;
        }
    }
}

/* All operators that pad are padded, none, or some. */
static uint64_t random_padded(struct scene *s) {
    return below(s, 2) ? below(s, 2) ? SW_FIT_PAD_ALL : sw_random(&s->r) : 0;
}

/* Some operators in a row that may be a region, again and again from front to back. */
static void draw_regions(struct scene *s) {
    uint32_t count = sw_problem_operator_count(s->problem);
    struct sw_fit_refusal refusal;
    for (uint32_t first = 0; first < count && s->region_count < MOST_REGIONS; first++) {
        uint32_t last = first + below(s, count - first);
        while (last > first && !sw_fit_is_region(s->problem, first, last, &refusal)) {
            last--;
        }
        if (below(s, 4) == 0 || !sw_fit_is_region(s->problem, first, last, &refusal)) {
            continue;
        }
        uint64_t rows = sw_fit_region_rows(s->problem, last);
        if (rows < 2) {
            continue;
        }
        uint64_t most = below(s, 3) ? (rows < 6 ? rows : 6) : rows;
        struct sw_fit_region region = {.first = first,
                                       .last = last,
                                       .strips = 2 + below(s, most - 1),
                                       .padded = random_padded(s),
                                       .kept = below(s, 2) ? below(s, 2) ? SW_FIT_KEEP_ALL : sw_random(&s->r) : 0};
        region.backwards = below(s, 2);
        for (uint32_t k = 0, end = 0;
             region.strips <= SW_FIT_ENDS + 1 && rows <= UINT16_MAX && s->seed % 3 == 0 && k + 1 < region.strips; k++) {
            uint32_t left = region.strips - 1 - k,
                     spare = (uint32_t)rows - end - 1 - left; /* each of those behind it has a row */
            end += 1 + below(s, below(s, 2) ? spare + 1 : spare / left + 1);
            region.ends[k] = (uint16_t)end;
        }
        if (below(s, 2) == 0) {
            draw_loop(s, &region);
        }
        s->regions[s->region_count++] = region;
        first = last;
    }
}

/* Of the file that it has already. False: nothing of it is cut. */
static bool draw_scene(struct scene *s, uint64_t seed) {
    struct sw_error error = {0};
    char why[WHY];
    s->seed = s->original.seed = seed;
    s->r = seed * 77 + 5;
    struct sw_input input = {.name = "file", .bytes = (const char *)s->file.items, .length = s->file.count};
    s->problem = sw_load_input(&input, NULL, &error);
    if (!s->problem || !model_read(&s->model, s->file.items, s->file.count, why) ||
        !model_run(&s->model, &s->original, why)) {
        blame(s, "the network", s->problem ? why : error.message);
    }
    draw_regions(s);
    return s->region_count > 0;
}

static void scene_done(struct scene *s) {
    free(s->original.outputs);
    free(s->file.items);
    model_done(&s->model);
    sw_problem_unref(s->problem);
}

/* ---- programs ---- */

/* An operator that pads by itself as the model's does; the rows that this spoils are thrown away. */
static bool is_discarded(const struct sw_fit_program *program, const struct sw_fit_call *call) {
    const struct sw_op_window *w =
        call->act == SW_FIT_RUN ? sw_problem_operator(program->problem, call->op)->window : NULL;
    return w && call->same && w->kernel[0] > 1 && w->before[0] + w->after[0] > 0;
}

static void count_program(const struct sw_fit_program *program) {
    seen.programs++;
    seen.regions += program->region_count;
    seen.calls += program->calls.count;
    for (size_t i = 0; i < program->calls.count; i++) {
        const struct sw_fit_call *call = &program->calls.items[i];
        seen.slices += call->act == SW_FIT_SLICE;
        seen.padded += call->act == SW_FIT_PADDED;
        seen.joined += call->act == SW_FIT_JOIN;
        seen.kept += call->keeps;
        seen.loops += call->act == SW_FIT_LOOP;
        seen.rounds += call->act == SW_FIT_LOOP ? call->rounds : 0;
        seen.least += call->least;
        seen.discarded += is_discarded(program, call);
    }
    for (size_t i = 0; i < program->values.count; i++) {
        seen.within += program->values.items[i].within != SW_NONE;
    }
}

/* Where all rows are kept, and what pads is padded by an operator of its own, an operator makes no row twice. */
static void must_be_once(const struct scene *s, const struct sw_fit_program *program) {
    for (size_t r = 0; r < program->region_count; r++) {
        const struct sw_fit_region *region = &program->regions[r];
        int64_t next[64] = {0};
        for (uint32_t op = 0; op < 64; op++) {
            next[op] = region->backwards ? INT64_MAX : 0;
        }
        for (size_t i = 0;
             region->kept == SW_FIT_KEEP_ALL && region->last - region->first < 64 && i < program->calls.count; i++) {
            const struct sw_fit_call *call = &program->calls.items[i];
            if (call->act == SW_FIT_RUN && call->region == r && !is_discarded(program, call)) {
                const struct sw_fit_value *made = &program->values.items[call->output];
                if (region->backwards ? made->rows.hi > next[call->op - region->first]
                                      : made->rows.lo < next[call->op - region->first]) {
                    blame(s, "rows that are kept", "one is computed twice");
                }
                next[call->op - region->first] = region->backwards ? made->rows.lo : made->rows.hi;
                seen.once++;
            }
        }
    }
}

static void must_be_same(const struct scene *s, const struct sw_fit_program *program, const struct placed *placed,
                         const char *what) {
    struct run run = {.seed = s->seed};
    struct model model;
    char why[WHY];
    model_read(&model, s->file.items, s->file.count, why);
    if (!program_run(program, &model, placed, &run, why)) {
        blame(s, what, why);
    }
    if (run.output_bytes != s->original.output_bytes ||
        memcmp(run.outputs, s->original.outputs, run.output_bytes) != 0) {
        size_t at = 0;
        while (at < run.output_bytes && run.outputs[at] == s->original.outputs[at]) {
            at++;
        }
        snprintf(why, sizeof why, "byte %zu of %zu differs", at, run.output_bytes);
        blame(s, what, why);
    }
    free(run.outputs);
    model_done(&model);
}

struct finding {
    const struct sw_problem *problem;
    char text[SW_MESSAGE];
};
static void fault_found(void *context, const struct sw_fault *fault) {
    struct finding *finding = context;
    sw_fault_describe(finding->problem, fault, finding->text, sizeof finding->text);
}

/* Does the fitted model, in the arena that its own plan says, compute what the original one does? Else `why` is a
 * sentence. */
static bool same_outputs(const struct bytes *original, const struct bytes *fitted, uint64_t seed, char *why) {
    struct run before = {.seed = seed}, after = {.seed = seed, .in_arena = true};
    bool good =
        run_file(original->items, original->count, &before, why) && run_file(fitted->items, fitted->count, &after, why);
    if (good && before.output_bytes != after.output_bytes) {
        good = say(why, "its outputs are %zu bytes long, not %zu", after.output_bytes, before.output_bytes);
    }
    for (size_t i = 0; good && i < before.output_bytes; i++) {
        good = before.outputs[i] == after.outputs[i] ||
               say(why, "byte %zu of %zu differs: %d, not %d", i, before.output_bytes, (int8_t)after.outputs[i],
                   (int8_t)before.outputs[i]);
    }
    free(before.outputs);
    free(after.outputs);
    return good;
}

/* The plan in a file breaks no rule of the graph: what shares bytes does so by copies onto themselves. */
static void check_own_plan(const struct scene *s, const struct sw_problem *problem) {
    struct sw_error error = {0};
    const struct sw_planner *planner = sw_planner_find("as-built", &error);
    struct sw_search *search = planner ? sw_search_new(problem, planner, NULL, &error) : NULL;
    size_t faults = 0;
    struct finding finding = {.problem = problem};
    if (!search || sw_search_run(search, 0, NULL, NULL, &error) != SW_STEP_DONE) {
        blame(s, "the plan of the file", error.message);
    }
    if (!sw_layout_check(sw_search_layout(search), &faults, fault_found, &finding) || faults > 0) {
        blame(s, "the checker of the plan of the file", finding.text);
    }
    sw_search_free(search);
}

/* For a real interpreter: both models, in the folder STOWAGE_FIT_FOLDER if there is one. */
static void save(const struct scene *s, const struct bytes *fitted) {
    const char *folder = getenv("STOWAGE_FIT_FOLDER");
    const struct bytes *files[] = {&s->file, fitted};
    for (int i = 0; folder && i < 2; i++) {
        char path[1024];
        snprintf(path, sizeof path, "%s/%" PRIu64 "%s.tflite", folder, s->seed, i ? ".fitted" : "");
        FILE *file = fopen(path, "wb");
        if (!file || fwrite(files[i]->items, 1, files[i]->count, file) != files[i]->count || fclose(file) != 0) {
            blame(s, path, "it cannot be written");
        }
    }
}

/* A program says how many operators a runtime has for it. */
static void check_operators(const struct scene *s, const struct sw_fit_program *program, const struct bytes *fitted) {
    struct model model;
    uint32_t count = 0;
    char why[WHY];
    if (!model_read(&model, fitted->items, fitted->count, why)) {
        blame(s, "the model that was written", why);
    }
    for (uint32_t g = 0; g < model.graph_count; g++) {
        count += model.graphs[g].operation_count;
    }
    model_done(&model);
    if (count != sw_fit_operators(program)) {
        snprintf(why, sizeof why, "%u, not %u", count, sw_fit_operators(program));
        blame(s, "operators", why);
    }
}

/* The model that is written runs, and reads back as one with a plan of the same size. */
static void write_program(struct scene *s, const struct sw_fit_program *program, const struct sw_layout *layout,
                          uint64_t arena) {
    struct sw_input input = {.name = "file", .bytes = (const char *)s->file.items, .length = s->file.count};
    struct sw_sink sink = {0};
    struct sw_error error = {0};
    char why[WHY];
    if (!tflite_write_fit(&input, NULL, program, layout, &sink, &error)) {
        blame(s, "writing it", error.message);
    }
    struct bytes fitted = {.items = (unsigned char *)sink.text.items, .count = sink.text.count};
    if (!same_outputs(&s->file, &fitted, s->seed, why)) {
        blame(s, "the model that was written", why);
    }
    save(s, &fitted);
    check_operators(s, program, &fitted);
    struct sw_input again = {.name = "fitted", .bytes = sink.text.items, .length = sink.text.count};
    struct sw_problem *problem = sw_load_input(&again, NULL, &error);
    uint64_t peak = 0;
    if (!problem || !sw_problem_plan_peak(problem, &peak) || peak > (arena + 15) / 16 * 16) {
        snprintf(why, sizeof why, "%" PRIu64 " bytes, not %" PRIu64, peak, arena);
        blame(s, "read back", problem ? why : error.message);
    }
    check_own_plan(s, problem);
    sw_problem_unref(problem);
    sw_sink_done(&sink);
}

/* Plan it, have the plan checked, and run it there: as a program when `runs`, and as a model. */
static void plan_program(struct scene *s, const struct sw_fit_program *program, bool runs) {
    static const char *const planners[] = {"first-fit", "best-fit", "greedy-by-size", "tflm-greedy"};
    struct sw_error error = {0};
    struct sw_problem *problem = sw_fit_program_problem(program, &error);
    const struct sw_planner *planner = sw_planner_find(planners[below(s, 4)], &error);
    seen.smaller += problem && sw_problem_lower_bound(problem) < sw_problem_lower_bound(s->problem);
    struct sw_search *search = problem && planner ? sw_search_new(problem, planner, NULL, &error) : NULL;
    size_t faults = 0;
    struct finding finding = {.problem = problem};
    if (!search || sw_search_run(search, 0, NULL, NULL, &error) != SW_STEP_DONE) {
        blame(s, "the plan", error.message);
    }
    if (!sw_layout_check(sw_search_layout(search), &faults, fault_found, &finding) || faults > 0) {
        blame(s, "the checker", finding.text);
    }
    uint64_t *offsets = calloc(program->values.count + 1, sizeof *offsets);
    struct placed placed = {.offsets = offsets};
    for (uint32_t v = 0; v < program->values.count; v++) {
        const struct sw_fit_value *value = &program->values.items[v];
        char name[512];
        struct sw_placement place;
        sw_fit_value_name(program, v, name, sizeof name);
        uint32_t b = value->within == SW_NONE ? sw_problem_find_buffer(problem, name) : SW_NONE;
        offsets[v] = NOWHERE;
        if (b == SW_NONE || !sw_layout_placement(sw_search_layout(search), b, 0, &place)) {
            continue; /* the tensor is never there as a whole; whether that is right shows when the program runs */
        }
        offsets[v] = place.offset;
        placed.bytes = placed.bytes > place.offset + value->size ? placed.bytes : place.offset + value->size;
    }
    if (runs) {
        must_be_same(s, program, &placed, "in the arena");
    }
    write_program(s, program, sw_search_layout(search), placed.bytes);
    free(offsets);
    sw_search_free(search);
    sw_problem_unref(problem);
}

/* The test takes an eighth of the usual share: each network is planned, written, read back and computed four times. */
static uint64_t networks(void) {
    bool all = getenv("STOWAGE_LONG") || getenv("STOWAGE_CASES");
    return all ? cases(20000) : cases(20000) / 8;
}

static uint64_t first_seed(void) {
    const char *first = getenv("SW_PROPERTY_SEED");
    return first ? strtoull(first, NULL, 10) : first_case(20000);
}

static void try_scene(struct scene *s, bool runs) {
    struct sw_fit_program program = {0};
    struct sw_fit_refusal refusal = {.op = SW_NONE};
    if (sw_fit_program_make(s->problem, s->regions, s->region_count, &program, &refusal)) {
        count_program(&program);
        must_be_once(s, &program);
        if (runs) {
            must_be_same(s, &program, NULL, "in memory of its own");
        }
        plan_program(s, &program, runs);
    } else if (refusal.op == SW_NONE || !refusal.reason[0]) {
        blame(s, "no program", "without a reason");
    } else {
        seen.refused++;
    }
    sw_fit_program_done(&program);
}

static void try_seed(uint64_t seed) {
    struct scene s = {0};
    network_file(seed, &s.file);
    if (draw_scene(&s, seed)) {
        try_scene(&s, true);
    }
    scene_done(&s);
}

static void test_networks(void **state) {
    static const uint64_t failed_once[] = {7565 /* rows that the last round of a loop alone kept */};
    (void)state;
    uint64_t count = networks(), first = first_seed();
    for (uint64_t seed = first; seed < first + count; seed++) {
        try_seed(seed);
    }
    for (size_t i = 0; i < sizeof failed_once / sizeof *failed_once; i++) {
        try_seed(failed_once[i]);
    }
    printf("%" PRIu64 " programs, %" PRIu64 " refused; %" PRIu64 " regions, %" PRIu64 " calls, %" PRIu64
           " slices, %" PRIu64 " padded, %" PRIu64 " with rows thrown away, %" PRIu64 " joins, %" PRIu64
           " with rows that are kept, %" PRIu64 " padded for a maximum, %" PRIu64 " values within others, %" PRIu64
           " with less alive at once\n",
           seen.programs, seen.refused, seen.regions, seen.calls, seen.slices, seen.padded, seen.discarded, seen.joined,
           seen.kept, seen.least, seen.within, seen.smaller);
    printf("%" PRIu64 " loops of %" PRIu64 " rounds\n", seen.loops, seen.rounds);
    if (getenv("STOWAGE_LONG")) {
        printf("in full: networks with regions in strips %" PRIu64 "\n", count);
    }
    bool usual = seen.programs >= count / 2 && seen.padded >= count && seen.discarded >= count &&
                 seen.slices >= count && seen.within >= count && seen.smaller >= count / 10 && seen.kept >= count / 2 &&
                 seen.once >= count && seen.least >= count / 20 && seen.loops >= count / 5;
    assert_true(count < 100 || usual);
}

/* ---- what the search finds ---- */

static void check_found(struct scene *s, const struct sw_fit_model *found) {
    struct sw_fit_program program = {0};
    struct sw_fit_refusal refusal = {.op = SW_NONE};
    struct finding finding = {.problem = found->problem};
    size_t faults = 0;
    s->region_count = found->region_count < MOST_REGIONS ? found->region_count : MOST_REGIONS;
    memcpy(s->regions, found->regions, s->region_count * sizeof *s->regions);
    if (!sw_fit_program_make(s->problem, found->regions, found->region_count, &program, &refusal)) {
        blame(s, "what was found", refusal.reason);
    }
    if (!sw_layout_check(found->layout, &faults, fault_found, &finding) || faults > 0) {
        blame(s, "the checker of what was found", finding.text);
    }
    write_program(s, &program, found->layout, found->head);
    sw_fit_program_done(&program);
}

/* Of some networks all that the search offers. */
static void test_found(void **state) {
    (void)state;
    uint64_t count = (networks() + 19) / 20, first = first_seed(), found = 0;
    for (uint64_t seed = first; seed < first + count; seed++) {
        struct scene s = {0};
        struct sw_fit_result result = {0};
        struct sw_error error = {0};
        network_file(seed, &s.file);
        draw_scene(&s, seed);
        s.region_count = 0;
        if (!sw_fit_run(s.problem, &(struct sw_fit_request){.seed = seed}, &result, &error)) {
            blame(&s, "the search", error.message);
        }
        for (size_t i = 0; i < result.models.count; i++) {
            if (result.models.items[i].region_count > 0) {
                check_found(&s, &result.models.items[i]);
                found++;
            }
        }
        sw_fit_result_done(&result);
        scene_done(&s);
    }
    printf("%" PRIu64 " models found for %" PRIu64 " networks\n", found, count);
    assert_true(count < 30 || found >= count / 10);
}

/* Models of the data folder, each cut somehow, or in several ways. */
static void test_shared(void **state) {
    (void)state;
    static const char *const files[] = {"tflite/person_detect", "tflite/vww_96_int8", "tflite/kws_ref_model",
                                        "fit/mbv2_035_144", "fit/mcunet_like_176"};
    size_t ways = getenv("STOWAGE_LONG") ? 20 : 1;
    for (size_t i = 0; i < sizeof files / sizeof *files * ways; i++) {
        struct scene s = {0};
        char path[1024];
        snprintf(path, sizeof path, SW_TEST_DATA "/%s.tflite", files[i / ways]);
        if (!read_file(path, &s.file)) {
            printf("skipped: no %s\n", path);
            continue;
        }
        if (draw_scene(&s, i)) {
            try_scene(&s, false);
        }
        scene_done(&s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_networks), cmocka_unit_test(test_found),
                                       cmocka_unit_test(test_shared)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
