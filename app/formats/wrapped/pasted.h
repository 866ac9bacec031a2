/* Text that people pasted: without what mails, terminals, pagers and loggers put around it.
 *
 * What stands at the front of lines is taken off where 19 of 20 lines that are not blank have it, so that a quote in
 * the middle of a log stays. Kinds are tried in the order below, again and again, until none is found: "> 12: x" is a
 * numbered line that was quoted. The rest of a quoted line that a mail broke stands without a quote: it joins its line.
 * Whether the copy means more than the text itself is for its readers to say. */
#ifndef SW_FORMATS_PASTED_H
#define SW_FORMATS_PASTED_H

#include "formats/format.h"
#include "formats/wrapped/gzip.h"

/* How lines that were broken become whole. */
enum sw_pasted_way {
    SW_PASTED_LINES,  /* not: each line is one */
    SW_PASTED_BROKEN, /* a terminal breaks where its width ends: lines that are as long as any go on in the next,
                       * unless both begin alike */
    SW_PASTED_FOLDED, /* a mail breaks at blanks: a line goes on in the next when the next word did not fit */
    SW_PASTED_CUT,    /* as `broken`, but the terminal broke lines before anything was taken off */
    SW_PASTED_WAYS
};

/* What was taken off. The order of those that stand at the front of lines is that in which they are tried. */
enum sw_pasted_kind {
    SW_PASTED_QUOTE,
    SW_PASTED_NUMBER,
    SW_PASTED_JOURNAL, /* "Jan 01 10:00:00 host app[123]: " */
    SW_PASTED_STREAM,  /* "2026-11-25T10:00:00Z stdout F " */
    SW_PASTED_SOURCE,  /* "app-1  | " */
    SW_PASTED_TIME,
    SW_PASTED_INDENT,
    SW_PASTED_FRONTS, /* how many these are */
    SW_PASTED_FENCE = SW_PASTED_FRONTS,
    SW_PASTED_PROMPT,
    SW_PASTED_COLOR,
    SW_PASTED_ENTITY,
    SW_PASTED_RETURN,
    SW_PASTED_SPACE, /* blanks that do not break */
    SW_PASTED_KINDS
};

struct sw_pasted_piece {
    size_t at, from; /* from here on the text is the original's from there on */
};
struct sw_pasted {
    struct sw_bytes bytes;
    SW_ARRAY(struct sw_pasted_piece) pieces;
    size_t taken[SW_PASTED_KINDS]; /* lines, or places */
    size_t joined, width;          /* lines that go on in the next; how long lines are at most, in characters */
    /* Lines are broken for certain: several are as long as any, at a usual width or with words torn apart, and few of
     * the next begin like them. */
    bool torn;
    bool folded; /* so many lines go on in the next, at a blank, that a mail or `fold -s` may have broken them */
};

/* The text as it would have been. Of text alone. `out` needs sw_pasted_done in any case. False: no memory. */
bool sw_pasted_clean(const struct sw_input *, enum sw_pasted_way, struct sw_pasted *out, struct sw_error *);
/* Was anything taken off or joined? */
bool sw_pasted_changed(const struct sw_pasted *);
/* Was anything taken off that no program prints by itself? */
bool sw_pasted_strange(const struct sw_pasted *);
/* Where the byte at a line and column of the copy, both from 1, stands in the original. */
void sw_pasted_locate(const struct sw_pasted *, const struct sw_input *original, uint32_t *line, uint32_t *column);
/* "pasted text: quotes taken off 12 lines; lines wrapped at 80 columns joined: 14" */
void sw_pasted_words(const struct sw_pasted *, struct sw_sink *);
void sw_pasted_done(struct sw_pasted *);

#endif
