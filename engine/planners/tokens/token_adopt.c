/* token-sharing: how the size of a tensor came about, term by term: the declared size, its dtype, each padded dimension
 * and the alignment of the total, with what demands each. See token_sizes.c. */
#include "planners/tokens/token.h"
#include "base/base.h"

/* "npu", "npu and dsp": the units with a bit, as many as have room. */
static const char *demanding_units(const struct sw_problem *problem, uint64_t units, char text[96]) {
    char name[SW_SHORT_NAME];
    text[0] = '\0';
    for (uint32_t u = 0; u < sw_problem_unit_count(problem) && u < 64; u++) {
        if (units >> u & 1) {
            snprintf(name, sizeof name, "%.30s", sw_problem_unit(problem, u)->name);
            sw_text_add(text, 96, "%s%s", *text ? " and " : "", name);
        }
    }
    return *text ? text : "a unit";
}

static void say_type(const struct sw_problem *origin, const struct token_term *term, enum sw_dtype declared, char *text,
                     size_t size) {
    char units[96];
    if (term->dtype == declared) {
        snprintf(text, size, "%s, as %s: %s", sw_dtype_name(term->dtype),
                 term->op != SW_NONE || term->units ? "the model and what demands it have it" : "the model has it",
                 SW_BYTES(term->after));
    } else if (term->op != SW_NONE) {
        snprintf(text, size, "%s in place of %s, as %.40s stores it: %s -> %s", sw_dtype_name(term->dtype),
                 sw_dtype_name(declared), sw_problem_operator(origin, term->op)->name, SW_COUNT(term->before),
                 SW_BYTES(term->after));
    } else {
        snprintf(text, size, "%s in place of %s, as %s demands: %s -> %s", sw_dtype_name(term->dtype),
                 sw_dtype_name(declared), demanding_units(origin, term->units, units), SW_COUNT(term->before),
                 SW_BYTES(term->after));
    }
}

static void say_rounding(const struct sw_problem *origin, const struct token_term *term, char *text, size_t size) {
    char units[96], what[160];
    demanding_units(origin, term->units, units);
    if (term->kind == TERM_CHANNELS) {
        snprintf(what, sizeof what, "axis %u of %s padded to %s, a multiple of %s as %.60s demands",
                 (unsigned)term->axis, SW_COUNT(term->length), SW_COUNT(term->padded), SW_COUNT(term->multiple), units);
    } else {
        snprintf(what, sizeof what, "the total rounded up to a multiple of %s, as %.60s demands",
                 SW_BYTES(term->multiple), units);
    }
    if (term->before == term->after) {
        snprintf(text, size, "%s: %s as before", what, SW_BYTES(term->after));
    } else {
        snprintf(text, size, "%s: %s -> %s", what, SW_COUNT(term->before), SW_BYTES(term->after));
    }
}

/* A demand for another dtype, and what goes before it. */
static bool explain_overruled(const struct token_graph *g, const struct sw_run *run, const struct token_term *term,
                              uint32_t unit) {
    const struct sw_unit *u = sw_problem_unit(g->origin, unit);
    char first[96];
    return term->op != SW_NONE
               ? sw_explain_change(run->explain, SW_VERDICT_REFUSED, SW_NONE, SW_UNBOUNDED,
                                   "%s, as %.40s demands: what %.40s stores comes before it", sw_dtype_name(u->dtype),
                                   u->name, sw_problem_operator(g->origin, term->op)->name)
               : sw_explain_change(run->explain, SW_VERDICT_REFUSED, SW_NONE, SW_UNBOUNDED,
                                   "%s, as %.40s demands: %s is the first to touch it", sw_dtype_name(u->dtype),
                                   u->name, demanding_units(g->origin, term->units, first));
}

bool sw_token_explain_size(const struct token_graph *g, const struct sw_run *run, uint32_t b) {
    const struct token_info *info = &g->info[b];
    bool ok = true;
    for (uint32_t i = info->term; ok && run->explain && i < info->term + info->term_count; i++) {
        const struct token_term *term = &g->terms.items[i];
        char text[300];
        if (term->kind == TERM_TYPE) {
            say_type(g->origin, term, sw_problem_buffer(g->origin, b)->dtype, text, sizeof text);
        } else {
            say_rounding(g->origin, term, text, sizeof text);
        }
        ok = sw_explain_change(run->explain, SW_VERDICT_CHOSEN, SW_NONE, term->after, "%s", text);
        for (uint32_t u = 0; ok && u < 64 && term->overruled >> u; u++) {
            ok = !(term->overruled >> u & 1) || explain_overruled(g, run, term, u);
        }
    }
    return ok;
}

