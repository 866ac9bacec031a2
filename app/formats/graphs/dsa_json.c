/* Problems of dsa-solver, JSON schema version 1: pools, buffers with several live intervals each,
 * and constraints between buffers.
 *
 * A pool is a tier. Buffers that must share an address (colocations, in any number) are one buffer
 * here, as large as the largest, with the others as parts of it; it holds at any time as many bytes
 * as the largest of them that is alive. Objectives other than the peak have no meaning here and are
 * left out. */
#include "formats/text/json.h"
#include "base/minmax.h"
#include "formats/tools/placed.h"
#include "formats/text/unique.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct pool {
    uint64_t id;
    const char *name;
};
struct entry { /* a buffer of the file */
    uint64_t id, size, alignment;
    const char *name;
    const json_t *intervals, *pools;
    struct sw_position position;
    uint32_t lead; /* the first of those it shares its address with */
    bool pinned, exclusive;
    uint32_t pool; /* of the pin */
    uint64_t offset;
};
struct reader {
    struct sw_json json;
    struct sw_builder *builder;
    struct sw_error *error;
    struct sw_arena arena;
    struct sw_unique names, pool_names;
    SW_ARRAY(struct pool) pools;
    SW_ARRAY(struct entry) entries;
    SW_ARRAY(uint32_t) by_id; /* entries */
    SW_ARRAY(struct sw_piece_spec) pieces;
    SW_ARRAY(const char *) tiers;
    int64_t first, last; /* of everything */
    size_t colocated, exclusions, penalties, banks, exclusive, holes;
    const char *objective;
};

#define KEYS(table) (table), sizeof(table) / sizeof *(table)

static bool collect(struct reader *reader, const json_t *object, const char *const *keys,
                    size_t count, json_t **values) {
    if (!sw_json_collect(&reader->json, object, keys, count, false, values, reader->error)) {
        return false;
    }
    return true;
}

static bool need(struct reader *reader, const char *key, const json_t *value) {
    return value || sw_json_missing(&reader->json, key, reader->error);
}

static bool read_id(struct reader *reader, const char *key, const json_t *value, uint64_t *id) {
    return need(reader, key, value) &&
           sw_json_unsigned(&reader->json, key, value, 0, UINT32_MAX, id, reader->error);
}

static bool read_bytes(struct reader *reader, const char *key, const json_t *value,
                       uint64_t *bytes) {
    return need(reader, key, value) &&
           sw_json_unsigned(&reader->json, key, value, 0, SW_MAX_BYTES, bytes, reader->error);
}

/* Every element of an array, with the path at it. */
typedef bool read_item_fn(struct reader *, const json_t *, struct sw_position);
static bool each(struct reader *reader, const char *key, const json_t *array, read_item_fn *read) {
    struct sw_json_items items;
    if (!need(reader, key, array) || !sw_json_array(&reader->json, key, array, reader->error)) {
        return false;
    }
    sw_json_items_begin(&items, &reader->json, key);
    sw_json_enter(&reader->json, key);
    for (size_t i = 0; i < json_array_size(array); i++) {
        sw_json_enter_index(&reader->json, i);
        if (!read(reader, json_array_get(array, i), sw_json_items_next(&items))) {
            return false;
        }
        sw_json_leave(&reader->json);
    }
    sw_json_leave(&reader->json);
    return true;
}

/* ---- pools ---- */

static bool add_reserved(struct reader *reader, const char *tier, const json_t *object) {
    static const char *const keys[] = {"begin", "end"};
    json_t *v[2];
    uint64_t begin = 0, end = 0;
    return collect(reader, object, KEYS(keys), v) && read_bytes(reader, "begin", v[0], &begin) &&
           read_bytes(reader, "end", v[1], &end) &&
           (begin <= end || sw_json_fail(&reader->json, "end", reader->error,
                                         "a reserved range ends before it begins")) &&
           (begin == end || sw_builder_reserve(reader->builder, tier, begin, end, reader->error));
}

