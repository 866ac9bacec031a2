/* Memory, chunked arrays, interval sets: the ground everything stands on. */
#include "unit/unit.h"

#include "base/lists/cow.h"
#include "base/names.h"
#include "base/sort.h"
#include "base/text.h"
#include "base/lists/spans.h"

#include <string.h>

static void arrays_grow(void **state) {
    (void)state;
    SW_ARRAY(uint32_t) list = {0};
    for (uint32_t i = 0; i < 1000; i++) {
        assert_true(SW_PUSH(&list, i * 3));
    }
    assert_int_equal(list.count, 1000);
    for (uint32_t i = 0; i < 1000; i++) {
        assert_int_equal(list.items[i], i * 3);
    }
    SW_ARRAY_DONE(&list);
    assert_null(list.items);
}

static void huge_requests_fail(void **state) {
    (void)state;
    assert_null(sw_mem_new(SIZE_MAX / 2, 8));
    struct sw_arena arena = {0};
    assert_null(sw_arena_new(&arena, SIZE_MAX, 2));
    assert_null(sw_arena_new(&arena, 1, SIZE_MAX - 8));
    sw_arena_done(&arena);
}

/* Clones share chunks; writing to one never shows in the other. */
static void clones_are_apart(void **state) {
    (void)state;
    struct sw_cow a, b;
    sw_cow_init(&a, sizeof(uint64_t));
    assert_true(sw_cow_resize(&a, 1000));
    for (size_t i = 0; i < 1000; i++) {
        *(uint64_t *)sw_cow_edit(&a, i) = i;
    }
    assert_true(sw_cow_clone(&b, &a));
    assert_int_equal(b.own, 0);
    *(uint64_t *)sw_cow_edit(&b, 300) = 7;
    assert_true(b.own > 0);
    assert_int_equal(*(const uint64_t *)sw_cow_get(&a, 300), 300);
    assert_int_equal(*(const uint64_t *)sw_cow_get(&b, 300), 7);
    *(uint64_t *)sw_cow_edit(&a, 999) = 8;
    assert_int_equal(*(const uint64_t *)sw_cow_get(&b, 999), 999);
    assert_true(sw_cow_resize(&b, 10)); /* cutting back clears, growing finds zeroes */
    assert_true(sw_cow_resize(&b, 20));
    assert_int_equal(*(const uint64_t *)sw_cow_get(&b, 15), 0);
    assert_int_equal(*(const uint64_t *)sw_cow_get(&a, 15), 15);
    sw_cow_done(&a);
    sw_cow_done(&b);
}

/* Against a plain scan, on random sets with members switched on and off. */
static void spans_agree_with_a_scan(void **state) {
    (void)state;
    uint64_t random = 42;
    for (int round = 0; round < 200; round++) {
        size_t count = (size_t)sw_random_below(&random, 40);
        uint64_t lo[40], hi[40];
        for (size_t i = 0; i < count; i++) {
            lo[i] = (i ? lo[i - 1] : 0) + sw_random_below(&random, 4);
            hi[i] = sw_random_below(&random, 3) ? lo[i] + 1 + sw_random_below(&random, 20) : 0;
        }
        struct sw_spans spans;
        assert_true(sw_spans_init(&spans, lo, count));
        if (round % 2) {
            sw_spans_fill(&spans, hi);
        } else {
            for (size_t i = 0; i < count; i++) {
                sw_spans_set(&spans, i, hi[i]);
            }
        }
        for (uint64_t from = 0; from < 60; from += 3) {
            uint64_t to = from + 1 + sw_random_below(&random, 9);
            size_t end = sw_spans_below(&spans, to), at = 0;
            for (size_t i = 0; i < count; i++) {
                if (hi[i] > from && lo[i] < to) {
                    at = sw_spans_next(&spans, at, end, from);
                    assert_int_equal(at, i);
                    at++;
                }
            }
            assert_int_equal(sw_spans_next(&spans, at, end, from), end);
        }
        sw_spans_done(&spans);
    }
}

/* Small and large keys, many equal ones, digits that do not differ; equals stay as they stood. */
static void sorting_is_stable(void **state) {
    (void)state;
    static const uint64_t widths[] = {1, 3, 2048, 1 << 20, UINT64_MAX};
    uint64_t random = 7;
    for (int round = 0; round < 200; round++) {
        size_t count = (size_t)sw_random_below(&random, 300);
        uint64_t width = widths[round % 5];
        unsigned shift = width == UINT64_MAX ? 0 : 11 * ((unsigned)round % 4);
        struct sw_keyed items[300];
        for (size_t i = 0; i < count; i++) {
            items[i] = (struct sw_keyed){5 + (sw_random_below(&random, width) << shift), (uint32_t)i};
        }
        assert_true(sw_sort_keyed(items, count));
        for (size_t i = 1; i < count; i++) {
            assert_true(items[i - 1].key < items[i].key ||
                        (items[i - 1].key == items[i].key && items[i - 1].index < items[i].index));
        }
    }
}

