/* The loops of a model in strips: an operator WHILE, and two subgraphs for each, its test and its body.
 *
 * The variables of a loop are its counters, the result with room, the tensors that rounds read from outside, and the
 * rows that one round hands to the next. The test and the body have each variable as an argument. All but the counters
 * lie in the same bytes in all subgraphs, so that handing them over moves nothing. The counters are small, and each
 * copy of them has bytes of its own: four numbers for each place at which a slice or an update begins. The loop ends
 * when the first row that the next round would add is not below the limit. */
#include "formats/tflite/write/tflite_fit_writer.h"
#include "base/base.h"

static const struct sw_fit_call *call_at(const struct tflite_writer *w, uint32_t call) {
    return &w->fit.program->calls.items[call];
}

/* ---- where counters lie ---- */

enum loop_counter { COUNTER_REACHED, COUNTER_IN_TEST, COUNTER_IN_BODY, COUNTER_NEXT, COUNTER_TESTED };

static uint64_t counter_at(const struct sw_fit_call *loop, enum loop_counter counter) {
    return (uint64_t)SW_FIT_COUNTER * loop->begins * counter;
}

static uint64_t flag_at(const struct sw_fit_call *loop) {
    return counter_at(loop, COUNTER_TESTED) + SW_FIT_COUNTER;
}

static uint64_t begin_at(const struct sw_fit_call *loop, uint32_t begin) {
    return flag_at(loop) + SW_FIT_COUNTER * (1 + (uint64_t)begin);
}

/* ---- tensors ---- */

static bool push_entry(struct tflite_writer *w, struct tflite_entries *list, struct tflite_entry entry) {
    return SW_PUSH(list, entry) || sw_fail_memory(w->fit.error);
}

static bool add_once(struct tflite_writer *w, struct tflite_entries *list, enum tflite_entry_kind kind,
                     uint32_t which) {
    for (size_t i = 0; i < list->count; i++) {
        if (list->items[i].kind == kind && list->items[i].which == which) {
            return true;
        }
    }
    return push_entry(w, list, (struct tflite_entry){.kind = kind, .which = which});
}

static bool add_counter(struct tflite_writer *w, struct tflite_entries *list, const struct sw_fit_call *loop,
                        uint64_t at, uint32_t count, const char *name) {
    return push_entry(w, list,
                      (struct tflite_entry){
                          .kind = TFLITE_ENTRY_COUNTER, .which = loop->output, .at = at, .count = count, .name = name});
}

/* The counters, then the other variables. */
static bool add_variables(struct tflite_writer *w, struct tflite_entries *list, const struct sw_fit_call *loop,
                          enum loop_counter counter) {
    bool good = add_counter(w, list, loop, counter_at(loop, counter), 4 * loop->begins, "begin");
    for (uint32_t i = 0; good && i < loop->input_count; i++) {
        good = push_entry(
            w, list, (struct tflite_entry){.kind = TFLITE_ENTRY_HANDED, .which = tflite_fit_input(&w->fit, loop, i)});
    }
    return good;
}

/* The constants of an operator on strips: its arguments that no plan places, without amounts of padding. */
static bool add_old_constants(struct tflite_writer *w, struct tflite_entries *list, uint32_t call) {
    const struct tflite_model *model = &w->fit.model;
    const struct tflite_operator *op = &model->operators.items[w->fit.operator_of[call_at(w, call)->op]];
    bool good = true;
    for (uint32_t i = 0; good && i < op->inputs.count; i++) {
        int32_t tensor = tflite_item(model, op->inputs, i);
        bool amounts = i == 1 && w->operands[call][0] != SW_NONE;
        if (tensor >= 0 && model->tensors.items[tensor].state != TFLITE_PLANNED && !amounts) {
            good = add_once(w, list, TFLITE_ENTRY_OLD, (uint32_t)tensor);
        }
    }
    return good;
}

