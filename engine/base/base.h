/* What nearly every file needs: texts, numbers and formats of the C library, and the small pieces of this folder. Of
 * <stdio.h> the engine uses snprintf alone, and of <stdlib.h> nothing that allocates: base/mem.h does. */
#ifndef SW_BASE_BASE_H
#define SW_BASE_BASE_H

#include "base/error.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/minmax.h"
#include "base/number.h"
#include "base/text.h"

#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h> /* snprintf */
#include <stdlib.h>
#include <string.h>

/* A function that gives a field of an object. */
#define SW_GETTER(type, name, object, field) \
    type name(const struct object *o) {      \
        return o->field;                     \
    }

#endif
