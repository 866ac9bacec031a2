/* Keeping the ranges that placed blocks cover. See skyline.h. */
#include "layout/free/skyline.h"
#include "base/base.h"

#include "layout/layout_internal.h"
#include "problem/hot.h"

enum {
    ENTRIES = 8,  /* how many cells a life may be entered in, on the average */
    CELL = 4,     /* how many should be born in a cell at least, on the average */
    CROWDED = 64, /* the same for a crowd: below, one by one is as quick */
    SAMPLE = 65536
};

/* ---- making it ---- */

/* In how many cells a life is entered when those of the first scale are 1 << width steps long. */
static uint64_t entries(const struct sw_hot *hot, unsigned width) {
    uint64_t mask = (UINT64_C(1) << width) - 1, from = (hot->first + mask) >> width;
    uint64_t to = ((uint64_t)hot->last + 1) >> width, count = 0;
    while (from < to) {
        uint64_t up = (from + (1u << SW_SKYLINE_RATIO) - 1) >> SW_SKYLINE_RATIO;
        uint64_t down = to >> SW_SKYLINE_RATIO;
        if (up >= down) {
            return count + to - from;
        }
        count += (up << SW_SKYLINE_RATIO) - from + to - (down << SW_SKYLINE_RATIO);
        from = up;
        to = down;
    }
    return count;
}

static unsigned choose_width(const struct sw_hot *hot, uint32_t count, uint32_t steps) {
    unsigned width = 0;
    uint32_t stride = count / SAMPLE + 1;
    for (; width < 30; width++) {
        uint64_t sum = 0, sampled = 0;
        for (uint32_t i = 0; i < count; i += stride, sampled++) {
            sum += entries(&hot[i], width);
        }
        if (steps >> width <= count / CELL && sum <= sampled * ENTRIES) {
            break;
        }
    }
    return width;
}

/* Rows of all buffers, as if none were placed. `next`: by step, scratch. */
static void fill_rows(struct sw_skyline *s, const struct sw_problem *problem, uint32_t *next) {
    const struct sw_hot *hot = sw_problem_hot(problem);
    for (uint32_t step = 0; step < sw_problem_steps(problem); step++) {
        next[step] = sw_problem_dead_before(problem, step);
    }
    for (uint32_t i = 0; i < sw_problem_planned_count(problem); i++) {
        s->graves.items[i] = next[hot[i].last]++;
        s->born.items[i] = (struct sw_skyline_row){hot[i].first, hot[i].last, 0, 0};
        s->dead.items[s->graves.items[i]] = s->born.items[i];
    }
}

static bool make_skyline(struct sw_skyline *s, const struct sw_problem *problem) {
    const struct sw_hot *hot = sw_problem_hot(problem);
    uint32_t count = sw_problem_planned_count(problem), steps = sw_problem_steps(problem);
    uint32_t longest = 0;
    uint64_t sizes = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t length = hot[i].last - hot[i].first + 1;
        longest = SW_MAX(length, longest);
        sizes |= hot[i].size;
    }
    unsigned width = choose_width(hot, count, steps), crowd = 0;
    while (crowd < 30 && steps >> crowd > count / CROWDED) {
        crowd++;
    }
    uint32_t *next = SW_NEW(uint32_t, steps);
    bool ok = next && SW_RESERVE(&s->born, count) && SW_RESERVE(&s->dead, count) && SW_RESERVE(&s->graves, count) &&
              sw_stretches_make(&s->cells, width, SW_SKYLINE_RATIO, steps, longest) &&
              sw_stretches_make(&s->crowds, crowd, SW_CROWD_RATIO, steps, longest);
    if (ok) {
        s->born.count = s->dead.count = s->graves.count = count;
        s->shift = sizes ? (unsigned)__builtin_ctzll(sizes) : 0;
        fill_rows(s, problem, next);
    }
    SW_FREE(next, steps);
    return ok;
}

