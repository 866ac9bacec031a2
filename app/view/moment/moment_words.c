#include "view/moment/moment_words.h"
#include "base/base.h"
#include "view/scene/scene.h"

enum { BLOCKS_NAMED = 6, PINS_NAMED = 3 };

const char *sw_moment_figure_words(enum sw_moment_figure figure) {
    static const char *const words[SW_MOMENT_FIGURES] = {
        [SW_MOMENT_RESERVED] = "reserved",
        [SW_MOMENT_IN_USE] = "in use",
        [SW_MOMENT_REQUESTED] = "as asked for",
        [SW_MOMENT_FREE] = "free",
        [SW_MOMENT_WAITING] = "waiting",
        [SW_MOMENT_LARGEST_FREE] = "largest free",
        [SW_MOMENT_PEAK_USED] = "most in use",
        [SW_MOMENT_PEAK_RESERVED] = "most reserved",
        [SW_MOMENT_LIMIT] = "limit",
        [SW_MOMENT_DEVICE] = "device",
        [SW_MOMENT_DEVICE_FREE] = "device free",
        [SW_MOMENT_OTHERS] = "other processes",
        [SW_MOMENT_PROCESS] = "this process",
        [SW_MOMENT_ACTIVE] = "active",
        [SW_MOMENT_IDLE] = "not in use",
        [SW_MOMENT_SPLIT] = "free, split",
        [SW_MOMENT_PRIVATE] = "private pools",
        [SW_MOMENT_LEFT] = "left by the limit",
    };
    return words[figure];
}

/* How often 1024 divides it before less than 1 is left: 0 bytes, 1 KiB. */
static unsigned binary_unit(uint64_t bytes) {
    unsigned unit = 0;
    while (unit < 6 && bytes >> (10 * (unit + 1))) {
        unit++;
    }
    return unit;
}

/* "510.00 MiB", rounded to the nearest, down or up. */
enum rounding { TO_NEAREST, DOWN, UP };
static void put_rounded(uint64_t bytes, enum rounding rounding, struct sw_sink *out) {
    unsigned unit = binary_unit(bytes);
    if (unit == 0) {
        sw_sink_printf(out, "%s", SW_BYTES(bytes));
        return;
    }
    uint64_t one = UINT64_C(1) << (10 * unit), add = rounding == DOWN ? 0 : rounding == UP ? one - 1 : one / 2;
    uint64_t hundredths = (uint64_t)(((unsigned __int128)bytes * 100 + add) / one);
    sw_sink_printf(out, "%s.%02" PRIu64 " %ciB", SW_COUNT(hundredths / 100), hundredths % 100, "KMGTPE"[unit - 1]);
}

/* "510 MiB" where it is a whole number of that unit, else "382 MiB (400,556,032 B)"; "about 510.00 MiB" where the text
 * rounds. */
static void put_told_bytes(uint64_t bytes, uint64_t about, struct sw_sink *out) {
    char text[24];
    if (about) {
        sw_sink_printf(out, "about ");
        put_rounded(bytes, TO_NEAREST, out);
        return;
    }
    sw_sink_printf(out, "%s", sw_show_bytes_long(bytes, text));
    if (bytes % (UINT64_C(1) << (10 * binary_unit(bytes))) != 0) {
        sw_sink_printf(out, " (%s)", SW_BYTES(bytes));
    }
}

/* The figure that begins a sentence there. */
static void begin_sentence(struct sw_sink *out, size_t at) {
    if (!out->failed && at < out->text.count && out->text.items[at] == 'a') {
        out->text.items[at] = 'A';
    }
}

void sw_moment_put_segment(const struct sw_moment *moment, uint32_t number, struct sw_sink *out) {
    const struct sw_moment_segment *segment = &moment->segments.items[number];
    char text[24];
    if (segment->address == SW_UNTOLD) {
        sw_sink_printf(out, "segment %" PRIu32, number + 1);
    } else {
        sw_sink_printf(out, "the segment at 0x%" PRIx64, segment->address);
    }
    sw_sink_printf(out, " (%s%s)", segment->implied ? "at least " : "", sw_show_bytes_long(segment->size, text));
}

