/* The filmstrip: small maps of one run at several steps, on the same axes, each headed by what was
 * decided there. */
#include "view/view_internal.h"
#include "base/base.h"
#include "search/result/run_plan.h"

#define LEAST_FRAME_WIDTH 168.0 /* of a frame, in points: a heading can be read */
#define LEAST_FILM_MAP 62.0     /* height of a tier's map in it */
#define HEADING 30.0            /* two rows of text above the maps */

static uint32_t tiers_used(const struct sw_search *search) {
    uint32_t used = 0;
    for (uint32_t t = 0; t < sw_problem_tier_count(sw_search_problem(search)); t++) {
        used += sw_layout_arena(sw_search_layout(search), t) > 0;
    }
    return used ? used : 1;
}

/* How many go beside one another, and one above the other. */
static uint32_t count_fitting(double room, double least) {
    double count = floor((room + SW_PAGE_GAP) / (least + SW_PAGE_GAP));
    return count < 1 ? 1 : count > 100 ? 100 : (uint32_t)count;
}

uint32_t sw_film_room(const struct sw_search *search, double width, double height) {
    double high = height - 2 * SW_PAGE_MARGIN - SW_PAGE_TITLE - 3 * SW_PAGE_LEGEND_ROW - SW_PAGE_LEGEND_GAP -
                  SW_PAGE_CAPTION_GAP - 3 * SW_PAGE_CAPTION_LINE - SW_PAGE_TICKS;
    return count_fitting(width - 2 * SW_PAGE_MARGIN, LEAST_FRAME_WIDTH) *
           count_fitting(high, LEAST_FILM_MAP * tiers_used(search) + HEADING);
}

/* The columns with which `count` frames come nearest to twice as wide as high. */
static uint32_t film_columns(uint32_t count, double width, double height) {
    uint32_t most = count_fitting(width, LEAST_FRAME_WIDTH), best = 1;
    double least = INFINITY;
    for (uint32_t columns = 1; columns <= most && columns <= count; columns++) {
        uint32_t rows = (count + columns - 1) / columns;
        double shape = width / columns / (height / rows);
        double miss = fabs(log(shape / 1.8)) + 0.15 * (columns * rows - count);
        if (miss < least) {
            least = miss;
            best = columns;
        }
    }
    return best;
}

/* The first of two texts that fits, or the second. Both rows of a heading may be bold. */
static const char *heading_that_fits(const char *text, const char *shorter, double room) {
    return SW_PAGE_BOLD * sw_page_text_width(text, SW_PAGE_TABLE_SIZE) <= room ? text : shorter;
}

/* "4  place dw_1_out", or without the word, or the number alone; "at 45 KiB; peak 63 KiB (+18 KiB)", or less of it. */
static const char *frame_decision(const struct sw_view_input *in, struct sw_scene *scene, double room) {
    const struct sw_decision *decision = sw_search_decision(in->run.search);
    const char *text = sw_page_decision(in, scene);
    if (!decision || decision->buffer == SW_NONE) {
        return text;
    }
    const char *number = sw_scene_printf(scene, "%s", SW_COUNT(decision->step)),
               *name = sw_problem_buffer(sw_search_problem(in->run.search), decision->buffer)->name;
    const char *brief = heading_that_fits(sw_scene_printf(scene, "%s  %s", number, name), number, room);
    return heading_that_fits(text, brief, room);
}

static const char *frame_outcome(const struct sw_view_input *in, struct sw_scene *scene, double room) {
    const char *text = sw_page_outcome(in, scene), *more = strstr(text, " (");
    const char *brief = more ? sw_scene_printf(scene, "%.*s", (int)(more - text), text) : text;
    const char *peak = strstr(brief, "; ");
    peak = peak ? peak + 2 : brief;
    return heading_that_fits(text, heading_that_fits(brief, heading_that_fits(peak, "", room), room), room);
}

static void add_frame_heading(const struct sw_view_input *in, struct sw_scene *scene, struct sw_box box) {
    const struct sw_decision *decision = sw_search_decision(in->run.search);
    bool raises = decision && sw_search_raised(in->run.search, decision->step) > 0;
    struct sw_panel *panel = sw_scene_panel(scene, SW_PANEL_TABLE, "frame");
    sw_panel_put(panel, box);
    panel->columns = 1;
    panel->stretch = 0;
    struct sw_item item = {SW_ITEM_DECISION, sw_search_at(in->run.search)};
    sw_panel_row(scene, panel, item, false);
    sw_panel_cell(scene, panel, SW_STYLE_STRONG, false, frame_decision(in, scene, box.width));
    sw_panel_row(scene, panel, item, false);
    sw_panel_cell(scene, panel, raises ? SW_STYLE_PEAK : SW_STYLE_DIM, false, frame_outcome(in, scene, box.width));
}

