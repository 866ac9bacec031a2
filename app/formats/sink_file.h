/* A file that is written in parts, for what is too long to be collected in one sink.
 *
 * Nothing is at the target before sw_sink_file_close has succeeded: until then the bytes go into a file without a name,
 * or, where the file system has no such files, into a temporary beside it. Standard output, devices and pipes are
 * written directly. */
#ifndef SW_FORMATS_SINK_FILE_H
#define SW_FORMATS_SINK_FILE_H

#include "formats/format.h"

struct sw_sink_file;

/* `path` ("-": standard output) is borrowed until the end; `gzip`: what is poured in is compressed. NULL: it cannot be
 * written there, or no memory. End it with sw_sink_file_close or sw_sink_file_drop. */
struct sw_sink_file *sw_sink_file_open(const char *path, bool gzip, struct sw_error *);
/* Write what the sink holds, and empty it. False: the disk is full, no memory ...; then drop the file. */
bool sw_sink_file_pour(struct sw_sink_file *, struct sw_sink *, struct sw_error *);
/* All was poured: sync, and put the file in the place of the target, with the target's mode. Frees it in any case;
 * false: the target is as it was, and nothing else is left. */
bool sw_sink_file_close(struct sw_sink_file *, struct sw_error *);
/* The bytes of one file into another, as they are. */
bool sw_sink_file_copy(const char *from, const char *to, struct sw_error *);
/* Forget it: nothing is left. NULL is allowed. */
void sw_sink_file_drop(struct sw_sink_file *);

#endif
