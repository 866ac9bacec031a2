/* Names in columns that are too narrow for them. Names of tensors are paths: they lose first what most of them
 * begin with, then parts of their middle, last of all the part that tells them from the others. */
#include "view/scene/short_names.h"
#include "base/base.h"
#include "view/view.h"

#define SEPARATORS "/;:"
enum { PATH_PARTS = 32 };

struct path_part {
    size_t from, length; /* without the separator after it */
};
struct path {
    const char *text;
    struct path_part parts[PATH_PARTS];
    size_t count;
};

/* A path of very many parts has the rest of them in its last. */
static void split_path(struct path *path, const char *text) {
    size_t at = strspn(text, SEPARATORS);
    *path = (struct path){.text = text};
    size_t from = 0; /* separators at the start belong to the first part */
    while (path->count < PATH_PARTS) {
        at += path->count + 1 < PATH_PARTS ? strcspn(text + at, SEPARATORS) : strlen(text + at);
        path->parts[path->count++] = (struct path_part){from, at - from};
        if (!text[at]) {
            break;
        }
        from = at += strspn(text + at, SEPARATORS);
    }
}

void sw_short_open(struct sw_short *names) {
    /* Part by part: what more than half of the names go on with. */
    for (;;) {
        const char *model = NULL;
        size_t votes = 0, length = 0, holders = 0;
        for (int pass = 0; pass < 2; pass++) {
            for (size_t i = 0; i < names->count; i++) {
                const char *name = names->items[i];
                if (names->lead && strncmp(name, names->model, names->lead) != 0) {
                    continue;
                }
                size_t end = names->lead + strcspn(name + names->lead, SEPARATORS);
                end += strspn(name + end, SEPARATORS);
                bool same = name[end] && end == length && strncmp(name, model, end) == 0;
                if (pass == 1) {
                    holders += same;
                } else if (votes == 0 && name[end]) {
                    model = name;
                    length = end;
                    votes = 1;
                } else {
                    votes += same ? 1 : votes > 0 ? (size_t)-1 : 0;
                }
            }
        }
        if (holders < 2 || 2 * holders <= names->count) {
            return;
        }
        names->model = model;
        names->lead = length;
    }
}

static const char *rest_of(const struct sw_short *names, const char *name) {
    bool leads = names->lead && strncmp(name, names->model, names->lead) == 0;
    return leads && name[names->lead] ? name + names->lead : name;
}

/* Does a part stand in another of the names? */
static bool is_shared(const struct sw_short *names, const char *name, const char *part, size_t length) {
    for (size_t i = 0; i < names->count; i++) {
        const char *other = names->items[i];
        if (strcmp(other, name) == 0) {
            continue;
        }
        for (const char *at = other; *at;) {
            size_t span = strcspn(at, SEPARATORS);
            if (span == length && strncmp(at, part, length) == 0) {
                return true;
            }
            at += span;
            at += *at != '\0';
        }
    }
    return false;
}

/* Do others end like this, from a part on? */
static bool is_shared_end(const struct sw_short *names, const char *name, const char *end) {
    size_t length = strlen(end);
    for (size_t i = 0; i < names->count; i++) {
        size_t all = strlen(names->items[i]);
        if (strcmp(names->items[i], name) != 0 && all >= length && strcmp(names->items[i] + all - length, end) == 0) {
            return true;
        }
    }
    return false;
}

/* The parts that are kept, "..." for what lies between them. False: they need more than `width`. */
static bool render(const struct path *path, const bool *keep, unsigned width, char *out, size_t size) {
    size_t used = 0, next = 0; /* the part that would follow without a gap */
    char text[1024] = "";
    for (size_t i = 0; i < path->count; i++) {
        const struct path_part *part = &path->parts[i];
        if (!keep[i]) {
            continue;
        }
        const char *before = "";
        char between[8] = "";
        if (i > 0 && i == next) {
            size_t from = path->parts[i - 1].from + path->parts[i - 1].length;
            snprintf(between, sizeof between, "%.*s", (int)(part->from - from), path->text + from);
        } else if (i > next) {
            before = next > 0 ? "/.../" : ".../";
        }
        if (used + part->length + 16 > sizeof text) {
            return false;
        }
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s%.*s", before, between, (int)part->length,
                                 path->text + part->from);
        next = i + 1;
    }
    if (next < path->count && used + 8 < sizeof text) {
        snprintf(text + used, sizeof text - used, "/...");
    }
    if (sw_view_columns(text) > width || strlen(text) >= size) {
        return false;
    }
    snprintf(out, size, "%s", text);
    return true;
}

