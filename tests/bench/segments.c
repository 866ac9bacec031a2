/* Figures of segment-genetic on 100 objects. The plain count is what one would write first: for
 * every access, go back through all accesses to find what was in the segment last, and on through
 * all of them to see whether that one is wanted again.
 *
 * Instruction counts are those of callgrind, where valgrind is installed: the same program measures
 * few and many sequences, and the difference is what the sequences cost. */
#include "segments.h"
#include "measure.h"

#include "base/hash.h"
#include "planners/segments/segment_genetic.h"
#include "problem/builder.h"
#include "search/search.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { OBJECTS = 100, SEQUENCES = 64 };

/* ---- a network with shortcuts, on a device of a fifth of it ---- */

static struct sw_problem *network(void) {
    struct sw_builder *builder = sw_builder_new(NULL);
    char names[OBJECTS][16];
    uint64_t random = 1, total = 0;
    bool ok = builder != NULL;
    for (int i = 0; ok && i < OBJECTS; i++) {
        uint64_t size = 1024 * (1 + sw_random_below(&random, 100));
        snprintf(names[i], sizeof names[i], "t%d", i);
        struct sw_buffer_spec spec = {.name = names[i], .kind = SW_KIND_INTERMEDIATE, .has_size = true, .size = size};
        ok = sw_builder_buffer(builder, &spec, NULL);
        total += size;
    }
    for (int i = 0; ok && i < OBJECTS; i++) {
        const char *inputs[2], *output = names[i];
        char name[16];
        size_t count = 0;
        if (i > 0) {
            inputs[count++] = names[i - 1];
        }
        if (i > 4 && i % 2 == 0) {
            inputs[count++] = names[sw_random_below(&random, (uint64_t)i - 2)];
        }
        snprintf(name, sizeof name, "op%d", i);
        struct sw_operator_spec spec = {
            .name = name, .inputs = inputs, .input_count = count, .outputs = &output, .output_count = 1};
        ok = sw_builder_operator(builder, &spec, NULL);
    }
    struct sw_tier tier = {.name = "device", .capacity = total / 5};
    ok = ok && sw_builder_tier(builder, &tier, NULL);
    struct sw_problem *problem = ok ? sw_builder_finish(builder, NULL) : NULL;
    sw_builder_free(builder);
    if (!problem) {
        exit(2);
    }
    return problem;
}

/* ---- three ways to measure ---- */

struct setting {
    struct sw_problem *problem;
    struct sw_movables *movables;
    struct sw_objects *objects;
    struct sw_partition *partition;
    struct sw_sequences sequences;
};

static struct setting set_up(void) {
    static const struct sw_rules rules;
    struct setting s = {.problem = network()};
    uint64_t random = 1;
    uint32_t refused, homeless;
    uint64_t looked;
    enum sw_segment_choice ranks = SW_CHOOSE_RANKS;
    s.movables = sw_movables_new(s.problem, &rules, 0);
    s.objects = sw_objects_new(s.problem, &rules, s.movables, NULL, true, false, NULL);
    struct sw_run run = {.problem = s.problem, .layout = sw_layout_new(s.problem, NULL)};
    s.partition = sw_partition_largest(&run, s.objects, &ranks, false, &refused, &looked);
    sw_layout_free(run.layout);
    if (!sw_sequences_init(&s.sequences, s.objects, s.partition->count, SEQUENCES)) {
        exit(2);
    }
    while (s.sequences.count < SEQUENCES) {
        sw_sequences_draw(&s.sequences, s.objects, s.partition, NULL, &random, &homeless);
    }
    return s;
}

static void set_down(struct setting *s) {
    sw_described_done(&sw_sequences_described, &s->sequences);
    sw_partition_drop(s->partition);
    sw_objects_drop(s->objects);
    sw_movables_drop(s->movables);
    sw_problem_unref(s->problem);
}

static uint64_t plain_count(const struct sw_objects *o, const uint32_t *sequence) {
    uint64_t moved = 0;
    for (size_t i = 0; i < o->run_count; i++) {
        uint32_t object = o->runs[i].object, last = SW_NONE;
        for (size_t k = i; k-- > 0 && last == SW_NONE;) {
            last = sequence[o->runs[k].object] == sequence[object] ? o->runs[k].object : SW_NONE;
        }
        if (last == SW_NONE || last == object) {
            continue;
        }
        bool again = false, before = false;
        for (size_t k = 0; k < o->run_count; k++) {
            again |= k > i && o->runs[k].object == last;
            before |= k < i && o->runs[k].object == object;
        }
        moved += (again ? o->items[last].size : 0) + (before ? o->items[object].size : 0);
    }
    return moved;
}

