/* Two recordings compared; what a planner and a person are told of a run. */
#include "../unit/unit.h"

#include "attach/child.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct sw_run_text run(const char *text, bool whole) {
    return (struct sw_run_text){text, strlen(text), whole};
}

static enum sw_same compare(const char *before, const char *now, bool whole, uint64_t decisions,
                            struct sw_rerun *rerun) {
    struct sw_run_text a = run(before, true), b = run(now, whole);
    *rerun = (struct sw_rerun){0};
    return sw_runs_compare(&a, &b, decisions, rerun);
}

#define HEAD "{\"stowage-trace\":1,\"planner\":\"p\"}\n"
#define BUFFERS "{\"buffer\":\"a\",\"size\":1}\n{\"size\":2,\"buffer\":\"b\"}\n"
#define FIRST "{\"decision\":\"place\",\"buffer\":\"a\",\"offset\":0}"
#define SECOND "{\"buffer\":\"b\",\"offset\":8,\"decision\":\"place\"}"

static void the_same(void **state) {
    (void)state;
    struct sw_rerun rerun;
    const char *text = HEAD BUFFERS FIRST "\n" SECOND "\n";
    assert_int_equal(compare(text, text, true, 2, &rerun), SW_SAME);
    assert_int_equal(rerun.same, 2);
    assert_int_equal(compare(text, text, false, 2, &rerun), SW_SAME);
    assert_int_equal(compare(text, text, true, 9, &rerun), SW_SAME); /* both have ended */
    assert_int_equal(rerun.same, 2);
    assert_int_equal(compare("", "", true, 9, &rerun), SW_SAME);
    assert_int_equal(compare(text, HEAD, false, 0, &rerun), SW_SAME);
    /* Headers, candidates, states, groups and what is unknown may differ. */
    assert_int_equal(compare(text,
                             "{\"stowage-trace\":1,\"planner\":\"p\",\"when\":12}\n" BUFFERS
                             "{\"candidate\":3,\"buffer\":\"b\"}\n{\"group\":\"g\"}\n{\"hm\":1}\nno JSON\n\n" FIRST
                             "\n{\"state\":\"s\"}\n" SECOND,
                             true, 2, &rerun),
                     SW_SAME);
}

static void assert_part(const struct sw_rerun *rerun, uint64_t decision, bool declared, const char *was,
                        const char *is) {
    assert_int_equal(rerun->decision, decision);
    assert_int_equal(rerun->declared, declared);
    assert_int_equal(rerun->same, decision - 1);
    assert_int_equal(rerun->was_length, strlen(was));
    assert_int_equal(rerun->is_length, strlen(is));
    assert_true(*was ? memcmp(rerun->was, was, strlen(was)) == 0 : !rerun->was);
    assert_true(*is ? memcmp(rerun->is, is, strlen(is)) == 0 : !rerun->is);
}

static void not_the_same(void **state) {
    (void)state;
    struct sw_rerun rerun;
    const char *text = HEAD BUFFERS FIRST "\n" SECOND "\n";
    const char *other = "{\"buffer\":\"b\",\"offset\":9,\"decision\":\"place\"}";
    assert_int_equal(compare(text, HEAD BUFFERS FIRST "\n{\"buffer\":\"b\",\"offset\":9,\"decision\":\"place\"}\n",
                             false, 2, &rerun),
                     SW_NOT_SAME);
    assert_part(&rerun, 2, false, SECOND, other);
    assert_int_equal(compare(text, HEAD BUFFERS FIRST "\n{\"buffer\":\"b\",\"offset\":9,\"decision\":\"place\"}\n",
                             false, 1, &rerun),
                     SW_SAME);
    assert_int_equal(compare(text, HEAD BUFFERS FIRST "\n" SECOND " \n", false, 2, &rerun), SW_NOT_SAME);
    assert_part(&rerun, 2, false, SECOND, SECOND " ");
    assert_int_equal(compare(text, HEAD BUFFERS FIRST "\n", true, 2, &rerun), SW_NOT_SAME);
    assert_part(&rerun, 2, false, SECOND, "");
    assert_int_equal(compare(HEAD BUFFERS FIRST "\n", text, true, 2, &rerun), SW_NOT_SAME);
    assert_part(&rerun, 2, false, "", SECOND);
    assert_int_equal(compare(text, HEAD "{\"buffer\":\"a\",\"size\":2}\n", false, 2, &rerun), SW_NOT_SAME);
    assert_part(&rerun, 1, true, "{\"buffer\":\"a\",\"size\":1}", "{\"buffer\":\"a\",\"size\":2}");
    /* Another run begins: the first one has ended. */
    assert_int_equal(compare(text, HEAD BUFFERS FIRST "\n" HEAD BUFFERS, false, 2, &rerun), SW_NOT_SAME);
    assert_part(&rerun, 2, false, SECOND, "");
}

