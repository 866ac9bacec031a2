/* TensorFlow Lite models with regions in strips: what is written, what is refused, and what is read back. */
#include "formats/tflite/tflite_model.h"
#include "formats/tflite/write/tflite_fit.h"
#include "faults.h"
#include "unit/flat.h"
#include "unit/flat_rules.h"
#include "unit/noted.h"

#include <unistd.h>

/* ---- models, byte by byte, aligned as the format wants ---- */

enum { INT32 = 2, INT8 = 9, FLOAT32 = 0, INT16 = 7 };
enum { ADD = 0, AVERAGE_POOL = 1, CONCATENATION = 2, CONV = 3, DEPTHWISE = 4, MAX_POOL = 17, RELU = 19, PAD = 34, MEAN = 40, CUSTOM = 32 };
enum { SAME = 0, VALID = 1 };
enum { MOST_TENSORS = 24, MOST_OPS = 16 };

struct tensor {
    const char *name;
    int shape[4];
    int rank, type;
    int buffer;     /* 0: none; 1: weights; 2: paddings of one row and column all around */
    int zero_point; /* with a scale of 1/8; -1000: no quantization */
    bool open;      /* its height may change */
};
struct op {
    int kind; /* builtin code */
    int inputs[3], input_count, output;
    int options[7], option_count; /* 4 bytes each, -1: not there */
};
struct net {
    struct tensor tensors[MOST_TENSORS];
    int tensor_count;
    struct op ops[MOST_OPS];
    int op_count;
    int input, output;
    bool planned; /* with a plan, of `offsets` */
    int offsets[MOST_TENSORS];
    bool caller; /* a second subgraph, of the same tensors and operators, that operator 0 calls */
};

static size_t table(struct flat *flat, unsigned count) {
    while ((flat->count + 4 + 2 * (size_t)count) % 8 != 4) {
        grow(flat, 1);
    }
    return new_table(flat, count);
}

static void align_list(struct flat *flat, size_t unit) {
    while ((flat->count + 4) % unit != 0) {
        grow(flat, 1);
    }
}

static void refer_text(struct flat *flat, size_t at, unsigned field, const char *text) {
    align_list(flat, 4);
    refer(flat, at, field, new_text(flat, text));
    grow(flat, 1);
}

static void refer_numbers(struct flat *flat, size_t at, unsigned field, const int *list, size_t count) {
    align_list(flat, 4);
    numbers(flat, at, field, list, count);
}

static size_t add_list(struct flat *flat, size_t at, unsigned field, size_t count) {
    align_list(flat, 4);
    size_t list = new_list(flat, count, 4);
    refer(flat, at, field, list);
    return list;
}

static void add_tensors(struct flat *flat, size_t graph, const struct net *net) {
    size_t list = add_list(flat, graph, 0, (size_t)net->tensor_count);
    for (int i = 0; i < net->tensor_count; i++) {
        const struct tensor *tensor = &net->tensors[i];
        size_t at = table(flat, 8);
        refer_item(flat, list, (size_t)i, at);
        refer_numbers(flat, at, 0, tensor->shape, (size_t)tensor->rank);
        set(flat, at, 1, (uint64_t)tensor->type);
        set(flat, at, 2, (uint64_t)tensor->buffer);
        if (tensor->name) {
            refer_text(flat, at, 3, tensor->name);
        }
        if (tensor->open) {
            const int open[] = {1, -1, tensor->shape[2], tensor->shape[3]};
            refer_numbers(flat, at, 7, open, 4);
        }
        if (tensor->zero_point > -1000) {
            size_t quantization = table(flat, 4), numbers_at;
            refer(flat, at, 4, quantization);
            refer_numbers(flat, quantization, 2, (const int[]){0x3e000000}, 1);
            align_list(flat, 8);
            numbers_at = new_list(flat, 1, 8);
            put(flat, numbers_at + 4, (uint64_t)(int64_t)tensor->zero_point, 8);
            refer(flat, quantization, 3, numbers_at);
        }
    }
}

