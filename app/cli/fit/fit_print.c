/* What stowage fit prints. */
#include "cli/fit/fit_print.h"

#include "base/number.h"
#include "base/text.h"
#include "cli/allocators/rows.h"
#include "cli/fit/fit_resolver.h"
#include "view/fit/fit_front.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const struct sw_problem *base_of(const struct sw_fit_result *result, const struct sw_fit_model *model) {
    return result->variants[model->variant].base.problem;
}

static const char *op_name(const struct sw_problem *problem, uint32_t op) {
    return sw_problem_operator(problem, op)->name;
}

static const char *buffer_name(const struct sw_problem *problem, uint32_t buffer) {
    return sw_problem_buffer(problem, buffer)->name;
}

static void put_name(struct sw_sink *out, const char *name) {
    sw_sink_add(out, name, strlen(name));
}

static double work_of(const struct sw_fit_result *result, const struct sw_fit_model *model) {
    uint64_t own = result->models.items[0].macs;
    return own > 0 ? (double)model->macs / (double)own : 1;
}

/* "conv_1 to dw_3 in 6 strips". */
static void put_region(const struct sw_problem *base, const struct sw_fit_region *region, struct sw_sink *out) {
    put_name(out, op_name(base, region->first));
    if (region->last > region->first) {
        sw_sink_printf(out, " to ");
        put_name(out, op_name(base, region->last));
    }
    char how[SW_FIT_HOW];
    sw_fit_region_how(region, how, sizeof how);
    sw_sink_printf(out, " %s", how);
}

static void put_move(const struct sw_fit_result *result, const struct sw_fit_model *model, const struct sw_fit_move *move, struct sw_sink *out) {
    const struct sw_problem *base = base_of(result, model);
    switch (move->kind) {
    case SW_FIT_STRIPS:
        put_region(base, &move->region, out);
        break;
    case SW_FIT_ORDER:
        sw_sink_printf(out, "another order: %" PRIu32 " %s", move->moved, move->moved == 1 ? "operator moves" : "operators move");
        break;
    case SW_FIT_INPLACE:
        put_name(out, op_name(model->problem, move->op));
        sw_sink_printf(out, " in place: ");
        put_name(out, buffer_name(model->problem, move->buffer));
        sw_sink_printf(out, " over ");
        put_name(out, buffer_name(model->problem, move->other));
        break;
    case SW_FIT_RECOMPUTE:
        put_name(out, op_name(result->problem, result->variants[model->variant].base.operators[move->op]));
        sw_sink_printf(out, " runs again, for ");
        put_name(out, op_name(base, move->op + 1));
        break;
    case SW_FIT_SPILL:
        put_name(out, buffer_name(model->problem, move->buffer));
        sw_sink_printf(out, " waits in another memory after ");
        put_name(out, op_name(model->problem, move->other));
        break;
    case SW_FIT_MOVE_KINDS:
        break;
    }
}

/* ---- JSON ---- */

static void json_name(struct sw_sink *out, const char *key, const char *name) {
    sw_sink_printf(out, ",\"%s\":", key);
    sw_sink_json(out, name);
}

/* Those of the region's operators whose bit is set. */
static void json_operators(const struct sw_problem *base, const struct sw_fit_region *region, const char *key, uint64_t bits, uint32_t end, struct sw_sink *out) {
    sw_sink_printf(out, ",\"%s\":[", key);
    for (uint32_t op = region->first, given = 0; op < end && op - region->first < 64; op++) {
        if (bits >> (op - region->first) & 1) {
            sw_sink_printf(out, "%s", given++ ? "," : "");
            sw_sink_json(out, op_name(base, op));
        }
    }
    sw_sink_printf(out, "]");
}

