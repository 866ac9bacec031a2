/* How many random cases a test runs.
 *
 * The number in a test is that of `./dev test --long`. Without it a share of them runs, always the first ones, so that
 * every run is the same: a quarter, and under the sanitizers a sixteenth. Those look at memory, which the cases treat
 * alike; what the cases compute was compared by the plain run before. STOWAGE_CASES=N runs N instead, and
 * SW_PROPERTY_SEED=N begins with other cases. */
#ifndef SW_TESTS_SHARE_H
#define SW_TESTS_SHARE_H

#ifdef __has_feature /* clang's word for it */
#define SW_HAS_ASAN __has_feature(address_sanitizer)
#else
#define SW_HAS_ASAN 0
#endif

#include <stdint.h>
#include <stdlib.h>

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
    uint64_t share = full / (SW_SANITIZED ? 16 : 4);
    uint64_t least = full < 2 ? full : 2;
    return share > least ? share : least;
}

/* What must have happened so often in all cases, for the share that runs: at least once. */
static inline uint64_t share_of(uint64_t of_full) {
    uint64_t unit = UINT64_C(1) << 20, share = of_full * cases(unit) / unit;
    return share ? share : 1;
}

#endif
