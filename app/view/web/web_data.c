/* The runs of a page as JSON. A run is walked once from its beginning, on a copy, and what each decision looked at and
 * changed is kept as text; then as much of that is put together as the page has room for. */
#include "view/web/web_data.h"
#include "base/base.h"
#include "layout/made.h"
#include "view/map/map.h"
#include "view/moment/moment_views.h"
#include "view/moment/moment_words.h"

enum {
    WEB_REFUSED = 5,       /* refused places of a decision that are told */
    WEB_READERS = 3,       /* of a buffer that are named */
    WEB_STEPS = 50000,     /* a model of more has no steps and operators in the page */
    WEB_THRIFTS = 7,       /* so many times their number is halved, if need be */
    WEB_DECISIONS = 20000, /* that the slider stops at */
    WEB_BUFFERS = 10000    /* that are told of when there is room for no more: the largest */
};

/* A decision, each part as JSON. */
struct web_decision {
    uint64_t step, peak, rest; /* rest: refused places that are not among these */
    uint32_t buffer, refused_count;
    const char *sentence, *chosen, *refused[WEB_REFUSED], *changes;
};

struct web_run {
    const struct sw_search *search;
    const struct sw_problem *problem;
    const struct sw_layout *layout;
    uint64_t base;
    enum sw_units units;
    struct sw_arena arena;
    SW_ARRAY(struct web_decision) decisions;
    SW_ARRAY(const char *) stacks;
    const struct sw_problem *other; /* that of another run, so that colors say the same in both; or NULL */
    SW_ARRAY(uint32_t) order;       /* the buffers that are told of */
    struct sw_sink text;            /* scratch */
    size_t most, changed;           /* bytes of the page; of what its decisions changed, in all runs so far */
    bool failed;
};

bool sw_web_holds(const struct sw_problem *problem) {
    return sw_problem_planned_count(problem) <= 2 * WEB_BUFFERS;
}

/* ---- the walk ---- */

static const char *keep_scratch(struct web_run *run) {
    const char *text = sw_sink_ended(&run->text);
    char *copy = text ? sw_arena_string(&run->arena, text, run->text.text.count) : NULL;
    run->failed |= !copy;
    run->text.text.count = 0;
    return copy ? copy : "";
}

static bool tells_spans(const struct sw_layout *layout, uint32_t b) {
    struct sw_placement place;
    return sw_layout_placement(layout, b, 0, &place) && (place.span.from > 0 || place.span.to != UINT32_MAX);
}

/* "[0,4096]" of a block that lies there all its life; "[[0,4096,3,5],...]"; "0": nowhere. */
static void put_places(struct web_run *run, const struct sw_layout *layout, uint32_t b, struct sw_sink *out) {
    const struct sw_buffer *buffer = sw_problem_buffer(run->problem, b);
    struct sw_placement place;
    bool spans = tells_spans(layout, b);
    if (!sw_layout_placement(layout, b, 0, &place)) {
        sw_sink_printf(out, "0");
        return;
    }
    if (!spans) {
        sw_sink_printf(out, "[%u,%llu]", place.tier, (unsigned long long)place.offset);
        return;
    }
    for (uint32_t k = 0; sw_layout_placement(layout, b, k, &place); k++) {
        sw_sink_printf(out, "%s[%u,%llu,%u,%u]", k ? "," : "[", place.tier, (unsigned long long)place.offset,
                       SW_MAX(place.span.from, buffer->first), SW_MIN(place.span.to, buffer->last));
    }
    sw_sink_printf(out, "]");
}

static bool same_web_spans(const struct sw_layout *a, const struct sw_layout *b, uint32_t buffer) {
    struct sw_placement x, y;
    for (uint32_t k = 0;; k++) {
        bool in_a = sw_layout_placement(a, buffer, k, &x), in_b = sw_layout_placement(b, buffer, k, &y);
        if (in_a != in_b) {
            return false;
        }
        if (!in_a) {
            return true;
        }
        if (x.tier != y.tier || x.offset != y.offset || x.span.from != y.span.from || x.span.to != y.span.to) {
            return false;
        }
    }
}