static void add_operators(struct flat *flat, size_t graph, const struct net *net, bool calls) {
    size_t list = add_list(flat, graph, 3, (size_t)net->op_count);
    for (int i = 0; i < net->op_count; i++) {
        const struct op *op = &net->ops[i];
        size_t at = table(flat, 5), options;
        refer_item(flat, list, (size_t)i, at);
        set(flat, at, 0, calls && i == 0 ? MOST_OPS : (uint64_t)i);
        refer_numbers(flat, at, 1, op->inputs, (size_t)op->input_count);
        refer_numbers(flat, at, 2, &op->output, 1);
        options = table(flat, 7);
        set(flat, at, 3, 1);
        refer(flat, at, 4, options);
        for (int k = 0; k < op->option_count && !(calls && i == 0); k++) {
            if (op->options[k] >= 0) {
                set(flat, options, (unsigned)k, (uint64_t)op->options[k]);
            }
        }
        if (calls && i == 0) {
            set(flat, options, 0, 1);
        }
    }
}

static void add_graph(struct flat *flat, size_t list, size_t number, const struct net *net, bool calls) {
    size_t graph = table(flat, 5);
    refer_item(flat, list, number, graph);
    refer_numbers(flat, graph, 1, &net->input, 1);
    refer_numbers(flat, graph, 2, &net->output, 1);
    refer_text(flat, graph, 4, number ? "inner" : "main");
    add_tensors(flat, graph, net);
    add_operators(flat, graph, net, calls);
}

static void add_bytes(struct flat *flat, size_t buffer, const int *words, size_t count) {
    align_list(flat, 16);
    size_t data = new_list(flat, 4 * count, 1);
    refer(flat, buffer, 0, data);
    for (size_t i = 0; i < count; i++) {
        put(flat, data + 4 + 4 * i, (uint64_t)(uint32_t)words[i], 4);
    }
}

static void write_net(struct flat *flat, const struct net *net) {
    static const int weights[] = {1, 2, 3, 4}, amounts[] = {0, 0, 1, 1, 1, 1, 0, 0}, begin[] = {0, 4, 0, 0}, size[] = {1, 4, 8, 4}, low[] = {0, 0, 0, 0};
    *flat = (struct flat){.count = 8};
    memcpy(flat->bytes + 4, "TFL3", 4);
    size_t root = table(flat, 8), list;
    put(flat, 0, root, 4);
    set(flat, root, 0, 3);
    list = add_list(flat, root, 1, MOST_OPS + 1); /* one kind for each operator, and CALL */
    for (int i = 0; i <= MOST_OPS; i++) {
        size_t code = table(flat, 4);
        refer_item(flat, list, (size_t)i, code);
        set(flat, code, 0, i == MOST_OPS ? 31 : (uint64_t)net->ops[i].kind);
        set(flat, code, 2, 1);
        set(flat, code, 3, i == MOST_OPS ? 31 : (uint64_t)net->ops[i].kind);
        if (i < MOST_OPS && net->ops[i].kind == CUSTOM) {
            refer_text(flat, code, 1, "mine");
        }
    }
    list = add_list(flat, root, 2, net->caller ? 2 : 1);
    add_graph(flat, list, 0, net, net->caller);
    if (net->caller) {
        add_graph(flat, list, 1, net, false);
    }
    refer_text(flat, root, 3, "made by hand");
    list = add_list(flat, root, 4, 7);
    const struct {
        const int *words;
        size_t count;
    } contents[] = {{NULL, 0}, {weights, 4}, {amounts, 8}, {begin, 4}, {size, 4}, {low, 4}};
    for (size_t i = 0; i < 6; i++) {
        size_t buffer = table(flat, 3);
        refer_item(flat, list, i, buffer);
        if (contents[i].words) {
            add_bytes(flat, buffer, contents[i].words, contents[i].count);
        }
    }
    size_t plan = table(flat, 1);
    refer_item(flat, list, 6, plan);
    int words[3 + MOST_TENSORS] = {0, 1, net->tensor_count};
    memcpy(words + 3, net->offsets, (size_t)net->tensor_count * sizeof *words);
    add_bytes(flat, plan, words, 3 + (size_t)net->tensor_count);
    list = add_list(flat, root, 6, 1);
    size_t entry = table(flat, 2);
    refer_item(flat, list, 0, entry);
    refer_text(flat, entry, 0, net->planned ? "OfflineMemoryAllocation" : "something else");
    set(flat, entry, 1, 6);
    while (flat->count % 8 != 0) {
        grow(flat, 1);
    }
}

