/* What TensorFlow Lite Micro prints of its memory plan (PrintMemoryPlan, built with
 * TF_LITE_SHOW_MEMORY_USE): a row per buffer, then the plan as characters, then totals. */
#include "formats/tools/tflm_log.h"
#include "base/base.h"

#include "formats/text/foreign.h"

#include "formats/tools/placed.h"
#include "formats/text/scan.h"

struct tflm_reader {
    struct sw_scan scan;
    struct sw_tflm_log *log;
    struct sw_error *error;
};

/* Is this a row? Serial monitors put their own words before it. */
static bool find_tflm_row(struct sw_scan *scan, struct sw_tflm_row *row) {
    const char *place = sw_scan_find(scan->at, scan->end, " (id=");
    if (place == scan->end || place == scan->at) {
        return false;
    }
    *row = (struct sw_tflm_row){.mark = place[-1]};
    const char *from = scan->at;
    scan->at = place;
    bool found = sw_scan_word(scan, " (id=") && sw_scan_number(scan, &row->id) && sw_scan_word(scan, "): size=");
    scan->at = found ? scan->at : from;
    return found;
}

static bool take_field(struct tflm_reader *reader, const char *word, const char *name, int64_t least, int64_t *value) {
    if (!sw_scan_word(&reader->scan, word)) {
        return sw_scan_fail(&reader->scan, reader->error, "'%s' is missing in this row of the plan", name);
    }
    const char *at = reader->scan.at;
    if (!sw_scan_number(&reader->scan, value)) {
        return sw_scan_fail(&reader->scan, reader->error, "%s is not a number", name);
    }
    if (*value < least) {
        reader->scan.at = at;
        return sw_scan_fail(&reader->scan, reader->error,
                            "%s %" PRId64 " is negative: it did not fit the 32 bits of the "
                            "interpreter",
                            name, *value);
    }
    return true;
}

/* The rest of a row, of which id and "size=" are read. */
static bool read_log_row(struct tflm_reader *reader, struct sw_tflm_row *row) {
    const char *at = reader->scan.begin;
    int64_t wanted = (int64_t)reader->log->rows.count;
    if (row->id != wanted) {
        reader->scan.at = at;
        return sw_scan_fail(&reader->scan, reader->error,
                            "buffer %" PRId64 " stands where buffer %" PRId64 " should: rows are missing", row->id,
                            wanted);
    }
    if (!take_field(reader, "", "size", 0, &row->size) || !take_field(reader, ", offset=", "offset", 0, &row->offset) ||
        !take_field(reader, ", first_used=", "first_used", -1, &row->first) ||
        !take_field(reader, " last_used=", "last_used", -1, &row->last)) {
        return false;
    }
    if (row->last < row->first) {
        return sw_scan_fail(&reader->scan, reader->error,
                            "the lifetime ends at %" PRId64 ", before it begins at %" PRId64, row->last, row->first);
    }
    if (row->last >= INT32_MAX) {
        return sw_scan_fail(&reader->scan, reader->error, "last_used %" PRId64 " is out of range", row->last);
    }
    row->line = reader->scan.line;
    return SW_PUSH(&reader->log->rows, *row) || sw_fail_memory(reader->error);
}

/* A section of the tail; a line that is not one tells nothing. */
static bool read_section(struct tflm_reader *reader) {
    struct sw_tflm_section section = {0};
    struct sw_scan *scan = &reader->scan;
    const char *end = sw_scan_find(scan->at, scan->end, "' used ");
    snprintf(section.name, sizeof section.name, "%.*s", (int)(end - scan->at < 63 ? end - scan->at : 63), scan->at);
    scan->at = end;
    if (!sw_scan_word(scan, "' used ") || !sw_scan_number(scan, &section.used) || !sw_scan_past(scan, "(requested ") ||
        !sw_scan_number(scan, &section.requested) || !sw_scan_past(scan, " for ") ||
        !sw_scan_number(scan, &section.count) || section.used < 0 || section.requested < 0 || section.count < 0) {
        return true;
    }
    return SW_PUSH(&reader->log->sections, section) || sw_fail_memory(reader->error);
}

static bool read_log_lines(struct tflm_reader *reader) {
    struct sw_tflm_log *log = reader->log;
    while (log->second == 0 && sw_scan_line(&reader->scan)) {
        struct sw_tflm_row row;
        if (find_tflm_row(&reader->scan, &row)) {
            if (row.id == 0 && log->rows.count > 0) {
                log->second = reader->scan.line;
            } else if (!read_log_row(reader, &row)) {
                return false;
            }
        } else if (sw_scan_past(&reader->scan, "Arena allocation head ")) {
            sw_scan_number(&reader->scan, &log->head);
        } else if (sw_scan_past(&reader->scan, "Arena allocation tail ")) {
            sw_scan_number(&reader->scan, &log->tail);
        } else if (sw_scan_past(&reader->scan, "Failed to resize buffer. Requested:")) {
            sw_scan_space(&reader->scan);
            sw_scan_number(&reader->scan, &log->request);
        } else if (sw_scan_past(&reader->scan, "[RecordingMicroAllocator] '") && !read_section(reader)) {
            return false;
        }
    }
    return true;
}

