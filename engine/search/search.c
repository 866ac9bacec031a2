/* One run, forward: stepping, overrides, and looking. history.c has the way back. */
#include "search/search_internal.h"
#include "base/base.h"
#include "search/result/curve.h"
#include "planners/recorded/recording.h"

const struct sw_shared_kind sw_recipe_kind = {.size = sizeof(struct sw_recipe_entry)};

/* ---- making and freeing ---- */

/* Scratch is about one problem. */
static void be_about(struct sw_search *search, const struct sw_problem *problem) {
    if (problem != search->problem) {
        search->problem = search->run.problem = problem;
        sw_gaps_done(&search->run.gaps);
        sw_shelf_done(search->run.shelf);
        search->run.gaps = (struct sw_gaps){.visited = search->run.gaps.visited};
    }
}

void sw_search_stand(struct sw_search *search, uint64_t at) {
    const struct sw_problem *problem = search->given;
    for (size_t i = 0; i < search->handed.count && search->handed.items[i].step <= at; i++) {
        problem = search->handed.items[i].problem;
    }
    search->at = at;
    be_about(search, problem);
}

/* Put planner and layout at step 0. */
bool sw_search_reopen(struct sw_search *search, struct sw_error *error) {
    struct sw_layout *layout = sw_layout_new(search->given, error);
    if (!layout) {
        return false;
    }
    sw_layout_free(search->run.layout);
    search->run.layout = layout;
    search->run.choice = -1;
    search->run.work = 0;
    search->run.rules.pins.count = search->run.rules.forbids.count = 0;
    sw_described_close(search->planner->described, search->state);
    search->state = NULL;
    sw_search_stand(search, 0);
    sw_decision_clear(&search->present);
    search->applied = 0;
    search->run.error = error;
    bool open = sw_planner_open(search->planner, &search->run, &search->state);
    search->run.error = NULL;
    return open;
}

struct sw_search *sw_search_blank(const struct sw_problem *problem, const struct sw_planner *planner,
                                  const struct sw_params *params, struct sw_error *error) {
    struct sw_search *search = SW_NEW_ZERO(struct sw_search, 1);
    if (!search) {
        sw_fail_memory(error);
        return NULL;
    }
    search->given = search->problem = sw_problem_ref(problem);
    search->planner = planner;
    search->budget = SW_HISTORY_BUDGET;
    search->spacing = SW_HISTORY_SPACING;
    sw_cow_init(&search->journal, sizeof(struct sw_decision));
    search->run = (struct sw_run){.problem = problem,
                                  .planner = planner,
                                  .params = &search->params,
                                  .shelf = SW_NEW_ZERO(struct sw_shelf, 1),
                                  .choice = -1};
    if (!search->run.shelf || !sw_params_copy(&search->params, params)) {
        sw_search_free(search);
        sw_fail_memory(error);
        return NULL;
    }
    return search;
}

struct sw_search *sw_search_new(const struct sw_problem *problem, const struct sw_planner *planner,
                                const struct sw_params *params, struct sw_error *error) {
    struct sw_params defaults = SW_PARAMS_DEFAULT;
    params = params ? params : &defaults;
    if (!sw_planner_applies(planner, problem, error) || !sw_params_check(params, planner, error)) {
        return NULL;
    }
    const struct sw_problem *origin = sw_problem_origin(problem);
    const struct sw_problem *own = planner->derive ? planner->derive(origin, params, error) : sw_problem_ref(origin);
    struct sw_search *search = own ? sw_search_blank(own, planner, params, error) : NULL;
    sw_problem_unref(own); /* the search has its own reference */
    if (!search) {
        return NULL;
    }
    if (!sw_search_reopen(search, error) || !sw_history_begin(search, error)) {
        sw_search_free(search);
        return NULL;
    }
    return search;
}

