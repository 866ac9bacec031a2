/* Scripts in a session: the same commands by another door, the log, and files that change. */
#include "tui/sessions.h"

#include "command/commands.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#define MODEL SW_TEST_SOURCE "/tests/tui/models/small.json"

static void write_file(const char *path, const char *text) {
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void lua_at_the_prompt(void **state) {
    (void)state;
    struct sw_session *session = open_model(MODEL, "first-fit");
    run(session, "lua 6 * 7");
    assert_true(says(session, "42"));
    run(session, "lua print(\"two\\nlines\", 5)");
    assert_true(says(session, "lines  5"));
    run(session, "lua for i = 1, 3 do stowage.command(\"step\") end");
    assert_int_equal(at(session), 3);
    run(session, "lua stowage.step() .. stowage.decision().kind .. stowage.decision(1).step");
    assert_true(says(session, "3place1"));
    run(session, "lua stowage.decision(99)");
    run(session, "lua #stowage.problem().buffers == 10 and stowage.layout():peak() or 'no'");
    assert_false(says(session, "no"));
    refuses(session, "lua while true do end", "the script "); /* does not come to an end, or takes too long */
    refuses(session, "lua stowage.command('nonsense')", "there is no command 'nonsense'");
    refuses(session, "lua x = = 1", "unexpected symbol");
    refuses(session, "lua stowage.command = 1", "read-only");
    refuses(session, "lua os.exit(1)", "'os'");
    refuses(session, "lua", "usage: lua CODE");
    refuses(session, "lua local l = stowage.layout() stowage.command('step') l:peak()", "good for one call");
    /* A script that runs itself ends. */
    refuses(session, "lua stowage.command([==[x]==])", "there is no command 'x'");
    refuses(session,
            "lua local function f() stowage.command('lua stowage.command(\"lua 1\") "
            "error(\"deep\")') end f()",
            "deep");
    run(session, "log");
    assert_int_equal(sw_session_mode(session), SW_MODE_HELP);
    sw_session_key(session, "Esc", NULL);
    assert_int_equal(sw_session_mode(session), SW_MODE_NORMAL);
    sw_session_free(session);
}

/* Every command a session logged, given from Lua, comes to the same digest. */
static void same_door(void **state) {
    (void)state;
    static const char *const lines[] = {"goto 4",        "pin probabilities 65536",
                                        "last",          "break kind == place and size > 1K",
                                        "first",         "continue",
                                        "forbid * 0 64", "next-operator",
                                        "undo",          "goto-peak"};
    struct sw_session *typed = open_model(MODEL, "greedy-by-size");
    char script[2000] = "", path[] = "/tmp/stowage-door-XXXXXX.lua";
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        run(typed, lines[i]);
        size_t used = strlen(script);
        snprintf(script + used, sizeof script - used, "stowage.command[[%s]]\n", lines[i]);
    }
    int file = mkstemps(path, 4);
    assert_true(file >= 0);
    close(file);
    write_file(path, script);
    struct sw_session *driven = open_model(MODEL, "greedy-by-size");
    struct sw_error error = {0};
    if (!sw_session_run_lua(driven, path, &error)) {
        fail_msg("%s", error.message);
    }
    assert_true(sw_session_digest(typed) == sw_session_digest(driven));
    assert_int_equal(at(typed), at(driven));
    /* And the log of the driven one is the log of the typed one. */
    char one[64], two[64];
    snprintf(one, sizeof one, "/tmp/stowage-one-%d", (int)getpid());
    snprintf(two, sizeof two, "/tmp/stowage-two-%d", (int)getpid());
    assert_true(sw_session_save(typed, one, &error));
    assert_true(sw_session_save(driven, two, &error));
    char command[200];
    snprintf(command, sizeof command, "cmp -s %s %s", one, two);
    assert_int_equal(system(command), 0);
    unlink(one);
    unlink(two);
    write_file(path, "stowage.command('goto 2')\nerror('on purpose')\n");
    assert_false(sw_session_run_lua(driven, path, &error));
    assert_int_equal(error.line, 2);
    assert_non_null(strstr(error.message, "on purpose"));
    unlink(path);
    sw_session_free(typed);
    sw_session_free(driven);
}

static const char graph[] = "local m = require(\"stowage_part\")\n"
                            "return {operators = {}, buffers = {\n"
                            "  {name = \"a\", size = m.size, first = 0, last = 3},\n"
                            "  {name = \"b\", size = 20, first = 1, last = 2},\n"
                            "  {name = \"c\", size = 30, first = 2, last = 3}}}\n";

