#include "formats/pytorch/pickle.h"

/* A value with this bit is a small integer, the other bits; without it the number of a node. */
#define SMALL (UINT32_C(1) << 31)
/* The first nodes, which all share. */
enum { NODE_NONE, NODE_FALSE, NODE_TRUE };

struct machine {
    struct sw_pickle *pickle;
    const unsigned char *bytes;
    size_t length, at, opcode; /* the opcode that is being obeyed */
    SW_ARRAY(uint32_t) stack;
    SW_ARRAY(uint32_t) marks; /* heights of the stack */
    SW_ARRAY(uint32_t) memo;  /* values; UINT32_MAX: none */
    struct sw_error *error;
    bool stopped;
};
#define EMPTY UINT32_MAX

static bool fail_at_opcode(const struct machine *machine, const char *what) {
    return sw_fail(machine->error, SW_ERROR_INPUT, "%s at offset %zu", what, machine->opcode);
}

static bool cut_off(const struct machine *machine) {
    return sw_fail(machine->error, SW_ERROR_INPUT, "the pickle is cut off at offset %zu", machine->length);
}

/* An unsigned number of `width` bytes, the lowest first. */
static bool take_pickle_number(struct machine *machine, size_t width, uint64_t *value) {
    *value = 0;
    if (machine->length - machine->at < width) {
        return cut_off(machine);
    }
    for (size_t i = 0; i < width; i++) {
        *value |= (uint64_t)machine->bytes[machine->at + i] << (8 * i);
    }
    machine->at += width;
    return true;
}

/* ---- values ---- */

static bool push_pickle_value(struct machine *machine, uint32_t value) {
    return SW_PUSH(&machine->stack, value) || sw_fail_memory(machine->error);
}

static bool push_node(struct machine *machine, struct sw_pickle_node node) {
    if (machine->pickle->nodes.count >= SMALL) {
        return fail_at_opcode(machine, "too many values");
    }
    uint32_t value = (uint32_t)machine->pickle->nodes.count;
    return (SW_PUSH(&machine->pickle->nodes, node) || sw_fail_memory(machine->error)) &&
           push_pickle_value(machine, value);
}

static bool push_integer(struct machine *machine, int64_t integer) {
    if (integer >= 0 && integer < SMALL - 1) { /* EMPTY is none */
        return push_pickle_value(machine, SMALL | (uint32_t)integer);
    }
    return push_node(machine,
                     (struct sw_pickle_node){.at = machine->opcode, .type = SW_PICKLE_INTEGER, .integer = integer});
}

/* Two's complement, the lowest byte first, `length` bytes. */
static bool push_long(struct machine *machine, uint64_t length) {
    if (length > machine->length - machine->at) {
        return cut_off(machine);
    }
    const unsigned char *bytes = machine->bytes + machine->at;
    machine->at += (size_t)length;
    unsigned char sign = length > 0 && bytes[length - 1] & 0x80 ? 0xff : 0;
    while (length > 8 && bytes[length - 1] == sign && (bytes[length - 2] & 0x80) == (sign & 0x80)) {
        length--;
    }
    if (length > 8) {
        return push_node(machine, (struct sw_pickle_node){.at = machine->opcode, .type = SW_PICKLE_BIG});
    }
    uint64_t value = sign ? UINT64_MAX : 0;
    for (size_t i = (size_t)length; i-- > 0;) {
        value = value << 8 | bytes[i];
    }
    return push_integer(machine, (int64_t)value);
}

static bool push_real(struct machine *machine) {
    uint64_t bits;
    double real;
    if (!take_pickle_number(machine, 8, &bits)) {
        return false;
    }
    bits = __builtin_bswap64(bits); /* the only number with its highest byte first */
    memcpy(&real, &bits, sizeof real);
    return push_node(machine, (struct sw_pickle_node){.at = machine->opcode, .type = SW_PICKLE_REAL, .real = real});
}

/* Bytes after a length of `width` bytes; they stay where they are. */
static bool push_pickle_text(struct machine *machine, enum sw_pickle_type type, size_t width) {
    uint64_t length;
    if (!take_pickle_number(machine, width, &length)) {
        return false;
    }
    if (length > machine->length - machine->at) {
        return cut_off(machine);
    }
    if (length > UINT32_MAX) {
        return fail_at_opcode(machine, "a text of more than 4 GiB");
    }
    struct sw_pickle_node node = {.at = machine->at, .type = (uint16_t)type, .count = (uint32_t)length};
    machine->at += (size_t)length;
    return push_node(machine, node);
}

/* ---- the stack ---- */

