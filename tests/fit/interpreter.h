/* Runs int8 models in one of two ways: every tensor in memory of its own, or all of them in one arena at the offsets
 * that the file has. Memory is poisoned before; what the inputs hold goes by the seed alone, so two models with the
 * same inputs get the same. */
#ifndef SW_TESTS_FIT_INTERPRETER_H
#define SW_TESTS_FIT_INTERPRETER_H

#include "fit/model.h"
#include "fit/written.h"

struct run {
    uint64_t seed;
    bool in_arena;
    unsigned char *outputs; /* of the model, one behind the other */
    size_t output_bytes;
    size_t arena_bytes; /* up to where the last tensor in the arena ends */
};
/* Set `seed` and `in_arena`; free the outputs. False: `why` is a sentence (of WHY bytes), and there are no outputs. */
bool model_run(struct model *, struct run *, char *why);
/* The same from the bytes of a file. */
bool run_file(const void *bytes, size_t length, struct run *, char *why);

/* Does the changed model, in its arena, come to the results of the original? False: `why` is a sentence. */
bool same_results(const struct bytes *original, const struct bytes *changed, uint64_t seed, char *why);

/* Fills a tensor that is an input of the model: number `input` of them. */
void fill_input(struct tensor *, uint64_t seed, uint32_t input);
void poison(unsigned char *, size_t count, uint64_t seed);

#endif
