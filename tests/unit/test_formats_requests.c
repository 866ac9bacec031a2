/* Traces of requests: which buffers and which requests each becomes, and every way to be wrong. */
#include "unit/formats.h"
#include "unit/noted.h"

#include "formats/requests/request_list.h"

#include <stdio.h>

/* ---- what all are asked ---- */

static const char *const kinds[] = {
    [SW_REQUEST_ALLOC] = "alloc",
    [SW_REQUEST_OVER] = "over",
    [SW_REQUEST_FREE] = "free",
    [SW_REQUEST_FREE_ASKED] = "free asked",
    [SW_REQUEST_FREE_COMPLETED] = "free completed",
    [SW_REQUEST_EMPTY] = "empty",
    [SW_REQUEST_SEGMENT_MADE] = "segment",
    [SW_REQUEST_SEGMENT_GONE] = "segment gone",
    [SW_REQUEST_PAGES_MADE] = "pages",
    [SW_REQUEST_PAGES_GONE] = "pages gone",
    [SW_REQUEST_REFUSED] = "refused",
    [SW_REQUEST_MARK] = "mark",
};

/* The requests as lines: TIME KIND NAME SIZE, then sSTREAM unless it is 0, and @ADDRESS. */
static void assert_requests(const struct sw_problem *problem, const char *allocator, const char *wanted) {
    const struct sw_requests *requests = sw_problem_told_requests(problem);
    char got[8192];
    size_t used = 0;
    assert_non_null(requests);
    assert_string_equal(requests->allocator, allocator);
    assert_false(requests->implied);
    for (size_t i = 0; i < requests->items.count && used < sizeof got - 200; i++) {
        const struct sw_request *request = &requests->items.items[i];
        const char *name = request->buffer == SW_NONE ? "-" : sw_problem_buffer(problem, request->buffer)->name;
        used += (size_t)snprintf(got + used, sizeof got - used, "%u %s %.80s %llu", request->time, kinds[request->kind],
                                 name, (unsigned long long)request->size);
        if (requests->streams.items[request->stream] != 0) {
            used += (size_t)snprintf(got + used, sizeof got - used, " s%lld",
                                     (long long)requests->streams.items[request->stream]);
        }
        if (request->address != SW_NO_ADDRESS) {
            used += (size_t)snprintf(got + used, sizeof got - used, " @%llx", (unsigned long long)request->address);
        }
        used += (size_t)snprintf(got + used, sizeof got - used, "\n");
    }
    got[used] = '\0';
    assert_string_equal(got, wanted);
}

static void assert_life(const struct sw_problem *problem, const char *name, int64_t first, int64_t last) {
    const struct sw_buffer *buffer = buffer_named(problem, name);
    assert_int_equal(sw_problem_time(problem, buffer->first), first);
    /* Steps are the times at which buffers begin or end: the one behind the last is the next of them. */
    assert_int_equal(sw_problem_time(problem, buffer->last + 1), last + 1);
}

/* ---- tables ---- */

#define HEAD "event,id,size,stream\n"

static void table(void **state) {
    (void)state;
    struct sw_problem *problem = must_read(HEAD "alloc,a,100,\n"
                                                "alloc,b,50,7\n"
                                                "free,a\n"
                                                "empty_cache\n"
                                                "alloc,a,30,0\n"
                                                "free,b,50,7\n"
                                                "free,a,,3\n"
                                                "alloc,a,0,\n");
    assert_requests(problem, "free-list",
                    "0 alloc a 100\n1 alloc b 50 s7\n2 free a 100\n3 empty - 0\n4 alloc a#2 30\n5 free b 50 s7\n"
                    "6 free a#2 30 s3\n7 alloc a#3 0\n");
    assert_false(sw_problem_told_requests(problem)->recorded);
    assert_life(problem, "a", 0, 1);
    assert_life(problem, "b", 1, 4);
    assert_life(problem, "a#2", 4, 5);
    assert_life(problem, "a#3", 7, 7);
    assert_int_equal(sw_problem_lower_bound(problem), 150);
    assert_true(noted(problem, "time is the number of the event, from 0: 4 allocations, 3 frees, 1 still alive"));
    sw_problem_unref(problem);
}

