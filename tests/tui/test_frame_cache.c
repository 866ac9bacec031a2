/* What the explorer keeps from one frame to the next must never show: after any commands a frame is
 * the same, mark for mark, as one made from scratch. Also when memory runs out while it is made.
 * SW_TEST_SEED chooses other commands, SW_TEST_KEYS how many for each model. */
#include "share.h"
#include "scene_dump.h"
#include "tui/frames.h"

#include "base/hash.h"
#include "base/mem.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct {
    uint64_t seed;
    struct sw_session *session;
    struct sw_frame kept, scratch;
    struct sw_sink texts[2];
    unsigned columns, rows, frames;
    char last[6][120];
    unsigned long given;
} walk;

static unsigned below(unsigned bound) {
    return (unsigned)sw_random_below(&walk.seed, bound);
}

static bool complain(const char *model, const char *why) {
    printf("%s, after %lu commands, at %ux%u: %s\nthe last ones:", model, walk.given, walk.columns, walk.rows, why);
    for (unsigned long i = walk.given < 6 ? 0 : walk.given - 6; i < walk.given; i++) {
        printf(" [%s]", walk.last[i % 6]);
    }
    printf("\n");
    return false;
}

/* ---- commands ---- */

static const char *random_command(char line[120]) {
    static const char *const plain[] = {"step",
                                        "step",
                                        "back",
                                        "back",
                                        "first",
                                        "last",
                                        "cursor-left",
                                        "cursor-right",
                                        "cursor bound",
                                        "zoom-in",
                                        "zoom-in",
                                        "zoom-out",
                                        "zoom-fit",
                                        "zoom-fit",
                                        "zoom-block",
                                        "pan-left",
                                        "pan-right",
                                        "pan-up",
                                        "pan-down",
                                        "select-next",
                                        "select-up",
                                        "select-left",
                                        "select-right",
                                        "select-current",
                                        "select",
                                        "raw-time",
                                        "ghosts",
                                        "pane",
                                        "pane",
                                        "pane occupancy",
                                        "pane live",
                                        "pane bounds",
                                        "pane decision",
                                        "whole",
                                        "tier",
                                        "goto-peak",
                                        "goto-block",
                                        "next-about",
                                        "undo",
                                        "redo",
                                        "next-branch",
                                        "planner first-fit 40",
                                        "planner lifetime-best-fit 9",
                                        "planner best-fit",
                                        "compare first-fit",
                                        "stop",
                                        "diff",
                                        "capacity none",
                                        "wider",
                                        "narrower",
                                        "hold",
                                        "put",
                                        "theme",
                                        "next-row"};
    static const char *const numbered[] = {"goto %u",
                                           "step %u",
                                           "back %u",
                                           "cursor %u",
                                           "zoom %u 2000",
                                           "zoom 0 %u",
                                           "zoom 5 60 %u 90000",
                                           "select \"b%u\"",
                                           "select \"t%u\"",
                                           "pin \"b%u\" 4096",
                                           "resize \"b%u\" 640",
                                           "lifetime \"b%u\" 3 90"};
    unsigned which = below(sizeof numbered / sizeof *numbered);
    if (below(3) > 0) {
        return plain[below(sizeof plain / sizeof *plain)];
    }
    /* Edits plan anew, which takes its time. */
    which = which >= 9 && below(4) > 0 ? 0 : which;
    unsigned number = below(below(3) ? 60 : 40000);
    size_t at = strcspn(numbered[which], "%");
    snprintf(line, 120, "%.*s%u%s", (int)at, numbered[which], number, numbered[which] + at + 2);
    return line;
}

static void give(void) {
    char line[120];
    const char *command = random_command(line);
    snprintf(walk.last[walk.given++ % 6], sizeof walk.last[0], "%s", command);
    sw_session_command(walk.session, command, NULL); /* some cannot be done, which is no matter */
    if (below(8) > 0) {                              /* else what runs is still under way */
        sw_session_finish(walk.session, NULL);
    }
    if (below(12) == 0) {
        walk.columns = 40 + below(160);
        walk.rows = 12 + below(50);
    }
}

/* ---- frames ---- */

static bool draw(struct sw_frame *frame, bool scratch, struct sw_error *error) {
    sw_session_display(walk.session)->scratch = scratch;
    bool good = sw_frame_draw(frame, walk.session, walk.columns, walk.rows, SW_FRAME_MONO, error);
    sw_session_display(walk.session)->scratch = false;
    return good;
}

