-- Two units, sharing tokens or not: what token-sharing saves when the NPU's tensors are stored in its own
-- type, by width of that type, and whether it demands them for itself.
--   stowage run scripts/experiments/units.lua sizes=96 quantised=int8
local words = require("words")

return {
  name = "units",
  cases = function(args)
    local list = {}
    for size in words(args.sizes or "96,224") do
      for quantised in words(args.quantised or "int4,int8,int16") do
        for _, dedicated in ipairs{true, false} do
          list[#list + 1] = {size = size, quantised = quantised, dedicated = dedicated}
        end
      end
    end
    return list
  end,
  run = function(case)
    local graph = stowage.load("cpu_npu", {args = {size = case.size, quantised = case.quantised,
                                                   dedicated = case.dedicated}})
    local row = {size = case.size, quantised = case.quantised, dedicated = case.dedicated, naive = graph.naive,
                 bound = graph.lower_bound}
    row.apart = graph:plan{planner = "greedy-by-size"}.peak
    local shared = graph:plan{planner = "token-sharing"}
    row.shared, row.saved = shared.peak, shared.details.saved_bytes
    row.ids = shared.details.allocated and #shared.details.allocated
    return row
  end,
  report = function(rows, out)
    local series, by, names = {}, {}, {}
    for i, row in ipairs(rows) do
      row.part = 100 * row.shared / row.apart
      row.input = row.size .. "x" .. row.size
      local name = row.quantised .. (row.dedicated and ", dedicated" or ", not dedicated")
      if not by[name] then
        by[name] = {}
        series[#series + 1] = {name = name, points = by[name]}
      end
      if names[#names] ~= row.input then names[#names + 1] = row.input end
      table.insert(by[name], {#names, row.part})
    end
    out:text("Peak of cpu_npu without and with token-sharing:\n")
    out:markdown(rows, {"input", {"quantised", title = "stored as"}, {"dedicated", title = "NPU dedicated"},
                        {"naive", title = "without reuse", bytes = true},
                        {"apart", title = "declared types, greedy-by-size", bytes = true},
                        {"shared", title = "token-sharing", bytes = true}, {"part", title = "%", digits = 0},
                        {"ids", title = "memory ids"}})
    out:csv("units.csv", rows, {"size", "quantised", "dedicated", "naive", "bound", "apart", "shared", "saved", "ids"})
    out:plot("units.svg", {title = "token-sharing: peak against declared types", x = "input", names = names,
                           y = "peak, % of greedy-by-size", series = series})
  end,
}
