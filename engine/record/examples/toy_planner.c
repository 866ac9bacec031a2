/* A small memory planner with a flaw, which records what it decides.
 *
 *     cc toy_planner.c -pthread $(pkg-config --cflags stowage) -o toy_planner
 *     STOWAGE_RECORD=toy.trace ./toy_planner [BUFFERS.csv]          id,lower,upper,size; upper is exclusive
 *
 * Large buffers first, each into the smallest gap between the blocks that are needed at the same time, else above them.
 * The flaw: it never looks below the first of those blocks. Every line that begins with stowage_record_ is there for the
 * recording, and nothing else is. */
#define STOWAGE_RECORD_IMPLEMENTATION
#include <stowage/record.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct buffer {
    char id[64];
    uint64_t lower, upper, size, offset;
};
struct gap {
    uint64_t from, size, at; /* at: where the buffer would lie, if it fits */
    bool fits;
};

static const struct buffer built_in[] = {{"image", 0, 2, 3072, 0}, {"conv1", 1, 3, 8192, 0},
                                         {"conv2", 2, 4, 6144, 0}, {"skip", 1, 7, 2048, 0},
                                         {"conv3", 3, 5, 2560, 0}, {"conv4", 4, 6, 5120, 0},
                                         {"sum", 6, 8, 2048, 0},   {"pool", 7, 9, 1024, 0},
                                         {"dense", 8, 10, 768, 0}, {"scores", 9, 11, 40, 0}};

static int by_size(const void *a, const void *b) {
    const struct buffer *x = *(struct buffer *const *)a, *y = *(struct buffer *const *)b;
    if (x->size != y->size) {
        return x->size > y->size ? -1 : 1;
    }
    return x->lower != y->lower ? (x->lower < y->lower ? -1 : 1) : (x > y) - (x < y);
}

static int by_offset(const void *a, const void *b) {
    const struct buffer *x = *(struct buffer *const *)a, *y = *(struct buffer *const *)b;
    return x->offset != y->offset ? (x->offset < y->offset ? -1 : 1) : by_size(a, b);
}

static bool forbidden(struct stowage_record *r, const struct buffer *b, uint64_t at) {
    return stowage_record_forbidden(r, b->id, NULL, at, at + b->size);
}

/* Does it fit into the gap? At its low end, or above what the debugger forbids there, which is all
 * that the recorder tells: steps that double leave it behind, halves find where it ends. */
static void try_gap(struct stowage_record *r, const struct buffer *b, struct gap *gap) {
    uint64_t left = gap->size >= b->size ? gap->size - b->size : 0, below = gap->from;
    gap->at = gap->from;
    gap->fits = gap->size >= b->size;
    for (uint64_t more = 1; gap->fits && forbidden(r, b, gap->at); more *= 2) {
        gap->fits = left > 0;
        more = more < left ? more : left;
        left -= more;
        below = gap->at;
        gap->at += more;
    }
    while (gap->fits && gap->at - below > 1) {
        uint64_t middle = below + (gap->at - below) / 2;
        *(forbidden(r, b, middle) ? &below : &gap->at) = middle;
    }
}

/* The gaps between the blocks that are needed at the same time, and the open one above them. */
static size_t find_gaps(struct buffer **placed, size_t count, const struct buffer *b,
                        struct buffer **near, struct gap *gaps) {
    size_t blocks = 0, found = 0;
    uint64_t end = 0;
    for (size_t i = 0; i < count; i++) {
        if (placed[i]->lower < b->upper && b->lower < placed[i]->upper) {
            near[blocks++] = placed[i];
        }
    }
    qsort(near, blocks, sizeof *near, by_offset);
    for (size_t i = 0; i < blocks; i++) {
        if (i > 0 &&
            near[i]->offset > end) { /* the flaw: below near[0] there may be a gap as well */
            gaps[found++] = (struct gap){.from = end, .size = near[i]->offset - end};
        }
        end = near[i]->offset + near[i]->size > end ? near[i]->offset + near[i]->size : end;
    }
    gaps[found++] = (struct gap){.from = end, .size = INT64_MAX - end};
    return found;
}

