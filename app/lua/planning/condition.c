/* Conditions: an expression becomes a function of a decision's fields. See condition.h. */
#include "lua/planning/condition.h"
#include "base/base.h"
#include "lua/planning/condition_types.h"

#include "formats/text/size.h"
#include "lua/sandbox/lua_internal.h"

struct sw_condition {
    struct sw_script *script;
    unsigned owners;
    bool lasts;
    int function; /* reference in the registry */
    struct named_operands {
        const struct sw_operand *names[8]; /* operands of any kind that it speaks of */
        unsigned count;
    } asked;
};

/* In the order in which they are pushed; those that last come first. */
static const char *const condition_fields[] = {
    "peak",   "live", "cost", "bound", "step",   "peak_before", "kind",   "buffer", "other", "tier",
    "offset", "size", "time", "group", "amount", "candidates",  "reason", "action", "forced"};
enum { LASTING_FIELDS = 5, FIELD_COUNT = sizeof condition_fields / sizeof *condition_fields };
/* Behind them the operands that the condition speaks of, in the order in which it names them. */
enum { MOST_OPERANDS = sizeof((struct named_operands *)NULL)->names / sizeof(struct sw_operand *) };

/* ---- the text ---- */

/* An expression on its way to Lua: what has been read of it, and what was written. */
struct condition_text {
    const char *from;
    char *at, *end;
    bool full;
    bool lasts; /* no field so far but those that last */
    bool any;   /* a name was read */
    struct named_operands asked;
    bool operand;   /* what was read last is a value: a bracket behind it holds arguments */
    unsigned depth; /* brackets that are open; bit k of `calls`: bracket k holds a list */
    uint64_t calls;
};

static void put_piece(struct condition_text *text, const char *piece, size_t length) {
    if ((size_t)(text->end - text->at) <= length) {
        text->full = true;
        return;
    }
    memcpy(text->at, piece, length);
    text->at += length;
    *text->at = '\0';
}

static size_t blanks_at(const char *at) {
    return strspn(at, " \t\r\n");
}

/* ---- kinds ---- */

static const char *cut_word(const char *word, size_t length, char name[40]) {
    snprintf(name, 40, "%.*s", (int)(SW_MIN(length, 39)), word);
    return name;
}
#define CUT_WORD(word, length) cut_word((word), (length), (char[40]){0})

/* If not, the error says what there are. */
static bool is_decision_kind(const char *word, size_t length, struct sw_error *error) {
    enum sw_decision_kind kind;
    return sw_decision_named(CUT_WORD(word, length), &kind, error);
}

/* Nearly a kind of ours, and so not meant as one of another planner's, of which a recorded run may have any. */
static bool is_misspelt(const char *word, size_t length) {
    bool like = false;
    for (int i = 0; i < SW_DECISION_KIND_COUNT; i++) {
        like |= sw_word_like(sw_decision_word((enum sw_decision_kind)i), CUT_WORD(word, length));
    }
    return like && !is_decision_kind(word, length, NULL);
}

/* Is the word from `word` to `end` compared with the kind of a decision: kind == word, word ~=
 * kind? */
static bool is_compared_with_kind(const struct condition_text *text, const char *word, const char *end) {
    const char *behind = end + blanks_at(end);
    if (strncmp(behind, "==", 2) == 0 || strncmp(behind, "~=", 2) == 0) {
        behind += 2 + blanks_at(behind + 2);
        return strncmp(behind, "kind", 4) == 0 && !sw_condition_letter(behind[4]);
    }
    while (word > text->from && strchr(" \t\r\n", word[-1])) {
        word--;
    }
    if (word - text->from < 6 || (strncmp(word - 2, "==", 2) != 0 && strncmp(word - 2, "~=", 2))) {
        return false;
    }
    for (word -= 2; word > text->from && strchr(" \t\r\n", word[-1]);) {
        word--;
    }
    return word - text->from >= 4 && strncmp(word - 4, "kind", 4) == 0 &&
           (word - text->from == 4 || !sw_condition_letter(word[-5]));
}

/* ---- its parts ---- */

