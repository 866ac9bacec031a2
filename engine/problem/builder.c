/* Collecting what a problem is made of. Everything is copied; nothing is resolved before finish. */
#include "problem/problem_internal.h"
#include "base/base.h"

#include "base/sort.h"

bool sw_builder_fail(const struct sw_at *at, struct sw_error *error, const char *subject, const char *format, ...) {
    char text[sizeof error->message];
    SW_FORMAT_INTO(text, format);
    sw_fail(error, SW_ERROR_INPUT, "%s", text);
    if (error) {
        error->line = at ? at->line : 0;
        error->column = at ? at->column : 0;
        if (subject) {
            snprintf(error->subject, sizeof error->subject, "%s", subject);
        }
    }
    return false;
}

struct sw_builder *sw_builder_new(struct sw_error *error) {
    struct sw_builder *builder = SW_NEW_ZERO(struct sw_builder, 1);
    if (!builder) {
        sw_fail_memory(error);
        return NULL;
    }
    builder->name = "";
    builder->alignment = 1;
    return builder;
}

void sw_builder_free(struct sw_builder *builder) {
    if (!builder) {
        return;
    }
    SW_ARRAY_DONE(&builder->tiers, &builder->units, &builder->functions, &builder->operators, &builder->buffers,
                  &builder->overlays, &builder->separate, &builder->reserved);
    SW_ARRAY_DONE(&builder->notes, &builder->origins);
    sw_names_done(&builder->origin_names);
    sw_arena_done(&builder->arena);
    sw_tape_unref(builder->tape);
    sw_counter_unref(builder->counter);
    sw_requests_unref(builder->requests);
    sw_moment_unref(builder->moment);
    SW_FREE(builder, 1);
}

void sw_builder_counter(struct sw_builder *builder, struct sw_counter *counter) {
    struct sw_counter *old = builder->counter;
    builder->counter = sw_counter_ref(counter);
    sw_counter_unref(old);
}

void sw_builder_tape(struct sw_builder *builder, struct sw_tape *tape) {
    struct sw_tape *old = builder->tape;
    builder->tape = sw_tape_ref(tape);
    sw_tape_unref(old);
}

void sw_builder_requests(struct sw_builder *builder, const struct sw_requests *requests) {
    struct sw_requests *old = builder->requests;
    builder->requests = sw_requests_ref(requests);
    sw_requests_unref(old);
}

void sw_builder_at(struct sw_builder *builder, uint32_t line, uint32_t column) {
    builder->at = (struct sw_at){line, column};
}

const void *sw_keep_items(struct sw_arena *arena, const void *items, size_t count, size_t size, bool *ok) {
    void *copy = count > 0 ? sw_arena_copy(arena, items, count, size) : NULL;
    *ok = *ok && (copy || count == 0);
    return copy;
}

/* NULL for NULL. */
static const char *keep_spec_text(struct sw_builder *builder, const char *text, bool *ok) {
    const char *copy = text ? sw_arena_string(&builder->arena, text, strlen(text)) : NULL;
    *ok = *ok && (copy || !text);
    return copy;
}

static const char *const *keep_spec_list(struct sw_builder *builder, const char *const *names, size_t count, bool *ok) {
    if (count == 0) {
        return NULL;
    }
    const char **copy = sw_arena_new(&builder->arena, count, sizeof *copy);
    *ok = *ok && copy;
    for (size_t i = 0; copy && i < count; i++) {
        copy[i] = keep_spec_text(builder, names[i], ok);
    }
    return copy;
}

static bool check_new_name(struct sw_builder *builder, const char *what, const char *name, struct sw_error *error) {
    return (name && *name) || sw_builder_fail(&builder->at, error, NULL, "%s without a name", what);
}

static bool check_alignment(struct sw_builder *builder, uint64_t alignment, const char *name, struct sw_error *error) {
    return alignment <= SW_MAX_ALIGNMENT ||
           sw_builder_fail(&builder->at, error, name, "alignment %llu of %s is larger than 1 GiB",
                           (unsigned long long)alignment, name);
}

