/* Finished plans in ExecuTorch programs (.pte): every tensor that the compiler planned says in
 * which memory and at which offset it lies. When it lives follows from the instructions that name
 * it. */
#include "formats/text/unique.h"
#include "base/base.h"
#include "formats/tflite/flat.h"
#include "formats/tools/placed.h"

/* Fields of the schema, by their place in their table. */
enum { PROGRAM_PLANS = 1, PROGRAM_INLINE = 3, PROGRAM_SEGMENTS = 4 };
enum { DELEGATE_NAME = 0, DELEGATE_PROCESSED = 1 };
enum { PROCESSED_LOCATION = 0, PROCESSED_INDEX = 1 }; /* location 1: a segment behind the program */
enum { SEGMENT_SIZE = 1 };
enum {
    PLAN_NAME = 0,
    PLAN_VALUES = 2,
    PLAN_INPUTS = 3,
    PLAN_OUTPUTS = 4,
    PLAN_CHAINS = 5,
    PLAN_OPERATORS = 6,
    PLAN_DELEGATES = 7,
    PLAN_SIZES = 8
};
enum { PTE_TENSOR_TYPE = 0, PTE_TENSOR_SIZES = 2, PTE_TENSOR_DATA = 5, PTE_TENSOR_PLACE = 6, PTE_TENSOR_MORE = 9 };
enum { MORE_NAME = 1 };
enum { VALUE_TENSOR = 5, VALUE_TENSORS = 10, VALUE_OPTIONAL_TENSORS = 11 };
enum { CALL_KERNEL = 1, CALL_DELEGATE, CALL_MOVE, CALL_JUMP, CALL_FREE };
enum { CHAIN_INSTRUCTIONS = 2 };

struct pte_value {
    uint32_t type;
    struct sw_flat flat;
    bool planned, filled; /* has a place; has contents before the program runs */
    bool touched;
    bool view; /* no operator writes it, but what it lies over holds its bytes */
    bool input, output;
    uint32_t first, last; /* instructions */
    uint32_t row, number; /* of the row; which of the values of its maker it is */
    uint32_t maker;       /* SW_NONE: none */
    enum sw_dtype dtype;
    uint64_t size, offset, memory;
};

struct pte_call {
    uint32_t kind;
    struct sw_flat flat;
    uint64_t index;             /* of a kernel or a delegate, in their list */
    size_t from, reads, writes; /* in the list of arguments: first those read */
    char name[48];              /* "add_3" */
};

struct pte_reader {
    const struct sw_input *input;
    struct sw_flat program, plan;
    struct sw_builder *builder;
    struct sw_error *error;
    struct sw_placed placed;
    struct sw_flat_list operators, delegates, sizes; /* sizes: of memories, as the file says */
    SW_ARRAY(struct pte_value) values;
    SW_ARRAY(struct pte_call) calls;
    SW_ARRAY(uint32_t) arguments; /* values, of all calls */
    SW_ARRAY(const char *) names;
    const char **blobs; /* per delegate: its buffer; NULL: there is none */
    uint64_t blob_count, blob_bytes;
    size_t budget; /* items that the file has room for */
    uint64_t weights, weight_bytes, outside, unused, empty, views, loops;
    bool sixteen; /* all offsets are multiples of it */
};

/* Lists may be shared, so that a small file can stand for very many items. No more items are read than a file of this
 * length can hold without sharing. */
static bool spend_pte_budget(struct pte_reader *reader, size_t count) {
    if (count > reader->budget) {
        return sw_flat_fail(&reader->plan, reader->plan.at,
                            "more arguments of instructions than the file has room for, in the plan");
    }
    reader->budget -= count;
    return true;
}

static struct pte_value *pte_value_at(struct pte_reader *reader, uint64_t index) {
    return index < reader->values.count ? &reader->values.items[index] : NULL;
}

/* ---- values ---- */

