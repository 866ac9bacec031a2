/* The states that planners tell as tables, on random problems, after every decision of every planner.
 *
 * - Asking changes nothing: the digest stays, and the run comes to the same layout as one that is never asked.
 * - Tables hang together: as many cells as rows and columns, buffers, tiers and steps that exist, a touched row that
 *   is one; and a window of a table is a part of the whole.
 * - Queues say of every buffer whether it has a place.
 * - The free list of lifetime-best-fit and what it says to be alive or not released yet divide the arenas: no byte is in
 *   both, none is in neither. */
#include "share.h"
#include "model.h"

#include <stdio.h>
#include <string.h>

enum { PROBLEMS = 1000, MOST_DECISIONS = 120, ARENA = 1 << 16 };

static uint64_t asked, tables_seen, rows_seen, lists;

static const struct sw_state_table *find(const struct sw_state_tables *tables, const char *name) {
    for (size_t i = 0; i < tables->items.count; i++) {
        if (strcmp(tables->items.items[i].name, name) == 0) {
            return &tables->items.items[i];
        }
    }
    return NULL;
}

static const struct sw_state_cell *cell(const struct sw_state_table *t, uint64_t row,
                                        uint32_t column) {
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
        check_that(t->cells.count == (t->end - t->first) * t->column_count, m, planner,
                   "table %s: %zu cells", t->name, t->cells.count);
        check_that(t->touched == SW_NO_ROW || t->touched < t->row_count, m, planner,
                   "table %s: touched row %llu", t->name, (unsigned long long)t->touched);
        check_that(t->touched == SW_NO_ROW || t->first == t->end ||
                       (t->first <= t->touched && t->touched < t->end),
                   m, planner, "table %s: the touched row is not in the window", t->name);
        for (size_t k = 0; k < t->cells.count; k++) {
            check_cell(m, planner, sw_search_problem(search), t, &t->cells.items[k]);
        }
        tables_seen++;
        rows_seen += t->end - t->first;
    }
}

static bool same_cell(const struct sw_state_cell *a, const struct sw_state_cell *b) {
    return a->kind == b->kind && a->count == b->count &&
           memcmp(&a->number, &b->number, sizeof a->number) == 0 &&
           (a->word == b->word || strcmp(a->word, b->word) == 0);
}

static void check_window(const struct model *m, const char *planner,
                         const struct sw_state_tables *all, const struct sw_state_tables *few) {
    check_that(all->items.count == few->items.count, m, planner, "%zu tables, not %zu",
               few->items.count, all->items.count);
    for (size_t i = 0; i < few->items.count; i++) {
        const struct sw_state_table *whole = &all->items.items[i], *part = &few->items.items[i];
        check_that(whole->row_count == part->row_count && whole->touched == part->touched, m,
                   planner, "table %s: a window changes it", part->name);
        for (uint64_t row = part->first; row < part->end; row++) {
            for (uint32_t c = 0; c < part->column_count; c++) {
                check_that(same_cell(cell(whole, row, c), cell(part, row, c)), m, planner,
                           "table %s: row %llu differs", part->name, (unsigned long long)row);
            }
        }
    }
}

static void check_queue(const struct model *m, const char *planner, const struct sw_search *search,
                        const struct sw_state_tables *tables) {
    const struct sw_state_table *t = find(tables, "queue");
    for (uint64_t row = t ? t->first : 0; t && row < t->end; row++) {
        uint32_t b = (uint32_t)cell(t, row, 1)->count;
        check_that(cell(t, row, 6)->count == sw_layout_placed(sw_search_layout(search), b), m,
                   planner, "the queue is wrong about b%u", b);
    }
}

/* Every byte below the arena once: free, or of a block that is alive or not released, or reserved. */
static void check_free_list(const struct model *m, const char *planner,
                            const struct sw_search *search, const struct sw_state_tables *tables) {
    static uint8_t used[ARENA];
    const struct sw_problem *problem = sw_search_problem(search);
    const struct sw_layout *layout = sw_search_layout(search);
    const struct sw_state_table *list = find(tables, "free list"),
                                *lives = find(tables, "lifetimes");
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
            for (uint64_t at = lo; holds && sw_layout_placement(layout, b, 0, &p) &&
                                   p.tier == tier && at < hi && p.offset + at < arena;
                 at++) {
                used[p.offset + at] |= 1;
            }
        }
        size_t count;
        const struct sw_reserved *reserved = sw_problem_reserved(problem, &count);
        for (size_t i = 0; i < count; i++) {
            for (uint64_t at = reserved[i].lo;
                 reserved[i].tier == tier && at < reserved[i].hi && at < arena; at++) {
                used[at] |= 1;
            }
        }
        for (uint64_t row = list->first; row < list->end; row++) {
            for (uint64_t at = cell(list, row, 1)->count;
                 cell(list, row, 0)->count == tier && at < cell(list, row, 2)->count; at++) {
                check_that(at < arena && used[at] == 0, m, planner,
                           "byte %llu of tier %u is free and not", (unsigned long long)at, tier);
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

static void ask(const struct model *m, const char *planner, const struct sw_search *search) {
    struct sw_state_tables all = {.most = UINT64_MAX}, few = {.most = 3};
    uint64_t before = sw_search_digest(search);
    sw_search_state(search, &all);
    sw_search_state(search, &few);
    check_that(sw_search_digest(search) == before, m, planner, "asking has changed the state");
    check_tables(m, planner, search, &all);
    check_tables(m, planner, search, &few);
    check_window(m, planner, &all, &few);
    check_queue(m, planner, search, &all);
    check_free_list(m, planner, search, &all);
    asked++;
    sw_state_tables_done(&all);
    sw_state_tables_done(&few);
}

static void run_planner(const struct model *m, const struct sw_problem *problem,
                        const struct sw_planner *planner) {
    struct sw_error error = {0};
    struct sw_params params = short_run(planner);
    struct sw_search *search = sw_search_new(problem, planner, &params, &error);
    struct sw_search *silent = sw_search_new(problem, planner, &params, &error);
    check_that(planner->state != NULL, m, planner->name, "it tells no state");
    if (search && silent) {
        ask(m, planner->name, search);
        while (sw_search_at(search) < MOST_DECISIONS &&
               sw_search_step(search, &error) == SW_STEP_MORE) {
            ask(m, planner->name, search);
            sw_search_step(silent, &error);
        }
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
    for (uint64_t seed = first; seed < first + cases(PROBLEMS); seed++) {
        model_draw(&model, seed);
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
    printf("%llu states, %llu tables, %llu rows, %llu arenas divided, from seed %llu\n",
           (unsigned long long)asked, (unsigned long long)tables_seen,
           (unsigned long long)rows_seen, (unsigned long long)lists, (unsigned long long)first);
    return 0;
}