static bool read_pool(struct reader *reader, const json_t *object, struct sw_position position) {
    static const char *const keys[] = {"id", "name", "capacity", "reserved_ranges",
                                       "bank_geometry"};
    enum { ID, NAME, CAPACITY, RESERVED, BANKS, COUNT };
    json_t *v[COUNT];
    struct pool pool = {0};
    struct sw_tier tier = {.capacity = SW_UNBOUNDED};
    const char *name = NULL;
    sw_builder_at(reader->builder, position.line, position.column);
    if (!collect(reader, object, KEYS(keys), v) || !read_id(reader, "id", v[ID], &pool.id) ||
        !need(reader, "name", v[NAME]) ||
        !sw_json_string(&reader->json, "name", v[NAME], &name, reader->error) ||
        (v[CAPACITY] && !json_is_null(v[CAPACITY]) &&
         !read_bytes(reader, "capacity", v[CAPACITY], &tier.capacity)) ||
        !sw_json_array(&reader->json, "reserved_ranges", v[RESERVED], reader->error)) {
        return false;
    }
    for (size_t i = 0; i < reader->pools.count; i++) {
        if (reader->pools.items[i].id == pool.id) {
            return sw_json_fail(&reader->json, "id", reader->error,
                                "two pools have the number %" PRIu64, pool.id);
        }
    }
    char text[32];
    snprintf(text, sizeof text, "pool %" PRIu64, pool.id);
    const char *given = name && *name ? name : sw_arena_string(&reader->arena, text, strlen(text));
    tier.name = pool.name = sw_unique_name(&reader->pool_names, &reader->arena, given);
    if (!pool.name || !SW_PUSH(&reader->pools, pool)) {
        return sw_fail_memory(reader->error);
    }
    reader->banks += v[BANKS] != NULL;
    if (!sw_builder_tier(reader->builder, &tier, reader->error)) {
        return false;
    }
    sw_json_enter(&reader->json, "reserved_ranges");
    for (size_t i = 0; i < json_array_size(v[RESERVED]); i++) {
        sw_json_enter_index(&reader->json, i);
        if (!add_reserved(reader, pool.name, json_array_get(v[RESERVED], i))) {
            return false;
        }
        sw_json_leave(&reader->json);
    }
    sw_json_leave(&reader->json);
    return true;
}

static uint32_t find_pool(const struct reader *reader, uint64_t id) {
    for (uint32_t i = 0; i < reader->pools.count; i++) { /* at most 64 */
        if (reader->pools.items[i].id == id) {
            return i;
        }
    }
    return SW_NONE;
}

/* ---- buffers ---- */

static bool read_interval(struct reader *reader, const json_t *object, uint64_t size) {
    static const char *const keys[] = {"lower", "upper"};
    json_t *v[2];
    int64_t lower = 0, upper = 0;
    if (!collect(reader, object, KEYS(keys), v) || !need(reader, "lower", v[0]) ||
        !need(reader, "upper", v[1]) ||
        !sw_json_integer(&reader->json, "lower", v[0], -SW_MAX_TIME, SW_LAST_TIME, &lower,
                         reader->error) ||
        !sw_json_integer(&reader->json, "upper", v[1], -SW_MAX_TIME, SW_MAX_TIME, &upper,
                         reader->error)) {
        return false;
    }
    if (upper <= lower) {
        return sw_json_fail(&reader->json, "upper", reader->error,
                            "the interval ends at %" PRId64 ", not after its begin at %" PRId64,
                            upper, lower);
    }
    struct sw_piece_spec piece = {lower, upper - 1, 0, size};
    reader->first = SW_MIN(lower, reader->first);
    reader->last = upper - 1 > reader->last ? upper - 1 : reader->last;
    return SW_PUSH(&reader->pieces, piece) || sw_fail_memory(reader->error);
}

/* Checked while the path is known; they are read again when the groups are. */
static bool read_intervals(struct reader *reader, const json_t *array, uint64_t size) {
    if (!need(reader, "live_intervals", array) ||
        !sw_json_array(&reader->json, "live_intervals", array, reader->error)) {
        return false;
    }
    if (json_array_size(array) == 0) {
        return sw_json_fail(&reader->json, "live_intervals", reader->error,
                            "a buffer without a live interval");
    }
    sw_json_enter(&reader->json, "live_intervals");
    for (size_t i = 0; i < json_array_size(array); i++) {
        sw_json_enter_index(&reader->json, i);
        if (!read_interval(reader, json_array_get(array, i), size)) {
            return false;
        }
        sw_json_leave(&reader->json);
    }
    sw_json_leave(&reader->json);
    return true;
}

