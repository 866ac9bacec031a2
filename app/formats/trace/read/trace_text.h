/* The text of a trace, line by line from any place in it.
 *
 * A trace is read twice, and later in places, for a view. A text that is in memory stays there, shared with the input;
 * of a large file, or of what came out of a pipe or of gzip, only a window is in memory, and the file is kept open. */
#ifndef SW_FORMATS_TRACE_TEXT_H
#define SW_FORMATS_TRACE_TEXT_H

#include "formats/trace/read/trace_line.h"

struct sw_trace_text {
    struct sw_input input; /* its own */
    uint64_t length;
    SW_ARRAY(char) window; /* of a file: so many bytes from `from` on */
    uint64_t from;
    int live; /* the file again, where it grows; -1: it does not */
};
bool sw_trace_text_open(struct sw_trace_text *, const struct sw_input *, struct sw_error *);
void sw_trace_text_close(struct sw_trace_text *);
/* The file has become longer: see all of it from now on, by its name, and no longer what was read of it. False: it
 * cannot be opened again. */
bool sw_trace_text_grow(struct sw_trace_text *, struct sw_error *);
/* The line that begins at `at`, without its end; `next` is where the one behind it begins. Good until the next call. At
 * the end of the text the line is empty and `next` is `at`. False: the file could not be read, or no memory. */
struct sw_trace_piece {
    const char *begin, *end;
    uint64_t at, next;
    bool ended; /* by a line break */
};
bool sw_trace_text_line(struct sw_trace_text *, uint64_t at, struct sw_trace_piece *, struct sw_error *);
/* Fail at a byte of a line. Returns false. */
bool sw_trace_text_fail(const struct sw_trace_text *, const struct sw_trace_piece *, uint32_t line, const char *at,
                        struct sw_error *, const char *format, ...) __attribute__((format(printf, 6, 7)));

#endif
