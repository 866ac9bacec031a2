#include "fit/strips/strip_rows.h"

#include "base/minmax.h"

struct sw_row_window sw_row_window_of(const struct sw_op_window *window, uint64_t in, uint64_t out) {
    return (struct sw_row_window){.kernel = window->kernel[0],
                                  .stride = window->stride[0],
                                  .dilation = window->dilation[0],
                                  .before = window->before[0],
                                  .after = window->after[0],
                                  .in = (int64_t)in,
                                  .out = (int64_t)out};
}

static int64_t reach_of(const struct sw_row_window *w) {
    return (w->kernel - 1) * w->dilation + 1;
}

/* How many rows SAME makes of `in`, and how many it pads above them. */
static int64_t same_out(const struct sw_row_window *w, int64_t in) {
    return (in + w->stride - 1) / w->stride;
}

static int64_t same_all(const struct sw_row_window *w, int64_t in) {
    return SW_MAX((same_out(w, in) - 1) * w->stride + reach_of(w) - in, 0);
}

bool sw_window_is_same(const struct sw_row_window *w) {
    int64_t all = same_all(w, w->in);
    return w->out == same_out(w, w->in) && w->before == all / 2 && w->after == all - all / 2;
}

bool sw_strip_pad(const struct sw_row_window *w, struct sw_row_range wanted, struct sw_strip *strip) {
    int64_t lo = wanted.lo * w->stride - w->before, hi = (wanted.hi - 1) * w->stride - w->before + reach_of(w);
    struct sw_row_range read = {SW_MAX(lo, 0), SW_MIN(hi, w->in)};
    *strip = (struct sw_strip){
        .wanted = wanted, .made = wanted, .read = read, .before = read.lo - lo, .after = hi - read.hi};
    return read.lo < read.hi;
}

/* Taken for an image, do the rows [read.lo, read.hi), which have the wanted windows whole, give the wanted rows? Sets
 * what they make. */
static bool is_exact(const struct sw_row_window *w, struct sw_row_range wanted, struct sw_row_range read,
                     struct sw_row_range *made) {
    int64_t length = read.hi - read.lo, above = same_all(w, length) / 2;
    int64_t begin = read.lo - above + w->before; /* of the first window, counted from that of row 0 of the image */
    if (begin % w->stride != 0) {
        return false;
    }
    *made = (struct sw_row_range){begin / w->stride, begin / w->stride + same_out(w, length)};
    return made->lo <= wanted.lo && wanted.hi <= made->hi;
}

bool sw_strip_discard(const struct sw_row_window *w, struct sw_row_range wanted, struct sw_strip *strip) {
    struct sw_strip padded;
    if (!sw_window_is_same(w) || !sw_strip_pad(w, wanted, &padded)) {
        return false;
    }
    enum { MOST_REACH = 512 }; /* rows, beyond which looking takes too long */
    int64_t most = reach_of(w) + w->stride, found = INT64_MAX;
    if (most > MOST_REACH) {
        return false;
    }
    for (int64_t lo = padded.read.lo; lo >= SW_MAX(padded.read.lo - most, 0); lo--) {
        int64_t limit = SW_MIN(SW_MIN(padded.read.hi + most, w->in), found == INT64_MAX ? INT64_MAX : lo + found - 1);
        for (int64_t hi = SW_MAX(padded.read.hi, lo + 1); hi <= limit; hi++) {
            struct sw_row_range read = {lo, hi}, made;
            if (is_exact(w, wanted, read, &made)) {
                *strip = (struct sw_strip){.wanted = wanted, .made = made, .read = read};
                found = hi - lo;
                break;
            }
        }
    }
    return found != INT64_MAX;
}
