/* What cuda-caching records of itself, read like a snapshot: the beginning is rebuilt from the end
 * (heap/caching/known.h), and every request is predicted along the record.
 *
 * A heap serves random requests under random settings. From some moment on what it does is written down as events, and
 * at the end its segments and blocks. The planner gets that and nothing else. It has to predict every address and all
 * growth, but for the few blocks of which no record can tell the size (at most 1 in 1,000); and its peaks must be those
 * of the heap. */
#include "share.h"

#include "base/hash.h"
#include "heap/kinds.h"
#include "heap/caching/known.h"
#include "stowage.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RUNS = 1000, BUFFERS = 400, SEGMENTS = 2000 };
#define MIB (UINT64_C(1) << 20)

static const char *const settings[] = {"",
                                       "expandable_segments:True",
                                       "max_split_size_mb:32",
                                       "roundup_power2_divisions:4",
                                       "max_split_size_mb:64,expandable_segments:True",
                                       "max_split_size_mb:20,max_non_split_rounding_mb:4",
                                       "roundup_power2_divisions:[1:2,8:8,>:1]"};

static uint64_t requests_seen, hits_seen, growths_seen, rebuilt;

#define MUST(good, ...)                                                                     \
    do {                                                                                    \
        if (!(good)) {                                                                      \
            fprintf(stderr, "seed %" PRIu64 ", '%s': ", run->seed, settings[run->setting]); \
            fprintf(stderr, __VA_ARGS__);                                                   \
            fprintf(stderr, "\n");                                                          \
            exit(1);                                                                        \
        }                                                                                   \
    } while (0)

struct run {
    uint64_t seed, random;
    size_t setting;
    const struct sw_planner *planner;
    struct sw_params params;
    struct sw_heap *heap;
    struct sw_requests *requests;
    bool recording;
    uint32_t made; /* buffers asked for so far */
    uint64_t sizes[BUFFERS];
    uint32_t streams[BUFFERS], first[BUFFERS], last[BUFFERS];
    bool waits[BUFFERS], before[BUFFERS];
    uint64_t reserved, allocated; /* peaks while recording */
};

static uint64_t below(struct run *run, uint64_t n) {
    return sw_random_below(&run->random, n);
}

static void record(struct run *run, enum sw_request_kind kind, uint64_t address, uint64_t size, uint32_t buffer) {
    if (!run->recording) {
        return;
    }
    struct sw_request request = {.address = address,
                                 .size = size,
                                 .buffer = buffer,
                                 .time = (uint32_t)run->requests->items.count,
                                 .stream = buffer == SW_NONE ? 0 : run->streams[buffer],
                                 .kind = (uint16_t)kind};
    MUST(SW_PUSH(&run->requests->items, request), "no memory");
}

static void sample(struct run *run) {
    struct sw_error error = {0};
    MUST(sw_heap_sound(run->heap, &error), "%s", error.message);
    if (run->recording) {
        run->reserved = run->heap->reserved > run->reserved ? run->heap->reserved : run->reserved;
        run->allocated = run->heap->allocated > run->allocated ? run->heap->allocated : run->allocated;
    }
}

static uint64_t draw_size(struct run *run) {
    switch (below(run, 4)) {
    case 0:
        return 1 + below(run, MIB);
    case 1:
        return MIB + below(run, 9 * MIB);
    case 2:
        return 10 * MIB + below(run, 60 * MIB);
    default:
        return 1 + below(run, 4 * MIB);
    }
}

static void ask(struct run *run) {
    uint32_t buffer = run->made++;
    struct sw_turn turn = SW_TURN_NEW;
    struct sw_act act;
    turn.kind = SW_REQUEST_ALLOC;
    turn.buffer = buffer;
    turn.size = run->sizes[buffer] = draw_size(run);
    turn.stream = run->streams[buffer] = below(run, 5) == 0;
    run->before[buffer] = !run->recording;
    run->first[buffer] = run->last[buffer] = UINT32_MAX;
    uint64_t address = SW_NO_ADDRESS;
    do {
        struct sw_error error = {0};
        act = (struct sw_act){.block = SW_NONE, .segment = SW_NONE, .reason = ""};
        MUST(sw_heap_act(run->heap, &turn, &act, NULL, &error), "%s", error.message);
        MUST(act.kind != SW_ACT_FAIL && act.kind != SW_ACT_REFUSED, "out of memory");
        if (act.kind == SW_ACT_GROW) {
            bool pages = run->heap->segments.items[act.segment].page > 0;
            record(run, pages ? SW_REQUEST_PAGES_MADE : SW_REQUEST_SEGMENT_MADE, act.grown, act.size, buffer);
            if (run->recording) {
                run->requests->items.items[run->requests->items.count - 1].buffer = SW_NONE;
            }
        }
        address = act.kind == SW_ACT_FIND || act.placed ? act.address : address;
    } while (!act.last);
    run->heap->requests++;
    if (run->recording) {
        run->first[buffer] = (uint32_t)run->requests->items.count;
    }
    record(run, SW_REQUEST_ALLOC, address, run->sizes[buffer], buffer);
    sample(run);
}

