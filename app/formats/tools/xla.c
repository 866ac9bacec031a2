/* What XLA decided about memory, NAME-buffer-assignment.txt, with NAME-live-range.txt beside it, or the scheduled module
 * itself, NAME.txt. The first says which values lie where in which allocation, the second when each value lives; since
 * 2025 it is written with --xla_dump_buffer_assignment_analysis only, and then the module tells. */
#include "formats/tools/placed.h"
#include "base/minmax.h"
#include "formats/compilers/hlo.h"
#include "formats/text/scan.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* "    name{index}:3-17" */
struct range {
    const char *name;
    size_t length;
    int64_t first, last;
};

enum role { ROLE_OTHER, ROLE_TEMPORARY, ROLE_PARAMETER, ROLE_OUTPUT, ROLE_CONSTANT, ROLE_THREAD };

struct allocation {
    uint64_t size, base;
    int64_t color;
    enum role role;
    bool used;    /* it has values, and so a color */
    bool colored; /* its line names the color */
};

struct reader {
    struct sw_scan scan;
    struct sw_placed placed;
    struct sw_builder *builder;
    struct sw_error *error;
    struct sw_input other; /* the live ranges, when they are in a file of their own */
    SW_ARRAY(struct range) ranges;
    SW_ARRAY(struct allocation) allocations;
    SW_ARRAY(uint32_t) owner; /* per row: its allocation */
    int64_t end;              /* the last time of the schedule */
    int64_t colors[SW_MAX_TIERS];
    const char *tiers[SW_MAX_TIERS];
    uint32_t color_count;
    uint64_t constants, threads, timeless, foreign;
    bool module; /* the live ranges follow from the module */
};

/* ---- live ranges ---- */

/* The rest of the line after its last colon, if that is "a-b". */
static bool parse_range(const struct sw_scan *line, struct range *range) {
    struct sw_scan scan = *line;
    const char *colon = memrchr(scan.at, ':', (size_t)(scan.end - scan.at));
    if (!colon) {
        return false;
    }
    sw_scan_space(&scan);
    range->name = scan.at;
    range->length = scan.at < colon ? (size_t)(colon - scan.at) : 0;
    scan.at = colon + 1;
    return range->length > 0 && range->name[range->length - 1] == '}' &&
           sw_scan_number(&scan, &range->first) && sw_scan_word(&scan, "-") &&
           sw_scan_number(&scan, &range->last) && scan.at == scan.end;
}

static int compare_keys(const char *a, size_t a_length, const char *b, size_t b_length) {
    size_t common = SW_MIN(a_length, b_length);
    int order = memcmp(a, b, common);
    return order ? order : (a_length > b_length) - (a_length < b_length);
}

static int compare_ranges(const void *a, const void *b) {
    const struct range *x = a, *y = b;
    return compare_keys(x->name, x->length, y->name, y->length);
}

static bool read_ranges(struct reader *reader, const struct sw_input *input) {
    struct sw_scan scan;
    bool inside = false;
    sw_scan_open(&scan, input);
    while (sw_scan_line(&scan)) {
        struct range range = {0};
        if (sw_scan_past(&scan, "HloLiveRange (max ")) {
            if (sw_scan_number(&scan, &reader->end) &&
                (reader->end < 0 || reader->end >= INT32_MAX)) {
                return sw_scan_fail(&scan, reader->error, "the live ranges end at %" PRId64,
                                    reader->end);
            }
        } else if (sw_scan_past(&scan, "BufferLiveRange:")) {
            inside = true;
        } else if (inside && !parse_range(&scan, &range)) {
            inside = scan.begin == scan.end;
            if (!inside && !sw_scan_past(&scan, "Live ranges at")) {
                return sw_scan_fail(&scan, reader->error,
                                    "this is no live range (name{index}:first-last)");
            }
        } else if (inside) {
            if (range.first < 0 || range.last < range.first || range.last >= INT32_MAX) {
                return sw_scan_fail(&scan, reader->error,
                                    "the live range is %" PRId64 " to %" PRId64, range.first,
                                    range.last);
            }
            reader->end = SW_MAX(range.last, reader->end);
            if (!SW_PUSH(&reader->ranges, range)) {
                return sw_fail_memory(reader->error);
            }
        }
    }
    if (reader->ranges.count > 1) {
        qsort(reader->ranges.items, reader->ranges.count, sizeof *reader->ranges.items,
              compare_ranges);
    }
    return true;
}