static void json_region(const struct sw_problem *base, const struct sw_fit_region *region, struct sw_sink *out) {
    json_name(out, "first", op_name(base, region->first));
    json_name(out, "last", op_name(base, region->last));
    sw_sink_printf(out, ",\"strips\":%" PRIu32 ",\"way\":\"%s\",\"mode\":\"%s\",\"backwards\":%s", region->strips,
                   region->padded ? "pad" : "discard", region->loop ? "loop" : region->kept ? "keep" : "halo",
                   region->backwards ? "true" : "false");
    if (region->padded != 0 && region->padded != SW_FIT_PAD_ALL) {
        json_operators(base, region, "padded", region->padded, region->last + 1, out);
    }
    json_operators(base, region, "kept", region->kept, region->last, out);
    sw_sink_printf(out, ",\"ends\":[");
    for (uint32_t s = 0; region->ends[0] > 0 && s + 1 < region->strips; s++) {
        sw_sink_printf(out, "%s%u", s ? "," : "", region->ends[s]);
    }
    sw_sink_printf(out, "]");
    if (region->loop) {
        sw_sink_printf(out, ",\"lead\":%" PRIu32 ",\"rows\":%" PRIu32, region->lead, region->rows);
    }
}

static void json_move(const struct sw_fit_result *result, const struct sw_fit_model *model, const struct sw_fit_move *move, bool effect, struct sw_sink *out) {
    const struct sw_problem *base = base_of(result, model);
    sw_sink_printf(out, "{\"kind\":\"%s\"", sw_fit_move_name(move->kind));
    if (move->kind == SW_FIT_STRIPS) {
        json_region(base, &move->region, out);
    } else if (move->kind == SW_FIT_ORDER) {
        sw_sink_printf(out, ",\"operators_moved\":%" PRIu32, move->moved);
    } else if (move->kind == SW_FIT_RECOMPUTE) {
        json_name(out, "operator", op_name(base, move->op));
        json_name(out, "buffer", buffer_name(base, move->buffer));
        json_name(out, "again", buffer_name(base, move->other));
    } else if (move->kind == SW_FIT_INPLACE) {
        json_name(out, "operator", op_name(model->problem, move->op));
        json_name(out, "buffer", buffer_name(model->problem, move->buffer));
        json_name(out, "over", buffer_name(model->problem, move->other));
    } else {
        json_name(out, "buffer", buffer_name(model->problem, move->buffer));
        json_name(out, "behind", op_name(model->problem, move->other));
    }
    if (effect) {
        const struct sw_fit_effect *e = &move->effect;
        sw_sink_printf(out,
                       ",\"effect\":{\"head\":%" PRId64 ",\"arena\":%" PRId64 ",\"tail\":%" PRId64 ",\"multiply_adds\":%" PRId64 ",\"operators\":%" PRId64
                       ",\"flash\":%" PRId64 ",\"moved\":%" PRId64 "}",
                       e->head, e->arena, e->tail, e->macs, e->operators, e->flash, e->moved);
    }
    sw_sink_printf(out, "}");
}

/* Only the chosen model's moves have effects. */
static void json_model(const struct sw_fit_result *result, const struct sw_fit_model *model, bool chosen, struct sw_sink *out) {
    sw_sink_printf(out,
                   "{\"head\":%" PRIu64 ",\"bound\":%" PRIu64 ",\"arena\":%" PRIu64 ",\"multiply_adds\":%" PRIu64 ",\"operators\":%" PRIu32
                   ",\"flash\":%" PRIu64 ",\"moved\":%" PRIu64 ",\"cost\":%.9g,\"regions\":[",
                   model->head, model->bound, model->arena, model->macs, model->calls, model->flash, model->moved, model->cost);
    for (size_t i = 0; i < model->region_count; i++) {
        sw_sink_printf(out, "%s{\"kind\":\"strips\"", i ? "," : "");
        json_region(base_of(result, model), &model->regions[i], out);
        sw_sink_printf(out, "}");
    }
    sw_sink_printf(out, "],\"moves\":[");
    for (size_t i = 0; i < model->moves.items.count; i++) {
        sw_sink_printf(out, "%s", i ? "," : "");
        json_move(result, model, &model->moves.items.items[i], chosen, out);
    }
    sw_sink_printf(out, "]}");
}

