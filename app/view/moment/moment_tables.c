/* The blocks of a moment as a table, and all that is told of the selected one. */
#include "base/base.h"
#include "base/sort.h"
#include "view/moment/moment_views.h"
#include "view/scene/lines.h"

static const struct sw_lines_head held_heads[] = {{"address", false}, {"size", true},    {"asked for", true},
                                                  {"state", false},   {"segment", true}, {"asked by", false}};
enum { HELD_COLUMNS = sizeof held_heads / sizeof *held_heads };

/* The blocks that are listed, by their numbers. */
struct held_list {
    const struct sw_moment *moment;
    struct sw_keyed *items; /* NULL: all, as they lie */
    size_t count;
};

/* Without a filter all of them, by address, or by size where that is asked for; else those of the listed buffers. */
static void list_held(const struct sw_view_input *in, struct sw_scene *scene, struct held_list *list) {
    const struct sw_listing *listing = &in->look.listing;
    const struct sw_moment *moment = list->moment;
    list->count = moment->blocks.count;
    bool as_they_lie = !listing->items || (listing->whole && !listing->by_size);
    if (as_they_lie || list->count == 0) {
        return;
    }
    list->items = sw_arena_new(&scene->arena, list->count, sizeof *list->items);
    if (!list->items) {
        scene->failed = true;
        return;
    }
    if (listing->whole) {
        for (size_t i = 0; i < list->count; i++) {
            uint64_t size = moment->blocks.items[i].size;
            list->items[i] = (struct sw_keyed){.key = UINT64_MAX - size, .index = (uint32_t)i};
        }
        scene->failed |= !sw_sort_keyed(list->items, list->count);
        return;
    }
    uint32_t buffers = sw_problem_buffer_count(sw_search_problem(in->run.search));
    uint32_t *block_of = sw_arena_new(&scene->arena, buffers + 1u, sizeof *block_of);
    scene->failed |= !block_of;
    for (size_t i = 0; block_of && i < moment->blocks.count; i++) {
        if (moment->blocks.items[i].buffer < buffers) {
            block_of[moment->blocks.items[i].buffer] = (uint32_t)i;
        }
    }
    list->count = block_of ? SW_MIN(listing->count, list->count) : 0;
    for (size_t i = 0; i < list->count; i++) {
        list->items[i].index = block_of[listing->items[i]];
    }
}

static const struct sw_moment_block *held_at(const struct held_list *list, size_t i) {
    return &list->moment->blocks.items[list->items ? list->items[i].index : i];
}

static const char *held_segment(struct sw_scene *scene, const struct sw_moment_block *block) {
    return block->segment == SW_NONE ? "" : sw_scene_printf(scene, "%u", block->segment + 1);
}

/* The name, and the first of the frames that asked for it. */
static const char *held_owner(struct sw_scene *scene, const struct sw_moment_block *block) {
    int length = block->origin ? (int)strcspn(block->origin, "\n") : 0;
    return block->name && block->origin ? sw_scene_printf(scene, "%s: %.*s", block->name, length, block->origin)
           : block->origin              ? sw_scene_printf(scene, "%.*s", length, block->origin)
           : block->name                ? sw_scene_clean(scene, block->name)
                                        : "";
}

static const char *held_address(struct sw_scene *scene, const struct sw_moment_block *block) {
    return block->address != SW_UNTOLD ? sw_scene_printf(scene, "0x%llx", (unsigned long long)block->address)
           : block->count > 1          ? sw_scene_printf(scene, "%s of", SW_COUNT(block->count))
                                       : "";
}

static void add_held_row(struct sw_lines *lines, const struct sw_moment_block *block, bool now) {
    enum sw_style style = now ? SW_STYLE_SELECTED : sw_held_is_taken(block) ? SW_STYLE_TEXT : SW_STYLE_FITS;
    sw_lines_row(lines, sw_held_item(sw_problem_moment(lines->problem), block), now);
    sw_lines_cell(lines, style, false, held_address(lines->scene, block));
    sw_lines_cellf(lines, style, true, "%s", SW_COUNT(block->size));
    sw_lines_cellf(lines, style, true, "%s", block->requested == SW_UNTOLD ? "" : SW_COUNT(block->requested));
    sw_lines_cell(lines, style, false, sw_held_state_words(block->state));
    sw_lines_cell(lines, SW_STYLE_DIM, true, held_segment(lines->scene, block));
    const char *owner = held_owner(lines->scene, block);
    if (strchr(owner, '/')) { /* the last part of a path is what tells it apart, and of words the first */
        sw_lines_name(lines, SW_STYLE_DIM, owner);
    } else {
        sw_lines_cell(lines, SW_STYLE_DIM, false, owner);
    }
}

/* The selected block stays in sight. */
static uint32_t first_held(const struct sw_moment_block *selected, const struct held_list *list, uint32_t room) {
    size_t focus = 0;
    while (focus < list->count && held_at(list, focus) != selected) {
        focus++;
    }
    return focus == list->count || focus < room / 2 ? 0 : (uint32_t)focus - room / 2;
}

