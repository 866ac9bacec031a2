/* Which code asked for the memory: the frames of a stack as a few lines of text, those that say most
 * first: the Python of the program itself, then that of libraries, then C++, and the allocator
 * if there is nothing else. */
#include "formats/pytorch/pytorch.h"
#include "base/base.h"
#include "base/sort.h"

enum { MOST_STACK_FRAMES = 256, MOST_STACK_LINES = 8, NAME_BYTES = 120, FILE_BYTES = 80, LINE_BYTES = 256 };
enum { FRAME_OWN, FRAME_LIBRARY, FRAME_NATIVE, FRAME_ALLOCATOR };

struct snapshot_frame {
    const char *name, *file;
    size_t name_length, file_length;
    int64_t line;
    unsigned rank;
};

static bool contains(const char *text, size_t length, const char *part) {
    return length > 0 && memmem(text, length, part, strlen(part)) != NULL;
}

static bool any_of(const char *text, size_t length, const char *const *parts, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (contains(text, length, parts[i])) {
            return true;
        }
    }
    return false;
}

static unsigned frame_rank(const struct snapshot_frame *frame) {
    static const char *const libraries[] = {"site-packages/", "dist-packages/", "/torch/", "lib/python", "<frozen"};
    static const char *const allocators[] = {"CachingAllocator", "torch::unwind", "CapturedTraceback",
                                             "gather_with_cpp"};
    bool python = frame->file_length > 3 && memcmp(frame->file + frame->file_length - 3, ".py", 3) == 0;
    if (python) {
        return any_of(frame->file, frame->file_length, libraries, sizeof libraries / sizeof *libraries) ? FRAME_LIBRARY
                                                                                                        : FRAME_OWN;
    }
    return any_of(frame->name, frame->name_length, allocators, sizeof allocators / sizeof *allocators) ? FRAME_ALLOCATOR
                                                                                                       : FRAME_NATIVE;
}

static bool read_snapshot_frame(struct snapshot *snapshot, uint32_t value, struct snapshot_frame *frame) {
    uint32_t name, file, line;
    *frame = (struct snapshot_frame){.name = "", .file = ""};
    if (!SNAPSHOT_FIELDS(snapshot, "a frame", value, {"name", &name}, {"filename", &file}, {"line", &line})) {
        return false;
    }
    const char *name_text = name == SW_NONE ? NULL : sw_pickle_text(&snapshot->pickle, name, &frame->name_length);
    const char *file_text = file == SW_NONE ? NULL : sw_pickle_text(&snapshot->pickle, file, &frame->file_length);
    frame->name = name_text ? name_text : "";
    frame->file = file_text ? file_text : "";
    if (line != SW_NONE) {
        sw_pickle_integer(&snapshot->pickle, line, &frame->line);
    }
    if (frame->file_length == 2 && memcmp(frame->file, "??", 2) == 0) {
        frame->file_length = 0;
    }
    frame->rank = frame_rank(frame);
    return true;
}

/* ---- text ---- */

/* Append at most `room` bytes, as UTF-8 without control characters. */
static size_t add_clean(char *to, size_t room, const char *text, size_t length) {
    length = sw_utf8_cut(text, length, room);
    for (size_t done = 0, wide; done < length; done += wide) {
        uint32_t code = 0;
        wide = sw_utf8_decode(text + done, length - done, &code);
        bool good = wide > 0 && code >= 0x20 && (code < 0x7f || code >= 0xa0);
        wide = good ? wide : 1;
        memcpy(to + done, good ? text + done : "?", wide);
    }
    return length;
}

/* "forward (model.py:12)"; a name keeps its beginning, a path its end. */
static size_t write_frame_line(char *to, const struct snapshot_frame *frame) {
    size_t used = add_clean(to, NAME_BYTES, frame->name, frame->name_length);
    const char *file = frame->file;
    size_t length = frame->file_length, most = FILE_BYTES;
    used += add_clean(to + used, 3, "...", frame->name_length > NAME_BYTES ? 3 : 0);
    if (frame->name_length == 0) {
        used = add_clean(to, 1, "?", 1);
    }
    if (length == 0) {
        return used;
    }
    size_t over = length > most ? length - most : 0;
    while (over > 0 && over < length && ((unsigned char)file[over] & 0xc0) == 0x80) {
        over++;
    }
    used += add_clean(to + used, 2, " (", 2);
    used += add_clean(to + used, 3, "...", over ? 3 : 0);
    used += add_clean(to + used, most, file + over, length - over);
    if (frame->line > 0) {
        char number[24];
        int digits = snprintf(number, sizeof number, ":%" PRId64, frame->line);
        used += add_clean(to + used, sizeof number, number, (size_t)digits);
    }
    return used + add_clean(to + used, 1, ")", 1);
}

