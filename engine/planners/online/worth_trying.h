/* Settings of the online allocators that are worth trying: what `stowage tune` searches, and what blame tries one by
 * one. */
#ifndef SW_PLANNERS_WORTH_TRYING_H
#define SW_PLANNERS_WORTH_TRYING_H

#include <stdbool.h>

enum { SW_WORTH_AXES = 5, SW_WORTH_VALUES = 16 };

/* A setting, and the values to try; the first is the default. */
struct sw_worth_axis {
    const char *key;
    const char *values[SW_WORTH_VALUES]; /* ended by NULL */
    int only_with;                       /* means something only where that axis is not at its default; -1: always */
    bool needs_limit;
};
struct sw_worth_trying {
    const char *planner;
    bool conf;               /* the settings are one parameter `conf`, as key:value,..., where a later one wins */
    const char *environment; /* the variable that takes them; NULL: none */
    struct sw_worth_axis axes[SW_WORTH_AXES]; /* ended by a NULL key */
};

/* NULL: of that planner nothing is tried. */
const struct sw_worth_trying *sw_worth_trying(const char *planner);

#endif
