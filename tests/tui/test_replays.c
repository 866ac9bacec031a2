/* Random short sessions: every command that the log knows, by keys, lines at the prompt and the mouse, on
 * models that ship and models from a seed, with files that change and are read again, runs that are stopped,
 * and terminals that change their size. Each is saved and opened again, and both must be the same: digest,
 * frame, and what undo and redo make of them. SW_TEST_SEED is the first session, SW_TEST_SESSIONS how many. */
#include "share.h"
#include "planners/planner.h"
#include "tui/frames.h"

#include "base/hash.h"
#include "command/commands.h"

#include <dirent.h>
#include <locale.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { VERSIONS = 8, TRACE = 64, SHARE = 300, FULL = 100000 };

static struct {
    uint64_t seed, number;
    char model[32];           /* the name of the file */
    char *versions[VERSIONS]; /* what it held, the latest last */
    size_t version_count;
    struct sw_session *session;
    struct sw_frame frame, other;
    unsigned columns, rows;
    char trace[TRACE][160];
    size_t traced;
    unsigned long reloads, stops, refused_old, lines, mouse;
} now;

static uint64_t below(uint64_t bound) {
    return sw_random_below(&now.seed, bound);
}

static void trace(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void trace(const char *format, ...) {
    va_list list;
    va_start(list, format);
    vsnprintf(now.trace[now.traced++ % TRACE], sizeof now.trace[0], format, list);
    va_end(list);
}

static bool complain(const char *why) {
    printf("session %llu, %s by %s, at %ux%u: %s\nwhat was done:", (unsigned long long)now.number, now.model,
           sw_search_planner(sw_session_search(now.session))->name, now.columns, now.rows, why);
    for (size_t i = now.traced < TRACE ? 0 : now.traced - TRACE; i < now.traced; i++) {
        printf(" [%s]", now.trace[i % TRACE]);
    }
    printf("\n");
    return false;
}

/* ---- the file ---- */

static char *slurp(const char *path) {
    FILE *file = fopen(path, "rb");
    char *text = file ? calloc(1, 1 << 17) : NULL;
    if (text && fread(text, 1, (1 << 17) - 1, file) == 0) {
        text[0] = '\0';
    }
    if (file) {
        fclose(file);
    }
    return text;
}

static bool put(const char *text) {
    FILE *file = fopen(now.model, "wb");
    bool good = file && fputs(text, file) >= 0;
    return file && fclose(file) == 0 && good;
}

static bool keep_version(char *text) {
    if (now.version_count == VERSIONS) {
        free(now.versions[0]);
        memmove(now.versions, now.versions + 1, (VERSIONS - 1) * sizeof *now.versions);
        now.version_count--;
    }
    now.versions[now.version_count++] = text;
    return put(text);
}

static void forget_versions(void) {
    while (now.version_count > 0) {
        free(now.versions[--now.version_count]);
    }
}

/* A size becomes another one: the digits after a "size". Small, so that it stays valid. */
static char *change(const char *text) {
    char *fresh = strdup(text);
    size_t marks = 0;
    for (char *at = fresh; fresh && (at = strstr(at, "\"size\"")); at++) {
        marks++;
    }
    size_t which = marks ? below(marks) : 0;
    for (char *at = fresh; fresh && (at = strstr(at, "\"size\"")); at++) {
        if (which-- == 0) {
            at += strcspn(at, "0123456789");
            *at = (char)('1' + below(9));
            return fresh;
        }
    }
    return fresh;
}

/* Operators in a chain, on one core or several, some with a second input or scratch. */
static void write_operators(FILE *file, uint32_t count, bool cores) {
    fprintf(file, "\"operators\": [");
    for (uint32_t i = 0; i + 1 < count; i++) {
        fprintf(file, "%s{\"name\": \"op%u\", \"inputs\": [\"b%u\"", i ? ", " : "", i, i);
        uint32_t also = (uint32_t)below(i + 1);
        if (also != i) {
            fprintf(file, ", \"b%u\"", also);
        }
        fprintf(file, "], \"outputs\": [\"b%u\"]", i + 1);
        if (cores) {
            fprintf(file, ", \"core\": \"c%u\"", i % 2);
        }
        fprintf(file, "}");
    }
    fprintf(file, "], ");
}

static void write_buffer(FILE *file, uint32_t i, bool operators, uint32_t tiers) {
    fprintf(file, "%s{\"name\": \"b%u%s\", \"size\": %llu", i ? ", " : "", i,
            !operators && i % 5 == 3 ? " \\\"q\\\"" : "", 16 * (1 + (unsigned long long)below(60)));
    if (!operators) {
        unsigned first = (unsigned)below(10);
        fprintf(file, ", \"first\": %u, \"last\": %u", first, first + (unsigned)below(6));
    }
    if (below(12) == 0) {
        fprintf(file, ", \"alignment\": 64");
    }
    if (below(10) == 0) {
        fprintf(file, ", \"tier\": \"%s\"", tiers > 1 && below(2) ? "big ram" : "sram");
    } else if (i == 0 && below(4) == 0) {
        fprintf(file, ", \"tier\": \"sram\", \"offset\": 128");
    }
    fprintf(file, "}");
}

/* Small models of many kinds: with and without operators, cores, several tiers, pins. */
static char *make_model(void) {
    char *text = calloc(1, 1 << 16);
    FILE *file = text ? fmemopen(text, 1 << 16, "w") : NULL;
    if (!file) {
        return text;
    }
    uint32_t count = 2 + (uint32_t)below(14), tiers = 1 + (uint32_t)below(3);
    bool operators = below(2);
    static const char *const names[] = {"sram", "big ram", "slow"};
    fprintf(file, "{\"tiers\": [");
    for (uint32_t t = 0; t < tiers; t++) {
        fprintf(file, "%s{\"name\": \"%s\"", t ? ", " : "", names[t]);
        if (t + 1 < tiers || below(3) == 0) {
            fprintf(file, ", \"capacity\": %llu", 2000 + (unsigned long long)below(9000));
        }
        fprintf(file, "}");
    }
    fprintf(file, "], ");
    if (operators) {
        write_operators(file, count, below(3) == 0);
    } else {
        fprintf(file, "\"operators\": [], ");
    }
    fprintf(file, "\"buffers\": [");
    for (uint32_t i = 0; i < count; i++) {
        write_buffer(file, i, operators, tiers);
    }
    fprintf(file, "]}\n");
    fclose(file);
    return text;
}

/* ---- what is done ---- */

static bool has_chance(const struct sw_command *command) {
    static const char *const others[] = {"quit", "export", "write",      "save",    "recover",
                                         "lua",  "key",    "uncompared", "carried", "until"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        if (strcmp(command->name, others[i]) == 0) {
            return false;
        }
    }
    return true;
}

static void press(const char *key) {
    trace("%s", key);
    sw_session_key(now.session, key, NULL);
}

static void press_random(void) {
    static const char *const others[] = {"Up", "Down", "Enter", "Esc", "Tab",  "Left", "Right",
                                         "s",  "s",    "S",     "End", "Home", "u",    "Ctrl-R"};
    char key[16];
    if (below(3) == 0) {
        press(others[below(sizeof others / sizeof *others)]);
        return;
    }
    for (;;) {
        const struct sw_command *command = sw_command_get(below(sw_command_count()));
        if (has_chance(command) && sw_command_key(command, below(2), key)) {
            press(key);
            return;
        }
    }
}

static const char *name_at_random(void) {
    const struct sw_problem *problem = sw_search_problem(sw_session_search(now.session));
    uint32_t count = sw_problem_buffer_count(problem);
    return count && below(20) ? sw_problem_buffer(problem, (uint32_t)below(count))->name : "nobody";
}

/* An argument of the kind that the table names. */
static void add_word(const char *kind, char *line, size_t size) {
    static const struct {
        const char *kind, *words[8];
    } known[] = {
        {"NAME", {"first-fit", "best-fit", "m1", "order-exact", "greedy-by-size", "schedule", "tier-search", "blame"}},
        {"KEY=VALUE", {"seed=2", "seed=3", "seed=4", "work=50", "work=0", "seed=5", "x=1", "seed"}},
        {"HOW", {"decision", "operator", "block", "best", "best", "block", "time", "decision"}},
        {"WHICH", {"peak", "cursor", "unplaced", "all", "b", "place", "selected", "["}},
        {"COLUMN", {"size", "birth", "life", "name", "offset", "size", "name", "weight"}},
        {"T|peak|bound", {"peak", "bound", "0", "3", "5", "7", "100", "x"}},
        {"in|out", {"in", "out", "in", "out", "in", "out", "in", "off"}},
        {"on|off", {"on", "off", "on", "off", "on", "off", "on", "in"}},
        {"up|down", {"up", "down", "up", "down", "up", "down", "up", "left"}},
        {"TEXT", {"b1", "conv", "B", "[0-9]", "x", "out", "b1$", "("}},
        {"CONDITION",
         {"kind == grow", "peak > 2000", "step 3", "size > 100", "kind place", "clear", "peak >",
          "peak > bound * 1.1"}},
        {"BYTES|none", {"none", "1K", "4096", "9000", "64K", "1M", "none", "x"}},
        {"OPERATOR|auto", {"auto", "auto", "0", "1", "2", "3", "auto", "op1"}},
        {"OPERATOR", {"0", "1", "2", "op1", "op2", "op3", "6", "none"}},
        {"BUFFER|*", {"*", "*", "b1", "b2", "b4", "b5", "b0", "b99"}}};
    size_t used = strlen(line), length = strcspn(kind, " ]");
    kind += *kind == '[';
    length = strcspn(kind, " ].");
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (strlen(known[i].kind) == length && strncmp(known[i].kind, kind, length) == 0) {
            snprintf(line + used, size - used, " %s", known[i].words[below(8)]);
            return;
        }
    }
    if (strncmp(kind, "BUFFER", length) == 0) {
        char name[200];
        sw_session_quote(name_at_random(), name, sizeof name);
        snprintf(line + used, size - used, " %s", name);
    } else if (strncmp(kind, "RUN", 3) == 0) {
        static const char *const runs[] = {"1", "2", "3", "first-fit", "best-fit", "greedy-by-breadth", "off", "4"};
        snprintf(line + used, size - used, " %s", runs[below(8)]);
    } else {
        uint64_t most = strncmp(kind, "OFFSET", 6) == 0 || strncmp(kind, "BYTES", 5) == 0 ||
                                strncmp(kind, "LO", 2) == 0 || strncmp(kind, "HI", 2) == 0
                            ? 4000
                            : 12;
        snprintf(line + used, size - used, " %llu",
                 (unsigned long long)(below(2) ? below(most) : below(most) / 64 * 64));
    }
}

