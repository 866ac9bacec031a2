/* A tape: a run that some planner made, as a file tells it.
 *
 * A file may hold, besides the problem, what a planner decided on it (the planner `recorded` steps through that). Where
 * a decision stands in the file is known to the reader, what it means only when the problem is built, for then names
 * have numbers. So a reader hands a tape to the builder, and every problem that is built, the first one and those that
 * edits make of it, binds it once: the tape becomes a recording in that problem's numbers
 * (planners/recorded/recording.h).
 *
 * A tape is shared by reference count; so is the text that it reads, which it owns. */
#ifndef SW_PROBLEM_TAPE_H
#define SW_PROBLEM_TAPE_H

#include "base/error.h"

#include <stddef.h>

SW_C_BEGIN

struct sw_problem;
struct sw_recording;
struct sw_tape;

struct sw_tape_kind {
    /* What the tape says in the numbers of this problem. The recording belongs to the problem, which frees it first.
     * NULL: it contradicts the problem, or no memory. */
    struct sw_recording *(*bind)(struct sw_tape *, const struct sw_problem *, struct sw_error *);
    void (*release)(struct sw_recording *);
    void (*close)(struct sw_tape *); /* when nothing refers to the tape any more */
};
struct sw_tape {
    size_t references; /* 1 to start with */
    const struct sw_tape_kind *kind;
};
struct sw_tape *sw_tape_ref(struct sw_tape *); /* NULL is allowed */
void sw_tape_unref(struct sw_tape *);          /* NULL is allowed */

/* A sentence for the user, among the problem's notes. Only while the problem is being bound. False: no memory. */
bool sw_tape_note(const struct sw_problem *, const char *text);

SW_C_END

#endif
