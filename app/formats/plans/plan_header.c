/* A finished plan as a C header: for firmware that lays its buffers out at compile time.
 *
 * It holds constants only: sizes of the arenas, an offset, a size and a tier for every buffer, and
 * a checksum that the program may verify. Static assertions say that every buffer lies in its
 * arena, on its alignment. C99 and later (assertions from C11 on), C++11 and later. */

#include "formats/format.h"
#include "base/base.h"
#include "formats/plans/finished_plan.h"
#include "formats/text/unique.h"
#include "planners/planner.h"

struct header_text {
    const struct sw_result *result;
    const struct sw_problem *problem;
    struct sw_sink *sink;
    struct sw_arena arena;
    struct sw_unique unique;
    const char *prefix;               /* "MOBILENET_V1" */
    const char *arenas[SW_MAX_TIERS]; /* "MOBILENET_V1_ARENA" */
    bool wide;                        /* some number needs 64 bits */
};

/* A name as a part of an identifier: letters and digits, all else '_'; upper case, since these are
 * constants. */
static char *identifier(struct sw_arena *arena, const char *before, const char *name) {
    size_t length = strlen(before) + strlen(name) + 2, used = strlen(before);
    char *text = sw_arena_new(arena, length, 1);
    if (!text) {
        return NULL;
    }
    memcpy(text, before, used);
    for (; *name; name++) {
        text[used++] = sw_is_letter(*name) ? (char)(*name & ~0x20) : sw_is_digit(*name) ? *name : '_';
    }
    text[used] = '\0';
    return text;
}

/* What stands between comment signs must not end the comment nor seem to begin another, nor turn
 * into another character (??/ is a backslash to some compilers); and it is text for people. */
static void add_comment(struct sw_sink *sink, const char *text) {
    uint32_t before = 0;
    char last = ' ';
    for (size_t skip; *text; text += skip) {
        bool shown = sw_utf8_shown(text, SIZE_MAX, true, &before, &skip);
        char first = shown ? *text : '?';
        bool sign = (last == '*' && first == '/') || (last == '/' && first == '*') || (last == '?' && first == '?');
        sw_sink_add(sink, " ", sign);
        sw_sink_add(sink, shown ? text : "?", shown ? skip : 1);
        last = first;
    }
}

static uint64_t fold_byte(uint64_t checksum, uint64_t value) {
    for (int i = 0; i < 8; i++) { /* FNV-1a over eight bytes, the lowest first */
        checksum = (checksum ^ (value >> (8 * i) & 0xff)) * UINT64_C(0x100000001b3);
    }
    return checksum;
}

static void add_settings(struct header_text *h, const struct sw_params *params) {
    sw_sink_printf(h->sink, ", seed %" PRIu64, params->seed);
    if (params->work) {
        sw_sink_printf(h->sink, ", work %" PRIu64, params->work);
    }
    for (size_t i = 0; i < params->settings.count; i++) {
        sw_sink_printf(h->sink, ", ");
        add_comment(h->sink, params->settings.items[i].key);
        sw_sink_printf(h->sink, "=");
        add_comment(h->sink, params->settings.items[i].value);
    }
}

static void add_provenance(struct header_text *h) {
    const struct sw_result *result = h->result;
    struct sw_metrics metrics;
    sw_metrics_of(result->layout, &metrics);
    sw_sink_printf(h->sink, "/* Made by stowage " STOWAGE_VERSION "; do not edit.\n * input    ");
    add_comment(h->sink, sw_path_name(result->source));
    if (result->digest) {
        sw_sink_printf(h->sink, ", digest %016" PRIx64, result->digest);
    }
    sw_sink_printf(h->sink, ", problem %016" PRIx64 "\n * planner  ", sw_problem_digest(h->problem));
    add_comment(h->sink, sw_search_planner(result->search)->name);
    add_settings(h, sw_search_params(result->search));
    sw_sink_printf(h->sink, ", %" PRIu64 " decisions\n", sw_search_at(result->search));
    char text[200];
    const char *words = sw_plan_assumed_words(result, text, sizeof text);
    h->sink->failed |= !words;
    if (words && *words) {
        sw_sink_printf(h->sink, " * warning  %s\n", words);
    }
    if (metrics.single_tier) {
        sw_sink_printf(h->sink, " * peak     %" PRIu64 " bytes, lower bound %" PRIu64 "%s */\n", metrics.peak,
                       metrics.lower_bound, result->optimal ? "; proved: nothing smaller exists" : "");
        return;
    }
    /* The bound is one over all memories: it says nothing about the peak of one of them. */
    for (uint32_t t = 0; t < sw_problem_tier_count(h->problem); t++) {
        sw_sink_printf(h->sink, "%s", t ? ", " : " * peaks    ");
        add_comment(h->sink, sw_problem_tier(h->problem, t)->name);
        sw_sink_printf(h->sink, " %" PRIu64 " bytes", metrics.tier_peak[t]);
    }
    sw_sink_printf(h->sink, " */\n");
}

static void add_header_number(struct header_text *h, const char *name, const char *what, uint64_t value) {
    sw_sink_printf(h->sink, "#define %s_%s %" PRIu64 "%s\n", name, what, value, h->wide ? "ull" : "u");
}

