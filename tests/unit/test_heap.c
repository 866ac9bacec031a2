/* Online allocators: the worked example of each, to the byte; limits, failures, explanations, choices, clones. */
#include "unit.h"

#include "heap/heap.h"
#include "planners/planner.h"

#include <string.h>

enum { BUFFERS = 32 };
#define NOWHERE SW_NO_ADDRESS

struct rig {
    struct sw_heap *heap;
    struct sw_act acts[32]; /* of the last request */
    size_t count;
};

/* Settings as "key=value key=value"; NULL: the allocator refuses them, and says `message`. */
static struct sw_heap *make(const char *name, const char *settings, uint64_t limit, uint64_t device,
                            const char *message) {
    const struct sw_planner *planner = sw_planner_find(name, NULL);
    struct sw_params params = SW_PARAMS_DEFAULT;
    struct sw_error error = {0};
    struct sw_heap *heap = NULL;
    char text[256], *value, *next = text;
    snprintf(text, sizeof text, "%s", settings);
    for (char *key = text; *key; key = next) {
        value = strchr(key, '=');
        *value++ = '\0';
        next = value + strcspn(value, " ");
        next += *next ? (*next = '\0', 1) : 0;
        assert_true(sw_params_set(&params, key, value, &error));
    }
    if (sw_params_check(&params, planner, &error)) {
        heap = sw_heap_new(planner->context, BUFFERS, &params, planner, limit, device, &error);
    }
    if (!heap || message) {
        assert_null(heap);
        assert_non_null(message);
        assert_string_equal(error.message, message);
    }
    sw_params_done(&params);
    return heap;
}

static struct rig open_rig(const char *name, const char *settings, uint64_t limit) {
    return (struct rig){.heap = make(name, settings, limit, SW_UNBOUNDED, NULL)};
}

static void must_be_sound(const struct sw_heap *heap) {
    struct sw_error error = {0};
    if (!sw_heap_sound(heap, &error)) {
        fail_msg("%s", error.message);
    }
}

/* All acts of a turn; the address that it got. */
static uint64_t serve(struct rig *rig, struct sw_turn turn) {
    struct sw_error error = {0};
    uint64_t at = NOWHERE;
    rig->count = 0;
    do {
        struct sw_act *act = &rig->acts[rig->count++];
        assert_true(rig->count < sizeof rig->acts / sizeof *rig->acts);
        if (!sw_heap_act(rig->heap, &turn, act, NULL, &error)) {
            fail_msg("%s", error.message);
        }
        assert_non_null(act->reason);
        at = act->kind == SW_ACT_FIND || act->placed ? act->address : at;
    } while (!rig->acts[rig->count - 1].last);
    must_be_sound(rig->heap);
    return at;
}

static uint64_t ask_on(struct rig *rig, char id, uint64_t size, uint32_t stream) {
    struct sw_turn turn = SW_TURN_NEW;
    turn.buffer = (uint32_t)(id - 'a');
    turn.size = size;
    turn.stream = stream;
    return serve(rig, turn);
}

static uint64_t ask(struct rig *rig, char id, uint64_t size) {
    return ask_on(rig, id, size, 0);
}

static void give(struct rig *rig, const char *ids) {
    for (; *ids; ids++) {
        struct sw_turn turn = SW_TURN_NEW;
        turn.kind = SW_REQUEST_FREE;
        turn.buffer = (uint32_t)(*ids - 'a');
        serve(rig, turn);
    }
}

static void empty(struct rig *rig) {
    struct sw_turn turn = SW_TURN_NEW;
    turn.kind = SW_REQUEST_EMPTY;
    serve(rig, turn);
}

/* Did the last request do this, somewhere among its acts? */
static const struct sw_act *did(const struct rig *rig, enum sw_act_kind kind) {
    for (size_t i = 0; i < rig->count; i++) {
        if (rig->acts[i].kind == kind) {
            return &rig->acts[i];
        }
    }
    return NULL;
}

static uint64_t block_size(const struct rig *rig, char id) {
    uint32_t block = sw_heap_block_of(rig->heap, (uint32_t)(id - 'a'));
    return block == SW_NONE ? 0 : sw_heap_at(rig->heap, block)->size - rig->heap->header;
}

/* A row of a worked example: what is freed first, then a request, its offset, and the size of its block. */
struct row {
    const char *given_back;
    char id;
    uint64_t size, offset, block;
};

static void follow(struct rig *rig, const struct row *rows, size_t count) {
    for (size_t i = 0; i < count; i++) {
        give(rig, rows[i].given_back);
        assert_int_equal(ask(rig, rows[i].id, rows[i].size), rows[i].offset);
        assert_int_equal(block_size(rig, rows[i].id), rows[i].block);
    }
}
#define FOLLOW(rig, rows) follow(rig, rows, sizeof(rows) / sizeof *(rows))

static void done(struct rig *rig) {
    sw_heap_free(rig->heap);
}

/* ---- the worked examples ---- */

