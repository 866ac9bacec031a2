/* Large traces: the same whether they stay in memory, in their file, or in one without a name; and what goes wrong. */
#include "unit/formats.h"

#include "formats/wrapped/spool.h"

#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

enum { BUFFERS = 6000 };
static char path[64], packed_path[72];

static void make_files(void) {
    snprintf(path, sizeof path, "/tmp/stowage-large-%d.trace", (int)getpid());
    snprintf(packed_path, sizeof packed_path, "%s.gz", path);
    FILE *plain = fopen(path, "w");
    gzFile packed = gzopen(packed_path, "w");
    assert_non_null(plain);
    assert_non_null(packed);
    char line[200] = "{\"stowage-trace\":1,\"planner\":\"foreign\"}\n";
    for (int i = -1; i < 2 * BUFFERS; i++) {
        if (i >= 0 && i < BUFFERS) {
            snprintf(line, sizeof line, "{\"buffer\":\"b%d\",\"size\":%d,\"first\":%d,\"last\":%d}\n", i, 64 + i % 7, i,
                     i + 3);
        } else if (i >= 0) {
            snprintf(line, sizeof line, "{\"decision\":\"place\",\"buffer\":\"b%d\",\"offset\":%d}\n", i - BUFFERS,
                     128 * (i % 4));
        }
        fputs(line, plain);
        gzputs(packed, line);
    }
    fclose(plain);
    gzclose(packed);
}

static void remove_files(void) {
    unlink(path);
    unlink(packed_path);
}

static uint64_t digest_of(const char *name, uint64_t in_memory, bool backed) {
    struct sw_input input;
    struct sw_error error = {0};
    sw_spool_most_in_memory = in_memory;
    if (!sw_input_open(name, &input, &error)) {
        fail_msg("%s", error.message);
    }
    assert_int_equal(input.whole > 0, backed);
    uint64_t digest = sw_input_digest(&input);
    struct sw_input kept;
    assert_true(sw_input_keep(&input, &kept, &error));
    sw_input_close(&input);
    assert_int_equal(sw_input_digest(&kept), digest); /* the file stays open for it */
    sw_input_close(&kept);
    return digest;
}

/* What standard input brings through a pipe. */
static uint64_t digest_of_pipe(uint64_t in_memory, bool backed) {
    int ends[2], before = dup(STDIN_FILENO);
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], STDOUT_FILENO);
        close(ends[0]);
        close(ends[1]);
        execlp("cat", "cat", path, (char *)NULL);
        _exit(127);
    }
    dup2(ends[0], STDIN_FILENO);
    close(ends[0]);
    close(ends[1]);
    uint64_t digest = digest_of("-", in_memory, backed);
    dup2(before, STDIN_FILENO);
    close(before);
    assert_int_equal(waitpid(child, NULL, 0), child);
    return digest;
}

static uint64_t load_digest(const char *name, uint64_t in_memory) {
    struct sw_error error = {0};
    uint64_t digest = 0;
    sw_spool_most_in_memory = in_memory;
    struct sw_problem *problem = sw_load(name, NULL, &digest, &error);
    if (!problem) {
        fail_msg("%s", error.message);
    }
    assert_int_equal(sw_problem_buffer_count(problem), BUFFERS);
    digest = sw_fold(digest, sw_problem_digest(problem));
    sw_problem_unref(problem);
    return digest;
}

static void test_the_same_everywhere(void **state) {
    (void)state;
    uint64_t expected = digest_of(path, UINT64_MAX, false);
    assert_int_equal(digest_of(path, 1000, true), expected);
    assert_int_equal(digest_of(packed_path, UINT64_MAX, false), expected);
    assert_int_equal(digest_of(packed_path, 1000, true), expected);
    assert_int_equal(digest_of(packed_path, 100000, true), expected);
    assert_int_equal(digest_of_pipe(UINT64_MAX, false), expected);
    assert_int_equal(digest_of_pipe(1000, true), expected);
    uint64_t whole = load_digest(path, UINT64_MAX);
    assert_int_equal(load_digest(path, 1000), whole);
    assert_int_equal(load_digest(packed_path, 1000), whole);
}

static void test_pieces_of_a_digest(void **state) {
    (void)state;
    char bytes[100];
    for (size_t i = 0; i < sizeof bytes; i++) {
        bytes[i] = (char)(i * 37);
    }
    for (size_t length = 0; length <= sizeof bytes; length++) {
        uint64_t slow = 5, word = 0; /* byte by byte, as it was defined */
        for (size_t i = 0; i < length; i++) {
            word = word << 8 | (unsigned char)bytes[i];
            slow = i % 8 == 7 ? sw_fold(slow, word) : slow;
            word = i % 8 == 7 ? 0 : word;
        }
        slow = sw_fold(sw_fold(slow, word), length);
        assert_int_equal(sw_fold_bytes(5, bytes, length), slow);
        size_t half = length / 16 * 8;
        assert_int_equal(sw_fold_end(sw_fold_words(5, bytes, half), bytes + half, length - half, length), slow);
    }
}

static void test_cut_gzip_opens(void **state) {
    (void)state;
    struct sw_error error = {0};
    sw_spool_most_in_memory = 1000;
    assert_int_equal(truncate(packed_path, 20000), 0);
    struct sw_problem *problem = sw_load(packed_path, NULL, NULL, &error);
    assert_non_null(problem);
    bool told = false;
    size_t count;
    const char *const *notes = sw_problem_notes(problem, &count);
    for (size_t i = 0; i < count; i++) {
        told |= strstr(notes[i], "gzip data is cut off") != NULL;
    }
    assert_true(told);
    sw_problem_unref(problem);
}

/* It is cut while it is open: an error for its reader, and no crash. */
static void test_cut_while_open(void **state) {
    (void)state;
    struct sw_input input;
    struct sw_error error = {0};
    sw_spool_most_in_memory = 1000;
    assert_true(sw_input_open(path, &input, &error));
    assert_int_equal(truncate(path, 100000), 0);
    struct sw_problem *problem = sw_load_input(&input, NULL, &error);
    assert_null(problem);
    assert_string_equal(error.message, "the file has become shorter while it was open");
    sw_input_digest(&input);
    sw_input_close(&input);
}

static void test_no_room(void **state) {
    (void)state;
    struct rlimit before, less;
    struct sw_input input;
    struct sw_error error = {0};
    sw_spool_most_in_memory = 1000;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    less = before;
    less.rlim_cur = 50000;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &less), 0);
    bool opened = sw_input_open(packed_path, &input, &error);
    setrlimit(RLIMIT_FSIZE, &before);
    assert_false(opened);
    assert_non_null(strstr(error.message, "cannot write a temporary file in "));
    assert_int_equal(setenv("TMPDIR", "/nonexistent", 1), 0);
    opened = sw_input_open(packed_path, &input, &error);
    unsetenv("TMPDIR");
    assert_false(opened);
    assert_non_null(strstr(error.message, "cannot make a temporary file in /nonexistent"));
}

int main(void) {
    make_files();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_same_everywhere),
        cmocka_unit_test(test_pieces_of_a_digest),
        cmocka_unit_test(test_no_room),
        cmocka_unit_test(test_cut_while_open),
        cmocka_unit_test(test_cut_gzip_opens),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    remove_files();
    return failed;
}
