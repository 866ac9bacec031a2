#include "planners/online/online_look.h"

#include "planners/online/online.h"

const struct sw_heap_kind *sw_online_kind(const struct sw_planner *planner) {
    return planner->open == online_open ? planner->context : NULL;
}

bool sw_online_look(const struct sw_planner *planner, const void *state, struct sw_online_look *to) {
    const struct online *online = state;
    if (!online || !sw_online_kind(planner)) {
        return false;
    }
    *to = (struct sw_online_look){.heap = online->heap,
                                  .requests = online->requests,
                                  .bound = online->bound,
                                  .next = online->next,
                                  .between = !online->busy,
                                  .history = &online->history,
                                  .served = online->figures.samples - 1,
                                  .failed = online->figures.failed,
                                  .peak_at = online->figures.peak_sample};
    return true;
}

void sw_online_reserved(const void *state, uint64_t bytes[SW_RESERVED_PARTS]) {
    const struct online *online = state;
    struct sw_heap_waste waste;
    sw_heap_waste(online->heap, online->busy && online->turn.rounded ? online->turn.rounded : online->wanted, &waste);
    sw_reserved_parts(online->heap->requested, &waste, bytes);
}
