/* Logs of decisions that other programs print: the trace that each becomes, the decisions in it, and where things end
 * up. */
#include "unit/formats.h"
#include "unit/noted.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#define ALLOC "ggml_dyn_tallocr_alloc: allocating "
#define FREE "ggml_gallocr_free_node: freeing "

/* ---- what a log becomes ---- */

static void assert_trace(const struct sw_format *format, const char *log, const char *trace) {
    struct sw_input input = text_input(log, strlen(log));
    struct sw_error error = {0};
    struct sw_sink sink = {0};
    assert_true(sw_format_is(format, &input));
    if (!sw_format_rewrite(format, &input, NULL, &sink, &error)) {
        fail_msg("%u:%u: %s", error.line, error.column, error.message);
    }
    sw_sink_add(&sink, "", 1);
    assert_string_equal(sink.text.items, trace);
    sw_sink_done(&sink);
}

/* Play the recorded decisions: their sentences, one a line. */
static struct sw_search *play(const struct sw_problem *problem, char *sentences, size_t size) {
    struct sw_error error = {0};
    struct sw_params params = SW_PARAMS_DEFAULT;
    const struct sw_planner *planner = sw_planner_find("recorded", &error);
    struct sw_search *search = sw_search_new(problem, planner, &params, &error);
    struct sw_explanation why = {0};
    size_t used = 0;
    assert_non_null(search);
    while (sw_search_step_explained(search, &why, &error) == SW_STEP_MORE) {
        used += (size_t)sw_decision_describe(sw_search_problem(search), &why.decision, sentences + used, size - used);
        assert_true(used + 1 < size);
        sentences[used++] = '\n';
    }
    sentences[used] = '\0';
    sw_explanation_done(&why);
    return search;
}

static void assert_sentences(const char *log, const struct sw_load_options *options, const char *wanted) {
    char sentences[8192];
    struct sw_problem *problem = read_options(log, options);
    struct sw_search *search = play(problem, sentences, sizeof sentences);
    assert_string_equal(sentences, wanted);
    sw_search_free(search);
    sw_problem_unref(problem);
}

/* Where a buffer lies at the end, and when it lives. */
static void assert_place(const struct sw_search *search, const char *name, const char *tier, uint64_t offset,
                         uint64_t size, int64_t first, int64_t last) {
    const struct sw_problem *problem = sw_search_problem(search);
    const struct sw_buffer *buffer = buffer_named(problem, name);
    struct sw_placement placement;
    assert_true(sw_layout_placement(sw_search_layout(search), sw_problem_find_buffer(problem, name), 0, &placement));
    assert_string_equal(sw_problem_tier(problem, placement.tier)->name, tier);
    assert_int_equal(placement.offset, offset);
    assert_int_equal(buffer->size, size);
    assert_int_equal(sw_problem_time(problem, buffer->first), first);
    assert_int_equal(sw_problem_time(problem, buffer->last + 1), last + 1);
}

/* ---- ggml ---- */

#define NODE                                                                                                           \
    ALLOC "in (64 bytes) - block 0, offset 0, chunk 0\n" ALLOC "my w (32 bytes) - block 0, offset 64, chunk 0\n" ALLOC \
          "y (128 bytes) - block 0, offset 0, chunk 1\n"                                                               \
          "exec: MUL_MAT (y) <= in, my w\n"                                                                            \
          "parent in: 0 children, 0 views, allocated: 1\n" FREE                                                        \
          "in at {chunk=0, offset=0} (60 bytes) - n_free_blocks = 1\n\n"                                               \
          "parent my w: 1 children, 0 views, allocated: 1\n\n"

static const char reused[] = NODE
    "reusing parent y for z\n"
    "freeing extra 64 bytes from parent y for z\n"
    "exec: SCALE (z) <= y\n"
    "parent y: 0 children, 0 views, allocated: 0\n\n"
    "exec: VIEW (z (view)) <= z\n"
    "parent z: 0 children, 1 views, allocated: 1\n\n"
    "not reusing parent z (view) for in as (nil) is external\n"
    "not reusing parent my w for in as layouts are different\n" ALLOC "in (64 bytes) - block 0, offset 0, chunk 0\n"
    "exec: ADD (in) <= z (view), my w\n"
    "parent z (view): 0 children, 0 views, allocated: 0\n"
    "view_src z: 0 children, 0 views\n" FREE "z at {chunk=1, offset=0} (64 bytes) - n_free_blocks = 1\n\n"
    "parent my w: 0 children, 0 views, allocated: 1\n"
    "not freeing output my w\n\n";

