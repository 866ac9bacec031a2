/* What is said of a request that failed is true, on random states of a device: what the allocator holds, what others
 * have, limits. The message is printed with PyTorch's rounding, in the wording of one of its versions, broken and
 * quoted as people paste it, read back, and each claim compared with the state. */
#include "share.h"
#include "model.h"

#include "formats/format.h"
#include "problem/moment/moment.h"
#include "view/moment/moment_words.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SHARE = 16000, FULL = 40000 };
#define KIB UINT64_C(1024)
#define MIB (KIB * KIB)

static uint64_t not_the_cause, in_pieces, can_be, left_open, refused, ample, placed, besides, higher_limits,
    too_large_ones, all_backs;

/* ---- a state ---- */

struct state {
    uint64_t device, free, others[2], beside; /* others: other processes; beside: this process's own, not PyTorch's */
    uint64_t reserved, used, private;         /* private: free in private pools */
    uint64_t limit;                           /* 0: none */
    uint64_t block, segment;
};

static uint64_t state_random;
static uint64_t draw(uint64_t below) {
    state_random = state_random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return below ? (state_random >> 16) % below : 0;
}

/* Of any magnitude up to `most`. */
static uint64_t draw_bytes(uint64_t most) {
    uint64_t bytes = draw(most + 1);
    return bytes >> draw(24);
}

static uint64_t up_to(uint64_t bytes, uint64_t multiple) {
    return (bytes + multiple - 1) / multiple * multiple;
}

static void draw_state(struct state *s) {
    *s = (struct state){.device = 2 * 1024 * MIB + draw(80 * 1024 * MIB)};
    uint64_t left = s->device;
    s->reserved = up_to(draw(left), 2 * MIB);
    s->reserved = s->reserved > left ? left / (2 * MIB) * (2 * MIB) : s->reserved;
    left -= s->reserved;
    for (int i = 0; i < 2; i++) {
        s->others[i] = i == 0 && draw(2) ? left - draw_bytes(left) : draw_bytes(left);
        left -= s->others[i];
    }
    if (draw(8) == 0) {
        left += s->others[0] + s->others[1];
        s->others[0] = s->others[1] = 0;
    }
    s->beside = draw(4) ? draw_bytes(left) : 0;
    left -= s->beside;
    s->free = left;
    uint64_t idle = draw_bytes(s->reserved);
    s->used = (s->reserved - idle) / 512 * 512;
    s->private = draw(3) ? 0 : draw_bytes(s->reserved - s->used);
    s->limit = draw(3) ? 0 : s->reserved + draw_bytes(s->free);
    /* Near what there is, so that a little more or less decides. */
    uint64_t near = s->reserved - s->used + (draw(2) ? s->free : 0);
    uint64_t block = draw(2) ? draw_bytes(4 * 1024 * MIB) : near + draw(64 * MIB) - (near > 32 * MIB ? 32 * MIB : near);
    if (draw(16) == 0) {
        block = s->device - 64 * MIB + draw(128 * MIB);
    }
    s->block = up_to(block ? block : 1, 512);
    s->segment = s->block <= MIB ? 2 * MIB : s->block < 10 * MIB ? 20 * MIB : up_to(s->block, 2 * MIB);
}

/* ---- the message ---- */

struct text {
    char at[4096];
    size_t length;
};