static const struct {
    enum sw_dtype dtype;
    uint8_t bytes;
} scalars[] = {
    {SW_DTYPE_UINT8, 1},  {SW_DTYPE_INT8, 1},      {SW_DTYPE_INT16, 2},       {SW_DTYPE_INT32, 4},
    {SW_DTYPE_INT64, 8},  {SW_DTYPE_FLOAT16, 2},   {SW_DTYPE_FLOAT32, 4},     {SW_DTYPE_FLOAT64, 8},
    {SW_DTYPE_NONE, 4},   {SW_DTYPE_COMPLEX64, 8}, {SW_DTYPE_COMPLEX128, 16}, {SW_DTYPE_BOOL, 1},
    {SW_DTYPE_INT8, 1},   {SW_DTYPE_UINT8, 1},     {SW_DTYPE_INT32, 4},       {SW_DTYPE_BFLOAT16, 2},
    {SW_DTYPE_NONE, 1},   {SW_DTYPE_NONE, 1},      {SW_DTYPE_NONE, 1},        {SW_DTYPE_NONE, 1},
    {SW_DTYPE_NONE, 1},   {SW_DTYPE_NONE, 1},      {SW_DTYPE_NONE, 2},        {SW_DTYPE_FLOAT8, 1},
    {SW_DTYPE_FLOAT8, 1}, {SW_DTYPE_FLOAT8, 1},    {SW_DTYPE_FLOAT8, 1},      {SW_DTYPE_UINT16, 2},
    {SW_DTYPE_UINT32, 4}, {SW_DTYPE_UINT64, 8},
};

/* Shapes that change have their largest sizes here. */
static bool read_value_size(struct pte_reader *reader, struct pte_value *value) {
    struct sw_flat_list sizes;
    uint64_t type = 0;
    if (!sw_flat_number(&value->flat, PTE_TENSOR_TYPE, 1, &type) ||
        !sw_flat_list(&value->flat, PTE_TENSOR_SIZES, 4, &sizes) || !spend_pte_budget(reader, sizes.count)) {
        return false;
    }
    if (type >= sizeof scalars / sizeof *scalars) {
        return sw_flat_fail(&value->flat, value->flat.at, "a tensor of the unknown element type %" PRIu64, type);
    }
    value->dtype = scalars[type].dtype;
    value->size = scalars[type].bytes;
    bool empty = false;
    for (size_t i = 0; i < sizes.count; i++) {
        int32_t size = (int32_t)sw_flat_item(&sizes, i);
        if (size < 0) {
            return sw_flat_fail(&value->flat, value->flat.at, "a tensor with the negative dimension %" PRId32, size);
        }
        empty |= size == 0;
        if (size > 0 &&
            (__builtin_mul_overflow(value->size, (uint64_t)size, &value->size) || value->size > SW_MAX_BYTES)) {
            return sw_flat_fail(&value->flat, value->flat.at, "a tensor larger than 2^61 bytes");
        }
    }
    value->size = empty ? 0 : value->size;
    return true;
}

static bool read_planned_tensor(struct pte_reader *reader, struct pte_value *value) {
    struct sw_flat place;
    uint64_t data = 0, low = 0, high = 0;
    if (!read_value_size(reader, value) || !sw_flat_number(&value->flat, PTE_TENSOR_DATA, 4, &data) ||
        !sw_flat_table(&value->flat, PTE_TENSOR_PLACE, &place)) {
        return false;
    }
    value->filled = data > 0;
    value->planned = place.at != 0;
    if (!value->planned) {
        return true;
    }
    if (!sw_flat_number(&place, 0, 4, &value->memory) || !sw_flat_number(&place, 1, 4, &low) ||
        !sw_flat_number(&place, 2, 4, &high)) {
        return false;
    }
    value->offset = high << 32 | low;
    reader->sixteen &= value->offset % 16 == 0;
    return true;
}

static bool read_values(struct pte_reader *reader) {
    struct sw_flat_list list;
    if (!sw_flat_list(&reader->plan, PLAN_VALUES, 4, &list)) {
        return false;
    }
    if (!SW_RESERVE(&reader->values, list.count)) {
        return sw_fail_memory(reader->error);
    }
    for (size_t i = 0; i < list.count; i++) {
        struct sw_flat any;
        uint64_t type = 0;
        struct pte_value value = {.maker = SW_NONE, .row = SW_NONE};
        if (!sw_flat_item_table(&list, i, &any) || !sw_flat_number(&any, 0, 1, &type) ||
            !sw_flat_table(&any, 1, &value.flat)) {
            return false;
        }
        value.type = (uint32_t)type;
        if (type == VALUE_TENSOR && !read_planned_tensor(reader, &value)) {
            return false;
        }
        reader->values.items[reader->values.count++] = value;
    }
    return true;
}

