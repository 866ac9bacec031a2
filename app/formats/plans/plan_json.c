/* Finished plans as JSON: the summary of a run, of which `placements`, `transfers`, `overwrites`
 * and `tiers` are read. Keys that other programs or later versions add are passed over. */
#include "formats/graphs/moment_file.h"
#include "formats/graphs/graph_json.h"
#include "base/base.h"
#include "base/sort.h"
#include "formats/plans/finished_plan.h"

/* A plan is open to other keys, and a member that is null counts as not there. */
static bool open_plan(struct sw_json *json, const struct sw_input *input, struct sw_error *error) {
    bool good = sw_json_open(json, input, error);
    json->no_nulls = true;
    return good;
}

static bool is_object(const struct sw_json *json) {
    return sw_json_object(json, NULL, 0, true);
}

static bool read_top(const struct sw_json *json) {
    return is_object(json) && sw_json_need(json, "placements") && sw_json_array(json, "placements") &&
           sw_json_array(json, "transfers") && sw_json_array(json, "overwrites") && sw_json_array(json, "tiers");
}

static bool read_plan_time(const struct sw_json *json, const char *key, int64_t *to) {
    return sw_json_integer(json, key, -SW_MAX_TIME, SW_LAST_TIME, to);
}

/* Alignment and pieces are not in every summary: a plan has them where without them it would read back as another
 * problem. Of pieces the graph knows. */
static bool read_placement(const struct sw_json *json, struct sw_plan_entry *entry) {
    *entry = (struct sw_plan_entry){.has_offset = sw_json_value(json, "offset") != NULL,
                                    .has_size = sw_json_value(json, "size") != NULL,
                                    .has_life = sw_json_value(json, "first") && sw_json_value(json, "last")};
    return is_object(json) && sw_json_need(json, "buffer") && sw_json_string(json, "buffer", &entry->name) &&
           sw_json_string(json, "tier", &entry->tier) &&
           sw_json_unsigned(json, "offset", 0, INT64_MAX, &entry->offset) &&
           sw_json_unsigned(json, "size", 0, SW_MAX_BYTES, &entry->size) &&
           read_plan_time(json, "first", &entry->first) && read_plan_time(json, "last", &entry->last) &&
           sw_json_unsigned(json, "alignment", 1, SW_MAX_ALIGNMENT, &entry->alignment) &&
           (!entry->has_life || entry->first <= entry->last ||
            sw_json_fail(json, "last", "last %" PRId64 " is before first %" PRId64, entry->last, entry->first));
}

/* ---- matched to a graph ---- */

struct plan_reader {
    struct sw_json json;
    struct sw_plan_maker *maker;
    struct sw_layout *layout;
};

static bool report_plan_complaint(struct plan_reader *reader) {
    const struct sw_plan_maker *maker = reader->maker;
    const char *key = maker->column == SW_COLUMN_TIER     ? "tier"
                      : maker->column == SW_COLUMN_OFFSET ? "offset"
                      : maker->column == SW_COLUMN_SIZE   ? "size"
                      : maker->column == SW_COLUMN_LOWER  ? "first"
                      : maker->column == SW_COLUMN_UPPER  ? "last"
                                                          : "buffer";
    if (maker->memory) {
        return sw_fail_memory(reader->json.error);
    }
    reader->json.depth = 0;
    sw_json_enter(&reader->json, "placements");
    sw_json_enter_index(&reader->json, maker->source);
    return sw_json_fail(&reader->json, key, "%s", maker->complaint);
}

static bool read_placements(struct plan_reader *reader) {
    for (size_t i = 0; sw_json_item(&reader->json, "placements", i); i++) {
        struct sw_plan_entry entry;
        if (!read_placement(&reader->json, &entry)) {
            return false;
        }
        if (!sw_plan_add(reader->maker, &entry, i)) {
            return report_plan_complaint(reader);
        }
    }
    return sw_plan_place(reader->maker, reader->layout) || report_plan_complaint(reader);
}

