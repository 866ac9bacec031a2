/* stowage diff of two moments: totals side by side, and what grew, by size and by what asked for it. */
#include "base/base.h"
#include "cli/allocators/served.h"
#include "cli/moment/moment_parts.h"
#include "cli/shared/output.h"
#include "view/moment/moment_words.h"

enum { CHANGES_SHOWN = 20 };

/* As CSV both are one table; else each has the column of its own. */
static const struct sw_report_column changes_by_size[] = {{.csv = "by"},
                                                          {.head = "change"},
                                                          {.name = "old"},
                                                          {.name = "new"},
                                                          {.key = "old_blocks", .head = "blocks, old"},
                                                          {.key = "new_blocks", .head = "new"},
                                                          {.name = "size"},
                                                          {.csv = "asked_for_in"}},
                                     changes_by_origin[] = {{.csv = "by"},
                                                            {.head = "change"},
                                                            {.name = "old"},
                                                            {.name = "new"},
                                                            {.key = "old_blocks", .head = "blocks, old"},
                                                            {.key = "new_blocks", .head = "new"},
                                                            {.csv = "size"},
                                                            {.json = "origin", .head = "asked for in", .left = true}};
enum { CHANGE_COLUMNS = sizeof changes_by_size / sizeof *changes_by_size };

struct moment_side {
    const char *path;
    const struct sw_moment *moment;
    struct sw_moment_sums sums;
};
struct moment_diff {
    struct moment_side old, fresh;
    struct sw_moment_changes sizes, origins;
    bool known;  /* both tell what is in use */
    bool within; /* the two differ, but not by more than their rounding */
    bool more;   /* the new one holds more in use */
    bool tables; /* both tell blocks */
};

/* ---- totals ---- */

static void put_change_cell(struct sw_cli_report *out, bool known, uint64_t old, uint64_t fresh) {
    if (!known || old == fresh) {
        sw_row_none(out);
    } else {
        sw_row_words(out, "%s%s", old > fresh ? "-" : "+", SW_COUNT(old > fresh ? old - fresh : fresh - old));
    }
}

static void put_moment_total(const char *words, uint64_t old, uint64_t fresh, bool rounded, struct sw_cli_report *out) {
    if ((old == SW_UNTOLD || old == 0) && (fresh == SW_UNTOLD || fresh == 0)) {
        return;
    }
    sw_row_text(out, words);
    sw_row_known(out, old != SW_UNTOLD, old);
    sw_row_known(out, fresh != SW_UNTOLD, fresh);
    put_change_cell(out, old != SW_UNTOLD && fresh != SW_UNTOLD, old, fresh);
    sw_row_words(out, "%s", rounded ? "as the text rounds it" : "");
}

static void put_moment_totals(const struct moment_diff *diff, struct sw_cli_report *out) {
    static const struct sw_report_column columns[] = {{.head = "", .left = true},
                                                      {.head = "old", .none = "not told"},
                                                      {.head = "new", .none = "not told"},
                                                      {.head = "change"},
                                                      {.head = "", .left = true}};
    const struct sw_moment_sums *old = &diff->old.sums, *fresh = &diff->fresh.sums;
    sw_rows_begin(out, NULL, columns, sizeof columns / sizeof *columns);
    for (enum sw_moment_figure figure = 0; figure < SW_MOMENT_FIGURES; figure++) {
        put_moment_total(sw_moment_figure_words(figure), old->figure[figure], fresh->figure[figure],
                         old->about[figure] + fresh->about[figure] > 0, out);
    }
    put_moment_total("failed request", diff->old.moment->failure.size, diff->fresh.moment->failure.size,
                     diff->old.moment->failure.about + diff->fresh.moment->failure.about > 0, out);
    sw_rows_end(out);
}

static bool tells_blocks(const struct moment_side *side) {
    return side->sums.blocks[SW_HELD_USED] + side->sums.blocks[SW_HELD_WAITING] > 0 ||
           side->sums.figure[SW_MOMENT_IN_USE] == 0;
}

