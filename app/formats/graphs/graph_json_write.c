/* The writer of graphs. What it writes reads back to the same problem: only what the reader would
 * not derive again for itself is left out. One item a line, so that two graphs can be compared as
 * text. */
#include "formats/graphs/graph_json.h"

#include <inttypes.h>

static void add_text(struct sw_sink *sink, const char *text) {
    sw_sink_printf(sink, "%s", text);
}

/* ,"key":"value" */
static void add_member(struct sw_sink *sink, const char *key, const char *value) {
    sw_sink_printf(sink, ",\"%s\":", key);
    sw_sink_json(sink, value);
}

static void add_tier_list(const struct sw_problem *problem, uint64_t mask, struct sw_sink *sink) {
    const char *comma = "";
    add_text(sink, ",\"tiers\":[");
    for (uint32_t t = 0; t < sw_problem_tier_count(problem); t++) {
        if (mask >> t & 1) {
            add_text(sink, comma);
            sw_sink_json(sink, sw_problem_tier(problem, t)->name);
            comma = ",";
        }
    }
    add_text(sink, "]");
}

static bool all_tiers(const struct sw_problem *problem, uint64_t mask) {
    uint32_t count = sw_problem_tier_count(problem);
    return mask == (count >= 64 ? UINT64_MAX : (UINT64_C(1) << count) - 1);
}

/* Begin a list of items and its elements. */
static void add_list(struct sw_sink *sink, const char *key, uint64_t count) {
    if (count > 0) {
        sw_sink_printf(sink, ",\n \"%s\":[", key);
    }
}
static void add_item(struct sw_sink *sink, uint64_t index) {
    add_text(sink, index == 0 ? "\n  " : ",\n  ");
}
static void end_list(struct sw_sink *sink, uint64_t count) {
    if (count > 0) {
        add_text(sink, "]");
    }
}

/* ---- everything around the graph ---- */

static void write_tiers(const struct sw_problem *problem, struct sw_sink *sink) {
    uint32_t count = sw_problem_tier_count(problem);
    add_list(sink, "tiers", count);
    for (uint32_t i = 0; i < count; i++) {
        const struct sw_tier *tier = sw_problem_tier(problem, i);
        add_item(sink, i);
        add_text(sink, "{\"name\":");
        sw_sink_json(sink, tier->name);
        if (tier->capacity != SW_UNBOUNDED) {
            sw_sink_printf(sink, ",\"capacity\":%" PRIu64, tier->capacity);
        }
        const char *const keys[] = {"bandwidth", "latency", "conflict"};
        const double values[] = {tier->bandwidth, tier->latency, tier->conflict};
        for (size_t k = 0; k < 3; k++) {
            if (values[k] != 0) {
                sw_sink_printf(sink, ",\"%s\":", keys[k]);
                sw_sink_number(sink, values[k]);
            }
        }
        add_text(sink, "}");
    }
    end_list(sink, count);
}

static void write_units(const struct sw_problem *problem, struct sw_sink *sink) {
    uint32_t count = sw_problem_unit_count(problem);
    add_list(sink, "units", count);
    for (uint32_t i = 0; i < count; i++) {
        const struct sw_unit *unit = sw_problem_unit(problem, i);
        add_item(sink, i);
        add_text(sink, "{\"name\":");
        sw_sink_json(sink, unit->name);
        if (unit->dedicated) {
            add_text(sink, ",\"dedicated\":true");
        }
        if (unit->dtype != SW_DTYPE_NONE) {
            add_member(sink, "dtype", sw_dtype_name(unit->dtype));
        }
        if (unit->alignment != 1) {
            sw_sink_printf(sink, ",\"alignment\":%" PRIu64, unit->alignment);
        }
        if (unit->channel_multiple != 1) {
            sw_sink_printf(sink, ",\"channel_multiple\":%" PRIu64, unit->channel_multiple);
        }
        if (unit->channel_axis != 1) {
            sw_sink_printf(sink, ",\"channel_axis\":%" PRId32, unit->channel_axis);
        }
        if (!all_tiers(problem, unit->tiers)) {
            add_tier_list(problem, unit->tiers, sink);
        }
        add_text(sink, "}");
    }
    end_list(sink, count);
    count = sw_problem_function_count(problem);
    add_list(sink, "functions", count);
    for (uint32_t i = 0; i < count; i++) {
        const struct sw_function *function = sw_problem_function(problem, i);
        add_item(sink, i);
        add_text(sink, "{\"name\":");
        sw_sink_json(sink, function->name);
        if (function->unit != SW_NONE) {
            add_member(sink, "unit", sw_problem_unit(problem, function->unit)->name);
        }
        add_text(sink, "}");
    }
    end_list(sink, count);
}

