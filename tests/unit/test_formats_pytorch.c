/* PyTorch's snapshots of CUDA memory. */
#include "unit/pickled.h"

#include "formats/pytorch/pytorch.h"
#include "problem/moment/moment.h"

#define EVENT(action, addr, size) "{'action': '" action "', 'addr': " #addr ", 'size': " #size ", 'stream': 0}"
#define FREE(addr, size) EVENT("free_requested", addr, size) "," EVENT("free_completed", addr, size)
#define SEGMENT(addr, size, blocks) \
    "{'device': 0, 'address': " #addr ", 'total_size': " #size ", 'stream': 0, 'blocks': [" blocks "]}"
#define BLOCK(addr, size, state) "{'address': " #addr ", 'size': " #size ", 'state': '" state "'}"
#define SNAPSHOT(segments, events) \
    "{'segments': [" segments "], 'device_traces': [[" events "]], 'allocator_settings': {}}"

static struct sw_problem *load(const char *text, const struct sw_load_options *options, struct sw_error *error) {
    struct sw_problem *problem[2];
    for (unsigned i = 0; i < 2; i++) { /* the protocol makes no difference */
        struct pickled *pickled = pickled_new(i ? 5 : 2, text);
        struct sw_input input = text_input(pickled->bytes, pickled->count);
        *error = (struct sw_error){0};
        problem[i] = sw_load_input(&input, options, error);
        free(pickled);
    }
    assert_int_equal(problem[0] != NULL, problem[1] != NULL);
    if (problem[0]) {
        assert_int_equal(sw_problem_digest(problem[0]), sw_problem_digest(problem[1]));
    }
    sw_problem_unref(problem[0]);
    return problem[1];
}

static struct sw_problem *load_with(const char *text, const struct sw_load_options *options) {
    struct sw_error error;
    struct sw_problem *problem = load(text, options, &error);
    if (!problem) {
        fail_msg("%s\n%s", error.message, text);
    }
    assert_round_trip(problem, "x.json");
    return problem;
}

static struct sw_problem *must_load(const char *text) {
    return load_with(text, NULL);
}

static void must_refuse_it(const char *text, const char *message) {
    struct sw_error error;
    assert_null(load(text, NULL, &error));
    error.message[strcspn(error.message, "0123456789")] = '\0'; /* which differs by protocol */
    assert_string_equal(error.message, message);
    assert_int_equal(error.code, SW_ERROR_INPUT);
    assert_string_equal(error.file, "file");
}

static bool notes(const struct sw_problem *problem, const char *part) {
    size_t count;
    const char *const *list = sw_problem_notes(problem, &count);
    for (size_t i = 0; i < count; i++) {
        if (strstr(list[i], part)) {
            return true;
        }
    }
    return false;
}
#define assert_notes(problem, part)    \
    if (!notes(problem, part)) {       \
        fail_msg("no note: %s", part); \
    }

static void assert_life(const struct sw_problem *problem, const char *name, int64_t lower, int64_t upper, uint64_t size,
                        uint64_t offset) {
    const struct sw_buffer *buffer = buffer_named(problem, name);
    assert_int_equal(sw_problem_time(problem, buffer->first), lower);
    assert_int_equal(sw_problem_time(problem, buffer->last + 1), upper);
    assert_int_equal(buffer->size, size);
    assert_true(buffer->has_offset && !buffer->pinned);
    assert_int_equal(buffer->offset, offset);
}

