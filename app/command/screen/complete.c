/* What the line at the prompt can become: Tab fills in what all possibilities share and lists them,
 * further ones go through them. */
#include "command/command_line.h"
#include "base/base.h"
#include "command/doors/doors.h"
#include "command/runs/branches.h"
#include "command/screen/prompt.h"
#include "command/screen/screen.h"
#include "command/state.h"
#include "data.h"
#include "lua/planning/condition.h"
#include "lua/planning/lua_planner.h"
#include "planners/planner.h"

#include <dirent.h>
#include <sys/stat.h>

struct matches {
    char stem[512];       /* the word to be completed, without quotation marks */
    size_t length, count; /* of the stem; of what it can become */
    size_t typed;         /* what it takes in the line */
    size_t pick;          /* which of them is wanted, from 1; 0 = none */
    char common[512];     /* what all of them start with */
    char picked[512];
    char some[300]; /* names, for the status line: the first ones, or from the picked one on */
    size_t listed;  /* how many those are */
    bool full;      /* there is no room for more of them */
};

/* Whether it begins like the stem or not. */
static void offer_instead(struct matches *matches, const char *name) {
    if (strlen(name) >= sizeof matches->common) {
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
        while (same > 0 && sw_prompt_continues(name[same])) {
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

static void offer_match(struct matches *matches, const char *name) {
    if (strncmp(name, matches->stem, matches->length) == 0) {
        offer_instead(matches, name);
    }
}

/* Where in the line the word stands, and its type. */
struct tab_place {
    size_t position;      /* among the arguments, from 0 */
    const char *previous; /* the word before, or "" */
    const char *type;
};
/* What may stand there. */
typedef void offer_fn(struct sw_session *, const struct tab_place *, struct matches *);

static void offer_names(const struct sw_session *session, sw_nth_fn *nth, struct matches *matches) {
    const char *name;
    for (size_t i = 0; (name = nth(session, i)) != NULL; i++) {
        offer_match(matches, name);
    }
}

/* ---- what is no plain list ---- */

/* Those that this problem has all for. */
static void offer_planners(struct sw_session *session, const struct tab_place *place, struct matches *matches) {
    (void)place;
    if (!sw_lua_planner_load_all(NULL)) {
        return; /* no memory: half a list would look like all */
    }
    for (size_t i = 0; i < sw_planner_count(); i++) {
        if (sw_planner_applies(sw_planner_get(i), session->problem, NULL)) {
            offer_match(matches, sw_planner_get(i)->name);
        }
    }
}

/* Offer buffers by their names. If none match, offer what an operator writes: the operator of that name, or else the
 * first with a name that begins like that. */
static void offer_buffers(struct sw_session *session, const struct tab_place *place, struct matches *matches) {
    (void)place;
    const struct sw_problem *problem = sw_state_problem(session);
    offer_names(session, sw_nth_buffer, matches);
    uint32_t exact = sw_problem_find_operator(problem, matches->stem);
    for (uint32_t i = 0; matches->count == 0 && exact == SW_NONE && i < sw_problem_operator_count(problem); i++) {
        const struct sw_operator *op = sw_problem_operator(problem, i);
        if (strncmp(op->name, matches->stem, matches->length) == 0) {
            exact = i;
        }
    }
    if (matches->count == 0 && exact != SW_NONE) {
        const struct sw_operator *op = sw_problem_operator(problem, exact);
        for (uint32_t i = 0; i < op->output_count; i++) {
            offer_instead(matches, sw_problem_buffer(problem, op->outputs[i].buffer)->name);
        }
    }
}

/* The free places of a buffer, as offsets. */
static void offer_places(struct sw_session *session, const struct tab_place *place, struct matches *matches) {
    uint32_t buffer = SW_NONE;
    char text[32];
    size_t count = 0;
    const uint64_t *places =
        sw_state_buffer(session, place->previous, &buffer, NULL) ? sw_drag_places(session, buffer, &count) : NULL;
    for (size_t i = 0; places && i < count; i++) {
        snprintf(text, sizeof text, "%llu", (unsigned long long)(places[i] + session->options.base));
        offer_match(matches, text);
    }
}

/* What the folder holds that the stem names; folders with a slash, hidden files when they are asked for. */
static void offer_paths(struct sw_session *session, const struct tab_place *place, struct matches *matches) {
    (void)session, (void)place;
    char folder[600], path[1200];
    const char *slash = strrchr(matches->stem, '/');
    int length = slash ? (int)(slash + 1 - matches->stem) : 0;
    snprintf(folder, sizeof folder, "%.*s", length, matches->stem);
    struct dirent **entries = NULL;
    int count = scandir(length ? folder : ".", &entries, NULL, alphasort);
    for (int i = 0; i < count; i++) {
        const char *name = entries[i]->d_name;
        struct stat about;
        bool hidden = name[0] == '.' && matches->stem[length] != '.';
        int used = snprintf(path, sizeof path - 1, "%s%s", folder, name);
        if (!hidden && strcmp(name, ".") != 0 && strcmp(name, "..") != 0 && used > 0 &&
            (size_t)used < sizeof path - 1) {
            if (stat(path, &about) == 0 && S_ISDIR(about.st_mode)) {
                memcpy(path + used, "/", 2);
            }
            offer_match(matches, path);
        }
        free(entries[i]);
    }
    free(entries);
}

/* Runs that may stand beside this one. */
static void offer_runs(struct sw_session *session, const struct tab_place *place, struct matches *matches) {
    char number[16];
    offer_planners(session, place, matches);
    for (uint32_t i = 0; sw_branch_count(session) > 1 && i < sw_branch_count(session); i++) {
        snprintf(number, sizeof number, "%" PRIu32, i + 1);
        if (!sw_branch_at(session, i)->hidden) {
            offer_match(matches, number);
        }
    }
}

static void offer_left(struct sw_session *session, const struct tab_place *place, struct matches *matches) {
    (void)place;
    struct sw_left_list left = {0};
    sw_recover_list(session->autosave, &left);
    for (size_t i = 0; i < left.list.count; i++) {
        offer_match(matches, left.list.items[i].name);
    }
    SW_ARRAY_DONE(&left.list);
}

static void offer_kinds(struct sw_session *session, const struct tab_place *place, struct matches *matches) {
    (void)session, (void)place;
    for (int i = 0; i < SW_DECISION_KIND_COUNT; i++) {
        if (sw_decision_family((enum sw_decision_kind)i) == (enum sw_decision_kind)i) {
            offer_match(matches, sw_decision_word((enum sw_decision_kind)i));
        }
    }
}

/* What `break` has of its own, and the names that a condition knows. */
static void offer_conditions(struct sw_session *session, const struct tab_place *place, struct matches *matches) {
    static const char *const own[] = {"peak", "kind", "buffer", "step", "clear"}, *const joints[] = {"and", "or",
                                                                                                     "not"};
    enum { OWN_WORDS = sizeof own / sizeof *own };
    bool first = place->position == 0, begins = first;
    for (size_t i = 0; first && i < OWN_WORDS; i++) {
        offer_match(matches, own[i]);
    }
    if (!first && strcmp(place->previous, "buffer") == 0) {
        offer_buffers(session, place, matches);
    } else if (!first && (strcmp(place->previous, "kind") == 0 || strcmp(place->previous, "==") == 0)) {
        offer_kinds(session, place, matches);
    }
    for (size_t i = 0; i < sizeof joints / sizeof *joints; i++) {
        begins = begins || strcmp(place->previous, joints[i]) == 0;
    }
    const char *name;
    for (size_t i = 0; begins && (name = sw_condition_name(i)) != NULL; i++) {
        bool again = false;
        for (size_t k = 0; first && k < OWN_WORDS; k++) {
            again = again || strcmp(name, own[k]) == 0;
        }
        if (!again) {
            offer_match(matches, name);
        }
    }
}

static int is_lua_file_entry(const struct dirent *entry) {
    const char *dot = strrchr(entry->d_name, '.');
    return dot && strcmp(dot, ".lua") == 0;
}

/* The scripts of a folder that ships, by their names. */
static void offer_scripts(struct sw_session *session, const struct tab_place *place, struct matches *matches) {
    (void)session;
    char path[4096], name[256];
    const char *folder = *place->type == 'C'   ? "scripts/costs"
                         : *place->type == 'A' ? "scripts/actions"
                         : *place->type == 'P' ? "scripts/policies"
                                               : "scripts/breeding";
    struct dirent **entries = NULL;
    int count =
        sw_data_path(folder, path, sizeof path, NULL) ? scandir(path, &entries, is_lua_file_entry, alphasort) : 0;
    for (int i = 0; i < count; i++) {
        snprintf(name, sizeof name, "%.*s", (int)(strlen(entries[i]->d_name) - strlen(".lua")), entries[i]->d_name);
        offer_match(matches, name);
        free(entries[i]);
    }
    free(entries);
}

static void offer_parameters(struct sw_session *session, const struct tab_place *place, struct matches *matches) {
    (void)place;
    const struct sw_parameter *parameter = sw_search_planner(sw_state_search(session))->parameters;
    char word[48];
    for (; parameter && parameter->name; parameter++) {
        snprintf(word, sizeof word, "%s=", parameter->name);
        offer_match(matches, word);
    }
    offer_match(matches, "seed=");
    offer_match(matches, "map=");
}

/* Numbers, sizes and new names have nothing to be completed with. */
static const struct {
    const char *word;
    sw_nth_fn *nth;
    offer_fn *offer;
} offered_types[] = {
#define T(word, parse, nth, offer) {word, nth, offer},
#include "command/given.def"
#undef T
};

/* What may stand as an argument of a command: alternatives with | between, of which the last argument may come again.
 */
static void offer_arguments(struct sw_session *session, const struct sw_command *command, struct tab_place place,
                            struct matches *matches) {
    struct sw_usage argument = {.at = command->arguments};
    for (size_t i = 0; i <= place.position && !argument.many; i++) {
        if (!sw_argument_next(&argument)) {
            return;
        }
    }
    char *rest = NULL;
    for (char *word = strtok_r(argument.word, "|", &rest); word; word = strtok_r(NULL, "|", &rest)) {
        place.type = word;
        for (size_t i = 0; i < sizeof offered_types / sizeof *offered_types; i++) {
            bool here = strcmp(offered_types[i].word, word) == 0;
            if (here && offered_types[i].nth) {
                offer_names(session, offered_types[i].nth, matches);
            } else if (here && offered_types[i].offer) {
                offered_types[i].offer(session, &place, matches);
            }
        }
        if (*word >= 'a' && *word <= 'z') {
            offer_match(matches, word);
        }
    }
}

/* A word as it is meant: without quotation marks. */
static void unquote(const char *word, char *text, size_t size) {
    size_t used = 0;
    bool quoted = *word == '"';
    for (word += quoted; *word && !(quoted && *word == '"') && used + 1 < size; word++) {
        word += quoted && *word == '\\' && word[1];
        text[used++] = *word;
    }
    text[used] = '\0';
}

/* Where the words of a line begin, as the command language cuts them; the last may be empty. */
enum { MOST_TAB_WORDS = 8 };
static size_t word_starts(const char *line, const char *starts[MOST_TAB_WORDS]) {
    size_t count = 0;
    const char *at = line;
    for (;;) {
        at += strspn(at, " ");
        count -= count == MOST_TAB_WORDS; /* the last of very many */
        starts[count++] = at;
        bool quoted = *at == '"';
        for (at += quoted; *at && (quoted ? *at != '"' : *at != ' '); at++) {
            at += quoted && *at == '\\' && at[1];
        }
        at += quoted && *at == '"';
        if (!*at) {
            return count;
        }
    }
}

/* All that may stand where the line, as far as the caret, ends. */
static void offer_all(struct sw_session *session, char *line, struct matches *matches) {
    const char *starts[MOST_TAB_WORDS];
    char previous[512] = "", name[64];
    size_t words = word_starts(line, starts);
    matches->typed = strlen(starts[words - 1]);
    unquote(starts[words - 1], matches->stem, sizeof matches->stem);
    matches->length = strlen(matches->stem);
    if (words == 1) {
        offer_names(session, sw_nth_command, matches);
        return;
    }
    if (words > 2) {
        char last[512];
        snprintf(last, sizeof last, "%.*s", (int)(starts[words - 1] - starts[words - 2]), starts[words - 2]);
        last[strcspn(last, last[0] == '"' ? "" : " ")] = '\0';
        unquote(last, previous, sizeof previous);
    }
    snprintf(name, sizeof name, "%.*s", (int)strcspn(starts[0], " "), starts[0]);
    const struct sw_command *command = sw_command_find(name, NULL);
    if (command) {
        offer_arguments(session, command, (struct tab_place){words - 2, previous, ""}, matches);
    }
}

/* Is the line as the last Tab left it? */
static bool tab_goes_on(const struct sw_prompt *prompt) {
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
    snprintf(session->status.text, sizeof session->status.text, "%s%zu: %s%s", which, matches->count, matches->some,
             more); /* but not in the log */
    session->status.is_error = session->status.is_passing = false;
    session->prompt->lists = true;
}

void sw_prompt_close_list(struct sw_session *session) {
    if (session->prompt->lists) {
        session->status.text[0] = 0;
        session->prompt->lists = false;
    }
}

static struct matches find_matches(struct sw_session *session, size_t pick) {
    char line[sizeof session->prompt->tabbed];
    struct matches matches = {.pick = pick};
    memcpy(line, session->prompt->tabbed, sizeof line);
    offer_all(session, line, &matches);
    return matches;
}

/* A word with blanks stands in quotation marks; the second one comes when all of it is there. */
static void insert_word(struct sw_prompt *prompt, const char *word, bool whole) {
    char text[2 * sizeof((struct matches *)0)->common + 4];
    size_t length = strlen(word);
    bool folder = length > 0 && word[length - 1] == '/';
    if (!strpbrk(word, " \"\t")) {
        sw_prompt_insert(prompt, word);
        return;
    }
    sw_session_quote(word, text, sizeof text);
    if (!whole || folder) {
        text[strlen(text) - 1] = '\0';
    }
    sw_prompt_insert(prompt, text);
}

void sw_prompt_list(struct sw_session *session) {
    struct sw_prompt *prompt = session->prompt;
    snprintf(prompt->tabbed, sizeof prompt->tabbed, "%.*s", (int)prompt->at, prompt->text);
    struct matches matches = find_matches(session, 0);
    sw_prompt_close_list(session);
    if (matches.count > 0) {
        say_matches(session, &matches);
    }
}

void sw_prompt_complete(struct sw_session *session, bool forward) {
    struct sw_prompt *prompt = session->prompt;
    bool again = tab_goes_on(prompt);
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
    sw_prompt_cut(prompt, strlen(prompt->tabbed) - matches.typed, prompt->at);
    insert_word(prompt, matches.pick ? matches.picked : matches.common, matches.count == 1 || matches.pick);
    if (matches.count == 1) {
        size_t length = strlen(matches.common);
        if (length > 0 && !strchr("=/", matches.common[length - 1])) {
            sw_prompt_insert(prompt, " ");
        }
        sw_prompt_close_list(session);
    } else {
        say_matches(session, &matches);
    }
    prompt->tab_at = prompt->at;
    prompt->tab_length = prompt->length;
}