/* The frame as it was drawn, and as it is without anything that was kept. */
static bool compare(const char *model) {
    struct sw_error error = {0};
    if (!draw(&walk.scratch, true, &error)) {
        return complain(model, error.message);
    }
    const struct sw_frame *frames[2] = {&walk.kept, &walk.scratch};
    for (int i = 0; i < 2; i++) {
        walk.texts[i].text.count = 0;
        scene_dump(&frames[i]->scene, &walk.texts[i]);
        sw_grid_text(&frames[i]->grid, &walk.texts[i]);
    }
    const struct sw_sink *a = &walk.texts[0], *b = &walk.texts[1];
    size_t same = 0, most = a->text.count < b->text.count ? a->text.count : b->text.count;
    while (same < most && a->text.items[same] == b->text.items[same]) {
        same++;
    }
    if (a->failed || b->failed || a->text.count != b->text.count || same < most) {
        while (same > 0 && a->text.items[same - 1] != '\n') {
            same--;
        }
        printf("kept:    %.160s\nscratch: %.160s\n", a->text.items + same, b->text.items + same);
        return complain(model, "what is kept shows");
    }
    walk.frames++;
    return true;
}

/* Every allocation of a block this large or larger fails, but for the first few. */
static size_t allowed, scarce;

static void *rationed(void *context, void *pointer, size_t old_size, size_t new_size) {
    (void)context;
    if (new_size == 0) {
        free(pointer);
        return NULL;
    }
    if (new_size > old_size && new_size >= scarce && allowed-- == 0) {
        allowed = 0;
        return NULL;
    }
    return realloc(pointer, new_size);
}

/* Either the frame is not drawn, which is said, or it is the right one; and so is the next. */
static bool starve(const char *model) {
    struct sw_error error = {0};
    if (!draw(&walk.scratch, true, &error)) {
        return complain(model, error.message);
    }
    walk.kept.theme = walk.scratch.theme; /* a theme that cannot be read gives way to a plain one */
    walk.kept.has_theme = true;
    memcpy(walk.kept.theme_name, walk.scratch.theme_name, sizeof walk.kept.theme_name);
    scarce = below(2) ? 1 : 4000;
    allowed = below(below(2) ? 60 : 2000);
    sw_mem_hook(rationed, NULL);
    bool drawn = draw(&walk.kept, false, &error);
    sw_mem_hook(NULL, NULL);
    if (!drawn && error.code != SW_ERROR_MEMORY) {
        return complain(model, error.message);
    }
    return (!drawn || compare(model)) && (draw(&walk.kept, false, &error) || complain(model, error.message)) &&
           compare(model);
}

static bool stroll(const char *model, const char *planner, unsigned long commands) {
    walk.session = sw_frames_open(model, planner);
    walk.columns = 200;
    walk.rows = 60;
    bool good = walk.session != NULL;
    for (unsigned long i = 0; good && i < commands; i++) {
        struct sw_error error = {0};
        give();
        if (below(20) == 0) {
            good = starve(model);
        } else {
            good = (draw(&walk.kept, false, &error) || complain(model, error.message)) && compare(model);
        }
        const char *bad =
            good && below(30) == 0 ? sw_frames_fault(&walk.scratch, walk.session, walk.columns, walk.rows) : NULL;
        good = good && (!bad || complain(model, bad));
    }
    sw_session_free(walk.session);
    return good;
}

int main(void) {
    static const struct {
        uint32_t buffers; /* 0: the file */
        const char *path, *planner;
        unsigned weight;
    } models[] = {{60, NULL, "best-fit", 4},
                  {0, SW_TEST_SOURCE "/scripts/models/two_tiers.json", "tier-search", 4},
                  {2000, NULL, "best-fit", 4},
                  {2000, NULL, "lifetime-best-fit", 2},
                  {30000, NULL, "best-fit", 1}}; /* so many have colors of their own */
    const char *seed = getenv("SW_TEST_SEED"), *keys = getenv("SW_TEST_KEYS");
    unsigned long commands = keys ? strtoul(keys, NULL, 10) : (unsigned long)cases(600);
    char folder[] = "/tmp/stowage-kept-XXXXXX", path[200];
    bool good = true;
    setlocale(LC_ALL, "C.UTF-8");
    setenv("STOWAGE_DATA", SW_TEST_SOURCE, 1);
    if (!mkdtemp(folder) || chdir(folder) != 0) {
        return 1;
    }
    walk.seed = seed ? strtoull(seed, NULL, 10) : 20261121 + which_share();
    printf("seed %llu\n", (unsigned long long)walk.seed);
    for (size_t i = 0; good && i < sizeof models / sizeof *models; i++) {
        const char *model = models[i].path;
        if (models[i].buffers) {
            good = sw_frames_model(folder, models[i].buffers, path);
            model = path;
        }
        good = good && stroll(model, models[i].planner, commands * models[i].weight);
        if (models[i].buffers) {
            unlink(path);
        }
    }
    sw_frame_done(&walk.kept);
    sw_frame_done(&walk.scratch);
    sw_sink_done(&walk.texts[0]);
    sw_sink_done(&walk.texts[1]);
    good = chdir("/") == 0 && rmdir(folder) == 0 && good;
    printf("%u frames compared\n%u passed, %u failed, 0 skipped\n", walk.frames, good, !good);
    return good ? 0 : 1;
}
