/* The part of the test program that another file holds. */
#ifndef SW_RECORD_SECOND_H
#define SW_RECORD_SECOND_H

#include <stowage/record.h>

void second_buffer(struct stowage_record *, const char *id);
void second_run(const char *path); /* a run of one decision */

#endif