/* Enter a placed buffer wherever it belongs. False: no memory, or it lies where units cannot tell. */
static bool enter_skyline(void *index, const struct sw_layout *layout, uint32_t rank, uint64_t offset) {
    struct sw_skyline *s = index;
    const struct sw_hot *hot = &sw_problem_hot(layout->problem)[rank];
    uint64_t lo = offset >> s->shift, hi = (offset + hot->size) >> s->shift, from, to;
    if (lo << s->shift != offset || hi >= UINT32_MAX) {
        s->hopeless = sw_problem_digest(layout->problem);
        return false;
    }
    struct sw_skyline_row row = {hot->first, hot->last, (uint32_t)lo, (uint32_t)hi};
    uint64_t range = sw_range(row.lo, row.hi);
    s->born.items[rank] = s->dead.items[s->graves.items[rank]] = row;
    sw_stretches_whole(&s->cells, row.first, row.last, &from, &to);
    while (from < to) {
        if (!sw_ranges_add(sw_stretches_next(&s->cells, &from, to), range)) {
            return false;
        }
    }
    for (unsigned scale = 0; scale < s->crowds.scales; scale++) {
        if (!sw_ranges_add(sw_stretch_at(&s->crowds, scale, row.first), range)) {
            return false;
        }
    }
    return true;
}

/* Enter all that the layout holds. */
static bool fill_skyline(void *index, const struct sw_layout *layout, bool fresh) {
    struct sw_skyline *s = index;
    const struct sw_hot *hot = sw_problem_hot(layout->problem);
    if (fresh && !make_skyline(s, layout->problem)) {
        return false;
    }
    sw_stretches_clear(&s->cells);
    sw_stretches_clear(&s->crowds);
    for (uint32_t i = 0; i < sw_problem_planned_count(layout->problem); i++) {
        const struct sw_layout_slot *slot = sw_cow_get(&layout->slots, i);
        s->born.items[i].lo = s->born.items[i].hi = 0;
        s->dead.items[s->graves.items[i]] = s->born.items[i];
        if (slot->tier != 0 && hot[i].size > 0 && !enter_skyline(s, layout, i, slot->offset)) {
            return false;
        }
    }
    return true;
}

/* Blocks that are entered must be whole, and ranges be those of one tier. */
static bool serves_layout(const struct sw_skyline *s, const struct sw_layout *layout) {
    const struct sw_problem *problem = layout->problem;
    size_t reserved;
    sw_problem_reserved(problem, &reserved);
    return sw_problem_simple(problem) && sw_problem_tier_count(problem) == 1 && reserved == 0 &&
           layout->spans.count == 0 && s->hopeless != sw_problem_digest(problem);
}

bool sw_skyline_ready(struct sw_skyline *s, const struct sw_layout *layout, uint32_t buffer) {
    static const struct sw_follower follower = {.enter = enter_skyline, .fill = fill_skyline};
    return serves_layout(s, layout) && sw_follow_ready(&s->follow, layout, buffer, &follower, s);
}

/* ---- asking ---- */

/* A life, and the cell of its first step. What is not in the lists of that cell is looked at one by
 * one, as long as it is few: each word is written where the next one goes, and stays when it
 * counts, so that there is no branch to guess. */
struct piece_view {
    uint32_t first, last; /* the life */
    uint32_t cell_from;   /* the cell of its first step */
    uint64_t cell_to;     /* its last step, which may be beyond the end of time */
};

static bool reserve_loose(struct sw_skyline *s, size_t more) {
    return SW_RESERVE(&s->loose, s->loose.count + more + 1);
}

