/* Blocks and gaps at one moment. See shelf.h. */
#include "layout/free/shelf.h"
#include "base/base.h"

#include "base/sort.h"
#include "layout/layout_internal.h"
#include "problem/hot.h"

/* ---- gaps, in pages ---- */

static bool stands_before(const struct sw_shelf *shelf, const struct sw_shelf_gap *a, const struct sw_shelf_gap *b) {
    return shelf->by_size && a->size != b->size ? a->size < b->size : a->lo < b->lo;
}

/* The last page with a first gap that does not stand after `gap`; 0 when all do. */
static size_t gap_page(const struct sw_shelf *shelf, const struct sw_shelf_gap *gap) {
    size_t behind = SW_FIRST(i, shelf->pages.count, stands_before(shelf, gap, &shelf->pages.items[i]->gaps[0]));
    return behind > 0 ? behind - 1 : 0;
}

/* How many gaps of a page stand before `gap`. */
static uint32_t place_in_page(const struct sw_shelf *shelf, const struct sw_shelf_page *page,
                              const struct sw_shelf_gap *gap) {
    return (uint32_t)SW_FIRST(i, page->count, !stands_before(shelf, &page->gaps[i], gap));
}

static void measure_page(struct sw_shelf_page *page) {
    page->largest = 0;
    for (uint32_t i = 0; i < page->count; i++) {
        page->largest = SW_MAX(page->gaps[i].size, page->largest);
    }
}

/* An empty page at place `at` of the list. */
static struct sw_shelf_page *insert_page(struct sw_shelf *shelf, size_t at) {
    /* Room in `spare` for every page there is, so that giving one back cannot fail. */
    size_t pages = shelf->pages.count + shelf->spare.count + 1;
    if (!SW_RESERVE(&shelf->pages, shelf->pages.count + 1) || !SW_RESERVE(&shelf->spare, pages)) {
        return NULL;
    }
    struct sw_shelf_page *page =
        shelf->spare.count ? shelf->spare.items[--shelf->spare.count] : SW_NEW(struct sw_shelf_page, 1);
    if (page) {
        page->count = 0;
        page->largest = 0;
        memmove(shelf->pages.items + at + 1, shelf->pages.items + at,
                (shelf->pages.count++ - at) * sizeof *shelf->pages.items);
        shelf->pages.items[at] = page;
    }
    return page;
}

/* A full page is split in the middle. */
static bool split_page(struct sw_shelf *shelf, size_t at) {
    struct sw_shelf_page *full = shelf->pages.items[at], *upper = insert_page(shelf, at + 1);
    if (!upper) {
        return false;
    }
    upper->count = SW_SHELF_PAGE / 2;
    full->count -= upper->count;
    memcpy(upper->gaps, full->gaps + full->count, upper->count * sizeof *upper->gaps);
    measure_page(upper);
    measure_page(full);
    return true;
}

/* The gap between a block and the one above it, if there is one. */
static struct sw_shelf_gap gap_above(const struct sw_shelf *shelf, uint32_t below) {
    const struct sw_shelf_block *block = &shelf->blocks.items[below];
    uint64_t end = below == shelf->top ? block->hi : shelf->blocks.items[block->above].lo;
    return (struct sw_shelf_gap){block->hi, end - block->hi, below};
}

static bool open_gap(struct sw_shelf *shelf, uint32_t below) {
    struct sw_shelf_gap gap = gap_above(shelf, below);
    if (gap.size == 0) {
        return true;
    }
    size_t at = gap_page(shelf, &gap);
    if (shelf->pages.count == 0 && !insert_page(shelf, 0)) {
        return false;
    }
    if (shelf->pages.items[at]->count == SW_SHELF_PAGE) {
        if (!split_page(shelf, at)) {
            return false;
        }
        at = gap_page(shelf, &gap);
    }
    struct sw_shelf_page *page = shelf->pages.items[at];
    uint32_t place = place_in_page(shelf, page, &gap);
    memmove(page->gaps + place + 1, page->gaps + place, (page->count++ - place) * sizeof gap);
    page->gaps[place] = gap;
    page->largest = SW_MAX(gap.size, page->largest);
    shelf->gaps++;
    return true;
}

