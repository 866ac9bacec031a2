/* Calls of malloc and free as tracing tools print them, a call a line:
 *
 *     --4711-- malloc(24) = 0x4A42040                  valgrind --trace-malloc=yes
 *     --4711-- memalign(al 64, size 200) = 0x4A42200
 *     4711 x USER 0x28404040 = malloc(24)              jemalloc with opt.utrace, and FreeBSD's kdump of it
 *     prog->malloc(24)                 = 0x55a39fdb64a0    ltrace
 *
 * So a line is looked through for the name of a function and what stands in its parentheses; the address that the call gave
 * stands behind an equals sign, or before one. Everything else in the line, and lines without a call, are the tool's or the
 * program's own words. */
#include "formats/requests/request_list.h"

#include "formats/text/scan.h"
#include "formats/tools/placed.h"

#include <inttypes.h>
#include <string.h>

enum { MOST_ARGUMENTS = 3, LOOKED_AT = 16384 /* bytes, to tell what the file is */ };

/* What a function does with its arguments. */
enum what { GIVES, GIVES_PRODUCT, GIVES_SECOND, RESIZES, TAKES };
static const struct function {
    const char *name;
    enum what what;
    unsigned least; /* arguments */
} functions[] = {
    {"malloc", GIVES, 1},          {"calloc", GIVES_PRODUCT, 2}, {"realloc", RESIZES, 2},   {"free", TAKES, 1},
    {"memalign", GIVES_SECOND, 2}, {"aligned_alloc", GIVES_SECOND, 2}, {"valloc", GIVES, 1},
    {"_Znwm", GIVES, 1},           {"_Znam", GIVES, 1},          {"_Znwj", GIVES, 1},       {"_Znaj", GIVES, 1}, /* operator new */
    {"_ZdlPv", TAKES, 1},          {"_ZdaPv", TAKES, 1},         {"_ZdlPvm", TAKES, 1},     {"_ZdaPvm", TAKES, 1},
};

struct call {
    const struct function *function;
    uint64_t arguments[MOST_ARGUMENTS];
    uint64_t result;
    bool has_result;
};

struct reader {
    struct sw_request_log log;
    uint64_t odd; /* lines with a call that lacks something */
};

/* ---- a line ---- */

static bool is_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* A number as these tools write it: 24, 0x18, (nil). */
static bool take_number(struct sw_scan *scan, uint64_t *to) {
    int64_t number = 0;
    bool good = sw_scan_hex(scan, &number) || sw_scan_word(scan, "(nil)") || sw_scan_number(scan, &number);
    *to = (uint64_t)number;
    return good && number >= 0;
}

/* "24)", "0x4A420A0,100)", "al 64, size 200)". */
static bool take_arguments(struct sw_scan *scan, struct call *call) {
    for (unsigned count = 0; count < MOST_ARGUMENTS;) {
        sw_scan_space(scan);
        if (sw_scan_word(scan, "al ") || sw_scan_word(scan, "size ")) {
            sw_scan_space(scan);
        }
        if (!take_number(scan, &call->arguments[count++])) {
            return false;
        }
        sw_scan_space(scan);
        if (sw_scan_word(scan, ")")) {
            return count >= call->function->least;
        }
        if (!sw_scan_word(scan, ",")) {
            return false;
        }
    }
    return false;
}

/* The name that ends here, before a parenthesis. */
static const struct function *function_before(const char *begin, const char *end) {
    const char *from = end;
    while (from > begin && is_word(from[-1])) {
        from--;
    }
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        size_t length = strlen(functions[i].name);
        if ((size_t)(end - from) == length && memcmp(from, functions[i].name, length) == 0) {
            return &functions[i];
        }
    }
    return NULL;
}

/* "0x28404040 = " before the name. */
static bool result_before(struct sw_scan *scan, const char *name, uint64_t *to) {
    const char *at = name;
    while (at > scan->begin && at[-1] == ' ') {
        at--;
    }
    if (at == scan->begin || *--at != '=') {
        return false;
    }
    while (at > scan->begin && at[-1] == ' ') {
        at--;
    }
    const char *end = at;
    while (at > scan->begin && (is_word(at[-1]) || at[-1] == '(' || at[-1] == ')')) {
        at--;
    }
    const char *then = scan->at;
    scan->at = at;
    bool good = take_number(scan, to) && scan->at == end;
    scan->at = then;
    return good;
}

enum found { NO_CALL, CALL, ODD_CALL };

