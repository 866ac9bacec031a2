/* Plans: from rows of any format to a layout, and the other way. */
#ifndef SW_FORMATS_PLAN_H
#define SW_FORMATS_PLAN_H

#include "formats/text/csv.h"
#include "formats/text/json_write.h"

/* What a file says of one placement. Texts are borrowed. */
struct sw_plan_entry {
    const char *name;
    const char *tier; /* NULL: not given */
    bool has_offset, has_size, has_life;
    uint64_t offset, size;
    int64_t first, last; /* closed raw times */
    uint64_t alignment;  /* 0: not given; the graph knows */
};
struct sw_plan_row {
    uint32_t buffer, tier;
    uint32_t from, to; /* steps */
    bool whole;        /* for its whole life */
    uint64_t offset;
    size_t source; /* whatever tells the reader where it found it */
};
struct sw_plan_maker {
    const struct sw_problem *problem;
    uint64_t base;
    SW_ARRAY(struct sw_plan_row) rows;
    /* What is wrong, and where: the row's source, and the column at fault. */
    size_t source;
    enum sw_column column;
    char complaint[SW_MESSAGE];
    bool memory; /* it was lack of memory */
    /* Where the plan and the graph disagree: NULL makes it an error, otherwise it is told and the graph is
     * believed. */
    sw_plan_mismatch_fn *mismatch;
    void *context;
};
/* Add a placement; false fills the complaint. Entries without an offset are left out. */
bool sw_plan_add(struct sw_plan_maker *, const struct sw_plan_entry *, size_t source);
/* Place everything. A buffer with several rows, each for a part of its life, gets several
 * placements. */
bool sw_plan_place(struct sw_plan_maker *, struct sw_layout *);

/* The step that begins at a raw time; false when none does. `steps` counts as the end. O(log n). */
bool sw_plan_step(const struct sw_problem *, int64_t time, uint32_t *step);

/* Read a plan from an open input; mismatch may be NULL. NULL on error. */
struct sw_layout *sw_plan_parse(const struct sw_input *, const struct sw_problem *, uint64_t base,
                                sw_plan_mismatch_fn *mismatch, void *context, struct sw_error *);
bool sw_plan_csv_read(const struct sw_input *, struct sw_plan_maker *, struct sw_layout *, struct sw_error *);
bool sw_plan_json_read(const struct sw_input *, struct sw_plan_maker *, struct sw_layout *, struct sw_error *);
bool sw_plan_json_detect(const struct sw_input *);
/* The planner that a plan names; false when it names none, or is not a plan. */
bool sw_plan_json_planner(const struct sw_input *, char *name, size_t size);

/* The order of the operators that a plan was made for, by their numbers, where it tells one (details.order); the
 * caller's. NULL: it tells none, or `error`, which is untouched then, has what is wrong. Whether the order is legal is
 * not looked at. */
uint32_t *sw_plan_json_order(const struct sw_input *, const struct sw_problem *, struct sw_error *error);

/* "placements":[...],"transfers":[...],"overwrites":[...] of a layout, in listed order: the part of
 * a summary that sw_plan_read reads. Times are raw, `base` is added to offsets. */
void sw_plan_json_lists(const struct sw_layout *, uint64_t base, struct sw_json_out *);

/* What a run's layout is right by only if operators can write over what they read; the list is the caller's.
 * None unless its planner assumes that. False: no memory. */
struct sw_assumed {
    SW_ARRAY(struct sw_permit) items;
};
bool sw_plan_assumed(const struct sw_result *, struct sw_assumed *);
/* {"buffer":B,"step":T,"from":X,"to":Y}, an item of a list; `outside` stands for no tier (NULL: null). */
void sw_plan_put_transfer(const struct sw_problem *, const struct sw_transfer *, const char *outside,
                          struct sw_json_out *);
/* {"new":B,"old":A,"step":T}, an item of a list. */
void sw_plan_put_permit(const struct sw_problem *, const struct sw_permit *, struct sw_json_out *);
/* "assumed_overwrites":[...] where its planner assumes, else nothing. No plan that is read back is believed. */
void sw_plan_json_assumed(const struct sw_result *, struct sw_json_out *);
/* How many of them there are, as a sentence with a blank before it; "" for none, NULL: no memory. */
const char *sw_plan_assumed_words(const struct sw_result *, char *text, size_t size);

#endif
