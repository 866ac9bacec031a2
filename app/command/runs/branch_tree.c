/* The tree of what-ifs as a whole: its lines for the pane, names, and branches thrown away. */
#include "base/base.h"
#include "command/look/look.h"
#include "command/runs/branches.h"
#include "command/state.h"

/* ---- the lines of the tree ---- */

static struct sw_branch_line line_of(struct sw_session *session, uint32_t i, uint32_t depth) {
    struct sw_branch *branch = sw_branch_at(session, i);
    bool ended = sw_branch_ended(branch);
    struct sw_branch_line line = {.number = i + 1,
                                  .depth = depth,
                                  .what = branch->what,
                                  .name = branch->name ? branch->name : "",
                                  .current = i == session->current,
                                  .ended = ended,
                                  .at = sw_search_at(branch->search),
                                  .bound = branch->figured ? branch->bound : sw_problem_lower_bound(branch->problem),
                                  .cost = branch->figured ? branch->cost : NAN,
                                  .feasible = branch->feasible,
                                  .fits = branch->fits && !branch->broken,
                                  .peak = branch->peak,
                                  .problem = branch->problem,
                                  .tier_peak = sw_branch_uses_several(branch) ? branch->tier_peak : NULL,
                                  .figured = branch->figured,
                                  .has_migration = branch->figured && branch->has_migration,
                                  .migration = branch->migration};
    if (branch->parent != SW_NONE) {
        struct sw_branch *parent = sw_branch_at(session, branch->parent);
        line.has_parent = true;
        line.parent_ended = sw_branch_ended(parent) && parent->feasible;
        line.parent_peak = parent->peak;
        bool alike = sw_problem_tier_count(parent->problem) == sw_problem_tier_count(branch->problem);
        if (line.parent_ended && alike && (sw_branch_uses_several(branch) || sw_branch_uses_several(parent))) {
            line.tier_peak = branch->tier_peak;
            line.parent_tier_peak = parent->tier_peak;
        }
    }
    return line;
}

uint32_t sw_branch_parent(const struct sw_session *session, uint32_t i) {
    uint32_t parent = sw_branch_at(session, i)->parent;
    while (parent != SW_NONE && sw_branch_at(session, parent)->hidden) {
        parent = sw_branch_at(session, parent)->parent;
    }
    return parent;
}

/* First child and next sibling, per branch; the last entry is the root of all. */
struct kin {
    uint32_t child, last, next, depth;
};

static void join_kin(const struct sw_session *session, struct kin *kin, uint32_t count) {
    for (uint32_t i = 0; i <= count; i++) {
        kin[i] = (struct kin){SW_NONE, SW_NONE, SW_NONE, 0};
    }
    for (uint32_t i = 0; i < count; i++) { /* parents come before their children */
        const struct sw_branch *branch = sw_branch_at(session, i);
        if (!sw_branch_lives(branch)) {
            continue;
        }
        uint32_t parent = sw_branch_parent(session, i);
        struct kin *up = &kin[parent == SW_NONE ? count : parent];
        kin[i].depth = parent == SW_NONE ? 0 : up->depth + 1;
        if (up->last == SW_NONE) {
            up->child = i;
        } else {
            kin[up->last].next = i;
        }
        up->last = i;
    }
}

/* Children follow their parents, in the order in which they were made. */
void sw_branches_view(struct sw_session *session, struct sw_view_input *in) {
    uint32_t count = (uint32_t)sw_branch_count(session);
    struct kin *kin = SW_NEW(struct kin, (size_t)count + 1);
    session->branches->lines.count = 0;
    if (kin && SW_RESERVE(&session->branches->lines, count)) {
        join_kin(session, kin, count);
        for (uint32_t i = kin[count].child; i != SW_NONE;) {
            session->branches->lines.items[session->branches->lines.count++] = line_of(session, i, kin[i].depth);
            uint32_t next = kin[i].child;
            while (next == SW_NONE && i != SW_NONE) { /* up, until there is a sibling */
                next = kin[i].next;
                i = next == SW_NONE ? sw_branch_parent(session, i) : i;
            }
            i = next;
        }
    } else {
        session->missed = true;
    }
    SW_FREE(kin, (size_t)count + 1);
    in->run.branches = session->branches->lines.items;
    in->run.branch_count = (uint32_t)session->branches->lines.count;
}

