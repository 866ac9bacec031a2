/* Notes, and names beside blocks: each finds free room near what it speaks of. No note lies on a text, and where there
 * is a choice it covers no blocks and its arrow crosses nothing that is to be read. */
#include "base/base.h"
#include "export/drawing.h"
#include "view/pages/page.h"

#include <math.h>

#define NOTE_SIZE 9.0
#define CELLS 320.0 /* along the longer side of the page, at most */

/* How much of the page is covered by what was drawn: sums over all cells above and left. */
struct cover {
    double cell;
    size_t columns, rows;
    uint32_t *sums; /* (columns + 1) x (rows + 1) */
};

static size_t cover_cell_of(const struct cover *cover, double at, size_t most) {
    double cell = floor(at / cover->cell);
    return cell < 0 ? 0 : cell > (double)most ? most : (size_t)cell;
}

static void add_area(struct cover *cover, const struct sw_area *area) {
    size_t width = cover->columns + 1;
    size_t x0 = cover_cell_of(cover, area->left, cover->columns - 1);
    size_t x1 = cover_cell_of(cover, area->right, cover->columns - 1) + 1;
    size_t y0 = cover_cell_of(cover, area->top, cover->rows - 1);
    size_t y1 = cover_cell_of(cover, area->bottom, cover->rows - 1) + 1;
    cover->sums[y0 * width + x0]++;
    cover->sums[y1 * width + x1]++;
    cover->sums[y0 * width + x1]--; /* wraps, and back again when it is summed up */
    cover->sums[y1 * width + x0]--;
}

/* Axes, and lines over the whole width. */
static void cover_lines(struct cover *cover, const struct sw_panel *panel) {
    double right = panel->body_left + panel->body_width;
    double bottom = panel->body_top + panel->body_height;
    add_area(cover, &(struct sw_area){panel->body_left, panel->body_top, panel->body_left, bottom});
    add_area(cover, &(struct sw_area){panel->body_left, bottom, right, bottom});
    for (size_t i = 0; i < panel->marks.count; i++) {
        const struct sw_mark *mark = &panel->marks.items[i];
        double y = sw_drawing_y(panel, mark->y0);
        if (mark->kind == SW_MARK_LINE && mark->y0 == mark->y1) {
            add_area(cover, &(struct sw_area){panel->body_left, y, right, y});
        }
    }
}

/* The four edges of a frame: what lies inside is free. */
static void cover_frame(struct cover *cover, const struct sw_area *area) {
    add_area(cover, &(struct sw_area){area->left, area->top, area->left, area->bottom});
    add_area(cover, &(struct sw_area){area->right, area->top, area->right, area->bottom});
    add_area(cover, &(struct sw_area){area->left, area->top, area->right, area->top});
    add_area(cover, &(struct sw_area){area->left, area->bottom, area->right, area->bottom});
}

/* The marks as differences; summed up they say how many lie on a cell. */
static void add_marks(struct cover *cover, const struct sw_panel *panel) {
    struct sw_area area;
    for (size_t i = 0; i < panel->marks.count; i++) {
        const struct sw_mark *mark = &panel->marks.items[i];
        bool frame = mark->kind == SW_MARK_FRAME;
        if ((frame || mark->kind == SW_MARK_RECT || mark->kind == SW_MARK_BAR) && sw_drawing_area(panel, mark, &area)) {
            (frame && !mark->pattern ? cover_frame : add_area)(cover, &area);
        }
    }
}

/* Each cell becomes the sum of all above and left of it. */
static void sum_up(struct cover *cover) {
    size_t width = cover->columns + 1, height = cover->rows + 1;
    for (size_t y = 0; y < height; y++) {
        for (size_t x = 0; x < width; x++) {
            uint32_t *at = &cover->sums[y * width + x];
            *at += (x ? at[-1] : 0) + (y ? at[-(ptrdiff_t)width] : 0) - (x && y ? at[-(ptrdiff_t)width - 1] : 0);
        }
    }
}

