/* The states that planners tell as tables, on random problems, after every decision of every planner.
 *
 * - Asking changes nothing: the digest stays, and the run comes to the same layout as one that is never asked.
 * - Tables hang together: as many cells as rows and columns, buffers, tiers and steps that exist, a touched row that
 *   is one; and a window of a table is a part of the whole.
 * - Names agree: the row that a decision touched names the buffer that the decision names, a row says of a buffer its
 * own size, lifetime and place, and of an order that a decision explains the tables name the same buffers at the same
 * places.
 * - Queues say of every buffer whether it has a place.
 * - The memory queue of lifetime-best-fit says of every block where it lies, and where it was put when it had its turn.
 * - The free list of lifetime-best-fit and what it says to be alive or not released yet divide the arenas: no byte is
 * in both, none is in neither. */
#include "share.h"
#include "model.h"

#include <stdio.h>
#include <string.h>

enum { PROBLEMS = 1000, MOST_DECISIONS = 120, ARENA = 1 << 16 };

static uint64_t shifts, asked, tables_seen, rows_seen, lists, facts_checked, touches, orders_named;

static const struct sw_state_table *find(const struct sw_state_tables *tables, const char *name) {
    for (size_t i = 0; i < tables->items.count; i++) {
        if (strcmp(tables->items.items[i].name, name) == 0) {
            return &tables->items.items[i];
        }
    }
    return NULL;
}

static const struct sw_state_cell *cell(const struct sw_state_table *t, uint64_t row, uint32_t column) {
    return &t->cells.items[(row - t->first) * t->column_count + column];
}

static void check_cell(const struct model *m, const char *planner, const struct sw_problem *problem,
                       const struct sw_state_table *t, const struct sw_state_cell *c) {
    bool ok = c->kind == SW_CELL_BUFFER ? c->count < sw_problem_buffer_count(problem)
              : c->kind == SW_CELL_TIER ? c->count < sw_problem_tier_count(problem)
              : c->kind == SW_CELL_STEP ? c->count <= sw_problem_steps(problem)
              : c->kind == SW_CELL_WORD ? c->word && *c->word
                                        : true;
    check_that(ok, m, planner, "table %s has a cell of kind %d with %llu", t->name, (int)c->kind,
               (unsigned long long)c->count);
}

static void check_tables(const struct model *m, const char *planner, const struct sw_search *search,
                         const struct sw_state_tables *tables) {
    check_that(!tables->failed, m, planner, "no memory");
    for (size_t i = 0; i < tables->items.count; i++) {
        const struct sw_state_table *t = &tables->items.items[i];
        check_that(t->column_count > 0 && t->first <= t->end && t->end <= t->row_count, m, planner,
                   "table %s: rows %llu..%llu of %llu", t->name, (unsigned long long)t->first,
                   (unsigned long long)t->end, (unsigned long long)t->row_count);
        check_that(t->cells.count == (t->end - t->first) * t->column_count, m, planner, "table %s: %zu cells", t->name,
                   t->cells.count);
        check_that(t->touched == SW_NO_ROW || t->touched < t->row_count, m, planner, "table %s: touched row %llu",
                   t->name, (unsigned long long)t->touched);
        check_that(t->touched == SW_NO_ROW || t->first == t->end || (t->first <= t->touched && t->touched < t->end), m,
                   planner, "table %s: the touched row is not in the window", t->name);
        for (size_t k = 0; k < t->cells.count; k++) {
            check_cell(m, planner, sw_search_problem(search), t, &t->cells.items[k]);
        }
        tables_seen++;
        rows_seen += t->end - t->first;
    }
}

static bool same_cell(const struct sw_state_cell *a, const struct sw_state_cell *b) {
    return a->kind == b->kind && a->count == b->count && memcmp(&a->number, &b->number, sizeof a->number) == 0 &&
           (a->word == b->word || strcmp(a->word, b->word) == 0);
}

static void check_window(const struct model *m, const char *planner, const struct sw_state_tables *all,
                         const struct sw_state_tables *few) {
    check_that(all->items.count == few->items.count, m, planner, "%zu tables, not %zu", few->items.count,
               all->items.count);
    for (size_t i = 0; i < few->items.count; i++) {
        const struct sw_state_table *whole = &all->items.items[i], *part = &few->items.items[i];
        check_that(whole->row_count == part->row_count && whole->touched == part->touched, m, planner,
                   "table %s: a window changes it", part->name);
        for (uint64_t row = part->first; row < part->end; row++) {
            for (uint32_t c = 0; c < part->column_count; c++) {
                check_that(same_cell(cell(whole, row, c), cell(part, row, c)), m, planner, "table %s: row %llu differs",
                           part->name, (unsigned long long)row);
            }
        }
    }
}

