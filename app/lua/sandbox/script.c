/* Closed Lua states: limits, loading, calling, and errors with file and line. See script.h. */
#include "lua/sandbox/lua_internal.h"
#include "base/base.h"
#include "data.h"

#include <time.h>

enum {
    HOOK_EVERY = 1000,
    LOOK_EVERY = 200,            /* instructions between two looks at the clock: small charges come one after another */
    RESERVE = 64 * 1024,         /* for putting an error into words */
    LARGE_ALLOCATION = 16 * 1024 /* an allocation that is worth a look at the clock */
};

const struct sw_script_limits sw_script_once = {
    .memory = (size_t)256 << 20, .instructions = UINT64_C(300000000), .seconds = 10};
const struct sw_script_limits sw_script_often = {
    .memory = (size_t)256 << 20, .instructions = UINT64_C(5000000), .seconds = 2};

static char environment_key, code_key; /* their addresses are keys of the registry */

struct sw_script *sw_script_of(lua_State *lua) {
    struct sw_script *script;
    memcpy(&script, lua_getextraspace(lua), sizeof script);
    return script;
}

/* What the file is called in messages. */
static const char *noun_of(const struct sw_script *script) {
    return script->options.data ? script->options.data : "script";
}

/* ---- limits ---- */

static uint64_t clock_now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * UINT64_C(1000000000) + (uint64_t)time.tv_nsec;
}

static bool exhausted(struct sw_script *script) {
    if (script->dead || script->options.trusted || script->depth == 0) {
        return script->dead != NULL;
    }
    if (script->spent > script->options.limits.instructions) {
        script->dead = "does not come to an end";
    } else if (script->stops_at && script->spent >= script->look_at) {
        script->look_at = script->spent + LOOK_EVERY;
        script->dead = clock_now() > script->stops_at ? "takes too long" : NULL;
    }
    return script->dead != NULL;
}

/* What Lua allocates is charged, too: joining long strings is one instruction. */
static void *limited_alloc(void *context, void *pointer, size_t old_size, size_t new_size) {
    struct sw_script *script = context;
    size_t old = pointer ? old_size : 0; /* else it is the type of the object */
    if (new_size == 0) {
        sw_mem_free(pointer, old, 1);
        script->used -= old;
        return NULL;
    }
    if (new_size > old && !script->options.trusted) {
        size_t limit = script->options.limits.memory + (script->reporting ? RESERVE : 0);
        script->spent += new_size / 64;
        if (new_size - old > limit - (SW_MIN(script->used, limit)) ||
            (new_size > LARGE_ALLOCATION && exhausted(script))) {
            return NULL;
        }
    }
    void *block = pointer ? sw_mem_resize(pointer, old, new_size, 1) : sw_mem_new(new_size, 1);
    if (block) {
        script->used = script->used - old + new_size;
        /* Lua collects its garbage and asks once more: then nothing was missed. */
        script->missed = script->missed == new_size ? 0 : script->missed;
    } else if (pointer && new_size <= old) {
        block = pointer; /* Lua relies on it that a block can shrink */
    } else {
        script->missed = new_size;
    }
    return block;
}

/* Sticky: once the budget is gone it is called at every instruction, in whatever coroutine, and
 * raises each time. */
static void count_hook(lua_State *lua, lua_Debug *debug) {
    (void)debug;
    sw_script_charge(lua, HOOK_EVERY);
}

void sw_script_hook(lua_State *lua, lua_State *thread) {
    if (!sw_script_of(lua)->options.trusted) {
        lua_sethook(thread, count_hook, LUA_MASKCOUNT, HOOK_EVERY);
    }
}

void sw_script_charge(lua_State *lua, uint64_t instructions) {
    struct sw_script *script = sw_script_of(lua);
    if (__builtin_add_overflow(script->spent, instructions, &script->spent)) {
        script->spent = UINT64_MAX;
    }
    if (exhausted(script)) {
        lua_sethook(lua, count_hook, LUA_MASKCOUNT, 1);
        luaL_error(lua, "the %s %s", noun_of(script), script->dead);
    }
}

