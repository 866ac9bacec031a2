/* Operators of genetic planners, and of token-sharing, written in Lua. See plugins.h. */
#include "base/base.h"

#include "lua/planning/plugins.h"
#include "lua/sandbox/lua_internal.h"
#include "lua/values.h"
#include "planners/segments/segment_genetic.h"

enum operator_ { SEED, BREED_CROSS, MUTATE, FITNESS, BREED_SELECT, REUSE, OPERATOR_COUNT };
static const char *const operator_names[] = {"seed_population", "crossover", "mutate", "fitness", "select", "reuse"};
static char buffers_key, operator_keys[OPERATOR_COUNT]; /* their addresses are keys of the registry */

struct sw_lua_breeding {
    struct sw_lua_plugin_script plugin; /* its problem is the one with the buffers that are listed */
    struct sw_breeding breeding;
    char name[64], planner[64];
};

/* ---- one question ---- */

struct breeding_question {
    struct sw_lua_breeding *of;
    enum operator_ which;
    const struct sw_breeding_scene *scene;
    const struct sw_individual *first, *second; /* `first`: all of them, where they are selected */
    const struct sw_assignment_scene *objects;  /* of segment-genetic; `scene` is NULL then */
    const struct sw_assignment *assignments;
    uint32_t individuals; /* that are selected, or that are parents */
    struct sw_chosen *chosen;
    double *figure;
    struct sw_rank *order; /* SEED and BREED_CROSS of order-genetic */
    uint32_t *segments;    /* of each object: SEED of segment-genetic */
    bool *given;
    const char **why;
    struct sw_crossing *crossing;
    struct sw_exchange *exchange;
    double *figures;
    uint32_t *count;
};

/* random(n): a whole number from 1 to n. The source is that of the question, and of no later one. */
static int draw_number(lua_State *lua) {
    uint64_t **source = lua_touserdata(lua, lua_upvalueindex(1));
    lua_Integer most = luaL_checkinteger(lua, 1);
    if (!*source) {
        return luaL_error(lua, "random: it is good for the call that it was given to");
    }
    if (most < 1) {
        return luaL_error(lua, "random: it draws from 1 to a whole number from 1 on, not to %I", (LUAI_UACINT)most);
    }
    lua_pushinteger(lua, (lua_Integer)sw_random_below(*source, (uint64_t)most) + 1);
    return 1;
}

/* The planned buffers in program order, which is how orders number them. Listed once for each problem. */
static void push_buffers(lua_State *lua, const struct breeding_question *q) {
    const struct sw_problem *problem = q->scene->problem;
    if (sw_lua_plugin_turn(&q->of->plugin, problem)) {
        uint32_t count = sw_problem_planned_count(problem);
        lua_createtable(lua, (int)count, 0);
        for (uint32_t i = 0; i < count; i++) {
            sw_lua_push_buffer(lua, problem, sw_problem_order(problem)[i]);
            lua_rawseti(lua, -2, (lua_Integer)i + 1);
        }
        lua_rawsetp(lua, LUA_REGISTRYINDEX, &buffers_key);
    }
    lua_rawgetp(lua, LUA_REGISTRYINDEX, &buffers_key);
}

static void push_info(lua_State *lua, const struct breeding_question *q) {
    lua_createtable(lua, 0, 8);
    push_buffers(lua, q);
    lua_setfield(lua, -2, "buffers");
    sw_lua_push_problem(lua, q->scene->problem);
    lua_setfield(lua, -2, "problem");
    sw_lua_set_count(lua, "count", sw_problem_planned_count(q->scene->problem));
    sw_lua_set_count(lua, "window_min", q->scene->window_min);
    sw_lua_set_count(lua, "window_max", q->scene->window_max);
    sw_lua_set_count(lua, "number", (uint64_t)q->scene->number + 1);
    sw_lua_set_count(lua, "swaps", q->scene->swaps);
    sw_lua_set_number(lua, "swap", q->scene->swap);
    if (q->which == BREED_SELECT) {
        sw_lua_set_count(lua, "members", q->scene->members);
        sw_lua_set_count(lua, "most", q->scene->most);
        sw_lua_set_count(lua, "elite", q->of->breeding.elite);
    }
}

static void set_ranks(lua_State *lua, const char *name, const struct sw_rank *ranks, uint32_t count) {
    lua_createtable(lua, (int)count, 0);
    for (uint32_t i = 0; i < count; i++) {
        lua_pushinteger(lua, (lua_Integer)ranks[i].at + 1);
        lua_rawseti(lua, -2, (lua_Integer)i + 1);
    }
    lua_setfield(lua, -2, name);
}

