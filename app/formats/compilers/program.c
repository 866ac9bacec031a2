#include "formats/compilers/program.h"
#include "base/base.h"

bool sw_take_number(const char **at, const char *end, uint64_t *number) {
    const char *from = *at;
    for (*number = 0; *at < end && **at >= '0' && **at <= '9'; ++*at) {
        if (*number > SW_MAX_BYTES) {
            return false;
        }
        *number = 10 * *number + (uint64_t)(**at - '0');
    }
    return *at > from;
}

bool sw_bytes_of(uint64_t elements, uint64_t bits, uint64_t *bytes) {
    if (__builtin_mul_overflow(elements, bits, bytes) || *bytes > 8 * (SW_MAX_BYTES - 1)) {
        return false;
    }
    *bytes = (*bytes + 7) / 8;
    return true;
}

/* ---- collecting ---- */

bool sw_program_value(struct sw_program *program, const struct sw_value *value, uint32_t *number) {
    if (program->values.count >= SW_NONE / 8) {
        return sw_fail(program->error, SW_ERROR_INPUT, "too many values");
    }
    *number = (uint32_t)program->values.count;
    return SW_PUSH(&program->values, *value) || sw_fail_memory(program->error);
}

bool sw_program_node(struct sw_program *program, const struct sw_program_node *node) {
    struct sw_program_node copy = *node;
    if (program->nodes.count >= SW_NONE / 8) {
        return sw_fail(program->error, SW_ERROR_INPUT, "too many operators");
    }
    copy.first = program->arguments.count;
    copy.count = 0;
    return SW_PUSH(&program->nodes, copy) || sw_fail_memory(program->error);
}

bool sw_program_argument(struct sw_program *program, uint32_t value, enum sw_role role) {
    program->nodes.items[program->nodes.count - 1].count++;
    return SW_PUSH(&program->arguments, (struct sw_program_argument){value, role}) || sw_fail_memory(program->error);
}

/* Paths are halved on the way. */
uint32_t sw_program_root(struct sw_program *program, uint32_t value) {
    struct sw_value *values = program->values.items;
    while (values[value].same != SW_NONE) {
        uint32_t next = values[values[value].same].same;
        values[value].same = next == SW_NONE ? values[value].same : next;
        value = values[value].same;
    }
    return value;
}

void sw_program_join(struct sw_program *program, uint32_t a, uint32_t b) {
    a = sw_program_root(program, a);
    b = sw_program_root(program, b);
    if (a != b) {
        struct sw_value *whole = &program->values.items[a];
        const struct sw_value *part = &program->values.items[b];
        whole->output |= part->output;
        whole->size = part->size > whole->size ? part->size : whole->size;
        program->values.items[b].same = a;
    }
}

/* ---- to the builder ---- */

static void touch_values(struct sw_program *program) {
    for (size_t i = 0; i < program->values.count; i++) {
        uint32_t root = sw_program_root(program, (uint32_t)i);
        struct sw_value *value = &program->values.items[i], *whole = &program->values.items[root];
        whole->output |= value->output;
        whole->touched |= whole->output;
    }
    for (size_t i = 0; i < program->arguments.count; i++) {
        uint32_t root = sw_program_root(program, program->arguments.items[i].value);
        program->values.items[root].touched = true;
    }
}

static bool add_program_buffers(struct sw_program *program, struct sw_unique *unique) {
    for (size_t i = 0; i < program->values.count; i++) {
        struct sw_value *value = &program->values.items[i];
        if (value->same != SW_NONE) {
            continue;
        }
        if (value->kind == SW_KIND_CONSTANT || !value->touched) {
            program->constants += value->touched;
            program->constant_bytes += value->touched ? value->size : 0;
            program->idle += !value->touched && value->kind != SW_KIND_CONSTANT && value->size > 0;
            if (program->constant_bytes > SW_MAX_BYTES) {
                program->constant_bytes = SW_MAX_BYTES;
            }
            continue;
        }
        const char *name = sw_unique_text(&program->arena, value->name.at, value->name.length);
        value->buffer = sw_unique_name(unique, &program->arena, name && !*name ? "value" : name);
        if (!value->buffer) {
            return sw_fail_memory(program->error);
        }
        struct sw_buffer_spec spec = {.name = value->buffer,
                                      .kind = value->kind == SW_KIND_INTERMEDIATE && value->output ? SW_KIND_OUTPUT
                                                                                                   : value->kind,
                                      .output = value->output,
                                      .dtype = value->dtype,
                                      .has_size = true,
                                      .size = value->size,
                                      .alignment = value->alignment,
                                      .tier = value->tier};
        sw_builder_at(program->builder, value->line, value->column);
        if (!sw_builder_buffer(program->builder, &spec, program->error)) {
            return false;
        }
    }
    return true;
}

