/* The reader of plain pickles. */
#include "unit/pickled.h"

#include "formats/pytorch/pickle.h"

static bool open_bytes(struct sw_pickle *pickle, struct sw_input *input, const char *bytes, size_t length,
                       struct sw_error *error) {
    char *copy = malloc(length ? length : 1); /* so that reading past the end is seen */
    assert_non_null(copy);
    memcpy(copy, bytes, length);
    *input = text_input(copy, length);
    *error = (struct sw_error){0};
    return sw_pickle_open(pickle, input, error);
}

static void close_bytes(struct sw_pickle *pickle, struct sw_input *input) {
    sw_pickle_close(pickle);
    free((void *)(uintptr_t)input->bytes);
}

static void must_say(const char *bytes, size_t length, const char *message) {
    struct sw_pickle pickle;
    struct sw_input input;
    struct sw_error error;
    bool good = open_bytes(&pickle, &input, bytes, length, &error);
    if (good || strcmp(error.message, message) != 0) {
        fail_msg("wanted %s\ngot    %s", message, good ? "a value" : error.message);
    }
    assert_int_equal(error.code, SW_ERROR_INPUT);
    close_bytes(&pickle, &input);
}
#define SAYS(bytes, message) must_say(bytes, sizeof(bytes) - 1, message)

/* A value as text again; lists in lists down to a depth. */
static void show(const struct sw_pickle *pickle, uint32_t value, int depth, struct sw_sink *sink) {
    size_t length = 0;
    int64_t integer;
    uint32_t item, i = 0;
    const char *text = sw_pickle_text(pickle, value, &length);
    struct sw_pickle_walk walk = sw_pickle_walk(pickle, value);
    bool dict = sw_pickle_type(pickle, value) == SW_PICKLE_DICT;
    static const char *const words[] = {"None", "Bool", "", "Big", "Real", "", "Bytes"};
    if (text) {
        sw_sink_printf(sink, "'%.*s'", (int)length, text);
    } else if (sw_pickle_integer(pickle, value, &integer)) {
        sw_sink_printf(sink, "%lld", (long long)integer);
    } else if (sw_pickle_type(pickle, value) < SW_PICKLE_LIST) {
        sw_sink_printf(sink, "%s%s", words[sw_pickle_type(pickle, value)], sw_pickle_true(pickle, value) ? "!" : "");
    } else if (depth == 0) {
        sw_sink_printf(sink, "~");
    } else {
        sw_sink_printf(sink, dict ? "{" : "[");
        while (sw_pickle_next(&walk, &item)) {
            sw_sink_printf(sink, "%s", i == 0 ? "" : dict && i % 2 ? ":" : ",");
            show(pickle, item, depth - 1, sink);
            i++;
        }
        assert_int_equal(i, sw_pickle_count(pickle, value));
        sw_sink_printf(sink, dict ? "}" : "]");
    }
}

static void must_show(const char *bytes, size_t length, const char *wanted) {
    struct sw_pickle pickle;
    struct sw_input input;
    struct sw_error error;
    struct sw_sink sink = {0};
    if (!open_bytes(&pickle, &input, bytes, length, &error)) {
        fail_msg("%s: %s", wanted, error.message);
    }
    show(&pickle, pickle.root, 4, &sink);
    sw_sink_add(&sink, "", 1);
    assert_string_equal(sink.text.items, wanted);
    sw_sink_done(&sink);
    close_bytes(&pickle, &input);
}
#define SHOWS(bytes, wanted) must_show(bytes, sizeof(bytes) - 1, wanted)

static void values(void **state) {
    (void)state;
    const char *text = "{'a': [1, -2, 300, 70000, 2147483646, 2147483647, 2147483648, "
                       "-9223372036854775807], 'b': (), 'c': {'d': None, 'e': True, 'f': False}}";
    const char *wanted = "{'a':[1,-2,300,70000,2147483646,2147483647,2147483648,"
                         "-9223372036854775807],'b':[],'c':{'d':None,'e':Bool!,'f':Bool}}";
    for (unsigned protocol = 2; protocol <= 5; protocol++) {
        struct pickled *pickled = pickled_new(protocol, text);
        must_show(pickled->bytes, pickled->count, wanted);
        free(pickled);
    }
    SHOWS("\x80\x02K\x05.", "5");
    SHOWS("\x80\x04\x95\x03\0\0\0\0\0\0\0]\x94.", "[]");
    SHOWS("\x80\x02]K\x01"
          "aK\x02"
          "a.",
          "[1,2]");
    SHOWS("\x80\x02}K\x01K\x02sK\x03K\x04s.", "{1:2,3:4}");
    SHOWS("\x80\x02(K\x01K\x02l.", "[1,2]");
    SHOWS("\x80\x02(K\x01K\x02"
          "d.",
          "{1:2}");
    SHOWS("\x80\x02)\x85K\x01\x85\x86K\x01K\x02K\x03\x87\x86.", "[[[[]],[1]],[1,2,3]]");
    SHOWS("\x80\x02G\x3f\xf0\0\0\0\0\0\0.", "Real");
    SHOWS("\x80\x02(U\x01xT\x01\0\0\0y\x8d\x01\0\0\0\0\0\0\0zC\x01q\x96\x01\0\0\0\0\0\0\0ql.",
          "['x','y','z',Bytes,Bytes]");
    SHOWS("\x80\x02(\x8a\0\x8a\x01\xff\x8a\x02\xff\0\x8a\x09\0\0\0\0\0\0\0\0\0l.", "[0,-1,255,0]");
    SHOWS("\x80\x02(\x8a\x09\0\0\0\0\0\0\0\x80\0\x8b\x01\0\0\0\x07\x8a\x08\0\0\0\0\0\0\0\x80l.",
          "[Big,7,-9223372036854775808]");
    SHOWS("\x80\x02K\x01(K\x02K\x03"
          "1K\x04"
          "0.",
          "1"); /* POP_MARK, POP */
}