static void ggml_decisions(void **state) {
    (void)state;
    char sentences[4096];
    struct sw_problem *problem = must_read(reused);
    struct sw_search *search = play(problem, sentences, sizeof sentences);
    assert_string_equal(sentences,
                        "places in (64 B) at chunk 0+0: block 0 of the free list\n"
                        "places my w (32 B) at chunk 0+64: block 0 of the free list\n"
                        "places y (128 B) at chunk 1+0: block 0 of the free list\n"
                        "exec y (128 B): MUL_MAT (y) <= in, my w\n"
                        "freeing in (64 B) at chunk 0+0\n"
                        "reusing z (64 B) at chunk 1+0: in the place of y, of which the last 64 bytes are free\n"
                        "exec z (64 B): SCALE (z) <= y\n"
                        "exec: VIEW (z (view)) <= z\n"
                        "places in#2 (64 B) at chunk 0+0: block 0 of the free list\n"
                        "exec in#2 (64 B): ADD (in) <= z (view), my w\n"
                        "freeing z (64 B) at chunk 1+0\n"
                        "not freeing my w (32 B): it is an output\n");
    assert_place(search, "in", "chunk 0", 0, 64, 0, 2);
    assert_place(search, "my w", "chunk 0", 64, 32, 1, 7);
    assert_place(search, "y", "chunk 1", 0, 128, 2, 3);
    assert_place(search, "z", "chunk 1", 0, 64, 5, 6);
    assert_place(search, "in#2", "chunk 0", 0, 64, 6, 7);
    assert_true(noted(problem, "a trace of ggml: 12 decisions"));
    assert_true(noted(problem, "neither alignment"));
    assert_false(noted(problem, "the end of the run is missing"));
    struct sw_explanation why = {0};
    struct sw_error error = {0};
    assert_true(sw_search_explain(search, 9, &why, &error));
    assert_int_equal(why.candidates.count, 2);
    assert_string_equal(why.candidates.items[0].reason, "in the place of z (view): (nil) is external");
    assert_string_equal(why.candidates.items[1].reason, "in the place of my w: layouts are different");
    assert_int_equal(why.candidates.items[1].verdict, SW_VERDICT_REFUSED);
    assert_string_equal(why.source, "line 20");
    sw_explanation_done(&why);
    sw_search_free(search);
    sw_problem_unref(problem);
}

static void ggml_trace(void **state) {
    (void)state;
    assert_trace(
        &sw_format_ggml_log,
        ALLOC "a (16 bytes) - block 0, offset 0, chunk 0\n"
              "max_size[0] = 0.00 MB: tensors: a [0: 0-10] (0.00 MB) old [name [1: 10-ff] (0.00 MB) \n"
              "exec: SQR (a) <= b\n"
              "parent b: 2 children, 1 views, allocated: 0\n\n",
        "{\"stowage-trace\":1,\"planner\":\"ggml\",\"tiers\":[{\"name\":\"chunk 0\"}],\"notes\":[\"ggml's log has "
        "neither "
        "alignment nor the tensors that lie outside of its pools, nor why a free block was taken; sizes are rounded up "
        "to "
        "the alignment\"]}\n"
        "{\"group\":\"SQR (a)\"}\n"
        "{\"alloc\":\"a\",\"size\":16,\"source\":\"line 1\"}\n"
        "{\"decision\":\"place\",\"buffer\":\"a\",\"time\":0,\"tier\":\"chunk 0\",\"offset\":0,\"reason\":\"block 0 of "
        "the "
        "free list\",\"figures\":{\"block\":0},\"source\":\"line 1\"}\n"
        "{\"state\":\"max_size[0]\",\"columns\":[\"tensor\",\"chunk\",\"offset\",\"end\"],\"kinds\":[\"buffer\","
        "\"count\","
        "\"offset\",\"offset\"],\"rows\":[[\"a\",0,0,16],[\"old [name\",1,16,255]]}\n"
        "{\"decision\":\"exec\",\"buffer\":\"a\",\"time\":0,\"reason\":\"SQR (a) <= b\",\"source\":\"line 3\"}\n"
        "{\"state\":\"parents\",\"columns\":[\"tensor\",\"children\",\"views\",\"allocated\"],\"rows\":[[\"b\",2,1,"
        "false]]}\n"
        "{\"end\":\"done\"}\n");
}