static bool fill_test(struct tflite_writer *w, struct tflite_loop *loop) {
    const struct sw_fit_call *call = call_at(w, loop->call);
    return add_variables(w, &loop->test, call, COUNTER_IN_TEST) &&
           add_once(w, &loop->test, TFLITE_ENTRY_CONSTANT, loop->tested_at) &&
           add_once(w, &loop->test, TFLITE_ENTRY_CONSTANT, loop->one) &&
           add_once(w, &loop->test, TFLITE_ENTRY_CONSTANT, loop->limit) &&
           add_counter(w, &loop->test, call, counter_at(call, COUNTER_TESTED), 1, "row") &&
           push_entry(w, &loop->test,
                      (struct tflite_entry){
                          .kind = TFLITE_ENTRY_FLAG, .which = call->output, .at = flag_at(call), .name = "goes on"});
}

static bool fill_body(struct tflite_writer *w, struct tflite_loop *loop) {
    const struct sw_fit_call *call = call_at(w, loop->call);
    struct tflite_entries *body = &loop->body;
    bool good = add_variables(w, body, call, COUNTER_IN_BODY);
    for (uint32_t b = 0; good && call->begins > 1 && b < call->begins; b++) {
        good = add_once(w, body, TFLITE_ENTRY_CONSTANT, loop->parts[b]) &&
               add_once(w, body, TFLITE_ENTRY_CONSTANT, loop->each) &&
               add_counter(w, body, call, begin_at(call, b), 4, "one begin");
    }
    for (uint32_t c = loop->call + 1; good && c < loop->next; c++) {
        good = call_at(w, c)->act != SW_FIT_RUN || add_old_constants(w, body, c);
        for (int i = 0; good && i < PATCH_OPERANDS; i++) {
            good = w->operands[c][i] == SW_NONE || add_once(w, body, TFLITE_ENTRY_CONSTANT, w->operands[c][i]);
        }
        good = good && add_once(w, body, TFLITE_ENTRY_VALUE, call_at(w, c)->output);
    }
    return good && add_once(w, body, TFLITE_ENTRY_CONSTANT, loop->steps) &&
           add_counter(w, body, call, counter_at(call, COUNTER_NEXT), 4 * call->begins, "next");
}

/* The loop's constants: the first begins, the steps from round to round, and the limit. */
static bool find_constants(struct tflite_writer *w, struct tflite_loop *loop) {
    const struct sw_fit_program *program = w->fit.program;
    const struct sw_fit_call *call = call_at(w, loop->call);
    int32_t first[PATCH_NUMBERS] = {0}, steps[PATCH_NUMBERS] = {0};
    int32_t limit = 0, tested = 0;
    const int32_t one = 1, each = 4;
    for (uint32_t c = loop->call + 1; c < loop->next; c++) {
        const struct sw_fit_call *own = call_at(w, c);
        if (own->step == 0) {
            continue;
        }
        int64_t begin = sw_fit_begins_at(program, own);
        first[4 * own->begin + 1] = (int32_t)begin;
        steps[4 * own->begin + 1] = (int32_t)own->step;
        if (own->act == SW_FIT_UPDATE) {
            limit = (int32_t)(begin + call->rounds * own->step);
            tested = (int32_t)(4 * own->begin + 1);
        }
    }
    bool good = tflite_fit_constant(w, first, 4 * call->begins, false, &loop->first) &&
                tflite_fit_constant(w, steps, 4 * call->begins, false, &loop->steps) &&
                tflite_fit_constant(w, &limit, 1, false, &loop->limit) &&
                tflite_fit_constant(w, &tested, 1, false, &loop->tested_at) &&
                tflite_fit_constant(w, &one, 1, false, &loop->one) &&
                tflite_fit_constant(w, &each, 1, false, &loop->each);
    for (uint32_t b = 0; good && b < call->begins; b++) {
        const int32_t part = (int32_t)(4 * b);
        good = tflite_fit_constant(w, &part, 1, false, &loop->parts[b]);
    }
    if (good) {
        w->constants.items[loop->first].used = true;
    }
    return good;
}

static bool add_handed(struct tflite_writer *w, struct tflite_entry entry, uint32_t *number) {
    entry.number = *number = tflite_fit_number(w);
    return entry.name ? push_entry(w, &w->handed, entry) : sw_fail_memory(w->fit.error);
}

