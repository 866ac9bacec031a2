/* Text that people pasted means what it meant before it was quoted, numbered, colored and wrapped. */
#include "unit/formats.h"
#include "unit/noted.h"

#include "formats/wrapped/pasted.h"

static const char table[] = "id,lower,upper,size,alignment\n"
                            "first,0,3,100,1\n"
                            "second,1,4,64,16\n"
                            "third,2,9,4096,64\n";

static const char calls[] = "= Start\n"
                            "@ ./program:[0x11c0] + 0x5000 0x64\n"
                            "@ ./program:(main+0x1a)[0x11d3] + 0x5100 0x96\n"
                            "@ ./program:[0x11e8] < 0x5000\n"
                            "@ ./program:[0x11e8] > 0x5200 0x1388\n"
                            "@ ./program:[0x11e8] - 0x5100\n"
                            "= End\n";

#define ALLOCATING "ggml_dyn_tallocr_alloc: allocating "
static const char decisions[] =
    ALLOCATING "the first tensor (64 bytes) - block 0, offset 0, chunk 0\n" ALLOCATING
               "a weight that has a long name (1048576 bytes) - block 0, offset 64, chunk 0\n" ALLOCATING
               "the output of the layer (128 bytes) - block 0, offset 1048640, chunk 0\n"
               "exec: MUL_MAT (the output of the layer) <= the first tensor, a weight that "
               "has a long name\n"
               "parent the first tensor: 0 children, 0 views, allocated: 1\n"
               "ggml_gallocr_free_node: freeing the first tensor at {chunk=0, offset=0} (64 "
               "bytes) - n_free_blocks = 2\n";

/* ---- what people's programs put around it ---- */

typedef void front_fn(struct sw_sink *, unsigned line);

static void quote(struct sw_sink *to, unsigned line) {
    (void)line;
    sw_sink_printf(to, "> ");
}
static void quote_twice(struct sw_sink *to, unsigned line) {
    (void)line;
    sw_sink_printf(to, ">> ");
}
static void bar(struct sw_sink *to, unsigned line) {
    (void)line;
    sw_sink_printf(to, "| ");
}
static void grep_number(struct sw_sink *to, unsigned line) {
    sw_sink_printf(to, "%u:", line + 1);
}
static void cat_number(struct sw_sink *to, unsigned line) {
    sw_sink_printf(to, "%6u\t", line + 1);
}
static void pager_number(struct sw_sink *to, unsigned line) {
    sw_sink_printf(to, "%4u | ", line + 1);
}
static void journal(struct sw_sink *to, unsigned line) {
    sw_sink_printf(to, "Jan  1 10:00:%02u host app[123]: ", line % 60);
}
static void container(struct sw_sink *to, unsigned line) {
    sw_sink_printf(to, "2026-11-25T10:00:%02u.123456Z stdout F ", line % 60);
}
static void compose(struct sw_sink *to, unsigned line) {
    (void)line;
    sw_sink_printf(to, "app-1  | ");
}
static void stamp(struct sw_sink *to, unsigned line) {
    sw_sink_printf(to, "[2026-11-25 10:00:%02u] ", line % 60);
}

/* A new text; the one it was made of is freed. */
static void each_line(struct sw_sink *text, front_fn *front) {
    struct sw_sink made = {0};
    unsigned line = 0;
    for (size_t i = 0; i < text->text.count; i++) {
        if (i == 0 || text->text.items[i - 1] == '\n') {
            front(&made, line++);
        }
        sw_sink_add(&made, text->text.items + i, 1);
    }
    sw_sink_done(text);
    *text = made;
}

static void around(struct sw_sink *text, const char *before, const char *after) {
    struct sw_sink made = {0};
    sw_sink_printf(&made, "%s", before);
    sw_sink_add(&made, text->text.items, text->text.count);
    sw_sink_printf(&made, "%s", after);
    sw_sink_done(text);
    *text = made;
}

static void instead(struct sw_sink *text, char of, const char *put) {
    struct sw_sink made = {0};
    for (size_t i = 0; i < text->text.count; i++) {
        char c = text->text.items[i];
        sw_sink_add(&made, c == of ? put : &c, c == of ? strlen(put) : 1);
    }
    sw_sink_done(text);
    *text = made;
}

/* Colors take no room on a terminal. */
static void wrap(struct sw_sink *text) {
    struct sw_sink made = {0};
    unsigned column = 0;
    bool color = false;
    for (size_t i = 0; i < text->text.count; i++) {
        char c = text->text.items[i];
        color = color || c == '\x1b';
        if (c != '\n' && column == 80 && !color) {
            sw_sink_add(&made, "\n", 1);
            column = 0;
        }
        sw_sink_add(&made, &c, 1);
        column = c == '\n' ? 0 : column + !color;
        color = color && c != 'm';
    }
    sw_sink_done(text);
    *text = made;
}

