/* What-ifs about the model, the tree of branches, and runs side by side. */
#include "tui/sessions.h"
#include "faults.h"

#include "command/commands.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MODEL SW_TEST_SOURCE "/tests/tui/models/small.json"

static const struct sw_problem *problem_of(const struct sw_session *session) {
    return sw_search_problem(sw_session_search(session));
}

/* Saved and opened again it is the same; `lacks`: what its file must not hold. */
static void replays(struct sw_session *session, const char *lacks) {
    char path[] = "/tmp/stowage-whatif-XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    struct sw_error error = {0};
    assert_true(sw_session_save(session, path, &error));
    struct sw_session *again = sw_session_open(path, &error);
    if (!again) {
        fail_msg("%s", error.message);
    }
    assert_true(sw_session_finish(again, &error));
    assert_true(sw_session_digest(session) == sw_session_digest(again));
    sw_session_free(again);
    FILE *saved = lacks ? fopen(path, "r") : NULL;
    for (char line[400]; saved && fgets(line, sizeof line, saved);) {
        assert_null(strstr(line, lacks));
    }
    if (saved) {
        fclose(saved);
    }
    unlink(path);
}

/* ---- edits ---- */

static void edits(void **state) {
    (void)state;
    struct sw_session *session = open_model(MODEL, "greedy-by-size");
    uint32_t pool = sw_problem_find_buffer(problem_of(session), "pool_1_out");
    uint32_t life = sw_problem_buffer(problem_of(session), pool)->last;
    uint64_t size = sw_problem_buffer(problem_of(session), pool)->size;
    run(session, "last");
    uint64_t digest = sw_session_digest(session);
    run(session, "resize pool_1_out 40K");
    assert_int_equal(sw_problem_buffer(problem_of(session), pool)->size, 40960);
    assert_true(says(session, "more than branch 1 with 22K"));
    assert_true(says(session, "bound"));
    run(session, "lifetime pool_1_out 1 5");
    assert_int_equal(sw_problem_buffer(problem_of(session), pool)->first, 1);
    assert_int_equal(sw_problem_buffer(problem_of(session), pool)->size, 40960); /* on top of it */
    run(session, "capacity 30K");
    assert_int_equal(sw_problem_tier(problem_of(session), 0)->capacity, 30720);
    run(session, "capacity none memory");
    assert_true(sw_problem_tier(problem_of(session), 0)->capacity == SW_UNBOUNDED);
    assert_int_equal(look(session).run.branch_count, 5);
    assert_int_equal(look(session).run.branches[4].depth, 4);
    for (int i = 0; i < 4; i++) {
        run(session, "undo");
    }
    assert_int_equal(sw_problem_buffer(problem_of(session), pool)->size, size);
    assert_int_equal(sw_problem_buffer(problem_of(session), pool)->last, life);
    assert_true(sw_session_digest(session) == digest);
    run(session, "redo");
    assert_int_equal(sw_problem_buffer(problem_of(session), pool)->size, 40960);
    sw_session_free(session);
}

/* A size typed as it is shown is the one that was rounded; the log of the session has it in full. */
static void shown_sizes(void **state) {
    (void)state;
    struct sw_session *session = open_model(MODEL, "greedy-by-size");
    run(session, "last");
    run(session, "resize pool_1_out 20000");
    uint64_t peak = sw_layout_peak(sw_search_layout(sw_session_search(session)));
    char line[80], text[24], said[120], count[32];
    sw_show_bytes(peak, text);
    assert_non_null(strchr(text, '.'));
    snprintf(line, sizeof line, "capacity %s", text);
    run(session, line);
    assert_int_equal(sw_problem_tier(problem_of(session), 0)->capacity, peak);
    snprintf(said, sizeof said, "; %s is %s bytes, the peak", text, sw_show_count(peak, count));
    assert_true(says(session, said));
    run(session, "resize pool_1_out 1.17KB");
    assert_int_equal(
        sw_problem_buffer(problem_of(session), sw_problem_find_buffer(problem_of(session), "pool_1_out"))->size, 1198);
    assert_true(says(session, "; 1.17KB is 1,198 bytes, rounded: KB is read as KiB"));
    run(session, "resize pool_1_out 1 kb");
    assert_true(says(session, "; 1 kb is 1,024 bytes: KB is read as KiB"));
    run(session, "zoom 0 2 0 1.01 MB");
    assert_true(says(session, "1.01 MB is 1,059,062 bytes, rounded: MB is read as MiB"));
    run(session, "zoom-in");
    assert_false(says(session, "rounded"));
    refuses(session, "capacity 6.1x", "is not a number of bytes");
    replays(session, text);
    sw_session_free(session);
}

