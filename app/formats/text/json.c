#include "formats/text/json.h"
#include "base/base.h"
#include "formats/text/size.h"

#include <setjmp.h>

/* ---- memory ----
 *
 * jansson does not bear that an allocation fails while it reads: its buffer of a token leaves out the bytes that found
 * no room, and the copy made of it then runs past its end. So the read is left at once by longjmp when memory runs
 * out; all that it holds lies in an arena, which goes as a whole. */

static struct sw_arena *reading;
static jmp_buf ran_out;

static void *json_new(size_t size) {
    void *block = sw_arena_new(reading, size, 1);
    if (!block) {
        longjmp(ran_out, 1);
    }
    return block;
}

static void json_old(void *pointer) {
    (void)pointer;
}

json_t *sw_json_parse(struct sw_arena *arena, const char *text, size_t length, size_t flags, json_error_t *why,
                      bool *out_of_memory) {
    json_malloc_t saved_malloc;
    json_free_t saved_free;
    json_t *volatile root = NULL;
    json_get_alloc_funcs(&saved_malloc, &saved_free);
    json_set_alloc_funcs(json_new, json_old);
    reading = arena;
    *out_of_memory = true;
    if (setjmp(ran_out) == 0) {
        root = json_loadb(text, length, flags, why);
        *out_of_memory = false;
    }
    json_set_alloc_funcs(saved_malloc, saved_free);
    return root;
}

/* ---- opening ---- */

/* jansson stops behind the token it cannot use: go back to its beginning. */
static const char *token_begin(const char *begin, const char *stop) {
    static const char breaks[] = " \t\r\n,:[]{}\"";
    const char *at = stop;
    if (at > begin && at[-1] == '"') {
        for (at--; at > begin && !(at[-1] == '"' && (at - 1 == begin || at[-2] != '\\'));) {
            at--;
        }
        return at > begin ? at - 1 : at;
    }
    while (at > begin && !memchr(breaks, at[-1], sizeof breaks - 1)) {
        at--;
    }
    return at == stop && at > begin ? at - 1 : at;
}

static bool syntax_error(const struct sw_input *input, const char *begin, const json_error_t *why,
                         struct sw_error *error) {
    size_t length = (size_t)(sw_text_end(input) - begin);
    size_t position = why->position < 0 ? 0 : (size_t)why->position;
    const char *stop = begin + (position > length ? length : position);
    bool end = stop == sw_text_end(input) && (strstr(why->text, "near end of file") || length == 0 ||
                                              json_error_code(why) == json_error_premature_end_of_input);
    return sw_text_fail(input, end ? stop : token_begin(begin, stop), error, "not valid JSON: %s", why->text);
}

bool sw_json_open(struct sw_json *json, const struct sw_input *input, struct sw_error *error) {
    if (!sw_text_check(input, error)) {
        return false;
    }
    *json = (struct sw_json){.input = input, .error = error};
    bool out_of_memory;
    const char *begin = sw_text_begin(input);
    json_error_t why = {.line = -1};
    json->root = sw_json_parse(&json->memory, begin, (size_t)(sw_text_end(input) - begin),
                               JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &why, &out_of_memory);
    if (json->root) {
        return true;
    }
    sw_arena_done(&json->memory);
    return out_of_memory ? sw_fail_memory(error) : syntax_error(input, begin, &why, error);
}

void sw_json_close(struct sw_json *json) {
    sw_arena_done(&json->memory);
    json->root = NULL;
}

/* ---- the text ---- */

const char *sw_json_skip_space(const char *at, const char *end) {
    while (at < end && (*at == ' ' || *at == '\t' || *at == '\n' || *at == '\r')) {
        at++;
    }
    return at;
}

static const char *skip_string(const char *at, const char *end) {
    for (at++; at < end && *at != '"'; at++) {
        at += *at == '\\' && at + 1 < end;
    }
    return at < end ? at + 1 : end;
}

