/* What the fuzz targets share. A target is one LLVMFuzzerTestOneInput; a property that does not hold ends
 * the program by abort(), which both libFuzzer and the replaying driver report. */
#ifndef SW_FUZZ_H
#define SW_FUZZ_H

#include "formats/format.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Say what does not hold, and abort. */
_Noreturn void fuzz_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

struct sw_input fuzz_input(const uint8_t *data, size_t size);
/* An error must have a message, and a reader's error a place inside the text. */
void fuzz_check_error(const struct sw_input *, const struct sw_error *);

/* Read with a format and build; NULL when it is refused, which is as good. */
struct sw_problem *fuzz_read(const struct sw_format *, const struct sw_input *);
/* Of a format that rewrites its input as a decision trace: rewrite, twice to the same bytes, and read the trace. */
struct sw_problem *fuzz_rewrite(const struct sw_format *, const struct sw_input *);
/* Write with a format, read again: the same problem, and written once more the same bytes. When
 * `may_refuse` is set, the format need not be able to hold it. */
void fuzz_round_trip(const struct sw_problem *, const struct sw_format *, bool may_refuse);
/* Write with a format that may lose something: what it writes can be read all the same. */
void fuzz_readable(const struct sw_problem *, const struct sw_format *);

/* Of a reader of requests: the problem tells them in order, and buffers live as they say. */
void fuzz_requests(const struct sw_problem *);

/* Serve them with this allocator, as far as a few thousand decisions go, and step back: it ends with a plan or with a
 * sentence. */
void fuzz_serve(const struct sw_problem *, const char *planner);

/* Its requests as a table can be read, and a run of that ends as well. */
void fuzz_as_table(const struct sw_problem *);

/* A small problem of all kinds, to match plans with. Made once, kept to the end. */
const struct sw_problem *fuzz_problem(void);
/* Read a plan for it; write it with a format and read it again: the same layout. */
void fuzz_plan(const uint8_t *data, size_t size, const struct sw_format *);

#endif
