-- First fit in two passes: what lives long first, what lives shortly into the space that is left, so that
-- short lives do not cut the space of long ones into pieces. `long` says how many steps make a life long.

-- The free spaces that the buffer sees, tier by tier, as candidates; the first that is large enough is chosen.
local function look(layout, buffer)
  local candidates, chosen = {}, nil
  for _, tier in ipairs(buffer.tiers) do
    for _, gap in ipairs(layout:free(buffer, tier)) do
      local size = gap.hi and math.max(gap.hi - gap.start, 0) -- nil: no end
      local fits = not size or size >= buffer.size
      local candidate = { tier = tier, offset = gap.start, size = size, verdict = "fits", reason = "large enough" }
      if not fits then
        candidate.verdict = "refused"
        candidate.reason = ("too small by %d B"):format(buffer.size - size)
      elseif not chosen then
        candidate.verdict, candidate.reason = "chosen", "the lowest that is large enough"
        chosen = candidate
      end
      candidates[#candidates + 1] = candidate
    end
  end
  return candidates, chosen
end

return {
  name = "long-first",
  summary = "Long lives by first fit, then short ones into what is left",
  group = "pass",
  parameters = {
    { name = "long", default = 8, lowest = 1, help = "steps that a buffer must live to count as long" },
  },
  plan = function(problem, layout, parameters)
    local function is_long(buffer)
      return buffer.last - buffer.first >= parameters.long
    end
    for pass = 0, 1 do
      for _, buffer in ipairs(problem.buffers) do
        if buffer.planned and is_long(buffer) == (pass == 0) then
          local candidates, chosen = look(layout, buffer)
          if not chosen then
            return -- no tier has room: the run ends without a layout
          end
          coroutine.yield {
            kind = "place", buffer = buffer, tier = chosen.tier, offset = chosen.offset, group = pass,
            candidates = candidates,
            reason = pass == 0 and "it lives long: the lowest place" or "it lives shortly: the lowest place that is left",
          }
        end
      end
    end
  end,
}
