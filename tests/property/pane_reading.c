/* Panes as text. See pane_reading.h. */
#include "pane_reading.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint64_t pane_looks, pane_claims;
char pane_lines[PANE_LINES][PANE_LINE];
int pane_line_count;

void refuse_line(const struct pane_scene *s, const char *line, const char *format, ...) {
    va_list arguments;
    char text[400];
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    check_that(false, s->m, s->planner, "at %" PRIu64 ": '%s': %s", sw_search_at(s->search), line, text);
}

void pane_build(const struct pane_scene *s, const char *name, struct sw_view_input *in) {
    struct sw_scene scene = {0};
    *in = (struct sw_view_input){.run.search = s->search,
                                 .run.explanation = s->why,
                                 .run.input_name = "random",
                                 .look.selected = in->look.selected,
                                 .look.cursor = in->look.cursor,
                                 .look.tier = in->look.tier,
                                 .look.candidate = SW_NONE,
                                 .look.viewport = sw_viewport_all(s->search, 0),
                                 .text = true};
    sw_view_find(name, NULL)->build(in, &scene, (struct sw_box){0, 0, PANE_LINE - 100, 1e6});
    check_that(!scene.failed, s->m, s->planner, "no memory");
    pane_line_count = 0;
    for (size_t p = 0; p < scene.panels.count; p++) {
        const struct sw_panel *panel = &scene.panels.items[p];
        for (size_t r = 0; panel->kind == SW_PANEL_TABLE && r < panel->rows.count && pane_line_count < PANE_LINES;
             r++) {
            const struct sw_row *row = &panel->rows.items[r];
            char *line = pane_lines[pane_line_count++];
            size_t length = 0;
            *line = '\0';
            for (uint32_t c = 0; c < row->count && length < PANE_LINE; c++) {
                length += (size_t)snprintf(line + length, PANE_LINE - length, "%s%s", c ? "|" : "",
                                           panel->texts.items[row->first + c].text);
            }
        }
    }
    sw_scene_done(&scene);
    pane_looks++;
}

/* "1,234 B" or, where it is rounded, what stands in brackets behind it; moves past it. */
static bool bytes_at(const char **at, uint64_t *bytes) {
    const char *p = *at;
    if (!isdigit((unsigned char)*p)) {
        return false;
    }
    for (*bytes = 0; isdigit((unsigned char)*p) || *p == ','; p++) {
        *bytes = isdigit((unsigned char)*p) ? *bytes * 10 + (uint64_t)(*p - '0') : *bytes;
    }
    if (*p == '.' || *p == 'K') { /* rounded: "1.2K (1,229 B)" */
        p = strstr(p, " (");
        *at = p ? p + 2 : *at;
        return p && bytes_at(at, bytes);
    }
    *at = p;
    return true;
}

bool line_reads(const struct pane_scene *s, const char *line, const char *pattern, ...) {
    va_list to;
    va_start(to, pattern);
    bool good = true;
    for (; good && *pattern; pattern++) {
        if (*pattern != '%') {
            good = *line++ == *pattern;
            continue;
        }
        uint64_t bytes = 0;
        pattern++;
        if (*pattern == 'B' || *pattern == 'U') {
            good = bytes_at(&line, &bytes);
            if (*pattern == 'B') {
                *va_arg(to, uint64_t *) = bytes;
                good = good && strncmp(line, " B", 2) == 0;
                line += good ? 2 : 0;
            } else {
                *va_arg(to, uint32_t *) = (uint32_t)bytes;
            }
        } else if (*pattern == 'N') {
            good = line[0] == 'b' && isdigit((unsigned char)line[1]);
            *va_arg(to, uint32_t *) = good ? (uint32_t)strtoul(line + 1, (char **)&line, 10) : 0;
        } else if (*pattern == 'O') {
            bool op = strncmp(line, "op", 2) == 0, time = strncmp(line, "time ", 5) == 0;
            uint32_t *step = va_arg(to, uint32_t *);
            char *end = NULL;
            long long number = op ? strtoll(line + 2, &end, 10) : time ? strtoll(line + 5, &end, 10) : 0;
            good = op || time;
            for (*step = 0; good && *step < sw_problem_steps(s->problem); ++*step) {
                if (op ? *step < sw_problem_operator_count(s->problem) &&
                             atoll(sw_problem_operator(s->problem, *step)->name + 2) == number
                       : sw_problem_time(s->problem, *step) == number) {
                    break;
                }
            }
            good = good && *step < sw_problem_steps(s->problem);
            line = end ? end : line;
            line = strncmp(line, " (step ", 7) == 0 ? strchr(line, ')') + 1 : line;
        }
    }
    va_end(to);
    pane_claims += good;
    return good;
}
