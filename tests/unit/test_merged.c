/* Blocks that are too small to draw, beside the same counted the simple way: each merged area is as full as it looks,
 * has the color of most of it, and says what lies there; each block is drawn or counted in exactly one of them. */
#include <stdlib.h>

#include "unit/view.h"
#include "base/base.h"
#include "view/map/color_classes.h"
#include "view/view_internal.h"
#include "view/web/web_data.h"

#include <math.h>
#include <string.h>

/* Marks of coverage are whole parts of one. */
static const double NEAR = 2e-3;

struct counted_area {
    double full, classes[SW_HUES];
    uint32_t count, hidden;
    uint64_t bytes;
    uint32_t largest[SW_MERGED_NAMED];
};

struct small_piece {
    uint32_t buffer;
    double x0, x1, y0, y1; /* clipped, in marks */
};

static struct sw_problem *simple_problem(uint64_t seed, uint32_t count) {
    struct sw_builder *builder = sw_builder_new(NULL);
    struct sw_error error = {0};
    for (uint32_t i = 0; i < count; i++) {
        char name[48];
        snprintf(name, sizeof name, "b%u", i);
        int64_t first = (int64_t)sw_random_below(&seed, count), last = first;
        last += (int64_t)sw_random_below(&seed, i % 7 ? 5 : 1 + count / 3);
        struct sw_buffer_spec spec = {.name = name,
                                      .kind = (enum sw_kind)(i % 5),
                                      .has_size = true,
                                      .size = 1 + sw_random_below(&seed, i % 9 ? 300 : 40000),
                                      .has_first = true,
                                      .has_last = true,
                                      .first = first,
                                      .last = last};
        if (!sw_builder_buffer(builder, &spec, &error)) {
            fail_msg("%s", error.message);
        }
    }
    struct sw_problem *problem = sw_builder_finish(builder, &error);
    sw_builder_free(builder);
    assert_non_null(problem);
    return problem;
}

/* All pieces in view that are smaller than a mark; room for four a buffer. */
static size_t list_small(const struct sw_view_input *in, const struct sw_space *space, struct small_piece *pieces) {
    const struct sw_problem *problem = sw_search_problem(in->run.search);
    const struct sw_layout *layout = sw_search_layout(in->run.search);
    /* Drawn in any case: what sets the peak, on a screen what was decided last. */
    uint32_t highest =
        in->medium == SW_ON_PAGE ? sw_layout_highest(layout, 0) : sw_search_decision(in->run.search)->buffer;
    size_t count = 0;
    for (uint32_t b = 0; b < sw_problem_buffer_count(problem); b++) {
        const struct sw_buffer *buffer = sw_problem_buffer(problem, b);
        struct sw_placement place;
        for (uint32_t p = 0; p < buffer->piece_count && sw_layout_placement(layout, b, 0, &place); p++) {
            const struct sw_piece *piece = &buffer->pieces[p];
            double x0 = ((double)piece->first - space->x_lo) * space->x_scale;
            double x1 = (piece->last + 1.0 - space->x_lo) * space->x_scale;
            double y0 = ((double)(place.offset + piece->lo) - space->y_lo) * space->y_scale;
            double y1 = ((double)(place.offset + piece->hi) - space->y_lo) * space->y_scale;
            if (b != highest && (x1 - x0 < 1 || y1 - y0 < 1)) {
                struct small_piece small = {b, fmax(x0, 0), fmin(x1, space->columns), fmax(y0, 0),
                                            fmin(y1, space->rows)};
                pieces[count] = small;
                count += small.x0 < small.x1 && small.y0 < small.y1;
            }
        }
    }
    return count;
}

static uint32_t larger_buffer(const struct sw_problem *problem, uint32_t a, uint32_t b) {
    uint64_t of_a = a == SW_NONE ? 0 : sw_problem_buffer(problem, a)->size;
    uint64_t of_b = b == SW_NONE ? 0 : sw_problem_buffer(problem, b)->size;
    return of_a != of_b ? (of_a > of_b ? a : b) : SW_MIN(a, b);
}

static void count_in_area(const struct sw_problem *problem, const struct sw_color_classes *classes,
                          const struct small_piece *pieces, size_t count, const double area[4],
                          struct counted_area *told) {
    uint8_t *seen = calloc(sw_problem_buffer_count(problem), 1);
    *told = (struct counted_area){.largest = {SW_NONE, SW_NONE, SW_NONE}};
    for (size_t i = 0; i < count; i++) {
        const struct small_piece *piece = &pieces[i];
        double wide = fmin(piece->x1, area[1]) - fmax(piece->x0, area[0]);
        double high = fmin(piece->y1, area[3]) - fmax(piece->y0, area[2]);
        double x = floor((piece->x0 + piece->x1) / 2), y = floor((piece->y0 + piece->y1) / 2);
        if (wide <= 0 || high <= 0) {
            continue;
        }
        double part = wide * high / ((area[1] - area[0]) * (area[3] - area[2]));
        told->full += part;
        told->classes[classes->bases ? classes->bases[piece->buffer] % SW_HUES : 0] += part;
        told->hidden += x >= area[0] && x < area[1] && y >= area[2] && y < area[3];
        if (!seen[piece->buffer]) {
            seen[piece->buffer] = 1;
            told->count++;
            told->bytes += sw_problem_buffer(problem, piece->buffer)->size;
        }
    }
    for (int k = 0; k < SW_MERGED_NAMED; k++) {
        for (uint32_t b = 0; b < sw_problem_buffer_count(problem); b++) {
            told->largest[k] = seen[b] ? larger_buffer(problem, told->largest[k], b) : told->largest[k];
        }
        if (told->largest[k] != SW_NONE) {
            seen[told->largest[k]] = 0;
        }
    }
    free(seen);
}

