/* Events become buffers: an allocation lives until its release is completed. What was there before the first event is
 * one from time -1 on: its allocation was not recorded. A buffer is as large as PyTorch's block must be. */
#include "formats/pytorch/pytorch.h"
#include "base/base.h"
#include "base/sort.h"

#include "base/lists/spans.h"

struct allocation {
    uint64_t address, size;
    uint32_t first, end; /* in times; [first, end) */
    uint32_t frames;
    bool old;       /* there before the first event: end says when it went */
    bool requested; /* its release was asked for */
};

/* An address, and what lies there now. */
struct slot {
    uint64_t address;
    uint32_t now; /* SW_NONE: nothing */
    bool seen;    /* an event named it */
};

struct block_plan {
    struct snapshot *snapshot;
    SW_ARRAY(struct allocation) list;
    SW_ARRAY(struct slot) slots; /* by address */
    uint64_t bytes;              /* of the whole list */
    uint64_t made, made_bytes;   /* allocations with their event */
    uint64_t gone, gone_bytes;   /* older, freed in the run */
    uint64_t kept, kept_bytes;   /* older, still there */
    uint64_t replaced, pending, other, outside, overlaps;
    uint64_t arena;
    uint64_t most; /* alive at once */
    bool placed;
    struct sw_heap *heap; /* that rounds sizes as PyTorch did; NULL: they are left as they are asked for */
};

static uint64_t rounded(const struct block_plan *plan, uint64_t size) {
    const char *reason;
    return plan->heap && size > 0 ? plan->heap->kind->round(plan->heap, size, &reason) : size;
}

static bool plan_lacks_memory(const struct block_plan *plan) {
    return sw_fail_memory(plan->snapshot->error);
}

/* ---- addresses ---- */

SW_BY_FIELDS(compare_slots, struct slot, SW_UP(address))

static bool make_block_slots(struct block_plan *plan) {
    const struct snapshot *snapshot = plan->snapshot;
    if (!SW_RESERVE(&plan->slots, snapshot->events.count + snapshot->blocks.count + 1)) {
        return plan_lacks_memory(plan);
    }
    struct slot *slots = plan->slots.items;
    for (size_t i = 0; i < snapshot->events.count; i++) {
        const struct snapshot_event *event = &snapshot->events.items[i];
        if (event->action <= ACTION_FREE_COMPLETED) {
            slots[plan->slots.count++] = (struct slot){.address = event->address, .now = SW_NONE};
        }
    }
    for (size_t i = 0; i < snapshot->blocks.count; i++) {
        const struct snapshot_block *block = &snapshot->blocks.items[i];
        slots[plan->slots.count++] = (struct slot){.address = block->address, .now = SW_NONE};
    }
    plan->slots.count = sw_sort_unique(slots, plan->slots.count, sizeof *slots, compare_slots);
    return true;
}

static struct slot *block_slot(struct block_plan *plan, uint64_t address) {
    struct slot key = {.address = address};
    return bsearch(&key, plan->slots.items, plan->slots.count, sizeof key, compare_slots);
}

/* ---- lives ---- */

/* Sums of sizes are reckoned with freely later. */
static bool count_block_bytes(struct block_plan *plan, uint64_t size) {
    plan->bytes += size;
    return plan->bytes <= SW_MAX_BYTES ||
           sw_fail(plan->snapshot->error, SW_ERROR_INPUT, "the allocations add up past 2^61 bytes");
}

/* Something from before the first event, that goes at `end`. */
static bool add_old_block(struct block_plan *plan, uint64_t address, uint64_t size, uint32_t frames, uint32_t end) {
    struct allocation old = {.address = address, .size = size, .end = end, .frames = frames, .old = true};
    return count_block_bytes(plan, size) && (SW_PUSH(&plan->list, old) || plan_lacks_memory(plan));
}