/* The operators at which no cuts leave less alive, and the limits without which the model would fit. */
static void json_limits(const struct sw_fit_result *result, struct sw_sink *out) {
    static const char *const names[SW_FIT_LIMIT_COUNT] = {"max_macs", "max_operators", "max_flash", "resolver", "all"};
    const struct sw_fit_variant *least = &result->variants[result->least_of];
    sw_sink_printf(out, ",\"least\":%" PRIu64 ",\"least_at\":", result->least);
    sw_sink_json(out, op_name(least->base.problem, least->front.forced));
    sw_sink_printf(out, ",\"least_live\":%" PRIu64 ",\"without\":{", least->front.live);
    bool some = false;
    for (int i = 0; i < SW_FIT_LIMIT_COUNT; i++) {
        if (result->without[i] > 0) {
            sw_sink_printf(out, "%s\"%s\":%" PRIu64, some ? "," : "", names[i], result->without[i]);
            some = true;
        }
    }
    sw_sink_printf(out, "}");
}

static void print_json(const struct sw_cli *cli, const struct sw_fit_result *result, struct sw_sink *out) {
    sw_sink_printf(out, "{\"model\":");
    sw_sink_json(out, sw_problem_name(result->problem));
    sw_sink_printf(out, ",\"capacity\":");
    if (cli->load.has_capacity) {
        sw_sink_printf(out, "%" PRIu64, cli->load.capacity);
    } else {
        sw_sink_printf(out, "null");
    }
    sw_sink_printf(out, ",\"fits\":%s", result->fits ? "true" : "false");
    if (sw_problem_operator_count(result->problem) > 0) {
        json_limits(result, out);
    } else {
        sw_sink_printf(out, ",\"least\":%" PRIu64, result->least);
    }
    sw_sink_printf(out, ",\"stopped\":%s,\"as_is\":", result->stopped ? "true" : "false");
    json_model(result, &result->models.items[0], false, out);
    sw_sink_printf(out, ",\"chosen\":");
    json_model(result, &result->models.items[result->chosen], true, out);
    sw_sink_printf(out, ",\"front\":[");
    for (size_t i = 1; i < result->models.count; i++) {
        sw_sink_printf(out, "%s", i > 1 ? "," : "");
        json_model(result, &result->models.items[i], false, out);
    }
    sw_sink_printf(out, "],\"not_cut\":[");
    const struct sw_fit_cuts *cuts = &result->variants[0].cuts;
    for (size_t i = 0; i < cuts->refused.count; i++) {
        sw_sink_printf(out, "%s{\"operator\":", i ? "," : "");
        sw_sink_json(out, op_name(result->problem, cuts->refused.items[i].op));
        sw_sink_printf(out, ",\"reason\":");
        sw_sink_json(out, cuts->refused.items[i].reason);
        sw_sink_printf(out, "}");
    }
    sw_sink_printf(out, "]}\n");
}

/* ---- tables ---- */

static void print_table(const struct sw_fit_result *result, enum sw_output output, struct sw_sink *out) {
    static const char *const heads[] = {"arena", "head", "tail", "multiply-adds", "operators", "moves"};
    struct sw_rows rows = {.heads = heads, .columns = sizeof heads / sizeof *heads, .left = 1 << 5};
    bool exact = output == SW_OUTPUT_CSV;
    for (size_t i = 1; i <= result->models.count; i++) {
        size_t number = i % result->models.count; /* the model as it is comes last */
        const struct sw_fit_model *model = &result->models.items[number];
        char text[32];
        struct sw_sink moves = {0};
        sw_rows_count(&rows, model->arena, exact);
        sw_rows_count(&rows, model->head, exact);
        sw_rows_count(&rows, sw_problem_outside(model->problem), exact);
        snprintf(text, sizeof text, exact ? "%.6f" : "%.3f", work_of(result, model));
        sw_rows_text(&rows, text);
        sw_rows_count(&rows, model->calls, exact);
        for (size_t m = 0; m < model->moves.items.count; m++) {
            sw_sink_printf(&moves, "%s", m ? "; " : "");
            put_move(result, model, &model->moves.items.items[m], &moves);
        }
        sw_sink_printf(&moves, "%s", model->moves.items.count ? "" : "as it is");
        sw_sink_add(&moves, "", 1);
        rows.failed |= moves.failed;
        sw_rows_text(&rows, moves.failed ? "" : moves.text.items);
        sw_sink_done(&moves);
    }
    sw_rows_print(&rows, output, out);
    sw_rows_done(&rows);
}

