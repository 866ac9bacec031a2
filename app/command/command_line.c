/* Lines of the command language: their words, and what a command wants of them. */
#include "command/attached/attached.h"
#include "base/base.h"
#include "command/command_line.h"
#include "command/look/regex.h"
#include "command/state.h"
#include "formats/text/size.h"

#include <errno.h>

void sw_session_quote(const char *name, char *text, size_t size) {
    size_t used = 0;
    text[used++] = '"';
    for (; *name && used + 4 < size; name++) {
        if (*name == '"' || *name == '\\') {
            text[used++] = '\\';
        }
        text[used++] = *name;
    }
    text[used++] = '"';
    text[used] = 0;
}

/* Split in place; quotes and backslashes inside of quotes are resolved. Bit k of `quotes`: word k
 * had some. */
static bool split_words(char *line, char **words, size_t *count, uint64_t *quotes, struct sw_error *error) {
    char *from = line, *to = line;
    *count = 0;
    *quotes = 0;
    for (;;) {
        while (*from == ' ' || *from == '\t') {
            from++;
        }
        if (!*from) {
            return true;
        }
        if (*count == SW_MOST_WORDS) {
            return sw_fail(error, SW_ERROR_USAGE, "too many words");
        }
        words[(*count)++] = to;
        bool quoted = false;
        for (; *from && (quoted || (*from != ' ' && *from != '\t')); from++) {
            if (*from == '"') {
                *quotes |= UINT64_C(1) << (*count - 1);
                quoted = !quoted;
                continue;
            }
            if (quoted && *from == '\\' && (from[1] == '"' || from[1] == '\\')) {
                from++;
            }
            *to++ = *from;
        }
        if (quoted) {
            return sw_fail(error, SW_ERROR_USAGE, "a quotation mark is not closed");
        }
        bool more = *from != 0;
        from += more;
        *to++ = 0;
    }
}

/* The name and, where there is one, the rest of the line: for commands that want it so. */
static bool take_raw(char *line, char **words, size_t *count) {
    char *name = line + strspn(line, " \t"), *rest = name + strcspn(name, " \t");
    char after = *rest;
    *rest = '\0';
    const struct sw_command *command = *name ? sw_command_find(name, NULL) : NULL;
    if (!command || !(command->flags & SW_COMMAND_RAW)) {
        *rest = after;
        return false;
    }
    rest += after != '\0';
    rest += strspn(rest, " \t");
    for (size_t length = strlen(rest); length > 0 && strchr(" \t", rest[length - 1]);) {
        rest[--length] = '\0';
    }
    words[0] = name;
    words[1] = rest;
    *count = *rest ? 2 : 1;
    return true;
}

bool sw_argument_next(struct sw_argument *argument) {
    const char *at = argument->at;
    size_t length = strcspn(at, " "), used = 0;
    argument->optional = argument->depth > 0 || *at == '[';
    for (size_t i = 0; i < length; i++) {
        argument->depth += at[i] == '[' ? 1 : at[i] == ']' ? -1 : 0;
        if (!strchr("[].", at[i]) && used + 1 < sizeof argument->word) {
            argument->word[used++] = at[i];
        }
    }
    argument->word[used] = '\0';
    argument->many =
        memmem(at, length, "...", 3) || strcmp(argument->word, "TEXT") == 0 || strcmp(argument->word, "CONDITION") == 0;
    argument->at += length + (at[length] == ' ');
    return length > 0;
}

/* Does the argument stand for a number of bytes? */
static bool is_size(const struct sw_argument *argument) {
    static const char *const sizes[] = {"BYTES", "OFFSET", "LO", "HI"};
    size_t length = strcspn(argument->word, "|");
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        if (strlen(sizes[i]) == length && strncmp(sizes[i], argument->word, length) == 0) {
            return true;
        }
    }
    return false;
}

/* Is it a number, and the word behind it a unit? */
static bool is_parted(const char *number, const char *unit) {
    unsigned shift;
    number += *number == '+';
    size_t figure = sw_size_figure(number), length = sw_size_unit(unit, &shift);
    return figure && !number[figure] && length && !unit[length];
}

/* "63 KiB" is one argument where a number of bytes is wanted: a unit after a blank belongs to the
 * number. What is quoted is a name. words[0] is the command's; sw_words_split laid the words one behind
 * the other. */
static void join_sizes(const struct sw_command *command, char **words, size_t *count, uint64_t quotes) {
    struct sw_argument argument = {.at = command->arguments};
    for (size_t i = 1; i + 1 < *count && sw_argument_next(&argument); i++) {
        if (is_size(&argument) && !(quotes >> i & 3) && is_parted(words[i], words[i + 1])) {
            words[i + 1][-1] = ' ';
            memmove(words + i + 1, words + i + 2, (*count - i - 2) * sizeof *words);
            uint64_t before = (UINT64_C(2) << i) - 1;
            quotes = (quotes & before) | (quotes >> 1 & ~before);
            --*count;
        }
    }
}

bool sw_words_read(char *line, char **words, size_t *count, const struct sw_command **command, struct sw_error *error) {
    uint64_t quotes = 0;
    bool raw = take_raw(line, words, count);
    if (!raw && !split_words(line, words, count, &quotes, error)) {
        return false;
    }
    *command = *count ? sw_command_find(words[0], error) : NULL;
    if (*command && !raw) {
        join_sizes(*command, words, count, quotes);
    }
    return *command || *count == 0;
}

