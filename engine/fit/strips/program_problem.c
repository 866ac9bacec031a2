/* A program as a problem of its own. */
#include "fit/strips/program_internal.h"

#include "problem/builder.h"
#include "problem/change/change.h"

#include <stdio.h> /* snprintf */

/* ---- names ---- */

static const char *call_op_name(const struct sw_fit_program *program, uint32_t op) {
    return sw_problem_operator(program->problem, op)->name;
}

/* "strip 2 of 6", "loop of 4" */
struct program_name_part {
    char text[48];
};
static struct program_name_part named_part(const struct sw_fit_program *program, const struct sw_fit_call *call) {
    struct program_name_part part = {""};
    if (call->rounds > 0) {
        snprintf(part.text, sizeof part.text, "loop of %u", call->rounds);
    } else {
        snprintf(part.text, sizeof part.text, "strip %u of %u", call->strip + 1,
                 call->region == SW_NONE ? 0 : program->regions[call->region].strips);
    }
    return part;
}

int sw_fit_call_name(const struct sw_fit_program *program, uint32_t number, char *text, size_t size) {
    static const char *const whats[] = {
        [SW_FIT_GROW] = "room", [SW_FIT_LOOP] = "while", [SW_FIT_UPDATE] = "update", [SW_FIT_NEXT] = "next"};
    const struct sw_fit_call *call = &program->calls.items[number];
    const struct sw_fit_value *made = call->output == SW_NONE ? NULL : &program->values.items[call->output];
    uint32_t strips = call->region == SW_NONE ? 0 : program->regions[call->region].strips;
    switch (call->act) {
    case SW_FIT_AS_IS:
        break;
    case SW_FIT_RUN:
        return snprintf(text, size, "%s/%s", call_op_name(program, call->op), named_part(program, call).text);
    case SW_FIT_SLICE:
    case SW_FIT_PADDED:
        return snprintf(text, size, "%s/%s/%s%s %s", call_op_name(program, call->op), named_part(program, call).text,
                        call->act == SW_FIT_PADDED ? "pad"
                        : call->keeps              ? "keep"
                                                   : "slice",
                        call->act == SW_FIT_SLICE && made->padded_for != SW_NONE ? " padded" : "",
                        sw_problem_buffer(program->problem, made->buffer)->name);
    case SW_FIT_GROW:
    case SW_FIT_LOOP:
    case SW_FIT_UPDATE:
    case SW_FIT_NEXT:
        return snprintf(text, size, "%s/%s/%s", call_op_name(program, call->op), named_part(program, call).text,
                        whats[call->act]);
    case SW_FIT_JOIN:
        if (call->strip != SW_NONE) {
            return snprintf(text, size, "%s/%s/join%s %s", call_op_name(program, call->op),
                            named_part(program, call).text, made->padded_for != SW_NONE ? " padded" : "",
                            sw_problem_buffer(program->problem, made->buffer)->name);
        }
        return made->whole ? snprintf(text, size, "%s/join %u strips", call_op_name(program, call->op), strips)
                           : snprintf(text, size, "%s/join rows %lld to %lld", call_op_name(program, call->op),
                                      (long long)made->rows.lo, (long long)made->rows.hi - 1);
    }
    return snprintf(text, size, "%s", call_op_name(program, call->op));
}

int sw_fit_value_name(const struct sw_fit_program *program, uint32_t number, char *text, size_t size) {
    const struct sw_fit_value *value = &program->values.items[number];
    const char *name = value->buffer == SW_NONE ? "" : sw_problem_buffer(program->problem, value->buffer)->name;
    if (value->whole) {
        return snprintf(text, size, "%s", name);
    }
    const struct sw_fit_call *call = &program->calls.items[value->made_by];
    const char *for_ = value->padded_for == SW_NONE ? "" : " padded for ",
               *reader = value->padded_for == SW_NONE ? "" : call_op_name(program, value->padded_for);
    struct program_name_part part = named_part(program, call);
    if (call->act == SW_FIT_RUN) {
        return snprintf(text, size, "%s/%s", name, part.text);
    }
    if (call->act == SW_FIT_LOOP) {
        return snprintf(text, size, "%s/%s/counters", call_op_name(program, call->op), part.text);
    }
    if (call->act == SW_FIT_GROW || call->act == SW_FIT_UPDATE) {
        return snprintf(text, size, "%s/%s %s", name, call->act == SW_FIT_GROW ? "room behind" : "with", part.text);
    }
    if (call->act == SW_FIT_JOIN) {
        return snprintf(text, size, "%s/rows %lld to %lld%s%s", name, (long long)value->rows.lo,
                        (long long)value->rows.hi - 1, for_, reader);
    }
    if (call->keeps) {
        return snprintf(text, size, "%s/rows %lld to %lld%s%s kept of %s", name, (long long)value->rows.lo,
                        (long long)value->rows.hi - 1, for_, reader, part.text);
    }
    const char *what = value->padded_for == SW_NONE ? "for"
                       : call->act == SW_FIT_PADDED ? "padded for"
                                                    : "of those padded for";
    return snprintf(text, size, "%s/rows %lld to %lld %s %s/%s", name, (long long)value->rows.lo,
                    (long long)value->rows.hi - 1, what, call_op_name(program, call->op), part.text);
}

