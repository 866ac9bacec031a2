/* Figures of models in strips of rows: the least arena and head that are found, their multiply-adds, and how long that
 * takes. */
#ifndef SW_BENCH_FITS_H
#define SW_BENCH_FITS_H

void bench_fits(void);

#endif