/* A name of a buffer or of a tier, as a number. */
static bool find_plan_name(const struct plan_reader *reader, const char *key, bool tier, uint32_t *number) {
    const struct sw_json *json = &reader->json;
    const struct sw_problem *problem = reader->maker->problem;
    const char *name = NULL;
    if (!sw_json_need(json, key) || !sw_json_string(json, key, &name)) {
        return false;
    }
    *number = tier ? sw_problem_find_tier(problem, name) : sw_problem_find_buffer(problem, name);
    return *number != SW_NONE || sw_json_fail(json, key, "the graph has no %s '%s'", tier ? "tier" : "buffer",
                                              sw_quote(name, strlen(name)).text);
}

static bool find_plan_step(const struct plan_reader *reader, uint32_t *step) {
    const struct sw_problem *problem = reader->maker->problem;
    int64_t time = 0;
    return sw_json_need(&reader->json, "step") && read_plan_time(&reader->json, "step", &time) &&
           ((sw_plan_step(problem, time, step) && *step < sw_problem_steps(problem)) ||
            sw_json_fail(&reader->json, "step", "nothing happens at time %" PRId64 " in the graph", time));
}

/* One end of a transfer: a tier, or host memory beside the only one. */
static bool find_transfer_end(const struct plan_reader *reader, const char *key, uint32_t *tier) {
    const struct sw_problem *problem = reader->maker->problem;
    const char *name = json_string_value(sw_json_value(&reader->json, key));
    if (name && strcmp(name, SW_HOST_NAME) == 0 && sw_layout_has_host(problem) &&
        sw_problem_find_tier(problem, name) == SW_NONE) {
        *tier = SW_NONE;
        return true;
    }
    return find_plan_name(reader, key, true, tier);
}

static bool read_plan_transfer(struct plan_reader *reader) {
    struct sw_transfer transfer;
    return find_plan_name(reader, "buffer", false, &transfer.buffer) && find_plan_step(reader, &transfer.step) &&
           find_transfer_end(reader, "from", &transfer.from) && find_transfer_end(reader, "to", &transfer.to) &&
           (sw_layout_transfer(reader->layout, &transfer) || sw_fail_memory(reader->json.error));
}

static bool read_overwrite(struct plan_reader *reader) {
    struct sw_permit permit;
    return find_plan_name(reader, "new", false, &permit.fresh) && find_plan_name(reader, "old", false, &permit.old) &&
           find_plan_step(reader, &permit.step) &&
           (sw_layout_permit(reader->layout, &permit) || sw_fail_memory(reader->json.error));
}

/* The arena that was reserved may be larger than the highest block needs. */
static bool read_arena(struct plan_reader *reader) {
    uint32_t tier;
    uint64_t peak = 0;
    if (!find_plan_name(reader, "name", true, &tier) ||
        !sw_json_unsigned(&reader->json, "peak", 0, SW_MAX_BYTES, &peak)) {
        return false;
    }
    if (peak > sw_layout_arena(reader->layout, tier)) {
        sw_layout_set_arena(reader->layout, tier, peak);
    }
    return true;
}

static bool read_plan_list(struct plan_reader *reader, const char *key, bool (*read)(struct plan_reader *)) {
    bool good = true;
    for (size_t i = 0; good && sw_json_item(&reader->json, key, i); i++) {
        good = is_object(&reader->json) && read(reader);
    }
    return good;
}

bool sw_plan_json_read(const struct sw_input *input, struct sw_plan_maker *maker, struct sw_layout *layout,
                       struct sw_error *error) {
    struct plan_reader reader = {.maker = maker, .layout = layout};
    bool good = open_plan(&reader.json, input, error) && read_top(&reader.json) && read_placements(&reader) &&
                read_plan_list(&reader, "transfers", read_plan_transfer) &&
                read_plan_list(&reader, "overwrites", read_overwrite) && read_plan_list(&reader, "tiers", read_arena);
    sw_json_close(&reader.json);
    return good;
}

