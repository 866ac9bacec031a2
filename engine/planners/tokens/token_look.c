#include "planners/tokens/token_look.h"
#include "base/base.h"
#include "planners/tokens/token.h"

/* Drops by buffer, by counting: the tasks have them in the order of their steps. */
static bool sort_drops(const struct token_graph *g, struct sw_token_look *look) {
    size_t count = 0;
    for (size_t i = 0; i < g->tasks.count; i++) {
        if (g->tasks.items[i].kind == TASK_DROP) {
            look->first[g->tasks.items[i].buffer + 1]++;
            count++;
        }
    }
    if (!SW_RESERVE(&look->drops, count + 1)) {
        return false;
    }
    look->drops.count = count;
    for (uint32_t b = 0; b < look->buffers; b++) {
        look->first[b + 1] += look->first[b];
    }
    for (size_t i = g->tasks.count; i-- > 0;) { /* from the back: each part is filled from its end */
        const struct token_task *task = &g->tasks.items[i];
        if (task->kind == TASK_DROP) {
            look->drops.items[--look->first[task->buffer + 1]] = (struct sw_token_drop){task->buffer, task->op};
        }
    }
    memmove(look->first, look->first + 1, look->buffers * sizeof *look->first);
    look->first[look->buffers] = (uint32_t)count;
    return true;
}

bool sw_token_look(const struct sw_search *search, struct sw_token_look *look, bool *missed) {
    const struct token *t = sw_search_planner_state(search);
    *missed = false;
    if (strcmp(sw_search_planner(search)->name, "token-sharing") != 0 || !t || !t->graph) {
        return false;
    }
    const struct token_graph *g = t->graph;
    look->buffers = g->buffer_count;
    look->count = SW_NEW_ZERO(uint32_t, (size_t)g->buffer_count + 1);
    look->declared = SW_NEW_ZERO(uint64_t, (size_t)g->buffer_count + 1);
    look->first = SW_NEW_ZERO(uint32_t, (size_t)g->buffer_count + 1);
    *missed = !look->count || !look->declared || !look->first || !sort_drops(g, look);
    for (uint32_t b = 0; b < g->buffer_count && !*missed; b++) {
        look->count[b] = g->info[b].root == b ? g->info[b].count : 0;
        look->declared[b] = g->info[b].adopted ? g->info[b].before : SW_UNBOUNDED;
    }
    if (*missed) {
        sw_token_look_done(look);
    }
    return !*missed;
}

void sw_token_look_done(struct sw_token_look *look) {
    size_t n = (size_t)look->buffers + 1;
    SW_FREE(look->count, look->count ? n : 0);
    SW_FREE(look->declared, look->declared ? n : 0);
    SW_FREE(look->first, look->first ? n : 0);
    SW_ARRAY_DONE(&look->drops);
    *look = (struct sw_token_look){0};
}
