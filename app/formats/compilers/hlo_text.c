/* Parsing HLO. An instruction is
 *
 *     ROOT %add.3 = f32[4,8]{1,0:T(8,128)S(1)} add(f32[4,8]{1,0} %a, %b), metadata={...}
 *
 * with or without percent signs, shapes of operands and layouts. Literals and attributes are skipped by their brackets;
 * those that matter are looked at later. */
#include "formats/compilers/hlo.h"
#include "base/base.h"

static bool hlo_fail_memory(struct hlo_module *module) {
    return sw_fail_memory(module->error);
}

/* ---- characters ---- */

static bool hlo_is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* Letters, digits and what names of instructions may hold besides. */
static bool hlo_is_name(char c) {
    return sw_is_letter(c) || sw_is_digit(c) || c == '_' || c == '.' || c == '-' || c == '<' || c == '>' || c == ':' ||
           (unsigned char)c >= 0x80;
}

static bool next_is(const struct hlo_module *module, const char *word) {
    size_t length = strlen(word);
    return (size_t)(module->end - module->at) >= length && memcmp(module->at, word, length) == 0;
}

/* Over blanks and comments. */
static void hlo_skip_blanks(struct hlo_module *module) {
    for (;;) {
        while (module->at < module->end && hlo_is_blank(*module->at)) {
            module->at++;
        }
        const char *stop = NULL;
        if (next_is(module, "//")) {
            stop = memchr(module->at, '\n', (size_t)(module->end - module->at));
        } else if (next_is(module, "/*")) {
            stop = memmem(module->at + 2, (size_t)(module->end - module->at - 2), "*/", 2);
            stop = stop ? stop + 1 : NULL;
        } else {
            return;
        }
        module->at = stop ? stop + 1 : module->end;
    }
}

/* From behind an opening bracket to behind the one that closes it. Texts in quotes are passed over. */
static bool skip_brackets(const char **from, const char *end) {
    size_t depth = 1;
    bool quoted = false;
    const char *at = *from;
    for (; at < end && depth > 0; at++) {
        if (quoted) {
            quoted = *at != '"';
            at += *at == '\\' && at + 1 < end;
        } else if (*at == '"') {
            quoted = true;
        } else if (*at == '(' || *at == '{' || *at == '[') {
            depth++;
        } else if (*at == ')' || *at == '}' || *at == ']') {
            depth--;
        }
    }
    *from = at;
    return depth == 0;
}

/* "{1,0}" at `at`: the only number, or -1 for none. Moves past it. False: it is nothing of the kind. */
static bool read_path(const char **at, const char *end, int64_t *index, size_t *count) {
    *index = -1;
    *count = 0;
    while (*at < end && hlo_is_blank(**at)) {
        ++*at;
    }
    if (*at == end || *(*at)++ != '{') {
        return false;
    }
    for (uint64_t number; *at < end && **at != '}';) {
        if (**at == ',' || hlo_is_blank(**at)) {
            ++*at;
            continue;
        }
        if (!sw_take_number(at, end, &number) || number > INT32_MAX) {
            return false;
        }
        *index = (int64_t)number;
        ++*count;
    }
    return *at < end && *(*at)++ == '}';
}

static struct sw_input_text take_hlo_name(struct hlo_module *module) {
    module->at += module->at < module->end && *module->at == '%';
    struct sw_input_text name = {module->at, 0};
    while (module->at < module->end && hlo_is_name(*module->at)) {
        module->at++;
    }
    name.length = (size_t)(module->at - name.at);
    return name;
}

/* ---- shapes ---- */

#define MOST_DIMS 64

struct array {
    unsigned bits; /* of an element, as it is stored */
    enum sw_dtype dtype;
    uint64_t dims[MOST_DIMS];
    size_t rank;
    size_t minor[MOST_DIMS]; /* dimensions, the one that moves fastest first */
    size_t minor_count;
    uint64_t tile[MOST_DIMS]; /* of the first tiling, 1: none */
    size_t tile_rank;
    uint64_t space;
};