static void write_constraints(const struct sw_problem *problem, struct sw_sink *sink) {
    uint32_t members = sw_problem_member_count(problem);
    add_list(sink, "overlays", members);
    for (uint32_t i = 0; i < members; i++) {
        const struct sw_member *member = sw_problem_member(problem, i);
        add_item(sink, i);
        add_text(sink, "{\"of\":");
        sw_sink_json(sink, sw_problem_buffer(problem, member->buffer)->name);
        add_member(sink, "name", member->name);
        sw_sink_printf(sink, ",\"lo\":%" PRIu64 ",\"hi\":%" PRIu64 "}", member->lo, member->hi);
    }
    end_list(sink, members);
    size_t count;
    const uint32_t(*pairs)[2] = sw_problem_separate(problem, &count);
    add_list(sink, "separate", count);
    for (size_t i = 0; i < count; i++) {
        add_item(sink, i);
        add_text(sink, "[");
        sw_sink_json(sink, sw_problem_buffer(problem, pairs[i][0])->name);
        add_text(sink, ",");
        sw_sink_json(sink, sw_problem_buffer(problem, pairs[i][1])->name);
        add_text(sink, "]");
    }
    end_list(sink, count);
    const struct sw_reserved *reserved = sw_problem_reserved(problem, &count);
    add_list(sink, "reserved", count);
    for (size_t i = 0; i < count; i++) {
        add_item(sink, i);
        add_text(sink, "{\"tier\":");
        sw_sink_json(sink, sw_problem_tier(problem, reserved[i].tier)->name);
        sw_sink_printf(sink, ",\"lo\":%" PRIu64 ",\"hi\":%" PRIu64 "}", reserved[i].lo,
                       reserved[i].hi);
    }
    end_list(sink, count);
}

/* ---- operators ---- */

static void add_ref(const struct sw_problem *problem, struct sw_ref ref, struct sw_sink *sink) {
    sw_sink_json(sink, ref.member != SW_NONE ? sw_problem_member(problem, ref.member)->name
                                             : sw_problem_buffer(problem, ref.buffer)->name);
}

static void add_refs(const struct sw_problem *problem, const char *key, const struct sw_ref *refs,
                     uint32_t count, struct sw_sink *sink) {
    if (count == 0) {
        return;
    }
    sw_sink_printf(sink, ",\"%s\":[", key);
    for (uint32_t i = 0; i < count; i++) {
        add_text(sink, i ? "," : "");
        add_ref(problem, refs[i], sink);
    }
    add_text(sink, "]");
}

static void add_inplace(const struct sw_problem *problem, const struct sw_operator *op,
                        struct sw_sink *sink) {
    if (op->inplace == SW_INPLACE_ANY) {
        add_text(sink, ",\"inplace\":true");
    }
    if (op->inplace != SW_INPLACE_PAIRS) {
        return;
    }
    add_text(sink, ",\"inplace\":[");
    for (uint32_t i = 0; i < op->pair_count; i++) {
        add_text(sink, i ? ",[" : "[");
        add_ref(problem, op->pairs[i][0], sink);
        add_text(sink, ",");
        add_ref(problem, op->pairs[i][1], sink);
        add_text(sink, "]");
    }
    add_text(sink, "]");
}

