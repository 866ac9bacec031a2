/* What stowage fit prints. */
#include "cli/fit/fit_print.h"

#include "base/number.h"
#include "base/text.h"
#include "cli/allocators/rows.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char *op_name(const struct sw_fit_result *result, uint32_t op) {
    return sw_problem_operator(result->problem, op)->name;
}

static double work_of(const struct sw_fit_result *result, const struct sw_fit_model *model) {
    uint64_t own = result->models.items[0].macs;
    return own > 0 ? (double)model->macs / (double)own : 1;
}

static uint64_t tail_of(const struct sw_fit_model *model) {
    return model->arena - model->head;
}

/* "conv_1 to dw_3 in 6 strips". */
static void put_region(const struct sw_fit_result *result, const struct sw_fit_region *region, struct sw_sink *out) {
    sw_sink_add(out, op_name(result, region->first), strlen(op_name(result, region->first)));
    if (region->last > region->first) {
        sw_sink_printf(out, " to ");
        sw_sink_add(out, op_name(result, region->last), strlen(op_name(result, region->last)));
    }
    sw_sink_printf(out, " in %" PRIu32 " strips%s%s%s%s", region->strips, region->loop ? ", in a loop" : "", region->way == SW_FIT_PAD ? ", padded" : "",
                   region->kept ? ", keeping rows" : "", region->backwards ? ", backwards" : "");
}

/* ---- JSON ---- */

static void json_model(const struct sw_fit_result *result, const struct sw_fit_model *model, struct sw_sink *out) {
    sw_sink_printf(out, "{\"head\":%" PRIu64 ",\"bound\":%" PRIu64 ",\"arena\":%" PRIu64 ",\"multiply_adds\":%" PRIu64 ",\"operators\":%" PRIu32 ",\"regions\":[",
                   model->head, model->bound, model->arena, model->macs, model->calls);
    for (size_t i = 0; i < model->region_count; i++) {
        const struct sw_fit_region *region = &model->regions[i];
        sw_sink_printf(out, "%s{\"first\":", i ? "," : "");
        sw_sink_json(out, op_name(result, region->first));
        sw_sink_printf(out, ",\"last\":");
        sw_sink_json(out, op_name(result, region->last));
        sw_sink_printf(out, ",\"strips\":%" PRIu32 ",\"same\":\"%s\",\"backwards\":%s,\"kept\":[", region->strips,
                       region->way == SW_FIT_PAD ? "pad" : "discard", region->backwards ? "true" : "false");
        for (uint32_t op = region->first, given = 0; op < region->last && op - region->first < 64; op++) {
            if (region->kept >> (op - region->first) & 1) {
                sw_sink_printf(out, "%s", given++ ? "," : "");
                sw_sink_json(out, op_name(result, op));
            }
        }
        sw_sink_printf(out, "],\"ends\":[");
        for (uint32_t s = 0; region->ends[0] > 0 && s + 1 < region->strips; s++) {
            sw_sink_printf(out, "%s%u", s ? "," : "", region->ends[s]);
        }
        sw_sink_printf(out, "]");
        if (region->loop) {
            sw_sink_printf(out, ",\"loop\":{\"lead\":%" PRIu32 ",\"rows\":%" PRIu32 "}", region->lead, region->rows);
        }
        sw_sink_printf(out, "}");
    }
    sw_sink_printf(out, "]}");
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
    sw_sink_printf(out, ",\"fits\":%s,\"least\":%" PRIu64 ",\"stopped\":%s,\"as_is\":", result->fits ? "true" : "false", result->least,
                   result->stopped ? "true" : "false");
    json_model(result, &result->models.items[0], out);
    sw_sink_printf(out, ",\"chosen\":");
    json_model(result, &result->models.items[result->chosen], out);
    sw_sink_printf(out, ",\"front\":[");
    for (size_t i = 1; i < result->models.count; i++) {
        sw_sink_printf(out, "%s", i > 1 ? "," : "");
        json_model(result, &result->models.items[i], out);
    }
    sw_sink_printf(out, "],\"not_cut\":[");
    for (size_t i = 0; i < result->cuts.refused.count; i++) {
        sw_sink_printf(out, "%s{\"operator\":", i ? "," : "");
        sw_sink_json(out, op_name(result, result->cuts.refused.items[i].op));
        sw_sink_printf(out, ",\"reason\":");
        sw_sink_json(out, result->cuts.refused.items[i].reason);
        sw_sink_printf(out, "}");
    }
    sw_sink_printf(out, "]}\n");
}

/* ---- tables ---- */