static void check_queue(const struct model *m, const char *planner, const struct sw_search *search,
                        const struct sw_state_tables *tables) {
    const struct sw_state_table *t = find(tables, "queue");
    for (uint64_t row = t ? t->first : 0; t && row < t->end; row++) {
        uint32_t b = (uint32_t)cell(t, row, 1)->count;
        check_that(cell(t, row, 6)->count == sw_layout_placed(sw_search_layout(search), b), m, planner,
                   "the queue is wrong about b%u", b);
    }
}

/* Where it lay first is what the decision about it says. */
static void check_memory_queue(const struct model *m, const char *planner, const struct sw_search *search,
                               const struct sw_state_tables *tables) {
    const struct sw_state_table *t = find(tables, "memqueue");
    for (uint64_t row = t ? t->first : 0; t && row < t->end; row++) {
        uint32_t b = (uint32_t)cell(t, row, 0)->count;
        bool shifted = cell(t, row, 4)->kind != SW_CELL_NONE;
        for (uint64_t step = sw_search_at(search); step > 0; step--) {
            const struct sw_decision *d = sw_search_journal(search, step);
            if (d && d->buffer == b && sw_decision_puts_block(d)) {
                check_that(d->offset == cell(t, row, shifted ? 4 : 3)->count, m, planner,
                           "the memory queue is wrong about where b%u was placed", b);
                shifts += shifted;
                break;
            }
        }
    }
}

/* Every byte below the arena once: free, or of a block that is alive or not released, or reserved. */
static void check_free_list(const struct model *m, const char *planner, const struct sw_search *search,
                            const struct sw_state_tables *tables) {
    static uint8_t used[ARENA];
    const struct sw_problem *problem = sw_search_problem(search);
    const struct sw_layout *layout = sw_search_layout(search);
    const struct sw_state_table *list = find(tables, "free list"), *lives = find(tables, "lifetimes");
    if (!list || m->cores > 1) {
        return; /* on several cores steps do not say what is alive */
    }
    for (uint32_t tier = 0; tier < sw_problem_tier_count(problem); tier++) {
        uint64_t arena = sw_layout_arena(layout, tier);
        if (arena > ARENA) {
            return;
        }
        memset(used, 0, sizeof used);
        for (uint64_t row = lives->first; row < lives->end; row++) {
            uint32_t b = (uint32_t)cell(lives, row, 0)->count;
            const char *state = cell(lives, row, 4)->word;
            struct sw_placement p;
            bool holds = strcmp(state, "alive") == 0 || strcmp(state, "dead, not released") == 0;
            const struct sw_buffer *buffer = sw_problem_buffer(problem, b);
            if (holds && buffer->piece_count > 1) {
                return; /* what it holds now depends on the step */
            }
            bool alive = strcmp(state, "alive") == 0; /* one that died is released as a whole */
            uint64_t lo = alive && buffer->piece_count ? buffer->pieces->lo : 0;
            uint64_t hi = alive && buffer->piece_count ? buffer->pieces->hi : buffer->size;
            for (uint64_t at = lo;
                 holds && sw_layout_placement(layout, b, 0, &p) && p.tier == tier && at < hi && p.offset + at < arena;
                 at++) {
                used[p.offset + at] |= 1;
            }
        }
        size_t count;
        const struct sw_reserved *reserved = sw_problem_reserved(problem, &count);
        for (size_t i = 0; i < count; i++) {
            for (uint64_t at = reserved[i].lo; reserved[i].tier == tier && at < reserved[i].hi && at < arena; at++) {
                used[at] |= 1;
            }
        }
        for (uint64_t row = list->first; row < list->end; row++) {
            for (uint64_t at = cell(list, row, 1)->count;
                 cell(list, row, 0)->count == tier && at < cell(list, row, 2)->count; at++) {
                check_that(at < arena && used[at] == 0, m, planner, "byte %llu of tier %u is free and not",
                           (unsigned long long)at, tier);
                used[at] = 2;
            }
        }
        for (uint64_t at = 0; at < arena; at++) {
            check_that(used[at] != 0, m, planner, "byte %llu of tier %u is neither free nor used",
                       (unsigned long long)at, tier);
        }
        lists++;
    }
}

/* ---- names ---- */

