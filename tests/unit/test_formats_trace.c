/* Decision traces as any program may write them: what each object means, what is left out with a note, and what is
 * refused where. All expected values are written by hand. */
#include "unit/formats.h"
#include "unit/noted.h"

#include "search/broken.h"

/* JSON is easier to read with single quotes. The texts live until the end of the test. */
#define HEAD "{'stowage-trace':1,'planner':'p'}\n"
#define TWO "{'buffer':'a','size':8,'first':0,'last':3}\n{'buffer':'b','size':16,'first':2,'last':5}\n"

static char *quoted(const char *text) {
    static char space[16][8192];
    static unsigned turn;
    char *copy = space[turn++ % 16];
    size_t length = strlen(text);
    assert_true(length < sizeof space[0]);
    for (size_t i = 0; i <= length; i++) {
        copy[i] = text[i] == '\'' ? '"' : text[i];
    }
    return copy;
}

static struct sw_problem *open_trace(const char *text) {
    return must_read(quoted(text));
}

static struct sw_search *play(const struct sw_problem *problem) {
    struct sw_error error = {0};
    struct sw_search *search = sw_search_new(problem, sw_planner_find("recorded", NULL), NULL, &error);
    if (!search) {
        fail_msg("%s", error.message);
    }
    return search;
}

/* To a decision, with its explanation; the caller ends that. */
static void go(struct sw_search *search, uint64_t to, struct sw_explanation *why) {
    struct sw_error error = {0};
    assert_true(sw_search_seek(search, to, &error));
    assert_int_equal(sw_search_at(search), to);
    if (!sw_search_explain(search, to, why, &error)) {
        fail_msg("%s", error.message);
    }
}

static void says(const struct sw_search *search, uint64_t step, const char *sentence) {
    char text[1000];
    sw_decision_describe(sw_search_problem(search), sw_search_journal(search, step), text, sizeof text);
    assert_string_equal(text, sentence);
}

static void runs_to_its_end(struct sw_search *search, uint64_t decisions) {
    struct sw_error error = {0};
    assert_true(sw_search_seek(search, UINT64_MAX, &error));
    assert_int_equal(sw_search_at(search), decisions);
}

/* Where buffer `name` lies; false: nowhere. */
static bool place_of(const struct sw_search *search, const char *name, uint32_t *tier, uint64_t *offset) {
    struct sw_placement at;
    uint32_t buffer = sw_problem_find_buffer(sw_search_problem(search), name);
    assert_int_not_equal(buffer, SW_NONE);
    if (!sw_layout_placement(sw_search_layout(search), buffer, 0, &at)) {
        return false;
    }
    *tier = at.tier;
    *offset = at.offset;
    return true;
}

static void lies(const struct sw_search *search, const char *name, uint32_t tier, uint64_t offset) {
    uint32_t in;
    uint64_t at;
    assert_true(place_of(search, name, &in, &at));
    assert_int_equal(in, tier);
    assert_int_equal(at, offset);
}

static void lies_nowhere(const struct sw_search *search, const char *name) {
    uint32_t in;
    uint64_t at;
    assert_false(place_of(search, name, &in, &at));
}

static void lives(const struct sw_problem *problem, const char *name, int64_t first, int64_t last) {
    const struct sw_buffer *b = buffer_named(problem, name);
    assert_int_equal(sw_problem_time(problem, b->first), first);
    assert_int_equal(sw_problem_time(problem, b->last + 1) - 1, last);
}

/* ---- what objects mean ---- */

