/* The log of ggml's graph allocator: what ggml-alloc.c prints when it is built with AT_PRINTF.
 *
 * For each node of a graph it says which of its parents the node may not, or does, take the place of; else where it finds
 * room; then what the node is, and which parents are free after it. That is a decision after another, with addresses, and
 * most of what is looked at. GGML_ALLOCATOR_DEBUG adds what lies in a chunk whenever it grows.
 *
 * Loggers put something before lines, and other lines between them; lines are known by what they say first. Nothing says
 * where one graph ends and the next begins: ggml_blocks.h and is_another_run. */
#include "formats/logs/ggml_blocks.h"
#include "formats/logs/decision_log.h"
#include "formats/text/scan.h"

#include <inttypes.h>
#include <string.h>

#define ALLOCATING "ggml_dyn_tallocr_alloc: allocating "

/* A piece of the log; without text where the log has not said it yet. */
struct piece {
    const char *text;
    size_t length;
};

static struct piece piece(const char *from, const char *to) {
    return (struct piece){from, (size_t)(to - from)};
}

static bool same_piece(struct piece a, struct piece b) {
    return a.text && b.text && a.length == b.length && memcmp(a.text, b.text, a.length) == 0;
}

struct reader {
    struct sw_log log;
    struct sw_scan scan;
    struct sw_error *error;
    struct ggml_blocks blocks;
    size_t names;        /* at most so many tensors get memory */
    struct sw_sink rows; /* counts of the parents of the present node */
    bool any;            /* the run has a line */
    bool over;           /* the log says that the run is over */
    bool named;          /* the present group has its name */
    bool executed;       /* the run has a node that is done */
    bool after_extra;    /* the last line gave back the end of a parent */
    uint64_t strangers;  /* tensors reused or freed that the log did not allocate */
    uint64_t pools;      /* blocks at addresses that are taken */
    uint32_t cut;        /* the last line, when it is cut; 0 */
    struct piece first_exec; /* the run's first, to know the graph again */
    struct piece first;      /* and its first allocation */
    const char *next_exec, *next_alloc; /* behind the present line, as far as it was looked for */
    /* what waits for its size: a node in the place of its parent */
    uint32_t waiting, parent, waiting_line;
    uint64_t extra;
    bool view;
    int64_t events; /* of the run: the time */
};

/* The last place of a word in the rest of a line; NULL: there is none. */
static const char *last_of(const char *at, const char *end, const char *word) {
    const char *found = NULL;
    while ((at = sw_scan_find(at, end, word)) != end) {
        found = at++;
    }
    return found;
}

static bool is_last(const struct reader *reader) {
    const struct sw_scan *scan = &reader->scan;
    return scan->next == scan->stop && scan->stop[-1] != '\n';
}

/* A line that the allocator prints in another way: the end of a log that was cut off, or no log of its. */
static bool odd_line(struct reader *reader, const char *what) {
    if (is_last(reader)) {
        reader->cut = reader->scan.line;
        return true;
    }
    return sw_scan_fail(&reader->scan, reader->error, "%s", what);
}

static bool number_up_to(struct sw_scan *scan, int64_t most, int64_t *value) {
    return sw_scan_number(scan, value) && *value >= 0 && *value <= most;
}

#define MOST_BYTES ((int64_t)SW_MAX_BYTES)
enum { MOST_COUNT = 1 << 30 };

/* ---- runs, groups ---- */

static void put_free(struct reader *reader, const struct ggml_block *block, uint32_t line) {
    sw_sink_printf(&reader->log.body, "{\"free\":");
    sw_sink_json(&reader->log.body, block->id);
    sw_log_end(&reader->log, line);
    reader->events++;
}

/* `parent` (NULL: none): the tensor whose place it takes, which was freed by the event before. */
static void put_alloc(struct reader *reader, const struct ggml_block *block, const char *parent, uint32_t line) {
    sw_sink_printf(&reader->log.body, "{\"alloc\":");
    sw_sink_json(&reader->log.body, block->id);
    sw_sink_printf(&reader->log.body, ",\"size\":%" PRIu64, block->size);
    if (parent) {
        sw_sink_printf(&reader->log.body, ",\"inplace_of\":");
        sw_sink_json(&reader->log.body, parent);
    }
    sw_log_end(&reader->log, line);
    reader->events++;
}