void sw_search_free(struct sw_search *search) {
    if (!search) {
        return;
    }
    sw_history_done(search);
    sw_plan_drop(search);
    sw_described_close(search->planner->described, search->state);
    sw_layout_free(search->run.layout);
    sw_rules_done(&search->run.rules);
    sw_gaps_done(&search->run.gaps);
    if (search->run.shelf) {
        sw_shelf_done(search->run.shelf);
        SW_FREE(search->run.shelf, 1);
    }
    sw_cow_done(&search->journal);
    sw_shared_unref(search->recipe.block, &sw_recipe_kind);
    sw_params_done(&search->params);
    for (size_t i = 0; i < search->handed.count; i++) {
        sw_problem_unref(search->handed.items[i].problem);
    }
    SW_ARRAY_DONE(&search->handed);
    sw_problem_unref(search->given);
    SW_FREE(search, 1);
}

/* ---- overrides ---- */

static bool pin_is_legal(struct sw_search *search, const struct sw_override *override, struct sw_error *error) {
    const struct sw_problem *problem = search->problem;
    const struct sw_buffer *buffer = sw_problem_buffer(problem, override->buffer);
    const struct sw_tier *tier = sw_problem_tier(problem, override->tier);
    bool free_;
    uint32_t blocker;
    if (!(buffer->tiers >> override->tier & 1)) {
        return sw_fail(error, SW_ERROR_UNSUPPORTED, "%s may not live in tier %s", buffer->name, tier->name);
    }
    if (buffer->alignment > 1 && override->offset % buffer->alignment != 0) {
        return sw_fail(error, SW_ERROR_UNSUPPORTED, "%s needs an offset that is a multiple of %llu; %llu is not",
                       buffer->name, (unsigned long long)buffer->alignment, (unsigned long long) override->offset);
    }
    if (override->offset > SW_MAX_BYTES || (buffer->size > 0 && override->offset + buffer->size > tier->capacity)) {
        return sw_fail(error, SW_ERROR_UNSUPPORTED, "%s would end above the capacity of tier %s", buffer->name,
                       tier->name);
    }
    if (!sw_gaps_blocker(&search->run.gaps, search->run.layout, &search->run.rules, override->buffer, SW_WHOLE_LIFE,
                         override->tier, override->offset, &free_, &blocker)) {
        return sw_fail_memory(error);
    }
    if (!free_ && blocker == SW_NONE) {
        return sw_fail(error, SW_ERROR_UNSUPPORTED, "%s would touch a reserved or forbidden range of tier %s",
                       buffer->name, tier->name);
    }
    /* Where it lies already it may stay, also over a block that it was allowed to overwrite. */
    struct sw_placement here;
    bool stays = sw_layout_placement(search->run.layout, override->buffer, 0, &here) && here.tier == override->tier &&
                 here.offset == override->offset;
    char why[SW_WITNESS_TEXT];
    if (free_ || stays) {
        return true;
    }
    sw_conflict_phrase(problem, override->buffer, blocker, why, sizeof why);
    return sw_fail(error, SW_ERROR_UNSUPPORTED, "%s at %s+%llu would overlap %s%s", buffer->name, tier->name,
                   (unsigned long long) override->offset, sw_problem_buffer(problem, blocker)->name, why);
}

static bool forbid_is_legal(const struct sw_search *search, const struct sw_override *override,
                            struct sw_error *error) {
    struct sw_placement placement;
    struct sw_pin pin;
    if (override->lo >= override->hi || override->hi > SW_MAX_BYTES) {
        return sw_fail(error, SW_ERROR_USAGE, "the forbidden range is empty or too large");
    }
    if (override->buffer == SW_NONE) {
        return true; /* holds for all buffers placed from now on */
    }
    const struct sw_buffer *buffer = sw_problem_buffer(search->problem, override->buffer);
    bool placed = sw_layout_placement(search->run.layout, override->buffer, 0, &placement);
    if (!placed && sw_rules_pin(search->problem, &search->run.rules, override->buffer, &pin)) {
        placed = true;
        placement.tier = pin.tier;
        placement.offset = pin.offset;
    }
    bool lies_there = placed && placement.tier == override->tier && placement.offset < override->hi &&
                      override->lo < placement.offset + buffer->size;
    return !lies_there || sw_fail(error, SW_ERROR_UNSUPPORTED,
                                  "%s already lies in that range; go back to before its decision", buffer->name);
}