static void table_of_any_shape(void **state) {
    (void)state;
    struct sw_problem *problem = must_read("\xef\xbb\xbf# by hand\r\n stream ,size,\"id\",event,color\r\n"
                                           "-3, 8 ,\"a, \"\"b\"\"\",alloc,red\r\n\r\n"
                                           ",9,\"a, \"\"b\"\"\", free \r\n"
                                           "-3,1, a ,alloc");
    assert_requests(problem, "free-list", "0 alloc a, \"b\" 8 s-3\n1 free a, \"b\" 8 s-3\n2 alloc  a  1 s-3\n");
    assert_true(noted(problem, "column color is not used"));
    assert_true(noted(problem, "1 free tells another size than was asked for"));
    sw_problem_unref(problem);
    problem = must_read("id,event\n");
    assert_requests(problem, "free-list", "");
    assert_int_equal(sw_problem_buffer_count(problem), 0);
    sw_problem_unref(problem);
    problem = must_read("event,id\nempty_cache,\nempty_cache,x\n");
    assert_requests(problem, "free-list", "0 empty - 0\n1 empty - 0\n");
    sw_problem_unref(problem);
}

/* Names that are made are never those of the file, whichever comes first. */
static void table_with_numbered_ids(void **state) {
    (void)state;
    struct sw_problem *problem =
        must_read("event,id,size\nalloc,a#2,1\nalloc,a,2\nfree,a\nalloc,a,3\nfree,a\nalloc,a#4,4\n"
                  "alloc,a,5\nfree,a#2\nalloc,a#2,6\nalloc,a#3,7\n");
    assert_requests(problem, "free-list",
                    "0 alloc a#2 1\n1 alloc a 2\n2 free a 2\n3 alloc a#3 3\n4 free a#3 3\n5 alloc a#4 4\n"
                    "6 alloc a#5 5\n7 free a#2 1\n8 alloc a#2#2 6\n9 alloc a#3#2 7\n");
    sw_problem_unref(problem);
}

static void table_errors(void **state) {
    (void)state;
    static const struct refusal refusals[] = {
        {HEAD "free,a\n", 2, 6, "'a' is freed, and was never allocated"},
        {HEAD "alloc,a,1\nfree,a\nfree,a\n", 4, 6, "'a' is freed, and has been freed before"},
        {HEAD "alloc,a,1\n\nalloc,a,1\n", 4, 7, "'a' is allocated already, in line 2"},
        {HEAD "alloc,a,-1,\n", 2, 9, "size -1 is negative"},
        {HEAD "alloc,a,1k,\n", 2, 9, "size '1k' is not a whole number"},
        {HEAD "alloc,a,2305843009213693953,\n", 2, 9,
         "size 2305843009213693953 is out of range (0 to 2305843009213693952)"},
        {HEAD "alloc,a,99999999999999999999,\n", 2, 9,
         "size 99999999999999999999 is out of range (0 to 2305843009213693952)"},
        {HEAD "alloc,a,2305843009213693952,\nalloc,b,1,\n", 3, 7,
         "the sizes of all allocations up to this one add up to more than 2^61 bytes"},
        {HEAD "alloc,a,1,x\n", 2, 11, "stream 'x' is not a whole number"},
        {HEAD "alloc,a,,1\n", 2, 9, "the allocation of 'a' has no size"},
        {HEAD "alloc,a\n", 2, 8, "the allocation of 'a' has no size"},
        {"event,id\nalloc,a\r\n", 2, 8, "the allocation of 'a' has no size"},
        {HEAD "alloc,,1\n", 2, 7, "id is blank"},
        {HEAD "free\n", 2, 5, "id is blank"},
        {HEAD ",a,1\n", 2, 1, "event is blank"},
        {HEAD "malloc,a,1\n", 2, 1, "event 'malloc' is none of alloc, free and empty_cache"},
        {HEAD "alloc,a,1,0,\n", 2, 13, "the row has 5 fields, the header 4"},
        {"event,id,event\n", 1, 10, "there are two columns 'event'"},
        {HEAD "alloc,\xff,1\n", 2, 7, "byte 0xff is not valid UTF-8"},
    };
    must_refuse_text(refusals, COUNT(refusals));
}