static front_fn *const fronts[] = {quote,        quote_twice, bar,       grep_number, cat_number,
                                   pager_number, journal,     container, compose,     stamp};
enum { PROMPT = COUNT(fronts), FENCE, COLOR, ENTITIES, RETURNS, WRAP, ORNAMENTS };

static void decorate(struct sw_sink *text, unsigned ornament) {
    switch (ornament) {
    case PROMPT:
        around(text, "me@machine:~/run$ cat log\n", "me@machine:~/run$ \n");
        break;
    case FENCE:
        around(text, "What is wrong here?\n\n```text\n", "```\nThanks\n");
        break;
    case COLOR:
        instead(text, ' ', "\x1b[1m \x1b[0m");
        instead(text, ',', "\x1b[32m,\x1b[0m");
        break;
    case ENTITIES:
        instead(text, '&', "&amp;");
        instead(text, '>', "&gt;");
        instead(text, '<', "&lt;");
        break;
    case RETURNS:
        instead(text, '\n', "\r\n");
        break;
    case WRAP:
        wrap(text);
        break;
    default:
        each_line(text, fronts[ornament]);
    }
}

static uint64_t digest_of(const char *clean, const unsigned *ornaments, size_t count) {
    struct sw_sink text = {0};
    struct sw_error error = {0};
    sw_sink_printf(&text, "%s", clean);
    for (size_t i = 0; i < count; i++) {
        decorate(&text, ornaments[i]);
    }
    struct sw_input input = text_input(text.text.items, text.text.count);
    struct sw_problem *problem = sw_load_input(&input, NULL, &error);
    if (!problem) {
        fail_msg("%u:%u: %s\n%.*s", error.line, error.column, error.message, (int)text.text.count, text.text.items);
    }
    uint64_t digest = sw_problem_digest(problem);
    sw_problem_unref(problem);
    sw_sink_done(&text);
    return digest;
}

static void ornaments_around(const char *clean) {
    uint64_t wanted = digest_of(clean, NULL, 0);
    for (unsigned outer = 0; outer < ORNAMENTS; outer++) {
        for (unsigned inner = 0; inner < ORNAMENTS; inner++) {
            const unsigned both[] = {inner, outer};
            if (digest_of(clean, both, 1 + (inner != outer)) != wanted) {
                fail_msg("another problem with %u and %u around\n%s", inner, outer, clean);
            }
        }
    }
}

static void of_tables(void **state) {
    (void)state;
    ornaments_around(table);
}

static void of_requests(void **state) {
    (void)state;
    ornaments_around(calls);
}

static void of_decisions(void **state) {
    (void)state;
    ornaments_around(decisions);
}

/* ---- what is said ---- */

static void is_told(void **state) {
    (void)state;
    struct sw_problem *problem = must_read("> id,lower,upper,size\n> a,0,3,4\n>\n> b,1,4,8\n");
    assert_true(noted(problem, "pasted text: quotes taken off 4 lines"));
    sw_problem_unref(problem);
    problem = must_read("$ cat t\n 1 | id,lower,upper,size\r\n 2 | a,0,3,4\r\n");
    assert_true(noted(problem, "pasted text: line numbers taken off 2 lines; prompts left out: 1 "
                               "line; carriage returns taken off at 2 places"));
    sw_problem_unref(problem);
    problem = must_read(table);
    assert_false(noted(problem, "pasted"));
    sw_problem_unref(problem);
}

/* Errors stand where the original has them. */
static void places(void **state) {
    (void)state;
    static const struct refusal refusals[] = {
        {"> id,lower,upper,size\n> a,0,3,4\n> b,1,x,8\n", 3, 7, "upper 'x' is not a whole number"},
        {"```\n> id,lower,upper,size\n> a,0,x,4\n```\n", 3, 7, "upper 'x' is not a whole number"},
        {"  1: id,lower,upper,size\n  2: a,\x1b[1m0\x1b[0m,x,4\n", 2, 18, "upper 'x' is not a whole number"},
    };
    must_refuse_text(refusals, COUNT(refusals));
}

/* What is not pasted is left alone: a quote in a text, one line of many. */
static void is_left_alone(void **state) {
    (void)state;
    static const char *const texts[] = {"a\n> b\nc\n", "1: a\n3: b\n", "id,lower\n", "> one line\n", "[x] y\n[z] a\n"};
    for (size_t i = 0; i < COUNT(texts); i++) {
        struct sw_input input = text_input(texts[i], strlen(texts[i]));
        struct sw_pasted pasted;
        struct sw_error error = {0};
        assert_true(sw_pasted_clean(&input, SW_PASTED_LINES, &pasted, &error));
        assert_false(sw_pasted_changed(&pasted));
        assert_int_equal(pasted.bytes.count, input.length);
        sw_pasted_done(&pasted);
    }
}

