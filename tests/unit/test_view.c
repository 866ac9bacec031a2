/* Scenes and views: numbers, ticks, labels, and that nothing is lost when blocks are merged. */
#include <stdlib.h>

#include "unit/view.h"
#include "scene_dump.h"
#include "view/scene/short_names.h"

#include <math.h>
#include <string.h>

/* ---- numbers ---- */

static void bytes_are_short(void **state) {
    (void)state;
    static const struct {
        uint64_t bytes;
        const char *shown, *spelled;
    } rows[] = {{0, "0", "0 B"},
                {1, "1", "1 B"},
                {1023, "1023", "1023 B"},
                {1024, "1K", "1 KiB"},
                {1025, "1.00K", "1.00 KiB"},
                {1536, "1.5K", "1.5 KiB"},
                {1792, "1.75K", "1.75 KiB"},
                {10235, "10.0K", "10.0 KiB"},
                {102348, "99.9K", "99.9 KiB"},
                {102375, "100K", "100 KiB"},
                {401408, "392K", "392 KiB"},
                {1023 * 1024 + 512, "1.00M", "1.00 MiB"},
                {1024 * 1024 - 1, "1.00M", "1.00 MiB"},
                {1024 * 1024, "1M", "1 MiB"},
                {8032092, "7.66M", "7.66 MiB"},
                {UINT64_C(1) << 40, "1T", "1 TiB"},
                {(UINT64_C(1) << 50) - 1, "1.00P", "1.00 PiB"},
                {UINT64_C(1) << 60, "1E", "1 EiB"},
                {UINT64_MAX, "16.0E", "16.0 EiB"}};
    char text[24];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_string_equal(sw_show_bytes(rows[i].bytes, text), rows[i].shown);
        assert_string_equal(sw_show_bytes_long(rows[i].bytes, text), rows[i].spelled);
    }
}

/* Whatever the number: at most five characters, and within half a unit of the last digit. */
static void bytes_are_near(void **state) {
    (void)state;
    uint64_t seed = 7;
    for (int i = 0; i < 200000; i++) {
        uint64_t bytes = sw_random(&seed) >> sw_random_below(&seed, 64);
        char text[16], *end;
        sw_show_bytes(bytes, text);
        assert_true(strlen(text) <= 5);
        double value = strtod(text, &end);
        static const char units[] = "KMGTPE";
        const char *at = *end ? strchr(units, *end) : NULL;
        double one = at ? pow(1024, (double)(at - units + 1)) : 1;
        const char *point = strchr(text, '.');
        double digits = point ? (double)(end - point - 1) : 0;
        double most = one * 0.5001 * (point ? pow(10, -digits) : 1);
        assert_true(fabs(value * one - (double)bytes) <= most);
    }
}

static void counts_and_percents(void **state) {
    (void)state;
    char text[32];
    assert_string_equal(sw_show_count(0, text), "0");
    assert_string_equal(sw_show_count(999, text), "999");
    assert_string_equal(sw_show_count(1000, text), "1,000");
    assert_string_equal(sw_show_count(55296, text), "55,296");
    assert_string_equal(sw_show_count(UINT64_MAX, text), "18,446,744,073,709,551,615");
    assert_string_equal(sw_show_percent(0.111, true, text), "+11.1%");
    assert_string_equal(sw_show_percent(0.111, false, text), "11.1%");
    assert_string_equal(sw_show_percent(-0.25, false, text), "-25.0%");
    assert_string_equal(sw_show_percent(0, true, text), "0.0%");
    assert_string_equal(sw_show_percent(1e-9, true, text), "+<0.1%");
    assert_string_equal(sw_show_percent(-1e-9, true, text), "-<0.1%");
    assert_string_equal(sw_show_percent(9.9999, true, text), "+1000%");
    assert_string_equal(sw_show_percent(1e30, true, text), "+>9999999%");
    assert_string_equal(sw_show_percent(INFINITY, false, text), ">9999999%");
    assert_string_equal(sw_show_percent(NAN, true, text), "-");
}

