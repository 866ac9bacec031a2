/* The table of planners, made from planners.def; and those that were made at run time. */
#include "planners/planner_internal.h"
#include "base/base.h"
#include "problem/requests.h"

static const struct sw_planner *const listed_planners[] = {
#define PLANNER(name, file) &name,
#include "planners/planners.def"
#undef PLANNER
};

enum { BUILT_IN = sizeof listed_planners / sizeof listed_planners[0], MOST_REGISTERED = 64 };

/* Those made at run time, in the order in which they came. */
static const struct sw_planner *registered[MOST_REGISTERED];
static size_t registered_count;

size_t sw_planner_count(void) {
    return BUILT_IN + registered_count;
}

size_t sw_planner_built_in_count(void) {
    return BUILT_IN;
}

/* Append to a list with commas between, as far as there is room. */
static void append_name(char *names, size_t size, const char *name) {
    sw_text_add(names, size, "%s%s", *names ? ", " : "", name);
}

void sw_planners_that_read(unsigned reads, char *names, size_t size) {
    names[0] = '\0';
    for (size_t i = 0; i < BUILT_IN; i++) {
        if (listed_planners[i]->reads & reads) {
            append_name(names, size, listed_planners[i]->name);
        }
    }
}

const struct sw_planner *sw_planner_get(size_t index) {
    return index < BUILT_IN ? listed_planners[index] : index < sw_planner_count() ? registered[index - BUILT_IN] : NULL;
}

const char *sw_planner_action_mark(const char *action) {
    for (size_t i = 0; i < BUILT_IN; i++) {
        const char *const(*marks)[2] = listed_planners[i]->action_marks;
        for (; marks && (*marks)[0]; marks++) {
            if ((*marks)[0] == action) { /* the text itself: a script may call its own action the same */
                return (*marks)[1];
            }
        }
    }
    return action;
}

bool sw_planner_register(const struct sw_planner *planner, struct sw_error *error) {
    for (size_t i = 0; i < sw_planner_count(); i++) {
        if (strcmp(sw_planner_get(i)->name, planner->name) == 0) {
            return sw_fail(error, SW_ERROR_USAGE, "there is a planner '%s' already", planner->name);
        }
    }
    if (registered_count == MOST_REGISTERED) {
        return sw_fail(error, SW_ERROR_USAGE, "%d planners are the most that can be added", MOST_REGISTERED);
    }
    registered[registered_count++] = planner;
    return true;
}

bool sw_planner_replace(const struct sw_planner *old, const struct sw_planner *fresh) {
    const struct sw_planner **slot = NULL;
    for (size_t i = 0; i < sw_planner_count(); i++) {
        const struct sw_planner *planner = sw_planner_get(i);
        if (planner != old && strcmp(planner->name, fresh->name) == 0) {
            return false;
        }
        slot = planner == old && i >= BUILT_IN ? &registered[i - BUILT_IN] : slot;
    }
    if (slot) {
        *slot = fresh;
    }
    return slot != NULL;
}

/* All names, in table order, or those that begin with `prefix`: "a, b, c". */
static void list_planner_names(const char *prefix, char *text, size_t size) {
    text[0] = '\0';
    for (size_t i = 0; i < sw_planner_count(); i++) {
        if (strncmp(sw_planner_get(i)->name, prefix, strlen(prefix)) == 0) {
            append_name(text, size, sw_planner_get(i)->name);
        }
    }
}

const struct sw_planner *sw_planner_find(const char *name, struct sw_error *error) {
    const struct sw_planner *found = NULL;
    size_t length = strlen(name), matches = 0;
    if (length == 0) { /* of sw_planner_usual */
        sw_fail(error, SW_ERROR_USAGE, "--then needs an allocator: -p cuda-caching or -p bfc-arena");
        return NULL;
    }
    for (size_t i = 0; i < sw_planner_count(); i++) {
        if (strcmp(sw_planner_get(i)->name, name) == 0) {
            return sw_planner_get(i);
        }
        if (strncmp(sw_planner_get(i)->name, name, length) == 0) {
            found = sw_planner_get(i);
            matches++;
        }
    }
    if (matches == 1) {
        return found;
    }
    char names[2048], rest[sizeof names + 16];
    const char *like = NULL;
    for (size_t i = 0; i < sw_planner_count(); i++) {
        like = sw_word_nearer(name, like, sw_planner_get(i)->name);
    }
    list_planner_names(matches ? name : "", names, sizeof names);
    if (matches) {
        sw_fail(error, SW_ERROR_USAGE, "'%s' may mean any of the planners %s", name, names);
    } else {
        snprintf(rest, sizeof rest, "; there are %s", names);
        sw_fail_unknown(error, "planner", name, like, rest);
    }
    return NULL;
}

/* The first buffer that may live in several tiers, and is not pinned to one. */
static const struct sw_buffer *chooser(const struct sw_problem *problem) {
    for (uint32_t i = 0; i < sw_problem_planned_count(problem); i++) {
        uint32_t buffer = sw_problem_order(problem)[i];
        const struct sw_buffer *b = sw_problem_buffer(problem, buffer);
        uint64_t tiers = sw_place_tiers(problem, buffer);
        if (!b->pinned && b->size > 0 && (tiers & (tiers - 1)) != 0) {
            return b;
        }
    }
    return NULL;
}

static bool holds_operators(const struct sw_problem *problem) {
    return sw_problem_operator_count(problem) > 0;
}

