/* Plans as tables, matched to a graph. */
#include "fuzz/fuzz.h"

#include "formats/plans/finished_plan.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size > 0 && data[0] != '{') { /* braces go to the other target */
        fuzz_plan(data, size, &sw_format_plan_csv);
    }
    return 0;
}
