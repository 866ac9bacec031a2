/* Notes on a picture, as --annotate takes them; formats.md describes the file. */
#ifndef SW_FORMATS_NOTES_H
#define SW_FORMATS_NOTES_H

#include "formats/format.h"

enum { SW_NOTES_MOST = 100, SW_NOTE_CHARACTERS = 400 };

struct sw_note {
    const char *text;
    uint32_t buffer;  /* what it speaks of; SW_NONE: of no buffer */
    const char *name; /* the buffer's, as the file has it */
    uint32_t step;    /* of time; SW_NONE */
    bool has_address;
    uint64_t address; /* counted from the base address */
    uint32_t tier;    /* of the address; SW_NONE: the only one */
    bool arrow;
    bool has_at; /* where the middle of the note stands: parts of the page's width and height */
    double x, y;
};
struct sw_notes {
    struct sw_arena arena;
    SW_ARRAY(struct sw_note) items;
};
/* Read the notes of a file; what they speak of must be in the problem. Zero `notes` to start with; done
 * with it also after a failure. */
bool sw_notes_read(const struct sw_input *, const struct sw_problem *, uint64_t base, struct sw_notes *,
                   struct sw_error *);
void sw_notes_done(struct sw_notes *);

#endif
