/* Traces that are large, or that come out of a pipe or of gzip: how they get where any part of them can be read.
 *
 * A small one stays in memory. A large one that is a regular file stays in that file, of which the beginning is read
 * and which is kept open. What comes out of a pipe or of gzip can be read once only, and its length is known at its
 * end: when it is more than a small one may have, it goes into a file without a name in $TMPDIR, or in /tmp, of which
 * nothing is left however the program ends. There is no limit but that of the disk. */
#ifndef SW_FORMATS_SPOOL_H
#define SW_FORMATS_SPOOL_H

#include "formats/wrapped/gzip.h"

/* So many bytes stay in memory; tests set it lower. */
extern uint64_t sw_spool_most_in_memory;

struct sw_spool {          /* zero it to start with, but for `file` = -1 */
    struct sw_bytes bytes; /* all of it, or the beginning where there is a file */
    int file;              /* -1: there is none */
    uint64_t length;
    bool cut; /* the gzip data ended early */
};
/* Is this the beginning of a trace, perhaps a compressed one? `length` bytes are there. False also without memory. */
bool sw_spool_wants(const char *path, const char *begin, size_t length);
/* Take a trace. Its beginning was read from `fd` already. A large regular file of `size` bytes that is not compressed
 * stays where it is, and the beginning becomes the spool's. All else is read from where `fd` stands until its end.
 * Time: that of reading the trace once. */
bool sw_spool_take(struct sw_spool *, int fd, bool regular, uint64_t size, struct sw_bytes *beginning,
                   struct sw_error *);

#endif
