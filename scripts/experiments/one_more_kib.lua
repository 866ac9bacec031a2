-- What one more KiB of SRAM buys: E by tier-search for every size, and the sizes after which the next KiB
-- pays most.
--   stowage run scripts/experiments/one_more_kib.lua model=example1 from=0 to=8
return {
  name = "one_more_kib",
  cases = function(args)
    local list = {}
    for kib = args.from or 0, args.to or 64, args.by or 1 do
      list[#list + 1] = {model = args.model or "mobilenet_v1_025_96", kib = kib}
    end
    return list
  end,
  run = function(case)
    local result = stowage.load(case.model):plan{planner = "tier-search", tiers = {
      {name = "sram", capacity = 1024 * case.kib, bandwidth = 16, latency = 1},
      {name = "dram", bandwidth = 2, latency = 30},
    }}
    return {model = case.model, kib = case.kib, E = result.cost}
  end,
  report = function(rows, out)
    local gains, curve, bars = {}, {}, {}
    for i, row in ipairs(rows) do
      curve[i] = {row.kib, row.E}
      local before = rows[i - 1]
      if before then
        local gain = (before.E - row.E) / (row.kib - before.kib)
        row.gain = gain
        bars[#bars + 1] = {row.kib, gain}
        gains[#gains + 1] = {from = before.kib, to = row.kib, E = row.E, gain = gain,
                             part = 100 * gain * (row.kib - before.kib) / rows[1].E}
      end
    end
    table.sort(gains, function(a, b) return a.gain > b.gain or a.gain == b.gain and a.to < b.to end)
    local top, idle, worse = {}, 0, 0
    for i, gain in ipairs(gains) do
      if i <= 8 and gain.gain > 0 then top[#top + 1] = gain end
      idle = idle + (gain.gain == 0 and 1 or 0)
      worse = worse + (gain.gain < 0 and 1 or 0)
    end
    out:text("The steps that pay most, for " .. rows[1].model .. ":\n")
    out:markdown(top, {{"from", title = "from KiB"}, {"to", title = "to KiB"}, {"E", title = "E after", digits = 0},
                       {"gain", title = "less E per KiB", digits = 1}, {"part", title = "% of E without", digits = 1}})
    out:text(string.format("\nOf %d steps %d buy nothing, and after %d the search ends at a higher E.",
                           #gains, idle, worse))
    out:csv("one_more_kib.csv", rows, {"model", "kib", "E", "gain"})
    out:plot("one_more_kib.svg", {title = "What one more KiB of SRAM buys", subtitle = rows[1].model,
                                  x = "SRAM, KiB", y = "E, cycles", series = {{name = "E by tier-search", points = curve}}})
    out:plot("one_more_kib_gain.svg", {title = "Less E for each further KiB", subtitle = rows[1].model, x = "SRAM, KiB",
                                       y = "less E per KiB, cycles", series = {{name = "gain", points = bars}}})
  end,
}
