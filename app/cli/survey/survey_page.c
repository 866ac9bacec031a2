/* The report of a survey as one page of HTML: a row for each model, which opens what is known of it. Nothing comes from
 * a network. It is read without its script, which sorts, searches and opens rows. */
#include "base/base.h"
#include "cli/survey/survey.h"
#include "export/export.h"
#include "cli/fleet_parts.inc"

static const char fleet_script[] = WEB_FLEET_JS, fleet_style[] = WEB_FLEET_CSS;

static void put_html(struct sw_sink *out, const char *text) {
    sw_sink_xml(out, text, strlen(text));
}

static void put_bytes_cell(struct sw_sink *out, bool known, uint64_t count) {
    char text[32];
    known ? sw_sink_printf(out, "<td class=\"n\" data-v=\"%" PRIu64 "\">%s</td>", count, sw_show_count(count, text))
          : sw_sink_printf(out, "<td class=\"n\"></td>");
}

static void put_count_cell(struct sw_sink *out, const json_t *count) {
    uint64_t figure;
    bool known = sw_survey_count(count, &figure);
    put_bytes_cell(out, known, figure);
}

/* ---- what a row opens ---- */

/* A name, its bytes, and what is to be said of it. */
static void put_named_bytes(struct sw_sink *out, const json_t *item, const char *key, const char *best) {
    const char *name = json_string_value(json_object_get(item, "name"));
    const char *why = json_string_value(json_object_get(item, "why"));
    sw_sink_printf(out, "<tr%s><td>", name && best && strcmp(name, best) == 0 ? " class=\"best\"" : "");
    put_html(out, name ? name : "");
    sw_sink_printf(out, "</td>");
    put_count_cell(out, json_object_get(item, key));
    sw_sink_printf(out, "<td>%s%s", json_is_true(json_object_get(item, "optimal")) ? "proved" : "",
                   json_is_true(json_object_get(item, "stopped")) ? "stopped at its limit" : "");
    put_html(out, why ? why : "");
    sw_sink_printf(out, "</td></tr>\n");
}

static void put_html_list(struct sw_sink *out, const json_t *list, const char *key, const char *title,
                          const char *best) {
    size_t at;
    const json_t *item;
    if (json_array_size(list) == 0) {
        return;
    }
    sw_sink_printf(out, "<div><h2>%s</h2><table>\n", title);
    json_array_foreach((json_t *)(uintptr_t)list, at, item) {
        put_named_bytes(out, item, key, best);
    }
    sw_sink_printf(out, "</table></div>\n");
}

static void put_help(struct sw_sink *out, const struct survey_told *told) {
    char text[36];
    const char *commands = json_string_value(json_object_get(told->helps, "commands"));
    const char *planner = json_string_value(json_object_get(told->helps, "planner"));
    uint64_t saves;
    bool known = sw_survey_count(json_object_get(told->helps, "saves"), &saves);
    if (!told->order_saves && !commands) {
        return;
    }
    sw_sink_printf(out, "<div><h2>what would help, each tried</h2>");
    if (told->order_saves) {
        sw_sink_printf(out, "<p>Another order of the operators: %s less.</p>", sw_show_exact(told->order_saves, text));
    }
    if (commands && known) {
        sw_sink_printf(out, "<p><code>");
        put_html(out, commands);
        sw_sink_printf(out, "</code> with ");
        put_html(out, planner ? planner : "");
        sw_sink_printf(out, ": %s less.</p>", sw_show_exact(saves, text));
    }
    sw_sink_printf(out, "</div>\n");
}

/* The command that goes on from there, as a shell takes it. */
static void put_opening(struct sw_sink *out, const struct survey_told *told) {
    struct sw_sink line = {0};
    sw_sink_printf(&line, "stowage ");
    sw_sink_argument(&line, told->model);
    if (told->planner) {
        sw_sink_printf(&line, " -p ");
        sw_sink_argument(&line, told->planner);
    }
    const char *command = sw_sink_ended(&line), *name = json_string_value(json_object_get(told->figures, "name"));
    const char *met = json_string_value(json_object_get(told->figures, "bound_at"));
    sw_sink_printf(out, "<div><h2>");
    put_html(out, name && *name ? name : "the model");
    sw_sink_printf(out, "</h2><p>");
    if (met) {
        sw_sink_printf(out, "The bound is met at ");
        put_html(out, met);
        sw_sink_printf(out, ".<br>");
    }
    sw_sink_printf(out, "Open it: <code>");
    put_html(out, command ? command : "");
    sw_sink_printf(out, "</code></p></div>\n");
    out->failed |= !command;
    sw_sink_done(&line);
}

/* ---- a row ---- */

/* How long the name of the folder is, with its slash, that all models lie below. */
static size_t shared_folder(const struct survey_summary *summary) {
    const char *first = summary->rows.count ? summary->rows.items[0].model : "";
    const char *slash = strrchr(first, '/');
    size_t length = slash ? (size_t)(slash - first) + 1 : 0;
    for (size_t i = 1; i < summary->rows.count; i++) {
        while (length > 0 && strncmp(first, summary->rows.items[i].model, length) != 0) {
            do {
                length--;
            } while (length > 0 && first[length - 1] != '/');
        }
    }
    return length;
}

