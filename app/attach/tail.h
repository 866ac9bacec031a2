/* The last part of what a process prints: all of it is read, and a fixed amount is kept. Internal. */
#ifndef SW_ATTACH_TAIL_H
#define SW_ATTACH_TAIL_H

#include "formats/format.h"

enum { SW_TAIL_SIZE = 64 * 1024, SW_TAIL_AT_ONCE = 1024 * 1024 };

struct sw_tail {
    int fd;         /* non-blocking; -1: it has ended */
    char *bytes;    /* SW_TAIL_SIZE, a ring: byte n of all stands at n modulo that */
    uint64_t total; /* bytes read */
};
bool sw_tail_init(struct sw_tail *); /* false: no memory */
void sw_tail_done(struct sw_tail *); /* closes, too */
/* Read what is there, at most SW_TAIL_AT_ONCE bytes. True: there was something. */
bool sw_tail_read(struct sw_tail *);
/* As sw_child_last_lines. */
void sw_tail_lines(const struct sw_tail *, unsigned lines, struct sw_sink *);

#endif
