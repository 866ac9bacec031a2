#include "fuzz/splice.h"

#include "base/hash.h"

#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { LARGEST = 1 << 16 };

/* ---- the pool ---- */

static int by_name(const void *a, const void *b) {
    return strcmp(((const struct splice_sample *)a)->name, ((const struct splice_sample *)b)->name);
}

static bool add_file(struct splice_pool *pool, const char *path, size_t size) {
    struct splice_sample *more = realloc(pool->samples, (pool->count + 1) * sizeof *more);
    if (!more) {
        return false;
    }
    pool->samples = more;
    struct splice_sample *sample = &pool->samples[pool->count];
    *sample = (struct splice_sample){.name = strdup(path), .bytes = malloc(size ? size : 1), .size = size};
    pool->count++;
    FILE *file = fopen(path, "rb");
    bool good = sample->name && sample->bytes && file && fread(sample->bytes, 1, size, file) == size;
    if (file) {
        fclose(file);
    }
    return good;
}

/* `depth` folders deep. */
static bool add_folder(struct splice_pool *pool, const char *folder, const char *but, int depth) {
    DIR *open = opendir(folder);
    if (!open) {
        return false;
    }
    bool good = true;
    for (const struct dirent *entry; good && (entry = readdir(open));) {
        char path[4096];
        struct stat about;
        int length = snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (entry->d_name[0] == '.' || length >= (int)sizeof path || (but && strcmp(entry->d_name, but) == 0)) {
            continue;
        }
        good = stat(path, &about) == 0;
        if (good && S_ISDIR(about.st_mode)) {
            good = depth == 0 || add_folder(pool, path, NULL, depth - 1);
        } else if (good && depth == 0 && about.st_size <= LARGEST) {
            good = add_file(pool, path, (size_t)about.st_size);
        }
    }
    closedir(open);
    return good;
}

bool splice_pool_read(struct splice_pool *pool, const char *folder) {
    char path[4096];
    int length = snprintf(path, sizeof path, "%s", folder);
    *pool = (struct splice_pool){0};
    if (length >= (int)sizeof path) {
        return false;
    }
    while (length > 1 && path[length - 1] == '/') {
        path[--length] = 0;
    }
    if (!add_folder(pool, path, NULL, 0)) {
        return false;
    }
    pool->own = pool->count;
    char *slash = strrchr(path, '/');
    if (slash) {
        pool->any = strcmp(slash, "/detect") == 0 || strcmp(slash, "/whole") == 0;
        *slash = 0;
        if (!add_folder(pool, path, slash + 1, 1)) {
            return false;
        }
    }
    /* A folder lists its files in no order; the same seed is to make the same input. */
    if (pool->own > 0) {
        qsort(pool->samples, pool->own, sizeof *pool->samples, by_name);
    }
    if (pool->count > pool->own) {
        qsort(pool->samples + pool->own, pool->count - pool->own, sizeof *pool->samples, by_name);
    }
    return true;
}

void splice_pool_done(struct splice_pool *pool) {
    for (size_t i = 0; i < pool->count; i++) {
        free(pool->samples[i].name);
        free(pool->samples[i].bytes);
    }
    free(pool->samples);
    *pool = (struct splice_pool){0};
}

/* ---- changing ---- */

struct text {
    uint8_t *bytes;
    size_t size, most;
};

struct range {
    size_t from, to;
};

static size_t below(uint64_t *random, size_t limit) {
    return limit ? (size_t)sw_random_below(random, limit) : 0;
}

/* Put bytes in place of a range. Nothing happens where there is no room. The bytes may be the text's own. */
static void put(struct text *text, struct range range, const uint8_t *bytes, size_t count) {
    size_t gone = range.to - range.from;
    if (text->size - gone + count > text->most || count > LARGEST) {
        return;
    }
    uint8_t *copy = malloc(count ? count : 1);
    if (!copy) {
        return;
    }
    if (count > 0) {
        memcpy(copy, bytes, count);
    }
    memmove(text->bytes + range.from + count, text->bytes + range.to, text->size - range.to);
    if (count > 0) {
        memcpy(text->bytes + range.from, copy, count);
    }
    text->size += count - gone;
    free(copy);
}

