/* Lack of memory: every allocation of every reader and writer fails once, and everything after it
 * too. The outcome is SW_ERROR_MEMORY, nothing leaks, and no result is half made. */
#include "unit/formats.h"
#include "unit/onnx.h"

#include "formats/plans/finished_plan.h"

#include <stdlib.h>
#include <unistd.h>

/* ---- a hook that fails from the k-th request on, and counts what is out ---- */

static size_t allowed = SIZE_MAX, live_blocks, live_bytes;

static void *counting(void *context, void *pointer, size_t old_size, size_t new_size) {
    (void)context;
    if (new_size == 0) {
        live_blocks -= pointer != NULL;
        live_bytes -= pointer ? old_size : 0;
        free(pointer);
        return NULL;
    }
    bool shrinks =
        pointer && new_size <= old_size; /* Lua goes on with the block, and frees it by the size that it asked for */
    if (allowed == 0 && !shrinks) {
        return NULL;
    }
    allowed -= !shrinks;
    void *fresh = realloc(pointer, new_size);
    if (fresh) {
        live_blocks += pointer == NULL;
        live_bytes += new_size - (pointer ? old_size : 0);
    }
    return fresh;
}

/* Do `work` with room for 0, 1, 2 ... allocations until it succeeds. It returns whether it did,
 * frees all it made, and fills the error when it did not. */
typedef bool work_fn(const void *what, struct sw_error *error);

static void until_it_works(work_fn *work, const void *what) {
    for (size_t k = 0;; k++) {
        struct sw_error error = {0};
        size_t blocks = live_blocks, bytes = live_bytes;
        allowed = k;
        bool good = work(what, &error);
        bool spent = allowed == 0;
        allowed = SIZE_MAX;
        assert_int_equal(live_blocks, blocks);
        assert_int_equal(live_bytes, bytes);
        if (good) {
            assert_true(k > 0); /* it did allocate through the hook */
            return;
        }
        assert_true(spent);
        if (error.code != SW_ERROR_MEMORY) {
            fail_msg("with %zu allocations: code %d, %u:%u: %s", k, (int)error.code, error.line, error.column,
                     error.message);
        }
    }
}

static const char csv[] = "# c\nid,lower,upper,size,offset,alignment,gaps,tier,more\n"
                          "\"a \"\"q\"\"\",0,12,640,16,8,\"2-3 4-5@0:8\",sram,\n"
                          "b,-3,12,64,32,8,,dram,x\nc,0,9,0,,,,,\n";
static const char json[] = "{\"name\":\"g\",\"tiers\":[{\"name\":\"sram\",\"capacity\":1000},{\"name\":\"dram\"}],"
                           "\"units\":[{\"name\":\"u\",\"tiers\":[\"sram\"]}],\"functions\":[{\"name\":\"f\",\"unit\":"
                           "\"u\"}],\"overlays\":[{\"of\":\"b\",\"name\":\"part\",\"lo\":0,\"hi\":8}],"
                           "\"separate\":[[\"a\",\"d\"]],\"reserved\":[{\"tier\":\"dram\",\"lo\":0,\"hi\":16}],"
                           "\"operators\":[{\"name\":\"o0\",\"inputs\":[\"a\"],\"outputs\":[\"b\"],\"core\":\"A\","
                           "\"inplace\":[[\"a\",\"b\"]]},{\"name\":\"o1\",\"inputs\":[\"part\"],\"outputs\":[\"d\"],"
                           "\"core\":\"B\",\"after\":[\"o0\"],\"scratch\":[\"c\"]}],"
                           "\"buffers\":[{\"name\":\"a\",\"kind\":\"input\",\"shape\":[8,8],\"dtype\":\"int8\"},"
                           "{\"name\":\"b\",\"size\":64,\"tiers\":[\"sram\"]},{\"name\":\"c\",\"size\":32,"
                           "\"pieces\":[{\"first\":0,\"last\":0,\"lo\":0,\"hi\":32},{\"first\":1,\"last\":1,\"lo\":0,"
                           "\"hi\":8}],\"accesses\":[0,1]},{\"name\":\"d\",\"kind\":\"output\",\"size\":8,"
                           "\"offset\":0}]}";