/* A table with times is one of buffers, whatever else it has. */
static void table_of_buffers(void **state) {
    (void)state;
    struct sw_problem *problem = must_read("event,id,lower,upper,size\nx,a,0,2,8\n");
    assert_null(sw_problem_told_requests(problem));
    assert_int_equal(sw_problem_buffer_count(problem), 1);
    sw_problem_unref(problem);
}

/* As many streams as there may be are found quickly, and one more is refused. */
static void table_of_streams(void **state) {
    (void)state;
    size_t room = 65536 * 40 + 64, used = 0;
    char *text = malloc(room);
    assert_non_null(text);
    used += (size_t)snprintf(text, room, HEAD);
    for (unsigned i = 0; i < 65534; i++) {
        used += (size_t)snprintf(text + used, room - used, "alloc,b%u,1,%u\n", i, i + 1);
    }
    struct sw_problem *problem = must_read(text);
    assert_int_equal(sw_problem_told_requests(problem)->streams.count, SW_REQUESTS_MOST);
    sw_problem_unref(problem);
    snprintf(text + used, room - used, "alloc,x,1,-1\n");
    static struct refusal refusal = {NULL, 65536, 7, "too many streams: 65535 are the most"};
    refusal.text = text;
    must_refuse_text(&refusal, 1);
    free(text);
}

static void table_cut(void **state) {
    (void)state;
    cut_everywhere(
        "# x\nevent,\"id\",size,stream\r\nalloc,\"a \"\"b\",12,-3\r\nfree,\"a \"\"b\"\nempty_cache\nalloc,c,0,");
}

/* ---- calls of malloc ---- */

static const char called[] = "==7== Memcheck, a memory error detector (C)\n"
                             "--7-- malloc(24) = 0x4000\n"
                             "--7-- calloc(3,10) = 0x4040\n"
                             "--7-- realloc(0x4040,100) = 0x4100\n"
                             "--7-- memalign(al 64, size 200) = 0x4200\n"
                             "7 x USER 0x5000 = malloc(7)\n"
                             "7 x USER 0x5000 = realloc(0x5000, 9)\n"
                             "7 x USER free(0x5000)\n"
                             "prog->free(0x4000)                               = <void>\n"
                             "[pid 9] aligned_alloc(32, 64)        = 0x6000\n"
                             "it prints malloc(8) here _Znwm(16) = 0x7000\n"
                             "--7-- _ZdlPvm(0x7000, 16)\n"
                             "--7-- free(0x0)\n"
                             "malloc(99) = 0x0\n"
                             "calloc(18446744073709551615, 3) = (nil)\n"
                             "realloc(0x6000, 0) = 0\n"
                             "free(0x9999)\n"
                             "xmalloc(5) = 0x8000\n"
                             "malloc(6) = \n";

static void malloc_calls(void **state) {
    (void)state;
    struct sw_problem *problem = must_read(called);
    assert_requests(problem, "free-list",
                    "0 alloc 0x4000 24 @4000\n1 alloc 0x4040 30 @4040\n2 alloc 0x4100 100 @4100\n3 free 0x4040 30\n"
                    "4 alloc 0x4200 200 @4200\n5 alloc 0x5000 7 @5000\n6 free 0x5000 7\n7 alloc 0x5000#2 9 @5000\n"
                    "8 free 0x5000#2 9\n9 free 0x4000 24\n10 alloc 0x6000 64 @6000\n11 alloc 0x7000 16 @7000\n"
                    "12 free 0x7000 16\n13 refused - 99\n14 refused - 2305843009213693952\n15 free 0x6000 64\n");
    assert_true(noted(problem, "1 free of what was not allocated here is left out"));
    assert_true(noted(problem, "1 line is left out, where a call lacks its end or what it gave"));
    sw_problem_unref(problem);
    problem = must_read("malloc(24) = 0x40\nmalloc(2) = 0x80");
    assert_requests(problem, "free-list", "0 alloc 0x40 24 @40\n");
    assert_true(noted(problem, "the last line, 2, is cut and is left out"));
    sw_problem_unref(problem);
    cut_everywhere(called);
}