bool sw_builder_name(struct sw_builder *builder, const char *name, struct sw_error *error) {
    bool ok = true;
    const char *copy = keep_spec_text(builder, name, &ok);
    if (!ok) {
        return sw_fail_memory(error);
    }
    builder->name = copy ? copy : "";
    return true;
}

bool sw_builder_alignment(struct sw_builder *builder, uint64_t alignment, struct sw_error *error) {
    if (alignment == 0) {
        return sw_builder_fail(&builder->at, error, NULL, "alignment must be at least 1");
    }
    if (!check_alignment(builder, alignment, "the graph", error)) {
        return false;
    }
    builder->alignment = alignment;
    return true;
}

SW_GETTER(uint64_t, sw_builder_least_arena, sw_builder, least_arena)
SW_GETTER(uint64_t, sw_builder_outside_bytes, sw_builder, outside)

void sw_builder_outside(struct sw_builder *builder, uint64_t bytes, uint64_t least, bool more) {
    builder->outside = bytes;
    builder->least_arena = least;
    builder->more_outside = more;
}

bool sw_builder_note(struct sw_builder *builder, const char *text, struct sw_error *error) {
    bool ok = true;
    const char *copy = keep_spec_text(builder, text, &ok);
    return (ok && SW_PUSH(&builder->notes, copy)) || sw_fail_memory(error);
}

bool sw_builder_tier(struct sw_builder *builder, const struct sw_tier *tier, struct sw_error *error) {
    if (!check_new_name(builder, "tier", tier->name, error)) {
        return false;
    }
    if (builder->tiers.count == SW_MAX_TIERS) {
        return sw_builder_fail(&builder->at, error, tier->name, "more than %d tiers", SW_MAX_TIERS);
    }
    if (!(tier->bandwidth >= 0) || !(tier->latency >= 0) || !(tier->conflict >= 0)) {
        return sw_builder_fail(&builder->at, error, tier->name,
                               "bandwidth, latency and conflict of tier %s must not be negative", tier->name);
    }
    bool ok = true;
    struct sw_raw_tier raw = {.tier = *tier, .at = builder->at};
    raw.tier.name = keep_spec_text(builder, tier->name, &ok);
    return (ok && SW_PUSH(&builder->tiers, raw)) || sw_fail_memory(error);
}

void sw_builder_clear_tiers(struct sw_builder *builder) {
    builder->tiers.count = 0;
}

void sw_builder_clear_program(struct sw_builder *builder) {
    builder->operators.count = builder->buffers.count = 0;
}

char *sw_builder_text(struct sw_builder *builder, size_t size) {
    return sw_arena_new(&builder->arena, size, 1);
}

void sw_builder_capacity(struct sw_builder *builder, uint64_t bytes) {
    builder->has_capacity = true;
    builder->capacity = bytes;
}

bool sw_builder_unit(struct sw_builder *builder, const struct sw_unit_spec *spec, struct sw_error *error) {
    if (!check_new_name(builder, "unit", spec->name, error) ||
        !check_alignment(builder, spec->alignment, spec->name, error)) {
        return false;
    }
    bool ok = true;
    struct sw_raw_unit raw = {.spec = *spec, .at = builder->at};
    raw.spec.name = keep_spec_text(builder, spec->name, &ok);
    raw.spec.tiers = keep_spec_list(builder, spec->tiers, spec->tier_count, &ok);
    return (ok && SW_PUSH(&builder->units, raw)) || sw_fail_memory(error);
}

bool sw_builder_function(struct sw_builder *builder, const char *name, const char *unit, struct sw_error *error) {
    if (!check_new_name(builder, "function", name, error)) {
        return false;
    }
    bool ok = true;
    struct sw_raw_pair raw = {.at = builder->at};
    raw.a = keep_spec_text(builder, name, &ok);
    raw.b = keep_spec_text(builder, unit, &ok);
    return (ok && SW_PUSH(&builder->functions, raw)) || sw_fail_memory(error);
}

