/* Programs of regions in strips that are refused, so that nothing is written: those made for another TensorFlow Lite
 * model, and those of which a part was changed, so that they would not compute what the model does. */
#include "unit/fit_programs.h"
#include "unit/flat_rules.h"

static void must_not_write(const struct sw_input *input, const struct sw_fit_program *program,
                           const struct sw_layout *layout, const char *words) {
    struct sw_error error = {0};
    struct sw_sink sink = {0};
    if (tflite_write_fit(input, NULL, program, layout, &sink, &error)) {
        fail_msg("written, wanted: %s", words);
    }
    if (!strstr(error.message, words) || strchr(error.message, '\n')) {
        fail_msg("wanted %s\ngot    %s", words, error.message);
    }
    assert_int_equal(error.code, SW_ERROR_UNSUPPORTED);
    assert_int_equal(sink.text.count, 0);
    sw_sink_done(&sink);
}

/* Models that were changed after the program was made, or that no program can be written into. */
static void refused(void **state) {
    (void)state;
    static const struct {
        int tensor, type;
        bool open;
        int op, kind, number;
        bool planned;
        const char *words;
    } cases[] = {
        {1, FLOAT32, false, -1, 0, 0, false, "conv_2d_0 works on float32: only int8 models"},
        {1, INT16, false, -1, 0, 0, false, "conv_2d_0 works on int16: only int8 models"},
        {0, FLOAT32, false, -1, 0, 0, false,
         "conv_2d_0 works on float32: only int8 models"}, /* weights of int8 all the same */
        {1, INT8, true, -1, 0, 0, false, "with rows, columns or channels that may change"},
        {0, INT8, false, 0, CUSTOM, 0, false, "mine_0 is a custom operator"},
        {0, INT8, false, -1, 0, 0, true, "the model holds a plan (OfflineMemoryAllocation)"},
        {0, INT8, false, 3, CONV, 2, false,
         "conv_2d_3/strip 1 of 3 would not compute what the model does: its rows are not known"}, /* another stride */
    };
    const struct sw_fit_region regions[] = {{.first = 0, .last = 0, .strips = 4, .padded = SW_FIT_PAD_ALL},
                                            {.first = 1, .last = 4, .strips = 3}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct net net = plain_net(), changed = net;
        struct flat flat;
        struct made_program made;
        struct sw_fit_refusal refusal;
        changed.tensors[cases[i].tensor].type = cases[i].type;
        changed.tensors[cases[i].tensor].open = cases[i].open;
        changed.planned = cases[i].planned;
        if (cases[i].op >= 0) {
            changed.ops[cases[i].op].kind = cases[i].kind;
            changed.ops[cases[i].op].options[1] =
                cases[i].number ? cases[i].number : changed.ops[cases[i].op].options[1];
        }
        if (cases[i].type == INT8) {
            write_net(&flat, &net);
        } else { /* the sizes are others, too */
            write_net(&flat, &changed);
        }
        assert_true(make_program(&made, load_bytes((const char *)flat.bytes, flat.count), regions, 2, &refusal));
        write_net(&flat, &changed);
        struct sw_input input = text_input((const char *)flat.bytes, flat.count);
        struct sw_problem *problem = cases[i].kind == CUSTOM ? load_bytes(input.bytes, input.length) : NULL;
        made.program.problem = problem ? problem : made.problem;
        must_not_write(&input, &made.program, NULL, cases[i].words);
        sw_problem_unref(problem);
        made_program_done(&made);
    }
}