/* A range's name against `name` with `suffix` behind it. */
static int compare_key(const struct range *range, const char *name, size_t length,
                       const char *suffix) {
    size_t common = SW_MIN(range->length, length);
    int order = memcmp(range->name, name, common);
    if (order || range->length < length) {
        return order ? order : -1;
    }
    return compare_keys(range->name + length, range->length - length, suffix, strlen(suffix));
}

/* A value that is the whole result of its instruction has no index here, and an empty one there. */
static const struct range *find_range(const struct reader *reader, const char *name,
                                      size_t length) {
    const char *suffix = length > 0 && name[length - 1] == '}' ? "" : "{}";
    size_t low = 0, high = reader->ranges.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct range *range = &reader->ranges.items[middle];
        int order = compare_key(range, name, length, suffix);
        if (order == 0) {
            return range;
        }
        low = order < 0 ? middle + 1 : low;
        high = order < 0 ? high : middle;
    }
    return NULL;
}

#define OURS "buffer-assignment"
#define THEIRS "live-range"

/* The path of the file beside: "buffer-assignment" in the name becomes `theirs`, or goes with the hyphen before it. NULL
 * with no error: there cannot be one. */
static const char *other_path(struct reader *reader, const char *theirs, bool *good) {
    const char *path = reader->scan.input->name, *found = NULL;
    for (const char *at = path; (at = strstr(at, OURS)); at++) {
        found = at;
    }
    *good = true;
    if (!found || strchr(found, '/')) {
        return NULL;
    }
    size_t before = (size_t)(found - path), room = strlen(path) + 1;
    before -= !*theirs && before > 0 && found[-1] == '-';
    char *text = sw_arena_new(&reader->placed.arena, room, 1);
    *good = text != NULL || sw_fail_memory(reader->error);
    if (text) {
        snprintf(text, room, "%.*s%s%s", (int)before, path, theirs, found + strlen(OURS));
    }
    return text;
}

static bool keep_range(void *context, const char *name, size_t length, int64_t first,
                       int64_t last) {
    struct reader *reader = context;
    const char *copy = sw_arena_string(&reader->placed.arena, name, length);
    struct range range = {copy, length, first, last};
    reader->end = SW_MAX(last, reader->end);
    return copy && SW_PUSH(&reader->ranges, range);
}

/* The module beside, when it has a schedule. */
static bool ranges_of_module(struct reader *reader, const char *path, bool *found) {
    struct sw_error why = {0};
    *found = path && sw_input_open(path, &reader->other, &why) && hlo_detect(&reader->other) &&
             sw_scan_find(sw_text_begin(&reader->other), sw_text_end(&reader->other),
                          "is_scheduled=true") != sw_text_end(&reader->other);
    if (!*found) {
        return why.code != SW_ERROR_MEMORY || sw_fail_memory(reader->error);
    }
    reader->module = true;
    if (!hlo_ranges(&reader->other, keep_range, reader, reader->error)) {
        return false;
    }
    if (reader->ranges.count > 1) {
        qsort(reader->ranges.items, reader->ranges.count, sizeof *reader->ranges.items,
              compare_ranges);
    }
    return true;
}

static bool find_ranges(struct reader *reader) {
    const struct sw_input *input = reader->scan.input;
    if (!read_ranges(reader, input)) {
        return false;
    }
    if (reader->ranges.count > 0) {
        return true;
    }
    bool good, found = false;
    const char *path = other_path(reader, THEIRS, &good);
    const char *module = good ? other_path(reader, "", &good) : NULL;
    struct sw_error why = {0};
    if (!good) {
        return false;
    }
    if (!path || !sw_input_open(path, &reader->other, &why)) {
        if (why.code == SW_ERROR_MEMORY) {
            return sw_fail_memory(reader->error);
        }
        good = ranges_of_module(reader, module, &found);
        if (!good || found) {
            return good;
        }
        sw_fail(reader->error, SW_ERROR_INPUT,
                "this says where values lie but not when they live: XLA writes that to "
                "NAME-live-range.txt (with "
                "--xla_dump_buffer_assignment_analysis) and to the scheduled NAME.txt, neither of "
                "which %s",
                path ? "is beside this file"
                     : "can be found: they must be beside NAME-buffer-assignment.txt");
        return false;
    }
    if (!sw_text_check(&reader->other, reader->error) || !read_ranges(reader, &reader->other)) {
        return false;
    }
    if (reader->ranges.count == 0) {
        sw_fail(reader->error, SW_ERROR_INPUT, "there is no live range below \"BufferLiveRange:\"");
        sw_error_at(reader->error, path, 0, 0);
        return false;
    }
    return true;
}