static void put_web_change(struct web_run *run, const struct sw_layout *layout, uint32_t b, bool *any) {
    sw_sink_printf(&run->text, "%s%u,", *any ? "," : "[", b);
    put_places(run, layout, b, &run->text);
    *any = true;
}

/* What lies elsewhere than before, as "[b,places,b,places...]" in the scratch sink. `before` NULL: nothing lay. */
static void put_web_changes(struct web_run *run, const struct sw_layout *before, const struct sw_layout *now) {
    enum { WEB_ROOM = 64 };
    struct sw_layout_block blocks[WEB_ROOM];
    uint32_t rank = 0, last = sw_problem_steps(run->problem);
    bool any = false;
    size_t count;
    while ((count = sw_layout_blocks_of(now, before, 0, last, &rank, blocks, WEB_ROOM)) > 0) {
        for (size_t i = 0; i < count; i++) {
            put_web_change(run, now, blocks[i].buffer, &any);
        }
    }
    rank = 0;
    while (before && (count = sw_layout_blocks_of(before, now, 0, last, &rank, blocks, WEB_ROOM)) > 0) {
        for (size_t i = 0; i < count; i++) {
            if (!sw_layout_placed(now, blocks[i].buffer)) {
                put_web_change(run, now, blocks[i].buffer, &any);
            }
        }
    }
    /* That function takes blocks in several places for equal. */
    bool moves = before && (sw_layout_transfer_count(now) || sw_layout_transfer_count(before));
    for (uint32_t b = 0; moves && b < sw_problem_buffer_count(run->problem); b++) {
        struct sw_placement second;
        if (sw_layout_placement(now, b, 1, &second) && sw_layout_placement(before, b, 1, &second) &&
            !same_web_spans(now, before, b)) {
            put_web_change(run, now, b, &any);
        }
    }
    sw_sink_printf(&run->text, any ? "]" : "0");
}

static const char *keep_candidate(struct web_run *run, const struct sw_candidate *candidate) {
    bool space = !candidate->runs && !candidate->changes;
    if (space) {
        sw_sink_printf(&run->text, "[%llu,", (unsigned long long)(candidate->offset + run->base));
    } else {
        sw_sink_printf(&run->text, "[-1,");
    }
    sw_sink_json(&run->text, sw_candidate_words(candidate));
    sw_sink_printf(&run->text, "]");
    return keep_scratch(run);
}

static void keep_web_decision(struct web_run *run, const struct sw_explanation *why, const struct sw_problem *problem) {
    const struct sw_decision *decision = &why->decision;
    struct sw_decision addressed = *decision;
    struct web_decision *kept = &run->decisions.items[run->decisions.count - 1];
    char text[SW_MESSAGE];
    addressed.offset += decision->tier != SW_NONE ? run->base : 0;
    sw_decision_describe(problem, &addressed, text, sizeof text);
    sw_sink_json(&run->text, text);
    kept->sentence = keep_scratch(run);
    kept->buffer = decision->buffer;
    kept->peak = decision->peak;
    for (size_t i = 0; i < why->candidates.count; i++) {
        const struct sw_candidate *candidate = &why->candidates.items[i];
        if (candidate->verdict == SW_VERDICT_CHOSEN && !kept->chosen) {
            kept->chosen = keep_candidate(run, candidate);
        } else if (candidate->verdict == SW_VERDICT_REFUSED && kept->refused_count < WEB_REFUSED) {
            kept->refused[kept->refused_count++] = keep_candidate(run, candidate);
        } else {
            kept->rest += candidate->verdict == SW_VERDICT_REFUSED;
        }
    }
}

/* Decisions that the page tells of: all, or of many those that placed what lies there now, and some between them. */
static bool choose_decisions(const struct web_run *run, uint64_t known, uint8_t *wanted) {
    struct sw_placement place;
    memset(wanted, known <= WEB_DECISIONS, known + 1);
    for (uint64_t i = 0; i <= known && known > WEB_DECISIONS; i += known / (WEB_DECISIONS / 2) + 1) {
        wanted[i] = 1;
    }
    for (uint32_t b = 0; b < sw_problem_buffer_count(run->problem); b++) {
        for (uint32_t k = 0; sw_layout_placement(run->layout, b, k, &place); k++) {
            uint64_t made = sw_layout_made(run->layout, b, k);
            wanted[made <= known ? made : known] = 1;
        }
    }
    wanted[sw_search_at(run->search)] = wanted[known] = 1;
    return true;
}