/* A decision that stands at the last event. */
static void put_decision(struct reader *reader, const char *kind, const struct ggml_block *block) {
    struct sw_sink *body = &reader->log.body;
    sw_sink_printf(body, "{\"decision\":\"%s\"", kind);
    if (block) {
        sw_sink_printf(body, ",\"buffer\":");
        sw_sink_json(body, block->id);
    }
    if (reader->events > 0) {
        sw_sink_printf(body, ",\"time\":%" PRId64, reader->events - 1);
    }
}

static void put_place(struct reader *reader, const struct ggml_block *block) {
    sw_sink_printf(&reader->log.body, ",\"tier\":\"%s\",\"offset\":%" PRIu64,
                   reader->blocks.spaces.items[block->space].name, block->offset);
}

static const struct ggml_block *block_at(const struct reader *reader, uint32_t number) {
    return number == SW_NONE ? NULL : &reader->blocks.all.items[number];
}

/* What waited for its size has it. */
static bool settle(struct reader *reader) {
    struct sw_log *log = &reader->log;
    if (reader->waiting == SW_NONE) {
        return true;
    }
    struct ggml_block *block = &reader->blocks.all.items[reader->waiting];
    const char *parent = reader->blocks.all.items[reader->parent].id;
    block->size -= reader->extra;
    reader->waiting = SW_NONE;
    put_free(reader, &reader->blocks.all.items[reader->parent], reader->waiting_line);
    put_alloc(reader, block, parent, reader->waiting_line);
    put_decision(reader, "reusing", block);
    put_place(reader, block);
    struct sw_sink reason = {0};
    sw_sink_printf(&reason, "in the place of %s%s", parent, reader->view ? ", through a view" : "");
    if (reader->extra > 0) {
        sw_sink_printf(&reason, ", whose last %" PRIu64 " bytes are free", reader->extra);
    }
    sw_log_field(log, "reason", reason.text.items ? reason.text.items : "", reason.text.count);
    log->body.failed |= reason.failed;
    sw_sink_done(&reason);
    sw_sink_printf(&log->body, ",\"changes\":[{\"buffer\":");
    sw_sink_json(&log->body, block->id);
    put_place(reader, block);
    sw_sink_printf(&log->body, "}]");
    if (reader->extra > 0) {
        sw_sink_printf(&log->body, ",\"figures\":{\"extra\":%" PRIu64 "}", reader->extra);
    }
    sw_log_end(log, reader->waiting_line);
    return !log->body.failed || sw_fail_memory(reader->error);
}

/* The counts of the last node's parents. */
static void put_rows(struct reader *reader) {
    struct sw_sink *body = &reader->log.body;
    if (reader->rows.text.count > 0) {
        sw_sink_printf(body, "{\"state\":\"parents\",\"columns\":[\"tensor\",\"children\",\"views\",\"allocated\"],\"rows\":[");
        sw_sink_add(body, reader->rows.text.items, reader->rows.text.count);
        sw_sink_printf(body, "]}\n");
    }
    body->failed |= reader->rows.failed;
    reader->rows.text.count = 0;
}

static void tell_run(struct reader *reader) {
    struct sw_log *log = &reader->log;
    sw_log_note(log, "ggml's log has neither alignment nor the tensors that lie outside of its pools, nor why a free block was "
                     "taken; sizes are rounded up to the alignment");
    if (reader->pools > 0) {
        sw_log_note(log, "%" PRIu64 " tensor%s at an address that is taken: another back end has %s there, which the log does "
                         "not name; a tier \"pool\" stands for it",
                    reader->pools, reader->pools == 1 ? " lies" : "s lie", reader->pools == 1 ? "it" : "them");
    }
    if (reader->strangers > 0) {
        sw_log_note(log, "%" PRIu64 " time%s the log frees or reuses a tensor that it did not allocate before", reader->strangers,
                    reader->strangers == 1 ? "" : "s");
    }
    if (reader->cut > 0) {
        sw_log_note(log, "the last line of the log, %" PRIu32 ", is cut and is left out", reader->cut);
    }
    for (size_t i = 0; i < reader->blocks.spaces.count; i++) {
        sw_log_tier(log, reader->blocks.spaces.items[i].name, 0);
    }
}

/* The run is over. */
static bool end_run(struct reader *reader, bool whole) {
    if (!settle(reader)) {
        return false;
    }
    put_rows(reader);
    if (reader->any) {
        tell_run(reader);
        sw_log_run(&reader->log, NULL, whole ? "" : NULL);
    }
    ggml_blocks_done(&reader->blocks);
    reader->blocks = (struct ggml_blocks){0};
    reader->any = reader->over = reader->named = reader->executed = reader->after_extra = false;
    reader->strangers = reader->pools = 0;
    reader->events = 0;
    reader->first_exec = reader->first = (struct piece){0};
    return true;
}

