/* The way back: checkpoints, restoring, forking. */
#include "search/search_internal.h"

#include "base/sort.h"

static void checkpoint_unref(struct sw_checkpoint *checkpoint) {
    if (checkpoint && --checkpoint->references == 0) {
        sw_described_close(checkpoint->planner->described, checkpoint->state);
        sw_layout_free(checkpoint->layout);
        sw_rules_done(&checkpoint->rules);
        SW_FREE(checkpoint, 1);
    }
}

/* A copy of the present; NULL for lack of memory. */
static struct sw_checkpoint *checkpoint_new(const struct sw_search *search) {
    struct sw_checkpoint *checkpoint = SW_NEW_ZERO(struct sw_checkpoint, 1);
    if (!checkpoint) {
        return NULL;
    }
    checkpoint->references = 1;
    checkpoint->at = search->at;
    checkpoint->work = search->run.work;
    checkpoint->applied = search->applied;
    checkpoint->choice = search->run.choice;
    checkpoint->planner = search->planner;
    const struct sw_decision *present = sw_search_decision(search);
    sw_decision_clear(&checkpoint->present);
    checkpoint->present = present ? *present : checkpoint->present;
    checkpoint->layout = sw_layout_clone(search->run.layout, NULL);
    checkpoint->state = sw_described_clone(search->planner->described, search->state);
    if (!checkpoint->layout || !checkpoint->state || !sw_rules_copy(&checkpoint->rules, &search->run.rules)) {
        checkpoint_unref(checkpoint);
        return NULL;
    }
    /* The chunks that the layout copied since the last checkpoint stay alive because of that checkpoint. */
    size_t own = sw_layout_own_bytes(search->run.layout);
    checkpoint->bytes = sizeof *checkpoint + sw_described_bytes(search->planner->described, search->state) +
                        sw_layout_own_bytes(checkpoint->layout) +
                        (own > search->own_before ? own - search->own_before : 0);
    return checkpoint;
}

/* The last checkpoint at or before a step: its index, or SIZE_MAX. */
static size_t nearest_checkpoint(const struct sw_search *search, uint64_t at) {
    return SW_FIRST(i, search->checkpoints.count, search->checkpoints.items[i]->at > at) - 1; /* 0 - 1 = SIZE_MAX */
}

static void drop_checkpoint(struct sw_search *search, size_t index) {
    search->bytes -= search->checkpoints.items[index]->bytes;
    checkpoint_unref(search->checkpoints.items[index]);
    memmove(search->checkpoints.items + index, search->checkpoints.items + index + 1,
            (search->checkpoints.count - index - 1) * sizeof *search->checkpoints.items);
    search->checkpoints.count--;
}

/* How much work lies before a checkpoint. */
static uint64_t work_before(const struct sw_checkpoint *checkpoint) {
    return checkpoint->work + checkpoint->at * SW_WORK_PER_DECISION;
}

static uint64_t distance_to(const struct sw_search *search, size_t index) {
    uint64_t here = search->run.work + search->at * SW_WORK_PER_DECISION;
    uint64_t there = work_before(search->checkpoints.items[index]);
    return there > here ? there - here : here - there;
}

/* Over the budget: drop the checkpoint that leaves the smallest hole, the farthest first among
 * equals, so that every second one goes before any hole doubles again. That of step 0 stays. */
static void thin_out(struct sw_search *search) {
    while (search->bytes > search->budget && search->checkpoints.count > 2) {
        size_t best = 0;
        uint64_t least = UINT64_MAX;
        for (size_t i = 1; i + 1 < search->checkpoints.count; i++) {
            uint64_t from = work_before(search->checkpoints.items[i - 1]);
            uint64_t hole = work_before(search->checkpoints.items[i + 1]) - from;
            hole -= hole % search->spacing; /* nearly equal is equal */
            if (hole < least || (hole == least && distance_to(search, i) > distance_to(search, best))) {
                least = hole;
                best = i;
            }
        }
        drop_checkpoint(search, best);
    }
}

static bool insert_checkpoint(struct sw_search *search, struct sw_checkpoint *checkpoint) {
    if (!checkpoint || !SW_RESERVE(&search->checkpoints, search->checkpoints.count + 1)) {
        checkpoint_unref(checkpoint);
        return false;
    }
    size_t at = nearest_checkpoint(search, checkpoint->at) + 1;
    memmove(search->checkpoints.items + at + 1, search->checkpoints.items + at,
            (search->checkpoints.count - at) * sizeof *search->checkpoints.items);
    search->checkpoints.items[at] = checkpoint;
    search->checkpoints.count++;
    search->bytes += checkpoint->bytes;
    search->own_before = sw_layout_own_bytes(search->run.layout);
    return true;
}

bool sw_history_begin(struct sw_search *search, struct sw_error *error) {
    return search->planner->described->once || insert_checkpoint(search, checkpoint_new(search)) ||
           sw_fail_memory(error);
}

void sw_history_done(struct sw_search *search) {
    for (size_t i = 0; i < search->checkpoints.count; i++) {
        checkpoint_unref(search->checkpoints.items[i]);
    }
    SW_ARRAY_DONE(&search->checkpoints);
    search->bytes = 0;
}

void sw_history_offer(struct sw_search *search) {
    size_t last = nearest_checkpoint(search, search->at);
    if (search->planner->described->once || last == SIZE_MAX) {
        return;
    }
    const struct sw_checkpoint *checkpoint = search->checkpoints.items[last];
    uint64_t work = search->run.work - checkpoint->work + (search->at - checkpoint->at) * SW_WORK_PER_DECISION;
    if (work >= search->spacing && insert_checkpoint(search, checkpoint_new(search))) {
        thin_out(search);
    }
}

