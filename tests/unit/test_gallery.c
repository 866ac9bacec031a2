/* Every kind of picture that a command draws, in the sizes of a review: A4 upright and across, a slide, and a column of
 * a page for a browser. Of each page: no text is cut, leaves it or meets another; no block leaves its plot, no plot its
 * panel, no panel the page; it is not empty. The commands are run as they are typed, and their drawings looked at.
 *
 * STOWAGE_GALLERY=FOLDER keeps the pictures there, for eyes, and STOWAGE_GALLERY_NAME those whose name has this in it:
 * `./dev gallery` does so. */
#include "share.h"
#include "unit/page_checks.h"

#include "cli/cli.h"

#include <fcntl.h>
#include <ftw.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define MODELS SW_TEST_SOURCE "/scripts/models/"
#define MOBILENET MODELS "mobilenet_v1_025_96.json "
#define DENSENET MODELS "densenet121.lua "
#define TIERS MODELS "two_tiers.json "
#define SNAPSHOT SW_TEST_DATA "/pytorch/train_step.pickle "
#define LARGE_SNAPSHOT SW_TEST_DATA "/pytorch/train_512.pickle.gz "
#define REQUESTS MODELS "out_of_memory.csv "
#define EXPERIMENTS SW_TEST_SOURCE "/scripts/experiments/"

/* VIEW stands for every view in turn; a view may refuse what it has nothing to say about. */
static const struct gallery {
    const char *name, *command;
} gallery[] = {
    {"mobilenet", "export " MOBILENET "-p greedy-by-size --view VIEW"},
    {"mobilenet-part", "export " MOBILENET "-p greedy-by-size --time 5:15 --address 3K:48K"},
    {"mobilenet-step", "export " MOBILENET "-p best-fit --step 18"},
    {"mobilenet-notes",
     "export " MOBILENET "-p greedy-by-size --annotate " SW_TEST_SOURCE "/scripts/notes/review.json"},
    {"mobilenet-compare", "compare " MOBILENET},
    {"mobilenet-two", "compare " MOBILENET "-p greedy-by-size,best-fit"},
    {"mobilenet-convergence", "compare " MOBILENET "-p order-genetic,random-order --view convergence"},
    {"mobilenet-seeds", "compare " MOBILENET "--seeds 10"},
    {"mobilenet-diff", "diff " MOBILENET MOBILENET "--old-planner greedy-by-size --new-planner best-fit"},
    {"densenet", "export " DENSENET "-p greedy-by-size --view VIEW"},
    {"densenet-part", "export " DENSENET "-p greedy-by-size --time 40:80"},
    {"densenet-compare", "compare " DENSENET},
    {"densenet-seeds", "compare " DENSENET "--seeds 3"},
    {"densenet-diff", "diff " DENSENET DENSENET "--old-planner first-fit --new-planner greedy-by-size"},
    {"snapshot", "export " SNAPSHOT "-p cuda-caching --view VIEW"},
    {"snapshot-compare", "compare " SNAPSHOT},
    {"snapshot-diff", "diff " SW_TEST_DATA "/pytorch/from_start.pickle.gz " SNAPSHOT},
    {"snapshot-moved", "diff " SNAPSHOT SNAPSHOT "--old-planner cuda-caching --new-planner greedy-by-size"},
    {"snapshot-large", "export " LARGE_SNAPSHOT "-p cuda-caching"},
    {"requests", "export " REQUESTS "-p bfc-arena --view VIEW"},
    {"requests-compare", "compare " REQUESTS},
    {"moment", "export " MODELS "out_of_memory_moment.log --view VIEW"},
    {"memories", "export " TIERS "-p tier-search --view VIEW"},
    {"memories-compare", "compare " TIERS},
    {"memories-diff", "diff " TIERS TIERS "--old-planner first-fit --new-planner tier-search"},
    {"segments", "export " MODELS "train_cnn.lua -p segment-genetic --capacity 16M --view segments"},
    {"occupancy", "export " MODELS "train_cnn.lua -p segment-genetic --capacity 16M --view occupancy"},
    {"training-film", "export " MODELS "train_cnn.lua -p segment-genetic --capacity 16M --view filmstrip"},
    {"tokens", "export " MODELS "cpu_npu.lua -p token-sharing --view tokens"},
    {"search-tree", "export " MODELS "branches.json -p branch-and-bound --view search-tree"},
    {"order", "export " MODELS "two_cores.lua -p order-genetic --view sequence"},
    {"smaller", "diff " MODELS "mobilenet_v2.lua " MODELS "mobilenet_v2_035.lua -p greedy-by-size"},
    {"other", "diff " MODELS "resnet8.lua " MOBILENET "-p best-fit"},
    {"fit-front", "fit " MODELS "mcunet_like.lua --view front"},
    {"fit-strips", "fit " MODELS "mcunet_like.lua --view strips"},
    {"fit-before-after", "fit " MODELS "mcunet_like.lua --view before-after"},
    {"experiment-planners", "run " EXPERIMENTS "planners.lua"},
    {"experiment-segments", "run " EXPERIMENTS "segments.lua"},
    {"experiment-pinned", "run " EXPERIMENTS "pinned.lua"},
    {"experiment-schedules", "run " EXPERIMENTS "schedules.lua"},
    {"experiment-one_more_kib", "run " EXPERIMENTS "one_more_kib.lua model=teaching from=0 to=8"},
};

static const char *const sizes[] = {"a4-portrait", "a4", "16:9", "600x338"};
enum { SIZES = sizeof sizes / sizeof *sizes, MOST_WORDS = 16 };

/* Shared with the processes that draw. */
struct gallery_tally {
    struct complaints complaints;
    unsigned pages;
};
static struct gallery_tally *tally;
static bool part;
static char work[] = "/tmp/stowage-gallery-XXXXXX";

