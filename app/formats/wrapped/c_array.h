/* Arrays of bytes in C or C++ source: how models are linked into firmware (`xxd -i` and what else writes such files).
 */
#ifndef SW_FORMATS_C_ARRAY_H
#define SW_FORMATS_C_ARRAY_H

#include "formats/wrapped/gzip.h"

struct sw_c_array {
    const char *name; /* not NUL-ended */
    size_t name_length;
    uint32_t line;         /* where it is named */
    struct sw_bytes bytes; /* the visitor may take them: it zeroes this then */
    char wrong[120];       /* why its bytes are not known; "" else */
    uint32_t wrong_line;
};
/* False, with an error, ends the reading. */
typedef bool sw_c_array_visit(void *context, struct sw_c_array *, struct sw_error *);

/* May the text be source with such an array? By a look at its beginning. */
bool sw_c_array_detect(const char *text, size_t length);
/* Visit each array that has an initializer in braces, in order. Comments, texts and directives are skipped: of `#if`
 * all branches are looked at. Numbers are decimal, hexadecimal, octal or binary, from -128 to 255. */
bool sw_c_arrays(const char *text, size_t length, sw_c_array_visit *visit, void *context, struct sw_error *);

#endif