static void orders(void **state) {
    (void)state;
    struct sw_session *session = open_model(MODEL, "greedy-by-size");
    refuses(session, "reorder relu_1 0", "relu_1 cannot pass conv_1 (step 0): both use conv_1_out");
    refuses(session, "reorder relu_1 kitchen", "there is no operator 'kitchen'");
    refuses(session, "reorder 1 1", "stands at step 1 already");
    refuses(session, "reorder 1 99", "there is no step 99; they go from 0 to ");
    refuses(session, "reorder 99 1", "there is no operator '99'");
    refuses(session, "reorder rely_1 1", "there is no operator 'rely_1'; did you mean relu_1?");
    refuses(session, "next rely_1", "there is no operator 'rely_1'; did you mean relu_1?");
    refuses(session, "before relu_1 rely_1", "there is no operator 'rely_1'; did you mean relu_1?");
    refuses(session, "reorder auto relu_1", "'relu_1' is not a number");
    refuses(session, "resize kitchen 1", "there is no buffer 'kitchen'");
    refuses(session, "resize image -1", "is negative");
    refuses(session, "lifetime image 3 2", "after its death");
    refuses(session, "lifetime image x 2", "'x' is not a time");
    refuses(session, "lifetime image 0 99", "speaks of time 99");
    refuses(session, "capacity 1K attic", "there is no tier 'attic'");
    assert_int_equal(look(session).run.branch_count, 1);
    sw_session_free(session);
}

/* What was demanded before stays demanded, and what cannot be is said. */
static void demands_stay(void **state) {
    (void)state;
    struct sw_session *session = open_model(MODEL, "greedy-by-size");
    struct sw_placement place;
    run(session, "pin pool_1_out 8K");
    run(session, "last");
    run(session, "resize dense_1_out 64");
    run(session, "last");
    uint32_t pool = sw_problem_find_buffer(problem_of(session), "pool_1_out");
    assert_true(sw_layout_placement(sw_search_layout(sw_session_search(session)), pool, 0, &place));
    assert_int_equal(place.offset, 8192);
    assert_int_equal(sw_fault_count(sw_search_layout(sw_session_search(session)), NULL, NULL), 0);
    run(session, "capacity 9000");
    bool is_error = false;
    sw_session_status(session, &is_error);
    assert_true(is_error);
    sw_session_free(session);
}

/* What the blame says of the present state, as text. */
static bool blames(struct sw_session *session, const char *text) {
    struct sw_view_input in = look(session);
    struct sw_sink sink = {0};
    sw_view_text(&in, sw_view_find("blame", NULL), &sink);
    sw_sink_add(&sink, "", 1);
    bool found = strstr(sink.text.items, text) != NULL;
    if (!found) {
        print_message("%s", sink.text.items);
    }
    sw_sink_done(&sink);
    return found;
}

