/* Decision traces, there and back: every planner on every model that ships is written as a trace and opened again. The
 * recorded run must be the run itself: the same decisions with all that they say, the same candidates, the same layout
 * and the same tables after each of them; and it leads to the same layouts when one goes back and forth in it. */
#include "share.h"
#include "unit/formats.h"

#include "formats/sink_file.h"
#include "formats/trace/read/trace_grow.h"
#include "formats/trace/trace_objects.h"
#include "formats/trace/trace_write.h"
#include "planners/planner.h"

#include <glob.h>
#include <math.h>
#include <unistd.h>

struct pair {
    const char *where;
    struct sw_search *run, *recorded; /* side by side */
    SW_ARRAY(uint64_t) layouts;       /* digests after each decision of the run, from 0 */
    SW_ARRAY(uint64_t) states;        /* the recorded search's own */
};
static size_t decisions, candidates, tables_seen, cells_seen, runs;

#define SAME(p, what, condition)                                                                                     \
    do {                                                                                                             \
        if (!(condition)) {                                                                                          \
            fail_msg("%s, decision %llu: %s differs", (p)->where, (unsigned long long)sw_search_at((p)->run), what); \
        }                                                                                                            \
    } while (0)

static bool same_number(double a, double b) {
    return (isnan(a) && isnan(b)) || a == b;
}

/* ---- a decision ---- */

static bool same_operand(const struct sw_decision *a, const struct sw_decision *b, const struct sw_operand *o) {
    const void *x = sw_decision_at(a, o), *y = sw_decision_at(b, o);
    switch (o->type) {
    case SW_OPERAND_buffer:
    case SW_OPERAND_index:
        return *(const uint32_t *)x == *(const uint32_t *)y;
    case SW_OPERAND_count:
    case SW_OPERAND_bytes:
        return *(const uint64_t *)x == *(const uint64_t *)y;
    case SW_OPERAND_flag:
        return *(const bool *)x == *(const bool *)y;
    case SW_OPERAND_score:
        return same_number(*(const double *)x, *(const double *)y);
    case SW_OPERAND_change:
        return same_number(((const struct sw_before_after *)x)->before, ((const struct sw_before_after *)y)->before) &&
               same_number(((const struct sw_before_after *)x)->after, ((const struct sw_before_after *)y)->after);
    case SW_OPERAND_text:
        return strcmp(*(const char *const *)x ? *(const char *const *)x : "",
                      *(const char *const *)y ? *(const char *const *)y : "") == 0;
    }
    return false;
}

static void same_decision(const struct pair *p, const struct sw_decision *a, const struct sw_decision *b) {
    char one[SW_REASON], two[SW_REASON], said[2000], says[2000];
    SAME(p, "the kind", a->kind == b->kind);
    SAME(p, "the step", a->step == b->step);
    SAME(p, "forced", a->forced == b->forced);
    SAME(p, "what it measures", a->measures == b->measures);
    SAME(p, "the buffer", a->buffer == b->buffer);
    SAME(p, "the tier", a->tier == b->tier);
    SAME(p, "the time", a->time == b->time);
    SAME(p, "the group", a->group == b->group);
    SAME(p, "how many candidates", a->candidates == b->candidates);
    SAME(p, "the offset", a->offset == b->offset);
    SAME(p, "the size", a->size == b->size);
    SAME(p, "the peak", a->peak == b->peak && a->peak_before == b->peak_before);
    SAME(p, "live bytes", a->time == SW_NONE || a->live == b->live);
    SAME(p, "the cost", same_number(a->cost, b->cost));
    SAME(p, "the reason", strcmp(sw_decision_reason(a, one), sw_decision_reason(b, two)) == 0);
    for (const struct sw_operand *o = sw_decision_operands((enum sw_decision_kind)a->kind); o->name; o++) {
        SAME(p, o->name, same_operand(a, b, o));
    }
    sw_decision_describe(sw_search_problem(p->run), a, said, sizeof said);
    sw_decision_describe(sw_search_problem(p->recorded), b, says, sizeof says);
    SAME(p, "the sentence", strcmp(said, says) == 0);
}