uint64_t sw_script_pause(lua_State *lua) {
    (void)lua;
    return clock_now();
}

void sw_script_resume(lua_State *lua, uint64_t paused) {
    sw_script_of(lua)->stops_at += clock_now() - paused;
}

void sw_script_extend(lua_State *lua, const struct sw_script_limits *more) {
    struct sw_script *script = sw_script_of(lua);
    script->options.limits.memory += more->memory;
    script->options.limits.instructions += more->instructions;
    script->stops_at += (uint64_t)(more->seconds * 1e9);
}

void sw_script_limit(struct sw_script *script, const struct sw_script_limits *limits) {
    script->options.limits = *limits;
}

/* ---- errors ---- */

/* Is `name`, which Lua may have shortened to "...tail", this file's? */
static bool is_name_of_file(const char *name, size_t length, const char *file) {
    size_t size = strlen(file);
    if (length > 3 && strncmp(name, "...", 3) == 0) {
        name += 3;
        length -= 3;
        return size >= length && memcmp(file + size - length, name, length) == 0;
    }
    return size == length && memcmp(file, name, size) == 0;
}

static const char *known_file(const struct sw_script *script, const char *name, size_t length) {
    for (size_t i = 0; i < script->files.count; i++) {
        if (is_name_of_file(name, length, script->files.items[i])) {
            return script->files.items[i];
        }
    }
    return is_name_of_file(name, length, script->path) ? script->path : NULL;
}

/* "FILE:LINE: " at the front of a message, of a file of the script: what follows. */
static const char *skip_position(const struct sw_script *script, const char *message, const char **file,
                                 uint32_t *line) {
    for (const char *colon = message; (colon = strchr(colon, ':')) != NULL; colon++) {
        char *end;
        unsigned long number = strtoul(colon + 1, &end, 10);
        if (end > colon + 1 && strncmp(end, ": ", 2) == 0) {
            const char *name = known_file(script, message, (size_t)(colon - message));
            *file = name ? name : *file;
            *line = number > UINT32_MAX ? UINT32_MAX : (uint32_t)number;
            return name ? end + 2 : NULL;
        }
    }
    return NULL;
}

static const char *file_of(const lua_Debug *debug) {
    return *debug->source == '@' ? debug->source + 1 : debug->short_src;
}

/* The first level of the stack, from one on, that runs code of Lua; -1: there is none. */
static int level_of_lua(lua_State *lua, int level, lua_Debug *debug) {
    for (; lua_getstack(lua, level, debug); level++) {
        if (lua_getinfo(lua, "Sln", debug) && debug->currentline > 0) {
            return level;
        }
    }
    return -1;
}

/* The coroutine's own callers are put into the message: its stack is not that of the handler. */
int sw_script_rethrow(lua_State *lua, lua_State *thread) {
    struct sw_script *script = sw_script_of(lua);
    lua_Debug debug;
    const char *file = NULL;
    uint32_t line = 0;
    const char *message = sw_sandbox_text(lua, -1);
    if (!skip_position(script, message, &file, &line) && level_of_lua(thread, 0, &debug) >= 0) {
        return luaL_error(lua, "%s:%d: %s", debug.short_src, debug.currentline, message);
    }
    return lua_error(lua);
}

/* The calls that led there: "in conv at nn.lua:120, called from resnet50.lua:33". */
static void describe_callers(lua_State *lua, char *text, size_t size) {
    lua_Debug debug;
    unsigned named = 0;
    text[0] = '\0';
    for (int level = 1; named < 6 && (level = level_of_lua(lua, level, &debug)) > 0; level++) {
        const char *name = debug.name ? debug.name : strcmp(debug.what, "main") == 0 ? "the main part" : "a function";
        sw_text_add(text, size, "%s%s%s%s:%d", named == 0 ? "in " : ", called from ", named == 0 ? name : "",
                    named == 0 ? " at " : "", sw_path_name(file_of(&debug)), debug.currentline);
        named++;
    }
}