static const char *make_stack_text(struct snapshot *snapshot, const struct snapshot_frame *frames, size_t count) {
    char text[MOST_STACK_LINES * (LINE_BYTES + 1)];
    size_t used = 0, lines = 0;
    /* The allocator's own frames only where there are no others. */
    for (unsigned rank = FRAME_OWN; rank <= FRAME_ALLOCATOR && (rank < FRAME_ALLOCATOR || !lines); rank++) {
        for (size_t i = 0; i < count && lines < MOST_STACK_LINES; i++) {
            if (frames[i].rank == rank) {
                text[used] = '\n';
                used += lines > 0;
                used += write_frame_line(text + used, &frames[i]);
                lines++;
            }
        }
    }
    return sw_arena_string(&snapshot->arena, text, used);
}

static bool make_stack(struct snapshot *snapshot, struct snapshot_stack *stack) {
    struct snapshot_frame frames[MOST_STACK_FRAMES];
    struct sw_pickle_walk walk = sw_pickle_walk(&snapshot->pickle, stack->frames);
    size_t count = 0;
    uint32_t item;
    if (sw_pickle_type(&snapshot->pickle, stack->frames) != SW_PICKLE_LIST) {
        return true;
    }
    while (count < MOST_STACK_FRAMES && sw_pickle_next(&walk, &item)) {
        if (!snapshot_visit(snapshot) || !read_snapshot_frame(snapshot, item, &frames[count])) {
            return false;
        }
        count++;
    }
    if (count == 0) {
        return true;
    }
    if (snapshot->arena.bytes > 4 * snapshot->input->length + 65536) {
        snapshot->cut_stacks++;
        return true;
    }
    stack->text = make_stack_text(snapshot, frames, count);
    return stack->text || sw_fail_memory(snapshot->error);
}

/* ---- which there are ---- */

SW_BY_FIELDS(compare_stacks, struct snapshot_stack, SW_UP(frames))

static bool add_stack(struct snapshot *snapshot, uint32_t frames) {
    struct snapshot_stack stack = {.frames = frames};
    size_t count = snapshot->stacks.count;
    return frames == SW_NONE || (count > 0 && snapshot->stacks.items[count - 1].frames == frames) ||
           SW_PUSH(&snapshot->stacks, stack) || sw_fail_memory(snapshot->error);
}

bool snapshot_stacks(struct snapshot *snapshot) {
    for (size_t i = 0; i < snapshot->events.count; i++) {
        const struct snapshot_event *event = &snapshot->events.items[i];
        bool shown = event->action == ACTION_ALLOC || (event->action == ACTION_OOM && !snapshot->history);
        if (shown && !add_stack(snapshot, event->frames)) {
            return false;
        }
    }
    for (size_t i = 0; i < snapshot->blocks.count; i++) {
        if (!add_stack(snapshot, snapshot->blocks.items[i].frames)) {
            return false;
        }
    }
    struct snapshot_stack *stacks = snapshot->stacks.items;
    snapshot->stacks.count = sw_sort_unique(stacks, snapshot->stacks.count, sizeof *stacks, compare_stacks);
    for (size_t i = 0; i < snapshot->stacks.count; i++) {
        if (!make_stack(snapshot, &stacks[i])) {
            return false;
        }
    }
    return true;
}

const char *snapshot_stack_of(const struct snapshot *snapshot, uint32_t frames) {
    const struct snapshot_stack *stacks = snapshot->stacks.items;
    size_t at = SW_FIRST(i, snapshot->stacks.count, stacks[i].frames >= frames);
    return at < snapshot->stacks.count && stacks[at].frames == frames ? stacks[at].text : NULL;
}
