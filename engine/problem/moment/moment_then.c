/* A moment, and requests that go on from there, as one problem: the blocks that the moment shows are its first buffers.
 */
#include "base/base.h"
#include "base/sort.h"
#include "problem/problem_internal.h"

/* ---- does it show all of a heap? ---- */

bool sw_moment_fail_part(struct sw_error *error, const char *what, uint64_t address) {
    return sw_fail(error, SW_ERROR_UNSUPPORTED, "no request can follow this moment: %s, at 0x%" PRIx64, what, address);
}

bool sw_moment_is_whole(const struct sw_moment *moment, struct sw_error *error) {
    const char *allocator = moment->segments.count > 0 ? moment->segments.items[0].allocator : NULL;
    for (size_t i = 0; i < moment->segments.count; i++) {
        const struct sw_moment_segment *segment = &moment->segments.items[i];
        if (segment->address == SW_UNTOLD || segment->allocator != allocator) {
            return sw_fail(error, SW_ERROR_UNSUPPORTED, "no request can follow this moment: %s",
                           segment->address == SW_UNTOLD ? "it does not tell the address of each segment"
                                                         : "it is of several allocators");
        }
        if (segment->implied) {
            return sw_moment_fail_part(error, "it does not tell the segment of the blocks", segment->address);
        }
    }
    for (size_t i = 0; i < moment->blocks.count; i++) {
        const struct sw_moment_block *block = &moment->blocks.items[i];
        if (block->address == SW_UNTOLD) {
            return sw_fail(error, SW_ERROR_UNSUPPORTED,
                           "no request can follow this moment: it does not tell the address of each block");
        }
        if (block->state == SW_HELD_UNTOLD) {
            return sw_moment_fail_part(error, "it does not tell what is in part of a segment", block->address);
        }
    }
    return moment->segments.count > 0 ||
           sw_fail(error, SW_ERROR_UNSUPPORTED,
                   "no request can follow this moment: it shows no segments with the blocks in them");
}

uint32_t sw_moment_named(const struct sw_moment *moment, const char *id) {
    const struct sw_moment_block *blocks = moment->blocks.items;
    char *end;
    uint64_t address = strncmp(id, "0x", 2) == 0 ? strtoull(id, &end, 16) : SW_UNTOLD;
    for (size_t i = 0; i < moment->blocks.count; i++) {
        if (blocks[i].name && blocks[i].state == SW_HELD_USED && strcmp(blocks[i].name, id) == 0) {
            return (uint32_t)i;
        }
    }
    size_t at = address == SW_UNTOLD || *end ? moment->blocks.count
                                             : SW_FIRST(i, moment->blocks.count, blocks[i].address >= address);
    bool found = at < moment->blocks.count && blocks[at].address == address && blocks[at].state == SW_HELD_USED;
    return found ? (uint32_t)at : SW_NONE;
}

/* ---- the problem ---- */

/* What is being made: names that are in use, and the last time; of each block of the moment its last time and its
 * number in the run; of each buffer of the table its number in the run, or first the block that it is. */
struct then_maker {
    struct sw_builder *builder;
    struct sw_names names;
    struct sw_arena texts;
    int64_t last, *ends;
    uint32_t *held, *numbers;
    struct sw_error *error;
};

/* A name that nothing else has: the block's own, else its address. */
static const char *name_held(struct then_maker *maker, const struct sw_moment_block *block) {
    char text[64];
    const char *name = block->name;
    for (unsigned more = 0; !name || sw_names_find(&maker->names, name, strlen(name)) != SW_NONE; more++) {
        int length = more == 0 ? snprintf(text, sizeof text, "0x%" PRIx64, block->address)
                               : snprintf(text, sizeof text, "0x%" PRIx64 "#%u", block->address, more);
        name = text;
        if (sw_names_find(&maker->names, text, (size_t)length) == SW_NONE &&
            !(name = sw_arena_string(&maker->texts, text, (size_t)length))) {
            return NULL;
        }
    }
    return sw_names_set(&maker->names, name, strlen(name), 0) ? name : NULL;
}

static bool add_block_before(struct then_maker *maker, const struct sw_moment_block *block, int64_t last) {
    const char *name = name_held(maker, block);
    struct sw_buffer_spec spec = {.name = name,
                                  .kind = SW_KIND_INTERMEDIATE,
                                  .has_size = true,
                                  .size = block->size,
                                  .has_first = true,
                                  .has_last = true,
                                  .first = -1,
                                  .last = last,
                                  .asked = block->requested == SW_UNTOLD ? 0 : block->requested,
                                  .before = true,
                                  .origin = block->origin};
    return name ? sw_builder_buffer(maker->builder, &spec, maker->error) : sw_fail_memory(maker->error);
}

static bool add_request_asked(struct then_maker *maker, const struct sw_problem *asked, uint32_t number) {
    const struct sw_buffer *buffer = sw_problem_buffer(asked, number);
    struct sw_buffer_spec spec = {.name = buffer->name,
                                  .kind = SW_KIND_INTERMEDIATE,
                                  .has_size = true,
                                  .size = buffer->size,
                                  .has_first = true,
                                  .has_last = true,
                                  .first = sw_problem_time(asked, buffer->first),
                                  .last = sw_problem_time(asked, buffer->last + 1) - 1,
                                  .origin = buffer->origin};
    return sw_builder_buffer(maker->builder, &spec, maker->error);
}

