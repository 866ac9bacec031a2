/* XLA's NAME-memory-usage-report.txt: what the memory of a compiled module is made of. It tells no lifetimes, so that all
 * it lists lives at one time, and the peak is the total that the report gives. Until 2025 it lists allocations,
 *
 *     512.0KiB( 67%);   256.0KiB; allocation 6: size 512.0KiB, preallocated-temp:
 *
 * since then, of each allocation in each memory space, the places that values have in it. Sizes are rounded for people;
 * shapes beside them tell the exact ones. */
#include "base/minmax.h"
#include "base/text.h"
#include "formats/compilers/hlo.h"
#include "formats/text/scan.h"
#include "formats/tools/placed.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct row {
    char name[80];
    const char *tier;
    uint64_t size;
    enum sw_kind kind;
    uint32_t line;
};
struct space { /* a memory space, and what its total is */
    const char *name;
    uint64_t total, sum;
    bool told;
};

struct reader {
    struct sw_scan scan;
    struct sw_builder *builder;
    struct sw_error *error;
    struct sw_arena arena;
    SW_ARRAY(struct row) rows;
    struct space spaces[SW_MAX_TIERS];
    uint32_t space_count;
    uint32_t table;   /* which allocation of its space; 0: none is being read */
    uint64_t rounded; /* sizes that no shape makes exact */
};

/* ---- sizes ---- */

/* "512.0KiB", "20B". `slack` receives how far the exact size may be from it. */
static bool read_human(struct sw_scan *scan, uint64_t *bytes, uint64_t *slack) {
    static const char units[] = "KMGTPE";
    int64_t whole = 0, hundredths = 0;
    sw_scan_space(scan);
    if (!sw_scan_number(scan, &whole) || whole < 0) {
        return false;
    }
    if (sw_scan_word(scan, ".")) {
        const char *from = scan->at;
        if (!sw_scan_number(scan, &hundredths) || hundredths < 0 || scan->at - from > 2) {
            return false;
        }
        hundredths *= scan->at - from == 1 ? 10 : 1;
    }
    uint64_t unit = 1;
    const char *found = scan->at < scan->end ? strchr(units, *scan->at) : NULL;
    if (found && *found) {
        unit <<= 10 * (unsigned)(found - units + 1);
        scan->at++;
        if (!sw_scan_word(scan, "i")) {
            return false;
        }
    }
    if (!sw_scan_word(scan, "B") || (uint64_t)whole > SW_MAX_BYTES / unit) {
        return false;
    }
    *bytes = (uint64_t)whole * unit + (uint64_t)hundredths * unit / 100;
    *slack = unit == 1 ? 0 : unit / 16 + 1;
    return *bytes < SW_MAX_BYTES;
}

/* The size that a shape has, if it rounds to this one. */
static uint64_t made_exact(uint64_t bytes, uint64_t slack, uint64_t shape) {
    uint64_t apart = shape > bytes ? shape - bytes : bytes - shape;
    return apart <= slack ? shape : bytes;
}

/* The largest (0: none is known) of "f32[256,256]×2, f32[4]" or "2×f32[256,256], f32[4]". */
static bool largest_shape(struct reader *reader, const char *at, const char *end,
                          uint64_t *largest) {
    uint64_t bytes;
    struct sw_error why = {0};
    *largest = 0;
    while (at < end) {
        static const char times[] = "\xc3\x97";
        const char *from = at;
        while (at < end && *at >= '0' && *at <= '9') {
            at++;
        }
        bool counted = at > from && end - at > 2 && memcmp(at, times, 2) == 0;
        at = counted ? at + 2 : from;
        if (!hlo_shape_size(&at, end, &bytes, &why)) {
            *largest = 0;
            return why.code != SW_ERROR_MEMORY || sw_fail_memory(reader->error);
        }
        *largest = SW_MAX(bytes, *largest);
        const char *next = memmem(at, (size_t)(end - at), ", ", 2);
        at = next ? next + 2 : end;
    }
    return true;
}

