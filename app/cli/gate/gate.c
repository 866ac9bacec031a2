/* stowage gate: what models need, held against a baseline. */
#include "cli/gate/gate.h"
#include "base/base.h"
#include "cli/shared/output.h"
#include "problem/moment/moment.h"

#include <unistd.h>

struct gate {
    struct sw_cli *cli;
    struct sw_baseline baseline;
    struct sw_gate_paths paths;
    struct sw_gate_rows rows;
};

bool sw_gate_fails(const struct sw_gate_rows *rows, const struct sw_gate_row *row) {
    return row->status == SW_GATE_UNFIT || row->status == SW_GATE_ERROR ||
           (!rows->updated && row->status >= SW_GATE_MORE);
}

static uint64_t allowed_of(const struct sw_cli *cli, uint64_t before) {
    double part = floor(cli->tolerance_part * (double)before);
    return cli->tolerance + (part < (double)SW_MAX_BYTES ? (uint64_t)part : SW_MAX_BYTES);
}

/* Of several memories the first that needs too much decides; else the judge does. */
static void judge_row(const struct gate *gate, struct sw_gate_row *row) {
    row->verdict = sw_diff_judge(&row->sides->old, &row->sides->fresh);
    struct sw_diff_verdict *v = &row->verdict;
    for (uint32_t t = 0; v->tier != SW_NONE && t < sw_problem_tier_count(row->sides->fresh.problem); t++) {
        uint64_t before = row->sides->old.tier_peak[t], after = row->sides->fresh.tier_peak[t];
        if (after > before && after - before > allowed_of(gate->cli, before)) {
            *v = (struct sw_diff_verdict){row->sides->fresh.words[t], t, before, after, false, true};
            break;
        }
    }
    snprintf(row->measure, sizeof row->measure, "%s", v->measure);
    v->measure = row->measure;
    row->has_old = row->has_fresh = true;
    row->allowed = allowed_of(gate->cli, v->before);
    row->status = v->after == v->before                  ? SW_GATE_SAME
                  : v->after < v->before                 ? SW_GATE_LESS
                  : v->after - v->before <= row->allowed ? SW_GATE_WITHIN
                                                         : SW_GATE_MORE;
}

/* What both sides are told with: a run of the model as it was, and what the difference is due to. */
static bool explain_row(struct sw_gate_row *row, const struct sw_gate_kept *kept, struct sw_error *error) {
    if (!sw_diff_plan(&row->sides->old, error)) {
        return false;
    }
    sw_kept_peaks(kept, &row->sides->old);
    row->told = sw_diff_due(&row->sides->old, &row->sides->fresh, &row->verdict, &row->due, error);
    return row->told;
}

static bool run_row(struct gate *gate, const struct sw_gate_path *path, struct sw_gate_row *row,
                    struct sw_error *error) {
    struct sw_gate_kept *kept = sw_baseline_find(&gate->baseline, path->name);
    const struct sw_told *told = kept ? kept->told.items : NULL;
    if (sw_utf8_valid(path->name, strlen(path->name)) < strlen(path->name)) {
        return sw_fail(error, SW_ERROR_UNSUPPORTED, "its name is not UTF-8, and a baseline is");
    }
    if (!sw_diff_open(gate->cli, 0, path->path, told, kept ? kept->told.count : 0, &row->sides->fresh, error)) {
        return false;
    }
    if (sw_problem_moment(row->sides->fresh.problem)) {
        sw_error_at(error, path->path, 0, 0);
        return sw_fail(error, SW_ERROR_UNSUPPORTED, SW_CLI_NO_PLAN);
    }
    if (!sw_diff_plan(&row->sides->fresh, error) ||
        (kept && !sw_kept_open(&gate->baseline, kept, gate->cli, &row->sides->old, error))) {
        return false;
    }
    row->sides->old.seen.path = "baseline";
    row->has_fresh = row->sides->fresh.fits;
    if (!row->has_fresh) {
        row->status = SW_GATE_UNFIT;
        return true;
    }
    if (!kept) {
        row->status = SW_GATE_NEW;
        row->verdict = (struct sw_diff_verdict){"peak", SW_NONE, 0, row->sides->fresh.seen.peak, false, true};
    } else {
        judge_row(gate, row);
    }
    bool explain = kept && (row->status == SW_GATE_MORE || row->status == SW_GATE_WITHIN);
    return (!explain || explain_row(row, kept, error)) &&
           (!gate->cli->update || sw_baseline_keep(&gate->baseline, path->name, &row->sides->fresh, error));
}

