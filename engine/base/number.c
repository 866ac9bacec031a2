/* Numbers as text. See number.h. */
#include "base/number.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>  /* snprintf */
#include <stdlib.h> /* strtod */

const char *sw_show_number(double number, char text[40]) {
    bool whole = fabs(number) < 1e15 && number == floor(number);
    for (int digits = 1; digits <= 15; digits++) { /* 100 rather than 1e+02 */
        snprintf(text, 40, whole ? "%.*f" : "%.*g", whole ? 0 : digits, number);
        if (strtod(text, NULL) == number) {
            break;
        }
    }
    return text;
}