/* Does the file come with the program? */
static bool ships(const char *file) {
    char folder[4096];
    size_t length;
    if (!file || !sw_data_path("scripts/lib", folder, sizeof folder, NULL)) {
        return false;
    }
    length = strlen(folder);
    return strncmp(file, folder, length) == 0 && file[length] == '/';
}

/* Did a function of Lua's own find the fault, called by a library that ships: ipairs of a number? Not `error`, by which
 * libraries say themselves what is wrong. */
static bool library_slipped(lua_State *lua) {
    lua_Debug debug;
    bool found = lua_getstack(lua, 1, &debug) && lua_getinfo(lua, "Sn", &debug) && *debug.what == 'C' &&
                 (!debug.name || strcmp(debug.name, "error") != 0);
    return found && level_of_lua(lua, 2, &debug) > 0 && ships(file_of(&debug));
}

/* Lua found the fault inside a library that ships: it lies with the arguments that the library was given. Then the
 * place is the call in the user's file, and the message begins with the function that was called there. False: it does
 * not. */
static bool blame_caller(lua_State *lua, const char **message, const char **file, uint32_t *line) {
    const char *function = NULL;
    lua_Debug debug;
    for (int level = 1; (level = level_of_lua(lua, level, &debug)) > 0; level++) {
        if (!ships(file_of(&debug))) {
            lua_pushstring(lua, file_of(&debug));
            *file = lua_tostring(lua, -1);
            *line = (uint32_t)debug.currentline;
            *message = function ? lua_pushfstring(lua, "%s: %s", function, *message) : *message;
            return true;
        }
        function = debug.name ? debug.name : function;
    }
    return false;
}

/* The message handler: what went wrong, where, and how it came there, as a table. */
static int explain_error(lua_State *lua) {
    struct sw_script *script = sw_script_of(lua);
    lua_Debug debug;
    script->reporting = true;
    const char *message = sw_sandbox_text(lua, 1), *file = NULL;
    uint32_t line = 0;
    char callers[200] = "";
    const char *rest = skip_position(script, message, &file, &line);
    /* Without a position: where the main file was, for a library blames its caller that way. */
    for (int level = 1; !rest && (level = level_of_lua(lua, level, &debug)) > 0; level++) {
        bool main_file = strcmp(file_of(&debug), script->path) == 0;
        if (!file || main_file) {
            lua_pushstring(lua, file_of(&debug));
            file = lua_tostring(lua, -1);
            line = (uint32_t)debug.currentline;
        }
        if (main_file) {
            break;
        }
    }
    message = rest ? rest : message;
    if (!rest && ships(file)) { /* the user's file ended with the call and is not on the stack any more */
        file = script->path;
        line = 0;
    } else if (rest ? ships(file) : library_slipped(lua)) {
        blame_caller(lua, &message, &file, &line);
    }
    if (!script->options.data) {
        describe_callers(lua, callers, sizeof callers);
    }
    lua_createtable(lua, 0, 4);
    sw_lua_set_text(lua, "message", message);
    sw_lua_set_text(lua, "file", file ? file : script->path);
    sw_lua_set_count(lua, "line", line);
    sw_lua_set_text(lua, "callers", callers);
    return 1;
}

static const char *field(lua_State *lua, const char *name) {
    lua_pushstring(lua, name);
    lua_rawget(lua, -2);
    return lua_tostring(lua, -1) ? lua_tostring(lua, -1) : "";
}

