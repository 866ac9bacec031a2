/* branch-and-bound: the state of a run, from its making to its end. What hangs on the model is made
 * with it; a copy shares the model, which never changes, and owns the rest. See branch_and_bound.h.
 */
#include "planners/exact/branch_and_bound.h"

#include "base/hash.h"

#include <string.h>

enum { FIRST_ROUND = 2000 }; /* nodes of the canonical round */

/* ---- made and dropped ---- */

static void drop_pivot(struct bb_pivot *v, const struct bb_model *m) {
    SW_FREE(v->ready, m->most_sections);
    SW_FREE(v->blame, m->most_sections);
    SW_FREE(v->rank, m->most_items);
    SW_FREE(v->asleep, m->most_items);
    SW_FREE(v->keys, m->most_items);
    SW_FREE(v->set, m->most_items);
    SW_FREE(v->tops, m->most_items);
    SW_FREE(v->chosen, m->most_items);
    SW_FREE(v->open, bb_words(m->most_items));
    SW_FREE(v->lower, bb_words(m->most_items));
}

/* Everything that hangs on the model. */
void bb_drop_model(struct bb *s) {
    const struct bb_model *m = s->model;
    if (m) {
        SW_FREE(s->best, m->item_count);
        SW_FREE(s->made, m->item_count);
        SW_FREE(s->height, m->part_count);
        SW_FREE(s->done, m->part_count);
        SW_FREE(s->low, m->most_items);
        SW_FREE(s->placed, m->most_items);
        SW_FREE(s->live, m->most_items);
        SW_FREE(s->live_outside, m->most_items);
        SW_FREE(s->live_all, m->most_sections);
        SW_FREE(s->floor, m->most_sections);
        SW_FREE(s->rest, m->most_sections);
        SW_FREE(s->head, m->most_items);
        SW_FREE(s->queue, m->most_items);
        SW_FREE(s->queued, m->most_items);
        drop_pivot(&s->pivot, m);
    }
    SW_ARRAY_DONE(&s->pivot.options);
    sw_cow_done(&s->pivot.nogoods);
    SW_ARRAY_DONE(&s->frames);
    SW_ARRAY_DONE(&s->trail);
    SW_ARRAY_DONE(&s->arcs);
    bb_model_drop(s->model);
    s->model = NULL;
    s->best = s->made = s->height = s->low = s->floor = s->rest = NULL;
    s->live = s->live_outside = s->live_all = NULL;
    s->done = s->placed = s->queued = NULL;
    s->head = s->queue = NULL;
    s->pivot = (struct bb_pivot){0};
}

static bool new_pivot(struct bb_pivot *v, const struct bb_model *m) {
    v->ready = SW_NEW_ZERO(uint32_t, m->most_sections);
    v->blame = SW_NEW_ZERO(uint32_t, m->most_sections);
    v->rank = SW_NEW_ZERO(uint32_t, m->most_items);
    v->asleep = SW_NEW_ZERO(bool, m->most_items);
    v->keys = SW_NEW(struct bb_key, m->most_items);
    v->set = SW_NEW(uint32_t, m->most_items);
    v->tops = SW_NEW(uint64_t, m->most_items);
    v->chosen = SW_NEW_ZERO(bool, m->most_items);
    v->open = SW_NEW_ZERO(uint64_t, bb_words(m->most_items));
    v->lower = SW_NEW(uint64_t, bb_words(m->most_items));
    return v->ready && v->blame && v->rank && v->asleep && v->keys && v->set && v->tops &&
           v->chosen && v->open && v->lower;
}

bool bb_new_arrays(struct bb *s) {
    const struct bb_model *m = s->model;
    s->best = SW_NEW(uint64_t, m->item_count);
    s->made = SW_NEW_ZERO(uint64_t, m->item_count);
    s->height = SW_NEW(uint64_t, m->part_count);
    s->done = SW_NEW_ZERO(bool, m->part_count);
    s->low = SW_NEW_ZERO(uint64_t, m->most_items);
    s->placed = SW_NEW_ZERO(bool, m->most_items);
    s->live = SW_NEW_ZERO(uint64_t, m->most_items);
    s->live_outside = SW_NEW_ZERO(uint64_t, m->most_items);
    s->live_all = SW_NEW_ZERO(uint64_t, m->most_sections);
    s->floor = SW_NEW_ZERO(uint64_t, m->most_sections);
    s->rest = SW_NEW_ZERO(uint64_t, m->most_sections);
    s->head = SW_NEW_ZERO(uint32_t, m->most_items);
    s->queue = SW_NEW_ZERO(uint32_t, m->most_items);
    s->queued = SW_NEW_ZERO(bool, m->most_items);
    return s->best && s->made && s->height && s->done && s->low && s->placed && s->live && s->live_outside &&
           s->live_all && s->floor && s->rest && s->head && s->queue && s->queued &&
           new_pivot(&s->pivot, m);
}

