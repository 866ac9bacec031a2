/* What frames have in common, kept from one to the next. */
#include "view/levels.h"
#include "view/sheet.h"

/* Windows that are remembered: those of runs side by side, or the whole map and what one zooms
 * into. */
enum { SHEETS = 4 };

struct sw_kept {
    struct sw_sheet sheets[SHEETS];
    uint64_t clock;
    struct sw_levels levels; /* of the layout that was last asked for */
};

struct sw_kept *sw_kept_new(void) {
    return SW_NEW_ZERO(struct sw_kept, 1);
}

void sw_kept_clear(struct sw_kept *kept) {
    for (int i = 0; kept && i < SHEETS; i++) {
        sw_sheet_done(&kept->sheets[i]);
    }
    if (kept) {
        sw_levels_done(&kept->levels);
    }
}

void sw_kept_free(struct sw_kept *kept) {
    sw_kept_clear(kept);
    SW_FREE(kept, 1);
}

/* The one of that window, or else the one that nobody has looked at for longest. */
static struct sw_sheet *choose(struct sw_kept *kept, const struct sw_view_input *in,
                               const struct sw_space *space) {
    struct sw_sheet *oldest = &kept->sheets[0];
    for (int i = 0; i < SHEETS; i++) {
        struct sw_sheet *sheet = &kept->sheets[i];
        if (sheet->layout && sw_sheet_suits(sheet, in, space)) {
            return sheet;
        }
        oldest = sheet->used < oldest->used ? sheet : oldest;
    }
    sw_sheet_done(oldest);
    return oldest;
}

const struct sw_sheet *sw_kept_sheet(struct sw_kept *kept, const struct sw_view_input *in,
                                     struct sw_space space) {
    if (!kept || in->paper) {
        return NULL;
    }
    const struct sw_layout *layout = sw_search_layout(in->search);
    struct sw_sheet *sheet = choose(kept, in, &space);
    bool follows = sheet->layout != NULL;
    bool good = follows ? sw_sheet_follow(sheet, in) : sw_sheet_open(sheet, in, space);
    /* The clone is what the next frame tells changes from. While nothing changes it can stay. */
    if (good && (!follows || sw_layout_digest(sheet->layout) != sw_layout_digest(layout))) {
        sw_layout_free(sheet->layout);
        sheet->layout = sw_layout_clone(layout, NULL);
    }
    if (!good || !sheet->layout) {
        sw_sheet_done(sheet);
        return NULL;
    }
    sheet->used = ++kept->clock;
    return sheet;
}

const struct sw_levels *sw_kept_levels(struct sw_kept *kept, const struct sw_layout *layout) {
    struct sw_levels *levels = kept ? &kept->levels : NULL;
    bool follows = levels && levels->layout && levels->problem == sw_layout_problem(layout) &&
                   sw_levels_follow(levels, layout);
    if (!levels || (follows && sw_layout_digest(levels->layout) == sw_layout_digest(layout))) {
        return levels;
    }
    if (follows) {
        sw_layout_free(levels->layout);
        levels->layout = NULL;
    } else {
        sw_levels_done(levels);
    }
    if ((!follows && !sw_levels_open(levels, layout)) ||
        !(levels->layout = sw_layout_clone(layout, NULL))) {
        sw_levels_done(levels);
        return NULL;
    }
    return levels;
}