static bool obey_alloc(struct block_plan *plan, const struct snapshot_event *event, struct slot *slot) {
    struct allocation fresh = {
        .address = event->address, .size = event->size, .first = event->time, .end = SW_NONE, .frames = event->frames};
    if (slot->now != SW_NONE) { /* its release was not recorded */
        struct snapshot_event gone = *event;
        gone.action = ACTION_FREE_COMPLETED;
        gone.size = plan->list.items[slot->now].size;
        plan->list.items[slot->now].end = event->time;
        plan->replaced++;
        if (!snapshot_request(plan->snapshot, &gone, slot->now)) {
            return false;
        }
    }
    slot->now = (uint32_t)plan->list.count;
    plan->made++;
    plan->made_bytes += event->size;
    return count_block_bytes(plan, event->size) && (SW_PUSH(&plan->list, fresh) || plan_lacks_memory(plan));
}

/* What is freed without having been allocated was there before the first event. */
static bool meet_old(struct block_plan *plan, const struct snapshot_event *event, struct slot *slot) {
    if (slot->now != SW_NONE || slot->seen) {
        return true;
    }
    plan->gone++;
    plan->gone_bytes += event->size;
    slot->now = (uint32_t)plan->list.count;
    return add_old_block(plan, event->address, event->size, SW_NONE, SW_NONE);
}

static bool obey_event(struct block_plan *plan, const struct snapshot_event *event) {
    bool good = true;
    uint32_t buffer = SW_NONE;
    if (event->action > ACTION_FREE_COMPLETED) {
        plan->other += event->action == ACTION_OTHER;
        return snapshot_request(plan->snapshot, event, SW_NONE);
    }
    struct slot *slot = block_slot(plan, event->address);
    switch (event->action) {
    case ACTION_ALLOC:
        good = obey_alloc(plan, event, slot);
        buffer = slot->now;
        break;
    case ACTION_FREE_COMPLETED:
        good = meet_old(plan, event, slot);
        buffer = slot->now;
        if (good && buffer != SW_NONE) {
            plan->list.items[buffer].end = event->time;
            slot->now = SW_NONE;
        } else {
            plan->other++; /* freed twice */
        }
        break;
    default:
        good = meet_old(plan, event, slot);
        buffer = slot->now;
        if (good && buffer != SW_NONE) {
            plan->list.items[buffer].requested = true;
        }
        break;
    }
    slot->seen = true;
    return good && (buffer == SW_NONE || snapshot_request(plan->snapshot, event, buffer));
}

/* Blocks in use at the end that no event speaks of were there all the time. */
static bool add_kept(struct block_plan *plan) {
    struct snapshot *snapshot = plan->snapshot;
    for (size_t i = 0; i < snapshot->blocks.count; i++) {
        struct snapshot_block *block = &snapshot->blocks.items[i];
        struct slot *slot = block_slot(plan, block->address);
        uint64_t size = block->requested && block->requested <= block->size ? block->requested : block->size;
        if (block->state == SW_KNOWN_FREE) {
            block->buffer = SW_NONE;
            continue;
        }
        if (slot->now == SW_NONE && !slot->seen) {
            slot->seen = true;
            slot->now = (uint32_t)plan->list.count;
            plan->kept++;
            plan->kept_bytes += size;
            if (!add_old_block(plan, block->address, size, block->frames, SW_NONE)) {
                return false;
            }
        }
        block->buffer = slot->now;
        block->requested = slot->now == SW_NONE ? 0 : plan->list.items[slot->now].size;
    }
    return true;
}

static bool make_lives(struct block_plan *plan) {
    const struct snapshot *snapshot = plan->snapshot;
    uint32_t end = (uint32_t)snapshot->events.count;
    for (size_t i = 0; i < end; i++) {
        if (!obey_event(plan, &snapshot->events.items[i])) {
            return false;
        }
    }
    if (!add_kept(plan)) {
        return false;
    }
    for (size_t i = 0; i < plan->list.count; i++) {
        struct allocation *item = &plan->list.items[i];
        plan->pending += item->end == SW_NONE && item->requested;
        item->end = item->end == SW_NONE ? end : item->end;
    }
    return true;
}

/* The largest sum of what is alive at once, as it was asked for. The first time is the one before all events. */
static bool make_curve(struct block_plan *plan) {
    size_t times = plan->snapshot->events.count + 1;
    int64_t *change = SW_NEW_ZERO(int64_t, times + 1), live = 0, most = 0;
    for (size_t i = 0; change && i < plan->list.count; i++) {
        const struct allocation *item = &plan->list.items[i];
        change[item->old ? 0 : item->first + 1] += (int64_t)item->size;
        change[item->end + 1] -= (int64_t)item->size;
    }
    for (size_t i = 0; change && i < times; i++) {
        live += change[i];
        most = SW_MAX(live, most);
    }
    plan->most = (uint64_t)most;
    bool good = change != NULL;
    SW_FREE(change, times + 1);
    return good || plan_lacks_memory(plan);
}