static void serve(struct run *run, enum sw_request_kind kind, uint32_t buffer) {
    struct sw_turn turn = SW_TURN_NEW;
    struct sw_error error = {0};
    turn.kind = kind;
    turn.buffer = buffer;
    uint64_t address = sw_heap_at(run->heap, sw_heap_block_of(run->heap, buffer))->address;
    MUST(sw_heap_serve(run->heap, &turn, NULL, NULL, &error), "%s", error.message);
    if (run->recording && kind != SW_REQUEST_FREE_ASKED) {
        run->last[buffer] = (uint32_t)run->requests->items.count;
    }
    record(run, kind, address, run->sizes[buffer], buffer);
    sample(run);
}

static void give_back(struct run *run, uint32_t buffer) {
    if (run->waits[buffer]) {
        run->waits[buffer] = false;
        serve(run, SW_REQUEST_FREE_COMPLETED, buffer);
    } else if (below(run, 4) == 0) {
        run->waits[buffer] = true;
        serve(run, SW_REQUEST_FREE_ASKED, buffer);
    } else {
        serve(run, SW_REQUEST_FREE, buffer);
    }
}

/* empty_cache, of plain segments: which ones go is seen by comparing. */
static void empty(struct run *run) {
    static struct sw_heap_segment was[SEGMENTS];
    size_t count = run->heap->segments.count;
    struct sw_turn turn = SW_TURN_NEW;
    struct sw_error error = {0};
    if (strstr(settings[run->setting], "expandable") || count > SEGMENTS) {
        return;
    }
    for (uint32_t b = 0; b < run->made;
         b++) { /* the device is waited for: what waits completes, and is recorded as that */
        if (run->waits[b]) {
            give_back(run, b);
        }
    }
    if (count > 0) {
        memcpy(was, run->heap->segments.items, count * sizeof *was);
    }
    turn.kind = SW_REQUEST_EMPTY;
    MUST(sw_heap_serve(run->heap, &turn, NULL, NULL, &error), "%s", error.message);
    for (size_t s = 0; s < count; s++) {
        if (was[s].live && !run->heap->segments.items[s].live) {
            record(run, SW_REQUEST_SEGMENT_GONE, was[s].address, was[s].size, SW_NONE);
            if (run->recording) {
                run->requests->items.items[run->requests->items.count - 1].stream = was[s].stream;
            }
        }
    }
    sample(run);
}

static void simulate(struct run *run, unsigned steps) {
    for (unsigned i = 0; i < steps && run->made < BUFFERS; i++) {
        uint32_t buffer = run->made ? (uint32_t)below(run, run->made) : 0;
        bool there = run->made && sw_heap_block_of(run->heap, buffer) != SW_NONE;
        if (below(run, 60) == 0) {
            empty(run);
        } else if (there && below(run, 5) < 3) {
            give_back(run, buffer);
        } else if (!there || below(run, 2)) {
            ask(run);
        }
    }
}

/* ---- the snapshot at the end ---- */

static int by_address(const void *a, const void *b) {
    const struct sw_known_segment *x = a, *y = b;
    return (x->address > y->address) - (x->address < y->address);
}

static int by_block_address(const void *a, const void *b) {
    const struct sw_known_block *x = a, *y = b;
    return (x->address > y->address) - (x->address < y->address);
}