/* Blocks born in the cell that do not outlive it. */
static bool add_young(struct sw_skyline *s, const struct piece_view *v, uint32_t from, uint32_t to) {
    if (from == to || !reserve_loose(s, to - from)) {
        return from == to;
    }
    const struct sw_skyline_row *row = s->born.items + from, *end = s->born.items + to;
    uint64_t *out = s->loose.items + s->loose.count;
    for (; row < end; row++) {
        bool outlives = row->first == v->cell_from && row->last >= v->cell_to;
        bool meets = row->first <= v->last && row->last >= v->first && row->hi != 0 && !outlives;
        *out = sw_range(row->lo, row->hi);
        out += meets;
        s->live += meets && row->first <= v->first ? row->hi - row->lo : 0;
    }
    s->loose.count = (size_t)(out - s->loose.items);
    return true;
}

/* Blocks born before the cell that die in it, but not with its last step. */
static bool add_old_part(struct sw_skyline *s, const struct piece_view *v, uint32_t from, uint32_t to) {
    if (from == to || !reserve_loose(s, to - from)) {
        return from == to;
    }
    const struct sw_skyline_row *row = s->dead.items + from, *end = s->dead.items + to;
    uint64_t *out = s->loose.items + s->loose.count;
    for (; row < end; row++) {
        bool meets = row->first < v->cell_from && row->last >= v->first && row->hi != 0;
        *out = sw_range(row->lo, row->hi);
        out += meets;
        s->live += meets ? row->hi - row->lo : 0;
    }
    s->loose.count = (size_t)(out - s->loose.items);
    return true;
}

/* Those born later, while it lives: all that are placed. */
static bool add_later(struct sw_skyline *s, uint32_t from, uint32_t to) {
    if (from == to || !reserve_loose(s, to - from)) {
        return from == to;
    }
    const struct sw_skyline_row *row = s->born.items + from, *end = s->born.items + to;
    uint64_t *out = s->loose.items + s->loose.count;
    for (; row < end; row++) {
        *out = sw_range(row->lo, row->hi);
        out += row->hi != 0;
    }
    s->loose.count = (size_t)(out - s->loose.items);
    return true;
}

/* Those born in whole stretches of time, taken together. */
static bool add_crowds(struct sw_skyline *s, uint64_t from, uint64_t to) {
    while (from < to) {
        const struct sw_ranges *crowd = sw_stretches_next(&s->crowds, &from, to);
        size_t count = crowd->words.count;
        if (!reserve_loose(s, count)) {
            return false;
        }
        if (count > 0) {
            memcpy(s->loose.items + s->loose.count, crowd->words.items, count * sizeof(uint64_t));
        }
        s->loose.count += count;
        s->blocks += crowd->blocks - (uint32_t)count; /* its ranges are counted with all that is loose */
    }
    return true;
}

/* All that is not in the lists of cells, unsorted. */
static bool gather_loose(struct sw_skyline *s, const struct sw_problem *p, const struct piece_view *v) {
    uint64_t end = sw_problem_steps(p), after = v->cell_to + 1, from, to;
    uint32_t before_end = (uint32_t)(SW_MIN(after, end));
    uint32_t last_death = (uint32_t)(SW_MIN(v->cell_to, end));
    uint32_t youngest = sw_problem_born_before(p, v->last + 1);
    s->loose.count = 0;
    if (s->cells.width > 0 || s->cells.scales == 0) { /* else all that live in a cell outlive it */
        uint32_t next = sw_problem_born_before(p, before_end);
        if (!add_young(s, v, sw_problem_born_before(p, v->cell_from), next < youngest ? next : youngest) ||
            !add_old_part(s, v, sw_problem_dead_before(p, v->first), sw_problem_dead_before(p, last_death))) {
            return false;
        }
    }
    if (after > v->last) {
        return true;
    }
    uint32_t next = sw_problem_born_before(p, (uint32_t)after);
    sw_stretches_whole(&s->crowds, (uint32_t)after, v->last, &from, &to);
    if (from >= to) {
        return add_later(s, next, youngest);
    }
    return add_later(s, next, sw_problem_born_before(p, (uint32_t)from)) && add_crowds(s, from, to) &&
           add_later(s, sw_problem_born_before(p, (uint32_t)to), youngest);
}

