/* Notes for pictures: reading them, and where on a page the things are that they speak of. */
#include <stdlib.h>

#include "unit/formats.h"
#include "unit/view.h"

#include "formats/notes.h"

static struct sw_problem *problem;
static struct sw_search *search;

static const char graph[] = "{\"format\":\"stowage-graph\",\"version\":1,\"operators\":["
                            "{\"name\":\"o0\"},{\"name\":\"o1\"},{\"name\":\"o2\"},{\"name\":\"o3\"},"
                            "{\"name\":\"o4\"},{\"name\":\"o5\"},{\"name\":\"o6\"},{\"name\":\"o7\"}],\"buffers\":["
                            "{\"name\":\"a\",\"size\":65536,\"first\":0,\"last\":3},"
                            "{\"name\":\"b\",\"size\":1024,\"first\":2,\"last\":7}]}";

static void everything(void **state) {
    (void)state;
    static const char text[] = "{\"notes\":[{\"text\":\"one\\ntwo\",\"buffer\":\"b\"},\n"
                               "{\"text\":\"x\",\"step\":7,\"address\":\"64k\",\"arrow\":false},\n"
                               "{\"text\":\"y\",\"step\":1,\"address\":20,\"at\":[0.25,1]},\n"
                               "{\"text\":\"z\",\"at\":[0,0],\"x-own\":[]}]}";
    struct sw_notes notes = {0};
    struct sw_error error = {0};
    struct sw_input input = text_input(text, strlen(text));
    assert_true(sw_notes_read(&input, problem, 16, &notes, &error));
    const struct sw_note *n = notes.items.items;
    assert_int_equal(notes.items.count, 4);
    assert_string_equal(n[0].text, "one two");
    assert_int_equal(n[0].buffer, sw_problem_find_buffer(problem, "b"));
    assert_true(n[0].arrow && !n[0].has_at && n[0].step == SW_NONE);
    assert_true(n[1].step == 7 && n[1].has_address && n[1].address == 65536 - 16 && !n[1].arrow);
    assert_true(n[2].address == 4 && n[2].has_at && n[2].x == 0.25 && n[2].y == 1);
    assert_true(!n[3].arrow && n[3].buffer == SW_NONE && n[3].step == SW_NONE);
    sw_notes_done(&notes);
}

