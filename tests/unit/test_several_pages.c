/* Several pages and several steps: documents, filmstrips, animations. */
#include <stdlib.h>

#include "unit/view.h"

#include "export/export.h"
#include "export/drawing.h"
#include "lua/theme_file.h"
#include "planners/planner.h"
#include "suggest/suggest.h"

#include <glib.h>
#include <math.h>
#include <string.h>

static struct sw_theme theme;
static struct sw_problem *single, *several;
static struct sw_search *plain, *tiered;

static struct sw_view_input paper(struct sw_search *search, double width, double height) {
    struct sw_view_input in = look_at(search, width, height);
    in.medium = SW_ON_PAGE;
    in.look.tier = sw_problem_tier_count(sw_search_problem(search)) > 1 ? SW_NONE : 0;
    in.marks_per_unit_x = in.marks_per_unit_y = 1;
    return in;
}

/* ---- no two texts meet ---- */

struct plan {
    struct sw_drawing drawing;
    cairo_surface_t *surface;
    cairo_t *cairo;
};

/* Behind a page whose names were of a size; 0: behind none. */
static void open_plan_behind(struct plan *plan, const struct sw_scene *scene, double name_size) {
    assert_true(sw_late_load(NULL));
    plan->surface = sw_late.cairo_image_surface_create(CAIRO_FORMAT_RGB24, 8, 8);
    plan->cairo = sw_late.cairo_create(plan->surface);
    assert_true(sw_drawing_open(&plan->drawing, scene, &theme, plan->cairo));
    plan->drawing.name_size = name_size;
    sw_drawing_plan(&plan->drawing);
    assert_false(plan->drawing.failed);
}

static void open_plan(struct plan *plan, const struct sw_scene *scene) {
    open_plan_behind(plan, scene, 0);
}

static void close_plan(struct plan *plan) {
    sw_drawing_close(&plan->drawing);
    sw_late.cairo_destroy(plan->cairo);
    sw_late.cairo_surface_destroy(plan->surface);
}

static void check_texts(const struct sw_scene *scene, const char *what) {
    struct plan plan;
    open_plan(&plan, scene);
    for (size_t i = 0; i < plan.drawing.texts.count; i++) {
        const struct sw_placed_text *a = &plan.drawing.texts.items[i];
        assert_true(a->left >= 0 && a->top >= 0 && a->left + a->width <= scene->width &&
                    a->top + a->height <= scene->height);
        for (size_t k = i + 1; k < plan.drawing.texts.count; k++) {
            const struct sw_placed_text *b = &plan.drawing.texts.items[k];
            if (a->left < b->left + b->width && b->left < a->left + a->width && a->top < b->top + b->height &&
                b->top < a->top + a->height) {
                fail_msg("%s at %gx%g: '%s' meets '%s'", what, scene->width, scene->height, a->text, b->text);
            }
        }
    }
    close_plan(&plan);
}

static bool is_placed(const struct sw_scene *scene, const char *text) {
    struct plan plan;
    bool found = false;
    open_plan(&plan, scene);
    for (size_t i = 0; i < plan.drawing.texts.count; i++) {
        const struct sw_placed_text *placed = &plan.drawing.texts.items[i];
        found |= !strcmp(placed->text, text) && !(placed->room > 0);
    }
    close_plan(&plan);
    return found;
}

static const double sizes[][2] = {{842, 595}, {595, 842}, {1120, 630}, {400, 300}, {2000, 1400}};
enum { SIZES = sizeof sizes / sizeof *sizes };

static bool has_panel(const struct sw_scene *scene, const char *id) {
    for (size_t i = 0; i < scene->panels.count; i++) {
        if (strcmp(scene->panels.items[i].id, id) == 0) {
            return true;
        }
    }
    return false;
}

/* The largest page of figures has the planners, too, a small one has not; where they are together no row is left out.
 */
