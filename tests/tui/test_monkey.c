/* Random keys (100,000 in ./dev test --long), lines at the prompt and resizes, in process, on four models. Every frame
 * that is drawn has to hold what frames.h says; now and then the log so far is replayed and has to
 * lead to the same place. SW_TEST_SEED chooses other keys, SW_TEST_KEYS how many. */
#include "share.h"
#include "tui/frames.h"

#include "base/hash.h"
#include "command/commands.h"

#include <locale.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LIFE = 2500, CHECK = 1000, DRAW = 12 }; /* keys in a session, between two replays, two frames */

static struct {
    uint64_t seed;
    struct sw_frame frame;
    struct sw_session *session;
    unsigned columns, rows;
    unsigned check;    /* keys between two replays */
    char last[8][200]; /* what was pressed, for the report */
    unsigned long pressed;
} monkey;

static uint64_t below(uint64_t bound) {
    return sw_random_below(&monkey.seed, bound);
}

static void note(const char *what) {
    snprintf(monkey.last[monkey.pressed++ % 8], sizeof monkey.last[0], "%.190s", what);
}

static bool complain(const char *model, const char *why) {
    printf("%s, after %lu keys, at %ux%u: %s\nthe last keys:", model, monkey.pressed, monkey.columns, monkey.rows, why);
    for (unsigned long i = monkey.pressed < 8 ? 0 : monkey.pressed - 8; i < monkey.pressed; i++) {
        printf(" [%s]", monkey.last[i % 8]);
    }
    printf("\n");
    return false;
}

/* ---- what is pressed ---- */

static const char *random_key(char key[16]) {
    static const char *const others[] = {"Left", "Right", "Up",        "Down",     "Enter", "Tab", "Esc", "Esc",
                                         "Home", "End",   "Backspace", "Delete",   "Space", "層",  "F7",  "Ctrl-U",
                                         "1",    "5",     "PageUp",    "PageDown", "é",     "n"};
    for (;;) {
        const struct sw_command *command = sw_command_get(below(sw_command_count()));
        if (below(4) == 0) {
            snprintf(key, 16, "%s", others[below(sizeof others / sizeof *others)]);
            return key;
        }
        /* Quitting ends the walk, and export asks for the name of a file. */
        if (sw_command_key(command, below(2), key) && strcmp(command->name, "quit") != 0 &&
            strcmp(command->name, "export") != 0) {
            return key;
        }
    }
}

static const char *random_name(void) {
    const struct sw_problem *problem = sw_search_problem(sw_session_search(monkey.session));
    uint32_t count = sw_problem_buffer_count(problem);
    return count ? sw_problem_buffer(problem, (uint32_t)below(count))->name : "nobody";
}

