/* What a moment comes to, and what would have made a request fit. */
#include "problem/moment/moment.h"
#include "base/base.h"
#include "base/sort.h"

static void add_to(uint64_t *sum, uint64_t bytes) {
    *sum = (*sum == SW_UNTOLD ? 0 : *sum) + bytes;
}

static void sum_shown_block(const struct sw_moment_block *block, struct sw_moment_sums *sums) {
    uint64_t bytes = block->size * block->count;
    sums->blocks[block->state] += block->count;
    sums->bytes[block->state] += bytes;
    if (block->state == SW_HELD_USED) {
        add_to(&sums->shown[SW_MOMENT_IN_USE], bytes);
    } else if (block->state == SW_HELD_WAITING) {
        add_to(&sums->shown[SW_MOMENT_WAITING], bytes);
    } else if (block->state == SW_HELD_FREE) {
        add_to(&sums->shown[SW_MOMENT_FREE], bytes);
        uint64_t *largest = &sums->shown[SW_MOMENT_LARGEST_FREE];
        *largest = *largest == SW_UNTOLD ? block->size : SW_MAX(*largest, block->size);
        bool small = sums->needed != SW_UNTOLD && block->size < sums->least;
        sums->small_free += small ? bytes : 0;
        sums->small_pieces += small ? block->count : 0;
    }
}

static bool is_segment_of(const struct sw_moment *moment, uint32_t segment, const char *allocator) {
    return !allocator || (segment != SW_NONE && moment->segments.items[segment].allocator == allocator);
}

/* Is no segment told, and do blocks in use make up less than the text says of them, if it says it? */
static bool shows_stretches(const struct sw_moment *moment, const char *allocator, const struct sw_moment_sums *sums) {
    bool implied = true, whole = false;
    for (uint32_t i = 0; i < moment->segments.count; i++) {
        implied = implied && (moment->segments.items[i].implied || !is_segment_of(moment, i, allocator));
    }
    for (size_t i = 0; i < moment->told.count; i++) {
        const struct sw_moment_told *told = &moment->told.items[i];
        uint64_t used = sums->shown[SW_MOMENT_IN_USE] == SW_UNTOLD ? 0 : sums->shown[SW_MOMENT_IN_USE];
        whole |= told->figure == SW_MOMENT_IN_USE && !told->pool && (!allocator || told->allocator == allocator) &&
                 used + told->about >= told->bytes;
    }
    return implied && !whole;
}

/* Where all of a moment is shown, what none of its blocks has is 0 and not unknown. */
static void settle_absent(const struct sw_moment *moment, const char *allocator, struct sw_moment_sums *sums) {
    if (sums->shown[SW_MOMENT_RESERVED] == SW_UNTOLD || sums->blocks[SW_HELD_UNTOLD] > 0 ||
        shows_stretches(moment, allocator, sums)) {
        return;
    }
    static const enum sw_moment_figure absent[] = {SW_MOMENT_IN_USE, SW_MOMENT_FREE, SW_MOMENT_WAITING,
                                                   SW_MOMENT_LARGEST_FREE};
    uint64_t covered = 0;
    for (size_t i = 0; i < SW_HELD_STATES; i++) {
        covered += sums->bytes[i];
    }
    for (size_t i = 0; covered == sums->shown[SW_MOMENT_RESERVED] && i < sizeof absent / sizeof *absent; i++) {
        uint64_t *shown = &sums->shown[absent[i]];
        *shown = *shown == SW_UNTOLD ? 0 : *shown;
    }
}

/* Sums of what is shown of two states. */
static void settle_derived(struct sw_moment_sums *sums) {
    uint64_t *shown = sums->shown, waiting = shown[SW_MOMENT_WAITING];
    if (waiting != SW_UNTOLD && shown[SW_MOMENT_IN_USE] != SW_UNTOLD) {
        shown[SW_MOMENT_ACTIVE] = shown[SW_MOMENT_IN_USE] + waiting;
    }
    if (waiting != SW_UNTOLD && shown[SW_MOMENT_FREE] != SW_UNTOLD) {
        shown[SW_MOMENT_IDLE] = shown[SW_MOMENT_FREE] + waiting;
    }
}

