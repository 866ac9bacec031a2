/* Which decisions the list of decisions keeps. Nothing here changes a run. */
#include "base/base.h"
#include "command/look/look.h"
#include "command/look/regex.h"
#include "command/state.h"
#include "search/result/run_plan.h"

/* The buffers with names that match the pattern. */
struct sw_name_matches {
    const struct sw_problem *problem;
    char pattern[64];
    SW_ARRAY(uint8_t) named; /* per buffer */
    char words[200];
};

SW_SESSION_PART(name_matches, SW_ARRAY_DONE(&name_matches->named));

enum only { ONLY_ALL, ONLY_PEAK, ONLY_SELECTED, ONLY_KIND, ONLY_NAMED };

/* Of each buffer: is it named like the pattern? Kept until the pattern or the problem changes. */
static bool named(struct sw_session *session, uint32_t buffer) {
    struct sw_name_matches *cache = session->name_matches;
    uint32_t count = sw_problem_buffer_count(sw_state_problem(session));
    if (cache->problem != sw_state_problem(session) || strcmp(cache->pattern, session->sight.only) != 0) {
        struct sw_regex regex = {0};
        struct sw_error error = {0};
        bool good = sw_regex_open(&regex, session->sight.only, SW_REGEX_FOLD, &error) &&
                    (SW_RESERVE(&cache->named, count) || sw_fail_memory(&error));
        cache->named.count = 0;
        for (uint32_t i = 0; good && i < count; i++) {
            bool found;
            good = sw_regex_matches(&regex, sw_problem_buffer(sw_state_problem(session), i)->name, &found, &error);
            cache->named.items[cache->named.count++] = found;
        }
        sw_regex_close(&regex);
        session->missed |= error.code == SW_ERROR_MEMORY;
        cache->problem = good ? sw_state_problem(session) : NULL;
        snprintf(cache->pattern, sizeof cache->pattern, "%s", session->sight.only);
    }
    return buffer < cache->named.count && cache->named.items[buffer];
}

static bool keeps(void *context, const struct sw_decision *decision) {
    struct sw_session *session = context;
    const struct sw_sight *sight = &session->sight;
    switch ((enum only)sight->only_which) {
    case ONLY_ALL:
        break;
    case ONLY_PEAK:
        return sw_search_raised(sw_state_search(session), decision->step) > 0;
    case ONLY_SELECTED:
        return decision->buffer == sight->selected || sw_decision_other(decision) == sight->selected;
    case ONLY_KIND:
        return sw_decision_is(decision, (enum sw_decision_kind)sight->only_kind);
    case ONLY_NAMED:
        return decision->buffer != SW_NONE && named(session, decision->buffer);
    }
    return true;
}

void sw_name_matches_view(struct sw_session *session, struct sw_view_input *in) {
    const struct sw_sight *sight = &session->sight;
    if (sight->only_which == ONLY_ALL || (sight->only_which == ONLY_SELECTED && sight->selected == SW_NONE)) {
        return;
    }
    static const char *const words[] = {"", "those that raised the peak", "those about ", "only ",
                                        "about what is named like "};
    const char *more = sight->only_which == ONLY_SELECTED
                           ? sw_problem_buffer(sw_state_problem(session), sight->selected)->name
                       : sight->only_which == ONLY_KIND  ? sw_decision_word((enum sw_decision_kind)sight->only_kind)
                       : sight->only_which == ONLY_NAMED ? sight->only
                                                         : "";
    snprintf(session->name_matches->words, sizeof session->name_matches->words, "%s%.80s", words[sight->only_which],
             more);
    in->look.keeps = keeps;
    in->look.keeps_context = session;
    in->look.keeps_words = session->name_matches->words;
}

void sw_decision_filter_write(const struct sw_sight *sight, struct sw_sink *sink) {
    static const char *const words[] = {"all", "peak", "selected"};
    char pattern[2 * sizeof sight->only + 4];
    sw_session_quote(sight->only, pattern, sizeof pattern);
    sw_sink_printf(sink, "only %s\n",
                   sight->only_which == ONLY_NAMED  ? pattern
                   : sight->only_which == ONLY_KIND ? sw_decision_word((enum sw_decision_kind)sight->only_kind)
                                                    : words[sight->only_which]);
}

bool sw_do_only(struct sw_session *session, const struct sw_given *given, struct sw_error *error) {
    struct sw_sight *sight = &session->sight;
    const struct sw_given_value *value = given->value;
    unsigned which = value->choice             ? value->choice - 1 /* the words stand in the order of their numbers */
                     : !value->word            ? ONLY_ALL
                     : value->index != SW_NONE ? ONLY_KIND
                                               : ONLY_NAMED;
    if (which == ONLY_SELECTED && sight->selected == SW_NONE) {
        return sw_fail(error, SW_ERROR_USAGE, "no block is selected; %s selects one", SW_KEY(session, "select-next"));
    }
    memset(sight->only, 0, sizeof sight->only);
    if (which == ONLY_NAMED) {
        snprintf(sight->only, sizeof sight->only, "%s", value->word);
    }
    sight->only_which = (uint8_t)which;
    sight->only_kind = which == ONLY_KIND ? (uint8_t)value->index : SW_DECISION_PLACE;
    return sw_pane_show(session, sw_view_find("decisions", NULL));
}