/* A line for the prompt: %s is a buffer, %u a small number. */
static const char *random_line(char *line, size_t size) {
    static const char *const named[] = {
        "select \"%s\"",        "goto-block \"%s\"", "pin \"%s\" %u", "forbid \"%s\" 0 %u", "resize \"%s\" %u",
        "lifetime \"%s\" 0 %u", "find %s",           "filter %s",     "hold \"%s\" %u",     "next-about \"%s\""};
    static const char *const numbered[] = {"goto %u",      "step %u",          "back %u",        "cursor %u",
                                           "candidate %u", "choose %u",        "branch %u",      "drop %u",
                                           "zoom %u 20",   "zoom 0 9 %u 9000", "capacity %u00",  "set seed=%u",
                                           "reorder 1 %u", "unbreak %u",       "zoom-in %u 100", "help %u",
                                           "mark m%u",     "jump m%u",         "name n%u",       "break size > %u"};
    static const char *const plain[] = {"capacity none",
                                        "cursor peak",
                                        "cursor bound",
                                        "planner first-fit",
                                        "planner best-fit",
                                        "planner lifetime",
                                        "planner order-exact",
                                        "planner order-greedy",
                                        "reorder auto",
                                        "next relu_1",
                                        "next conv_2",
                                        "before conv_2 relu_1",
                                        "together conv_2 relu_1",
                                        "pane schedule",
                                        "filter peak",
                                        "filter cursor",
                                        "filter unplaced",
                                        "filter [",
                                        "sort size",
                                        "sort name up",
                                        "sort offset down",
                                        "compare",
                                        "compare first-fit",
                                        "compare 1 2",
                                        "sync operator",
                                        "sync best",
                                        "diff on",
                                        "break kind == grow",
                                        "break clear",
                                        "continue",
                                        "continue-back",
                                        "branches",
                                        "marks",
                                        "notes",
                                        "bounds",
                                        "log",
                                        "copy",
                                        "help pin",
                                        "text",
                                        "ascii on",
                                        "theme",
                                        "tier 1",
                                        "undo",
                                        "redo",
                                        "whole",
                                        "put",
                                        "lua return 1 + 1",
                                        "nonsense",
                                        "",
                                        "went-back",
                                        "went-forward",
                                        "raw-time",
                                        "zoom-fit"};
    unsigned number = (unsigned)below(below(4) ? 70 : 5000);
    switch (below(3)) {
    case 0:
        snprintf(line, size, "%s", plain[below(sizeof plain / sizeof *plain)]);
        break;
    case 1: {
        const char *form = numbered[below(sizeof numbered / sizeof *numbered)];
        size_t at = strcspn(form, "%");
        snprintf(line, size, "%.*s%u%s", (int)at, form, number, form + at + 2);
        break;
    }
    default: {
        const char *form = named[below(sizeof named / sizeof *named)];
        size_t at = strcspn(form, "%");
        const char *rest = form + at + 2, *more = strchr(rest, '%');
        size_t length = more ? (size_t)(more - rest) : strlen(rest);
        int used = snprintf(line, size, "%.*s%.80s%.*s", (int)at, form, random_name(), (int)length, rest);
        if (more && used > 0 && (size_t)used < size) {
            snprintf(line + used, size - (size_t)used, "%u", number);
        }
    }
    }
    return line;
}

static void press_line(void) {
    char line[300];
    note(random_line(line, sizeof line));
    while (sw_session_mode(monkey.session) != SW_MODE_NORMAL) {
        sw_session_key(monkey.session, "Esc", NULL);
    }
    sw_session_key(monkey.session, ":", NULL);
    sw_session_type(monkey.session, line);
    sw_session_key(monkey.session, "Enter", NULL);
}

/* The other runs of a comparison come to their places between two keys: how far each has come when
 * one is left is not in the log. */
static void keep_in_step(void) {
    struct sw_view_input in = {0};
    if (sw_session_view(monkey.session, &in, NULL) && in.run.beside.count > 1) {
        sw_session_finish(monkey.session, NULL);
    }
}

static void press(void) {
    char key[16];
    keep_in_step();
    uint64_t what = below(24);
    if (what == 0) {
        monkey.columns = (unsigned)below(below(6) ? 170 : 20);
        monkey.rows = (unsigned)below(below(6) ? 60 : 12);
        note("resize");
    } else if (what < 3) {
        sw_session_slice(monkey.session, 1 + below(50), NULL);
        note("slice");
    } else if (what < 5) {
        press_line();
    } else {
        note(random_key(key));
        sw_session_key(monkey.session, key, NULL);
    }
}

/* ---- what is looked at ---- */

static bool look(const char *model, bool closely) {
    struct sw_error error = {0};
    if (!sw_frame_draw(&monkey.frame, monkey.session, monkey.columns, monkey.rows, SW_FRAME_MONO, &error)) {
        return complain(model, error.message);
    }
    const char *bad = closely ? sw_frames_fault(&monkey.frame, monkey.session, monkey.columns, monkey.rows) : NULL;
    return !bad || complain(model, bad);
}

static void say_state(const char *which, struct sw_session *session) {
    struct sw_view_input in = {0};
    bool is_error = false;
    const struct sw_search *search = sw_session_search(session);
    if (sw_session_view(session, &in, NULL)) {
        printf("%s: decision %llu of %llu%s, digest %llx, cursor %u, selected %u, candidate %u, "
               "tier %u, "
               "%u branches, %u runs, '%s'\n",
               which, (unsigned long long)sw_search_at(search), (unsigned long long)sw_search_known(search),
               sw_search_complete(search) ? "" : "+", (unsigned long long)sw_search_digest(search), in.look.cursor,
               in.look.selected, in.look.candidate, in.look.tier, in.run.branch_count, in.run.beside.count,
               sw_session_status(session, &is_error));
        printf("  window %.17g..%.17g %.17g..%.17g, pane %s%s, share %u\n", in.look.viewport.time_lo,
               in.look.viewport.time_hi, in.look.viewport.bytes_lo, in.look.viewport.bytes_hi,
               in.look.side ? in.look.side->name : "decision", in.look.whole ? " whole" : "", in.look.share);
        for (uint32_t i = 0; i < in.run.branch_count; i++) {
            printf("  branch %u %s at %llu%s\n", in.run.branches[i].number, in.run.branches[i].what,
                   (unsigned long long)in.run.branches[i].at, in.run.branches[i].current ? ", here" : "");
        }
    }
}