/* Past the value at `at`. */
const char *sw_json_skip(const char *at, const char *end) {
    size_t depth = 0;
    at = sw_json_skip_space(at, end);
    while (at < end) {
        if (*at == '"') {
            at = skip_string(at, end);
        } else if (*at == '{' || *at == '[') {
            depth++;
            at++;
        } else if (*at == '}' || *at == ']') {
            depth -= depth > 0;
            at++;
        } else if (depth > 0) {
            at++;
        } else {
            for (at++; at < end && !strchr(" \t\r\n,:[]{}\"", *at);) {
                at++;
            }
        }
        if (depth == 0) {
            break;
        }
    }
    return at;
}

void sw_json_walk_begin(struct sw_json_walk *walk, const char *at, const char *end) {
    at = sw_json_skip_space(at, end);
    bool container = at < end && (*at == '{' || *at == '[');
    *walk = (struct sw_json_walk){.at = container ? at + 1 : end, .end = end};
    walk->key = container && *at == '{' ? at : NULL;
}

bool sw_json_walk_next(struct sw_json_walk *walk) {
    const char *at = walk->at, *end = walk->end;
    if (walk->value) {
        at = sw_json_skip(walk->value, end);
    }
    at = sw_json_skip_space(at, end);
    if (walk->value && at < end && *at == ',') {
        at = sw_json_skip_space(at + 1, end);
    }
    walk->at = end;
    if (at == end || *at == ']' || *at == '}') {
        return false;
    }
    if (walk->key) {
        if (*at != '"') {
            return false;
        }
        walk->key = at;
        walk->key_end = skip_string(at, end);
        at = sw_json_skip_space(walk->key_end, end);
        if (at == end || *at != ':') {
            return false;
        }
        at = sw_json_skip_space(at + 1, end);
    }
    walk->value = at;
    walk->at = at;
    return at < end;
}

/* Does the string token, quotes included, say `text`? */
static bool string_is(const char *begin, const char *end, const char *text) {
    size_t length = (size_t)(end - begin);
    if (length < 2) {
        return false;
    }
    if (!memchr(begin, '\\', length)) {
        return strlen(text) == length - 2 && memcmp(begin + 1, text, length - 2) == 0;
    }
    struct sw_arena memory = {0};
    bool out_of_memory;
    json_t *string = sw_json_parse(&memory, begin, length, JSON_DECODE_ANY, NULL, &out_of_memory);
    bool same = json_is_string(string) && strcmp(json_string_value(string), text) == 0;
    sw_arena_done(&memory);
    return same;
}

/* The value (or, with `key_itself`, the key) one step down from `at`; NULL when it is not there. */
static const char *step_down(const char *at, const char *end, const struct sw_json_step *step, bool key_itself) {
    struct sw_json_walk walk;
    sw_json_walk_begin(&walk, at, end);
    for (size_t i = 0; sw_json_walk_next(&walk); i++) {
        if (step->key ? walk.key && string_is(walk.key, walk.key_end, step->key) : i == step->index) {
            return key_itself ? walk.key : walk.value;
        }
    }
    return NULL;
}

bool sw_json_walk_is(const struct sw_json_walk *walk, const char *key) {
    return walk->key && string_is(walk->key, walk->key_end, key);
}

static const char *locate_value(const struct sw_json *json, const char *key, bool key_itself) {
    const char *end = sw_text_end(json->input);
    const char *at = sw_json_skip_space(sw_text_begin(json->input), end);
    for (unsigned i = 0; i < json->depth; i++) {
        const char *down = step_down(at, end, &json->path[i], false);
        at = down ? down : at;
    }
    const char *down = key ? step_down(at, end, &(struct sw_json_step){.key = key}, key_itself) : NULL;
    return down ? down : at;
}

bool sw_json_fail(const struct sw_json *json, const char *key, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    sw_text_vfail(json->input, locate_value(json, key, false), json->error, format, arguments);
    va_end(arguments);
    return false;
}

/* ---- the path ---- */

static const json_t *present_value(const struct sw_json *json) {
    return json->depth > 0 ? json->path[json->depth - 1].value : json->root;
}

const json_t *sw_json_value(const struct sw_json *json, const char *key) {
    const json_t *value = key ? json_object_get(present_value(json), key) : present_value(json);
    return json->no_nulls && json_is_null(value) ? NULL : value;
}