bool sw_moment_repeats(const struct sw_moment_sums *sums, enum sw_moment_figure figure) {
    return (figure == SW_MOMENT_ACTIVE && sums->figure[SW_MOMENT_WAITING] != SW_UNTOLD) ||
           (figure == SW_MOMENT_IDLE && sums->figure[SW_MOMENT_FREE] != SW_UNTOLD);
}

void sw_moment_put_figures(const struct sw_moment *moment, struct sw_sink *out) {
    static const enum sw_moment_figure first[] = {SW_MOMENT_RESERVED, SW_MOMENT_IN_USE, SW_MOMENT_FREE,
                                                  SW_MOMENT_LARGEST_FREE, SW_MOMENT_LIMIT};
    struct sw_moment_sums sums;
    const char *between = "";
    sw_moment_sum(moment, &sums);
    for (size_t i = 0; i < sizeof first / sizeof *first; i++) {
        char text[24];
        if (sums.figure[first[i]] != SW_UNTOLD) {
            sw_sink_printf(out, "%s%s %s", between, sw_moment_figure_words(first[i]),
                           sw_show_bytes_long(sums.figure[first[i]], text));
            between = ", ";
        }
    }
    if (moment->failure.size != SW_UNTOLD) {
        char text[24];
        sw_sink_printf(out, "%sfailed: %s", between, sw_show_bytes_long(moment->failure.size, text));
    }
}

/* ---- why ---- */

static bool tells_of_several(const struct sw_moment *moment) {
    const char *one = NULL;
    bool several = false;
    for (size_t i = 0; i < moment->segments.count + moment->told.count; i++) {
        const char *of = i < moment->segments.count ? moment->segments.items[i].allocator
                                                    : moment->told.items[i - moment->segments.count].allocator;
        several = several || (of && one && of != one);
        one = one ? one : of;
    }
    return several;
}

/* Sums over several allocators say nothing of the one that failed: those of this one. False: it is not told which. */
static bool sum_failed(const struct sw_moment *moment, struct sw_moment_sums *sums) {
    bool several = tells_of_several(moment);
    sw_moment_sum_of(moment, several ? moment->failure.allocator : NULL, sums);
    return !several || moment->failure.allocator;
}

static void put_asked(const struct sw_moment *moment, const struct sw_moment_sums *sums, struct sw_sink *out) {
    const struct sw_moment_failure *failure = &moment->failure;
    bool segment = failure->least != SW_UNTOLD;
    size_t begins = out->text.count;
    put_told_bytes(failure->size, failure->about, out);
    begin_sentence(out, begins);
    sw_sink_printf(out, " %s asked for", failure->size == 1 ? "was" : "were");
    if (segment) {
        sw_sink_printf(out, " as a new segment, for a block of at least ");
        put_rounded(failure->least, DOWN, out);
    }
    if (failure->allocator) {
        sw_sink_printf(out, " of %s", SW_SHOWN(failure->allocator));
    }
    if (failure->origin) {
        sw_sink_printf(out, " by %s", SW_SHOWN(failure->origin));
    }
    if (sums->needed != failure->size) {
        sw_sink_printf(out, ", which takes a block of ");
        put_told_bytes(sums->needed, 0, out);
    }
}

/* Is what is shown a part only of what the text counts? */
static bool shows_part(const struct sw_moment_sums *sums) {
    return sums->differs[SW_MOMENT_RESERVED] || sums->differs[SW_MOMENT_FREE];
}

static void put_free_held(const struct sw_moment_sums *sums, struct sw_sink *out) {
    uint64_t free_bytes = sums->figure[SW_MOMENT_FREE], largest = sums->figure[SW_MOMENT_LARGEST_FREE];
    if (free_bytes != SW_UNTOLD) {
        sw_sink_printf(out, "; ");
        put_told_bytes(free_bytes, sums->about[SW_MOMENT_FREE], out);
        sw_sink_printf(out, " %s free", free_bytes == 1 ? "is" : "are");
        if (largest != SW_UNTOLD && free_bytes > 0) {
            sw_sink_printf(out, ", ");
            put_told_bytes(largest, sums->about[SW_MOMENT_LARGEST_FREE], out);
            sw_sink_printf(out, " in the largest piece%s", shows_part(sums) ? " that is shown" : "");
        }
    }
    sw_sink_printf(out, ".\n");
}