/* Byte by byte, at every place again: the answer is that of the whole. */
static void as_it_grows(void **state) {
    (void)state;
    const char *before = HEAD BUFFERS FIRST "\n{\"candidate\":1}\n" SECOND "\n";
    const char *now = HEAD BUFFERS "{\"candidate\":2}\n" FIRST "\n{\"end\":\"done\"}\n{\"decision\":\"move\"}\n";
    struct sw_rerun rerun = {0};
    enum sw_same same = SW_SAME_SO_FAR;
    size_t length = 0;
    for (; same == SW_SAME_SO_FAR; length++) {
        struct sw_run_text a = run(before, true), b = {now, length, false};
        same = sw_runs_compare(&a, &b, 2, &rerun);
    }
    assert_int_equal(length, strlen(now) + 1);
    assert_int_equal(same, SW_NOT_SAME);
    assert_part(&rerun, 2, false, SECOND, "{\"decision\":\"move\"}");
}

/* Whatever stands in them: no byte outside of the texts is read (each has a block of its own). */
static void any_bytes(void **state) {
    (void)state;
    uint64_t random = 5;
    static const char *const pieces[] = {"{", "}", "\"", "\\", ":", ",", "\n", "\"decision\":", "\"buffer\":1",
                                         "[", "1", " ",  HEAD};
    for (unsigned n = 0; n < 3000; n++) {
        struct sw_sink texts[2] = {{{0}, false}, {{0}, false}};
        for (unsigned i = 0; i < 2; i++) {
            for (uint64_t left = sw_random_below(&random, 30); left > 0; left--) {
                const char *piece = pieces[sw_random_below(&random, sizeof pieces / sizeof *pieces)];
                sw_sink_add(&texts[i], piece, strlen(piece));
            }
        }
        char *blocks[2];
        struct sw_run_text runs[2];
        for (unsigned i = 0; i < 2; i++) {
            blocks[i] = malloc(texts[i].text.count + !texts[i].text.count);
            assert_non_null(blocks[i]);
            if (texts[i].text.count > 0) {
                memcpy(blocks[i], texts[i].text.items, texts[i].text.count);
            }
            runs[i] = (struct sw_run_text){blocks[i], texts[i].text.count, true};
        }
        struct sw_rerun rerun = {0}, self = {0};
        sw_runs_compare(&runs[0], &runs[1], 100, &rerun);
        assert_int_equal(sw_runs_compare(&runs[0], &runs[0], 100, &self), SW_SAME);
        for (unsigned i = 0; i < 2; i++) {
            free(blocks[i]);
            sw_sink_done(&texts[i]);
        }
    }
}

static void assert_sink(struct sw_sink *sink, const char *expected) {
    sw_sink_add(sink, "", 1);
    assert_false(sink->failed);
    assert_string_equal(sink->text.items, expected);
    sw_sink_done(sink);
}