/* ---- ticks ---- */

static void check_ticks(double lo, double hi, unsigned most, bool bytes) {
    struct sw_scene scene = {0};
    struct sw_axis axis = {.lo = lo, .hi = hi};
    sw_axis_ticks(&scene, &axis, most, bytes);
    assert_true(axis.ticks.count <= most);
    for (size_t i = 0; i < axis.ticks.count; i++) {
        assert_true(axis.ticks.items[i].at >= lo && axis.ticks.items[i].at <= hi);
        assert_true(i == 0 || axis.ticks.items[i].at > axis.ticks.items[i - 1].at);
        assert_true(strlen(axis.ticks.items[i].label) > 0);
        assert_true(!bytes || strlen(axis.ticks.items[i].label) <= 6);
    }
    SW_ARRAY_DONE(&axis.ticks);
    sw_scene_done(&scene);
}

static void ticks_are_round(void **state) {
    (void)state;
    static const struct {
        double lo, hi;
        unsigned most;
        bool bytes;
        const char *labels;
    } rows[] = {{0, 74, 8, false, "0 10 20 30 40 50 60 70"},
                {0, 6, 10, false, "0 1 2 3 4 5 6"},
                {0, 1, 5, false, "0 1"},
                {95, 131, 4, false, "100 110 120 130"},
                {-30, 30, 5, false, "-20 0 20"},
                {0, 300000, 5, true, "0 64K 128K 192K 256K"},
                {0, 2300000, 5, true, "0 512K 1M 1.5M 2M"},
                {1100000, 1300000, 4, true, "1088K 1152K 1216K"},
                {0, 100, 4, true, "0 32 64 96"},
                {5, 5, 4, true, ""},
                {0, 10, 0, false, ""}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct sw_scene scene = {0};
        struct sw_axis axis = {.lo = rows[i].lo, .hi = rows[i].hi};
        char text[256] = "";
        sw_axis_ticks(&scene, &axis, rows[i].most, rows[i].bytes);
        for (size_t t = 0; t < axis.ticks.count; t++) {
            strcat(text, t ? " " : "");
            strcat(text, axis.ticks.items[t].label);
        }
        assert_string_equal(text, rows[i].labels);
        SW_ARRAY_DONE(&axis.ticks);
        sw_scene_done(&scene);
    }
    uint64_t seed = 3;
    for (int i = 0; i < 5000; i++) {
        double lo = (double)(sw_random(&seed) >> (3 + sw_random_below(&seed, 61)));
        double span = (double)(1 + (sw_random(&seed) >> (3 + sw_random_below(&seed, 60))));
        check_ticks(lo, lo + span, 1 + (unsigned)sw_random_below(&seed, 20), i % 2 == 0);
    }
    check_ticks(0, 0x1p61, 10, true);
    check_ticks(-0x1p62, 0x1p62, 10, false);
}

/* ---- text ---- */

static void joined(const char *const *labels, char *text) {
    text[0] = '\0';
    for (size_t i = 0; labels[i]; i++) {
        assert_true(i == 0 || strlen(labels[i]) < strlen(labels[i - 1]));
        strcat(strcat(text, i ? "|" : ""), labels[i]);
        if (!*labels[i]) {
            assert_null(labels[i + 1]);
        }
    }
}