/* Where a word stands next behind the present line, looked for only once. */
static const char *ahead(const struct reader *reader, const char **known, const char *word) {
    if (!*known || *known < reader->scan.next) {
        *known = sw_scan_find(reader->scan.next, reader->scan.stop, word);
    }
    return *known;
}

/* "OP (NAME)" of an exec line, from behind "exec: ". */
static struct piece node_of(const char *at, const char *stop) {
    const char *end = memchr(at, '\n', (size_t)(stop - at));
    end = end ? end : stop;
    const char *arrow = sw_scan_find(at, end, ") <= ");
    return piece(at, arrow == end ? end : arrow + 1);
}

/* The first line of a node opens a group with its name, which the log has further on. */
static void open_group(struct reader *reader) {
    if (reader->named) {
        return;
    }
    put_rows(reader);
    const char *exec = ahead(reader, &reader->next_exec, "exec: ");
    struct piece node = {"the end of the log", 18};
    if (exec != reader->scan.stop) {
        node = node_of(exec + strlen("exec: "), reader->scan.stop);
    }
    sw_sink_printf(&reader->log.body, "{\"group\":");
    sw_log_text(&reader->log, &reader->log.body, node.text, node.length);
    sw_sink_add(&reader->log.body, "}\n", 2);
    reader->named = true;
}

/* A line that belongs to a run. */
static bool go_on(struct reader *reader) {
    if (reader->over && !end_run(reader, true)) {
        return false;
    }
    if (!reader->any && !ggml_blocks_init(&reader->blocks, reader->names)) {
        return sw_fail_memory(reader->error);
    }
    reader->any = true;
    return true;
}

/* Does this allocation begin another graph, or the same one again? The same: it is the first allocation of this run once more,
 * and the next node is the run's first. Another: it lies at the bottom over what is live, and a second allocation follows
 * before a node, as is so with the inputs of a graph. */
static bool is_another_run(struct reader *reader, struct piece text, int64_t chunk, int64_t offset, int64_t size) {
    if (!reader->executed || chunk != 0 || offset != 0) {
        return false;
    }
    const char *exec = ahead(reader, &reader->next_exec, "exec: "), *stop = reader->scan.stop;
    if (exec != stop && same_piece(text, reader->first) &&
        same_piece(node_of(exec + strlen("exec: "), stop), reader->first_exec)) {
        return true;
    }
    return ggml_blocks_taken(&reader->blocks, chunk, 0, (uint64_t)size) &&
           ahead(reader, &reader->next_alloc, ALLOCATING) < exec;
}

/* ---- lines ---- */

/* "block 0, offset 0, chunk 0"; until September 2025 without the chunk. */
struct place {
    int64_t block, offset, chunk;
};
static bool parse_place(struct sw_scan *scan, struct place *place) {
    place->chunk = 0;
    return sw_scan_past(scan, "block ") && number_up_to(scan, MOST_COUNT, &place->block) && sw_scan_word(scan, ", offset ") &&
           number_up_to(scan, MOST_BYTES, &place->offset) &&
           (!sw_scan_word(scan, ", chunk ") || number_up_to(scan, MOST_COUNT, &place->chunk));
}

/* The place may stand in a line of its own: a logger that begins every message on a new line. */
static bool place_in_next(struct sw_scan *scan, struct place *place) {
    struct sw_scan next = *scan;
    if (!sw_scan_line(&next) || !parse_place(&next, place)) {
        return false;
    }
    *scan = next;
    return true;
}

static bool no_room(struct reader *reader, bool full) {
    return full ? sw_scan_fail(&reader->scan, reader->error, "more than %d chunks", SW_MAX_TIERS)
                : sw_fail_memory(reader->error);
}

