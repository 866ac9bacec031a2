/* Numbers, sizes and texts as readers take them and as sinks write them. */
#include "unit/formats.h"

#include "formats/text/csv.h"
#include "formats/text/size.h"
#include "view/scene/scene.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

static void assert_sink(struct sw_sink *sink, const char *text) {
    assert_false(sink->failed);
    sw_sink_add(sink, "", 1);
    assert_string_equal(sink->text.items, text);
    sw_sink_done(sink);
}

static void escapes(void **state) {
    (void)state;
    struct sw_sink sink = {0};
    sw_sink_json(&sink, "a\"b\\c\n\t\r\b\f\x01\x1f\x7f/\xc3\xa9");
    assert_sink(&sink, "\"a\\\"b\\\\c\\n\\t\\r\\b\\f\\u0001\\u001f\\u007f/\xc3\xa9\"");
    sw_sink_json(&sink, "");
    assert_sink(&sink, "\"\"");
    sw_sink_json(&sink, "\xc2\x9b\xe2\x80\xae\xff\xf0\x9f\xbf\xbe");
    assert_sink(&sink, "\"\\u009b\\u202e\\ufffd\\ud83f\\udffe\"");
    const char *const fields[][2] = {{"plain", "plain"},
                                     {"", ""},
                                     {"a,b", "\"a,b\""},
                                     {"a;b", "\"a;b\""},
                                     {"a\"b", "\"a\"\"b\""},
                                     {"\"", "\"\"\"\""},
                                     {"a\nb", "a\\u000ab"},
                                     {"a\r", "a\\u000d"},
                                     {" a", "\" a\""},
                                     {"a\t", "a\\u0009"},
                                     {"a b", "a b"},
                                     {"=1", "'=1"},
                                     {"+1", "'+1"},
                                     {"-1", "'-1"},
                                     {"@A", "'@A"},
                                     {" =1", "\"' =1\""},
                                     {"'=1", "''=1"},
                                     {"'a", "'a"},
                                     {"'", "'"},
                                     {"a=1", "a=1"},
                                     {"\xef\xbc\x9d"
                                      "1",
                                      "'\xef\xbc\x9d"
                                      "1"},
                                     {"\xc2\x85\xe2\x80\xae", "\\u0085\\u202e"},
                                     {"\\u0085", "\\u005cu0085"},
                                     {"\\u0041", "\\u0041"},
                                     {"\\", "\\"}};
    for (size_t i = 0; i < COUNT(fields); i++) {
        sw_sink_csv(&sink, fields[i][0]);
        assert_sink(&sink, fields[i][1]);
    }
    sw_sink_text(&sink, "a\x1b[31mb\x7f\xc2\x9b\xc3\xa9\n\xe2\x81\xa6\xff");
    assert_sink(&sink, "a?[31mb??\xc3\xa9???");
    sw_sink_md(&sink, "a|b&c@d#1 http://x www.x a.b\xc2\x9b");
    assert_sink(&sink, "a\\|b\\&c\\@d\\#1 http\\://x www\\.x a.b?");
    sw_sink_shell(&sink, "models/a-1.json");
    assert_sink(&sink, "models/a-1.json");
    sw_sink_shell(&sink, "-x y");
    assert_sink(&sink, "./'-x y'");
    sw_sink_shell(&sink, "it's\n\xff");
    assert_sink(&sink, "\"$(printf 'it\\047s\\012\\377')\"");
    sw_sink_shell(&sink, "it's $HOME");
    assert_sink(&sink, "'it'\\''s $HOME'");
}