/* The names of a node's arguments of one role, each once: of very long lists only the last of many are compared. */
static bool collect_names(struct sw_program *program, const struct sw_program_node *node, enum sw_role role) {
    size_t from = program->names.count;
    for (size_t i = 0; i < node->count; i++) {
        const struct sw_program_argument *argument = &program->arguments.items[node->first + i];
        const char *name =
            argument->role == role ? program->values.items[sw_program_root(program, argument->value)].buffer : NULL;
        bool listed = false;
        size_t end = program->names.count, low = end - from > 64 ? end - 64 : from;
        for (size_t k = low; k < end && !listed; k++) {
            listed = program->names.items[k] == name;
        }
        if (name && !listed && !SW_PUSH(&program->names, name)) {
            return sw_fail_memory(program->error);
        }
    }
    return true;
}

/* Over which arguments the first result may be written: those of its size that are not the same buffer already. */
static bool collect_pairs(struct sw_program *program, const struct sw_program_node *node) {
    const struct sw_value *out = NULL;
    for (size_t i = 0; i < node->count && !out; i++) {
        const struct sw_program_argument *argument = &program->arguments.items[node->first + i];
        out =
            argument->role == SW_ROLE_WRITE ? &program->values.items[sw_program_root(program, argument->value)] : NULL;
    }
    for (size_t i = 0; i < node->count && i < 64 && node->inplace && out && out->buffer; i++) {
        const struct sw_program_argument *argument = &program->arguments.items[node->first + i];
        const struct sw_value *in = &program->values.items[sw_program_root(program, argument->value)];
        if (argument->role == SW_ROLE_READ && in->buffer && in != out && in->size == out->size &&
            (!SW_PUSH(&program->names, in->buffer) || !SW_PUSH(&program->names, out->buffer))) {
            return sw_fail_memory(program->error);
        }
    }
    return true;
}

static bool add_program_node(struct sw_program *program, const struct sw_program_node *node, struct sw_unique *unique) {
    size_t ends[4] = {0};
    program->names.count = 0;
    for (int role = SW_ROLE_READ; role <= SW_ROLE_SCRATCH; role++) {
        if (!collect_names(program, node, (enum sw_role)role)) {
            return false;
        }
        ends[role] = program->names.count;
    }
    if (!collect_pairs(program, node)) {
        return false;
    }
    ends[3] = program->names.count;
    const char *text = sw_unique_text(&program->arena, node->name.at, node->name.length);
    const char *name = sw_unique_name(unique, &program->arena, text && !*text ? "operator" : text);
    const char *kind = sw_unique_text(&program->arena, node->kind.at, node->kind.length);
    if (!name || !kind) {
        return sw_fail_memory(program->error);
    }
    const char **names = program->names.items;
    struct sw_operator_spec spec = {.name = name,
                                    .kind = kind,
                                    .inplace = ends[3] > ends[2] ? SW_INPLACE_PAIRS : SW_INPLACE_NO,
                                    .inputs = names,
                                    .input_count = ends[0],
                                    .outputs = names ? names + ends[0] : NULL,
                                    .output_count = ends[1] - ends[0],
                                    .scratch = names ? names + ends[1] : NULL,
                                    .scratch_count = ends[2] - ends[1],
                                    .pairs = names ? (const char *const(*)[2])(names + ends[2]) : NULL,
                                    .pair_count = (ends[3] - ends[2]) / 2};
    sw_builder_at(program->builder, node->line, node->column);
    return sw_builder_operator(program->builder, &spec, program->error);
}

bool sw_program_build(struct sw_program *program) {
    struct sw_unique buffers = {0}, operators = {0};
    touch_values(program);
    bool good = add_program_buffers(program, &buffers);
    for (size_t i = 0; good && i < program->nodes.count; i++) {
        good = add_program_node(program, &program->nodes.items[i], &operators);
    }
    sw_unique_done(&buffers);
    sw_unique_done(&operators);
    return good;
}

bool sw_program_note(struct sw_program *program) {
    return (program->constants == 0 ||
            sw_notef(program->builder, program->error, "left out: %" PRIu64 " constants that operators read (%s bytes)",
                     program->constants, SW_COUNT(program->constant_bytes))) &&
           (program->idle == 0 || sw_notef(program->builder, program->error,
                                           "left out: %" PRIu64 " values that nothing uses", program->idle));
}

void sw_program_done(struct sw_program *program) {
    SW_ARRAY_DONE(&program->values, &program->nodes, &program->arguments, &program->names);
    sw_arena_done(&program->arena);
}
