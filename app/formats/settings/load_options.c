#include "formats/settings/load_options.h"

#include "formats/graphs/order_file.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define ALL 0, NULL
#define HEEDED(by, why) SW_HEEDS_##by, why
#define WORDS(...) ((const char *const[]){__VA_ARGS__, NULL})

static const struct row {
    const char *name;
    enum sw_load_kind kind;
    size_t at;       /* of the field */
    unsigned heeds;  /* enum sw_heeds: formats without this bit refuse it; 0: none does */
    const char *why; /* they do */
    struct sw_value_type type;
} rows[] = {
#define X(name, how, field, heeded, value, ...) \
    {name,                                      \
     SW_LOAD_##how,                             \
     offsetof(struct sw_load_options, field),   \
     heeded,                                    \
     {.kind = SW_VALUE_##value, .size = sizeof((struct sw_load_options *)0)->field, __VA_ARGS__}},
#include "formats/settings/load_options.def"
#undef X
};

const struct sw_value_type *sw_load_option_type(enum sw_load_option option) {
    return &rows[option].type;
}

enum sw_load_option sw_load_option_find(const char *name) {
    unsigned at = 0;
    while (at < SW_LOAD_OPTIONS && strcmp(rows[at].name, name) != 0) {
        at++;
    }
    return at;
}

static bool is_file(const struct row *row, const char *value) {
    bool word = row == &rows[SW_LOAD_OPTION_order] && sw_order_of(value) != SW_ORDER_OF_FILE;
    return row->kind == SW_LOAD_FILE && !word;
}

bool sw_load_option_is_file(const char *name, const char *value) {
    enum sw_load_option at = sw_load_option_find(name);
    return at < SW_LOAD_OPTIONS && is_file(&rows[at], value);
}

static void tell_settings(const struct sw_params *params, const char *name, sw_load_tell *tell, void *context) {
    for (size_t i = 0; params && i < params->settings.count; i++) {
        const struct sw_setting *setting = &params->settings.items[i];
        char text[sizeof setting->key + sizeof setting->value + 2];
        snprintf(text, sizeof text, "%s=%s", setting->key, setting->value);
        tell(context, name, SW_LOAD_SETTINGS, text);
    }
}

/* The value of a row as text, in `digits` where it is none already, the first key of settings; NULL: it was not given.
 */
static const char *text_of(const struct sw_load_options *options, const struct row *row, char digits[24]) {
    const void *field = (const char *)options + row->at;
    switch (row->kind) {
    case SW_LOAD_SIZE:
        snprintf(digits, 24, "%" PRIu64, options->capacity);
        return options->has_capacity ? digits : NULL;
    case SW_LOAD_FILE:
    case SW_LOAD_TEXT:
        return *(const char *const *)field;
    case SW_LOAD_FLAG:
        return *(const bool *)field ? "" : NULL;
    case SW_LOAD_SWITCH:
        return *(const bool *)field ? row->type.words[1] : NULL;
    case SW_LOAD_CHOICE:
        return *(const unsigned *)field ? row->type.words[*(const unsigned *)field - 1] : NULL;
    case SW_LOAD_SETTINGS:
        break;
    }
    const struct sw_params *params = *(const struct sw_params *const *)field;
    return params && params->settings.count > 0 ? params->settings.items[0].key : NULL;
}

bool sw_load_options_heeded(const struct sw_load_options *options, unsigned heeds, struct sw_error *error) {
    for (const struct row *row = rows; row < rows + SW_LOAD_OPTIONS; row++) {
        char digits[24];
        const char *text = text_of(options, row, digits);
        bool names = row->kind == SW_LOAD_FILE || row->kind == SW_LOAD_SETTINGS;
        if (text && (row->heeds & ~heeds)) {
            return sw_fail(error, SW_ERROR_USAGE, "--%s%s%s: %s", row->name, names ? " " : "", names ? text : "",
                           row->why);
        }
    }
    return true;
}

void sw_load_options_tell(const struct sw_load_options *options, sw_load_tell *tell, void *context) {
    for (const struct row *row = rows; row < rows + SW_LOAD_OPTIONS; row++) {
        char digits[24];
        const char *text = text_of(options, row, digits);
        if (row->kind == SW_LOAD_SETTINGS) {
            tell_settings(*(const struct sw_params *const *)((const char *)options + row->at), row->name, tell,
                          context);
        } else if (text) {
            tell(context, row->name, row->kind == SW_LOAD_FILE && !is_file(row, text) ? SW_LOAD_TEXT : row->kind, text);
        }
    }
}

static void drop_text(char *text) {
    if (text) {
        SW_FREE(text, strlen(text) + 1);
    }
}

static bool take_text(char **text, const char *value, struct sw_error *error) {
    char *copy = SW_NEW(char, strlen(value) + 1);
    if (!copy) {
        return sw_fail_memory(error);
    }
    strcpy(copy, value);
    drop_text(*text);
    *text = copy;
    return true;
}

bool sw_load_options_take(struct sw_load_options *own, enum sw_load_option option, const char *value,
                          struct sw_error *error) {
    const struct row *row = &rows[option];
    void *field = (char *)own + row->at;
    const char *text = value;
    if (row->kind == SW_LOAD_FILE || row->kind == SW_LOAD_TEXT) {
        return sw_value_take(&row->type, row->name, text, &text, error) && take_text(field, text, error);
    }
    if (row->kind == SW_LOAD_SETTINGS) {
        struct sw_params **params = field;
        field = *params = *params ? *params : SW_NEW_ZERO(struct sw_params, 1);
    }
    own->has_capacity |= row->kind == SW_LOAD_SIZE;
    return field ? sw_value_take(&row->type, row->name, text, field, error) : sw_fail_memory(error);
}

/* ---- copies ---- */

struct copy {
    struct sw_load_options *to;
    bool good;
};

static void copy_one(void *context, const char *name, enum sw_load_kind kind, const char *value) {
    struct copy *copy = context;
    (void)kind;
    copy->good = copy->good && sw_load_options_take(copy->to, sw_load_option_find(name), value, NULL);
}

bool sw_load_options_copy(struct sw_load_options *to, const struct sw_load_options *from) {
    struct copy copy = {.to = to, .good = true};
    to->trust = from->trust;
    to->grows = from->grows;
    sw_load_options_tell(from, copy_one, &copy);
    return copy.good;
}

void sw_load_options_done(struct sw_load_options *own) {
    for (const struct row *row = rows; row < rows + SW_LOAD_OPTIONS; row++) {
        void *field = (char *)own + row->at;
        if (row->kind == SW_LOAD_FILE || row->kind == SW_LOAD_TEXT) {
            drop_text(*(char **)field);
        } else if (row->kind == SW_LOAD_SETTINGS && *(struct sw_params **)field) {
            sw_params_done(*(struct sw_params **)field);
            SW_FREE(*(struct sw_params **)field, 1);
        }
    }
    *own = (struct sw_load_options){.trust = false};
}
