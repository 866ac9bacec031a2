/* branch-and-bound: the state of a run, from its making to its end. What hangs on the model is made
 * with it; a copy shares the model, which never changes, and owns the rest. See branch_and_bound.h.
 */
#include "planners/exact/branch_and_bound.h"
#include "base/base.h"

enum { FIRST_ROUND = 2000 }; /* nodes of the canonical round */

static uint64_t bb_digest(const void *state) {
    const struct bb *s = state;
    uint64_t digest = sw_fold(7, s->at);
    digest = s->instead ? sw_fold(digest, sw_described_digest(&sw_fallback_described, s->instead)) : digest;
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

SW_OWNERS(model, struct bb_model, bb_model_drop)

#define COUNT_BB(name, expression) SW_HOW_MANY(name, struct bb, expression)
COUNT_BB(items_of, o->model->item_count)
COUNT_BB(parts_of, o->model->part_count)
COUNT_BB(most_of, o->model->most_items)
COUNT_BB(bits_of, bb_words(o->model->most_items))
COUNT_BB(sections_of, o->model->most_sections)
#define STATE struct bb
const struct sw_described bb_described = {
    SW_STRUCT, .digest = bb_digest,
    .fields = SW_FIELDS(
        SW_OWNED(instead, &sw_fallback_described), SW_KEPT(largest, largest), SW_POINTER(model, &model_pointed),
        SW_KEPT(phase, target), SW_ITEMS(best, items_of), SW_ITEMS(made, items_of), SW_ITEMS(height, parts_of),
        SW_ITEMS(done, parts_of), SW_ITEMS(low, most_of), SW_ITEMS(placed, most_of), SW_ITEMS(live, most_of),
        SW_ITEMS(live_outside, most_of), SW_ITEMS(live_all, sections_of), SW_ITEMS(floor, sections_of),
        SW_ITEMS(rest, sections_of), SW_ITEMS(head, most_of), SW_ITEMS(queue, most_of), SW_ITEMS(queued, most_of),
        SW_LIST(frames), SW_LIST(trail), SW_LIST(arcs), SW_KEPT(part_nodes, first_round),
        SW_KEPT(pivot.round, pivot.sleepers), SW_ITEMS(pivot.ready, sections_of), SW_ITEMS(pivot.blame, sections_of),
        SW_ITEMS(pivot.rank, most_of), SW_ITEMS(pivot.asleep, most_of), SW_LIST(pivot.options),
        SW_PART(pivot.nogoods, &sw_cow_described), SW_ITEMS(pivot.keys, most_of), SW_ITEMS(pivot.set, most_of),
        SW_KEPT(pivot.set_count, pivot.set_count), SW_ITEMS(pivot.tops, most_of), SW_KEPT(pivot.waiting, pivot.waiting),
        SW_ITEMS(pivot.chosen, most_of), SW_ITEMS(pivot.open, bits_of), SW_ITEMS(pivot.lower, bits_of),
        SW_KEPT(pivot.lower_count, pivot.lower_count))};
#undef STATE

/* ---- made and dropped ---- */

void bb_begin(struct bb *s, const struct sw_run *run) {
    sw_described_done(&bb_described, s);
    s->phase = BB_BUILD;
    s->part = SW_NONE;
    s->largest = (uint32_t)sw_params_integer(run->params, run->planner, "largest");
    s->fit = strcmp(sw_params_text(run->params, run->planner, "goal"), "auto") == 0;
    s->node_limit = (uint64_t)sw_params_integer(run->params, run->planner, "nodes");
    const char *how = sw_params_text(run->params, run->planner, "branching");
    s->first_round = strcmp(how, "canonical") == 0 ? UINT64_MAX : strcmp(how, "pivot") == 0 ? 0 : FIRST_ROUND;
}

bool bb_open(void *state, struct sw_run *run) {
    bb_begin(state, run);
    return true;
}
