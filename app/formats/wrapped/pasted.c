/* Each pass copies the text without one kind of thing, and carries along where every piece of it came from. */
#include "formats/wrapped/pasted.h"
#include "base/minmax.h"
#include "base/text.h"
#include "formats/text/utf8.h"

#include <string.h>

/* ---- copying ---- */

struct pasted_pass {
    const struct sw_pasted *in;
    size_t piece; /* of `in`, in which the last byte stood */
    struct sw_pasted *out;
};

static bool push_origin(struct sw_pasted *out, size_t from) {
    size_t count = out->pieces.count;
    const struct sw_pasted_piece *last = count ? &out->pieces.items[count - 1] : NULL;
    return (last && last->from + (out->bytes.count - last->at) == from) ||
           SW_PUSH(&out->pieces, (struct sw_pasted_piece){out->bytes.count, from});
}

static bool push_bytes(struct sw_pasted *out, const char *bytes, size_t length) {
    if (!SW_RESERVE(&out->bytes, out->bytes.count + length)) {
        return false;
    }
    memcpy(out->bytes.items + out->bytes.count, bytes, length);
    out->bytes.count += length;
    return true;
}

/* On to the piece of the byte at `at`. */
static void seek_piece(struct pasted_pass *pass, size_t at) {
    while (pass->piece + 1 < pass->in->pieces.count && pass->in->pieces.items[pass->piece + 1].at <= at) {
        pass->piece++;
    }
}

static size_t origin_of(struct pasted_pass *pass, size_t at) {
    seek_piece(pass, at);
    const struct sw_pasted_piece *piece = &pass->in->pieces.items[pass->piece];
    return piece->from + (at - piece->at);
}

/* Passes go through the text once, forwards. */
static bool keep(struct pasted_pass *pass, const char *begin, const char *end) {
    size_t at = (size_t)(begin - pass->in->bytes.items), stop = (size_t)(end - pass->in->bytes.items);
    while (at < stop) {
        size_t from = origin_of(pass, at);
        bool more = pass->piece + 1 < pass->in->pieces.count;
        size_t next = more ? pass->in->pieces.items[pass->piece + 1].at : stop;
        next = next < stop ? next : stop;
        if (!push_origin(pass->out, from) || !push_bytes(pass->out, pass->in->bytes.items + at, next - at)) {
            return false;
        }
        at = next;
    }
    return true;
}

/* Another character in place of what stands at `at`. */
static bool put(struct pasted_pass *pass, const char *at, char instead) {
    return push_origin(pass->out, origin_of(pass, (size_t)(at - pass->in->bytes.items))) &&
           push_bytes(pass->out, &instead, 1);
}

void sw_pasted_done(struct sw_pasted *pasted) {
    SW_FREE(pasted->bytes.items, pasted->bytes.capacity);
    SW_ARRAY_DONE(&pasted->pieces);
    *pasted = (struct sw_pasted){0};
}

/* What a pass made takes the place of what it was made of. */
static bool end_pass(struct sw_pasted *text, struct sw_pasted *made, bool good) {
    if (good) {
        memcpy(made->taken, text->taken, sizeof made->taken);
        made->joined = text->joined;
        made->width = text->width;
        made->torn = text->torn;
        made->folded = text->folded;
        struct sw_pasted old = *text;
        *text = *made;
        *made = old;
    }
    sw_pasted_done(made);
    return good;
}

struct pasted_line {
    const char *begin, *end, *next; /* `end` is its line break, or the end of the text */
};

static bool next_pasted_line(const struct sw_pasted *text, struct pasted_line *line) {
    const char *stop = text->bytes.items + text->bytes.count;
    line->begin = line->next ? line->next : text->bytes.items;
    if (text->bytes.count == 0 || line->begin >= stop) {
        return false;
    }
    const char *found = memchr(line->begin, '\n', (size_t)(stop - line->begin));
    line->end = found ? found : stop;
    line->next = found ? found + 1 : stop;
    return true;
}

static bool is_blank_char(char c) {
    return c == ' ' || c == '\t';
}