/* x: conv SAME -> a: pad -> p: depthwise VALID, stride 2 -> b: conv -> c: add b -> d: max pool SAME -> e: mean -> y. Rows of all but p are
 * multiples of 16 bytes. */
static struct net plain_net(void) {
    struct net net = {.tensors = {{"x", {1, 24, 8, 4}, 4, INT8, 0, 3, false},
                                  {"a;fused", {1, 24, 8, 8}, 4, INT8, 0, -4, false},
                                  {"p", {1, 26, 10, 8}, 4, INT8, 0, -4, false},
                                  {"b", {1, 12, 4, 8}, 4, INT8, 0, 5, false},
                                  {"c", {1, 12, 4, 8}, 4, INT8, 0, 6, false},
                                  {"d", {1, 12, 4, 8}, 4, INT8, 0, 7, false},
                                  {"e", {1, 12, 4, 8}, 4, INT8, 0, 7, false},
                                  {"y", {1, 8}, 2, INT8, 0, 9, false},
                                  {"w0", {8, 3, 3, 4}, 4, INT8, 1, 0, false},
                                  {"w1", {1, 3, 3, 8}, 4, INT8, 1, 0, false},
                                  {"w2", {8, 1, 1, 8}, 4, INT8, 1, 0, false},
                                  {"amounts", {4, 2}, 2, INT32, 2, -1000, false},
                                  {"axes", {1}, 1, INT32, 5, -1000, false}},
                      .tensor_count = 13,
                      .ops = {{CONV, {0, 8, -1}, 3, 1, {SAME, 1, 1, 1, -1, -1}, 6},
                              {PAD, {1, 11}, 2, 2, {0}, 0},
                              {DEPTHWISE, {2, 9, -1}, 3, 3, {VALID, 2, 2, 1, 3, 1, 1}, 7},
                              {CONV, {3, 10, -1}, 3, 4, {VALID, 1, 1, 0, 1, 1}, 6},
                              {ADD, {4, 3}, 2, 5, {0}, 1},
                              {MAX_POOL, {5}, 1, 6, {-1, 1, 1, 3, 3, 0}, 6},
                              {MEAN, {6, 12}, 2, 7, {0}, 1}},
                      .op_count = 7,
                      .input = 0,
                      .output = 7};
    return net;
}

static struct sw_problem *load_bytes(const char *bytes, size_t count) {
    struct sw_error error = {0};
    struct sw_input input = text_input(bytes, count);
    static const struct sw_load_options options = {.kernels = SW_KERNELS_NONE}; /* workspaces are named after operators, whose numbers change */
    struct sw_problem *problem = sw_load_input(&input, &options, &error);
    if (!problem) {
        fail_msg("%s", error.message);
    }
    return problem;
}

/* ---- programs ---- */

struct made {
    struct sw_problem *problem, *fitted;
    struct sw_fit_program program;
    struct sw_search *search;
};

static bool make(struct made *made, struct sw_problem *problem, const struct sw_fit_region *regions, size_t count, struct sw_fit_refusal *refusal) {
    *made = (struct made){.problem = problem};
    return sw_fit_program_make(problem, regions, count, &made->program, refusal);
}

/* The program's problem, planned. */
static const struct sw_layout *plan(struct made *made) {
    struct sw_error error = {0};
    made->fitted = sw_fit_program_problem(&made->program, &error);
    const struct sw_planner *planner = sw_planner_find("first-fit", &error);
    made->search = made->fitted && planner ? sw_search_new(made->fitted, planner, NULL, &error) : NULL;
    if (!made->search || sw_search_run(made->search, 0, NULL, NULL, &error) != SW_STEP_DONE) {
        fail_msg("%s", error.message);
    }
    return sw_search_layout(made->search);
}

