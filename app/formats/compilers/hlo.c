/* XLA's HLO: what each instruction of the entry computation reads and writes, in the order of the text, which in a
 * scheduled module is the order of execution.
 *
 * Every array of a result is a value; a tuple is only the values that it holds. What gives an array another name (a
 * bitcast, an element of a tuple, the end of an asynchronous copy) is that value. Calls, loops and branches are
 * followed where they are called; what a fusion or a reduction holds inside has no buffer. */
#include "formats/compilers/hlo.h"
#include "base/base.h"

#define MOST_SLOTS ((size_t)1 << 22) /* results of all instructions, with those of computations as often as called */
#define MOST_CALL_DEPTH 200

/* The values that an instruction's leaves have while a computation is followed: `slots` from `base` on. */
struct hlo_frame {
    const struct hlo_computation *computation;
    size_t base;
    const size_t *arguments; /* where in the slots those of each parameter begin */
    const size_t *lengths;
    size_t argument_count;
    unsigned depth;
};

/* A computation, once for every call. */
struct followed {
    const struct hlo_computation *computation;
    size_t base;
};

struct lowering {
    struct hlo_module module;
    struct sw_program program;
    const struct hlo_frame *frame; /* of the computation that is followed; NULL */
    SW_ARRAY(uint32_t) slots;      /* values; SW_NONE: no bytes */
    SW_ARRAY(uint32_t) loops;      /* per value: the last loop that carries it */
    SW_ARRAY(struct followed) followed;
    SW_ARRAY(size_t) results; /* of the branches that are followed: where in the slots each begins */
    const char *tiers[SW_MAX_TIERS];
    uint32_t spaces[SW_MAX_TIERS], space_count;
    uint32_t loop_count, calls, branches, fusions, donated;
};

static const struct hlo_instruction *instruction_at(const struct lowering *low, size_t i) {
    return &low->module.instructions.items[i];
}

static size_t value_slot(const struct hlo_frame *frame, const struct hlo_instruction *instruction) {
    return frame->base + instruction->shape.first_leaf - frame->computation->first_leaf;
}

static const struct hlo_instruction *operand_at(const struct lowering *low, const struct hlo_instruction *instruction,
                                                size_t i) {
    return instruction_at(low, low->module.operands.items[instruction->first_operand + i]);
}

static bool is_opcode(const struct hlo_instruction *instruction, const char *opcode) {
    return sw_text_is(instruction->opcode, opcode);
}

static bool opcode_ends_in(struct sw_input_text text, const char *word) {
    size_t length = strlen(word);
    return text.length > length && memcmp(text.at + text.length - length, word, length) == 0;
}

static bool fail_at(struct lowering *low, const struct hlo_instruction *instruction, const char *what) {
    return hlo_fail(&low->module, instruction->name.at, "%s: %s",
                    sw_quote(instruction->name.at, instruction->name.length).text, what);
}

/* ---- values ---- */

static bool find_space_tier(struct lowering *low, uint32_t space, const char **tier) {
    char name[40];
    for (uint32_t i = 0; i < low->space_count; i++) {
        if (low->spaces[i] == space) {
            *tier = low->tiers[i];
            return true;
        }
    }
    if (low->space_count == SW_MAX_TIERS) {
        return sw_fail(low->program.error, SW_ERROR_INPUT, "more than %d memory spaces", SW_MAX_TIERS);
    }
    int length = snprintf(name, sizeof name, "S(%" PRIu32 ")", space);
    *tier = sw_arena_string(&low->program.arena, name, (size_t)length);
    low->spaces[low->space_count] = space;
    low->tiers[low->space_count++] = *tier;
    return *tier != NULL || sw_fail_memory(low->program.error);
}

/* "name{1,0}": elements as XLA's own reports name them. */
static bool append_path(const struct lowering *low, const struct hlo_shape *shape, size_t leaf, char *text,
                        size_t size) {
    const size_t *children = &low->module.children.items[shape->first_child];
    size_t child = 0;
    while (child + 1 < shape->child_count && children[child + 1] <= leaf) {
        child++;
    }
    size_t within = leaf - children[child];
    size_t length =
        child + 1 < shape->child_count ? children[child + 1] - children[child] : shape->leaf_count - children[child];
    return length > 1 ? snprintf(text, size, "{%zu,%zu}", child, within) > 0 : snprintf(text, size, "{%zu}", child) > 0;
}

