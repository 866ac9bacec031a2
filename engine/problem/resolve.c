/* First stage of building: names become numbers, and every item is checked by itself. */
#include "problem/problem_internal.h"

uint32_t sw_problem_find_buffer(const struct sw_problem *problem, const char *name) {
    return sw_names_find(&problem->buffer_names, name, strlen(name));
}
uint32_t sw_problem_find_member(const struct sw_problem *problem, const char *name) {
    return sw_names_find(&problem->member_names, name, strlen(name));
}
uint32_t sw_problem_find_operator(const struct sw_problem *problem, const char *name) {
    return sw_names_find(&problem->operator_names, name, strlen(name));
}
uint32_t sw_problem_find_tier(const struct sw_problem *problem, const char *name) {
    return sw_names_find(&problem->tier_names, name, strlen(name));
}

static const char *keep_name(struct sw_problem *problem, const char *text) {
    return sw_arena_string(&problem->arena, text, strlen(text));
}

/* Give a new thing, which the problem has at `number`, its name: *name, which is the builder's, becomes a copy. */
static bool resolve_name(struct sw_problem *problem, struct sw_names *names, const char **name, size_t number,
                         const struct sw_at *at, const char *what, struct sw_error *error) {
    *name = keep_name(problem, *name);
    uint32_t *known = *name ? sw_names_at(names, *name, strlen(*name)) : NULL;
    if (!known) {
        return sw_fail_memory(error);
    }
    if (*known != SW_NONE) {
        return sw_builder_fail(at, error, *name, "two %s are named %s", what, *name);
    }
    *known = (uint32_t)number;
    return true;
}

static bool resolve_tiers(const struct sw_builder *builder, struct sw_problem *problem, struct sw_error *error) {
    size_t count = builder->tiers.count;
    problem->tiers = SW_NEW_IN(&problem->arena, struct sw_tier, count ? count : 1);
    if (!problem->tiers) {
        return sw_fail_memory(error);
    }
    for (size_t i = 0; i < count; i++) {
        const struct sw_raw_tier *raw = &builder->tiers.items[i];
        problem->tiers[i] = raw->tier;
        if (!resolve_name(problem, &problem->tier_names, &problem->tiers[i].name, i, &raw->at, "tiers", error)) {
            return false;
        }
        problem->tier_count++;
    }
    if (count == 0) {
        problem->tiers[0] = (struct sw_tier){.name = "memory", .capacity = SW_UNBOUNDED};
        problem->tier_count = 1;
        if (!sw_names_set(&problem->tier_names, "memory", strlen("memory"), 0)) {
            return sw_fail_memory(error);
        }
    }
    if (builder->has_capacity) {
        problem->tiers[0].capacity = builder->capacity;
    }
    return true;
}

/* The mask of a list of tier names; all tiers when the list is empty. */
static bool tier_mask(const struct sw_problem *problem, const char *const *names, size_t count, const struct sw_at *at,
                      const char *owner, uint64_t *mask, struct sw_error *error) {
    *mask = count ? 0 : problem->tier_count == 64 ? UINT64_MAX : (UINT64_C(1) << problem->tier_count) - 1;
    for (size_t i = 0; i < count; i++) {
        uint32_t tier = sw_problem_find_tier(problem, names[i]);
        if (tier == SW_NONE) {
            return sw_builder_fail(at, error, owner, "%s names tier %s, which does not exist", owner, names[i]);
        }
        *mask |= UINT64_C(1) << tier;
    }
    return true;
}

