/* The front, the strips, before and after as a picture. */
#include "cli/fit/fit_parts.h"
#include "cli/shared/pictures.h"
#include "search/search.h"

bool fit_picture_check(const struct sw_cli *cli, struct sw_error *error) {
    const struct sw_view *view = cli->view ? sw_view_find(cli->view, error) : NULL;
    return !cli->view ||
           (view &&
            (view->of_fit ||
             sw_fail(
                 error, SW_ERROR_USAGE,
                 "--view %s is of one run of a planner: fit draws front, strips and before-after, export the others",
                 cli->view)));
}

/* Views need a run. This one places the model as it is by first fit; the views of fit show nothing of it. */
bool fit_picture(const struct sw_cli *cli, const struct sw_fit_result *result, struct sw_error *error) {
    const struct sw_planner *planner = sw_planner_find("greedy-by-size", error);
    struct sw_search *search = planner ? sw_search_new(result->problem, planner, NULL, error) : NULL;
    struct sw_fit_sight sight = {.result = result,
                                 .chosen = &result->models.items[result->chosen],
                                 .has_capacity = cli->load.has_capacity,
                                 .capacity = cli->load.capacity,
                                 .of_head = cli->load.capacity_of == SW_CAPACITY_OF_HEAD};
    struct sw_export options = sw_export_options(cli);
    options.view = cli->view ? cli->view : "front";
    struct sw_view_input in;
    bool good = search && sw_export_look(cli, search, cli->digest, &in, error);
    if (good) {
        in.run.fit = &sight;
        good = sw_export_file(&in, &options, cli->output, error);
    }
    sw_search_free(search);
    return good;
}
