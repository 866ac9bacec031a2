/* Drawing in a process of its own. The libraries that set text and draw it end the process when memory runs out
 * (GLib aborts, fontconfig and others fall over); what was opened here must survive that, and the user is to read
 * what happened. */
#ifndef SW_EXPORT_APART_H
#define SW_EXPORT_APART_H

#include "formats/format.h"

/* What draws: it adds bytes to the sink, or fails. What else it changes is lost with its process. */
typedef bool sw_apart_fn(void *context, struct sw_sink *, struct sw_error *);

/* Call `draw` in a child process; its bytes and its error come back as if it had been called here. A child that
 * a signal ends is a lack of memory. Nothing of it is left when this returns, and it ends with this process. Inside
 * such a child the function is called as it is. Costs a fork, and the libraries start afresh. */
bool sw_apart(sw_apart_fn *draw, void *context, struct sw_sink *, struct sw_error *);

/* Seconds without any work of the child after which it is ended, as by a lack of memory. Tests wait less. */
extern int sw_apart_patience;

/* An allocation of this process has failed, of whatever library. Fontconfig, HarfBuzz and cairo then go on without what
 * they wanted, and draw another picture; in such a child that is a lack of memory, too. Called by the allocator
 * (heap.c): it may be in the middle of anything. */
void sw_apart_starved(void);
/* Has that happened since this was asked last? */
bool sw_apart_was_starved(void);

/* In such a child standard output and error are kept back, for libraries write there before they abort. What is said on
 * standard error between these two arrives. Elsewhere they do nothing. */
void sw_apart_speak(void);
void sw_apart_hush(void);

/* All of the bytes, through a pipe. False: the other end has gone, or the system refused. */
bool sw_pipe_send(int fd, const void *bytes, size_t length);
bool sw_pipe_receive(int fd, void *bytes, size_t length);

#endif