/* ---- mtrace ---- */

static const char traced[] = "= Start\n"
                             "@ ./prog:[0x11c0] + 0x5000 0x64\n"
                             "@ ./a b:(main+0x1a)[0x11d3] + 0x5100 0x96\n"
                             "@ ./prog:[0x11e8] < 0x5000\n"
                             "@ ./prog:[0x11e8] > 0x5200 0x1388\n"
                             "@ [0x77] - 0x5100\n"
                             "+ 0x5000 0\n"
                             "@ ./prog:[0x11c0] + (nil) 0xffffffffffffffff\n"
                             "@ ./prog:[0x11c0] ! 0x5000 0x10\n"
                             "- 0x9000\n"
                             "@ ./prog:[0x11c0] + 0x5200 0x8\n"
                             "what is this\n"
                             "= End\n";

static void mtrace(void **state) {
    (void)state;
    struct sw_problem *problem = must_read(traced);
    assert_requests(problem, "free-list",
                    "0 alloc 0x5000 100 @5000\n1 alloc 0x5100 150 @5100\n2 free 0x5000 100\n3 alloc 0x5200 5000 @5200\n"
                    "4 free 0x5100 150\n5 alloc 0x5000#2 0 @5000\n6 refused - 2305843009213693952\n7 refused - 16\n"
                    "9 free 0x5200 5000\n9 alloc 0x5200#2 8 @5200\n");
    assert_false(sw_problem_told_requests(problem)->recorded);
    assert_string_equal(buffer_named(problem, "0x5000")->origin, "./prog:[0x11c0]");
    assert_string_equal(buffer_named(problem, "0x5100")->origin, "./a b:(main+0x1a)[0x11d3]");
    assert_null(buffer_named(problem, "0x5000#2")->origin);
    assert_true(noted(problem, "5 allocations, 2 frees, 2 still alive"));
    assert_true(noted(problem, "1 free of what was not allocated here is left out"));
    assert_true(noted(problem, "1 time an address was given out again"));
    assert_true(noted(problem, "1 line is left out, which mtrace does not write"));
    sw_problem_unref(problem);
    problem = must_read("= Start\n@ a:[0x1] + 0x10 0x20\n@ a:[0x1] + 0x30 0x2");
    assert_requests(problem, "free-list", "0 alloc 0x10 32 @10\n");
    assert_true(noted(problem, "the last line, 3, is cut and is left out"));
    sw_problem_unref(problem);
    cut_everywhere(traced);
}

/* ---- heaptrack ---- */

#define RAW_HEAD "v 10400 3\nx 7 /a/prog\nX ./prog -x\nI 1000 5e2990\nm 1 -\nm 1 x 562da51b3000 0 7b0\n"
static const char raw[] = RAW_HEAD "t 100 0\n"
                                   "t 200 1\n"
                                   "+ 64 2 5000\n"
                                   "+ 10 1 5100\n"
                                   "c 1\n"
                                   "R 3cd\n"
                                   "- 5000\n"
                                   "- 9000\n"
                                   "+ 0 0 5000\n"
                                   "+ 8 7 5100\n";

static void heaptrack_raw(void **state) {
    (void)state;
    struct sw_problem *problem = must_read(raw);
    assert_requests(problem, "free-list",
                    "0 alloc 0x5000 100 @5000\n1 alloc 0x5100 16 @5100\n2 free 0x5000 100\n4 alloc 0x5000#2 0 @5000\n"
                    "5 free 0x5100 16\n5 alloc 0x5100#2 8 @5100\n");
    assert_string_equal(buffer_named(problem, "0x5000")->origin, "0x200\n0x100");
    assert_string_equal(buffer_named(problem, "0x5100")->origin, "0x100");
    assert_null(buffer_named(problem, "0x5100#2")->origin);
    sw_problem_unref(problem);
    cut_everywhere(raw);
}

