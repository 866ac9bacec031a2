#include "synthetic.h"

#include "base/hash.h"

#include <inttypes.h>
#include <string.h>

const char *const synthetic_names[SYNTHETIC_SHAPES] = {"sparse", "dense", "random", "nested", "streaming", "resnet"};

bool synthetic_find(const char *name, enum synthetic_shape *shape) {
    for (*shape = 0; *shape < SYNTHETIC_SHAPES; ++*shape) {
        if (strcmp(synthetic_names[*shape], name) == 0) {
            return true;
        }
    }
    return false;
}

static void row(struct sw_sink *out, uint64_t id, uint64_t lower, uint64_t upper, uint64_t size) {
    sw_sink_printf(out, "%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 "\n", id, lower, upper, size);
}

/* Four draws per buffer: when, which kind of life, how long, how large. */
static void make_mixed(uint64_t count, uint64_t end, uint64_t state, struct sw_sink *out) {
    for (uint64_t i = 0; i < count; i++) {
        uint64_t a = sw_random(&state), b = sw_random(&state), c = sw_random(&state), d = sw_random(&state);
        uint64_t kind = b % 100, lower = a % end;
        uint64_t length = 1 + c % (kind < 90 ? 8 : kind < 99 ? 64 : 1024);
        uint64_t upper = lower + length < end ? lower + length : end;
        row(out, i, lower, upper, 64 * ((UINT64_C(1) << d % 15) + (d >> 16) % (UINT64_C(1) << d % 15)));
    }
}

static void make_random(uint64_t count, uint64_t state, struct sw_sink *out) {
    for (uint64_t i = 0; i < count; i++) {
        uint64_t lower = sw_random_below(&state, count), length = 1 + sw_random_below(&state, 256);
        row(out, i, lower, lower + length, 16 * (1 + sw_random_below(&state, 4096)));
    }
}

/* A walk up and down a stack: every step enters a call or leaves one. Rows come as calls are left.
 */
static void make_nested(uint64_t count, uint64_t state, struct sw_sink *out) {
    enum { DEEPEST = 256 };
    struct {
        uint64_t id, since, size;
    } stack[DEEPEST];
    uint64_t depth = 0, entered = 0;
    for (uint64_t step = 0; step < 2 * count; step++) {
        bool enter = depth == 0 || (entered < count && depth < DEEPEST && sw_random_below(&state, 100) < 52);
        if (enter) {
            stack[depth].id = entered++;
            stack[depth].since = step;
            stack[depth++].size = 8 * (1 + sw_random_below(&state, UINT64_C(1) << sw_random_below(&state, 12)));
        } else {
            depth--;
            row(out, stack[depth].id, stack[depth].since, step, stack[depth].size);
        }
    }
}

/* One frame enters at every step, and is handed from stage to stage; every stage has a size. One
 * buffer in a hundred is what a stage keeps from frame to frame for up to a thousand steps. */
static void make_streaming(uint64_t count, uint64_t state, struct sw_sink *out) {
    enum { STAGES = 8 };
    uint64_t sizes[STAGES];
    for (int k = 0; k < STAGES; k++) {
        sizes[k] = 1024 * (1 + sw_random_below(&state, 256));
    }
    for (uint64_t i = 0; i < count; i++) {
        uint64_t frame = i / STAGES, stage = i % STAGES, lower = frame + stage;
        bool kept = sw_random_below(&state, 100) == 0;
        row(out, i, lower, lower + 2 + (kept ? sw_random_below(&state, 1000) : 0),
            kept ? sizes[stage] / 16 : sizes[stage]);
    }
}

/* Four buffers a block: two narrow ones, the wide one that the shortcut is added to, and the sum,
 * which lives until the sum of the next block. Four stages with halved maps and doubled channels
 * follow one another, as long as there are blocks, and every network begins with another width. */
static void make_resnet(uint64_t count, uint64_t state, struct sw_sink *out) {
    enum { BLOCKS = 16 }; /* 3, 4, 6 and 3 per stage, as in ResNet50 */
    static const unsigned stage_of[BLOCKS] = {0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 3, 3, 3};
    uint64_t narrow = 0;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t block = i / 4, place = i % 4;
        if (i % (4 * BLOCKS) == 0) {
            narrow = 4096 * (1 + sw_random_below(&state, 64));
        }
        uint64_t size = narrow >> stage_of[block % BLOCKS];
        row(out, i, i, i + (place == 3 ? 5 : 2), place < 2 ? size : 4 * size);
    }
}

void synthetic_csv(uint64_t count, enum synthetic_shape shape, uint64_t seed, struct sw_sink *out) {
    sw_sink_printf(out, "id,lower,upper,size\n");
    switch (shape) {
    case SYNTHETIC_SPARSE:
    case SYNTHETIC_DENSE:
        make_mixed(count, shape == SYNTHETIC_DENSE ? count / 10 : count, seed, out);
        break;
    case SYNTHETIC_RANDOM:
        make_random(count, seed, out);
        break;
    case SYNTHETIC_NESTED:
        make_nested(count, seed, out);
        break;
    case SYNTHETIC_STREAMING:
        make_streaming(count, seed, out);
        break;
    case SYNTHETIC_RESNET:
    case SYNTHETIC_SHAPES:
    default:
        make_resnet(count, seed, out);
        break;
    }
}
