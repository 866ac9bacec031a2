/* cuda-caching: its settings, one by one under their real names, or as the text that users put into
 * PYTORCH_CUDA_ALLOC_CONF. */
#include "heap/caching/cuda_caching.h"
#include "base/base.h"
#include "planners/planner.h"

static const char *const none[] = {"none", NULL}, *const conf_form[] = {"key:value,...", NULL},
                         *const divisions_form[] = {"N or [256:N,512:N,...,>:N]", NULL};
const struct sw_parameter sw_cuda_caching_parameters[] = {
    {"conf", SW_PARAMETER_TEXT, "", 0, 0, conf_form, "All settings at once, as in PYTORCH_CUDA_ALLOC_CONF"},
    {"max_split_size_mb", SW_PARAMETER_INTEGER, "none", 20, 1 << 30, none,
     "Blocks of so many MiB or more are never split"},
    {"max_non_split_rounding_mb", SW_PARAMETER_INTEGER, "20", 1, 1 << 30, NULL,
     "A block of max_split_size_mb or more serves if it is less than so many MiB too large"},
    {"roundup_power2_divisions", SW_PARAMETER_TEXT, "0", 0, 0, divisions_form,
     "Sizes are rounded up to a power of two divided by this; 0: to 512 B"},
    {"expandable_segments", SW_PARAMETER_BOOL, "false", 0, 0, NULL,
     "Map pages in ranges of addresses in place of whole segments"},
    {"garbage_collection_threshold", SW_PARAMETER_NUMBER, "0", 0, 1, NULL,
     "With a limit: give back old segments where more than this part of it is reserved; 0: off"},
    {"large_segment_size_mb", SW_PARAMETER_INTEGER, "20", 11, 1 << 20, NULL,
     "Segments for requests of 1 to 10 MiB have so many MiB"},
    {"device_memory", SW_PARAMETER_INTEGER, "85899345920", 1, 2305843009213693952.0, NULL, "Bytes that the device has"},
    SW_ONLINE_PARAMETERS,
    {NULL, 0, NULL, 0, 0, NULL, NULL},
};

/* Settings of PyTorch that do not change where anything lies. */
static const char *const passed_over[] = {"backend",
                                          "release_lock_on_cudamalloc",
                                          "release_lock_on_hipmalloc",
                                          "pinned_use_cuda_host_register",
                                          "pinned_use_hip_host_register",
                                          "pinned_num_register_threads",
                                          "pinned_use_background_threads",
                                          "pinned_reserve_segment_size_mb",
                                          "graph_capture_record_stream_reuse",
                                          "throw_on_cudamalloc_oom",
                                          "per_process_memory_fraction",
                                          NULL};

/* A piece of the text. */
struct word {
    const char *at;
    size_t length;
};

static bool is_setting_word(struct word word, const char *text) {
    return strlen(text) == word.length && memcmp(word.at, text, word.length) == 0;
}

static struct word trim(struct word word) {
    while (word.length > 0 && *word.at == ' ') {
        word.at++;
        word.length--;
    }
    while (word.length > 0 && word.at[word.length - 1] == ' ') {
        word.length--;
    }
    return word;
}

/* Up to `end` or a comma that is not in brackets. */
static struct word next_setting_item(const char **text) {
    struct word item = {*text, 0};
    bool inside = false;
    for (; item.at[item.length] && (inside || item.at[item.length] != ','); item.length++) {
        inside = item.at[item.length] == '[' || (inside && item.at[item.length] != ']');
    }
    *text = item.at + item.length + (item.at[item.length] == ',');
    return trim(item);
}

static bool setting_number(struct word word, uint64_t lowest, uint64_t highest, uint64_t *to) {
    char text[24], *end;
    if (word.length == 0 || word.length >= sizeof text || *word.at < '0' || *word.at > '9') {
        return false;
    }
    memcpy(text, word.at, word.length);
    text[word.length] = '\0';
    *to = strtoull(text, &end, 10);
    return *end == '\0' && *to >= lowest && *to <= highest;
}

static bool is_division(uint64_t d) {
    return d <= (UINT64_C(1) << 20) && (d & (d - 1)) == 0;
}

static bool read_slots(struct caching_settings *to, struct word list) {
    size_t last = 0;
    bool first = true;
    list = (struct word){list.at + 1, list.length - 2};
    while (list.length > 0) {
        const char *comma = memchr(list.at, ',', list.length);
        struct word item = {list.at, comma ? (size_t)(comma - list.at) : list.length};
        const char *colon = memchr(item.at, ':', item.length);
        uint64_t size, d;
        if (!colon ||
            !setting_number(trim((struct word){colon + 1, item.length - (size_t)(colon + 1 - item.at)}), 0, 1 << 20,
                            &d) ||
            !is_division(d)) {
            return false;
        }
        struct word key = trim((struct word){item.at, (size_t)(colon - item.at)});
        if (is_setting_word(key, ">")) {
            for (size_t i = last; i < 16; i++) {
                to->divisions[i] = d;
            }
        } else if (setting_number(key, 1, UINT64_C(1) << 40, &size) && (size & (size - 1)) == 0) {
            last = sw_heap_log2(size);
            last = last > 15 ? 15 : last;
            for (size_t i = first ? 0 : last; i <= last; i++) {
                to->divisions[i] = d;
            }
        } else {
            return false;
        }
        first = false;
        size_t used = item.length + (comma ? 1 : 0);
        list = (struct word){list.at + used, list.length - used};
    }
    return !first;
}

