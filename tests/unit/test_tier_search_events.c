/* tier-search with events=true: what becomes free and what it merges with, restated on single bytes. */
#include "tier.h"

#include "base/base.h"

enum { FIRST = 100, SECOND = 260, TIERS = 2, MOST = 260 };

static const uint64_t capacities[TIERS] = {FIRST, SECOND};

/* Whether each byte is in use. */
struct bytes {
    bool used[TIERS][MOST];
};

static void use(struct bytes *bytes, uint32_t tier, uint64_t lo, uint64_t hi, bool used) {
    for (uint64_t i = lo; i < hi; i++) {
        assert_true(i < capacities[tier]);
        bytes->used[tier][i] = used;
    }
}

/* What a merge says: a free space that cannot be larger, of what was freed before it and what lay free on both sides.
 */
static void check_merge(const struct bytes *bytes, const struct sw_decision *d, const struct sw_decision *release) {
    uint64_t end = d->offset + d->size;
    assert_int_equal(d->kind, SW_DECISION_COALESCE);
    assert_int_equal(d->buffer, release->buffer);
    assert_int_equal(d->tier, release->tier);
    assert_int_equal(d->coalesce.before, release->size);
    assert_int_equal(d->offset + d->coalesce.below, release->offset);
    assert_int_equal(d->coalesce.below + d->coalesce.before + d->coalesce.above, d->size);
    assert_true(d->coalesce.below + d->coalesce.above > 0);
    for (uint64_t i = d->offset; i < end; i++) {
        assert_false(bytes->used[d->tier][i]);
    }
    assert_true(d->offset == 0 || bytes->used[d->tier][d->offset - 1]);
    assert_true(end == capacities[d->tier] || bytes->used[d->tier][end]);
}

/* After a release: does a merge follow exactly where something touches? */
static void check_follower(const struct bytes *bytes, const struct sw_search *search, const struct sw_decision *d) {
    uint64_t end = d->offset + d->size;
    bool touches = (d->offset > 0 && !bytes->used[d->tier][d->offset - 1]) ||
                   (end < capacities[d->tier] && !bytes->used[d->tier][end]);
    const struct sw_decision *next = sw_search_journal(search, d->step + 1);
    assert_int_equal(next && next->kind == SW_DECISION_COALESCE, touches);
}

static struct sw_problem *random_network(uint64_t *r) {
    struct sw_builder *builder = sw_builder_new(NULL);
    enum { OPERATORS = 14 };
    add_tiers(builder, FIRST, SECOND);
    for (int i = 0; i <= OPERATORS; i++) {
        char name[16], in[16], out[16], skip[16], scratch[16];
        snprintf(name, sizeof name, "op%d", i);
        snprintf(in, sizeof in, "b%d", i);
        snprintf(out, sizeof out, "b%d", i + 1);
        snprintf(skip, sizeof skip, "b%d", i > 4 ? i - (int)sw_random_below(r, 4) : i);
        snprintf(scratch, sizeof scratch, "s%d", i);
        const char *inputs[] = {in, skip}, *outputs[] = {out}, *scratches[] = {scratch};
        struct sw_operator_spec op = {.name = name,
                                      .inputs = inputs,
                                      .outputs = outputs,
                                      .scratch = scratches,
                                      .input_count = i % 3 ? 1 : 2,
                                      .output_count = 1,
                                      .scratch_count = i % 4 == 1};
        struct sw_buffer_spec b = {.name = in,
                                   .has_size = true,
                                   .kind = i == 0           ? SW_KIND_INPUT
                                           : i == OPERATORS ? SW_KIND_OUTPUT
                                                            : SW_KIND_INTERMEDIATE,
                                   .size = 5 + sw_random_below(r, 40)};
        struct sw_buffer_spec s = {
            .name = scratch, .has_size = true, .kind = SW_KIND_SCRATCH, .size = 1 + sw_random_below(r, 30)};
        assert_true(i == OPERATORS || sw_builder_operator(builder, &op, NULL));
        assert_true(sw_builder_buffer(builder, &b, NULL));
        assert_true(i == OPERATORS || i % 4 != 1 || sw_builder_buffer(builder, &s, NULL));
    }
    return must_finish(builder);
}

/* All bytes of blocks that are placed so far, for decisions up to `step`, and alive at `time`. */
static void use_alive(struct bytes *bytes, const struct sw_search *search, uint64_t step, uint32_t time) {
    *bytes = (struct bytes){0};
    for (uint64_t i = 1; i < step; i++) {
        const struct sw_decision *d = sw_search_journal(search, i);
        if (d->kind == SW_DECISION_PRECONF && sw_problem_buffer(sw_search_problem(search), d->buffer)->last >= time) {
            use(bytes, d->tier, d->offset, d->offset + d->size, true);
        }
    }
}

