/* The writer of graphs. What it writes reads back to the same problem: only what the reader would
 * not derive again for itself is left out. One item a line, so that two graphs can be compared as
 * text. */
#include "formats/graphs/graph_json.h"
#include "formats/graphs/moment_file.h"

static void put_tier_names(const struct sw_problem *problem, uint64_t mask, struct sw_json_out *json) {
    sw_put_list(json, "tiers");
    for (uint32_t t = 0; t < sw_problem_tier_count(problem); t++) {
        if (mask >> t & 1) {
            sw_put_text(json, NULL, sw_problem_tier(problem, t)->name);
        }
    }
    sw_put_end(json);
}

static bool all_tiers(const struct sw_problem *problem, uint64_t mask) {
    uint32_t count = sw_problem_tier_count(problem);
    return mask == (count >= 64 ? UINT64_MAX : (UINT64_C(1) << count) - 1);
}

/* A list of items, one a line; nothing where it has none. */
static void open_lines(struct sw_json_out *json, const char *key, uint64_t count) {
    if (count > 0) {
        sw_put_list(json, key);
        sw_put_lines(json);
    }
}
static void end_lines(struct sw_json_out *json, uint64_t count) {
    if (count > 0) {
        sw_put_end(json);
    }
}

/* Only where it is not what the reader takes it to be. */
static void put_unless(struct sw_json_out *json, const char *key, uint64_t usual, uint64_t count) {
    if (count != usual) {
        sw_put_count(json, key, count);
    }
}
static void put_type(struct sw_json_out *json, enum sw_dtype dtype) {
    if (dtype != SW_DTYPE_NONE) {
        sw_put_text(json, "dtype", sw_dtype_name(dtype));
    }
}

/* ---- everything around the graph ---- */

static void write_tiers(const struct sw_problem *problem, struct sw_json_out *json) {
    uint32_t count = sw_problem_tier_count(problem);
    open_lines(json, "tiers", count);
    for (uint32_t i = 0; i < count; i++) {
        const struct sw_tier *tier = sw_problem_tier(problem, i);
        const char *const keys[] = {"bandwidth", "latency", "conflict"};
        const double values[] = {tier->bandwidth, tier->latency, tier->conflict};
        sw_put_object(json, NULL);
        sw_put_text(json, "name", tier->name);
        put_unless(json, "capacity", SW_UNBOUNDED, tier->capacity);
        for (size_t k = 0; k < 3; k++) {
            if (values[k] != 0) {
                sw_put_number(json, keys[k], values[k]);
            }
        }
        sw_put_end(json);
    }
    end_lines(json, count);
}

static void write_units(const struct sw_problem *problem, struct sw_json_out *json) {
    uint32_t count = sw_problem_unit_count(problem);
    open_lines(json, "units", count);
    for (uint32_t i = 0; i < count; i++) {
        const struct sw_unit *unit = sw_problem_unit(problem, i);
        sw_put_object(json, NULL);
        sw_put_text(json, "name", unit->name);
        sw_put_if(json, "dedicated", unit->dedicated);
        put_type(json, unit->dtype);
        put_unless(json, "alignment", 1, unit->alignment);
        put_unless(json, "channel_multiple", 1, unit->channel_multiple);
        if (unit->channel_axis != 1) {
            sw_put_time(json, "channel_axis", unit->channel_axis);
        }
        if (!all_tiers(problem, unit->tiers)) {
            put_tier_names(problem, unit->tiers, json);
        }
        sw_put_end(json);
    }
    end_lines(json, count);
    count = sw_problem_function_count(problem);
    open_lines(json, "functions", count);
    for (uint32_t i = 0; i < count; i++) {
        const struct sw_function *function = sw_problem_function(problem, i);
        sw_put_object(json, NULL);
        sw_put_text(json, "name", function->name);
        if (function->unit != SW_NONE) {
            sw_put_text(json, "unit", sw_problem_unit(problem, function->unit)->name);
        }
        sw_put_end(json);
    }
    end_lines(json, count);
}

static void write_constraints(const struct sw_problem *problem, struct sw_json_out *json) {
    uint32_t members = sw_problem_member_count(problem);
    open_lines(json, "overlays", members);
    for (uint32_t i = 0; i < members; i++) {
        const struct sw_member *member = sw_problem_member(problem, i);
        sw_put_object(json, NULL);
        sw_put_text(json, "of", sw_problem_buffer(problem, member->buffer)->name);
        sw_put_text(json, "name", member->name);
        SW_PUT_COUNTS(json, {"lo", member->lo}, {"hi", member->hi});
        sw_put_end(json);
    }
    end_lines(json, members);
    size_t count;
    const uint32_t(*pairs)[2] = sw_problem_separate(problem, &count);
    open_lines(json, "separate", count);
    for (size_t i = 0; i < count; i++) {
        sw_put_list(json, NULL);
        sw_put_text(json, NULL, sw_problem_buffer(problem, pairs[i][0])->name);
        sw_put_text(json, NULL, sw_problem_buffer(problem, pairs[i][1])->name);
        sw_put_end(json);
    }
    end_lines(json, count);
    const struct sw_reserved *reserved = sw_problem_reserved(problem, &count);
    open_lines(json, "reserved", count);
    for (size_t i = 0; i < count; i++) {
        sw_put_object(json, NULL);
        sw_put_text(json, "tier", sw_problem_tier(problem, reserved[i].tier)->name);
        SW_PUT_COUNTS(json, {"lo", reserved[i].lo}, {"hi", reserved[i].hi});
        sw_put_end(json);
    }
    end_lines(json, count);
}

