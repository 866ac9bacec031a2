/* Random ONNX models with random regions of them in strips compute what they did: floats and integers equal, as they
 * are computed in one order here. What is written reads back as what was planned, and all else in the file stays. A
 * program that computes something else is not written. */
#include "fit/onnx_networks.h"
#include "fit/onnx_run.h"
#include "share.h"
#include "unit/onnx_checks.h"
#include "unit/unit.h"

#include "base/hash.h"
#include "fit/strips/strip_program.h"
#include "formats/onnx/write/onnx_fit.h"
#include "problem/change/whole_order.h"

#include <inttypes.h>

enum { MOST_REGIONS = 8 };

struct scene {
    uint64_t seed, r;
    unsigned char *file;
    size_t length;
    struct sw_problem *problem;
    struct sw_fit_region regions[MOST_REGIONS];
    size_t region_count;
};
static struct { uint64_t programs, refused, regions, slices, pads, joins, smaller, wrong, harmless; } seen;

static void blame(const struct scene *s, const char *what, const char *why) {
    char text[300] = "";
    size_t length = 0;
    for (size_t i = 0; i < s->region_count && length < sizeof text - 48; i++) {
        length += (size_t)snprintf(text + length, sizeof text - length, " [%u..%u in %u]", s->regions[i].first,
                                   s->regions[i].last, s->regions[i].strips);
    }
    fail_msg("seed %" PRIu64 ",%s: %s: %s", s->seed, text, what, why);
}

static uint32_t below(struct scene *s, uint64_t bound) {
    return (uint32_t)sw_random_below(&s->r, bound);
}

static struct sw_input input_of(const struct scene *s) {
    return (struct sw_input){.name = "file", .bytes = (const char *)s->file, .length = s->length};
}

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
        uint64_t rows = sw_fit_region_rows(s->problem, last), most = below(s, 3) && rows > 6 ? 6 : rows;
        s->regions[s->region_count++] =
            (struct sw_fit_region){.first = first, .last = last, .strips = 2 + below(s, most - 1)};
        first = last;
    }
}

static bool draw_scene(struct scene *s, uint64_t seed) {
    struct sw_error error = {0};
    *s = (struct scene){.seed = seed, .r = seed * 77 + 5};
    s->file = onnx_network(seed, &s->length);
    struct sw_input input = input_of(s);
    s->problem = sw_load_input(&input, NULL, &error);
    if (!s->problem) {
        blame(s, "the network", error.message);
    }
    draw_regions(s);
    return s->region_count > 0;
}

static void scene_done(struct scene *s) {
    sw_problem_unref(s->problem);
    free(s->file);
}

/* ---- what is computed ---- */

static void must_be_same(const struct scene *s, const struct sw_sink *sink) {
    struct onnx_results before, after = {0};
    char why[ONNX_RUN_WHY] = "";
    if (!onnx_run(s->file, s->length, s->seed, &before, why)) {
        blame(s, "the network", why);
    }
    if (!onnx_run((const unsigned char *)sink->text.items, sink->text.count, s->seed, &after, why)) {
        blame(s, "the changed model", why);
    }
    if (before.count != after.count) {
        blame(s, "the changed model", "it has other outputs");
    }
    for (size_t i = 0; i < before.count; i++) {
        const struct onnx_tensor_run *a = &before.items[i], *b = &after.items[i];
        if (strcmp(a->name, b->name) != 0 || a->type != b->type || a->count != b->count ||
            memcmp(a->dims, b->dims, sizeof a->dims[0] * (size_t)a->rank) != 0 ||
            memcmp(a->data, b->data, a->count * sizeof *a->data) != 0) {
            blame(s, "an output differs", a->name);
        }
    }
    onnx_results_done(&before);
    onnx_results_done(&after);
}

/* Everything of the file but its nodes, in its order. */
static void collect_rest(const unsigned char *bytes, size_t length, onnx_bytes *rest) {
    struct sw_pb pb = sw_pb_open((struct sw_pb_bytes){bytes, length}), graph;
    struct sw_pb_field field;
    for (const unsigned char *begin = pb.at; sw_pb_next(&pb, &field); begin = pb.at) {
        if (field.number != 7) {
            put(rest, begin, (size_t)(pb.at - begin));
            continue;
        }
        graph = sw_pb_open(field.bytes);
        for (begin = graph.at; sw_pb_next(&graph, &field); begin = graph.at) {
            if (field.number != 1) {
                put(rest, begin, (size_t)(graph.at - begin));
            }
        }
    }
}

