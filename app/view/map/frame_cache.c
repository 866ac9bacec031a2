/* What frames have in common, kept from one to the next. */
#include "view/blame/advice.h"
#include "view/blame/avoided.h"
#include "view/blame/blame.h"
#include "view/blame/orders_look.h"
#include "view/map/color_classes.h"
#include "view/map/levels.h"
#include "view/map/journal_index.h"
#include "view/map/small_blocks.h"

#include <string.h>

/* Windows that are remembered: those of runs side by side, or the whole map and what one zooms
 * into. */
enum { SHEETS = 4 };

/* The matrix of conflicts, which only the problem decides. */
struct kept_matrix {
    const struct sw_problem *problem; /* NULL: none; else a reference */
    uint32_t side;
    uint64_t pairs;
    uint32_t *blocks;
};

struct sw_frame_cache {
    struct sw_small_blocks sheets[SHEETS];
    uint64_t clock;
    struct sw_journal_index past;
    struct kept_matrix matrix;
    const struct sw_problem *advised; /* what the advice is about: a reference; NULL: there is none */
    struct sw_advice *advice;
    struct {
        const struct sw_problem *problem; /* a reference; NULL: nothing was tried */
        const struct sw_planner *planner;
        struct sw_params params;
        struct sw_avoided avoided;
    } tried;
    struct {                              /* what was found to lower the peak of a run that stood at its end */
        const struct sw_problem *problem; /* a reference; NULL: nothing was looked for */
        const struct sw_planner *planner;
        uint64_t digest; /* of the run */
        struct sw_suggest *found;
    } suggested;
    struct sw_orders_look orders;
    struct sw_levels levels; /* of the layout that was last asked for */
    struct sw_color_classes classes;
};

struct sw_frame_cache *sw_frame_cache_new(void) {
    return SW_NEW_ZERO(struct sw_frame_cache, 1);
}

static void forget_matrix(struct kept_matrix *matrix) {
    SW_FREE(matrix->blocks, (size_t)matrix->side * matrix->side);
    sw_problem_unref(matrix->problem);
    *matrix = (struct kept_matrix){0};
}

static void forget_advice(struct sw_frame_cache *kept) {
    SW_FREE(kept->advice, 1);
    sw_problem_unref(kept->advised);
    kept->advice = NULL;
    kept->advised = NULL;
}

static void forget_tried(struct sw_frame_cache *kept) {
    sw_problem_unref(kept->tried.problem);
    sw_params_done(&kept->tried.params);
    memset(&kept->tried, 0, sizeof kept->tried);
}

static void forget_suggested(struct sw_frame_cache *kept) {
    sw_suggest_free(kept->suggested.found);
    sw_problem_unref(kept->suggested.problem);
    memset(&kept->suggested, 0, sizeof kept->suggested);
}

void sw_frame_cache_clear(struct sw_frame_cache *kept) {
    for (int i = 0; kept && i < SHEETS; i++) {
        sw_small_blocks_done(&kept->sheets[i]);
    }
    if (kept) {
        sw_levels_done(&kept->levels);
        sw_journal_index_done(&kept->past);
        forget_matrix(&kept->matrix);
        forget_advice(kept);
        forget_tried(kept);
        forget_suggested(kept);
        sw_orders_look_done(&kept->orders);
        sw_color_classes_done(&kept->classes);
    }
}

void sw_frame_cache_free(struct sw_frame_cache *kept) {
    sw_frame_cache_clear(kept);
    SW_FREE(kept, 1);
}

/* The one of that window, or else the one that was not used for longest. */
static struct sw_small_blocks *choose_sheet(struct sw_frame_cache *kept, const struct sw_view_input *in,
                                            const struct sw_space *space, const struct sw_block_classes *classes) {
    struct sw_small_blocks *oldest = &kept->sheets[0];
    for (int i = 0; i < SHEETS; i++) {
        struct sw_small_blocks *sheet = &kept->sheets[i];
        if (sheet->layout && sw_small_blocks_suits(sheet, in, space, classes)) {
            return sheet;
        }
        oldest = sheet->used < oldest->used ? sheet : oldest;
    }
    sw_small_blocks_done(oldest);
    return oldest;
}

const struct sw_small_blocks *sw_frame_cache_sheet(struct sw_frame_cache *kept, const struct sw_view_input *in,
                                                   struct sw_space space, struct sw_block_classes classes) {
    if (!kept || sw_medium(in)->still) {
        return NULL;
    }
    const struct sw_layout *layout = sw_view_shown(in);
    struct sw_small_blocks *sheet = choose_sheet(kept, in, &space, &classes);
    bool follows = sheet->layout != NULL;
    bool good = follows ? sw_small_blocks_follow(sheet, in, classes) : sw_small_blocks_open(sheet, in, space, classes);
    /* The clone is what the next frame tells changes from. While nothing changes it can stay. */
    if (good && (!follows || sw_layout_digest(sheet->layout) != sw_layout_digest(layout))) {
        sw_layout_free(sheet->layout);
        sheet->layout = sw_layout_clone(layout, NULL);
    }
    if (!good || !sheet->layout) {
        sw_small_blocks_done(sheet);
        return NULL;
    }
    sheet->used = ++kept->clock;
    return sheet;
}