static void tell_end(struct run *run) {
    const struct sw_heap *heap = run->heap;
    struct sw_requests *to = run->requests;
    for (uint32_t s = 0; s < heap->segments.count; s++) {
        const struct sw_heap_segment *segment = &heap->segments.items[s];
        struct sw_known_segment *open = NULL;
        for (uint32_t b = segment->live ? segment->first : SW_NONE; b != SW_NONE; b = sw_heap_at(heap, b)->next) {
            const struct sw_heap_block *block = sw_heap_at(heap, b);
            if (block->state == SW_BLOCK_UNMAPPED) {
                open = NULL;
                continue;
            }
            if (!open) {
                MUST(SW_PUSH(&to->segments, (struct sw_known_segment){block->address, 0, segment->stream, segment->pool,
                                                                      segment->small, segment->page > 0}),
                     "no memory");
                open = &to->segments.items[to->segments.count - 1];
            }
            open->size += block->size;
            MUST(SW_PUSH(&to->blocks,
                         (struct sw_known_block){.address = block->address,
                                                 .size = block->size,
                                                 .requested = block->requested,
                                                 .buffer = block->buffer,
                                                 .stream = block->stream,
                                                 .state = block->state == SW_BLOCK_FREE   ? SW_KNOWN_FREE
                                                          : block->state == SW_BLOCK_USED ? SW_KNOWN_USED
                                                                                          : SW_KNOWN_WAITING}),
                 "no memory");
        }
    }
    qsort(to->segments.items, to->segments.count, sizeof *to->segments.items, by_address);
    qsort(to->blocks.items, to->blocks.count, sizeof *to->blocks.items, by_block_address);
}

static struct sw_problem *build(struct run *run) {
    struct sw_error error = {0};
    struct sw_builder *builder = sw_builder_new(&error);
    int64_t end = (int64_t)run->requests->items.count;
    for (uint32_t b = 0; b < run->made; b++) {
        char name[24];
        snprintf(name, sizeof name, "b%u", b);
        struct sw_buffer_spec spec = {.name = name, .kind = SW_KIND_CONSTANT, .has_size = true, .size = run->sizes[b]};
        if (!run->before[b]) {
            spec.kind = SW_KIND_INTERMEDIATE;
            spec.has_first = spec.has_last = true;
            spec.first = run->first[b];
            spec.last = run->last[b] == UINT32_MAX ? end - 1 : (int64_t)run->last[b] - 1;
        }
        MUST(sw_builder_buffer(builder, &spec, &error), "%s", error.message);
    }
    sw_builder_requests(builder, run->requests);
    struct sw_problem *problem = sw_builder_finish(builder, &error);
    MUST(problem, "%s", error.message);
    sw_builder_free(builder);
    return problem;
}

static uint64_t figure(const struct sw_details *details, const char *key) {
    for (size_t i = 0; i < details->items.count; i++) {
        if (strcmp(details->items.items[i].key, key) == 0) {
            return (uint64_t)details->items.items[i].integer;
        }
    }
    return UINT64_MAX;
}

struct told {
    const struct sw_problem *problem;
    char first[200];
};

static void tell_fault(void *context, const struct sw_fault *fault) {
    struct told *told = context;
    if (!told->first[0]) {
        sw_fault_describe(told->problem, fault, told->first, sizeof told->first);
    }
}

/* Under other settings than those of the record nothing need be predicted; but every request is served, where it was.
 */
static void replay_otherwise(struct run *run, const struct sw_problem *problem) {
    struct sw_error error = {0};
    struct sw_params params = SW_PARAMS_DEFAULT;
    size_t faults, other = (run->setting + 1 + run->seed / 7 % 6) % (sizeof settings / sizeof *settings);
    struct told told = {.problem = problem};
    MUST(sw_params_set(&params, "start", "recorded", &error) && sw_params_set(&params, "conf", settings[other], &error),
         "%s", error.message);
    struct sw_search *search = sw_search_new(problem, run->planner, &params, &error);
    MUST(search, "%s", error.message);
    MUST(sw_search_run(search, 0, NULL, NULL, &error) == SW_STEP_DONE, "with '%s': %s", settings[other], error.message);
    MUST(sw_layout_check(sw_search_layout(search), &faults, tell_fault, &told), "no memory");
    MUST(faults == 0, "with '%s' %zu faults: %s", settings[other], faults, told.first);
    sw_search_free(search);
    sw_params_done(&params);
}

