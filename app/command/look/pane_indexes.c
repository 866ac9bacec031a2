/* What panes read out of the journal and the layout, kept from frame to frame. */
#include "command/state.h"

static void forget_panes(struct sw_indexes *indexes) {
    sw_tree_done(&indexes->tree);
    sw_trend_done(&indexes->trend);
    sw_costs_done(&indexes->costs);
    *indexes = (struct sw_indexes){0};
}

void sw_state_forget_indexes(struct sw_session *session) {
    forget_panes(&session->indexes);
    sw_frame_cache_clear(session->frame_cache);
}

/* Journals only grow, and each branch has its own. Without memory a pane reads for itself. */
void sw_state_indexes(struct sw_session *session, unsigned reads, struct sw_view_input *in) {
    struct sw_indexes *indexes = &session->indexes;
    const struct sw_search *search = sw_state_search(session);
    if (indexes->search != search) {
        forget_panes(indexes);
        indexes->search = search;
    }
    if (reads & SW_VIEW_READS_TREE && sw_tree_read(&indexes->tree, search)) {
        in->tree = &indexes->tree;
    }
    if (reads & SW_VIEW_READS_TREND && sw_trend_read(&indexes->trend, search)) {
        in->trend = &indexes->trend;
    }
    if (reads & SW_VIEW_READS_COSTS) {
        uint64_t key = sw_layout_digest(sw_search_layout(search));
        if (!indexes->priced || indexes->layout != key) {
            indexes->priced = sw_costs_of(search, &indexes->costs);
            indexes->layout = key;
        }
        in->costs = indexes->priced ? &indexes->costs : NULL;
    }
    if (reads & SW_VIEW_READS_FACTS) {
        in->facts = sw_state_facts(session);
    }
}

struct sw_frame_cache *sw_state_kept(struct sw_session *session) {
    session->frame_cache = session->frame_cache ? session->frame_cache : sw_frame_cache_new();
    return session->display.scratch ? NULL : session->frame_cache;
}
