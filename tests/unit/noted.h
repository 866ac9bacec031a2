/* Did a reader leave a note with these words? */
#ifndef SW_UNIT_NOTED_H
#define SW_UNIT_NOTED_H

#include "stowage.h"

#include <string.h>

static inline bool noted(const struct sw_problem *problem, const char *words) {
    size_t count;
    const char *const *notes = sw_problem_notes(problem, &count);
    for (size_t i = 0; i < count; i++) {
        if (strstr(notes[i], words)) {
            return true;
        }
    }
    return false;
}

#endif