/* A command of the table with as many arguments as it wants, or some more or less. */
static void line_at_random(char *line, size_t size) {
    const struct sw_command *command = sw_command_get(below(sw_command_count()));
    while (!has_chance(command) || (!(command->flags & SW_COMMAND_LOGGED) && below(3))) {
        command = sw_command_get(below(sw_command_count()));
    }
    snprintf(line, size, "%s", command->name);
    const char *at = command->arguments;
    while (*at && (at[0] != '[' || below(2))) {
        add_word(at, line, size);
        at += strcspn(at, " ");
        at += *at == ' ';
    }
}

static void give_line(void) {
    char line[600];
    now.lines++;
    line_at_random(line, sizeof line);
    for (int i = 0; i < 4 && sw_session_mode(now.session) != SW_MODE_NORMAL; i++) {
        press("Esc");
    }
    trace(":%.150s", line);
    sw_session_key(now.session, ":", NULL);
    sw_session_type(now.session, line);
    sw_session_key(now.session, "Enter", NULL);
}

/* What the loop makes of the mouse. */
static void click(void) {
    char line[300], name[200];
    now.mouse++;
    sw_session_quote(name_at_random(), name, sizeof name);
    switch (below(6)) {
    case 0:
        snprintf(line, sizeof line, "select %s", name);
        break;
    case 1:
        snprintf(line, sizeof line, "cursor %u", (unsigned)below(12));
        break;
    case 2:
        snprintf(line, sizeof line, "zoom-%s %u %u", below(2) ? "in" : "out", (unsigned)below(12),
                 (unsigned)below(5000));
        break;
    case 3:
        snprintf(line, sizeof line, "goto %u", (unsigned)below(20));
        break;
    case 4:
        snprintf(line, sizeof line, "candidate %u", 1 + (unsigned)below(4));
        break;
    default:
        snprintf(line, sizeof line, "hold %s %u", name, (unsigned)below(4000));
        trace("%.150s", line);
        if (!sw_session_command(now.session, line, NULL)) {
            return;
        }
        snprintf(line, sizeof line, "put");
    }
    trace("%.150s", line);
    sw_session_command(now.session, line, NULL);
}

