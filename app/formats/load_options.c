#include "formats/load_options.h"

#include "formats/graphs/order_file.h"
#include "formats/text/size.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- choices, by their field ---- */

static const char *const intervals_words[] = {"half-open", "inclusive", "exclusive", NULL};
static const char *const kernels_words[] = {
    "none",         "reference",    "cmsis-nn", "cmsis-nn:none",
    "cmsis-nn:dsp", "cmsis-nn:mve", "esp-nn",   "esp-nn:ansi",
    "esp-nn:s3",    "esp-nn:p4",    NULL};
static const char *const target_words[] = {"cortex-m", "host", NULL};
static const char *const capacity_of_words[] = {"head", "arena", NULL};

const char *const *sw_load_choices(const char *name) {
#define SIZE(field) NULL
#define FILE(field) NULL
#define TEXT(field) NULL
#define FLAG(field) NULL
#define FLAG_SAFE(field) NULL
#define FLAG_EACH(field) NULL
#define CHOICE(field) field##_words
#define SETTINGS(field) NULL
#define X(word, kind, field)                                                                       \
    if (strcmp(name, word) == 0) {                                                                 \
        return kind(field);                                                                        \
    }
#include "formats/load_options.def"
#undef X
#undef SIZE
#undef FILE
#undef TEXT
#undef FLAG
#undef FLAG_SAFE
#undef FLAG_EACH
#undef CHOICE
#undef SETTINGS
    return NULL;
}

/* ---- telling: one function per kind ---- */

static void tell_settings(const struct sw_params *params, const char *name, sw_load_tell *tell, void *context) {
    for (size_t i = 0; params && i < params->settings.count; i++) {
        const struct sw_setting *setting = &params->settings.items[i];
        char text[sizeof setting->key + sizeof setting->value + 2];
        snprintf(text, sizeof text, "%s=%s", setting->key, setting->value);
        tell(context, name, SW_LOAD_SETTINGS, text);
    }
}

static void tell_size(bool given, uint64_t bytes, const char *name, sw_load_tell *tell, void *context) {
    char text[24];
    snprintf(text, sizeof text, "%" PRIu64, bytes);
    if (given) {
        tell(context, name, SW_LOAD_SIZE, text);
    }
}

static void tell_word(bool given, enum sw_load_kind kind, const char *word, const char *name,
                      sw_load_tell *tell, void *context) {
    if (given) {
        tell(context, name, kind, word);
    }
}

void sw_load_options_tell(const struct sw_load_options *o, sw_load_tell *tell, void *context) {
#define SIZE(name, field) tell_size(o->has_##field, o->field, name, tell, context);
#define TEXT(name, field) tell_word(o->field != NULL, SW_LOAD_TEXT, o->field, name, tell, context);
#define FILE(name, field)                                                                          \
    tell_word(o->field != NULL, sw_load_option_is_file(name, o->field) ? SW_LOAD_FILE : SW_LOAD_TEXT, o->field, name, tell, context);
#define FLAG(name, field) tell_word(o->field, SW_LOAD_FLAG, "", name, tell, context);
#define FLAG_SAFE(name, field) tell_word(o->field, SW_LOAD_FLAG_SAFE, "", name, tell, context);
#define FLAG_EACH(name, field) tell_word(o->field, SW_LOAD_FLAG_EACH, "", name, tell, context);
#define CHOICE(name, field)                                                                        \
    tell_word(o->field != 0, SW_LOAD_CHOICE, o->field ? field##_words[o->field - 1] : "", name,    \
              tell, context);
#define SETTINGS(name, field) tell_settings(o->field, name, tell, context);
#define X(name, kind, field) kind(name, field)
#include "formats/load_options.def"
#undef X
#undef SIZE
#undef FILE
#undef TEXT
#undef FLAG
#undef FLAG_SAFE
#undef FLAG_EACH
#undef CHOICE
#undef SETTINGS
}

bool sw_load_option_is_file(const char *name, const char *value) {
    if (strcmp(name, "order") == 0 && sw_order_of(value) != SW_ORDER_OF_FILE) {
        return false; /* a word */
    }
    static const struct {
        const char *name, *kind;
    } all[] = {
#define X(name, kind, field) {name, #kind},
#include "formats/load_options.def"
#undef X
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        if (strcmp(all[i].name, name) == 0) {
            return strcmp(all[i].kind, "FILE") == 0;
        }
    }
    return false;
}

/* ---- taking ---- */

static bool take_size(bool *given, uint64_t *bytes, const char *value, struct sw_error *error) {
    return *given = sw_parse_integer(value, bytes) ||
                    sw_fail(error, SW_ERROR_USAGE, "'%s' is not a number", value);
}

