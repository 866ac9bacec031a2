#include "planners/online/worth_trying.h"
#include "base/base.h"

/* The settings as the allocators name them. More of them: another line here. */
static const struct sw_worth_trying allocators[] = {
    {"cuda-caching",
     true,
     "PYTORCH_CUDA_ALLOC_CONF",
     {{"max_split_size_mb",
       {"none", "20", "32", "48", "64", "96", "128", "192", "256", "384", "512", "1024"},
       -1,
       false},
      {"roundup_power2_divisions", {"0", "1", "2", "4", "8", "16"}, -1, false},
      {"expandable_segments", {"False", "True"}, -1, false},
      {"garbage_collection_threshold", {"0", "0.6", "0.7", "0.8", "0.9"}, -1, true},
      {"max_non_split_rounding_mb", {"20", "1", "8", "64", "256", "1024"}, 0, false}}},
    {"bfc-arena",
     false,
     NULL,
     {{"strategy", {"next-power-of-two", "same-as-requested"}, -1, false},
      {"initial", {"auto", "256", "65536", "16777216", "67108864", "268435456", "1073741824"}, -1, false},
      {"max_dead", {"auto", "0", "1048576", "8388608", "33554432", "536870912"}, -1, false},
      {"max_extend", {"auto", "2097152", "16777216", "67108864", "268435456"}, -1, false},
      {"growth_after_shrink", {"2097152", "262144", "16777216", "134217728"}, -1, false}}},
};

const struct sw_worth_trying *sw_worth_trying(const char *planner) {
    for (size_t i = 0; i < sizeof allocators / sizeof *allocators; i++) {
        if (strcmp(allocators[i].planner, planner) == 0) {
            return &allocators[i];
        }
    }
    return NULL;
}
