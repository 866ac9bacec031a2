/* What the arguments of commands mean in a session: each is parsed by its type, and refused by it, for all commands. */
#include "command/attached/attached.h"
#include "base/base.h"
#include "command/command_line.h"
#include "command/look/regex.h"
#include "command/state.h"
#include "formats/text/size.h"

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

bool sw_state_operator(const struct sw_problem *problem, const char *name, uint32_t *op, struct sw_error *error) {
    const char *like = NULL;
    *op = sw_problem_find_operator(problem, name);
    for (uint32_t i = 0; *op == SW_NONE && i < sw_problem_operator_count(problem); i++) {
        like = sw_word_nearer(name, like, sw_problem_operator(problem, i)->name);
    }
    return *op != SW_NONE || sw_fail_unknown(error, "operator", name, like, "");
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

static bool parse_any_word(const struct sw_session *session, struct sw_given_value *value, struct sw_error *error) {
    (void)session, (void)value, (void)error;
    return true;
}

static bool parse_number_word(const struct sw_session *session, struct sw_given_value *value, struct sw_error *error) {
    (void)session;
    return sw_state_number(value->word, &value->number, error);
}

static bool parse_bytes_word(const struct sw_session *session, struct sw_given_value *value, struct sw_error *error) {
    (void)session;
    return sw_parse_size(value->word, SW_MAX_BYTES, &value->number, error);
}

/* An offset as the user sees it has --base in it, and in lists a plus before it. */
static bool parse_offset_word(const struct sw_session *session, struct sw_given_value *value, struct sw_error *error) {
    uint64_t address = 0, base = session->options.base;
    if (!sw_parse_size(value->word + (*value->word == '+'), UINT64_MAX, &address, error)) {
        return false;
    }
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

static bool parse_buffer_word(const struct sw_session *session, struct sw_given_value *value, struct sw_error *error) {
    return sw_state_buffer(session, value->word, &value->index, error);
}

/* By its name or its number. */
static bool parse_tier_word(const struct sw_session *session, struct sw_given_value *value, struct sw_error *error) {
    value->index = sw_problem_find_tier(session->problem, value->word);
    if (value->index == SW_NONE && sw_state_number(value->word, &value->number, NULL) &&
        value->number < sw_problem_tier_count(session->problem)) {
        value->index = (uint32_t)value->number;
    }
    return value->index != SW_NONE || sw_fail(error, SW_ERROR_USAGE, "there is no tier '%s'", value->word);
}

static const struct {
    const char *word;
    parse_fn *parse;
} parsed_types[] = {
#define T(word, parse, names, offer) {word, parse_##parse##_word},
#include "command/given.def"
#undef T
};

/* The first of the alternatives that is a type. */
static parse_fn *parser_of(const struct sw_usage *argument) {
    size_t length = strcspn(argument->word, "|");
    for (size_t i = 0; i < sizeof parsed_types / sizeof *parsed_types; i++) {
        if (strlen(parsed_types[i].word) == length && memcmp(parsed_types[i].word, argument->word, length) == 0) {
            return parsed_types[i].parse;
        }
    }
    return parse_any_word;
}

bool sw_argument_is_size(const struct sw_usage *argument) {
    parse_fn *parse = parser_of(argument);
    return parse == parse_bytes_word || parse == parse_offset_word;
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

bool sw_given_parse(const struct sw_session *session, const struct sw_command *command, struct sw_given *given,
                    struct sw_error *error) {
    struct sw_usage argument = {.at = command->arguments};
    bool unparsed = false; /* a word so far that its command looks up */
    memset(given->value, 0, sizeof given->value);
    for (size_t i = 0; i < given->count; i++) {
        struct sw_given_value *value = &given->value[i];
        if (!argument.many) {
            sw_argument_next(&argument);
        }
        parse_fn *parse = parser_of(&argument);
        parse = parse == parse_offset_word && command->flags & SW_COMMAND_BASELESS ? parse_bytes_word : parse;
        value->word = given->words[i];
        value->choice = sw_argument_choice(&argument, value->word);
        if (!value->choice && !parse(session, value, error)) {
            const struct sw_error refused = *error;
            return unparsed /* a blank in that may be what is wrong */
                       ? sw_fail(error, refused.code, "%s (%s %s)", refused.message, command->name, command->arguments)
                       : false;
        }
        unparsed |= !value->choice && parse == parse_any_word;
    }
    return true;
}

/* ---- and what else words mean ---- */

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

bool sw_state_regex(const struct sw_session *session, const char *text, size_t room, struct sw_error *error) {
    struct sw_regex regex;
    if (strlen(text) >= room) {
        return sw_fail(error, SW_ERROR_USAGE, "'%s' is no pattern: it is too long", text);
    }
    bool found, good = sw_regex_open(&regex, text, SW_REGEX_FOLD, error);
    for (uint32_t i = 0; good && i < sw_problem_buffer_count(session->problem); i++) {
        good = sw_regex_matches(&regex, sw_problem_buffer(session->problem, i)->name, &found, error);
    }
    sw_regex_close(&regex);
    return good;
}