static bool is_end_of_field(uint8_t byte) {
    return byte != 0 && strchr(" ,;:\t\n\r=()[]{}<>\"'", byte) != NULL;
}

/* The field, or with `line` the line with its end, around a byte. */
static struct range around(const uint8_t *bytes, size_t size, size_t at, bool line) {
    struct range range = {at, at};
    while (range.from > 0 && (line ? bytes[range.from - 1] != '\n' : !is_end_of_field(bytes[range.from - 1]))) {
        range.from--;
    }
    while (range.to < size && (line ? bytes[range.to] != '\n' : !is_end_of_field(bytes[range.to]))) {
        range.to++;
    }
    range.to += range.to < size; /* what ends it */
    return range;
}

/* A field, a line or two, or any bytes. */
static struct range some(uint64_t *random, const uint8_t *bytes, size_t size) {
    size_t at = below(random, size);
    struct range range;
    switch (below(random, 4)) {
    case 0:
        return around(bytes, size, at, false);
    case 1:
        return around(bytes, size, at, true);
    case 2:
        range = around(bytes, size, at, true);
        return (struct range){range.from, around(bytes, size, range.to < size ? range.to : at, true).to};
    default:
        return (struct range){at, at + below(random, size - at + 1)};
    }
}

static size_t folder_length(const char *name) {
    const char *slash = strrchr(name, '/');
    return slash ? (size_t)(slash - name) : 0;
}

/* The samples that an input is made of: the target's own, or those of one folder. */
static struct range home(uint64_t *random, const struct splice_pool *pool) {
    if (!pool->any) {
        return (struct range){0, pool->own ? pool->own : pool->count};
    }
    size_t at = below(random, pool->count);
    struct range range = {at, at + 1};
    const char *name = pool->samples[at].name;
    size_t length = folder_length(name);
    while (range.from > 0 && folder_length(pool->samples[range.from - 1].name) == length &&
           memcmp(pool->samples[range.from - 1].name, name, length) == 0) {
        range.from--;
    }
    while (range.to < pool->count && folder_length(pool->samples[range.to].name) == length &&
           memcmp(pool->samples[range.to].name, name, length) == 0) {
        range.to++;
    }
    return range;
}

/* A piece of a sample, in most cases one of those at home, goes into the text, in place of something or between. */
static void put_piece(uint64_t *random, struct text *text, const struct splice_pool *pool, struct range at_home) {
    size_t number =
        below(random, 4) > 0 ? at_home.from + below(random, at_home.to - at_home.from) : below(random, pool->count);
    const struct splice_sample *sample = &pool->samples[number];
    struct range piece = some(random, sample->bytes, sample->size), place = some(random, text->bytes, text->size);
    if (below(random, 2)) {
        place.to = place.from;
    }
    put(text, place, sample->bytes + piece.from, piece.to - piece.from);
}

static const char *const edges[] = {"0",
                                    "-1",
                                    "1",
                                    "127",
                                    "128",
                                    "255",
                                    "256",
                                    "65535",
                                    "65536",
                                    "2147483647",
                                    "2147483648",
                                    "-2147483648",
                                    "4294967295",
                                    "4294967296",
                                    "9223372036854775807",
                                    "9223372036854775808",
                                    "-9223372036854775808",
                                    "18446744073709551615",
                                    "18446744073709551616",
                                    "99999999999999999999999",
                                    "1e308",
                                    "0.5",
                                    ""};
static const uint64_t numbers[] = {
    0,   1,   UINT64_MAX, INT32_MAX, UINT64_C(1) << 31, UINT32_MAX, UINT64_C(1) << 32, INT64_MAX, UINT64_C(1) << 63,
    127, 255, 32767,      65535};

