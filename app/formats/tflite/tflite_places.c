/* Which tensors lie in the bytes of others: copies onto themselves.
 *
 * Slices of rows, concatenations, padding behind the rows, updates of some rows, and the arguments that a loop hands to
 * its subgraphs and back. What shares bytes must have the same value there as long as it is read: a slice or a part of
 * a concatenation never changes, but an update, or padding, does change bytes of the tensor that it is made of. Each
 * such change is looked at in the end. It is not made in place where a tensor that had the same bytes before it is read
 * after it. */
#include "formats/tflite/tflite_lives.h"
#include "base/base.h"

enum { MOST_AXES = 8, INT32 = 2, INT64 = 4 };
enum {
    MOST_PARTS_WITHIN = 4096,
    MOST_COPIED = 400,
    MOST_CHANGES = 256
}; /* no run needs so many, and pieces take time */

/* ---- copies of rows ---- */

/* The bytes [lo, hi) of a tensor change at a step, in the bytes of others that were there before. */
struct byte_change {
    uint32_t tensor;
    uint64_t lo, hi;
    uint32_t step;        /* when they change, at the earliest */
    uint32_t operand;     /* what is changed: nothing else reads it; SW_NONE */
    uint32_t part;        /* the new bytes, where they lie in their place already: they are made before; SW_NONE */
    uint32_t released[3]; /* what lies within others only if it is right; SW_NONE */
    uint32_t op;          /* an update; SW_NONE */
};
/* What is known of a tensor. */
struct tensor_facts {
    uint32_t writers;    /* how many operators write it; 2 or more: it is not the same all the time */
    uint32_t given;      /* how often it is an argument of its subgraph, when that is not the first */
    uint32_t readers;    /* how often it is read */
    uint32_t made, read; /* the step that makes it, and the last that reads it, or copies it from round to round */
    uint32_t group;      /* the loop's result that it becomes from round to round; SW_NONE */
    uint32_t outer;      /* the one within which it lies; SW_NONE */
    uint32_t way;        /* the same, or one further out: for find_roots() */
    uint32_t mark;       /* the finder's `mark`: it lies within the tensor that is looked at; `mark` - 1: it does not */
    bool there;          /* it is written, as far as find_rereads() has come */
};
struct place_finder {
    struct tflite_model *model;
    const int64_t *offsets;
    struct tflite_places *places;
    struct tensor_facts *facts; /* of each tensor */
    uint32_t *step_of;          /* of each operator that runs at one place: its step */
    uint32_t *runs, *ends;      /* of each subgraph: at how many places it runs, and its last step */
    SW_ARRAY(uint32_t) shared;  /* the tensors that lie within another one, or have another one within them */
    uint32_t mark;              /* of the tensor that is looked at: even, and larger each time */
    SW_ARRAY(struct byte_change) changes;
    struct tflite_life *lives;
};

static uint32_t tensor_number(const struct place_finder *finder, const struct tflite_tensor *tensor) {
    return (uint32_t)(tensor - finder->model->tensors.items);
}

static struct tensor_facts *facts_of(const struct place_finder *finder, const struct tflite_tensor *tensor) {
    return &finder->facts[tensor_number(finder, tensor)];
}

/* A planned tensor that one operator writes, or none: the same bytes from then on, in each run of its subgraph. */
static bool is_steady_tensor(const struct place_finder *finder, const struct tflite_tensor *tensor) {
    return tensor && finder->runs[tensor->subgraph] == 1 && tensor->state == TFLITE_PLANNED && !tensor->kept &&
           !tensor->idle && tensor->bits % 8 == 0 && tensor->shape.count <= MOST_AXES &&
           facts_of(finder, tensor)->writers + facts_of(finder, tensor)->given + tensor->input <= 1;
}

/* The same, and something makes it. */
static bool is_made(const struct place_finder *finder, const struct tflite_tensor *tensor) {
    return is_steady_tensor(finder, tensor) && facts_of(finder, tensor)->writers + facts_of(finder, tensor)->given == 1;
}

static const struct tflite_tensor *operand_of(const struct place_finder *finder, const struct tflite_operator *op,
                                              uint32_t i) {
    return tflite_listed(finder->model, op->subgraph, op->inputs, i);
}

static const struct tflite_tensor *output_of(const struct place_finder *finder, const struct tflite_operator *op) {
    return tflite_listed(finder->model, op->subgraph, op->outputs, 0);
}

static bool found_damage(const struct place_finder *finder) {
    return finder->model->error->code != SW_OK;
}