static bool name_leaf(struct lowering *low, const struct hlo_instruction *instruction, size_t leaf,
                      struct sw_input_text *name) {
    char path[64] = "";
    *name = instruction->name;
    if (!instruction->shape.tuple || instruction->shape.child_count == 0) {
        return true;
    }
    append_path(low, &instruction->shape, leaf, path, sizeof path);
    size_t length = name->length + strlen(path);
    char *text = sw_arena_new(&low->program.arena, length + 1, 1);
    if (!text) {
        return sw_fail_memory(low->program.error);
    }
    memcpy(text, name->at, name->length);
    memcpy(text + name->length, path, strlen(path) + 1);
    *name = (struct sw_input_text){text, length};
    return true;
}

static bool new_leaf(struct lowering *low, const struct hlo_instruction *instruction, size_t leaf, enum sw_kind kind,
                     uint32_t *slot) {
    const struct hlo_leaf *shape = &low->module.leaves.items[instruction->shape.first_leaf + leaf];
    struct sw_value value = {.size = shape->size,
                             .dtype = shape->dtype,
                             .kind = kind,
                             .same = SW_NONE,
                             .line = instruction->position.line,
                             .column = instruction->position.column};
    *slot = SW_NONE;
    if (shape->size == 0) {
        return true;
    }
    return find_space_tier(low, shape->space, &value.tier) && name_leaf(low, instruction, leaf, &value.name) &&
           sw_program_value(&low->program, &value, slot) &&
           (SW_PUSH(&low->loops, 0) || sw_fail_memory(low->program.error));
}

static bool all_fresh(struct lowering *low, const struct hlo_instruction *instruction, size_t slot, enum sw_kind kind) {
    for (size_t i = 0; i < instruction->shape.leaf_count; i++) {
        uint32_t value;
        if (!new_leaf(low, instruction, i, kind, &value)) {
            return false;
        }
        low->slots.items[slot + i] = value;
    }
    return true;
}

static bool copy_slots(struct lowering *low, const struct hlo_instruction *instruction, size_t to, size_t from,
                       size_t count) {
    if (count != instruction->shape.leaf_count) {
        return fail_at(low, instruction, "its shape is not that of what it stands for");
    }
    memmove(&low->slots.items[to], &low->slots.items[from], count * sizeof *low->slots.items);
    return true;
}

/* ---- nodes ---- */

static bool begin_hlo_node(struct lowering *low, const struct hlo_instruction *instruction, bool inplace) {
    struct sw_program_node node = {.name = instruction->name,
                                   .kind = instruction->opcode,
                                   .inplace = inplace,
                                   .line = instruction->position.line,
                                   .column = instruction->position.column};
    return sw_program_node(&low->program, &node);
}

static bool add_slots(struct lowering *low, size_t from, size_t count, enum sw_role role) {
    for (size_t i = 0; i < count; i++) {
        uint32_t value = low->slots.items[from + i];
        if (value != SW_NONE && !sw_program_argument(&low->program, value, role)) {
            return false;
        }
    }
    return true;
}

static bool use_operands(struct lowering *low, const struct hlo_instruction *instruction) {
    for (size_t i = 0; i < instruction->operand_count; i++) {
        const struct hlo_instruction *operand = operand_at(low, instruction, i);
        if (!add_slots(low, value_slot(low->frame, operand), operand->shape.leaf_count, SW_ROLE_READ)) {
            return false;
        }
    }
    return true;
}

/* Results that the instruction itself says lie over an operand. */
static bool own_aliases(struct lowering *low, const struct hlo_instruction *instruction) {
    struct sw_input_text list;
    struct hlo_alias alias = {0};
    int64_t element;
    size_t depth;
    if (!hlo_attribute(instruction->attributes, "output_to_operand_aliasing", &list)) {
        return true;
    }
    const char *at = list.at + 1, *end = list.at + list.length;
    while (hlo_next_alias(&low->module, &at, end, &instruction->shape, &alias, &element, &depth)) {
        if (alias.operand >= instruction->operand_count) {
            continue;
        }
        const struct hlo_instruction *operand = operand_at(low, instruction, alias.operand);
        if (hlo_leaf_of(&low->module, &operand->shape, element, depth, &alias.leaf)) {
            low->slots.items[value_slot(low->frame, instruction) + alias.result] =
                low->slots.items[value_slot(low->frame, operand) + alias.leaf];
        }
    }
    return true;
}

static bool lower_plain(struct lowering *low, const struct hlo_instruction *instruction) {
    size_t slot = value_slot(low->frame, instruction);
    low->fusions += is_opcode(instruction, "fusion");
    return all_fresh(low, instruction, slot, SW_KIND_INTERMEDIATE) && own_aliases(low, instruction) &&
           begin_hlo_node(low, instruction, hlo_elementwise(instruction->opcode)) && use_operands(low, instruction) &&
           add_slots(low, slot, instruction->shape.leaf_count, SW_ROLE_WRITE);
}

