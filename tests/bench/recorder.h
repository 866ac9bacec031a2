/* Figures of the recorder: what a decision costs the planner that records it. */
#ifndef SW_BENCH_RECORDER_H
#define SW_BENCH_RECORDER_H

void bench_record(void);

#endif