/* sw_sink_json again, a character at a time. */
static void json_slowly(struct sw_sink *sink, const char *text) {
    uint32_t before = 0, code;
    sw_sink_printf(sink, "\"");
    for (size_t skip = 1; *text; text += skip) {
        const char *known = strchr("\"\\\b\f\n\r\t", *text);
        bool shown = sw_utf8_shown(text, SIZE_MAX, true, &before, &skip);
        if (known) {
            sw_sink_printf(sink, "\\%c", "\"\\bfnrt"[known - "\"\\\b\f\n\r\t"]);
            before = 0;
        } else if (shown) {
            sw_sink_printf(sink, "%.*s", (int)skip, text);
        } else if (!sw_utf8_decode(text, SIZE_MAX, &code)) {
            sw_sink_printf(sink, "\\ufffd");
        } else if (code < 0x10000) {
            sw_sink_printf(sink, "\\u%04x", (unsigned)code);
        } else {
            code -= 0x10000;
            sw_sink_printf(sink, "\\u%04x\\u%04x", 0xd800 + (unsigned)(code / 0x400),
                           0xdc00 + (unsigned)(code % 0x400));
        }
    }
    sw_sink_printf(sink, "\"");
}

/* A plain text is written in one piece: it and every other are what they are a character at a time, behind what the
 * sink has. */
static void json_in_one_piece(void **state) {
    (void)state;
    static const char *const pieces[] = {"a",
                                         " ",
                                         "~",
                                         "/",
                                         "0123456789",
                                         "\"",
                                         "\\",
                                         "\n",
                                         "\x01",
                                         "\x1f",
                                         "\x7f",
                                         "\xc3\xa9",
                                         "\xd9\x84",
                                         "\xe2\x80\x8d",
                                         "\xe2\x80\x8c",
                                         "\xe2\x80\xae",
                                         "\xff",
                                         "\x80",
                                         "\xe2\x80",
                                         "\xf0\x9f\xbf\xbe",
                                         "\xf0\x9f\x98\x80"};
    static const char *const made[][2] = {{"plain", "x\"plain\""},
                                          {"\"plain", "x\"\\\"plain\""},
                                          {"plain\n", "x\"plain\\n\""},
                                          {"pl\x01"
                                           "ain",
                                           "x\"pl\\u0001ain\""},
                                          {"plain\x7f", "x\"plain\\u007f\""},
                                          {" ~", "x\" ~\""},
                                          {"a\xe2\x80", "x\"a\\ufffd\\ufffd\""},
                                          {"\xed\xa0\x80", "x\"\\ufffd\\ufffd\\ufffd\""}};
    struct sw_sink sink = {0}, slow = {0};
    for (size_t i = 0; i < COUNT(made); i++) {
        sw_sink_add(&sink, "x", 1);
        sw_sink_json(&sink, made[i][0]);
        assert_sink(&sink, made[i][1]);
    }
    uint64_t random = 2;
    for (unsigned n = 0; n < 20000; n++) {
        char text[128] = "";
        bool plain = n % 2;
        for (unsigned i = 0, most = (unsigned)sw_random_below(&random, 8); i < most; i++) {
            strcat(text, pieces[sw_random_below(&random, plain ? 5 : COUNT(pieces))]);
        }
        sw_sink_json(&sink, text);
        json_slowly(&slow, text);
    }
    assert_false(sink.failed || slow.failed);
    assert_int_equal(sink.text.count, slow.text.count);
    assert_memory_equal(sink.text.items, slow.text.items, slow.text.count);
    sw_sink_done(&sink);
    sw_sink_done(&slow);
}

