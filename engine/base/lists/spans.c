#include "base/lists/spans.h"

#include "base/minmax.h"
#include "base/sort.h"

#include <string.h>

bool sw_spans_init(struct sw_spans *spans, const uint64_t *lo, size_t count) {
    *spans = (struct sw_spans){.count = count, .leaves = 1};
    while (spans->leaves < count) {
        spans->leaves *= 2;
    }
    spans->lo = SW_NEW(uint64_t, count);
    spans->max = SW_NEW_ZERO(uint64_t, 2 * spans->leaves);
    if (!spans->lo || !spans->max) {
        sw_spans_done(spans);
        return false;
    }
    if (count > 0) {
        memcpy(spans->lo, lo, count * sizeof *lo);
    }
    return true;
}

void sw_spans_done(struct sw_spans *spans) {
    SW_FREE(spans->lo, spans->count);
    SW_FREE(spans->max, 2 * spans->leaves);
    *spans = (struct sw_spans){0};
}

void sw_spans_set(struct sw_spans *spans, size_t index, uint64_t hi) {
    size_t at = spans->leaves + index;
    spans->max[at] = hi;
    while (at > 1) {
        at /= 2;
        uint64_t max = SW_MAX(spans->max[2 * at], spans->max[2 * at + 1]);
        if (spans->max[at] == max) {
            return;
        }
        spans->max[at] = max;
    }
}

void sw_spans_fill(struct sw_spans *spans, const uint64_t *hi) {
    if (spans->count > 0) {
        memcpy(spans->max + spans->leaves, hi, spans->count * sizeof *hi);
    }
    for (size_t at = spans->leaves - 1; at > 0; at--) {
        spans->max[at] = SW_MAX(spans->max[2 * at], spans->max[2 * at + 1]);
    }
}

size_t sw_spans_below(const struct sw_spans *spans, uint64_t x) {
    return SW_FIRST(i, spans->count, spans->lo[i] >= x);
}

size_t sw_spans_next(const struct sw_spans *spans, size_t from, size_t end, uint64_t floor) {
    if (from >= end) {
        return end;
    }
    size_t at = spans->leaves + from;
    if (spans->max[at] > floor) {
        return from;
    }
    /* Up until a subtree to the right holds one, then down its left edge. */
    while (at % 2 == 1 || spans->max[at + 1] <= floor) {
        at /= 2;
        if (at <= 1) {
            return end;
        }
    }
    at++;
    while (at < spans->leaves) {
        at *= 2;
        if (spans->max[at] <= floor) {
            at++;
        }
    }
    size_t found = at - spans->leaves;
    return found < end ? found : end;
}