/* What lies above the topmost mark, or all when there is none. */
static size_t above_mark(const struct machine *machine) {
    size_t base = machine->marks.count ? machine->marks.items[machine->marks.count - 1] : 0;
    return machine->stack.count - base;
}

/* The number of values above the topmost mark, which goes. */
static bool take_mark(struct machine *machine, size_t *count) {
    if (machine->marks.count == 0) {
        return fail_at_opcode(machine, "a mark is missing");
    }
    *count = above_mark(machine);
    machine->marks.count--;
    return true;
}

/* Add the topmost `count` values to a container; they stay on the stack. */
static bool extend_container(struct machine *machine, uint32_t value, size_t count) {
    struct sw_pickle *pickle = machine->pickle;
    struct sw_pickle_node *node = &pickle->nodes.items[value];
    if (count == 0) {
        return true;
    }
    if (count > UINT32_MAX - node->count || pickle->items.count + count + 2 > UINT32_MAX) {
        return fail_at_opcode(machine, "too many values");
    }
    if (!SW_RESERVE(&pickle->items, pickle->items.count + count + 2)) {
        return sw_fail_memory(machine->error);
    }
    uint32_t *items = pickle->items.items, last = node->last;
    if (last == 0 || last + 2 + items[last + 1] != pickle->items.count) {
        uint32_t fresh = (uint32_t)pickle->items.count;
        items[fresh] = items[fresh + 1] = 0;
        pickle->items.count += 2;
        if (last) {
            items[last] = fresh;
        } else {
            node->first = fresh;
        }
        last = node->last = fresh;
    }
    memcpy(items + pickle->items.count, machine->stack.items + machine->stack.count - count, count * sizeof *items);
    pickle->items.count += count;
    items[last + 1] += (uint32_t)count;
    node->count += (uint32_t)count;
    return true;
}

#define ALL_MARKED SIZE_MAX /* values: as many as lie above the topmost mark, which goes */

/* The topmost `count` values become a new list or dictionary. */
static bool gather_container(struct machine *machine, enum sw_pickle_type type, size_t count) {
    if (count == ALL_MARKED && !take_mark(machine, &count)) {
        return false;
    }
    if (above_mark(machine) < count) {
        return fail_at_opcode(machine, "a value is missing");
    }
    if (type == SW_PICKLE_DICT && count % 2) {
        return fail_at_opcode(machine, "a key without a value");
    }
    uint32_t value = (uint32_t)machine->pickle->nodes.count;
    if (!push_node(machine, (struct sw_pickle_node){.at = machine->opcode, .type = (uint16_t)type})) {
        return false;
    }
    machine->stack.count--;
    if (!extend_container(machine, value, count)) {
        return false;
    }
    machine->stack.count -= count;
    return push_pickle_value(machine, value);
}

/* The topmost `count` values go into the container below them. */
static bool add_to_container(struct machine *machine, enum sw_pickle_type type, size_t count) {
    if (count == ALL_MARKED && !take_mark(machine, &count)) {
        return false;
    }
    if (above_mark(machine) < count + 1) {
        return fail_at_opcode(machine, "a value is missing");
    }
    uint32_t value = machine->stack.items[machine->stack.count - count - 1];
    if (sw_pickle_type(machine->pickle, value) != type) {
        return fail_at_opcode(machine, type == SW_PICKLE_DICT ? "something is set in what is no dictionary"
                                                              : "something is added to what is no list");
    }
    if (type == SW_PICKLE_DICT && count % 2) {
        return fail_at_opcode(machine, "a key without a value");
    }
    if (!extend_container(machine, value, count)) {
        return false;
    }
    machine->stack.count -= count;
    return true;
}

static bool drop_top(struct machine *machine) {
    if (above_mark(machine) == 0) {
        return fail_at_opcode(machine, "a value is missing");
    }
    machine->stack.count--;
    return true;
}

static bool drop_marked(struct machine *machine) {
    size_t count = 0;
    if (!take_mark(machine, &count)) {
        return false;
    }
    machine->stack.count -= count;
    return true;
}

/* ---- the memo ---- */

/* Python numbers them one after another, so there are never more than bytes. */
static bool put_in_memo(struct machine *machine, uint64_t index) {
    if (above_mark(machine) == 0) {
        return fail_at_opcode(machine, "a value is missing");
    }
    if (index >= machine->length) {
        return fail_at_opcode(machine, "a memo number larger than the pickle is long");
    }
    if (!SW_RESERVE(&machine->memo, (size_t)index + 1)) {
        return sw_fail_memory(machine->error);
    }
    while (machine->memo.count <= index) {
        machine->memo.items[machine->memo.count++] = EMPTY;
    }
    machine->memo.items[index] = machine->stack.items[machine->stack.count - 1];
    return true;
}

