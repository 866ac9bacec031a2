/* Planners written in Lua: a coroutine behind the table of functions that a planner is. See
 * planner.h. */
#include "lua/planning/lua_planner.h"
#include "base/base.h"

#include "base/described.h"
#include "data.h"
#include "lua/sandbox/lua_internal.h"
#include "lua/values.h"
#include "planners/place.h"

#include <dirent.h>
#include <errno.h>

enum { MOST_PARAMETERS = 16, MOST_REFUSALS = 1000 };

/* What a registered planner is made from; lives to the end of the program. */
struct planner_source {
    struct sw_planner planner;
    struct sw_parameter parameters[MOST_PARAMETERS + 1];
    char path[1024];
    char *text; /* the main file when it was registered: runs go on with it whatever becomes of the
                   file */
    size_t length;
    uint64_t digest;                    /* of it and of what it requires */
    struct sw_sink files;               /* their paths, each with its zero, and an empty one */
    const struct planner_source *older; /* the one it took the place of, which runs may still have */
};

/* One run. */
struct lua_run {
    struct sw_script *script;
    lua_State *thread; /* anchored in the registry */
    const struct planner_source *source;
    uint64_t steps;
    uint32_t refusals; /* one after another */
    bool started, done;
};

static const struct sw_script_limits step_limits = {
    .memory = (size_t)256 << 20, .instructions = UINT64_C(20000000), .seconds = 10};

static char plan_key, thread_key;

/* ---- reading what the file returns ---- */

static const struct {
    const char *word;
    unsigned bit;
} script_needs[] = {{"operators", SW_NEEDS_OPERATORS}, {"plan", SW_NEEDS_PLAN},
                    {"tiers", SW_NEEDS_TIERS},         {"capacity", SW_NEEDS_CAPACITY},
                    {"accesses", SW_NEEDS_ACCESSES},   {"one tier per buffer", SW_NEEDS_FIXED_TIERS}};

/* Names of planners, and reasons in journals, stay to the end of the program. */
static const char *planner_text(lua_State *lua, int table, const char *name, bool wanted) {
    lua_getfield(lua, table, name);
    if (!lua_isstring(lua, -1)) {
        if (wanted || !lua_isnil(lua, -1)) {
            luaL_error(lua, "a planner's '%s' must be a text", name);
        }
        lua_pop(lua, 1);
        return "";
    }
    const char *text = sw_lua_kept(lua, lua_tostring(lua, -1));
    lua_pop(lua, 1);
    return text;
}

static void read_needs(lua_State *lua, int table, struct planner_source *source) {
    lua_getfield(lua, table, "needs");
    for (lua_Integer i = 1; lua_istable(lua, -1) && lua_geti(lua, -1, i) != LUA_TNIL; i++) {
        const char *word = lua_tostring(lua, -1);
        unsigned bit = 0;
        for (size_t k = 0; word && k < sizeof script_needs / sizeof *script_needs; k++) {
            bit = strcmp(script_needs[k].word, word) == 0 ? script_needs[k].bit : bit;
        }
        if (!bit) {
            luaL_error(lua, "a planner cannot need '%s'", sw_sandbox_text(lua, -1));
        }
        source->planner.needs |= bit;
        lua_pop(lua, 1);
    }
    lua_settop(lua, table);
}

/* A default says what type a parameter has. */
static void read_parameter(lua_State *lua, int at, struct sw_parameter *parameter) {
    parameter->name = planner_text(lua, at, "name", true);
    parameter->help = planner_text(lua, at, "help", false);
    lua_getfield(lua, at, "default");
    parameter->type = lua_isboolean(lua, -1)   ? SW_PARAMETER_BOOL
                      : lua_isinteger(lua, -1) ? SW_PARAMETER_INTEGER
                                               : SW_PARAMETER_NUMBER;
    if (!lua_isboolean(lua, -1) && !lua_isnumber(lua, -1)) {
        luaL_error(lua, "the default of parameter '%s' must be a number, true or false", parameter->name);
    }
    parameter->fallback = sw_lua_kept(lua, sw_sandbox_text(lua, -1));
    lua_getfield(lua, at, "lowest");
    lua_getfield(lua, at, "highest");
    parameter->lowest = luaL_optnumber(lua, -2, -1e15);
    parameter->highest = luaL_optnumber(lua, -1, 1e15);
    lua_settop(lua, at);
}

