#include "view/suggest/suggest_words.h"
#include "base/base.h"
#include "planners/planner.h"

#include <ctype.h>

/* ---- as commands ---- */

/* A name as a word of a command: in quotes where it would not be one word. */
static void put_word(const char *name, struct sw_sink *out) {
    bool plain = *name != '\0';
    for (const char *at = name; *at; at++) {
        plain = plain && (isalnum((unsigned char)*at) || strchr("_-./:", *at));
    }
    if (plain) {
        sw_sink_printf(out, "%s", name);
    } else {
        sw_sink_quoted(out, name);
    }
}

static void put_buffer(const struct sw_problem *problem, uint32_t buffer, struct sw_sink *out) {
    put_word(sw_problem_buffer(problem, buffer)->name, out);
}

static void put_tier(const struct sw_problem *problem, uint32_t tier, struct sw_sink *out) {
    if (sw_problem_tier_count(problem) > 1) {
        sw_sink_add(out, " ", 1);
        put_word(sw_problem_tier(problem, tier)->name, out);
    }
}

void sw_suggest_put_demand(const struct sw_problem *problem, uint64_t base, const struct sw_override *demand,
                           struct sw_sink *out) {
    if (demand->kind == SW_OVERRIDE_CHOOSE) {
        sw_sink_printf(out, "choose %" PRIu32, demand->choice + 1);
        return;
    }
    sw_sink_printf(out, demand->kind == SW_OVERRIDE_PIN ? "pin " : "forbid ");
    put_buffer(problem, demand->buffer, out);
    if (demand->kind == SW_OVERRIDE_PIN) {
        sw_sink_printf(out, " %" PRIu64, demand->offset + base);
    } else {
        sw_sink_printf(out, " %" PRIu64 " %" PRIu64, demand->lo + base, demand->hi + base);
    }
    put_tier(problem, demand->tier, out);
}

static void put_edit(const struct sw_problem *problem, const struct sw_edit *edit, struct sw_sink *out) {
    switch (edit->kind) {
    case SW_EDIT_MOVE:
        sw_sink_printf(out, "reorder ");
        put_word(sw_problem_operator(problem, edit->step)->name, out);
        sw_sink_add(out, " ", 1);
        put_word(sw_problem_operator(problem, edit->to)->name, out);
        break;
    case SW_EDIT_INPLACE:
        sw_sink_printf(out, "overwrite ");
        put_buffer(problem, edit->other, out);
        sw_sink_add(out, " ", 1);
        put_buffer(problem, edit->buffer, out);
        break;
    case SW_EDIT_SPILL:
    case SW_EDIT_RECOMPUTE:
    case SW_EDIT_INPLACE_MARKED:
        sw_sink_printf(out, edit->kind == SW_EDIT_SPILL ? "spill " : "recompute ");
        put_buffer(problem, edit->buffer, out);
        sw_sink_printf(out, " %" PRIu32, edit->step);
        break;
    }
}

void sw_suggest_put_commands(const struct sw_search *run, uint64_t base, const struct sw_suggestion *of,
                             const char *separator, struct sw_sink *out) {
    const struct sw_problem *problem = sw_search_given(run);
    size_t demands;
    sw_search_recipe(run, &demands);
    if (of->count > 0) { /* a candidate is chosen at its decision, all else before it */
        bool chosen = of->overrides[0].kind == SW_OVERRIDE_CHOOSE;
        sw_sink_printf(out, "goto %" PRIu64 "%s", chosen ? of->before : of->before - 1, separator);
    } else if (demands > 0 && of->kind != SW_SUGGEST_CONTINUE) {
        sw_sink_printf(out, "last%s", separator); /* what was demanded on the way holds there */
    }
    for (size_t i = 0; i < of->count; i++) {
        sw_sink_printf(out, "%s", i > 0 ? separator : "");
        sw_suggest_put_demand(problem, base, &of->overrides[i], out);
    }
    if (of->kind == SW_SUGGEST_REORDER) {
        sw_sink_printf(out, "reorder auto");
    } else if (of->kind == SW_SUGGEST_CONTINUE) {
        sw_sink_printf(out, "continue-with %s %" PRIu64, of->planner->name, of->before - 1);
    } else if (of->kind == SW_SUGGEST_PLANNER) {
        sw_sink_printf(out, "planner %s", of->planner->name);
    } else if (of->kind == SW_SUGGEST_SETTING) {
        sw_sink_printf(out, "set %s=%s", of->key, of->value);
    } else if (of->count == 0) {
        put_edit(problem, &of->edit, out);
    }
}