static void free_list_example(void **state) {
    static const struct row rows[] = {{"", 'a', 100, 0, 112},  {"", 'b', 50, 112, 64}, {"", 'c', 200, 176, 208},
                                      {"b", 'd', 60, 112, 64}, {"a", 'e', 40, 0, 48},  {"c", 'f', 300, 176, 304}};
    struct rig rig = open_rig("free-list", "", SW_UNBOUNDED);
    (void)state;
    FOLLOW(&rig, rows);
    assert_int_equal(did(&rig, SW_ACT_GROW)->size, 96);
    assert_int_equal(rig.heap->reserved, 480);
    assert_int_equal(rig.heap->allocated, 48 + 64 + 304);
    assert_int_equal(rig.heap->requested, 40 + 60 + 300);
    done(&rig);
}

static void bfc_arena_example(void **state) {
    struct rig rig = open_rig("bfc-arena", "", SW_UNBOUNDED);
    (void)state;
    assert_int_equal(ask(&rig, 'a', 100), 0);
    assert_int_equal(did(&rig, SW_ACT_GROW)->size, 1 << 20);
    assert_int_equal(ask(&rig, 'b', 1000), 256);
    assert_int_equal(ask(&rig, 'c', 700000), 1280);
    assert_int_equal(block_size(&rig, 'a'), 256);
    assert_int_equal(block_size(&rig, 'b'), 1024);
    assert_int_equal(block_size(&rig, 'c'), 1047296);
    assert_null(did(&rig, SW_ACT_SPLIT));
    give(&rig, "a");
    assert_int_equal(ask(&rig, 'd', 300), 1048576);
    assert_int_equal(block_size(&rig, 'd'), 512);
    assert_int_equal(did(&rig, SW_ACT_GROW)->size, 2 << 20);
    give(&rig, "c");
    assert_int_equal(ask(&rig, 'e', 3000000), 3145728);
    assert_int_equal(block_size(&rig, 'e'), 4194304);
    assert_int_equal(did(&rig, SW_ACT_GROW)->size, 4194304);
    assert_int_equal(ask(&rig, 'f', 400000), 1280);
    assert_int_equal(block_size(&rig, 'f'), 400128);
    assert_non_null(did(&rig, SW_ACT_SPLIT));
    give(&rig, "b");
    assert_int_equal(did(&rig, SW_ACT_MERGE)->size, 1280);
    assert_int_equal(ask(&rig, 'g', 1100), 0);
    assert_int_equal(block_size(&rig, 'g'), 1280);
    give(&rig, "f");
    assert_int_equal(ask(&rig, 'h', 1046000), 1280);
    assert_int_equal(block_size(&rig, 'h'), 1047296);
    assert_int_equal(rig.heap->reserved, 7340032);
    assert_int_equal(rig.heap->segments.count, 3);
    done(&rig);
}

static void ggml_dyn_example(void **state) {
    static const struct row rows[] = {{"", 'a', 1000, 0, 1024},     {"", 'b', 100, 1024, 128},
                                      {"", 'c', 1000, 1152, 1024},  {"", 'd', 64, 2176, 64},
                                      {"ac", 'e', 900, 1152, 928},  {"", 'f', 100, 0, 128},
                                      {"d", 'g', 1500, 2080, 1504}, {"b", 'h', 200, 128, 224}};
    struct rig rig = open_rig("ggml-dyn", "", SW_UNBOUNDED);
    (void)state;
    FOLLOW(&rig, rows);
    assert_int_equal(rig.heap->reserved, 3584);
    done(&rig);
}

static void tlsf_example(void **state) {
    static const struct row plain[] = {{"", 'a', 1000, 0, 1000},      {"", 'b', 200, 1000, 200},
                                       {"", 'c', 1000, 1200, 1000},   {"", 'd', 100, 2200, 104},
                                       {"ac", 'e', 1000, 2304, 1000}, {"", 'f', 980, 1200, 984},
                                       {"b", 'g', 1100, 0, 1104}};
    static const struct row with_header[] = {{"", 'a', 1000, 0, 1000},      {"", 'b', 200, 1008, 200},
                                             {"", 'c', 1000, 1216, 1000},   {"", 'd', 100, 2224, 104},
                                             {"ac", 'e', 1000, 2336, 1000}, {"", 'f', 980, 1216, 1000},
                                             {"b", 'g', 1100, 0, 1104}};
    struct rig rig = open_rig("tlsf", "", SW_UNBOUNDED);
    (void)state;
    FOLLOW(&rig, plain);
    assert_int_equal(rig.heap->reserved, 3304);
    done(&rig);
    rig = open_rig("tlsf", "header=8", SW_UNBOUNDED);
    FOLLOW(&rig, with_header);
    assert_int_equal(rig.heap->reserved, 3336);
    assert_int_equal(rig.heap->header, 8);
    done(&rig);
}

static void buddy_example(void **state) {
    struct rig rig = open_rig("buddy", "", SW_UNBOUNDED);
    (void)state;
    assert_int_equal(ask(&rig, 'a', 100), 0);
    assert_int_equal(rig.heap->reserved, 256);
    assert_int_equal(ask(&rig, 'b', 1000), 1024);
    assert_int_equal(rig.heap->reserved, 2048);
    assert_int_equal(ask(&rig, 'c', 300), 512);
    assert_int_equal(block_size(&rig, 'c'), 512);
    assert_int_equal(ask(&rig, 'd', 3000), 4096);
    assert_int_equal(rig.heap->reserved, 8192);
    give(&rig, "b");
    assert_int_equal(ask(&rig, 'e', 500), 1024);
    give(&rig, "ae");
    assert_int_equal(ask(&rig, 'f', 700), 1024);
    assert_int_equal(ask(&rig, 'g', 2000), 2048);
    assert_int_equal(rig.heap->reserved, 8192);
    give(&rig, "cdfg");
    assert_int_equal(sw_heap_at(rig.heap, rig.heap->segments.items[0].first)->size, 8192);
    done(&rig);
}

