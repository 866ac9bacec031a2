/* Figures of a planner's own, on their way to the summary. */
#include "planners/planner.h"

#include <string.h>

bool sw_detail_integer(struct sw_details *details, const char *key, int64_t value) {
    return SW_PUSH(&details->items, (struct sw_detail){.key = key, .buffer = SW_NONE, .whole = true, .integer = value});
}

bool sw_detail_truth(struct sw_details *details, const char *key, bool value) {
    return SW_PUSH(&details->items,
                   (struct sw_detail){.key = key, .buffer = SW_NONE, .whole = true, .truth = true, .integer = value});
}

bool sw_detail_none(struct sw_details *details, const char *key) {
    return SW_PUSH(&details->items, (struct sw_detail){.key = key, .buffer = SW_NONE, .none = true});
}

bool sw_detail_number(struct sw_details *details, const char *key, double value) {
    return SW_PUSH(&details->items, (struct sw_detail){.key = key, .buffer = SW_NONE, .number = value});
}

bool sw_detail_of(struct sw_details *details, const char *key, uint32_t buffer, int64_t value) {
    return SW_PUSH(&details->items, (struct sw_detail){.key = key, .buffer = buffer, .whole = true, .integer = value});
}

bool sw_detail_named(struct sw_details *details, const char *key, const char *name, int64_t value) {
    return SW_PUSH(&details->items,
                   (struct sw_detail){.key = key, .name = name, .buffer = SW_NONE, .whole = true, .integer = value});
}

bool sw_detail_element(struct sw_details *details, const char *key, int64_t value) {
    return SW_PUSH(&details->items,
                   (struct sw_detail){.key = key, .buffer = SW_NONE, .list = true, .whole = true, .integer = value});
}

bool sw_detail_word(struct sw_details *details, const char *key, const char *word) {
    return SW_PUSH(&details->items,
                   (struct sw_detail){.key = key, .name = word, .buffer = SW_NONE, .list = true, .word = true});
}

bool sw_details_figure(const struct sw_details *details, const char *key, uint64_t *value) {
    for (size_t i = 0; i < details->items.count; i++) {
        const struct sw_detail *detail = &details->items.items[i];
        if (detail->whole && detail->buffer == SW_NONE && !detail->name && strcmp(detail->key, key) == 0) {
            *value = (uint64_t)detail->integer;
            return true;
        }
    }
    return false;
}

void sw_details_done(struct sw_details *details) {
    SW_ARRAY_DONE(&details->items);
}