static const char *past_blanks(const char *at, const char *end) {
    while (at < end && is_blank_char(*at)) {
        at++;
    }
    return at;
}

static const char *past_digits(const char *at, const char *end) {
    while (at < end && sw_is_digit(*at)) {
        at++;
    }
    return at;
}

static bool is_blank_line(const struct pasted_line *line) {
    return past_blanks(line->begin, line->end) == line->end;
}

/* ---- characters ---- */

/* Behind a sequence that a terminal obeys: as it is, as `cat -v` writes it (^[[1m), and without its first character as
 * web pages leave it ([1m). `at`: there is none. */
static const char *past_color(const char *at, const char *end) {
    const char *from = at;
    bool bare = *at == '[', caret = end - at > 2 && at[0] == '^' && at[1] == '[';
    if (!bare && !caret && *at != '\x1b') {
        return from;
    }
    at += bare ? 0 : caret ? 2 : 1;
    if (at < end && *at == ']' && !bare) { /* up to a bell or ESC \ */
        while (at < end && *at != '\a' && *at != '\x1b' && *at != '\n') {
            at++;
        }
        return at < end && *at == '\x1b' ? at + (end - at > 1 ? 2 : 1) : at + (at < end && *at == '\a');
    }
    if (at < end && *at == '[') {
        at++;
        while (at < end && *at >= ' ' && *at <= '?' && !(bare && !sw_is_digit(*at) && *at != ';')) {
            at++;
        }
        bool ends = at < end && (bare || caret ? *at == 'm' || (caret && *at == 'K') : *at >= '@' && *at <= '~');
        if (ends && bare && at == from + 1 && end - at > 1 && (sw_is_letter(at[1]) || strchr("_-]", at[1]))) {
            return from; /* a word in brackets: [memory] */
        }
        return ends ? at + 1 : bare || caret ? from : at;
    }
    if (caret) {
        return from;
    }
    at += at < end && strchr("()*+", *at) && *at ? 1 : 0;
    return at < end && (unsigned char)*at < 0x80 && *at != '\n' ? at + 1 : at;
}

static size_t entity_at(const char *at, const char *end, char *is) {
    static const struct {
        const char *word;
        char is;
    } entities[] = {{"&gt;", '>'},   {"&lt;", '<'},    {"&amp;", '&'}, {"&quot;", '"'},
                    {"&#39;", '\''}, {"&apos;", '\''}, {"&nbsp;", ' '}};
    for (size_t i = 0; i < sizeof entities / sizeof *entities; i++) {
        size_t length = strlen(entities[i].word);
        if ((size_t)(end - at) >= length && memcmp(at, entities[i].word, length) == 0) {
            *is = entities[i].is;
            return length;
        }
    }
    return 0;
}

static bool plain_characters(struct sw_pasted *text) {
    struct sw_pasted made = {0};
    struct pasted_pass pass = {.in = text, .out = &made};
    const char *at = text->bytes.items, *end = at + text->bytes.count, *from = at;
    bool good = true;
    while (good && at < end) {
        char is = '\0';
        size_t length = 0;
        enum sw_pasted_kind kind = SW_PASTED_COLOR;
        if (*at == '\x1b' || *at == '[' || *at == '^') {
            length = (size_t)(past_color(at, end) - at);
        } else if (*at == '&') {
            length = entity_at(at, end, &is);
            kind = SW_PASTED_ENTITY;
        } else if (*at == '\r') {
            kind = SW_PASTED_RETURN;
            while (length < (size_t)(end - at) && at[length] == '\r') {
                length++;
            }
            is = at + length < end && at[length] == '\n' ? '\0' : '\n';
        } else if (*at == '\xc2' && end - at > 1 && at[1] == '\xa0') {
            kind = SW_PASTED_SPACE;
            length = 2;
            is = ' ';
        }
        if (length > 0) {
            good = keep(&pass, from, at) && (!is || put(&pass, at, is));
            text->taken[kind]++;
            from = at + length;
        }
        at += length ? length : 1;
    }
    good = good && keep(&pass, from, end);
    return end_pass(text, &made, good);
}