static void the_memo(void **state) {
    (void)state;
    SHOWS("\x80\x02]q\x00K\x01"
          "ah\0\x86.",
          "[[1],[1]]");
    SHOWS("\x80\x02]r\x05\0\0\0j\x05\0\0\0\x86.", "[[],[]]");
    SHOWS("\x80\x04]\x94K\x07\x94h\x01\x87.", "[[],7,7]");
    SHOWS("\x80\x02]q\x00h\x00"
          "a.",
          "[[[[~]]]]"); /* a list that contains itself */
    SAYS("\x80\x02h\x00.", "a memo number that stands for nothing at offset 2");
    SAYS("\x80\x02]q\x05h\x04.", "a memo number that stands for nothing at offset 5");
    SAYS("\x80\x02]r\xff\xff\xff\xff.", "a memo number larger than the pickle is long at offset 3");
    SAYS("\x80\x02]r\x09\0\0\0.", "a memo number larger than the pickle is long at offset 3");
    SHOWS("\x80\x02]r\x08\0\0\0.", "[]");
    SAYS("\x80\x02q\x00.", "a value is missing at offset 2");
}

static void what_would_run(void **state) {
    (void)state;
    static const struct {
        const char *bytes, *name;
    } codes[] = {{"cos\nsystem\n", "GLOBAL"},
                 {"\x93", "STACK_GLOBAL"},
                 {"R", "REDUCE"},
                 {"b", "BUILD"},
                 {"ios\nsystem\n", "INST"},
                 {"o", "OBJ"},
                 {"\x81", "NEWOBJ"},
                 {"\x92", "NEWOBJ_EX"},
                 {"P1\n", "PERSID"},
                 {"Q", "BINPERSID"},
                 {"\x82\x01", "EXT1"},
                 {"\x83\x01\x01", "EXT2"},
                 {"\x84\x01\x01\x01\x01", "EXT4"}};
    for (size_t i = 0; i < COUNT(codes); i++) {
        char bytes[64], message[128];
        int length = snprintf(bytes, sizeof bytes,
                              "\x80\x02"
                              "]%s.",
                              codes[i].bytes);
        snprintf(message, sizeof message,
                 "the pickle wants to run code (opcode %s) at offset 3; only plain values are read", codes[i].name);
        must_say(bytes, (size_t)length, message);
    }
}

static void what_is_wrong(void **state) {
    (void)state;
    SAYS("", "the pickle is cut off at offset 0");
    SAYS("\x80", "the pickle is cut off at offset 1");
    SAYS("\x80\x02", "the pickle is cut off at offset 2");
    SAYS("(lp0\n.", "this is no pickle of protocol 2 or later at offset 0");
    SAYS("\x80\x06].", "pickle protocol 6 is not known; 2 to 5 are, at offset 1");
    SAYS("\x80\x02I1\n.", "unknown opcode 0x49 at offset 2");
    SAYS("\x80\x02.", "the pickle ends with more or less than one value at offset 2");
    SAYS("\x80\x02]].", "the pickle ends with more or less than one value at offset 4");
    SAYS("\x80\x02](.", "the pickle ends with more or less than one value at offset 4");
    SAYS("\x80\x02].x", "something follows the pickle at offset 4");
    SAYS("\x80\x02"
         "e.",
         "a mark is missing at offset 2");
    SAYS("\x80\x02(e.", "a value is missing at offset 3");
    SAYS("\x80\x02](a.", "a value is missing at offset 4");
    SAYS("\x80\x02](K\x01"
         "a.",
         "a value is missing at offset 6");                 /* not below the mark */
    SAYS("\x80\x02](0.", "a value is missing at offset 4"); /* not below the mark */
    SAYS("\x80\x02}K\x01"
         "a.",
         "something is added to what is no list at offset 5");
    SAYS("\x80\x02]K\x01K\x01s.", "something is set in what is no dictionary at offset 7");
    SAYS("\x80\x02}(K\x01u.", "a key without a value at offset 6");
    SAYS("\x80\x02(K\x01"
         "d.",
         "a key without a value at offset 5");
    SAYS("\x80\x02K\x01K\x02"
         "a.",
         "something is added to what is no list at offset 6");
    SAYS("\x80\x02X\xff\xff\xff\xffx.", "the pickle is cut off at offset 9");
    SAYS("\x80\x02\x8d\xff\xff\xff\xff\xff\xff\xff\xffx.", "the pickle is cut off at offset 13");
    SAYS("\x80\x02\x8b\xff\xff\xff\xff.", "a negative length at offset 2");
    SAYS("\x80\x02\x8b\x10\0\0\0.", "the pickle is cut off at offset 8");
    SAYS("\x80\x04\x95\xff\0\0\0\0\0\0\0].", "the pickle is cut off at offset 13");
}