/* ---- every allocator ---- */

static const char *const kinds[] = {"free-list", "bfc-arena", "ggml-dyn", "tlsf", "buddy"};
enum { KINDS = sizeof kinds / sizeof *kinds };

static void nothing_for_nothing(void **state) {
    (void)state;
    for (size_t k = 0; k < KINDS; k++) {
        struct rig rig = open_rig(kinds[k], "", SW_UNBOUNDED);
        uint64_t digest = sw_heap_digest(rig.heap);
        assert_int_equal(ask(&rig, 'a', 0), NOWHERE);
        assert_int_equal(rig.count, 1);
        assert_int_equal(rig.acts[0].kind, SW_ACT_NOTHING);
        give(&rig, "a");
        assert_int_equal(rig.acts[0].kind, SW_ACT_NOTHING);
        assert_int_equal(sw_heap_digest(rig.heap), digest);
        empty(&rig);
        assert_int_equal(rig.acts[0].kind, SW_ACT_RELEASE);
        assert_int_equal(rig.acts[0].count, 0);
        done(&rig);
    }
}

static void out_of_memory(void **state) {
    (void)state;
    for (size_t k = 0; k < KINDS; k++) {
        struct rig rig = open_rig(kinds[k], "", 4096);
        assert_int_equal(ask(&rig, 'a', 2048), 0);
        assert_int_equal(ask(&rig, 'b', 4096), NOWHERE);
        assert_int_equal(block_size(&rig, 'b'), 0);
        const struct sw_act *refused = did(&rig, SW_ACT_REFUSED), *last = &rig.acts[rig.count - 1];
        assert_non_null(refused);
        assert_int_equal(last->kind, SW_ACT_FAIL);
        assert_true(strlen(refused->reason) > 0 && strlen(last->reason) > 0);
        assert_true(rig.heap->reserved <= 4096);
        assert_int_equal(ask(&rig, 'c', 2048), 2048); /* it goes on */
        give(&rig, "abc");
        assert_int_equal(ask(&rig, 'd', 4096), 0);
        assert_int_equal(rig.heap->reserved, 4096);
        assert_int_equal(rig.heap->allocated, 4096);
        done(&rig);
    }
}

/* A clone goes its own way, and can go the same way. */
static void clones(void **state) {
    (void)state;
    for (size_t k = 0; k < KINDS; k++) {
        struct rig rig = open_rig(kinds[k], "", SW_UNBOUNDED);
        for (char id = 'a'; id < 'q'; id++) {
            ask(&rig, id, 100 + 37 * (uint64_t)(id - 'a') % 900);
        }
        give(&rig, "bdeglno");
        uint64_t digest = sw_heap_digest(rig.heap);
        struct rig other = {.heap = sw_heap_clone(rig.heap)};
        assert_non_null(other.heap);
        assert_int_equal(sw_heap_digest(other.heap), digest);
        uint64_t at[2] = {ask(&other, 'b', 150), ask(&other, 'd', 3000)};
        give(&other, "acf");
        assert_int_not_equal(sw_heap_digest(other.heap), digest);
        assert_int_equal(sw_heap_digest(rig.heap), digest);
        must_be_sound(rig.heap);
        assert_int_equal(ask(&rig, 'b', 150), at[0]);
        assert_int_equal(ask(&rig, 'd', 3000), at[1]);
        give(&rig, "acf");
        assert_int_equal(sw_heap_digest(rig.heap), sw_heap_digest(other.heap));
        assert_true(sw_heap_bytes(rig.heap) > sizeof *rig.heap);
        done(&other);
        done(&rig);
    }
}

/* A lack of memory at any allocation is told as such, and leaves nothing behind. */
static void lack_of_memory(void **state) {
    (void)state;
    for (size_t k = 0; k < KINDS; k++) {
        const struct sw_planner *planner = sw_planner_find(kinds[k], NULL);
        struct sw_params params = SW_PARAMS_DEFAULT;
        struct limit limit = {.hit = true};
        for (uint64_t at = 0; limit.hit; at++) {
            struct sw_error error = {0};
            struct sw_explanation why = {0};
            limit = (struct limit){.left = at};
            sw_mem_hook(limited, &limit);
            struct sw_heap *heap =
                sw_heap_new(planner->context, BUFFERS, &params, planner, SW_UNBOUNDED, SW_UNBOUNDED, &error);
            bool ok = heap != NULL;
            for (uint32_t i = 0; ok && i < 24; i++) {
                struct sw_turn turn = SW_TURN_NEW;
                struct sw_act act = {.last = false};
                turn.kind = i % 3 == 2 ? SW_REQUEST_FREE : SW_REQUEST_ALLOC;
                turn.buffer = i % 3 == 2 ? i - 2 : i;
                turn.size = 3000 * (uint64_t)(i % 5) + 40;
                while (ok && !act.last) {
                    ok = sw_heap_act(heap, &turn, &act, &why, &error);
                }
            }
            struct sw_heap *copy = ok ? sw_heap_clone(heap) : NULL;
            assert_true(copy || limit.hit);
            assert_true(ok || error.code == SW_ERROR_MEMORY);
            sw_heap_free(copy);
            sw_heap_free(heap);
            sw_explanation_done(&why);
            sw_mem_hook(NULL, NULL);
        }
    }
}