/* The zero point is no padding for a maximum, nor for a mean. */
static void padding_of_pools(void **state) {
    (void)state;
    static const struct sw_fit_region region = {.first = 0, .last = 0, .strips = 4, .padded = SW_FIT_PAD_ALL};
    static const int kinds[] = {MAX_POOL, AVERAGE_POOL}, options[] = {SAME, 1, 1, 3, 3, 1};
    for (size_t i = 0; i < COUNT(kinds); i++) {
        struct net net = plain_net();
        struct flat flat;
        struct made_program made;
        struct sw_fit_refusal refusal;
        write_net(&flat, &net);
        assert_true(make_program(&made, load_bytes((const char *)flat.bytes, flat.count), &region, 1, &refusal));
        net.ops[0].kind = kinds[i];
        memcpy(net.ops[0].options, options, sizeof options);
        write_net(&flat, &net);
        struct sw_input input = text_input((const char *)flat.bytes, flat.count);
        struct sw_problem *problem = load_bytes(input.bytes, input.length);
        made.program.problem = problem; /* the same but for the operator */
        must_not_write(&input, &made.program, NULL, "what it pads is not what it would pad itself");
        sw_problem_unref(problem);
        made_program_done(&made);
    }
}

/* A subgraph that an operator calls; another model; a plan at odd places. */
static void of_no_such_model(void **state) {
    (void)state;
    struct net net = plain_net(), calling = net;
    struct flat flat;
    struct made_program made;
    struct sw_fit_refusal refusal;
    struct sw_error error = {0};
    struct sw_fit_region region = {.first = 0, .last = 0, .strips = 4, .padded = SW_FIT_PAD_ALL},
                         inner = {.first = 2, .last = 2, .strips = 4, .padded = SW_FIT_PAD_ALL};
    calling.caller = true;
    write_net(&flat, &calling);
    struct sw_input input = text_input((const char *)flat.bytes, flat.count);
    assert_true(make_program(&made, load_bytes(input.bytes, input.length), NULL, 0, &refusal));
    struct sw_sink sink = {0};
    assert_true(tflite_write_fit(&input, NULL, &made.program, plan_program(&made), &sink, &error));
    check_flat_rules(sink.text.items, sink.text.count);
    struct sw_problem *again = load_bytes(sink.text.items, sink.text.count);
    same_problem(made.fitted, again, sw_search_layout(made.search));
    sw_problem_unref(again);
    sw_sink_done(&sink);
    made.program.regions = &inner;
    made.program.region_count = 1;
    must_not_write(&input, &made.program, NULL, "belongs to a subgraph that an operator calls");
    made_program_done(&made);

    write_net(&flat, &net);
    assert_true(make_program(&made, load_bytes((const char *)flat.bytes, flat.count), &region, 1, &refusal));
    struct sw_layout *layout = sw_layout_clone(plan_program(&made), &error);
    assert_true(sw_layout_place(layout, sw_problem_find_buffer(made.fitted, "a"), 0, 8));
    input = text_input((const char *)flat.bytes, flat.count);
    must_not_write(&input, &made.program, layout, "lies at 8, but TensorFlow Lite Micro wants multiples of 16");
    sw_layout_free(layout);
    struct net other = copies();
    other.planned = false;
    write_net(&flat, &other);
    input = text_input((const char *)flat.bytes, flat.count);
    must_not_write(&input, &made.program, NULL, "the program is not one of this model");
    made_program_done(&made);
}

