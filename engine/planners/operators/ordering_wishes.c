/* The settings `before` and `together`: names of operators, read into wishes.
 *
 * `before` is "A<B; C<D<E": A runs before B, and so on. `together` is "A,B,C; D,E": nothing else runs between these. A
 * name that holds one of < , ; or begins or ends with a blank stands in double quotes, where \" and \\ stand for " and
 * \. What names no operator may be its number in the file. */
#include "planners/operators/ordering.h"

#include <ctype.h>
#include <string.h>

struct wish_reader {
    const struct sw_problem *problem;
    const char *key, *at;
    char separator; /* between two names of an item */
    struct sw_error *error;
};

enum { WISH_NAME = 512 }; /* a setting is no longer */

static void blanks(struct wish_reader *reader) {
    while (isspace((unsigned char)*reader->at)) {
        reader->at++;
    }
}

static bool read_quoted(struct wish_reader *reader, char name[WISH_NAME]) {
    size_t length = 0;
    for (reader->at++; *reader->at && *reader->at != '"'; reader->at++) {
        reader->at += *reader->at == '\\' && reader->at[1];
        if (length + 1 < WISH_NAME) {
            name[length++] = *reader->at;
        }
    }
    name[length] = '\0';
    if (*reader->at != '"') {
        return sw_fail(reader->error, SW_ERROR_USAGE, "%s: a quotation mark is missing", reader->key);
    }
    reader->at++;
    return true;
}

static bool bare(struct wish_reader *reader, char name[WISH_NAME]) {
    size_t length = strcspn(reader->at, reader->separator == '<' ? "<;" : ",;");
    const char *from = reader->at;
    reader->at += length;
    while (length > 0 && isspace((unsigned char)from[length - 1])) {
        length--;
    }
    length = length < WISH_NAME ? length : WISH_NAME - 1;
    memcpy(name, from, length);
    name[length] = '\0';
    return true;
}

/* By name, or by number. */
static uint32_t find_wished_operator(const struct sw_problem *problem, const char *name) {
    uint32_t op = sw_problem_find_operator(problem, name);
    uint64_t number = 0;
    const char *digit = name;
    while (op == SW_NONE && isdigit((unsigned char)*digit) && number < UINT32_MAX) {
        number = number * 10 + (uint64_t)(*digit++ - '0');
    }
    bool is_number = digit != name && *digit == '\0' && number < sw_problem_operator_count(problem);
    return op == SW_NONE && is_number ? (uint32_t)number : op;
}

static bool read_wished_operator(struct wish_reader *reader, uint32_t *op) {
    char name[WISH_NAME];
    blanks(reader);
    if (!(*reader->at == '"' ? read_quoted(reader, name) : bare(reader, name))) {
        return false;
    }
    blanks(reader);
    if (!*name) {
        return sw_fail(reader->error, SW_ERROR_USAGE, "%s: the name of an operator is missing", reader->key);
    }
    *op = find_wished_operator(reader->problem, name);
    return *op != SW_NONE || sw_fail(reader->error, SW_ERROR_USAGE, "%s: there is no operator '%s'", reader->key, name);
}

/* After a name: does another one of the same item follow? At the end of an item `at` is behind it. */
static bool list_goes_on(struct wish_reader *reader, bool *more) {
    *more = *reader->at == reader->separator;
    if (*reader->at && *reader->at != ';' && !*more) {
        return sw_fail(reader->error, SW_ERROR_USAGE, "%s: '%c' or ';' comes behind a name, not '%s'", reader->key,
                       reader->separator, reader->at);
    }
    reader->at += *reader->at != '\0';
    return true;
}

static bool read_before(struct wish_reader *reader, struct sw_order_wishes *wishes) {
    uint32_t last = SW_NONE, op, count = 0;
    for (bool more = true; more; last = op) {
        if (!read_wished_operator(reader, &op) || !list_goes_on(reader, &more)) {
            return false;
        }
        if (count++ > 0 && !SW_PUSH(&wishes->before, ((struct sw_order_wish){last, op}))) {
            return sw_fail_memory(reader->error);
        }
    }
    return count > 1 || sw_fail(reader->error, SW_ERROR_USAGE, "%s: one operator alone; say A<B", reader->key);
}

static bool read_together(struct wish_reader *reader, struct sw_order_wishes *wishes) {
    uint32_t op, count = 0;
    for (bool more = true; more; count++) {
        if (!read_wished_operator(reader, &op) || !list_goes_on(reader, &more)) {
            return false;
        }
        if (!SW_PUSH(&wishes->together, op)) {
            return sw_fail_memory(reader->error);
        }
    }
    if (count < 2) {
        return sw_fail(reader->error, SW_ERROR_USAGE, "%s: one operator alone; say A,B", reader->key);
    }
    return SW_PUSH(&wishes->together, SW_NONE) || sw_fail_memory(reader->error);
}

bool ordering_read_wishes(const struct sw_run *run, struct sw_order_wishes *wishes) {
    static const char *const keys[] = {"before", "together"};
    for (int i = 0; i < 2; i++) {
        struct wish_reader reader = {.problem = run->problem,
                                     .key = keys[i],
                                     .at = sw_params_text(run->params, run->planner, keys[i]),
                                     .separator = i == 0 ? '<' : ',',
                                     .error = run->error};
        for (blanks(&reader); *reader.at; blanks(&reader)) {
            if (!(i == 0 ? read_before(&reader, wishes) : read_together(&reader, wishes))) {
                sw_order_wishes_done(wishes);
                return false;
            }
        }
    }
    return true;
}