static void put_moves(const struct sw_fit_result *result, const struct sw_fit_model *model, struct sw_sink *out) {
    static const char *const heads[] = {[SW_FIT_STRIPS] = "in strips", [SW_FIT_ORDER] = "order", [SW_FIT_INPLACE] = "in place",
                                        [SW_FIT_RECOMPUTE] = "recomputed", [SW_FIT_SPILL] = "spilled"};
    for (size_t i = 0; i < model->moves.items.count; i++) {
        const struct sw_fit_move *move = &model->moves.items.items[i];
        bool same = i > 0 && model->moves.items.items[i - 1].kind == move->kind;
        sw_sink_printf(out, "  %-15s ", same ? "" : heads[move->kind]);
        put_move(result, model, move, out);
        sw_sink_printf(out, "\n");
    }
}

/* The operators that the application needs for the chosen model. */
static void put_needed(const struct sw_fit_result *result, const struct sw_fit_model *model, struct sw_sink *out) {
    struct sw_fit_program program = {0};
    struct sw_fit_refusal refusal;
    char names[200];
    unsigned needs = sw_fit_model_program(result, model, &program, &refusal) ? sw_fit_needs(&program) : 0;
    sw_fit_program_done(&program);
    if (fit_resolver_names(result->problem, needs, names, sizeof names) > 0) {
        sw_sink_printf(out, "  %-15s %s\n", "resolver", names);
    }
    if (model->moved > 0) {
        sw_sink_printf(out, "  %-15s %s to another memory and back, at a cost of %.6g\n", "moved", SW_BYTES(model->moved), model->cost);
    }
    if (model->flash > 0) {
        sw_sink_printf(out, "  %-15s %s more\n", "flash", SW_BYTES(model->flash));
    }
}

static void put_model(const struct sw_fit_result *result, const struct sw_fit_model *model, struct sw_sink *out) {
    sw_sink_printf(out, "  arena           %s\n", SW_BYTES(model->arena));
    sw_sink_printf(out, "  head            %s%s\n", SW_BYTES(model->head), model->head == model->bound ? ", optimal: it is the bound" : "");
    sw_sink_printf(out, "  multiply-adds   %.3f of the model's own\n", work_of(result, model));
    sw_sink_printf(out, "  operators       %" PRIu32 ", %" PRIu32 " as it is\n", model->calls, result->models.items[0].calls);
    put_moves(result, model, out);
    put_needed(result, model, out);
}

/* The operator at which the most bytes are alive. */
static void put_obstacle(const struct sw_fit_model *model, struct sw_sink *out) {
    sw_sink_printf(out, "The model that comes nearest has the most bytes alive at ");
    put_name(out, op_name(model->problem, sw_problem_bound_step(model->problem)));
    sw_sink_printf(out, ": %s.\n", SW_BYTES(model->bound));
}

static void put_uncut(const struct sw_fit_result *result, struct sw_sink *out) {
    enum { MOST = 4 };
    size_t count = result->variants[0].cuts.refused.count;
    if (count == 0) {
        return;
    }
    sw_sink_printf(out, "\nNot cut: ");
    for (size_t i = 0; i < count && i < MOST; i++) {
        const struct sw_fit_refusal *refused = &result->variants[0].cuts.refused.items[i];
        sw_sink_printf(out, "%s", i ? "; " : "");
        put_name(out, op_name(result->problem, refused->op));
        sw_sink_printf(out, " (%s)", refused->reason);
    }
    sw_sink_printf(out, count > MOST ? "; and %zu more.\n" : ".\n", count - MOST);
}