bool sw_builder_operator(struct sw_builder *builder, const struct sw_operator_spec *spec, struct sw_error *error) {
    if (!check_new_name(builder, "operator", spec->name, error)) {
        return false;
    }
    bool ok = true;
    struct sw_raw_operator raw = {.spec = *spec, .at = builder->at};
    raw.spec.name = keep_spec_text(builder, spec->name, &ok);
    raw.spec.kind = keep_spec_text(builder, spec->kind, &ok);
    raw.spec.function = keep_spec_text(builder, spec->function, &ok);
    raw.spec.core = keep_spec_text(builder, spec->core, &ok);
    raw.spec.inputs = keep_spec_list(builder, spec->inputs, spec->input_count, &ok);
    raw.spec.outputs = keep_spec_list(builder, spec->outputs, spec->output_count, &ok);
    raw.spec.scratch = keep_spec_list(builder, spec->scratch, spec->scratch_count, &ok);
    raw.spec.after = keep_spec_list(builder, spec->after, spec->after_count, &ok);
    raw.spec.pairs = (const char *const(*)[2])keep_spec_list(builder, spec->pairs ? &spec->pairs[0][0] : NULL,
                                                             spec->pair_count * 2, &ok);
    raw.spec.window = sw_keep_items(&builder->arena, spec->window, spec->window != NULL, sizeof *spec->window, &ok);
    return (ok && SW_PUSH(&builder->operators, raw)) || sw_fail_memory(error);
}

/* The number of a text among the origins: many buffers share one. */
static bool keep_origin(struct sw_builder *builder, const char *text, uint32_t *number) {
    *number = SW_NONE;
    if (!text) {
        return true;
    }
    *number = sw_names_find(&builder->origin_names, text, strlen(text));
    if (*number != SW_NONE) {
        return true;
    }
    bool ok = true;
    const char *copy = keep_spec_text(builder, text, &ok);
    *number = (uint32_t)builder->origins.count;
    return ok && SW_PUSH(&builder->origins, copy) && sw_names_set(&builder->origin_names, copy, strlen(copy), *number);
}

bool sw_builder_buffer(struct sw_builder *builder, const struct sw_buffer_spec *spec, struct sw_error *error) {
    if (!check_new_name(builder, "buffer", spec->name, error) ||
        !check_alignment(builder, spec->alignment, spec->name, error)) {
        return false;
    }
    bool ok = true;
    struct sw_raw_buffer raw = {.spec = *spec, .at = builder->at};
    raw.spec.name = keep_spec_text(builder, spec->name, &ok);
    raw.spec.tier = keep_spec_text(builder, spec->tier, &ok);
    raw.spec.tiers = keep_spec_list(builder, spec->tiers, spec->tier_count, &ok);
    raw.spec.shape = sw_keep_items(&builder->arena, spec->shape, spec->shape_count, sizeof *spec->shape, &ok);
    raw.spec.pieces = sw_keep_items(&builder->arena, spec->pieces, spec->piece_count, sizeof *spec->pieces, &ok);
    raw.spec.accesses = sw_keep_items(&builder->arena, spec->accesses, spec->access_count, sizeof *spec->accesses, &ok);
    ok = ok && keep_origin(builder, spec->origin, &raw.origin);
    raw.spec.origin = NULL; /* the number stands for it */
    return (ok && SW_PUSH(&builder->buffers, raw)) || sw_fail_memory(error);
}

bool sw_builder_overlay(struct sw_builder *builder, const char *of, const char *name, uint64_t lo, uint64_t hi,
                        struct sw_error *error) {
    if (!check_new_name(builder, "overlay", name, error) ||
        !check_new_name(builder, "the buffer of an overlay", of, error)) {
        return false;
    }
    if (lo >= hi) {
        return sw_builder_fail(&builder->at, error, name, "overlay %s is empty: lo %llu, hi %llu", name,
                               (unsigned long long)lo, (unsigned long long)hi);
    }
    bool ok = true;
    struct sw_raw_overlay raw = {.lo = lo, .hi = hi, .at = builder->at};
    raw.of = keep_spec_text(builder, of, &ok);
    raw.name = keep_spec_text(builder, name, &ok);
    return (ok && SW_PUSH(&builder->overlays, raw)) || sw_fail_memory(error);
}

