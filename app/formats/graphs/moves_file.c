#include "formats/graphs/moves_file.h"
#include "base/base.h"
#include "base/sort.h"

#include "formats/text/json.h"

enum move_mode { MOVE_HALO, MOVE_KEEP, MOVE_LOOP };
static const char *const move_modes[] = {"halo", "keep", "loop"};
enum move_way { MOVE_DISCARD, MOVE_PAD };
static const char *const move_ways[] = {"discard", "pad"};

struct moves_reader {
    struct sw_json json;
    const struct sw_problem *problem;
};

/* One of these words; the first where nothing is said. */
static bool read_move_word(const struct sw_json *json, const char *key, const char *const *words, size_t count,
                           unsigned *number) {
    const char *word = words[0];
    if (!sw_json_string(json, key, &word)) {
        return false;
    }
    for (*number = 0; *number < count; ++*number) {
        if (strcmp(word, words[*number]) == 0) {
            return true;
        }
    }
    return sw_json_fail(json, key, "\"%s\" is one of %s, %s%s%s, not \"%.40s\"", key, words[0], words[1],
                        count > 2 ? ", " : "", count > 2 ? words[2] : "", word);
}

static bool read_move_operator(const struct moves_reader *r, const char *key, uint32_t *op) {
    const char *name = NULL;
    if (!sw_json_string(&r->json, key, &name)) {
        return false;
    }
    *op = name ? sw_problem_find_operator(r->problem, name) : *op;
    return !name || *op != SW_NONE || sw_json_fail(&r->json, key, "the model has no operator \"%.60s\"", name);
}

static bool read_move_number(const struct sw_json *json, const char *key, uint64_t least, uint32_t *to) {
    uint64_t number = *to;
    bool good = sw_json_unsigned(json, key, least, INT32_MAX, &number);
    *to = (uint32_t)number;
    return good;
}

/* Some operators of a region, `end` not among them: a bit for each. */
static bool read_move_operators(const struct moves_reader *r, const char *key, const struct sw_fit_region *region,
                                uint32_t end, uint64_t *bits) {
    const json_t *list = sw_json_value(&r->json, key);
    if (!sw_json_array(&r->json, key)) {
        return false;
    }
    for (size_t i = 0; i < json_array_size(list); i++) {
        const char *name = json_string_value(json_array_get(list, i));
        uint32_t op = name ? sw_problem_find_operator(r->problem, name) : SW_NONE;
        if (op == SW_NONE || op < region->first || op >= end || op - region->first >= 64) {
            return sw_json_fail(&r->json, key, "\"%s\" names operators of the region%s: number %zu is none", key,
                                end == region->last ? " that are not its last" : "", i + 1);
        }
        *bits |= UINT64_C(1) << (op - region->first);
    }
    return true;
}

/* Where each strip but the last ends. */
static bool read_move_ends(const struct sw_json *json, struct sw_fit_region *region) {
    const json_t *list = sw_json_value(json, "ends");
    size_t count = json_array_size(list), most = sizeof region->ends / sizeof *region->ends;
    if (!sw_json_array(json, "ends")) {
        return false;
    }
    if (count > 0 && (count > most || count != region->strips - 1)) {
        return sw_json_fail(json, "ends",
                            "\"ends\" tells of each strip but the last where it ends: %u of them, at most %zu",
                            region->strips - 1, most);
    }
    for (size_t i = 0; i < count; i++) {
        const json_t *item = json_array_get(list, i);
        json_int_t end = json_integer_value(item);
        if (!json_is_integer(item) || end <= (i > 0 ? region->ends[i - 1] : 0) || end > UINT16_MAX) {
            return sw_json_fail(json, "ends", "\"ends\" are rows, ascending, from 1 on: number %zu is none", i + 1);
        }
        region->ends[i] = (uint16_t)end;
    }
    return true;
}

static bool read_move_strips(const struct moves_reader *r, struct sw_fit_region *region) {
    const struct sw_json *json = &r->json;
    unsigned way, mode;
    *region = (struct sw_fit_region){.first = SW_NONE, .lead = 1, .rows = 1};
    if (!sw_json_need(json, "first") || !sw_json_need(json, "strips") ||
        !read_move_operator(r, "first", &region->first)) {
        return false;
    }
    region->last = region->first;
    bool good = read_move_operator(r, "last", &region->last) && read_move_number(json, "strips", 2, &region->strips) &&
                read_move_word(json, "way", move_ways, 2, &way) && read_move_word(json, "mode", move_modes, 3, &mode) &&
                sw_json_flag(json, "backwards", &region->backwards) &&
                read_move_number(json, "lead", 1, &region->lead) && read_move_number(json, "rows", 1, &region->rows);
    if (good && region->last < region->first) {
        return sw_json_fail(json, "last", "\"last\" runs before \"first\"");
    }
    if (!good || !read_move_operators(r, "kept", region, region->last, &region->kept) ||
        !read_move_operators(r, "padded", region, region->last + 1, &region->padded) || !read_move_ends(json, region)) {
        return false;
    }
    region->padded = way == MOVE_PAD && region->padded == 0 ? SW_FIT_PAD_ALL : region->padded;
    region->loop = mode == MOVE_LOOP;
    region->kept = mode == MOVE_KEEP && region->kept == 0 ? SW_FIT_KEEP_ALL : region->kept;
    region->lead = region->loop ? region->lead : 0;
    region->rows = region->loop ? region->rows : 0;
    return true;
}

SW_BY_FIELDS(moves_by_first_operator, struct sw_fit_region, SW_UP(first))

static bool read_moves(struct moves_reader *r, struct sw_fit_region *regions) {
    struct sw_json *json = &r->json;
    size_t i = 0;
    for (; sw_json_item(json, NULL, i); i++) {
        const char *kind = NULL;
        if (!json_is_object(sw_json_value(json, NULL))) {
            return sw_json_fail(json, NULL, "a move is an object, {\"kind\":\"strips\",\"first\":...}");
        }
        if (!SW_JSON_ONLY(json, "kind", "first", "last", "strips", "way", "mode", "backwards", "padded", "kept", "ends",
                          "lead", "rows", "effect") ||
            !sw_json_string(json, "kind", &kind)) {
            return false;
        }
        if (!kind || strcmp(kind, "strips") != 0) {
            return sw_json_fail(json, kind ? "kind" : NULL,
                                "moves that can be given are those of kind \"strips\": fit looks for the others");
        }
        if (!read_move_strips(r, &regions[i])) {
            return false;
        }
    }
    qsort(regions, i, sizeof *regions, moves_by_first_operator);
    for (size_t k = 1; k < i; k++) {
        if (regions[k].first <= regions[k - 1].last) {
            return sw_json_fail(json, NULL, "two regions have the operator %.60s",
                                sw_problem_operator(r->problem, regions[k].first)->name);
        }
    }
    return true;
}

bool sw_moves_file_read(const struct sw_input *input, const struct sw_problem *problem, struct sw_fit_region **regions,
                        size_t *count, struct sw_error *error) {
    struct moves_reader r = {.problem = problem};
    bool good = sw_json_open(&r.json, input, error);
    if (good && (!json_is_array(r.json.root) || json_array_size(r.json.root) == 0)) {
        good = sw_json_fail(&r.json, NULL,
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
