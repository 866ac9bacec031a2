/* The decisions of a beam search: one operator more in each way that is kept. */
#include "planners/operators/ordering.h"

/* All operators have run. DONE: the order is no better than one that is known. */
static enum sw_step end_beam(struct ordering *o, const struct sw_run *run, struct sw_decision *decision) {
    uint64_t peak;
    const struct sw_order_state *best = sw_order_beam_best(o->beam, &peak);
    bool better;
    if (!ordering_incumbent(o, best->trail, ordering_stage_of(o)->backward, peak, decision, &better)) {
        return sw_step_memory(run);
    }
    decision->reason = peak <= o->bound ? ordering_least(o) : "the best of the last ways";
    ordering_next_stage(o);
    return better ? SW_STEP_MORE : SW_STEP_DONE;
}

enum sw_step ordering_beam_step(struct ordering *o, struct sw_run *run, struct sw_decision *decision) {
    const struct sw_order_graph *graph = ordering_stage_of(o)->backward ? o->ground->reversed : o->ground->graph;
    struct sw_order_layer layer;
    uint64_t peak;
    if (run->choice >= 0) {
        return sw_place_no_candidate(run, 0);
    }
    if (!o->running) {
        o->beam = sw_order_beam_new(graph, ordering_stage_of(o)->width);
        o->running = o->beam != NULL;
    }
    if (o->running && sw_order_beam_best(o->beam, &peak)->done == graph->operator_count) {
        return end_beam(o, run, decision);
    }
    if (!o->running || !sw_order_beam_step(o->beam, &layer)) {
        return sw_step_memory(run);
    }
    run->work +=
        layer.looked * 4 + (uint64_t)layer.kept * (graph->operator_count / 16 + 1); /* ways looked at, and copied */
    sw_decision_become(decision, SW_DECISION_SELECT_SETS);
    decision->group = o->stage;
    decision->candidates = layer.looked > UINT32_MAX ? UINT32_MAX : (uint32_t)layer.looked;
    decision->select_sets.kept = layer.kept;
    decision->select_sets.done = layer.done;
    decision->select_sets.most = layer.peak;
    decision->select_sets.backward = ordering_stage_of(o)->backward;
    decision->reason = layer.kept < ordering_stage_of(o)->width ? "all sets that may be reached"
                                                                : "the lowest peaks so far, then least alive";
    return SW_STEP_MORE;
}