static void refusals(void **state) {
    (void)state;
    static const struct refusal wrong[] = {
        {"[]", 1, 1, "this must be an object, not a list"},
        {"{}", 1, 1, "\"notes\" is missing"},
        {"{\"notes\":{}}", 1, 10, "\"notes\" must be a list, not an object"},
        {"{\"notes\":[\n{\"buffer\":\"a\"}]}", 2, 1, "\"text\" is missing"},
        {"{\"notes\":[{\"text\":7}]}", 1, 19, "\"text\" must be a string, not a whole number"},
        {"{\"notes\":[{\"text\":\" \"}]}", 1, 19, "the note says nothing"},
        {"{\"notes\":[{\"text\":\"t\",\"bufer\":\"a\"}]}", 1, 23,
         "unknown key \"bufer\"; the nearest known key is \"buffer\""},
        {"{\"notes\":[{\"text\":\"t\",\"buffer\":\"c\"}]}", 1, 32, "there is no buffer 'c'"},
        {"{\"notes\":[{\"text\":\"t\",\"step\":8}]}", 1, 30, "step 8 is out of range (0 to 7)"},
        {"{\"notes\":[{\"text\":\"t\",\"address\":8}]}", 1, 33, "an address goes with a step, and with no buffer"},
        {"{\"notes\":[{\"text\":\"t\",\"step\":1,\"address\":\"8X\"}]}", 1, 42,
         "'8X' is not a number of bytes (64512, 64,512, 0xfc00, 63K, 63 KiB, 2.25K)"},
        {"{\"notes\":[{\"text\":\"t\",\"step\":1,\"buffer\":\"a\"}]}", 1, 30,
         "a note speaks of a buffer or of a step, not of both"},
        {"{\"notes\":[{\"text\":\"t\",\"step\":1,\"tier\":\"m\"}]}", 1, 39, "a tier goes with an address"},
        {"{\"notes\":[{\"text\":\"t\",\"at\":[0.5]}]}", 1, 28,
         "\"at\" is two numbers from 0 to 1: parts of the picture's width and height, from its "
         "upper left corner"},
        {"{\"notes\":[{\"text\":\"t\"}]}", 1, 11,
         "the note speaks of nothing and stands nowhere: it needs \"buffer\", \"step\", \"time\" "
         "or \"at\""},
        {"{\"notes\":[{\"text\":\"t\",\"at\":[0,0],\"arrow\":true}]}", 1, 42,
         "the arrow points at nothing: name a buffer or a step"},
        {"{\"notes\":[{\"text\":\"\xff\",\"at\":[0,0]}]}", 1, 20, "byte 0xff is not valid UTF-8"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct sw_notes notes = {0};
        struct sw_error error = {0};
        struct sw_input input = text_input(wrong[i].text, strlen(wrong[i].text));
        if (sw_notes_read(&input, problem, 0, &notes, &error)) {
            fail_msg("accepted:\n%s", wrong[i].text);
        }
        sw_error_at(&error, "file", error.line, error.column);
        check_refusal(&error, &wrong[i]);
        sw_notes_done(&notes);
    }
}

static void limits(void **state) {
    (void)state;
    for (int many = SW_NOTES_MOST; many <= SW_NOTES_MOST + 1; many++) {
        struct sw_sink text = {0};
        struct sw_notes notes = {0};
        struct sw_error error = {0};
        sw_sink_printf(&text, "{\"notes\":[");
        for (int i = 0; i < many; i++) {
            sw_sink_printf(&text, "%s{\"text\":\"%0*d\",\"step\":1}", i ? ",\n" : "", SW_NOTE_CHARACTERS, i);
        }
        sw_sink_printf(&text, "]}");
        struct sw_input input = text_input(text.text.items, text.text.count);
        assert_int_equal(sw_notes_read(&input, problem, 0, &notes, &error), many == SW_NOTES_MOST);
        assert_int_equal(error.line, many == SW_NOTES_MOST ? 0 : SW_NOTES_MOST + 1);
        sw_notes_done(&notes);
        sw_sink_done(&text);
    }
}

static const struct sw_panel *panel_of(const struct sw_scene *scene, const char *id) {
    for (size_t i = 0; i < scene->panels.count; i++) {
        if (!strcmp(scene->panels.items[i].id, id)) {
            return &scene->panels.items[i];
        }
    }
    fail_msg("there is no panel %s", id);
    return NULL;
}

/* On the page they are where the data says; what is out of view is listed below. */
static void places(void **state) {
    (void)state;
    struct sw_notes notes = {0};
    struct sw_note items[] = {
        {.text = "a", .buffer = 0, .name = "a", .step = SW_NONE, .tier = SW_NONE, .arrow = true},
        {.text = "b", .buffer = SW_NONE, .step = 5, .tier = SW_NONE, .has_address = true, .address = 100},
        {.text = "c", .buffer = SW_NONE, .step = 1, .tier = SW_NONE},
        {.text = "d", .buffer = 1, .name = "b", .step = SW_NONE, .tier = SW_NONE}};
    notes.items.items = items;
    notes.items.count = 4;
    struct sw_scene scene = {0};
    struct sw_view_input in = look_at(search, 800, 500);
    in.medium = SW_ON_PAGE;
    in.run.notes = &notes;
    in.look.viewport.time_hi = 2; /* b lives later */
    sw_view_page(&in, sw_view_find("layout", NULL), &scene);
    assert_false(scene.failed);
    assert_int_equal(scene.notes.count, 2);
    const struct sw_scene_note *a = &scene.notes.items[0], *c = &scene.notes.items[1];
    const struct sw_panel *map = panel_of(&scene, "map"), *live = panel_of(&scene, "live");
    assert_true(a->aims && a->arrow && a->left == map->body_left);
    assert_true(a->right == map->body_left + map->body_width);
    assert_true(a->bottom == map->body_top + map->body_height && a->top >= map->body_top);
    double at = live->body_top + (live->y.hi - 65536) / (live->y.hi - live->y.lo) * live->body_height;
    assert_true(c->aims && c->top > at - 0.01 && c->top < at + 0.01 && c->top == c->bottom);
    assert_true(c->left == live->body_left + live->body_width * 0.75);
    assert_int_equal(scene.caption.count, 5);
    assert_string_equal(scene.caption.items[3], "Note on step 5 at an address, which is not in this picture: b");
    assert_string_equal(scene.caption.items[4], "Note on b, which is not in this picture: d");
    sw_scene_done(&scene);
}

static int open_run(void **state) {
    (void)state;
    problem = must_read(graph);
    search = must_run(problem, "first-fit");
    return 0;
}

static int close_run(void **state) {
    (void)state;
    sw_search_free(search);
    sw_problem_unref(problem);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everything),
        cmocka_unit_test(refusals),
        cmocka_unit_test(limits),
        cmocka_unit_test(places),
    };
    return cmocka_run_group_tests(tests, open_run, close_run);
}