static void push_individual(lua_State *lua, const struct sw_individual *one) {
    lua_createtable(lua, 0, 8);
    set_ranks(lua, "order", one->order, one->count);
    if (!one->decoded) {
        return;
    }
    set_ranks(lua, "sequence", one->sequence, one->count);
    lua_createtable(lua, (int)one->count, 0);
    for (uint32_t i = 0; i < one->count; i++) {
        lua_pushboolean(lua, one->reuse[i]);
        lua_rawseti(lua, -2, (lua_Integer)i + 1);
    }
    lua_setfield(lua, -2, "reuse");
    lua_createtable(lua, (int)one->tiers, 0);
    for (uint32_t i = 0; i < one->tiers; i++) {
        lua_pushinteger(lua, (lua_Integer)one->arena[i]);
        lua_rawseti(lua, -2, (lua_Integer)i + 1);
    }
    lua_setfield(lua, -2, "arenas");
    sw_lua_set_count(lua, "continuity", one->continuity);
    sw_lua_set_count(lua, "peak", one->peak);
    sw_lua_set_count(lua, "above", one->above);
    if (!isnan(one->cost)) {
        sw_lua_set_number(lua, "cost", one->cost);
    }
}

/* ---- answers ---- */

/* Raise as if the operator had: "FILE:LINE: mutate of NAME: ...". */
static void fail_answer(lua_State *lua, const struct breeding_question *q, const char *format, ...) {
    lua_Debug debug;
    va_list list;
    lua_rawgetp(lua, LUA_REGISTRYINDEX, &operator_keys[q->which]);
    lua_getinfo(lua, ">S", &debug);
    va_start(list, format);
    const char *what = lua_pushvfstring(lua, format, list);
    va_end(list);
    luaL_error(lua, "%s:%d: %s of %s: %s", sw_script_path(q->of->plugin.script), debug.linedefined,
               operator_names[q->which], q->of->name, what);
}

/* How many genes an individual has. */
static uint32_t genes_of(const struct breeding_question *q) {
    return q->objects ? q->objects->objects : sw_problem_planned_count(q->scene->problem);
}

static uint64_t *random_of(const struct breeding_question *q) {
    return q->objects ? q->objects->random : q->scene->random;
}

static uint32_t answer_number(lua_State *lua, const struct breeding_question *q, int index, const char *what,
                              uint32_t count) {
    int whole;
    lua_Integer place = lua_tointegerx(lua, index, &whole);
    if (!whole || lua_type(lua, index) != LUA_TNUMBER || place < 1 || place > (lua_Integer)count) {
        fail_answer(lua, q, "%s is a whole number from 1 to %d, not %s", what, (int)count,
                    lua_type(lua, index) == LUA_TNUMBER ? lua_tostring(lua, index) : luaL_typename(lua, index));
    }
    return (uint32_t)place - 1;
}

static uint32_t place_at(lua_State *lua, const struct breeding_question *q, int index, const char *what) {
    return answer_number(lua, q, index, what, genes_of(q));
}

/* A list of a number for each gene: of an order its places, of an assignment segments. */
static void take_genes(lua_State *lua, const struct breeding_question *q, int index) {
    uint32_t count = genes_of(q);
    const char *list = q->objects ? "an assignment" : "an order";
    if (!lua_istable(lua, index) || lua_rawlen(lua, index) != count) {
        fail_answer(lua, q, "%s is a list of %d numbers, not %s", list, (int)count,
                    lua_istable(lua, index) ? lua_pushfstring(lua, "%d", (int)lua_rawlen(lua, index))
                                            : luaL_typename(lua, index));
    }
    for (uint32_t i = 0; i < count; i++) {
        lua_rawgeti(lua, index, (lua_Integer)i + 1);
        if (q->objects) {
            q->segments[i] = answer_number(lua, q, -1, "a segment", q->objects->segments);
        } else {
            q->order[i].at = place_at(lua, q, -1, "a number of an order");
        }
        lua_pop(lua, 1);
    }
}

/* A list of objects, or of individuals, and why. */
static void take_objects(lua_State *lua, const struct breeding_question *q, int index) {
    bool selects = q->which == BREED_SELECT;
    uint32_t most = selects ? q->individuals : genes_of(q);
    if (!lua_istable(lua, index) || lua_rawlen(lua, index) > most) {
        fail_answer(lua, q, "it returns a list of at most %d %s, not %s", (int)most,
                    selects ? "numbers of individuals" : "objects",
                    lua_istable(lua, index) ? "a longer one" : luaL_typename(lua, index));
    }
    q->chosen->count = (uint32_t)lua_rawlen(lua, index);
    for (uint32_t i = 0; i < q->chosen->count; i++) {
        lua_rawgeti(lua, index, (lua_Integer)i + 1);
        q->chosen->objects[i] = answer_number(lua, q, -1, selects ? "an individual" : "an object", most);
        lua_pop(lua, 1);
    }
    q->chosen->why = sw_lua_plugin_reason(lua, &q->of->plugin, index + 1);
}

