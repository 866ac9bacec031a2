/* What glibc's mtrace() writes: a line for each call of malloc, realloc and free.
 *
 *     @ ./program:(name+0x1a)[0x11c0] + 0x55a39fdb64a0 0x64
 *
 * `+` is an allocation, `-` a free, `<` and `>` what realloc was given and what it gave back, `!` a realloc that failed, and
 * an allocation at (nil) one that failed. The file begins with "= Start". */
#include "formats/requests/request_list.h"

#include "formats/text/scan.h"
#include "formats/tools/placed.h"

#include <inttypes.h>
#include <string.h>

struct reader {
    struct sw_request_log log;
    uint64_t strange; /* lines that are none of these */
};

static bool mtrace_detect(const struct sw_input *input) {
    static const char word[] = "= Start";
    const char *at = sw_text_begin(input), *end = sw_text_end(input);
    size_t length = sizeof word - 1;
    return (size_t)(end - at) > length && memcmp(at, word, length) == 0 && (at[length] == '\n' || at[length] == '\r');
}

/* A number as printf's %p and %#lx write it: 0x..., 0, or (nil). */
static bool take_number(struct sw_scan *scan, uint64_t *to) {
    int64_t number = 0;
    sw_scan_space(scan);
    bool good = sw_scan_hex(scan, &number) || sw_scan_word(scan, "(nil)") || sw_scan_word(scan, "0");
    *to = (uint64_t)number;
    return good && (scan->at == scan->end || *scan->at == ' ');
}

/* Where the call was made: the text behind "@ ", which ends before the sign. Nothing in it is the sign of a call. */
static const char *skip_caller(struct sw_scan *scan, size_t *length) {
    const char *from = scan->at;
    *length = 0;
    if (!sw_scan_word(scan, "@ ")) {
        return from;
    }
    from = scan->at;
    for (const char *found; (found = sw_scan_find(scan->at, scan->end, "] ")) < scan->end;) {
        *length = (size_t)(found + 1 - from);
        scan->at = found + 2;
    }
    return from;
}

static bool read_line(struct sw_request_log *log) {
    struct sw_scan *scan = &log->scan;
    uint64_t address, size = 0;
    size_t length;
    const char *caller = skip_caller(scan, &length);
    char sign = scan->at < scan->end ? *scan->at : '\0';
    bool sized = sign == '+' || sign == '>' || sign == '!';
    if (sign == '=' || scan->begin == scan->end) {
        return true; /* = Start, = End */
    }
    scan->at += scan->at < scan->end;
    if (!(sized || sign == '-' || sign == '<') || scan->at == scan->end || !take_number(scan, &address) ||
        (sized && !take_number(scan, &size)) || scan->at != scan->end) {
        ((struct reader *)log)->strange++;
        return true;
    }
    if (sign == '!' || (sized && address == 0) || size > SW_MAX_BYTES) { /* which nothing could give */
        size = size < SW_MAX_BYTES ? size : SW_MAX_BYTES;
        return sw_request_list_other(&log->list, SW_REQUEST_REFUSED, SW_NO_ADDRESS, size, log->error);
    }
    const char *origin = sized && length > 0 ? sw_request_list_origin(&log->list, caller, length) : NULL;
    if (sized && length > 0 && !origin) {
        return sw_fail_memory(log->error);
    }
    return sized ? sw_request_list_give(&log->list, address, size, origin, scan->line, log->error)
                 : sw_request_list_take(&log->list, address, log->error);
}

static bool tell(const struct sw_request_log *log, struct sw_builder *builder) {
    uint64_t strange = ((const struct reader *)log)->strange;
    return strange == 0 || sw_notef(builder, log->error, "%" PRIu64 " line%s left out, which mtrace does not write", strange,
                                    strange == 1 ? " is" : "s are");
}

static bool mtrace_read(const struct sw_input *input, const struct sw_load_options *options, struct sw_builder *builder,
                        struct sw_error *error) {
    static const struct sw_request_log_reader how = {"free-list", read_line, tell};
    struct reader reader = {.log = {.cut = false}};
    (void)options;
    return sw_request_log_read(&reader.log, &how, input, builder, error);
}

const struct sw_format sw_format_mtrace = {
    .name = "mtrace",
    .summary = "what glibc's mtrace() writes of malloc, realloc and free; time is the number of the event",
    .extensions = ".mtrace",
    .detect = mtrace_detect,
    .read = mtrace_read,
};