static void add_window(const struct sw_op_window *w, struct sw_sink *sink) {
    sw_sink_printf(sink, ",\"window\":{\"kernel\":[%u,%u],\"stride\":[%u,%u],\"dilation\":[%u,%u],\"pad\":[%u,%u,%u,%u]",
                   w->kernel[0], w->kernel[1], w->stride[0], w->stride[1], w->dilation[0], w->dilation[1], w->before[0], w->after[0],
                   w->before[1], w->after[1]);
    if (w->axis != 1) {
        sw_sink_printf(sink, ",\"axis\":%u", w->axis);
    }
    if (w->told) {
        add_text(sink, ",\"told\":true");
    }
    add_text(sink, "}");
}

static void write_operator(const struct sw_problem *problem, const struct sw_operator *op,
                           struct sw_sink *sink) {
    add_text(sink, "{\"name\":");
    sw_sink_json(sink, op->name);
    if (*op->kind) {
        add_member(sink, "kind", op->kind);
    }
    if (op->function != SW_NONE) {
        add_member(sink, "function", sw_problem_function(problem, op->function)->name);
    }
    if (*sw_problem_core(problem, op->core)) {
        add_member(sink, "core", sw_problem_core(problem, op->core));
    }
    add_refs(problem, "inputs", op->inputs, op->input_count, sink);
    add_refs(problem, "outputs", op->outputs, op->output_count, sink);
    add_refs(problem, "scratch", op->scratch, op->scratch_count, sink);
    if (op->dtype != SW_DTYPE_NONE) {
        add_member(sink, "dtype", sw_dtype_name(op->dtype));
    }
    add_inplace(problem, op, sink);
    if (op->after_count > 0) {
        add_text(sink, ",\"after\":[");
        for (uint32_t i = 0; i < op->after_count; i++) {
            add_text(sink, i ? "," : "");
            sw_sink_json(sink, sw_problem_operator(problem, op->after[i])->name);
        }
        add_text(sink, "]");
    }
    if (op->window) {
        add_window(op->window, sink);
    }
    if (op->macs) {
        sw_sink_printf(sink, ",\"macs\":%" PRIu64, op->macs);
    }
    add_text(sink, op->joined ? ",\"joined\":true}" : "}");
}

/* ---- buffers ---- */

static int64_t last_time(const struct sw_problem *problem, uint32_t step) {
    return sw_problem_time(problem, step + 1) - 1;
}

void sw_pieces_write(const struct sw_problem *problem, const struct sw_buffer *buffer,
                     struct sw_sink *sink) {
    add_text(sink, ",\"pieces\":[");
    for (uint32_t i = 0; i < buffer->piece_count; i++) {
        const struct sw_piece *piece = &buffer->pieces[i];
        sw_sink_printf(sink,
                       "%s{\"first\":%" PRId64 ",\"last\":%" PRId64 ",\"lo\":%" PRIu64
                       ",\"hi\":%" PRIu64 "}",
                       i ? "," : "", sw_problem_time(problem, piece->first),
                       last_time(problem, piece->last), piece->lo, piece->hi);
    }
    add_text(sink, "]");
}

static void add_lifetime(const struct sw_problem *problem, const struct sw_buffer *buffer,
                         struct sw_sink *sink) {
    if (!sw_plain_life(buffer)) {
        sw_pieces_write(problem, buffer, sink);
        return;
    }
    sw_sink_printf(sink, ",\"first\":%" PRId64 ",\"last\":%" PRId64,
                   sw_problem_time(problem, buffer->first), last_time(problem, buffer->last));
}

static void add_where(const struct sw_problem *problem, const struct sw_buffer *buffer,
                      struct sw_sink *sink) {
    if (buffer->tier != SW_NONE) {
        add_member(sink, "tier", sw_problem_tier(problem, buffer->tier)->name);
    } else if (buffer->planned &&
               (buffer->kind == SW_KIND_CONSTANT || !all_tiers(problem, buffer->tiers))) {
        add_tier_list(problem, buffer->tiers, sink);
    }
    if (buffer->has_offset) {
        sw_sink_printf(sink, ",\"offset\":%" PRIu64, buffer->offset);
    }
    if (buffer->has_hint) {
        sw_sink_printf(sink, ",\"hint\":%" PRIu64, buffer->hint);
    }
}

