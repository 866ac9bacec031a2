/* What the explorer keeps from one start to the next, and the user's config. */
#include "tui/sessions.h"

#include "command/commands.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define MODEL SW_TEST_SOURCE "/tests/tui/models/small.json"
#define OTHER SW_TEST_SOURCE "/tests/tui/models/one.csv"

static char folder[64], state_folder[128];

static const char *status(struct sw_session *session) {
    bool is_error;
    return sw_session_status(session, &is_error);
}

static void type(struct sw_session *session, const char *text) {
    char key[2] = "";
    for (; *text; text++) {
        key[0] = *text;
        sw_session_key(session, *text == ' ' ? "Space" : key, NULL);
    }
}

/* As the terminal begins. */
static struct sw_session *begin(const char *path) {
    struct sw_session *session = open_model(path, "first-fit");
    sw_session_autosave(session, true);
    sw_session_offer(session);
    return session;
}

static void end(struct sw_session *session) {
    sw_session_autosave_end(session, false);
    sw_session_free(session);
}

static size_t count_files(const char *suffix) {
    char command[256], line[32] = "";
    snprintf(command, sizeof command, "ls -A %s 2>/dev/null | grep -c -- '%s$'", state_folder, suffix);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    assert_non_null(fgets(line, sizeof line, pipe));
    pclose(pipe);
    return (size_t)atoi(line);
}

static int forget(void **state) {
    char command[256];
    (void)state;
    snprintf(command, sizeof command, "rm -rf '%s'", state_folder);
    return system(command) == 0 ? 0 : -1;
}

static void write_text(const char *path, const char *text) {
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void state_file(const char *name, char path[256]) {
    snprintf(path, 256, "%s/%s", state_folder, name);
}

/* Another stowage: does what the lines say, keeps it, tells its digest, then waits for its end. */
static pid_t live(const char *path, const char *const *lines, uint64_t *digest) {
    int news[2];
    fflush(NULL);
    assert_int_equal(pipe(news), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL); /* a test that fails leaves no process behind */
        struct sw_session *session = begin(path);
        for (; *lines; lines++) {
            run(session, *lines);
        }
        int wait = 0;
        sw_session_autosave_now(session, &wait);
        uint64_t now = sw_session_digest(session);
        if (write(news[1], &now, sizeof now) != (ssize_t)sizeof now) {
            _exit(1);
        }
        pause();
        _exit(2);
    }
    close(news[1]);
    assert_int_equal(read(news[0], digest, sizeof *digest), (ssize_t)sizeof *digest);
    close(news[0]);
    return child;
}

static void cut_off(pid_t child) {
    int status_of = 0;
    kill(child, SIGKILL);
    assert_int_equal(waitpid(child, &status_of, 0), child);
    assert_true(WIFSIGNALED(status_of));
}

static const char *const what_if[] = {"step 2", "pin probabilities 20K", "last", "pane blame", "select image", NULL};

/* ---- a session that was cut off ---- */

static void test_cut_off(void **state) {
    uint64_t digest = 0;
    struct stat about;
    char path[256];
    int wait = 0;
    (void)state;
    pid_t child = live(MODEL, what_if, &digest);
    assert_int_equal(count_files(".stowage"), 1);
    assert_int_equal(stat(state_folder, &about), 0);
    assert_int_equal(about.st_mode & 0777, 0700);
    char name[32];
    snprintf(name, sizeof name, "%ld.stowage", (long)child);
    state_file(name, path);
    assert_int_equal(stat(path, &about), 0);
    assert_int_equal(about.st_mode & 0777, 0600);

    struct sw_session *session = begin(MODEL); /* the other one lives: it is not offered */
    assert_null(strstr(status(session), "cut off"));
    snprintf(name, sizeof name, "recover %ld", (long)child);
    refuses(session, name, "is open in a running stowage");
    run(session, "recover drop");
    assert_int_equal(count_files(".stowage"), 1);
    end(session);
    cut_off(child);

    session = begin(OTHER); /* any input */
    assert_non_null(strstr(status(session), "R takes up small.json, cut off "));
    sw_session_key(session, "s", NULL); /* leaves it, and is what it always is */
    assert_int_equal(sw_search_at(sw_session_search(session)), 1);
    sw_session_key(session, "R", NULL);
    assert_null(sw_session_next(session));
    end(session);

    session = begin(MODEL);
    assert_true(sw_session_key(session, "R", NULL));
    struct sw_session *next = sw_session_next(session);
    assert_non_null(next);
    sw_session_autosave_end(session, false);
    sw_session_free(session);
    assert_true(digest == sw_session_digest(next));
    assert_int_equal(count_files(".stowage"), 1); /* its own now */
    assert_false(sw_session_autosave_now(next, &wait));
    sw_session_key(next, "q", NULL);
    assert_false(sw_session_wants_quit(next)); /* it has edits that are not saved */
    end(next);
    assert_int_equal(count_files(".stowage"), 0);
    assert_int_equal(count_files(".lock"), 0);
}