/* The result of "X-start" has the operands in it as well: its first element, of a copy its second. */
static bool begin_async(struct lowering *low, const struct hlo_instruction *instruction) {
    size_t slot = value_slot(low->frame, instruction), first = 0, count = 0, given = 0;
    uint64_t child = is_opcode(instruction, "copy-start") ? 1 : 0;
    bool whole = is_opcode(instruction, "all-reduce-start") || is_opcode(instruction, "recv");
    for (size_t i = 0; i < instruction->operand_count; i++) {
        given += operand_at(low, instruction, i)->shape.leaf_count;
    }
    if (!all_fresh(low, instruction, slot, SW_KIND_INTERMEDIATE)) {
        return false;
    }
    if (!whole && hlo_child(&low->module, &instruction->shape, child, &first, &count) &&
        count + is_opcode(instruction, "send") <= given) {
        for (size_t i = 0, at = 0; i < instruction->operand_count && at < count; i++) {
            const struct hlo_instruction *operand = operand_at(low, instruction, i);
            for (size_t k = 0; k < operand->shape.leaf_count && at < count; k++, at++) {
                low->slots.items[slot + first + at] = low->slots.items[value_slot(low->frame, operand) + k];
            }
        }
    }
    return begin_hlo_node(low, instruction, false) && use_operands(low, instruction) &&
           add_slots(low, slot, instruction->shape.leaf_count, SW_ROLE_WRITE);
}

/* "X-done" gives what "X-start" made, and until then its operands are needed. */
static bool end_async(struct lowering *low, const struct hlo_instruction *instruction) {
    const struct hlo_instruction *begun = operand_at(low, instruction, 0);
    size_t slot = value_slot(low->frame, instruction), from = value_slot(low->frame, begun), first = 0, count = 0;
    bool early = is_opcode(instruction, "copy-done") || is_opcode(instruction, "recv-done") ||
                 is_opcode(instruction, "send-done");
    size_t wanted = instruction->shape.leaf_count;
    if (!begin_hlo_node(low, instruction, false) || !use_operands(low, instruction)) {
        return false;
    }
    if (wanted != begun->shape.leaf_count && !early && hlo_child(&low->module, &begun->shape, 1, &first, &count) &&
        count >= wanted) {
        return copy_slots(low, instruction, slot, from + first, wanted);
    }
    if (wanted > begun->shape.leaf_count) {
        return fail_at(low, instruction, "its shape is not that of what it ends");
    }
    return copy_slots(low, instruction, slot, from, wanted);
}

/* ---- computations that are called ---- */

/* Where the values of a computation's root begin, and how many they are. */
struct root {
    size_t at, count;
};

static bool follow_computation(struct lowering *low, const struct hlo_frame *frame);

static uint32_t find_computation(struct lowering *low, struct sw_input_text name) {
    name.length -= name.length > 0 && name.at[0] == '%';
    name.at += name.length > 0 && name.at[0] == '%';
    for (size_t i = 0; i < name.length; i++) { /* a comment may stand behind it */
        name.length = strchr(" \t\r\n", name.at[i]) ? i : name.length;
    }
    return sw_names_find(&low->module.computation_names, name.at, name.length);
}

/* Follow a computation. */
static bool call_computation(struct lowering *low, const struct hlo_instruction *instruction, struct sw_input_text name,
                             const size_t *arguments, const size_t *lengths, size_t count, struct root *root) {
    uint32_t number = find_computation(low, name);
    if (number == SW_NONE) {
        return fail_at(low, instruction, "the computation that it calls is not in the module");
    }
    struct hlo_computation *computation = &low->module.computations.items[number];
    struct hlo_frame frame = {.computation = computation,
                              .base = low->slots.count,
                              .arguments = arguments,
                              .lengths = lengths,
                              .argument_count = count,
                              .depth = low->frame ? low->frame->depth + 1 : 0};
    if (computation->active || frame.depth > MOST_CALL_DEPTH) {
        return fail_at(low, instruction,
                       computation->active ? "the computation calls itself"
                                           : "computations call each other too many levels deep");
    }
    if (computation->leaf_count > MOST_SLOTS - low->slots.count) {
        return fail_at(low, instruction, "what the computations call is too much to be followed");
    }
    if (!SW_RESERVE(&low->slots, low->slots.count + computation->leaf_count)) {
        return sw_fail_memory(low->program.error);
    }
    for (size_t i = 0; i < computation->leaf_count; i++) {
        low->slots.items[low->slots.count++] = SW_NONE;
    }
    if (!SW_PUSH(&low->followed, (struct followed){computation, frame.base})) {
        return sw_fail_memory(low->program.error);
    }
    computation->active = true;
    bool good = follow_computation(low, &frame);
    computation->active = false;
    const struct hlo_instruction *last = instruction_at(low, computation->root);
    *root = (struct root){value_slot(&frame, last), last->shape.leaf_count};
    return good;
}

