/* Traces of requests: which buffers and which requests each becomes, and every way to be wrong. */
#include "unit/formats.h"
#include "unit/noted.h"

#include "formats/requests/request_list.h"

#include <stdio.h>

/* ---- what all are asked ---- */

static const char *const kinds[] = {"alloc", "free", "free asked", "free completed", "empty", "segment", "segment gone",
                                    "pages", "pages gone", "refused", "mark"};

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
        used += (size_t)snprintf(got + used, sizeof got - used, "%u %s %.80s %llu", request->time, kinds[request->kind], name,
                                 (unsigned long long)request->size);
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
    struct sw_problem *problem = must_read("event,id,size\nalloc,a#2,1\nalloc,a,2\nfree,a\nalloc,a,3\nfree,a\nalloc,a#4,4\n"
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
    cut_everywhere("# x\nevent,\"id\",size,stream\r\nalloc,\"a \"\"b\",12,-3\r\nfree,\"a \"\"b\"\nempty_cache\nalloc,c,0,");
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
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
