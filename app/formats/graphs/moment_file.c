#include "formats/graphs/moment_file.h"
#include "base/base.h"
#include "problem/builder.h"

static const char *const figure_keys[SW_MOMENT_FIGURES] = {
    [SW_MOMENT_RESERVED] = "reserved",
    [SW_MOMENT_IN_USE] = "in_use",
    [SW_MOMENT_REQUESTED] = "requested",
    [SW_MOMENT_FREE] = "free",
    [SW_MOMENT_WAITING] = "waiting",
    [SW_MOMENT_LARGEST_FREE] = "largest_free",
    [SW_MOMENT_PEAK_USED] = "peak_in_use",
    [SW_MOMENT_PEAK_RESERVED] = "peak_reserved",
    [SW_MOMENT_LIMIT] = "limit",
    [SW_MOMENT_DEVICE] = "device",
    [SW_MOMENT_DEVICE_FREE] = "device_free",
    [SW_MOMENT_OTHERS] = "others",
    [SW_MOMENT_PROCESS] = "process",
    [SW_MOMENT_ACTIVE] = "active",
    [SW_MOMENT_IDLE] = "idle",
    [SW_MOMENT_SPLIT] = "split",
    [SW_MOMENT_PRIVATE] = "private",
    [SW_MOMENT_LEFT] = "left",
};
static const char *const held_words[SW_HELD_STATES] = {
    [SW_HELD_USED] = "in use", [SW_HELD_FREE] = "free", [SW_HELD_WAITING] = "waiting", [SW_HELD_UNTOLD] = "not told"};

const char *sw_moment_figure_key(enum sw_moment_figure figure) {
    return figure_keys[figure];
}

const char *sw_held_state_words(enum sw_held_state state) {
    return held_words[state];
}

/* ---- writing ---- */

static void put_told(struct sw_json_out *json, const char *key, uint64_t bytes) {
    sw_put_known(json, key, bytes != SW_UNTOLD, bytes);
}

/* Numbers of JSON are signed: the upper half of the addresses is told as a text. */
static void put_address(struct sw_json_out *json, uint64_t address) {
    if (address != SW_UNTOLD && address > INT64_MAX) {
        sw_put_printf(json, "address", "\"0x%" PRIx64 "\"", address);
    } else {
        put_told(json, "address", address);
    }
}

static void put_held_block(const struct sw_moment_block *block, struct sw_json_out *json) {
    sw_put_object(json, NULL);
    put_address(json, block->address);
    sw_put_count(json, "size", block->size);
    put_told(json, "requested", block->requested);
    if (block->count != 1) {
        sw_put_count(json, "count", block->count);
    }
    sw_put_text(json, "state", sw_held_state_words(block->state));
    sw_put_text(json, "name", block->name);
    sw_put_text(json, "origin", block->origin);
    sw_put_end(json);
}

static void put_held_blocks(const struct sw_moment *moment, size_t first, size_t count, struct sw_json_out *json) {
    sw_put_list(json, "blocks");
    for (size_t b = first; b < first + count; b++) {
        put_held_block(&moment->blocks.items[b], json);
    }
    sw_put_end(json);
}

static void put_held_segments(const struct sw_moment *moment, struct sw_json_out *json) {
    size_t inside = 0;
    sw_put_list(json, "segments");
    sw_put_lines(json);
    for (size_t s = 0; s < moment->segments.count; s++) {
        const struct sw_moment_segment *segment = &moment->segments.items[s];
        sw_put_object(json, NULL);
        put_address(json, segment->address);
        sw_put_count(json, "size", segment->size);
        sw_put_text(json, "allocator", segment->allocator);
        sw_put_text(json, "pool", segment->pool);
        sw_put_text(json, "stream", segment->stream);
        sw_put_truth(json, "implied", segment->implied);
        put_held_blocks(moment, segment->first, segment->count, json);
        sw_put_end(json);
        inside += segment->count;
    }
    sw_put_end(json);
    put_held_blocks(moment, inside, moment->blocks.count - inside, json); /* in no segment that is told */
}

static void put_failed(const struct sw_moment *moment, const struct sw_moment_sums *sums, sw_moment_more_fn *more,
                       struct sw_json_out *json) {
    const struct sw_moment_failure *failure = &moment->failure;
    if (failure->size == SW_UNTOLD) {
        sw_put_null(json, "failed");
        return;
    }
    sw_put_object(json, "failed");
    SW_PUT_COUNTS(json, {"size", failure->size}, {"about", failure->about}, {"block", sums->needed},
                  {"block_at_least", sums->least});
    put_told(json, "rounded", failure->rounded);
    put_told(json, "segment", failure->segment);
    put_told(json, "least", failure->least);
    sw_put_text(json, "allocator", failure->allocator);
    sw_put_text(json, "pool", failure->pool);
    sw_put_text(json, "stream", failure->stream);
    sw_put_text(json, "origin", failure->origin);
    if (more) {
        more(moment, json);
    }
    sw_put_end(json);
}