static bool lower_call(struct lowering *low, const struct hlo_instruction *instruction) {
    struct sw_input_text name = {0};
    struct root root = {0};
    size_t count = instruction->operand_count;
    size_t *places = SW_NEW(size_t, 2 * count + 1);
    bool good = places != NULL || sw_fail_memory(low->program.error);
    low->calls++;
    if (good && !hlo_attribute(instruction->attributes, "to_apply", &name)) {
        good = fail_at(low, instruction, "no computation to call: to_apply=...");
    }
    for (size_t i = 0; good && i < count; i++) {
        const struct hlo_instruction *operand = operand_at(low, instruction, i);
        places[i] = value_slot(low->frame, operand);
        places[count + i] = operand->shape.leaf_count;
    }
    good = good && call_computation(low, instruction, name, places, places + count, count, &root) &&
           copy_slots(low, instruction, value_slot(low->frame, instruction), root.at, root.count);
    SW_FREE(places, 2 * count + 1);
    return good;
}

/* May a loop go on in these bytes? Not in a constant's or a parameter's. */
static bool hlo_is_own(struct lowering *low, uint32_t value) {
    return low->program.values.items[sw_program_root(&low->program, value)].kind == SW_KIND_INTERMEDIATE;
}

/* The variables of a loop: those of its operand where they may be written, else copies made before it. */
static bool carry_variables(struct lowering *low, const struct hlo_instruction *instruction) {
    const struct hlo_instruction *operand = operand_at(low, instruction, 0);
    size_t slot = value_slot(low->frame, instruction), from = value_slot(low->frame, operand), copies = 0;
    for (size_t i = 0; i < instruction->shape.leaf_count; i++) {
        uint32_t value = low->slots.items[from + i];
        uint32_t root = value == SW_NONE ? SW_NONE : sw_program_root(&low->program, value);
        bool own = value == SW_NONE || (hlo_is_own(low, value) && low->loops.items[root] != low->loop_count);
        if (!own) {
            if (!new_leaf(low, instruction, i, SW_KIND_INTERMEDIATE, &value)) {
                return false;
            }
            root = value;
            copies++;
        }
        low->slots.items[slot + i] = value;
        if (root != SW_NONE) {
            low->loops.items[root] = low->loop_count;
        }
    }
    if (copies == 0) {
        return true;
    }
    if (!begin_hlo_node(low, instruction, false)) {
        return false;
    }
    low->program.nodes.items[low->program.nodes.count - 1].kind = (struct sw_input_text){"copy", strlen("copy")};
    for (size_t i = 0; i < instruction->shape.leaf_count; i++) {
        if (low->slots.items[slot + i] != low->slots.items[from + i] &&
            (!add_slots(low, from + i, 1, SW_ROLE_READ) || !add_slots(low, slot + i, 1, SW_ROLE_WRITE))) {
            return false;
        }
    }
    return true;
}

/* The condition and the body once. What the body leaves lies where the variables do, so that the next round finds it.
 */
static bool lower_while(struct lowering *low, const struct hlo_instruction *instruction) {
    struct sw_input_text condition = {0}, body = {0};
    struct root root = {0};
    size_t slot = value_slot(low->frame, instruction), leaves = instruction->shape.leaf_count;
    if (instruction->operand_count != 1 || operand_at(low, instruction, 0)->shape.leaf_count != leaves ||
        !hlo_attribute(instruction->attributes, "condition", &condition) ||
        !hlo_attribute(instruction->attributes, "body", &body)) {
        return fail_at(low, instruction, "a loop needs one operand of its shape, condition=... and body=...");
    }
    uint32_t loop = ++low->loop_count;
    if (!carry_variables(low, instruction) ||
        !call_computation(low, instruction, condition, &slot, &leaves, 1, &root) ||
        !call_computation(low, instruction, body, &slot, &leaves, 1, &root)) {
        return false;
    }
    if (root.count != leaves) {
        return fail_at(low, instruction, "the body's result is not of the loop's shape");
    }
    for (size_t i = 0; i < leaves; i++) { /* loops inside may have marked them as theirs */
        uint32_t variable = low->slots.items[slot + i];
        if (variable != SW_NONE) {
            low->loops.items[sw_program_root(&low->program, variable)] = loop;
        }
    }
    for (size_t i = 0; i < leaves; i++) {
        uint32_t variable = low->slots.items[slot + i], left = low->slots.items[root.at + i];
        if (variable != SW_NONE && left != SW_NONE && hlo_is_own(low, left) &&
            low->loops.items[sw_program_root(&low->program, left)] != loop) {
            sw_program_join(&low->program, variable, left);
        }
    }
    return begin_hlo_node(low, instruction, false) && add_slots(low, slot, leaves, SW_ROLE_READ) &&
           add_slots(low, slot, leaves, SW_ROLE_WRITE) && add_slots(low, root.at, leaves, SW_ROLE_READ);
}

