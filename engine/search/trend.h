/* How good a run becomes: every figure it measures and, for planners with a population, the best, mean and
 * worst member at the end of each generation. Each reading of the journal goes on where the last one ended,
 * so that a plot of a long run can be drawn repeatedly. */
#ifndef SW_SEARCH_TREND_H
#define SW_SEARCH_TREND_H

#include "search/search.h"

SW_C_BEGIN

/* What is measured. */
enum sw_measure { SW_MEASURE_PEAK, SW_MEASURE_MOVED, SW_MEASURE_COST };

struct sw_trend_point { /* something was measured */
    uint64_t step;
    double value, best; /* best: of this one and all before */
};
struct sw_trend_round { /* a generation ended */
    uint64_t step;
    double best, mean, worst; /* NaN: no member was possible yet */
    uint64_t begin;           /* the decision before its first one */
    uint64_t measured;        /* in it */
};
struct sw_trend {
    bool any; /* something was measured, which is: */
    enum sw_measure measure;
    SW_ARRAY(struct sw_trend_point) points;
    SW_ARRAY(struct sw_trend_round) rounds;
    SW_ARRAY(double) sums;    /* of the values before a point */
    SW_ARRAY(double) worst;   /* of each whole block of points */
    uint64_t other;           /* figures of another kind, which are not among the points */
    uint64_t impossible;      /* results that were tried and have no figure */
    uint64_t began, measured; /* of the generation that is not over */
    uint64_t read;            /* decisions */
};
/* Zero it to start with; it is the caller's, and for this one run until sw_trend_done. Reads all that is
 * known. False: no memory. */
bool sw_trend_read(struct sw_trend *, const struct sw_search *);
void sw_trend_done(struct sw_trend *);
/* What a decision measures. False: nothing. */
bool sw_trend_figure(const struct sw_decision *, enum sw_measure *, double *value);
/* The first point after a step: an index, points.count when there is none. The same for rounds. */
size_t sw_trend_point_after(const struct sw_trend *, uint64_t step);
size_t sw_trend_round_after(const struct sw_trend *, uint64_t step);
/* Mean and worst of the points [from, to), which are not empty. O(block + points / block). */
void sw_trend_range(const struct sw_trend *, size_t from, size_t to, double *mean, double *worst);

SW_C_END

#endif
