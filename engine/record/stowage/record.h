/* The recorder: a memory planner writes down what it decides, and stowage opens that like any other run.
 *
 * One header, C99 or C++11 (gcc, clang), POSIX threads, nothing else. Include it wherever you record. ONE source file
 * of the program defines STOWAGE_RECORD_IMPLEMENTATION before it does: that file holds the functions, and what the
 * whole program shares. With -std=c99 that file includes this header before all others, for it asks for POSIX.
 *
 *     struct stowage_record *r = stowage_record_open(NULL, "my-planner", "my-model");   // $STOWAGE_RECORD, else NULL
 *     stowage_record_buffer(r, "conv1", 4096, 0, 3, 16);                                // each buffer once
 *     stowage_record_candidate(r, NULL, 0, 1024, "refused", "too small by %d", 3072);   // each place it looks at
 *     stowage_record_decision(r, "place", "conv1", NULL, 8192, "lowest that fits");     // what it decided
 *     int error = stowage_record_close(r);                                              // 0, or an errno
 *
 * Nothing recorded: the record is NULL. Every function takes NULL and does nothing, so that costs one test.
 * Text: strings are copied and escaped; bytes that are no UTF-8 become U+FFFD. A string that is NULL is left out, or
 *   empty where the line needs one. Numbers are left out where they are STOWAGE_RECORD_NONE; times, `at` and `stream`
 *   where they are negative; capacities and alignments where they are 0. A candidate at STOWAGE_RECORD_NONE is "no
 *   place", a figure that is no number is null. The same calls give the same bytes, whenever and wherever.
 * When it is in the file: a decision goes out with the candidates and figures that its thread gave since its last one,
 *   in one write; then all up to it is there. Tiers, operators and buffers wait for the next line of another kind.
 * Threads: all but close may be called from any thread at any time, close when no other thread is in a call. The order
 *   in the file is that of the decisions. What ended threads have used is freed by close.
 * Errors: the first ends the recording, so that the file is true as far as it goes, and close tells it; so do a file
 *   that cannot be opened and lack of memory. The planner goes on, errno stays as it was, neither SIGPIPE nor SIGXFSZ
 *   of a write reaches the program, and how it handles signals is never changed.
 * Files: in a path %p is the process, %n the how many-th open of the process, from 1, and %% a percent sign. The first
 *   open of a file in a process empties it, another one appends a run, and so does a pipe. What is still recorded into
 *   cannot be opened again (EBUSY): planners side by side use %n. A child of fork may go on recording: its lines stand
 *   whole between its parent's, who alone writes the end. A child that plans by itself opens its own record, with %p.
 * Demands: under the debugger STOWAGE_DEMANDS names a file of places that the user pins or forbids, each from a step
 *   on: at step 17 once this record has 16 decisions. A file that is not understood gives none, and close tells EINVAL.
 *   That a planner asks is in its thread's next decision: "asked":"demand", "forbidden" or "demand forbidden". */
#ifndef STOWAGE_RECORD_H
#define STOWAGE_RECORD_H
#if defined STOWAGE_RECORD_IMPLEMENTATION && defined __STRICT_ANSI__ && !defined _POSIX_C_SOURCE && \
    !defined _GNU_SOURCE && !defined _DEFAULT_SOURCE && !defined _XOPEN_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#define STOWAGE_RECORD_PRINTF(format_at, values_at) __attribute__((format(printf, format_at, values_at)))
