/* What would lower the bound, in sentences: only what was computed, each with what it changes, what the
 * bound becomes, where it is met then, and what the change costs. */
#include "view/blame/blame.h"
#include "base/base.h"
#include "suggest/suggest.h"
#include "view/blame/orders_look.h"

/* Sentences of one kind. */
static size_t most_shown(const struct sw_lines *lines) {
    return sw_medium(lines->in)->brief ? 2 : 4;
}

static const char *plain_buffer_name(const struct sw_lines *lines, uint32_t buffer) {
    return sw_problem_buffer(lines->problem, buffer)->name;
}

static const char *plain_operator_name(const struct sw_lines *lines, uint32_t op) {
    return sw_problem_operator(lines->problem, op)->name;
}

/* "the bound falls by 784K to 6.13M, met at conv_3 (step 5)". */
static const char *changed_bound_words(const struct sw_lines *lines, const struct sw_edit *edit,
                                       const struct sw_changed_bound *bound) {
    uint64_t now = sw_problem_lower_bound(lines->problem);
    const char *change =
        bound->bytes == now
            ? "stays"
            : sw_scene_printf(lines->scene, "%s by %s to %s", bound->bytes < now ? "falls" : "rises",
                              sw_lines_bytes(lines, bound->bytes < now ? now - bound->bytes : bound->bytes - now),
                              sw_lines_bytes(lines, bound->bytes));
    const char *where =
        bound->met == 0 ? ""
        : bound->was != SW_NONE
            ? sw_scene_printf(lines->scene, ", met at %s", sw_lines_when(lines, bound->was))
            : sw_scene_printf(
                  lines->scene, ", met when %s runs again",
                  plain_operator_name(lines, sw_problem_recomputes(lines->problem, edit->buffer, edit->step, NULL)));
    const char *others = bound->met < 2 ? ""
                                        : sw_scene_printf(lines->scene, " and at %s more step%s",
                                                          SW_COUNT(bound->met - 1), bound->met == 2 ? "" : "s");
    return sw_scene_printf(lines->scene, "the bound %s%s%s", change, where, others);
}

/* ---- what is changed, and what that costs ---- */

static const char *edit_words(const struct sw_lines *lines, const struct sw_edit *edit) {
    uint32_t from = 0, to = 0;
    if (edit->kind == SW_EDIT_MOVE) {
        return sw_scene_printf(lines->scene, "%s moved from step %u to step %u (reorder %u %u)",
                               plain_operator_name(lines, edit->step), edit->step, edit->to, edit->step, edit->to);
    }
    if (edit->kind == SW_EDIT_INPLACE) {
        return sw_scene_printf(lines->scene, "%s written over %s by %s", plain_buffer_name(lines, edit->buffer),
                               plain_buffer_name(lines, edit->other), plain_operator_name(lines, edit->step));
    }
    sw_problem_waits(lines->problem, edit->buffer, edit->step, &from, &to);
    const struct sw_buffer *buffer = sw_problem_buffer(lines->problem, edit->buffer);
    const char *size = sw_lines_bytes(lines, sw_buffer_live_bytes(buffer, edit->step));
    return edit->kind == SW_EDIT_SPILL
               ? sw_scene_printf(lines->scene, "%s (%s) spilled between %s and %s", buffer->name, size,
                                 sw_lines_when(lines, from), sw_lines_when(lines, to))
               : sw_scene_printf(lines->scene, "%s (%s) recomputed for %s", buffer->name, size,
                                 sw_lines_when(lines, to));
}

static const char *moved_words(const struct sw_lines *lines, uint64_t bytes) {
    return bytes ? sw_scene_printf(lines->scene, " It moves %s, out and back in.", sw_lines_bytes(lines, bytes)) : "";
}

static bool marked(const struct sw_lines *lines, const struct sw_edit *edit) {
    return sw_operator_marked(sw_problem_operator(lines->problem, edit->step), edit->buffer, edit->other);
}