static bool draw(struct sw_frame *frame, struct sw_session *session) {
    struct sw_error error = {0};
    return sw_frame_draw(frame, session, now.columns, now.rows, SW_FRAME_MONO, &error) || complain(error.message);
}

static bool act(void) {
    uint64_t what = below(40);
    if (what == 0) {
        now.columns = 20 + (unsigned)below(150);
        now.rows = 6 + (unsigned)below(60);
        trace("resize");
        return draw(&now.frame, now.session);
    }
    if (what == 1 && now.version_count > 0) {
        char *text = change(now.versions[now.version_count - 1]);
        trace("file changed");
        now.reloads++;
        if (!text || !keep_version(text)) {
            return complain("the file cannot be written");
        }
        sw_session_command(now.session, "reload", NULL);
    } else if (what == 2) {
        trace("touched");
        sw_session_command(now.session, "reload", NULL);
    } else if (what < 6) {
        unsigned work = 1 + (unsigned)below(40);
        trace("slice %u", work);
        sw_session_slice(now.session, work, NULL);
    } else if (what < 8) {
        now.stops += sw_session_busy(now.session);
        press("Esc");
    } else if (what == 8) {
        static const char *const far[] = {"End", "c", "p", "n", "g", "Enter"};
        press(far[below(6)]);
        if (below(2)) {
            trace("slice");
            sw_session_slice(now.session, 1 + below(20000), NULL);
        }
        now.stops += sw_session_busy(now.session);
        press(below(3) ? "Esc" : "+");
    } else if (what < 18) {
        give_line();
    } else if (what < 21) {
        click();
    } else {
        press_random();
    }
    return true;
}

