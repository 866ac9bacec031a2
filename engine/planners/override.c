/* Overrides put into force: by a search, and by planners that repeat a run with its overrides. */
#include "planners/planner_internal.h"

/* The arena of a tier after a block moved inside it: its highest end. */
static void remeasure(struct sw_layout *layout, uint32_t tier) {
    const struct sw_problem *problem = sw_layout_problem(layout);
    struct sw_placement placement;
    uint64_t top = 0;
    for (uint32_t i = 0; i < sw_problem_buffer_count(problem); i++) {
        for (uint32_t k = 0; sw_layout_placement(layout, i, k, &placement); k++) {
            uint64_t size = sw_problem_buffer(problem, i)->size, end = placement.offset + size;
            if (placement.tier == tier && size > 0 && end > top) {
                top = end;
            }
        }
    }
    sw_layout_set_arena(layout, tier, top);
}

static bool obey_pin_override(const struct sw_override *override, struct sw_rules *rules, struct sw_layout *layout) {
    struct sw_pin pin = {override->buffer, override->tier, override->offset};
    struct sw_placement before;
    bool placed = sw_layout_placement(layout, override->buffer, 0, &before);
    size_t known = 0;
    while (known < rules->pins.count && rules->pins.items[known].buffer != pin.buffer) {
        known++;
    }
    if (known < rules->pins.count) {
        rules->pins.items[known] = pin;
    } else if (!SW_PUSH(&rules->pins, pin)) {
        return false;
    }
    if (placed) {
        if (!sw_layout_place(layout, pin.buffer, pin.tier, pin.offset)) {
            return false;
        }
        remeasure(layout, before.tier);
        remeasure(layout, pin.tier);
    }
    return true;
}

bool sw_override_obey(const struct sw_override *override, struct sw_rules *rules, struct sw_layout *layout) {
    switch (override->kind) {
    case SW_OVERRIDE_PIN:
        return obey_pin_override(override, rules, layout);
    case SW_OVERRIDE_FORBID:
        return SW_PUSH(&rules->forbids,
                       (struct sw_forbid){override->buffer, override->tier, override->lo, override->hi});
    case SW_OVERRIDE_CHOOSE:
        break;
    }
    return true;
}