static void all_kinds(void **state) {
    struct sw_problem *problem = open_trace(
        "{'stowage-trace':1,'planner':'greedy','model':'person','version':'1.2','alignment':16,"
        "'tiers':[{'name':'sram','capacity':4096,'alignment':16}],'parameters':{'order':'size'}}\n"
        "{'operator':'conv','inputs':['x'],'outputs':['y'],'scratch':['s']}\n"
        "{'operator':'add','inputs':['x','y'],'outputs':['z']}\n"
        "{'buffer':'x','size':128,'kind':'input'}\n"
        "{'buffer':'y','size':512}\n"
        "{'buffer':'s','size':64,'kind':'scratch'}\n"
        "{'buffer':'z','size':100,'kind':'output','tier':'sram'}\n"
        "{'group':'pass 1'}\n"
        "{'candidate':0,'verdict':'chosen','reason':'lowest'}\n"
        "{'decision':'place','buffer':'y','tier':'sram','offset':0,'reason':'lowest','source':'planner.cc:120',"
        "'figures':{'score':1.5,'rounds':3}}\n"
        "{'state':'free list','columns':['offset','size','who'],'rows':[[512,3584,'x'],[4096,0,'none']],'touched':0}\n"
        "{'group':'pass 2'}\n"
        "{'candidate':0,'size':512,'verdict':'refused','reason':'taken','blocker':'y'}\n"
        "{'candidate':512,'size':3584,'verdict':'fits'}\n"
        "{'candidate':'above all','verdict':'chosen','reason':'it is the last'}\n"
        "{'decision':'place','buffer':'x','offset':512}\n"
        "{'decision':'place','buffer':'s','offset':640}\n"
        "{'decision':'place','buffer':'z','offset':640,'sentence':'z goes behind x'}\n"
        "{'end':'done','peak':740}\n");
    struct sw_search *search = play(problem);
    struct sw_explanation why = {0};
    struct sw_state_tables tables = {.most = 10};
    (void)state;
    assert_string_equal(sw_problem_name(problem), "person");
    assert_int_equal(sw_problem_tier_count(problem), 1);
    assert_string_equal(sw_problem_tier(problem, 0)->name, "sram");
    assert_int_equal(sw_problem_tier(problem, 0)->capacity, 4096);
    assert_int_equal(sw_problem_operator_count(problem), 2);
    lives(problem, "x", 0, 1);
    lives(problem, "y", 0, 1);
    lives(problem, "s", 0, 0);
    lives(problem, "z", 1, 1);
    assert_int_equal(buffer_named(problem, "z")->alignment, 16);
    assert_true(noted(problem, "a trace of greedy 1.2: 4 decisions"));
    assert_false(noted(problem, "left out"));
    assert_false(noted(problem, "peak"));
    assert_false(noted(problem, "missing"));

    go(search, 1, &why);
    assert_int_equal(why.decision.kind, SW_DECISION_PLACE);
    assert_int_equal(why.decision.buffer, sw_problem_find_buffer(problem, "y"));
    assert_int_equal(why.decision.tier, 0);
    assert_int_equal(why.decision.size, 512);
    assert_int_equal(why.decision.group, 0);
    assert_int_equal(why.decision.candidates, 1);
    assert_int_equal(why.decision.peak, 512);
    assert_int_equal(why.decision.live, 512);
    assert_string_equal(why.decision.reason, "lowest");
    assert_string_equal(why.source, "planner.cc:120");
    assert_int_equal(why.figures.count, 2);
    assert_string_equal(why.figures.items[0].name, "score");
    assert_true(why.figures.items[0].value == 1.5);
    assert_true(why.figures.items[1].value == 3);
    assert_string_equal(sw_recording_group(sw_problem_recording(problem), 0), "pass 1");
    assert_string_equal(sw_recording_group(sw_problem_recording(problem), 1), "pass 2");
    assert_null(sw_recording_group(sw_problem_recording(problem), 2));
    says(search, 1, "places y (512 B) at sram+0: lowest");
    sw_search_state(search, &tables);
    assert_int_equal(tables.items.count, 1);
    assert_string_equal(tables.items.items[0].name, "free list");
    assert_int_equal(tables.items.items[0].row_count, 2);
    assert_int_equal(tables.items.items[0].touched, 0);
    assert_int_equal(tables.items.items[0].cells.items[0].kind, SW_CELL_OFFSET);
    assert_int_equal(tables.items.items[0].cells.items[0].count, 512);
    assert_int_equal(tables.items.items[0].cells.items[1].kind, SW_CELL_BYTES);
    assert_int_equal(tables.items.items[0].cells.items[2].kind, SW_CELL_BUFFER);
    assert_string_equal(tables.items.items[0].cells.items[5].word, "none");
    sw_state_tables_done(&tables);

    go(search, 2, &why);
    assert_int_equal(why.decision.group, 1);
    assert_int_equal(why.candidates.count, 3);
    assert_int_equal(why.candidates.items[0].verdict, SW_VERDICT_REFUSED);
    assert_string_equal(why.candidates.items[0].reason, "taken: y is in the way");
    assert_int_equal(why.candidates.items[0].below, sw_problem_find_buffer(problem, "y"));
    assert_true(why.candidates.items[0].occupied);
    assert_int_equal(why.candidates.items[1].verdict, SW_VERDICT_FITS);
    assert_int_equal(why.candidates.items[1].offset, 512);
    assert_int_equal(why.candidates.items[1].size, 3584);
    assert_int_equal(why.candidates.items[1].tier, 0);
    assert_int_equal(why.candidates.items[2].tier, SW_NONE); /* no address */
    assert_string_equal(why.candidates.items[2].reason, "above all: it is the last");
    lies(search, "x", 0, 512);
    lies_nowhere(search, "z");
    runs_to_its_end(search, 4);
    says(search, 4, "z goes behind x");
    assert_int_equal(sw_layout_peak(sw_search_layout(search)), 740);
    sw_explanation_done(&why);
    sw_search_free(search);
    sw_problem_unref(problem);
}

/* The order of keys means nothing; the first of the known kinds decides; what is unknown is counted. */
static void keys(void **state) {
    struct sw_problem *problem = open_trace("{'planner':'p','stowage-trace':1}\n"
                                            "{'last':3,'x':1,'first':0,'size':8,'buffer':'a'}\n"
                                            "{'offset':8,'buffer':'a','candidate':3,'y':[{}],'decision':'place'}\n"
                                            "{'note':'nothing','z':2}\n"
                                            "{}\n"
                                            "{'tier':'memory','candidate':4,'verdict':'chosen'}\n"
                                            "{'decision':'place','buffer':'a','offset':4,'offset':0}\n"
                                            "{'end':'done'}\n");
    struct sw_search *search = play(problem);
    struct sw_explanation why = {0};
    (void)state;
    assert_true(noted(problem, "2 objects of no known kind are left out"));
    assert_true(noted(problem, "2 fields with unknown names are left out"));
    assert_true(noted(problem, "a trace of p: 2 decisions"));
    go(search, 1, &why);
    assert_int_equal(why.candidates.count, 0);
    lies(search, "a", 0, 8);
    go(search, 2, &why);
    assert_int_equal(why.candidates.count, 1);
    assert_int_equal(why.candidates.items[0].offset, 4);
    lies(search, "a", 0, 0);
    says(search, 2, "places a (8 B) at memory+0");
    sw_explanation_done(&why);
    sw_search_free(search);
    sw_problem_unref(problem);
}

/* ---- times ---- */

/* At steps far apart, in any order, told in several pieces. */
static void operators_at_steps(void **state) {
    struct sw_problem *problem = open_trace(HEAD "{'operator':'late','at':20,'outputs':['b']}\n"
                                                 "{'operator':'early','at':3,'outputs':['a']}\n"
                                                 "{'operator':'early','inputs':['c','c']}\n"
                                                 "{'operator':'early','inputs':['c'],'outputs':['d']}\n"
                                                 "{'operator':'after'}\n"
                                                 "{'buffer':'a','size':8,'last':20}\n"
                                                 "{'buffer':'b','size':8,'first':7,'last':30}\n"
                                                 "{'buffer':'c','size':8}\n"
                                                 "{'buffer':'d','size':4}\n"
                                                 "{'decision':'place','buffer':'b','offset':0,'time':20}\n"
                                                 "{'decision':'place','buffer':'a','offset':8}\n");
    static const char *const names[] = {"early", "after", "time 7", "late", "time 30"};
    struct sw_search *search = play(problem);
    (void)state;
    assert_int_equal(sw_problem_operator_count(problem), 5);
    for (uint32_t i = 0; i < 5; i++) {
        assert_string_equal(sw_problem_operator(problem, i)->name, names[i]);
    }
    assert_int_equal(sw_problem_operator(problem, 0)->input_count, 1);
    assert_int_equal(sw_problem_operator(problem, 0)->output_count, 2);
    lives(problem, "a", 0, 3); /* from operator `early` to the end of `late` */
    lives(problem, "b", 2, 4);
    lives(problem, "c", 0, 0);
    lives(problem, "d", 0, 0);
    assert_true(noted(problem, "2 times at which no operator of the trace runs have an operator \"time N\" each"));
    runs_to_its_end(search, 2);
    assert_int_equal(sw_search_journal(search, 1)->time, 3);
    assert_int_equal(sw_search_journal(search, 2)->time, 0);
    sw_search_free(search);
    sw_problem_unref(problem);
}

