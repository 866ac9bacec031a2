/* A type for every part of an expression, by precedence climbing over Lua's operators. See condition_types.h. */
#include "lua/planning/condition_types.h"

#include <string.h>

struct type_check {
    const char *at;
    sw_type_of_name *type_of;
    struct sw_error *error;
    unsigned depth;
};

/* The types that a part may have, and where it stands. `not_truth` is the part of it that gives a number or a text. */
struct typed_part {
    unsigned types;
    const char *begin, *end;
    const char *wrong, *wrong_end;
};

/* Lua's, from the loosest; `right`: the precedence with which what stands to the right is read. */
static const struct lua_operator {
    const char *sign;
    unsigned left, right;
    enum { LOGICAL, COMPARISON, EQUALITY, CONCATENATION, ARITHMETIC } kind;
} lua_operators[] = {
    {"or", 1, 2, LOGICAL},     {"and", 2, 3, LOGICAL},    {"<=", 3, 4, COMPARISON},    {">=", 3, 4, COMPARISON},
    {"~=", 3, 4, EQUALITY},    {"==", 3, 4, EQUALITY},    {"<<", 7, 8, ARITHMETIC},    {">>", 7, 8, ARITHMETIC},
    {"<", 3, 4, COMPARISON},   {">", 3, 4, COMPARISON},   {"..", 9, 8, CONCATENATION}, {"//", 11, 12, ARITHMETIC},
    {"|", 4, 5, ARITHMETIC},   {"~", 5, 6, ARITHMETIC},   {"&", 6, 7, ARITHMETIC},     {"+", 10, 11, ARITHMETIC},
    {"-", 10, 11, ARITHMETIC}, {"*", 11, 12, ARITHMETIC}, {"/", 11, 12, ARITHMETIC},   {"%", 11, 12, ARITHMETIC},
    {"^", 14, 13, ARITHMETIC},
};
enum { UNARY = 12, DEEPEST_PART = 100 };

/* A part as the user wrote it: kinds of decisions stand between quotation marks by now. */
static const char *shown_part(const char *begin, const char *end, char text[64]) {
    bool quoted = end - begin > 2 && *begin == '"' && memchr(begin + 1, '"', (size_t)(end - begin) - 1) == end - 1;
    begin += quoted;
    end -= quoted;
    while (end > begin && end[-1] == ' ') {
        end--;
    }
    size_t length = (size_t)(end - begin) < 60 ? (size_t)(end - begin) : 60;
    memcpy(text, begin, length);
    text[length] = '\0';
    return text;
}
#define SHOWN(part) shown_part((part)->begin, (part)->end, (char[64]){0})

static const char *type_word(unsigned types) {
    return types & SW_IS_NUMBER  ? "a number"
           : types & SW_IS_TEXT  ? "a text"
           : types & SW_IS_TRUTH ? "true or false"
                                 : "nothing";
}

static bool may_be(const struct typed_part *part, unsigned types) {
    return part->types & (types | SW_IS_UNKNOWN);
}

static void skip(struct type_check *check) {
    check->at += strspn(check->at, " \t\r\n");
}

static const struct lua_operator *operator_at(const char *at) {
    for (size_t i = 0; i < sizeof lua_operators / sizeof *lua_operators; i++) {
        size_t length = strlen(lua_operators[i].sign);
        if (strncmp(at, lua_operators[i].sign, length) == 0 &&
            !(isalpha((unsigned char)*at) && sw_condition_letter(at[length]))) {
            return &lua_operators[i];
        }
    }
    return NULL;
}

static bool climb_operators(struct type_check *check, unsigned least, struct typed_part *part);

/* Behind a value: members, calls and indexes. Their results are unknown. */
static bool read_suffixes(struct type_check *check, struct typed_part *part) {
    for (;;) {
        skip(check);
        const char *at = check->at;
        if ((*at == '.' && at[1] != '.') || *at == ':') {
            check->at++;
            skip(check);
            while (sw_condition_letter(*check->at)) {
                check->at++;
            }
        } else if (*at == '(' || *at == '[') {
            char close = *at == '(' ? ')' : ']';
            struct typed_part argument;
            check->at++;
            skip(check);
            while (*check->at && *check->at != close) {
                const char *before = check->at;
                if (!climb_operators(check, 1, &argument)) {
                    return false;
                }
                check->at += *check->at == ',' || (check->at == before && *check->at);
                skip(check);
            }
            check->at += *check->at == close;
        } else {
            return true;
        }
        part->types = SW_IS_UNKNOWN;
        part->end = check->at;
    }
}

