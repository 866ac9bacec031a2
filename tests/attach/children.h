/* What the tests of child processes share: starting one, taking turns with it, and what it may not leave behind. */
#ifndef TESTS_ATTACH_CHILDREN_H
#define TESTS_ATTACH_CHILDREN_H

#include "../unit/unit.h"

#include "attach/child.h"
#include "share.h"

#include <time.h>

enum { DEADLINE = 120 }; /* seconds, for what takes milliseconds */

/* What was recorded, as a text that ends in NUL. */
struct text {
    SW_ARRAY(char) bytes;
};

const char *planner(void); /* the path of planner.c's program */
/* Start a command, or fail the test. NULL: in this directory. */
struct sw_child *start_in(const char *directory, const char *const *argv);
#define START(...) start_in(NULL, (const char *const[]){__VA_ARGS__, NULL})

const char *text_of(struct text *);
time_t steady_seconds(void);
/* Sleep until something happens, and take it. */
void turn(struct sw_child *, bool holding, struct text *);
/* Take turns until the child has ended and its recording is over. */
void run_out(struct sw_child *, struct text *);
/* End it; nothing of it may be left. */
void end(struct sw_child *, struct text *);

/* Take turns while the condition holds. */
#define WHILE(child, holding, text, condition)                                                         \
    for (time_t until_ = steady_seconds() + DEADLINE; (condition); turn((child), (holding), (text))) { \
        if (steady_seconds() > until_) {                                                               \
            fail_msg("still: %s", #condition);                                                         \
        }                                                                                              \
    }

unsigned occurrences(const char *text, const char *word);
void assert_lines(const struct sw_child *, enum sw_child_stream, unsigned lines, const char *expected);
/* The folder of the pipe, from what `sh -c 'echo $STOWAGE_RECORD'` recorded. */
void folder_of(const struct text *, char folder[256]);
/* How many processes had this folder's pipe when they were started. */
unsigned count_marked(const char *folder);

/* Before and after each test: the same descriptors, no children, an empty folder. The state is a place. */
struct place {
    char folder[64];
    unsigned descriptors;
};
int enter(void **state);
int leave(void **state);
#define CASE(test) cmocka_unit_test_setup_teardown(test, enter, leave)

#endif
