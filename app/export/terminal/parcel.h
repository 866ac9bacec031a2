/* A scene as bytes, for a process that draws it. Equal scenes are equal bytes. */
#ifndef SW_EXPORT_PARCEL_H
#define SW_EXPORT_PARCEL_H

#include "formats/format.h"
#include "view/scene/scene.h"

/* What a drawing needs of its plots: legend, caption, notes and tables are left out. */
void sw_parcel_add(struct sw_sink *, const struct sw_scene *);
/* `at` moves behind it. The bytes are this program's own. False: no memory. */
bool sw_parcel_read(const char **at, struct sw_scene *);

#endif