/* Before December 2025 another function freed, extra bytes twice over; before September 2025 there were no chunks. */
static void ggml_older(void **state) {
    (void)state;
    assert_sentences(ALLOC "in (96 bytes) - block 0, offset 0\n"
                           "reusing parent in for a\n"
                           "freeing extra 32 bytes from parent in for a\n"
                           "ggml_dyn_tallocr_free_tensor: freeing in at 64 (32 bytes) - n_free_blocks = 1\n"
                           "exec: RELU (a) <= in\n" ALLOC "b (32 bytes) - block 0, offset 64\n"
                           "exec: SQR (b) <= a\n"
                           "ggml_dyn_tallocr_free_tensor: freeing a at 0 (64 bytes) - n_free_blocks = 2\n",
                     NULL,
                     "places in (96 B) at chunk 0+0: block 0 of the free list\n"
                     "reusing a (64 B) at chunk 0+0: in the place of in, of which the last 32 bytes are free\n"
                     "exec a (64 B): RELU (a) <= in\n"
                     "places b (32 B) at chunk 0+64: block 0 of the free list\n"
                     "exec b (32 B): SQR (b) <= a\n"
                     "freeing a (64 B) at chunk 0+0\n");
}

/* What a logger puts before messages, also in the middle of a line, and what others print between them. */
static void ggml_prefixes(void **state) {
    (void)state;
    assert_sentences("load: 12 tensors\r\n"
                     "0.35 D " ALLOC "in (64 bytes) - \n0.36 D block 0, offset 0, chunk 0\n"
                     "0.37 D " ALLOC "a (64 bytes) - 0.37 D block 0, offset 64, chunk 0\r\n"
                     "0.38 D exec: ADD (a) <= 0.38 D in0.39 D \nparent of something else: none\n"
                     "0.40 D " FREE "in at {chunk=0, offset=0} (64 bytes) - n_free_blocks = 1\n",
                     NULL,
                     "places in (64 B) at chunk 0+0: block 0 of the free list\n"
                     "places a (64 B) at chunk 0+64: block 0 of the free list\n"
                     "exec a (64 B): ADD (a) <= 0.38 D in0.39 D \n"
                     "freeing in (64 B) at chunk 0+0\n");
}

#define RUN                                                                                                   \
    ALLOC "in (64 bytes) - block 0, offset 0, chunk 0\n" ALLOC "w (32 bytes) - block 0, offset 64, chunk 0\n" \
          "exec: SQR (w) <= in\n"

static void ggml_runs(void **state) {
    (void)state;
    static const char
        log[] = /* told by a line, by the same graph, by inputs over what is live, and by a line before it */
        RUN "ggml_gallocr_reserve_n_impl: reallocating CPU buffer from size 0.00 MiB to 1.00 MiB\n" RUN RUN ALLOC
            "p (256 bytes) - block 0, offset 0, chunk 0\n" ALLOC "q (256 bytes) - block 0, offset 256, chunk 0\n"
            "exec: MUL (q) <= p\n"
            "ggml_gallocr_needs_realloc: node x is not valid\n" ALLOC "alone (8 bytes) - block 0, offset 0, chunk 0\n"
            "exec: NONE (alone) <= \n";
    struct sw_problem *problem = must_read(log);
    assert_int_equal(sw_problem_buffer_count(problem), 1);
    assert_true(noted(problem, "the trace has 5 runs: this is run 5"));
    sw_problem_unref(problem);
    struct sw_load_options options = {.run = "1"};
    assert_sentences(log, &options,
                     "places in (64 B) at chunk 0+0: block 0 of the free list\n"
                     "places w (32 B) at chunk 0+64: block 0 of the free list\n"
                     "exec w (32 B): SQR (w) <= in\n"
                     "reallocating: CPU buffer from size 0.00 MiB to 1.00 MiB\n");
    options.run = "4";
    assert_sentences(log, &options,
                     "places p (256 B) at chunk 0+0: block 0 of the free list\n"
                     "places q (256 B) at chunk 0+256: block 0 of the free list\n"
                     "exec q (256 B): MUL (q) <= p\n");
}