/* Looking at nothing is worth no file; neither is what was just saved, nor a clean end. */
static void test_what_is_kept(void **state) {
    int wait = 0;
    char path[256], line[300];
    (void)state;
    struct sw_session *session = begin(MODEL);
    assert_false(sw_session_autosave_now(session, &wait));
    assert_int_equal(wait, -1);
    assert_int_equal(count_files(""), 0);
    run(session, "step");
    assert_false(sw_session_autosave_now(session, &wait)); /* not yet */
    assert_true(wait > 0 && wait <= 5000);
    assert_int_equal(count_files(".stowage"), 0);
    run(session, "pin probabilities 20K");
    assert_false(sw_session_autosave_now(session, &wait)); /* at once */
    assert_int_equal(count_files(".stowage"), 1);
    snprintf(path, sizeof path, "%s/saved.session", folder);
    snprintf(line, sizeof line, "save %s", path);
    run(session, line);
    sw_session_autosave_end(session, true); /* cut off */
    sw_session_free(session);
    assert_int_equal(count_files(".stowage"), 0);
    unlink(path);
    session = begin(MODEL);
    run(session, "step 3");
    sw_session_autosave_end(session, true);
    sw_session_free(session);
    assert_int_equal(count_files(".stowage"), 1);
}

/* A run under way is kept as far as it came, so that taking it up does not run for ever. */
static void test_in_the_middle(void **state) {
    struct sw_error error = {0};
    int wait = 0;
    (void)state;
    char path[128];
    snprintf(path, sizeof path, "%s/many.csv", folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "id,lower,upper,size\n");
    for (int i = 0; i < 3000; i++) {
        fprintf(file, "t%d,%d,%d,%d\n", i, i, i + 40, 64 + i % 97);
    }
    fclose(file);
    struct sw_session *session = begin(path);
    run(session, "step 5");
    run(session, "pin t7 1M");
    assert_true(sw_session_command(session, "last", &error));
    assert_true(sw_session_busy(session));
    sw_session_slice(session, 10, NULL);
    assert_true(sw_session_busy(session));
    uint64_t at = sw_search_at(sw_session_search(session));
    assert_false(sw_session_autosave_now(session, &wait));
    sw_session_autosave_end(session, true);
    sw_session_free(session);
    session = begin(path);
    assert_true(sw_session_key(session, "R", NULL));
    struct sw_session *next = sw_session_next(session);
    assert_non_null(next);
    assert_int_equal(sw_search_at(sw_session_search(next)), at);
    sw_session_free(session);
    end(next);
    unlink(path);
}

