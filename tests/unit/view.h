/* What tests of views and pictures share: a run of a planner on a problem, ready to look at. */
#ifndef SW_UNIT_VIEW_H
#define SW_UNIT_VIEW_H

#include "unit/unit.h"

#include "formats/format.h"
#include "view/view.h"

/* To its end. */
static inline struct sw_search *must_run(const struct sw_problem *problem, const char *planner) {
    struct sw_error error = {0};
    struct sw_search *search = sw_search_new(problem, sw_planner_find(planner, &error), NULL, &error);
    if (!search || sw_search_run(search, 0, NULL, NULL, &error) != SW_STEP_DONE) {
        fail_msg("%s", error.message);
    }
    return search;
}

static inline struct sw_view_input look_at(const struct sw_search *search, double width, double height) {
    return (struct sw_view_input){.run.search = search,
                                  .run.input_name = "some/where/model.json",
                                  .run.input_digest = 0x1234,
                                  .look.selected = SW_NONE,
                                  .look.cursor = SW_NONE,
                                  .look.candidate = SW_NONE,
                                  .look.viewport = sw_viewport_all(search, 0),
                                  .width = width,
                                  .height = height,
                                  .marks_per_unit_x = 1,
                                  .marks_per_unit_y = 2};
}

/* Buffers of all shapes, some of them with holes and byte windows. */
static inline struct sw_problem *random_problem(uint64_t seed, uint32_t count) {
    struct sw_builder *builder = sw_builder_new(NULL);
    struct sw_error error = {0};
    for (uint32_t i = 0; i < count; i++) {
        char name[48];
        if (i % 5) {
            snprintf(name, sizeof name, "layer%u/conv_%u", i / 7, i);
        } else {
            snprintf(name, sizeof name, "t%u", i);
        }
        int64_t first = (int64_t)sw_random_below(&seed, count);
        int64_t last = first + (int64_t)sw_random_below(&seed, i % 3 ? 4 : 40);
        uint64_t size = 64 * (1 + sw_random_below(&seed, i % 11 ? 20 : 2000));
        struct sw_piece_spec pieces[2] = {{first, first, 0, size}, {last + 2, last + 3, 0, size / 2}};
        struct sw_buffer_spec spec = {
            .name = name, .kind = i % 13 ? SW_KIND_INTERMEDIATE : SW_KIND_SCRATCH, .has_size = true, .size = size};
        if (i % 4 == 0) {
            spec.pieces = pieces;
            spec.piece_count = 2;
        } else {
            spec.has_first = spec.has_last = true;
            spec.first = first;
            spec.last = last;
        }
        if (!sw_builder_buffer(builder, &spec, &error)) {
            fail_msg("%s", error.message);
        }
    }
    return must_finish(builder);
}

/* Fails every allocation from number `left` on. */
struct starve {
    long left;
};
static inline void *starved(void *context, void *pointer, size_t old_size, size_t new_size) {
    struct starve *starve = context;
    (void)old_size;
    if (new_size == 0) {
        free(pointer);
        return NULL;
    }
    return starve->left-- > 0 ? realloc(pointer, new_size) : NULL;
}

#endif
