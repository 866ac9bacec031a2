/* What a difference is due to: a row for each part, in the order in which the parts were found. */
#include "base/base.h"
#include "cli/report/cli_report.h"
#include "view/pages/runs.h"

/* "+1,024"; exact for programs. */
static const char *signed_words(const struct sw_cli_report *report, int64_t figure, char text[40]) {
    uint64_t bytes = figure < 0 ? -(uint64_t)figure : (uint64_t)figure;
    const char *sign = figure < 0 ? "-" : figure > 0 && report->output != SW_OUTPUT_JSON ? "+" : "";
    char exact[24];
    snprintf(exact, sizeof exact, "%" PRIu64, bytes);
    snprintf(text, 40, "%s%s", sign, sw_report_is_read(report) ? SW_COUNT(bytes) : exact);
    return text;
}

static void kinds_text(unsigned kinds, bool keys, char text[400]) {
    *text = '\0';
    for (int kind = 0; kind < SW_DUE_KINDS; kind++) {
        if (kinds & SW_DUE(kind)) {
            sw_text_add(text, 400, "%s%s",
                        !*text ? ""
                        : keys ? "+"
                               : ", with ",
                        keys ? sw_due_names[kind].key : sw_due_names[kind].words);
        }
    }
}

void sw_cli_due_csv(struct sw_cli_report *report, const struct sw_due *due) {
    for (size_t i = 0; i < due->count; i++) {
        char kinds[400], figure[40];
        kinds_text(due->parts[i].kinds, true, kinds);
        sw_row_words(report, "due");
        sw_row_words(report, "%s", kinds);
        sw_row_none(report);
        sw_row_words(report, "%s", signed_words(report, due->parts[i].figure, figure));
        sw_row_none(report);
    }
}

/* As long as the part is large, the largest of 20 squares. */
static const char *part_bar(const struct sw_due *due, size_t part, char text[80]) {
    double most = 0;
    for (size_t i = 0; i < due->count; i++) {
        most = fmax(most, fabs((double)due->parts[i].figure));
    }
    *text = '\0';
    for (double i = 0; most > 0 && i < ceil(20 * fabs((double)due->parts[part].figure) / most); i++) {
        sw_text_add(text, 80, "%s", due->parts[part].figure < 0 ? "\u25a1" : "\u25a0");
    }
    return text;
}

static void put_due_rows(struct sw_cli_report *report, const struct sw_due *due, const char *measure) {
    bool read = sw_report_is_read(report);
    const struct sw_report_column columns[] = {
        {.json = "kinds", .head = "due to", .left = true, .width = report->output == SW_OUTPUT_TEXT ? 42 : 0},
        {.json = "change", .head = measure, .width = report->output == SW_OUTPUT_TEXT ? 16 : 0},
        {.json = "bound", .head = due->by_bound ? NULL : "lower bound"},
        {.head = report->output == SW_OUTPUT_MD ? "part" : NULL, .left = true, .plain = true}};
    sw_rows_begin(report, "due", columns, sizeof columns / sizeof *columns);
    report->indent = "  ";
    for (size_t i = 0; i < due->count; i++) {
        char kinds[400], figure[40], bound[40], bar[80];
        kinds_text(due->parts[i].kinds, !read, kinds);
        sw_row_text(report, kinds);
        sw_row_words(report, "%s", signed_words(report, due->parts[i].figure, figure));
        sw_row_words(report, "%s", signed_words(report, due->parts[i].bound, bound));
        sw_row_words(report, "%s", part_bar(due, i, bar));
    }
    sw_rows_end(report);
}

void sw_cli_due(struct sw_cli_report *report, const struct sw_due *due, const char *measure) {
    if (report->output == SW_OUTPUT_JSON) {
        sw_put_text(&report->json, "due_by", due->by_bound ? "bound" : "planner");
        put_due_rows(report, due, measure);
        return;
    }
    bool any = false;
    for (size_t i = 0; i < due->count; i++) {
        any |= due->parts[i].figure || due->parts[i].bound;
    }
    if (!any) { /* for people that goes without saying */
        return;
    }
    char shown[80];
    snprintf(shown, sizeof shown, "%s", measure);
    bool md = report->output == SW_OUTPUT_MD;
    sw_sink_printf(report->words, "\n%s the change is due to, with one change made after the other in this order:\n%s",
                   md ? "What" : "what", md ? "\n" : "");
    put_due_rows(report, due, shown);
    if (due->by_bound && due->parts[0].kinds != SW_DUE(SW_DUE_PLANNER)) {
        sw_sink_printf(report->words,
                       "%sThe parts of the model are those of its lower bound; what is left is the "
                       "planner's.\n",
                       md ? "\n" : "  ");
    }
}
