/* segment-genetic: its state as tables, each from the decision on that makes it: access runs as they were merged, the
 * objects, the segments, the population, and the best sequence. */
#include "planners/segments/segment_state.h"
#include "base/base.h"

static const char *const run_columns[] = {"object", "first step", "last step", "to move in", "to move out", NULL};
static const char *const object_columns[] = {"object",       "first member", "members", "bytes",
                                             "first access", "best segment", NULL};
static const char *const segment_columns[] = {"segment", "from", "bytes", "made for", "objects of the best", NULL};
static const char *const member_columns[] = {"member", "migration", "clashes", "before", "processed", NULL};
static const char *const weighed_columns[] = {"member", "fitness", "clashes", "before", "processed", NULL};

static const char *const merged_columns[] = {"object", "part", "bytes", NULL};
static const char *const round_columns[] = {"round", "best", "mutation probability", NULL};

static uint32_t first_member(const struct sw_objects *objects, uint32_t object) {
    return objects->members[objects->items[object].member];
}

/* Bytes, or, where cost is counted, cost. */
static struct sw_state_cell segment_figure(const struct sw_segment_state *g, uint64_t counted) {
    return g->set.by_cost ? sw_cell_number(sw_segment_value(g, counted)) : sw_cell_bytes(counted);
}

/* Of one move: bytes, too, where whole layouts are priced, or weighed. */
static struct sw_state_cell move_figure(const struct sw_segment_state *g, uint64_t counted) {
    return g->set.by_whole ? sw_cell_bytes(counted) : segment_figure(g, counted);
}

static void add_runs(const struct sw_segment_state *g, struct sw_state_tables *tables) {
    struct sw_state_table *t = sw_state_table(tables, "access runs", run_columns, g->objects->run_count, SW_NO_ROW);
    for (uint64_t i = t->first; i < t->end; i++) {
        const struct sw_access_run *run = &g->objects->runs[i];
        SW_STATE_ROW(tables, sw_cell_buffer(first_member(g->objects, run->object)), sw_cell_step(run->first),
                     sw_cell_step(run->last), move_figure(g, run->in), move_figure(g, run->out));
    }
}

static void add_objects(const struct sw_segment_state *g, const struct sw_decision *last,
                        struct sw_state_tables *tables) {
    const struct sw_objects *objects = g->objects;
    uint64_t touched = SW_NO_ROW;
    for (uint32_t i = 0; last && i < objects->count; i++) {
        touched = first_member(objects, i) == last->buffer ? i : touched;
    }
    struct sw_state_table *t = sw_state_table(tables, "objects", object_columns, objects->count, touched);
    for (uint64_t i = t->first; i < t->end; i++) {
        const struct sw_object *o = &objects->items[i];
        bool known = g->best.partition && g->best.sequence && g->best.objects == objects->count;
        SW_STATE_ROW(tables, sw_cell_count(i), sw_cell_buffer(first_member(objects, (uint32_t)i)),
                     sw_cell_count(o->members), sw_cell_bytes(o->size), sw_cell_step(o->first),
                     known ? sw_cell_count(g->best.sequence[i]) : sw_cell_none());
    }
}

static void add_segment_rows(const struct sw_segment_state *g, struct sw_state_tables *tables) {
    const struct sw_partition *p = g->partition; /* NULL before it is cut */
    struct sw_state_table *t = sw_state_table(tables, "segments", segment_columns, p ? p->count : 0, SW_NO_ROW);
    for (uint64_t i = t->first; i < t->end; i++) {
        const struct sw_segment *s = &p->segments[i];
        uint64_t objects = 0;
        bool known = g->best.sequence && g->best.partition == p;
        for (uint32_t o = 0; known && o < g->best.objects; o++) {
            objects += g->best.sequence[o] == i;
        }
        SW_STATE_ROW(tables, sw_cell_count(i), sw_cell_offset(s->lo), sw_cell_bytes(s->size),
                     sw_cell_buffer(first_member(g->objects, s->owner)),
                     known ? sw_cell_count(objects) : sw_cell_none());
    }
}