/* Behind the child: {at =, length =, why =}, or nothing. */
static void take_crossing(lua_State *lua, const struct breeding_question *q, int index) {
    if (lua_isnoneornil(lua, index)) {
        return;
    }
    if (!lua_istable(lua, index)) {
        fail_answer(lua, q, "what is behind the child is a table {at, length, why}");
    }
    if (lua_getfield(lua, index, "at") != LUA_TNIL) {
        q->crossing->at = place_at(lua, q, -1, "at");
        lua_getfield(lua, index, "length");
        q->crossing->length = place_at(lua, q, -1, "length") + 1;
    }
    lua_getfield(lua, index, "why");
    q->crossing->why = sw_lua_plugin_reason(lua, &q->of->plugin, -1);
}

static void take_figures(lua_State *lua, const struct breeding_question *q, int first) {
    int count = lua_gettop(lua) - first + 1;
    if (count < 1 || count > SW_BREEDING_FIGURES) {
        fail_answer(lua, q, "it returns 1 to %d numbers, not %d", (int)SW_BREEDING_FIGURES, count);
    }
    for (int i = 0; i < count; i++) {
        if (lua_type(lua, first + i) != LUA_TNUMBER || !isfinite(lua_tonumber(lua, first + i))) {
            fail_answer(lua, q, "number %d is %s, not a finite number", i + 1,
                        lua_type(lua, first + i) == LUA_TNUMBER ? lua_tostring(lua, first + i)
                                                                : luaL_typename(lua, first + i));
        }
        q->figures[i] = lua_tonumber(lua, first + i);
    }
    *q->count = (uint32_t)count;
}

/* random(n), good until `source` is emptied: both stay on the stack, the source below. */
static uint64_t **push_random(lua_State *lua, const struct breeding_question *q) {
    uint64_t **source = lua_newuserdatauv(lua, sizeof *source, 0);
    *source = random_of(q);
    lua_pushvalue(lua, -1);
    lua_pushcclosure(lua, draw_number, 1);
    return source;
}

/* ---- the same about assignments ---- */

/* info.fits(object, segment) */
static int segment_fits(lua_State *lua) {
    const struct breeding_question *q = lua_touserdata(lua, lua_upvalueindex(1));
    uint64_t **source = lua_touserdata(lua, lua_upvalueindex(2));
    if (!*source) {
        return luaL_error(lua, "fits: it is good for the call that it was given to");
    }
    uint32_t object = answer_number(lua, q, 1, "the object of fits", q->objects->objects);
    uint32_t segment = answer_number(lua, q, 2, "the segment of fits", q->objects->segments);
    lua_pushboolean(lua, sw_partition_fits(q->objects->partition, q->objects->of, object, segment));
    return 1;
}

static void push_planned_object(lua_State *lua, const struct breeding_question *q, uint32_t i) {
    const struct sw_objects *o = q->objects->of;
    const struct sw_partition *p = q->objects->partition;
    lua_createtable(lua, 0, 6);
    sw_lua_set_count(lua, "size", o->items[i].size);
    sw_lua_set_count(lua, "first", o->items[i].first);
    sw_lua_set_text(
        lua, "buffer",
        sw_problem_buffer(q->objects->problem, o->members[o->items[i].member])->name); /* its first member */
    sw_lua_set_count(lua, "members", o->items[i].members);
    if (p->fixed[i] != SW_NONE) {
        sw_lua_set_count(lua, "owns", (uint64_t)p->fixed[i] + 1);
    }
    size_t first = o->clash_begin[i], count = o->clash_begin[i + 1] - first;
    sw_lua_set_list(lua, "clashes", o->clashes + first, count, 1);
    sw_script_charge(lua, count + 10);
}

static void push_segments(lua_State *lua, const struct breeding_question *q) {
    const struct sw_partition *p = q->objects->partition;
    lua_createtable(lua, (int)p->count, 0);
    for (uint32_t s = 0; s < p->count; s++) {
        lua_createtable(lua, 0, 3);
        sw_lua_set_count(lua, "offset", p->segments[s].lo);
        sw_lua_set_count(lua, "size", p->segments[s].size);
        sw_lua_set_count(lua, "object", (uint64_t)p->segments[s].owner + 1);
        lua_rawseti(lua, -2, (lua_Integer)s + 1);
    }
}