static void same_candidates(const struct pair *p, const struct sw_explanation *a, const struct sw_explanation *b) {
    SAME(p, "the number of candidates", a->candidates.count == b->candidates.count);
    for (size_t i = 0; i < a->candidates.count; i++) {
        const struct sw_candidate *x = &a->candidates.items[i], *y = &b->candidates.items[i];
        SAME(p, "a candidate",
             x->verdict == y->verdict && x->tier == y->tier && x->offset == y->offset && x->size == y->size &&
                 x->below == y->below && x->above == y->above && x->occupied == y->occupied);
        SAME(p, "a candidate's reason", strcmp(x->reason, y->reason) == 0);
    }
    SAME(p, "what moved", a->moved.count == b->moved.count);
    for (size_t i = 0; i < a->moved.count; i++) {
        const struct sw_moved *x = &a->moved.items[i], *y = &b->moved.items[i];
        SAME(p, "what moved", x->buffer == y->buffer && x->tier == y->tier && x->from == y->from && x->to == y->to);
    }
    SAME(p, "figures and source", b->figures.count == 0 && !*b->source);
    candidates += a->candidates.count;
}

/* ---- tables ---- */

static bool same_cell(const struct sw_state_cell *a, const struct sw_state_cell *b) {
    return a->kind == b->kind && (a->kind == SW_CELL_NUMBER ? same_number(a->number, b->number)
                                  : a->kind == SW_CELL_WORD ? strcmp(a->word, b->word) == 0
                                  : a->kind == SW_CELL_NONE ? true
                                                            : a->count == b->count);
}

static void same_table(const struct pair *p, const struct sw_state_tables *all, size_t at,
                       const struct sw_state_table *b) {
    const struct sw_state_table *a = &all->items.items[at];
    SAME(p, "a table's name", strcmp(sw_trace_table_name(all, at, (char[SW_TRACE_TABLE_NAME]){0}), b->name) == 0);
    SAME(p, "a table's shape",
         a->column_count == b->column_count && a->row_count == b->row_count && a->touched == b->touched &&
             a->first == b->first && a->end == b->end && a->cells.count == b->cells.count);
    for (uint32_t c = 0; c < a->column_count; c++) {
        SAME(p, "a column's name", strcmp(a->columns[c], b->columns[c]) == 0);
    }
    for (size_t i = 0; i < a->cells.count; i++) {
        if (!same_cell(&a->cells.items[i], &b->cells.items[i])) {
            fail_msg("%s, decision %llu: table %s, row %zu, column %s differs", p->where,
                     (unsigned long long)sw_search_at(p->run), a->name, i / a->column_count,
                     a->columns[i % a->column_count]);
        }
    }
    cells_seen += a->cells.count;
}

static void same_state(const struct pair *p) {
    struct sw_state_tables a = {.most = 40}, b = {.most = 40};
    sw_search_state(p->run, &a);
    sw_search_state(p->recorded, &b);
    assert_false(a.failed || b.failed);
    SAME(p, "the number of tables", a.items.count == b.items.count);
    for (size_t i = 0; i < a.items.count; i++) {
        same_table(p, &a, i, &b.items.items[i]);
    }
    tables_seen += a.items.count;
    sw_state_tables_done(&a);
    sw_state_tables_done(&b);
}

/* ---- writing ---- */

static bool collect(void *context, struct sw_sink *sink, struct sw_error *error) {
    (void)error;
    sw_sink_add(context, sink->text.items, sink->text.count);
    sink->text.count = 0;
    return true;
}

/* So many decisions of the run into the sink. */
static void write_run(struct sw_search *search, uint64_t most, struct sw_sink *text) {
    struct sw_explanation why = {0};
    struct sw_error error = {0};
    enum sw_step step = SW_STEP_MORE;
    struct sw_trace_writer *writer = sw_trace_writer_new(search, true, collect, text, &error);
    assert_non_null(writer);
    while (sw_search_at(search) < most && (step = sw_search_step_explained(search, &why, &error)) == SW_STEP_MORE) {
        assert_true(sw_trace_writer_decision(writer, &why, &error));
    }
    assert_true(sw_trace_writer_end(writer, step == SW_STEP_FAILED ? error.message : NULL,
                                    step == SW_STEP_MORE ? sw_search_at(search) : 0, &error));
    assert_false(text->failed);
    sw_trace_writer_free(writer);
    sw_explanation_done(&why);
}

