-- One block pinned at every place it could take: what does its place cost? The block is that which stands at the peak,
-- or block=NAME; the places are multiples of `by` KiB up to the peak of the plan without a pin.
--   stowage run scripts/experiments/pinned.lua model=mobilenet_v2 planner=best-fit by=16
local function plan(case, pins, give)
  return stowage.load(case.model):plan{planner = case.planner, pins = pins, give = give}
end

return {
  name = "pinned",
  cases = function(args)
    local case = {model = args.model or "mobilenet_v1_025_96", planner = args.planner or "greedy-by-size"}
    local free, block, top = plan(case, nil, {"placements"}), args.block, 0
    for _, place in ipairs(free.placements) do
      if not args.block and place.offset + place.size > top then
        block, top = place.buffer, place.offset + place.size
      end
    end
    local by, list = 1024 * (args.by or 1), {}
    for offset = 0, free.peak, by do
      list[#list + 1] = {model = case.model, planner = case.planner, block = block, offset = offset, free = free.peak}
    end
    return list
  end,
  run = function(case)
    local result = plan(case, {[case.block] = case.offset})
    return {offset = case.offset, peak = result.peak, more = result.peak - case.free, free = case.free}
  end,
  report = function(rows, out, cases)
    local same, least, most, curve = 0, rows[1], rows[1], {}
    for i, row in ipairs(rows) do
      same = same + (row.more <= 0 and 1 or 0)
      least = row.peak < least.peak and row or least
      most = row.peak > most.peak and row or most
      curve[i] = {row.offset, row.peak}
    end
    local first, last = cases[1], cases[#cases]
    local level = {{first.offset, first.free}, {last.offset, last.free}}
    out:text(("%s of %s, pinned at %d places, planned by %s:\n"):format(first.block, first.model, #rows, first.planner))
    out:markdown({
      {what = "without a pin", peak = first.free},
      {what = "at the best place", at = least.offset, peak = least.peak},
      {what = "at the worst place", at = most.offset, peak = most.peak},
    }, {{"what", title = "plan"}, {"at", title = "it lies at", bytes = true}, {"peak", bytes = true}})
    out:text(("\nAt %d of the %d places the peak is no higher than without a pin."):format(same, #rows))
    out:csv("pinned.csv", rows, {"offset", "peak", "more"})
    out:plot("pinned.svg", {
      title = ("The peak with %s pinned"):format(first.block), subtitle = first.model .. ", " .. first.planner,
      x = "offset of the pinned block", y = "peak of the arena", bytes_x = true, bytes_y = true,
      series = {{name = "pinned there", points = curve}, {name = "without a pin", points = level}},
    })
  end,
}
