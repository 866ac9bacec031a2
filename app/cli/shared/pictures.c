/* What the commands that compare have in common when they draw. */
#include "cli/shared/pictures.h"
#include "cli/shared/output.h"
#include "lua/theme_file.h"

bool sw_picture_named(const char *path) {
    enum sw_picture kind;
    return path && sw_picture_of(path, &kind, NULL);
}

/* "table.xyz", and no word on what it is to be. */
static bool is_unknown(const struct sw_cli *cli) {
    enum sw_output output;
    const char *name = sw_path_name(cli->output), *dot = strrchr(name, '.');
    return dot && dot != name && !sw_cli_given(cli, "format") && strlen(dot) <= 6 && !sw_picture_named(cli->output) &&
           !sw_output_of(cli->output, &output);
}

bool sw_picture_takes_dpi(const struct sw_cli *cli, bool png, struct sw_error *error) {
    if (!(cli->dpi > 0) || png) {
        return true;
    }
    sw_fail(error, SW_ERROR_USAGE, "--dpi is for PNG: this picture has no pixels");
    sw_error_at(error, cli->output, 0, 0);
    return false;
}

bool sw_picture_asked(const struct sw_cli *cli, bool *picture, struct sw_error *error) {
    struct sw_theme theme;
    enum sw_picture kind;
    const char *option = cli->view        ? "view"
                         : cli->theme     ? "theme"
                         : cli->title     ? "title"
                         : cli->width > 0 ? "size"
                         : cli->scale > 0 ? "scale"
                         : cli->dpi > 0   ? "dpi"
                         : cli->units     ? "units"
                         : cli->coloring  ? "color-by"
                                          : NULL;
    *picture = cli->output && sw_picture_of(cli->output, &kind, NULL);
    if (is_unknown(cli)) {
        sw_fail(error, SW_ERROR_USAGE,
                "what is it to be? A name ends in .txt, .csv, .json, .md, or, for a picture, in "
                ".svg, .png, .pdf or .html; or --format says it");
        sw_error_at(error, cli->output, 0, 0);
        return false;
    }
    if (!*picture && option) {
        return sw_fail(error, SW_ERROR_USAGE, "--%s is about a picture: name one with -o, OUT.svg, .png, .pdf or .html",
                       option);
    }
    if (*picture && sw_cli_given(cli, "format")) {
        return sw_fail(error, SW_ERROR_USAGE, "--format contradicts the name %s", cli->output);
    }
    if (*picture && !sw_picture_takes_dpi(cli, kind == SW_PICTURE_PNG, error)) {
        return false;
    }
    return !*picture || !cli->theme || sw_theme_load(cli->theme, &theme, error);
}

/* Of a comparison in which nothing is too small to be drawn: its page shows these once for each run. */
enum { MOST_ZOOMED = 2000 };

struct sw_runs_page sw_picture_page(const struct sw_cli *cli, const struct sw_problem *problem) {
    /* As for a picture of one run: a million blocks stay a picture. */
    double marks = sw_problem_planned_count(problem) > 5000 ? 0.5 : 1;
    double zoom = cli->scale > 0 ? cli->scale : 1;
    double width = cli->width > 0 ? cli->width : SW_PICTURE_WIDTH;
    double height = cli->height > 0 ? cli->height : SW_PICTURE_HEIGHT;
    enum sw_picture kind;
    bool known = cli->output && sw_picture_of(cli->output, &kind, NULL), web = known && kind == SW_PICTURE_HTML;
    bool zooms = web && sw_problem_planned_count(problem) <= MOST_ZOOMED;
    /* Each merged area of a page for browsers says what it hides: fewer of them, which are easier to point at. */
    marks = web && !zooms ? 0.25 : marks;
    return (struct sw_runs_page){.zooms = zooms,
                                 .points = web || (known && kind == SW_PICTURE_SVG),
                                 .title = cli->title,
                                 .width = width / zoom,
                                 .height = height / zoom,
                                 .marks = marks,
                                 .units = cli->units,
                                 .coloring = cli->coloring,
                                 .conditions = cli->conditions};
}

bool sw_picture_write(const struct sw_cli *cli, struct sw_scene *scene, struct sw_error *error) {
    enum sw_picture kind;
    struct sw_theme theme;
    struct sw_sink sink = {0};
    scene->zoom = cli->scale;
    scene->dpi = cli->dpi;
    bool good = sw_picture_of(cli->output, &kind, error) &&
                sw_theme_load(cli->theme ? cli->theme : "light", &theme, error) &&
                sw_export_scene_apart(scene, &theme, kind, &sink, error) && sw_sink_commit(&sink, cli->output, error);
    sw_sink_done(&sink);
    sw_scene_done(scene);
    return good;
}