/* ---- operators ---- */

static void put_ref(const struct sw_problem *problem, struct sw_ref ref, struct sw_json_out *json) {
    sw_put_text(json, NULL,
                ref.member != SW_NONE ? sw_problem_member(problem, ref.member)->name
                                      : sw_problem_buffer(problem, ref.buffer)->name);
}

static void put_refs(const struct sw_problem *problem, const char *key, const struct sw_ref *refs, uint32_t count,
                     struct sw_json_out *json) {
    if (count > 0) {
        sw_put_list(json, key);
        for (uint32_t i = 0; i < count; i++) {
            put_ref(problem, refs[i], json);
        }
        sw_put_end(json);
    }
}

static void put_inplace(const struct sw_problem *problem, const struct sw_operator *op, struct sw_json_out *json) {
    sw_put_if(json, "inplace", op->inplace == SW_INPLACE_ANY);
    if (op->inplace != SW_INPLACE_PAIRS) {
        return;
    }
    sw_put_list(json, "inplace");
    for (uint32_t i = 0; i < op->pair_count; i++) {
        put_refs(problem, NULL, op->pairs[i], 2, json);
    }
    sw_put_end(json);
}

static void put_window(const struct sw_op_window *w, struct sw_json_out *json) {
    sw_put_object(json, "window");
    sw_put_printf(json, "kernel", "[%u,%u]", w->kernel[0], w->kernel[1]);
    sw_put_printf(json, "stride", "[%u,%u]", w->stride[0], w->stride[1]);
    sw_put_printf(json, "dilation", "[%u,%u]", w->dilation[0], w->dilation[1]);
    sw_put_printf(json, "pad", "[%u,%u,%u,%u]", w->before[0], w->after[0], w->before[1], w->after[1]);
    put_unless(json, "axis", 1, w->axis);
    sw_put_if(json, "told", w->told);
    sw_put_end(json);
}

static void write_operator(const struct sw_problem *problem, const struct sw_operator *op, struct sw_json_out *json) {
    sw_put_object(json, NULL);
    sw_put_text(json, "name", op->name);
    if (*op->kind) {
        sw_put_text(json, "kind", op->kind);
    }
    if (op->function != SW_NONE) {
        sw_put_text(json, "function", sw_problem_function(problem, op->function)->name);
    }
    if (*sw_problem_core(problem, op->core)) {
        sw_put_text(json, "core", sw_problem_core(problem, op->core));
    }
    put_refs(problem, "inputs", op->inputs, op->input_count, json);
    put_refs(problem, "outputs", op->outputs, op->output_count, json);
    put_refs(problem, "scratch", op->scratch, op->scratch_count, json);
    put_type(json, op->dtype);
    put_inplace(problem, op, json);
    if (op->after_count > 0) {
        sw_put_list(json, "after");
        for (uint32_t i = 0; i < op->after_count; i++) {
            sw_put_text(json, NULL, sw_problem_operator(problem, op->after[i])->name);
        }
        sw_put_end(json);
    }
    if (op->window) {
        put_window(op->window, json);
    }
    put_unless(json, "macs", 0, op->macs);
    sw_put_if(json, "joined", op->joined);
    sw_put_end(json);
}

/* ---- buffers ---- */

static int64_t last_time_of(const struct sw_problem *problem, uint32_t step) {
    return sw_problem_time(problem, step + 1) - 1;
}

static void put_span(const struct sw_problem *problem, uint32_t first, uint32_t last, struct sw_json_out *json) {
    sw_put_time(json, "first", sw_problem_time(problem, first));
    sw_put_time(json, "last", last_time_of(problem, last));
}

void sw_pieces_write(const struct sw_problem *problem, const struct sw_buffer *buffer, struct sw_json_out *json) {
    sw_put_list(json, "pieces");
    for (uint32_t i = 0; i < buffer->piece_count; i++) {
        const struct sw_piece *piece = &buffer->pieces[i];
        sw_put_object(json, NULL);
        put_span(problem, piece->first, piece->last, json);
        SW_PUT_COUNTS(json, {"lo", piece->lo}, {"hi", piece->hi});
        sw_put_end(json);
    }
    sw_put_end(json);
}

