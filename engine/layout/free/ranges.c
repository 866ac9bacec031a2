/* Lists of ranges that blocks cover. See ranges.h. */
#include "layout/free/ranges.h"
#include "base/base.h"

/* How many of the ranges end below `lo`: they stay as they are. Halves, without a branch to guess.
 */
static size_t words_below(const uint64_t *words, size_t count, uint64_t lo) {
    size_t from = 0;
    while (count > 1) {
        size_t half = count / 2, right = sw_range_hi(words[from + half - 1]) < lo;
        from += half & (0 - right);
        count -= half;
    }
    return from + (count == 1 && sw_range_hi(words[from]) < lo);
}

bool sw_ranges_add(struct sw_ranges *ranges, uint64_t range) {
    size_t count = ranges->words.count;
    if (!SW_RESERVE(&ranges->words, count + 2)) {
        return false;
    }
    uint64_t *words = ranges->words.items, lo = sw_range_lo(range), hi = sw_range_hi(range);
    words[count] = SW_RANGES_END;
    ranges->bytes += hi - lo;
    ranges->blocks++;
    size_t from = words_below(words, count, lo), to = from;
    while (sw_range_lo(words[to]) <= hi && to < count) {
        lo = SW_MIN(sw_range_lo(words[to]), lo);
        hi = SW_MAX(sw_range_hi(words[to]), hi);
        to++;
    }
    if (to != from + 1) { /* it stands alone, or several become one; the sentinel moves, too */
        memmove(words + from + 1, words + to, (count + 1 - to) * sizeof *words);
        ranges->words.count = count + 1 - (to - from);
    }
    words[from] = lo << 32 | hi;
    return true;
}

void sw_ranges_clear(struct sw_ranges *ranges) {
    ranges->words.count = 0;
    ranges->bytes = ranges->blocks = 0;
    if (ranges->words.capacity > 0) {
        ranges->words.items[0] = SW_RANGES_END;
    }
}

void sw_ranges_done(struct sw_ranges *ranges) {
    SW_ARRAY_DONE(&ranges->words);
    *ranges = (struct sw_ranges){0};
}

void sw_ranges_merge(const uint64_t *a, size_t a_count, const uint64_t *b, size_t b_count, uint64_t *out) {
    for (size_t left = a_count + b_count; left > 0; left--) {
        uint64_t x = *a, y = *b;
        bool first = x < y;
        *out++ = first ? x : y;
        a += first;
        b += !first;
    }
    *out = SW_RANGES_END;
}

/* ---- sorting ---- */

enum { FEW_WORDS = 24, NARROWEST = 5, WIDEST = 11, LEADING = 2, MOVES_A_WORD = 4 };

/* Moves each word down to its place; false when that takes more than `moves` moves, and then they
 * are where they are. */
static bool insert_words(uint64_t *words, size_t count, size_t moves) {
    for (size_t i = 1; i < count; i++) {
        uint64_t word = words[i];
        size_t k = i;
        for (; k > 0 && words[k - 1] > word; k--) {
            words[k] = words[k - 1];
        }
        words[k] = word;
        if (i - k > moves) {
            return false;
        }
        moves -= i - k;
    }
    return true;
}

/* Deal the words out by one digit of where they begin, in the order in which they come. */
static void deal(const uint64_t *from, uint64_t *to, size_t count, unsigned shift, unsigned width) {
    uint32_t next[1u << WIDEST], mask = (1u << width) - 1, sum = 0;
    memset(next, 0, ((size_t)mask + 1) * sizeof *next);
    for (size_t i = 0; i < count; i++) {
        next[from[i] >> shift & mask]++;
    }
    for (uint32_t digit = 0; digit <= mask; digit++) {
        uint32_t size = next[digit];
        next[digit] = sum;
        sum += size;
    }
    for (size_t i = 0; i < count; i++) {
        to[next[from[i] >> shift & mask]++] = from[i];
    }
}

/* For tens of words, where base/sort.h is for many. A digit as wide as the number of words is
 * worth; the two leading ones tell nearly all words apart, and what they leave is a matter of a few
 * moves. Where it is not, all digits are dealt with, from the lowest. */
uint64_t *sw_ranges_sort(uint64_t *words, uint64_t *spare, size_t count) {
    uint64_t any = 1;
    if (count <= FEW_WORDS) {
        insert_words(words, count, SIZE_MAX);
        return words;
    }
    for (size_t i = 0; i < count; i++) {
        any |= sw_range_lo(words[i]);
    }
    unsigned bits = 64 - (unsigned)__builtin_clzll(any);
    unsigned width = 64 - (unsigned)__builtin_clzll(count);
    width = width < NARROWEST ? NARROWEST : width > WIDEST ? WIDEST : width;
    unsigned all = (bits + width - 1) / width;
    for (unsigned digits = SW_MIN(all, LEADING);; digits = all) {
        unsigned shift = bits > digits * width ? 32 + bits - digits * width : 32;
        for (unsigned digit = 0; digit < digits; digit++, shift += width) {
            deal(words, spare, count, shift, width);
            uint64_t *swap = words;
            words = spare;
            spare = swap;
        }
        if (insert_words(words, count, digits < all ? MOVES_A_WORD * count : SIZE_MAX)) {
            return words;
        }
    }
}