/* Cell (x, y) is kept at (x, y) by differences, and at (x + 1, y + 1) by sums. The first row and
 * column of sums are 0. */
static void flatten(struct cover *cover) {
    size_t width = cover->columns + 1;
    for (size_t y = cover->rows + 1; y-- > 0;) {
        for (size_t x = width; x-- > 0;) {
            cover->sums[y * width + x] = x && y ? cover->sums[(y - 1) * width + x - 1] != 0 : 0;
        }
    }
}

static bool open_cover(struct cover *cover, const struct sw_scene *scene) {
    cover->cell = fmax(4, fmax(scene->width, scene->height) / CELLS);
    cover->columns = (size_t)ceil(scene->width / cover->cell);
    cover->rows = (size_t)ceil(scene->height / cover->cell);
    size_t count = (cover->columns + 1) * (cover->rows + 1);
    cover->sums = sw_mem_new_zero(count, sizeof *cover->sums);
    if (!cover->sums) {
        return false;
    }
    for (size_t i = 0; i < scene->panels.count; i++) {
        if (scene->panels.items[i].kind == SW_PANEL_PLOT) {
            add_marks(cover, &scene->panels.items[i]);
            cover_lines(cover, &scene->panels.items[i]);
        }
    }
    sum_up(cover);
    flatten(cover);
    sum_up(cover);
    return true;
}

static void close_cover(struct cover *cover) {
    sw_mem_free(cover->sums, (cover->columns + 1) * (cover->rows + 1), sizeof *cover->sums);
}

/* The covered part of a box and of a little around it, from 0 to 1. */
static double covered(const struct cover *cover, const struct sw_placed_text *box) {
    size_t width = cover->columns + 1;
    size_t x0 = cover_cell_of(cover, box->left - 2, cover->columns - 1);
    size_t x1 = cover_cell_of(cover, box->left + box->width + 2, cover->columns - 1) + 1;
    size_t y0 = cover_cell_of(cover, box->top - 2, cover->rows - 1);
    size_t y1 = cover_cell_of(cover, box->top + box->height + 2, cover->rows - 1) + 1;
    uint32_t sum = cover->sums[y1 * width + x1] - cover->sums[y0 * width + x1] - cover->sums[y1 * width + x0] +
                   cover->sums[y0 * width + x0];
    return (double)sum / (double)((x1 - x0) * (y1 - y0));
}

/* ---- arrows ---- */

static double clamp(double at, double lo, double hi) {
    return at < lo ? lo : at > hi ? hi : at;
}

/* From the edge of the note to the edge of what it speaks of; false when it stands on it. */
static bool aim(const struct sw_placed_text *box, const struct sw_scene_note *note, struct sw_area *arrow) {
    double x = box->left + box->width / 2, y = box->top + box->height / 2;
    /* Not at a corner, where blocks meet. */
    double inset_x = fmin(6, (note->right - note->left) / 4);
    double inset_y = fmin(6, (note->bottom - note->top) / 4);
    bool beside = x < note->left || x > note->right;
    arrow->right = beside ? clamp(x, note->left, note->right) : clamp(x, note->left + inset_x, note->right - inset_x);
    arrow->bottom = beside ? clamp(y, note->top + inset_y, note->bottom - inset_y) : clamp(y, note->top, note->bottom);
    arrow->left = clamp(arrow->right, box->left, box->left + box->width);
    arrow->top = clamp(arrow->bottom, box->top, box->top + box->height);
    return hypot(arrow->right - arrow->left, arrow->bottom - arrow->top) > 3;
}

/* Does the line from (left, top) to (right, bottom) run through the box? By clipping. */
static bool crosses(const struct sw_area *line, const struct sw_placed_text *box) {
    double from = 0, to = 1;
    double dx = line->right - line->left, dy = line->bottom - line->top;
    const double step[] = {-dx, dx, -dy, dy};
    const double room[] = {line->left - box->left, box->left + box->width - line->left, line->top - box->top,
                           box->top + box->height - line->top};
    for (int i = 0; i < 4; i++) {
        if (step[i] == 0) {
            if (room[i] < 0) {
                return false;
            }
        } else if (step[i] < 0) {
            from = fmax(from, room[i] / step[i]);
        } else {
            to = fmin(to, room[i] / step[i]);
        }
    }
    return from < to;
}