/* ---- figures that are rounded: the bytes lie between two numbers ---- */

struct byte_range {
    uint64_t lo, hi; /* hi SW_UNTOLD: not told */
};
static const struct byte_range untold_range = {0, SW_UNTOLD};

static struct byte_range range_of_figure(const struct sw_moment_sums *sums, enum sw_moment_figure figure) {
    uint64_t bytes = sums->figure[figure], about = sums->about[figure];
    return bytes == SW_UNTOLD ? untold_range : (struct byte_range){bytes - SW_MIN(bytes, about), bytes + about};
}

static bool range_is_told(struct byte_range range) {
    return range.hi != SW_UNTOLD;
}

/* Is it known that more is reserved than is shown, and not how much? */
static bool reserves_more(const struct sw_moment_sums *sums) {
    return sums->told[SW_MOMENT_RESERVED] == SW_UNTOLD &&
           (sums->differs[SW_MOMENT_FREE] || sums->differs[SW_MOMENT_IN_USE]);
}

static struct byte_range reserved_range(const struct sw_moment_sums *sums) {
    return reserves_more(sums) ? untold_range : range_of_figure(sums, SW_MOMENT_RESERVED);
}

/* a - b, which is not below 0. */
static struct byte_range range_less(struct byte_range a, struct byte_range b) {
    return range_is_told(a) && range_is_told(b)
               ? (struct byte_range){a.lo - SW_MIN(a.lo, b.hi), a.hi - SW_MIN(a.hi, b.lo)}
               : untold_range;
}

static void put_told_range(struct byte_range range, struct sw_sink *out) {
    put_told_bytes(range.lo + (range.hi - range.lo) / 2, range.hi - range.lo, out);
}

/* What the device has free, what the limit leaves, as told or reckoned, and the less of both: room for new segments. */
struct segment_room {
    struct byte_range device, limit, all;
};
static struct segment_room room_for_segments(const struct sw_moment_sums *sums) {
    struct segment_room room = {.device = range_of_figure(sums, SW_MOMENT_DEVICE_FREE),
                                .limit = range_of_figure(sums, SW_MOMENT_LEFT)};
    if (!range_is_told(room.limit)) {
        room.limit = range_less(range_of_figure(sums, SW_MOMENT_LIMIT), reserved_range(sums));
    }
    room.all = (struct byte_range){range_is_told(room.limit) ? room.limit.lo : room.device.lo,
                                   SW_MIN(room.device.hi, room.limit.hi)};
    if (range_is_told(room.device)) {
        room.all.lo = SW_MIN(room.all.lo, room.device.lo);
    }
    return room;
}

/* What is reserved and not in use. Where a part only is shown, it is what the text says. */
static struct byte_range idle_range(const struct sw_moment_sums *sums) {
    bool part = sums->bytes[SW_HELD_UNTOLD] > 0 || sums->differs[SW_MOMENT_RESERVED] || sums->differs[SW_MOMENT_FREE] ||
                sums->differs[SW_MOMENT_IN_USE];
    if (sums->figure[SW_MOMENT_IDLE] != SW_UNTOLD && (!part || sums->told[SW_MOMENT_IDLE] != SW_UNTOLD)) {
        return range_of_figure(sums, SW_MOMENT_IDLE);
    }
    return part && sums->told[SW_MOMENT_IN_USE] == SW_UNTOLD
               ? untold_range
               : range_less(reserved_range(sums), range_of_figure(sums, SW_MOMENT_IN_USE));
}

/* What a new segment takes. */
static struct byte_range segment_range(const struct sw_moment *moment, const struct sw_moment_sums *sums) {
    const struct sw_moment_failure *failure = &moment->failure;
    if (failure->segment != SW_UNTOLD) {
        return (struct byte_range){failure->segment, failure->segment};
    }
    return (struct byte_range){
        failure->least != SW_UNTOLD ? failure->size - SW_MIN(failure->size, failure->about) : sums->least, sums->most};
}

