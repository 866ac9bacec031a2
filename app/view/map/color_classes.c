/* What the color of a block says.
 *
 * Texts (the types of operators, the stacks) have a hue each, from the one that their letters ask for on, those with
 * the most bytes first, so that a type keeps its color from model to model mostly; what has no hue of its own shares
 * the last. Sizes and lifetimes are a scale of one hue, from pale to strong. */
#include "view/map/color_classes.h"
#include "base/base.h"
#include "base/names.h"
#include "base/sort.h"
#include "problem/moment/moment.h"

static const char *const coloring_words[SW_COLORINGS_COUNT + 1] = {
#define X(id, word) word,
    SW_COLORINGS(X)
#undef X
};
const char *const *const sw_coloring_words = coloring_words;

static const char *class_text(const struct sw_problem *problem, uint32_t b, enum sw_coloring by) {
    const struct sw_buffer *buffer = sw_problem_buffer(problem, b);
    uint32_t producer = sw_problem_producer(problem, b);
    if (by == SW_COLOR_STACK) {
        return buffer->origin ? buffer->origin : "not told";
    }
    if (producer == SW_NONE) {
        return buffer->kind == SW_KIND_SCRATCH ? "scratch" : "input";
    }
    const char *kind = sw_problem_operator(problem, producer)->kind;
    return *kind ? kind : "no type";
}

struct text_class {
    const char *text;
    uint64_t bytes;
    uint32_t number;
};
static int class_bytes_first(const void *of_a, const void *of_b) {
    const struct text_class *a = of_a, *b = of_b;
    return a->bytes != b->bytes ? SW_COMPARE(b->bytes, a->bytes) : strcmp(a->text, b->text);
}

struct text_classes {
    struct sw_names names;
    SW_ARRAY(struct text_class) list; /* by number, later by bytes */
    uint32_t *of;                     /* per buffer, its number */
};

/* `of`: per buffer, the number of its text; NULL: they are only counted. */
static bool number_texts(struct text_classes *texts, const struct sw_problem *problem, enum sw_coloring by,
                         uint32_t *of) {
    uint32_t count = sw_problem_buffer_count(problem);
    bool good = true;
    const char *last = NULL;
    uint32_t number = SW_NONE;
    for (uint32_t b = 0; good && b < count; b++) {
        if (!sw_problem_buffer(problem, b)->planned) {
            continue;
        }
        const char *text = class_text(problem, b, by);
        uint32_t *at = text == last ? &number : sw_names_at(&texts->names, text, strlen(text));
        if (at && *at == SW_NONE) {
            *at = (uint32_t)texts->list.count;
            good = SW_PUSH(&texts->list, ((struct text_class){text, 0, *at}));
        }
        good = good && at;
        if (good) {
            last = text;
            number = *at;
            if (of) {
                of[b] = number;
            }
            texts->list.items[number].bytes += sw_problem_buffer(problem, b)->size;
        }
    }
    return good;
}

static void free_texts(struct text_classes *texts, size_t buffers) {
    sw_names_done(&texts->names);
    SW_FREE(texts->of, buffers + 1);
    SW_ARRAY_DONE(&texts->list);
}

static unsigned text_hue(const char *text) {
    uint64_t sum = 0;
    for (; *text; text++) {
        sum = sum * 131 + (unsigned char)*text;
    }
    return (unsigned)(sw_mix(sum) % SW_HUES);
}

/* `hues`: of each class by its number. */
static void give_hues(struct sw_color_classes *classes, struct text_classes *texts, uint8_t *hues) {
    size_t count = texts->list.count, own = count <= SW_HUES ? count : SW_HUES - 1;
    qsort(texts->list.items, count, sizeof *texts->list.items, class_bytes_first);
    for (size_t i = 0; i < count; i++) {
        const struct text_class *class = &texts->list.items[i];
        unsigned hue = i < own ? text_hue(class->text) : SW_HUES - 1;
        while (i < own && (classes->names[hue] || (count > own && hue == SW_HUES - 1))) {
            hue = (hue + 3) % SW_HUES;
        }
        classes->names[hue] = i < own ? class->text : "";
        classes->others += i >= own;
        hues[class->number] = (uint8_t)hue;
    }
}

static bool classify_texts(struct sw_color_classes *classes, const struct sw_problem *beside, enum sw_coloring by) {
    struct text_classes texts = {.of = SW_NEW(uint32_t, classes->count + 1)};
    bool good = texts.of != NULL;
    for (size_t b = 0; good && b < classes->count; b++) {
        texts.of[b] = SW_NONE;
    }
    good = good && number_texts(&texts, classes->problem, by, texts.of) &&
           (!beside || number_texts(&texts, beside, by, NULL));
    size_t count = texts.list.count;
    uint8_t *hues = good ? SW_NEW(uint8_t, count + 1) : NULL;
    if (hues) {
        give_hues(classes, &texts, hues);
    }
    for (size_t b = 0; hues && b < classes->count; b++) {
        classes->bases[b] = texts.of[b] == SW_NONE ? SW_HUE_NEUTRAL : hues[texts.of[b]];
    }
    SW_FREE(hues, count + 1);
    free_texts(&texts, classes->count);
    return good && hues;
}

