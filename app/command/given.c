/* What the arguments of commands mean in a session: each is parsed by its type, and refused by it, for all commands. */
#include "command/attached/attached.h"
#include "base/base.h"
#include "command/command_line.h"
#include "command/look/look.h"
#include "command/look/regex.h"
#include "command/state.h"
#include "lua/planning/lua_planner.h"
#include "lua/theme_file.h"

#include <errno.h>

bool sw_state_fail_in(const struct sw_error *from, const char *file, struct sw_error *error) {
    const char *name = from->file[0] ? from->file : file;
    if (from->line) {
        return sw_fail(error, from->code, "%s:%u: %s", name, from->line, from->message);
    }
    return sw_fail(error, from->code, "%s: %s", name, from->message);
}

bool sw_state_number(const char *text, uint64_t *number, struct sw_error *error) {
    char *end = NULL;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    if (*text < '0' || *text > '9' || *end || errno) {
        return sw_fail(error, SW_ERROR_USAGE, "'%s' is not a number", text);
    }
    *number = value;
    return true;
}

void sw_state_onoff(const struct sw_given *given, bool *value) {
    *value = given->count == 0 ? !*value : given->value[0].choice == 1;
}

bool sw_state_switch(struct sw_session *session, const struct sw_given *given, bool *value, const char *on,
                     const char *off) {
    sw_state_onoff(given, value);
    sw_session_say(session, false, "%s", *value ? on : off);
    return true;
}

/* Names of operators are taken for those of buffers easily. */
static bool no_buffer(const struct sw_session *session, const char *name, struct sw_error *error) {
    const struct sw_problem *problem = session->problem;
    uint32_t found = sw_problem_find_operator(problem, name);
    const struct sw_operator *op = found == SW_NONE ? NULL : sw_problem_operator(problem, found);
    if (op && op->output_count > 0) {
        return sw_fail(error, SW_ERROR_USAGE, "'%s' is an operator; it writes %s%s", name,
                       sw_problem_buffer(problem, op->outputs[0].buffer)->name,
                       op->output_count > 1 ? " and others" : "");
    }
    if (sw_attached_open(session)) {
        return sw_fail(error, SW_ERROR_USAGE,
                       "there is no buffer '%s' in what the planner has recorded so far, up to decision %zu", name,
                       sw_problem_recording(problem)->decisions.count);
    }
    const char *like = NULL;
    for (uint32_t i = 0; i < sw_problem_buffer_count(problem); i++) {
        like = sw_word_nearer(name, like, sw_problem_buffer(problem, i)->name);
    }
    return sw_fail_unknown(error, "buffer", name, like, "");
}

bool sw_state_buffer(const struct sw_session *session, const char *name, uint32_t *buffer, struct sw_error *error) {
    uint32_t found = sw_problem_find_buffer(session->problem, name);
    if (found == SW_NONE) {
        uint32_t member = sw_problem_find_member(session->problem, name);
        if (member == SW_NONE) {
            return no_buffer(session, name, error);
        }
        found = sw_problem_member(session->problem, member)->buffer;
    }
    *buffer = found;
    return true;
}

/* ---- the types ---- */

/* Finds the value of its word. False: the word is none of this type, and the error says so. */
typedef bool parse_fn(const struct sw_session *, struct sw_given_value *, struct sw_error *);

#define PARSES(type, call)                                                                          \
    static bool parse_##type##_word(const struct sw_session *session, struct sw_given_value *value, \
                                    struct sw_error *error) {                                       \
        (void)session, (void)value, (void)error;                                                    \
        return call;                                                                                \
    }

PARSES(any, true)
PARSES(number, sw_state_number(value->word, &value->number, error))
PARSES(bytes, sw_shown_bytes(session, 0, SW_MAX_BYTES, value, error))

/* An offset as the user sees it has --base in it, and in lists a plus before it. */
static bool parse_offset_word(const struct sw_session *session, struct sw_given_value *value, struct sw_error *error) {
    uint64_t base = session->options.base;
    if (!sw_shown_bytes(session, base, UINT64_MAX, value, error)) {
        return false;
    }
    uint64_t address = value->number;
    if (address < base) {
        return sw_fail(error, SW_ERROR_USAGE, "%s lies below the base address", value->word);
    }
    if (address - base > SW_MAX_BYTES) {
        return sw_fail(error, SW_ERROR_USAGE, "%s is too large: no memory ends above 2^61 bytes", value->word);
    }
    value->number = address - base;
    return true;
}

static bool parse_time_word(const struct sw_session *session, struct sw_given_value *value, struct sw_error *error) {
    char *end = NULL;
    (void)session;
    errno = 0;
    value->time = strtoll(value->word, &end, 10);
    return (end != value->word && !*end && !errno) || sw_fail(error, SW_ERROR_USAGE, "'%s' is not a time", value->word);
}

PARSES(buffer, sw_state_buffer(session, value->word, &value->index, error))