static void lives(void **state) {
    (void)state;
    struct sw_problem *problem = must_load(SNAPSHOT(
        SEGMENT(0x700000000000, 2097152, "") "," SEGMENT(0x7fff00000000, 4096, ""),
        EVENT("alloc", 0x700000000000, 512) "," EVENT("alloc", 0x7fff00000200, 100) "," EVENT(
            "free_requested", 0x700000000000,
            512) "," EVENT("alloc", 0x700000000200, 1000) "," EVENT("free_completed", 0x700000000000,
                                                                    512) "," EVENT("alloc", 0x700000000000, 256)));
    assert_int_equal(sw_problem_planned_count(problem), 4);
    assert_life(problem, "0x700000000000@0", 0, 4, 512, 0);             /* the completion ends it */
    assert_life(problem, "0x7fff00000200@1", 1, 6, 512, 2097152 + 512); /* as large as PyTorch's block */
    assert_life(problem, "0x700000000200@3", 3, 6, 1024, 512);
    assert_life(problem, "0x700000000000@5", 5, 6, 512, 0);
    assert_int_equal(buffer_named(problem, "0x700000000000@5")->asked, 256);
    assert_int_equal(sw_problem_naive(problem), 2560);
    assert_int_equal(sw_problem_lower_bound(problem), 2048);
    assert_int_equal(sw_problem_tier_count(problem), 1);
    assert_true(sw_problem_offsets_are_plan(problem) && sw_problem_has_plan(problem));
    assert_notes(problem, "allocations: 4, 1,868 bytes, at most 1,612 alive at once; segments at the "
                          "end: 2, 2,101,248 bytes reserved; streams: 1; devices: 1");
    assert_notes(problem, "exclusive");
    assert_notes(problem, "(2, 2,101,248 bytes) one behind the other");
    sw_problem_unref(problem);
}

/* Allocations that were not recorded. */
static void older_blocks(void **state) {
    (void)state;
    struct sw_problem *problem = must_load(
        SNAPSHOT(SEGMENT(4096, 8192,
                         BLOCK(4096, 1024, "active_allocated") "," BLOCK(5120, 512, "active_allocated") "," BLOCK(
                             5632, 512, "inactive") "," BLOCK(6144, 256, "active_pending_free")),
                 FREE(8192, 700) "," EVENT("alloc", 5120, 500) "," EVENT("alloc", 6144, 250) "," EVENT("free_requested",
                                                                                                       6144, 250)));
    assert_int_equal(sw_problem_planned_count(problem), 4);
    assert_int_equal(sw_problem_buffer_count(problem), 4);
    assert_life(problem, "0x1400@2", 2, 5, 512, 1024);
    assert_life(problem, "0x1800@3", 3, 5, 512, 2048);
    assert_life(problem, "0x1000@before", -1, 5, 1024, 0);
    assert_life(problem, "0x2000@before", -1, 1, 1024, 4096);
    assert_true(buffer_named(problem, "0x2000@before")->before);
    assert_int_equal(buffer_named(problem, "0x2000@before")->asked, 700);
    assert_int_equal(sw_problem_lower_bound(problem), 2048);
    assert_notes(problem, "blocks that are freed in the run, 1, 700 bytes");
    assert_notes(problem, "(weights, mostly), 1, 1,024 bytes");
    assert_notes(problem, "at most 1,774 alive at once with what was there before");
    assert_notes(problem, "never completed, alive to the end: 1");
    sw_problem_unref(problem);
}