/* Of the table that `explain_error` made, which is popped. */
static void fill_error(struct sw_script *script, struct sw_error *error) {
    lua_State *lua = script->lua;
    const char *message = field(lua, "message");
    lua_insert(lua, -2);
    const char *callers = field(lua, "callers");
    lua_insert(lua, -2);
    sw_fail(error, SW_ERROR_INPUT, "%s%s%s%s", message, *callers ? " (" : "", callers, *callers ? ")" : "");
    lua_pushliteral(lua, "line");
    lua_rawget(lua, -2);
    uint32_t line = (uint32_t)lua_tointeger(lua, -1);
    lua_pop(lua, 1);
    sw_error_at(error, field(lua, "file"), line, 0);
    lua_pop(lua, 4);
}

/* `what` a script does that is not dead. */
static bool fail_whole(const struct sw_script *script, const char *what, struct sw_error *error) {
    sw_fail(error, SW_ERROR_INPUT, "the %s %s", noun_of(script), script->dead ? script->dead : what);
    sw_error_at(error, script->path, 0, 0);
    return false;
}

static bool fail_status(struct sw_script *script, int status, struct sw_error *error) {
    script->reporting = false;
    if (status == LUA_ERRMEM || !lua_istable(script->lua, -1)) {
        lua_pop(script->lua, 1);
        return fail_whole(script, status == LUA_ERRMEM ? "needs too much memory" : "fails while it reports a failure",
                          error);
    }
    fill_error(script, error);
    return false;
}

int sw_script_no_memory(lua_State *lua) {
    sw_script_of(lua)->missed = SIZE_MAX;
    return luaL_error(lua, "out of memory");
}

/* ---- calls ---- */

static void enter_script(struct sw_script *script) {
    if (script->depth++ > 0 || script->options.trusted) {
        return;
    }
    script->spent = 0;
    script->look_at = 0;
    script->stops_at = clock_now() + (uint64_t)(script->options.limits.seconds * 1e9);
    lua_sethook(script->lua, count_hook, LUA_MASKCOUNT, HOOK_EVERY);
}

static void leave_script(struct sw_script *script) {
    if (--script->depth == 0) {
        lua_sethook(script->lua, NULL, 0, 0);
    }
}

bool sw_script_call(struct sw_script *script, int arguments, int results, struct sw_error *error) {
    lua_State *lua = script->lua;
    int handler = lua_gettop(lua) - arguments;
    if (script->dead) {
        lua_settop(lua, handler - 1);
        return fail_whole(script, NULL, error);
    }
    lua_pushcfunction(lua, explain_error);
    lua_insert(lua, handler);
    enter_script(script);
    int status = lua_pcall(lua, arguments, results, handler);
    leave_script(script);
    if (script->missed) { /* whatever the script made of it */
        script->missed = 0;
        script->reporting = false;
        lua_settop(lua, handler - 1);
        sw_fail_memory(error);
        sw_error_at(error, script->path, 0, 0);
        return false;
    }
    lua_remove(lua, handler);
    return status == LUA_OK || fail_status(script, status, error);
}

bool sw_script_protect(struct sw_script *script, lua_CFunction function, void *argument, struct sw_error *error) {
    if (!lua_checkstack(script->lua, 8)) {
        return sw_fail_memory(error);
    }
    lua_pushcfunction(script->lua, function);
    lua_pushlightuserdata(script->lua, argument);
    return sw_script_call(script, 1, 0, error);
}

bool sw_script_run(struct sw_script *script, int arguments, int results, struct sw_error *error) {
    lua_State *lua = script->lua;
    lua_rawgetp(lua, LUA_REGISTRYINDEX, &code_key);
    lua_insert(lua, -arguments - 1);
    bool good = sw_script_call(script, arguments, results, error);
    script->loaded = true;
    return good;
}

bool sw_script_hand(struct sw_script *script, lua_CFunction function, void *argument, struct sw_error *error) {
    lua_State *lua = script->lua;
    if (!lua_checkstack(lua, 8)) {
        lua_pop(lua, 1);
        return sw_fail_memory(error);
    }
    lua_pushcfunction(lua, function);
    lua_pushlightuserdata(lua, argument);
    lua_rotate(lua, -3, 2); /* the value behind both */
    return sw_script_call(script, 2, 0, error);
}