static void check_report_page(const struct sw_scene *scene, uint32_t page, size_t size) {
    double height = sizes[size][1];
    bool together = page == 0 && has_panel(scene, "planners");
    if (page == 0) {
        assert_true(has_panel(scene, "figures"));
        if (!together && height >= 1400) {
            fail_msg("the planners have a page of their own at %gx%g", sizes[size][0], height);
        }
        assert_true(!together || height > 300);
    }
    for (size_t i = 0; together && i < scene->panels.count; i++) {
        assert_int_equal(scene->panels.items[i].hidden_below, 0);
    }
    assert_true(page == 0 || height < 1400 || !has_panel(scene, "planners"));
}

static void pages_have_room_for_their_texts(void **state) {
    (void)state;
    struct sw_scene scene = {0};
    const struct sw_view *report = sw_view_find("report", NULL);
    struct sw_search *searches[] = {plain, tiered};
    const struct sw_suggest_request request = {.work = 500000};
    struct sw_error error = {0};
    struct sw_suggest *made = sw_suggest_new(plain, &request, &error);
    assert_true(made && sw_suggest_step(made, 0, &error) != SW_STEP_FAILED);
    const struct sw_rival rivals[] = {
        {.planner = sw_planner_find("first-fit", NULL), .shown = true, .known = true, .peak = 123456789},
        {.planner = sw_planner_find("segment-genetic", NULL), .known = true, .stopped = true, .peak = 987654321},
        {.planner = sw_planner_find("token-sharing", NULL), .known = true, .beside = true, .peak = 9, .bound = 123456},
        {.planner = sw_planner_find("order", NULL), .known = true, .optimal = true, .peak = 5},
        {.planner = sw_planner_find("tier-search", NULL),
         .why = "<a reason that is longer than there is room for it>"}};
    for (size_t k = 0; k < 2 * SIZES; k++) {
        struct sw_view_input in = paper(searches[k % 2], sizes[k / 2][0], sizes[k / 2][1]);
        in.run.rivals = rivals;
        in.run.rival_count = sizeof rivals / sizeof *rivals;
        in.run.suggest = made;
        uint32_t pages = sw_view_pages(&in, report);
        assert_true(pages >= 4 && pages < 40);
        for (in.look.page = 0; in.look.page < pages; in.look.page++) {
            char number[32];
            sw_scene_clear(&scene);
            sw_view_page(&in, report, &scene);
            assert_false(scene.failed);
            check_texts(&scene, "report");
            check_report_page(&scene, in.look.page, k / 2);
            snprintf(number, sizeof number, "%u of %u", in.look.page + 1, pages);
            assert_true(is_placed(&scene, number));
        }
    }
    sw_suggest_free(made);
    sw_scene_done(&scene);
}

/* Every buffer is on one page, and the last page is the provenance. */
static void tables_are_complete(void **state) {
    (void)state;
    struct sw_scene scene = {0};
    struct sw_view_input in = paper(plain, 842, 595);
    const struct sw_view *report = sw_view_find("report", NULL);
    uint32_t pages = sw_view_pages(&in, report), planned = sw_problem_planned_count(single);
    unsigned *seen = calloc(sw_problem_buffer_count(single), sizeof *seen);
    const char *heading = NULL;
    for (in.look.page = 0; in.look.page < pages; in.look.page++) {
        sw_scene_clear(&scene);
        sw_view_page(&in, report, &scene);
        heading = scene.heading ? scene.heading : heading;
        for (size_t p = 0; p < scene.panels.count; p++) {
            const struct sw_panel *panel = &scene.panels.items[p];
            for (size_t r = 0; !strcmp(panel->id, "buffers") && r < panel->rows.count; r++) {
                const struct sw_row *row = &panel->rows.items[r];
                if (row->item.kind == SW_ITEM_BUFFER) {
                    seen[row->item.id]++;
                }
            }
            assert_true(strcmp(panel->id, "buffers") != 0 || panel->hidden_below == 0);
        }
    }
    assert_string_equal(heading, "Provenance");
    for (uint32_t i = 0; i < planned; i++) {
        assert_int_equal(seen[sw_problem_order(single)[i]], 1);
    }
    free(seen);
    sw_scene_done(&scene);
}

