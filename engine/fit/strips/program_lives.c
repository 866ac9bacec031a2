/* Which bytes of a program are needed from which call to which. */
#include "fit/strips/program_internal.h"

#include "base/minmax.h"

#include <stdlib.h> /* qsort */

uint32_t sw_fit_root(const struct sw_fit_program *program, uint32_t value, uint64_t *at) {
    *at = 0;
    while (program->values.items[value].within != SW_NONE) {
        *at += program->values.items[value].at;
        value = program->values.items[value].within;
    }
    return value;
}

/* The bytes [lo, hi) of a value with bytes of its own are needed in calls from `first` to `last`. */
struct use {
    uint32_t root;
    uint64_t lo, hi;
    uint32_t first, last;
};
struct uses {
    const struct sw_fit_program *program;
    SW_ARRAY(struct use) items;
    uint32_t *begin, *end; /* of each operator of the model: its first and its last call */
    bool *computed;        /* tensors of the model that some call makes, or that are there before */
};

static bool add_part(struct uses *uses, uint32_t value, uint64_t lo, uint64_t size, uint32_t first, uint32_t last) {
    uint64_t at;
    uint32_t root = sw_fit_root(uses->program, value, &at);
    struct use use = {.root = root, .lo = at + lo, .hi = at + lo + size, .first = first, .last = last};
    return size == 0 || SW_PUSH(&uses->items, use);
}

static bool add_use(struct uses *uses, uint32_t value, uint32_t first, uint32_t last) {
    return add_part(uses, value, 0, uses->program->values.items[value].size, first, last);
}

/* A slice reads the rows that it copies, and no others; rows that do not lie one behind the other are spread over all of it. Where slices are
 * nothing but copies, a tensor is there as a whole. */
static bool add_slice(struct uses *uses, uint32_t of, uint32_t slice, uint32_t call) {
    const struct sw_fit_program *program = uses->program;
    const struct sw_op_window *window = sw_problem_operator(program->problem, program->calls.items[call].op)->window;
    if (window->told || !sw_fit_rows_are_apart(program->problem, program->values.items[of].buffer, window->axis)) {
        return add_use(uses, of, call, call);
    }
    const struct sw_fit_value *whole = &program->values.items[of], *part = &program->values.items[slice];
    uint64_t bytes = part->size / (uint64_t)(part->rows.hi - part->rows.lo);
    return add_part(uses, of, (uint64_t)(part->rows.lo - whole->rows.lo) * bytes, part->size, call, call);
}

/* Does an argument of a copy lie where the copy puts it? */
static bool is_in_place(const struct sw_fit_program *program, const struct sw_fit_value *result, uint32_t root, uint64_t to, uint32_t input) {
    uint64_t from, bytes = result->size / (uint64_t)(result->rows.hi - result->rows.lo);
    return sw_fit_root(program, input, &from) == root &&
           (int64_t)from - (int64_t)to == (program->values.items[input].rows.lo - result->rows.lo) * (int64_t)bytes;
}

bool sw_fit_in_place(const struct sw_fit_program *program, const struct sw_fit_call *call) {
    uint64_t to;
    bool update = call->act == SW_FIT_UPDATE && call->step == 0;
    if (call->act != SW_FIT_SLICE && call->act != SW_FIT_JOIN && !update) {
        return false;
    }
    uint32_t root = sw_fit_root(program, call->output, &to);
    for (uint32_t i = 0; i < call->input_count; i++) {
        if (!is_in_place(program, &program->values.items[call->output], root, to, program->inputs.items[call->first_input + i])) {
            return false;
        }
    }
    return true;
}

/* Does the model know more of the buffer than from when to when it is needed: which of its bytes are? */
static bool has_pieces(const struct sw_buffer *buffer) {
    return buffer->piece_count > 1 || (buffer->piece_count == 1 && buffer->pieces->hi - buffer->pieces->lo < buffer->size);
}

static bool add_as_is(struct uses *uses, const struct sw_ref *refs, uint32_t count, uint32_t call) {
    bool good = true;
    for (uint32_t i = 0; good && i < count; i++) {
        good = has_pieces(sw_problem_buffer(uses->program->problem, refs[i].buffer)) || add_use(uses, refs[i].buffer, call, call);
    }
    return good;
}

/* A tensor that is made in a region lives from its strips on, which make it byte by byte; what a call reads was there from its own making on. */
static bool add_call_uses(struct uses *uses, uint32_t number) {
    const struct sw_fit_program *program = uses->program;
    const struct sw_fit_call *call = &program->calls.items[number];
    bool good = true;
    if (call->act == SW_FIT_AS_IS) {
        const struct sw_operator *op = sw_problem_operator(program->problem, call->op);
        return add_as_is(uses, op->inputs, op->input_count, number) && add_as_is(uses, op->outputs, op->output_count, number) &&
               add_as_is(uses, op->scratch, op->scratch_count, number);
    }
    for (uint32_t i = 0; good && i < call->input_count; i++) {
        uint32_t input = program->inputs.items[call->first_input + i];
        good = call->act == SW_FIT_SLICE ? add_slice(uses, input, call->output, number) : add_use(uses, input, number, number);
    }
    /* What a copy onto itself leaves alone is used by the reading alone. */
    return good && (call->output == SW_NONE || sw_fit_in_place(program, call) || add_use(uses, call->output, number, number));
}

