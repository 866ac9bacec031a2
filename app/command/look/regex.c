#include "command/look/regex.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

/* A pattern like (a+)+b tries each way to divide a name, which doubles with every letter. The tries of one match are
 * therefore counted, and so is the memory in which it keeps them. */
enum { MATCH_LIMIT = 100000, MATCH_KIB = 16384, MOST_LENGTH = 4096 };

static void *pcre_allocate(size_t size, void *context) {
    (void)context;
    return sw_mem_new_sized(size);
}

static void pcre_release(void *block, void *context) {
    (void)context;
    sw_mem_free_sized(block);
}

/* Does the pattern mean its own letters? Then no expression is needed, which for a million names takes a second. */
static bool is_plain_pattern(const char *text) {
    return text[strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-/:;,=<> ")] == '\0';
}

static char lower_letter(char c) {
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

bool sw_regex_open(struct sw_regex *pattern, const char *text, unsigned flags, struct sw_error *error) {
    *pattern = (struct sw_regex){.memory = pcre2_general_context_create(pcre_allocate, pcre_release, NULL)};
    pcre2_compile_context *how = pattern->memory ? pcre2_compile_context_create(pattern->memory) : NULL;
    pattern->limits = how ? pcre2_match_context_create(pattern->memory) : NULL;
    bool fold = flags & SW_REGEX_FOLD, letters = flags & SW_REGEX_LETTERS;
    uint32_t options = PCRE2_UTF | PCRE2_MATCH_INVALID_UTF | (fold ? PCRE2_CASELESS : 0) |
                       (letters ? PCRE2_LITERAL : PCRE2_NEVER_BACKSLASH_C);
    int code = PCRE2_ERROR_NOMEMORY;
    PCRE2_SIZE at = 0;
    if (pattern->limits) {
        pcre2_set_max_pattern_length(how, MOST_LENGTH);
        pcre2_set_match_limit(pattern->limits, MATCH_LIMIT);
        pcre2_set_heap_limit(pattern->limits, MATCH_KIB);
        pattern->code = pcre2_compile((PCRE2_SPTR)text, PCRE2_ZERO_TERMINATED, options, &code, &at, how);
    }
    pcre2_compile_context_free(how);
    if (pattern->code) {
        pattern->data = pcre2_match_data_create(1, pattern->memory);
        code = PCRE2_ERROR_NOMEMORY;
    }
    if (!pattern->data) {
        PCRE2_UCHAR why[160] = "";
        pcre2_get_error_message(code, why, sizeof why);
        sw_regex_close(pattern);
        return code == PCRE2_ERROR_NOMEMORY || code == PCRE2_ERROR_HEAP_FAILED
                   ? sw_fail_memory(error)
                   : sw_fail(error, SW_ERROR_USAGE, "'%s' is no pattern: %s", text, (const char *)why);
    }
    for (size_t i = 0; fold && strlen(text) < sizeof pattern->plain && is_plain_pattern(text) && text[i]; i++) {
        pattern->plain[i] = lower_letter(text[i]);
    }
    return true;
}

void sw_regex_close(struct sw_regex *pattern) {
    pcre2_match_data_free(pattern->data);
    pcre2_match_context_free(pattern->limits);
    pcre2_code_free(pattern->code);
    pcre2_general_context_free(pattern->memory);
    *pattern = (struct sw_regex){0};
}

/* Does the plain pattern stand in the name? `other`: the name has letters that are not ASCII, and which of those are
 * the same only the expression knows. */
static bool stands_in(const char *name, const char *plain, bool *other) {
    unsigned char all = 0;
    bool found = false;
    for (; *name; name++) {
        all |= (unsigned char)*name;
        if (!found && lower_letter(*name) == *plain) {
            size_t i = 1;
            while (plain[i] && lower_letter(name[i]) == plain[i]) {
                i++;
            }
            found = !plain[i];
        }
    }
    *other = all >= 128;
    return found;
}

bool sw_regex_matches(const struct sw_regex *pattern, const char *name, bool *found, struct sw_error *error) {
    bool other = true;
    *found = pattern->plain[0] && stands_in(name, pattern->plain, &other);
    if (!other || !pattern->code) {
        return true;
    }
    int got = pcre2_match(pattern->code, (PCRE2_SPTR)name, PCRE2_ZERO_TERMINATED, 0, 0, pattern->data, pattern->limits);
    *found = got >= 0;
    if (got >= 0 || got == PCRE2_ERROR_NOMATCH) {
        return true;
    }
    return got == PCRE2_ERROR_NOMEMORY
               ? sw_fail_memory(error)
               : sw_fail(error, SW_ERROR_USAGE, "the pattern takes too long on '%s'; a simpler one may do", name);
}