/* Where its sum is not what its blocks come to, which the table by size has. */
static void put_differing_side(const struct moment_side *side, const char *which, struct sw_sink *words) {
    if (side->sums.differs[SW_MOMENT_IN_USE]) {
        sw_sink_printf(words, "Of the %s one this is what the text says; the blocks that it shows come to %s.\n", which,
                       SW_BYTES(side->sums.shown[SW_MOMENT_IN_USE]));
    }
}

static void put_moment_verdict(const struct moment_diff *diff, struct sw_sink *words) {
    uint64_t old = diff->old.sums.figure[SW_MOMENT_IN_USE], fresh = diff->fresh.sums.figure[SW_MOMENT_IN_USE];
    if (!diff->known) {
        sw_sink_printf(words, "\nWhat is in use is not told of the %s one.\n",
                       old != SW_UNTOLD     ? "new"
                       : fresh != SW_UNTOLD ? "old"
                                            : "old and the new");
    } else if (diff->within) {
        sw_sink_printf(words, "\nThe rounding of the figures leaves open which holds more in use.\n");
    } else if (old == fresh) {
        sw_sink_printf(words, "\nThe new one holds as much in use.\n");
    } else {
        bool about = diff->old.sums.about[SW_MOMENT_IN_USE] + diff->fresh.sums.about[SW_MOMENT_IN_USE] > 0;
        sw_sink_printf(words, "\nThe new one holds %s%s %s in use.\n", about ? "about " : "",
                       SW_BYTES(diff->more ? fresh - old : old - fresh), diff->more ? "more" : "less");
    }
    put_differing_side(&diff->old, "old", words);
    put_differing_side(&diff->fresh, "new", words);
    if (!diff->tables) {
        sw_sink_printf(words, "Blocks are told of %s: what grew by size does not follow.\n",
                       tells_blocks(&diff->old)     ? "the old one alone"
                       : tells_blocks(&diff->fresh) ? "the new one alone"
                                                    : "neither");
    }
}

/* ---- what grew ---- */

static void put_change_row(const struct sw_moment_change *change, bool by_size, struct sw_cli_report *out) {
    const struct sw_moment_group *some = change->before.count ? &change->before : &change->after;
    char text[SW_SERVED_SITE + 1];
    sw_row_text(out, by_size ? "size" : "origin");
    put_change_cell(out, true, change->before.bytes, change->after.bytes);
    SW_ROW_COUNTS(out, true, change->before.bytes, change->after.bytes, change->before.count, change->after.count);
    sw_row_known(out, by_size, some->size);
    sw_row_text(out, by_size || !some->origin ? NULL
                     : sw_report_is_read(out) ? sw_served_site(some->origin, text)
                                              : some->origin);
}

/* For people the largest, for programs all. */
static void put_change_rows(const struct moment_diff *diff, bool by_size, struct sw_cli_report *out) {
    const struct sw_moment_changes *changes = by_size ? &diff->sizes : &diff->origins;
    bool read = sw_report_is_read(out);
    for (size_t i = 0; i < changes->items.count && (!read || i < CHANGES_SHOWN); i++) {
        put_change_row(&changes->items.items[i], by_size, out);
    }
}

static void put_changes(const struct moment_diff *diff, bool by_size, struct sw_cli_report *out) {
    size_t count = by_size ? diff->sizes.items.count : diff->origins.items.count;
    if (count > 0) {
        sw_sink_printf(
            out->words, "\nIn use%s, by %s, the largest change first",
            diff->old.sums.bytes[SW_HELD_WAITING] + diff->fresh.sums.bytes[SW_HELD_WAITING] > 0 ? " or waiting" : "",
            by_size ? "size" : "what asked for it");
        if (count > CHANGES_SHOWN) {
            sw_sink_printf(out->words, " (%d of %s)", (int)CHANGES_SHOWN, SW_COUNT(count));
        }
        sw_sink_printf(out->words, ":\n\n");
    } else if (sw_report_is_read(out)) {
        return;
    }
    sw_rows_begin(out, by_size ? "sizes" : "origins", by_size ? changes_by_size : changes_by_origin, CHANGE_COLUMNS);
    put_change_rows(diff, by_size, out);
    if (out->output == SW_OUTPUT_CSV) { /* one table, and the first column says by what */
        put_change_rows(diff, false, out);
    }
    sw_rows_end(out);
}