static struct sw_problem *open_text(const struct sw_sink *text, const char *where) {
    struct sw_error error = {0};
    struct sw_input input = {.name = "run.trace", .bytes = text->text.items, .length = text->text.count};
    struct sw_problem *problem = sw_load_input(&input, NULL, &error);
    if (!problem) {
        fail_msg("%s: %s:%u:%u: %s", where, error.file, error.line, error.column, error.message);
    }
    assert_non_null(sw_problem_recording(problem));
    return problem;
}

static struct sw_search *play(const struct sw_problem *problem) {
    struct sw_error error = {0};
    struct sw_search *search = sw_search_new(problem, sw_planner_find("recorded", NULL), NULL, &error);
    if (!search) {
        fail_msg("%s", error.message);
    }
    return search;
}

/* ---- reading ---- */

/* Side by side from 0 to where the trace ends. Tables at the first decisions, and at each so many-th after them. */
static void walk(struct pair *p, uint64_t end, uint64_t state_every) {
    struct sw_explanation a = {0}, b = {0};
    struct sw_error error = {0};
    for (uint64_t at = 0;; at++) {
        SAME(p, "the layout",
             sw_layout_digest(sw_search_layout(p->run)) == sw_layout_digest(sw_search_layout(p->recorded)));
        assert_true(SW_PUSH(&p->layouts, sw_layout_digest(sw_search_layout(p->run))));
        assert_true(SW_PUSH(&p->states, sw_search_digest(p->recorded)));
        if (at > 0 && (at < 12 || at % state_every == 0)) {
            same_state(p);
        }
        if (at == end) {
            break;
        }
        assert_int_equal(sw_search_step_explained(p->run, &a, &error), SW_STEP_MORE);
        SAME(p, "whether there is a decision", sw_search_step_explained(p->recorded, &b, &error) == SW_STEP_MORE);
        same_decision(p, &a.decision, &b.decision);
        same_candidates(p, &a, &b);
    }
    decisions += end;
    sw_explanation_done(&a);
    sw_explanation_done(&b);
}

static void same_end(struct pair *p, const struct sw_search *written) {
    struct sw_error error = {0}, why = {0};
    struct sw_claims a, b;
    bool failed = sw_search_failed(written, &why);
    enum sw_step step = sw_search_step(p->recorded, &error);
    SAME(p, "the end", step == (failed ? SW_STEP_FAILED : SW_STEP_DONE));
    SAME(p, "why it failed", !failed || strstr(error.message, why.message));
    sw_search_claims(written, &a);
    sw_search_claims(p->recorded, &b);
    SAME(p, "what it claims",
         a.no_addresses == b.no_addresses && a.has_migration == b.has_migration &&
             (!a.has_migration || a.migration_bytes == b.migration_bytes));
}

static void seek(struct pair *p, uint64_t to) {
    struct sw_error error = {0};
    assert_true(sw_search_seek(p->recorded, to, &error));
    if (sw_layout_digest(sw_search_layout(p->recorded)) != p->layouts.items[to] ||
        sw_search_digest(p->recorded) != p->states.items[to]) {
        fail_msg("%s: gone to decision %llu, the run is not what it was there", p->where, (unsigned long long)to);
    }
}

/* Back and forth by strides without a pattern. */
static void back_and_forth(struct pair *p, uint64_t end) {
    uint64_t to = end / 2;
    seek(p, to);
    seek(p, 0);
    seek(p, end);
    for (unsigned i = 0; i < 12; i++) {
        to = (to * 7 + 13 * i + 5) % (end + 1);
        seek(p, to);
    }
}

static void check_pair(const struct sw_problem *problem, const struct sw_planner *planner, uint64_t work, uint64_t most,
                       const char *where) {
    struct sw_params params = SW_PARAMS_DEFAULT;
    struct sw_error error = {0};
    struct sw_sink text = {0};
    struct pair p = {.where = where};
    params.work = work;
    struct sw_search *written = sw_search_new(problem, planner, &params, &error);
    if (!written) {
        return; /* the planner needs what this problem lacks */
    }
    write_run(written, most, &text);
    struct sw_problem *again = open_text(&text, where);
    p.run = sw_search_new(problem, planner, &params, &error);
    p.recorded = play(again);
    assert_true(p.run && p.recorded);
    uint64_t end = sw_search_at(written);
    walk(&p, end, getenv("STOWAGE_LONG") ? 1 : 97);
    same_end(&p, written);
    back_and_forth(&p, end);
    runs++;
    SW_ARRAY_DONE(&p.layouts);
    SW_ARRAY_DONE(&p.states);
    sw_search_free(p.run);
    sw_search_free(p.recorded);
    sw_search_free(written);
    sw_problem_unref(again);
    sw_sink_done(&text);
}

