/* A scene as text, one mark or row a line. */
#ifndef TESTS_SCENE_DUMP_H
#define TESTS_SCENE_DUMP_H

#include "view/scene/scene.h"

struct sw_sink;
void scene_dump(const struct sw_scene *, struct sw_sink *);

#endif