/* The tensors of the first subgraph that the loop makes of its variables. */
static bool number_left(struct tflite_writer *w, struct tflite_loop *loop) {
    const struct sw_fit_call *call = call_at(w, loop->call), *next = call_at(w, loop->next);
    struct tflite_entry counters = {.kind = TFLITE_ENTRY_COUNTER,
                                    .which = call->output,
                                    .count = 4 * call->begins,
                                    .name = tflite_fit_name(w, call->output)};
    bool good = add_handed(w, counters, &loop->reached);
    loop->left = sw_arena_new(&w->fit.model.arena, call->input_count, sizeof *loop->left);
    if (!loop->left) {
        return sw_fail_memory(w->fit.error);
    }
    for (uint32_t i = 0; good && i < call->input_count; i++) {
        uint32_t value = tflite_fit_input(&w->fit, call, i), left = tflite_fit_input(&w->fit, next, i);
        if (value == left) {
            good = add_handed(
                w,
                (struct tflite_entry){.kind = TFLITE_ENTRY_HANDED, .which = value, .name = tflite_fit_name(w, value)},
                &loop->left[i]);
        } else {
            loop->left[i] = w->number[left] = tflite_fit_number(w);
        }
    }
    return good;
}

bool tflite_loops_find(struct tflite_writer *w) {
    const struct sw_fit_program *program = w->fit.program;
    for (uint32_t c = 0; c < program->calls.count; c++) {
        if (program->calls.items[c].act != SW_FIT_LOOP) {
            continue;
        }
        if (!SW_PUSH(&w->loops, (struct tflite_loop){.call = c, .next = c + 1})) {
            return sw_fail_memory(w->fit.error);
        }
        struct tflite_loop *loop = &w->loops.items[w->loops.count - 1];
        while (program->calls.items[loop->next].act != SW_FIT_NEXT) {
            loop->next++;
        }
        if (!find_constants(w, loop) || !fill_test(w, loop) || !fill_body(w, loop) || !number_left(w, loop)) {
            return false;
        }
    }
    return true;
}

void tflite_loops_done(struct tflite_writer *w) {
    for (size_t i = 0; i < w->loops.count; i++) {
        SW_ARRAY_DONE(&w->loops.items[i].test, &w->loops.items[i].body);
    }
    SW_ARRAY_DONE(&w->loops, &w->handed);
}

size_t tflite_loops_tensors(const struct tflite_writer *w) {
    size_t count = 0;
    for (size_t i = 0; i < w->loops.count; i++) {
        count += w->loops.items[i].test.count + w->loops.items[i].body.count;
    }
    return count;
}

/* ---- numbers ---- */

static uint32_t find_entry(const struct tflite_entries *list, enum tflite_entry_kind kind, uint32_t which,
                           uint64_t at) {
    uint32_t i = 0;
    while (i < list->count &&
           (list->items[i].kind != kind || list->items[i].which != which || list->items[i].at != at)) {
        i++;
    }
    return i;
}

/* The number in the body of a value: of a variable, or of the result of a call. */
uint32_t tflite_body_value(const struct tflite_writer *w, uint32_t value) {
    const struct tflite_entries *body = &w->body->body;
    uint32_t variable = find_entry(body, TFLITE_ENTRY_HANDED, value, 0);
    return variable < body->count ? variable : find_entry(body, TFLITE_ENTRY_VALUE, value, 0);
}

uint32_t tflite_body_entry(const struct tflite_writer *w, enum tflite_entry_kind kind, uint32_t which) {
    return find_entry(&w->body->body, kind, which, 0);
}

static uint32_t counter_number(const struct tflite_entries *list, const struct sw_fit_call *loop, uint64_t at) {
    return find_entry(list, TFLITE_ENTRY_COUNTER, loop->output, at);
}

uint32_t tflite_body_begin(const struct tflite_writer *w, uint32_t begin) {
    const struct sw_fit_call *loop = call_at(w, w->body->call);
    return loop->begins == 1 ? 0 : counter_number(&w->body->body, loop, begin_at(loop, begin));
}

/* ---- writing ---- */