/* ---- as a phrase ---- */

static const char *op_at(const struct sw_problem *problem, uint32_t op) {
    return sw_problem_operator(problem, op)->name;
}

static void put_step(const struct sw_problem *problem, uint32_t step, struct sw_sink *out) {
    if (step < sw_problem_operator_count(problem)) {
        sw_sink_printf(out, "%s (step %" PRIu32 ")", op_at(problem, step), step);
    } else {
        sw_sink_printf(out, "step %" PRIu32, step);
    }
}

static void put_edit_phrase(const struct sw_problem *problem, const struct sw_edit *edit, struct sw_sink *out) {
    uint32_t from = 0, to = 0;
    if (edit->kind == SW_EDIT_MOVE) {
        sw_sink_printf(out, "%s moved from step %" PRIu32 " to step %" PRIu32, op_at(problem, edit->step), edit->step,
                       edit->to);
        return;
    }
    const char *name = sw_problem_buffer(problem, edit->buffer)->name;
    if (edit->kind == SW_EDIT_INPLACE) {
        sw_sink_printf(out, "%s written over %s by %s", name, sw_problem_buffer(problem, edit->other)->name,
                       op_at(problem, edit->step));
        return;
    }
    sw_problem_waits(problem, edit->buffer, edit->step, &from, &to);
    if (edit->kind == SW_EDIT_SPILL) {
        sw_sink_printf(out, "%s spilled between ", name);
        put_step(problem, from, out);
        sw_sink_printf(out, " and ");
    } else {
        sw_sink_printf(out, "%s recomputed for ", name);
    }
    put_step(problem, to, out);
}

void sw_suggest_put_phrase(const struct sw_search *run, uint64_t base, const struct sw_suggestion *of,
                           struct sw_sink *out) {
    const struct sw_problem *problem = sw_search_given(run);
    for (size_t i = 0; i < of->count; i++) {
        const struct sw_override *demand = &of->overrides[i];
        sw_sink_printf(out, "%s", i > 0 ? " and " : "");
        if (demand->kind == SW_OVERRIDE_CHOOSE) {
            sw_sink_printf(out, "candidate %" PRIu32 " at decision %" PRIu64, demand->choice + 1, of->before);
            return;
        }
        const char *name = sw_problem_buffer(problem, demand->buffer)->name;
        if (demand->kind == SW_OVERRIDE_PIN) {
            sw_sink_printf(out, "%s at %" PRIu64, name, demand->offset + base);
        } else {
            sw_sink_printf(out, "%s not in %" PRIu64 "..%" PRIu64, name, demand->lo + base, demand->hi + base);
        }
    }
    if (of->count > 0) {
        sw_sink_printf(out, ", before decision %" PRIu64, of->before);
    } else if (of->kind == SW_SUGGEST_REORDER) {
        sw_sink_printf(out, "all operators in a better order");
    } else if (of->kind == SW_SUGGEST_CONTINUE) {
        sw_sink_printf(out, "%s from before decision %" PRIu64 " on", of->planner->name, of->before);
    } else if (of->kind == SW_SUGGEST_PLANNER) {
        sw_sink_printf(out, "planner %s", of->planner->name);
    } else if (of->kind == SW_SUGGEST_SETTING) {
        sw_sink_printf(out, "%s %s", of->key, of->value);
    } else {
        put_edit_phrase(problem, &of->edit, out);
    }
}

const char *sw_suggest_goal_name(const struct sw_suggest_state *state) {
    static const char *const names[] = {
        [SW_OBJECTIVE_PEAK] = "peak", [SW_OBJECTIVE_COST] = "cost", [SW_OBJECTIVE_MOVED] = "moved"};
    return names[state->minimizes];
}

static void put_goal_value(enum sw_objective_kind kind, double value, struct sw_sink *out) {
    if (kind == SW_OBJECTIVE_COST) {
        sw_sink_printf(out, "%.6g", value);
    } else {
        sw_sink_printf(out, "%s", SW_BYTES((uint64_t)value));
    }
}

