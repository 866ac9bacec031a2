/* graph:fit: the engine's search for moves that make a model need less, and a script's own. */
#include "lua/experiments/fit_api.h"
#include "base/base.h"

#include "lua/sandbox/lua_internal.h"
#include "lua/values.h"

enum { MOST_TRIED = 1000 /* by scripts, in one call */, CHARGE = 100000 /* instructions, for a plan */ };
enum { MOVES_VALUE = 1 /* the list in the options */ };

/* A model, in what order of its operators, and which of a script's own moves has chosen that; 0: the engine. */
struct shown {
    struct sw_fit_model model;
    struct sw_problem *ordered; /* NULL: in the graph's order */
    lua_Integer by;
};

/* One call of graph:fit: a userdata, since any call of Lua may raise. */
struct model_fit {
    const struct sw_problem *problem;
    const struct sw_lua_host *host;
    struct sw_fit_request request;
    struct sw_fit_result result;
    SW_ARRAY(struct shown) tried; /* by a script: regions and figures; what was planned is not kept */
    SW_ARRAY(struct shown) shown; /* those of the result and of scripts, as they are given back; borrowed */
    uint64_t work;                /* that plans may still spend */
    lua_Integer by;               /* the move that tries now; 0: none */
    bool engine;                  /* the engine searches, too */
};

static int close_fit(lua_State *lua) {
    struct model_fit *fit = lua_touserdata(lua, 1);
    sw_fit_result_done(&fit->result);
    for (size_t i = 0; i < fit->tried.count; i++) {
        sw_fit_model_done(&fit->tried.items[i].model);
        sw_problem_unref(fit->tried.items[i].ordered);
    }
    SW_ARRAY_DONE(&fit->tried, &fit->shown);
    fit->by = 0;
    return 0;
}

static bool search_goes_on(void *context, uint64_t done, uint64_t count) {
    const struct model_fit *fit = context;
    (void)done, (void)count;
    return fit->host->go_on(fit->host);
}

static void check_interrupt(lua_State *lua, const struct model_fit *fit) {
    if (!search_goes_on((void *)(uintptr_t)fit, 0, 0)) {
        luaL_error(lua, "interrupted");
    }
}

/* ---- options ---- */

static void read_capacity(lua_State *lua, int options, struct model_fit *fit) {
    uint64_t own = sw_problem_tier(fit->problem, 0)->capacity; /* of what is planned */
    int type = options ? lua_getfield(lua, options, "capacity") : LUA_TNIL;
    fit->request.has_capacity = type != LUA_TNIL || own != SW_UNBOUNDED;
    fit->request.capacity = type != LUA_TNIL ? sw_lua_check_bytes(lua, -1) : own;
    fit->request.limits.of_head = type == LUA_TNIL && own != SW_UNBOUNDED;
    if (options && lua_getfield(lua, options, "capacity_of") != LUA_TNIL) {
        const char *of = lua_type(lua, -1) == LUA_TSTRING ? lua_tostring(lua, -1) : luaL_typename(lua, -1);
        if (strcmp(of, "head") != 0 && strcmp(of, "arena") != 0) {
            luaL_error(lua, "graph:fit: capacity_of is \"head\" or \"arena\", not %s", of);
        }
        fit->request.limits.of_head = strcmp(of, "head") == 0;
    }
}