bool tflite_fit_entry(struct tflite_writer *w, size_t at, const struct tflite_entry *entry) {
    const int32_t shape[] = {entry->kind == TFLITE_ENTRY_FLAG ? 1 : (int32_t)entry->count};
    switch (entry->kind) {
    case TFLITE_ENTRY_OLD:
        return tflite_front_link(&w->front, at, w->fit.model.tensors.items[entry->which].at);
    case TFLITE_ENTRY_CONSTANT:
        return tflite_fit_constant_tensor(w, at, entry->which);
    case TFLITE_ENTRY_VALUE:
    case TFLITE_ENTRY_HANDED:
        return tflite_fit_value(w, at, entry->which, tflite_fit_name(w, entry->which));
    case TFLITE_ENTRY_COUNTER:
        return tflite_fit_tensor(w, at, shape, 1, TFLITE_INT32, 0, entry->name, NULL);
    case TFLITE_ENTRY_FLAG:
        return tflite_fit_tensor(w, at, shape, 1, TFLITE_BOOL, 0, entry->name, NULL);
    }
    return true;
}

bool tflite_entry_offset(struct tflite_writer *w, const struct tflite_entry *entry, int32_t *offset) {
    uint64_t at = 0;
    *offset = -1;
    if (entry->kind == TFLITE_ENTRY_OLD || entry->kind == TFLITE_ENTRY_CONSTANT) {
        return true;
    }
    if (!tflite_fit_offset(w, entry->which, &at)) {
        return false;
    }
    *offset = (int32_t)(at + entry->at);
    return true;
}

bool tflite_loops_offsets(struct tflite_writer *w, int32_t *offsets) {
    bool good = true;
    for (size_t i = 0; good && i < w->loops.count; i++) {
        const struct tflite_entries *graphs[] = {&w->loops.items[i].test, &w->loops.items[i].body};
        for (size_t k = 0; k < 2; k++) {
            for (size_t e = 0; good && e < graphs[k]->count; e++) {
                good = tflite_entry_offset(w, &graphs[k]->items[e], offsets++);
            }
        }
    }
    return good;
}

bool tflite_loop_operator(struct tflite_writer *w, size_t at, uint32_t number) {
    const struct tflite_loop *loop = w->loops.items;
    while (loop->call != number) {
        loop++;
    }
    const struct sw_fit_call *call = call_at(w, number);
    uint32_t count = call->input_count + 1;
    size_t test = w->fit.model.subgraphs.count + 2 * (size_t)(loop - w->loops.items);
    int32_t *both = sw_arena_new(&w->fit.model.arena, 2 * (size_t)count, sizeof *both);
    if (!both) {
        return sw_fail_memory(w->fit.error);
    }
    both[0] = (int32_t)w->constants.items[loop->first].number;
    both[count] = (int32_t)loop->reached;
    for (uint32_t i = 1; i < count; i++) {
        both[i] = (int32_t)w->number[tflite_fit_input(&w->fit, call, i - 1)];
        both[count + i] = (int32_t)loop->left[i - 1];
    }
    return tflite_fit_operator(w, at,
                               &(struct tflite_new_operator){.code = TFLITE_OP_while,
                                                             .options = OPTIONS_WHILE,
                                                             .inputs = both,
                                                             .outputs = both + count,
                                                             .input_count = count,
                                                             .output_count = count,
                                                             .numbers = {test, test + 1},
                                                             .number_count = 2});
}

static bool put_operator(struct tflite_writer *w, size_t *at, uint32_t code, uint32_t options, const int32_t *inputs,
                         uint32_t count, uint32_t output) {
    const int32_t result = (int32_t)output;
    size_t place = *at;
    *at += 4;
    return tflite_fit_operator(w, place,
                               &(struct tflite_new_operator){.code = code,
                                                             .options = options,
                                                             .inputs = inputs,
                                                             .input_count = count,
                                                             .outputs = &result,
                                                             .output_count = 1});
}

static uint32_t constant_number(const struct tflite_entries *list, uint32_t constant) {
    return find_entry(list, TFLITE_ENTRY_CONSTANT, constant, 0);
}

/* The test: is the first row that the next round would add below the limit? */
static bool put_test(struct tflite_writer *w, const struct tflite_loop *loop, size_t reference) {
    const struct sw_fit_call *call = call_at(w, loop->call);
    const struct tflite_entries *test = &loop->test;
    size_t at = tflite_references(w->front.sink, reference, 2);
    uint32_t row = counter_number(test, call, counter_at(call, COUNTER_TESTED));
    const int32_t slice[] = {0, (int32_t)constant_number(test, loop->tested_at),
                             (int32_t)constant_number(test, loop->one)};
    const int32_t less[] = {(int32_t)row, (int32_t)constant_number(test, loop->limit)};
    return put_operator(w, &at, TFLITE_OP_slice, OPTIONS_SLICE, slice, 3, row) &&
           put_operator(w, &at, TFLITE_OP_less, OPTIONS_LESS, less, 2,
                        find_entry(test, TFLITE_ENTRY_FLAG, call->output, flag_at(call)));
}

