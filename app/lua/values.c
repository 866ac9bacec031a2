/* The engine's things as Lua values. See values.h. */
#include "lua/values.h"
#include "base/base.h"

#include "formats/text/size.h"
#include "lua/sandbox/lua_internal.h"

static char problem_key, layout_key;

/* ---- read-only tables ---- */

static int refuse_change(lua_State *lua) {
    return luaL_error(lua, "this table is read-only");
}

static int frozen_length(lua_State *lua) {
    lua_pushinteger(lua, luaL_len(lua, lua_upvalueindex(1)));
    return 1;
}

/* The script's own pairs, on the table behind. */
static int frozen_pairs(lua_State *lua) {
    lua_pushvalue(lua, lua_upvalueindex(1));
    sw_lua_push_pairs(lua, -1);
    return 3;
}

void sw_lua_freeze(lua_State *lua) {
    luaL_checkstack(lua, 6, NULL);
    lua_createtable(lua, 0, 0);
    lua_createtable(lua, 0, 5);
    lua_pushvalue(lua, -3);
    lua_setfield(lua, -2, "__index");
    sw_lua_set_function(lua, "__newindex", refuse_change);
    lua_pushvalue(lua, -3);
    lua_pushcclosure(lua, frozen_length, 1);
    lua_setfield(lua, -2, "__len");
    lua_pushvalue(lua, -3);
    lua_pushcclosure(lua, frozen_pairs, 1);
    lua_setfield(lua, -2, "__pairs");
    sw_lua_set_truth(lua, "__metatable", false);
    lua_setmetatable(lua, -2);
    lua_remove(lua, -2);
}

/* ---- lists with elements that are made when asked for ---- */

typedef void push_fn(lua_State *, const struct sw_problem *, uint32_t);

struct lazy {
    const struct sw_problem *problem;
    uint32_t count;
    push_fn *push;
};

/* Upvalues: the lazy list, what was made of it so far. */
static int lazy_index(lua_State *lua) {
    const struct lazy *lazy = lua_touserdata(lua, lua_upvalueindex(1));
    if (!lua_isinteger(lua, 2) || lua_tointeger(lua, 2) < 1 || lua_tointeger(lua, 2) > (lua_Integer)lazy->count) {
        lua_pushnil(lua);
        return 1;
    }
    lua_Integer at = lua_tointeger(lua, 2);
    if (lua_rawgeti(lua, lua_upvalueindex(2), at) == LUA_TNIL) {
        lua_pop(lua, 1);
        lazy->push(lua, lazy->problem, (uint32_t)at - 1);
        lua_pushvalue(lua, -1);
        lua_rawseti(lua, lua_upvalueindex(2), at);
    }
    return 1;
}

static int lazy_length(lua_State *lua) {
    lua_pushinteger(lua, ((struct lazy *)lua_touserdata(lua, lua_upvalueindex(1)))->count);
    return 1;
}

/* pairs goes as ipairs does: the second value is the list itself. */
static int lazy_next(lua_State *lua) {
    lua_Integer at = luaL_optinteger(lua, 2, 0) + 1;
    lua_pushinteger(lua, at);
    return lua_geti(lua, 1, at) == LUA_TNIL ? 1 : 2;
}

static int lazy_pairs(lua_State *lua) {
    lua_pushcfunction(lua, lazy_next);
    lua_pushvalue(lua, 1);
    lua_pushnil(lua);
    return 3;
}

static void push_lazy(lua_State *lua, const struct sw_problem *problem, uint32_t count, push_fn *push) {
    lua_createtable(lua, 0, 0);
    lua_createtable(lua, 0, 5);
    struct lazy *lazy = lua_newuserdatauv(lua, sizeof *lazy, 0);
    *lazy = (struct lazy){problem, count, push};
    lua_pushvalue(lua, -1);
    lua_newtable(lua);
    lua_pushcclosure(lua, lazy_index, 2);
    lua_setfield(lua, -3, "__index");
    lua_pushcclosure(lua, lazy_length, 1);
    lua_setfield(lua, -2, "__len");
    sw_lua_set_function(lua, "__pairs", lazy_pairs);
    sw_lua_set_function(lua, "__newindex", refuse_change);
    sw_lua_set_truth(lua, "__metatable", false);
    lua_setmetatable(lua, -2);
}

/* ---- fields ---- */