uint64_t sw_token_bytes_after(const struct token_graph *g, uint32_t b, enum token_term_kind kind) {
    const struct token_info *info = &g->info[b];
    uint64_t bytes = info->before;
    for (uint32_t i = info->term; i < info->term + info->term_count && g->terms.items[i].kind <= kind; i++) {
        bytes = g->terms.items[i].after;
    }
    return bytes;
}

/* ---- the table ---- */

static const char *const size_columns[] = {"tensor",       "declared",  "type",    "of type",     "axes",
                                           "with padding", "alignment", "aligned", "demanded by", NULL};

/* "float32 > int8" */
static const char *type_words(const struct token_graph *g, uint32_t b, struct sw_state_tables *tables) {
    enum sw_dtype old = sw_problem_buffer(g->origin, b)->dtype, dtype = g->info[b].dtype;
    char text[64] = "";
    SW_TEXT_ADD(text, "%s", sw_dtype_name(old));
    if (old != dtype) {
        SW_TEXT_ADD(text, " > %s", sw_dtype_name(dtype));
    }
    return sw_state_text(tables, text, strlen(text));
}

/* "1: 3 > 16": of each dimension that is padded, its number, its length and what that becomes. */
static const char *axes_words(const struct token_graph *g, const struct token_info *info,
                              struct sw_state_tables *tables) {
    char text[160] = "";
    for (uint32_t i = info->term; i < info->term + info->term_count; i++) {
        const struct token_term *term = &g->terms.items[i];
        if (term->kind == TERM_CHANNELS) {
            SW_TEXT_ADD(text, "%s%u: %llu", *text ? ", " : "", (unsigned)term->axis, (unsigned long long)term->length);
            if (term->padded != term->length) {
                SW_TEXT_ADD(text, " > %llu", (unsigned long long)term->padded);
            }
        }
    }
    return *text ? sw_state_text(tables, text, strlen(text)) : NULL;
}

/* Units, and the pseudo-quantise operator. */
static const char *demand_words(const struct token_graph *g, const struct token_info *info,
                                struct sw_state_tables *tables) {
    char text[200] = "", names[96];
    uint64_t units = 0;
    uint32_t op = SW_NONE;
    for (uint32_t i = info->term; i < info->term + info->term_count; i++) {
        units |= g->terms.items[i].units;
        op = g->terms.items[i].kind == TERM_TYPE ? g->terms.items[i].op : op;
    }
    if (op != SW_NONE) {
        SW_TEXT_ADD(text, "%.60s", sw_problem_operator(g->origin, op)->name);
    }
    if (units || op == SW_NONE) {
        SW_TEXT_ADD(text, "%s%s", *text ? ", " : "", demanding_units(g->origin, units, names));
    }
    return sw_state_text(tables, text, strlen(text));
}

static uint64_t alignment_of_size(const struct token_graph *g, const struct token_info *info) {
    const struct token_term *last = info->term_count ? &g->terms.items[info->term + info->term_count - 1] : NULL;
    return last && last->kind == TERM_ALIGNMENT ? last->multiple : 1;
}

void sw_token_sizes_table(const struct token *t, const struct sw_decision *last, struct sw_state_tables *tables) {
    const struct token_graph *g = t->graph;
    uint64_t count = 0;
    bool now = last && last->kind == SW_DECISION_ADOPT;
    for (size_t i = 0; i < t->at && g->tasks.items[i].kind == TASK_ADOPT; i++) {
        count++;
    }
    if (count == 0) {
        return;
    }
    struct sw_state_table *table = sw_state_table(tables, "sizes", size_columns, count, now ? count - 1 : SW_NO_ROW);
    for (uint64_t i = table->first; i < table->end; i++) {
        uint32_t b = g->tasks.items[i].buffer;
        const struct token_info *info = &g->info[b];
        SW_STATE_ROW(
            tables, sw_cell_buffer(b), sw_cell_bytes(info->before), sw_cell_word(type_words(g, b, tables)),
            sw_cell_bytes(sw_token_bytes_after(g, b, TERM_TYPE)), sw_cell_word(axes_words(g, info, tables)),
            sw_cell_bytes(sw_token_bytes_after(g, b, TERM_CHANNELS)), sw_cell_count(alignment_of_size(g, info)),
            sw_cell_bytes(sw_token_bytes_after(g, b, TERM_ALIGNMENT)), sw_cell_word(demand_words(g, info, tables)));
    }
}
