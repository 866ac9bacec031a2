/* What ONNX Runtime's arenas print with a log level of INFO (0 or 1):
 *
 *     ... bfc_arena.cc:26 BFCArena] Creating BFCArena for Cuda with following configs: initial_chunk_size_bytes: 1048576 ...
 *     ... Extending BFCArena for Cuda. bin_num:9 (requested) num_bytes: 160000 (actual) rounded_bytes:160000
 *     ... Extended allocation by 1048576 bytes.
 *     ... Allocated memory at 0x7fa4c6800000 to 0x7fa4c6900000
 *     ... Reserving memory in BFCArena for Cuda size: 33554432
 *     ... Cuda BFC Arena shrunk by 1048576 bytes.
 *
 *     ... Total allocated bytes: 1048576
 *
 * So a log tells each request that made an arena grow, and where its region lies: the request has the region's low end. It
 * tells neither requests that found room nor any free. What is reserved bypasses the arena: weights for the most part. */
#include "formats/requests/bfc_log.h"
#include "base/text.h"

#include "formats/tools/placed.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h> /* snprintf */
#include <string.h>

#define EXTENDING "Extending BFCArena for "
#define RESERVING "Reserving memory in BFCArena for "
#define CREATING "Creating BFCArena for "

struct reserved {
    uint64_t size;
    uint32_t line;
};
struct reader {
    struct sw_bfc_log log;
    SW_ARRAY(struct reserved) reserved;
    uint64_t reserved_bytes;
    uint64_t pending;       /* a request that waits for its region; SW_NO_ADDRESS: none */
    bool here;              /* the last line that names an arena names the chosen one */
    bool shrinking;         /* the line before said so, too */
    bool extended;          /* the device gave memory; its address is not told yet */
};

/* Of the arena's own words, for the program that prints them has these words as well. */
static bool ort_detect(const struct sw_input *input) {
    static const char *const begins[] = {EXTENDING, RESERVING, CREATING};
    static const char *const goes_on[] = {"bytes:", " size: ", " with following configs"};
    const char *begin = sw_text_begin(input), *end = sw_text_end(input);
    for (unsigned i = 0; i < 3; i++) {
        const char *at = sw_scan_find(begin, end, begins[i]);
        const char *name = at < end ? at + strlen(begins[i]) : end;
        const char *stop = name < end ? memchr(name, '\n', (size_t)(end - name)) : end;
        stop = stop ? stop : end;
        if (name < end && isalnum((unsigned char)*name) && sw_scan_find(name, stop, goes_on[i]) < stop) {
            return true;
        }
    }
    return false;
}

/* ---- lines ---- */

/* "initial_chunk_size_bytes: 1048576 ... memory limit: N arena_extend_strategy: 0" as settings of our bfc-arena. A limit is left
 * to the user: without it one sees what the requests need. */
static void read_settings(struct reader *reader) {
    struct sw_scan *scan = &reader->log.scan;
    char *to = reader->log.list.requests->settings;
    size_t room = sizeof reader->log.list.requests->settings, used = 0;
    static const char *const words[][2] = {{"initial_chunk_size_bytes: ", "initial"},
                                           {"max_dead_bytes_per_chunk: ", "max_dead"},
                                           {"initial_growth_chunk_size_bytes: ", "growth_after_shrink"},
                                           {"max_power_of_two_extend_bytes: ", "max_extend"},
                                           {"arena_extend_strategy: ", "strategy"}};
    const char *from = scan->at;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        bool strategy = strcmp(words[i][1], "strategy") == 0;
        uint64_t value;
        scan->at = from;
        if (sw_scan_past(scan, words[i][0]) && sw_bfc_bytes(scan, &value) && (value > 0 || strategy)) {
            int written = strategy ? snprintf(to + used, room - used, "%sstrategy=%s", used ? "," : "",
                                              value == 0 ? "next-power-of-two" : "same-as-requested")
                                   : snprintf(to + used, room - used, "%s%s=%" PRIu64, used ? "," : "", words[i][1], value);
            used += written > 0 && (size_t)written < room - used ? (size_t)written : 0;
        }
    }
    to[used] = '\0';
}

