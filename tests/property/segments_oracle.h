/* Lists of objects with random accesses, and the rules of segment-genetic, of farthest-next-use and of the bound for
 * migration on them, once more: step by step and byte by byte, from the specification. Nothing of the engine is called
 * but its builder. */
#ifndef SW_PROPERTY_SEGMENTS_ORACLE_H
#define SW_PROPERTY_SEGMENTS_ORACLE_H

#include "model.h"

enum { MOST = 12, STEPS = 16 };
#define INFINITE UINT64_MAX

struct list {
    struct model m; /* for messages only: the seed */
    int count, steps;
    uint64_t size[MOST], capacity, below;
    bool at[MOST][STEPS];
    bool crowded; /* several objects at one step */
};

struct thing {
    uint64_t size;
    bool has[MOST], at[STEPS];
    int first, listed;
};
struct things {
    int count;
    struct thing items[MOST];
};

/* At most `most` objects. */
void list_draw(struct list *, uint64_t seed, int most);
struct sw_problem *list_build(const struct list *);

/* Rules 2 and 3: objects merged and sorted. */
void list_things(const struct list *, struct things *);
/* Does object i begin a run at step s? Not when no other was accessed since its last access. */
bool things_begin_run(const struct things *, int i, int s);

/* Rule 8: the bytes that move when object i lies in segment sequence[i], in one segment and in all; INFINITE when two
 * objects of a segment are accessed at once. */
uint64_t things_migration_in(const struct things *, const uint32_t *sequence, uint32_t segment, bool literal);
uint64_t things_migration(const struct things *, const uint32_t *sequence, uint32_t segments, bool literal);
/* The least of all sequences of the partition that the planner ends with. */
uint64_t things_least_migration(const struct list *, const struct things *, bool literal, bool owners_stay);

/* The bound for migration, when every byte is a page of its own. */
uint64_t list_bound(const struct list *);
/* The bytes that farthest-next-use moves. */
uint64_t list_farthest(const struct list *, bool *stuck);

#endif