/* Text between quotation marks; where it ends, or NULL. */
static const char *put_quoted(struct condition_text *text, const char *at, struct sw_error *error) {
    size_t length = 1;
    while (at[length] && at[length] != *at) {
        length += at[length] == '\\' && at[length + 1] ? 2 : 1;
    }
    if (at[length] != *at) {
        sw_fail(error, SW_ERROR_USAGE, "a quotation mark of the condition is not closed");
        return NULL;
    }
    if (is_compared_with_kind(text, at, at + length + 1) && is_misspelt(at + 1, length - 1)) {
        is_decision_kind(at + 1, length - 1, error);
        return NULL;
    }
    put_piece(text, at, length + 1);
    text->operand = true;
    return at + length + 1;
}

/* A number as it stands, but a size as its bytes: 64K, 63 KiB, 64,512. Commas between arguments
 * part them. */
static const char *put_condition_number(struct condition_text *text, const char *at, struct sw_error *error) {
    char size[64], bytes[24];
    uint64_t value;
    unsigned shift;
    bool list = text->depth > 0 && text->calls >> (text->depth - 1) & 1;
    size_t digits = strspn(at, "0123456789."), length = sw_size_figure(at);
    bool commas = length > digits && at[digits] == ',';
    length = list && commas ? digits : length;
    size_t unit = length + strspn(at + length, " "), letters = sw_size_unit(at + unit, &shift);
    bool parted = letters > 0 && length > 0 && !sw_condition_letter(at[unit + letters]);
    text->operand = true;
    if (parted || (commas && !list && !sw_condition_letter(at[length]))) {
        size_t whole = parted ? unit + letters : length;
        snprintf(size, sizeof size, "%.*s", whole < sizeof size ? (int)whole : 0, at);
        if (!sw_parse_size(size, SW_MAX_BYTES, &value, error)) {
            return NULL;
        }
        snprintf(bytes, sizeof bytes, "%llu", (unsigned long long)value);
        put_piece(text, bytes, strlen(bytes));
        return at + whole;
    }
    for (; sw_condition_letter(*at) || *at == '.'; at++) { /* 1e3, 0x10: Lua's business */
        put_piece(text, at, 1);
    }
    return at;
}

static bool among(const char *const *list, size_t count, const char *word, size_t length) {
    for (size_t i = 0; i < count; i++) {
        if (strlen(list[i]) == length && strncmp(list[i], word, length) == 0) {
            return true;
        }
    }
    return false;
}

/* ---- names ---- */

static bool is_operand_text(const struct sw_operand *operand) {
    return operand->type == SW_OPERAND_buffer || operand->type == SW_OPERAND_text;
}

/* The operand is passed to the function as one more argument. False: there are too many. */
static bool pass_operand(struct named_operands *asked, const struct sw_operand *operand) {
    for (unsigned i = 0; i < asked->count; i++) {
        if (strcmp(asked->names[i]->name, operand->name) == 0) {
            return true;
        }
    }
    if (asked->count == MOST_OPERANDS) {
        return false;
    }
    asked->names[asked->count++] = operand;
    return true;
}

static const struct sw_operand *operand_of_word(const char *word, size_t length) {
    return sw_decision_operand_named(CUT_WORD(word, length));
}

static bool refuse_name(const char *word, size_t length, struct sw_error *error) {
    char names[1024] = "", own[41];
    const char *like = NULL;
    snprintf(own, sizeof own, "%.*s", (int)(SW_MIN(length, 40)), word);
    for (size_t i = 0; i < FIELD_COUNT; i++) {
        SW_TEXT_ADD(names, "%s%s", i ? ", " : "", condition_fields[i]);
        like = sw_word_nearer(own, like, condition_fields[i]);
    }
    for (int k = 0; k < SW_DECISION_KIND_COUNT; k++) {
        for (const struct sw_operand *o = sw_decision_operands((enum sw_decision_kind)k); o->name; o++) {
            like = sw_word_nearer(own, like, o->name);
        }
    }
    return sw_fail(error, SW_ERROR_USAGE, "a decision has no '%s'%s%s%s; it has %s", own,
                   like ? ", the nearest is '" : "", like ? like : "", like ? "'" : "", names);
}