static bool place(struct stowage_record *r, struct buffer *b, struct gap *gaps, size_t count) {
    size_t best = count;
    uint64_t demanded;
    for (size_t i = 0; i < count; i++) {
        try_gap(r, b, &gaps[i]);
        if (gaps[i].fits && (best == count || gaps[i].size < gaps[best].size)) {
            best = i;
        }
    }
    for (size_t i = 0; i < count; i++) {
        stowage_record_candidate(r, NULL, gaps[i].at,
                                 i + 1 < count ? gaps[i].size : STOWAGE_RECORD_NONE,
                                 i == best      ? "chosen"
                                 : gaps[i].fits ? "fits"
                                                : "refused",
                                 "%s",
                                 gaps[i].fits             ? ""
                                 : gaps[i].size < b->size ? "too small"
                                                          : "forbidden");
    }
    if (stowage_record_demand(r, b->id, NULL, &demanded) && demanded <= INT64_MAX / 2) {
        b->offset = demanded;
        stowage_record_decision(r, "place", b->id, NULL, b->offset, "demanded");
        return true;
    }
    if (best == count) {
        stowage_record_decision(r, "give up", b->id, NULL, STOWAGE_RECORD_NONE,
                                "no gap is allowed");
        return false;
    }
    b->offset = gaps[best].at;
    stowage_record_figure(r, "gaps", (double)count);
    stowage_record_decision(r, "place", b->id, NULL, b->offset,
                            best + 1 < count  ? "smallest gap that fits"
                            : gaps[best].from ? "no gap fits, so it goes above them"
                                              : "nothing is in its way");
    return true;
}

static bool plan(struct stowage_record *r, struct buffer *buffers, size_t count) {
    struct buffer **order = calloc(2 * count, sizeof *order), **near = order + count;
    struct gap *gaps = calloc(count + 1, sizeof *gaps);
    bool ok = order && gaps;
    uint64_t peak = 0;
    for (size_t i = 0; ok && i < count; i++) {
        order[i] = &buffers[i];
        stowage_record_buffer(r, buffers[i].id, buffers[i].size, (int64_t)buffers[i].lower,
                              (int64_t)buffers[i].upper - 1, 1);
    }
    if (ok) {
        qsort(order, count, sizeof *order, by_size);
    }
    for (size_t i = 0; ok && i < count; i++) {
        ok = place(r, order[i], gaps, find_gaps(order, i, order[i], near, gaps));
        if (ok && order[i]->offset + order[i]->size > peak) {
            peak = order[i]->offset + order[i]->size;
        }
        stowage_record_state(r, "arena", (const char *const[]){"blocks", "peak"}, 2,
                             (double[]){(double)(i + ok), (double)peak}, 1);
    }
    stowage_record_end(r, ok ? NULL : "a buffer has no place");
    for (size_t i = 0; ok && i < count; i++) {
        printf("%s %" PRIu64 "\n", buffers[i].id, buffers[i].offset);
    }
    printf(ok ? "peak %" PRIu64 "\n" : "no plan\n", peak);
    free(order);
    free(gaps);
    return ok;
}

static struct buffer *load(const char *path, size_t *count) {
    char line[256] = "", rest = '\0';
    struct buffer *buffers = NULL, b = {0};
    uint64_t total = 0;
    size_t number = 1;
    FILE *file = fopen(path, "r");
    bool good = file && fgets(line, sizeof line, file) && !strcmp(line, "id,lower,upper,size\n");
    while (good && fgets(line, sizeof line, file)) {
        struct buffer *more = realloc(buffers, (*count + 1) * sizeof *buffers);
        buffers = more ? more : buffers;
        number++;
        good = more && !strpbrk(line, " -+") &&
               sscanf(line, "%63[^,\n],%" SCNu64 ",%" SCNu64 ",%" SCNu64 "%c", b.id, &b.lower,
                      &b.upper, &b.size, &rest) == 5 &&
               rest == '\n' && b.lower < b.upper && b.upper <= INT64_MAX &&
               b.size <= INT64_MAX / 4 - total;
        total += good ? b.size : 0;
        if (good) {
            buffers[(*count)++] = b;
        }
    }
    if (!file) {
        perror(path);
    } else if (!good || !*count) {
        fprintf(stderr, "%s:%zu: not a line of id,lower,upper,size\n", path, number);
    }
    if (file) {
        fclose(file);
    }
    if (good && *count) {
        return buffers;
    }
    free(buffers);
    return NULL;
}

int main(int argc, char **argv) {
    size_t count = argc > 1 ? 0 : sizeof built_in / sizeof *built_in;
    struct buffer *buffers = argc > 1 ? load(argv[1], &count) : malloc(sizeof built_in);
    if (!buffers) {
        return 2;
    }
    if (argc == 1) {
        memcpy(buffers, built_in, sizeof built_in);
    }
    struct stowage_record *r = stowage_record_open(NULL, "toy", NULL);
    bool ok = plan(r, buffers, count);
    int error = stowage_record_close(r);
    if (error) {
        fprintf(stderr, "the recording is not whole: %s\n", strerror(error));
    }
    free(buffers);
    return !ok;
}
