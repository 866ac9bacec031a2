/* The decision pane: what the last decision did, about which block, what else was looked at, and
 * why it matters. Sentences are made from figures; nothing here knows a planner by name. */
#include "view/view_internal.h"
#include "base/base.h"
#include "planners/online/online_look.h"
#include "planners/planner.h"
#include "view/scene/short_names.h"

/* ---- paragraphs ---- */

enum { MOST_SECTION_LINES = 24 };
struct section_line {
    const char *text;
    enum sw_style style;
    bool more; /* its paragraph goes on in the next line */
};
struct section {
    struct section_line lines[MOST_SECTION_LINES];
    uint32_t count;
};

static void add_section_line(struct section *section, enum sw_style style, const char *text) {
    if (section->count < MOST_SECTION_LINES) {
        section->lines[section->count++] = (struct section_line){.text = text, .style = style};
    }
}

static void add_paragraph(struct sw_scene *scene, struct section *section, enum sw_style style, unsigned room,
                          const char *text) {
    while (*text && section->count < MOST_SECTION_LINES && !scene->failed) {
        add_section_line(section, style, sw_view_line(scene, &text, room));
        section->lines[section->count - 1].more = *text != '\0';
    }
}

/* ---- names in texts ---- */

/* So many bytes at the start of both are the same. */
static size_t common(const char *a, const char *b) {
    size_t length = 0;
    while (a[length] && a[length] == b[length]) {
        length++;
    }
    return length;
}

/* Of a long name reasons hold both ends: so many bytes are enough to know it. */
enum { TOLD_BYTES = 16 };

/* How many bytes at the start of the text tell the name: all of it, or its ends with "..." between them. 0: they do
 * not. */
static size_t told_name(const char *text, const char *name) {
    size_t head = common(text, name), length = strlen(name);
    if (head == length || head < TOLD_BYTES || strncmp(text + head, "...", 3) != 0) {
        return head == length ? head : 0;
    }
    const char *tail = text + head + 3;
    size_t rest = length - head;
    while (rest > 0 && strncmp(tail, name + length - rest, rest) != 0) {
        rest--;
    }
    return rest ? head + 3 + rest : 0;
}

/* Where a buffer's name stands in the text: how many bytes of it are told; 0: it does not stand there. */
static size_t find_told_name(const char *text, const char *name, size_t *at) {
    const char *place = *name ? strstr(text, name) : NULL;
    if (!place && strlen(name) > TOLD_BYTES) {
        char start[TOLD_BYTES + 1];
        snprintf(start, sizeof start, "%.*s", TOLD_BYTES, name);
        place = strstr(text, start);
    }
    *at = place ? (size_t)(place - text) : 0;
    return place ? told_name(place, name) : 0;
}

const char *sw_view_shorter(const struct sw_view_input *in, struct sw_scene *scene, const char *text, uint32_t b,
                            unsigned room) {
    size_t at, told = 0;
    const char *name = "";
    if (b != SW_NONE && !sw_medium(in)->still) {
        name = sw_scene_clean(scene, sw_problem_buffer(sw_search_problem(in->run.search), b)->name);
        told = find_told_name(text, name, &at);
    }
    return told == 0 ? text
                     : sw_scene_printf(scene, "%.*s%s%s", (int)at, text,
                                       sw_view_buffer_name(in, scene, b, sw_view_name_room(room)), text + at + told);
}

/* ---- what happened, and to which block ---- */

/* "places b5 ..." as "Places b5 ...". */
static const char *sentence_of(struct sw_scene *scene, const char *text) {
    char first = text[0] >= 'a' && text[0] <= 'z' ? (char)(text[0] - 'a' + 'A') : text[0];
    return *text ? sw_scene_printf(scene, "%c%s.", first, text + 1) : "";
}

/* What another planner wrote down beside its decision: the pass, figures, the place in its source. */
static void add_recorded(const struct sw_view_input *in, struct sw_scene *scene, struct section *section,
                         unsigned room) {
    const struct sw_recording *recording = sw_problem_recording(sw_search_problem(in->run.search));
    const struct sw_explanation *why = in->run.explanation;
    const struct sw_decision *decision = sw_search_decision(in->run.search);
    bool plays = sw_search_planner(in->run.search)->needs & SW_NEEDS_RECORDING;
    const char *group = plays && recording ? sw_recording_group(recording, decision->group) : NULL, *figures = "";
    for (size_t i = 0; why && i < why->figures.count; i++) {
        figures = sw_scene_printf(scene, "%s%s%s %.6g", figures, *figures ? ", " : "", why->figures.items[i].name,
                                  why->figures.items[i].value);
    }
    if (group || *figures || (why && *why->source)) {
        add_paragraph(scene, section, SW_STYLE_DIM, room,
                      sw_scene_printf(scene, "%s%s%s%s%s", group ? sw_scene_clean(scene, group) : "",
                                      group && *figures ? ": " : "", figures,
                                      why && *why->source ? (group || *figures ? ", at " : "at ") : "",
                                      why ? why->source : ""));
    }
}