/* Whatever a name is, its cell reads back as that name. */
static void cells_read_back(void **state) {
    (void)state;
    static const char *const pieces[] = {
        "'",        "=",      "-",  "\\", "\\u", "0085", "u0085",        "\\u005c",
        "\xc2\x85", "\n",     "\"", ",",  " ",   "a",    "\xe2\x80\xae", "\xf0\x9f\xbf\xbe",
        "\\ud83f",  "\\udffe"};
    uint64_t random = 1;
    bool full = getenv("STOWAGE_LONG") != NULL;
    unsigned count = full ? 1000000 : 20000;
    for (unsigned n = 0; n < count; n++) {
        char name[64] = "";
        for (unsigned i = 0, most = (unsigned)(sw_random(&random) % 6); i <= most; i++) {
            strcat(name, pieces[sw_random(&random) % COUNT(pieces)]);
        }
        struct sw_sink sink = {0};
        sw_sink_csv(&sink, name);
        sw_sink_add(&sink, ",1\n", 3);
        struct sw_input input = {.name = "cells", .bytes = sink.text.items, .length = sink.text.count};
        struct sw_csv csv;
        bool got = false;
        sw_csv_open(&csv, &input);
        assert_true(sw_csv_next(&csv, &got, NULL) && got && csv.fields.count == 2);
        assert_string_equal(sw_csv_text(&csv, csv.fields.items), name);
        const char *cell = csv.fields.items->text;
        size_t at = 0; /* the cell is not ended by a zero */
        while (at < csv.fields.items->length && cell[at] == ' ') {
            at++;
        }
        assert_true(at == csv.fields.items->length || !memchr("=+-@", cell[at], 4));
        sw_csv_close(&csv);
        sw_sink_done(&sink);
    }
    if (full) {
        printf("in full: cells that read back %u\n", count);
    }
}

/* Every form in which a size is printed, and what is none. */
static void sizes(void **state) {
    (void)state;
    static const struct {
        const char *text;
        uint64_t bytes;
    } good[] = {{"0", 0},
                {"64512", 64512},
                {"64,512", 64512},
                {"1,048,576", 1048576},
                {"0xfc00", 64512},
                {"63K", 64512},
                {"63k", 64512},
                {"63KiB", 64512},
                {"63 KiB", 64512},
                {"63  kib", 64512},
                {"2.25K", 2304},
                {"0.5K", 512},
                {"1.50 M", 1572864},
                {"2.0", 2},
                {"7 B", 7},
                {"64,512 B", 64512},
                {"1,024K", 1048576},
                {"2097152T", UINT64_C(1) << 61},
                {"0.0009765625K", 1},
                {"0x10K", 16384}};
    static const char *const bad[][2] = {{"", "not a number of bytes"},
                                         {" 1", "not a number"},
                                         {"1 ", "not a number"},
                                         {"+1", "not a number"},
                                         {"-1", "is negative"},
                                         {"-63 KiB", "is negative"},
                                         {"1.5", "not a whole number of bytes"},
                                         {"1.3K", "not a whole"},
                                         {"1.5 B", "not a whole"},
                                         {"1.", "not a number"},
                                         {".5K", "not a number"},
                                         {"64,51", "not a number"},
                                         {"6451,200", "not a number"},
                                         {"64,,512", "not a number"},
                                         {"1e3", "not a number"},
                                         {"1KK", "not a number"},
                                         {"1KB", "not a number"},
                                         {"1 K B", "not a number"},
                                         {"K", "not a number"},
                                         {"0x", "not a number"},
                                         {"0xg", "not a number"},
                                         {"0x1.8K", "not a number"},
                                         {"2097153T", "too large: up to 2^61 bytes"},
                                         {"18446744073709551616", "too large"},
                                         {"99999999999999999999999999999999999999999999", "too large"},
                                         {"16777216T", "too large"},
                                         {"\xd9\xa3", "not a number"},
                                         {"\xef\xbc\x91", "not a number"},
                                         {"1_000", "not a number"},
                                         {"nan", "not a number"},
                                         {"inf", "not a number"},
                                         {"1\n", "not a number"}};
    struct sw_error error;
    uint64_t bytes;
    for (size_t i = 0; i < COUNT(good); i++) {
        bytes = 1;
        assert_true(sw_parse_size(good[i].text, SW_MAX_BYTES, &bytes, &error));
        assert_int_equal(bytes, good[i].bytes);
    }
    for (size_t i = 0; i < COUNT(bad); i++) {
        bytes = 77;
        assert_false(sw_parse_size(bad[i][0], SW_MAX_BYTES, &bytes, &error));
        assert_non_null(strstr(error.message, bad[i][1]));
        assert_int_equal(bytes, 77);
    }
    assert_true(sw_parse_size("0xffffffffffffffff", UINT64_MAX, &bytes, &error));
    assert_true(bytes == UINT64_MAX);
}

