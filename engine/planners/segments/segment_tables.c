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

/* Where the objects go in the members that the decision was about: after a crossover those that took part, after a
 * mutation the one, with the objects that were exchanged: the list of them is the state's until the next decision. */
static void add_sequences(const struct sw_segment_state *g, const struct sw_decision *last,
                          struct sw_state_tables *tables) {
    enum { BEFORE = 3 }; /* columns before those of the members, of which there are as many as took part */
    static const char *const columns[SW_MOST_PARENTS][BEFORE + SW_MOST_PARENTS + 1] = {
        {"object", "bytes", "changed", "in the member"},
        {"object", "bytes", "changed", "in the first", "in the second"},
        {"object", "bytes", "changed", "in the first", "in the second", "in the third"},
        {"object", "bytes", "changed", "in the first", "in the second", "in the third", "in the fourth"},
    };
    uint32_t members[SW_MOST_PARENTS] = {SW_NONE, SW_NONE, SW_NONE, SW_NONE};
    if (last && last->kind == SW_DECISION_EXCHANGE) {
        members[0] = last->exchange.first;
        members[1] = last->exchange.second;
        members[2] = last->exchange.third;
        members[3] = last->exchange.fourth;
    } else if (last) {
        members[0] = sw_decision_member(last, 0);
    }
    if (members[0] == SW_NONE || !g->population.members || members[0] >= g->population.count) {
        return;
    }
    uint64_t exchanged = last->kind == SW_DECISION_EXCHANGE                            ? last->exchange.objects
                         : last->kind == SW_DECISION_MUTATE && last->buffer != SW_NONE ? last->mutate.objects
                                                                                       : 0;
    uint32_t count = 1;
    while (count < SW_MOST_PARENTS && members[count] < g->population.count) {
        count++;
    }
    struct sw_state_table *t =
        sw_state_table(tables, "segment of each object", columns[count - 1], g->objects->count, SW_NO_ROW);
    for (uint64_t i = t->first; i < t->end; i++) {
        struct sw_state_cell cells[BEFORE + SW_MOST_PARENTS];
        bool changed = false;
        for (uint64_t k = 0; k < exchanged && !changed; k++) {
            changed = g->population.list[k] == i;
        }
        cells[0] = sw_cell_buffer(first_member(g->objects, (uint32_t)i));
        cells[1] = sw_cell_bytes(g->objects->items[i].size);
        cells[2] = sw_cell_word(changed ? "exchanged" : NULL);
        for (uint32_t m = 0; m < count; m++) {
            cells[BEFORE + m] = sw_cell_count(sw_sequences_sequence(&g->population, members[m])[i]);
        }
        sw_state_row(tables, cells, BEFORE + count);
    }
}

void sw_segment_tables(const void *state, const struct sw_run *run, const struct sw_decision *last,
                       struct sw_state_tables *tables) {
    const struct sw_segment_state *g = state;
    (void)run;
    if (!g->objects) {
        return;
    }
    add_segment_rows(g, tables);
    add_sequences_members(g, last, tables);
    add_sequences(g, last, tables);
    add_objects(g, last, tables);
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
}
