#include "formats/requests/bfc_log.h"
#include "base/text.h"

#include "formats/tools/placed.h"

#include <inttypes.h>
#include <stdio.h> /* snprintf */
#include <stdlib.h>
#include <string.h>

/* ---- several in one log ---- */

uint32_t sw_bfc_log_arena(struct sw_bfc_log *log, const char *name, size_t length) {
    for (size_t i = 0; i < log->arenas.count; i++) {
        const struct sw_bfc_log_arena *arena = &log->arenas.items[i];
        if ((arena->length == length && memcmp(arena->name, name, length) == 0) || i == SW_BFC_MOST - 1) {
            return (uint32_t)i;
        }
    }
    struct sw_bfc_log_arena fresh = {.name = name, .length = length};
    return SW_PUSH(&log->arenas, fresh) ? (uint32_t)log->arenas.count - 1 : SW_NONE;
}

void sw_bfc_choose(struct sw_bfc_log *log) {
    log->chosen = 0;
    for (size_t i = 1; i < log->arenas.count; i++) {
        log->chosen = log->arenas.items[i].requests > log->arenas.items[log->chosen].requests ? (uint32_t)i : log->chosen;
    }
}

/* ---- words ---- */

bool sw_bfc_address(struct sw_scan *scan, uint64_t *to) {
    sw_scan_space(scan);
    *to = 0;
    if (sw_scan_word(scan, "(nil)") || sw_scan_word(scan, "(null)")) {
        return true;
    }
    if (!sw_scan_word(scan, "0x")) {
        sw_scan_word(scan, "0X");
    }
    const char *from = scan->at;
    for (; scan->at < scan->end; scan->at++) {
        char c = *scan->at;
        unsigned digit = c >= '0' && c <= '9'   ? (unsigned)(c - '0')
                         : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a' + 10)
                         : c >= 'A' && c <= 'F' ? (unsigned)(c - 'A' + 10)
                                                : 16;
        if (digit == 16 || *to >> 60 != 0) {
            break;
        }
        *to = *to << 4 | digit;
    }
    return scan->at > from && *to != SW_NO_ADDRESS;
}

bool sw_bfc_bytes(struct sw_scan *scan, uint64_t *to) {
    int64_t number = 0;
    sw_scan_space(scan);
    bool good = sw_scan_number(scan, &number) && number >= 0 && (uint64_t)number <= SW_MAX_BYTES;
    *to = good ? (uint64_t)number : 0;
    return good;
}

size_t sw_bfc_name(struct sw_scan *scan, char end, const char **name) {
    *name = scan->at;
    while (scan->at < scan->end && *scan->at != end && *scan->at != ' ') {
        scan->at++;
    }
    return (size_t)(scan->at - *name);
}

/* ---- requests ---- */

uint32_t sw_bfc_alloc(struct sw_bfc_log *log, const char *id, uint64_t size, uint64_t address, const char *origin) {
    char name[24];
    snprintf(name, sizeof name, "0x%" PRIx64, address);
    uint32_t living = id ? SW_NONE : sw_request_list_find(&log->list, name, strlen(name));
    id = id ? id : name;
    struct sw_listed_alloc alloc = {.id = id, .length = strlen(id), .size = size, .address = address, .origin = origin,
                                    .line = log->scan.line, .column = 1};
    log->unplaced |= address == SW_NO_ADDRESS;
    return (living == SW_NONE || sw_request_list_free_silently(&log->list, living, log->error)) &&
                   sw_request_list_alloc(&log->list, &alloc, log->error)
               ? (uint32_t)log->list.buffers.count - 1
               : SW_NONE;
}

/* The regions that the log does not show have so many bytes more, or less. */
static bool elsewhere(struct sw_bfc_log *log, enum sw_request_kind kind, uint64_t bytes) {
    log->elsewhere += kind == SW_REQUEST_SEGMENT_MADE ? bytes : -bytes;
    log->most_elsewhere = log->elsewhere > log->most_elsewhere ? log->elsewhere : log->most_elsewhere;
    return bytes == 0 || sw_request_list_other(&log->list, kind, SW_NO_ADDRESS, bytes, log->error);
}

/* All regions together come to what the log says: the rest of it is in regions that it does not show. */
static bool settle_total(struct sw_bfc_log *log, uint64_t size) {
    uint64_t sum = log->got + size + log->elsewhere, total = log->total;
    log->total = SW_NO_ADDRESS;
    if (total == SW_NO_ADDRESS || total > SW_MAX_BYTES || (total <= sum + log->about && sum <= total + log->about)) {
        return true;
    }
    if (total > sum) {
        return elsewhere(log, SW_REQUEST_SEGMENT_MADE, total - sum);
    }
    uint64_t less = sum - total < log->elsewhere ? sum - total : log->elsewhere;
    return elsewhere(log, SW_REQUEST_SEGMENT_GONE, less);
}