static void test_recover_command(void **state) {
    static const char *const steps[] = {"step 2", "pin probabilities 20K", NULL};
    uint64_t digest[3];
    pid_t child[3];
    char line[64], path[256];
    (void)state;
    struct sw_session *session = open_model(MODEL, "first-fit");
    refuses(session, "recover", "only in a terminal");
    sw_session_free(session);
    for (int i = 0; i < 3; i++) {
        child[i] = live(i == 2 ? OTHER : MODEL, i == 2 ? (const char *const[]){"last", NULL} : steps, &digest[i]);
    }
    for (int i = 0; i < 3; i++) {
        cut_off(child[i]);
    }
    assert_int_equal(count_files(".stowage"), 2); /* a step alone waits for its seconds */
    state_file("broken.stowage", path);
    write_text(path, "stowage-session 1\ninput gone.json\nnonsense\n");
    session = begin(MODEL);
    assert_non_null(strstr(status(session), "1 of 3"));
    run(session, "recover");
    assert_int_equal(sw_session_mode(session), SW_MODE_HELP);
    sw_session_key(session, "Esc", NULL);
    refuses(session, "recover nobody", "no session 'nobody' was cut off");
    refuses(session, "recover ../../etc", "no session");
    refuses(session, "recover broken", "means nothing in the head");
    assert_null(sw_session_next(session));
    run(session, "recover drop broken");
    run(session, "step 4"); /* what is here is kept beside what is taken up */
    snprintf(line, sizeof line, "recover %ld", (long)child[0]);
    run(session, line);
    struct sw_session *next = sw_session_next(session);
    assert_true(next && sw_session_digest(next) == digest[0]);
    sw_session_free(session);
    assert_int_equal(count_files(".stowage"), 3);
    run(next, "recover drop");
    assert_non_null(strstr(status(next), "threw 2 sessions away"));
    assert_int_equal(count_files(".stowage"), 1);
    end(next);
    assert_int_equal(count_files(".stowage"), 0);
}

/* ---- a folder that cannot be written ---- */

static void expect_one_complaint(void) {
    int wait = 0;
    struct sw_session *session = begin(MODEL);
    run(session, "step 2");
    run(session, "pin probabilities 20K");
    assert_true(sw_session_autosave_now(session, &wait));
    assert_non_null(strstr(status(session), "not kept for the next start: "));
    run(session, "pin probabilities 21K");
    assert_false(sw_session_autosave_now(session, &wait));
    assert_string_not_equal(status(session), "");
    end(session);
}

static void test_unwritable(void **state) {
    char path[256];
    (void)state;
    snprintf(path, sizeof path, "%s/file", folder);
    write_text(path, "");
    setenv("STOWAGE_STATE", path, 1);
    expect_one_complaint();
    strcat(path, "/below");
    setenv("STOWAGE_STATE", path, 1);
    expect_one_complaint();
    setenv("STOWAGE_STATE", state_folder, 1);
    struct rlimit limit, none;
    getrlimit(RLIMIT_FSIZE, &limit);
    none = limit;
    none.rlim_cur = 0; /* as a full disk */
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &none);
    expect_one_complaint();
    setrlimit(RLIMIT_FSIZE, &limit);
    assert_int_equal(count_files(".tmp"), 0);
    path[strlen(path) - strlen("/below")] = '\0';
    unlink(path);
}

/* ---- panes and history ---- */

static void test_panes(void **state) {
    char path[256], session_path[256], line[300];
    (void)state;
    struct sw_session *session = begin(MODEL);
    uint64_t plain = sw_session_digest(session);
    run(session, "pane card");
    run(session, "wider");
    uint64_t changed = sw_session_digest(session);
    end(session);
    session = begin(MODEL);
    assert_true(sw_session_digest(session) == changed);
    snprintf(session_path, sizeof session_path, "%s/panes.session", folder);
    snprintf(line, sizeof line, "save %s", session_path);
    run(session, line);
    end(session);
    struct sw_error error = {0};
    session = sw_session_open(session_path, &error); /* elsewhere it gives the same */
    assert_true(session && sw_session_digest(session) == changed);
    sw_session_free(session);
    unlink(session_path);
    session = open_model(MODEL, "first-fit"); /* a session says so itself */
    sw_session_autosave(session, false);
    assert_true(sw_session_digest(session) == plain);
    sw_session_free(session);
    state_file("panes", path);
    write_text(path, "pane nonsense\nlast\n\nwhole maybe\npin probabilities 20K\n\001\n");
    session = begin(MODEL);
    assert_true(sw_session_digest(session) == plain);
    sw_session_free(session);
    write_text(path, "pane front\nwhole on\n"); /* left on another file: here it has nothing to show */
    session = begin(MODEL);
    assert_true(sw_session_digest(session) == plain);
    sw_session_free(session);
    unlink(path);
    assert_int_equal(mkdir(path, 0700), 0);
    session = begin(MODEL);
    assert_true(sw_session_digest(session) == plain);
    end(session);
    rmdir(path);
}

