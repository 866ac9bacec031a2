/* The difference between two layouts, written so that a reader that knows the first gets the second.
 *
 * Most decisions do what their kind says: they put one block somewhere, or leave the layout alone. So that is tried
 * first, on the layout kept, together with the transfers and permits that were added; when the digests agree then,
 * there is nothing to look for. Else the try is taken back, the two layouts are compared, and a clone of the new one is
 * kept. A clone shares its chunks with the layout, so that the next comparison passes over what has not been touched.
 */
#include "formats/trace/trace_changes.h"
#include "base/minmax.h"
#include "formats/plans/finished_plan.h"
#include "formats/trace/trace_objects.h"

bool sw_trace_layout_start(struct sw_trace_layout *layout, const struct sw_problem *problem, struct sw_error *error) {
    *layout = (struct sw_trace_layout){.before = sw_layout_new(problem, error)};
    return layout->before != NULL;
}

void sw_trace_layout_done(struct sw_trace_layout *layout) {
    sw_layout_free(layout->before);
    SW_ARRAY_DONE(&layout->spanned, &layout->some);
}

struct trace_arenas {
    uint64_t of[SW_MAX_TIERS];
};

/* One decision under way. */
struct changed_step {
    struct sw_trace_layout *kept;
    const struct sw_layout *after;
    const struct sw_problem *problem;
    const struct sw_decision *decision;
    struct sw_json_out *json;
    bool places;                /* its kind says that it puts its buffer there */
    size_t transfers, permits;  /* how many there were before */
    struct trace_arenas arenas; /* before; and then what they come to by what is written */
    bool moved;                 /* a block that had a place is elsewhere, or nowhere */
};

static struct sw_placement decided_placement(const struct sw_decision *decision) {
    return (struct sw_placement){decision->buffer, decision->tier, decision->offset, SW_WHOLE_LIFE};
}

static bool is_life_whole(const struct sw_placement *p) {
    return p->span.from == SW_WHOLE_LIFE.from && p->span.to == SW_WHOLE_LIFE.to;
}

static bool same_placement(const struct sw_placement *a, const struct sw_placement *b) {
    return a->buffer == b->buffer && a->tier == b->tier && a->offset == b->offset && a->span.from == b->span.from &&
           a->span.to == b->span.to;
}

static bool is_spanned(const struct sw_layout *layout, uint32_t buffer) {
    struct sw_placement first;
    return sw_layout_placement(layout, buffer, 0, &first) && !is_life_whole(&first);
}

/* ---- arenas ---- */

static struct trace_arenas arenas_of(const struct sw_layout *layout) {
    struct trace_arenas arenas = {{0}};
    for (uint32_t t = 0; t < sw_problem_tier_count(sw_layout_problem(layout)); t++) {
        arenas.of[t] = sw_layout_arena(layout, t);
    }
    return arenas;
}

static void set_arenas(struct sw_layout *layout, const struct trace_arenas *arenas) {
    for (uint32_t t = 0; t < sw_problem_tier_count(sw_layout_problem(layout)); t++) {
        sw_layout_set_arena(layout, t, arenas->of[t]);
    }
}

/* A reader raises the arena of the tier as far. */
static void raise_step_arena(struct changed_step *step, const struct sw_placement *placed) {
    uint64_t end = placed->offset + sw_problem_buffer(step->problem, placed->buffer)->size;
    step->arenas.of[placed->tier] = SW_MAX(step->arenas.of[placed->tier], end);
}

/* Nothing, when a reader comes to the same arenas by itself. */
static void put_arenas(const struct changed_step *step) {
    uint32_t tiers = sw_problem_tier_count(step->problem);
    bool same = !step->moved;
    for (uint32_t t = 0; t < tiers; t++) {
        same = same && step->arenas.of[t] == sw_layout_arena(step->after, t);
    }
    if (same) {
        return;
    }
    sw_put_object(step->json, "arenas");
    for (uint32_t t = 0; t < tiers; t++) {
        sw_put_count(step->json, sw_problem_tier(step->problem, t)->name, sw_layout_arena(step->after, t));
    }
    sw_put_end(step->json);
}

