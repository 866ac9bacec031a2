/* Every malloc and free of a program as a trace of requests, which stowage opens: see README.md.
 *
 * Preloaded:  cc -shared -fPIC -O2 stowage_malloc.c -o stowage_malloc.so -ldl -pthread
 *             STOWAGE_RECORD=run.trace LD_PRELOAD=./stowage_malloc.so PROGRAM
 * Linked in:  cc -DSTOWAGE_MALLOC_WRAP -c stowage_malloc.c, and the program with -Wl,--wrap=malloc,--wrap=calloc,
 *             --wrap=realloc,--wrap=free,--wrap=posix_memalign,--wrap=aligned_alloc. With -DSTOWAGE_MALLOC_FEW the last two
 *             are left out, where the C library has none; -DSTOWAGE_MALLOC_RECORD='"run.trace"' names the file where there
 *             is no environment.
 *
 * The id of an allocation is its address. An allocation is written after it was made, and a free before it is done, so that
 * an address never comes again before its free; realloc is a free and an allocation. Requests that get nothing are not
 * written. C++'s new and delete come here through malloc and free.
 *
 * The trace is that of one process: a child of fork writes nothing, and nor does a program that it runs, unless the name of
 * the trace has %p in it. A program that takes the place of this one (exec) begins the trace anew. What stowage itself
 * allocates comes from the real functions and is not written. Needs gcc or clang, and POSIX threads. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* RTLD_NEXT */
#endif
/* All that record.h includes, before its own names are hidden. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#ifdef STOWAGE_MALLOC_WRAP
#define ENTRY(name) __wrap_##name
#define REAL_OF(name) __real_##name
void *__real_malloc(size_t);
void *__real_calloc(size_t, size_t);
void *__real_realloc(void *, size_t);
void __real_free(void *);
int __real_posix_memalign(void **, size_t, size_t);
void *__real_aligned_alloc(size_t, size_t);
void *__wrap_malloc(size_t);
void *__wrap_calloc(size_t, size_t);
void *__wrap_realloc(void *, size_t);
void __wrap_free(void *);
int __wrap_posix_memalign(void **, size_t, size_t);
void *__wrap_aligned_alloc(size_t, size_t);
#else
#include <dlfcn.h>
#include <malloc.h>
#define ENTRY(name) name
#define REAL_OF(name) real_##name
static void *(*real_malloc)(size_t);
static void *(*real_calloc)(size_t, size_t);
static void *(*real_realloc)(void *, size_t);
static void (*real_free)(void *);
static int (*real_posix_memalign)(void **, size_t, size_t);
static void *(*real_aligned_alloc)(size_t, size_t);
static void *(*real_memalign)(size_t, size_t);
#endif

#define STOWAGE_RECORD_REALLOC(bytes, size) REAL_OF(realloc)(bytes, size)
#define STOWAGE_RECORD_FREE(bytes) REAL_OF(free)(bytes)
#define STOWAGE_RECORD_IMPLEMENTATION
#ifndef STOWAGE_MALLOC_WRAP
#pragma GCC visibility push(hidden) /* a program that records by itself has its own */
#endif
#include "stowage/record.h"
#ifndef STOWAGE_MALLOC_WRAP
#pragma GCC visibility pop
#endif

#if defined __GNUC__ && !defined STOWAGE_MALLOC_WRAP
#define EXPORT __attribute__((visibility("default")))
#define THREAD static __thread __attribute__((tls_model("initial-exec"))) /* others may allocate when they are first used */
#else
#define EXPORT
#define THREAD static __thread
#endif

extern char **environ;

enum { UNDECIDED, RECORDING, OFF };
static int malloc_state;                                 /* looked at without the lock */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of the record, and of the order of its lines */
static struct stowage_record *malloc_record;             /* NULL unless RECORDING */
THREAD int inside_recorder;                              /* this thread writes a line, or finds out whether to: what it allocates is ours */

/* ---- beginning and end ---- */

static void enter_recorder(void) { /* also before a fork */
    inside_recorder++;
    pthread_mutex_lock(&lock);
}

static void leave_recorder(void) { /* and after it */
    pthread_mutex_unlock(&lock);
    inside_recorder--;
}

static void in_child(void) { /* its parent goes on; this one has its own addresses from now on */
    __atomic_store_n(&malloc_state, OFF, __ATOMIC_RELEASE);
    stowage_record_close(malloc_record); /* writes no end here */
    malloc_record = NULL;
    leave_recorder();
}