static bool walk_steps(struct web_run *run, struct sw_search *walked, const uint8_t *wanted, uint64_t known,
                       struct sw_error *error) {
    struct sw_explanation why = {0};
    struct sw_layout *before = NULL;
    bool good = sw_search_seek(walked, 0, error);
    for (uint64_t i = 1; good && i <= known && run->changed <= run->most; i++) {
        enum sw_step step = wanted[i] ? sw_search_step_explained(walked, &why, error) : sw_search_step(walked, error);
        if (step == SW_STEP_DONE || (step == SW_STEP_FAILED && error->code != SW_ERROR_MEMORY)) {
            *error = (struct sw_error){0};
            break;
        }
        good = step == SW_STEP_MORE;
        if (!good || !wanted[i]) {
            continue;
        }
        good = SW_PUSH(&run->decisions, ((struct web_decision){.step = i})) || sw_fail_memory(error);
        if (!good) {
            continue;
        }
        keep_web_decision(run, &why, sw_search_problem(walked));
        const struct sw_layout *now = sw_search_layout(walked);
        bool same = sw_layout_problem(now) == run->problem; /* a planner of orders may still be at another one */
        if (same) {
            put_web_changes(run, before, now);
        } else {
            sw_sink_printf(&run->text, "0");
        }
        run->changed += run->text.text.count;
        run->decisions.items[run->decisions.count - 1].changes = keep_scratch(run);
        sw_layout_free(before);
        before = same ? sw_layout_clone(now, error) : NULL;
        good = (before || !same) && !run->failed;
    }
    sw_layout_free(before);
    sw_explanation_done(&why);
    return good || (error->code == SW_OK ? sw_fail_memory(error) : false);
}

static bool walk_run(struct web_run *run, struct sw_error *error) {
    uint64_t known = sw_search_known(run->search);
    enum { WEB_WALKED = 5000000 };
    if (known == 0 || known > WEB_WALKED || run->changed > run->most || sw_problem_moment(run->problem) ||
        !sw_web_holds(run->problem)) {
        return true;
    }
    uint8_t *wanted = SW_NEW_ZERO(uint8_t, known + 1);
    struct sw_search *walked = wanted ? sw_search_fork(run->search, error) : NULL;
    bool good =
        wanted && walked && choose_decisions(run, known, wanted) && walk_steps(run, walked, wanted, known, error);
    sw_search_free(walked);
    SW_FREE(wanted, known + 1);
    return good || (error->code == SW_OK ? sw_fail_memory(error) : false);
}

/* ---- buffers ---- */

/* Else lifetimes are told in the file's own times, and operators not at all. */
static bool tells_steps(const struct web_run *run) {
    return sw_problem_steps(run->problem) <= WEB_STEPS;
}

static int stack_number(struct web_run *run, const char *origin) {
    if (!origin || !*origin) {
        return -1;
    }
    for (size_t i = run->stacks.count; i-- > 0;) {
        if (run->stacks.items[i] == origin || !strcmp(run->stacks.items[i], origin)) {
            return (int)i;
        }
    }
    run->failed |= !SW_PUSH(&run->stacks, origin);
    return (int)run->stacks.count - 1;
}

/* "[3,5,9],4": the operators that read it, and how many more do. */
static void put_readers(const struct web_run *run, uint32_t b, struct sw_sink *out) {
    const struct sw_buffer *buffer = sw_problem_buffer(run->problem, b);
    uint32_t named = 0, more = 0, last = SW_NONE;
    sw_sink_printf(out, "[");
    for (uint32_t i = 0; tells_steps(run) && i < buffer->access_count; i++) {
        uint32_t step = buffer->accesses[i];
        if (step == last || step >= sw_problem_operator_count(run->problem) ||
            !sw_problem_reads(run->problem, step, b)) {
            continue;
        }
        last = step;
        if (named < WEB_READERS) {
            sw_sink_printf(out, "%s%u", named ? "," : "", step);
            named++;
        } else {
            more++;
        }
    }
    sw_sink_printf(out, "],%u", more);
}