static bool override_is_legal(struct sw_search *search, const struct sw_override *override, struct sw_error *error) {
    const struct sw_problem *problem = search->problem;
    if (override->kind == SW_OVERRIDE_CHOOSE) {
        return true; /* tried on a copy by sw_search_force */
    }
    bool any_buffer = override->kind == SW_OVERRIDE_FORBID && override->buffer == SW_NONE;
    if (!any_buffer && (override->buffer >= sw_problem_buffer_count(problem) ||
                        !sw_problem_buffer(problem, override->buffer)->planned)) {
        return sw_fail(error, SW_ERROR_USAGE, "there is no such planned buffer");
    }
    if (override->tier >= sw_problem_tier_count(problem)) {
        return sw_fail(error, SW_ERROR_USAGE, "there is no such tier");
    }
    return override->kind == SW_OVERRIDE_PIN ? pin_is_legal(search, override, error)
                                             : forbid_is_legal(search, override, error);
}

/* Put an override, which is legal, into force. */
static bool apply_override(struct sw_search *search, const struct sw_override *override, struct sw_error *error) {
    sw_layout_stamp(search->run.layout, 0);
    if (!sw_override_obey(override, &search->run.rules, search->run.layout)) {
        return sw_fail_memory(error);
    }
    if (override->kind == SW_OVERRIDE_CHOOSE) {
        search->run.choice = override->choice;
    }
    search->run.error = error;
    bool obeyed = !search->planner->constrain || search->planner->constrain(search->state, &search->run, override);
    search->run.error = NULL;
    return obeyed;
}

/* Overrides that come into force at the present step. Where one cannot, the search is broken. */
static bool apply_due(struct sw_search *search, struct sw_error *error) {
    const struct sw_recipe_entry *recipe = sw_shared_items(search->recipe.block);
    search->broken = true;
    while (search->applied < search->recipe.count && recipe[search->applied].step <= search->at) {
        if (!apply_override(search, &recipe[search->applied].override, error)) {
            return false;
        }
        search->applied++;
    }
    search->broken = false;
    return true;
}

/* ---- stepping ---- */

static void put_error(struct sw_error *to, const struct sw_error *from) {
    if (to) {
        *to = *from;
    }
}

/* Peaks of all tiers, to tell what a decision did to them. */
struct arena_ends {
    uint64_t of[SW_MAX_TIERS], first;
};

static void measure_arenas(const struct sw_search *search, struct arena_ends *arenas) {
    arenas->first = sw_layout_peak(search->run.layout);
    for (uint32_t t = 0; t < sw_problem_tier_count(search->problem); t++) {
        arenas->of[t] = sw_layout_tier_peak(search->run.layout, t);
    }
}

/* The decision just recorded gave the operators another order: go on with the problem that has it, and nothing placed.
 * A decision that is made once more hands over the problem that it did before, for others may have seen that one. */
static bool hand_over_arenas(struct sw_search *search) {
    const struct sw_problem *problem = search->run.handed;
    search->run.handed = NULL;
    size_t i = 0;
    while (i < search->handed.count && search->handed.items[i].step < search->at) {
        i++;
    }
    bool known = i < search->handed.count && search->handed.items[i].step == search->at;
    if (!known && !SW_PUSH(&search->handed, ((struct sw_handed){search->at, problem}))) {
        sw_problem_unref(problem);
        return false;
    }
    if (known) {
        sw_problem_unref(problem);
        problem = search->handed.items[i].problem;
    }
    struct sw_layout *layout = sw_layout_new(problem, NULL);
    if (!layout) {
        return false;
    }
    sw_layout_free(search->run.layout);
    search->run.layout = layout;
    search->own_before = 0;
    be_about(search, problem);
    return true;
}