static void expect_recall(struct sw_session *session, int back, const char *wanted) {
    sw_session_key(session, ":", NULL);
    for (int i = 0; i < back; i++) {
        sw_session_key(session, "Up", NULL);
    }
    struct sw_scene scene = {0};
    assert_true(sw_session_screen(session, &scene, 100, 30, 1, 1, NULL));
    const struct sw_panel *panel = &scene.panels.items[scene.panels.count - 1];
    assert_string_equal(panel->id, "prompt");
    assert_string_equal(panel->texts.items[0].text, wanted);
    sw_scene_done(&scene);
    sw_session_key(session, "Esc", NULL);
}

static void test_history(void **state) {
    char path[256], line[64];
    (void)state;
    struct sw_session *session = begin(MODEL), *other = begin(MODEL);
    type(session, ":step 2");
    sw_session_key(session, "Enter", NULL);
    type(other, ":select image");
    sw_session_key(other, "Enter", NULL);
    end(session);
    end(other); /* neither loses what the other has */
    session = begin(MODEL);
    expect_recall(session, 1, ":select image");
    expect_recall(session, 2, ":step 2");
    for (int i = 0; i < 600; i++) {
        snprintf(line, sizeof line, ":goto %d", i % 7);
        type(session, line);
        sw_session_key(session, "Enter", NULL);
    }
    end(session);
    state_file("history", path);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    size_t lines = 0;
    for (int c; (c = fgetc(file)) != EOF;) {
        lines += c == '\n';
    }
    fclose(file);
    assert_int_equal(lines, 500);
    write_text(path, "good\n\033[2Jbad\n\nlast one");
    session = begin(MODEL);
    expect_recall(session, 1, ":last one");
    expect_recall(session, 5, ":good");
    end(session);
}

/* ---- Tab ---- */

static void expect_prompt(struct sw_session *session, const char *line, const char *above) {
    struct sw_scene scene = {0};
    assert_true(sw_session_screen(session, &scene, 100, 30, 1, 1, NULL));
    const struct sw_panel *panel = &scene.panels.items[scene.panels.count - 1];
    assert_string_equal(panel->texts.items[0].text, line);
    panel--;
    char text[1200] = "";
    for (size_t i = 0; i < panel->texts.count; i++) { /* all rows of what was said */
        size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, "%s", panel->texts.items[i].text);
    }
    if (strcmp(panel->id, "footer") != 0 || !strstr(text, above)) {
        fail_msg("'%s' is not in '%s'", above, text);
    }
    assert_true(panel->top + panel->height == (*above ? 29 : 30)); /* the prompt covers it, or stands below */
    sw_scene_done(&scene);
}

/* What a line can become: planners that apply, free places, what an operator writes, paths, names with blanks. */
static void test_tab_arguments(void **state) {
    (void)state;
    struct sw_session *session = open_model(MODEL, "first-fit");
    sw_session_key(session, "=", NULL);
    expect_prompt(session, ":compare ", "first-fit  best-fit");
    type(session, "greedy-by-s");
    sw_session_key(session, "Tab", NULL);
    expect_prompt(session, ":compare greedy-by-size ", "");
    sw_session_key(session, "Esc", NULL);
    assert_true(sw_session_command(session, "step 4", NULL));
    assert_true(sw_session_command(session, "select relu_1_out", NULL));
    sw_session_key(session, "w", NULL);
    expect_prompt(session, ":pin relu_1_out ", "15872"); /* a free place, before Tab is pressed */
    sw_session_key(session, "Esc", NULL);
    type(session, ":pin relu_1");
    sw_session_key(session, "Tab", NULL);
    expect_prompt(session, ":pin relu_1_out ", "");
    sw_session_key(session, "Ctrl-U", NULL);
    type(session, "pin softmax"); /* an operator, and no buffer begins like that */
    sw_session_key(session, "Tab", NULL);
    expect_prompt(session, ":pin probabilities ", "");
    sw_session_key(session, "Ctrl-U", NULL);
    type(session, "select two");
    sw_session_key(session, "Tab", NULL);
    expect_prompt(session, ":select \"two words\" ", "");
    sw_session_key(session, "Ctrl-U", NULL);
    type(session, "break delt"); /* an operand of some kinds of decision */
    sw_session_key(session, "Tab", NULL);
    expect_prompt(session, ":break delta ", "");
    sw_session_key(session, "Ctrl-U", NULL);
    type(session, "write " SW_TEST_SOURCE "/scripts/mod");
    sw_session_key(session, "Tab", NULL);
    expect_prompt(session, ":write " SW_TEST_SOURCE "/scripts/models/", "");
    sw_session_key(session, "Esc", NULL);
    struct sw_error error = {0};
    assert_false(sw_session_command(session, "pin softmax 0", &error));
    assert_string_equal(error.message, "'softmax' is an operator; it writes probabilities");
    sw_session_free(session);
}