static const char *edit_cost(const struct sw_lines *lines, const struct sw_edit *edit) {
    uint64_t held = 0;
    uint32_t op;
    switch (edit->kind) {
    case SW_EDIT_SPILL:
        return moved_words(lines, sw_problem_spill_bytes(lines->problem, edit->buffer, edit->step));
    case SW_EDIT_RECOMPUTE:
        op = sw_problem_recomputes(lines->problem, edit->buffer, edit->step, &held);
        return held ? sw_scene_printf(lines->scene, " %s runs twice; %s of what it reads live longer.",
                                      plain_operator_name(lines, op), sw_lines_bytes(lines, held))
                    : sw_scene_printf(lines->scene, " %s runs twice; what it reads is there anyway.",
                                      plain_operator_name(lines, op));
    case SW_EDIT_INPLACE:
        return marked(lines, edit) ? " The graph allows it (--inplace safe)."
                                   : sw_scene_printf(lines->scene,
                                                     " The graph does not mark it: the kernel of %s must be able to "
                                                     "work in place.",
                                                     plain_operator_name(lines, edit->step));
    case SW_EDIT_MOVE:
    case SW_EDIT_INPLACE_MARKED:
        break;
    }
    return "";
}

/* ---- one kind after the other ---- */

/* One operator is told to move only once: its best move. */
static bool is_told(const struct sw_tries *tries, size_t at) {
    for (size_t k = 0; k < at; k++) {
        if (tries->items[at].edit.kind == SW_EDIT_MOVE && tries->items[k].edit.step == tries->items[at].edit.step) {
            return true;
        }
    }
    return false;
}

/* Is the change among the moves that a page tells with the peak that came out? NULL: all operators in another order. */
static bool is_told_as_made(const struct sw_lines *lines, const struct sw_edit *edit) {
    static const enum sw_suggest_kind suggested_as[] = {[SW_EDIT_SPILL] = SW_SUGGEST_SPILL,
                                                        [SW_EDIT_RECOMPUTE] = SW_SUGGEST_RECOMPUTE,
                                                        [SW_EDIT_INPLACE] = SW_SUGGEST_INPLACE,
                                                        [SW_EDIT_INPLACE_MARKED] = SW_SUGGEST_KINDS, /* never */
                                                        [SW_EDIT_MOVE] = SW_SUGGEST_MOVE};
    const struct sw_suggest *made = lines->in->medium == SW_SMALL_ON_PAGE ? lines->in->run.suggest : NULL;
    bool told = false;
    for (size_t i = 0; made && i < sw_suggest_count(made) && i < SW_BLAME_TOLD; i++) {
        const struct sw_suggestion *of = sw_suggest_get(made, i);
        told |= !edit
                    ? of->kind == SW_SUGGEST_REORDER
                    : of->kind == suggested_as[edit->kind] &&
                          (edit->kind == SW_EDIT_MOVE ? of->edit.step == edit->step : of->edit.buffer == edit->buffer);
    }
    return told;
}

/* What lowers the bound; how many there are. */
static size_t say_those_that_help(struct sw_lines *lines, const struct sw_tries *tries) {
    uint64_t now = sw_problem_lower_bound(lines->problem);
    size_t help = 0, shown = 0;
    for (size_t i = 0; i < tries->count && tries->items[i].bound.bytes < now; i++) {
        const struct sw_tried *one = &tries->items[i];
        if (is_told(tries, i)) {
            continue;
        }
        help++;
        if (is_told_as_made(lines, &one->edit)) {
            shown++;
        } else if (shown < most_shown(lines)) {
            shown++;
            sw_lines_textf(lines, SW_STYLE_FITS, "%s: %s.%s", edit_words(lines, &one->edit),
                           changed_bound_words(lines, &one->edit, &one->bound), edit_cost(lines, &one->edit));
        }
    }
    if (help > shown) {
        sw_lines_textf(lines, SW_STYLE_DIM, "%zu more lower it, but not further.", help - shown);
    }
    return help;
}

