/* What a program needs that makes problems, runs planners and looks at what comes of it. What a planner is made of is
 * in planners/planner.h. */
#ifndef STOWAGE_RUNS_H
#define STOWAGE_RUNS_H

#include "base/error.h"
#include "base/hash.h"
#include "base/mem.h"
#include "layout/cost.h"
#include "layout/difference.h"
#include "layout/free/gaps.h"
#include "layout/layout.h"
#include "planners/messages.h"
#include "planners/params.h"
#include "planners/recorded/recording.h"
#include "problem/builder.h"
#include "problem/change/change.h"
#include "problem/compare/due.h"
#include "problem/problem.h"
#include "problem/change/reorder.h"
#include "problem/change/whole_order.h"
#include "search/result/curve.h"
#include "search/decision.h"
#include "search/parting.h"
#include "search/search.h"
#include "suggest/suggest.h"

#define STOWAGE_VERSION "0.1.0"

#endif