static bool element_type(struct sw_input_text word, struct array *array) {
    static const struct {
        const char *word;
        uint8_t bits;
        enum sw_dtype dtype;
    } types[] = {
        {"pred", 8, SW_DTYPE_BOOL},    {"s2", 8, SW_DTYPE_NONE},        {"u2", 8, SW_DTYPE_NONE},
        {"s1", 8, SW_DTYPE_NONE},      {"u1", 8, SW_DTYPE_NONE},        {"s4", 8, SW_DTYPE_INT4},
        {"u4", 8, SW_DTYPE_UINT4},     {"s8", 8, SW_DTYPE_INT8},        {"u8", 8, SW_DTYPE_UINT8},
        {"s16", 16, SW_DTYPE_INT16},   {"u16", 16, SW_DTYPE_UINT16},    {"s32", 32, SW_DTYPE_INT32},
        {"u32", 32, SW_DTYPE_UINT32},  {"s64", 64, SW_DTYPE_INT64},     {"u64", 64, SW_DTYPE_UINT64},
        {"f16", 16, SW_DTYPE_FLOAT16}, {"bf16", 16, SW_DTYPE_BFLOAT16}, {"f32", 32, SW_DTYPE_FLOAT32},
        {"f64", 64, SW_DTYPE_FLOAT64}, {"c64", 64, SW_DTYPE_COMPLEX64}, {"c128", 128, SW_DTYPE_COMPLEX128},
        {"token", 0, SW_DTYPE_NONE},   {"opaque", 0, SW_DTYPE_NONE},
    };
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (sw_text_is(word, types[i].word)) {
            array->bits = types[i].bits;
            array->dtype = types[i].dtype;
            return true;
        }
    }
    /* f8e4m3fn and its many relatives, and smaller ones. */
    bool small = word.length > 3 && word.at[0] == 'f' && word.at[1] >= '4' && word.at[1] <= '8' && word.at[2] == 'e';
    array->bits = 8;
    array->dtype = small && word.at[1] == '8' ? SW_DTYPE_FLOAT8 : SW_DTYPE_NONE;
    return small;
}

/* "[4,<=8]": what may be shorter counts with its largest length. */
static bool read_array_dims(struct hlo_module *module, struct array *array) {
    const char *from = module->at;
    if (module->at == module->end || *module->at != '[') {
        return hlo_fail(module, from, "this is no shape");
    }
    module->at++;
    for (hlo_skip_blanks(module); module->at < module->end && *module->at != ']'; hlo_skip_blanks(module)) {
        if (next_is(module, "<=")) {
            module->at += 2;
        }
        if (next_is(module, "?")) {
            return hlo_fail(module, module->at, "a dimension without a bound, for which no buffer can be planned");
        }
        if (array->rank == MOST_DIMS || !sw_take_number(&module->at, module->end, &array->dims[array->rank])) {
            return hlo_fail(module, module->at, "the dimensions of the shape are not numbers");
        }
        array->rank++;
        hlo_skip_blanks(module);
        if (next_is(module, ",")) {
            module->at++;
        }
    }
    if (module->at == module->end) {
        return hlo_fail(module, from, "the shape is cut off");
    }
    module->at++;
    return true;
}

/* "T(8,128)": '*' joins a dimension to the next, which is not padded then. */
static void read_tile(struct array *array, const char *at, const char *end) {
    for (; at < end && *at != ')' && array->tile_rank < MOST_DIMS; array->tile_rank++) {
        uint64_t length = 1;
        if (*at == '*') {
            at++;
        } else if (!sw_take_number(&at, end, &length)) {
            return;
        }
        array->tile[array->tile_rank] = length ? length : 1;
        at += at < end && *at == ',';
    }
}

/* "{1,0:T(8,128)(2,1)S(1)E(4)}", behind the opening brace. */
static bool read_layout(struct hlo_module *module, struct array *array) {
    const char *from = module->at;
    const char *end = from;
    if (!skip_brackets(&end, module->end)) {
        return hlo_fail(module, from - 1, "the layout is cut off");
    }
    module->at = end--;
    const char *at = from;
    for (uint64_t dim; at < end && *at != ':' && array->minor_count < MOST_DIMS;) {
        if (!sw_take_number(&at, end, &dim) || dim >= array->rank) {
            return hlo_fail(module, at, "the layout does not fit the shape");
        }
        array->minor[array->minor_count++] = (size_t)dim;
        while (at < end && (*at == ',' || hlo_is_blank(*at))) {
            at++;
        }
    }
    for (; at < end; at++) {
        bool open = at + 1 < end && at[1] == '(';
        const char *inside = at + 2;
        uint64_t number = 0;
        if (open && *at == 'T' && array->tile_rank == 0) {
            read_tile(array, inside, end);
        } else if (open && *at == 'S' && sw_take_number(&inside, end, &number) && number < 1000) {
            array->space = number;
        } else if (open && *at == 'E' && sw_take_number(&inside, end, &number) && number > 0 && number <= 128) {
            array->bits = (unsigned)number;
        }
    }
    return true;
}

