#include "formats/graphs/moves_file.h"
#include "base/base.h"

#include "formats/text/json.h"

enum move_key {
    MOVE_KIND,
    MOVE_FIRST,
    MOVE_LAST,
    FILE_STRIPS,
    MOVE_WAY,
    MOVE_MODE,
    MOVE_BACKWARDS,
    MOVE_PADDED,
    MOVE_KEPT,
    MOVE_ENDS,
    MOVE_LEAD,
    MOVE_ROWS,
    MOVE_EFFECT,
    MOVE_KEYS
};
static const char *const move_keys[] = {"kind",   "first", "last", "strips", "way",  "mode",  "backwards",
                                        "padded", "kept",  "ends", "lead",   "rows", "effect"};
enum move_mode { MOVE_HALO, MOVE_KEEP, MOVE_LOOP };
static const char *const move_modes[] = {"halo", "keep", "loop"};
enum move_way { MOVE_DISCARD, MOVE_PAD };
static const char *const move_ways[] = {"discard", "pad"};

struct moves_reader {
    struct sw_json json;
    const struct sw_problem *problem;
    struct sw_error *error;
    json_t *values[MOVE_KEYS]; /* of the present move */
};

/* One of these words; the first where nothing is said. */
static bool read_move_word(const struct moves_reader *r, enum move_key key, const char *const *words, size_t count,
                           unsigned *number) {
    const char *word = words[0];
    if (!sw_json_string(&r->json, move_keys[key], r->values[key], &word, r->error)) {
        return false;
    }
    for (*number = 0; *number < count; ++*number) {
        if (strcmp(word, words[*number]) == 0) {
            return true;
        }
    }
    return sw_json_fail(&r->json, move_keys[key], r->error, "\"%s\" is one of %s, %s%s%s, not \"%.40s\"",
                        move_keys[key], words[0], words[1], count > 2 ? ", " : "", count > 2 ? words[2] : "", word);
}

static bool read_move_operator(const struct moves_reader *r, enum move_key key, uint32_t *op) {
    const char *name = NULL;
    if (!sw_json_string(&r->json, move_keys[key], r->values[key], &name, r->error)) {
        return false;
    }
    *op = name ? sw_problem_find_operator(r->problem, name) : *op;
    return !name || *op != SW_NONE ||
           sw_json_fail(&r->json, move_keys[key], r->error, "the model has no operator \"%.60s\"", name);
}

static bool read_move_number(const struct moves_reader *r, enum move_key key, uint64_t least, uint32_t *to) {
    uint64_t number = *to;
    bool good = sw_json_unsigned(&r->json, move_keys[key], r->values[key], least, INT32_MAX, &number, r->error);
    *to = (uint32_t)number;
    return good;
}

/* Some operators of a region, `end` not among them: a bit for each. */
static bool read_move_operators(const struct moves_reader *r, enum move_key key, const struct sw_fit_region *region,
                                uint32_t end, uint64_t *bits) {
    size_t i;
    json_t *item;
    if (!sw_json_array(&r->json, move_keys[key], r->values[key], r->error)) {
        return false;
    }
    json_array_foreach(r->values[key], i, item) {
        const char *name = json_string_value(item);
        uint32_t op = name ? sw_problem_find_operator(r->problem, name) : SW_NONE;
        if (op == SW_NONE || op < region->first || op >= end || op - region->first >= 64) {
            return sw_json_fail(&r->json, move_keys[key], r->error,
                                "\"%s\" names operators of the region%s: number %zu is none", move_keys[key],
                                end == region->last ? " that are not its last" : "", i + 1);
        }
        *bits |= UINT64_C(1) << (op - region->first);
    }
    return true;
}

/* Where each strip but the last ends. */
static bool read_move_ends(const struct moves_reader *r, struct sw_fit_region *region) {
    size_t i, most = sizeof region->ends / sizeof *region->ends;
    json_t *item;
    if (!sw_json_array(&r->json, move_keys[MOVE_ENDS], r->values[MOVE_ENDS], r->error)) {
        return false;
    }
    size_t count = json_array_size(r->values[MOVE_ENDS]);
    if (count > 0 && (count > most || count != region->strips - 1)) {
        return sw_json_fail(&r->json, move_keys[MOVE_ENDS], r->error,
                            "\"ends\" tells of each strip but the last where it ends: %u of them, at most %zu",
                            region->strips - 1, most);
    }
    json_array_foreach(r->values[MOVE_ENDS], i, item) {
        json_int_t end = json_integer_value(item);
        if (!json_is_integer(item) || end <= (i > 0 ? region->ends[i - 1] : 0) || end > UINT16_MAX) {
            return sw_json_fail(&r->json, move_keys[MOVE_ENDS], r->error,
                                "\"ends\" are rows, ascending, from 1 on: number %zu is none", i + 1);
        }
        region->ends[i] = (uint16_t)end;
    }
    return true;
}