/* The numbers of a constant, one for each axis. False: it is none, or the file is damaged. */
static bool read_numbers(const struct place_finder *finder, const struct tflite_tensor *tensor, uint32_t count,
                         int64_t *numbers) {
    struct sw_flat_list data;
    if (!tensor || tensor->state != TFLITE_CONSTANT || (tensor->type != INT32 && tensor->type != INT64) ||
        tensor->elements != count || !tflite_data(finder->model, tensor->buffer, &data) ||
        data.count != (size_t)count * tensor->bits / 8) {
        return false;
    }
    data.width = tensor->bits / 8;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t number = sw_flat_item(&data, i);
        numbers[i] = data.width == 4 ? (int32_t)number : (int64_t)number;
    }
    return true;
}

static bool same_axes(const struct tflite_model *model, const struct tflite_tensor *a, const struct tflite_tensor *b,
                      uint32_t but) {
    for (uint32_t i = 0; i < a->shape.count && a->shape.count == b->shape.count; i++) {
        if (i != but && tflite_item(model, a->shape, i) != tflite_item(model, b->shape, i)) {
            return false;
        }
    }
    return a->shape.count == b->shape.count && a->type == b->type;
}

/* Is the block of a tensor that begins there, as large as another one, one piece of its bytes? Where in them. */
static bool find_rows_piece(const struct place_finder *finder, const struct tflite_tensor *whole,
                            const struct tflite_tensor *part, const int64_t *begin, uint64_t *at) {
    const struct tflite_model *model = finder->model;
    uint64_t stride = whole->size;
    bool several = false;
    *at = 0;
    for (uint32_t i = 0; i < whole->shape.count; i++) {
        int32_t length = tflite_item(model, whole->shape, i), made = tflite_item(model, part->shape, i);
        if (begin[i] < 0 || begin[i] > length || made > length - begin[i] || (several && made != length)) {
            return false;
        }
        several |= made > 1;
        stride /= (uint64_t)length;
        *at += (uint64_t)begin[i] * stride;
    }
    return true;
}

/* Are the bytes of a slice one behind the other in its argument? Where they begin. */
static bool find_slice(const struct place_finder *finder, const struct tflite_operator *op, uint64_t *at) {
    const struct tflite_model *model = finder->model;
    const struct tflite_tensor *from = operand_of(finder, op, 0), *to = output_of(finder, op);
    int64_t begin[MOST_AXES], size[MOST_AXES];
    if (op->code != TFLITE_OP_slice || op->custom.length > 0 || op->inputs.count != 3 || op->outputs.count != 1 ||
        !is_steady_tensor(finder, from) || !is_steady_tensor(finder, to) || from == to || from->type != to->type ||
        from->shape.count != to->shape.count ||
        !read_numbers(finder, operand_of(finder, op, 1), from->shape.count, begin) ||
        !read_numbers(finder, operand_of(finder, op, 2), from->shape.count, size)) {
        return false;
    }
    for (uint32_t i = 0; i < from->shape.count; i++) {
        int32_t length = tflite_item(model, from->shape, i), made = tflite_item(model, to->shape, i);
        if (size[i] != made && (size[i] != -1 || begin[i] < 0 || begin[i] > length || made != length - begin[i])) {
            return false;
        }
    }
    return find_rows_piece(finder, from, to, begin, at);
}

/* Have both the same scale and zero point, so that no number changes? */
static bool same_quantization(const struct place_finder *finder, const struct tflite_tensor *a,
                              const struct tflite_tensor *b) {
    struct sw_flat_list lists[2][2];
    if (!tflite_quantization(finder->model, a, &lists[0][0], &lists[0][1]) ||
        !tflite_quantization(finder->model, b, &lists[1][0], &lists[1][1])) {
        return false;
    }
    for (int k = 0; k < 2; k++) {
        const struct sw_flat_list *x = &lists[0][k], *y = &lists[1][k];
        if (x->count != y->count ||
            (x->count > 0 && memcmp(finder->model->input->bytes + x->at, finder->model->input->bytes + y->at,
                                    x->count * x->width) != 0)) {
            return false;
        }
    }
    return true;
}