/* ---- rows ---- */

static bool add_row(struct reader *reader, const char *name, enum sw_kind kind, uint64_t size) {
    struct space *space = &reader->spaces[reader->space_count - 1];
    struct row row = {.tier = space->name, .size = size, .kind = kind, .line = reader->scan.line};
    snprintf(row.name, sizeof row.name, "%s", name);
    if (size > SW_MAX_BYTES - space->sum) {
        return sw_scan_fail(&reader->scan, reader->error, "the sizes add up past 2^61 bytes");
    }
    space->sum += size;
    return SW_PUSH(&reader->rows, row) || sw_fail_memory(reader->error);
}

/* "  512.0KiB( 67%);   256.0KiB; allocation 6: size 512.0KiB, parameter 0, shape |f32[8]| at ShapeIndex {}:" */
static bool read_allocation(struct reader *reader) {
    struct sw_scan *scan = &reader->scan;
    int64_t number = 0;
    uint64_t size = 0, slack = 0, shape = 0;
    char name[80];
    if (!sw_scan_number(scan, &number) || !sw_scan_word(scan, ": size ") ||
        !read_human(scan, &size, &slack)) {
        return sw_scan_fail(scan, reader->error,
                            "this is no allocation with its size: allocation 0: size 4.0KiB");
    }
    bool parameter = sw_scan_find(scan->at, scan->end, ", parameter ") != scan->end;
    bool result = sw_scan_find(scan->at, scan->end, ", maybe-live-out") != scan->end;
    const char *what = scan->at;
    bool shaped = false;
    if (sw_scan_past(scan, "hape ")) { /* "shape |...|", or "output shape is |...|" */
        sw_scan_word(scan, "is ");
        const char *at = scan->at + 1;
        struct sw_error why = {0};
        shaped = sw_scan_word(scan, "|") && hlo_shape_size(&at, scan->end, &shape, &why);
        if (!shaped && why.code == SW_ERROR_MEMORY) {
            return sw_fail_memory(reader->error);
        }
    }
    uint64_t exact = shaped ? made_exact(size, slack, shape) : size;
    reader->rounded += slack > 0 && !(shaped && exact == shape);
    const char *temporary =
        sw_scan_find(what, scan->end, "preallocated-temp") != scan->end ? " (temporary)" : "";
    snprintf(name, sizeof name, "allocation %" PRId64 "%s", number, temporary);
    return add_row(reader, name,
                   parameter ? SW_KIND_INPUT
                   : result  ? SW_KIND_OUTPUT
                             : SW_KIND_INTERMEDIATE,
                   exact);
}

/* "   256.0KiB( 50%);   256.0KiB;            0;                2; f32[256,256]×2": a place within an allocation, whose
 * end may be that of the allocation. */
static bool read_place(struct reader *reader) {
    struct sw_scan *scan = &reader->scan;
    uint64_t size = 0, slack = 0;
    int64_t offset = 0, values = 0;
    bool good =
        sw_scan_past(scan, ");") && read_human(scan, &size, &slack) && sw_scan_word(scan, ";");
    sw_scan_space(scan);
    good = good && sw_scan_number(scan, &offset) && offset >= 0 && sw_scan_word(scan, ";");
    sw_scan_space(scan);
    good = good && sw_scan_number(scan, &values) && sw_scan_word(scan, "; ");
    if (!good || (uint64_t)offset > SW_MAX_BYTES - size) {
        return sw_scan_fail(scan, reader->error,
                            "this is no place in an allocation: size; offset; values; shapes");
    }
    uint64_t shape = 0;
    if (!largest_shape(reader, scan->at, scan->end, &shape)) {
        return false;
    }
    uint64_t exact = made_exact(size, slack, shape);
    reader->rounded += slack > 0 && exact != shape;
    uint64_t end = (uint64_t)offset + exact;
    struct row *row = &reader->rows.items[reader->rows.count - 1];
    struct space *space = &reader->spaces[reader->space_count - 1];
    if (end > row->size) {
        space->sum += end - row->size;
        row->size = end;
    }
    return true;
}

