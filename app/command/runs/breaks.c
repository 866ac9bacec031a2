/* Breakpoints: conditions on a decision, the same forward and back. The short forms are compared
 * here, any other is an expression in Lua. */
#include "command/command_line.h"
#include "command/runs/branches.h"
#include "command/state.h"
#include "search/result/run_plan.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void keep_condition(void *item) {
    struct sw_break *point = item;
    if (point->condition) {
        sw_condition_ref(point->condition);
    }
}

static void forget_condition(void *item) {
    sw_condition_unref(((struct sw_break *)item)->condition);
}

static const struct sw_shared_kind breaks_kind = {
    .size = sizeof(struct sw_break), .keep = keep_condition, .forget = forget_condition};

void sw_breaks_done(struct sw_breaks *breaks) {
    sw_shared_unref(breaks->block, &breaks_kind);
    *breaks = (struct sw_breaks){0};
}

struct sw_breaks sw_breaks_copy(const struct sw_breaks *from) {
    struct sw_breaks copy = *from;
    sw_shared_ref(copy.block);
    return copy;
}

/* Takes the condition over when it succeeds. */
static bool add(struct sw_breaks *breaks, const struct sw_break *point) {
    if (!sw_shared_push(&breaks->block, breaks->list.count, &breaks_kind, point)) {
        return false;
    }
    breaks->list.items = sw_shared_items(breaks->block);
    breaks->list.count++;
    return true;
}

/* All but number `left_out`, as a list of their own. */
static bool add_others(struct sw_breaks *to, const struct sw_breaks *from, size_t left_out) {
    for (size_t i = 0; i < from->list.count; i++) {
        struct sw_break point = from->list.items[i];
        if (i == left_out) {
            continue;
        }
        keep_condition(&point);
        if (!add(to, &point)) {
            forget_condition(&point);
            sw_breaks_done(to);
            return false;
        }
    }
    return true;
}

/* Of a condition on what lasts: where it becomes true, not wherever it still is. */
static const struct sw_decision *decision_before(const struct sw_session *session, const struct sw_decision *decision) {
    return decision->step > 1 ? sw_search_journal(sw_state_search(session), decision->step - 1) : NULL;
}

/* The peak that counts: that of the run, and once its end is known that of the plan. */
static uint64_t peak_of(const struct sw_session *session, const struct sw_decision *decision) {
    return sw_search_peak_by(sw_state_search(session), decision->step);
}

static bool ask(struct sw_session *session, const struct sw_break *point, const struct sw_decision *decision) {
    const struct sw_problem *problem = sw_search_problem(sw_state_search(session));
    struct sw_error error = {0};
    bool truth = false;
    struct sw_decision seen = *decision;
    seen.peak = peak_of(session, decision);
    seen.peak_before = decision->step > 1 ? sw_search_peak_by(sw_state_search(session), decision->step - 1) : 0;
    if (!sw_condition_ask(point->condition, problem, &seen, &truth, &error)) {
        snprintf(session->job.fault, sizeof session->job.fault, "%s", error.message);
        return true;
    }
    return truth;
}

bool sw_breaks_on_peak(const struct sw_session *session) {
    bool any = false;
    for (size_t i = 0; i < session->breaks.list.count; i++) {
        enum sw_break_kind kind = session->breaks.list.items[i].kind;
        any = any || kind == SW_BREAK_PEAK || kind == SW_BREAK_PEAK_RATIO ||
              (kind == SW_BREAK_LUA && strstr(session->breaks.list.items[i].text, "peak"));
    }
    return any;
}

static bool true_of(struct sw_session *session, const struct sw_break *point, const struct sw_decision *decision) {
    switch (point->kind) {
    case SW_BREAK_PEAK:
        return peak_of(session, decision) > point->value;
    case SW_BREAK_PEAK_RATIO:
        return (double)peak_of(session, decision) >
               point->ratio * (double)sw_problem_lower_bound(sw_state_problem(session));
    case SW_BREAK_KIND:
        return sw_decision_is(decision, (enum sw_decision_kind)point->value);
    case SW_BREAK_BUFFER:
        return decision->buffer == point->value;
    case SW_BREAK_STEP:
        return decision->step == point->value;
    case SW_BREAK_LUA:
        return ask(session, point, decision);
    }
    return false;
}