/* Without operators and without times a buffer lives all the time. */
static void no_times(void **state) {
    struct sw_problem *problem =
        open_trace(HEAD "{'buffer':'a','size':8}\n{'buffer':'b','size':8,'first':-2,'last':4}\n"
                        "{'buffer':'a','size':9,'first':0,'last':0}\n");
    (void)state;
    lives(problem, "a", -2, 4);
    lives(problem, "b", -2, 4);
    assert_int_equal(buffer_named(problem, "a")->size, 8);
    assert_true(noted(problem, "one buffer tells no times, and nothing else does: it lives all the time"));
    assert_true(noted(problem, "one buffer is told twice: the first line counts"));
    sw_problem_unref(problem);
    problem = open_trace(
        HEAD "{'operator':'o','inputs':['a']}\n{'buffer':'a','size':8}\n{'buffer':'b','size':8,'inplace_of':'a'}\n"
             "{'operator':'q','inputs':['a'],'outputs':['b']}\n");
    lives(problem, "a", 0, 1);
    lives(problem, "b", 1, 1);
    assert_false(noted(problem, "in place"));
    sw_problem_unref(problem);
}

/* Time is the number of the event; an id that is allocated again is another buffer. */
static void events(void **state) {
    struct sw_problem *problem = open_trace(HEAD "{'tier':'gpu','capacity':1000}\n"
                                                 "{'alloc':'a','size':512,'stream':0}\n" /* 0 */
                                                 "{'decision':'place','buffer':'a','offset':0}\n"
                                                 "{'alloc':'b','size':256,'stream':1}\n" /* 1 */
                                                 "{'decision':'place','buffer':'b','offset':512}\n"
                                                 "{'free':'a'}\n" /* 2 */
                                                 "{'decision':'release','buffer':'a','offset':0}\n"
                                                 "{'alloc':'a','size':128}\n" /* 3 */
                                                 "{'decision':'place','buffer':'a','offset':64}\n"
                                                 "{'free':'a'}\n"            /* 4 */
                                                 "{'free':'a'}\n"            /* 5: it is free already */
                                                 "{'free':'nothing'}\n"      /* 6 */
                                                 "{'alloc':'b','size':16}\n" /* 7: without a free */
                                                 "{'decision':'place','buffer':'b','offset':128}\n"
                                                 "{'end':'done','peak':768}\n");
    struct sw_search *search = play(problem);
    (void)state;
    assert_int_equal(sw_problem_buffer_count(problem), 4);
    lives(problem, "a", 0, 1);
    lives(problem, "b", 1, 6);
    lives(problem, "a#2", 3, 3);
    lives(problem, "b#2", 7, 7);
    assert_int_equal(buffer_named(problem, "a#2")->size, 128);
    assert_true(noted(problem, "time is the number of the event; allocations and frees: 8"));
    assert_true(noted(problem, "3 ids are freed that are not allocated, or allocated again before they are freed"));
    assert_false(noted(problem, "peak"));
    runs_to_its_end(search, 5);
    lies(search, "a", 0, 0);
    lies(search, "b", 0, 512);
    lies(search, "a#2", 0, 64);
    lies(search, "b#2", 0, 128);
    assert_int_equal(sw_problem_time(problem, sw_search_journal(search, 4)->time), 3);
    sw_search_free(search);
    sw_problem_unref(problem);
}

/* ---- runs and ends ---- */

static void several_runs(void **state) {
    const char *text =
        quoted(HEAD "{'buffer':'a','size':1,'first':0,'last':0}\n{'decision':'place','buffer':'a','offset':0}\n"
                    "{'odd':1}\n{'end':'done'}\n"
                    "{'stowage-trace':1,'planner':'q'}\n{'buffer':'b','size':2,'first':0,'last':1}\n"
                    "{'decision':'place','buffer':'b','offset':7}\n{'decision':'place','buffer':'b','offset':9}\n");
    struct sw_error error = {0};
    struct sw_input input = text_input(text, strlen(text));
    struct sw_problem *problem = must_read(text);
    (void)state;
    assert_true(noted(problem, "a trace of q: 2 decisions"));
    assert_true(noted(problem, "the trace has 2 runs: this is run 2 (--run N takes another one)"));
    assert_true(noted(problem, "the end of the run is missing"));
    assert_false(noted(problem, "no known kind")); /* that was in the other run */
    assert_int_equal(sw_problem_find_buffer(problem, "a"), SW_NONE);
    sw_problem_unref(problem);
    problem = read_options(text, &(struct sw_load_options){.run = "1"});
    assert_true(noted(problem, "a trace of p: 1 decision"));
    assert_true(noted(problem, "this is run 1"));
    assert_true(noted(problem, "1 object of no known kind is left out"));
    assert_false(noted(problem, "missing"));
    assert_int_equal(sw_problem_find_buffer(problem, "b"), SW_NONE);
    sw_problem_unref(problem);
    const char *const wrong[][2] = {
        {"3", "--run 3: this trace has 2 runs"},
        {"0", "--run 0: the runs of a trace are counted from 1"},
        {"-1", "--run -1: the runs of a trace are counted from 1"},
        {"1x", "--run 1x: the runs of a trace are counted from 1"},
        {"99999999999999999999", "--run 99999999999999999999: the runs of a trace are counted from 1"}};
    for (size_t i = 0; i < COUNT(wrong); i++) {
        assert_null(sw_load_input(&input, &(struct sw_load_options){.run = wrong[i][0]}, &error));
        assert_string_equal(error.message, wrong[i][1]);
        assert_int_equal(error.code, SW_ERROR_USAGE);
    }
}

