#include "problem/requests.h"

#include "problem/problem_internal.h"

struct sw_requests *sw_requests_new(void) {
    struct sw_requests *requests = SW_NEW_ZERO(struct sw_requests, 1);
    if (!requests) {
        return NULL;
    }
    requests->references = 1;
    requests->allocator = "free-list";
    if (sw_requests_stream(requests, 0) == SW_NONE || sw_requests_pool(requests, 0, 0) == SW_NONE) {
        sw_requests_unref(requests);
        return NULL;
    }
    return requests;
}

#define COPY_LIST(to, from, list)                   \
    (SW_RESERVE(&(to)->list, (from)->list.count) && \
     ((to)->list.count = (from)->list.count,        \
      (from)->list.count == 0 ||                    \
          memcpy((to)->list.items, (from)->list.items, (from)->list.count * sizeof *(from)->list.items)))

struct sw_requests *sw_requests_copy(const struct sw_requests *from) {
    struct sw_requests *to = SW_NEW(struct sw_requests, 1);
    if (!to) {
        return NULL;
    }
    *to = (struct sw_requests){.references = 1,
                               .allocator = from->allocator,
                               .recorded = from->recorded,
                               .partial = from->partial,
                               .implied = from->implied,
                               .moment = sw_moment_ref(from->moment)};
    memcpy(to->settings, from->settings, sizeof to->settings);
    if (!COPY_LIST(to, from, items) || !COPY_LIST(to, from, streams) || !COPY_LIST(to, from, pools) ||
        !COPY_LIST(to, from, marks) || !COPY_LIST(to, from, segments) || !COPY_LIST(to, from, blocks) ||
        !COPY_LIST(to, from, windows)) {
        sw_requests_unref(to);
        return NULL;
    }
    return to;
}

struct sw_requests *sw_requests_ref(const struct sw_requests *of) {
    struct sw_requests *requests = (struct sw_requests *)of;
    if (requests) {
        __atomic_add_fetch(&requests->references, 1, __ATOMIC_RELAXED);
    }
    return requests;
}

void sw_requests_unref(const struct sw_requests *of) {
    struct sw_requests *requests = (struct sw_requests *)of;
    if (requests && __atomic_sub_fetch(&requests->references, 1, __ATOMIC_ACQ_REL) == 0) {
        SW_ARRAY_DONE(&requests->items, &requests->streams, &requests->pools, &requests->marks, &requests->segments,
                      &requests->blocks, &requests->windows);
        sw_moment_unref(requests->moment);
        SW_FREE(requests, 1);
    }
}

uint32_t sw_requests_stream(struct sw_requests *requests, int64_t name) {
    for (size_t i = requests->streams.count; i-- > 0;) {
        if (requests->streams.items[i] == name) {
            return (uint32_t)i;
        }
    }
    return requests->streams.count < SW_REQUESTS_MOST && SW_PUSH(&requests->streams, name)
               ? (uint32_t)requests->streams.count - 1
               : SW_NONE;
}

uint32_t sw_requests_pool(struct sw_requests *requests, int64_t a, int64_t b) {
    for (size_t i = requests->pools.count; i-- > 0;) {
        if (requests->pools.items[i].a == a && requests->pools.items[i].b == b) {
            return (uint32_t)i;
        }
    }
    return requests->pools.count < SW_REQUESTS_MOST && SW_PUSH(&requests->pools, (struct sw_request_pool){a, b})
               ? (uint32_t)requests->pools.count - 1
               : SW_NONE;
}

const struct sw_requests *sw_problem_told_requests(const struct sw_problem *problem) {
    return problem->requests;
}

bool sw_problem_goes_on(const struct sw_problem *problem) {
    return problem->requests && problem->requests->moment;
}

static bool push_implied_request(struct sw_requests *to, const struct sw_problem *problem, enum sw_request_kind kind,
                                 uint32_t buffer, uint32_t step) {
    return SW_PUSH(&to->items, (struct sw_request){.address = SW_NO_ADDRESS,
                                                   .size = problem->buffers[buffer].size,
                                                   .buffer = buffer,
                                                   .time = step,
                                                   .kind = (uint16_t)kind});
}

/* Planned buffers by the step of their death: those that die before step s stand from ends[s] on. */
static void by_death(const struct sw_problem *problem, uint32_t *ends, uint32_t *sorted) {
    for (uint32_t i = 0; i < problem->planned_count; i++) {
        ends[problem->buffers[problem->order[i]].last + 1]++;
    }
    for (uint32_t s = 0, sum = 0; s <= problem->steps; s++) {
        uint32_t count = ends[s];
        ends[s] = sum;
        sum += count;
    }
    for (uint32_t i = 0; i < problem->planned_count; i++) {
        sorted[ends[problem->buffers[problem->order[i]].last + 1]++] = problem->order[i];
    }
    /* ends[s] is behind the last that dies before step s now */
}

static bool imply_requests(struct sw_requests *to, const struct sw_problem *problem) {
    uint32_t *ends = SW_NEW_ZERO(uint32_t, (size_t)problem->steps + 1),
             *sorted = SW_NEW(uint32_t, (size_t)problem->planned_count + 1);
    bool good = ends && sorted;
    if (good) {
        by_death(problem, ends, sorted);
    }
    for (uint32_t s = 0, gone = 0; good && s < problem->steps; s++) {
        for (; good && gone < ends[s]; gone++) {
            good = push_implied_request(to, problem, SW_REQUEST_FREE, sorted[gone], s);
        }
        uint32_t count = 0;
        const uint32_t *born = sw_problem_born(problem, s, &count);
        for (uint32_t i = 0; good && i < count; i++) {
            good = push_implied_request(to, problem, SW_REQUEST_ALLOC, born[i], s);
        }
    }
    SW_FREE(ends, (size_t)problem->steps + 1);
    SW_FREE(sorted, (size_t)problem->planned_count + 1);
    return good;
}

struct sw_requests *sw_problem_requests(const struct sw_problem *problem) {
    if (problem->requests) {
        return sw_requests_ref(problem->requests);
    }
    struct sw_requests *requests = sw_requests_new();
    if (requests) {
        requests->implied = true;
    }
    if (requests && !imply_requests(requests, problem)) {
        sw_requests_unref(requests);
        return NULL;
    }
    return requests;
}