/* A decision about a whole layout tells the peak of one tier. Where there are several, this is that tier, for its name;
 * SW_NONE: it tells none. */
static uint32_t tier_told(const struct sw_search *search, const struct sw_decision *decision) {
    const struct sw_layout *layout = search->run.layout;
    bool tells = sw_curve_whole(decision) && decision->measures == SW_AMOUNT_MEMORY;
    uint64_t told = tells ? sw_decision_amount(decision) : 0;
    if (told == 0 || sw_problem_tier_count(search->problem) == 1) {
        return SW_NONE;
    }
    for (uint32_t t = 0; t < sw_problem_tier_count(search->problem); t++) {
        if (sw_layout_tier_peak(layout, t) == told || sw_layout_arena(layout, t) == told) {
            return t;
        }
    }
    return SW_NONE;
}

/* The decision put another layout in the place of the one before, and in it a block: the peak without that block.
 * False: no memory. */
static bool find_peak_without(const struct sw_layout *layout, const struct sw_decision *decision, uint64_t *peak) {
    struct sw_layout *rest = sw_layout_clone(layout, NULL);
    bool good = rest && sw_layout_lift(rest, decision->buffer);
    uint64_t top = 0;
    struct sw_placement at;
    for (uint32_t b = 0; good && b < sw_problem_buffer_count(sw_layout_problem(rest)); b++) {
        uint64_t size = sw_problem_buffer(sw_layout_problem(rest), b)->size;
        for (uint32_t k = 0; sw_layout_placement(rest, b, k, &at); k++) {
            top = size > 0 && at.tier == decision->tier ? SW_MAX(top, at.offset + size) : top;
        }
    }
    if (good) {
        sw_layout_set_arena(rest, decision->tier, top);
        good = sw_layout_find_peaks(rest);
        *peak = sw_layout_tier_peak(rest, decision->tier);
    }
    sw_layout_free(rest);
    return good;
}

/* Did the decision put its block where it lies? */
static bool placed_its_block(const struct sw_layout *layout, const struct sw_decision *decision) {
    struct sw_placement at;
    return sw_decision_puts_block(decision) && sw_layout_placement(layout, decision->buffer, 0, &at) &&
           at.tier == decision->tier && at.offset == decision->offset;
}

/* Fill in what is the search's to say, and write the journal. False: no memory. */
static bool record_decision(struct sw_search *search, struct sw_decision *decision, const struct arena_ends *before) {
    if (!sw_layout_find_peaks(search->run.layout)) {
        return false;
    }
    decision->step = search->at + 1;
    decision->work = search->run.work;
    decision->tier = decision->tier == SW_NONE ? tier_told(search, decision) : decision->tier;
    bool tier = decision->tier != SW_NONE;
    decision->peak =
        tier ? sw_layout_tier_peak(search->run.layout, decision->tier) : sw_layout_peak(search->run.layout);
    decision->peak_before = tier ? before->of[decision->tier] : before->first;
    bool goes_on = sw_layout_goes_on(search->run.layout, decision->step),
         placed = placed_its_block(search->run.layout, decision);
    decision->another = !goes_on && !placed;
    if (!goes_on && placed && !find_peak_without(search->run.layout, decision, &decision->peak_before)) {
        return false;
    }
    if (search->forgets) {
        search->present = *decision;
        search->known += search->at == search->known;
    } else if (search->at == search->known) {
        struct sw_cow *journal = &search->journal;
        struct sw_decision *slot =
            sw_cow_resize(journal, search->known + 1) ? sw_cow_edit(journal, search->known) : NULL;
        if (!slot) {
            return false;
        }
        *slot = *decision;
        search->known++;
    }
    search->at++;
    return true;
}

/* One decision, and then the overrides that come into force after it, so that the state at a step
 * always includes them. A failure in the middle leaves the planner's state unknown: `broken` says so, and the
 * next move starts from a checkpoint; so does this one, unless memory is what is missing, so that a run that fails
 * stands where it stood. */