static void test_tab(void **state) {
    (void)state;
    struct sw_session *session = open_model(MODEL, "first-fit");
    type(session, ":zo");
    sw_session_key(session, "Tab", NULL);
    expect_prompt(session, ":zoom", "7: zoom-in  zoom-out  zoom-time");
    sw_session_key(session, "Tab", NULL);
    expect_prompt(session, ":zoom-in", "1 of 7: zoom-in  zoom-out");
    sw_session_key(session, "Tab", NULL);
    expect_prompt(session, ":zoom-out", "2 of 7: zoom-out  zoom-time");
    sw_session_key(session, "Shift-Tab", NULL);
    sw_session_key(session, "Shift-Tab", NULL);
    expect_prompt(session, ":zoom", "7 of 7: zoom"); /* round */
    sw_session_key(session, "Tab", NULL);
    expect_prompt(session, ":zoom-in", "1 of 7");
    type(session, "x"); /* typing ends it */
    sw_session_key(session, "Tab", NULL);
    expect_prompt(session, ":zoom-inx", "nothing to complete");
    sw_session_key(session, "Ctrl-U", NULL);
    type(session, "pane b");
    sw_session_key(session, "Tab", NULL);
    expect_prompt(session, ":pane b", ": buffers  blame");
    sw_session_key(session, "Ctrl-U", NULL);
    type(session, "select conv_2");
    sw_session_key(session, "Tab", NULL);
    sw_session_key(session, "Tab", NULL);
    sw_session_key(session, "Esc", NULL);
    type(session, ":"); /* nothing is left over in a new line */
    sw_session_key(session, "Tab", NULL);
    expect_prompt(session, ":", ": step  back");
    sw_session_key(session, "Tab", NULL);
    expect_prompt(session, ":step", "1 of ");
    sw_session_free(session);
}

/* ---- the config ---- */

static bool read_config(const char *text, struct sw_config *config, struct sw_error *error) {
    *config = (struct sw_config){.theme = ""};
    return sw_config_read_text("/etc/c.lua", text, strlen(text), config, error);
}

static void test_config(void **state) {
    struct sw_config config;
    struct sw_error error = {0};
    (void)state;
    assert_true(read_config("local n = 10\n"
                            "-- keys = { q = \"quit\" }\n"
                            "return {\n"
                            "  theme = \"./mine.lua\", ascii = true, mouse = false,\n"
                            "  pane = \"blame\", ghosts = false,\n"
                            "  keys = {\n"
                            "    [\"Ctrl-N\"] = \"step \" .. n, x = false,\n"
                            "    X = 'choose', --[[ x = 1 ]] [\"\\\\\"] = \"back\",\n"
                            "  },\n"
                            "}\n",
                            &config, &error));
    assert_string_equal(config.theme, "/etc/./mine.lua");
    assert_string_equal(config.pane, "blame");
    assert_true(config.ascii == SW_YES && config.mouse == SW_NO && config.ghosts == SW_NO &&
                config.raw_time == SW_UNSAID);
    assert_int_equal(config.pane_line, 5);
    assert_int_equal(config.keys.count, 4);
    assert_string_equal(config.keys.items[0].key, "Ctrl-N");
    assert_string_equal(config.keys.items[0].line, "step 10");
    assert_int_equal(config.keys.items[0].at, 7);
    assert_true(config.keys.items[1].unbind);
    assert_string_equal(config.keys.items[3].key, "\\");
    assert_int_equal(config.keys.items[3].at, 8);

    config.theme[0] = '\0';
    struct sw_session *session = open_model(MODEL, "first-fit");
    assert_true(sw_session_configure(session, &config, true, &error));
    const struct sw_display *display = sw_session_display(session);
    assert_true(display->ascii && !display->mouse);
    sw_session_key(session, "Ctrl-N", NULL);
    sw_session_finish(session, NULL);
    assert_int_equal(sw_search_at(sw_session_search(session)), 10);
    sw_session_key(session, "\\", NULL);
    assert_int_equal(sw_search_at(sw_session_search(session)), 9);
    assert_false(sw_session_key(session, "x", NULL));
    assert_non_null(strstr(status(session), "no command has the key x"));
    uint64_t digest = sw_session_digest(session);
    char path[128];
    snprintf(path, sizeof path, "%s/config.session", folder);
    assert_true(sw_session_save(session, path, &error));
    sw_session_free(session);
    session = sw_session_open(path, &error); /* without the config: the same */
    assert_true(session && sw_session_digest(session) == digest);
    sw_session_free(session);
    unlink(path);
    sw_config_done(&config);
}