static bool resolve_units(const struct sw_builder *builder, struct sw_problem *problem, struct sw_error *error) {
    problem->units = SW_NEW_IN(&problem->arena, struct sw_unit, builder->units.count + 1);
    problem->functions = SW_NEW_IN(&problem->arena, struct sw_function, builder->functions.count + 1);
    if (!problem->units || !problem->functions) {
        return sw_fail_memory(error);
    }
    for (size_t i = 0; i < builder->units.count; i++) {
        const struct sw_raw_unit *raw = &builder->units.items[i];
        struct sw_unit *unit = &problem->units[i];
        *unit = (struct sw_unit){.name = raw->spec.name,
                                 .dedicated = raw->spec.dedicated,
                                 .dtype = raw->spec.dtype,
                                 .alignment = raw->spec.alignment ? raw->spec.alignment : 1,
                                 .channel_multiple = raw->spec.channel_multiple ? raw->spec.channel_multiple : 1,
                                 .channel_axis = raw->spec.has_channel_axis ? raw->spec.channel_axis : 1};
        if (!resolve_name(problem, &problem->unit_names, &unit->name, i, &raw->at, "units", error) ||
            !tier_mask(problem, raw->spec.tiers, raw->spec.tier_count, &raw->at, raw->spec.name, &unit->tiers, error)) {
            return false;
        }
        problem->unit_count++;
    }
    for (size_t i = 0; i < builder->functions.count; i++) {
        const struct sw_raw_pair *raw = &builder->functions.items[i];
        struct sw_function *function = &problem->functions[i];
        *function = (struct sw_function){.name = raw->a, .unit = SW_NONE};
        if (!resolve_name(problem, &problem->function_names, &function->name, i, &raw->at, "functions", error)) {
            return false;
        }
        if (raw->b) {
            function->unit = sw_names_find(&problem->unit_names, raw->b, strlen(raw->b));
        }
        if (raw->b && function->unit == SW_NONE) {
            return sw_builder_fail(&raw->at, error, raw->a, "function %s names unit %s, which does not exist", raw->a,
                                   raw->b);
        }
        problem->function_count++;
    }
    return true;
}

/* The size of a shape, rounded up to whole bytes. */
static bool resolve_shape_size(const struct sw_raw_buffer *raw, uint64_t *size, struct sw_error *error) {
    const struct sw_buffer_spec *spec = &raw->spec;
    if (spec->dtype == SW_DTYPE_NONE) {
        return sw_builder_fail(&raw->at, error, spec->name, "buffer %s has a shape but neither a size nor a dtype",
                               spec->name);
    }
    uint64_t bits = sw_dtype_bits(spec->dtype);
    bool overflow = false;
    for (size_t i = 0; i < spec->shape_count; i++) {
        overflow |= __builtin_mul_overflow(bits, spec->shape[i], &bits);
    }
    for (size_t i = 0; i < spec->shape_count; i++) { /* an empty dimension empties the whole */
        if (spec->shape[i] == 0) {
            bits = 0;
            overflow = false;
        }
    }
    if (overflow) {
        return sw_builder_fail(&raw->at, error, spec->name, "the shape of buffer %s is too large", spec->name);
    }
    *size = bits / 8 + (bits % 8 != 0);
    return true;
}

static bool resolve_buffer(const struct sw_builder *builder, struct sw_problem *problem,
                           const struct sw_raw_buffer *raw, struct sw_buffer *buffer, struct sw_error *error) {
    const struct sw_buffer_spec *spec = &raw->spec;
    uint64_t size = spec->size;
    if (spec->output && spec->kind == SW_KIND_SCRATCH) {
        return sw_builder_fail(&raw->at, error, spec->name, "buffer %s is scratch: it cannot be an output", spec->name);
    }
    if (!spec->has_size && spec->shape_count == 0) {
        return sw_builder_fail(&raw->at, error, spec->name, "buffer %s has neither a size nor a shape", spec->name);
    }
    if (!spec->has_size && !resolve_shape_size(raw, &size, error)) {
        return false;
    }
    if (size > SW_MAX_BYTES || (spec->has_offset && spec->offset > SW_MAX_BYTES)) {
        return sw_builder_fail(&raw->at, error, spec->name, "the size or offset of buffer %s is larger than 2^61",
                               spec->name);
    }
    bool ok = true;
    *buffer = (struct sw_buffer){
        .name = spec->name,
        .kind = spec->kind,
        .dtype = spec->dtype,
        .size = size,
        .alignment = spec->alignment ? spec->alignment : builder->alignment,
        .shape = sw_keep_items(&problem->arena, spec->shape, spec->shape_count, sizeof *spec->shape, &ok),
        .shape_count = (uint32_t)spec->shape_count,
        .tier = SW_NONE,
        .asked = spec->asked ? spec->asked : size,
        .before = spec->before,
        .has_offset = spec->has_offset,
        .offset = spec->offset,
        .has_hint = spec->has_hint,
        .hint = spec->hint,
        .output = spec->output || spec->kind == SW_KIND_OUTPUT};
    if (!ok) {
        return sw_fail_memory(error);
    }
    if (!tier_mask(problem, spec->tiers, spec->tier_count, &raw->at, spec->name, &buffer->tiers, error)) {
        return false;
    }
    if (spec->tier) {
        buffer->tier = sw_problem_find_tier(problem, spec->tier);
        if (buffer->tier == SW_NONE) {
            return sw_builder_fail(&raw->at, error, spec->name, "buffer %s names tier %s, which does not exist",
                                   spec->name, spec->tier);
        }
        if (spec->tier_count > 0 && !(buffer->tiers >> buffer->tier & 1)) {
            return sw_builder_fail(&raw->at, error, spec->name,
                                   "buffer %s is fixed to tier %s, which is not among its tiers", spec->name,
                                   spec->tier);
        }
        buffer->tiers = UINT64_C(1) << buffer->tier;
    }
    buffer->planned = spec->kind != SW_KIND_CONSTANT || spec->tier || spec->tier_count > 0;
    return true;
}