/* Instead of an offset, a size or an alignment: there is none, or it is not known. */
#define STOWAGE_RECORD_NONE UINT64_MAX
#ifdef __cplusplus
extern "C" {
#endif
struct stowage_record;

/* Begin a run. path NULL: $STOWAGE_RECORD. NULL: no path, or, with errno ENOMEM, no memory. The caller closes it. */
struct stowage_record *stowage_record_open(const char *path, const char *planner, const char *model);

/* The problem, in bytes. Operators are in execution order, or at the step `at`; how is "input", "output" or "scratch",
 * anything else ends the recording with EINVAL. A buffer is needed from first to last, both included; that of an
 * online allocator, whose events are the time, from its alloc to its free. */
void stowage_record_tier(struct stowage_record *, const char *name, uint64_t capacity, uint64_t alignment);
void stowage_record_operator(struct stowage_record *, const char *name, int64_t at);
void stowage_record_operator_uses(struct stowage_record *, const char *operator_name, const char *buffer,
                                  const char *how);
void stowage_record_buffer(struct stowage_record *, const char *id, uint64_t size, int64_t first, int64_t last,
                           uint64_t alignment);
void stowage_record_alloc(struct stowage_record *, const char *id, uint64_t size, int64_t stream);
void stowage_record_free(struct stowage_record *, const char *id);

/* The decisions that follow belong together: a pass, a try. */
void stowage_record_group(struct stowage_record *, const char *name);
/* A place looked at, for this thread's next decision. tier NULL: the only one. verdict: "chosen", "fits", "refused". */
void stowage_record_candidate(struct stowage_record *, const char *tier, uint64_t offset, uint64_t size,
                              const char *verdict, const char *reason, ...) STOWAGE_RECORD_PRINTF(6, 7);
/* A figure of this thread's next decision; each name once. */
void stowage_record_figure(struct stowage_record *, const char *name, double value);
/* "place" and "move" put the buffer there; any other kind is shown as written. */
void stowage_record_decision(struct stowage_record *, const char *kind, const char *buffer, const char *tier,
                             uint64_t offset, const char *reason, ...) STOWAGE_RECORD_PRINTF(6, 7);
/* A table of the planner's own state after the last decision, row by row. */
void stowage_record_state(struct stowage_record *, const char *name, const char *const *columns, size_t column_count,
                          const double *values, size_t row_count);
/* The run is over; failure NULL: it is done. */
void stowage_record_end(struct stowage_record *, const char *failure);
/* Write `end` unless that was done, and free the record. 0, or the errno of what went wrong first. */
int stowage_record_close(struct stowage_record *);

/* Must it lie somewhere? The last pin in the file counts. *tier lives as long as the record; NULL: the only one. */
bool stowage_record_demand(struct stowage_record *, const char *buffer, const char **tier, uint64_t *offset);
/* Does [lo, hi) touch what is forbidden to it? tier NULL: in any. */
bool stowage_record_forbidden(struct stowage_record *, const char *buffer, const char *tier, uint64_t lo, uint64_t hi);

#ifdef __cplusplus
}
#endif
#endif

#if defined STOWAGE_RECORD_IMPLEMENTATION && !defined STOWAGE_RECORD_IMPLEMENTED
#define STOWAGE_RECORD_IMPLEMENTED
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#ifndef O_CLOEXEC
#error "where STOWAGE_RECORD_IMPLEMENTATION is defined, include stowage/record.h first, or compile with -std=gnu99"
#endif
#ifndef STOWAGE_RECORD_REALLOC /* where all memory comes from; define both, or none */
#define STOWAGE_RECORD_REALLOC(bytes, size) realloc(bytes, size)
#define STOWAGE_RECORD_FREE(bytes) free(bytes)
#endif
#ifdef __cplusplus
#define SWR_CAST(type, value) static_cast<type>(value)
#else
#define SWR_CAST(type, value) ((type)(value))
#endif

struct swr_text {
    char *bytes;
    size_t length, capacity;
    bool failed; /* for lack of memory: it is not whole */
};
struct swr_thread { /* what one thread has gathered for its next decision */
    struct swr_thread *next;
    struct swr_text lines, figures;
    unsigned asked; /* 1 for demands, 2 for what is forbidden */
};
struct swr_demand {
    struct swr_demand *next; /* that stands before it */
    uint64_t step, lo, hi; /* lo is the offset of a pin */
    char *buffer, *tier;
    bool pin, forbid;
};
struct swr_file { /* one that this process has opened; busy while it is recorded into */
    struct swr_file *next;
    dev_t device;
    ino_t number;
    bool busy;
};
struct stowage_record {
    struct stowage_record *next; /* under swr_lock */
    pthread_key_t key;           /* of the struct swr_thread of the calling thread */
    pthread_mutex_t lock;        /* of what follows; `error` may be looked at without */
    struct swr_thread *threads;
    struct swr_text shared;
    uint64_t decisions;
    int error, ended;
    int descriptor, demand_error; /* from here on nothing changes after open */
    pid_t process;
    struct swr_file *file; /* NULL: a device, or none */
    struct swr_demand *demands; /* the last one first */
};

static pthread_mutex_t swr_lock = PTHREAD_MUTEX_INITIALIZER; /* of what follows; taken before that of a record */
static struct stowage_record *swr_records;
static struct swr_file *swr_files; /* all that were opened */
static uint64_t swr_opens;