static void labels_get_shorter(void **state) {
    (void)state;
    static const char *const rows[][2] = {
        {"conv3_out", "conv3_out|conv3|c3|"},
        {"concat_23", "concat_23|c23|"},
        {"layer1_0_conv3", "layer1_0_conv3|l1_0_conv3|l1_0_c3|"},
        {"l1_scores", "l1_scores|l1_s|"},
        {"branch_a_out", "branch_a_out|branch_a|b_a|"},
        {"out", "out|"},
        {"17", "17|"},
        {"t17", "t17|"},
        {"input", "input|"},
        {"model/layer1/conv_2/Relu", "model/layer1/conv_2/Relu|Relu|"},
        {"MobilenetV1/Conv2d_0/BiasAdd;MobilenetV1/Conv2d_0/Relu6",
         "MobilenetV1/Conv2d_0/BiasAdd;MobilenetV1/Conv2d_0/Relu6|Relu6|R6|"},
        {"a/", "a/|a|"},
        {"__", "__|"},
        /* Marks stay with their letters. */
        {"a/\u0301b", "a/\u0301b|"},
        {"z\u0301_1", "z\u0301_1|z\u03011|"},
    };
    struct sw_scene scene = {0};
    char text[256];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        joined(sw_scene_labels(&scene, rows[i][0]), text);
        assert_string_equal(text, rows[i][1]);
    }
    assert_string_equal(sw_scene_labels(&scene, "")[0], "");
    /* Names of any bytes: every alternative is clean. */
    uint64_t seed = 11;
    for (int i = 0; i < 20000; i++) {
        char name[24];
        size_t length = sw_random_below(&seed, sizeof name);
        for (size_t c = 0; c < length; c++) {
            static const char some[] = "ab1_/;.\x1b\xc3\xa9\xe2\x80\xae\x7f\xff ";
            name[c] = some[sw_random_below(&seed, sizeof some - 1)];
        }
        name[length] = '\0';
        const char *const *labels = sw_scene_labels(&scene, name);
        for (size_t k = 0; labels[k]; k++) {
            assert_ptr_equal(sw_scene_clean(&scene, labels[k]), labels[k]);
        }
    }
    sw_scene_done(&scene);
}

static void text_is_cleaned(void **state) {
    (void)state;
    struct sw_scene scene = {0};
    assert_string_equal(sw_scene_clean(&scene, "a\x1b[31mb"), "a?[31mb");
    assert_string_equal(sw_scene_clean(&scene, "\xc2\x9b"
                                               "1m"),
                        "?1m"); /* C1 */
    assert_string_equal(sw_scene_clean(&scene, "a\xe2\x80\xae"
                                               "b"),
                        "a?b");                                                   /* right-to-left */
    assert_string_equal(sw_scene_clean(&scene, "\xff\xc3"), "??");                /* broken */
    assert_string_equal(sw_scene_clean(&scene, "\xc0\xaf\xed\xa0\x80"), "?????"); /* overlong */
    assert_string_equal(sw_scene_clean(&scene, "gr\xc3\xbc\xc3\x9f"), "gr\xc3\xbc\xc3\x9f");
    assert_string_equal(sw_scene_clean(&scene, NULL), "");
    /* What joins emoji and letters, on paper only, and only between them. */
    assert_string_equal(sw_scene_clean(&scene, "\U0001f469\u200d\U0001f52c"), "\U0001f469?\U0001f52c");
    scene.joins = true;
    assert_string_equal(sw_scene_clean(&scene, "\U0001f469\u200d\U0001f52c"), "\U0001f469\u200d\U0001f52c");
    assert_string_equal(sw_scene_clean(&scene, "\u0646\u200c\u0647"), "\u0646\u200c\u0647");
    assert_string_equal(sw_scene_clean(&scene, "a\u200db\u200d"), "a?b?");
    assert_string_equal(sw_scene_clean(&scene, "\U0001f469\u200d\u200d"), "\U0001f469??");
    scene.joins = false;
    assert_string_equal(sw_scene_printf(&scene, "%s\n", "x\ty"), "x?y?");
    sw_scene_done(&scene);
}

/* ---- nothing is lost ---- */

static const struct sw_panel *panel_of(const struct sw_scene *scene, const char *id) {
    for (size_t i = 0; i < scene->panels.count; i++) {
        if (!strcmp(scene->panels.items[i].id, id)) {
            return &scene->panels.items[i];
        }
    }
    fail_msg("no panel %s", id);
    return NULL;
}

