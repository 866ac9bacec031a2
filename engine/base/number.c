/* Numbers as text. See number.h. */
#include "base/number.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h> /* snprintf */

/* Of all decimal numbers with up to 15 digits at most one is this double, so that "%.15g", which leaves trailing zeros
 * out, is the shortest text of it; but 100 rather than 1e+02. */
const char *sw_show_number(double number, char text[40]) {
    bool whole = fabs(number) < 1e15 && number == floor(number);
    snprintf(text, 40, whole ? "%.0f" : "%.15g", number);
    return text;
}