/* Of this request no region is told: the device refused, or the log stops. */
static bool end_pending(struct reader *reader, bool last) {
    uint64_t size = reader->pending;
    reader->pending = SW_NO_ADDRESS;
    if (size == SW_NO_ADDRESS || (last && !reader->extended)) {
        return true; /* the log stops before it says what came of the request */
    }
    if (!reader->extended) {
        return sw_request_list_other(&reader->log.list, SW_REQUEST_REFUSED, SW_NO_ADDRESS, size, reader->log.error);
    }
    reader->extended = false;
    char id[32];
    snprintf(id, sizeof id, "line %" PRIu32, reader->log.scan.line);
    return sw_bfc_alloc(&reader->log, id, size, SW_NO_ADDRESS, NULL) != SW_NONE;
}

static bool read_region(struct reader *reader) {
    struct sw_bfc_log *log = &reader->log;
    uint64_t from, to, size = reader->pending;
    if (!sw_bfc_address(&log->scan, &from) || !sw_scan_past(&log->scan, "to ") || !sw_bfc_address(&log->scan, &to)) {
        log->strange++;
        return true;
    }
    reader->pending = SW_NO_ADDRESS;
    reader->extended = false;
    return sw_bfc_region(log, from, to) && (size == SW_NO_ADDRESS || sw_bfc_alloc(log, NULL, size, from, NULL) != SW_NONE);
}

/* Which arena does the line name? Behind the word, up to `end`. */
static uint32_t read_arena(struct sw_bfc_log *log, char end) {
    const char *name;
    size_t length = sw_bfc_name(&log->scan, end, &name);
    return sw_bfc_log_arena(log, name, length);
}

/* "Cuda BFC Arena shrunk by N bytes.": each region that was given back has such a line. */
static bool read_shrunk(struct reader *reader) {
    struct sw_bfc_log *log = &reader->log;
    const char *end = log->scan.at - strlen(" BFC Arena shrunk by "), *name = end;
    while (name > log->scan.begin && name[-1] != ' ' && name[-1] != ']') {
        name--;
    }
    bool again = reader->shrinking;
    uint64_t size, frees = log->list.frees;
    reader->here = sw_bfc_log_arena(log, name, (size_t)(end - name)) == log->chosen;
    reader->shrinking = reader->here;
    if (!reader->here) {
        return true;
    }
    if (!sw_bfc_bytes(&log->scan, &size)) {
        log->strange++;
        return true;
    }
    return sw_bfc_region_gone_of_size(log, size) &&
           ((again && log->list.frees == frees) ||
            sw_request_list_other(&log->list, SW_REQUEST_EMPTY, SW_NO_ADDRESS, 0, log->error));
}

static bool read_request(struct reader *reader) {
    struct sw_bfc_log *log = &reader->log;
    reader->here = read_arena(log, '.') == log->chosen;
    if (!reader->here) {
        return true;
    }
    const char *from = log->scan.at;
    if (!sw_scan_past(&log->scan, "num_bytes:") && !sw_scan_past(&log->scan, "rounded_bytes:")) {
        log->strange++;
        return true;
    }
    uint64_t size;
    if (!end_pending(reader, false)) {
        return false;
    }
    if (!sw_bfc_bytes(&log->scan, &size)) {
        log->scan.at = from;
        log->strange++;
        return true;
    }
    reader->pending = size;
    return true;
}

static bool read_reserved(struct reader *reader) {
    struct sw_bfc_log *log = &reader->log;
    struct reserved reserved = {0, log->scan.line};
    if (read_arena(log, '\0') != log->chosen) {
        return true;
    }
    if (!sw_scan_past(&log->scan, "size:") || !sw_bfc_bytes(&log->scan, &reserved.size)) {
        log->strange++;
        return true;
    }
    reader->reserved_bytes += reserved.size;
    if (reader->reserved_bytes > SW_MAX_BYTES) {
        return sw_scan_fail(&log->scan, log->error, "what is reserved adds up to more than 2^61 bytes");
    }
    return SW_PUSH(&reader->reserved, reserved) || sw_fail_memory(log->error);
}