/* ---- as a problem of its own ---- */

/* What all placements of one buffer say together. */
struct whole {
    struct sw_plan_entry entry;
    size_t index;
    bool moves;  /* in different places at different times */
    bool merged; /* into the one with the lowest index */
};
struct model {
    struct sw_json json;
    struct sw_builder *builder;
    struct whole *wholes;
    struct whole **order; /* by name, then index */
    size_t count;
    struct sw_piece_list pieces; /* of the present buffer */
    const char *tiers[SW_MAX_TIERS];
    uint32_t tier_count;
};

static bool add_plan_tier(struct model *model, const char *name, uint64_t capacity) {
    for (uint32_t i = 0; i < model->tier_count; i++) {
        if (strcmp(model->tiers[i], name) == 0) {
            return true;
        }
    }
    struct sw_tier tier = {.name = name, .capacity = capacity};
    if (!sw_builder_tier(model->builder, &tier, model->json.error)) {
        return false; /* there are too many, when this is full */
    }
    model->tiers[model->tier_count++] = name;
    return true;
}

static bool model_tiers(struct model *model) {
    bool good = true;
    for (size_t i = 0; good && sw_json_item(&model->json, "tiers", i); i++) {
        const char *name = NULL;
        uint64_t capacity = SW_UNBOUNDED;
        good = is_object(&model->json) && sw_json_need(&model->json, "name") &&
               sw_json_string(&model->json, "name", &name) &&
               sw_json_unsigned(&model->json, "capacity", 0, SW_MAX_BYTES, &capacity) &&
               add_plan_tier(model, name, capacity);
    }
    return good;
}

static bool model_placements(struct model *model) {
    for (size_t i = 0; sw_json_item(&model->json, "placements", i); i++) {
        struct whole *whole = &model->wholes[i];
        *whole = (struct whole){.index = i};
        model->order[i] = whole;
        if (!read_placement(&model->json, &whole->entry) || !sw_json_need(&model->json, "size")) {
            return false;
        }
        if (!whole->entry.has_life) {
            return sw_json_fail(&model->json, NULL, "\"first\" or \"last\" is missing");
        }
    }
    return true;
}

static void enter_placement(struct model *model, const struct whole *whole) {
    sw_json_enter(&model->json, "placements");
    sw_json_enter_index(&model->json, whole->index);
}

static int compare_wholes(const void *a, const void *b) {
    const struct whole *x = *(struct whole *const *)a, *y = *(struct whole *const *)b;
    int order = strcmp(x->entry.name, y->entry.name);
    return order ? order : SW_COMPARE(x->index, y->index);
}

static bool same_entry_tier(const struct sw_plan_entry *a, const struct sw_plan_entry *b) {
    return a->tier == b->tier || (a->tier && b->tier && strcmp(a->tier, b->tier) == 0);
}

/* Placements of one buffer for parts of its life become one buffer for the whole. */
static bool merge_placements(struct model *model) {
    sw_sort(model->order, model->count, sizeof(struct whole *), compare_wholes);
    struct whole *into = NULL;
    for (size_t i = 0; i < model->count; i++) {
        struct whole *whole = model->order[i];
        if (!into || strcmp(into->entry.name, whole->entry.name) != 0) {
            into = whole;
            continue;
        }
        struct sw_plan_entry *sum = &into->entry, *part = &whole->entry;
        if (sum->size != part->size) {
            enter_placement(model, whole);
            return sw_json_fail(&model->json, "size", "'%s' has another size here than before",
                                sw_quote(part->name, strlen(part->name)).text);
        }
        whole->merged = true;
        into->moves = into->moves || sum->has_offset != part->has_offset || sum->offset != part->offset ||
                      !same_entry_tier(sum, part);
        sum->first = SW_MIN(part->first, sum->first);
        sum->last = SW_MAX(part->last, sum->last);
    }
    return true;
}