static int swr_error(const struct stowage_record *r) { return __atomic_load_n(&r->error, __ATOMIC_RELAXED); }
static void swr_keep(struct stowage_record *r, int error) { /* the first one */
    int none = 0;
    __atomic_compare_exchange_n(&r->error, &none, error, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}
/* ---- text ---- */
static bool swr_room(struct swr_text *text, size_t more) {
    if (!text->failed && more > text->capacity - text->length) {
        int before = errno;
        size_t wanted = more < SIZE_MAX / 4 && text->length < SIZE_MAX / 4 ? 2 * (text->length + more) + 512 : 0;
        void *grown = wanted ? STOWAGE_RECORD_REALLOC(text->bytes, wanted) : NULL;
        text->failed = !grown;
        if (grown) text->bytes = SWR_CAST(char *, grown), text->capacity = wanted;
        errno = before;
    }
    return !text->failed;
}
static void swr_put(struct swr_text *text, const char *bytes, size_t length) {
    if (length && swr_room(text, length)) memcpy(text->bytes + text->length, bytes, length), text->length += length;
}
static void swr_raw(struct swr_text *text, const char *literal) { swr_put(text, literal, strlen(literal)); }
static void swr_move(struct swr_text *to, struct swr_text *from) {
    swr_put(to, from->bytes, from->length);
    to->failed = to->failed || from->failed;
    from->length = 0, from->failed = false;
}
static void *swr_zeroed(size_t size) {
    void *bytes = STOWAGE_RECORD_REALLOC(NULL, size);
    return bytes ? memset(bytes, 0, size) : NULL;
}
static void swr_number(struct swr_text *text, uint64_t value) {
    char digits[20];
    size_t at = sizeof digits;
    do digits[--at] = SWR_CAST(char, '0' + SWR_CAST(int, value % 10));
    while (value /= 10);
    swr_put(text, digits + at, sizeof digits - at);
}
static void swr_double(struct swr_text *text, double value) { /* short, exact, with a point in every locale */
    char digits[48] = "null";
    int before = errno, precision = 15;
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits); /* so that -ffast-math changes nothing */
    if ((bits >> 52 & 0x7ff) != 0x7ff) {
        do snprintf(digits, sizeof digits, "%.*g", precision, value);
        while (strtod(digits, NULL) - value != 0 && ++precision <= 17);
    }
    for (const char *at = digits; *at; at++) {
        bool known = strchr("0123456789+-enul", *at) != NULL;
        if (known || strchr("0123456789", at[-1])) swr_put(text, known ? at : ".", 1); /* a point may have more bytes */
    }
    errno = before;
}
static size_t swr_utf8(const unsigned char *s) { /* the length of a sequence of two bytes or more; 0: it is none */
    unsigned lowest = *s == 0xe0 ? 0xa0u : *s == 0xf0 ? 0x90u : 0x80u;
    unsigned highest = *s == 0xed ? 0x9fu : *s == 0xf4 ? 0x8fu : 0xbfu;
    size_t length = *s < 0xc2 ? 0 : *s < 0xe0 ? 2 : *s < 0xf0 ? 3 : *s < 0xf5 ? 4 : 0;
    for (size_t i = 1; i < length; i++, lowest = 0x80, highest = 0xbf)
        if (s[i] < lowest || s[i] > highest) return 0;
    return length;
}
static void swr_string(struct swr_text *text, const char *string) {
    const char *plain = string ? string : "", *at = plain;
    swr_put(text, "\"", 1);
    while (*at) {
        unsigned char c = SWR_CAST(unsigned char, *at);
        bool as_is = c >= 0x20 && c < 0x7f && c != '"' && c != '\\';
        const void *bytes = at;
        size_t length = as_is || c < 0x80 ? as_is : swr_utf8(SWR_CAST(const unsigned char *, bytes));
        at += length;
        if (length) continue;
        swr_put(text, plain, SWR_CAST(size_t, at - plain));
        char out[] = {'\\', 'u', '0', '0', "0123456789abcdef"[c >> 4], "0123456789abcdef"[c & 15], '\0'};
        if (c == '"' || c == '\\') out[1] = SWR_CAST(char, c), out[2] = '\0';
        swr_raw(text, c < 0x80 ? out : "\xef\xbf\xbd");
        plain = ++at;
    }
    swr_put(text, plain, SWR_CAST(size_t, at - plain));
    swr_put(text, "\"", 1);
}

