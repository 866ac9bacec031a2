/* A text that no reader takes is refused for the one that is nearest, by marks that stand where the message says. */
#include "unit/formats.h"

#include "formats/known_by.h"
#include "formats/text/utf8.h"

#include <glob.h>

/* Has a message of that a format, and is all of it true? */
static bool says_near(const struct sw_input *input, const struct sw_error *error, const struct sw_known_by *words) {
    char looks[160];
    snprintf(looks, sizeof looks, "this looks like %s (\"", words->looks);
    if (strncmp(error->message, looks, strlen(looks)) != 0) {
        return false;
    }
    struct sw_position end = sw_text_position(input, sw_text_end(input));
    assert_true(error->line > 0 && error->line <= end.line);
    return true;
}

static const struct sw_known_by *said_near(const struct sw_input *input, const struct sw_error *error) {
    for (size_t i = 0; i < sw_format_count(); i++) {
        const struct sw_known_by *words = sw_format_get(i)->words;
        if (words && words->looks && says_near(input, error, words)) {
            return words;
        }
    }
    return NULL;
}

/* The word as a line has it: a number for each %d, and nothing for what else may stand there. */
static size_t spell(const char *word, char *to) {
    char *begin = to;
    for (; *word; word++) {
        if (*word == '%' && strchr("dnws", word[1])) {
            word++;
            *to++ = *word == 's' ? ' ' : '7';
        } else {
            *to++ = *word;
        }
    }
    *to = '\0';
    return (size_t)(to - begin);
}

/* Each mark of each reader, alone in a text: the place is its own. */
static void each_mark(void **state) {
    (void)state;
    size_t marks = 0;
    for (size_t i = 0; i < sw_format_count(); i++) {
        const struct sw_known_by *words = sw_format_get(i)->words;
        for (const char *const *near = words ? words->near : NULL; near && *near; near++) {
            char text[256] = "one line of prose\nxx ";
            struct sw_error error = {0};
            size_t length = 21 + spell(*near, text + 21);
            struct sw_input input = text_input(text, length);
            assert_null(sw_load_input(&input, NULL, &error));
            bool anothers = strcmp(*near, "__LOG_MEMORY__") == 0; /* foreign.c has more to say of it */
            if (!anothers && (!said_near(&input, &error) || error.line != 2)) {
                fail_msg("%s: \"%s\": %s", sw_format_get(i)->name, *near, error.message);
            }
            marks++;
        }
    }
    assert_true(marks > 100);
}

/* Two marks of a reader name it or one that has both as well. */
static void all_marks(void **state) {
    (void)state;
    for (size_t i = 0; i < sw_format_count(); i++) {
        const struct sw_known_by *words = sw_format_get(i)->words;
        char text[2048] = "prose\n";
        size_t length = 6;
        for (const char *const *near = words ? words->near : NULL; near && *near; near++) {
            if (strcmp(*near, "__LOG_MEMORY__") != 0) {
                length += spell(*near, text + length);
                text[length++] = '\n';
            }
        }
        struct sw_error error = {0};
        struct sw_input input = text_input(text, length);
        assert_true(length == 6 || !sw_load_input(&input, NULL, &error));
        if (length > 6 && !says_near(&input, &error, words)) {
            fail_msg("%s: %s", sw_format_get(i)->name, error.message);
        }
    }
}

/* ---- samples without what they are known by ---- */

/* The lines that do not by themselves make a text one that a reader takes. */
static size_t without_known(const struct sw_input *input, char *to) {
    size_t length = 0;
    for (const char *at = sw_text_begin(input), *end = sw_text_end(input); at < end;) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        size_t size = (size_t)((stop ? stop + 1 : end) - at);
        struct sw_input line = text_input(at, size);
        bool known = false;
        for (size_t i = 0; i < sw_format_count() && !known; i++) {
            known = sw_format_is(sw_format_get(i), &line);
        }
        if (!known) {
            memcpy(to + length, at, size);
            length += size;
        }
        at += size;
    }
    return length;
}

static bool is_blank(const char *text, size_t length) {
    return strspn(text, " \t\r\n") >= length;
}

/* Returns whether the rest of the sample is refused for the reader. */
static bool refused_for(const char *path, const struct sw_known_by *words) {
    struct sw_error error = {0};
    struct sw_input input;
    assert_true(sw_input_open(path, &input, &error));
    char *rest = calloc(1, input.length + 1);
    assert_non_null(rest);
    size_t length = without_known(&input, rest);
    struct sw_input part = text_input(rest, length);
    struct sw_problem *problem = sw_load_input(&part, NULL, &error);
    bool refused = !problem && (is_blank(rest, length) || says_near(&part, &error, words));
    if (!problem) {
        assert_int_equal(error.code, SW_ERROR_INPUT);
        assert_null(strchr(error.message, '\n'));
    }
    sw_problem_unref(problem);
    free(rest);
    sw_input_close(&input);
    return refused;
}

static void samples(void **state) {
    (void)state;
    size_t all = 0, near = 0;
    for (size_t i = 0; i < sw_format_count(); i++) {
        const struct sw_format *format = sw_format_get(i);
        const char *slash = format->script ? strrchr(format->script, '/') : NULL;
        if (!format->words || !format->words->near) {
            continue;
        }
        char pattern[1024];
        glob_t found;
        snprintf(pattern, sizeof pattern, SW_TEST_SOURCE "/tests/fuzz/corpus/%s/*", slash ? slash + 1 : format->script);
        assert_int_equal(glob(pattern, 0, NULL, &found), 0);
        for (size_t k = 0; k < found.gl_pathc; k++) {
            bool good = refused_for(found.gl_pathv[k], format->words);
            all++;
            near += good;
        }
        globfree(&found);
    }
    assert_true(near + 11 >= all); /* of those nothing is left but rows of numbers, or less */
}

/* ---- what is near to nothing ---- */

static void prose(void **state) {
    (void)state;
    static const char *const texts[] = {
        "My program runs out of memory after an hour. What could I do?\n",
        "We allocate 5 buffers, and free at the end. Stats: none.\nThe arena is 64 KB.\n",
        "int main(void) {\n    return printf(\"%d\", 5);\n}\n",
        "> quoted: there is a heap, and a chunk of it\n",
        "x = torch.zeros(5)\nprint(x)\n",
    };
    for (size_t i = 0; i < COUNT(texts); i++) {
        struct sw_input input = text_input(texts[i], strlen(texts[i]));
        struct sw_error error = {0};
        assert_null(sw_load_input(&input, NULL, &error));
        if (strstr(error.message, "looks like")) {
            fail_msg("%s: %s", texts[i], error.message);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_mark),
        cmocka_unit_test(all_marks),
        cmocka_unit_test(samples),
        cmocka_unit_test(prose),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