static void write_buffer(const struct sw_problem *problem, const struct sw_buffer *buffer,
                         struct sw_sink *sink) {
    add_text(sink, "{\"name\":");
    sw_sink_json(sink, buffer->name);
    if (buffer->kind != SW_KIND_INTERMEDIATE) {
        add_member(sink, "kind", sw_kind_name(buffer->kind));
    }
    if (buffer->output && buffer->kind != SW_KIND_OUTPUT) {
        add_text(sink, ",\"output\":true");
    }
    sw_sink_printf(sink, ",\"size\":%" PRIu64, buffer->size);
    for (uint32_t i = 0; i < buffer->shape_count; i++) {
        sw_sink_printf(sink, "%s%" PRIu64, i ? "," : ",\"shape\":[", buffer->shape[i]);
    }
    add_text(sink, buffer->shape_count ? "]" : "");
    if (buffer->dtype != SW_DTYPE_NONE) {
        add_member(sink, "dtype", sw_dtype_name(buffer->dtype));
    }
    if (buffer->alignment != sw_problem_alignment(problem)) {
        sw_sink_printf(sink, ",\"alignment\":%" PRIu64, buffer->alignment);
    }
    if (buffer->planned && buffer->lifetime_given) {
        add_lifetime(problem, buffer, sink);
    }
    if (buffer->accesses_given) {
        add_text(sink, ",\"accesses\":[");
        for (uint32_t i = 0; i < buffer->access_count; i++) {
            sw_sink_printf(sink, "%s%" PRId64, i ? "," : "",
                           sw_problem_time(problem, buffer->accesses[i]));
        }
        add_text(sink, "]");
    }
    add_where(problem, buffer, sink);
    if (buffer->origin) {
        add_member(sink, "origin", buffer->origin);
    }
    add_text(sink, "}");
}

/* What offsets mean; nothing when there are none. */
static void write_offsets(const struct sw_problem *problem, struct sw_sink *sink) {
    for (uint32_t i = 0; i < sw_problem_buffer_count(problem); i++) {
        const struct sw_buffer *buffer = sw_problem_buffer(problem, i);
        if (buffer->planned && buffer->has_offset) {
            add_member(sink, "offsets", buffer->pinned ? "pins" : "plan");
            return;
        }
    }
}

bool sw_graph_json_write(const struct sw_problem *problem, struct sw_sink *sink,
                         struct sw_error *error) {
    add_text(sink, "{\"format\":\"stowage-graph\",\"version\":1");
    if (*sw_problem_name(problem)) {
        add_member(sink, "name", sw_problem_name(problem));
    }
    if (sw_problem_alignment(problem) != 1) {
        sw_sink_printf(sink, ",\"alignment\":%" PRIu64, sw_problem_alignment(problem));
    }
    if (sw_problem_outside(problem) > 0) {
        sw_sink_printf(sink, ",\"outside\":%" PRIu64 ",\"least_arena\":%" PRIu64,
                       sw_problem_outside(problem), sw_problem_least_arena(problem));
        if (sw_problem_more_outside(problem)) {
            add_text(sink, ",\"more_outside\":true");
        }
    }
    write_offsets(problem, sink);
    if (sw_problem_inplace_safe(problem)) {
        add_member(sink, "inplace", "safe");
    }
    write_tiers(problem, sink);
    write_units(problem, sink);
    write_constraints(problem, sink);
    uint32_t operators = sw_problem_operator_count(problem);
    add_text(sink, ",\n \"operators\":[");
    for (uint32_t i = 0; i < operators; i++) {
        add_item(sink, i);
        write_operator(problem, sw_problem_operator(problem, i), sink);
    }
    add_text(sink, "],\n \"buffers\":[");
    for (uint32_t i = 0; i < sw_problem_buffer_count(problem); i++) {
        add_item(sink, i);
        write_buffer(problem, sw_problem_buffer(problem, i), sink);
    }
    add_text(sink, "]}\n");
    return !sink->failed || sw_fail_memory(error);
}
