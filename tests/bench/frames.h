/* Figures of the explorer: what a key costs, and the frame after it. */
#ifndef SW_BENCH_FRAMES_H
#define SW_BENCH_FRAMES_H

#include <stdbool.h>

/* The explorer on a file, at 200x60: a table of keys and panes. False: it failed, which is said. */
bool bench_frames(const char *path, const char *planner);

/* Its map and curve as a picture of 1,200 x 800 pixels: CPU and bytes of all of it, and of a step, by each protocol.
 * Ends the program where it fails. */
void bench_pixels(const char *path, const char *planner);

#endif