/* Drop the gap above a block, before the blocks around it change. */
static void drop_gap(struct sw_shelf *shelf, uint32_t below) {
    struct sw_shelf_gap gap = gap_above(shelf, below);
    if (gap.size == 0) {
        return;
    }
    size_t at = gap_page(shelf, &gap);
    struct sw_shelf_page *page = shelf->pages.items[at];
    uint32_t place = place_in_page(shelf, page, &gap);
    memmove(page->gaps + place, page->gaps + place + 1, (--page->count - place) * sizeof gap);
    shelf->gaps--;
    if (page->count == 0) {
        shelf->spare.items[shelf->spare.count++] = page;
        memmove(shelf->pages.items + at, shelf->pages.items + at + 1,
                (--shelf->pages.count - at) * sizeof *shelf->pages.items);
    } else if (gap.size == page->largest) {
        measure_page(page);
    }
}

static bool gap_fits(const struct sw_shelf_gap *gap, uint64_t size, uint64_t alignment) {
    uint64_t lost = sw_align_up(gap->lo, alignment) - gap->lo;
    return lost <= gap->size && gap->size - lost >= size;
}

const struct sw_shelf_gap *sw_shelf_find(const struct sw_shelf *shelf, uint64_t size, uint64_t alignment) {
    struct sw_shelf_gap least = {.size = size};
    size_t at = shelf->by_size ? gap_page(shelf, &least) : 0;
    for (; at < shelf->pages.count; at++) {
        const struct sw_shelf_page *page = shelf->pages.items[at];
        if (page->largest < size) {
            continue;
        }
        for (uint32_t i = shelf->by_size ? place_in_page(shelf, page, &least) : 0; i < page->count; i++) {
            if (gap_fits(&page->gaps[i], size, alignment)) {
                return &page->gaps[i];
            }
        }
    }
    return NULL;
}

const struct sw_shelf_gap *sw_shelf_largest(const struct sw_shelf *shelf) {
    if (shelf->pages.count == 0) {
        return NULL;
    }
    struct sw_shelf_gap first = {.size = shelf->pages.items[shelf->pages.count - 1]->largest};
    size_t at = gap_page(shelf, &first);
    uint32_t place = place_in_page(shelf, shelf->pages.items[at], &first);
    return place < shelf->pages.items[at]->count ? &shelf->pages.items[at]->gaps[place]
                                                 : &shelf->pages.items[at + 1]->gaps[0];
}

/* ---- deaths, in a heap ---- */

static bool add_death(struct sw_shelf *shelf, uint32_t last, uint32_t block) {
    if (!SW_PUSH(&shelf->deaths, (struct sw_shelf_death){last, block})) {
        return false;
    }
    struct sw_shelf_death *heap = shelf->deaths.items;
    size_t at = shelf->deaths.count - 1;
    for (; at > 0 && heap[(at - 1) / 2].last > last; at = (at - 1) / 2) {
        heap[at] = heap[(at - 1) / 2];
    }
    heap[at] = (struct sw_shelf_death){last, block};
    return true;
}

static uint32_t next_death(struct sw_shelf *shelf) {
    struct sw_shelf_death *heap = shelf->deaths.items;
    uint32_t block = heap[0].block;
    struct sw_shelf_death end = heap[--shelf->deaths.count];
    size_t at = 0, count = shelf->deaths.count;
    for (size_t child; (child = 2 * at + 1) < count; at = child) {
        child += child + 1 < count && heap[child + 1].last < heap[child].last;
        if (end.last <= heap[child].last) {
            break;
        }
        heap[at] = heap[child];
    }
    heap[at] = end;
    return block;
}

/* ---- bytes by first step: a crowd ---- */

