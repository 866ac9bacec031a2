/* The kinds of heap, one for each online allocator, and their settings: tables of parameters as planners have them,
 * ended by a NULL name. They have their real names; planners/online/allocators.c makes planners of them. */
#ifndef SW_HEAP_KINDS_H
#define SW_HEAP_KINDS_H

#include "heap/heap.h"
#include "planners/params.h"

extern const struct sw_heap_kind sw_cuda_caching_heap, sw_bfc_arena_heap, sw_ggml_dyn_heap, sw_tlsf_heap, sw_buddy_heap,
    sw_free_list_heap;
extern const struct sw_parameter sw_cuda_caching_parameters[], sw_bfc_arena_parameters[], sw_ggml_dyn_parameters[],
    sw_tlsf_parameters[], sw_buddy_parameters[], sw_free_list_parameters[];
/* Along the record of a bfc-arena, as known.h has it for cuda-caching: a region came or went as recorded; and the free
 * chunk at that address, which is not listed any more, into *to, or SW_NONE. False: no memory. */
bool sw_bfc_arena_known(struct sw_heap *, const struct sw_requests *); /* its regions when recording began */
bool sw_bfc_arena_made(struct sw_heap *, const struct sw_request *, uint64_t rounded);
bool sw_bfc_arena_gone(struct sw_heap *, const struct sw_request *, uint64_t *bytes);
bool sw_bfc_arena_carve(struct sw_heap *, struct sw_turn *, uint64_t address, uint32_t *to);

/* Are the settings, each legal by itself, legal together? If not it is said. */
bool sw_cuda_caching_legal(const struct sw_params *, const struct sw_planner *, struct sw_error *);
bool sw_bfc_arena_legal(const struct sw_params *, const struct sw_planner *, struct sw_error *);
bool sw_tlsf_legal(const struct sw_params *, const struct sw_planner *, struct sw_error *);
bool sw_buddy_legal(const struct sw_params *, const struct sw_planner *, struct sw_error *);

/* Parameters that all allocators have, at the end of their own. */
extern const char *const sw_heap_starts[], *const sw_heap_none[];
#define SW_ONLINE_PARAMETERS                                                                                         \
    {"start",                                                                                                        \
     SW_PARAMETER_CHOICE,                                                                                            \
     "auto",                                                                                                         \
     0,                                                                                                              \
     0,                                                                                                              \
     sw_heap_starts,                                                                                                 \
     "Where a run begins: as recorded, or empty with the requests of the trace, or with all that was alive before"}, \
    {                                                                                                                \
        "limit", SW_PARAMETER_INTEGER, "none", 0, 2305843009213693952.0, sw_heap_none,                               \
            "The most bytes that may be reserved; --capacity sets it"                                                \
    }

#endif