bool sw_tflm_log_parse(struct sw_tflm_log *log, bool tail_is_enough, const struct sw_input *input,
                       struct sw_error *error) {
    struct tflm_reader reader = {.log = log, .error = error};
    log->head = log->tail = log->request = -1;
    sw_scan_open(&reader.scan, input);
    if (!sw_text_check(input, error) || !read_log_lines(&reader)) {
        return false;
    }
    if (tail_is_enough && log->rows.count == 0 && log->tail < 0 && log->request > 0) {
        sw_text_fail(input, sw_text_begin(input), error,
                     "there is no plan in this log, but a request of one for %" PRId64 " bytes that found no room: "
                     "the library of kernels ran with which the model takes as much, see --kernels and -p tflm-greedy",
                     log->request);
        return false;
    }
    return log->rows.count > 0 || (tail_is_enough && log->tail >= 0) || sw_foreign_log(input, error);
}

void sw_tflm_log_done(struct sw_tflm_log *log) {
    SW_ARRAY_DONE(&log->rows, &log->sections);
}

/* ---- a problem of its own ---- */

struct facts {
    size_t unused;
    bool aligned, marked; /* all sizes and offsets are multiples of 16; some rows are marked '*' */
};

static bool add_log_row(const struct sw_tflm_row *row, const struct sw_input *input, struct sw_placed *placed,
                        struct facts *facts, struct sw_error *error) {
    char name[40];
    bool mark = row->mark == '*';
    int length = snprintf(name, sizeof name, "%s%" PRId64, mark ? "scratch" : "buf", row->id);
    struct sw_placed_row to = {.name = name,
                               .kind = SW_KIND_INTERMEDIATE,
                               .first = row->first < 0 ? 0 : row->first,
                               .last = row->last,
                               .offset = (uint64_t)row->offset,
                               .size = (uint64_t)row->size,
                               .line = row->line,
                               .column = 1};
    facts->marked |= mark;
    facts->aligned &= row->offset % 16 == 0 && row->size % 16 == 0;
    if (!sw_placed_add(placed, &to, (size_t)length, error)) {
        sw_error_at(error, input->name, row->line, 1);
        return false;
    }
    return true;
}

static bool add_log_notes(const struct sw_tflm_log *log, const struct facts *facts, uint64_t peak,
                          struct sw_builder *builder, struct sw_error *error) {
    return sw_builder_note(builder,
                           "first_used and last_used are both inside; operator i runs at time i+1, "
                           "inputs are there at 0",
                           error) &&
           sw_builder_note(builder,
                           "the log has no names of tensors (--join gives it to the model), and "
                           "leaves out weights, variables and everything in the tail of the arena",
                           error) &&
           (!facts->marked || sw_builder_note(builder,
                                              "scratchN: used in one step only, as the workspaces of kernels are; an "
                                              "output that no operator reads is marked so too",
                                              error)) &&
           (facts->unused == 0 ||
            sw_notef(builder, error, "buffers that no operator uses, left out: %zu", facts->unused)) &&
           (log->head < 0 || (uint64_t)log->head == peak ||
            sw_notef(builder, error, "the log says the head of the arena is %s bytes; its rows end at %s",
                     SW_COUNT((uint64_t)log->head), SW_COUNT(peak))) &&
           (log->second == 0 ||
            sw_notef(builder, error, "another plan begins in line %" PRIu32 " of the log and is left out",
                     log->second));
}

static bool log_read(const struct sw_input *input, const struct sw_load_options *options, struct sw_builder *builder,
                     struct sw_error *error) {
    (void)options;
    struct sw_tflm_log log = {0};
    struct sw_placed placed = {0};
    struct facts facts = {.aligned = true};
    bool good = sw_tflm_log_parse(&log, false, input, error);
    for (size_t i = 0; good && i < log.rows.count; i++) {
        const struct sw_tflm_row *row = &log.rows.items[i];
        facts.unused += row->last < 0;
        good = row->last < 0 || add_log_row(row, input, &placed, &facts, error);
    }
    good = good && add_log_notes(&log, &facts, sw_placed_peak(&placed, NULL), builder, error) &&
           sw_builder_alignment(builder, facts.aligned ? 16 : 1, error) &&
           sw_placed_build(&placed, SW_ALIAS_NONE, builder, error);
    sw_placed_done(&placed);
    sw_tflm_log_done(&log);
    return good;
}

static bool log_detect(const struct sw_input *input) {
    struct sw_scan scan;
    struct sw_tflm_row row;
    sw_scan_open(&scan, input);
    /* Without going through all lines of what cannot be such a log. */
    if (sw_scan_find(scan.next, scan.stop, " (id=") == scan.stop) {
        return false;
    }
    while (sw_scan_line(&scan)) {
        if (find_tflm_row(&scan, &row)) {
            return true;
        }
    }
    return false;
}

const struct sw_format sw_format_tflm_log = {
    .name = "tflm-log",
    .summary = "the memory plan that TensorFlow Lite Micro prints: first_used and last_used are both "
               "inside",
    .extensions = ".log",
    .detect = log_detect,
    .read = log_read,
};