void sw_moment_json_put(const struct sw_moment *moment, sw_moment_more_fn *more, struct sw_json_out *json) {
    struct sw_moment_sums sums;
    sw_moment_sum(moment, &sums);
    sw_put_text(json, "what", moment->what);
    sw_put_text(json, "planner", moment->planner);
    sw_put_text(json, "settings", moment->settings);
    put_failed(moment, &sums, more, json);
    sw_put_list(json, "told");
    for (size_t i = 0; i < moment->told.count; i++) {
        const struct sw_moment_told *told = &moment->told.items[i];
        sw_put_object(json, NULL);
        sw_put_text(json, "figure", sw_moment_figure_key(told->figure));
        sw_put_text(json, "allocator", told->allocator);
        sw_put_text(json, "pool", told->pool);
        SW_PUT_COUNTS(json, {"bytes", told->bytes}, {"about", told->about});
        put_told(json, "shown", sums.shown[told->figure]);
        sw_put_end(json);
    }
    sw_put_end(json);
    put_held_segments(moment, json);
}

static void put_field(struct sw_sink *sink, uint64_t value) {
    if (value != SW_UNTOLD) {
        sw_sink_printf(sink, "%" PRIu64, value);
    }
    sw_sink_add(sink, ",", 1);
}

void sw_moment_csv_put(const struct sw_moment *moment, struct sw_sink *sink) {
    sw_sink_printf(sink, "segment,address,size,requested,count,state,name,origin\n");
    for (size_t i = 0; i < moment->blocks.count; i++) {
        const struct sw_moment_block *block = &moment->blocks.items[i];
        put_field(sink, block->segment == SW_NONE ? SW_UNTOLD : block->segment + UINT64_C(1));
        put_field(sink, block->address);
        put_field(sink, block->size);
        put_field(sink, block->requested);
        put_field(sink, block->count);
        sw_sink_printf(sink, "%s,", sw_held_state_words(block->state));
        sw_sink_csv(sink, block->name ? block->name : "");
        sw_sink_add(sink, ",", 1);
        sw_sink_csv(sink, block->origin ? block->origin : "");
        sw_sink_add(sink, "\n", 1);
    }
}

/* ---- reading ---- */

static bool read_kept_text(struct sw_json *json, struct sw_moment *moment, const char *key, const char **to) {
    const char *text = NULL;
    if (!sw_json_string(json, key, &text)) {
        return false;
    }
    *to = text ? sw_moment_text(moment, text, strlen(text)) : *to;
    return !text || *to || sw_fail_memory(json->error);
}

static bool read_held_bytes(const struct sw_json *json, const char *key, uint64_t *to) {
    return sw_json_unsigned(json, key, 0, SW_MAX_BYTES, to);
}

static bool read_held_address(const struct sw_json *json, uint64_t *to) {
    const char *text = NULL;
    const json_t *value = sw_json_value(json, "address");
    if (!value || !json_is_string(value)) {
        return sw_json_unsigned(json, "address", 0, INT64_MAX, to);
    }
    size_t digits = sw_json_string(json, "address", &text) && strncmp(text, "0x", 2) == 0 ? strlen(text + 2) : 0;
    bool good = digits > 0 && digits <= 16 && strspn(text + 2, "0123456789abcdef") == digits;
    *to = good ? strtoull(text + 2, NULL, 16) : 0;
    return (good && *to != SW_UNTOLD) ||
           sw_json_fail(json, "address", "\"address\" is a number, or a text like \"0xffff800000000000\"");
}

/* Which of the words a member is; it must be there. */
static bool read_word(const struct sw_json *json, const char *key, const char *const *words, unsigned count,
                      unsigned *found) {
    const char *word = NULL;
    if (!sw_json_need(json, key) || !sw_json_string(json, key, &word)) {
        return false;
    }
    for (*found = 0; *found < count && strcmp(word, words[*found]) != 0; ++*found) {
    }
    return *found < count || sw_json_fail(json, key, "there is no %s \"%s\"", key, sw_quote(word, strlen(word)).text);
}

static bool read_held_block(struct sw_json *json, struct sw_moment *moment, uint32_t segment) {
    struct sw_moment_block block = {
        .address = SW_UNTOLD, .requested = SW_UNTOLD, .count = 1, .segment = segment, .buffer = SW_NONE};
    unsigned state = SW_HELD_USED;
    bool good = SW_JSON_ONLY(json, "address", "size", "requested", "count", "state", "name", "origin") &&
                read_held_address(json, &block.address) && sw_json_need(json, "size") &&
                read_held_bytes(json, "size", &block.size) && read_held_bytes(json, "requested", &block.requested) &&
                sw_json_unsigned(json, "count", 1, block.address == SW_UNTOLD ? SW_MAX_BYTES : 1, &block.count) &&
                read_word(json, "state", held_words, SW_HELD_STATES, &state) &&
                read_kept_text(json, moment, "name", &block.name) &&
                read_kept_text(json, moment, "origin", &block.origin);
    block.state = (enum sw_held_state)state;
    return good && (sw_moment_add_block(moment, &block) || sw_fail_memory(json->error));
}