/* ---- lines ---- */

/* "Total bytes used: 786452 (768.0KiB)", or "Memory Space: hbm (color=3)" and "Total bytes: 786452 (768.0KiB)" */
static bool read_total(struct reader *reader) {
    int64_t total = 0;
    if (!sw_scan_number(&reader->scan, &total) || total < 0 || (uint64_t)total >= SW_MAX_BYTES) {
        return sw_scan_fail(&reader->scan, reader->error, "the total is not a number up to 2^61");
    }
    struct space *space = &reader->spaces[reader->space_count - 1];
    space->total = (uint64_t)total;
    space->told = true;
    return true;
}

static bool begin_space(struct reader *reader, struct sw_text name) {
    if (reader->space_count == SW_MAX_TIERS) {
        return sw_scan_fail(&reader->scan, reader->error, "more than %d memory spaces",
                            SW_MAX_TIERS);
    }
    const char *copy = sw_arena_string(&reader->arena, name.at, name.length);
    reader->spaces[reader->space_count++] = (struct space){.name = copy};
    reader->table = 0;
    return copy != NULL || sw_fail_memory(reader->error);
}

static bool read_line(struct reader *reader, bool *done) {
    struct sw_scan *scan = &reader->scan;
    sw_scan_space(scan);
    if (sw_scan_word(scan, "Memory Space: ")) {
        const char *stop = sw_scan_find(scan->at, scan->end, " (color=");
        return begin_space(reader, (struct sw_text){scan->at, (size_t)(stop - scan->at)});
    }
    if (sw_scan_word(scan, "Total bytes used: ")) {
        static const char memory[] = "memory";
        return begin_space(reader, (struct sw_text){memory, sizeof memory - 1}) &&
               read_total(reader);
    }
    if (reader->space_count > 0 && sw_scan_word(scan, "Total bytes: ")) {
        return read_total(reader);
    }
    if (sw_scan_word(scan, "Allocations sorted by size with their values")) {
        *done = true; /* the same again, with more words */
        return true;
    }
    if (reader->space_count > 0 && sw_scan_word(scan, "cumulative_size;       size;")) {
        char name[80];
        snprintf(name, sizeof name, "%.50s %" PRIu32, reader->spaces[reader->space_count - 1].name,
                 ++reader->table);
        return add_row(reader, name, SW_KIND_INTERMEDIATE, 0);
    }
    const char *percent = sw_scan_find(scan->at, scan->end, "%); ");
    if (reader->space_count == 0 || percent == scan->end) {
        return true;
    }
    if (reader->table > 0) {
        return read_place(reader);
    }
    return !sw_scan_past(scan, "; allocation ") || read_allocation(reader);
}

static bool read_lines(struct reader *reader) {
    bool done = false;
    while (!done && sw_scan_line(&reader->scan)) {
        if (!read_line(reader, &done)) {
            return false;
        }
    }
    if (reader->rows.count == 0) {
        bool values =
            sw_scan_find(sw_text_begin(reader->scan.input), sw_text_end(reader->scan.input),
                         "Used values:") != sw_text_end(reader->scan.input);
        return sw_scan_fail(&reader->scan, reader->error,
                            values ? "these are names of values alone; open "
                                     "NAME-buffer-assignment.txt beside this file"
                                   : "the report lists no allocation");
    }
    return true;
}

/* ---- to the builder ---- */

static bool add_buffer(struct reader *reader, const char *name, const char *tier, enum sw_kind kind,
                       uint64_t size) {
    struct sw_buffer_spec spec = {.name = name,
                                  .kind = kind,
                                  .has_size = true,
                                  .size = size,
                                  .tier = reader->space_count > 1 ? tier : NULL,
                                  .has_first = true,
                                  .has_last = true};
    return sw_builder_buffer(reader->builder, &spec, reader->error);
}