static uint64_t pairs;

/* The long runs of large models are cut short, unless all is wanted. */
static void check_model(const char *path, const struct sw_load_options *options) {
    struct sw_error error = {0};
    struct sw_problem *problem = sw_load(path, options, NULL, &error);
    if (!problem) {
        fail_msg("%s: %s", path, error.message);
    }
    bool large = sw_problem_buffer_count(problem) > 60;
    uint64_t most = getenv("STOWAGE_LONG") ? 12000 : large ? 150 : 400;
    for (size_t i = 0; i < sw_planner_count(); i++) {
        char where[400];
        const struct sw_planner *planner = sw_planner_get(i);
        if (planner->rewrites || !in_share(pairs++, SW_SANITIZED ? 8 : 4)) { /* no trace holds what rewrites */
            continue;
        }
        snprintf(where, sizeof where, "%s of %s", planner->name, path);
        check_pair(problem, planner, getenv("STOWAGE_LONG") ? 400000 : 20000, most, where);
    }
    sw_problem_unref(problem);
}

static size_t each(const char *pattern) {
    glob_t found = {0};
    size_t count = glob(pattern, 0, NULL, &found) == 0 ? found.gl_pathc : 0;
    for (size_t i = 0; i < count; i++) {
        check_model(found.gl_pathv[i], NULL);
    }
    globfree(&found);
    return count;
}

static void every_planner_on_every_model(void **state) {
    struct sw_load_options bounded = {.has_capacity = true, .capacity = 140},
                           half = {.has_capacity = true, .capacity = 100 << 10}, safe = {.inplace_safe = true};
    (void)state;
    assert_true(each(SW_TEST_SOURCE "/scripts/models/*.json") >= 5);
    assert_true(each(SW_TEST_SOURCE "/scripts/models/*.lua") >= 13);
    assert_true(each(SW_TEST_SOURCE "/tests/golden/models/*") >= 8);
    check_model(SW_TEST_SOURCE "/scripts/models/two_tiers.json", &bounded);
    check_model(SW_TEST_SOURCE "/scripts/models/mobilenet_v1_025_96.json", &half);
    check_model(SW_TEST_SOURCE "/scripts/models/branches.json", &safe);
    if (getenv("STOWAGE_LONG")) {
        print_message("in full: decisions of recorded runs %zu\n", decisions);
    }
    print_message("%zu runs, %zu decisions, %zu candidates, %zu tables, %zu cells\n", runs, decisions, candidates,
                  tables_seen, cells_seen);
    assert_true(runs > (getenv("STOWAGE_LONG") ? 200 : 20) && tables_seen > runs && candidates > decisions);
}

/* The same bytes in a compressed file: the same problem, the same run. */
static void compressed(void **state) {
    struct sw_error error = {0};
    char path[] = "/tmp/stowage-test-XXXXXX", name[64];
    struct sw_problem *problem = sw_load(SW_TEST_SOURCE "/scripts/models/branches.json", NULL, NULL, &error);
    (void)state;
    assert_non_null(mkdtemp(path));
    snprintf(name, sizeof name, "%s/run.trace.gz", path);
    for (size_t i = 0; i < sw_planner_count(); i++) {
        struct sw_search *written = sw_search_new(problem, sw_planner_get(i), NULL, &error);
        struct sw_sink text = {0};
        if (!written) {
            continue;
        }
        write_run(written, 100, &text);
        struct sw_problem *plain = open_text(&text, sw_planner_get(i)->name);
        struct sw_sink_file *file = sw_sink_file_open(name, true, &error);
        assert_true(file && sw_sink_file_pour(file, &text, &error) && sw_sink_file_close(file, &error));
        struct sw_problem *again = sw_load(name, NULL, NULL, &error);
        if (!again) {
            fail_msg("%s", error.message);
        }
        struct sw_search *a = play(plain), *b = play(again);
        assert_true(sw_search_seek(a, UINT64_MAX, &error) && sw_search_seek(b, UINT64_MAX, &error));
        assert_int_equal(sw_search_at(a), sw_search_at(b));
        assert_int_equal(sw_search_digest(a), sw_search_digest(b));
        assert_int_equal(sw_problem_digest(plain), sw_problem_digest(again));
        sw_search_free(a);
        sw_search_free(b);
        sw_problem_unref(plain);
        sw_problem_unref(again);
        sw_search_free(written);
        sw_sink_done(&text);
        assert_int_equal(unlink(name), 0);
    }
    rmdir(path);
    sw_problem_unref(problem);
}

