/* What a gate says: a row for each model, and for those that need more what that is due to; and JUnit's XML. */
#include "base/base.h"
#include "cli/gate/gate.h"

static const char *const status_words[SW_GATE_STATUSES] = {
    [SW_GATE_SAME] = "same",     [SW_GATE_LESS] = "less",  [SW_GATE_WITHIN] = "within the tolerance",
    [SW_GATE_MORE] = "more",     [SW_GATE_NEW] = "new",    [SW_GATE_GONE] = "gone",
    [SW_GATE_UNFIT] = "no plan", [SW_GATE_ERROR] = "error"};

/* What failed, and what to do about it, in a sentence. */
static void reason_of(const struct sw_gate_row *row, struct sw_sink *out) {
    const struct sw_diff_verdict *v = &row->verdict;
    switch (row->status) {
    case SW_GATE_MORE:
    case SW_GATE_WITHIN:
        sw_sink_printf(out, "%s %s -> %s B: %s more, %s allowed", v->measure, SW_COUNT(v->before), SW_COUNT(v->after),
                       SW_BYTES(v->after - v->before), SW_BYTES(row->allowed));
        break;
    case SW_GATE_NEW:
        sw_sink_printf(out, "it is not in the baseline; --update puts it there");
        break;
    case SW_GATE_GONE:
        sw_sink_printf(out, "it is in the baseline, and there is no such file; --update takes it out");
        break;
    case SW_GATE_UNFIT:
        sw_sink_printf(out, "it has no plan that fits, or a limit stopped the run before it had one");
        break;
    case SW_GATE_ERROR:
        sw_sink_printf(out, "%s", row->why.message);
        break;
    default:
        break;
    }
}

static void put_gate_change(struct sw_cli_report *out, const struct sw_gate_row *row) {
    const struct sw_diff_verdict *v = &row->verdict;
    bool more = v->after > v->before;
    uint64_t bytes = more ? v->after - v->before : v->before - v->after;
    char exact[24];
    snprintf(exact, sizeof exact, "%" PRIu64, bytes);
    if (!row->has_old || !row->has_fresh) {
        sw_row_none(out);
    } else {
        sw_row_words(out, "%s%s",
                     bytes == 0               ? ""
                     : !more                  ? "-"
                     : sw_report_is_read(out) ? "+"
                                              : "",
                     sw_report_is_read(out) ? SW_COUNT(bytes) : exact);
    }
}

static void put_gate_rows(const struct sw_gate_rows *rows, struct sw_cli_report *out) {
    static const struct sw_report_column columns[] = {{.name = "model", .left = true},
                                                      {.json = "measure"},
                                                      {.name = "old"},
                                                      {.name = "new"},
                                                      {.name = "change"},
                                                      {.json = "allowed"},
                                                      {.json = "status", .csv = "status", .head = "", .left = true},
                                                      {.json = "fails"},
                                                      {.json = "why", .optional = true}};
    sw_rows_begin(out, "models", columns, sizeof columns / sizeof *columns);
    out->indent = "  ";
    for (size_t i = 0; i < rows->items.count; i++) {
        const struct sw_gate_row *row = rows->items.items[i];
        struct sw_sink why = {0};
        sw_row_text(out, row->name);
        sw_row_text(out, row->has_fresh ? row->verdict.measure : NULL);
        sw_row_known(out, row->has_old, row->verdict.before);
        sw_row_known(out, row->has_fresh, row->verdict.after);
        put_gate_change(out, row);
        sw_row_known(out, row->has_old, row->allowed);
        sw_row_text(out, status_words[row->status]);
        sw_row_truth(out, true, sw_gate_fails(rows, row));
        reason_of(row, &why);
        sw_row_text(out, why.text.count ? sw_sink_ended(&why) : NULL);
        out->out.failed |= why.failed;
        sw_sink_done(&why);
    }
    sw_rows_end(out);
}

