/* token-sharing: its state as tables, as the method has it: memory id, reuse flag, count, tensor bytes, allocated
 * bytes; the ids, and the pool of free ones. */
#include "planners/tokens/token.h"
#include "base/base.h"

static const char *const token_columns[] = {"tensor",          "id",    "reuse", "count", "tensor bytes",
                                            "allocated bytes", "layer", NULL};
static const char *const id_columns[] = {"id", "tier", "offset", "allocated bytes", "count", "holder", "state", NULL};
static const char *const pool_columns[] = {"turn", "id", "allocated bytes", "tier", "held last", NULL};

/* Is the tensor written over another one, or has it the other's very bytes? */
static bool reuses(const struct sw_run *run, uint32_t buffer) {
    for (size_t i = 0; i < sw_layout_permit_count(run->layout); i++) {
        if (sw_layout_permit_get(run->layout, i).fresh == buffer) {
            return true;
        }
    }
    return false;
}

/* The count of its token: that of the id while it has it, its own before; 0 when it is over and another one has the id.
 */
static uint64_t count_of_id(const struct token *t, const struct sw_run *run, uint32_t b, const struct token_id *held) {
    if (!held) {
        return sw_token_info(t, b)->count;
    }
    bool over = held->tail != b && held->tail != SW_NONE &&
                sw_problem_buffer(run->problem, b)->last < sw_problem_buffer(run->problem, held->tail)->first;
    return over ? 0 : held->count;
}

/* The tensors with a token so far, in the order in which the tokens were made. False: no memory. */
typedef SW_ARRAY(uint32_t) tensors;
static bool find_tensors(const struct token *t, tensors *list) {
    uint32_t count = t->graph->buffer_count;
    bool *known = SW_NEW_ZERO(bool, (size_t)count + 1), ok = known != NULL;
    for (size_t i = 0; ok && i < t->at && i < t->graph->tasks.count; i++) {
        uint32_t b = t->graph->tasks.items[i].buffer;
        bool makes = t->graph->tasks.items[i].kind != TASK_ADOPT && b < count && !known[b];
        if (makes && !t->graph->info[b].tuple) {
            known[b] = true;
            ok = SW_PUSH(list, b);
        }
    }
    SW_FREE(known, (size_t)count + 1);
    return ok;
}

static void add_tokens(const struct token *t, const struct sw_run *run, const struct sw_decision *last,
                       struct sw_state_tables *tables) {
    static const char *const layers[] = {"model", "function", "operator"};
    tensors list = {0};
    tables->failed |= !find_tensors(t, &list);
    uint64_t touched = SW_NO_ROW;
    for (size_t i = 0; last && i < list.count; i++) {
        touched = list.items[i] == last->buffer ? i : touched;
    }
    struct sw_state_table *table =
        sw_state_table(tables, "tokens", token_columns, tables->failed ? 0 : list.count, touched);
    for (uint64_t i = table->first; i < table->end; i++) {
        uint32_t b = list.items[i], id = sw_token_id(t, b);
        const struct token_info *info = sw_token_info(t, b);
        const struct token_id *held = id == SW_NONE ? NULL : &t->ids.ids.items[id];
        SW_STATE_ROW(tables, sw_cell_buffer(b), held ? sw_cell_count(id) : sw_cell_none(),
                     sw_cell_truth(reuses(run, b)), sw_cell_count(count_of_id(t, run, b, held)),
                     sw_cell_bytes(info->bytes), held ? sw_cell_bytes(held->bytes) : sw_cell_none(),
                     sw_cell_word(layers[info->layer]));
    }
    SW_ARRAY_DONE(&list);
}

static bool id_is_free(const struct token *t, uint32_t id) {
    for (size_t i = 0; i < t->ids.pool.count; i++) {
        if (t->ids.pool.items[i] == id) {
            return true;
        }
    }
    return false;
}

void sw_token_state(const void *state, const struct sw_run *run, const struct sw_decision *last,
                    struct sw_state_tables *tables) {
    const struct token *t = state;
    sw_token_sizes_table(t, last, tables);
    add_tokens(t, run, last, tables);
    uint32_t part = last ? sw_decision_part(last) : SW_NONE;
    struct sw_state_table *table =
        sw_state_table(tables, "ids", id_columns, t->ids.ids.count, part == SW_NONE ? SW_NO_ROW : part);
    for (uint64_t i = table->first; i < table->end; i++) {
        const struct token_id *id = &t->ids.ids.items[i];
        SW_STATE_ROW(tables, sw_cell_count(i), sw_cell_tier(id->tier), sw_cell_offset(id->offset),
                     sw_cell_bytes(id->bytes), sw_cell_count(id->count), sw_cell_buffer(id->tail),
                     sw_cell_word(id->fixed                    ? "pinned"
                                  : id_is_free(t, (uint32_t)i) ? "free"
                                  : id->count > 0              ? "held"
                                                               : "over"));
    }
    table = sw_state_table(tables, "free pool", pool_columns, t->ids.pool.count, SW_NO_ROW);
    for (uint64_t i = table->first; i < table->end; i++) {
        uint32_t number = t->ids.pool.items[i];
        const struct token_id *id = &t->ids.ids.items[number];
        SW_STATE_ROW(tables, sw_cell_count(i), sw_cell_count(number), sw_cell_bytes(id->bytes), sw_cell_tier(id->tier),
                     sw_cell_buffer(id->tail));
    }
}

void sw_token_because(const void *state, const struct sw_run *run, const struct sw_decision *last, char *text,
                      size_t size) {
    const struct token *t = state;
    size_t pool = t->ids.pool.count;
    (void)run;
    switch (last->kind) {
    case SW_DECISION_ADOPT:
        snprintf(text, size, "all tensors have their sizes before any gets a token");
        return;
    case SW_DECISION_TOKEN:
        snprintf(text, size,
                 "all tensors have their tokens before any gets memory, so that it is known when each is over");
        return;
    case SW_DECISION_REQUEST:
        snprintf(text, size, "the free ids are tried from the smallest on; %s %s free", SW_COUNTED(pool, "other"),
                 pool == 1 ? "stays" : "stay");
        return;
    case SW_DECISION_ENLARGE:
        snprintf(text, size, "a free id that is too small comes before a new one");
        return;
    case SW_DECISION_REUSE:
        snprintf(text, size, "an input to write over comes before the %s", SW_COUNTED(pool, "free id"));
        return;
    case SW_DECISION_NEW:
        snprintf(text, size, "a new id is the last resort; %s free", pool == 0 ? "none is" : SW_COUNTED(pool, "other"));
        return;
    default:
        snprintf(text, size, "%s %s free now", SW_COUNTED(pool, "id"), pool == 1 ? "is" : "are");
    }
}