/* ---- another planner goes on ---- */

static size_t followed, refused;

/* From decision `from` on: what lay then lies there at the end, the layout is valid, and going back and forth changes
 * nothing. */
static void follow(const struct sw_problem *traced, const struct sw_search *whole, const char *follower, uint64_t from,
                   const char *where) {
    struct sw_params params = SW_PARAMS_DEFAULT;
    struct sw_error error = {0};
    char number[24];
    snprintf(number, sizeof number, "%llu", (unsigned long long)from);
    params.work = 3000;
    assert_true(sw_params_set(&params, "continue", follower, &error) && sw_params_set(&params, "from", number, &error));
    struct sw_search *search = sw_search_new(traced, sw_planner_find("recorded", &error), &params, &error);
    struct sw_search *before = sw_search_fork(whole, &error);
    assert_true(before && sw_search_seek(before, from, &error));
    sw_params_done(&params);
    if (!search) { /* it needs what this problem lacks */
        sw_search_free(before);
        refused++;
        return;
    }
    assert_true(sw_search_seek(search, from, &error));
    assert_int_equal(sw_layout_digest(sw_search_layout(search)), sw_layout_digest(sw_search_layout(before)));
    error.code = SW_OK;
    enum sw_step end = sw_search_run(search, 0, NULL, NULL, &error);
    if (end != SW_STEP_DONE && error.code != SW_ERROR_INFEASIBLE && error.code != SW_ERROR_UNSUPPORTED) {
        fail_msg("%s, then %s from %s: %s", where, follower, number, error.message);
    }
    size_t faults = 1;
    assert_true(end != SW_STEP_DONE || sw_search_check(search, &faults, NULL, NULL, NULL));
    if (end == SW_STEP_DONE && faults > 0) {
        fail_msg("%s, then %s from %s: the layout has %zu faults", where, follower, number, faults);
    }
    for (uint32_t b = 0; end == SW_STEP_DONE && b < sw_problem_buffer_count(traced); b++) {
        struct sw_placement lay, lies;
        if (sw_layout_placement(sw_search_layout(before), b, 0, &lay) &&
            (!sw_layout_placement(sw_search_layout(search), b, 0, &lies) || lies.tier != lay.tier ||
             lies.offset != lay.offset)) {
            fail_msg("%s, then %s from %s: %s has moved", where, follower, number, sw_problem_buffer(traced, b)->name);
        }
    }
    uint64_t digest = sw_search_digest(search), last = sw_search_at(search);
    assert_true(sw_search_seek(search, from / 2, &error) && sw_search_seek(search, (from + last) / 2, &error) &&
                sw_search_seek(search, last, &error));
    if (sw_search_digest(search) != digest) {
        fail_msg("%s, then %s from %s: gone back and forth, the run is not what it was", where, follower, number);
    }
    followed += end == SW_STEP_DONE;
    sw_search_free(search);
    sw_search_free(before);
}

