/* Arrays of bytes in C and C++ source. */
#include "fuzz/fuzz.h"

#include "formats/wrapped/c_array.h"

#include <string.h>

/* What is known of an array is either its bytes or what is wrong with it. */
static bool look(void *context, struct sw_c_array *array, struct sw_error *error) {
    const struct sw_input *input = context;
    (void)error;
    if (array->name < input->bytes || array->name + array->name_length > input->bytes + input->length ||
        array->name_length == 0) {
        fuzz_fail("an array is named outside of the text");
    }
    if (array->bytes.count > input->length || strlen(array->wrong) >= sizeof array->wrong) {
        fuzz_fail("%zu bytes from %zu", array->bytes.count, input->length);
    }
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct sw_input input = fuzz_input(data, size);
    struct sw_error error = {0};
    sw_c_array_detect(input.bytes, input.length);
    if (!sw_c_arrays(input.bytes, input.length, look, &input, &error)) {
        fuzz_check_error(&input, &error);
    }
    return 0;
}