/* The pieces must lie within the lifetime, or the file contradicts itself. Without pieces: one over all bytes. */
static bool model_pieces(struct model *model, const struct whole *whole) {
    const struct sw_plan_entry *entry = &whole->entry;
    model->pieces.count = 0;
    enter_placement(model, whole);
    struct sw_json strict = model->json;
    bool has_pieces = sw_json_value(&strict, "pieces") && !whole->moves;
    strict.no_nulls = false;
    if (has_pieces && !sw_pieces_read(&strict, entry->name, entry->size, &model->pieces)) {
        return false;
    }
    for (size_t i = 0; i < model->pieces.count; i++) {
        const struct sw_piece_spec *piece = &model->pieces.items[i];
        if (piece->first < entry->first || piece->last > entry->last) {
            return sw_json_fail(&model->json, "pieces", "piece %zu of '%s' is outside the lifetime", i + 1,
                                sw_quote(entry->name, strlen(entry->name)).text);
        }
    }
    model->json.depth -= 2;
    return true;
}

static bool model_buffer(struct model *model, const struct whole *whole) {
    const struct sw_plan_entry *entry = &whole->entry;
    if (!model_pieces(model, whole)) {
        return false;
    }
    bool choice = model->tier_count > 1; /* a table of buffers has no tier column either then */
    struct sw_buffer_spec spec = sw_told_buffer(entry->name, entry->size, entry->first, entry->last);
    spec.alignment = entry->alignment;
    spec.pieces = model->pieces.items;
    spec.piece_count = model->pieces.count;
    spec.has_offset = entry->has_offset && !whole->moves;
    spec.offset = entry->offset;
    spec.tier = choice && !whole->moves ? entry->tier : NULL;
    return sw_builder_buffer(model->builder, &spec, model->json.error);
}

static bool model_buffers(struct model *model) {
    struct sw_json_items items;
    if (model->count > 0) {
        sw_json_items_begin(&items, &model->json, "placements");
    }
    bool moves = false;
    for (size_t i = 0; i < model->count; i++) {
        struct sw_position position = sw_json_items_next(&items);
        const struct whole *whole = &model->wholes[i];
        sw_builder_at(model->builder, position.line, position.column);
        if (!whole->merged && !model_buffer(model, whole)) {
            return false;
        }
        moves = moves || (!whole->merged && whole->moves);
    }
    return !moves ||
           sw_builder_note(model->builder, "buffers that move in mid-life are left without a place", model->json.error);
}

static bool read_json_model(struct model *model) {
    struct sw_json *json = &model->json;
    const char *name = NULL;
    if (!read_top(json) || !sw_json_string(json, "graph", &name) ||
        (name && !sw_builder_name(model->builder, name, json->error)) || !model_tiers(model)) {
        return false;
    }
    if (sw_json_value(json, "moment")) { /* nothing was planned */
        sw_json_enter(json, "moment");
        bool good = sw_moment_json_read(json, model->builder);
        sw_json_leave(json);
        return good;
    }
    model->count = json_array_size(sw_json_value(json, "placements"));
    model->wholes = SW_NEW(struct whole, model->count);
    model->order = SW_NEW(struct whole *, model->count);
    if (!model->wholes || !model->order) {
        return sw_fail_memory(json->error);
    }
    return model_placements(model) && merge_placements(model) && model_buffers(model);
}

static bool plan_read(const struct sw_input *input, const struct sw_load_options *options, struct sw_builder *builder,
                      struct sw_error *error) {
    (void)options;
    struct model model = {.builder = builder};
    if (!open_plan(&model.json, input, error)) {
        return false;
    }
    bool good = read_json_model(&model);
    SW_FREE(model.wholes, model.count);
    SW_FREE(model.order, model.count);
    SW_ARRAY_DONE(&model.pieces);
    sw_json_close(&model.json);
    sw_json_refine(input, good ? NULL : error);
    return good;
}

