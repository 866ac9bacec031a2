/* Replays files, and all files of folders, through a target: the corpus as a test, without libFuzzer. Its first word is
 * the target's name; the build lists them as TARGETS, and calls the function of each fuzz_NAME.
 *
 * `--cut` before them also tries every beginning and every end of each, of which a share runs; it must say in its error
 * what is wrong, or read less. `--splice N FOLDER` then tries N inputs put together from it and the folders beside it,
 * of which a share runs (share.h); SW_PROPERTY_SEED=N begins with another one. */
#include "fuzz/fuzz.h"
#include "fuzz/splice.h"
#include "share.h"

#include <dirent.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define TARGET(name) int fuzz_##name(const uint8_t *data, size_t size);
TARGETS
#undef TARGET

static const struct {
    const char *name;
    int (*take)(const uint8_t *data, size_t size);
} targets[] = {
#define TARGET(name) {#name, fuzz_##name},
    TARGETS
#undef TARGET
};

static int (*take)(const uint8_t *data, size_t size);
static bool cuts; /* --cut */
static unsigned long replayed;

/* A part of a file, as bytes of its own, so that a byte too far is seen. */
static bool take_part(const uint8_t *bytes, size_t size) {
    uint8_t *exact = malloc(size ? size : 1);
    if (exact) {
        memcpy(exact, bytes, size);
        take(exact, size);
        replayed++;
    }
    free(exact);
    return exact != NULL;
}

/* Up to each byte and from each on, evenly over the file. */
static bool take_cuts(const uint8_t *bytes, size_t size) {
    size_t share = size ? cases(size) : 0, stride = share ? size / share : 1;
    bool good = true;
    for (size_t at = which_share() % stride; good && at < size; at += stride) {
        fprintf(stderr, "cut at %zu\n", at);
        good = take_part(bytes, at) && take_part(bytes + at, size - at);
    }
    return good;
}

/* The bytes as they are: sw_input_open would expand what gzip compressed. */
static bool replay_file(const char *path) {
    FILE *file = fopen(path, "rb");
    struct stat about;
    if (!file || fstat(fileno(file), &about) != 0) {
        perror(path);
        return false;
    }
    size_t size = (size_t)about.st_size;
    uint8_t *bytes = malloc(size ? size : 1);
    bool good = bytes && fread(bytes, 1, size, file) == size;
    fclose(file);
    fprintf(stderr, "%s%s\n", path, good ? "" : ": cannot be read");
    if (good) { /* the last one named is the one that failed */
        take(bytes, size);
        replayed++;
        good = !cuts || take_cuts(bytes, size);
    }
    free(bytes);
    return good;
}

static bool replay(const char *path) {
    struct stat about;
    if (stat(path, &about) != 0 || !S_ISDIR(about.st_mode)) {
        return replay_file(path);
    }
    struct dirent **names;
    int count = scandir(path, &names, NULL, alphasort);
    bool good = count >= 0;
    for (int i = 0; i < count; i++) {
        char name[4096];
        snprintf(name, sizeof name, "%s/%s", path, names[i]->d_name);
        if (names[i]->d_name[0] != '.') {
            good = replay_file(name) && good;
        }
        free(names[i]);
    }
    free(count >= 0 ? names : NULL);
    return good;
}

static bool splice_all(const char *folder, uint64_t full) {
    static uint8_t room[1 << 17];
    struct splice_pool pool;
    bool good = splice_pool_read(&pool, folder) && pool.count > 0;
    if (!good) {
        fprintf(stderr, "%s: cannot be read\n", folder);
    }
    const char *first = getenv("SW_PROPERTY_SEED");
    uint64_t seed = first ? strtoull(first, NULL, 10) : 1 + first_case(full);
    for (uint64_t end = seed + cases(full); good && seed < end; seed++) {
        fprintf(stderr, "seed %llu\n", (unsigned long long)seed);
        size_t size = splice_new(&pool, room, sizeof room, seed);
        good = take_part(room, size);
    }
    splice_pool_done(&pool);
    return good;
}

int main(int argc, char **argv) {
    for (size_t i = 0; argc > 1 && i < sizeof targets / sizeof *targets; i++) {
        take = strcmp(argv[1], targets[i].name) == 0 ? targets[i].take : take;
    }
    if (!take) {
        fprintf(stderr, "usage: %s TARGET [--cut] FILE-OR-FOLDER... [--splice N FOLDER]\n", argv[0]);
        return 2;
    }
    bool good = true;
    for (int i = 2; i < argc; i++) {
        if (strcmp(argv[i], "--splice") == 0 && i + 2 < argc) {
            good = splice_all(argv[i + 2], strtoull(argv[i + 1], NULL, 10)) && good;
            i += 2;
        } else if (strcmp(argv[i], "--cut") == 0) {
            cuts = true;
        } else {
            good = replay(argv[i]) && good;
        }
    }
    if (replayed == 0) {
        fprintf(stderr, "nothing to replay\n");
    }
    return good && replayed > 0 ? 0 : 1;
}