/* Very many: the largest, and how many are left out. */
static void long_tables_are_cut(void **state) {
    (void)state;
    struct sw_problem *problem = random_problem(7, 3000);
    struct sw_search *search = must_run(problem, "first-fit");
    struct sw_view_input in = paper(search, 842, 595);
    const struct sw_view *report = sw_view_find("report", NULL);
    struct sw_scene scene = {0};
    uint32_t rows = 0;
    uint64_t least = UINT64_MAX;
    in.look.page = sw_view_pages(&in, report);
    assert_int_equal(in.look.page, 3 + 12);
    for (in.look.page = 2; in.look.page < 2 + 12; in.look.page++) {
        sw_scene_clear(&scene);
        sw_view_page(&in, report, &scene);
        for (size_t p = 0; p < scene.panels.count; p++) {
            const struct sw_panel *panel = &scene.panels.items[p];
            for (size_t r = 0; r < panel->rows.count; r++) {
                if (panel->rows.items[r].item.kind == SW_ITEM_BUFFER) {
                    uint32_t b = (uint32_t)panel->rows.items[r].item.id;
                    assert_true(sw_problem_buffer(problem, b)->size <= least);
                    least = sw_problem_buffer(problem, b)->size;
                    rows++;
                }
            }
        }
    }
    char wanted[80];
    snprintf(wanted, sizeof wanted, "the largest first, of which 2,%u are left out", 3000 - rows - 2000);
    assert_non_null(strstr(scene.subtitle, wanted));
    sw_scene_done(&scene);
    sw_search_free(search);
    sw_problem_unref(problem);
}

/* ---- filmstrips ---- */

enum { FRAMES = 9 };
static void open_film(struct sw_search *search, struct sw_search *frames[FRAMES]) {
    uint64_t last = sw_search_known(search);
    for (uint64_t i = 0; i < FRAMES; i++) {
        assert_true(sw_search_seek(search, last * i / (FRAMES - 1), NULL));
        frames[i] = sw_search_fork(search, NULL);
        assert_non_null(frames[i]);
    }
    assert_true(sw_search_seek(search, last, NULL));
}

static void films_share_their_axes(void **state) {
    (void)state;
    struct sw_search *searches[] = {plain, tiered}, *frames[FRAMES];
    for (size_t k = 0; k < 2; k++) {
        open_film(searches[k], frames);
        for (size_t s = 0; s < SIZES; s++) {
            struct sw_scene scene = {0};
            struct sw_view_input in = paper(searches[k], sizes[s][0], sizes[s][1]);
            struct sw_film film = {(const struct sw_search *const *)frames, FRAMES, 20, "some"};
            in.run.film = &film;
            sw_view_page(&in, sw_view_find("filmstrip", NULL), &scene);
            assert_false(scene.failed);
            check_texts(&scene, "filmstrip");
            assert_string_equal(scene.subtitle, "9 of 20 decisions, evenly chosen: some");
            /* Per frame a heading and a map a tier. */
            size_t each = scene.panels.count / FRAMES;
            assert_int_equal(scene.panels.count, each * FRAMES);
            for (size_t p = each; p < scene.panels.count; p++) {
                const struct sw_panel *a = &scene.panels.items[p % each];
                const struct sw_panel *b = &scene.panels.items[p];
                assert_true(a->kind == b->kind && a->width == b->width);
                assert_true(a->kind != SW_PANEL_PLOT ||
                            (a->y.hi == b->y.hi && a->y.lo == b->y.lo && a->x.hi == b->x.hi &&
                             fabs(a->body_height - b->body_height) < 1e-9 && a->body_width == b->body_width));
            }
            sw_scene_done(&scene);
        }
        for (size_t i = 0; i < FRAMES; i++) {
            sw_search_free(frames[i]);
        }
    }
}