static bool read_alloc(struct reader *reader) {
    struct sw_scan *scan = &reader->scan;
    const char *from = scan->at, *open = last_of(from, scan->end, " bytes) - ");
    const char *paren = open ? last_of(from, open, " (") : NULL;
    uint32_t line = scan->line;
    int64_t size;
    struct place place;
    bool full;
    scan->at = paren ? paren + 2 : from;
    if (!paren || !number_up_to(scan, MOST_BYTES, &size) || scan->at != open) {
        return odd_line(reader, "an allocation says: NAME (SIZE bytes) - block N, offset N, chunk N, with at most 2^61 bytes");
    }
    scan->at = open + strlen(" bytes) - ");
    if (!parse_place(scan, &place) && (scan->at = open, !place_in_next(scan, &place))) {
        return odd_line(reader, "an allocation says its place: block N, offset N, chunk N, with an offset up to 2^61");
    }
    if (place.offset > MOST_BYTES - size) {
        return sw_scan_fail(scan, reader->error, "this block would end above 2^61 bytes");
    }
    struct piece text = piece(from, open);
    if (is_another_run(reader, text, place.chunk, place.offset, size) && !end_run(reader, true)) {
        return false;
    }
    if (!go_on(reader) || !settle(reader)) {
        return false;
    }
    open_group(reader);
    if (!reader->first.text) {
        reader->first = text;
    }
    const char *name = sw_log_copy(&reader->log, from, (size_t)(paren - from));
    uint32_t number = name ? ggml_blocks_add(&reader->blocks, name, place.chunk, (uint64_t)place.offset, (uint64_t)size, &full)
                           : (full = false, SW_NONE);
    if (number == SW_NONE) {
        return no_room(reader, full);
    }
    const struct ggml_block *block = &reader->blocks.all.items[number];
    reader->pools += reader->blocks.spaces.items[block->space].pool > 1;
    put_alloc(reader, block, NULL, line);
    put_decision(reader, "place", block);
    put_place(reader, block);
    sw_sink_printf(&reader->log.body, ",\"reason\":\"block %" PRId64 " of the free list\",\"figures\":{\"block\":%" PRId64 "}",
                   place.block, place.block);
    sw_log_end(&reader->log, line);
    return true;
}

/* "P for N": where the two part. Both may hold " for ", so that P must be a tensor that has memory. */
static bool split_for(struct reader *reader, const char *from, const char *end, struct piece *parent, struct piece *node,
                      uint32_t *block) {
    const char *first = NULL;
    *block = SW_NONE;
    for (const char *at = from; (at = sw_scan_find(at, end, " for ")) != end; at++) {
        const char *name = sw_log_copy(&reader->log, from, (size_t)(at - from));
        first = first ? first : at;
        *block = name && reader->any ? ggml_blocks_find(&reader->blocks, name) : SW_NONE;
        if (*block != SW_NONE) {
            first = at;
            break;
        }
    }
    *parent = piece(from, first ? first : from);
    *node = piece(first ? first + strlen(" for ") : from, end);
    return first != NULL;
}

static bool read_reuse(struct reader *reader, bool view) {
    struct sw_scan *scan = &reader->scan;
    struct piece parent, node;
    uint32_t block;
    if (!go_on(reader) || !settle(reader)) {
        return false;
    }
    if (view) { /* "VIEW (SOURCE) for N": the source has the memory */
        const char *open = sw_scan_find(scan->at, scan->end, " (");
        scan->at = open == scan->end ? scan->at : open + 2;
    }
    if (!split_for(reader, scan->at, scan->end, &parent, &node, &block)) {
        return odd_line(reader, "what reuses the parent is missing: reusing parent NAME for NAME");
    }
    open_group(reader);
    if (view && parent.length > 0 && parent.text[parent.length - 1] == ')') {
        const char *name = sw_log_copy(&reader->log, parent.text, --parent.length);
        block = name ? ggml_blocks_find(&reader->blocks, name) : SW_NONE;
    }
    if (block == SW_NONE) { /* where it lies is not known */
        reader->strangers++;
        put_decision(reader, "reusing", NULL);
        sw_log_field(&reader->log, "reason", scan->at, (size_t)(scan->end - scan->at));
        sw_log_end(&reader->log, scan->line);
        return true;
    }
    const char *name = sw_log_copy(&reader->log, node.text, node.length);
    reader->waiting = name ? ggml_blocks_reuse(&reader->blocks, name, block) : SW_NONE;
    reader->parent = block;
    reader->waiting_line = scan->line;
    reader->extra = 0;
    reader->view = view;
    return reader->waiting != SW_NONE || sw_fail_memory(reader->error);
}

