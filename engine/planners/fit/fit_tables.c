/* The state of `fit` as tables: the models that were planned, the cuts to take, and, after it has handed over, the
 * buffers to place. */
#include "planners/fit/fit.h"
#include "base/base.h"

/* Models in the order in which they were planned, as far as the run has come. */
static void tell_models(const struct fit *fit, struct sw_state_tables *tables) {
    static const char *const columns[] = {"model", "regions", "planned", "with the tail", "multiply-adds", NULL};
    const struct fit_ground *ground = fit->ground;
    size_t count = 0, at = 0;
    for (size_t i = 0; i < fit->seen; i++) {
        count += ground->events.items[i].kind == SW_FIT_PLANNED;
    }
    bool now = fit->phase == FIT_SEARCHES && count > 0 && ground->events.items[fit->seen - 1].kind == SW_FIT_PLANNED;
    struct sw_state_table *table = sw_state_table(tables, "models", columns, count, now ? count - 1 : SW_NO_ROW);
    for (size_t i = 0; i < fit->seen && at < table->end; i++) {
        const struct sw_fit_event *event = &ground->events.items[i];
        if (event->kind == SW_FIT_PLANNED && at++ >= table->first) {
            SW_STATE_ROW(tables, sw_cell_count(at - 1), sw_cell_count(event->model.region_count),
                         sw_cell_bytes(event->model.head), sw_cell_bytes(event->model.arena),
                         sw_cell_count(event->model.macs));
        }
    }
}

static void tell_cuts(const struct fit *fit, struct sw_state_tables *tables) {
    static const char *const columns[] = {"cut", "taken", NULL};
    if (fit->phase < FIT_TAKES) {
        return;
    }
    struct sw_state_table *table =
        sw_state_table(tables, "cuts", columns, fit->regions.count, fit->taken > 0 ? fit->taken - 1 : SW_NO_ROW);
    for (uint64_t row = table->first; row < table->end; row++) {
        char text[SW_FIT_REGION_TEXT];
        sw_fit_region_text(fit_variant(fit)->base.problem, &fit->regions.items[row], text, sizeof text);
        SW_STATE_ROW(tables, sw_cell_word(sw_state_text(tables, text, strlen(text))), sw_cell_truth(row < fit->taken));
    }
}

static void tell_queue(const struct fit *fit, const struct sw_run *run, struct sw_state_tables *tables) {
    static const char *const columns[] = {"turn", "buffer", "bytes", "offset", NULL};
    if (fit->phase != FIT_PLACES) {
        return;
    }
    const uint32_t *order = sw_problem_order(run->problem);
    const struct sw_layout *planned = fit_handed(fit)->layout;
    struct sw_state_table *table = sw_state_table(tables, "queue", columns, sw_problem_planned_count(run->problem),
                                                  fit->placed > 0 ? fit->placed - 1 : SW_NO_ROW);
    for (uint64_t row = table->first; row < table->end; row++) {
        struct sw_placement place = {0};
        bool known = sw_layout_placement(planned, order[row], 0, &place);
        SW_STATE_ROW(tables, sw_cell_count(row), sw_cell_buffer(order[row]),
                     sw_cell_bytes(sw_problem_buffer(run->problem, order[row])->size),
                     known ? sw_cell_offset(place.offset) : sw_cell_none());
    }
}

void fit_state(const void *state, const struct sw_run *run, const struct sw_decision *last,
               struct sw_state_tables *tables) {
    const struct fit *fit = state;
    (void)last;
    tell_models(fit, tables);
    tell_cuts(fit, tables);
    tell_queue(fit, run, tables);
}

void fit_because(const void *state, const struct sw_run *run, const struct sw_decision *last, char *text, size_t size) {
    const struct fit *fit = state;
    uint64_t planned = 0, least = UINT64_MAX;
    (void)run, (void)last;
    for (size_t i = 0; i < fit->seen; i++) {
        const struct sw_fit_event *event = &fit->ground->events.items[i];
        if (event->kind == SW_FIT_PLANNED) {
            planned++;
            least = SW_MIN(event->model.head, least);
        }
    }
    if (fit->phase == FIT_PLACES) {
        snprintf(text, size, "the model is settled, and its blocks lie where its plan had them");
    } else if (planned == 0) {
        snprintf(text, size, "ways to change the model are looked for before any is planned");
    } else {
        snprintf(text, size, "%s %s planned so far, the smallest with %s", SW_COUNTED(planned, "model"),
                 planned == 1 ? "was" : "were", SW_BYTES(least));
    }
}
