/* Frames for tests: models made from a seed, and what must hold of every frame whatever it shows. */
#ifndef SW_TESTS_FRAMES_H
#define SW_TESTS_FRAMES_H

#include "tui/tui.h"

enum sw_glyph_mode { SW_MODE_UTF8, SW_MODE_ASCII, SW_MODE_TEXT, SW_GLYPH_MODES };
extern const char *const sw_glyph_mode_names[SW_GLYPH_MODES];
void sw_frames_mode(struct sw_session *, enum sw_glyph_mode);

/* Write a model of so many buffers into the folder, and its path. Models of up to 1,000 buffers are graphs with
 * operators, and names of all scripts: wide, combining, right to left, very long. The same every time. */
bool sw_frames_model(const char *folder, uint32_t buffers, char path[200]);
/* A session of it; NULL after it has said why. */
struct sw_session *sw_frames_open(const char *path, const char *planner);

/* What is wrong with the frame, or NULL. The frame was drawn of this session at this size. The message stays
 * until the next call. */
const char *sw_frames_fault(const struct sw_frame *, struct sw_session *, unsigned columns, unsigned rows);

#endif
