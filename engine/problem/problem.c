/* Owning and reading a problem. */
#include "problem/problem_internal.h"

#include "base/base.h"
#include "base/described.h"

struct sw_problem *sw_problem_ref(const struct sw_problem *problem) {
    struct sw_problem *own = (struct sw_problem *)problem;     /* only the count changes */
    __atomic_add_fetch(&own->references, 1, __ATOMIC_RELAXED); /* runs on several threads share it */
    return own;
}

void sw_problem_unref(const struct sw_problem *problem) {
    struct sw_problem *own = (struct sw_problem *)problem;
    if (own && __atomic_sub_fetch(&own->references, 1, __ATOMIC_ACQ_REL) == 0) {
        sw_problem_free(own);
    }
}

struct sw_tape *sw_tape_ref(struct sw_tape *tape) {
    if (tape) {
        __atomic_add_fetch(&tape->references, 1, __ATOMIC_RELAXED);
    }
    return tape;
}

void sw_tape_unref(struct sw_tape *tape) {
    if (tape && __atomic_sub_fetch(&tape->references, 1, __ATOMIC_ACQ_REL) == 0) {
        tape->kind->close(tape);
    }
}

struct sw_counter *sw_counter_ref(struct sw_counter *counter) {
    if (counter) {
        __atomic_add_fetch(&counter->references, 1, __ATOMIC_RELAXED);
    }
    return counter;
}

void sw_counter_unref(struct sw_counter *counter) {
    if (counter && __atomic_sub_fetch(&counter->references, 1, __ATOMIC_ACQ_REL) == 0) {
        counter->close(counter);
    }
}

bool sw_tape_note(const struct sw_problem *of, const char *text) {
    struct sw_problem *problem = (struct sw_problem *)of; /* it is not finished yet */
    const char **notes = sw_arena_new(&problem->arena, problem->note_count + 1, sizeof *notes);
    const char *copy = sw_arena_string(&problem->arena, text, strlen(text));
    if (!notes || !copy) {
        return false;
    }
    for (size_t i = 0; i < problem->note_count; i++) {
        if (strcmp(problem->notes[i], text) == 0) {
            return true; /* an edit brought it along */
        }
        notes[i] = problem->notes[i];
    }
    notes[problem->note_count++] = copy;
    problem->notes = notes;
    return true;
}

void sw_problem_free(struct sw_problem *problem) {
    if (problem->recording) {
        problem->tape->kind->release(problem->recording);
    }
    sw_tape_unref(problem->tape);
    sw_counter_unref(problem->counter);
    sw_requests_unref(problem->requests);
    sw_moment_unref(problem->moment);
    sw_names_done(&problem->buffer_names);
    sw_names_done(&problem->member_names);
    sw_names_done(&problem->operator_names);
    sw_names_done(&problem->tier_names);
    sw_names_done(&problem->unit_names);
    sw_names_done(&problem->function_names);
    sw_spans_done(&problem->hulls);
    sw_mem_free(problem->matrix, problem->buffer_count * problem->matrix_words, sizeof *problem->matrix);
    sw_mem_free(problem->before, problem->operator_count * problem->before_words, sizeof *problem->before);
    sw_arena_done(&problem->arena);
    sw_problem_unref(problem->origin);
    SW_FREE(problem, 1);
}

/* ---- fields, items of lists, and lists with their counts ---- */

#define PROBLEM_ITEM(type, name, item)                  \
    type name(const struct sw_problem *p, uint32_t i) { \
        return item;                                    \
    }
#define PROBLEM_LIST(type, name, items, items_count)       \
    type name(const struct sw_problem *p, size_t *count) { \
        *count = p->items_count;                           \
        return p->items;                                   \
    }
