/* The selection on a moment of an allocator. Blocks in use are buffers, and selected as everywhere; what is free or not
 * told is none: `sight.piece` has it, as 1 + its number among the moment's blocks, and counts while no buffer is
 * selected. */
#include "base/base.h"
#include "command/command_line.h"
#include "command/look/look.h"
#include "view/moment/moment_words.h"

static bool is_on_map(const struct sw_moment *moment, size_t number) {
    return number < moment->blocks.count && sw_held_is_placed(&moment->blocks.items[number]);
}

/* Those that have a place come first. */
bool sw_moment_has_places(const struct sw_moment *moment) {
    return moment && is_on_map(moment, 0);
}

/* The number of the selected block; SW_NONE: none is. */
static uint32_t selected_held(const struct sw_session *session, const struct sw_moment *moment) {
    const struct sw_sight *sight = &session->sight;
    return sight->selected != SW_NONE                                ? sw_moment_block_of(moment, sight->selected)
           : sight->piece > 0 && is_on_map(moment, sight->piece - 1) ? sight->piece - 1
                                                                     : SW_NONE;
}

static void select_held(struct sw_session *session, const struct sw_moment *moment, uint32_t number) {
    const struct sw_moment_block *block = &moment->blocks.items[number];
    uint64_t bytes[2];
    struct sw_sink words = {0};
    session->sight.selected = block->buffer;
    session->sight.piece = block->buffer == SW_NONE ? number + 1 : 0;
    session->sight.scroll = 0;
    if (is_on_map(moment, number)) {
        sw_moment_range(moment, block, bytes);
        sw_sight_show(session, -1, (double)bytes[0]);
        sw_moment_put_block(moment, number, &words);
    }
    const char *text = sw_sink_ended(&words);
    sw_session_say(session, false, "%s", text ? text : "");
    sw_sink_done(&words);
}

bool sw_moment_select(struct sw_session *session, uint32_t buffer, uint64_t piece) {
    const struct sw_moment *moment = sw_view_moment_of(sw_state_search(session));
    if (!moment) {
        return false;
    }
    session->sight.selected = buffer;
    session->sight.piece = (uint32_t)piece;
    uint32_t number = selected_held(session, moment);
    if (number != SW_NONE) {
        select_held(session, moment, number);
    }
    return true;
}

bool sw_moment_step(struct sw_session *session, bool up, bool wrap) {
    const struct sw_moment *moment = sw_view_moment_of(sw_state_search(session));
    if (!moment) {
        return false;
    }
    size_t count = moment->blocks.count;
    uint32_t from = selected_held(session, moment);
    size_t at = from != SW_NONE ? from : up ? count - 1 : 0; /* from none: round the end */
    for (size_t i = 0; i < count; i++) {
        bool end = at == (up ? count - 1 : 0);
        at = end ? (up ? 0 : count - 1) : up ? at + 1 : at - 1;
        if (end && !wrap && from != SW_NONE) {
            break;
        }
        if (is_on_map(moment, at)) {
            select_held(session, moment, (uint32_t)at);
            return true;
        }
    }
    sw_session_say(session, false, "%s",
                   wrap || from == SW_NONE ? "no block has an address"
                   : up                    ? "no block above"
                                           : "no block below");
    return true;
}

bool sw_moment_piece_range(const struct sw_session *session, uint64_t range[2]) {
    const struct sw_moment *moment = sw_view_moment_of(sw_state_search(session));
    uint32_t number = moment && session->sight.selected == SW_NONE ? selected_held(session, moment) : SW_NONE;
    if (number != SW_NONE) {
        sw_moment_range(moment, &moment->blocks.items[number], range);
    }
    return number != SW_NONE;
}

uint64_t sw_moment_piece_at(const struct sw_session *session, const char *word) {
    const struct sw_moment *moment = sw_view_moment_of(sw_state_search(session));
    char *end = NULL;
    uint64_t address = strncmp(word, "0x", 2) == 0 ? strtoull(word, &end, 16) : 0;
    for (size_t i = 0; moment && end && !*end && i < moment->blocks.count; i++) {
        const struct sw_moment_block *block = &moment->blocks.items[i];
        if (block->buffer == SW_NONE && block->address == address && is_on_map(moment, i)) {
            return i + 1;
        }
    }
    return 0;
}

void sw_moment_piece_write(const struct sw_session *session, struct sw_sink *out) {
    const struct sw_moment *moment = sw_view_moment_of(sw_state_search(session));
    uint32_t number = moment && session->sight.selected == SW_NONE ? selected_held(session, moment) : SW_NONE;
    if (number != SW_NONE) {
        sw_sink_printf(out, "select 0x%" PRIx64 "\n", moment->blocks.items[number].address);
    }
}