/* ---- all of it ---- */

static void put_moment_side(const char *key, const struct moment_side *side, struct sw_json_out *json) {
    sw_put_object(json, key);
    sw_put_text(json, "file", side->path);
    sw_moment_json_figures(&side->sums, json);
    sw_put_known(json, "failed", side->moment->failure.size != SW_UNTOLD, side->moment->failure.size);
    sw_put_end(json);
}

static void put_moment_diff(const struct moment_diff *diff, struct sw_cli_report *out) {
    sw_put_object(&out->json, NULL);
    sw_put_lines(&out->json);
    put_moment_side("old", &diff->old, &out->json);
    put_moment_side("new", &diff->fresh, &out->json);
    sw_report_name(out, diff->old.path);
    sw_sink_printf(out->words, " -> ");
    sw_report_name(out, diff->fresh.path);
    sw_sink_printf(out->words, ": two moments\n\n");
    if (sw_report_is_read(out)) {
        put_moment_totals(diff, out);
    }
    put_moment_verdict(diff, out->words);
    put_changes(diff, true, out);
    if (out->output != SW_OUTPUT_CSV) {
        put_changes(diff, false, out);
    }
    sw_put_text(&out->json, "measure", "in_use");
    if (diff->known && !diff->within) {
        sw_put_truth(&out->json, "needs_more", diff->more);
    } else {
        sw_put_null(&out->json, "needs_more");
    }
    sw_put_end(&out->json);
}

static void judge_moments(struct moment_diff *diff) {
    const struct sw_moment_sums *old = &diff->old.sums, *fresh = &diff->fresh.sums;
    uint64_t a = old->figure[SW_MOMENT_IN_USE], b = fresh->figure[SW_MOMENT_IN_USE];
    uint64_t about = old->about[SW_MOMENT_IN_USE] + fresh->about[SW_MOMENT_IN_USE];
    diff->known = a != SW_UNTOLD && b != SW_UNTOLD;
    diff->within = diff->known && about > 0 && (a > b ? a - b : b - a) <= about;
    diff->tables = tells_blocks(&diff->old) && tells_blocks(&diff->fresh);
    diff->more = diff->known && !diff->within && b > a;
}

int sw_diff_moments(struct sw_cli *cli, const struct sw_problem *old, const struct sw_problem *fresh, bool picture,
                    enum sw_output output) {
    struct moment_diff diff = {.old = {.path = cli->files[0], .moment = sw_problem_moment(old)},
                               .fresh = {.path = cli->files[1], .moment = sw_problem_moment(fresh)}};
    if (!diff.old.moment || !diff.fresh.moment) {
        return sw_cli_tell(SW_ERROR_UNSUPPORTED, diff.old.moment ? cli->files[0] : cli->files[1],
                           "this is one moment of an allocator, which compares with another moment only");
    }
    if (picture || cli->planner) {
        return sw_cli_tell(SW_ERROR_UNSUPPORTED, NULL, "two moments have no times: %s",
                           picture ? "they compare as text, CSV, JSON or Markdown, and not as a picture"
                                   : "no planner runs, so leave out -p");
    }
    sw_moment_sum(diff.old.moment, &diff.old.sums);
    sw_moment_sum(diff.fresh.moment, &diff.fresh.sums);
    judge_moments(&diff);
    bool origins =
        diff.tables && (sw_moment_tells_origins(diff.old.moment) || sw_moment_tells_origins(diff.fresh.moment));
    int status = 2;
    if ((!diff.tables || sw_moment_compare(diff.old.moment, diff.fresh.moment, SW_MOMENT_BY_SIZE, &diff.sizes)) &&
        (!origins || sw_moment_compare(diff.old.moment, diff.fresh.moment, SW_MOMENT_BY_ORIGIN, &diff.origins))) {
        struct sw_cli_report out;
        sw_cli_report_start(&out, output);
        put_moment_diff(&diff, &out);
        status = sw_cli_report_finish(cli, &out, diff.more ? 1 : 0);
    } else {
        sw_cli_fail_memory();
    }
    SW_ARRAY_DONE(&diff.sizes.items, &diff.origins.items);
    return status;
}
