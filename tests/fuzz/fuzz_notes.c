/* Notes for pictures: what is accepted has texts, and speaks of what there is. */
#include "fuzz/fuzz.h"

#include "formats/notes.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const struct sw_problem *problem = fuzz_problem();
    struct sw_input input = fuzz_input(data, size);
    struct sw_error error = {0};
    struct sw_notes notes = {0};
    if (!sw_notes_read(&input, problem, 0, &notes, &error)) {
        fuzz_check_error(&input, &error);
    } else if (notes.items.count > SW_NOTES_MOST) {
        fuzz_fail("%zu notes are too many", notes.items.count);
    } else {
        for (size_t i = 0; i < notes.items.count; i++) {
            const struct sw_note *note = &notes.items.items[i];
            bool buffer = note->buffer != SW_NONE, step = note->step != SW_NONE;
            if (!*note->text || (buffer && step) || (!buffer && !step && !note->has_at) ||
                (buffer && note->buffer >= sw_problem_buffer_count(problem)) ||
                (step && note->step >= sw_problem_steps(problem)) ||
                (note->has_address && (!step || note->address > SW_MAX_BYTES)) ||
                (note->has_at && !(note->x >= 0 && note->x <= 1 && note->y >= 0 && note->y <= 1))) {
                fuzz_fail("note %zu speaks of what is not there", i);
            }
        }
    }
    sw_notes_done(&notes);
    return 0;
}
