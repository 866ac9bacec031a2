/* Whole numbers and sizes as people write them, in options and in files. Each is strict: nothing may follow. */
#ifndef SW_FORMATS_SIZE_H
#define SW_FORMATS_SIZE_H

#include <stdbool.h>
#include <stdint.h>

bool sw_parse_integer(const char *text, uint64_t *value); /* decimal, or hexadecimal after 0x */
bool sw_parse_size(const char *text, uint64_t *bytes);    /* the same, then K, M, G or T, in any case */

#endif