static void push_assignment_info(lua_State *lua, struct breeding_question *q) {
    const struct sw_partition *p = q->objects->partition;
    sw_lua_plugin_turn(&q->of->plugin, q->objects->problem);
    lua_createtable(lua, 0, 10);
    sw_lua_push_problem(lua, q->objects->problem);
    lua_setfield(lua, -2, "problem");
    lua_createtable(lua, (int)q->objects->objects, 0);
    for (uint32_t i = 0; i < q->objects->objects; i++) {
        push_planned_object(lua, q, i);
        lua_rawseti(lua, -2, (lua_Integer)i + 1);
    }
    lua_setfield(lua, -2, "objects");
    push_segments(lua, q);
    lua_setfield(lua, -2, "segments");
    sw_lua_set_list(lua, "free", p->free, p->free_count, 1);
    lua_pushlightuserdata(lua, q);
    lua_pushvalue(lua, 1); /* the source of random numbers: emptied when the call is over */
    lua_pushcclosure(lua, segment_fits, 2);
    lua_setfield(lua, -2, "fits");
    sw_lua_set_truth(lua, "apart", q->objects->careful);
    sw_lua_set_count(lua, "most", q->objects->most);
    sw_lua_set_count(lua, "number", (uint64_t)q->objects->number + 1);
    if (q->which == BREED_CROSS) {
        sw_lua_set_count(lua, "segment", (uint64_t)q->objects->segment + 1);
    } else if (q->which == BREED_SELECT) {
        sw_lua_set_count(lua, "members", q->individuals);
        sw_lua_set_count(lua, "elite", q->of->breeding.elite);
    }
}

static void push_assignment(lua_State *lua, const struct breeding_question *q, uint32_t i) {
    const struct sw_assignment *one = &q->assignments[i];
    lua_createtable(lua, 0, 2);
    sw_lua_set_list(lua, "segments", one->segments, q->objects->objects, 1);
    if (one->measured) {
        sw_lua_set_count(lua, "migration", one->migration);
    }
    if (one->measured && !isnan(one->cost)) {
        sw_lua_set_number(lua, "cost", one->cost);
    }
    if (q->which == BREED_SELECT) {
        sw_lua_set_count(lua, "clashes", one->clashes);
        sw_lua_set_number(lua, "fitness", one->fitness);
        sw_lua_set_truth(lua, "processed", one->processed);
    }
}

static void push_assignments(lua_State *lua, const struct breeding_question *q) {
    lua_createtable(lua, (int)q->individuals, 0);
    for (uint32_t i = 0; i < q->individuals; i++) {
        push_assignment(lua, q, i);
        lua_rawseti(lua, -2, (lua_Integer)i + 1);
        sw_script_charge(lua, q->objects->objects);
    }
}

/* What the operator is asked about; how many values that is. */
static int push_asked(lua_State *lua, const struct breeding_question *q) {
    if (q->which == SEED) {
        lua_pushinteger(lua, (lua_Integer)(q->objects ? q->objects->number : q->scene->number) + 1);
    } else if (q->objects && (q->which == BREED_SELECT || q->which == BREED_CROSS)) {
        push_assignments(lua, q);
    } else if (q->which == BREED_SELECT) {
        lua_createtable(lua, (int)q->individuals, 0);
        for (uint32_t i = 0; i < q->individuals; i++) {
            push_individual(lua, &q->first[i]);
            lua_rawseti(lua, -2, (lua_Integer)i + 1);
            sw_script_charge(lua, 3 * (uint64_t)q->first[i].count);
        }
    } else if (!q->objects) {
        push_individual(lua, q->first);
        if (q->which == BREED_CROSS) {
            push_individual(lua, q->second);
            return 2;
        }
    } else {
        push_assignment(lua, q, 0);
    }
    return 1;
}