/* A name in "{%a, %b}" or alone; `at` moves past it. */
static bool next_name(const char **at, const char *end, struct sw_input_text *name) {
    while (*at < end && (**at == '{' || **at == ',' || **at == ' ' || **at == '%')) {
        ++*at;
    }
    *name = (struct sw_input_text){*at, 0};
    while (*at < end && **at != ',' && **at != '}' && **at != ' ') {
        ++*at;
    }
    name->length = (size_t)(*at - name->at);
    return name->length > 0;
}

static bool lower_branch(struct lowering *low, const struct hlo_instruction *instruction, struct sw_input_text name,
                         size_t number) {
    if (number + 1 >= instruction->operand_count) {
        return fail_at(low, instruction, "it has more branches than operands for them");
    }
    const struct hlo_instruction *operand = operand_at(low, instruction, number + 1);
    size_t place = value_slot(low->frame, operand), length = operand->shape.leaf_count;
    struct root root = {0};
    size_t before = low->program.values.count, slot = value_slot(low->frame, instruction);
    if (!call_computation(low, instruction, name, &place, &length, 1, &root)) {
        return false;
    }
    size_t leaves = instruction->shape.leaf_count;
    if (root.count != leaves) {
        return fail_at(low, instruction, "the result of a branch is not of its shape");
    }
    /* What a branch makes itself it makes in the place of the result. */
    for (size_t i = 0; i < leaves; i++) {
        uint32_t whole = low->slots.items[slot + i], left = low->slots.items[root.at + i];
        if (whole != SW_NONE && left != SW_NONE && sw_program_root(&low->program, left) >= before &&
            hlo_is_own(low, left)) {
            sw_program_join(&low->program, whole, left);
        }
    }
    return SW_PUSH(&low->results, root.at) || sw_fail_memory(low->program.error);
}

/* Each branch after the other; what a branch only passes on is copied into the result. */
static bool lower_branches(struct lowering *low, const struct hlo_instruction *instruction) {
    static const char *const words[] = {"branch_computations", "true_computation", "false_computation"};
    size_t slot = value_slot(low->frame, instruction), leaves = instruction->shape.leaf_count, number = 0,
           before = low->results.count; /* branches within branches have theirs behind these */
    bool good = all_fresh(low, instruction, slot, SW_KIND_INTERMEDIATE);
    low->branches++;
    for (size_t w = 0; good && w < sizeof words / sizeof *words; w++) {
        struct sw_input_text list, name;
        if (!hlo_attribute(instruction->attributes, words[w], &list)) {
            continue;
        }
        const char *at = list.at, *end = list.at + list.length;
        while (good && next_name(&at, end, &name)) {
            good = lower_branch(low, instruction, name, number++);
        }
    }
    good = good && begin_hlo_node(low, instruction, false) && use_operands(low, instruction);
    for (size_t i = before; good && i < low->results.count; i++) {
        good = add_slots(low, low->results.items[i], leaves, SW_ROLE_READ);
    }
    low->results.count = before;
    return good && add_slots(low, slot, leaves, SW_ROLE_WRITE);
}

/* ---- instructions ---- */

static bool lower_parameter(struct lowering *low, const struct hlo_instruction *instruction) {
    const char *at = instruction->literal.at;
    uint64_t number = 0;
    if (!sw_take_number(&at, at + instruction->literal.length, &number)) {
        return fail_at(low, instruction, "the parameter has no number");
    }
    size_t slot = value_slot(low->frame, instruction);
    if (!low->frame->arguments) {
        return all_fresh(low, instruction, slot, SW_KIND_INPUT);
    }
    if (number >= low->frame->argument_count) {
        return fail_at(low, instruction, "the caller gives fewer parameters");
    }
    return copy_slots(low, instruction, slot, low->frame->arguments[number], low->frame->lengths[number]);
}

