/* The online allocators as planners: each is the same machine (online.c) over another kind of heap. */
#include "planners/online/online.h"

const char *const sw_heap_starts[] = {"auto", "recorded", "trace", "all", NULL};
const char *const sw_heap_none[] = {"none", NULL};

ONLINE_PLANNER(cuda_caching, "cuda-caching", sw_cuda_caching_legal,
               "Online: PyTorch's caching allocator for CUDA, with its real settings");
ONLINE_PLANNER(bfc_arena, "bfc-arena", sw_bfc_arena_legal,
               "Online: the arena of ONNX Runtime, or of TensorFlow: the smallest free chunk that fits");
ONLINE_PLANNER(ggml_dyn, "ggml-dyn", NULL, "Online: the measuring allocator of ggml's graphs");
ONLINE_PLANNER(tlsf, "tlsf", sw_tlsf_legal, "Online: two-level segregated fit, as on microcontrollers");
ONLINE_PLANNER(buddy, "buddy", sw_buddy_legal,
               "Online: binary buddies; the lowest block of the smallest order that has one");
ONLINE_PLANNER(free_list, "free-list", NULL,
               "Online: the lowest free block that is large enough; the arena grows at its end");