/* What the text says of a figure, over all allocators that tell it. */
static void sum_told(const struct sw_moment *moment, const char *allocator, enum sw_moment_figure figure,
                     struct sw_moment_sums *sums) {
    bool is_peak = figure == SW_MOMENT_PEAK_USED || figure == SW_MOMENT_PEAK_RESERVED;
    uint64_t *told = &sums->told[figure], *about = &sums->told_about[figure], tellers = 0;
    for (size_t i = 0; i < moment->told.count; i++) {
        const struct sw_moment_told *one = &moment->told.items[i];
        if (one->figure != figure || one->pool || (allocator && one->allocator != allocator)) {
            continue;
        }
        if (figure == SW_MOMENT_LARGEST_FREE && tellers > 0) {
            *told = SW_MAX(*told, one->bytes);
            *about = SW_MAX(*about, one->about);
        } else {
            add_to(told, one->bytes);
            *about += one->about;
        }
        tellers++;
    }
    if (is_peak && tellers > 1) {
        *told = SW_UNTOLD;
        *about = 0;
    }
}

/* The figure that counts: shown or told. */
static void settle_figure(enum sw_moment_figure figure, struct sw_moment_sums *sums) {
    uint64_t told = sums->told[figure], about = sums->told_about[figure], shown = sums->shown[figure];
    bool same = told == SW_UNTOLD || (shown != SW_UNTOLD && shown <= told + about && told <= shown + about);
    sums->figure[figure] = same ? shown : told;
    sums->about[figure] = same ? 0 : about;
    sums->differs[figure] = !same && shown != SW_UNTOLD;
}

static void settle_needed(const struct sw_moment_failure *failure, struct sw_moment_sums *sums) {
    sums->least = sums->most = sums->needed;
    if (failure->size != SW_UNTOLD && failure->rounded == SW_UNTOLD) {
        sums->most = failure->size + failure->about;
        sums->least =
            failure->least != SW_UNTOLD ? failure->least : failure->size - SW_MIN(failure->about, failure->size);
    }
}

void sw_moment_sum_of(const struct sw_moment *moment, const char *allocator, struct sw_moment_sums *sums) {
    *sums = (struct sw_moment_sums){.needed = moment->failure.rounded != SW_UNTOLD ? moment->failure.rounded
                                                                                   : moment->failure.size};
    memset(sums->shown, 0xff, sizeof sums->shown); /* SW_UNTOLD */
    memset(sums->told, 0xff, sizeof sums->told);
    settle_needed(&moment->failure, sums);
    uint64_t requested = 0;
    bool all = true;
    for (uint32_t s = 0; s < moment->segments.count; s++) {
        if (is_segment_of(moment, s, allocator)) {
            add_to(&sums->shown[SW_MOMENT_RESERVED], moment->segments.items[s].size);
        }
    }
    for (size_t i = 0; i < moment->blocks.count; i++) {
        const struct sw_moment_block *block = &moment->blocks.items[i];
        if (!is_segment_of(moment, block->segment, allocator)) {
            continue;
        }
        sum_shown_block(block, sums);
        if (block->state == SW_HELD_USED) {
            all = all && block->requested != SW_UNTOLD;
            requested += all ? block->requested * block->count : 0;
        }
    }
    settle_absent(moment, allocator, sums);
    settle_derived(sums);
    sums->shown[SW_MOMENT_REQUESTED] = all && sums->blocks[SW_HELD_USED] > 0 ? requested : SW_UNTOLD;
    for (enum sw_moment_figure figure = 0; figure < SW_MOMENT_FIGURES; figure++) {
        sum_told(moment, allocator, figure, sums);
        settle_figure(figure, sums);
    }
}

static bool same_where_told(const char *a, const char *b) {
    return !a || !b || a == b;
}

