#include "cli/option_texts.h"
#include "fit/moves.h"
#include "formats/text/size.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

bool sw_parse_positive(const char *text, double *number) {
    char *end;
    if ((*text < '0' || *text > '9') && *text != '.') {
        return false;
    }
    double value = strtod(text, &end);
    if (*end || !isfinite(value) || value <= 0) {
        return false;
    }
    *number = value;
    return true;
}

/* ---- steps ---- */

/* A number that ends at one of `ends`; where it ends, or NULL. */
static const char *part_of_steps(const char *text, const char *ends, uint64_t *value) {
    char digits[24];
    size_t length = strcspn(text, ends);
    if (length == 0 || length >= sizeof digits) {
        return NULL;
    }
    memcpy(digits, text, length);
    digits[length] = '\0';
    return sw_parse_integer(digits, value) ? text + length : NULL;
}

static bool parse_range(const char *text, struct sw_steps *steps) {
    const char *at = part_of_steps(text, ":", &steps->from);
    steps->by = 1;
    if (!at || *at++ != ':') {
        return false;
    }
    steps->to_end = !strncmp(at, "end", 3) && (at[3] == '\0' || at[3] == ':');
    at = steps->to_end ? at + 3 : part_of_steps(at, ":", &steps->to);
    if (at && *at == ':') {
        at = part_of_steps(at + 1, "", &steps->by);
    }
    return at && !*at && steps->by > 0 && (steps->to_end || steps->from <= steps->to);
}

static bool parse_list(const char *text, struct sw_steps *steps) {
    while (steps->count < SW_STEPS_LISTED) {
        if (steps->count > 0 && !strcmp(text, "end")) {
            return steps->to_end = true;
        }
        uint64_t *step = &steps->list[steps->count];
        text = part_of_steps(text, ",", step);
        if (!text || (steps->count > 0 && *step <= step[-1])) {
            return false;
        }
        steps->count++;
        if (*text++ == '\0') {
            return true;
        }
    }
    return false;
}

bool sw_parse_steps(const char *text, struct sw_steps *steps) {
    return strchr(text, ':') ? parse_range(text, steps) : parse_list(text, steps);
}

/* ---- sizes ---- */

bool sw_parse_pair(const char *text, uint64_t most, uint64_t *width, uint64_t *height) {
    char left[24];
    const char *x = strchr(text, 'x');
    if (!x || (size_t)(x - text) >= sizeof left) {
        return false;
    }
    memcpy(left, text, (size_t)(x - text));
    left[x - text] = '\0';
    return sw_parse_integer(left, width) && sw_parse_integer(x + 1, height) && *width > 0 &&
           *height > 0 && *width <= most && *height <= most;
}

/* Sizes that have names, in points. */
static const struct {
    const char *name;
    uint64_t width, height;
} sizes[] = {
    {"16:9", 1120, 630},  {"4:3", 840, 630},
    {"a4", 842, 595},     {"a4-portrait", 595, 842},
    {"a3", 1191, 842},    {"a3-portrait", 842, 1191},
    {"letter", 792, 612}, {"letter-portrait", 612, 792},
};

bool sw_parse_page(const char *name, uint64_t *width, uint64_t *height) {
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        if (strcasecmp(sizes[i].name, name) == 0) {
            *width = sizes[i].width;
            *height = sizes[i].height;
            return true;
        }
    }
    return false;
}

/* ---- moves ---- */

bool sw_parse_moves(const char *text, unsigned *moves) {
    *moves = 0;
    while (true) {
        size_t length = strcspn(text, ",");
        unsigned kind = 0;
        while (kind < SW_FIT_MOVE_KINDS && (strlen(sw_fit_move_name(kind)) != length || strncmp(sw_fit_move_name(kind), text, length) != 0)) {
            kind++;
        }
        if (kind == SW_FIT_MOVE_KINDS) {
            return false;
        }
        *moves |= SW_FIT_MAY(kind);
        if (!text[length]) {
            return true;
        }
        text += length + 1;
    }
}