/* ---- why there was no new segment ---- */

static void put_room(struct byte_range room, bool limit, struct sw_sink *out) {
    sw_sink_printf(out, limit ? "the limit leaves " : "the device has ");
    put_told_range(room, out);
    sw_sink_printf(out, limit ? "" : " free");
}

static bool is_short(struct byte_range room, struct byte_range wanted) {
    return range_is_told(room) && room.hi < wanted.lo;
}

static bool is_ample(struct byte_range room, struct byte_range wanted) {
    return range_is_told(room) && room.lo >= wanted.hi;
}

static void put_no_segment(const struct sw_moment *moment, const struct sw_moment_sums *sums, struct sw_sink *out) {
    struct segment_room room = room_for_segments(sums);
    struct byte_range wanted = segment_range(moment, sums);
    for (unsigned limit = 0; limit < 2; limit++) {
        struct byte_range one = limit ? room.limit : room.device;
        if (!range_is_told(one)) {
            continue;
        }
        if (is_short(one, wanted)) {
            sw_sink_printf(out, "No new segment: ");
            put_room(one, limit, out);
            sw_sink_printf(out, ".\n");
        } else if (is_ample(room.all, wanted)) {
            sw_sink_printf(out, "A new segment was not got, though ");
            put_room(one, limit, out);
            sw_sink_printf(out, ", as much as it takes.\n");
        } else if (!is_ample(one, wanted)) {
            sw_sink_printf(out, "For a new segment ");
            put_room(one, limit, out);
            sw_sink_printf(out, ": the rounding leaves open whether that is enough.\n");
        }
    }
}

/* The largest free block that may serve the request, as far as pools and streams are told; 0: none is shown. */
static uint64_t largest_serving(const struct sw_moment *moment) {
    uint64_t largest = 0;
    for (size_t i = 0; i < moment->blocks.count; i++) {
        const struct sw_moment_block *block = &moment->blocks.items[i];
        bool serves = block->segment == SW_NONE || sw_moment_serves(moment, &moment->segments.items[block->segment]);
        largest = block->state == SW_HELD_FREE && serves ? SW_MAX(largest, block->size) : largest;
    }
    return largest;
}

/* Fragmentation in the sense people mean: bytes that are free and cannot serve. */
static void put_small_pieces(const struct sw_moment *moment, const struct sw_moment_sums *sums, struct sw_sink *out) {
    uint64_t shown = sums->bytes[SW_HELD_FREE], largest = largest_serving(moment);
    if (shown == 0) {
        return;
    }
    if (sums->small_free == shown) {
        const char *part = shows_part(sums) ? "shown as " : "";
        if (sums->small_pieces == 1) {
            sw_sink_printf(out, "All that is %sfree is one piece smaller than that.\n", part);
        } else {
            sw_sink_printf(out, "All that is %sfree is in pieces smaller than that, %s of them.\n", part,
                           SW_COUNT(sums->small_pieces));
        }
        return;
    }
    sw_sink_printf(out, shows_part(sums) ? "Of what is shown as free " : "Of what is free ");
    put_told_bytes(sums->small_free, 0, out);
    sw_sink_printf(out, " (%s) in pieces smaller than that; %s.\n",
                   SW_PERCENT((double)sums->small_free / (double)shown, false),
                   largest >= sums->most ? "a free piece is large enough and, as far as is told, of the same pool, so "
                                           "what is free was not what it lacked"
                   : largest < sums->least ? "what is large enough is of another pool, stream or allocator"
                                           : "the rounding leaves open whether a free piece is large enough");
}

static void put_private(const struct sw_moment_sums *sums, struct sw_sink *out) {
    if (sums->figure[SW_MOMENT_PRIVATE] != SW_UNTOLD && sums->figure[SW_MOMENT_PRIVATE] > 0) {
        sw_sink_printf(out, "Of that ");
        put_told_range(range_of_figure(sums, SW_MOMENT_PRIVATE), out);
        sw_sink_printf(out, " serve nothing but private pools (CUDA graphs).\n");
    }
}

