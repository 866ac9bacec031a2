/* heaptrack's data, decompressed: raw (heaptrack --raw), or interpreted, as it usually is.
 *
 * Each line is a letter and hexadecimal numbers. Both forms have
 *     v VERSION FORMAT            at the beginning
 *     t IP PARENT                 a stack: a frame, and the stack that it was called from; numbered from 1
 * A raw file has addresses:
 *     + SIZE STACK ADDRESS        - ADDRESS
 * An interpreted one has strings, frames, and kinds of allocations, which are a size and a stack:
 *     s LENGTH TEXT               numbered from 1; before format 3 without the length
 *     i IP MODULE FUNCTION FILE LINE [FUNCTION FILE LINE]...   numbered from 1; the further ones are inlined into it
 *     a SIZE STACK                numbered from 0
 *     + KIND                      - KIND
 * Which of several of a kind is freed an interpreted file does not say: it is taken to be the youngest. */
#include "formats/requests/request_list.h"
#include "base/base.h"

#include "formats/text/scan.h"
#include "formats/text/unique.h"

#define DEEPEST 8 /* frames of an origin */

struct heap_text {
    const char *bytes;
    uint32_t length;
};
struct heap_frame { /* an instruction of the program */
    uint64_t at;
    uint32_t module, function, file, line; /* strings; 0: not known */
};
struct stack {
    uint32_t frame, parent; /* 0: none */
    const char *origin;     /* NULL until it is asked for */
};
struct alloc_kind {
    uint64_t size;
    uint32_t stack;
};
struct heap_reader {
    struct sw_scan scan;
    struct sw_request_list list;
    SW_ARRAY(struct heap_text) strings;
    SW_ARRAY(struct heap_frame) frames;
    SW_ARRAY(struct stack) stacks;
    SW_ARRAY(struct alloc_kind) kinds;
    struct sw_sink origin; /* while it is made */
    uint64_t format;
    uint64_t strange;   /* lines that are not understood */
    uint64_t ambiguous; /* frees of one of several of a kind */
    bool raw, attached, cut;
    struct sw_error *error;
};

static bool hexadecimal(char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
}

/* "v 10400 3", and then what the program was: x, X or I. */
static bool heaptrack_detect(const struct sw_input *input) {
    const char *at = sw_text_begin(input), *end = sw_text_end(input);
    const char *stop = at < end ? memchr(at, '\n', (size_t)(end - at)) : NULL;
    if (!stop || stop - at < 3 || at[0] != 'v' || at[1] != ' ' || stop - at > 40 || end - stop < 3) {
        return false;
    }
    for (at += 2; at < stop; at++) {
        if (!hexadecimal(*at) && *at != ' ') {
            return false;
        }
    }
    return strchr("xXIA", stop[1]) && stop[1] != '\0' && (stop[2] == ' ' || stop[2] == '\n');
}

/* ---- numbers ---- */

/* A number without a mark, up to 64 bits; false: there is none. */
static bool take_hexadecimal(struct sw_scan *scan, uint64_t *to) {
    const char *from;
    sw_scan_space(scan);
    for (from = scan->at, *to = 0; scan->at < scan->end && hexadecimal(*scan->at); scan->at++) {
        unsigned digit = (unsigned)(*scan->at <= '9' ? *scan->at - '0' : *scan->at - 'a' + 10);
        *to = scan->at - from >= 16 ? UINT64_MAX : *to << 4 | digit;
    }
    return scan->at > from;
}

/* The same within 32 bits; what is more is 0, which stands for nothing. */
static bool take_hexadecimal_index(struct sw_scan *scan, uint32_t *to) {
    uint64_t number;
    bool good = take_hexadecimal(scan, &number);
    *to = good && number < SW_NONE ? (uint32_t)number : 0;
    return good;
}

/* ---- where it was asked for ---- */

static struct heap_text string_of(const struct heap_reader *reader, uint32_t number) {
    return number > 0 && number <= reader->strings.count ? reader->strings.items[number - 1]
                                                         : (struct heap_text){"", 0};
}

