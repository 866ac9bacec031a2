/* The log of Arm's Vela compiler with --verbose-allocation (version 3): one table per memory area,
 * with the peak at its foot. */
#include "formats/tools/placed.h"
#include "base/minmax.h"
#include "formats/text/scan.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* The peak at the foot of a table may be rounded up to the alignment of the last buffer. */
#define LARGEST_ALIGNMENT 256

struct row {
    int64_t first, last, begin, end, size, usage;
    const char *purpose, *name;
    size_t purpose_length, name_length;
};

struct reader {
    struct sw_scan scan;
    struct sw_placed placed;
    struct sw_builder *builder;
    struct sw_error *error;
    const char *tiers[SW_MAX_TIERS];
    uint32_t tier_count;
    const char *tier; /* of the table that is being read; NULL: none, or one that is left out */
    bool inside;      /* of a table */
    uint32_t begins;  /* the line of its title */
    uint64_t peak, tables;
    uint64_t left_rows, left_bytes;
};

static bool read_row(struct sw_scan *scan, struct row *row) {
    const char *from = scan->at;
    int64_t *const numbers[] = {&row->first, &row->last, &row->begin,
                                &row->end,   &row->size, &row->usage};
    static const char *const after[] = {" -", ":", " -", ":", ":", ":"};
    for (int i = 0; i < 6; i++) {
        bool hex = i == 2 || i == 3;
        sw_scan_space(scan);
        bool good = hex ? sw_scan_hex(scan, numbers[i]) : sw_scan_number(scan, numbers[i]);
        if (!good || !sw_scan_word(scan, after[i])) {
            scan->at = i == 0 ? from : scan->at;
            return false;
        }
    }
    sw_scan_space(scan);
    row->purpose = scan->at;
    while (scan->at < scan->end && *scan->at != ' ' && *scan->at != ':') {
        scan->at++;
    }
    row->purpose_length = (size_t)(scan->at - row->purpose);
    sw_scan_space(scan);
    if (!sw_scan_word(scan, ":")) {
        return false;
    }
    sw_scan_space(scan);
    row->name = scan->at;
    row->name_length = (size_t)(scan->end - scan->at);
    return true;
}

/* The name of a new tier: that of the area, with its memory types when there is one of that name
 * already, and a number when there is even one of that. */
static bool add_tier(struct reader *reader, const char *area, size_t area_length, const char *types,
                     size_t types_length) {
    char text[160] = "";
    bool taken = true;
    for (uint32_t attempt = 0; taken && attempt < SW_MAX_TIERS + 2; attempt++) {
        int used = snprintf(text, 64, "%.*s", (int)area_length, area);
        if (attempt > 0) {
            used += snprintf(text + used, 64, " (%.*s)", (int)types_length, types);
        }
        if (attempt > 1) {
            snprintf(text + used, 16, " %" PRIu32, attempt);
        }
        taken = false;
        for (uint32_t i = 0; i < reader->tier_count; i++) {
            taken |= strcmp(reader->tiers[i], text) == 0;
        }
    }
    if (taken || reader->tier_count == SW_MAX_TIERS) {
        return sw_scan_fail(&reader->scan, reader->error, "more than %d tables of memory areas",
                            SW_MAX_TIERS);
    }
    reader->tier = sw_arena_string(&reader->placed.arena, text, strlen(text));
    if (!reader->tier) {
        return sw_fail_memory(reader->error);
    }
    reader->tiers[reader->tier_count++] = reader->tier;
    struct sw_tier tier = {.name = reader->tier, .capacity = SW_UNBOUNDED};
    sw_builder_at(reader->builder, reader->scan.line, 1);
    return sw_builder_tier(reader->builder, &tier, reader->error);
}

static bool fail_unfinished(struct reader *reader) {
    return sw_scan_fail(&reader->scan, reader->error,
                        "the table that begins in line %" PRIu32
                        " has no \"Allocation Peak Memory Usage\" at its foot: the log is cut off",
                        reader->begins);
}

/* "Tensor Allocation for mem_area Sram, of mem_type_set (Scratch), using ..." */
static bool begin_table(struct reader *reader) {
    struct sw_scan *scan = &reader->scan;
    if (reader->inside) {
        scan->at = scan->begin;
        return fail_unfinished(reader);
    }
    const char *area = scan->at, *area_end = sw_scan_find(area, scan->end, ", of mem_type_set (");
    scan->at = area_end;
    const char *types = scan->at;
    if (!sw_scan_word(scan, ", of mem_type_set (") || area == area_end ||
        (types = scan->at, scan->at = sw_scan_find(types, scan->end, ")")) == scan->end) {
        return sw_scan_fail(scan, reader->error,
                            "the title of a table of tensors names no memory area and types");
    }
    size_t room = 40; /* of names that go on for longer no more is needed to tell them apart */
    size_t area_length = (size_t)(area_end - area), types_length = (size_t)(scan->at - types);
    area_length = SW_MIN(area_length, room);
    types_length = SW_MIN(types_length, room);
    reader->inside = true;
    reader->begins = scan->line;
    reader->peak = 0;
    reader->tier = NULL;
    reader->tables++;
    bool permanent = types_length >= 9 && memcmp(types, "Permanent", 9) == 0;
    return permanent || add_tier(reader, area, area_length, types, types_length);
}