SW_GETTER(const char *, sw_problem_name, sw_problem, name)
SW_GETTER(uint64_t, sw_problem_digest, sw_problem, digest)
SW_GETTER(uint64_t, sw_problem_outside, sw_problem, outside)
SW_GETTER(struct sw_counter *, sw_problem_counter, sw_problem, counter)
SW_GETTER(uint64_t, sw_problem_least_arena, sw_problem, least_arena)
SW_GETTER(bool, sw_problem_more_outside, sw_problem, more_outside)
SW_GETTER(uint64_t, sw_problem_alignment, sw_problem, alignment)
SW_GETTER(uint32_t, sw_problem_steps, sw_problem, steps)
SW_GETTER(uint32_t, sw_problem_buffer_count, sw_problem, buffer_count)
SW_GETTER(uint32_t, sw_problem_planned_count, sw_problem, planned_count)
SW_GETTER(uint32_t, sw_problem_operator_count, sw_problem, operator_count)
SW_GETTER(uint32_t, sw_problem_tier_count, sw_problem, tier_count)
SW_GETTER(uint32_t, sw_problem_unit_count, sw_problem, unit_count)
SW_GETTER(uint32_t, sw_problem_function_count, sw_problem, function_count)
SW_GETTER(uint32_t, sw_problem_member_count, sw_problem, member_count)
SW_GETTER(uint32_t, sw_problem_core_count, sw_problem, core_count)
SW_GETTER(bool, sw_problem_has_plan, sw_problem, has_plan)
SW_GETTER(bool, sw_problem_offsets_are_plan, sw_problem, offsets_are_plan)
SW_GETTER(bool, sw_problem_inplace_safe, sw_problem, inplace_safe)
SW_GETTER(const struct sw_recording *, sw_problem_recording, sw_problem, recording)
SW_GETTER(const uint32_t *, sw_problem_order, sw_problem, order)
SW_GETTER(const struct sw_hot *, sw_problem_hot, sw_problem, hot)
SW_GETTER(bool, sw_problem_simple, sw_problem, simple)
SW_GETTER(uint64_t, sw_problem_naive, sw_problem, naive)
SW_GETTER(uint64_t, sw_problem_lower_bound, sw_problem, bound)
SW_GETTER(uint32_t, sw_problem_bound_step, sw_problem, bound_step)
SW_GETTER(const uint64_t *, sw_problem_profile, sw_problem, profile)
PROBLEM_ITEM(const struct sw_buffer *, sw_problem_buffer, &p->buffers[i])
PROBLEM_ITEM(const struct sw_operator *, sw_problem_operator, &p->operators[i])
PROBLEM_ITEM(const struct sw_tier *, sw_problem_tier, &p->tiers[i])
PROBLEM_ITEM(const struct sw_unit *, sw_problem_unit, &p->units[i])
PROBLEM_ITEM(const struct sw_function *, sw_problem_function, &p->functions[i])
PROBLEM_ITEM(const struct sw_member *, sw_problem_member, &p->members[i])
PROBLEM_ITEM(const char *, sw_problem_core, p->cores[i])
PROBLEM_ITEM(uint32_t, sw_problem_born_before, p->born[i])
PROBLEM_ITEM(uint32_t, sw_problem_dead_before, p->dead[i])
PROBLEM_ITEM(uint32_t, sw_problem_producer, p->producers[i])
PROBLEM_LIST(const struct sw_permit *, sw_problem_permits, permits, permit_count)
PROBLEM_LIST(const struct sw_permit *, sw_problem_offers, offers, offer_count)
PROBLEM_LIST(const struct sw_reserved *, sw_problem_reserved, reserved, reserved_count)
PROBLEM_LIST(const char *const *, sw_problem_notes, notes, note_count)

void sw_problem_counted(struct sw_problem *p, const struct sw_counted *counted) {
    p->outside = counted->outside;
    p->least_arena = counted->least;
}

uint64_t sw_problem_arena(const struct sw_problem *p, uint64_t peak) {
    uint64_t all = peak + p->outside;
    return sw_align_up(all < p->least_arena ? p->least_arena : all, p->alignment);
}

int64_t sw_problem_time(const struct sw_problem *p, uint32_t step) {
    return p->times ? p->times[step] : (int64_t)step;
}

bool sw_problem_time_is_step(const struct sw_problem *p) {
    return !p->times;
}

const uint32_t (*sw_problem_separate(const struct sw_problem *p, size_t *count))[2] {
    *count = p->separate_count;
    return (const uint32_t(*)[2])p->separate;
}

struct sw_rank sw_problem_rank(const struct sw_problem *p, uint32_t buffer) {
    return (struct sw_rank){p->rank[buffer]};
}

