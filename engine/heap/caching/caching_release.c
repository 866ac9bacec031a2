/* cuda-caching: giving memory back to the device. */
#include "heap/caching/cuda_caching.h"

void sw_caching_release_segment(struct sw_heap *heap, uint32_t block, struct sw_act *act) {
    uint32_t segment = sw_heap_at(heap, block)->segment;
    act->count++;
    act->size += heap->segments.items[segment].size;
    act->address = act->count == 1 ? heap->segments.items[segment].address : act->address;
    sw_caching_unlist(heap, block);
    sw_heap_segment_drop(heap, segment);
}

/* Frees that wait for other streams complete: the device is waited for. */
static bool complete_frees(struct sw_heap *heap) {
    for (uint32_t i = 0; i < heap->blocks.count; i++) {
        if (sw_heap_at(heap, i)->state == SW_BLOCK_WAITING) {
            if (!sw_heap_release(heap, i) || !sw_caching_list(heap, sw_heap_merge_neighbors(heap, i))) {
                return false;
            }
        }
    }
    return true;
}

/* The free blocks of a pool in order, as they are now. */
static uint32_t *listed_free(const struct caching_pool *pool, size_t *count) {
    uint32_t *blocks = SW_NEW(uint32_t, pool->free.count + 1);
    *count = pool->free.count;
    if (blocks) {
        sw_ordered_list(&pool->free, blocks, *count);
    }
    return blocks;
}

static bool release_pool(struct sw_heap *heap, size_t number, struct sw_act *act) {
    struct caching *own = heap->own;
    size_t count, kept = 0;
    if (number >= own->pools.count) {
        return true;
    }
    uint32_t *blocks = listed_free(&own->pools.items[number], &count);
    bool good = blocks != NULL;
    for (size_t i = 0; good && i < count; i++) {
        if (sw_caching_is_whole(heap, blocks[i])) {
            sw_caching_release_segment(heap, blocks[i], act);
        } else if (heap->segments.items[sw_heap_at(heap, blocks[i])->segment].page > 0) {
            blocks[kept++] = blocks[i];
        }
    }
    for (size_t i = 0; good && i < kept; i++) {
        uint64_t bytes, address = sw_heap_at(heap, blocks[i])->address;
        good = sw_caching_unmap(heap, blocks[i], &bytes);
        if (bytes > 0) {
            act->address = act->count == 0 ? address : act->address;
            act->count++;
            act->size += bytes;
        }
    }
    SW_FREE(blocks, count + 1);
    return good;
}

/* Private pools stay: what was recorded does not say when the last graph that uses one is gone. */
bool sw_caching_release_all(struct sw_heap *heap, struct sw_act *act) {
    return complete_frees(heap) && release_pool(heap, 0, act) && release_pool(heap, 1, act);
}

bool sw_caching_release_oversize(struct sw_heap *heap, const struct sw_turn *turn, struct sw_act *act, bool *enough) {
    struct caching *own = heap->own;
    struct caching_pool *pool = &own->pools.items[2 * (size_t)turn->pool + (turn->rounded <= SW_MIB)];
    uint64_t least = own->settings.max_split, wanted = turn->rounded > least ? turn->rounded : least;
    struct sw_ordered_place place;
    const struct sw_ordered_entry *e = sw_ordered_from(&pool->free, (struct sw_key){turn->stream, wanted, 0}, &place);
    while (e && e->key.a == turn->stream && !sw_caching_is_whole(heap, e->block)) {
        e = sw_ordered_next(&pool->free, &place);
    }
    if (e && e->key.a == turn->stream) {
        sw_caching_release_segment(heap, e->block, act);
        *enough = true;
        return true;
    }
    uint64_t given = 0;
    struct sw_key above = {turn->stream, wanted, 0};
    while (given < wanted && (e = sw_ordered_before(&pool->free, above, &place)) && e->key.a == turn->stream &&
           e->key.b >= least) {
        above = e->key;
        if (sw_caching_is_whole(heap, e->block)) {
            given += e->key.b;
            sw_caching_release_segment(heap, e->block, act);
        }
    }
    *enough = given >= wanted;
    return true;
}

/* Blocks of the default large pool that are whole segments: the older half, and again, until enough is given back. */
bool sw_caching_collect_garbage(struct sw_heap *heap, struct sw_act *act) {
    struct caching *own = heap->own;
    uint64_t target = (uint64_t)(own->settings.threshold * (double)heap->limit), begin = act->size;
    if (heap->reserved <= target || own->pools.count == 0) {
        return true;
    }
    target = heap->reserved - target;
    struct caching_pool *pool = &own->pools.items[0];
    size_t count, left = 0;
    uint32_t *blocks = listed_free(pool, &count);
    double ages = 0;
    if (!blocks) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        if (sw_caching_is_whole(heap, blocks[i])) {
            ages += (double)(pool->finds - sw_heap_at(heap, blocks[i])->listed);
            blocks[left++] = blocks[i];
        }
    }
    for (bool any = true; any && left > 0 && act->size - begin < target;) {
        double average = ages / (double)left;
        size_t kept = 0;
        any = false;
        for (size_t i = 0; i < left; i++) {
            double age = (double)(pool->finds - sw_heap_at(heap, blocks[i])->listed);
            if (age >= average) {
                ages -= age;
                any = true;
                sw_caching_release_segment(heap, blocks[i], act);
            } else {
                blocks[kept++] = blocks[i];
            }
        }
        left = kept;
    }
    SW_FREE(blocks, count + 1);
    return true;
}