/* "pass": all segments in one pass. "changed": after an exchange of two objects. "plain". */
static uint64_t measure_many(struct setting *s, const char *way, long count) {
    bool plain = strcmp(way, "plain") == 0, changed = strcmp(way, "changed") == 0;
    uint64_t sum = 0, random = 2;
    for (long i = 0; i < count; i++) {
        uint32_t k = (uint32_t)(i % SEQUENCES), ring[2];
        uint32_t *sequence = sw_sequences_sequence(&s->sequences, k);
        if (plain) {
            sum += plain_count(s->objects, sequence);
            continue;
        }
        if (changed) {
            sw_segments_mutate(s->objects, s->partition, &random, sequence, sw_sequences_dirty(&s->sequences, k), 2,
                               ring);
        }
        sw_sequences_measure(&s->sequences, s->objects, k, !changed);
        sum += s->sequences.members[k].fitness.bytes;
    }
    return sum;
}

int bench_count_only(const char *way, long count) {
    struct setting s = set_up();
    printf("%" PRIu64 "\n", measure_many(&s, way, count));
    set_down(&s);
    return 0;
}

static double instructions(const char *way, long count) {
    return bench_instructions(NULL, "count-only %s %ld", way, count);
}

/* ---- the table ---- */

/* Sequences per second, over at least a quarter of a second. */
static volatile uint64_t seen; /* else the compiler drops what has no use */

static double rate(struct setting *s, const char *way) {
    double begin = bench_now(), spent;
    long count = 0;
    do {
        seen = measure_many(s, way, 64 * 20);
        count += 64 * 20;
        spent = bench_now() - begin;
    } while (spent < 0.25);
    return (double)count / spent;
}

static void planner_row(const struct sw_problem *problem) {
    struct sw_error error = {0};
    struct sw_params params = SW_PARAMS_DEFAULT;
    sw_params_set(&params, "patience", "200", NULL);
    struct sw_search *search = sw_search_new(problem, sw_planner_find("segment-genetic", &error), &params, &error);
    double before = bench_now(), evaluations = 0, bound = 0;
    if (!search || sw_search_run(search, 0, NULL, NULL, &error) != SW_STEP_DONE) {
        printf("  segment-genetic: %s\n", error.message);
        exit(2);
    }
    double spent = bench_now() - before;
    struct sw_details details = {0};
    struct sw_claims claims;
    sw_search_details(search, &details);
    sw_search_claims(search, &claims);
    for (size_t i = 0; i < details.items.count; i++) {
        const struct sw_detail *d = &details.items.items[i];
        evaluations = strcmp(d->key, "evaluations") == 0 ? (double)d->integer : evaluations;
        bound = strcmp(d->key, "migration_bound") == 0 ? (double)d->integer : bound;
    }
    printf("  segment-genetic        %12.0f evaluations/s   %.0f in %.3f s, %" PRIu64 " B moved, bound %.0f\n",
           evaluations / spent, evaluations, spent, claims.migration_bytes, bound);
    sw_details_done(&details);
    sw_search_free(search);
    sw_params_done(&params);
}

void bench_segments(void) {
    static const char *const ways[] = {"plain", "pass", "changed"};
    static const char *const labels[] = {"plain quadratic count", "one pass", "two objects exchanged"};
    struct setting s = set_up();
    double plain = 0, most = 0;
    bool agree = measure_many(&s, "plain", SEQUENCES) == measure_many(&s, "pass", SEQUENCES);
    printf("%u objects, %zu access runs, %u segments\n", s.objects->count, s.objects->run_count, s.partition->count);
    for (size_t i = 0; i < 3; i++) {
        double each = rate(&s, ways[i]);
        double few = instructions(ways[i], 100), many = instructions(ways[i], 1100);
        double counted = few > 0 && many > few ? (many - few) / 1000 : 0;
        plain = i == 0 ? each : plain;
        most = i == 0 ? counted : most;
        printf("  %-22s %12.0f /s   %.1f times", labels[i], each, each / plain);
        if (counted > 0) {
            printf("   %.0f instructions each, %.1f times", counted, most / counted);
        }
        printf("%s\n", i == 1 && !agree ? "   THEY DISAGREE" : "");
    }
    planner_row(s.problem);
    printf("\n");
    set_down(&s);
}