static enum sw_step step_once(struct sw_search *search, struct sw_explanation *explain, struct sw_error *error) {
    if (search->broken && !sw_search_seek(search, search->at, error)) {
        return SW_STEP_FAILED;
    }
    if (search->at == search->known && search->complete) {
        return sw_search_failed(search, error) ? SW_STEP_FAILED : SW_STEP_DONE;
    }
    struct sw_decision decision;
    sw_decision_clear(&decision);
    struct sw_error local = {0};
    struct arena_ends before;
    if (!sw_layout_find_peaks(search->run.layout)) {
        sw_fail_memory(error);
        return SW_STEP_FAILED;
    }
    measure_arenas(search, &before);
    search->broken = true;
    sw_layout_begin(search->run.layout, search->at + 1);
    search->run.explain = explain;
    search->run.no_room = (struct sw_no_room){0};
    search->run.error = &local;
    enum sw_step result = search->planner->step(search->state, &search->run, &decision);
    search->run.error = NULL;
    search->run.explain = NULL;
    if (result == SW_STEP_MORE) {
        search->run.choice = -1;
        if (!record_decision(search, &decision, &before) || (search->run.handed && !hand_over_arenas(search))) {
            sw_fail_memory(&local);
            goto failed;
        }
        if (!apply_due(search, &local)) {
            goto failed;
        }
        if (explain) {
            explain->decision = decision;
        }
        sw_history_offer(search);
        return SW_STEP_MORE;
    }
    if (result == SW_STEP_DONE) {
        search->broken = false;
        search->complete = sw_plan_keep(search);
        if (search->complete) {
            return SW_STEP_DONE;
        }
        sw_fail_memory(&local);
    }
failed:
    sw_problem_unref(search->run.handed); /* the step did, and its entry in the journal could not be made */
    search->run.handed = NULL;
    if (local.code == SW_ERROR_INFEASIBLE) { /* an answer, not an accident: remembered */
        search->broken = false;
        search->complete = search->failed = true;
        search->failure = local;
        search->no_room = search->run.no_room;
    } else if (local.code != SW_ERROR_MEMORY && !search->forgets) {
        sw_search_seek(search, search->at, NULL);
    }
    put_error(error, &local);
    return SW_STEP_FAILED;
}

enum sw_step sw_search_step(struct sw_search *search, struct sw_error *error) {
    return step_once(search, NULL, error);
}

enum sw_step sw_search_step_explained(struct sw_search *search, struct sw_explanation *explanation,
                                      struct sw_error *error) {
    sw_explanation_clear(explanation);
    return step_once(search, explanation, error);
}

/* Make the next decision once more from its entry in the journal, if the planner can (`redo`), without
 * the work of `step`. */
static bool redo_decision(struct sw_search *search) {
    const struct sw_decision *decision = search->planner->redo && search->run.choice < 0 && search->at < search->known
                                             ? sw_search_journal(search, search->at + 1)
                                             : NULL;
    sw_layout_stamp(search->run.layout, search->at + 1);
    if (!decision || !search->planner->redo(search->state, &search->run, decision)) {
        return false;
    }
    search->run.work = decision->work;
    search->at++;
    return true;
}

bool sw_search_seek(struct sw_search *search, uint64_t target, struct sw_error *error) {
    if (target > search->known && search->complete) {
        target = search->known;
    }
    if (!sw_history_restore(search, target, error)) {
        return false;
    }
    if (!apply_due(search, error)) {
        return false;
    }
    while (search->at < target) {
        struct sw_error local = {0};
        if (redo_decision(search)) {
            if (!apply_due(search, error)) {
                return false;
            }
            sw_history_offer(search);
            continue;
        }
        enum sw_step result = step_once(search, NULL, &local);
        if (result == SW_STEP_MORE) {
            continue;
        }
        if (result == SW_STEP_FAILED && !search->failed) {
            put_error(error, &local);
            return false;
        }
        break; /* the run ends before the target */
    }
    sw_history_forget_changed(search);
    return true;
}