/* A program of which any part is changed is refused: rows, sizes, places, padding, order. */
static void wrong_program(struct net net, uint32_t end, uint64_t keeps) {
    const struct sw_fit_region regions[] = {
        {.first = 0, .last = end, .strips = 4, .padded = SW_FIT_PAD_ALL, .kept = keeps},
        {.first = end + 1, .last = 5, .strips = 3, .padded = end ? SW_FIT_PAD_ALL : 0, .kept = keeps}};
    struct flat flat;
    struct made_program made;
    struct sw_input input = program_of_net(&made, &flat, &net, regions, 2);
    struct sw_fit_program *program = &made.program;
    for (uint32_t c = 0; c < program->calls.count; c++) {
        struct sw_fit_call *call = &program->calls.items[c], kept = *call;
        if (call->act == SW_FIT_AS_IS) {
            continue;
        }
        struct sw_fit_value *value = &program->values.items[call->output], old = *value;
        for (int change = 0; change < 12; change++) {
            value->rows.lo += change == 0 ? 1 : change == 1 ? -1 : 0;
            value->rows.hi += change == 2 ? 1 : change == 3 ? -1 : 0;
            value->left += change == 4;
            value->size += change == 5 ? 16 : 0;
            value->whole ^= change == 6;
            if (change == 7) { /* somewhere else in what it lies within, or within something at all */
                value->at += 16;
                value->within = value->within == SW_NONE ? program->inputs.items[call->first_input] : value->within;
            }
            if (change == 8) {
                value->buffer = value->buffer == 0 ? 1 : 0;
            }
            value->made_by = change == 9 ? 0 : value->made_by;
            if (change >= 10) { /* as many rows, one further up or down */
                int64_t by = change == 10 ? 1 : -1;
                value->rows = (struct sw_row_range){value->rows.lo + by, value->rows.hi + by};
                value->at += (uint64_t)by * (value->size / (uint64_t)(value->rows.hi - value->rows.lo));
            }
            if (change == 9 && c == 0) {
                *value = old;
                continue; /* the first call made it */
            }
            if (change == 6 && old.whole) {
                continue; /* under another name */
            }
            must_not_write(&input, program, NULL, "");
            *value = old;
        }
        for (int change = 0; change < 5; change++) {
            bool pads =
                call->act == SW_FIT_PADDED ||
                (call->act == SW_FIT_RUN && strcmp(sw_problem_operator(made.problem, call->op)->kind, "pad") == 0);
            bool windowed = call->act == SW_FIT_RUN && (call->op == 0 || call->op == 5); /* SAME in the model */
            call->above += change == 0;
            call->left += change == 1;
            call->same ^= change == 2;
            call->region = change == 3 ? 7 : call->region;
            call->least ^= change == 4;
            if (change == 3 || (change == 2 ? windowed : change == 4 ? call->act == SW_FIT_PADDED : pads)) {
                must_not_write(&input, program, NULL, "");
            }
            *call = kept;
        }
        if (call->input_count > 0) { /* another value, then one that is made later */
            uint32_t *of = &program->inputs.items[call->first_input], was = *of;
            for (uint32_t v = was + 1; v < program->values.count; v += 7) {
                *of = v;
                if (v != call->output && (program->values.items[v].rows.lo != program->values.items[was].rows.lo ||
                                          program->values.items[v].rows.hi != program->values.items[was].rows.hi ||
                                          program->values.items[v].buffer != program->values.items[was].buffer)) {
                    struct sw_sink sink = {0};
                    struct sw_error error = {0};
                    bool slice = call->act == SW_FIT_SLICE; /* of other rows that have these, too */
                    assert_true(!tflite_write_fit(&input, NULL, program, NULL, &sink, &error) || slice);
                    sw_sink_done(&sink);
                }
            }
            *of = was;
        }
    }
    struct sw_fit_call last = program->calls.items[--program->calls.count];
    must_not_write(&input, program, NULL, "it leaves operator 6 out");
    program->calls.items[program->calls.count++] = last;
    struct sw_fit_call first = program->calls.items[0];
    program->calls.items[0] = program->calls.items[1];
    program->calls.items[1] = first;
    must_not_write(&input, program, NULL, "what it reads is not made before");
    program->calls.items[1] = program->calls.items[0];
    program->calls.items[0] = first;
    struct sw_sink sink = {0};
    struct sw_error error = {0};
    assert_true(tflite_write_fit(&input, NULL, program, NULL, &sink, &error));
    sw_sink_done(&sink);
    made_program_done(&made);
}

static void wrong_programs(void **state) {
    (void)state;
    for (int keeps = 0; keeps < 2; keeps++) {
        wrong_program(plain_net(), 0, keeps ? SW_FIT_KEEP_ALL : 0);
        wrong_program(same_net(), 1, keeps ? SW_FIT_KEEP_ALL : 0);
    }
}

/* Which call of a program is the first of a kind, from `from` on. */
static struct sw_fit_call *first_call(struct made_program *made, enum sw_fit_act act, uint32_t from) {
    while (made->program.calls.items[from].act != act) {
        from++;
    }
    return &made->program.calls.items[from];
}

static uint32_t *place_of_input(struct made_program *made, const struct sw_fit_call *call, uint32_t i) {
    return &made->program.inputs.items[call->first_input + i];
}

