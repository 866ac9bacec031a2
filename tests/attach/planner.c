/* Another program's planner: first fit over buffers of a fixed pattern, recorded by plain printf into $STOWAGE_RECORD.
 *
 *     planner BEHAVIOUR [BUFFERS]
 *
 * Half way through, each behaviour does what its name says. Without STOWAGE_RECORD nothing is recorded. Every decision
 * adds a byte to the file $PLANNER_COUNT, every run a line to $PLANNER_RUNS, where these are set. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST = 4096 };

struct block {
    uint64_t size, offset;
    unsigned first, last;
    bool placed;
};
struct wish {
    uint64_t step, lo, hi;
    char buffer[64];
    bool forbid;
};

static struct block blocks[MOST];
static struct wish wishes[64];
static unsigned block_count, wish_count;
static FILE *record;
static const char *behaviour;

static bool is(const char *name) {
    return strcmp(behaviour, name) == 0;
}

/* ---- demands ---- */

/* Only the form in which stowage writes them. */
static void read_wishes(void) {
    const char *path = getenv("STOWAGE_DEMANDS");
    FILE *file = path && !is("deaf") ? fopen(path, "r") : NULL;
    char line[512];
    while (file && wish_count < 64 && fgets(line, sizeof line, file)) {
        struct wish *wish = &wishes[wish_count];
        *wish = (struct wish){0};
        if (sscanf(line,
                   "{\"step\":%" SCNu64 ",\"pin\":{\"buffer\":\"%63[^\"]\",\"tier\":\"sram\",\"offset\":%" SCNu64 "}}",
                   &wish->step, wish->buffer, &wish->lo) == 3) {
            wish_count++;
        } else if (sscanf(line,
                          "{\"step\":%" SCNu64 ",\"forbid\":{\"buffer\":\"%63[^\"]\",\"tier\":\"sram\",\"lo\":%" SCNu64
                          ",\"hi\":%" SCNu64 "}}",
                          &wish->step, wish->buffer, &wish->lo, &wish->hi) == 4) {
            wish->forbid = true;
            wish_count++;
        }
    }
    if (file) {
        fclose(file);
    }
}

static bool concerns(const struct wish *wish, unsigned index) {
    char name[24];
    snprintf(name, sizeof name, "b%u", index);
    return index + 1 >= wish->step && (strcmp(wish->buffer, name) == 0 || strcmp(wish->buffer, "*") == 0);
}

/* The lowest offset from `offset` on that nothing forbids. */
static uint64_t allowed(unsigned index, uint64_t offset) {
    for (unsigned i = 0; i < wish_count; i++) {
        const struct wish *wish = &wishes[i];
        if (wish->forbid && concerns(wish, index) && offset < wish->hi && offset + blocks[index].size > wish->lo) {
            return allowed(index, wish->hi);
        }
    }
    return offset;
}

/* ---- first fit ---- */

static void candidate(uint64_t offset, uint64_t size, const char *verdict, const char *reason, unsigned blocker) {
    if (record) {
        fprintf(record,
                "{\"candidate\":%" PRIu64 ",\"tier\":\"sram\",\"size\":%" PRIu64
                ",\"verdict\":\"%s\",\"reason\":\"%s\"",
                offset, size, verdict, reason);
        fprintf(record, blocker < MOST ? ",\"blocker\":\"b%u\"}\n" : "}\n", blocker);
    }
}

static uint64_t first_fit(unsigned index) {
    struct block *block = &blocks[index];
    uint64_t offset = allowed(index, 0);
    for (unsigned i = 0; i < block_count; i++) {
        const struct block *other = &blocks[i];
        if (other->placed && other->first <= block->last && block->first <= other->last &&
            offset < other->offset + other->size && other->offset < offset + block->size) {
            candidate(offset, block->size, "refused", "occupied", i);
            offset = allowed(index, other->offset + other->size);
            i = (unsigned)-1; /* from the beginning */
        }
    }
    return offset;
}