/* Is this process one that the recorded process has started? Then the trace is not its own. The process that records leaves
 * its number and the name of its trace in the environment: "1234 run.trace". */
static int is_descendant(const char *path) {
    static const char name[] = "STOWAGE_RECORD_PROCESS";
    char value[4096], digits[24];
    const char *before = getenv(name), *of = before ? strchr(before, ' ') : NULL;
    size_t at = sizeof digits, length = strlen(path);
    uint64_t process = (uint64_t)getpid();
    for (const char *c = path; (c = strchr(c, '%')); c += c[1] ? 2 : 1) {
        if (c[1] == 'p') {
            return 0; /* each has a file of its own */
        }
    }
    do {
        digits[--at] = (char)('0' + process % 10);
    } while (process /= 10);
    size_t count = sizeof digits - at;
    if (of && strcmp(of + 1, path) == 0 && ((size_t)(of - before) != count || memcmp(before, digits + at, count) != 0)) {
        return 1;
    }
    if (count + 1 + length >= sizeof value) {
        return 1; /* no file has such a name */
    }
    memcpy(value, digits + at, count);
    value[count] = ' ';
    memcpy(value + count + 1, path, length + 1);
    return setenv(name, value, 1) != 0;
}

static const char *wanted_path(void) {
    const char *path = environ ? getenv("STOWAGE_RECORD") : NULL;
#ifdef STOWAGE_MALLOC_RECORD
    path = path && *path ? path : STOWAGE_MALLOC_RECORD;
#endif
    return path && *path ? path : NULL;
}

/* The first call decides. Before the environment is there it is too early: calls then are the loader's. */
static int decide(void) {
    const char *model = NULL;
#ifndef STOWAGE_MALLOC_RECORD
    if (!environ) {
        return OFF;
    }
#endif
    enter_recorder();
    int now = __atomic_load_n(&malloc_state, __ATOMIC_RELAXED);
    const char *path = now == UNDECIDED ? wanted_path() : NULL;
#ifdef __GLIBC__
    model = program_invocation_short_name;
#endif
    if (now == UNDECIDED) {
        int error = errno;
        malloc_record = path && !is_descendant(path) ? stowage_record_open(path, "malloc", model) : NULL;
        now = malloc_record && pthread_atfork(enter_recorder, leave_recorder, in_child) == 0 ? RECORDING : OFF;
        errno = error;
        __atomic_store_n(&malloc_state, now, __ATOMIC_RELEASE);
    }
    leave_recorder();
    return now;
}

__attribute__((destructor)) static void end_recording(void) {
    enter_recorder();
    if (__atomic_exchange_n(&malloc_state, OFF, __ATOMIC_ACQ_REL) == RECORDING) {
        stowage_record_close(malloc_record);
        malloc_record = NULL;
    }
    leave_recorder();
}

/* ---- lines ---- */

/* One test where nothing is recorded. */
static inline int is_recording(void) {
    int now = __atomic_load_n(&malloc_state, __ATOMIC_ACQUIRE);
    return __builtin_expect(now != OFF, 0) && !inside_recorder && (now == UNDECIDED ? decide() : now) == RECORDING;
}

static void write_event(const void *block, size_t size, int alloc) {
    static const char hex[] = "0123456789abcdef";
    char id[2 + 2 * sizeof block + 1];
    size_t at = sizeof id - 1;
    uintptr_t address = (uintptr_t)block;
    id[at] = '\0';
    do {
        id[--at] = hex[address & 15];
    } while (address >>= 4);
    id[--at] = 'x';
    id[--at] = '0';
    if (alloc) {
        stowage_record_alloc(malloc_record, id + at, size, -1);
    } else {
        stowage_record_free(malloc_record, id + at);
    }
}

static void tell_request(const void *block, size_t size, int alloc) {
    enter_recorder();
    write_event(block, size, alloc); /* a NULL record takes it, too */
    leave_recorder();
}

static void *told_block(void *block, size_t size) {
    if (block && is_recording()) {
        tell_request(block, size, 1);
    }
    return block;
}

/* ---- the real functions ---- */

#ifdef STOWAGE_MALLOC_WRAP
static inline int are_there(void) { return 1; }
static inline void *early(size_t size) { return (void)size, NULL; }
static inline int is_early(const void *block) { return (void)block, 0; }
#else
/* Looking for them may allocate: what is asked for then comes from here, and is never given back. */
static char early_bytes[65536] __attribute__((aligned(16)));
static size_t early_used;

