/* Inputs that were compressed with gzip are expanded when they are opened. What is written compressed: sink_file.h. */
#ifndef SW_FORMATS_GZIP_H
#define SW_FORMATS_GZIP_H

#include "formats/format.h"

/* After the first of these many bytes, and whenever more memory is needed, `look` is asked. */
#define SW_GZIP_FIRST_LOOK (UINT64_C(1) << 20)

struct sw_bytes { /* growable; zero it to start with */
    char *items;
    size_t count, capacity;
};

/* Do the bytes begin like gzip data? */
bool sw_gzip_detect(const char *bytes, size_t length);
/* Is it worth going on? Sees what has come out so far. False, with an error, ends the expansion. */
typedef bool sw_gzip_look_fn(void *context, const struct sw_bytes *so_far, struct sw_error *);

/* What an expansion may give. */
struct sw_gzip_bounds {
    uint64_t limit;        /* bytes */
    sw_gzip_look_fn *look; /* NULL: nothing but the limit ends it */
    void *context;
};

/* Expand all members, one after the other; zeros may follow the last. `to` grows with what really
 * comes out, within the bounds, and is the caller's in any case. Errors say at which byte of the
 * input. */
bool sw_gzip_expand(const char *bytes, size_t length, const struct sw_gzip_bounds *, struct sw_bytes *to,
                    struct sw_error *);

/* Let zlib allocate as we do. */
struct z_stream_s;
void sw_gzip_memory(struct z_stream_s *);

/* The length of a path without the ending .gz: what the file inside is called. */
size_t sw_gzip_inner(const char *path);

#endif
