/* Looking for a free block: one candidate after the other, for explanations and for choices of the user's. */
#include "heap/heap.h"

bool sw_heap_look(struct sw_heap_look *look, uint32_t number, bool fits, bool takes, const char *reason) {
    struct sw_turn *turn = look->turn;
    const struct sw_heap *heap = look->heap;
    bool chosen = turn->choice < 0 ? takes : fits && turn->choice == look->count;
    if (chosen) {
        turn->block = number;
    }
    look->count++;
    if (!look->explain) {
        return true;
    }
    const struct sw_heap_block *block = sw_heap_at(heap, number);
    uint32_t below = block->previous == SW_NONE ? SW_NONE : sw_heap_at(heap, block->previous)->buffer;
    uint32_t above = block->next == SW_NONE ? SW_NONE : sw_heap_at(heap, block->next)->buffer;
    const struct sw_heap_segment *segment = &heap->segments.items[block->segment];
    bool endless = segment->open && segment->span >= SW_HEAP_ENDLESS && block->next == SW_NONE;
    return sw_explain(look->explain,
                      chosen ? SW_VERDICT_CHOSEN
                      : fits ? SW_VERDICT_FITS
                             : SW_VERDICT_REFUSED,
                      0, block->address, endless ? SW_UNBOUNDED : block->size - heap->header, below, above, "%s",
                      chosen && turn->choice >= 0 ? "chosen by the user" : reason);
}

bool sw_heap_look_ends(const struct sw_heap_look *look, struct sw_error *error) {
    return look->turn->choice < 0 || look->turn->block != SW_NONE ||
           sw_fail(error, SW_ERROR_UNSUPPORTED,
                   look->turn->choice < look->count ? "that free block cannot serve the request"
                                                    : "there is no such candidate");
}

bool sw_heap_settle(struct sw_heap *heap, struct sw_turn *turn, uint32_t best, sw_heap_judge_fn *judge,
                    struct sw_explanation *explain, struct sw_error *error) {
    struct sw_heap_look look = {heap, turn, explain, 0};
    turn->looked = (uint32_t)sw_heap_free_order(heap, NULL, 0);
    if (!explain && turn->choice < 0) {
        turn->block = best;
        return true;
    }
    size_t room = (size_t)turn->looked + 1; /* at least 1 */
    uint32_t *blocks = SW_NEW(uint32_t, room);
    bool ok = blocks != NULL;
    size_t count = ok ? sw_heap_free_order(heap, blocks, room) : 0;
    for (size_t i = 0; ok && i < count && (explain || turn->block == SW_NONE); i++) {
        bool fits = false;
        const char *reason = judge(heap, turn, blocks[i], best, &fits);
        ok = sw_heap_look(&look, blocks[i], fits, blocks[i] == best, reason);
    }
    SW_FREE(blocks, room);
    return ok ? sw_heap_look_ends(&look, error) : sw_fail_memory(error);
}