static void add_sentence(const struct sw_view_input *in, struct sw_scene *scene, struct section *section,
                         unsigned room) {
    const struct sw_problem *problem = sw_search_problem(in->run.search);
    const struct sw_decision *decision = sw_search_decision(in->run.search);
    struct sw_error error;
    char text[SW_MESSAGE], label[SW_PLANNER_LABEL];
    if (decision) {
        struct sw_decision addressed = *decision; /* --base makes every output speak in addresses */
        addressed.offset += sw_problem_goes_on(problem) ? 0 : in->run.base;
        sw_decision_describe(problem, &addressed, text, sizeof text);
        add_paragraph(scene, section, SW_STYLE_STRONG, room,
                      sentence_of(scene, sw_view_shorter(in, scene, text, decision->buffer, room)));
        add_recorded(in, scene, section, room);
    } else {
        uint32_t planned = sw_problem_planned_count(problem);
        add_paragraph(scene, section, SW_STYLE_STRONG, room,
                      planned ? sw_scene_printf(scene, "Nothing is decided yet: %s block%s.", SW_COUNT(planned),
                                                planned == 1 ? " waits" : "s wait")
                              : "There is nothing to place.");
        add_paragraph(scene, section, SW_STYLE_TEXT, room,
                      sw_scene_printf(scene, "%s: %s", sw_search_label(in->run.search, label),
                                      sw_search_planner(in->run.search)->summary));
    }
    if (sw_search_failed(in->run.search, &error) && sw_search_at(in->run.search) == sw_search_known(in->run.search)) {
        add_paragraph(scene, section, SW_STYLE_ERROR, room,
                      sw_scene_printf(scene, "The run ends here without a layout: %s.", error.message));
    }
}

/* "bn_24, concat_25 and 3 more": operators that read the buffer. */
static const char *readers(const struct sw_view_input *in, struct sw_scene *scene, uint32_t b, unsigned width) {
    const struct sw_problem *problem = sw_search_problem(in->run.search);
    const struct sw_buffer *buffer = sw_problem_buffer(problem, b);
    const char *text = "";
    uint32_t named = 0, more = 0, last = SW_NONE;
    for (uint32_t i = 0; i < buffer->access_count; i++) {
        uint32_t step = buffer->accesses[i];
        if (step == last || step >= sw_problem_operator_count(problem) || !sw_problem_reads(problem, step, b)) {
            continue;
        }
        last = step;
        if (named == 3) {
            more++;
            continue;
        }
        text = sw_scene_printf(scene, "%s%s%s", text, named ? ", " : "", sw_view_operator_name(in, scene, step, width));
        named++;
    }
    return more ? sw_scene_printf(scene, "%s and %u more", text, more) : text;
}

static void add_users(const struct sw_view_input *in, struct sw_scene *scene, struct section *section, uint32_t b,
                      unsigned room) {
    const struct sw_problem *problem = sw_search_problem(in->run.search);
    if (sw_problem_operator_count(problem) == 0) {
        return;
    }
    const struct sw_buffer *buffer = sw_problem_buffer(problem, b);
    uint32_t producer = sw_problem_producer(problem, b);
    const char *read = readers(in, scene, b, sw_view_name_room(room));
    const char *written = producer != SW_NONE
                              ? sw_scene_printf(scene, "written by %s",
                                                sw_view_operator_name(in, scene, producer, sw_view_name_room(room)))
                          : buffer->kind == SW_KIND_INPUT ? "written by the host"
                                                          : "";
    const char *text = *written && *read ? sw_scene_printf(scene, "%s, read by %s", written, read)
                       : *read           ? sw_scene_printf(scene, "read by %s", read)
                       : *written        ? sw_scene_printf(scene, "%s, never read", written)
                                         : "";
    if (buffer->output && *text) {
        text = sw_scene_printf(scene, "%s, a result for the host", text);
    }
    add_paragraph(scene, section, SW_STYLE_TEXT, room, text);
}

/* Where the buffer was asked for: a line a frame, those that say most. What is too long for the
 * pane is cut where it is drawn. */
static void add_origin_lines(struct sw_scene *scene, struct section *section, const char *origin) {
    enum { MOST_ORIGIN_FRAMES = 4 };
    for (unsigned frame = 0; origin && *origin && frame < MOST_ORIGIN_FRAMES; frame++) {
        size_t length = strcspn(origin, "\n");
        add_section_line(section, SW_STYLE_DIM,
                         sw_scene_printf(scene, "%s%.*s", frame ? "   " : "at ", (int)length, origin));
        origin += length + (origin[length] == '\n');
    }
}

/* The card of one buffer. */
static void add_card(const struct sw_view_input *in, struct sw_scene *scene, struct section *section, uint32_t b,
                     unsigned room) {
    const struct sw_problem *problem = sw_search_problem(in->run.search);
    const struct sw_buffer *buffer = sw_problem_buffer(problem, b);
    bool raw = sw_view_tells_time(in);
    long long from = sw_view_moment(in, buffer->first);
    long long to = raw ? sw_view_moment(in, buffer->last + 1) : buffer->last;
    const char *line =
        sw_scene_printf(scene, "%s  %s  %s %lld..%lld", sw_view_buffer_name(in, scene, b, sw_view_name_room(room)),
                        sw_view_said_bytes(in, scene, buffer->size), "alive", from, raw ? to - 1 : to);
    add_paragraph(scene, section, SW_STYLE_CURRENT, room, line);
    const char *facts =
        sw_scene_printf(scene, "%s, %s", sw_buffer_kind(buffer), sw_scene_counted(scene, buffer->size, "byte"));
    if (buffer->asked < buffer->size) {
        facts = sw_scene_printf(scene, "%s, %s asked for", facts, SW_COUNT(buffer->asked));
    }
    if (buffer->alignment > 1) {
        facts = sw_scene_printf(scene, "%s, aligned to %llu", facts, (unsigned long long)buffer->alignment);
    }
    if (buffer->piece_count > 1) {
        facts = sw_scene_printf(scene, "%s, %u pieces", facts, buffer->piece_count);
    }
    if (buffer->pinned) {
        facts =
            sw_scene_printf(scene, "%s, pinned to %llu", facts, (unsigned long long)(buffer->offset + in->run.base));
    }
    add_paragraph(scene, section, SW_STYLE_DIM, room, facts);
    add_users(in, scene, section, b, room);
    add_origin_lines(scene, section, buffer->origin);
}

