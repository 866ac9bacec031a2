/* Plans in ExecuTorch programs, written here byte by byte. */
#include "unit/flat.h"
#include "unit/noted.h"

struct tensor {
    int bytes;  /* of int8 */
    int memory; /* 0: not planned */
    int offset;
    int data; /* > 0: it has contents from the start */
    const char *name;
};
struct instruction {
    int kind, first; /* the first number: operator, delegate, value */
    int count, arguments[6];
};
struct model {
    const struct tensor *tensors;
    size_t tensor_count;
    const struct instruction *instructions;
    size_t instruction_count;
    int input, output, sizes[3];
    const int *list; /* one more value: a list of tensors */
    size_t list_count;
    const char *method;
    int blob; /* bytes; 0: none */
    bool segment;
    unsigned blob_index;
};

static void add_tensor(struct flat *flat, size_t value, const struct tensor *tensor) {
    size_t table = new_table(flat, 10);
    set(flat, value, 0, 5);
    refer(flat, value, 1, table);
    set(flat, table, 0, 1);
    NUMBERS(flat, table, 2, 1, tensor->bytes);
    set(flat, table, 5, (uint64_t)tensor->data);
    if (tensor->memory) {
        size_t place = new_table(flat, 3);
        set(flat, place, 0, (uint64_t)tensor->memory);
        set(flat, place, 1, (uint64_t)tensor->offset);
        refer(flat, table, 6, place);
    }
    if (tensor->name) {
        size_t more = new_table(flat, 2);
        refer(flat, more, 1, new_text(flat, tensor->name));
        refer(flat, table, 9, more);
    }
}

static void add_values(struct flat *flat, size_t plan, const struct model *model) {
    size_t count = model->tensor_count + (model->list ? 1 : 0);
    size_t list = new_list(flat, count, 4);
    refer(flat, plan, 2, list);
    for (size_t i = 0; i < count; i++) {
        size_t value = new_table(flat, 2);
        refer_item(flat, list, i, value);
        if (i < model->tensor_count) {
            add_tensor(flat, value, &model->tensors[i]);
        } else {
            size_t tensors = new_table(flat, 1);
            set(flat, value, 0, 10);
            refer(flat, value, 1, tensors);
            numbers(flat, tensors, 0, model->list, model->list_count);
        }
    }
}

static void add_instructions(struct flat *flat, size_t plan, const struct model *model) {
    size_t chains = new_list(flat, 1, 4);
    refer(flat, plan, 5, chains);
    size_t chain = new_table(flat, 3);
    refer_item(flat, chains, 0, chain);
    size_t list = new_list(flat, model->instruction_count, 4);
    refer(flat, chain, 2, list);
    for (size_t i = 0; i < model->instruction_count; i++) {
        const struct instruction *from = &model->instructions[i];
        size_t any = new_table(flat, 2), call = new_table(flat, 2);
        refer_item(flat, list, i, any);
        set(flat, any, 0, (uint64_t)from->kind);
        refer(flat, any, 1, call);
        set(flat, call, 0, (uint64_t)from->first);
        if (from->kind <= 2) {
            numbers(flat, call, 1, from->arguments, (size_t)from->count);
        } else {
            set(flat, call, 1, (uint64_t)from->arguments[0]);
        }
    }
}

static void add_named(struct flat *flat, size_t plan, unsigned field, const char *const *names, size_t count) {
    size_t list = new_list(flat, count, 4);
    refer(flat, plan, field, list);
    for (size_t i = 0; i < count; i++) {
        size_t table = new_table(flat, 2);
        refer_item(flat, list, i, table);
        refer(flat, table, 0, new_text(flat, names[i]));
    }
}

/* The blob of the only delegate, within the program or as a segment behind it. */
static void add_blob(struct flat *flat, size_t program, size_t plan, const struct model *model) {
    if (!model->blob) {
        return;
    }
    size_t list = new_list(flat, 1, 4), delegate = new_table(flat, 2);
    refer(flat, plan, 7, list);
    refer_item(flat, list, 0, delegate);
    refer(flat, delegate, 0, new_text(flat, "Npu"));
    size_t items = new_list(flat, 1, 4), item = new_table(flat, 2);
    refer(flat, program, model->segment ? 4 : 3, items);
    refer_item(flat, items, 0, item);
    if (model->segment) {
        set(flat, item, 1, (uint64_t)model->blob);
    } else {
        refer(flat, item, 0, new_list(flat, (size_t)model->blob, 1));
    }
    size_t processed = new_table(flat, 2);
    refer(flat, delegate, 1, processed);
    set(flat, processed, 0, model->segment);
    set(flat, processed, 1, model->blob_index);
}

