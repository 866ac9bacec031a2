/* Replays files, and all files of folders, through a target: the corpus as a test, without
 * libFuzzer. */
#include "fuzz/fuzz.h"

#include <dirent.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static unsigned long replayed;

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
        LLVMFuzzerTestOneInput(bytes, size);
        replayed++;
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

int main(int argc, char **argv) {
    bool good = argc > 1;
    for (int i = 1; i < argc; i++) {
        good = replay(argv[i]) && good;
    }
    if (replayed == 0) {
        fprintf(stderr, "nothing to replay\n");
    }
    return good && replayed > 0 ? 0 : 1;
}