static bool sums_decide(const struct sw_moment *moment, struct byte_range idle, const struct sw_moment_sums *sums) {
    return moment->planner && range_is_told(idle) && largest_serving(moment) < sums->least;
}

/* What the sums rule out: whether another arrangement of what is in use would have made room. A new segment may be
 * larger than the block; what is free inside of segments counts as if it could all be given back.
 * Without a planner the text is of no allocator that has segments, and sums may have the request that failed. */
static void put_ruled_out(const struct sw_moment *moment, const struct sw_moment_sums *sums, struct sw_sink *out) {
    struct byte_range idle = idle_range(sums), room = room_for_segments(sums).all;
    bool mapped = sums->figure[SW_MOMENT_FREE] != SW_UNTOLD;
    if (!sums_decide(moment, idle, sums)) {
        return;
    }
    size_t begins = out->text.count;
    sw_sink_printf(out, mapped ? "In sum " : "");
    put_told_range(idle, out);
    begin_sentence(out, begins);
    sw_sink_printf(out, " %s reserved and not in use", idle.hi == 1 ? "is" : "are");
    if (range_is_told(room) && idle.hi + room.hi < sums->least) {
        sw_sink_printf(out,
                       "; with the room for new segments that is less than the block: no other arrangement of what "
                       "is in use would have served it, and fragmentation is not the cause.\n");
    } else if (idle.lo >= sums->most) {
        sw_sink_printf(out, "; that is %s the block takes, but no one piece of it could serve: fragmentation%s.\n",
                       idle.lo > sums->most ? "more than" : "as much as",
                       strcmp(moment->planner, "bfc-arena") == 0 ? "" : ", or another pool or stream");
    } else if (!range_is_told(room) && idle.hi < sums->least) {
        sw_sink_printf(out,
                       "; that is less than the block: without a new segment no other arrangement of what is in use "
                       "would have served it.\n");
    } else if (is_ample(room, segment_range(moment, sums))) {
        sw_sink_printf(out, ".\n"); /* it lacked neither, as is said next */
    } else if (range_is_told(room) && idle.lo + room.lo >= sums->most) {
        sw_sink_printf(out,
                       "; with the room for new segments that is %s the block takes, but part of it is kept in "
                       "segments that are partly in use: fragmentation can be the cause.\n",
                       idle.lo + room.lo > sums->most ? "more than" : "as much as");
    } else {
        sw_sink_printf(out,
                       "; what is told leaves open whether %sthat is enough for the block, and so whether "
                       "fragmentation is the cause.\n",
                       range_is_told(room) ? "with the room for new segments " : "");
    }
    put_private(sums, out);
}

/* What of the device is neither free nor this allocator's. */
static void put_elsewhere(const struct sw_moment_sums *sums, struct sw_sink *out) {
    struct byte_range device = range_of_figure(sums, SW_MOMENT_DEVICE), here = reserved_range(sums);
    struct byte_range process = range_of_figure(sums, SW_MOMENT_PROCESS);
    struct byte_range taken = range_less(device, range_of_figure(sums, SW_MOMENT_DEVICE_FREE));
    struct byte_range elsewhere = range_less(taken, here), beside = range_less(process, here);
    struct byte_range others = range_less(taken, process);
    if (range_is_told(elsewhere) && elsewhere.lo > 0) {
        sw_sink_printf(out, "Of ");
        put_told_range(device, out);
        sw_sink_printf(out, " on the device ");
        put_told_range(elsewhere, out);
        sw_sink_printf(out, " are neither free nor reserved here");
        if (range_is_told(others) && others.lo > 0) {
            sw_sink_printf(out, ", of which ");
            put_told_range(others, out);
            sw_sink_printf(out, " are not of this process");
        } else if (!range_is_told(process)) {
            sw_sink_printf(out, ": other processes have them, or the driver and libraries");
        }
        sw_sink_printf(out, ".\n");
    }
    if (range_is_told(beside) && beside.lo > 0) {
        sw_sink_printf(out, "This process has ");
        put_told_range(beside, out);
        sw_sink_printf(out, " of the device besides what is reserved: the driver's and libraries'.\n");
    }
}