/* ---- why it matters ---- */

/* Of a decision about no tier: the first in use, which its peak is of. */
static const char *tier_of_peak(const struct sw_view_input *in, const struct sw_decision *decision) {
    const struct sw_problem *problem = sw_search_problem(in->run.search);
    uint32_t tier = decision->tier != SW_NONE ? decision->tier : 0, count = sw_problem_tier_count(problem);
    while (decision->tier == SW_NONE && tier < count &&
           sw_layout_tier_peak(sw_search_layout(in->run.search), tier) != decision->peak) {
        tier++;
    }
    return count > 1 && tier < count && decision->peak ? sw_problem_tier(problem, tier)->name : NULL;
}

static void add_peak_words(const struct sw_view_input *in, struct sw_scene *scene, struct section *section,
                           const struct sw_decision *decision, unsigned room) {
    const struct sw_problem *problem = sw_search_problem(in->run.search);
    uint64_t old = decision->peak_before, bound = sw_problem_lower_bound(problem);
    const char *tier = tier_of_peak(in, decision), *of = tier ? sw_scene_printf(scene, " of %s", tier) : "";
    of = *sw_view_trial(in, scene, NULL) ? sw_scene_printf(scene, "%s of this trial", of) : of;
    struct sw_claims claims;
    sw_search_claims(in->run.search, &claims);
    if (claims.ordering) {
        const char *file = sw_view_said_bytes(in, scene, claims.order_before),
                   *least = sw_view_said_bytes(in, scene, claims.order_bound),
                   *asked = claims.order_asked ? " with what was asked for" : "";
        add_paragraph(scene, section, SW_STYLE_TEXT, room,
                      claims.order_peak
                          ? sw_scene_printf(scene,
                                            "Best order so far: %s alive at most; the file's: %s. "
                                            "Every order%s needs %s.",
                                            sw_view_said_bytes(in, scene, claims.order_peak), file, asked, least)
                          : sw_scene_printf(scene,
                                            "The order of the file has %s alive at most. Every order%s "
                                            "needs %s.",
                                            file, asked, least));
        return;
    }
    bool another = decision->another || sw_curve_whole(decision);
    if (decision->kind == SW_DECISION_FAIL && sw_problem_goes_on(problem)) {
        const char *failed = sw_view_said_bytes(in, scene, sw_problem_buffer(problem, decision->buffer)->size);
        add_paragraph(scene, section, SW_STYLE_PEAK, room, sw_scene_printf(scene, "Failed: %s.", failed));
    } else if (decision->peak > old || (decision->peak < old && another)) {
        const char *text =
            another ? sw_scene_printf(scene, "The peak%s is %s", of, sw_view_said_bytes(in, scene, decision->peak))
            : old   ? sw_scene_printf(scene, "It raises the peak%s by %s to %s", of,
                                      sw_view_said_bytes(in, scene, decision->peak - old),
                                      sw_view_said_bytes(in, scene, decision->peak))
                    : sw_scene_printf(scene, "It sets the first peak%s, %s", of,
                                      sw_view_said_bytes(in, scene, decision->peak));
        if (!sw_view_single(in)) {
            text = sw_scene_printf(scene, "%s.", text);
        } else if (decision->peak > bound) {
            text = sw_scene_printf(scene, "%s, %s over the lower bound.", text,
                                   sw_view_said_bytes(in, scene, decision->peak - bound));
        } else if (decision->peak == bound) {
            text = sw_scene_printf(scene, "%s, which is the lower bound.", text);
        } else {
            text = sw_scene_printf(scene, "%s; the lower bound is %s.", text, sw_view_said_bytes(in, scene, bound));
        }
        add_paragraph(scene, section, SW_STYLE_PEAK, room, text);
    } else if (decision->peak < old) {
        add_paragraph(scene, section, SW_STYLE_TEXT, room,
                      sw_scene_printf(scene, "It lowers the peak%s by %s to %s.", of,
                                      sw_view_said_bytes(in, scene, old - decision->peak),
                                      sw_view_said_bytes(in, scene, decision->peak)));
    } else {
        uint64_t end = decision->offset + decision->size;
        struct sw_placement at; /* a decision that takes a block away ends nowhere */
        bool placed = decision->buffer != SW_NONE &&
                      sw_layout_placement(sw_search_layout(in->run.search), decision->buffer, 0, &at);
        const struct sw_planner *planner = sw_search_planner(in->run.search);
        bool plays = planner->needs & SW_NEEDS_RECORDING, reserves = planner->reserves;
        /* The peak of a tier that is filled from its far end is no address. */
        bool reaches = decision->tier == SW_NONE ||
                       sw_layout_arena(sw_search_layout(in->run.search), decision->tier) == decision->peak;
        bool leaves = sw_decision_family(decision->kind) == SW_DECISION_EVICT;
        bool below = !reserves && !leaves && decision->buffer != SW_NONE && decision->size && end < decision->peak &&
                     reaches && (placed || (!plays && decision->tier != SW_NONE));
        add_paragraph(scene, section, SW_STYLE_TEXT, room,
                      below ? sw_scene_printf(scene, "It ends %s below the peak%s, which stays at %s.",
                                              sw_view_said_bytes(in, scene, decision->peak - end), of,
                                              sw_view_said_bytes(in, scene, decision->peak))
                            : sw_scene_printf(scene, "The peak%s stays at %s.", of,
                                              sw_view_said_bytes(in, scene, decision->peak)));
    }
}

/* What becomes of the rest of the space that was taken. An allocator takes all of a free block; what it does not split
 * off at once lies idle in it. */