/* ---- the replay ---- */

/* What no log tells: help, prompt, status, a block in the hand, the menu of panes, the tour, what was printed. */
static void lay_aside(struct sw_session *session) {
    struct sw_display *display = sw_session_display(session);
    for (int i = 0; i < 4 && sw_session_mode(session) != SW_MODE_NORMAL; i++) {
        sw_session_key(session, "Esc", NULL);
    }
    sw_session_command(session, "tour off", NULL);
    sw_session_finish(session, NULL);
    *display = (struct sw_display){.mouse = true, .drawn = display->drawn};
    struct sw_view_input in = {0};
    if (sw_session_view(session, &in, NULL) && (in.look.holding || in.look.menu)) {
        sw_session_key(session, "Esc", NULL);
    }
    if (sw_session_view(session, &in, NULL) && in.look.side && strcmp(in.look.side->name, "log") == 0) {
        sw_session_command(session, "pane decision", NULL);
    }
    sw_session_command(session, "redraw", NULL);
}

static void say_row(const char *which, const struct sw_grid *grid, unsigned y) {
    printf("%s: ", which);
    for (unsigned x = 0; x < grid->columns; x++) {
        printf("%s", sw_grid_cell(grid, x, y)->text);
    }
    printf("\n");
}

static bool same_frames(struct sw_session *again) {
    char why[300];
    if (!draw(&now.frame, now.session) || !draw(&now.other, again)) {
        return false;
    }
    const struct sw_grid *a = &now.frame.grid, *b = &now.other.grid;
    for (unsigned y = 0; y < a->rows; y++) {
        for (unsigned x = 0; x < a->columns; x++) {
            const struct sw_cell *p = sw_grid_cell(a, x, y), *q = sw_grid_cell(b, x, y);
            if (strcmp(p->text, q->text) != 0 || p->look.attributes != q->look.attributes) {
                snprintf(why, sizeof why, "the frames differ at %u,%u: '%s' and '%s'", x, y, p->text, q->text);
                say_row("here", a, y);
                say_row("replayed", b, y);
                return complain(why);
            }
        }
    }
    return true;
}