/* ---- explanations and choices ---- */

/* Look for a block: the explanation of the act that finds one, or does not. */
static bool look(struct rig *rig, struct sw_turn *turn, struct sw_explanation *why, struct sw_act *act,
                 struct sw_error *error) {
    do {
        sw_explanation_clear(why);
        if (!sw_heap_act(rig->heap, turn, act, why, error)) {
            return false;
        }
    } while (act->kind == SW_ACT_ROUND);
    return true;
}

static void finish(struct rig *rig, struct sw_turn *turn, struct sw_act act) {
    struct sw_error error = {0};
    while (!act.last) {
        assert_true(sw_heap_act(rig->heap, turn, &act, NULL, &error));
    }
    must_be_sound(rig->heap);
}

struct seen {
    enum sw_verdict verdict;
    uint64_t offset, size;
    const char *reason;
};

static void explains(struct rig *rig, uint64_t size, uint32_t stream, const struct seen *wanted, size_t count) {
    struct sw_heap *kept = rig->heap;
    struct sw_explanation why = {0};
    struct sw_error error = {0};
    for (int64_t choice = -1; choice <= (int64_t)count; choice++) {
        struct sw_turn turn = SW_TURN_NEW;
        struct sw_act act;
        turn.buffer = BUFFERS - 1;
        turn.size = size;
        turn.stream = stream;
        turn.choice = choice;
        rig->heap = sw_heap_clone(kept);
        uint64_t digest = sw_heap_digest(rig->heap);
        bool legal = choice < 0 || (choice < (int64_t)count && wanted[choice].verdict != SW_VERDICT_REFUSED);
        assert_int_equal(look(rig, &turn, &why, &act, &error), legal);
        if (!legal) {
            assert_string_equal(error.message, choice < (int64_t)count ? "that free block cannot serve the request"
                                                                       : "there is no such candidate");
            assert_int_equal(sw_heap_digest(rig->heap), digest);
        } else {
            assert_int_equal(why.candidates.count, count);
            uint64_t taken = NOWHERE;
            for (size_t i = 0; i < count; i++) {
                const struct sw_candidate *c = &why.candidates.items[i];
                assert_int_equal(c->offset, wanted[i].offset);
                assert_int_equal(c->size, wanted[i].size);
                taken = c->verdict == SW_VERDICT_CHOSEN ? c->offset : taken;
                if (choice < 0) {
                    assert_string_equal(c->reason, wanted[i].reason);
                    assert_int_equal(c->verdict, wanted[i].verdict);
                } else {
                    assert_int_equal(c->verdict == SW_VERDICT_CHOSEN, (int64_t)i == choice);
                }
            }
            assert_int_equal(act.kind == SW_ACT_FIND ? act.address : NOWHERE, taken);
            finish(rig, &turn, act);
            /* Without an explanation the same is done. */
            struct rig plain = {.heap = sw_heap_clone(kept)};
            turn = SW_TURN_NEW;
            turn.buffer = BUFFERS - 1;
            turn.size = size;
            turn.stream = stream;
            turn.choice = choice;
            serve(&plain, turn);
            assert_int_equal(sw_heap_digest(plain.heap), sw_heap_digest(rig->heap));
            done(&plain);
        }
        sw_heap_free(rig->heap);
    }
    rig->heap = kept;
    sw_explanation_done(&why);
}
#define EXPLAINS(rig, size, stream, wanted) explains(rig, size, stream, wanted, sizeof(wanted) / sizeof *(wanted))

static void free_list_explains(void **state) {
    static const struct seen wanted[] = {{SW_VERDICT_REFUSED, 0, 112, "too small"},
                                         {SW_VERDICT_CHOSEN, 176, 208, "the lowest that is large enough"},
                                         {SW_VERDICT_FITS, 400, 304, "it lies higher"}};
    struct rig rig = open_rig("free-list", "", SW_UNBOUNDED);
    (void)state;
    ask(&rig, 'a', 112), ask(&rig, 'b', 64), ask(&rig, 'c', 208), ask(&rig, 'd', 16), ask(&rig, 'e', 300);
    ask(&rig, 'f', 16);
    give(&rig, "ace");
    EXPLAINS(&rig, 200, 0, wanted);
    done(&rig);
}

static void bfc_arena_explains(void **state) {
    static const struct seen wanted[] = {
        {SW_VERDICT_REFUSED, 0, 256, "too small"},
        {SW_VERDICT_REFUSED, 1024, 512, "it belongs to another stream"},
        {SW_VERDICT_CHOSEN, 1792, 512, "the smallest that is large enough"},
        {SW_VERDICT_FITS, 2560, 512, "just as large, but it lies higher"},
        {SW_VERDICT_FITS, 3328, 1045248, "larger than needed: a smaller one fits"},
    };
    struct rig rig = open_rig("bfc-arena", "", SW_UNBOUNDED);
    (void)state;
    ask(&rig, 'a', 256), ask(&rig, 'b', 768), ask_on(&rig, 'c', 512, 2), ask(&rig, 'd', 256);
    ask_on(&rig, 'e', 512, 1), ask(&rig, 'f', 256), ask(&rig, 'g', 512), ask(&rig, 'h', 256);
    give(&rig, "aceg");
    EXPLAINS(&rig, 500, 1, wanted);
    done(&rig);
}

