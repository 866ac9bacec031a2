/* The rules of flatbuffers, followed through a TensorFlow Lite model by the published schema: every table, list and
 * text that can be reached from the root lies in the file, is aligned, and fits what says how long it is. */
#ifndef SW_UNIT_FLAT_RULES_H
#define SW_UNIT_FLAT_RULES_H

#include "unit/unit.h"

#include <string.h>

enum rule_kind {
    RULE_END,
    RULE_BYTE,
    RULE_WORD,
    RULE_LONG,
    RULE_TEXT,
    RULE_BYTES,
    RULE_WORDS,
    RULE_LONGS,
    RULE_TABLE,
    RULE_TABLES,
    RULE_ANY
};
struct rule {
    enum rule_kind kind;
    const struct rule *of; /* TABLE and TABLES; of ANY, a table of which only the frame is looked at, NULL */
};
static const struct rule metadata_rules[] = {{RULE_TEXT, NULL}, {RULE_WORD, NULL}, {RULE_END, NULL}};
static const struct rule buffer_rules[] = {{RULE_BYTES, NULL}, {RULE_LONG, NULL}, {RULE_LONG, NULL}, {RULE_END, NULL}};
static const struct rule quantization_rules[] = {{RULE_WORDS, NULL}, {RULE_WORDS, NULL}, {RULE_WORDS, NULL},
                                                 {RULE_LONGS, NULL}, {RULE_BYTE, NULL},  {RULE_ANY, NULL},
                                                 {RULE_WORD, NULL},  {RULE_END, NULL}};
static const struct rule tensor_rules[] = {
    {RULE_WORDS, NULL}, {RULE_BYTE, NULL}, {RULE_WORD, NULL},  {RULE_TEXT, NULL}, {RULE_TABLE, quantization_rules},
    {RULE_BYTE, NULL},  {RULE_ANY, NULL},  {RULE_WORDS, NULL}, {RULE_BYTE, NULL}, {RULE_END, NULL}};
static const struct rule operator_rules[] = {
    {RULE_WORD, NULL},  {RULE_WORDS, NULL}, {RULE_WORDS, NULL}, {RULE_BYTE, NULL},  {RULE_ANY, NULL},
    {RULE_BYTES, NULL}, {RULE_BYTE, NULL},  {RULE_BYTES, NULL}, {RULE_WORDS, NULL}, {RULE_LONG, NULL},
    {RULE_LONG, NULL},  {RULE_BYTE, NULL},  {RULE_ANY, NULL},   {RULE_WORD, NULL},  {RULE_END, NULL}};
static const struct rule graph_rules[] = {
    {RULE_TABLES, tensor_rules}, {RULE_WORDS, NULL}, {RULE_WORDS, NULL}, {RULE_TABLES, operator_rules},
    {RULE_TEXT, NULL},           {RULE_WORD, NULL},  {RULE_END, NULL}};
static const struct rule code_rules[] = {
    {RULE_BYTE, NULL}, {RULE_TEXT, NULL}, {RULE_WORD, NULL}, {RULE_WORD, NULL}, {RULE_END, NULL}};
static const struct rule map_rules[] = {{RULE_TEXT, NULL}, {RULE_WORD, NULL}, {RULE_END, NULL}};
static const struct rule signature_rules[] = {{RULE_TABLES, map_rules}, {RULE_TABLES, map_rules}, {RULE_TEXT, NULL},
                                              {RULE_TEXT, NULL},        {RULE_WORD, NULL},        {RULE_END, NULL}};
static const struct rule model_rules[] = {{RULE_WORD, NULL},
                                          {RULE_TABLES, code_rules},
                                          {RULE_TABLES, graph_rules},
                                          {RULE_TEXT, NULL},
                                          {RULE_TABLES, buffer_rules},
                                          {RULE_WORDS, NULL},
                                          {RULE_TABLES, metadata_rules},
                                          {RULE_TABLES, signature_rules},
                                          {RULE_END, NULL}};

struct ruled {
    const unsigned char *bytes;
    size_t count;
};

static inline uint64_t rule_load(const struct ruled *file, size_t at, size_t width) {
    uint64_t value = 0;
    if (at % width != 0 || at + width > file->count) {
        fail_msg("%zu bytes at %zu of %zu", width, at, file->count);
    }
    for (size_t i = width; i-- > 0;) {
        value = value << 8 | file->bytes[at + i];
    }
    return value;
}

static inline size_t rule_list(const struct ruled *file, size_t at, size_t width) {
    size_t count = (size_t)rule_load(file, at, 4);
    if (count > (file->count - at - 4) / width || (count > 0 && (at + 4) % width != 0)) {
        fail_msg("a list of %zu items of %zu bytes at %zu of %zu", count, width, at, file->count);
    }
    return count;
}

static inline void rule_follow(const struct ruled *file, size_t at, const struct rule *rules);

static inline void rule_field(const struct ruled *file, size_t at, const struct rule *rule) {
    static const size_t widths[] = {[RULE_BYTE] = 1,  [RULE_WORD] = 4,  [RULE_LONG] = 8,  [RULE_TEXT] = 1,
                                    [RULE_BYTES] = 1, [RULE_WORDS] = 4, [RULE_LONGS] = 8, [RULE_TABLES] = 4};
    if (rule->kind == RULE_BYTE || rule->kind == RULE_WORD || rule->kind == RULE_LONG) {
        rule_load(file, at, widths[rule->kind]);
        return;
    }
    size_t to = at + (size_t)rule_load(file, at, 4);
    assert_true(to > at && to < file->count);
    if (rule->kind == RULE_TABLE || rule->kind == RULE_ANY) {
        rule_follow(file, to, rule->of);
        return;
    }
    size_t count = rule_list(file, to, widths[rule->kind]);
    if (rule->kind == RULE_TEXT && (to + 4 + count >= file->count || file->bytes[to + 4 + count] != 0)) {
        fail_msg("a text at %zu does not end with NUL", to);
    }
    for (size_t i = 0; rule->kind == RULE_TABLES && i < count; i++) {
        size_t item = to + 4 + 4 * i;
        rule_follow(file, item + (size_t)rule_load(file, item, 4), rule->of);
    }
}

static inline void rule_follow(const struct ruled *file, size_t at, const struct rule *rules) {
    int64_t back = (int32_t)rule_load(file, at, 4);
    size_t fields = (size_t)((int64_t)at - back), length = (size_t)rule_load(file, fields, 2),
           size = (size_t)rule_load(file, fields + 2, 2);
    if (length < 4 || length % 2 != 0 || fields + length > file->count || size < 4 || at + size > file->count) {
        fail_msg("a table at %zu with %zu bytes of fields and %zu of its own", at, length, size);
    }
    for (unsigned f = 0; f < (length - 4) / 2; f++) {
        size_t offset = (size_t)rule_load(file, fields + 4 + 2 * (size_t)f, 2);
        assert_true(offset < size);
        if (rules && rules->kind == RULE_END && offset) {
            fail_msg("a table at %zu has field %u, which the schema has not", at, f);
        }
        if (rules && rules->kind != RULE_END) {
            if (offset) {
                assert_true(offset >= 4);
                rule_field(file, at + offset, rules);
            }
            rules++;
        }
    }
}

/* Fails the test where a rule is broken. */
static inline void check_flat_rules(const char *bytes, size_t count) {
    const struct ruled file = {(const unsigned char *)bytes, count};
    assert_true(count > 8 && memcmp(bytes + 4, "TFL3", 4) == 0);
    rule_follow(&file, (size_t)rule_load(&file, 0, 4), model_rules);
}

#endif