static bool take_text(const char **text, const char *value, struct sw_error *error) {
    size_t size = strlen(value) + 1;
    char *copy = SW_NEW(char, size);
    if (!copy) {
        return sw_fail_memory(error);
    }
    memcpy(copy, value, size);
    if (*text) {
        SW_FREE((char *)(uintptr_t)*text, strlen(*text) + 1);
    }
    *text = copy;
    return true;
}

static bool take_choice(unsigned *choice, const char *const *words, const char *value,
                        struct sw_error *error) {
    for (unsigned i = 0; words[i]; i++) {
        if (strcmp(value, words[i]) == 0) {
            *choice = i + 1;
            return true;
        }
    }
    return sw_fail(error, SW_ERROR_INPUT, "'%s' is none of its words", value);
}

/* KEY=VALUE. The key of a dimension or of an input may hold the sign itself: it may be a tensor's name. */
static bool take_setting(const struct sw_params **params, const char *name, const char *value,
                         struct sw_error *error) {
    const char *equals = strcmp(name, "dim") == 0 || strcmp(name, "value") == 0 ? strrchr(value, '=') : strchr(value, '=');
    char key[sizeof((struct sw_setting *)0)->key];
    size_t length = equals ? (size_t)(equals - value) : 0;
    if (!equals || length >= sizeof key) {
        return sw_fail(error, SW_ERROR_INPUT, "a setting is KEY=VALUE");
    }
    if (!*params && !(*params = SW_NEW_ZERO(struct sw_params, 1))) {
        return sw_fail_memory(error);
    }
    memcpy(key, value, length);
    key[length] = '\0';
    return sw_params_set((struct sw_params *)(uintptr_t)*params, key, equals + 1, error);
}

bool sw_load_options_take(struct sw_load_options *own, const char *name, const char *value,
                              bool *known, struct sw_error *error) {
    *known = true;
#define SIZE(field) take_size(&own->has_##field, &own->field, value, error)
#define FILE(field) take_text(&own->field, value, error)
#define TEXT(field) take_text(&own->field, value, error)
#define FLAG(field) (own->field = true)
#define FLAG_SAFE(field) (own->field = true)
#define FLAG_EACH(field) (own->field = true)
#define CHOICE(field) take_choice(&own->field, field##_words, value, error)
#define SETTINGS(field) take_setting(&own->field, name, value, error)
#define X(word, kind, field)                                                                       \
    if (strcmp(name, word) == 0) {                                                                 \
        return kind(field);                                                                        \
    }
#include "formats/load_options.def"
#undef X
#undef SIZE
#undef FILE
#undef TEXT
#undef FLAG
#undef FLAG_SAFE
#undef FLAG_EACH
#undef CHOICE
#undef SETTINGS
    *known = false;
    return false;
}

/* ---- copies ---- */

struct copy {
    struct sw_load_options *to;
    bool good;
};

static void copy_one(void *context, const char *name, enum sw_load_kind kind, const char *value) {
    struct copy *copy = context;
    bool known;
    (void)kind;
    copy->good = copy->good && sw_load_options_take(copy->to, name, value, &known, NULL);
}

bool sw_load_options_copy(struct sw_load_options *to, const struct sw_load_options *from) {
    struct copy copy = {.to = to, .good = true};
    to->trust = from->trust;
    to->grows = from->grows;
    sw_load_options_tell(from, copy_one, &copy);
    return copy.good;
}

static void drop_text(const char *text) {
    if (text) {
        SW_FREE((char *)(uintptr_t)text, strlen(text) + 1);
    }
}

static void drop_settings(const struct sw_params *params) {
    if (params) {
        sw_params_done((struct sw_params *)(uintptr_t)params);
        SW_FREE((struct sw_params *)(uintptr_t)params, 1);
    }
}

void sw_load_options_done(struct sw_load_options *own) {
#define SIZE(field)
#define FILE(field) drop_text(own->field);
#define TEXT(field) drop_text(own->field);
#define FLAG(field)
#define FLAG_SAFE(field)
#define FLAG_EACH(field)
#define CHOICE(field)
#define SETTINGS(field) drop_settings(own->field);
#define X(word, kind, field) kind(field)
#include "formats/load_options.def"
#undef X
#undef SIZE
#undef FILE
#undef TEXT
#undef FLAG
#undef FLAG_SAFE
#undef FLAG_EACH
#undef CHOICE
#undef SETTINGS
    *own = (struct sw_load_options){.trust = false};
}
