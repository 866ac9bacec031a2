/* Which bytes of a program are needed from which call to which. */
#include "fit/strips/program_internal.h"
#include "base/base.h"
#include "base/sort.h"

uint32_t sw_fit_root(const struct sw_fit_program *program, uint32_t value, uint64_t *at) {
    *at = 0;
    while (program->values.items[value].within != SW_NONE) {
        *at += program->values.items[value].at;
        value = program->values.items[value].within;
    }
    return value;
}

/* The bytes [lo, hi) of a value with bytes of its own are needed in calls from `first` to `last`. */
struct value_use {
    uint64_t lo, hi;
    uint32_t first, last;
    uint32_t before; /* of the same value; SW_NONE: the first one */
};
struct value_uses {
    const struct sw_fit_program *program;
    SW_ARRAY(struct value_use) items;
    uint32_t *latest;      /* of each value: its use that was added last; SW_NONE */
    uint32_t *begin, *end; /* of each operator of the model: its first and its last call */
    bool *computed;        /* tensors of the model that some call makes, or that are there before */
};

static bool add_part_use(struct value_uses *uses, uint32_t value, uint64_t lo, uint64_t size, uint32_t first,
                         uint32_t last) {
    uint64_t at;
    uint32_t root = sw_fit_root(uses->program, value, &at);
    struct value_use use = {
        .lo = at + lo, .hi = at + lo + size, .first = first, .last = last, .before = uses->latest[root]};
    struct value_use *latest = use.before == SW_NONE ? NULL : &uses->items.items[use.before];
    if (size == 0) {
        return true;
    }
    if (latest && latest->lo == use.lo && latest->hi == use.hi) {
        latest->first = SW_MIN(latest->first, first);
        latest->last = SW_MAX(latest->last, last);
        return true;
    }
    uses->latest[root] = (uint32_t)uses->items.count;
    return SW_PUSH(&uses->items, use);
}

static bool add_use(struct value_uses *uses, uint32_t value, uint32_t first, uint32_t last) {
    return add_part_use(uses, value, 0, uses->program->values.items[value].size, first, last);
}

/* A slice reads the rows that it copies, and no others; rows that do not lie one behind the other are spread over all
 * of it. Where slices are nothing but copies, a tensor is there as a whole. */
static bool add_slice(struct value_uses *uses, uint32_t of, uint32_t slice, uint32_t call) {
    const struct sw_fit_program *program = uses->program;
    const struct sw_op_window *window = sw_problem_operator(program->problem, program->calls.items[call].op)->window;
    if (window->told || !sw_fit_rows_are_apart(program->problem, program->values.items[of].buffer, window->axis)) {
        return add_use(uses, of, call, call);
    }
    const struct sw_fit_value *whole = &program->values.items[of], *part = &program->values.items[slice];
    uint64_t bytes = part->size / (uint64_t)(part->rows.hi - part->rows.lo);
    return add_part_use(uses, of, (uint64_t)(part->rows.lo - whole->rows.lo) * bytes, part->size, call, call);
}

/* Does an argument of a copy lie where the copy puts it? */
static bool lies_in_place(const struct sw_fit_program *program, const struct sw_fit_value *result, uint32_t root,
                          uint64_t to, uint32_t input) {
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
        if (!lies_in_place(program, &program->values.items[call->output], root, to,
                           program->inputs.items[call->first_input + i])) {
            return false;
        }
    }
    return true;
}

/* Does the model know more of the buffer than from when to when it is needed: which of its bytes are? */
static bool has_live_pieces(const struct sw_buffer *buffer) {
    return buffer->piece_count > 1 ||
           (buffer->piece_count == 1 && buffer->pieces->hi - buffer->pieces->lo < buffer->size);
}

static bool add_whole_uses(struct value_uses *uses, const struct sw_ref *refs, uint32_t count, uint32_t call) {
    bool good = true;
    for (uint32_t i = 0; good && i < count; i++) {
        good = has_live_pieces(sw_problem_buffer(uses->program->problem, refs[i].buffer)) ||
               add_use(uses, refs[i].buffer, call, call);
    }
    return good;
}

/* A tensor that is made in a region lives from its strips on, which make it byte by byte; what a call reads was there
 * from its own making on. */
static bool add_call_uses(struct value_uses *uses, uint32_t number) {
    const struct sw_fit_program *program = uses->program;
    const struct sw_fit_call *call = &program->calls.items[number];
    bool good = true;
    if (call->act == SW_FIT_AS_IS) {
        const struct sw_operator *op = sw_problem_operator(program->problem, call->op);
        return add_whole_uses(uses, op->inputs, op->input_count, number) &&
               add_whole_uses(uses, op->outputs, op->output_count, number) &&
               add_whole_uses(uses, op->scratch, op->scratch_count, number);
    }
    for (uint32_t i = 0; good && i < call->input_count; i++) {
        uint32_t input = program->inputs.items[call->first_input + i];
        good = call->act == SW_FIT_SLICE ? add_slice(uses, input, call->output, number)
                                         : add_use(uses, input, number, number);
    }
    /* What a copy onto itself leaves alone is used by the reading alone. */
    return good &&
           (call->output == SW_NONE || sw_fit_in_place(program, call) || add_use(uses, call->output, number, number));
}

/* A tensor that lives longer than its operators say keeps that: inputs from the start, results to the end. One of which
 * the model has pieces keeps these. */
