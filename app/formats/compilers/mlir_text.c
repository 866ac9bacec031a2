/* MLIR as text: words, brackets, and the numbers that values stand for. */
#include "formats/compilers/mlir.h"

#include "base/text.h"

#include <string.h>

static bool is_mlir_word(char c) {
    return sw_is_letter(c) || sw_is_digit(c) || c == '_' || c == '.' || c == '$' || c == '-';
}

bool mlir_starts(const char *at, const char *end, const char *word) {
    size_t length = strlen(word);
    return (size_t)(end - at) >= length && memcmp(at, word, length) == 0;
}

const char *mlir_skip(const char *at, const char *end) {
    for (;;) {
        while (at < end && (*at == ' ' || *at == '\t' || *at == '\n' || *at == '\r')) {
            at++;
        }
        if (!mlir_starts(at, end, "//")) {
            return at;
        }
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        at = stop ? stop : end;
    }
}

struct sw_input_text mlir_word(const char *at, const char *end) {
    struct sw_input_text word = {at, 0};
    while (at < end && is_mlir_word(*at) && !mlir_starts(at, end, "->")) {
        at++;
    }
    word.length = (size_t)(at - word.at);
    return word;
}

bool mlir_value(const char **at, const char *end, struct sw_input_text *name) {
    if (*at == end || **at != '%') {
        return false;
    }
    *name = mlir_word(*at + 1, end);
    *at = name->at + name->length;
    return name->length > 0;
}

const char *mlir_skip_text(const char *at, const char *end) {
    for (at++; at < end && *at != '"' && *at != '\n'; at++) {
        at += *at == '\\' && at + 1 < end && at[1] != '\n';
    }
    return at + (at < end && *at == '"');
}

/* How a character changes the depth of brackets. */
static int depth_change(const char *at) {
    switch (*at) {
    case '(':
    case '[':
    case '{':
    case '<':
        return 1;
    case ')':
    case ']':
    case '}':
        return -1;
    default:
        return *at == '>' && at[-1] != '-' ? -1 : 0;
    }
}

const char *mlir_close(const char *at, const char *end) {
    char wanted = *at == '(' ? ')' : *at == '[' ? ']' : *at == '{' ? '}' : '>';
    size_t depth = 0;
    while (at < end) {
        if (*at == '"') {
            at = mlir_skip_text(at, end);
            continue;
        }
        int change = depth_change(at);
        depth += change > 0;
        if (change < 0 && (depth == 0 || --depth == 0)) {
            return *at == wanted ? at : NULL;
        }
        at++;
    }
    return NULL;
}

const char *mlir_part(const char *at, const char *end) {
    size_t depth = 0;
    while (at < end && (depth > 0 || *at != ',')) {
        if (*at == '"') {
            at = mlir_skip_text(at, end);
            continue;
        }
        int change = depth_change(at);
        depth += change > 0;
        depth -= change < 0 && depth > 0;
        at++;
    }
    return at;
}

const char *mlir_attribute(const char *at, const char *end, const char *key) {
    while (at < end) {
        const char *stop = mlir_part(at, end);
        at = mlir_skip(at, stop);
        struct sw_input_text word = mlir_word(at, stop);
        const char *value = mlir_skip(at + word.length, stop);
        if (sw_text_is(word, key) && value < stop && *value == '=') {
            return mlir_skip(value + 1, stop);
        }
        at = stop + (stop < end);
    }
    return NULL;
}

/* ---- numbers ---- */

bool mlir_constant(const struct mlir *reader, struct sw_input_text name, uint64_t *number) {
    uint32_t place = sw_names_find(&reader->constants, name.at, name.length);
    if (place != SW_NONE) {
        *number = reader->numbers.items[place];
    }
    return place != SW_NONE;
}