/* Become a copy of a checkpoint. On failure nothing has changed. */
static bool adopt_checkpoint(struct sw_search *search, const struct sw_checkpoint *checkpoint, struct sw_error *error) {
    struct sw_rules rules = {0};
    struct sw_layout *layout = sw_layout_clone(checkpoint->layout, error);
    void *state = sw_described_clone(checkpoint->planner->described, checkpoint->state);
    if (!layout || !state || !sw_rules_copy(&rules, &checkpoint->rules)) {
        sw_layout_free(layout);
        sw_described_close(search->planner->described, state);
        return sw_fail_memory(error);
    }
    sw_described_close(search->planner->described, search->state);
    sw_layout_free(search->run.layout);
    sw_rules_done(&search->run.rules);
    search->state = state;
    search->run.layout = layout;
    search->run.rules = rules;
    search->run.work = checkpoint->work;
    search->run.choice = checkpoint->choice;
    sw_search_stand(search, checkpoint->at);
    search->present = checkpoint->present;
    search->applied = checkpoint->applied;
    search->own_before = sw_layout_own_bytes(layout);
    search->broken = false;
    return true;
}

bool sw_history_restore(struct sw_search *search, uint64_t target, struct sw_error *error) {
    size_t index = nearest_checkpoint(search, target);
    bool here = !search->broken && search->at <= target;
    if (index != SIZE_MAX && !(here && search->checkpoints.items[index]->at <= search->at)) {
        return adopt_checkpoint(search, search->checkpoints.items[index], error);
    }
    if (here) {
        return true;
    }
    search->broken = true; /* until it is open again */
    search->broken = !sw_search_reopen(search, error);
    return !search->broken;
}

static void forget_after(struct sw_search *search, uint64_t step) {
    while (search->checkpoints.count > 0 && search->checkpoints.items[search->checkpoints.count - 1]->at > step) {
        drop_checkpoint(search, search->checkpoints.count - 1);
    }
    while (search->handed.count > 0 && search->handed.items[search->handed.count - 1].step > step) {
        sw_problem_unref(search->handed.items[--search->handed.count].problem);
    }
    if (search->known > step) {
        /* Shrinking may have to copy a chunk; when it cannot, the entries stay behind and are
         * overwritten later. */
        (void)(search->forgets || sw_cow_resize(&search->journal, step));
        search->known = step;
    }
}

void sw_history_forget_future(struct sw_search *search) {
    forget_after(search, search->at);
}

void sw_history_forget_changed(struct sw_search *search) {
    for (size_t i = 0; search->planner->rewrites && i < search->handed.count; i++) {
        uint64_t step = search->handed.items[i].step;
        if (search->at < step && search->known > step) {
            forget_after(search, step);
            search->complete = search->failed = false;
            sw_plan_drop(search);
            return;
        }
    }
}

/* ---- forking ---- */

static bool copy_search_lists(struct sw_search *fork, const struct sw_search *search) {
    if (!SW_RESERVE(&fork->checkpoints, search->checkpoints.count) ||
        !SW_RESERVE(&fork->handed, search->handed.count) || !sw_cow_clone(&fork->journal, &search->journal)) {
        return false;
    }
    for (size_t i = 0; i < search->handed.count; i++) {
        sw_problem_ref(search->handed.items[i].problem);
        fork->handed.items[fork->handed.count++] = search->handed.items[i];
    }
    fork->recipe.block = sw_shared_ref(search->recipe.block);
    fork->recipe.count = search->recipe.count;
    for (size_t i = 0; i < search->checkpoints.count; i++) {
        search->checkpoints.items[i]->references++;
        fork->checkpoints.items[fork->checkpoints.count++] = search->checkpoints.items[i];
    }
    return true;
}

struct sw_search *sw_search_fork(const struct sw_search *search, struct sw_error *error) {
    struct sw_search *fork = sw_search_blank(search->given, search->planner, &search->params, error);
    if (!fork) {
        return NULL;
    }
    if (!copy_search_lists(fork, search)) {
        sw_search_free(fork);
        sw_fail_memory(error);
        return NULL;
    }
    fork->known = search->known;
    fork->forgets = search->forgets;
    fork->present = search->present;
    fork->complete = search->complete;
    fork->failed = search->failed;
    fork->failure = search->failure;
    fork->no_room = search->no_room;
    fork->plan = search->plan;
    if (fork->plan) {
        fork->plan->references++;
    }
    fork->budget = search->budget;
    fork->spacing = search->spacing;
    fork->bytes = search->bytes;
    bool ok;
    if (!search->planner->described->once && !search->broken) {
        struct sw_checkpoint *now = checkpoint_new(search);
        ok = now ? adopt_checkpoint(fork, now, error) : sw_fail_memory(error);
        checkpoint_unref(now);
    } else if (!search->planner->described->once) {
        fork->broken = true; /* it has no state yet: from a checkpoint */
        ok = sw_search_seek(fork, search->at, error);
    } else {
        ok = sw_search_reopen(fork, error) && sw_search_seek(fork, search->at, error); /* run again: it has no copies */
    }
    if (!ok) {
        sw_search_free(fork);
        return NULL;
    }
    return fork;
}

void sw_search_budget(struct sw_search *search, size_t bytes, uint64_t spacing) {
    search->budget = bytes;
    search->spacing = spacing ? spacing : search->spacing;
    thin_out(search);
}

void sw_search_only_end(struct sw_search *search) {
    if (search->planner->settle) {
        sw_search_budget(search, (size_t)32 << 20, 0);
    }
    if (search->planner->settle || search->planner->one_layout) {
        sw_search_forget(search);
    }
}

size_t sw_search_checkpoints(const struct sw_search *search) {
    return search->checkpoints.count;
}
