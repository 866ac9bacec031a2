#include "formats/wrapped/spool.h"
#include "base/base.h"

#include "formats/open_file.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>
#include <zlib.h>

enum { SPOOL_BLOCK = 1 << 16, SPOOL_LOOK = 1 << 16 };

uint64_t sw_spool_most_in_memory = UINT64_C(32) << 20;

/* ---- the file ---- */

static const char *folder(void) {
    const char *named = getenv("TMPDIR");
    return named && *named ? named : "/tmp";
}

static int open_nameless_spool(void) {
    char name[4096];
    int fd = -1;
#ifdef O_TMPFILE
    fd = open(folder(), O_RDWR | O_TMPFILE | O_CLOEXEC, 0600);
#endif
    if (fd < 0 && (size_t)snprintf(name, sizeof name, "%s/stowage-XXXXXX", folder()) < sizeof name) {
        fd = mkostemp(name, O_CLOEXEC);
        if (fd >= 0) {
            unlink(name);
        }
    }
    return fd;
}

static bool fail_file(struct sw_error *error, const char *what) {
    int code = errno;
    return sw_fail(error, SW_ERROR_IO, "cannot %s a temporary file in %s (TMPDIR names another folder): %s", what,
                   folder(), strerror(code));
}

/* Writing beyond a limit on the size of files is an error, not the end of the program. */
static bool write_spooled(int fd, const char *bytes, size_t length) {
    sigset_t limit, before;
    struct timespec at_once = {0};
    sigemptyset(&limit);
    sigaddset(&limit, SIGXFSZ);
    pthread_sigmask(SIG_BLOCK, &limit, &before);
    int code = 0;
    while (length > 0 && code == 0) {
        ssize_t put = write(fd, bytes, length);
        if (put < 0) {
            code = errno == EINTR ? 0 : errno;
        } else {
            bytes += put;
            length -= (size_t)put;
        }
    }
    while (code == EFBIG && !sigismember(&before, SIGXFSZ) && sigtimedwait(&limit, NULL, &at_once) < 0 &&
           errno == EINTR) {
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = code;
    return code == 0;
}

/* What was in memory goes into a file; of it the beginning stays. */
static bool move_out(struct sw_spool *spool, struct sw_error *error) {
    spool->file = open_nameless_spool();
    if (spool->file < 0) {
        return fail_file(error, "make");
    }
    if (!write_spooled(spool->file, spool->bytes.items, spool->bytes.count)) {
        return fail_file(error, "write");
    }
    size_t kept = spool->bytes.count < SPOOL_LOOK ? spool->bytes.count : SPOOL_LOOK;
    char *less = sw_mem_resize(spool->bytes.items, spool->bytes.capacity, kept, 1);
    if (!less) {
        return sw_fail_memory(error);
    }
    spool->bytes = (struct sw_bytes){less, kept, kept};
    return true;
}

static bool add_to_spool(struct sw_spool *spool, const char *bytes, size_t length, struct sw_error *error) {
    spool->length += length;
    if (length == 0) {
        return true;
    }
    if (spool->length > sw_most_input()) {
        return sw_fail_most_input(0, error);
    }
    if (spool->file >= 0) {
        return write_spooled(spool->file, bytes, length) || fail_file(error, "write");
    }
    if (!SW_RESERVE(&spool->bytes, (size_t)spool->length)) {
        return sw_fail_memory(error);
    }
    memcpy(spool->bytes.items + spool->bytes.count, bytes, length);
    spool->bytes.count += length;
    return spool->length <= sw_spool_most_in_memory || move_out(spool, error);
}

/* ---- what is read ---- */

struct spool_source {
    int fd;
    char block[SPOOL_BLOCK];
    const char *at; /* what was read and not taken yet */
    size_t left;
    uint64_t before; /* bytes of blocks that are taken */
};

/* More to take; at the end `left` is 0. */
static bool read_spool_block(struct spool_source *source, struct sw_error *error) {
    ssize_t got;
    do {
        got = read(source->fd, source->block, sizeof source->block);
    } while (got < 0 && errno == EINTR);
    source->at = source->block;
    source->left = got > 0 ? (size_t)got : 0;
    source->before += source->left;
    return got >= 0 || sw_fail(error, SW_ERROR_IO, "cannot read: %s", strerror(errno));
}

static bool copy_all(struct sw_spool *spool, struct spool_source *source, struct sw_error *error) {
    do {
        if (!add_to_spool(spool, source->at, source->left, error) || !read_spool_block(source, error)) {
            return false;
        }
    } while (source->left > 0);
    return true;
}

/* ---- gzip ---- */

struct expansion {
    struct sw_spool *spool;
    struct spool_source *source;
    z_stream stream;
    char out[SPOOL_BLOCK];
    bool over; /* a member has ended, and the next has not begun */
};

static bool fail_expansion(struct expansion *e, const char *what, struct sw_error *error) {
    return sw_fail(error, SW_ERROR_INPUT, "%s at offset %llu", what,
                   (unsigned long long)(e->source->before - e->source->left));
}

/* Behind a member: another one, or zeros, which are passed over. */
static bool begin_gzip_member(struct expansion *e, struct sw_error *error) {
    struct spool_source *source = e->source;
    while (source->left > 0 && *source->at == '\0') {
        source->at++;
        source->left--;
    }
    if (source->left > 0) {
        if (*source->at != '\x1f') {
            return fail_expansion(e, "something that is not gzip data follows it", error);
        }
        e->over = false;
        return inflateReset(&e->stream) == Z_OK || fail_expansion(e, "damaged gzip data", error);
    }
    return true;
}

static bool inflate_block(struct expansion *e, struct sw_error *error) {
    struct spool_source *source = e->source;
    e->stream.next_in = (z_const Bytef *)(uintptr_t)source->at;
    e->stream.avail_in = (uInt)source->left;
    e->stream.next_out = (Bytef *)e->out;
    e->stream.avail_out = sizeof e->out;
    int status = inflate(&e->stream, Z_NO_FLUSH);
    source->at += source->left - e->stream.avail_in;
    source->left = e->stream.avail_in;
    e->over = status == Z_STREAM_END;
    if (status == Z_MEM_ERROR) {
        return sw_fail_memory(error);
    }
    if (status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR) {
        return fail_expansion(e, e->stream.msg ? e->stream.msg : "damaged gzip data", error);
    }
    return add_to_spool(e->spool, e->out, sizeof e->out - e->stream.avail_out, error);
}

static bool expand_source(struct expansion *e, struct sw_error *error) {
    for (;;) {
        bool full = !e->over && e->stream.avail_out == 0; /* more may come out of what was taken */
        if (e->source->left == 0 && !full) {
            if (!read_spool_block(e->source, error)) {
                return false;
            }
            if (e->source->left == 0) {
                e->spool->cut = !e->over;
                return true;
            }
        }
        if (!(e->over ? begin_gzip_member(e, error) : inflate_block(e, error))) {
            return false;
        }
    }
}

static bool expand(struct sw_spool *spool, struct spool_source *source, struct sw_error *error) {
    struct expansion e = {.spool = spool, .source = source};
    sw_gzip_memory(&e.stream);
    if (inflateInit2(&e.stream, 15 + 16) != Z_OK) {
        return sw_fail_memory(error);
    }
    e.stream.avail_out = sizeof e.out;
    bool good = expand_source(&e, error);
    inflateEnd(&e.stream);
    return good;
}

/* ---- the whole ---- */

/* The beginning of what gzip data expands to. */
static size_t peek(const char *begin, size_t length, char *to, size_t room) {
    z_stream stream = {0};
    sw_gzip_memory(&stream);
    if (inflateInit2(&stream, 15 + 16) != Z_OK) {
        return 0;
    }
    stream.next_in = (z_const Bytef *)(uintptr_t)begin;
    stream.avail_in = (uInt)length;
    stream.next_out = (Bytef *)to;
    stream.avail_out = (uInt)room;
    inflate(&stream, Z_SYNC_FLUSH);
    inflateEnd(&stream);
    return room - stream.avail_out;
}

bool sw_spool_wants(const char *path, const char *begin, size_t length) {
    char text[SPOOL_LOOK];
    struct sw_input input = {.name = path, .bytes = begin, .length = length};
    if (sw_gzip_detect(begin, length)) {
        input.bytes = text;
        input.length = peek(begin, length < SPOOL_BLOCK ? length : SPOOL_BLOCK, text, sizeof text);
    }
    const struct sw_format *format = input.length > 0 ? sw_format_detect(&input, NULL) : NULL;
    return format && format->may_be_large && format->detect(&input);
}

bool sw_spool_take(struct sw_spool *spool, int fd, bool regular, uint64_t size, struct sw_bytes *beginning,
                   struct sw_error *error) {
    bool packed = sw_gzip_detect(beginning->items, beginning->count);
    struct spool_source source = {
        .fd = fd, .at = beginning->items, .left = beginning->count, .before = beginning->count};
    if (regular && !packed && size > sw_spool_most_in_memory) {
        spool->bytes = *beginning;
        spool->length = size;
        *beginning = (struct sw_bytes){0};
        spool->file = fcntl(fd, F_DUPFD_CLOEXEC, 3);
        return spool->file >= 0 || sw_fail(error, SW_ERROR_IO, "cannot keep it open: %s", strerror(errno));
    }
    return packed ? expand(spool, &source, error) : copy_all(spool, &source, error);
}