static uint64_t dim_from_minor(const struct array *array, size_t i) {
    if (i >= array->rank) {
        return 1;
    }
    bool given = array->minor_count == array->rank;
    return array->dims[given ? array->minor[i] : array->rank - 1 - i];
}

/* Tiles cover the dimensions that move fastest; what they cover only in part is padded. */
static bool array_size(const struct array *array, uint64_t *size) {
    uint64_t elements = 1;
    size_t count = SW_MAX(array->rank, array->tile_rank);
    for (size_t i = 0; i < count; i++) {
        uint64_t length = dim_from_minor(array, i);
        uint64_t tile = i < array->tile_rank ? array->tile[array->tile_rank - 1 - i] : 1;
        if (length > SW_MAX_BYTES || tile > SW_MAX_BYTES) {
            return false;
        }
        uint64_t padded = (length + tile - 1) / tile;
        if (__builtin_mul_overflow(padded, tile, &padded) ||
            (padded > 0 && elements > 0 && __builtin_mul_overflow(elements, padded, &elements))) {
            return false;
        }
        elements = padded == 0 ? 0 : elements;
    }
    return sw_bytes_of(elements, array->bits, size);
}

static bool read_array(struct hlo_module *module) {
    struct array array = {0};
    struct hlo_leaf leaf = {0};
    const char *from = module->at;
    struct sw_input_text type = {from, 0};
    while (module->at < module->end && hlo_is_name(*module->at)) {
        module->at++;
    }
    type.length = (size_t)(module->at - from);
    if (next_is(module, "(")) {
        return hlo_fail(module, from, "the instruction has no shape before its opcode");
    }
    if (!element_type(type, &array)) {
        return hlo_fail(module, from, "%s is no known element type", sw_quote(type.at, type.length).text);
    }
    if (!read_array_dims(module, &array)) {
        return false;
    }
    if (next_is(module, "{")) {
        module->at++;
        if (!read_layout(module, &array)) {
            return false;
        }
    }
    if (!array_size(&array, &leaf.size)) {
        return hlo_fail(module, from, "the array is larger than 2^61 bytes");
    }
    leaf.dtype = array.dtype;
    leaf.space = (uint32_t)array.space;
    return SW_PUSH(&module->leaves, leaf) || hlo_fail_memory(module);
}

/* A shape; of a tuple, where the leaves of each element begin. Tuples in tuples are few levels deep. */
static bool read_hlo_shape(struct hlo_module *module, struct hlo_shape *shape, unsigned depth) {
    *shape = (struct hlo_shape){.first_leaf = module->leaves.count};
    hlo_skip_blanks(module);
    if (!next_is(module, "(")) {
        if (!read_array(module)) {
            return false;
        }
        shape->leaf_count = 1;
        return true;
    }
    const char *from = module->at++;
    SW_ARRAY(size_t) children = {0};
    bool good = depth < 32 || hlo_fail(module, from, "tuples more than 32 levels deep");
    shape->tuple = true;
    for (hlo_skip_blanks(module); good && !next_is(module, ")"); hlo_skip_blanks(module)) {
        struct hlo_shape element;
        size_t at = module->leaves.count - shape->first_leaf;
        good = SW_PUSH(&children, at) || hlo_fail_memory(module);
        good = good && read_hlo_shape(module, &element, depth + 1);
        hlo_skip_blanks(module);
        if (good && next_is(module, ",")) {
            module->at++;
        } else if (good && !next_is(module, ")")) {
            good = hlo_fail(module, module->at, "the tuple's shape is cut off");
        }
    }
    module->at += good;
    shape->leaf_count = module->leaves.count - shape->first_leaf;
    shape->first_child = module->children.count;
    shape->child_count = children.count;
    for (size_t i = 0; good && i < children.count; i++) {
        good = SW_PUSH(&module->children, children.items[i]) || hlo_fail_memory(module);
    }
    SW_ARRAY_DONE(&children);
    return good;
}