/* A mail breaks lines at blanks; a container's log in pieces. */
static void broken_lines(void **state) {
    (void)state;
    static const char folded[] = "one line that a mail has broken because it was too long, as all\n"
                                 "of them are that a program writes\n"
                                 "two\n";
    struct sw_input input = text_input(folded, strlen(folded));
    struct sw_pasted pasted;
    struct sw_error error = {0};
    assert_true(sw_pasted_clean(&input, SW_PASTED_FOLDED, &pasted, &error));
    assert_int_equal(pasted.joined, 1);
    assert_memory_equal(pasted.bytes.items + 60, "all of them", 11);
    uint32_t line = 1, column = 65;
    sw_pasted_locate(&pasted, &input, &line, &column);
    assert_int_equal(line, 2);
    assert_int_equal(column, 1);
    sw_pasted_done(&pasted);
    struct sw_problem *problem = must_read("2026-11-25T10:00:00Z stdout P id,lower,\n"
                                           "2026-11-25T10:00:00Z stdout F upper,size\n"
                                           "2026-11-25T10:00:00Z stdout F a,0,3,4\n");
    assert_int_equal(sw_problem_buffer_count(problem), 1);
    sw_problem_unref(problem);
}

static void cut_anywhere(void **state) {
    (void)state;
    cut_everywhere("$ cat t\n> 1: \x1b[1mid\x1b[0m,lower,upper,size\n> 2: a&amp;b,0,3,4\n> 3: c,1,4,8\n```\n");
}

/* A mail that breaks a quoted line leaves the rest without a quote. */
static void rests_of_quotes(void **state) {
    (void)state;
    static const char chunk[] =
        "2026-03-02 09:14:07.310999: I bfc_allocator.cc:1089] InUse at 7f3c20000%03x of size 256 "
        "next %u";
    struct sw_sink quoted = {0}, plain = {0};
    for (unsigned i = 0; i < 30; i++) {
        char line[200];
        size_t length = (size_t)snprintf(line, sizeof line, chunk, i, i), at = 76;
        while (line[at] != ' ') {
            at--;
        }
        sw_sink_printf(&plain, "%s\n", line);
        sw_sink_printf(&quoted, "> %.*s\n%.*s\n", (int)at, line, (int)(length - at - 1), line + at + 1);
    }
    struct sw_input input = text_input(quoted.text.items, quoted.text.count);
    struct sw_pasted pasted;
    assert_true(sw_pasted_clean(&input, SW_PASTED_LINES, &pasted, NULL));
    assert_int_equal(pasted.bytes.count, plain.text.count);
    assert_memory_equal(pasted.bytes.items, plain.text.items, plain.text.count);
    assert_int_equal(pasted.taken[SW_PASTED_QUOTE], 30);
    assert_int_equal(pasted.joined, 30);
    uint32_t line = 3, column = 5;
    sw_pasted_locate(&pasted, &input, &line, &column);
    assert_int_equal(line, 5);
    assert_int_equal(column, 7);
    sw_pasted_done(&pasted);
    sw_sink_done(&quoted);
    sw_sink_done(&plain);
}

/* What looks like a quote and is none: no line is joined to another. */
static void no_rests(void **state) {
    (void)state;
    static const char *const texts[] = {
        ">>> print(the_first_name_is_long, and_so_is_the_second_of_all_the_names)\n1 2\n>>> print(3)\n3\n>>> x\n4\n",
        "$ ./program --an-option-that-is-long --another-option-that-is-long --more \\\n> file.log\n$ cat file.log\na "
        "b\n",
        "5c5\n< the old line of a text that is long enough to be one that a mail breaks\n---\n"
        "> the new line of a text that is long enough to be one that a mail breaks\n6c6\n< a\n---\n> b\n",
        "# Title\n\n> a quote in a text of Markdown that is long enough to be broken by a mail\n\nwords after it\nand "
        "more\n",
        "> Here is one line of a mail that is quoted and as long as a line of a mail is\nI think that is right.\nSo do "
        "I.\n",
    };
    for (size_t i = 0; i < COUNT(texts); i++) {
        struct sw_input input = text_input(texts[i], strlen(texts[i]));
        struct sw_pasted pasted;
        assert_true(sw_pasted_clean(&input, SW_PASTED_LINES, &pasted, NULL));
        assert_int_equal(pasted.joined, 0);
        sw_pasted_done(&pasted);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(of_tables),    cmocka_unit_test(of_requests),  cmocka_unit_test(of_decisions),
        cmocka_unit_test(is_told),      cmocka_unit_test(places),       cmocka_unit_test(is_left_alone),
        cmocka_unit_test(broken_lines), cmocka_unit_test(cut_anywhere), cmocka_unit_test(rests_of_quotes),
        cmocka_unit_test(no_rests),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
