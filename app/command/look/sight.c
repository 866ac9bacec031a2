/* Where the session stands, and where the user looks: both go along when the run moves. */
#include "command/look/look.h"
#include "command/runs/branches.h"
#include "command/state.h"
#include "planners/planner.h"

/* All branches together keep checkpoints of so many bytes: the present one half, the others the rest in equal
 * parts. With fewer checkpoints going back takes longer, and comes to the same. */
static void share_history(struct sw_session *session) {
    const size_t present = (size_t)256 << 20;
    size_t living = 0;
    for (size_t i = 0; i < sw_branch_count(session); i++) {
        living += sw_branch_at(session, i)->search != NULL;
    }
    for (size_t i = 0; i < sw_branch_count(session); i++) {
        struct sw_search *search = sw_branch_at(session, i)->search;
        if (search) {
            sw_search_budget(search, i == session->current ? present : present / living, 0);
        }
    }
}

/* A planner that changes the model goes on with other buffers. */
static const struct sw_problem *problem_now(const struct sw_session *session) {
    const struct sw_branch *branch = sw_branch_at(session, session->current);
    return sw_search_planner(branch->search)->rewrites ? sw_search_problem(branch->search) : branch->problem;
}

static void stay_inside(struct sw_session *session) {
    uint32_t steps = sw_problem_steps(session->problem), buffers = sw_problem_buffer_count(session->problem);
    if (session->sight.cursor >= steps) {
        session->sight.cursor = steps ? steps - 1 : 0;
    }
    if (session->sight.selected >= buffers) {
        session->sight.selected = SW_NONE;
    }
    session->sight.paired = session->sight.paired && session->sight.other < buffers;
}

void sw_state_use(struct sw_session *session, uint32_t branch) {
    if (session->current != branch) {
        session->current = branch;
        share_history(session);
    }
    session->problem = problem_now(session);
    stay_inside(session);
}

/* After a move: where the planner has changed the model, or it is undone, `problem` is the one that the run is about,
 * and the same buffer, if it has it, is selected. */
static void follow_problem(struct sw_session *session) {
    const struct sw_problem *problem = problem_now(session);
    if (problem == session->problem) {
        return;
    }
    if (session->sight.selected < sw_problem_buffer_count(session->problem)) {
        const char *name = sw_problem_buffer(session->problem, session->sight.selected)->name;
        session->sight.selected = sw_problem_find_buffer(problem, name);
    }
    session->sight.paired = false;
    session->sight.fit = true;
    session->problem = problem;
    sw_state_forget_indexes(session);
    stay_inside(session);
}

const struct sw_view *sw_sight_side(const struct sw_sight *sight) {
    return sight->side > 0 ? sw_view_pane(sight->side) : NULL;
}

/* ---- the window ---- */

void sw_sight_reset(struct sw_session *session) {
    session->sight = (struct sw_sight){
        .tier = 0, .selected = SW_NONE, .candidate = SW_NONE, .cursor = 0, .fit = true, .ghosts = true};
    session->sight.side = (uint8_t)sw_view_pane_number(sw_view_first_pane(sw_state_search(session)));
}

void sw_sight_unfit(struct sw_session *session) {
    struct sw_sight *sight = &session->sight;
    if (sight->fit) {
        sight->viewport = sw_viewport_all(sw_state_search(session), sight->tier);
        sight->fit = false;
    }
}

static void keep_in(double *lo, double *hi, double least, double most) {
    double width = *hi - *lo;
    if (width >= most - least) {
        *lo = least;
        *hi = most;
    } else if (*lo < least) {
        *lo = least;
        *hi = least + width;
    } else if (*hi > most) {
        *hi = most;
        *lo = most - width;
    }
}

void sw_sight_clamp(struct sw_session *session) {
    struct sw_viewport all = sw_viewport_all(sw_state_search(session), session->sight.tier);
    struct sw_viewport *view = &session->sight.viewport;
    keep_in(&view->time_lo, &view->time_hi, all.time_lo, all.time_hi);
    keep_in(&view->bytes_lo, &view->bytes_hi, all.bytes_lo,
            all.bytes_hi > view->bytes_hi - view->bytes_lo ? all.bytes_hi : view->bytes_hi - view->bytes_lo);
}

void sw_sight_show(struct sw_session *session, double time, double bytes) {
    struct sw_sight *sight = &session->sight;
    if (sight->fit) {
        return;
    }
    struct sw_viewport *view = &sight->viewport;
    double width = view->time_hi - view->time_lo, height = view->bytes_hi - view->bytes_lo;
    if (time >= 0 && (time < view->time_lo || time + 1 > view->time_hi)) {
        view->time_lo = time + 0.5 - width / 2;
        view->time_hi = view->time_lo + width;
    }
    if (bytes >= 0 && (bytes < view->bytes_lo || bytes >= view->bytes_hi)) {
        view->bytes_lo = bytes - height / 2;
        view->bytes_hi = view->bytes_lo + height;
    }
    sw_sight_clamp(session);
}

/* ---- the way ---- */

void sw_state_moved(struct sw_session *session) {
    const struct sw_search *search = sw_state_search(session);
    const struct sw_decision *decision = sw_search_decision(search);
    session->sight.candidate = SW_NONE;
    session->sight.scroll = 0;
    if (decision && decision->time != SW_NONE) {
        session->sight.cursor = decision->time;
        sw_sight_show(session, decision->time, -1);
    } else if (sw_search_at(search) == 0) {
        session->sight.cursor = 0;
    }
}

struct sw_way sw_way_begin(const struct sw_session *session) {
    return (struct sw_way){.step = sw_search_at(sw_state_search(session)),
                           .cursor = session->sight.cursor,
                           .time = SW_NONE,
                           .viewport = session->sight.viewport};
}

/* The time of the decision that was passed last; SW_NONE when none of them has one. */
static uint32_t last_time_passed(const struct sw_search *search, uint64_t from, uint64_t to) {
    bool back = to < from;
    uint64_t count = back ? from - to : to - from;
    for (uint64_t i = 0; i < count; i++) {
        const struct sw_decision *decision = sw_search_journal(search, back ? to + i : to - i);
        if (decision && decision->time != SW_NONE) {
            return decision->time;
        }
    }
    return SW_NONE;
}

void sw_way_follow(struct sw_session *session, struct sw_way *way) {
    const struct sw_search *search = sw_state_search(session);
    struct sw_sight *sight = &session->sight;
    uint64_t at = sw_search_at(search);
    follow_problem(session);
    if (at == way->step) {
        return;
    }
    uint32_t time = last_time_passed(search, way->step, at);
    way->time = time == SW_NONE ? way->time : time;
    way->step = at;
    sight->candidate = SW_NONE;
    sight->viewport = way->viewport;
    if (at == 0) {
        way->time = SW_NONE;
        way->cursor = sight->cursor = 0;
    } else if (way->time != SW_NONE) {
        sight->cursor = way->time;
        sw_sight_show(session, way->time, -1);
    }
}