/* ---- what stands at the front of lines ---- */

/* Where the line goes on behind it; NULL: it is not here. `state` is 0 at the first line. */
typedef const char *pasted_front_fn(const char *at, const char *end, uint64_t *state);

static const char *past_quote(const char *at, const char *end, uint64_t *state) {
    const char *from = at;
    (void)state;
    while (at < end && (*at == '>' || (*at == '|' && (at + 1 == end || at[1] == ' ')))) {
        at++;
        at += at < end && *at == ' ';
    }
    return at > from ? at : NULL;
}

#define BLANK_IS_TEXT (UINT64_C(1) << 63) /* in the state: a line goes on without a blank behind its number's mark */

/* The number of the line before and one, then a mark, a tab, a blank or nothing. */
static const char *past_line_number(const char *at, const char *end, uint64_t *state) {
    const char *digits = past_blanks(at, end), *stop = past_digits(digits, end), *mark = stop;
    uint64_t number = 0;
    if (stop == digits || stop - digits > 9) {
        return NULL;
    }
    for (const char *digit = digits; digit < stop; digit++) {
        number = number * 10 + (uint64_t)(*digit - '0');
    }
    uint64_t before = *state & ~BLANK_IS_TEXT;
    if (before && number != before + 1) {
        return NULL;
    }
    mark += mark < end && *mark == ' ' && mark + 1 < end && mark[1] == '|';
    if (mark < end && !strchr(":|.)\t ", *mark)) {
        return NULL;
    }
    *state = (*state & BLANK_IS_TEXT) | number;
    if (mark < end && *mark != '\t' && *mark != ' ') {
        mark++;
        *state |= mark < end && *mark != ' ' ? BLANK_IS_TEXT : 0;
        return mark + (mark < end && *mark == ' ' && !(*state & BLANK_IS_TEXT));
    }
    return mark + (mark < end);
}

static const char *past_clock(const char *at, const char *end) {
    if (end - at < 8 || at[2] != ':' || at[5] != ':') {
        return NULL;
    }
    for (int i = 0; i < 8; i++) {
        if (i % 3 != 2 && !sw_is_digit(at[i])) {
            return NULL;
        }
    }
    at += 8;
    return at < end && (*at == '.' || *at == ',') ? past_digits(at + 1, end) : at;
}

/* 2026-11-25T10:00:00.123Z, with a blank or a T, and any zone. */
static const char *past_date(const char *at, const char *end) {
    if (end - at < 19) {
        return NULL;
    }
    for (int i = 0; i < 10; i++) {
        if (i == 4 || i == 7 ? at[i] != '-' && at[i] != '/' : !sw_is_digit(at[i])) {
            return NULL;
        }
    }
    if (at[10] != 'T' && at[10] != ' ') {
        return NULL;
    }
    at = past_clock(at + 11, end);
    if (at && at < end && *at == 'Z') {
        return at + 1;
    }
    if (at && end - at >= 5 && (*at == '+' || *at == '-') && sw_is_digit(at[1]) && sw_is_digit(at[2])) {
        const char *minutes = at + 3 + (at[3] == ':');
        return past_digits(minutes, end);
    }
    return at;
}

static const char *past_word(const char *at, const char *end) {
    while (at < end && (sw_is_letter(*at) || sw_is_digit(*at) || strchr("-_./@", *at))) {
        at++;
    }
    return at;
}

/* A date, the name of a machine, the name of a program and its number. */
static const char *past_journal(const char *at, const char *end, uint64_t *state) {
    static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
    (void)state;
    const char *stamp = NULL, *name, *word;
    for (int month = 0; month < 12 && !stamp && end - at > 15; month++) {
        if (memcmp(at, months + 3 * (size_t)month, 3) == 0 && at[3] == ' ') {
            const char *day = past_blanks(at + 3, end), *behind = past_digits(day, end);
            stamp = behind > day && behind < end && *behind == ' ' ? past_clock(behind + 1, end) : NULL;
        }
    }
    stamp = stamp ? stamp : past_date(at, end);
    if (!stamp || stamp == end || *stamp != ' ') {
        return NULL;
    }
    name = past_word(stamp + 1, end);
    if (name == stamp + 1 || name == end || *name != ' ') {
        return NULL;
    }
    word = past_word(name + 1, end);
    if (word == name + 1 || word == end || *word != '[') {
        return NULL;
    }
    word = past_digits(word + 1, end);
    if (end - word < 2 || word[0] != ']' || word[1] != ':') {
        return NULL;
    }
    return word + 2 + (end - word > 2 && word[2] == ' ');
}