/* ---- the arena ---- */

SW_BY_FIELDS(compare_life_ranges, struct sw_request_window, SW_UP(lo))

/* Sort, join what overlaps or touches. */
static void join_ranges(struct snapshot *snapshot) {
    struct sw_request_window *ranges = snapshot->requests->windows.items;
    size_t kept = 0;
    sw_sort(ranges, snapshot->requests->windows.count, sizeof *ranges, compare_life_ranges);
    for (size_t i = 0; i < snapshot->requests->windows.count; i++) {
        struct sw_request_window *last = kept ? &ranges[kept - 1] : NULL;
        if (last && ranges[i].lo <= last->hi) {
            last->hi = SW_MAX(ranges[i].hi, last->hi);
        } else {
            ranges[kept++] = ranges[i];
        }
    }
    snapshot->requests->windows.count = kept;
}

/* The last of these ranges that begins at or below the address. */
static const struct sw_request_window *range_of(const struct sw_request_window *ranges, size_t count,
                                                uint64_t address) {
    size_t above = SW_FIRST(i, count, ranges[i].lo > address);
    return above > 0 ? &ranges[above - 1] : NULL;
}

/* All addresses that any segment had: those at the end, those that came and went, and the
 * allocations' own where the file knows of none. */
static bool make_ranges(struct block_plan *plan) {
    struct snapshot *snapshot = plan->snapshot;
    for (size_t i = 0; i < snapshot->segments_at_end.count; i++) {
        const struct sw_known_segment *known = &snapshot->segments_at_end.items[i].known;
        if (!SW_PUSH(&snapshot->requests->windows,
                     (struct sw_request_window){known->address, known->address + known->size, 0})) {
            return plan_lacks_memory(plan);
        }
    }
    for (size_t i = 0; i < snapshot->events.count; i++) {
        const struct snapshot_event *event = &snapshot->events.items[i];
        struct sw_request_window range = {.lo = event->address, .hi = event->address + event->size};
        if (snapshot_is_segment(event->action) && !SW_PUSH(&snapshot->requests->windows, range)) {
            return plan_lacks_memory(plan);
        }
    }
    join_ranges(snapshot);
    size_t known = snapshot->requests->windows.count;
    for (size_t i = 0; i < plan->list.count; i++) {
        const struct allocation *item = &plan->list.items[i];
        struct sw_request_window range = {.lo = item->address, .hi = item->address + rounded(plan, item->size)};
        const struct sw_request_window *home = range_of(snapshot->requests->windows.items, known, item->address);
        if ((!home || home->hi < range.hi)) {
            plan->outside++;
            if (!SW_PUSH(&snapshot->requests->windows, range)) {
                return plan_lacks_memory(plan);
            }
        }
    }
    join_ranges(snapshot);
    return true;
}

/* Ranges one behind the other, in the order of their addresses. */
static void lay_out(struct block_plan *plan) {
    struct snapshot *snapshot = plan->snapshot;
    uint64_t base = 0;
    plan->placed = true;
    for (size_t i = 0; i < snapshot->requests->windows.count; i++) {
        struct sw_request_window *range = &snapshot->requests->windows.items[i];
        range->base = base;
        base += range->hi - range->lo; /* they are apart and end below 2^61 */
        plan->placed &= !__builtin_add_overflow(plan->arena, range->hi - range->lo, &plan->arena);
    }
}

/* These bytes are held now; some of them by another one as well? */
static void hold_bytes(struct block_plan *plan, struct sw_spans *spans, uint64_t address, uint64_t size) {
    size_t index = (size_t)(block_slot(plan, address) - plan->slots.items);
    uint64_t top = address + rounded(plan, size);
    size_t end = sw_spans_below(spans, top);
    plan->overlaps += sw_spans_next(spans, 0, end, address) < end;
    sw_spans_set(spans, index, top);
}

