/* Runs side by side: why they part, what costs the peak, and panes about the run that has the cursor. Screens are
 * read as text, with the breaks of lines as blanks. */
#include "sessions.h"

#include "planners/planner.h"
#include "search/apart/setting_apart.h"
#include "search/result/run_plan.h"
#include "tui/tui.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define MOBILENET SW_TEST_SOURCE "/scripts/models/mobilenet_v1_025_96.json"
#define TIERS SW_TEST_SOURCE "/scripts/models/two_tiers.json"

static struct sw_sink shown;

/* The screen with one blank wherever there are several, or a new line. */
static const char *screen_text(struct sw_session *session, unsigned width, unsigned height) {
    struct sw_frame frame = {0};
    struct sw_error error = {0};
    struct sw_sink lines = {0};
    if (!sw_frame_draw(&frame, session, width, height, SW_FRAME_MONO, &error)) {
        fail_msg("%s", error.message);
    }
    sw_grid_text(&frame.grid, &lines);
    sw_sink_add(&lines, "", 1);
    sw_frame_done(&frame);
    shown.text.count = 0;
    for (const char *at = lines.text.items; *at; at++) {
        bool blank = isspace((unsigned char)*at);
        if (!blank || (shown.text.count > 0 && shown.text.items[shown.text.count - 1] != ' ')) {
            sw_sink_add(&shown, blank ? " " : at, 1);
        }
    }
    sw_sink_add(&shown, "", 1);
    sw_sink_done(&lines);
    return shown.text.items;
}

static void shows(struct sw_session *session, unsigned width, unsigned height, const char *part) {
    const char *all = screen_text(session, width, height);
    if (!strstr(all, part)) {
        fail_msg("'%s' is not in\n%s", part, all);
    }
}

static void shows_not(struct sw_session *session, const char *part) {
    const char *all = screen_text(session, 80, 24);
    if (strstr(all, part)) {
        fail_msg("'%s' is in\n%s", part, all);
    }
}

static void press(struct sw_session *session, const char *key) {
    struct sw_error error = {0};
    if (!sw_session_key(session, key, &error) || !sw_session_finish(session, &error)) {
        fail_msg("%s: %s", key, error.message);
    }
}

/* ---- why ---- */

static void another_turn(void **state) {
    (void)state;
    struct sw_session *session = open_model(MOBILENET, "greedy-by-size");
    run(session, "compare best-fit");
    shows(session, 80, 24, ">1 greedy-by-size 0 0 54K"); /* as in the header */
    shows(session, 80, 24,
          "They part in decision 1. greedy-by-size takes pw_1_out first: it is larger (36,864 B; image has 27,648 B); "
          "best-fit takes image: it comes first in program order (alive from 0, pw_1_out from 2).");
    shows(
        session, 80, 24,
        "No block alone costs the peak: 5 of 5 that lie elsewhere were pinned where best-fit has them, one at a time, "
        "and greedy-by-size never needed less than 63K. In greedy-by-size, :suggest tries pairs of pins and other "
        "moves.");
    assert_int_equal(look(session).run.beside.runs[1].parted, 1);
    run(session, "compare tflm-greedy"); /* the current run is the first */
    shows(
        session, 80, 24,
        "They part in decision 3. greedy-by-size takes conv_1_out first: it is equal in size (18,432 B), and first in "
        "program order (alive from 0, pw_3_out from 6); tflm-greedy takes pw_3_out: it is as large as conv_1_out, "
        "rounded up to 16 (18,432 B), and listed later.");
    run(session, "whole on");
    shows(session, 80, 24, "greedy-by-size, decision 3: tflm-greedy, decision 3:");
    sw_session_free(session);
}

/* The same block at another place: both have the same planner, and are told apart by number. */
static void another_place(void **state) {
    (void)state;
    struct sw_session *session = open_model(MOBILENET, "greedy-by-size");
    run(session, "step 2");
    run(session, "pin conv_1_out 36864");
    run(session, "compare");
    run(session, "whole on");
    shows(
        session, 100, 40,
        "They part in decision 3. Both take conv_1_out (18,432 B). run 2 puts it at memory+36864: pinned here by the "
        "user; run 1 puts it at memory+27648: no gap between blocks fits, so it goes above them. At memory+27648 run 2 "
        "did not look. At memory+36864 run 1 saw the free space from memory+27648 on.");
    sw_session_free(session);
}