/* The name, or with a number behind it when another thing has it already; NULL: no memory. */
static const char *own_name(struct header_text *h, const char *name) {
    for (;;) {
        const char *own = name ? sw_unique_name(&h->unique, &h->arena, name) : NULL;
        const char *clean = own ? identifier(&h->arena, "", own) : NULL;
        if (!clean || strcmp(clean, own) == 0) {
            return clean;
        }
        name = clean; /* the number made it no identifier: is the clean one still free? */
    }
}

/* The arena of every tier in use; with one tier it has no name of its own. */
static bool add_arenas(struct header_text *h) {
    uint32_t tiers = sw_problem_tier_count(h->problem);
    for (uint32_t t = 0; t < tiers; t++) {
        uint64_t alignment = 1;
        for (uint32_t b = 0; b < sw_problem_buffer_count(h->problem); b++) {
            const struct sw_buffer *buffer = sw_problem_buffer(h->problem, b);
            struct sw_placement place;
            if (sw_layout_placement(h->result->layout, b, 0, &place) && place.tier == t &&
                buffer->alignment > alignment) {
                alignment = buffer->alignment;
            }
        }
        const char *before = identifier(&h->arena, h->prefix, "_ARENA");
        if (before && tiers > 1) {
            before = identifier(&h->arena, before, "_");
            before = before ? identifier(&h->arena, before, sw_problem_tier(h->problem, t)->name) : NULL;
        }
        before = own_name(h, before);
        if (!before) {
            return false;
        }
        h->arenas[t] = before;
        add_header_number(h, before, "BASE", h->result->base);
        add_header_number(h, before, "SIZE", sw_layout_arena(h->result->layout, t));
        add_header_number(h, before, "ALIGNMENT", alignment);
    }
    return true;
}

/* What must stay true of its constants when one of them is edited. No sum wraps around. */
static void add_assertions(struct header_text *h, const char *name, const char *arena, uint64_t alignment) {
    sw_sink_printf(h->sink,
                   "%s_ASSERT(%s_SIZE <= %s_SIZE &&\n"
                   "    %s_OFFSET - %s_BASE <= %s_SIZE - %s_SIZE, \"it ends inside\");\n",
                   h->prefix, name, arena, name, arena, arena, name);
    if (alignment > 1) {
        sw_sink_printf(h->sink, "%s_ASSERT(%s_OFFSET %% %" PRIu64 "%s == 0, \"it is aligned\");\n", h->prefix, name,
                       alignment, h->wide ? "ull" : "u");
    }
}

/* Its constants. */
static bool add_header_buffer(struct header_text *h, uint32_t b, uint32_t number, struct sw_error *error) {
    const struct sw_buffer *buffer = sw_problem_buffer(h->problem, b);
    struct sw_placement place, more;
    if (!sw_layout_placement(h->result->layout, b, 0, &place)) {
        return sw_fail(error, SW_ERROR_UNSUPPORTED, "%s has no place", buffer->name);
    }
    if (sw_layout_placement(h->result->layout, b, 1, &more) || place.span.to != UINT32_MAX) {
        return sw_fail(error, SW_ERROR_UNSUPPORTED, "a header cannot say that %s moves during its life (write .json)",
                       buffer->name);
    }
    if (buffer->alignment > 1 && h->result->base % buffer->alignment != 0) {
        return sw_fail(error, SW_ERROR_USAGE,
                       "--base 0x%" PRIx64 ": %s needs an address that is a multiple of %" PRIu64, h->result->base,
                       buffer->name, buffer->alignment);
    }
    char *full = identifier(&h->arena, h->prefix, "_");
    full = full ? identifier(&h->arena, full, buffer->name) : NULL;
    const char *clean = own_name(h, full);
    if (!clean) {
        return sw_fail_memory(error);
    }
    sw_sink_printf(h->sink, "\n/* ");
    add_comment(h->sink, buffer->name);
    sw_sink_printf(h->sink, ", alive %" PRId64 "..%" PRId64 " */\n", sw_problem_time(h->problem, buffer->first),
                   sw_problem_time(h->problem, buffer->last + 1) - 1);
    sw_sink_printf(h->sink, "#define %s_INDEX %" PRIu32 "\n", clean, number);
    add_header_number(h, clean, "OFFSET", place.offset + h->result->base);
    add_header_number(h, clean, "SIZE", buffer->size);
    if (sw_problem_tier_count(h->problem) > 1) {
        sw_sink_printf(h->sink, "#define %s_TIER %" PRIu32 " /* ", clean, place.tier);
        add_comment(h->sink, sw_problem_tier(h->problem, place.tier)->name);
        sw_sink_printf(h->sink, " */\n");
    }
    add_assertions(h, clean, h->arenas[place.tier], buffer->alignment);
    return true;
}

