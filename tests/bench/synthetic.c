#include "synthetic.h"

#include <inttypes.h>

void synthetic_csv(uint64_t count, bool dense, struct sw_sink *out) {
    uint64_t state = 1, end = dense ? count / 10 : count;
    sw_sink_printf(out, "id,lower,upper,size\n");
    for (uint64_t i = 0; i < count; i++) {
        uint64_t a = sw_random(&state), b = sw_random(&state), c = sw_random(&state),
                 d = sw_random(&state);
        uint64_t kind = b % 100, lower = a % end;
        uint64_t length = 1 + c % (kind < 90 ? 8 : kind < 99 ? 64 : 1024);
        uint64_t upper = lower + length < end ? lower + length : end;
        uint64_t size = 64 * ((UINT64_C(1) << d % 15) + (d >> 16) % (UINT64_C(1) << d % 15));
        sw_sink_printf(out, "%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 "\n", i, lower, upper,
                       size);
    }
}