int64_t sw_fit_begins_at(const struct sw_fit_program *program, const struct sw_fit_call *call) {
    const struct sw_fit_value *first = &program->values.items[program->inputs.items[call->first_input]];
    return call->act == SW_FIT_SLICE ? program->values.items[call->output].rows.lo - first->rows.lo
                                     : program->values.items[program->inputs.items[call->first_input + 1]].rows.lo;
}

/* ---- the problem ---- */

struct problem_making {
    const struct sw_fit_program *program;
    struct sw_builder *builder;
    struct sw_error *error;
    struct sw_fit_lives lives;
    SW_ARRAY(const char *) names; /* of the arguments of the call at hand */
    SW_ARRAY(const char *) pairs; /* arguments over which its result may be written, each with the result */
};

typedef int name_fn(const struct sw_fit_program *, uint32_t number, char *text, size_t size);

/* The whole name of a value or a call, which lives as long as the builder. NULL: no memory. */
static const char *written_name(struct problem_making *making, name_fn *write, uint32_t number) {
    size_t size = (size_t)write(making->program, number, NULL, 0) + 1;
    char *name = sw_builder_text(making->builder, size);
    if (name) {
        write(making->program, number, name, size);
    }
    return name;
}

static bool push_value_name(struct problem_making *making, uint32_t value) {
    const char *name = written_name(making, sw_fit_value_name, value);
    return (name && SW_PUSH(&making->names, name)) || sw_fail_memory(making->error);
}

static bool add_value_buffer(struct problem_making *making, size_t *at, uint32_t value) {
    const struct sw_fit_program *program = making->program;
    const struct sw_fit_value *v = &program->values.items[value];
    const struct sw_fit_life *life = &making->lives.items[*at];
    size_t count = 0;
    while (*at + count < making->lives.count && life[count].root == value) {
        count++;
    }
    *at += count;
    if (v->buffer == SW_NONE) {
        const char *own = written_name(making, sw_fit_value_name, value);
        struct sw_buffer_spec spec = {
            .name = own, .kind = SW_KIND_SCRATCH, .dtype = SW_DTYPE_INT32, .has_size = true, .size = v->size};
        return (own || sw_fail_memory(making->error)) && sw_builder_buffer(making->builder, &spec, making->error);
    }
    bool planned = sw_problem_buffer(program->problem, v->buffer)->planned && v->size > 0;
    if (v->whole && planned && count == 0) {
        return true; /* computed in strips that lie elsewhere */
    }
    struct sw_piece_spec *pieces = SW_NEW(struct sw_piece_spec, count);
    if (count > 0 && !pieces) {
        return sw_fail_memory(making->error);
    }
    for (size_t i = 0; i < count; i++) {
        pieces[i] = (struct sw_piece_spec){life[i].first, life[i].last, life[i].lo, life[i].hi};
    }
    const char *name = v->whole ? NULL : written_name(making, sw_fit_value_name, value);
    struct sw_buffer_copy copy = {.name = name, .size = v->size, .pieces = pieces, .piece_count = count};
    bool good = (v->whole || name || sw_fail_memory(making->error)) &&
                sw_builder_copy_buffer(making->builder, program->problem, v->buffer, &copy, making->error);
    SW_FREE(pieces, count);
    return good;
}

static bool add_values(struct problem_making *making) {
    const struct sw_fit_program *program = making->program;
    bool good = true;
    size_t at = 0;
    for (size_t i = 0; good && i < program->values.count; i++) {
        if (program->values.items[i].within == SW_NONE) {
            good = add_value_buffer(making, &at, (uint32_t)i);
        }
    }
    for (size_t i = 0; good && i < program->values.count; i++) {
        const struct sw_fit_value *v = &program->values.items[i];
        uint64_t lo;
        if (v->within != SW_NONE) {
            const char *outer = written_name(making, sw_fit_value_name, sw_fit_root(program, (uint32_t)i, &lo));
            const char *name = written_name(making, sw_fit_value_name, (uint32_t)i);
            good = outer && name ? sw_builder_overlay(making->builder, outer, name, lo, lo + v->size, making->error)
                                 : sw_fail_memory(making->error);
        }
    }
    return good;
}

bool sw_fit_may_overwrite(const struct sw_fit_program *program, const struct sw_fit_call *call, uint32_t input) {
    if (call->act != SW_FIT_RUN) {
        return false;
    }
    const struct sw_fit_value *old = &program->values.items[program->inputs.items[call->first_input + input]],
                              *fresh = &program->values.items[call->output];
    return old->within == SW_NONE && fresh->within == SW_NONE &&
           sw_operator_marked(sw_problem_operator(program->problem, call->op), fresh->buffer, old->buffer);
}