/* `word`: "spill". What was tried when nothing helps, and what was not tried. */
static void say_tries(struct sw_lines *lines, const struct sw_tries *tries, const char *word) {
    if (say_those_that_help(lines, tries) == 0 && tries->count > 0) {
        const struct sw_tried *best = &tries->items[0];
        sw_lines_textf(lines, SW_STYLE_DIM, "No single %s lowers the bound: %s tried. %s%s: %s.", word,
                       tries->count == 1 ? "one was" : sw_scene_printf(lines->scene, "%s were", SW_COUNT(tries->count)),
                       tries->count == 1 ? "" : "The best: ", edit_words(lines, &best->edit),
                       changed_bound_words(lines, &best->edit, &best->bound));
    }
    if (tries->refused > 0) {
        sw_lines_text(lines, SW_STYLE_DIM,
                      tries->refused == 1
                          ? sw_scene_printf(lines->scene, "One %s is not possible: %s.", word, tries->why)
                          : sw_scene_printf(lines->scene, "%s %ss are not possible; the first: %s.",
                                            SW_COUNT(tries->refused), word, tries->why));
    }
    if (tries->left_out > 0) {
        sw_lines_textf(lines, SW_STYLE_DIM, "%s more %s%s not tried: it would take too long.",
                       SW_COUNT(tries->left_out), word, tries->left_out == 1 ? " was" : "s were");
    }
}

static void say_marked(struct sw_lines *lines, const struct sw_advice *advice) {
    struct sw_edit all = {.kind = SW_EDIT_INPLACE_MARKED};
    if (advice->marked_left_out) {
        sw_lines_text(lines, SW_STYLE_DIM, "What --inplace safe does is not tried out in a graph so large.");
    }
    if (advice->has_marked) {
        bool helps = advice->marked.bytes < sw_problem_lower_bound(lines->problem);
        sw_lines_textf(lines, helps ? SW_STYLE_FITS : SW_STYLE_DIM,
                       "With --inplace safe, all that the graph allows: %s.",
                       changed_bound_words(lines, &all, &advice->marked));
    }
}

static void say_moves(struct sw_lines *lines, const struct sw_advice *advice) {
    const struct sw_tries *moves = &advice->moves;
    if (advice->too_large) {
        sw_lines_text(lines, SW_STYLE_DIM, "Moves of operators are not tried out in a graph so large.");
    } else if (moves->count + moves->refused + moves->left_out == 0) {
        sw_lines_text(lines, SW_STYLE_DIM, "No operator around this step can be moved: the data fix their order.");
    } else {
        say_tries(lines, moves, "move of an operator around this step");
    }
}

static void say_together(struct sw_lines *lines, const struct sw_advice *advice) {
    const char *list = "", *note = "";
    uint64_t bytes = 0;
    size_t count = advice->together_count;
    for (size_t i = 0; i < count; i++) {
        const struct sw_edit *edit = &advice->together[i];
        list = sw_scene_printf(lines->scene, "%s%s%s", list,
                               i == 0           ? ""
                               : i + 1 == count ? " and "
                                                : ", ",
                               edit_words(lines, edit));
        if (edit->kind == SW_EDIT_SPILL) {
            bytes += sw_problem_spill_bytes(lines->problem, edit->buffer, edit->step);
        } else if (!marked(lines, edit)) {
            note = " The graph does not mark all of that for writing in place: kernels must be able to.";
        }
    }
    if (count > 0) {
        sw_lines_textf(lines, SW_STYLE_FITS, "Together, %s: %s.%s%s", list,
                       changed_bound_words(lines, &advice->together[0], &advice->together_bound),
                       moved_words(lines, bytes), note);
    }
}