void sw_moment_put_why(const struct sw_moment *moment, struct sw_sink *out) {
    struct sw_moment_sums sums;
    if (moment->failure.size == SW_UNTOLD) {
        return;
    }
    bool one = sum_failed(moment, &sums);
    put_asked(moment, &sums, out);
    put_free_held(&sums, out);
    size_t asked = out->text.count;
    put_small_pieces(moment, &sums, out);
    if (one) {
        put_ruled_out(moment, &sums, out);
        put_no_segment(moment, &sums, out);
        put_elsewhere(&sums, out);
    }
    if (out->text.count == asked && sums.figure[SW_MOMENT_FREE] == SW_UNTOLD) {
        sw_sink_printf(out, "What was free then, or what the limit was, is not told: why it failed does not follow.\n");
    }
}

/* ---- what would have made it fit ---- */

static void put_block_name(const struct sw_moment_block *block, struct sw_sink *out) {
    char text[24];
    if (block->name || block->origin) {
        const char *name = block->name ? block->name : block->origin;
        char line[256];
        snprintf(line, sizeof line, "%.*s", (int)strcspn(name, "\n"), name);
        sw_sink_printf(out, "%s at ", SW_SHOWN(line));
    }
    sw_sink_printf(out, "0x%" PRIx64 " of %s", block->address, sw_show_bytes_long(block->size, text));
}

/* ": " and those of these neighbors that are in use, of which there are `used`. */
static void put_taken_blocks(const struct sw_moment *moment, size_t first, size_t count, uint64_t used,
                             struct sw_sink *out) {
    uint64_t named = 0;
    for (size_t i = first; i < first + count; i++) {
        const struct sw_moment_block *block = &moment->blocks.items[i];
        if (sw_held_is_taken(block) && named < BLOCKS_NAMED) {
            sw_sink_printf(out, named++ ? ", " : ": ");
            put_block_name(block, out);
        }
    }
    if (used > named) {
        sw_sink_printf(out, ", and %s more", SW_COUNT(used - named));
    }
}

/* No segment could serve it, whatever is given back: said where all segments are told. */
static bool put_no_window(const struct sw_moment *moment, const struct sw_moment_sums *sums, struct sw_sink *out) {
    bool part = shows_part(sums);
    for (size_t s = 0; s < moment->segments.count; s++) {
        part |= moment->segments.items[s].implied;
    }
    bool whole = moment->segments.count > 0 && sums->blocks[SW_HELD_UNTOLD] == 0;
    if (whole) {
        sw_sink_printf(out,
                       "No segment that could serve it is%s as large as that: giving back blocks alone makes no "
                       "piece of that size.\n",
                       part ? ", as far as it is shown," : "");
    }
    return whole;
}

/* Of a size that is rounded the window for the most that it can be makes room; fewer blocks than for the least do not.
 * False: of blocks nothing is said. */
static bool put_release(const struct sw_moment *moment, const struct sw_moment_sums *sums, struct sw_sink *out) {
    struct sw_moment_window window, least;
    sw_moment_release(moment, sums->most, &window);
    sw_moment_release(moment, sums->least, &least);
    bool open = window.segment == SW_NONE;
    if (least.segment == SW_NONE) {
        return put_no_window(moment, sums, out);
    }
    window = open ? least : window;
    if (window.used == 0) {
        sw_sink_printf(out, window.count == 1 ? "A free piece of that size is in "
                                              : "Free pieces side by side that are as large as that are in ");
        sw_moment_put_segment(moment, window.segment, out);
    } else {
        sw_sink_printf(out, "Giving back %s%s", SW_COUNTED(window.used, "block"), window.used == 1 ? " of " : ", ");
        put_told_bytes(window.used_bytes, 0, out);
        sw_sink_printf(out, window.used == 1 ? " in " : " in all, in ");
        sw_moment_put_segment(moment, window.segment, out);
        sw_sink_printf(out, " leaves one free piece of ");
        put_told_bytes(window.bytes, 0, out);
        put_taken_blocks(moment, window.first, window.count, window.used, out);
    }
    sw_sink_printf(out, open ? ": the rounding leaves open whether that is enough.\n" : ".");
    if (!open && window.used > 0 && window.used == least.used) {
        sw_sink_printf(out, shows_part(sums) ? " Of those shown fewer make no room." : " Fewer blocks make no room.");
    }
    sw_sink_printf(out, open ? "" : "\n");
    return true;
}

