/* The only door through which the program reads files. Models, tiers, orders, scripts and what they require, sessions,
 * configs, themes, notes, recordings: whatever is read is opened here, and a test looks that nothing else opens a file
 * to read it.
 *
 * Only regular files are opened. A device can deliver without end, and a named pipe waits for a writer that may never
 * come; a file from a stranger may name either, and a file that is watched may become either. Opening never waits. What
 * the user handed over already open is read as well: standard input as "-", and a pipe by the name that the shell gives
 * it, as <(command) does. Names of that kind stand on a command line; within a command of a session they are refused.
 */
#ifndef SW_FORMATS_OPEN_FILE_H
#define SW_FORMATS_OPEN_FILE_H

#include "stowage_runs.h"

struct stat;

/* A descriptor that is closed on exec and is the caller's to close; -1, with an error (SW_ERROR_IO, or SW_ERROR_USAGE
 * of "-") that names the path: none. `about` (may be NULL) becomes what it is. The path is followed through symbolic
 * links and not kept, nothing is read, and no size is refused. sw_open_regular takes regular files alone, sw_open_input
 * streams that were handed over, too. O(1) calls of the system. */
int sw_open_regular(const char *path, struct stat *about, struct sw_error *);
int sw_open_input(const char *path, struct stat *about, struct sw_error *);

/* Read `length` bytes that stand at `at` in an open file. False, with an error (SW_ERROR_IO) without a place: not all
 * of them are there, or they cannot be read. */
bool sw_read_at(int file, uint64_t at, char *to, size_t length, struct sw_error *);

/* May sw_open_input take streams? Of the whole process, until the next call. Returns what was said before. At first it
 * may. */
bool sw_open_streams(bool may);

/* --max-input, in bytes, of the whole process: no input is read that has more, or that gzip expands to more. At first a
 * quarter of the memory that there is; 0 sets that again. The reader asks for it; opening a file does not. A decision
 * trace that stays in its file is not read as a whole, and may be longer. */
uint64_t sw_most_input(void);
void sw_set_most_input(uint64_t bytes);
/* The error of an input that is too long (SW_ERROR_IO, without a place). `bytes`: how many it has, or 0, which is said
 * as "more than" the limit. Returns false. */
bool sw_fail_most_input(uint64_t bytes, struct sw_error *);

#endif