/* Segments come, go and grow in the run. */
static void segments_that_change(void **state) {
    (void)state;
    struct sw_problem *problem = must_load(SNAPSHOT(
        SEGMENT(1048576, 4096, ""),
        EVENT("segment_alloc", 65536, 4096) "," EVENT("alloc", 65536, 4096) "," FREE(65536, 4096) "," EVENT(
            "segment_free", 65536,
            4096) "," EVENT("segment_map", 2097152,
                            2048) "," EVENT("segment_map", 2099200,
                                            2048) "," EVENT("alloc", 2098176,
                                                            2048) "," EVENT("segment_unmap", 2099200,
                                                                            2048) "," EVENT("alloc", 1048576,
                                                                                            64) ","
                                                                                                "{'"
                                                                                                "ac"
                                                                                                "ti"
                                                                                                "on"
                                                                                                "':"
                                                                                                " '"
                                                                                                "sn"
                                                                                                "ap"
                                                                                                "sh"
                                                                                                "ot"
                                                                                                "'}"
                                                                                                ", "
                                                                                                "{'"
                                                                                                "ac"
                                                                                                "ti"
                                                                                                "on"
                                                                                                "':"
                                                                                                " '"
                                                                                                "oo"
                                                                                                "m'"
                                                                                                ", "
                                                                                                "'d"
                                                                                                "ev"
                                                                                                "ic"
                                                                                                "e_"
                                                                                                "fr"
                                                                                                "ee"
                                                                                                "':"
                                                                                                " 5"
                                                                                                ", "
                                                                                                "'s"
                                                                                                "iz"
                                                                                                "e'"
                                                                                                ": "
                                                                                                "7}"
                                                                                                "," EVENT("alloc",
                                                                                                          9000000,
                                                                                                          100)));
    assert_life(problem, "0x10000@1", 1, 3, 4096, 0);
    assert_life(problem, "0x100000@9", 9, 13, 512, 4096);
    assert_life(problem, "0x200400@7", 7, 13, 2048, 8192 + 1024);
    assert_life(problem, "0x895440@12", 12, 13, 512, 12288);
    assert_notes(problem, "(4, 12,800 bytes) one behind the other");
    assert_notes(problem, "outside of the segments that the file knows, which stand for their own: 1");
    assert_int_equal(sw_problem_told_requests(problem)->marks.count, 1);
    assert_string_equal(sw_problem_told_requests(problem)->marks.items[0].text, "snapshot");
    sw_problem_unref(problem);
}

static void without_a_release(void **state) {
    (void)state;
    struct sw_problem *problem = must_load(
        SNAPSHOT(SEGMENT(4096, 4096, ""),
                 EVENT("alloc", 4096, 512) "," EVENT("alloc", 4096, 256) "," FREE(4096, 256) "," FREE(4096, 256)));
    assert_life(problem, "0x1000@0", 0, 1, 512, 0);
    assert_life(problem, "0x1000@1", 1, 3, 512, 0);
    assert_notes(problem, "for lack of a release: 1");
    assert_notes(problem, "passed over: 1");
    sw_problem_unref(problem);
}

/* Two at the same place at the same time: then the addresses are no plan. */
static void overlaps(void **state) {
    (void)state;
    static const char *const second[] = {EVENT("alloc", 4352, 512), EVENT("alloc", 3840, 512),
                                         EVENT("alloc", 4000, 4000), EVENT("alloc", 4100, 1)};
    static const char *const beside[] = {EVENT("alloc", 4608, 512), EVENT("alloc", 3584, 512), EVENT("alloc", 4100, 0)};
    char text[2048];
    for (size_t i = 0; i < COUNT(second) + COUNT(beside); i++) {
        bool wrong = i < COUNT(second);
        snprintf(text, sizeof text, SNAPSHOT(SEGMENT(0, 8192, ""), EVENT("alloc", 4096, 512) ",%s"),
                 wrong ? second[i] : beside[i - COUNT(second)]);
        struct sw_problem *problem = must_load(text);
        assert_int_equal(notes(problem, "another one still holds: 1; the addresses cannot be a plan"), wrong);
        assert_int_equal(sw_problem_has_plan(problem), !wrong);
        sw_problem_unref(problem);
    }
}