/* ---- instructions ---- */

/* The last word of an operand is its name, whatever shape stands before it. */
static bool add_operand(struct hlo_module *module, const char *from, const char *to) {
    while (to > from && hlo_is_blank(to[-1])) {
        to--;
    }
    const char *at = to;
    while (at > from && (hlo_is_name(at[-1]) || at[-1] == '%')) {
        at--;
    }
    at += at < to && *at == '%';
    struct sw_input_text name = {at, (size_t)(to - at)};
    if (name.length == 0) {
        return hlo_fail(module, from, "this is no operand");
    }
    uint32_t number = sw_names_find(&module->names, name.at, name.length);
    if (number == SW_NONE) {
        return hlo_fail(module, at, "no instruction before this one is called %s", sw_quote(name.at, name.length).text);
    }
    return SW_PUSH(&module->operands, number) || hlo_fail_memory(module);
}

static bool read_hlo_operands(struct hlo_module *module, struct hlo_instruction *instruction) {
    const char *at = instruction->literal.at, *end = at + instruction->literal.length;
    instruction->first_operand = module->operands.count;
    const char *from = at;
    bool any = false;
    for (; at < end; at++) {
        if (at + 1 < end && at[0] == '/' && at[1] == '*') { /* "index=5", between operands */
            const char *stop = memmem(at, (size_t)(end - at), "*/", 2);
            at = stop ? stop + 1 : end - 1;
            from = any ? from : at + 1;
        } else if (*at == ',') {
            if (!add_operand(module, from, at)) {
                return false;
            }
            from = at + 1;
            any = false;
        } else if (*at == '(' || *at == '{' || *at == '[') {
            any = true;
            at++;
            skip_brackets(&at, end);
            at--;
        } else if (!hlo_is_blank(*at)) {
            any = true;
        }
    }
    if (any && !add_operand(module, from, end)) {
        return false;
    }
    instruction->operand_count = module->operands.count - instruction->first_operand;
    return true;
}

/* To the end of the line, and on to the next one after a comma. */
static bool read_attributes(struct hlo_module *module, struct sw_input_text *attributes) {
    attributes->at = module->at;
    char before = '\0';
    while (module->at < module->end && (*module->at != '\n' || before == ',' || before == '=')) {
        char c = *module->at;
        if (c == '"') { /* as if in brackets, which it closes itself */
            const char *from = module->at++;
            while (module->at < module->end && *module->at != '"') {
                module->at += *module->at == '\\' && module->at + 1 < module->end ? 2 : 1;
            }
            if (module->at >= module->end) {
                return hlo_fail(module, from, "the text in quotes is cut off");
            }
        } else if (c == '{' || c == '(' || c == '[') {
            const char *from = module->at++;
            if (!skip_brackets(&module->at, module->end)) {
                return hlo_fail(module, from, "the bracket is not closed");
            }
            module->at--;
        } else if (c == '}') {
            break; /* the end of a computation in one line */
        }
        before = hlo_is_blank(c) ? before : c;
        module->at++;
    }
    attributes->length = (size_t)(module->at - attributes->at);
    return true;
}

static bool read_hlo_instruction(struct hlo_module *module, struct hlo_computation *computation) {
    struct hlo_instruction instruction = {.position = sw_line_position(&module->lines, module->at)};
    bool root = next_is(module, "ROOT ");
    module->at += root ? strlen("ROOT ") : 0;
    hlo_skip_blanks(module);
    instruction.name = take_hlo_name(module);
    hlo_skip_blanks(module);
    if (instruction.name.length == 0 || !next_is(module, "=")) {
        return hlo_fail(module, module->at, "this is no instruction: %%name = shape opcode(...)");
    }
    module->at++;
    if (!read_hlo_shape(module, &instruction.shape, 0)) {
        return false;
    }
    hlo_skip_blanks(module);
    instruction.opcode = take_hlo_name(module);
    if (instruction.opcode.length == 0 || !next_is(module, "(")) {
        return hlo_fail(module, module->at, "no opcode with its operands: opcode(...)");
    }
    const char *from = module->at++;
    instruction.literal.at = module->at;
    if (!skip_brackets(&module->at, module->end)) {
        return hlo_fail(module, from, "the list of operands is cut off");
    }
    instruction.literal.length = (size_t)(module->at - 1 - instruction.literal.at);
    bool literal = sw_text_is(instruction.opcode, "constant") || sw_text_is(instruction.opcode, "parameter");
    if ((!literal && !read_hlo_operands(module, &instruction)) || !read_attributes(module, &instruction.attributes)) {
        return false;
    }
    uint32_t number = (uint32_t)module->instructions.count;
    if (number >= SW_NONE / 8) {
        return hlo_fail(module, from, "too many instructions");
    }
    computation->root = root || computation->root == SW_NONE ? number : computation->root;
    computation->count++;
    return (SW_PUSH(&module->instructions, instruction) &&
            sw_names_set(&module->names, instruction.name.at, instruction.name.length, number)) ||
           hlo_fail_memory(module);
}