static void put_buffer_tiers(const struct sw_problem *problem, const struct sw_buffer *buffer,
                             struct sw_json_out *json) {
    if (buffer->tier != SW_NONE) {
        sw_put_text(json, "tier", sw_problem_tier(problem, buffer->tier)->name);
    } else if (buffer->planned && (buffer->kind == SW_KIND_CONSTANT || !all_tiers(problem, buffer->tiers))) {
        put_tier_names(problem, buffer->tiers, json);
    }
    if (buffer->has_offset) {
        sw_put_count(json, "offset", buffer->offset);
    }
    if (buffer->has_hint) {
        sw_put_count(json, "hint", buffer->hint);
    }
}

static void put_buffer_life(const struct sw_problem *problem, const struct sw_buffer *buffer,
                            struct sw_json_out *json) {
    if (buffer->planned && buffer->lifetime_given && sw_plain_life(buffer)) {
        put_span(problem, buffer->first, buffer->last, json);
    } else if (buffer->planned && buffer->lifetime_given) {
        sw_pieces_write(problem, buffer, json);
    }
    if (buffer->accesses_given) {
        sw_put_list(json, "accesses");
        for (uint32_t i = 0; i < buffer->access_count; i++) {
            sw_put_time(json, NULL, sw_problem_time(problem, buffer->accesses[i]));
        }
        sw_put_end(json);
    }
}

static void write_buffer(const struct sw_problem *problem, const struct sw_buffer *buffer, struct sw_json_out *json) {
    sw_put_object(json, NULL);
    sw_put_text(json, "name", buffer->name);
    if (buffer->kind != SW_KIND_INTERMEDIATE) {
        sw_put_text(json, "kind", sw_kind_name(buffer->kind));
    }
    sw_put_if(json, "output", buffer->output && buffer->kind != SW_KIND_OUTPUT);
    sw_put_count(json, "size", buffer->size);
    if (buffer->shape_count > 0) {
        sw_put_list(json, "shape");
        for (uint32_t i = 0; i < buffer->shape_count; i++) {
            sw_put_count(json, NULL, buffer->shape[i]);
        }
        sw_put_end(json);
    }
    put_type(json, buffer->dtype);
    put_unless(json, "alignment", sw_problem_alignment(problem), buffer->alignment);
    put_buffer_life(problem, buffer, json);
    put_buffer_tiers(problem, buffer, json);
    if (buffer->origin) {
        sw_put_text(json, "origin", buffer->origin);
    }
    sw_put_end(json);
}

/* What offsets mean; nothing when there are none. */
static void write_offsets(const struct sw_problem *problem, struct sw_json_out *json) {
    for (uint32_t i = 0; i < sw_problem_buffer_count(problem); i++) {
        const struct sw_buffer *buffer = sw_problem_buffer(problem, i);
        if (buffer->planned && buffer->has_offset) {
            sw_put_text(json, "offsets", buffer->pinned ? "pins" : "plan");
            return;
        }
    }
}

bool sw_graph_json_write(const struct sw_problem *problem, struct sw_sink *sink, struct sw_error *error) {
    struct sw_json_out to = {.out = sink}, *json = &to;
    sw_put_object(json, NULL);
    sw_put_text(json, "format", "stowage-graph");
    sw_put_count(json, "version", 1);
    if (*sw_problem_name(problem)) {
        sw_put_text(json, "name", sw_problem_name(problem));
    }
    if (sw_problem_moment(problem)) {
        sw_put_object(json, "moment");
        sw_moment_json_put(sw_problem_moment(problem), NULL, json);
        sw_put_end(json);
        sw_put_end(json);
        return !sink->failed || sw_fail_memory(error);
    }
    if (sw_problem_goes_on(problem)) {
        write_tiers(problem, json);
        sw_then_json_put(problem, json);
        sw_put_end(json);
        return !sink->failed || sw_fail_memory(error);
    }
    put_unless(json, "alignment", 1, sw_problem_alignment(problem));
    if (sw_problem_outside(problem) > 0) {
        SW_PUT_COUNTS(json, {"outside", sw_problem_outside(problem)}, {"least_arena", sw_problem_least_arena(problem)});
        sw_put_if(json, "more_outside", sw_problem_more_outside(problem));
    }
    write_offsets(problem, json);
    if (sw_problem_inplace_safe(problem)) {
        sw_put_text(json, "inplace", "safe");
    }
    sw_put_lines(json);
    write_tiers(problem, json);
    write_units(problem, json);
    write_constraints(problem, json);
    sw_put_list(json, "operators");
    sw_put_lines(json);
    for (uint32_t i = 0; i < sw_problem_operator_count(problem); i++) {
        write_operator(problem, sw_problem_operator(problem, i), json);
    }
    sw_put_end(json);
    sw_put_list(json, "buffers");
    sw_put_lines(json);
    for (uint32_t i = 0; i < sw_problem_buffer_count(problem); i++) {
        write_buffer(problem, sw_problem_buffer(problem, i), json);
    }
    sw_put_end(json);
    sw_put_end(json);
    return !sink->failed || sw_fail_memory(error);
}