static bool read_held_blocks(struct sw_json *json, struct sw_moment *moment, uint32_t segment) {
    bool good = sw_json_array(json, "blocks");
    for (size_t i = 0; good && sw_json_item(json, "blocks", i); i++) {
        good = read_held_block(json, moment, segment);
    }
    return good;
}

static bool read_held_segment(struct sw_json *json, struct sw_moment *moment) {
    struct sw_moment_segment segment = {.address = SW_UNTOLD};
    bool implied = false;
    if (!SW_JSON_ONLY(json, "address", "size", "allocator", "pool", "stream", "implied", "blocks") ||
        !read_held_address(json, &segment.address) || !sw_json_need(json, "size") ||
        !read_held_bytes(json, "size", &segment.size) || !sw_json_flag(json, "implied", &implied) ||
        !read_kept_text(json, moment, "allocator", &segment.allocator) ||
        !read_kept_text(json, moment, "pool", &segment.pool) ||
        !read_kept_text(json, moment, "stream", &segment.stream)) {
        return false;
    }
    if (!implied && !sw_moment_add_segment(moment, &segment)) {
        return sw_fail_memory(json->error);
    }
    return read_held_blocks(json, moment, implied ? SW_NONE : (uint32_t)moment->segments.count - 1);
}

static bool read_told(struct sw_json *json, struct sw_moment *moment) {
    struct sw_moment_told told = {0};
    unsigned figure = 0;
    bool good = SW_JSON_ONLY(json, "figure", "allocator", "pool", "bytes", "about", "shown") &&
                read_word(json, "figure", figure_keys, SW_MOMENT_FIGURES, &figure) && sw_json_need(json, "bytes") &&
                read_held_bytes(json, "bytes", &told.bytes) && read_held_bytes(json, "about", &told.about) &&
                read_kept_text(json, moment, "allocator", &told.allocator) &&
                read_kept_text(json, moment, "pool", &told.pool);
    told.figure = (enum sw_moment_figure)figure;
    return good && (sw_moment_tell(moment, &told) || sw_fail_memory(json->error));
}

static bool read_failed(struct sw_json *json, struct sw_moment *moment) {
    struct sw_moment_failure *failure = &moment->failure;
    return sw_json_object(json, (const char *const[]){"size"}, 1, true) && sw_json_need(json, "size") &&
           read_held_bytes(json, "size", &failure->size) && read_held_bytes(json, "about", &failure->about) &&
           read_held_bytes(json, "rounded", &failure->rounded) && read_held_bytes(json, "segment", &failure->segment) &&
           read_held_bytes(json, "least", &failure->least) &&
           read_kept_text(json, moment, "allocator", &failure->allocator) &&
           read_kept_text(json, moment, "pool", &failure->pool) &&
           read_kept_text(json, moment, "stream", &failure->stream) &&
           read_kept_text(json, moment, "origin", &failure->origin);
}

static bool read_moment_members(struct sw_json *json, struct sw_moment *moment) {
    bool good = sw_json_object(json, NULL, 0, true) && read_kept_text(json, moment, "what", &moment->what) &&
                read_kept_text(json, moment, "planner", &moment->planner) &&
                read_kept_text(json, moment, "settings", &moment->settings) && sw_json_array(json, "told") &&
                sw_json_array(json, "segments");
    if (good && sw_json_value(json, "failed")) {
        sw_json_enter(json, "failed");
        good = read_failed(json, moment);
        sw_json_leave(json);
    }
    for (size_t i = 0; good && sw_json_item(json, "told", i); i++) {
        good = read_told(json, moment);
    }
    for (size_t i = 0; good && sw_json_item(json, "segments", i); i++) {
        good = read_held_segment(json, moment);
    }
    return good && read_held_blocks(json, moment, SW_NONE);
}

bool sw_moment_json_read(struct sw_json *json, struct sw_builder *builder) {
    struct sw_moment *moment = sw_moment_new();
    if (!moment) {
        return sw_fail_memory(json->error);
    }
    bool nulls = json->no_nulls;
    json->no_nulls = true;
    moment->what = "a moment of an allocator";
    bool good = read_moment_members(json, moment);
    json->no_nulls = nulls;
    if (good && !sw_moment_settle(moment, json->error)) {
        struct sw_error why = *json->error; /* it has no place yet */
        good = why.code == SW_ERROR_INPUT && sw_json_fail(json, NULL, "%s", why.message);
    }
    good = good && sw_moment_build(moment, builder, json->error);
    sw_moment_unref(moment);
    return good;
}