/* Does it put whole blocks of bytes one behind the other, as they are? */
static bool is_join(const struct place_finder *finder, const struct tflite_operator *op) {
    const struct tflite_model *model = finder->model;
    const struct tflite_tensor *to = output_of(finder, op);
    struct sw_flat options;
    uint64_t axis = 0, activation = 0, sum = 0;
    if (op->code != TFLITE_OP_concatenation || op->custom.length > 0 || op->outputs.count != 1 ||
        !is_steady_tensor(finder, to) || !tflite_options(model, op, &options) ||
        !sw_flat_number(&options, 0, 4, &axis) || !sw_flat_number(&options, 1, 1, &activation)) {
        return false;
    }
    int64_t along = (int32_t)axis < 0 ? (int32_t)axis + (int64_t)to->shape.count : (int32_t)axis;
    if (activation != 0 || along < 0 || along >= to->shape.count) {
        return false;
    }
    for (uint32_t i = 0; i < (uint32_t)along; i++) {
        if (tflite_item(model, to->shape, i) != 1) {
            return false;
        }
    }
    for (uint32_t i = 0; i < op->inputs.count; i++) {
        const struct tflite_tensor *part = operand_of(finder, op, i);
        if (!part || part == to || !same_axes(model, part, to, (uint32_t)along) ||
            !same_quantization(finder, part, to) || part->size > to->size - sum) {
            return false;
        }
        sum += part->size;
    }
    return sum == to->size;
}

/* Put `inner` within `outer`, where offsets have it at `at` in it. An input or a result of the model keeps bytes of its
 * own. */
static bool place_within(struct place_finder *finder, const struct tflite_tensor *inner,
                         const struct tflite_tensor *outer, uint64_t at) {
    const int64_t *offsets = finder->offsets;
    uint32_t in = tensor_number(finder, inner), out = tensor_number(finder, outer);
    if (inner->input || inner->output || offsets[in] < 0 || offsets[out] < 0 ||
        (uint64_t)offsets[in] != (uint64_t)offsets[out] + at) {
        return false;
    }
    if (finder->facts[in].outer != SW_NONE || finder->places->part_count == MOST_PARTS_WITHIN) {
        return false;
    }
    for (uint32_t i = out; i != SW_NONE; i = finder->facts[i].outer) {
        if (i == in) {
            return false; /* it lies within this one already */
        }
    }
    finder->facts[in].outer = out;
    finder->places->part_count++;
    return true;
}

static bool place_join(struct place_finder *finder, const struct tflite_operator *op) {
    const struct tflite_tensor *to = output_of(finder, op);
    uint64_t at = 0;
    bool still = true;
    for (uint32_t i = 0; i < op->inputs.count; i++) {
        const struct tflite_tensor *part = operand_of(finder, op, i);
        still &= is_made(finder, part) && place_within(finder, part, to, at);
        at += part->size;
    }
    return still;
}

/* ---- what changes bytes in their place ---- */

static bool note_change(struct place_finder *finder, struct byte_change change) {
    return SW_PUSH(&finder->changes, change) || tflite_fail_memory(finder->model);
}

/* The same for what is neither a slice nor a part of a concatenation. */
static bool place_other(struct place_finder *finder, const struct tflite_tensor *inner,
                        const struct tflite_tensor *outer, uint64_t at) {
    bool placed = place_within(finder, inner, outer, at);
    finder->places->others |= placed;
    return placed;
}

static bool may_note_change(const struct place_finder *finder) {
    return finder->changes.count < MOST_CHANGES;
}

/* Rows of padding behind those that are there: these stay where they are. */
static bool find_padding(struct place_finder *finder, uint32_t number) {
    const struct tflite_model *model = finder->model;
    const struct tflite_operator *op = &model->operators.items[number];
    const struct tflite_tensor *from = operand_of(finder, op, 0), *to = output_of(finder, op);
    int64_t amounts[2 * MOST_AXES];
    bool behind = true, one = true;
    if (op->custom.length > 0 || op->inputs.count < 2 || op->outputs.count != 1 || !is_made(finder, from) ||
        !is_steady_tensor(finder, to) || from == to || from->shape.count != to->shape.count || from->type != to->type ||
        !may_note_change(finder) || !read_numbers(finder, operand_of(finder, op, 1), 2 * from->shape.count, amounts)) {
        return true;
    }
    for (uint32_t i = 0; behind && i < from->shape.count; i++) {
        int64_t length = tflite_item(model, to->shape, i), more = length - tflite_item(model, from->shape, i);
        behind = amounts[2 * i] == 0 && amounts[2 * i + 1] == more && more >= 0 && (more == 0 || one);
        one &= length == 1;
    }
    if (!behind || from->size >= to->size || !same_quantization(finder, from, to) ||
        !place_other(finder, from, to, 0)) {
        return true;
    }
    return note_change(finder, (struct byte_change){.tensor = tensor_number(finder, to),
                                                    .lo = from->size,
                                                    .hi = to->size,
                                                    .step = finder->step_of[number],
                                                    .operand = SW_NONE,
                                                    .part = SW_NONE,
                                                    .released = {tensor_number(finder, from), SW_NONE, SW_NONE},
                                                    .op = SW_NONE});
}

