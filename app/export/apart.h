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

/* A process that draws again and again: its libraries stay as they are. It is given bytes, and answers with bytes or
 * an error. Zero one to start with. */
struct sw_apart_child {
    int pid, fd; /* pid 0: there is none */
    int kept_back;
};
typedef bool sw_apart_answer_fn(void *context, const char *request, size_t length, struct sw_sink *, struct sw_error *);
/* It has a copy of the context, none of the files that are open here, and ends with this process. */
bool sw_apart_begin(struct sw_apart_child *, sw_apart_answer_fn *, void *context, struct sw_error *);
/* After an error there is no child any more. */
bool sw_apart_ask(struct sw_apart_child *, const void *request, size_t length, struct sw_sink *answer,
                  struct sw_error *);
void sw_apart_end(struct sw_apart_child *);

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