/* An address that is taken is another back end's; a reuse through a view takes the place of the view's source. */
static void ggml_pools_and_views(void **state) {
    (void)state;
    char sentences[2048];
    struct sw_problem *problem = must_read(
        RUN ALLOC "gpu (512 bytes) - block 0, offset 0, chunk 0\n"
                  "exec: CPY (gpu) <= w\n" FREE "w at {chunk=0, offset=64} (32 bytes) - n_free_blocks = 2\n"
                  "exec: VIEW (v) <= gpu\n"
                  "reusing view parent v (gpu) for x for y\n"
                  "exec: SQR (x for y) <= v\n"
                  "reusing parent nobody for z\n" FREE "nobody at {chunk=0, offset=0} (8 bytes) - n_free_blocks = 1\n");
    struct sw_search *search = play(problem, sentences, sizeof sentences);
    assert_place(search, "in", "chunk 0", 0, 64, 0, 5);
    assert_place(search, "gpu", "chunk 0, pool 2", 0, 512, 2, 3);
    assert_place(search, "x for y", "chunk 0, pool 2", 0, 512, 5, 5);
    assert_true(noted(problem, "1 tensor lies at an address that is taken"));
    assert_true(noted(problem, "2 times the log frees or reuses a tensor that it did not allocate before"));
    assert_true(noted(problem, "the end of the run is missing"));
    sw_search_free(search);
    sw_problem_unref(problem);
}

static void ggml_cut(void **state) {
    (void)state;
    cut_everywhere(reused);
    struct sw_problem *problem = must_read(RUN ALLOC "late (64 by");
    assert_int_equal(sw_problem_buffer_count(problem), 2);
    assert_true(noted(problem, "the last line of the log, 4, is cut and is left out"));
    sw_problem_unref(problem);
}

static void ggml_errors(void **state) {
    (void)state;
    static const struct refusal refusals[] = {
        {RUN ALLOC "x (y bytes) - block 0, offset 0\n", 4, 39,
         "an allocation says: NAME (SIZE bytes) - block N, offset N, chunk N, with at most 2^61 bytes"},
        {RUN ALLOC "x (9 bytes) - block 0, chunk 0\nno\n", 4, 40,
         "an allocation says its place: block N, offset N, chunk N, with an offset up to 2^61"},
        {RUN ALLOC "x (9 bytes) - block 0, offset 2305843009213693952, chunk 0\n", 4, 94,
         "this block would end above 2^61 bytes"},
        {RUN ALLOC "x (9000000000000000000 bytes) - block 0, offset 0, chunk 0\n", 4, 58,
         "an allocation says: NAME (SIZE bytes) - block N, offset N, chunk N, with at most 2^61 bytes"},
        {RUN FREE "in at {chunk=0; offset=0}\n", 4, 47,
         "this says: freeing NAME at {chunk=N, offset=N} (SIZE bytes) - n_free_blocks = N"},
        {RUN "reusing parent in\n", 4, 16, "what reuses the parent is missing: reusing parent NAME for NAME"},
        {RUN "reusing parent w for v\nfreeing extra 33 bytes from parent w for v\n", 5, 36,
         "the parent has only 32 bytes"},
        {RUN "caf\xe9\n", 4, 4, "byte 0xe9 is not valid UTF-8"},
    };
    must_refuse_text(refusals, COUNT(refusals));
}

/* A text is no log of ggml's because it speaks of one. */
static void detection(void **state) {
    (void)state;
    static const char *const others[] = {ALLOC "x (8 bytes)\n",
                                         "exec: ls (x) <= y\n",
                                         "time,instruction_names\n0,a\n",
                                         "buffer_id,size,offset,start_time,end_time,more\n",
                                         "{\"nodes\":[{\"name\":\"a\"}],\"buffers\":[]}",
                                         "{\"forwardPass\":[],\"beamWidth\":1}"};
    for (size_t i = 0; i < COUNT(others); i++) {
        struct sw_input input = text_input(others[i], strlen(others[i]));
        assert_false(sw_format_is(&sw_format_ggml_log, &input));
        assert_false(sw_format_is(&sw_format_xla_msa, &input));
        assert_false(sw_format_is(&sw_format_tt_mlir, &input));
        assert_false(sw_format_is(&sw_format_inductor, &input));
    }
    static const char json[] = "{\"a\":\"" ALLOC "x (8 bytes) - block 0\"}";
    struct sw_input input = text_input(json, sizeof json - 1);
    assert_string_equal(sw_format_detect(&input, NULL)->name, "graph-json");
}

