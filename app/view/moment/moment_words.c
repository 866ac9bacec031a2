#include "view/moment/moment_words.h"
#include "base/base.h"
#include "view/scene/scene.h"

enum { BLOCKS_NAMED = 6, PINS_NAMED = 3 };

static const struct {
    const char *key, *words;
} figure_names[SW_MOMENT_FIGURES] = {
    [SW_MOMENT_RESERVED] = {"reserved", "reserved"},
    [SW_MOMENT_IN_USE] = {"in_use", "in use"},
    [SW_MOMENT_REQUESTED] = {"requested", "as asked for"},
    [SW_MOMENT_FREE] = {"free", "free"},
    [SW_MOMENT_WAITING] = {"waiting", "waiting"},
    [SW_MOMENT_LARGEST_FREE] = {"largest_free", "largest free"},
    [SW_MOMENT_PEAK_USED] = {"peak_in_use", "most in use"},
    [SW_MOMENT_PEAK_RESERVED] = {"peak_reserved", "most reserved"},
    [SW_MOMENT_LIMIT] = {"limit", "limit"},
    [SW_MOMENT_DEVICE] = {"device", "device"},
    [SW_MOMENT_DEVICE_FREE] = {"device_free", "device free"},
    [SW_MOMENT_OTHERS] = {"others", "other processes"},
};

const char *sw_moment_figure_words(enum sw_moment_figure figure) {
    return figure_names[figure].words;
}

const char *sw_moment_figure_key(enum sw_moment_figure figure) {
    return figure_names[figure].key;
}

const char *sw_held_state_words(enum sw_held_state state) {
    static const char *const words[SW_HELD_STATES] = {[SW_HELD_USED] = "in use",
                                                      [SW_HELD_FREE] = "free",
                                                      [SW_HELD_WAITING] = "waiting",
                                                      [SW_HELD_UNTOLD] = "not told"};
    return words[state];
}

