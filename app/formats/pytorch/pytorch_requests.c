/* Events become requests to an allocator, and what a snapshot tells of the end becomes what was there at the beginning.
 */
#include "formats/pytorch/pytorch.h"
#include "base/base.h"
#include "base/sort.h"
#include "planners/planner.h"

/* ---- settings ---- */

/* Append `key:value`, with a comma before it unless it is the first. */
static void add_setting(char *text, size_t size, const char *key, const char *value) {
    sw_text_add(text, size, "%s%s:%s", *text ? "," : "", key, value);
}

/* [1:4,2:4,...] from a dictionary of 16 numbers; "" when all are 0. */
static void add_divisions(const struct snapshot *snapshot, uint32_t value, char *text, size_t size) {
    struct sw_pickle_walk walk = sw_pickle_walk(&snapshot->pickle, value);
    char list[256] = "";
    uint32_t key, item;
    int64_t number;
    bool any = false;
    while (sw_pickle_next(&walk, &key) && sw_pickle_next(&walk, &item)) {
        size_t length;
        const char *name = sw_pickle_text(&snapshot->pickle, key, &length);
        if (!name || length > 6 || !sw_pickle_integer(&snapshot->pickle, item, &number) || number < 0 ||
            number > 1 << 20) {
            return;
        }
        any = any || number > 0;
        SW_TEXT_ADD(list, "%s%.*s:%d", *list ? "," : "[", (int)length, name, (int)number);
    }
    if (any && strlen(list) + 1 < sizeof list) {
        SW_TEXT_ADD(list, "]");
        add_setting(text, size, "roundup_power2_divisions", list);
    }
}

static void add_mebibytes(const struct snapshot *snapshot, uint32_t value, const char *key, char *text, size_t size) {
    int64_t bytes;
    char number[24];
    if (value != SW_NONE && sw_pickle_integer(&snapshot->pickle, value, &bytes) && bytes > 0 &&
        bytes < INT64_C(1) << 50) {
        snprintf(number, sizeof number, "%lld", (long long)(bytes >> 20));
        add_setting(text, size, key, number);
    }
}

bool snapshot_settings(struct snapshot *snapshot, uint32_t value) {
    char *to = snapshot->requests->settings;
    size_t size = sizeof snapshot->requests->settings;
    uint32_t split, threshold_value, expandable, divisions, rounding, large;
    if (value == SW_NONE || sw_pickle_type(&snapshot->pickle, value) != SW_PICKLE_DICT) {
        return true;
    }
    if (!SNAPSHOT_FIELDS(snapshot, "\"allocator_settings\"", value, {"max_split_size", &split},
                         {"garbage_collection_threshold", &threshold_value}, {"expandable_segments", &expandable},
                         {"roundup_power2_divisions", &divisions}, {"max_non_split_rounding_size", &rounding},
                         {"large_segment_size", &large})) {
        return false;
    }
    add_mebibytes(snapshot, split, "max_split_size_mb", to, size);
    add_mebibytes(snapshot, rounding, "max_non_split_rounding_mb", to, size);
    add_mebibytes(snapshot, large, "large_segment_size_mb", to, size);
    if (expandable != SW_NONE && sw_pickle_true(&snapshot->pickle, expandable)) {
        add_setting(to, size, "expandable_segments", "True");
    }
    if (divisions != SW_NONE && sw_pickle_type(&snapshot->pickle, divisions) == SW_PICKLE_DICT) {
        add_divisions(snapshot, divisions, to, size);
    }
    double threshold;
    if (threshold_value != SW_NONE && sw_pickle_real(&snapshot->pickle, threshold_value, &threshold) && threshold > 0 &&
        threshold < 1) {
        char number[24];
        snprintf(number, sizeof number, "%.6g", threshold);
        add_setting(to, size, "garbage_collection_threshold", number);
    }
    return true;
}

/* ---- requests ---- */

SW_BY_FIELDS(compare_segments, struct snapshot_segment, SW_UP(known.address))

/* The pool of a segment that is there at the end; the default one for what is not. */
static uint16_t pool_at(const struct snapshot *snapshot, uint64_t address) {
    const struct snapshot_segment *segments = snapshot->segments_at_end.items;
    size_t above = SW_FIRST(i, snapshot->segments_at_end.count, segments[i].known.address > address);
    const struct sw_known_segment *s = above ? &segments[above - 1].known : NULL;
    return s && address - s->address < s->size ? s->pool : 0;
}

/* "snapshot", or "user_defined: epoch 3". */
static bool add_snapshot_mark(struct snapshot *snapshot, const struct snapshot_event *event) {
    struct sw_request_mark mark;
    size_t length = 0;
    const char *words = event->words == SW_NONE ? NULL : sw_pickle_text(&snapshot->pickle, event->words, &length);
    int used = snprintf(mark.text, sizeof mark.text, "%s%s",
                        event->action == ACTION_SNAPSHOT ? "snapshot" : "user_defined", length > 0 ? ": " : "");
    length = length < sizeof mark.text - (size_t)used - 1 ? length : sizeof mark.text - (size_t)used - 1;
    for (size_t i = 0; words && i < length; i++) { /* whatever it is, it is shown */
        mark.text[used++] = words[i] >= ' ' && words[i] <= '~' ? words[i] : '?';
    }
    mark.text[used] = '\0';
    return SW_PUSH(&snapshot->requests->marks, mark);
}