bool sw_builder_separate(struct sw_builder *builder, const char *a, const char *b, struct sw_error *error) {
    bool ok = true;
    struct sw_raw_pair raw = {.at = builder->at};
    raw.a = keep_spec_text(builder, a, &ok);
    raw.b = keep_spec_text(builder, b, &ok);
    return (ok && SW_PUSH(&builder->separate, raw)) || sw_fail_memory(error);
}

bool sw_builder_reserve(struct sw_builder *builder, const char *tier, uint64_t lo, uint64_t hi,
                        struct sw_error *error) {
    if (lo >= hi || hi > SW_MAX_BYTES) {
        return sw_builder_fail(&builder->at, error, tier,
                               "reserved range of tier %s is empty or too large: lo %llu, hi %llu", tier,
                               (unsigned long long)lo, (unsigned long long)hi);
    }
    if (builder->reserved.count == SW_MAX_RESERVED) {
        return sw_builder_fail(&builder->at, error, tier, "more than %d reserved ranges", SW_MAX_RESERVED);
    }
    bool ok = true;
    struct sw_raw_reserved raw = {.lo = lo, .hi = hi, .at = builder->at};
    raw.tier = keep_spec_text(builder, tier, &ok);
    return (ok && SW_PUSH(&builder->reserved, raw)) || sw_fail_memory(error);
}

void sw_builder_offsets(struct sw_builder *builder, enum sw_offsets offsets) {
    builder->offsets = offsets;
}

void sw_builder_inplace(struct sw_builder *builder, bool safe) {
    builder->inplace_safe = safe;
}

/* ---- edits ---- */

static struct sw_raw_buffer *find_buffer(struct sw_builder *builder, const char *name, struct sw_error *error) {
    for (size_t i = 0; i < builder->buffers.count; i++) {
        if (strcmp(builder->buffers.items[i].spec.name, name) == 0) {
            return &builder->buffers.items[i];
        }
    }
    sw_fail(error, SW_ERROR_USAGE, "there is no buffer %s", name);
    return NULL;
}

bool sw_spec_unpiece(struct sw_buffer_spec *spec) {
    if (spec->piece_count == 0) {
        return true;
    }
    if (spec->piece_count > 1 || spec->pieces[0].lo > 0) {
        return false;
    }
    spec->has_first = spec->has_last = true;
    spec->first = spec->pieces[0].first;
    spec->last = spec->pieces[0].last;
    spec->piece_count = 0;
    return true;
}

bool sw_builder_move_accesses(struct sw_builder *builder, struct sw_buffer_spec *spec,
                              uint32_t (*to)(const void *context, uint32_t step), const void *context) {
    if (!spec->has_accesses || spec->access_count == 0) {
        return true;
    }
    int64_t *accesses = SW_NEW_IN(&builder->arena, int64_t, spec->access_count);
    for (size_t i = 0; accesses && i < spec->access_count; i++) {
        accesses[i] = to(context, (uint32_t)spec->accesses[i]);
    }
    if (accesses) {
        qsort(accesses, spec->access_count, sizeof *accesses, sw_compare_i64);
        spec->accesses = accesses;
    }
    return accesses != NULL;
}

bool sw_builder_edit_size(struct sw_builder *builder, const char *name, uint64_t size, struct sw_error *error) {
    struct sw_raw_buffer *raw = find_buffer(builder, name, error);
    if (!raw) {
        return false;
    }
    if (!sw_spec_unpiece(&raw->spec)) {
        return sw_fail(error, SW_ERROR_UNSUPPORTED, "%s lives in pieces; its size cannot be changed alone", name);
    }
    raw->spec.has_size = true;
    raw->spec.size = size;
    raw->spec.asked = 0;
    raw->spec.shape_count = 0; /* the shape no longer says the size */
    return true;
}

bool sw_builder_edit_lifetime(struct sw_builder *builder, const char *name, int64_t first, int64_t last,
                              struct sw_error *error) {
    struct sw_raw_buffer *raw = find_buffer(builder, name, error);
    if (!raw) {
        return false;
    }
    if (first > last) {
        return sw_fail(error, SW_ERROR_USAGE, "%s would be born at %lld, after its death at %lld", name,
                       (long long)first, (long long)last);
    }
    raw->spec.has_first = raw->spec.has_last = true;
    raw->spec.first = first;
    raw->spec.last = last;
    raw->spec.piece_count = 0;
    return true;
}

