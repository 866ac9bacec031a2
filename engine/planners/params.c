/* Parameters: remembered as text, checked against a planner's list, read by type. */
#include "base/described.h"
#include "base/base.h"
#include "planners/planner.h"

#include <errno.h>

/* NULL: there is none. */
static struct sw_setting *find_setting(const struct sw_params *params, const char *key) {
    for (size_t i = 0; params && i < params->settings.count; i++) {
        if (strcmp(params->settings.items[i].key, key) == 0) {
            return &params->settings.items[i];
        }
    }
    return NULL;
}

bool sw_params_set(struct sw_params *params, const char *key, const char *value, struct sw_error *error) {
    struct sw_setting setting = {.key = ""};
    if (key[0] == '\0' || strlen(key) >= sizeof setting.key) {
        return sw_fail(error, SW_ERROR_USAGE, "'%s' cannot be the name of a parameter", key);
    }
    if (strlen(value) >= sizeof setting.value) {
        return sw_fail(error, SW_ERROR_USAGE, "the value of %s is longer than %zu bytes", key,
                       sizeof setting.value - 1);
    }
    memcpy(setting.key, key, strlen(key) + 1);
    memcpy(setting.value, value, strlen(value) + 1);
    struct sw_setting *known = find_setting(params, key);
    if (known) {
        *known = setting;
        return true;
    }
    if (params->settings.count == SW_MAX_SETTINGS) {
        return sw_fail(error, SW_ERROR_USAGE, "more than %d settings", SW_MAX_SETTINGS);
    }
    return SW_PUSH(&params->settings, setting) || sw_fail_memory(error);
}

bool sw_params_add(struct sw_params *params, const char *settings, struct sw_error *error) {
    struct sw_setting one;
    for (const char *at = settings; *at;) {
        size_t whole = strcspn(at, ","), key = strcspn(at, "=");
        if (key < whole && key < sizeof one.key && whole - key - 1 < sizeof one.value) {
            memcpy(one.key, at, key);
            one.key[key] = '\0';
            memcpy(one.value, at + key + 1, whole - key - 1);
            one.value[whole - key - 1] = '\0';
            if (!sw_params_given(params, one.key) && !sw_params_set(params, one.key, one.value, error)) {
                return false;
            }
        }
        at += whole + (at[whole] == ',');
    }
    return true;
}

bool sw_params_tell(struct sw_params *params, const struct sw_planner *planner, struct sw_error *error) {
    return !planner->tells || sw_params_given(params, planner->tells) ||
           sw_params_set(params, planner->tells, "true", error);
}

static const struct sw_parameter *find_parameter(const struct sw_planner *planner, const char *key) {
    for (const struct sw_parameter *p = planner->parameters; p && p->name; p++) {
        if (strcmp(p->name, key) == 0) {
            return p;
        }
    }
    return NULL;
}

static bool parse_bool(const char *text, bool *value) {
    *value = strcmp(text, "true") == 0 || strcmp(text, "True") == 0; /* as Python has it, too */
    return *value || strcmp(text, "false") == 0 || strcmp(text, "False") == 0;
}

static bool parse_integer(const char *text, int64_t *value) {
    char *end;
    errno = 0;
    *value = strtoll(text, &end, 10);
    return errno == 0 && end != text && *end == '\0';
}

static bool parse_number(const char *text, double *value) {
    char *end;
    errno = 0;
    *value = strtod(text, &end);
    return errno == 0 && end != text && *end == '\0' && isfinite(*value);
}

/* A word with a number: "beam:N" stands for beam:1, beam:2, ... up to the highest. */
static bool is_numbered(const struct sw_parameter *p, const char *word, const char *text) {
    size_t length = strlen(word);
    int64_t number;
    return length > 2 && strcmp(word + length - 2, ":N") == 0 && strncmp(word, text, length - 1) == 0 &&
           parse_integer(text + length - 1, &number) && number >= 1 && (double)number <= p->highest;
}

static bool is_choice(const struct sw_parameter *p, const char *text) {
    for (const char *const *c = p->choices; c && *c; c++) {
        bool pattern = strstr(*c, ":N") != NULL;
        if (pattern ? is_numbered(p, *c, text) : strcmp(*c, text) == 0) {
            return true;
        }
    }
    return false;
}

/* Some of the words, each at most once, with commas between. */
static bool is_list_parameter(const struct sw_parameter *p, const char *text) {
    uint64_t seen = 0;
    for (;;) {
        size_t length = strcspn(text, ","), found = 64;
        for (size_t i = 0; i < 64 && p->choices[i]; i++) {
            found = strlen(p->choices[i]) == length && memcmp(p->choices[i], text, length) == 0 ? i : found;
        }
        if (found == 64 || seen >> found & 1) {
            return false;
        }
        seen |= UINT64_C(1) << found;
        if (text[length] == '\0') {
            return true;
        }
        text += length + 1;
    }
}