static bool holds_tiers(const struct sw_problem *problem) {
    return sw_problem_tier_count(problem) > 1 || sw_problem_tier(problem, 0)->bandwidth > 0;
}

static bool has_capacity(const struct sw_problem *problem) {
    return sw_problem_tier(problem, 0)->capacity != SW_UNBOUNDED;
}

static bool has_recording(const struct sw_problem *problem) {
    return sw_problem_recording(problem) != NULL;
}

static bool holds_windows(const struct sw_problem *problem) {
    for (uint32_t op = 0; op < sw_problem_operator_count(problem); op++) {
        if (sw_problem_operator(problem, op)->window) {
            return true;
        }
    }
    return false;
}

static bool has_fixed_tiers(const struct sw_problem *problem) {
    return !chooser(problem);
}

static bool has_one_memory(const struct sw_problem *problem) {
    size_t reserved, separate;
    sw_problem_reserved(problem, &reserved);
    sw_problem_separate(problem, &separate);
    for (uint32_t i = 0; i < sw_problem_buffer_count(problem); i++) {
        if (sw_problem_buffer(problem, i)->pinned) {
            return false;
        }
    }
    return sw_problem_tier_count(problem) == 1 && sw_problem_core_count(problem) == 1 && reserved == 0 && separate == 0;
}

/* What SW_NEEDS_... mean: whether a problem has it, what it is, and what to say when it is missing.
 */
static const struct {
    unsigned bit;
    bool (*met)(const struct sw_problem *);
    const char *brief, *word, *otherwise;
} planner_needs[] = {
    {SW_NEEDS_OPERATORS, holds_operators, "operators", "operators", "and this is a list of buffers without any"},
    {SW_NEEDS_PLAN, sw_problem_has_plan, "finished plan", "a finished plan",
     "and not every buffer of this file has an offset"},
    {SW_NEEDS_TIERS, holds_tiers, "tiers or bandwidth", "several memory tiers, or one with a bandwidth",
     "and there is one without"},
    {SW_NEEDS_CAPACITY, has_capacity, "capacity", "a limited capacity of the first tier", "and none is given"},
    {SW_NEEDS_ACCESSES, sw_problem_accesses_known, "access times", "to know when every buffer is accessed",
     "and this list of buffers does not say"},
    {SW_NEEDS_RECORDING, has_recording, "recorded run", "a trace of what a planner decided",
     "and this file holds none"},
    {SW_NEEDS_WINDOWS, holds_windows, "windows", "to know which rows operators read", "and this model does not say"},
    {SW_NEEDS_ONE_MEMORY, has_one_memory, "one memory",
     "one tier without reserved ranges, one core, no pins, and no pairs to be kept apart", "and this problem has more"},
    {SW_NEEDS_FIXED_TIERS, has_fixed_tiers, "one tier per buffer", "one tier for every buffer", NULL},
};
enum { NEEDS = sizeof planner_needs / sizeof *planner_needs };

void sw_planner_needs(const struct sw_planner *planner, char *text, size_t size) {
    text[0] = '\0';
    for (size_t i = 0; i < NEEDS; i++) {
        if (planner->needs & planner_needs[i].bit) {
            append_name(text, size, planner_needs[i].brief);
        }
    }
    if (text[0] == '\0') {
        snprintf(text, size, "-");
    }
}

bool sw_planner_goes_on(const struct sw_planner *planner, struct sw_error *error) {
    return planner == &sw_cuda_caching || planner == &sw_bfc_arena ||
           sw_fail(error, SW_ERROR_UNSUPPORTED,
                   "requests follow a moment by the rules of cuda-caching or bfc-arena, not by those of %s",
                   planner->name);
}

bool sw_planner_applies(const struct sw_planner *planner, const struct sw_problem *problem, struct sw_error *error) {
    if (sw_problem_goes_on(problem) && !sw_planner_goes_on(planner, error)) {
        return false;
    }
    for (size_t i = 0; i < NEEDS; i++) {
        if (!(planner->needs & planner_needs[i].bit) || planner_needs[i].met(problem)) {
            continue;
        }
        return planner_needs[i].otherwise
                   ? sw_fail(error, SW_ERROR_UNSUPPORTED, "%s needs %s, %s", planner->name, planner_needs[i].word,
                             planner_needs[i].otherwise)
                   : sw_fail(error, SW_ERROR_UNSUPPORTED, "%s needs %s, and %s may live in several", planner->name,
                             planner_needs[i].word, chooser(problem)->name);
    }
    return true;
}

const char *sw_planner_usual(const struct sw_problem *problem) {
    const struct sw_requests *told = sw_problem_told_requests(problem);
    if (told && !sw_problem_recording(problem)) {
        return told->allocator;
    }
    return sw_problem_recording(problem) ? sw_recorded_planner.name : sw_auto.name;
}

bool sw_planner_follows(const struct sw_planner *planner, const struct sw_problem *problem, struct sw_error *error) {
    if (!sw_planner_applies(planner, problem, error)) {
        return false;
    }
    bool alone = planner->described->once || planner->derive || planner->reorders || planner->rewrites ||
                 (planner->needs & (SW_NEEDS_RECORDING | SW_NEEDS_PLAN));
    return !alone ||
           sw_fail(error, SW_ERROR_UNSUPPORTED, "%s cannot plan what another planner has put in order", planner->name);
}
