/* What the line at the prompt can become: Tab fills in what all possibilities share and lists them,
 * further ones go through them. */
#include "command/state.h"
#include "lua/planner.h"

#include <stdio.h>
#include <string.h>

struct matches {
    const char *stem;
    size_t length, count;
    size_t pick;      /* which of them is wanted, from 1; 0 = none */
    char common[512]; /* what all of them start with */
    char picked[512];
    char some[300]; /* names, for the status line: the first ones, or from the picked one on */
    size_t listed;  /* how many those are */
    bool full;      /* there is no room for more of them */
};

static bool continues(char byte) {
    return ((unsigned char)byte & 0xc0) == 0x80;
}

static void offer(struct matches *matches, const char *name) {
    if (strncmp(name, matches->stem, matches->length) != 0 ||
        strlen(name) >= sizeof matches->common) {
        return;
    }
    if (matches->count++ == 0) {
        snprintf(matches->common, sizeof matches->common, "%s", name);
    } else {
        size_t same = 0;
        while (matches->common[same] && matches->common[same] == name[same]) {
            same++;
        }
        matches->common[same] = 0;
        while (same > 0 && continues(name[same])) {
            matches->common[--same] = 0;
        }
    }
    if (matches->count == matches->pick) {
        snprintf(matches->picked, sizeof matches->picked, "%s", name);
    }
    size_t used = strlen(matches->some);
    if (matches->count < matches->pick || matches->full) {
        return;
    }
    matches->full = used + strlen(name) + 3 > sizeof matches->some;
    if (!matches->full) {
        snprintf(matches->some + used, sizeof matches->some - used, "%s%s", used ? "  " : "", name);
        matches->listed++;
    }
}

static void offer_planners(struct matches *matches) {
    if (!sw_lua_planner_load_all(NULL)) {
        return; /* no memory: half a list would look like all */
    }
    for (size_t i = 0; i < sw_planner_count(); i++) {
        offer(matches, sw_planner_get(i)->name);
    }
}

static void offer_buffers(const struct sw_session *session, struct matches *matches) {
    uint32_t count = sw_problem_buffer_count(session->problem);
    for (uint32_t i = 0; i < count; i++) {
        offer(matches, sw_problem_buffer(session->problem, i)->name);
    }
}

static void offer_left(const struct sw_session *session, size_t position, struct matches *matches) {
    struct sw_left_list left = {0};
    sw_recover_list(&session->keep, &left);
    for (size_t i = 0; i < left.list.count; i++) {
        offer(matches, left.list.items[i].name);
    }
    SW_ARRAY_DONE(&left.list);
    if (position == 0) {
        offer(matches, "drop");
    }
}

static void offer_words(struct matches *matches, const char *words) {
    char word[32];
    while (*words) {
        size_t length = strcspn(words, "| ");
        snprintf(word, sizeof word, "%.*s", (int)length, words);
        offer(matches, word);
        words += length + (words[length] != 0);
    }
}

/* What may stand as argument number `position` (from 0) of a command. */
static void offer_arguments(const struct sw_session *session, const struct sw_command *command,
                            size_t position, const char *previous, struct matches *matches) {
    const char *at = command->arguments;
    for (size_t i = 0; i < position && *at; i++) {
        at += strcspn(at, " ");
        at += *at == ' ';
    }
    size_t length = strcspn(at, " ");
    char argument[64];
    snprintf(argument, sizeof argument, "%.*s", (int)length, at);
    if (strcmp(command->name, "planner") == 0) {
        offer_planners(matches);
    } else if (strcmp(command->name, "theme") == 0) {
        for (const char *const *name = sw_theme_names(); *name; name++) {
            offer(matches, *name);
        }
    } else if (strcmp(command->name, "pane") == 0) {
        for (unsigned i = 0; sw_pane_name(i); i++) {
            offer(matches, sw_pane_name(i));
        }
    } else if (strcmp(command->name, "sort") == 0) {
        offer_words(matches, position ? "up|down" : "birth|size|life|name|offset");
    } else if (strcmp(command->name, "filter") == 0) {
        offer_words(matches, "peak|cursor|unplaced");
    } else if (strcmp(command->name, "jump") == 0) {
        for (size_t i = 0; i < session->marks.list.count; i++) {
            offer(matches, session->marks.list.items[i].name);
        }
    } else if (strcmp(command->name, "recover") == 0) {
        offer_left(session, position, matches);
    } else if (strcmp(command->name, "help") == 0) {
        for (size_t i = 0; i < sw_command_count(); i++) {
            offer(matches, sw_command_get(i)->name);
        }
    } else if (strcmp(command->name, "set") == 0) {
        const struct sw_parameter *parameter =
            sw_search_planner(sw_state_search(session))->parameters;
        char word[48];
        for (; parameter && parameter->name; parameter++) {
            snprintf(word, sizeof word, "%s=", parameter->name);
            offer(matches, word);
        }
        offer(matches, "seed=");
    } else if (strcmp(command->name, "break") == 0) {
        if (position == 0) {
            offer_words(matches, "peak|kind|buffer|step|clear");
        } else if (strcmp(previous, "buffer") == 0) {
            offer_buffers(session, matches);
        } else if (strcmp(previous, "kind") == 0) {
            for (int i = 0; i < SW_DECISION_KIND_COUNT; i++) {
                offer(matches, sw_decision_word((enum sw_decision_kind)i));
            }
        }
    } else if (strstr(argument, "BUFFER") || strstr(argument, "TEXT")) {
        offer_buffers(session, matches);
    } else if (strstr(argument, "TIER") || strcmp(command->name, "tier") == 0) {
        for (uint32_t i = 0; i < sw_problem_tier_count(session->problem); i++) {
            offer(matches, sw_problem_tier(session->problem, i)->name);
        }
    } else if (strcmp(argument, "[on|off]") == 0) {
        offer_words(matches, "on|off");
    } else if (strchr(argument, '|')) {
        offer_words(matches, argument);
    }
}