static void add_stack_frame(struct heap_reader *reader, const struct heap_frame *frame) {
    struct heap_text function = string_of(reader, frame->function), file = string_of(reader, frame->file);
    struct heap_text module = string_of(reader, frame->module);
    sw_sink_add(&reader->origin, "\n", reader->origin.text.count > 0);
    if (function.length > 0) {
        sw_sink_add(&reader->origin, function.bytes, function.length);
    } else {
        sw_sink_printf(&reader->origin, "0x%" PRIx64, frame->at);
    }
    if (file.length > 0) {
        sw_sink_printf(&reader->origin, frame->line > 0 ? " (%.*s:%" PRIu32 ")" : " (%.*s)", (int)file.length,
                       file.bytes, frame->line);
    } else if (module.length > 0) {
        sw_sink_printf(&reader->origin, " (%.*s)", (int)module.length, module.bytes);
    }
}

/* What C++ puts between the program and malloc. */
static bool is_operator_new(const struct heap_reader *reader, const struct heap_frame *frame) {
    struct heap_text function = string_of(reader, frame->function);
    return function.length >= 12 && memcmp(function.bytes, "operator new", 12) == 0;
}

/* The frames of a stack, a line each. Parents come before their children in the file. */
static void write_origin(struct heap_reader *reader, uint32_t number) {
    reader->origin.text.count = 0;
    for (unsigned depth = 0; number > 0 && number <= reader->stacks.count && depth < DEEPEST;) {
        struct stack stack = reader->stacks.items[number - 1];
        struct heap_frame raw = {.at = 0}, *frame = &raw;
        if (reader->raw) {
            raw.at = reader->frames.items[stack.frame].at;
        } else if (stack.frame > 0 && stack.frame <= reader->frames.count) {
            frame = &reader->frames.items[stack.frame - 1];
        }
        if (depth > 0 || !is_operator_new(reader, frame)) {
            add_stack_frame(reader, frame);
            depth++;
        }
        number = stack.parent < number ? stack.parent : 0;
    }
}

/* False: no memory. */
static bool find_stack_origin(struct heap_reader *reader, uint32_t number, const char **origin) {
    *origin = NULL;
    if (number == 0 || number > reader->stacks.count) {
        return true;
    }
    struct stack *stack = &reader->stacks.items[number - 1];
    if (!stack->origin) {
        write_origin(reader, number);
        if (reader->origin.text.count == 0) {
            return !reader->origin.failed; /* nothing but operator new */
        }
        stack->origin = reader->origin.failed ? NULL
                                              : sw_request_list_origin(&reader->list, reader->origin.text.items,
                                                                       reader->origin.text.count);
    }
    *origin = stack->origin;
    return *origin != NULL;
}

/* ---- lines ---- */

static bool read_heap_string(struct heap_reader *reader) {
    struct sw_scan *scan = &reader->scan;
    uint64_t length = 0;
    scan->at += scan->at < scan->end; /* the blank */
    if (reader->format >= 3 && take_hexadecimal(scan, &length)) {
        scan->at += scan->at < scan->end;
    }
    length = (size_t)(scan->end - scan->at) < 4096 ? (size_t)(scan->end - scan->at) : 4096;
    const char *bytes = sw_unique_text(&reader->list.arena, scan->at, (size_t)length);
    struct heap_text text = {bytes, bytes ? (uint32_t)strlen(bytes) : 0};
    return (bytes && SW_PUSH(&reader->strings, text)) || sw_fail_memory(reader->error);
}

static bool read_heap_frame(struct heap_reader *reader) {
    struct sw_scan *scan = &reader->scan;
    struct heap_frame frame = {.at = 0};
    if (!take_hexadecimal(scan, &frame.at) || !take_hexadecimal_index(scan, &frame.module)) {
        reader->strange++;
    }
    if (take_hexadecimal_index(scan, &frame.function) && take_hexadecimal_index(scan, &frame.file)) {
        take_hexadecimal_index(scan, &frame.line);
    }
    return SW_PUSH(&reader->frames, frame) || sw_fail_memory(reader->error);
}