static void put_model_cell(struct sw_sink *out, const struct survey_told *told, size_t folder) {
    const char *moment = json_string_value(json_object_get(told->figures, "moment"));
    sw_sink_printf(out, "<td class=\"m\"><details><summary>");
    put_html(out, told->model + folder);
    if (sw_survey_failed(told)) {
        sw_sink_printf(out, "<br><span class=\"why\">%s: ", told->state);
        put_html(out, told->why ? told->why : "");
        sw_sink_printf(out, "</span>");
    }
    if (moment) {
        sw_sink_printf(out, "<br>one moment of an allocator: ");
        put_html(out, moment);
    }
    sw_sink_printf(out, "</summary><div class=\"more\">\n");
    put_opening(out, told);
    put_help(out, told);
    put_html_list(out, json_object_get(told->figures, "planners"), "peak", "planners", told->planner);
    put_html_list(out, json_object_get(told->figures, "largest"), "size", "largest buffers", NULL);
    sw_sink_printf(out, "</div></details></td>\n");
}

/* How much the best peak is over the bound, and a bar of both. */
static void put_over_cells(struct sw_sink *out, const struct survey_told *told) {
    bool both = told->has_best && told->has_bound && told->best >= told->bound;
    put_bytes_cell(out, both, told->best - told->bound);
    if (!both || !told->bound) {
        sw_sink_printf(out, "<td class=\"n\"></td>");
        return;
    }
    double bound = 100 * (double)told->bound / (double)told->best;
    double part = (double)told->best / (double)told->bound - 1;
    sw_sink_printf(out, "<td class=\"n\" data-v=\"%.9g\">", part);
    told->best == told->bound ? sw_sink_printf(out, "0%%") : sw_sink_printf(out, "%+.1f%%", 100 * part);
    sw_sink_printf(out,
                   "<svg class=\"bar\" viewBox=\"0 0 100 6\" preserveAspectRatio=\"none\" aria-hidden=\"true\">"
                   "<rect class=\"b\" width=\"%.2f\" height=\"6\"/><rect class=\"o\" x=\"%.2f\" width=\"%.2f\" "
                   "height=\"6\"/></svg></td>",
                   bound, bound, 100 - bound);
}

static void put_html_row(struct sw_sink *out, const struct survey_told *told, size_t folder) {
    const char *commands = json_string_value(json_object_get(told->helps, "commands"));
    sw_sink_printf(out, sw_survey_failed(told) ? "<tr data-failed>" : "<tr>");
    put_model_cell(out, told, folder);
    put_count_cell(out, json_object_get(told->figures, "operators"));
    put_count_cell(out, json_object_get(told->figures, "buffers"));
    put_bytes_cell(out, told->has_bound, told->bound);
    put_bytes_cell(out, told->has_best, told->best);
    put_over_cells(out, told);
    sw_sink_printf(out, "<td>");
    put_html(out, told->planner ? told->planner : "");
    sw_sink_printf(out, "</td>");
    put_bytes_cell(out, told->order_saves > 0, told->order_saves);
    put_count_cell(out, json_object_get(told->helps, "saves"));
    sw_sink_printf(out, "<td class=\"h\"><code>");
    put_html(out, commands ? commands : "");
    sw_sink_printf(out, "</code></td></tr>\n");
}

/* Only the style and the script that stand here are obeyed. */
static void put_fleet_head(struct sw_sink *out) {
    sw_sink_printf(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src ");
    sw_web_hash(out, fleet_script, sizeof fleet_script - 1);
    sw_sink_printf(out, "; style-src ");
    sw_web_hash(out, fleet_style, sizeof fleet_style - 1);
    sw_sink_printf(out,
                   "; base-uri 'none'; form-action 'none'\">\n<meta name=\"viewport\" "
                   "content=\"width=device-width\">\n<title>Survey of models</title>\n<style>%s</style>\n"
                   "</head>\n<body>\n",
                   fleet_style);
}

void sw_survey_page(struct survey_summary *summary, struct sw_sink *out) {
    char headline[200];
    if (summary->rows.count) {
        qsort(summary->rows.items, summary->rows.count, sizeof *summary->rows.items, sw_survey_worse);
    }
    size_t folder = shared_folder(summary);
    put_fleet_head(out);
    sw_sink_printf(out, "<h1>Survey of models</h1>\n<p>");
    if (folder > 0) {
        sw_sink_printf(out, "Below <code>");
        sw_sink_xml(out, summary->rows.items[0].model, folder);
        sw_sink_printf(out, "</code>: ");
    }
    sw_sink_printf(out, "%s. ", sw_survey_headline(summary, headline));
    sw_sink_printf(
        out,
        "All figures of memory are bytes. A bar is the best peak: the lower bound, and what is above it. The models "
        "that are the most bytes above their bounds come first; the name of a model opens what is known of it. "
        "stowage %s</p>\n<div class=\"wide\">\n<table id=\"models\">\n<thead><tr><th class=\"m\">model</th>"
        "<th class=\"n\">operators</th><th class=\"n\">buffers</th><th class=\"n\">bound</th><th class=\"n\">best "
        "peak</th><th class=\"n\">above</th><th class=\"n\">above, %%</th><th>planner</th><th class=\"n\">order "
        "saves</th><th class=\"n\">would save</th><th class=\"h\">what would help</th></tr></thead>\n<tbody>\n",
        SW_VERSION);
    for (size_t i = 0; i < summary->rows.count; i++) {
        put_html_row(out, &summary->rows.items[i], folder);
    }
    sw_sink_printf(out, "</tbody>\n</table>\n</div>\n<script>%s</script>\n</body>\n</html>\n", fleet_script);
}
