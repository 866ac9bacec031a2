/* What a format is at the least: a file of the word "template" and a size is one buffer of that size. */
#include "formats/format.h"
#include "formats/text/utf8.h"

#include <stdlib.h>
#include <string.h>

static bool detect(const struct sw_input *input) {
    return input->length > 9 && memcmp(input->bytes, "template ", 9) == 0;
}

static bool read_template(const struct sw_input *input, const struct sw_load_options *options,
                          struct sw_builder *builder, struct sw_error *error) {
    (void)options;
    char size[24] = "";
    memcpy(size, (const char *)input->bytes + 9, input->length - 9 < 23 ? input->length - 9 : 23);
    struct sw_buffer_spec spec = {.name = "only",
                                  .kind = SW_KIND_INTERMEDIATE,
                                  .has_size = true,
                                  .size = strtoull(size, NULL, 10),
                                  .has_first = true,
                                  .has_last = true};
    return sw_builder_buffer(builder, &spec, error);
}

const struct sw_format sw_format_template = {
    .name = "template",
    .summary = "one buffer; its only step is inside",
    .extensions = ".template",
    .detect = detect,
    .read = read_template,
};