static bool read_pools(struct reader *reader, const json_t *array) {
    if (!need(reader, "allowed_pools", array) ||
        !sw_json_array(&reader->json, "allowed_pools", array, reader->error)) {
        return false;
    }
    if (json_array_size(array) == 0) {
        return sw_json_fail(&reader->json, "allowed_pools", reader->error,
                            "a buffer that may lie in no pool");
    }
    sw_json_enter(&reader->json, "allowed_pools");
    for (size_t i = 0; i < json_array_size(array); i++) {
        uint64_t id = 0;
        sw_json_enter_index(&reader->json, i);
        if (!sw_json_unsigned(&reader->json, NULL, json_array_get(array, i), 0, UINT32_MAX, &id,
                              reader->error)) {
            return false;
        }
        if (find_pool(reader, id) == SW_NONE) {
            return sw_json_fail(&reader->json, NULL, reader->error, "there is no pool %" PRIu64,
                                id);
        }
        sw_json_leave(&reader->json);
    }
    sw_json_leave(&reader->json);
    return true;
}

static bool read_buffer(struct reader *reader, const json_t *object, struct sw_position position) {
    static const char *const keys[] = {"id",        "name",           "size",
                                       "alignment", "live_intervals", "allowed_pools"};
    enum { ID, NAME, SIZE, ALIGNMENT, INTERVALS, POOLS, COUNT };
    json_t *v[COUNT];
    struct entry entry = {.lead = (uint32_t)reader->entries.count, .position = position};
    const char *name = NULL;
    if (!collect(reader, object, KEYS(keys), v) || !read_id(reader, "id", v[ID], &entry.id) ||
        !sw_json_string(&reader->json, "name", v[NAME], &name, reader->error) ||
        !read_bytes(reader, "size", v[SIZE], &entry.size) ||
        !need(reader, "alignment", v[ALIGNMENT]) ||
        !sw_json_unsigned(&reader->json, "alignment", v[ALIGNMENT], 1, SW_MAX_ALIGNMENT,
                          &entry.alignment, reader->error) ||
        !read_intervals(reader, v[INTERVALS], entry.size) || !read_pools(reader, v[POOLS])) {
        return false;
    }
    reader->pieces.count = 0;
    entry.intervals = v[INTERVALS];
    entry.pools = v[POOLS];
    char text[32];
    snprintf(text, sizeof text, "b%" PRIu64, entry.id);
    const char *given = name && *name ? name : sw_arena_string(&reader->arena, text, strlen(text));
    entry.name = sw_unique_name(&reader->names, &reader->arena, given);
    return (entry.name && SW_PUSH(&reader->entries, entry)) || sw_fail_memory(reader->error);
}

static int compare_ids(const void *a, const void *b, void *context) {
    const struct entry *entries = context;
    uint64_t x = entries[*(const uint32_t *)a].id, y = entries[*(const uint32_t *)b].id;
    return (x > y) - (x < y);
}

static bool index_ids(struct reader *reader) {
    size_t count = reader->entries.count;
    if (!SW_RESERVE(&reader->by_id, count)) {
        return sw_fail_memory(reader->error);
    }
    for (uint32_t i = 0; i < count; i++) {
        reader->by_id.items[i] = i;
    }
    reader->by_id.count = count;
    if (count > 1) {
        qsort_r(reader->by_id.items, count, sizeof(uint32_t), compare_ids, reader->entries.items);
    }
    for (size_t i = 1; i < count; i++) {
        const struct entry *a = &reader->entries.items[reader->by_id.items[i - 1]];
        const struct entry *b = &reader->entries.items[reader->by_id.items[i]];
        if (a->id == b->id) {
            sw_fail(reader->error, SW_ERROR_INPUT, "two buffers have the number %" PRIu64, a->id);
            sw_error_at(reader->error, reader->json.input->name, b->position.line,
                        b->position.column);
            return false;
        }
    }
    return true;
}