/* Some rows of a tensor are written over; all others, and the new ones where they lie there already, stay where they
 * are. */
static bool find_update(struct place_finder *finder, uint32_t number) {
    const struct tflite_operator *op = &finder->model->operators.items[number];
    const struct tflite_tensor *from = operand_of(finder, op, 0), *part = operand_of(finder, op, 1),
                               *to = output_of(finder, op);
    int64_t begin[MOST_AXES];
    uint64_t at = 0;
    if (op->custom.length > 0 || op->inputs.count != 3 || op->outputs.count != 1 || !is_made(finder, from) ||
        !is_made(finder, to) || from == to || !part || part == from || part == to || part->type != to->type ||
        part->shape.count != to->shape.count || from->size != to->size || facts_of(finder, from)->readers != 1 ||
        !may_note_change(finder) || !place_other(finder, from, to, 0)) {
        return true;
    }
    bool known = read_numbers(finder, operand_of(finder, op, 2), to->shape.count, begin) &&
                 find_rows_piece(finder, to, part, begin, &at);
    bool both =
        known && is_made(finder, part) && facts_of(finder, part)->writers == 1 && place_other(finder, part, to, at);
    return !found_damage(finder) &&
           note_change(finder, (struct byte_change){.tensor = tensor_number(finder, to),
                                                    .lo = at,
                                                    .hi = known ? at + part->size : to->size,
                                                    .step = finder->step_of[number],
                                                    .operand = tensor_number(finder, from),
                                                    .part = both ? tensor_number(finder, part) : SW_NONE,
                                                    .released = {tensor_number(finder, from),
                                                                 both ? tensor_number(finder, part) : SW_NONE, SW_NONE},
                                                    .op = number});
}

/* One variable of a loop: it is copied from the argument to the result and to the test, from there to the body's
 * argument, and from the body's result back. */
struct variable {
    const struct tflite_tensor *from, *to, *test, *body, *next;
};

/* Is it made by an update of that one? */
static bool is_update_of(const struct place_finder *finder, uint32_t tensor, const struct tflite_tensor *of) {
    const struct tflite_model *model = finder->model;
    const struct tflite_step *step =
        finder->facts[tensor].made == SW_NONE ? NULL : &model->steps.items[finder->facts[tensor].made];
    return step && step->kind == TFLITE_RUN && model->operators.items[step->operator].code == TFLITE_OP_dynamic_update_slice &&
           operand_of(finder, &model->operators.items[step->operator], 0) == of;
}

/* What no round changes is the same everywhere. What rounds do change is the result from the start: the argument is
 * read no more. */
static bool find_variable(struct place_finder *finder, const struct variable *v, uint32_t end) {
    if (!is_made(finder, v->to) || !is_made(finder, v->test) || !is_made(finder, v->body) ||
        v->to->size != v->test->size || v->to->size != v->body->size ||
        (v->from && (!is_steady_tensor(finder, v->from) || v->from->size != v->to->size))) {
        return true;
    }
    if (v->body == v->next) {
        if (v->from) {
            place_other(finder, v->to, v->from, 0);
            place_other(finder, v->test, v->from, 0);
            place_other(finder, v->body, v->from, 0);
        }
        return true;
    }
    if (!is_made(finder, v->next) || facts_of(finder, v->next)->given > 0 || v->next->size != v->to->size ||
        !may_note_change(finder)) {
        return true;
    }
    uint32_t to = tensor_number(finder, v->to), next = tensor_number(finder, v->next);
    if (finder->facts[to].group != SW_NONE || finder->facts[next].group != SW_NONE ||
        facts_of(finder, v->test)->group != SW_NONE) {
        return true;
    }
    finder->facts[to].group = finder->facts[next].group = facts_of(finder, v->test)->group = to;
    bool before = v->from && is_made(finder, v->from) && facts_of(finder, v->from)->readers == 1 &&
                  place_other(finder, v->from, v->to, 0);
    place_other(finder, v->test, v->to, 0);
    bool there = place_other(finder, v->next, v->to, 0), updated = is_update_of(finder, next, v->body);
    bool kept = !updated && place_other(finder, v->body, v->to, 0); /* what an update is of lies where that says */
    return note_change(finder, (struct byte_change){.tensor = to,
                                                    .hi = v->to->size,
                                                    .step = there ? finder->facts[next].made : end,
                                                    .operand = updated ? tensor_number(finder, v->body) : SW_NONE,
                                                    .part = there ? next : SW_NONE,
                                                    .released = {there ? next : SW_NONE,
                                                                 before ? tensor_number(finder, v->from) : SW_NONE,
                                                                 kept ? tensor_number(finder, v->body) : SW_NONE},
                                                    .op = SW_NONE});
}