static const char *rest_words(const struct sw_view_input *in, struct sw_scene *scene,
                              const struct sw_decision *decision, uint64_t space) {
    const struct sw_search *search = in->run.search;
    struct sw_online_look look;
    bool allocates = decision->kind == SW_DECISION_FIND && decision->buffer != SW_NONE && decision->size == space &&
                     sw_online_look(sw_search_planner(search), sw_search_planner_state(search), &look);
    uint64_t taken = allocates ? sw_problem_buffer(sw_search_problem(search), decision->buffer)->asked : decision->size;
    if (taken >= space) {
        return "It fills that space exactly.";
    }
    const char *rest = sw_view_said_bytes(in, scene, space - taken);
    return !allocates     ? sw_scene_printf(scene, "It leaves %s of that space free.", rest)
           : look.between ? sw_scene_printf(scene, "The block is not split: %s of it stay unused.", rest)
                          : sw_scene_printf(scene, "The block is %s larger than what was asked for.", rest);
}

static void add_choice_words(const struct sw_view_input *in, struct sw_scene *scene, struct section *section,
                             const struct sw_decision *decision, unsigned room) {
    if (!in->run.explanation) {
        return;
    }
    uint32_t fits = 0;
    const struct sw_candidate *chosen = NULL;
    for (size_t i = 0; i < in->run.explanation->candidates.count; i++) {
        const struct sw_candidate *candidate = &in->run.explanation->candidates.items[i];
        fits += candidate->verdict == SW_VERDICT_FITS;
        chosen = candidate->verdict == SW_VERDICT_CHOSEN ? candidate : chosen;
    }
    enum sw_decision_kind family = sw_decision_family(decision->kind);
    /* A node of a search has blocks to choose from, each with its place, and not places for one; so has a move out. */
    bool node = family == SW_DECISION_BRANCH,
         placed = sw_curve_addressed(decision) && !node && family != SW_DECISION_EVICT;
    bool enlarges = family == SW_DECISION_GROW || family == SW_DECISION_ENLARGE;
    const char *done = node                        ? "could have gone first"
                       : family == SW_DECISION_TRY ? "could have been tried"
                       : placed && !enlarges       ? "would have fitted"
                       : fits == 1                 ? "was possible"
                                                   : "were possible";
    if (chosen && placed && chosen->size != SW_UNBOUNDED && decision->size && chosen->size >= decision->size) {
        add_paragraph(scene, section, SW_STYLE_TEXT, room, rest_words(in, scene, decision, chosen->size));
    }
    if (chosen && fits) {
        add_paragraph(scene, section, SW_STYLE_FITS, room,
                      sw_scene_printf(scene, "%s other %s%s %s.", SW_COUNT(fits), placed ? "place" : "candidate",
                                      fits == 1 ? "" : "s", done));
    }
    if (in->run.explanation->moved.count) {
        size_t moved = in->run.explanation->moved.count;
        add_paragraph(scene, section, SW_STYLE_TRANSFER, room,
                      sw_scene_printf(scene, "It moves %zu block%s.", moved, moved == 1 ? "" : "s"));
    }
}

/* ---- the table of candidates ---- */

static enum sw_style verdict_style(enum sw_verdict verdict) {
    return verdict == SW_VERDICT_CHOSEN ? SW_STYLE_CHOSEN
           : verdict == SW_VERDICT_FITS ? SW_STYLE_FITS
                                        : SW_STYLE_REFUSED;
}

/* The subject's name and the offset stand beside it: what follows them is the reason. */
static const char *short_reason(const struct sw_view_input *in, const struct sw_candidate *candidate) {
    uint32_t b = in->run.explanation->decision.buffer;
    const char *reason = candidate->reason;
    if (b == SW_NONE) {
        return reason;
    }
    const char *name = sw_problem_buffer(sw_search_problem(in->run.search), b)->name;
    size_t told = told_name(reason, name);
    bool begins = told > 0 && !strncmp(reason + told, " (", 2);
    const char *colon = begins ? strstr(reason + told, ": ") : NULL;
    return colon ? colon + 2 : reason;
}

static const char *verdict_text(const struct sw_view_input *in, struct sw_scene *scene,
                                const struct sw_candidate *candidate) {
    const char *word = sw_verdict_word(candidate->verdict);
    bool said = !strncmp(candidate->reason, word, strlen(word)), bare = sw_candidate_only_said(candidate);
    said |= candidate->verdict == SW_VERDICT_REFUSED || (bare && candidate->verdict == SW_VERDICT_FITS);
    const char *text = said && *candidate->reason
                           ? short_reason(in, candidate)
                           : sw_scene_printf(scene, "%s%s%s", word, *candidate->reason ? ": " : "", candidate->reason);
    return sw_scene_clean(scene, text);
}

/* The table while it is made. */
struct candidates {
    const struct sw_view_input *in;
    struct sw_scene *scene;
    struct sw_panel *panel;
    struct sw_short names; /* of the buffer and the neighbors of all */
    unsigned room;         /* characters of a verdict */
};

/* "overlaps t4, 3..7": what the numbers are is said by the card above. */
static const char *without_alive(struct sw_scene *scene, const char *text) {
    static const char word[] = ", alive ";
    const char *at = strstr(text, word);
    return at ? sw_scene_printf(scene, "%.*s, %s", (int)(at - text), text, at + strlen(word)) : text;
}

/* The text with a neighbor's whole name in it, or with a name that makes it fit into `room` when it can be that
 * short; else one that leaves a line of several some room. */