/* The last call of the line: a program's own words may stand before it. */
static enum found find_call(struct sw_scan *scan, struct call *call) {
    enum found found = NO_CALL;
    for (const char *at; (at = memchr(scan->at, '(', (size_t)(scan->end - scan->at)));) {
        struct call one = {.function = function_before(scan->begin, at)};
        scan->at = at + 1;
        if (!one.function) {
            continue;
        }
        const char *name = at - strlen(one.function->name);
        bool before = result_before(scan, name, &one.result);
        if (!take_arguments(scan, &one)) {
            found = found == NO_CALL ? ODD_CALL : found;
            continue;
        }
        sw_scan_space(scan);
        one.has_result = before;
        if (!before && sw_scan_word(scan, "=")) {
            sw_scan_space(scan);
            one.has_result = take_number(scan, &one.result);
        }
        if (one.has_result || one.function->what == TAKES) {
            *call = one;
            found = CALL;
        } else {
            found = found == NO_CALL ? ODD_CALL : found;
        }
    }
    return found;
}

/* ---- what it asks for ---- */

static bool give(struct sw_request_log *log, uint64_t address, uint64_t size) {
    if (address == 0 || size > SW_MAX_BYTES) {
        size = size < SW_MAX_BYTES ? size : SW_MAX_BYTES;
        return sw_request_list_other(&log->list, SW_REQUEST_REFUSED, SW_NO_ADDRESS, size, log->error);
    }
    return sw_request_list_give(&log->list, address, size, NULL, log->scan.line, log->error);
}

static bool take(struct sw_request_log *log, uint64_t address) {
    return address == 0 || sw_request_list_take(&log->list, address, log->error); /* free(NULL) does nothing */
}

static bool resize(struct sw_request_log *log, const struct call *call) {
    uint64_t old = call->arguments[0], size = call->arguments[1], fresh = call->result;
    if (size == 0 || fresh == 0) { /* realloc(p, 0) frees; one that fails leaves the block alone */
        return size == 0 ? take(log, old) && (fresh == 0 || give(log, fresh, 0)) : give(log, 0, size);
    }
    /* Where it stays it is grown where it lies; where it moves the old block is given back when the new one is there. */
    return fresh == old ? take(log, old) && give(log, fresh, size) : give(log, fresh, size) && take(log, old);
}

static bool serve(struct sw_request_log *log, const struct call *call) {
    const uint64_t *arguments = call->arguments;
    uint64_t product;
    switch (call->function->what) {
    case GIVES:
        return give(log, call->result, arguments[0]);
    case GIVES_PRODUCT:
        return give(log, call->result, __builtin_mul_overflow(arguments[0], arguments[1], &product) ? UINT64_MAX : product);
    case GIVES_SECOND:
        return give(log, call->result, arguments[1]);
    case RESIZES:
        return resize(log, call);
    case TAKES:
        break;
    }
    return take(log, arguments[0]);
}

/* ---- the file ---- */

static bool detect(const struct sw_input *input) {
    struct sw_input head = *input;
    struct sw_scan scan;
    head.length = head.length < LOOKED_AT ? head.length : LOOKED_AT;
    sw_scan_open(&scan, &head);
    while (sw_scan_line(&scan)) {
        struct call call;
        if (find_call(&scan, &call) == CALL && call.function->what != TAKES) {
            return true;
        }
    }
    return false;
}

static bool read_line(struct sw_request_log *log) {
    struct reader *reader = (struct reader *)log;
    struct call call;
    enum found found = find_call(&log->scan, &call);
    reader->odd += found == ODD_CALL;
    return found != CALL || serve(log, &call);
}

static bool tell(const struct sw_request_log *log, struct sw_builder *builder) {
    uint64_t odd = ((const struct reader *)log)->odd;
    return odd == 0 || sw_notef(builder, log->error, "%" PRIu64 " line%s left out, where a call lacks its end or what it gave", odd,
                                odd == 1 ? " is" : "s are");
}

static bool calls_read(const struct sw_input *input, const struct sw_load_options *options, struct sw_builder *builder,
                        struct sw_error *error) {
    static const struct sw_request_log_reader how = {"free-list", read_line, tell};
    struct reader reader = {.log = {.cut = false}};
    (void)options;
    return sw_request_log_read(&reader.log, &how, input, builder, error);
}

const struct sw_format sw_format_malloc_calls = {
    .name = "malloc-calls",
    .summary = "calls of malloc, realloc and free as Valgrind, jemalloc, kdump and ltrace print them; time is the number of the event",
    .extensions = ".calls",
    .detect = detect,
    .read = calls_read,
};
