/* An index of the journal, so that a frame need not walk along a million decisions. */
#include "view/map/journal_index.h"

void sw_journal_index_done(struct sw_journal_index *past) {
    SW_FREE(past->last, past->buffers);
    SW_ARRAY_DONE(&past->before);
    *past = (struct sw_journal_index){0};
}

static bool index_decision(struct sw_journal_index *past, const struct sw_decision *decision, uint32_t step) {
    uint32_t *last = decision->buffer < past->buffers ? &past->last[decision->buffer] : NULL;
    if (!SW_PUSH(&past->before, last ? *last : 0)) {
        return false;
    }
    if (last) {
        *last = step;
    }
    return true;
}

bool sw_journal_index_read(struct sw_journal_index *past, const struct sw_search *search) {
    uint64_t known = sw_search_known(search);
    uint32_t buffers = sw_problem_buffer_count(sw_search_problem(search));
    if (past->search != search || past->read > known || past->buffers != buffers) {
        sw_journal_index_done(past);
        *past = (struct sw_journal_index){.search = search, .buffers = buffers, .last = SW_NEW_ZERO(uint32_t, buffers)};
    }
    bool good = (past->last || buffers == 0) && known < UINT32_MAX && !sw_search_forgets(search);
    for (uint64_t step = past->read + 1; good && step <= known; step++) {
        good = index_decision(past, sw_search_journal(search, step), (uint32_t)step);
        past->read = step;
    }
    if (!good) {
        sw_journal_index_done(past);
    }
    return good;
}