/* ---- tt-mlir ---- */

#define TT "{\"version\":3,\"functionName\":\"f\",\"beamWidth\":2,\"finalChoices\":[],\"forwardPass\":["
#define EVENT(action, name, before, after, usage, more)                                              \
    "{\"position\":1,\"action\":\"" action "\",\"opName\":\"" name "\",\"occupiedL1Before\":" before \
    ",\"occupiedL1After\":" after ",\"opL1Usage\":" usage more "}"

static const char spills[] = TT
    "{\"opIndex\":0,\"opName\":\"relu\",\"opLocation\":\"loc(1)\",\n"
    "\"evaluations\":[{\"hint\":\"L1\",\"inputs\":[\"A\",\"B\"],\"valid\":true,\"score\":{\"isL1\":true,\"coreCount\":"
    "8},\"output\":\"L1/h\"},\n"
    "{\"hint\":\"L2\",\"inputs\":[],\"valid\":false,\"failureReason\":\"no room\"}],\n"
    "\"beam\":[{\"rank\":0,\"outputLayout\":\"L1/"
    "h\",\"score\":{\"isL1\":true}},{\"rank\":1,\"outputLayout\":\"DRAM\"}]}],\n"
    "\"spillManagement\":{\"budget\":1024,\"totalSpills\":1,\"events\":[\n" EVENT("live_added", "%0 = relu\\n(more)", "0", "64", "64", ",\"details\":\"lastUse=1\"") ",\n" EVENT(
        "oom", "%1", "64", "64", "0",
        "") ",\n" EVENT("eviction", "%0 = relu\\n(more)", "64", "0", "64",
                        ",\"victimName\":\"%0 = relu\\n(more)\"") ",\n" EVENT("live_added", "%1", "0", "32", "32",
                                                                              "") ",\n" EVENT("live_added", "%1", "0",
                                                                                              "32", "32",
                                                                                              "") ",\n" EVENT("dead_"
                                                                                                              "removal",
                                                                                                              "%1",
                                                                                                              "32", "0",
                                                                                                              "0",
                                                                                                              "") ","
                                                                                                                  "\n" EVENT(
                                                                                                                      "dead_removal",
                                                                                                                      "%7",
                                                                                                                      "0",
                                                                                                                      "0",
                                                                                                                      "0",
                                                                                                                      "") "]}}";

static void tt_decisions(void **state) {
    (void)state;
    char sentences[4096];
    struct sw_problem *problem = must_read(spills);
    struct sw_search *search = play(problem, sentences, sizeof sentences);
    assert_string_equal(sentences, "layout: relu at loc(1): L1/h\n"
                                   "live_added %0 = relu (64 B): lastUse=1\n"
                                   "oom: %1\n"
                                   "eviction %0 = relu (64 B)\n"
                                   "live_added %1 (32 B)\n"
                                   "live_added %1#2 (32 B)\n"
                                   "dead_removal %1#2 (32 B)\n"
                                   "dead_removal: %7\n");
    assert_string_equal(sw_problem_name(problem), "f");
    assert_int_equal(sw_layout_placed_count(sw_search_layout(search)), 0);
    const struct sw_buffer *first = buffer_named(problem, "%0 = relu");
    assert_int_equal(sw_problem_time(problem, first->first), 0);
    assert_int_equal(sw_problem_time(problem, first->last + 1), 1);
    struct sw_claims claims;
    sw_search_claims(search, &claims);
    assert_true(claims.no_addresses);
    assert_true(noted(problem, "no addresses"));
    assert_true(noted(problem, "1 time what is in L1 is added again"));
    assert_true(noted(problem, "1 removal of what was not added"));
    struct sw_explanation why = {0};
    struct sw_error error = {0};
    assert_true(sw_search_explain(search, 1, &why, &error));
    assert_int_equal(why.candidates.count, 4);
    assert_string_equal(why.candidates.items[0].reason, "L1: L1/h; inputs A, B; isL1, coreCount 8");
    assert_string_equal(why.candidates.items[1].reason, "L2: no room");
    assert_int_equal(why.candidates.items[1].verdict, SW_VERDICT_REFUSED);
    assert_string_equal(why.candidates.items[2].reason, "L1/h: rank 0 of the beam: isL1");
    assert_int_equal(why.candidates.items[2].verdict, SW_VERDICT_CHOSEN);
    assert_true(sw_search_explain(search, 2, &why, &error));
    assert_string_equal(why.source, "line 6");
    sw_explanation_done(&why);
    sw_search_free(search);
    sw_problem_unref(problem);
    cut_everywhere(spills);
}

