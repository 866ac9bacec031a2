/* The picture of stowage diff of two files that tell requests: what both reserve, and what is asked for, request by
 * request on one axis. */
#include "cli/allocators/served.h"
#include "base/base.h"
#include "cli/shared/pictures.h"
#include "view/pages/xyplot.h"

enum { DIFF_CURVES = 4 };

struct request_curves {
    struct sw_xyseries series[DIFF_CURVES];
    struct sw_xypoint points[DIFF_CURVES][SW_ONLINE_SAMPLES];
    struct sw_scene words;
};

/* What was reserved at most since the sample before, so that no peak is lost; and what is asked for at the sample. */
static void add_curves_of_side(struct request_curves *curves, const struct sw_served *served, unsigned which,
                               const char *name) {
    const struct sw_online_history *history = served->history;
    struct sw_xyseries *reserved = &curves->series[2 * which], *asked = &curves->series[2 * which + 1];
    reserved->name = sw_scene_printf(&curves->words, "%s: reserved", name);
    asked->name = sw_scene_printf(&curves->words, "%s: asked for", name);
    reserved->points = curves->points[2 * which];
    asked->points = curves->points[2 * which + 1];
    reserved->count = asked->count = history->count;
    for (size_t i = 0; i < history->count; i++) {
        const struct sw_online_sample *one = &history->items[i];
        curves->points[2 * which][i] = (struct sw_xypoint){(double)one->request, (double)one->most};
        curves->points[2 * which + 1][i] = (struct sw_xypoint){(double)one->request, (double)one->requested};
    }
    if (history->count > 0) { /* and what came behind the last one */
        double *end = &curves->points[2 * which][history->count - 1].y;
        *end = fmax(*end, (double)history->most);
    }
}

static const char *subtitle(struct request_curves *curves, const struct sw_served *old, const struct sw_served *fresh) {
    char a[24], b[24];
    return sw_scene_printf(&curves->words,
                           "Peak reserved %s, then %s. A point stands for %s of the old one, %s of the new one.",
                           sw_show_bytes_long(old->reserved, a), sw_show_bytes_long(fresh->reserved, b),
                           sw_scene_counted(&curves->words, old->history->spacing, "request"),
                           sw_scene_counted(&curves->words, fresh->history->spacing, "request"));
}

bool sw_diff_curves(struct sw_cli *cli, const struct sw_problem *problem, const struct sw_served *old,
                    const struct sw_served *fresh, struct sw_error *error) {
    struct request_curves *curves = SW_NEW_ZERO(struct request_curves, 1);
    struct sw_scene scene = {0};
    if (!curves) {
        return sw_fail_memory(error);
    }
    const char *const names[] = {sw_path_name(cli->files[0]), sw_path_name(cli->files[1])};
    bool alike = strcmp(names[0], names[1]) == 0;
    struct sw_runs_page page = sw_picture_page(cli, problem);
    add_curves_of_side(curves, old, 0, alike ? "old" : names[0]);
    add_curves_of_side(curves, fresh, 1, alike ? "new" : names[1]);
    struct sw_xyplot plot = {.title = page.title ? page.title
                                                 : sw_scene_printf(&curves->words, "%s and %s", names[0], names[1]),
                             .subtitle = subtitle(curves, old, fresh),
                             .x = "request",
                             .y = "bytes",
                             .bytes_y = true,
                             .series = curves->series,
                             .count = DIFF_CURVES,
                             .width = page.width,
                             .height = page.height};
    sw_view_xyplot(&plot, &scene);
    scene.failed |= curves->words.failed;
    bool good = sw_picture_write(cli, &scene, error);
    sw_scene_done(&curves->words);
    SW_FREE(curves, 1);
    return good;
}