static const char summary[] = "{\"graph\":\"net\",\"placements\":["
                              "{\"buffer\":\"a\",\"tier\":\"sram\",\"offset\":0,\"size\":64,\"first\":0,\"last\":0},"
                              "{\"buffer\":\"d\",\"tier\":\"dram\",\"offset\":16,\"size\":8,\"first\":1,\"last\":1}],"
                              "\"tiers\":[{\"name\":\"sram\",\"capacity\":100,\"peak\":72},{\"name\":\"dram\"}],"
                              "\"transfers\":[{\"buffer\":\"a\",\"step\":1,\"from\":\"sram\",\"to\":\"dram\"}],"
                              "\"overwrites\":[{\"new\":\"b\",\"old\":\"a\",\"step\":0}]}";

/* Plans of other tools; in each something shares bytes, or a name. */
static const char tflm[] = "0 (id=0): size=96, offset=512, first_used=1 last_used=2\n"
                           "* (id=1): size=16, offset=0, first_used=2 last_used=2\n";
static const char vela[] = "Tensor Allocation for mem_area Sram, of mem_type_set (Scratch), using\n"
                           " 0 - 3: 0x0 - 0x20: 32: 64: FeatureMap : a\n 0 - 3: 0x0 - 0x20: 32: 64: FeatureMap : a\n"
                           "Allocation Peak Memory Usage: 32\n";
static const char st[] = "{\"json_schema_version\":\"2.0\",\"memory_pools\":[{\"id\":1,\"name\":\"ram\"}],"
                         "\"graphs\":[{\"inputs\":[1]}],\"buffers\":[{\"id\":1,\"name\":\"a\",\"mpool_id\":1,"
                         "\"offset_start\":0,\"size_bytes\":8,\"epochs\":{\"start\":0,\"end\":2}},"
                         "{\"id\":2,\"name\":\"a\",\"mpool_id\":1,\"offset_start\":4,\"size_bytes\":8,"
                         "\"epochs\":{\"start\":2,\"end\":3}}]}";
static const char xla[] = "BufferAssignment:\nallocation 0: size 64, preallocated-temp:\n"
                          " value: <1 a @0> (size=64,offset=0): f\n"
                          " value: <2 b @0> (size=32,offset=0): f\n"
                          "HloLiveRange (max 3):\n  BufferLiveRange:\n  a{}:0-1\n  b{}:1-2\n";

/* Requests: an id that comes again, origins, streams, regions. */
static const char requests[] = "event,id,size,stream,more\nalloc,\"a \"\"q\"\"\",5,7\nfree,\"a \"\"q\"\"\"\n"
                               "alloc,\"a \"\"q\"\"\",6,-1\nempty_cache\nfree,\"a \"\"q\"\"\"\n";
static const char mtrace[] = "= Start\n@ p:[0x1] + 0x10 0x20\n@ p:[0x2] + 0x10 0x8\n@ p:[0x1] < 0x10\n"
                             "@ p:[0x1] > 0x30 0x9\n- 0x77\n+ (nil) 0x1\n";
static const char heaptrack[] = "v 10400 3\nX p\ns 4 main\ns 3 a.c\ni 1 0 1 2 3\nt 1 0\na 8 1\n+ 0\n+ 0\n- 0\n";
static const char heaptrack_raw[] = "v 10400 3\nX p\nt 1 0\nt 2 1\n+ 8 2 10\n+ 8 1 10\n- 10\n";
static const char onnxruntime[] =
    "x Creating BFCArena for Cpu with following configs: memory limit: 9\n"
    "x Extending BFCArena for Cpu. num_bytes: 4\nx Extended allocation by 256 bytes.\n"
    "x Allocated memory at 0x100 to 0x200\nx Reserving memory in BFCArena for Cpu size: 7\n"
    "x Extending BFCArena for Other. num_bytes: 4\n";
static const char tensorflow[] = "bfc_allocator.cc:1] AllocateRaw g  4 0x100\nx] Allocated memory at 0x100 to 0x200\n"
                                 "x] MemoryLogTensorAllocation { kernel_name: \"k\" allocation_id: 3 ptr: 256 }\n"
                                 "x] MemoryLogTensorDeallocation { allocation_id: 3 }\n"
                                 "bfc_allocator.cc:1] DeallocateRaw g 4\nbfc_allocator.cc:1] AllocateRaw h  4 0x100\n";
static const char tensorflow_stacks[] = "bfc_allocator.cc:1] [mem-debug] AllocateRaw,g,4,0x100,x\n\tmain\n\tstart\n"
                                        "bfc_allocator.cc:1] [mem-debug] DeallocateRaw,g,4,0x100,x\n";