static void ggml_dyn_explains(void **state) {
    static const struct seen wanted[] = {
        {SW_VERDICT_REFUSED, 0, 64, "too small"},
        {SW_VERDICT_FITS, 96, 128, "just as large, but it lies lower"},
        {SW_VERDICT_CHOSEN, 256, 128, "the smallest that is large enough, the last block of each chunk spared"},
        {SW_VERDICT_FITS, 416, 160, "larger than needed: a smaller one fits"},
        {SW_VERDICT_FITS, 608, SW_UNBOUNDED, "the last block of its chunk is spared"},
    };
    struct rig rig = open_rig("ggml-dyn", "", SW_UNBOUNDED);
    (void)state;
    ask(&rig, 'a', 64), ask(&rig, 'b', 32), ask(&rig, 'c', 128), ask(&rig, 'd', 32), ask(&rig, 'e', 128);
    ask(&rig, 'f', 32), ask(&rig, 'g', 160), ask(&rig, 'h', 32);
    give(&rig, "aceg");
    EXPLAINS(&rig, 100, 0, wanted);
    done(&rig);
}

static void tlsf_explains(void **state) {
    static const struct seen wanted[] = {
        {SW_VERDICT_REFUSED, 0, 104, "too small"},
        {SW_VERDICT_FITS, 1320, 1000, "large enough, but in a list that is not searched"},
        {SW_VERDICT_FITS, 112, 1000, "large enough, but in a list that is not searched"},
        {SW_VERDICT_CHOSEN, 3736, 1200, "the newest of the first list that is not empty"},
        {SW_VERDICT_FITS, 2528, 1200, "in the same list, but older"},
        {SW_VERDICT_FITS, 4944, SW_UNBOUNDED, "in a list of larger blocks"},
    };
    struct rig rig = open_rig("tlsf", "", SW_UNBOUNDED);
    (void)state;
    ask(&rig, 'a', 104), ask(&rig, 'b', 8), ask(&rig, 'c', 1000), ask(&rig, 'd', 208), ask(&rig, 'e', 1000);
    ask(&rig, 'f', 208), ask(&rig, 'g', 1200), ask(&rig, 'h', 8), ask(&rig, 'i', 1200), ask(&rig, 'j', 8);
    give(&rig, "acegi");
    EXPLAINS(&rig, 1000, 0, wanted);
    done(&rig);
}

static void buddy_explains(void **state) {
    static const struct seen wanted[] = {
        {SW_VERDICT_REFUSED, 0, 256, "too small"},
        {SW_VERDICT_CHOSEN, 512, 512, "the lowest of the smallest size that has a free block"},
        {SW_VERDICT_FITS, 1536, 512, "of the same size, but it lies higher"},
        {SW_VERDICT_FITS, 2048, 2048, "larger than needed: there is a smaller one"},
    };
    struct rig rig = open_rig("buddy", "initial=4096", SW_UNBOUNDED);
    (void)state;
    ask(&rig, 'a', 256), ask(&rig, 'b', 256), ask(&rig, 'c', 512), ask(&rig, 'd', 512), ask(&rig, 'e', 512);
    give(&rig, "ace");
    EXPLAINS(&rig, 300, 0, wanted);
    done(&rig);
}

/* Candidates that only a limit refuses; and several chunks. */
static void limits_explained(void **state) {
    static const struct seen ggml[] = {
        {SW_VERDICT_FITS, 0, 128, "a later chunk has a block that is large enough"},
        {SW_VERDICT_CHOSEN, 256, 192, "the smallest that is large enough, the last block of each chunk spared"},
        {SW_VERDICT_REFUSED, 160, 64, "too small"},
        {SW_VERDICT_REFUSED, 480, 32, "too small"},
    };
    static const struct seen tails[] = {
        {SW_VERDICT_CHOSEN, 32, 224,
         "of the chunks' last blocks, the one that raises the top least, or leaves least below it"},
        {SW_VERDICT_FITS, 384, 128, "another chunk's last block serves better"},
    };
    static const struct seen full[] = {{SW_VERDICT_REFUSED, 104, SW_UNBOUNDED, "it would reach above the limit"}};
    (void)state;
    struct rig rig = open_rig("ggml-dyn", "max_chunk=256", SW_UNBOUNDED);
    assert_int_equal(ask(&rig, 'a', 128), 0);
    assert_int_equal(ask(&rig, 'b', 32), 128);
    assert_int_equal(ask(&rig, 'f', 32), 160);
    assert_int_equal(ask(&rig, 'c', 192), 256);
    assert_int_equal(ask(&rig, 'd', 32), 192);
    assert_int_equal(ask(&rig, 'e', 32), 224); /* the first chunk is full */
    assert_int_equal(ask(&rig, 'g', 32), 448);
    assert_int_equal(rig.heap->reserved, 256 + 224);
    give(&rig, "acfd");
    EXPLAINS(&rig, 100, 0, ggml);
    done(&rig);
    rig = open_rig("ggml-dyn", "max_chunk=256", SW_UNBOUNDED);
    ask(&rig, 'a', 32), ask(&rig, 'b', 128), ask(&rig, 'c', 128), ask(&rig, 'd', 96);
    assert_int_equal(rig.heap->reserved, 256 + 128);
    give(&rig, "bd");
    EXPLAINS(&rig, 32, 0, tails);
    done(&rig);
    rig = open_rig("tlsf", "", 200);
    ask(&rig, 'a', 100);
    EXPLAINS(&rig, 100, 0, full);
    done(&rig);
}