/* ---- placements ---- */

static const char *step_buffer_name(const struct changed_step *step, uint32_t buffer) {
    return sw_problem_buffer(step->problem, buffer)->name;
}

static void put_step_placement(struct changed_step *step, const struct sw_placement *p) {
    uint32_t last = sw_problem_steps(step->problem) - 1, to = SW_MIN(p->span.to, last);
    struct sw_json_out *json = step->json;
    sw_put_object(json, NULL);
    sw_put_text(json, "buffer", step_buffer_name(step, p->buffer));
    sw_put_text(json, "tier", sw_problem_tier(step->problem, p->tier)->name);
    sw_put_count(json, "offset", p->offset);
    if (!is_life_whole(p)) {
        sw_put_time(json, "from", sw_problem_time(step->problem, p->span.from));
        sw_put_time(json, "to", sw_problem_time(step->problem, to + 1) - 1);
    }
    sw_put_end(json);
    raise_step_arena(step, p);
}

/* All that a buffer has now. */
static void put_unplaced(struct changed_step *step, uint32_t buffer) {
    struct sw_placement placement;
    if (!sw_layout_placed(step->after, buffer)) {
        sw_put_object(step->json, NULL);
        sw_put_text(step->json, "buffer", step_buffer_name(step, buffer));
        sw_put_null(step->json, "offset");
        sw_put_end(step->json);
        return;
    }
    for (uint32_t k = 0; sw_layout_placement(step->after, buffer, k, &placement); k++) {
        put_step_placement(step, &placement);
    }
}

/* ---- transfers and permits ---- */

static void put_new_transfers(const struct changed_step *step, size_t from) {
    sw_put_list(step->json, "transfers");
    for (size_t i = from; i < sw_layout_transfer_count(step->after); i++) {
        struct sw_transfer transfer = sw_layout_transfer_get(step->after, i);
        sw_plan_put_transfer(step->problem, &transfer, NULL, step->json);
    }
    sw_put_end(step->json);
    if (from < step->transfers) {
        sw_put_truth(step->json, "transfers_again", true);
    }
}

static void put_permits(const struct changed_step *step, size_t from) {
    sw_put_list(step->json, "permits");
    for (size_t i = from; i < sw_layout_permit_count(step->after); i++) {
        struct sw_permit permit = sw_layout_permit_get(step->after, i);
        sw_plan_put_permit(step->problem, &permit, step->json);
    }
    sw_put_end(step->json);
    if (from < step->permits) {
        sw_put_truth(step->json, "permits_again", true);
    }
}

/* From which one on they are new: those before stand in the layout kept, in the same order; 0, when not. */
static size_t new_transfers(const struct changed_step *step) {
    size_t count = sw_layout_transfer_count(step->after);
    for (size_t i = 0; i < step->transfers; i++) {
        struct sw_transfer a = sw_layout_transfer_get(step->kept->before, i);
        struct sw_transfer b = i < count ? sw_layout_transfer_get(step->after, i) : a;
        if (i >= count || a.buffer != b.buffer || a.step != b.step || a.from != b.from || a.to != b.to) {
            return 0;
        }
    }
    return step->transfers;
}

static size_t new_permits(const struct changed_step *step) {
    size_t count = sw_layout_permit_count(step->after);
    for (size_t i = 0; i < step->permits; i++) {
        struct sw_permit a = sw_layout_permit_get(step->kept->before, i);
        struct sw_permit b = i < count ? sw_layout_permit_get(step->after, i) : a;
        if (i >= count || a.fresh != b.fresh || a.old != b.old || a.step != b.step) {
            return 0;
        }
    }
    return step->permits;
}

/* Transfers and permits from these on are new; were earlier ones forgotten, or are there any? */
static void put_lists(const struct changed_step *step, size_t transfers, size_t permits) {
    if (transfers < step->transfers || sw_layout_transfer_count(step->after) > transfers) {
        put_new_transfers(step, transfers);
    }
    if (permits < step->permits || sw_layout_permit_count(step->after) > permits) {
        put_permits(step, permits);
    }
}