static void ends(void **state) {
    struct sw_problem *problem =
        open_trace(HEAD TWO "{'decision':'place','buffer':'a','offset':0}\n{'candidate':8}\n{'candi");
    struct sw_error error = {0};
    (void)state;
    assert_true(noted(problem, "the last line, 6, is cut and is left out"));
    assert_true(noted(problem, "the end of the run is missing: its planner stopped before it, or still runs"));
    assert_true(noted(problem, "1 candidate at the end belongs to no decision"));
    sw_problem_unref(problem);
    problem = open_trace(HEAD TWO "{'end':'failed','reason':'no room for b','stopped_at':7}");
    struct sw_search *search = play(problem);
    assert_int_equal(sw_search_step(search, &error), SW_STEP_FAILED);
    assert_int_equal(error.code, SW_ERROR_INFEASIBLE);
    assert_string_equal(error.message, "the recorded run found no layout: no room for b");
    assert_true(noted(problem, "a limit ended the run after decision 7"));
    assert_false(noted(problem, "missing"));
    sw_search_free(search);
    sw_problem_unref(problem);
    problem = open_trace(HEAD TWO "{'decision':'place','buffer':'b','offset':4}\n{'end':'done','peak':24}\n");
    assert_true(noted(problem, "the trace says that its peak is 24 B, and its decisions come to 20 B"));
    sw_problem_unref(problem);
    problem = open_trace(HEAD); /* nothing but a header */
    assert_int_equal(sw_problem_buffer_count(problem), 0);
    sw_problem_unref(problem);
}

/* ---- what is wrong with a run ---- */

static void unknown_names(void **state) {
    struct sw_problem *problem =
        open_trace(HEAD TWO "{'decision':'place','buffer':'nobody','offset':0}\n"
                            "{'decision':'place','buffer':'a','tier':'elsewhere','offset':0}\n"
                            "{'decision':'think','changes':[{'buffer':'x','offset':0},{'buffer':'b','offset':3}]}\n");
    struct sw_search *search = play(problem);
    (void)state;
    assert_true(noted(problem, "2 times the trace names a buffer that it does not tell of, first in line 4"));
    assert_true(noted(problem, "1 time the trace names a tier that there is not, first in line 5"));
    runs_to_its_end(search, 3);
    lies_nowhere(search, "a");
    lies(search, "b", 0, 3);
    sw_search_free(search);
    sw_problem_unref(problem);
}

/* Shown at the decision that does it, and counted at the end. */
static void broken_plans(void **state) {
    struct sw_problem *problem = open_trace(
        HEAD "{'tier':'m','capacity':20}\n{'buffer':'a','size':8,'first':0,'last':3,'alignment':4}\n"
             "{'buffer':'b','size':8,'first':2,'last':5,'alignment':4}\n{'buffer':'c','size':8,'first':5,'last':6}\n"
             "{'decision':'place','buffer':'a','offset':0}\n"
             "{'decision':'place','buffer':'b','offset':4}\n"
             "{'decision':'move','buffer':'b','offset':10}\n"
             "{'decision':'place','buffer':'c','offset':16}\n"
             "{'decision':'append','buffer':'b','offset':4,'reason':'why not'}\n"
             "{'end':'done'}\n");
    struct sw_search *search = play(problem);
    struct sw_error error = {0};
    struct sw_fault first;
    size_t faults;
    (void)state;
    assert_true(sw_search_seek(search, 1, &error));
    assert_true(sw_search_broken(search, &faults, &first)); /* the others may follow */
    assert_int_equal(faults, 0);
    runs_to_its_end(search, 5);
    says(search, 1, "places a (8 B) at m+0");
    says(search, 2, "places b (8 B) at m+4, over a");
    says(search, 3, "moves b (8 B) to m+10, from 4; it is not aligned");
    says(search, 4, "places c (8 B) at m+16, over b; it ends above the capacity");
    assert_true(sw_search_broken(search, &faults, &first));
    assert_int_equal(faults, 2); /* a and b overlap, c ends above the capacity */
    assert_int_equal(first.kind, SW_FAULT_OVERLAP);
    assert_true(sw_search_seek(search, 3, &error));
    assert_true(sw_search_broken(search, &faults, &first));
    assert_int_equal(faults, 1);
    assert_int_equal(first.kind, SW_FAULT_ALIGNMENT);
    sw_search_free(search);
    sw_problem_unref(problem);
}

static void unplaced(void **state) {
    struct sw_problem *problem = open_trace(HEAD TWO "{'decision':'place','buffer':'a','offset':0}\n{'end':'done'}\n");
    struct sw_search *search = play(problem);
    struct sw_error error = {0};
    struct sw_fault first;
    size_t faults;
    (void)state;
    assert_true(sw_search_seek(search, 1, &error));
    assert_true(sw_search_broken(search, &faults, NULL)); /* not known to be the end */
    assert_int_equal(faults, 0);
    assert_int_equal(sw_search_step(search, &error), SW_STEP_DONE);
    assert_true(sw_search_broken(search, &faults, &first));
    assert_int_equal(faults, 1);
    assert_int_equal(first.kind, SW_FAULT_MISSING);
    sw_search_free(search);
    sw_problem_unref(problem);
    problem = open_trace(HEAD TWO "{'decision':'place','buffer':'a','offset':0}\n"); /* without an end: not known */
    search = play(problem);
    runs_to_its_end(search, 1);
    assert_int_equal(sw_search_step(search, &error), SW_STEP_DONE);
    assert_true(sw_search_broken(search, &faults, NULL));
    assert_int_equal(faults, 0);
    sw_search_free(search);
    sw_problem_unref(problem);
}

/* ---- what decisions do to the layout ---- */

