/* Does a planner that is run again decide the same? Line by line, byte for byte. */
#include "attach/child.h"
#include "formats/text/json.h"

#include <string.h>

/* The kind of an object is the first of these keys that it has. Compared are decisions and what is declared. */
enum kind { HEADER, GRAPH, DECISION, CANDIDATE, STATE, END, GROUP, ALLOC, FREE, OPERATOR, BUFFER, TIER, OTHER };
static const char *const keys[OTHER] = {"stowage-trace", "graph", "decision", "candidate", "state",  "end",
                                        "group",         "alloc", "free",     "operator",  "buffer", "tier"};

static enum kind kind_of(const char *line, size_t length) {
    enum kind kind = OTHER;
    struct sw_json_walk walk;
    sw_json_walk_begin(&walk, line, line + length);
    while (walk.key && sw_json_walk_next(&walk)) {
        for (enum kind k = HEADER; k < kind; k++) {
            if (sw_json_walk_is(&walk, keys[k])) {
                kind = k;
                break;
            }
        }
    }
    return kind;
}

static bool is_compared(enum kind kind) {
    return kind == DECISION || kind == GRAPH || (kind >= ALLOC && kind <= TIER);
}

struct line {
    const char *text; /* NULL: there is none */
    size_t length, next;
    enum kind kind;
    bool ended; /* and there never will be */
};

/* The next line that is compared, from `at` on. A header behind the beginning is another run. */
static struct line next_line(const struct sw_run_text *recording, size_t at) {
    while (at < recording->length) {
        const char *text = recording->text + at, *stop = memchr(text, '\n', recording->length - at);
        if (!stop && !recording->whole) {
            return (struct line){.next = at, .kind = OTHER};
        }
        size_t length = stop ? (size_t)(stop - text) : recording->length - at;
        enum kind kind = kind_of(text, length);
        if (kind == HEADER && at > 0) {
            return (struct line){.next = at, .kind = OTHER, .ended = true};
        }
        at += length + (stop != NULL);
        if (is_compared(kind)) {
            return (struct line){text, length, at, kind, false};
        }
    }
    return (struct line){.next = at, .kind = OTHER, .ended = recording->whole};
}

static bool is_same(const struct line *a, const struct line *b) {
    return a->length == b->length && memcmp(a->text, b->text, a->length) == 0;
}

/* A run that has ended parts at a decision that the other one has, and what it lacks is that. */
static enum sw_same part(const struct line *was, const struct line *is, struct sw_rerun *rerun) {
    rerun->decision = rerun->same + 1;
    rerun->declared = (was->text && was->kind != DECISION) || (is->text && is->kind != DECISION);
    rerun->was = was->text;
    rerun->was_length = was->length;
    rerun->is = is->text;
    rerun->is_length = is->length;
    return SW_NOT_SAME;
}

enum sw_same sw_runs_compare(const struct sw_run_text *before, const struct sw_run_text *now, uint64_t decisions,
                             struct sw_rerun *rerun) {
    while (rerun->same < decisions) {
        struct line was = next_line(before, rerun->at[0]), is = next_line(now, rerun->at[1]);
        if (!is.text && !is.ended) {
            rerun->at[1] = is.next;
            return SW_SAME_SO_FAR;
        }
        if (!was.text && !is.text) {
            return SW_SAME; /* both ended here */
        }
        if (!was.text || !is.text || !is_same(&was, &is)) {
            return part(&was, &is, rerun);
        }
        rerun->at[0] = was.next;
        rerun->at[1] = is.next;
        rerun->same += was.kind == DECISION;
    }
    return SW_SAME;
}
