/* ST Edge AI's report on a network it generated code for, NAME_c_info.json, schema 2: memory pools,
 * and in them buffers with addresses and the epochs they live in. */
#include "formats/text/json.h"
#include "base/text.h"
#include "formats/tools/placed.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct pool {
    int64_t id, size, used;
    const char *name;
    double bandwidth, latency;
    unsigned rank; /* low, middle, high latency, unknown */
    bool composite;
    size_t held; /* buffers in it that are planned */
    struct sw_position at;
};

/* What the graphs use a buffer for. */
struct use {
    int64_t id;
    enum sw_kind kind;
};

struct reader {
    struct sw_json json;
    struct sw_placed placed;
    struct sw_builder *builder;
    struct sw_error *error;
    SW_ARRAY(struct pool) pools;
    SW_ARRAY(struct use) uses;
    uint64_t weights, weight_bytes, unplaced;
};

#define KEYS(table) (table), sizeof(table) / sizeof *(table)

static bool collect(struct reader *reader, const json_t *object, const char *const *keys,
                    size_t count, json_t **values) {
    if (!sw_json_collect(&reader->json, object, keys, count, true, values, reader->error)) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        values[i] = json_is_null(values[i]) ? NULL : values[i];
    }
    return true;
}

static bool integer(struct reader *reader, const char *key, const json_t *value, int64_t *to) {
    return sw_json_integer(&reader->json, key, value, -SW_MAX_TIME, SW_LAST_TIME, to,
                           reader->error);
}

/* Go through the array `key` of the present object. */
typedef bool item_fn(struct reader *, const json_t *item, struct sw_position at);

static bool for_each(struct reader *reader, const char *key, const json_t *array, item_fn *item) {
    struct sw_json_items items = {0};
    bool top = reader->json.depth == 0;
    if (!sw_json_array(&reader->json, key, array, reader->error)) {
        return false;
    }
    if (top) {
        sw_json_items_begin(&items, &reader->json, key);
    }
    sw_json_enter(&reader->json, key);
    for (size_t i = 0; i < json_array_size(array); i++) {
        struct sw_position at = {0, 0};
        if (top) {
            at = sw_json_items_next(&items);
        }
        sw_json_enter_index(&reader->json, i);
        if (!item(reader, json_array_get(array, i), at)) {
            return false;
        }
        sw_json_leave(&reader->json);
    }
    sw_json_leave(&reader->json);
    return true;
}

/* ---- pools ---- */

static bool read_latency(struct reader *reader, const json_t *value, struct pool *pool) {
    static const char *const words[] = {"LOW", "MID", "HIGH"};
    const char *word = json_string_value(value);
    pool->rank = 3;
    for (unsigned i = 0; word && i < 3; i++) {
        pool->rank = strcmp(word, words[i]) == 0 ? i : pool->rank;
    }
    return word || sw_json_real(&reader->json, "latency", value, &pool->latency, reader->error);
}

/* freq_ratio: how many cycles of the processor one of the memory takes. */
static bool read_attributes(struct reader *reader, const json_t *object, struct pool *pool) {
    static const char *const keys[] = {"latency", "byte_width", "freq_ratio"};
    json_t *values[3];
    double width = 0, ratio = 0;
    if (!object) {
        pool->rank = 3;
        return true;
    }
    sw_json_enter(&reader->json, "attributes");
    if (!collect(reader, object, KEYS(keys), values) || !read_latency(reader, values[0], pool) ||
        !sw_json_real(&reader->json, keys[1], values[1], &width, reader->error) ||
        !sw_json_real(&reader->json, keys[2], values[2], &ratio, reader->error)) {
        return false;
    }
    sw_json_leave(&reader->json);
    pool->bandwidth = width > 0 && ratio > 0 && width / ratio < 1e12 ? width / ratio : 0;
    return true;
}

static struct pool *find_pool(struct reader *reader, int64_t id) {
    for (size_t i = 0; i < reader->pools.count; i++) {
        if (reader->pools.items[i].id == id) {
            return &reader->pools.items[i];
        }
    }
    return NULL;
}

