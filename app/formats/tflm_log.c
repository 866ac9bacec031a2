/* What TensorFlow Lite Micro prints of its memory plan (PrintMemoryPlan, built with
 * TF_LITE_SHOW_MEMORY_USE): a row per buffer, then the plan as characters, then totals. */
#include "formats/placed.h"
#include "formats/scan.h"

#include <inttypes.h>
#include <stdio.h>

struct row {
    char mark; /* '*': used in one step only */
    int64_t id, size, offset, first, last;
};

struct reader {
    struct sw_scan scan;
    struct sw_placed placed;
    struct sw_builder *builder;
    struct sw_error *error;
    int64_t head;    /* what the log says of the arena's head; -1 */
    uint32_t second; /* the line in which another plan begins */
    bool aligned;    /* every size and offset is a multiple of 16 */
    bool marked;
};

/* Is this a row? Serial monitors put their own words before it. */
static bool find_row(struct sw_scan *scan, struct row *row) {
    const char *place = sw_scan_find(scan->at, scan->end, " (id=");
    if (place == scan->end || place == scan->at) {
        return false;
    }
    *row = (struct row){.mark = place[-1]};
    const char *from = scan->at;
    scan->at = place;
    bool found = sw_scan_word(scan, " (id=") && sw_scan_number(scan, &row->id) &&
                 sw_scan_word(scan, "): size=");
    scan->at = found ? scan->at : from;
    return found;
}

static bool take(struct reader *reader, const char *word, const char *name, int64_t *value) {
    if (!sw_scan_word(&reader->scan, word)) {
        return sw_scan_fail(&reader->scan, reader->error, "'%s' is missing in this row of the plan",
                            name);
    }
    const char *at = reader->scan.at;
    if (!sw_scan_number(&reader->scan, value)) {
        return sw_scan_fail(&reader->scan, reader->error, "%s is not a number", name);
    }
    if (*value < 0) {
        reader->scan.at = at;
        return sw_scan_fail(&reader->scan, reader->error,
                            "%s %" PRId64 " is negative: it did not fit the 32 bits of the "
                            "interpreter",
                            name, *value);
    }
    return true;
}

static bool add_row(struct reader *reader, const struct row *row) {
    char name[40];
    bool mark = row->mark == '*';
    int length = snprintf(name, sizeof name, "%s%" PRId64, mark ? "scratch" : "buf", row->id);
    struct sw_placed_row placed = {.name = name,
                                   .kind = SW_KIND_INTERMEDIATE,
                                   .first = row->first,
                                   .last = row->last,
                                   .offset = (uint64_t)row->offset,
                                   .size = (uint64_t)row->size,
                                   .line = reader->scan.line,
                                   .column = 1};
    reader->marked |= mark;
    reader->aligned &= row->offset % 16 == 0 && row->size % 16 == 0;
    if (!sw_placed_add(&reader->placed, &placed, (size_t)length, reader->error)) {
        sw_error_at(reader->error, reader->scan.input->name, reader->scan.line, 1);
        return false;
    }
    return true;
}

/* The rest of a row, of which id and "size=" are read. */
static bool read_row(struct reader *reader, struct row *row) {
    const char *at = reader->scan.begin;
    int64_t wanted = (int64_t)reader->placed.rows.count;
    if (row->id != wanted) {
        reader->scan.at = at;
        return sw_scan_fail(&reader->scan, reader->error,
                            "buffer %" PRId64 " stands where buffer %" PRId64
                            " should: rows are missing",
                            row->id, wanted);
    }
    if (!take(reader, "", "size", &row->size) ||
        !take(reader, ", offset=", "offset", &row->offset) ||
        !take(reader, ", first_used=", "first_used", &row->first) ||
        !take(reader, " last_used=", "last_used", &row->last)) {
        return false;
    }
    if (row->last < row->first) {
        return sw_scan_fail(&reader->scan, reader->error,
                            "the lifetime ends at %" PRId64 ", before it begins at %" PRId64,
                            row->last, row->first);
    }
    if (row->last >= INT32_MAX) {
        return sw_scan_fail(&reader->scan, reader->error, "last_used %" PRId64 " is out of range",
                            row->last);
    }
    return add_row(reader, row);
}

static bool read_lines(struct reader *reader) {
    while (reader->second == 0 && sw_scan_line(&reader->scan)) {
        struct row row;
        if (find_row(&reader->scan, &row)) {
            if (row.id == 0 && reader->placed.rows.count > 0) {
                reader->second = reader->scan.line;
            } else if (!read_row(reader, &row)) {
                return false;
            }
        } else if (sw_scan_past(&reader->scan, "Arena allocation head ")) {
            sw_scan_number(&reader->scan, &reader->head);
        }
    }
    return reader->placed.rows.count > 0 ||
           sw_scan_fail(&reader->scan, reader->error,
                        "no memory plan: neither rows of TFLM (\"(id=0): size=...\") nor tables of "
                        "vela --verbose-allocation");
}

static bool add_notes(struct reader *reader) {
    struct sw_builder *builder = reader->builder;
    uint64_t peak = sw_placed_peak(&reader->placed, NULL);
    if (!sw_builder_note(builder,
                         "first_used and last_used are both inside; operator i runs at time i+1, "
                         "inputs are there at 0",
                         reader->error) ||
        !sw_builder_note(builder,
                         "the log has no names of tensors, and leaves out weights, variables and "
                         "everything in the tail of the arena",
                         reader->error)) {
        return false;
    }
    if (reader->marked &&
        !sw_builder_note(builder,
                         "scratchN: used in one step only, as the workspaces of kernels are; an "
                         "output that nobody reads is marked so too",
                         reader->error)) {
        return false;
    }
    if (reader->head >= 0 && (uint64_t)reader->head != peak &&
        !sw_notef(builder, reader->error,
                  "the log says the head of the arena is %" PRId64
                  " bytes; its rows end at %" PRIu64,
                  reader->head, peak)) {
        return false;
    }
    return reader->second == 0 ||
           sw_notef(builder, reader->error,
                    "another plan begins in line %" PRIu32 " of the log and is left out",
                    reader->second);
}

static bool log_read(const struct sw_input *input, struct sw_builder *builder,
                     struct sw_error *error) {
    struct sw_error own = {0};
    struct reader reader = {.builder = builder, .error = &own, .head = -1, .aligned = true};
    if (!sw_text_check(input, error)) {
        return false;
    }
    sw_scan_open(&reader.scan, input);
    bool good = read_lines(&reader) && add_notes(&reader) &&
                sw_builder_alignment(builder, reader.aligned ? 16 : 1, &own) &&
                sw_placed_build(&reader.placed, SW_ALIAS_NONE, builder, &own);
    sw_placed_done(&reader.placed);
    if (!good && error) {
        *error = own;
    }
    return good;
}

static bool log_detect(const struct sw_input *input) {
    struct sw_scan scan;
    struct row row;
    sw_scan_open(&scan, input);
    /* Without going through all lines of what cannot be such a log. */
    if (sw_scan_find(scan.next, scan.stop, " (id=") == scan.stop) {
        return false;
    }
    while (sw_scan_line(&scan)) {
        if (find_row(&scan, &row)) {
            return true;
        }
    }
    return false;
}

const struct sw_format sw_format_tflm_log = {
    .name = "tflm-log",
    .summary =
        "the memory plan that TensorFlow Lite Micro prints: first_used and last_used are both "
        "inside",
    .extensions = ".log",
    .detect = log_detect,
    .read = log_read,
};