static bool find_entry(struct reader *reader, const char *key, const json_t *value,
                       struct entry **entry) {
    uint64_t id = 0;
    if (!read_id(reader, key, value, &id)) {
        return false;
    }
    size_t low = 0, high = reader->by_id.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (reader->entries.items[reader->by_id.items[middle]].id < id) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    *entry = low < reader->by_id.count ? &reader->entries.items[reader->by_id.items[low]] : NULL;
    return (*entry && (*entry)->id == id) ||
           sw_json_fail(&reader->json, key, reader->error, "there is no buffer %" PRIu64, id);
}

/* ---- constraints ---- */

static uint32_t lead_of(struct reader *reader, uint32_t i) {
    struct entry *entries = reader->entries.items;
    while (entries[i].lead != i) {
        entries[i].lead = entries[entries[i].lead].lead;
        i = entries[i].lead;
    }
    return i;
}

static bool read_pair(struct reader *reader, const json_t *object, struct entry **a,
                      struct entry **b) {
    static const char *const keys[] = {"first", "second", "reasons"};
    json_t *v[3];
    if (!collect(reader, object, KEYS(keys), v) || !find_entry(reader, "first", v[0], a) ||
        !find_entry(reader, "second", v[1], b)) {
        return false;
    }
    return *a != *b ||
           sw_json_fail(&reader->json, "second", reader->error, "a buffer is paired with itself");
}

static bool read_colocation(struct reader *reader, const json_t *object,
                            struct sw_position position) {
    struct entry *a, *b;
    (void)position;
    if (!read_pair(reader, object, &a, &b)) {
        return false;
    }
    uint32_t x = lead_of(reader, (uint32_t)(a - reader->entries.items));
    uint32_t y = lead_of(reader, (uint32_t)(b - reader->entries.items));
    reader->entries.items[x < y ? y : x].lead = SW_MIN(x, y);
    reader->colocated += x != y;
    return true;
}

static bool read_separation(struct reader *reader, const json_t *object,
                            struct sw_position position) {
    struct entry *a, *b;
    if (!read_pair(reader, object, &a, &b)) {
        return false;
    }
    uint32_t x = lead_of(reader, (uint32_t)(a - reader->entries.items));
    uint32_t y = lead_of(reader, (uint32_t)(b - reader->entries.items));
    if (x == y) {
        return sw_json_fail(&reader->json, "second", reader->error,
                            "buffers that must share an address cannot be kept apart");
    }
    sw_builder_at(reader->builder, position.line, position.column);
    return sw_builder_separate(reader->builder, reader->entries.items[x].name,
                               reader->entries.items[y].name, reader->error);
}

static bool read_exclusion(struct reader *reader, const json_t *object,
                           struct sw_position position) {
    struct entry *a, *b;
    (void)position;
    reader->exclusions++;
    return read_pair(reader, object, &a, &b);
}

static bool read_pin(struct reader *reader, const json_t *object, struct sw_position position) {
    static const char *const keys[] = {"buffer", "pool", "offset", "exclusive_for_all_time"};
    json_t *v[4];
    struct entry *entry;
    uint64_t pool = 0, offset = 0;
    bool exclusive = false;
    (void)position;
    if (!collect(reader, object, KEYS(keys), v) || !find_entry(reader, "buffer", v[0], &entry) ||
        !read_id(reader, "pool", v[1], &pool) || !read_bytes(reader, "offset", v[2], &offset) ||
        !sw_json_flag(&reader->json, "exclusive_for_all_time", v[3], &exclusive, reader->error)) {
        return false;
    }
    entry = &reader->entries.items[lead_of(reader, (uint32_t)(entry - reader->entries.items))];
    uint32_t number = find_pool(reader, pool);
    if (number == SW_NONE) {
        return sw_json_fail(&reader->json, "pool", reader->error, "there is no pool %" PRIu64,
                            pool);
    }
    if (entry->pinned && (entry->pool != number || entry->offset != offset)) {
        return sw_json_fail(&reader->json, "offset", reader->error,
                            "%s is pinned to another place already", entry->name);
    }
    entry->pinned = true;
    entry->exclusive |= exclusive;
    entry->pool = number;
    entry->offset = offset;
    return true;
}

