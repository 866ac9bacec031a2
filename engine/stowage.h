/* libstowage: everything the engine offers. Include this, or the headers one by one. */
#ifndef STOWAGE_H
#define STOWAGE_H

#include "base/error.h"
#include "base/hash.h"
#include "base/mem.h"
#include "layout/cost.h"
#include "layout/difference.h"
#include "layout/free/gaps.h"
#include "layout/layout.h"
#include "planners/planner.h"
#include "planners/recorded/recording.h"
#include "problem/builder.h"
#include "problem/change/change.h"
#include "problem/problem.h"
#include "problem/change/reorder.h"
#include "problem/change/whole_order.h"
#include "search/result/curve.h"
#include "search/decision.h"
#include "search/parting.h"
#include "search/search.h"

#define STOWAGE_VERSION "0.1.0"

#endif