/* ---- bfc-arena ---- */

static void bfc_arena_regions(void **state) {
    (void)state;
    /* Doubling until it fits is no reason to double once more; the limit and max_extend end it. */
    struct rig rig = open_rig("bfc-arena", "max_extend=4194304", UINT64_C(14) << 20);
    ask(&rig, 'a', 3 << 20);
    assert_int_equal(did(&rig, SW_ACT_GROW)->size, 4 << 20);
    ask(&rig, 'b', 4 << 20);
    assert_int_equal(did(&rig, SW_ACT_GROW)->size, 4 << 20);
    ask(&rig, 'c', 4 << 20);
    assert_int_equal(did(&rig, SW_ACT_GROW)->size, 4 << 20);
    ask(&rig, 'd', 1000);
    assert_int_equal(did(&rig, SW_ACT_GROW)->size, 2 << 20);
    assert_int_equal(rig.heap->reserved, 14 << 20);
    done(&rig);
    rig = open_rig("bfc-arena", "strategy=same-as-requested", SW_UNBOUNDED);
    ask(&rig, 'a', 1000), ask(&rig, 'b', 3000);
    assert_int_equal(rig.heap->reserved, 1024 + 3072);
    give(&rig, "ab");
    empty(&rig);
    assert_int_equal(rig.acts[0].kind, SW_ACT_RELEASE);
    assert_int_equal(rig.acts[0].count, 2);
    assert_int_equal(rig.acts[0].size, 4096);
    assert_int_equal(rig.heap->reserved, 0);
    assert_int_equal(ask(&rig, 'c', 1), 4096); /* addresses are not used again */
    done(&rig);
}

static void bfc_arena_splits(void **state) {
    (void)state;
    struct rig rig = open_rig("bfc-arena", "initial=4096 max_dead=1024", SW_UNBOUNDED);
    ask(&rig, 'a', 3072);
    assert_int_equal(block_size(&rig, 'a'), 3072); /* 1,024 would be wasted */
    give(&rig, "a");
    ask(&rig, 'a', 3073);
    assert_int_equal(block_size(&rig, 'a'), 4096);
    done(&rig);
}

static void bfc_arena_shrinks(void **state) {
    (void)state;
    struct rig rig = open_rig("bfc-arena", "", SW_UNBOUNDED);
    ask(&rig, 'a', 1 << 20), ask(&rig, 'b', 2 << 20), ask(&rig, 'c', 4 << 20);
    give(&rig, "ac");
    empty(&rig);
    assert_int_equal(rig.acts[0].kind, SW_ACT_RELEASE);
    assert_int_equal(rig.acts[0].count, 1); /* the first stays, the second is used */
    assert_int_equal(rig.acts[0].size, 4 << 20);
    ask(&rig, 'd', 1 << 20);
    assert_null(did(&rig, SW_ACT_GROW));
    assert_int_equal(ask(&rig, 'e', 1000), 7 << 20);
    assert_int_equal(did(&rig, SW_ACT_GROW)->size, 2 << 20);
    done(&rig);
}

/* The device refuses: a tenth less each time, in single precision. */
static void bfc_arena_asks_for_less(void **state) {
    (void)state;
    struct rig rig = {.heap = make("bfc-arena", "", SW_UNBOUNDED, 900000, NULL)};
    assert_int_equal(ask(&rig, 'a', 5000), 0);
    assert_int_equal(did(&rig, SW_ACT_REFUSED)->size, 1 << 20);
    assert_int_equal(rig.heap->reserved, 849664); /* after 1,048,576 and 943,872 */
    give(&rig, "a");
    assert_int_equal(ask(&rig, 'b', 849665), NOWHERE);
    assert_int_equal(rig.acts[rig.count - 1].kind, SW_ACT_FAIL);
    done(&rig);
    /* Below 8,192 only TensorFlow goes on, which has no use for less than 256 less. */
    rig.heap = make("bfc-arena", "initial=16384", SW_UNBOUNDED, 8000, NULL);
    assert_int_equal(ask(&rig, 'a', 256), NOWHERE);
    done(&rig);
    rig.heap = make("bfc-arena", "initial=16384 flavor=tensorflow", SW_UNBOUNDED, 8000, NULL);
    assert_int_equal(ask(&rig, 'a', 256), 0);
    assert_int_equal(rig.heap->reserved, 7680); /* 14,848, 13,568, 12,288, 11,264, 10,240, 9,216, 8,448 are refused */
    done(&rig);
    rig.heap = make("bfc-arena", "initial=16384 flavor=tensorflow", SW_UNBOUNDED, 1000, NULL);
    assert_int_equal(ask(&rig, 'a', 256), NOWHERE);
    done(&rig);
}