bool sw_builder_edit_capacity(struct sw_builder *builder, const char *tier, uint64_t bytes, struct sw_error *error) {
    for (size_t i = 0; i < builder->tiers.count; i++) {
        if (strcmp(builder->tiers.items[i].tier.name, tier) == 0) {
            builder->tiers.items[i].tier.capacity = bytes;
            return true;
        }
    }
    return sw_fail(error, SW_ERROR_USAGE, "there is no tier %s", tier);
}

/* ---- from a problem, and to one ---- */

static const char **ref_names(struct sw_builder *builder, const struct sw_problem *problem, const struct sw_ref *refs,
                              size_t count) {
    const char **names = sw_arena_new(&builder->arena, count + 1, sizeof *names);
    for (size_t i = 0; names && i < count; i++) {
        names[i] =
            refs[i].member != SW_NONE ? problem->members[refs[i].member].name : problem->buffers[refs[i].buffer].name;
    }
    return names;
}

static const char **tier_names(struct sw_builder *builder, const struct sw_problem *problem, uint64_t mask,
                               size_t *count) {
    const char **names = sw_arena_new(&builder->arena, SW_MAX_TIERS, sizeof *names);
    *count = 0;
    for (uint32_t t = 0; names && t < problem->tier_count; t++) {
        if (mask >> t & 1) {
            names[(*count)++] = problem->tiers[t].name;
        }
    }
    return names;
}

bool sw_builder_copy_operator(struct sw_builder *builder, const struct sw_problem *problem, uint32_t number,
                              struct sw_error *error) {
    const struct sw_operator *op = &problem->operators[number];
    const char **after = sw_arena_new(&builder->arena, op->after_count + 1, sizeof *after);
    const char **inputs = ref_names(builder, problem, op->inputs, op->input_count);
    const char **outputs = ref_names(builder, problem, op->outputs, op->output_count);
    const char **scratch = ref_names(builder, problem, op->scratch, op->scratch_count);
    const char **pairs = ref_names(builder, problem, op->pairs ? op->pairs[0] : NULL, (size_t)op->pair_count * 2);
    if (!after || !inputs || !outputs || !scratch || !pairs) {
        return sw_fail_memory(error);
    }
    for (uint32_t i = 0; i < op->after_count; i++) {
        after[i] = problem->operators[op->after[i]].name;
    }
    struct sw_operator_spec spec = {.name = op->name,
                                    .kind = *op->kind ? op->kind : NULL,
                                    .function = op->function == SW_NONE ? NULL : problem->functions[op->function].name,
                                    .core = *problem->cores[op->core] ? problem->cores[op->core] : NULL,
                                    .dtype = op->dtype,
                                    .inplace = op->inplace,
                                    .inputs = inputs,
                                    .input_count = op->input_count,
                                    .outputs = outputs,
                                    .output_count = op->output_count,
                                    .scratch = scratch,
                                    .scratch_count = op->scratch_count,
                                    .after = after,
                                    .after_count = op->after_count,
                                    .pairs = (const char *const(*)[2])pairs,
                                    .pair_count = op->pair_count,
                                    .window = op->window,
                                    .macs = op->macs,
                                    .joined = op->joined};
    return sw_builder_operator(builder, &spec, error);
}

/* One piece of all bytes is a plain lifetime. */
static void become_lifetime(struct sw_buffer_spec *spec, uint64_t size) {
    if (spec->piece_count == 1 && spec->pieces[0].lo == 0 && spec->pieces[0].hi == size) {
        sw_spec_unpiece(spec);
    }
}