static void read_parameters(lua_State *lua, int table, struct planner_source *source) {
    lua_getfield(lua, table, "parameters");
    int list = lua_gettop(lua);
    size_t count = 0;
    for (lua_Integer i = 1; lua_istable(lua, list) && lua_geti(lua, list, i) == LUA_TTABLE; i++) {
        if (count == MOST_PARAMETERS) {
            luaL_error(lua, "a planner has at most %d parameters", MOST_PARAMETERS);
        }
        read_parameter(lua, lua_gettop(lua), &source->parameters[count++]);
        lua_settop(lua, list);
    }
    lua_settop(lua, table);
    source->planner.parameters = count ? source->parameters : NULL;
}

/* Argument: the source. The file's table is in the registry at plan_key. */
static int read_planner_table(lua_State *lua) {
    struct planner_source *source = lua_touserdata(lua, 1);
    if (lua_rawgetp(lua, LUA_REGISTRYINDEX, &plan_key) != LUA_TTABLE) {
        return luaL_error(lua, "a planner's file returns a table {name, summary, plan = function}");
    }
    int table = lua_gettop(lua);
    source->planner.name = planner_text(lua, table, "name", true);
    source->planner.summary = planner_text(lua, table, "summary", true);
    const char *noun = planner_text(lua, table, "group", false);
    source->planner.group_noun = *noun ? noun : NULL;
    if (!*source->planner.name || strpbrk(source->planner.name, ", \t")) {
        luaL_error(lua, "a planner's name is a word without blanks or commas");
    }
    read_needs(lua, table, source);
    read_parameters(lua, table, source);
    if (lua_getfield(lua, table, "plan") != LUA_TFUNCTION) {
        return luaL_error(lua, "a planner's 'plan' must be a function");
    }
    return 0;
}

static int keep_plan(lua_State *lua) {
    lua_rawsetp(lua, LUA_REGISTRYINDEX, &plan_key);
    return 0;
}

/* Run the file's text; what it returns is kept at plan_key. */
static struct sw_script *open_planner_text(const char *path, const char *text, size_t length, uint64_t seed,
                                           struct sw_error *error) {
    const struct sw_script_options options = {.seed = seed};
    const struct sw_input input = {.name = path, .bytes = text, .length = length};
    struct sw_script *script = sw_script_open_text(path, text, length, &options, error);
    if (!script) {
        return NULL;
    }
    if (!(sw_script_add_file(script, &input) || sw_fail_memory(error)) ||
        !sw_script_take(script, keep_plan, NULL, error)) {
        sw_script_close(script);
        return NULL;
    }
    return script;
}

/* ---- a run ---- */

static const struct sw_described run_described;

/* NULL: it is no planner in Lua, and what others keep as their context is theirs. */
static const struct planner_source *planner_source_of(const struct sw_planner *planner) {
    return planner->described == &run_described ? planner->context : NULL;
}

struct planner_call {
    struct lua_run *state;
    struct sw_run *run;
    struct sw_decision *decision;
    struct sw_error *error;
    int results;
    bool failed; /* `error` is filled: not Lua's fault */
};

static void push_parameters(lua_State *lua, const struct sw_run *run) {
    lua_newtable(lua);
    const struct sw_parameter *p = run->planner->parameters;
    for (; p && p->name; p++) {
        if (p->type == SW_PARAMETER_BOOL) {
            lua_pushboolean(lua, sw_params_bool(run->params, run->planner, p->name));
        } else if (p->type == SW_PARAMETER_INTEGER) {
            lua_pushinteger(lua, sw_params_integer(run->params, run->planner, p->name));
        } else {
            lua_pushnumber(lua, sw_params_number(run->params, run->planner, p->name));
        }
        lua_setfield(lua, -2, p->name);
    }
}

/* Make the coroutine and push the arguments of its first call onto it. */
static int begin_run(lua_State *lua) {
    struct planner_call *call = lua_touserdata(lua, 1);
    struct lua_run *state = call->state;
    state->thread = lua_newthread(lua);
    lua_rawsetp(lua, LUA_REGISTRYINDEX, &thread_key);
    lua_rawgetp(lua, LUA_REGISTRYINDEX, &plan_key);
    lua_getfield(lua, -1, "plan");
    lua_pushvalue(lua, -1);
    sw_lua_push_problem(lua, call->run->problem);
    sw_lua_push_layout(lua, call->run->layout);
    push_parameters(lua, call->run);
    lua_xmove(lua, state->thread, 4);
    return 0;
}