/* [name, size, first, last, kind, writer, [readers], more, stack, places, decision, type, pieces] */
static void put_web_buffer(struct web_run *run, uint32_t b, struct sw_sink *out) {
    const struct sw_buffer *buffer = sw_problem_buffer(run->problem, b);
    uint32_t writer = sw_problem_operator_count(run->problem) ? sw_problem_producer(run->problem, b) : SW_NONE;
    uint64_t made = sw_layout_made(run->layout, b, 0);
    int stack = stack_number(run, buffer->origin);
    sw_sink_printf(out, "[");
    sw_sink_json(out, buffer->name);
    bool steps = tells_steps(run);
    sw_sink_printf(out, ",%llu,%lld,%lld,", (unsigned long long)buffer->size,
                   steps ? (long long)buffer->first : (long long)sw_problem_time(run->problem, buffer->first),
                   steps ? (long long)buffer->last : (long long)sw_problem_time(run->problem, buffer->last + 1) - 1);
    sw_sink_json(out, sw_buffer_kind(buffer));
    sw_sink_printf(out, ",%d,", writer == SW_NONE ? -1 : (int)writer);
    put_readers(run, b, out);
    sw_sink_printf(out, ",%d,", stack);
    put_places(run, run->layout, b, out);
    sw_sink_printf(out, ",%llu", (unsigned long long)made);
    if (buffer->piece_count > 1) {
        for (uint32_t p = 0; p < buffer->piece_count; p++) {
            const struct sw_piece *piece = &buffer->pieces[p];
            sw_sink_printf(out, "%s[%u,%u,%llu,%llu]", p ? "," : ",[", piece->first, piece->last,
                           (unsigned long long)piece->lo, (unsigned long long)piece->hi);
        }
        sw_sink_printf(out, "]");
    }
    sw_sink_printf(out, "]");
}

struct sized_buffer {
    uint64_t size;
    uint32_t buffer;
};
static int by_largest(const void *a, const void *b) {
    const struct sized_buffer *x = a, *y = b;
    return x->size != y->size ? (x->size < y->size) - (x->size > y->size)
                              : (x->buffer > y->buffer) - (x->buffer < y->buffer);
}

/* The largest, or all, the largest first. */
static bool choose_buffers(struct web_run *run, size_t most) {
    uint32_t count = sw_problem_buffer_count(run->problem);
    struct sized_buffer *all = SW_NEW(struct sized_buffer, count);
    size_t planned = 0;
    for (uint32_t b = 0; all && b < count; b++) {
        if (sw_problem_buffer(run->problem, b)->planned) {
            all[planned++] = (struct sized_buffer){sw_problem_buffer(run->problem, b)->size, b};
        }
    }
    run->order.count = 0;
    run->failed |= count > 0 && !all;
    if (all) {
        qsort(all, planned, sizeof *all, by_largest);
    }
    for (size_t i = 0; all && i < planned && i < most; i++) {
        run->failed |= !SW_PUSH(&run->order, all[i].buffer);
    }
    SW_FREE(all, count);
    return !run->failed;
}

/* ---- putting together ---- */

static void put_names(const struct web_run *run, struct sw_sink *out) {
    sw_sink_printf(out, ",\"tiers\":[");
    for (uint32_t t = 0; t < sw_problem_tier_count(run->problem); t++) {
        sw_sink_printf(out, "%s", t ? "," : "");
        sw_sink_json(out, sw_problem_tier(run->problem, t)->name);
    }
    sw_sink_printf(out, "],\"ops\":[");
    bool few = tells_steps(run);
    for (uint32_t i = 0; few && i < sw_problem_operator_count(run->problem); i++) {
        sw_sink_printf(out, "%s[", i ? "," : "");
        sw_sink_json(out, sw_problem_operator(run->problem, i)->name);
        sw_sink_printf(out, ",");
        sw_sink_json(out, sw_problem_operator(run->problem, i)->kind);
        sw_sink_printf(out, "]");
    }
    sw_sink_printf(out, "]");
    if (few && !sw_problem_time_is_step(run->problem)) {
        sw_sink_printf(out, ",\"times\":[");
        for (uint32_t i = 0; i <= sw_problem_steps(run->problem); i++) {
            sw_sink_printf(out, "%s%lld", i ? "," : "", (long long)sw_problem_time(run->problem, i));
        }
        sw_sink_printf(out, "]");
    }
}