/* ---- names ---- */

bool sw_branch_number(const struct sw_session *session, const struct sw_given_value *value, uint32_t *branch,
                      struct sw_error *error) {
    uint64_t number = value->word ? value->number : session->current + UINT64_C(1);
    if (number == 0 || number > sw_branch_count(session) || sw_branch_at(session, number - 1)->hidden) {
        bool was = number > 0 && number <= sw_branch_count(session);
        return sw_fail(error, SW_ERROR_USAGE, "there is no branch %" PRIu64 "%s", number,
                       was ? ": it was undone or dropped" : "");
    }
    *branch = (uint32_t)number - 1;
    return true;
}

bool sw_do_name(struct sw_session *session, const struct sw_given *given, struct sw_error *error) {
    uint32_t which = 0;
    if (!sw_branch_number(session, &given->value[1], &which, error)) {
        return false;
    }
    if (strlen(given->words[0]) > 60) {
        return sw_fail(error, SW_ERROR_USAGE, "a name has at most 60 bytes");
    }
    char *name = sw_state_copy(given->words[0]);
    if (!name) {
        return sw_fail_memory(error);
    }
    sw_state_drop(sw_branch_at(session, which)->name);
    sw_branch_at(session, which)->name = name;
    sw_session_say(session, false, "branch %u is %s", which + 1, name);
    return true;
}

/* ---- thrown away ---- */

static bool is_below_branch(const struct sw_session *session, uint32_t branch, uint32_t root) {
    while (branch != SW_NONE && branch != root) {
        branch = sw_branch_at(session, branch)->parent;
    }
    return branch == root;
}

bool sw_do_drop(struct sw_session *session, const struct sw_given *given, struct sw_error *error) {
    uint32_t root = 0;
    struct sw_undo_point before = {0};
    if (!sw_branch_number(session, &given->value[0], &root, error)) {
        return false;
    }
    if (root == 0) {
        return sw_fail(error, SW_ERROR_USAGE, "the first branch stays");
    }
    sw_undo_point_take(session, &before);
    bool leaves = is_below_branch(session, session->current, root);
    uint32_t to = leaves ? sw_branch_parent(session, root) : session->current;
    struct sw_branch_change room = {0}; /* first, so that nothing is half done */
    if (!SW_RESERVE(&room.dropped, sw_branch_count(session))) {
        sw_undo_point_done(&before);
        return sw_fail_memory(error);
    }
    if (!sw_change_record(session, &before, SW_NONE, error)) {
        SW_ARRAY_DONE(&room.dropped);
        return false;
    }
    struct sw_branch_change *change = sw_change_last(session);
    memcpy(&change->dropped, &room.dropped, sizeof change->dropped);
    for (uint32_t i = 0; i < sw_branch_count(session); i++) {
        if (!sw_branch_at(session, i)->hidden && is_below_branch(session, i, root)) {
            change->dropped.items[change->dropped.count++] = i;
            sw_branch_at(session, i)->hidden = true;
        }
    }
    size_t dropped = change->dropped.count;
    sw_undo_point_done(&change->after);
    if (leaves) {
        sw_state_use(session, to);
        sw_state_moved(session);
    }
    sw_undo_point_take(session, &change->after);
    sw_session_say(session, false, "dropped %zu branch%s; undo brings %s back", dropped, dropped == 1 ? "" : "es",
                   dropped == 1 ? "it" : "them");
    return true;
}

/* ---- what led there ---- */

static void add_what_ifs(const struct sw_session *session, uint32_t i, struct sw_sink *out) {
    const struct sw_branch *branch = sw_branch_at(session, i);
    if (branch->parent == SW_NONE) {
        return;
    }
    size_t before = out->text.count;
    add_what_ifs(session, branch->parent, out);
    sw_sink_printf(out, "%s%s", out->text.count > before ? ", " : "", branch->what);
}

void sw_session_what_ifs(const struct sw_session *session, struct sw_sink *out) {
    add_what_ifs(session, session->current, out);
}