/* Every name is looked at before anything runs; where it ends, or NULL. */
static const char *put_condition_name(struct condition_text *text, const char *word, struct sw_error *error) {
    static const char *const joins[] = {"and", "or", "not"};
    static const char *const own[] = {"true", "false", "nil", "math", "string", "tostring", "tonumber", "type"};
    size_t length = 1;
    while (sw_condition_letter(word[length])) {
        length++;
    }
    bool member = word > text->from && (word[-1] == '.' || word[-1] == ':');
    bool known = among(own, sizeof own / sizeof *own, word, length);
    bool field = among(condition_fields, FIELD_COUNT, word, length);
    text->any = true;
    text->operand = !among(joins, sizeof joins / sizeof *joins, word, length);
    size_t whole = length;
    while (word[whole] == '-' && sw_condition_letter(word[whole + 1])) {
        whole += 1 + strspn(word + whole + 1, "abcdefghijklmnopqrstuvwxyz");
    }
    if (whole > length && (is_decision_kind(word, whole, NULL) || is_compared_with_kind(text, word, word + whole))) {
        sw_fail(error, SW_ERROR_USAGE, "a kind with a hyphen in it stands between quotation marks: \"%s\"",
                CUT_WORD(word, whole));
        return NULL;
    }
    if (!member && !known && text->operand && is_compared_with_kind(text, word, word + length) && !field &&
        !is_decision_kind(word, length, error)) {
        return NULL;
    }
    const struct sw_operand *operand =
        member || known || field || !text->operand || is_compared_with_kind(text, word, word + length)
            ? NULL
            : operand_of_word(word, length);
    if (operand && !pass_operand(&text->asked, operand)) {
        sw_fail(error, SW_ERROR_USAGE, "a condition can speak of %d operands at most", MOST_OPERANDS);
        return NULL;
    }
    const char *behind = word + length + blanks_at(word + length);
    bool key = behind[0] == '=' && behind[1] != '='; /* of a table */
    bool kind = !key && !member && !field && !operand && is_decision_kind(word, length, NULL);
    if (!key && !member && !known && !field && !kind && !operand && text->operand) {
        refuse_name(word, length, error);
        return NULL;
    }
    text->lasts =
        text->lasts && !operand && (!field || member || among(condition_fields, LASTING_FIELDS, word, length));
    put_piece(text, "\"", kind);
    put_piece(text, word, length);
    put_piece(text, "\"", kind);
    return word + length;
}

/* Brackets must close in here what they open in here. */
static const char *put_bracket(struct condition_text *text, const char *at, struct sw_error *error) {
    enum { DEEPEST_BRACKET = 60 };
    bool opens = strchr("([{", *at) != NULL;
    if (*at == '[' && (at[1] == '[' || at[1] == '=')) {
        sw_fail(error, SW_ERROR_USAGE, "in a condition texts stand between quotation marks");
        return NULL;
    }
    if (opens ? text->depth == DEEPEST_BRACKET : text->depth == 0) {
        sw_fail(error, SW_ERROR_USAGE,
                opens ? "the condition has too many brackets inside of each other"
                      : "syntax error: '%c' closes a bracket that was not opened",
                *at);
        return NULL;
    }
    if (opens) {
        uint64_t bit = UINT64_C(1) << text->depth++;
        bool list = *at == '{' || (*at == '(' && text->operand);
        text->calls = list ? text->calls | bit : text->calls & ~bit;
    } else {
        text->depth--;
    }
    text->operand = !opens;
    put_piece(text, at, 1);
    return at + 1;
}

static const char *put_part(struct condition_text *text, const char *at, struct sw_error *error) {
    if (*at == '"' || *at == '\'') {
        return put_quoted(text, at, error);
    }
    if (isdigit((unsigned char)*at)) {
        return put_condition_number(text, at, error);
    }
    if (sw_condition_letter(*at)) {
        return put_condition_name(text, at, error);
    }
    if (strchr("()[]{}", *at)) {
        return put_bracket(text, at, error);
    }
    if (strncmp(at, "--", 2) == 0) { /* a comment, up to the end of its line */
        return at + strcspn(at, "\n");
    }
    text->operand = text->operand && strchr(" \t\r\n", *at);
    put_piece(text, at, 1);
    return at + 1;
}

