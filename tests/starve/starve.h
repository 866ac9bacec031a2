/* The whole program with an allocation that fails: what the two ways of failing have in common.
 *
 * A fault is armed in the child process that runs a command, and tells what it did in memory that the
 * parent shares. */
#ifndef SW_TESTS_STARVE_H
#define SW_TESTS_STARVE_H

#include <stdbool.h>
#include <stdint.h>

enum { STARVE_FRAMES = 32 };
struct starve {
    uint64_t count;    /* allocations asked for since it was armed */
    uint64_t fail_at;  /* this one fails; 0: none */
    uint64_t injected; /* how many failed */
    int64_t live;      /* blocks that are out; only of our own allocations */
    uint8_t garbage;   /* what new blocks of our own are full of: another byte in every run, so that one that is read
                          before it is written makes another answer */
    bool persistent;   /* all after it fail, too */
    bool trace;        /* keep the stack of the first that fails */
    int frames;
    void *stack[STARVE_FRAMES];
};
extern struct starve *starve;

/* Does this allocation fail? Any thread may ask. */
bool starve_now(void);

/* Which allocations fail: one of own.c and all.c is linked. */
extern const char *const starve_what;
extern const uint64_t starve_share;                /* of each command, unless it is in full */
extern const uint64_t starve_first, starve_spread; /* in full: all of the first, then so many spread evenly; 0: all */
void starve_arm(void);
void starve_disarm(void);

#endif