static void test_config_faults(void **state) {
    static const struct {
        const char *text;
        uint32_t line;
        const char *part;
    } faults[] = {
        {"return 1", 1, "a config returns one table"},
        {"", 1, "a config returns one table"},
        {"return {\n theme = 3 }", 2, "theme: must be a name"},
        {"return {\n\n ascii = 'yes' }", 3, "ascii: must be true or false"},
        {"return {\n color = 1 }", 2, "color: unknown; there are: theme"},
        {"return {\n zzz = 1,\n aaa = 2 }", 3, "aaa: unknown"},
        {"return { 5 }", 1, "an entry has no name"},
        {"return {\n keys = 5 }", 2, "keys: must be a table"},
        {"return { keys = {\n x = 'step',\n y = 'step',\n ['x'] = 'back' } }", 4,
         "keys[\"x\"]: the key is bound twice"},
        {"return { keys = {\n x = 'step 1',\n Ctrl = 'step' } }", 3, "keys[\"Ctrl\"]: there is no key 'Ctrl'"},
        {"return { keys = {\n ['Ctrl-C'] = 'step' } }", 2, "there is no key 'Ctrl-C'"},
        {"return { keys = {\n ['F25'] = 'step' } }", 2, "there is no key 'F25'"},
        {"return { keys = {\n x = 'stepp' } }", 2, "there is no command 'stepp'"},
        {"return { keys = {\n x = 'step 1 2' } }", 2, "usage: step [N]"},
        {"return { keys = {\n x = 'pin probabilities' } }", 2, "usage: pin"},
        {"return { keys = {\n x = '' } }", 2, "must be a command"},
        {"return { keys = {\n x = true } }", 2, "or false for none"},
        {"return { keys = {\n x = 'step\\n' } }", 2, "must be a command"},
        {"return {\n pane = 'nonsense' }", 2, "there is no pane 'nonsense'"},
        {"return {\n pane = 'a b' }", 2, "there is no pane"},
        {"return {\n theme = 'nonsense' }", 2, "there is no theme 'nonsense'"},
        {"return {\n theme = 'x\\0y' }", 2, "theme: must be a name"},
        {"return {\n keys = }", 2, ""},
        {"while true do end", 1, ""},
        {"error('no')", 1, "no"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        struct sw_config config;
        struct sw_error error = {0};
        struct sw_session *session = open_model(MODEL, "first-fit");
        bool done =
            read_config(faults[i].text, &config, &error) && sw_session_configure(session, &config, true, &error);
        if (done || !strstr(error.message, faults[i].part) || error.line != faults[i].line ||
            strcmp(error.file, "/etc/c.lua") != 0 || error.code == SW_OK || !error.message[0]) {
            fail_msg("%s: %s:%u: %s", faults[i].text, error.file, error.line, error.message);
        }
        sw_config_done(&config);
        sw_session_free(session);
    }
}

/* Every default key has a name that a config may use; PROMPT commands still open the prompt. */
static void test_keys(void **state) {
    struct sw_keymap map = {0};
    struct sw_error error = {0};
    char key[16], text[SW_KEYS_BYTES];
    const char *line = NULL;
    (void)state;
    for (size_t i = 0; i < sw_command_count(); i++) {
        const struct sw_command *command = sw_command_get(i);
        for (size_t k = 0; sw_command_key(command, k, key); k++) {
            assert_true(sw_key_known(key));
            assert_ptr_equal(sw_keymap_find(&map, key, &line), command);
            assert_string_equal(line, command->name);
        }
        assert_string_equal(sw_keymap_text(&map, command, text), command->keys);
    }
    assert_true(sw_key_known("層") && sw_key_known("F24") && sw_key_known("Ctrl-A"));
    assert_false(sw_key_known("") || sw_key_known("ab") || sw_key_known("F0") || sw_key_known("Ctrl-I") ||
                 sw_key_known(" ") || sw_key_known("\033"));
    assert_true(sw_keymap_bind(&map, "s", "back", &error));
    assert_true(sw_keymap_bind(&map, "F3", "  st 5", &error) == false);
    assert_true(sw_keymap_bind(&map, "F3", "  step 5", &error));
    assert_true(sw_keymap_bind(&map, "F4", "find", &error));
    assert_true(sw_keymap_bind(&map, "q", NULL, &error));
    assert_false(sw_keymap_bind(&map, "q", "quit", &error));
    assert_string_equal(sw_keymap_text(&map, sw_command_find("step", NULL), text), "Right");
    assert_string_equal(sw_keymap_text(&map, sw_command_find("back", NULL), text), "s S Left");
    assert_string_equal(sw_keymap_text(&map, sw_command_find("quit", NULL), text), "");
    assert_null(sw_keymap_find(&map, "q", &line));
    assert_string_equal(sw_keymap_bound(&map, sw_command_find("step", NULL), 0)->line, "step 5");
    sw_keymap_done(&map);
}

/* Memory may end anywhere. */
static size_t allowed;

static void *limited(void *context, void *pointer, size_t old_size, size_t new_size) {
    (void)context, (void)old_size;
    if (new_size == 0) {
        free(pointer);
        return NULL;
    }
    if (allowed == 0) {
        return NULL;
    }
    allowed--;
    return realloc(pointer, new_size);
}

static void test_memory(void **state) {
    static const char text[] = "return { theme = 'light', keys = { x = 'step 2', y = false } }";
    (void)state;
    bool done = false;
    for (size_t most = 0; !done && most < 5000; most++) {
        struct sw_config config = {.theme = ""};
        struct sw_keymap map = {0};
        struct sw_error error = {0};
        sw_mem_hook(limited, NULL);
        allowed = most;
        done = sw_config_read_text("c.lua", text, sizeof text - 1, &config, &error) &&
               sw_keymap_configure(&map, &config, &error);
        sw_keymap_done(&map);
        sw_config_done(&config);
        sw_mem_hook(NULL, NULL);
        assert_true(done || error.message[0]);
    }
    assert_true(done);
}

int main(void) {
    snprintf(folder, sizeof folder, "/tmp/stowage-keep-XXXXXX");
    if (!mkdtemp(folder)) {
        return 1;
    }
    snprintf(state_folder, sizeof state_folder, "%s/deep/state", folder);
    setenv("STOWAGE_STATE", state_folder, 1);
    const struct CMUnitTest tests[] = {cmocka_unit_test_setup(test_cut_off, forget),
                                       cmocka_unit_test_setup(test_what_is_kept, forget),
                                       cmocka_unit_test_setup(test_in_the_middle, forget),
                                       cmocka_unit_test_setup(test_recover_command, forget),
                                       cmocka_unit_test_setup(test_unwritable, forget),
                                       cmocka_unit_test_setup(test_panes, forget),
                                       cmocka_unit_test_setup(test_history, forget),
                                       cmocka_unit_test(test_tab),
                                       cmocka_unit_test(test_tab_arguments),
                                       cmocka_unit_test(test_config),
                                       cmocka_unit_test(test_config_faults),
                                       cmocka_unit_test(test_keys),
                                       cmocka_unit_test(test_memory)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command) == 0 ? failed : 1;
}