/* ---- instructions ---- */

static const char *const call_kinds[] = {"", "kernel", "delegate", "move", "jump", "free"};

/* What the call is called: "aten::add", "out" -> "add". */
static bool read_call_name(const struct sw_flat_list *list, uint64_t index, struct sw_flat_list *text) {
    struct sw_flat table;
    *text = (struct sw_flat_list){0};
    return index >= list->count ||
           (sw_flat_item_table(list, (size_t)index, &table) && sw_flat_list(&table, 0, 1, text));
}

static bool name_call(struct pte_reader *reader, struct pte_call *call) {
    struct sw_flat_list text = {0};
    if ((call->kind == CALL_KERNEL || call->kind == CALL_DELEGATE) &&
        (!sw_flat_number(&call->flat, 0, 4, &call->index) ||
         !read_call_name(call->kind == CALL_KERNEL ? &reader->operators : &reader->delegates, call->index, &text))) {
        return false;
    }
    const char *from = text.count ? reader->input->bytes + text.at : call_kinds[call->kind];
    size_t length = text.count ? text.count : strlen(from);
    for (size_t i = 0; i + 1 < length; i++) { /* behind the last "::" */
        if (from[i] == ':' && from[i + 1] == ':') {
            from += i + 2;
            length -= i + 2;
            i = (size_t)-1;
        }
    }
    if (length == 0) {
        from = "kernel";
        length = strlen(from);
    }
    size_t used = 0;
    for (; used < length && used < 32; used++) {
        call->name[used] = from[used] > ' ' && from[used] < 0x7f ? from[used] : '?';
    }
    snprintf(call->name + used, sizeof call->name - used, "_%zu", reader->calls.count);
    return true;
}

/* A tensor that no operator wrote is read: is it another one by a new name? The compiler drops operators
 * that only reshape. Then the last to use any of its bytes had exactly its place. */
static uint32_t find_source(const struct pte_reader *reader, const struct pte_value *view) {
    uint32_t found = SW_NONE;
    for (uint32_t i = 0; i < reader->values.count; i++) {
        const struct pte_value *value = &reader->values.items[i];
        if (value->touched && value->memory == view->memory && value->planned &&
            value->offset < view->offset + view->size && view->offset < value->offset + value->size &&
            (found == SW_NONE || value->last >= reader->values.items[found].last)) {
            found = i;
        }
    }
    const struct pte_value *value = found == SW_NONE ? NULL : &reader->values.items[found];
    bool same = value && value->offset == view->offset && value->size == view->size && value->dtype == view->dtype;
    return same ? found : SW_NONE;
}

/* Instruction `now` names a tensor that has a place. */
static bool note_argument(struct pte_reader *reader, struct pte_call *call, uint32_t index, uint32_t now, bool write) {
    struct pte_value *value = &reader->values.items[index];
    if (value->type != VALUE_TENSOR || !value->planned || value->size == 0) {
        return true;
    }
    bool fresh = !value->touched && !value->input && !value->filled;
    uint32_t source = fresh && !write ? find_source(reader, value) : SW_NONE;
    if (source != SW_NONE && reader->values.items[source].last < now) {
        value->view = true;
        value->maker = reader->values.items[source].maker;
        fresh = false;
    } else if (fresh) {
        value->maker = now;
        value->number = (uint32_t)call->writes;
    }
    value->first = value->touched ? value->first : now;
    value->last = now;
    value->touched = true;
    for (size_t i = call->from; i < reader->arguments.count; i++) {
        if (reader->arguments.items[i] == index) {
            return true; /* results are named twice */
        }
    }
    if (!SW_PUSH(&reader->arguments, index)) {
        return sw_fail_memory(reader->error);
    }
    if (!fresh && !write) { /* in front of those it writes */
        size_t at = call->from + call->reads++;
        uint32_t *items = reader->arguments.items;
        items[reader->arguments.count - 1] = items[at];
        items[at] = index;
    } else {
        call->writes++;
    }
    return true;
}