/* Does any allocation begin while another holds some of its bytes? */
static bool check_snapshot_layout(struct block_plan *plan) {
    const struct snapshot *snapshot = plan->snapshot;
    const struct slot *slots = plan->slots.items;
    size_t count = plan->slots.count;
    struct sw_spans spans = {0};
    uint64_t *lo = SW_NEW(uint64_t, count + 1);
    for (size_t i = 0; lo && i < count; i++) {
        lo[i] = slots[i].address;
    }
    bool good = lo && sw_spans_init(&spans, lo, count);
    plan->overlaps = 0;
    for (size_t i = 0; good && i < plan->list.count; i++) {
        const struct allocation *item = &plan->list.items[i];
        if (item->old && item->size > 0) {
            hold_bytes(plan, &spans, item->address, item->size);
        }
    }
    for (size_t i = 0; good && i < snapshot->events.count; i++) {
        const struct snapshot_event *event = &snapshot->events.items[i];
        if (event->action != ACTION_ALLOC && event->action != ACTION_FREE_COMPLETED) {
            continue;
        }
        size_t index = (size_t)(block_slot(plan, event->address) - slots);
        sw_spans_set(&spans, index, 0);
        if (event->action == ACTION_ALLOC && event->size > 0) {
            hold_bytes(plan, &spans, event->address, event->size);
        }
    }
    SW_FREE(lo, count + 1);
    sw_spans_done(&spans);
    plan->placed = plan->placed && plan->overlaps == 0;
    return good || plan_lacks_memory(plan);
}

/* ---- into the builder ---- */

/* An allocation is called after its address and the time of its event, an older block after its
 * address. */
static bool add_plan_buffer(struct block_plan *plan, const struct allocation *item) {
    const struct snapshot *snapshot = plan->snapshot;
    char name[80];
    struct sw_buffer_spec spec =
        sw_told_buffer(name, rounded(plan, item->size), item->old ? -1 : (int64_t)item->first, (int64_t)item->end - 1);
    spec.asked = item->size;
    spec.before = item->old;
    spec.origin = snapshot_stack_of(snapshot, item->frames);
    if (item->old) {
        snprintf(name, sizeof name, "0x%" PRIx64 "@before", item->address);
    } else {
        snprintf(name, sizeof name, "0x%" PRIx64 "@%" PRIu32, item->address, item->first);
    }
    if (plan->placed) {
        const struct sw_request_window *home =
            range_of(snapshot->requests->windows.items, snapshot->requests->windows.count, item->address);
        spec.has_offset = true;
        spec.offset = home->base + (item->address - home->lo);
    }
    return sw_builder_buffer(snapshot->builder, &spec, snapshot->error);
}

static bool add_plan_buffers(struct block_plan *plan) {
    for (size_t i = 0; i < plan->list.count; i++) {
        if (!add_plan_buffer(plan, &plan->list.items[i])) {
            return false;
        }
    }
    plan->snapshot->buffers = (uint32_t)plan->list.count;
    sw_builder_offsets(plan->snapshot->builder, SW_OFFSETS_PLAN);
    return true;
}

/* ---- notes ---- */

#define NOTE_SNAPSHOT(plan, ...) sw_notef((plan)->snapshot->builder, (plan)->snapshot->error, __VA_ARGS__)

static bool note_figures(struct block_plan *plan) {
    const struct snapshot *snapshot = plan->snapshot;
    return sw_builder_note(snapshot->builder,
                           "times are numbers of events: an allocation lives from its own up to, "
                           "exclusive, the one that completes its release; one that is never "
                           "released lives to the end",
                           snapshot->error) &&
           NOTE_SNAPSHOT(
               plan,
               "allocations: %" PRIu64 ", %s bytes, at most %s alive at once%s; segments at the end: %zu, %s bytes "
               "reserved; streams: %zu; devices: %" PRIu32,
               plan->made, SW_COUNT(plan->made_bytes), SW_COUNT(plan->most),
               plan->gone + plan->kept > 0 ? " with what was there before" : "", snapshot->segments_at_end.count,
               SW_COUNT(snapshot->reserved), snapshot->requests->streams.count, snapshot->devices) &&
           (snapshot->devices < 2 ||
            NOTE_SNAPSHOT(plan, "what is opened is device %" PRIu32 "%s; --device opens another one", snapshot->device,
                          snapshot->only < 0 ? ", the one with the most events" : "")) &&
           sw_builder_note(snapshot->builder,
                           plan->heap ? "sizes are those asked for, rounded up as PyTorch does it: "
                                        "to a multiple of 512 bytes, or as its "
                                        "settings say"
                                      : "sizes are those asked for; rounded up as PyTorch's "
                                        "settings say, blocks would overlap",
                           snapshot->error);
}