/* Without ROOT it is the last one. */
static bool read_computation(struct hlo_module *module, struct sw_input_text name, bool entry) {
    struct hlo_computation computation = {
        .name = name, .first = module->instructions.count, .first_leaf = module->leaves.count, .root = SW_NONE};
    const char *from = name.at;
    bool rooted = false;
    sw_names_clear(&module->names);
    for (hlo_skip_blanks(module); !next_is(module, "}"); hlo_skip_blanks(module)) {
        if (module->at == module->end) {
            return hlo_fail(module, from, "the computation %s is cut off", sw_quote(name.at, name.length).text);
        }
        rooted |= next_is(module, "ROOT ");
        if (!read_hlo_instruction(module, &computation)) {
            return false;
        }
    }
    module->at++;
    if (computation.count == 0) {
        return hlo_fail(module, from, "the computation %s has no instructions", sw_quote(name.at, name.length).text);
    }
    computation.root = rooted ? computation.root : (uint32_t)(computation.first + computation.count - 1);
    computation.leaf_count = module->leaves.count - computation.first_leaf;
    uint32_t number = (uint32_t)module->computations.count;
    module->entry = entry ? number : module->entry;
    return (SW_PUSH(&module->computations, computation) &&
            sw_names_set(&module->computation_names, name.at, name.length, number)) ||
           hlo_fail_memory(module);
}

/* ---- the module ---- */

/* A line that ends in an opening brace begins a computation; what else stands between them (tables of files and stack
 * frames) is passed over. */
static bool read_between(struct hlo_module *module) {
    const char *stop = memchr(module->at, '\n', (size_t)(module->end - module->at));
    const char *end = stop ? stop : module->end, *from = module->at;
    while (end > from && hlo_is_blank(end[-1])) {
        end--;
    }
    if (end == from || end[-1] != '{') {
        module->at = stop ? stop + 1 : module->end;
        return true;
    }
    bool entry = next_is(module, "ENTRY ");
    module->at += entry ? strlen("ENTRY ") : 0;
    hlo_skip_blanks(module);
    struct sw_input_text name = take_hlo_name(module);
    module->at = end;
    return read_computation(module, name, entry);
}

bool hlo_parse(struct hlo_module *module) {
    module->at = module->lines.begin = sw_text_begin(module->input);
    module->end = sw_text_end(module->input);
    module->entry = SW_NONE;
    hlo_skip_blanks(module);
    if (!next_is(module, "HloModule")) {
        return hlo_fail(module, module->at, "this is no HLO: it begins with HloModule");
    }
    module->at += strlen("HloModule");
    if (!read_attributes(module, &module->header)) {
        return false;
    }
    for (hlo_skip_blanks(module); module->at < module->end; hlo_skip_blanks(module)) {
        if (!read_between(module)) {
            return false;
        }
    }
    if (module->entry == SW_NONE && module->computations.count > 0) {
        module->entry = (uint32_t)module->computations.count - 1; /* as XLA itself reads it */
    }
    return module->entry != SW_NONE || hlo_fail(module, module->end, "the module has no computation");
}

void hlo_done(struct hlo_module *module) {
    SW_ARRAY_DONE(&module->leaves, &module->children, &module->instructions, &module->operands, &module->computations);
    sw_names_done(&module->names);
    sw_names_done(&module->computation_names);
}