/* Keys, each with its value: s is a string, a one alone in a list, o one that is left out where it is NULL; u is a
 * number that is left out where it is STOWAGE_RECORD_NONE, z where it is 0, i where it is negative. */
static void swr_fields(struct swr_text *text, const char *types, ...) {
    va_list values;
    va_start(values, types);
    for (; *types; types++) {
        const char *key = va_arg(values, const char *);
        bool is_text = strchr("sao", *types) != NULL;
        const char *string = is_text ? va_arg(values, const char *) : NULL;
        int64_t time = *types == 'i' ? va_arg(values, int64_t) : 0;
        uint64_t number = *types == 'u' || *types == 'z' ? va_arg(values, uint64_t) : SWR_CAST(uint64_t, time);
        uint64_t none = *types == 'z' ? 0 : STOWAGE_RECORD_NONE;
        if (is_text ? *types == 'o' && !string : number == none || time < 0) continue;
        swr_raw(text, key);
        if (is_text) swr_string(text, string);
        else swr_number(text, number);
        swr_put(text, "]", *types == 'a');
    }
    va_end(values);
}
static void swr_reason(struct swr_text *text, const char *format, va_list values) STOWAGE_RECORD_PRINTF(2, 0);
static void swr_reason(struct swr_text *text, const char *format, va_list values) {
    char few[256], *many = few;
    va_list again;
    va_copy(again, values);
    int length = format && strchr(format, '%') ? vsnprintf(few, sizeof few, format, values) : -1;
    if (length >= SWR_CAST(int, sizeof few)) {
        many = SWR_CAST(char *, STOWAGE_RECORD_REALLOC(NULL, SWR_CAST(size_t, length) + 1));
        text->failed = text->failed || !many;
        if (many) vsnprintf(many, SWR_CAST(size_t, length) + 1, format, again);
    }
    va_end(again);
    swr_fields(text, "o", ",\"reason\":", length < 0 && format && *format ? format : length > 0 ? many : NULL);
    if (many != few) STOWAGE_RECORD_FREE(many);
}
/* ---- writing ---- */
/* The signal that a failed write raises is this thread's: it is blocked before and taken after, unless one was waiting
 * already, which is the program's. A thread cannot be cancelled in here, for it holds the lock. */
static int swr_write(int file, const char *bytes, size_t length) {
    int errno_before = errno, cancel, error = 0, raised;
    sigset_t ours, before, waiting;
    sigemptyset(&waiting), sigemptyset(&ours), sigaddset(&ours, SIGPIPE), sigaddset(&ours, SIGXFSZ);
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel), pthread_sigmask(SIG_BLOCK, &ours, &before);
    if (sigismember(&before, SIGPIPE) || sigismember(&before, SIGXFSZ)) sigpending(&waiting);
    while (length && !error) {
        ssize_t written = write(file, bytes, length);
        struct pollfd wait = {file, POLLOUT, 0};
        error = written < 0 && errno != EINTR && errno != EAGAIN ? errno : written == 0 ? EIO : 0;
        if (written < 0 && errno == EAGAIN) poll(&wait, 1, -1); /* a pipe that does not block: until it takes more */
        if (written > 0) bytes += written, length -= SWR_CAST(size_t, written);
    }
    raised = error == EPIPE ? SIGPIPE : error == EFBIG ? SIGXFSZ : 0;
    if (raised && !sigismember(&waiting, raised) && !sigpending(&waiting) && sigismember(&waiting, raised))
        sigemptyset(&ours), sigaddset(&ours, raised), sigwait(&ours, &raised);
    pthread_sigmask(SIG_SETMASK, &before, NULL), pthread_setcancelstate(cancel, &cancel);
    errno = errno_before;
    return error;
}

/* What is shared and what is given, in one write. Under the lock. */
static void swr_flush(struct stowage_record *r, struct swr_text *own) {
    struct swr_text *all = own && !r->shared.length ? own : &r->shared;
    if (own && own != all) swr_move(all, own);
    if (all->failed) swr_keep(r, ENOMEM);
    if (all->length && !swr_error(r)) swr_keep(r, swr_write(r->descriptor, all->bytes, all->length));
    all->length = 0, all->failed = false;
}

