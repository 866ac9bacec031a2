/* What lies where while a ggml log is read: the tensors that have memory, by name and by address.
 *
 * Names repeat: a tensor is another one each time that it gets memory, and is called NAME, NAME#2, NAME#3. Chunks are address
 * spaces of their own. Several back ends have an allocator each, and the log does not say which of them a line is of; but one allocator
 * never hands out what is taken. So a block at an address that is taken belongs to another pool. */
#ifndef SW_FORMATS_GGML_BLOCKS_H
#define SW_FORMATS_GGML_BLOCKS_H

#include "formats/text/unique.h"
#include "formats/trace/read/trace_names.h"

struct ggml_block {
    const char *name; /* as the log has it */
    const char *id;   /* as the trace has it: unique */
    uint64_t offset, size;
    uint32_t space;
    uint32_t before; /* the block with the same name before it; SW_NONE */
    bool live;
};
struct ggml_space { /* a chunk of a pool */
    int64_t chunk;
    uint32_t pool;
    char name[48];
    SW_ARRAY(uint32_t) live; /* blocks, by offset */
};
struct ggml_blocks { /* of a run; zero it to start with */
    struct sw_arena arena;
    struct sw_unique unique;
    struct sw_trace_names latest, uses; /* by name: the last live block; how often it got memory */
    SW_ARRAY(struct ggml_block) all;
    SW_ARRAY(struct ggml_space) spaces;
};
/* `names`: so many blocks there will be at most. False: no memory. */
bool ggml_blocks_init(struct ggml_blocks *, size_t names);
void ggml_blocks_done(struct ggml_blocks *);

/* The last live block with the name; SW_NONE: there is none. */
uint32_t ggml_blocks_find(struct ggml_blocks *, const char *name);
/* The live block with the name at the address, in any pool. O(log n). */
uint32_t ggml_blocks_at(const struct ggml_blocks *, const char *name, int64_t chunk, uint64_t offset);
/* Is any byte of it taken in the first pool? */
bool ggml_blocks_taken(const struct ggml_blocks *, int64_t chunk, uint64_t offset, uint64_t size);
/* A new block at an address, in the first pool that has room there; SW_NONE: no memory, or more than SW_MAX_TIERS spaces
 * (`full` tells). Copies the name. */
uint32_t ggml_blocks_add(struct ggml_blocks *, const char *name, int64_t chunk, uint64_t offset, uint64_t size, bool *full);
/* The same at the place of a live block, which ends. SW_NONE: no memory. */
uint32_t ggml_blocks_reuse(struct ggml_blocks *, const char *name, uint32_t parent);
void ggml_blocks_free(struct ggml_blocks *, uint32_t block);

#endif