static void must_keep_rest(const struct scene *s, const struct sw_sink *sink) {
    onnx_bytes before = {0}, after = {0};
    collect_rest(s->file, s->length, &before);
    collect_rest((const unsigned char *)sink->text.items, sink->text.count, &after);
    if (before.count != after.count || memcmp(before.items, after.items, before.count) != 0) {
        blame(s, "the changed model", "something else than nodes is another one");
    }
    SW_ARRAY_DONE(&before);
    SW_ARRAY_DONE(&after);
}

/* What is read back needs what was planned: there are no tensors within others in it. */
static void must_read_back(const struct scene *s, const struct sw_fit_program *program, const struct sw_sink *sink) {
    struct sw_error error = {0};
    struct sw_problem *wanted = sw_fit_program_problem(program, &error);
    struct sw_input input = {.name = "fitted", .bytes = sink->text.items, .length = sink->text.count};
    struct sw_problem *got = wanted ? sw_load_input(&input, NULL, &error) : NULL;
    if (!got) {
        blame(s, "read back", error.message);
    }
    uint64_t a = sw_problem_lower_bound(wanted), b = sw_problem_lower_bound(got);
    seen.smaller += b < sw_problem_lower_bound(s->problem);
    if (sw_problem_operator_count(got) != program->calls.count || a != b) {
        blame(s, "read back", "it needs something else");
    }
    sw_problem_unref(wanted);
    sw_problem_unref(got);
}

/* ---- programs that are wrong ---- */

/* One number of the program is another one: then it is refused, or, where that changes nothing, it computes the same.
 */
static void spoil(struct scene *s, struct sw_fit_program *program) {
    struct sw_input input = input_of(s);
    uint32_t c = below(s, program->calls.count);
    struct sw_fit_call *call = &program->calls.items[c], old_call = *call;
    if (call->act == SW_FIT_AS_IS) {
        return;
    }
    struct sw_fit_value *value = &program->values.items[call->output], old_value = *value;
    uint32_t *argument = &program->inputs.items[call->first_input + below(s, call->input_count)],
             old_argument = *argument;
    switch (below(s, 7)) {
    case 0:
        call->above += 1;
        break;
    case 1:
        call->below += 1;
        break;
    case 2:
        call->above -= call->above > 0;
        break;
    case 3:
        call->left += 1;
        break;
    case 4:
        value->rows.lo += 1;
        value->rows.hi += 1;
        break;
    case 5:
        *argument = below(s, program->values.count);
        break;
    default:
        value->rows.hi -= 1;
        break;
    }
    struct sw_sink sink = {0};
    struct sw_error error = {0};
    if (sw_onnx_write_fit(&input, NULL, program, &sink, &error)) {
        must_be_same(s, &sink);
        seen.harmless++;
    } else {
        seen.wrong++;
        if (sink.text.count > 0 || !error.message[0]) {
            blame(s, "refused", "without a sentence, or with bytes");
        }
    }
    sw_sink_done(&sink);
    *call = old_call;
    *value = old_value;
    *argument = old_argument;
}

static void count_program(const struct sw_fit_program *program) {
    seen.programs++;
    seen.regions += program->region_count;
    for (size_t i = 0; i < program->calls.count; i++) {
        const struct sw_fit_call *call = &program->calls.items[i];
        seen.slices += call->act == SW_FIT_SLICE;
        seen.joins += call->act == SW_FIT_JOIN;
        seen.pads += call->act == SW_FIT_RUN && call->above + call->below > 0;
    }
}

static void try_scene(struct scene *s) {
    struct sw_fit_program program = {0};
    struct sw_fit_refusal refusal = {.op = SW_NONE};
    struct sw_input input = input_of(s);
    struct sw_sink sink = {0};
    struct sw_error error = {0};
    if (!sw_fit_program_make(s->problem, s->regions, s->region_count, &program, &refusal)) {
        seen.refused++;
        if (refusal.op == SW_NONE || !refusal.reason[0]) {
            blame(s, "no program", "without a reason");
        }
    } else if (!sw_onnx_write_fit(&input, NULL, &program, &sink, &error)) {
        blame(s, "writing it", error.message);
    } else {
        count_program(&program);
        must_be_same(s, &sink);
        must_keep_rest(s, &sink);
        must_read_back(s, &program, &sink);
        spoil(s, &program);
    }
    sw_sink_done(&sink);
    sw_fit_program_done(&program);
}

