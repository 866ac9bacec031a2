/* tier-search: what lists and scripts say in place of its own rules: where segments begin, and in which order the free
 * places of a block are tried. */
#include "planners/tiers/tier_search.h"
#include "base/base.h"
#include "planners/planner_internal.h"
#include "planners/tiers/tier_search_look.h"

#include <errno.h>
#include <stdlib.h> /* strtoll */

/* ---- where segments begin ---- */

static const char list_of_segments[] = "at:";

/* The numbers of "at:3,9" behind the colon, one after the other, each with the comma after it. False: it is none. */
static bool next_boundary(const char **at, int64_t *time) {
    char *end;
    errno = 0;
    *time = strtoll(*at, &end, 10);
    bool good = errno == 0 && end != *at && **at >= '0' && **at <= '9' && (*end == '\0' || *end == ',');
    *at = end + (good && *end == ',');
    return good;
}

bool sw_tier_segments_legal(const struct sw_params *params, const struct sw_planner *planner, struct sw_error *error) {
    const char *text = sw_params_text(params, planner, "segments"), *at = text + strlen(list_of_segments);
    int64_t time, before = 0;
    if (strcmp(text, "equal") == 0) {
        return true;
    }
    if (strncmp(text, list_of_segments, strlen(list_of_segments)) != 0) {
        return sw_fail(error, SW_ERROR_USAGE, "parameter segments of %s must be equal or at:STEP,..., not '%s'",
                       planner->name, text);
    }
    do {
        const char *word = at;
        if (!next_boundary(&at, &time)) {
            return sw_fail(error, SW_ERROR_USAGE, "segments=%s: '%.*s' is no step", text, (int)strcspn(word, ","),
                           word);
        }
        if (time <= before && word > text + strlen(list_of_segments)) {
            return sw_fail(error, SW_ERROR_USAGE, "segments=%s: %" PRId64 " does not come after %" PRId64, text, time,
                           before);
        }
        before = time;
    } while (at[-1] == ',');
    return !sw_params_given(params, "segment") ||
           sw_fail(error, SW_ERROR_USAGE, "segments=%s says how long segments are, so that segment would not be heeded",
                   text);
}

/* The step that begins at a time; SW_NONE with an error. */
static uint32_t step_at_time(const struct sw_run *run, const char *text, int64_t time) {
    const struct sw_problem *problem = run->problem;
    uint32_t steps = sw_problem_steps(problem), low = 0, high = steps;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (sw_problem_time(problem, middle) < time) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    if (low == steps) {
        sw_fail(run->error, SW_ERROR_USAGE, "segments=%s: %" PRId64 " is beyond the end: the last step is %" PRId64,
                text, time, steps > 0 ? sw_problem_time(problem, steps - 1) : 0);
        return SW_NONE;
    }
    if (low == 0) {
        sw_fail(run->error, SW_ERROR_USAGE,
                "segments=%s: %" PRId64 " is no boundary: the first segment begins at %" PRId64 " anyway", text, time,
                sw_problem_time(problem, 0));
        return SW_NONE;
    }
    if (sw_problem_time(problem, low) != time) {
        sw_fail(run->error, SW_ERROR_USAGE, "segments=%s: no step begins at %" PRId64 ", the next one does at %" PRId64,
                text, time, sw_problem_time(problem, low));
        return SW_NONE;
    }
    return low;
}

/* Of a text that is legal. */
static bool read_boundaries(const struct sw_run *run, const char *text, uint32_t *starts, uint32_t *count) {
    const char *at = text + strlen(list_of_segments);
    int64_t time;
    for (*count = 0; *at && next_boundary(&at, &time); ++*count) {
        uint32_t step = step_at_time(run, text, time);
        if (step == SW_NONE) {
            return false;
        }
        starts[*count] = step;
    }
    return true;
}

/* SW_NONE as their count: segments are equal. `starts` has room for all steps. */
static bool find_boundaries(const struct sw_run *run, uint32_t *starts, uint32_t *count) {
    const struct sw_tier_rules *rules = run->params->tier_rules;
    const char *text = sw_params_text(run->params, run->planner, "segments");
    bool listed = strcmp(text, "equal") != 0;
    *count = SW_NONE;
    if (listed && rules && rules->boundaries) {
        return sw_fail(run->error, SW_ERROR_USAGE, "segments=%s, and %s says where segments begin, too", text,
                       rules->name);
    }
    return listed ? read_boundaries(run, text, starts, count)
                  : !rules || !rules->boundaries ||
                        rules->boundaries(rules->context, run->problem, starts, count, run->error);
}

