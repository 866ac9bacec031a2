/* Lengths that a file leaves open: which of them --dim gives, and which are missing. A reader goes on with 1 for a
 * missing length, so that in the end all of them are told at once, with what to type for them. */
#ifndef SW_FORMATS_LENGTHS_H
#define SW_FORMATS_LENGTHS_H

#include "formats/format.h"

struct sw_lengths {                /* zero it but for `given`; end it with sw_lengths_done */
    const struct sw_params *given; /* --dim NAME=LENGTH, borrowed until the end; NULL */
    SW_ARRAY(bool) used;           /* per setting */
    SW_ARRAY(char *) missing;      /* names, each once */
    size_t bytes;                  /* of these names */
    bool more;                     /* others are missing, too */
    uint32_t line, column;         /* of what misses the first */
    struct sw_arena arena;
    bool no_memory; /* for `used`: sw_lengths_check says so */
};

/* The length, in elements, that is given for a name; its setting is heeded by that. Names are copied where they are
 * kept. False: none. O(settings). */
bool sw_lengths_get(struct sw_lengths *, const char *name, size_t length, uint64_t *value);
/* The setting of this number was heeded. False: there is no memory. */
bool sw_lengths_use(struct sw_lengths *, size_t setting);
/* A length is missing; the first one's line and column are kept for the error. False: there is no memory. O(names that
 * are missing), of which a limit is kept (`more`: others are left out). */
bool sw_lengths_miss(struct sw_lengths *, const char *name, size_t length, uint32_t line, uint32_t column);

/* " --dim n=1 --dim m=1" of all that are missing, as far as `room` bytes of text hold whole names; at least the first.
 */
void sw_lengths_options(const struct sw_lengths *, struct sw_sink *, const char *value, size_t room);

/* Is every name that --dim gives one of an open length, and none missing? If not, say so: `what` is behind the name
 * that is none ("no size depends on a value of this name"), `subject` before those that are missing ("sizes depend
 * on"), `else_` what one might do instead (", or ..."; ""). False: SW_ERROR_USAGE or SW_ERROR_INPUT, with the place of
 * the first that is missing. O(settings + names that are missing). */
bool sw_lengths_check(const struct sw_lengths *, const struct sw_input *, const char *what, const char *subject,
                      const char *else_, struct sw_error *);
void sw_lengths_done(struct sw_lengths *);

#endif