static void set_field_number(lua_State *lua, const char *name, double value) {
    if (!isnan(value)) {
        sw_lua_set_number(lua, name, value);
    }
}

static void set_field_text(lua_State *lua, const char *name, const char *value) {
    if (value && *value) {
        sw_lua_set_text(lua, name, value);
    }
}

/* The table on top of the stack, which is popped, as a field that cannot be changed. */
static void set_frozen(lua_State *lua, const char *name) {
    sw_lua_freeze(lua);
    lua_setfield(lua, -2, name);
}

static void set_field_numbers(lua_State *lua, const char *name, const uint32_t *values, uint32_t count) {
    sw_lua_set_list(lua, name, values, count, 0);
    lua_getfield(lua, -1, name);
    set_frozen(lua, name);
}

/* ---- problems ---- */

static void make_buffer(lua_State *lua, const struct sw_problem *problem, uint32_t id) {
    const struct sw_buffer *b = sw_problem_buffer(problem, id);
    lua_createtable(lua, 0, 12);
    sw_lua_set_count(lua, "id", id + 1u);
    set_field_text(lua, "name", b->name);
    set_field_text(lua, "kind", sw_kind_name(b->kind));
    set_field_text(lua, "dtype", sw_dtype_name(b->dtype));
    sw_lua_set_count(lua, "size", b->size);
    sw_lua_set_count(lua, "alignment", b->alignment);
    sw_lua_set_count(lua, "first", b->first);
    sw_lua_set_count(lua, "last", b->last);
    sw_lua_set_truth(lua, "planned", b->planned);
    if (b->tier != SW_NONE) {
        set_field_text(lua, "tier", sw_problem_tier(problem, b->tier)->name);
    }
    lua_newtable(lua);
    lua_Integer allowed = 0;
    for (uint32_t t = 0; t < sw_problem_tier_count(problem); t++) {
        if (b->tier != SW_NONE ? b->tier == t : b->tiers >> t & 1) {
            lua_pushstring(lua, sw_problem_tier(problem, t)->name);
            lua_rawseti(lua, -2, ++allowed);
        }
    }
    set_frozen(lua, "tiers");
    set_field_numbers(lua, "accesses", b->accesses, b->access_count);
    lua_createtable(lua, (int)b->shape_count, 0);
    for (uint32_t i = 0; i < b->shape_count; i++) {
        lua_pushinteger(lua, (lua_Integer)b->shape[i]);
        lua_rawseti(lua, -2, i + 1);
    }
    set_frozen(lua, "shape");
    sw_lua_freeze(lua);
}

static void set_refs(lua_State *lua, const struct sw_problem *problem, const char *name, const struct sw_ref *refs,
                     uint32_t count) {
    lua_createtable(lua, (int)count, 0);
    for (uint32_t i = 0; i < count; i++) {
        lua_pushstring(lua, sw_problem_buffer(problem, refs[i].buffer)->name);
        lua_rawseti(lua, -2, i + 1);
    }
    set_frozen(lua, name);
}

static void set_window(lua_State *lua, const struct sw_op_window *w) {
    const uint32_t pad[] = {w->before[0], w->after[0], w->before[1], w->after[1]};
    lua_createtable(lua, 0, 5);
    set_field_numbers(lua, "kernel", w->kernel, 2);
    set_field_numbers(lua, "stride", w->stride, 2);
    set_field_numbers(lua, "dilation", w->dilation, 2);
    set_field_numbers(lua, "pad", pad, 4);
    sw_lua_set_count(lua, "axis", w->axis);
    set_frozen(lua, "window");
}

static void make_operator(lua_State *lua, const struct sw_problem *problem, uint32_t id) {
    const struct sw_operator *o = sw_problem_operator(problem, id);
    lua_createtable(lua, 0, 12);
    sw_lua_set_count(lua, "id", id + 1u);
    sw_lua_set_count(lua, "step", id);
    sw_lua_set_count(lua, "macs", o->macs);
    if (o->window) {
        set_window(lua, o->window);
    }
    if (sw_problem_steps(problem) == sw_problem_operator_count(problem) && sw_problem_time_is_step(problem)) {
        sw_lua_set_count(lua, "live", sw_problem_profile(problem)[id]);
    }
    set_field_text(lua, "name", o->name);
    set_field_text(lua, "kind", o->kind);
    set_field_text(lua, "core", sw_problem_core(problem, o->core));
    set_refs(lua, problem, "inputs", o->inputs, o->input_count);
    set_refs(lua, problem, "outputs", o->outputs, o->output_count);
    set_refs(lua, problem, "scratch", o->scratch, o->scratch_count);
    sw_lua_freeze(lua);
}