static bool translate_condition(const char *from, struct condition_text *text, struct sw_error *error) {
    for (const char *at = from; *at;) {
        at = put_part(text, at, error);
        if (!at) {
            return false;
        }
    }
    if (text->full) {
        return sw_fail(error, SW_ERROR_USAGE, "the condition is too long");
    }
    return text->any || sw_fail(error, SW_ERROR_USAGE, "a condition asks something of a decision: peak > bound * 1.1");
}

/* The type of a field or of an operand; 0: it is neither. */
static unsigned name_type(const char *name, size_t length) {
    static const char *const texts[] = {"kind", "buffer", "other", "tier", "reason", "action"};
    if (among(texts, sizeof texts / sizeof *texts, name, length)) {
        return *name == 'k' ? SW_IS_TEXT : SW_IS_TEXT | SW_IS_NIL;
    }
    if (among(condition_fields, FIELD_COUNT, name, length)) {
        return length == 6 && memcmp(name, "forced", 6) == 0 ? SW_IS_TRUTH : SW_IS_NUMBER;
    }
    const struct sw_operand *operand = operand_of_word(name, length);
    return !operand ? 0 : is_operand_text(operand) ? SW_IS_TEXT | SW_IS_NIL : SW_IS_NUMBER;
}

static bool write_chunk(const char *expression, char *chunk, size_t size, struct sw_condition *condition,
                        struct sw_error *error) {
    struct condition_text body = {.from = expression, .lasts = true}, text = {.at = chunk, .end = chunk + size};
    char *translated = SW_NEW(char, size);
    if (!translated) {
        return sw_fail_memory(error);
    }
    body.at = translated;
    body.end = translated + size;
    bool ok = translate_condition(expression, &body, error) && sw_condition_types(translated, name_type, error);
    put_piece(&text, "return function(", 16);
    for (size_t i = 0; i < FIELD_COUNT; i++) {
        put_piece(&text, ",", i > 0);
        put_piece(&text, condition_fields[i], strlen(condition_fields[i]));
    }
    for (unsigned i = 0; i < body.asked.count; i++) {
        put_piece(&text, ",", 1);
        put_piece(&text, body.asked.names[i]->name, strlen(body.asked.names[i]->name));
    }
    put_piece(&text, ") return (", 10);
    put_piece(&text, translated, ok ? (size_t)(body.at - translated) : 0);
    put_piece(&text, "\n) end", 6); /* a comment ends with its line */
    SW_FREE(translated, size);
    condition->lasts = body.lasts;
    condition->asked = body.asked;
    return ok && (!text.full || sw_fail(error, SW_ERROR_USAGE, "the condition is too long"));
}

/* ---- making one ---- */

static int keep_function(lua_State *lua) {
    struct sw_condition *condition = lua_touserdata(lua, 1);
    condition->function = luaL_ref(lua, LUA_REGISTRYINDEX);
    return 0;
}

static bool compile(struct sw_condition *condition, const char *chunk, struct sw_error *error) {
    const struct sw_script_options options = {.limits = sw_script_often, .seed = 1};
    condition->script = sw_script_open_text("the condition", chunk, strlen(chunk), &options, error);
    return condition->script && sw_script_take(condition->script, keep_function, condition, error);
}

/* ---- trying it out ---- */

/* A decision that has all its fields, with small figures and then with large ones. What fails of
 * such a one may yet be good for others; what is neither true nor false of it is no condition. */
struct condition_trial {
    struct sw_condition *condition;
    lua_Integer figure;
    int type;
};

