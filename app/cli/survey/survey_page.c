/* The report of a survey as one page of HTML: no network, no script, light and dark. */
#include "base/base.h"
#include "cli/survey/survey.h"

static const char page_head[] =
    "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
    "<meta name=\"viewport\" content=\"width=device-width\">\n<title>Survey of models</title>\n<style>\n"
    ":root { color-scheme: light dark; --bound: #4477aa; --over: #cc6677; --line: #8884; }\n"
    "body { font: 14px/1.45 system-ui, sans-serif; margin: 1.5rem; }\n"
    "table { border-collapse: collapse; width: 100%; }\n"
    "th, td { text-align: left; vertical-align: top; padding: .3rem .6rem; border-bottom: 1px solid var(--line); }\n"
    "th { position: sticky; top: 0; background: Canvas; }\n"
    ".n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }\n"
    ".bar { display: flex; min-width: 8rem; height: .8rem; margin-top: .25rem; }\n"
    ".bar i { background: var(--bound); } .bar b { background: var(--over); }\n"
    ".why { font-style: italic; } summary { cursor: pointer; }\n"
    "code, .model { overflow-wrap: anywhere; } .model { min-width: 14rem; } .p { white-space: nowrap; }\n"
    "details { display: inline-block; vertical-align: top; margin-right: .8rem; }\n"
    "@media print { th { position: static; } }\n"
    "</style>\n</head>\n<body>\n";

static void put_html(struct sw_sink *out, const char *text) {
    sw_sink_xml(out, text, strlen(text));
}

static void put_bytes_cell(struct sw_sink *out, bool known, uint64_t bytes) {
    char text[32];
    sw_sink_printf(out, "<td class=\"n\">%s</td>", known ? sw_show_count(bytes, text) : "");
}

/* Names with bytes behind them, a row each. */
static void put_html_list(struct sw_sink *out, const json_t *list, const char *key, const char *title) {
    size_t at;
    const json_t *item;
    if (json_array_size(list) == 0) {
        return;
    }
    sw_sink_printf(out, "<details><summary>%s</summary><table>", title);
    json_array_foreach((json_t *)(uintptr_t)list, at, item) {
        const char *name = json_string_value(json_object_get(item, "name"));
        const char *why = json_string_value(json_object_get(item, "why"));
        const json_t *bytes = json_object_get(item, key);
        sw_sink_printf(out, "<tr><td>");
        put_html(out, name ? name : "");
        sw_sink_printf(out, "</td>");
        put_bytes_cell(out, json_is_integer(bytes), (uint64_t)json_integer_value(bytes));
        sw_sink_printf(out, "<td>%s", json_is_true(json_object_get(item, "optimal")) ? "proved" : "");
        put_html(out, why ? why : "");
        sw_sink_printf(out, "</td></tr>");
    }
    sw_sink_printf(out, "</table></details>");
}

static void put_help(struct sw_sink *out, const struct survey_told *told) {
    char text[36];
    if (told->order_saves) {
        sw_sink_printf(out, "another order of the operators: %s less<br>", sw_show_exact(told->order_saves, text));
    }
    const char *commands = json_string_value(json_object_get(told->helps, "commands"));
    const json_t *saves = json_object_get(told->helps, "saves");
    if (commands && json_is_integer(saves)) {
        const char *planner = json_string_value(json_object_get(told->helps, "planner"));
        sw_sink_printf(out, "<code>");
        put_html(out, commands);
        sw_sink_printf(out, "</code> with ");
        put_html(out, planner ? planner : "");
        sw_sink_printf(out, ": %s less", sw_show_exact((uint64_t)json_integer_value(saves), text));
    }
}

static void put_html_row(struct sw_sink *out, const struct survey_told *told) {
    bool both = told->has_best && told->has_bound && told->best >= told->bound;
    double scale = told->best ? 100.0 / (double)told->best : 0;
    sw_sink_printf(out, "<tr><td class=\"model\">");
    put_html(out, told->model);
    if (strcmp(told->state, "done") != 0) {
        sw_sink_printf(out, "<div class=\"why\">%s: ", told->state);
        put_html(out, told->why ? told->why : "");
        sw_sink_printf(out, "</div>");
    }
    const char *moment = json_string_value(json_object_get(told->figures, "moment"));
    if (moment) {
        sw_sink_printf(out, "<div class=\"why\">one moment of an allocator: ");
        put_html(out, moment);
        sw_sink_printf(out, "</div>");
    }
    sw_sink_printf(out, "</td>");
    put_bytes_cell(out, told->has_bound, told->bound);
    put_bytes_cell(out, told->has_best, told->best);
    sw_sink_printf(out, "<td>");
    if (both) {
        sw_sink_printf(out, "<div class=\"bar\"><i style=\"width:%.2f%%\"></i><b style=\"width:%.2f%%\"></b></div>",
                       (double)told->bound * scale, (double)(told->best - told->bound) * scale);
    }
    sw_sink_printf(out, "</td><td class=\"n\">");
    if (both && told->best == told->bound) {
        sw_sink_printf(out, "at the bound");
    } else if (both && told->bound) {
        sw_sink_printf(out, "%+.1f%%", 100 * ((double)told->best / (double)told->bound - 1));
    }
    sw_sink_printf(out, "</td><td class=\"p\">");
    put_html(out, told->planner ? told->planner : "");
    sw_sink_printf(out, "<br>");
    put_html_list(out, json_object_get(told->figures, "planners"), "peak", "all planners");
    put_html_list(out, json_object_get(told->figures, "largest"), "size", "largest buffers");
    sw_sink_printf(out, "</td><td>");
    put_help(out, told);
    sw_sink_printf(out, "</td></tr>\n");
}

void sw_survey_page(struct survey_summary *summary, struct sw_sink *out) {
    char headline[200];
    if (summary->rows.count) {
        qsort(summary->rows.items, summary->rows.count, sizeof *summary->rows.items, sw_survey_worse);
    }
    sw_sink_add(out, page_head, sizeof page_head - 1);
    sw_sink_printf(out, "<h1>Survey of models</h1>\n<p>%s. ", sw_survey_headline(summary, headline));
    sw_sink_printf(
        out,
        "All figures are bytes. A bar is the best peak: the lower bound, and what is above it. stowage %s</p>\n"
        "<table>\n<thead><tr><th>model</th><th class=\"n\">bound</th><th class=\"n\">best peak</th><th></th>"
        "<th class=\"n\">over</th><th>planner</th><th>what would help</th></tr></thead>\n<tbody>\n",
        SW_VERSION);
    for (size_t i = 0; i < summary->rows.count; i++) {
        put_html_row(out, &summary->rows.items[i]);
    }
    sw_sink_printf(out, "</tbody>\n</table>\n</body>\n</html>\n");
}