/* Place, release: the bytes in use are those of blocks that are alive, at every block's turn. Returns the releases. */
static uint64_t check_preconf(const struct sw_search *search) {
    struct bytes bytes = {0}, alive;
    uint64_t releases = 0, step = 1;
    for (const struct sw_decision *d; (d = sw_search_journal(search, step))->kind != SW_DECISION_EVALUATE_COST;
         step++) {
        if (d->kind == SW_DECISION_PRECONF) {
            use_alive(&alive, search, step, sw_problem_buffer(sw_search_problem(search), d->buffer)->first);
            assert_memory_equal(&alive, &bytes, sizeof bytes);
            use(&bytes, d->tier, d->offset, d->offset + d->size, true);
        } else if (d->kind == SW_DECISION_RELEASE) {
            const struct sw_buffer *b = sw_problem_buffer(sw_search_problem(search), d->buffer);
            assert_int_equal(d->time, b->last + 1);
            for (uint64_t i = d->offset; i < d->offset + d->size; i++) {
                assert_true(bytes.used[d->tier][i]);
            }
            use(&bytes, d->tier, d->offset, d->offset + d->size, false);
            assert_string_equal(d->reason,
                                d->size == b->size ? "its last use is over" : "that part of it was not written over");
            check_follower(&bytes, search, d);
            releases++;
        } else {
            check_merge(&bytes, d, sw_search_journal(search, step - 1));
        }
    }
    use_alive(&alive, search, step, sw_problem_steps(sw_search_problem(search)) - 1);
    assert_memory_equal(&alive, &bytes, sizeof bytes); /* before the last operator all else is released */
    return releases;
}

/* What a block that is lifted sees: all that is born up to this step and alive with it. */
static void use_seen(struct bytes *bytes, const struct sw_search *search, uint32_t subject, uint32_t time) {
    const struct sw_problem *problem = sw_search_problem(search);
    const struct sw_buffer *own = sw_problem_buffer(problem, subject);
    *bytes = (struct bytes){0};
    for (uint32_t b = 0; b < sw_problem_buffer_count(problem); b++) {
        const struct sw_buffer *buffer = sw_problem_buffer(problem, b);
        struct sw_placement p;
        if (b != subject && buffer->first <= time && buffer->first <= own->last && own->first <= buffer->last &&
            sw_layout_placement(sw_search_layout(search), b, 0, &p)) {
            use(bytes, p.tier, p.offset, p.offset + buffer->size, true);
        }
    }
}

static uint64_t check_lifts(struct sw_search *search) {
    struct bytes bytes;
    uint64_t lifts = 0;
    bool walks = false;
    for (uint64_t step = 1; step <= sw_search_known(search); step++) {
        const struct sw_decision *d = sw_search_journal(search, step);
        walks |= d->kind == SW_DECISION_EVALUATE_COST;
        if (!walks || (d->kind != SW_DECISION_RELEASE && d->kind != SW_DECISION_COALESCE)) {
            continue;
        }
        assert_true(sw_search_seek(search, step, NULL));
        d = sw_search_decision(search);
        use_seen(&bytes, search, d->buffer, d->time);
        if (d->kind == SW_DECISION_RELEASE) {
            struct sw_placement p;
            assert_true(sw_layout_placement(sw_search_layout(search), d->buffer, 0, &p));
            assert_true(d->tier == p.tier && p.offset <= d->offset);
            assert_true(d->offset + d->size <=
                        p.offset + sw_problem_buffer(sw_search_problem(search), d->buffer)->size);
            for (uint64_t i = d->offset; i < d->offset + d->size; i++) {
                assert_false(bytes.used[d->tier][i]);
            }
            check_follower(&bytes, search, d);
            lifts++;
        } else {
            check_merge(&bytes, d, sw_search_journal(search, step - 1));
        }
        const struct sw_decision *next = d;
        while (next->kind != SW_DECISION_TRY) {
            next = sw_search_journal(search, next->step + 1);
            assert_int_equal(next->buffer, d->buffer);
        }
        assert_int_not_equal(next->candidates, 1); /* it is tried elsewhere */
    }
    return lifts;
}

/* All else is as without events. */
static void check_the_rest(const struct sw_search *search, const struct sw_search *plain) {
    uint64_t at = 0;
    for (uint64_t step = 1; step <= sw_search_known(search); step++) {
        const struct sw_decision *d = sw_search_journal(search, step);
        if (d->kind == SW_DECISION_RELEASE || d->kind == SW_DECISION_COALESCE) {
            continue;
        }
        const struct sw_decision *p = sw_search_journal(plain, ++at);
        assert_int_equal(d->kind, p->kind);
        assert_int_equal(d->buffer, p->buffer);
        assert_int_equal(d->tier, p->tier);
        assert_int_equal(d->offset, p->offset);
        assert_int_equal(d->time, p->time);
        assert_int_equal(d->group, p->group);
        assert_true(d->cost == p->cost || (isnan(d->cost) && isnan(p->cost)));
        assert_string_equal(d->reason, p->reason);
    }
    assert_int_equal(at, sw_search_known(plain));
}