/* What it says of a move comes true. */
static void blame_of_moves(void **state) {
    (void)state;
    struct sw_session *session = open_model(SW_TEST_SOURCE "/tests/tui/models/moves.json", "greedy-by-size");
    run(session, "last");
    assert_int_equal(sw_problem_lower_bound(problem_of(session)), 12000);
    assert_true(blames(session, "aside moved from step 1 to step 2 (reorder 1 2): the bound falls by "
                                "2.83K to 8.89K, met at "));
    run(session, "reorder 1 2");
    assert_int_equal(sw_problem_lower_bound(problem_of(session)), 9100);
    assert_true(says(session, "2.83K less than branch 1"));
    assert_true(blames(session, "No single move of an operator around this step lowers the bound") ||
                blames(session, "No operator around this step can be moved"));
    sw_session_free(session);
}

/* densenet121: recomputing the concatenation would keep what it reads; only a spill helps. */
static void blame_of_waiting(void **state) {
    (void)state;
    struct sw_session *session = open_model(SW_TEST_SOURCE "/scripts/models/densenet121.lua", "greedy-by-size");
    const struct sw_problem *problem = problem_of(session);
    uint32_t cat = sw_problem_find_buffer(problem, "d1_5_cat");
    struct sw_edit edit = {.kind = SW_EDIT_RECOMPUTE, .step = 23, .buffer = cat};
    assert_int_equal(sw_problem_lower_bound(problem), 7225344);
    struct sw_problem *changed = sw_problem_changed(problem, &edit, 1, NULL);
    assert_non_null(changed);
    assert_int_equal(sw_problem_lower_bound(changed), 8429568);
    assert_int_equal(sw_problem_operator_count(changed), sw_problem_operator_count(problem) + 1);
    sw_problem_unref(changed);
    assert_true(blames(session, "d1_5_cat (2.68M) spilled between d1_6_bn (step 22) and d1_6_cat "
                                "(step 25): the bound falls by 784K to 6.13M, met at "));
    assert_true(blames(session, "It moves 5.36M, out and back in."));
    assert_true(blames(session, "No single recomputation lowers the bound: one was tried. d1_5_cat "
                                "(2.68M) recomputed for d1_6_cat (step 25): the bound rises by 1.15M "
                                "to 8.04M, met at d1_6_bn (step 22)."));
    sw_session_free(session);
}

/* resnet50: the bound is met at three additions, all of which have to be lowered. */
static void blame_of_inplace(void **state) {
    (void)state;
    struct sw_session *session = open_model(SW_TEST_SOURCE "/scripts/models/resnet50.lua", "greedy-by-size");
    const struct sw_problem *problem = problem_of(session);
    struct sw_edit edit = {.kind = SW_EDIT_INPLACE_MARKED};
    struct sw_problem *changed = sw_problem_changed(problem, &edit, 1, NULL);
    assert_int_equal(sw_problem_lower_bound(problem), 9633792);
    assert_int_equal(sw_problem_lower_bound(changed), 7225344);
    sw_problem_unref(changed);
    assert_true(blames(session, "The bound is met at 3 steps: layer1_0_add (step 6), layer1_1_add (step 10) "
                                "and layer1_2_add (step 14). All have to be lowered."));
    assert_true(blames(session, "With --inplace safe, all that the graph allows: the bound falls by "
                                "2.30M to 6.89M, met at layer1_0_down (step 5)"));
    assert_true(blames(session, "No single write in place here lowers the bound"));
    sw_session_free(session);
}

static void blame_of_capacity(void **state) {
    (void)state;
    struct sw_session *session = open_model(MODEL, "greedy-by-size");
    run(session, "capacity 21000");
    run(session, "last");
    assert_true(blames(session, "does not fit into memory (20.5K) at add_1 (step 3)"));
    assert_true(blames(session, "It needs 6K; 6.51K are free during its life, the largest hole has "
                                "4.51K: enough, but in pieces."));
    assert_true(blames(session, "With relu_1_out (8K) elsewhere, in another tier or at another "
                                "address, it would fit at "));
    run(session, "capacity 10000");
    run(session, "last");
    assert_true(blames(session, "No layout fits: 20K are alive at once"));
    sw_session_free(session);
}

