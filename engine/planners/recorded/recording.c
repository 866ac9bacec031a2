/* Recordings as they grow: the arena after each decision.
 *
 * A planner that moves a block down, or takes one out, leaves an arena that may be smaller than before. How far it
 * reaches then is the highest end of all blocks that have a place. So the ends are kept in a heap for each tier. An
 * entry that is no longer true, because its block was placed anew, stays until it comes to the top, and is dropped
 * there: each block has a number that counts its placements, and an entry with an older number is such a one. */
#include "planners/recorded/recording.h"

struct end {
    uint64_t end;
    uint32_t buffer, version;
};
struct recording_heap {
    SW_ARRAY(struct end) ends;
};
struct sw_recording_tops {
    uint32_t buffers, tiers;
    uint32_t *versions;            /* per buffer; odd: it has a place */
    struct recording_heap heaps[]; /* per tier */
};

static size_t tops_size(uint32_t tiers) {
    return sizeof(struct sw_recording_tops) + tiers * sizeof(struct recording_heap);
}

static void tops_free(struct sw_recording_tops *tops) {
    if (tops) {
        for (uint32_t t = 0; t < tops->tiers; t++) {
            SW_ARRAY_DONE(&tops->heaps[t].ends);
        }
        SW_FREE(tops->versions, (size_t)tops->buffers + 1);
        sw_mem_free(tops, tops_size(tops->tiers), 1);
    }
}

static struct sw_recording_tops *tops_new(const struct sw_problem *problem) {
    uint32_t tiers = sw_problem_tier_count(problem), buffers = sw_problem_buffer_count(problem);
    struct sw_recording_tops *tops = sw_mem_new_zero(tops_size(tiers), 1);
    if (tops) {
        tops->tiers = tiers;
        tops->buffers = buffers;
        tops->versions = SW_NEW_ZERO(uint32_t, (size_t)buffers + 1);
        if (!tops->versions) {
            tops_free(tops);
            return NULL;
        }
    }
    return tops;
}

/* ---- the heap: the highest end at the root ---- */

static bool heap_push(struct recording_heap *heap, struct end fresh) {
    if (!SW_PUSH(&heap->ends, fresh)) {
        return false;
    }
    struct end *ends = heap->ends.items;
    size_t at = heap->ends.count - 1;
    while (at > 0 && ends[(at - 1) / 2].end < fresh.end) {
        ends[at] = ends[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    ends[at] = fresh;
    return true;
}

static void heap_pop(struct recording_heap *heap) {
    struct end *ends = heap->ends.items, last = ends[--heap->ends.count];
    size_t at = 0, count = heap->ends.count;
    for (size_t child = 1; child < count; child = 2 * at + 1) {
        child += child + 1 < count && ends[child + 1].end > ends[child].end;
        if (ends[child].end <= last.end) {
            break;
        }
        ends[at] = ends[child];
        at = child;
    }
    if (count > 0) {
        ends[at] = last;
    }
}

static uint64_t heap_top(struct recording_heap *heap, const uint32_t *versions) {
    while (heap->ends.count > 0 && heap->ends.items[0].version != versions[heap->ends.items[0].buffer]) {
        heap_pop(heap);
    }
    return heap->ends.count > 0 ? heap->ends.items[0].end : 0;
}

/* ---- adding ---- */

/* Follow one effect; `shrinks` becomes true where it may lower an arena. False: no memory. */
static bool follow_effect(struct sw_recording_tops *tops, const struct sw_problem *problem,
                          const struct sw_effect *effect, bool *shrinks) {
    uint32_t buffer = effect->buffer;
    if (effect->kind == SW_EFFECT_LIFT || effect->kind == SW_EFFECT_PLACE) {
        uint32_t *version = &tops->versions[buffer];
        *shrinks |= *version & 1;
        *version += effect->kind == SW_EFFECT_LIFT ? *version & 1 : 2 - !(*version & 1);
    } else if (effect->kind == SW_EFFECT_SPAN) {
        tops->versions[buffer] |= 1;
    } else {
        return true;
    }
    struct end end = {effect->value + sw_problem_buffer(problem, buffer)->size, buffer, tops->versions[buffer]};
    return effect->kind == SW_EFFECT_LIFT || heap_push(&tops->heaps[effect->tier], end);
}

bool sw_recording_add(struct sw_recording *recording, const struct sw_problem *problem,
                      const struct sw_recorded *recorded) {
    struct sw_recorded fresh = *recorded;
    bool shrinks = false, told = false;
    recording->tops = recording->tops ? recording->tops : tops_new(problem);
    fresh.effect_count = (uint32_t)(recording->effects.count - fresh.first_effect);
    if (!recording->tops) {
        return false;
    }
    for (uint32_t i = 0; i < fresh.effect_count; i++) {
        const struct sw_effect *effect = &recording->effects.items[fresh.first_effect + i];
        told |= effect->kind == SW_EFFECT_ARENA;
        if (!follow_effect(recording->tops, problem, effect, &shrinks)) {
            return false;
        }
    }
    for (uint32_t t = 0; shrinks && !told && t < recording->tops->tiers; t++) {
        struct sw_effect arena = {.kind = SW_EFFECT_ARENA,
                                  .tier = t,
                                  .value = heap_top(&recording->tops->heaps[t], recording->tops->versions)};
        if (!SW_PUSH(&recording->effects, arena)) {
            return false;
        }
        fresh.effect_count++;
    }
    return SW_PUSH(&recording->decisions, fresh);
}

/* ---- the whole ---- */

struct sw_recording *sw_recording_new(void) {
    struct sw_recording *recording = SW_NEW_ZERO(struct sw_recording, 1);
    if (recording) {
        recording->planner = recording->version = recording->failure = "";
    }
    return recording;
}

void sw_recording_free(struct sw_recording *recording) {
    if (recording) {
        SW_ARRAY_DONE(&recording->decisions, &recording->effects, &recording->groups);
        tops_free(recording->tops);
        sw_arena_done(&recording->texts);
        SW_FREE(recording, 1);
    }
}

const char *sw_recording_group(const struct sw_recording *recording, uint32_t group) {
    return group < recording->groups.count ? recording->groups.items[group] : NULL;
}