/* A line that belongs to no thread: swr_begin, and unless it says that nothing is recorded, the line and swr_end. */
static bool swr_begin(struct stowage_record *r) { return r && !swr_error(r) && !pthread_mutex_lock(&r->lock); }
static void swr_end(struct stowage_record *r, bool at_once) {
    swr_raw(&r->shared, "}\n");
    if (at_once || r->shared.failed || r->shared.length > 32768) swr_flush(r, NULL);
    pthread_mutex_unlock(&r->lock);
}

#define SWR_LINE(r, at_once, ...) if (swr_begin(r)) swr_fields(&(r)->shared, __VA_ARGS__), swr_end(r, at_once)
/* ---- threads and forks ---- */
static struct swr_thread *swr_mine(struct stowage_record *r) { /* NULL: nothing is recorded */
    int before = errno;
    void *mine = !r || swr_error(r) ? NULL : pthread_getspecific(r->key);
    if (!r || swr_error(r) || mine) return SWR_CAST(struct swr_thread *, mine);
    struct swr_thread *t = SWR_CAST(struct swr_thread *, swr_zeroed(sizeof *t));
    pthread_mutex_lock(&r->lock);
    if (t) t->next = r->threads, r->threads = t;
    if (!t || pthread_setspecific(r->key, t)) swr_keep(r, ENOMEM);
    pthread_mutex_unlock(&r->lock);
    errno = before;
    return t;
}
static void swr_before_fork(void) { /* nothing is half written then, and nothing waits that both would write */
    pthread_mutex_lock(&swr_lock);
    for (struct stowage_record *r = swr_records; r; r = r->next) pthread_mutex_lock(&r->lock), swr_flush(r, NULL);
}
static void swr_after_fork(void) {
    for (struct stowage_record *r = swr_records; r; r = r->next) pthread_mutex_unlock(&r->lock);
    pthread_mutex_unlock(&swr_lock);
}
/* ---- demands ---- */
static unsigned long swr_unicode(const char *at) { /* from the u of an escape; 0: it is none */
    char hex[5] = "";
    memcpy(hex, at + 1, *at == 'u' && strspn(at + 1, "0123456789abcdefABCDEF") >= 4 ? 4 : 0);
    return strtoul(hex, NULL, 16);
}
static const char *swr_word(const char *at, struct swr_text *word) { /* from after a quote; where it ends, or NULL */
    static const char names[] = "\"\\/bfnrt", values[] = "\"\\/\b\f\n\r\t";
    static const unsigned char first[] = {0, 0, 0xc0, 0xe0, 0xf0};
    for (word->length = 0; *at && *at != '"'; at++) {
        char out[4] = {*at, 0, 0, 0};
        size_t length = 1;
        if (*at == '\\' && *++at != 'u') {
            const char *name = *at ? strchr(names, *at) : NULL;
            if (!name) return NULL;
            out[0] = values[name - names];
        } else if (out[0] == '\\') {
            unsigned long c = swr_unicode(at), low;
            if (!c) return NULL;
            at += 4;
            if (c >= 0xd800 && c < 0xdc00 && at[1] == '\\' && (low = swr_unicode(at + 2)))
                c = 0x10000 + ((c & 0x3ff) << 10) + (low & 0x3ff), at += 6;
            length = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
            for (size_t i = length; i-- > 0; c >>= 6)
                out[i] = SWR_CAST(char, i ? 0x80 | (c & 0x3f) : first[length] | c);
        }
        swr_put(word, out, length);
    }
    swr_put(word, "", 1);
    return *at && !word->failed ? at + 1 : NULL;
}
/* The value of a key, wherever it stands in the line: each has one place there. NULL: there is none. */
static const char *swr_value(const char *line, const char *key, struct swr_text *word) {
    while ((line = strchr(line, '"')) && (line = swr_word(line + 1, word))) {
        line += strspn(line, " \t");
        if (*line == ':' && !strcmp(word->bytes, key)) return line + 1 + strspn(line + 1, " \t");
    }
    return NULL;
}
static bool swr_whole(const char *line, const char *key, uint64_t *value, struct swr_text *word) {
    const char *at = swr_value(line, key, word);
    char *end = NULL;
    errno = 0;
    *value = at && *at >= '0' && *at <= '9' ? strtoull(at, &end, 10) : 0;
    return end && !errno && strchr(" \t,}", *end);
}
static bool swr_copy(const char *line, const char *key, char **copy, struct swr_text *word) {
    const char *at = swr_value(line, key, word);
    if (!at || *at != '"' || !swr_word(at + 1, word)) return false;
    *copy = SWR_CAST(char *, STOWAGE_RECORD_REALLOC(NULL, word->length));
    word->failed = !*copy;
    return *copy && memcpy(*copy, word->bytes, word->length);
}
static bool swr_parse(const char *line, size_t length, struct swr_demand *d, struct swr_text *word) {
    while (length && strchr(" \t\r\n", line[length - 1])) length--;
    d->pin = swr_value(line, "pin", word) != NULL;
    d->forbid = !d->pin && swr_value(line, "forbid", word) != NULL;
    if (length && (strlen(line) < length || line[0] != '{' || line[length - 1] != '}')) return false;
    if (!d->pin && !d->forbid) return true; /* of a kind that is not known */
    swr_copy(line, "tier", &d->tier, word);
    return swr_whole(line, "step", &d->step, word) && swr_copy(line, "buffer", &d->buffer, word) &&
           swr_whole(line, d->pin ? "offset" : "lo", &d->lo, word) && (d->pin || swr_whole(line, "hi", &d->hi, word));
}
static int swr_demands(struct stowage_record *r, const char *path) { /* all of them, or an errno */
    struct swr_text word = {NULL, 0, 0, false};
    char *line = NULL;
    size_t room = 0;
    ssize_t length = 0;
    FILE *file = fopen(path, "r");
    int error = file ? 0 : errno;
    while (!error && (length = getline(&line, &room, file)) >= 0) {
        struct swr_demand *d = SWR_CAST(struct swr_demand *, swr_zeroed(sizeof *d));
        bool good = d && swr_parse(line, SWR_CAST(size_t, length), d, &word);
        if (d) d->next = r->demands, r->demands = d;
        error = !d || word.failed ? ENOMEM : good ? 0 : EINVAL;
    }
    if (length < 0 && !feof(file)) error = errno;
    if (file) fclose(file);
    free(line), STOWAGE_RECORD_FREE(word.bytes);
    return error;
}
/* The last demand of the kind for this buffer that is handed out by now, and that touches [lo, hi). */
static const struct swr_demand *swr_ask(struct stowage_record *r, unsigned asked, const char *buffer, const char *tier,
                                        uint64_t lo, uint64_t hi) {
    struct swr_thread *t = swr_mine(r);
    if (t) t->asked |= asked;
    for (const struct swr_demand *d = r && buffer && !r->demand_error ? r->demands : NULL; d; d = d->next) {
        bool here = d->forbid && d->lo < hi && lo < d->hi && (!tier || !d->tier || !strcmp(d->tier, tier));
        bool now = d->step <= __atomic_load_n(&r->decisions, __ATOMIC_ACQUIRE) + 1;
        if (now && (asked == 1 ? d->pin : here) && (!strcmp(d->buffer, "*") || !strcmp(d->buffer, buffer))) return d;
    }
    return NULL;
}
/* ---- what the program calls ---- */
/* errno where it is no file to write to; the record is one of swr_records then, too. */
static int swr_open_file(struct stowage_record *r, const char *path) {
    struct swr_text name = {NULL, 0, 0, false};
    struct stat status;
    uint64_t opens = __atomic_add_fetch(&swr_opens, 1, __ATOMIC_RELAXED);
    for (; *path; path++) {
        char next = SWR_CAST(char, *path == '%' ? path[1] : '\0');
        swr_put(&name, path, next != 'p' && next != 'n');
        if (next == 'p' || next == 'n') swr_number(&name, next == 'p' ? SWR_CAST(uint64_t, r->process) : opens);
        path += next == 'p' || next == 'n' || next == '%';
    }
    swr_put(&name, "", 1);
    errno = ENOMEM;
    do r->descriptor = name.failed ? -1 : open(name.bytes, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    while (r->descriptor < 0 && errno == EINTR);
    int error = r->descriptor < 0 || fstat(r->descriptor, &status) ? errno : 0;
    STOWAGE_RECORD_FREE(name.bytes);
    pthread_mutex_lock(&swr_lock);
    if (opens == 1) swr_keep(r, pthread_atfork(swr_before_fork, swr_after_fork, swr_after_fork));
    if (!error && !S_ISCHR(status.st_mode)) {
        struct swr_file *file = swr_files;
        while (file && (file->device != status.st_dev || file->number != status.st_ino)) file = file->next;
        if (file && file->busy) error = EBUSY;
        if (!file && !(file = SWR_CAST(struct swr_file *, swr_zeroed(sizeof *file)))) error = ENOMEM;
        if (!error && !file->device && !file->number) {
            file->device = status.st_dev, file->number = status.st_ino;
            file->next = swr_files, swr_files = file;
            error = S_ISREG(status.st_mode) && ftruncate(r->descriptor, 0) ? errno : 0;
        }
        if (!error) (r->file = file)->busy = true;
    }
    r->next = swr_records, swr_records = r;
    pthread_mutex_unlock(&swr_lock);
    return error;
}
struct stowage_record *stowage_record_open(const char *path, const char *planner, const char *model) {
    const char *demands = getenv("STOWAGE_DEMANDS");
    int before = errno;
    if (!path) path = getenv("STOWAGE_RECORD");
    if (!path || !*path) return NULL;
    struct stowage_record *r = SWR_CAST(struct stowage_record *, swr_zeroed(sizeof *r));
    if (!r || pthread_key_create(&r->key, NULL) || pthread_mutex_init(&r->lock, NULL)) {
        STOWAGE_RECORD_FREE(r), errno = ENOMEM;
        return NULL;
    }
    r->process = getpid();
    swr_keep(r, swr_open_file(r, path));
    r->demand_error = demands && *demands ? swr_demands(r, demands) : 0;
    SWR_LINE(r, true, "so", "{\"stowage-trace\":1,\"planner\":", planner, ",\"model\":", model);
    errno = before;
    return r;
}
void stowage_record_tier(struct stowage_record *r, const char *name, uint64_t capacity, uint64_t alignment) {
    SWR_LINE(r, false, "szz", "{\"tier\":", name, ",\"capacity\":", capacity, ",\"alignment\":", alignment);
}
void stowage_record_operator(struct stowage_record *r, const char *name, int64_t at) {
    SWR_LINE(r, false, "si", "{\"operator\":", name, ",\"at\":", at);
}
void stowage_record_operator_uses(struct stowage_record *r, const char *name, const char *buffer, const char *how) {
    const char *key = !how ? NULL : !strcmp(how, "input") ? ",\"inputs\":[" : !strcmp(how, "output") ? ",\"outputs\":["
                    : !strcmp(how, "scratch") ? ",\"scratch\":[" : NULL;
    if (r && !key) swr_keep(r, EINVAL);
    SWR_LINE(r, false, "sa", "{\"operator\":", name, key, buffer);
}
void stowage_record_buffer(struct stowage_record *r, const char *id, uint64_t size, int64_t first, int64_t last,
                           uint64_t alignment) {
    SWR_LINE(r, false, "suiiz", "{\"buffer\":", id, ",\"size\":", size, ",\"first\":", first, ",\"last\":", last,
             ",\"alignment\":", alignment);
}
void stowage_record_alloc(struct stowage_record *r, const char *id, uint64_t size, int64_t stream) {
    SWR_LINE(r, true, "sui", "{\"alloc\":", id, ",\"size\":", size, ",\"stream\":", stream);
}
void stowage_record_free(struct stowage_record *r, const char *id) { SWR_LINE(r, true, "s", "{\"free\":", id); }
void stowage_record_group(struct stowage_record *r, const char *name) { SWR_LINE(r, true, "s", "{\"group\":", name); }
void stowage_record_candidate(struct stowage_record *r, const char *tier, uint64_t offset, uint64_t size,
                              const char *verdict, const char *reason, ...) {
    struct swr_thread *t = swr_mine(r);
    va_list values;
    if (!t) return;
    swr_raw(&t->lines, offset == STOWAGE_RECORD_NONE ? "{\"candidate\":\"no place\"" : "");
    swr_fields(&t->lines, "uouo", "{\"candidate\":", offset, ",\"tier\":", tier, ",\"size\":", size,
               ",\"verdict\":", verdict);
    va_start(values, reason);
    swr_reason(&t->lines, reason, values);
    va_end(values);
    swr_raw(&t->lines, "}\n");
}
void stowage_record_figure(struct stowage_record *r, const char *name, double value) {
    struct swr_thread *t = swr_mine(r);
    if (!t) return;
    swr_fields(&t->figures, "s", t->figures.length ? "," : ",\"figures\":{", name);
    swr_raw(&t->figures, ":");
    swr_double(&t->figures, value);
}
void stowage_record_decision(struct stowage_record *r, const char *kind, const char *buffer, const char *tier,
                             uint64_t offset, const char *reason, ...) {
    static const char *const asked[] = {NULL, "demand", "forbidden", "demand forbidden"};
    struct swr_thread *t = swr_mine(r);
    va_list values;
    if (!r) return;
    if (t) {
        swr_fields(&t->lines, "soou", "{\"decision\":", kind, ",\"buffer\":", buffer, ",\"tier\":", tier,
                   ",\"offset\":", offset);
        va_start(values, reason);
        swr_reason(&t->lines, reason, values);
        va_end(values);
        if (t->figures.length) swr_raw(&t->figures, "}");
        swr_move(&t->lines, &t->figures);
        swr_fields(&t->lines, "o", ",\"asked\":", asked[t->asked]);
        swr_raw(&t->lines, "}\n");
        t->asked = 0;
    }
    pthread_mutex_lock(&r->lock);
    __atomic_add_fetch(&r->decisions, 1, __ATOMIC_RELEASE); /* also those that an error keeps from the file */
    if (t) swr_flush(r, &t->lines);
    pthread_mutex_unlock(&r->lock);
}
void stowage_record_state(struct stowage_record *r, const char *name, const char *const *columns, size_t column_count,
                          const double *values, size_t row_count) {
    if (!swr_begin(r)) return;
    swr_fields(&r->shared, "s", "{\"state\":", name);
    for (size_t i = 0; i < column_count; i++) swr_fields(&r->shared, "s", i ? "," : ",\"columns\":[", columns[i]);
    swr_raw(&r->shared, column_count ? "],\"rows\":[" : ",\"columns\":[],\"rows\":[");
    for (size_t i = 0; i < row_count * column_count; i++) {
        swr_raw(&r->shared, i == 0 ? "[" : i % column_count ? "," : "],[");
        swr_double(&r->shared, values[i]);
    }
    swr_raw(&r->shared, row_count && column_count ? "]]" : "]");
    swr_end(r, true);
}
bool stowage_record_demand(struct stowage_record *r, const char *buffer, const char **tier, uint64_t *offset) {
    const struct swr_demand *d = swr_ask(r, 1, buffer, NULL, 0, 0);
    if (d && tier) *tier = d->tier;
    if (d && offset) *offset = d->lo;
    return d != NULL;
}
bool stowage_record_forbidden(struct stowage_record *r, const char *buffer, const char *tier, uint64_t lo,
                              uint64_t hi) {
    return swr_ask(r, 2, buffer, tier, lo, hi) != NULL;
}
void stowage_record_end(struct stowage_record *r, const char *failure) {
    if (!r || __atomic_exchange_n(&r->ended, 1, __ATOMIC_RELAXED)) return;
    SWR_LINE(r, true, "so", "{\"end\":", failure ? "failed" : "done", ",\"reason\":", failure);
}
int stowage_record_close(struct stowage_record *r) {
    int before = errno;
    if (!r) return 0;
    if (getpid() == r->process) stowage_record_end(r, NULL);
    pthread_mutex_lock(&swr_lock);
    struct stowage_record **at = &swr_records;
    while (*at != r) at = &(*at)->next;
    *at = r->next;
    if (r->file) r->file->busy = false;
    pthread_mutex_unlock(&swr_lock);
    if (r->descriptor >= 0 && close(r->descriptor) && errno != EINTR) swr_keep(r, errno);
    int error = swr_error(r) ? swr_error(r) : r->demand_error;
    pthread_key_delete(r->key), pthread_mutex_destroy(&r->lock);
    for (struct swr_thread *t; (t = r->threads); STOWAGE_RECORD_FREE(t)) {
        r->threads = t->next;
        STOWAGE_RECORD_FREE(t->lines.bytes), STOWAGE_RECORD_FREE(t->figures.bytes);
    }
    for (struct swr_demand *d; (d = r->demands); STOWAGE_RECORD_FREE(d)) {
        r->demands = d->next;
        STOWAGE_RECORD_FREE(d->buffer), STOWAGE_RECORD_FREE(d->tier);
    }
    STOWAGE_RECORD_FREE(r->shared.bytes), STOWAGE_RECORD_FREE(r);
    errno = before;
    return error;
}
#endif