static bool lower_tuple(struct lowering *low, const struct hlo_instruction *instruction) {
    size_t slot = value_slot(low->frame, instruction), count = 0;
    for (size_t i = 0; i < instruction->operand_count; i++) {
        const struct hlo_instruction *operand = operand_at(low, instruction, i);
        size_t more = operand->shape.leaf_count;
        if (more > instruction->shape.leaf_count - count) {
            return fail_at(low, instruction, "the tuple holds more than its shape says");
        }
        memmove(&low->slots.items[slot + count], &low->slots.items[value_slot(low->frame, operand)],
                more * sizeof *low->slots.items);
        count += more;
    }
    return count == instruction->shape.leaf_count ||
           fail_at(low, instruction, "the tuple holds less than its shape says");
}

static bool lower_element(struct lowering *low, const struct hlo_instruction *instruction) {
    const struct hlo_instruction *operand = operand_at(low, instruction, 0);
    struct sw_input_text index = {0};
    uint64_t child = 0;
    size_t first = 0, count = 0;
    const char *at = hlo_attribute(instruction->attributes, "index", &index) ? index.at : NULL;
    if (!at || !sw_take_number(&at, at + index.length, &child) ||
        !hlo_child(&low->module, &operand->shape, child, &first, &count)) {
        return fail_at(low, instruction, "there is no such element: index=...");
    }
    return copy_slots(low, instruction, value_slot(low->frame, instruction), value_slot(low->frame, operand) + first,
                      count);
}

static bool lower_constant(struct lowering *low, const struct hlo_instruction *instruction) {
    return all_fresh(low, instruction, value_slot(low->frame, instruction), SW_KIND_CONSTANT);
}

static bool lower_one(struct lowering *low, const struct hlo_instruction *instruction) {
    static const struct {
        const char *opcode;
        bool (*lower)(struct lowering *, const struct hlo_instruction *);
        bool of_nothing; /* also without operands */
    } rules[] = {{"parameter", lower_parameter, true},  {"constant", lower_constant, true},
                 {"tuple", lower_tuple, true},          {"get-tuple-element", lower_element, false},
                 {"while", lower_while, false},         {"call", lower_call, false},
                 {"conditional", lower_branches, false}};
    bool any = instruction->operand_count > 0;
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        if (is_opcode(instruction, rules[i].opcode) && (any || rules[i].of_nothing)) {
            return rules[i].lower(low, instruction);
        }
    }
    if (!any) {
        return lower_plain(low, instruction);
    }
    const struct hlo_instruction *operand = operand_at(low, instruction, 0);
    if (sw_text_in(instruction->opcode, "bitcast optimization-barrier opt-barrier domain add-dependency")) {
        return copy_slots(low, instruction, value_slot(low->frame, instruction), value_slot(low->frame, operand),
                          operand->shape.leaf_count);
    }
    if (is_opcode(instruction, "async-update") && operand->shape.leaf_count == instruction->shape.leaf_count) {
        return end_async(low, instruction);
    }
    if (opcode_ends_in(instruction->opcode, "-start") || opcode_ends_in(instruction->opcode, "-update") ||
        is_opcode(instruction, "send")) {
        return begin_async(low, instruction);
    }
    return opcode_ends_in(instruction->opcode, "-done") ? end_async(low, instruction) : lower_plain(low, instruction);
}

static bool follow_computation(struct lowering *low, const struct hlo_frame *frame) {
    const struct hlo_frame *caller = low->frame;
    bool good = true;
    low->frame = frame;
    for (size_t i = 0; good && i < frame->computation->count; i++) {
        good = lower_one(low, instruction_at(low, frame->computation->first + i));
    }
    low->frame = caller;
    return good;
}

/* ---- the module ---- */

/* The caller's arrays are there after the run as they were before it: a parameter lives to the end. */
static void keep_parameters(struct lowering *low, const struct hlo_computation *entry) {
    for (size_t i = 0; i < entry->count; i++) {
        const struct hlo_instruction *parameter = instruction_at(low, entry->first + i);
        size_t slot = parameter->shape.first_leaf - entry->first_leaf;
        for (size_t k = 0; is_opcode(parameter, "parameter") && k < parameter->shape.leaf_count; k++) {
            uint32_t value = low->slots.items[slot + k];
            if (value != SW_NONE) {
                low->program.values.items[value].output = true;
            }
        }
    }
}

/* Results that lie where a parameter does, as the module's header says: "input_output_alias={ {}: (0, {}, may-alias)
 * }". Such a parameter is given away: it ends with its last use. */