static void devices(void **state) {
    (void)state;
#define AT(action, addr, time) \
    "{'action': '" action "', 'addr': " #addr ", 'size': 64, 'stream': 7, 'time_us': " #time "}"
    const char *segments = "{'segments': [{'device': 0, 'address': 4096, 'total_size': 4096, "
                           "'stream': 0, 'blocks': []}, {'device': 2, 'address': 4096, "
                           "'total_size': 2048, 'stream': 9, 'blocks': [{'size': 64, 'state': "
                           "'active_allocated'}]}], 'device_traces': [[";
    char text[2048];
    snprintf(text, sizeof text, "%s%s]]}", segments,
             AT("alloc", 4096, 10) "," AT("free_completed", 4096, 30) "], [], [" AT("alloc", 4160,
                                                                                    20) "," AT("alloc", 5000, 40));
    struct sw_load_options options = {.device = "2"};
    struct sw_problem *problem = must_load(text);
    assert_int_equal(sw_problem_tier_count(problem), 1);
    assert_life(problem, "0x1000@0", 0, 1, 512, 0);
    assert_notes(problem, "devices: 2");
    assert_notes(problem, "what is opened is device 0, the one with the most events; --device opens another one");
    sw_problem_unref(problem);
    problem = load_with(text, &options);
    assert_life(problem, "0x1040@0", 0, 2, 64, 64);
    assert_life(problem, "0x1000@before", -1, 2, 64, 0); /* rounded up to 512 they would overlap */
    assert_notes(problem, "what is opened is device 2; --device");
    sw_problem_unref(problem);
}

#define FRAME(name, file, line) "{'name': '" name "', 'filename': '" file "', 'line': " #line "}"
#define STACK(addr, frames) "{'action': 'alloc', 'addr': " #addr ", 'size': 64, 'stream': 0, 'frames': [" frames "]}"

static void stacks(void **state) {
    (void)state;
    struct sw_problem *problem = must_load(SNAPSHOT(
        SEGMENT(0, 4096, ""),
        STACK(
            0,
            FRAME("torch::unwind::unwind()", "??", 0) "," FRAME("CUDACachingAllocator::malloc", "", 0) "," FRAME(
                "at::empty", "Empty.cpp",
                7) "," FRAME("linear", "/usr/lib/python3/site-packages/torch/nn.py",
                             12) "," FRAME("forward", "/home/me/model.py",
                                           34) "," FRAME("main", "train.py",
                                                         5)) "," STACK(64,
                                                                       FRAME(
                                                                           "torch::unwind::unwind("
                                                                           ")",
                                                                           "??",
                                                                           0)) "," STACK(128,
                                                                                         "") "," STACK(192,
                                                                                                       FRAME(
                                                                                                           "main"
                                                                                                           "\n"
                                                                                                           "\x80",
                                                                                                           "tr"
                                                                                                           "\xc3"
                                                                                                           "\xa4"
                                                                                                           "in."
                                                                                                           "py",
                                                                                                           -1)) ","
                                                                                                                "{'"
                                                                                                                "action"
                                                                                                                "': "
                                                                                                                "'alloc"
                                                                                                                "', "
                                                                                                                "'addr'"
                                                                                                                ": "
                                                                                                                "256, "
                                                                                                                "'size'"
                                                                                                                ": 64, "
                                                                                                                "'frame"
                                                                                                                "s': "
                                                                                                                "None}"
                                                                                                                "," STACK(
                                                                                                                    320,
                                                                                                                    FRAME(
                                                                                                                        "",
                                                                                                                        "",
                                                                                                                        0))));
    assert_string_equal(buffer_named(problem, "0x0@0")->origin,
                        "forward (/home/me/model.py:34)\nmain (train.py:5)\n"
                        "linear (/usr/lib/python3/site-packages/torch/nn.py:12)\n"
                        "at::empty (Empty.cpp:7)");
    assert_string_equal(buffer_named(problem, "0x40@1")->origin, "torch::unwind::unwind()");
    assert_null(buffer_named(problem, "0x80@2")->origin);
    assert_string_equal(buffer_named(problem, "0xc0@3")->origin, "main?? (tr\xc3\xa4in.py)");
    assert_null(buffer_named(problem, "0x100@4")->origin);
    assert_string_equal(buffer_named(problem, "0x140@5")->origin, "?");
    sw_problem_unref(problem);
}