static bool find_loop(struct place_finder *finder, uint32_t number) {
    const struct tflite_model *model = finder->model;
    const struct tflite_operator *op = &model->operators.items[number];
    if (op->custom.length > 0 || op->calls[0] < 0 || op->calls[1] < 0 || finder->runs[op->calls[0]] != 1 ||
        finder->runs[op->calls[1]] != 1) {
        return true;
    }
    const struct tflite_subgraph *test = &model->subgraphs.items[op->calls[0]],
                                 *body = &model->subgraphs.items[op->calls[1]];
    uint32_t count = op->inputs.count, end = finder->ends[op->calls[1]];
    if (op->outputs.count != count || test->inputs.count != count || body->inputs.count != count ||
        body->outputs.count != count) {
        return true;
    }
    for (uint32_t i = 0; i < count; i++) {
        struct variable v = {.from = operand_of(finder, op, i),
                             .to = tflite_listed(finder->model, op->subgraph, op->outputs, i),
                             .test = tflite_listed(finder->model, (uint32_t)op->calls[0], test->inputs, i),
                             .body = tflite_listed(finder->model, (uint32_t)op->calls[1], body->inputs, i),
                             .next = tflite_listed(finder->model, (uint32_t)op->calls[1], body->outputs, i)};
        v.from = v.from && v.from->state == TFLITE_PLANNED ? v.from : NULL;
        if (!find_variable(finder, &v, end)) {
            return false;
        }
    }
    return true;
}

static bool find_copy(struct place_finder *finder, uint32_t number) {
    struct tflite_places *places = finder->places;
    const struct tflite_operator *op = &finder->model->operators.items[number];
    uint64_t at;
    if (op->code == TFLITE_OP_pad || op->code == TFLITE_OP_padv2) {
        return find_padding(finder, number);
    }
    if (op->code == TFLITE_OP_dynamic_update_slice) {
        return find_update(finder, number);
    }
    if (op->code == TFLITE_OP_while) {
        return find_loop(finder, number);
    }
    if (find_slice(finder, op, &at)) {
        places->by_rows[number] = true;
        places->still[number] = place_within(finder, output_of(finder, op), operand_of(finder, op, 0), at);
    } else if (is_join(finder, op)) {
        places->still[number] = place_join(finder, op);
    }
    return true;
}

/* What is read before it is written in a subgraph has other bytes later on. */
static void find_rereads(struct place_finder *finder, uint32_t number) {
    struct tflite_model *model = finder->model;
    const struct tflite_subgraph *graph = &model->subgraphs.items[number];
    for (uint32_t i = graph->first_tensor; i < graph->first_tensor + graph->tensor_count; i++) {
        finder->facts[i].there = finder->facts[i].writers == 0;
    }
    for (uint32_t n = graph->first_operator; n < graph->first_operator + graph->operator_count; n++) {
        const struct tflite_operator *op = &model->operators.items[n];
        for (uint32_t i = 0; i < op->inputs.count; i++) {
            const struct tflite_tensor *tensor = operand_of(finder, op, i);
            if (tensor && !facts_of(finder, tensor)->there) {
                facts_of(finder, tensor)->writers = 2;
            }
        }
        for (uint32_t i = 0; i < op->outputs.count; i++) {
            const struct tflite_tensor *tensor = tflite_listed(finder->model, number, op->outputs, i);
            if (tensor) {
                facts_of(finder, tensor)->there = true;
            }
        }
    }
}

/* ---- when tensors are made and read ---- */

/* What becomes of the tensors of a list at a step. */
enum noted { NOTE_READ, NOTE_COPIED, NOTE_MADE };

