/* The online allocators as planners: each is the same machine (online.c) over another kind of heap. */
#include "planners/online/online.h"

ONLINE_PLANNER(sw_cuda_caching, "cuda-caching", "Online: PyTorch's caching allocator for CUDA, with its real settings",
               sw_caching_parameters, sw_cuda_caching_heap, sw_caching_settings_legal);
ONLINE_PLANNER(sw_bfc_arena, "bfc-arena", "Online: the arena of ONNX Runtime, or of TensorFlow: the smallest free chunk that fits",
               sw_bfc_arena_parameters, sw_bfc_arena_heap, sw_bfc_arena_legal);
ONLINE_PLANNER(sw_ggml_dyn, "ggml-dyn", "Online: the measuring allocator of ggml's graphs", sw_ggml_dyn_parameters,
               sw_ggml_dyn_heap, NULL);
ONLINE_PLANNER(sw_tlsf, "tlsf", "Online: two-level segregated fit, as on microcontrollers", sw_tlsf_parameters, sw_tlsf_heap,
               sw_tlsf_legal);
ONLINE_PLANNER(sw_buddy, "buddy", "Online: binary buddies; the lowest block of the smallest order that has one",
               sw_buddy_parameters, sw_buddy_heap, sw_buddy_legal);
ONLINE_PLANNER(sw_free_list, "free-list", "Online: the lowest free block that is large enough; the arena grows at its end",
               sw_free_list_parameters, sw_free_list_heap, NULL);