static void long_stacks(void **state) {
    (void)state;
    char name[400], text[8192], *at = text;
    memset(name, 'n', sizeof name);
    name[sizeof name - 1] = '\0';
    memcpy(name + 119, "\xc3\xa9", 2); /* where it is cut */
    at += sprintf(at, "{'segments': [], 'device_traces': [[{'action': 'alloc', 'addr': 0, 'size': 64, "
                      "'frames': [");
    for (int i = 0; i < 12; i++) {
        at += sprintf(at, "%s{'name': '%s', 'filename': 'dir/%s.py', 'line': %d}", i ? "," : "", name,
                      i == 11 ? name : "f", i + 1);
    }
    sprintf(at, "]}]]}");
    struct sw_problem *problem = must_load(text);
    const char *origin = buffer_named(problem, "0x0@0")->origin;
    size_t lines = 1, longest = 0;
    for (const char *c = origin; *c; c += strcspn(c, "\n"), lines += *c == '\n', c += *c == '\n') {
        longest = strcspn(c, "\n") > longest ? strcspn(c, "\n") : longest;
    }
    assert_int_equal(lines, 8);
    assert_true(longest < 240);
    assert_memory_equal(origin + 118, "n... (dir/f.py:1)\n", 18);
    sw_problem_unref(problem);
}

static void what_is_wrong(void **state) {
    (void)state;
    must_refuse_it("[]", "the pickle is no snapshot of memory: there is no key \"segments\" at offset ");
    must_refuse_it("{'a': 1}", "the pickle is no snapshot of memory: there is no key \"segments\" at offset ");
    must_refuse_it(SNAPSHOT("", ""), "the snapshot has no history of allocations; "
                                     "torch.cuda.memory._record_memory_history() before the run "
                                     "makes one");
    must_refuse_it("{'segments': 1}", "\"segments\" must be a list at offset ");
    must_refuse_it("{'segments': [1]}", "a segment must be a dictionary at offset ");
    must_refuse_it("{'segments': [{}]}", "a segment without \"address\" at offset ");
    must_refuse_it("{'segments': [{'address': -1}]}", "\"address\" of a segment must be a whole number from ");
    must_refuse_it(SNAPSHOT("", "{'addr': 1}"), "an event without \"action\" at offset ");
    must_refuse_it(SNAPSHOT("", "{'action': 'alloc', 'addr': 1}"), "an event without \"size\" at offset ");
    must_refuse_it(SNAPSHOT("", EVENT("alloc", 'x', 1)), "\"addr\" of an event must be a whole number from ");
    must_refuse_it(SNAPSHOT("", EVENT("alloc", 2305843009213693952, 1)), "an event beyond the address ");
    must_refuse_it(SNAPSHOT(SEGMENT(2305843009213693952, 1, ""), ""), "a segment that ends above ");
    must_refuse_it(SNAPSHOT("", EVENT("alloc", 1, 1500000000000000000) "," EVENT("alloc", 2, 1500000000000000000)),
                   "the allocations add up past ");
    must_refuse_it(SNAPSHOT("{'device': 64, 'address': 0, 'total_size': 1}", ""), "device ");
}

/* A short file that says the same many times stays short. */
static void again_and_again(void **state) {
    (void)state;
    const char *const twice[][3] = {
        {"{'segments': [], 'device_traces': [", "[{'action': 'snapshot'}]", "]}"},
        {"{'segments': [], 'device_traces': [[", "{'action': 'snapshot'}", "]]}"},
        {"{'segments': [", "{'address': 1, 'total_size': 1}", "]}"},
        {"{'segments': [{'address': 1, 'total_size': 1, 'blocks': [", "{'size': 1}", "]}]}"}};
    const char *const what[] = {"a trace", "an event", "a segment", "a block"};
    for (size_t i = 0; i < COUNT(twice); i++) {
        struct pickled *pickled = calloc(1, sizeof *pickled);
        struct sw_error error = {0};
        char message[64];
        assert_non_null(pickled);
        pickled->protocol = 4;
        pickled_add(pickled, "\x80\x04", 2);
        pickled_values(pickled, twice[i][0]);
        pickled_values(pickled, twice[i][1]);
        pickled_add(pickled, "\x94h\0h\0", 5);
        pickled_values(pickled, twice[i][2]);
        pickled_add(pickled, ".", 1);
        struct sw_input input = text_input(pickled->bytes, pickled->count);
        assert_null(sw_load_input(&input, NULL, &error));
        snprintf(message, sizeof message, "%s is there twice at offset ", what[i]);
        assert_memory_equal(error.message, message, strlen(message));
        free(pickled);
    }
}