static bool read_constraints(struct reader *reader, const json_t *object) {
    static const char *const keys[] = {"colocations", "separations", "temporal_exclusions",
                                       "pinned_allocations"};
    json_t *v[4];
    sw_json_enter(&reader->json, "constraints");
    bool good =
        collect(reader, object, KEYS(keys), v) && each(reader, keys[0], v[0], read_colocation) &&
        each(reader, keys[1], v[1], read_separation) &&
        each(reader, keys[2], v[2], read_exclusion) && each(reader, keys[3], v[3], read_pin);
    if (good) {
        sw_json_leave(&reader->json);
    }
    return good;
}

/* ---- into the builder ---- */

/* The pools that all of a group may lie in. */
static bool list_tiers(struct reader *reader, uint32_t lead, const uint32_t *group, size_t count) {
    const struct entry *entries = reader->entries.items;
    reader->tiers.count = 0;
    for (uint32_t p = 0; p < reader->pools.count; p++) {
        bool all = !entries[lead].pinned || entries[lead].pool == p;
        for (size_t i = 0; all && i < count; i++) {
            const json_t *pools = entries[group[i]].pools;
            bool any = false;
            for (size_t k = 0; !any && k < json_array_size(pools); k++) {
                any = (uint64_t)json_integer_value(json_array_get(pools, k)) ==
                      reader->pools.items[p].id;
            }
            all = any;
        }
        if (all && !SW_PUSH(&reader->tiers, reader->pools.items[p].name)) {
            return sw_fail_memory(reader->error);
        }
    }
    if (reader->tiers.count > 0) {
        return true;
    }
    sw_fail(reader->error, SW_ERROR_INPUT,
            "%s has no pool that its pin and all that share its address allow", entries[lead].name);
    sw_error_at(reader->error, reader->json.input->name, entries[lead].position.line,
                entries[lead].position.column);
    return false;
}

static int64_t time_of(const json_t *interval, const char *key) {
    return json_integer_value(json_object_get(interval, key));
}

static bool list_pieces(struct reader *reader, const struct entry *lead, const uint32_t *group,
                        size_t count, uint64_t size) {
    reader->pieces.count = 0;
    for (size_t i = 0; i < count; i++) {
        const struct entry *entry = &reader->entries.items[group[i]];
        for (size_t k = 0; k < json_array_size(entry->intervals) && entry->size > 0; k++) {
            const json_t *interval = json_array_get(entry->intervals, k);
            struct sw_piece_spec piece = {time_of(interval, "lower"),
                                          time_of(interval, "upper") - 1, 0, entry->size};
            if (!SW_PUSH(&reader->pieces, piece)) {
                return sw_fail_memory(reader->error);
            }
        }
        reader->holes += json_array_size(entry->intervals) > 1;
    }
    if (lead->exclusive) { /* no other buffer may ever have the place */
        struct sw_piece_spec all = {reader->first, reader->last, 0, size};
        reader->exclusive++;
        reader->pieces.count = 0;
        return SW_PUSH(&reader->pieces, all) || sw_fail_memory(reader->error);
    }
    return true;
}

