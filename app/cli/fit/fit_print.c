/* What stowage fit prints. */
#include "cli/fit/fit_parts.h"
#include "base/base.h"

#include "view/fit/fit_front.h"

static const struct sw_problem *base_of(const struct sw_fit_result *result, const struct sw_fit_model *model) {
    return result->variants[model->variant].base.problem;
}

static const char *fit_op_name(const struct sw_problem *problem, uint32_t op) {
    return sw_problem_operator(problem, op)->name;
}

static const char *fit_buffer_name(const struct sw_problem *problem, uint32_t buffer) {
    return sw_problem_buffer(problem, buffer)->name;
}

static bool computes_operators(const struct sw_fit_result *result) {
    return sw_problem_operator_count(result->problem) > 0;
}

static double model_work(const struct sw_fit_result *result, const struct sw_fit_model *model) {
    uint64_t own = result->models.items[0].macs;
    return own > 0 ? (double)model->macs / (double)own : 1;
}

/* "conv_1", "conv_1 to dw_3". */
static void put_range(const struct sw_problem *base, uint32_t first, uint32_t last, struct sw_sink *out) {
    sw_sink_printf(out, last > first ? "%s to %s" : "%s", fit_op_name(base, first), fit_op_name(base, last));
}

/* ---- moves and models ---- */

/* A list of the region's operators with their bit set. */
static void put_region_operators(const struct sw_problem *base, const struct sw_fit_region *region, const char *key,
                                 uint64_t bits, uint32_t end, struct sw_json_out *json) {
    sw_put_list(json, key);
    for (uint32_t op = region->first; op < end && op - region->first < 64; op++) {
        if (bits >> (op - region->first) & 1) {
            sw_put_text(json, NULL, fit_op_name(base, op));
        }
    }
    sw_put_end(json);
}

static void put_cuts(const struct sw_problem *base, const struct sw_fit_region *region, struct sw_json_out *json) {
    sw_put_text(json, "first", fit_op_name(base, region->first));
    sw_put_text(json, "last", fit_op_name(base, region->last));
    sw_put_count(json, "strips", region->strips);
    sw_put_text(json, "way", region->padded ? "pad" : "discard");
    sw_put_text(json, "mode", region->loop ? "loop" : region->kept ? "keep" : "halo");
    sw_put_truth(json, "backwards", region->backwards);
    if (region->padded != 0 && region->padded != SW_FIT_PAD_ALL) {
        put_region_operators(base, region, "padded", region->padded, region->last + 1, json);
    }
    put_region_operators(base, region, "kept", region->kept, region->last, json);
    sw_put_list(json, "ends");
    for (uint32_t s = 0; region->ends[0] > 0 && s + 1 < region->strips; s++) {
        sw_put_count(json, NULL, region->ends[s]);
    }
    sw_put_end(json);
    if (region->loop) {
        SW_PUT_COUNTS(json, {"lead", region->lead}, {"rows", region->rows});
    }
}

static void put_effect_json(const struct sw_fit_effect *e, struct sw_json_out *json) {
    const struct {
        const char *key;
        int64_t change;
    } changes[] = {{"head", e->head},           {"arena", e->arena}, {"tail", e->tail},  {"multiply_adds", e->macs},
                   {"operators", e->operators}, {"flash", e->flash}, {"moved", e->moved}};
    sw_put_object(json, "effect");
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        sw_put_time(json, changes[i].key, changes[i].change);
    }
    sw_put_end(json);
}