static void read_limits(lua_State *lua, int options, struct model_fit *fit) {
    if (options && lua_getfield(lua, options, "max_macs") != LUA_TNIL) {
        double macs = lua_type(lua, -1) == LUA_TNUMBER ? lua_tonumber(lua, -1) : 0;
        if (!(macs >= 1)) {
            luaL_error(lua, "graph:fit: max_macs is a number from 1 on: so many times the multiply-adds of the graph");
        }
        fit->request.limits.macs = macs;
    }
    lua_Integer calls = sw_lua_option_whole(lua, options, "graph:fit", "max_operators", 1, 0);
    fit->request.limits.calls = (uint32_t)(calls < UINT32_MAX ? calls : 0);
    fit->request.seed = (uint64_t)sw_lua_option_whole(lua, options, "graph:fit", "seed", INT64_MIN, 1);
    fit->request.work = (uint64_t)sw_lua_option_whole(lua, options, "graph:fit", "work", 1, SW_FIT_WORK);
    fit->work = fit->request.work;
    sw_lua_option(lua, options, "graph:fit", "cost", LUA_TFUNCTION, "a function of a model");
}

/* Push the function of one of the moves that a script brings. */
static void push_search(lua_State *lua, lua_Integer number) {
    if (lua_istable(lua, -1)) {
        lua_getfield(lua, -1, "search");
        lua_replace(lua, -2);
    }
    if (!lua_isfunction(lua, -1)) {
        luaL_error(lua,
                   "graph:fit: moves: number %I is the name of a kind, a function, or a table with a function 'search'",
                   (LUAI_UACINT)number);
    }
}

/* moves = {a kind or a script's own, ...}; none: all kinds. */
static lua_Integer read_kinds(lua_State *lua, int options, struct model_fit *fit, int at) {
    int type = options ? lua_getfield(lua, options, "moves") : LUA_TNIL;
    fit->engine = type == LUA_TNIL;
    if (type == LUA_TNIL) {
        return 0;
    }
    lua_Integer count = type == LUA_TTABLE ? (lua_Integer)lua_rawlen(lua, -1) : 0;
    if (count == 0) {
        luaL_error(lua, "graph:fit: moves is a list of kinds and of a script's own moves: {\"strips\", search}");
    }
    for (lua_Integer i = 1; i <= count; i++) {
        if (lua_rawgeti(lua, -1, i) == LUA_TSTRING) {
            sw_lua_check_kind(lua, lua_tostring(lua, -1), "graph:fit: moves");
            fit->engine = true;
        } else {
            push_search(lua, i);
        }
        lua_pop(lua, 1);
    }
    lua_setiuservalue(lua, at, MOVES_VALUE);
    return count;
}

/* ---- models as tables ---- */

/* The name of the move number `by` of the list that the userdata at `at` keeps. */
static void push_by(lua_State *lua, int at, lua_Integer by) {
    lua_getiuservalue(lua, at, MOVES_VALUE);
    if (lua_rawgeti(lua, -1, by) == LUA_TTABLE && lua_getfield(lua, -1, "name") != LUA_TSTRING) {
        lua_pop(lua, 1);
    }
    if (lua_type(lua, -1) != LUA_TSTRING) {
        lua_pushfstring(lua, "move %I", (LUAI_UACINT)by);
    }
}

static void push_model(lua_State *lua, int at, const struct shown *one) {
    const struct model_fit *fit = lua_touserdata(lua, at);
    const struct sw_fit_model *model = &one->model;
    uint64_t own = fit->result.models.items[0].macs;
    int top = lua_gettop(lua);
    lua_createtable(lua, 0, 8);
    sw_lua_set_count(lua, "head", model->head);
    sw_lua_set_count(lua, "bound", model->bound);
    sw_lua_set_count(lua, "arena", model->arena);
    sw_lua_set_count(lua, "macs", model->macs);
    sw_lua_set_count(lua, "operators", model->calls);
    sw_lua_set_number(lua, "work", own > 0 ? (double)model->macs / (double)own : 1);
    sw_lua_push_moves(lua, &(struct sw_lua_moves){.problem = one->ordered ? one->ordered : fit->problem,
                                                  .ordered = one->ordered,
                                                  .regions = model->regions,
                                                  .count = model->region_count});
    lua_setfield(lua, -2, "moves");
    if (one->by > 0) {
        push_by(lua, at, one->by);
        lua_setfield(lua, top + 1, "by");
    }
    lua_settop(lua, top + 1);
}

