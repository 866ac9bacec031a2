#include "cli/allocators/served.h"
#include "base/base.h"

#include "cli/subcommands/compare.h"

void sw_served_look(const struct sw_search *search, struct sw_online_look *look) {
    sw_online_look(sw_search_planner(search), sw_search_planner_state(search), look);
}

const struct sw_planner *sw_served_own(const struct sw_problem *problem, struct sw_error *error) {
    const struct sw_recording *recording = sw_problem_recording(problem);
    const char *name = sw_problem_told_requests(problem)->allocator;
    if (recording) {
        name = strcmp(recording->planner, "ggml") == 0 ? "ggml-dyn" : recording->planner;
        const struct sw_planner *maker = sw_planner_find(name, NULL);
        name = maker && sw_online_kind(maker) ? name : "free-list";
    }
    return sw_planner_find(name, error);
}

bool sw_served_settings(const struct sw_cli *cli, const struct sw_planner *planner, struct sw_params *params,
                        struct sw_error *error) {
    return sw_compare_settings(params, &cli->params, planner, error) &&
           (sw_params_given(params, "start") || sw_params_set(params, "start", "all", error));
}

/* Where the peak is reached, and not in the middle of the request. */
static bool is_at_peak(void *context, const struct sw_search *search, const struct sw_decision *decision) {
    const struct sw_served *served = context;
    struct sw_online_look look;
    (void)decision;
    sw_served_look(search, &look);
    return (look.between && look.served >= served->peak_at) || sw_cli_interrupted();
}

static struct sw_search *start_serving(const struct sw_problem *problem, const struct sw_planner *planner,
                                       const struct sw_params *params, struct sw_error *error) {
    struct sw_search *search = sw_search_new(problem, planner, params, error);
    if (search) {
        sw_search_only_end(search);
    }
    return search;
}

/* All requests were served, or got nothing. */
static bool served_all(enum sw_step step, struct sw_error *error) {
    if (step == SW_STEP_MORE) {
        return sw_fail(error, SW_ERROR_CANCELED, "interrupted");
    }
    bool whole = step == SW_STEP_DONE || error->code == SW_ERROR_INFEASIBLE;
    error->code = whole ? SW_OK : error->code;
    return whole;
}

static bool read_served_figures(const struct sw_search *search, struct sw_served *to) {
    struct {
        const char *key;
        uint64_t *to;
    } figures[] = {{"allocs", &to->allocs},
                   {"ooms", &to->ooms},
                   {"reserved", &to->reserved},
                   {"allocated", &to->allocated},
                   {"requested", &to->requested},
                   {"fragmentation", &to->fragmentation},
                   {"lower_bound_rounded", &to->lower_bound},
                   {"grown", &to->grown},
                   {"segments_grown", &to->made},
                   {"segments_freed", &to->freed},
                   {"releases", &to->releases},
                   {"addresses_crc32", &to->crc}};
    struct sw_details details = {0};
    bool good = sw_search_details(search, &details);
    for (size_t k = 0; k < sizeof figures / sizeof *figures; k++) {
        sw_details_figure(&details, figures[k].key, figures[k].to);
    }
    sw_details_done(&details);
    return good;
}

bool sw_serve(const struct sw_problem *problem, const struct sw_planner *planner, const struct sw_params *params,
              struct sw_served *to, struct sw_error *error) {
    *to = (struct sw_served){.planner = planner, .history = to->history};
    struct sw_search *search = start_serving(problem, planner, params, error);
    bool good = search && served_all(sw_search_run(search, 0, sw_cli_is_interrupted, NULL, error), error);
    if (good) {
        struct sw_online_look look;
        sw_served_look(search, &look);
        to->peak_at = look.peak_at;
        if (to->history) {
            *to->history = *look.history;
        }
        good = read_served_figures(search, to) || sw_fail_memory(error);
    }
    sw_search_free(search);
    return good;
}

struct sw_search *sw_serve_to_peak(const struct sw_problem *problem, const struct sw_params *params,
                                   const struct sw_served *served, struct sw_error *error) {
    struct sw_search *search = start_serving(problem, served->planner, params, error);
    enum sw_step step = SW_STEP_MORE;
    if (search && served->peak_at > 0) {
        step = sw_search_run(search, 0, is_at_peak, (void *)served, error);
    }
    bool good = search && !sw_cli_interrupted() && (step != SW_STEP_FAILED || error->code == SW_ERROR_INFEASIBLE);
    if (search && sw_cli_interrupted()) {
        sw_fail(error, SW_ERROR_CANCELED, "interrupted");
    }
    if (!good) {
        sw_search_free(search);
        return NULL;
    }
    error->code = SW_OK;
    return search;
}

double sw_served_over(const struct sw_served *served) {
    return served->allocated ? (double)served->reserved / (double)served->allocated - 1 : 0;
}

void sw_served_put(const struct sw_served *served, struct sw_json_out *json) {
    SW_PUT_COUNTS(json, {"reserved", served->reserved}, {"allocated", served->allocated},
                  {"requested", served->requested}, {"fragmentation", served->fragmentation}, {"grown", served->grown},
                  {"segments_grown", served->made}, {"segments_freed", served->freed}, {"releases", served->releases},
                  {"ooms", served->ooms}, {"addresses_crc32", served->crc});
    sw_put_number(json, "over_allocated", sw_served_over(served));
}

const char *sw_served_site(const char *origin, char text[SW_SERVED_SITE + 1]) {
    enum {
        MOST_OF_FRAME = 40,
        LEAST_OF_FRAME = 8
    }; /* no frame hides all others; less than that of one tells nothing */
    static const char between[] = " < ";
    size_t used = 0;
    for (const char *at = origin ? origin : ""; *at;) {
        size_t whole = strcspn(at, "\n"), start = used ? used + strlen(between) : 0;
        size_t room = start + LEAST_OF_FRAME > SW_SERVED_SITE ? 0 : SW_SERVED_SITE - start;
        room = room > MOST_OF_FRAME && at[whole] ? MOST_OF_FRAME : room;
        if (room == 0 || (used && room < whole && room < MOST_OF_FRAME)) {
            break;
        }
        size_t length = whole <= room ? whole : sw_utf8_cut(at, whole, room - 3);
        memcpy(text + used, between, start - used);
        memcpy(text + start, at, length);
        memcpy(text + start + length, "...", whole <= room ? 0 : 3);
        used = start + length + (whole <= room ? 0 : 3);
        at += whole + (at[whole] == '\n');
    }
    text[used] = '\0';
    return text;
}