/* The body: the places at which its slices and updates begin, the calls of a round, and the counters for the next one.
 */
static bool put_body(struct tflite_writer *w, const struct tflite_loop *loop, size_t reference) {
    const struct sw_fit_call *call = call_at(w, loop->call);
    const struct tflite_entries *body = &loop->body;
    uint32_t begins = call->begins > 1 ? call->begins : 0;
    size_t at = tflite_references(w->front.sink, reference, begins + (loop->next - loop->call));
    bool good = true;
    w->body = loop;
    for (uint32_t b = 0; good && b < begins; b++) {
        const int32_t slice[] = {0, (int32_t)constant_number(body, loop->parts[b]),
                                 (int32_t)constant_number(body, loop->each)};
        good = put_operator(w, &at, TFLITE_OP_slice, OPTIONS_SLICE, slice, 3, tflite_body_begin(w, b));
    }
    for (uint32_t c = loop->call + 1; good && c < loop->next; c++, at += 4) {
        good = tflite_fit_call(w, at, c);
    }
    w->body = NULL;
    const int32_t sum[] = {0, (int32_t)constant_number(body, loop->steps)};
    return good && put_operator(w, &at, TFLITE_OP_add, OPTIONS_ADD, sum, 2,
                                counter_number(body, call, counter_at(call, COUNTER_NEXT)));
}

static bool put_loop_graph(struct tflite_writer *w, const struct tflite_loop *loop, size_t reference, bool body) {
    struct sw_sink *sink = w->front.sink;
    const struct sw_fit_call *call = call_at(w, loop->call), *next = call_at(w, loop->next);
    const struct tflite_entries *list = body ? &loop->body : &loop->test;
    uint32_t count = call->input_count + 1;
    size_t fields = tflite_table(&w->front, reference, NULL, 5),
           length = (size_t)sw_fit_call_name(w->fit.program, loop->call, NULL, 0) + 8;
    int32_t *arguments = sw_arena_new(&w->fit.model.arena, count, sizeof *arguments);
    char *name = sw_arena_new(&w->fit.model.arena, length, 1);
    if (!arguments || !name) {
        return sw_fail_memory(w->fit.error);
    }
    sw_fit_call_name(w->fit.program, loop->call, name, length);
    memcpy(strrchr(name, '/') + 1, body ? "body" : "test", sizeof "body");
    size_t at = tflite_references(sink, fields, (uint32_t)list->count);
    for (size_t i = 0; i < list->count; i++, at += 4) {
        if (!tflite_fit_entry(w, at, &list->items[i])) {
            return false;
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        arguments[i] = (int32_t)i;
    }
    tflite_fit_arguments(sink, fields + 4, arguments, count);
    if (body) {
        w->body = loop;
        arguments[0] = (int32_t)counter_number(list, call, counter_at(call, COUNTER_NEXT));
        for (uint32_t i = 1; i < count; i++) {
            arguments[i] = (int32_t)tflite_body_value(w, tflite_fit_input(&w->fit, next, i - 1));
        }
        w->body = NULL;
    } else {
        arguments[0] = (int32_t)find_entry(list, TFLITE_ENTRY_FLAG, call->output, flag_at(call));
    }
    tflite_fit_arguments(sink, fields + 8, arguments, body ? count : 1);
    tflite_text(sink, fields + 16, name);
    return body ? put_body(w, loop, fields + 12) : put_test(w, loop, fields + 12);
}

bool tflite_loops_write(struct tflite_writer *w, size_t at) {
    bool good = true;
    for (size_t i = 0; good && i < w->loops.count; i++, at += 8) {
        good = put_loop_graph(w, &w->loops.items[i], at, false) && put_loop_graph(w, &w->loops.items[i], at + 4, true);
    }
    return good;
}