/* ---- allocations and values ---- */

/* "parameter 0, shape |f32[8]| at ShapeIndex {}, maybe-live-out:" */
static enum role read_role(const struct sw_scan *scan) {
    static const struct {
        const char *word;
        enum role role;
    } roles[] = {{"thread-local", ROLE_THREAD},
                 {", constant", ROLE_CONSTANT},
                 {", parameter ", ROLE_PARAMETER},
                 {"maybe-live-out", ROLE_OUTPUT},
                 {"preallocated-temp", ROLE_TEMPORARY}};
    for (size_t i = 0; i < sizeof roles / sizeof *roles; i++) {
        if (sw_scan_find(scan->at, scan->end, roles[i].word) != scan->end) {
            return roles[i].role;
        }
    }
    return ROLE_OTHER;
}

static bool read_allocation(struct reader *reader) {
    struct sw_scan *scan = &reader->scan;
    int64_t size = 0;
    if (!sw_scan_past(scan, "size ") || !sw_scan_number(scan, &size) || size < 0 ||
        (uint64_t)size > SW_MAX_BYTES) {
        return sw_scan_fail(scan, reader->error,
                            "the size of the allocation is not a number up to "
                            "2^61");
    }
    struct allocation allocation = {.size = (uint64_t)size, .role = read_role(scan)};
    allocation.colored = sw_scan_word(scan, ", color ") && sw_scan_number(scan, &allocation.color);
    return SW_PUSH(&reader->allocations, allocation) || sw_fail_memory(reader->error);
}

/* A tier for each color, unless there is only one. */
static bool find_color(struct reader *reader, int64_t color, const char **tier) {
    char name[40];
    for (uint32_t i = 0; i < reader->color_count; i++) {
        if (reader->colors[i] == color) {
            *tier = reader->tiers[i];
            return true;
        }
    }
    if (reader->color_count == SW_MAX_TIERS) {
        return sw_scan_fail(&reader->scan, reader->error, "more than %d colors of memory",
                            SW_MAX_TIERS);
    }
    int length = snprintf(name, sizeof name, "color %" PRId64, color);
    *tier = sw_arena_string(&reader->placed.arena, name, (size_t)length);
    reader->colors[reader->color_count] = color;
    reader->tiers[reader->color_count++] = *tier;
    return *tier != NULL || sw_fail_memory(reader->error);
}

/* " value: <36 dot.1{0} @0> (size=64,offset=128): f32[4,4]{1,0}", after "value: <". */
static bool parse_value(struct sw_scan *scan, struct sw_placed_row *row, size_t *length,
                        int64_t *color) {
    int64_t id, size, offset;
    if (!sw_scan_number(scan, &id) || !sw_scan_word(scan, " ")) {
        return false;
    }
    row->name = scan->at;
    const char *stop = sw_scan_find(scan->at, scan->end, " @");
    *length = (size_t)(stop - scan->at);
    scan->at = stop;
    static const char phi[] = " (phi)"; /* a loop's variable */
    size_t more = sizeof phi - 1;
    *length -= *length > more && memcmp(stop - more, phi, more) == 0 ? more : 0;
    if (!sw_scan_word(scan, " @") || !sw_scan_number(scan, color) ||
        !sw_scan_word(scan, "> (size=") || !sw_scan_number(scan, &size) ||
        !sw_scan_word(scan, ",offset=") || !sw_scan_number(scan, &offset) ||
        !sw_scan_word(scan, ")") || size < 0 || offset < 0) {
        return false;
    }
    row->size = (uint64_t)size;
    row->offset = (uint64_t)offset;
    return *length > 0;
}