static const char *with_name(const struct candidates *table, const char *text, uint32_t b, bool shorten) {
    enum { LEAST_NEIGHBOR_NAME = 12 };
    const struct sw_problem *problem = sw_search_problem(table->in->run.search);
    struct sw_scene *scene = table->scene;
    char brief[1024];
    size_t at;
    if (b >= sw_problem_buffer_count(problem)) {
        return text;
    }
    const char *name = sw_scene_clean(scene, sw_problem_buffer(problem, b)->name);
    size_t told = find_told_name(text, name, &at);
    if (told == 0) {
        return text;
    }
    const char *whole = sw_scene_printf(scene, "%.*s%s%s", (int)at, text, name, text + at + told);
    size_t wide = sw_view_columns(whole), own = sw_view_columns(name);
    if (!shorten || wide <= table->room || own <= LEAST_NEIGHBOR_NAME) {
        return whole;
    }
    size_t over = wide - table->room, line = table->room > 24 ? table->room - 10 : 14;
    size_t width = own >= over + LEAST_NEIGHBOR_NAME ? own - over : line;
    sw_short_name(&table->names, name, (unsigned)width, brief, sizeof brief);
    return sw_scene_printf(scene, "%.*s%s%s", (int)at, text, brief, text + at + told);
}

/* The verdict in its column: put shortly where that is narrow, then with a shorter name. What no line holds then is
 * left to several, in all its words. */
static const char *verdict_of(const struct candidates *table, size_t i) {
    enum { NARROW = 30 };
    const struct sw_candidate *candidate = &table->in->run.explanation->candidates.items[i];
    const char *text = verdict_text(table->in, table->scene, candidate);
    text = with_name(table, text, candidate->below, false);
    text = with_name(table, text, candidate->above, false);
    const char *line = table->room < NARROW ? without_alive(table->scene, text) : text;
    line = with_name(table, line, candidate->below, true);
    line = with_name(table, line, candidate->above, true);
    if (sw_view_columns(line) <= table->room) {
        return line;
    }
    text = with_name(table, text, candidate->below, true);
    return with_name(table, text, candidate->above, true);
}

static uint32_t verdict_lines(const struct candidates *table, size_t i) {
    return sw_view_line_count(verdict_of(table, i), table->room);
}

/* Where the place is; of an operator that may run, what is alive afterwards. */
static const char *first_figure(const struct sw_view_input *in, struct sw_scene *scene,
                                const struct sw_candidate *candidate) {
    bool blank = candidate->changes || sw_candidate_only_said(candidate);
    return blank ? "" : sw_scene_bytes(scene, candidate->offset + (candidate->runs ? 0 : in->run.base));
}

static const char *second_figure(struct sw_scene *scene, const struct sw_candidate *candidate) {
    return sw_candidate_only_said(candidate) ? ""
           : candidate->size == SW_UNBOUNDED ? (candidate->changes ? "" : "open")
                                             : sw_scene_bytes(scene, candidate->size);
}

/* The heads of the two figures. */
static const char *figure_head(const struct sw_view_input *in, bool second) {
    const struct sw_candidate *any = &in->run.explanation->candidates.items[0];
    return sw_candidate_only_said(any) ? ""
           : any->changes              ? (second ? "needs" : "")
           : !any->runs                ? (second ? "size" : "offset")
           : second                    ? "while"
                                       : (any->backward ? "before" : "after");
}

/* Of a candidate's row: what stands before the verdict, or, in the rows after its first, nothing. */
static void candidate_cells(const struct candidates *table, size_t i, bool first) {
    const struct sw_view_input *in = table->in;
    const struct sw_candidate *candidate = &in->run.explanation->candidates.items[i];
    const struct sw_problem *problem = sw_search_problem(in->run.search);
    struct sw_scene *scene = table->scene;
    enum sw_style style = verdict_style(candidate->verdict);
    sw_panel_row(scene, table->panel, (struct sw_item){SW_ITEM_CANDIDATE, i}, in->look.candidate == i);
    const char *sign = candidate->verdict == SW_VERDICT_CHOSEN ? "*" : in->look.candidate == i ? ">" : "";
    sw_panel_cell(scene, table->panel, style, false, first ? sign : "");
    if (!sw_view_single(in)) {
        bool named = first && candidate->tier < sw_problem_tier_count(problem);
        sw_panel_cell(scene, table->panel, style, false, named ? sw_problem_tier(problem, candidate->tier)->name : "");
    }
    sw_panel_cell(scene, table->panel, style, true, first ? first_figure(in, scene, candidate) : "");
    sw_panel_cell(scene, table->panel, style, true, first ? second_figure(scene, candidate) : "");
}

/* As many rows as its verdict needs, and no more than `most`. */
static uint32_t candidate_rows(const struct candidates *table, size_t i, uint32_t most) {
    enum sw_style style = verdict_style(table->in->run.explanation->candidates.items[i].verdict);
    const char *text = verdict_of(table, i);
    uint32_t rows = 0;
    do {
        candidate_cells(table, i, rows == 0);
        sw_panel_cell(table->scene, table->panel, style, false,
                      sw_view_line(table->scene, &text, rows + 1 < most ? table->room : UINT_MAX));
        rows++;
    } while (*text && rows < most && !table->scene->failed);
    return rows;
}

/* The candidate that is in sight in any case: the highlighted one, or else the chosen one. */
static size_t focus_of(const struct sw_view_input *in) {
    size_t count = in->run.explanation->candidates.count, focus = 0;
    for (size_t i = 0; i < count; i++) {
        if (in->run.explanation->candidates.items[i].verdict == SW_VERDICT_CHOSEN) {
            focus = i;
            break;
        }
    }
    return in->look.candidate < count ? in->look.candidate : focus;
}