/* ---- animations ---- */

/* What is seen in which page, read from the file as a browser would. */
enum { MOST_PAGES = 64 };
struct reader {
    unsigned pages, count; /* count: of timings */
    double fps, seconds;
    bool (*seen)[MOST_PAGES];
    GPtrArray *texts[MOST_PAGES]; /* of each page */
    GPtrArray *still;             /* without any animation */
    unsigned timing;              /* of the group we are in; 0: always */
    bool in_style, in_text, hidden;
    unsigned scripts, others;
};

static void read_frames(struct reader *reader, const char *style) {
    for (const char *at = style; (at = strstr(at, "@keyframes t")) != NULL;) {
        char *end;
        unsigned timing = (unsigned)strtoul(at + 12, &end, 10);
        assert_true(*end == '{' && timing > 0);
        reader->seen = realloc(reader->seen, (timing + 1) * sizeof *reader->seen);
        assert_non_null(reader->seen);
        memset(reader->seen[timing], 0, sizeof *reader->seen);
        reader->count = timing > reader->count ? timing : reader->count;
        at = end + 1;
        while (*at != '}') {
            double share = strncmp(at, "to", 2) == 0 ? (end = (char *)at + 2, 100.0) : strtod(at, &end);
            bool visible = strstr(end, "visibility:visible") == strstr(end, "visibility:");
            at = strchr(end, '}') + 1;
            for (unsigned page = 0; page < reader->pages; page++) {
                double middle = 100 * (page + 0.5) / reader->fps / reader->seconds;
                reader->seen[timing][page] = middle > share ? visible : reader->seen[timing][page];
            }
        }
    }
}

static void start_element(GMarkupParseContext *context, const gchar *name, const gchar **names, const gchar **values,
                          gpointer data, GError **error) {
    struct reader *reader = data;
    (void)context, (void)error;
    reader->in_style = !strcmp(name, "style");
    reader->in_text = !strcmp(name, "text");
    reader->scripts += !strcmp(name, "script");
    if (!strcmp(name, "g")) {
        reader->timing = 0;
        reader->hidden = false;
    }
    for (size_t i = 0; names[i]; i++) {
        if (!strcmp(name, "g") && !strcmp(names[i], "class")) {
            reader->timing = (unsigned)strtoul(values[i] + 1, NULL, 10);
        }
        if (!strcmp(name, "g") && !strcmp(names[i], "visibility")) {
            reader->hidden = !strcmp(values[i], "hidden");
        }
        reader->others += !g_str_has_prefix(names[i], "xmlns") && strstr(values[i], "http") != NULL;
        reader->others += strstr(names[i], "href") != NULL || g_str_has_prefix(names[i], "on");
    }
}

static void read_text(GMarkupParseContext *context, const gchar *text, gsize length, gpointer data, GError **error) {
    struct reader *reader = data;
    (void)context, (void)error;
    char *copy = g_strndup(text, length);
    if (reader->in_style) {
        read_frames(reader, copy);
    } else if (reader->in_text) {
        for (unsigned page = 0; page < reader->pages; page++) {
            if (!reader->timing || reader->seen[reader->timing][page]) {
                g_ptr_array_add(reader->texts[page], g_strdup(copy));
            }
        }
        if (!reader->hidden) {
            g_ptr_array_add(reader->still, g_strdup(copy));
        }
    }
    g_free(copy);
    reader->in_style = reader->in_text = false;
}

