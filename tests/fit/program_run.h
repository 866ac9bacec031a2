/* Runs a program of the engine (fit/strips/strip_program.h) with the interpreter's kernels, on values in one arena: the
 * engine is tested without what writes models. */
#ifndef SW_TESTS_FIT_PROGRAM_RUN_H
#define SW_TESTS_FIT_PROGRAM_RUN_H

#include "fit/interpreter.h"
#include "fit/strips/strip_program.h"

/* Where each value with bytes of its own lies, or NOWHERE; those within others follow from that. NULL: each in memory
 * of its own. */
#define NOWHERE UINT64_MAX
struct placed {
    const uint64_t *offsets;
    uint64_t bytes; /* of the arena */
};
/* `run` as for model_run: its seed is used. The problem must be the model's, read by the program's own reader. */
bool program_run(const struct sw_fit_program *, struct model *, const struct placed *, struct run *, char *why);

#endif
