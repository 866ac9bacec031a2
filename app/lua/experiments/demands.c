/* What an experiment demands of a run, as the explorer's pin, forbid and choose do, and the lists it may ask for. */
#include "lua/experiments/demands.h"
#include "base/base.h"
#include "base/sort.h"

#include "lua/sandbox/lua_internal.h"
#include "lua/values.h"

void sw_demands_done(struct sw_demands *demands) {
    SW_ARRAY_DONE(&demands->list);
}

static void expect_demand(lua_State *lua, bool good, const char *what) {
    if (!good) {
        luaL_error(lua, "graph:plan: %s", what);
    }
}

static void add_run_demand(lua_State *lua, struct sw_demands *demands, struct sw_override demand, uint64_t step) {
    sw_script_check_memory(lua, SW_PUSH(&demands->list, (struct sw_lua_demand){demand, step, demands->list.count}));
}

/* In the order of the model, whatever order the table has. */
SW_BY_FIELDS(by_place_in_run, struct sw_lua_demand, SW_UP(step), SW_UP(what.kind), SW_UP(what.buffer), SW_UP(what.lo),
             SW_UP(number))

/* Where a demand that names no tier is meant: the first tier that the buffer may live in. */
static uint32_t home_of(const struct sw_problem *problem, uint32_t buffer) {
    const struct sw_buffer *about = buffer == SW_NONE ? NULL : sw_problem_buffer(problem, buffer);
    return !about                   ? 0
           : about->tier != SW_NONE ? about->tier
           : about->tiers           ? (uint32_t)__builtin_ctzll(about->tiers)
                                    : 0;
}

/* The field `tier` of the table at `index`. */
static uint32_t tier_at(lua_State *lua, int index, const struct sw_problem *problem, uint32_t buffer) {
    bool named = lua_getfield(lua, index, "tier") != LUA_TNIL;
    uint32_t tier = named ? sw_lua_check_tier(lua, lua_gettop(lua), problem) : home_of(problem, buffer);
    lua_pop(lua, 1);
    return tier;
}

/* Push the table in the field `name` of the options. False, with nothing pushed: it is not there. Raises `what` it is.
 */
static bool push_demands(lua_State *lua, int options, const char *name, const char *what) {
    if (lua_getfield(lua, options, name) == LUA_TNIL) {
        lua_pop(lua, 1);
        return false;
    }
    expect_demand(lua, lua_istable(lua, -1), what);
    return true;
}

/* pins = {name = offset, name = {offset =, tier =}} */
static void read_pins(lua_State *lua, int options, const struct sw_problem *problem, struct sw_demands *demands) {
    if (!push_demands(lua, options, "pins", "pins is a table: {NAME = OFFSET, ...}")) {
        return;
    }
    lua_pushnil(lua);
    while (lua_next(lua, -2)) {
        struct sw_override demand = {.kind = SW_OVERRIDE_PIN};
        demand.buffer = sw_lua_check_buffer(lua, lua_gettop(lua) - 1, problem);
        if (lua_istable(lua, -1)) {
            demand.offset = sw_lua_field_bytes(lua, lua_gettop(lua), "offset");
            demand.tier = tier_at(lua, lua_gettop(lua), problem, demand.buffer);
        } else {
            demand.offset = sw_lua_check_bytes(lua, -1);
            demand.tier = home_of(problem, demand.buffer);
        }
        add_run_demand(lua, demands, demand, 0);
        lua_pop(lua, 1);
    }
    lua_pop(lua, 1);
}

/* forbid = {{lo =, hi =, buffer =, tier =}, ...}; without a buffer: for all. */
static void read_ranges(lua_State *lua, int options, const struct sw_problem *problem, struct sw_demands *demands) {
    static const char what[] = "forbid is a list: {{lo =, hi =, buffer =, tier =}, ...}";
    if (!push_demands(lua, options, "forbid", what)) {
        return;
    }
    lua_Integer count = (lua_Integer)lua_rawlen(lua, -1);
    for (lua_Integer i = 1; i <= count; i++) {
        struct sw_override demand = {.kind = SW_OVERRIDE_FORBID, .buffer = SW_NONE};
        lua_rawgeti(lua, -1, i);
        expect_demand(lua, lua_istable(lua, -1), what);
        int range = lua_gettop(lua);
        if (lua_getfield(lua, range, "buffer") != LUA_TNIL) {
            demand.buffer = sw_lua_check_buffer(lua, lua_gettop(lua), problem);
        }
        lua_pop(lua, 1);
        demand.lo = sw_lua_field_bytes(lua, range, "lo");
        demand.hi = sw_lua_field_bytes(lua, range, "hi");
        expect_demand(lua, demand.lo < demand.hi, "forbid: a range ends above where it begins");
        demand.tier = tier_at(lua, range, problem, demand.buffer);
        add_run_demand(lua, demands, demand, 0);
        lua_pop(lua, 1);
    }
    lua_pop(lua, 1);
}