static void check_area(const struct sw_view_input *in, const struct sw_panel *panel, const struct sw_mark *mark,
                       const struct sw_color_classes *classes, const struct counted_area *real, bool simple) {
    const struct sw_merged *told = &panel->merged.items[mark->told - 1];
    if (fabs(real->full - told->full) > 1e-9 || real->count != told->count || real->bytes != told->bytes) {
        fail_msg("%u blocks of %llu bytes, %.4f full, told as %u of %llu, %.4f", real->count,
                 (unsigned long long)real->bytes, real->full, told->count, (unsigned long long)told->bytes, told->full);
    }
    if (real->full > mark->pattern / 4.0 + NEAR || real->full < (mark->pattern - 1) / 4.0 - NEAR) {
        fail_msg("%.4f full, drawn as %u quarters", real->full, mark->pattern);
    }
    unsigned most = 0;
    for (unsigned class = 0; class < SW_HUES; class ++) {
        assert_true(fabs(real->classes[class] - told->classes[class]) < 1e-9);
        most = real->classes[class] > real->classes[most] ? class : most;
    }
    bool scale = classes->by == SW_COLOR_SIZE || classes->by == SW_COLOR_LIFETIME;
    if (classes->bases) {
        unsigned drawn = mark->hue - 1u - (scale ? SW_HUES : 0);
        assert_in_range(drawn, 0, SW_HUES - 1);
        assert_true(real->classes[drawn] > real->classes[most] - NEAR);
    } else {
        assert_int_equal(mark->hue, 0);
    }
    assert_memory_equal(real->largest, told->largest, sizeof told->largest);
    assert_true(mark->hidden <= told->count);
    assert_true(!simple || mark->hidden == real->hidden);
    struct sw_scene words = {.joins = true};
    char start[40];
    snprintf(start, sizeof start, "%s too small to draw", SW_COUNTED(told->count, "block"));
    assert_memory_equal(sw_web_tell(&words, panel, mark), start, strlen(start));
    assert_non_null(strstr(sw_web_tell(&words, panel, mark),
                           sw_problem_buffer(sw_search_problem(in->run.search), told->largest[0])->name));
    sw_scene_done(&words);
}

static size_t check_map(const struct sw_view_input *in, bool simple) {
    const struct sw_problem *problem = sw_search_problem(in->run.search);
    struct sw_scene scene = {0};
    struct sw_color_classes classes;
    size_t areas = 0, hidden = 0, drawn = 0;
    uint8_t *has_mark = calloc(sw_problem_buffer_count(problem), 1);
    struct small_piece *pieces = calloc(sw_problem_buffer_count(problem), 4 * sizeof *pieces);
    assert_true(sw_color_classes_of(&classes, problem, NULL, in->look.coloring));
    sw_view_build_map(in, &scene, (struct sw_box){0, 0, in->width, in->height}, true);
    assert_false(scene.failed);
    const struct sw_panel *panel = &scene.panels.items[0];
    const struct sw_space space = sw_view_space(in, panel);
    size_t count = list_small(in, &space, pieces);
    for (size_t i = 0; i < panel->marks.count; i++) {
        const struct sw_mark *mark = &panel->marks.items[i];
        if (mark->kind == SW_MARK_RECT && mark->item.kind == SW_ITEM_BUFFER) {
            drawn += !has_mark[mark->item.id];
            has_mark[mark->item.id] = 1;
        } else if (mark->kind == SW_MARK_RECT && mark->item.kind == SW_ITEM_MERGED) {
            const double area[4] = {
                round((mark->x0 - space.x_lo) * space.x_scale), round((mark->x1 - space.x_lo) * space.x_scale),
                round((mark->y0 - space.y_lo) * space.y_scale), round((mark->y1 - space.y_lo) * space.y_scale)};
            struct counted_area real;
            count_in_area(problem, &classes, pieces, count, area, &real);
            check_area(in, panel, mark, &classes, &real, simple);
            areas++;
            hidden += mark->hidden;
        }
    }
    assert_int_equal(drawn + hidden, sw_problem_planned_count(problem));
    sw_color_classes_done(&classes);
    sw_scene_done(&scene);
    free(pieces);
    free(has_mark);
    return areas;
}

static void areas_are_what_they_look_like(void **state) {
    (void)state;
    static const double papers[][2] = {{320, 200}, {595, 842}, {842, 595}, {1120, 630}, {80, 24}};
    static const enum sw_coloring colorings[] = {SW_COLOR_SIZE, SW_COLOR_KIND, SW_COLOR_LIFETIME, SW_COLOR_IDENTITY};
    size_t areas = 0;
    for (uint64_t round = 0; round < 6; round++) {
        bool simple = round % 2 == 0;
        uint32_t count = round < 2 ? 90 : 700;
        struct sw_problem *problem = simple ? simple_problem(round, count) : random_problem(round, count);
        struct sw_search *search = must_run(problem, round < 4 ? "first-fit" : "greedy-by-size");
        for (size_t paper = 0; paper < sizeof papers / sizeof *papers; paper++) {
            struct sw_view_input in = look_at(search, papers[paper][0], papers[paper][1]);
            bool cells = papers[paper][0] < 100;
            in.medium = cells ? SW_ON_CELLS : SW_ON_PAGE;
            in.marks_per_unit_x = cells ? 1 : 0.25;
            in.marks_per_unit_y = cells ? 2 : 0.25;
            in.points = true;
            in.look.coloring = colorings[(round + paper) % (sizeof colorings / sizeof *colorings)];
            in.look.tier = 0;
            areas += check_map(&in, simple);
        }
        sw_search_free(search);
        sw_problem_unref(problem);
    }
    assert_true(areas > 2000);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(areas_are_what_they_look_like)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
