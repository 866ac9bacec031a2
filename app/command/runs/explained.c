/* Why the present decision was taken, and the places it looked at: kept until another decision is shown. */
#include "command/runs/branches.h"
#include "command/state.h"

struct sw_explained {
    struct sw_explanation explanation; /* of `branch`, decision `step` */
    uint32_t branch;
    uint64_t step;
    bool valid;
};

SW_SESSION_PART(explained, sw_explanation_done(&explained->explanation));

void sw_explained_forget(struct sw_session *session) {
    session->explained->valid = false;
}

static void keep_explained(struct sw_session *session, uint64_t step) {
    session->explained->valid = true;
    session->explained->branch = session->current;
    session->explained->step = step;
}

enum sw_step sw_explained_step(struct sw_session *session, struct sw_error *error) {
    struct sw_search *search = sw_state_search(session);
    struct sw_explained *explained = session->explained;
    explained->valid = false;
    enum sw_step result = sw_search_step_explained(search, &explained->explanation, error);
    if (result == SW_STEP_MORE) {
        keep_explained(session, sw_search_at(search));
    }
    return result;
}

const struct sw_explanation *sw_state_explanation(struct sw_session *session) {
    const struct sw_search *search = sw_state_search(session);
    struct sw_explained *explained = session->explained;
    uint64_t at = sw_search_at(search);
    if (at == 0 || session->job.kind) {
        return NULL;
    }
    if (explained->valid && explained->branch == session->current && explained->step == at) {
        return &explained->explanation;
    }
    explained->valid = false;
    sw_explanation_clear(&explained->explanation);
    struct sw_error error = {0};
    if (!sw_search_explain(search, at, &explained->explanation, &error)) {
        session->missed |= error.code == SW_ERROR_MEMORY;
        return NULL;
    }
    keep_explained(session, at);
    return &explained->explanation;
}

void sw_explained_view(struct sw_session *session, struct sw_view_input *in) {
    in->run.explanation = sw_state_explanation(session);
}
