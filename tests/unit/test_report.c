/* What commands answer, in its four forms: the same table as text, Markdown, CSV and JSON, and JSON item by item. */
#include "unit/unit.h"

#include "cli/report/cli_report.h"

#include <locale.h>
#include <math.h>
#include <string.h>

static const struct sw_report_column columns[] = {{.json = "name", .csv = "name", .head = "name", .left = true},
                                                  {.json = "bytes", .csv = "bytes", .head = "bytes", .none = "-"},
                                                  {.json = "part", .csv = "part_percent", .head = "part"},
                                                  {.json = "remark", .optional = true},
                                                  {.head = "words", .left = true}};
enum { COLUMNS = sizeof columns / sizeof *columns };

static void put_row(struct sw_cli_report *report, const char *name, bool known, double part, const char *words) {
    sw_row_text(report, name);
    sw_row_known(report, known, 1234567);
    sw_row_percent(report, part, true);
    sw_row_text(report, known ? NULL : "none");
    sw_row_words(report, "%s", words);
}

static void expect(struct sw_cli_report *report, const char *text) {
    sw_sink_add(&report->out, "", 1);
    assert_false(report->out.failed);
    assert_string_equal(report->out.text.items, text);
    sw_cli_report_drop(report);
}

/* Names that have a meaning in each of the forms, one that is wider than it has letters, one that is no UTF-8. */
static void put_table(struct sw_cli_report *report, enum sw_output output) {
    sw_cli_report_start(report, output);
    sw_rows_begin(report, NULL, columns, COLUMNS);
    put_row(report, "a|\"b\",_c", true, -0.25, "says");
    put_row(report, "=漢\n", false, (double)NAN, "");
    put_row(report, "\xff", true, 0.5, "");
    sw_rows_end(report);
}

static void text(void **state) {
    struct sw_cli_report report;
    (void)state;
    put_table(&report, SW_OUTPUT_TEXT);
    expect(&report, "name          bytes    part  words\n"
                    "a|\"b\",_c  1,234,567  -25.0%  says\n"
                    "=漢?              -\n"
                    "?         1,234,567  +50.0%\n");
}

static void markdown(void **state) {
    struct sw_cli_report report;
    (void)state;
    put_table(&report, SW_OUTPUT_MD);
    expect(&report, "| name     |     bytes |   part | words |\n"
                    "| :--- | ---: | ---: | :--- |\n"
                    "| a\\|\"b\",\\_c | 1,234,567 | -25.0% | says |\n"
                    "| =漢?     |         - |        |  |\n"
                    "| ?        | 1,234,567 | +50.0% |  |\n");
}

/* A text that begins like a formula is none; a figure is a figure. */
static void csv(void **state) {
    struct sw_cli_report report;
    (void)state;
    put_table(&report, SW_OUTPUT_CSV);
    expect(&report, "name,bytes,part_percent\n"
                    "\"a|\"\"b\"\",_c\",1234567,-25.00\n"
                    "'=漢\\u000a,,\n"
                    "?,1234567,50.00\n");
}

static void json(void **state) {
    struct sw_cli_report report;
    (void)state;
    put_table(&report, SW_OUTPUT_JSON);
    expect(&report, "[\n {\"name\":\"a|\\\"b\\\",_c\",\"bytes\":1234567,\"part\":-0.25},"
                    "\n {\"name\":\"=漢\\n\",\"bytes\":null,\"part\":null,\"remark\":\"none\"},"
                    "\n {\"name\":\"\\ufffd\",\"bytes\":1234567,\"part\":0.5}]\n");
}

static void no_rows(void **state) {
    static const char *const texts[] = {[SW_OUTPUT_TEXT] = "name  bytes  part  words\n",
                                        [SW_OUTPUT_CSV] = "name,bytes,part_percent\n",
                                        [SW_OUTPUT_JSON] = "[]\n",
                                        [SW_OUTPUT_MD] =
                                            "| name | bytes | part | words |\n| :--- | ---: | ---: | :--- |\n"};
    (void)state;
    for (enum sw_output output = SW_OUTPUT_TEXT; output <= SW_OUTPUT_MD; output++) {
        struct sw_cli_report report;
        sw_cli_report_start(&report, output);
        sw_rows_begin(&report, NULL, columns, COLUMNS);
        sw_rows_end(&report);
        expect(&report, texts[output]);
    }
}

/* What is longer than a fixed width pushes the rest of its line only. Without heads there is no line of them, and a
 * column in which nothing stands has no gap. */
static void widths(void **state) {
    static const struct sw_report_column fixed[] = {
        {.head = "", .width = 4, .left = true}, {.head = "", .left = true}, {.head = "", .width = 5}};
    struct sw_cli_report report;
    (void)state;
    sw_cli_report_start(&report, SW_OUTPUT_TEXT);
    sw_rows_begin(&report, NULL, fixed, 3);
    report.indent = " ";
    for (int i = 0; i < 2; i++) {
        sw_row_text(&report, i ? "longer" : "x");
        sw_row_none(&report);
        sw_row_words(&report, "%d", i ? 1234 : 123);
    }
    sw_rows_end(&report);
    sw_report_bytes(&report.out, "peak", 2048, "%s", "");
    sw_report_bytes(&report.out, "bound", 1, "%d of them", 3);
    sw_report_line(&report.out, "cost", "%s", "7");
    expect(&report, " x       123\n"
                    " longer   1234\n"
                    "  peak                 2 KiB           2,048 B\n"
                    "  bound                  1 B               1 B   3 of them\n"
                    "  cost            7\n");
}