/* One stack of many frames that very many allocations share is read once; one frame of very many
 * keys that all stacks share is not read to the end each time. */
static void shared_stacks(void **state) {
    (void)state;
    enum { MANY = 700 };
    struct pickled *pickled = calloc(1, sizeof *pickled);
    struct sw_error error = {0};
    char text[128];
    assert_non_null(pickled);
    pickled->protocol = 4;
    pickled_add(pickled, "\x80\x04", 2);
    pickled_values(pickled, "{'segments': [], 'device_traces': [[");
    for (int i = 0; i < MANY; i++) {
        snprintf(text, sizeof text, "{'action': 'alloc', 'addr': %d, 'size': 8, 'frames': ", 8 * i);
        pickled_values(pickled, text);
        if (i == 0) {
            pickled_values(pickled, "[");
            for (int k = 0; k < 300; k++) {
                pickled_values(pickled, "{'name': 'f', 'filename': 'f.py', 'line': 1}");
            }
            pickled_values(pickled, "]");
            pickled_add(pickled, "\x94", 1);
        } else {
            pickled_add(pickled, "h\0", 2);
        }
        pickled_values(pickled, "}");
    }
    pickled_values(pickled, "]]}");
    pickled_add(pickled, ".", 1);
    struct sw_input input = text_input(pickled->bytes, pickled->count);
    struct sw_problem *problem = sw_load_input(&input, NULL, &error);
    if (!problem) {
        fail_msg("%s", error.message);
    }
    assert_ptr_equal(sw_problem_buffer(problem, 0)->origin,
                     sw_problem_buffer(problem, MANY - 1)->origin); /* kept once */
    sw_problem_unref(problem);
    free(pickled);
}

static void a_frame_of_many_keys(void **state) {
    (void)state;
    struct pickled *pickled = calloc(1, sizeof *pickled);
    struct sw_error error = {0};
    assert_non_null(pickled);
    pickled->protocol = 4;
    pickled_add(pickled, "\x80\x04", 2);
    pickled_values(pickled, "{'segments': [], 'device_traces': [[{'action': 'alloc', 'addr': 0, "
                            "'size': 8, 'frames': [{");
    for (int k = 0; k < 4000; k++) {
        pickled_values(pickled, "1: 1");
    }
    pickled_values(pickled, "}");
    pickled_add(pickled, "\x94", 1);
    for (int k = 0; k < 250; k++) {
        pickled_add(pickled, "h\0", 2);
    }
    pickled_values(pickled, "]}]]}");
    pickled_add(pickled, ".", 1);
    struct sw_input input = text_input(pickled->bytes, pickled->count);
    assert_null(sw_load_input(&input, NULL, &error));
    assert_memory_equal(error.message, "the snapshot says the same over and over", 40);
    free(pickled);
}

/* ---- the file of the optional data folder ---- */

static bool open_sample(struct sw_input *input) {
    struct sw_error error;
    if (!sw_input_open(SW_TEST_DATA "/pytorch/train_step.pickle", input, &error)) {
        printf("skipped: pytorch/train_step.pickle is not there\n");
        return false;
    }
    return true;
}