static uint64_t pinned(unsigned index, uint64_t offset) {
    for (unsigned i = 0; i < wish_count && !is("defiant"); i++) {
        if (!wishes[i].forbid && concerns(&wishes[i], index)) {
            return wishes[i].lo;
        }
    }
    return offset;
}

/* Every run another one. */
static uint64_t mood(void) {
    uint16_t draw = 0;
    int fd = open("/dev/urandom", O_RDONLY);
    if (fd < 0 || read(fd, &draw, sizeof draw) != (ssize_t)sizeof draw) {
        draw = (uint16_t)getpid();
    }
    close(fd);
    return (uint64_t)draw * 64;
}

static void add_to(const char *variable, char what) {
    const char *path = getenv(variable);
    FILE *file = path ? fopen(path, "a") : NULL;
    if (file) {
        putc(what, file);
        fclose(file);
    }
}

static void declare(unsigned index) {
    struct block *block = &blocks[index];
    *block = (struct block){.size = 64 * (uint64_t)(1 + index * 7 % 5), .first = index, .last = index + 1 + index % 3};
    if (!record) {
        return;
    }
    if (is("online")) {
        fprintf(record, "{\"alloc\":\"b%u\",\"size\":%" PRIu64 ",\"stream\":0}\n", index, block->size);
    } else {
        fprintf(record, "{\"buffer\":\"b%u\",\"size\":%" PRIu64 ",\"first\":%u,\"last\":%u}\n", index, block->size,
                block->first, block->last);
    }
}

/* Of an online allocator: whatever is not used any more goes. */
static void let_go(unsigned index) {
    for (unsigned i = 0; record && i < index; i++) {
        if (blocks[i].last + 1 == index) {
            fprintf(record, "{\"free\":\"b%u\"}\n", i);
        }
    }
}

static void decide(unsigned index) {
    bool capricious = is("moody") && index >= block_count / 2;
    uint64_t offset = pinned(index, first_fit(index)) + (capricious ? mood() : 0);
    blocks[index].offset = offset;
    blocks[index].placed = true;
    candidate(offset, blocks[index].size, "chosen", "lowest place that is free", MOST);
    if (record) {
        fprintf(record,
                "{\"decision\":\"place\",\"buffer\":\"b%u\",\"tier\":\"sram\",\"offset\":%" PRIu64
                ",\"reason\":\"lowest place that is free\",\"source\":\"planner.c:%d\"}\n",
                index, offset, __LINE__);
        fflush(record);
    }
    add_to("PLANNER_COUNT", '.');
}

/* ---- behaviours, half way ---- */

static void be_steady(void) {}

static void be_crashing(void) {
    fprintf(stderr, "planner: assertion 'gap >= 0' failed\n");
    abort();
}

static void be_hanging(void) {
    for (;;) {
        pause();
    }
}

static void be_loud(void) {
    static char text[65536];
    const char *amount = getenv("PLANNER_BYTES");
    memset(text, '.', sizeof text);
    for (unsigned i = 79; i < sizeof text; i += 80) {
        text[i] = '\n';
    }
    for (uint64_t left = amount ? strtoull(amount, NULL, 10) : UINT64_C(1) << 30; left > 0;) {
        ssize_t put = write(STDOUT_FILENO, text, left < sizeof text ? (size_t)left : sizeof text);
        if (put < 0) {
            exit(9);
        }
        left -= (uint64_t)put;
    }
    printf("the last line\n");
}

/* What is forked makes the rest of the decisions, and the first process waits for it. */
static void be_forking(void) {
    int status = 0;
    fflush(record);
    pid_t child = fork();
    if (child > 0) {
        while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
        }
        _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 1);
    }
}

/* Leaves a process in a session of its own that has lost its parent and ignores SIGTERM, and one that does not ignore
 * it. */
static void leave(bool stubborn) {
    int ready[2];
    char byte;
    if (pipe(ready) != 0) {
        exit(8);
    }
    pid_t child = fork();
    if (child == 0) {
        setsid();
        if (fork() > 0) {
            _exit(0);
        }
        signal(SIGTERM, stubborn ? SIG_IGN : SIG_DFL);
        if (record) {
            close(fileno(record)); /* it will record nothing */
        }
        if (write(ready[1], "", 1) == 1) {
            be_hanging();
        }
        _exit(1);
    }
    close(ready[1]);
    if (read(ready[0], &byte, 1) != 1) {
        exit(8);
    }
    close(ready[0]);
    waitpid(child, NULL, 0);
}

