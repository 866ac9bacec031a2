/* Strips against whole images. A row of a result is what it is computed from: a list of rows of the argument, or
 * padding. Random windows and strips: computed from a strip, each wanted row must have the list that it has in the
 * whole image. Discarding is possible exactly where some choice of rows is exact, and takes the fewest rows of all
 * choices with whole windows. */
#include "base/hash.h"
#include "fit/strips/strip_rows.h"
#include "share.h"

#include <inttypes.h>
#include <stdio.h>

enum { CASES = 100000, KERNEL = 7, PADDING = -1 };

struct scene {
    uint64_t seed;
    struct sw_row_window w;
    struct sw_row_range wanted;
    long padded, discarded, impossible, dilated;
};

static void fail(const struct scene *s, const char *what) {
    const struct sw_row_window *w = &s->w;
    fprintf(stderr,
            "seed %" PRIu64
            ": %s: %d rows of a kernel of %d, stride %d, dilation %d, padding %d and %d, wanted %d to %d of %d\n",
            s->seed, what, (int)w->in, (int)w->kernel, (int)w->stride, (int)w->dilation, (int)w->before, (int)w->after,
            (int)s->wanted.lo, (int)s->wanted.hi, (int)w->out);
    exit(1);
}

static int64_t same_rows(int64_t in, const struct sw_row_window *w) {
    return (in + w->stride - 1) / w->stride;
}

static int64_t same_padding(int64_t in, const struct sw_row_window *w) {
    int64_t all = (same_rows(in, w) - 1) * w->stride + (w->kernel - 1) * w->dilation + 1 - in;
    return all > 0 ? all : 0;
}

/* What row `row` of the result is made of, when the argument has `in` rows, the first of them number `from` of the
 * image. */
static void list_of(const struct sw_row_window *w, int64_t in, int64_t before, int64_t from, int64_t row,
                    int64_t list[KERNEL]) {
    for (int64_t k = 0; k < w->kernel; k++) {
        int64_t at = row * w->stride - before + k * w->dilation;
        list[k] = at < 0 || at >= in ? PADDING : from + at;
    }
}

/* Are the wanted rows those of the whole image, where the strip has `before` rows of padding and its first row is
 * number `first`? */
static bool is_right(const struct scene *s, struct sw_row_range read, int64_t before, int64_t first) {
    for (int64_t row = s->wanted.lo; row < s->wanted.hi; row++) {
        int64_t whole[KERNEL], strip[KERNEL];
        list_of(&s->w, s->w.in, s->w.before, 0, row, whole);
        list_of(&s->w, read.hi - read.lo, before, read.lo, row - first, strip);
        for (int64_t k = 0; k < s->w.kernel; k++) {
            if (whole[k] != strip[k]) {
                return false;
            }
        }
    }
    return true;
}

static void draw(struct scene *s) {
    uint64_t r = s->seed * 2654435761u + 1;
    struct sw_row_window *w = &s->w;
    *w = (struct sw_row_window){.kernel = 1 + (int64_t)sw_random_below(&r, KERNEL),
                                .stride = 1 + (int64_t)sw_random_below(&r, 4),
                                .dilation = 1 + (int64_t)sw_random_below(&r, 3),
                                .in = 1 + (int64_t)sw_random_below(&r, 40)};
    int64_t reach = (w->kernel - 1) * w->dilation + 1;
    if (sw_random_below(&r, 2)) {
        w->out = same_rows(w->in, w);
        w->before = same_padding(w->in, w) / 2;
        w->after = same_padding(w->in, w) - w->before;
    } else {
        w->before = (int64_t)sw_random_below(&r, 4);
        w->after = (int64_t)sw_random_below(&r, 4);
        w->in = w->in + w->before + w->after < reach ? reach : w->in;
        w->out = (w->in + w->before + w->after - reach) / w->stride + 1;
    }
    s->wanted.lo = (int64_t)sw_random_below(&r, (uint64_t)w->out);
    s->wanted.hi = s->wanted.lo + 1 + (int64_t)sw_random_below(&r, (uint64_t)(w->out - s->wanted.lo));
}