/* ---- a block in the hand ---- */

static void carried(void **state) {
    (void)state;
    struct sw_session *session = open_model(MODEL, "greedy-by-size");
    struct sw_error error = {0};
    struct sw_placement place;
    uint32_t pool = sw_problem_find_buffer(problem_of(session), "pool_1_out");
    refuses(session, "hold", "no block is selected");
    refuses(session, "put", "no block is in the hand");
    run(session, "last");
    run(session, "select pool_1_out");
    sw_layout_placement(sw_search_layout(sw_session_search(session)), pool, 0, &place);
    uint64_t before = place.offset, digest = sw_session_digest(session), last = 0;
    assert_true(sw_session_key(session, "X", &error));
    assert_true(look(session).look.holding);
    assert_int_equal(look(session).look.held_offset, before); /* where it lies is free for itself */
    assert_true(sw_session_key(session, "Home", &error));
    do { /* every place it can be carried to is a legal one */
        last = look(session).look.held_offset;
        assert_true(sw_session_key(session, "Up", &error));
        struct sw_layout *copy = sw_layout_clone(sw_search_layout(sw_session_search(session)), &error);
        assert_true(sw_layout_place(copy, pool, 0, look(session).look.held_offset));
        assert_int_equal(sw_fault_count(copy, NULL, NULL), 0);
        sw_layout_free(copy);
    } while (look(session).look.held_offset != last);
    assert_true(last > before);
    assert_true(sw_session_key(session, "Esc", &error));
    assert_false(look(session).look.holding);
    assert_true(sw_session_digest(session) == digest); /* nothing has happened */
    run(session, "hold pool_1_out 14000");
    assert_true(look(session).look.held_offset > 9000);
    uint64_t there = look(session).look.held_offset;
    assert_true(sw_session_key(session, "Enter", &error));
    assert_true(sw_session_finish(session, &error));
    sw_layout_placement(sw_search_layout(sw_session_search(session)), pool, 0, &place);
    assert_int_equal(place.offset, there);
    assert_int_equal(look(session).run.branch_count, 2);
    run(session, "hold");
    assert_true(sw_session_key(session, "S", &error)); /* another key does what it does */
    assert_false(look(session).look.holding);
    sw_session_free(session);
}

/* ---- the tree ---- */

static void tree(void **state) {
    (void)state;
    struct sw_session *session = open_model(MODEL, "greedy-by-size");
    run(session, "step 3");
    run(session, "planner best-fit");
    run(session, "name \"the old way\"");
    run(session, "branch 1");
    run(session, "planner first-fit");
    run(session, "set work=5");
    struct sw_view_input in = look(session);
    assert_int_equal(in.run.branch_count, 4);
    assert_string_equal(in.run.branches[1].name, "the old way");
    assert_int_equal(in.run.branches[3].number, 4);
    assert_int_equal(in.run.branches[3].depth, 2);
    assert_true(in.run.branches[3].current);
    refuses(session, "drop 1", "the first branch stays");
    refuses(session, "drop 9", "there is no branch 9");
    run(session, "drop 3"); /* with what was made from it, where we are */
    assert_true(says(session, "dropped 2 branches"));
    assert_int_equal(look(session).run.branch_count, 2);
    assert_string_equal(sw_search_planner(sw_session_search(session))->name, "greedy-by-size");
    refuses(session, "branch 4", "there is no branch 4: it was undone or dropped");
    run(session, "undo");
    assert_int_equal(look(session).run.branch_count, 4);
    assert_string_equal(sw_search_planner(sw_session_search(session))->name, "first-fit");
    run(session, "redo");
    assert_int_equal(look(session).run.branch_count, 2);
    sw_session_free(session);
}

/* ---- side by side ---- */

