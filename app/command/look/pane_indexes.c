/* What panes read out of the journal and the layout, kept from frame to frame. */
#include "command/look/look.h"
#include "command/state.h"
#include "view/goal.h"

/* What panes read out of a run, good as long as its branch is. */
struct indexes {
    const struct sw_search *search; /* what they are of */
    struct sw_tree tree;
    struct sw_trend trend;
    struct sw_costs costs;
    uint64_t layout; /* the digest of what was priced */
    bool priced;
};

struct sw_frames {
    struct indexes indexes;
    struct sw_facts facts; /* of the state that `facts_key` names */
    uint64_t facts_key;
    bool facts_valid;
    struct sw_frame_cache *cache; /* for the map; made with the first frame; NULL: from scratch */
};

static void forget_panes(struct indexes *indexes) {
    sw_tree_done(&indexes->tree);
    sw_trend_done(&indexes->trend);
    sw_costs_done(&indexes->costs);
    *indexes = (struct indexes){0};
}

static void forget_frames(struct sw_frames *frames) {
    forget_panes(&frames->indexes);
    sw_facts_done(&frames->facts);
    sw_frame_cache_free(frames->cache);
}

SW_SESSION_PART(frames, forget_frames(frames));

void sw_state_forget_indexes(struct sw_session *session) {
    forget_panes(&session->frames->indexes);
    sw_frame_cache_clear(session->frames->cache);
}

/* What the planner says, as long as nothing has moved. */
static const struct sw_facts *facts_now(struct sw_session *session) {
    const struct sw_search *search = sw_state_search(session);
    uint64_t key = sw_fold((uint64_t)(uintptr_t)search, sw_search_at(search));
    key = sw_fold(key, sw_layout_digest(sw_search_layout(search)));
    key = sw_fold(sw_fold(key, session->current), sw_search_work(search));
    if (!session->frames->facts_valid || session->frames->facts_key != key) {
        session->frames->facts_valid = sw_facts_gather(&session->frames->facts, search);
        session->frames->facts_key = key;
    }
    return session->frames->facts_valid ? &session->frames->facts : NULL;
}

/* Journals only grow, and each branch has its own. Without memory a pane reads for itself. */
static void read_indexes(struct sw_session *session, unsigned reads, struct sw_view_input *in) {
    struct indexes *indexes = &session->frames->indexes;
    const struct sw_search *search = sw_state_search(session);
    if (indexes->search != search) {
        forget_panes(indexes);
        indexes->search = search;
    }
    if (reads & SW_VIEW_READS_TREE && sw_tree_read(&indexes->tree, search)) {
        in->run.tree = &indexes->tree;
    }
    if (reads & SW_VIEW_READS_TREND && sw_trend_read(&indexes->trend, search)) {
        in->run.trend = &indexes->trend;
    }
    if (reads & SW_VIEW_READS_COSTS) {
        uint64_t key = sw_layout_digest(sw_search_layout(search));
        if (!indexes->priced || indexes->layout != key) {
            indexes->priced = sw_costs_of(search, &indexes->costs);
            indexes->layout = key;
        }
        in->run.costs = indexes->priced ? &indexes->costs : NULL;
    }
    if (reads & SW_VIEW_READS_FACTS) {
        in->run.facts = facts_now(session);
    }
}

void sw_frames_view(struct sw_session *session, struct sw_view_input *in) {
    session->frames->cache = session->frames->cache ? session->frames->cache : sw_frame_cache_new();
    in->kept = session->display.scratch ? NULL : session->frames->cache;
    read_indexes(session, sw_view_goal_reads(in->run.search) | (in->look.side ? in->look.side->reads : 0), in);
}
