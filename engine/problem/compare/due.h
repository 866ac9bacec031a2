/* What the difference of a figure between two versions of a model is due to, in parts that add up to it exactly.
 *
 * The kinds of change are made one on top of the other, in the order of enum sw_due_kind, and each time the old
 * planner plans what came of it: a part is what the figure changes by then. A kind of which there is no change is
 * left out, its part is 0. Last the new planner plans the new model: that part is what it chose otherwise. Where a
 * model in between cannot be made or planned, two kinds or more have one part together.
 *
 * Without a planner that can be asked, as of two finished plans, it is the lower bounds that the parts of the model
 * are taken from, and the part of the planner is what it needs more or less above them. */
#ifndef SW_PROBLEM_DUE_H
#define SW_PROBLEM_DUE_H

#include "problem/compare/between.h"

SW_C_BEGIN

struct sw_due_part {
    unsigned kinds; /* a set; of one, but where they could not be told apart */
    int64_t figure; /* more or less of it */
    int64_t bound;  /* the same of the lower bound */
};
struct sw_due {
    unsigned kinds; /* of which there is any change */
    bool by_bound;
    size_t count; /* of parts; each kind of change is in one of them */
    struct sw_due_part parts[SW_DUE_KINDS];
};

/* The figure of the model, planned as on the old side; where it has none, `known` is false. False: the error says why
 * nothing goes on, of a run that was interrupted say. */
typedef bool sw_due_figure_fn(void *context, const struct sw_problem *, bool *known, uint64_t *figure,
                              struct sw_error *);
struct sw_due_sides {
    uint64_t old, fresh;      /* the figures that differ */
    bool again;               /* the old figure came from elsewhere: the old model is planned once more, too */
    bool other;               /* the new figure is of another planner, or of other settings */
    sw_due_figure_fn *figure; /* NULL: there is no planner to ask */
    void *context;
};
/* As costly as the runs. False: no memory, or what `figure` said. */
bool sw_due_find(const struct sw_pairing *, const struct sw_due_sides *, struct sw_due *, struct sw_error *);

SW_C_END

#endif
