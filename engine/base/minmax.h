/* The smaller and the larger of two. Both are evaluated twice: no side effects. Of equals it is the second. */
#ifndef SW_BASE_MINMAX_H
#define SW_BASE_MINMAX_H

#define SW_MIN(a, b) ((a) < (b) ? (a) : (b))
#define SW_MAX(a, b) ((a) > (b) ? (a) : (b))

#endif