static const char *past_stream(const char *at, const char *end, uint64_t *state) {
    const char *stamp = past_date(at, end);
    (void)state;
    if (!stamp || end - stamp < 10 || (memcmp(stamp, " stdout ", 8) != 0 && memcmp(stamp, " stderr ", 8) != 0) ||
        (stamp[8] != 'F' && stamp[8] != 'P')) {
        return NULL;
    }
    return stamp[9] == ' ' ? stamp + 10 : NULL;
}

/* The name of a container, blanks, a bar, a blank; or [pod/name/container]. */
static const char *past_source(const char *at, const char *end, uint64_t *state) {
    const char *stop = past_word(at + (at < end && *at == '['), end);
    (void)state;
    if (at < end && *at == '[') {
        bool path = memchr(at, '/', (size_t)(stop - at)) != NULL;
        return path && end - stop > 1 && stop[0] == ']' && stop[1] == ' ' ? stop + 2 : NULL;
    }
    const char *bar = past_blanks(stop, end);
    if (stop == at || bar == stop || bar == end || *bar != '|') {
        return NULL;
    }
    return bar + 1 + (bar + 1 < end && bar[1] == ' ');
}

static const char *past_time(const char *at, const char *end, uint64_t *state) {
    bool bracket = at < end && *at == '[';
    (void)state;
    at += bracket;
    const char *stamp = past_date(at, end);
    stamp = stamp ? stamp : past_clock(at, end);
    if (!stamp && bracket) { /* seconds, as the kernel prints them */
        const char *seconds = past_blanks(at, end), *point = past_digits(seconds, end);
        stamp = point > seconds && point < end && *point == '.' ? past_digits(point + 1, end) : NULL;
    }
    if (!stamp || (bracket && (stamp == end || *stamp != ']'))) {
        return NULL;
    }
    stamp += bracket;
    return stamp == end ? stamp : *stamp == ' ' || *stamp == '\t' ? stamp + 1 : NULL;
}

/* One blank at a time: as many rounds as all lines have. */
static const char *past_indent(const char *at, const char *end, uint64_t *state) {
    (void)state;
    return at < end && is_blank_char(*at) ? at + 1 : NULL;
}

static const struct {
    pasted_front_fn *past;
    bool all; /* every line must have it */
} fronts[SW_PASTED_FRONTS] = {
    [SW_PASTED_QUOTE] = {past_quote, false},     [SW_PASTED_NUMBER] = {past_line_number, false},
    [SW_PASTED_JOURNAL] = {past_journal, false}, [SW_PASTED_STREAM] = {past_stream, false},
    [SW_PASTED_SOURCE] = {past_source, false},   [SW_PASTED_TIME] = {past_time, false},
    [SW_PASTED_INDENT] = {past_indent, true},
};

/* `tab`: how far a tab goes, to the next multiple of that. */
static size_t columns_of_line(const struct pasted_line *line, size_t tab) {
    size_t count = 0;
    for (const char *at = line->begin; at < line->end; at++) {
        count += *at == '\t' ? tab - count % tab : ((unsigned char)*at & 0xc0) != 0x80;
    }
    return count;
}

static size_t line_characters(const struct pasted_line *line) {
    return columns_of_line(line, 1);
}

static size_t first_word_length(const struct pasted_line *line) {
    const char *at = line->begin;
    while (at < line->end && !is_blank_char(*at)) {
        at++;
    }
    return (size_t)(at - line->begin);
}

