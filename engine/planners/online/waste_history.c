#include "planners/online/waste_history.h"
#include "base/base.h"

const char *const sw_reserved_names[SW_RESERVED_PARTS] = {"asked for",
                                                          "rounding",
                                                          "rest that was not split off",
                                                          "waits for another stream",
                                                          "holes too small for the last request",
                                                          "other holes",
                                                          "whole segments, cached",
                                                          "not told: other requests, or free"};

void sw_reserved_parts(uint64_t requested, const struct sw_heap_waste *w, uint64_t bytes[SW_RESERVED_PARTS]) {
    const uint64_t parts[SW_RESERVED_PARTS] = {requested,      w->rounding, w->unsplit, w->waiting,
                                               w->small_holes, w->holes,    w->cached,  w->untold};
    memcpy(bytes, parts, sizeof parts);
}

/* Every second sample is dropped; the one behind it keeps what was reserved at most. */
static void thin(struct sw_online_history *history) {
    size_t kept = 0;
    uint64_t most = 0;
    history->spacing *= 2;
    for (size_t i = 0; i < history->count; i++) {
        struct sw_online_sample one = history->items[i];
        one.most = SW_MAX(one.most, most);
        most = one.most;
        if (one.request % history->spacing == 0) {
            history->items[kept++] = one;
            most = 0;
        }
    }
    history->most = SW_MAX(history->most, most);
    history->count = kept;
}

void sw_online_history_add(struct sw_online_history *history, const struct sw_heap *heap, uint64_t request,
                           uint32_t step, uint64_t wanted) {
    history->spacing = SW_MAX(history->spacing, 1);
    history->most = SW_MAX(history->most, heap->reserved);
    if (request % history->spacing != 0) {
        return;
    }
    if (history->count == SW_ONLINE_SAMPLES) {
        thin(history);
        if (request % history->spacing != 0) {
            return;
        }
    }
    struct sw_online_sample *fresh = &history->items[history->count++];
    *fresh = (struct sw_online_sample){.request = request,
                                       .reserved = heap->reserved,
                                       .requested = heap->requested,
                                       .most = history->most,
                                       .step = step};
    sw_heap_waste(heap, wanted, &fresh->waste);
    history->most = 0;
}