static void add_born(struct sw_shelf *shelf, const struct sw_hot *hot) {
    for (size_t i = (size_t)hot->first + 1; i <= shelf->born.count; i += i & (0 - i)) {
        shelf->born.items[i - 1] += hot->size;
    }
}

uint64_t sw_shelf_live(const struct sw_shelf *shelf, uint32_t step) {
    uint64_t bytes = 0;
    for (size_t i = (size_t)step + 1; i > 0; i -= i & (0 - i)) {
        bytes += shelf->born.items[i - 1];
    }
    return bytes;
}

/* ---- blocks ---- */

/* Take a block off: the gaps on both sides of it become one. */
static bool unlink_block(struct sw_shelf *shelf, uint32_t number) {
    struct sw_shelf_block *block = &shelf->blocks.items[number];
    uint32_t below = block->below, above = block->above;
    drop_gap(shelf, below);
    drop_gap(shelf, number);
    shelf->blocks.items[below].above = above;
    if (above) {
        shelf->blocks.items[above].below = below;
    } else {
        shelf->top = below;
    }
    shelf->bytes -= block->hi - block->lo;
    shelf->count--;
    shelf->freed = block->buffer;
    shelf->freed_below = below;
    block->buffer = SW_NONE;
    shelf->unused.items[shelf->unused.count++] = number; /* room was made with the block */
    return open_gap(shelf, below);
}

/* A block, alone so far. 0: no memory. */
static uint32_t new_block(struct sw_shelf *shelf) {
    if (shelf->unused.count > 0) {
        return shelf->unused.items[--shelf->unused.count];
    }
    if (!SW_RESERVE(&shelf->unused, shelf->blocks.count + 1) || !SW_PUSH(&shelf->blocks, (struct sw_shelf_block){0})) {
        return 0;
    }
    return (uint32_t)shelf->blocks.count - 1;
}

/* Without the gaps. 0: no memory. */
static uint32_t link_block(struct sw_shelf *shelf, const struct sw_hot *hot, uint32_t rank, uint64_t lo,
                           uint32_t below) {
    uint32_t number = new_block(shelf);
    if (number == 0) {
        return 0;
    }
    uint32_t above = shelf->blocks.items[below].above;
    shelf->blocks.items[number] = (struct sw_shelf_block){lo, lo + hot->size, hot->buffer, hot->last, below, above};
    shelf->blocks.items[below].above = number;
    if (above) {
        shelf->blocks.items[above].below = number;
    } else {
        shelf->top = number;
    }
    shelf->numbers.items[rank] = number;
    shelf->bytes += hot->size;
    shelf->count++;
    return number;
}

/* With the gaps on both sides of it; the one above `below` is dropped already. */
static bool stand_block(struct sw_shelf *shelf, const struct sw_hot *hot, uint32_t rank, uint64_t lo, uint32_t below) {
    uint32_t number = link_block(shelf, hot, rank, lo, below);
    if (shelf->crowd) {
        add_born(shelf, hot);
    }
    return number && open_gap(shelf, below) && open_gap(shelf, number) &&
           (shelf->releases || shelf->crowd || add_death(shelf, hot->last, number));
}

bool sw_shelf_put(struct sw_shelf *shelf, const struct sw_layout *layout, uint32_t buffer, uint64_t lo,
                  uint32_t below) {
    uint32_t rank = sw_problem_rank(layout->problem, buffer).at;
    drop_gap(shelf, below);
    shelf->filled = stand_block(shelf, &sw_problem_hot(layout->problem)[rank], rank, lo, below);
    shelf->digest = layout->digest;
    return shelf->filled;
}

bool sw_shelf_bury(struct sw_shelf *shelf, uint32_t step) {
    while (shelf->filled && shelf->deaths.count > 0 && shelf->deaths.items[0].last < step) {
        shelf->filled = unlink_block(shelf, next_death(shelf));
    }
    return shelf->filled;
}

bool sw_shelf_take(struct sw_shelf *shelf, const struct sw_layout *layout, uint32_t buffer) {
    uint32_t number = shelf->numbers.items[sw_problem_rank(layout->problem, buffer).at];
    shelf->filled = shelf->filled && number < shelf->blocks.count && shelf->blocks.items[number].buffer == buffer &&
                    unlink_block(shelf, number);
    return shelf->filled;
}