/* A loop of which any part is changed is refused: rounds, steps, counters, what is handed over and what comes back. */
static void wrong_loops(void **state) {
    (void)state;
    for (int keeps = 0; keeps < 2; keeps++) {
        const struct sw_fit_region region = {.last = 4,
                                             .strips = 6,
                                             .padded = SW_FIT_PAD_ALL,
                                             .kept = keeps ? SW_FIT_KEEP_ALL : 0,
                                             .loop = true,
                                             .lead = 2,
                                             .rows = 2};
        struct net net = plain_net();
        struct flat flat;
        struct made_program made;
        struct sw_input input = program_of_net(&made, &flat, &net, &region, 1);
        struct sw_fit_program *program = &made.program;
        struct sw_fit_call *loop = first_call(&made, SW_FIT_LOOP, 0), *next = first_call(&made, SW_FIT_NEXT, 0),
                           *grow = first_call(&made, SW_FIT_GROW, 0);
        uint32_t begin = (uint32_t)(loop - program->calls.items), variables = loop->input_count;
        struct sw_fit_call *slice = first_call(&made, SW_FIT_SLICE, begin),
                           *update = first_call(&made, SW_FIT_UPDATE, begin);
        struct sw_fit_call *behind = first_call(&made, SW_FIT_UPDATE, (uint32_t)(next - program->calls.items));
        assert_int_equal(loop->rounds, 4);
        assert_int_equal(variables, keeps ? 3 : 2);
        for (int change = 0; change < 24; change++) {
            struct sw_fit_call calls[] = {*loop, *slice, *update, *next, *grow, *behind};
            uint32_t *const places[] = {place_of_input(&made, loop, 0),   place_of_input(&made, loop, 1),
                                        place_of_input(&made, next, 0),   place_of_input(&made, next, 1),
                                        place_of_input(&made, update, 1), place_of_input(&made, grow, 0),
                                        place_of_input(&made, behind, 1), place_of_input(&made, slice, 0)};
            uint32_t inputs[COUNT(places)];
            for (size_t i = 0; i < COUNT(places); i++) {
                inputs[i] = *places[i];
            }
            for (struct sw_fit_call *call = loop; call <= next && change < 2; call++) {
                call->rounds += change == 0 ? 1 : UINT32_MAX; /* one more, one less */
            }
            switch (change) {
            case 2:
                loop->rounds++;
                break;
            case 3:
                update->rounds = 0;
                break;
            case 4:
                update->step++;
                break;
            case 5:
                update->step--;
                break;
            case 6:
                slice->step++;
                break;
            case 7:
                slice->step = 0;
                break;
            case 8:
                update->begin = slice->begin;
                break;
            case 9:
                slice->begin = loop->begins;
                break;
            case 10:
                loop->begins = 0;
                break;
            case 11:
                loop->begins = SW_FIT_MOST_BEGINS + 1;
                break;
            case 12:
                loop->input_count--;
                break;
            case 13:
                next->input_count--;
                break;
            case 14:
                *places[2] = inputs[0];
                break; /* the tensor with room does not come out as it was updated */
            case 15:
                *places[3] = inputs[2];
                break; /* what is read from outside does not come out again */
            case 16:
                *places[1] = inputs[0];
                break;
            case 17:
                *places[4] = inputs[6];
                break; /* the rows of another strip */
            case 18:
                *places[6] = inputs[4];
                break;
            case 19:
                *places[5] = inputs[6];
                break;
            case 20:
                *places[7] = inputs[0];
                break;
            case 21:
                grow->act = SW_FIT_SLICE;
                break;
            case 22:
                next->region = SW_NONE;
                break;
            default:
                behind->step = 2;
                break;
            }
            must_not_write(&input, program, NULL, "");
            *loop = calls[0];
            for (struct sw_fit_call *call = loop; call <= next; call++) {
                call->rounds = loop->rounds;
            }
            *slice = calls[1];
            *update = calls[2];
            *next = calls[3];
            *grow = calls[4];
            *behind = calls[5];
            for (size_t i = 0; i < COUNT(places); i++) {
                *places[i] = inputs[i];
            }
        }
        struct sw_sink sink = {0};
        struct sw_error error = {0};
        assert_true(tflite_write_fit(&input, NULL, program, NULL, &sink, &error));
        sw_sink_done(&sink);
        made_program_done(&made);
    }
}

