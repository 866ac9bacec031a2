/* Whole numbers and sizes as people write them, in options, at the prompt and in files. Each is strict: nothing
 * may stand before or behind. */
#ifndef SW_FORMATS_SIZE_H
#define SW_FORMATS_SIZE_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

bool sw_parse_integer(const char *text, uint64_t *value); /* decimal, or hexadecimal after 0x */

/* A number of bytes, up to `most`, in every form in which the program prints one: 64512, 64,512, 0xfc00, 63K,
 * 63KiB, 63 KiB, 2.25K, 64,512 B. K, M, G and T are powers of 1024, in any case, with or without iB behind them.
 * What is not a whole number of bytes is refused. The error is a sentence about the text. */
bool sw_parse_size(const char *text, uint64_t most, uint64_t *bytes, struct sw_error *);

/* What sw_parse_size reads, in plain digits (written to `digits`); any other text itself. For values of parameters,
 * which may be sizes. */
const char *sw_size_digits(const char *text, char digits[24]);

/* A size that a person reads off a screen and types: maybe rounded, as 6.13M is, or in KB, which people write for KiB.
 * Behind a point it may have been rounded from any number from `least` to `most`. False: it is no size, or too large.
 */
struct sw_size_read {
    uint64_t least, nearest, most;
    bool rounded; /* surely: it is not what `nearest` is shown as */
    bool decimal; /* KB, MB, GB or TB */
};
size_t sw_size_unit_read(const char *text, unsigned *shift); /* sw_size_unit, and KB as well */
bool sw_parse_size_read(const char *text, uint64_t most, struct sw_size_read *);

/* The parts of a size, for sizes inside longer texts. How many bytes at the start of `text` are its
 * number, and how many its unit; 0: there is none. The unit is 2^shift bytes. */
size_t sw_size_figure(const char *text);
size_t sw_size_unit(const char *text, unsigned *shift);

#endif