static void in_step(void **state) {
    (void)state;
    struct sw_session *session = open_model(MODEL, "greedy-by-size");
    run(session, "compare best-fit first-fit");
    struct sw_view_input in = look(session);
    assert_int_equal(in.run.beside.count, 3);
    assert_true(in.run.beside.runs[0].current);
    run(session, "step 4");
    in = look(session);
    assert_int_equal(sw_search_at(in.run.beside.runs[1].search), 4);
    assert_int_equal(sw_search_at(in.run.beside.runs[2].search), 4);
    assert_int_equal(in.run.beside.runs[1].parted, 1);
    run(session, "last");
    in = look(session);
    for (int i = 0; i < 3; i++) {
        assert_true(sw_search_complete(in.run.beside.runs[i].search));
        assert_int_equal(sw_layout_placed_count(sw_search_layout(in.run.beside.runs[i].search)),
                         sw_problem_planned_count(problem_of(session)));
    }
    const struct sw_differences *counts = &in.run.beside.runs[1].differences;
    assert_int_equal(counts->same + counts->moved, sw_problem_planned_count(problem_of(session)));
    assert_true(counts->moved > 0 && counts->here == 0);
    run(session, "back 3");
    in = look(session);
    assert_int_equal(sw_search_at(in.run.beside.runs[1].search), sw_search_at(in.run.beside.runs[0].search));
    run(session, "sync block");
    in = look(session);
    assert_int_equal(sw_search_decision(in.run.beside.runs[1].search)->buffer,
                     sw_search_decision(in.run.beside.runs[0].search)->buffer);
    run(session, "branch 2"); /* the others follow the new one */
    run(session, "first");
    in = look(session);
    assert_true(in.run.beside.runs[1].current);
    assert_int_equal(sw_search_at(in.run.beside.runs[0].search), 0);
    run(session, "stop");
    assert_int_equal(look(session).run.beside.count, 0);
    sw_session_free(session);
}

/* A run and its what-if agree up to where they part. */
static void parted(void **state) {
    (void)state;
    struct sw_session *session = open_model(MODEL, "first-fit");
    run(session, "step 3");
    run(session, "forbid * 0 4K");
    run(session, "compare");
    run(session, "last");
    struct sw_view_input in = look(session);
    assert_int_equal(in.run.beside.count, 2);
    assert_int_equal(in.run.beside.runs[1].branch, 1);
    assert_true(in.run.beside.runs[1].parted > 3);
    assert_int_equal(in.run.beside.runs[1].agreed, in.run.beside.runs[1].parted - 1);
    run(session, "undo"); /* the branch is gone: nothing is left to compare */
    assert_int_equal(look(session).run.beside.count, 0);
    refuses(session, "compare 1", "a run is compared with other ones");
    refuses(session, "compare 7", "there is no branch 7");
    refuses(session, "compare kitchen", "kitchen");
    refuses(session, "compare gredy", "there is no planner 'gredy'; did you mean greedy-by-size?");
    refuses(session, "compare best-fit off", "compare off is said alone");
    refuses(session, "compare stop 2", "compare stop is said alone");
    refuses(session, "planner gredy", "there is no planner 'gredy'; did you mean greedy-by-size?");
    refuses(session, "planner /nowhere.lua", "/nowhere.lua: cannot open");
    refuses(session, "compare /nowhere.lua", "/nowhere.lua: cannot open");
    refuses(session, "continue-with gredy", "there is no planner 'gredy'; did you mean greedy-by-size?");
    refuses(session, "set seed", "say KEY=VALUE, not 'seed'");
    refuses(session, "set =3", "say KEY=VALUE, not '=3'");
    refuses(session, "set \"\"", "say KEY=VALUE, not ''");
    refuses(session, "sync clock", "say decision, operator, block or best, not 'clock'");
    refuses(session, "compare best-fit greedy-by-size greedy-by-breadth tflm-greedy", "at most 4 runs");
    sw_session_free(session);
}