static uint32_t column_of(const struct sw_state_table *t, const char *name) {
    for (uint32_t c = 0; c < t->column_count; c++) {
        if (strcmp(t->columns[c], name) == 0) {
            return c;
        }
    }
    return SW_NONE;
}

/* The buffer that a row is about: its name comes first, or behind a number. SW_NONE: it is about something else, or
 * about a pair. */
static uint32_t named_in(const struct sw_state_table *t, uint64_t row) {
    uint32_t found = SW_NONE;
    for (uint32_t c = 0; c < t->column_count; c++) {
        const struct sw_state_cell *one = cell(t, row, c);
        if (one->kind == SW_CELL_BUFFER && (c > 1 || found != SW_NONE) && found != one->count) {
            return SW_NONE;
        }
        found = one->kind == SW_CELL_BUFFER ? (uint32_t)one->count : found;
    }
    return found;
}

/* What a row says beside the name of a buffer is true of that buffer. */
static void check_row(const struct model *m, const char *planner, const struct sw_search *search,
                      const struct sw_state_table *t, uint64_t row) {
    static const struct {
        const char *table, *column;
        enum { SIZE, BORN, DIES, OFFSET, TIER } what;
    } facts[] = {
        {"queue", "bytes", SIZE},
        {"queue", "born", BORN},
        {"queue", "dies", DIES},
        {"lifetimes", "bytes", SIZE},
        {"lifetimes", "born", BORN},
        {"lifetimes", "dies", DIES},
        {"to be released", "bytes", SIZE},
        {"memqueue", "bytes", SIZE},
        {"memqueue", "offset", OFFSET},
        {"memqueue", "tier", TIER},
        {"blocks", "bytes", SIZE},
        {"blocks", "born", BORN},
        {"blocks", "offset", OFFSET},
        {"blocks", "tier", TIER},
        {"in the device", "bytes", SIZE},
        {"accesses: the next one", "bytes", SIZE},
        {"the fittest order", "bytes", SIZE},
        {"the order drawn last", "bytes", SIZE},
    };
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
        uint32_t c = strcmp(facts[i].table, t->name) == 0 ? column_of(t, facts[i].column) : SW_NONE;
        const struct sw_state_cell *said = c == SW_NONE ? NULL : cell(t, row, c), *name = NULL;
        for (uint32_t k = 0; said && !name && k < t->column_count; k++) {
            name = cell(t, row, k)->kind == SW_CELL_BUFFER ? cell(t, row, k) : NULL;
        }
        if (!name || said->kind == SW_CELL_NONE) {
            continue;
        }
        uint32_t b = (uint32_t)name->count;
        const struct sw_buffer *buffer = sw_problem_buffer(sw_search_problem(search), b);
        struct sw_placement p = {0};
        bool placed = sw_layout_placement(sw_search_layout(search), b, 0, &p);
        uint64_t truth = facts[i].what == SIZE   ? buffer->size
                         : facts[i].what == BORN ? buffer->first
                         : facts[i].what == DIES ? buffer->last
                         : facts[i].what == TIER ? p.tier
                                                 : p.offset;
        check_that(placed || (facts[i].what != OFFSET && facts[i].what != TIER), m, planner,
                   "table %s says where %s lies, which has no place", t->name, buffer->name);
        check_that(said->count == truth, m, planner, "table %s, row %llu: %s of %s is %llu, not %llu", t->name,
                   (unsigned long long)row, t->columns[c], buffer->name, (unsigned long long)truth,
                   (unsigned long long)said->count);
        facts_checked++;
    }
}

/* The touched row names what the last decision is about; where a node is cut off it is the way to it, which ends in
 * another one. */
static void check_touched(const struct model *m, const char *planner, const struct sw_search *search,
                          const struct sw_state_table *t) {
    const struct sw_decision *last = sw_search_decision(search);
    uint32_t named = t->touched == SW_NO_ROW ? SW_NONE : named_in(t, t->touched);
    if (!last || named == SW_NONE || last->buffer == SW_NONE || strstr(t->name, ": the next one") ||
        last->kind == SW_DECISION_PRUNE) {
        return;
    }
    check_that(named == last->buffer, m, planner,
               "decision %llu (%s) is about %s, and row %llu of table %s, which it touched, about %s",
               (unsigned long long)last->step, sw_decision_called(last),
               sw_problem_buffer(sw_search_problem(search), last->buffer)->name, (unsigned long long)t->touched,
               t->name, sw_problem_buffer(sw_search_problem(search), named)->name);
    touches++;
}