static void other_memories(void **state) {
    (void)state;
    struct sw_session *session = open_model(TIERS, "tier-search");
    run(session, "compare first-fit");
    run(session, "whole on");
    shows(session, 100, 40,
          "What costs the peak in sram: h2. With it at 0 in sram, as in tier-search, first-fit needs");
    shows(session, 100, 40, "No block alone costs the peak in dram: 5 of 5 that lie elsewhere were pinned where");
    run(session, "compare greedy-by-size"); /* a block that is planned ahead is placed, too */
    run(session, "whole on");
    shows(session, 100, 40, "saw ");
    shows_not(session, "They part in decision 1.");
    sw_session_free(session);
}

/* ---- what costs the peak: by doing it ---- */

static void tried_by_hand(void **state) {
    (void)state;
    struct sw_session *session = open_model(MOBILENET, "greedy-by-breadth");
    run(session, "compare improve");
    struct sw_view_input in = look(session);
    assert_non_null(in.run.beside.runs[1].apart);
    uint32_t count;
    struct sw_apart_cost cost = *sw_apart_costs(in.run.beside.runs[1].apart, &count);
    assert_int_equal(count, 1);
    assert_int_equal(cost.kind, SW_APART_COST_ONE);
    assert_int_equal(cost.which, 0);
    char line[200], said[400];
    const char *name = sw_problem_buffer(sw_search_problem(in.run.search), cost.buffer)->name;
    snprintf(
        said, sizeof said,
        "What costs the peak: %s. With it at 18,432, as in improve, greedy-by-breadth needs 54K and not 72K. Tried by "
        "a pin before decision 1.",
        name);
    shows(session, 100, 40, said);
    run(session, "stop");
    snprintf(line, sizeof line, "goto %llu", (unsigned long long)cost.from);
    run(session, line);
    snprintf(line, sizeof line, "pin %s %llu", name, (unsigned long long)cost.offset);
    run(session, line);
    run(session, "last");
    assert_int_equal(sw_layout_peak(sw_search_layout(sw_session_search(session))), cost.then);
    assert_true(cost.then < cost.peak[0]);
    sw_session_free(session);
}

static void other_models(void **state) {
    (void)state;
    struct sw_session *session = open_model(SW_TEST_SOURCE "/scripts/models/resnet8.lua", "first-fit");
    run(session, "compare fit");
    run(session, "whole on");
    shows(session, 100, 40,
          "There is no peak to compare: the plans are of different models, or one gives no addresses.");
    sw_session_free(session);
}

/* What a question is about, of a run with the pin that the answer names. */
static double by_hand(const char *planner, const struct sw_apart_cost *cost) {
    struct sw_session *session = open_model(TIERS, planner);
    const struct sw_problem *problem = sw_search_problem(sw_session_search(session));
    char line[200];
    double price = 0;
    snprintf(line, sizeof line, "goto %llu", (unsigned long long)cost->from);
    run(session, line);
    snprintf(line, sizeof line, "pin %s %llu %s", sw_problem_buffer(problem, cost->buffer)->name,
             (unsigned long long)cost->offset, sw_problem_tier(problem, cost->tier)->name);
    run(session, line);
    run(session, "last");
    assert_true(sw_search_cost(sw_session_search(session), &price, NULL));
    uint64_t peak = cost->priced ? 0 : sw_layout_tier_peak(sw_search_layout(sw_session_search(session)), cost->memory);
    sw_session_free(session);
    return cost->priced ? price : (double)peak;
}

static void each_memory(void **state) {
    (void)state;
    static const struct {
        const char *runs[2], *said;
    } rows[] = {
        {{"first-fit", "tier-search"}, "as in tier-search, first-fit costs 120.625 and not 161.125"},
        {{"greedy-by-size", "order-genetic"}, "as in order-genetic, greedy-by-size needs 60 B and not 70 B"},
        {{"tflm-greedy", "greedy-by-size"}, "never needed less than 128 B"},
    };
    uint32_t answered = 0, priced = 0, count;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char line[80];
        struct sw_session *session = open_model(TIERS, rows[i].runs[0]);
        snprintf(line, sizeof line, "compare %s", rows[i].runs[1]);
        run(session, line);
        run(session, "whole on");
        shows(session, 100, 40, rows[i].said);
        struct sw_view_input in = look(session);
        const struct sw_apart_cost *costs = sw_apart_costs(in.run.beside.runs[1].apart, &count);
        for (uint32_t k = 0; k < count; k++) {
            assert_true(costs[k].kind == SW_APART_COST_ONE || costs[k].kind == SW_APART_COST_NONE_DOES);
            if (costs[k].kind == SW_APART_COST_ONE && costs[k].which == 0) {
                assert_true(by_hand(rows[i].runs[0], &costs[k]) ==
                            (costs[k].priced ? costs[k].price_then : (double)costs[k].then));
                answered++;
                priced += costs[k].priced;
            }
        }
        sw_session_free(session);
    }
    assert_true(answered > priced && priced > 0);
}