/* A number in digits becomes one at an edge. */
static void put_edge(uint64_t *random, struct text *text) {
    size_t at = below(random, text->size), tried = 0;
    while (tried < text->size && !isdigit(text->bytes[at])) {
        at = at + 1 == text->size ? 0 : at + 1;
        tried++;
    }
    if (tried == text->size) {
        return;
    }
    struct range range = {at, at};
    while (range.from > 0 && isdigit(text->bytes[range.from - 1])) {
        range.from--;
    }
    while (range.to < text->size && isdigit(text->bytes[range.to])) {
        range.to++;
    }
    const char *edge = edges[below(random, sizeof edges / sizeof *edges)];
    put(text, range, (const uint8_t *)edge, strlen(edge));
}

/* Two, four or eight bytes become a number at an edge, in either order of bytes; or a varint is put there. */
static void put_binary(uint64_t *random, struct text *text) {
    uint64_t number = numbers[below(random, sizeof numbers / sizeof *numbers)];
    size_t kind = below(random, 7), width = (size_t)2 << kind % 3, at = below(random, text->size);
    uint8_t bytes[10];
    size_t count = 0;
    if (kind == 6) {
        for (; number >= 0x80; number >>= 7) {
            bytes[count++] = (uint8_t)(number | 0x80);
        }
        bytes[count++] = (uint8_t)number;
        put(text, (struct range){at, at + 1}, bytes, count);
        return;
    }
    at -= at % width;
    for (count = 0; count < width; count++) {
        bytes[kind < 3 ? count : width - 1 - count] = (uint8_t)(number >> 8 * count);
    }
    if (at + width <= text->size) {
        put(text, (struct range){at, at + width}, bytes, width);
    }
}

static void put_twice(uint64_t *random, struct text *text) {
    struct range range = some(random, text->bytes, text->size);
    put(text, (struct range){range.to, range.to}, text->bytes + range.from, range.to - range.from);
}

static void move_line(uint64_t *random, struct text *text) {
    struct range line = around(text->bytes, text->size, below(random, text->size), true);
    size_t length = line.to - line.from;
    uint8_t *copy = malloc(length ? length : 1);
    if (!copy) {
        return;
    }
    if (length > 0) {
        memcpy(copy, text->bytes + line.from, length);
    }
    put(text, line, NULL, 0);
    size_t at = text->size ? around(text->bytes, text->size, below(random, text->size), true).from : 0;
    put(text, (struct range){at, at}, copy, length);
    free(copy);
}

static size_t change(const struct splice_pool *pool, struct range at_home, struct text *text, uint64_t *random) {
    for (size_t changes = 1 + below(random, 4); changes > 0; changes--) {
        size_t kind = text->size ? below(random, 10) : 0;
        if (kind < 4) {
            put_piece(random, text, pool, at_home);
        } else if (kind < 6) {
            put_edge(random, text);
        } else if (kind == 6) {
            put_binary(random, text);
        } else if (kind == 7) {
            put_twice(random, text);
        } else if (kind == 8) {
            move_line(random, text);
        } else {
            put(text, some(random, text->bytes, text->size), NULL, 0);
        }
    }
    return text->size;
}

size_t splice(const struct splice_pool *pool, uint8_t *data, size_t size, size_t most, uint64_t seed) {
    struct text text = {data, size, most};
    return change(pool, home(&seed, pool), &text, &seed);
}

size_t splice_new(const struct splice_pool *pool, uint8_t *data, size_t most, uint64_t seed) {
    uint64_t random = sw_mix(seed);
    struct range at_home = home(&random, pool);
    size_t number =
        below(&random, 8) > 0 ? at_home.from + below(&random, at_home.to - at_home.from) : below(&random, pool->count);
    const struct splice_sample *sample = &pool->samples[number];
    struct text text = {data, sample->size < most ? sample->size : most, most};
    if (text.size > 0) {
        memcpy(data, sample->bytes, text.size);
    }
    return change(pool, at_home, &text, &random);
}
