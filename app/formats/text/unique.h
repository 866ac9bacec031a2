/* Names that must be unique in a problem although the file repeats them. */
#ifndef SW_FORMATS_UNIQUE_H
#define SW_FORMATS_UNIQUE_H

#include "base/names.h"
#include "stowage_runs.h"

struct sw_unique { /* of buffers, or of operators; zero it to start with */
    struct sw_names taken;
    uint32_t next;
};
void sw_unique_done(struct sw_unique *);
/* The name itself, which must stay where it is, or with a number behind it, from the arena. NULL
 * for NULL, and for lack of memory. */
const char *sw_unique_name(struct sw_unique *, struct sw_arena *, const char *name);
/* A copy of bytes that may be anything: control characters become '?', what is no UTF-8 its sign
 * for that. NULL: no memory. */
const char *sw_unique_text(struct sw_arena *, const char *bytes, size_t length);
/* A text made with printf. NULL: no memory. */
char *sw_unique_printf(struct sw_arena *, const char *format, ...) __attribute__((format(printf, 2, 3), nonnull(2)));
/* Is the name itself, not one that reads the same, among the first 64? Bodies may use something very often. */
static inline bool sw_unique_in(const char *const *names, size_t count, const char *name) {
    size_t i = 0;
    while (i < count && i < 64 && names[i] != name) {
        i++;
    }
    return i < count && i < 64;
}

#endif
