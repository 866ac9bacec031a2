#include "formats/settings/load_options.h"
#include "base/base.h"

#include "formats/graphs/order_file.h"

#define ALL 0, NULL
#define HEEDED(by, why) SW_HEEDS_##by, why
#define ESP_VERSION_WORDS(name, text, since) \
    , "esp-nn@" text, "esp-nn@" text ":ansi", "esp-nn@" text ":s3", "esp-nn@" text ":p4"
#define CMSIS_VERSION_WORDS(name, text, since) \
    , "cmsis-nn@" text, "cmsis-nn@" text ":none", "cmsis-nn@" text ":dsp", "cmsis-nn@" text ":mve"
#define OPTION_WORDS(...) ((const char *const[]){__VA_ARGS__, NULL})

static const struct load_row {
    const char *name;
    size_t at;       /* of the field */
    unsigned heeds;  /* enum sw_heeds: formats without this bit refuse it; 0: none does */
    const char *why; /* they do */
    struct sw_value_type type;
} load_rows[] = {
#define LOAD_OPTION(name, field, heeded, value, ...) \
    {name,                                           \
     offsetof(struct sw_load_options, field),        \
     heeded,                                         \
     {.kind = SW_VALUE_##value, .size = sizeof((struct sw_load_options *)0)->field, __VA_ARGS__}},
#include "formats/settings/load_options.def"
#undef LOAD_OPTION
};

const char *sw_load_option_name(enum sw_load_option option) {
    return load_rows[option].name;
}

const struct sw_value_type *sw_load_option_type(enum sw_load_option option) {
    return &load_rows[option].type;
}

enum sw_load_option sw_load_option_find(const char *name) {
    unsigned at = 0;
    while (at < SW_LOAD_OPTIONS && strcmp(load_rows[at].name, name) != 0) {
        at++;
    }
    return at;
}

bool sw_load_option_is_file(enum sw_load_option option, const char *value) {
    bool word = option == SW_LOAD_OPTION_order && sw_order_of(value) != SW_ORDER_OF_FILE;
    return load_rows[option].type.kind == SW_VALUE_FILE && !word;
}

const char *sw_load_option_on(enum sw_load_option option) {
    const struct sw_value_type *type = &load_rows[option].type;
    return type->kind == SW_VALUE_WORD && type->size == sizeof(bool) ? type->words[1] : NULL;
}

static bool has_text(const struct load_row *row) {
    return row->type.kind == SW_VALUE_TEXT || row->type.kind == SW_VALUE_FILE || row->type.kind == SW_VALUE_NUMERAL;
}

static bool is_settings(const struct load_row *row) {
    return row->type.kind == SW_VALUE_ARGUMENT || row->type.kind == SW_VALUE_DIM || row->type.kind == SW_VALUE_INPUT;
}

/* The value of a row as text, in `digits` where it is none already, the first key of settings; NULL: it was not given.
 */
static const char *text_of_option(const struct sw_load_options *options, const struct load_row *row, char digits[24]) {
    const void *field = (const char *)options + row->at;
    if (has_text(row)) {
        return *(const char *const *)field;
    }
    if (is_settings(row)) {
        const struct sw_params *params = *(const struct sw_params *const *)field;
        return params && params->settings.count > 0 ? params->settings.items[0].key : NULL;
    }
    if (row->type.kind == SW_VALUE_BYTES) {
        snprintf(digits, 24, "%" PRIu64, options->capacity);
        return options->has_capacity ? digits : NULL;
    }
    unsigned value = row->type.size == sizeof(bool) ? *(const bool *)field : *(const unsigned *)field;
    const char *const *words = row->type.words;
    return value == 0 ? NULL : words ? words[value - row->type.least] : "";
}

bool sw_load_options_heeded(const struct sw_load_options *options, unsigned heeds, struct sw_error *error) {
    for (const struct load_row *row = load_rows; row < load_rows + SW_LOAD_OPTIONS; row++) {
        char digits[24];
        const char *text = text_of_option(options, row, digits);
        bool names = row->type.kind == SW_VALUE_FILE || is_settings(row);
        if (text && (row->heeds & ~heeds)) {
            return sw_fail(error, SW_ERROR_USAGE, "--%s%s%s: %s", row->name, names ? " " : "", names ? text : "",
                           row->why);
        }
    }
    return true;
}

void sw_load_options_tell(const struct sw_load_options *options, sw_load_tell *tell, void *context) {
    for (enum sw_load_option i = 0; i < SW_LOAD_OPTIONS; i++) {
        char digits[24];
        const char *text = text_of_option(options, &load_rows[i], digits);
        if (text && is_settings(&load_rows[i])) {
            const struct sw_params *params =
                *(const struct sw_params *const *)((const char *)options + load_rows[i].at);
            for (size_t k = 0; k < params->settings.count; k++) {
                const struct sw_setting *setting = &params->settings.items[k];
                char pair[sizeof setting->key + sizeof setting->value + 2];
                snprintf(pair, sizeof pair, "%s=%s", setting->key, setting->value);
                tell(context, i, pair);
            }
        } else if (text) {
            tell(context, i, text);
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

bool sw_load_options_take(struct sw_load_options *own, enum sw_load_option option, const char *name, const char *value,
                          struct sw_error *error) {
    const struct load_row *row = &load_rows[option];
    void *field = (char *)own + row->at;
    const char *text = value;
    if (has_text(row)) {
        return sw_value_take(&row->type, name, text, &text, error) && take_text(field, text, error);
    }
    if (is_settings(row)) {
        struct sw_params **params = field;
        field = *params = *params ? *params : SW_NEW_ZERO(struct sw_params, 1);
    }
    own->has_capacity |= row->type.kind == SW_VALUE_BYTES;
    return field ? sw_value_take(&row->type, name, text, field, error) : sw_fail_memory(error);
}

/* ---- copies ---- */

struct copy {
    struct sw_load_options *to;
    bool good;
};

static void copy_one(void *context, enum sw_load_option option, const char *value) {
    struct copy *copy = context;
    copy->good = copy->good && sw_load_options_take(copy->to, option, load_rows[option].name, value, NULL);
}

bool sw_load_options_copy(struct sw_load_options *to, const struct sw_load_options *from) {
    struct copy copy = {.to = to, .good = true};
    to->trust = from->trust;
    to->grows = from->grows;
    sw_load_options_tell(from, copy_one, &copy);
    return copy.good;
}

void sw_load_options_done(struct sw_load_options *own) {
    for (const struct load_row *row = load_rows; row < load_rows + SW_LOAD_OPTIONS; row++) {
        void *field = (char *)own + row->at;
        if (has_text(row)) {
            drop_text(*(char **)field);
        } else if (is_settings(row) && *(struct sw_params **)field) {
            sw_params_done(*(struct sw_params **)field);
            SW_FREE(*(struct sw_params **)field, 1);
        }
    }
    *own = (struct sw_load_options){.trust = false};
}