static bool add_overwrite_pairs(struct problem_making *making, const struct sw_fit_call *call) {
    making->pairs.count = 0;
    for (uint32_t i = 0; i < call->input_count; i++) {
        if (sw_fit_may_overwrite(making->program, call, i) &&
            !(SW_PUSH(&making->pairs, making->names.items[i]) &&
              SW_PUSH(&making->pairs, making->names.items[call->input_count]))) {
            return sw_fail_memory(making->error);
        }
    }
    return true;
}

/* A copy of bytes onto themselves only reads them. */
static bool add_call_operator(struct problem_making *making, uint32_t number) {
    const struct sw_fit_program *program = making->program;
    const struct sw_fit_call *call = &program->calls.items[number];
    const struct sw_operator *op = sw_problem_operator(program->problem, call->op);
    static const char *const kinds[] = {
        [SW_FIT_SLICE] = "slice", [SW_FIT_PADDED] = "pad", [SW_FIT_JOIN] = "concatenation",
        [SW_FIT_GROW] = "pad",    [SW_FIT_LOOP] = "while", [SW_FIT_UPDATE] = "dynamic_update_slice",
        [SW_FIT_NEXT] = "add"};
    if (call->act == SW_FIT_AS_IS) {
        return sw_builder_copy_operator(making->builder, program->problem, call->op, making->error);
    }
    making->names.count = 0;
    for (uint32_t i = 0; i < call->input_count; i++) {
        if (!push_value_name(making, program->inputs.items[call->first_input + i])) {
            return false;
        }
    }
    if ((call->output != SW_NONE && !push_value_name(making, call->output)) || !add_overwrite_pairs(making, call)) {
        return false;
    }
    const char *name = written_name(making, sw_fit_call_name, number);
    if (!name) {
        return sw_fail_memory(making->error);
    }
    struct sw_operator_spec spec = {.name = name,
                                    .kind = call->act == SW_FIT_RUN ? op->kind
                                            : call->least           ? "padv2"
                                                                    : kinds[call->act],
                                    .dtype = op->dtype,
                                    .inputs = making->names.items,
                                    .input_count = call->input_count,
                                    .outputs = making->names.items + call->input_count,
                                    .output_count = call->output == SW_NONE || sw_fit_in_place(program, call) ? 0 : 1,
                                    .inplace = making->pairs.count ? SW_INPLACE_PAIRS : SW_INPLACE_NO,
                                    .pairs = (const char *const(*)[2])making->pairs.items,
                                    .pair_count = making->pairs.count / 2,
                                    .macs = call->macs};
    return sw_builder_operator(making->builder, &spec, making->error);
}

/* What lies outside of the plan: structures of more operators, and while the interpreter starts a record of each tensor
 * and of each buffer that it plans. */
static void set_outside(struct problem_making *making) {
    enum { TEXT_PER_TENSOR = 24, TEXT_PER_BUFFER = 40 };
    const struct sw_fit_program *program = making->program;
    const struct sw_problem *model = program->problem;
    if (sw_problem_outside(model) == 0) {
        return;
    }
    uint64_t shared, more = sw_fit_more_tail(program, &shared),
                     count = program->values.count - sw_problem_buffer_count(model), constants = 0;
    for (size_t i = 0; i < program->calls.count; i++) {
        count += sw_fit_loop_tensors(&program->calls.items[i]);
        constants += sw_fit_constants(&program->calls.items[i]);
    }
    uint64_t start = count * (TEXT_PER_TENSOR + TEXT_PER_BUFFER) + constants * TEXT_PER_TENSOR;
    sw_builder_outside(making->builder, sw_problem_outside(model) + more, sw_problem_least_arena(model) + more + start,
                       sw_problem_more_outside(model));
}

struct sw_problem *sw_fit_program_problem(const struct sw_fit_program *program, struct sw_error *error) {
    if (sw_problem_operator_count(program->problem) == 0) {
        return sw_problem_ref(program->problem); /* nothing runs: lifetimes are those that were given */
    }
    struct problem_making making = {
        .program = program, .error = error, .builder = sw_builder_from(program->problem, error)};
    struct sw_problem *problem = NULL;
    bool good = making.builder && (sw_fit_lives(program, &making.lives) || sw_fail_memory(error));
    if (good) {
        sw_builder_clear_program(making.builder);
        set_outside(&making);
        sw_builder_counter(making.builder, NULL); /* of the model as it was */
        good = add_values(&making);
    }
    for (size_t i = 0; good && i < program->calls.count; i++) {
        good = add_call_operator(&making, (uint32_t)i);
    }
    if (good) {
        sw_builder_offsets(making.builder, SW_OFFSETS_PINS);
        problem = sw_builder_finish(making.builder, error);
    }
    SW_ARRAY_DONE(&making.lives, &making.names, &making.pairs);
    sw_builder_free(making.builder);
    return problem;
}