bool sw_bfc_region(struct sw_bfc_log *log, uint64_t from, uint64_t to) {
    if (to <= from || to - from > SW_MAX_BYTES || to > SW_MAX_BYTES || log->got > SW_MAX_BYTES - (to - from)) {
        log->strange++;
        log->unplaced = true;
        return true;
    }
    struct sw_bfc_log_region region = {from, to, true};
    if (!settle_total(log, to - from)) {
        return false;
    }
    log->got += to - from;
    return (SW_PUSH(&log->regions, region) || sw_fail_memory(log->error)) &&
           sw_request_list_other(&log->list, SW_REQUEST_SEGMENT_MADE, from, to - from, log->error);
}

static bool give_back(struct sw_bfc_log *log, struct sw_bfc_log_region *region) {
    char name[24];
    int length = snprintf(name, sizeof name, "0x%" PRIx64, region->from);
    uint32_t living = sw_request_list_find(&log->list, name, (size_t)length);
    region->live = false;
    log->got -= region->to - region->from;
    return (living == SW_NONE || sw_request_list_free(&log->list, living, NULL, log->error)) &&
           sw_request_list_other(&log->list, SW_REQUEST_SEGMENT_GONE, region->from, region->to - region->from, log->error);
}

bool sw_bfc_region_gone(struct sw_bfc_log *log, uint64_t from) {
    for (size_t i = log->regions.count; i-- > 0;) {
        if (log->regions.items[i].live && log->regions.items[i].from == from) {
            return give_back(log, &log->regions.items[i]);
        }
    }
    return true; /* one that the log does not show */
}

bool sw_bfc_region_gone_of_size(struct sw_bfc_log *log, uint64_t size) {
    struct sw_bfc_log_region *found = NULL;
    unsigned count = 0;
    for (size_t i = 0; i < log->regions.count; i++) {
        struct sw_bfc_log_region *region = &log->regions.items[i];
        if (region->live && region->to - region->from == size) {
            found = found && found->from < region->from ? found : region;
            count++;
        }
    }
    log->guessed_regions += count > 1;
    return found ? give_back(log, found)
                 : elsewhere(log, SW_REQUEST_SEGMENT_GONE, size < log->elsewhere ? size : log->elsewhere);
}

/* ---- where regions lie ---- */

static int by_address(const void *a, const void *b) {
    const struct sw_request_window *x = a, *y = b;
    return x->lo != y->lo ? (x->lo > y->lo) - (x->lo < y->lo) : (x->hi > y->hi) - (x->hi < y->hi);
}

static bool find_windows(struct sw_requests *requests) {
    for (size_t i = 0; i < requests->segments.count; i++) {
        const struct sw_known_segment *segment = &requests->segments.items[i];
        if (!SW_PUSH(&requests->windows, (struct sw_request_window){segment->address, segment->address + segment->size, 0})) {
            return false;
        }
    }
    for (size_t i = 0; i < requests->items.count; i++) {
        const struct sw_request *request = &requests->items.items[i];
        struct sw_request_window window = {request->address, request->address + request->size, 0};
        bool shown = request->kind == SW_REQUEST_SEGMENT_MADE && request->address != SW_NO_ADDRESS;
        if (shown && !SW_PUSH(&requests->windows, window)) {
            return false;
        }
    }
    struct sw_request_window *windows = requests->windows.items;
    size_t kept = 0;
    if (requests->windows.count > 0) {
        qsort(windows, requests->windows.count, sizeof *windows, by_address);
    }
    for (size_t i = 0; i < requests->windows.count; i++) {
        if (kept > 0 && windows[i].lo < windows[kept - 1].hi) { /* it came back where another one had been */
            windows[kept - 1].hi = windows[i].hi > windows[kept - 1].hi ? windows[i].hi : windows[kept - 1].hi;
        } else {
            windows[kept++] = windows[i];
        }
    }
    requests->windows.count = kept;
    for (size_t i = 1; i < kept; i++) {
        windows[i].base = windows[i - 1].base + (windows[i - 1].hi - windows[i - 1].lo);
    }
    return true;
}

/* The first window that ends above the address. */
static const struct sw_request_window *window_at(const struct sw_requests *requests, uint64_t address) {
    size_t lo = 0, hi = requests->windows.count;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (requests->windows.items[mid].hi <= address) {
            lo = mid + 1;
        } else {
            hi = mid;
        }
    }
    return lo < requests->windows.count ? &requests->windows.items[lo] : NULL;
}

/* The bytes of a request that lies in no region. */
static bool is_stray(const struct sw_requests *requests, const struct sw_request *request) {
    const struct sw_request_window *window = window_at(requests, request->address);
    return request->kind == SW_REQUEST_ALLOC &&
           (!window || request->address < window->lo || request->size > window->hi - request->address);
}

/* Requests outside of all regions lie in regions from before the log, of which it shows so much: stretches of memory that are
 * there at the beginning, and less is elsewhere. False: no memory, or an address that cannot be. */