/* A move, in words and as members of the object that is open. */
static void put_fit_move(const struct sw_fit_result *result, const struct sw_fit_model *model,
                         const struct sw_fit_move *move, struct sw_sink *words, struct sw_json_out *json) {
    const struct sw_problem *base = base_of(result, model), *own = model->problem;
    char how[SW_FIT_HOW];
    sw_put_text(json, "kind", sw_fit_move_name(move->kind));
    switch (move->kind) {
    case SW_FIT_STRIPS: /* "conv_1 to dw_3 in 6 strips" */
        put_cuts(base, &move->region, json);
        put_range(base, move->region.first, move->region.last, words);
        sw_fit_region_how(&move->region, how, sizeof how);
        sw_sink_printf(words, " %s", how);
        break;
    case SW_FIT_ORDER:
        sw_put_count(json, "operators_moved", move->moved);
        sw_sink_printf(words, "another order: %" PRIu32 " %s", move->moved,
                       move->moved == 1 ? "operator moves" : "operators move");
        break;
    case SW_FIT_INPLACE:
        sw_put_text(json, "operator", fit_op_name(own, move->op));
        sw_put_text(json, "buffer", fit_buffer_name(own, move->buffer));
        sw_put_text(json, "over", fit_buffer_name(own, move->other));
        sw_sink_printf(words, "%s in place: %s over %s", fit_op_name(own, move->op), fit_buffer_name(own, move->buffer),
                       fit_buffer_name(own, move->other));
        break;
    case SW_FIT_RECOMPUTE:
        sw_put_text(json, "operator", fit_op_name(base, move->op));
        sw_put_text(json, "buffer", fit_buffer_name(base, move->buffer));
        sw_put_text(json, "again", fit_buffer_name(base, move->other));
        sw_sink_printf(words, "%s runs again, for %s",
                       fit_op_name(result->problem, result->variants[model->variant].base.operators[move->op]),
                       fit_op_name(base, move->op + 1));
        break;
    case SW_FIT_SPILL:
        sw_put_text(json, "buffer", fit_buffer_name(own, move->buffer));
        sw_put_text(json, "behind", fit_op_name(own, move->other));
        sw_sink_printf(words, "%s waits in another memory after %s", fit_buffer_name(own, move->buffer),
                       fit_op_name(own, move->other));
        break;
    case SW_FIT_MOVE_KINDS:
        break;
    }
}

/* Only the chosen model's moves have effects, and only it is told in words. */
static void put_model(const struct sw_fit_result *result, const char *key, size_t number, bool chosen,
                      struct sw_cli_report *report) {
    static const char *const heads[] = {[SW_FIT_STRIPS] = "in strips",
                                        [SW_FIT_ORDER] = "order",
                                        [SW_FIT_INPLACE] = "in place",
                                        [SW_FIT_RECOMPUTE] = "recomputed",
                                        [SW_FIT_SPILL] = "spilled"};
    const struct sw_fit_model *model = &result->models.items[number];
    struct sw_json_out *json = &report->json;
    struct sw_sink *words = chosen ? report->words : &report->unseen;
    sw_put_object(json, key);
    SW_PUT_COUNTS(json, {"head", model->head}, {"bound", model->bound}, {"arena", model->arena},
                  {"multiply_adds", model->macs}, {"operators", model->calls}, {"flash", model->flash},
                  {"moved", model->moved});
    sw_put_printf(json, "cost", "%.9g", model->cost);
    sw_report_line(words, "arena", "%s", SW_BYTES(model->arena));
    sw_report_line(words, "head", "%s%s", SW_BYTES(model->head),
                   model->head == model->bound ? ", optimal: it is the bound" : "");
    sw_report_line(words, "multiply-adds", "%.3f of the model's own", model_work(result, model));
    sw_report_line(words, "operators", "%" PRIu32 ", %" PRIu32 " as it is", model->calls,
                   result->models.items[0].calls);
    sw_put_list(json, "regions");
    for (size_t i = 0; i < model->region_count; i++) {
        sw_put_object(json, NULL);
        sw_put_text(json, "kind", "strips");
        put_cuts(base_of(result, model), &model->regions[i], json);
        sw_put_end(json);
    }
    sw_put_end(json);
    sw_put_list(json, "moves");
    for (size_t i = 0; i < model->moves.items.count; i++) {
        const struct sw_fit_move *move = &model->moves.items.items[i];
        bool same = i > 0 && move[-1].kind == move->kind;
        sw_put_object(json, NULL);
        sw_sink_printf(words, "  %-15s ", same ? "" : heads[move->kind]);
        put_fit_move(result, model, move, words, json);
        sw_sink_printf(words, "\n");
        if (chosen) {
            put_effect_json(&move->effect, json);
        }
        sw_put_end(json);
    }
    sw_put_end(json);
    sw_put_end(json);
}