static bool add_given(struct value_uses *uses) {
    const struct sw_problem *problem = uses->program->problem;
    bool good = true;
    for (uint32_t b = 0; good && b < sw_problem_buffer_count(problem); b++) {
        const struct sw_buffer *buffer = sw_problem_buffer(problem, b);
        const struct sw_fit_value *value = &uses->program->values.items[b];
        uint32_t producer = sw_problem_producer(problem, b),
                 last = buffer->access_count ? buffer->accesses[buffer->access_count - 1] : 0;
        uses->computed[b] = producer == SW_NONE || value->made_by != SW_NONE;
        if (!buffer->planned || buffer->size == 0 || !uses->computed[b]) {
            continue;
        }
        for (uint32_t i = 0; good && has_live_pieces(buffer) && i < buffer->piece_count; i++) {
            const struct sw_piece *piece = &buffer->pieces[i];
            good = add_part_use(uses, b, piece->lo, piece->hi - piece->lo, uses->begin[piece->first],
                                uses->end[piece->last]);
        }
        if (has_live_pieces(buffer)) {
            continue;
        }
        bool early = producer == SW_NONE || buffer->first < producer,
             late = buffer->output || buffer->access_count == 0 || buffer->last > last;
        uint32_t first = uses->begin[buffer->first], end = uses->end[buffer->last];
        good = (!early || add_use(uses, b, first, first)) && (!late || add_use(uses, b, end, end));
    }
    return good;
}

static bool find_uses(struct value_uses *uses) {
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

/* Where parts of a value begin and end. */
typedef SW_ARRAY(uint64_t) touched_places;

/* The bytes of one value: between two places all of them are needed from the same call to the same call. */
static bool add_lives(const struct value_uses *uses, uint32_t root, touched_places *places,
                      struct sw_fit_lives *lives) {
    const struct value_use *only = uses->latest[root] == SW_NONE ? NULL : &uses->items.items[uses->latest[root]];
    bool good = true;
    if (only && only->before == SW_NONE) {
        return SW_PUSH(lives,
                       (struct sw_fit_life){
                           .root = root, .lo = only->lo, .hi = only->hi, .first = only->first, .last = only->last});
    }
    places->count = 0;
    for (uint32_t u = uses->latest[root]; good && u != SW_NONE; u = uses->items.items[u].before) {
        good = SW_PUSH(places, uses->items.items[u].lo) && SW_PUSH(places, uses->items.items[u].hi);
    }
    places->count = sw_sort_unique(places->items, places->count, sizeof *places->items, sw_compare_u64);
    for (size_t p = 0; good && p + 1 < places->count; p++) {
        struct sw_fit_life life = {
            .root = root, .lo = places->items[p], .hi = places->items[p + 1], .first = UINT32_MAX};
        for (uint32_t u = uses->latest[root]; u != SW_NONE; u = uses->items.items[u].before) {
            const struct value_use *use = &uses->items.items[u];
            if (use->lo <= life.lo && use->hi >= life.hi) {
                life.first = SW_MIN(life.first, use->first);
                life.last = SW_MAX(life.last, use->last);
            }
        }
        struct sw_fit_life *before = lives->count > 0 ? &lives->items[lives->count - 1] : NULL;
        if (life.first == UINT32_MAX) {
            continue; /* none of these bytes is used */
        }
        if (before && before->root == root && before->hi == life.lo && before->first == life.first &&
            before->last == life.last) {
            before->hi = life.hi;
        } else {
            good = SW_PUSH(lives, life);
        }
    }
    return good;
}

bool sw_fit_lives(const struct sw_fit_program *program, struct sw_fit_lives *lives) {
    uint32_t operators = sw_problem_operator_count(program->problem),
             buffers = sw_problem_buffer_count(program->problem);
    uint32_t values = (uint32_t)program->values.count;
    struct sw_arena arena = {0};
    struct value_uses uses = {.program = program,
                              .begin = SW_NEW_IN(&arena, uint32_t, operators),
                              .end = SW_NEW_IN(&arena, uint32_t, operators),
                              .computed = SW_NEW_IN(&arena, bool, buffers),
                              .latest = SW_NEW_IN(&arena, uint32_t, values)};
    touched_places places = {0};
    bool good = uses.begin && uses.end && uses.computed && uses.latest;
    for (uint32_t v = 0; good && v < values; v++) {
        uses.latest[v] = SW_NONE;
    }
    good = good && find_uses(&uses);
    for (uint32_t v = 0; good && v < values; v++) {
        good = add_lives(&uses, v, &places, lives);
    }
    SW_ARRAY_DONE(&uses.items, &places);
    sw_arena_done(&arena);
    return good;
}

bool sw_fit_count_live(const struct sw_fit_program *program, struct sw_fit_lives *lives, uint64_t **live) {
    size_t count = program->calls.count + 1;
    uint64_t *sums = SW_NEW_ZERO(uint64_t, count); /* differences at first, which wrap */
    lives->count = 0;
    if (!sums || !sw_fit_lives(program, lives)) {
        SW_FREE(sums, count);
        return false;
    }
    for (size_t i = 0; i < lives->count; i++) {
        const struct sw_fit_life *life = &lives->items[i];
        sums[life->first] += life->hi - life->lo;
        sums[life->last + 1] -= life->hi - life->lo;
    }
    for (size_t i = 1; i < count; i++) {
        sums[i] += sums[i - 1];
    }
    *live = sums;
    return true;
}