/* Rows of a value, in their place in what it lies within. */
static void set_rows(struct sw_fit_value *value, int64_t lo, int64_t hi) {
    uint64_t row = value->size / (uint64_t)(value->rows.hi - value->rows.lo);
    value->at += value->within == SW_NONE ? 0 : row * (uint64_t)(lo - value->rows.lo);
    value->rows = (struct sw_row_range){lo, hi};
    value->size = row * (uint64_t)(hi - lo);
}

/* A strip that pads by itself gets only the rows that it is to make, and so spoils the first and the last of them. */
static void spoilt_rows(void **state) {
    (void)state;
    static const struct sw_fit_region region = {.first = 0, .last = 0, .strips = 4};
    struct net net = plain_net();
    struct flat flat;
    struct made_program made;
    uint32_t tried = 0;
    struct sw_input input = program_of_net(&made, &flat, &net, &region, 1);
    for (uint32_t c = 1; c + 1 < made.program.calls.count; c++) {
        struct sw_fit_call *run = &made.program.calls.items[c], *cut = run + 1;
        if (run->act != SW_FIT_RUN || cut->act != SW_FIT_SLICE || cut->strip != run->strip) {
            continue;
        }
        struct sw_fit_value *values = made.program.values.items, *wanted = &values[cut->output];
        struct sw_fit_value *both[] = {&values[made.program.inputs.items[run->first_input]], &values[run->output]};
        const struct sw_fit_value kept[] = {*both[0], *both[1]};
        set_rows(both[0], wanted->rows.lo, wanted->rows.hi);
        set_rows(both[1], wanted->rows.lo, wanted->rows.hi);
        must_not_write(&input, &made.program, NULL, "some rows of its result are not those of the whole image");
        *both[0] = kept[0];
        *both[1] = kept[1];
        tried++;
    }
    assert_true(tried > 0);
    made_program_done(&made);
}

/* With a stride of 2 a strip that begins a row too early makes every row of its result of the wrong ones, also where
 * all that it needs is there. */
static void between_strides(void **state) {
    (void)state;
    static const struct sw_fit_region region = {.first = 2, .last = 2, .strips = 3};
    struct net net = same_net();
    struct flat flat;
    struct made_program made;
    uint32_t tried = 0, odd = 0;
    struct sw_input input = program_of_net(&made, &flat, &net, &region, 1);
    struct sw_fit_program *program = &made.program;
    for (uint32_t c = 0; c + 1 < program->calls.count; c++) {
        const struct sw_fit_call *run = &program->calls.items[c], *cut = run + 1;
        if (run->act != SW_FIT_RUN || cut->act != SW_FIT_SLICE) {
            continue;
        }
        struct sw_fit_value *from = &program->values.items[program->inputs.items[run->first_input]],
                            *to = &program->values.items[run->output];
        const struct sw_fit_value kept[] = {*from, *to};
        const struct sw_row_range wanted = program->values.items[cut->output].rows;
        for (int64_t k = 0; k < 25; k++) {
            int64_t lo = kept[0].rows.lo + k / 5 - 2, hi = kept[0].rows.hi + k % 5 - 2, count = (hi - lo + 1) / 2,
                    padding = 2 * count + 1 - (hi - lo);
            int64_t first = lo - padding / 2;
            if (lo < 0 || hi > 24 || first < 0 || first / 2 > wanted.lo || first / 2 + count < wanted.hi) {
                continue;
            }
            struct sw_sink sink = {0};
            struct sw_error error = {0};
            set_rows(from, lo, hi);
            set_rows(to, first / 2, first / 2 + count);
            bool good = tflite_write_fit(&input, NULL, program, NULL, &sink, &error);
            assert_true(!good || first % 2 == 0);
            tried += good;
            odd += first % 2 != 0;
            sw_sink_done(&sink);
            *from = kept[0];
            *to = kept[1];
        }
    }
    assert_true(tried > 0 && odd > 0);
    made_program_done(&made);
}

