/* What pages about several runs have in common. */
#include "formats/format.h"
#include "base/base.h"
#include "view/pages/runs.h"

#include "view/view_internal.h"

double sw_runs_caption_room(const struct sw_runs_page *page) {
    return fmax(page->width - 2 * SW_PAGE_MARGIN, 1);
}

void sw_runs_caption(const struct sw_runs_page *page, struct sw_scene *scene, const char *text) {
    double width = sw_runs_caption_room(page);
    double lines = ceil(sw_page_text_width(text, SW_PAGE_CAPTION_SIZE) / width);
    if (scene->caption.count > 0 && lines > fmax(2, page->height * 0.12 / SW_PAGE_CAPTION_LINE)) {
        sw_runs_unshown(scene, text); /* the picture would suffer */
    } else {
        sw_page_caption(scene, text, width);
    }
}

void sw_runs_unshown(struct sw_scene *scene, const char *text) {
    text = sw_scene_clean(scene, text);
    scene->exact = scene->exact ? sw_scene_printf(scene, "%s %s", scene->exact, text) : text;
}

void sw_runs_conditions(const struct sw_runs_page *page, struct sw_scene *scene, const struct sw_problem *problem) {
    if (page->conditions && *page->conditions) {
        sw_runs_caption(page, scene, sw_page_conditions(scene, page->conditions, problem));
    }
}

const char *sw_runs_input(struct sw_scene *scene, const char *path, uint64_t digest, const struct sw_problem *problem) {
    uint32_t blocks = sw_problem_planned_count(problem), steps = sw_problem_steps(problem);
    return sw_scene_printf(scene, "%s, digest %016llx: %s, %s", sw_path_name(path), (unsigned long long)digest,
                           sw_scene_counted(scene, blocks, "block"), sw_scene_counted(scene, steps, "step"));
}

/* The name of a file without folders and extension. */
static const char *sw_runs_stem(struct sw_scene *scene, const char *path) {
    const char *name = sw_path_name(path), *dot = strrchr(name, '.');
    return sw_scene_printf(scene, "%.*s", dot && dot > name ? (int)(dot - name) : (int)strlen(name), name);
}

const char *sw_runs_name(struct sw_scene *scene, const struct sw_problem *problem, const char *path) {
    const char *own = sw_problem_name(problem);
    return *own ? sw_scene_clean(scene, own) : sw_runs_stem(scene, path);
}

const char *sw_runs_tier_peaks(struct sw_scene *scene, const struct sw_search *search) {
    const struct sw_problem *problem = sw_search_problem(search);
    const char *text = "";
    struct sw_metrics metrics;
    sw_metrics_of(sw_search_layout(search), &metrics);
    for (uint32_t t = 0; !metrics.single_tier && t < sw_problem_tier_count(problem); t++) {
        text = sw_scene_printf(scene, "%s%s%s %s", text, *text ? " + " : "", sw_problem_tier(problem, t)->name,
                               sw_scene_bytes(scene, metrics.tier_peak[t]));
    }
    return text;
}

uint64_t sw_runs_hidden(const struct sw_scene *scene, size_t first) {
    uint64_t hidden = 0;
    for (size_t i = first; i < scene->panels.count; i++) {
        const struct sw_panel *panel = &scene->panels.items[i];
        for (size_t k = 0; k < panel->marks.count; k++) {
            hidden += panel->marks.items[k].style == SW_STYLE_MERGED ? panel->marks.items[k].hidden : 0;
        }
    }
    return hidden;
}

struct sw_view_input sw_runs_map(const struct sw_runs_page *page, const struct sw_search *search, uint32_t tier,
                                 const struct sw_furniture *furniture) {
    return (struct sw_view_input){.run.search = search,
                                  .look = {.tier = tier,
                                           .selected = SW_NONE,
                                           .cursor = SW_NONE,
                                           .candidate = SW_NONE,
                                           .coloring = page->coloring},
                                  .furniture = furniture,
                                  .marks_per_unit_x = page->marks,
                                  .marks_per_unit_y = page->marks,
                                  .zooms = page->zooms,
                                  .points = page->points,
                                  .medium = SW_ON_PAGE};
}

/* Of a caption that has not all the room it needs, of which one line is drawn now: the lines that there is room for, up
 * to the end of a sentence. The first sentence is whole. */
static size_t whole_captions(const struct sw_runs_page *page, const struct sw_scene *scene) {
    double view = fmax(page->least_view, fmax(SW_PAGE_VIEW, page->height * SW_PAGE_VIEW_SHARE));
    double foot = sw_page_foot(scene, page->width - 2 * SW_PAGE_MARGIN) - SW_PAGE_CAPTION_LINE;
    double room = (page->height - 2 * SW_PAGE_MARGIN - SW_PAGE_TITLE - view - foot) / SW_PAGE_CAPTION_LINE;
    size_t whole = 0;
    for (size_t i = 0; i < scene->caption.count && (whole == 0 || (double)i < floor(room)); i++) {
        size_t length = strlen(scene->caption.items[i]);
        bool ends = length > 0 && scene->caption.items[i][length - 1] == '.';
        whole = ends ? i + 1 : whole;
    }
    return whole ? whole : 1;
}

void sw_runs_build(const struct sw_runs_page *page, struct sw_scene *scene,
                   void (*build)(const void *context, struct sw_scene *, double foot), const void *context) {
    double foot = 60, needed = 0, width = page->width - 2 * SW_PAGE_MARGIN;
    unsigned thrift = 0;
    /* What does not fit into less room is said below, which takes more room. */
    for (int pass = 0; pass < 5 && (pass < 2 || needed > foot) && !(pass && scene->failed); pass++) {
        foot = pass ? needed : foot;
        sw_scene_clear(scene);
        scene->width = page->width;
        scene->height = page->height;
        scene->units = page->units;
        scene->joins = true;
        build(context, scene, foot);
        double height = page->height - fmax(page->least_view - SW_PAGE_VIEW, 0);
        thrift = pass ? thrift : sw_page_thrift(scene, width, height);
        sw_page_thin(scene, thrift);
        if (scene->caption_shown) {
            scene->caption_shown = whole_captions(page, scene);
        }
        needed = sw_page_foot(scene, width);
    }
    sw_page_say_hidden(scene);
}