/* Copies of the origins' texts, each once; NULL: no memory. */
static const char **keep_origins(const struct sw_builder *builder, struct sw_problem *problem) {
    const char **origins = SW_NEW_IN(&problem->arena, const char *, builder->origins.count + 1);
    for (size_t i = 0; origins && i < builder->origins.count; i++) {
        origins[i] = keep_name(problem, builder->origins.items[i]);
        if (!origins[i]) {
            return NULL;
        }
    }
    return origins;
}

static bool resolve_buffers(const struct sw_builder *builder, struct sw_problem *problem, struct sw_error *error) {
    size_t count = builder->buffers.count;
    if (count + builder->overlays.count >= UINT32_MAX / 4) {
        return sw_fail(error, SW_ERROR_INPUT, "more than a thousand million buffers");
    }
    const char **origins = keep_origins(builder, problem);
    problem->buffers = SW_NEW_IN(&problem->arena, struct sw_buffer, count + 1);
    if (!origins || !problem->buffers) {
        return sw_fail_memory(error);
    }
    for (size_t i = 0; i < count; i++) {
        const struct sw_raw_buffer *raw = &builder->buffers.items[i];
        if (!resolve_buffer(builder, problem, raw, &problem->buffers[i], error)) {
            return false;
        }
        problem->buffers[i].origin = raw->origin == SW_NONE ? NULL : origins[raw->origin];
        if (!resolve_name(problem, &problem->buffer_names, &problem->buffers[i].name, i, &raw->at, "buffers", error)) {
            return false;
        }
        problem->buffer_count++;
        problem->planned_count += problem->buffers[i].planned;
    }
    return true;
}

static bool resolve_overlays(const struct sw_builder *builder, struct sw_problem *problem, struct sw_error *error) {
    size_t count = builder->overlays.count;
    problem->members = SW_NEW_IN(&problem->arena, struct sw_member, count + 1);
    if (!problem->members) {
        return sw_fail_memory(error);
    }
    for (size_t i = 0; i < count; i++) {
        const struct sw_raw_overlay *raw = &builder->overlays.items[i];
        uint32_t buffer = sw_problem_find_buffer(problem, raw->of), base = SW_NONE;
        uint64_t lo = raw->lo, hi = raw->hi, room;
        if (buffer == SW_NONE) { /* a part of an earlier part */
            base = sw_problem_find_member(problem, raw->of);
        }
        if (buffer == SW_NONE && base == SW_NONE) {
            return sw_builder_fail(&raw->at, error, raw->name,
                                   "overlay %s is a part of %s, which does not exist or is "
                                   "defined later",
                                   raw->name, raw->of);
        }
        if (base != SW_NONE) {
            const struct sw_member *outer = &problem->members[base];
            buffer = outer->buffer;
            room = outer->hi - outer->lo;
            lo += outer->lo;
            hi = raw->hi <= room ? raw->hi + outer->lo : raw->hi;
        } else {
            room = problem->buffers[buffer].size;
        }
        if (raw->hi > room) {
            return sw_builder_fail(&raw->at, error, raw->name,
                                   "overlay %s ends at byte %llu of %s, which has only %llu", raw->name,
                                   (unsigned long long)raw->hi, raw->of, (unsigned long long)room);
        }
        if (sw_problem_find_buffer(problem, raw->name) != SW_NONE) {
            return sw_builder_fail(&raw->at, error, raw->name, "two buffers or overlays are named %s", raw->name);
        }
        struct sw_member *member = &problem->members[i];
        *member = (struct sw_member){raw->name, buffer, lo, hi};
        if (!resolve_name(problem, &problem->member_names, &member->name, i, &raw->at, "buffers or overlays", error)) {
            return false;
        }
        problem->member_count++;
    }
    return true;
}