static const char dump[] =
    "> x] Allocator (g) ran out of memory trying to allocate 2.0KiB (rounded to 2048)requested by op o\n"
    "x] Next region of size 512\nx] InUse at 1000 of size 256 by op n next 2\nx] Free  at 1100 of size 256 next "
    "18446744073709551615\nx] 3 Chunks of size 256 totalling 768B\nx] Sum Total of in-use chunks: 768B\nLimit: 600\n";
static const char arena[] =
    "[RecordingMicroAllocator] Arena allocation total 90 bytes\n[RecordingMicroAllocator] Arena allocation head 40 "
    "bytes\n"
    "[RecordingMicroAllocator] 'data' used 20 bytes with alignment overhead (requested 17 bytes for 10 allocations)\n"
    "Failed to resize buffer. Requested:16544, available 15928, missing:616\n";
static const char program[] =
    "BufferAssignment stats:\n total allocation:   12.00MiB\nPeak buffers:\n Buffer 1:\n  Size: 64B\n"
    "  Operator: op_name=\"jit\"\n  XLA Label: add\n  Shape: f32[4,4]{1,0:T(8,128)}\n ====";
static const char tensors[] =
    "x] MemoryLogTensorAllocation { kernel_name: \"k\" allocated_bytes: 256 allocator_name: \"g\" allocation_id: 3 }\n"
    "x] MemoryLogRawAllocation { operation: \"o\" num_bytes: 256 allocation_id: 4 allocator_name: \"h\" }\n"
    "x] MemoryLogTensorDeallocation { allocation_id: 3 allocator_name: \"g\" }\n";
static const char events[] = "{\"stowage-trace\":1,\"planner\":\"p\"}\n{\"alloc\":\"a\",\"size\":4,\"stream\":7}\n"
                             "{\"alloc\":\"a\",\"size\":4}\n{\"free\":\"a\",\"stream\":9}\n";

static bool load(const void *what, struct sw_error *error) {
    const char *text = what;
    struct sw_input input = text_input(text, strlen(text));
    struct sw_load_options options = {.inplace_safe = true};
    struct sw_problem *problem = sw_load_input(&input, &options, error);
    sw_problem_unref(problem);
    return problem != NULL;
}

static void readers(void **state) {
    (void)state;
    until_it_works(load, csv);
    until_it_works(load, json);
    until_it_works(load, summary);
    until_it_works(load, tflm);
    until_it_works(load, vela);
    until_it_works(load, st);
    until_it_works(load, xla);
    static const char *const of_requests[] = {requests,    mtrace,     heaptrack,         heaptrack_raw,
                                              onnxruntime, tensorflow, tensorflow_stacks, dump,
                                              arena,       program,    tensors,           events};
    for (size_t i = 0; i < COUNT(of_requests); i++) {
        until_it_works(load, of_requests[i]);
    }
}

static bool load_bytes(const void *what, struct sw_error *error) {
    struct sw_load_options options = {.inplace_safe = true};
    struct sw_problem *problem = sw_load_input(what, &options, error);
    sw_problem_unref(problem);
    return problem != NULL;
}

/* A model with shapes that are computed, a branch, a loop and a function. */
static void models(void **state) {
    (void)state;
    onnx_bytes model =
        onnx_encode("input x float 1x3x8x8\nweight w float 4x3x3x3\nConv x,w -> a strides=2,2\nShape a -> s\n"
                    "int one 1\nMul s,one -> t\nReshape a,t -> b\ngraph g\nRelu b -> r\noutput r\nend\n"
                    "input c bool -\nIf c -> d then_branch=@g else_branch=@g\nfunction Twice p -> q\nAdd p,p "
                    "-> "
                    "q\nend\nown/Twice d -> e\ngraph body\ninput i int64 -\ninput k bool -\ninput v float -\n"
                    "Identity k -> k2\nNeg v -> v2\noutput k2\noutput v2\noutput v2\nend\nint m 3\n"
                    "Loop m,_,e -> f,y body=@body\noutput f\noutput y\n");
    struct sw_input input = text_input(model.items, model.count);
    until_it_works(load_bytes, &input);
    SW_ARRAY_DONE(&model);
}