/* Figures that are not finite are none, whatever the form. */
static void not_finite(void **state) {
    static const struct sw_report_column figures[] = {
        {.json = "a", .csv = "a"}, {.json = "b", .csv = "b"}, {.json = "c", .csv = "c"}};
    const double numbers[] = {(double)NAN, (double)INFINITY, 0.1};
    struct sw_cli_report report;
    (void)state;
    for (int form = 0; form < 2; form++) {
        sw_cli_report_start(&report, form ? SW_OUTPUT_CSV : SW_OUTPUT_JSON);
        sw_rows_begin(&report, NULL, figures, 3);
        for (size_t i = 0; i < 3; i++) {
            sw_row_exact(&report, numbers[i]);
        }
        for (size_t i = 0; i < 3; i++) {
            sw_row_number(&report, numbers[i]);
        }
        sw_rows_end(&report);
        expect(&report, form ? "a,b,c\n,,0.1\n,inf,0.1\n"
                             : "[\n {\"a\":null,\"b\":null,\"c\":0.1},\n {\"a\":null,\"b\":null,\"c\":0.1}]\n");
    }
}

/* Several counts in one call are as many cells, and all are none where they are not known. */
static void counts(void **state) {
    static const struct sw_report_column both[] = {{.name = "a"}, {.name = "b"}};
    struct sw_cli_report report;
    (void)state;
    for (int form = 0; form < 2; form++) {
        sw_cli_report_start(&report, form ? SW_OUTPUT_CSV : SW_OUTPUT_JSON);
        sw_rows_begin(&report, NULL, both, 2);
        SW_ROW_COUNTS(&report, true, 1, 2000);
        SW_ROW_COUNTS(&report, false, 3, 4);
        sw_rows_end(&report);
        expect(&report, form ? "a,b\n1,2000\n,\n" : "[\n {\"a\":1,\"b\":2000},\n {\"a\":null,\"b\":null}]\n");
    }
}

/* Lines, items that stay on them, and what is empty. */
static void items(void **state) {
    struct sw_sink out = {0};
    struct sw_json_out to = {.out = &out};
    (void)state;
    sw_put_object(&to, NULL);
    sw_put_lines(&to);
    sw_put_text(&to, "a\"\x01", NULL);
    SW_PUT_COUNTS(&to, {"b", UINT64_MAX}, {"c", 0});
    sw_put_time(&to, "d", INT64_MIN);
    sw_put_list(&to, "e");
    sw_put_lines(&to);
    for (int i = 0; i < 2; i++) {
        sw_put_object(&to, NULL);
        sw_put_truth(&to, "f", i == 0);
        sw_put_list(&to, "g");
        sw_put_end(&to);
        sw_put_end(&to);
    }
    sw_put_end(&to);
    sw_put_object(&to, "h");
    sw_put_end(&to);
    sw_put_number(&to, "i", (double)-INFINITY);
    sw_put_end(&to);
    sw_sink_add(&out, "", 1);
    assert_string_equal(out.text.items,
                        "{\"a\\\"\\u0001\":null,\n \"b\":18446744073709551615,\n \"c\":0,\n \"d\":-9223372036854775808,"
                        "\n \"e\":[\n  {\"f\":true,\"g\":[]},\n  {\"f\":false,\"g\":[]}],\n \"h\":{},\n \"i\":null}\n");
    sw_sink_done(&out);
}

/* Brackets inside one another beyond what is kept: the sink has failed, and nothing is written behind the end of
 * anything. */
static void too_deep(void **state) {
    struct sw_sink out = {0};
    struct sw_json_out to = {.out = &out};
    (void)state;
    for (int i = 0; i < SW_JSON_OPEN; i++) {
        sw_put_list(&to, NULL);
    }
    assert_false(out.failed);
    sw_put_list(&to, NULL);
    assert_true(out.failed);
    sw_put_lines(&to);
    sw_put_count(&to, NULL, 1);
    for (int i = 0; i <= SW_JSON_OPEN; i++) {
        sw_put_end(&to);
    }
    assert_int_equal(to.depth, 0);
    sw_put_count(&to, NULL, 1);
    sw_sink_done(&out);
}

int main(void) {
    setlocale(LC_CTYPE, "C.UTF-8"); /* in which characters have widths */
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text),     cmocka_unit_test(markdown), cmocka_unit_test(csv),        cmocka_unit_test(json),
        cmocka_unit_test(no_rows),  cmocka_unit_test(widths),   cmocka_unit_test(not_finite), cmocka_unit_test(items),
        cmocka_unit_test(too_deep), cmocka_unit_test(counts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