/* The line as far as its last character that is no blank: `fold -s` leaves the blank at which it breaks. */
static struct pasted_line without_last_blanks(struct pasted_line line) {
    while (line.end > line.begin && is_blank_char(line.end[-1])) {
        line.end--;
    }
    return line;
}

/* Did the first word of the next line not fit into a mail's? */
static bool folds_into(const struct pasted_line *line, size_t columns, const struct pasted_line *next, size_t width) {
    return memchr(line->begin, ' ', (size_t)(line->end - line->begin)) && next->begin < next->end &&
           !is_blank_char(*next->begin) && columns + 1 + first_word_length(next) > width;
}

/* The length of the longest line that is quoted, where a mail breaks lines there; else 0. */
static size_t quote_width(const struct sw_pasted *text) {
    enum { LEAST_MAIL = 60, MOST_MAIL = 100 };
    size_t width = 0;
    uint64_t state = 0;
    struct pasted_line line = {0};
    while (next_pasted_line(text, &line)) {
        size_t length = past_quote(line.begin, line.end, &state) ? line_characters(&line) : 0;
        width = length > width ? length : width;
    }
    return width >= LEAST_MAIL && width <= MOST_MAIL ? width : 0;
}

/* A mail that breaks a quoted line leaves its rest without a quote. `before` is quoted, or such a rest itself. */
static bool is_rest(const struct pasted_line *before, const struct pasted_line *line, size_t width) {
    uint64_t state = 0;
    return width > 0 && before->begin && line->begin < line->end && line_characters(line) <= width &&
           !past_quote(line->begin, line->end, &state) && folds_into(before, line_characters(before), line, width);
}

/* Do 19 of 20 lines that are not blank have it, and two at the least? Of a quote the rests of lines count, too, if they
 * are no more than the quotes. `width`: where those are broken. */
static bool has_front(const struct sw_pasted *text, enum sw_pasted_kind kind, uint64_t *seen, size_t *width) {
    enum { LOOKED_AT_FIRST = 64 };
    size_t lines = 0, found = 0, rests = 0;
    uint64_t state = 0;
    struct pasted_line line = {0}, before = {0};
    *width = kind == SW_PASTED_QUOTE ? quote_width(text) : 0;
    while (next_pasted_line(text, &line)) {
        if (!is_blank_line(&line)) {
            bool has = fronts[kind].past(line.begin, line.end, &state) != NULL;
            bool rest = !has && is_rest(&before, &line, *width);
            lines++;
            found += has || rest;
            rests += rest;
            before = has || rest ? line : (struct pasted_line){0};
        } else {
            before = (struct pasted_line){0};
        }
        if ((fronts[kind].all && found < lines) || (lines == LOOKED_AT_FIRST && found < LOOKED_AT_FIRST / 2)) {
            return false;
        }
    }
    *seen = state & BLANK_IS_TEXT;
    return found - rests >= 2 && rests * 2 <= found && (lines - found) * 20 <= lines;
}

/* Loggers of containers break long lines, and mark all pieces but the last with P. */
static bool goes_on(const char *front, const char *end, enum sw_pasted_kind kind) {
    const char *stamp = kind == SW_PASTED_STREAM ? past_date(front, end) : NULL;
    return stamp && stamp[8] == 'P';
}

static bool without_front(struct sw_pasted *text, enum sw_pasted_kind kind, uint64_t state, size_t width) {
    struct sw_pasted made = {0};
    struct pasted_pass pass = {.in = text, .out = &made};
    struct pasted_line line = {0}, next;
    bool good = true, rest = false;
    while (good && next_pasted_line(text, &line)) {
        const char *behind = fronts[kind].past(line.begin, line.end, &state);
        bool on = behind && goes_on(line.begin, line.end, kind);
        next = line;
        rest = (behind || rest) && next_pasted_line(text, &next) && is_rest(&line, &next, width);
        good = keep(&pass, behind ? behind : line.begin, on || rest ? line.end : line.next) &&
               (!rest || put(&pass, line.end, ' '));
        text->taken[kind] += behind != NULL;
        text->joined += rest;
        text->width = rest ? width : text->width;
    }
    return end_pass(text, &made, good);
}

