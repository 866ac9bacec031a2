/* Where in a journal to look: which decisions were about which buffer. */
#ifndef SW_VIEW_PAST_H
#define SW_VIEW_PAST_H

#include "view/view.h"

struct sw_journal_index {
    const struct sw_search *search;
    uint64_t read; /* decisions that are in it: journals only grow */
    uint32_t buffers;
    uint32_t *last;            /* per buffer: the last decision about it; 0: none */
    SW_ARRAY(uint32_t) before; /* per decision: the one before about the same buffer; 0: none */
};

/* Read the journal to its end. False: no memory, or it is too long; there is nothing to be freed. */
bool sw_journal_index_read(struct sw_journal_index *, const struct sw_search *);
void sw_journal_index_done(struct sw_journal_index *);

/* frame_cache.c: of the search; NULL: nothing can be kept, walk along the journal. */
const struct sw_journal_index *sw_frame_cache_past(struct sw_frame_cache *, const struct sw_search *);

#endif