/* The operators at which no cuts leave less alive. */
static void put_witness(const struct sw_fit_result *result, struct sw_sink *out) {
    const struct sw_fit_variant *variant = &result->variants[result->least_of];
    const struct sw_problem *base = variant->base.problem;
    put_name(out, op_name(base, variant->front.from));
    if (variant->front.from < variant->front.forced) {
        sw_sink_printf(out, " to ");
        put_name(out, op_name(base, variant->front.forced));
    }
    char looked_at[SW_FIT_LOOKED_AT];
    sw_fit_looked_at(result, looked_at, sizeof looked_at);
    sw_sink_printf(out, ", because %s are alive there %s", SW_BYTES(variant->front.live), looked_at);
}

/* Live bytes alone would allow so much; whether addresses do was not tried. */
static void put_allowed(uint64_t bytes, const char *what, struct sw_sink *out) {
    sw_sink_printf(out, "the bytes that are alive would allow %s %s of %s", *what == 'a' ? "an" : "a", what, SW_BYTES(bytes));
}

/* The limits without which the model would fit. */
static void put_limits(const struct sw_cli *cli, const struct sw_fit_result *result, const char *what, struct sw_sink *out) {
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

static void put_why(const struct sw_cli *cli, const struct sw_fit_result *result, const char *what, struct sw_sink *out) {
    bool spills = result->models.items[result->chosen].moved > 0;
    if (result->least > cli->load.capacity) {
        sw_sink_printf(out, "\n%s the %s is at least %s, at ",
                       spills ? "Nothing that was planned fits. Without tensors in another memory" : "It cannot be done with these moves:", what,
                       SW_BYTES(result->least));
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
    put_obstacle(&result->models.items[result->chosen], out);
}

static void print_text(const struct sw_cli *cli, const struct sw_fit_result *result, struct sw_sink *out) {
    const struct sw_fit_model *as_is = &result->models.items[0], *chosen = &result->models.items[result->chosen];
    const char *what = cli->load.capacity_of == SW_CAPACITY_OF_HEAD ? "head" : "arena";
    uint64_t own;
    sw_sink_printf(out, "as it is: arena %s, head %s\n", SW_BYTES(as_is->arena), SW_BYTES(as_is->head));
    if (sw_problem_offsets_are_plan(result->problem) && sw_problem_plan_peak(result->problem, &own)) {
        sw_sink_printf(out, "the plan in the file has a head of %s; the figures here are of plans by fit\n", SW_BYTES(own));
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
        put_model(result, chosen, out);
        put_uncut(result, out);
        return;
    }
    if (cli->load.has_capacity) {
        sw_sink_printf(out, result->chosen == 0 ? "\nIt fits as it is.\n" : "\nIt fits. Of the planned models that fit this one has the fewest multiply-adds:\n");
        if (result->chosen > 0) {
            put_model(result, chosen, out);
        }
        return;
    }
    sw_sink_printf(out, "\n");
    if (result->models.count > 1) {
        print_table(result, SW_OUTPUT_TEXT, out);
        sw_sink_printf(out, "\nThe least %s:\n", what);
        put_model(result, chosen, out);
    } else {
        sw_sink_printf(out, "Nothing that was %s needs less.\n", result->stopped ? "planned until then" : "looked at");
    }
    put_uncut(result, out);
}

void fit_print(const struct sw_cli *cli, const struct sw_fit_result *result, enum sw_output output, struct sw_sink *out) {
    if (output == SW_OUTPUT_JSON) {
        print_json(cli, result, out);
    } else if (output == SW_OUTPUT_TEXT) {
        print_text(cli, result, out);
    } else {
        print_table(result, output, out);
    }
}