/* Where the bound is met at more than one step, all of them have to be lowered. */
static void say_met(struct sw_lines *lines, uint32_t met) {
    const uint64_t *profile = sw_problem_profile(lines->problem);
    const char *list = "";
    uint32_t named = 0;
    for (uint32_t s = 0; s < sw_problem_steps(lines->problem) && named < (met < 5 ? 4 : 3); s++) {
        if (profile[s] == sw_problem_lower_bound(lines->problem)) {
            list = sw_scene_printf(lines->scene, "%s%s%s", list,
                                   named == 0         ? ""
                                   : named + 1 == met ? " and "
                                                      : ", ",
                                   sw_lines_when(lines, s));
            named++;
        }
    }
    const char *rest = met > named ? sw_scene_printf(lines->scene, " and %u more", met - named) : "";
    sw_lines_textf(lines, SW_STYLE_TEXT, "The bound is met at %s steps: %s%s. All have to be lowered.", SW_COUNT(met),
                   list, rest);
}

/* Where there is little room: what helps, or what was tried for nothing, in a line. */
static void say_briefly(struct sw_lines *lines, const struct sw_advice *advice) {
    const struct sw_tries *all[] = {&advice->inplace, &advice->spills, &advice->again, &advice->moves};
    static const char *const words[] = {"writes in place", "spills", "recomputations", "moves of operators"};
    const char *list = "";
    size_t help = 0, tried = 0;
    bool marks = advice->has_marked && advice->marked.bytes < sw_problem_lower_bound(lines->problem);
    if (marks) {
        say_marked(lines, advice);
    }
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        help += say_those_that_help(lines, all[k]);
        if (all[k]->count > 0) {
            list = sw_scene_printf(lines->scene, "%s%s%s %zu", list, tried++ ? ", " : "", words[k], all[k]->count);
        }
    }
    say_together(lines, advice);
    if (help == 0 && !marks && advice->together_count == 0) {
        sw_lines_text(lines, SW_STYLE_DIM,
                      tried == 0
                          ? "No change where the bound is met was found that could be tried."
                          : sw_scene_printf(lines->scene, "No single change lowers the bound. Tried: %s.", list));
    }
}

/* What no order can avoid: the largest of the buffers that every one holds. */
static void say_witness(struct sw_lines *lines, const struct sw_orders *orders) {
    enum { NAMED_HELD = 3 };
    struct sw_first_buffers held = {.count = 0};
    const char *list = "";
    for (size_t i = 0; i < orders->held.count; i++) {
        uint32_t buffer = orders->held.items[i].buffer;
        if (orders->held.items[i].forced) {
            sw_first_buffers_offer(&held, buffer, sw_problem_buffer(lines->problem, buffer)->size, true);
        }
    }
    uint32_t forced = (uint32_t)held.total, count = SW_MIN(forced, (uint32_t)NAMED_HELD);
    for (uint32_t i = 0; i < count; i++) {
        list = sw_scene_printf(lines->scene, "%s%s%s", list,
                               i == 0                              ? ""
                               : i + 1 == count && forced <= count ? " and "
                                                                   : ", ",
                               plain_buffer_name(lines, held.items[i].buffer));
    }
    list = forced > count ? sw_scene_printf(lines->scene, "%s and %u more", list, forced - count) : list;
    sw_lines_textf(lines, SW_STYLE_DIM, "Every order holds %s or more when %s runs%s%s (pane bounds).",
                   sw_lines_bytes(lines, orders->witness_bytes), plain_operator_name(lines, orders->witness),
                   count ? ", always " : "", list);
}