void sw_json_enter(struct sw_json *json, const char *key) {
    const json_t *value = sw_json_value(json, key);
    json->path[json->depth++] = (struct sw_json_step){.key = key, .value = value};
}

void sw_json_enter_index(struct sw_json *json, size_t index) {
    const json_t *value = json_array_get(sw_json_value(json, NULL), index);
    json->path[json->depth++] = (struct sw_json_step){.index = index, .value = value};
}

bool sw_json_item(struct sw_json *json, const char *key, size_t i) {
    json->depth -= i == 0 ? 0 : key ? 2 : 1;
    if (i >= json_array_size(sw_json_value(json, key))) {
        return false;
    }
    if (key) {
        sw_json_enter(json, key);
    }
    sw_json_enter_index(json, i);
    return true;
}

void sw_json_items_begin(struct sw_json_items *items, const struct sw_json *json, const char *key) {
    *items = (struct sw_json_items){.lines.begin = sw_text_begin(json->input)};
    sw_json_walk_begin(&items->walk, locate_value(json, key, false), sw_text_end(json->input));
}

struct sw_position sw_json_items_next(struct sw_json_items *items) {
    return sw_json_walk_next(&items->walk) ? sw_line_position(&items->lines, items->walk.value)
                                           : (struct sw_position){0, 0};
}

/* ---- errors of the builder ---- */

static const char *at_position(const struct sw_input *input, uint32_t line, uint32_t column) {
    const char *at = sw_text_begin(input), *end = sw_text_end(input);
    for (uint32_t i = 1; i < line && at < end; i++) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        at = stop ? stop + 1 : end;
    }
    return column - 1 < (size_t)(end - at) ? at + (column - 1) : end;
}

/* Where in the message the text stands as a word of its own, the last time; -1 when it does not. */
static long named_at(const char *message, const char *text, size_t length) {
    static const char around[] = " ,.:;'\"()";
    long last = -1;
    for (const char *at = message; length > 0 && (at = strchr(at, *text)); at++) {
        bool begins = at == message || strchr(around, at[-1]);
        if (begins && strncmp(at, text, length) == 0 && strchr(around, at[length])) {
            last = (long)(at - message);
        }
    }
    return last;
}

void sw_json_refine(const struct sw_input *input, struct sw_error *error) {
    if (!error || error->code != SW_ERROR_INPUT || error->line == 0 || error->column == 0) {
        return;
    }
    const char *end = sw_text_end(input);
    const char *item = at_position(input, error->line, error->column);
    const char *stop = sw_json_skip(item, end), *best = NULL;
    long best_at = -1;
    for (const char *at = item; at < stop;) {
        if (*at != '"') {
            at++;
            continue;
        }
        const char *after = skip_string(at, stop);
        const char *next = sw_json_skip_space(after, stop);
        bool key = next < stop && *next == ':';
        long named = key || after - at < 2 ? -1 : named_at(error->message, at + 1, (size_t)(after - at) - 2);
        if (named > best_at) {
            best = at;
            best_at = named;
        }
        at = after;
    }
    if (best) {
        struct sw_position position = sw_text_position(input, best);
        sw_error_at(error, NULL, position.line, position.column);
    }
}

/* ---- typed values ---- */

static const char *type_name(const json_t *value) {
    static const char *const names[] = {[JSON_OBJECT] = "an object",
                                        [JSON_ARRAY] = "a list",
                                        [JSON_STRING] = "a string",
                                        [JSON_INTEGER] = "a whole number",
                                        [JSON_REAL] = "a number with a fraction",
                                        [JSON_TRUE] = "true or false",
                                        [JSON_FALSE] = "true or false",
                                        [JSON_NULL] = "null"};
    return names[json_typeof(value)];
}

static bool wrong_type(const struct sw_json *json, const char *key, const json_t *value, const char *wanted) {
    if (!key) {
        return sw_json_fail(json, NULL, "this must be %s, not %s", wanted, type_name(value));
    }
    return sw_json_fail(json, key, "\"%s\" must be %s, not %s", key, wanted, type_name(value));
}