static bool add_row(struct reader *reader, const struct row *row) {
    const struct sw_scan *scan = &reader->scan;
    if (row->last < row->first || row->last >= INT32_MAX || row->first < INT32_MIN) {
        return sw_scan_fail(scan, reader->error, "the lifetime is %" PRId64 " to %" PRId64,
                            row->first, row->last);
    }
    if (row->end < row->begin || row->end - row->begin != row->size) {
        return sw_scan_fail(scan, reader->error,
                            "size %" PRId64 " is not what lies between the addresses", row->size);
    }
    if (!reader->tier) {
        reader->left_rows++;
        reader->left_bytes += (uint64_t)row->size;
        return true;
    }
    bool workspace = row->purpose_length == 7 && memcmp(row->purpose, "Scratch", 7) == 0;
    struct sw_placed_row placed = {.name = row->name,
                                   .tier = reader->tier,
                                   .kind = workspace ? SW_KIND_SCRATCH : SW_KIND_INTERMEDIATE,
                                   .first = row->first,
                                   .last = row->last,
                                   .offset = (uint64_t)row->begin,
                                   .size = (uint64_t)row->size,
                                   .line = scan->line,
                                   .column = 1};
    if (!sw_placed_add(&reader->placed, &placed, row->name_length, reader->error)) {
        sw_error_at(reader->error, scan->input->name, scan->line, 1);
        return false;
    }
    reader->peak = SW_MAX((uint64_t)row->end, reader->peak);
    return true;
}

/* "Allocation Peak Memory Usage:     74464 (   0x122e0) Bytes" */
static bool end_table(struct reader *reader) {
    int64_t said = 0;
    sw_scan_space(&reader->scan);
    if (!sw_scan_number(&reader->scan, &said)) {
        return sw_scan_fail(&reader->scan, reader->error, "the peak of the table is not a number");
    }
    uint64_t wanted = said < 0 ? 0 : (uint64_t)said;
    if (reader->tier && (reader->peak > wanted || wanted - reader->peak >= LARGEST_ALIGNMENT)) {
        return sw_scan_fail(&reader->scan, reader->error,
                            "the table's peak is %" PRId64 " bytes, but its rows end at %" PRIu64
                            ": rows are missing or wrong",
                            said, reader->peak);
    }
    reader->inside = false;
    return true;
}

static bool read_line(struct reader *reader) {
    struct sw_scan *scan = &reader->scan;
    struct row row;
    if (sw_scan_past(scan, "Tensor Allocation for mem_area ")) {
        return begin_table(reader);
    }
    if (!reader->inside || sw_scan_word(scan, "Start Time")) {
        return true;
    }
    if (sw_scan_past(scan, "Allocation Peak Memory Usage:")) {
        return end_table(reader);
    }
    if (sw_scan_past(scan, "Allocation Peak Tensor Size:")) {
        return true;
    }
    sw_scan_space(scan);
    if (scan->at == scan->end) {
        return true;
    }
    scan->at = scan->begin;
    if (sw_scan_word(scan, "####")) { /* the next table's */
        scan->at = scan->begin;
        return fail_unfinished(reader);
    }
    return read_row(scan, &row)
               ? add_row(reader, &row)
               : sw_scan_fail(scan, reader->error, "this is no row of the table of tensors");
}

static bool read_lines(struct reader *reader) {
    while (sw_scan_line(&reader->scan)) {
        if (!read_line(reader)) {
            return false;
        }
    }
    if (reader->inside) {
        return fail_unfinished(reader);
    }
    return reader->tables > 0 ||
           sw_scan_fail(&reader->scan, reader->error,
                        "no table of tensors: run vela with --verbose-allocation");
}

static bool add_notes(struct reader *reader) {
    return sw_builder_note(reader->builder,
                           "start and end time are both inside; addresses count from the start of "
                           "each area",
                           reader->error) &&
           (reader->left_rows == 0 ||
            sw_notef(reader->builder, reader->error,
                     "weights and other permanent data (%" PRIu64 " tensors, %" PRIu64
                     " bytes) are left out; those copied to fast memory are here",
                     reader->left_rows, reader->left_bytes));
}

static bool log_read(const struct sw_input *input, const struct sw_load_options *options, struct sw_builder *builder,
                      struct sw_error *error) {
    (void)options;
    struct sw_error own = {0};
    struct reader reader = {.builder = builder, .error = &own};
    if (!sw_text_check(input, error)) {
        return false;
    }
    sw_scan_open(&reader.scan, input);
    bool good = read_lines(&reader) && add_notes(&reader) &&
                sw_placed_build(&reader.placed, SW_ALIAS_SAME_LIFE, builder, &own);
    sw_placed_done(&reader.placed);
    if (!good && error) {
        *error = own;
    }
    return good;
}

static bool log_detect(const struct sw_input *input) {
    const char *begin = sw_text_begin(input), *end = sw_text_end(input);
    return sw_scan_find(begin, end, "Tensor Allocation for mem_area ") != end;
}

const struct sw_format sw_format_vela_log = {
    .name = "vela-log",
    .summary = "the tables of Vela's --verbose-allocation: start and end time are both inside",
    .extensions = ".log",
    .detect = log_detect,
    .read = log_read,
};
