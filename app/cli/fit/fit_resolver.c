#include "cli/fit/fit_parts.h"
#include "base/base.h"

#include "formats/tflite/tflite_model.h"

#include <strings.h>

/* The operators that changed models need, by their names for --resolver, and the kinds that problems have for them. */
static const struct {
    enum sw_fit_need need;
    const char *name, *kind;
} made_operators[] = {
    {SW_FIT_NEEDS_SLICE, "SLICE", "slice"}, {SW_FIT_NEEDS_CONCATENATION, "CONCATENATION", "concatenation"},
    {SW_FIT_NEEDS_PAD, "PAD", "pad"},       {SW_FIT_NEEDS_PADV2, "PADV2", "padv2"},
    {SW_FIT_NEEDS_WHILE, "WHILE", "while"}, {SW_FIT_NEEDS_LESS, "LESS", "less"},
    {SW_FIT_NEEDS_ADD, "ADD", "add"},       {SW_FIT_NEEDS_UPDATE, "DYNAMIC_UPDATE_SLICE", "dynamic_update_slice"},
};
enum { MADE_OPERATORS = sizeof made_operators / sizeof *made_operators, CODES = 256 };

static bool is_operator_named(const char *name, size_t length) {
    for (uint32_t code = 0; code < CODES; code++) {
        const char *known = tflite_code_name(code);
        if (known && strlen(known) == length && strncasecmp(known, name, length) == 0) {
            return true;
        }
    }
    return false;
}

static bool has_kind(const struct sw_problem *problem, const char *kind) {
    bool has = false;
    for (uint32_t op = 0; op < sw_problem_operator_count(problem); op++) {
        has |= strcasecmp(sw_problem_operator(problem, op)->kind, kind) == 0;
    }
    return has;
}

bool fit_resolver_lacking(const char *list, const struct sw_problem *problem, unsigned *lacking,
                          struct sw_error *error) {
    *lacking = 0;
    for (size_t i = 0; i < MADE_OPERATORS; i++) {
        *lacking |= has_kind(problem, made_operators[i].kind) ? 0U : (unsigned)made_operators[i].need;
    }
    while (true) {
        size_t length = strcspn(list, ",");
        if (!is_operator_named(list, length)) {
            return sw_fail(error, SW_ERROR_USAGE,
                           "--resolver: %.*s is no operator of TensorFlow Lite: CONV_2D, SLICE, CONCATENATION, ...",
                           length == 0 ? 2 : (int)(length < 100 ? length : 100), length ? list : "''");
        }
        for (size_t i = 0; i < MADE_OPERATORS; i++) {
            if (strlen(made_operators[i].name) == length && strncasecmp(made_operators[i].name, list, length) == 0) {
                *lacking &= ~(unsigned)made_operators[i].need;
            }
        }
        if (!list[length]) {
            return true;
        }
        list += length + 1;
    }
}

int fit_resolver_names(const struct sw_problem *problem, unsigned needs, char *text, size_t room) {
    size_t used = 0;
    if (room > 0) {
        *text = '\0';
    }
    for (size_t i = 0; i < MADE_OPERATORS; i++) {
        if (needs & made_operators[i].need && !has_kind(problem, made_operators[i].kind)) {
            used += (size_t)snprintf(used < room ? text + used : NULL, used < room ? room - used : 0, "%s%s",
                                     used ? ", " : "", made_operators[i].name);
        }
    }
    return (int)used;
}