static bool read_divisions(struct caching_settings *to, struct word value) {
    uint64_t d;
    if (value.length > 2 && value.at[0] == '[' && value.at[value.length - 1] == ']') {
        return read_slots(to, value);
    }
    if (!setting_number(value, 0, 1 << 20, &d) || !is_division(d)) {
        return false;
    }
    for (size_t i = 0; i < 16; i++) {
        to->divisions[i] = d;
    }
    return true;
}

static bool read_threshold(struct caching_settings *to, struct word value) {
    char text[32], *end;
    if (value.length == 0 || value.length >= sizeof text) {
        return false;
    }
    memcpy(text, value.at, value.length);
    text[value.length] = '\0';
    to->threshold = strtod(text, &end);
    return *end == '\0' && to->threshold >= 0 && to->threshold < 1;
}

/* A setting; `must` receives what its value must be when it is not. NULL in `must`: there is no such setting. */
static bool read_caching_setting(struct caching_settings *to, struct word key, struct word value, const char **must) {
    uint64_t n = 0;
    if (is_setting_word(key, "max_split_size_mb")) {
        *must = "a whole number of MiB from 20 on";
        bool off = is_setting_word(value, "none"), good = off || setting_number(value, 20, UINT64_C(1) << 40, &n);
        to->max_split = off ? SW_UNBOUNDED : n * SW_MIB;
        return good;
    }
    if (is_setting_word(key, "max_non_split_rounding_mb")) {
        *must = "a whole number of MiB from 1 on";
        bool good = setting_number(value, 1, UINT64_C(1) << 40, &n);
        to->non_split_rounding = n * SW_MIB;
        return good;
    }
    if (is_setting_word(key, "large_segment_size_mb")) {
        *must = "a whole number of MiB from 11 on";
        bool good = setting_number(value, 11, UINT64_C(1) << 20, &n);
        to->large_segment = n * SW_MIB;
        return good;
    }
    if (is_setting_word(key, "roundup_power2_divisions")) {
        *must = "a power of two, or a list as in [256:1,512:2,>:4]";
        return read_divisions(to, value);
    }
    if (is_setting_word(key, "expandable_segments")) {
        *must = "True or False";
        to->expandable = is_setting_word(value, "True") || is_setting_word(value, "true");
        return to->expandable || is_setting_word(value, "False") || is_setting_word(value, "false");
    }
    if (is_setting_word(key, "garbage_collection_threshold")) {
        *must = "a number from 0 to below 1";
        return read_threshold(to, value);
    }
    *must = NULL;
    for (const char *const *known = passed_over; *known; known++) {
        if (is_setting_word(key, *known)) {
            return true;
        }
    }
    return false;
}

/* From a text `key:value,...`, over what there is. False: it is not legal, which is said. */
static bool parse_caching_settings(struct caching_settings *to, const char *text, struct sw_error *error) {
    while (*text) {
        struct word item = next_setting_item(&text);
        const char *colon = memchr(item.at, ':', item.length), *must;
        if (item.length == 0) {
            continue;
        }
        if (!colon) {
            return sw_fail(error, SW_ERROR_USAGE, "conf must be key:value,..., not '%.*s'", (int)item.length, item.at);
        }
        struct word key = trim((struct word){item.at, (size_t)(colon - item.at)});
        struct word value = trim((struct word){colon + 1, item.length - (size_t)(colon + 1 - item.at)});
        if (read_caching_setting(to, key, value, &must)) {
            continue;
        }
        return must
                   ? sw_fail(error, SW_ERROR_USAGE, "%.*s must be %s, not '%.*s'", (int)key.length, key.at, must,
                             (int)value.length, value.at)
                   : sw_fail(error, SW_ERROR_USAGE,
                             "cuda-caching has no setting '%.*s'; it has max_split_size_mb, max_non_split_rounding_mb, "
                             "roundup_power2_divisions, expandable_segments, garbage_collection_threshold, "
                             "large_segment_size_mb",
                             (int)key.length, key.at);
    }
    return true;
}

bool sw_caching_settings_read(struct caching_settings *to, const struct sw_params *params,
                              const struct sw_planner *planner, struct sw_error *error) {
    struct caching_settings conf = {
        .max_split = SW_UNBOUNDED, .non_split_rounding = 20 * SW_MIB, .large_segment = 20 * SW_MIB};
    if (!parse_caching_settings(&conf, sw_params_text(params, planner, "conf"), error)) {
        return false;
    }
    for (const struct sw_parameter *p = sw_cuda_caching_parameters + 1; strcmp(p->name, "device_memory") != 0; p++) {
        struct caching_settings one = conf;
        const char *text = sw_params_text(params, planner, p->name), *must;
        if (!sw_params_given(params, p->name)) {
            continue;
        }
        if (!read_caching_setting(&one, (struct word){p->name, strlen(p->name)}, (struct word){text, strlen(text)},
                                  &must)) {
            return sw_fail(error, SW_ERROR_USAGE, "parameter %s of %s must be %s, not '%s'", p->name, planner->name,
                           must, text);
        }
        conf = one;
    }
    *to = conf;
    return true;
}

bool sw_cuda_caching_legal(const struct sw_params *params, const struct sw_planner *planner, struct sw_error *error) {
    struct caching_settings settings;
    return sw_caching_settings_read(&settings, params, planner, error);
}