static bool add_buffer(struct reader *reader, uint32_t lead, const uint32_t *group, size_t count) {
    const struct entry *entry = &reader->entries.items[lead];
    struct sw_buffer_spec spec = {.name = entry->name,
                                  .kind = SW_KIND_INTERMEDIATE,
                                  .has_size = true,
                                  .alignment = 1,
                                  .has_offset = entry->pinned,
                                  .offset = entry->offset};
    for (size_t i = 0; i < count; i++) {
        const struct entry *part = &reader->entries.items[group[i]];
        spec.size = SW_MAX(part->size, spec.size);
        spec.alignment = spec.alignment ? sw_common_multiple(spec.alignment, part->alignment, SW_MAX_ALIGNMENT) : 0;
    }
    sw_builder_at(reader->builder, entry->position.line, entry->position.column);
    if (spec.alignment == 0) {
        sw_fail(reader->error, SW_ERROR_INPUT,
                "%s and those that share its address have no common alignment up to 2^30",
                entry->name);
        sw_error_at(reader->error, reader->json.input->name, entry->position.line,
                    entry->position.column);
        return false;
    }
    if (!list_tiers(reader, lead, group, count) ||
        !list_pieces(reader, entry, group, count, spec.size)) {
        return false;
    }
    spec.tier = reader->tiers.count == 1 ? reader->tiers.items[0] : NULL;
    spec.tiers = spec.tier ? NULL : reader->tiers.items;
    spec.tier_count = spec.tier ? 0 : reader->tiers.count;
    spec.pieces = reader->pieces.items;
    spec.piece_count = reader->pieces.count;
    if (spec.piece_count == 0) { /* no bytes: it lives all the same */
        spec.has_first = spec.has_last = true;
        spec.first = time_of(json_array_get(entry->intervals, 0), "lower");
        spec.last = time_of(json_array_get(entry->intervals, 0), "upper") - 1;
    }
    if (!sw_builder_buffer(reader->builder, &spec, reader->error)) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        const struct entry *part = &reader->entries.items[group[i]];
        if (group[i] != lead && !sw_builder_overlay(reader->builder, entry->name, part->name, 0,
                                                    part->size, reader->error)) {
            return false;
        }
    }
    return true;
}

static int compare_leads(const void *a, const void *b, void *context) {
    const struct entry *entries = context;
    uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;
    uint32_t x = entries[i].lead, y = entries[k].lead;
    return x != y ? (x > y) - (x < y) : (i > k) - (i < k);
}

/* Groups in the order of their first buffers. */
static bool add_buffers(struct reader *reader) {
    size_t count = reader->entries.count;
    for (uint32_t i = 0; i < count; i++) {
        reader->entries.items[i].lead = lead_of(reader, i);
        reader->by_id.items[i] = i;
    }
    if (count > 1) {
        qsort_r(reader->by_id.items, count, sizeof(uint32_t), compare_leads, reader->entries.items);
    }
    for (size_t from = 0, to; from < count; from = to) {
        uint32_t lead = reader->entries.items[reader->by_id.items[from]].lead;
        for (to = from; to < count && reader->entries.items[reader->by_id.items[to]].lead == lead;
             to++) {
        }
        if (!add_buffer(reader, lead, &reader->by_id.items[from], to - from)) {
            return false;
        }
    }
    return true;
}

static bool add_notes(struct reader *reader) {
    struct sw_builder *builder = reader->builder;
    struct sw_error *error = reader->error;
    return sw_builder_note(builder, "live intervals begin at lower and end before upper", error) &&
           (reader->holes == 0 ||
            sw_notef(builder, error,
                     "buffers that live in several intervals, with free bytes between: %zu",
                     reader->holes)) &&
           (reader->colocated == 0 ||
            sw_notef(builder, error,
                     "buffers that must share the address of another, and are parts of it: %zu",
                     reader->colocated)) &&
           (reader->exclusive == 0 ||
            sw_notef(builder, error, "pinned places that no other buffer may ever use: %zu",
                     reader->exclusive)) &&
           (reader->exclusions == 0 ||
            sw_notef(builder, error,
                     "left out: %zu pairs that are never alive together though their intervals "
                     "meet; they are kept apart, which is safe but may cost bytes",
                     reader->exclusions)) &&
           (reader->penalties + reader->banks == 0 ||
            sw_notef(builder, error,
                     "left out: prices of %zu reuses and the banks of %zu pools, for only the "
                     "peak counts here",
                     reader->penalties, reader->banks)) &&
           (!reader->objective || strstr(reader->objective, "peak") ||
            sw_notef(builder, error, "the file's own first aim, %.40s, is not the peak",
                     reader->objective));
}

/* ---- the file ---- */