static uint64_t class_measure(const struct sw_problem *problem, uint32_t b, enum sw_coloring by) {
    const struct sw_buffer *buffer = sw_problem_buffer(problem, b);
    return by == SW_COLOR_SIZE ? buffer->size : (uint64_t)buffer->last - buffer->first + 1;
}

/* The least power of two that is not below. */
static uint64_t next_power(uint64_t value) {
    return value > 1 ? UINT64_C(1) << SW_MIN(64 - __builtin_clzll(value - 1), 63) : 1;
}

/* Steps of the scale have as many blocks each as can be, and end at powers of two. Where they are fewer, the pale ones
 * are missing. */
static bool classify_amounts(struct sw_color_classes *classes, const struct sw_problem *beside, enum sw_coloring by) {
    const struct sw_problem *sides[] = {classes->problem, beside};
    SW_ARRAY(uint64_t) amounts = {0};
    bool good = true;
    for (int side = 0; side < 2 && sides[side]; side++) {
        for (uint32_t b = 0; good && b < sw_problem_buffer_count(sides[side]); b++) {
            good = !sw_problem_buffer(sides[side], b)->planned || SW_PUSH(&amounts, class_measure(sides[side], b, by));
        }
    }
    good = good && sw_sort_numbers(amounts.items, amounts.count);
    uint64_t below = UINT64_MAX;
    for (unsigned k = SW_RAMP; good && amounts.count && k-- > 0;) {
        uint64_t most = next_power(amounts.items[(amounts.count - 1) * (k + 1) / SW_RAMP]);
        below = classes->most[k] = SW_MIN(most, below == UINT64_MAX ? most : below / 2);
    }
    for (uint32_t b = 0; b < classes->count; b++) {
        unsigned k = SW_RAMP - 1;
        while (k > 0 && class_measure(classes->problem, b, by) <= classes->most[k - 1]) {
            k--;
        }
        classes->bases[b] = (uint8_t)(SW_HUES + k);
    }
    SW_ARRAY_DONE(&amounts);
    return good;
}

/* By kind the hue is the kind's own. */
static void classify_kinds(struct sw_color_classes *classes) {
    static const uint8_t hues[] = {[SW_KIND_INTERMEDIATE] = 0,
                                   [SW_KIND_INPUT] = 1,
                                   [SW_KIND_OUTPUT] = 2,
                                   [SW_KIND_CONSTANT] = 6,
                                   [SW_KIND_SCRATCH] = 3};
    for (uint32_t b = 0; b < classes->count; b++) {
        classes->bases[b] = hues[sw_problem_buffer(classes->problem, b)->kind];
    }
    for (unsigned kind = 0; kind < sizeof hues; kind++) {
        classes->names[hues[kind]] = sw_kind_name((enum sw_kind)kind);
    }
}

/* How many kinds of a thing the blocks have, up to two. */
static unsigned classes_told(const struct sw_problem *problem, enum sw_coloring by) {
    const char *first = NULL;
    bool told = false, more = false;
    for (uint32_t b = 0; b < sw_problem_buffer_count(problem) && !(told && more); b++) {
        const struct sw_buffer *buffer = sw_problem_buffer(problem, b);
        if (buffer->planned) {
            const char *text = by == SW_COLOR_KIND ? sw_kind_name(buffer->kind) : class_text(problem, b, by);
            uint32_t producer = sw_problem_producer(problem, b);
            more |= first && strcmp(text, first) != 0;
            told |= by == SW_COLOR_KIND    ? true
                    : by == SW_COLOR_STACK ? buffer->origin != NULL
                                           : producer != SW_NONE && *sw_problem_operator(problem, producer)->kind;
            first = first ? first : text;
        }
    }
    return told ? 1 + more : 0;
}

bool sw_coloring_suits(const struct sw_problem *problem, enum sw_coloring by, struct sw_error *error) {
    const struct sw_moment *moment = sw_problem_moment(problem);
    if (moment && by != SW_COLOR_AUTO && by != SW_COLOR_SIZE && by != SW_COLOR_STACK) {
        return sw_fail(error, SW_ERROR_UNSUPPORTED, "the blocks of a moment are colored by size, or by stack");
    }
    if (by == SW_COLOR_STACK && classes_told(problem, by) == 0) {
        return sw_fail(error, SW_ERROR_UNSUPPORTED, "the input does not tell the stacks that asked for its blocks");
    }
    return by != SW_COLOR_OPERATOR || classes_told(problem, by) > 0 ||
           sw_fail(error, SW_ERROR_UNSUPPORTED, "the input does not tell the types of its operators");
}

