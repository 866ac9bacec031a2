/* Time cut into stretches, and these into longer ones: what skyline.c keeps ranges for. See
 * skyline.h. */
#include "layout/free/skyline.h"

#include <string.h>

bool sw_stretches_make(struct sw_stretches *s, unsigned width, unsigned ratio, uint32_t steps, uint32_t longest) {
    size_t all = 0;
    sw_stretches_done(s);
    s->width = width;
    s->ratio = ratio;
    for (unsigned scale = 0; scale < SW_SKYLINE_SCALES; scale++) {
        unsigned shift = width + ratio * scale;
        if (shift > 30 || longest >> shift == 0) {
            break;
        }
        s->begin[scale] = (uint32_t)all;
        s->scales = scale + 1;
        all += (size_t)(steps >> shift) + 1;
    }
    if (!SW_RESERVE(&s->all, all)) {
        s->scales = 0;
        return false;
    }
    if (all > 0) {
        memset(s->all.items, 0, all * sizeof *s->all.items);
    }
    s->all.count = all;
    return true;
}

void sw_stretches_clear(struct sw_stretches *s) {
    for (size_t i = 0; i < s->all.count; i++) {
        sw_ranges_clear(&s->all.items[i]);
    }
}

void sw_stretches_done(struct sw_stretches *s) {
    for (size_t i = 0; i < s->all.count; i++) {
        sw_ranges_done(&s->all.items[i]);
    }
    SW_ARRAY_DONE(&s->all);
    *s = (struct sw_stretches){0};
}

void sw_stretches_whole(const struct sw_stretches *s, uint32_t first, uint32_t last, uint64_t *from, uint64_t *to) {
    uint64_t length = UINT64_C(1) << s->width;
    *from = (first + length - 1) >> s->width << s->width;
    *to = s->scales ? ((uint64_t)last + 1) >> s->width << s->width : 0;
    *to = *to < *from ? *from : *to; /* none */
}

struct sw_ranges *sw_stretches_next(const struct sw_stretches *s, uint64_t *from, uint64_t to) {
    unsigned scale = 0;
    for (unsigned next = 1; next < s->scales; next++) {
        uint64_t length = UINT64_C(1) << (s->width + s->ratio * next);
        if (*from % length != 0 || to - *from < length) {
            break;
        }
        scale = next;
    }
    struct sw_ranges *at = sw_stretch_at(s, scale, (uint32_t)*from);
    *from += UINT64_C(1) << (s->width + s->ratio * scale);
    return at;
}
