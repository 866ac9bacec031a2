/* Moments: put in order, summed, and searched; compared with answers found by trying everything. */
#include "unit.h"

#include "problem/moment/moment.h"
#include "base/base.h"
#include "problem/builder.h"

static struct sw_moment *fresh(void) {
    struct sw_moment *moment = sw_moment_new();
    assert_non_null(moment);
    return moment;
}

static void segment(struct sw_moment *moment, uint64_t address, uint64_t size) {
    assert_true(sw_moment_add_segment(moment, &(struct sw_moment_segment){.address = address, .size = size}));
}

static void block(struct sw_moment *moment, uint64_t address, uint64_t size, enum sw_held_state state) {
    assert_true(sw_moment_add_block(
        moment,
        &(struct sw_moment_block){
            .address = address, .size = size, .requested = SW_UNTOLD, .count = 1, .state = state, .segment = SW_NONE}));
}

static void settled(struct sw_moment *moment) {
    struct sw_error error = {0};
    assert_true(sw_moment_settle(moment, &error));
}

static void test_what_is_not_told_is_a_block_of_its_own(void **state) {
    (void)state;
    struct sw_moment *moment = fresh();
    struct sw_moment_sums sums;
    segment(moment, 4096, 1000);
    segment(moment, 0, 512);
    block(moment, 4196, 100, SW_HELD_USED);
    block(moment, 0, 512, SW_HELD_FREE);
    settled(moment);
    assert_int_equal(moment->segments.items[0].address, 0);
    assert_int_equal(moment->segments.items[1].count, 3);
    assert_int_equal(moment->blocks.items[1].state, SW_HELD_UNTOLD);
    assert_int_equal(moment->blocks.items[3].size, 800);
    sw_moment_sum(moment, &sums);
    assert_int_equal(sums.figure[SW_MOMENT_RESERVED], 1512);
    assert_int_equal(sums.figure[SW_MOMENT_IN_USE], 100);
    assert_int_equal(sums.figure[SW_MOMENT_LARGEST_FREE], 512);
    assert_int_equal(sums.bytes[SW_HELD_UNTOLD], 900);
    assert_true(sums.figure[SW_MOMENT_REQUESTED] == SW_UNTOLD);
    sw_moment_unref(moment);
}

static void test_blocks_outside_of_segments_imply_some(void **state) {
    (void)state;
    struct sw_moment *moment = fresh();
    block(moment, 300, 100, SW_HELD_USED);
    block(moment, 100, 100, SW_HELD_USED);
    block(moment, 200, 100, SW_HELD_FREE);
    block(moment, 1000, 24, SW_HELD_WAITING);
    settled(moment);
    assert_int_equal(moment->segments.count, 2);
    assert_true(moment->segments.items[0].implied);
    assert_int_equal(moment->segments.items[0].size, 300);
    assert_int_equal(moment->segments.items[1].address, 1000);
    sw_moment_unref(moment);
}