/* Lists in lists in lists, a hundred thousand deep, and one that doubles itself a thousand times.
 */
static void depth(void **state) {
    (void)state;
    enum { DEEP = 100000 };
    char *bytes = malloc(4 * DEEP + 16);
    struct sw_pickle pickle;
    struct sw_input input;
    struct sw_error error;
    size_t count = 0;
    assert_non_null(bytes);
    memcpy(bytes, "\x80\x04]", 3);
    count = 3;
    for (size_t i = 0; i < DEEP; i++) {
        bytes[count++] = '\x85';
    }
    bytes[count++] = '.';
    assert_true(open_bytes(&pickle, &input, bytes, count, &error));
    assert_true(pickle.nodes.count <= DEEP + 4);
    close_bytes(&pickle, &input);
    count = 3;
    for (size_t i = 0; i < 1000; i++) { /* MEMOIZE, BINGET of what was just kept, TUPLE2 */
        bytes[count++] = '\x94';
        bytes[count++] = 'j';
        for (size_t k = 0; k < 4; k++) {
            bytes[count++] = (char)(i >> (8 * k));
        }
        bytes[count++] = '\x86';
    }
    bytes[count++] = '.';
    assert_true(open_bytes(&pickle, &input, bytes, count, &error));
    assert_true(pickle.nodes.count <= 1004 && pickle.items.count <= 4 * 1001);
    close_bytes(&pickle, &input);
    free(bytes);
}

static void every_length(void **state) {
    (void)state;
    struct pickled *pickled = pickled_new(4, "{'a': [1, -2, 300, 70000, 8589934592], 'b': (None, True), 'c': 'text'}");
    struct sw_pickle pickle;
    struct sw_input input;
    struct sw_error error;
    for (size_t length = 0; length < pickled->count; length++) {
        assert_false(open_bytes(&pickle, &input, pickled->bytes, length, &error));
        assert_non_null(strstr(error.message, "cut off at offset"));
        close_bytes(&pickle, &input);
    }
    for (size_t i = 0; i < 256 * pickled->count; i++) { /* any other byte anywhere: some outcome */
        char *at = &pickled->bytes[i / 256], was = *at;
        *at = (char)i;
        open_bytes(&pickle, &input, pickled->bytes, pickled->count, &error);
        close_bytes(&pickle, &input);
        *at = was;
    }
    free(pickled);
}

static void detection(void **state) {
    (void)state;
    static const struct {
        const char *bytes;
        size_t length;
        bool pickle;
    } cases[] = {{"\x80\x02}", 3, true},  {"\x80\x05\x95", 3, true},     {"\x80\x02", 2, true},
                 {"\x80\x01}", 3, false}, {"\x80\x06}", 3, false},       {"\x80", 1, false},
                 {"", 0, false},          {"\x80\x02\0\0TFL3", 8, false}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct sw_input input = text_input(cases[i].bytes, cases[i].length);
        assert_int_equal(sw_pickle_detect(&input), cases[i].pickle);
    }
}

static void no_memory(void **state) {
    (void)state;
    struct pickled *pickled = pickled_new(2, "{'a': [1, -2, 8589934592], 'b': (), 'c': 'text'}");
    struct sw_input input = text_input(pickled->bytes, pickled->count);
    for (uint64_t left = 0;; left++) {
        struct limit limit = {.left = left};
        struct sw_pickle pickle;
        struct sw_error error = {0};
        sw_mem_hook(limited, &limit);
        bool good = sw_pickle_open(&pickle, &input, &error);
        sw_pickle_close(&pickle);
        sw_mem_hook(NULL, NULL);
        if (good) {
            assert_true(left > 3);
            break;
        }
        assert_int_equal(error.code, SW_ERROR_MEMORY);
    }
    free(pickled);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values),        cmocka_unit_test(the_memo),  cmocka_unit_test(what_would_run),
        cmocka_unit_test(what_is_wrong), cmocka_unit_test(depth),     cmocka_unit_test(every_length),
        cmocka_unit_test(detection),     cmocka_unit_test(no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