/* Arguments of an operator. */
static bool resolve_refs(struct sw_problem *problem, const struct sw_raw_operator *raw, const char *what,
                         const char *const *names, size_t count, const struct sw_ref **refs, uint32_t *ref_count,
                         struct sw_error *error) {
    struct sw_ref *list = SW_NEW_IN(&problem->arena, struct sw_ref, count + 1);
    if (!list) {
        return sw_fail_memory(error);
    }
    for (size_t i = 0; i < count; i++) {
        list[i] = (struct sw_ref){sw_problem_find_buffer(problem, names[i]), SW_NONE};
        if (list[i].buffer == SW_NONE) {
            list[i].member = sw_problem_find_member(problem, names[i]);
            if (list[i].member == SW_NONE) {
                return sw_builder_fail(&raw->at, error, raw->spec.name, "operator %s names %s %s, which does not exist",
                                       raw->spec.name, what, names[i]);
            }
            list[i].buffer = problem->members[list[i].member].buffer;
        }
    }
    *refs = list;
    *ref_count = (uint32_t)count;
    return true;
}

static bool resolve_core(struct sw_problem *problem, const char *name, uint32_t *core, struct sw_error *error) {
    for (uint32_t i = 0; i < problem->core_count; i++) {
        if (strcmp(problem->cores[i], name) == 0) {
            *core = i;
            return true;
        }
    }
    const char **grown = SW_NEW_IN(&problem->arena, const char *, (size_t)problem->core_count + 1);
    const char *copy = keep_name(problem, name);
    if (!grown || !copy) {
        return sw_fail_memory(error);
    }
    if (problem->core_count > 0) {
        memcpy(grown, problem->cores, problem->core_count * sizeof *grown);
    }
    grown[problem->core_count] = copy;
    problem->cores = grown;
    *core = problem->core_count++;
    return problem->core_count <= 1024 || sw_fail(error, SW_ERROR_INPUT, "more than 1024 cores");
}

static bool ref_listed(const struct sw_ref *refs, uint32_t count, struct sw_ref ref) {
    for (uint32_t i = 0; i < count; i++) {
        if (refs[i].buffer == ref.buffer && refs[i].member == ref.member) {
            return true;
        }
    }
    return false;
}

static bool resolve_pairs(struct sw_problem *problem, const struct sw_raw_operator *raw, struct sw_operator *op,
                          struct sw_error *error) {
    const struct sw_ref *flat;
    uint32_t count;
    if (!resolve_refs(problem, raw, "in-place argument", raw->spec.pairs ? &raw->spec.pairs[0][0] : NULL,
                      raw->spec.pair_count * 2, &flat, &count, error)) {
        return false;
    }
    op->pairs = (const struct sw_ref(*)[2])flat;
    op->pair_count = count / 2;
    for (uint32_t i = 0; i < op->pair_count; i++) {
        if (!ref_listed(op->inputs, op->input_count, op->pairs[i][0]) ||
            !ref_listed(op->outputs, op->output_count, op->pairs[i][1])) {
            return sw_builder_fail(&raw->at, error, op->name,
                                   "operator %s: the in-place pair %s, %s is not an input and an "
                                   "output of it",
                                   op->name, raw->spec.pairs[i][0], raw->spec.pairs[i][1]);
        }
    }
    return true;
}

static bool resolve_operator(struct sw_problem *problem, const struct sw_raw_operator *raw, uint32_t index,
                             struct sw_error *error) {
    const struct sw_operator_spec *spec = &raw->spec;
    struct sw_operator *op = &problem->operators[index];
    uint32_t *after = SW_NEW_IN(&problem->arena, uint32_t, spec->after_count + 1);
    bool ok = true;
    *op = (struct sw_operator){
        .name = spec->name,
        .kind = spec->kind ? keep_name(problem, spec->kind) : "",
        .function =
            spec->function ? sw_names_find(&problem->function_names, spec->function, strlen(spec->function)) : SW_NONE,
        .dtype = spec->dtype,
        .inplace = spec->inplace,
        .joined = spec->joined && index > 0,
        .window = sw_keep_items(&problem->arena, spec->window, spec->window != NULL, sizeof *spec->window, &ok),
        .macs = spec->macs,
        .after = after};
    if (!ok || !op->kind || !after) {
        return sw_fail_memory(error);
    }
    if (!resolve_name(problem, &problem->operator_names, &op->name, index, &raw->at, "operators", error)) {
        return false;
    }
    if (spec->function && op->function == SW_NONE) {
        return sw_builder_fail(&raw->at, error, op->name, "operator %s names function %s, which does not exist",
                               op->name, spec->function);
    }
    for (size_t i = 0; i < spec->after_count; i++) {
        uint32_t other = sw_problem_find_operator(problem, spec->after[i]);
        if (other == SW_NONE || other == index) {
            return sw_builder_fail(&raw->at, error, op->name,
                                   "operator %s waits for %s, which does not stand before it", op->name,
                                   spec->after[i]);
        }
        after[op->after_count++] = other;
    }
    return resolve_core(problem, spec->core ? spec->core : "", &op->core, error) &&
           resolve_refs(problem, raw, "input", spec->inputs, spec->input_count, &op->inputs, &op->input_count, error) &&
           resolve_refs(problem, raw, "output", spec->outputs, spec->output_count, &op->outputs, &op->output_count,
                        error) &&
           resolve_refs(problem, raw, "scratch buffer", spec->scratch, spec->scratch_count, &op->scratch,
                        &op->scratch_count, error) &&
           resolve_pairs(problem, raw, op, error);
}