static void demands_as_lines(void **state) {
    (void)state;
    struct sw_sink sink = {0};
    const struct sw_demand demands[] = {
        {.step = 17, .buffer = "y", .tier = "sram", .lo = 0},
        {.step = 17, .forbid = true, .buffer = "y", .tier = "sram", .lo = 0, .hi = 4096},
        {.step = 1, .forbid = true, .lo = 1, .hi = UINT64_MAX},
        {.step = UINT64_MAX, .buffer = "a\"\\\n\xe2\x80\xae", .tier = "t\x01", .lo = UINT64_MAX}};
    sw_child_demands(&sink, demands, 4);
    assert_sink(&sink,
                "{\"step\":17,\"pin\":{\"buffer\":\"y\",\"tier\":\"sram\",\"offset\":0}}\n"
                "{\"step\":17,\"forbid\":{\"buffer\":\"y\",\"tier\":\"sram\",\"lo\":0,\"hi\":4096}}\n"
                "{\"step\":1,\"forbid\":{\"buffer\":\"*\",\"lo\":1,\"hi\":18446744073709551615}}\n"
                "{\"step\":18446744073709551615,\"pin\":{\"buffer\":\"a\\\"\\\\\\n\\u202e\",\"tier\":\"t\\u0001\","
                "\"offset\":18446744073709551615}}\n");
    struct sw_error error = {0};
    assert_false(sw_demands_write("/no/such/folder/demands", demands, 4, &error));
    assert_string_equal(error.message, "cannot write: No such file or directory");
}

static void assert_command(const char *expected, const char *const *argv) {
    struct sw_sink sink = {0};
    sw_child_command_line(&sink, argv);
    assert_sink(&sink, expected);
}

#define COMMAND(expected, ...) assert_command(expected, (const char *const[]){__VA_ARGS__, NULL})

static void command_lines(void **state) {
    (void)state;
    COMMAND("planner -v --order=size model.json", "planner", "-v", "--order=size", "model.json");
    COMMAND("p '' 'a b' '$(rm)' '*' '`x`' 'a;b' '~' '#' '!' '\"'", "p", "", "a b", "$(rm)", "*", "`x`", "a;b", "~", "#",
            "!", "\"");
    COMMAND("p 'it'\\''s' \"$(printf 'a\\012b')\" \"$(printf '\\033[2J')\" \"$(printf '\\177')\" '\\'", "p", "it's",
            "a\nb", "\033[2J", "\x7f", "\\");
    COMMAND("p \"$(printf '\\342\\200\\256gpj.exe')\" \"$(printf '\\302\\205')\" \"$(printf '\\377')\" \303\244", "p",
            "\xe2\x80\xaegpj.exe", "\xc2\x85", "\xff", "\303\244");
    COMMAND("p \"$(printf '\\033\\047\\134')\" \"$(printf '\\055x\\045\\033')\"", "p", "\x1b'\\", "-x%\x1b");
}

/* A shell makes the same arguments of it, byte for byte. */
static void command_lines_read_back(void **state) {
    (void)state;
    uint64_t random = 3;
    if (system("bash -c true 2>/dev/null") != 0) {
        printf("skipped: bash is not installed\n");
        return;
    }
    struct sw_sink script = {0}, expected = {0};
    sw_sink_printf(&script, "LC_ALL=C.UTF-8; printf '[%%s]'");
    for (unsigned n = 0; n < 2000; n++) {
        char word[12] = "";
        for (unsigned i = 0, length = (unsigned)sw_random_below(&random, 11); i < length; i++) {
            static const char some[] = "-'\\\"$ \n\t\033\xe2\x80\xae\xff"
                                       "aA0=~#!*x41u";
            word[i] = some[sw_random_below(&random, sizeof some - 1)];
        }
        sw_sink_add(&script, " ", 1);
        sw_child_command_line(&script, (const char *const[]){word, NULL});
        sw_sink_printf(&expected, "[%s]", word);
    }
    char path[] = "/tmp/stowage-words-XXXXXX", command[64];
    int fd = mkstemp(path);
    assert_true(fd >= 0 && write(fd, script.text.items, script.text.count) == (ssize_t)script.text.count);
    close(fd);
    snprintf(command, sizeof command, "bash %s", path);
    FILE *output = popen(command, "r");
    assert_non_null(output);
    char *got = malloc(expected.text.count + 1);
    assert_non_null(got);
    assert_int_equal(fread(got, 1, expected.text.count + 1, output), expected.text.count);
    assert_memory_equal(got, expected.text.items, expected.text.count);
    pclose(output);
    unlink(path);
    free(got);
    sw_sink_done(&script);
    sw_sink_done(&expected);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same),
        cmocka_unit_test(not_the_same),
        cmocka_unit_test(as_it_grows),
        cmocka_unit_test(any_bytes),
        cmocka_unit_test(demands_as_lines),
        cmocka_unit_test(command_lines),
        cmocka_unit_test(command_lines_read_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