/* Where so many letters from the beginning end, and where so many at the end begin. */
static size_t letters_from_start(const char *text, size_t count) {
    size_t at = 0;
    for (; count > 0 && text[at]; count--) {
        for (at++; ((unsigned char)text[at] & 0xc0) == 0x80; at++) {
        }
    }
    return at;
}

static size_t letters_from_end(const char *text, size_t count) {
    size_t at = strlen(text);
    for (; count > 0 && at > 0; count--) {
        for (at--; at > 0 && ((unsigned char)text[at] & 0xc0) == 0x80; at--) {
        }
    }
    return at;
}

/* How many other names would look like this one, if `head` letters of the beginning and `tail` of the end are kept. */
static size_t count_alike(const struct sw_short *names, const char *name, size_t head, size_t tail) {
    size_t alike = 0, start = letters_from_start(name, head), end = letters_from_end(name, tail),
           rest = strlen(name) - end;
    for (size_t i = 0; i < names->count; i++) {
        const char *other = rest_of(names, names->items[i]);
        size_t length = strlen(other);
        alike += length >= start && length >= rest && strncmp(other, name, start) == 0 &&
                 strcmp(other + length - rest, name + end) == 0 && strcmp(other, name) != 0;
    }
    return alike;
}

/* How many letters of the beginning are kept: half of them, or as many more or fewer as tell it from most of the
 * others. */
static size_t choose_head(const struct sw_short *names, const char *name, unsigned width) {
    size_t room = width - 3, half = (room + 1) / 2, best = half, least = SIZE_MAX;
    for (size_t off = 0; off <= room && least > 0; off++) {
        for (int side = 0; side < (off ? 2 : 1); side++) {
            size_t head = side ? half + off : half - off; /* beyond 0 it wraps, and is too large */
            size_t alike = head <= room ? count_alike(names, name, head, room - head) : SIZE_MAX;
            if (alike < least) {
                least = alike;
                best = head;
            }
        }
    }
    return best;
}

/* Both ends of the letters. */
static void cut_middle(const char *text, size_t length, unsigned width, size_t head, char *out, size_t size) {
    size_t columns = 0, tail = width - 3 - head, at = 0, used = 0;
    for (size_t i = 0; i < length; i++) {
        columns += ((unsigned char)text[i] & 0xc0) != 0x80;
    }
    for (size_t i = 0; i < length && used + 8 < size; i++) {
        at += ((unsigned char)text[i] & 0xc0) != 0x80;
        if (at <= head || at > columns - tail || columns <= width) {
            out[used++] = text[i];
        } else if (at == head + 1 && ((unsigned char)text[i] & 0xc0) != 0x80) {
            memcpy(out + used, "...", 3);
            used += 3;
        }
    }
    out[used] = '\0';
}

/* What tells the name from the others: the last part that no other has, else the shortest end. */
static void find_core(const struct sw_short *names, const char *name, const struct path *path, size_t *from,
                      size_t *to) {
    *to = path->count;
    for (size_t i = path->count; i-- > 0;) {
        const struct path_part *part = &path->parts[i];
        if (!is_shared(names, name, path->text + part->from, part->length)) {
            *from = i;
            *to = i + 1;
            return;
        }
    }
    for (*from = path->count - 1; *from > 0 && is_shared_end(names, name, path->text + path->parts[*from].from);
         --*from) {
    }
}

void sw_short_name(const struct sw_short *names, const char *name, unsigned width, char *out, size_t size) {
    const char *rest = rest_of(names, name);
    bool keep[PATH_PARTS] = {false};
    struct path path;
    if (sw_view_columns(rest) <= width || width < 6) {
        snprintf(out, size, "%s", rest);
        return;
    }
    size_t from = 0, to = 0;
    split_path(&path, rest);
    find_core(names, name, &path, &from, &to);
    for (size_t i = from; i < to; i++) {
        keep[i] = true;
    }
    if (path.count == 1 || !render(&path, keep, width, out, size)) {
        size_t at = path.parts[from].from, end = path.parts[to - 1].from + path.parts[to - 1].length;
        size_t head = path.count == 1 ? choose_head(names, rest, width) : (width - 2) / 2;
        cut_middle(rest + at, end - at, width, head, out, size);
        return;
    }
    /* Then the end, the beginning, and as much of the middle as there is room for. */
    for (size_t n = 0; n < path.count + 1; n++) {
        size_t i = n == 0 ? path.count - 1 : n - 1;
        bool was = keep[i];
        keep[i] = true;
        if (!was && !render(&path, keep, width, out, size)) {
            keep[i] = false;
        }
    }
}