static bool read_problem(struct reader *reader, const json_t *object) {
    static const char *const keys[] = {"pools",      "buffers",         "constraints",
                                       "cost_model", "pypto_structure", "objective"};
    enum { POOLS, BUFFERS, CONSTRAINTS, COST, STRUCTURE, OBJECTIVE, COUNT };
    json_t *v[COUNT];
    sw_json_enter(&reader->json, "problem");
    if (!collect(reader, object, KEYS(keys), v) || !each(reader, "pools", v[POOLS], read_pool) ||
        !each(reader, "buffers", v[BUFFERS], read_buffer) || !index_ids(reader) ||
        !need(reader, "constraints", v[CONSTRAINTS]) || !read_constraints(reader, v[CONSTRAINTS])) {
        return false;
    }
    sw_json_leave(&reader->json);
    reader->penalties = json_array_size(json_object_get(v[COST], "reuse_penalties"));
    reader->objective =
        json_string_value(json_array_get(json_object_get(v[OBJECTIVE], "terms"), 0));
    return true;
}

static bool read_file(struct reader *reader) {
    static const char *const keys[] = {"schema_version", "profile",          "instance", "problem",
                                       "relaxed_from",   "relaxed_features", "metadata"};
    enum { VERSION, PROFILE, INSTANCE, PROBLEM, FROM, FEATURES, METADATA, COUNT };
    json_t *v[COUNT];
    int64_t version = 0;
    const char *instance = NULL;
    struct sw_json *json = &reader->json;
    if (!collect(reader, json->root, KEYS(keys), v) || !need(reader, "problem", v[PROBLEM]) ||
        !need(reader, "schema_version", v[VERSION]) ||
        !sw_json_integer(json, "schema_version", v[VERSION], INT32_MIN, INT32_MAX, &version,
                         reader->error) ||
        !sw_json_string(json, "instance", v[INSTANCE], &instance, reader->error)) {
        return false;
    }
    if (version != 1) {
        return sw_json_fail(json, "schema_version", reader->error,
                            "version %" PRId64 " of dsa-solver's problems is not known", version);
    }
    return (!instance || !*instance || sw_builder_name(reader->builder, instance, reader->error)) &&
           read_problem(reader, v[PROBLEM]) && add_buffers(reader) && add_notes(reader);
}

static bool init_names(struct reader *reader) {
    const json_t *problem = json_object_get(reader->json.root, "problem");
    return (sw_unique_init(&reader->names, json_array_size(json_object_get(problem, "buffers"))) &&
            sw_unique_init(&reader->pool_names,
                           json_array_size(json_object_get(problem, "pools")))) ||
           sw_fail_memory(reader->error);
}

static bool dsa_read(const struct sw_input *input, const struct sw_load_options *options, struct sw_builder *builder,
                      struct sw_error *error) {
    (void)options;
    struct sw_error own = {0};
    struct reader reader = {
        .builder = builder, .error = &own, .first = INT64_MAX, .last = INT64_MIN};
    if (!sw_json_open(&reader.json, input, error)) {
        return false;
    }
    bool good = init_names(&reader) && read_file(&reader);
    sw_json_close(&reader.json);
    sw_unique_done(&reader.names);
    sw_unique_done(&reader.pool_names);
    sw_arena_done(&reader.arena);
    SW_ARRAY_DONE(&reader.pools);
    SW_ARRAY_DONE(&reader.entries);
    SW_ARRAY_DONE(&reader.by_id);
    SW_ARRAY_DONE(&reader.pieces);
    SW_ARRAY_DONE(&reader.tiers);
    if (!good && error) {
        *error = own;
    }
    return good;
}

static bool dsa_detect(const struct sw_input *input) {
    struct sw_json_walk walk;
    bool problem = false, version = false;
    sw_json_walk_begin(&walk, sw_text_begin(input), sw_text_end(input));
    while (!(problem && version) && sw_json_walk_next(&walk)) {
        problem |= sw_json_walk_is(&walk, "problem");
        version |= sw_json_walk_is(&walk, "schema_version");
    }
    return problem && version;
}

const struct sw_format sw_format_dsa_json = {
    .name = "dsa-json",
    .summary = "problems of dsa-solver: live intervals begin at lower and end before upper",
    .extensions = ".json",
    .detect = dsa_detect,
    .read = dsa_read,
};