/* `copy`: what is different; NULL: nothing. */
bool sw_builder_copy_buffer(struct sw_builder *builder, const struct sw_problem *problem, uint32_t number,
                            const struct sw_buffer_copy *copy, struct sw_error *error) {
    const struct sw_buffer *buffer = &problem->buffers[number];
    struct sw_buffer_spec spec = {.name = buffer->name,
                                  .kind = buffer->kind,
                                  .dtype = buffer->dtype,
                                  .shape = buffer->shape,
                                  .shape_count = buffer->shape_count,
                                  .has_size = true,
                                  .size = buffer->size,
                                  .alignment = buffer->alignment,
                                  .tier = buffer->tier == SW_NONE ? NULL : problem->tiers[buffer->tier].name,
                                  .has_offset = buffer->has_offset,
                                  .offset = buffer->offset,
                                  .has_hint = buffer->has_hint,
                                  .hint = buffer->hint,
                                  .output = buffer->output,
                                  .origin = buffer->origin,
                                  .asked = buffer->asked,
                                  .before = buffer->before};
    uint64_t all = problem->tier_count == 64 ? UINT64_MAX : (UINT64_C(1) << problem->tier_count) - 1;
    if (buffer->planned && buffer->tier == SW_NONE && (buffer->tiers != all || buffer->kind == SW_KIND_CONSTANT)) {
        spec.tiers = tier_names(builder, problem, buffer->tiers, &spec.tier_count);
        if (!spec.tiers) {
            return sw_fail_memory(error);
        }
    }
    if (copy) {
        spec.has_offset = buffer->pinned;
    }
    if (copy && copy->name) {
        spec.name = copy->name;
        spec.kind = SW_KIND_INTERMEDIATE;
        spec.shape_count = 0;
        spec.size = copy->size;
        spec.output = spec.before = false;
        spec.asked = 0;
        spec.origin = NULL;
    }
    if (copy && copy->piece_count > 0) {
        spec.pieces = copy->pieces;
        spec.piece_count = copy->piece_count;
        become_lifetime(&spec, spec.size);
    } else if (buffer->planned && buffer->lifetime_given) {
        struct sw_piece_spec *pieces = sw_arena_new(&builder->arena, buffer->piece_count, sizeof *pieces);
        if (!pieces) {
            return sw_fail_memory(error);
        }
        for (uint32_t i = 0; i < buffer->piece_count; i++) {
            const struct sw_piece *piece = &buffer->pieces[i];
            pieces[i] = (struct sw_piece_spec){sw_problem_time(problem, piece->first),
                                               sw_problem_time(problem, piece->last + 1) - 1, piece->lo, piece->hi};
        }
        spec.pieces = pieces;
        spec.piece_count = buffer->piece_count;
        become_lifetime(&spec, buffer->size);
        if (buffer->piece_count == 0) { /* nothing ever holds a byte of it: size 0 */
            spec.has_first = spec.has_last = true;
            spec.first = sw_problem_time(problem, buffer->first);
            spec.last = sw_problem_time(problem, buffer->last + 1) - 1;
        }
    }
    if (buffer->accesses_given) {
        int64_t *accesses = sw_arena_new(&builder->arena, (size_t)buffer->access_count + 1, sizeof *accesses);
        if (!accesses) {
            return sw_fail_memory(error);
        }
        for (uint32_t i = 0; i < buffer->access_count; i++) {
            accesses[i] = sw_problem_time(problem, buffer->accesses[i]);
        }
        spec.has_accesses = true;
        spec.accesses = accesses;
        spec.access_count = buffer->access_count;
    }
    return sw_builder_buffer(builder, &spec, error);
}

bool sw_builder_copy_memories(struct sw_builder *builder, const struct sw_problem *problem, struct sw_error *error) {
    bool ok = true;
    for (uint32_t i = 0; ok && i < problem->tier_count; i++) {
        ok = sw_builder_tier(builder, &problem->tiers[i], error);
    }
    for (uint32_t i = 0; ok && i < problem->unit_count; i++) {
        const struct sw_unit *unit = &problem->units[i];
        struct sw_unit_spec spec = {.name = unit->name,
                                    .dedicated = unit->dedicated,
                                    .dtype = unit->dtype,
                                    .alignment = unit->alignment,
                                    .channel_multiple = unit->channel_multiple,
                                    .has_channel_axis = true,
                                    .channel_axis = unit->channel_axis};
        spec.tiers = tier_names(builder, problem, unit->tiers, &spec.tier_count);
        ok = (spec.tiers || sw_fail_memory(error)) && sw_builder_unit(builder, &spec, error);
    }
    for (uint32_t i = 0; ok && i < problem->function_count; i++) {
        const struct sw_function *function = &problem->functions[i];
        const char *unit = function->unit == SW_NONE ? NULL : problem->units[function->unit].name;
        ok = sw_builder_function(builder, function->name, unit, error);
    }
    for (size_t i = 0; ok && i < problem->reserved_count; i++) {
        const struct sw_reserved *reserved = &problem->reserved[i];
        ok = sw_builder_reserve(builder, problem->tiers[reserved->tier].name, reserved->lo, reserved->hi, error);
    }
    return ok;
}

