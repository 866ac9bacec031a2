/* libstowage: everything the engine offers. Include this, or the headers one by one. */
#ifndef STOWAGE_H
#define STOWAGE_H

#include "planners/planner.h"
#include "stowage_runs.h"

#endif
