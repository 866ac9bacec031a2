#include "formats/wrapped/gzip.h"
#include "base/base.h"

#include <strings.h>
#include <zlib.h>

bool sw_gzip_detect(const char *bytes, size_t length) {
    return length >= 2 && memcmp(bytes, "\x1f\x8b", 2) == 0;
}

size_t sw_gzip_inner(const char *path) {
    size_t length = strlen(path);
    return length > 3 && strcasecmp(path + length - 3, ".gz") == 0 ? length - 3 : length;
}

/* ---- zlib's memory, zeroed: zlib 1.2 copies bytes that it never set ---- */

static void *zlib_allocate(void *context, unsigned count, unsigned size) {
    size_t wanted;
    (void)context;
    if (__builtin_mul_overflow((size_t)count, (size_t)size, &wanted)) {
        return NULL;
    }
    void *block = sw_mem_new_sized(wanted);
    return block ? memset(block, 0, wanted) : NULL;
}

static void zlib_release(void *context, void *bytes) {
    (void)context;
    sw_mem_free_sized(bytes);
}

void sw_gzip_memory(struct z_stream_s *stream) {
    stream->zalloc = zlib_allocate;
    stream->zfree = zlib_release;
}

/* ---- members ---- */

struct gzip_job {
    z_stream stream;
    const char *bytes;
    size_t length, at; /* of the input */
    const struct sw_gzip_bounds *bounds;
    struct sw_bytes *to;
    struct sw_error *error;
};

static bool fail_gzip_job(struct gzip_job *job, const char *what) {
    return sw_fail(job->error, SW_ERROR_INPUT, "%s at offset %zu", what, job->at);
}

/* Room for more; never more than one byte above the limit, which is how passing it shows. */
static bool reserve_output(struct gzip_job *job) {
    struct sw_bytes *to = job->to;
    if (to->count < to->capacity) {
        return true;
    }
    const struct sw_gzip_bounds *bounds = job->bounds;
    if (bounds->look && to->count >= SW_GZIP_FIRST_LOOK && !bounds->look(bounds->context, to, job->error)) {
        return false;
    }
    size_t wanted = to->capacity ? to->capacity + to->capacity / 2 : 65536;
    if (to->capacity < SW_GZIP_FIRST_LOOK && wanted > SW_GZIP_FIRST_LOOK) {
        wanted = SW_GZIP_FIRST_LOOK;
    }
    wanted = wanted > bounds->limit ? (size_t)bounds->limit + 1 : wanted;
    char *grown = sw_mem_resize(to->items, to->capacity, wanted, 1);
    if (!grown) {
        return sw_fail_memory(job->error);
    }
    to->items = grown;
    to->capacity = wanted;
    return true;
}

/* One call of zlib: in and out are counted there in 32 bits. */
static int inflate_into(struct gzip_job *job) {
    const size_t most = (size_t)1 << 30;
    size_t in = job->length - job->at, out = job->to->capacity - job->to->count;
    in = SW_MIN(in, most);
    out = SW_MIN(out, most);
    job->stream.next_in = (z_const Bytef *)(uintptr_t)(job->bytes + job->at);
    job->stream.avail_in = (uInt)in;
    job->stream.next_out = (Bytef *)(job->to->items + job->to->count);
    job->stream.avail_out = (uInt)out;
    int status = inflate(&job->stream, Z_NO_FLUSH);
    job->at += in - job->stream.avail_in;
    job->to->count += out - job->stream.avail_out;
    return status;
}

static bool expand_member(struct gzip_job *job) {
    for (;;) {
        if (!reserve_output(job)) {
            return false;
        }
        int status = inflate_into(job);
        if (job->to->count > job->bounds->limit) {
            return sw_fail(
                job->error, SW_ERROR_INPUT,
                "this expands to more than %llu bytes, which is the most that is read (--max-input SIZE sets it)",
                (unsigned long long)job->bounds->limit);
        }
        switch (status) {
        case Z_STREAM_END:
            return true;
        case Z_OK:
        case Z_BUF_ERROR: /* all was read, or there was no room */
            break;
        case Z_MEM_ERROR:
            return sw_fail_memory(job->error);
        case Z_NEED_DICT:
            return fail_gzip_job(job, "this gzip data needs a dictionary");
        default:
            return fail_gzip_job(job, job->stream.msg ? job->stream.msg : "damaged gzip data");
        }
        if (job->at == job->length && job->to->count < job->to->capacity) {
            return fail_gzip_job(job, "the gzip data is cut off");
        }
    }
}

static bool only_zeros(const struct gzip_job *job) {
    for (size_t i = job->at; i < job->length; i++) {
        if (job->bytes[i]) {
            return false;
        }
    }
    return true;
}

static bool expand_members(struct gzip_job *job) {
    while (expand_member(job)) {
        if (only_zeros(job)) {
            return true;
        }
        if (!sw_gzip_detect(job->bytes + job->at, job->length - job->at)) {
            return fail_gzip_job(job, "something that is not gzip data follows it");
        }
        if (inflateReset(&job->stream) != Z_OK) {
            return fail_gzip_job(job, "damaged gzip data");
        }
    }
    return false;
}

bool sw_gzip_expand(const char *bytes, size_t length, const struct sw_gzip_bounds *bounds, struct sw_bytes *to,
                    struct sw_error *error) {
    struct gzip_job job = {.bytes = bytes, .length = length, .bounds = bounds, .to = to, .error = error};
    sw_gzip_memory(&job.stream);
    if (inflateInit2(&job.stream, 15 + 16) != Z_OK) { /* 16: gzip's header and check, no other */
        return sw_fail_memory(error);
    }
    bool good = expand_members(&job);
    inflateEnd(&job.stream);
    return good;
}