/* In order of address, with a sentinel behind. */
static void sort_loose(struct sw_skyline *s) {
    size_t count = s->loose.count;
    const uint64_t *sorted = sw_ranges_sort(s->loose.items, s->spare.items, count);
    if (sorted != s->loose.items) {
        memcpy(s->loose.items, sorted, count * sizeof *sorted);
    }
    s->loose.items[count] = SW_RANGES_END;
}

/* The lists of the cell, one per scale, and what is loose: into `covered`. There is room for all.
 * Each merge goes to one of two arrays by turns. */
static void merge_all(struct sw_skyline *s, uint32_t first) {
    static const uint64_t nothing = SW_RANGES_END;
    const uint64_t *merged = &nothing;
    uint64_t *to = s->covered.items, *other = s->spare.items;
    size_t count = 0;
    for (unsigned scale = 0; scale < s->cells.scales; scale++) {
        const struct sw_ranges *cell = sw_stretch_at(&s->cells, scale, first);
        s->blocks += cell->blocks;
        s->live += cell->bytes; /* all in the list are alive */
        if (cell->words.count > 0 && count == 0) {
            merged = cell->words.items;
        } else if (cell->words.count > 0) {
            sw_ranges_merge(merged, count, cell->words.items, cell->words.count, to);
            merged = to;
            to = other;
            other = to == s->covered.items ? s->spare.items : s->covered.items;
        }
        count += cell->words.count;
    }
    sw_ranges_merge(merged, count, s->loose.items, s->loose.count, to);
    if (to != s->covered.items) {
        memcpy(s->covered.items, to, (count + s->loose.count + 1) * sizeof *to);
    }
}

bool sw_skyline_look(struct sw_skyline *s, const struct sw_problem *problem, uint32_t first, uint32_t last) {
    uint32_t cell_from = first >> s->cells.width << s->cells.width;
    struct piece_view view = {first, last, cell_from, cell_from + (UINT64_C(1) << s->cells.width) - 1};
    s->blocks = 0;
    s->live = 0;
    if (!gather_loose(s, problem, &view)) {
        return false;
    }
    size_t room = s->loose.count + 1;
    for (unsigned scale = 0; scale < s->cells.scales; scale++) {
        room += sw_stretch_at(&s->cells, scale, first)->words.count;
    }
    if (!SW_RESERVE(&s->covered, room) || !SW_RESERVE(&s->spare, room) || !reserve_loose(s, 0)) {
        return false;
    }
    s->blocks += (uint32_t)s->loose.count;
    sort_loose(s);
    merge_all(s, first);
    s->live <<= s->shift;
    return true;
}

/* ---- fetching ahead ---- */

enum { CACHE_LINE = 64, CACHE_LISTS = 32, CACHE_LINES = 160 }; /* of the cache; more would push one another out again */

static void fetch_lines(const void *from, size_t bytes, int *left) {
    const char *at = from;
    for (size_t done = 0; done<bytes && * left> 0; done += CACHE_LINE, --*left) {
        __builtin_prefetch(at + done);
    }
}