static bool has_lists(const struct changed_step *step, size_t transfers, size_t permits) {
    return transfers < step->transfers || sw_layout_transfer_count(step->after) > transfers ||
           permits < step->permits || sw_layout_permit_count(step->after) > permits;
}

/* ---- what the kind says, tried ---- */

/* What was added behind the transfers and permits that there were. False: no memory. */
static bool take_lists(const struct changed_step *step) {
    struct sw_layout *before = step->kept->before;
    for (size_t i = step->transfers; i < sw_layout_transfer_count(step->after); i++) {
        struct sw_transfer transfer = sw_layout_transfer_get(step->after, i);
        if (!sw_layout_transfer(before, &transfer)) {
            return false;
        }
    }
    for (size_t i = step->permits; i < sw_layout_permit_count(step->after); i++) {
        struct sw_permit permit = sw_layout_permit_get(step->after, i);
        if (!sw_layout_permit(before, &permit)) {
            return false;
        }
    }
    return true;
}

/* Take the placement back. Arenas, and what was added to the lists, stay: this layout is given up after the comparison.
 */
static bool untry(const struct changed_step *step, bool was_placed, const struct sw_placement *was) {
    struct sw_layout *before = step->kept->before;
    return !step->places || (was_placed ? sw_layout_place(before, was->buffer, was->tier, was->offset)
                                        : sw_layout_lift(before, step->decision->buffer));
}

enum tried { TRIED_SAME, TRIED_OTHER, TRIED_NO_MEMORY };

static enum tried try_kind(struct changed_step *step) {
    struct sw_layout *before = step->kept->before;
    const struct sw_decision *d = step->decision;
    const struct trace_arenas now = arenas_of(step->after);
    struct sw_placement there = decided_placement(d), was = there;
    bool was_placed = step->places && sw_layout_placement(before, d->buffer, 0, &was);
    if (was_placed && !is_life_whole(&was)) {
        return TRIED_OTHER;
    }
    if ((step->places && !sw_layout_place(before, d->buffer, d->tier, d->offset)) || !take_lists(step)) {
        return TRIED_NO_MEMORY;
    }
    set_arenas(before, &now);
    if (sw_layout_digest(before) != sw_layout_digest(step->after)) {
        return untry(step, was_placed, &was) ? TRIED_OTHER : TRIED_NO_MEMORY;
    }
    step->moved = was_placed && !same_placement(&was, &there);
    return TRIED_SAME;
}

/* With lists, the placement must be said as well. */
static void put_tried(struct changed_step *step) {
    struct sw_placement there = decided_placement(step->decision);
    bool lists = has_lists(step, step->transfers, step->permits);
    if (lists) {
        sw_put_list(step->json, "changes");
    }
    if (lists && step->places) {
        put_step_placement(step, &there);
    } else if (step->places) {
        raise_step_arena(step, &there);
    }
    if (lists) {
        sw_put_end(step->json);
        put_lists(step, step->transfers, step->permits);
    }
}

/* ---- compared ---- */

enum { SOME_CHANGES = 64 };

static bool note_block(struct changed_step *step, const struct sw_layout_block *block) {
    return SW_PUSH(&step->kept->some, *block) &&
           (!is_spanned(step->after, block->buffer) || is_spanned(step->kept->before, block->buffer) ||
            SW_PUSH(&step->kept->spanned, block->buffer));
}

/* Those that lie elsewhere in `layout` than in `other`; gone: only those that `other` has not placed at all. */
static bool note_blocks(struct changed_step *step, const struct sw_layout *layout, const struct sw_layout *other,
                        bool gone) {
    struct sw_layout_block blocks[SOME_CHANGES];
    size_t some;
    for (uint32_t rank = 0;
         (some = sw_layout_blocks_of(layout, other, 0, UINT32_MAX, &rank, blocks, SOME_CHANGES)) > 0;) {
        for (size_t i = 0; i < some; i++) {
            bool both = sw_layout_placed(other, blocks[i].buffer);
            step->moved = step->moved || gone || both;
            if (!(gone && both) && !note_block(step, &blocks[i])) {
                return false;
            }
        }
    }
    return true;
}