static void tt_errors(void **state) {
    (void)state;
    static const struct refusal refusals[] = {
        {"{\"version\":2,\"beamWidth\":1,\"forwardPass\":[],\"finalChoices\":[]}", 1, 12,
         "this is version 3 of tt-mlir's trace, and the file has another"},
        {TT "],\n\"spillManagement\":{\"events\":[{\"opName\":\"x\"}]}}", 2, 30, "\"action\" is missing"},
        {TT "],\n\"spillManagement\":{\"events\":[{\"action\":\"oom\",\"opL1Usage\":-1}]}}", 2, 58,
         "opL1Usage -1 is negative"},
        {TT "{\"evaluations\":7}]}", 1, 95, "\"evaluations\" must be a list, not a whole number"},
        {TT "],\"backwardPass\":7}", 1, 97, "backwardPass must be an object"},
    };
    must_refuse_text(refusals, COUNT(refusals));
}

/* ---- XLA's memory space assignment ---- */

#define VALUES "buffer_id,buffer_name,alt_mem_benefit,size,definition_time,use_times,use_names"
#define PLACES "buffer_id,size,offset,start_time,end_time\n"

static const char values[] =
    VALUES ",is_scoped\n"
           "7,\"fusion.3{}\",12.5,4096,2,\"3;7\",\"dot.4, operand 0;add.9, operand 1 {0,1}\",0\n"
           "3,\"say \"hi\"\",inf,2048,0,\"5\",\"dot.4, operand 1\",0\n"
           "9,\"huge\",1e+06,1048576,1,\"6\",\"x, operand 0\",0\n"
           "-4,\"scoped allocation for dot.4\",0,512,3,\"\",\"\",1\n";
static const char places[] = PLACES "7,4096,0,2,3\n7,4096,2048,6,7\n3,2048,4096,0,5\n-4,512,8192,3,3\n";
static const char schedule[] = "time,instruction_name\n0,p\n1,h\n2,fusion.3\n3,dot.4\n4,n\n5,n\n6,x\n7,add.9\n";