static void make_tier(lua_State *lua, const struct sw_problem *problem, uint32_t id) {
    const struct sw_tier *t = sw_problem_tier(problem, id);
    lua_createtable(lua, 0, 6);
    sw_lua_set_count(lua, "id", id + 1u);
    set_field_text(lua, "name", t->name);
    if (t->capacity != SW_UNBOUNDED) {
        sw_lua_set_count(lua, "capacity", t->capacity);
    }
    set_field_number(lua, "bandwidth", t->bandwidth);
    set_field_number(lua, "latency", t->latency);
    set_field_number(lua, "conflict", t->conflict);
    sw_lua_freeze(lua);
}

static void make_problem(lua_State *lua, const struct sw_problem *problem) {
    lua_createtable(lua, 0, 8);
    set_field_text(lua, "name", sw_problem_name(problem));
    sw_lua_set_count(lua, "steps", sw_problem_steps(problem));
    sw_lua_set_count(lua, "lower_bound", sw_problem_lower_bound(problem));
    sw_lua_set_count(lua, "bound_step", sw_problem_bound_step(problem));
    sw_lua_set_count(lua, "naive", sw_problem_naive(problem));
    push_lazy(lua, problem, sw_problem_buffer_count(problem), make_buffer);
    lua_setfield(lua, -2, "buffers");
    push_lazy(lua, problem, sw_problem_operator_count(problem), make_operator);
    lua_setfield(lua, -2, "operators");
    push_lazy(lua, problem, sw_problem_tier_count(problem), make_tier);
    lua_setfield(lua, -2, "tiers");
    sw_lua_freeze(lua);
}

/* The registry keeps {of = the problem's address, table = ...}. */
void sw_lua_push_problem(lua_State *lua, const struct sw_problem *problem) {
    luaL_checkstack(lua, 12, NULL);
    if (lua_rawgetp(lua, LUA_REGISTRYINDEX, &problem_key) == LUA_TTABLE) {
        lua_getfield(lua, -1, "of");
        bool same = lua_touserdata(lua, -1) == problem;
        lua_pop(lua, 1);
        if (same) {
            lua_getfield(lua, -1, "table");
            lua_remove(lua, -2);
            return;
        }
    }
    lua_pop(lua, 1);
    make_problem(lua, problem);
    lua_createtable(lua, 0, 2);
    lua_pushlightuserdata(lua, (void *)(uintptr_t)problem);
    lua_setfield(lua, -2, "of");
    lua_pushvalue(lua, -2);
    lua_setfield(lua, -2, "table");
    lua_rawsetp(lua, LUA_REGISTRYINDEX, &problem_key);
}

void sw_lua_forget_problem(lua_State *lua) {
    lua_pushnil(lua);
    lua_rawsetp(lua, LUA_REGISTRYINDEX, &problem_key);
}

static void push_element(lua_State *lua, const struct sw_problem *problem, const char *list, uint32_t id) {
    if (id == SW_NONE) {
        lua_pushnil(lua);
        return;
    }
    sw_lua_push_problem(lua, problem);
    lua_getfield(lua, -1, list);
    lua_geti(lua, -1, (lua_Integer)id + 1);
    lua_replace(lua, -3);
    lua_pop(lua, 1);
}

void sw_lua_push_buffer(lua_State *lua, const struct sw_problem *problem, uint32_t buffer) {
    push_element(lua, problem, "buffers", buffer);
}

void sw_lua_push_tier(lua_State *lua, const struct sw_problem *problem, uint32_t tier) {
    push_element(lua, problem, "tiers", tier);
}

/* ---- decisions ---- */

