/* Breakpoints: simple conditions on a decision, the same forward and back. Conditions of another
 * sort (an expression, a script) are one more kind here and one more case in sw_break_true. */
#include "command/state.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void sw_breaks_done(struct sw_breaks *breaks) {
    SW_ARRAY_DONE(&breaks->list);
}

bool sw_break_true(const struct sw_session *session, const struct sw_break *point,
                   const struct sw_decision *decision) {
    switch (point->kind) {
    case SW_BREAK_PEAK:
    case SW_BREAK_PEAK_RATIO: {
        double limit = point->kind == SW_BREAK_PEAK
                           ? (double)point->value
                           : point->ratio * (double)sw_problem_lower_bound(session->problem);
        if ((double)decision->peak <= limit) {
            return false;
        }
        /* Where it becomes true, not wherever it still is. */
        const struct sw_decision *before =
            decision->step > 1 ? sw_search_journal(sw_state_search(session), decision->step - 1)
                               : NULL;
        return !before || (double)before->peak <= limit;
    }
    case SW_BREAK_KIND:
        return decision->kind == point->value;
    case SW_BREAK_BUFFER:
        return decision->buffer == point->value;
    case SW_BREAK_STEP:
        return decision->step == point->value;
    }
    return false;
}

static bool parse_kind(const char *word, struct sw_break *point, struct sw_error *error) {
    char all[200] = "";
    for (int i = 0; i < SW_DECISION_KIND_COUNT; i++) {
        const char *name = sw_decision_word((enum sw_decision_kind)i);
        if (strcmp(name, word) == 0) {
            point->kind = SW_BREAK_KIND;
            point->value = (uint64_t)i;
            return true;
        }
        size_t used = strlen(all);
        snprintf(all + used, sizeof all - used, "%s%s", used ? ", " : "", name);
    }
    return sw_fail(error, SW_ERROR_USAGE, "no decision is a '%.40s'; there are %s", word, all);
}

static bool parse_peak(const char *text, struct sw_break *point, struct sw_error *error) {
    while (*text == ' ') {
        text++;
    }
    if (*text++ != '>') {
        return sw_fail(error, SW_ERROR_USAGE, "say peak > BYTES or peak > bound*FACTOR");
    }
    while (*text == ' ') {
        text++;
    }
    if (strncmp(text, "bound", 5) == 0) {
        text += 5;
        point->kind = SW_BREAK_PEAK_RATIO;
        point->ratio = 1;
        while (*text == ' ') {
            text++;
        }
        if (*text == '*') {
            char *end = NULL;
            point->ratio = strtod(text + 1, &end);
            if (end == text + 1 || *end || !isfinite(point->ratio) || point->ratio < 0) {
                return sw_fail(error, SW_ERROR_USAGE, "'%.40s' is not a factor", text + 1);
            }
        } else if (*text) {
            return sw_fail(error, SW_ERROR_USAGE, "'%.40s' after bound makes no sense", text);
        }
        return true;
    }
    point->kind = SW_BREAK_PEAK;
    return sw_state_bytes(text, &point->value, error);
}

static bool parse(const struct sw_session *session, char **words, size_t count,
                  struct sw_break *point, struct sw_error *error) {
    char text[sizeof point->text] = "";
    for (size_t i = 0; i < count; i++) {
        size_t used = strlen(text);
        if (used + strlen(words[i]) + 2 > sizeof text) {
            return sw_fail(error, SW_ERROR_USAGE, "the condition is too long");
        }
        snprintf(text + used, sizeof text - used, "%s%s", i ? " " : "", words[i]);
    }
    snprintf(point->text, sizeof point->text, "%s", text);
    if (strncmp(text, "peak", 4) == 0) {
        return parse_peak(text + 4, point, error);
    }
    if (strcmp(words[0], "kind") == 0 && count == 2) {
        return parse_kind(words[1], point, error);
    }
    if (strcmp(words[0], "step") == 0 && count == 2) {
        point->kind = SW_BREAK_STEP;
        return sw_state_number(words[1], &point->value, error);
    }
    if (strcmp(words[0], "buffer") == 0 && count == 2) {
        uint32_t buffer = SW_NONE;
        point->kind = SW_BREAK_BUFFER;
        bool found = sw_state_buffer(session, words[1], &buffer, error);
        point->value = buffer;
        return found;
    }
    return sw_fail(error, SW_ERROR_USAGE,
                   "a condition is: peak > BYTES, peak > bound*1.1, kind WORD, buffer NAME or "
                   "step N");
}

static bool list(struct sw_session *session) {
    char text[400] = "no breakpoints; try: break peak > bound";
    size_t used = 0;
    for (size_t i = 0; i < session->breaks.list.count && used < sizeof text; i++) {
        int length = snprintf(text + used, sizeof text - used, "%s%zu: %s", i ? "   " : "", i + 1,
                              session->breaks.list.items[i].text);
        used += length > 0 ? (size_t)length : 0;
    }
    sw_session_say(session, false, "%s", text);
    return true;
}

/* Wraps a change of the breakpoints so that it can be undone. */
static bool record(struct sw_session *session, struct sw_moment *before, struct sw_error *error) {
    return sw_change_record(session, before, SW_NONE, error);
}

bool sw_do_break(struct sw_session *session, char **arguments, size_t count,
                 struct sw_error *error) {
    if (count == 0) {
        return list(session);
    }
    if (count == 1 && strcmp(arguments[0], "clear") == 0) {
        return sw_do_unbreak(session, NULL, 0, error);
    }
    struct sw_break point = {0};
    struct sw_moment before = {0};
    if (!parse(session, arguments, count, &point, error)) {
        return false;
    }
    if (!sw_moment_take(session, &before) || !SW_PUSH(&session->breaks.list, point)) {
        sw_moment_done(&before);
        return sw_fail_memory(error);
    }
    sw_session_say(session, false, "breakpoint %zu: %s; c continues to it",
                   session->breaks.list.count, point.text);
    return record(session, &before, error);
}

bool sw_do_unbreak(struct sw_session *session, char **arguments, size_t count,
                   struct sw_error *error) {
    uint64_t which = 0;
    if (count > 0 && (!sw_state_number(arguments[0], &which, error) || which == 0 ||
                      which > session->breaks.list.count)) {
        return sw_fail(error, SW_ERROR_USAGE, "there is no breakpoint %.20s", arguments[0]);
    }
    struct sw_moment before = {0};
    if (!sw_moment_take(session, &before)) {
        return sw_fail_memory(error);
    }
    struct sw_break *items = session->breaks.list.items;
    if (which) {
        size_t rest = session->breaks.list.count - (size_t)which;
        memmove(items + which - 1, items + which, rest * sizeof *items);
        session->breaks.list.count--;
    } else {
        session->breaks.list.count = 0;
    }
    sw_session_say(session, false, "%s", which ? "breakpoint removed" : "no breakpoints left");
    return record(session, &before, error);
}