/* All operators at once. */
static void say_orders(struct sw_lines *lines) {
    struct sw_orders_look own = {0};
    const struct sw_orders_look *look = sw_orders_look(lines->in, lines->problem, &own);
    uint64_t now = sw_problem_lower_bound(lines->problem);
    lines->scene->failed |= !look;
    if (look && look->known) {
        const struct sw_orders *orders = &look->orders;
        /* Of several memories the bound over all orders knows only the first. */
        const char *least = look->bound_there <= orders->bound
                                ? "no order needs less"
                                : sw_scene_printf(lines->scene, "every order needs %s",
                                                  sw_view_order_need(lines->scene, lines->problem,
                                                                     sw_lines_bytes(lines, orders->bound)));
        if (is_told_as_made(lines, NULL)) {
            /* with the peak that it comes to */
        } else if (look->bound_there < now) {
            sw_lines_textf(lines, SW_STYLE_FITS,
                           "All operators in a better order (reorder auto): the bound "
                           "falls by %s to %s; %s.",
                           sw_lines_bytes(lines, now - look->bound_there), sw_lines_bytes(lines, look->bound_there),
                           least);
        } else if (!sw_medium(lines->in)->brief) {
            sw_lines_text(
                lines, SW_STYLE_DIM,
                orders->bound >= now
                    ? "No order of the operators lowers the bound: each needs as much."
                    : sw_scene_printf(lines->scene, "No better order of the operators was found; %s.", least));
        }
        if (!sw_medium(lines->in)->brief) {
            say_witness(lines, orders);
        }
    }
    sw_orders_look_done(&own);
}

/* One region in strips, which a model with windows can be rewritten to. */
static void say_strips(struct sw_lines *lines, const struct sw_fit_advice *strips) {
    uint64_t now = sw_problem_lower_bound(lines->problem);
    char text[SW_FIT_REGION_TEXT];
    if (strips->helps) {
        sw_fit_region_text(lines->problem, &strips->region, text, sizeof text);
        sw_lines_textf(lines, SW_STYLE_FITS,
                       "%s: the bound falls by %s to %s, and a plan of that needs %s; %.3f of the work (fit).",
                       sw_scene_clean(lines->scene, text), sw_lines_bytes(lines, now - strips->bound),
                       sw_lines_bytes(lines, strips->bound), sw_lines_bytes(lines, strips->head),
                       strips->model_macs ? (double)strips->macs / (double)strips->model_macs : 1);
    } else if (strips->tried > 0) {
        sw_lines_textf(lines, SW_STYLE_DIM, "No region around this step in strips lowers the bound: %s %s tried.",
                       SW_COUNT(strips->tried), strips->tried == 1 ? "way was" : "ways were");
    }
    if (strips->left_out && !sw_medium(lines->in)->brief) {
        sw_lines_text(lines, SW_STYLE_DIM, "More regions were not tried here: fit does.");
    }
}

static void say_all(struct sw_lines *lines, const struct sw_advice *advice) {
    bool operators = sw_problem_operator_count(lines->problem) > 0;
    if (advice->derived) {
        sw_lines_text(lines, SW_STYLE_DIM,
                      "The planner made this problem from the graph; what would lower its bound is not "
                      "tried out.");
        return;
    }
    if (advice->met > 1) {
        say_met(lines, advice->met);
    }
    say_orders(lines);
    say_strips(lines, &advice->strips);
    if (sw_medium(lines->in)->brief) {
        say_briefly(lines, advice);
        return;
    }
    say_marked(lines, advice);
    say_tries(lines, &advice->inplace, "write in place here");
    if (sw_problem_core_count(lines->problem) > 1) {
        sw_lines_text(lines, SW_STYLE_DIM, "On several cores spills, recomputations and moves are not tried out.");
        return;
    }
    say_tries(lines, &advice->spills, "spill");
    say_tries(lines, &advice->again, "recomputation");
    if (advice->waiting == 0 && sw_problem_accesses_known(lines->problem)) {
        sw_lines_text(lines, SW_STYLE_DIM, "Every buffer live here is in use, so spilling cannot help.");
    }
    if (operators) {
        say_moves(lines, advice);
    }
    say_together(lines, advice);
}

void sw_blame_advice(struct sw_lines *lines) {
    const struct sw_advice *kept = sw_frame_cache_advice(lines->in->kept, lines->problem);
    struct sw_advice *own = kept ? NULL : SW_NEW(struct sw_advice, 1);
    if (kept) {
        say_all(lines, kept);
    } else if (own && sw_advice_of(lines->problem, own)) {
        say_all(lines, own);
    } else {
        lines->scene->failed = true;
    }
    SW_FREE(own, 1);
}