uint32_t sw_problem_at_rank(const struct sw_problem *p, struct sw_rank rank) {
    return p->order[rank.at];
}

void sw_problem_fetch(const struct sw_problem *p, uint32_t buffer, uint32_t rank) {
    const struct sw_buffer *b = &p->buffers[buffer];
    __builtin_prefetch(&b->size); /* the two lines that planning reads */
    __builtin_prefetch(&b->tiers);
    __builtin_prefetch(&p->rank[buffer]);
    __builtin_prefetch(&p->hot[rank]);
}

void sw_problem_fetch_counts(const struct sw_problem *p, uint32_t step) {
    __builtin_prefetch(&p->born[step]);
    __builtin_prefetch(&p->dead[step]);
}

bool sw_problem_together(const struct sw_problem *p, uint32_t *step) {
    *step = p->youngest;
    return p->youngest < p->steps && p->youngest <= p->oldest;
}

uint32_t sw_problem_alive_count(const struct sw_problem *p, uint32_t first, uint32_t last) {
    return p->born[last + 1] - p->dead[first]; /* born by then, but for those dead before */
}

const uint32_t *sw_problem_born(const struct sw_problem *p, uint32_t step, uint32_t *count) {
    *count = p->born[step + 1] - p->born[step];
    return p->order + p->born[step];
}

bool sw_refs_name(const struct sw_ref *refs, uint32_t count, uint32_t buffer) {
    for (uint32_t i = 0; i < count; i++) {
        if (refs[i].buffer == buffer) {
            return true;
        }
    }
    return false;
}

struct sw_mentions sw_refs_mention(const struct sw_ref *refs, uint32_t count, uint32_t buffer) {
    struct sw_mentions times = {0};
    for (uint32_t i = 0; i < count; i++) {
        times.whole += refs[i].buffer == buffer && refs[i].member == SW_NONE;
        times.part += refs[i].buffer == buffer && refs[i].member != SW_NONE;
    }
    return times;
}

bool sw_problem_writes(const struct sw_problem *p, uint32_t operator_, uint32_t buffer) {
    const struct sw_operator *op = &p->operators[operator_];
    return sw_refs_name(op->outputs, op->output_count, buffer) || sw_refs_name(op->scratch, op->scratch_count, buffer);
}

bool sw_problem_reads(const struct sw_problem *p, uint32_t operator_, uint32_t buffer) {
    const struct sw_operator *op = &p->operators[operator_];
    return sw_refs_name(op->inputs, op->input_count, buffer) || sw_refs_name(op->scratch, op->scratch_count, buffer);
}

bool sw_buffer_alive(const struct sw_buffer *buffer, uint32_t step) {
    for (uint32_t i = 0; i < buffer->piece_count; i++) {
        if (buffer->pieces[i].first <= step && step <= buffer->pieces[i].last) {
            return true;
        }
    }
    return false;
}

uint64_t sw_buffer_live_bytes(const struct sw_buffer *buffer, uint32_t step) {
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < buffer->piece_count; i++) {
        if (buffer->pieces[i].first <= step && step <= buffer->pieces[i].last) {
            bytes += buffer->pieces[i].hi - buffer->pieces[i].lo;
        }
    }
    return bytes;
}

bool sw_problem_plan_peak(const struct sw_problem *problem, uint64_t *bytes) {
    *bytes = 0;
    if (!sw_problem_has_plan(problem) || !sw_problem_offsets_are_plan(problem) || sw_problem_tier_count(problem) != 1) {
        return false;
    }
    for (uint32_t i = 0; i < sw_problem_buffer_count(problem); i++) {
        const struct sw_buffer *buffer = sw_problem_buffer(problem, i);
        uint64_t end = buffer->planned && buffer->size > 0 ? buffer->offset + buffer->size : 0;
        *bytes = end > *bytes ? end : *bytes;
    }
    return true;
}

static void drop_problem(void *problem) {
    sw_problem_unref(problem);
}

static void *share_problem(const void *problem) {
    return (void *)(uintptr_t)sw_problem_ref(problem);
}

const struct sw_pointed sw_problem_pointed = {.drop = drop_problem, .copy = share_problem};