/* ---- what a script tries ---- */

/* Does a model of so many operators and multiply-adds break a limit? Then a sentence is pushed. */
static bool breaks_limit(lua_State *lua, const struct model_fit *fit, size_t calls, uint64_t macs) {
    const struct sw_fit_limits *limits = &fit->request.limits;
    double work = (double)macs / (double)(fit->result.models.items[0].macs + (macs == 0));
    if (limits->calls > 0 && calls > limits->calls) {
        lua_pushfstring(lua, "it has %I operators, and max_operators is %I", (LUAI_UACINT)calls,
                        (LUAI_UACINT)limits->calls);
        return true;
    }
    if (limits->macs > 0 && work > limits->macs) {
        lua_pushfstring(lua, "its multiply-adds are %f times those of the graph, and max_macs is %f", work,
                        limits->macs);
        return true;
    }
    return false;
}

/* nil, and the sentence on top of the stack */
static int refused(lua_State *lua) {
    lua_pushnil(lua);
    lua_insert(lua, -2);
    return 2;
}

/* try(moves) -> the model as a table, made and planned; or nil and why it cannot be */
static int try_given_moves(lua_State *lua) {
    struct model_fit *fit = lua_touserdata(lua, lua_upvalueindex(1));
    struct sw_fit_program program = {0};
    struct sw_error error = {0};
    struct shown one = {.by = fit->by};
    uint64_t macs = 0;
    if (fit->by == 0) {
        return luaL_error(lua, "graph:fit: the search has ended: nothing more can be tried");
    }
    if (fit->tried.count == MOST_TRIED) {
        return luaL_error(lua, "graph:fit: more than %d lists of moves are tried", MOST_TRIED);
    }
    check_interrupt(lua, fit);
    lua_settop(lua, 1);
    lua_pushvalue(lua, lua_upvalueindex(1));
    struct sw_lua_moves *moves = sw_lua_read_moves(lua, 1, fit->problem); /* at 3 */
    if (!sw_lua_make_moves(lua, moves, &program)) {
        return refused(lua);
    }
    size_t calls = program.calls.count;
    for (size_t i = 0; i < calls; i++) {
        macs += program.calls.items[i].macs;
    }
    sw_fit_program_done(&program);
    if (breaks_limit(lua, fit, calls, macs)) {
        return refused(lua);
    }
    uint64_t paused = sw_script_pause(lua);
    bool good = sw_fit_plan_regions(moves->problem, &fit->request, moves->regions, moves->count, &fit->work, &one.model,
                                    &error);
    sw_script_resume(lua, paused);
    if (!good) {
        sw_fit_model_done(&one.model); /* before anything can raise */
    }
    sw_script_check(lua, good, "graph:fit: ", &error);
    sw_layout_free(one.model.layout);
    sw_problem_unref(one.model.problem);
    one.model.layout = NULL;
    one.model.problem = NULL;
    if (!SW_PUSH(&fit->tried, one)) {
        sw_fit_model_done(&one.model);
        return sw_script_no_memory(lua);
    }
    fit->tried.items[fit->tried.count - 1].ordered = moves->ordered;
    moves->ordered = NULL; /* it is the model's now */
    sw_lua_moves_done(moves);
    push_model(lua, 2, &fit->tried.items[fit->tried.count - 1]);
    sw_script_charge(lua, CHARGE);
    return 1;
}