bool hlo_attribute(struct sw_input_text attributes, const char *name, struct sw_input_text *value) {
    const char *at = attributes.at, *end = at + attributes.length;
    size_t length = strlen(name);
    while (at < end) {
        while (at < end && (hlo_is_blank(*at) || *at == ',')) {
            at++;
        }
        bool found = (size_t)(end - at) > length && memcmp(at, name, length) == 0 && at[length] == '=';
        const char *from = found ? at + length + 1 : at;
        for (at = from; at < end && *at != ',';) {
            bool open = *at == '{' || *at == '(' || *at == '[';
            bool quote = *at == '"';
            at++;
            if (open) {
                skip_brackets(&at, end);
            }
            while (quote && at < end && *at++ != '"') {
                at += at[-1] == '\\' && at < end;
            }
        }
        if (found) {
            while (from < at && hlo_is_blank(*from)) {
                from++;
            }
            *value = (struct sw_input_text){from, (size_t)(at - from)};
            return true;
        }
    }
    return false;
}

bool hlo_detect(const struct sw_input *input) {
    struct hlo_module module = {.at = sw_text_begin(input), .end = sw_text_end(input)};
    hlo_skip_blanks(&module);
    return next_is(&module, "HloModule");
}

bool hlo_shape_size(const char **at, const char *end, uint64_t *bytes, struct sw_error *error) {
    struct sw_input input = {.name = "", .bytes = *at, .length = (size_t)(end - *at)};
    struct hlo_module module = {.input = &input, .error = error, .at = *at, .end = end};
    struct hlo_shape shape;
    bool good = read_hlo_shape(&module, &shape, 0);
    *bytes = 0;
    for (size_t i = 0; good && i < module.leaves.count; i++) {
        good = module.leaves.items[i].size <= SW_MAX_BYTES - *bytes;
        *bytes += good ? module.leaves.items[i].size : 0;
    }
    *at = module.at;
    hlo_done(&module);
    return good;
}

/* ---- what opcodes and attributes mean ---- */

bool hlo_elementwise(struct sw_input_text opcode) {
    return sw_text_in(opcode, "abs add and atan2 cbrt ceil clamp compare convert cosine divide erf exponential floor "
                              "log maximum minimum multiply negate not or power real remainder rsqrt select sign sine "
                              "sqrt subtract tan tanh xor dynamic-update-slice scatter logistic reshape shift-left "
                              "exponential-minus-one log-plus-one is-finite popcnt round-nearest-afz "
                              "round-nearest-even imag shift-right-logical shift-right-arithmetic complex");
}

bool hlo_child(const struct hlo_module *module, const struct hlo_shape *shape, uint64_t child, size_t *first,
               size_t *count) {
    if (!shape->tuple || child >= shape->child_count) {
        return false;
    }
    const size_t *children = &module->children.items[shape->first_child];
    *first = children[child];
    *count = (child + 1 < shape->child_count ? children[child + 1] : shape->leaf_count) - *first;
    return true;
}

bool hlo_leaf_of(const struct hlo_module *module, const struct hlo_shape *shape, int64_t index, size_t depth,
                 size_t *leaf) {
    size_t count = 1;
    *leaf = 0;
    if (depth == 0) {
        return !shape->tuple;
    }
    return depth == 1 && hlo_child(module, shape, (uint64_t)index, leaf, &count) && count == 1;
}

bool hlo_next_alias(const struct hlo_module *module, const char **at, const char *end, const struct hlo_shape *result,
                    struct hlo_alias *alias, int64_t *element, size_t *depth) {
    int64_t index = -1;
    size_t levels = 0;
    uint64_t operand = 0;
    while (*at < end && (**at == ',' || **at == ' ')) {
        ++*at;
    }
    if (!read_path(at, end, &index, &levels)) {
        return false;
    }
    bool known = hlo_leaf_of(module, result, index, levels, &alias->result);
    *at = memchr(*at, '(', (size_t)(end - *at));
    if (!*at) {
        *at = end;
        return false;
    }
    ++*at;
    if (!sw_take_number(at, end, &operand) || *at == end || *(*at)++ != ',' || !read_path(at, end, element, depth)) {
        return false;
    }
    const char *close = memchr(*at, ')', (size_t)(end - *at)); /* "may-alias", perhaps */
    *at = close ? close + 1 : end;
    alias->operand = known ? (size_t)operand : SIZE_MAX;
    return close != NULL;
}