static void test_networks(void **state) {
    (void)state;
    const char *given = getenv("SW_PROPERTY_SEED");
    uint64_t count = getenv("STOWAGE_LONG") || getenv("STOWAGE_CASES") ? cases(20000) : cases(20000) / 8,
             first = given ? strtoull(given, NULL, 10) : first_case(20000);
    for (uint64_t seed = first; seed < first + count; seed++) {
        struct scene s;
        if (draw_scene(&s, seed)) {
            try_scene(&s);
        }
        scene_done(&s);
    }
    printf("%" PRIu64 " programs, %" PRIu64 " refused; %" PRIu64 " regions, %" PRIu64 " slices, %" PRIu64
           " joins, %" PRIu64 " strips that pad, %" PRIu64 " with less alive at once; spoilt: %" PRIu64
           " refused, %" PRIu64 " the same\n",
           seen.programs, seen.refused, seen.regions, seen.slices, seen.joins, seen.pads, seen.smaller, seen.wrong,
           seen.harmless);
    if (getenv("STOWAGE_LONG")) {
        printf("in full: ONNX networks with regions in strips %" PRIu64 "\n", count);
    }
    assert_true(count < 100 || (seen.programs >= count / 2 && seen.slices >= count && seen.pads >= count &&
                                seen.smaller >= count / 20 && seen.wrong >= count / 3));
}

/* ---- what is refused ---- */

#define IMAGE "input x float 1x4x12x6\nweight w float 4x4x3x3\n"

/* The operators [0, last] in two strips. */
static void check_refused(const char *lines, const char *dims, uint32_t last, const char *sentence) {
    struct sw_params params = SW_PARAMS_DEFAULT;
    struct sw_load_options options = {.dims = dims ? &params : NULL};
    struct sw_error error = {0};
    struct sw_fit_region region = {.first = 0, .last = last, .strips = 2};
    struct sw_fit_program program = {0};
    struct sw_fit_refusal refusal = {.op = SW_NONE};
    struct sw_sink sink = {0};
    char key[32] = "", value[16] = "";
    if (dims && (sscanf(dims, "%31[^=]=%15s", key, value) != 2 || !sw_params_set(&params, key, value, &error))) {
        fail_msg("%s", dims);
    }
    onnx_bytes model = onnx_encode(lines);
    struct sw_input input = text_input(model.items, model.count);
    struct sw_problem *problem = sw_load_input(&input, &options, &error);
    if (!problem || !sw_fit_program_make(problem, &region, 1, &program, &refusal)) {
        fail_msg("%s\n%s", problem ? refusal.reason : error.message, lines);
    }
    bool written = sw_onnx_write_fit(&input, &options, &program, &sink, &error);
    if (written != !*sentence || (!written && !strstr(error.message, sentence))) {
        fail_msg("%s: not: %s\n%s", written ? "written" : error.message, sentence, lines);
    }
    assert_true(written || (sink.text.count == 0 && error.code == SW_ERROR_UNSUPPORTED));
    sw_sink_done(&sink);
    sw_fit_program_done(&program);
    sw_problem_unref(problem);
    sw_params_done(&params);
    SW_ARRAY_DONE(&model);
}

