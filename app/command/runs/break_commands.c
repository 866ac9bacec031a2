/* The commands that set, list and remove breakpoints. */
#include "command/command_line.h"
#include "base/base.h"
#include "command/runs/branches.h"
#include "command/state.h"
#include "formats/text/size.h"

static bool parse_peak(const char *text, struct sw_break *point, struct sw_error *error) {
    text += strspn(text, " ");
    if (*text++ != '>') {
        return sw_fail(error, SW_ERROR_USAGE, "say peak > BYTES or peak > bound*FACTOR");
    }
    text += strspn(text, " ");
    if (strncmp(text, "bound", 5) == 0) {
        text += 5;
        point->kind = SW_BREAK_PEAK_RATIO;
        point->ratio = 1;
        text += strspn(text, " ");
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
    return sw_parse_size(text, SW_MAX_BYTES, &point->value, error);
}

/* The old, short forms: kind WORD, buffer NAME, step N. */
static bool parse_short(const struct sw_session *session, const char *word, const char *rest, struct sw_break *point,
                        struct sw_error *error) {
    if (strcmp(word, "kind") == 0) {
        enum sw_decision_kind kind = SW_DECISION_PLACE;
        bool known = sw_decision_named(rest, &kind, error);
        point->kind = SW_BREAK_KIND;
        point->value = kind;
        return known;
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

static bool parse_break(const struct sw_session *session, const char *text, struct sw_break *point,
                        struct sw_error *error) {
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

static bool list_breaks(struct sw_session *session) {
    char text[400] = "no breakpoints; try: break peak > bound";
    *text = session->breaks.list.count ? '\0' : *text;
    for (size_t i = 0; i < session->breaks.list.count; i++) {
        SW_TEXT_ADD(text, "%s%zu: %s", i ? "   " : "", i + 1, session->breaks.list.items[i].text);
    }
    sw_session_say(session, false, "%s", text);
    return true;
}

/* Removes breakpoint `which`, from 1, or all of them: 0. */
static bool remove_breaks(struct sw_session *session, uint64_t which, struct sw_error *error) {
    struct sw_undo_point before = {0};
    struct sw_breaks rest = {0};
    if (which && !sw_breaks_others(&rest, &session->breaks, (size_t)which - 1)) {
        return sw_fail_memory(error);
    }
    sw_undo_point_take(session, &before);
    sw_breaks_done(&session->breaks);
    session->breaks = rest;
    sw_session_say(session, false, "%s", which ? "breakpoint removed" : "no breakpoints left");
    return sw_change_record(session, &before, SW_NONE, error);
}

bool sw_do_break(struct sw_session *session, const struct sw_given *given, struct sw_error *error) {
    if (given->count == 0) {
        return list_breaks(session);
    }
    if (strcmp(given->words[0], "clear") == 0) {
        return remove_breaks(session, 0, error);
    }
    struct sw_break point = {0};
    struct sw_undo_point before = {0};
    if (!parse_break(session, given->words[0], &point, error)) {
        return false;
    }
    sw_undo_point_take(session, &before);
    if (!sw_breaks_add(&session->breaks, &point)) {
        sw_condition_unref(point.condition);
        sw_undo_point_done(&before);
        return sw_fail_memory(error);
    }
    sw_session_say(session, false, "breakpoint %zu: %s; %s continues to it", session->breaks.list.count, point.text,
                   SW_KEY(session, "continue"));
    return sw_change_record(session, &before, SW_NONE, error);
}

bool sw_do_unbreak(struct sw_session *session, const struct sw_given *given, struct sw_error *error) {
    uint64_t which = given->value[0].number;
    if (given->count > 0 && (which == 0 || which > session->breaks.list.count)) {
        return sw_fail(error, SW_ERROR_USAGE, "there is no breakpoint %s", given->words[0]);
    }
    return remove_breaks(session, which, error);
}