/* ---- fences and prompts ---- */

static bool is_fence(const struct pasted_line *line) {
    const char *at = past_blanks(line->begin, line->end);
    if (line->end - at < 3 || (memcmp(at, "```", 3) != 0 && memcmp(at, "~~~", 3) != 0)) {
        return false;
    }
    return past_blanks(past_word(at + 3, line->end), line->end) == line->end;
}

/* What stands between fences, where there are pairs of them; without a pair only the fence goes. */
static bool without_fences(struct sw_pasted *text) {
    struct pasted_line line = {0};
    size_t count = 0;
    while (next_pasted_line(text, &line)) {
        count += is_fence(&line);
    }
    if (count == 0) {
        return true;
    }
    struct sw_pasted made = {0};
    struct pasted_pass pass = {.in = text, .out = &made};
    bool good = true, inside = count % 2 != 0;
    line = (struct pasted_line){0};
    while (good && next_pasted_line(text, &line)) {
        if (is_fence(&line)) {
            inside = count % 2 != 0 || !inside;
        } else if (inside) {
            good = keep(&pass, line.begin, line.next);
            continue;
        }
        text->taken[SW_PASTED_FENCE]++;
    }
    return end_pass(text, &made, good);
}

/* user@machine:folder$, also in brackets and behind the name of an environment. */
static bool is_shell_prompt(const char *at, const char *end) {
    const char *name = past_word(at + (at < end && (*at == '[' || *at == '(')), end);
    if (at < end && *at == '(') {
        at = name < end && *name == ')' ? past_blanks(name + 1, end) : at;
        name = past_word(at + (at < end && *at == '['), end);
    }
    if (!memchr(at, '@', (size_t)(name - at)) || name == end || (*name != ':' && *name != ' ')) {
        return false;
    }
    while (name < end && *name != '$' && *name != '#' && *name != '%') {
        name++;
    }
    return name < end && (name + 1 == end || name[1] == ' ');
}

static bool is_prompt(const struct pasted_line *line) {
    static const char *const prompts[] = {"$ ", "% ", ">>> ", "... ", "(gdb) ", "(Pdb) ", "In [", "PS "};
    for (size_t i = 0; i < sizeof prompts / sizeof *prompts; i++) {
        size_t length = strlen(prompts[i]);
        if ((size_t)(line->end - line->begin) >= length && memcmp(line->begin, prompts[i], length) == 0) {
            return true;
        }
    }
    return (line->end - line->begin == 1 && *line->begin == '$') || is_shell_prompt(line->begin, line->end);
}

/* The commands before the text and after it. */
static bool without_prompts(struct sw_pasted *text) {
    struct pasted_line line = {0};
    const char *begin = NULL, *end = NULL;
    size_t count = 0, later = 0;
    while (next_pasted_line(text, &line)) {
        if (is_prompt(&line)) {
            *(begin ? &later : &count) += 1;
        } else if (!is_blank_line(&line)) {
            begin = begin ? begin : line.begin;
            end = line.next;
            later = 0;
        }
    }
    if (!begin || count + later == 0) {
        return true;
    }
    struct sw_pasted made = {0};
    struct pasted_pass pass = {.in = text, .out = &made};
    text->taken[SW_PASTED_PROMPT] += count + later;
    return end_pass(text, &made, keep(&pass, begin, end));
}

/* ---- broken lines ---- */

/* Do two lines begin alike? Then both begin something. */
static bool begin_alike(const struct pasted_line *one, const struct pasted_line *other) {
    enum { ALIKE = 6 };
    return one->end - one->begin >= ALIKE && other->end - other->begin >= ALIKE &&
           memcmp(one->begin, other->begin, ALIKE) == 0;
}

static bool is_usual_width(size_t width) {
    return width == 80 || width == 100 || width == 120 || width == 132 || width == 160;
}

/* Does a word go on from one line to the next? */
static bool tears_word(const struct pasted_line *line, const struct pasted_line *next) {
    return line->end > line->begin && next->end > next->begin &&
           (sw_is_digit(line->end[-1]) || sw_is_letter(line->end[-1])) &&
           (sw_is_digit(*next->begin) || sw_is_letter(*next->begin));
}