bool sw_plan_json_detect(const struct sw_input *input) {
    struct sw_json_walk walk;
    sw_json_walk_begin(&walk, sw_text_begin(input), sw_text_end(input));
    while (sw_json_walk_next(&walk)) {
        static const char wanted[] = "\"placements\"";
        if (walk.key && (size_t)(walk.key_end - walk.key) == sizeof wanted - 1 &&
            memcmp(walk.key, wanted, sizeof wanted - 1) == 0) {
            return true;
        }
    }
    return false;
}

bool sw_plan_json_planner(const struct sw_input *input, char *name, size_t size) {
    struct sw_json json = {0};
    const char *text = NULL;
    bool found = false;
    if (sw_plan_json_detect(input) && sw_json_open(&json, input, NULL)) {
        text = json_string_value(json_object_get(json.root, "planner"));
        found = text && strlen(text) < size;
        if (found) {
            memcpy(name, text, strlen(text) + 1);
        }
    }
    sw_json_close(&json);
    return found;
}

uint32_t *sw_plan_json_order(const struct sw_input *input, const struct sw_problem *problem, struct sw_error *error) {
    struct sw_json json = {0};
    uint32_t count = sw_problem_operator_count(problem), *order = NULL;
    if (!sw_plan_json_detect(input) || !sw_json_open(&json, input, NULL)) {
        return NULL;
    }
    const json_t *names = json_object_get(json_object_get(json.root, "details"), "order");
    if (!json_is_array(names)) {
        sw_json_close(&json);
        return NULL;
    }
    if (json_array_size(names) != count) {
        sw_fail(error, SW_ERROR_INPUT, "details.order: lists %zu operators, and the model has %u",
                json_array_size(names), count);
    } else if (!(order = SW_NEW(uint32_t, count))) {
        sw_fail_memory(error);
    }
    for (uint32_t step = 0; order && step < count; step++) {
        const char *name = json_string_value(json_array_get(names, step));
        order[step] = name ? sw_problem_find_operator(problem, name) : SW_NONE;
        if (order[step] == SW_NONE) {
            sw_fail(error, SW_ERROR_INPUT, "details.order: the model has no operator %s",
                    name ? name : "without a name");
            SW_FREE(order, count);
            order = NULL;
        }
    }
    sw_json_close(&json);
    return order;
}

/* ---- writing ---- */

static void put_plan_placement(const struct sw_problem *problem, const struct sw_placement *placement, uint64_t base,
                               struct sw_json_out *json) {
    const struct sw_buffer *buffer = sw_problem_buffer(problem, placement->buffer);
    bool part = placement->span.to != UINT32_MAX;
    uint32_t from = part ? placement->span.from : buffer->first;
    uint32_t to = part ? placement->span.to : buffer->last;
    sw_put_object(json, NULL);
    sw_put_text(json, "buffer", buffer->name);
    sw_put_text(json, "tier", sw_problem_tier(problem, placement->tier)->name);
    SW_PUT_COUNTS(json, {"offset", placement->offset + base}, {"size", buffer->size});
    sw_put_time(json, "first", sw_problem_time(problem, from));
    sw_put_time(json, "last", sw_problem_time(problem, to + 1) - 1);
    if (buffer->alignment != 1) {
        sw_put_count(json, "alignment", buffer->alignment);
    }
    if (!part && !sw_plain_life(buffer)) {
        sw_pieces_write(problem, buffer, json);
    }
    sw_put_end(json);
}

static const char *end_name(const struct sw_problem *problem, uint32_t tier, const char *outside) {
    return tier == SW_NONE ? outside : sw_problem_tier(problem, tier)->name;
}

void sw_plan_put_transfer(const struct sw_problem *problem, const struct sw_transfer *transfer, const char *outside,
                          struct sw_json_out *json) {
    sw_put_object(json, NULL);
    sw_put_text(json, "buffer", sw_problem_buffer(problem, transfer->buffer)->name);
    sw_put_time(json, "step", sw_problem_time(problem, transfer->step));
    sw_put_text(json, "from", end_name(problem, transfer->from, outside));
    sw_put_text(json, "to", end_name(problem, transfer->to, outside));
    sw_put_end(json);
}