static void a_training_step(void **state) {
    (void)state;
    struct sw_input input;
    struct sw_error error = {0};
    if (!open_sample(&input)) {
        return;
    }
    struct sw_problem *problem = sw_load_input(&input, NULL, &error);
    if (!problem) {
        fail_msg("%s", error.message);
    }
    assert_int_equal(sw_problem_planned_count(problem), 2162 + 447);
    assert_int_equal(sw_problem_lower_bound(problem), 3849232896);
    assert_notes(problem, "segments at the end: 96, 4,238,344,192 bytes reserved");
    assert_notes(problem, "4,238,344,192 bytes) one behind the other");
    assert_true(sw_problem_offsets_are_plan(problem) && sw_problem_has_plan(problem));
    assert_round_trip(problem, "x.json");
    sw_problem_unref(problem);
    size_t stride = getenv("STOWAGE_LONG") ? 997 : input.length / 61; /* each reads all before it */
    for (size_t length = 0; length < input.length; length += length < 512 ? 1 : stride) {
        struct sw_input cut = {.name = "cut", .bytes = input.bytes, .length = length};
        assert_null(sw_load_input(&cut, NULL, &error));
        assert_true(error.code == SW_ERROR_INPUT && *error.message);
    }
    sw_input_close(&input);
}

/* Without history a snapshot is one moment. */
#define HELD                                                                                                         \
    SEGMENT(4096, 8192,                                                                                              \
            BLOCK(4096, 1024, "active_allocated") "," BLOCK(5120, 512, "inactive") "," BLOCK(5632, 512,              \
                                                                                             "active_pending_free")) \
    "," SEGMENT(65536, 4096, "")
static const char held_json[] =
    "[{\"address\": 4096, \"total_size\": 2048, \"stream\": 0, \"segment_type\": \"small\", \"blocks\": [{\"address\": "
    "4096, \"size\": 2048, \"state\": \"active_allocated\", \"frames\": [{\"name\": \"f\\u00e9\", \"filename\": "
    "\"a\\\\b.py\", \"line\": 3}]}]}]";

static const char held_printed[] =
    "[ {'address': 4096, 'total_size': 2048, 'stream': 0, 'segment_type': 'small', 'segment_pool_id': (0, 1,),\n"
    "  'is_expandable': False, 'blocks': [{'size': 2048, 'state': 'active_allocated', 'requested_size': 7,\n"
    "  'frames': [{'name': 'it\\'s \\xe9 \"x\"', 'filename': \"a'b.py\", 'line': None}]}]}]\n";

static void a_moment(void **state) {
    (void)state;
    static const char *const without[] = {SNAPSHOT(HELD, ""), "[" HELD "]", "{'segments': [" HELD "]}",
                                          SNAPSHOT(HELD, "{'action': 'snapshot'}")};
    for (size_t i = 0; i < sizeof without / sizeof *without; i++) {
        struct sw_problem *problem = must_load(without[i]);
        const struct sw_moment *moment = sw_problem_moment(problem);
        struct sw_moment_sums sums;
        assert_non_null(moment);
        sw_moment_sum(moment, &sums);
        assert_int_equal(sums.figure[SW_MOMENT_RESERVED], 12288);
        assert_int_equal(sums.figure[SW_MOMENT_IN_USE], 1024);
        assert_int_equal(sums.figure[SW_MOMENT_FREE], 512);
        assert_int_equal(sums.figure[SW_MOMENT_WAITING], 512);
        assert_int_equal(sums.bytes[SW_HELD_UNTOLD], 12288 - 2048);
        assert_int_equal(moment->failure.size, SW_UNTOLD);
        assert_int_equal(sw_problem_buffer_count(problem), 2);
        sw_problem_unref(problem);
    }
    struct sw_problem *problem =
        must_load(SNAPSHOT(HELD, "{'action': 'oom', 'size': 3145728, 'device_free': 77, 'stream': 0}"));
    const struct sw_moment_failure *failure = &sw_problem_moment(problem)->failure;
    assert_int_equal(failure->size, 3145728);
    assert_int_equal(failure->segment, 20 << 20);
    assert_string_equal(failure->stream, "0");
    assert_null(failure->pool); /* the file does not say of which pools its segments are */
    sw_problem_unref(problem);
    problem = must_load(SNAPSHOT(HELD, EVENT("alloc", 4096, 1000)));
    assert_null(sw_problem_moment(problem));
    sw_problem_unref(problem);
    problem = must_read(held_json);
    assert_string_equal(sw_problem_moment(problem)->blocks.items[0].origin, "f\u00e9 (a\\b.py:3)");
    sw_problem_unref(problem);
    cut_everywhere(held_json);
    problem = must_read(held_printed);
    const struct sw_moment_block *block = &sw_problem_moment(problem)->blocks.items[0];
    assert_string_equal(block->origin, "it's \u00e9 \"x\" (a'b.py)");
    assert_int_equal(block->requested, 7);
    sw_problem_unref(problem);
    cut_everywhere(held_printed);
}