/* Those that need more, each with all that diff says; the others that fail with the reason. */
static bool put_gate_details(const struct sw_gate_rows *rows, struct sw_cli_report *out) {
    bool md = out->output == SW_OUTPUT_MD, good = true;
    sw_put_list(&out->json, "diffs");
    for (size_t i = 0; good && i < rows->items.count; i++) {
        const struct sw_gate_row *row = rows->items.items[i];
        if (!row->told && !(sw_gate_fails(rows, row) || row->status == SW_GATE_ERROR)) {
            continue;
        }
        struct sw_sink why = {0};
        reason_of(row, &why);
        sw_sink_printf(out->words, md ? "\n### " : "\n");
        sw_report_name(out, row->name);
        sw_sink_printf(out->words, md ? "\n\n" : ": ");
        const char *said = sw_sink_ended(&why);
        sw_report_name(out, said ? said : "");
        sw_sink_printf(out->words, "\n\n");
        good = said && (!row->told || sw_diff_tell(&row->sides->old, &row->sides->fresh, &row->due, row->picture, out));
        sw_sink_done(&why);
    }
    sw_put_end(&out->json);
    return good;
}

bool sw_gate_tell(const struct sw_cli *cli, const struct sw_gate_rows *rows, struct sw_cli_report *out) {
    size_t failed = 0;
    for (size_t i = 0; i < rows->items.count; i++) {
        failed += sw_gate_fails(rows, rows->items.items[i]);
    }
    bool md = out->output == SW_OUTPUT_MD, good = true;
    sw_put_object(&out->json, NULL);
    sw_put_lines(&out->json);
    sw_put_text(&out->json, "baseline", cli->files[0]);
    sw_put_truth(&out->json, "updated", rows->updated);
    sw_put_truth(&out->json, "passed", failed == 0);
    sw_sink_printf(out->words, md ? "## Memory: " : "");
    sw_sink_printf(out->words, "%s, ", SW_COUNTED(rows->items.count, "model"));
    sw_sink_printf(out->words,
                   rows->updated ? "the baseline is written anew%s"
                   : failed      ? "%s do%s not pass"
                                 : "all pass",
                   rows->updated ? "" : SW_COUNT(failed), failed == 1 ? "es" : "");
    sw_sink_printf(out->words, "\n\n");
    put_gate_rows(rows, out);
    good = put_gate_details(rows, out);
    sw_put_end(&out->json);
    return good;
}

/* ---- JUnit ---- */

static void put_xml(struct sw_sink *out, const char *text) {
    sw_sink_xml(out, text, strlen(text));
}

static bool put_case(const struct sw_gate_rows *rows, const struct sw_gate_row *row, struct sw_sink *out) {
    struct sw_sink why = {0};
    struct sw_cli_report text;
    reason_of(row, &why);
    const char *reason = sw_sink_ended(&why);
    bool fails = sw_gate_fails(rows, row), good = reason != NULL;
    sw_sink_printf(out, "  <testcase classname=\"stowage.gate\" name=\"");
    put_xml(out, row->name);
    sw_sink_printf(out, fails ? "\">\n" : "\"/>\n");
    if (fails && good) {
        const char *tag = row->status == SW_GATE_ERROR ? "error" : "failure";
        sw_sink_printf(out, "    <%s type=\"%s\" message=\"", tag, status_words[row->status]);
        put_xml(out, reason);
        sw_sink_printf(out, "\">");
        sw_cli_report_start(&text, SW_OUTPUT_TEXT);
        good = !row->told || sw_diff_tell(&row->sides->old, &row->sides->fresh, &row->due, NULL, &text);
        sw_sink_xml(out, text.out.text.items ? text.out.text.items : "", text.out.text.count);
        good &= !text.out.failed;
        sw_cli_report_drop(&text);
        sw_sink_printf(out, "</%s>\n  </testcase>\n", tag);
    }
    sw_sink_done(&why);
    return good;
}

bool sw_gate_junit(const struct sw_gate_rows *rows, struct sw_sink *out) {
    size_t failures = 0, errors = rows->counts[SW_GATE_ERROR];
    bool good = true;
    for (size_t i = 0; i < rows->items.count; i++) {
        failures += sw_gate_fails(rows, rows->items.items[i]);
    }
    failures -= errors;
    sw_sink_printf(
        out,
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n <testsuite name=\"stowage gate\" tests=\"%zu\" "
        "failures=\"%zu\" errors=\"%zu\">\n",
        rows->items.count, failures, errors);
    for (size_t i = 0; good && i < rows->items.count; i++) {
        good = put_case(rows, rows->items.items[i], out);
    }
    sw_sink_printf(out, " </testsuite>\n</testsuites>\n");
    return good && !out->failed;
}
