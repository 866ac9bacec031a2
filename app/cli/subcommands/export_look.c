/* What a picture of an export looks at: --highlight, --time, --address, and how it is to be made. */
#include "cli/shared/pictures.h"
#include "base/base.h"

#include <sys/stat.h>

/* --time: the steps that a part of raw time meets. */
static bool show_time_range(const struct sw_cli *cli, const struct sw_problem *problem, struct sw_viewport *port,
                            struct sw_error *error) {
    uint32_t steps = sw_problem_steps(problem), lo = 0, hi = steps;
    if (steps == 0 || cli->time_hi < sw_problem_time(problem, 0) || cli->time_lo >= sw_problem_time(problem, steps)) {
        return sw_fail(error, SW_ERROR_USAGE,
                       "--time %" PRId64 ":%" PRId64 " meets nothing: time runs from %" PRId64 " to %" PRId64,
                       cli->time_lo, cli->time_hi, steps ? sw_problem_time(problem, 0) : 0,
                       steps ? sw_problem_time(problem, steps) - 1 : 0);
    }
    while (lo + 1 < steps && sw_problem_time(problem, lo + 1) <= cli->time_lo) {
        lo++;
    }
    while (hi > lo + 1 && sw_problem_time(problem, hi - 1) > cli->time_hi) {
        hi--;
    }
    port->time_lo = lo;
    port->time_hi = hi;
    return true;
}

/* Nothing lies, and no line is drawn, above this address. */
static uint64_t highest_address(const struct sw_search *search) {
    const struct sw_problem *problem = sw_search_problem(search);
    uint64_t top = sw_layout_arena(sw_search_layout(search), 0);
    uint64_t bound = sw_problem_lower_bound(problem);
    return top > bound ? top : bound;
}

/* --highlight, --time and --address. */
static bool look_at_parts(const struct sw_cli *cli, struct sw_view_input *in, struct sw_error *error) {
    const struct sw_problem *problem = sw_search_problem(in->run.search);
    if (cli->highlight) {
        in->look.selected = sw_problem_find_buffer(problem, cli->highlight);
        uint32_t member = sw_problem_find_member(problem, cli->highlight);
        if (in->look.selected == SW_NONE && member == SW_NONE) {
            return sw_fail(error, SW_ERROR_USAGE, "--highlight: there is no buffer '%s'", cli->highlight);
        }
        in->look.selected =
            in->look.selected == SW_NONE ? sw_problem_member(problem, member)->buffer : in->look.selected;
    }
    if (sw_cli_given(cli, "address")) {
        if (in->look.tier == SW_NONE) {
            return sw_fail(error, SW_ERROR_USAGE, "--address speaks of one memory, and here are several");
        }
        if (cli->address_hi <= in->run.base) {
            return sw_fail(error, SW_ERROR_USAGE, "--address ends below the base address");
        }
        uint64_t lo = cli->address_lo > in->run.base ? cli->address_lo - in->run.base : 0;
        uint64_t top = highest_address(in->run.search);
        if (lo >= top) {
            return sw_fail(error, SW_ERROR_USAGE,
                           "--address %" PRIu64 ":%" PRIu64 " meets nothing: memory is used from "
                           "%" PRIu64 " to %" PRIu64,
                           cli->address_lo, cli->address_hi, in->run.base, in->run.base + top);
        }
        in->look.viewport.bytes_lo = (double)lo;
        in->look.viewport.bytes_hi = (double)(cli->address_hi - in->run.base);
        if (!(in->look.viewport.bytes_lo < in->look.viewport.bytes_hi)) { /* as far as doubles tell */
            return sw_fail(error, SW_ERROR_USAGE, "--address: that part is too small to be drawn");
        }
    }
    return !sw_cli_given(cli, "time") || show_time_range(cli, problem, &in->look.viewport, error);
}

/* How long the input is; 0 when it is no plain file. */
static uint64_t size_of_file(const char *path) {
    struct stat about;
    return stat(path, &about) == 0 && S_ISREG(about.st_mode) ? (uint64_t)about.st_size : 0;
}

bool sw_export_look(const struct sw_cli *cli, struct sw_search *search, uint64_t digest, struct sw_view_input *in,
                    struct sw_error *error) {
    bool several = sw_problem_tier_count(sw_search_problem(search)) > 1;
    *in = (struct sw_view_input){.run.search = search,
                                 .run.input_name = cli->files[0],
                                 .run.input_digest = digest,
                                 .run.input_bytes = size_of_file(cli->files[0]),
                                 .look.selected = SW_NONE,
                                 .look.cursor = SW_NONE,
                                 .look.candidate = SW_NONE,
                                 .look.tier = several ? SW_NONE : 0,
                                 .look.viewport = sw_viewport_all(search, 0),
                                 .look.coloring = cli->coloring,
                                 .run.base = cli->base,
                                 .run.conditions = cli->conditions,
                                 .units = cli->units};
    return sw_coloring_suits(sw_search_problem(search), cli->coloring, error) && look_at_parts(cli, in, error);
}

struct sw_export sw_export_options(const struct sw_cli *cli) {
    return (struct sw_export){.view = cli->view,
                              .theme = cli->theme,
                              .title = cli->title,
                              .width = cli->width,
                              .height = cli->height,
                              .scale = cli->scale,
                              .dpi = cli->dpi};
}

enum sw_export_way sw_export_way(const struct sw_cli *cli) {
    return cli->view && !strcmp(cli->view, "filmstrip") ? SW_EXPORT_FILM
           : cli->frames                                ? SW_EXPORT_FRAMES
           : sw_cli_given(cli, "steps")                 ? SW_EXPORT_ANIMATION
                                                        : SW_EXPORT_ONE;
}