static bool read_pool(struct reader *reader, const json_t *object, struct sw_position at) {
    static const char *const keys[] = {"id",         "name",    "size_bytes", "used_size_bytes",
                                       "attributes", "subpools"};
    json_t *values[6];
    struct pool pool = {.size = -1, .used = -1, .at = at};
    if (!collect(reader, object, KEYS(keys), values)) {
        return false;
    }
    if (!values[0] || !values[1]) {
        return sw_json_missing(&reader->json, values[0] ? "name" : "id", reader->error);
    }
    if (!integer(reader, keys[0], values[0], &pool.id) ||
        !sw_json_string(&reader->json, keys[1], values[1], &pool.name, reader->error) ||
        !integer(reader, keys[2], values[2], &pool.size) ||
        !integer(reader, keys[3], values[3], &pool.used) ||
        !read_attributes(reader, values[4], &pool)) {
        return false;
    }
    pool.composite = json_array_size(values[5]) > 0;
    if (!*pool.name) {
        return sw_json_fail(&reader->json, keys[1], reader->error, "the name is empty");
    }
    if (find_pool(reader, pool.id)) {
        return sw_json_fail(&reader->json, keys[0], reader->error,
                            "two memory pools have the id %" PRId64, pool.id);
    }
    return SW_PUSH(&reader->pools, pool) || sw_fail_memory(reader->error);
}

/* ---- graphs: only what buffers are for ---- */

static bool add_uses(struct reader *reader, const char *key, const json_t *ids, enum sw_kind kind) {
    if (!ids || !sw_json_array(&reader->json, key, ids, reader->error)) {
        return !ids;
    }
    for (size_t i = 0; i < json_array_size(ids); i++) {
        const json_t *id = json_array_get(ids, i);
        struct use use = {json_integer_value(id), kind};
        if (json_is_integer(id) && !SW_PUSH(&reader->uses, use)) {
            return sw_fail_memory(reader->error);
        }
    }
    return true;
}

static bool read_node(struct reader *reader, const json_t *object, struct sw_position at) {
    static const char *const keys[] = {"scratchs"};
    json_t *values[1];
    (void)at;
    return collect(reader, object, KEYS(keys), values) &&
           add_uses(reader, keys[0], values[0], SW_KIND_SCRATCH);
}

static bool read_graph(struct reader *reader, const json_t *object, struct sw_position at) {
    static const char *const keys[] = {"inputs", "outputs", "nodes"};
    json_t *values[3];
    (void)at;
    return collect(reader, object, KEYS(keys), values) &&
           add_uses(reader, keys[0], values[0], SW_KIND_INPUT) &&
           add_uses(reader, keys[1], values[1], SW_KIND_OUTPUT) &&
           (!values[2] || for_each(reader, keys[2], values[2], read_node));
}

/* By id; input before output before scratch, which is the order of the kinds. */
static int compare_uses(const void *a, const void *b) {
    const struct use *x = a, *y = b;
    int order = (x->id > y->id) - (x->id < y->id);
    return order ? order : (x->kind > y->kind) - (x->kind < y->kind);
}

static enum sw_kind kind_of(const struct reader *reader, int64_t id) {
    size_t low = 0, high = reader->uses.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (reader->uses.items[middle].id < id) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    bool found = low < reader->uses.count && reader->uses.items[low].id == id;
    return found ? reader->uses.items[low].kind : SW_KIND_INTERMEDIATE;
}

/* ---- buffers ---- */

enum { ID, NAME, POOL, OFFSET, SIZE, ALIGNMENT, EPOCHS, PARAM, FORMAT, BITS, BUFFER_KEYS };
static const char *const buffer_keys[BUFFER_KEYS] = {
    "id",        "name",   "mpool_id", "offset_start", "size_bytes",
    "alignment", "epochs", "is_param", "format",       "nbits"};

static enum sw_dtype read_format(const char *format, int64_t bits) {
    static const struct {
        const char *format;
        int64_t bits;
        enum sw_dtype dtype;
    } known[] = {
        {"STAI_FORMAT_FLOAT", 32, SW_DTYPE_FLOAT32}, {"STAI_FORMAT_FLOAT", 16, SW_DTYPE_FLOAT16},
        {"STAI_FORMAT_FLOAT", 64, SW_DTYPE_FLOAT64}, {"STAI_FORMAT_S8", 8, SW_DTYPE_INT8},
        {"STAI_FORMAT_U8", 8, SW_DTYPE_UINT8},       {"STAI_FORMAT_S16", 16, SW_DTYPE_INT16},
        {"STAI_FORMAT_U16", 16, SW_DTYPE_UINT16},    {"STAI_FORMAT_S32", 32, SW_DTYPE_INT32},
        {"STAI_FORMAT_U32", 32, SW_DTYPE_UINT32},    {"STAI_FORMAT_S64", 64, SW_DTYPE_INT64},
        {"STAI_FORMAT_BOOL", 8, SW_DTYPE_BOOL},
    };
    for (size_t i = 0; format && i < sizeof known / sizeof *known; i++) {
        if (known[i].bits == bits && strcmp(known[i].format, format) == 0) {
            return known[i].dtype;
        }
    }
    return SW_DTYPE_NONE;
}