/* choose = {[decision] = candidate} */
static void read_choices(lua_State *lua, int options, struct sw_demands *demands) {
    if (!push_demands(lua, options, "choose", "choose is a table: {[DECISION] = CANDIDATE}")) {
        return;
    }
    lua_pushnil(lua);
    while (lua_next(lua, -2)) {
        bool good = lua_isinteger(lua, -2) && lua_isinteger(lua, -1) && lua_tointeger(lua, -2) > 0 &&
                    lua_tointeger(lua, -1) > 0 && lua_tointeger(lua, -1) <= UINT32_MAX;
        expect_demand(lua, good, "choose is a table: {[DECISION] = CANDIDATE}, both from 1");
        add_run_demand(lua, demands,
                       (struct sw_override){.kind = SW_OVERRIDE_CHOOSE,
                                            .buffer = SW_NONE,
                                            .choice = (uint32_t)lua_tointeger(lua, -1) - 1},
                       (uint64_t)lua_tointeger(lua, -2));
        lua_pop(lua, 1);
    }
    lua_pop(lua, 1);
}

void sw_demands_read(lua_State *lua, int options, const struct sw_problem *problem, struct sw_demands *demands) {
    if (options) {
        luaL_checkstack(lua, 10, NULL);
        read_pins(lua, options, problem, demands);
        read_ranges(lua, options, problem, demands);
        read_choices(lua, options, demands);
        if (demands->list.count > 1) {
            qsort(demands->list.items, demands->list.count, sizeof *demands->list.items, by_place_in_run);
        }
    }
}

/* Bring the run to where the decision is the next one, choose, and make it. */
static void make_choice(lua_State *lua, struct sw_search *search, const struct sw_override *demand, uint64_t step) {
    struct sw_error error = {0};
    uint64_t paused = sw_script_pause(lua);
    bool there = sw_search_seek(search, step - 1, &error);
    sw_script_resume(lua, paused);
    sw_script_check(lua, there || !error.code, "", &error);
    if (sw_search_at(search) != step - 1) {
        luaL_error(lua, "choose: there is no decision %I, the run has %I", (LUAI_UACINT)step,
                   (LUAI_UACINT)sw_search_known(search));
    }
    bool chosen = sw_search_force(search, demand, &error);
    /* The engine counts candidates from 0. */
    if (!chosen && strstr(error.message, "does not exist")) {
        luaL_error(lua, "choose: decision %I has no candidate %I", (LUAI_UACINT)step, (LUAI_UACINT)demand->choice + 1);
    }
    if (!chosen && strstr(error.message, "was refused")) {
        luaL_error(lua, "choose: candidate %I of decision %I was refused and cannot be taken",
                   (LUAI_UACINT)demand->choice + 1, (LUAI_UACINT)step);
    }
    sw_script_check(lua, chosen && sw_search_step(search, &error) != SW_STEP_FAILED, "", &error);
}

void sw_demands_make(lua_State *lua, const struct sw_demands *demands, struct sw_search *search) {
    struct sw_error error = {0};
    for (size_t i = 0; i < demands->list.count; i++) {
        const struct sw_lua_demand *demand = &demands->list.items[i];
        if (demand->step > 0) {
            make_choice(lua, search, &demand->what, demand->step);
        } else {
            sw_script_check(lua, sw_search_force(search, &demand->what, &error), "", &error);
        }
    }
}

/* ---- lists ---- */

static const struct {
    const char *word;
    unsigned bit;
} lists[] = {{"placements", SW_GIVE_PLACEMENTS},
             {"overwrites", SW_GIVE_OVERWRITES},
             {"transfers", SW_GIVE_TRANSFERS},
             {"journal", SW_GIVE_JOURNAL},
             {"blame", SW_GIVE_BLAME}};
enum { GIVEN_LISTS = sizeof lists / sizeof *lists };

static unsigned give_bit(lua_State *lua, const char *word) {
    const char *like = NULL;
    for (size_t i = 0; i < GIVEN_LISTS; i++) {
        if (strcmp(lists[i].word, word) == 0) {
            return lists[i].bit;
        }
        like = sw_word_nearer(word, like, lists[i].word);
    }
    return (unsigned)luaL_error(lua,
                                "give: there is no list %s%s%s; there are placements, overwrites, "
                                "transfers, journal, blame",
                                word, like ? ", did you mean " : "", like ? like : "");
}

unsigned sw_give_read(lua_State *lua, int options) {
    unsigned give = 0;
    if (!options || lua_getfield(lua, options, "give") == LUA_TNIL) {
        return 0;
    }
    expect_demand(lua, lua_istable(lua, -1), "give is a list of words");
    for (lua_Integer i = 1; i <= (lua_Integer)lua_rawlen(lua, -1); i++) {
        lua_rawgeti(lua, -1, i);
        expect_demand(lua, lua_type(lua, -1) == LUA_TSTRING, "give is a list of words");
        give |= give_bit(lua, lua_tostring(lua, -1));
        lua_pop(lua, 1);
    }
    lua_pop(lua, 1);
    return give;
}

