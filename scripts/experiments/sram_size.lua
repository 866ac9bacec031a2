-- SRAM size against E: what a network's memory accesses cost, by tier-search, with an SRAM of every size
-- before an unbounded DRAM.
--   stowage run scripts/experiments/sram_size.lua models=unet steps=6
local words = require("words")

local MODELS = "mobilenet_v1_025_96,mobilenet_v2,googlenet,densenet121,unet"

return {
  name = "sram_size",
  cases = function(args)
    local list, steps = {}, args.steps or 12
    for model in words(args.models or MODELS) do
      for i = 0, steps do list[#list + 1] = {model = model, part = i, parts = steps} end
    end
    return list
  end,
  run = function(case)
    local graph = stowage.load(case.model)
    local size = graph.lower_bound * case.part // case.parts
    local result = graph:plan{planner = "tier-search", tiers = {
      {name = "sram", capacity = size, bandwidth = 16, latency = 1},
      {name = "dram", bandwidth = 2, latency = 30},
    }}
    return {model = case.model, part = 100 * case.part / case.parts, size = size, E = result.cost,
            sram = result.tier_peaks.sram, dram = result.tier_peaks.dram}
  end,
  report = function(rows, out)
    local series, models, by = {}, {}, {}
    for _, row in ipairs(rows) do
      local model = by[row.model]
      if not model then
        model = {model = row.model, none = row.E}
        by[row.model], models[#models + 1] = model, model
        model.points = {}
        series[#series + 1] = {name = row.model, points = model.points}
      end
      row.relative = 100 * row.E / model.none
      model.points[#model.points + 1] = {row.part, row.relative}
      model[string.format("%.0f %%", row.part)] = row.relative
    end
    local columns = {"model", {"none", title = "E without SRAM"}}
    for _, row in ipairs(rows) do
      if row.model ~= rows[1].model then break end
      columns[#columns + 1] = {string.format("%.0f %%", row.part), digits = 0}
    end
    out:text("E in percent of that without SRAM, by SRAM size in percent of the lower bound:\n")
    out:markdown(models, columns)
    out:csv("sram_size.csv", rows, {"model", "size", "part", "E", "relative", "sram", "dram"})
    out:plot("sram_size.svg", {title = "SRAM size against E", x = "SRAM, % of the lower bound",
                               y = "E, % of that without SRAM", series = series})
  end,
}