static bool open_run(void *of, struct sw_run *run) {
    const struct planner_source *source = planner_source_of(run->planner);
    struct lua_run *state = of;
    state->source = source;
    state->script = open_planner_text(source->path, source->text, source->length, run->params->seed, run->error);
    struct planner_call call = {.state = state, .run = run};
    bool good = state->script != NULL;
    if (good && sw_script_digest(state->script) != source->digest) {
        good = sw_fail(run->error, SW_ERROR_INPUT, "a file that the planner requires has changed while it was in use");
        sw_error_at(run->error, source->path, 0, 0);
    }
    if (good) {
        sw_script_limit(state->script, &step_limits);
        good = sw_script_protect(state->script, begin_run, &call, run->error);
        sw_lua_drop_layout(sw_script_lua(state->script));
    }
    return good;
}

/* ---- one decision ---- */

static const char *decision_reason(lua_State *lua, int table, const char *name) {
    char text[180];
    lua_getfield(lua, table, name);
    const char *given = lua_tostring(lua, -1);
    snprintf(text, sizeof text, "%s", given ? given : "");
    lua_pop(lua, 1);
    return sw_lua_kept(lua, text);
}

static uint32_t number_field(lua_State *lua, int table, const char *name) {
    lua_getfield(lua, table, name);
    lua_Integer value = lua_isinteger(lua, -1) ? lua_tointeger(lua, -1) : -1;
    lua_pop(lua, 1);
    return value >= 0 && value < (lua_Integer)SW_NONE ? (uint32_t)value : SW_NONE;
}

static uint32_t group_field(lua_State *lua, int table) {
    uint32_t group = number_field(lua, table, "group");
    return group == SW_NONE ? 0 : group;
}

static enum sw_decision_kind decision_kind_field(lua_State *lua, int table) {
    lua_getfield(lua, table, "kind");
    const char *word = luaL_optstring(lua, -1, "place");
    enum sw_decision_kind kind = SW_DECISION_PLACE;
    if (!sw_decision_named(word, &kind, NULL)) {
        luaL_error(lua, "there is no kind of decision '%s'", word);
    }
    lua_pop(lua, 1);
    return kind;
}

/* The place that the table at `table` names: {buffer, tier, offset}; the tier may be left out when
 * there is one. */
static void read_place(lua_State *lua, int table, const struct sw_problem *problem, struct sw_proposal *place) {
    lua_getfield(lua, table, "tier");
    place->tier = lua_isnil(lua, -1) && sw_problem_tier_count(problem) == 1 ? 0 : sw_lua_check_tier(lua, -1, problem);
    lua_pop(lua, 1);
    place->offset = sw_lua_field_bytes(lua, table, "offset");
}

/* The candidates that the script lists, for an explanation; returns how many. */
static uint32_t read_listed_candidates(lua_State *lua, int table, struct planner_call *call) {
    const struct sw_problem *problem = call->run->problem;
    lua_Integer count = 0;
    lua_getfield(lua, table, "candidates");
    int list = lua_gettop(lua);
    while (lua_istable(lua, list) && lua_geti(lua, list, count + 1) == LUA_TTABLE) {
        int at = lua_gettop(lua);
        struct sw_proposal place = {0};
        read_place(lua, at, problem, &place);
        lua_getfield(lua, at, "verdict");
        lua_getfield(lua, at, "reason");
        const char *word = luaL_optstring(lua, -2, "fits"), *why = luaL_optstring(lua, -1, "");
        enum sw_verdict verdict = strcmp(word, "chosen") == 0    ? SW_VERDICT_CHOSEN
                                  : strcmp(word, "refused") == 0 ? SW_VERDICT_REFUSED
                                                                 : SW_VERDICT_FITS;
        lua_getfield(lua, at, "size");
        uint64_t size = lua_isnil(lua, -1) ? SW_UNBOUNDED : sw_lua_check_bytes(lua, -1);
        sw_script_check_memory(
            lua, sw_explain(call->run->explain, verdict, place.tier, place.offset, size, SW_NONE, SW_NONE, "%s", why));
        count++;
        lua_settop(lua, list);
    }
    lua_settop(lua, list - 1);
    return (uint32_t)count;
}