/* What only its kind has, by name; what is absent is not there. */
static void push_operands(lua_State *lua, const struct sw_problem *problem, const struct sw_decision *d) {
    lua_newtable(lua);
    for (const struct sw_operand *o = sw_decision_operands((enum sw_decision_kind)d->kind); o->name; o++) {
        const void *at = sw_decision_at(d, o);
        double number;
        const char *text;
        if (!sw_decision_value(d, o, &number, &text) && o->type != SW_OPERAND_count && o->type != SW_OPERAND_bytes &&
            o->type != SW_OPERAND_flag) {
            continue;
        }
        switch (o->type) {
        case SW_OPERAND_buffer:
            set_field_text(lua, o->name, sw_problem_buffer(problem, *(const uint32_t *)at)->name);
            break;
        case SW_OPERAND_index:
            sw_lua_set_count(lua, o->name, *(const uint32_t *)at);
            break;
        case SW_OPERAND_count:
        case SW_OPERAND_bytes:
            if (*(const uint64_t *)at == SW_UNBOUNDED) {
                set_field_number(lua, o->name, (double)INFINITY);
            } else {
                sw_lua_set_count(lua, o->name, *(const uint64_t *)at);
            }
            break;
        case SW_OPERAND_flag:
            sw_lua_set_truth(lua, o->name, *(const bool *)at);
            break;
        case SW_OPERAND_score:
            set_field_number(lua, o->name, number);
            break;
        case SW_OPERAND_change:
            lua_createtable(lua, 0, 2);
            set_field_number(lua, "before", ((const struct sw_before_after *)at)->before);
            set_field_number(lua, "after", number);
            lua_setfield(lua, -2, o->name);
            break;
        case SW_OPERAND_text:
            set_field_text(lua, o->name, text);
            break;
        }
    }
}

void sw_lua_push_decision(lua_State *lua, const struct sw_problem *problem, const struct sw_decision *d) {
    luaL_checkstack(lua, 6, NULL);
    lua_createtable(lua, 0, 20);
    sw_lua_set_count(lua, "step", d->step);
    set_field_text(lua, "kind", sw_decision_called(d));
    set_field_text(lua, "buffer", d->buffer == SW_NONE ? NULL : sw_problem_buffer(problem, d->buffer)->name);
    uint32_t other = sw_decision_other(d);
    set_field_text(lua, "other", other == SW_NONE ? NULL : sw_problem_buffer(problem, other)->name);
    set_field_text(lua, "tier", d->tier == SW_NONE ? NULL : sw_problem_tier(problem, d->tier)->name);
    if (sw_curve_addressed(d)) {
        sw_lua_set_count(lua, "offset", d->offset);
    }
    sw_lua_set_count(lua, "size", d->size);
    if (d->time != SW_NONE) {
        sw_lua_set_count(lua, "time", d->time);
    }
    if (d->group != SW_NONE) {
        sw_lua_set_count(lua, "group", d->group);
    }
    sw_lua_set_count(lua, "amount", sw_decision_amount(d));
    sw_lua_set_count(lua, "peak", d->peak);
    sw_lua_set_count(lua, "peak_before", d->peak_before);
    sw_lua_set_count(lua, "live", d->live);
    sw_lua_set_count(lua, "bound", sw_problem_lower_bound(problem));
    set_field_number(lua, "cost", d->cost);
    sw_lua_set_count(lua, "candidates", d->candidates);
    char reason[SW_REASON];
    set_field_text(lua, "reason", sw_decision_reason(d, reason));
    set_field_text(lua, "action", sw_decision_action(d));
    sw_lua_set_truth(lua, "forced", d->forced);
    push_operands(lua, problem, d);
    lua_setfield(lua, -2, "operands");
}

/* ---- arguments ---- */

/* A list's element by name, by id, or by its own table. */
static uint32_t check_element(lua_State *lua, int index, uint32_t count, const char *what,
                              uint32_t (*find)(const struct sw_problem *, const char *),
                              const struct sw_problem *problem) {
    uint32_t found = SW_NONE;
    if (lua_type(lua, index) == LUA_TSTRING) {
        found = find(problem, lua_tostring(lua, index));
    } else {
        if (lua_istable(lua, index)) {
            lua_getfield(lua, index, "id");
        } else {
            lua_pushvalue(lua, index);
        }
        lua_Integer id = lua_isinteger(lua, -1) ? lua_tointeger(lua, -1) : 0;
        lua_pop(lua, 1);
        found = id >= 1 && id <= (lua_Integer)count ? (uint32_t)(id - 1) : SW_NONE;
    }
    if (found == SW_NONE) {
        luaL_error(lua, "there is no %s %s", what, sw_sandbox_text(lua, index));
    }
    return found;
}

uint32_t sw_lua_check_buffer(lua_State *lua, int index, const struct sw_problem *problem) {
    return check_element(lua, index, sw_problem_buffer_count(problem), "buffer", sw_problem_find_buffer, problem);
}

