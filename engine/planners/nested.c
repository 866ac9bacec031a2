#include "planners/nested.h"

#include "base/hash.h"
#include "planners/planner_internal.h"

struct sw_run sw_nested_lend(const struct sw_nested *nested, const struct sw_run *run) {
    struct sw_run inner = *run;
    inner.planner = nested->planner;
    inner.params = &nested->params;
    inner.explain = nested->silent ? NULL : run->explain;
    if (nested->rules) {
        inner.rules = *nested->rules;
    }
    return inner;
}

void sw_nested_take_back(struct sw_run *run, const struct sw_run *lent) {
    run->layout = lent->layout;
    sw_run_take_back(run, lent);
}

bool sw_planner_open(const struct sw_planner *planner, struct sw_run *run, void **state) {
    *state = sw_mem_new_zero(1, planner->described->size);
    bool ok = *state ? !planner->open || planner->open(*state, run) : sw_fail_memory(run->error);
    if (!ok) {
        sw_described_close(planner->described, *state);
        *state = NULL;
    }
    return ok;
}

bool sw_nested_open(struct sw_nested *nested, const struct sw_planner *planner, struct sw_run *run) {
    nested->planner = planner;
    struct sw_run inner = sw_nested_lend(nested, run);
    bool ok = sw_planner_open(planner, &inner, &nested->state);
    if (ok) {
        sw_nested_take_back(run, &inner);
    } else {
        nested->planner = NULL;
    }
    return ok;
}

enum sw_step sw_nested_step(struct sw_nested *nested, struct sw_run *run, struct sw_decision *decision) {
    struct sw_run inner = sw_nested_lend(nested, run);
    enum sw_step result = nested->planner->step(nested->state, &inner, decision);
    sw_nested_take_back(run, &inner);
    return result;
}

bool sw_nested_constrain(struct sw_nested *nested, struct sw_run *run, const struct sw_override *override) {
    if (!nested->planner || !nested->planner->constrain) {
        return true;
    }
    struct sw_run inner = sw_nested_lend(nested, run);
    bool ok = nested->planner->constrain(nested->state, &inner, override);
    sw_nested_take_back(run, &inner);
    return ok;
}

bool sw_nested_settle(const struct sw_nested *nested, struct sw_run *run) {
    if (!nested->planner || !nested->planner->settle) {
        return true;
    }
    struct sw_run inner = sw_nested_lend(nested, run);
    bool ok = nested->planner->settle(nested->state, &inner);
    sw_nested_take_back(run, &inner);
    return ok;
}

/* ---- its part of the outer planner's state ---- */

static bool nested_copy(void *of, const void *from) {
    struct sw_nested *to = of;
    *to = *(const struct sw_nested *)from;
    void *state = to->state ? sw_described_clone(to->planner->described, to->state) : NULL;
    if ((to->state && !state) || !sw_params_copy(&to->params, &((const struct sw_nested *)from)->params)) {
        if (to->planner) {
            sw_described_close(to->planner->described, state);
        }
        return false;
    }
    to->state = state;
    to->rules = NULL;
    return true;
}

static void nested_done(void *of) {
    struct sw_nested *nested = of;
    if (nested->planner) {
        sw_described_close(nested->planner->described, nested->state);
    }
    sw_params_done(&nested->params);
    *nested = (struct sw_nested){0};
}

static uint64_t nested_digest(const void *of) {
    const struct sw_nested *nested = of;
    return nested->state ? sw_described_digest(nested->planner->described, nested->state) : 0;
}

static size_t nested_bytes(const void *of) {
    const struct sw_nested *nested = of;
    return sizeof *nested + (nested->state ? sw_described_bytes(nested->planner->described, nested->state) : 0);
}

const struct sw_described sw_nested_described = {.size = sizeof(struct sw_nested),
                                                 .copy = nested_copy,
                                                 .done = nested_done,
                                                 .digest = nested_digest,
                                                 .bytes = nested_bytes};

void sw_nested_close(struct sw_nested *nested) {
    nested_done(nested);
}

bool sw_nested_run(struct sw_run *run, const struct sw_planner *planner, struct sw_layout *layout, bool *found) {
    struct sw_nested nested = {.params = {.seed = run->params->seed}, .silent = true};
    struct sw_run inner = *run;
    struct sw_decision decision;
    struct sw_error local = {0};
    inner.layout = layout;
    inner.choice = -1;
    inner.error = &local;
    bool open = sw_nested_open(&nested, planner, &inner);
    enum sw_step result = open ? SW_STEP_MORE : SW_STEP_FAILED;
    while (result == SW_STEP_MORE) {
        result = sw_nested_step(&nested, &inner, &decision);
    }
    sw_nested_close(&nested);
    sw_run_take_back(run, &inner);
    *found = result == SW_STEP_DONE;
    return *found || sw_run_answered(run, &local);
}

void sw_nested_state(const struct sw_nested *nested, const struct sw_run *run, const struct sw_decision *last,
                     struct sw_state_tables *tables) {
    if (nested->planner && nested->planner->state) {
        struct sw_run inner = sw_nested_lend(nested, run);
        nested->planner->state(nested->state, &inner, last, tables);
    }
}

void sw_nested_because(const struct sw_nested *nested, const struct sw_run *run, const struct sw_decision *last,
                       char *text, size_t size) {
    if (nested->planner && nested->planner->because) {
        struct sw_run inner = sw_nested_lend(nested, run);
        nested->planner->because(nested->state, &inner, last, text, size);
    }
}

const struct sw_planner *sw_nested_acting(const struct sw_nested *nested) {
    const struct sw_planner *planner = nested->planner;
    const struct sw_planner *inside = planner && planner->acting ? planner->acting(nested->state) : NULL;
    return inside ? inside : planner;
}