/* What it answers, from 3 on. */
static void take_operator_answer(lua_State *lua, const struct breeding_question *q) {
    if (q->which == SEED) {
        *q->given = !lua_isnil(lua, 3);
        if (*q->given) {
            take_genes(lua, q, 3);
            *q->why = sw_lua_plugin_reason(lua, &q->of->plugin, 4);
        }
    } else if (q->which == BREED_SELECT || (q->objects && q->which != FITNESS)) {
        take_objects(lua, q, 3);
    } else if (q->objects) {
        if (lua_type(lua, 3) != LUA_TNUMBER || !isfinite(lua_tonumber(lua, 3)) || lua_tonumber(lua, 3) < 0) {
            fail_answer(lua, q, "it returns a number from 0 on, not %s",
                        lua_type(lua, 3) == LUA_TNUMBER ? lua_tostring(lua, 3) : luaL_typename(lua, 3));
        }
        *q->figure = lua_tonumber(lua, 3);
    } else if (q->which == BREED_CROSS) {
        take_genes(lua, q, 3);
        take_crossing(lua, q, 4);
    } else if (q->which == MUTATE) {
        q->exchange->a = place_at(lua, q, 3, "the first place");
        q->exchange->b = place_at(lua, q, 4, "the second place");
        q->exchange->again = lua_toboolean(lua, 5);
        q->exchange->why = sw_lua_plugin_reason(lua, &q->of->plugin, 6);
    } else {
        take_figures(lua, q, 3);
    }
}

static int ask_operator(lua_State *lua) {
    struct breeding_question *q = lua_touserdata(lua, 1);
    bool fitness = q->which == FITNESS;
    lua_settop(lua, 0);
    uint64_t **source = push_random(lua, q); /* at 1, the function at 2 */
    lua_rawgetp(lua, LUA_REGISTRYINDEX, &operator_keys[q->which]);
    int arguments = push_asked(lua, q) + 1;
    if (!fitness) {
        lua_pushvalue(lua, 2);
        arguments++;
    }
    if (q->objects) {
        push_assignment_info(lua, q);
    } else {
        push_info(lua, q);
    }
    int results = q->objects ? (fitness ? 1 : 2) : fitness ? LUA_MULTRET : q->which == MUTATE ? 4 : 2;
    int status = lua_pcall(lua, arguments, results, 0);
    *source = NULL; /* what it was given for this call, and may have kept, is no good after it */
    if (status != LUA_OK) {
        return lua_error(lua);
    }
    take_operator_answer(lua, q);
    return 0;
}

/* What was answered, as a number: the same answers have the same. */
static uint64_t answer_of(const struct breeding_question *q) {
    uint64_t answer = sw_fold(q->which, *random_of(q));
    uint32_t count = genes_of(q);
    for (uint32_t i = 0; (q->order || q->segments) && (!q->given || *q->given) && i < count; i++) {
        answer = sw_fold(answer, q->order ? q->order[i].at : q->segments[i]);
    }
    if (q->crossing) {
        answer = sw_fold(answer, (uint64_t)q->crossing->at << 32 | q->crossing->length);
    }
    for (uint32_t i = 0; q->chosen && i < q->chosen->count; i++) {
        answer = sw_fold(answer, q->chosen->objects[i]);
    }
    if (q->figure) {
        answer = sw_fold_bytes(answer, (const char *)q->figure, sizeof *q->figure);
    }
    if (q->exchange) {
        answer = sw_fold(answer, (uint64_t)q->exchange->a << 32 | q->exchange->b);
        answer = sw_fold(answer, q->exchange->again);
    }
    return q->figures ? sw_fold_bytes(answer, (const char *)q->figures, *q->count * sizeof *q->figures) : answer;
}

/* The numbers drawn count only when the answer is one. In a build for debugging it is asked twice. */
static bool put_question(struct breeding_question *q, struct sw_error *error) {
    uint64_t before = *random_of(q);
    bool good = sw_script_protect(q->of->plugin.script, ask_operator, q, error);
#ifndef NDEBUG
    uint64_t answer = good ? answer_of(q) : 0;
    if (good) {
        *random_of(q) = before;
        good = sw_script_protect(q->of->plugin.script, ask_operator, q, error) &&
               (answer_of(q) == answer ||
                sw_fail(error, SW_ERROR_INPUT,
                        "%s of %s is asked again and answers otherwise: it must depend on its arguments "
                        "and on the numbers that it draws alone",
                        operator_names[q->which], q->of->name));
    }
#endif
    *random_of(q) = good ? *random_of(q) : before;
    return good;
}

static bool seed(void *context, const struct sw_breeding_scene *scene, struct sw_rank *order, bool *given,
                 const char **why, struct sw_error *error) {
    struct breeding_question q = {
        .of = context, .which = SEED, .scene = scene, .order = order, .given = given, .why = why};
    return put_question(&q, error);
}

static bool cross(void *context, const struct sw_breeding_scene *scene, const struct sw_individual *first,
                  const struct sw_individual *second, struct sw_rank *order, struct sw_crossing *told,
                  struct sw_error *error) {
    struct breeding_question q = {.of = context,
                                  .which = BREED_CROSS,
                                  .scene = scene,
                                  .first = first,
                                  .second = second,
                                  .order = order,
                                  .crossing = told};
    return put_question(&q, error);
}