uint32_t sw_lua_check_tier(lua_State *lua, int index, const struct sw_problem *problem) {
    return check_element(lua, index, sw_problem_tier_count(problem), "tier", sw_problem_find_tier, problem);
}

uint64_t sw_lua_check_bytes(lua_State *lua, int index) {
    int exact = 0;
    lua_Integer value = lua_tointegerx(lua, index, &exact);
    if (lua_type(lua, index) == LUA_TSTRING) {
        struct sw_error error;
        uint64_t bytes = 0;
        size_t length = 0;
        const char *text = lua_tolstring(lua, index, &length);
        if (strlen(text) != length) {
            luaL_error(lua, "a number of bytes has no NUL in it");
        }
        if (!sw_parse_size(text, SW_MAX_BYTES, &bytes, &error)) {
            luaL_error(lua, "%s", error.message);
        }
        return bytes;
    }
    if (!exact || lua_type(lua, index) != LUA_TNUMBER || value < 0 || (uint64_t)value > SW_MAX_BYTES) {
        luaL_error(lua, "a number of bytes is a whole number from 0 to 2^61, not %s", sw_sandbox_text(lua, index));
    }
    return (uint64_t)value;
}

uint64_t sw_lua_field_bytes(lua_State *lua, int index, const char *name) {
    lua_getfield(lua, index, name);
    if (lua_isnil(lua, -1)) {
        luaL_error(lua, "the field '%s' is missing", name);
    }
    uint64_t bytes = sw_lua_check_bytes(lua, -1);
    lua_pop(lua, 1);
    return bytes;
}

/* ---- layouts ---- */

struct handle {
    const struct sw_layout *layout;
    uint64_t call; /* the call it is good for, of sw_script.layouts */
};

static const struct sw_layout *layout_at_self(lua_State *lua) {
    const struct handle *handle = luaL_checkudata(lua, 1, "stowage.layout");
    if (handle->call != sw_script_of(lua)->layouts) {
        luaL_error(lua, "this layout was good for one call, which is over");
    }
    return handle->layout;
}

static uint32_t optional_step(lua_State *lua, int index, const struct sw_problem *problem) {
    lua_Integer step = luaL_checkinteger(lua, index);
    luaL_argcheck(lua, step >= 0 && step < (lua_Integer)sw_problem_steps(problem), index, "there is no such step");
    return (uint32_t)step;
}

static void push_placement(lua_State *lua, const struct sw_problem *problem, const struct sw_placement *at) {
    const struct sw_buffer *b = sw_problem_buffer(problem, at->buffer);
    lua_createtable(lua, 0, 7);
    set_field_text(lua, "buffer", b->name);
    sw_lua_set_count(lua, "id", at->buffer + 1u);
    set_field_text(lua, "tier", sw_problem_tier(problem, at->tier)->name);
    sw_lua_set_count(lua, "offset", at->offset);
    sw_lua_set_count(lua, "size", b->size);
    sw_lua_set_count(lua, "first", SW_MAX(at->span.from, b->first));
    sw_lua_set_count(lua, "last", SW_MIN(at->span.to, b->last));
}

/* layout:at(buffer[, step]): where it lies, {tier, offset, size, first, last}; nil when it has no
 * place. */
static int layout_at(lua_State *lua) {
    const struct sw_layout *layout = layout_at_self(lua);
    const struct sw_problem *problem = sw_layout_problem(layout);
    uint32_t buffer = sw_lua_check_buffer(lua, 2, problem);
    struct sw_placement at;
    bool found = lua_isnoneornil(lua, 3) ? sw_layout_placement(layout, buffer, 0, &at)
                                         : sw_layout_at(layout, buffer, optional_step(lua, 3, problem), &at);
    if (!found) {
        lua_pushnil(lua);
        return 1;
    }
    push_placement(lua, problem, &at);
    return 1;
}