static void add_sequences_members(const struct sw_segment_state *g, const struct sw_decision *last,
                                  struct sw_state_tables *tables) {
    const struct sw_sequences *p = &g->population;
    uint32_t member = last ? sw_decision_member(last, 0) : SW_NONE;
    struct sw_state_table *t = sw_state_table(tables, "population", g->set.by_script ? weighed_columns : member_columns,
                                              p->members ? p->count : 0, member == SW_NONE ? SW_NO_ROW : member);
    for (uint64_t i = t->first; i < t->end; i++) {
        const struct sw_sequence_member *m = &p->members[i];
        SW_STATE_ROW(tables, sw_cell_count(i),
                     m->fitness.clashes ? sw_cell_word("infinite") : segment_figure(g, m->fitness.bytes),
                     sw_cell_count(m->fitness.clashes),
                     m->processed ? m->before.clashes ? sw_cell_word("infinite") : segment_figure(g, m->before.bytes)
                                  : sw_cell_none(),
                     sw_cell_truth(m->processed));
    }
}

/* The members that the decision was about; returns how many. */
static uint32_t list_members(const struct sw_segment_state *g, const struct sw_decision *last,
                             uint32_t members[SW_MOST_PARENTS]) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < SW_MOST_PARENTS; i++) {
        members[i] = sw_decision_member(last, i);
        count += g->population.members && members[i] < g->population.count && count == i;
    }
    return count;
}

/* Where an exchanged object was. In a crossover each took over where the next one had it, the last where the first had
 * it; in a mutation each went to where the next of the ring was. */
static uint32_t segment_before(const struct sw_segment_state *g, const struct sw_decision *last,
                               const uint32_t *members, uint32_t count, uint32_t member, uint64_t at) {
    const struct sw_sequences *p = &g->population;
    uint32_t object = p->list[at];
    if (last->kind == SW_DECISION_EXCHANGE) {
        return sw_sequences_sequence(p, members[(member + count - 1) % count])[object];
    }
    uint64_t objects = last->mutate.objects;
    return sw_sequences_sequence(p, members[0])[p->list[(at + objects - 1) % objects]];
}

/* Where the objects go in the members that the decision was about: after a crossover in the parents, and in the
 * children that took their places; after a mutation before it and after it. The objects that were exchanged are in the
 * list of the population until the next decision. */
static void add_sequences(const struct sw_segment_state *g, const struct sw_decision *last,
                          struct sw_state_tables *tables) {
    enum { BEFORE = 3 }; /* columns before those of the members */
    static const char *const columns[SW_MOST_PARENTS][BEFORE + 2 * SW_MOST_PARENTS + 1] = {
        {"object", "bytes", "changed", "before", "after"},
        {"object", "bytes", "changed", "parent 1", "parent 2", "child 1", "child 2"},
        {"object", "bytes", "changed", "parent 1", "parent 2", "parent 3", "child 1", "child 2", "child 3"},
        {"object", "bytes", "changed", "parent 1", "parent 2", "parent 3", "parent 4", "child 1", "child 2", "child 3",
         "child 4"},
    };
    static const char *const alone[] = {"object", "bytes", "in the member", NULL};
    uint32_t members[SW_MOST_PARENTS], count = last ? list_members(g, last, members) : 0;
    if (count == 0) {
        return;
    }
    bool crossed = last->kind == SW_DECISION_EXCHANGE, mutated = last->kind == SW_DECISION_MUTATE;
    uint64_t exchanged = crossed                              ? last->exchange.objects
                         : mutated && last->buffer != SW_NONE ? last->mutate.objects
                                                              : 0;
    uint64_t touched = SW_NO_ROW; /* the object that the decision names, else the first that was exchanged */
    bool named = false;
    for (uint64_t k = 0; k < exchanged && !named; k++) {
        uint32_t object = g->population.list[k];
        named = first_member(g->objects, object) == last->buffer;
        touched = named ? object : SW_MIN(touched, object);
    }
    struct sw_state_table *t = sw_state_table(
        tables, "segment of each object", crossed || mutated ? columns[count - 1] : alone, g->objects->count, touched);
    for (uint64_t i = t->first; i < t->end; i++) {
        struct sw_state_cell cells[BEFORE + 2 * SW_MOST_PARENTS];
        uint32_t cell = 2;
        uint64_t at = 0;
        while (at < exchanged && g->population.list[at] != i) {
            at++;
        }
        cells[0] = sw_cell_buffer(first_member(g->objects, (uint32_t)i));
        cells[1] = sw_cell_bytes(g->objects->items[i].size);
        if (crossed || mutated) {
            cells[cell++] = sw_cell_word(at < exchanged ? "exchanged" : NULL);
        }
        for (uint32_t m = 0; m < count && cell > 2; m++) {
            cells[cell++] = sw_cell_count(at < exchanged ? segment_before(g, last, members, count, m, at)
                                                         : sw_sequences_sequence(&g->population, members[m])[i]);
        }
        for (uint32_t m = 0; m < count; m++) {
            cells[cell++] = sw_cell_count(sw_sequences_sequence(&g->population, members[m])[i]);
        }
        sw_state_row(tables, cells, cell);
    }
}