static bool mutate(void *context, const struct sw_breeding_scene *scene, const struct sw_individual *one,
                   struct sw_exchange *told, struct sw_error *error) {
    struct breeding_question q = {.of = context, .which = MUTATE, .scene = scene, .first = one, .exchange = told};
    return put_question(&q, error);
}

static bool fitness(void *context, const struct sw_breeding_scene *scene, const struct sw_individual *one,
                    double figures[SW_BREEDING_FIGURES], uint32_t *count, struct sw_error *error) {
    struct breeding_question q = {
        .of = context, .which = FITNESS, .scene = scene, .first = one, .figures = figures, .count = count};
    return put_question(&q, error);
}

static bool select_orders(void *context, const struct sw_breeding_scene *scene, const struct sw_individual *all,
                          uint32_t count, struct sw_chosen *chosen, struct sw_error *error) {
    struct breeding_question q = {
        .of = context, .which = BREED_SELECT, .scene = scene, .first = all, .individuals = count, .chosen = chosen};
    return put_question(&q, error);
}

static bool draw_segments(void *context, const struct sw_assignment_scene *scene, uint32_t *segments, bool *given,
                          const char **why, struct sw_error *error) {
    struct breeding_question q = {
        .of = context, .which = SEED, .objects = scene, .segments = segments, .given = given, .why = why};
    return put_question(&q, error);
}

static bool share_segments(void *context, const struct sw_assignment_scene *scene, const struct sw_assignment *parents,
                           uint32_t count, struct sw_chosen *chosen, struct sw_error *error) {
    struct breeding_question q = {.of = context,
                                  .which = BREED_CROSS,
                                  .objects = scene,
                                  .assignments = parents,
                                  .individuals = count,
                                  .chosen = chosen};
    return put_question(&q, error);
}

static bool rotate(void *context, const struct sw_assignment_scene *scene, const struct sw_assignment *one,
                   struct sw_chosen *chosen, struct sw_error *error) {
    struct breeding_question q = {
        .of = context, .which = MUTATE, .objects = scene, .assignments = one, .chosen = chosen};
    return put_question(&q, error);
}

static bool weigh(void *context, const struct sw_assignment_scene *scene, const struct sw_assignment *one,
                  double *figure, struct sw_error *error) {
    struct breeding_question q = {
        .of = context, .which = FITNESS, .objects = scene, .assignments = one, .figure = figure};
    return put_question(&q, error);
}

static bool select_assignments(void *context, const struct sw_assignment_scene *scene, const struct sw_assignment *all,
                               uint32_t count, struct sw_chosen *chosen, struct sw_error *error) {
    struct breeding_question q = {.of = context,
                                  .which = BREED_SELECT,
                                  .objects = scene,
                                  .assignments = all,
                                  .individuals = count,
                                  .chosen = chosen};
    return put_question(&q, error);
}

/* ---- the reuse condition of token-sharing ---- */

struct reuse_question {
    struct sw_lua_breeding *of;
    const struct sw_reuse_scene *scene;
    bool takes;
    const char *why;
};

static void push_reuse(lua_State *lua, const struct sw_reuse_scene *scene) {
    lua_createtable(lua, 0, 10);
    sw_lua_push_buffer(lua, scene->problem, scene->fresh);
    lua_setfield(lua, -2, "tensor");
    sw_lua_push_buffer(lua, scene->problem, scene->over);
    lua_setfield(lua, -2, "input");
    sw_lua_set_text(lua, "operator", sw_problem_operator(scene->problem, scene->op)->name);
    sw_lua_set_text(lua, "tier", sw_problem_tier(scene->problem, scene->tier)->name);
    sw_lua_set_count(lua, "id", scene->id);
    sw_lua_set_count(lua, "bytes", scene->bytes);
    sw_lua_set_count(lua, "allocated", scene->allocated);
    sw_lua_set_truth(lua, "whole_function", scene->function);
    sw_lua_set_truth(lua, "reshape", scene->reshape);
    sw_lua_set_truth(lua, "possible", scene->refused == NULL);
    if (scene->refused) {
        sw_lua_set_text(lua, "refused", scene->refused);
    }
}