static void changes(void **state) {
    struct sw_problem *problem =
        open_trace("{'stowage-trace':1,'planner':'p','tiers':[{'name':'s','capacity':64},{'name':'d'}]}\n" TWO
                   "{'decision':'place','buffer':'a','tier':'s','offset':0,'changes':[]}\n" /* 1: nothing, whatever the
                                                                                               kind */
                   "{'decision':'fold','changes':[{'buffer':'a','tier':'s','offset':8},{'buffer':'b','tier':'d','"
                   "offset':100}]}\n"
                   "{'decision':'spill','buffer':'b','changes':[{'buffer':'b','tier':'s','offset':16,'from':2,'to':3},"
                   "{'buffer':'b','tier':'d','offset':32,'from':4,'to':5}],"
                   "'transfers':[{'buffer':'b','step':4,'from':'s','to':'d'},{'buffer':'a','step':1,'from':null,'to':'"
                   "s'}]}\n"                                                                      /* 3 */
                   "{'decision':'evict','buffer':'a','changes':[{'buffer':'a','offset':null}]}\n" /* 4 */
                   "{'decision':'allow','permits':[{'new':'b','old':'a','step':2}]}\n"            /* 5 */
                   "{'decision':'forget','permits':[],'permits_again':true,'transfers':[],'transfers_again':true,'"
                   "arenas':{'s':40}}\n"
                   "{'decision':'evict','buffer':'b','tier':'s','offset':0}\n" /* 7: its kind does nothing */
                   "{'decision':'move','buffer':'b','tier':'s','offset':4}\n"  /* 8: for its whole life */
                   "{'end':'done'}\n");
    struct sw_search *search = play(problem);
    const struct sw_layout *layout;
    struct sw_error error = {0};
    struct sw_placement at;
    struct sw_transfer transfer;
    uint32_t b = sw_problem_find_buffer(problem, "b"), a = sw_problem_find_buffer(problem, "a");
    (void)state;
    assert_true(sw_search_seek(search, 1, &error));
    lies_nowhere(search, "a");
    assert_true(sw_search_seek(search, 2, &error));
    lies(search, "a", 0, 8);
    lies(search, "b", 1, 100);
    layout = sw_search_layout(search);
    assert_int_equal(sw_layout_arena(layout, 0), 16);
    assert_int_equal(sw_layout_arena(layout, 1), 116);
    assert_true(sw_search_seek(search, 3, &error));
    layout = sw_search_layout(search);
    assert_true(sw_layout_placement(layout, b, 0, &at) && at.tier == 0 && at.offset == 16);
    assert_int_equal(sw_problem_time(problem, at.span.from), 2);
    assert_int_equal(sw_problem_time(problem, at.span.to + 1), 4);
    assert_true(sw_layout_placement(layout, b, 1, &at) && at.tier == 1 && at.offset == 32);
    assert_int_equal(sw_problem_time(problem, at.span.from), 4);
    assert_false(sw_layout_placement(layout, b, 2, &at));
    assert_int_equal(sw_layout_arena(layout, 0), 32);
    assert_int_equal(sw_layout_arena(layout, 1), 48); /* the block at 100 is gone */
    assert_int_equal(sw_layout_transfer_count(layout), 2);
    transfer = sw_layout_transfer_get(layout, 0);
    assert_true(transfer.buffer == b && transfer.from == 0 && transfer.to == 1);
    assert_int_equal(sw_problem_time(problem, transfer.step), 4);
    transfer = sw_layout_transfer_get(layout, 1);
    assert_true(transfer.buffer == a && transfer.from == SW_NONE && transfer.to == 0);
    assert_true(sw_search_seek(search, 4, &error));
    lies_nowhere(search, "a");
    assert_true(sw_search_seek(search, 5, &error));
    assert_int_equal(sw_layout_permit_count(sw_search_layout(search)), 1);
    assert_true(sw_search_assumes(search));
    assert_true(sw_layout_permit_get(sw_search_layout(search), 0).fresh == b &&
                sw_layout_permit_get(sw_search_layout(search), 0).old == a);
    assert_true(sw_search_seek(search, 6, &error));
    layout = sw_search_layout(search);
    assert_int_equal(sw_layout_permit_count(layout), 0);
    assert_int_equal(sw_layout_transfer_count(layout), 0);
    assert_int_equal(sw_layout_arena(layout, 0), 40);
    assert_false(sw_search_assumes(search));
    assert_true(sw_search_seek(search, 7, &error));
    assert_true(sw_layout_placement(sw_search_layout(search), b, 1, &at));
    assert_true(sw_search_seek(search, 8, &error));
    lies(search, "b", 0, 4);
    assert_false(sw_layout_placement(sw_search_layout(search), b, 1, &at));
    assert_true(sw_search_seek(search, 3, &error)); /* and back */
    assert_int_equal(sw_layout_transfer_count(sw_search_layout(search)), 2);
    lies(search, "a", 0, 8);
    sw_search_free(search);
    sw_problem_unref(problem);
}

/* Spans may end and begin at times at which nothing else happens. */
static void spans_between_steps(void **state) {
    struct sw_problem *problem = open_trace(HEAD "{'operator':'o','at':3,'inputs':['a']}\n{'operator':'p','at':9,'"
                                                 "inputs':['a']}\n{'operator':'q','at':20,'inputs':['a']}\n"
                                                 "{'buffer':'a','size':8}\n"
                                                 "{'decision':'split','changes':[{'buffer':'a','offset':0,'from':3,'to'"
                                                 ":5},{'buffer':'a','offset':8,'from':6,'to':7},"
                                                 "{'buffer':'a','offset':16,'from':8,'to':20}]}\n{'end':'done'}\n");
    struct sw_search *search = play(problem);
    struct sw_placement at;
    uint32_t a = sw_problem_find_buffer(problem, "a");
    (void)state;
    runs_to_its_end(search, 1);
    const struct sw_layout *layout = sw_search_layout(search);
    assert_true(sw_layout_placement(layout, a, 0, &at) && at.offset == 0 && at.span.from == 0 && at.span.to == 0);
    assert_true(sw_layout_placement(layout, a, 1, &at) && at.offset == 16 && at.span.from == 1 && at.span.to == 2);
    assert_false(sw_layout_placement(layout, a, 2, &at));
    assert_true(noted(problem, "1 span lies between two steps and is left out"));
    sw_search_free(search);
    sw_problem_unref(problem);
}