static bool same_spans(const struct changed_step *step, uint32_t buffer) {
    struct sw_placement a, b;
    for (uint32_t k = 0;; k++) {
        bool before = sw_layout_placement(step->kept->before, buffer, k, &a);
        bool after = sw_layout_placement(step->after, buffer, k, &b);
        if (!before || !after) {
            return before == after;
        }
        if (!same_placement(&a, &b)) {
            return false;
        }
    }
}

/* Those in several places in both: blocks say nothing of them. What has left the list's condition leaves the list. */
static bool note_spanned(struct changed_step *step) {
    size_t left = 0, count = step->kept->spanned.count;
    uint32_t *items = step->kept->spanned.items;
    for (size_t i = 0; i < count; i++) {
        uint32_t buffer = items[i];
        if (!is_spanned(step->after, buffer)) {
            continue;
        }
        items[left++] = buffer;
        if (is_spanned(step->kept->before, buffer) && !same_spans(step, buffer)) {
            step->moved = true;
            if (!SW_PUSH(&step->kept->some, (struct sw_layout_block){.buffer = buffer})) {
                return false;
            }
        }
    }
    step->kept->spanned.count = left;
    return true;
}

/* Is what changed just what the kind says? */
static bool is_as_said(const struct changed_step *step) {
    struct sw_placement now, said = decided_placement(step->decision);
    size_t changed = step->kept->some.count;
    if (!step->places) {
        return changed == 0;
    }
    return sw_layout_placement(step->after, said.buffer, 0, &now) && same_placement(&now, &said) &&
           (changed == 0 || (changed == 1 && step->kept->some.items[0].buffer == said.buffer));
}

static void put_compared(struct changed_step *step) {
    size_t transfers = new_transfers(step), permits = new_permits(step);
    bool lists = has_lists(step, transfers, permits);
    if (!lists && is_as_said(step)) {
        struct sw_placement there = decided_placement(step->decision);
        if (step->places) {
            raise_step_arena(step, &there);
        }
        return;
    }
    sw_put_list(step->json, "changes");
    for (size_t i = 0; i < step->kept->some.count; i++) {
        put_unplaced(step, step->kept->some.items[i].buffer);
    }
    sw_put_end(step->json);
    put_lists(step, transfers, permits);
}

static bool compare_layouts(struct changed_step *step, struct sw_error *error) {
    struct sw_trace_layout *kept = step->kept;
    kept->some.count = 0;
    if (!note_blocks(step, step->after, kept->before, false) || !note_blocks(step, kept->before, step->after, true) ||
        !note_spanned(step)) {
        return sw_fail_memory(error);
    }
    put_compared(step);
    struct sw_layout *clone = sw_layout_clone(step->after, error);
    if (!clone) {
        return false;
    }
    sw_layout_free(kept->before);
    kept->before = clone;
    return true;
}

bool sw_trace_put_changes(struct sw_trace_layout *kept, const struct sw_layout *after,
                          const struct sw_decision *decision, struct sw_json_out *json, struct sw_error *error) {
    struct changed_step step = {.kept = kept,
                                .after = after,
                                .problem = sw_layout_problem(after),
                                .decision = decision,
                                .json = json,
                                .transfers = sw_layout_transfer_count(kept->before),
                                .permits = sw_layout_permit_count(kept->before),
                                .arenas = arenas_of(kept->before)};
    step.places = sw_trace_places(step.problem, decision);
    switch (try_kind(&step)) {
    case TRIED_SAME:
        put_tried(&step);
        break;
    case TRIED_OTHER:
        if (!compare_layouts(&step, error)) {
            return false;
        }
        break;
    case TRIED_NO_MEMORY:
        return sw_fail_memory(error);
    }
    put_arenas(&step);
    return true;
}