/* ---- colors ---- */

/* A look for each buffer. */
static bool find_looks(const struct web_run *run, enum sw_coloring by, uint8_t *looks,
                       struct sw_color_classes *classes) {
    const struct sw_moment *moment = sw_problem_moment(run->problem);
    if (!moment) {
        return sw_map_looks(run->search, run->other, by, looks, classes);
    }
    uint8_t *held = SW_NEW(uint8_t, moment->blocks.count + 1);
    bool good = held && sw_moment_looks(run->problem, by, held, classes);
    for (size_t i = 0; good && i < moment->blocks.count; i++) {
        if (moment->blocks.items[i].buffer != SW_NONE) {
            looks[moment->blocks.items[i].buffer] = held[i];
        }
    }
    SW_FREE(held, moment->blocks.count + 1);
    return good;
}

/* ["operator",[[4,"conv2d"],...],[4,17,...]]: a word of --color-by, what its colors say, the look of each buffer. */
static void put_coloring(struct web_run *run, enum sw_coloring by, bool first, struct sw_sink *out) {
    size_t count = sw_problem_buffer_count(run->problem) + (size_t)1, told = 0;
    uint8_t *looks = SW_NEW_ZERO(uint8_t, count);
    struct sw_color_classes classes = {0};
    struct sw_scene words = {.units = run->units, .joins = true};
    bool seen[SW_BASES] = {false}, good = looks && find_looks(run, by, looks, &classes);
    for (size_t i = 0; good && i < run->order.count; i++) {
        seen[looks[run->order.items[i]] % SW_BASES] = true;
    }
    sw_sink_printf(out, "%s[\"%s\",[", first ? "" : ",\n", sw_coloring_words[by]);
    for (unsigned base = 0; good && base < SW_BASES; base++) {
        const char *text = seen[base] ? sw_color_class_words(&classes, &words, base) : NULL;
        if (text) {
            sw_sink_printf(out, "%s[%u,", told++ ? "," : "", base);
            sw_sink_json(out, text);
            sw_sink_printf(out, "]");
        }
    }
    sw_sink_printf(out, "],[");
    for (size_t i = 0; good && i < run->order.count; i++) {
        sw_sink_printf(out, "%s%u", i ? "," : "", looks[run->order.items[i]]);
    }
    sw_sink_printf(out, "]]");
    run->failed |= !good || words.failed;
    sw_scene_done(&words);
    sw_color_classes_done(&classes);
    SW_FREE(looks, count);
}

/* All that suit; of many none. */
static void put_colorings(struct web_run *run, struct sw_sink *out) {
    bool first = true;
    sw_sink_printf(out, ",\"colors\":[");
    for (enum sw_coloring by = SW_COLOR_IDENTITY; by < SW_COLORINGS_COUNT && sw_web_holds(run->problem) && !run->failed;
         by++) {
        if (sw_coloring_suits(run->problem, by, NULL) &&
            (by != SW_COLOR_TIER || sw_problem_tier_count(run->problem) > 1)) {
            put_coloring(run, by, first, out);
            first = false;
        }
    }
    sw_sink_printf(out, "]");
}

/* Of a moment, what giving each block back would leave free: [[kind and number as of a mark, sentences, stack], ...] */
static void put_moment(struct web_run *run, const struct sw_moment *moment, struct sw_sink *out) {
    struct sw_moment_sums sums;
    sw_moment_sum(moment, &sums);
    sw_sink_printf(out, ",\"told\":[");
    for (size_t i = 0, told = 0; i < moment->blocks.count && !run->failed; i++) {
        const struct sw_moment_block *block = &moment->blocks.items[i];
        bool buffer = block->buffer != SW_NONE;
        if (!buffer && block->segment == SW_NONE) {
            continue;
        }
        sw_moment_put_piece(moment, &sums, i, &run->text);
        sw_sink_printf(out, "%s[\"%s%zu\",", told++ ? ",\n" : "\n", buffer ? "b" : "q", buffer ? block->buffer : i);
        sw_sink_json(out, keep_scratch(run));
        sw_sink_printf(out, ",%d]", stack_number(run, block->origin));
    }
    sw_sink_printf(out, "]");
}