void sw_suggest_put_goal(const struct sw_suggest_state *state, struct sw_sink *out) {
    if (state->minimizes != SW_OBJECTIVE_PEAK) {
        bool cost = state->minimizes == SW_OBJECTIVE_COST;
        sw_sink_printf(out, "The planner minimizes %s", cost ? "E" : "the bytes moved");
        if (state->ended) {
            sw_sink_printf(out, " (here ");
            put_goal_value(state->minimizes, state->goal, out);
            sw_sink_printf(out, ")");
        }
        sw_sink_printf(out, ", not the peak: moves that raise %s are left out.", cost ? "E" : "them");
    }
}

static void put_own_price(const struct sw_problem *problem, const struct sw_suggestion *of, struct sw_sink *out) {
    if (of->kind == SW_SUGGEST_SPILL && of->moved > 0) {
        sw_sink_printf(out, "moves %s bytes out and in", SW_COUNT(of->moved));
    } else if (of->kind == SW_SUGGEST_RECOMPUTE) {
        sw_sink_printf(out, "%s runs twice", op_at(problem, of->again));
        if (of->held > 0) {
            sw_sink_printf(out, "; %s bytes of what it reads live longer", SW_COUNT(of->held));
        }
    } else if (of->kind == SW_SUGGEST_INPLACE &&
               !sw_operator_marked(sw_problem_operator(problem, of->edit.step), of->edit.buffer, of->edit.other)) {
        sw_sink_printf(out, "the kernel of %s must be able to work in place", op_at(problem, of->edit.step));
    }
}

void sw_suggest_put_price(const struct sw_suggest *found, const struct sw_suggestion *of, struct sw_sink *out) {
    struct sw_suggest_state state;
    sw_suggest_state_of(found, &state);
    size_t before = out->text.count;
    put_own_price(sw_search_given(sw_suggest_run(found)), of, out);
    if (!isnan(of->goal)) {
        bool cost = state.minimizes == SW_OBJECTIVE_COST;
        sw_sink_printf(out, "%s%s", out->text.count > before ? "; " : "", cost ? "E " : "bytes moved: ");
        put_goal_value(state.minimizes, of->goal, out);
        sw_sink_printf(out, ", before ");
        put_goal_value(state.minimizes, state.goal, out);
    }
}

/* ---- why it helps ---- */

/* All that the sentence is made of. */
struct why_told {
    const struct sw_problem *problem; /* of the run: where it reorders, its steps are those of its order */
    const struct sw_suggestion *of;
    const struct sw_suggest_why *why;
    uint64_t base;
    struct sw_sink *out;
};

static const char *name_in_why(const struct why_told *told, uint32_t buffer) {
    return sw_problem_buffer(told->problem, buffer)->name;
}

/* A block of the finished plan with the move, which may be one that the move added. */
static const struct sw_buffer *made_block(const struct why_told *told, uint32_t buffer) {
    return sw_problem_buffer(told->of->made ? told->of->made : told->problem, buffer);
}

static void put_where(const struct why_told *told, const struct sw_buffer *buffer, uint64_t offset) {
    uint64_t lo = offset + told->base;
    sw_sink_printf(told->out, "%s (%s..%s)", buffer->name, SW_COUNT(lo), SW_COUNT(lo + buffer->size));
}

static void put_more(uint32_t with, struct sw_sink *out) {
    if (with > 0) {
        sw_sink_printf(out, " and %s", SW_COUNTED(with, "more block"));
    }
}

