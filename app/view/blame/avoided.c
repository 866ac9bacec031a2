/* Trying settings of an online allocator one by one. A setting is tried as a user would: by a run of all requests with
 * it. */
#include "view/blame/avoided.h"
#include "base/base.h"
#include "planners/online/worth_trying.h"
#include "planners/planner.h"

enum { SERVED = 120000 }; /* requests to serve for all that is tried */

struct setting_trial {
    const struct sw_search *search;
    const struct sw_worth_trying *settings;
    struct sw_avoided *avoided;
};

static bool reserves_less(const struct sw_avoided_try *a, const struct sw_avoided_try *b) {
    return a->reserved != b->reserved ? a->reserved < b->reserved : a->grown < b->grown;
}

/* Where requests were refused, settings that serve all of them help, whatever they reserve. */
static bool avoiding_setting(const struct sw_avoided_try *one, const struct sw_avoided_try *usual) {
    return one->refused == 0 && (usual->refused > 0 || one->reserved < usual->reserved);
}

static bool read_try_figures(const struct sw_search *search, struct sw_avoided_try *to) {
    struct sw_details details = {0};
    bool good = sw_search_details(search, &details);
    sw_details_figure(&details, "reserved", &to->reserved);
    sw_details_figure(&details, "ooms", &to->refused);
    sw_details_figure(&details, "grown", &to->grown);
    sw_details_done(&details);
    return good;
}

/* The run's own settings and this one. A run that follows a record would do what was recorded under any settings, so
 * all begin with an empty heap. */
static bool set_tried_params(const struct setting_trial *trial, const char *key, const char *value,
                             struct sw_params *params) {
    const struct sw_planner *planner = sw_search_planner(trial->search);
    const struct sw_params *own = sw_search_params(trial->search);
    bool good = sw_params_copy(params, own);
    if (good && strcmp(sw_params_text(own, planner, "start"), "trace") != 0) {
        good = sw_params_set(params, "start", "all", NULL);
    }
    if (good && key && trial->settings->conf) {
        char conf[sizeof((struct sw_setting *)0)->value];
        const char *before = sw_params_text(own, planner, "conf");
        int length = snprintf(conf, sizeof conf, "%s%s%s:%s", before, *before ? "," : "", key, value);
        return (size_t)length < sizeof conf && sw_params_set(params, "conf", conf, NULL);
    }
    return good && (!key || sw_params_set(params, key, value, NULL));
}

/* Key NULL: as it is. Settings that the requests cannot have are not counted as tried. False: no memory. */
static bool run_setting(const struct setting_trial *trial, const char *key, const char *value,
                        struct sw_avoided_try *to, bool *ran) {
    struct sw_params params = {0};
    struct sw_error error = {0};
    *to = (struct sw_avoided_try){.reserved = 0};
    *ran = false;
    if (key) {
        snprintf(to->text, sizeof to->text, "%s%c%s", key, trial->settings->conf ? ':' : '=', value);
    }
    bool good = set_tried_params(trial, key, value, &params);
    struct sw_search *search =
        good ? sw_search_new(sw_search_problem(trial->search), sw_search_planner(trial->search), &params, &error)
             : NULL;
    if (search) {
        sw_search_forget(search);
        enum sw_step step = sw_search_run(search, 0, NULL, NULL, &error);
        *ran = step == SW_STEP_DONE || error.code == SW_ERROR_INFEASIBLE;
        good = !*ran || read_try_figures(search, to);
    }
    sw_search_free(search);
    sw_params_done(&params);
    return good && error.code != SW_ERROR_MEMORY;
}

static bool has_limit(const struct sw_search *search) {
    return sw_problem_tier(sw_search_problem(search), 0)->capacity != SW_UNBOUNDED ||
           strcmp(sw_params_text(sw_search_params(search), sw_search_planner(search), "limit"), "none") != 0;
}

static void keep_best_try(struct sw_avoided *avoided, const struct sw_avoided_try *one) {
    if (!avoiding_setting(one, &avoided->usual)) {
        return;
    }
    avoided->helping++;
    size_t at = avoided->count;
    while (at > 0 && reserves_less(one, &avoided->best[at - 1])) {
        at--;
    }
    if (at < SW_AVOIDED_BEST) {
        avoided->count += avoided->count < SW_AVOIDED_BEST;
        memmove(&avoided->best[at + 1], &avoided->best[at], (avoided->count - 1 - at) * sizeof *one);
        avoided->best[at] = *one;
    }
}

/* One value of each setting, then the next of each, so that a few tries are of different kinds. */
static bool try_all(const struct setting_trial *trial, size_t most) {
    struct sw_avoided *avoided = trial->avoided;
    bool limited = has_limit(trial->search);
    for (size_t v = 1; v < SW_WORTH_VALUES; v++) {
        for (size_t a = 0; a < SW_WORTH_AXES && trial->settings->axes[a].key; a++) {
            const struct sw_worth_axis *axis = &trial->settings->axes[a];
            size_t count = 0;
            while (count < SW_WORTH_VALUES && axis->values[count]) {
                count++;
            }
            if (v >= count || axis->only_with >= 0 || (axis->needs_limit && !limited)) {
                continue;
            }
            struct sw_avoided_try one;
            bool ran;
            if (avoided->tried >= most) {
                avoided->left_out++;
            } else if (!run_setting(trial, axis->key, axis->values[v], &one, &ran)) {
                return false;
            } else if (ran) {
                avoided->tried++;
                keep_best_try(avoided, &one);
            }
        }
    }
    return true;
}

bool sw_avoided_of(const struct sw_search *search, struct sw_avoided *avoided) {
    *avoided = (struct sw_avoided){.none = true};
    struct setting_trial trial = {search, sw_worth_trying(sw_search_planner(search)->name), avoided};
    const struct sw_requests *requests = sw_problem_told_requests(sw_search_problem(search));
    bool ran = false;
    if (!trial.settings) {
        return true;
    }
    avoided->none = false;
    const char *start = sw_params_text(sw_search_params(search), sw_search_planner(search), "start");
    avoided->from_empty = requests && requests->recorded && strcmp(start, "trace") != 0 && strcmp(start, "all") != 0;
    avoided->requests = requests ? requests->items.count + requests->blocks.count
                                 : 2 * (uint64_t)sw_problem_buffer_count(sw_search_problem(search));
    size_t most = SERVED / (size_t)(avoided->requests + 1);
    avoided->too_large = most < 2;
    avoided->partial = requests && requests->partial;
    return avoided->too_large || avoided->partial ||
           (run_setting(&trial, NULL, NULL, &avoided->usual, &ran) && (avoided->none = !ran, true) &&
            (!ran || try_all(&trial, most - 1)));
}