/* What people read can be typed, wherever it is exact. */
static void printed_sizes(void **state) {
    (void)state;
    uint64_t random = 7, exact = 0;
    for (unsigned n = 0; n < 20000; n++) {
        char text[32];
        uint64_t bytes = sw_random(&random) >> (3 + sw_random(&random) % 60), read = 0;
        assert_true(sw_parse_size(sw_show_count(bytes, text), SW_MAX_BYTES, &read, NULL) && read == bytes);
        uint64_t round = bytes & ~(uint64_t)255;
        if (round < 10240 && sw_parse_size(sw_show_bytes(round, text), SW_MAX_BYTES, &read, NULL)) {
            assert_int_equal(read, round);
            assert_true(sw_parse_size(sw_show_bytes_long(round, text), SW_MAX_BYTES, &read, NULL));
            assert_int_equal(read, round);
            exact++;
        }
    }
    assert_true(exact > 1000);
}

static void numbers(void **state) {
    (void)state;
    const struct {
        double number;
        const char *text;
    } cases[] = {{0, "0"},
                 {1, "1"},
                 {0.1, "0.1"},
                 {-2.5, "-2.5"},
                 {1e300, "1e+300"},
                 {1.0 / 3, "0.3333333333333333"},
                 {NAN, "null"},
                 {INFINITY, "null"},
                 {-INFINITY, "null"},
                 {100, "100"},
                 {-786432, "-786432"}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct sw_sink sink = {0};
        sw_sink_number(&sink, cases[i].number);
        sw_sink_add(&sink, "", 1);
        if (isfinite(cases[i].number)) {
            assert_true(strtod(sink.text.items, NULL) == cases[i].number);
        }
        assert_string_equal(sink.text.items, cases[i].text);
        sw_sink_done(&sink);
    }
}

static void long_texts(void **state) {
    (void)state;
    struct sw_sink sink = {0};
    char text[1000];
    memset(text, 'y', sizeof text);
    text[sizeof text - 1] = '\0';
    for (size_t length = 250; length < 262; length++) { /* around the size of the short buffer */
        sw_sink_printf(&sink, "%.*s|", (int)length, text);
        assert_int_equal(sink.text.count, length + 1);
        assert_int_equal(sink.text.items[length], '|');
        sw_sink_done(&sink);
    }
    sw_sink_printf(&sink, "%s", text);
    assert_sink(&sink, text);
}

static void integers(void **state) {
    (void)state;
    const struct {
        const char *text;
        enum sw_number kind;
        int64_t value;
    } cases[] = {{"0", SW_NUMBER_OK, 0},
                 {" 12\t", SW_NUMBER_OK, 12},
                 {"-007", SW_NUMBER_OK, -7},
                 {"9223372036854775807", SW_NUMBER_OK, INT64_MAX},
                 {"-9223372036854775808", SW_NUMBER_OK, INT64_MIN},
                 {"9223372036854775808", SW_NUMBER_BIG, 0},
                 {"-9223372036854775809", SW_NUMBER_BIG, 0},
                 {"00000000000000000000000000000001", SW_NUMBER_OK, 1},
                 {"", SW_NUMBER_NONE, 0},
                 {"  ", SW_NUMBER_NONE, 0},
                 {"-", SW_NUMBER_BAD, 0},
                 {"+1", SW_NUMBER_BAD, 0},
                 {"1 2", SW_NUMBER_BAD, 0},
                 {"--1", SW_NUMBER_BAD, 0},
                 {"99999999999999999999x", SW_NUMBER_BAD, 0}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        int64_t value = 0;
        assert_int_equal(sw_number_parse(cases[i].text, strlen(cases[i].text), &value), cases[i].kind);
        assert_true(value == cases[i].value);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(escapes),       cmocka_unit_test(cells_read_back),   cmocka_unit_test(sizes),
        cmocka_unit_test(printed_sizes), cmocka_unit_test(numbers),           cmocka_unit_test(long_texts),
        cmocka_unit_test(integers),      cmocka_unit_test(json_in_one_piece),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