/* layout:blocks(tier, step): what lies there then, by offset of birth order. */
static int layout_blocks(lua_State *lua) {
    const struct sw_layout *layout = layout_at_self(lua);
    const struct sw_problem *problem = sw_layout_problem(layout);
    uint32_t tier = sw_lua_check_tier(lua, 2, problem), step = optional_step(lua, 3, problem);
    uint32_t planned = sw_problem_planned_count(problem);
    lua_Integer count = 0;
    lua_newtable(lua);
    for (uint32_t i = 0; i < planned; i++) {
        uint32_t buffer = sw_problem_order(problem)[i];
        const struct sw_buffer *b = sw_problem_buffer(problem, buffer);
        struct sw_placement at;
        if (b->first > step) {
            break; /* program order: the others are born later still */
        }
        if (b->last >= step && sw_layout_at(layout, buffer, step, &at) && at.tier == tier) {
            push_placement(lua, problem, &at);
            lua_rawseti(lua, -2, ++count);
        }
    }
    sw_script_charge(lua, planned / 4);
    return 1;
}

/* layout:free(buffer, tier[, first, last]): the free spaces {lo, hi (nil: no end), start} that the
 * buffer sees there, over its life or the given steps. It does not see itself. */
static int layout_free(lua_State *lua) {
    const struct sw_layout *layout = layout_at_self(lua);
    const struct sw_problem *problem = sw_layout_problem(layout);
    uint32_t buffer = sw_lua_check_buffer(lua, 2, problem);
    uint32_t tier = sw_lua_check_tier(lua, 3, problem);
    struct sw_span span = SW_WHOLE_LIFE;
    if (!sw_problem_buffer(problem, buffer)->planned) {
        return luaL_error(lua, "%s is not planned: it has no place", sw_sandbox_text(lua, 2));
    }
    if (!lua_isnoneornil(lua, 4)) {
        span.from = optional_step(lua, 4, problem);
        span.to = optional_step(lua, 5, problem);
    }
    struct sw_gaps *gaps = &sw_script_of(lua)->gaps;
    uint64_t before = gaps->visited;
    sw_script_check_memory(
        lua, sw_gaps_find(gaps, layout, NULL, buffer, span, tier, sw_problem_tier(problem, tier)->capacity));
    size_t count = gaps->gaps.count;
    sw_script_charge(lua, gaps->visited - before + count);
    lua_createtable(lua, (int)count, 0);
    for (size_t i = 0; i < count; i++) {
        const struct sw_gap *gap = &gaps->gaps.items[i];
        lua_createtable(lua, 0, 3);
        sw_lua_set_count(lua, "lo", gap->lo);
        sw_lua_set_count(lua, "start", gap->start);
        if (gap->hi != SW_UNBOUNDED) {
            sw_lua_set_count(lua, "hi", gap->hi);
        }
        lua_rawseti(lua, -2, (lua_Integer)i + 1);
    }
    return 1;
}

/* layout:peak([tier]): the highest end in a tier, or in any. */
static int layout_peak(lua_State *lua) {
    const struct sw_layout *layout = layout_at_self(lua);
    const struct sw_problem *problem = sw_layout_problem(layout);
    bool all = lua_isnoneornil(lua, 2);
    uint32_t tier = all ? 0 : sw_lua_check_tier(lua, 2, problem);
    uint64_t end = sw_layout_arena(layout, tier);
    for (uint32_t t = 1; all && t < sw_problem_tier_count(problem); t++) {
        end = SW_MAX(sw_layout_arena(layout, t), end);
    }
    lua_pushinteger(lua, (lua_Integer)end);
    return 1;
}

void sw_lua_push_transfers(lua_State *lua, const struct sw_layout *layout) {
    const struct sw_problem *problem = sw_layout_problem(layout);
    size_t count = sw_layout_transfer_count(layout);
    lua_createtable(lua, (int)count, 0);
    for (size_t i = 0; i < count; i++) {
        struct sw_transfer t = sw_layout_transfer_get(layout, i);
        lua_createtable(lua, 0, 4);
        set_field_text(lua, "buffer", sw_problem_buffer(problem, t.buffer)->name);
        sw_lua_set_count(lua, "step", t.step);
        set_field_text(lua, "from", t.from == SW_NONE ? NULL : sw_problem_tier(problem, t.from)->name);
        set_field_text(lua, "to", t.to == SW_NONE ? NULL : sw_problem_tier(problem, t.to)->name);
        lua_rawseti(lua, -2, (lua_Integer)i + 1);
    }
    sw_script_charge(lua, count);
}

/* layout:transfers(), layout:placements(), layout:problem() */
static int layout_transfers(lua_State *lua) {
    sw_lua_push_transfers(lua, layout_at_self(lua));
    return 1;
}

