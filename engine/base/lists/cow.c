#include "base/lists/cow.h"

#include "base/described.h"
#include "base/minmax.h"

#include <string.h>

struct sw_cow_chunk {
    size_t references;
    _Alignas(16) unsigned char bytes[];
};

static size_t chunk_bytes(const struct sw_cow *cow) {
    return sizeof(struct sw_cow_chunk) + SW_COW_CHUNK * cow->item;
}

void sw_cow_init(struct sw_cow *cow, size_t item) {
    *cow = (struct sw_cow){.item = item};
}

static void chunk_unref(const struct sw_cow *cow, struct sw_cow_chunk *chunk) {
    if (--chunk->references == 0) {
        sw_mem_free(chunk, 1, chunk_bytes(cow));
    }
}

void sw_cow_done(struct sw_cow *cow) {
    for (size_t i = 0; i < cow->chunk_count; i++) {
        chunk_unref(cow, cow->chunks[i]);
    }
    SW_FREE(cow->chunks, cow->chunk_capacity);
    sw_cow_init(cow, cow->item);
}

bool sw_cow_clone(struct sw_cow *to, const struct sw_cow *from) {
    sw_cow_init(to, from->item);
    if (from->chunk_count == 0) {
        return true;
    }
    to->chunks = SW_NEW(struct sw_cow_chunk *, from->chunk_count);
    if (!to->chunks) {
        return false;
    }
    for (size_t i = 0; i < from->chunk_count; i++) {
        to->chunks[i] = from->chunks[i];
        to->chunks[i]->references++;
    }
    to->count = from->count;
    to->chunk_count = to->chunk_capacity = from->chunk_count;
    return true;
}

/* What lies past the end stays zeroed, so that growing again finds zeroes. */
static bool clear_tail(struct sw_cow *cow, size_t count) {
    if (count >= cow->count || count % SW_COW_CHUNK == 0) {
        return true;
    }
    unsigned char *last = sw_cow_edit(cow, count - 1);
    if (last) {
        memset(last + cow->item, 0, (SW_COW_CHUNK - count % SW_COW_CHUNK) * cow->item);
    }
    return last != NULL;
}

bool sw_cow_resize(struct sw_cow *cow, size_t count) {
    size_t wanted = (count + SW_COW_CHUNK - 1) / SW_COW_CHUNK;
    if (!clear_tail(cow, count) || !sw_array_reserve(&cow->chunks, &cow->chunk_capacity, wanted, sizeof *cow->chunks)) {
        return false;
    }
    while (cow->chunk_count < wanted) {
        struct sw_cow_chunk *chunk = sw_mem_new_zero(1, chunk_bytes(cow));
        if (!chunk) {
            return false;
        }
        chunk->references = 1;
        cow->own += chunk_bytes(cow);
        cow->chunks[cow->chunk_count++] = chunk;
    }
    while (cow->chunk_count > wanted) {
        chunk_unref(cow, cow->chunks[--cow->chunk_count]);
    }
    cow->count = count;
    return true;
}

const void *sw_cow_get(const struct sw_cow *cow, size_t index) {
    return cow->chunks[index / SW_COW_CHUNK]->bytes + index % SW_COW_CHUNK * cow->item;
}

const void *sw_cow_run(const struct sw_cow *cow, size_t index, size_t *count) {
    size_t end = (index / SW_COW_CHUNK + 1) * SW_COW_CHUNK;
    *count = (SW_MIN(end, cow->count)) - index;
    return sw_cow_get(cow, index);
}

void sw_cow_hint(const struct sw_cow *cow, size_t index) {
    size_t next = index / SW_COW_CHUNK + 1;
    for (size_t at = 0; next < cow->chunk_count && at < chunk_bytes(cow); at += 64) {
        __builtin_prefetch((const unsigned char *)cow->chunks[next] + at);
    }
}

bool sw_cow_shares(const struct sw_cow *a, const struct sw_cow *b, size_t index) {
    return a->chunks[index / SW_COW_CHUNK] == b->chunks[index / SW_COW_CHUNK];
}

void sw_cow_take(struct sw_cow *cow, const struct sw_cow *from, size_t index) {
    struct sw_cow_chunk **slot = &cow->chunks[index / SW_COW_CHUNK], *chunk = from->chunks[index / SW_COW_CHUNK];
    chunk->references++;
    chunk_unref(cow, *slot);
    *slot = chunk;
}

void *sw_cow_edit(struct sw_cow *cow, size_t index) {
    struct sw_cow_chunk **slot = &cow->chunks[index / SW_COW_CHUNK];
    if ((*slot)->references > 1) {
        struct sw_cow_chunk *copy = sw_mem_new(1, chunk_bytes(cow));
        if (!copy) {
            return NULL;
        }
        memcpy(copy, *slot, chunk_bytes(cow));
        copy->references = 1;
        (*slot)->references--;
        *slot = copy;
        cow->own += chunk_bytes(cow);
    }
    return (*slot)->bytes + index % SW_COW_CHUNK * cow->item;
}

static bool copy_cow(void *to, const void *from) {
    return sw_cow_clone(to, from);
}

static void end_cow(void *cow) {
    sw_cow_done(cow);
}

static size_t bytes_of_cow(const void *cow) {
    return sizeof(struct sw_cow) + ((const struct sw_cow *)cow)->own;
}

/* What is in it only its holder knows. */
static uint64_t digest_of_cow(const void *cow) {
    return ((const struct sw_cow *)cow)->count;
}

const struct sw_described sw_cow_described = {
    .size = sizeof(struct sw_cow), .copy = copy_cow, .done = end_cow, .digest = digest_of_cow, .bytes = bytes_of_cow};