/* The operators at which no cuts leave less alive, and the limits without which the model would fit. */
static void put_json_limits(const struct sw_fit_result *result, struct sw_json_out *json) {
    static const char *const names[SW_FIT_LIMIT_COUNT] = {"max_macs", "max_operators", "max_flash", "resolver", "all"};
    const struct sw_fit_variant *least = &result->variants[result->least_of];
    sw_put_text(json, "least_at", fit_op_name(least->base.problem, least->front.forced));
    sw_put_count(json, "least_live", least->front.live);
    sw_put_object(json, "without");
    for (int i = 0; i < SW_FIT_LIMIT_COUNT; i++) {
        if (result->without[i] > 0) {
            sw_put_count(json, names[i], result->without[i]);
        }
    }
    sw_put_end(json);
}

/* ---- tables ---- */

static void put_fit_table(const struct sw_fit_result *result, struct sw_cli_report *out) {
    static const struct sw_report_column columns[] = {{.name = "arena"},     {.name = "head"},
                                                      {.name = "tail"},      {.name = "multiply-adds"},
                                                      {.name = "operators"}, {.name = "moves", .left = true}};
    enum { MOST_MOVE_BYTES = 239 }; /* bytes of the moves */
    sw_rows_begin(out, NULL, columns, sizeof columns / sizeof *columns);
    for (size_t i = 1; i <= result->models.count; i++) {
        size_t number = i % result->models.count; /* the model as it is comes last */
        const struct sw_fit_model *model = &result->models.items[number];
        struct sw_sink moves = {0};
        sw_row_count(out, model->arena);
        sw_row_count(out, model->head);
        sw_row_count(out, sw_problem_outside(model->problem));
        sw_row_words(out, out->output == SW_OUTPUT_CSV ? "%.6f" : "%.3f", model_work(result, model));
        sw_row_count(out, model->calls);
        for (size_t m = 0; m < model->moves.items.count; m++) {
            sw_sink_printf(&moves, "%s", m ? "; " : "");
            put_fit_move(result, model, &model->moves.items.items[m], &moves, &out->json);
        }
        sw_sink_printf(&moves, "%s", model->moves.items.count ? "" : "as it is");
        if (!moves.failed) {
            moves.text.count = sw_utf8_cut(moves.text.items, moves.text.count, MOST_MOVE_BYTES);
            sw_sink_add(&moves, "", 1);
        }
        out->out.failed |= moves.failed;
        sw_row_text(out, moves.failed ? "" : moves.text.items);
        sw_sink_done(&moves);
    }
    sw_rows_end(out);
}

/* The chosen model for people, with the operators that the application needs for it. */
static void put_chosen(const struct sw_fit_result *result, struct sw_cli_report *report) {
    const struct sw_fit_model *model = &result->models.items[result->chosen];
    struct sw_sink *out = report->words;
    struct sw_fit_program program = {0};
    struct sw_fit_refusal refusal;
    char names[200];
    put_model(result, "chosen", result->chosen, true, report);
    bool made = sw_fit_model_program(result, model, &program, &refusal); /* it was made before: else no memory */
    unsigned needs = made ? sw_fit_needs(&program) : 0;
    report->out.failed |= !made;
    sw_fit_program_done(&program);
    if (fit_resolver_names(result->problem, needs, names, sizeof names) > 0) {
        sw_report_line(out, "resolver", "%s", names);
    }
    if (model->moved > 0) {
        sw_report_line(out, "moved", "%s to another memory and back, at a cost of %.6g", SW_BYTES(model->moved),
                       model->cost);
    }
    if (model->flash > 0) {
        sw_report_line(out, "flash", "%s more", SW_BYTES(model->flash));
    }
}