/* {fresh, old, step}: fresh is written over old by the operator of that step. */
static void push_overwrites(lua_State *lua, const struct sw_layout *layout) {
    const struct sw_problem *problem = sw_layout_problem(layout);
    size_t count = sw_layout_permit_count(layout);
    lua_createtable(lua, (int)count, 0);
    for (size_t i = 0; i < count; i++) {
        struct sw_permit permit = sw_layout_permit_get(layout, i);
        lua_createtable(lua, 0, 3);
        sw_lua_set_text(lua, "fresh", sw_problem_buffer(problem, permit.fresh)->name);
        sw_lua_set_text(lua, "old", sw_problem_buffer(problem, permit.old)->name);
        sw_lua_set_count(lua, "step", permit.step);
        lua_rawseti(lua, -2, (lua_Integer)i + 1);
    }
    sw_script_charge(lua, count);
}

/* Of an operator that may run: its name, and what is alive while it runs and afterwards. */
static void push_operator(lua_State *lua, const struct sw_problem *given, const struct sw_candidate *one) {
    sw_lua_set_text(lua, "operator", sw_problem_operator(given, one->op)->name);
    sw_lua_set_count(lua, "during", one->size);
    sw_lua_set_count(lua, one->backward ? "before" : "after", one->offset);
}

static void push_change(lua_State *lua, const struct sw_problem *given, const struct sw_candidate *one) {
    sw_lua_set_text(lua, "operator", one->op == SW_NONE ? NULL : sw_problem_operator(given, one->op)->name);
    if (one->size != SW_UNBOUNDED) {
        sw_lua_set_count(lua, "needs", one->size);
    }
}

static void push_candidates(lua_State *lua, const struct sw_search *search, const struct sw_explanation *about) {
    const struct sw_problem *problem = sw_search_problem(search);
    lua_createtable(lua, (int)about->candidates.count, 0);
    for (size_t i = 0; i < about->candidates.count; i++) {
        const struct sw_candidate *one = &about->candidates.items[i];
        lua_createtable(lua, 0, 5);
        sw_lua_set_text(lua, "verdict", sw_verdict_word(one->verdict));
        sw_lua_set_text(lua, "tier", one->tier == SW_NONE ? NULL : sw_problem_tier(problem, one->tier)->name);
        if (one->runs) {
            push_operator(lua, sw_search_given(search), one);
        } else if (one->changes) {
            push_change(lua, sw_search_given(search), one);
        } else if (!sw_candidate_only_said(one)) {
            sw_lua_set_count(lua, "offset", one->offset);
            if (one->size != SW_UNBOUNDED) {
                sw_lua_set_count(lua, "size", one->size);
            }
        }
        sw_lua_set_text(lua, "reason", one->reason);
        lua_rawseti(lua, -2, (lua_Integer)i + 1);
    }
    sw_script_charge(lua, about->candidates.count);
}

/* Every decision as the trace has it, its candidates as a list. The run is made once more, with explanations. */
static void push_journal(lua_State *lua, const struct sw_search *search, struct sw_search **scratch,
                         struct sw_explanation *about) {
    struct sw_error error = {0};
    const struct sw_problem *problem = sw_search_problem(search);
    *scratch = sw_search_fork(search, &error);
    sw_script_check(lua, *scratch && sw_search_seek(*scratch, 0, &error), "", &error);
    lua_createtable(lua, (int)sw_search_known(search), 0);
    for (uint64_t i = 1; i <= sw_search_known(search); i++) {
        uint64_t paused = sw_script_pause(lua);
        enum sw_step step = sw_search_step_explained(*scratch, about, &error);
        sw_script_resume(lua, paused);
        sw_script_check(lua, step == SW_STEP_MORE, "", &error);
        sw_lua_push_decision(lua, problem, &about->decision);
        push_candidates(lua, search, about);
        lua_setfield(lua, -2, "candidates");
        lua_rawseti(lua, -2, (lua_Integer)i);
        sw_script_charge(lua, 20);
    }
}

void sw_give_set(lua_State *lua, unsigned give, const struct sw_search *search, struct sw_search **scratch,
                 struct sw_explanation *about) {
    luaL_checkstack(lua, 10, NULL);
    for (size_t i = 0; i < GIVEN_LISTS; i++) {
        if (!(give & lists[i].bit)) {
            continue;
        }
        if (lists[i].bit == SW_GIVE_PLACEMENTS) {
            sw_lua_push_placements(lua, sw_search_layout(search));
        } else if (lists[i].bit == SW_GIVE_TRANSFERS) {
            sw_lua_push_transfers(lua, sw_search_layout(search));
        } else if (lists[i].bit == SW_GIVE_OVERWRITES) {
            push_overwrites(lua, sw_search_layout(search));
        } else if (lists[i].bit == SW_GIVE_BLAME) {
            sw_give_blame(lua, search);
        } else {
            push_journal(lua, search, scratch, about);
        }
        lua_setfield(lua, -2, lists[i].word);
    }
}