/* Without blocks that are shown: how much the sums lack. */
static void put_lacking(const struct sw_moment *moment, const struct sw_moment_sums *sums, struct sw_sink *out) {
    struct byte_range idle = idle_range(sums), room = room_for_segments(sums).all;
    struct byte_range used = range_of_figure(sums, SW_MOMENT_IN_USE);
    if (!sums_decide(moment, idle, sums) || !range_is_told(room) || idle.hi + room.hi >= sums->least) {
        return;
    }
    uint64_t about = moment->failure.about + (idle.hi - idle.lo) / 2 + (room.hi - room.lo) / 2;
    uint64_t least = sums->least - idle.hi - room.hi; /* the figures as they stand lack `about` more */
    if (range_is_told(used) && least > used.hi) {
        sw_sink_printf(out, "All that is in use, given back, makes no room.\n");
        return;
    }
    sw_sink_printf(out, "Of what is in use at least ");
    put_told_bytes(least + about, about, out);
    sw_sink_printf(out, " must be given back, so that one piece becomes large enough.\n");
}

/* Is the block larger than the device? Then nothing else helps. */
static bool put_too_large(const struct sw_moment_sums *sums, struct sw_sink *out) {
    struct byte_range device = range_of_figure(sums, SW_MOMENT_DEVICE);
    bool large = range_is_told(device) && sums->least > device.hi;
    if (large) {
        sw_sink_printf(out, "Nothing makes it fit: the request is larger than the device, which has ");
        put_told_range(device, out);
        sw_sink_printf(out, ".\n");
    }
    return large;
}

/* What there would have to be for a new segment. */
static void put_other_room(const struct sw_moment *moment, const struct sw_moment_sums *sums, struct sw_sink *out) {
    struct segment_room room = room_for_segments(sums);
    struct byte_range wanted = segment_range(moment, sums), reserved = reserved_range(sums);
    bool open = range_is_told(room.device) && !is_ample(room.device, wanted);
    const char *condition = open ? ", if the device has" : "";
    if (is_short(room.limit, wanted) && sums->figure[SW_MOMENT_LEFT] != SW_UNTOLD) {
        struct byte_range more = range_less(wanted, room.limit);
        sw_sink_printf(out, "A limit that is ");
        if (more.lo < more.hi) {
            put_rounded(more.hi, UP, out);
        } else {
            put_told_bytes(more.hi, 0, out);
        }
        sw_sink_printf(out, " higher has room for a new segment of that size%s.\n", condition);
    } else if (is_short(room.limit, wanted)) {
        struct byte_range limit = range_of_figure(sums, SW_MOMENT_LIMIT);
        sw_sink_printf(out, "A limit of at least ");
        put_rounded(reserved.hi + wanted.hi, UP, out);
        sw_sink_printf(out, ", ");
        put_rounded(reserved.hi + wanted.hi - limit.lo, UP, out);
        sw_sink_printf(out, " more, has room for a new segment of that size%s.\n", condition);
    }
    if (is_short(room.device, wanted) && wanted.lo <= range_of_figure(sums, SW_MOMENT_DEVICE).hi) {
        sw_sink_printf(out, "For a new segment ");
        put_told_range(range_less(wanted, room.device), out);
        sw_sink_printf(out, " more must be free on the device.\n");
    }
}

