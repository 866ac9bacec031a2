#include "base/error.h"
#include "base/text.h"

#include <stdarg.h>
#include <stdio.h> /* vsnprintf */
#include <string.h>

bool sw_fail(struct sw_error *error, enum sw_code code, const char *format, ...) {
    if (!error) {
        return false;
    }
    error->code = code; /* texts are ended, not cleared: they are long */
    error->file[0] = error->subject[0] = '\0';
    error->line = error->column = 0;
    SW_FORMAT_INTO(error->message, format);
    /* A message cut in the middle of a UTF-8 sequence loses the piece. */
    size_t length = strlen(error->message);
    if (length == sizeof error->message - 1) {
        while (length > 0 && ((unsigned char)error->message[length - 1] & 0xc0) == 0x80) {
            length--;
        }
        if (length > 0 && ((unsigned char)error->message[length - 1] & 0x80)) {
            length--;
        }
        error->message[length] = '\0';
    }
    sw_utf8_clean(error->message, true);
    return false;
}

bool sw_fail_memory(struct sw_error *error) {
    return sw_fail(error, SW_ERROR_MEMORY, "out of memory");
}

void sw_error_at(struct sw_error *error, const char *file, uint32_t line, uint32_t column) {
    if (!error) {
        return;
    }
    if (file) {
        snprintf(error->file, sizeof error->file, "%s", file);
    }
    error->line = line;
    error->column = column;
}