/* An argument: a tensor, or a list of them. */
static bool note_value(struct pte_reader *reader, struct pte_call *call, uint64_t index, uint32_t now, bool write) {
    const struct pte_value *value = pte_value_at(reader, index);
    struct sw_flat_list list;
    if (!value) {
        return sw_flat_fail(&call->flat, call->flat.at, "an instruction names value %" PRIu64 ", which does not exist,",
                            index);
    }
    if (value->type != VALUE_TENSORS && value->type != VALUE_OPTIONAL_TENSORS) {
        return spend_pte_budget(reader, 1) && note_argument(reader, call, (uint32_t)index, now, write);
    }
    if (!sw_flat_list(&value->flat, 0, 4, &list) || !spend_pte_budget(reader, list.count + 1)) {
        return false;
    }
    for (size_t i = 0; i < list.count; i++) {
        uint64_t item = sw_flat_item(&list, i);
        if (item < reader->values.count && !note_argument(reader, call, (uint32_t)item, now, write)) {
            return false;
        }
    }
    return true;
}

/* The last argument of a kernel and of a delegate is what it returns. What it writes before that is
 * named for the first time there. The last one is noted first, so that it counts as written. */
static bool note_arguments(struct pte_reader *reader, struct pte_call *call, uint32_t now) {
    struct sw_flat_list list;
    uint64_t from = 0, to = 0;
    if (call->kind == CALL_MOVE) {
        return sw_flat_number(&call->flat, 0, 4, &from) && sw_flat_number(&call->flat, 1, 4, &to) &&
               note_value(reader, call, from, now, false) && note_value(reader, call, to, now, true);
    }
    if (call->kind == CALL_JUMP || call->kind == CALL_FREE) {
        return sw_flat_number(&call->flat, 0, 4, &from) && note_value(reader, call, from, now, false);
    }
    if (!sw_flat_list(&call->flat, 1, 4, &list)) {
        return false;
    }
    bool good = list.count == 0 || note_value(reader, call, sw_flat_item(&list, list.count - 1), now, true);
    for (size_t i = 0; good && i + 1 < list.count; i++) {
        good = note_value(reader, call, sw_flat_item(&list, i), now, false);
    }
    return good;
}

static bool read_call(struct pte_reader *reader, const struct sw_flat_list *list, size_t i) {
    struct sw_flat any;
    uint64_t kind = 0;
    struct pte_call call = {.from = reader->arguments.count};
    if (!sw_flat_item_table(list, i, &any) || !sw_flat_number(&any, 0, 1, &kind) ||
        !sw_flat_table(&any, 1, &call.flat)) {
        return false;
    }
    if (kind < CALL_KERNEL || kind > CALL_FREE || !call.flat.at) {
        return sw_flat_fail(&any, any.at, "an instruction of the unknown kind %" PRIu64, kind);
    }
    call.kind = (uint32_t)kind;
    uint32_t now = (uint32_t)reader->calls.count;
    return name_call(reader, &call) && note_arguments(reader, &call, now) &&
           (SW_PUSH(&reader->calls, call) || sw_fail_memory(reader->error));
}

/* A jump back makes a loop: what is used in it must last for all of it. */
static bool find_loops(struct pte_reader *reader) {
    for (size_t i = 0; i < reader->calls.count; i++) {
        const struct pte_call *call = &reader->calls.items[i];
        uint64_t to = 0;
        if (call->kind == CALL_JUMP && !sw_flat_number(&call->flat, 1, 4, &to)) {
            return false;
        }
        if (call->kind != CALL_JUMP || to > i) {
            continue;
        }
        reader->loops++;
        if (!spend_pte_budget(reader, reader->values.count)) {
            return false;
        }
        for (size_t v = 0; v < reader->values.count; v++) {
            struct pte_value *value = &reader->values.items[v];
            if (value->touched && value->first <= i && value->last >= to) {
                value->first = value->first > to ? (uint32_t)to : value->first;
                value->last = value->last < i ? (uint32_t)i : value->last;
            }
        }
    }
    return true;
}

