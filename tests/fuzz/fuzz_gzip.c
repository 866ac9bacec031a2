/* gzip data, expanded up to a small limit. */
#include "fuzz/fuzz.h"

#include "formats/wrapped/gzip.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const uint64_t limit = 1 << 20;
    struct sw_input input = fuzz_input(data, size);
    struct sw_bytes out = {0};
    struct sw_error error = {0};
    sw_gzip_detect(input.bytes, input.length);
    struct sw_gzip_bounds bounds = {.limit = limit};
    if (!sw_gzip_expand(input.bytes, input.length, &bounds, &out, &error)) {
        fuzz_check_error(&input, &error);
    } else if (out.count > limit) {
        fuzz_fail("%zu bytes, more than allowed", out.count);
    }
    SW_FREE(out.items, out.capacity);
    return 0;
}
