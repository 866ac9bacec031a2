-- Planner against model: the peak of each planner over the lower bound.
--   stowage run scripts/experiments/planners.lua models=mobilenet_v2,unet planners=first-fit,best-fit
local words = require("words")

local MODELS = "mobilenet_v1,mobilenet_v2,resnet50,googlenet,inception_v3,densenet121,unet,transformer_encoder"
local PLANNERS = "greedy-by-size,greedy-by-breadth,lifetime-best-fit,tflm-greedy,first-fit,best-fit"

return {
  name = "planners",
  cases = function(args)
    local list = {}
    for model in words(args.models or MODELS) do
      for planner in words(args.planners or PLANNERS) do
        list[#list + 1] = {model = model, planner = planner, cores = args.cores or 1}
      end
    end
    return list
  end,
  run = function(case)
    local graph = stowage.load(case.model, {args = case.cores > 1 and {cores = case.cores} or {}})
    local result = graph:plan{planner = case.planner}
    return {model = case.model, planner = case.planner, peak = result.peak, bound = result.lower_bound}
  end,
  report = function(rows, out)
    local planners, models, names, by = {}, {}, {}, {}
    for _, row in ipairs(rows) do
      if not by[row.model] then
        by[row.model] = {model = row.model, bound = row.bound}
        models[#models + 1] = by[row.model]
        names[#names + 1] = row.model
      end
      if #models == 1 then planners[#planners + 1] = row.planner end
      by[row.model][row.planner] = row.peak and 100 * (row.peak / row.bound - 1)
    end
    local columns = {"model", {"bound", title = "lower bound", bytes = true}}
    local series = {}
    for _, planner in ipairs(planners) do
      columns[#columns + 1] = {planner, digits = 1}
      local points = {}
      for i, model in ipairs(models) do
        if model[planner] then points[#points + 1] = {i, model[planner]} end
      end
      series[#series + 1] = {name = planner, points = points}
    end
    out:text("Peak over the lower bound, in percent:\n")
    out:markdown(models, columns)
    out:csv("planners.csv", rows, {"model", "planner", "peak", "bound"})
    out:plot("planners.svg", {title = "Planner against model", y = "peak over the lower bound, %",
                              names = names, series = series})
  end,
}