/* "freeing extra N bytes from parent P for N" */
static bool read_extra(struct reader *reader) {
    struct sw_scan *scan = &reader->scan;
    int64_t size;
    if (!sw_scan_number(scan, &size) || !sw_scan_word(scan, " bytes from parent ")) {
        return odd_line(reader, "this says: freeing extra SIZE bytes from parent NAME for NAME");
    }
    reader->after_extra = true;
    if (reader->waiting == SW_NONE) {
        return true; /* of a parent that the log did not allocate */
    }
    if (size < 0 || (uint64_t)size > reader->blocks.all.items[reader->waiting].size) {
        return sw_scan_fail(scan, reader->error, "the parent has only %" PRIu64 " bytes",
                            reader->blocks.all.items[reader->waiting].size);
    }
    reader->extra = (uint64_t)size;
    return true;
}

/* "not reusing parent P for N as WHY" */
static bool read_not_reuse(struct reader *reader) {
    struct sw_scan *scan = &reader->scan;
    struct piece parent, node;
    uint32_t block;
    const char *as = last_of(scan->at, scan->end, " as ");
    if (!as || !go_on(reader) || !settle(reader)) {
        return as ? false : odd_line(reader, "this says: not reusing parent NAME for NAME as REASON");
    }
    open_group(reader);
    split_for(reader, scan->at, as, &parent, &node, &block);
    const struct ggml_block *known = block == SW_NONE ? NULL : &reader->blocks.all.items[block];
    struct sw_sink what = {0};
    sw_sink_printf(&what, "in the place of ");
    sw_sink_add(&what, known ? known->id : parent.text, known ? strlen(known->id) : parent.length);
    sw_sink_printf(&reader->log.body, "{\"candidate\":");
    sw_log_text(&reader->log, &reader->log.body, what.text.items ? what.text.items : "", what.text.count);
    reader->log.body.failed |= what.failed;
    sw_sink_done(&what);
    sw_sink_printf(&reader->log.body, ",\"verdict\":\"refused\"");
    sw_log_field(&reader->log, "reason", as + strlen(" as "), (size_t)(scan->end - as) - strlen(" as "));
    sw_log_end(&reader->log, scan->line);
    return true;
}

/* "N at {chunk=C, offset=O} (S bytes) - n_free_blocks = D", or "N at O (S bytes) ..." until September 2025 */
struct freed {
    struct piece name;
    int64_t chunk, offset, size, blocks;
};
static bool parse_free(struct sw_scan *scan, struct freed *freed) {
    const char *from = scan->at, *at = last_of(from, scan->end, " at ");
    *freed = (struct freed){.blocks = 0};
    if (!at) {
        return false;
    }
    freed->name = piece(from, at);
    scan->at = at + strlen(" at ");
    bool chunked = sw_scan_word(scan, "{chunk=");
    bool good = (!chunked || (number_up_to(scan, MOST_COUNT, &freed->chunk) && sw_scan_word(scan, ", offset="))) &&
                number_up_to(scan, MOST_BYTES, &freed->offset) && (!chunked || sw_scan_word(scan, "}")) &&
                sw_scan_word(scan, " (") && number_up_to(scan, MOST_BYTES, &freed->size) &&
                sw_scan_word(scan, " bytes) - n_free_blocks = ") && number_up_to(scan, MOST_COUNT, &freed->blocks);
    return good;
}

static bool read_free(struct reader *reader) {
    struct sw_scan *scan = &reader->scan;
    struct sw_log *log = &reader->log;
    struct freed freed;
    bool extra = reader->after_extra;
    if (!parse_free(scan, &freed)) {
        return odd_line(reader, "this says: freeing NAME at {chunk=N, offset=N} (SIZE bytes) - n_free_blocks = N");
    }
    if (extra) {
        return true; /* the extra bytes once more, under the name of the parent */
    }
    if (!go_on(reader) || !settle(reader)) {
        return false;
    }
    const char *name = sw_log_copy(log, freed.name.text, freed.name.length);
    uint32_t number = name ? ggml_blocks_at(&reader->blocks, name, freed.chunk, (uint64_t)freed.offset) : SW_NONE;
    const struct ggml_block *block = block_at(reader, number);
    if (block) {
        put_free(reader, block, scan->line);
        put_decision(reader, "freeing", block);
        put_place(reader, block);
        ggml_blocks_free(&reader->blocks, number);
    } else {
        reader->strangers++;
        put_decision(reader, "freeing", NULL);
        sw_log_field(log, "reason", freed.name.text, (size_t)(scan->end - freed.name.text));
    }
    sw_sink_printf(&log->body, ",\"figures\":{\"bytes\":%" PRId64 ",\"n_free_blocks\":%" PRId64 "}", freed.size, freed.blocks);
    sw_log_end(log, scan->line);
    return true;
}