/* Kinds of the planner's own are shown in its words; ours keep their operands. */
static void kinds(void **state) {
    struct sw_problem *problem =
        open_trace(HEAD TWO "{'decision':'fuse','buffer':'a','reason':'a and b are one','forced':true}\n"
                            "{'decision':'swap\\u001b[31m places'}\n"
                            "{'decision':'place','buffer':'b','offset':8,'operands':{'partner':'a','in_place':true,"
                            "'unheard':3},'cost':2.5,'time':4,'live':24,'looked_at':9,'size':12}\n");
    struct sw_search *search = play(problem);
    struct sw_explanation why = {0};
    (void)state;
    go(search, 3, &why);
    assert_int_equal(sw_search_journal(search, 1)->kind, SW_DECISION_FOREIGN);
    assert_string_equal(sw_decision_called(sw_search_journal(search, 1)), "fuse");
    assert_true(sw_search_journal(search, 1)->forced);
    says(search, 1, "fuse a (8 B): a and b are one");
    says(search, 2, "swap?[31m places");
    assert_int_equal(why.decision.place.partner, sw_problem_find_buffer(problem, "a"));
    assert_true(why.decision.place.in_place);
    assert_true(why.decision.cost == 2.5);
    assert_int_equal(why.decision.live, 24);
    assert_int_equal(why.decision.candidates, 9);
    assert_int_equal(why.decision.size, 12);
    assert_int_equal(sw_problem_time(problem, why.decision.time), 4);
    lies_nowhere(search, "a");
    sw_explanation_done(&why);
    sw_search_free(search);
    sw_problem_unref(problem);
}

/* A table stays until the next of its name, and says how old it is. */
static void tables_grow_old(void **state) {
    struct sw_problem *problem =
        open_trace(HEAD TWO "{'state':'queue','columns':['x'],'rows':[[1],[2],[3]]}\n"
                            "{'decision':'place','buffer':'a','offset':0}\n"
                            "{'state':'order','columns':['t','of','in'],'kinds':['step',['bytes','buffer'],'tier'],"
                            "'rows':[[2,7,'memory'],[null,'b','nowhere']],'row_count':9,'first':4,'touched':5}\n"
                            "{'decision':'place','buffer':'b','offset':8}\n");
    struct sw_search *search = play(problem);
    struct sw_state_tables tables = {.most = 100};
    struct sw_error error = {0};
    (void)state;
    assert_true(sw_search_seek(search, 0, &error));
    sw_search_state(search, &tables);
    assert_int_equal(tables.items.count, 1);
    assert_string_equal(tables.items.items[0].name, "queue");
    sw_state_tables_done(&tables);
    tables = (struct sw_state_tables){.most = 100};
    assert_true(sw_search_seek(search, 1, &error));
    sw_search_state(search, &tables);
    assert_int_equal(tables.items.count, 2);
    assert_string_equal(tables.items.items[0].name, "queue (after decision 0)");
    const struct sw_state_table *order = &tables.items.items[1];
    assert_int_equal(order->row_count, 9);
    assert_int_equal(order->touched, 5);
    const struct sw_state_cell *row = order->cells.items + (4 - order->first) * 3;
    assert_int_equal(row[0].kind, SW_CELL_STEP);
    assert_int_equal(sw_problem_time(problem, (uint32_t)row[0].count), 2);
    assert_int_equal(row[1].kind, SW_CELL_BYTES);
    assert_int_equal(row[2].kind, SW_CELL_TIER);
    assert_int_equal(row[3].kind, SW_CELL_NONE);
    assert_int_equal(row[4].kind, SW_CELL_BUFFER);
    assert_int_equal(row[5].kind, SW_CELL_WORD);
    sw_state_tables_done(&tables);
    sw_search_free(search);
    sw_problem_unref(problem);
}

/* ---- a graph ---- */

static void graph(void **state) {
    struct sw_problem *problem = open_trace(
        HEAD "{'graph':{'tiers':[{'name':'sram','capacity':4096}],'buffers':[{'name':'x','size':64,'kind':'input'},"
             "{'name':'t','size':32},{'name':'w','size':8,'kind':'constant'},{'name':'y','size':16,'kind':'output'}],"
             "'operators':[{'name':'one','inputs':['x','w'],'outputs':['t']},{'name':'two','inputs':['t'],'outputs':['"
             "y']}]}}\n"
             "{'decision':'place','buffer':'x','offset':0}\n{'decision':'place','buffer':'w','offset':0}\n"
             "{'decision':'place','buffer':'t','offset':64}\n{'decision':'place','buffer':'y','offset':0}\n{'end':'"
             "done','peak':96}\n");
    struct sw_search *search = play(problem);
    struct sw_error error = {0};
    size_t faults;
    (void)state;
    assert_true(noted(problem, "1 decision places a buffer that is not planned, a constant, and puts it nowhere"));
    runs_to_its_end(search, 4);
    assert_int_equal(sw_search_step(search, &error), SW_STEP_DONE);
    lies_nowhere(search, "w");
    assert_true(sw_search_broken(search, &faults, NULL));
    assert_int_equal(faults, 0);
    sw_search_free(search);
    sw_problem_unref(problem);
}

/* ---- text ---- */

static void texts(void **state) {
    char text[1200];
    struct sw_problem *problem;
    struct sw_error error = {0};
    (void)state;
    snprintf(text, sizeof text, "\xef\xbb\xbf%s",
             "{'stowage-trace':1,'planner':'p'}\r\n\r\n \t\r\n"
             "{'buffer':'\\u00e9\\ud83d\\ude00\\n\\/','size':8,'first':0,'last':3}\r\n"
             "{ 'buffer' : 'b\\u001b]0;x\\u0007' , 'size' : 8e0 , 'first' : -0 , 'last' : 3.0 }\r\n"
             "{'decision':'place','buffer':'\xc3\xa9\xf0\x9f\x98\x80\\n/','offset':0}\r\n");
    problem = open_trace(text);
    assert_int_not_equal(sw_problem_find_buffer(problem, "\xc3\xa9\xf0\x9f\x98\x80\n/"), SW_NONE);
    struct sw_search *search = play(problem);
    runs_to_its_end(search, 1);
    lies(search, "\xc3\xa9\xf0\x9f\x98\x80\n/", 0, 0);
    assert_false(noted(problem, "does not tell of"));
    sw_search_free(search);
    sw_problem_unref(problem);
    /* As deep as it may be, under a key that is not known. */
    char *deep = quoted(HEAD "{'x':");
    size_t used = strlen(deep);
    memset(deep + used, '[', 64);
    memset(deep + used + 64, ']', 64);
    memcpy(deep + used + 128, "}\n", 3);
    problem = must_read(deep);
    sw_problem_unref(problem);
    memset(deep + used, '[', 65);
    memset(deep + used + 65, ']', 65);
    memcpy(deep + used + 130, "}\n", 3);
    struct sw_input input = text_input(deep, strlen(deep));
    assert_null(sw_load_input(&input, NULL, &error));
    check_refusal(&error, &(struct refusal){deep, 2, 70, "this is nested deeper than 64 levels"});
}

