/* Where two runs part, read from their journals, by a rule of the caller: for runs of different problems. Runs of one
 * model are compared in search/apart/setting_apart.h. */
#ifndef SW_SEARCH_PARTING_H
#define SW_SEARCH_PARTING_H

#include "search/search.h"

SW_C_BEGIN

/* How far two runs have been found to agree. Zero to start with, but for the rule. */
struct sw_parting {
    uint64_t agreed; /* decisions 1 to this are the same in both */
    uint64_t step;   /* the first one that differs; 0: none is known */
    /* Do two decisions agree? */
    bool (*same)(const void *context, const struct sw_decision *, const struct sw_decision *);
    const void *context;
};
/* Go on from what was found before, over the decisions known of both runs; at most `most` of them (0 = all).
 * True: there is more to look at. Where one run ended and the other went on, they part. */
bool sw_parting_find(struct sw_parting *, const struct sw_search *, const struct sw_search *other, uint64_t most);

SW_C_END

#endif
