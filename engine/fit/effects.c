/* What each move of a model is worth beside those before it: every beginning of the list of moves is made, and planned
 * for real. */
#include "fit/fit_model.h"

#include "problem/change/change.h"

struct chain {
    struct sw_fit_result *result;
    struct sw_fit_model *model; /* the chosen one */
    struct sw_fit_planning planning;
    struct sw_fit_model before; /* the beginning that was planned last */
    size_t next;                /* the move that comes then */
};

static void put_move_effect(struct sw_fit_effect *effect, const struct sw_fit_model *before,
                            const struct sw_fit_model *after) {
    *effect =
        (struct sw_fit_effect){.head = (int64_t)(after->head - before->head),
                               .arena = (int64_t)(after->arena - before->arena),
                               .tail = (int64_t)(after->arena - after->head) - (int64_t)(before->arena - before->head),
                               .macs = (int64_t)(after->macs - before->macs),
                               .flash = (int64_t)(after->flash - before->flash),
                               .moved = (int64_t)(after->moved - before->moved),
                               .operators = (int64_t)after->calls - (int64_t)before->calls};
}

/* One move further: the model with it, which is taken over. `good` false: it was not made, and false is returned. With
 * the last move that is the model itself, whatever this plan came to. */
static bool go_on_with(struct chain *chain, struct sw_fit_model *after, bool good) {
    const struct sw_fit_model *model = chain->model;
    if (!good) {
        sw_fit_model_done(after);
        return false;
    }
    if (chain->next + 1 == model->moves.items.count) {
        after->head = model->head;
        after->arena = model->arena;
        after->macs = model->macs;
        after->calls = model->calls;
        after->flash = model->flash;
        after->moved = model->moved;
    }
    put_move_effect(&chain->model->moves.items.items[chain->next++].effect, &chain->before, after);
    sw_fit_model_done(&chain->before);
    chain->before = *after;
    return true;
}

/* The variant that has the first moves of another one, and no others; without results over arguments if there is one.
 */
static uint32_t find_variant(const struct sw_fit_result *result, uint32_t of, size_t count) {
    const struct sw_fit_base *full = &result->variants[of].base;
    for (uint32_t v = 0; v < result->variant_count; v++) {
        const struct sw_fit_base *base = &result->variants[v].base;
        bool same = base->moves.count == count;
        for (size_t i = 0; same && i < count; i++) {
            const struct sw_fit_move *a = &base->moves.items[i], *b = &full->moves.items[i];
            same = a->kind == b->kind && a->buffer == b->buffer && a->other == b->other;
        }
        if (same) {
            return v; /* those with results over arguments come behind the others */
        }
    }
    return of;
}

/* The model with the first `count` of its results over arguments. */
static bool make_over(struct chain *chain, const struct sw_fit_model *plain, const struct sw_fit_move *moves,
                      size_t count, struct sw_fit_model *one) {
    struct sw_edit *edits = SW_NEW(struct sw_edit, count);
    for (size_t i = 0; edits && i < count; i++) {
        edits[i] = (struct sw_edit){
            .kind = SW_EDIT_INPLACE, .step = moves[i].op, .buffer = moves[i].buffer, .other = moves[i].other};
    }
    *one = (struct sw_fit_model){.macs = plain->macs, .calls = plain->calls, .flash = plain->flash};
    one->problem = edits ? sw_problem_changed(plain->problem, edits, count, chain->planning.error) : NULL;
    SW_FREE(edits, count);
    return (edits || sw_fail_memory(chain->planning.error)) && one->problem && sw_fit_model_plan(&chain->planning, one);
}

/* Tensors that wait elsewhere, one after the other. */
static bool follow_spills(struct chain *chain, const struct sw_fit_model *before, size_t from) {
    const struct sw_fit_moves *moves = &chain->model->moves;
    size_t count = moves->items.count - from;
    struct sw_edit *edits = SW_NEW(struct sw_edit, count);
    bool good = edits || sw_fail_memory(chain->planning.error);
    uint64_t moved = 0;
    for (size_t i = 0; good && i < count; i++) {
        const struct sw_fit_move *move = &moves->items.items[from + i];
        edits[i] = (struct sw_edit){.kind = SW_EDIT_SPILL, .step = move->other + 1, .buffer = move->buffer};
        moved += sw_problem_spill_bytes(before->problem, move->buffer, move->other + 1);
        struct sw_fit_model one = {
            .macs = before->macs, .calls = before->calls, .flash = before->flash, .moved = moved};
        if (i + 1 < count) { /* else that is the model itself */
            one.problem = sw_problem_changed(before->problem, edits, i + 1, chain->planning.error);
            good = one.problem && sw_fit_model_plan(&chain->planning, &one);
        }
        good = go_on_with(chain, &one, good);
    }
    SW_FREE(edits, count);
    return good;
}

static bool follow_moves(struct chain *chain) {
    const struct sw_fit_model *model = chain->model;
    const struct sw_fit_moves *moves = &model->moves;
    size_t own = chain->result->variants[model->variant].base.moves.count, over = own + model->region_count;
    uint32_t variant = 0;
    struct sw_fit_model one = {0};
    bool good = sw_fit_model_make(&chain->planning, &chain->result->variants[0], 0, NULL, 0, &chain->before);
    chain->before.flash = 0; /* it is not written */
    for (size_t i = 0; good && i < moves->items.count && i < over; i++) {
        variant = find_variant(chain->result, model->variant, i < own ? i + 1 : own);
        good = sw_fit_model_make(&chain->planning, &chain->result->variants[variant], variant, model->regions,
                                 i < own ? 0 : i + 1 - own, &one);
        good = go_on_with(chain, &one, good);
    }
    size_t spilled = over;
    while (spilled < moves->items.count && moves->items.items[spilled].kind != SW_FIT_SPILL) {
        spilled++;
    }
    if (!good || over >= moves->items.count) {
        return good;
    }
    variant = find_variant(chain->result, model->variant, own);
    struct sw_fit_model plain = {0};
    good = sw_fit_model_make(&chain->planning, &chain->result->variants[variant], variant, model->regions,
                             model->region_count, &plain);
    for (size_t i = over; good && i < spilled; i++) {
        one = (struct sw_fit_model){0};
        if (i + 1 < moves->items.count) { /* else that is the model itself */
            good = make_over(chain, &plain, &moves->items.items[over], i + 1 - over, &one);
        }
        good = go_on_with(chain, &one, good);
    }
    sw_fit_model_done(&plain);
    if (!good || spilled == moves->items.count) {
        return good;
    }
    struct sw_fit_model all = {0};
    good = sw_fit_model_make(&chain->planning, &chain->result->variants[model->variant], model->variant, model->regions,
                             model->region_count, &all) &&
           follow_spills(chain, &all, spilled);
    sw_fit_model_done(&all);
    return good;
}

bool sw_fit_find_effects(struct sw_fit_result *result, const struct sw_fit_request *request, struct sw_error *error) {
    struct chain chain = {
        .result = result,
        .model = &result->models.items[result->chosen],
        .planning = {
            .seed = request->seed, .work = UINT64_C(400000000), .of_head = request->limits.of_head, .error = error}};
    bool good = follow_moves(&chain);
    sw_fit_model_done(&chain.before);
    SW_ARRAY_DONE(&chain.planning.begins);
    return good;
}
