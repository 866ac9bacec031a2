/* Conditions: an expression becomes a function of a decision's fields. See condition.h. */
#include "lua/condition.h"

#include "lua/internal.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

struct sw_condition {
    struct sw_script *script;
    unsigned owners;
    bool lasts;
    int function; /* reference in the registry */
};

/* In the order in which they are pushed; those that last come first. */
static const char *const fields[] = {
    "peak",   "live", "cost", "bound", "step",   "peak_before", "kind",   "buffer", "other", "tier",
    "offset", "size", "time", "group", "amount", "candidates",  "reason", "action", "forced"};
enum { LASTING = 5, FIELDS = sizeof fields / sizeof *fields };

/* ---- the text ---- */

struct text {
    char *at, *end;
    bool full;
};

static void put(struct text *text, const char *piece, size_t length) {
    if ((size_t)(text->end - text->at) <= length) {
        text->full = true;
        return;
    }
    memcpy(text->at, piece, length);
    text->at += length;
    *text->at = '\0';
}

static size_t skip_quoted(const char *at) {
    size_t length = 1;
    while (at[length] && at[length] != *at) {
        length += at[length] == '\\' && at[length + 1] ? 2 : 1;
    }
    return length + (at[length] == *at);
}

/* A number with its suffix: 64K is (64*1024). */
static size_t put_number(struct text *text, const char *at) {
    size_t length = strspn(at, "0123456789.");
    bool hexadecimal = at[0] == '0' && (at[1] == 'x' || at[1] == 'X');
    if (hexadecimal) {
        length = 2 + strspn(at + 2, "0123456789abcdefABCDEF");
    }
    const char *factor = at[length] == 'K'   ? "*1024)"
                         : at[length] == 'M' ? "*1048576)"
                         : at[length] == 'G' ? "*1073741824)"
                                             : NULL;
    bool suffix = factor && !isalnum((unsigned char)at[length + 1]) && at[length + 1] != '_';
    put(text, "(", suffix);
    put(text, at, length);
    if (suffix) {
        put(text, factor, strlen(factor));
    }
    while (!suffix && (isalnum((unsigned char)at[length]) || at[length] == '_')) {
        put(text, at + length++, 1); /* 1e3: as it stands */
    }
    return length + suffix;
}

static bool among(const char *const *list, size_t count, const char *word, size_t length) {
    for (size_t i = 0; i < count; i++) {
        if (strlen(list[i]) == length && strncmp(list[i], word, length) == 0) {
            return true;
        }
    }
    return false;
}

static bool is_kind(const char *word, size_t length) {
    for (int i = 0; i < SW_DECISION_KIND_COUNT; i++) {
        const char *kind = sw_decision_word((enum sw_decision_kind)i);
        if (strlen(kind) == length && strncmp(kind, word, length) == 0) {
            return true;
        }
    }
    return false;
}

static bool refuse_name(const char *word, size_t length, struct sw_error *error) {
    char names[200] = "";
    for (size_t i = 0; i < FIELDS; i++) {
        size_t used = strlen(names);
        snprintf(names + used, sizeof names - used, "%s%s", i ? ", " : "", fields[i]);
    }
    return sw_fail(error, SW_ERROR_USAGE, "a decision has no '%.*s'; it has %s",
                   (int)(length < 40 ? length : 40), word, names);
}

/* Every name is looked at before anything runs. */
static bool put_name(struct text *text, const char *word, size_t length, bool field, bool *lasts,
                     struct sw_error *error) {
    static const char *const own[] = {"and",  "or",     "not",      "true",     "false", "nil",
                                      "math", "string", "tostring", "tonumber", "type"};
    if (field || among(own, sizeof own / sizeof *own, word, length)) {
        put(text, word, length);
        return true;
    }
    if (is_kind(word, length)) {
        put(text, "\"", 1);
        put(text, word, length);
        put(text, "\"", 1);
        return true;
    }
    if (!among(fields, FIELDS, word, length)) {
        return refuse_name(word, length, error);
    }
    *lasts = *lasts && among(fields, LASTING, word, length);
    put(text, word, length);
    return true;
}

static bool translate(const char *from, struct text *text, bool *lasts, struct sw_error *error) {
    bool any = false;
    *lasts = true;
    for (const char *at = from; *at;) {
        size_t length = 1;
        if (*at == '"' || *at == '\'') {
            length = skip_quoted(at);
            put(text, at, length);
        } else if (isdigit((unsigned char)*at)) {
            length = put_number(text, at);
        } else if (isalpha((unsigned char)*at) || *at == '_') {
            while (isalnum((unsigned char)at[length]) || at[length] == '_') {
                length++;
            }
            bool field = at > from && (at[-1] == '.' || at[-1] == ':');
            if (!put_name(text, at, length, field, lasts, error)) {
                return false;
            }
            any = true;
        } else {
            put(text, at, 1);
        }
        at += length;
    }
    if (text->full) {
        return sw_fail(error, SW_ERROR_USAGE, "the condition is too long");
    }
    return any || sw_fail(error, SW_ERROR_USAGE,
                          "a condition asks something of a decision: peak > bound * 1.1");
}