/* Does the text have this name, and nothing that would make it longer, at its `at`-th byte? */
static bool says(const char *text, const char *name) {
    size_t length = strlen(name);
    return strncmp(text, name, length) == 0 && (text[length] < '0' || text[length] > '9');
}

static const char *name_at(const struct sw_search *search, const struct sw_state_table *t, uint64_t row,
                           const char *column) {
    const struct sw_state_cell *one = cell(t, row, column_of(t, column));
    return one->kind == SW_CELL_BUFFER ? sw_problem_buffer(sw_search_problem(search), (uint32_t)one->count)->name : "?";
}

/* What a planner that breeds or draws orders explains, against the tables behind the decision. */
static void check_order(const struct model *m, const char *planner, const struct sw_search *search,
                        const struct sw_explanation *e, const struct sw_state_tables *tables) {
    const struct sw_state_table *genes = find(tables, "genes"), *drawn = find(tables, "the order drawn last"),
                                *best = find(tables, "the fittest order");
    const struct sw_decision *d = &e->decision;
    const struct sw_candidate *c = e->candidates.items;
    if (d->kind == SW_DECISION_INDIVIDUAL && genes) { /* "chosen: order 1 of 6 is early, mid, late" */
        const char *at = strstr(c->reason, " is ");
        for (uint64_t row = 0; at && row < genes->row_count; row++) {
            at += row ? 2 : 4;
            check_that(says(at, name_at(search, genes, row, "child")) || strncmp(at - 1, " ...", 4) == 0, m, planner,
                       "'%s': the genes have %s at place %llu", c->reason, name_at(search, genes, row, "child"),
                       (unsigned long long)row);
            at = strstr(at, ", ");
            orders_named++;
        }
    }
    if (d->kind == SW_DECISION_DECODE && drawn) { /* one block after the other: "early (7 B) placed at ..." */
        uint64_t row = 0;
        for (size_t i = 0; i < e->candidates.count; i++) {
            if (c[i].verdict == SW_VERDICT_CHOSEN) {
                check_that(row < drawn->row_count && says(c[i].reason, name_at(search, drawn, row, "buffer")), m,
                           planner, "'%s' is place %llu of the order, where the table has %s", c[i].reason,
                           (unsigned long long)row, name_at(search, drawn, row, "buffer"));
                row++;
                orders_named++;
            }
        }
    }
    if (d->kind == SW_DECISION_CROSSOVER && genes && d->size > 0) {
        uint64_t first = d->offset, last = d->offset + d->size - 1;
        const char *to = strstr(c[d->offset].reason, " to ");
        check_that(says(c[d->offset].reason, name_at(search, genes, first, "first parent")) && to &&
                       says(to + 4, name_at(search, genes, last, "first parent")),
                   m, planner, "'%s': the genes of the parent are %s to %s", c[d->offset].reason,
                   name_at(search, genes, first, "first parent"), name_at(search, genes, last, "first parent"));
        for (uint64_t row = first; row <= last; row++) {
            check_that(strcmp(name_at(search, genes, row, "child"), name_at(search, genes, row, "first parent")) == 0,
                       m, planner, "place %llu was kept together, and is another buffer", (unsigned long long)row);
        }
        orders_named++;
    }
    if (d->kind == SW_DECISION_SWAP && genes) {
        unsigned exchanged = 0;
        for (uint64_t row = 0; row < genes->row_count; row++) {
            const char *from = cell(genes, row, column_of(genes, "from"))->word;
            const char *child = name_at(search, genes, row, "child");
            bool is = from && strcmp(from, "exchanged") == 0;
            const struct sw_problem *problem = sw_search_problem(search);
            bool named = strcmp(child, sw_problem_buffer(problem, d->buffer)->name) == 0 ||
                         strcmp(child, sw_problem_buffer(problem, d->swap.with)->name) == 0;
            check_that(is == named, m, planner, "place %llu, %s, was %sexchanged", (unsigned long long)row, child,
                       named ? "" : "not ");
            exchanged += is;
        }
        check_that(exchanged == 2, m, planner, "%u exchanged", exchanged);
        orders_named++;
    }
    if (d->kind == SW_DECISION_FINISH && best) { /* "...: early, mid": by address, as the table has it */
        const char *at = strstr(c->reason, ": ");
        for (uint64_t row = 0; at && row < best->row_count; row++) {
            check_that(says(at + 2, name_at(search, best, row, "by address")) || strncmp(at + 1, " ...", 4) == 0, m,
                       planner, "'%s': the table has %s", c->reason, name_at(search, best, row, "by address"));
            at = strstr(at + 1, ", ");
            orders_named++;
        }
    }
    for (uint64_t row = 1; best && d->kind == SW_DECISION_FINISH && row < best->row_count; row++) {
        struct sw_placement below = {0}, above = {0};
        sw_layout_placement(sw_search_layout(search),
                            (uint32_t)cell(best, row - 1, column_of(best, "by address"))->count, 0, &below);
        sw_layout_placement(sw_search_layout(search), (uint32_t)cell(best, row, column_of(best, "by address"))->count,
                            0, &above);
        check_that(below.tier < above.tier || (below.tier == above.tier && below.offset <= above.offset), m, planner,
                   "by address: row %llu lies lower than the one before", (unsigned long long)row);
    }
}