bool sw_json_integer(const struct sw_json *json, const char *key, int64_t lowest, int64_t highest, int64_t *to) {
    const json_t *value = sw_json_value(json, key);
    const char *name = key ? key : "the value";
    if (!value) {
        return true;
    }
    if (!json_is_integer(value)) {
        return wrong_type(json, key, value, "a whole number");
    }
    int64_t number = json_integer_value(value);
    if (number < 0 && lowest == 0) {
        return sw_json_fail(json, key, "%s %" PRId64 " is negative", name, number);
    }
    if (number < lowest || number > highest) {
        return sw_json_fail(json, key, "%s %" PRId64 " is out of range (%" PRId64 " to %" PRId64 ")", name, number,
                            lowest, highest);
    }
    *to = number;
    return true;
}

bool sw_json_unsigned(const struct sw_json *json, const char *key, uint64_t lowest, uint64_t highest, uint64_t *to) {
    int64_t number = (int64_t)*to;
    bool good = sw_json_integer(json, key, (int64_t)lowest, (int64_t)highest, &number);
    *to = (uint64_t)number;
    return good;
}

bool sw_json_bytes(const struct sw_json *json, const char *key, uint64_t *to) {
    const char *text = json_string_value(sw_json_value(json, key));
    struct sw_error why;
    if (text) {
        return sw_parse_size(text, SW_MAX_BYTES, to, &why) || sw_json_fail(json, key, "%s", why.message);
    }
    return sw_json_unsigned(json, key, 0, SW_MAX_BYTES, to);
}

bool sw_json_real(const struct sw_json *json, const char *key, double *to) {
    const json_t *value = sw_json_value(json, key);
    if (!value) {
        return true;
    }
    if (!json_is_number(value)) {
        return wrong_type(json, key, value, "a number");
    }
    double number = json_number_value(value);
    if (number < 0) {
        return sw_json_fail(json, key, "%s %g is negative", key, number);
    }
    *to = number == 0 ? 0 : number; /* no negative zero */
    return true;
}

bool sw_json_flag(const struct sw_json *json, const char *key, bool *to) {
    const json_t *value = sw_json_value(json, key);
    if (value && !json_is_boolean(value)) {
        return wrong_type(json, key, value, "true or false");
    }
    *to = value ? json_is_true(value) : *to;
    return true;
}

bool sw_json_string(const struct sw_json *json, const char *key, const char **to) {
    const json_t *value = sw_json_value(json, key);
    if (value && !json_is_string(value)) {
        return wrong_type(json, key, value, "a string");
    }
    *to = value ? json_string_value(value) : *to;
    return true;
}

bool sw_json_array(const struct sw_json *json, const char *key) {
    const json_t *value = sw_json_value(json, key);
    return !value || json_is_array(value) || wrong_type(json, key, value, "a list");
}

bool sw_json_need(const struct sw_json *json, const char *key) {
    return sw_json_value(json, key) || sw_json_fail(json, NULL, "\"%s\" is missing", key);
}

/* ---- keys ---- */

static bool fail_unknown_key(const struct sw_json *json, const char *key, const char *const *keys, size_t count) {
    const char *like = NULL;
    for (size_t i = 0; i < count; i++) {
        like = sw_word_nearer(key, like, keys[i]);
    }
    return sw_text_fail(json->input, locate_value(json, key, true), json->error,
                        like ? "unknown key \"%s\"; the nearest known key is \"%s\"" : "unknown key \"%s\"",
                        sw_quote(key, strlen(key)).text, like);
}

bool sw_json_object(const struct sw_json *json, const char *const *keys, size_t count, bool open) {
    const json_t *object = present_value(json);
    if (!json_is_object(object)) {
        return wrong_type(json, NULL, object, "an object");
    }
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)object, key, value) {
        size_t i = 0;
        while (i < count && strcmp(keys[i], key) != 0) {
            i++;
        }
        if (i == count && !open && key[0] != '_' && strncmp(key, "x-", 2) != 0) {
            return fail_unknown_key(json, key, keys, count);
        }
    }
    return true;
}