/* All that may stand where the line, as far as the caret, ends; the stem is cut off the line. */
static void offer_all(struct sw_session *session, char *line, struct matches *matches) {
    char previous[64] = "";
    char *start = strrchr(line, ' ');
    matches->stem = start ? start + 1 : line;
    matches->length = strlen(matches->stem);
    if (!start) {
        for (size_t i = 0; i < sw_command_count(); i++) {
            offer(matches, sw_command_get(i)->name);
        }
        return;
    }
    size_t position = 0;
    for (char *at = line; at < start; at++) {
        position += at[0] == ' ' && at[1] != ' ';
    }
    *start = 0;
    char *last = strrchr(line, ' ');
    snprintf(previous, sizeof previous, "%.63s", last ? last + 1 : line);
    line[strcspn(line, " ")] = 0;
    const struct sw_command *command = sw_command_find(line, NULL);
    if (command) {
        offer_arguments(session, command, position, previous, matches);
    }
}

/* Is the line as the last Tab left it? */
static bool goes_on(const struct sw_prompt *prompt) {
    return prompt->tabbing && prompt->tab_at == prompt->at && prompt->tab_length == prompt->length;
}

/* "3 of 9: the third  the fourth  and 5 more" */
static void say_matches(struct sw_session *session, const struct matches *matches) {
    char which[32] = "", more[48] = "";
    size_t from = matches->pick ? matches->pick - 1 : 0;
    size_t after = matches->count - from - matches->listed;
    if (matches->pick) {
        snprintf(which, sizeof which, "%zu of ", matches->pick);
    }
    if (after > 0) {
        snprintf(more, sizeof more, "  and %zu more", after);
    }
    sw_session_say(session, false, "%s%zu: %s%s", which, matches->count, matches->some, more);
}

static struct matches find_matches(struct sw_session *session, size_t pick) {
    char line[sizeof session->prompt.tabbed];
    struct matches matches = {.pick = pick};
    memcpy(line, session->prompt.tabbed, sizeof line);
    offer_all(session, line, &matches);
    return matches;
}

void sw_prompt_complete(struct sw_session *session, bool forward) {
    struct sw_prompt *prompt = &session->prompt;
    bool again = goes_on(prompt);
    if (!again) {
        snprintf(prompt->tabbed, sizeof prompt->tabbed, "%.*s", (int)prompt->at, prompt->text);
        prompt->tab_pick = 0;
    }
    struct matches matches = find_matches(session, 0);
    prompt->tabbing = matches.count > 1;
    if (matches.count == 0) {
        sw_session_say(session, false, "nothing to complete");
        return;
    }
    if (again && matches.count > 1) {
        size_t pick = prompt->tab_pick;
        prompt->tab_pick = forward ? pick % matches.count + 1 : pick > 1 ? pick - 1 : matches.count;
        matches = find_matches(session, prompt->tab_pick);
    }
    sw_prompt_cut(prompt, strlen(prompt->tabbed) - matches.length, prompt->at);
    sw_prompt_insert(prompt, matches.pick ? matches.picked : matches.common);
    if (matches.count == 1) {
        size_t length = strlen(matches.common);
        if (length > 0 && matches.common[length - 1] != '=') {
            sw_prompt_insert(prompt, " ");
        }
        sw_session_say(session, false, "%s", "");
    } else {
        say_matches(session, &matches);
    }
    prompt->tab_at = prompt->at;
    prompt->tab_length = prompt->length;
}