/* Blocks of which a piece meets the viewport, counted the simple way. */
static uint64_t visible(const struct sw_view_input *in) {
    const struct sw_problem *problem = sw_search_problem(in->run.search);
    uint64_t count = 0;
    for (uint32_t b = 0; b < sw_problem_buffer_count(problem); b++) {
        const struct sw_buffer *buffer = sw_problem_buffer(problem, b);
        struct sw_placement placement;
        bool seen = false;
        if (!sw_layout_placement(sw_search_layout(in->run.search), b, 0, &placement)) {
            continue;
        }
        for (uint32_t p = 0; p < buffer->piece_count; p++) {
            const struct sw_piece *piece = &buffer->pieces[p];
            seen |= piece->first < in->look.viewport.time_hi && piece->last + 1 > in->look.viewport.time_lo &&
                    (double)(placement.offset + piece->lo) < in->look.viewport.bytes_hi &&
                    (double)(placement.offset + piece->hi) > in->look.viewport.bytes_lo;
        }
        count += seen;
    }
    return count;
}

static void check_counts(const struct sw_view_input *in) {
    struct sw_scene scene = {0};
    uint32_t buffers = sw_problem_buffer_count(sw_search_problem(in->run.search));
    bool *drawn = calloc(buffers, 1);
    uint64_t count = 0, hidden = 0;
    sw_view_find("layout", NULL)->build(in, &scene, (struct sw_box){0, 0, in->width, in->height});
    assert_false(scene.failed);
    const struct sw_panel *map = panel_of(&scene, "map");
    for (size_t i = 0; i < map->marks.count; i++) {
        const struct sw_mark *mark = &map->marks.items[i];
        if (mark->kind == SW_MARK_RECT && mark->item.kind == SW_ITEM_MERGED) {
            hidden += mark->hidden;
            assert_int_equal(mark->item.id, mark->hidden);
            assert_in_range(mark->pattern, 1, 4);
        } else if (mark->kind == SW_MARK_RECT && mark->item.kind == SW_ITEM_BUFFER) {
            count += !drawn[mark->item.id];
            drawn[mark->item.id] = true;
        }
    }
    assert_int_equal(count + hidden, visible(in));
    free(drawn);
    sw_scene_done(&scene);
}

static void every_block_counts_once(void **state) {
    (void)state;
    static const double sizes[][2] = {{20, 5}, {40, 10}, {80, 24}, {200, 60}};
    uint64_t seed = 5;
    for (uint64_t round = 0; round < 6; round++) {
        struct sw_problem *problem = random_problem(round, round < 3 ? 60 : 3000);
        struct sw_search *search = must_run(problem, "best-fit");
        for (size_t s = 0; s < 4; s++) {
            struct sw_view_input in = look_at(search, sizes[s][0], sizes[s][1]);
            check_counts(&in);
            in.look.selected = (uint32_t)sw_random_below(&seed, sw_problem_buffer_count(problem));
            check_counts(&in);
            for (int zoom = 0; zoom < 5; zoom++) {
                in.look.viewport.time_lo = (double)sw_random_below(&seed, 50);
                in.look.viewport.time_hi = in.look.viewport.time_lo + 1 + (double)sw_random_below(&seed, 50);
                in.look.viewport.bytes_lo = (double)sw_random_below(&seed, 100000);
                in.look.viewport.bytes_hi = in.look.viewport.bytes_lo + 1 + (double)sw_random_below(&seed, 100000);
                check_counts(&in);
                in.look.raw_time = zoom % 2;
            }
        }
        sw_search_free(search);
        sw_problem_unref(problem);
    }
}