static void say_state(const char *which, struct sw_session *session) {
    struct sw_view_input in = {0};
    if (!sw_session_view(session, &in, NULL)) {
        return;
    }
    printf("%s: decision %llu, known %llu, cursor %u, selected %u, candidate %u, tier %u, window %.17g..%.17g "
           "%.17g..%.17g, %s, share %u\n",
           which, (unsigned long long)sw_search_at(in.run.search), (unsigned long long)sw_search_known(in.run.search),
           in.look.cursor, in.look.selected, in.look.candidate, in.look.tier, in.look.viewport.time_lo,
           in.look.viewport.time_hi, in.look.viewport.bytes_lo, in.look.viewport.bytes_hi,
           in.look.side ? in.look.side->name : "decision", in.look.share);
    for (uint32_t i = 0; i < in.run.branch_count; i++) {
        const struct sw_branch_line *line = &in.run.branches[i];
        printf("  branch %u %s at %llu%s%s%s\n", line->number, line->what, (unsigned long long)line->at,
               line->current ? ", here" : "", line->ended ? ", ended" : "", line->figured ? ", figured" : "");
    }
}

static bool same(struct sw_session *again) {
    if (sw_session_digest(again) != sw_session_digest(now.session)) {
        say_state("here", now.session);
        say_state("replayed", again);
        char text[2000] = "";
        FILE *file = fopen("s.stowage", "r");
        while (file && fgets(text, sizeof text, file)) {
            printf("    %s", text);
        }
        if (file) {
            fclose(file);
        }
        return complain("its log leads elsewhere");
    }
    return same_frames(again);
}

/* The session may be of what the file held before it changed: that is refused, until it is there again. */
static struct sw_session *open_again(struct sw_error *error) {
    struct sw_session *again = sw_session_open("s.stowage", error);
    for (size_t i = now.version_count; !again && i > 0 && strstr(error->message, "has changed since"); i--) {
        now.refused_old += i == now.version_count;
        *error = (struct sw_error){0};
        again = put(now.versions[i - 1]) ? sw_session_open("s.stowage", error) : NULL;
    }
    return again;
}

static bool replay(void) {
    struct sw_error error = {0};
    lay_aside(now.session);
    if (!sw_session_save(now.session, "s.stowage", &error)) {
        return complain(error.message);
    }
    struct sw_session *again = open_again(&error);
    if (!again) {
        char text[700];
        snprintf(text, sizeof text, "the log line %u: %.600s", error.line, error.message);
        return complain(text);
    }
    lay_aside(again);
    bool good = same(again);
    sw_session_free(again);
    return good;
}

/* ---- one session ---- */

static const char *const shipped[] = {
    SW_TEST_SOURCE "/scripts/models/example1.json",     SW_TEST_SOURCE "/scripts/models/example2.json",
    SW_TEST_SOURCE "/scripts/models/branches.json",     SW_TEST_SOURCE "/scripts/models/two_tiers.json",
    SW_TEST_SOURCE "/tests/tui/models/small.json",      SW_TEST_SOURCE "/tests/tui/models/moves.json",
    SW_TEST_SOURCE "/tests/golden/models/migrate.json", SW_TEST_SOURCE "/tests/golden/models/padded.json",
    SW_TEST_SOURCE "/tests/golden/models/pieces.json",  SW_TEST_SOURCE "/tests/golden/models/swap.json",
    SW_TEST_SOURCE "/tests/tui/models/empty.json",      SW_TEST_SOURCE "/scripts/models/mobilenet_v1_025_96.json"};