/* Those of which the rows fit into `room`: the focus, what fits into half of it before, and then what fits after and
 * before. [start, end) */
static size_t window(const struct candidates *table, uint32_t room, size_t *end) {
    size_t count = table->in->run.explanation->candidates.count, start = focus_of(table->in);
    uint32_t used = verdict_lines(table, start), more;
    *end = start + 1;
    while (start > 0 && used <= room / 2 && used + (more = verdict_lines(table, start - 1)) <= room) {
        used += more;
        start--;
    }
    while (*end < count && used < room && used + (more = verdict_lines(table, *end)) <= room) {
        used += more;
        ++*end;
    }
    while (start > 0 && used < room && used + (more = verdict_lines(table, start - 1)) <= room) {
        used += more;
        start--;
    }
    return start;
}

/* What the columns before the verdict leave of `room` characters; and the names that verdicts may tell. Of very many
 * candidates those that may be in sight are looked at. */
static void measure_candidates(struct candidates *table, unsigned room) {
    enum { NEAR_CANDIDATES = 64, LEAST_VERDICT_ROOM = 16 }; /* on either side */
    const struct sw_view_input *in = table->in;
    const struct sw_problem *problem = sw_search_problem(in->run.search);
    size_t count = in->run.explanation->candidates.count;
    size_t widths[3] = {0, strlen("offset"), strlen("size")}; /* tier, offset, size */
    for (int k = 1; k < 3 && count > 0; k++) {
        widths[k] = strlen(figure_head(in, k == 2));
    }
    size_t focus = focus_of(in), first = focus > NEAR_CANDIDATES ? focus - NEAR_CANDIDATES : 0;
    count = count < focus + NEAR_CANDIDATES ? count : focus + NEAR_CANDIDATES;
    uint32_t own = in->run.explanation->decision.buffer;
    const char **names = sw_arena_new(&table->scene->arena, 2 * (count - first) + 1, sizeof *names);
    if (names && own < sw_problem_buffer_count(problem)) {
        names[table->names.count++] = sw_problem_buffer(problem, own)->name;
    }
    for (size_t i = first; names && i < count; i++) {
        const struct sw_candidate *candidate = &in->run.explanation->candidates.items[i];
        size_t wide[3] = {candidate->tier < sw_problem_tier_count(problem)
                              ? sw_view_columns(sw_problem_tier(problem, candidate->tier)->name)
                              : 0,
                          strlen(first_figure(in, table->scene, candidate)),
                          strlen(second_figure(table->scene, candidate))};
        for (int k = 0; k < 3; k++) {
            widths[k] = SW_MAX(wide[k], widths[k]);
        }
        uint32_t near[2] = {candidate->below, candidate->above};
        for (int k = 0; k < 2; k++) {
            if (near[k] < sw_problem_buffer_count(problem) && (k == 0 || near[1] != near[0])) {
                names[table->names.count++] = sw_problem_buffer(problem, near[k])->name;
            }
        }
    }
    table->scene->failed |= !names;
    table->names.items = names;
    sw_short_open(&table->names);
    size_t taken = 2 + widths[1] + 1 + widths[2] + 1;
    taken += sw_view_single(in) ? 0 : (SW_MAX(widths[0], 4)) + 1;
    table->room = room > taken + LEAST_VERDICT_ROOM ? room - (unsigned)taken : LEAST_VERDICT_ROOM;
}

/* Rows that all candidates need; of very many of them that is more than there is. */
static uint32_t candidates_height(const struct candidates *table) {
    enum { MANY_CANDIDATE_ROWS = 64 };
    size_t count = table->in->run.explanation ? table->in->run.explanation->candidates.count : 0;
    uint32_t rows = count > 0; /* the heads */
    for (size_t i = 0; i < count && rows <= MANY_CANDIDATE_ROWS; i++) {
        rows += verdict_lines(table, i);
    }
    return count > 1000 ? 1001 : rows > count + 1 ? rows : (uint32_t)count + (count > 0);
}

/* The heads; of `count` candidates so many are shown. */
static void candidate_heads(const struct candidates *table, size_t shown, size_t count) {
    const struct sw_view_input *in = table->in;
    struct sw_scene *scene = table->scene;
    struct sw_panel *panel = table->panel;
    bool several = !sw_view_single(in);
    sw_panel_row(scene, panel, SW_NO_ITEM, false);
    sw_panel_cell(scene, panel, SW_STYLE_DIM, false, "");
    if (several) {
        sw_panel_cell(scene, panel, SW_STYLE_DIM, false, "tier");
    }
    sw_panel_cell(scene, panel, SW_STYLE_DIM, true, figure_head(in, false));
    sw_panel_cell(scene, panel, SW_STYLE_DIM, true, figure_head(in, true));
    sw_panel_cell(scene, panel, SW_STYLE_DIM, false,
                  shown == count ? "verdict" : sw_scene_printf(scene, "verdict (%s in all)", SW_COUNT(count)));
    panel->columns = several ? 5 : 4;
    panel->stretch = panel->columns - 1;
}

static void draw_candidates(const struct candidates *table, uint32_t room) {
    const struct sw_view_input *in = table->in;
    struct sw_scene *scene = table->scene;
    struct sw_panel *panel = table->panel;
    size_t count = in->run.explanation->candidates.count, end;
    size_t start = window(table, room, &end);
    candidate_heads(table, end - start, count);
    for (size_t i = start; i < end && room > 0 && !scene->failed; i++) {
        uint32_t used = candidate_rows(table, i, room);
        room -= SW_MIN(used, room);
    }
    panel->hidden_above = start;
    panel->hidden_below = count - end;
}

/* ---- putting it together ---- */