static bool read_kept(struct reader *reader) {
    struct sw_scan *scan = &reader->scan;
    struct sw_log *log = &reader->log;
    if (!go_on(reader) || !settle(reader)) {
        return false;
    }
    const char *name = sw_log_copy(log, scan->at, (size_t)(scan->end - scan->at));
    uint32_t number = name ? ggml_blocks_find(&reader->blocks, name) : SW_NONE;
    put_decision(reader, "not freeing", block_at(reader, number));
    if (number != SW_NONE) {
        sw_sink_printf(&log->body, ",\"reason\":\"it is an output\"");
    } else {
        sw_log_field(log, "reason", scan->at, (size_t)(scan->end - scan->at));
    }
    sw_log_end(log, scan->line);
    return true;
}

/* "OP (N) <= parent, parent": the node's memory is settled, and it runs. */
static bool read_exec(struct reader *reader) {
    struct sw_scan *scan = &reader->scan;
    const char *from = scan->at, *open = sw_scan_find(from, scan->end, " ("),
               *arrow = sw_scan_find(from, scan->end, ") <= ");
    if (open == scan->end || arrow == scan->end || arrow < open + 2) {
        return true; /* a line of something else, or cut */
    }
    if (!go_on(reader) || !settle(reader)) {
        return false;
    }
    if (!reader->first_exec.text) {
        reader->first_exec = piece(from, arrow + 1);
    }
    if (!reader->named) { /* nothing was decided about its memory: a view */
        put_rows(reader);
        sw_sink_printf(&reader->log.body, "{\"group\":");
        sw_log_text(&reader->log, &reader->log.body, from, (size_t)(arrow + 1 - from));
        sw_sink_add(&reader->log.body, "}\n", 2);
    }
    const char *name = sw_log_copy(&reader->log, open + 2, (size_t)(arrow - open) - 2);
    uint32_t number = name ? ggml_blocks_find(&reader->blocks, name) : SW_NONE;
    put_decision(reader, "exec", block_at(reader, number));
    sw_log_field(&reader->log, "reason", from, (size_t)(scan->end - from));
    sw_log_end(&reader->log, scan->line);
    reader->named = false;
    reader->executed = true;
    return true;
}

/* "P: 1 children, 0 views, allocated: 1", and the same of a view's source without the last */
static bool read_counts(struct reader *reader, bool view) {
    struct sw_scan *scan = &reader->scan;
    const char *from = scan->at, *end = last_of(from, scan->end, " children, ");
    const char *colon = end ? last_of(from, end, ": ") : NULL;
    int64_t children, views, allocated = 0;
    scan->at = colon ? colon + 2 : from;
    if (!colon || !reader->any || !sw_scan_number(scan, &children) || !sw_scan_word(scan, " children, ") ||
        !sw_scan_number(scan, &views) || !sw_scan_word(scan, " views") ||
        (!view && (!sw_scan_word(scan, ", allocated: ") || !sw_scan_number(scan, &allocated)))) {
        return true; /* a line of something else, or cut */
    }
    const char *name = sw_log_copy(&reader->log, from, (size_t)(colon - from));
    uint32_t number = name ? ggml_blocks_find(&reader->blocks, name) : SW_NONE;
    sw_sink_printf(&reader->rows, "%s[", reader->rows.text.count > 0 ? "," : "");
    if (number != SW_NONE) {
        sw_sink_json(&reader->rows, reader->blocks.all.items[number].id);
    } else {
        sw_log_text(&reader->log, &reader->rows, from, (size_t)(colon - from));
    }
    sw_sink_printf(&reader->rows, ",%" PRId64 ",%" PRId64 ",%s]", children, views, view ? "null" : allocated ? "true" : "false");
    return true;
}

