#include "formats/graphs/order_file.h"
#include "formats/text/input_words.h"
#include "formats/text/utf8.h"

struct order_reader {
    const struct sw_input *input;
    const struct sw_problem *problem;
    const char *next, *end;
    uint32_t count;
    uint32_t *order;             /* as many as there are operators */
    struct sw_input_text *lines; /* where each was named */
    char *name;                  /* scratch, `room` bytes */
    size_t room;
};

static bool is_space(char c) {
    return c == ' ' || c == '\t' || c == '\r';
}

/* The next line that is not empty. */
static bool next_order_line(struct order_reader *reader, struct sw_input_text *line) {
    while (reader->next < reader->end) {
        const char *begin = reader->next, *stop = memchr(begin, '\n', (size_t)(reader->end - begin));
        stop = stop ? stop : reader->end;
        reader->next = stop < reader->end ? stop + 1 : stop;
        while (begin < stop && is_space(*begin)) {
            begin++;
        }
        while (stop > begin && is_space(stop[-1])) {
            stop--;
        }
        if (begin < stop) {
            *line = (struct sw_input_text){begin, (size_t)(stop - begin)};
            return true;
        }
    }
    return false;
}

/* SW_NONE: no operator has that name. */
static uint32_t find_order_operator(struct order_reader *reader, const struct sw_input_text *line) {
    if (line->length >= reader->room) {
        return SW_NONE; /* longer than the longest name */
    }
    memcpy(reader->name, line->at, line->length);
    reader->name[line->length] = '\0';
    return sw_problem_find_operator(reader->problem, reader->name);
}

/* What is wrong with the order, at the line where it shows. */
static bool check_order(struct order_reader *reader, struct sw_error *error) {
    uint32_t operators = sw_problem_operator_count(reader->problem);
    struct sw_order_fault fault = {0};
    struct sw_error why = {0};
    uint32_t listed = reader->count;
    for (uint32_t i = listed; i < operators; i++) {
        reader->order[i] = SW_NONE;
    }
    if (sw_problem_may_order(reader->problem, reader->order, &fault, &why)) {
        return true;
    }
    if (why.code == SW_ERROR_MEMORY) {
        return sw_fail_memory(error);
    }
    if (fault.no_number) {
        return sw_text_fail(reader->input, reader->end, error,
                            "%u of %u operators are listed: the order must have all of them", listed, operators);
    }
    return sw_text_fail(reader->input, reader->lines[fault.step].at, error, "%s", why.message);
}

static bool read_order_lines(struct order_reader *reader, struct sw_error *error) {
    uint32_t operators = sw_problem_operator_count(reader->problem);
    struct sw_input_text line;
    while (next_order_line(reader, &line)) {
        uint32_t op = find_order_operator(reader, &line);
        if (op == SW_NONE && *line.at == '#') {
            continue;
        }
        if (op == SW_NONE) {
            return sw_text_fail(reader->input, line.at, error, "no operator is called '%s'",
                                sw_quote(line.at, line.length).text);
        }
        if (reader->count == operators) { /* one was listed twice: this one, or one before */
            return check_order(reader, error) && sw_text_fail(reader->input, line.at, error, "%s is listed twice",
                                                              sw_problem_operator(reader->problem, op)->name);
        }
        reader->lines[reader->count] = line;
        reader->order[reader->count++] = op;
    }
    return true;
}

static bool make_order_room(struct order_reader *reader, struct sw_error *error) {
    uint32_t operators = sw_problem_operator_count(reader->problem);
    for (uint32_t i = 0; i < operators; i++) {
        size_t length = strlen(sw_problem_operator(reader->problem, i)->name);
        reader->room = length + 1 > reader->room ? length + 1 : reader->room;
    }
    reader->order = SW_NEW(uint32_t, operators);
    reader->lines = SW_NEW(struct sw_input_text, operators);
    reader->name = SW_NEW(char, reader->room);
    return (reader->order && reader->lines && reader->name) || sw_fail_memory(error);
}

struct sw_problem *sw_order_file_apply(const struct sw_input *input, const struct sw_problem *problem,
                                       struct sw_error *error) {
    struct order_reader reader = {
        .input = input, .problem = problem, .next = sw_text_begin(input), .end = sw_text_end(input)};
    uint32_t operators = sw_problem_operator_count(problem);
    bool good = sw_problem_has_orders(problem, error) && sw_text_check(input, error) &&
                make_order_room(&reader, error) && read_order_lines(&reader, error) && check_order(&reader, error);
    struct sw_problem *ordered = good ? sw_problem_in_order(problem, reader.order, error) : NULL;
    SW_FREE(reader.order, operators);
    SW_FREE(reader.lines, operators);
    SW_FREE(reader.name, reader.room);
    return ordered;
}

/* ---- which order ---- */

enum sw_order_of sw_order_of(const char *order) {
    return !order                                       ? SW_ORDER_OF_FILE
           : strcmp(order, "onnxruntime") == 0          ? SW_ORDER_OF_ONNXRUNTIME
           : strcmp(order, "onnxruntime-priority") == 0 ? SW_ORDER_OF_ONNXRUNTIME_PRIORITY
                                                        : SW_ORDER_OF_FILE;
}

const char *sw_order_words(const char *order) {
    static const char *const words[] = {"the order of --order", "the order of ONNX Runtime",
                                        "the order of ONNX Runtime by priority"};
    return order ? words[sw_order_of(order)] : "the order of the file";
}

/* ---- for writers of models ---- */

bool sw_order_of_nodes(const uint32_t *order, uint32_t count, const uint32_t *owner, uint32_t *nodes,
                       uint32_t *node_count, uint32_t *torn) {
    *node_count = 0;
    for (uint32_t k = 0; k < count;) {
        uint32_t node = owner[order[k]], first = order[k];
        *torn = node;
        if (first > 0 && owner[first - 1] == node) {
            return false; /* not its first one */
        }
        for (uint32_t op = first; op < count && owner[op] == node; op++, k++) {
            if (k == count || order[k] != op) {
                return false;
            }
        }
        nodes[(*node_count)++] = node;
    }
    return true;
}
