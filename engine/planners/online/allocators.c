/* The online allocators as planners: each is the same machine (online.c) over another kind of heap. */
#include "planners/online/online.h"

ONLINE_PLANNER(sw_cuda_caching, "cuda-caching", "Online: PyTorch's caching allocator for CUDA, with its real settings",
               sw_caching_parameters, sw_cuda_caching_heap, sw_caching_settings_legal);
ONLINE_PLANNER(sw_free_list, "free-list", "Online: the lowest free block that is large enough; the arena grows at its end",
               sw_free_list_parameters, sw_free_list_heap, NULL);
