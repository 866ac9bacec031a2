/* Problems made from other problems, for a planner that sees sizes and sharing differently.
 *
 * token-sharing re-types tensors and lets them share bytes by the graph's own meaning (in-place
 * operators, reshapes, tuples). What it plans, shows and checks is then a problem of its own,
 * derived from the user's; this file makes one, keeps the way back, and bounds it. */
#include "problem/problem_internal.h"
#include "base/base.h"

#include "base/sort.h"

const struct sw_problem *sw_problem_origin(const struct sw_problem *problem) {
    return problem->origin ? problem->origin : problem;
}

bool sw_builder_edit_tensor(struct sw_builder *builder, uint32_t buffer, enum sw_dtype dtype, uint64_t size,
                            uint64_t alignment, struct sw_error *error) {
    if (buffer >= builder->buffers.count) {
        return sw_fail(error, SW_ERROR_USAGE, "there is no such buffer");
    }
    struct sw_buffer_spec *spec = &builder->buffers.items[buffer].spec;
    if (!sw_spec_unpiece(spec) && (!spec->has_size || spec->size != size)) {
        return sw_fail(error, SW_ERROR_UNSUPPORTED, "%s lives in pieces; its size cannot be changed alone", spec->name);
    }
    spec->has_size = true;
    spec->size = size;
    spec->dtype = dtype;
    spec->alignment = alignment;
    return true;
}

/* ---- the bound when groups may share ---- */

struct group_member {
    uint32_t group, buffer;
};

SW_BY_FIELDS(by_group_then_rank, struct group_member, SW_UP(group), SW_UP(buffer))

/* Live bytes at a step, of the largest of members[from .. to) that is alive; they come by first
 * step, and `live` holds those not yet seen dead. */
static uint64_t largest_at(const struct sw_problem *problem, uint32_t step, uint32_t *live, size_t *count) {
    uint64_t largest = 0;
    size_t kept = 0;
    for (size_t i = 0; i < *count; i++) {
        const struct sw_buffer *b = &problem->buffers[live[i]];
        if (b->last < step) {
            continue;
        }
        live[kept++] = live[i];
        uint64_t bytes = sw_buffer_live_bytes(b, step);
        largest = SW_MAX(bytes, largest);
    }
    *count = kept;
    return largest;
}

/* One group, members by program order: take off all but the largest at every step. */
static void share_group(struct sw_problem *problem, const struct group_member *members, size_t count, uint32_t *live) {
    size_t next = 0, alive = 0;
    uint32_t step = problem->buffers[problem->order[members[0].buffer]].first;
    while (next < count || alive > 0) {
        while (next < count && problem->buffers[problem->order[members[next].buffer]].first <= step) {
            live[alive++] = problem->order[members[next++].buffer];
        }
        uint64_t sum = 0, largest = largest_at(problem, step, live, &alive);
        for (size_t i = 0; i < alive; i++) {
            sum += sw_buffer_live_bytes(&problem->buffers[live[i]], step);
        }
        if (alive > 0) {
            problem->profile[step] -= sum - largest;
            step++;
        } else if (next < count) {
            step = problem->buffers[problem->order[members[next].buffer]].first;
        }
    }
}

static uint32_t leader_of(uint32_t *lead, uint32_t b) {
    while (lead[b] != b) {
        lead[b] = lead[lead[b]];
        b = lead[b];
    }
    return b;
}

/* Find the leader of each buffer's group. Permits of `--inplace safe` join groups as well, because pins may
 * share bytes by them. */
static void find_leaders(const struct sw_problem *problem, const uint32_t *group, uint32_t *lead) {
    for (uint32_t b = 0; b < problem->buffer_count; b++) {
        lead[b] = b;
    }
    for (uint32_t b = 0; b < problem->buffer_count; b++) {
        if (group[b] != SW_NONE) {
            lead[leader_of(lead, b)] = leader_of(lead, group[b]);
        }
    }
    for (size_t i = 0; i < problem->permit_count; i++) {
        lead[leader_of(lead, problem->permits[i].fresh)] = leader_of(lead, problem->permits[i].old);
    }
}

static bool bound_groups(struct sw_problem *problem, const uint32_t *group) {
    uint32_t planned = problem->planned_count;
    struct group_member *members = SW_NEW(struct group_member, (size_t)planned + 1);
    uint32_t *live = SW_NEW(uint32_t, (size_t)planned + 1);
    uint32_t *lead = SW_NEW(uint32_t, (size_t)problem->buffer_count + 1);
    size_t count = 0;
    bool ok = members && live && lead;
    if (ok) {
        find_leaders(problem, group, lead);
    }
    for (uint32_t i = 0; ok && i < planned; i++) {
        members[count++] = (struct group_member){leader_of(lead, problem->order[i]), i};
    }
    if (ok && count > 0) {
        qsort(members, count, sizeof *members, by_group_then_rank);
        sw_profile_measure(problem, problem->profile); /* without any sharing */
        for (size_t from = 0, to; from < count; from = to) {
            for (to = from + 1; to < count && members[to].group == members[from].group; to++) {
            }
            if (to - from > 1) {
                share_group(problem, members + from, to - from, live);
            }
        }
        sw_bound_by_step(problem);
        problem->clique = NULL; /* the step is the proof */
        problem->clique_count = 0;
    }
    SW_FREE(members, (size_t)planned + 1);
    SW_FREE(live, (size_t)planned + 1);
    SW_FREE(lead, (size_t)problem->buffer_count + 1);
    return ok;
}

struct sw_problem *sw_builder_finish_derived(struct sw_builder *builder, const struct sw_problem *origin,
                                             const uint32_t *group, struct sw_error *error) {
    struct sw_problem *problem = sw_builder_finish(builder, error);
    if (problem && group && !bound_groups(problem, group)) {
        sw_problem_unref(problem);
        sw_fail_memory(error);
        return NULL;
    }
    if (problem) {
        problem->origin = sw_problem_ref(sw_problem_origin(origin));
    }
    return problem;
}
