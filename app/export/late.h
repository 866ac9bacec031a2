/* Cairo, Pango and Fontconfig, loaded when the first picture is drawn. They bring thirty more libraries with them, and
 * loading these takes longer than all else that the program does at its start; most of its runs draw nothing.
 *
 * A function of theirs is called as sw_late.cairo_arc(...), after sw_late_load(). To use one more: its name in
 * late.def. */
#ifndef SW_EXPORT_LATE_H
#define SW_EXPORT_LATE_H

#include "base/error.h"

#include <cairo-pdf.h>
#include <cairo-svg.h>
#include <fontconfig/fontconfig.h>
#include <pango/pangocairo.h>

struct sw_late {
#define X(name) __typeof__(name) *name;
#include "export/late.def"
#undef X
};
extern struct sw_late sw_late;

/* Load them, once. False: they are not on this machine, or memory is out. */
bool sw_late_load(struct sw_error *);

/* Chafa, likewise, for symbols that are parts of cells. Without it at build time it is never found. */
#ifdef SW_HAS_CHAFA
#include <chafa.h>
struct sw_chafa {
#define X(name) __typeof__(name) *name;
#include "export/chafa.def"
#undef X
};
extern struct sw_chafa sw_chafa;
#endif
bool sw_late_load_chafa(struct sw_error *);

#endif