static int ask_reuse_condition(lua_State *lua) {
    struct reuse_question *q = lua_touserdata(lua, 1);
    struct breeding_question same = {.of = q->of, .which = REUSE};
    lua_settop(lua, 0);
    sw_lua_plugin_turn(&q->of->plugin, q->scene->problem);
    lua_rawgetp(lua, LUA_REGISTRYINDEX, &operator_keys[REUSE]);
    push_reuse(lua, q->scene);
    lua_createtable(lua, 0, 1);
    sw_lua_push_problem(lua, q->scene->problem);
    lua_setfield(lua, -2, "problem");
    lua_call(lua, 2, 2);
    if (lua_type(lua, 1) != LUA_TBOOLEAN) {
        fail_answer(lua, &same, "it returns true or false, not %s", luaL_typename(lua, 1));
    }
    if (!lua_isnil(lua, 2) && lua_type(lua, 2) != LUA_TSTRING) {
        fail_answer(lua, &same, "why is a text, not %s", luaL_typename(lua, 2));
    }
    q->takes = lua_toboolean(lua, 1);
    if (q->takes && q->scene->refused) {
        fail_answer(lua, &same, "%s cannot be written over %s: %s",
                    sw_problem_buffer(q->scene->problem, q->scene->fresh)->name,
                    sw_problem_buffer(q->scene->problem, q->scene->over)->name, q->scene->refused);
    }
    q->why = sw_lua_plugin_reason(lua, &q->of->plugin, 2);
    return 0;
}

static bool reuse_condition(void *context, const struct sw_reuse_scene *scene, bool *takes, const char **why,
                            struct sw_error *error) {
    struct reuse_question q = {.of = context, .scene = scene};
    bool good = sw_script_protect(q.of->plugin.script, ask_reuse_condition, &q, error);
    *takes = q.takes;
    *why = q.why;
#ifndef NDEBUG
    good = good && sw_script_protect(q.of->plugin.script, ask_reuse_condition, &q, error) &&
           (q.takes == *takes ||
            sw_fail(error, SW_ERROR_INPUT,
                    "reuse of %s is asked again and answers otherwise: it must depend on its arguments alone",
                    q.of->name));
#endif
    return good;
}

/* ---- opening ---- */

/* What each planner asks a file for. */
static const struct {
    const char *planner;
    unsigned operators; /* a bit each */
} asking_planners[] = {
    {"order-genetic", 1u << SEED | 1u << BREED_CROSS | 1u << MUTATE | 1u << FITNESS | 1u << BREED_SELECT},
    {"segment-genetic", 1u << SEED | 1u << BREED_CROSS | 1u << MUTATE | 1u << FITNESS | 1u << BREED_SELECT},
    {"token-sharing", 1u << REUSE}};
enum { ASKING_PLANNERS = sizeof asking_planners / sizeof *asking_planners };

/* No operator of another planner. */
static void check_asked(lua_State *lua, const char *planner, const bool has[OPERATOR_COUNT]) {
    size_t p = 0;
    while (p < ASKING_PLANNERS && strcmp(asking_planners[p].planner, planner) != 0) {
        p++;
    }
    if (p == ASKING_PLANNERS) {
        luaL_error(lua, "'planner' of breeding is \"order-genetic\", \"segment-genetic\" or \"token-sharing\", not %s",
                   lua_isstring(lua, -1) ? lua_tostring(lua, -1) : luaL_typename(lua, -1));
        return;
    }
    for (int i = 0; i < OPERATOR_COUNT; i++) {
        if (has[i] && !(asking_planners[p].operators >> i & 1)) {
            luaL_error(lua, "'%s' of breeding is not for %s", operator_names[i], planner);
        }
    }
}

/* How many of the fittest stay before those that are selected: 1, where it is not said. */
static void take_elite(lua_State *lua, struct sw_lua_breeding *b, bool selects) {
    int type = lua_getfield(lua, 2, "elite"), whole;
    lua_Integer elite = lua_tointegerx(lua, -1, &whole);
    if (type != LUA_TNIL && !selects) {
        luaL_error(lua, "'elite' of breeding needs 'select': without it the fittest stay");
    }
    if (type != LUA_TNIL && (type != LUA_TNUMBER || !whole || elite < 0 || elite > UINT32_MAX)) {
        luaL_error(lua, "'elite' of breeding is a whole number from 0 on, not %s",
                   type == LUA_TNUMBER ? lua_tostring(lua, -1) : luaL_typename(lua, -1));
    }
    b->breeding.elite = type == LUA_TNIL ? 1 : (uint32_t)elite;
}