static bool read_chains(struct pte_reader *reader) {
    struct sw_flat_list chains;
    if (!sw_flat_list(&reader->plan, PLAN_CHAINS, 4, &chains)) {
        return false;
    }
    for (size_t c = 0; c < chains.count; c++) {
        struct sw_flat chain;
        struct sw_flat_list list;
        if (!sw_flat_item_table(&chains, c, &chain) || !sw_flat_list(&chain, CHAIN_INSTRUCTIONS, 4, &list) ||
            !spend_pte_budget(reader, list.count)) {
            return false;
        }
        for (size_t i = 0; i < list.count; i++) {
            if (!read_call(reader, &list, i)) {
                return false;
            }
        }
    }
    return find_loops(reader);
}

static bool mark_plan_ends(struct pte_reader *reader, unsigned field, bool output) {
    struct sw_flat_list list;
    if (!sw_flat_list(&reader->plan, field, 4, &list)) {
        return false;
    }
    for (size_t i = 0; i < list.count; i++) {
        struct pte_value *value = pte_value_at(reader, sw_flat_item(&list, i));
        if (!value) {
            return sw_flat_fail(&reader->plan, reader->plan.at, "an input or output that does not exist, in the plan");
        }
        value->input |= !output;
        value->output |= output;
    }
    return true;
}

/* ---- into the builder ---- */

/* Inputs and what is filled before the run are there from the start; outputs, and what keeps its
 * contents from run to run, stay to the end. */
static void stretch(const struct pte_reader *reader, struct pte_value *value) {
    uint32_t end = reader->calls.count ? (uint32_t)reader->calls.count - 1 : 0;
    value->first = value->input || value->filled || !value->touched ? 0 : value->first;
    value->last = value->output || value->filled ? end : value->last;
}

static bool name_value(struct pte_reader *reader, const struct pte_value *value, size_t index, char *text, size_t size,
                       struct sw_flat_list *given) {
    struct sw_flat more;
    *given = (struct sw_flat_list){0};
    if (!sw_flat_table(&value->flat, PTE_TENSOR_MORE, &more) ||
        (more.at && !sw_flat_list(&more, MORE_NAME, 1, given))) {
        return false;
    }
    if (value->maker == SW_NONE) {
        snprintf(text, size, "%s%zu", value->input ? "input" : "value", index);
    } else if (value->view) {
        snprintf(text, size, "%s.view", reader->calls.items[value->maker].name);
    } else if (value->number == 0) {
        snprintf(text, size, "%s", reader->calls.items[value->maker].name);
    } else {
        snprintf(text, size, "%s.%" PRIu32, reader->calls.items[value->maker].name, value->number);
    }
    return true;
}

static bool add_value_row(struct pte_reader *reader, struct pte_value *value, size_t index) {
    char text[80], tier[40];
    struct sw_flat_list given;
    if (!name_value(reader, value, index, text, sizeof text, &given)) {
        return false;
    }
    size_t length = given.count < 256 ? given.count : 0;
    int tier_length = snprintf(tier, sizeof tier, "memory %" PRIu64, value->memory);
    stretch(reader, value);
    reader->views += value->view;
    struct sw_placed_row row = {.name = length ? reader->input->bytes + given.at : text,
                                .tier = sw_arena_string(&reader->placed.arena, tier, (size_t)tier_length),
                                .kind = value->input    ? SW_KIND_INPUT
                                        : value->output ? SW_KIND_OUTPUT
                                                        : SW_KIND_INTERMEDIATE,
                                .dtype = value->dtype,
                                .first = value->first,
                                .last = value->last,
                                .offset = value->offset,
                                .size = value->size};
    value->row = (uint32_t)reader->placed.rows.count;
    return row.tier ? sw_placed_add(&reader->placed, &row, length ? length : strlen(text), reader->error)
                    : sw_fail_memory(reader->error);
}