void sw_lua_push_placements(lua_State *lua, const struct sw_layout *layout) {
    const struct sw_problem *problem = sw_layout_problem(layout);
    uint32_t planned = sw_problem_planned_count(problem);
    lua_Integer count = 0;
    lua_createtable(lua, (int)planned, 0);
    for (uint32_t i = 0; i < planned; i++) {
        struct sw_placement at;
        uint32_t buffer = sw_problem_order(problem)[i];
        for (uint32_t k = 0; sw_layout_placement(layout, buffer, k, &at); k++) {
            push_placement(lua, problem, &at);
            lua_rawseti(lua, -2, ++count);
        }
    }
    sw_script_charge(lua, planned);
}

static int layout_placements(lua_State *lua) {
    sw_lua_push_placements(lua, layout_at_self(lua));
    return 1;
}

bool sw_lua_writes(const struct sw_problem *problem, uint32_t buffer, uint32_t step) {
    return step < sw_problem_operator_count(problem) ? sw_problem_writes(problem, step, buffer)
                                                     : sw_problem_buffer(problem, buffer)->first == step;
}

/* The accesses of one buffer at a step: appends {buffer, tier, offset, size, write} for each. */
static void push_accesses(lua_State *lua, const struct sw_layout *layout, uint32_t buffer, uint32_t step,
                          lua_Integer *count) {
    const struct sw_problem *problem = sw_layout_problem(layout);
    const struct sw_buffer *b = sw_problem_buffer(problem, buffer);
    uint32_t low = 0, high = b->access_count;
    struct sw_placement at;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (b->accesses[middle] < step) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    for (; low < b->access_count && b->accesses[low] == step; low++) {
        if (sw_layout_at(layout, buffer, step, &at)) {
            lua_createtable(lua, 0, 5);
            set_field_text(lua, "buffer", b->name);
            set_field_text(lua, "tier", sw_problem_tier(problem, at.tier)->name);
            sw_lua_set_count(lua, "offset", at.offset);
            sw_lua_set_count(lua, "size", b->size);
            sw_lua_set_truth(lua, "write", sw_lua_writes(problem, buffer, step));
            lua_rawseti(lua, -2, ++*count);
        }
    }
}

/* layout:accesses(step): what is read and written then, one element per access. */
static int layout_accesses(lua_State *lua) {
    const struct sw_layout *layout = layout_at_self(lua);
    const struct sw_problem *problem = sw_layout_problem(layout);
    uint32_t step = optional_step(lua, 2, problem);
    struct sw_neighbors all = sw_problem_alive(problem, step, step);
    uint64_t visited = 0;
    lua_Integer count = 0;
    lua_newtable(lua);
    for (uint32_t b; (b = sw_neighbors_next(&all)) != SW_NONE; visited++) {
        push_accesses(lua, layout, b, step, &count);
    }
    sw_script_charge(lua, visited);
    return 1;
}

static int layout_problem(lua_State *lua) {
    sw_lua_push_problem(lua, sw_layout_problem(layout_at_self(lua)));
    return 1;
}

void sw_lua_push_layout(lua_State *lua, const struct sw_layout *layout) {
    static const luaL_Reg methods[] = {{"at", layout_at},
                                       {"blocks", layout_blocks},
                                       {"free", layout_free},
                                       {"peak", layout_peak},
                                       {"transfers", layout_transfers},
                                       {"problem", layout_problem},
                                       {"placements", layout_placements},
                                       {"accesses", layout_accesses},
                                       {NULL, NULL}};
    luaL_checkstack(lua, 6, NULL);
    struct handle *handle = lua_newuserdatauv(lua, sizeof *handle, 0);
    *handle = (struct handle){layout, sw_script_of(lua)->layouts};
    sw_lua_set_class(lua, "stowage.layout", methods);
    lua_pushvalue(lua, -1);
    lua_rawsetp(lua, LUA_REGISTRYINDEX, &layout_key);
}

void sw_lua_drop_layout(lua_State *lua) {
    sw_script_of(lua)->layouts++;
}

void sw_lua_renew_layout(lua_State *lua, const struct sw_layout *layout) {
    if (lua_rawgetp(lua, LUA_REGISTRYINDEX, &layout_key) == LUA_TUSERDATA) {
        *(struct handle *)lua_touserdata(lua, -1) = (struct handle){layout, sw_script_of(lua)->layouts};
    }
    lua_pop(lua, 1);
}