static bool read_line(struct reader *reader) {
    struct sw_scan *scan = &reader->log.scan;
    if (sw_scan_past(scan, " BFC Arena shrunk by ")) {
        return read_shrunk(reader);
    }
    if (sw_scan_past(scan, EXTENDING)) {
        reader->shrinking = false;
        return read_request(reader);
    }
    if (sw_scan_past(scan, RESERVING)) {
        return read_reserved(reader);
    }
    if (sw_scan_past(scan, CREATING)) {
        if (read_arena(&reader->log, '\0') == reader->log.chosen) {
            read_settings(reader);
        }
        return true;
    }
    if (reader->here && sw_scan_past(scan, "Extended allocation by ")) {
        reader->extended = true;
        reader->log.total = SW_NO_ADDRESS;
    } else if (reader->here && sw_scan_past(scan, "Total allocated bytes: ")) {
        reader->log.total = sw_bfc_bytes(scan, &reader->log.total) ? reader->log.total : SW_NO_ADDRESS;
    } else if (reader->here && sw_scan_past(scan, "Allocated memory at ")) {
        return read_region(reader);
    }
    return true;
}

/* How many requests has each arena? */
static bool count_arenas(struct sw_bfc_log *log, const struct sw_input *input) {
    sw_scan_open(&log->scan, input);
    while (sw_scan_line(&log->scan)) {
        bool extends = sw_scan_past(&log->scan, EXTENDING);
        if (extends || sw_scan_past(&log->scan, RESERVING) || sw_scan_past(&log->scan, CREATING)) {
            uint32_t arena = read_arena(log, extends ? '.' : '\0');
            if (arena == SW_NONE) {
                return sw_fail_memory(log->error);
            }
            log->arenas.items[arena].requests += extends;
        }
    }
    sw_bfc_choose(log);
    sw_scan_open(&log->scan, input);
    return true;
}

/* ---- the end ---- */

static bool add_reserved(const struct reader *reader, struct sw_builder *builder) {
    for (size_t i = 0; i < reader->reserved.count; i++) {
        char name[32];
        snprintf(name, sizeof name, "reserved %zu", i + 1);
        struct sw_buffer_spec spec = {.name = name, .kind = SW_KIND_CONSTANT, .has_size = true,
                                      .size = reader->reserved.items[i].size};
        sw_builder_at(builder, reader->reserved.items[i].line, 1);
        if (!sw_builder_buffer(builder, &spec, reader->log.error)) {
            return false;
        }
    }
    return reader->reserved.count == 0 ||
           sw_notef(builder, reader->log.error,
                    "%zu reservation%s of %s bytes bypass%s the arena, and %s constant%s that are "
                    "not planned",
                    reader->reserved.count, reader->reserved.count == 1 ? "" : "s",
                    SW_COUNT(reader->reserved_bytes), reader->reserved.count == 1 ? "es" : "",
                    reader->reserved.count == 1 ? "is a" : "are",
                    reader->reserved.count == 1 ? "" : "s");
}

static bool fill(struct reader *reader, struct sw_builder *builder) {
    while (sw_scan_line(&reader->log.scan)) {
        bool cut = reader->log.scan.next == reader->log.scan.stop && reader->log.scan.stop[-1] != '\n';
        reader->log.strange += cut;
        if (!cut && !read_line(reader)) {
            return false;
        }
    }
    reader->log.list.requests->partial = true;
    return end_pending(reader, true) && sw_bfc_build(&reader->log, builder) && add_reserved(reader, builder) &&
           sw_builder_note(builder,
                           "the log tells only requests that made the arena grow: neither those that found room nor any "
                           "free",
                           reader->log.error) &&
           (*reader->log.list.requests->settings == '\0' ||
            sw_notef(builder, reader->log.error, "settings of the arena, with which bfc-arena runs unless told otherwise: %s", reader->log.list.requests->settings));
}

static bool ort_read(const struct sw_input *input, const struct sw_load_options *options, struct sw_builder *builder,
                     struct sw_error *error) {
    struct sw_error own = {0};
    struct reader reader = {.log = {.error = &own, .total = SW_NO_ADDRESS}, .pending = SW_NO_ADDRESS};
    (void)options;
    bool good = count_arenas(&reader.log, input) && sw_request_list_begin(&reader.log.list, "bfc-arena", &own) &&
                fill(&reader, builder);
    SW_ARRAY_DONE(&reader.reserved);
    if (!good && error) {
        sw_error_at(&own, input->name, own.line > 0 ? own.line : reader.log.scan.line, own.column > 0 ? own.column : 1);
        *error = own;
    }
    sw_bfc_done(&reader.log);
    return good;
}

const struct sw_format sw_format_bfc_onnxruntime = {
    .name = "onnxruntime-bfc",
    .summary = "what ONNX Runtime's arena prints (log level INFO): the requests that made it grow, one after the other",
    .extensions = ".log",
    .detect = ort_detect,
    .read = ort_read,
};