/* On which side of a line a point lies. */
static double side_of_line(const struct sw_area *line, double x, double y) {
    return (line->right - line->left) * (y - line->top) - (line->bottom - line->top) * (x - line->left);
}

static bool lines_meet(const struct sw_area *a, const struct sw_area *b) {
    return side_of_line(a, b->left, b->top) * side_of_line(a, b->right, b->bottom) < 0 &&
           side_of_line(b, a->left, a->top) * side_of_line(b, a->right, a->bottom) < 0;
}

/* ---- choosing a place ---- */

struct search {
    struct sw_drawing *drawing;
    const struct cover *cover;
    const struct sw_scene_note *note;
    const struct sw_area *within; /* where it is to stay; NULL: on the page */
    double best;
    struct sw_placed_text box;
    bool found;
};

static double cost(const struct search *search, const struct sw_placed_text *box) {
    const struct sw_scene_note *note = search->note;
    if (note->fixed) {
        return hypot(box->left + box->width / 2 - note->x, box->top + box->height / 2 - note->y);
    }
    struct sw_area arrow;
    if (!aim(box, note, &arrow)) {
        return 400 + 400 * covered(search->cover, box);
    }
    double away = hypot(arrow.right - arrow.left, arrow.bottom - arrow.top);
    /* An arrow that lies level is taken for a line of the picture. */
    double level = fabs(arrow.bottom - arrow.top) < 4 && note->bottom - note->top < 1 ? 30 : 0;
    return fabs(away - 16) + level + 320 * covered(search->cover, box);
}

/* How much of a line runs over blocks, from 0 to 1, but for its end in the block that it speaks of. */
static double over_blocks(const struct cover *cover, const struct sw_area *line) {
    double dx = line->right - line->left, dy = line->bottom - line->top;
    int steps = (int)(hypot(dx, dy) / cover->cell), hits = 0;
    for (int i = 0; i < steps; i++) {
        size_t x = cover_cell_of(cover, line->left + dx * i / steps, cover->columns - 1);
        size_t y = cover_cell_of(cover, line->top + dy * i / steps, cover->rows - 1);
        size_t width = cover->columns + 1, at = y * width + x;
        hits += cover->sums[at + width + 1] - cover->sums[at + 1] - cover->sums[at + width] + cover->sums[at] != 0;
    }
    return steps > 0 ? (double)hits / steps : 0;
}

/* What an arrow crosses that is to be read. */
static double crossings(const struct search *search, const struct sw_placed_text *box) {
    struct sw_area arrow;
    double sum = 0;
    if (!search->note->aims || !search->note->arrow || !aim(box, search->note, &arrow)) {
        return 0;
    }
    sum += search->within ? 250 * over_blocks(search->cover, &arrow) : 0;
    for (size_t i = 0; i < search->drawing->texts.count; i++) {
        const struct sw_placed_text *text = &search->drawing->texts.items[i];
        if (crosses(&arrow, text)) {
            sum += text->note || search->within ? 300 : 45;
        }
    }
    for (size_t i = 0; i < search->drawing->arrows.count; i++) {
        sum += crosses(&search->drawing->arrows.items[i], box) ? 300 : 0;
    }
    for (size_t i = 0; i < search->drawing->leaders.count; i++) {
        const struct sw_area *other = &search->drawing->leaders.items[i];
        sum += crosses(other, box) || (search->within && lines_meet(other, &arrow)) ? 300 : 0;
    }
    return sum;
}

