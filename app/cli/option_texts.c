#include "cli/options.h"
#include "base/base.h"
#include "cli/experiments/cases.h"
#include "fit/moves.h"
#include "formats/text/size.h"

#include <errno.h>
#include <strings.h>

#define NAMES_OWN(name)                                                                                           \
    sw_take_##name(const struct sw_option *option __attribute__((unused)), struct sw_cli *cli, const char *value, \
                   struct sw_error *error __attribute__((unused)))

/* What stands before a sign, for what reads whole texts; false: there is no sign, or no room. */
static bool cut_before(const char *text, char sign, char left[40]) {
    const char *at = strchr(text, sign);
    size_t length = at ? (size_t)(at - text) : 40;
    if (length >= 40) {
        return false;
    }
    memcpy(left, text, length);
    left[length] = '\0';
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

bool NAMES_OWN(steps) {
    return strchr(value, ':') ? parse_range(value, &cli->steps) : parse_list(value, &cli->steps);
}

/* ---- sizes ---- */

/* "WxH", each from 1 to `most`. */
static bool parse_pair(const char *text, uint64_t most, uint64_t *width, uint64_t *height) {
    char left[40];
    return cut_before(text, 'x', left) && sw_parse_integer(left, width) &&
           sw_parse_integer(strchr(text, 'x') + 1, height) && *width > 0 && *height > 0 && *width <= most &&
           *height <= most;
}

bool NAMES_OWN(screen) {
    uint64_t width, height;
    if (!parse_pair(value, 1000, &width, &height)) {
        return false;
    }
    cli->screen_width = (unsigned)width;
    cli->screen_height = (unsigned)height;
    return true;
}

/* Sizes that have names, in points. */
const char *const sw_page_names[] = {
    "16:9", "4:3", "a4", "a4-portrait", "a3", "a3-portrait", "letter", "letter-portrait", NULL};
static const double pages[][2] = {{1120, 630}, {840, 630},  {842, 595}, {595, 842},
                                  {1191, 842}, {842, 1191}, {792, 612}, {612, 792}};

bool NAMES_OWN(size) {
    uint64_t width, height;
    for (size_t i = 0; sw_page_names[i]; i++) {
        if (strcasecmp(sw_page_names[i], value) == 0) {
            cli->width = pages[i][0];
            cli->height = pages[i][1];
            return true;
        }
    }
    if (!parse_pair(value, 30000, &width, &height)) {
        return false;
    }
    cli->width = (double)width;
    cli->height = (double)height;
    return true;
}

/* ---- parts of the plan ---- */

bool NAMES_OWN(time) {
    char *colon = NULL, *end = NULL;
    errno = 0;
    long long lo = strtoll(value, &colon, 10);
    long long hi = colon != value && *colon == ':' ? strtoll(colon + 1, &end, 10) : 0;
    cli->time_lo = lo;
    cli->time_hi = hi;
    return end && end != colon + 1 && !*end && !errno && lo <= hi;
}

bool NAMES_OWN(address) {
    char left[40];
    struct sw_error why;
    if (!cut_before(value, ':', left)) {
        return false;
    }
    if (!sw_parse_size(left, SW_MAX_BYTES, &cli->address_lo, &why) ||
        !sw_parse_size(strchr(value, ':') + 1, SW_MAX_BYTES, &cli->address_hi, &why)) {
        return sw_fail(error, SW_ERROR_USAGE, "--address: %s", why.message);
    }
    return cli->address_lo < cli->address_hi ||
           sw_fail(error, SW_ERROR_USAGE, "--address %s: expected two addresses, A:B, the second above the first",
                   value);
}

bool NAMES_OWN(max_fragmentation) {
    char *end = NULL;
    double percent = strtod(value, &end);
    cli->max_fragmentation = percent / 100;
    return end != value && strcmp(end, "%") == 0 && percent >= 0 && percent <= 100;
}

bool NAMES_OWN(tolerance) {
    struct sw_error why;
    char *end = NULL;
    double percent = strtod(value, &end);
    if (end != value && strcmp(end, "%") == 0 && (sw_is_digit(*value) || *value == '.')) {
        cli->tolerance_part = percent / 100;
        return percent >= 0 && percent <= 1000;
    }
    return sw_parse_size(value, SW_MAX_BYTES, &cli->tolerance, &why);
}

/* ---- names ---- */

bool NAMES_OWN(view) {
    cli->view = value;
    return sw_view_find(value, error) != NULL;
}

bool NAMES_OWN(reader) {
    return SW_PUSH(&cli->readers, value) || sw_fail_memory(error);
}

/* ---- shards ---- */

bool NAMES_OWN(shard) {
    char left[40];
    uint64_t at = 0, count = 0;
    if (strcmp(value, "auto") == 0) {
        return sw_cluster_part(0, &cli->shard, &cli->shards, error);
    }
    if (!cut_before(value, '/', left) || !sw_parse_integer(strchr(value, '/') + 1, &count) || count == 0 ||
        count > 1000000) {
        return false;
    }
    if (strcmp(left, "auto") == 0) {
        return sw_cluster_part((uint32_t)count, &cli->shard, &cli->shards, error);
    }
    bool good = sw_parse_integer(left, &at) && at > 0 && at <= count;
    cli->shard = (uint32_t)at;
    cli->shards = (uint32_t)count;
    return good;
}

/* ---- moves ---- */

const char *const sw_move_words[] = {"strips", "order", "inplace", "recompute", "spill", NULL};
_Static_assert(sizeof sw_move_words / sizeof *sw_move_words == SW_FIT_MOVE_KINDS + 1, "a word for each kind");

bool NAMES_OWN(moves) {
    for (const char *text = value;; text++) {
        size_t length = strcspn(text, ",");
        unsigned kind = 0;
        while (kind < SW_FIT_MOVE_KINDS &&
               (strlen(sw_move_words[kind]) != length || strncmp(sw_move_words[kind], text, length) != 0)) {
            kind++;
        }
        if (kind == SW_FIT_MOVE_KINDS) {
            return false;
        }
        cli->moves |= SW_FIT_MAY(kind);
        text += length;
        if (!*text) {
            return true;
        }
    }
}