static void put_uncut(const struct sw_fit_result *result, struct sw_cli_report *report) {
    enum { MOST_UNCUT = 4 };
    struct sw_json_out *json = &report->json;
    size_t count = result->variants[0].cuts.refused.count;
    sw_put_list(json, "not_cut");
    sw_sink_printf(report->words, "%s", count ? "\nNot cut: " : "");
    for (size_t i = 0; i < count; i++) {
        const struct sw_fit_refusal *refused = &result->variants[0].cuts.refused.items[i];
        const char *name = fit_op_name(result->problem, refused->op);
        sw_put_object(json, NULL);
        sw_put_text(json, "operator", name);
        sw_put_text(json, "reason", refused->reason);
        sw_put_end(json);
        if (i < MOST_UNCUT) {
            sw_sink_printf(report->words, "%s%s (%s)", i ? "; " : "", name, refused->reason);
        }
    }
    sw_put_end(json);
    if (count > 0) {
        sw_sink_printf(report->words, count > MOST_UNCUT ? "; and %zu more.\n" : ".\n", count - MOST_UNCUT);
    }
}

static void put_fit_json(const struct sw_cli *cli, const struct sw_fit_result *result, struct sw_cli_report *report) {
    struct sw_json_out *json = &report->json;
    sw_put_object(json, NULL);
    sw_put_text(json, "model", sw_problem_name(result->problem));
    sw_put_known(json, "capacity", cli->load.has_capacity, cli->load.capacity);
    sw_put_truth(json, "fits", result->fits);
    sw_put_known(json, "least", computes_operators(result), result->least);
    if (computes_operators(result)) {
        put_json_limits(result, json);
    }
    sw_put_truth(json, "stopped", result->stopped);
    put_model(result, "as_is", 0, false, report);
    put_model(result, "chosen", result->chosen, true, report);
    sw_put_list(json, "front");
    for (size_t i = 1; i < result->models.count; i++) {
        put_model(result, NULL, i, false, report);
    }
    sw_put_end(json);
    put_uncut(result, report);
    sw_put_end(json);
}

/* The operators at which no cuts leave less alive. */
static void put_witness(const struct sw_fit_result *result, struct sw_sink *out) {
    const struct sw_fit_variant *variant = &result->variants[result->least_of];
    put_range(variant->base.problem, variant->front.from, variant->front.forced, out);
    char looked_at[SW_FIT_LOOKED_AT];
    sw_fit_looked_at(result, looked_at, sizeof looked_at);
    sw_sink_printf(out, ", because %s are alive there %s", SW_BYTES(variant->front.live), looked_at);
}

/* Live bytes alone would allow so much; whether addresses do was not tried. */
static void put_allowed(uint64_t bytes, const char *what, struct sw_sink *out) {
    sw_sink_printf(out, "the bytes that are alive would allow %s %s of %s", *what == 'a' ? "an" : "a", what,
                   SW_BYTES(bytes));
}

/* The limits without which the model would fit. */
static void put_limits(const struct sw_cli *cli, const struct sw_fit_result *result, const char *what,
                       struct sw_sink *out) {
    char names[200], texts[SW_FIT_LIMIT_COUNT][80] = {"", "", "", "", "all of the limits"};
    bool alone = false;
    fit_resolver_names(result->problem, result->missed, names, sizeof names);
    snprintf(texts[SW_FIT_LIMIT_MACS], sizeof *texts, "--max-macs %g", cli->max_macs);
    snprintf(texts[SW_FIT_LIMIT_CALLS], sizeof *texts, "--max-operators %" PRIu32, cli->max_operators);
    snprintf(texts[SW_FIT_LIMIT_FLASH], sizeof *texts, "--max-flash %s", SW_BYTES(cli->max_flash));
    for (int i = 0; i < SW_FIT_LIMIT_COUNT; i++) {
        if (result->without[i] > 0 && i != SW_FIT_LIMIT_ACTS && !(i == SW_FIT_LIMIT_ALL && alone)) {
            sw_sink_printf(out, "Without %s ", texts[i]);
            put_allowed(result->without[i], what, out);
            sw_sink_printf(out, ".\n");
        }
        alone |= result->without[i] > 0;
    }
    if (result->missed) {
        sw_sink_printf(out, "Missing in --resolver: %s", names);
        if (result->without[SW_FIT_LIMIT_ACTS] > 0) {
            sw_sink_printf(out, "; with %s ", strchr(names, ',') ? "them" : "it");
            put_allowed(result->without[SW_FIT_LIMIT_ACTS], what, out);
        }
        sw_sink_printf(out, ".\n");
    }
}