static void be_leaving(void) {
    leave(false);
    leave(true);
}

static void be_broken(void) {
    if (record) {
        fprintf(record, "{\"decision\":\"place\", oops\n");
    }
}

static void be_early(void) {
    if (record) {
        fclose(record);
    }
    record = NULL;
}

static void say_descriptors(void) {
    for (int fd = 0; fd < 1024; fd++) {
        if (fcntl(fd, F_GETFD) >= 0) {
            printf("%d ", fd);
        }
    }
    int terminal = open("/dev/tty", O_RDWR);
    printf("%s\n", terminal >= 0 ? "terminal" : "no terminal");
}

static const struct {
    const char *name, *what;
    void (*half_way)(void);
} behaviours[] = {
    {"steady", "obeys its demands", be_steady},
    {"deaf", "never asks for demands", be_steady},
    {"defiant", "asks for demands and does not obey", be_steady},
    {"moody", "decides something else in every run", be_steady},
    {"crash", "aborts", be_crashing},
    {"hang", "waits for ever", be_hanging},
    {"stubborn", "waits for ever and ignores SIGTERM", be_hanging},
    {"loud", "prints a gigabyte, or $PLANNER_BYTES", be_loud},
    {"fork", "goes on in a process that it forks", be_forking},
    {"leave", "leaves processes in sessions of their own", be_leaving},
    {"early", "closes what it records to", be_early},
    {"twice", "records a second run afterwards", be_steady},
    {"fail", "ends with status 3", be_steady},
    {"late", "declares each buffer only when it places it", be_steady},
    {"online", "allocates and frees as it goes", be_steady},
    {"broken", "records a line that is none", be_broken},
    {"descriptors", "prints which descriptors it has", say_descriptors},
};

static void plan(void (*half_way)(void)) {
    const char *path = getenv("STOWAGE_RECORD");
    uint64_t peak = 0;
    record = path && *path ? fopen(path, "a") : NULL;
    if (record) {
        fprintf(record, "{\"stowage-trace\":1,\"planner\":\"foreign-first-fit\",\"model\":\"pattern\",\"tiers\":[{"
                        "\"name\":\"sram\"}]}\n");
    }
    bool late = is("late") || is("online");
    for (unsigned i = 0; i < block_count && !late; i++) {
        declare(i);
    }
    for (unsigned i = 0; i < block_count; i++) {
        if (i == block_count / 2) {
            half_way();
        }
        if (is("online")) {
            let_go(i); /* before there is another one, as it plans */
        }
        if (late) {
            declare(i);
        }
        decide(i);
        uint64_t end = blocks[i].offset + blocks[i].size;
        peak = end > peak ? end : peak;
    }
    if (record) {
        fprintf(record, "{\"end\":\"done\",\"peak\":%" PRIu64 "}\n", peak);
        fclose(record);
    }
}

int main(int count, char **arguments) {
    size_t known = sizeof behaviours / sizeof *behaviours, i = 0;
    behaviour = count > 1 ? arguments[1] : "";
    block_count = count > 2 ? (unsigned)strtoul(arguments[2], NULL, 10) % MOST : 20;
    while (i < known && !is(behaviours[i].name)) {
        i++;
    }
    if (i == known) {
        for (i = 0; i < known; i++) {
            printf("%-12s %s\n", behaviours[i].name, behaviours[i].what);
        }
        return 2;
    }
    if (is("stubborn")) {
        signal(SIGTERM, SIG_IGN); /* before it records anything: what was recorded may be answered at once */
    }
    read_wishes();
    add_to("PLANNER_RUNS", '\n');
    plan(behaviours[i].half_way);
    if (is("twice")) {
        plan(behaviours[i].half_way);
    }
    return is("fail") ? 3 : 0;
}