/* ---- moving up ---- */

/* Slots are read in runs, and a run is written only where something in it moves. */
static bool raise_slots(struct sw_layout *layout, uint64_t from, uint64_t delta, uint32_t ranks) {
    const struct sw_hot *hot = sw_problem_hot(layout->problem);
    size_t run;
    for (size_t rank = 0; rank < ranks; rank += run) {
        const struct sw_layout_slot *seen = sw_cow_run(&layout->slots, rank, &run);
        struct sw_layout_slot *slots = NULL;
        for (size_t i = 0; i < run && rank + i < ranks; i++) {
            if (seen[i].tier == 0 || seen[i].offset < from || hot[rank + i].size == 0) {
                continue;
            }
            if (!slots && !(slots = sw_cow_edit(&layout->slots, rank))) {
                return false;
            }
            struct sw_placement p = {hot[rank + i].buffer, seen[i].tier - 1U, seen[i].offset, SW_WHOLE_LIFE};
            layout->digest -= sw_layout_placement_digest(&p);
            p.offset += delta;
            layout->digest += sw_layout_placement_digest(&p);
            slots[i].offset = p.offset;
            slots[i].made = layout->stamp;
            seen = slots;
        }
    }
    sw_far_end_forget(layout, 0);
    return true;
}

bool sw_shelf_raise(struct sw_shelf *shelf, struct sw_layout *layout, uint32_t below, uint64_t delta, uint32_t ranks) {
    uint32_t above = shelf->blocks.items[below].above;
    uint64_t from = shelf->blocks.items[above].lo;
    drop_gap(shelf, below);
    for (uint32_t at = above; at != 0; at = shelf->blocks.items[at].above) {
        shelf->blocks.items[at].lo += delta;
        shelf->blocks.items[at].hi += delta;
    }
    /* Gaps of one size stay in order, for those that move are the upper ones. */
    for (size_t i = 0; i < shelf->pages.count; i++) {
        struct sw_shelf_page *page = shelf->pages.items[i];
        for (uint32_t k = 0; k < page->count; k++) {
            page->gaps[k].lo += page->gaps[k].lo >= from ? delta : 0;
        }
    }
    shelf->filled = raise_slots(layout, from, delta, ranks) && open_gap(shelf, below);
    shelf->digest = layout->digest;
    return shelf->filled;
}

/* ---- making it ---- */

bool sw_shelf_serves(const struct sw_layout *layout, const struct sw_rules *rules) {
    size_t reserved;
    sw_problem_reserved(layout->problem, &reserved);
    return sw_problem_simple(layout->problem) && sw_problem_tier_count(layout->problem) == 1 && reserved == 0 &&
           rules->pins.count == 0 && rules->forbids.count == 0 && layout->spans.count == 0 &&
           layout->arena[0] <= sw_problem_tier(layout->problem, 0)->capacity;
}

bool sw_shelf_shows(const struct sw_shelf *shelf, const struct sw_layout *layout, const struct sw_shelf_view *view) {
    return shelf->filled && shelf->by_size == view->by_size && shelf->releases == view->releases &&
           shelf->crowd == view->crowd && shelf->digest == layout->digest && shelf->problem == layout->problem &&
           shelf->problem_digest == sw_problem_digest(layout->problem);
}

struct found_gap {
    uint64_t lo;
    uint32_t rank;
};

SW_BY_FIELDS(compare_found, struct found_gap, SW_UP(lo))

SW_ARRAY_TYPE(found_list, struct found_gap);

static bool find_shelf_block(const struct sw_layout *layout, uint32_t rank, struct found_list *list) {
    const struct sw_layout_slot *slot = sw_cow_get(&layout->slots, rank);
    return slot->tier == 0 || sw_problem_hot(layout->problem)[rank].size == 0 ||
           SW_PUSH(list, (struct found_gap){slot->offset, rank});
}