/* A tensor that lives longer than its operators say keeps that: inputs from the start, results to the end. One of which the model has pieces keeps
 * these. */
static bool add_given(struct uses *uses) {
    const struct sw_problem *problem = uses->program->problem;
    bool good = true;
    for (uint32_t b = 0; good && b < sw_problem_buffer_count(problem); b++) {
        const struct sw_buffer *buffer = sw_problem_buffer(problem, b);
        const struct sw_fit_value *value = &uses->program->values.items[b];
        uint32_t producer = sw_problem_producer(problem, b), last = buffer->access_count ? buffer->accesses[buffer->access_count - 1] : 0;
        uses->computed[b] = producer == SW_NONE || value->made_by != SW_NONE;
        if (!buffer->planned || buffer->size == 0 || !uses->computed[b]) {
            continue;
        }
        for (uint32_t i = 0; good && has_pieces(buffer) && i < buffer->piece_count; i++) {
            const struct sw_piece *piece = &buffer->pieces[i];
            good = add_part(uses, b, piece->lo, piece->hi - piece->lo, uses->begin[piece->first], uses->end[piece->last]);
        }
        if (has_pieces(buffer)) {
            continue;
        }
        bool early = producer == SW_NONE || buffer->first < producer, late = buffer->output || buffer->access_count == 0 || buffer->last > last;
        uint32_t first = uses->begin[buffer->first], end = uses->end[buffer->last];
        good = (!early || add_use(uses, b, first, first)) && (!late || add_use(uses, b, end, end));
    }
    return good;
}

static bool find_uses(struct uses *uses) {
    const struct sw_fit_program *program = uses->program;
    bool good = true;
    for (size_t i = program->calls.count; i-- > 0;) {
        const struct sw_fit_call *call = &program->calls.items[i];
        const struct sw_fit_region *region = call->region == SW_NONE ? NULL : &program->regions[call->region];
        for (uint32_t op = region ? region->first : call->op; op <= (region ? region->last : call->op); op++) {
            uses->begin[op] = (uint32_t)i;
            uses->end[op] = SW_MAX(uses->end[op], (uint32_t)i);
        }
    }
    for (size_t i = 0; good && i < program->calls.count; i++) {
        good = add_call_uses(uses, (uint32_t)i);
    }
    return good && add_given(uses);
}

static int by_root(const void *a, const void *b) {
    const struct use *x = a, *y = b;
    return x->root != y->root ? (x->root < y->root ? -1 : 1) : (x->lo > y->lo) - (x->lo < y->lo);
}

static int by_place(const void *a, const void *b) {
    const uint64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

bool sw_fit_lives(const struct sw_fit_program *program, struct sw_fit_lives *lives) {
    uint32_t operators = sw_problem_operator_count(program->problem), buffers = sw_problem_buffer_count(program->problem);
    struct uses uses = {.program = program, .begin = SW_NEW_ZERO(uint32_t, operators), .end = SW_NEW_ZERO(uint32_t, operators),
                        .computed = SW_NEW_ZERO(bool, buffers)};
    SW_ARRAY(uint64_t) cuts = {0};
    bool good = (operators == 0 || (uses.begin && uses.end)) && (buffers == 0 || uses.computed) && find_uses(&uses);
    if (good && uses.items.count > 0) {
        qsort(uses.items.items, uses.items.count, sizeof *uses.items.items, by_root);
    }
    for (size_t from = 0, to; good && from < uses.items.count; from = to) {
        const struct use *use = &uses.items.items[from];
        cuts.count = 0;
        for (to = from; good && to < uses.items.count && uses.items.items[to].root == use->root; to++) {
            good = SW_PUSH(&cuts, uses.items.items[to].lo) && SW_PUSH(&cuts, uses.items.items[to].hi);
        }
        if (!good) {
            break;
        }
        qsort(cuts.items, cuts.count, sizeof *cuts.items, by_place);
        for (size_t c = 0; good && c + 1 < cuts.count; c++) {
            struct sw_fit_life life = {.root = use->root, .lo = cuts.items[c], .hi = cuts.items[c + 1], .first = UINT32_MAX};
            for (size_t i = from; life.lo < life.hi && i < to && uses.items.items[i].lo <= life.lo; i++) {
                if (uses.items.items[i].hi >= life.hi) {
                    life.first = SW_MIN(life.first, uses.items.items[i].first);
                    life.last = SW_MAX(life.last, uses.items.items[i].last);
                }
            }
            if (life.first == UINT32_MAX) {
                continue; /* no byte between them, or none that is used */
            }
            struct sw_fit_life *before = lives->count > 0 ? &lives->items[lives->count - 1] : NULL;
            if (before && before->root == life.root && before->hi == life.lo && before->first == life.first && before->last == life.last) {
                before->hi = life.hi;
            } else {
                good = SW_PUSH(lives, life);
            }
        }
    }
    SW_ARRAY_DONE(&uses.items);
    SW_ARRAY_DONE(&cuts);
    SW_FREE(uses.begin, operators);
    SW_FREE(uses.end, operators);
    SW_FREE(uses.computed, buffers);
    return good;
}