bool sw_moment_serves(const struct sw_moment *moment, const struct sw_moment_segment *segment) {
    const struct sw_moment_failure *failure = &moment->failure;
    return same_where_told(failure->allocator, segment->allocator) && same_where_told(failure->pool, segment->pool) &&
           same_where_told(failure->stream, segment->stream);
}

/* ---- what would have made it fit ---- */

static bool is_better(const struct sw_moment_window *a, const struct sw_moment_window *b) {
    return b->segment == SW_NONE || a->used < b->used || (a->used == b->used && a->used_bytes < b->used_bytes);
}

/* The shortest window that ends at each block, as far as it is long enough; a stretch that is not told ends it. */
static void release_in_segment(const struct sw_moment *moment, uint32_t number, uint64_t bytes,
                               struct sw_moment_window *best) {
    const struct sw_moment_segment *segment = &moment->segments.items[number];
    struct sw_moment_window window = {.segment = number, .first = segment->first};
    for (size_t i = segment->first; i < segment->first + segment->count; i++) {
        const struct sw_moment_block *block = &moment->blocks.items[i];
        if (block->state == SW_HELD_UNTOLD) {
            window = (struct sw_moment_window){.segment = number, .first = i + 1};
            continue;
        }
        window.count++;
        window.bytes += block->size;
        window.used += sw_held_is_taken(block);
        window.used_bytes += sw_held_is_taken(block) ? block->size : 0;
        for (const struct sw_moment_block *low = &moment->blocks.items[window.first];
             window.bytes - low->size >= bytes && window.count > 1; low = &moment->blocks.items[window.first]) {
            window.first++;
            window.count--;
            window.bytes -= low->size;
            window.used -= sw_held_is_taken(low);
            window.used_bytes -= sw_held_is_taken(low) ? low->size : 0;
        }
        if (window.bytes >= bytes && is_better(&window, best)) {
            *best = window;
        }
    }
}

void sw_moment_release(const struct sw_moment *moment, uint64_t bytes, struct sw_moment_window *window) {
    *window = (struct sw_moment_window){.segment = SW_NONE};
    for (uint32_t s = 0; s < moment->segments.count; s++) {
        const struct sw_moment_segment *segment = &moment->segments.items[s];
        if (segment->address != SW_UNTOLD && segment->size >= bytes && sw_moment_serves(moment, segment)) {
            release_in_segment(moment, s, bytes, window);
        }
    }
}

static int by_used_share(const void *of_a, const void *of_b) {
    const struct sw_moment_pinned *a = of_a, *b = of_b;
    /* used / (used + free), without a division: the products need 122 bits. */
    unsigned __int128 left = (unsigned __int128)a->used_bytes * b->free_bytes;
    unsigned __int128 right = (unsigned __int128)b->used_bytes * a->free_bytes;
    return left != right ? SW_COMPARE(left, right) : SW_COMPARE(a->segment, b->segment);
}

bool sw_moment_find_pins(const struct sw_moment *moment, struct sw_moment_pins *pins) {
    for (uint32_t s = 0; s < moment->segments.count; s++) {
        const struct sw_moment_segment *segment = &moment->segments.items[s];
        struct sw_moment_pinned pinned = {.segment = s};
        bool whole = !segment->implied && !segment->expandable && segment->count > 0;
        for (size_t i = segment->first; whole && i < segment->first + segment->count; i++) {
            const struct sw_moment_block *block = &moment->blocks.items[i];
            whole = block->state != SW_HELD_UNTOLD;
            pinned.used += sw_held_is_taken(block) ? block->count : 0;
            pinned.used_bytes += sw_held_is_taken(block) ? block->size * block->count : 0;
            pinned.free_bytes += block->state == SW_HELD_FREE ? block->size * block->count : 0;
        }
        whole = whole && pinned.used_bytes + pinned.free_bytes == segment->size;
        if (whole && pinned.used > 0 && pinned.free_bytes >= pinned.used_bytes && !SW_PUSH(&pins->items, pinned)) {
            return false;
        }
    }
    sw_sort(pins->items.items, pins->items.count, sizeof *pins->items.items, by_used_share);
    return true;
}
