/* Every pane at five sizes, in three modes of glyphs, of no, one, sixty and 100,000 buffers: the
 * digest of each frame against golden/grids.txt, some frames in full against golden/grids/, and
 * what must hold of all of them. UPDATE_GOLDEN=1 writes them anew; look at the frames that differ
 * before you commit it. */
#include "tui/frames.h"

#include "command/session.h"
#include "base/hash.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define GOLDEN SW_TEST_SOURCE "/tests/tui/golden/grids"

static const struct { unsigned columns, rows; } sizes[] = {{40, 12}, {80, 24}, {100, 30}, {132, 43}, {200, 60}};
static const uint32_t counts[] = {0, 1, 60, 100000};
enum { SIZES = sizeof sizes / sizeof *sizes, COUNTS = sizeof counts / sizeof *counts, SHOWN = 6 };

static struct {
    struct sw_frame frame;
    struct sw_sink text;
    char *golden; /* all of grids.txt */
    FILE *fresh;  /* where it is written anew */
    unsigned passed, failed;
} run;

static char *read_text(const char *path) {
    FILE *file = fopen(path, "r");
    size_t room = 1 << 20, used = 0;
    char *text = file ? calloc(room, 1) : NULL;
    if (text) {
        used = fread(text, 1, room - 1, file);
        text[used] = '\0';
    }
    if (file) {
        fclose(file);
    }
    return text;
}

static void fail(const char *name, const char *why) {
    run.failed++;
    if (run.failed <= SHOWN) {
        printf("%s: %s\n%s", name, why, run.text.text.items);
    } else {
        printf("%s: %s\n", name, why);
    }
}

/* The frames that people can read: sixty buffers on small screens. */
static bool in_full(unsigned size, enum sw_glyph_mode mode, uint32_t count) {
    return count == 60 && mode != SW_MODE_ASCII && size < 2 && (size == 0 || mode == SW_MODE_UTF8);
}

static bool check_full(const char *pane, unsigned size, enum sw_glyph_mode mode) {
    char path[400];
    snprintf(path, sizeof path, GOLDEN "/%s-%ux%u-%s.txt", pane, sizes[size].columns, sizes[size].rows,
             sw_glyph_mode_names[mode]);
    if (run.fresh) {
        FILE *file = fopen(path, "w");
        bool good = file && fputs(run.text.text.items, file) >= 0;
        return file && fclose(file) == 0 && good;
    }
    char *expected = read_text(path);
    bool same = expected && strcmp(expected, run.text.text.items) == 0;
    free(expected);
    return same;
}

static void check(struct sw_session *session, const char *pane, unsigned size, enum sw_glyph_mode mode,
                  uint32_t count) {
    struct sw_error error = {0};
    char name[120], line[160];
    unsigned columns = sizes[size].columns, rows = sizes[size].rows;
    snprintf(name, sizeof name, "%s %ux%u %s %u", pane, columns, rows, sw_glyph_mode_names[mode], count);
    run.text.text.count = 0;
    sw_sink_add(&run.text, "", 1);
    sw_frames_mode(session, mode);
    if (!sw_frame_draw(&run.frame, session, columns, rows, SW_FRAME_MONO, &error)) {
        fail(name, error.message);
        return;
    }
    run.text.text.count = 0;
    sw_grid_text(&run.frame.grid, &run.text);
    uint64_t digest = sw_fold_bytes(1, run.text.text.items, run.text.text.count);
    sw_sink_add(&run.text, "", 1);
    const char *bad = sw_frames_fault(&run.frame, session, columns, rows);
    snprintf(line, sizeof line, "%s %016llx\n", name, (unsigned long long)digest);
    if (bad) {
        fail(name, bad);
    } else if (run.fresh) {
        fputs(line, run.fresh);
        run.passed++;
    } else if (!strstr(run.golden, line)) {
        fail(name, "another frame than in golden/grids.txt (UPDATE_GOLDEN=1 writes it anew)");
    } else {
        run.passed++;
    }
    if (!bad && in_full(size, mode, count) && !check_full(pane, size, mode)) {
        fail(name, "another frame than in golden/grids/");
    }
}

/* In the order in which the key goes through them, so that a new pane needs no line here. */
static bool each_pane(struct sw_session *session, uint32_t count) {
    struct sw_view_input in = {0};
    char first[32] = "";
    for (;;) {
        struct sw_error error = {0};
        if (!sw_session_view(session, &in, &error)) {
            printf("%s\n", error.message);
            return false;
        }
        const char *pane = in.look.side ? in.look.side->name : "decision";
        if (strcmp(first, pane) == 0) {
            return true;
        }
        if (!*first) {
            snprintf(first, sizeof first, "%s", pane);
        }
        sw_session_command(session, "redraw", NULL); /* says nothing: the keys are on view */
        for (unsigned size = 0; size < SIZES; size++) {
            for (enum sw_glyph_mode mode = 0; mode < SW_GLYPH_MODES; mode++) {
                check(session, pane, size, mode, count);
            }
        }
        sw_session_command(session, "pane", NULL);
    }
}

static bool each_model(const char *folder, uint32_t count) {
    static const char *const lines[] = {"last",     "goto-peak",     "cursor bound",  "next-row",
                                        "next-row", "pane decision", "next-candidate"};
    char path[200];
    if (!sw_frames_model(folder, count, path)) {
        return false;
    }
    struct sw_session *session = sw_frames_open(path, "best-fit");
    for (size_t i = 0; session && i < sizeof lines / sizeof *lines; i++) {
        sw_session_command(session, lines[i], NULL); /* of nothing, some have nothing to do */
        sw_session_finish(session, NULL);
    }
    bool done = session && each_pane(session, count);
    sw_session_free(session);
    unlink(path);
    return done;
}

int main(void) {
    const char *update = getenv("UPDATE_GOLDEN");
    char folder[] = "/tmp/stowage-grids-XXXXXX";
    setlocale(LC_ALL, "C.UTF-8");
    setenv("STOWAGE_DATA", SW_TEST_SOURCE, 1);
    if (update && *update && strcmp(update, "0") != 0) {
        mkdir(GOLDEN, 0777);
        run.fresh = fopen(GOLDEN ".txt", "w");
    } else {
        run.golden = read_text(GOLDEN ".txt");
    }
    if ((!run.fresh && !run.golden) || !mkdtemp(folder)) {
        printf("no golden/grids.txt\n");
        return 1;
    }
    for (size_t i = 0; i < COUNTS; i++) {
        run.failed += !each_model(folder, counts[i]);
    }
    rmdir(folder);
    if (run.fresh) {
        run.failed += fclose(run.fresh) != 0;
    }
    free(run.golden);
    sw_sink_done(&run.text);
    sw_frame_done(&run.frame);
    printf("%u frames as they should be, %u not\n", run.passed, run.failed);
    return run.failed ? 1 : 0;
}