static bool read_epochs(struct reader *reader, const json_t *object, struct sw_placed_row *row) {
    static const char *const keys[] = {"start", "end"};
    json_t *values[2];
    if (!object) {
        return sw_json_missing(&reader->json, "epochs", reader->error);
    }
    sw_json_enter(&reader->json, "epochs");
    if (!collect(reader, object, KEYS(keys), values)) {
        return false;
    }
    if (!values[0] || !values[1]) {
        return sw_json_missing(&reader->json, keys[values[0] ? 1 : 0], reader->error);
    }
    if (!integer(reader, keys[0], values[0], &row->first) ||
        !integer(reader, keys[1], values[1], &row->last)) {
        return false;
    }
    if (row->last < row->first) {
        return sw_json_fail(&reader->json, keys[1], reader->error,
                            "epoch %" PRId64 " comes before the start, %" PRId64, row->last,
                            row->first);
    }
    sw_json_leave(&reader->json);
    return true;
}

/* Where it lies: false in `placed` when the tool did not say. */
static bool read_place(struct reader *reader, json_t **values, struct sw_placed_row *row,
                       bool *placed) {
    int64_t pool_id = -1, offset = -1;
    if (!integer(reader, buffer_keys[POOL], values[POOL], &pool_id) ||
        !integer(reader, buffer_keys[OFFSET], values[OFFSET], &offset)) {
        return false;
    }
    *placed = pool_id >= 0 && offset >= 0;
    struct pool *pool = *placed ? find_pool(reader, pool_id) : NULL;
    if (*placed && !pool) {
        return sw_json_fail(&reader->json, buffer_keys[POOL], reader->error,
                            "there is no memory pool %" PRId64, pool_id);
    }
    if (pool) {
        pool->held++;
        row->tier = pool->name;
        row->offset = (uint64_t)offset;
    }
    return true;
}

static bool read_buffer(struct reader *reader, const json_t *object, struct sw_position at) {
    json_t *values[BUFFER_KEYS];
    struct sw_placed_row row = {.line = at.line, .column = at.column};
    bool weight = false, placed = false;
    int64_t id = -1, bits = 0;
    if (!collect(reader, object, buffer_keys, BUFFER_KEYS, values) ||
        !sw_json_flag(&reader->json, buffer_keys[PARAM], values[PARAM], &weight, reader->error)) {
        return false;
    }
    if (!values[NAME] || !values[SIZE]) {
        return sw_json_missing(&reader->json, buffer_keys[values[NAME] ? SIZE : NAME],
                               reader->error);
    }
    if (!integer(reader, buffer_keys[ID], values[ID], &id) ||
        !sw_json_string(&reader->json, buffer_keys[NAME], values[NAME], &row.name, reader->error) ||
        !sw_json_unsigned(&reader->json, buffer_keys[SIZE], values[SIZE], 0, SW_MAX_BYTES,
                          &row.size, reader->error)) {
        return false;
    }
    if (weight) {
        reader->weights++;
        return !__builtin_add_overflow(reader->weight_bytes, row.size, &reader->weight_bytes) ||
               sw_json_fail(&reader->json, buffer_keys[SIZE], reader->error,
                            "the weights add up past 2^64 bytes");
    }
    if (!sw_json_unsigned(&reader->json, buffer_keys[ALIGNMENT], values[ALIGNMENT], 0,
                          SW_MAX_ALIGNMENT, &row.alignment, reader->error) ||
        !integer(reader, buffer_keys[BITS], values[BITS], &bits) ||
        !read_place(reader, values, &row, &placed)) {
        return false;
    }
    if (!placed) {
        reader->unplaced++;
        return true;
    }
    row.kind = kind_of(reader, id);
    row.dtype = read_format(json_string_value(values[FORMAT]), bits);
    if (!read_epochs(reader, values[EPOCHS], &row)) {
        return false;
    }
    if (!sw_placed_add(&reader->placed, &row, strlen(row.name), reader->error)) {
        sw_error_at(reader->error, reader->json.input->name, at.line, at.column);
        return false;
    }
    return true;
}

/* ---- tiers and notes ---- */

static int compare_pools(const void *a, const void *b) {
    const struct pool *x = a, *y = b;
    int order = (x->rank > y->rank) - (x->rank < y->rank);
    if (order == 0) {
        order = (x->at.line > y->at.line) - (x->at.line < y->at.line);
    }
    return order ? order : (x->at.column > y->at.column) - (x->at.column < y->at.column);
}