static void print_table(const struct sw_fit_result *result, enum sw_output output, struct sw_sink *out) {
    static const char *const heads[] = {"arena", "head", "tail", "multiply-adds", "operators", "regions in strips"};
    struct sw_rows rows = {.heads = heads, .columns = sizeof heads / sizeof *heads, .left = 1 << 5};
    bool exact = output == SW_OUTPUT_CSV;
    for (size_t i = 1; i <= result->models.count; i++) {
        size_t number = i % result->models.count; /* the model as it is comes last */
        const struct sw_fit_model *model = &result->models.items[number];
        char text[32];
        struct sw_sink regions = {0};
        sw_rows_count(&rows, model->arena, exact);
        sw_rows_count(&rows, model->head, exact);
        sw_rows_count(&rows, tail_of(model), exact);
        snprintf(text, sizeof text, exact ? "%.6f" : "%.3f", work_of(result, model));
        sw_rows_text(&rows, text);
        sw_rows_count(&rows, model->calls, exact);
        for (size_t r = 0; r < model->region_count; r++) {
            sw_sink_printf(&regions, "%s", r ? "; " : "");
            put_region(result, &model->regions[r], &regions);
        }
        sw_sink_printf(&regions, "%s", model->region_count ? "" : "as it is");
        sw_sink_add(&regions, "", 1);
        rows.failed |= regions.failed;
        sw_rows_text(&rows, regions.failed ? "" : regions.text.items);
        sw_sink_done(&regions);
    }
    sw_rows_print(&rows, output, out);
    sw_rows_done(&rows);
}

static void put_model(const struct sw_fit_result *result, const struct sw_fit_model *model, struct sw_sink *out) {
    sw_sink_printf(out, "  arena           %s\n", SW_BYTES(model->arena));
    sw_sink_printf(out, "  head            %s%s\n", SW_BYTES(model->head), model->head == model->bound ? ", optimal: it is the bound" : "");
    sw_sink_printf(out, "  multiply-adds   %.3f of the model's own\n", work_of(result, model));
    sw_sink_printf(out, "  operators       %" PRIu32 ", %" PRIu32 " as it is\n", model->calls, result->models.items[0].calls);
    for (size_t i = 0; i < model->region_count; i++) {
        sw_sink_printf(out, "  %s ", i ? "               " : "in strips      ");
        put_region(result, &model->regions[i], out);
        sw_sink_printf(out, "\n");
    }
}

/* The operator at which most is alive. */
static void put_obstacle(const struct sw_fit_model *model, struct sw_sink *out) {
    const struct sw_operator *at = sw_problem_operator(model->problem, sw_problem_bound_step(model->problem));
    sw_sink_printf(out, "The one that comes nearest has most alive at ");
    sw_sink_add(out, at->name, strlen(at->name));
    sw_sink_printf(out, ": %s.\n", SW_BYTES(model->bound));
}

static void put_uncut(const struct sw_fit_result *result, struct sw_sink *out) {
    enum { MOST = 4 };
    size_t count = result->cuts.refused.count;
    if (count == 0) {
        return;
    }
    sw_sink_printf(out, "\nNot cut: ");
    for (size_t i = 0; i < count && i < MOST; i++) {
        const struct sw_fit_refusal *refused = &result->cuts.refused.items[i];
        sw_sink_printf(out, "%s", i ? "; " : "");
        sw_sink_add(out, op_name(result, refused->op), strlen(op_name(result, refused->op)));
        sw_sink_printf(out, " (%s)", refused->reason);
    }
    sw_sink_printf(out, count > MOST ? "; and %zu more.\n" : ".\n", count - MOST);
}

static void print_text(const struct sw_cli *cli, const struct sw_fit_result *result, struct sw_sink *out) {
    const struct sw_fit_model *as_is = &result->models.items[0], *chosen = &result->models.items[result->chosen];
    const char *what = cli->load.capacity_of == SW_CAPACITY_OF_HEAD ? "head" : "arena";
    sw_sink_printf(out, "as it is: arena %s, head %s\n", SW_BYTES(as_is->arena), SW_BYTES(as_is->head));
    if (result->stopped) {
        sw_sink_printf(out, "stopped: what was not looked at may be better\n");
    }
    if (cli->load.has_capacity && !result->fits) {
        if (result->least > cli->load.capacity) {
            sw_sink_printf(out, "\nIt cannot be done with strips of rows: whichever of the %zu cuts that were looked at are taken together, the %s is at least %s.\n",
                           result->cuts.items.count, what, SW_BYTES(result->least));
        } else {
            sw_sink_printf(out, "\nNothing that was planned fits: what is alive would leave room, %s of %s, but its addresses do not.\n", SW_BYTES(result->least),
                           SW_BYTES(cli->load.capacity));
        }
        put_obstacle(chosen, out);
        put_model(result, chosen, out);
        put_uncut(result, out);
        return;
    }
    if (cli->load.has_capacity) {
        sw_sink_printf(out, result->chosen == 0 ? "\nIt fits as it is.\n" : "\nIt fits, of what was planned with the fewest multiply-adds:\n");
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
        sw_sink_printf(out, "No cut into strips of rows that was %s needs less.\n", result->stopped ? "planned until then" : "looked at");
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