static bool add_value_rows(struct pte_reader *reader) {
    for (size_t i = 0; i < reader->values.count; i++) {
        struct pte_value *value = &reader->values.items[i];
        if (value->type != VALUE_TENSOR) {
            continue;
        }
        if (!value->planned) {
            reader->weights += value->filled;
            reader->weight_bytes +=
                value->filled && value->size < SW_MAX_BYTES - reader->weight_bytes ? value->size : 0;
            reader->outside += !value->filled;
        } else if (value->size == 0) {
            reader->empty++;
        } else if (!value->touched && !value->input && !value->output && !value->filled) {
            reader->unused++;
        } else if (!add_value_row(reader, value, i)) {
            return false;
        }
    }
    return true;
}

/* A tier for every memory in use, by number; what the file says of their sizes. */
static bool add_memory_tiers(struct pte_reader *reader) {
    for (uint64_t from = 0;;) {
        uint64_t memory = UINT64_MAX;
        for (size_t i = 0; i < reader->values.count; i++) {
            const struct pte_value *value = &reader->values.items[i];
            if (value->row != SW_NONE && value->memory >= from && value->memory < memory) {
                memory = value->memory;
            }
        }
        if (memory == UINT64_MAX) {
            return true;
        }
        char name[40];
        snprintf(name, sizeof name, "memory %" PRIu64, memory);
        struct sw_tier tier = {.name = name, .capacity = SW_UNBOUNDED};
        uint64_t peak = sw_placed_peak(&reader->placed, name);
        uint64_t said = memory < reader->sizes.count ? sw_flat_item(&reader->sizes, (size_t)memory) : 0;
        if (!sw_builder_tier(reader->builder, &tier, reader->error) ||
            (said != peak && said != sw_align_up(peak, 16) &&
             !sw_notef(reader->builder, reader->error,
                       "the file says memory %" PRIu64 " has %s bytes; its tensors end at %s", memory, SW_COUNT(said),
                       SW_COUNT(peak)))) {
            return false;
        }
        from = memory + 1;
    }
}

/* The names of what a call reads or writes, without what is left out. */
static bool list_argument_names(struct pte_reader *reader, size_t from, size_t count, size_t *kept) {
    for (size_t i = from; i < from + count; i++) {
        uint32_t row = reader->values.items[reader->arguments.items[i]].row;
        if (row != SW_NONE) {
            if (!SW_PUSH(&reader->names, reader->placed.rows.items[row].name)) {
                return sw_fail_memory(reader->error);
            }
            ++*kept;
        }
    }
    return true;
}

/* What the delegate's compiler made of its part of the model, as it stands in the file: how many bytes. */
static bool blob_size(struct pte_reader *reader, const struct sw_flat *delegate, uint64_t *bytes) {
    struct sw_flat processed, item;
    struct sw_flat_list list, data;
    uint64_t location = 0, index = 0;
    *bytes = 0;
    if (!sw_flat_table(delegate, DELEGATE_PROCESSED, &processed) || processed.at == 0) {
        return processed.at == 0;
    }
    if (!sw_flat_number(&processed, PROCESSED_LOCATION, 1, &location) ||
        !sw_flat_number(&processed, PROCESSED_INDEX, 4, &index) ||
        !sw_flat_list(&reader->program, location == 1 ? PROGRAM_SEGMENTS : PROGRAM_INLINE, 4, &list)) {
        return false;
    }
    if (index >= list.count) {
        return sw_flat_fail(delegate, delegate->at, "a delegate names blob %" PRIu64 ", which does not exist,", index);
    }
    if (!sw_flat_item_table(&list, (size_t)index, &item)) {
        return false;
    }
    if (location == 1) {
        return sw_flat_number(&item, SEGMENT_SIZE, 8, bytes) &&
               (*bytes < SW_MAX_BYTES || sw_flat_fail(&item, item.at, "a segment larger than 2^61 bytes"));
    }
    bool good = sw_flat_list(&item, 0, 1, &data);
    *bytes = good ? data.count : 0;
    return good;
}

