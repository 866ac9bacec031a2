/* Title and caption of a picture of `stowage fit`, which shows no run of a planner. */
#include "view/fit/fit_sight.h"
#include "view/pages/runs.h"

void sw_fit_page_title(const struct sw_view_input *in, struct sw_scene *scene) {
    struct sw_fit_seen seen;
    scene->title = in->title
                       ? sw_scene_clean(scene, in->title)
                       : sw_scene_printf(scene, "%s, made to fit",
                                         sw_runs_name(scene, sw_search_problem(in->run.search), sw_page_input(in)));
    if (!sw_fit_seen(in, scene, &seen)) {
        return;
    }
    const char *gain = sw_fit_gain(&seen);
    if (seen.sight.has_capacity) {
        scene->warns = seen.looked->bytes > seen.sight.capacity;
        scene->subtitle = sw_scene_printf(scene, "%s %s: %s", scene->warns ? "Does not fit into" : "Fits into",
                                          SW_BYTES(seen.sight.capacity), gain);
    } else {
        scene->subtitle = sw_scene_capital(scene, gain);
    }
}

const char *sw_fit_page_figures(const struct sw_view_input *in, struct sw_scene *scene) {
    struct sw_fit_seen seen;
    if (!sw_fit_seen(in, scene, &seen)) {
        return "";
    }
    bool spills = seen.looked->moved > 0;
    char looked_at[SW_FIT_LOOKED_AT];
    sw_fit_looked_at(seen.result, looked_at, sizeof looked_at);
    return sw_scene_printf(
        scene, "%s on the front. %s%s is at least %s, %s%s.",
        sw_scene_counted(scene, seen.result->models.count - 1, "changed model"),
        spills ? "Without tensors in another memory the " : "The ", sw_fit_what(&seen), SW_BYTES(seen.result->least),
        looked_at, seen.result->stopped ? "; stopped before all were looked at, so there may be better ones" : "");
}
