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
 *   empty where the line needs one. Left out are also numbers that are STOWAGE_RECORD_NONE; times, `at` and `stream`
 *   below 0; capacities and alignments of 0. A candidate at STOWAGE_RECORD_NONE is "no place", a figure that is no
 *   number is null. The same calls give the same bytes, whenever and wherever.
 * When it is in the file: a decision goes out with the candidates and figures that its thread gave since its last one,
 *   in one write; then all up to it is there. Tiers, operators and buffers wait for the next line of another kind.
 * Threads: all but close may be called from any thread at any time, close when no other thread is in a call. The order
 *   in the file is that of the decisions. What ended threads have used is freed by close.
 * Errors: the first ends the recording, so that the file is true as far as it goes, and close tells it; so do a file
 *   that cannot be opened and lack of memory. The planner goes on, errno stays as it was, how it handles signals is
 *   never changed, and no SIGPIPE of a write reaches it, nor a SIGXFSZ where its limit was there at open.
 * Files: in a path %p is the process, %n the how many-th open of the process, from 1, and %% a percent sign. The first
 *   open of a file in a process empties it, another one appends a run, and so does a pipe. What is still recorded into
 *   cannot be opened again (EBUSY): planners side by side use %n. A child of fork may go on recording: its lines stand
 *   whole between those of its parent, which alone writes the end. A child that plans by itself opens its own record, with %p.
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
 * online allocator, where events are the time, from its alloc to its free. */
void stowage_record_tier(struct stowage_record *, const char *name, uint64_t capacity, uint64_t alignment);
void stowage_record_operator(struct stowage_record *, const char *name, int64_t at);
void stowage_record_operator_uses(struct stowage_record *, const char *operator_name, const char *buffer,
                                  const char *how);
void stowage_record_buffer(struct stowage_record *, const char *id, uint64_t size, int64_t first, int64_t last,
                           uint64_t alignment);
void stowage_record_alloc(struct stowage_record *, const char *id, uint64_t size, int64_t stream);
void stowage_record_free(struct stowage_record *, const char *id);

void stowage_record_group(struct stowage_record *, const char *name); /* those that follow: a pass, a try */
/* A place looked at, for this thread's next decision. tier NULL: the only one. size: of the space; its end is open
 * with STOWAGE_RECORD_NONE. verdict: "chosen", "fits", "refused". */
void stowage_record_candidate(struct stowage_record *, const char *tier, uint64_t offset, uint64_t size,
                              const char *verdict, const char *reason, ...) STOWAGE_RECORD_PRINTF(6, 7);
void stowage_record_figure(struct stowage_record *, const char *name, double value); /* of it, too; each name once */
/* "place", "move" and "append" put the buffer there. "backtrack" and "lift" take its place away, until it is put
 * somewhere again; the offset is what it leaves, or STOWAGE_RECORD_NONE. All other kinds are shown as they are called,
 * and leave the layout alone: a block that is released has had its place. */
void stowage_record_decision(struct stowage_record *, const char *kind, const char *buffer, const char *tier,
                             uint64_t offset, const char *reason, ...) STOWAGE_RECORD_PRINTF(6, 7);
/* A table of the planner's own state after the last decision, row by row. */
void stowage_record_state(struct stowage_record *, const char *name, const char *const *columns, size_t column_count,
                          const double *values, size_t row_count);
void stowage_record_end(struct stowage_record *, const char *failure); /* of the run; failure NULL: it is done */
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
#include <sys/resource.h>
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