static void add_why(const struct candidates *table, struct section *section, unsigned room) {
    const struct sw_view_input *in = table->in;
    struct sw_scene *scene = table->scene;
    const struct sw_decision *decision = sw_search_decision(in->run.search);
    if (!decision) {
        return;
    }
    if (in->run.explanation && in->look.candidate < in->run.explanation->candidates.count) {
        struct candidates whole = *table; /* with the names that the table has no room for */
        whole.room = 2 * room;
        const char *text = verdict_of(&whole, in->look.candidate);
        if (verdict_lines(table, in->look.candidate) > 1 || strcmp(text, verdict_of(table, in->look.candidate)) != 0) {
            add_paragraph(scene, section, SW_STYLE_SELECTED, room, sw_scene_printf(scene, "> %s", text));
        }
    }
    add_peak_words(in, scene, section, decision, room);
    add_choice_words(in, scene, section, decision, room);
    if (decision->forced) {
        add_paragraph(scene, section, SW_STYLE_WARNING, room, "An override made it so.");
    }
}

static void add_section_row(struct sw_scene *scene, struct sw_panel *panel, const struct section_line *line) {
    sw_panel_row(scene, panel, SW_NO_ITEM, false);
    sw_panel_cell(scene, panel, line->style, false, line->text);
}

static void draw_section(struct sw_scene *scene, struct sw_panel *panel, const struct section *section, uint32_t most) {
    for (uint32_t i = 0; i < section->count && i < most; i++) {
        add_section_row(scene, panel, &section->lines[i]);
    }
}

static void draw_blank(struct sw_scene *scene, struct sw_panel *panel, bool wanted) {
    if (wanted) {
        sw_panel_row(scene, panel, SW_NO_ITEM, false);
        sw_panel_cell(scene, panel, SW_STYLE_TEXT, false, "");
    }
}

static uint32_t take_rows(uint32_t *left, uint32_t wanted) {
    uint32_t taken = wanted < *left ? wanted : *left;
    *left -= taken;
    return taken;
}

/* How many rows of each part are shown. */
struct allotment {
    uint32_t sentences, cards, table, reasons;
    bool spaced;
};

/* The first sentences, which are not cut in the middle where a line or two more end them. */
static uint32_t first_sentences(const struct section *sentence) {
    enum { SENTENCE_ROWS = 4, ENDING_ROWS = 2 };
    uint32_t rows = SW_MIN(sentence->count, SENTENCE_ROWS), end = rows;
    while (end > 0 && end < sentence->count && sentence->lines[end - 1].more) {
        end++;
    }
    return end <= rows + ENDING_ROWS ? end : rows;
}

/* What matters most gets its lines first; what is left goes to the rest, then to white space. `wanted`: rows of the
 * table. */
static struct allotment allot(uint32_t left, const struct section *sentence, const struct section *card,
                              const struct section *why, uint32_t wanted) {
    struct allotment rows = {.sentences = take_rows(&left, first_sentences(sentence))};
    rows.reasons = take_rows(&left, SW_MIN(why->count, 2));
    rows.table = take_rows(&left, SW_MIN(wanted, 4));
    rows.cards = take_rows(&left, card->count);
    rows.reasons += take_rows(&left, why->count - rows.reasons);
    rows.spaced = left >= 3;
    left -= rows.spaced ? 3 : 0;
    rows.table += take_rows(&left, wanted - rows.table);
    rows.sentences += take_rows(&left, sentence->count - rows.sentences);
    return rows;
}

static uint32_t shown_rows(const struct allotment *rows) {
    return rows->sentences + rows->cards + (rows->table >= 2 ? rows->table : 0) + rows->reasons;
}

/* Are other rows left out than those of places? A table of which nothing is shown is one. */
static bool loses_more(const struct allotment *rows, uint32_t lines, uint32_t wanted) {
    uint32_t places = rows->table >= 2 ? wanted - rows->table : 0;
    return lines - shown_rows(rows) > places;
}

/* ---- all of it, by pages ---- */

/* What is shown of the rows that there are: those from `skip` on, `left` of them. */
struct paging {
    uint32_t skip, left;
};

/* Is the next row in sight? Else it is counted. */
static bool in_sight(struct sw_panel *panel, struct paging *paging) {
    if (paging->skip > 0) {
        paging->skip--;
        panel->hidden_above++;
        return false;
    }
    panel->hidden_below += paging->left == 0;
    paging->left -= paging->left > 0;
    return panel->hidden_below == 0;
}

static void page_section(struct sw_scene *scene, struct sw_panel *panel, const struct section *section,
                         struct paging *paging, bool spaced) {
    if (spaced && section->count > 0 && in_sight(panel, paging)) {
        draw_blank(scene, panel, true);
    }
    for (uint32_t i = 0; i < section->count; i++) {
        if (in_sight(panel, paging)) {
            add_section_row(scene, panel, &section->lines[i]);
        }
    }
}

/* The rows of a candidate cannot be told apart before they are made: those that are out of sight are taken back. */
static void page_candidate(const struct candidates *table, size_t i, struct paging *paging) {
    struct sw_panel *panel = table->panel;
    const char *text = verdict_of(table, i);
    for (bool first = true; first || *text; first = false) {
        const char *line = sw_view_line(table->scene, &text, table->room);
        if (in_sight(panel, paging)) {
            candidate_cells(table, i, first);
            sw_panel_cell(table->scene, panel, verdict_style(table->in->run.explanation->candidates.items[i].verdict),
                          false, line);
        }
        if (table->scene->failed) {
            return;
        }
    }
}

enum { MOST_PAGED = 2000 }; /* candidates: a frame must not take long */