/* However coarse the curve: the largest value stays, bars do not meet and cover all steps. */
static void live_curve_keeps_the_peak(void **state) {
    (void)state;
    struct sw_problem *problem = random_problem(9, 2000);
    struct sw_search *search = must_run(problem, "first-fit");
    const uint64_t *profile = sw_problem_profile(problem);
    for (double width = 8; width < 400; width += 7) {
        struct sw_view_input in = look_at(search, width, 6);
        struct sw_scene scene = {0};
        double most = 0, real = 0, end = -1;
        if ((int)width % 2) {
            in.look.viewport.time_lo = 100;
            in.look.viewport.time_hi = 900;
        }
        for (uint32_t i = (uint32_t)in.look.viewport.time_lo; i < in.look.viewport.time_hi; i++) {
            real = fmax(real, (double)profile[i]);
        }
        sw_view_find("live", NULL)->build(&in, &scene, (struct sw_box){0, 0, width, 6});
        const struct sw_panel *live = panel_of(&scene, "live");
        for (size_t i = 0; i < live->marks.count; i++) {
            const struct sw_mark *mark = &live->marks.items[i];
            if (mark->kind == SW_MARK_BAR) {
                assert_true(mark->x0 >= end);
                end = mark->x1;
                most = fmax(most, mark->y1);
            }
        }
        assert_true(most == real);
        sw_scene_done(&scene);
    }
    sw_search_free(search);
    sw_problem_unref(problem);
}

/* ---- screens ---- */

static void check_inside(const struct sw_scene *scene, double width, double height) {
    for (size_t i = 0; i < scene->panels.count; i++) {
        const struct sw_panel *panel = &scene->panels.items[i];
        assert_true(panel->left >= 0 && panel->top >= 0);
        assert_true(panel->left + panel->width <= width);
        assert_true(panel->top + panel->height <= height);
        if (panel->kind == SW_PANEL_PLOT) {
            assert_true(panel->body_left >= panel->left && panel->body_top >= panel->top);
            assert_true(panel->body_left + panel->body_width <= panel->left + panel->width);
            assert_true(panel->body_top + panel->body_height <= panel->top + panel->height);
            assert_true(panel->x.hi > panel->x.lo && panel->y.hi > panel->y.lo);
        } else {
            assert_true((double)panel->rows.count <= panel->height);
        }
        for (size_t k = i + 1; k < scene->panels.count; k++) {
            const struct sw_panel *other = &scene->panels.items[k];
            assert_false(panel->left < other->left + other->width && other->left < panel->left + panel->width &&
                         panel->top < other->top + other->height && other->top < panel->top + panel->height);
        }
    }
}

static void screens_of_any_size(void **state) {
    (void)state;
    static const struct sw_hint hints[] = {{"s", "step"}, {"n", "next operator"}, {"?", "help"}};
    struct sw_problem *problem = random_problem(2, 40);
    struct sw_search *search = must_run(problem, "best-fit");
    struct sw_explanation explanation = {0};
    struct sw_scene scene = {0};
    for (uint64_t step = 0; step <= sw_search_known(search); step += 9) {
        assert_true(sw_search_seek(search, step, NULL));
        assert_true(step == 0 || sw_search_explain(search, step, &explanation, NULL));
        for (int size = 0; size < 600; size++) {
            struct sw_view_input in = look_at(search, 1 + size % 211, 1 + (size * 7) % 61);
            in.run.explanation = step ? &explanation : NULL;
            in.look.ghosts = true;
            in.look.cursor = 3;
            in.look.hints = hints;
            in.look.hint_count = 3;
            sw_scene_clear(&scene);
            sw_view_screen(&in, &scene, size % 3 ? NULL : "said", size % 2);
            assert_false(scene.failed);
            check_inside(&scene, in.width, in.height);
        }
    }
    sw_explanation_done(&explanation);
    sw_scene_done(&scene);
    sw_search_free(search);
    sw_problem_unref(problem);
}

static void views_are_found(void **state) {
    (void)state;
    struct sw_error error = {0};
    for (size_t i = 0; i < sw_view_count(); i++) {
        assert_ptr_equal(sw_view_find(sw_view_get(i)->name, &error), sw_view_get(i));
    }
    assert_null(sw_view_find("nothing", &error));
    assert_non_null(strstr(error.message, "there is no view 'nothing'; there are: layout, live, "));
    for (size_t i = 0; i < sw_view_count(); i++) {
        assert_non_null(strstr(error.message, sw_view_get(i)->name));
    }
    assert_null(sw_view_get(sw_view_count()));
}