static void follow_model(const char *path, const char *first) {
    static const char *const followers[] = {"first-fit",         "best-fit",      "greedy-by-size", "greedy-by-breadth",
                                            "lifetime-best-fit", "auto",          "improve",        "tflm-greedy",
                                            "branch-and-bound",  "order-genetic", "random-order",   "tier-search",
                                            "segment-genetic"};
    struct sw_error error = {0};
    struct sw_sink text = {0};
    struct sw_problem *problem = sw_load(path, NULL, NULL, &error);
    struct sw_search *written = problem ? sw_search_new(problem, sw_planner_find(first, &error), NULL, &error) : NULL;
    if (written) {
        write_run(written, UINT64_MAX, &text);
        struct sw_problem *traced = open_text(&text, path);
        struct sw_search *whole = play(traced);
        assert_true(sw_search_seek(whole, UINT64_MAX, &error));
        uint64_t end = sw_search_at(whole);
        for (size_t i = 0; i < sizeof followers / sizeof *followers; i++) {
            follow(traced, whole, followers[i], 0, path);
            follow(traced, whole, followers[i], end / 3, path);
            follow(traced, whole, followers[i], end > 2 ? end - 2 : end, path);
            follow(traced, whole, followers[i], end, path);
        }
        sw_search_free(whole);
        sw_problem_unref(traced);
    }
    sw_search_free(written);
    sw_problem_unref(problem);
    sw_sink_done(&text);
}

static void another_planner_goes_on(void **state) {
    static const char *const models[] = {"branches.json",  "example1.json", "mobilenet_v1_025_96.json",
                                         "two_tiers.json", "teaching.lua",  "densenet121.lua",
                                         "unet.lua",       "two_cores.lua"};
    (void)state;
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        char path[600];
        snprintf(path, sizeof path, SW_TEST_SOURCE "/scripts/models/%s", models[i]);
        follow_model(path, "first-fit");
        follow_model(path, "greedy-by-size");
    }
    print_message("%zu runs went on, %zu planners do not apply\n", followed, refused);
    assert_true(followed > 100);
}

/* ---- in parts ---- */

/* A trace of which the beginning is opened first, and the rest is read some bytes at a time, while a run stands in it,
 * is the same trace. */
static void in_parts(void **state) {
    struct sw_error error = {0};
    struct sw_problem *problem = sw_load(SW_TEST_SOURCE "/scripts/models/branches.json", NULL, NULL, &error);
    size_t parts = 0;
    (void)state;
    for (size_t i = 0; i < sw_planner_count(); i++) {
        struct sw_search *written = sw_search_new(problem, sw_planner_get(i), NULL, &error);
        struct sw_load_options first = {.first_bytes = 1};
        struct sw_sink text = {0};
        double part;
        if (!written) {
            continue;
        }
        write_run(written, 300, &text);
        struct sw_input input = {.name = "parts", .bytes = text.text.items, .length = text.text.count};
        struct sw_problem *whole = open_text(&text, sw_planner_get(i)->name),
                          *grown = sw_load_input(&input, &first, &error);
        struct sw_search *a = play(whole), *b = play(grown);
        while (sw_trace_unread(grown, &part)) {
            assert_true(part > 0 && part < 1);
            assert_true(sw_search_seek(b, UINT64_MAX, &error));
            enum sw_trace_growth growth = sw_trace_read_on(grown, 700, &error);
            assert_true(growth == SW_TRACE_GREW || growth == SW_TRACE_SAME);
            sw_search_more(b);
            parts++;
        }
        assert_true(sw_search_seek(a, UINT64_MAX, &error) && sw_search_seek(b, UINT64_MAX, &error));
        assert_int_equal(sw_search_at(a), sw_search_at(b));
        assert_int_equal(sw_search_digest(a), sw_search_digest(b));
        for (uint64_t at = 1; at <= sw_search_at(a); at += 7) {
            struct sw_explanation x = {0}, y = {0};
            const struct pair p = {.where = sw_planner_get(i)->name, .run = a, .recorded = b};
            assert_true(sw_search_explain(a, at, &x, &error) && sw_search_explain(b, at, &y, &error));
            same_decision(&p, &x.decision, &y.decision);
            same_candidates(&p, &x, &y);
            sw_explanation_done(&x);
            sw_explanation_done(&y);
        }
        sw_search_free(a);
        sw_search_free(b);
        sw_problem_unref(whole);
        sw_problem_unref(grown);
        sw_search_free(written);
        sw_sink_done(&text);
    }
    sw_problem_unref(problem);
    assert_true(parts > 100);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(in_parts),
        cmocka_unit_test(another_planner_goes_on),
        cmocka_unit_test(every_planner_on_every_model),
        cmocka_unit_test(compressed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