static void write_model(struct flat *flat, const struct model *model) {
    static const char *const operators[] = {"aten::add", "aten::mul"}, *const delegates[] = {"Npu"};
    *flat = (struct flat){.count = 8};
    memcpy(flat->bytes + 4, "ET12", 4);
    size_t program = new_table(flat, 5);
    put(flat, 0, program, 4);
    size_t plans = new_list(flat, 1, 4);
    refer(flat, program, 1, plans);
    size_t plan = new_table(flat, 9);
    refer_item(flat, plans, 0, plan);
    refer(flat, plan, 0, new_text(flat, model->method ? model->method : "forward"));
    add_values(flat, plan, model);
    NUMBERS(flat, plan, 3, model->input);
    NUMBERS(flat, plan, 4, model->output);
    add_instructions(flat, plan, model);
    add_named(flat, plan, 6, operators, 2);
    add_named(flat, plan, 7, delegates, 1);
    add_blob(flat, program, plan, model);
    size_t sizes = new_list(flat, 3, 8);
    for (size_t i = 0; i < 3; i++) {
        put(flat, sizes + 4 + 8 * i, (uint64_t)model->sizes[i], 8);
    }
    refer(flat, plan, 8, sizes);
}

static struct sw_problem *load_flat(const struct flat *flat, size_t length, struct sw_error *error) {
    struct sw_input input = text_input((const char *)flat->bytes, length);
    return sw_load_input(&input, NULL, error);
}

static struct sw_problem *must_load(const struct model *model) {
    struct flat flat;
    struct sw_error error = {0};
    write_model(&flat, model);
    struct sw_problem *problem = load_flat(&flat, flat.count, &error);
    if (!problem) {
        fail_msg("%s", error.message);
    }
    return problem;
}

static void assert_life(const struct sw_problem *problem, const char *name, uint32_t first, uint32_t last) {
    const struct sw_buffer *buffer = buffer_named(problem, name);
    assert_int_equal(buffer->first, first);
    assert_int_equal(buffer->last, last);
    assert_true(buffer->has_offset && !buffer->pinned);
}

/* add_0 reads 0 and a weight, writes 2; delegate_1 reads 2, writes 3 in memory 2; mul_2 reads a
 * list of 0 and 3, writes 4. */
static const struct tensor tensors[] = {
    {64, 1, 0, 0, NULL},  {100, 0, 0, 7, NULL},  {64, 1, 64, 0, NULL}, {32, 2, 16, 0, NULL},     {16, 1, 128, 0, "y"},
    {0, 1, 512, 0, NULL}, {8, 1, 1024, 0, NULL}, {16, 0, 0, 0, NULL},  {16, 1, 144, 3, "state"},
};
static const struct instruction instructions[] = {
    {1, 0, 4, {0, 1, 2, 2}},
    {2, 0, 2, {2, 3}},
    {1, 1, 4, {9, 7, 4, 4}},
    {5, 2, 0, {0}},
};
static const struct model model = {.tensors = tensors,
                                   .tensor_count = COUNT(tensors),
                                   .instructions = instructions,
                                   .instruction_count = COUNT(instructions),
                                   .input = 0,
                                   .output = 4,
                                   .sizes = {0, 160, 99},
                                   .list = (const int[]){0, 3},
                                   .list_count = 2};

static void a_program(void **state) {
    (void)state;
    struct sw_problem *problem = must_load(&model);
    assert_int_equal(sw_problem_buffer_count(problem), 5);
    assert_int_equal(sw_problem_operator_count(problem), 4);
    assert_int_equal(sw_problem_tier_count(problem), 2);
    assert_string_equal(sw_problem_tier(problem, 0)->name, "memory 1");
    assert_string_equal(sw_problem_tier(problem, 1)->name, "memory 2");
    assert_life(problem, "input0", 0, 2);
    assert_life(problem, "add_0", 0, 3); /* freed at the end */
    assert_life(problem, "Npu_1", 1, 2);
    assert_life(problem, "y", 2, 3); /* an output */
    assert_life(problem, "state", 0, 3);
    assert_int_equal(buffer_named(problem, "Npu_1")->tier, 1);
    assert_int_equal(buffer_named(problem, "Npu_1")->offset, 16);
    assert_int_equal(buffer_named(problem, "input0")->kind, SW_KIND_INPUT);
    assert_int_equal(buffer_named(problem, "y")->kind, SW_KIND_OUTPUT);
    assert_int_equal(buffer_named(problem, "y")->dtype, SW_DTYPE_INT8);
    const struct sw_operator *mul = sw_problem_operator(problem, 2);
    assert_string_equal(mul->name, "mul_2");
    assert_int_equal(mul->input_count, 2);
    assert_int_equal(mul->output_count, 1);
    assert_true(noted(problem, "weights (1, 100 bytes) are left out"));
    assert_true(noted(problem, "the caller or the runtime brings, left out: 1"));
    assert_true(noted(problem, "tensors without bytes, left out: 1"));
    assert_true(noted(problem, "no instruction names, left out: 1"));
    assert_true(noted(problem, "delegates are opaque, what they plan inside is left out: 1"));
    assert_true(noted(problem, "memory 2 has 99 bytes; its tensors end at 48"));
    assert_false(noted(problem, "memory 1 has"));
    assert_true(sw_problem_offsets_are_plan(problem));
    assert_round_trip(problem, "x.json");
    sw_problem_unref(problem);
}