static bool load_wrong(const void *what, struct sw_error *error) {
    const char *text = what;
    struct sw_input input = text_input(text, strlen(text));
    struct sw_problem *problem = sw_load_input(&input, NULL, error);
    assert_null(problem);
    return error->code == SW_ERROR_INPUT;
}

/* Errors are found under lack of memory too, as one or the other. */
static void wrong_inputs(void **state) {
    (void)state;
    until_it_works(load_wrong, "id,lower,upper,size\na,0,1,4\na,0,1,4\n");
    until_it_works(load_wrong, "id,lower,upper,size,gaps\na,0,9,4,1-2 2-3 8-10\n");
    until_it_works(load_wrong, "{\"operators\":[],\"buffers\":[{\"name\":\"a\",\"sise\":1}]}");
    until_it_works(load_wrong, "{\"operators\":[],\"buffers\":[{\"name\":\"\\u0061\",\"si");
    until_it_works(load_wrong, "{\"operators\":[{\"name\":\"o\",\"inputs\":[\"q\"]}],"
                               "\"buffers\":[]}");
}

static bool load_file(const void *what, struct sw_error *error) {
    uint64_t digest = 0;
    struct sw_load_options options = {.tiers = what};
    struct sw_problem *problem =
        sw_load(SW_TEST_SOURCE "/tests/fuzz/corpus/graph_json/chain", &options, &digest, error);
    sw_problem_unref(problem);
    return problem != NULL;
}

static void files(void **state) {
    (void)state;
    until_it_works(load_file, SW_TEST_SOURCE "/tests/fuzz/corpus/tiers/two");
}

static bool write_both(const void *what, struct sw_error *error) {
    const struct sw_problem *problem = what;
    const char *const names[] = {"x.json", "x.csv"};
    bool good = true;
    for (size_t i = 0; good && i < COUNT(names); i++) {
        struct sw_sink sink = {0};
        good = sw_format_for_output(names[i], false, NULL)->write_problem(problem, &sink, error);
        if (good) { /* so that the hook is used often enough even for small ones */
            good = sw_sink_commit(&sink, "/dev/null", error);
        }
        sw_sink_done(&sink);
    }
    return good;
}

static bool write_plans(const void *what, struct sw_error *error) {
    struct sw_result result = {.layout = what};
    const char *const names[] = {"x.json", "x.csv"};
    bool good = true;
    for (size_t i = 0; good && i < COUNT(names); i++) {
        struct sw_sink sink = {0};
        good = sw_format_for_output(names[i], true, NULL)->write_plan(&result, &sink, error);
        sw_sink_done(&sink);
    }
    return good;
}

struct matched {
    const struct sw_problem *problem;
    const char *text;
};

static bool parse_plan(const void *what, struct sw_error *error) {
    const struct matched *matched = what;
    struct sw_input input = text_input(matched->text, strlen(matched->text));
    struct sw_layout *layout = sw_plan_parse(&input, matched->problem, 0, NULL, NULL, error);
    sw_layout_free(layout);
    return layout != NULL;
}

static void writers_and_plans(void **state) {
    (void)state;
    struct sw_problem *problem = must_read(json);
    struct sw_error error;
    const struct matched plans[] = {{problem, summary},
                                    {problem, "id,lower,upper,size,offset,tier\nc,0,1,32,0,\"sram\"\nc,1,2,32,0,dram\n"
                                              "a,0,1,64,0,sram\n\"b\",0,2,64,64,sram\n"}};
    until_it_works(write_both, problem);
    for (size_t i = 0; i < COUNT(plans); i++) {
        until_it_works(parse_plan, &plans[i]);
        struct sw_input input = text_input(plans[i].text, strlen(plans[i].text));
        struct sw_layout *layout = sw_plan_parse(&input, problem, 0, NULL, NULL, &error);
        assert_non_null(layout);
        until_it_works(write_plans, layout);
        sw_layout_free(layout);
    }
    sw_problem_unref(problem);
}

static int hook(void **state) {
    (void)state;
    sw_mem_hook(counting, NULL);
    return 0;
}

static int unhook(void **state) {
    (void)state;
    sw_mem_hook(NULL, NULL);
    return live_blocks == 0 ? 0 : -1;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(readers),           cmocka_unit_test(models),
        cmocka_unit_test(wrong_inputs),      cmocka_unit_test(files),
        cmocka_unit_test(writers_and_plans),
    };
    return cmocka_run_group_tests(tests, hook, unhook);
}