static struct sw_gate_row *add_row(struct gate *gate, const char *name) {
    struct sw_gate_row *row = SW_NEW_ZERO(struct sw_gate_row, 1);
    if (row && !SW_PUSH(&gate->rows.items, row)) {
        SW_FREE(row, 1);
        row = NULL;
    }
    if (row) {
        row->name = name;
    }
    return row;
}

/* What is not told of a row needs no memory while the others run. */
static void close_row(struct sw_gate_row *row) {
    if (row->sides) {
        sw_diff_close(&row->sides->old);
        sw_diff_close(&row->sides->fresh);
        SW_FREE(row->sides, 1);
        row->sides = NULL;
    }
}

/* False: nothing goes on. */
static bool run_models(struct gate *gate, struct sw_error *error) {
    bool good = true;
    for (size_t i = 0; good && i < gate->paths.items.count; i++) {
        const struct sw_gate_path *path = &gate->paths.items.items[i];
        struct sw_gate_row *row = add_row(gate, path->name);
        struct sw_error why = {0};
        good = row && (row->sides = SW_NEW_ZERO(struct sw_gate_sides, 1));
        if (!good) {
            sw_fail_memory(error);
        } else if (!run_row(gate, path, row, &why)) {
            if (!*why.file) {
                sw_error_at(&why, path->path, why.line, why.column);
            }
            row->status = SW_GATE_ERROR;
            row->why = why;
            good = why.code != SW_ERROR_MEMORY && why.code != SW_ERROR_CANCELED;
            *error = why;
        }
        if (row) {
            gate->rows.counts[row->status]++;
            if (!row->told) {
                close_row(row);
            }
        }
    }
    for (size_t i = 0; good && i < gate->baseline.kept.count; i++) {
        const struct sw_gate_kept *kept = &gate->baseline.kept.items[i];
        struct sw_gate_row *row = kept->gone ? add_row(gate, kept->name) : NULL;
        if (row) {
            row->status = SW_GATE_GONE;
            gate->rows.counts[SW_GATE_GONE]++;
        }
        good = row || !kept->gone || sw_fail_memory(error);
    }
    return good;
}

static int by_row_name(const void *a, const void *b) {
    return strcmp((*(struct sw_gate_row *const *)a)->name, (*(struct sw_gate_row *const *)b)->name);
}

static bool spares_models(const struct gate *gate, const char *path, struct sw_error *error) {
    bool good = !path || sw_cli_spares(gate->cli, path, error);
    for (size_t i = 0; good && path && i < gate->paths.items.count; i++) {
        good = sw_may_write(path, &gate->paths.items.items[i].path, 1, error);
    }
    return good;
}

/* "gate-1.svg" beside "gate.md", for each model that fails and has two sides; Markdown that goes elsewhere has none. */
static bool name_gate_pictures(struct gate *gate, enum sw_output output, struct sw_error *error) {
    const char *to = gate->cli->output, *dot = to ? strrchr(to, '.') : NULL;
    bool good = true;
    unsigned count = 0;
    if (output != SW_OUTPUT_MD || !dot || strcmp(dot, ".md") != 0) {
        return true;
    }
    for (size_t i = 0; good && i < gate->rows.items.count; i++) {
        struct sw_gate_row *row = gate->rows.items.items[i];
        char path[4096];
        if (!row->told || !sw_gate_fails(&gate->rows, row)) {
            continue;
        }
        int length = snprintf(path, sizeof path, "%.*s-%u.svg", (int)(dot - to), to, ++count);
        if (length >= (int)sizeof path) {
            return sw_fail(error, SW_ERROR_USAGE, "the name of -o is too long for a picture beside it");
        }
        row->picture = sw_arena_string(&gate->paths.arena, path, (size_t)length);
        good = row->picture ? spares_models(gate, row->picture, error) : sw_fail_memory(error);
    }
    return good;
}

struct gate_made {
    SW_ARRAY(const char *) paths;
};

/* The file will be written: a new one goes again when a later one cannot be. */
static bool note_made(struct gate_made *made, const char *path, struct sw_error *error) {
    return !path || access(path, F_OK) == 0 || SW_PUSH(&made->paths, path) || sw_fail_memory(error);
}