/* Back and forth, and never a choice where something becomes free. */
static void check_both_ways(struct sw_search *search) {
    uint64_t known = sw_search_known(search), digest = 0, digests[64];
    struct sw_override choose = {.kind = SW_OVERRIDE_CHOOSE, .choice = 0};
    uint64_t count = SW_MIN(known, 64);
    for (uint64_t i = 0; i < count; i++) {
        assert_true(sw_search_seek(search, i, NULL));
        digests[i] = sw_search_digest(search);
        assert_true(i == 0 || digests[i] != digest);
        digest = digests[i];
        const struct sw_decision *next = sw_search_journal(search, i + 1);
        if (next->kind == SW_DECISION_RELEASE || next->kind == SW_DECISION_COALESCE) {
            assert_false(sw_search_force(search, &choose, NULL));
        }
    }
    for (uint64_t i = count; i-- > 0;) {
        assert_true(sw_search_seek(search, i, NULL));
        assert_true(sw_search_digest(search) == digests[i]);
    }
    assert_true(sw_search_seek(search, known, NULL));
}

static void what_becomes_free_is_told(void **state) {
    static const char *const settings[] = {"",
                                           "overwrite=off",
                                           "carry=false",
                                           "inside=exhaustive actions=cross-tier",
                                           "inside=beam:3 segment=2",
                                           "visit=touched",
                                           "choices=good stop=end"};
    uint64_t r = 7, releases = 0, lifts = 0;
    (void)state;
    for (int round = 0; round < 6; round++) {
        struct sw_problem *problem = random_network(&r);
        for (size_t i = 0; i < COUNT(settings); i++) {
            char with[120];
            snprintf(with, sizeof with, "%s events=true", settings[i]);
            struct sw_search *search = start(problem, with), *plain = start(problem, settings[i]);
            finish(search);
            finish(plain);
            releases += check_preconf(search);
            check_the_rest(search, plain);
            if (round < 3) {
                check_both_ways(search);
                lifts += check_lifts(search);
            }
            sw_search_free(search);
            sw_search_free(plain);
        }
        sw_problem_unref(problem);
    }
    assert_true(releases > 300 && lifts > 500);
}

/* The sentences, and a tier that has no end: free up to where its blocks end. */
static void words_of_what_becomes_free(void **state) {
    static const struct op ops[] = {{{"x"}, NULL, {"a"}, NULL, NULL},
                                    {{"a"}, NULL, {"b"}, NULL, NULL},
                                    {{"b"}, NULL, {"c"}, NULL, NULL},
                                    {{"c"}, NULL, {"d"}, NULL, NULL},
                                    {{"d"}, NULL, {NULL}, NULL, NULL}}; /* makes nothing */
    static const struct block blocks[] = {{"x", SW_KIND_INPUT, 60, NULL, 0},
                                          {"a", SW_KIND_INTERMEDIATE, 40, NULL, 0},
                                          {"b", SW_KIND_INTERMEDIATE, 70, NULL, 0},
                                          {"c", SW_KIND_INTERMEDIATE, 20, NULL, 0},
                                          {"d", SW_KIND_INTERMEDIATE, 10, NULL, 0}};
    static const char *const wanted[] = {
        "plans x (60 B) ahead at sram+0: smallest free space of the highest tier that fits",
        "plans a (40 B) ahead at sram+0, over x: that block is used here for the last time",
        "releases x: 20 B free at sram+40, as that part of it was not written over",
        "joins the freed space of x with 40 B free above, 20 -> 60 B free at sram+40: it touches free space above",
        "plans b (70 B) ahead at dram+0: smallest free space of the highest tier that fits",
        "releases a: 40 B free at sram+0, as its last use is over",
        "joins the freed space of a with 60 B free above, 40 -> 100 B free at sram+0: it touches free space above",
        "plans c (20 B) ahead at sram+0: smallest free space of the highest tier that fits",
        "releases b: 70 B free at dram+0, as its last use is over",
        "plans d (10 B) ahead at sram+0, over c: that block is used here for the last time",
        "releases c: 10 B free at sram+10, as that part of it was not written over",
        "joins the freed space of c with 80 B free above, 10 -> 90 B free at sram+10: it touches free space above"};
    struct sw_problem *problem = make(100, SW_UNBOUNDED, ops, 5, blocks, 5);
    struct sw_search *search = start(problem, "events=true");
    char text[400];
    (void)state;
    finish(search);
    for (size_t i = 0; i < COUNT(wanted); i++) {
        sw_decision_describe(problem, sw_search_journal(search, i + 1), text, sizeof text);
        assert_string_equal(text, wanted[i]);
    }
    sw_search_free(search);
    sw_problem_unref(problem);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_becomes_free_is_told),
        cmocka_unit_test(words_of_what_becomes_free),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