static bool read_move_strips(const struct moves_reader *r, struct sw_fit_region *region) {
    unsigned way, mode;
    *region = (struct sw_fit_region){.first = SW_NONE, .lead = 1, .rows = 1};
    if (!r->values[MOVE_FIRST] || !r->values[FILE_STRIPS]) {
        return sw_json_missing(&r->json, move_keys[r->values[MOVE_FIRST] ? FILE_STRIPS : MOVE_FIRST], r->error);
    }
    if (!read_move_operator(r, MOVE_FIRST, &region->first)) {
        return false;
    }
    region->last = region->first;
    bool good =
        read_move_operator(r, MOVE_LAST, &region->last) && read_move_number(r, FILE_STRIPS, 2, &region->strips) &&
        read_move_word(r, MOVE_WAY, move_ways, 2, &way) && read_move_word(r, MOVE_MODE, move_modes, 3, &mode) &&
        sw_json_flag(&r->json, move_keys[MOVE_BACKWARDS], r->values[MOVE_BACKWARDS], &region->backwards, r->error) &&
        read_move_number(r, MOVE_LEAD, 1, &region->lead) && read_move_number(r, MOVE_ROWS, 1, &region->rows);
    if (good && region->last < region->first) {
        return sw_json_fail(&r->json, move_keys[MOVE_LAST], r->error, "\"last\" runs before \"first\"");
    }
    if (!good || !read_move_operators(r, MOVE_KEPT, region, region->last, &region->kept) ||
        !read_move_operators(r, MOVE_PADDED, region, region->last + 1, &region->padded) || !read_move_ends(r, region)) {
        return false;
    }
    region->padded = way == MOVE_PAD && region->padded == 0 ? SW_FIT_PAD_ALL : region->padded;
    region->loop = mode == MOVE_LOOP;
    region->kept = mode == MOVE_KEEP && region->kept == 0 ? SW_FIT_KEEP_ALL : region->kept;
    region->lead = region->loop ? region->lead : 0;
    region->rows = region->loop ? region->rows : 0;
    return true;
}

static int moves_by_first_operator(const void *a, const void *b) {
    const struct sw_fit_region *x = a, *y = b;
    return (x->first > y->first) - (x->first < y->first);
}

static bool read_moves(struct moves_reader *r, struct sw_fit_region *regions) {
    size_t i = 0;
    const json_t *item;
    for (; sw_json_item(&r->json, NULL, r->json.root, i, &item); i++) {
        const char *kind = NULL;
        if (!json_is_object(item)) {
            return sw_json_fail(&r->json, NULL, r->error, "a move is an object, {\"kind\":\"strips\",\"first\":...}");
        }
        if (!sw_json_collect(&r->json, item, move_keys, MOVE_KEYS, false, r->values, r->error) ||
            !sw_json_string(&r->json, "kind", r->values[MOVE_KIND], &kind, r->error)) {
            return false;
        }
        if (!kind || strcmp(kind, "strips") != 0) {
            return sw_json_fail(&r->json, kind ? "kind" : NULL, r->error,
                                "moves that can be given are those of kind \"strips\": fit looks for the others");
        }
        if (!read_move_strips(r, &regions[i])) {
            return false;
        }
    }
    qsort(regions, i, sizeof *regions, moves_by_first_operator);
    for (size_t k = 1; k < i; k++) {
        if (regions[k].first <= regions[k - 1].last) {
            return sw_json_fail(&r->json, NULL, r->error, "two regions have the operator %.60s",
                                sw_problem_operator(r->problem, regions[k].first)->name);
        }
    }
    return true;
}

bool sw_moves_file_read(const struct sw_input *input, const struct sw_problem *problem, struct sw_fit_region **regions,
                        size_t *count, struct sw_error *error) {
    struct moves_reader r = {.problem = problem, .error = error};
    bool good = sw_json_open(&r.json, input, error);
    if (good && (!json_is_array(r.json.root) || json_array_size(r.json.root) == 0)) {
        good = sw_json_fail(&r.json, NULL, error,
                            "moves are a list, [{\"kind\":\"strips\",\"first\":...}, ...], of at least one");
    }
    *count = good ? json_array_size(r.json.root) : 0;
    *regions = SW_NEW_ZERO(struct sw_fit_region, *count);
    good = good && ((*regions || sw_fail_memory(error)) && read_moves(&r, *regions));
    if (!good && !*error->file) {
        sw_error_at(error, input->name, error->line, error->column);
    }
    if (!good) {
        SW_FREE(*regions, *count);
        *regions = NULL;
    }
    sw_json_close(&r.json);
    return good;
}