static void set_age(const char *path, int seconds) {
    struct timespec times[2] = {{1000000000 + seconds, 0}, {1000000000 + seconds, 0}};
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

static void reload(void **state) {
    (void)state;
    char folder[] = "/tmp/stowage-reload-XXXXXX", model[64], part[64];
    assert_non_null(mkdtemp(folder));
    snprintf(model, sizeof model, "%s/model.lua", folder);
    snprintf(part, sizeof part, "%s/stowage_part.lua", folder);
    write_file(model, graph);
    write_file(part, "return {size = 10}\n");
    set_age(part, 1);
    struct sw_session *session = open_model(model, "first-fit");
    run(session, "goto 2");
    assert_true(sw_session_watches(session));
    assert_false(sw_session_watch(session)); /* nothing has changed */
    /* A module of the graph: noticed. */
    write_file(part, "return {size = 100}\n");
    set_age(part, 2);
    for (int i = 0; i < 30 && !sw_session_watch(session); i++) {
        usleep(100000); /* it looks once a second */
    }
    assert_int_equal(at(session), 2);
    const struct sw_problem *problem = sw_search_problem(sw_session_search(session));
    assert_int_equal(sw_problem_buffer(problem, 0)->size, 100);
    /* Broken: the old one stays, and it is said where. */
    write_file(part, "return {size = }\n");
    refuses(session, "reload", "the graph stays as it was: unexpected symbol");
    problem = sw_search_problem(sw_session_search(session));
    assert_int_equal(sw_problem_buffer(problem, 0)->size, 100);
    run(session, "step");
    assert_int_equal(at(session), 3);
    write_file(part, "return {size = 7}\n");
    run(session, "reload");
    assert_int_equal(at(session), 3);
    run(session, "back");
    /* No file any more: refused, and not waited for; as soon as it is one again it is read. */
    assert_int_equal(unlink(part), 0);
    assert_int_equal(mkfifo(part, 0600), 0);
    refuses(session, "reload", "it is a pipe, and only regular files are read");
    assert_int_equal(unlink(part), 0);
    write_file(part, "return {size = 8}\n");
    run(session, "reload");
    assert_int_equal(unlink(model), 0);
    assert_int_equal(mkfifo(model, 0600), 0);
    refuses(session, "reload", "it is a pipe, and only regular files are read");
    sw_session_free(session);
    unlink(model);
    unlink(part);
    rmdir(folder);
}

static const char table[] =
    "{\"operators\": [], \"buffers\": [{\"name\": \"a\", \"size\": %d, \"first\": 0, \"last\": 3},"
    "{\"name\": \"%s\", \"size\": 64, \"first\": 1, \"last\": 2},"
    "{\"name\": \"c\", \"size\": 32, \"first\": 2, \"last\": 3}]}\n";

static void write_table(const char *path, int size, const char *name) {
    char text[400];
    snprintf(text, sizeof text, table, size, name);
    write_file(path, text);
}

static uint64_t size_of_first(const struct sw_session *session) {
    return sw_problem_buffer(sw_search_problem(sw_session_search(session)), 0)->size;
}

/* Where the first block with that name lies; UINT64_MAX: nowhere. */
static uint64_t offset_of(const struct sw_session *session, const char *name) {
    const struct sw_search *search = sw_session_search(session);
    struct sw_placement place;
    uint32_t buffer = sw_problem_find_buffer(sw_search_problem(search), name);
    return buffer != SW_NONE && sw_layout_placement(sw_search_layout(search), buffer, 0, &place) ? place.offset
                                                                                                 : UINT64_MAX;
}

/* A session saved now and opened again is the same. */
static void replays(struct sw_session *session, const char *path) {
    struct sw_error error = {0};
    assert_true(sw_session_finish(session, &error));
    assert_true(sw_session_save(session, path, &error));
    struct sw_session *again = sw_session_open(path, &error);
    if (!again) {
        fail_msg("line %u: %s", error.line, error.message);
    }
    assert_int_equal(sw_session_digest(again), sw_session_digest(session));
    sw_session_free(again);
    unlink(path);
}

/* What was done to a graph goes over to it as it is read again; undo and redo go back and forth. */
static void reload_keeps(void **state) {
    (void)state;
    char path[] = "/tmp/stowage-kept-XXXXXX.json", saved[64];
    int file = mkstemps(path, 5);
    assert_true(file >= 0);
    close(file);
    snprintf(saved, sizeof saved, "%s.stowage", path);
    write_table(path, 128, "b");
    struct sw_session *session = open_model(path, "first-fit");
    run(session, "break size > 1000");
    run(session, "pin b 4096");
    run(session, "name mine");
    run(session, "last");
    run(session, "branch 1");
    run(session, "resize c 48");
    run(session, "goto 2");
    run(session, "mark here \"so far\"");
    run(session, "planner best-fit 1");
    run(session, "choose 1");
    run(session, "branch 2");
    run(session, "select c");
    run(session, "zoom 0 3 0 8000");
    uint64_t before = sw_session_digest(session);
    /* Touched, and the same: nothing happens. */
    write_table(path, 128, "b");
    run(session, "reload");
    assert_true(says(session, "has not changed"));
    assert_int_equal(sw_session_digest(session), before);
    replays(session, saved);
    /* Changed: all goes over, and undo still takes back what was done after that, and then the reading. */
    write_table(path, 192, "b");
    run(session, "reload");
    assert_int_equal(size_of_first(session), 192);
    assert_int_equal(look(session).run.branch_count, 5);
    assert_string_equal(look(session).run.branches[1].name, "mine");
    assert_int_equal(offset_of(session, "b"), 4096);
    assert_int_equal(at(session), 3);
    uint64_t after = sw_session_digest(session);
    replays(session, saved);
    run(session, "jump here");
    assert_int_equal(at(session), 2);
    run(session, "pin c 8192");
    replays(session, saved);
    run(session, "undo");
    run(session, "undo"); /* the branch that the jump went to */
    assert_int_equal(size_of_first(session), 192);
    assert_int_equal(sw_session_digest(session), after);
    run(session, "undo");
    assert_true(says(session, "undone: the reading of"));
    assert_int_equal(size_of_first(session), 128);
    assert_int_equal(sw_session_digest(session), before);
    struct sw_error error = {0};
    assert_true(sw_session_save(session, saved, &error));
    assert_null(sw_session_open(saved, &error)); /* of the file as it was */
    assert_non_null(strstr(error.message, "has changed since the session was saved"));
    unlink(saved);
    run(session, "redo");
    assert_int_equal(size_of_first(session), 192);
    replays(session, saved);
    assert_int_not_equal(after, before);
    /* What does not go over is named, each with its reason. */
    write_table(path, 192, "other");
    run(session, "reload");
    assert_true(says(session, "not (:log)"));
    assert_true(says(session, "there is no buffer 'b'"));
    assert_int_equal(look(session).run.branch_count, 4);
    replays(session, saved);
    run(session, "undo");
    run(session, "undo");
    assert_int_equal(size_of_first(session), 128);
    run(session, "redo");
    run(session, "redo");
    assert_int_equal(offset_of(session, "other") != UINT64_MAX, true);
    run(session, "undo");
    run(session, "pin c 8192"); /* what was undone is gone for good */
    refuses(session, "redo", "nothing to redo");
    sw_session_free(session);
    unlink(path);
}

/* A planner that changes while it is in use. */
static void reload_planner(void **state) {
    (void)state;
    static const char text[] =
        "return {name = 'stacker', summary = 'one on the other', plan = function(problem, layout)\n"
        "  local at = %d\n"
        "  for _, b in ipairs(problem.buffers) do coroutine.yield {buffer = b, offset = at} at = "
        "at + b.size end\n"
        "end}\n";
    char path[] = "/tmp/stowage-stacker-XXXXXX.lua", script[500];
    int file = mkstemps(path, 4);
    assert_true(file >= 0);
    close(file);
    snprintf(script, sizeof script, text, 0);
    write_file(path, script);
    struct sw_session *session = open_model(MODEL, path);
    run(session, "goto 3");
    assert_int_equal(sw_search_journal(sw_session_search(session), 1)->offset, 0);
    snprintf(script, sizeof script, text, 4096);
    write_file(path, script);
    run(session, "reload");
    assert_int_equal(at(session), 3);
    assert_int_equal(sw_search_journal(sw_session_search(session), 1)->offset, 4096);
    write_file(path, "return {name = 'first-fit', summary = 'a thief', plan = print}\n");
    refuses(session, "reload", "another planner has this name already");
    run(session, "back");
    unlink(path);
    sw_session_free(session);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lua_at_the_prompt), cmocka_unit_test(same_door),      cmocka_unit_test(reload),
        cmocka_unit_test(reload_keeps),      cmocka_unit_test(reload_planner),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
