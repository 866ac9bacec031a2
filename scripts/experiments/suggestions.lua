-- What would lower the peak: the best move of each kind, for several networks and greedy planners. Each was made, and
-- its run went on to the end.
--   stowage run scripts/experiments/suggestions.lua models=mobilenet_v1,unet planners=best-fit effort=10000000
local words = require("words")

local KINDS = {"pin", "pins", "forbid", "choose", "move", "reorder", "inplace", "spill", "recompute"}

return {
  name = "suggestions",
  cases = function(args)
    local list = {}
    for model in words(args.models or "mobilenet_v1_025_96,mobilenet_v2,googlenet,branches,unet") do
      for planner in words(args.planners or "greedy-by-size,first-fit,tflm-greedy") do
        list[#list + 1] = {model = model, planner = planner, effort = args.effort or 40000000}
      end
    end
    return list
  end,
  run = function(case)
    local plan = stowage.load(case.model):plan{planner = case.planner}
    local found = plan:suggest{effort = case.effort, kinds = KINDS}
    local row = {model = case.model, planner = case.planner, peak = plan.peak, bound = plan.lower_bound,
                 best = plan.peak, commands = "nothing helps"}
    for i, one in ipairs(found.suggestions) do
      if i == 1 then
        row.best, row.commands = one.peak, table.concat(one.commands, "; ")
      end
      row[one.kind] = row[one.kind] or one.saved
    end
    return row
  end,
  report = function(rows, out)
    local columns = {"model", "planner", {"peak", bytes = true}, {"best", title = "with the best move", bytes = true},
                     {"commands", title = "which is"}}
    out:text("Each run beside the one with the best single move, or two pins:\n")
    out:markdown(rows, columns)
    local helped, met, before, after, numbers = 0, 0, {}, {}, {}
    for i, row in ipairs(rows) do
      numbers[i] = tostring(i)
      before[i] = {i, 100 * (row.peak / row.bound - 1)}
      after[i] = {i, 100 * (row.best / row.bound - 1)}
      helped = helped + (row.best < row.peak and 1 or 0)
      met = met + (row.best <= row.bound and 1 or 0)
    end
    out:text(string.format("\n%d of %d runs can be lowered; %d then need no more than the lower bound of their order.",
                           helped, #rows, met))
    local names = {"model", "planner", "peak", "bound", "best", "commands"}
    for _, kind in ipairs(KINDS) do names[#names + 1] = kind end
    out:csv("suggestions.csv", rows, names)
    out:plot("suggestions.svg", {title = "What one move saves", subtitle = "each run of the table, in its order",
                                 x = "run", y = "peak over the lower bound, %", names = numbers,
                                 series = {{name = "as planned", points = before},
                                           {name = "with the best move", points = after}}})
  end,
}
