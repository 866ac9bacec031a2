/* Inputs that were compressed with gzip are expanded when they are opened. */
#ifndef SW_FORMATS_GZIP_H
#define SW_FORMATS_GZIP_H

#include "formats/format.h"

/* An input may expand to this many bytes, and no more. */
#define SW_GZIP_LIMIT (UINT64_C(1) << 32)

struct sw_bytes { /* growable; zero it to start with */
    char *items;
    size_t count, capacity;
};

/* Do the bytes begin like gzip data? */
bool sw_gzip_detect(const char *bytes, size_t length);
/* Expand all members, one after the other; zeros may follow the last. `to` grows with what really
 * comes out, up to `limit` bytes, and is the caller's in any case. Errors say at which byte of the
 * input. */
bool sw_gzip_expand(const char *bytes, size_t length, uint64_t limit, struct sw_bytes *to,
                    struct sw_error *);

/* The length of a path without the ending .gz: what the file inside is called. */
size_t sw_gzip_inner(const char *path);

#endif