static enum sw_kind kind_of(const struct reader *reader, const struct allocation *allocation,
                            const struct sw_placed_row *row) {
    return allocation->role == ROLE_PARAMETER                            ? SW_KIND_INPUT
           : allocation->role == ROLE_OUTPUT && row->last == reader->end ? SW_KIND_OUTPUT
                                                                         : SW_KIND_INTERMEDIATE;
}

static bool add_value(struct reader *reader, struct sw_placed_row *row, size_t length,
                      int64_t color) {
    const struct sw_scan *scan = &reader->scan;
    uint32_t owner = (uint32_t)reader->allocations.count - 1;
    struct allocation *allocation = &reader->allocations.items[owner];
    if (row->size > allocation->size || row->offset > allocation->size - row->size) {
        return sw_scan_fail(scan, reader->error,
                            "%s ends behind the %" PRIu64 " bytes of its allocation",
                            sw_quote(row->name, length).text, allocation->size);
    }
    if (!allocation->used && !allocation->colored) {
        allocation->color = color;
    }
    reader->foreign += allocation->color != color; /* it lies in free space of another color's */
    allocation->used = true;
    const struct range *range = find_range(reader, row->name, length);
    reader->timeless += !range;
    row->first = range ? range->first : 0;
    row->last = range ? range->last : reader->end;
    row->kind = kind_of(reader, allocation, row);
    row->line = scan->line;
    row->column = 1;
    if (!find_color(reader, allocation->color, &row->tier)) {
        return false;
    }
    if (!sw_placed_add(&reader->placed, row, length, reader->error)) {
        sw_error_at(reader->error, scan->input->name, scan->line, 1);
        return false;
    }
    return SW_PUSH(&reader->owner, owner) || sw_fail_memory(reader->error);
}

static bool read_value(struct reader *reader) {
    struct sw_placed_row row = {0};
    size_t length = 0;
    int64_t color = 0;
    if (reader->allocations.count == 0) {
        return sw_scan_fail(&reader->scan, reader->error, "a value before the first allocation");
    }
    enum role role = reader->allocations.items[reader->allocations.count - 1].role;
    reader->constants += role == ROLE_CONSTANT;
    reader->threads += role == ROLE_THREAD;
    if (!parse_value(&reader->scan, &row, &length, &color)) {
        return sw_scan_fail(&reader->scan, reader->error,
                            "this is no value: <id name @color> (size=...,offset=...)");
    }
    return role == ROLE_CONSTANT || role == ROLE_THREAD || add_value(reader, &row, length, color);
}

static bool read_lines(struct reader *reader) {
    bool again = false; /* what follows is a list of values that stand above already */
    while (sw_scan_line(&reader->scan)) {
        struct sw_scan *scan = &reader->scan;
        sw_scan_space(scan);
        if (sw_scan_word(scan, "reused by buffers of a different color")) {
            again = true;
        } else if (again && sw_scan_word(scan, "value: <")) {
            continue;
        } else if (sw_scan_word(scan, "allocation ")) {
            again = false;
            if (!read_allocation(reader)) {
                return false;
            }
        } else if (sw_scan_word(scan, "value: <")) {
            if (!read_value(reader)) {
                return false;
            }
        } else if (sw_scan_word(scan, "Total bytes used") || sw_scan_word(scan, "Used values:") ||
                   sw_scan_word(scan, "HloLiveRange")) {
            scan->at = scan->begin;
            break; /* what follows repeats the uses */
        }
    }
    return reader->allocations.count > 0 ||
           sw_scan_fail(&reader->scan, reader->error, "no allocation: \"allocation 0: size ...\"");
}

/* ---- one address space per color ---- */

/* Allocations have no addresses of their own: they are put one after another, the temporary ones
 * first, so that offsets in those are what the file says. */
