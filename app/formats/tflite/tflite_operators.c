/* What the operators of TensorFlow Lite are called, by their number, and which of them may write their result over an
 * argument. */
#include "formats/tflite/tflite_model.h"

static const struct {
    const char *name;
    bool in_place;
} tflite_codes[] = {
#define OVER(name) {#name, true},
#define APART(name) {#name, false},
#include "formats/tflite/tflite_operators.def"
#undef OVER
#undef APART
};

const char *tflite_code_name(uint32_t code) {
    return code < sizeof tflite_codes / sizeof *tflite_codes ? tflite_codes[code].name : NULL;
}

bool tflite_works_in_place(uint32_t code) {
    return code < sizeof tflite_codes / sizeof *tflite_codes && tflite_codes[code].in_place;
}
