/* Names that stand together, in a column, a list or a strip, and are too long for it. Pure, and the same for every
 * back end that counts in characters. */
#ifndef SW_VIEW_SHORT_H
#define SW_VIEW_SHORT_H

#include <stddef.h>

struct sw_short {
    const char *const *items; /* borrowed */
    size_t count;
    const char *model; /* one of those that begin with ... */
    size_t lead;       /* ... so many bytes that most begin with, whole parts of a path: they lose them */
};
/* Find what most of the names begin with; `model` and `lead` are zero before. Linear in their text. */
void sw_short_open(struct sw_short *);
/* One of them in at most `width` characters: without what most begin with, then with "..." for parts of its
 * middle; the part that no other name has is kept longest. O(count) names are looked at. */
void sw_short_name(const struct sw_short *, const char *name, unsigned width, char *out, size_t size);

#endif