static bool build(struct reader *reader) {
    struct sw_unique unique = {0};
    bool good =
        sw_unique_init(&unique, reader->rows.count + SW_MAX_TIERS) || sw_fail_memory(reader->error);
    for (uint32_t i = 0; good && reader->space_count > 1 && i < reader->space_count; i++) {
        reader->spaces[i].name = sw_unique_name(&unique, &reader->arena, reader->spaces[i].name);
        struct sw_tier tier = {.name = reader->spaces[i].name, .capacity = SW_UNBOUNDED};
        good = tier.name ? sw_builder_tier(reader->builder, &tier, reader->error)
                         : sw_fail_memory(reader->error);
    }
    for (size_t i = 0; good && i < reader->rows.count; i++) {
        const struct row *row = &reader->rows.items[i];
        const char *name = sw_unique_name(
            &unique, &reader->arena, sw_unique_text(&reader->arena, row->name, strlen(row->name)));
        sw_builder_at(reader->builder, row->line, 1);
        good = name ? add_buffer(reader, name, row->tier, row->kind, row->size)
                    : sw_fail_memory(reader->error);
    }
    for (uint32_t i = 0; good && i < reader->space_count; i++) {
        const struct space *space = &reader->spaces[i];
        if (!space->told || space->sum >= space->total) {
            continue;
        }
        const char *name = sw_unique_name(&unique, &reader->arena, "not listed");
        good = name ? add_buffer(reader, name, space->name, SW_KIND_INTERMEDIATE,
                                 space->total - space->sum)
                    : sw_fail_memory(reader->error);
    }
    sw_unique_done(&unique);
    return good;
}

static bool add_notes(struct reader *reader) {
    bool good = sw_builder_note(
        reader->builder,
        "the report has no lifetimes: everything is there at one time; NAME-buffer-assignment.txt "
        "beside it has XLA's plan",
        reader->error);
    for (uint32_t i = 0; good && i < reader->space_count; i++) {
        const struct space *space = &reader->spaces[i];
        good =
            !space->told || sw_notef(reader->builder, reader->error,
                                     "%s: %s bytes in all as the report says, %s in what it lists",
                                     space->name, SW_COUNT(space->total), SW_COUNT(space->sum));
    }
    return good &&
           (reader->rounded == 0 ||
            sw_notef(reader->builder, reader->error,
                     "sizes that are rounded, as the report has them: %" PRIu64, reader->rounded));
}

static bool report_read(const struct sw_input *input, const struct sw_load_options *options,
                        struct sw_builder *builder, struct sw_error *error) {
    (void)options;
    struct sw_error own = {0};
    struct reader reader = {.builder = builder, .error = &own};
    if (!sw_text_check(input, error)) {
        return false;
    }
    sw_scan_open(&reader.scan, input);
    bool good = read_lines(&reader) && build(&reader) && add_notes(&reader);
    SW_ARRAY_DONE(&reader.rows);
    sw_arena_done(&reader.arena);
    if (!good && error) {
        *error = own;
    }
    return good;
}

static bool report_detect(const struct sw_input *input) {
    const char *at = sw_text_begin(input), *end = sw_text_end(input);
    while (at < end && (*at == ' ' || *at == '\n' || *at == '\r')) {
        at++;
    }
    static const char used[] = "Total bytes used: ", space[] = "Memory Space: ";
    return ((size_t)(end - at) >= sizeof used - 1 && memcmp(at, used, sizeof used - 1) == 0) ||
           ((size_t)(end - at) >= sizeof space - 1 && memcmp(at, space, sizeof space - 1) == 0);
}

const struct sw_format sw_format_xla_report = {
    .name = "xla-report",
    .summary =
        "XLA's NAME-memory-usage-report.txt: it has no lifetimes, everything is there at one time",
    .extensions = ".txt",
    .detect = report_detect,
    .read = report_read,
};