static bool donate(struct lowering *low, const struct hlo_computation *entry) {
    const struct hlo_instruction *root = instruction_at(low, entry->root);
    struct sw_input_text list;
    struct hlo_alias alias = {0};
    int64_t element;
    size_t depth;
    if (!hlo_attribute(low->module.header, "input_output_alias", &list)) {
        return true;
    }
    const char *at = list.at + 1, *end = list.at + list.length;
    while (hlo_next_alias(&low->module, &at, end, &root->shape, &alias, &element, &depth)) {
        for (size_t i = 0; alias.operand != SIZE_MAX && i < entry->count; i++) {
            const struct hlo_instruction *parameter = instruction_at(low, entry->first + i);
            const char *digits = parameter->literal.at;
            uint64_t number = 0;
            if (!is_opcode(parameter, "parameter") ||
                !sw_take_number(&digits, digits + parameter->literal.length, &number) || number != alias.operand ||
                !hlo_leaf_of(&low->module, &parameter->shape, element, depth, &alias.leaf)) {
                continue;
            }
            size_t base = entry->first_leaf;
            uint32_t given = low->slots.items[parameter->shape.first_leaf - base + alias.leaf];
            uint32_t made = low->slots.items[root->shape.first_leaf - base + alias.result];
            if (given != SW_NONE) {
                low->program.values.items[given].output = false;
            }
            if (given != SW_NONE && made != SW_NONE && hlo_is_own(low, made)) {
                sw_program_join(&low->program, given, made);
                low->donated++;
            }
        }
    }
    return true;
}

static bool add_hlo_tiers(struct lowering *low) {
    for (uint32_t i = 0; low->space_count > 1 && i < low->space_count; i++) {
        struct sw_tier tier = {.name = low->tiers[i], .capacity = SW_UNBOUNDED};
        if (!sw_builder_tier(low->program.builder, &tier, low->program.error)) {
            return false;
        }
    }
    for (size_t i = 0; low->space_count < 2 && i < low->program.values.count; i++) {
        low->program.values.items[i].tier = NULL;
    }
    return true;
}

static bool add_hlo_notes(struct lowering *low) {
    struct sw_builder *builder = low->program.builder;
    struct sw_error *error = low->program.error;
    struct sw_input_text word = {0};
    bool scheduled = hlo_attribute(low->module.header, "is_scheduled", &word) && sw_text_is(word, "true");
    return sw_builder_note(builder,
                           scheduled ? "step i is the i-th instruction of XLA's schedule that runs; a value lives "
                                       "from the one that makes it to the last that reads it, both inclusive"
                                     : "the module has no schedule: step i is the i-th instruction of the text that "
                                       "runs; "
                                       "a value lives from the one that makes it to the last that reads it, both "
                                       "inclusive",
                           error) &&
           sw_builder_note(builder,
                           "where XLA puts values is not in this text; NAME-buffer-assignment.txt beside "
                           "it has that",
                           error) &&
           sw_program_note(&low->program) &&
           (low->fusions == 0 ||
            sw_notef(builder, error, "%" PRIu32 " fusions: what they hold inside has no buffer", low->fusions)) &&
           (low->loop_count == 0 ||
            sw_notef(builder, error,
                     "%" PRIu32 " loops stand for one round each, their variables in one place all the time",
                     low->loop_count)) &&
           (low->branches == 0 ||
            sw_notef(builder, error,
                     "the branches of %" PRIu32 " conditionals stand one after the other; only one runs",
                     low->branches)) &&
           (low->donated == 0 ||
            sw_notef(builder, error, "%" PRIu32 " results lie where a parameter does (input_output_alias)",
                     low->donated));
}

static bool lower_module(struct lowering *low) {
    const struct hlo_computation *entry = &low->module.computations.items[low->module.entry];
    const struct hlo_instruction *root = instruction_at(low, entry->root);
    struct root result = {0};
    if (!call_computation(low, root, entry->name, NULL, NULL, 0, &result)) {
        return false;
    }
    keep_parameters(low, entry);
    if (!donate(low, entry)) {
        return false;
    }
    for (size_t i = 0; i < root->shape.leaf_count; i++) {
        uint32_t value = low->slots.items[result.at + i];
        if (value != SW_NONE) {
            low->program.values.items[value].output = true;
        }
    }
    if (low->program.nodes.count == 0) {
        return hlo_fail(&low->module, root->name.at, "there is nothing to plan: no instruction runs");
    }
    return true;
}

static bool name_module(struct lowering *low) {
    struct sw_input_text header = low->module.header;
    while (header.length > 0 && (*header.at == ' ' || *header.at == '%')) {
        header.at++;
        header.length--;
    }
    size_t length = 0;
    while (length < header.length && length < 100 && !strchr(", \r\n", header.at[length])) {
        length++;
    }
    const char *name = sw_unique_text(&low->program.arena, header.at, length);
    return name ? !*name || sw_builder_name(low->program.builder, name, low->program.error)
                : sw_fail_memory(low->program.error);
}