static bool place_allocations(struct reader *reader) {
    for (uint32_t c = 0; c < reader->color_count; c++) {
        uint64_t at = 0;
        for (int pass = 0; pass < 2; pass++) {
            for (size_t i = 0; i < reader->allocations.count; i++) {
                struct allocation *allocation = &reader->allocations.items[i];
                if (!allocation->used || allocation->color != reader->colors[c] ||
                    (allocation->role == ROLE_TEMPORARY) != (pass == 0)) {
                    continue;
                }
                allocation->base = at;
                at += allocation->size;
                if (at > SW_MAX_BYTES) {
                    return sw_fail(reader->error, SW_ERROR_INPUT,
                                   "the allocations add up past 2^61 bytes");
                }
            }
        }
    }
    for (size_t i = 0; i < reader->placed.rows.count; i++) {
        struct sw_placed_row *row = &reader->placed.rows.items[i];
        row->offset += reader->allocations.items[reader->owner.items[i]].base;
        row->tier = reader->color_count > 1 ? row->tier : NULL;
    }
    return true;
}

static bool add_tiers(struct reader *reader) {
    for (uint32_t i = 0; reader->color_count > 1 && i < reader->color_count; i++) {
        struct sw_tier tier = {.name = reader->tiers[i], .capacity = SW_UNBOUNDED};
        if (!sw_builder_tier(reader->builder, &tier, reader->error)) {
            return false;
        }
    }
    return true;
}

static bool add_notes(struct reader *reader) {
    return sw_builder_note(reader->builder,
                           "live ranges: both ends are inside; times are places in XLA's schedule",
                           reader->error) &&
           sw_builder_note(reader->builder,
                           "allocations have no addresses: they stand one after another, temporary "
                           "ones first",
                           reader->error) &&
           (reader->constants + reader->threads == 0 ||
            sw_notef(reader->builder, reader->error,
                     "constants (%" PRIu64 ") and what is local to threads (%" PRIu64
                     ") are left out",
                     reader->constants, reader->threads)) &&
           (!reader->module || sw_builder_note(reader->builder,
                                               "there is no NAME-live-range.txt: when values live "
                                               "follows from the schedule in NAME.txt",
                                               reader->error)) &&
           (reader->foreign == 0 ||
            sw_notef(reader->builder, reader->error,
                     "values that lie in an allocation of another color: %" PRIu64,
                     reader->foreign)) &&
           (reader->timeless == 0 ||
            sw_notef(reader->builder, reader->error,
                     "values without a live range, taken to live all the time: %" PRIu64,
                     reader->timeless));
}

static bool starts_with(const struct sw_input *input, const char *word) {
    const char *at = sw_text_begin(input), *end = sw_text_end(input);
    while (at < end && (*at == ' ' || *at == '\n' || *at == '\r')) {
        at++;
    }
    size_t length = strlen(word);
    return (size_t)(end - at) >= length && memcmp(at, word, length) == 0;
}

static bool read_all(struct reader *reader) {
    if (starts_with(reader->scan.input, "HloLiveRange")) {
        return sw_fail(
            reader->error, SW_ERROR_INPUT,
            "these are live ranges alone; open NAME-buffer-assignment.txt beside this file");
    }
    return find_ranges(reader) && read_lines(reader) && place_allocations(reader) &&
           add_tiers(reader) && add_notes(reader) &&
           sw_placed_build(&reader->placed, SW_ALIAS_SAME_START, reader->builder, reader->error);
}

static bool xla_read(const struct sw_input *input, const struct sw_load_options *options, struct sw_builder *builder,
                      struct sw_error *error) {
    (void)options;
    struct sw_error own = {0};
    struct reader reader = {.builder = builder, .error = &own};
    if (!sw_text_check(input, error)) {
        return false;
    }
    sw_scan_open(&reader.scan, input);
    bool good = read_all(&reader);
    sw_placed_done(&reader.placed);
    SW_ARRAY_DONE(&reader.ranges);
    SW_ARRAY_DONE(&reader.allocations);
    SW_ARRAY_DONE(&reader.owner);
    sw_input_close(&reader.other);
    if (!good && error) {
        *error = own;
    }
    return good;
}

static bool xla_detect(const struct sw_input *input) {
    return starts_with(input, "BufferAssignment:") || starts_with(input, "HloLiveRange (max") ||
           starts_with(input, "allocation 0: ");
}

const struct sw_format sw_format_xla = {
    .name = "xla",
    .summary = "XLA's NAME-buffer-assignment.txt, with NAME-live-range.txt or NAME.txt beside it: "
               "both ends of a "
               "range are inside",
    .extensions = ".txt",
    .detect = xla_detect,
    .read = xla_read,
};