/* [step, buffer, sentence, chosen, [refused], rest, peak, changes] */
static void put_decisions(const struct web_run *run, uint32_t refused, bool words, struct sw_sink *out) {
    sw_sink_printf(out, ",\"d\":[");
    for (size_t i = 0; i < run->decisions.count; i++) {
        const struct web_decision *kept = &run->decisions.items[i];
        uint32_t told = SW_MIN(refused, kept->refused_count);
        sw_sink_printf(out, "%s[%llu,%d,%s,%s,[", i ? ",\n" : "\n", (unsigned long long)kept->step,
                       kept->buffer == SW_NONE ? -1 : (int)kept->buffer, words ? kept->sentence : "0",
                       words && kept->chosen ? kept->chosen : "0");
        for (uint32_t r = 0; r < told; r++) {
            sw_sink_printf(out, "%s%s", r ? "," : "", kept->refused[r]);
        }
        sw_sink_printf(out, "],%llu,%llu,%s]", (unsigned long long)(kept->rest + kept->refused_count - told),
                       (unsigned long long)kept->peak, kept->changes);
    }
    sw_sink_printf(out, "]");
}

/* `thrift`: how much is left out. */
static void put_web_run(struct web_run *run, unsigned thrift, struct sw_sink *out) {
    char label[SW_PLANNER_LABEL];
    sw_sink_printf(out, "{\"label\":");
    sw_sink_json(out, sw_search_label(run->search, label));
    sw_sink_printf(out, ",\"at\":%llu,\"known\":%llu,\"all\":%u", (unsigned long long)sw_search_at(run->search),
                   (unsigned long long)sw_search_known(run->search), sw_problem_planned_count(run->problem));
    bool whole = thrift <= WEB_REFUSED + 2;
    run->failed |= !choose_buffers(run, whole ? SIZE_MAX : (size_t)WEB_BUFFERS >> (thrift - WEB_REFUSED - 3));
    put_names(run, out);
    sw_sink_printf(out, ",\"ids\":[");
    for (size_t i = 0; i < run->order.count; i++) {
        sw_sink_printf(out, "%s%u", i ? "," : "", run->order.items[i]);
    }
    sw_sink_printf(out, "],\"b\":[");
    for (size_t i = 0; i < run->order.count && !run->failed; i++) {
        sw_sink_printf(out, i ? ",\n" : "\n");
        put_web_buffer(run, run->order.items[i], out);
    }
    sw_sink_printf(out, "]");
    put_colorings(run, out);
    if (sw_problem_moment(run->problem) && whole) {
        put_moment(run, sw_problem_moment(run->problem), out);
    }
    sw_sink_printf(out, ",\"stacks\":[");
    for (size_t i = 0; i < run->stacks.count; i++) {
        sw_sink_printf(out, i ? ",\n" : "\n");
        sw_sink_json(out, run->stacks.items[i]);
    }
    sw_sink_printf(out, "]");
    if (thrift < WEB_REFUSED + 2 && run->decisions.count) {
        put_decisions(run, thrift > WEB_REFUSED ? 0 : WEB_REFUSED - thrift, thrift <= WEB_REFUSED, out);
    }
    sw_sink_printf(out, "}");
    out->failed |= run->failed;
}

static bool put_web_all(struct web_run *runs, size_t count, size_t most, struct sw_sink *sink) {
    size_t before = sink->text.count;
    bool decided = false;
    for (size_t i = 0; i < count; i++) {
        decided |= runs[i].decisions.count > 0;
    }
    for (unsigned thrift = decided ? 0 : WEB_REFUSED + 2;; thrift++) {
        sink->text.count = before;
        sw_sink_printf(sink, "[");
        for (size_t i = 0; i < count && !sink->failed; i++) {
            sw_sink_printf(sink, i ? ",\n" : "");
            put_web_run(&runs[i], thrift, sink);
        }
        sw_sink_printf(sink, "]");
        if (sink->failed || sink->text.count - before <= most || thrift >= WEB_REFUSED + 3 + WEB_THRIFTS) {
            return !sink->failed;
        }
    }
}