static void refusals(void **state) {
    static const struct refusal refusals[] = {
        {"{'stowage-trace':2,'planner':'p'}\n", 1, 18,
         "this is version 1 of the format, and the trace has another one"},
        {"{'stowage-trace':1}\n", 1, 1, "the header of a trace names its planner"},
        {HEAD "{'buffer':'a'}\n", 2, 1, "this buffer has no size"},
        {HEAD "{'buffer':'','size':1}\n", 2, 11, "the name of a buffer must be a text that is not empty"},
        {HEAD "{'buffer':7,'size':1}\n", 2, 11, "the name of a buffer must be a text that is not empty"},
        {HEAD "{'buffer':'a','size':2305843009213693953}\n", 2, 22,
         "size must be a whole number from 0 to 2305843009213693952"},
        {HEAD "{'buffer':'a','size':18446744073709551616}\n", 2, 22,
         "size must be a whole number from 0 to 2305843009213693952"},
        {HEAD "{'buffer':'a','size':-1}\n", 2, 22, "size must be a whole number from 0 to 2305843009213693952"},
        {HEAD "{'buffer':'a','size':1.5}\n", 2, 22, "size must be a whole number from 0 to 2305843009213693952"},
        {HEAD "{'buffer':'a','size':'8'}\n", 2, 22, "size must be a whole number from 0 to 2305843009213693952"},
        {HEAD "{'buffer':'a','size':1,'first':3,'last':2}\n", 2, 41, "this buffer ends before it begins"},
        {HEAD "{'buffer':'a','size':1,'first':4611686018427387905}\n", 2, 32,
         "first must be a whole number between -2^62 and 2^62"},
        {HEAD "{'buffer':'a','size':1,'kind':'blob'}\n", 2, 31,
         "the kind of a buffer is input, output, constant, intermediate or scratch"},
        {HEAD "{'buffer':'a','size':1,'pieces':[{'first':0}]}\n", 2, 34, "a piece has first and last"},
        {HEAD "{'operator':'o','inputs':'x'}\n", 2, 26, "inputs, outputs and scratch are lists of names"},
        {HEAD "{'operator':'o','inputs':[1]}\n", 2, 27, "the name of a buffer must be a text that is not empty"},
        {HEAD "{'alloc':'a'}\n", 2, 1, "this buffer has no size"},
        {HEAD "{'candidate':2305843009213693953}\n", 2, 14,
         "candidate must be a whole number from 0 to 2305843009213693952"},
        {HEAD "{'decision':3}\n", 2, 13, "the kind of a decision is a text"},
        {HEAD "{'graph':[]}\n", 2, 10, "graph must be an object, as in a graph in JSON"},
        {HEAD TWO "{'graph':{}}\n", 4, 10, "a graph must stand before all buffers and operators of its run"},
        {HEAD "{'graph':{'buffers':[],'operators':[]}}\n{'graph':{'buffers':[],'operators':[]}}\n", 3, 10,
         "this run has a graph already"},
        {HEAD "{'graph':{'buffers':[{'name':'a','size':-3,'first':0,'last':0}]}}\n", 2, 0, NULL},
        {HEAD TWO "{'decision':'place','buffer':'a','offset':2305843009213693952}\n", 4, 43,
         "this block would end above 2^61 bytes"},
        {HEAD TWO "{'decision':'place','buffer':'a','offset':-8}\n", 4, 43,
         "offset must be a whole number from 0 to 2305843009213693952"},
        {HEAD TWO "{'decision':'place','size':9223372036854775808}\n", 4, 28,
         "size must be a whole number from 0 to 9223372036854775807"},
        {HEAD TWO "{'decision':'x','changes':{}}\n", 4, 27, "changes is a list"},
        {HEAD TWO "{'decision':'x','changes':[{'buffer':'a','offset':0,'from':0,'to':2},{'buffer':'a','offset':0,'from'"
                  ":2,'to':3}]}\n",
         4, 102, "the spans of a buffer lie within its time and follow one another"},
        {HEAD TWO "{'decision':'x','arenas':{'memory':-1}}\n", 4, 36, "an arena is a whole number of bytes up to 2^61"},
        {HEAD "{'a':\n{'b':1}\n", 2, 6, "here should be a value"},
        {HEAD "{'a':1} x\n{}\n", 2, 9, "something stands behind the object of this line"},
        {HEAD "{'a':1\n{}\n", 2, 7, "the line ends inside its object"},
        {HEAD "{'a' 1}\n{}\n", 2, 6, "here should be a colon behind the key"},
        {HEAD "{'a':01}\n{}\n", 2, 6, "this is no number"},
        {HEAD "[1]\n{}\n", 2, 1, "a line of a trace is a JSON object, which begins with a brace"},
        {HEAD "{'a':'x\xff'}\n{}\n", 2, 8, "the text is not UTF-8 here"},
        {HEAD "{'a':'\\ud800'}\n{}\n", 2, 7, "this escape is no character"},
        {HEAD "{'a':'\\u0000'}\n{}\n", 2, 7, "this escape is no character"},
        {HEAD "{'a':'\\x'}\n{}\n", 2, 7, "there is no such escape in a text"},
        {HEAD "{'a':'\x01'}\n{}\n", 2, 7, "a control character inside a text"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(refusals); i++) {
        struct sw_error error = {0};
        struct refusal wanted = refusals[i];
        wanted.text = quoted(refusals[i].text);
        struct sw_input input = text_input(wanted.text, strlen(wanted.text));
        struct sw_problem *problem = sw_load_input(&input, NULL, &error);
        if (problem) {
            fail_msg("accepted:\n%s", wanted.text);
        }
        assert_int_equal(error.code, SW_ERROR_INPUT);
        if (!wanted.message) { /* the graph's reader has its own words, and the line of the trace */
            assert_int_equal(error.line, wanted.line);
            assert_true(error.column >= 10 && error.column < strlen(wanted.text));
            continue;
        }
        check_refusal(&error, &wanted);
    }
}

/* ---- any bytes ---- */

static const char mixed[] =
    "{'stowage-trace':1,'planner':'p','tiers':[{'name':'s','capacity':64},{'name':'d'}]}\n"
    "{'operator':'o','inputs':['a'],'outputs':['b'],'at':3}\n{'operator':'q','inputs':['b'],'at':7}\n"
    "{'buffer':'a','size':8}\n{'buffer':'b','size':16,'inplace_of':'a'}\n{'group':'g'}\n"
    "{'candidate':4,'verdict':'fits','size':9,'blocker':'b'}\n"
    "{'decision':'place','buffer':'a','tier':'s','offset':0,'figures':{'f':1e3},'operands':{'partner':'b'}}\n"
    "{'decision':'x','changes':[{'buffer':'b','tier':'s','offset':8,'from':3,'to':3},{'buffer':'b','tier':'d','offset':"
    "0,'from':7,'to':7}],"
    "'transfers':[{'buffer':'b','step':7,'from':'s','to':'d'}],'permits':[{'new':'b','old':'a','step':3}],'arenas':{'s'"
    ":64}}\n"
    "{'state':'t','columns':['x','y'],'kinds':['step','buffer'],'rows':[[3,'a'],[7,null]]}\n"
    "{'end':'failed','reason':'\\u00e9','peak':3}\n";

/* Open it, look at everything, go back. */
static void endure(const char *bytes, size_t length, const char *what, size_t at) {
    struct sw_error error = {0};
    struct sw_explanation why = {0};
    char *copy = malloc(length ? length : 1), sentence[300];
    assert_non_null(copy);
    memcpy(copy, bytes, length);
    struct sw_input input = text_input(copy, length);
    struct sw_problem *problem = sw_load_input(&input, NULL, &error);
    if (!problem) {
        if (error.code != SW_ERROR_INPUT || !error.message[0] || strchr(error.message, '\n')) {
            fail_msg("%s at %zu: %s", what, at, error.message);
        }
        free(copy);
        return;
    }
    struct sw_search *search = sw_problem_recording(problem) ? play(problem) : NULL;
    while (search && sw_search_step_explained(search, &why, &error) == SW_STEP_MORE) {
        struct sw_state_tables tables = {.most = 10};
        sw_decision_describe(problem, &why.decision, sentence, sizeof sentence);
        sw_search_state(search, &tables);
        assert_false(tables.failed);
        sw_state_tables_done(&tables);
    }
    assert_true(!search || sw_search_seek(search, 0, &error));
    sw_explanation_done(&why);
    sw_search_free(search);
    sw_problem_unref(problem);
    free(copy);
}

static void cut_at_every_byte(void **state) {
    const char *text = quoted(mixed);
    (void)state;
    for (size_t length = 0; length <= strlen(text); length++) {
        endure(text, length, "cut", length);
    }
}

static void every_byte_changed(void **state) {
    static const char others[] = {'"', '{', '}', '0', '9', '-', ',', '\n', ' ', 'a', '\\', '\0', '\x80'};
    char *text = quoted(mixed);
    (void)state;
    size_t length = strlen(text);
    for (size_t at = 0; at < length; at++) {
        char was = text[at];
        for (size_t i = 0; i < sizeof others; i++) {
            text[at] = others[i];
            endure(text, length, "changed", at);
        }
        text[at] = was;
    }
}

/* Cut anywhere behind the header, what is whole opens, with a note. */
static void a_prefix_opens(void **state) {
    const char *text = quoted(mixed);
    size_t header = (size_t)(strchr(text, '\n') - text);
    (void)state;
    for (size_t length = header + 1; length < strlen(text) - 1; length++) {
        struct sw_error error = {0};
        struct sw_input input = text_input(text, length);
        struct sw_problem *problem = sw_load_input(&input, NULL, &error);
        if (!problem) {
            fail_msg("cut at %zu: %s", length, error.message);
        }
        bool whole = text[length - 1] == '\n' || text[length] == '\n';
        assert_int_equal(noted(problem, "is cut and is left out"), !whole);
        assert_int_equal(noted(problem, "the end of the run is missing"), length < strlen(text) - 1);
        sw_problem_unref(problem);
    }
    /* The operators stand before the buffers here. */
    struct sw_problem *problem =
        open_trace(HEAD "{'operator':'o','inputs':['a','b'],'outputs':['c']}\n{'buffer':'b','size':8}\n");
    assert_true(noted(problem, "2 times operators use buffers that the trace does not tell of"));
    lives(problem, "b", 0, 0);
    sw_problem_unref(problem);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_kinds),
        cmocka_unit_test(keys),
        cmocka_unit_test(operators_at_steps),
        cmocka_unit_test(no_times),
        cmocka_unit_test(events),
        cmocka_unit_test(several_runs),
        cmocka_unit_test(ends),
        cmocka_unit_test(unknown_names),
        cmocka_unit_test(broken_plans),
        cmocka_unit_test(unplaced),
        cmocka_unit_test(changes),
        cmocka_unit_test(kinds),
        cmocka_unit_test(spans_between_steps),
        cmocka_unit_test(tables_grow_old),
        cmocka_unit_test(graph),
        cmocka_unit_test(texts),
        cmocka_unit_test(refusals),
        cmocka_unit_test(cut_at_every_byte),
        cmocka_unit_test(every_byte_changed),
        cmocka_unit_test(a_prefix_opens),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