static void add_header_array(struct header_text *h, const char *what, bool sizes) {
    const char *type = h->wide ? "uint64_t" : "uint32_t";
    uint32_t written = 0;
    sw_sink_printf(h->sink, "\nstatic const %s %s_%s[] = {", type, h->prefix, what);
    for (uint32_t i = 0; i < sw_problem_planned_count(h->problem); i++) {
        uint32_t b = sw_problem_order(h->problem)[i];
        struct sw_placement place = {0};
        sw_layout_placement(h->result->layout, b, 0, &place);
        uint64_t value = sizes ? sw_problem_buffer(h->problem, b)->size : place.offset + h->result->base;
        sw_sink_printf(h->sink, "%s%" PRIu64 "%s,", written++ % 8 ? " " : "\n    ", value, h->wide ? "ull" : "u");
    }
    sw_sink_printf(h->sink, "%s};\n", written ? "\n" : "0");
}

/* Of all offsets and sizes, in the order of the arrays. */
static void add_checksum(struct header_text *h) {
    uint64_t checksum = UINT64_C(0xcbf29ce484222325);
    for (uint32_t i = 0; i < sw_problem_planned_count(h->problem); i++) {
        uint32_t b = sw_problem_order(h->problem)[i];
        struct sw_placement place = {0};
        sw_layout_placement(h->result->layout, b, 0, &place);
        checksum = fold_byte(checksum, place.offset + h->result->base);
        checksum = fold_byte(checksum, sw_problem_buffer(h->problem, b)->size);
    }
    sw_sink_printf(h->sink,
                   "\n/* FNV-1a over every offset and size, eight bytes each, the lowest first. */\n"
                   "#define %s_CHECKSUM 0x%016" PRIx64 "ull\n"
                   "static inline uint64_t %s_checksum(void) {\n"
                   "    uint64_t sum = 0xcbf29ce484222325ull;\n",
                   h->prefix, checksum, h->prefix);
    if (sw_problem_planned_count(h->problem) > 0) { /* compilers complain of a loop to 0 */
        sw_sink_printf(h->sink,
                       "    for (unsigned i = 0; i < %s_COUNT; i++) {\n"
                       "        for (unsigned k = 0; k < 16; k++) {\n"
                       "            uint64_t value = k < 8 ? %s_OFFSETS[i] : %s_SIZES[i];\n"
                       "            sum = (sum ^ (value >> (8 * (k %% 8)) & 0xff)) * 0x100000001b3ull;\n"
                       "        }\n"
                       "    }\n",
                       h->prefix, h->prefix, h->prefix);
    }
    sw_sink_printf(h->sink, "    return sum;\n}\n");
}

static void add_header_begin(struct header_text *h) {
    const char *p = h->prefix;
    add_provenance(h);
    sw_sink_printf(h->sink, "#ifndef %s_PLAN_H\n#define %s_PLAN_H\n\n#include <stdint.h>\n\n", p, p);
    sw_sink_printf(h->sink,
                   "#if defined(__cplusplus)\n#define %s_ASSERT(truth, why) static_assert(truth, why)\n"
                   "#elif defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L\n"
                   "#define %s_ASSERT(truth, why) _Static_assert(truth, why)\n"
                   "#else\n#define %s_ASSERT(truth, why) extern int %s_unused\n#endif\n\n",
                   p, p, p, p);
    sw_sink_printf(h->sink, "#define %s_COUNT %" PRIu32 "u /* buffers */\n", p, sw_problem_planned_count(h->problem));
}

static bool needs_wide(const struct sw_result *result) {
    const struct sw_problem *problem = sw_layout_problem(result->layout);
    for (uint32_t t = 0; t < sw_problem_tier_count(problem); t++) {
        if (sw_layout_arena(result->layout, t) + result->base > UINT32_MAX) {
            return true;
        }
    }
    return result->base > UINT32_MAX;
}

static bool write_header(struct header_text *h, struct sw_error *error) {
    add_header_begin(h);
    if (!add_arenas(h)) {
        return sw_fail_memory(error);
    }
    for (uint32_t i = 0; i < sw_problem_planned_count(h->problem); i++) {
        if (!add_header_buffer(h, sw_problem_order(h->problem)[i], i, error)) {
            return false;
        }
    }
    add_header_array(h, "OFFSETS", false);
    add_header_array(h, "SIZES", true);
    add_checksum(h);
    sw_sink_printf(h->sink, "\n#undef %s_ASSERT\n#endif\n", h->prefix);
    return !h->sink->failed || sw_fail_memory(error);
}

static bool plan_header_write(const struct sw_result *result, struct sw_sink *sink, struct sw_error *error) {
    struct header_text h = {.result = result, .problem = sw_layout_problem(result->layout), .sink = sink};
    const char *name = sw_problem_name(h.problem);
    const char *before = *name && sw_is_letter(*name) ? "" : "PLAN_";
    h.wide = needs_wide(result);
    h.prefix = identifier(&h.arena, before, name);
    bool good = h.prefix ? write_header(&h, error) : sw_fail_memory(error);
    sw_unique_done(&h.unique);
    sw_arena_done(&h.arena);
    return good;
}

const struct sw_format sw_format_plan_header = {
    .name = "plan-header",
    .summary = "a finished plan as a C header: arenas, offsets, sizes, a checksum, static assertions",
    .extensions = ".h",
    .write_plan = plan_header_write,
};