static bool add_strays(struct sw_bfc_log *log) {
    struct sw_requests *requests = log->list.requests;
    SW_ARRAY(struct sw_request_window) strays = {0};
    bool good = true;
    for (size_t i = 0; good && i < requests->items.count; i++) {
        const struct sw_request *request = &requests->items.items[i];
        if (is_stray(requests, request)) {
            struct sw_request_window window = {request->address, request->address + (request->size + 255) / 256 * 256, 0};
            good = window.hi >= window.lo && window.hi <= SW_MAX_BYTES && SW_PUSH(&strays, window);
        }
    }
    size_t kept = 0;
    if (strays.count > 0) {
        qsort(strays.items, strays.count, sizeof *strays.items, by_address);
    }
    for (size_t i = 0; i < strays.count; i++) {
        struct sw_request_window *last = kept > 0 ? &strays.items[kept - 1] : NULL;
        if (last && strays.items[i].lo <= last->hi) {
            last->hi = strays.items[i].hi > last->hi ? strays.items[i].hi : last->hi;
        } else {
            strays.items[kept++] = strays.items[i];
        }
    }
    for (size_t i = 0; good && i < kept; i++) {
        uint64_t size = strays.items[i].hi - strays.items[i].lo;
        log->strays += size;
        good = SW_PUSH(&requests->segments, (struct sw_known_segment){.address = strays.items[i].lo, .size = size});
    }
    uint64_t known = log->strays;
    for (size_t i = 0; good && i < requests->items.count; i++) {
        struct sw_request *request = &requests->items.items[i];
        if (request->kind == SW_REQUEST_SEGMENT_MADE && request->address == SW_NO_ADDRESS) {
            uint64_t less = known < request->size ? known : request->size;
            request->size -= less;
            known -= less;
        }
    }
    requests->windows.count = 0;
    SW_ARRAY_DONE(&strays);
    return good;
}

static bool has_stray(const struct sw_requests *requests) {
    for (size_t i = 0; i < requests->items.count; i++) {
        if (is_stray(requests, &requests->items.items[i])) {
            return true;
        }
    }
    return false;
}

static bool tell_elsewhere(const struct sw_bfc_log *log, struct sw_builder *builder) {
    uint64_t bytes = log->most_elsewhere > log->strays ? log->most_elsewhere : log->strays;
    return (bytes == 0 || sw_notef(builder, log->error,
                                   "%s bytes of the arena are in regions from before the log%s: "
                                   "what they hold is not in it, but for %s bytes",
                                   SW_COUNT(bytes),
                                   log->about > 0 && log->most_elsewhere > log->strays
                                       ? " (as exactly as it says)"
                                       : "",
                                   SW_COUNT(log->strays))) &&
           (log->guessed_regions == 0 ||
            sw_notef(builder, log->error,
                     "%" PRIu64
                     " time%s the log does not say which of several regions of one size went back",
                     log->guessed_regions, log->guessed_regions == 1 ? "" : "s"));
}

static bool tell_others(const struct sw_bfc_log *log, struct sw_builder *builder) {
    for (size_t i = 0; i < log->arenas.count; i++) {
        const struct sw_bfc_log_arena *arena = &log->arenas.items[i];
        struct sw_quote quote = sw_quote(arena->name, arena->length);
        if (i != log->chosen && arena->requests == 0) {
            continue;
        }
        bool ok = i == log->chosen ? sw_notef(builder, log->error, "this is the allocator %s", quote.text)
                                   : sw_notef(builder, log->error,
                                              "the allocator %s%s is left out: it has no more requests, %" PRIu64,
                                              quote.text,
                                              i == SW_BFC_MOST - 1 ? " and what follows it" : "", arena->requests);
        if (!ok) {
            return false;
        }
    }
    return true;
}

bool sw_bfc_build(struct sw_bfc_log *log, struct sw_builder *builder) {
    struct sw_requests *requests = log->list.requests;
    if (!log->unplaced) {
        if (!find_windows(requests) || (requests->windows.count > 0 && has_stray(requests) &&
                                        (!add_strays(log) || !find_windows(requests)))) {
            return sw_fail_memory(log->error);
        }
        requests->recorded = requests->windows.count > 0;
    }
    if (!requests->recorded) {
        requests->windows.count = 0;
    }
    return sw_request_list_build(&log->list, builder, log->error) && tell_others(log, builder) &&
           tell_elsewhere(log, builder) &&
           (log->strange == 0 ||
            sw_notef(builder, log->error, "%" PRIu64 " line%s cut, or mixed with others, and left out", log->strange,
                     log->strange == 1 ? " is" : "s are"));
}

void sw_bfc_done(struct sw_bfc_log *log) {
    SW_ARRAY_DONE(&log->arenas);
    SW_ARRAY_DONE(&log->regions);
    sw_request_list_done(&log->list);
}