enum sw_step sw_search_run(struct sw_search *search, uint64_t work, sw_stop_fn *stop, void *context,
                           struct sw_error *error) {
    uint64_t begin = search->run.work, decisions = 0;
    for (;;) {
        enum sw_step result = step_once(search, NULL, error);
        if (result != SW_STEP_MORE) {
            return result;
        }
        decisions++; /* a decision costs something even when it looked at no buffer */
        if (stop && stop(context, search, sw_search_decision(search))) {
            return SW_STEP_MORE;
        }
        if (work > 0 && search->run.work - begin + decisions * SW_WORK_PER_DECISION >= work) {
            return SW_STEP_MORE;
        }
    }
}

bool sw_search_settle(struct sw_search *search, struct sw_error *error) {
    if (!search->planner->settle) {
        return true;
    }
    if (search->broken && !sw_search_seek(search, search->at, error)) {
        return false;
    }
    search->broken = true; /* the layout is no longer that of the run: the next move restores it */
    sw_layout_stamp(search->run.layout, 0);
    search->run.error = error;
    bool ok = search->planner->settle(search->state, &search->run);
    search->run.error = NULL;
    be_about(search, sw_layout_problem(search->run.layout));
    return ok;
}

bool sw_search_member(const struct sw_search *search, uint32_t member, struct sw_layout **layout) {
    struct sw_run aside = search->run;
    struct sw_error unsaid = {0};
    bool has = false;
    *layout = NULL;
    if (!search->planner->member) {
        return true;
    }
    aside.layout = sw_layout_clone(search->run.layout, NULL);
    aside.gaps = (struct sw_gaps){0};
    aside.shelf = NULL;
    aside.explain = NULL;
    aside.choice = -1;
    aside.error = &unsaid;
    bool good = aside.layout && search->planner->member(search->state, &aside, member, &has);
    sw_gaps_done(&aside.gaps);
    if (good && has) {
        *layout = aside.layout;
    } else {
        sw_layout_free(aside.layout);
    }
    return good;
}

static bool opens_level(const struct sw_search *search, uint64_t at, enum sw_level level) {
    if (at <= 1 || level <= SW_LEVEL_DECISION) {
        return true;
    }
    const struct sw_decision *now = sw_search_journal(search, at);
    const struct sw_decision *before = sw_search_journal(search, at - 1);
    if (level == SW_LEVEL_RUN || !now || !before) {
        return false;
    }
    return now->group != before->group || (level == SW_LEVEL_OPERATOR && now->time != before->time);
}

uint64_t sw_search_boundary(const struct sw_search *search, uint64_t from, enum sw_level level, bool forward) {
    if (forward) {
        for (uint64_t at = from + 1; at < search->known; at++) {
            if (opens_level(search, at, level)) {
                return at;
            }
        }
        return search->known;
    }
    for (uint64_t at = SW_MIN(from, search->known); at > 1; at--) {
        if (opens_level(search, at - 1, level)) {
            return at - 1;
        }
    }
    return 0;
}

/* ---- forcing ---- */

/* Would the next decision obey? Tried on a copy. */
static bool try_override(const struct sw_search *search, const struct sw_override *override, struct sw_error *error) {
    struct sw_search *copy = sw_search_fork(search, error);
    if (!copy) {
        return false;
    }
    copy->complete = copy->failed = false;
    bool ok = apply_override(copy, override, error);
    if (ok && copy->run.choice >= 0) { /* this choice, or one still waiting that this must not spoil */
        enum sw_step result = step_once(copy, NULL, error);
        ok = result == SW_STEP_MORE;
        if (result == SW_STEP_DONE) {
            sw_fail(error, SW_ERROR_UNSUPPORTED, "the run is complete: there is nothing to choose");
        }
    }
    sw_search_free(copy);
    return ok;
}

