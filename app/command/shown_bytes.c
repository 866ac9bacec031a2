/* What a number of bytes means that is typed as it is shown. A frame rounds: 6,427,648 bytes are 6.13M there. Such a
 * text stands for the figure of the run that it was rounded from, the first one in the order in which they are looked
 * at here; where no figure is shown so, for the nearest byte. Which of the two is said, once the command is done. Whole
 * numbers are never rounded: 63K is 64,512 bytes, whatever else is shown as 63K. */
#include "base/base.h"
#include "command/command_line.h"
#include "command/state.h"
#include "formats/text/size.h"

struct shown_figure {
    uint64_t least, most; /* is looked for */
    bool found;
    uint64_t bytes;
    char what[80];
};

/* Is it this one? The first one is kept. */
static void try_figure(struct shown_figure *shown, uint64_t bytes, const char *what, const char *name) {
    if (!shown->found && bytes >= shown->least && bytes <= shown->most) {
        shown->found = true;
        shown->bytes = bytes;
        bool fits = strlen(what) + strlen(name) < sizeof shown->what;
        snprintf(shown->what, sizeof shown->what, "%s%s", what, fits ? name : "a buffer");
    }
}

/* What the header tells, and what lies between its figures. */
static void try_header(struct shown_figure *shown, const struct sw_search *search) {
    const struct sw_problem *problem = sw_search_problem(search);
    struct sw_metrics metrics;
    sw_metrics_of(sw_search_layout(search), &metrics);
    if (metrics.single_tier) {
        try_figure(shown, metrics.peak, "the peak", "");
        try_figure(shown, metrics.lower_bound, "the lower bound", "");
        try_figure(shown, metrics.peak > metrics.lower_bound ? metrics.peak - metrics.lower_bound : 0,
                   "the peak less the lower bound", "");
    }
    for (uint32_t t = 0; t < sw_problem_tier_count(problem); t++) {
        try_figure(shown, metrics.tier_peak[t], "the peak of ", sw_problem_tier(problem, t)->name);
        try_figure(shown, sw_problem_tier(problem, t)->capacity, "the capacity of ", sw_problem_tier(problem, t)->name);
    }
}

/* The places that the present decision looked at. False: no memory. */
static bool try_candidates(struct shown_figure *shown, const struct sw_search *search, uint64_t base,
                           struct sw_error *error) {
    struct sw_explanation explanation = {0};
    struct sw_error own = {0};
    if (!shown->found && sw_search_at(search) > 0 &&
        sw_search_explain(search, sw_search_at(search), &explanation, &own)) {
        for (size_t i = 0; i < explanation.candidates.count; i++) {
            const struct sw_candidate *candidate = &explanation.candidates.items[i];
            if (!candidate->runs && !candidate->changes) {
                try_figure(shown, candidate->offset + base, "where a place begins that this decision looked at", "");
                try_figure(shown, candidate->size, "the size of a place that this decision looked at", "");
            }
        }
    }
    sw_explanation_done(&explanation);
    return own.code != SW_ERROR_MEMORY || sw_fail_memory(error);
}

static void try_buffer(struct shown_figure *shown, const struct sw_search *search, uint64_t base, uint32_t buffer) {
    const struct sw_buffer *about = sw_problem_buffer(sw_search_problem(search), buffer);
    struct sw_placement place;
    try_figure(shown, about->size, "the size of ", about->name);
    for (uint32_t k = 0; sw_layout_placement(sw_search_layout(search), buffer, k, &place); k++) {
        try_figure(shown, place.offset + base, "the offset of ", about->name);
        try_figure(shown, place.offset + about->size + base, "the end of ", about->name);
    }
}

/* The first figure of the run from `least` to `most`. False: no memory. */
static bool find_figure(struct shown_figure *shown, const struct sw_session *session, uint64_t base, uint64_t least,
                        uint64_t most, struct sw_error *error) {
    const struct sw_search *search = sw_state_search(session);
    shown->least = least;
    shown->most = most;
    try_header(shown, search);
    if (session->sight.selected != SW_NONE) {
        try_buffer(shown, search, base, session->sight.selected);
    }
    bool good = try_candidates(shown, search, base, error);
    for (uint32_t b = 0; good && b < sw_problem_buffer_count(session->problem) && !shown->found; b++) {
        try_buffer(shown, search, base, b);
    }
    return good;
}

/* "1.17KB is 1,198 bytes, rounded: KB is read as KiB" */
static void tell_reading(struct sw_given_value *value, const struct sw_size_read *read, const char *how,
                         const char *unit) {
    char letter = *unit >= 'a' ? (char)(*unit - 'a' + 'A') : *unit;
    int used = snprintf(value->read, sizeof value->read, "%s is %s bytes%s%s", value->word, SW_COUNT(value->number),
                        *how ? ", " : "", how);
    if (read->decimal && used > 0 && (size_t)used < sizeof value->read) {
        snprintf(value->read + used, sizeof value->read - (size_t)used, ": %cB is read as %ciB", letter, letter);
    }
    snprintf(value->digits, sizeof value->digits, "%" PRIu64, value->number);
}

bool sw_shown_bytes(const struct sw_session *session, uint64_t base, uint64_t most, struct sw_given_value *value,
                    struct sw_error *error) {
    const char *word = value->word + (*value->word == '+'), *unit = word + sw_size_figure(word);
    struct sw_size_read read;
    if (!sw_parse_size_read(word, most, &read) || !(read.decimal || memchr(word, '.', (size_t)(unit - word)))) {
        return sw_parse_size(word, most, &value->number, error);
    }
    struct shown_figure shown = {.found = false};
    if ((!read.rounded && !find_figure(&shown, session, base, read.nearest, read.nearest, error)) ||
        !find_figure(&shown, session, base, read.least, read.most, error)) {
        return false;
    }
    value->number = shown.found ? shown.bytes : read.nearest;
    if (read.rounded || read.decimal || value->number != read.nearest) {
        bool copied = shown.found && (read.rounded || value->number != read.nearest);
        tell_reading(value, &read, copied ? shown.what : read.rounded ? "rounded" : "", unit + strspn(unit, " "));
    }
    return true;
}