static void page_candidates(const struct candidates *table, struct paging *paging) {
    size_t count = table->in->run.explanation ? table->in->run.explanation->candidates.count : 0;
    if (count > 0 && in_sight(table->panel, paging)) {
        draw_blank(table->scene, table->panel, true);
    }
    if (count > 0 && in_sight(table->panel, paging)) {
        candidate_heads(table, count, count);
    }
    for (size_t i = 0; i < count && i < MOST_PAGED && !table->scene->failed; i++) {
        page_candidate(table, i, paging);
    }
    for (size_t i = MOST_PAGED; i < count; i++) {
        (void)in_sight(table->panel, paging);
    }
}

/* All rows, from so many on as it is scrolled: the first page is seen once more, as what was shown before left
 * something out. */
static void draw_paged(const struct candidates *table, const struct section *sentence, const struct section *card,
                       const struct section *why, uint32_t all, uint32_t left) {
    struct sw_panel *panel = table->panel;
    uint32_t page = left > 2 ? left - 2 : 1, scroll = (uint32_t)SW_MAX(table->in->look.scroll, 0);
    uint32_t skip = scroll > page ? scroll - page : 0, most = all > left ? all - left : 0;
    struct paging paging = {.skip = SW_MIN(skip, most), .left = left};
    panel->over = (int32_t)(skip - paging.skip);
    page_section(table->scene, panel, sentence, &paging, false);
    page_section(table->scene, panel, card, &paging, true);
    page_candidates(table, &paging);
    page_section(table->scene, panel, why, &paging, true);
}

static const char *decision_title(const struct sw_view_input *in, struct sw_scene *scene) {
    const struct sw_decision *decision = sw_search_decision(in->run.search);
    return decision ? sw_scene_printf(scene, "decision %s: %s", SW_COUNT(decision->step), sw_decision_called(decision))
                    : "before the first decision";
}

/* Where rows are left out their number stands in the title, if there is room, for all others are needed. */
static const char *title_with_more(const struct sw_view_input *in, struct sw_scene *scene, const struct sw_panel *panel,
                                   uint64_t left_out, const char *command) {
    const char *key = sw_view_key(in, scene, command);
    const char *text =
        sw_scene_printf(scene, "%s; %s more%s%s", panel->title, SW_COUNT(left_out), key ? ": " : "", key ? key : "");
    return sw_view_columns(text) + 4 <= sw_view_room(in, panel->width) ? text : panel->title;
}

void sw_view_build_decision(const struct sw_view_input *in, struct sw_scene *scene, struct sw_box box, unsigned edges) {
    struct sw_panel *panel = sw_scene_panel(scene, SW_PANEL_TABLE, "decision");
    const struct sw_decision *decision = sw_search_decision(in->run.search);
    sw_panel_put(panel, box);
    panel->edges = edges;
    panel->title = decision_title(in, scene);
    double unit = sw_medium(in)->row;
    double inner = box.width - (edges & SW_EDGE_LEFT ? 2 : 0);
    /* One row is the title's: in the line at the top, or above the rows. */
    uint32_t left = box.height / unit > 1 ? (uint32_t)(box.height / unit) - 1 : 0;
    unsigned room = sw_view_room(in, inner);
    struct section sentence = {0}, card = {0}, why = {0};
    add_sentence(in, scene, &sentence, room);
    if (decision && decision->buffer != SW_NONE) {
        add_card(in, scene, &card, decision->buffer, room);
    }
    struct candidates looked_at = {.in = in, .scene = scene, .panel = panel};
    if (in->run.explanation) {
        measure_candidates(&looked_at, room);
    }
    add_why(&looked_at, &why, room);
    uint32_t wanted = candidates_height(&looked_at);
    uint32_t lines = sentence.count + card.count + wanted + why.count;
    bool pages = !in->look.side && !sw_medium(in)->still;
    if (pages && in->look.scroll > 0) {
        panel->scrolls = panel->flows = true;
        draw_paged(&looked_at, &sentence, &card, &why, lines + (card.count > 0) + (wanted > 0) + (why.count > 0), left);
        return;
    }
    struct allotment rows = allot(left, &sentence, &card, &why, wanted);
    draw_section(scene, panel, &sentence, rows.sentences);
    draw_blank(scene, panel, rows.spaced && rows.cards);
    draw_section(scene, panel, &card, rows.cards);
    if (rows.table >= 2) {
        draw_blank(scene, panel, rows.spaced);
        draw_candidates(&looked_at, rows.table - 1);
    }
    draw_blank(scene, panel, rows.spaced && rows.reasons);
    draw_section(scene, panel, &why, rows.reasons);
    panel->scrolls = pages && lines > shown_rows(&rows);
    bool cut = rows.table >= 2 && verdict_lines(&looked_at, focus_of(in)) >= rows.table;
    if (pages && (cut || loses_more(&rows, lines, wanted))) { /* not only places, which a key goes through */
        panel->flows = true;
        panel->hidden_above = panel->hidden_below = 0;
        panel->title = title_with_more(in, scene, panel, lines - shown_rows(&rows), "scroll-down");
    } else if (pages && panel->hidden_below > 0 && panel->rows.count >= left) { /* their number would take a row */
        panel->title = title_with_more(in, scene, panel, panel->hidden_below, "next-candidate");
        panel->hidden_below = 0;
    }
}

static void decision_build(const struct sw_view_input *in, struct sw_scene *scene, struct sw_box box) {
    sw_view_build_decision(in, scene, box, 0);
}

const struct sw_view sw_view_decision = {
    .name = "decision",
    .summary = "what was decided, the places looked at, and why it matters",
    .scrolls = SW_SCROLLS_TEXT,
    .build = decision_build,
};