static bool read_typed_name(struct type_check *check, struct typed_part *part) {
    while (sw_condition_letter(*check->at)) {
        check->at++;
    }
    size_t length = (size_t)(check->at - part->begin);
    bool truth =
        (length == 4 && memcmp(part->begin, "true", 4) == 0) || (length == 5 && memcmp(part->begin, "false", 5) == 0);
    bool nil = length == 3 && memcmp(part->begin, "nil", 3) == 0;
    part->types = truth ? SW_IS_TRUTH : nil ? SW_IS_NIL : check->type_of(part->begin, length);
    part->types = part->types ? part->types : SW_IS_UNKNOWN;
    part->end = check->at;
    skip(check);
    if (*check->at == '(' && part->types != SW_IS_UNKNOWN) {
        return sw_fail(check->error, SW_ERROR_USAGE, "'%s' is %s, and brackets follow it as if it were a function",
                       SHOWN(part), type_word(part->types));
    }
    return read_suffixes(check, part);
}

/* 1, 0x1p4, 1.5e-3 */
static void pass_number(struct type_check *check) {
    bool hex = check->at[0] == '0' && (check->at[1] | 32) == 'x';
    for (char before = 0; sw_condition_letter(*check->at) || *check->at == '.' ||
                          ((*check->at == '-' || *check->at == '+') && before == (hex ? 'p' : 'e'));
         check->at++) {
        before = (char)(*check->at | 32);
    }
}

static void pass_text(struct type_check *check) {
    char mark = *check->at++;
    while (*check->at && *check->at != mark) {
        check->at += *check->at == '\\' && check->at[1] ? 2 : 1;
    }
    check->at += *check->at == mark;
}

static bool read_typed_value(struct type_check *check, struct typed_part *part) {
    char c = *check->at;
    const struct lua_operator *sign = operator_at(check->at);
    *part = (struct typed_part){.begin = check->at};
    if (sign && sign->sign[0] != '.') {
        return sw_fail(check->error, SW_ERROR_USAGE, "something is missing before '%s', as in peak > bound * 1.1",
                       sign->sign);
    }
    if (isdigit((unsigned char)c) || (c == '.' && isdigit((unsigned char)check->at[1]))) {
        pass_number(check);
        part->types = SW_IS_NUMBER;
    } else if (c == '"' || c == '\'') {
        pass_text(check);
        part->types = SW_IS_TEXT;
        part->end = check->at;
        return read_suffixes(check, part);
    } else if (sw_condition_letter(c)) {
        return read_typed_name(check, part);
    } else if (c == '(') {
        struct typed_part inner;
        check->at++;
        if (!climb_operators(check, 1, &inner)) {
            return false;
        }
        inner.begin = part->begin;
        *part = inner;
        check->at += *check->at == ')';
        part->end = check->at;
        return read_suffixes(check, part);
    } else if (c == '{') { /* a table: what stands in it is Lua's */
        unsigned open = 0;
        do {
            c = *check->at;
            open += c == '{';
            open -= c == '}';
            if (c == '"' || c == '\'') {
                pass_text(check);
            } else {
                check->at++;
            }
        } while (open > 0 && *check->at);
        part->types = SW_IS_UNKNOWN;
        part->end = check->at;
        return read_suffixes(check, part);
    } else { /* what Lua itself must judge */
        part->types = SW_IS_UNKNOWN;
        check->at += c != '\0' && c != ')' && c != ',' && c != ']' && c != '}';
    }
    part->end = check->at;
    return true;
}

static bool want_truth(struct type_check *check, const struct typed_part *part) {
    bool tells = may_be(part, SW_IS_TRUTH | SW_IS_NIL);
    return tells || sw_fail(check->error, SW_ERROR_USAGE,
                            "'%s' is %s, not true or false: compare it with something, as in size > 64K", SHOWN(part),
                            type_word(part->types));
}

static bool read_unary(struct type_check *check, struct typed_part *part) {
    const char *begin = check->at;
    bool negates = strncmp(begin, "not", 3) == 0 && !sw_condition_letter(begin[3]);
    bool sign = *begin == '-' || *begin == '#' || *begin == '~';
    if (!negates && !sign) {
        return read_typed_value(check, part);
    }
    check->at += negates ? 3 : 1;
    if (!climb_operators(check, UNARY, part)) {
        return false;
    }
    if (negates ? !want_truth(check, part) : *begin != '#' && !may_be(part, SW_IS_NUMBER)) {
        return negates ? false
                       : sw_fail(check->error, SW_ERROR_USAGE, "'%s' is %s, which '%c' does not go with", SHOWN(part),
                                 type_word(part->types), *begin);
    }
    *part = (struct typed_part){.types = negates ? SW_IS_TRUTH : SW_IS_NUMBER, .begin = begin, .end = part->end};
    return true;
}

/* What it gives that is a number or a text, where it stands. */
static void find_wrong(const struct typed_part *part, const char **wrong, const char **wrong_end) {
    if (part->wrong) {
        *wrong = part->wrong;
        *wrong_end = part->wrong_end;
    } else if (part->types & (SW_IS_NUMBER | SW_IS_TEXT)) {
        *wrong = part->begin;
        *wrong_end = part->end;
    }
}