static bool note_pool(struct reader *reader, const struct pool *pool) {
    uint64_t peak = sw_placed_peak(&reader->placed, pool->name);
    if (pool->composite &&
        !sw_notef(reader->builder, reader->error,
                  "pool %s is made of other pools; that their buffers stay clear of its own is not "
                  "checked",
                  pool->name)) {
        return false;
    }
    return pool->used < 0 || (uint64_t)pool->used == peak ||
           sw_notef(reader->builder, reader->error,
                    "the file says pool %s uses %s bytes; its activations end at %s", pool->name,
                    SW_COUNT((uint64_t)pool->used), SW_COUNT(peak));
}

static bool add_tiers(struct reader *reader) {
    size_t idle = 0;
    if (reader->pools.count > 1) {
        qsort(reader->pools.items, reader->pools.count, sizeof *reader->pools.items, compare_pools);
    }
    for (size_t i = 0; i < reader->pools.count; i++) {
        const struct pool *pool = &reader->pools.items[i];
        if (pool->held == 0) {
            idle++;
            continue;
        }
        struct sw_tier tier = {.name = pool->name,
                               .capacity = pool->size < 0 ? SW_UNBOUNDED : (uint64_t)pool->size,
                               .bandwidth = pool->bandwidth,
                               .latency = pool->latency};
        sw_builder_at(reader->builder, pool->at.line, pool->at.column);
        if (!sw_builder_tier(reader->builder, &tier, reader->error) || !note_pool(reader, pool)) {
            return false;
        }
    }
    return idle == 0 || sw_notef(reader->builder, reader->error,
                                 "memory pools without activations, left out: %zu", idle);
}

static bool add_notes(struct reader *reader) {
    return sw_builder_note(reader->builder,
                           "epochs: start and end are both inside; pools stand in the order of "
                           "their latency, which the file has in words",
                           reader->error) &&
           (reader->weights == 0 ||
            sw_notef(reader->builder, reader->error,
                     "weights and other parameters (%" PRIu64 ", %s bytes) are left out",
                     reader->weights, SW_COUNT(reader->weight_bytes))) &&
           (reader->unplaced == 0 ||
            sw_notef(reader->builder, reader->error,
                     "buffers that have no place in a pool, left out: %" PRIu64, reader->unplaced));
}

/* ---- the file ---- */

static bool read_root(struct reader *reader) {
    static const char *const keys[] = {"json_schema_version", "memory_pools", "graphs", "buffers"};
    json_t *values[4];
    const char *version = NULL;
    if (!collect(reader, reader->json.root, KEYS(keys), values) ||
        !sw_json_string(&reader->json, keys[0], values[0], &version, reader->error)) {
        return false;
    }
    if (version && strncmp(version, "2.", 2) != 0) {
        return sw_json_fail(&reader->json, keys[0], reader->error,
                            "schema version %s is not known; 2.0 is",
                            sw_quote(version, strlen(version)).text);
    }
    if (!values[1] || !values[3]) {
        return sw_json_missing(&reader->json, keys[values[1] ? 3 : 1], reader->error);
    }
    if (!for_each(reader, keys[1], values[1], read_pool) ||
        (values[2] && !for_each(reader, keys[2], values[2], read_graph))) {
        return false;
    }
    if (reader->uses.count > 1) {
        qsort(reader->uses.items, reader->uses.count, sizeof *reader->uses.items, compare_uses);
    }
    return for_each(reader, keys[3], values[3], read_buffer) && add_notes(reader) &&
           add_tiers(reader) &&
           sw_placed_build(&reader->placed, SW_ALIAS_ANY, reader->builder, reader->error);
}

static bool info_read(const struct sw_input *input, const struct sw_load_options *options, struct sw_builder *builder,
                      struct sw_error *error) {
    (void)options;
    struct sw_error own = {0};
    struct reader reader = {.builder = builder, .error = &own};
    bool good = sw_json_open(&reader.json, input, &own);
    if (good) {
        good = read_root(&reader);
        sw_placed_done(&reader.placed);
        SW_ARRAY_DONE(&reader.pools);
        SW_ARRAY_DONE(&reader.uses);
        sw_json_close(&reader.json);
    }
    if (!good && error) {
        *error = own;
    }
    return good;
}

static bool info_detect(const struct sw_input *input) {
    struct sw_json_walk walk;
    bool pools = false, version = false;
    sw_json_walk_begin(&walk, sw_text_begin(input), sw_text_end(input));
    while (!(pools && version) && sw_json_walk_next(&walk)) {
        pools |= sw_json_walk_is(&walk, "memory_pools");
        version |= sw_json_walk_is(&walk, "json_schema_version");
    }
    return pools && version;
}

const struct sw_format sw_format_st_c_info = {
    .name = "st-c-info",
    .summary = "ST Edge AI's NAME_c_info.json: the epochs start and end are both inside",
    .extensions = ".json",
    .detect = info_detect,
    .read = info_read,
};