/* The user wants candidate k of the list instead. */
static void choose_listed(lua_State *lua, int table, struct planner_call *call, struct sw_proposal *place,
                          uint32_t count) {
    lua_Integer choice = (lua_Integer)call->run->choice;
    if (choice < 0) {
        return;
    }
    if (choice >= (lua_Integer)count) {
        sw_fail(call->error, SW_ERROR_UNSUPPORTED,
                count ? "candidate %lld does not exist: there are %u"
                      : "candidate %lld does not exist: this planner offers none here",
                (long long)choice + 1, count);
        call->failed = true;
        return;
    }
    lua_getfield(lua, table, "candidates");
    lua_geti(lua, -1, choice + 1);
    read_place(lua, lua_gettop(lua), call->run->problem, place);
    lua_pop(lua, 2);
    call->decision->forced = true;
}

/* What `yield` will return: true and where it lies, or false and why not. */
static void set_answer(struct planner_call *call, const struct sw_proposal *place) {
    lua_State *thread = call->state->thread;
    lua_settop(thread, 0);
    lua_pushboolean(thread, place->legal);
    if (!place->legal) {
        lua_pushstring(thread, place->reason);
        return;
    }
    lua_createtable(thread, 0, 2);
    lua_pushstring(thread, sw_problem_tier(call->run->problem, place->tier)->name);
    lua_setfield(thread, -2, "tier");
    lua_pushinteger(thread, (lua_Integer)place->offset);
    lua_setfield(thread, -2, "offset");
}

/* A demand of the user's goes before the script's own place. */
static void obey_user_pin(const struct sw_run *run, struct sw_proposal *place, struct sw_decision *decision) {
    struct sw_pin pin;
    if (sw_rules_pin(run->problem, &run->rules, place->buffer, &pin)) {
        decision->forced = pin.tier != place->tier || pin.offset != place->offset;
        place->tier = pin.tier;
        place->offset = pin.offset;
    }
}

static void record_refusal(lua_State *lua, struct planner_call *call, const struct sw_proposal *place) {
    struct sw_decision *d = call->decision;
    const struct sw_buffer *b = sw_problem_buffer(call->run->problem, place->buffer);
    sw_decision_become(d, SW_DECISION_TRY);
    d->buffer = place->buffer;
    d->size = b->size;
    d->time = b->first;
    d->tried.action = "place";
    d->reason = sw_lua_kept(lua, place->reason);
    if (++call->state->refusals >= MOST_REFUSALS) {
        sw_fail(call->error, SW_ERROR_INPUT, "the planner has proposed %d places in a row that were refused: %s",
                MOST_REFUSALS, place->reason);
        sw_error_at(call->error, call->state->source->path, 0, 0);
        call->failed = true;
    }
}

/* Judge and take what was yielded; the table is at `table`. */
static void place_block(lua_State *lua, int table, struct planner_call *call) {
    struct sw_run *run = call->run;
    struct sw_decision *decision = call->decision;
    enum sw_decision_kind kind = decision_kind_field(lua, table);
    struct sw_proposal place = {0};
    lua_getfield(lua, table, "buffer");
    place.buffer = sw_lua_check_buffer(lua, -1, run->problem);
    lua_pop(lua, 1);
    read_place(lua, table, run->problem, &place);
    uint32_t count = read_listed_candidates(lua, table, call);
    choose_listed(lua, table, call, &place, count);
    if (call->failed) {
        return;
    }
    const char *reason = decision_reason(lua, table, "reason");
    uint32_t group = group_field(lua, table);
    bool forced = decision->forced;
    obey_user_pin(run, &place, decision);
    forced = forced || decision->forced;
    if (!sw_propose_judge(run, &place)) {
        call->failed = true;
        return;
    }
    set_answer(call, &place); /* may raise: before anything is changed */
    if (!place.legal) {
        record_refusal(lua, call, &place);
    } else if (!sw_propose_take(run, &place, decision)) {
        call->failed = true;
        return;
    } else {
        if (kind != SW_DECISION_PLACE) {
            sw_decision_become(decision, kind);
        }
        decision->reason = reason;
        decision->forced = forced;
        call->state->refusals = 0;
    }
    decision->candidates = count;
    decision->group = group;
}

