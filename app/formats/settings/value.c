#include "formats/settings/value.h"
#include "base/base.h"
#include "formats/text/size.h"
#include "planners/planner.h"

/* A number above 0 and finite; nothing may stand before or behind it. */
static bool parse_positive(const char *text, double *number) {
    char *end;
    if (!sw_is_digit(*text) && *text != '.') {
        return false;
    }
    double value = strtod(text, &end);
    if (*end || !isfinite(value) || value <= 0) {
        return false;
    }
    *number = value;
    return true;
}

bool sw_value_refuse(const char *name, const char *text, const char *wanted, struct sw_error *error) {
    return sw_fail(error, SW_ERROR_USAGE, "%s %s: expected %s", name, *text ? text : "''", wanted);
}

/* Which of some words, NULL-ended, the text is; their count: none of them, and the error lists them. */
static size_t find_word(const char *const *words, const char *name, const char *text, struct sw_error *error) {
    char list[1024] = "";
    size_t at = 0;
    for (; words[at]; at++) {
        if (strcmp(words[at], text) == 0) {
            return at;
        }
        SW_TEXT_ADD(list, "%s%s", at == 0 ? "" : words[at + 1] ? ", " : " or ", words[at]);
    }
    sw_value_refuse(name, text, list, error);
    return at;
}

/* A length of an axis, in decimal, up to 2^40. */
static bool is_length(const char *text) {
    uint64_t length;
    return sw_parse_integer(text, &length) && length <= UINT64_C(1) << 40 && strncmp(text, "0x", 2) != 0 &&
           strncmp(text, "0X", 2) != 0;
}

static bool is_input(const char *text) {
    char *end = NULL;
    double number = strtod(text, &end);
    return strcmp(text, "true") == 0 || strcmp(text, "false") == 0 || (end != text && !*end && isfinite(number));
}

static bool take_setting(const struct sw_value_type *type, const char *name, const char *text, struct sw_params *params,
                         struct sw_error *error) {
    char digits[24], key[sizeof((struct sw_setting *)0)->key];
    bool last = type->kind == SW_VALUE_DIM || type->kind == SW_VALUE_INPUT;
    const char *equals = last ? strrchr(text, '=') : strchr(text, '=');
    if (!equals || (type->kind == SW_VALUE_DIM && !is_length(equals + 1)) ||
        (type->kind == SW_VALUE_INPUT && !is_input(equals + 1)) || equals == text) {
        return sw_value_refuse(name, text, type->wanted, error);
    }
    size_t length = (size_t)(equals - text);
    if (length >= sizeof key) {
        return sw_fail(error, SW_ERROR_USAGE, "%s %s: nothing has so long a name", name, text);
    }
    memcpy(key, text, length);
    key[length] = '\0';
    for (size_t i = 0; i < params->settings.count; i++) {
        if (strcmp(params->settings.items[i].key, key) == 0) {
            return sw_fail(error, SW_ERROR_USAGE, "%s: %s is given twice", name, key);
        }
    }
    struct sw_error why = {0};
    const char *value = type->kind == SW_VALUE_SETTING ? sw_size_digits(equals + 1, digits) : equals + 1;
    return sw_params_set(params, key, value, &why) ||
           (why.code == SW_ERROR_MEMORY ? sw_fail_memory(error)
                                        : sw_fail(error, why.code, "%s: %s", name, why.message));
}

static bool is_numeral(const struct sw_value_type *type, const char *text) {
    char most[24];
    size_t digits = strspn(text, "0123456789");
    int length = snprintf(most, sizeof most, "%ju", (uintmax_t)type->most);
    uint64_t value = 0;
    return digits > 0 && digits <= (size_t)length && !text[digits] && (*text != '0' || type->least == 0) &&
           sw_parse_integer(text, &value) && value <= type->most;
}

bool sw_value_take(const struct sw_value_type *type, const char *name, const char *text, void *field,
                   struct sw_error *error) {
    struct sw_error why;
    uint64_t number = 0;
    bool good = true;
    switch (type->kind) {
    case SW_VALUE_FLAG:
        return *(bool *)field = true;
    case SW_VALUE_TEXT:
    case SW_VALUE_FILE:
    case SW_VALUE_NUMERAL:
        *(const char **)field = text;
        good = type->kind == SW_VALUE_NUMERAL ? is_numeral(type, text) : strlen(text) >= type->least;
        return good || sw_value_refuse(name, text, type->wanted, error);
    case SW_VALUE_BYTES:
        if (!sw_parse_size(text, SW_MAX_BYTES, &number, &why)) {
            return sw_fail(error, SW_ERROR_USAGE, "%s: %s", name, why.message);
        }
        break;
    case SW_VALUE_COUNT:
        good = sw_parse_integer(text, &number) && number <= type->most;
        break;
    case SW_VALUE_REAL:
        good = parse_positive(text, field) && *(double *)field >= type->low && *(double *)field <= type->high;
        return good || sw_value_refuse(name, text, type->wanted, error);
    case SW_VALUE_WORD:
        number = type->least + find_word(type->words, name, text, error);
        if (!type->words[number - type->least]) {
            return false;
        }
        break;
    case SW_VALUE_SETTING:
    case SW_VALUE_ARGUMENT:
    case SW_VALUE_DIM:
    case SW_VALUE_INPUT:
        return take_setting(type, name, text, field, error);
    }
    if (!good || number < type->least) {
        return sw_value_refuse(name, text, type->wanted, error);
    }
    switch (type->size) {
    case sizeof(uint64_t):
        *(uint64_t *)field = number;
        break;
    case sizeof(uint32_t):
        *(uint32_t *)field = (uint32_t)number;
        break;
    default:
        *(bool *)field = number != 0;
    }
    return true;
}
