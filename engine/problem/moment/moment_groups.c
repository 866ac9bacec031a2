/* Blocks of a moment by size or by what asked for them, alone and against another moment. */
#include "problem/moment/moment.h"
#include "base/base.h"
#include "base/sort.h"

static int compare_origins(const char *a, const char *b) {
    return a && b ? strcmp(a, b) : SW_COMPARE(a != NULL, b != NULL);
}

static int compare_keys(const struct sw_moment_group *a, const struct sw_moment_group *b) {
    return a->size != b->size ? SW_COMPARE(b->size, a->size) : compare_origins(a->origin, b->origin);
}

static int group_by_key(const void *a, const void *b) {
    return compare_keys(a, b);
}

static int most_bytes_first(const void *of_a, const void *of_b) {
    const struct sw_moment_group *a = of_a, *b = of_b;
    return a->bytes != b->bytes ? SW_COMPARE(b->bytes, a->bytes) : compare_keys(a, b);
}

/* By key, each key once. */
static bool collect_groups(const struct sw_moment *moment, enum sw_moment_by by, struct sw_moment_groups *groups) {
    for (size_t i = 0; i < moment->blocks.count; i++) {
        const struct sw_moment_block *block = &moment->blocks.items[i];
        struct sw_moment_group one = {.size = by == SW_MOMENT_BY_SIZE ? block->size : SW_UNTOLD,
                                      .origin = by == SW_MOMENT_BY_ORIGIN ? block->origin : NULL,
                                      .count = block->count,
                                      .bytes = block->size * block->count};
        if (sw_held_is_taken(block) && !SW_PUSH(&groups->items, one)) {
            return false;
        }
    }
    struct sw_moment_group *items = groups->items.items;
    size_t kept = 0;
    sw_sort(items, groups->items.count, sizeof *items, group_by_key);
    for (size_t i = 0; i < groups->items.count; i++) {
        if (kept > 0 && compare_keys(&items[kept - 1], &items[i]) == 0) {
            items[kept - 1].count += items[i].count;
            items[kept - 1].bytes += items[i].bytes;
        } else {
            items[kept++] = items[i];
        }
    }
    groups->items.count = kept;
    return true;
}

bool sw_moment_tells_origins(const struct sw_moment *moment) {
    bool told = false;
    for (size_t i = 0; i < moment->blocks.count && !told; i++) {
        told = moment->blocks.items[i].origin != NULL;
    }
    return told;
}

bool sw_moment_group_by(const struct sw_moment *moment, enum sw_moment_by by, struct sw_moment_groups *groups) {
    if (!collect_groups(moment, by, groups)) {
        return false;
    }
    sw_sort(groups->items.items, groups->items.count, sizeof *groups->items.items, most_bytes_first);
    return true;
}

static uint64_t bytes_changed(const struct sw_moment_change *change) {
    uint64_t a = change->before.bytes, b = change->after.bytes;
    return a > b ? a - b : b - a;
}

static int most_changed_first(const void *of_a, const void *of_b) {
    const struct sw_moment_change *a = of_a, *b = of_b;
    uint64_t left = bytes_changed(a), right = bytes_changed(b);
    return left != right
               ? SW_COMPARE(right, left)
               : compare_keys(a->before.count ? &a->before : &a->after, b->before.count ? &b->before : &b->after);
}

bool sw_moment_compare(const struct sw_moment *before, const struct sw_moment *after, enum sw_moment_by by,
                       struct sw_moment_changes *changes) {
    struct sw_moment_groups old = {0}, new = {0};
    bool good = collect_groups(before, by, &old) && collect_groups(after, by, &new);
    for (size_t i = 0, k = 0; good && (i < old.items.count || k < new.items.count);) {
        int order = i == old.items.count   ? 1
                    : k == new.items.count ? -1
                                           : compare_keys(&old.items.items[i], &new.items.items[k]);
        struct sw_moment_change change = {0};
        if (order <= 0) {
            change.before = old.items.items[i++];
        }
        if (order >= 0) {
            change.after = new.items.items[k++];
        }
        bool same = change.before.count == change.after.count && change.before.bytes == change.after.bytes;
        good = same || SW_PUSH(&changes->items, change);
    }
    SW_ARRAY_DONE(&old.items, &new.items);
    if (good) {
        sw_sort(changes->items.items, changes->items.count, sizeof *changes->items.items, most_changed_first);
    }
    return good;
}