void sw_moment_put_ways(const struct sw_moment *moment, struct sw_sink *out) {
    struct sw_moment_sums sums;
    bool one = sum_failed(moment, &sums);
    if (sums.needed == SW_UNTOLD || (one && put_too_large(&sums, out))) {
        return;
    }
    if (moment->failure.way) {
        sw_sink_printf(out, "%s\n", SW_SHOWN(moment->failure.way));
    }
    bool shown = put_release(moment, &sums, out);
    if (one) {
        if (!shown) {
            put_lacking(moment, &sums, out);
        }
        put_other_room(moment, &sums, out);
    }
    if (!shows_part(&sums)) { /* else the heap is not all there */
        sw_moment_put_settings(moment, out);
    }
}

/* ---- what keeps memory, what contradicts itself ---- */

void sw_moment_put_keepers(const struct sw_moment *moment, struct sw_sink *out) {
    struct sw_moment_pins pins = {0};
    out->failed |= !sw_moment_find_pins(moment, &pins);
    for (size_t i = 0; i < pins.items.count && i < PINS_NAMED; i++) {
        const struct sw_moment_pinned *pin = &pins.items.items[i];
        const struct sw_moment_segment *segment = &moment->segments.items[pin->segment];
        char used[24], free_bytes[24];
        sw_sink_printf(out, pin->used == 1 ? "%s of %s keeps " : "%s, %s in all, keep ", SW_COUNTED(pin->used, "block"),
                       sw_show_bytes_long(pin->used_bytes, used));
        sw_moment_put_segment(moment, pin->segment, out);
        sw_sink_printf(out, ", of which %s are free", sw_show_bytes_long(pin->free_bytes, free_bytes));
        put_taken_blocks(moment, segment->first, segment->count, pin->used, out);
        sw_sink_printf(out, ".\n");
    }
    if (pins.items.count > PINS_NAMED) {
        sw_sink_printf(out, "So it is with %s more.\n", SW_COUNTED(pins.items.count - PINS_NAMED, "segment"));
    }
    if (pins.items.count > 0) {
        sw_sink_printf(out, "These are segments of which at least half is free, the smallest share in use first.\n");
    }
    SW_ARRAY_DONE(&pins.items);
}

void sw_moment_put_doubts(const struct sw_moment *moment, struct sw_sink *out) {
    struct sw_moment_sums sums;
    sw_moment_sum(moment, &sums);
    for (enum sw_moment_figure figure = 0; figure < SW_MOMENT_FIGURES; figure++) {
        if (sums.differs[figure]) {
            sw_sink_printf(out, "%s: the text says ", sw_moment_figure_words(figure));
            put_told_bytes(sums.figure[figure], sums.about[figure], out);
            sw_sink_printf(out, "; what it shows comes to %s.\n", SW_BYTES(sums.shown[figure]));
        }
    }
    uint64_t used = sums.figure[SW_MOMENT_IN_USE], idle = sums.figure[SW_MOMENT_FREE];
    uint64_t waiting = sums.figure[SW_MOMENT_WAITING], reserved = sums.figure[SW_MOMENT_RESERVED];
    bool exact = sums.about[SW_MOMENT_IN_USE] + sums.about[SW_MOMENT_FREE] + sums.about[SW_MOMENT_RESERVED] == 0;
    bool all = used != SW_UNTOLD && idle != SW_UNTOLD && reserved != SW_UNTOLD && sums.bytes[SW_HELD_UNTOLD] == 0;
    uint64_t sum = all ? used + idle + (waiting == SW_UNTOLD ? 0 : waiting) : 0;
    if (moment->planner && all && exact && sum != reserved) {
        sw_sink_printf(out, "In use and free come to %s together; reserved are %s.\n", SW_BYTES(sum),
                       SW_BYTES(reserved));
    }
    uint64_t untold = 0;
    for (size_t i = 0; i < moment->blocks.count; i++) {
        const struct sw_moment_block *block = &moment->blocks.items[i];
        untold += block->state == SW_HELD_UNTOLD && block->segment != SW_NONE ? block->size * block->count : 0;
    }
    if (untold > 0) {
        sw_sink_printf(out, "Of %s in segments the text does not tell what is there.\n", SW_BYTES(untold));
    }
}