static void look(struct sw_drawing *drawing) {
    tally->pages++;
    check_boxes(drawing);
    check_axes(drawing);
    check_legend(drawing);
    check_uncut(drawing);
    check_panels(drawing, part);
    check_apart(drawing);
    check_filled(drawing);
}

static const char *kept(void) {
    return getenv("STOWAGE_GALLERY");
}

static int forget(const char *path, const struct stat *about, int kind, struct FTW *walk) {
    (void)about, (void)kind, (void)walk;
    return remove(path);
}

/* One picture, as a person would ask for it; what the command prints is not looked at. */
static void draw_as_typed(const char *command, const char *view, const char *size, const char *path, const char *log) {
    char text[600];
    const char *words[MOST_WORDS + 8] = {"stowage"};
    int count = 1, out = open(log, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    bool plots = !strncmp(command, "run", 3);
    snprintf(text, sizeof text, "%s", command);
    for (char *word = strtok(text, " "); word && count < MOST_WORDS; word = strtok(NULL, " ")) {
        words[count++] = strcmp(word, "VIEW") ? word : view;
    }
    if (plots) {
        nftw(path, forget, 8, FTW_DEPTH | FTW_PHYS);
    }
    const char *more[] = {"-o", path, "--size", size, strstr(path, ".png") ? "--dpi" : NULL, kept() ? "96" : "18"};
    for (size_t i = 0; i < (plots ? 2 : sizeof more / sizeof *more) && more[i]; i++) {
        words[count++] = more[i];
    }
    part = strstr(command, "--time") != NULL;
    sw_drawing_watch = look;
    if (out < 0 || dup2(out, STDOUT_FILENO) < 0 || dup2(out, STDERR_FILENO) < 0) {
        _exit(99);
    }
    int status = sw_cli_main(count, (char **)words);
    fflush(NULL);
    _exit(status);
}

static void show_log(const char *log) {
    char line[400] = "";
    FILE *file = fopen(log, "r");
    if (file && fgets(line, sizeof line, file)) {
        complain("%s", line);
    }
    if (file) {
        fclose(file);
    }
}

/* `may_refuse`: it is one of all views. */
static void draw_one(const struct gallery *picture, const char *view, const char *size, bool may_refuse) {
    char path[400], log[300];
    bool plots = !strncmp(picture->command, "run", 3);
    const char *ending = plots ? "" : !strcmp(view, "report") ? ".pdf" : ".png";
    snprintf(looked_at, sizeof looked_at, "%s%s%s at %s", picture->name, *view ? " " : "", view, size);
    snprintf(path, sizeof path, "%s/%s%s%s%s%s%s", kept() ? kept() : work, picture->name, *view ? "." : "", view,
             plots ? "" : ".", plots ? "" : size, ending);
    snprintf(log, sizeof log, "%s/log", work);
    unsigned before = tally->pages;
    tally->complaints.of_this = 0;
    int status = 0;
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        draw_as_typed(picture->command, view, size, path, log);
    }
    assert_true(pid > 0 && waitpid(pid, &status, 0) == pid);
    if (!WIFEXITED(status) || WEXITSTATUS(status) > (may_refuse ? 2 : 1)) {
        complain("ends with status %#x", (unsigned)status);
        show_log(log);
    } else if (WEXITSTATUS(status) < 2 && tally->pages == before) {
        complain("nothing was drawn");
        show_log(log);
    }
}

static bool wanted(const struct gallery *picture) {
    const char *part_of_name = getenv("STOWAGE_GALLERY_NAME");
    char file[300];
    size_t length = strcspn(picture->command + strcspn(picture->command, " ") + 1, " ");
    snprintf(file, sizeof file, "%.*s", (int)length, picture->command + strcspn(picture->command, " ") + 1);
    if (access(file, R_OK) != 0) {
        printf("skipped: %s: there is no %s\n", picture->name, file);
        return false;
    }
    return !part_of_name || strstr(picture->name, part_of_name);
}

static void draw_sizes(const struct gallery *picture, const char *view, uint64_t *number) {
    bool plots = !strncmp(picture->command, "run", 3); /* which have a size of their own */
    for (size_t s = 0; s < (plots ? 1 : SIZES); s++, ++*number) {
        if (in_share(*number, SW_SANITIZED ? 256 : 32)) {
            draw_one(picture, view, sizes[s], *view);
        }
    }
}

static void pictures_are_whole(void **state) {
    (void)state;
    uint64_t number = 0;
    for (size_t i = 0; i < sizeof gallery / sizeof *gallery; i++) {
        bool views = strstr(gallery[i].command, "VIEW");
        for (size_t v = 0; v < (views ? sw_view_count() : 1) && wanted(&gallery[i]); v++) {
            draw_sizes(&gallery[i], views ? sw_view_get(v)->name : "", &number);
        }
    }
    assert_true(tally->pages > 0);
    printf("%u pages were looked at\n", tally->pages);
    no_complaints();
}

static int open_work(void **state) {
    (void)state;
    setenv("STOWAGE_DATA", SW_TEST_SOURCE, 1);
    setenv("STOWAGE_STATE", "", 1);
    tally = mmap(NULL, sizeof *tally, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    complaints = &tally->complaints;
    return tally != MAP_FAILED && mkdtemp(work) && setenv("XDG_CONFIG_HOME", work, 1) == 0 ? 0 : -1;
}

static int close_work(void **state) {
    (void)state;
    return nftw(work, forget, 8, FTW_DEPTH | FTW_PHYS);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(pictures_are_whole)};
    return cmocka_run_group_tests(tests, open_work, close_work);
}
