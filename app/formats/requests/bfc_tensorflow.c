/* What TensorFlow's BFC allocators print with TF_CPP_MAX_VLOG_LEVEL=3 or more:
 *
 *     ... bfc_allocator.cc:260] AllocateRaw GPU_0_bfc  2053376
 *     ... bfc_allocator.cc:174] Extending allocation by 2.00MiB bytes.
 *     ... bfc_allocator.cc:181] Allocated memory at 0x7fb912c00000 to 0x7fb912e00000
 *     ... bfc_allocator.cc:307] AllocateRaw GPU_0_bfc  2053376 0x7fb912c85100
 *     ... bfc_allocator.cc:310] [mem-debug] AllocateRaw,GPU_0_bfc,2053376,0x7fb912c85100,STACK
 *     ... bfc_allocator.cc:650] DeallocateRaw GPU_0_bfc 2053376
 *     ... bfc_allocator.cc:652] [mem-debug] DeallocateRaw,GPU_0_bfc,2053376,0x7fb912c85100,STACK
 *
 * The lines with [mem-debug] come with level 4, and tell all. Those before tell of a free only how many bytes it gives back.
 * Until 2021 the second line of an allocation, with its address, was missing, too. The most exact kind in the log is read.
 * Beside them the lines of __LOG_MEMORY__ say which kernel a tensor is of, and which tensor is about to be freed. */
#include "formats/requests/bfc_log.h"

#include "formats/tools/placed.h"
#include "formats/text/size.h"
#include "formats/trace/read/trace_names.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h> /* snprintf */
#include <stdlib.h>
#include <string.h>

#define ALLOCATE "] AllocateRaw "
#define FREE "] DeallocateRaw "
#define DEBUG_ALLOCATE "] [mem-debug] AllocateRaw,"
#define DEBUG_FREE "] [mem-debug] DeallocateRaw,"
#define DOOMED 16 /* tensors that are about to be freed are looked for among the last so many */

enum detail { SIZES, ADDRESSES, EVERYTHING };
struct reader {
    struct sw_bfc_log log;
    enum detail detail;
    struct sw_trace_names tensors; /* by allocation_id: the buffer */
    struct sw_trace_names places;  /* by address: the buffer that came there last */
    uint32_t doomed[DOOMED];
    unsigned doomed_count;
    bool here;        /* the chosen allocator spoke last: a region is its own */
    uint64_t guessed; /* frees of one of several of a size */
    uint32_t last;    /* the stack that follows is of this buffer; SW_NONE */
    struct sw_sink stack;
};

/* The words of a line of the log, for the source of the program has some of them as well. */
static bool tf_detect(const struct sw_input *input) {
    static const char *const words[] = {"bfc_allocator.cc:", "AllocateRaw"};
    const char *begin = sw_text_begin(input), *end = sw_text_end(input);
    for (const char *at = begin; (at = sw_scan_find(at, end, words[0])) < end;) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        stop = stop ? stop : end;
        at += strlen(words[0]);
        while (at < stop && *at >= '0' && *at <= '9') {
            at++;
        }
        struct sw_scan scan = {.at = at, .end = stop};
        if (sw_scan_word(&scan, ALLOCATE) || sw_scan_word(&scan, FREE) || sw_scan_word(&scan, DEBUG_ALLOCATE)) {
            return true;
        }
        at = stop;
    }
    return false;
}

/* ---- one line's words ---- */