static void bfc_arena_streams(void **state) {
    (void)state;
    struct rig rig = open_rig("bfc-arena", "initial=4096", SW_UNBOUNDED);
    assert_int_equal(ask_on(&rig, 'a', 1024, 1), 0);
    assert_int_equal(ask_on(&rig, 'b', 1024, 2), 1024); /* what is left belongs to no stream */
    give(&rig, "a");
    assert_int_equal(ask_on(&rig, 'c', 1024, 2), 2048);
    assert_int_equal(ask_on(&rig, 'd', 1024, 1), 0);
    give(&rig, "bd");
    assert_null(did(&rig, SW_ACT_MERGE));
    assert_int_equal(ask_on(&rig, 'e', 1024, 0), 3072);
    give(&rig, "c");
    assert_int_equal(did(&rig, SW_ACT_MERGE)->size, 2048); /* both of stream 2 */
    assert_int_equal(ask_on(&rig, 'f', 1025, 1), 4096);
    done(&rig);
}

static void bfc_arena_of_tensorflow(void **state) {
    (void)state;
    struct rig rig = open_rig("bfc-arena", "flavor=tensorflow", SW_UNBOUNDED);
    ask(&rig, 'a', 1000);
    assert_int_equal(did(&rig, SW_ACT_GROW)->size, 2 << 20);
    give(&rig, "a");
    empty(&rig);
    assert_int_equal(rig.acts[0].kind, SW_ACT_RELEASE);
    assert_int_equal(rig.acts[0].count, 0);
    done(&rig);
    /* Before it fails it gives back what is free. */
    for (int collects = 0; collects < 2; collects++) {
        rig = open_rig("bfc-arena", collects ? "flavor=tensorflow garbage_collection=true" : "flavor=tensorflow",
                       UINT64_C(6) << 20);
        ask(&rig, 'a', 2 << 20), ask(&rig, 'b', 3 << 20);
        assert_int_equal(rig.heap->reserved, 6 << 20);
        give(&rig, "b");
        assert_int_equal(ask(&rig, 'c', 5 << 20), NOWHERE);
        assert_int_equal(rig.heap->reserved, collects ? 2 << 20 : 6 << 20);
        give(&rig, "a");
        assert_int_equal(ask(&rig, 'c', 5 << 20), collects ? 6 << 20 : (int64_t)NOWHERE);
        assert_int_equal(did(&rig, SW_ACT_RELEASE) != NULL, collects);
        assert_int_equal(rig.heap->reserved, 6 << 20);
        done(&rig);
    }
    rig = open_rig("bfc-arena", "flavor=tensorflow coalesce_regions=true", SW_UNBOUNDED);
    ask(&rig, 'a', 1 << 20), ask(&rig, 'b', 2 << 20);
    assert_int_equal(rig.heap->segments.count, 1);
    assert_int_equal(rig.heap->reserved, 6 << 20); /* the second region has 4 MiB */
    give(&rig, "ab");
    assert_int_equal(sw_heap_at(rig.heap, rig.heap->segments.items[0].first)->size, 6 << 20);
    done(&rig);
    rig = open_rig("bfc-arena", "flavor=tensorflow allow_growth=false fragmentation_fraction=0.25", 1 << 20);
    ask(&rig, 'a', 768 << 10);
    assert_int_equal(rig.heap->reserved, 1 << 20);
    assert_int_equal(block_size(&rig, 'a'), 768 << 10); /* 256 KiB would be wasted */
    done(&rig);
}

/* ---- the others ---- */

static void ggml_dyn_chunks(void **state) {
    (void)state;
    struct rig rig = open_rig("ggml-dyn", "max_chunk=64", SW_UNBOUNDED);
    for (char id = 'a'; id < 'p'; id++) {
        assert_int_equal(ask(&rig, id, 64), 64 * (uint64_t)(id - 'a'));
    }
    assert_int_equal(ask(&rig, 'p', 64), 960); /* the 16th chunk, which has no end */
    assert_int_equal(ask(&rig, 'q', 6400), 1024);
    assert_int_equal(rig.heap->segments.count, 16);
    assert_int_equal(rig.heap->reserved, 1024 + 6400);
    done(&rig);
    rig = open_rig("ggml-dyn", "max_chunk=64", SW_UNBOUNDED);
    assert_int_equal(ask(&rig, 'a', 1000), 0); /* larger than a chunk */
    assert_int_equal(ask(&rig, 'b', 64), 1024);
    give(&rig, "a");
    assert_int_equal(ask(&rig, 'c', 96), 0); /* the whole of the first chunk is below its top */
    done(&rig);
    /* A request that raises the top least: the later chunk has more room below its end. */
    rig = open_rig("ggml-dyn", "max_chunk=1024", SW_UNBOUNDED);
    assert_int_equal(ask(&rig, 'a', 512), 0);
    assert_int_equal(ask(&rig, 'b', 768), 1024);
    assert_int_equal(ask(&rig, 'c', 128), 512); /* both rise by 128: the first */
    give(&rig, "c");
    assert_int_equal(ask(&rig, 'd', 192), 512); /* 64 above the top, against 192 */
    assert_int_equal(rig.heap->reserved, 704 + 768);
    done(&rig);
}