static void note_list(struct place_finder *finder, uint32_t graph, struct tflite_list list, uint32_t step,
                      enum noted what) {
    for (uint32_t i = 0; i < list.count; i++) {
        const struct tflite_tensor *tensor = tflite_listed(finder->model, graph, list, i);
        if (!tensor) {
            continue;
        }
        struct tensor_facts *facts = facts_of(finder, tensor);
        facts->readers += what == NOTE_READ;
        facts->read = what == NOTE_MADE ? facts->read : step;
        facts->made = what == NOTE_MADE && facts->made == SW_NONE ? step : facts->made;
    }
}

/* A loop reads its arguments when it begins; other operators that call subgraphs may do so until the end. From round to
 * round it copies its results to the test's arguments. */
static void note_steps(struct place_finder *finder) {
    const struct tflite_model *model = finder->model;
    finder->runs[0] = 1;
    for (uint32_t s = 0; s < model->steps.count; s++) {
        const struct tflite_step *step = &model->steps.items[s];
        if (step->operator== SW_NONE) {
            continue;
        }
        const struct tflite_operator *op = &model->operators.items[step->operator];
        const struct tflite_subgraph *graph = &model->subgraphs.items[step->subgraph];
        if (step->kind == TFLITE_RUN) {
            finder->step_of[step->operator] = s;
            note_list(finder, op->subgraph, op->inputs, s, NOTE_READ);
            note_list(finder, op->subgraph, op->outputs, s, NOTE_MADE);
        } else if (step->kind == TFLITE_BEGIN) {
            finder->runs[step->subgraph]++;
            note_list(finder, step->subgraph, graph->inputs, s, NOTE_MADE);
        } else {
            finder->ends[step->subgraph] = s;
            note_list(finder, step->subgraph, graph->outputs, s, NOTE_READ);
            if (op->code != TFLITE_OP_while) {
                note_list(finder, op->subgraph, op->inputs, s, NOTE_READ);
            } else if (step->last && op->calls[0] >= 0) {
                note_list(finder, op->subgraph, op->outputs, s, NOTE_COPIED);
                note_list(finder, (uint32_t)op->calls[0], model->subgraphs.items[op->calls[0]].inputs, s, NOTE_COPIED);
            }
        }
    }
    note_list(finder, 0, model->subgraphs.items[0].outputs, UINT32_MAX, NOTE_READ);
}

static void count_tensor_writers(struct place_finder *finder) {
    const struct tflite_model *model = finder->model;
    for (size_t n = 0; n < model->operators.count; n++) {
        const struct tflite_operator *op = &model->operators.items[n];
        for (uint32_t i = 0; i < op->outputs.count; i++) {
            const struct tflite_tensor *tensor = tflite_listed(finder->model, op->subgraph, op->outputs, i);
            if (tensor) {
                facts_of(finder, tensor)->writers++;
            }
        }
    }
    for (uint32_t g = 1; g < model->subgraphs.count; g++) {
        for (uint32_t i = 0; i < model->subgraphs.items[g].inputs.count; i++) {
            const struct tflite_tensor *tensor = tflite_listed(finder->model, g, model->subgraphs.items[g].inputs, i);
            if (tensor) {
                facts_of(finder, tensor)->given++;
            }
        }
    }
}

/* ---- places ---- */

/* Parts lie within parts; place_within() closes no circle. */
static void find_roots(struct place_finder *finder) {
    struct tensor_facts *facts = finder->facts;
    for (size_t i = 0; i < finder->model->tensors.count; i++) {
        facts[i].way = facts[i].outer;
    }
    for (uint32_t i = 0; i < finder->model->tensors.count; i++) {
        uint32_t root = i, next;
        while (facts[root].way != SW_NONE) {
            root = facts[root].way;
        }
        for (uint32_t at = i; at != root; at = next) { /* the way is shorter the next time */
            next = facts[at].way;
            facts[at].way = root;
        }
        finder->places->parts[i] =
            (struct tflite_part){root, root == i ? 0 : (uint64_t)(finder->offsets[i] - finder->offsets[root])};
    }
}

/* Mark those that lie within that one, and itself. O(shared) */
static void mark_inner(struct place_finder *finder, uint32_t of) {
    struct tensor_facts *facts = finder->facts;
    uint32_t inside = finder->mark += 2, outside = inside - 1;
    if (of != SW_NONE) {
        facts[of].mark = inside;
    }
    for (size_t k = 0; k < finder->shared.count; k++) {
        uint32_t i = finder->shared.items[k], end = i;
        while (facts[end].mark < outside && facts[end].outer != SW_NONE) {
            end = facts[end].outer;
        }
        for (uint32_t mark = facts[end].mark == inside ? inside : outside; i != end; i = facts[i].outer) {
            facts[i].mark = mark;
        }
        facts[end].mark = facts[end].mark == inside ? inside : outside;
    }
}