static int try_it(lua_State *lua) {
    struct condition_trial *trial = lua_touserdata(lua, 1);
    const struct named_operands *asked = &trial->condition->asked;
    luaL_checkstack(lua, FIELD_COUNT + MOST_OPERANDS + 2, NULL);
    lua_rawgeti(lua, LUA_REGISTRYINDEX, trial->condition->function);
    for (size_t i = 0; i < FIELD_COUNT; i++) {
        static const char *const texts[] = {"buffer", "other", "tier", "reason", "action"};
        if (among(texts, sizeof texts / sizeof *texts, condition_fields[i], strlen(condition_fields[i]))) {
            lua_pushstring(lua, condition_fields[i]);
        } else if (strcmp(condition_fields[i], "kind") == 0) {
            lua_pushstring(lua, sw_decision_word(SW_DECISION_PLACE));
        } else if (strcmp(condition_fields[i], "forced") == 0) {
            lua_pushboolean(lua, trial->figure > 1);
        } else {
            lua_pushinteger(lua, trial->figure);
        }
    }
    for (unsigned i = 0; i < asked->count; i++) {
        if (is_operand_text(asked->names[i])) {
            lua_pushstring(lua, asked->names[i]->name);
        } else {
            lua_pushinteger(lua, trial->figure);
        }
    }
    lua_call(lua, FIELD_COUNT + (int)asked->count, 1);
    trial->type = lua_type(lua, -1);
    return 0;
}

static bool try_out(struct sw_condition *condition, struct sw_error *error) {
    for (lua_Integer figure = 1; figure; figure = figure == 1 ? (lua_Integer)1 << 40 : 0) {
        struct condition_trial trial = {.condition = condition, .figure = figure};
        if (sw_script_protect(condition->script, try_it, &trial, NULL) && trial.type != LUA_TBOOLEAN) {
            return sw_fail(error, SW_ERROR_USAGE,
                           "a condition is true or false, and this is a %s: compare it with "
                           "something, as in peak > bound * 1.1",
                           trial.type == LUA_TSTRING ? "text"
                                                     : lua_typename(sw_script_lua(condition->script), trial.type));
        }
    }
    return true;
}

const char *sw_condition_name(size_t i) {
    if (i < FIELD_COUNT) {
        return condition_fields[i];
    }
    i -= FIELD_COUNT;
    for (int k = 0; k < SW_DECISION_KIND_COUNT; k++) {
        for (const struct sw_operand *o = sw_decision_operands((enum sw_decision_kind)k); o->name; o++) {
            /* Once each, at its first kind; a field of that name comes first. */
            bool known = sw_decision_operand_named(o->name) != o ||
                         among(condition_fields, FIELD_COUNT, o->name, strlen(o->name));
            if (!known && i-- == 0) {
                return o->name;
            }
        }
    }
    return NULL;
}

struct sw_condition *sw_condition_new(const char *text, struct sw_error *error) {
    char chunk[1200];
    struct sw_error own = {0};
    struct sw_condition *condition = SW_NEW_ZERO(struct sw_condition, 1);
    if (!condition) {
        sw_fail_memory(error);
        return NULL;
    }
    condition->owners = 1;
    if (!write_chunk(text, chunk, sizeof chunk, condition, &own) || !compile(condition, chunk, &own) ||
        !try_out(condition, &own)) {
        char message[sizeof own.message];
        snprintf(message, sizeof message, "%s", own.message);
        sw_fail(error, SW_ERROR_USAGE, "%s", message); /* its line says nothing here */
        sw_condition_unref(condition);
        return NULL;
    }
    return condition;
}

struct sw_condition *sw_condition_ref(struct sw_condition *condition) {
    condition->owners++;
    return condition;
}

void sw_condition_unref(struct sw_condition *condition) {
    if (condition && --condition->owners == 0) {
        sw_script_close(condition->script);
        SW_FREE(condition, 1);
    }
}

SW_GETTER(bool, sw_condition_lasts, sw_condition, lasts)

/* ---- asking ---- */

struct condition_question {
    struct sw_condition *condition;
    const struct sw_problem *problem;
    const struct sw_decision *decision;
    bool truth;
};

static void push_text_or_nil(lua_State *lua, const char *text) {
    if (text && *text) {
        lua_pushstring(lua, text);
    } else {
        lua_pushnil(lua);
    }
}

static void push_figure(lua_State *lua, bool known, uint64_t figure) {
    if (known) {
        lua_pushinteger(lua, (lua_Integer)figure);
    } else {
        lua_pushnumber(lua, (double)NAN);
    }
}

static const char *decided_buffer_name(const struct sw_problem *problem, uint32_t buffer) {
    return buffer == SW_NONE ? NULL : sw_problem_buffer(problem, buffer)->name;
}

