-- Cost models x sets of actions x SRAM sizes: what does a larger SRAM save under each model, and at which sizes does
-- a set of actions pay? tier-search over SRAM and DRAM.
--   stowage run scripts/experiments/cost_models.lua model=example1 sizes=0,2,4 costs=energy actions=swap
local words = require("words")

local function tiers(kib)
  return {
    {name = "sram", capacity = 1024 * kib, bandwidth = 16, latency = 1},
    {name = "dram", bandwidth = 2, latency = 30},
  }
end

return {
  name = "cost_models",
  cases = function(args)
    local list = {}
    for cost in words(args.costs or "latency_bandwidth,energy,dma_overlap") do
      for actions in words("none," .. (args.actions or "prefetch,split,swap")) do
        for kib in words(tostring(args.sizes or "0,512,1024,1536,2048,3072,4096,4608")) do
          list[#list + 1] = {model = args.model or "googlenet", cost = cost, actions = actions, kib = tonumber(kib)}
        end
      end
    end
    return list
  end,
  run = function(case)
    local result = stowage.load(case.model):plan{
      planner = "tier-search", tiers = tiers(case.kib), cost = case.cost,
      actions = case.actions ~= "none" and case.actions or nil,
    }
    return {cost = case.cost, actions = case.actions, kib = case.kib, E = result.cost}
  end,
  report = function(rows, out, cases)
    local table_rows, order, without, sizes, series = {}, {}, {}, {}, {}
    for _, row in ipairs(rows) do
      local key = row.cost .. " " .. row.actions
      if not order[key] then
        order[key] = {cost = row.cost, actions = row.actions, points = {}}
        table_rows[#table_rows + 1] = order[key]
      end
      if row.actions == "none" then without[row.cost .. row.kib] = row.E end
      without[row.cost] = without[row.cost] or row.E
      local line, base = order[key], without[row.cost .. row.kib]
      line["k" .. row.kib] = 100 * row.E / without[row.cost]
      line.points[#line.points + 1] = {row.kib, 100 * (row.E - base) / base}
      line.differs = line.differs or row.E ~= base
      -- it pays where E is lower than without the actions, by more than rounding
      if row.actions ~= "none" and row.E < base * (1 - 1e-9) then
        line.sizes = line.sizes or {}
        table.insert(line.sizes, ("%d KiB (%.2f percent)"):format(row.kib, 100 * (base - row.E) / base))
      end
      if not sizes["k" .. row.kib] then
        sizes["k" .. row.kib] = true
        sizes[#sizes + 1] = {"k" .. row.kib, title = row.kib .. " KiB", digits = 1}
      end
    end
    local columns = {"cost", "actions"}
    for _, column in ipairs(sizes) do columns[#columns + 1] = column end
    out:text("E of " .. cases[1].model .. " in percent of that without SRAM, by SRAM size:\n")
    out:markdown(table_rows, columns)
    out:text("")
    for _, line in ipairs(table_rows) do
      if line.actions ~= "none" then
        out:text(line.sizes
          and ("%s under %s lowers E at %s."):format(line.actions, line.cost, table.concat(line.sizes, ", "))
          or ("%s under %s lowers E at none of these sizes."):format(line.actions, line.cost))
      end
    end
    for _, line in ipairs(table_rows) do
      if line.differs then series[#series + 1] = {name = line.actions .. ", " .. line.cost, points = line.points} end
    end
    out:csv("cost_models.csv", rows, {"cost", "actions", "kib", "E"})
    if #series > 0 then
      out:plot("cost_models.svg", {
        title = "What further actions change", subtitle = cases[1].model .. "; sets that change nothing are left out",
        x = "SRAM, KiB", y = "E, % more than without", series = series,
      })
    end
  end,
}