static bool overlaps(const struct place_finder *finder, const struct byte_change *change, uint32_t tensor) {
    const struct tflite_part *one = &finder->places->parts[change->tensor], *other = &finder->places->parts[tensor];
    return one->root == other->root && other->at < one->at + change->hi &&
           one->at + change->lo < other->at + finder->model->tensors.items[tensor].size;
}

/* The bytes change when the first of what lies within the part is made. Is nothing that was there before read from then
 * on, and does nothing else write there until the part is put in? */
static bool change_holds(struct place_finder *finder, const struct byte_change *change) {
    uint32_t from = change->step, group = finder->facts[change->tensor].group;
    mark_inner(finder, change->part);
    for (size_t k = 0; k < finder->shared.count; k++) {
        uint32_t i = finder->shared.items[k];
        from = finder->facts[i].mark == finder->mark ? SW_MIN(from, finder->facts[i].made) : from;
    }
    for (size_t k = 0; k < finder->shared.count; k++) {
        uint32_t i = finder->shared.items[k], made = finder->facts[i].made;
        bool own = i == change->tensor || finder->facts[i].mark == finder->mark ||
                   (group != SW_NONE && finder->facts[i].group == group);
        bool read = (made == SW_NONE || made < from) && finder->facts[i].read >= from && i != change->operand;
        bool written = made >= from && made < change->step;
        if (!own && (read || written) && overlaps(finder, change, i)) {
            return false;
        }
    }
    return true;
}

static void release_tensor(struct place_finder *finder, uint32_t tensor) {
    if (tensor != SW_NONE && finder->facts[tensor].outer != SW_NONE) {
        finder->facts[tensor].outer = SW_NONE;
        finder->places->part_count--;
    }
}

/* Take changes back until all that are left are right. */
static bool settle_changes(struct place_finder *finder) {
    find_roots(finder);
    bool *marks = sw_arena_new(&finder->model->arena, finder->model->tensors.count + 1, sizeof *marks);
    for (uint32_t i = 0; marks && i < finder->model->tensors.count; i++) {
        if (finder->facts[i].outer != SW_NONE) {
            marks[i] = marks[finder->places->parts[i].root] = true;
        }
    }
    for (uint32_t i = 0; i < finder->model->tensors.count; i++) {
        if (!marks || (marks[i] && !SW_PUSH(&finder->shared, i))) {
            return tflite_fail_memory(finder->model);
        }
    }
    for (bool all = false; !all;) {
        all = true;
        for (size_t i = 0; i < finder->changes.count; i++) {
            struct byte_change *change = &finder->changes.items[i];
            if (!change_holds(finder, change)) {
                for (int k = 0; k < 3; k++) {
                    release_tensor(finder, change->released[k]);
                }
                *change = finder->changes.items[--finder->changes.count];
                find_roots(finder);
                all = false;
                i--; /* the last one is here now */
            }
        }
    }
    for (size_t i = 0; i < finder->changes.count; i++) {
        const struct byte_change *change = &finder->changes.items[i];
        if (change->op != SW_NONE) {
            finder->places->still[change->op] = change->part != SW_NONE;
        }
    }
    return true;
}

static bool push_rectangle(struct place_finder *finder, uint32_t tensor, uint64_t lo, uint64_t hi, int64_t first,
                           int64_t last) {
    const struct tflite_part *part = &finder->places->parts[tensor];
    struct tflite_rectangle rectangle = {part->root, {first, last, part->at + lo, part->at + hi}};
    return SW_PUSH(&finder->places->rectangles, rectangle) || tflite_fail_memory(finder->model);
}

static int by_root(const void *a, const void *b) {
    const struct tflite_rectangle *x = a, *y = b;
    const struct sw_piece_spec *p = &x->piece, *q = &y->piece;
    return x->root != y->root     ? (x->root < y->root ? -1 : 1)
           : p->lo != q->lo       ? (p->lo < q->lo ? -1 : 1)
           : p->first != q->first ? (p->first < q->first ? -1 : 1)
                                  : (p->last > q->last) - (p->last < q->last);
}

/* Tensors of which more is known than from when to when: others lie within them, they lie within others, or rows of
 * them are read. Slices that are copied read whole tensors where there are too many. */
