/* Other settings of the same allocator: the failed request is asked again under each, on the heap as it stands. What a
 * setting would have changed earlier is not claimed. */
#include "base/base.h"
#include "heap/heap_moment.h"
#include "planners/params.h"
#include "view/moment/moment_words.h"

static const struct {
    const char *planner, *key, *value;
    const char *where; /* only where the settings that are told have this one; NULL: in any case */
} tried_settings[] = {
    {"cuda-caching", "expandable_segments", "true", NULL},
    {"cuda-caching", "garbage_collection_threshold", "0.8", NULL},
    {"cuda-caching", "max_split_size_mb", "none", "max_split_size_mb"},
    {"cuda-caching", "max_split_size_mb", "128", NULL},
    {"cuda-caching", "max_split_size_mb", "512", NULL},
    {"cuda-caching", "max_non_split_rounding_mb", "1024", "max_split_size_mb"},
    {"cuda-caching", "roundup_power2_divisions", "0", "roundup_power2_divisions"},
    {"cuda-caching", "large_segment_size_mb", "12", NULL},
    {"bfc-arena", "garbage_collection", "true", NULL},
    {"bfc-arena", "strategy", "same-as-requested", NULL},
};
enum { TRIED_SETTINGS = sizeof tried_settings / sizeof *tried_settings };

/* Is it served, however its size was rounded (`most`); or at least if it was rounded up? */
static bool is_served_under(const struct sw_moment *moment, const char *key, const char *value, bool most,
                            struct sw_error *error) {
    struct sw_params params = SW_PARAMS_DEFAULT;
    bool served = false;
    bool good = sw_params_set(&params, key, value, error) && sw_moment_ask_again(moment, &params, most, &served, error);
    sw_params_done(&params);
    return good && served;
}

void sw_moment_put_settings(const struct sw_moment *moment, struct sw_sink *out) {
    struct sw_params params = SW_PARAMS_DEFAULT;
    struct sw_error error = {0};
    bool served = true;
    struct sw_sink failing = {0}; /* "a=1, b=2" */
    unsigned tried = 0, found = 0;
    bool asked = sw_moment_ask_again(moment, &params, false, &served, &error);
    if (!asked ||
        served) { /* it cannot be asked again; or by what is told it was to fit, and no setting is its reason */
        out->failed |= error.code == SW_ERROR_MEMORY;
        return;
    }
    for (unsigned i = 0; i < TRIED_SETTINGS; i++) {
        const char *where = tried_settings[i].where;
        if (strcmp(tried_settings[i].planner, moment->planner) != 0 || (where && !strstr(moment->settings, where))) {
            continue;
        }
        struct sw_error why = {0};
        const char *key = tried_settings[i].key, *value = tried_settings[i].value;
        bool fits = is_served_under(moment, key, value, true, &why);
        bool fails = !fits && (moment->failure.about == 0 || !is_served_under(moment, key, value, false, &why));
        out->failed |= why.code == SW_ERROR_MEMORY;
        if (fails && why.code == SW_OK) {
            sw_sink_printf(&failing, "%s%s=%s", tried++ ? ", " : "", key, value);
        }
        if (fits) {
            sw_sink_printf(out, found++ ? ", or %s=%s" : "Asked again on the heap as it stands, it fits with %s=%s",
                           key, value);
        }
    }
    if (found > 0) {
        sw_sink_printf(out, ".\n");
    } else if (tried > 0) {
        const char *all = sw_sink_ended(&failing);
        out->failed |= !all;
        sw_sink_printf(out, "Asked again on the heap as it stands, it fails with %s%s, too.\n",
                       tried > 1 ? "each of " : "", all ? all : "");
    }
    sw_sink_done(&failing);
}