static void explain_line(struct sw_scene *scene, const struct sw_mark *line) {
    if (line->style == SW_STYLE_PEAK || line->style == SW_STYLE_BOUND || line->style == SW_STYLE_CAPACITY) {
        sw_scene_legend(scene, (enum sw_style)line->style, 0, line->style == SW_STYLE_PEAK,
                        line->style == SW_STYLE_PEAK    ? "peak so far"
                        : line->style == SW_STYLE_BOUND ? "lower bound"
                                                        : "capacity");
    }
}

/* A map without what stands beside it: ticks only at the left column's and the last row's frames. */
static void add_frame_map(const struct sw_view_input *in, struct sw_scene *scene, struct sw_box box, bool ticks_left,
                          bool ticks_below) {
    const struct sw_furniture furniture = {
        .title = !sw_view_single(in), .x_labels = true, .y_labels = ticks_left, .tell_level = explain_line};
    struct sw_view_input one = *in;
    one.furniture = &furniture;
    sw_view_build_map(&one, scene, box, ticks_below);
}

static void add_film_frame(const struct sw_view_input *in, struct sw_scene *scene, struct sw_box box, uint32_t used,
                           bool left, bool last) {
    add_frame_heading(
        in, scene,
        (struct sw_box){box.left + SW_PAGE_SMALL_GUTTER, box.top, box.width - SW_PAGE_SMALL_GUTTER, HEADING});
    double high = (box.height - HEADING) / used, top = box.top + HEADING;
    uint32_t tiers = sw_problem_tier_count(sw_search_problem(in->run.search)), place = 0;
    for (uint32_t t = 0; t < tiers && place < used; t++) {
        if (!sw_view_uses(in, t) && (tiers > 1 && used < tiers)) {
            continue;
        }
        struct sw_view_input one = *in;
        one.look.tier = t;
        one.run.film = NULL;
        one.look.viewport = sw_view_tier(in, t);
        place++;
        double ticks = last && place == used ? SW_PAGE_TICKS : 0; /* below the frame */
        add_frame_map(&one, scene, (struct sw_box){box.left, top, box.width, high + ticks - 4}, left,
                      last && place == used);
        top += high;
    }
}

static void set_film_subtitle(const struct sw_film *film, struct sw_scene *scene) {
    scene->subtitle =
        film->chosen > film->count
            ? sw_scene_printf(scene, "%s of %s decisions, evenly chosen: %s", SW_COUNT(film->count),
                              SW_COUNT(film->chosen), film->words)
            : sw_scene_printf(scene, "%s: %s", sw_scene_counted(scene, film->count, "decision"), film->words);
}

static void filmstrip_build(const struct sw_view_input *in, struct sw_scene *scene, struct sw_box box) {
    struct sw_film now = {&in->run.search, 1, 1, "the present one"};
    const struct sw_film *film = in->run.film && in->run.film->count ? in->run.film : &now;
    struct sw_steady steady = {0};
    for (uint32_t i = 0; i < film->count; i++) {
        sw_steady_raise(&steady, sw_search_layout(film->frames[i]));
    }
    uint32_t used = 0, tiers = sw_problem_tier_count(sw_search_problem(in->run.search));
    for (uint32_t t = 0; t < tiers; t++) {
        used += steady.top[t] > 0;
    }
    used = used ? used : 1;
    double space = sw_medium(in)->gap, ticks = sw_medium(in)->ticks;
    uint32_t columns = film_columns(film->count, box.width, box.height);
    uint32_t rows = (film->count + columns - 1) / columns;
    struct sw_box each = {0, 0, (box.width + space) / columns - space, (box.height - ticks + space) / rows - space};
    for (uint32_t i = 0; i < film->count && !scene->failed; i++) {
        struct sw_view_input one = *in;
        one.run.search = film->frames[i];
        one.run.steady = &steady;
        one.run.explanation = NULL;
        one.look.ghosts = false;
        one.medium = sw_medium(in)->smaller;
        each.left = box.left + (i % columns) * (each.width + space);
        each.top = box.top + (i / columns) * (each.height + space);
        add_film_frame(&one, scene, each, used, i % columns == 0, i + columns >= film->count);
    }
    if (sw_medium(in)->legend) {
        set_film_subtitle(film, scene);
    }
    sw_steady_done(&steady);
}

const struct sw_view sw_view_filmstrip = {
    .name = "filmstrip",
    .summary = "small maps of chosen decisions side by side (a picture only; see --steps)",
    .takes = SW_TAKES_TIME | SW_TAKES_BUFFER | SW_TAKES_COLORING,
    .build = filmstrip_build,
};