bool sw_script_take(struct sw_script *script, lua_CFunction function, void *argument, struct sw_error *error) {
    return sw_script_run(script, 0, 1, error) && sw_script_hand(script, function, argument, error);
}

/* ---- files ---- */

const char *sw_script_add_file(struct sw_script *script, const struct sw_input *input) {
    size_t size = strlen(input->name) + 1;
    char *copy = SW_NEW(char, size);
    if (!copy || !SW_PUSH(&script->files, copy)) {
        SW_FREE(copy, size);
        return NULL;
    }
    memcpy(copy, input->name, size);
    script->digest = sw_fold_bytes(script->digest, input->bytes, input->length);
    return copy;
}

size_t sw_script_file_count(const struct sw_script *script) {
    return script->files.count;
}

const char *sw_script_file(const struct sw_script *script, size_t i) {
    return script->files.items[i];
}

SW_GETTER(uint64_t, sw_script_digest, sw_script, digest)

/* ---- opening ---- */

void sw_script_push_environment(lua_State *lua) {
    lua_rawgetp(lua, LUA_REGISTRYINDEX, &environment_key);
}

/* Assigning a global: while the files are being loaded, and not any more. */
static int set_global(lua_State *lua) {
    struct sw_script *script = sw_script_of(lua);
    if (script->loaded) {
        return luaL_error(lua,
                          "the global variable '%s' cannot be set here: after loading, globals "
                          "are read-only",
                          sw_sandbox_text(lua, 2));
    }
    lua_rawset(lua, lua_upvalueindex(1)); /* nothing is raised: the key is no NaN and not nil */
    return 0;
}

/* The environment is an empty table before the real one, so that every assignment is seen. */
static void make_environment(lua_State *lua) {
    lua_createtable(lua, 0, 0);  /* the environment */
    lua_createtable(lua, 0, 4);  /* its metatable */
    lua_createtable(lua, 0, 40); /* the globals */
    sw_sandbox_fill(lua);
    lua_pushvalue(lua, -3);
    lua_setfield(lua, -2, "_G");
    lua_pushvalue(lua, -1);
    lua_setfield(lua, -3, "__index");
    lua_pushcclosure(lua, set_global, 1);
    lua_setfield(lua, -2, "__newindex");
    sw_lua_set_truth(lua, "__metatable", false);
    lua_setmetatable(lua, -2);
    lua_rawsetp(lua, LUA_REGISTRYINDEX, &environment_key);
}

void sw_script_global_get(struct sw_script *script, const char *name) {
    sw_script_push_environment(script->lua);
    lua_getfield(script->lua, -1, name);
    lua_remove(script->lua, -2);
}

void sw_script_global(struct sw_script *script, const char *name) {
    sw_script_push_environment(script->lua);
    lua_insert(script->lua, -2);
    lua_setfield(script->lua, -2, name);
    lua_pop(script->lua, 1);
}

/* Seed math.random, and take math.randomseed away from the environment. */
static void seed_random(lua_State *lua, uint64_t seed) {
    lua_getfield(lua, -1, "math");
    lua_getfield(lua, -1, "randomseed");
    lua_pushinteger(lua, (lua_Integer)seed);
    lua_pushinteger(lua, 0);
    lua_call(lua, 2, 0);
    lua_pushnil(lua);
    lua_setfield(lua, -2, "randomseed");
    lua_pop(lua, 1);
}

void sw_script_check_memory(lua_State *lua, bool had) {
    if (!had) {
        sw_script_no_memory(lua);
    }
}

void sw_script_check(lua_State *lua, bool good, const char *before, const struct sw_error *error) {
    sw_script_check_memory(lua, good || error->code != SW_ERROR_MEMORY);
    if (!good) {
        luaL_error(lua, "%s%s", before, error->message);
    }
}