/* ---- panes ---- */

static void panes_of_the_current_run(void **state) {
    (void)state;
    struct sw_session *session = open_model(MOBILENET, "greedy-by-size");
    run(session, "pane blame");
    run(session, "compare best-fit");
    run(session, "last");
    assert_string_equal(look(session).look.side->name, "beside");
    run(session, "pane blame");
    shows(session, 80, 24, "The peak is 63K (64,512 B), 9K (9,216 B) more than the lower bound");
    shows(session, 80, 24, ">1 greedy-by-size"); /* the maps stay */
    press(session, "Tab");
    assert_string_equal(sw_search_planner(sw_session_search(session))->name, "best-fit");
    shows(session, 80, 24, "The peak is 54K (55,296 B)");
    shows(session, 80, 24, ">2 best-fit");
    press(session, "Shift-Tab");
    assert_string_equal(sw_search_planner(sw_session_search(session))->name, "greedy-by-size");
    press(session, "Z"); /* the pane alone */
    shows(session, 80, 24, "why the peak, and why the bound");
    shows_not(session, ">1 greedy-by-size");
    press(session, "Z");
    for (int i = 0; i < 40; i++) { /* through all of them */
        press(session, "v");
        press(session, "Enter"); /* the menu closes */
        shows(session, 80, 24, ">1 greedy-by-size");
    }
    run(session, "pane beside");
    press(session, "Esc");
    assert_string_equal(look(session).look.side->name, "blame"); /* as before */
    press(session, "v");
    for (int i = 0; i < 40; i++) { /* what is about several runs is left out */
        assert_true(!look(session).look.side || !look(session).look.side->of_runs);
        press(session, "v");
    }
    run(session, "pane offsets");
    shows(session, 80, 24, "No runs are compared; = compares this one with another.");
    run(session, "pane beside");
    shows(session, 80, 24, "No runs are compared; = compares this one with another.");
    sw_session_free(session);
}

static void offsets_of_both(void **state) {
    (void)state;
    struct sw_session *session = open_model(MOBILENET, "greedy-by-size");
    run(session, "compare best-fit");
    run(session, "last");
    run(session, "pane offsets");
    shows(session, 80, 24, "offsets in each run: 5 of 32 buffers differ");
    shows(session, 80, 24,
          "buffer size alive 1 greedy-by-size 2 best-fit ~ dw_1_out 18K 1..2 46,080 0 ~ pw_1_out 36K 2..3 0 18,432");
    run(session, "whole on");
    struct sw_view_input in = look(session);
    const struct sw_layout *one = sw_search_layout(in.run.beside.runs[0].search),
                           *two = sw_search_layout(in.run.beside.runs[1].search);
    const struct sw_problem *problem = sw_search_problem(in.run.search);
    const char *all = screen_text(session, 80, 50);
    bool same = false;
    for (const char *at = all; (at = strpbrk(at, "~="));
         at++) { /* every row is true, and those that differ are first */
        char name[80];

        struct sw_placement a = {0}, b = {0};
        if (sscanf(at + 1, " %79s", name) != 1) {
            continue;
        }
        for (uint32_t k = 0; k < sw_problem_buffer_count(problem); k++) {
            if (strcmp(sw_problem_buffer(problem, k)->name, name) == 0) {
                assert_true(sw_layout_placement(one, k, 0, &a) && sw_layout_placement(two, k, 0, &b));
                assert_int_equal(*at == '~', a.offset != b.offset);
                assert_false(same && *at == '~');
                same = *at == '=';
            }
        }
    }
    assert_true(same);
    run(session, "compare first-fit lifetime-best-fit"); /* three */
    run(session, "pane offsets");
    shows(session, 80, 24, "1 greedy-by-size 3 first-fit 4 lifetime-best");
    sw_session_free(session);
}