/* `and` and `or` give one of their operands. */
static bool combine_logical(struct type_check *check, bool both, const struct typed_part *left,
                            const struct typed_part *right, struct typed_part *whole) {
    if (!want_truth(check, left)) {
        return false;
    }
    unsigned of_left = both ? left->types & ~(unsigned)(SW_IS_NUMBER | SW_IS_TEXT) : left->types & ~(unsigned)SW_IS_NIL;
    whole->types = of_left | right->types;
    if (!both) {
        find_wrong(left, &whole->wrong, &whole->wrong_end);
    }
    find_wrong(right, &whole->wrong, &whole->wrong_end);
    return true;
}

static bool combine_types(struct type_check *check, const struct lua_operator *sign, const struct typed_part *left,
                          const struct typed_part *right, struct typed_part *whole) {
    unsigned both = SW_IS_NUMBER | SW_IS_TEXT;
    struct sw_error *error = check->error;
    *whole = (struct typed_part){.begin = left->begin, .end = right->end, .types = SW_IS_TRUTH};
    switch (sign->kind) {
    case LOGICAL:
        return combine_logical(check, sign->sign[0] == 'a', left, right, whole);
    case COMPARISON:
        for (unsigned type = SW_IS_NUMBER; type <= SW_IS_TEXT; type *= 2) {
            if (may_be(left, type) && may_be(right, type)) {
                return true;
            }
        }
        return sw_fail(error, SW_ERROR_USAGE, "'%s' is %s and '%s' is %s: '%s' compares two numbers or two texts",
                       SHOWN(left), type_word(left->types), SHOWN(right), type_word(right->types), sign->sign);
    case EQUALITY:
        return may_be(left, right->types) || may_be(right, left->types) || left->types == SW_IS_NIL ||
               right->types == SW_IS_NIL ||
               sw_fail(error, SW_ERROR_USAGE, "'%s' is %s and '%s' is %s: they are never equal", SHOWN(left),
                       type_word(left->types), SHOWN(right), type_word(right->types));
    default:
        whole->types = sign->kind == CONCATENATION ? SW_IS_TEXT : SW_IS_NUMBER;
        both = sign->kind == CONCATENATION ? both : SW_IS_NUMBER;
        if (!may_be(left, both) || !may_be(right, both)) {
            const struct typed_part *wrong = may_be(left, both) ? right : left;
            return sw_fail(error, SW_ERROR_USAGE, "'%s' is %s, which '%s' does not go with", SHOWN(wrong),
                           type_word(wrong->types), sign->sign);
        }
        return true;
    }
}

static bool fail_missing(struct type_check *check, const char *sign) {
    return sw_fail(check->error, SW_ERROR_USAGE, "something is missing behind '%s', as in peak > bound * 1.1", sign);
}

static bool climb_operators(struct type_check *check, unsigned least, struct typed_part *part) {
    skip(check);
    if (check->depth == DEEPEST_PART) {
        return sw_fail(check->error, SW_ERROR_USAGE, "the condition has too many parts inside of each other");
    }
    check->depth++;
    bool good = read_unary(check, part);
    for (;;) {
        skip(check);
        const struct lua_operator *sign = good ? operator_at(check->at) : NULL;
        if (!sign || sign->left < least) {
            break;
        }
        struct typed_part left = *part, right;
        check->at += strlen(sign->sign);
        skip(check);
        good = *check->at && *check->at != ')'
                   ? climb_operators(check, sign->right, &right) && combine_types(check, sign, &left, &right, part)
                   : fail_missing(check, sign->sign);
    }
    check->depth--;
    if (good && (sw_condition_letter(*check->at) || *check->at == '"' || *check->at == '\'') &&
        !operator_at(check->at)) {
        struct typed_part next;
        char before[64];
        shown_part(part->begin, part->end, before);
        good = read_typed_value(check, &next) &&
               sw_fail(check->error, SW_ERROR_USAGE,
                       "nothing stands between '%s' and '%s': compare them, or join two conditions with and, or",
                       before, SHOWN(&next));
        return false;
    }
    return good;
}

bool sw_condition_types(const char *expression, sw_type_of_name *type_of, struct sw_error *error) {
    struct type_check check = {.at = expression, .type_of = type_of, .error = error};
    struct typed_part whole;
    if (!climb_operators(&check, 1, &whole)) {
        return false;
    }
    const char *wrong = NULL, *end = NULL;
    find_wrong(&whole, &wrong, &end);
    if (!wrong || whole.types & SW_IS_UNKNOWN) {
        return true;
    }
    struct typed_part part = {.begin = wrong, .end = end};
    return sw_fail(error, SW_ERROR_USAGE,
                   "'%s' is %s, and a condition is true or false: compare it with something, as in peak > bound * 1.1",
                   SHOWN(&part), type_word(whole.types));
}