static int compare_words(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The same texts, in any order, each once. */
static char *sorted_words(GPtrArray *words) {
    GString *all = g_string_new("");
    g_ptr_array_sort(words, compare_words);
    for (guint i = 0; i < words->len; i++) {
        g_string_append_printf(all, "%s\n", (char *)words->pdata[i]);
    }
    return g_string_free(all, FALSE);
}

static void same_words(GPtrArray *wanted, GPtrArray *found) {
    char *a = sorted_words(wanted), *b = sorted_words(found);
    assert_string_equal(a, b);
    g_free(a);
    g_free(b);
}

static void expect_texts(const struct sw_scene *scene, GPtrArray *wanted, double *name_size) {
    struct plan plan;
    open_plan_behind(&plan, scene, *name_size);
    *name_size = plan.drawing.name_size;
    for (size_t i = 0; i < plan.drawing.texts.count; i++) {
        const struct sw_placed_text *text = &plan.drawing.texts.items[i];
        g_ptr_array_add(wanted, g_strdup(sw_drawing_cut(&plan.drawing, text)));
    }
    close_plan(&plan);
}

struct show {
    struct sw_view_input in;
    struct sw_steady steady;
    uint64_t first, pages, by;
};

static void open_show(struct show *show, struct sw_search *search, uint64_t pages) {
    uint64_t last = sw_search_known(search);
    *show = (struct show){.in = paper(search, 800, 500), .pages = pages};
    show->by = last / pages ? last / pages : 1;
    show->first = last - show->by * (pages - 1);
    for (uint64_t i = 0; i < pages; i++) {
        assert_true(sw_search_seek(search, show->first + i * show->by, NULL));
        assert_true(sw_steady_add(&show->steady, &show->in, sw_view_find("layout", NULL)));
    }
    show->in.run.steady = &show->steady;
}

static void page_of_show(struct show *show, struct sw_search *search, uint64_t page, struct sw_scene *scene) {
    assert_true(sw_search_seek(search, show->first + page * show->by, NULL));
    sw_scene_clear(scene);
    sw_view_page(&show->in, sw_view_find("layout", NULL), scene);
    assert_false(scene->failed);
}

/* At every moment the animation shows exactly the texts of that page; nothing moves: those of the
 * last. */
static void check_animation(struct sw_search *search, uint64_t pages) {
    struct show show;
    struct sw_scene scene = {0};
    struct sw_sink sink = {0};
    GPtrArray *wanted[MOST_PAGES];
    double name_size = 0;
    struct reader reader = {.pages = (unsigned)pages, .fps = 4, .seconds = (double)pages / 4 + 1};
    struct sw_animation *animation = sw_animation_new(&theme, NULL);
    open_show(&show, search, pages);
    reader.still = g_ptr_array_new_with_free_func(g_free);
    for (uint64_t i = 0; i < pages; i++) {
        page_of_show(&show, search, i, &scene);
        assert_true(sw_animation_add(animation, &scene, NULL));
        wanted[i] = g_ptr_array_new_with_free_func(g_free);
        reader.texts[i] = g_ptr_array_new_with_free_func(g_free);
        expect_texts(&scene, wanted[i], &name_size);
    }
    assert_true(sw_animation_write(animation, 4, 1, &sink, NULL));
    static const GMarkupParser parser = {.start_element = start_element, .text = read_text};
    GMarkupParseContext *context = g_markup_parse_context_new(&parser, 0, &reader, NULL);
    GError *error = NULL;
    if (!g_markup_parse_context_parse(context, sink.text.items, (gssize)sink.text.count, &error) ||
        !g_markup_parse_context_end_parse(context, &error)) {
        fail_msg("%s", error->message);
    }
    assert_true(reader.count > 0 && reader.scripts == 0 && reader.others == 0);
    for (uint64_t i = 0; i < pages; i++) {
        same_words(wanted[i], reader.texts[i]);
    }
    same_words(wanted[pages - 1], reader.still);
    for (uint64_t i = 0; i < pages; i++) {
        g_ptr_array_unref(wanted[i]);
        g_ptr_array_unref(reader.texts[i]);
    }
    g_ptr_array_unref(reader.still);
    g_markup_parse_context_free(context);
    free(reader.seen);
    sw_animation_free(animation);
    sw_steady_done(&show.steady);
    sw_sink_done(&sink);
    sw_scene_done(&scene);
}

static void animations_show_every_page(void **state) {
    (void)state;
    check_animation(plain, 30);
    check_animation(tiered, 40);
    check_animation(plain, 1 + 1);
}

static void animations_are_small(void **state) {
    (void)state;
    size_t sizes_of[2];
    for (int k = 0; k < 2; k++) {
        struct show show;
        struct sw_scene scene = {0};
        struct sw_sink sink = {0};
        struct sw_animation *animation = sw_animation_new(&theme, NULL);
        open_show(&show, plain, k ? 60 : 1);
        for (uint64_t i = 0; i < show.pages; i++) {
            page_of_show(&show, plain, i, &scene);
            assert_true(sw_animation_add(animation, &scene, NULL));
        }
        assert_true(sw_animation_write(animation, 2, 1, &sink, NULL));
        sizes_of[k] = sink.text.count;
        sw_sink_done(&sink);
        sw_animation_free(animation);
        sw_steady_done(&show.steady);
        sw_scene_done(&scene);
    }
    assert_true(sizes_of[1] < 12 * sizes_of[0]); /* not sixty times as large */
}

/* The axis is high enough for every block. */
static void check_heights(const struct sw_scene *scene) {
    for (size_t p = 0; p < scene->panels.count; p++) {
        const struct sw_panel *panel = &scene->panels.items[p];
        for (size_t i = 0; i < panel->marks.count; i++) {
            assert_true(panel->marks.items[i].y1 <= panel->y.hi);
        }
    }
}

static void steps_have_the_same_frame(void **state) {
    (void)state;
    struct show show;
    struct sw_scene first = {0}, scene = {0};
    open_show(&show, tiered, 20);
    page_of_show(&show, tiered, 0, &first);
    for (uint64_t i = 1; i < 20; i++) {
        page_of_show(&show, tiered, i, &scene);
        check_heights(&scene);
        assert_int_equal(scene.panels.count, first.panels.count);
        assert_int_equal(scene.legend.count, first.legend.count);
        for (size_t p = 0; p < scene.panels.count; p++) {
            const struct sw_panel *a = &first.panels.items[p], *b = &scene.panels.items[p];
            assert_true(a->y.hi == b->y.hi && a->body_top == b->body_top && a->body_height == b->body_height);
        }
    }
    sw_steady_done(&show.steady);
    sw_scene_done(&first);
    sw_scene_done(&scene);
}

static void sizes_may_not_change(void **state) {
    (void)state;
    struct sw_scene scene = {0};
    struct sw_error error = {0};
    struct sw_animation *animation = sw_animation_new(&theme, NULL);
    struct sw_view_input in = paper(plain, 800, 500);
    sw_view_page(&in, sw_view_find("live", NULL), &scene);
    assert_true(sw_animation_add(animation, &scene, &error));
    scene.width = 700;
    assert_false(sw_animation_add(animation, &scene, &error));
    assert_int_equal(error.code, SW_ERROR_USAGE);
    sw_animation_free(animation);
    sw_scene_done(&scene);
}

/* ---- documents ---- */

static bool build_live(void *context, uint32_t page, struct sw_scene *scene, struct sw_error *error) {
    uint32_t *stop = context;
    struct sw_view_input in = paper(plain, page ? 500 : 842, 400);
    if (page == *stop) {
        return sw_fail(error, SW_ERROR_CANCELED, "stopped at %u", page);
    }
    sw_view_page(&in, sw_view_find("live", NULL), scene);
    scene->heading = "live";
    return true;
}

static unsigned count_of(const struct sw_sink *sink, const char *text) {
    unsigned count = 0;
    const char *end = sink->text.items + sink->text.count;
    for (const char *at = sink->text.items; (at = memmem(at, (size_t)(end - at), text, strlen(text))) != NULL; at++) {
        count++;
    }
    return count;
}

static void documents_have_pages(void **state) {
    (void)state;
    uint32_t stop = 100;
    struct sw_pages pages = {4, build_live, &stop};
    struct sw_sink sink = {0}, broken = {.failed = true};
    struct sw_error error = {0};
    assert_true(sw_export_pages(&pages, &theme, &sink, &error));
    assert_memory_equal(sink.text.items, "%PDF-", 5);
    assert_int_equal(count_of(&sink, "/Title (live)"), 4); /* the list of contents */
    sw_sink_done(&sink);
    stop = 2;
    assert_false(sw_export_pages(&pages, &theme, &sink, &error));
    assert_string_equal(error.message, "stopped at 2");
    sw_sink_done(&sink);
    stop = 100;
    assert_false(sw_export_pages(&pages, &theme, &broken, &error));
    assert_int_equal(error.code, SW_ERROR_MEMORY);
    sw_sink_done(&broken);
}

/* ---- lack of memory ---- */

static bool everything(struct sw_error *error) {
    struct sw_scene scene = {0};
    struct sw_sink sink = {0};
    struct sw_steady steady = {0};
    struct sw_view_input in = paper(tiered, 500, 400);
    const struct sw_view *layout = sw_view_find("layout", NULL);
    const struct sw_view *report = sw_view_find("report", NULL);
    bool good = true;
    for (in.look.page = 0; good && in.look.page < 8; in.look.page++) {
        sw_scene_clear(&scene);
        sw_view_page(&in, report, &scene);
        good = !scene.failed;
    }
    good = good && sw_steady_add(&steady, &in, layout);
    in.run.steady = &steady;
    struct sw_animation *animation = good ? sw_animation_new(&theme, error) : NULL;
    if (animation) {
        sw_scene_clear(&scene);
        sw_view_page(&in, layout, &scene);
        good = sw_animation_add(animation, &scene, error) && sw_animation_write(animation, 2, 1, &sink, error);
    }
    good = good && animation;
    sw_animation_free(animation);
    sw_steady_done(&steady);
    sw_scene_done(&scene);
    sw_sink_done(&sink);
    return good;
}

static void lack_of_memory_is_an_error(void **state) {
    (void)state;
    struct sw_error error = {0};
    bool good = false;
    long left = 0;
    for (; !good && left < 100000; left += 1 + left / 16) {
        struct starve starve = {left};
        sw_mem_hook(starved, &starve);
        good = everything(&error);
        sw_mem_hook(NULL, NULL);
    }
    assert_true(good && left > 100);
}

static int open_runs(void **state) {
    (void)state;
    setenv("STOWAGE_DATA", SW_TEST_SOURCE, 1);
    struct sw_load_options options = {0};
    struct sw_error error = {0};
    single = random_problem(12, 150);
    plain = must_run(single, "best-fit");
    several = sw_load(SW_TEST_SOURCE "/scripts/models/two_tiers.json", &options, NULL, &error);
    if (!several) {
        fail_msg("%s", error.message);
    }
    tiered = must_run(several, "tier-search");
    return sw_theme_load("light", &theme, NULL) ? 0 : -1;
}

static int close_runs(void **state) {
    (void)state;
    sw_search_free(plain);
    sw_search_free(tiered);
    sw_problem_unref(single);
    sw_problem_unref(several);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pages_have_room_for_their_texts),
        cmocka_unit_test(tables_are_complete),
        cmocka_unit_test(long_tables_are_cut),
        cmocka_unit_test(films_share_their_axes),
        cmocka_unit_test(animations_show_every_page),
        cmocka_unit_test(animations_are_small),
        cmocka_unit_test(steps_have_the_same_frame),
        cmocka_unit_test(sizes_may_not_change),
        cmocka_unit_test(documents_have_pages),
        cmocka_unit_test(lack_of_memory_is_an_error),
    };
    return cmocka_run_group_tests(tests, open_runs, close_runs);
}