void sw_skyline_fetch_lists(const struct sw_skyline *s, const struct sw_layout *layout, uint32_t rank) {
    const struct sw_problem *p = layout->problem;
    const struct sw_hot *hot = &sw_problem_hot(p)[rank];
    uint64_t from, to;
    __builtin_prefetch(sw_cow_get(&layout->slots, rank), 1);
    sw_problem_fetch_counts(p, hot->first);
    sw_problem_fetch_counts(p, hot->last + 1);
    if (!sw_follow_shows(&s->follow, p)) {
        return;
    }
    __builtin_prefetch(&s->graves.items[rank]);
    uint32_t cell = hot->first >> s->cells.width << s->cells.width;
    uint64_t end = cell + (UINT64_C(1) << s->cells.width) - 1, steps = sw_problem_steps(p);
    sw_problem_fetch_counts(p, cell);
    sw_problem_fetch_counts(p, (uint32_t)(SW_MIN(end, steps)));
    for (unsigned scale = 0; scale < s->cells.scales; scale++) {
        __builtin_prefetch(sw_stretch_at(&s->cells, scale, hot->first));
    }
    int left = CACHE_LISTS;
    sw_stretches_whole(&s->cells, hot->first, hot->last, &from, &to);
    for (; from < to && left > 0; left--) {
        __builtin_prefetch(sw_stretches_next(&s->cells, &from, to), 1);
    }
    for (unsigned scale = 0; scale < s->crowds.scales; scale++) {
        __builtin_prefetch(sw_stretch_at(&s->crowds, scale, hot->first), 1);
    }
    sw_stretches_whole(&s->crowds, hot->first + 1, hot->last, &from, &to);
    sw_problem_fetch_counts(p, (uint32_t)(from < to ? from : hot->first));
    sw_problem_fetch_counts(p, (uint32_t)(from < to ? to : hot->last));
    for (; from < to && left > 0; left--) {
        __builtin_prefetch(sw_stretches_next(&s->crowds, &from, to));
    }
}

static void fetch_born(const struct sw_skyline *s, const struct sw_problem *p, uint64_t from, uint64_t to, int *left) {
    uint32_t first = sw_problem_born_before(p, (uint32_t)from), last = sw_problem_born_before(p, (uint32_t)to);
    if (first < last) {
        fetch_lines(s->born.items + first, (last - first) * sizeof *s->born.items, left);
    }
}

static void fetch_list(const struct sw_ranges *list, int *left) {
    fetch_lines(list->words.items, list->words.count * sizeof(uint64_t), left);
}

static void fetch_stretches(const struct sw_stretches *s, uint64_t from, uint64_t to, int *left) {
    while (from<to && * left> 0) {
        fetch_list(sw_stretches_next(s, &from, to), left);
    }
}

void sw_skyline_fetch_ranges(const struct sw_skyline *s, const struct sw_layout *layout, uint32_t rank) {
    const struct sw_problem *p = layout->problem;
    const struct sw_hot *hot = &sw_problem_hot(p)[rank];
    uint64_t from, to;
    int left = CACHE_LINES;
    if (!sw_follow_shows(&s->follow, p)) {
        return;
    }
    uint32_t cell = hot->first >> s->cells.width << s->cells.width;
    uint64_t end = cell + (UINT64_C(1) << s->cells.width) - 1, steps = sw_problem_steps(p);
    uint32_t old = sw_problem_dead_before(p, hot->first);
    uint32_t older = sw_problem_dead_before(p, (uint32_t)(SW_MIN(end, steps)));
    for (unsigned scale = 0; scale < s->cells.scales; scale++) {
        fetch_list(sw_stretch_at(&s->cells, scale, hot->first), &left);
    }
    if (old < older) {
        fetch_lines(s->dead.items + old, (older - old) * sizeof *s->dead.items, &left);
    }
    __builtin_prefetch(&s->dead.items[s->graves.items[rank]], 1);
    sw_stretches_whole(&s->crowds, hot->first + 1, hot->last, &from, &to);
    if (from < to) {
        fetch_born(s, p, cell, from, &left);
        fetch_born(s, p, to, hot->last + 1, &left);
        fetch_stretches(&s->crowds, from, to, &left);
    } else {
        fetch_born(s, p, cell, hot->last + 1, &left);
    }
    sw_stretches_whole(&s->cells, hot->first, hot->last, &from, &to);
    fetch_stretches(&s->cells, from, to, &left);
    for (unsigned scale = 0; scale < s->crowds.scales; scale++) {
        fetch_list(sw_stretch_at(&s->crowds, scale, hot->first), &left);
    }
}

void sw_skyline_done(struct sw_skyline *s) {
    sw_stretches_done(&s->cells);
    sw_stretches_done(&s->crowds);
    SW_ARRAY_DONE(&s->born, &s->dead, &s->graves, &s->covered, &s->loose, &s->spare);
    *s = (struct sw_skyline){0};
}