/* Take off all blocks but the bottom. False: no memory. */
static bool clear_shelf(struct sw_shelf *shelf, const struct sw_layout *layout) {
    uint32_t planned = sw_problem_planned_count(layout->problem);
    if (!SW_RESERVE(&shelf->spare, shelf->spare.count + shelf->pages.count) || !SW_RESERVE(&shelf->blocks, 1) ||
        !SW_RESERVE(&shelf->numbers, planned) ||
        (shelf->crowd && !SW_RESERVE(&shelf->born, sw_problem_steps(layout->problem)))) {
        return false;
    }
    shelf->born.count = shelf->crowd ? sw_problem_steps(layout->problem) : 0;
    if (shelf->crowd) {
        memset(shelf->born.items, 0, shelf->born.count * sizeof *shelf->born.items);
    }
    while (shelf->numbers.count < planned) {
        shelf->numbers.items[shelf->numbers.count++] = 0;
    }
    while (shelf->pages.count > 0) {
        shelf->spare.items[shelf->spare.count++] = shelf->pages.items[--shelf->pages.count];
    }
    shelf->blocks.items[0] = (struct sw_shelf_block){.buffer = SW_NONE};
    shelf->blocks.count = 1;
    shelf->unused.count = shelf->deaths.count = 0;
    shelf->bytes = shelf->doomed = shelf->released = 0;
    shelf->count = shelf->gaps = shelf->top = 0;
    shelf->freed = SW_NONE;
    return true;
}

/* Put up the blocks that were found, from the bottom up. */
static bool put_up_blocks(struct sw_shelf *shelf, const struct sw_layout *layout, const struct found_list *list) {
    const struct sw_hot *hot = sw_problem_hot(layout->problem);
    bool ok = true;
    for (size_t i = 0; ok && i < list->count; i++) {
        const struct found_gap *found = &list->items[i];
        ok = found->lo >= shelf->blocks.items[shelf->top].hi &&
             stand_block(shelf, &hot[found->rank], found->rank, found->lo, shelf->top);
    }
    return ok;
}

bool sw_shelf_fill(struct sw_shelf *shelf, const struct sw_layout *layout, const struct sw_shelf_view *view) {
    struct found_list list = {0};
    shelf->filled = false;
    shelf->by_size = view->by_size;
    shelf->releases = view->releases;
    shelf->crowd = view->crowd;
    bool ok = clear_shelf(shelf, layout);
    struct sw_neighbors alive = sw_problem_alive(layout->problem, view->step, view->step);
    while (ok && sw_neighbors_next(&alive) != SW_NONE) {
        ok = (!view->crowd && alive.rank >= view->rank) || find_shelf_block(layout, alive.rank, &list);
    }
    for (size_t i = 0; ok && i < view->waiting_count; i++) {
        ok = find_shelf_block(layout, sw_problem_rank(layout->problem, view->waiting[i]).at, &list);
        shelf->doomed += sw_problem_buffer(layout->problem, view->waiting[i])->size;
    }
    sw_sort(list.items, list.count, sizeof *list.items, compare_found);
    ok = ok && put_up_blocks(shelf, layout, &list);
    SW_ARRAY_DONE(&list);
    shelf->filled = ok;
    shelf->problem = layout->problem;
    shelf->problem_digest = sw_problem_digest(layout->problem);
    shelf->digest = layout->digest;
    return ok;
}

void sw_shelf_done(struct sw_shelf *shelf) {
    for (size_t i = 0; i < shelf->pages.count; i++) {
        SW_FREE(shelf->pages.items[i], 1);
    }
    for (size_t i = 0; i < shelf->spare.count; i++) {
        SW_FREE(shelf->spare.items[i], 1);
    }
    SW_ARRAY_DONE(&shelf->pages, &shelf->spare, &shelf->blocks, &shelf->unused, &shelf->deaths, &shelf->numbers,
                  &shelf->born);
    *shelf = (struct sw_shelf){0};
}
