#include "attach/child_state.h"
#include "base/base.h"

#include <errno.h>
#include <unistd.h>

bool sw_tail_init(struct sw_tail *tail) {
    *tail = (struct sw_tail){.fd = -1, .bytes = SW_NEW(char, SW_TAIL_SIZE)};
    return tail->bytes != NULL;
}

static void end_tail(struct sw_tail *tail) {
    if (tail->fd >= 0) {
        close(tail->fd);
        tail->fd = -1;
    }
}

void sw_tail_done(struct sw_tail *tail) {
    end_tail(tail);
    SW_FREE(tail->bytes, SW_TAIL_SIZE);
    tail->bytes = NULL;
}

bool sw_tail_read(struct sw_tail *tail) {
    uint64_t before = tail->total;
    while (tail->fd >= 0 && tail->total - before < SW_TAIL_AT_ONCE) {
        size_t at = tail->total % SW_TAIL_SIZE;
        ssize_t got = read(tail->fd, tail->bytes + at, SW_TAIL_SIZE - at);
        if (got > 0) {
            tail->total += (uint64_t)got;
        } else if (got == 0 || (errno != EINTR && errno != EAGAIN)) {
            end_tail(tail);
        } else if (errno == EAGAIN) {
            break;
        }
    }
    return tail->total > before;
}

/* ---- as lines ---- */

static char byte_at(const struct sw_tail *tail, uint64_t at) {
    return tail->bytes[at % SW_TAIL_SIZE];
}

/* One character at `at`, with `left` bytes in the line; how many it takes. */
static size_t show_tail(const struct sw_tail *tail, uint64_t at, uint64_t left, uint32_t *before, size_t *column,
                        struct sw_sink *sink) {
    char text[8]; /* it may go round the end of the ring; whether a joiner is shown depends on the next one */
    size_t count = (size_t)SW_MIN(left, sizeof text), skip;
    for (size_t i = 0; i < count; i++) {
        text[i] = byte_at(tail, at + i);
    }
    if (text[0] == '\t') {
        size_t blanks = 8 - *column % 8;
        sw_sink_add(sink, "        ", blanks);
        *column += blanks;
        *before = ' ';
        return 1;
    }
    bool shown = sw_utf8_shown(text, count, true, before, &skip);
    for (size_t i = 0; i < skip && !shown; i++) {
        sw_sink_printf(sink, "\\x%02x", (unsigned char)text[i]);
    }
    sw_sink_add(sink, text, shown ? skip : 0);
    *column += shown ? 1 : 4 * skip;
    return skip;
}

/* A terminal goes back to the first column at a carriage return, and what follows covers what stood there. */
static uint64_t after_return(const struct sw_tail *tail, uint64_t from, uint64_t *to) {
    while (*to > from && byte_at(tail, *to - 1) == '\r') {
        (*to)--;
    }
    for (uint64_t at = *to; at > from; at--) {
        if (byte_at(tail, at - 1) == '\r') {
            return at;
        }
    }
    return from;
}

static void show_line(const struct sw_tail *tail, uint64_t from, uint64_t to, bool cut, struct sw_sink *sink) {
    uint64_t at = after_return(tail, from, &to);
    uint32_t before = 0;
    size_t column = 0;
    if (cut && at == from) {
        sw_sink_add(sink, "...", 3);
        while (at < to && ((unsigned char)byte_at(tail, at) & 0xc0) == 0x80) { /* the rest of a character */
            at++;
        }
    }
    while (at < to) {
        at += show_tail(tail, at, to - at, &before, &column, sink);
    }
    sw_sink_add(sink, "\n", 1);
}

void sw_tail_lines(const struct sw_tail *tail, unsigned lines, struct sw_sink *sink) {
    uint64_t first = tail->total > SW_TAIL_SIZE ? tail->total - SW_TAIL_SIZE : 0, end = tail->total, from;
    if (end > first && byte_at(tail, end - 1) == '\n') {
        end--;
    } else if (end == first) {
        return;
    }
    from = end;
    for (unsigned found = 0; from > first; from--) {
        found += byte_at(tail, from - 1) == '\n';
        if (found == lines) {
            break;
        }
    }
    for (uint64_t at = from, stop; lines > 0 && at <= end; at = stop + 1) {
        for (stop = at; stop < end && byte_at(tail, stop) != '\n'; stop++) {
        }
        show_line(tail, at, stop, at == first && first > 0, sink);
    }
}
