#include "cli/allocators/reserved_report.h"

#include "view/view.h"

#include <string.h>

/* A figure of the planner's own; false: it has none of that name, or it is null. */
static bool figure(const struct sw_details *details, const char *key, uint64_t *value) {
    for (size_t i = 0; i < details->items.count; i++) {
        const struct sw_detail *detail = &details->items.items[i];
        if (strcmp(detail->key, key) == 0 && detail->whole) {
            *value = (uint64_t)detail->integer;
            return true;
        }
    }
    return false;
}

static void bytes(struct sw_sink *out, const struct sw_details *details, const char *label, const char *key, const char *remark) {
    uint64_t value;
    char human[24], exact[32];
    if (figure(details, key, &value)) {
        sw_sink_printf(out, "  %-15s %10s %15s B%s%s\n", label, sw_show_bytes_long(value, human), sw_show_count(value, exact),
                       *remark ? "   " : "", remark);
    }
}

static void requests(struct sw_sink *out, const struct sw_details *details) {
    uint64_t allocs = 0, hits = 0, grown = 0, growth_hits = 0, releases = 0, ooms = 0, gone = 0;
    char a[32], b[32];
    figure(details, "allocs", &allocs);
    figure(details, "grown", &grown);
    figure(details, "releases", &releases);
    figure(details, "segments_freed", &gone);
    figure(details, "ooms", &ooms);
    sw_sink_printf(out, "  %-15s %s", "requests", sw_show_count(allocs, a));
    if (figure(details, "hits", &hits) && figure(details, "growth_hits", &growth_hits)) {
        sw_sink_printf(out, hits == allocs ? ", each predicted where it was recorded" : ", %s of them predicted where they were recorded",
                       sw_show_count(hits, b));
        sw_sink_printf(out, "; %s grew what is reserved", sw_show_count(grown, b));
        if (grown > 0) {
            sw_sink_printf(out, growth_hits == grown ? ", as predicted" : ", %s as predicted", sw_show_count(growth_hits, b));
        }
    } else if (grown > 0) {
        sw_sink_printf(out, ", of which %s grew what is reserved", sw_show_count(grown, b));
    }
    sw_sink_printf(out, "\n");
    if (releases > 0) {
        sw_sink_printf(out, "  %-15s %s time%s, %s piece%s in all\n", "given back", sw_show_count(releases, a), releases == 1 ? "" : "s",
                       sw_show_count(gone, b), gone == 1 ? "" : "s");
    }
    if (ooms > 0) {
        sw_sink_printf(out, "  %-15s %s request%s\n", "out of memory", sw_show_count(ooms, a), ooms == 1 ? "" : "s");
    }
}

bool sw_cli_reserved_text(const struct sw_result *result, struct sw_sink *out) {
    struct sw_details details = {0};
    uint64_t first = 0, least = 0;
    if (!sw_search_planner(result->search)->reserves) {
        return false;
    }
    out->failed |= !sw_search_details(result->search, &details);
    bytes(out, &details, "peak reserved", "reserved", "");
    bytes(out, &details, "allocated", "allocated", "the most at once, in blocks");
    bytes(out, &details, "asked for", "requested", "the most at once");
    bytes(out, &details, "lower bound", "lower_bound_rounded", "rounded sizes alive at once: they need no less");
    figure(&details, "fragmentation", &first);
    figure(&details, "fragmentation_least", &least);
    bytes(out, &details, "not allocated", "fragmentation",
          first == least ? "when the peak was reached"
                         : "when the peak was first reached");
    if (first != least) {
        bytes(out, &details, "", "fragmentation_least", "the least, while it held");
    }
    requests(out, &details);
    sw_details_done(&details);
    return true;
}