static void write_text(const char *path, const char *text) {
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static void xla_together(void **state) {
    (void)state;
    char folder[] = "/tmp/stowage-logs-XXXXXX", sentences[4096];
    static const char *const names[] = {"m.bufferinfo.csv", "m.allocinfo.csv", "m.scheduleinfo.csv"};
    char path[3][64];
    assert_non_null(mkdtemp(folder));
    for (int i = 0; i < 3; i++) {
        snprintf(path[i], sizeof path[i], "%s/%s", folder, names[i]);
    }
    write_text(path[0], values);
    write_text(path[1], places);
    write_text(path[2], schedule);
    for (int i = 0; i < 3; i++) {
        struct sw_error error = {0};
        struct sw_problem *problem = sw_load(path[i], NULL, NULL, &error);
        if (!problem) {
            fail_msg("%s:%u: %s", error.file, error.line, error.message);
        }
        struct sw_search *search = play(problem, sentences, sizeof sentences);
        assert_string_equal(
            sentences,
            "places fusion.3{} (4,096 B) at alternate+0: it leaves before its last use; defined at 2, used at 3;7: "
            "dot.4, "
            "operand 0;add.9, operand 1 {0,1}\n"
            "places fusion.3{}#2 (4,096 B) at alternate+2048: it comes from the default memory; defined at 2, used at "
            "3;7: dot.4, "
            "operand 0;add.9, operand 1 {0,1}\n"
            "places say \"hi\" (2,048 B) at alternate+4096: benefit inf; defined at 0, used at 5: dot.4, operand 1\n"
            "default memory: huge; defined at 1, used at 6: x, operand 0\n"
            "places scoped allocation for dot.4 (512 B) at alternate+8192: defined at 3, scoped\n");
        assert_place(search, "fusion.3{}#2", "alternate", 2048, 4096, 6, 7);
        assert_int_equal(sw_problem_operator_count(problem), 8);
        assert_false(noted(problem, "beside"));
        sw_search_free(search);
        sw_problem_unref(problem);
    }
    write_text(path[1], PLACES "7,4096,x,2,3\n"); /* an error in the file beside names that file */
    struct sw_error error = {0};
    assert_null(sw_load(path[0], NULL, NULL, &error));
    assert_string_equal(error.file, path[1]);
    assert_int_equal(error.line, 2);
    assert_int_equal(error.column, 8);
    write_text(path[1], "another file\n");
    assert_null(sw_load(path[0], NULL, NULL, &error));
    assert_string_equal(error.message, "the first line of this file is not buffer_id,size,offset,start_time,end_time");
    for (int i = 0; i < 3; i++) {
        unlink(path[i]);
    }
    rmdir(folder);
}

static void xla_alone(void **state) {
    (void)state;
    char sentences[4096];
    struct sw_problem *problem = must_read(places);
    struct sw_search *search = play(problem, sentences, sizeof sentences);
    assert_place(search, "buffer 7", "alternate", 0, 4096, 2, 3);
    assert_place(search, "buffer -4", "alternate", 8192, 512, 3, 3);
    assert_true(noted(problem, "there is no bufferinfo beside this file"));
    sw_search_free(search);
    sw_problem_unref(problem);
    problem = must_read(values);
    assert_int_equal(sw_problem_buffer_count(problem), 4);
    assert_int_equal(buffer_named(problem, "huge")->size, 1048576);
    assert_true(noted(problem, "what was decided about these values is not known"));
    sw_problem_unref(problem);
    cut_everywhere(values);
    cut_everywhere(places);
}

static void xla_errors(void **state) {
    (void)state;
    static const struct refusal refusals[] = {
        {VALUES "\n7,\"a\",1,2,3,\"4\",\"b\",2\n", 2, 21, "is_scoped must be from 0 to 1"},
        {VALUES "\n7,\"a\",1,2,3,\"4;\n", 2, 16, "the times of the uses end with a quote"},
        {VALUES "\n7,a,1,2,3,\"4\",\"b\"\n", 2, 3, "a text in quotes is missing here"},
        {VALUES "\n7,\"a\",1,-2,3,\"4\",\"b\"\n", 2, 9, "size must be from 0 to 2305843009213693952"},
        {PLACES "7,1,2,4,3\n", 2, 9, "it ends before it begins"},
        {PLACES "7,1,2305843009213693952,4,5\n", 2, 27, "it would end above 2^61 bytes"},
        {PLACES "7,1,2,4,5,6\n", 2, 10, "nothing may follow in this row"},
        {"time,instruction_name\n0,\n", 2, 3, "the name of the instruction is missing"},
    };
    must_refuse_text(refusals, COUNT(refusals));
    static const struct refusal alone = {
        "time,instruction_name\n0,a\n", 0, 0,
        "this is XLA's schedule alone; bufferinfo and allocinfo, which say what was decided, must "
        "lie beside it and have names like its own"};
    must_refuse_text(&alone, 1);
}

/* ---- Inductor ---- */

#define BUFFER(name, alloc, freed, more) \
    "{\"name\":\"" name "\",\"size_alloc\":" alloc ",\"size_free\":" freed ",\"is_output\":false," more "}"

static const char graph[] =
    "{\"nodes\":[{\"name\":\"op0\",\"buffer_names\":[\"b0\"]},{\"name\":\"op1\",\"buffer_names\":[\"whole\"]},\n"
    "{\"name\":\"op2\",\"buffer_names\":[\"p0\"]},{\"name\":\"op2\",\"buffer_names\":[\"p1\",\"last\"]}],\n"
    "\"buffers\":[" BUFFER("in", "64", "64", "\"is_input\":true,\"deps\":[]") ",\n" BUFFER("b0", "32", "32", "\"deps\":[\"in\"]") ",\n" BUFFER(
        "whole", "48", "0",
        "\"deps\":[\"b0\",\"weights\"]") ",\n" BUFFER("p0", "0", "16", "\"deps\":[\"whole\"]") ",\n" BUFFER("p1", "0",
                                                                                                            "32",
                                                                                                            "\"deps\":["
                                                                                                            "\"whole\""
                                                                                                            "]") ",\n"
                                                                                                                 "{\"na"
                                                                                                                 "me\":"
                                                                                                                 "\"las"
                                                                                                                 "t\","
                                                                                                                 "\"siz"
                                                                                                                 "e_"
                                                                                                                 "alloc"
                                                                                                                 "\":8,"
                                                                                                                 "\"siz"
                                                                                                                 "e_"
                                                                                                                 "free"
                                                                                                                 "\":8,"
                                                                                                                 "\"is_"
                                                                                                                 "outpu"
                                                                                                                 "t\":"
                                                                                                                 "true,"
                                                                                                                 "\"dep"
                                                                                                                 "s\":["
                                                                                                                 "\"p0"
                                                                                                                 "\","
                                                                                                                 "\"in"
                                                                                                                 "\"]}]"
                                                                                                                 "}";

static void inductor_graph(void **state) {
    (void)state;
    struct sw_problem *problem = must_read(graph);
    assert_written(problem, "x.json",
                   "{\"format\":\"stowage-graph\",\"version\":1,\"name\":\"file\",\n"
                   " \"tiers\":[\n"
                   "  {\"name\":\"memory\"}],\n"
                   " \"operators\":[\n"
                   "  {\"name\":\"op0\",\"inputs\":[\"in\"],\"outputs\":[\"b0\"]},\n"
                   "  {\"name\":\"op1\",\"inputs\":[\"b0\"],\"outputs\":[\"p0\",\"p1\"]},\n"
                   "  {\"name\":\"op2\",\"inputs\":[\"p0\"]},\n"
                   "  {\"name\":\"op2#2\",\"inputs\":[\"p1\",\"p0\",\"in\"],\"outputs\":[\"last\"]}],\n"
                   " \"buffers\":[\n"
                   "  {\"name\":\"in\",\"kind\":\"input\",\"size\":64},\n"
                   "  {\"name\":\"b0\",\"size\":32},\n"
                   "  {\"name\":\"p0\",\"size\":16},\n"
                   "  {\"name\":\"p1\",\"size\":32},\n"
                   "  {\"name\":\"last\",\"kind\":\"output\",\"size\":8}]}\n");
    /* As Inductor counts: 64 + 32, then 48 more while op1 runs. */
    assert_int_equal(sw_problem_lower_bound(problem), 144);
    assert_true(noted(problem, "it is a problem"));
    assert_true(noted(problem, "1 time a buffer depends on one that is not listed"));
    assert_round_trip(problem, "x.json");
    sw_problem_unref(problem);
    cut_everywhere(graph);
}

static void inductor_errors(void **state) {
    (void)state;
    static const struct refusal refusals[] = {
        {"{\"nodes\":[{\"buffer_names\":[\"x\"]}],\n\"buffers\":[{\"size_alloc\":1}]}", 2, 12, "\"name\" is missing"},
        {"{\"nodes\":[{\"name\":\"a\",\"buffer_names\":[\"y\"]}],\n\"buffers\":[" BUFFER("x", "1", "1",
                                                                                         "\"deps\":[]") "]}",
         1, 39, "there is no buffer with this name"},
        {"{\"nodes\":[{\"name\":\"a\",\"buffer_names\":[\"x\",\"x\"]}],\n\"buffers\":[" BUFFER("x", "1", "1",
                                                                                               "\"deps\":[]") "]}",
         1, 43, "another node writes this buffer already"},
        {"{\"nodes\":[{\"buffer_names\":[]}],\n\"buffers\":[" BUFFER("x", "1", "1", "\"deps\":[]") ",\n" BUFFER(
             "x", "1", "1", "\"deps\":[]") "]}",
         3, 9, "there are two buffers with this name"},
        {"{\"nodes\":[{\"buffer_names\":[]}],\n\"buffers\":[{\"name\":\"x\",\"size_alloc\":-1,\"size_free\":1}]}", 2,
         37, "size_alloc -1 is negative"},
    };
    must_refuse_text(refusals, COUNT(refusals));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ggml_decisions),  cmocka_unit_test(ggml_trace),  cmocka_unit_test(ggml_older),
        cmocka_unit_test(ggml_prefixes),   cmocka_unit_test(ggml_runs),   cmocka_unit_test(ggml_pools_and_views),
        cmocka_unit_test(ggml_cut),        cmocka_unit_test(ggml_errors), cmocka_unit_test(detection),
        cmocka_unit_test(tt_decisions),    cmocka_unit_test(tt_errors),   cmocka_unit_test(xla_together),
        cmocka_unit_test(xla_alone),       cmocka_unit_test(xla_errors),  cmocka_unit_test(inductor_graph),
        cmocka_unit_test(inductor_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