/* A scene that ran out of memory says so and leaks nothing, wherever it happens. */
static void memory_can_end(void **state) {
    (void)state;
    struct sw_problem *problem = random_problem(4, 400);
    struct sw_search *search = must_run(problem, "best-fit");
    struct sw_view_input in = look_at(search, 120, 30);
    struct starve starve;
    bool done = false;
    sw_mem_hook(starved, &starve);
    for (long limit = 0; !done; limit++) {
        struct sw_scene scene = {0};
        struct sw_sink sink = {0};
        starve.left = limit;
        sw_view_screen(&in, &scene, NULL, false);
        done = !scene.failed;
        scene_dump(&scene, &sink);
        sw_sink_done(&sink);
        sw_scene_done(&scene);
        assert_true(limit < 10000);
    }
    sw_mem_hook(NULL, NULL);
    sw_search_free(search);
    sw_problem_unref(problem);
}

/* The card of a block says where it was asked for: the first few frames, a line each. */
static void the_card_shows_the_origin(void **state) {
    (void)state;
    struct sw_builder *builder = sw_builder_new(NULL);
    struct sw_buffer_spec spec = {.name = "b",
                                  .kind = SW_KIND_INTERMEDIATE,
                                  .has_size = true,
                                  .size = 8,
                                  .has_first = true,
                                  .has_last = true,
                                  .origin = "one (a.py:1)\ntwo\nthree\nfour\nfive"};
    assert_true(sw_builder_buffer(builder, &spec, NULL));
    struct sw_problem *problem = must_finish(builder);
    struct sw_search *search = must_run(problem, "best-fit");
    struct sw_view_input in = look_at(search, 120, 30);
    struct sw_scene scene = {0};
    struct sw_sink sink = {0};
    sw_view_screen(&in, &scene, NULL, false);
    scene_dump(&scene, &sink);
    sw_sink_add(&sink, "", 1);
    const char *const shown[] = {"at one (a.py:1)", "   two", "   three", "   four"};
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++) {
        if (!strstr(sink.text.items, shown[i])) {
            fail_msg("no %s in\n%s", shown[i], sink.text.items);
        }
    }
    assert_null(strstr(sink.text.items, "five"));
    sw_sink_done(&sink);
    sw_scene_done(&scene);
    sw_search_free(search);
    sw_problem_unref(problem);
}

/* Names that are cut to few letters stay apart where any letters that they lose could tell them apart. */
static void names_stay_apart(void **state) {
    static const char *const sets[][4] = {
        {"branch_a_out", "branch_b_out", "branch_c2_out", NULL},
        {"weight_of_layer_1", "weight_of_layer_2", "weight_of_layer_13", NULL},
        {"1_in_the_first_block", "2_in_the_first_block", "3_in_the_first_block", NULL},
        {"schön_ä_aus", "schön_ö_aus", "schön_üü_aus", NULL}};
    static const unsigned widths[] = {10, 8, 8, 10};
    (void)state;
    for (size_t s = 0; s < sizeof sets / sizeof *sets; s++) {
        struct sw_short names = {.items = sets[s], .count = 3};
        char cut[3][64];
        sw_short_open(&names);
        for (size_t i = 0; i < 3; i++) {
            sw_short_name(&names, sets[s][i], widths[s], cut[i], sizeof cut[i]);
            assert_true(sw_view_columns(cut[i]) <= widths[s]);
            for (size_t k = 0; k < i; k++) {
                assert_string_not_equal(cut[i], cut[k]);
            }
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_are_short),         cmocka_unit_test(bytes_are_near),
        cmocka_unit_test(counts_and_percents),     cmocka_unit_test(ticks_are_round),
        cmocka_unit_test(labels_get_shorter),      cmocka_unit_test(text_is_cleaned),
        cmocka_unit_test(every_block_counts_once), cmocka_unit_test(live_curve_keeps_the_peak),
        cmocka_unit_test(screens_of_any_size),     cmocka_unit_test(views_are_found),
        cmocka_unit_test(memory_can_end),          cmocka_unit_test(the_card_shows_the_origin),
        cmocka_unit_test(names_stay_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