static void by_operator_and_best(void **state) {
    (void)state;
    struct sw_session *session = open_model(MODEL, "lifetime-best-fit");
    run(session, "sync operator");
    run(session, "compare first-fit");
    run(session, "next-operator");
    run(session, "next-operator");
    struct sw_view_input in = look(session);
    const struct sw_search *other = in.run.beside.runs[1].search;
    uint32_t time = sw_search_decision(sw_session_search(session))->time;
    assert_true(sw_search_decision(other)->time <= time);
    assert_true(sw_search_step((struct sw_search *)(uintptr_t)other, NULL) == SW_STEP_MORE);
    assert_true(sw_search_decision(other)->time > time);
    sw_session_free(session);

    session = open_model(MODEL, "random-order");
    run(session, "sync best");
    run(session, "compare order-genetic");
    run(session, "step 60");
    in = look(session);
    uint64_t mine = UINT64_MAX, theirs = UINT64_MAX, amount = 0;
    for (uint64_t i = 1; i <= sw_search_at(in.run.beside.runs[0].search); i++) {
        if (sw_curve_measured(sw_search_journal(in.run.beside.runs[0].search, i), &amount)) {
            mine = amount < mine ? amount : mine;
        }
    }
    for (uint64_t i = 1; i <= sw_search_at(in.run.beside.runs[1].search); i++) {
        if (sw_curve_measured(sw_search_journal(in.run.beside.runs[1].search, i), &amount)) {
            assert_true(theirs > mine); /* it stopped at the first that is as good */
            theirs = amount < theirs ? amount : theirs;
        }
    }
    assert_true(theirs <= mine);
    sw_session_free(session);
}

/* Stopped on the way, other runs begin again: how far they came is chance. */
static void abandoned(void **state) {
    (void)state;
    struct sw_session *session = open_model(MODEL, "greedy-by-size");
    struct sw_error error = {0};
    refuses(session, "compare best-fit 99", "there is no branch 99");
    refuses(session, "compare best-fit as-built", "offset");
    assert_int_equal(look(session).run.branch_count, 1); /* a refusal leaves nothing behind */
    run(session, "compare best-fit");
    run(session, "last");
    run(session, "compare stop");
    assert_int_equal(look(session).run.beside.count, 0);
    run(session, "branch 2");
    assert_int_equal(sw_search_at(sw_session_search(session)), 0);
    assert_int_equal(sw_search_known(sw_session_search(session)), 0);
    run(session, "branch 1"); /* a run that moves by itself is fetched when it is left */
    run(session, "compare 2");
    run(session, "last");
    run(session, "branch 2");
    run(session, "back 3");
    run(session, "branch 1");
    run(session, "last");
    struct sw_view_input in = look(session);
    assert_int_equal(sw_search_at(in.run.beside.runs[1].search), sw_search_known(in.run.beside.runs[1].search));
    run(session, "stop");
    run(session, "pin probabilities 30000"); /* by hand: no decision tells of the new peak */
    assert_true(says(session, "peak 29.3K"));
    assert_true(blames(session, "probabilities ends there, where it was pinned by hand"));
    assert_true(sw_session_command(session, "quit now", &error));
    sw_session_free(session);
}

/* All of it comes back with the session. */
static void replayed(void **state) {
    (void)state;
    struct sw_session *session = open_model(MODEL, "greedy-by-size");
    static const char *const lines[] = {"step 5",
                                        "resize pool_1_out 9K",
                                        "name larger",
                                        "compare 1 best-fit",
                                        "step 3",
                                        "sync block",
                                        "back 1",
                                        "diff on",
                                        "drop 3",
                                        "undo",
                                        "reorder 0 0",
                                        "wider",
                                        "pane branches",
                                        "capacity 64K",
                                        "lifetime im2col 0 1",
                                        "compare 2",
                                        "last"};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        if (strcmp(lines[i], "reorder 0 0") == 0) {
            refuses(session, lines[i], "already");
        } else {
            run(session, lines[i]);
        }
    }
    replays(session, NULL);
    sw_session_free(session);
}