#define STRINGS "s 7 /a/prog\ns 4 main\ns 8 /a/m o.c\ns 1c operator new(unsigned long)x\ns 5 inner\n"
static const char interpreted[] = "v 10400 3\nX ./prog\nI 1000 5e2990\n" STRINGS "i 100 1 2 3 2a\n"
                                  "t 1 0\n"
                                  "i 200 1 4\n"
                                  "t 2 1\n"
                                  "i 300 1\n"
                                  "t 3 1\n"
                                  "i 400 1 2 3 7 5 3 9\n"
                                  "t 4 3\n"
                                  "a 64 2\n"
                                  "+ 0\n"
                                  "+ 0\n"
                                  "a 8 4\n"
                                  "+ 1\n"
                                  "- 0\n"
                                  "- 0\n"
                                  "- 0\n"
                                  "+ 0\n"
                                  "+ 5\n"
                                  "A\n"
                                  "? 1\n"
                                  "\n"
                                  "# strings: 5\n";

static void heaptrack_interpreted(void **state) {
    (void)state;
    struct sw_problem *problem = must_read(interpreted);
    assert_requests(
        problem, "free-list",
        "0 alloc a0 100\n1 alloc a0#2 100\n2 alloc a1 8\n3 free a0#2 100\n4 free a0 100\n6 alloc a0#3 100\n");
    assert_string_equal(buffer_named(problem, "a0")->origin, "main (/a/m o.c:42)");
    assert_string_equal(buffer_named(problem, "a1")->origin, "main (/a/m o.c:7)\n0x300 (/a/prog)\nmain (/a/m o.c:42)");
    assert_true(noted(problem, "which of several allocations of one size and stack is freed: 1 time it"));
    assert_true(noted(problem, "heaptrack was attached"));
    assert_true(noted(problem, "2 lines are not understood"));
    sw_problem_unref(problem);
    cut_everywhere(interpreted);
    problem = must_read("v 10400 3\nX ./p\ns c operator new\ni 1 0 1\nt 1 0\na 8 1\n+ 0\n");
    assert_null(buffer_named(problem, "a0")->origin);
    sw_problem_unref(problem);
    /* Before format 3 strings had no length. */
    problem = must_read("v 10100 2\nX ./p\ns a file\ns f\ni 1 1 2\nt 1 0\na 8 1\n+ 0\n");
    assert_string_equal(buffer_named(problem, "a0")->origin, "f (a file)");
    sw_problem_unref(problem);
}

/* ---- ONNX Runtime ---- */

#define AT "2026-11-25 01:02:03.456 [I:onnxruntime:log, bfc_arena.cc:306 AllocateRawInternal] "
#define NEW(name)                                                                                                      \
    AT "Creating BFCArena for " name                                                                                   \
       " with following configs: initial_chunk_size_bytes: 1048576 max_dead_bytes_per_chunk: "                         \
       "134217728 initial_growth_chunk_size_bytes: 2097152 memory limit: 18446744073709551615 arena_extend_strategy: " \
       "0\n"
static const char ort[] = NEW("Cuda") NEW("CudaPinned") AT
    "Extending BFCArena for Cuda. bin_num:9 (requested) num_bytes: 160000 (actual) rounded_bytes:160000\n" AT
    "Extended allocation by 1048576 bytes.\n" AT "Total allocated bytes: 1048576\n" AT
    "Allocated memory at 0x7fa4c6800000 to 0x7fa4c6900000\n"
    "other words\n" AT "Reserving memory in BFCArena for Cuda size: 33554432\n" AT
    "Reserving memory in BFCArena for CudaPinned size: 7\n" AT
    "Extending BFCArena for CudaPinned. bin_num:0 (requested) num_bytes: 4 (actual) rounded_bytes:256\n" AT
    "Extended allocation by 1048576 bytes.\n" AT "Allocated memory at 0x1000 to 0x101000\n" AT
    "Extending BFCArena for Cuda. bin_num:16 (requested) num_bytes: 19888128 (actual) rounded_bytes:19888128\n" AT
    "Extended allocation by 33554432 bytes.\n" AT "Allocated memory at 0x7fa4c4000000 to 0x7fa4c6000000\n";

