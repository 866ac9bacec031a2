#include "formats/tflite/flat.h"
#include "base/base.h"

bool sw_flat_fail(const struct sw_flat *flat, size_t at, const char *format, ...) {
    char text[SW_MESSAGE - 64];
    SW_FORMAT_INTO(text, format);
    sw_fail(flat->error, SW_ERROR_INPUT, "%s at offset %zu", text, at);
    sw_error_at(flat->error, flat->input->name, 0, 0);
    return false;
}

static uint64_t load_flat(const struct sw_input *input, size_t at, size_t width) {
    uint64_t value = 0;
    for (size_t i = width; i-- > 0;) {
        value = value << 8 | (unsigned char)input->bytes[at + i];
    }
    return value;
}

static bool is_inside(const struct sw_flat *flat, size_t at, size_t length) {
    return at <= flat->input->length && length <= flat->input->length - at;
}

static bool check_inside(const struct sw_flat *flat, size_t at, size_t length, const char *what) {
    return is_inside(flat, at, length) ||
           sw_flat_fail(flat, SW_MIN(at, flat->input->length), "%s goes past the end of the file", what);
}

/* The table that begins at `at`: its own list of fields stands before or behind it. */
bool sw_flat_at(const struct sw_flat *from, size_t at, struct sw_flat *table) {
    *table = (struct sw_flat){.input = from->input, .error = from->error, .at = at};
    if (!check_inside(from, at, 4, "a table")) {
        return false;
    }
    int64_t back = (int32_t)load_flat(from->input, at, 4);
    int64_t vtable = (int64_t)at - back;
    if (vtable < 0 || !is_inside(from, (size_t)vtable, 4)) {
        return sw_flat_fail(from, at, "a table with fields that are not in the file");
    }
    size_t length = (size_t)load_flat(from->input, (size_t)vtable, 2);
    if (length < 4 || !is_inside(from, (size_t)vtable, length)) {
        return sw_flat_fail(from, (size_t)vtable, "a list of fields that is too short or too long");
    }
    table->vtable = (size_t)vtable;
    table->fields = (length - 4) / 2;
    return true;
}

bool sw_flat_marked(const struct sw_input *input, const char *identifier) {
    return input->length >= 8 && memcmp(input->bytes + 4, identifier, 4) == 0;
}

bool sw_flat_root(const struct sw_input *input, const char *identifier, struct sw_flat *root, struct sw_error *error) {
    struct sw_flat from = {.input = input, .error = error};
    if (!check_inside(&from, 0, 8, "the header")) {
        return false;
    }
    if (!sw_flat_marked(input, identifier)) {
        return sw_flat_fail(&from, 4, "the file is not marked %s", identifier);
    }
    return sw_flat_at(&from, (size_t)load_flat(input, 0, 4), root);
}

size_t sw_flat_place(const struct sw_flat *table, unsigned field) {
    size_t offset = table->at && field < table->fields
                        ? (size_t)load_flat(table->input, table->vtable + 4 + 2 * (size_t)field, 2)
                        : 0;
    return offset ? table->at + offset : 0;
}

bool sw_flat_number(const struct sw_flat *table, unsigned field, size_t width, uint64_t *value) {
    size_t at = sw_flat_place(table, field);
    if (at && !check_inside(table, at, width, "a number")) {
        return false;
    }
    *value = at ? load_flat(table->input, at, width) : *value;
    return true;
}

/* What a reference points at: always further on. */
static bool follow_reference(const struct sw_flat *flat, size_t at, size_t *to) {
    if (!check_inside(flat, at, 4, "a reference")) {
        return false;
    }
    *to = at + (size_t)load_flat(flat->input, at, 4);
    return check_inside(flat, *to, 4, "what is referred to");
}

bool sw_flat_target(const struct sw_flat *table, unsigned field, size_t *to) {
    size_t at = sw_flat_place(table, field);
    *to = 0;
    return !at || follow_reference(table, at, to);
}

bool sw_flat_table(const struct sw_flat *table, unsigned field, struct sw_flat *to) {
    size_t target;
    *to = (struct sw_flat){.input = table->input, .error = table->error};
    return sw_flat_target(table, field, &target) && (!target || sw_flat_at(table, target, to));
}

bool sw_flat_list(const struct sw_flat *table, unsigned field, size_t width, struct sw_flat_list *list) {
    size_t target;
    *list = (struct sw_flat_list){.flat = *table, .width = width};
    if (!sw_flat_target(table, field, &target)) {
        return false;
    }
    if (!target) {
        return true;
    }
    size_t count = (size_t)load_flat(table->input, target, 4);
    if (count > (table->input->length - target - 4) / width) {
        return sw_flat_fail(table, target, "a list of %zu items, for which the file is too short,", count);
    }
    list->at = target + 4;
    list->count = count;
    return true;
}

bool sw_flat_text(const struct sw_flat *table, unsigned field, struct sw_flat_text *text) {
    struct sw_flat_list list;
    if (!sw_flat_list(table, field, 1, &list)) {
        return false;
    }
    *text = (struct sw_flat_text){list.count ? table->input->bytes + list.at : "", list.count};
    return true;
}

bool sw_flat_text_is(struct sw_flat_text text, const char *wanted) {
    return text.length == strlen(wanted) && memcmp(text.text, wanted, text.length) == 0;
}

uint64_t sw_flat_item(const struct sw_flat_list *list, size_t i) {
    return load_flat(list->flat.input, list->at + i * list->width, list->width);
}

bool sw_flat_item_table(const struct sw_flat_list *list, size_t i, struct sw_flat *to) {
    size_t target;
    return follow_reference(&list->flat, list->at + i * list->width, &target) && sw_flat_at(&list->flat, target, to);
}