static bool read_stack(struct heap_reader *reader) {
    struct sw_scan *scan = &reader->scan;
    struct stack stack = {0, 0, NULL};
    uint64_t at = 0;
    if (!take_hexadecimal(scan, &at) || !take_hexadecimal_index(scan, &stack.parent)) {
        reader->strange++;
    }
    stack.frame = at < SW_NONE ? (uint32_t)at : 0;
    if (reader->raw) { /* an address, which is kept as a frame */
        stack.frame = (uint32_t)reader->frames.count;
        struct heap_frame frame = {.at = at};
        if (!SW_PUSH(&reader->frames, frame)) {
            return sw_fail_memory(reader->error);
        }
    }
    return SW_PUSH(&reader->stacks, stack) || sw_fail_memory(reader->error);
}

static bool read_alloc_kind(struct heap_reader *reader) {
    struct sw_scan *scan = &reader->scan;
    struct alloc_kind kind = {0, 0};
    if (!take_hexadecimal(scan, &kind.size) || !take_hexadecimal_index(scan, &kind.stack)) {
        reader->strange++;
    }
    return SW_PUSH(&reader->kinds, kind) || sw_fail_memory(reader->error);
}

static bool add_allocation(struct heap_reader *reader, const char *id, uint64_t size, uint64_t address,
                           uint32_t stack) {
    size_t length = strlen(id);
    uint32_t living = reader->raw ? sw_request_list_find(&reader->list, id, length) : SW_NONE;
    if (size > SW_MAX_BYTES) {
        return sw_fail(reader->error, SW_ERROR_INPUT, "an allocation of %" PRIu64 " bytes is more than 2^61", size);
    }
    struct sw_listed_alloc alloc = {
        .id = id, .length = length, .size = size, .address = address, .line = reader->scan.line, .column = 1};
    if (!find_stack_origin(reader, stack, &alloc.origin)) {
        return sw_fail_memory(reader->error);
    }
    return (living == SW_NONE || sw_request_list_free_silently(&reader->list, living, reader->error)) &&
           sw_request_list_alloc(&reader->list, &alloc, reader->error);
}

static bool read_heap_alloc(struct heap_reader *reader) {
    struct sw_scan *scan = &reader->scan;
    uint64_t first, address = SW_NO_ADDRESS;
    uint32_t stack;
    char id[32];
    if (!take_hexadecimal(scan, &first)) {
        reader->strange++;
        return true;
    }
    if (!reader->raw) {
        if (first >= reader->kinds.count) {
            reader->strange++;
            return true;
        }
        struct alloc_kind kind = reader->kinds.items[first];
        snprintf(id, sizeof id, "a%" PRIx64, first);
        return add_allocation(reader, id, kind.size, SW_NO_ADDRESS, kind.stack);
    }
    if (!take_hexadecimal_index(scan, &stack) || !take_hexadecimal(scan, &address)) {
        reader->strange++;
        return true;
    }
    snprintf(id, sizeof id, "0x%" PRIx64, address);
    return add_allocation(reader, id, first, address, stack);
}

static bool read_heap_free(struct heap_reader *reader) {
    uint64_t what;
    char id[32];
    if (!take_hexadecimal(&reader->scan, &what)) {
        reader->strange++;
        return true;
    }
    snprintf(id, sizeof id, reader->raw ? "0x%" PRIx64 : "a%" PRIx64, what);
    uint32_t living = sw_request_list_find(&reader->list, id, strlen(id));
    if (living == SW_NONE) {
        return sw_request_list_pass(&reader->list, reader->error);
    }
    reader->ambiguous += reader->list.buffers.items[living].older != SW_NONE;
    return sw_request_list_free(&reader->list, living, NULL, reader->error);
}