/* What it lay on, and what was unused below it. */
static void put_was(const struct why_told *told) {
    const struct sw_suggest_why *why = told->why;
    const struct sw_why_place *was = &why->was;
    put_where(told, sw_problem_buffer(told->problem, why->block), was->offset);
    put_more(why->with, told->out);
    sw_sink_printf(told->out, "%s", why->ends ? " set the peak" : " lay highest, and the peak is that rounded up");
    if (was->below != SW_NONE) {
        sw_sink_printf(told->out, ": %s lay on %s", why->with > 0 ? name_in_why(told, why->block) : "it",
                       name_in_why(told, was->below));
        if (was->meet != SW_NONE) {
            bool op = was->meet < sw_problem_operator_count(told->problem);
            sw_sink_printf(told->out, " (both alive at %s%sstep %" PRIu32 ")",
                           op ? op_at(told->problem, was->meet) : "", op ? ", " : "", was->meet);
        }
        if (why->links == 2) {
            sw_sink_printf(told->out, ", which lay on %s", name_in_why(told, why->mover));
        } else if (why->links > 2) {
            sw_sink_printf(told->out, ", and %" PRIu32 " blocks further down lay %s", why->links - 1,
                           name_in_why(told, why->mover));
        }
    }
    if (was->step != SW_NONE && was->offset > 0) {
        sw_sink_printf(told->out, was->below != SW_NONE ? ", and " : ": ");
        sw_sink_printf(told->out, "%s of the bytes below it were unused ",
                       was->unused > 0 ? SW_COUNT(was->unused) : "none");
        if (was->step == was->meet) {
            sw_sink_printf(told->out, "then");
        } else {
            sw_sink_printf(told->out, "at ");
            put_step(told->problem, was->step, told->out);
        }
    }
}

/* "with conv_1_out at 0 and image at 18,432": the block at the peak is told of later. */
static void put_demands(const struct why_told *told) {
    const char *before = "with ";
    for (size_t i = 0; i < told->of->count; i++) {
        const struct sw_override *demand = &told->of->overrides[i];
        uint32_t buffer = demand->kind == SW_OVERRIDE_CHOOSE ? told->why->mover : demand->buffer;
        if (buffer == SW_NONE || buffer == told->why->block) {
            continue;
        }
        sw_sink_printf(told->out, "%s%s", before, name_in_why(told, buffer));
        if (demand->kind == SW_OVERRIDE_PIN) {
            sw_sink_printf(told->out, " at %s", SW_COUNT(demand->offset + told->base));
        } else if (demand->kind == SW_OVERRIDE_FORBID) {
            sw_sink_printf(told->out, " kept out of %s..%s", SW_COUNT(demand->lo + told->base),
                           SW_COUNT(demand->hi + told->base));
        } else {
            sw_sink_printf(told->out, " placed otherwise");
        }
        if (demand->kind != SW_OVERRIDE_PIN && told->why->mover_placed) {
            sw_sink_printf(told->out, " (now at %s)", SW_COUNT(told->why->mover_now + told->base));
        }
        before = " and ";
    }
    sw_sink_printf(told->out, "%s", *before == ' ' ? " " : "");
}

/* "with the change ": what the move is. */
static void put_made_move(const struct why_told *told) {
    const struct sw_suggestion *of = told->of;
    switch (of->kind) {
    case SW_SUGGEST_PIN:
    case SW_SUGGEST_PINS:
    case SW_SUGGEST_FORBID:
    case SW_SUGGEST_CHOOSE:
        put_demands(told);
        break;
    case SW_SUGGEST_MOVE:
        sw_sink_printf(told->out, "with %s at step %" PRIu32 " ", op_at(told->problem, of->edit.step), of->edit.to);
        break;
    case SW_SUGGEST_REORDER:
        sw_sink_printf(told->out, "in the new order ");
        break;
    case SW_SUGGEST_INPLACE:
        sw_sink_printf(told->out, "with %s %s %s ", name_in_why(told, of->edit.buffer),
                       told->why->over ? "written over" : "allowed over", name_in_why(told, of->edit.other));
        break;
    case SW_SUGGEST_SPILL:
        sw_sink_printf(told->out, "with %s spilled ", name_in_why(told, of->edit.buffer));
        break;
    case SW_SUGGEST_RECOMPUTE:
        sw_sink_printf(told->out, "with %s recomputed ", name_in_why(told, of->edit.buffer));
        break;
    case SW_SUGGEST_SETTING:
        sw_sink_printf(told->out, "with %s=%s ", of->key, of->value);
        break;
    case SW_SUGGEST_CONTINUE:
    case SW_SUGGEST_PLANNER:
        sw_sink_printf(told->out, "under %s ", of->planner->name);
        break;
    case SW_SUGGEST_KINDS:
        break;
    }
}

