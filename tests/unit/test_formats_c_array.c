/* Arrays of bytes in C and C++ source: what is read, what is skipped, and what is said of what is wrong. */
#include "unit/formats.h"

#include "formats/wrapped/c_array.h"

#include <stdarg.h>
#include <stdlib.h>

/* "a@1: 1 2 3|b@2! line 3: this is no byte: x" */
struct seen {
    char text[1000];
    size_t used;
};

static void say(struct seen *seen, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void say(struct seen *seen, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int n = vsnprintf(seen->text + seen->used, sizeof seen->text - seen->used, format, arguments);
    va_end(arguments);
    seen->used += n > 0 && seen->used + (size_t)n < sizeof seen->text ? (size_t)n : 0;
}

static bool look(void *context, struct sw_c_array *array, struct sw_error *error) {
    struct seen *seen = context;
    (void)error;
    say(seen, "%s%.*s@%d", seen->used ? "|" : "", (int)array->name_length, array->name, (int)array->line);
    if (*array->wrong) {
        say(seen, "! line %d: %s", (int)array->wrong_line, array->wrong);
        return true;
    }
    for (size_t i = 0; i < array->bytes.count; i++) {
        say(seen, "%s%d", i ? " " : ": ", (int)(unsigned char)array->bytes.items[i]);
    }
    return true;
}

static const struct {
    const char *text, *seen;
} samples[] = {
    {"unsigned char a[] = {0x01, 0xFF,\n 2};", "a@1: 1 255 2"},
    {"\n#include <x>\nalignas(16) const uint8_t a[3] __attribute__((aligned(16))) = {1, 2, 3,};", "a@3: 1 2 3"},
    {"const int8_t a[] = {-1, -128, 0177, 0b101, 1u, 0x7FuL, 1'0};", "a@1: 255 128 127 5 1 127 10"},
    {"// a[] = {1}\n/* b[] = {2} */ const char *s = \"c[] = {3}\"; char d[] = {4 /* 5 */, // 6\n "
     "7};",
     "d@2: 4 7"},
    {"int f(char a[], int b[2]) { a[0] = b[1]; return a[0] == 3; } byte z[]={9};", "z@1: 9"},
    {"#define A \\\n  b[] = {1}\nchar c[] = {2};", "c@3: 2"},
    {"char a[] = {1}; char b[N * (2 + 1)] = {2};", "a@1: 1|b@1: 2"},
    {"char a[] = {1, 'x', 2}; char b[] = {3};", "a@1! line 1: this is no byte: 'x'|b@1: 3"},
    {"char a[] = {1,\n 256};", "a@1! line 2: this is no byte: 256"},
    {"char a[] = {-129};", "a@1! line 1: this is no byte: 129"},
    {"char a[] = {0x};", "a@1! line 1: this is no byte: 0x"},
    {"char a[] = {09};", "a@1! line 1: this is no byte: 09"},
    {"char a[] = {1,\n#if 1\n2\n#endif\n};", "a@1! line 2: a directive stands in it: #if 1"},
    {"char a[] = {1, 2", "a@1! line 1: it is cut off"},
    {"char a[2][2] = {{1, 2}, {3, 4}};", "a@1! line 1: this is no byte: {"},
    {"char a[] = \"text\"; char b; char c[3];", ""},
    {"", ""},
};

static void arrays(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        struct seen seen = {.used = 0};
        struct sw_error error = {0};
        assert_true(sw_c_arrays(samples[i].text, strlen(samples[i].text), look, &seen, &error));
        if (strcmp(seen.text, samples[i].seen) != 0) {
            fail_msg("%s\nwanted %s\ngot    %s", samples[i].text, samples[i].seen, seen.text);
        }
    }
}

/* Cut at every byte: what was whole before the cut stays, the rest is cut off, and nothing is read behind the end. */
static void cut(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        for (size_t length = 0; length <= strlen(samples[i].text); length++) {
            char *copy = malloc(length + 1);
            struct seen seen = {.used = 0};
            struct sw_error error = {0};
            assert_non_null(copy);
            char *tight = realloc(copy, length ? length : 1); /* no byte behind it */
            assert_non_null(tight);
            memcpy(tight, samples[i].text, length);
            sw_c_array_detect(tight, length);
            assert_true(sw_c_arrays(tight, length, look, &seen, &error));
            free(tight);
        }
    }
}

static void detected(void **state) {
    (void)state;
    static const char *const yes[] = {"/* */ char a[] = {1};", "#include <stdint.h>\nuint8_t a[] = {1};"};
    static const char *const no[] = {"id,lower,upper,size\n", "{\"char\": 1}", "", "char a;", "1 char {"};
    for (size_t i = 0; i < sizeof yes / sizeof *yes; i++) {
        assert_true(sw_c_array_detect(yes[i], strlen(yes[i])));
    }
    for (size_t i = 0; i < sizeof no / sizeof *no; i++) {
        assert_false(sw_c_array_detect(no[i], strlen(no[i])));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(arrays), cmocka_unit_test(cut), cmocka_unit_test(detected)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