/* A decision that places nothing: it is kept as it was told. */
static void record_told(lua_State *lua, int table, struct planner_call *call) {
    struct sw_decision *d = call->decision;
    sw_decision_become(d, decision_kind_field(lua, table));
    d->reason = decision_reason(lua, table, "reason");
    d->group = group_field(lua, table);
    d->time = number_field(lua, table, "time");
    if (d->time != SW_NONE && d->time >= sw_problem_steps(call->run->problem)) {
        luaL_error(lua, "there is no step %d", (int)d->time);
    }
    lua_getfield(lua, table, "amount");
    if (!lua_isnil(lua, -1)) {
        sw_decision_set(d, SW_KEY_AMOUNT, sw_lua_check_bytes(lua, -1));
    }
    lua_getfield(lua, table, "buffer");
    d->buffer = lua_isnil(lua, -1) ? SW_NONE : sw_lua_check_buffer(lua, -1, call->run->problem);
    d->size = d->buffer == SW_NONE ? 0 : sw_problem_buffer(call->run->problem, d->buffer)->size;
    lua_settop(lua, table);
    if (call->run->choice >= 0) {
        sw_fail(call->error, SW_ERROR_UNSUPPORTED, "this decision offers no candidates");
        call->failed = true;
    }
    lua_settop(call->state->thread, 0);
    lua_pushboolean(call->state->thread, 1);
}

/* Resume the coroutine once. Runs under the script's protection. */
static int resume(lua_State *lua) {
    struct planner_call *call = lua_touserdata(lua, 1);
    struct lua_run *state = call->state;
    lua_State *thread = state->thread;
    int given = lua_gettop(thread) - !state->started; /* the function lies below its arguments */
    sw_script_hook(lua, thread);
    int status = lua_resume(thread, lua, given, &call->results);
    state->started = true;
    if (status == LUA_OK) {
        state->done = true;
        return 0;
    }
    if (status != LUA_YIELD) {
        lua_xmove(thread, lua, 1);
        return sw_script_rethrow(lua, thread);
    }
    if (call->results < 1 || !lua_istable(thread, -call->results)) {
        return luaL_error(lua, "plan() yields %s instead of a table that is a decision",
                          call->results < 1 ? "nothing" : luaL_typename(thread, -call->results));
    }
    lua_pop(thread, call->results - 1);
    lua_xmove(thread, lua, 1);
    int table = lua_gettop(lua);
    lua_getfield(lua, table, "offset");
    bool places = !lua_isnil(lua, -1);
    lua_pop(lua, 1);
    (places ? place_block : record_told)(lua, table, call);
    return 0;
}

static enum sw_step step_run(void *data, struct sw_run *run, struct sw_decision *decision) {
    struct lua_run *state = data;
    if (state->done) {
        return SW_STEP_DONE;
    }
    struct planner_call call = {.state = state, .run = run, .decision = decision, .error = run->error};
    sw_decision_clear(decision);
    sw_lua_renew_layout(sw_script_lua(state->script), run->layout);
    bool good = sw_script_protect(state->script, resume, &call, run->error);
    sw_lua_drop_layout(sw_script_lua(state->script));
    run->work += 20;
    if (!good || call.failed) {
        return SW_STEP_FAILED;
    }
    if (!state->done) {
        state->steps++;
        return SW_STEP_MORE;
    }
    if (sw_layout_placed_count(run->layout) < sw_problem_planned_count(run->problem)) {
        sw_fail(run->error, SW_ERROR_INFEASIBLE, "%s ends with %u of %u buffers placed", run->planner->name,
                sw_layout_placed_count(run->layout), sw_problem_planned_count(run->problem));
        return SW_STEP_FAILED;
    }
    return SW_STEP_DONE;
}

static uint64_t digest_run(const void *data) {
    const struct lua_run *state = data;
    return sw_fold(state->source->digest, state->steps);
}

static size_t count_run_bytes(const void *data) {
    const struct lua_run *state = data;
    return sizeof *state + state->script->used;
}

static void close_run(void *data) {
    sw_script_close(((struct lua_run *)data)->script);
}

static const struct sw_described run_described = {
    .size = sizeof(struct lua_run), .once = true, .done = close_run, .digest = digest_run, .bytes = count_run_bytes};

/* ---- registering ---- */

static const struct planner_source *known_path(const char *path) {
    for (size_t i = sw_planner_built_in_count(); i < sw_planner_count(); i++) {
        const struct planner_source *source = planner_source_of(sw_planner_get(i));
        if (source && strcmp(source->path, path) == 0) {
            return source;
        }
    }
    return NULL;
}