bool mlir_number_of(struct mlir *reader, struct sw_input_text name, uint64_t *number) {
    if (mlir_constant(reader, name, number) || sw_lengths_get(&reader->lengths, name.at, name.length, number)) {
        return true;
    }
    struct sw_position place = {0};
    if (reader->lengths.missing.count == 0) { /* lines are counted for the first alone */
        place = sw_text_position(reader->input, name.at - 1);
    }
    *number = 1;
    return sw_lengths_miss(&reader->lengths, name.at, name.length, place.line, place.column) ||
           sw_fail_memory(reader->error);
}

static bool set_mlir_number(struct mlir *reader, uint64_t number) {
    return reader->results.count == 0 ||
           (SW_PUSH(&reader->numbers, number) &&
            sw_names_set(&reader->constants, reader->results.items[0].at, reader->results.items[0].length,
                         (uint32_t)reader->numbers.count - 1)) ||
           sw_fail_memory(reader->error);
}

/* The constant at `at`: "4 : index", "() {value = 4 : index}", "() <{value = 4 : i64}>", "(4 : i64)". */
static bool read_mlir_constant(struct mlir *reader, const char *at) {
    const char *end = reader->end;
    uint64_t number;
    if (mlir_starts(at, end, "\"")) {
        at++;
    }
    at = mlir_skip(at, end);
    if (mlir_starts(at, end, "()")) {
        at = mlir_skip(at + 2, end);
        at += mlir_starts(at, end, "<{");
        const char *stop = at < end && *at == '{' ? mlir_close(at, end) : NULL;
        at = stop ? mlir_attribute(at + 1, stop, "value") : end;
    } else if (at < end && *at == '(') {
        at++;
    }
    bool good = at && sw_take_number(&at, end, &number) && (at == end || !strchr(".exE", *at));
    return !good || set_mlir_number(reader, number);
}

/* Two operands that are known, with something between them that is no value. */
static bool operands(struct mlir *reader, const char *at, uint64_t *a, uint64_t *b) {
    const char *end = reader->end;
    struct sw_input_text left, right;
    at += mlir_starts(at, end, "\"");
    at = mlir_skip(at, end);
    at += at < end && *at == '(';
    at = mlir_skip(at, end);
    if (!mlir_value(&at, end, &left) || (at = mlir_skip(at, end), at == end || *at != ',')) {
        return false;
    }
    at = mlir_skip(at + 1, end);
    return mlir_value(&at, end, &right) && mlir_constant(reader, left, a) && mlir_constant(reader, right, b);
}

bool mlir_read_number(struct mlir *reader, const char *at) {
    static const char constants[] = "arith.constant constant std.constant index.constant llvm.mlir.constant";
    static const struct {
        const char *words;
        char sign;
    } kinds[] = {{"arith.addi addi index.add", '+'},
                 {"arith.subi subi index.sub", '-'},
                 {"arith.muli muli index.mul", '*'},
                 {"arith.divui arith.divsi index.divu", '/'},
                 {"arith.ceildivui arith.ceildivsi index.ceildivu", '^'},
                 {"util.align std.align stream.align", '|'}};
    uint64_t a = 0, b = 0;
    char sign = 0;
    if (sw_text_in(reader->op, constants)) {
        return read_mlir_constant(reader, at);
    }
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        sign = sw_text_in(reader->op, kinds[i].words) ? kinds[i].sign : sign;
    }
    if (!sign || !operands(reader, at, &a, &b)) {
        return true;
    }
    bool wrong = false;
    switch (sign) {
    case '+':
        wrong = __builtin_add_overflow(a, b, &a);
        break;
    case '-':
        wrong = __builtin_sub_overflow(a, b, &a);
        break;
    case '*':
        wrong = __builtin_mul_overflow(a, b, &a);
        break;
    default: {
        wrong = b == 0;
        uint64_t whole = wrong ? 0 : a / b, up = wrong ? 0 : whole + (a % b > 0);
        wrong = wrong || (sign == '|' && __builtin_mul_overflow(up, b, &up));
        a = sign == '/' ? whole : up;
    }
    }
    return wrong || a > SW_MAX_BYTES || set_mlir_number(reader, a);
}
