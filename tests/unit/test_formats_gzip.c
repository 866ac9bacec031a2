/* Inputs that gzip compressed, made here with zlib. */
#include "unit/formats.h"

#include "formats/wrapped/gzip.h"

#include <stdlib.h>
#include <unistd.h>
#include <zlib.h>

enum { ENOUGH = 1 << 30 };

static const char table[] = "id,lower,upper,size\na,0,2,8\nb,1,3,16\n";

struct packed {
    unsigned char bytes[65536];
    size_t count;
};

/* Append `length` bytes as one member. */
static void pack(struct packed *packed, const void *bytes, size_t length) {
    z_stream stream = {0};
    assert_int_equal(deflateInit2(&stream, 9, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
    stream.next_in = (Bytef *)(uintptr_t)bytes;
    stream.avail_in = (uInt)length;
    stream.next_out = packed->bytes + packed->count;
    stream.avail_out = (uInt)(sizeof packed->bytes - packed->count);
    assert_int_equal(deflate(&stream, Z_FINISH), Z_STREAM_END);
    packed->count = sizeof packed->bytes - stream.avail_out;
    deflateEnd(&stream);
}

static bool expand(const struct packed *packed, size_t length, uint64_t limit, struct sw_bytes *out,
                   struct sw_error *error) {
    /* A copy of its very length, so that reading past the end is seen. */
    char *copy = malloc(length ? length : 1);
    assert_non_null(copy);
    memcpy(copy, packed->bytes, length);
    *error = (struct sw_error){0};
    *out = (struct sw_bytes){0};
    struct sw_gzip_bounds bounds = {.limit = limit};
    bool good = sw_gzip_expand(copy, length, &bounds, out, error);
    free(copy);
    return good;
}

static void must_expand(const struct packed *packed, const void *text, size_t length) {
    struct sw_bytes out;
    struct sw_error error;
    if (!expand(packed, packed->count, ENOUGH, &out, &error)) {
        fail_msg("%s", error.message);
    }
    assert_int_equal(out.count, length);
    assert_memory_equal(out.items, text, length);
    SW_FREE(out.items, out.capacity);
}

static void must_fail(const struct packed *packed, size_t length, uint64_t limit, const char *message) {
    struct sw_bytes out;
    struct sw_error error;
    assert_false(expand(packed, length, limit, &out, &error));
    assert_string_equal(error.message, message);
    assert_int_equal(error.code, SW_ERROR_INPUT);
    SW_FREE(out.items, out.capacity);
}

static void one_member(void **state) {
    (void)state;
    struct packed packed = {.count = 0};
    pack(&packed, table, strlen(table));
    assert_true(sw_gzip_detect((char *)packed.bytes, packed.count));
    must_expand(&packed, table, strlen(table));
    struct packed empty = {.count = 0};
    pack(&empty, "", 0);
    must_expand(&empty, "", 0);
    assert_false(sw_gzip_detect("\x1f", 1));
    assert_false(sw_gzip_detect("id,lower", 8));
}

static void several_members(void **state) {
    (void)state;
    struct packed packed = {.count = 0};
    pack(&packed, table, 20);
    pack(&packed, "", 0);
    pack(&packed, table + 20, strlen(table) - 20);
    must_expand(&packed, table, strlen(table));
    memset(packed.bytes + packed.count, 0, 512); /* as on a tape */
    packed.count += 512;
    must_expand(&packed, table, strlen(table));
}

static void larger_than_a_step(void **state) {
    (void)state;
    struct packed packed = {.count = 0};
    size_t length = (size_t)3 << 20;
    unsigned char *bytes = malloc(length);
    assert_non_null(bytes);
    for (size_t i = 0; i < length; i++) {
        bytes[i] = (unsigned char)(i >> 12);
    }
    pack(&packed, bytes, length);
    must_expand(&packed, bytes, length);
    free(bytes);
}

static void the_limit(void **state) {
    (void)state;
    struct packed packed = {.count = 0};
    struct sw_bytes out;
    struct sw_error error;
    char *zeros = calloc(200000, 1);
    assert_non_null(zeros);
    pack(&packed, zeros, 100000);
    pack(&packed, zeros, 100000);
    must_fail(&packed, packed.count, 199999,
              "this expands to more than 199999 bytes, which is the most that is read (--max-input SIZE sets it)");
    must_fail(&packed, packed.count, 10,
              "this expands to more than 10 bytes, which is the most that is read (--max-input SIZE sets it)");
    assert_true(expand(&packed, packed.count, 200000, &out, &error));
    assert_int_equal(out.count, 200000);
    SW_FREE(out.items, out.capacity);
    free(zeros);
}

static void damage(void **state) {
    (void)state;
    struct packed packed = {.count = 0};
    char message[96];
    pack(&packed, table, strlen(table));
    for (size_t length = 0; length < packed.count; length++) {
        snprintf(message, sizeof message, "the gzip data is cut off at offset %zu", length);
        must_fail(&packed, length, ENOUGH, message);
    }
    struct packed more = packed;
    memcpy(more.bytes + more.count, "more", 4);
    more.count += 4;
    snprintf(message, sizeof message, "something that is not gzip data follows it at offset %zu", packed.count);
    must_fail(&more, more.count, ENOUGH, message);
    struct packed wrong = packed;
    wrong.bytes[packed.count - 8] ^= 1; /* its checksum */
    snprintf(message, sizeof message, "incorrect data check at offset %zu", packed.count - 4);
    must_fail(&wrong, wrong.count, ENOUGH, message);
    wrong = packed;
    wrong.bytes[2] = 7;
    must_fail(&wrong, wrong.count, ENOUGH, "unknown compression method at offset 4");
    for (size_t i = 0; i < packed.count; i++) { /* any outcome, as long as there is one */
        struct sw_bytes out;
        struct sw_error error;
        wrong = packed;
        wrong.bytes[i] ^= 0x55;
        expand(&wrong, wrong.count, 1 << 20, &out, &error);
        SW_FREE(out.items, out.capacity);
    }
}

static void no_memory(void **state) {
    (void)state;
    struct packed packed = {.count = 0};
    pack(&packed, table, strlen(table));
    for (uint64_t left = 0;; left++) {
        struct limit limit = {.left = left};
        struct sw_bytes out;
        struct sw_error error;
        sw_mem_hook(limited, &limit);
        bool good = expand(&packed, packed.count, ENOUGH, &out, &error);
        SW_FREE(out.items, out.capacity);
        sw_mem_hook(NULL, NULL);
        if (good) {
            assert_true(left > 1);
            return;
        }
        assert_int_equal(error.code, SW_ERROR_MEMORY);
    }
}

static void names(void **state) {
    (void)state;
    assert_int_equal(sw_gzip_inner("a/x.csv.gz"), 7);
    assert_int_equal(sw_gzip_inner("X.CSV.GZ"), 5);
    assert_int_equal(sw_gzip_inner("x.csv"), 5);
    assert_int_equal(sw_gzip_inner(".gz"), 3);
    assert_int_equal(sw_gzip_inner("-"), 1);
}

/* ---- files ---- */

struct file {
    char path[64];
};

static void write_file(struct file *file, const char *ending, const void *bytes, size_t length) {
    strcpy(file->path, "/tmp/stowage-test-XXXXXX");
    strcat(file->path, ending);
    int fd = mkstemps(file->path, (int)strlen(ending));
    assert_true(fd >= 0);
    assert_int_equal(write(fd, bytes, length), length);
    close(fd);
}

static struct sw_problem *load(const struct file *file, uint64_t *digest, struct sw_error *error) {
    *error = (struct sw_error){0};
    struct sw_problem *problem = sw_load(file->path, NULL, digest, error);
    unlink(file->path);
    return problem;
}

static void a_file(void **state) {
    (void)state;
    struct packed packed = {.count = 0};
    struct file file;
    struct sw_error error;
    uint64_t plain_digest = 0, digest = 1;
    pack(&packed, table, strlen(table));
    write_file(&file, ".csv", table, strlen(table));
    struct sw_problem *plain = load(&file, &plain_digest, &error);
    write_file(&file, ".csv.gz", packed.bytes, packed.count);
    struct sw_problem *problem = load(&file, &digest, &error);
    assert_non_null(plain);
    assert_non_null(problem);
    assert_int_equal(sw_problem_digest(problem), sw_problem_digest(plain));
    assert_int_equal(digest, plain_digest); /* of what is inside */
    assert_int_equal(strlen(sw_problem_name(problem)), strlen("stowage-test-XXXXXX"));
    assert_null(strchr(sw_problem_name(problem), '.'));
    sw_problem_unref(plain);
    sw_problem_unref(problem);
}

/* What cannot be known by content is known by the name below .gz: a program, a table without a
 * size. */
static void by_name(void **state) {
    (void)state;
    struct packed packed = {.count = 0};
    struct file file;
    struct sw_error error;
    const char *program = "return {operators = {}, buffers = {{name = 'a', size = 3, first = 0, last = 1}}}";
    pack(&packed, program, strlen(program));
    write_file(&file, ".lua.gz", packed.bytes, packed.count);
    struct sw_problem *problem = load(&file, NULL, &error);
    if (!problem) {
        fail_msg("%s", error.message);
    }
    assert_int_equal(sw_problem_naive(problem), 3);
    sw_problem_unref(problem);
    struct packed bad = {.count = 0};
    pack(&bad, "one,two\n1,2\n", 12);
    write_file(&file, ".csv.gz", bad.bytes, bad.count);
    assert_null(load(&file, NULL, &error));
    assert_int_equal(error.line, 1);
    assert_string_equal(error.file, file.path);
}

static void a_damaged_file(void **state) {
    (void)state;
    struct packed packed = {.count = 0};
    struct file file;
    struct sw_error error;
    pack(&packed, table, strlen(table));
    write_file(&file, ".csv.gz", packed.bytes, 20);
    assert_null(load(&file, NULL, &error));
    assert_string_equal(error.message, "the gzip data is cut off at offset 20");
    assert_string_equal(error.file, file.path);
}

/* ---- a few bytes that expand to gigabytes ---- */

/* The most that was held at once, and what is held. */
struct held {
    size_t now, most;
};
static void *hold(void *context, void *block, size_t old_bytes, size_t new_bytes) {
    struct held *held = context;
    held->now = held->now - (block ? old_bytes : 0) + new_bytes;
    held->most = held->now > held->most ? held->now : held->most;
    if (new_bytes == 0) {
        free(block);
        return NULL;
    }
    return realloc(block, new_bytes);
}

/* `head`, then `count` times 64 KiB of `fill`; as a file. */
static void write_bomb(struct file *file, const char *ending, const void *head, size_t length, char fill,
                       unsigned count) {
    enum { CHUNK = 65536 };
    static unsigned char out[4 << 20];
    static char chunk[CHUNK];
    z_stream stream = {0};
    assert_int_equal(deflateInit2(&stream, 9, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
    stream.next_out = out;
    stream.avail_out = sizeof out;
    stream.next_in = (Bytef *)(uintptr_t)head;
    stream.avail_in = (uInt)length;
    assert_int_equal(deflate(&stream, Z_NO_FLUSH), Z_OK);
    memset(chunk, fill, CHUNK);
    for (unsigned i = 0; i <= count; i++) {
        stream.next_in = (Bytef *)chunk;
        stream.avail_in = i < count ? CHUNK : 0;
        int status = deflate(&stream, i < count ? Z_NO_FLUSH : Z_FINISH);
        assert_int_equal(status, i < count ? Z_OK : Z_STREAM_END);
    }
    write_file(file, ending, out, sizeof out - stream.avail_out);
    deflateEnd(&stream);
}

/* It is refused, with no more memory than that. */
static void must_be_refused(struct file *file, size_t most, const char *message) {
    struct held held = {0};
    struct sw_error error;
    sw_mem_hook(hold, &held);
    struct sw_problem *problem = load(file, NULL, &error);
    sw_mem_hook(NULL, NULL);
    assert_null(problem);
    assert_string_equal(error.message, message);
    assert_int_equal(error.code, SW_ERROR_INPUT);
    assert_string_equal(error.file, file->path);
    if (held.most > most) {
        fail_msg("%zu bytes were held to refuse %s", held.most, message);
    }
}

static void bombs(void **state) {
    (void)state;
    const size_t little = (size_t)4 << 20;
    struct file file;
    struct sw_error error;
    /* Nothing that a reader takes: known after the first MiB, of 100. */
    write_bomb(&file, ".csv.gz", "", 0, 0, 1600);
    must_be_refused(&file, little, "a NUL byte: this is not a text file");
    write_bomb(&file, ".csv.gz", table, strlen(table), 0, 1600);
    must_be_refused(&file, little, "a NUL byte: this is not a text file");
    write_bomb(&file, ".gz", "", 0, (char)0xff, 1600);
    must_be_refused(&file, little, "byte 0xff is not valid UTF-8");
    /* What it could be shows no end. */
    const char *times = "this expands to more than 100 times its length, as no model or table does; expand it with "
                        "gzip if it is meant";
    write_bomb(&file, ".csv.gz", table, strlen(table), '\n', 1600);
    must_be_refused(&file, (size_t)128 << 20, times);
    write_bomb(&file, ".json.gz", "{", 1, ' ', 1600);
    must_be_refused(&file, (size_t)128 << 20, times);
    write_bomb(&file, ".pickle.gz", "\x80\x04\x95", 3, 0, 1600);
    must_be_refused(&file, (size_t)128 << 20, times);
    /* Up to some MiB any ratio will do; characters of several bytes stand across the edges of
     * looks. */
    const char *graph = "{\"operators\":[],\"buffers\":[{\"name\":\"a\",\"size\":3,\"first\":0,\"last\":1}]}";
    write_bomb(&file, ".json.gz", graph, strlen(graph), ' ', 200);
    struct sw_problem *problem = load(&file, NULL, &error);
    if (!problem) {
        fail_msg("%s", error.message);
    }
    sw_problem_unref(problem);
    for (size_t shift = 0; shift < 4; shift++) {
        size_t length = 0, room = (size_t)5 << 20;
        static unsigned char out[1 << 20];
        char *text = malloc(room);
        assert_non_null(text);
        length += (size_t)snprintf(text, room, "#%.*s", (int)shift, "xxx");
        while (length + 100 < room) {
            memcpy(text + length, "\xf0\x9f\x98\x80", 4);
            length += 4;
        }
        length += (size_t)snprintf(text + length, room - length, "\n%s", table);
        uLongf count = sizeof out;
        z_stream stream = {0};
        assert_int_equal(deflateInit2(&stream, 9, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
        stream.next_in = (Bytef *)text;
        stream.avail_in = (uInt)length;
        stream.next_out = out;
        stream.avail_out = (uInt)count;
        assert_int_equal(deflate(&stream, Z_FINISH), Z_STREAM_END);
        count -= stream.avail_out;
        deflateEnd(&stream);
        free(text);
        write_file(&file, ".csv.gz", out, count);
        problem = load(&file, NULL, &error);
        if (!problem) {
            fail_msg("%s", error.message);
        }
        sw_problem_unref(problem);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_member), cmocka_unit_test(several_members),
        cmocka_unit_test(the_limit),  cmocka_unit_test(larger_than_a_step),
        cmocka_unit_test(damage),     cmocka_unit_test(no_memory),
        cmocka_unit_test(names),      cmocka_unit_test(a_file),
        cmocka_unit_test(by_name),    cmocka_unit_test(a_damaged_file),
        cmocka_unit_test(bombs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