static bool has_few(const struct sw_problem *problem) {
    return !problem || sw_problem_planned_count(problem) <= SW_HUES;
}

static enum sw_coloring usual_coloring(const struct sw_problem *problem, const struct sw_problem *beside) {
    static const enum sw_coloring order[] = {SW_COLOR_OPERATOR, SW_COLOR_STACK, SW_COLOR_KIND};
    enum sw_coloring by = SW_COLOR_IDENTITY;
    bool few = has_few(problem) && has_few(beside);
    for (size_t i = sizeof order / sizeof *order; !few && i-- > 0;) {
        bool told = classes_told(problem, order[i]) > 1 || (beside && classes_told(beside, order[i]) > 1);
        by = told ? order[i] : by;
    }
    return by;
}

bool sw_color_classes_of(struct sw_color_classes *classes, const struct sw_problem *problem,
                         const struct sw_problem *beside, enum sw_coloring asked) {
    enum sw_coloring by = asked == SW_COLOR_AUTO ? usual_coloring(problem, beside) : asked;
    bool bases = by != SW_COLOR_IDENTITY && by != SW_COLOR_TIER, good = true;
    *classes = (struct sw_color_classes){.problem = sw_problem_ref(problem),
                                         .asked = asked,
                                         .by = by,
                                         .few = has_few(problem),
                                         .count = sw_problem_buffer_count(problem)};
    if (bases) {
        good = (classes->bases = SW_NEW_ZERO(uint8_t, classes->count + 1)) != NULL;
    }
    if (good && (by == SW_COLOR_OPERATOR || by == SW_COLOR_STACK)) {
        good = classify_texts(classes, beside, by);
    } else if (good && by == SW_COLOR_KIND) {
        classify_kinds(classes);
    } else if (good && bases) {
        good = classify_amounts(classes, beside, by);
    }
    if (!good) {
        sw_color_classes_done(classes);
    }
    return good;
}

void sw_color_classes_done(struct sw_color_classes *classes) {
    SW_FREE(classes->bases, classes->count + 1);
    sw_problem_unref(classes->problem);
    *classes = (struct sw_color_classes){0};
}

static bool has_line(const char *text, const char *line, size_t length) {
    while (text && *text) {
        size_t own = strcspn(text, "\n");
        if (own == length && memcmp(text, line, length) == 0) {
            return true;
        }
        text += own + (text[own] == '\n');
    }
    return false;
}

/* Of a stack the innermost line that none of the other classes has; as much of it as a legend has room for. */
static const char *telling_line(const struct sw_color_classes *classes, struct sw_scene *scene, unsigned hue) {
    enum { MOST_LINE = 64 };
    const char *best = classes->names[hue];
    for (const char *line = best; *line;) {
        size_t length = strcspn(line, "\n"), others = 0;
        for (unsigned i = 0; i < SW_HUES; i++) {
            others += i != hue && has_line(classes->names[i], line, length);
        }
        if (others == 0) {
            best = line;
            break;
        }
        line += length + (line[length] == '\n');
    }
    size_t length = strcspn(best, "\n"), cut = SW_MIN(length, (size_t)MOST_LINE);
    while (cut < length && cut > 0 && ((unsigned char)best[cut] & 0xc0) == 0x80) {
        cut--; /* no half of a character */
    }
    return sw_scene_printf(scene, "%.*s%s", (int)cut, best, cut < length ? "..." : "");
}

/* Those that have the hue; of more than SW_HUES tiers several have. */
static const char *tier_words(const struct sw_problem *problem, struct sw_scene *scene, unsigned hue) {
    const char *text = NULL;
    for (uint32_t t = hue; hue < SW_HUES && t < sw_problem_tier_count(problem); t += SW_HUES) {
        const char *name = sw_problem_tier(problem, t)->name;
        text = text ? sw_scene_printf(scene, "%s, %s", text, name) : name;
    }
    return text;
}

const char *sw_color_class_words(const struct sw_color_classes *classes, struct sw_scene *scene, unsigned base) {
    if (classes->by == SW_COLOR_TIER) {
        return tier_words(classes->problem, scene, base);
    }
    if (base >= SW_HUES && base < SW_HUES + SW_RAMP) {
        uint64_t most = classes->most[base - SW_HUES];
        return classes->by == SW_COLOR_SIZE
                   ? sw_scene_printf(scene, "up to %s", sw_scene_bytes(scene, most))
                   : sw_scene_printf(scene, most == 1 ? "alive 1 step" : "alive up to %s steps", SW_COUNT(most));
    }
    const char *name = base < SW_HUES ? classes->names[base] : NULL;
    if (name && !*name) {
        return sw_scene_printf(scene, "%s more %s", SW_COUNT(classes->others),
                               classes->by == SW_COLOR_STACK ? "places that asked" : "types");
    }
    return name && classes->by == SW_COLOR_STACK ? telling_line(classes, scene, base)
           : name                                ? sw_scene_clean(scene, name)
                                                 : NULL;
}
