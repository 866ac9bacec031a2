/* The operator codes of a changed model: those that it has, and those that are new. */
#include "formats/tflite/write/tflite_fit_writer.h"
#include "base/minmax.h"

/* The operators that may be new in a model, and their versions: where there are several, the one for int8. */
static const struct {
    uint32_t builtin, version;
} versions[] = {
    {TFLITE_OP_slice, 2}, {TFLITE_OP_concatenation, 2}, {TFLITE_OP_pad, 2},   {TFLITE_OP_padv2, 2},
    {TFLITE_OP_add, 1},   {TFLITE_OP_less, 1},          {TFLITE_OP_while, 1}, {TFLITE_OP_dynamic_update_slice, 1}};

static uint32_t version_of(uint32_t builtin) {
    size_t i = 0;
    while (versions[i].builtin != builtin) {
        i++;
    }
    return versions[i].version;
}

bool tflite_code_find(struct tflite_writer *w, uint32_t builtin, uint32_t *index) {
    const struct sw_flat_list *list = &w->fit.model.codes;
    for (size_t i = 0; i < w->new_codes; i++) {
        if (w->codes[i].builtin == builtin) {
            *index = w->codes[i].index;
            return true;
        }
    }
    for (size_t i = 0; i < list->count; i++) {
        struct sw_flat code;
        uint64_t old = 0, number = 0, version = 1;
        if (!sw_flat_item_table(list, i, &code) || !sw_flat_number(&code, CODE_OLD, 1, &old) ||
            !sw_flat_number(&code, CODE_BUILTIN, 4, &number) || !sw_flat_number(&code, CODE_VERSION, 4, &version)) {
            return false;
        }
        if ((old > number ? old : number) == builtin && version >= version_of(builtin)) {
            *index = (uint32_t)i;
            return true;
        }
    }
    *index = (uint32_t)(list->count + w->new_codes);
    w->codes[w->new_codes++] = (struct tflite_new_code){.builtin = builtin, .index = *index};
    return true;
}

uint32_t tflite_code_of(const struct sw_fit_call *call) {
    return call->act == SW_FIT_SLICE    ? TFLITE_OP_slice
           : call->act == SW_FIT_JOIN   ? TFLITE_OP_concatenation
           : call->act == SW_FIT_UPDATE ? TFLITE_OP_dynamic_update_slice
           : call->least                ? TFLITE_OP_padv2
                                        : TFLITE_OP_pad;
}

bool tflite_code_is_new(const struct sw_fit_call *call) {
    return call->act != SW_FIT_AS_IS && call->act != SW_FIT_RUN;
}

bool tflite_codes_find(struct tflite_writer *w) {
    static const uint32_t of_loops[] = {TFLITE_OP_while, TFLITE_OP_less, TFLITE_OP_slice, TFLITE_OP_add};
    const struct sw_fit_program *program = w->fit.program;
    uint32_t index;
    for (size_t c = 0; c < program->calls.count; c++) {
        const struct sw_fit_call *call = &program->calls.items[c];
        bool own = call->act == SW_FIT_LOOP || call->act == SW_FIT_NEXT;
        if (tflite_code_is_new(call) && !own && !tflite_code_find(w, tflite_code_of(call), &index)) {
            return false;
        }
    }
    for (size_t i = 0; w->loops.count > 0 && i < sizeof of_loops / sizeof *of_loops; i++) {
        if (!tflite_code_find(w, of_loops[i], &index)) {
            return false;
        }
    }
    return true;
}

bool tflite_codes_add(struct tflite_writer *w, size_t reference) {
    static const bool has[] = {true, false, true, true};
    struct sw_sink *sink = w->front.sink;
    size_t at;
    if (!tflite_front_list(&w->front, reference, &w->fit.model.codes, SIZE_MAX, w->new_codes, &at)) {
        return false;
    }
    for (size_t i = 0; i < w->new_codes; i++) {
        size_t fields = tflite_table(&w->front, at + 4 * i, has, 4);
        tflite_poke(sink, fields, SW_MIN(w->codes[i].builtin, OLD_CODES), 1);
        tflite_poke(sink, fields + 4, version_of(w->codes[i].builtin), 4);
        tflite_poke(sink, fields + 8, w->codes[i].builtin, 4);
    }
    return true;
}
