/* What TensorFlow Lite Micro prints of its memory plan, row by row. */
#ifndef SW_FORMATS_TFLM_LOG_H
#define SW_FORMATS_TFLM_LOG_H

#include "formats/format.h"

struct sw_tflm_row {
    char mark;  /* '*': used in one step only */
    int64_t id; /* buffers in the order in which the interpreter named them to its planner */
    int64_t size, offset;
    int64_t first, last; /* closed; operator i runs at i+1; -1: never written, or never used */
    uint32_t line;
};
/* "[RecordingMicroAllocator] 'TfLiteEvalTensor data' used 528 bytes ... (requested 528 bytes for 22 allocations)" */
struct sw_tflm_section {
    char name[64]; /* what is longer is cut */
    int64_t used, requested, count;
};
struct sw_tflm_log { /* zero it to start with */
    SW_ARRAY(struct sw_tflm_row) rows;
    int64_t head, tail;                        /* what the log says of the arena; -1 */
    SW_ARRAY(struct sw_tflm_section) sections; /* of the tail */
    int64_t request;                           /* bytes of a plan that found no room; -1 */
    uint32_t second;                           /* the line in which another plan begins; 0 */
};
/* A log without rows is refused, unless it tells the arena's tail and that is enough. */
bool sw_tflm_log_parse(struct sw_tflm_log *, bool tail_is_enough, const struct sw_input *, struct sw_error *);
void sw_tflm_log_done(struct sw_tflm_log *);

#endif
