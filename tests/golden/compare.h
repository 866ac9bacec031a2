/* Text compared with a file in expected/. UPDATE_GOLDEN=1 rewrites it. */
#ifndef SW_GOLDEN_COMPARE_H
#define SW_GOLDEN_COMPARE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/format.h"

static char *read_text(const char *path) {
    struct sw_input input;
    if (!sw_input_open(path, &input, NULL)) {
        return NULL;
    }
    char *text = malloc(input.length + 1);
    if (text) {
        memcpy(text, input.bytes, input.length);
        text[input.length] = '\0';
    }
    sw_input_close(&input);
    return text;
}

/* Every line in which they part, side by side, as far as it helps. */
static void show_difference(const char *name, const char *expected, const char *found) {
    int shown = 0;
    printf("%s is not as expected (UPDATE_GOLDEN=1 rewrites it)\n", name);
    for (int line = 1; (*expected || *found) && shown < 20; line++) {
        int a = (int)strcspn(expected, "\n"), b = (int)strcspn(found, "\n");
        if (a != b || memcmp(expected, found, (size_t)a) != 0) {
            printf("%d- %.*s\n%d+ %.*s\n", line, a, expected, line, b, found);
            shown++;
        }
        expected += a + (expected[a] != '\0');
        found += b + (found[b] != '\0');
    }
}

/* Is the text what the file in expected/ says? The sink ends with NUL. */
static bool golden_compare(const char *name, const struct sw_sink *sink) {
    char path[512];
    snprintf(path, sizeof path, SW_TEST_SOURCE "/tests/golden/expected/%s.txt", name);
    const char *update = getenv("UPDATE_GOLDEN");
    if (update && *update && strcmp(update, "0") != 0) {
        FILE *file = fopen(path, "w");
        bool good = file && fputs(sink->text.items, file) >= 0;
        return file && fclose(file) == 0 && good;
    }
    char *expected = read_text(path);
    bool same = expected && !strcmp(expected, sink->text.items);
    if (!same) {
        show_difference(name, expected ? expected : "", sink->text.items);
    }
    free(expected);
    return same;
}

#endif