/* How far a tab goes where the lines were broken: as in a terminal, unless a line with tabs would be longer than all
 * without. */
static size_t tab_columns(const struct sw_pasted *text) {
    enum { TAB = 8 };
    size_t plain = 0, tabbed = 0;
    struct pasted_line line = {0};
    while (next_pasted_line(text, &line)) {
        bool tabs = memchr(line.begin, '\t', (size_t)(line.end - line.begin));
        size_t columns = columns_of_line(&line, TAB), *most = tabs ? &tabbed : &plain;
        *most = SW_MAX(columns, *most);
    }
    return tabbed > plain && plain > 0 ? 1 : TAB;
}

static bool whole_lines(struct sw_pasted *text, bool at_blanks) {
    enum { LEAST_WIDTH = 40, MOST_WIDTH = 250, LEAST_FOLDED = 12 };
    size_t width = 0, full = 0, torn = 0, alike = 0, lines = 0, tab = tab_columns(text);
    struct pasted_line line = {0}, next;
    while (next_pasted_line(text, &line)) {
        struct pasted_line bare = without_last_blanks(line);
        size_t length = columns_of_line(at_blanks ? &bare : &line, tab);
        lines++;
        full = length > width ? 1 : full + (length == width);
        width = length > width ? length : width;
    }
    if (width < LEAST_WIDTH || width > MOST_WIDTH || (!at_blanks && full < 2 && width != 80)) {
        return true;
    }
    struct sw_pasted made = {0};
    struct pasted_pass pass = {.in = text, .out = &made};
    struct pasted_line first = {0}; /* where what is written now began */
    bool good = true, begins = true;
    line = (struct pasted_line){0};
    text->width = width;
    for (bool more = next_pasted_line(text, &line); good && more; line = next) {
        struct pasted_line bare = without_last_blanks(line);
        size_t length = columns_of_line(at_blanks ? &bare : &line, tab);
        next = line;
        more = next_pasted_line(text, &next);
        first = begins ? line : first;
        /* A word that would end with the line is broken off by `fold -s`, as the blank behind it does not fit. */
        bool fits = at_blanks ? !folds_into(&bare, length, &next, width - 1) : length < width;
        bool joins = more && !fits && !begin_alike(&first, &next);
        good = keep(&pass, line.begin,
                    !joins      ? line.next
                    : at_blanks ? bare.end
                                : line.end) &&
               (!joins || !at_blanks || put(&pass, line.end, ' '));
        text->joined += joins;
        torn += joins && tears_word(&line, &next);
        alike += more && !fits && !joins;
        begins = !joins;
    }
    bool usual = is_usual_width(width) && full > 1 && (torn > 0 || full > 2);
    text->folded = at_blanks && lines >= LEAST_FOLDED && text->joined * 4 >= lines;
    text->torn = !at_blanks && alike * 4 <= text->joined && (usual || (full > 3 && torn > 1));
    return end_pass(text, &made, good);
}

/* ---- all of it ---- */

static bool take_off(struct sw_pasted *text) {
    enum { MOST_ROUNDS = 64 };
    for (int round = 0, found = 0; round < MOST_ROUNDS && found < SW_PASTED_FRONTS; round++) {
        uint64_t seen = 0;
        size_t width = 0;
        if (!without_fences(text) || !without_prompts(text)) {
            return false;
        }
        for (found = 0; found < SW_PASTED_FRONTS && !has_front(text, (enum sw_pasted_kind)found, &seen, &width);) {
            found++;
        }
        if (found < SW_PASTED_FRONTS && !without_front(text, (enum sw_pasted_kind)found, seen, width)) {
            return false;
        }
    }
    return true;
}