static void onnxruntime(void **state) {
    (void)state;
    struct sw_problem *problem = must_read(ort);
    const struct sw_requests *requests = sw_problem_told_requests(problem);
    assert_requests(problem, "bfc-arena",
                    "0 segment - 1048576 @7fa4c6800000\n0 alloc 0x7fa4c6800000 160000 @7fa4c6800000\n"
                    "1 segment - 33554432 @7fa4c4000000\n1 alloc 0x7fa4c4000000 19888128 @7fa4c4000000\n");
    assert_true(requests->recorded);
    assert_int_equal(requests->windows.count, 2);
    assert_int_equal(requests->windows.items[0].lo, 0x7fa4c4000000);
    assert_int_equal(requests->windows.items[1].base, 33554432);
    assert_string_equal(requests->settings,
                        "initial=1048576,max_dead=134217728,growth_after_shrink=2097152,strategy=next-power-of-two");
    assert_int_equal(buffer_named(problem, "reserved 1")->kind, SW_KIND_CONSTANT);
    assert_int_equal(sw_problem_naive(problem), 160000 + 19888128);
    assert_true(noted(problem, "this is the allocator Cuda"));
    assert_true(noted(problem, "the allocator CudaPinned is left out: it has no more requests, 1"));
    assert_true(noted(problem, "1 reservation of 33,554,432 bytes bypasses the arena, and is a constant"));
    assert_true(noted(problem, "only requests that made the arena grow"));
    sw_problem_unref(problem);
    cut_everywhere(ort);
}

/* Other versions and systems; the device refuses; the arena shrinks. */
static void onnxruntime_variants(void **state) {
    (void)state;
    struct sw_problem *problem =
        must_read("[I:a, bfc_arena.cc:259 x] Extending BFCArena for Cpu. bin_num:13 rounded_bytes:3154176\n"
                  "[I:a, bfc_arena.cc:143 x] Extended allocation by 4194304 bytes.\n"
                  "[I:a, bfc_arena.cc:150 x] Allocated memory at 0000001633C00000 to 0000001634000000\n"
                  "[V:a, bfc_arena.cc:1 x] Cpu BFC Arena shrunk by 4194304 bytes.  The total allocated bytes is now 0\n"
                  "[V:a, bfc_arena.cc:1 x] Cpu BFC Arena shrunk by 1048576 bytes.  The total allocated bytes is now 0\n"
                  "[I:a, bfc_arena.cc:259 x] Extending BFCArena for Cpu. rounded_bytes: 512\n"
                  "[I:a, bfc_arena.cc:259 x] Extending BFCArena for Cpu. rounded_bytes: 256\n"
                  "[I:a, bfc_arena.cc:143 x] Extended allocation by 4194304 bytes.\n");
    assert_requests(problem, "bfc-arena",
                    "0 segment - 4194304 @1633c00000\n0 alloc 0x1633c00000 3154176 @1633c00000\n"
                    "1 free 0x1633c00000 3154176\n2 segment gone - 4194304 @1633c00000\n2 empty - 0\n"
                    "3 refused - 512\n4 alloc line 8 256\n");
    assert_false(sw_problem_told_requests(problem)->recorded);
    sw_problem_unref(problem);
    problem = must_read("x Extending BFCArena for Cpu. rounded_bytes: 512\nx Allocated memory at 0x1000 to 0x2000\n"
                        "x Extending BFCArena for Cpu. rounded_bytes: 1024\n");
    assert_true(noted(problem, "the last request, of 1,024 bytes, is left out"));
    sw_problem_unref(problem);
    problem = must_read("x Reserving memory in BFCArena for Cpu size: 18874462\n");
    assert_requests(problem, "bfc-arena", "");
    sw_problem_unref(problem);
    static const struct refusal refusals[] = {
        {"// LOGS(INFO) << \"Extending BFCArena for \" << name << \" num_bytes: \" << n;\n", 1, 29,
         "this looks like a log of ONNX Runtime's arenas (\"BFCArena\", \"Extending BFCArena for\"), but no line has "
         "\"Extending BFCArena for ... ... bytes:\", \"Reserving memory in BFCArena for ... ...  size:\" or \"Creating "
         "BFCArena for ... ...  with following configs\"; paste what the log level INFO prints, in whole lines"}};
    must_refuse_text(refusals, COUNT(refusals));
}