/* "NAME [0: 0-400] (0.00 MB) ": one tensor of max_size, whose name may hold anything. */
static bool parse_held(struct sw_scan *scan, struct piece *name, uint64_t figures[3]) {
    const char *from = scan->at;
    for (const char *at = from; (at = sw_scan_find(at, scan->end, " [")) != scan->end; at++) {
        scan->at = at + 2;
        int64_t chunk;
        if (!number_up_to(scan, MOST_COUNT, &chunk) || !sw_scan_word(scan, ": ")) {
            continue;
        }
        unsigned long long ends[2] = {0, 0};
        bool good = true;
        for (int i = 0; i < 2 && good; i++) {
            const char *digits = scan->at;
            while (scan->at < scan->end && strchr("0123456789abcdef", *scan->at)) {
                ends[i] = ends[i] << 4 | (unsigned)(*scan->at <= '9' ? *scan->at - '0' : *scan->at - 'a' + 10);
                scan->at++;
            }
            good = scan->at > digits && scan->at - digits <= 15 && sw_scan_word(scan, i ? "] (" : "-");
        }
        if (good && sw_scan_past(scan, " MB) ")) {
            *name = piece(from, at);
            figures[0] = (uint64_t)chunk;
            figures[1] = ends[0];
            figures[2] = ends[1];
            return true;
        }
    }
    scan->at = from;
    return false;
}

/* "0] = 0.00 MB: tensors: ..." */
static bool read_max_size(struct reader *reader) {
    struct sw_scan *scan = &reader->scan;
    struct sw_log *log = &reader->log;
    struct piece name;
    uint64_t figures[3];
    int64_t chunk;
    bool any = false;
    if (!reader->any || !number_up_to(scan, MOST_COUNT, &chunk) || !sw_scan_past(scan, "tensors: ")) {
        return true;
    }
    sw_sink_printf(&log->body,
                   "{\"state\":\"max_size[%" PRId64 "]\",\"columns\":[\"tensor\",\"chunk\",\"offset\",\"end\"],"
                   "\"kinds\":[\"buffer\",\"count\",\"offset\",\"offset\"],\"rows\":[",
                   chunk);
    while (parse_held(scan, &name, figures)) {
        const char *copy = sw_log_copy(log, name.text, name.length);
        uint32_t number = copy ? ggml_blocks_at(&reader->blocks, copy, (int64_t)figures[0], figures[1]) : SW_NONE;
        sw_sink_printf(&log->body, "%s[", any ? "," : "");
        if (number != SW_NONE) {
            sw_sink_json(&log->body, reader->blocks.all.items[number].id);
        } else {
            sw_log_text(log, &log->body, name.text, name.length);
        }
        sw_sink_printf(&log->body, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 "]", figures[0], figures[1], figures[2]);
        any = true;
    }
    sw_sink_printf(&log->body, "]}\n");
    return true;
}

/* "ggml_gallocr_reserve_n_impl: reallocating NAME buffer from size 0.00 MiB to 3.06 MiB": after a run, for each back end */
static bool read_reserve(struct reader *reader) {
    struct sw_scan *scan = &reader->scan;
    if (!reader->any || !sw_scan_past(scan, ": reallocating ")) {
        return true;
    }
    if (!settle(reader)) {
        return false;
    }
    put_rows(reader);
    put_decision(reader, "reallocating", NULL);
    sw_log_field(&reader->log, "reason", scan->at, (size_t)(scan->end - scan->at));
    sw_log_end(&reader->log, scan->line);
    reader->over = true;
    return true;
}

/* ---- the whole ---- */

enum word {
    WORD_ALLOC, WORD_FREE, WORD_FREE_OLD, WORD_NOT_REUSE, WORD_REUSE_VIEW, WORD_REUSE, WORD_EXTRA, WORD_KEPT, WORD_EXEC,
    WORD_PARENT, WORD_VIEW, WORD_MAX_SIZE, WORD_NEEDS, WORD_AUTOMATIC, WORD_RESERVE, WORD_COUNT
};
static const char *const words[WORD_COUNT] = {
    [WORD_ALLOC] = ALLOCATING,
    [WORD_FREE] = "ggml_gallocr_free_node: freeing ",
    [WORD_FREE_OLD] = "ggml_dyn_tallocr_free_tensor: freeing ",
    [WORD_NOT_REUSE] = "not reusing parent ",
    [WORD_REUSE_VIEW] = "reusing view parent ",
    [WORD_REUSE] = "reusing parent ",
    [WORD_EXTRA] = "freeing extra ",
    [WORD_KEPT] = "not freeing output ",
    [WORD_EXEC] = "exec: ",
    [WORD_PARENT] = "parent ",
    [WORD_VIEW] = "view_src ",
    [WORD_MAX_SIZE] = "max_size[",
    [WORD_NEEDS] = "ggml_gallocr_needs_realloc: ",
    [WORD_AUTOMATIC] = "ggml_gallocr_alloc_graph: reallocating buffers automatically",
    [WORD_RESERVE] = "ggml_gallocr_reserve_n",
};

