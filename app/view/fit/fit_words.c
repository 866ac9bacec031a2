/* The names of changed models, of their moves, and of what was looked at. */
#include "view/fit/fit_sight.h"
#include "base/base.h"

const char *sw_fit_what(const struct sw_fit_seen *seen) {
    return seen->sight.of_head ? "head" : "arena";
}

double sw_fit_work(const struct sw_fit_seen *seen, const struct sw_fit_model *model) {
    return seen->as_is->macs > 0 ? (double)model->macs / (double)seen->as_is->macs : 1;
}

/* ---- moves ---- */

int sw_fit_region_how(const struct sw_fit_region *region, char *text, size_t size) {
    return snprintf(text, size, "in %u strips%s%s%s%s", region->strips, region->loop ? ", in a loop" : "",
                    region->padded == SW_FIT_PAD_ALL ? ", padded"
                    : region->padded                 ? ", partly padded"
                                                     : "",
                    region->kept ? ", keeping rows" : "", region->backwards ? ", backwards" : "");
}

const char *sw_fit_region_words(const struct sw_fit_seen *seen, const struct sw_fit_model *model,
                                const struct sw_fit_region *region) {
    const struct sw_problem *problem = seen->result->variants[model->variant].base.problem;
    const char *first = sw_scene_clean(seen->scene, sw_problem_operator(problem, region->first)->name);
    const char *last = sw_scene_clean(seen->scene, sw_problem_operator(problem, region->last)->name);
    bool one = region->first == region->last;
    char how[SW_FIT_HOW];
    sw_fit_region_how(region, how, sizeof how);
    return sw_scene_printf(seen->scene, "%s%s%s %s", first, one ? "" : " to ", one ? "" : last, how);
}

const char *sw_fit_move_words(const struct sw_fit_seen *seen, const struct sw_fit_model *model,
                              const struct sw_fit_move *move) {
    const struct sw_fit_base *base = &seen->result->variants[model->variant].base;
    struct sw_scene *scene = seen->scene;
    switch (move->kind) {
    case SW_FIT_ORDER:
        return "another order";
    case SW_FIT_RECOMPUTE:
        return sw_scene_printf(
            scene, "%s runs again",
            sw_scene_clean(scene, sw_problem_operator(seen->result->problem, base->operators[move->op])->name));
    case SW_FIT_INPLACE:
        return sw_scene_printf(scene, "%s in place",
                               sw_scene_clean(scene, sw_problem_operator(model->problem, move->op)->name));
    case SW_FIT_SPILL:
        return sw_scene_printf(scene, "%s waits in another memory",
                               sw_scene_clean(scene, sw_problem_buffer(model->problem, move->buffer)->name));
    case SW_FIT_STRIPS:
    case SW_FIT_MOVE_KINDS:
        break;
    }
    return sw_fit_region_words(seen, model, &move->region);
}

/* "another order, 2 regions in strips and 1 result in place": the kinds of a model's moves, in the order of the list.
 */
static const char *kinds_of(const struct sw_fit_seen *seen, const struct sw_fit_model *model) {
    static const struct {
        enum sw_fit_move_kind kind;
        const char *noun, *then; /* noun NULL: a model has one such move at most */
    } kinds[] = {{SW_FIT_ORDER, NULL, "another order"},
                 {SW_FIT_RECOMPUTE, "operator", " run again"},
                 {SW_FIT_STRIPS, "region", " in strips"},
                 {SW_FIT_INPLACE, "result", " in place"},
                 {SW_FIT_SPILL, "tensor", " in another memory"}};
    enum { MOVE_KINDS = sizeof kinds / sizeof *kinds };
    size_t counts[MOVE_KINDS] = {0}, left = 0;
    for (size_t k = 0; k < MOVE_KINDS; k++) {
        for (size_t i = 0; i < model->moves.items.count; i++) {
            counts[k] += model->moves.items.items[i].kind == kinds[k].kind;
        }
        left += counts[k] > 0;
    }
    const char *text = "";
    for (size_t k = 0; k < MOVE_KINDS; k++) {
        if (counts[k] > 0) {
            left--;
            text = sw_scene_printf(seen->scene, "%s%s%s%s", text,
                                   !*text     ? ""
                                   : left > 0 ? ", "
                                              : " and ",
                                   kinds[k].noun ? sw_scene_counted(seen->scene, counts[k], kinds[k].noun) : "",
                                   kinds[k].then);
        }
    }
    return text;
}

const char *sw_fit_gain(const struct sw_fit_seen *seen) {
    const struct sw_fit_model *before = seen->as_is, *then = seen->looked;
    const char *text =
        sw_scene_printf(seen->scene, "the %s is %s as it is", sw_fit_what(seen), SW_BYTES(before->bytes));
    if (then == before) {
        return seen->result->models.count > 1
                   ? text
                   : sw_scene_printf(seen->scene, "%s; nothing that was looked at needs less", text);
    }
    double change = before->bytes > 0 ? (double)then->bytes / (double)before->bytes - 1 : 0;
    return sw_scene_printf(seen->scene, "%s, %s (%s) with %s, at %.3f of the multiply-adds", text,
                           SW_BYTES(then->bytes), SW_PERCENT(change, true), kinds_of(seen, then),
                           sw_fit_work(seen, then));
}

/* ---- what was looked at ---- */

int sw_fit_looked_at(const struct sw_fit_result *result, char *text, size_t size) {
    size_t cuts = 0, bases = 0;
    for (size_t v = 0; v < result->variant_count; v++) {
        bool own = !sw_problem_inplace_safe(result->variants[v].base.problem) || v == 0;
        cuts += own ? result->variants[v].cuts.items.count : 0;
        bases += own;
    }
    if (cuts == 0 && bases == 1) {
        return snprintf(text, size, "as it is");
    }
    if (cuts == 0) {
        return snprintf(text, size, "in each of the %zu schedules that were looked at", bases);
    }
    int length = snprintf(text, size, "whichever of the %zu cuts that were looked at are taken together", cuts);
    return bases > 1 ? length + snprintf(text + length, size - (size_t)length, ", in each of %zu schedules", bases)
                     : length;
}