/* The same, or of a moment what is no buffer, by its address. */
PARSES(block, (value->number = sw_moment_piece_at(session, value->word)) > 0 ||
                  sw_state_buffer(session, value->word, &value->index, error))

/* ---- names of a list: number i, from 0; NULL past the last ---- */

#define NTH(what, name)                                                     \
    const char *sw_nth_##what(const struct sw_session *session, size_t i) { \
        const struct sw_problem *problem = sw_state_problem(session);       \
        (void)problem;                                                      \
        return name;                                                        \
    }
NTH(buffer, i < sw_problem_buffer_count(problem) ? sw_problem_buffer(problem, (uint32_t)i)->name : NULL)
NTH(operator, i<sw_problem_operator_count(problem) ? sw_problem_operator(problem, (uint32_t)i)->name : NULL)
NTH(tier, i < sw_problem_tier_count(problem) ? sw_problem_tier(problem, (uint32_t)i)->name : NULL)
NTH(view, i < sw_view_count() ? sw_view_get(i)->name : NULL)
NTH(theme, sw_theme_names()[i])
NTH(pane, sw_view_pane(i) ? sw_view_pane(i)->name : NULL)
NTH(mark, i < session->marks->list.count ? session->marks->list.items[i].name : NULL)
NTH(command, sw_command_get(i) ? sw_command_get(i)->name : NULL)
#undef NTH

/* Its number in the list. Where it is none, the error names one like it, or says `rest`; NULL: all that there are. */
static bool find_listed(const struct sw_session *session, sw_nth_fn *nth, const char *kind, const char *rest,
                        struct sw_given_value *value, struct sw_error *error) {
    char all[2048] = "; there are: ";
    const char *like = NULL, *name;
    for (uint32_t i = 0; (name = nth(session, i)) != NULL; i++) {
        if (strcmp(name, value->word) == 0) {
            value->index = i;
            return true;
        }
    }
    for (size_t i = 0; error && (name = nth(session, i)) != NULL; i++) {
        like = sw_word_nearer(value->word, like, name);
        SW_TEXT_ADD(all, "%s%s", i ? ", " : "", name);
    }
    return sw_fail_unknown(error, kind, value->word, like, rest ? rest : all);
}

/* The same, or its number. */
static bool find_numbered(const struct sw_session *session, sw_nth_fn *nth, uint32_t count, const char *kind,
                          struct sw_given_value *value, struct sw_error *error) {
    if (sw_state_number(value->word, &value->number, NULL) && !find_listed(session, nth, kind, "", value, NULL)) {
        value->index = value->number < count ? (uint32_t)value->number : SW_NONE;
    }
    return value->index != SW_NONE || find_listed(session, nth, kind, "", value, error);
}

PARSES(tier, find_numbered(session, sw_nth_tier, sw_problem_tier_count(session->problem), "tier", value, error))

/* By its name, or the step at which it stands in the order on view. */
static bool parse_operator_word(const struct sw_session *session, struct sw_given_value *value,
                                struct sw_error *error) {
    uint32_t count = sw_problem_operator_count(sw_state_problem(session));
    return count ? find_numbered(session, sw_nth_operator, count, "operator", value, error)
                 : sw_fail(error, SW_ERROR_USAGE, "a list of buffers has no operators");
}

/* The same, or a number that is no step: SW_NONE. */
static bool parse_step_word(const struct sw_session *session, struct sw_given_value *value, struct sw_error *error) {
    bool number = sw_state_number(value->word, &value->number, NULL);
    return parse_operator_word(session, value, number ? NULL : error) || number;
}

PARSES(pane, find_listed(session, sw_nth_pane, "pane", NULL, value, error) &&
                 (value->view = sw_view_pane(value->index)) != NULL)
PARSES(mark, find_listed(session, sw_nth_mark, "mark", "; :marks lists them", value, error))

/* ---- what others look up ---- */

PARSES(view, sw_view_find(value->word, error) != NULL)
PARSES(command, (value->command = sw_command_find(value->word, error)) != NULL)

static bool parse_planner_word(const struct sw_session *session, struct sw_given_value *value, struct sw_error *error) {
    struct sw_error own = {0};
    (void)session;
    value->planner = sw_lua_planner_find(value->word, &own);
    return value->planner ||
           (own.file[0] ? sw_state_fail_in(&own, value->word, error) : sw_fail(error, own.code, "%s", own.message));
}

PARSES(run, sw_state_number(value->word, &value->number, NULL) || parse_planner_word(session, value, error))

static bool parse_kind_word(const struct sw_session *session, struct sw_given_value *value, struct sw_error *error) {
    enum sw_decision_kind kind;
    bool found = sw_decision_named(value->word, &kind, error);
    (void)session;
    value->index = found ? (uint32_t)kind : SW_NONE;
    return found;
}