/* Where it lies now, and what is due to another lifetime. */
static void put_now(const struct why_told *told, const struct sw_suggest_state *state) {
    const struct sw_suggest_why *why = told->why;
    const struct sw_why_place *now = &why->now;
    bool changed = told->of->kind >= SW_SUGGEST_MOVE && told->of->kind <= SW_SUGGEST_RECOMPUTE;
    if (!now->placed) {
        sw_sink_printf(told->out, "it is not in memory then");
        return;
    }
    sw_sink_printf(told->out, "it lies at %s", SW_COUNT(now->offset + told->base));
    if (now->tier != state->tier) {
        sw_sink_printf(told->out, " of %s", sw_problem_tier(told->problem, now->tier)->name);
    }
    if (now->below != SW_NONE) {
        sw_sink_printf(told->out, " on %s", made_block(told, now->below)->name);
    }
    if (why->parted != SW_NONE) {
        sw_sink_printf(told->out, ", %s is no longer alive with it", name_in_why(told, why->parted));
    } else if (changed && now->step != SW_NONE && now->live < why->was.live) {
        sw_sink_printf(told->out, ", no more than %s bytes are alive during its life, before %s", SW_COUNT(now->live),
                       SW_COUNT(why->was.live));
    } else if (!changed && now->step != SW_NONE && now->offset > 0) {
        sw_sink_printf(told->out, ", with %s unused below it then", now->unused > 0 ? SW_COUNT(now->unused) : "none");
    }
}

void sw_suggest_put_why(const struct sw_suggest *found, uint64_t base, const struct sw_suggestion *of,
                        struct sw_sink *out) {
    const struct sw_suggest_why *why = &of->why;
    struct sw_suggest_state state;
    sw_suggest_state_of(found, &state);
    struct why_told told = {sw_search_problem(sw_suggest_run(found)), of, why, base, out};
    if (!state.ended) {
        return;
    }
    if (why->block == SW_NONE) {
        sw_sink_printf(out, "%s of the addresses are used by no block at any time, before %s",
                       SW_COUNT(why->stretch_now), SW_COUNT(why->stretch));
        return;
    }
    put_was(&told);
    sw_sink_printf(out, "; ");
    put_made_move(&told);
    put_now(&told, &state);
    if (why->top_ends && why->top == why->block) {
        sw_sink_printf(out, ", and still sets the peak");
    } else if (why->top_ends) {
        sw_sink_printf(out, ", and the peak is set by ");
        put_where(&told, made_block(&told, why->top), why->top_offset);
        put_more(why->top_with, out);
    }
}

void sw_suggest_put_elsewhere(const struct sw_suggest *found, const struct sw_suggestion *of, struct sw_sink *out) {
    const struct sw_problem *problem = sw_search_problem(sw_suggest_run(found));
    uint32_t others = of->why.others, named = SW_MIN(others, SW_WHY_MOVED);
    sw_sink_printf(out, "%s %s elsewhere", SW_COUNTED(others, "block"), others == 1 ? "lies" : "lie");
    for (uint32_t i = 0; i < named; i++) {
        sw_sink_printf(out, "%s%s", i > 0 ? ", " : ": ", sw_problem_buffer(problem, of->why.moved[i])->name);
    }
    if (others > named) {
        sw_sink_printf(out, ", +%" PRIu32 " more", others - named);
    }
}

/* ---- what was tried ---- */

bool sw_suggest_any_tried(const struct sw_suggest_state *state) {
    for (int k = 0; k < SW_SUGGEST_KINDS; k++) {
        if (state->tried[k] > 0) {
            return true;
        }
    }
    return false;
}

void sw_suggest_put_tried(const struct sw_suggest_state *state, struct sw_sink *out) {
    uint64_t all = 0;
    const char *before = ": ";
    for (int k = 0; k < SW_SUGGEST_KINDS; k++) {
        all += state->tried[k];
    }
    sw_sink_printf(out, "%s move%s tried", SW_COUNT(all), all == 1 ? " was" : "s were");
    for (enum sw_suggest_kind k = SW_SUGGEST_PIN; k < SW_SUGGEST_KINDS; k++) {
        if (state->tried[k] > 0) {
            sw_sink_printf(out, "%s%s %s", before, sw_suggest_kind_name(k), SW_COUNT(state->tried[k]));
            before = ", ";
        }
    }
}