static void replay(struct run *run) {
    struct sw_error error = {0};
    struct sw_details details = {0};
    size_t faults;
    struct sw_problem *problem = build(run);
    MUST(sw_params_set(&run->params, "start", "recorded", &error), "%s", error.message);
    struct sw_search *search = sw_search_new(problem, run->planner, &run->params, &error);
    MUST(search, "%s", error.message);
    MUST(sw_search_run(search, 0, NULL, NULL, &error) == SW_STEP_DONE, "%s", error.message);
    MUST(sw_search_details(search, &details), "no memory");
    uint64_t allocs = figure(&details, "allocs"), hits = figure(&details, "hits");
    for (uint64_t i = 1; getenv("STOWAGE_VERBOSE") && i <= sw_search_known(search); i++) {
        const struct sw_decision *d = sw_search_journal(search, i);
        char text[600];
        if (d->kind == SW_DECISION_FIND && d->find.recorded) {
            sw_decision_describe(sw_search_problem(search), d, text, sizeof text);
            printf("decision %" PRIu64 ": %s\n", i, text);
        }
    }
    if (getenv("STOWAGE_VERBOSE") && hits < allocs) {
        printf("seed %" PRIu64 ", '%s': %" PRIu64 " of %" PRIu64 "\n", run->seed, settings[run->setting], hits, allocs);
    }
    requests_seen += allocs;
    hits_seen += hits;
    growths_seen += figure(&details, "grown");
    if (hits == allocs) {
        rebuilt++;
        MUST(figure(&details, "growth_hits") == figure(&details, "grown"),
             "a hit with a growth that was not predicted");
        MUST(figure(&details, "reserved") == run->reserved, "%" PRIu64 " B reserved, not %" PRIu64,
             figure(&details, "reserved"), run->reserved);
        MUST(figure(&details, "allocated") <= run->allocated, "%" PRIu64 " B allocated, not %" PRIu64,
             figure(&details, "allocated"), run->allocated);
    }
    struct told told = {.problem = sw_search_problem(search)};
    MUST(sw_layout_check(sw_search_layout(search), &faults, tell_fault, &told), "no memory");
    MUST(faults == 0, "%zu faults: %s", faults, told.first);
    sw_details_done(&details);
    sw_search_free(search);
    replay_otherwise(run, problem);
    sw_problem_unref(problem);
}

static void try_seed(uint64_t seed) {
    struct run *run = calloc(1, sizeof *run);
    struct sw_error error = {0};
    run->seed = run->random = seed;
    run->setting = seed % (sizeof settings / sizeof *settings);
    run->planner = sw_planner_find("cuda-caching", &error);
    run->params = SW_PARAMS_DEFAULT;
    MUST(sw_params_set(&run->params, "conf", settings[run->setting], &error), "%s", error.message);
    run->heap = sw_heap_new(&sw_cuda_caching_heap, BUFFERS, &run->params, run->planner, SW_UNBOUNDED,
                            UINT64_C(80) << 30, &error);
    run->requests = sw_requests_new();
    MUST(run->heap && run->requests && sw_requests_stream(run->requests, 7) == 1, "no memory");
    run->heap->fresh = UINT64_C(1) << 40;
    simulate(run, (unsigned)below(run, 200));
    run->recording = true;
    sample(run);
    simulate(run, 40 + (unsigned)below(run, 400));
    if (run->requests->items.count > 0) {
        tell_end(run);
        run->requests->allocator = "cuda-caching";
        run->requests->recorded = true;
        MUST(sw_requests_rewind(run->requests, run->made, &run->params, run->planner, &error), "%s", error.message);
        replay(run);
    }
    sw_heap_free(run->heap);
    sw_requests_unref(run->requests);
    sw_params_done(&run->params);
    free(run);
}

int main(void) {
    const char *begin = getenv("SW_PROPERTY_SEED");
    uint64_t from = begin ? strtoull(begin, NULL, 10) : 1;
    for (uint64_t seed = from + first_case(RUNS), seed_end = seed + cases(RUNS); seed < seed_end; seed++) {
        try_seed(seed);
    }
    printf("%" PRIu64 " recordings: of %" PRIu64 " requests %" PRIu64 " predicted, %" PRIu64 " growths; all of %" PRIu64
           "\n",
           cases(RUNS), requests_seen, hits_seen, growths_seen, rebuilt);
    if (hits_seen + requests_seen / 1000 < requests_seen || growths_seen == 0) {
        fprintf(stderr, "too many were not predicted\n");
        return 1;
    }
    return 0;
}