/* Names that begin alike, one within another, and the empty one; a name is its bytes and their number. */
static void names_have_numbers(void **state) {
    (void)state;
    static char text[1000];
    struct sw_names names = {0};
    memset(text, 'a', sizeof text);
    assert_int_equal(sw_names_find(&names, text, 1), UINT32_MAX);
    for (uint32_t i = 0; i < sizeof text; i++) {
        uint32_t *number = sw_names_at(&names, text, i);
        assert_int_equal(*number, UINT32_MAX);
        *number = i;
        assert_true(sw_names_set(&names, text, i / 2, i / 2 + 7));
    }
    assert_int_equal(names.count, sizeof text);
    for (uint32_t i = 0; i < sizeof text; i++) {
        assert_int_equal(sw_names_find(&names, text, i), i < sizeof text / 2 ? i + 7 : i);
    }
    assert_int_equal(sw_names_find(&names, "b", 1), UINT32_MAX);
    assert_int_equal(sw_names_find(&names, NULL, 0), 7);
    sw_names_clear(&names);
    assert_int_equal(sw_names_find(&names, text, 1), UINT32_MAX);
    assert_int_equal(*sw_names_at(&names, "a\0b", 3), UINT32_MAX);
    assert_true(sw_names_set(&names, "a\0b", 3, 1));
    assert_int_equal(sw_names_find(&names, "a\0c", 3), UINT32_MAX);
    sw_names_done(&names);
}

/* Against what was put together, with something wrong at every place of a word of eight bytes. */
static void utf8_is_checked(void **state) {
    (void)state;
    static const char *const wrong[] = {"", "\xff", "\x80", "\xc0\x80", "\xe2\x82", "\xed\xa0\x80", "\xf4\x90\x80\x80"};
    static const char *const right[] = {"a", "\x7f", "\xc2\x80", "\xe2\x82\xac", "\xef\xbf\xbf", "\xf0\x9f\x98\x80"};
    uint64_t random = 3;
    for (int round = 0; round < 2000; round++) {
        char text[80] = "";
        size_t good = 0;
        for (uint64_t more = sw_random_below(&random, 16); more > 0; more--) {
            const char *next = right[sw_random_below(&random, 4) ? 0 : sw_random_below(&random, 6)];
            memcpy(text + good, next, strlen(next));
            good += strlen(next);
        }
        const char *bad = wrong[sw_random_below(&random, 7)];
        memcpy(text + good, bad, strlen(bad) + 1); /* a NUL is wrong, too */
        size_t length = good + strlen(bad) + sw_random_below(&random, 9);
        assert_int_equal(sw_utf8_valid(text, length), good);
    }
    assert_int_equal(sw_utf8_valid(NULL, 0), 0);
}

static void texts_grow_within_their_room(void **state) {
    (void)state;
    char text[9] = "one";
    SW_TEXT_ADD(text, ", %s", "two");
    assert_string_equal(text, "one, two");
    for (int i = 0; i < 3; i++) {
        SW_TEXT_ADD(text, " and %d more", i);
        assert_string_equal(text, "one, two");
    }
    strcpy(text, "ab");
    SW_TEXT_ADD(text, "%s", "0123456789");
    assert_string_equal(text, "ab012345");
}

static void errors_are_clean(void **state) {
    (void)state;
    struct sw_error error;
    assert_false(sw_fail(&error, SW_ERROR_INPUT, "a\nb\x1b[31m %s", "c\td"));
    assert_string_equal(error.message, "a?b?[31m c?d");
    char longer[1000];
    memset(longer, 'x', sizeof longer);
    for (size_t i = 1; i + 2 < sizeof longer; i += 2) {
        memcpy(longer + i, "\xc3\xa9", 2); /* e acute, so that a cut can fall inside one */
    }
    longer[999] = '\0';
    sw_fail(&error, SW_ERROR_INPUT, "%s", longer);
    size_t length = strlen(error.message);
    assert_true(length > 300 && (error.message[length - 1] & 0xc0) == 0x80);
    sw_fail(NULL, SW_ERROR_INPUT, "no error is wanted");
}

static void random_is_fixed_for_all_time(void **state) {
    (void)state;
    uint64_t random = 1; /* splitmix64 of 1 */
    assert_true(sw_random(&random) == UINT64_C(0x910a2dec89025cc1));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arrays_grow),       cmocka_unit_test(huge_requests_fail),
        cmocka_unit_test(clones_are_apart),  cmocka_unit_test(spans_agree_with_a_scan),
        cmocka_unit_test(sorting_is_stable), cmocka_unit_test(names_have_numbers),
        cmocka_unit_test(utf8_is_checked),   cmocka_unit_test(texts_grow_within_their_room),
        cmocka_unit_test(errors_are_clean),  cmocka_unit_test(random_is_fixed_for_all_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