/* "510 MiB" where that is exact, "382 MiB (400,556,032 B)" where it is not, "about 510 MiB" where the text rounds. */
static void put_told_bytes(uint64_t bytes, uint64_t about, struct sw_sink *out) {
    char text[24];
    sw_sink_printf(out, "%s%s", about ? "about " : "", sw_show_bytes_long(bytes, text));
    unsigned unit = 0;
    while (unit < 6 && bytes >> (10 * (unit + 1))) {
        unit++;
    }
    if (!about && unit > 0 && bytes % (UINT64_C(1) << (10 * unit)) != 0) {
        sw_sink_printf(out, " (%s)", SW_BYTES(bytes));
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

/* ---- why ---- */

static void put_asked(const struct sw_moment *moment, const struct sw_moment_sums *sums, struct sw_sink *out) {
    const struct sw_moment_failure *failure = &moment->failure;
    put_told_bytes(failure->size, failure->about, out);
    sw_sink_printf(out, " %s asked for", failure->size == 1 ? "was" : "were");
    if (failure->allocator) {
        sw_sink_printf(out, " of %s", SW_SHOWN(failure->allocator));
    }
    if (sums->needed != failure->size) {
        sw_sink_printf(out, ", which takes a block of ");
        put_told_bytes(sums->needed, 0, out);
    }
}

static void put_free(const struct sw_moment_sums *sums, struct sw_sink *out) {
    uint64_t free_bytes = sums->figure[SW_MOMENT_FREE], largest = sums->figure[SW_MOMENT_LARGEST_FREE];
    if (free_bytes != SW_UNTOLD) {
        sw_sink_printf(out, "; ");
        put_told_bytes(free_bytes, sums->about[SW_MOMENT_FREE], out);
        sw_sink_printf(out, " %s free", free_bytes == 1 ? "is" : "are");
        if (largest != SW_UNTOLD && free_bytes > 0) {
            sw_sink_printf(out, ", ");
            put_told_bytes(largest, sums->about[SW_MOMENT_LARGEST_FREE], out);
            sw_sink_printf(out, " in the largest piece");
        }
    }
    sw_sink_printf(out, ".\n");
}

/* The limit, or what the device has, leaves so much for a new segment; SW_UNTOLD: not told. */
static uint64_t left_for_segments(const struct sw_moment_sums *sums, enum sw_moment_figure *by, uint64_t *about) {
    uint64_t limit = sums->figure[SW_MOMENT_LIMIT], reserved = sums->figure[SW_MOMENT_RESERVED];
    uint64_t left = SW_UNTOLD;
    if (limit != SW_UNTOLD && reserved != SW_UNTOLD) {
        left = limit > reserved ? limit - reserved : 0;
        *about = sums->about[SW_MOMENT_LIMIT] + sums->about[SW_MOMENT_RESERVED];
        *by = SW_MOMENT_LIMIT;
    }
    if (sums->figure[SW_MOMENT_DEVICE_FREE] < left) {
        left = sums->figure[SW_MOMENT_DEVICE_FREE];
        *about = sums->about[SW_MOMENT_DEVICE_FREE];
        *by = SW_MOMENT_DEVICE_FREE;
    }
    return left;
}

static void put_no_segment(const struct sw_moment_sums *sums, struct sw_sink *out) {
    enum sw_moment_figure by = SW_MOMENT_LIMIT;
    uint64_t about = 0, left = left_for_segments(sums, &by, &about);
    if (left == SW_UNTOLD) {
        return;
    }
    bool room = left >= sums->needed && left - sums->needed >= about;
    sw_sink_printf(out, room ? "A new segment was not got, though " : "No new segment: ");
    sw_sink_printf(out, by == SW_MOMENT_LIMIT ? "the limit leaves " : "the device has ");
    put_told_bytes(left, about, out);
    sw_sink_printf(out, by == SW_MOMENT_LIMIT ? ".\n" : " free.\n");
}

/* Fragmentation in the sense people mean: bytes that are free and cannot serve. */
static void put_small_pieces(const struct sw_moment_sums *sums, struct sw_sink *out) {
    uint64_t shown = sums->bytes[SW_HELD_FREE];
    if (shown == 0) {
        return;
    }
    if (sums->small_free == shown) {
        sw_sink_printf(out,
                       sums->small_pieces == 1 ? "All that is free is one piece smaller than that.\n"
                                               : "All that is free is in pieces smaller than that, %s of them.\n",
                       SW_COUNT(sums->small_pieces));
        return;
    }
    sw_sink_printf(out, "Of what is free ");
    put_told_bytes(sums->small_free, 0, out);
    sw_sink_printf(out, " (%s) in pieces smaller than that; a free piece is large enough",
                   SW_PERCENT((double)sums->small_free / (double)shown, false));
    sw_sink_printf(out, ", so what is free was not what it lacked, or the piece is of another pool.\n");
}

/* Sums alone: what they rule out. */
static void put_ruled_out(const struct sw_moment_sums *sums, struct sw_sink *out) {
    uint64_t reserved = sums->figure[SW_MOMENT_RESERVED], used = sums->figure[SW_MOMENT_IN_USE];
    if (sums->figure[SW_MOMENT_FREE] != SW_UNTOLD || reserved == SW_UNTOLD || used == SW_UNTOLD || used > reserved) {
        return;
    }
    uint64_t about = sums->about[SW_MOMENT_RESERVED] + sums->about[SW_MOMENT_IN_USE], inside = reserved - used;
    put_told_bytes(inside, about, out);
    sw_sink_printf(out, " %s reserved and not in use; ", inside == 1 ? "is" : "are");
    if (inside + about < sums->needed) {
        sw_sink_printf(out, "that is less than was asked for: no other arrangement of what is in use would have served "
                            "it, and fragmentation is not the cause.\n");
    } else if (inside >= sums->needed + about) {
        sw_sink_printf(out, "that is as much as was asked for, but in no one piece: fragmentation, or another pool or "
                            "stream.\n");
    } else {
        sw_sink_printf(out, "the rounding of the figures leaves open whether that is enough.\n");
    }
}

void sw_moment_put_why(const struct sw_moment *moment, struct sw_sink *out) {
    struct sw_moment_sums sums;
    if (moment->failure.size == SW_UNTOLD) {
        return;
    }
    sw_moment_sum(moment, &sums);
    put_asked(moment, &sums, out);
    put_free(&sums, out);
    put_small_pieces(&sums, out);
    put_ruled_out(&sums, out);
    put_no_segment(&sums, out);
}

/* ---- what would have made it fit ---- */

static void put_block_name(const struct sw_moment_block *block, struct sw_sink *out) {
    char text[24];
    if (block->name || block->origin) {
        const char *name = block->name ? block->name : block->origin;
        sw_sink_text(out, SW_SHOWN(name));
        sw_sink_printf(out, " at ");
    }
    sw_sink_printf(out, "0x%" PRIx64 " of %s", block->address, sw_show_bytes_long(block->size, text));
}

static void put_window_blocks(const struct sw_moment *moment, const struct sw_moment_window *window,
                              struct sw_sink *out) {
    uint64_t named = 0;
    for (size_t i = window->first; i < window->first + window->count; i++) {
        const struct sw_moment_block *block = &moment->blocks.items[i];
        bool taken = block->state == SW_HELD_USED || block->state == SW_HELD_WAITING;
        if (taken && named < BLOCKS_NAMED) {
            sw_sink_printf(out, named++ ? ", " : ": ");
            put_block_name(block, out);
        }
    }
    if (window->used > named) {
        sw_sink_printf(out, ", and %s more", SW_COUNT(window->used - named));
    }
}

static void put_release(const struct sw_moment *moment, const struct sw_moment_sums *sums, struct sw_sink *out) {
    struct sw_moment_window window;
    sw_moment_release(moment, sums->needed, &window);
    if (window.segment == SW_NONE) {
        if (moment->segments.count > 0 && sums->blocks[SW_HELD_UNTOLD] == 0) {
            sw_sink_printf(out,
                           "No segment is as large as that: giving back blocks alone makes no piece of that size.\n");
        }
        return;
    }
    if (window.used == 0) {
        sw_sink_printf(out, "A free piece of that size is in ");
        sw_moment_put_segment(moment, window.segment, out);
        sw_sink_printf(out, ".\n");
        return;
    }
    sw_sink_printf(out, "Giving back %s (", SW_COUNTED(window.used, "block"));
    put_told_bytes(window.used_bytes, 0, out);
    sw_sink_printf(out, ") in ");
    sw_moment_put_segment(moment, window.segment, out);
    sw_sink_printf(out, " leaves one free piece of ");
    put_told_bytes(window.bytes, 0, out);
    put_window_blocks(moment, &window, out);
    sw_sink_printf(out, ". Fewer blocks make no room.\n");
}

static void put_pins(const struct sw_moment *moment, struct sw_sink *out) {
    struct sw_moment_pins pins = {0};
    out->failed |= !sw_moment_find_pins(moment, &pins);
    for (size_t i = 0; i < pins.items.count && i < PINS_NAMED; i++) {
        const struct sw_moment_pinned *pin = &pins.items.items[i];
        char used[24], free_bytes[24];
        sw_sink_printf(out, "%s of %s keep%s ", SW_COUNTED(pin->used, "block"),
                       sw_show_bytes_long(pin->used_bytes, used), pin->used == 1 ? "s" : "");
        sw_moment_put_segment(moment, pin->segment, out);
        sw_sink_printf(out, ", of which %s are free.\n", sw_show_bytes_long(pin->free_bytes, free_bytes));
    }
    if (pins.items.count > PINS_NAMED) {
        sw_sink_printf(out, "So it is with %s more.\n", SW_COUNTED(pins.items.count - PINS_NAMED, "segment"));
    }
    SW_ARRAY_DONE(&pins.items);
}

static void put_other_limit(const struct sw_moment_sums *sums, struct sw_sink *out) {
    enum sw_moment_figure by = SW_MOMENT_LIMIT;
    uint64_t about = 0, left = left_for_segments(sums, &by, &about);
    if (left != SW_UNTOLD && by == SW_MOMENT_LIMIT && left < sums->needed) {
        uint64_t limit = sums->figure[SW_MOMENT_RESERVED] + sums->needed;
        sw_sink_printf(out, "A limit of at least ");
        put_told_bytes(limit, about, out);
        sw_sink_printf(out, ", ");
        put_told_bytes(limit - sums->figure[SW_MOMENT_LIMIT], about, out);
        sw_sink_printf(out, " more, has room for a new segment of that size.\n");
    }
}

void sw_moment_put_ways(const struct sw_moment *moment, struct sw_sink *out) {
    struct sw_moment_sums sums;
    sw_moment_sum(moment, &sums);
    if (sums.needed != SW_UNTOLD) {
        put_release(moment, &sums, out);
        put_other_limit(&sums, out);
    }
    put_pins(moment, out);
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
    if (sums.blocks[SW_HELD_UNTOLD] > 0) {
        sw_sink_printf(out, "Of %s in segments the text does not tell what is there.\n",
                       SW_BYTES(sums.bytes[SW_HELD_UNTOLD]));
    }
}
