/* Figures of the explorer: what a key costs, and the frame after it. */
#ifndef SW_BENCH_FRAMES_H
#define SW_BENCH_FRAMES_H

#include <stdbool.h>

/* The explorer on a file, at 200x60: a table of keys and panes. False: it failed, which is said. */
bool bench_frames(const char *path, const char *planner);

#endif