/* Each of the script's own moves in turn: search(problem, try, models so far). `at`: of the fit. */
static void search_own(lua_State *lua, struct model_fit *fit, int at, lua_Integer count) {
    for (lua_Integer i = 1; i <= count; i++) {
        lua_getiuservalue(lua, at, MOVES_VALUE);
        if (lua_rawgeti(lua, -1, i) == LUA_TSTRING) {
            lua_pop(lua, 2);
            continue;
        }
        push_search(lua, i);
        sw_lua_push_problem(lua, fit->problem);
        lua_pushvalue(lua, at);
        lua_pushcclosure(lua, try_given_moves, 1);
        lua_createtable(lua, (int)fit->result.models.count, 0);
        for (size_t m = 0; m < fit->result.models.count; m++) {
            push_model(lua, at, &(struct shown){.model = fit->result.models.items[m]});
            lua_rawseti(lua, -2, (lua_Integer)m + 1);
        }
        fit->by = i;
        lua_call(lua, 3, 0);
        fit->by = 0;
        lua_pop(lua, 1);
    }
}

/* ---- the result ---- */

static int compare_shown(const void *a, const void *b) {
    const struct shown *x = a, *y = b;
    int order = sw_fit_by_bytes(&x->model, &y->model);
    return order ? order : (x->by > y->by) - (x->by < y->by); /* the engine's before the same by a script */
}

/* The graph as it is, then the others by bytes; without those that one with no more bytes and no more multiply-adds
 * beats, unless a cost says what is better. */
static bool collect_fits(struct model_fit *fit, bool all) {
    size_t kept = 1;
    uint64_t macs = UINT64_MAX;
    bool good = true;
    for (size_t i = 0; good && i < fit->result.models.count; i++) {
        good = SW_PUSH(&fit->shown, (struct shown){.model = fit->result.models.items[i]});
    }
    for (size_t i = 0; good && i < fit->tried.count; i++) {
        good = SW_PUSH(&fit->shown, fit->tried.items[i]);
    }
    if (!good) {
        return false;
    }
    qsort(fit->shown.items + 1, fit->shown.count - 1, sizeof *fit->shown.items, compare_shown);
    for (size_t i = 1; i < fit->shown.count; i++) {
        struct shown one = fit->shown.items[i];
        if (all || (one.model.macs < macs && one.model.bytes < fit->shown.items[0].model.bytes)) {
            macs = one.model.macs;
            fit->shown.items[kept++] = one;
        }
    }
    fit->shown.count = kept;
    return true;
}

/* What the function `cost` says of the model on top of the stack, which stays there. */
static double move_cost(lua_State *lua, int options) {
    lua_getfield(lua, options, "cost");
    lua_pushvalue(lua, -2);
    lua_call(lua, 1, 1);
    if (lua_type(lua, -1) != LUA_TNUMBER || !(lua_tonumber(lua, -1) == lua_tonumber(lua, -1))) {
        luaL_error(lua, "graph:fit: cost gives a number for each model, not %s",
                   lua_type(lua, -1) == LUA_TNUMBER ? "one that is none" : luaL_typename(lua, -1));
    }
    double cost = lua_tonumber(lua, -1);
    lua_pop(lua, 1);
    return cost;
}

static bool fits_request(const struct model_fit *fit, const struct shown *one) {
    return !fit->request.has_capacity || one->model.bytes <= fit->request.capacity;
}

/* Is model `a` to be chosen rather than `b`? Without a cost: with a capacity the fewest multiply-adds, else the fewest
 * bytes. Where nothing fits, what comes nearest. */
static bool is_better_fit(const struct model_fit *fit, const struct shown *a, const struct shown *b, double cost_a,
                          double cost_b) {
    if (fits_request(fit, a) != fits_request(fit, b)) {
        return fits_request(fit, a);
    }
    if (!fits_request(fit, a)) {
        return a->model.bytes < b->model.bytes;
    }
    if (cost_a < cost_b || cost_a > cost_b) {
        return cost_a < cost_b;
    }
    return fit->request.has_capacity && a->model.macs != b->model.macs ? a->model.macs < b->model.macs
                                                                       : a->model.bytes < b->model.bytes;
}