static void mark_known(struct place_finder *finder, bool *known) {
    const struct tflite_model *model = finder->model;
    struct tflite_places *places = finder->places;
    size_t copied = 0;
    for (size_t n = 0; n < model->operators.count; n++) {
        copied += places->by_rows[n] && !places->still[n];
    }
    for (size_t n = 0; n < model->operators.count; n++) {
        places->by_rows[n] = places->by_rows[n] && (places->still[n] || copied <= MOST_COPIED);
        if (places->by_rows[n]) {
            known[tensor_number(finder, operand_of(finder, &model->operators.items[n], 0))] = true;
        }
    }
    for (uint32_t i = 0; i < model->tensors.count; i++) {
        known[i] = known[i] || places->parts[i].root != i;
        known[places->parts[i].root] = known[places->parts[i].root] || known[i];
    }
}

/* The bytes of a tensor are needed from when it is made: all of them up to the last that reads it as a whole, and those
 * of a slice up to that. */
static bool add_rectangles(struct place_finder *finder) {
    struct tflite_model *model = finder->model;
    bool *known = sw_arena_new(&model->arena, model->tensors.count + 1, sizeof *known), good = known != NULL;
    if (!good) {
        return tflite_fail_memory(model);
    }
    mark_known(finder, known);
    tflite_count_lives(model, finder->places->by_rows, finder->lives);
    for (uint32_t i = 0; good && i < model->tensors.count; i++) {
        good = !known[i] || push_rectangle(finder, i, 0, model->tensors.items[i].size, finder->lives[i].first,
                                           finder->lives[i].last);
    }
    for (uint32_t s = 0; good && s < model->steps.count; s++) {
        const struct tflite_step *step = &model->steps.items[s];
        uint64_t at;
        if (step->kind == TFLITE_RUN && finder->places->by_rows[step->operator]) {
            const struct tflite_operator *op = &model->operators.items[step->operator];
            uint32_t from = tensor_number(finder, operand_of(finder, op, 0));
            good = find_slice(finder, op, &at) &&
                   push_rectangle(finder, from, at, at + output_of(finder, op)->size, finder->lives[from].first, s);
        }
    }
    if (good && finder->places->rectangles.count > 0) {
        qsort(finder->places->rectangles.items, finder->places->rectangles.count,
              sizeof *finder->places->rectangles.items, by_root);
    }
    return good;
}

bool tflite_find_places(struct tflite_model *model, const int64_t *offsets, struct tflite_places *places) {
    struct place_finder finder = {.model = model, .offsets = offsets, .places = places};
    size_t tensors = model->tensors.count;
    places->parts = sw_arena_new(&model->arena, tensors + 1, sizeof *places->parts);
    places->by_rows = sw_arena_new(&model->arena, model->operators.count + 1, sizeof *places->by_rows);
    places->still = sw_arena_new(&model->arena, model->operators.count + 1, sizeof *places->still);
    finder.facts = sw_arena_new(&model->arena, tensors + 1, sizeof *finder.facts);
    finder.step_of = sw_arena_new(&model->arena, model->operators.count + 1, sizeof *finder.step_of);
    finder.runs = sw_arena_new(&model->arena, model->subgraphs.count + 1, sizeof *finder.runs);
    finder.ends = sw_arena_new(&model->arena, model->subgraphs.count + 1, sizeof *finder.ends);
    finder.lives = sw_arena_new(&model->arena, tensors + 1, sizeof *finder.lives);
    if (!places->parts || !places->by_rows || !places->still || !finder.facts || !finder.step_of || !finder.runs ||
        !finder.ends || !finder.lives) {
        return tflite_fail_memory(model);
    }
    for (size_t i = 0; i < tensors; i++) {
        finder.facts[i] = (struct tensor_facts){.made = SW_NONE, .group = SW_NONE, .outer = SW_NONE};
    }
    note_steps(&finder);
    count_tensor_writers(&finder);
    bool good = true;
    for (uint32_t g = 0; g < model->subgraphs.count; g++) {
        if (finder.runs[g] == 1) {
            find_rereads(&finder, g);
        }
    }
    for (uint32_t n = 0; good && n < model->operators.count; n++) {
        good =
            finder.runs[model->operators.items[n].subgraph] != 1 || (find_copy(&finder, n) && !found_damage(&finder));
    }
    good = good && settle_changes(&finder) && add_rectangles(&finder);
    SW_ARRAY_DONE(&finder.changes, &finder.shared);
    return good;
}

void tflite_places_done(struct tflite_places *places) {
    SW_ARRAY_DONE(&places->rectangles);
}
