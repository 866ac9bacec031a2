/* A moment (problem/moment/moment.h) in sentences: what it comes to, why the request failed, what would have made it
 * fit. One place for the command line, the explorer, pictures and scripts. */
#ifndef SW_VIEW_MOMENT_WORDS_H
#define SW_VIEW_MOMENT_WORDS_H

#include "formats/graphs/moment_file.h"

/* "reserved". */
const char *sw_moment_figure_words(enum sw_moment_figure);
/* Each adds sentences, a line each; nothing where there is nothing to say. */
/* Sums of two others that are told as well say nothing new. */
bool sw_moment_repeats(const struct sw_moment_sums *, enum sw_moment_figure);
/* "Reserved 2 MiB, in use 1 MiB": those of the first figures that are known. */
void sw_moment_put_figures(const struct sw_moment *, struct sw_sink *);
/* Why the request failed: what was asked for, what is free and in which pieces, why there is no new segment. */
void sw_moment_put_why(const struct sw_moment *, struct sw_sink *);
/* What would have made it fit: the fewest blocks to give back, other limits. */
void sw_moment_put_ways(const struct sw_moment *, struct sw_sink *);
/* Under which other settings of its allocator it fits (moment_settings.c); a part of the one before. */
void sw_moment_put_settings(const struct sw_moment *, struct sw_sink *);
/* Segments that are at least half free, and the blocks that keep them. */
void sw_moment_put_keepers(const struct sw_moment *, struct sw_sink *);
/* Where what the text says and what it shows are two things. */
void sw_moment_put_doubts(const struct sw_moment *, struct sw_sink *);
/* "the segment at 0x7f00, 2.00 MiB"; "the 3rd segment, 2.00 MiB". */
void sw_moment_put_segment(const struct sw_moment *, uint32_t segment, struct sw_sink *);
/* moment_piece.c: of one block by its number, which has a place: the piece that is free there or would be, and what
 * giving back its neighbors adds; and in one line without an end: "0x7f00: 2 MiB, free, in segment 1 of 2". */
void sw_moment_put_piece(const struct sw_moment *, const struct sw_moment_sums *, size_t block, struct sw_sink *);
void sw_moment_put_block(const struct sw_moment *, size_t block, struct sw_sink *);

#endif