enum { SHIPPED = sizeof shipped / sizeof *shipped };

static bool open_one(void) {
    static const char *const planners[] = {"first-fit",
                                           "best-fit",
                                           "greedy-by-size",
                                           "lifetime-best-fit",
                                           "greedy-by-breadth",
                                           "tier-search",
                                           "token-sharing",
                                           "branch-and-bound",
                                           "improve",
                                           "segment-genetic",
                                           "order-genetic",
                                           "farthest-next-use",
                                           "tflm-greedy",
                                           "random-order",
                                           "as-built",
                                           "auto",
                                           "order",
                                           "order-exact",
                                           "order-greedy",
                                           "order-beam",
                                           "order-lpmf"};
    struct sw_error error = {0};
    struct sw_session_options options = {.path = now.model, .params = SW_PARAMS_DEFAULT};
    options.params.work = below(3) ? 20000 : 400000; /* more than one slice, but not without end */
    snprintf(now.model, sizeof now.model, "model.json");
    char *text = below(2) ? slurp(shipped[below(SHIPPED)]) : make_model();
    if (!text || !keep_version(text)) {
        return false;
    }
    for (int i = 0; i < 20 && !now.session; i++) {
        options.planner = i < 19 ? planners[below(sizeof planners / sizeof *planners)] : "auto";
        now.session = sw_session_new(&options, &error);
    }
    if (!now.session) {
        printf("session %llu: %s\n%s", (unsigned long long)now.number, error.message, text);
    }
    return now.session != NULL;
}

static bool run_one(uint64_t number) {
    now.number = number;
    now.seed = number * 2654435761u + 17;
    now.traced = 0;
    now.columns = 80;
    now.rows = 24;
    bool good = open_one();
    for (uint64_t i = 3 + below(40); good && i > 0 && !sw_session_wants_quit(now.session); i--) {
        good = act();
    }
    good = good && replay();
    sw_session_free(now.session);
    now.session = NULL;
    forget_versions();
    return good;
}

static void sweep(const char *folder) {
    DIR *here = opendir(".");
    for (const struct dirent *entry; here && (entry = readdir(here));) {
        unlink(entry->d_name);
    }
    if (here) {
        closedir(here);
    }
    if (chdir("/") == 0) {
        rmdir(folder);
    }
}

int main(void) {
    const char *seed = getenv("SW_TEST_SEED"), *many = getenv("SW_TEST_SESSIONS");
    bool in_full = getenv("STOWAGE_LONG") != NULL;
    uint64_t first = seed ? strtoull(seed, NULL, 10) : 1 + (in_full ? 0 : first_case(4 * SHARE));
    uint64_t count = many ? strtoull(many, NULL, 10) : in_full ? FULL : cases(4 * SHARE);
    char folder[] = "/tmp/stowage-replays-XXXXXX";
    setlocale(LC_ALL, "C.UTF-8");
    setenv("STOWAGE_DATA", SW_TEST_SOURCE, 1);
    if (!mkdtemp(folder) || chdir(folder) != 0) {
        return 1;
    }
    uint64_t failed = 0;
    for (uint64_t i = 0; i < count && failed < 5; i++) {
        failed += !run_one(first + i);
        if (failed) {
            fflush(stdout);
        }
    }
    printf("%llu sessions, %lu lines, %lu clicks, %lu stops, %lu changed files, %lu of an older file\n",
           (unsigned long long)count, now.lines, now.mouse, now.stops, now.reloads, now.refused_old);
    if (in_full && !many) {
        printf("in full: sessions replayed %llu\n", (unsigned long long)count);
    }
    printf("%u passed, %u failed, 0 skipped\n", !failed, !!failed);
    sw_frame_done(&now.frame);
    sw_frame_done(&now.other);
    sweep(folder);
    return failed ? 1 : 0;
}