/* ---- nothing is cut ---- */

/* All that can be scrolled into view holds all that there is to say. */
static void scrolled_through(void **state) {
    (void)state;
    struct sw_session *session = open_model(MOBILENET, "tflm-greedy");
    run(session, "compare greedy-by-size first-fit");
    struct sw_sink all = {0};
    for (int i = 0; i < 12; i++) {
        const char *text = screen_text(session, 80, 24);
        sw_sink_add(&all, text, strlen(text));
        press(session, "Ctrl-D");
    }
    sw_sink_add(&all, "", 1);
    static const char *const parts[] = {"Runs 1 and 2: They part in decision 3.", "and listed later;",
                                        "What costs the peak: dw_1_out.",         "tflm-greedy, decision 3:",
                                        "Runs 1 and 3: They part in decision 1.", "first-fit, decision 1:",
                                        "* 0: chosen, lowest offset that fits"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (!strstr(all.text.items, parts[i])) {
            fail_msg("'%s' is not in\n%s", parts[i], all.text.items);
        }
    }
    sw_sink_done(&all);
    sw_session_free(session);
}

/* ---- aside, and stopped ---- */

static void stopped_and_replayed(void **state) {
    (void)state;
    char path[] = "/tmp/stowage-beside-XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    struct sw_error error = {0};
    struct sw_session *session = open_model(MOBILENET, "token-sharing");
    assert_true(sw_session_command(session, "compare first-fit", &error)); /* nothing waits for it */
    assert_true(sw_session_busy(session));
    shows(session, 80, 24, "where they part is being found out ...");
    assert_true(sw_session_command(session, "step 3", &error)); /* nor is it in the way */
    assert_int_equal(at(session), 3);
    assert_true(sw_session_slice(session, 20000, &error));
    while (sw_session_busy(session)) {
        sw_session_stop(session);
    }
    shows(session, 80, 24, "where they part was not found out: it was stopped.");
    assert_true(sw_session_save(session, path, &error));
    struct sw_session *again = sw_session_open(path, &error);
    if (!again) {
        fail_msg("%s", error.message);
    }
    assert_true(sw_session_finish(again, &error));
    assert_int_equal(sw_session_digest(again), sw_session_digest(session));
    shows(again, 80, 24, "where they part was not found out: it was stopped.");
    run(again, "compare first-fit"); /* anew */
    shows(again, 80, 24, "They part in decision 1.");
    assert_true(refused(again, "unparted now"));
    sw_session_free(again);
    sw_session_free(session);
    unlink(path);
}

/* A planner's script fails: at once, or after the runs have parted. */
static void not_found_out(void **state) {
    (void)state;
    for (int blocks = 0; blocks < 2; blocks++) {
        char path[] = "/tmp/stowage-stumbler-XXXXXX.lua";
        int file = mkstemps(path, 4);
        assert_true(file >= 0);
        assert_true(dprintf(file,
                            "return {name = 'stumbler%d', summary = 'fails', plan = function(problem)\n"
                            "  for i = 1, %d do coroutine.yield {buffer = problem.buffers[i], offset = 0} end\n"
                            "  error('it stumbled')\nend}\n",
                            blocks, blocks) > 0);
        close(file);
        struct sw_error error = {0};
        struct sw_session *session = open_model(MOBILENET, path);
        run(session, blocks ? "step 1" : "first");
        assert_true(sw_session_command(session, "compare greedy-by-size", &error));
        while (sw_session_busy(session)) {
            sw_session_slice(session, 20000, &error);
        }
        shows(session, 80, 24, blocks ? "the peak was not found out: " : "where they part was not found out: ");
        shows(session, 80, 24, "it stumbled");
        shows_not(session, "being found out");
        sw_session_free(session);
        unlink(path);
    }
}

static int done(void **state) {
    (void)state;
    sw_sink_done(&shown);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(another_turn),     cmocka_unit_test(another_place),
        cmocka_unit_test(other_memories),   cmocka_unit_test(tried_by_hand),
        cmocka_unit_test(each_memory),      cmocka_unit_test(other_models),
        cmocka_unit_test(offsets_of_both),  cmocka_unit_test(panes_of_the_current_run),
        cmocka_unit_test(scrolled_through), cmocka_unit_test(stopped_and_replayed),
        cmocka_unit_test(not_found_out),
    };
    return cmocka_run_group_tests(tests, NULL, done);
}