static bool from_rest(struct sw_builder *builder, const struct sw_problem *problem, struct sw_error *error) {
    bool ok = sw_builder_copy_memories(builder, problem, error);
    for (uint32_t i = 0; ok && i < problem->member_count; i++) {
        const struct sw_member *member = &problem->members[i];
        const char *of = problem->buffers[member->buffer].name;
        ok = sw_builder_overlay(builder, of, member->name, member->lo, member->hi, error);
    }
    for (size_t i = 0; ok && i < problem->separate_count; i++) {
        const uint32_t *pair = problem->separate[i];
        ok = sw_builder_separate(builder, problem->buffers[pair[0]].name, problem->buffers[pair[1]].name, error);
    }
    for (size_t i = 0; ok && i < problem->note_count; i++) {
        ok = sw_builder_note(builder, problem->notes[i], error);
    }
    return ok;
}

void sw_builder_forget_before(struct sw_builder *builder) {
    for (size_t i = 0; i < builder->buffers.count; i++) {
        struct sw_buffer_spec *spec = &builder->buffers.items[i].spec;
        if (spec->before) {
            spec->kind = SW_KIND_CONSTANT; /* of no tier */
            spec->tier = NULL;
            spec->tier_count = spec->piece_count = spec->access_count = 0;
            spec->has_first = spec->has_last = spec->has_accesses = spec->has_offset = false;
        }
    }
}

struct sw_builder *sw_builder_from(const struct sw_problem *problem, struct sw_error *error) {
    struct sw_builder *builder = sw_builder_new(error);
    bool ok = builder && sw_builder_name(builder, problem->name, error) &&
              sw_builder_alignment(builder, problem->alignment, error) && from_rest(builder, problem, error);
    for (uint32_t i = 0; ok && i < problem->operator_count; i++) {
        ok = sw_builder_copy_operator(builder, problem, i, error);
    }
    for (uint32_t i = 0; ok && i < problem->buffer_count; i++) {
        ok = sw_builder_copy_buffer(builder, problem, i, NULL, error);
    }
    if (!ok) {
        sw_builder_free(builder);
        return NULL;
    }
    builder->offsets = problem->offsets_are_plan ? SW_OFFSETS_PLAN : SW_OFFSETS_PINS;
    builder->inplace_safe = problem->inplace_safe;
    builder->outside = problem->outside;
    builder->least_arena = problem->least_arena;
    builder->more_outside = problem->more_outside;
    sw_builder_tape(builder, problem->tape);
    sw_builder_counter(builder, problem->counter);
    sw_builder_requests(builder, problem->requests);
    sw_builder_moment(builder, problem->moment);
    return builder;
}

static bool bind_tape(struct sw_problem *problem, struct sw_tape *tape, struct sw_error *error) {
    if (!tape) {
        return true;
    }
    problem->tape = sw_tape_ref(tape);
    problem->recording = tape->kind->bind(tape, problem, error);
    return problem->recording != NULL;
}

struct sw_problem *sw_builder_finish(struct sw_builder *builder, struct sw_error *error) {
    struct sw_problem *problem = SW_NEW_ZERO(struct sw_problem, 1);
    if (!problem) {
        sw_fail_memory(error);
        return NULL;
    }
    problem->references = 1;
    problem->requests = sw_requests_ref(builder->requests);
    problem->moment = sw_moment_ref(builder->moment);
    if (!sw_resolve(builder, problem, error) || !sw_derive(builder, problem, error) ||
        !sw_conflicts_build(problem, error) || !sw_index(problem, error) || !bind_tape(problem, builder->tape, error)) {
        sw_problem_free(problem);
        return NULL;
    }
    return problem;
}
