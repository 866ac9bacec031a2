/* Figures of the readers in Lua: what each takes to read a large file. */
#ifndef SW_BENCH_READERS_H
#define SW_BENCH_READERS_H

void bench_readers(void);

#endif