static const char message[] =
    "CUDA out of memory. Tried to allocate 14.00 MiB. GPU 0 has a total capacity of 22.30 GiB of which 4.69 MiB is "
    "free. "
    "Process 860120 has 22.29 GiB memory in use. 21.00 GiB allowed; Of the allocated memory 21.92 GiB is allocated by "
    "PyTorch, with 22.00 MiB allocated in private pools (e.g., CUDA Graphs), and 16.47 MiB is reserved by PyTorch but "
    "unallocated.\n";
static const char summary[] = "|                  PyTorch CUDA memory summary, device ID 0                 |\n"
                              "|            CUDA OOMs: 0            |        cudaMalloc retries: 0         |\n"
                              "| Allocated memory      |     512 B  |    2048 B  |     512 B  |       0 B  |\n"
                              "|       from large pool |       0 B  |       0 B  |       0 B  |       0 B  |\n";

static void message_and_summary(void **state) {
    (void)state;
    struct sw_problem *problem = must_read(message);
    assert_int_equal(sw_problem_moment(problem)->failure.size, 14 << 20);
    assert_int_equal(sw_problem_moment(problem)->failure.least, (12 << 20) + 512 - 5243);
    sw_problem_unref(problem);
    cut_everywhere(message);
    cut_everywhere(summary);
}

static void lacks_memory(const char *bytes, size_t length, uint64_t least) {
    struct sw_input input = text_input(bytes, length);
    for (uint64_t left = 0;; left++) {
        struct limit limit = {.left = left};
        struct sw_error error = {0};
        sw_mem_hook(limited, &limit);
        struct sw_problem *problem = sw_load_input(&input, NULL, &error);
        sw_problem_unref(problem);
        sw_mem_hook(NULL, NULL);
        if (problem) {
            assert_true(left > least);
            break;
        }
        assert_int_equal(error.code, SW_ERROR_MEMORY);
    }
}

static void no_memory(void **state) {
    (void)state;
    static const char *const texts[] = {SNAPSHOT(SEGMENT(0, 4096, BLOCK(0, 64, "active_allocated")),
                                                 STACK(64, FRAME("f", "f.py", 1)) "," FREE(512, 64) "," FREE(64, 64)),
                                        SNAPSHOT(HELD, "{'action': 'oom', 'size': 512, 'device_free': 77}")};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct pickled *pickled = pickled_new(2, texts[i]);
        lacks_memory(pickled->bytes, pickled->count, 20);
        free(pickled);
    }
    lacks_memory(held_json, sizeof held_json - 1, 20);
    lacks_memory(held_printed, sizeof held_printed - 1, 20);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lives),
        cmocka_unit_test(older_blocks),
        cmocka_unit_test(segments_that_change),
        cmocka_unit_test(without_a_release),
        cmocka_unit_test(overlaps),
        cmocka_unit_test(devices),
        cmocka_unit_test(stacks),
        cmocka_unit_test(long_stacks),
        cmocka_unit_test(what_is_wrong),
        cmocka_unit_test(again_and_again),
        cmocka_unit_test(shared_stacks),
        cmocka_unit_test(a_frame_of_many_keys),
        cmocka_unit_test(a_training_step),
        cmocka_unit_test(a_moment),
        cmocka_unit_test(message_and_summary),
        cmocka_unit_test(no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