static void done(struct made *made) {
    sw_search_free(made->search);
    sw_problem_unref(made->fitted);
    sw_fit_program_done(&made->program);
    sw_problem_unref(made->problem);
}

/* ---- what is written reads back as what was planned ---- */

static void same_buffer(const struct sw_problem *wanted, uint32_t number, const struct sw_problem *got, const struct sw_layout *layout) {
    const struct sw_buffer *a = sw_problem_buffer(wanted, number);
    uint32_t found = sw_problem_find_buffer(got, a->name);
    if (found == SW_NONE) {
        fail_msg("%s is not there", a->name);
    }
    const struct sw_buffer *b = sw_problem_buffer(got, found);
    struct sw_placement place;
    assert_true(sw_layout_placement(layout, number, 0, &place));
    if (a->size != b->size || a->first != b->first || a->last != b->last || a->piece_count != b->piece_count || a->kind != b->kind ||
        place.offset != b->offset) {
        fail_msg("%s: %d bytes in %u..%u, %u pieces, at %d; read %d in %u..%u, %u, at %d", a->name, (int)a->size, a->first, a->last, a->piece_count,
                 (int)place.offset, (int)b->size, b->first, b->last, b->piece_count, (int)b->offset);
    }
    assert_memory_equal(a->pieces, b->pieces, a->piece_count * sizeof *a->pieces);
}

static void same_problem(const struct sw_problem *wanted, const struct sw_problem *got, const struct sw_layout *layout) {
    assert_int_equal(sw_problem_operator_count(wanted), sw_problem_operator_count(got));
    assert_int_equal(sw_problem_buffer_count(wanted), sw_problem_buffer_count(got));
    assert_int_equal(sw_problem_member_count(wanted), sw_problem_member_count(got));
    for (uint32_t b = 0; b < sw_problem_buffer_count(wanted); b++) {
        same_buffer(wanted, b, got, layout);
    }
    for (uint32_t m = 0; m < sw_problem_member_count(wanted); m++) {
        const struct sw_member *a = sw_problem_member(wanted, m);
        uint32_t found = sw_problem_find_member(got, a->name);
        if (found == SW_NONE) {
            fail_msg("%s is no part of anything", a->name);
        }
        const struct sw_member *b = sw_problem_member(got, found);
        assert_string_equal(sw_problem_buffer(wanted, a->buffer)->name, sw_problem_buffer(got, b->buffer)->name);
        assert_true(a->lo == b->lo && a->hi == b->hi);
    }
    for (uint32_t i = 0; i < sw_problem_operator_count(wanted); i++) {
        const struct sw_operator *a = sw_problem_operator(wanted, i), *b = sw_problem_operator(got, i);
        assert_string_equal(a->kind, b->kind);
        assert_int_equal(a->input_count, b->input_count);
        assert_int_equal(a->output_count, b->output_count);
        if (a->macs != b->macs) {
            fail_msg("%s: %d multiply-adds, not %d", b->name, (int)b->macs, (int)a->macs);
        }
    }
    assert_int_equal(sw_problem_lower_bound(wanted), sw_problem_lower_bound(got));
    assert_true(sw_problem_has_plan(got));
    uint64_t head;
    assert_true(sw_problem_plan_peak(got, &head));
    assert_int_equal(head, sw_layout_peak(layout));
}

/* The plan in the file breaks no rule. */
static void assert_valid(const struct sw_problem *problem, bool valid) {
    struct sw_error error = {0};
    struct sw_layout *layout = sw_layout_new(problem, &error);
    assert_non_null(layout);
    for (uint32_t b = 0; b < sw_problem_buffer_count(problem); b++) {
        assert_true(sw_layout_place(layout, b, 0, sw_problem_buffer(problem, b)->offset));
    }
    assert_int_equal(sw_fault_count(layout, NULL, NULL) == 0, valid);
    sw_layout_free(layout);
}