bool sw_search_force(struct sw_search *search, const struct sw_override *override, struct sw_error *error) {
    if ((search->broken && !sw_search_seek(search, search->at, error)) || !override_is_legal(search, override, error) ||
        !try_override(search, override, error)) {
        return false;
    }
    /* From here on only memory can fail, and then nothing has changed but spare room. */
    struct sw_recipe_entry entry = {search->at, *override};
    if (!sw_shared_push(&search->recipe.block, search->applied, &sw_recipe_kind, &entry)) {
        return sw_fail_memory(error);
    }
    sw_history_forget_future(search);
    sw_plan_drop(search);
    search->recipe.count = search->applied + 1;
    search->complete = search->failed = false;
    if (!apply_due(search, error)) {
        search->recipe.count--; /* taken back: the next move starts from a checkpoint */
        return false;
    }
    return true;
}

/* ---- looking ---- */

SW_GETTER(const struct sw_problem *, sw_search_problem, sw_search, problem)
SW_GETTER(const struct sw_problem *, sw_search_given, sw_search, given)
SW_GETTER(const struct sw_planner *, sw_search_planner, sw_search, planner)
SW_GETTER(const struct sw_layout *, sw_search_layout, sw_search, run.layout)
SW_GETTER(uint64_t, sw_search_at, sw_search, at)
SW_GETTER(uint64_t, sw_search_known, sw_search, known)
SW_GETTER(bool, sw_search_complete, sw_search, complete)
SW_GETTER(uint64_t, sw_search_work, sw_search, run.work)
SW_GETTER(bool, sw_search_forgets, sw_search, forgets)
SW_GETTER(const void *, sw_search_planner_state, sw_search, state)

const char *sw_search_label(const struct sw_search *search, char text[SW_PLANNER_LABEL]) {
    const struct sw_recording *recording =
        search->planner->needs & SW_NEEDS_RECORDING ? sw_problem_recording(search->problem) : NULL;
    if (!recording) {
        return search->planner->name;
    }
    const char *then = sw_params_text(&search->params, search->planner, "continue");
    bool goes_on = strcmp(then, "none") != 0;
    snprintf(text, SW_PLANNER_LABEL, "%s (%.60s%s%.20s)%s%.40s", search->planner->name, recording->planner,
             *recording->version ? " " : "", recording->version, goes_on ? ", then " : "", goes_on ? then : "");
    sw_utf8_clean(text, true);
    return text;
}

const struct sw_params *sw_search_params(const struct sw_search *search) {
    return &search->params;
}
bool sw_search_assumes(const struct sw_search *search) {
    return search->planner->needs & SW_NEEDS_RECORDING
               ? sw_layout_permit_count(search->run.layout) > 0
               : search->planner->assumes && search->planner->assumes(&search->params, search->planner);
}

bool sw_search_check(const struct sw_search *search, size_t *faults, void (*tell)(void *, const struct sw_permit *),
                     void (*report)(void *, const struct sw_fault *), void *context) {
    return sw_search_assumes(search) ? sw_layout_check_assuming(search->run.layout, faults, tell, report, context)
                                     : sw_layout_check(search->run.layout, faults, report, context);
}

static void count_permit(void *count, const struct sw_permit *permit) {
    (void)permit;
    ++*(size_t *)count;
}

bool sw_search_below(const struct sw_search *search, enum sw_below *below) {
    const struct sw_layout *layout = search->run.layout;
    struct sw_metrics metrics;
    struct sw_claims claims;
    size_t assumed = 0;
    sw_metrics_of(layout, &metrics);
    sw_search_claims(search, &claims);
    *below = SW_BELOW_NOT;
    if (!metrics.complete || !metrics.single_tier || claims.no_addresses || metrics.peak >= metrics.lower_bound) {
        return true;
    }
    if (claims.has_migration || sw_layout_transfer_count(layout) > 0) {
        *below = SW_BELOW_MOVED;
        return true;
    }
    size_t faults;
    if (!sw_search_check(search, &faults, count_permit, NULL, &assumed)) {
        return false;
    }
    *below = faults > 0 ? SW_BELOW_WRONG : assumed > 0 ? SW_BELOW_ASSUMED : SW_BELOW_PERMITTED;
    return true;
}