void bb_close(void *state) {
    struct bb *s = state;
    if (s) {
        bb_drop_model(s);
        sw_fallback_free(s->instead);
        SW_FREE(s, 1);
    }
}

/* As at the start of a run; what is known is forgotten. */
void bb_begin(struct bb *s, const struct sw_run *run) {
    bb_drop_model(s);
    sw_fallback_free(s->instead);
    *s = (struct bb){.phase = BB_BUILD, .part = SW_NONE};
    s->largest = (uint32_t)sw_params_integer(run->params, run->planner, "largest");
    s->fit = strcmp(sw_params_text(run->params, run->planner, "goal"), "auto") == 0;
    s->node_limit = (uint64_t)sw_params_integer(run->params, run->planner, "nodes");
    const char *how = sw_params_text(run->params, run->planner, "branching");
    s->first_round = strcmp(how, "canonical") == 0 ? UINT64_MAX
                     : strcmp(how, "pivot") == 0   ? 0
                                                   : FIRST_ROUND;
}

bool bb_open(struct sw_run *run, void **state, struct sw_error *error) {
    struct bb *s = SW_NEW_ZERO(struct bb, 1);
    if (!s) {
        return sw_fail_memory(error);
    }
    bb_begin(s, run);
    *state = s;
    return true;
}

/* ---- copies ---- */

#define COPY(to, from, count)                                                                      \
    ((count) > 0 ? (void)memcpy((to), (from), (count) * sizeof *(to)) : (void)0)
#define COPY_ARRAY(to, from)                                                                       \
    (SW_RESERVE(to, (from)->count)                                                                 \
         ? (COPY((to)->items, (from)->items, (from)->count), (to)->count = (from)->count, true)    \
         : false)

static bool copy_arrays(struct bb *copy, const struct bb *s) {
    const struct bb_model *m = s->model;
    if (!bb_new_arrays(copy)) {
        return false;
    }
    COPY(copy->best, s->best, m->item_count);
    COPY(copy->made, s->made, m->item_count);
    COPY(copy->height, s->height, m->part_count);
    COPY(copy->done, s->done, m->part_count);
    COPY(copy->low, s->low, m->most_items);
    COPY(copy->placed, s->placed, m->most_items);
    COPY(copy->live, s->live, m->most_items);
    COPY(copy->live_outside, s->live_outside, m->most_items);
    COPY(copy->live_all, s->live_all, m->most_sections);
    COPY(copy->floor, s->floor, m->most_sections);
    COPY(copy->rest, s->rest, m->most_sections);
    COPY(copy->head, s->head, m->most_items);
    COPY(copy->pivot.ready, s->pivot.ready, m->most_sections);
    COPY(copy->pivot.blame, s->pivot.blame, m->most_sections);
    COPY(copy->pivot.rank, s->pivot.rank, m->most_items);
    COPY(copy->pivot.asleep, s->pivot.asleep, m->most_items);
    COPY(copy->pivot.open, s->pivot.open, bb_words(m->most_items));
    return COPY_ARRAY(&copy->pivot.options, &s->pivot.options) &&
           COPY_ARRAY(&copy->frames, &s->frames) && COPY_ARRAY(&copy->trail, &s->trail) &&
           COPY_ARRAY(&copy->arcs, &s->arcs);
}

/* What a copy must not share. */
static void clear_pivot(struct bb_pivot *v) {
    v->ready = v->blame = v->rank = v->set = NULL;
    v->asleep = v->chosen = NULL;
    v->keys = NULL;
    v->tops = v->open = v->lower = NULL;
    memset(&v->options, 0, sizeof v->options);
    memset(&v->nogoods, 0, sizeof v->nogoods);
}