struct event {
    uint32_t arena;
    uint64_t size, address; /* SW_NO_ADDRESS: not told */
};
/* "NAME  SIZE ADDRESS", or "NAME,SIZE,ADDRESS,STACK". */
static bool read_event(struct sw_bfc_log *log, char comma, struct event *event) {
    struct sw_scan *scan = &log->scan;
    const char *name;
    size_t length = sw_bfc_name(scan, comma, &name);
    char word[2] = {comma, '\0'};
    event->arena = sw_bfc_log_arena(log, name, length);
    event->address = SW_NO_ADDRESS;
    if (length == 0 || event->arena == SW_NONE || !sw_scan_word(scan, word) || !sw_bfc_bytes(scan, &event->size)) {
        return false;
    }
    if (!sw_scan_word(scan, word)) {
        return scan->at == scan->end;
    }
    const char *at = scan->at;
    bool addressed = sw_bfc_address(scan, &event->address) && (scan->at == scan->end || *scan->at == comma);
    if (!addressed) { /* "alignment=64" of newer versions */
        scan->at = at;
        event->address = SW_NO_ADDRESS;
    }
    return comma == ' ' || addressed;
}

/* Which kinds of lines are there, and how many requests has each allocator? */
static bool look(struct reader *reader, const struct sw_input *input) {
    struct sw_bfc_log *log = &reader->log;
    sw_scan_open(&log->scan, input);
    while (sw_scan_line(&log->scan)) {
        struct event event;
        const char *begin = log->scan.at;
        bool debug = sw_scan_past(&log->scan, DEBUG_ALLOCATE);
        if (!debug && !sw_scan_past(&log->scan, ALLOCATE)) {
            continue;
        }
        if (read_event(log, debug ? ',' : ' ', &event)) {
            enum detail detail = debug ? EVERYTHING : event.address != SW_NO_ADDRESS ? ADDRESSES : SIZES;
            reader->detail = detail > reader->detail ? detail : reader->detail;
            log->arenas.items[event.arena].requests++;
        } else if (event.arena == SW_NONE) {
            return sw_fail_memory(log->error);
        }
        log->scan.at = begin;
    }
    sw_bfc_choose(log);
    sw_scan_open(&log->scan, input);
    return true;
}

/* ---- what is asked for and given back ---- */

static const char *place_name(char name[24], uint64_t address) {
    snprintf(name, 24, "0x%" PRIx64, address);
    return name;
}

static bool remember(struct reader *reader, struct sw_trace_names *names, const char *name, uint32_t buffer) {
    bool known = sw_trace_names_find(names, name) != SW_NONE;
    const char *kept = known ? name : sw_arena_string(&reader->log.list.arena, name, strlen(name));
    return (kept && sw_trace_names_set(names, kept, buffer)) || sw_fail_memory(reader->log.error);
}

static bool is_alive(const struct reader *reader, uint32_t buffer) {
    return buffer != SW_NONE && reader->log.list.buffers.items[buffer].last == SW_NONE;
}

static bool take_alloc(struct reader *reader, const struct event *event) {
    struct sw_bfc_log *log = &reader->log;
    char id[32], place[24];
    if (event->arena != log->chosen || event->size == 0) { /* a request of no bytes gets nothing */
        return true;
    }
    if (event->address == 0) {
        return sw_request_list_other(&log->list, SW_REQUEST_REFUSED, SW_NO_ADDRESS, event->size, log->error);
    }
    if (reader->detail == EVERYTHING) {
        reader->last = sw_bfc_alloc(log, NULL, event->size, event->address, NULL);
        return reader->last != SW_NONE;
    }
    snprintf(id, sizeof id, "%" PRIu64 "B", event->size);
    if (event->address != SW_NO_ADDRESS) {
        uint32_t there = sw_trace_names_find(&reader->places, place_name(place, event->address));
        if (is_alive(reader, there) && !sw_request_list_free_silently(&log->list, there, log->error)) {
            return false;
        }
    }
    uint32_t buffer = sw_bfc_alloc(log, id, event->size, event->address, NULL);
    return buffer != SW_NONE &&
           (event->address == SW_NO_ADDRESS || remember(reader, &reader->places, place_name(place, event->address), buffer));
}