static void write_and_read(const char *bytes, size_t count, const struct sw_fit_region *regions, size_t region_count) {
    struct made made;
    struct sw_fit_refusal refusal = {0};
    struct sw_error error = {0};
    struct sw_input input = text_input(bytes, count);
    if (!make(&made, load_bytes(bytes, count), regions, region_count, &refusal)) {
        fail_msg("%s", refusal.reason);
    }
    const struct sw_layout *layout = plan(&made);
    struct sw_sink sink = {0};
    if (!tflite_write_fit(&input, NULL, &made.program, layout, &sink, &error)) {
        fail_msg("%s", error.message);
    }
    check_flat_rules(sink.text.items, sink.text.count);
    assert_memory_equal(sink.text.items + sink.text.count - count, bytes, count); /* the old file, as it was */
    struct sw_problem *again = load_bytes(sink.text.items, sink.text.count);
    same_problem(made.fitted, again, layout);
    assert_valid(again, true);
    sw_problem_unref(again);
    struct sw_sink bare = {0};
    assert_true(tflite_write_fit(&input, NULL, &made.program, NULL, &bare, &error));
    check_flat_rules(bare.text.items, bare.text.count);
    again = load_bytes(bare.text.items, bare.text.count);
    assert_false(sw_problem_has_plan(again));
    assert_int_equal(sw_problem_operator_count(again), made.program.calls.count);
    sw_problem_unref(again);
    sw_sink_done(&bare);
    sw_sink_done(&sink);
    done(&made);
}

static void strips(void **state) {
    (void)state;
    static const uint32_t bounds[][2] = {{0, 0}, {4, 5}, {0, 4}, {0, 5}, {1, 4}, {2, 5}, {3, 4}, {5, 5}};
    static const uint32_t counts[] = {2, 3, 5, 12};
    struct net net = plain_net();
    struct flat flat;
    write_net(&flat, &net);
    check_flat_rules((const char *)flat.bytes, flat.count);
    for (size_t b = 0; b < COUNT(bounds); b++) {
        for (size_t n = 0; n < COUNT(counts); n++) {
            for (int way = SW_FIT_DISCARD; way <= SW_FIT_PAD; way++) {
                struct sw_fit_region region = {bounds[b][0], bounds[b][1], counts[n], (enum sw_fit_way)way};
                write_and_read((const char *)flat.bytes, flat.count, &region, 1);
            }
        }
    }
    const struct sw_fit_region regions[] = {{0, 0, 4, SW_FIT_PAD}, {1, 4, 3, SW_FIT_DISCARD}};
    write_and_read((const char *)flat.bytes, flat.count, regions, 2);
    write_and_read((const char *)flat.bytes, flat.count, NULL, 0);
}

/* The longest region from the first operator on, and the next, of each model that is there. */
static void shared_models(void **state) {
    (void)state;
    static const char *const names[] = {"tflite/person_detect.tflite", "tflite/vww_96_int8.tflite", "fit/mbv2_035_144.tflite",
                                        "fit/mcunet_like_176.tflite"};
    for (size_t i = 0; i < COUNT(names); i++) {
        char path[512];
        struct sw_input input;
        struct sw_error error = {0};
        struct sw_fit_refusal refusal;
        snprintf(path, sizeof path, SW_TEST_DATA "/%s", names[i]);
        if (access(path, R_OK) != 0) {
            print_message("skipped: %s is not there\n", path);
            continue;
        }
        assert_true(sw_input_open(path, &input, &error));
        struct sw_problem *problem = load_bytes(input.bytes, input.length);
        struct sw_fit_region regions[2] = {{0}};
        size_t count = 0;
        for (uint32_t first = 0, last; count < 2 && first < sw_problem_operator_count(problem); first = last + 1) {
            for (last = first + 9; last > first && (last >= sw_problem_operator_count(problem) || !sw_fit_is_region(problem, first, last, &refusal)); last--) {
            }
            if (last > first && sw_fit_region_rows(problem, last) >= 5) {
                regions[count] = (struct sw_fit_region){first, last, count ? 3 : 5, count ? SW_FIT_PAD : SW_FIT_DISCARD};
                count++;
            }
        }
        assert_true(count > 0);
        write_and_read(input.bytes, input.length, regions, count);
        sw_problem_unref(problem);
        sw_input_close(&input);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(strips),
        cmocka_unit_test(shared_models),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