/* Number the segments by step, and find the longest. */
static bool number_segments(struct sw_tier_search *search, const struct sw_run *run, const uint32_t *starts,
                            uint32_t count) {
    struct sw_tier_plan *plan = search->plan;
    uint32_t segment = 0, first = 0;
    plan->segments = SW_NEW_IN(&plan->room, uint32_t, plan->steps);
    search->longest = 1;
    for (uint32_t t = 0; plan->segments && t < plan->steps; t++) {
        if (segment < count && starts[segment] == t) {
            segment++;
            first = t;
        }
        plan->segments[t] = segment;
        search->longest = SW_MAX(t - first + 1, search->longest);
    }
    return plan->segments || sw_fail_memory(run->error);
}

bool sw_tier_cut_segments(struct sw_tier_search *search, const struct sw_run *run) {
    uint32_t steps = search->plan->steps, count;
    uint32_t *starts = SW_NEW(uint32_t, steps);
    search->longest = (uint32_t)sw_params_integer(run->params, run->planner, "segment");
    bool ok = starts ? find_boundaries(run, starts, &count) : sw_fail_memory(run->error);
    ok = ok && (count == SW_NONE || number_segments(search, run, starts, count));
    SW_FREE(starts, steps);
    search->segment = sw_params_bool(run->params, run->planner, "grow") ? 1 : search->longest;
    return ok;
}

/* By step; NULL: they have equal lengths. */
static const uint32_t *numbered_segments(const struct sw_tier_search *search) {
    return search->quiet ? search->plan->quiet : search->segment >= search->longest ? search->plan->segments : NULL;
}

uint32_t sw_tier_segment_at(const struct sw_tier_search *search, uint32_t time) {
    const uint32_t *of = numbered_segments(search);
    return of ? of[SW_MIN(time, search->plan->steps - 1)] : time / search->segment;
}

uint32_t sw_tier_segment_end(const struct sw_tier_search *search, uint32_t time) {
    const uint32_t *of = numbered_segments(search);
    uint32_t last = search->plan->steps - 1;
    if (!of) {
        return SW_MIN(time - time % search->segment + (search->segment - 1), last);
    }
    while (time < last && of[time + 1] == of[time]) {
        time++;
    }
    return time;
}

bool sw_tier_segment_begins(const struct sw_planner *planner, const void *state, uint32_t step) {
    const struct sw_tier_search *search = state;
    return planner == &sw_tier_search && search && step > 0 && step < search->plan->steps &&
           (search->segment > 1 || numbered_segments(search)) &&
           sw_tier_segment_at(search, step) != sw_tier_segment_at(search, step - 1);
}

/* ---- in which order free places are tried ---- */

bool sw_tier_rank_place(struct sw_tier_ranking *ranking, const struct sw_tier_space *space, uint64_t offset) {
    struct sw_tier_place place = {.offset = offset,
                                  .lo = space->lo,
                                  .hi = space->hi,
                                  .tier = space->tier,
                                  .below = space->below,
                                  .above = space->above,
                                  .high = offset != space->start,
                                  .dies = offset != space->start ? space->high_dies : space->low_dies};
    return SW_PUSH(&ranking->places, place);
}

/* Is each of them named once? */
static bool is_permutation(struct sw_tier_ranking *ranking) {
    uint32_t count = (uint32_t)ranking->places.count;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t place = ranking->order[i];
        if (place >= count || ranking->seen[place]++) {
            return false;
        }
    }
    return true;
}

bool sw_tier_rank(struct sw_tier_room *room, uint32_t buffer, uint32_t given, struct sw_tier_ranking *ranking) {
    const struct sw_tier_rules *rules = room->run->params->tier_rules;
    struct sw_tier_question q = {.problem = room->run->problem,
                                 .buffer = buffer,
                                 .given = given,
                                 .places = ranking->places.items,
                                 .count = (uint32_t)ranking->places.count};
    ranking->order = SW_NEW_IN(&ranking->arena, uint32_t, q.count);
    ranking->seen = SW_NEW_IN(&ranking->arena, uint8_t, q.count);
    if (!ranking->order || !ranking->seen) {
        return false;
    }
    for (uint32_t i = 0; i < q.count; i++) {
        ranking->order[i] = i;
    }
    if (q.count == 0) {
        return true;
    }
    room->told = !rules->places(rules->context, &q, ranking->order, &ranking->why, room->run->error);
    if (!room->told && !is_permutation(ranking)) {
        room->told = true;
        sw_fail(room->run->error, SW_ERROR_INPUT, "%s does not name each of %u places once", rules->name, q.count);
    }
    return !room->told;
}

void sw_tier_ranking_done(struct sw_tier_ranking *ranking) {
    SW_ARRAY_DONE(&ranking->places);
    sw_arena_done(&ranking->arena);
}