static void test_overlaps_are_refused(void **state) {
    (void)state;
    static const struct {
        uint64_t segment, size, block, bytes;
        const char *message;
    } cases[] = {
        {50, 100, 0, 0, "the segment at 0x32 begins inside the one at 0x0"},
        {200, 100, 250, 51, "the block at 0xfa passes the end of its segment"},
        {200, 100, 199, 20, "the segment at 0xc8 begins inside the one at 0xc7"},
        {200, SW_MAX_BYTES, 0, 0, "the segments come to more than 2^61 bytes"},
        {200, 100, 1000, SW_MAX_BYTES + 1, "the blocks come to more than 2^61 bytes"},
        {200, 100, UINT64_MAX - 5, 100, "the blocks come to more than 2^61 bytes"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct sw_moment *moment = fresh();
        struct sw_error error = {0};
        segment(moment, 0, 100);
        segment(moment, cases[i].segment, cases[i].size);
        if (cases[i].bytes) {
            block(moment, cases[i].block, cases[i].bytes, SW_HELD_USED);
        }
        assert_false(sw_moment_settle(moment, &error));
        assert_string_equal(error.message, cases[i].message);
        sw_moment_unref(moment);
    }
}

static void test_what_the_text_says_counts_where_it_differs(void **state) {
    (void)state;
    struct sw_moment *moment = fresh();
    struct sw_moment_sums sums;
    segment(moment, 0, 1000);
    block(moment, 0, 600, SW_HELD_USED);
    block(moment, 600, 400, SW_HELD_FREE);
    assert_true(
        sw_moment_tell(moment, &(struct sw_moment_told){.figure = SW_MOMENT_RESERVED, .bytes = 1024, .about = 52}));
    assert_true(
        sw_moment_tell(moment, &(struct sw_moment_told){.figure = SW_MOMENT_IN_USE, .bytes = 700, .about = 52}));
    settled(moment);
    sw_moment_sum(moment, &sums);
    assert_int_equal(sums.figure[SW_MOMENT_RESERVED], 1000);
    assert_false(sums.differs[SW_MOMENT_RESERVED]);
    assert_int_equal(sums.figure[SW_MOMENT_IN_USE], 700);
    assert_int_equal(sums.about[SW_MOMENT_IN_USE], 52);
    assert_true(sums.differs[SW_MOMENT_IN_USE]);
    sw_moment_unref(moment);
}

/* ---- searched, and tried ---- */

static uint64_t next_random(uint64_t *seed) {
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *seed >> 33;
}

/* Segments of blocks that follow one another, in any state, some stretches not told. */
static struct sw_moment *random_moment(uint64_t *seed) {
    struct sw_moment *moment = fresh();
    uint64_t address = 0;
    for (uint64_t s = 1 + next_random(seed) % 4; s-- > 0;) {
        uint64_t start = address;
        for (uint64_t b = 1 + next_random(seed) % 8; b-- > 0;) {
            uint64_t size = 1 + next_random(seed) % 40;
            enum sw_held_state what = (enum sw_held_state)(next_random(seed) % 4);
            if (what != SW_HELD_UNTOLD) {
                block(moment, address, size, what);
            }
            address += size;
        }
        segment(moment, start, address - start);
        address += next_random(seed) % 3;
    }
    settled(moment);
    return moment;
}

static bool taken(const struct sw_moment_block *of) {
    return of->state == SW_HELD_USED || of->state == SW_HELD_WAITING;
}

/* The fewest blocks, and of those the fewest bytes, over every window; UINT64_MAX: none is long enough. */
static uint64_t tried(const struct sw_moment *moment, uint64_t bytes, uint64_t *least_bytes) {
    uint64_t least = UINT64_MAX;
    for (size_t i = 0; i < moment->blocks.count; i++) {
        uint64_t sum = 0, used = 0, used_bytes = 0;
        for (size_t k = i;
             k < moment->blocks.count && moment->blocks.items[k].segment == moment->blocks.items[i].segment &&
             moment->blocks.items[k].state != SW_HELD_UNTOLD;
             k++) {
            sum += moment->blocks.items[k].size;
            used += taken(&moment->blocks.items[k]);
            used_bytes += taken(&moment->blocks.items[k]) ? moment->blocks.items[k].size : 0;
            if (sum >= bytes && (used < least || (used == least && used_bytes < *least_bytes))) {
                least = used;
                *least_bytes = used_bytes;
            }
        }
    }
    return least;
}

static void tell(struct sw_moment *moment, enum sw_moment_figure figure, const char *allocator, uint64_t bytes,
                 uint64_t about) {
    assert_true(sw_moment_tell(
        moment, &(struct sw_moment_told){.figure = figure, .bytes = bytes, .about = about, .allocator = allocator}));
}

static void test_of_several_allocators_only_sums_add_up(void **state) {
    (void)state;
    struct sw_moment *moment = fresh();
    struct sw_moment_sums sums;
    tell(moment, SW_MOMENT_LIMIT, "a", 1000, 3);
    tell(moment, SW_MOMENT_LIMIT, "b", 500, 4);
    tell(moment, SW_MOMENT_LARGEST_FREE, "a", 100, 1);
    tell(moment, SW_MOMENT_LARGEST_FREE, "b", 98, 5);
    tell(moment, SW_MOMENT_PEAK_USED, "a", 700, 0);
    tell(moment, SW_MOMENT_PEAK_USED, "b", 400, 0);
    tell(moment, SW_MOMENT_PEAK_RESERVED, "b", 450, 2);
    settled(moment);
    sw_moment_sum(moment, &sums);
    assert_int_equal(sums.figure[SW_MOMENT_LIMIT], 1500);
    assert_int_equal(sums.about[SW_MOMENT_LIMIT], 7);
    assert_int_equal(sums.figure[SW_MOMENT_LARGEST_FREE], 100);
    assert_int_equal(sums.about[SW_MOMENT_LARGEST_FREE], 5);
    assert_true(sums.figure[SW_MOMENT_PEAK_USED] == SW_UNTOLD); /* at different times */
    assert_int_equal(sums.figure[SW_MOMENT_PEAK_RESERVED], 450);
    sw_moment_unref(moment);
}

static void test_what_is_told_stays_below_2_to_61(void **state) {
    (void)state;
    for (int i = 0; i < 4; i++) {
        struct sw_moment *moment = fresh();
        struct sw_error error = {0};
        struct sw_moment_block many = {.address = SW_UNTOLD, .size = 1, .requested = SW_UNTOLD, .count = 2};
        if (i == 0) {
            tell(moment, SW_MOMENT_LIMIT, "a", SW_MAX_BYTES, 0);
            tell(moment, SW_MOMENT_LIMIT, "b", 1, 0);
        } else if (i == 1) {
            moment->failure.size = SW_MAX_BYTES + 1;
        } else {
            many.requested = i == 2 ? SW_MAX_BYTES : SW_UNTOLD;
            many.count = i == 2 ? 8 : SW_MAX_BYTES + 1;
            many.size = i == 2;
            assert_true(sw_moment_add_block(moment, &many));
        }
        assert_false(sw_moment_settle(moment, &error));
        assert_int_equal(error.code, SW_ERROR_INPUT);
        sw_moment_unref(moment);
    }
}

static void test_blocks_without_addresses_lie_in_the_segments_they_name(void **state) {
    (void)state;
    struct sw_moment *moment = fresh();
    segment(moment, SW_UNTOLD, 100);
    segment(moment, 4096, 50);
    segment(moment, SW_UNTOLD, 200);
    for (uint32_t i = 0; i < 6; i++) { /* 3: of none; 1: its place in a segment with an address is not told */
        assert_true(sw_moment_add_block(moment, &(struct sw_moment_block){.address = SW_UNTOLD,
                                                                          .size = 10 + i,
                                                                          .requested = SW_UNTOLD,
                                                                          .count = 1,
                                                                          .segment = i % 4 == 3 ? SW_NONE : i % 4}));
    }
    settled(moment);
    static const uint64_t sizes[] = {50, 10, 14, 12, 11, 13, 15};
    static const uint32_t segments[] = {0, 1, 1, 2, SW_NONE, SW_NONE, SW_NONE};
    assert_int_equal(moment->blocks.count, 7);
    for (size_t i = 0; i < 7; i++) {
        assert_int_equal(moment->blocks.items[i].size, sizes[i]);
        assert_int_equal(moment->blocks.items[i].segment, segments[i]);
    }
    assert_int_equal(moment->segments.items[1].count, 2);
    assert_int_equal(moment->segments.items[2].count, 1);
    sw_moment_unref(moment);
}

static void test_the_fewest_blocks_to_give_back(void **state) {
    (void)state;
    uint64_t seed = 37;
    for (int i = 0; i < 5000; i++) {
        struct sw_moment *moment = random_moment(&seed);
        uint64_t bytes = 1 + next_random(&seed) % 120, least_bytes = 0, least = tried(moment, bytes, &least_bytes);
        struct sw_moment_window window;
        sw_moment_release(moment, bytes, &window);
        assert_int_equal(window.segment == SW_NONE, least == UINT64_MAX);
        if (window.segment != SW_NONE) {
            uint64_t sum = 0, used = 0;
            for (size_t b = window.first; b < window.first + window.count; b++) {
                assert_int_equal(moment->blocks.items[b].segment, window.segment);
                sum += moment->blocks.items[b].size;
                used += taken(&moment->blocks.items[b]);
            }
            assert_true(sum >= bytes && sum == window.bytes);
            assert_int_equal(used, window.used);
            assert_int_equal(used, least);
            assert_int_equal(window.used_bytes, least_bytes);
        }
        sw_moment_unref(moment);
    }
}

static void test_what_differs_comes_to_the_difference(void **state) {
    (void)state;
    uint64_t seed = 73;
    for (int i = 0; i < 500; i++) {
        struct sw_moment *old = random_moment(&seed), *new = random_moment(&seed);
        struct sw_moment_sums before, after;
        struct sw_moment_changes changes = {0};
        struct sw_moment_groups groups = {0};
        sw_moment_sum(old, &before);
        sw_moment_sum(new, &after);
        assert_true(sw_moment_compare(old, new, SW_MOMENT_BY_SIZE, &changes));
        int64_t sum = 0;
        for (size_t c = 0; c < changes.items.count; c++) {
            const struct sw_moment_change *change = &changes.items.items[c];
            assert_true(change->before.count > 0 || change->after.count > 0);
            sum += (int64_t)change->after.bytes - (int64_t)change->before.bytes;
        }
        assert_int_equal(sum, (int64_t)(after.bytes[SW_HELD_USED] + after.bytes[SW_HELD_WAITING]) -
                                  (int64_t)(before.bytes[SW_HELD_USED] + before.bytes[SW_HELD_WAITING]));
        uint64_t grouped = 0;
        assert_true(sw_moment_group_by(new, SW_MOMENT_BY_SIZE, &groups));
        for (size_t g = 0; g < groups.items.count; g++) {
            assert_int_equal(groups.items.items[g].bytes, groups.items.items[g].size * groups.items.items[g].count);
            grouped += groups.items.items[g].bytes;
        }
        assert_int_equal(grouped, after.bytes[SW_HELD_USED] + after.bytes[SW_HELD_WAITING]);
        SW_ARRAY_DONE(&changes.items);
        SW_ARRAY_DONE(&groups.items);
        sw_moment_unref(old);
        sw_moment_unref(new);
    }
}

static void test_blocks_with_addresses_are_buffers(void **state) {
    (void)state;
    struct sw_moment *moment = fresh();
    struct sw_error error = {0};
    segment(moment, 0x9000, 300);
    segment(moment, 0x1000, 200);
    block(moment, 0x9064, 100, SW_HELD_USED);
    block(moment, 0x1000, 200, SW_HELD_FREE);
    settled(moment);
    struct sw_builder *builder = sw_builder_new(&error);
    assert_non_null(builder);
    assert_true(sw_moment_build(moment, builder, &error));
    struct sw_problem *problem = sw_builder_finish(builder, &error);
    assert_non_null(problem);
    assert_ptr_equal(sw_problem_moment(problem), moment);
    assert_int_equal(sw_problem_buffer_count(problem), 1);
    assert_string_equal(sw_problem_buffer(problem, 0)->name, "0x9064");
    assert_int_equal(sw_problem_buffer(problem, 0)->offset, 300);
    uint32_t of = sw_moment_block_of(moment, 0);
    assert_true(of < moment->blocks.count && moment->blocks.items[of].address == 0x9064);
    assert_int_equal(moment->blocks.items[of].buffer, 0);
    assert_int_equal(sw_moment_block_of(moment, 1), SW_NONE);
    assert_int_equal(sw_moment_block_of(moment, SW_NONE), SW_NONE);
    sw_problem_unref(problem);
    sw_builder_free(builder);
    sw_moment_unref(moment);
}

/* Segments that something keeps, and of which half is free at least, are named with what is in them; no others. */
static void test_pins_are_what_every_segment_says(void **state) {
    (void)state;
    uint64_t seed = 11, met = 0;
    for (int i = 0; i < 3000; i++) {
        struct sw_moment *moment = random_moment(&seed);
        struct sw_moment_pins pins = {0};
        size_t expected = 0;
        assert_true(sw_moment_find_pins(moment, &pins));
        for (uint32_t s = 0; s < moment->segments.count; s++) {
            uint64_t bytes[SW_HELD_STATES] = {0}, count = 0;
            const struct sw_moment_segment *of = &moment->segments.items[s];
            for (size_t b = of->first; b < of->first + of->count; b++) {
                bytes[moment->blocks.items[b].state] += moment->blocks.items[b].size;
                count += taken(&moment->blocks.items[b]);
            }
            bool pinned = count > 0 && bytes[SW_HELD_UNTOLD] == 0 && bytes[SW_HELD_FREE] * 2 >= of->size;
            expected += pinned;
            for (size_t p = 0; p < pins.items.count; p++) {
                const struct sw_moment_pinned *pin = &pins.items.items[p];
                if (pin->segment == s) {
                    assert_true(pinned && pin->used == count && pin->free_bytes == bytes[SW_HELD_FREE]);
                    assert_int_equal(pin->used_bytes, of->size - pin->free_bytes);
                }
            }
        }
        assert_int_equal(pins.items.count, expected);
        for (size_t p = 1; p < pins.items.count; p++) {
            const struct sw_moment_pinned *a = &pins.items.items[p - 1], *b = &pins.items.items[p];
            assert_true(a->used_bytes * (b->used_bytes + b->free_bytes) <=
                        b->used_bytes * (a->used_bytes + a->free_bytes));
        }
        met += expected;
        SW_ARRAY_DONE(&pins.items);
        sw_moment_unref(moment);
    }
    assert_true(met > 100);
}

static void held(struct sw_moment *moment, uint32_t segment, uint64_t size, enum sw_held_state state) {
    assert_true(sw_moment_add_block(moment, &(struct sw_moment_block){.address = SW_UNTOLD,
                                                                      .size = size,
                                                                      .requested = SW_UNTOLD,
                                                                      .count = 1,
                                                                      .segment = segment,
                                                                      .state = state}));
}

static void test_a_segment_told_in_part_is_not_called_half_free(void **state) {
    (void)state;
    struct sw_moment *moment = fresh();
    struct sw_moment_pins pins = {0};
    segment(moment, SW_UNTOLD, 100);
    segment(moment, SW_UNTOLD, 30);
    for (uint32_t s = 0; s < 2; s++) {
        held(moment, s, 10, SW_HELD_USED);
        held(moment, s, 20, SW_HELD_FREE);
    }
    settled(moment);
    assert_true(sw_moment_find_pins(moment, &pins));
    assert_int_equal(pins.items.count, 1);
    assert_int_equal(pins.items.items[0].segment, 1);
    SW_ARRAY_DONE(&pins.items);
    sw_moment_unref(moment);
}

static void test_sums_of_one_allocator_are_of_its_own(void **state) {
    (void)state;
    struct sw_moment *moment = fresh();
    struct sw_moment_sums sums;
    const char *names[] = {sw_moment_text(moment, "a", 1), sw_moment_text(moment, "b", 1)};
    for (uint32_t s = 0; s < 2; s++) {
        assert_true(sw_moment_add_segment(
            moment, &(struct sw_moment_segment){.address = s * 1000, .size = 100 + s, .allocator = names[s]}));
        block(moment, s * 1000, 40 + s, SW_HELD_FREE);
        block(moment, s * 1000 + 40 + s, 60, SW_HELD_USED);
        for (uint64_t pool = 0; pool < 100; pool++) { /* the last of one figure counts */
            tell(moment, SW_MOMENT_LIMIT, names[s], 200 + s + 99 - pool, 0);
        }
    }
    settled(moment);
    assert_int_equal(moment->told.count, 2);
    sw_moment_sum_of(moment, names[1], &sums);
    assert_int_equal(sums.figure[SW_MOMENT_RESERVED], 101);
    assert_int_equal(sums.figure[SW_MOMENT_LARGEST_FREE], 41);
    assert_int_equal(sums.figure[SW_MOMENT_WAITING], 0);
    assert_int_equal(sums.figure[SW_MOMENT_LIMIT], 201);
    sw_moment_sum(moment, &sums);
    assert_int_equal(sums.figure[SW_MOMENT_RESERVED], 201);
    assert_int_equal(sums.figure[SW_MOMENT_LIMIT], 401);
    sw_moment_unref(moment);
}

/* Each size that is there more or less often is there once, and no other. */
static void test_changes_are_what_counting_says(void **state) {
    (void)state;
    uint64_t seed = 5;
    for (int i = 0; i < 1000; i++) {
        struct sw_moment *sides[] = {random_moment(&seed), random_moment(&seed)};
        struct sw_moment_changes changes = {0};
        uint64_t count[2][64] = {{0}};
        size_t expected = 0;
        for (int k = 0; k < 2; k++) {
            for (size_t b = 0; b < sides[k]->blocks.count; b++) {
                const struct sw_moment_block *of = &sides[k]->blocks.items[b];
                count[k][of->size % 64] += taken(of); /* sizes of those in use are below 64 */
            }
        }
        for (size_t size = 0; size < 64; size++) {
            expected += count[0][size] != count[1][size];
        }
        assert_true(sw_moment_compare(sides[0], sides[1], SW_MOMENT_BY_SIZE, &changes));
        assert_int_equal(changes.items.count, expected);
        for (size_t c = 0; c < changes.items.count; c++) {
            const struct sw_moment_group *before = &changes.items.items[c].before;
            uint64_t size = before->count ? before->size : changes.items.items[c].after.size;
            assert_int_equal(before->count, count[0][size]);
            assert_int_equal(changes.items.items[c].after.count, count[1][size]);
        }
        SW_ARRAY_DONE(&changes.items);
        sw_moment_unref(sides[0]);
        sw_moment_unref(sides[1]);
    }
}

/* Names of blocks that are also the addresses of others. */
static void test_buffers_have_names_of_their_own(void **state) {
    (void)state;
    static const char *const names[] = {"0x20", "x", "x", NULL};
    struct sw_moment *moment = fresh();
    struct sw_error error = {0};
    for (uint64_t i = 0; i < 4; i++) {
        assert_true(sw_moment_add_block(moment, &(struct sw_moment_block){.address = 0x10 * (i + 1),
                                                                          .size = 16,
                                                                          .requested = SW_UNTOLD,
                                                                          .count = 1,
                                                                          .name = names[i],
                                                                          .segment = SW_NONE}));
    }
    moment->blocks.items[1].name = NULL; /* at 0x20 */
    settled(moment);
    struct sw_builder *builder = sw_builder_new(&error);
    assert_true(sw_moment_build(moment, builder, &error));
    struct sw_problem *problem = sw_builder_finish(builder, &error);
    assert_non_null(problem);
    assert_int_equal(sw_problem_buffer_count(problem), 4);
    sw_problem_unref(problem);
    sw_builder_free(builder);
    sw_moment_unref(moment);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_is_not_told_is_a_block_of_its_own),
        cmocka_unit_test(test_blocks_outside_of_segments_imply_some),
        cmocka_unit_test(test_overlaps_are_refused),
        cmocka_unit_test(test_what_the_text_says_counts_where_it_differs),
        cmocka_unit_test(test_of_several_allocators_only_sums_add_up),
        cmocka_unit_test(test_what_is_told_stays_below_2_to_61),
        cmocka_unit_test(test_blocks_without_addresses_lie_in_the_segments_they_name),
        cmocka_unit_test(test_the_fewest_blocks_to_give_back),
        cmocka_unit_test(test_what_differs_comes_to_the_difference),
        cmocka_unit_test(test_blocks_with_addresses_are_buffers),
        cmocka_unit_test(test_buffers_have_names_of_their_own),
        cmocka_unit_test(test_changes_are_what_counting_says),
        cmocka_unit_test(test_sums_of_one_allocator_are_of_its_own),
        cmocka_unit_test(test_a_segment_told_in_part_is_not_called_half_free),
        cmocka_unit_test(test_pins_are_what_every_segment_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