/* ---- TensorFlow ---- */

#define TF "2026-11-25 01:02:03.456789: I tensorflow/tsl/framework/bfc_allocator.cc:260] "
#define MEMORY \
    "2026-11-25 01:02:03.456789: I tensorflow/core/framework/log_memory.cc:34] __LOG_MEMORY__ MemoryLogTensor"
static const char tf_addresses[] = TF
    "AllocateRaw GPU_0_bfc  1028\n" TF "Extending allocation by 2.00MiB bytes.\n" TF
    "Total allocated bytes: 2.00MiB\n" TF "Allocated memory at 0x7f65fe000000 to 0x7f65fe200000\n" TF
    "AllocateRaw GPU_0_bfc  1028 0x7f65fe000000\n" MEMORY
    "Allocation { step_id: 8 kernel_name: \"net/Slice_5\" tensor { dtype: DT_FLOAT shape { } allocation_description { "
    "requested_bytes: 1028 allocated_bytes: 1280 allocator_name: \"GPU_0_bfc\" allocation_id: 362 ptr: 140076029837312 "
    "} } }\n" TF "AllocateRaw GPU_host_bfc  64\n" TF "Extending allocation by 1.0KiB bytes for GPU_host_bfc.\n" TF
    "Allocated memory at 0x1000 to 0x1400\n" TF "AllocateRaw GPU_host_bfc  64 0x1000\n" TF
    "AllocateRaw GPU_0_bfc  1028\n" TF "AllocateRaw GPU_0_bfc  1028 0x7f65fe000500\n" TF
    "AllocateRaw GPU_0_bfc 1028 alignment=64\n" TF "AllocateRaw GPU_0_bfc  1028 0x7f65fe000a00\n" MEMORY
    "Deallocation { allocation_id: 362 allocator_name: \"GPU_0_bfc\" }\n" TF "DeallocateRaw GPU_0_bfc 1028\n" TF
    "DeallocateRaw GPU_0_bfc 1028\n" TF "DeallocateRaw GPU_0_bfc 0\n" TF "AllocateRaw GPU_0_bfc  9000000000\n" TF
    "AllocateRaw GPU_0_bfc  9000000000 0\n" TF "DeallocateRaw GPU_0_bfc 77\n";

static void tensorflow(void **state) {
    (void)state;
    struct sw_problem *problem = must_read(tf_addresses);
    assert_requests(
        problem, "bfc-arena",
        "0 segment - 2097152 @7f65fe000000\n0 alloc 1028B 1028 @7f65fe000000\n1 alloc 1028B#2 1028 @7f65fe000500\n"
        "2 alloc 1028B#3 1028 @7f65fe000a00\n3 free 1028B 1028\n4 free 1028B#3 1028\n5 refused - 9000000000\n");
    assert_true(sw_problem_told_requests(problem)->recorded);
    assert_string_equal(buffer_named(problem, "1028B")->origin, "net/Slice_5");
    assert_true(noted(problem, "which of several allocations of one size is freed: 1 time it"));
    assert_true(noted(problem, "the allocator GPU_host_bfc is left out"));
    assert_true(noted(problem, "1 free of what was not allocated here"));
    sw_problem_unref(problem);
    cut_everywhere(tf_addresses);
}

static const char tf_everything[] =
    TF "AllocateRaw GPU_0_bfc  512\n" TF "AllocateRaw GPU_0_bfc  512 0x700000000000\n" TF
       "[mem-debug] AllocateRaw,GPU_0_bfc,512,0x700000000000,*** Begin stack trace ***\n\ttsl::CurrentStackTrace()\n"
       "\ttsl::BFCAllocator::AllocateRaw(unsigned long)\n\tTensor::Tensor()\n\t\n\tmain\n*** End stack trace ***\n\n" TF
       "AllocateRaw GPU_0_bfc  512 0x700000000200\n" TF "[mem-debug] AllocateRaw,GPU_0_bfc,512,0x700000000200,\n" TF
       "DeallocateRaw GPU_0_bfc 512\n" TF
       "[mem-debug] DeallocateRaw,GPU_0_bfc,512,0x700000000000,*** Begin stack trace ***\n\tx\n" TF
       "[mem-debug] AllocateRaw,GPU_0_bfc,256,0x700000000200,\n";