static void put_why(const struct sw_cli *cli, const struct sw_fit_result *result, const char *what,
                    struct sw_sink *out) {
    const struct sw_fit_model *nearest = &result->models.items[result->chosen];
    if (!computes_operators(result)) {
        sw_sink_printf(out, "\nIt does not fit into %s, and without operators there is nothing to change.\n",
                       SW_BYTES(cli->load.capacity));
        return;
    }
    if (result->least > cli->load.capacity) {
        sw_sink_printf(out, "\n%s the %s is at least %s, at ",
                       nearest->moved > 0 ? "Nothing that was planned fits. Without tensors in another memory"
                                          : "It cannot be done with these moves:",
                       what, SW_BYTES(result->least));
        put_witness(result, out);
        sw_sink_printf(out, ".\n");
        if (cli->load.capacity_of != SW_CAPACITY_OF_HEAD && sw_problem_outside(result->problem) > 0) {
            sw_sink_printf(out, "The rest of the arena is its tail, which grows with every operator that is added.\n");
        }
    } else {
        sw_sink_printf(out, "\nNothing that was planned fits into %s: ", SW_BYTES(cli->load.capacity));
        put_allowed(result->least, what, out);
        sw_sink_printf(out, ", but no addresses were found for that.\n");
    }
    put_limits(cli, result, what, out);
    sw_sink_printf(out, "The model that comes nearest has the most bytes alive at %s: %s.\n",
                   fit_op_name(nearest->problem, sw_problem_bound_step(nearest->problem)), SW_BYTES(nearest->bound));
}

static void put_fit_text(const struct sw_cli *cli, const struct sw_fit_result *result, struct sw_cli_report *report) {
    struct sw_sink *out = &report->out;
    const struct sw_fit_model *as_is = &result->models.items[0];
    const char *what = cli->load.capacity_of == SW_CAPACITY_OF_HEAD ? "head" : "arena";
    uint64_t own;
    sw_sink_printf(out, "as it is: arena %s, head %s\n", SW_BYTES(as_is->arena), SW_BYTES(as_is->head));
    if (sw_problem_offsets_are_plan(result->problem) && sw_problem_plan_peak(result->problem, &own)) {
        sw_sink_printf(out, "the plan in the file has a head of %s; the figures here are of plans by fit\n",
                       SW_BYTES(own));
    }
    if (result->missed && (result->fits || !cli->load.has_capacity)) {
        char names[200];
        fit_resolver_names(result->problem, result->missed, names, sizeof names);
        sw_sink_printf(out, "missing in --resolver: %s\n", names);
    }
    if (result->stopped) {
        sw_sink_printf(out, "stopped: models that were not looked at may need less\n");
    }
    if (cli->load.has_capacity && !result->fits) {
        put_why(cli, result, what, out);
        put_chosen(result, report);
        put_uncut(result, report);
        return;
    }
    if (cli->load.has_capacity) {
        sw_sink_printf(out, result->chosen == 0
                                ? "\nIt fits as it is.\n"
                                : "\nIt fits. Of the planned models that fit this one has the fewest multiply-adds:\n");
        if (result->chosen > 0) {
            put_chosen(result, report);
        }
        return;
    }
    sw_sink_printf(out, "\n");
    if (result->models.count > 1) {
        put_fit_table(result, report);
        sw_sink_printf(out, "\nThe least %s:\n", what);
        put_chosen(result, report);
    } else {
        sw_sink_printf(out, "Nothing that was %s needs less.\n", result->stopped ? "planned until then" : "looked at");
    }
    put_uncut(result, report);
}

void fit_print(const struct sw_cli *cli, const struct sw_fit_result *result, struct sw_cli_report *report) {
    if (report->output == SW_OUTPUT_JSON) {
        put_fit_json(cli, result, report);
    } else if (report->output == SW_OUTPUT_TEXT) {
        put_fit_text(cli, result, report);
    } else {
        put_fit_table(result, report);
    }
}