static void *early(size_t size) {
    size_t at = __atomic_fetch_add(&early_used, (size + 31) & ~(size_t)15, __ATOMIC_RELAXED) + 16;
    if (size > sizeof early_bytes || at + size > sizeof early_bytes) {
        return errno = ENOMEM, NULL;
    }
    memcpy(early_bytes + at - 16, &size, sizeof size); /* for realloc */
    return early_bytes + at;
}

static int is_early(const void *block) {
    return (uintptr_t)block - (uintptr_t)early_bytes < sizeof early_bytes;
}

#define FIND(name) (symbol = dlsym(RTLD_NEXT, #name), memcpy(&real_##name, &symbol, sizeof symbol))
static int are_there(void) {
    static int found; /* 0: not yet, 1: one thread looks, 2: yes */
    THREAD int looking;
    void *symbol;
    if (__builtin_expect(__atomic_load_n(&found, __ATOMIC_ACQUIRE) == 2, 1)) {
        return 1;
    }
    if (looking) {
        return 0;
    }
    looking = 1;
    FIND(calloc), FIND(malloc), FIND(realloc), FIND(free);
    FIND(posix_memalign), FIND(aligned_alloc), FIND(memalign);
    looking = 0;
    if (!real_malloc || !real_calloc || !real_realloc || !real_free) {
        abort();
    }
    __atomic_store_n(&found, 2, __ATOMIC_RELEASE);
    return 1;
}
#endif

/* ---- what the program calls ---- */

EXPORT void *ENTRY(malloc)(size_t size) {
    return are_there() ? told_block(REAL_OF(malloc)(size), size) : early(size);
}

EXPORT void *ENTRY(calloc)(size_t count, size_t size) {
    size_t all;
    if (__builtin_mul_overflow(count, size, &all)) {
        return errno = ENOMEM, NULL;
    }
    return are_there() ? told_block(REAL_OF(calloc)(count, size), all) : early(all); /* which is zero: it is used once */
}

EXPORT void ENTRY(free)(void *block) {
    if (!block || is_early(block) || !are_there()) {
        return;
    }
    if (is_recording()) {
        tell_request(block, 0, 0);
    }
    REAL_OF(free)(block);
}

/* The block may be given to another thread as soon as the real function has moved it: its line waits for the lock. */
static void *move(void *block, size_t size) {
    enter_recorder();
    void *moved = REAL_OF(realloc)(block, size);
    int error = errno;
    if (moved || size == 0) {
        write_event(block, 0, 0);
    }
    if (moved) {
        write_event(moved, size, 1);
    }
    leave_recorder();
    errno = error;
    return moved;
}

EXPORT void *ENTRY(realloc)(void *block, size_t size) {
    if (!are_there()) {
        return early(size); /* none is freed or grown while the real functions are looked for */
    }
    if (!block) {
        return told_block(REAL_OF(realloc)(NULL, size), size);
    }
    if (is_early(block)) {
        size_t old;
        void *fresh = ENTRY(malloc)(size);
        memcpy(&old, (char *)block - 16, sizeof old);
        return fresh ? memcpy(fresh, block, old < size ? old : size) : NULL;
    }
    return is_recording() ? move(block, size) : REAL_OF(realloc)(block, size);
}

#ifndef STOWAGE_MALLOC_FEW
EXPORT int ENTRY(posix_memalign)(void **block, size_t alignment, size_t size) {
    int error = are_there() ? REAL_OF(posix_memalign)(block, alignment, size) : ENOMEM;
    if (!error) {
        told_block(*block, size);
    }
    return error;
}

EXPORT void *ENTRY(aligned_alloc)(size_t alignment, size_t size) {
    return are_there() ? told_block(REAL_OF(aligned_alloc)(alignment, size), size) : NULL;
}
#endif

#ifndef STOWAGE_MALLOC_WRAP
EXPORT void *memalign(size_t alignment, size_t size) {
    return are_there() && real_memalign ? told_block(real_memalign(alignment, size), size) : NULL;
}

EXPORT void *reallocarray(void *block, size_t count, size_t size) {
    size_t all;
    return __builtin_mul_overflow(count, size, &all) ? (errno = ENOMEM, NULL) : realloc(block, all);
}
#endif