/* The small objects that move as one. */
static void add_parts(const struct sw_segment_state *g, const struct sw_run *run, struct sw_state_tables *tables) {
    const struct sw_objects *o = g->objects;
    uint64_t rows = 0, row = 0;
    for (uint32_t i = 0; i < o->count; i++) {
        rows += o->items[i].members > 1 ? o->items[i].members : 0;
    }
    if (rows == 0) {
        return;
    }
    struct sw_state_table *t = sw_state_table(tables, "merged objects", merged_columns, rows, SW_NO_ROW);
    for (uint32_t i = 0; i < o->count; i++) {
        for (uint32_t k = 0; o->items[i].members > 1 && k < o->items[i].members; k++, row++) {
            uint32_t buffer = o->members[o->items[i].member + k];
            if (row >= t->first && row < t->end) {
                SW_STATE_ROW(tables, sw_cell_count(i), sw_cell_buffer(buffer),
                             sw_cell_bytes(sw_problem_buffer(run->problem, buffer)->size));
            }
        }
    }
}

/* The rounds so far, and the one that goes on. */
static void add_segment_rounds(const struct sw_segment_state *g, struct sw_state_tables *tables) {
    uint64_t rows = g->past.count + (g->phase >= SEGMENT_CROSS && g->phase < SEGMENT_FINISH);
    struct sw_state_table *t = sw_state_table(tables, "rounds", round_columns, rows, rows ? rows - 1 : SW_NO_ROW);
    for (uint64_t i = t->first; i < t->end; i++) {
        const struct sw_segment_fitness *f = i < g->past.count ? &g->past.items[i] : &g->here;
        SW_STATE_ROW(tables, sw_cell_count(i + 1), f->clashes ? sw_cell_word("infinite") : segment_figure(g, f->bytes),
                     sw_cell_number(sw_segment_probability(g, (uint32_t)i) / (double)SEGMENT_MILLION));
    }
}

void sw_segment_tables(const void *state, const struct sw_run *run, const struct sw_decision *last,
                       struct sw_state_tables *tables) {
    const struct sw_segment_state *g = state;
    if (!g->objects) {
        return;
    }
    add_segment_rows(g, tables);
    add_sequences_members(g, last, tables);
    add_sequences(g, last, tables);
    add_segment_rounds(g, tables);
    add_objects(g, last, tables);
    add_parts(g, run, tables);
    add_runs(g, tables);
}

void sw_segment_because(const void *state, const struct sw_run *run, const struct sw_decision *last, char *text,
                        size_t size) {
    const struct sw_segment_state *g = state;
    const struct sw_sequences *p = &g->population;
    uint32_t member = sw_decision_member(last, 0), object = 0;
    char words[64];
    (void)run;
    if (!g->partition) {
        snprintf(text, size, "memory is cut into segments once the objects are settled");
        return;
    }
    if (last->kind == SW_DECISION_INDIVIDUAL || member >= p->count) {
        snprintf(text, size, "a member says in which of %s each of %s goes", SW_COUNTED(g->partition->count, "segment"),
                 SW_COUNTED(g->objects->count, "object"));
        return;
    }
    while (last->buffer != SW_NONE && object < g->objects->count && first_member(g->objects, object) != last->buffer) {
        object++;
    }
    if (last->buffer != SW_NONE && object < g->objects->count) {
        snprintf(text, size, "it is object %" PRIu32 " of the member; ", object);
    }
    const struct sw_segment_fitness *fitness = &p->members[member].fitness;
    sw_text_add(text, size, "member %" PRIu32 " %s", member,
                fitness->clashes ? "has objects of one operator in one segment"
                                 : sw_segment_words(g, fitness->bytes, words));
    if (g->best.partition && !g->best.fitness.clashes) {
        sw_text_add(text, size, "; the map shows the best so far%s", g->unseen ? " once this generation is over" : "");
    }
}