static void check_names(const struct model *m, const char *planner, const struct sw_search *search,
                        const struct sw_explanation *e, const struct sw_state_tables *tables) {
    for (size_t i = 0; i < tables->items.count; i++) {
        const struct sw_state_table *t = &tables->items.items[i];
        check_touched(m, planner, search, t);
        for (uint64_t row = t->first; row < t->end; row++) {
            check_row(m, planner, search, t, row);
        }
    }
    if (e) {
        check_order(m, planner, search, e, tables);
    }
}

static void ask(const struct model *m, const char *planner, const struct sw_search *search,
                const struct sw_explanation *e) {
    struct sw_state_tables all = {.most = UINT64_MAX}, few = {.most = 3};
    uint64_t before = sw_search_digest(search);
    sw_search_state(search, &all);
    sw_search_state(search, &few);
    check_that(sw_search_digest(search) == before, m, planner, "asking has changed the state");
    check_tables(m, planner, search, &all);
    check_tables(m, planner, search, &few);
    check_window(m, planner, &all, &few);
    check_queue(m, planner, search, &all);
    check_memory_queue(m, planner, search, &all);
    check_free_list(m, planner, search, &all);
    check_names(m, planner, search, e, &all);
    asked++;
    sw_state_tables_done(&all);
    sw_state_tables_done(&few);
}

static void run_planner(const struct model *m, const struct sw_problem *problem, const struct sw_planner *planner) {
    struct sw_error error = {0};
    struct sw_params params = short_run(planner);
    struct sw_search *search = sw_search_new(problem, planner, &params, &error);
    struct sw_search *silent = sw_search_new(problem, planner, &params, &error);
    check_that(planner->state != NULL, m, planner->name, "it tells no state");
    if (search && silent) {
        struct sw_explanation e = {0};
        ask(m, planner->name, search, NULL);
        while (sw_search_at(search) < MOST_DECISIONS && sw_search_step_explained(search, &e, &error) == SW_STEP_MORE) {
            ask(m, planner->name, search, &e);
            sw_search_step(silent, &error);
        }
        sw_explanation_done(&e);
        check_that(sw_search_digest(search) == sw_search_digest(silent), m, planner->name,
                   "asking has changed the run");
    }
    sw_search_free(search);
    sw_search_free(silent);
    sw_params_done(&params);
}

int main(void) {
    uint64_t first = base_seed();
    static struct model model;
    for (uint64_t seed = first + first_case(PROBLEMS), seed_end = seed + cases(PROBLEMS); seed < seed_end; seed++) {
        if (seed % 4 == 0) { /* listed in another order than that in which they are born */
            model_draw_plain(&model, seed, 12);
        } else {
            model_draw(&model, seed);
        }
        struct sw_problem *problem = model_build(&model, NULL);
        for (size_t i = 0; i < sw_planner_built_in_count(); i++) {
            struct sw_error error = {0};
            if (sw_planner_applies(sw_planner_get(i), problem, &error)) {
                run_planner(&model, problem, sw_planner_get(i));
            }
        }
        sw_problem_unref(problem);
    }
    check_that(lists > 100, &model, "state", "too few free lists");
    check_that(shifts > 100, &model, "state", "too few blocks were shifted");
    check_that(touches > 100 && facts_checked > 100 && orders_named > 100, &model, "state", "too few names");
    printf("%llu states, %llu tables, %llu rows, %llu arenas divided, %llu touched rows, %llu facts of buffers, %llu "
           "names of "
           "orders, from seed %llu\n",
           (unsigned long long)asked, (unsigned long long)tables_seen, (unsigned long long)rows_seen,
           (unsigned long long)lists, (unsigned long long)touches, (unsigned long long)facts_checked,
           (unsigned long long)orders_named, (unsigned long long)first);
    return 0;
}