/* Does it lie on the left or the lower edge of a plot? */
static bool on_axis(const struct sw_scene *scene, const struct sw_placed_text *box) {
    double right = box->left + box->width, bottom = box->top + box->height;
    for (size_t i = 0; i < scene->panels.count; i++) {
        const struct sw_panel *panel = &scene->panels.items[i];
        double left = panel->body_left, low = panel->body_top + panel->body_height;
        bool upright = box->left < left && left < right && box->top < low && panel->body_top < bottom;
        bool level = box->top < low && low < bottom && box->left < left + panel->body_width && left < right;
        if (panel->kind == SW_PANEL_PLOT && (upright || level)) {
            return true;
        }
    }
    return false;
}

static void consider_spot(struct search *search, double left, double top) {
    struct sw_placed_text box = search->box;
    box.left = left;
    box.top = top;
    double sum = cost(search, &box);
    /* Two names beside blocks are not taken for one. */
    if ((search->found && sum >= search->best) || !sw_drawing_free(search->drawing, &box, search->within ? 4 : 2) ||
        (box.beside && on_axis(search->drawing->scene, &box))) {
        return;
    }
    sum += crossings(search, &box);
    if (!search->found || sum < search->best) {
        search->best = sum;
        search->box = box;
        search->found = true;
    }
}

/* All places of an area of the page, on the cells' grid. */
static void look_in(struct search *search, const struct sw_area *area) {
    double cell = search->cover->cell;
    for (double top = ceil(area->top / cell) * cell; top <= area->bottom; top += cell) {
        for (double left = ceil(area->left / cell) * cell; left <= area->right; left += cell) {
            consider_spot(search, left, top);
        }
    }
}

/* Between the page's title and its legend: near by first, where most find a place. What is further
 * away than that costs more than the best there, unless that is poor. */
#define NEAR 160.0
static void search_around(struct search *search) {
    const struct sw_scene *scene = search->drawing->scene;
    const struct sw_scene_note *note = search->note;
    struct sw_area all = {8, SW_PAGE_MARGIN + SW_PAGE_TITLE, scene->width - 8 - search->box.width, 0};
    for (size_t i = 0; i < scene->panels.count; i++) {
        all.bottom = fmax(all.bottom, scene->panels.items[i].top + scene->panels.items[i].height);
    }
    all.bottom = fmin(all.bottom, scene->height - SW_PAGE_MARGIN) - search->box.height;
    if (search->within) {
        all.left = fmax(all.left, search->within->left);
        all.top = fmax(all.top, search->within->top);
        all.right = fmin(all.right, search->within->right - search->box.width);
        all.bottom = fmin(all.bottom, search->within->bottom - search->box.height);
    }
    double left = note->fixed ? note->x : note->left, right = note->fixed ? note->x : note->right;
    double top = note->fixed ? note->y : note->top, bottom = note->fixed ? note->y : note->bottom;
    if (note->fixed) {
        consider_spot(search, clamp(left - search->box.width / 2, 8, all.right),
                      clamp(top - search->box.height / 2, 8, scene->height - 8 - search->box.height));
    }
    struct sw_area near = {fmax(all.left, left - search->box.width - NEAR),
                           fmax(all.top, top - search->box.height - NEAR), fmin(all.right, right + NEAR),
                           fmin(all.bottom, bottom + NEAR)};
    look_in(search, &near);
    if (!search->found || search->best > NEAR - 20) {
        look_in(search, &all);
    }
}

static void place_note(struct sw_drawing *drawing, const struct cover *cover, const struct sw_scene_note *note) {
    static const double widths[] = {150, 220, 100, 320, 70};
    struct search search = {.drawing = drawing, .cover = cover, .note = note};
    for (size_t w = 0; w < sizeof widths / sizeof *widths && !search.found; w++) {
        search.box = (struct sw_placed_text){.text = note->text,
                                             .size = NOTE_SIZE,
                                             .note = true,
                                             .room = widths[w],
                                             .color = sw_drawing_ink(drawing, SW_STYLE_TEXT),
                                             .ground = drawing->theme->background};
        sw_drawing_measure_note(drawing, &search.box);
        search.box.width += 2 * SW_NOTE_PADDING;
        search.box.height += 2 * SW_NOTE_PADDING - 2;
        search_around(&search);
    }
    struct sw_area arrow;
    if (!search.found) {
        drawing->crowded = note->text;
    } else if (!SW_PUSH(&drawing->texts, search.box) ||
               (note->aims && note->arrow && aim(&search.box, note, &arrow) && !SW_PUSH(&drawing->arrows, arrow))) {
        drawing->failed = true;
    }
}

