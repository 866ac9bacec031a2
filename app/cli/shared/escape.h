/* Esc while the terminal waits for something that is under way, before the explorer has it. Keys come one by one then
 * and are not shown; the terminal is as before whenever the program ends, stops or asks something. */
#ifndef SW_CLI_ESCAPE_H
#define SW_CLI_ESCAPE_H

#include <stdbool.h>

/* Nothing happens when it has begun, or when standard input is no terminal of ours. */
void sw_escape_begin(void);
/* Was Esc pressed? What else was typed is dropped, keys that send more than that byte with it. */
bool sw_escape_pressed(void);
void sw_escape_end(void);

#endif