const struct sw_rules *sw_search_rules(const struct sw_search *search) {
    return &search->run.rules;
}

bool sw_search_failed(const struct sw_search *search, struct sw_error *error) {
    if (search->failed) {
        put_error(error, &search->failure);
    }
    return search->failed;
}

bool sw_search_no_room(const struct sw_search *search, struct sw_no_room *no_room) {
    *no_room = search->no_room;
    return search->failed && no_room->required > 0;
}

void sw_search_more(struct sw_search *search) {
    search->complete = search->complete && search->failed;
    sw_plan_drop(search);
}

void sw_search_forget(struct sw_search *search) {
    const struct sw_decision *present = sw_search_decision(search);
    if (search->forgets) {
        return;
    }
    sw_decision_clear(&search->present);
    search->present = present ? *present : search->present;
    search->forgets = true;
    sw_cow_done(&search->journal);
    if (search->planner->one_layout) {
        search->spacing = UINT64_MAX;
    }
}

const struct sw_decision *sw_search_journal(const struct sw_search *search, uint64_t at) {
    if (search->forgets) {
        return at > 0 && at == search->present.step ? &search->present : NULL;
    }
    return at == 0 || at > search->known ? NULL : sw_cow_get(&search->journal, at - 1);
}

const struct sw_decision *sw_search_decision(const struct sw_search *search) {
    return sw_search_journal(search, search->at);
}

bool sw_search_explain(const struct sw_search *search, uint64_t at, struct sw_explanation *explanation,
                       struct sw_error *error) {
    if (at == 0 || at > search->known) {
        return sw_fail(error, SW_ERROR_USAGE, "there is no decision %llu yet", (unsigned long long)at);
    }
    struct sw_search *copy = sw_search_fork(search, error);
    if (!copy) {
        return false;
    }
    bool ok = sw_search_seek(copy, at - 1, error) && sw_search_step_explained(copy, explanation, error) == SW_STEP_MORE;
    sw_search_free(copy);
    return ok;
}

bool sw_search_details(const struct sw_search *search, struct sw_details *details) {
    return !search->planner->details || search->planner->details(search->state, &search->run, details);
}

void sw_search_state(const struct sw_search *search, struct sw_state_tables *tables) {
    if (search->planner->state) {
        search->planner->state(search->state, &search->run, sw_search_decision(search), tables);
    }
}

void sw_search_because(const struct sw_search *search, char *text, size_t size) {
    const struct sw_decision *last = sw_search_decision(search);
    text[0] = '\0';
    if (search->planner->because && last) {
        search->planner->because(search->state, &search->run, last, text, size);
    }
}

void sw_search_claims(const struct sw_search *search, struct sw_claims *claims) {
    *claims = (struct sw_claims){.cost = (double)NAN};
    if (search->planner->claims) {
        search->planner->claims(search->state, &search->run, claims);
    }
}

uint64_t sw_search_digest(const struct sw_search *search) {
    const struct sw_rules *rules = &search->run.rules;
    uint64_t digest = sw_fold(sw_layout_digest(search->run.layout), search->at);
    digest = sw_fold(digest, sw_described_digest(search->planner->described, search->state));
    for (size_t i = 0; i < rules->pins.count; i++) {
        const struct sw_pin *pin = &rules->pins.items[i];
        digest = sw_fold(sw_fold(digest, (uint64_t)pin->buffer << 32 | pin->tier), pin->offset);
    }
    for (size_t i = 0; i < rules->forbids.count; i++) {
        const struct sw_forbid *forbid = &rules->forbids.items[i];
        digest = sw_fold(digest, (uint64_t)forbid->buffer << 32 | forbid->tier);
        digest = sw_fold(sw_fold(digest, forbid->lo), forbid->hi);
    }
    return digest;
}

const struct sw_recipe_entry *sw_search_recipe(const struct sw_search *search, size_t *count) {
    *count = search->recipe.count;
    return sw_shared_items(search->recipe.block);
}
