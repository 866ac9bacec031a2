/* Shared by the files of this folder. */
#ifndef SW_SEARCH_APART_INTERNAL_H
#define SW_SEARCH_APART_INTERNAL_H

#include "search/apart/setting_apart.h"

struct sw_apart_trials;

struct sw_apart {
    struct sw_search *runs[2]; /* forks of the runs compared */
    uint64_t at[2];            /* their journals are compared up to here */
    uint64_t begun[2];         /* the work of each when it was forked */
    struct sw_apart_parting parting;
    struct sw_apart_cost costs[SW_MAX_TIERS]; /* the questions, of which so many are answered */
    uint32_t cost_count, answered;
    bool weighed;                   /* the questions are known */
    struct sw_apart_trials *trials; /* of the one that is answered next; NULL: they have not begun */
};

/* apart_trials.c */
/* Both runs stand at their ends: compare the plans, and ask. False: no memory. */
bool sw_apart_weigh(struct sw_apart *, struct sw_error *);
/* Some work on the next question. False: no memory. */
bool sw_apart_try(struct sw_apart *, uint64_t work, struct sw_error *);
void sw_apart_end_trials(struct sw_apart *);

#endif