static bool write_chunk(const char *expression, char *chunk, size_t size, bool *lasts,
                        struct sw_error *error) {
    struct text text = {chunk, chunk + size, false};
    put(&text, "return function(", 16);
    for (size_t i = 0; i < FIELDS; i++) {
        put(&text, ",", i > 0);
        put(&text, fields[i], strlen(fields[i]));
    }
    put(&text, ") return (", 10);
    if (!translate(expression, &text, lasts, error)) {
        return false;
    }
    put(&text, "\n) end", 6); /* a comment ends with its line */
    return !text.full || sw_fail(error, SW_ERROR_USAGE, "the condition is too long");
}

/* ---- making one ---- */

static int keep_function(lua_State *lua) {
    struct sw_condition *condition = lua_touserdata(lua, 1);
    lua_rawgetp(lua, LUA_REGISTRYINDEX, condition);
    condition->function = luaL_ref(lua, LUA_REGISTRYINDEX);
    return 0;
}

static int make_slot(lua_State *lua) {
    lua_pushboolean(lua, 1);
    lua_rawsetp(lua, LUA_REGISTRYINDEX, lua_touserdata(lua, 1));
    return 0;
}

static bool compile(struct sw_condition *condition, const char *chunk, struct sw_error *error) {
    const struct sw_script_options options = {.limits = sw_script_often, .seed = 1};
    condition->script = sw_script_open_text("the condition", chunk, strlen(chunk), &options, error);
    if (!condition->script || !sw_script_protect(condition->script, make_slot, condition, error) ||
        !sw_script_run(condition->script, 0, 1, error)) {
        return false;
    }
    lua_rawsetp(sw_script_lua(condition->script), LUA_REGISTRYINDEX, condition);
    return sw_script_protect(condition->script, keep_function, condition, error);
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
    if (!write_chunk(text, chunk, sizeof chunk, &condition->lasts, &own) ||
        !compile(condition, chunk, &own)) {
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

bool sw_condition_lasts(const struct sw_condition *condition) {
    return condition->lasts;
}

/* ---- asking ---- */

struct question {
    struct sw_condition *condition;
    const struct sw_problem *problem;
    const struct sw_decision *decision;
    bool truth;
};

static void push_text(lua_State *lua, const char *text) {
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

static const char *buffer_name(const struct sw_problem *problem, uint32_t buffer) {
    return buffer == SW_NONE ? NULL : sw_problem_buffer(problem, buffer)->name;
}

static int ask(lua_State *lua) {
    struct question *question = lua_touserdata(lua, 1);
    const struct sw_decision *d = question->decision;
    const struct sw_problem *problem = question->problem;
    luaL_checkstack(lua, FIELDS + 2, NULL);
    lua_rawgeti(lua, LUA_REGISTRYINDEX, question->condition->function);
    push_figure(lua, true, d->peak);
    push_figure(lua, d->time != SW_NONE, d->live);
    lua_pushnumber(lua, d->cost);
    push_figure(lua, true, sw_problem_lower_bound(problem));
    push_figure(lua, true, d->step);
    push_figure(lua, true, d->peak_before);
    lua_pushstring(lua, sw_decision_word((enum sw_decision_kind)d->kind));
    push_text(lua, buffer_name(problem, d->buffer));
    push_text(lua, buffer_name(problem, d->other));
    push_text(lua, d->tier == SW_NONE ? NULL : sw_problem_tier(problem, d->tier)->name);
    push_figure(lua, d->tier != SW_NONE, d->offset);
    push_figure(lua, true, d->size);
    push_figure(lua, d->time != SW_NONE, d->time);
    push_figure(lua, d->group != SW_NONE, d->group);
    push_figure(lua, d->amount != SW_UNBOUNDED, d->amount);
    push_figure(lua, true, d->candidates);
    push_text(lua, d->reason);
    push_text(lua, d->action);
    lua_pushboolean(lua, d->forced);
    lua_call(lua, FIELDS, 1);
    question->truth = lua_toboolean(lua, -1);
    return 0;
}

bool sw_condition_ask(struct sw_condition *condition, const struct sw_problem *problem,
                      const struct sw_decision *decision, bool *truth, struct sw_error *error) {
    struct question question = {condition, problem, decision, false};
    if (!sw_script_protect(condition->script, ask, &question, error)) {
        char *callers = error ? strstr(error->message, " (in ") : NULL;
        if (callers) {
            *callers = '\0'; /* there is one line, and the user has just typed it */
        }
        sw_error_at(error, "", 0, 0);
        return false;
    }
    *truth = question.truth;
#ifndef NDEBUG
    if (!sw_script_protect(condition->script, ask, &question, error)) {
        return false;
    }
    if (question.truth != *truth) {
        return sw_fail(error, SW_ERROR_INPUT,
                       "the condition answers the same question in two ways");
    }
#endif
    return true;
}