static void blobs(void **state) {
    (void)state;
    struct model changed = model;
    for (int segment = 0; segment < 2; segment++) {
        changed.blob = 24;
        changed.segment = segment == 1;
        changed.blob_index = 0;
        struct sw_problem *problem = must_load(&changed);
        const struct sw_buffer *blob = buffer_named(problem, "blob of delegate 0: Npu");
        assert_int_equal(blob->kind, SW_KIND_CONSTANT);
        assert_int_equal(blob->size, 24);
        assert_false(blob->planned);
        assert_int_equal(sw_problem_operator(problem, 1)->input_count, 2);
        assert_true(noted(problem, "blobs of delegates (1, 24 bytes) are constants"));
        assert_true(noted(problem, "the program asks for memory 1: 160 bytes, memory 2: 99 bytes"));
        assert_true(sw_problem_offsets_are_plan(problem));
        assert_round_trip(problem, "x.json");
        sw_problem_unref(problem);
        changed.blob_index = 1;
        struct flat flat;
        struct sw_error error = {0};
        write_model(&flat, &changed);
        struct sw_input input = text_input((const char *)flat.bytes, flat.count);
        assert_null(sw_load_input(&input, NULL, &error));
        assert_non_null(strstr(error.message, "a delegate names blob 1, which does not exist, at offset"));
    }
}

/* A jump back: what the loop uses lasts through it. Here 1 is written before it and read in it, 2
 * is written and read in it. */
static void loops(void **state) {
    (void)state;
    static const struct tensor list[] = {
        {8, 1, 0, 0, NULL}, {8, 1, 16, 0, NULL}, {8, 1, 32, 0, NULL}, {8, 1, 48, 0, NULL}, {1, 1, 64, 0, NULL}};
    static const struct instruction calls[] = {{1, 0, 2, {0, 1}}, {1, 0, 2, {1, 2}}, {1, 0, 3, {2, 0, 3}},
                                               {1, 0, 2, {3, 4}}, {4, 4, 1, {1}},    {1, 0, 2, {3, 3}}};
    struct sw_problem *problem = must_load(&(struct model){.tensors = list,
                                                           .tensor_count = 5,
                                                           .instructions = calls,
                                                           .instruction_count = 6,
                                                           .output = 3,
                                                           .sizes = {0, 80, 0}});
    assert_life(problem, "add_0", 0, 4);
    assert_life(problem, "add_1", 1, 4);
    assert_life(problem, "add_3", 1, 4);
    assert_true(noted(problem, "loops: 1"));
    sw_problem_unref(problem);
}

/* Results written over arguments share a buffer; a tensor that no operator writes is taken for the one that
 * lies in the same place. */
static void sharing(void **state) {
    (void)state;
    static const struct tensor list[] = {
        {8, 1, 0, 0, NULL}, {8, 1, 16, 0, NULL}, {8, 1, 16, 0, NULL}, {8, 1, 16, 0, NULL}, {8, 1, 32, 0, NULL}};
    static const struct instruction calls[] = {{1, 0, 2, {0, 1}}, {1, 0, 2, {1, 2}}, {1, 1, 3, {3, 0, 4}}};
    struct sw_problem *problem = must_load(&(struct model){.tensors = list,
                                                           .tensor_count = 5,
                                                           .instructions = calls,
                                                           .instruction_count = 3,
                                                           .output = 4,
                                                           .sizes = {0, 48, 0}});
    assert_int_equal(sw_problem_buffer_count(problem), 4);
    assert_life(problem, "add_0", 0, 1);
    assert_life(problem, "add_1.view", 2, 2);
    assert_int_not_equal(sw_problem_find_member(problem, "add_1"), SW_NONE);
    assert_int_equal(sw_problem_operator(problem, 1)->outputs[0].member, sw_problem_find_member(problem, "add_1"));
    assert_int_equal(sw_problem_operator(problem, 2)->input_count, 2);
    assert_true(noted(problem, "before: 1; they are views"));
    sw_problem_unref(problem);
}

static void refuse_flat(const struct flat *flat, const char *message) {
    struct sw_error error = {0};
    assert_null(load_flat(flat, flat->count, &error));
    assert_int_equal(error.code, SW_ERROR_INPUT);
    if (!strstr(error.message, message) || !strstr(error.message, " at offset ")) {
        fail_msg("wanted %s\ngot    %s", message, error.message);
    }
}

