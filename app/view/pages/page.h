/* The frame of a picture: views leave this room, and `export` fills it. In points. */
#ifndef SW_VIEW_PAGE_H
#define SW_VIEW_PAGE_H

#define SW_PAGE_MARGIN 26.0     /* white on all four sides */
#define SW_PAGE_TITLE 40.0      /* height of title and subtitle, below the upper margin */
#define SW_PAGE_LEGEND_ROW 18.0 /* height of a row of the legend, above the caption */
#define SW_PAGE_LEGEND_GAP 12.0 /* between the view and the legend */
#define SW_PAGE_CAPTION_GAP 8.0 /* between the legend and the caption */
#define SW_PAGE_CAPTION_LINE 12.5
#define SW_PAGE_NUMBER 50.0      /* room of "12 of 24" at its end */
#define SW_PAGE_CAPTION_SIZE 8.0 /* of its letters */
#define SW_PAGE_SUBTITLE_SIZE 10.0
#define SW_PAGE_SWATCH 16.0       /* a legend's sample */
#define SW_PAGE_CURVE 32.0        /* that of a curve */
#define SW_PAGE_LABEL_ROW 12.0    /* of an axis' labels, where they stand in several */
#define SW_PAGE_LEGEND_SPACE 16.0 /* between entries */
#define SW_PAGE_GUTTER 66.0       /* left of a plot's body: tick labels and the axis' title */
#define SW_PAGE_RIGHT 134.0       /* right of it: labels of lines */
#define SW_PAGE_TICKS 24.0        /* below it: tick labels and the axis' title */
#define SW_PAGE_SMALL_GUTTER 44.0 /* the same of a small map among others */
#define SW_PAGE_SMALL_RIGHT 4.0
#define SW_PAGE_HEADING 18.0   /* above it: the panel's title */
#define SW_PAGE_CHARACTER 5.7  /* a generous mean width of a character at the table's size */
#define SW_PAGE_BOLD 1.13      /* so much wider are bold letters */
#define SW_PAGE_TABLE_SIZE 9.0 /* of its letters */
#define SW_PAGE_ROW 13.0       /* height of a table's row */
#define SW_PAGE_COLUMN 10.0    /* between its columns, at least */
#define SW_PAGE_GAP 12.0       /* between small maps */

/* Below these sizes nothing is legible. A view that has less height than SW_PAGE_VIEW, or than its share of the page,
 * gets the room of the caption but one line, then of the legend, and a map less than SW_PAGE_BOTH that of the live
 * bytes. */
#define SW_PAGE_LEAST_WIDTH 320.0
#define SW_PAGE_LEAST_HEIGHT 200.0
#define SW_PAGE_VIEW 120.0
#define SW_PAGE_VIEW_SHARE 0.5
#define SW_PAGE_BOTH 210.0

/* A page of tables alone, when no size is asked for: so wide, and as high as its rows, but not higher. */
#define SW_PAGE_TABLE_WIDTH 800.0
#define SW_PAGE_TABLE_HEIGHT 2400.0

#endif