bool sw_web_is_moment(const struct sw_web_runs *runs) {
    return runs->items.count > 0 && sw_problem_moment(sw_search_problem(runs->items.items[0]));
}

static void put_web_row(const struct web_run *run, uint32_t b, struct sw_sink *out) {
    const struct sw_buffer *buffer = sw_problem_buffer(run->problem, b);
    struct sw_placement place;
    sw_sink_printf(out, "<tr><td>");
    sw_sink_xml(out, buffer->name, strlen(buffer->name));
    sw_sink_printf(out, "<td class=\"n\">%s<td class=\"n\">%lld<td class=\"n\">%lld<td class=\"n\">",
                   SW_COUNT(buffer->size), (long long)sw_problem_time(run->problem, buffer->first),
                   (long long)sw_problem_time(run->problem, buffer->last + 1) - 1);
    if (sw_layout_placement(run->layout, b, 0, &place)) {
        sw_sink_printf(out, "%s", SW_COUNT(place.offset + run->base));
    }
    sw_sink_printf(out, "<td>%s\n", sw_buffer_kind(buffer));
}

void sw_web_put_table(const struct sw_web_runs *all, uint64_t base, size_t rows, struct sw_sink *out) {
    if (!all->items.count || sw_problem_moment(sw_search_problem(all->items.items[0]))) {
        return;
    }
    const struct sw_search *search = all->items.items[0];
    struct web_run run = {
        .search = search, .problem = sw_search_problem(search), .layout = sw_search_layout(search), .base = base};
    size_t planned = sw_problem_planned_count(run.problem);
    out->failed |= !choose_buffers(&run, rows);
    const char *when = sw_problem_time_is_step(run.problem) ? "step" : "time";
    sw_sink_printf(out,
                   "<section>\n<h2>Buffers</h2>\n<table>\n<thead><tr><th>name<th class=\"n\">size, bytes"
                   "<th class=\"n\">first %s<th class=\"n\">last %s<th class=\"n\">offset, bytes<th>kind</thead>\n"
                   "<tbody>\n",
                   when, when);
    for (size_t i = 0; i < run.order.count; i++) {
        put_web_row(&run, run.order.items[i], out);
    }
    sw_sink_printf(out, "</tbody>\n</table>\n");
    if (planned > run.order.count) {
        sw_sink_printf(out, "<p id=\"left\">The %s largest of %s.</p>\n", SW_COUNT(run.order.count), SW_COUNT(planned));
    }
    sw_sink_printf(out, "</section>\n");
    SW_ARRAY_DONE(&run.order);
}

bool sw_web_put_runs(const struct sw_web_runs *all, uint64_t base, enum sw_units units, size_t most,
                     struct sw_sink *sink, struct sw_error *error) {
    size_t count = all->items.count;
    struct web_run *runs = SW_NEW_ZERO(struct web_run, SW_MAX(count, 1));
    bool good = runs != NULL;
    size_t changed = 0; /* once that is more than the page holds, it has no decisions at all */
    for (size_t i = 0; good && i < count; i++) {
        const struct sw_search *search = all->items.items[i];
        runs[i] = (struct web_run){.search = search,
                                   .problem = sw_search_problem(search),
                                   .layout = sw_search_layout(search),
                                   .base = base,
                                   .units = units,
                                   .most = most,
                                   .changed = changed};
        for (size_t k = 0; k < count && !runs[i].other; k++) {
            const struct sw_problem *other = sw_search_given(all->items.items[k]);
            runs[i].other = other != sw_search_given(search) ? other : NULL;
        }
        good = walk_run(&runs[i], error);
        changed = runs[i].changed;
    }
    for (size_t i = 0; runs && i < count && changed > most; i++) {
        runs[i].decisions.count = 0;
    }
    good = good && put_web_all(runs, count, most, sink);
    for (size_t i = 0; runs && i < count; i++) {
        SW_ARRAY_DONE(&runs[i].decisions, &runs[i].stacks, &runs[i].order);
        sw_arena_done(&runs[i].arena);
        sw_sink_done(&runs[i].text);
    }
    SW_FREE(runs, SW_MAX(count, 1));
    return good || (error->code == SW_OK ? sw_fail_memory(error) : false);
}