/* A tensor of these bytes that is about to be freed; SW_NONE: none is known. */
static uint32_t take_doomed(struct reader *reader, uint64_t size) {
    for (unsigned i = 0; i < reader->doomed_count; i++) {
        uint32_t buffer = reader->doomed[i];
        if (is_alive(reader, buffer) && reader->log.list.buffers.items[buffer].size == size) {
            memmove(reader->doomed + i, reader->doomed + i + 1, (reader->doomed_count - i - 1) * sizeof *reader->doomed);
            reader->doomed_count--;
            return buffer;
        }
    }
    return SW_NONE;
}

static bool take_free(struct reader *reader, const struct event *event) {
    struct sw_bfc_log *log = &reader->log;
    char id[32];
    if (event->arena != log->chosen || event->size == 0) {
        return true;
    }
    uint32_t living = SW_NONE;
    if (reader->detail == EVERYTHING) {
        snprintf(id, sizeof id, "0x%" PRIx64, event->address);
    } else {
        living = take_doomed(reader, event->size);
        snprintf(id, sizeof id, "%" PRIu64 "B", event->size);
    }
    if (living == SW_NONE) {
        living = sw_request_list_find(&log->list, id, strlen(id));
        reader->guessed += living != SW_NONE && log->list.buffers.items[living].older != SW_NONE;
    }
    return living == SW_NONE ? sw_request_list_pass(&log->list, log->error)
                             : sw_request_list_free(&log->list, living, NULL, log->error);
}

/* ---- what else is told ---- */

/* Digits behind a word, as a name. */
static bool read_digits(const struct sw_scan *line, const char *word, char digits[24]) {
    struct sw_scan scan = *line;
    size_t length = 0;
    if (!sw_scan_past(&scan, word)) {
        return false;
    }
    for (; scan.at < scan.end && *scan.at >= '0' && *scan.at <= '9' && length < 23; scan.at++) {
        digits[length++] = *scan.at;
    }
    digits[length] = '\0';
    return length > 0;
}

/* MemoryLogTensorAllocation { ... kernel_name: "NAME" ... allocation_id: N ... ptr: DECIMAL } */
static bool read_tensor(struct reader *reader) {
    struct sw_scan scan = reader->log.scan;
    char number[24], place[24];
    int64_t address;
    if (reader->detail == SIZES || !sw_scan_past(&scan, "ptr: ") || !sw_scan_number(&scan, &address) || address <= 0) {
        return true;
    }
    place_name(place, (uint64_t)address);
    uint32_t buffer = reader->detail == EVERYTHING ? sw_request_list_find(&reader->log.list, place, strlen(place))
                                                   : sw_trace_names_find(&reader->places, place);
    if (!is_alive(reader, buffer)) {
        return true; /* of another allocator */
    }
    scan = reader->log.scan;
    struct sw_listed_buffer *listed = &reader->log.list.buffers.items[buffer];
    if (!listed->origin && sw_scan_past(&scan, "kernel_name: \"")) {
        const char *end = memchr(scan.at, '"', (size_t)(scan.end - scan.at));
        end = end ? end : scan.end;
        listed->origin = sw_request_list_origin(&reader->log.list, scan.at, (size_t)(end - scan.at));
        if (!listed->origin) {
            return sw_fail_memory(reader->log.error);
        }
    }
    return !read_digits(&reader->log.scan, "allocation_id: ", number) ||
           remember(reader, &reader->tensors, number, buffer);
}

/* MemoryLogTensorDeallocation { allocation_id: N allocator_name: "NAME" } */
static void read_tensor_end(struct reader *reader) {
    char number[24];
    bool there = read_digits(&reader->log.scan, "allocation_id: ", number);
    uint32_t buffer = there ? sw_trace_names_find(&reader->tensors, number) : SW_NONE;
    if (is_alive(reader, buffer)) {
        if (reader->doomed_count == DOOMED) {
            memmove(reader->doomed, reader->doomed + 1, (DOOMED - 1) * sizeof *reader->doomed);
            reader->doomed_count--;
        }
        reader->doomed[reader->doomed_count++] = buffer;
    }
}