bool sw_break_true(struct sw_session *session, const struct sw_break *point, const struct sw_decision *decision) {
    bool lasts = point->kind == SW_BREAK_PEAK || point->kind == SW_BREAK_PEAK_RATIO ||
                 (point->kind == SW_BREAK_LUA && sw_condition_lasts(point->condition));
    session->job.fault[0] = '\0';
    if (!true_of(session, point, decision)) {
        return false;
    }
    const struct sw_decision *before = lasts ? decision_before(session, decision) : NULL;
    return session->job.fault[0] || !before || !true_of(session, point, before);
}

static bool parse_kind(const char *word, struct sw_break *point, struct sw_error *error) {
    char all[1024];
    enum sw_decision_kind kind;
    if (sw_decision_named(word, &kind)) {
        point->kind = SW_BREAK_KIND;
        point->value = kind;
        return true;
    }
    sw_decision_words(all, sizeof all);
    return sw_fail(error, SW_ERROR_USAGE, "no decision is a '%s'; there are %s", word, all);
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
                return sw_fail(error, SW_ERROR_USAGE, "'%s' is not a factor", text + 1);
            }
        } else if (*text) {
            return sw_fail(error, SW_ERROR_USAGE, "'%s' after bound makes no sense", text);
        }
        return true;
    }
    point->kind = SW_BREAK_PEAK;
    return sw_state_bytes(text, &point->value, error);
}

/* The old, short forms: kind WORD, buffer NAME, step N. */
static bool parse_short(const struct sw_session *session, const char *word, const char *rest, struct sw_break *point,
                        struct sw_error *error) {
    if (strcmp(word, "kind") == 0) {
        return parse_kind(rest, point, error);
    }
    if (strcmp(word, "step") == 0) {
        point->kind = SW_BREAK_STEP;
        return sw_state_number(rest, &point->value, error);
    }
    uint32_t buffer = SW_NONE;
    point->kind = SW_BREAK_BUFFER;
    bool found = sw_state_buffer(session, rest, &buffer, error);
    point->value = buffer;
    return found;
}

static bool parse(const struct sw_session *session, const char *text, struct sw_break *point, struct sw_error *error) {
    char word[16], rest[sizeof point->text];
    if (strlen(text) >= sizeof point->text) {
        return sw_fail(error, SW_ERROR_USAGE, "the condition is too long");
    }
    snprintf(point->text, sizeof point->text, "%s", text);
    if (sscanf(text, "%15s \"%199[^\"]\"", word, rest) != 2 && sscanf(text, "%15s %199[^\n]", word, rest) != 2) {
        word[0] = '\0';
    }
    bool named = strcmp(word, "kind") == 0 || strcmp(word, "step") == 0 || strcmp(word, "buffer") == 0;
    if (named && !strpbrk(rest, "=<>~") && !strstr(rest, " and ") && !strstr(rest, " or ")) {
        return parse_short(session, word, rest, point, error);
    }
    if (strncmp(text, "peak", 4) == 0 && parse_peak(text + 4, point, NULL)) {
        return true;
    }
    point->kind = SW_BREAK_LUA;
    point->condition = sw_condition_new(text, error);
    return point->condition != NULL;
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

bool sw_do_break(struct sw_session *session, char **arguments, size_t count, struct sw_error *error) {
    if (count == 0) {
        return list(session);
    }
    if (count == 1 && strcmp(arguments[0], "clear") == 0) {
        return sw_do_unbreak(session, NULL, 0, error);
    }
    struct sw_break point = {0};
    struct sw_moment before = {0};
    if (!parse(session, arguments[0], &point, error)) {
        return false;
    }
    sw_moment_take(session, &before);
    if (!add(&session->breaks, &point)) {
        sw_condition_unref(point.condition);
        sw_moment_done(&before);
        return sw_fail_memory(error);
    }
    sw_session_say(session, false, "breakpoint %zu: %s; %s continues to it", session->breaks.list.count, point.text,
                   SW_KEY(session, "continue"));
    return record(session, &before, error);
}

bool sw_do_unbreak(struct sw_session *session, char **arguments, size_t count, struct sw_error *error) {
    uint64_t which = 0;
    if (count > 0 &&
        (!sw_state_number(arguments[0], &which, error) || which == 0 || which > session->breaks.list.count)) {
        return sw_fail(error, SW_ERROR_USAGE, "there is no breakpoint %s", arguments[0]);
    }
    struct sw_moment before = {0};
    struct sw_breaks rest = {0};
    if (which && !add_others(&rest, &session->breaks, (size_t)which - 1)) {
        return sw_fail_memory(error);
    }
    sw_moment_take(session, &before);
    sw_breaks_done(&session->breaks);
    session->breaks = rest;
    sw_session_say(session, false, "%s", which ? "breakpoint removed" : "no breakpoints left");
    return record(session, &before, error);
}