/* 0, or the exit status, which is told. */
static int draw_gate_pictures(const struct gate *gate, struct gate_made *made) {
    struct sw_error error = {0};
    int status = 0;
    for (size_t i = 0; !status && i < gate->rows.items.count; i++) {
        const struct sw_gate_row *row = gate->rows.items.items[i];
        struct sw_cli beside = *gate->cli;
        beside.output = row->picture;
        if (row->picture) {
            status = note_made(made, row->picture, &error)
                         ? sw_diff_draw(&beside, &row->sides->old, &row->sides->fresh, &row->due)
                         : sw_cli_fail(&error);
        }
    }
    return status;
}

/* The files that are asked for, one after the other. */
static int write_all(struct gate *gate, struct sw_cli_report *out, struct sw_sink *junit, bool fails) {
    const char *baseline = gate->rows.updated ? gate->baseline.path : NULL, *xml = gate->cli->junit;
    struct gate_made made = {{0}};
    struct sw_error error = {0};
    int status = draw_gate_pictures(gate, &made);
    if (!status &&
        !(note_made(&made, baseline, &error) && note_made(&made, xml, &error) &&
          (!baseline || sw_baseline_write(&gate->baseline, &error)) && (!xml || sw_sink_commit(junit, xml, &error)))) {
        status = sw_cli_fail(&error);
    }
    if (status) {
        sw_cli_report_drop(out);
    } else {
        status = sw_cli_report_finish(gate->cli, out, fails);
    }
    for (size_t i = 0; status == 2 && i < made.paths.count; i++) {
        unlink(made.paths.items[i]);
    }
    SW_ARRAY_DONE(&made.paths);
    return status;
}

static int finish_gate(struct gate *gate, enum sw_output output) {
    struct sw_cli_report out;
    struct sw_error error = {0};
    struct sw_sink junit = {0};
    struct sw_gate_rows *rows = &gate->rows;
    bool fails = false;
    int status;
    /* Any model of which nothing is known leaves the baseline as it was. */
    rows->updated = gate->cli->update && rows->counts[SW_GATE_UNFIT] == 0 && rows->counts[SW_GATE_ERROR] == 0;
    for (size_t i = 0; i < rows->items.count; i++) {
        fails |= sw_gate_fails(rows, rows->items.items[i]);
    }
    if (!name_gate_pictures(gate, output, &error)) {
        return sw_cli_fail(&error);
    }
    sw_cli_report_start(&out, output);
    if (sw_gate_tell(gate->cli, rows, &out) && (!gate->cli->junit || sw_gate_junit(rows, &junit))) {
        status = write_all(gate, &out, &junit, fails);
    } else {
        sw_cli_report_drop(&out);
        status = sw_cli_fail_memory();
    }
    sw_sink_done(&junit);
    for (size_t i = 0; status != 2 && i < rows->items.count; i++) {
        if (rows->items.items[i]->status == SW_GATE_ERROR) { /* one line: the report has the others */
            sw_cli_fail(&rows->items.items[i]->why);
            status = 2;
        }
    }
    return status;
}

int sw_cli_gate(struct sw_cli *cli) {
    struct sw_error error = {0};
    struct gate gate = {.cli = cli};
    enum sw_output output;
    if (!sw_cli_output(cli, &output, &error)) {
        return sw_cli_fail(&error);
    }
    bool good = sw_baseline_read(&gate.baseline, cli->files[0], cli->update, &error) &&
                sw_gate_paths_find(&gate.paths, cli, &gate.baseline, &error) &&
                spares_models(&gate, cli->output, &error) && spares_models(&gate, cli->junit, &error) &&
                run_models(&gate, &error);
    if (good && gate.rows.items.count) {
        qsort(gate.rows.items.items, gate.rows.items.count, sizeof *gate.rows.items.items, by_row_name);
    }
    int status = good ? finish_gate(&gate, output) : sw_cli_fail(&error);
    for (size_t i = 0; i < gate.rows.items.count; i++) {
        close_row(gate.rows.items.items[i]);
        SW_FREE(gate.rows.items.items[i], 1);
    }
    SW_ARRAY_DONE(&gate.rows.items);
    sw_gate_paths_done(&gate.paths);
    sw_baseline_done(&gate.baseline);
    return status;
}