bool snapshot_request(struct snapshot *snapshot, const struct snapshot_event *event, uint32_t buffer) {
    static const enum sw_request_kind action_kinds[] = {[ACTION_ALLOC] = SW_REQUEST_ALLOC,
                                                        [ACTION_FREE_REQUESTED] = SW_REQUEST_FREE_ASKED,
                                                        [ACTION_FREE_COMPLETED] = SW_REQUEST_FREE_COMPLETED,
                                                        [ACTION_SEGMENT_ALLOC] = SW_REQUEST_SEGMENT_MADE,
                                                        [ACTION_SEGMENT_FREE] = SW_REQUEST_SEGMENT_GONE,
                                                        [ACTION_SEGMENT_MAP] = SW_REQUEST_PAGES_MADE,
                                                        [ACTION_SEGMENT_UNMAP] = SW_REQUEST_PAGES_GONE,
                                                        [ACTION_OOM] = SW_REQUEST_REFUSED,
                                                        [ACTION_USER] = SW_REQUEST_MARK,
                                                        [ACTION_SNAPSHOT] = SW_REQUEST_MARK};
    if (event->action == ACTION_OTHER) {
        return true; /* counted, and said */
    }
    struct sw_request request = {.address = event->action < ACTION_OOM ? event->address : SW_NO_ADDRESS,
                                 .size = event->size,
                                 .buffer = buffer,
                                 .time = event->time,
                                 .stream = event->stream,
                                 .pool = event->has_pool ? event->pool : pool_at(snapshot, event->address),
                                 .kind = (uint16_t)action_kinds[event->action]};
    if (request.kind == SW_REQUEST_MARK) {
        request.over = (uint32_t)snapshot->requests->marks.count;
        request.size = 0;
        if (!add_snapshot_mark(snapshot, event)) {
            return sw_fail_memory(snapshot->error);
        }
    }
    /* Completed at once: no other stream used the block, and it never waited. */
    struct sw_request *last =
        snapshot->requests->items.count ? &snapshot->requests->items.items[snapshot->requests->items.count - 1] : NULL;
    if (request.kind == SW_REQUEST_FREE_COMPLETED && last && last->kind == SW_REQUEST_FREE_ASKED &&
        last->buffer == buffer) {
        last->kind = SW_REQUEST_FREE;
        last->time = event->time;
        return true;
    }
    return SW_PUSH(&snapshot->requests->items, request) || sw_fail_memory(snapshot->error);
}

/* ---- the end, and the beginning ---- */

void snapshot_sort_segments(struct snapshot *snapshot) {
    sw_sort(snapshot->segments_at_end.items, snapshot->segments_at_end.count, sizeof *snapshot->segments_at_end.items,
            compare_segments);
}

SW_BY_FIELDS(compare_known_blocks, struct snapshot_block, SW_UP(address))

static bool tell_snapshot_end(struct snapshot *snapshot) {
    struct sw_requests *to = snapshot->requests;
    sw_sort(snapshot->blocks.items, snapshot->blocks.count, sizeof *snapshot->blocks.items, compare_known_blocks);
    for (size_t i = 0; i < snapshot->segments_at_end.count; i++) {
        if (snapshot->segments_at_end.items[i].known.size > 0 &&
            !SW_PUSH(&to->segments, snapshot->segments_at_end.items[i].known)) {
            return false;
        }
    }
    for (size_t i = 0; i < snapshot->blocks.count; i++) {
        const struct snapshot_block *block = &snapshot->blocks.items[i];
        struct sw_known_block known = {.address = block->address,
                                       .size = block->size,
                                       .requested = block->requested,
                                       .buffer = block->buffer,
                                       .stream = block->stream,
                                       .pool = block->pool,
                                       .state = block->buffer == SW_NONE ? SW_KNOWN_FREE : block->state};
        if (block->size > 0 && !SW_PUSH(&to->blocks, known)) {
            return false;
        }
    }
    return true;
}

/* Parameters of cuda-caching: the settings that the file tells. Of a version that is not known: the defaults. */
static const struct sw_planner *settings_of_snapshot(struct snapshot *snapshot, struct sw_params *params) {
    struct sw_requests *requests = snapshot->requests;
    const struct sw_planner *planner = sw_planner_find("cuda-caching", snapshot->error);
    bool good = planner && sw_params_set(params, "conf", requests->settings, snapshot->error);
    if (good && !sw_params_check(params, planner, NULL)) {
        requests->settings[0] = '\0';
        good = sw_params_set(params, "conf", "", snapshot->error);
    }
    return good ? planner : NULL;
}

bool snapshot_rounding(struct snapshot *snapshot, struct sw_heap **heap) {
    struct sw_params params = SW_PARAMS_DEFAULT;
    const struct sw_planner *planner = settings_of_snapshot(snapshot, &params);
    *heap = planner ? sw_heap_new(planner->context, 0, &params, planner, SW_UNBOUNDED,
                                  (uint64_t)sw_params_integer(&params, planner, "device_memory"), snapshot->error)
                    : NULL;
    sw_params_done(&params);
    return *heap != NULL;
}

bool snapshot_hand_over(struct snapshot *snapshot) {
    struct sw_requests *requests = snapshot->requests;
    struct sw_params params = SW_PARAMS_DEFAULT;
    const struct sw_planner *planner = settings_of_snapshot(snapshot, &params);
    requests->allocator = "cuda-caching";
    requests->recorded = true;
    bool good = planner && (tell_snapshot_end(snapshot) || sw_fail_memory(snapshot->error)) &&
                sw_requests_rewind(requests, snapshot->buffers, &params, planner, snapshot->error);
    if (good) {
        sw_builder_requests(snapshot->builder, requests);
    }
    sw_params_done(&params);
    return good;
}