/* The log so far leads to the same place. The file stays when it does not. */
static bool replay(const char *model) {
    struct sw_error error = {0};
    sw_session_finish(monkey.session, NULL);
    if (!sw_session_save(monkey.session, "monkey.stowage", &error)) {
        return complain(model, error.message);
    }
    struct sw_session *again = sw_session_open("monkey.stowage", &error);
    if (!again) {
        char text[700];
        snprintf(text, sizeof text, "the log line %u: %.600s", error.line, error.message);
        return complain(model, text);
    }
    bool same = sw_session_digest(again) == sw_session_digest(monkey.session);
    if (!same) {
        say_state("here", monkey.session);
        say_state("replayed", again);
    }
    sw_session_free(again);
    return same || complain(model, "its log leads elsewhere");
}

static bool walk(const char *model, const char *planner, unsigned keys) {
    monkey.session = sw_frames_open(model, planner);
    monkey.columns = 80;
    monkey.rows = 24;
    bool good = monkey.session != NULL;
    for (unsigned i = 1; good && i <= keys && !sw_session_wants_quit(monkey.session); i++) {
        press();
        good = i % DRAW != 0 || look(model, i % (4 * DRAW) == 0);
        if (good && i % monkey.check == 0) {
            good = look(model, true) && replay(model);
        }
    }
    sw_session_free(monkey.session);
    return good;
}

/* Keys at random sometimes spell a command that writes a file. */
static void sweep(void) {
    DIR *here = opendir(".");
    for (const struct dirent *entry; here && (entry = readdir(here));) {
        unlink(entry->d_name);
    }
    if (here) {
        closedir(here);
    }
}

int main(void) {
    static const struct {
        uint32_t buffers; /* 0: the file */
        const char *path, *planner;
    } models[] = {{60, NULL, "best-fit"},
                  {0, SW_TEST_SOURCE "/scripts/models/two_tiers.json", "tier-search"},
                  {0, SW_TEST_SOURCE "/tests/tui/models/small.json", "auto"},
                  {0, SW_TEST_SOURCE "/tests/tui/models/small.json", "order-greedy"},
                  {2000, NULL, "first-fit"}};
    const char *seed = getenv("SW_TEST_SEED"), *keys = getenv("SW_TEST_KEYS");
    const char *every = getenv("SW_TEST_EVERY");
    unsigned long left = keys ? strtoul(keys, NULL, 10) : (unsigned long)cases(100000), done = 0;
    char folder[] = "/tmp/stowage-monkey-XXXXXX", path[200];
    setlocale(LC_ALL, "C.UTF-8");
    setenv("STOWAGE_DATA", SW_TEST_SOURCE, 1);
    if (!mkdtemp(folder) || chdir(folder) != 0) { /* whatever is written is written there */
        return 1;
    }
    monkey.check = every ? (unsigned)strtoul(every, NULL, 10) : 1000;
    monkey.check = monkey.check ? monkey.check : 1;
    monkey.seed = seed ? strtoull(seed, NULL, 10) : 20261121 + which_share();
    printf("seed %llu, %lu keys, in %s\n", (unsigned long long)monkey.seed, left, folder);
    fflush(stdout);
    bool good = true;
    for (unsigned turn = 0; good && done < left; turn++) {
        size_t which = turn % (sizeof models / sizeof *models);
        const char *model = models[which].path;
        if (models[which].buffers) {
            good = sw_frames_model(folder, models[which].buffers, path);
            model = path;
        }
        good = good && walk(model, models[which].planner, LIFE);
        done += LIFE;
    }
    sw_frame_done(&monkey.frame);
    printf("%u passed, %u failed, 0 skipped\n", good, !good);
    if (good) { /* else the log stays there, to be looked at */
        sweep();
        good = chdir("/") == 0 && rmdir(folder) == 0;
    }
    return good ? 0 : 1;
}
