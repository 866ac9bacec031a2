/* What graph:plan{give = {"blame"}} gives back: why the peak is where it is and why the bound is, as figures. The same
 * questions, to the same functions, as the pane `blame` asks. */
#include "lua/experiments/demands.h"
#include "lua/sandbox/lua_internal.h"
#include "search/result/run_plan.h"
#include "view/blame/blame.h"

/* Blocks that hold it up: they conflict with it and begin below it, by offset as they come. */
static void push_below(lua_State *lua, const struct sw_search *search, const struct sw_peak *set) {
    const struct sw_problem *problem = sw_search_problem(search);
    struct sw_neighbors near = sw_problem_neighbors(problem, set->buffer);
    lua_Integer count = 0;
    lua_newtable(lua);
    for (uint32_t b; (b = sw_neighbors_next(&near)) != SW_NONE;) {
        struct sw_placement place;
        if (!sw_layout_placement(sw_search_layout(search), b, 0, &place) || place.tier != set->tier ||
            place.offset >= set->offset || sw_problem_buffer(problem, b)->size == 0 ||
            sw_problem_conflict(problem, set->buffer, b) == SW_CONFLICT_NONE) {
            continue;
        }
        lua_createtable(lua, 0, 3);
        sw_lua_set_text(lua, "buffer", sw_problem_buffer(problem, b)->name);
        sw_lua_set_count(lua, "offset", place.offset);
        sw_lua_set_count(lua, "size", sw_problem_buffer(problem, b)->size);
        lua_rawseti(lua, -2, ++count);
    }
    lua_setfield(lua, -2, "below");
}

/* Why it does not lie lower, in one word, with the figures that say so. */
static const char *cause(lua_State *lua, const struct sw_search *search, const struct sw_peak *set,
                         struct sw_gaps *gaps) {
    const struct sw_layout *layout = sw_search_layout(search);
    const struct sw_rules *rules = sw_search_rules(search);
    uint64_t size = sw_problem_buffer(sw_search_problem(search), set->buffer)->size;
    struct sw_room lower, below;
    struct sw_pin pin;
    if (sw_rules_pin(sw_search_problem(search), rules, set->buffer, &pin)) {
        return "pinned";
    }
    if (set->offset == 0) {
        return "at the bottom";
    }
    if (!sw_blame_room(gaps, layout, rules, set->buffer, set->tier, set->offset + size - 1, &lower) ||
        !sw_blame_room(gaps, layout, rules, set->buffer, set->tier, set->offset, &below)) {
        return NULL;
    }
    sw_lua_set_count(lua, "free_below", below.all);
    sw_lua_set_count(lua, "largest_hole", below.largest);
    if (lower.fits) {
        sw_lua_set_count(lua, "fits_at", lower.place);
        return "could move down";
    }
    return below.largest >= size ? "alignment" : below.all >= size ? "fragmentation" : "no room";
}

static void push_peak(lua_State *lua, const struct sw_search *search) {
    const struct sw_problem *problem = sw_search_problem(search);
    const struct sw_decision *decision;
    struct sw_gaps gaps = {0};
    struct sw_peak set;
    sw_search_peak(search, sw_search_layout(search), &set);
    decision = sw_search_journal(search, set.step);
    sw_lua_set_count(lua, "peak", set.bytes);
    if (set.step > 0) {
        sw_lua_set_count(lua, "decision", set.step);
    }
    if (decision) {
        char reason[SW_REASON];
        sw_lua_set_text(lua, "reason", sw_decision_reason(decision, reason));
    }
    if (set.step == 0 || set.buffer == SW_NONE) {
        sw_lua_set_text(lua, "cause", set.step == 0 ? "moved by hand" : "reserved");
        return;
    }
    sw_lua_set_text(lua, "buffer", sw_problem_buffer(problem, set.buffer)->name);
    sw_lua_set_text(lua, "tier", sw_problem_tier(problem, set.tier)->name);
    sw_lua_set_count(lua, "offset", set.offset);
    sw_lua_set_count(lua, "size", sw_problem_buffer(problem, set.buffer)->size);
    push_below(lua, search, &set);
    const char *why = cause(lua, search, &set, &gaps);
    sw_gaps_done(&gaps);
    sw_script_check_memory(lua, why);
    sw_lua_set_text(lua, "cause", why);
}

/* What is alive where the bound is met. On several cores the bound is a set of buffers that all conflict. */
static void push_bound(lua_State *lua, const struct sw_problem *problem) {
    uint32_t step = sw_problem_bound_step(problem), clique = 0;
    const uint32_t *members = sw_problem_bound_clique(problem, &clique);
    lua_createtable(lua, 0, 4);
    sw_lua_set_count(lua, "bytes", sw_problem_lower_bound(problem));
    if (!members) {
        lua_pushinteger(lua, sw_problem_time(problem, step));
        lua_setfield(lua, -2, "time");
        if (step < sw_problem_operator_count(problem)) {
            sw_lua_set_text(lua, "operator", sw_problem_operator(problem, step)->name);
        }
    }
    lua_newtable(lua);
    lua_Integer count = 0;
    struct sw_neighbors alive = sw_problem_alive(problem, step, step);
    for (uint32_t i = 0;; i++) {
        uint32_t b = members ? i < clique ? members[i] : SW_NONE : sw_neighbors_next(&alive);
        if (b == SW_NONE) {
            break;
        }
        lua_pushstring(lua, sw_problem_buffer(problem, b)->name);
        lua_rawseti(lua, -2, ++count);
    }
    lua_setfield(lua, -2, "alive");
    lua_setfield(lua, -2, "bound");
}

void sw_give_blame(lua_State *lua, const struct sw_search *search) {
    struct sw_metrics metrics;
    sw_metrics_of(sw_search_layout(search), &metrics);
    lua_createtable(lua, 0, 12);
    if (metrics.placed > 0) {
        push_peak(lua, search);
    }
    push_bound(lua, sw_search_problem(search));
    sw_script_charge(lua, 1000);
}