static bool check_parameter_value(const struct sw_planner *planner, const struct sw_parameter *p, const char *text,
                                  struct sw_error *error) {
    char legal[160] = "";
    bool yes, list = p->type == SW_PARAMETER_LIST;
    int64_t integer;
    double number;
    switch (p->type) {
    case SW_PARAMETER_BOOL:
        if (parse_bool(text, &yes)) {
            return true;
        }
        SW_TEXT_ADD(legal, "true or false");
        break;
    case SW_PARAMETER_INTEGER:
        if (is_choice(p, text) ||
            (parse_integer(text, &integer) && (double)integer >= p->lowest && (double)integer <= p->highest)) {
            return true;
        }
        snprintf(legal, sizeof legal, "a whole number from %.0f to %.0f", p->lowest, p->highest);
        for (const char *const *c = p->choices; c && *c; c++) {
            SW_TEXT_ADD(legal, " or %s", *c);
        }
        break;
    case SW_PARAMETER_NUMBER:
        if (parse_number(text, &number) && number >= p->lowest && number <= p->highest) {
            return true;
        }
        snprintf(legal, sizeof legal, "a number from %g to %g", p->lowest, p->highest);
        break;
    case SW_PARAMETER_TEXT:
        return true;
    case SW_PARAMETER_PLANNER:
        return is_choice(p, text) || sw_planner_find(text, error);
    case SW_PARAMETER_LIST:
    case SW_PARAMETER_CHOICE:
        if (list ? is_list_parameter(p, text) : is_choice(p, text)) {
            return true;
        }
        SW_TEXT_ADD(legal, "%s", list ? "some of" : "one of");
        for (const char *const *c = p->choices; c && *c; c++) {
            SW_TEXT_ADD(legal, "%s%s", c == p->choices ? " " : ", ", *c);
        }
        SW_TEXT_ADD(legal, "%s", list ? ", each once, with commas between" : "");
        break;
    }
    return sw_fail(error, SW_ERROR_USAGE, "parameter %s of %s must be %s, not '%s'", p->name, planner->name, legal,
                   text);
}

/* The planners that have such a parameter: "; a, b have it". Nothing when none has. */
static void name_owners(char *text, size_t size, const char *key) {
    bool any = false;
    for (size_t i = 0; i < sw_planner_count(); i++) {
        if (find_parameter(sw_planner_get(i), key)) {
            sw_text_add(text, size, "%s%s", any ? ", " : "; it belongs to ", sw_planner_get(i)->name);
            any = true;
        }
    }
}

bool sw_params_unknown(const struct sw_planner *planner, const char *key, struct sw_error *error) {
    const char *like = NULL;
    char text[1024] = "", names[1024] = "";
    for (const struct sw_parameter *p = planner->parameters; p && p->name; p++) {
        like = sw_word_nearer(key, like, p->name);
        SW_TEXT_ADD(names, "%s%s", *names ? ", " : "", p->name);
    }
    if (like) {
        SW_TEXT_ADD(text, "; did you mean %s?", like);
    } else {
        name_owners(text, sizeof text, key);
    }
    return sw_fail(error, SW_ERROR_USAGE, "%s has no parameter '%s'; it has %s%s", planner->name, key,
                   *names ? names : "none", text);
}

bool sw_params_check(const struct sw_params *params, const struct sw_planner *planner, struct sw_error *error) {
    for (size_t i = 0; i < params->settings.count; i++) {
        const struct sw_setting *setting = &params->settings.items[i];
        const struct sw_parameter *p = find_parameter(planner, setting->key);
        if (!p) {
            return sw_params_unknown(planner, setting->key, error);
        }
        if (!check_parameter_value(planner, p, setting->value, error)) {
            return false;
        }
    }
    return !planner->legal || planner->legal(params, planner, error);
}

#define STATE struct sw_params
static const struct sw_described params_described = {SW_STRUCT,
                                                     .fields = SW_FIELDS(SW_KEPT(seed, tier_rules), SW_LIST(settings))};
#undef STATE

bool sw_params_copy(struct sw_params *to, const struct sw_params *from) {
    return sw_described_copy(&params_described, to, from);
}

void sw_params_done(struct sw_params *params) {
    SW_ARRAY_DONE(&params->settings);
}

bool sw_params_given(const struct sw_params *params, const char *key) {
    return find_setting(params, key) != NULL;
}

const char *sw_params_text(const struct sw_params *params, const struct sw_planner *planner, const char *key) {
    const struct sw_setting *setting = find_setting(params, key);
    const struct sw_parameter *p = setting ? NULL : find_parameter(planner, key);
    const struct sw_setting *choices = setting ? NULL : find_setting(params, "choices");
    bool plain = choices && strcmp(choices->value, "plain") == 0;
    for (const struct sw_plain_choice *c = plain ? planner->plain : NULL; c && c->name; c++) {
        if (strcmp(c->name, key) == 0) {
            return c->value;
        }
    }
    return setting ? setting->value : p ? p->fallback : "";
}

bool sw_params_bool(const struct sw_params *params, const struct sw_planner *planner, const char *key) {
    bool value = false;
    return parse_bool(sw_params_text(params, planner, key), &value) && value;
}

int64_t sw_params_integer(const struct sw_params *params, const struct sw_planner *planner, const char *key) {
    int64_t value = 0;
    return parse_integer(sw_params_text(params, planner, key), &value) ? value : 0;
}

double sw_params_number(const struct sw_params *params, const struct sw_planner *planner, const char *key) {
    double value = 0;
    return parse_number(sw_params_text(params, planner, key), &value) ? value : 0;
}
