/* Lengths that a file leaves open: which of them --dim gives, and which are missing. A reader goes on with 1 for a
 * missing length, so that in the end all of them are told at once, with what to type for them. */
#ifndef SW_FORMATS_LENGTHS_H
#define SW_FORMATS_LENGTHS_H

#include "formats/format.h"

struct sw_lengths { /* zero it but for `given` */
    const struct sw_params *given; /* --dim NAME=LENGTH; NULL */
    SW_ARRAY(bool) used;           /* per setting */
    SW_ARRAY(char *) missing;      /* names, each once */
    size_t bytes;                  /* of these names */
    bool more;                     /* others are missing, too */
    uint32_t line, column;         /* of what misses the first */
    struct sw_arena arena;
};

/* The length that is given for a name. False: none. */
bool sw_lengths_get(struct sw_lengths *, const char *name, size_t length, uint64_t *value);
/* The setting of this number was heeded. False: there is no memory. */
bool sw_lengths_use(struct sw_lengths *, size_t setting);
/* A length is missing. False: there is no memory. */
bool sw_lengths_miss(struct sw_lengths *, const char *name, size_t length, uint32_t line, uint32_t column);

/* " --dim n=1 --dim m=1" of all that are missing, as far as `room` bytes of text hold whole names. */
void sw_lengths_options(const struct sw_lengths *, struct sw_sink *, const char *value, size_t room);

/* Is every name that --dim gives one of an open length, and none missing? If not, say so: `what` is behind the name
 * that is none ("no size depends on a value of this name"), `subject` before those that are missing ("sizes depend on"),
 * `else_` what one might do instead (", or ..."; ""). */
bool sw_lengths_check(const struct sw_lengths *, const struct sw_input *, const char *what, const char *subject,
                      const char *else_, struct sw_error *);
void sw_lengths_done(struct sw_lengths *);

#endif