static void add(struct text *to, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void add(struct text *to, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(to->at + to->length, sizeof to->at - to->length, format, arguments);
    va_end(arguments);
    to->length += (size_t)length;
}

/* As c10's format_size has it. */
static const char *sized(uint64_t bytes, char text[32]) {
    if (bytes <= KIB) {
        snprintf(text, 32, "%llu bytes", (unsigned long long)bytes);
    } else if (bytes <= MIB) {
        snprintf(text, 32, "%.2f KiB", (double)bytes / (double)KIB);
    } else if (bytes <= KIB * MIB) {
        snprintf(text, 32, "%.2f MiB", (double)bytes / (double)MIB);
    } else {
        snprintf(text, 32, "%.2f GiB", (double)bytes / (double)(KIB * MIB));
    }
    return text;
}
#define SIZED(bytes) sized(bytes, (char[32]){0})

enum wording { CACHED, RESERVED, CAPACITY, WORDINGS };

static void write_message(struct state *s, enum wording wording, struct text *to) {
    s->limit = wording == CACHED ? 0 : s->limit;
    s->private = wording == CAPACITY ? s->private : 0;
    add(to, "RuntimeError: CUDA out of memory. Tried to allocate %s", SIZED(s->segment));
    if (wording != CAPACITY) {
        add(to, " (GPU 0; %s total capacity; %s already allocated; %s free; ", SIZED(s->device), SIZED(s->used),
            SIZED(s->free));
        if (s->limit) {
            add(to, "%s allowed; ", SIZED(s->limit));
        }
        add(to, wording == CACHED ? "%s cached)" : "%s reserved in total by PyTorch)",
            SIZED(wording == CACHED ? s->reserved - s->used : s->reserved));
        add(to, "%s",
            draw(2) ? ""
                    : " If reserved memory is >> allocated memory try setting max_split_size_mb to avoid "
                      "fragmentation.");
        return;
    }
    add(to, ". GPU 0 has a total %s of %s of which %s is free. ", draw(2) ? "capacity" : "capacty", SIZED(s->device),
        SIZED(s->free));
    for (int i = 0; i < 2; i++) {
        if (s->others[i]) {
            add(to, "Process %llu has %s memory in use. ", (unsigned long long)(1 + draw(99999)), SIZED(s->others[i]));
        }
    }
    uint64_t own = s->reserved + s->beside;
    if (draw(2)) {
        add(to, "Including non-PyTorch memory, this process has %s memory in use. ", SIZED(own));
    } else if (draw(2)) {
        add(to, "Process %llu has %s memory in use. ", (unsigned long long)(1 + draw(99999)), SIZED(own));
    }
    if (s->limit) {
        add(to, "%s allowed; ", SIZED(s->limit));
    }
    add(to, "Of the allocated memory %s is allocated by PyTorch, ", SIZED(s->used + s->private));
    if (s->private) {
        add(to, "with %s allocated in private pools (e.g., CUDA Graphs), ", SIZED(s->private));
    }
    add(to, "and %s is reserved by PyTorch but unallocated.", SIZED(s->reserved - s->used - s->private));
}

/* As people paste it: after other lines, quoted, in color, broken at some column. */
static void paste(const struct text *message, struct text *to) {
    bool quoted = draw(2), colored = draw(3) == 0;
    size_t width = draw(2) ? 40 + draw(100) : SIZE_MAX;
    add(to, "%sTraceback (most recent call last):\n%s  File \"a.py\", line 3, in <module>\n", quoted ? "> " : "",
        quoted ? "> " : "");
    add(to, "%s%s", quoted ? "> " : "", colored ? "\033[31m" : "");
    for (size_t i = 0; i < message->length; i++) {
        if (i > 0 && i % width == 0) {
            add(to, "\n%s", quoted ? "> " : "");
        }
        add(to, "%c", message->at[i]);
    }
    add(to, "%s\n", colored ? "\033[0m" : "");
}

/* ---- the claims ---- */

static const char *pasted;
static const char *said;
#define holds(truth, ...)                                               \
    do {                                                                \
        if (!(truth)) {                                                 \
            printf(__VA_ARGS__);                                        \
            printf(": is not so (" #truth ")\n%s\n%s\n", pasted, said); \
            exit(1);                                                    \
        }                                                               \
    } while (0)

/* The bytes behind some words, as they are shown; -1: the words are not there, or no bytes. */
static double shown_behind(const char *words) {
    const char *at = strstr(said, words);
    char unit[8] = "";
    double number = -1;
    if (at) {
        char plain[32] = "";
        size_t length = 0;
        for (at += strlen(words); length < 31 && strchr("0123456789.,", *at) && *at; at++) {
            if (*at != ',') {
                plain[length++] = *at;
            }
        }
        if (length == 0) {
            return -1;
        }
        number = atof(plain);
        sscanf(at, " %7s", unit);
        number *= unit[0] == 'K'   ? 0x1p10
                  : unit[0] == 'M' ? 0x1p20
                  : unit[0] == 'G' ? 0x1p30
                  : unit[0] == 'T' ? 0x1p40
                                   : 1;
    }
    return number;
}

static void check_figures(const struct sw_moment *moment, const struct state *s) {
    const uint64_t idle = s->reserved - s->used;
    for (size_t i = 0; i < moment->told.count; i++) {
        const struct sw_moment_told *told = &moment->told.items[i];
        uint64_t truth[SW_MOMENT_FIGURES] = {[SW_MOMENT_RESERVED] = s->reserved,
                                             [SW_MOMENT_IN_USE] = s->used,
                                             [SW_MOMENT_IDLE] = idle,
                                             [SW_MOMENT_LIMIT] = s->limit,
                                             [SW_MOMENT_DEVICE] = s->device,
                                             [SW_MOMENT_DEVICE_FREE] = s->free,
                                             [SW_MOMENT_PRIVATE] = s->private,
                                             [SW_MOMENT_PROCESS] = s->reserved + s->beside};
        uint64_t bytes = truth[told->figure];
        if (told->figure == SW_MOMENT_OTHERS) {
            bool one = false; /* both, or one of which the text tells which process it is */
            for (int k = 0; k < 3; k++) {
                uint64_t sum = (k != 1 ? s->others[0] : 0) + (k != 0 ? s->others[1] : 0);
                one = one || (told->bytes <= sum + told->about && sum <= told->bytes + told->about);
            }
            holds(one, "other processes");
            continue;
        }
        holds(told->bytes <= bytes + told->about && bytes <= told->bytes + told->about, "%s %llu about %llu, not %llu",
              sw_moment_figure_key(told->figure), (unsigned long long)told->bytes, (unsigned long long)told->about,
              (unsigned long long)bytes);
    }
}

/* How far a figure of the message may be from its bytes. */
static double half_of(uint64_t bytes) {
    return bytes <= KIB ? 0 : 0.005 * (double)(bytes <= MIB ? KIB : bytes <= KIB * MIB ? MIB : KIB * MIB);
}

static void check_claims(const struct state *s, bool of_segment) {
    const uint64_t idle = s->reserved - s->used, left = s->limit ? s->limit - s->reserved : UINT64_MAX;
    const uint64_t room = s->free < left ? s->free : left;
    const bool too_large = strstr(said, "the request is larger than the device") != NULL;
    const bool all_back = strstr(said, "All that is in use, given back, makes no room") != NULL;
    double more = shown_behind("Of what is in use at least about "), block = shown_behind("for a block of at least ");
    holds(of_segment == (block >= 0) && block <= (double)s->block, "the block is at least");
    if (strstr(said, "fragmentation is not the cause")) {
        holds(idle + room < s->block, "not the cause");
        holds(!of_segment || more >= 0 || too_large || all_back, "what is lacking");
        not_the_cause++;
    } else if (strstr(said, "no one piece of it could serve")) {
        holds(idle >= s->block, "in pieces");
        in_pieces++;
    } else if (strstr(said, "fragmentation can be the cause")) {
        holds(idle + room >= s->block, "can be the cause");
        can_be++;
    } else if (strstr(said, "leaves open whether")) {
        left_open++;
    }
    const double off = of_segment ? half_of(s->segment) + half_of(s->reserved) + half_of(s->used) + half_of(s->free) +
                                        half_of(s->limit) + half_of(s->private) + 2 * half_of(idle)
                                  : 0;
    holds(more < 0 || (double)(s->block - idle - room) >= 0.995 * more - off, "at least so much");
    holds(!too_large || (of_segment && s->block > s->device), "larger than the device");
    holds(!all_back || s->block > s->reserved + room, "more than is in use");
    too_large_ones += too_large;
    all_backs += all_back;
    bool device_short = strstr(said, "No new segment: the device has") != NULL;
    bool limit_short = strstr(said, "No new segment: the limit leaves") != NULL;
    holds(!device_short || s->free < s->segment, "the device has too little");
    holds(!limit_short || left < s->segment, "the limit leaves too little");
    refused += device_short || limit_short;
    if (strstr(said, "A new segment was not got, though")) {
        holds(room >= s->segment && !device_short && !limit_short, "there is room");
        ample++;
    }
    double limit = shown_behind("A limit of at least "),
           free = shown_behind(of_segment ? "For a new segment about " : "For a new segment ");
    holds(limit < 0 || (limit_short && limit >= (double)(s->reserved + s->segment)), "another limit");
    double higher = shown_behind("A limit that is ");
    holds(higher < 0 || (limit_short && fabs(higher - (double)(s->segment - left)) <= 0.01 * higher), "a higher limit");
    higher_limits += higher >= 0;
    free = of_segment && free < 0 ? shown_behind("For a new segment ") : free;
    holds(free < 0 || (device_short && fabs(free - (double)(s->segment - s->free)) <= off + 0.01 * free),
          "free on the device");
    if (strstr(said, "neither free nor reserved here")) {
        holds(s->others[0] + s->others[1] + s->beside > 0, "elsewhere");
        placed++;
    }
    if (strstr(said, "are not of this process")) {
        holds(s->others[0] + s->others[1] > 0, "others");
    }
    if (strstr(said, "of the device besides")) {
        holds(s->beside > 0, "besides");
        besides++;
    }
}

static void check_state(uint64_t seed) {
    struct state s;
    struct text message = {.length = 0}, text = {.length = 0};
    struct sw_error error = {0};
    state_random = seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
    draw(2);
    draw_state(&s);
    write_message(&s, (enum wording)draw(WORDINGS), &message);
    paste(&message, &text);
    pasted = text.at;
    said = "";
    struct sw_input input = {.name = "pasted", .bytes = text.at, .length = text.length};
    struct sw_problem *problem = sw_load_input(&input, NULL, &error);
    const struct sw_moment *moment = problem ? sw_problem_moment(problem) : NULL;
    holds(moment != NULL, "it is read: %s", error.message);
    struct sw_sink words = {0};
    sw_moment_put_why(moment, &words);
    sw_moment_put_ways(moment, &words);
    sw_sink_add(&words, "", 1);
    said = words.failed ? "" : words.text.items;
    check_figures(moment, &s);
    check_claims(&s, true);
    sw_sink_done(&words);
    sw_problem_unref(problem);
}

/* ---- segments and blocks that are shown ---- */

enum { MAP_SEGMENTS = 6, MAP_BLOCKS = 12 };

static uint64_t fewest, shown_small, elsewhere_large, side_by_side, rounded_windows;

struct map {
    struct {
        const char *pool, *stream;
        int count;
        uint64_t sizes[MAP_BLOCKS];
        enum sw_held_state states[MAP_BLOCKS];
    } segments[MAP_SEGMENTS];
    int count;
    const char *pool, *stream; /* of the request */
    uint64_t about;            /* the text rounds what was asked for */
};

static bool map_serves(const struct map *map, int s) {
    return (!map->pool || strcmp(map->pool, map->segments[s].pool) == 0) &&
           (!map->stream || strcmp(map->stream, map->segments[s].stream) == 0);
}

static void draw_map(struct map *map, struct sw_moment *moment, struct state *state) {
    static const char *const pools[] = {"large", "small"}, *const streams[] = {"0", "7"};
    *map = (struct map){.count = 1 + (int)draw(MAP_SEGMENTS)};
    *state = (struct state){.free = draw(40) * 512};
    for (int s = 0; s < map->count; s++) {
        uint64_t at = (uint64_t)(s + 1) << 32, size = 0;
        map->segments[s].pool = pools[draw(2)];
        map->segments[s].stream = streams[draw(2)];
        map->segments[s].count = 1 + (int)draw(MAP_BLOCKS);
        for (int b = 0; b < map->segments[s].count; b++) {
            uint64_t bytes = map->segments[s].sizes[b] = 512 * (1 + draw(20));
            enum sw_held_state held = map->segments[s].states[b] = draw(2)   ? SW_HELD_USED
                                                                   : draw(4) ? SW_HELD_FREE
                                                                             : SW_HELD_WAITING;
            struct sw_moment_block block = {.address = at + size,
                                            .size = bytes,
                                            .requested = SW_UNTOLD,
                                            .count = 1,
                                            .segment = SW_NONE,
                                            .state = held};
            sw_moment_add_block(moment, &block);
            state->used += held == SW_HELD_USED ? bytes : 0;
            size += bytes;
        }
        struct sw_moment_segment segment = {
            .address = at,
            .size = size,
            .pool = sw_moment_text(moment, map->segments[s].pool, strlen(map->segments[s].pool)),
            .stream = sw_moment_text(moment, map->segments[s].stream, 1)};
        sw_moment_add_segment(moment, &segment);
        state->reserved += size;
    }
    map->pool = draw(2) ? pools[draw(2)] : NULL;
    map->stream = draw(2) ? streams[draw(2)] : NULL;
    state->limit = draw(2) ? state->reserved + draw(20) * 512 : 0;
    state->block = 512 * (1 + draw(60));
    state->segment = up_to(state->block, draw(2) ? 512 : 8192);
}

/* The fewest blocks that leave a piece that large when they are given back, by all windows; -1: there is none. */
static int fewest_of(const struct map *map, uint64_t bytes) {
    int best = -1;
    for (int s = 0; s < map->count; s++) {
        for (int i = 0; map_serves(map, s) && i < map->segments[s].count; i++) {
            uint64_t sum = 0;
            int used = 0;
            for (int k = i; k < map->segments[s].count; k++) {
                sum += map->segments[s].sizes[k];
                used += map->segments[s].states[k] != SW_HELD_FREE;
                best = sum >= bytes && (best < 0 || used < best) ? used : best;
            }
        }
    }
    return best;
}

static void check_map_claims(const struct map *map, const struct state *state) {
    uint64_t largest = 0, serving = 0;
    for (int s = 0; s < map->count; s++) {
        for (int b = 0; b < map->segments[s].count; b++) {
            uint64_t bytes = map->segments[s].states[b] == SW_HELD_FREE ? map->segments[s].sizes[b] : 0;
            largest = bytes > largest ? bytes : largest;
            serving = map_serves(map, s) && bytes > serving ? bytes : serving;
        }
    }
    if (strstr(said, "All that is free is")) {
        holds(largest < state->block, "all is small");
        shown_small++;
    }
    if (strstr(said, "what is large enough is of another pool")) {
        holds((map->about || largest >= state->block) && serving < state->block, "of another pool");
        elsewhere_large++;
    }
    holds(!strstr(said, "a free piece is large enough and") || serving >= state->block, "large enough");
    holds(!strstr(said, "no one piece of it could serve") || serving < state->block, "no piece");
    int best = fewest_of(map, state->block);
    const char *back = strstr(said, "Giving back ");
    bool open = strstr(said, ": the rounding leaves open whether that is enough") != NULL;
    bool least = strstr(said, "Fewer blocks make no room") != NULL;
    holds(!back || open || (best >= 0 && atoi(back + 12) >= best), "so many make room, or more than the %d", best);
    holds(!back || !least || atoi(back + 12) == best, "the fewest are %d", best);
    holds(map->about || !back || (least && !open), "exact where nothing is rounded");
    holds(!strstr(said, "No segment that could serve it") || best < 0, "no segment");
    bool beside = strstr(said, "Free pieces side by side that are as large as that are in") != NULL;
    bool piece = beside || strstr(said, "A free piece of that size is in");
    holds(!piece || open || best == 0, "free pieces");
    holds(best < 0 || back || piece, "blocks to give back");
    fewest += back != NULL;
    side_by_side += beside;
    rounded_windows += map->about && back && !open;
}

static void check_map(uint64_t seed) {
    struct map map;
    struct state state;
    struct sw_error error = {0};
    struct sw_moment *moment = sw_moment_new();
    state_random = seed * UINT64_C(0xd1342543de82ef95) + 3;
    draw(2);
    draw_map(&map, moment, &state);
    map.about = draw(4) ? 0 : 512 * (1 + draw(6));
    moment->failure.size = state.block + draw(2 * map.about + 1) - map.about;
    moment->failure.size = moment->failure.size > state.block + map.about ? 0 : moment->failure.size; /* below 0 */
    moment->failure.about = map.about;
    moment->failure.rounded = map.about ? SW_UNTOLD : state.block;
    moment->planner = "cuda-caching";
    moment->failure.segment = state.segment;
    moment->failure.pool = map.pool ? sw_moment_text(moment, map.pool, strlen(map.pool)) : NULL;
    moment->failure.stream = map.stream ? sw_moment_text(moment, map.stream, 1) : NULL;
    sw_moment_tell(moment, &(struct sw_moment_told){.figure = SW_MOMENT_DEVICE_FREE, .bytes = state.free});
    if (state.limit) {
        bool left = draw(2); /* the limit, or what it leaves */
        sw_moment_tell(moment, &(struct sw_moment_told){.figure = left ? SW_MOMENT_LEFT : SW_MOMENT_LIMIT,
                                                        .bytes = state.limit - (left ? state.reserved : 0)});
    }
    pasted = "a map";
    said = "";
    holds(sw_moment_settle(moment, &error), "%s", error.message);
    struct sw_sink words = {0};
    sw_moment_put_why(moment, &words);
    sw_moment_put_ways(moment, &words);
    sw_sink_add(&words, "", 1);
    said = words.failed ? "" : words.text.items;
    check_claims(&state, false);
    check_map_claims(&map, &state);
    sw_sink_done(&words);
    sw_moment_unref(moment);
}

int main(void) {
    bool full = getenv("STOWAGE_LONG") != NULL;
    uint64_t states = full ? FULL : cases(SHARE), first = base_seed() + (full ? 0 : first_case(SHARE));
    for (uint64_t i = 0; i < states; i++) {
        check_state(first + i);
        check_map(first + i);
    }
    printf(
        "fragmentation: not the cause %llu, in pieces %llu, can be %llu, open %llu; no segment %llu, though there is "
        "room %llu; elsewhere %llu, besides %llu, a higher limit %llu, larger than the device %llu, than all %llu; "
        "maps: small %llu, of other pools %llu, blocks "
        "to give back %llu, of sizes that are rounded %llu, pieces side by side %llu\n",
        (unsigned long long)not_the_cause, (unsigned long long)in_pieces, (unsigned long long)can_be,
        (unsigned long long)left_open, (unsigned long long)refused, (unsigned long long)ample,
        (unsigned long long)placed, (unsigned long long)besides, (unsigned long long)higher_limits,
        (unsigned long long)too_large_ones, (unsigned long long)all_backs, (unsigned long long)shown_small,
        (unsigned long long)elsewhere_large, (unsigned long long)fewest, (unsigned long long)rounded_windows,
        (unsigned long long)side_by_side);
    if (full) {
        printf("in full: messages read %llu\n", (unsigned long long)states);
    }
    return often(not_the_cause, 200) && often(in_pieces, 200) && often(can_be, 10) && often(left_open, 50) &&
                   often(refused, 500) && often(ample, 50) && often(placed, 500) && often(besides, 50) &&
                   often(higher_limits, 50) && often(too_large_ones, 100) && often(all_backs, 20) &&
                   often(shown_small, 200) && often(elsewhere_large, 50) && often(fewest, 500) &&
                   often(rounded_windows, 100) && often(side_by_side, 5)
               ? 0
               : 1;
}
