/* What the tests of TensorFlow Lite models in strips share: programs of regions, made of nets and planned, and whether
 * a problem that was read is the one that was planned. */
#ifndef SW_UNIT_FIT_PROGRAMS_H
#define SW_UNIT_FIT_PROGRAMS_H

#include "formats/tflite/write/tflite_fit.h"
#include "unit/nets.h"

struct made_program {
    struct sw_problem *problem, *fitted;
    struct sw_fit_program program;
    struct sw_search *search;
};

static inline bool make_program(struct made_program *made, struct sw_problem *problem,
                                const struct sw_fit_region *regions, size_t count, struct sw_fit_refusal *refusal) {
    *made = (struct made_program){.problem = problem};
    return sw_fit_program_make(problem, regions, count, &made->program, refusal);
}

/* The model of a net, read, and its program. */
static inline struct sw_input program_of_net(struct made_program *made, struct flat *flat, const struct net *net,
                                             const struct sw_fit_region *regions, size_t count) {
    struct sw_fit_refusal refusal;
    write_net(flat, net);
    struct sw_input input = text_input((const char *)flat->bytes, flat->count);
    assert_true(make_program(made, load_bytes(input.bytes, input.length), regions, count, &refusal));
    return input;
}

/* The program's problem, planned. */
static inline const struct sw_layout *plan_program(struct made_program *made) {
    struct sw_error error = {0};
    made->fitted = sw_fit_program_problem(&made->program, &error);
    const struct sw_planner *planner = sw_planner_find("first-fit", &error);
    made->search = made->fitted && planner ? sw_search_new(made->fitted, planner, NULL, &error) : NULL;
    if (!made->search || sw_search_run(made->search, 0, NULL, NULL, &error) != SW_STEP_DONE) {
        fail_msg("%s", error.message);
    }
    return sw_search_layout(made->search);
}

static inline void made_program_done(struct made_program *made) {
    sw_search_free(made->search);
    sw_problem_unref(made->fitted);
    sw_fit_program_done(&made->program);
    sw_problem_unref(made->problem);
}

/* ---- what is read back is what was planned ---- */

static inline void same_buffer(const struct sw_problem *wanted, uint32_t number, const struct sw_problem *got,
                               const struct sw_layout *layout) {
    const struct sw_buffer *a = sw_problem_buffer(wanted, number);
    uint32_t found = sw_problem_find_buffer(got, a->name);
    if (found == SW_NONE) {
        fail_msg("%s is not there", a->name);
    }
    const struct sw_buffer *b = sw_problem_buffer(got, found);
    struct sw_placement place;
    assert_true(sw_layout_placement(layout, number, 0, &place));
    if (a->size != b->size || a->first != b->first || a->last != b->last || a->piece_count != b->piece_count ||
        a->kind != b->kind || place.offset != b->offset) {
        fail_msg("%s: %d bytes in %u..%u, %u pieces, at %d; read %d in %u..%u, %u, at %d", a->name, (int)a->size,
                 a->first, a->last, a->piece_count, (int)place.offset, (int)b->size, b->first, b->last, b->piece_count,
                 (int)b->offset);
    }
    assert_memory_equal(a->pieces, b->pieces, a->piece_count * sizeof *a->pieces);
}

static inline void same_problem(const struct sw_problem *wanted, const struct sw_problem *got,
                                const struct sw_layout *layout) {
    assert_int_equal(sw_problem_operator_count(wanted), sw_problem_operator_count(got));
    assert_int_equal(sw_problem_buffer_count(wanted), sw_problem_buffer_count(got));
    assert_int_equal(sw_problem_member_count(wanted), sw_problem_member_count(got));
    for (uint32_t b = 0; b < sw_problem_buffer_count(wanted); b++) {
        same_buffer(wanted, b, got, layout);
    }
    for (uint32_t m = 0; m < sw_problem_member_count(wanted); m++) {
        const struct sw_member *a = sw_problem_member(wanted, m);
        uint32_t found = sw_problem_find_member(got, a->name);
        if (found == SW_NONE) {
            fail_msg("%s is no part of anything", a->name);
        }
        const struct sw_member *b = sw_problem_member(got, found);
        assert_string_equal(sw_problem_buffer(wanted, a->buffer)->name, sw_problem_buffer(got, b->buffer)->name);
        assert_true(a->lo == b->lo && a->hi == b->hi);
    }
    for (uint32_t i = 0; i < sw_problem_operator_count(wanted); i++) {
        const struct sw_operator *a = sw_problem_operator(wanted, i), *b = sw_problem_operator(got, i);
        assert_string_equal(a->kind, b->kind);
        assert_int_equal(a->input_count, b->input_count);
        assert_int_equal(a->output_count, b->output_count);
        if (a->macs != b->macs) {
            fail_msg("%s: %d multiply-adds, not %d", b->name, (int)b->macs, (int)a->macs);
        }
    }
    assert_int_equal(sw_problem_lower_bound(wanted), sw_problem_lower_bound(got));
    assert_true(sw_problem_has_plan(got));
    uint64_t head;
    assert_true(sw_problem_plan_peak(got, &head));
    assert_int_equal(head, sw_layout_peak(layout));
}

#endif