static bool resolve_operators(const struct sw_builder *builder, struct sw_problem *problem, struct sw_error *error) {
    size_t count = builder->operators.count;
    if (count >= UINT32_MAX / 4) {
        return sw_fail(error, SW_ERROR_INPUT, "more than a thousand million operators");
    }
    problem->operators = SW_NEW_IN(&problem->arena, struct sw_operator, count + 1);
    if (!problem->operators) {
        return sw_fail_memory(error);
    }
    for (size_t i = 0; i < count; i++) {
        if (!resolve_operator(problem, &builder->operators.items[i], (uint32_t)i, error)) {
            return false;
        }
        problem->operator_count++;
    }
    uint32_t core;
    return problem->core_count > 0 || resolve_core(problem, "", &core, error);
}

static bool resolve_rest(const struct sw_builder *builder, struct sw_problem *problem, struct sw_error *error) {
    problem->separate = sw_arena_new(&problem->arena, builder->separate.count + 1, sizeof *problem->separate);
    problem->reserved = SW_NEW_IN(&problem->arena, struct sw_reserved, builder->reserved.count + 1);
    problem->notes = SW_NEW_IN(&problem->arena, const char *, builder->notes.count + 1);
    if (!problem->separate || !problem->reserved || !problem->notes) {
        return sw_fail_memory(error);
    }
    for (size_t i = 0; i < builder->separate.count; i++) {
        const struct sw_raw_pair *raw = &builder->separate.items[i];
        const char *names[2] = {raw->a, raw->b};
        for (int k = 0; k < 2; k++) {
            uint32_t buffer = sw_problem_find_buffer(problem, names[k]);
            if (buffer == SW_NONE) {
                return sw_builder_fail(&raw->at, error, names[k], "\"separate\" names buffer %s, which does not exist",
                                       names[k]);
            }
            problem->separate[i][k] = buffer;
        }
        if (problem->separate[i][0] == problem->separate[i][1]) {
            return sw_builder_fail(&raw->at, error, raw->a, "buffer %s cannot be kept separate from itself", raw->a);
        }
        problem->separate_count++;
    }
    for (size_t i = 0; i < builder->reserved.count; i++) {
        const struct sw_raw_reserved *raw = &builder->reserved.items[i];
        uint32_t tier = sw_problem_find_tier(problem, raw->tier);
        if (tier == SW_NONE) {
            return sw_builder_fail(&raw->at, error, raw->tier, "\"reserved\" names tier %s, which does not exist",
                                   raw->tier);
        }
        problem->reserved[problem->reserved_count++] = (struct sw_reserved){tier, raw->lo, raw->hi};
    }
    for (size_t i = 0; i < builder->notes.count; i++) {
        problem->notes[i] = keep_name(problem, builder->notes.items[i]);
        if (!problem->notes[i]) {
            return sw_fail_memory(error);
        }
        problem->note_count++;
    }
    return true;
}

bool sw_resolve(const struct sw_builder *builder, struct sw_problem *problem, struct sw_error *error) {
    problem->alignment = builder->alignment;
    problem->counter = sw_counter_ref(builder->counter);
    problem->outside = builder->outside;
    problem->least_arena = builder->least_arena;
    problem->more_outside = builder->more_outside;
    problem->inplace_safe = builder->inplace_safe;
    problem->name = keep_name(problem, builder->name);
    if (!problem->name) {
        return sw_fail_memory(error);
    }
    return resolve_tiers(builder, problem, error) && resolve_units(builder, problem, error) &&
           resolve_buffers(builder, problem, error) && resolve_overlays(builder, problem, error) &&
           resolve_operators(builder, problem, error) && resolve_rest(builder, problem, error);
}