static bool note_old(struct block_plan *plan) {
    return plan->gone + plan->kept == 0 ||
           NOTE_SNAPSHOT(plan,
                         "before the recording, from time -1 on: blocks that are freed in the run, %" PRIu64
                         ", %s bytes; blocks that no event speaks of "
                         "(weights, mostly), %" PRIu64 ", %s bytes",
                         plan->gone, SW_COUNT(plan->gone_bytes), plan->kept, SW_COUNT(plan->kept_bytes));
}

static bool note_faults(struct block_plan *plan) {
    const struct snapshot *snapshot = plan->snapshot;
    return (plan->pending == 0 ||
            NOTE_SNAPSHOT(plan,
                          "allocations with a release that was asked for and never completed, alive to the "
                          "end: %" PRIu64,
                          plan->pending)) &&
           (plan->replaced == 0 ||
            NOTE_SNAPSHOT(plan,
                          "allocations that end where the next one at their address begins, for lack of "
                          "a release: %" PRIu64,
                          plan->replaced)) &&
           (plan->other == 0 || NOTE_SNAPSHOT(plan,
                                              "events of other kinds, and releases of what was not there, passed over: "
                                              "%" PRIu64,
                                              plan->other)) &&
           (snapshot->cut_stacks == 0 ||
            NOTE_SNAPSHOT(plan, "stacks that would take too much memory, left out: %" PRIu64, snapshot->cut_stacks));
}

static bool note_place(struct block_plan *plan) {
    const struct snapshot *snapshot = plan->snapshot;
    if (plan->overlaps > 0) {
        return NOTE_SNAPSHOT(plan,
                             "allocations at addresses that another one still holds: %" PRIu64
                             "; the addresses cannot be a plan, and are left out",
                             plan->overlaps);
    }
    if (!plan->placed) {
        return sw_builder_note(snapshot->builder, "the segments add up past 2^64 bytes: the addresses are left out",
                               snapshot->error);
    }
    return NOTE_SNAPSHOT(plan,
                         "offsets: addresses, with all stretches of memory that segments ever had (%zu%s, "
                         "%s bytes) one behind the other in the order of their addresses",
                         snapshot->requests->windows.count,
                         snapshot->expandable ? ", some of them expandable segments" : "", SW_COUNT(plan->arena)) &&
           (plan->outside == 0 ||
            NOTE_SNAPSHOT(plan,
                          "allocations outside of the segments that the file knows, which stand for "
                          "their own: %" PRIu64,
                          plan->outside));
}

/* All addresses in one arena, and whether that is a plan. */
static bool make_layout(struct block_plan *plan) {
    plan->snapshot->requests->windows.count = 0;
    plan->arena = plan->outside = 0;
    if (!make_ranges(plan)) {
        return false;
    }
    lay_out(plan);
    return check_snapshot_layout(plan);
}

static bool make_plan(struct block_plan *plan) {
    snapshot_sort_segments(plan->snapshot);
    if (!snapshot_rounding(plan->snapshot, &plan->heap) || !make_block_slots(plan) || !make_lives(plan) ||
        !make_curve(plan) || !make_layout(plan)) {
        return false;
    }
    if (plan->overlaps > 0) { /* the settings were others for a while: nothing is known of how sizes were rounded */
        sw_heap_free(plan->heap);
        plan->heap = NULL;
        if (!make_layout(plan)) {
            return false;
        }
    }
    return add_plan_buffers(plan) && note_figures(plan) && note_place(plan) && note_old(plan) && note_faults(plan);
}

bool snapshot_plan(struct snapshot *snapshot) {
    struct block_plan plan = {.snapshot = snapshot};
    bool good = make_plan(&plan);
    sw_heap_free(plan.heap);
    SW_ARRAY_DONE(&plan.list, &plan.slots);
    return good;
}