static int64_t time_of_last(const struct sw_requests *requests) {
    int64_t last = -1;
    for (size_t i = 0; i < requests->items.count; i++) {
        last = SW_MAX(last, (int64_t)requests->items.items[i].time);
    }
    return last;
}

/* What the moment shows in the requests, with the numbers of the run's buffers. */
static bool begin_with_held(struct sw_requests *requests, const struct sw_moment *moment, const uint32_t *numbers) {
    for (size_t i = 0; i < requests->items.count; i++) {
        struct sw_request *request = &requests->items.items[i];
        request->buffer = request->buffer == SW_NONE ? SW_NONE : numbers[request->buffer];
        request->over = request->kind == SW_REQUEST_OVER ? numbers[request->over] : request->over;
    }
    requests->moment = sw_moment_ref(moment);
    requests->allocator = moment->planner ? moment->planner : "";
    return sw_moment_put_known(moment, requests);
}

/* Which names are in use, and which blocks the table gives back, and when. */
static bool find_given_back(struct then_maker *maker, const struct sw_moment *moment, const struct sw_problem *asked) {
    for (size_t i = 0; i < moment->blocks.count; i++) {
        maker->ends[i] = maker->last;
    }
    for (uint32_t i = 0; i < sw_problem_buffer_count(asked); i++) {
        const struct sw_buffer *buffer = sw_problem_buffer(asked, i);
        maker->numbers[i] = buffer->before ? sw_moment_named(moment, buffer->name) : SW_NONE;
        if (maker->numbers[i] != SW_NONE) {
            maker->ends[maker->numbers[i]] = sw_problem_time(asked, buffer->last + 1) - 1;
        } else if (!sw_names_set(&maker->names, buffer->name, strlen(buffer->name), 0)) {
            return sw_fail_memory(maker->error);
        }
    }
    return true;
}

static bool add_buffers(struct then_maker *maker, const struct sw_moment *moment, const struct sw_problem *asked) {
    bool good = find_given_back(maker, moment, asked);
    uint32_t count = 0;
    for (size_t i = 0; good && i < moment->blocks.count; i++) {
        maker->held[i] = count;
        if (sw_held_is_taken(&moment->blocks.items[i])) {
            good = add_block_before(maker, &moment->blocks.items[i], maker->ends[i]);
            count++;
        }
    }
    for (uint32_t i = 0; good && i < sw_problem_buffer_count(asked); i++) {
        bool held = maker->numbers[i] != SW_NONE;
        good = held || add_request_asked(maker, asked, i);
        maker->numbers[i] = held ? maker->held[maker->numbers[i]] : count++;
    }
    return good;
}

bool sw_moment_then(const struct sw_moment *moment, const struct sw_problem *asked, struct sw_builder *builder,
                    struct sw_error *error) {
    const struct sw_requests *told = sw_problem_told_requests(asked);
    if (!told || told->blocks.count > 0 || told->segments.count > 0 || told->moment) {
        return sw_fail(error, SW_ERROR_UNSUPPORTED, "--then takes a table of requests: event,id,size,stream");
    }
    if (!sw_moment_is_whole(moment, error)) {
        return false;
    }
    size_t blocks = moment->blocks.count, buffers = sw_problem_buffer_count(asked);
    struct then_maker maker = {.builder = builder,
                               .last = time_of_last(told),
                               .ends = SW_NEW(int64_t, blocks + 1),
                               .held = SW_NEW(uint32_t, blocks + 1),
                               .numbers = SW_NEW(uint32_t, buffers + 1),
                               .error = error};
    bool good = (maker.ends && maker.held && maker.numbers) || sw_fail_memory(error);
    good = good && add_buffers(&maker, moment, asked);
    struct sw_requests *requests = good ? sw_requests_copy(told) : NULL;
    good = good && ((requests && begin_with_held(requests, moment, maker.numbers)) || sw_fail_memory(error));
    if (good) {
        sw_builder_requests(builder, requests);
    }
    sw_requests_unref(requests);
    SW_FREE(maker.ends, blocks + 1);
    SW_FREE(maker.held, blocks + 1);
    SW_FREE(maker.numbers, buffers + 1);
    sw_names_done(&maker.names);
    sw_arena_done(&maker.texts);
    return good && sw_builder_note(builder, "what the moment shows is there before, at time -1", error);
}

bool sw_moment_put_known(const struct sw_moment *moment, struct sw_requests *requests) {
    static const enum sw_known_state states[SW_HELD_STATES] = {
        [SW_HELD_USED] = SW_KNOWN_USED, [SW_HELD_FREE] = SW_KNOWN_FREE, [SW_HELD_WAITING] = SW_KNOWN_WAITING};
    uint32_t held = 0;
    bool good = true;
    for (size_t i = 0; good && i < moment->blocks.count; i++) {
        const struct sw_moment_block *from = &moment->blocks.items[i];
        bool is_free = from->state == SW_HELD_FREE;
        struct sw_known_block to = {.address = from->address,
                                    .size = from->size,
                                    .requested = is_free ? 0 : SW_MIN(from->requested, from->size),
                                    .buffer = is_free ? SW_NONE : held++,
                                    .state = states[from->state]};
        good = SW_PUSH(&requests->blocks, to);
    }
    return good;
}