/* The field `models`, and `chosen`, the number of one of them. */
static void set_models(lua_State *lua, const struct model_fit *fit, int at, int options, bool priced) {
    size_t chosen = 0;
    double least = 0;
    lua_createtable(lua, (int)fit->shown.count, 0);
    for (size_t i = 0; i < fit->shown.count; i++) {
        push_model(lua, at, &fit->shown.items[i]);
        double cost = priced ? move_cost(lua, options) : 0;
        if (priced) {
            sw_lua_set_number(lua, "cost", cost);
        }
        if (i == 0 || is_better_fit(fit, &fit->shown.items[i], &fit->shown.items[chosen], cost, least)) {
            chosen = i;
            least = cost;
        }
        lua_rawseti(lua, -2, (lua_Integer)i + 1);
    }
    lua_setfield(lua, -2, "models");
    sw_lua_set_count(lua, "chosen", chosen + 1);
    sw_lua_set_truth(lua, "fits", fits_request(fit, &fit->shown.items[chosen]));
}

static void set_refused(lua_State *lua, const struct model_fit *fit) {
    const struct sw_fit_cuts *cuts = &fit->result.variants[0].cuts;
    lua_createtable(lua, (int)cuts->refused.count, 0);
    for (size_t i = 0; i < cuts->refused.count; i++) {
        lua_createtable(lua, 0, 2);
        sw_lua_set_text(lua, "operator", sw_problem_operator(fit->problem, cuts->refused.items[i].op)->name);
        sw_lua_set_text(lua, "reason", cuts->refused.items[i].reason);
        lua_rawseti(lua, -2, (lua_Integer)i + 1);
    }
    lua_setfield(lua, -2, "refused");
}

/* The engine's search; or, where only a script chooses, the graph as it is. */
static bool search_fit(struct model_fit *fit, struct sw_error *error) {
    struct sw_fit_model as_is = {0};
    if (fit->engine) {
        return sw_fit_run(fit->problem, &fit->request, &fit->result, error);
    }
    bool good = sw_fit_plan_regions(fit->problem, &fit->request, NULL, 0, &fit->work, &as_is, error) &&
                (SW_PUSH(&fit->result.models, as_is) || sw_fail_memory(error));
    if (!good) {
        sw_fit_model_done(&as_is);
    }
    return good;
}

int sw_lua_push_fit(lua_State *lua, int options, const struct sw_problem *problem, const struct sw_lua_host *host) {
    struct sw_error error = {0};
    struct model_fit *fit = sw_lua_new(lua, sizeof *fit, 1, "stowage.fit", close_fit);
    int at = lua_gettop(lua);
    fit->problem = problem;
    fit->host = host;
    fit->request.limits.go_on = search_goes_on;
    fit->request.limits.context = fit;
    read_capacity(lua, options, fit);
    read_limits(lua, options, fit);
    lua_Integer kinds = read_kinds(lua, options, fit, at);
    bool priced = options && lua_getfield(lua, options, "cost") == LUA_TFUNCTION;
    lua_settop(lua, at);
    uint64_t paused = sw_script_pause(lua);
    bool good = search_fit(fit, &error);
    sw_script_resume(lua, paused);
    sw_script_check(lua, good, "graph:fit: ", &error);
    check_interrupt(lua, fit);
    search_own(lua, fit, at, kinds);
    sw_script_check_memory(lua, collect_fits(fit, priced));
    lua_createtable(lua, 0, 8);
    set_models(lua, fit, at, options, priced);
    set_refused(lua, fit);
    if (fit->request.has_capacity) {
        sw_lua_set_count(lua, "capacity", fit->request.capacity);
    }
    sw_lua_set_text(lua, "capacity_of", fit->request.limits.of_head ? "head" : "arena");
    if (fit->engine) {
        sw_lua_set_count(lua, "least", fit->result.least);
    }
    sw_lua_set_truth(lua, "stopped", fit->result.stopped || fit->work == 0);
    sw_lua_close(lua, at);
    sw_script_charge(lua, CHARGE);
    return 1;
}