static void tlsf_pool(void **state) {
    (void)state;
    struct rig rig = open_rig("tlsf", "size=1024", SW_UNBOUNDED);
    assert_int_equal(ask(&rig, 'a', 1000), 0);
    assert_int_equal(block_size(&rig, 'a'), 1000);
    assert_int_equal(ask(&rig, 'b', 25), NOWHERE);
    assert_null(did(&rig, SW_ACT_REFUSED));
    assert_int_equal(ask(&rig, 'b', 24), 1000);
    give(&rig, "ab");
    assert_int_equal(ask(&rig, 'c', 1020), 0);
    assert_int_equal(block_size(&rig, 'c'), 1024);
    assert_int_equal(rig.heap->reserved, 1024);
    done(&rig);
    rig = open_rig("tlsf", "header=8", SW_UNBOUNDED);
    assert_int_equal(ask(&rig, 'a', 1), 0);
    assert_int_equal(block_size(&rig, 'a'), 24);
    assert_int_equal(ask(&rig, 'b', 24), 32);
    assert_int_equal(rig.heap->reserved, 56);
    done(&rig);
}

static void buddy_grows(void **state) {
    (void)state;
    struct rig rig = open_rig("buddy", "", 4096);
    assert_int_equal(ask(&rig, 'a', 5000), NOWHERE);
    assert_int_equal(rig.heap->reserved, 0);
    ask(&rig, 'a', 256);
    assert_int_equal(ask(&rig, 'b', 4000), NOWHERE);
    assert_int_equal(rig.heap->reserved, 4096); /* it keeps the size that it has reached */
    give(&rig, "a");
    assert_int_equal(ask(&rig, 'b', 4000), 0);
    done(&rig);
    rig = open_rig("buddy", "initial=1024 least=64", SW_UNBOUNDED);
    assert_int_equal(ask(&rig, 'a', 2000), 0); /* two free halves are one block */
    assert_int_equal(rig.heap->reserved, 2048);
    done(&rig);
}

static void settings_refused(void **state) {
    static const struct {
        const char *name;
        const char *settings, *message;
    } cases[] = {
        {"bfc-arena", "flavor=tensorflow max_extend=5", "max_extend belongs to flavor onnxruntime"},
        {"bfc-arena", "garbage_collection=true", "garbage_collection belongs to flavor tensorflow"},
        {"bfc-arena", "flavor=tensorflow allow_growth=false", "allow_growth=false needs a limit"},
        {"bfc-arena", "flavor=tensorflow fragmentation_fraction=0.5", "fragmentation_fraction needs a limit"},
        {"bfc-arena", "max_dead=x",
         "parameter max_dead of bfc-arena must be a whole number from 0 to 2305843009213693952 or auto, not 'x'"},
        {"tlsf", "align=12", "align must be a power of two, not 12"},
        {"tlsf", "size=16 header=8", "size must be at least 24, the least block"},
        {"buddy", "least=100", "least must be a power of two, not 100"},
        {"buddy", "initial=96", "initial must be a power of two, not 96"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        make(cases[i].name, cases[i].settings, SW_UNBOUNDED, SW_UNBOUNDED, cases[i].message);
    }
    make("buddy", "initial=1024", 1000, SW_UNBOUNDED, "the limit is 1000 bytes, and the arena begins with 1024");
}

/* Another stream still uses the block: it is free when that is over. */
static void waiting(void **state) {
    (void)state;
    for (size_t k = 0; k < KINDS; k++) {
        struct rig rig = open_rig(kinds[k], "", SW_UNBOUNDED);
        struct sw_turn turn = SW_TURN_NEW;
        uint64_t at = ask(&rig, 'a', 512), active = rig.heap->active;
        turn.kind = SW_REQUEST_FREE_ASKED;
        turn.buffer = 0;
        serve(&rig, turn);
        assert_int_equal(rig.acts[0].kind, SW_ACT_WAIT);
        assert_int_equal(rig.heap->active, active);
        assert_int_equal(rig.heap->allocated, 0);
        assert_int_not_equal(ask(&rig, 'b', 512), at);
        turn.kind = SW_REQUEST_FREE_COMPLETED;
        serve(&rig, turn);
        assert_int_equal(ask(&rig, 'c', 512), at);
        done(&rig);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(free_list_example),
        cmocka_unit_test(bfc_arena_example),
        cmocka_unit_test(ggml_dyn_example),
        cmocka_unit_test(tlsf_example),
        cmocka_unit_test(buddy_example),
        cmocka_unit_test(nothing_for_nothing),
        cmocka_unit_test(out_of_memory),
        cmocka_unit_test(clones),
        cmocka_unit_test(lack_of_memory),
        cmocka_unit_test(free_list_explains),
        cmocka_unit_test(bfc_arena_explains),
        cmocka_unit_test(ggml_dyn_explains),
        cmocka_unit_test(tlsf_explains),
        cmocka_unit_test(buddy_explains),
        cmocka_unit_test(limits_explained),
        cmocka_unit_test(bfc_arena_regions),
        cmocka_unit_test(bfc_arena_splits),
        cmocka_unit_test(bfc_arena_shrinks),
        cmocka_unit_test(bfc_arena_asks_for_less),
        cmocka_unit_test(bfc_arena_streams),
        cmocka_unit_test(bfc_arena_of_tensorflow),
        cmocka_unit_test(ggml_dyn_chunks),
        cmocka_unit_test(tlsf_pool),
        cmocka_unit_test(buddy_grows),
        cmocka_unit_test(settings_refused),
        cmocka_unit_test(waiting),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