/* The operators, and what the file returned. */
static int take_breeding(lua_State *lua) {
    static const char *const known[] = {"name",   "planner", "peak_first", "bytes", "seed_population", "crossover",
                                        "mutate", "fitness", "select",     "elite", "reuse",           NULL};
    struct sw_lua_breeding *b = lua_touserdata(lua, 1);
    snprintf(b->name, sizeof b->name, "%s",
             b->plugin.borrowed ? "the experiment" : sw_path_name(sw_script_path(b->plugin.script)));
    if (!lua_istable(lua, -1)) {
        return luaL_error(lua,
                          "the script returns %s instead of operators: end it with 'return' and a "
                          "table that has some of "
                          "seed_population, crossover, mutate, fitness, select, reuse",
                          lua_isnil(lua, -1) ? "nothing" : luaL_typename(lua, -1));
    }
    for (lua_pushnil(lua); lua_next(lua, 2); lua_pop(lua, 1)) {
        const char *key = lua_type(lua, -2) == LUA_TSTRING ? lua_tostring(lua, -2) : luaL_typename(lua, -2);
        bool found = false;
        for (size_t i = 0; known[i]; i++) {
            found = found || strcmp(known[i], key) == 0;
        }
        if (!found) {
            return luaL_error(lua,
                              "breeding has no '%s'; it has name, planner, peak_first, bytes, seed_population, "
                              "crossover, mutate, fitness, select, elite, reuse",
                              key);
        }
    }
    bool has[OPERATOR_COUNT];
    unsigned count = 0;
    for (int i = 0; i < OPERATOR_COUNT; i++) {
        int type = lua_getfield(lua, 2, operator_names[i]);
        if (type != LUA_TNIL && type != LUA_TFUNCTION) {
            return luaL_error(lua, "'%s' of breeding is a function, not %s", operator_names[i], luaL_typename(lua, -1));
        }
        has[i] = type == LUA_TFUNCTION;
        count += has[i];
        lua_rawsetp(lua, LUA_REGISTRYINDEX, &operator_keys[i]);
    }
    if (count == 0) {
        return luaL_error(lua, "breeding has none of seed_population, crossover, mutate, fitness, select, reuse");
    }
    if (lua_getfield(lua, 2, "name") == LUA_TSTRING) {
        snprintf(b->name, sizeof b->name, "%s", lua_tostring(lua, -1));
    }
    int type = lua_getfield(lua, 2, "planner");
    if (type == LUA_TNIL || type == LUA_TSTRING) {
        snprintf(b->planner, sizeof b->planner, "%s", type == LUA_TNIL ? "order-genetic" : lua_tostring(lua, -1));
    }
    bool orders = strcmp(b->planner, "order-genetic") == 0, segments = strcmp(b->planner, "segment-genetic") == 0;
    check_asked(lua, b->planner, has);
    b->breeding = (struct sw_breeding){.name = b->name, .planner = b->planner, .context = b};
    if (lua_getfield(lua, 2, "peak_first") != LUA_TNIL && !orders) {
        return luaL_error(lua, "'peak_first' of breeding is for order-genetic");
    }
    b->breeding.peak_first = lua_toboolean(lua, -1);
    if (lua_getfield(lua, 2, "bytes") != LUA_TNIL && !segments) {
        return luaL_error(lua, "'bytes' of breeding is for segment-genetic");
    }
    b->breeding.bytes = lua_toboolean(lua, -1);
    take_elite(lua, b, has[BREED_SELECT]);
    b->breeding.seed = orders && has[SEED] ? seed : NULL;
    b->breeding.cross = orders && has[BREED_CROSS] ? cross : NULL;
    b->breeding.mutate = orders && has[MUTATE] ? mutate : NULL;
    b->breeding.fitness = orders && has[FITNESS] ? fitness : NULL;
    b->breeding.select = orders && has[BREED_SELECT] ? select_orders : NULL;
    b->breeding.draw = segments && has[SEED] ? draw_segments : NULL;
    b->breeding.share = segments && has[BREED_CROSS] ? share_segments : NULL;
    b->breeding.rotate = segments && has[MUTATE] ? rotate : NULL;
    b->breeding.weigh = segments && has[FITNESS] ? weigh : NULL;
    b->breeding.keep = segments && has[BREED_SELECT] ? select_assignments : NULL;
    b->breeding.reuse = has[REUSE] ? reuse_condition : NULL;
    return 0;
}

static void put_breeding(const void *it, struct sw_params *params) {
    const struct sw_lua_breeding *b = it;
    params->breeding = &b->breeding;
}

const struct sw_lua_plugin_kind sw_lua_breeding_kind = {.option = "breeding",
                                                        .folder = "breeding",
                                                        .size = sizeof(struct sw_lua_breeding),
                                                        .take = take_breeding,
                                                        .put = put_breeding};