/* What this decision has of it: a text or nil, a figure or NaN. */
static void push_operand(lua_State *lua, const struct sw_problem *problem, const struct sw_decision *d,
                         const struct sw_operand *asked) {
    const struct sw_operand *own = sw_decision_operands((enum sw_decision_kind)d->kind);
    while (own->name && strcmp(own->name, asked->name) != 0) {
        own++;
    }
    double number = (double)NAN;
    const char *text = NULL;
    bool there = own->name && sw_decision_value(d, own, &number, &text);
    if (asked->type == SW_OPERAND_buffer) {
        push_text_or_nil(lua, there ? decided_buffer_name(problem, *(const uint32_t *)sw_decision_at(d, own)) : NULL);
    } else if (asked->type == SW_OPERAND_text) {
        push_text_or_nil(lua, text);
    } else {
        lua_pushnumber(lua, number);
    }
}

/* What the function said. A number or a text would count as true, whatever it is; nil, of a name that says nothing of
 * this decision, is false. */
static int take_truth(lua_State *lua, bool *truth) {
    int type = lua_type(lua, -1);
    if (type != LUA_TBOOLEAN && type != LUA_TNIL) {
        return luaL_error(lua, "a condition is true or false, and this is a %s: compare it with something",
                          type == LUA_TSTRING ? "text" : lua_typename(lua, type));
    }
    *truth = lua_toboolean(lua, -1);
    return 0;
}

static int ask_condition(lua_State *lua) {
    struct condition_question *question = lua_touserdata(lua, 1);
    const struct sw_decision *d = question->decision;
    const struct sw_problem *problem = question->problem;
    luaL_checkstack(lua, FIELD_COUNT + MOST_OPERANDS + 2, NULL);
    lua_rawgeti(lua, LUA_REGISTRYINDEX, question->condition->function);
    push_figure(lua, true, d->peak);
    push_figure(lua, d->time != SW_NONE, d->live);
    lua_pushnumber(lua, d->cost);
    push_figure(lua, true, sw_problem_lower_bound(problem));
    push_figure(lua, true, d->step);
    push_figure(lua, true, d->peak_before);
    lua_pushstring(lua, sw_decision_called(d));
    push_text_or_nil(lua, decided_buffer_name(problem, d->buffer));
    push_text_or_nil(lua, decided_buffer_name(problem, sw_decision_other(d)));
    push_text_or_nil(lua, d->tier == SW_NONE ? NULL : sw_problem_tier(problem, d->tier)->name);
    push_figure(lua, sw_curve_addressed(d), d->offset);
    push_figure(lua, true, d->size);
    push_figure(lua, d->time != SW_NONE, d->time);
    push_figure(lua, d->group != SW_NONE, d->group);
    push_figure(lua, sw_decision_amount(d) != SW_UNBOUNDED, sw_decision_amount(d));
    push_figure(lua, true, d->candidates);
    char reason[SW_REASON];
    push_text_or_nil(lua, sw_decision_reason(d, reason));
    push_text_or_nil(lua, sw_decision_action(d));
    lua_pushboolean(lua, d->forced);
    const struct named_operands *asked = &question->condition->asked;
    for (unsigned i = 0; i < asked->count; i++) {
        push_operand(lua, problem, d, asked->names[i]);
    }
    lua_call(lua, FIELD_COUNT + (int)asked->count, 1);
    return take_truth(lua, &question->truth);
}

bool sw_condition_ask(struct sw_condition *condition, const struct sw_problem *problem,
                      const struct sw_decision *decision, bool *truth, struct sw_error *error) {
    struct condition_question question = {condition, problem, decision, false};
    if (!sw_script_protect(condition->script, ask_condition, &question, error)) {
        char *callers = error ? strstr(error->message, " (in ") : NULL;
        if (callers) {
            *callers = '\0'; /* there is one line, and the user has just typed it */
        }
        sw_error_at(error, "", 0, 0);
        return false;
    }
    *truth = question.truth;
#ifndef NDEBUG
    if (!sw_script_protect(condition->script, ask_condition, &question, error)) {
        return false;
    }
    if (question.truth != *truth) {
        return sw_fail(error, SW_ERROR_INPUT, "the condition answers the same question in two ways");
    }
#endif
    return true;
}