/* The blobs of delegates that are called: constants, which are not planned. */
static bool add_blobs(struct pte_reader *reader) {
    reader->blobs = sw_arena_new(&reader->placed.arena, reader->delegates.count + 1, sizeof *reader->blobs);
    if (!reader->blobs) {
        return sw_fail_memory(reader->error);
    }
    for (size_t i = 0; i < reader->calls.count; i++) {
        const struct pte_call *call = &reader->calls.items[i];
        struct sw_flat delegate;
        struct sw_flat_list name;
        uint64_t index = call->index, bytes = 0;
        if (call->kind != CALL_DELEGATE || index >= reader->delegates.count || reader->blobs[index]) {
            continue;
        }
        if (!sw_flat_item_table(&reader->delegates, (size_t)index, &delegate) ||
            !sw_flat_list(&delegate, DELEGATE_NAME, 1, &name) || !blob_size(reader, &delegate, &bytes)) {
            return false;
        }
        if (bytes == 0) {
            continue;
        }
        char text[80];
        snprintf(text, sizeof text, "blob of delegate %" PRIu64 ": %.32s", index,
                 sw_quote(reader->input->bytes + name.at, name.count).text);
        reader->blobs[index] = sw_unique_text(&reader->placed.arena, text, strlen(text));
        struct sw_buffer_spec spec = {
            .name = reader->blobs[index], .kind = SW_KIND_CONSTANT, .has_size = true, .size = bytes};
        if (!reader->blobs[index] || !sw_builder_buffer(reader->builder, &spec, reader->error)) {
            return reader->blobs[index] ? false : sw_fail_memory(reader->error);
        }
        reader->blob_count++;
        reader->blob_bytes += reader->blob_bytes < SW_MAX_BYTES ? bytes : 0;
    }
    return true;
}

/* A delegate reads its blob. */
static bool list_blob(struct pte_reader *reader, const struct pte_call *call, size_t *kept) {
    bool known = call->kind == CALL_DELEGATE && call->index < reader->delegates.count;
    const char *blob = known ? reader->blobs[call->index] : NULL;
    *kept += blob != NULL;
    return !blob || SW_PUSH(&reader->names, blob) || sw_fail_memory(reader->error);
}

static bool add_call_operators(struct pte_reader *reader) {
    for (size_t i = 0; i < reader->calls.count; i++) {
        const struct pte_call *call = &reader->calls.items[i];
        size_t inputs = 0, outputs = 0;
        reader->names.count = 0;
        if (!list_argument_names(reader, call->from, call->reads, &inputs) || !list_blob(reader, call, &inputs) ||
            !list_argument_names(reader, call->from + call->reads, call->writes, &outputs)) {
            return false;
        }
        struct sw_operator_spec spec = {.name = call->name,
                                        .kind = call_kinds[call->kind],
                                        .inputs = reader->names.items,
                                        .outputs = inputs ? reader->names.items + inputs : reader->names.items,
                                        .input_count = inputs,
                                        .output_count = outputs};
        if (!sw_builder_operator(reader->builder, &spec, reader->error)) {
            return false;
        }
    }
    return true;
}

/* How large the program asks each memory to be, whether or not its tensors fill it. */
static bool note_totals(struct pte_reader *reader) {
    char text[400] = "";
    size_t used = 0;
    for (size_t i = 0; i < reader->sizes.count && used + 60 < sizeof text; i++) {
        uint64_t bytes = sw_flat_item(&reader->sizes, i);
        if (bytes > 0) {
            used += (size_t)snprintf(text + used, sizeof text - used, "%smemory %zu: %s bytes", used ? ", " : "", i,
                                     SW_COUNT(bytes));
        }
    }
    return used == 0 || sw_notef(reader->builder, reader->error, "the program asks for %s", text);
}