static bool read_region(struct reader *reader) {
    struct sw_bfc_log *log = &reader->log;
    uint64_t from, to;
    if (!sw_bfc_address(&log->scan, &from) || !sw_scan_past(&log->scan, "to ") || !sw_bfc_address(&log->scan, &to)) {
        log->strange++;
        return true;
    }
    return sw_bfc_region(log, from, to);
}

/* "Total allocated bytes: 34.00MiB", with two digits, of KiB one. */
static void read_total(struct sw_bfc_log *log) {
    char text[32] = "";
    size_t length = (size_t)(log->scan.end - log->scan.at);
    length = length < sizeof text ? length : sizeof text - 1;
    memcpy(text, log->scan.at, length);
    unsigned shift = 0;
    double figure = strtod(text, NULL); /* LC_NUMERIC is never set */
    size_t number = sw_size_figure(text);
    bool known = number > 0 && sw_size_unit(text + number, &shift) > 0 && figure >= 0 && ldexp(figure, (int)shift) < 0x1p61;
    log->total = known ? (uint64_t)ldexp(figure, (int)shift) : SW_NO_ADDRESS;
    log->about = shift == 0 ? 0 : (UINT64_C(1) << shift) / (shift == 10 ? 20 : 200) + 1;
}

/* "Extending allocation by 2.00MiB bytes for GPU_0_bfc.", of newer versions; older ones leave out the name. */
static void read_extending(struct reader *reader) {
    struct sw_bfc_log *log = &reader->log;
    if (sw_scan_past(&log->scan, " bytes for ")) {
        const char *end = log->scan.end;
        end -= end > log->scan.at && end[-1] == '.';
        reader->here = sw_bfc_log_arena(log, log->scan.at, (size_t)(end - log->scan.at)) == log->chosen;
    }
}

static bool read_event_line(struct reader *reader, bool debug, bool alloc) {
    struct event event = {.arena = SW_NONE};
    struct sw_scan scan = reader->log.scan;
    if (!debug && alloc && read_event(&reader->log, ' ', &event)) {
        reader->here = event.arena == reader->log.chosen;
        reader->log.scan = scan;
    }
    if (debug != (reader->detail == EVERYTHING)) {
        return true;
    }
    if (!read_event(&reader->log, debug ? ',' : ' ', &event)) {
        reader->log.strange++;
        return event.arena != SW_NONE || sw_fail_memory(reader->log.error);
    }
    if (alloc && reader->detail == ADDRESSES && event.address == SW_NO_ADDRESS) {
        return true; /* what it got follows in a line of its own */
    }
    if (debug && event.address == 0 && !alloc) {
        return true;
    }
    return alloc ? take_alloc(reader, &event) : take_free(reader, &event);
}

/* A stack of level 4 has a line for each frame, which begin with a tab. */
static bool read_stack(struct reader *reader) {
    struct sw_scan *scan = &reader->log.scan;
    if (reader->last == SW_NONE || scan->at == scan->end || *scan->at != '\t') {
        return true;
    }
    size_t frames = 0;
    for (size_t i = 0; i < reader->stack.text.count; i++) {
        frames += reader->stack.text.items[i] == '\n';
    }
    sw_scan_space(scan);
    bool own = sw_scan_find(scan->at, scan->end, "CurrentStackTrace") < scan->end ||
               sw_scan_find(scan->at, scan->end, "BFCAllocator::AllocateRaw") < scan->end;
    if (!own && scan->at < scan->end && frames < 7) {
        sw_sink_add(&reader->stack, "\n", reader->stack.text.count > 0);
        sw_sink_add(&reader->stack, scan->at, (size_t)(scan->end - scan->at));
    }
    return !reader->stack.failed || sw_fail_memory(reader->log.error);
}

static bool end_stack(struct reader *reader) {
    if (reader->last != SW_NONE && reader->stack.text.count > 0) {
        const char *origin =
            sw_request_list_origin(&reader->log.list, reader->stack.text.items, reader->stack.text.count);
        if (!origin) {
            return sw_fail_memory(reader->log.error);
        }
        reader->log.list.buffers.items[reader->last].origin = origin;
    }
    reader->last = SW_NONE;
    reader->stack.text.count = 0;
    return true;
}