static void test_refused(void **state) {
    (void)state;
    check_refused(IMAGE "Conv x,w -> a pads=1,1,1,1\nRelu a -> y\noutput y\n", NULL, 1, "");
    /* a number of images that is open does not matter; rows do */
    check_refused("input x float Nx4x12x6\nweight w float 4x4x3x3\nConv x,w -> a pads=1,1,1,1\nRelu a -> y\noutput y\n",
                  "N=1", 1, "");
    check_refused("input x float 1x4xHx6\nweight w float 4x4x3x3\nConv x,w -> a pads=1,1,1,1\nRelu a -> y\noutput y\n",
                  "H=12", 1,
                  "the input x leaves its dimension 2 open in the file: only a model with inputs of fixed shape is "
                  "cut into strips");
    /* a shape that is known before the run is asked for of what would be gone */
    check_refused(IMAGE "Conv x,w -> a pads=1,1,1,1\nShape a -> s\nRelu a -> y\noutput y\n", NULL, 1,
                  "s reads the result of a, which would be there in strips only");
    check_refused(IMAGE "Conv x,w -> a pads=1,1,1,1\nRelu a -> y\nShape y -> s\nRelu y -> z\noutput z\n", NULL, 1, "");
    /* shapes on which runtimes do not agree, wherever they are; a window that hangs over is one that they agree on */
    check_refused(
        IMAGE
        "Conv x,w -> a pads=1,1,1,1\nRelu a -> y\nMaxPool y -> z kernel_shape=3,3 strides=2,2 ceil_mode=1\noutput z\n",
        NULL, 1, "");
    check_refused(
        IMAGE "Conv x,w -> a pads=1,1,1,1\nRelu a -> y\nMaxPool y -> z kernel_shape=1,1 strides=7,1 "
              "pads=0,0,0,0 ceil_mode=1\noutput z\n",
        NULL, 1,
        "MaxPool_2 is a pool with ceil_mode, and its last window begins behind the image: runtimes do not agree "
        "whether it counts");
    /* nodes within others */
    check_refused(
        "function Twice p -> q\nRelu p -> q\nend\n" IMAGE "own/Twice x -> a\nConv a,w -> y pads=1,1,1,1\noutput y\n",
        NULL, 1, "is part of a branch, a loop or a function: only nodes of the graph itself are written in strips");
}

/* Another order than the file's is written by another command. */
static void test_order(void **state) {
    (void)state;
    static const char lines[] = IMAGE "Conv x,w -> a pads=1,1,1,1\nRelu a -> y\nRelu x -> z\noutput y\noutput z\n";
    struct sw_error error = {0};
    struct sw_fit_region region = {.first = 1, .last = 2, .strips = 2};
    struct sw_fit_program program = {0};
    struct sw_fit_refusal refusal;
    struct sw_sink sink = {0};
    onnx_bytes model = onnx_encode(lines);
    struct sw_input input = text_input(model.items, model.count);
    struct sw_problem *problem = sw_load_input(&input, NULL, &error);
    static const uint32_t order[] = {2, 0, 1};
    struct sw_problem *other = sw_problem_in_order(problem, order, &error);
    assert_non_null(other);
    assert_true(sw_fit_program_make(other, &region, 1, &program, &refusal));
    assert_false(sw_onnx_write_fit(&input, NULL, &program, &sink, &error));
    assert_true(strstr(error.message, "the operators are in another order than in the file"));
    sw_fit_program_done(&program);
    sw_problem_unref(other);
    sw_problem_unref(problem);
    SW_ARRAY_DONE(&model);
}

/* Names that the file has already, in a body even, are not taken again. */
static void test_names(void **state) {
    (void)state;
    char text[2000];
    onnx_bytes again;
    struct sw_error error = {0};
    struct sw_fit_region region = {.first = 0, .last = 0, .strips = 2};
    struct sw_fit_refusal refusal;
    struct sw_problem *problems[2];
    for (int i = 0; i < 2; i++) {
        struct sw_fit_program program = {0};
        struct sw_sink sink = {0};
        snprintf(text, sizeof text, "opset 13\ninput x float 1x4x12x6\n%sRelu x -> y\noutput y\n%s", "",
                 i ? "ints rows/6 1,2\n" : "");
        again = onnx_encode(text);
        struct sw_input input = text_input(again.items, again.count);
        problems[i] = sw_load_input(&input, NULL, &error);
        assert_true(problems[i] && sw_fit_program_make(problems[i], &region, 1, &program, &refusal));
        assert_true(sw_onnx_write_fit(&input, NULL, &program, &sink, &error));
        struct sw_input fitted = text_input(sink.text.items, sink.text.count);
        struct sw_problem *problem = sw_load_input(&fitted, NULL, &error);
        if (!problem) {
            fail_msg("%s", error.message);
        }
        assert_int_equal(sw_problem_operator_count(problem), 5);
        sw_problem_unref(problem);
        sw_fit_program_done(&program);
        sw_problem_unref(problems[i]);
        sw_sink_done(&sink);
        SW_ARRAY_DONE(&again);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_networks), cmocka_unit_test(test_refused),
                                       cmocka_unit_test(test_order), cmocka_unit_test(test_names)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
