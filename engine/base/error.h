/* What went wrong, and where.
 *
 * A `struct sw_error` belongs to the caller, may live on the stack and needs no freeing. The callee
 * fills it when it fails and leaves its results untouched. NULL is allowed wherever one is taken.
 * The engine never prints, exits or aborts. */
#ifndef SW_BASE_ERROR_H
#define SW_BASE_ERROR_H

#include "base/c_linkage.h"

#include <stdbool.h>
#include <stdint.h>

SW_C_BEGIN

enum sw_code {
    SW_OK = 0,
    SW_ERROR_MEMORY,      /* the allocator said no */
    SW_ERROR_INPUT,       /* a file or a value in it is wrong */
    SW_ERROR_USAGE,       /* a call, an option or a parameter is wrong */
    SW_ERROR_UNSUPPORTED, /* the planner needs something this problem lacks, or cannot obey */
    SW_ERROR_INFEASIBLE,  /* there is no room, or the pins contradict each other */
    SW_ERROR_IO,          /* a file cannot be read or written */
    SW_ERROR_CANCELED     /* stopped on request */
};

#define SW_MESSAGE 4096 /* room for several whole names: what a message names can be typed */

struct sw_error {
    enum sw_code code;
    char message[SW_MESSAGE]; /* one sentence, no newline, no trailing full stop; valid UTF-8, no controls */
    char file[SW_MESSAGE];    /* "" when no file is involved */
    uint32_t line;            /* from 1; 0 = unknown */
    uint32_t column;          /* from 1, in bytes; 0 = unknown */
    char subject[1024];       /* the buffer, operator or option it is about, or "" */
};

/* Fill `error` (which may be NULL) and return false, so that a function can end in
 * `return sw_fail(error, SW_ERROR_INPUT, "...")`. Clears file, line, column and subject.
 * Control characters that came in through arguments are replaced by '?'. */
bool sw_fail(struct sw_error *error, enum sw_code code, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* sw_fail for a lack of memory. */
bool sw_fail_memory(struct sw_error *error);

/* Add a position to an error already filled. `file` may be NULL to leave it as it is. */
void sw_error_at(struct sw_error *error, const char *file, uint32_t line, uint32_t column);

SW_C_END

#endif