static bool read_line(struct reader *reader) {
    struct sw_scan *scan = &reader->log.scan;
    if (scan->at < scan->end && *scan->at == '\t') {
        return read_stack(reader);
    }
    if (sw_scan_find(scan->at, scan->end, "] ") == scan->end) {
        return true;
    }
    if (!end_stack(reader)) {
        return false;
    }
    if (sw_scan_past(scan, DEBUG_ALLOCATE)) {
        return read_event_line(reader, true, true);
    }
    if (sw_scan_past(scan, DEBUG_FREE)) {
        return read_event_line(reader, true, false);
    }
    if (sw_scan_past(scan, ALLOCATE)) {
        return read_event_line(reader, false, true);
    }
    if (sw_scan_past(scan, FREE)) {
        return read_event_line(reader, false, false);
    }
    if (sw_scan_past(scan, "MemoryLogTensorAllocation {")) {
        return read_tensor(reader);
    }
    if (sw_scan_past(scan, "MemoryLogTensorDeallocation {")) {
        read_tensor_end(reader);
    } else if (sw_scan_past(scan, "] Extending allocation by ")) {
        read_extending(reader);
    } else if (reader->here && sw_scan_past(scan, "] Total allocated bytes: ")) {
        read_total(&reader->log);
    } else if (reader->here && sw_scan_past(scan, "] Allocated memory at ")) {
        return read_region(reader);
    } else if (sw_scan_past(scan, "] Deallocate region with ptr = ")) {
        uint64_t from;
        return !sw_bfc_address(scan, &from) || sw_bfc_region_gone(&reader->log, from);
    }
    return true;
}

/* ---- the whole ---- */

static bool fill(struct reader *reader, struct sw_builder *builder) {
    struct sw_bfc_log *log = &reader->log;
    strcpy(log->list.requests->settings, "flavor=tensorflow"); /* of bfc-arena, which is ONNX Runtime's otherwise */
    while (sw_scan_line(&log->scan)) {
        bool cut = log->scan.next == log->scan.stop && log->scan.stop[-1] != '\n';
        log->strange += cut;
        if (!cut && !read_line(reader)) {
            return false;
        }
    }
    return end_stack(reader) && sw_bfc_build(log, builder) &&
           (reader->guessed == 0 ||
            sw_notef(builder, log->error,
                     "the log does not say which of several allocations of one size is freed: %" PRIu64
                     " time%s it is taken to be the youngest (TF_CPP_MAX_VLOG_LEVEL=4 tells addresses)",
                     reader->guessed, reader->guessed == 1 ? "" : "s"));
}

static bool tf_read(const struct sw_input *input, const struct sw_load_options *options, struct sw_builder *builder,
                    struct sw_error *error) {
    struct sw_error own = {0};
    struct reader reader = {.log = {.error = &own, .total = SW_NO_ADDRESS}, .last = SW_NONE};
    (void)options;
    bool good = look(&reader, input) && sw_request_list_begin(&reader.log.list, "bfc-arena", &own) && fill(&reader, builder);
    if (!good && error) {
        sw_error_at(&own, input->name, own.line > 0 ? own.line : reader.log.scan.line, own.column > 0 ? own.column : 1);
        *error = own;
    }
    sw_trace_names_done(&reader.tensors);
    sw_trace_names_done(&reader.places);
    sw_sink_done(&reader.stack);
    sw_bfc_done(&reader.log);
    return good;
}

const struct sw_format sw_format_bfc_tensorflow = {
    .name = "tensorflow-bfc",
    .summary = "what TensorFlow's BFC allocator prints (TF_CPP_MAX_VLOG_LEVEL=3 or 4); time is the number of the event",
    .extensions = ".log",
    .detect = tf_detect,
    .read = tf_read,
};