static void refuse_model(const struct model *wrong, const char *message) {
    struct flat flat;
    write_model(&flat, wrong);
    refuse_flat(&flat, message);
}

static void refused(void **state) {
    (void)state;
    struct model wrong = model;
    wrong.output = 77;
    refuse_model(&wrong, "an input or output that does not exist, in the plan");
    wrong = model;
    wrong.tensors = (const struct tensor[]){{-1, 1, 0, 0, NULL}};
    wrong.tensor_count = 1;
    refuse_model(&wrong, "a tensor with the negative dimension -1");
    wrong = model;
    wrong.instructions = (const struct instruction[]){{1, 0, 2, {0, 50}}};
    wrong.instruction_count = 1;
    refuse_model(&wrong, "an instruction names value 50, which does not exist,");
    wrong.instructions = (const struct instruction[]){{6, 0, 2, {0, 2}}};
    refuse_model(&wrong, "an instruction of the unknown kind 6");
    struct flat flat;
    write_model(&flat, &model);
    put(&flat, 0, 100000, 4);
    refuse_flat(&flat, "a table goes past the end of the file");
    write_model(&flat, &model);
    size_t program = flat.bytes[0];
    put(&flat, program, 0xffffff00, 4);
    refuse_flat(&flat, "a list of fields");
    put(&flat, program, 0x7fffffff, 4);
    refuse_flat(&flat, "a table with fields that are not in the file");
    write_model(&flat, &model);
    set(&flat, program, 1, 1 << 30);
    refuse_flat(&flat, "what is referred to goes past the end of the file");
    flat = (struct flat){.count = 8};
    memcpy(flat.bytes + 4, "ET12", 4);
    put(&flat, 0, new_table(&flat, 1), 4);
    refuse_flat(&flat, "a program without a method");
    struct sw_error error = {0};
    struct sw_input input = {.name = "x.pte", .bytes = "12345678", .length = 8};
    assert_null(sw_load_input(&input, NULL, &error));
    assert_string_equal(error.message, "the file is not marked ET12 at offset 4");
}

/* One long list, named again and again, must not make a small file say without end. */
static void shared_lists(void **state) {
    (void)state;
    enum { MANY = 40, LONG = 1000 };
    struct instruction calls[MANY];
    int list[LONG] = {0};
    for (size_t i = 0; i < MANY; i++) {
        calls[i] = (struct instruction){1, 0, 2, {9, 4}};
    }
    struct model many = model;
    many.instructions = calls;
    many.list = list;
    many.list_count = LONG;
    many.instruction_count = 1;
    sw_problem_unref(must_load(&many));
    many.instruction_count = MANY;
    refuse_model(&many, "more arguments of instructions than the file has room for");
}

/* Cut anywhere or with any byte changed, it is read or refused in words. */
static void damage(void **state) {
    (void)state;
    struct flat flat;
    write_model(&flat, &model);
    for (size_t length = 0; length < flat.count; length++) {
        struct sw_error error = {0};
        struct sw_problem *problem = load_flat(&flat, length, &error);
        assert_true(problem || (error.code != SW_OK && *error.message));
        sw_problem_unref(problem);
    }
    static const unsigned char other[] = {0, 1, 4, 0x7f, 0xff};
    for (size_t i = 8; i < flat.count; i++) {
        unsigned char before = flat.bytes[i];
        for (size_t k = 0; k < COUNT(other); k++) {
            struct sw_error error = {0};
            flat.bytes[i] = other[k];
            struct sw_problem *problem = load_flat(&flat, flat.count, &error);
            assert_true(problem || (error.code != SW_OK && *error.message));
            sw_problem_unref(problem);
        }
        flat.bytes[i] = before;
    }
}

/* Lack of memory at every place: it is said, and nothing leaks. */
static void no_memory(void **state) {
    (void)state;
    struct flat flat;
    write_model(&flat, &model);
    for (uint64_t k = 0, done = 0; !done; k++) {
        struct limit limit = {.left = k};
        struct sw_error error = {0};
        sw_mem_hook(limited, &limit);
        struct sw_problem *problem = load_flat(&flat, flat.count, &error);
        done = problem != NULL;
        sw_problem_unref(problem);
        sw_mem_hook(NULL, NULL);
        assert_true(done ? !limit.hit : error.code == SW_ERROR_MEMORY);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_program), cmocka_unit_test(blobs),     cmocka_unit_test(loops),
        cmocka_unit_test(sharing),   cmocka_unit_test(refused),   cmocka_unit_test(shared_lists),
        cmocka_unit_test(damage),    cmocka_unit_test(no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