static void check_padded(struct scene *s) {
    struct sw_strip strip;
    int64_t reach = (s->w.kernel - 1) * s->w.dilation + 1;
    if (!sw_strip_pad(&s->w, s->wanted, &strip)) {
        for (int64_t row = s->wanted.lo; row < s->wanted.hi; row++) {
            int64_t list[KERNEL];
            list_of(&s->w, s->w.in, s->w.before, 0, row, list);
            for (int64_t k = 0; k < s->w.kernel; k++) {
                if (s->w.dilation == 1 && list[k] != PADDING) {
                    fail(s, "refused, though it is not all padding");
                }
            }
        }
        return;
    }
    int64_t made = (strip.read.hi - strip.read.lo + strip.before + strip.after - reach) / s->w.stride + 1;
    if (strip.read.lo < 0 || strip.read.hi > s->w.in || strip.before < 0 || strip.after < 0 ||
        made != s->wanted.hi - s->wanted.lo || (strip.before > 0 && strip.read.lo > 0) ||
        (strip.after > 0 && strip.read.hi < s->w.in)) {
        fail(s, "padded inside of the image, or another number of rows");
    }
    if (!is_right(s, strip.read, strip.before, s->wanted.lo)) {
        fail(s, "a padded strip has other rows");
    }
    s->padded++;
}

/* The fewest rows that are exact, by trying all; 0: none are. */
static int64_t fewest(const struct scene *s, bool whole_windows) {
    const struct sw_row_window *w = &s->w;
    int64_t least = 0, first = s->wanted.lo * w->stride - w->before;
    int64_t last = (s->wanted.hi - 1) * w->stride - w->before + (w->kernel - 1) * w->dilation + 1;
    for (int64_t lo = 0; lo < w->in; lo++) {
        for (int64_t hi = lo + 1; hi <= w->in && (least == 0 || hi - lo < least); hi++) {
            if (whole_windows && ((lo > first && lo > 0) || (hi < last && hi < w->in))) {
                continue;
            }
            int64_t before = same_padding(hi - lo, w) / 2, begin = lo - before + w->before;
            int64_t row = begin / w->stride;
            if (begin % w->stride == 0 && row <= s->wanted.lo && row + same_rows(hi - lo, w) >= s->wanted.hi &&
                is_right(s, (struct sw_row_range){lo, hi}, before, row)) {
                least = hi - lo;
            }
        }
    }
    return least;
}

static void check_discarded(struct scene *s) {
    const struct sw_row_window *w = &s->w;
    struct sw_strip strip;
    bool same = w->out == same_rows(w->in, w) && w->before == same_padding(w->in, w) / 2 &&
                w->after == same_padding(w->in, w) - same_padding(w->in, w) / 2;
    if (same != sw_window_is_same(w)) {
        fail(s, "it pads as SAME does, or it does not");
    }
    bool found = sw_strip_discard(w, s->wanted, &strip);
    int64_t least = same ? fewest(s, true) : 0;
    if (found != (least > 0) || (found && strip.read.hi - strip.read.lo != least)) {
        fail(s, "not the fewest rows");
    }
    s->dilated += same && fewest(s, false) < least;
    s->impossible += !found;
    if (found) {
        int64_t rows = strip.read.hi - strip.read.lo;
        if (strip.made.hi - strip.made.lo != same_rows(rows, w) || strip.made.lo > s->wanted.lo ||
            strip.made.hi < s->wanted.hi || !is_right(s, strip.read, same_padding(rows, w) / 2, strip.made.lo)) {
            fail(s, "a strip of which rows are thrown away has other rows");
        }
        s->discarded++;
    }
}

int main(void) {
    struct scene s = {.seed = 0};
    for (uint64_t i = first_case(CASES), i_end = i + cases(CASES); i < i_end; i++) {
        s.seed = i + 1;
        draw(&s);
        check_padded(&s);
        check_discarded(&s);
    }
    printf("%ld padded, %ld discarded, %ld have no other way; of %ld fewer rows would do, with windows that are not "
           "whole\n",
           s.padded, s.discarded, s.impossible, s.dilated);
    return often((uint64_t)s.padded, 50000) && often((uint64_t)s.discarded, 30000) && often((uint64_t)s.dilated, 100)
               ? 0
               : 1;
}