struct swr_text { char *bytes; size_t length, capacity; bool failed; }; /* failed for lack of memory: it is not whole */
/* What one thread has gathered for its next decision; asked: 1 for demands, 2 for what is forbidden. */
struct swr_thread { struct swr_thread *next; struct swr_text lines, figures, word; unsigned asked; };
/* next stands before it in the file; lo is the offset of a pin. */
struct swr_demand { struct swr_demand *next; uint64_t step, lo, hi; char *buffer, *tier; bool pin, forbid; };
/* A file that this process has opened; busy while it is recorded into. */
struct swr_file { struct swr_file *next; struct stat status; bool busy; };
struct stowage_record {
    struct stowage_record *next; /* under swr_lock */
    pthread_key_t key;           /* of the struct swr_thread of the calling thread */
    pthread_mutex_t lock;        /* of what follows; `error` may be looked at without */
    struct swr_thread *threads;
    struct swr_text shared;
    uint64_t decisions;
    int error, ended, descriptor, demand_error; /* from descriptor on nothing changes after open */
    bool quiet, asked;                          /* a write raises no signal; the demands were read */
    pid_t process;
    struct swr_file *file;      /* NULL: a device, or none */
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
static void *swr_memory(void *bytes, size_t size) { /* what is new is zero */
    int before = errno;
    void *more = STOWAGE_RECORD_REALLOC(bytes, size);
    errno = before;
    return more && !bytes ? memset(more, 0, size) : more;
}
static bool swr_room(struct swr_text *text, size_t more) {
    if (text->failed || more <= text->capacity - text->length) return !text->failed;
    size_t wanted = more < SIZE_MAX / 4 && text->length < SIZE_MAX / 4 ? 2 * (text->length + more) + 512 : 0;
    void *grown = wanted ? swr_memory(text->bytes, wanted) : NULL;
    text->failed = !grown;
    if (grown) text->bytes = SWR_CAST(char *, grown), text->capacity = wanted;
    return !text->failed;
}
static void swr_put(struct swr_text *text, const char *bytes, size_t length) {
    if (!length || (length > text->capacity - text->length && !swr_room(text, length))) return;
    memcpy(text->bytes + text->length, bytes, length), text->length += length;
}
static inline void swr_raw(struct swr_text *text, const char *string) { swr_put(text, string, strlen(string)); }
static void swr_move(struct swr_text *to, struct swr_text *from) {
    swr_put(to, from->bytes, from->length);
    to->failed = to->failed || from->failed, from->length = 0, from->failed = false;
}
static void swr_number(struct swr_text *text, uint64_t value) {
    char digits[20];
    size_t at = sizeof digits;
    do digits[--at] = SWR_CAST(char, '0' + SWR_CAST(int, value % 10)); while (value /= 10);
    swr_put(text, digits + at, sizeof digits - at);
}
static void swr_double(struct swr_text *text, double value) { /* short, exact, with a point in every locale */
    char digits[48] = "null";
    int before = errno, precision = 15;
    uint64_t bits = 0;
    memcpy(&bits, &value, sizeof bits); /* so that -ffast-math changes nothing */
    if ((bits >> 52 & 0x7ff) != 0x7ff) {
        do snprintf(digits, sizeof digits, "%.*g", precision, value);
        while (strtod(digits, NULL) - value != 0 && ++precision <= 17);
    }
    for (const char *at = digits; *at; at++) { /* a point may have more bytes than one */
        bool known = strchr("0123456789+-enul", *at) != NULL;
        if (known || strchr("0123456789", at[-1])) swr_put(text, known ? at : ".", 1);
    }
    errno = before;
}
static size_t swr_utf8(const void *bytes) { /* the length of a sequence of two bytes or more; 0: it is none */
    const unsigned char *s = SWR_CAST(const unsigned char *, bytes);
    unsigned lowest = *s == 0xe0 ? 0xa0u : *s == 0xf0 ? 0x90u : 0x80u;
    unsigned highest = *s == 0xed ? 0x9fu : *s == 0xf4 ? 0x8fu : 0xbfu;
    size_t length = *s < 0xc2 ? 0 : *s < 0xe0 ? 2 : *s < 0xf0 ? 3 : *s < 0xf5 ? 4 : 0;
    for (size_t i = 1; i < length; i++, lowest = 0x80, highest = 0xbf)
        if (s[i] < lowest || s[i] > highest) return 0;
    return length;
}
/* How many bytes at the front are ASCII that needs no escape. Eight at a time: the highest bit of each byte tells. */
static size_t swr_plain(const char *s, size_t length) {
    const uint64_t each = UINT64_MAX / 255;
    size_t at = 0;
    for (uint64_t w; at + 8 <= length && (memcpy(&w, s + at, 8), true); at += 8)
        if ((w | (w + each) | (w - 32 * each) | ((w ^ '"' * each) - each) | ((w ^ '\\' * each) - each)) & (128 * each))
            break;
    while (at < length && s[at] >= 0x20 && s[at] < 0x7f && s[at] != '"' && s[at] != '\\') at++;
    return at;
}
static void swr_escaped(struct swr_text *text, const char *s, size_t length) { /* a zero byte stands after them */
    for (size_t plain, read; plain = swr_plain(s, length), swr_put(text, s, plain), plain < length; length -= read) {
        unsigned char c = SWR_CAST(unsigned char, *(s += plain));
        size_t sequence = swr_utf8(s);
        char out[] = {'\\', 'u', '0', '0', "0123456789abcdef"[c >> 4], "0123456789abcdef"[c & 15]};
        if (c == '"' || c == '\\') out[1] = SWR_CAST(char, c);
        if (sequence || c >= 0x80) swr_put(text, sequence ? s : "\xef\xbf\xbd", sequence ? sequence : 3);
        else swr_put(text, out, c == '"' || c == '\\' ? 2 : sizeof out);
        read = sequence ? sequence : 1, s += read, read += plain;
    }
}
static void swr_field(struct swr_text *text, const char *before, size_t length, const char *value) {
    swr_put(text, before, length);
    if (value) swr_escaped(text, value, strlen(value));
    swr_raw(text, "\"");
}
/* Fields, of which all but the first of a line are left out where there is no value. */
#define SWR_FIRST(text, key, value) swr_field(text, "{\"" key "\":\"", sizeof key + 4, value)
#define SWR_TEXT(text, key, value) ((value) ? swr_field(text, ",\"" key "\":\"", sizeof key + 4, value) : (void)0)
#define SWR_SIZE_IF(text, key, value, there) \
    ((there) ? swr_raw(text, ",\"" key "\":"), swr_number(text, value) : (void)0)
#define SWR_SIZE(text, key, value) SWR_SIZE_IF(text, key, value, (value) != STOWAGE_RECORD_NONE)
#define SWR_SOME(text, key, value) SWR_SIZE_IF(text, key, value, (value) && (value) != STOWAGE_RECORD_NONE)
#define SWR_TIME(text, key, value) SWR_SIZE_IF(text, key, SWR_CAST(uint64_t, value), (value) >= 0)
/* The conversions that most reasons are made of; false: there are others. */
static bool swr_simple(struct swr_text *text, const char *format, va_list values) {
    for (const char *next; (next = strchr(format, '%')); format = next) {
        swr_put(text, format, SWR_CAST(size_t, next - format));
        const char *string = next[1] == 's' ? va_arg(values, const char *) : "";
        int64_t number = next[1] == 'd' ? va_arg(values, int) : 0;
        swr_raw(text, number < 0 ? "-" : string ? string : "(null)");
        if (next[1] == 's') next += 2;
        else if (next[1] == 'd') swr_number(text, SWR_CAST(uint64_t, number < 0 ? -number : number)), next += 2;
        else if (next[1] == 'u') swr_number(text, va_arg(values, unsigned)), next += 2;
        else if (!strncmp(next, "%zu", 3)) swr_number(text, va_arg(values, size_t)), next += 3;
        else if (!strncmp(next, "%lu", 3)) swr_number(text, va_arg(values, unsigned long)), next += 3;
        else if (!strncmp(next, "%llu", 4)) swr_number(text, va_arg(values, unsigned long long)), next += 4;
        else return false;
    }
    return swr_raw(text, format), true;
}
static void swr_reason(struct swr_thread *t, const char *format, va_list values) STOWAGE_RECORD_PRINTF(2, 0);
static void swr_reason(struct swr_thread *t, const char *format, va_list values) {
    va_list first, second;
    t->word.length = 0, va_copy(first, values), va_copy(second, values);
    if (format && !swr_simple(&t->word, format, first)) {
        int before = errno, length = vsnprintf(NULL, 0, format, second);
        size_t size = length < 0 ? 0 : SWR_CAST(size_t, length);
        t->word.length = 0;
        if (swr_room(&t->word, size + 1)) t->word.length = size, vsnprintf(t->word.bytes, size + 1, format, values);
        errno = before;
    }
    va_end(first), va_end(second), swr_put(&t->word, "", 1);
    t->lines.failed = t->lines.failed || t->word.failed, t->word.failed = false;
    if (t->word.length > 1 && !t->lines.failed) SWR_TEXT(&t->lines, "reason", t->word.bytes);
}
/* ---- writing ---- */
/* The signal that a failed write raises is this thread's: it is blocked before and taken after, unless one was waiting
 * already, which is the program's. A thread cannot be cancelled in here, for it holds the lock. */
static int swr_write(const struct stowage_record *r, const char *bytes, size_t length) {
    int errno_before = errno, cancel, error = 0, raised;
    sigset_t ours, before, waiting;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
    if (!r->quiet) {
        sigemptyset(&waiting), sigemptyset(&ours), sigaddset(&ours, SIGPIPE), sigaddset(&ours, SIGXFSZ);
        pthread_sigmask(SIG_BLOCK, &ours, &before);
        if (sigismember(&before, SIGPIPE) || sigismember(&before, SIGXFSZ)) sigpending(&waiting);
    }
    while (length && !error) {
        ssize_t written = write(r->descriptor, bytes, length);
        struct pollfd wait = {r->descriptor, POLLOUT, 0};
        error = written < 0 && errno != EINTR && errno != EAGAIN ? errno : written == 0 ? EIO : 0;
        if (written < 0 && errno == EAGAIN) poll(&wait, 1, -1); /* a pipe that does not block: until it takes more */
        if (written > 0) bytes += written, length -= SWR_CAST(size_t, written);
    }
    raised = r->quiet ? 0 : error == EPIPE ? SIGPIPE : error == EFBIG ? SIGXFSZ : 0;
    if (raised && !sigismember(&waiting, raised) && !sigpending(&waiting) && sigismember(&waiting, raised))
        sigemptyset(&ours), sigaddset(&ours, raised), sigwait(&ours, &raised);
    if (!r->quiet) pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_setcancelstate(cancel, &cancel), errno = errno_before;
    return error;
}
/* What is shared and what is given, in one write. Under the lock. */
static void swr_flush(struct stowage_record *r, struct swr_text *own) {
    struct swr_text *all = own && !r->shared.length ? own : &r->shared;
    if (own && own != all) swr_move(all, own);
    if (all->failed) swr_keep(r, ENOMEM);
    if (all->length && !swr_error(r)) swr_keep(r, swr_write(r, all->bytes, all->length));
    all->length = 0, all->failed = false;
}
/* A line that belongs to no thread: swr_begin, and unless it says that nothing is recorded, the line and swr_end. */
static bool swr_begin(struct stowage_record *r) { return r && !swr_error(r) && !pthread_mutex_lock(&r->lock); }
static void swr_end(struct stowage_record *r, bool at_once) {
    swr_raw(&r->shared, "}\n");
    if (at_once || r->shared.failed || r->shared.length > 32768) swr_flush(r, NULL);
    pthread_mutex_unlock(&r->lock);
}
#define SWR_LINE(at_once, key, value, fields) \
    for (struct swr_text *out = swr_begin(r) ? &r->shared : NULL; out; out = NULL) \
        SWR_FIRST(out, key, value), fields, swr_end(r, at_once)
/* ---- threads and forks ---- */
static struct swr_thread *swr_mine(struct stowage_record *r) { /* NULL: nothing is recorded */
    void *mine = !r || swr_error(r) ? NULL : pthread_getspecific(r->key);
    if (!r || swr_error(r) || mine) return SWR_CAST(struct swr_thread *, mine);
    struct swr_thread *t = SWR_CAST(struct swr_thread *, swr_memory(NULL, sizeof *t));
    pthread_mutex_lock(&r->lock);
    if (t) t->next = r->threads, r->threads = t;
    if (!t || pthread_setspecific(r->key, t)) swr_keep(r, ENOMEM);
    pthread_mutex_unlock(&r->lock);
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
    for (word->length = 0; *at && *at != '"'; at++) {
        char out[4] = {*at, 0, 0, 0};
        size_t length = *at & 0x80 ? swr_utf8(at) : *at >= ' ';
        if (*at == '\\' && *++at != 'u') {
            const char *name = *at ? strchr(names, *at) : NULL;
            if (!name) return NULL;
            out[0] = values[name - names];
        } else if (out[0] == '\\') {
            unsigned long c = swr_unicode(at), low;
            low = c >= 0xd800 && c < 0xdc00 && at[5] == '\\' ? swr_unicode(at + 6) : 0, at += 4;
            if (low >= 0xdc00 && low < 0xe000) c = 0x10000 + ((c & 0x3ff) << 10) + (low & 0x3ff), at += 6;
            length = c == 0 ? 0 : c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
            for (size_t i = length; i-- > 0; c >>= 6)
                out[i] = SWR_CAST(char, i ? 0x80 | (c & 0x3f) : (length > 1 ? 0xf00 >> length & 0xff : 0) | c);
        } else if (length) memcpy(out, at, length), at += length - 1;
        if (!length) return NULL;
        swr_put(word, out, length);
    }
    return swr_put(word, "", 1), *at && !word->failed ? at + 1 : NULL;
}
static const char *swr_space(const char *at) { return at + strspn(at, " \t\r\n"); }
static const char *swr_digits(const char *at) { /* where they end; NULL: there are none */
    return at && *at >= '0' && *at <= '9' ? at + strspn(at, "0123456789") : NULL;
}
/* A value of JSON: where it ends, or NULL. found becomes where the last value of the object's key begins. */
static const char *swr_value(const char *at, const char *key, const char **found, struct swr_text *word, int depth) {
    char close = SWR_CAST(char, *at == '{' ? '}' : *at == '[' ? ']' : '\0');
    if (!strncmp(at, "true", 4) || !strncmp(at, "null", 4)) return at + 4;
    if (!strncmp(at, "false", 5)) return at + 5;
    if (*at == '"') return swr_word(at + 1, word);
    if (!close) {
        at += *at == '-', at = *at == '0' ? at + 1 : swr_digits(at);
        if (at && *at == '.') at = swr_digits(at + 1);
        return at && (*at == 'e' || *at == 'E') ? swr_digits(at + 1 + (at[1] == '+' || at[1] == '-')) : at;
    }
    if (*(at = swr_space(at + 1)) == close) return at + 1;
    for (; depth < 99; at = swr_space(at + 1)) {
        if (close == '}') {
            if (*at != '"' || !(at = swr_word(at + 1, word)) || *(at = swr_space(at)) != ':') return NULL;
            at = swr_space(at + 1);
            if (key && !strcmp(word->bytes, key)) *found = at;
        }
        if (!(at = swr_value(at, NULL, NULL, word, depth + 1))) return NULL;
        if (*(at = swr_space(at)) != ',') return *at == close ? at + 1 : NULL;
    }
    return NULL;
}
static const char *swr_member(const char *object, const char *key, struct swr_text *word) {
    const char *found = NULL;
    return object && *object == '{' && swr_value(object, key, &found, word, 0) ? found : NULL;
}
static bool swr_whole(const char *at, uint64_t *value) {
    const char *end = swr_digits(at);
    errno = 0, *value = end ? strtoull(at, NULL, 10) : 0;
    return end && !errno && !strchr(".eE", *end);
}
static bool swr_copy(const char *at, char **copy, struct swr_text *word) {
    if (!at || *at != '"' || !swr_word(at + 1, word)) return false;
    *copy = SWR_CAST(char *, swr_memory(NULL, word->length));
    word->failed = !*copy;
    return *copy && memcpy(*copy, word->bytes, word->length);
}
static bool swr_parse(const char *line, size_t length, struct swr_demand *d, struct swr_text *word) {
    const char *object = swr_space(line), *end = *object == '{' ? swr_value(object, NULL, NULL, word, 0) : object;
    if (!end || *swr_space(end) || strlen(line) < length) return false;
    const char *pin = swr_member(object, "pin", word), *what = pin ? pin : swr_member(object, "forbid", word);
    const char *tier = swr_member(what, "tier", word);
    d->pin = pin != NULL, d->forbid = !pin && what;
    return !what || /* nothing, or of a kind that is not known */
           (swr_whole(swr_member(object, "step", word), &d->step) &&
            swr_copy(swr_member(what, "buffer", word), &d->buffer, word) &&
            (!tier || *tier == 'n' || swr_copy(tier, &d->tier, word)) &&
            swr_whole(swr_member(what, pin ? "offset" : "lo", word), &d->lo) &&
            (pin || swr_whole(swr_member(what, "hi", word), &d->hi)));
}
static void swr_demands(struct stowage_record *r) { /* reads all of them, once */
    struct swr_text word = {NULL, 0, 0, false};
    char *line = NULL; size_t room = 0; ssize_t length = 0;
    int before = errno, error = pthread_mutex_lock(&r->lock);
    const char *path = r->asked ? NULL : getenv("STOWAGE_DEMANDS");
    FILE *file = path && *path ? fopen(path, "r") : NULL;
    if (path && *path && !file) error = errno;
    while (file && !error && (length = getline(&line, &room, file)) >= 0) {
        struct swr_demand *d = SWR_CAST(struct swr_demand *, swr_memory(NULL, sizeof *d));
        bool good = d && swr_parse(line, SWR_CAST(size_t, length), d, &word);
        if (d) d->next = r->demands, r->demands = d;
        error = !d || word.failed ? ENOMEM : good ? 0 : EINVAL;
    }
    if (length < 0 && !feof(file)) error = errno;
    if (file) fclose(file);
    if (!r->asked) r->demand_error = error;
    __atomic_store_n(&r->asked, true, __ATOMIC_RELEASE), pthread_mutex_unlock(&r->lock);
    free(line), STOWAGE_RECORD_FREE(word.bytes), errno = before;
}
/* The last demand of the kind for this buffer that is handed out by now, and that touches [lo, hi). */
static const struct swr_demand *swr_ask(struct stowage_record *r, unsigned asked, const char *buffer, const char *tier,
                                        uint64_t lo, uint64_t hi) {
    struct swr_thread *t = swr_mine(r);
    if (t) t->asked |= asked;
    if (r && !__atomic_load_n(&r->asked, __ATOMIC_ACQUIRE)) swr_demands(r); /* opening them tells the debugger that it asks */
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
    struct stat status, *other;
    struct rlimit limit;
    uint64_t opens = __atomic_add_fetch(&swr_opens, 1, __ATOMIC_RELAXED);
    for (; *path; path++) {
        char next = SWR_CAST(char, *path == '%' ? path[1] : '\0');
        swr_put(&name, path, next != 'p' && next != 'n');
        if (next == 'p' || next == 'n') swr_number(&name, next == 'p' ? SWR_CAST(uint64_t, r->process) : opens);
        path += next == 'p' || next == 'n' || next == '%';
    }
    swr_put(&name, "", 1), errno = ENOMEM;
    do r->descriptor = name.failed ? -1 : open(name.bytes, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    while (r->descriptor < 0 && errno == EINTR);
    int error = r->descriptor < 0 || fstat(r->descriptor, &status) ? errno : 0;
    STOWAGE_RECORD_FREE(name.bytes);
    r->quiet = !error && (S_ISCHR(status.st_mode) || (S_ISREG(status.st_mode) && !getrlimit(RLIMIT_FSIZE, &limit) &&
                                                      limit.rlim_cur == RLIM_INFINITY));
    pthread_mutex_lock(&swr_lock);
    if (opens == 1) swr_keep(r, pthread_atfork(swr_before_fork, swr_after_fork, swr_after_fork));
    if (!error && !S_ISCHR(status.st_mode)) {
        struct swr_file *file = swr_files;
        for (; file && (other = &file->status); file = file->next)
            if (other->st_dev == status.st_dev && other->st_ino == status.st_ino) break;
        bool first = !file;
        if (first && (file = SWR_CAST(struct swr_file *, swr_memory(NULL, sizeof *file))))
            file->status = status, file->next = swr_files, swr_files = file;
        error = !file ? ENOMEM : file->busy ? EBUSY
                : first && S_ISREG(status.st_mode) && ftruncate(r->descriptor, 0) ? errno : 0;
        if (!error) (r->file = file)->busy = true;
    }
    r->next = swr_records, swr_records = r;
    pthread_mutex_unlock(&swr_lock);
    return error;
}
struct stowage_record *stowage_record_open(const char *path, const char *planner, const char *model) {
    int before = errno;
    if (!path) path = getenv("STOWAGE_RECORD");
    if (!path || !*path) return NULL;
    struct stowage_record *r = SWR_CAST(struct stowage_record *, swr_memory(NULL, sizeof *r));
    if (!r || pthread_key_create(&r->key, NULL) || pthread_mutex_init(&r->lock, NULL))
        return STOWAGE_RECORD_FREE(r), errno = ENOMEM, SWR_CAST(struct stowage_record *, NULL);
    r->process = getpid();
    swr_keep(r, swr_open_file(r, path));
    if (swr_begin(r))
        swr_raw(&r->shared, "{\"stowage-trace\":1"), swr_field(&r->shared, ",\"planner\":\"", 12, planner),
            SWR_TEXT(&r->shared, "model", model), swr_end(r, true);
    errno = before;
    return r;
}
void stowage_record_tier(struct stowage_record *r, const char *name, uint64_t capacity, uint64_t alignment) {
    SWR_LINE(false, "tier", name, (SWR_SOME(out, "capacity", capacity), SWR_SOME(out, "alignment", alignment)));
}
void stowage_record_operator(struct stowage_record *r, const char *name, int64_t at) {
    SWR_LINE(false, "operator", name, SWR_TIME(out, "at", at));
}
void stowage_record_operator_uses(struct stowage_record *r, const char *name, const char *buffer, const char *how) {
    bool input = how && !strcmp(how, "input"), output = how && !strcmp(how, "output");
    const char *key = input ? ",\"inputs\":[\"" : output ? ",\"outputs\":[\"" : ",\"scratch\":[\"";
    if (r && !input && !output && (!how || strcmp(how, "scratch"))) swr_keep(r, EINVAL);
    SWR_LINE(false, "operator", name, (swr_field(out, key, strlen(key), buffer), swr_raw(out, "]")));
}
void stowage_record_buffer(struct stowage_record *r, const char *id, uint64_t size, int64_t first, int64_t last,
                           uint64_t alignment) {
    SWR_LINE(false, "buffer", id, (SWR_SIZE(out, "size", size), SWR_TIME(out, "first", first),
                                   SWR_TIME(out, "last", last), SWR_SOME(out, "alignment", alignment)));
}
void stowage_record_alloc(struct stowage_record *r, const char *id, uint64_t size, int64_t stream) {
    SWR_LINE(true, "alloc", id, (SWR_SIZE(out, "size", size), SWR_TIME(out, "stream", stream)));
}
void stowage_record_free(struct stowage_record *r, const char *id) { SWR_LINE(true, "free", id, (void)0); }
void stowage_record_group(struct stowage_record *r, const char *name) { SWR_LINE(true, "group", name, (void)0); }
void stowage_record_candidate(struct stowage_record *r, const char *tier, uint64_t offset, uint64_t size,
                              const char *verdict, const char *reason, ...) {
    struct swr_thread *t = swr_mine(r);
    va_list values;
    if (!t) return;
    swr_raw(&t->lines, offset == STOWAGE_RECORD_NONE ? "{\"candidate\":\"no place\"" : "{\"candidate\":");
    if (offset != STOWAGE_RECORD_NONE) swr_number(&t->lines, offset);
    SWR_TEXT(&t->lines, "tier", tier), swr_raw(&t->lines, size == STOWAGE_RECORD_NONE ? ",\"size\":null" : "");
    SWR_SIZE(&t->lines, "size", size), SWR_TEXT(&t->lines, "verdict", verdict);
    va_start(values, reason), swr_reason(t, reason, values), va_end(values);
    swr_raw(&t->lines, "}\n");
}
void stowage_record_figure(struct stowage_record *r, const char *name, double value) {
    struct swr_thread *t = swr_mine(r);
    if (!t) return;
    swr_raw(&t->figures, t->figures.length ? "," : ",\"figures\":{");
    swr_field(&t->figures, "\"", 1, name), swr_raw(&t->figures, ":"), swr_double(&t->figures, value);
}
void stowage_record_decision(struct stowage_record *r, const char *kind, const char *buffer, const char *tier,
                             uint64_t offset, const char *reason, ...) {
    static const char *const asked[] = {NULL, "demand", "forbidden", "demand forbidden"};
    struct swr_thread *t = swr_mine(r);
    va_list values;
    if (!r) return;
    if (t) {
        SWR_FIRST(&t->lines, "decision", kind), SWR_TEXT(&t->lines, "buffer", buffer);
        SWR_TEXT(&t->lines, "tier", tier), SWR_SIZE(&t->lines, "offset", offset);
        if (kind && buffer && (!strcmp(kind, "backtrack") || !strcmp(kind, "lift")))
            swr_field(&t->lines, ",\"changes\":[{\"buffer\":\"", 23, buffer), swr_raw(&t->lines, ",\"offset\":null}]");
        va_start(values, reason), swr_reason(t, reason, values), va_end(values);
        swr_raw(&t->figures, t->figures.length ? "}" : ""), swr_move(&t->lines, &t->figures);
        SWR_TEXT(&t->lines, "asked", asked[t->asked]), t->asked = 0;
        swr_raw(&t->lines, "}\n");
    }
    pthread_mutex_lock(&r->lock);
    __atomic_add_fetch(&r->decisions, 1, __ATOMIC_RELEASE); /* also those that an error keeps from the file */
    if (t) swr_flush(r, &t->lines);
    pthread_mutex_unlock(&r->lock);
}
void stowage_record_state(struct stowage_record *r, const char *name, const char *const *columns, size_t column_count,
                          const double *values, size_t row_count) {
    if (!swr_begin(r)) return;
    SWR_FIRST(&r->shared, "state", name), swr_raw(&r->shared, ",\"columns\":[");
    for (size_t i = 0; i < column_count; i++) swr_field(&r->shared, i ? ",\"" : "\"", i ? 2 : 1, columns[i]);
    swr_raw(&r->shared, "],\"rows\":[");
    for (size_t i = 0; i < row_count * column_count; i++)
        swr_raw(&r->shared, i == 0 ? "[" : i % column_count ? "," : "],["), swr_double(&r->shared, values[i]);
    swr_raw(&r->shared, row_count && column_count ? "]]" : "]"), swr_end(r, true);
}
bool stowage_record_demand(struct stowage_record *r, const char *buffer, const char **tier, uint64_t *offset) {
    const struct swr_demand *d = swr_ask(r, 1, buffer, NULL, 0, 0);
    if (d && tier) *tier = d->tier;
    if (d && offset) *offset = d->lo;
    return d != NULL;
}
bool stowage_record_forbidden(struct stowage_record *r, const char *id, const char *tier, uint64_t lo, uint64_t hi) {
    return swr_ask(r, 2, id, tier, lo, hi) != NULL;
}
void stowage_record_end(struct stowage_record *r, const char *failure) {
    if (!r || __atomic_exchange_n(&r->ended, 1, __ATOMIC_RELAXED)) return;
    SWR_LINE(true, "end", failure ? "failed" : "done", SWR_TEXT(out, "reason", failure));
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
        r->threads = t->next, STOWAGE_RECORD_FREE(t->lines.bytes);
        STOWAGE_RECORD_FREE(t->figures.bytes), STOWAGE_RECORD_FREE(t->word.bytes);
    }
    for (struct swr_demand *d; (d = r->demands); STOWAGE_RECORD_FREE(d))
        r->demands = d->next, STOWAGE_RECORD_FREE(d->buffer), STOWAGE_RECORD_FREE(d->tier);
    STOWAGE_RECORD_FREE(r->shared.bytes), STOWAGE_RECORD_FREE(r), errno = before;
    return error;
}
#endif
