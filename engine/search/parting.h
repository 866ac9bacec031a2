/* Where two runs part, read from their journals: for comparing planners, and a run with its what-if. */
#ifndef SW_SEARCH_PARTING_H
#define SW_SEARCH_PARTING_H

#include "search/search.h"

/* How far two runs have been found to agree. Zero it to start with. */
struct sw_parting {
    uint64_t agreed; /* decisions 1 to this are the same in both */
    uint64_t step;   /* the first one that differs; 0: none is known */
    /* When two decisions agree, for runs of different problems; NULL: as said below. */
    bool (*same)(const void *context, const struct sw_decision *, const struct sw_decision *);
    const void *context;
};
/* Go on from what was found before, over what both know; at most `most` decisions (0 = all). True: there
 * is more to look at. Decisions agree when they are of one kind, about the same buffer, tier, offset and
 * size. One run that ended where the other went on parts there. */
bool sw_parting_find(struct sw_parting *, const struct sw_search *, const struct sw_search *other,
                     uint64_t most);

#endif