bool sw_pasted_clean(const struct sw_input *input, enum sw_pasted_way way, struct sw_pasted *out,
                     struct sw_error *error) {
    const char *begin = sw_text_begin(input), *end = sw_text_end(input);
    *out = (struct sw_pasted){0};
    if (begin == end) {
        return true;
    }
    bool good = push_origin(out, (size_t)(begin - input->bytes)) && push_bytes(out, begin, (size_t)(end - begin)) &&
                plain_characters(out) && (way != SW_PASTED_CUT || whole_lines(out, false)) && take_off(out) &&
                (way != SW_PASTED_BROKEN || whole_lines(out, false)) &&
                (way != SW_PASTED_FOLDED || whole_lines(out, true));
    return good || sw_fail_memory(error);
}

bool sw_pasted_changed(const struct sw_pasted *pasted) {
    size_t sum = pasted->joined;
    for (size_t i = 0; i < SW_PASTED_KINDS; i++) {
        sum += pasted->taken[i];
    }
    return sum > 0;
}

bool sw_pasted_strange(const struct sw_pasted *pasted) {
    static const enum sw_pasted_kind strange[] = {SW_PASTED_QUOTE,  SW_PASTED_NUMBER, SW_PASTED_JOURNAL,
                                                  SW_PASTED_STREAM, SW_PASTED_SOURCE, SW_PASTED_COLOR,
                                                  SW_PASTED_ENTITY};
    size_t sum = 0;
    for (size_t i = 0; i < sizeof strange / sizeof *strange; i++) {
        sum += pasted->taken[strange[i]];
    }
    return sum > 0;
}

void sw_pasted_locate(const struct sw_pasted *pasted, const struct sw_input *original, uint32_t *line,
                      uint32_t *column) {
    const char *at = pasted->bytes.items, *end = at + pasted->bytes.count;
    for (uint32_t i = 1; i < *line && at < end; i++) {
        const char *found = memchr(at, '\n', (size_t)(end - at));
        at = found ? found + 1 : end;
    }
    size_t place = (size_t)(at - pasted->bytes.items) + (*column ? *column - 1 : 0);
    struct pasted_pass pass = {.in = pasted};
    if (*line == 0) {
        return;
    }
    place = place < pasted->bytes.count ? place : pasted->bytes.count;
    size_t from = pasted->pieces.count ? origin_of(&pass, place) : 0;
    struct sw_position position =
        sw_text_position(original, original->bytes + (from < original->length ? from : original->length));
    *line = position.line;
    *column = *column ? position.column : 0;
}

void sw_pasted_words(const struct sw_pasted *pasted, struct sw_sink *sink) {
    static const struct {
        const char *what, *where;
    } words[SW_PASTED_KINDS] = {
        [SW_PASTED_QUOTE] = {"quotes taken off", "line"},
        [SW_PASTED_NUMBER] = {"line numbers taken off", "line"},
        [SW_PASTED_JOURNAL] = {"a journal's stamps taken off", "line"},
        [SW_PASTED_STREAM] = {"a container's stamps taken off", "line"},
        [SW_PASTED_SOURCE] = {"names of containers taken off", "line"},
        [SW_PASTED_TIME] = {"time stamps taken off", "line"},
        [SW_PASTED_INDENT] = {"indentation taken off", "blank"},
        [SW_PASTED_FENCE] = {"fences, and what is outside, left out:", "line"},
        [SW_PASTED_PROMPT] = {"prompts left out:", "line"},
        [SW_PASTED_COLOR] = {"colors taken off at", "place"},
        [SW_PASTED_ENTITY] = {"HTML entities undone at", "place"},
        [SW_PASTED_RETURN] = {"carriage returns taken off at", "place"},
        [SW_PASTED_SPACE] = {"blanks that do not break made plain at", "place"},
    };
    const char *before = "pasted text: ";
    for (size_t i = 0; i < SW_PASTED_KINDS; i++) {
        if (pasted->taken[i] > 0) {
            sw_sink_printf(sink, "%s%s %zu %s%s", before, words[i].what, pasted->taken[i], words[i].where,
                           pasted->taken[i] == 1 ? "" : "s");
            before = "; ";
        }
    }
    if (pasted->joined > 0) {
        sw_sink_printf(sink, "%slines wrapped at %zu columns joined: %zu", before, pasted->width, pasted->joined);
    }
}