static void end_lowering(struct lowering *low) {
    sw_program_done(&low->program);
    hlo_done(&low->module);
    SW_ARRAY_DONE(&low->slots, &low->loops, &low->followed, &low->results);
}

static bool hlo_read(const struct sw_input *input, const struct sw_load_options *options, struct sw_builder *builder,
                     struct sw_error *error) {
    (void)options;
    struct lowering low = {.module = {.input = input, .error = error},
                           .program = {.input = input, .builder = builder, .error = error}};
    bool good = sw_text_check(input, error) && hlo_parse(&low.module) && name_module(&low) && lower_module(&low) &&
                add_hlo_tiers(&low) && sw_program_build(&low.program) && add_hlo_notes(&low);
    end_lowering(&low);
    return good;
}

/* ---- lifetimes alone ---- */

struct life {
    int64_t first, last;
};

static void find_lives(struct lowering *low, struct life *lives) {
    const struct sw_program *program = &low->program;
    int64_t end = (int64_t)program->nodes.count - 1;
    for (size_t i = 0; i < program->values.count; i++) {
        const struct sw_value *value = &program->values.items[i];
        lives[i].first = value->kind == SW_KIND_INTERMEDIATE ? end : 0;
        lives[i].last = value->kind == SW_KIND_CONSTANT || value->output ? end : 0;
    }
    for (size_t n = 0; n < program->nodes.count; n++) {
        const struct sw_program_node *node = &program->nodes.items[n];
        for (size_t i = 0; i < node->count; i++) {
            struct life *life = &lives[program->arguments.items[node->first + i].value];
            life->first = SW_MIN(life->first, (int64_t)n);
            life->last = SW_MAX(life->last, (int64_t)n);
        }
    }
}

static bool tell_range(struct lowering *low, const struct hlo_instruction *instruction, size_t leaf,
                       const struct life *life, hlo_range_fn *each, void *context) {
    struct sw_input_text name;
    if (!name_leaf(low, instruction, leaf, &name)) {
        return false;
    }
    if (name.at == instruction->name.at) {
        char *text = sw_arena_new(&low->program.arena, name.length + 3, 1);
        if (!text) {
            return sw_fail_memory(low->program.error);
        }
        memcpy(text, name.at, name.length);
        memcpy(text + name.length, "{}", 3);
        name = (struct sw_input_text){text, name.length + 2};
    }
    return each(context, name.at, name.length, life->first, life->last) || sw_fail_memory(low->program.error);
}

static bool tell_lives(struct lowering *low, const struct life *lives, hlo_range_fn *each, void *context) {
    for (size_t f = 0; f < low->followed.count; f++) {
        const struct followed *followed = &low->followed.items[f];
        struct hlo_frame frame = {.computation = followed->computation, .base = followed->base};
        for (size_t i = 0; i < followed->computation->count; i++) {
            const struct hlo_instruction *instruction = instruction_at(low, followed->computation->first + i);
            size_t slot = value_slot(&frame, instruction);
            for (size_t k = 0; k < instruction->shape.leaf_count; k++) {
                uint32_t value = low->slots.items[slot + k];
                if (value != SW_NONE && lives[value].first <= lives[value].last &&
                    !tell_range(low, instruction, k, &lives[value], each, context)) {
                    return false;
                }
            }
        }
    }
    return true;
}

bool hlo_ranges(const struct sw_input *input, hlo_range_fn *each, void *context, struct sw_error *error) {
    struct lowering low = {.module = {.input = input, .error = error}, .program = {.input = input, .error = error}};
    bool good = sw_text_check(input, error) && hlo_parse(&low.module) && lower_module(&low);
    struct life *lives = good ? SW_NEW(struct life, low.program.values.count + 1) : NULL;
    size_t count = low.program.values.count + 1;
    good = good && (lives || sw_fail_memory(error));
    if (good) {
        find_lives(&low, lives);
        good = tell_lives(&low, lives, each, context);
    }
    SW_FREE(lives, count);
    end_lowering(&low);
    return good;
}

const struct sw_format sw_format_hlo = {
    .name = "hlo",
    .summary = "XLA's HLO as text: step i is the i-th instruction that runs; lives from the "
               "instruction that makes a "
               "value to the last that reads it, both inside",
    .extensions = ".hlo .txt",
    .detect = hlo_detect,
    .read = hlo_read,
};
