/* The decisions of a beam search: one operator more in each way that is kept. */
#include "planners/operators/ordering.h"

enum sw_step ordering_beam_step(struct ordering *o, struct sw_run *run, struct sw_decision *decision) {
    const struct sw_order_graph *graph = ordering_graph_of(o);
    struct sw_order_layer layer;
    uint64_t peak;
    if (run->choice >= 0) {
        return sw_place_no_candidate(run, 0);
    }
    if (!o->running) {
        o->beam = sw_order_beam_new(graph, ordering_stage_of(o)->width);
        o->running = o->beam != NULL;
    }
    const struct sw_order_state *best = o->running ? sw_order_beam_best(o->beam, &peak) : NULL;
    if (best && best->done == graph->operator_count) {
        return ordering_end_stage(o, run, best->trail, peak, "the best of the last ways", decision);
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