void sw_view_build_held(const struct sw_view_input *in, struct sw_scene *scene, struct sw_box box) {
    struct held_list list = {.moment = sw_problem_moment(sw_search_problem(in->run.search))};
    const struct sw_moment_block *selected = sw_moment_selected(in);
    list_held(in, scene, &list);
    const char *title = sw_scene_printf(
        scene, "%s of %s%s", SW_COUNT(list.count), sw_scene_counted(scene, list.moment->blocks.count, "block"),
        !list.items ? (list.count > 0 && sw_held_is_placed(held_at(&list, 0)) ? ", by address" : ", as told")
        : in->look.listing.whole ? ", the largest first"
                                 : sw_scene_printf(scene, ", %s", in->look.listing.words));
    struct sw_lines lines = sw_lines_begin(in, scene, "blocks", title, box, HELD_COLUMNS, HELD_COLUMNS - 1);
    uint32_t count = (uint32_t)list.count, room = sw_lines_heads(&lines, held_heads, HELD_COLUMNS, count);
    uint32_t first = sw_lines_first(&lines, first_held(selected, &list, room), count, room);
    for (uint32_t i = first; i < first + room && !scene->failed; i++) {
        add_held_row(&lines, held_at(&list, i), held_at(&list, i) == selected);
    }
    if (count == 0) {
        sw_lines_text(&lines, SW_STYLE_DIM, list.moment->blocks.count ? "No match" : "No block is told.");
    }
}

const struct sw_moment *sw_moment_on_view(const struct sw_view_input *in, struct sw_scene *scene, struct sw_box box) {
    const struct sw_moment *moment = sw_view_moment_of(in->run.search);
    if (!moment) {
        struct sw_lines lines = sw_lines_begin(in, scene, "no-moment", NULL, box, 1, 0);
        sw_lines_text(&lines, SW_STYLE_DIM, "This file has lifetimes, and is not one moment of an allocator.");
    }
    return moment;
}

/* ---- one of them ---- */

static void add_card_sizes(struct sw_lines *lines, const struct sw_moment_block *block) {
    struct sw_scene *scene = lines->scene;
    sw_lines_textf(lines, SW_STYLE_TEXT, "%s, %s", sw_held_state_words(block->state),
                   sw_scene_counted(scene, block->size, "byte"));
    if (block->requested != SW_UNTOLD) {
        sw_lines_textf(lines, SW_STYLE_TEXT, "asked for: %s%s", sw_scene_counted(scene, block->requested, "byte"),
                       block->requested < block->size
                           ? sw_scene_printf(scene, ", %s more than that", SW_COUNT(block->size - block->requested))
                           : "");
    }
    uint64_t same = 0;
    const struct sw_moment *moment = sw_problem_moment(lines->problem);
    for (size_t i = 0; i < moment->blocks.count; i++) {
        const struct sw_moment_block *other = &moment->blocks.items[i];
        same += other->size == block->size && other->state == block->state ? other->count : 0;
    }
    sw_lines_textf(lines, SW_STYLE_DIM, "%s of this size %s %s", sw_scene_counted(scene, same, "block"),
                   same == 1 ? "is" : "are", sw_held_state_words(block->state));
}

/* What lies beside it in its segment. */
static const char *beside_it(struct sw_lines *lines, const struct sw_moment *moment, size_t number, bool above) {
    const struct sw_moment_segment *segment = &moment->segments.items[moment->blocks.items[number].segment];
    if (number == (above ? segment->first + segment->count - 1 : segment->first)) {
        return above ? "the end of the segment" : "the start of the segment";
    }
    const struct sw_moment_block *other = &moment->blocks.items[above ? number + 1 : number - 1];
    return sw_scene_printf(lines->scene, "%s %s", sw_lines_bytes(lines, other->size),
                           sw_held_state_words(other->state));
}

static void add_card_place(struct sw_lines *lines, const struct sw_moment_block *block) {
    const struct sw_moment *moment = sw_problem_moment(lines->problem);
    size_t number = (size_t)(block - moment->blocks.items);
    if (block->segment == SW_NONE || block->address == SW_UNTOLD) {
        return;
    }
    const struct sw_moment_segment *segment = &moment->segments.items[block->segment];
    struct sw_sink words = {0};
    sw_moment_put_segment(moment, block->segment, &words);
    const char *text = sw_sink_ended(&words);
    lines->scene->failed |= !text;
    sw_lines_textf(lines, SW_STYLE_TEXT, "%s bytes from the start of %s", SW_COUNT(block->address - segment->address),
                   text ? text : "");
    sw_sink_done(&words);
    const struct {
        const char *what, *value;
    } told[] = {{"allocator", segment->allocator}, {"pool", segment->pool}, {"stream", segment->stream}};
    for (size_t i = 0; i < sizeof told / sizeof *told; i++) {
        if (told[i].value) {
            sw_lines_textf(lines, SW_STYLE_DIM, "%s %s", told[i].what, told[i].value);
        }
    }
    sw_lines_textf(lines, SW_STYLE_TEXT, "below it: %s", beside_it(lines, moment, number, false));
    sw_lines_textf(lines, SW_STYLE_TEXT, "above it: %s", beside_it(lines, moment, number, true));
    struct sw_moment_sums sums;
    sw_moment_sum(moment, &sums);
    sw_moment_put_piece(moment, &sums, number, &words);
    if (words.text.count > 0) {
        sw_lines_blank(lines);
    }
    sw_moment_add_lines(lines, &words);
}

void sw_view_build_held_card(const struct sw_view_input *in, struct sw_scene *scene, struct sw_box box) {
    const struct sw_moment_block *block = sw_moment_selected(in);
    struct sw_lines lines = sw_lines_begin(in, scene, "card", "selected block", box, 1, 0);
    sw_lines_flow(&lines);
    if (!block) {
        sw_lines_text(&lines, SW_STYLE_DIM, "No block is selected.");
        return;
    }
    sw_lines_textf(&lines, SW_STYLE_CURRENT, "%s%s0x%llx", block->name ? block->name : "", block->name ? " at " : "",
                   (unsigned long long)block->address);
    add_card_sizes(&lines, block);
    sw_lines_blank(&lines);
    add_card_place(&lines, block);
    if (block->origin) {
        sw_lines_blank(&lines);
        sw_lines_origin(&lines, block->origin);
    }
}
