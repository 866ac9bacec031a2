#include "formats/trace/read/trace_text.h"
#include "base/base.h"

#include "formats/open_file.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TEXT_WINDOW = 1 << 18, MOST_OF_A_LINE = 1 << 28 };

bool sw_trace_text_open(struct sw_trace_text *text, const struct sw_input *input, struct sw_error *error) {
    *text = (struct sw_trace_text){.live = -1};
    if (!sw_input_keep(input, &text->input, error)) {
        return false;
    }
    text->length = input->whole ? input->whole : input->length;
    return true;
}

bool sw_trace_text_grow(struct sw_trace_text *text, struct sw_error *error) {
    struct stat about;
    text->live = text->live >= 0 ? text->live : sw_open_regular(text->input.name, NULL, error);
    if (text->live < 0) {
        return false;
    }
    if (fstat(text->live, &about) != 0) {
        return sw_fail(error, SW_ERROR_IO, "cannot read it again: %s", strerror(errno));
    }
    text->length = about.st_size > (off_t)text->length ? (uint64_t)about.st_size : text->length;
    return true;
}

void sw_trace_text_close(struct sw_trace_text *text) {
    if (text->live >= 0) {
        close(text->live);
    }
    sw_input_close(&text->input);
    SW_ARRAY_DONE(&text->window);
    *text = (struct sw_trace_text){.live = -1};
}

/* Have at least `want` bytes from `at` on in the window, or all that there are. */
static bool fill_window(struct sw_trace_text *text, uint64_t at, size_t want, struct sw_error *error) {
    uint64_t left = text->length - at;
    size_t goal = left < want ? (size_t)left : want, have = 0;
    if (!SW_RESERVE(&text->window, goal + 1)) {
        return sw_fail_memory(error);
    }
    if (at >= text->from && at - text->from < text->window.count) { /* what is there already */
        have = text->window.count - (size_t)(at - text->from);
        memmove(text->window.items, text->window.items + (at - text->from), have);
    }
    text->from = at;
    text->window.count = have;
    char *to = text->window.items + have;
    bool good = text->live >= 0 ? sw_read_at(text->live, at + have, to, goal - have, error)
                                : sw_input_read(&text->input, at + have, to, goal - have, error);
    text->window.count = good ? goal : have;
    return good;
}

/* Where the bytes from `at` on are in memory, and how many there are. */
static const char *have(struct sw_trace_text *text, uint64_t at, size_t *count) {
    if (text->live < 0 && text->input.whole == 0) {
        *count = (size_t)(text->length - at);
        return text->input.bytes + at;
    }
    bool there = at >= text->from && at - text->from <= text->window.count;
    *count = there ? text->window.count - (size_t)(at - text->from) : 0;
    return there ? text->window.items + (at - text->from) : text->window.items;
}

bool sw_trace_text_line(struct sw_trace_text *text, uint64_t at, struct sw_trace_piece *piece, struct sw_error *error) {
    size_t count, looked = 0;
    at = at < text->length ? at : text->length;
    const char *begin = have(text, at, &count), *found = count > 0 ? memchr(begin, '\n', count) : NULL;
    while (!found && at + count < text->length) {
        looked = count;
        if (count > MOST_OF_A_LINE) {
            return sw_fail(error, SW_ERROR_INPUT, "a line of this trace has more than %d MiB", MOST_OF_A_LINE >> 20);
        }
        if (!fill_window(text, at, count < TEXT_WINDOW / 2 ? TEXT_WINDOW : 4 * count, error)) {
            return false;
        }
        begin = have(text, at, &count);
        found = memchr(begin + looked, '\n', count - looked);
    }
    *piece = (struct sw_trace_piece){.begin = begin, .at = at, .ended = found != NULL};
    piece->end = found ? found : begin + count;
    piece->next = at + (uint64_t)(piece->end - begin) + (found != NULL);
    if (piece->end > begin && piece->end[-1] == '\r') {
        piece->end--;
    }
    if (at == 0 && piece->end - begin >= 3 && memcmp(begin, "\xef\xbb\xbf", 3) == 0) {
        piece->begin += 3; /* a byte order mark counts as nothing */
    }
    return true;
}

bool sw_trace_text_fail(const struct sw_trace_text *text, const struct sw_trace_piece *piece, uint32_t line,
                        const char *at, struct sw_error *error, const char *format, ...) {
    char message[sizeof error->message];
    SW_FORMAT_INTO(message, format);
    sw_fail(error, SW_ERROR_INPUT, "%s", message);
    sw_error_at(error, text->input.name, line, (uint32_t)(at - piece->begin) + 1);
    return false;
}