void sw_plan_put_permit(const struct sw_problem *problem, const struct sw_permit *permit, struct sw_json_out *json) {
    sw_put_object(json, NULL);
    sw_put_text(json, "new", sw_problem_buffer(problem, permit->fresh)->name);
    sw_put_text(json, "old", sw_problem_buffer(problem, permit->old)->name);
    sw_put_time(json, "step", sw_problem_time(problem, permit->step));
    sw_put_end(json);
}

void sw_plan_json_assumed(const struct sw_result *result, struct sw_json_out *json) {
    struct sw_assumed assumed = {0};
    if (!result->search || !sw_search_assumes(result->search)) {
        return;
    }
    json->out->failed |= !sw_plan_assumed(result, &assumed);
    sw_put_list(json, "assumed_overwrites");
    for (size_t i = 0; i < assumed.items.count; i++) {
        sw_plan_put_permit(sw_layout_problem(result->layout), &assumed.items.items[i], json);
    }
    sw_put_end(json);
    SW_ARRAY_DONE(&assumed.items);
}

void sw_plan_json_lists(const struct sw_layout *layout, uint64_t base, struct sw_json_out *json) {
    const struct sw_problem *problem = sw_layout_problem(layout);
    sw_put_list(json, "placements");
    sw_put_lines(json);
    for (uint32_t i = 0; i < sw_problem_buffer_count(problem); i++) {
        struct sw_placement placement;
        for (uint32_t k = 0; sw_layout_placement(layout, i, k, &placement); k++) {
            put_plan_placement(problem, &placement, base, json);
        }
    }
    sw_put_end(json);
    sw_put_list(json, "transfers");
    for (size_t i = 0; i < sw_layout_transfer_count(layout); i++) {
        struct sw_transfer transfer = sw_layout_transfer_get(layout, i);
        sw_plan_put_transfer(problem, &transfer, SW_HOST_NAME, json);
    }
    sw_put_end(json);
    sw_put_list(json, "overwrites");
    for (size_t i = 0; i < sw_layout_permit_count(layout); i++) {
        struct sw_permit permit = sw_layout_permit_get(layout, i);
        sw_plan_put_permit(problem, &permit, json);
    }
    sw_put_end(json);
}

static bool plan_json_write(const struct sw_result *result, struct sw_sink *sink, struct sw_error *error) {
    const struct sw_problem *problem = sw_layout_problem(result->layout);
    struct sw_json_out json = {.out = sink};
    sw_put_object(&json, NULL);
    sw_put_text(&json, "graph", sw_problem_name(problem));
    sw_put_list(&json, "tiers");
    for (uint32_t t = 0; t < sw_problem_tier_count(problem); t++) {
        const struct sw_tier *tier = sw_problem_tier(problem, t);
        sw_put_object(&json, NULL);
        sw_put_text(&json, "name", tier->name);
        if (tier->capacity != SW_UNBOUNDED) {
            sw_put_count(&json, "capacity", tier->capacity);
        }
        sw_put_count(&json, "peak", sw_layout_tier_peak(result->layout, t));
        sw_put_end(&json);
    }
    sw_put_end(&json);
    sw_put_lines(&json);
    sw_plan_json_lists(result->layout, result->base, &json);
    sw_plan_json_assumed(result, &json);
    sw_put_end(&json);
    return !sink->failed || sw_fail_memory(error);
}

const struct sw_format sw_format_plan_json = {
    .name = "plan-json",
    .summary = "a finished plan, as `plan --format json` prints it; first and last are both inside",
    .extensions = ".json",
    .detect = sw_plan_json_detect,
    .read = plan_read,
    .write_plan = plan_json_write,
};