/* What a line says first decides what it is: a logger's prefix stands before it, names behind it. */
static enum word find_word(struct sw_scan *scan) {
    const char *first = scan->end;
    enum word found = WORD_COUNT;
    for (int i = 0; i < WORD_COUNT; i++) {
        const char *at = sw_scan_find(scan->at, first == scan->end ? scan->end : first + strlen(words[found]), words[i]);
        bool there = (size_t)(scan->end - at) >= strlen(words[i]) && memcmp(at, words[i], strlen(words[i])) == 0;
        if (there && at < first) {
            first = at;
            found = (enum word)i;
        }
    }
    scan->at = found == WORD_COUNT ? scan->at : first + strlen(words[found]);
    return found;
}

static bool read_line(struct reader *reader) {
    enum word word = find_word(&reader->scan);
    bool good = true;
    switch (word) {
    case WORD_ALLOC:
        good = read_alloc(reader);
        break;
    case WORD_FREE:
    case WORD_FREE_OLD:
        good = read_free(reader);
        break;
    case WORD_NOT_REUSE:
        good = read_not_reuse(reader);
        break;
    case WORD_REUSE_VIEW:
    case WORD_REUSE:
        good = read_reuse(reader, word == WORD_REUSE_VIEW);
        break;
    case WORD_EXTRA:
        return read_extra(reader);
    case WORD_KEPT:
        good = read_kept(reader);
        break;
    case WORD_EXEC:
        good = read_exec(reader);
        break;
    case WORD_PARENT:
    case WORD_VIEW:
        good = read_counts(reader, word == WORD_VIEW);
        break;
    case WORD_MAX_SIZE:
        return read_max_size(reader);
    case WORD_RESERVE:
        good = read_reserve(reader);
        break;
    case WORD_NEEDS:
    case WORD_AUTOMATIC:
        reader->over = reader->any;
        break;
    case WORD_COUNT:
        return true;
    }
    reader->after_extra = false;
    return good;
}

static size_t count_lines(const struct sw_input *input) {
    size_t count = 1;
    for (const char *at = sw_text_begin(input), *end = sw_text_end(input);
         at < end && (at = memchr(at, '\n', (size_t)(end - at))); at++) {
        count++;
    }
    return count;
}

static bool ggml_rewrite(const struct sw_input *input, const struct sw_load_options *options, struct sw_sink *sink,
                         struct sw_error *error) {
    struct sw_error own = {0};
    struct reader reader = {.log = {.out = sink, .planner = "ggml"}, .error = &own, .waiting = SW_NONE};
    (void)options;
    if (!sw_text_check(input, error)) {
        return false;
    }
    sw_scan_open(&reader.scan, input);
    reader.names = count_lines(input);
    bool good = true;
    while (good && sw_scan_line(&reader.scan)) {
        good = read_line(&reader);
    }
    good = good && end_run(&reader, reader.cut == 0 && !reader.named) &&
           (sink->text.count > 0 || sink->failed ||
            sw_scan_fail(&reader.scan, &own, "the log ends before the allocator's first whole line"));
    ggml_blocks_done(&reader.blocks);
    sw_sink_done(&reader.rows);
    good = sw_log_done(&reader.log, good, &own);
    if (!good && error) {
        *error = own;
    }
    return good;
}

/* A line that nothing else prints; a name of a function, a tensor, its size. */
static bool ggml_detect(const struct sw_input *input) {
    const char *begin = sw_text_begin(input), *end = sw_text_end(input);
    size_t look = input->length < 4096 ? input->length : 4096;
    if (begin == end || *begin == '{' || *begin == '<' || memchr(input->bytes, '\0', look)) {
        return false;
    }
    const char *found = sw_scan_find(begin, end, ALLOCATING);
    const char *stop = found < end ? memchr(found, '\n', (size_t)(end - found)) : NULL;
    stop = stop ? stop : end;
    const char *bytes = found < end ? sw_scan_find(found, stop, " bytes) - ") : stop;
    return bytes != stop;
}

const struct sw_format sw_format_ggml_log = {
    .name = "ggml-log",
    .summary = "what ggml's graph allocator prints with AT_PRINTF: its decisions; time is the number of the event",
    .extensions = ".log",
    .detect = ggml_detect,
    .rewrite = ggml_rewrite,
    .locate = sw_log_locate,
};
