-- SRAM size against multiply-adds: the networks that ship as models of TensorFlow Lite Micro, in strips of rows, with the whole
-- arena (plan and tail) in an SRAM that is smaller than the arena as built.
--   stowage run scripts/experiments/less_sram.lua models=resnet8 work=1000000
-- `models`: names of those below, or of other graphs with windows; `work`: what plans may spend on each.
local words = require("words")

local NETWORKS = {
  {name = "resnet8", model = "resnet8"},
  {name = "mobilenet_v2_035_144", model = "mobilenet_v2_035"},
  {name = "mobilenet_v2_035_224", model = "mobilenet_v2_035", args = {size = 224}},
  {name = "mobilenet_v2_100_224", model = "mobilenet_v2_035", args = {size = 224, alpha = 1.0}},
  {name = "mcunet_like_176", model = "mcunet_like"},
}
local PARTS = {90, 80, 70, 60, 50, 40, 30}

local function all()
  local names = {}
  for i, network in ipairs(NETWORKS) do names[i] = network.name end
  return table.concat(names, ",")
end

return {
  name = "less_sram",
  cases = function(args)
    local list = {}
    for name in words(args.models or all()) do
      local case = {name = name, model = name}
      for _, network in ipairs(NETWORKS) do
        case = network.name == name and network or case
      end
      list[#list + 1] = {name = case.name, model = case.model, args = case.args, work = args.work or 10000000}
    end
    return list
  end,
  run = function(case)
    local fit = stowage.load(case.model, {args = case.args}):fit{work = case.work}
    local front = {}
    for i, model in ipairs(fit.models) do
      front[i] = {arena = model.arena, head = model.head, work = model.work, operators = model.operators, moves = #model.moves}
    end
    return {model = case.name, front = front}
  end,
  report = function(rows, out)
    local series, table_rows, points = {}, {}, {}
    for i, row in ipairs(rows) do
      local built, least = row.front[1], row.front[2] or row.front[1]
      local line = {model = row.model, built = built.arena, least = least.arena, share = 100 * least.arena / built.arena, work = least.work}
      series[i] = {name = row.model, points = {}}
      for _, one in ipairs(row.front) do -- all but the first: the fewest bytes come first, and the fewest multiply-adds last
        local part = 100 * one.arena / built.arena
        points[#points + 1] = {model = row.model, arena = one.arena, part = part, head = one.head, work = one.work, operators = one.operators, moves = one.moves}
        for _, size in ipairs(PARTS) do
          local key = size .. " %"
          line[key] = part <= size and math.min(line[key] or one.work, one.work) or line[key]
        end
      end
      for k = 2, #row.front do
        series[i].points[k - 1] = {100 * row.front[k].arena / built.arena, row.front[k].work}
      end
      series[i].points[#row.front] = {100, 1}
      table_rows[i] = line
    end
    local columns = {"model", {"built", title = "arena as built", bytes = true}}
    for _, size in ipairs(PARTS) do columns[#columns + 1] = {size .. " %", digits = 3} end
    columns[#columns + 1] = {"least", title = "least arena", bytes = true}
    columns[#columns + 1] = {"share", title = "%", digits = 0}
    columns[#columns + 1] = {"work", title = "multiply-adds", digits = 3}
    out:text("Multiply-adds over the network's own, by SRAM size in percent of the arena as built:\n")
    out:markdown(table_rows, columns)
    out:csv("less_sram.csv", points, {"model", "arena", "part", "head", "work", "operators", "moves"})
    out:plot("less_sram.svg", {title = "SRAM size against multiply-adds", x = "SRAM, % of the arena as built",
                               y = "multiply-adds, times the network's own", series = series})
  end,
}