static bool get_from_memo(struct machine *machine, size_t width) {
    uint64_t index;
    if (!take_pickle_number(machine, width, &index)) {
        return false;
    }
    if (index >= machine->memo.count || machine->memo.items[index] == EMPTY) {
        return fail_at_opcode(machine, "a memo number that stands for nothing");
    }
    return push_pickle_value(machine, machine->memo.items[index]);
}

/* ---- opcodes ---- */

static bool refuse_opcode(const struct machine *machine, unsigned char opcode) {
    static const struct {
        unsigned char opcode;
        const char *name;
    } names[] = {{'c', "GLOBAL"}, {0x93, "STACK_GLOBAL"}, {'R', "REDUCE"},     {'b', "BUILD"},  {'i', "INST"},
                 {'o', "OBJ"},    {0x81, "NEWOBJ"},       {0x92, "NEWOBJ_EX"}, {'P', "PERSID"}, {'Q', "BINPERSID"},
                 {0x82, "EXT1"},  {0x83, "EXT2"},         {0x84, "EXT4"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (names[i].opcode == opcode) {
            return sw_fail(machine->error, SW_ERROR_INPUT,
                           "the pickle wants to run code (opcode %s) at offset %zu; only plain "
                           "values are read",
                           names[i].name, machine->opcode);
        }
    }
    return sw_fail(machine->error, SW_ERROR_INPUT, "unknown opcode 0x%02x at offset %zu", opcode, machine->opcode);
}

static bool check_frame(struct machine *machine) {
    uint64_t length;
    if (!take_pickle_number(machine, 8, &length)) {
        return false;
    }
    return length <= machine->length - machine->at || cut_off(machine);
}

static bool put_numbered(struct machine *machine, size_t width) {
    uint64_t index;
    return take_pickle_number(machine, width, &index) && put_in_memo(machine, index);
}

static bool put_next(struct machine *machine) {
    return put_in_memo(machine, machine->memo.count);
}

static bool read_integer(struct machine *machine, size_t width) {
    uint64_t value;
    return take_pickle_number(machine, width, &value) &&
           push_integer(machine, width == 4 ? (int32_t)(uint32_t)value : (int64_t)value);
}

static bool long_integer(struct machine *machine, size_t width) {
    uint64_t length;
    return take_pickle_number(machine, width, &length) &&
           (length <= INT32_MAX || fail_at_opcode(machine, "a negative length")) && push_long(machine, length);
}

static bool push_mark(struct machine *machine) {
    if (machine->stack.count >= UINT32_MAX) {
        return fail_at_opcode(machine, "too many values");
    }
    return SW_PUSH(&machine->marks, (uint32_t)machine->stack.count) || sw_fail_memory(machine->error);
}

static bool stop_machine(struct machine *machine) {
    if (machine->marks.count > 0 || machine->stack.count != 1) {
        return fail_at_opcode(machine, "the pickle ends with more or less than one value");
    }
    if (machine->at < machine->length) {
        machine->opcode = machine->at;
        return fail_at_opcode(machine, "something follows the pickle");
    }
    machine->stopped = true;
    return true;
}

static bool push_shared(struct machine *machine, size_t node) {
    return push_pickle_value(machine, (uint32_t)node);
}

/* What an opcode does: one of three kinds of functions, with its arguments. */
struct opcode_rule {
    bool (*plain)(struct machine *);
    bool (*sized)(struct machine *, size_t);
    bool (*typed)(struct machine *, enum sw_pickle_type, size_t);
    size_t number;
    enum sw_pickle_type type;
};
#define PLAIN(function) \
    { .plain = function }
#define SIZED(function, how_much) \
    { .sized = function, .number = how_much }
#define TYPED(function, of, how_much) \
    { .typed = function, .type = SW_PICKLE_##of, .number = how_much }

static const struct opcode_rule opcode_rules[256] = {
    /* values that contain no others */
    ['N'] = SIZED(push_shared, NODE_NONE),
    [0x88] = SIZED(push_shared, NODE_TRUE),     /* NEWTRUE */
    [0x89] = SIZED(push_shared, NODE_FALSE),    /* NEWFALSE */
    ['J'] = SIZED(read_integer, 4),             /* BININT */
    ['K'] = SIZED(read_integer, 1),             /* BININT1 */
    ['M'] = SIZED(read_integer, 2),             /* BININT2 */
    [0x8a] = SIZED(long_integer, 1),            /* LONG1 */
    [0x8b] = SIZED(long_integer, 4),            /* LONG4 */
    ['G'] = PLAIN(push_real),                   /* BINFLOAT */
    [0x8c] = TYPED(push_pickle_text, TEXT, 1),  /* SHORT_BINUNICODE */
    ['U'] = TYPED(push_pickle_text, TEXT, 1),   /* SHORT_BINSTRING, Python 2's */
    ['X'] = TYPED(push_pickle_text, TEXT, 4),   /* BINUNICODE */
    ['T'] = TYPED(push_pickle_text, TEXT, 4),   /* BINSTRING */
    [0x8d] = TYPED(push_pickle_text, TEXT, 8),  /* BINUNICODE8 */
    ['C'] = TYPED(push_pickle_text, BYTES, 1),  /* SHORT_BINBYTES */
    ['B'] = TYPED(push_pickle_text, BYTES, 4),  /* BINBYTES */
    [0x8e] = TYPED(push_pickle_text, BYTES, 8), /* BINBYTES8 */
    [0x96] = TYPED(push_pickle_text, BYTES, 8), /* BYTEARRAY8 */
    /* containers, and what moves values about */
    ['('] = PLAIN(push_mark),
    [']'] = TYPED(gather_container, LIST, 0),
    [')'] = TYPED(gather_container, LIST, 0),
    ['}'] = TYPED(gather_container, DICT, 0),
    ['l'] = TYPED(gather_container, LIST, ALL_MARKED), /* LIST */
    ['t'] = TYPED(gather_container, LIST, ALL_MARKED), /* TUPLE */
    ['d'] = TYPED(gather_container, DICT, ALL_MARKED), /* DICT */
    [0x85] = TYPED(gather_container, LIST, 1),         /* TUPLE1 */
    [0x86] = TYPED(gather_container, LIST, 2),
    [0x87] = TYPED(gather_container, LIST, 3),
    ['a'] = TYPED(add_to_container, LIST, 1),          /* APPEND */
    ['e'] = TYPED(add_to_container, LIST, ALL_MARKED), /* APPENDS */
    ['s'] = TYPED(add_to_container, DICT, 2),          /* SETITEM */
    ['u'] = TYPED(add_to_container, DICT, ALL_MARKED), /* SETITEMS */
    ['q'] = SIZED(put_numbered, 1),                    /* BINPUT */
    ['r'] = SIZED(put_numbered, 4),                    /* LONG_BINPUT */
    [0x94] = PLAIN(put_next),                          /* MEMOIZE */
    ['h'] = SIZED(get_from_memo, 1),                   /* BINGET */
    ['j'] = SIZED(get_from_memo, 4),                   /* LONG_BINGET */
    ['0'] = PLAIN(drop_top),                           /* POP */
    ['1'] = PLAIN(drop_marked),                        /* POP_MARK */
    [0x95] = PLAIN(check_frame),                       /* FRAME */
    ['.'] = PLAIN(stop_machine),
};

static bool obey_opcode(struct machine *machine, unsigned char opcode) {
    const struct opcode_rule *rule = &opcode_rules[opcode];
    return rule->plain   ? rule->plain(machine)
           : rule->sized ? rule->sized(machine, rule->number)
           : rule->typed ? rule->typed(machine, rule->type, rule->number)
                         : refuse_opcode(machine, opcode);
}

static bool begin_machine(struct machine *machine) {
    static const enum sw_pickle_type shared[] = {SW_PICKLE_NONE, SW_PICKLE_BOOL, SW_PICKLE_BOOL};
    for (size_t i = 0; i < sizeof shared / sizeof *shared; i++) {
        struct sw_pickle_node node = {.type = (uint16_t)shared[i]};
        if (!SW_PUSH(&machine->pickle->nodes, node)) {
            return sw_fail_memory(machine->error);
        }
    }
    if (!SW_PUSH(&machine->pickle->items, 0)) { /* so that 0 is no chunk */
        return sw_fail_memory(machine->error);
    }
    if (machine->length < 2) {
        return cut_off(machine);
    }
    if (machine->bytes[0] != 0x80) {
        return fail_at_opcode(machine, "this is no pickle of protocol 2 or later");
    }
    if (machine->bytes[1] < 2 || machine->bytes[1] > 5) {
        return sw_fail(machine->error, SW_ERROR_INPUT, "pickle protocol %u is not known; 2 to 5 are, at offset 1",
                       machine->bytes[1]);
    }
    machine->at = 2;
    return true;
}

static bool run_machine(struct machine *machine) {
    if (!begin_machine(machine)) {
        return false;
    }
    while (!machine->stopped) {
        if (machine->at == machine->length) {
            return cut_off(machine);
        }
        machine->opcode = machine->at++;
        if (!obey_opcode(machine, machine->bytes[machine->opcode])) {
            return false;
        }
    }
    machine->pickle->root = machine->stack.items[0];
    return true;
}

bool sw_pickle_open(struct sw_pickle *pickle, const struct sw_input *input, struct sw_error *error) {
    *pickle = (struct sw_pickle){.input = input};
    struct machine machine = {
        .pickle = pickle, .bytes = (const unsigned char *)input->bytes, .length = input->length, .error = error};
    bool good = run_machine(&machine);
    SW_ARRAY_DONE(&machine.stack, &machine.marks, &machine.memo);
    return good;
}

void sw_pickle_close(struct sw_pickle *pickle) {
    SW_ARRAY_DONE(&pickle->nodes, &pickle->items);
}

bool sw_pickle_detect(const struct sw_input *input) {
    const unsigned char *bytes = (const unsigned char *)input->bytes;
    return input->length >= 2 && bytes[0] == 0x80 && bytes[1] >= 2 && bytes[1] <= 5 &&
           (input->length == 2 || bytes[2] != 0); /* an offset of that size goes on with a zero */
}

/* ---- looking at values ---- */

static const struct sw_pickle_node *pickle_node(const struct sw_pickle *pickle, uint32_t value) {
    return value & SMALL ? NULL : &pickle->nodes.items[value];
}

enum sw_pickle_type sw_pickle_type(const struct sw_pickle *pickle, uint32_t value) {
    const struct sw_pickle_node *node = pickle_node(pickle, value);
    return node ? (enum sw_pickle_type)node->type : SW_PICKLE_INTEGER;
}

bool sw_pickle_true(const struct sw_pickle *pickle, uint32_t value) {
    (void)pickle;
    return value == NODE_TRUE;
}

bool sw_pickle_real(const struct sw_pickle *pickle, uint32_t value, double *real) {
    const struct sw_pickle_node *node = pickle_node(pickle, value);
    int64_t integer;
    if (node && node->type == SW_PICKLE_REAL) {
        *real = node->real;
        return true;
    }
    if (!sw_pickle_integer(pickle, value, &integer)) {
        return false;
    }
    *real = (double)integer;
    return true;
}

bool sw_pickle_integer(const struct sw_pickle *pickle, uint32_t value, int64_t *integer) {
    const struct sw_pickle_node *node = pickle_node(pickle, value);
    if (node && node->type != SW_PICKLE_INTEGER) {
        return false;
    }
    *integer = node ? node->integer : (int64_t)(value & ~SMALL);
    return true;
}

const char *sw_pickle_text(const struct sw_pickle *pickle, uint32_t value, size_t *length) {
    const struct sw_pickle_node *node = pickle_node(pickle, value);
    if (!node || node->type != SW_PICKLE_TEXT) {
        return NULL;
    }
    *length = node->count;
    return pickle->input->bytes + node->at;
}

bool sw_pickle_is(const struct sw_pickle *pickle, uint32_t value, const char *text) {
    size_t length = 0;
    const char *bytes = sw_pickle_text(pickle, value, &length);
    return bytes && length == strlen(text) && memcmp(bytes, text, length) == 0;
}

uint32_t sw_pickle_count(const struct sw_pickle *pickle, uint32_t value) {
    const struct sw_pickle_node *node = pickle_node(pickle, value);
    return node && node->type >= SW_PICKLE_LIST ? node->count : 0;
}

bool sw_pickle_claim(struct sw_pickle *pickle, uint32_t value) {
    if (value & SMALL || pickle->nodes.items[value].claimed) {
        return false;
    }
    pickle->nodes.items[value].claimed = true;
    return true;
}

size_t sw_pickle_at(const struct sw_pickle *pickle, uint32_t value, size_t fallback) {
    const struct sw_pickle_node *node = pickle_node(pickle, value);
    return node && value > NODE_TRUE ? (size_t)node->at : fallback;
}

struct sw_pickle_walk sw_pickle_walk(const struct sw_pickle *pickle, uint32_t value) {
    const struct sw_pickle_node *node = pickle_node(pickle, value);
    return (struct sw_pickle_walk){.pickle = pickle, .chunk = node && node->type >= SW_PICKLE_LIST ? node->first : 0};
}

bool sw_pickle_next(struct sw_pickle_walk *walk, uint32_t *item) {
    if (!walk->chunk) {
        return false;
    }
    const uint32_t *chunk = walk->pickle->items.items + walk->chunk;
    *item = chunk[2 + walk->i++]; /* no chunk is empty */
    if (walk->i == chunk[1]) {
        walk->chunk = chunk[0];
        walk->i = 0;
    }
    return true;
}