static struct planner_source *new_source(const char *path, const struct sw_input *input, struct sw_error *error) {
    struct planner_source *source = SW_NEW_ZERO(struct planner_source, 1);
    char *text = SW_NEW(char, input->length + 1);
    if (!source || !text) {
        SW_FREE(source, 1);
        SW_FREE(text, input->length + 1);
        sw_fail_memory(error);
        return NULL;
    }
    memcpy(text, input->bytes, input->length);
    snprintf(source->path, sizeof source->path, "%s", path);
    source->text = text;
    source->length = input->length;
    source->planner =
        (struct sw_planner){.open = open_run, .step = step_run, .described = &run_described, .context = source};
    return source;
}

static bool enlist(const struct planner_source *known, const struct planner_source *fresh, struct sw_error *error) {
    bool good = known ? sw_planner_replace(&known->planner, &fresh->planner) ||
                            sw_fail(error, SW_ERROR_USAGE, "another planner has this name already")
                      : sw_planner_register(&fresh->planner, error);
    if (!good) {
        sw_error_at(error, fresh->path, 0, 0);
    }
    return good;
}

static bool keep_files(struct planner_source *source, const struct sw_script *script, struct sw_error *error) {
    for (size_t i = 0; i < sw_script_file_count(script); i++) {
        sw_sink_add(&source->files, sw_script_file(script, i), strlen(sw_script_file(script, i)) + 1);
    }
    sw_sink_add(&source->files, "", 1);
    return !source->files.failed || sw_fail_memory(error);
}

/* A file that is known and has not changed is the planner it was; one that has changed takes its
 * place, and the old one stays for the runs that have it. */
static const struct sw_planner *read_source(const char *path, const struct sw_input *input, struct sw_error *error) {
    const struct planner_source *known = known_path(path);
    struct sw_script *script = open_planner_text(path, input->bytes, input->length, 1, error);
    if (script && known && sw_script_digest(script) == known->digest) {
        sw_script_close(script);
        return &known->planner;
    }
    struct planner_source *source = script ? new_source(path, input, error) : NULL;
    bool good = source && sw_script_protect(script, read_planner_table, source, error);
    if (good) {
        source->older = known;
        source->digest = sw_script_digest(script);
        good = keep_files(source, script, error) && enlist(known, source, error);
    }
    sw_script_close(script);
    if (!good && source) {
        SW_FREE(source->text, source->length + 1);
        sw_sink_done(&source->files);
        SW_FREE(source, 1);
    }
    return good ? &source->planner : NULL;
}

static const struct sw_planner *open_source(const char *path, struct sw_error *error) {
    struct sw_input input = {0};
    const struct sw_planner *planner = sw_input_open(path, &input, error) ? read_source(path, &input, error) : NULL;
    sw_input_close(&input);
    return planner;
}

static int is_lua_entry(const struct dirent *entry) {
    return sw_path_is_lua(entry->d_name);
}

bool sw_lua_planner_load_all(struct sw_error *error) {
    char folder[1024], path[1400];
    struct dirent **entries;
    struct sw_error wrong = {0}; /* a file that is no planner is passed over */
    if (!sw_data_path("scripts/planners", folder, sizeof folder, NULL)) {
        return true;
    }
    int count = scandir(folder, &entries, is_lua_entry, alphasort);
    bool good = count >= 0 || errno != ENOMEM;
    for (int i = 0; i < count; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, entries[i]->d_name);
        good = good && (open_source(path, &wrong) || wrong.code != SW_ERROR_MEMORY);
        free(entries[i]); /* scandir's own */
    }
    if (count >= 0) {
        free(entries);
    }
    return good || sw_fail_memory(error);
}

const struct sw_planner *sw_lua_planner_find(const char *name, struct sw_error *error) {
    if (sw_path_is_lua(name)) {
        return open_source(name, error);
    }
    const struct sw_planner *planner = sw_planner_find(name, NULL);
    return planner ? planner : sw_lua_planner_load_all(error) ? sw_planner_find(name, error) : NULL;
}

const char *sw_lua_planner_path(const struct sw_planner *planner) {
    const struct planner_source *source = planner_source_of(planner);
    return source ? source->path : NULL;
}

const char *sw_lua_planner_file(const struct sw_planner *planner, const char *before) {
    const struct planner_source *source = planner_source_of(planner);
    const char *next = !source ? NULL : before ? before + strlen(before) + 1 : source->files.text.items;
    return next && *next ? next : NULL;
}