/* As many columns of padding, but not at the same sides. */
static void padding_of_columns(void **state) {
    (void)state;
    static const struct sw_fit_region region = {.first = 0, .last = 0, .strips = 4, .padded = SW_FIT_PAD_ALL};
    struct net net = plain_net();
    struct flat flat;
    struct made_program made;
    struct sw_input input = program_of_net(&made, &flat, &net, &region, 1);
    for (uint32_t c = 0; c < made.program.calls.count; c++) {
        struct sw_fit_call *call = &made.program.calls.items[c];
        struct sw_fit_value *value = &made.program.values.items[call->output == SW_NONE ? 0 : call->output];
        if (call->act == SW_FIT_PADDED) {
            call->left = value->left = 2;
            call->right = value->right = 0;
            must_not_write(&input, &made.program, NULL, "its windows are not those of the whole image");
            call->left = value->left = 1;
            call->right = value->right = 1;
        }
    }
    made_program_done(&made);
}

/* All strips at once are more than the interpreter takes. */
static void joined_at_once(void **state) {
    (void)state;
    static const struct sw_fit_region region = {.first = 0, .last = 0, .strips = 12, .padded = SW_FIT_PAD_ALL};
    struct net net = plain_net();
    struct flat flat;
    struct made_program made;
    struct sw_input input = program_of_net(&made, &flat, &net, &region, 1);
    struct sw_fit_program *program = &made.program;
    struct sw_fit_call *join = NULL;
    uint32_t strips[12], count = 0;
    for (uint32_t c = 0; c < program->calls.count; c++) {
        struct sw_fit_call *call = &program->calls.items[c];
        join = call->act == SW_FIT_JOIN ? call : join;
        if (call->act == SW_FIT_RUN) {
            assert_true(count < 12);
            strips[count++] = call->output;
        }
    }
    assert_true(join && count == 12);
    join->first_input = (uint32_t)program->inputs.count;
    join->input_count = count;
    for (uint32_t i = 0; i < count; i++) {
        assert_true(SW_PUSH(&program->inputs, strips[i]));
    }
    must_not_write(&input, program, NULL, "it joins 12 tensors, and the interpreter takes 10");
    made_program_done(&made);
}

/* Padding in the place of a row that the image has. */
static void padding_within(void **state) {
    (void)state;
    static const struct sw_fit_region region = {.first = 0, .last = 0, .strips = 4, .padded = SW_FIT_PAD_ALL};
    struct net net = plain_net();
    struct flat flat;
    struct made_program made;
    uint32_t tried = 0;
    struct sw_input input = program_of_net(&made, &flat, &net, &region, 1);
    for (uint32_t c = 0; c < made.program.calls.count; c++) {
        struct sw_fit_call *call = &made.program.calls.items[c];
        struct sw_fit_value *from = call->act == SW_FIT_PADDED
                                        ? &made.program.values.items[made.program.inputs.items[call->first_input]]
                                        : NULL;
        bool above = from && call->above == 0, below = from && call->below == 0;
        if (!above && !below) {
            continue;
        }
        const struct sw_fit_value kept = *from;
        uint64_t row = from->size / (uint64_t)(from->rows.hi - from->rows.lo);
        from->rows.lo += above;
        from->rows.hi -= !above;
        from->at += above ? row : 0;
        from->size -= row;
        call->above += above;
        call->below += !above;
        must_not_write(&input, &made.program, NULL, "it pads where the image has rows");
        *from = kept;
        call->above -= above;
        call->below -= !above;
        tried++;
    }
    assert_int_equal(tried, 4);
    made_program_done(&made);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refused),          cmocka_unit_test(padding_of_pools),
        cmocka_unit_test(of_no_such_model), cmocka_unit_test(wrong_programs),
        cmocka_unit_test(wrong_loops),      cmocka_unit_test(joined_at_once),
        cmocka_unit_test(padding_within),   cmocka_unit_test(spoilt_rows),
        cmocka_unit_test(between_strides),  cmocka_unit_test(padding_of_columns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
