/* Lines of the command language: their words, and what a command wants of them. */
#include "base/base.h"
#include "command/command_line.h"
#include "command/state.h"
#include "formats/text/size.h"

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

bool sw_argument_next(struct sw_usage *argument) {
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

/* Is it a number, and the word behind it a unit? */
static bool is_parted(const char *number, const char *unit) {
    unsigned shift;
    number += *number == '+';
    size_t figure = sw_size_figure(number), length = sw_size_unit_read(unit, &shift);
    return figure && !number[figure] && length && !unit[length];
}

/* "63 KiB" is one argument where a number of bytes is wanted: a unit after a blank belongs to the
 * number. What is quoted is a name. words[0] is the command's; split_words laid the words one behind
 * the other. */
static void join_sizes(const struct sw_command *command, char **words, size_t *count, uint64_t quotes) {
    struct sw_usage argument = {.at = command->arguments};
    for (size_t i = 1; i + 1 < *count && sw_argument_next(&argument); i++) {
        if (sw_argument_is_size(&argument) && !(quotes >> i & 3) && is_parted(words[i], words[i + 1])) {
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
static bool is_listed_word(const struct sw_command *command, const struct sw_usage *argument, bool alone,
                           const char *word, struct sw_error *error) {
    char said[160] = "";
    const char *list = argument->word;
    if (list[strspn(list, "|-abcdefghijklmnopqrstuvwxyz")] || sw_argument_choice(argument, word)) {
        return true;
    }
    for (size_t length; *list; list += length + (list[length] == '|')) {
        length = strcspn(list, "|");
        SW_TEXT_ADD(said, "%s%.*s", !*said ? "" : list[length] ? ", " : " or ", (int)length, list);
    }
    if (alone && argument->optional && !strchr(said, ' ')) { /* one word, which may be left out */
        return sw_fail(error, SW_ERROR_USAGE, "say %s, or %s %s", command->name, command->name, said);
    }
    return sw_fail(error, SW_ERROR_USAGE, "say %s, not '%s'", said, word);
}

bool sw_words_fit(const struct sw_command *command, char **words, size_t count, struct sw_error *error) {
    size_t least = 0, most = 0;
    struct sw_usage argument = {.at = command->arguments};
    while (sw_argument_next(&argument)) {
        least += !argument.optional;
        most = argument.many ? SW_MOST_WORDS : most + 1;
    }
    if (count < least || count > most) {
        return sw_fail(error, SW_ERROR_USAGE, "usage: %s%s%s", command->name, *command->arguments ? " " : "",
                       command->arguments);
    }
    argument = (struct sw_usage){.at = command->arguments};
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

char *sw_state_line(const char *command, const char *const *words, size_t count, const char *more) {
    struct sw_sink line = {0};
    sw_sink_printf(&line, "%s", command);
    for (size_t i = 0; i < count; i++) {
        sw_sink_add(&line, " ", 1);
        sw_sink_quoted(&line, words[i]);
    }
    sw_sink_printf(&line, "%s%s", *more ? " " : "", more);
    const char *text = sw_sink_ended(&line);
    char *copy = text ? sw_state_copy(text) : NULL;
    sw_sink_done(&line);
    return copy;
}

char *sw_given_line(const char *command, const struct sw_given *given) {
    return sw_state_line(command, (const char *const *)given->words, given->count, "");
}

void sw_given_join(const struct sw_given *given, size_t from, char *text, size_t size) {
    text[0] = '\0';
    for (size_t i = from; i < given->count; i++) {
        sw_text_add(text, size, "%s%s", i > from ? " " : "", given->words[i]);
    }
}