static bool read_heap_line(struct heap_reader *reader) {
    struct sw_scan *scan = &reader->scan;
    char letter = scan->at < scan->end ? *scan->at++ : '#';
    uint64_t version;
    switch (letter) {
    case 'v':
        if (!take_hexadecimal(scan, &version) || !take_hexadecimal(scan, &reader->format)) {
            reader->format = 0;
        }
        return true;
    case 's':
        return read_heap_string(reader);
    case 'i':
        return read_heap_frame(reader);
    case 't':
        return read_stack(reader);
    case 'a':
        return read_alloc_kind(reader);
    case '+':
        return read_heap_alloc(reader);
    case '-':
        return read_heap_free(reader);
    case 'A':
        reader->attached = true;
        return true;
    default: /* c: time; R: resident pages; x, X: the program; I: the machine; m: modules; S: suppressions; #: comments
              */
        reader->strange += strchr("cRxXImS#", letter) == NULL;
        return true;
    }
}

/* Its allocations have three numbers, those of an interpreted file one. */
static bool is_raw(const struct sw_input *input) {
    struct sw_scan scan;
    sw_scan_open(&scan, input);
    while (sw_scan_line(&scan)) {
        uint64_t number;
        if (sw_scan_word(&scan, "+ ")) {
            return take_hexadecimal(&scan, &number) && take_hexadecimal(&scan, &number) &&
                   take_hexadecimal(&scan, &number);
        }
    }
    return false;
}

static bool read_heap_lines(struct heap_reader *reader) {
    while (sw_scan_line(&reader->scan)) {
        if (reader->scan.next == reader->scan.stop && reader->scan.stop[-1] != '\n') {
            reader->cut = true; /* its numbers may be cut, too */
            return true;
        }
        if (!read_heap_line(reader)) {
            return false;
        }
    }
    return true;
}

static bool tell_of_data(const struct heap_reader *reader, struct sw_builder *builder) {
    struct sw_error *error = reader->error;
    return (reader->ambiguous == 0 ||
            sw_notef(builder, error,
                     "this file does not say which of several allocations of one size and stack is freed: %" PRIu64
                     " time%s it is taken to be the youngest (heaptrack --raw tells addresses)",
                     reader->ambiguous, reader->ambiguous == 1 ? "" : "s")) &&
           (!reader->attached ||
            sw_notef(builder, error,
                     "heaptrack was attached to the program later: what was there before is not told")) &&
           (reader->strange == 0 || sw_notef(builder, error, "%" PRIu64 " line%s not understood and left out",
                                             reader->strange, reader->strange == 1 ? " is" : "s are")) &&
           (!reader->cut ||
            sw_notef(builder, error, "the last line, %" PRIu32 ", is cut and is left out", reader->scan.line));
}

static bool heaptrack_read(const struct sw_input *input, const struct sw_load_options *options,
                           struct sw_builder *builder, struct sw_error *error) {
    struct heap_reader reader = {.error = error, .raw = is_raw(input)};
    (void)options;
    sw_scan_open(&reader.scan, input);
    bool good = sw_request_list_begin(&reader.list, "free-list", error) && read_heap_lines(&reader) &&
                sw_request_list_build(&reader.list, builder, error) && tell_of_data(&reader, builder);
    sw_request_list_done(&reader.list);
    SW_ARRAY_DONE(&reader.strings, &reader.frames, &reader.stacks, &reader.kinds);
    sw_sink_done(&reader.origin);
    if (!good) {
        sw_error_at(error, NULL, error->line > 0 ? error->line : reader.scan.line,
                    error->column > 0 ? error->column : 1);
    }
    return good;
}

const struct sw_format sw_format_heaptrack = {
    .name = "heaptrack",
    .summary =
        "heaptrack's data, raw or interpreted, decompressed (zstd -dc NAME.zst); time is the number of the event",
    .extensions = ".heaptrack",
    .detect = heaptrack_detect,
    .read = heaptrack_read,
};