/* Those that were told where to stand come first. */
void sw_drawing_plan_notes(struct sw_drawing *drawing) {
    const struct sw_scene *scene = drawing->scene;
    struct cover cover;
    if (scene->notes.count == 0) {
        return;
    }
    if (!open_cover(&cover, scene)) {
        drawing->failed = true;
        return;
    }
    for (int fixed = 1; fixed >= 0; fixed--) {
        for (size_t i = 0; i < scene->notes.count && !drawing->crowded; i++) {
            if (scene->notes.items[i].fixed == (fixed == 1)) {
                place_note(drawing, &cover, &scene->notes.items[i]);
            }
        }
    }
    close_cover(&cover);
}

/* ---- names beside blocks ---- */

#define POOR 110.0 /* what a place may cost: further away, or over blocks, a name does more harm than good */

/* Inside the panel's body: where it does no harm, or anywhere, or cut as well. */
enum leader_try { LEADER_WELL, LEADER_ANYWHERE, LEADER_CUT, LEADER_TRIES };
static bool place_leader(struct sw_drawing *drawing, const struct cover *cover, const struct sw_unnamed *one,
                         const char *name, enum leader_try how) {
    struct sw_scene_note note = {.text = name,
                                 .aims = true,
                                 .arrow = true,
                                 .left = one->name->area.left,
                                 .top = one->name->area.top,
                                 .right = one->name->area.right,
                                 .bottom = one->name->area.bottom};
    struct search search = {.drawing = drawing, .cover = cover, .note = &note, .within = &one->within};
    search.box = (struct sw_placed_text){.text = name,
                                         .size = one->name->size,
                                         .boxed = true,
                                         .beside = true,
                                         .across = 1.5,
                                         .mark = one->name->mark,
                                         .panel = &drawing->scene->panels.items[one->name->panel],
                                         .color = sw_drawing_ink(drawing, SW_STYLE_TEXT),
                                         .ground = drawing->theme->background};
    sw_drawing_measure(drawing, name, one->name->size, false, &search.box.width, &search.box.height);
    if (how == LEADER_CUT) {
        sw_drawing_limit(&search.box, one->within.right - one->within.left - 8);
    }
    search_around(&search);
    if (!search.found || (search.best > POOR && how == LEADER_WELL)) {
        return false;
    }
    struct sw_area line;
    if (!SW_PUSH(&drawing->texts, search.box) ||
        (aim(&search.box, &note, &line) && !SW_PUSH(&drawing->leaders, line))) {
        drawing->failed = true;
    }
    return true;
}

void sw_drawing_plan_leaders(struct sw_drawing *drawing) {
    struct cover cover;
    if (drawing->unnamed_count == 0) {
        return;
    }
    if (!open_cover(&cover, drawing->scene)) {
        drawing->failed = true;
        return;
    }
    for (size_t i = 0; i < drawing->unnamed_count; i++) {
        const struct sw_unnamed *one = &drawing->unnamed[i];
        const struct sw_mark *mark = one->name->mark;
        int tries = mark->peak ? LEADER_TRIES : 1;
        bool placed = false;
        for (int how = 0; how < tries && !placed; how++) {
            uint32_t forms = how == LEADER_CUT ? 1 : mark->peak ? one->name->forms : SW_MIN(one->name->forms, 2);
            for (uint32_t form = 0; form < forms && !placed; form++) {
                placed = !(one->name->alike >> form & 1) &&
                         place_leader(drawing, &cover, one, mark->labels[form], (enum leader_try)how);
            }
        }
    }
    close_cover(&cover);
}