/* ---- what takes a while is said before ---- */

static struct {
    unsigned count;
    char status[200];
} wait_seen;

static void see_wait(void *context) {
    bool is_error;
    wait_seen.count++;
    snprintf(wait_seen.status, sizeof wait_seen.status, "%s", sw_session_status(context, &is_error));
}

static void waits(void **state) {
    (void)state;
    char path[] = "/tmp/stowage-waits-XXXXXX.csv";
    int file = mkstemps(path, 4);
    assert_true(file >= 0);
    FILE *table = fdopen(file, "w");
    fprintf(table, "id,lower,upper,size\n");
    for (unsigned i = 0; i < 100000; i++) {
        fprintf(table, "b%u,%u,%u,64\n", i, i, i + 2);
    }
    fclose(table);
    struct sw_session *small = open_model(MODEL, "first-fit"), *large = open_model(path, "first-fit");
    sw_session_show_waits(small, see_wait, small);
    sw_session_show_waits(large, see_wait, large);
    run(small, "resize conv_1_out 640");
    assert_int_equal(wait_seen.count, 0);
    run(large, "resize b7 640");
    assert_int_equal(wait_seen.count, 1);
    assert_string_equal(wait_seen.status, "building the problem of 100,000 buffers anew ...");
    assert_false(says(large, "anew"));
    refuses(large, "resize nobody 640", "nobody");
    assert_int_equal(wait_seen.count, 1);
    sw_session_free(small);
    sw_session_free(large);
    unlink(path);
}

/* Where a plan uses several tiers, what a what-if changed is said of each; a condition that is nil stops at nothing. */
static void several_tiers(void **state) {
    (void)state;
    char path[] = "/tmp/stowage_tiers_XXXXXX.json";
    int file = mkstemps(path, 5);
    assert_true(file >= 0);
    dprintf(file,
            "{\"tiers\":[{\"name\":\"sram\",\"capacity\":100},{\"name\":\"dram\",\"capacity\":1000}],\"operators\":["
            "{\"name\":\"p\",\"inputs\":[],\"outputs\":[\"a\",\"b\",\"c\",\"d\"]},"
            "{\"name\":\"u\",\"inputs\":[\"a\",\"b\",\"c\",\"d\"],\"outputs\":[]}],\"buffers\":["
            "{\"name\":\"a\",\"size\":60},{\"name\":\"b\",\"size\":30},{\"name\":\"c\",\"size\":500},{\"name\":\"d\","
            "\"size\":20}]}");
    close(file);
    struct sw_session *session = open_model(path, "first-fit");
    run(session, "break other and size > 3");
    run(session, "continue");
    assert_false(says(session, "nil"));
    assert_true(sw_search_complete(sw_session_search(session)));
    run(session, "break ({place=1})[kind] == 2");
    run(session, "break ({place=1, lift = {}})[kind] == 2");
    run(session, "last");
    run(session, "pin d 900 dram");
    assert_true(says(session, "peak sram 90, dram 920; branch 1 has sram 90, dram 520"));
    sw_session_free(session);
    unlink(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(edits),
                                       cmocka_unit_test(shown_sizes),
                                       cmocka_unit_test(orders),
                                       cmocka_unit_test(demands_stay),
                                       cmocka_unit_test(tree),
                                       cmocka_unit_test(blame_of_moves),
                                       cmocka_unit_test(blame_of_waiting),
                                       cmocka_unit_test(blame_of_inplace),
                                       cmocka_unit_test(blame_of_capacity),
                                       cmocka_unit_test(carried),
                                       cmocka_unit_test(in_step),
                                       cmocka_unit_test(parted),
                                       cmocka_unit_test(abandoned),
                                       cmocka_unit_test(by_operator_and_best),
                                       cmocka_unit_test(replayed),
                                       cmocka_unit_test(waits),
                                       cmocka_unit_test(several_tiers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