const struct sw_levels *sw_frame_cache_levels(struct sw_frame_cache *kept, const struct sw_layout *layout) {
    struct sw_levels *levels = kept ? &kept->levels : NULL;
    bool follows =
        levels && levels->layout && levels->problem == sw_layout_problem(layout) && sw_levels_follow(levels, layout);
    if (!levels || (follows && sw_layout_digest(levels->layout) == sw_layout_digest(layout))) {
        return levels;
    }
    if (follows) {
        sw_layout_free(levels->layout);
        levels->layout = NULL;
    } else {
        sw_levels_done(levels);
    }
    if ((!follows && !sw_levels_open(levels, layout)) || !(levels->layout = sw_layout_clone(layout, NULL))) {
        sw_levels_done(levels);
        return NULL;
    }
    return levels;
}

const struct sw_journal_index *sw_frame_cache_past(struct sw_frame_cache *kept, const struct sw_search *search) {
    return kept && sw_journal_index_read(&kept->past, search) ? &kept->past : NULL;
}

const struct sw_advice *sw_frame_cache_advice(struct sw_frame_cache *kept, const struct sw_problem *problem) {
    if (!kept || kept->advised == problem) {
        return kept ? kept->advice : NULL;
    }
    forget_advice(kept);
    struct sw_advice *advice = SW_NEW(struct sw_advice, 1);
    if (!advice || !sw_advice_of(problem, advice)) {
        SW_FREE(advice, 1);
        return NULL;
    }
    kept->advised = sw_problem_ref(problem);
    return kept->advice = advice;
}

struct sw_orders_look *sw_frame_cache_orders(struct sw_frame_cache *kept) {
    return &kept->orders;
}

const struct sw_color_classes *sw_frame_cache_classes(struct sw_frame_cache *kept, const struct sw_problem *problem,
                                                      enum sw_coloring asked) {
    if (!kept || (kept->classes.problem == problem && kept->classes.asked == asked)) {
        return kept ? &kept->classes : NULL;
    }
    sw_color_classes_done(&kept->classes);
    return sw_color_classes_of(&kept->classes, problem, NULL, asked) ? &kept->classes : NULL;
}

static bool is_tried(const struct sw_frame_cache *kept, const struct sw_search *search) {
    const struct sw_params *params = sw_search_params(search), *then = &kept->tried.params;
    size_t count = params->settings.count;
    return kept->tried.problem == sw_search_problem(search) && kept->tried.planner == sw_search_planner(search) &&
           then->settings.count == count &&
           (count == 0 ||
            memcmp(then->settings.items, params->settings.items, count * sizeof *then->settings.items) == 0);
}

const struct sw_avoided *sw_frame_cache_avoided(struct sw_frame_cache *kept, const struct sw_search *search) {
    if (!kept || is_tried(kept, search)) {
        return kept ? &kept->tried.avoided : NULL;
    }
    forget_tried(kept);
    if (!sw_params_copy(&kept->tried.params, sw_search_params(search)) ||
        !sw_avoided_of(search, &kept->tried.avoided)) {
        forget_tried(kept);
        return NULL;
    }
    kept->tried.problem = sw_problem_ref(sw_search_problem(search));
    kept->tried.planner = sw_search_planner(search);
    return &kept->tried.avoided;
}

const struct sw_suggest *sw_frame_cache_suggest(struct sw_frame_cache *kept, const struct sw_search *search,
                                                struct sw_error *error) {
    struct sw_error own = {0};
    uint64_t digest = sw_search_digest(search);
    if (kept->suggested.problem == sw_search_problem(search) && kept->suggested.planner == sw_search_planner(search) &&
        kept->suggested.digest == digest) {
        return kept->suggested.found;
    }
    forget_suggested(kept);
    kept->suggested.found = sw_blame_suggestions(search, &own);
    if (own.code == SW_ERROR_MEMORY) { /* there may be some for the next frame */
        *error = own;
        return NULL;
    }
    kept->suggested.problem = sw_problem_ref(sw_search_problem(search));
    kept->suggested.planner = sw_search_planner(search);
    kept->suggested.digest = digest;
    return kept->suggested.found;
}

bool sw_frame_cache_matrix(struct sw_frame_cache *kept, const struct sw_problem *problem, uint32_t side,
                           uint32_t *blocks, uint64_t *pairs) {
    const struct kept_matrix *matrix = kept ? &kept->matrix : NULL;
    if (!matrix || matrix->problem != problem || matrix->side != side) {
        return false;
    }
    memcpy(blocks, matrix->blocks, (size_t)side * side * sizeof *blocks);
    *pairs = matrix->pairs;
    return true;
}

void sw_frame_cache_put_matrix(struct sw_frame_cache *kept, const struct sw_problem *problem, uint32_t side,
                               const uint32_t *blocks, uint64_t pairs) {
    size_t count = (size_t)side * side;
    if (!kept) {
        return;
    }
    forget_matrix(&kept->matrix);
    uint32_t *copy = SW_NEW(uint32_t, count);
    if (copy) {
        memcpy(copy, blocks, count * sizeof *copy);
        kept->matrix = (struct kept_matrix){sw_problem_ref(problem), side, pairs, copy};
    }
}