/* Is the word one of those that the argument lists? An argument without such a list takes any. `alone`: it is the first
 * of its command. */
static bool is_listed_word(const struct sw_command *command, const struct sw_argument *argument, bool alone,
                           const char *word, struct sw_error *error) {
    char words[sizeof argument->word], said[160] = "", *rest = NULL;
    memcpy(words, argument->word, sizeof words);
    if (words[strspn(words, "|-abcdefghijklmnopqrstuvwxyz")]) {
        return true;
    }
    for (char *one = strtok_r(words, "|", &rest); one; one = strtok_r(NULL, "|", &rest)) {
        if (strcmp(one, word) == 0) {
            return true;
        }
        size_t used = strlen(said);
        snprintf(said + used, sizeof said - used, "%s%s", !used ? "" : rest && *rest ? ", " : " or ", one);
    }
    if (alone && argument->optional && !strchr(said, ' ')) { /* one word, which may be left out */
        return sw_fail(error, SW_ERROR_USAGE, "say %s, or %s %s", command->name, command->name, said);
    }
    return sw_fail(error, SW_ERROR_USAGE, "say %s, not '%s'", said, word);
}

bool sw_words_fit(const struct sw_command *command, char **words, size_t count, struct sw_error *error) {
    size_t least = 0, most = 0;
    struct sw_argument argument = {.at = command->arguments};
    while (sw_argument_next(&argument)) {
        least += !argument.optional;
        most = argument.many ? SW_MOST_WORDS : most + 1;
    }
    if (count < least || count > most) {
        return sw_fail(error, SW_ERROR_USAGE, "usage: %s%s%s", command->name, *command->arguments ? " " : "",
                       command->arguments);
    }
    argument = (struct sw_argument){.at = command->arguments};
    for (size_t i = 0; i < count && sw_argument_next(&argument); i++) {
        if (!is_listed_word(command, &argument, i == 0, words[i], error)) {
            return false;
        }
    }
    return true;
}

const struct sw_command *sw_command_check(const char *line, struct sw_error *error) {
    char *copy = sw_state_copy(line), *words[SW_MOST_WORDS];
    const struct sw_command *command = NULL;
    size_t count = 0, room = strlen(line) + 1;
    if (!copy) {
        sw_fail_memory(error);
        return NULL;
    }
    if (sw_words_read(copy, words, &count, &command, error)) {
        command = count ? command : sw_command_find("", error);
        bool prompts = command && count == 1 && (command->flags & SW_COMMAND_PROMPT);
        if (command && !prompts && !sw_words_fit(command, words + 1, count - 1, error)) {
            command = NULL;
        }
    }
    SW_FREE(copy, room);
    return command;
}

char *sw_state_line(const char *command, char **words, size_t count, const char *more) {
    struct sw_sink line = {0};
    sw_sink_printf(&line, "%s", command);
    for (size_t i = 0; i < count; i++) {
        sw_sink_printf(&line, " \"");
        for (const char *at = words[i]; *at; at++) {
            sw_sink_printf(&line, "%s%c", *at == '"' || *at == '\\' ? "\\" : "", *at);
        }
        sw_sink_printf(&line, "\"");
    }
    sw_sink_printf(&line, "%s%s", *more ? " " : "", more);
    sw_sink_add(&line, "", 1);
    char *copy = line.failed ? NULL : sw_state_copy(line.text.items);
    sw_sink_done(&line);
    return copy;
}

/* ---- what words mean ---- */

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

bool sw_state_bytes(const char *text, uint64_t *bytes, struct sw_error *error) {
    return sw_parse_size(text, SW_MAX_BYTES, bytes, error);
}

void sw_state_onoff(char **arguments, size_t count, bool *value) {
    *value = count == 0 ? !*value : strcmp(arguments[0], "on") == 0;
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

bool sw_state_tier(const struct sw_session *session, const char *name, uint32_t *tier, struct sw_error *error) {
    uint64_t number = 0;
    *tier = sw_problem_find_tier(session->problem, name);
    if (*tier != SW_NONE) {
        return true;
    }
    if (!sw_state_number(name, &number, NULL) || number >= sw_problem_tier_count(session->problem)) {
        return sw_fail(error, SW_ERROR_USAGE, "there is no tier '%s'", name);
    }
    *tier = (uint32_t)number;
    return true;
}

/* An offset as the user sees it has --base in it, and in lists a plus before it. */
bool sw_state_offset(const struct sw_session *session, const char *text, uint64_t *offset, struct sw_error *error) {
    uint64_t address = 0, base = session->options.base;
    if (!sw_parse_size(text + (*text == '+'), UINT64_MAX, &address, error)) {
        return false;
    }
    if (address < base) {
        return sw_fail(error, SW_ERROR_USAGE, "%s lies below the base address", text);
    }
    if (address - base > SW_MAX_BYTES) {
        return sw_fail(error, SW_ERROR_USAGE, "%s is too large: no memory ends above 2^61 bytes", text);
    }
    *offset = address - base;
    return true;
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
