/* token-sharing once more, from its section of the specification: what a graph comes to by the rules alone. It calls
 * nothing of the engine. */
#ifndef SW_PROPERTY_TOKENS_ORACLE_H
#define SW_PROPERTY_TOKENS_ORACLE_H

#include "tokens.h"

enum { IDS = 64 };

struct tokens_cell { /* one id */
    uint64_t bytes, align, offset;
    int tier, count, tensor[MOST], tensors;
    long free_since;        /* -1: in use; else the order of release */
    long freed_at[OPS + 1]; /* function layer: the time of release by the call of that number; 0: none */
    bool held[OPS + 1];     /* function layer: by call */
    int written_by;
};
struct tokens_plan {
    const struct graph *g;
    int call_of[OPS], calls, first[OPS], last[OPS];
    bool own[OPS];
    int parts[MOST][MOST], part_count[MOST]; /* tokens of a tensor */
    bool tuple[MOST], item[MOST];
    bool model[MOST], inner[MOST];
    uint64_t size[MOST], bytes[MOST], align[MOST];
    uint64_t terms[MOST][5], typed[MOST], padded[MOST]; /* bytes after each term of a size; of its dtype; and padded */
    int term_count[MOST];
    bool adopts[MOST]; /* its dtype, size or alignment is another one */
    unsigned tiers[MOST];
    int count[MOST];
    int id[MOST];
    uint64_t saved;
    struct tokens_cell cell[IDS];
    int cells;
    long clock;
    bool placed[MOST];
    uint64_t functions_reuse, long_chains; /* what functions reuse, and what of it by several operators */
};

/* Ids, offsets, sizes, tiers and saved bytes. */
void tokens_restate(struct tokens_plan *, const struct graph *);
/* The bytes of a tier. */
uint64_t tokens_arena(const struct tokens_plan *, int tier);

#endif