void *bb_clone(const void *state) {
    const struct bb *s = state;
    struct bb *copy = SW_NEW(struct bb, 1);
    if (!copy) {
        return NULL;
    }
    *copy = *s;
    copy->best = copy->made = copy->height = copy->low = copy->floor = copy->rest = NULL;
    copy->live = copy->live_outside = copy->live_all = NULL;
    copy->done = copy->placed = copy->queued = NULL;
    copy->head = copy->queue = NULL;
    copy->instead = NULL;
    clear_pivot(&copy->pivot);
    memset(&copy->frames, 0, sizeof copy->frames);
    memset(&copy->trail, 0, sizeof copy->trail);
    memset(&copy->arcs, 0, sizeof copy->arcs);
    if (!sw_cow_clone(&copy->pivot.nogoods, &s->pivot.nogoods)) {
        SW_FREE(copy, 1);
        return NULL;
    }
    copy->instead = s->instead ? sw_fallback_clone(s->instead) : NULL;
    if (s->instead && !copy->instead) {
        sw_cow_done(&copy->pivot.nogoods);
        SW_FREE(copy, 1);
        return NULL;
    }
    if (s->model) {
        copy->model->owners++;
        if (!copy_arrays(copy, s)) {
            bb_close(copy);
            return NULL;
        }
    }
    return copy;
}

/* ---- what a state is, and how large ---- */

uint64_t bb_digest(const void *state) {
    const struct bb *s = state;
    uint64_t digest = sw_fold(7, s->at);
    digest = s->instead ? sw_fold(digest, sw_fallback_digest(s->instead)) : digest;
    if (s->phase <= BB_SETTLE) {
        return digest; /* making the model decides nothing */
    }
    digest = sw_fold(sw_fold(digest, s->phase), (uint64_t)s->mode << 32 | s->part);
    digest = sw_fold(sw_fold(digest, s->depth), (uint64_t)s->group << 32 | s->groups);
    digest = sw_fold(sw_fold(digest, s->nodes), s->stopped);
    for (uint32_t i = 0; i < s->model->item_count; i++) {
        digest = sw_fold(digest, s->best[i]);
    }
    for (uint32_t p = 0; p < s->model->part_count; p++) {
        digest = sw_fold(sw_fold(digest, s->height[p]), s->done[p]);
    }
    for (uint32_t d = 0; d <= s->depth && d < s->frames.count; d++) {
        const struct bb_frame *f = &s->frames.items[d];
        digest = sw_fold(digest, (uint64_t)f->item << 32 | f->option);
        digest = sw_fold(digest, (uint64_t)f->wanted << 32 | f->key_item);
        digest = sw_fold(digest, f->key + f->begun);
    }
    for (uint32_t r = 0; r < BB_RULES; r++) {
        digest = sw_fold(digest, s->pruned[r]);
    }
    const struct bb_pivot *v = &s->pivot;
    digest = sw_fold(sw_fold(digest, (uint64_t)v->round << 32 | v->sleepers), v->nodes);
    return sw_fold(sw_fold(digest, v->hash), v->memory);
}

size_t bb_bytes(const void *state) {
    const struct bb *s = state;
    size_t bytes = sizeof *s + (s->instead ? sw_fallback_bytes(s->instead) : 0);
    if (s->model) {
        bytes += s->model->item_count * (sizeof *s->best + sizeof *s->made);
        bytes += s->model->part_count * (sizeof *s->height + sizeof *s->done);
        bytes += s->model->most_items * (3 * sizeof *s->low + 2 * sizeof *s->head + 2);
        bytes += s->model->most_sections * 3 * sizeof *s->floor;
        bytes += s->model->most_items * (sizeof *s->pivot.keys + 2 * sizeof(uint64_t) + 2);
        bytes += s->model->most_sections * 2 * sizeof *s->pivot.ready;
        bytes += bb_words(s->model->most_items) * 2 * sizeof(uint64_t);
        bytes += s->pivot.nogoods.own + s->pivot.options.capacity * sizeof(uint32_t);
    }
    return bytes + s->frames.capacity * sizeof *s->frames.items +
           s->trail.capacity * sizeof *s->trail.items + s->arcs.capacity * sizeof *s->arcs.items;
}
