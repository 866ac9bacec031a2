/* A moment of an allocator as trace events: what lies where, by address. */
#include "formats/trace/run_events.h"
#include "base/base.h"
#include "formats/graphs/moment_file.h"
#include "problem/moment/moment.h"

enum { OF_ALLOCATOR = 1, FAILURE = 1, ELSEWHERE, SEGMENTS }; /* threads: a segment each, from SEGMENTS on */

/* So many bytes of the axis. Where the places of blocks are not told, these may come to more than their segment. */
static uint64_t segment_room(const struct sw_moment *moment, uint32_t at) {
    const struct sw_moment_segment *segment = &moment->segments.items[at];
    uint64_t bytes = 0;
    for (size_t i = segment->first; i < segment->first + segment->count; i++) {
        bytes += moment->blocks.items[i].size * moment->blocks.items[i].count;
    }
    return SW_MAX(bytes, segment->size);
}

uint64_t sw_events_moment_unit(const struct sw_moment *moment) {
    uint64_t bytes = 0, unit = 1;
    for (uint32_t s = 0; s < moment->segments.count; s++) {
        bytes += segment_room(moment, s);
    }
    for (size_t i = 0; i < moment->blocks.count; i++) {
        const struct sw_moment_block *block = &moment->blocks.items[i];
        bytes += block->segment == SW_NONE ? block->size * block->count : 0;
    }
    while (bytes / unit > SW_EVENTS_MOST_TIME) {
        unit *= 2;
    }
    return unit;
}

/* From a byte on, so many bytes. */
static void begin_bytes(struct sw_events *events, const char *name, uint32_t thread, uint64_t unit, uint64_t from,
                        uint64_t bytes) {
    uint64_t at = from / unit, end = (from + bytes) / unit;
    sw_events_begin_long(events, name, OF_ALLOCATOR, thread, at * SW_EVENTS_US, (end - at) * SW_EVENTS_US);
}

static bool put_moment_block(struct sw_events *events, const struct sw_moment_block *block, uint32_t thread,
                             uint64_t unit, uint64_t from) {
    struct sw_json_out *json = &events->json;
    const char *state = sw_held_state_words(block->state);
    begin_bytes(events, block->name ? block->name : state, thread, unit, from, block->size * block->count);
    sw_put_known(json, "address", block->address != SW_UNTOLD, block->address);
    sw_put_count(json, "size", block->size);
    sw_put_count(json, "count", block->count);
    sw_put_text(json, "state", state);
    if (block->requested != SW_UNTOLD) {
        sw_put_count(json, "requested", block->requested);
    }
    if (block->origin) {
        sw_put_text(json, "stack", block->origin);
    }
    return sw_events_end(events);
}

/* The segment, and in it its blocks. */
static bool put_moment_segment(struct sw_events *events, const struct sw_moment *moment, uint32_t at, uint64_t unit,
                               uint64_t base) {
    const struct sw_moment_segment *segment = &moment->segments.items[at];
    uint64_t from = base;
    char name[300];
    snprintf(name, sizeof name, "segment %" PRIu32, at);
    const char *const of[][2] = {{"", segment->allocator}, {"pool ", segment->pool}, {"stream ", segment->stream}};
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        SW_TEXT_ADD(name, "%s%s%.80s", of[i][1] ? ", " : "", of[i][1] ? of[i][0] : "", of[i][1] ? of[i][1] : "");
    }
    if (!sw_events_name_thread(events, OF_ALLOCATOR, SEGMENTS + at, name)) {
        return false;
    }
    begin_bytes(events, name, SEGMENTS + at, unit, base, segment_room(moment, at));
    sw_put_known(&events->json, "address", segment->address != SW_UNTOLD, segment->address);
    sw_put_count(&events->json, "size", segment->size);
    bool good = sw_events_end(events);
    for (size_t i = segment->first; good && i < segment->first + segment->count; i++) {
        good = put_moment_block(events, &moment->blocks.items[i], SEGMENTS + at, unit, from);
        from += moment->blocks.items[i].size * moment->blocks.items[i].count;
    }
    return good;
}

/* Blocks of which no segment is told, one behind the other. */
static bool put_in_no_segment(struct sw_events *events, const struct sw_moment *moment, uint64_t unit, uint64_t from) {
    bool named = false, good = true;
    for (size_t i = 0; good && i < moment->blocks.count; i++) {
        const struct sw_moment_block *block = &moment->blocks.items[i];
        if (block->segment == SW_NONE) {
            good = (named || sw_events_name_thread(events, OF_ALLOCATOR, ELSEWHERE, "blocks in no segment")) &&
                   put_moment_block(events, block, ELSEWHERE, unit, from);
            from += block->size * block->count;
            named = true;
        }
    }
    return good;
}

static bool put_moment_figures(struct sw_events *events, const struct sw_moment *moment) {
    struct sw_moment_sums sums;
    bool good = true;
    sw_moment_sum(moment, &sums);
    for (enum sw_moment_figure f = 0; good && f < SW_MOMENT_FIGURES; f++) {
        char name[80];
        snprintf(name, sizeof name, "%s bytes", sw_moment_figure_key(f));
        for (char *under = strchr(name, '_'); under; under = strchr(under, '_')) {
            *under = ' ';
        }
        good = sums.figure[f] == SW_UNTOLD || sw_events_count(events, name, OF_ALLOCATOR, 0, sums.figure[f]);
    }
    return good;
}

static bool put_moment_failure(struct sw_events *events, const struct sw_moment *moment) {
    const struct sw_moment_failure *failure = &moment->failure;
    if (failure->size == SW_UNTOLD) {
        return true;
    }
    bool good = sw_events_name_thread(events, OF_ALLOCATOR, FAILURE, "the request that failed");
    sw_events_begin(events, 'i', "the request that failed", OF_ALLOCATOR, FAILURE, 0);
    sw_put_count(&events->json, "size", failure->size);
    sw_put_known(&events->json, "rounded", failure->rounded != SW_UNTOLD, failure->rounded);
    if (failure->origin) {
        sw_put_text(&events->json, "stack", failure->origin);
    }
    return sw_events_end(events) && good;
}

bool sw_events_moment(struct sw_events *events, const struct sw_moment *moment) {
    uint64_t base = 0, unit = sw_events_moment_unit(moment);
    bool good = sw_events_name_process(events, OF_ALLOCATOR, moment->what) && put_moment_figures(events, moment) &&
                put_moment_failure(events, moment);
    for (uint32_t s = 0; good && s < moment->segments.count; s++) {
        good = put_moment_segment(events, moment, s, unit, base);
        base += segment_room(moment, s);
    }
    return good && put_in_no_segment(events, moment, unit, base);
}