static void tensorflow_everything(void **state) {
    (void)state;
    struct sw_problem *problem = must_read(tf_everything);
    assert_requests(
        problem, "bfc-arena",
        "0 alloc 0x700000000000 512 @700000000000\n1 alloc 0x700000000200 512 @700000000200\n"
        "2 free 0x700000000000 512\n3 free 0x700000000200 512\n3 alloc 0x700000000200#2 256 @700000000200\n");
    assert_false(sw_problem_told_requests(problem)->recorded); /* no region is told */
    assert_string_equal(buffer_named(problem, "0x700000000000")->origin, "Tensor::Tensor()\nmain");
    sw_problem_unref(problem);
    cut_everywhere(tf_everything);
    problem = must_read(TF "AllocateRaw cpu  12\n" TF "AllocateRaw cpu  12\n" TF "DeallocateRaw cpu 12\n");
    assert_requests(problem, "bfc-arena", "0 alloc 12B 12\n1 alloc 12B#2 12\n2 free 12B#2 12\n");
    sw_problem_unref(problem);
}

/* ---- decision traces ---- */

#define HEADER "{\"stowage-trace\":1,\"planner\":\"x\"}\n"

static void decision_trace(void **state) {
    (void)state;
    struct sw_problem *problem = must_read(HEADER "{\"buffer\":\"told\",\"size\":5}\n"
                                                  "{\"alloc\":\"a\",\"size\":100,\"stream\":7}\n"
                                                  "{\"alloc\":\"b\",\"size\":0}\n"
                                                  "{\"free\":\"a\"}\n"
                                                  "{\"free\":\"a\"}\n"
                                                  "{\"alloc\":\"a\",\"size\":8,\"stream\":0}\n"
                                                  "{\"alloc\":\"a\",\"size\":9}\n"
                                                  "{\"free\":\"a\",\"stream\":-1}\n");
    assert_requests(problem, "free-list",
                    "0 alloc a 100 s7\n1 alloc b 0\n2 free a 100 s7\n4 alloc a#2 8\n5 free a#2 8\n5 alloc a#3 9\n6 "
                    "free a#3 9 s-1\n");
    sw_problem_unref(problem);
    problem =
        must_read(HEADER "{\"alloc\":\"a\",\"size\":100}\n{\"decision\":\"place\",\"buffer\":\"a\",\"offset\":0}\n");
    assert_requests(problem, "recorded", "0 alloc a 100\n");
    sw_problem_unref(problem);
    problem = must_read(HEADER "{\"buffer\":\"a\",\"size\":100,\"first\":0,\"last\":1}\n");
    assert_null(sw_problem_told_requests(problem));
    sw_problem_unref(problem);
    problem = must_read(HEADER "{\"alloc\":\"a\",\"size\":1,\"stream\":\"x\"}\n");
    assert_requests(problem, "free-list", "0 alloc a 1\n");
    sw_problem_unref(problem);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(table),
        cmocka_unit_test(table_of_any_shape),
        cmocka_unit_test(table_with_numbered_ids),
        cmocka_unit_test(table_errors),
        cmocka_unit_test(table_of_buffers),
        cmocka_unit_test(table_of_streams),
        cmocka_unit_test(table_cut),
        cmocka_unit_test(malloc_calls),
        cmocka_unit_test(mtrace),
        cmocka_unit_test(heaptrack_raw),
        cmocka_unit_test(heaptrack_interpreted),
        cmocka_unit_test(onnxruntime),
        cmocka_unit_test(onnxruntime_variants),
        cmocka_unit_test(tensorflow),
        cmocka_unit_test(tensorflow_everything),
        cmocka_unit_test(decision_trace),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
