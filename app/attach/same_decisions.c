/* Does a planner that is run again decide the same? Line by line, byte for byte. */
#include "attach/child.h"
#include "formats/text/json.h"

#include <string.h>

/* The kind of an object is the first of these keys that it has. Compared are decisions and what is declared. */
static const struct line_kind {
    const char *key;
    bool compared;
} line_kinds[] = {
    {"stowage-trace", false}, {"graph", true},  {"decision", true}, {"candidate", false}, {"state", false},
    {"end", false},           {"group", false}, {"alloc", true},    {"free", true},       {"operator", true},
    {"buffer", true},         {"tier", true},   {"", false}};
static const struct line_kind *const header = &line_kinds[0], *const decided = &line_kinds[2];

static const struct line_kind *line_kind_of(const char *line, size_t length) {
    const struct line_kind *kind = line_kinds + sizeof line_kinds / sizeof *line_kinds - 1;
    struct sw_json_walk walk;
    sw_json_walk_begin(&walk, line, line + length);
    while (walk.key && sw_json_walk_next(&walk)) {
        for (const struct line_kind *k = header; k < kind; k++) {
            if (sw_json_walk_is(&walk, k->key)) {
                kind = k;
            }
        }
    }
    return kind;
}

struct compared_line {
    const char *text; /* NULL: there is none */
    size_t length, next;
    const struct line_kind *kind; /* of a text */
    bool ended;                   /* and there never will be */
};

/* The next line that is compared, from `at` on. A header behind the beginning is another run. */
static struct compared_line next_compared_line(const struct sw_run_text *recording, size_t at) {
    while (at < recording->length) {
        const char *text = recording->text + at, *stop = memchr(text, '\n', recording->length - at);
        if (!stop && !recording->whole) {
            return (struct compared_line){.next = at};
        }
        size_t length = stop ? (size_t)(stop - text) : recording->length - at;
        const struct line_kind *kind = line_kind_of(text, length);
        if (kind == header && at > 0) {
            return (struct compared_line){.next = at, .ended = true};
        }
        at += length + (stop != NULL);
        if (kind->compared) {
            return (struct compared_line){text, length, at, kind, false};
        }
    }
    return (struct compared_line){.next = at, .ended = recording->whole};
}

/* A run that has ended parts at a decision that the other one has, and what it lacks is that. */
static enum sw_same part_runs(const struct compared_line *was, const struct compared_line *is, struct sw_rerun *rerun) {
    rerun->decision = rerun->same + 1;
    rerun->declared = (was->text && was->kind != decided) || (is->text && is->kind != decided);
    rerun->was = was->text;
    rerun->was_length = was->length;
    rerun->is = is->text;
    rerun->is_length = is->length;
    return SW_NOT_SAME;
}

enum sw_same sw_runs_compare(const struct sw_run_text *before, const struct sw_run_text *now, uint64_t decisions,
                             struct sw_rerun *rerun) {
    while (rerun->same < decisions) {
        struct compared_line was = next_compared_line(before, rerun->at[0]), is = next_compared_line(now, rerun->at[1]);
        if (!is.text && !is.ended) {
            rerun->at[1] = is.next;
            return SW_SAME_SO_FAR;
        }
        if (!was.text && !is.text) {
            return SW_SAME; /* both ended here */
        }
        bool same = was.text && is.text && was.length == is.length && memcmp(was.text, is.text, is.length) == 0;
        if (!same) {
            return part_runs(&was, &is, rerun);
        }
        rerun->at[0] = was.next;
        rerun->at[1] = is.next;
        rerun->same += was.kind == decided;
    }
    return SW_SAME;
}
