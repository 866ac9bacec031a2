/* Options of custom operators: a flexbuffer, which is a map of names to numbers. */
#ifndef SW_FORMATS_TFLITE_FLEXBUFFER_H
#define SW_FORMATS_TFLITE_FLEXBUFFER_H

#include "formats/tflite/tflite_model.h"

/* The whole number of that name. False: there is none, or the options are no such map. */
bool tflite_custom_integer(struct tflite_model *, const struct tflite_operator *, const char *name, int64_t *value);

#endif
