/* How many random cases a test runs, and which.
 *
 * The number in a test is that of `./dev test --long`. Without it a share of them runs: a sixteenth, and under the
 * sanitizers a quarter of that. Those look at memory, which the cases treat alike; what the cases compute was compared
 * by the plain run before. It is the first share, so that every run is the same; STOWAGE_SHARE=N takes the N-th, and
 * begins anew after the last: continuous integration takes another one for each commit. STOWAGE_CASES=N runs N instead,
 * and SW_PROPERTY_SEED=N begins with other cases. */
#ifndef SW_TESTS_SHARE_H
#define SW_TESTS_SHARE_H

#ifdef __has_feature /* clang's word for it */
#define SW_HAS_ASAN __has_feature(address_sanitizer)
#else
#define SW_HAS_ASAN 0
#endif

#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined __SANITIZE_ADDRESS__ || SW_HAS_ASAN
#define SW_SANITIZED 1
#else
#define SW_SANITIZED 0
#endif

/* At least two, or all when there are fewer. */
static inline uint64_t cases(uint64_t full) {
    const char *wanted = getenv("STOWAGE_CASES");
    if (wanted) {
        return strtoull(wanted, NULL, 10);
    }
    if (getenv("STOWAGE_LONG")) {
        return full;
    }
    uint64_t share = full / (SW_SANITIZED ? 64 : 16);
    uint64_t least = full < 2 ? full : 2;
    return share > least ? share : least;
}

static inline uint64_t which_share(void) {
    const char *which = getenv("STOWAGE_SHARE");
    return which && !getenv("STOWAGE_LONG") && !getenv("STOWAGE_CASES") ? strtoull(which, NULL, 10) : 0;
}

/* The first case of the share, counted from 0. */
static inline uint64_t first_case(uint64_t full) {
    uint64_t count = cases(full), shares = count ? full / count : 0,
             first = shares ? which_share() % shares * count : 0;
    if (getenv("STOWAGE_SHARE")) {
        fprintf(stderr, "share: cases %" PRIu64 " to %" PRIu64 " of %" PRIu64 "\n", first, first + count, full);
    }
    return first;
}

/* Of the k-th of a list, where each takes as long as many cases: does it belong to the share, which is one of so many?
 * STOWAGE_TURN=N takes the N-th of the lists alone, and STOWAGE_TURN=all all of them: so do runs under the sanitizers,
 * which have the first share of the cases. */
static inline bool in_share(uint64_t k, uint64_t parts) {
    const char *turn = getenv("STOWAGE_TURN");
    bool all = getenv("STOWAGE_LONG") || (turn && strcmp(turn, "all") == 0);
    return all || k % parts == (turn ? strtoull(turn, NULL, 10) : which_share()) % parts;
}

/* Did it happen often enough, when it happens so often in all cases? A quarter of what comes to the share that runs
 * will do, as shares differ, and what is rare may not be in it at all. */
static inline bool often(uint64_t count, uint64_t of_full) {
    uint64_t unit = UINT64_C(1) << 20, share = cases(unit) < unit ? of_full * cases(unit) / unit : of_full;
    return share == of_full ? count >= of_full : share < 16 || count > share / 4;
}

#endif