static bool note_program(struct pte_reader *reader, size_t plans) {
    struct sw_builder *builder = reader->builder;
    uint64_t delegates = 0;
    for (size_t i = 0; i < reader->calls.count; i++) {
        delegates += reader->calls.items[i].kind == CALL_DELEGATE;
    }
    return sw_builder_note(builder,
                           "lifetimes follow from the instructions: both ends are inside; inputs are "
                           "there from the start, outputs to the end",
                           reader->error) &&
           note_totals(reader) &&
           (reader->weights == 0 || sw_notef(builder, reader->error, "weights (%" PRIu64 ", %s bytes) are left out",
                                             reader->weights, SW_COUNT(reader->weight_bytes))) &&
           sw_note_count(builder, reader->error, reader->outside,
                         "tensors with memory that the caller or the runtime brings, left out: %" PRIu64) &&
           sw_note_count(builder, reader->error, reader->unused, "tensors no instruction names, left out: %" PRIu64) &&
           sw_note_count(builder, reader->error, reader->empty, "tensors without bytes, left out: %" PRIu64) &&
           sw_note_count(builder, reader->error, reader->views,
                         "tensors that no instruction writes, and that lie where others of their kind lay "
                         "before: %" PRIu64 "; they are views of those, and must stay with them") &&
           sw_note_count(builder, reader->error, delegates,
                         "delegates are opaque, what they plan inside is left out: %" PRIu64) &&
           (reader->blob_count == 0 ||
            sw_notef(builder, reader->error,
                     "blobs of delegates (%" PRIu64 ", %" PRIu64 " bytes) are constants, which are not planned",
                     reader->blob_count, reader->blob_bytes)) &&
           sw_note_count(builder, reader->error, reader->loops,
                         "what is used in a loop is taken to live through all of it; loops: %" PRIu64) &&
           (!reader->sixteen || reader->placed.rows.count == 0 ||
            sw_builder_note(builder,
                            "all offsets are multiples of 16, but the file does not demand it, and "
                            "other planners are not held to it",
                            reader->error)) &&
           sw_note_count(builder, reader->error, plans - 1, "other methods, left out: %" PRIu64);
}

/* ---- the file ---- */

/* "forward" when there is one, else the first. */
static bool find_plan(struct pte_reader *reader, size_t *plans) {
    struct sw_flat root, plan;
    struct sw_flat_list list, name;
    if (!sw_flat_root(reader->input, "ET12", &root, reader->error) || !sw_flat_list(&root, PROGRAM_PLANS, 4, &list)) {
        return false;
    }
    *plans = list.count;
    reader->program = root;
    if (list.count == 0) {
        return sw_flat_fail(&root, root.at, "a program without a method");
    }
    for (size_t i = 0; i < list.count; i++) {
        if (!sw_flat_item_table(&list, i, &plan) || !sw_flat_list(&plan, PLAN_NAME, 1, &name)) {
            return false;
        }
        if (i == 0 || (name.count == 7 && memcmp(reader->input->bytes + name.at, "forward", 7) == 0)) {
            reader->plan = plan;
        }
    }
    return sw_flat_list(&reader->plan, PLAN_OPERATORS, 4, &reader->operators) &&
           sw_flat_list(&reader->plan, PLAN_DELEGATES, 4, &reader->delegates);
}

static bool read_pte(struct pte_reader *reader) {
    size_t plans = 0;
    return find_plan(reader, &plans) && read_values(reader) && mark_plan_ends(reader, PLAN_INPUTS, false) &&
           mark_plan_ends(reader, PLAN_OUTPUTS, true) && read_chains(reader) && add_value_rows(reader) &&
           sw_flat_list(&reader->plan, PLAN_SIZES, 8, &reader->sizes) && add_memory_tiers(reader) &&
           sw_placed_build(&reader->placed, SW_ALIAS_SAME_START, reader->builder, reader->error) && add_blobs(reader) &&
           note_program(reader, plans) && add_call_operators(reader);
}

static bool pte_read(const struct sw_input *input, const struct sw_load_options *options, struct sw_builder *builder,
                     struct sw_error *error) {
    (void)options;
    struct pte_reader reader = {
        .input = input, .builder = builder, .error = error, .budget = input->length, .sixteen = true};
    bool good = read_pte(&reader);
    sw_placed_done(&reader.placed);
    SW_ARRAY_DONE(&reader.values, &reader.calls, &reader.arguments, &reader.names);
    return good;
}

static bool pte_detect(const struct sw_input *input) {
    return sw_flat_marked(input, "ET12");
}

const struct sw_format sw_format_pte = {
    .name = "pte",
    .summary = "the memory plan in an ExecuTorch program; steps are its instructions",
    .extensions = ".pte",
    .most_binary = UINT64_C(1) << 31,
    .detect = pte_detect,
    .read = pte_read,
};