/* A regular expression, which no name of a buffer makes take too long. */
static bool parse_pattern_word(const struct sw_session *session, struct sw_given_value *value, struct sw_error *error) {
    struct sw_regex regex;
    if (strlen(value->word) >= sizeof session->sight.only) {
        return sw_fail(error, SW_ERROR_USAGE, "'%s' is no pattern: it is too long", value->word);
    }
    bool found, good = sw_regex_open(&regex, value->word, SW_REGEX_FOLD, error);
    for (uint32_t i = 0; good && i < sw_problem_buffer_count(session->problem); i++) {
        good = sw_regex_matches(&regex, sw_problem_buffer(session->problem, i)->name, &found, error);
    }
    sw_regex_close(&regex);
    return good;
}

static bool parse_setting_word(const struct sw_session *session, struct sw_given_value *value, struct sw_error *error) {
    (void)session;
    size_t key = strcspn(value->word, "=");
    return (key && value->word[key]) || sw_fail(error, SW_ERROR_USAGE, "say KEY=VALUE, not '%s'", value->word);
}

struct argument_type {
    const char *word;
    parse_fn *parse;
};
/* The next alternative of an argument that is a type, from `at` on, which goes behind it. NULL: there is none. */
static const struct argument_type *next_type(const char **at) {
    static const struct argument_type types[] = {
#define T(word, parse, names, offer) {word, parse_##parse##_word},
#include "command/given.def"
#undef T
    };
    while (**at) {
        const char *word = *at;
        size_t length = strcspn(word, "|");
        *at += length + (word[length] == '|');
        for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
            if (strlen(types[i].word) == length && memcmp(types[i].word, word, length) == 0) {
                return &types[i];
            }
        }
    }
    return NULL;
}

bool sw_argument_is_size(const struct sw_usage *argument) {
    const char *at = argument->word;
    const struct argument_type *type = next_type(&at);
    return type && (type->parse == parse_bytes_word || type->parse == parse_offset_word);
}

unsigned sw_argument_choice(const struct sw_usage *argument, const char *word) {
    size_t length;
    unsigned place = 1;
    for (const char *at = argument->word; *at; at += length + (at[length] == '|'), place++) {
        length = strcspn(at, "|");
        if (!(*at >= 'A' && *at <= 'Z') && strlen(word) == length && memcmp(at, word, length) == 0) {
            return place;
        }
    }
    return 0;
}

/* By the first of its types that takes it; the error is of the last. *left: it is left a word. */
static bool parse_typed(const struct sw_session *session, const struct sw_command *command,
                        const struct sw_usage *argument, struct sw_given_value *value, bool *left,
                        struct sw_error *error) {
    const char *at = argument->word;
    const struct argument_type *type = next_type(&at), *next;
    *left = !type;
    for (; type; type = next) {
        parse_fn *parse = type->parse;
        parse = parse == parse_offset_word && command->flags & SW_COMMAND_BASELESS ? parse_bytes_word : parse;
        next = next_type(&at);
        *left = parse == parse_any_word;
        bool taken = parse(session, value, next ? NULL : error);
        if (taken || !next) {
            return taken;
        }
    }
    return true;
}

bool sw_given_parse(const struct sw_session *session, const struct sw_command *command, struct sw_given *given,
                    struct sw_error *error) {
    struct sw_usage argument = {.at = command->arguments};
    bool unparsed = false; /* a word so far that its command looks up */
    memset(given->value, 0, sizeof given->value);
    for (size_t i = 0; i < given->count; i++) {
        struct sw_given_value *value = &given->value[i];
        bool left = false;
        if (!argument.many) {
            sw_argument_next(&argument);
        }
        value->index = SW_NONE;
        value->word = given->words[i];
        value->choice = sw_argument_choice(&argument, value->word);
        if (!value->choice && !parse_typed(session, command, &argument, value, &left, error)) {
            const struct sw_error refused = *error;
            return unparsed /* a blank in that may be what is wrong */
                       ? sw_fail(error, refused.code, "%s (%s %s)", refused.message, command->name, command->arguments)
                       : false;
        }
        if (*value->digits) {
            value->word = given->words[i] = value->digits;
        }
        unparsed |= left;
    }
    return true;
}

/* ---- and what else words mean ---- */

bool sw_state_subject(const struct sw_session *session, const struct sw_given *given, uint32_t *buffer,
                      struct sw_error *error) {
    *buffer = given->count ? given->value[0].index : session->sight.selected;
    return *buffer != SW_NONE ||
           sw_fail(error, SW_ERROR_USAGE, "no block is selected; %s selects one", SW_KEY(session, "select-next"));
}

uint32_t sw_state_home(const struct sw_session *session, uint32_t buffer) {
    const struct sw_buffer *about = sw_problem_buffer(session->problem, buffer);
    if (about->tier != SW_NONE) {
        return about->tier;
    }
    if (about->tiers >> session->sight.tier & 1) {
        return session->sight.tier;
    }
    return about->tiers ? (uint32_t)__builtin_ctzll(about->tiers) : 0;
}