int sw_script_complain(lua_State *lua, const char *message) {
    lua_Debug debug;
    lua_getinfo(lua, ">S", &debug);
    return luaL_error(lua, "%s:%d: %s", sw_script_path(sw_script_of(lua)), debug.linedefined, message);
}

int sw_script_not_compiled(lua_State *lua, const char *path) {
    /* Where the compiler's nesting is at its end it raises before it knows a line, and the message handler has made a
     * table of that already. What else is wrong with a text comes as a text. */
    return lua_istable(lua, -1)
               ? luaL_error(
                     lua,
                     "%s is nested too deeply: there are too many brackets, blocks or functions inside one another",
                     sw_path_name(path))
               : lua_error(lua);
}

struct script_start {
    struct sw_script *script;
    const char *name, *text;
    size_t length;
};

/* Everything that may raise for lack of memory. */
static int compile_script(lua_State *lua) {
    struct script_start *start = lua_touserdata(lua, 1);
    char chunk[1100];
    if (start->script->options.data) {
        lua_createtable(lua, 0, 0);
        lua_rawsetp(lua, LUA_REGISTRYINDEX, &environment_key);
    } else {
        make_environment(lua);
        sw_script_push_environment(lua);
        seed_random(lua, start->script->options.seed);
    }
    snprintf(chunk, sizeof chunk, "@%s", start->name);
    if (luaL_loadbufferx(lua, start->text, start->length, chunk, "t") != LUA_OK) {
        return sw_script_not_compiled(lua, start->name);
    }
    sw_script_push_environment(lua);
    lua_setupvalue(lua, -2, 1);
    lua_rawsetp(lua, LUA_REGISTRYINDEX, &code_key);
    return 0;
}

struct sw_script *sw_script_open_text(const char *name, const char *text, size_t length,
                                      const struct sw_script_options *options, struct sw_error *error) {
    struct sw_script *script = SW_NEW_ZERO(struct sw_script, 1);
    if (!script) {
        sw_fail_memory(error);
        return NULL;
    }
    script->options = options ? *options : (struct sw_script_options){.seed = 1};
    if (script->options.limits.memory == 0) {
        script->options.limits = sw_script_once;
    }
    snprintf(script->path, sizeof script->path, "%s", name);
    script->lua = lua_newstate(limited_alloc, script);
    if (!script->lua) {
        SW_FREE(script, 1);
        sw_fail_memory(error);
        return NULL;
    }
    memcpy(lua_getextraspace(script->lua), &script, sizeof script);
    lua_gc(script->lua, LUA_GCGEN, 0, 0);
    struct script_start arguments = {script, name, text, length};
    if (!sw_script_protect(script, compile_script, &arguments, error)) {
        sw_script_close(script);
        return NULL;
    }
    return script;
}

struct sw_script *sw_script_open(const char *path, const struct sw_script_options *options, struct sw_error *error) {
    struct sw_input input;
    struct sw_script *script = NULL;
    if (!sw_input_open(path, &input, error)) {
        return NULL;
    }
    const char *text = input.bytes;
    size_t length = input.length;
    if (length >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) {
        text += 3;
        length -= 3;
    }
    script = sw_script_open_text(path, text, length, options, error);
    if (script && !sw_script_add_file(script, &input)) {
        sw_script_close(script);
        script = NULL;
        sw_fail_memory(error);
    }
    sw_input_close(&input);
    return script;
}

void sw_script_close(struct sw_script *script) {
    if (!script) {
        return;
    }
    script->options.trusted = true; /* closing runs nothing of the script's: no finalizers exist */
    lua_close(script->lua);
    for (size_t i = 0; i < script->files.count; i++) {
        SW_FREE(script->files.items[i], strlen(script->files.items[i]) + 1);
    }
    SW_ARRAY_DONE(&script->files);
    sw_gaps_done(&script->gaps);
    SW_FREE(script, 1);
}

lua_State *sw_script_lua(struct sw_script *script) {
    return script->lua;
}

SW_GETTER(const char *, sw_script_path, sw_script, path)
