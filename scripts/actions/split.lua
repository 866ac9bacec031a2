--- Split a lifetime: spill between uses and reload.
---
--- A block that is used, rests, and is used again need not rest in fast memory. The longest rest between two
--- of its uses is found; there the block lies in a lower tier, before and after it in the tier it is in, and
--- the two moves are transfers, which cost one read and one write each. What it gains is the room that others
--- have meanwhile. Takes blocks that lie whole in a tier that has a lower one; the last tier it tries first is
--- the nearest.

local function longest_rest(buffer, step)
  local from, to
  for i = 2, #buffer.accesses do
    local before, after = buffer.accesses[i - 1], buffer.accesses[i]
    if before >= step and after - before > 1 and (not from or after - before > to - from) then
      from, to = before, after
    end
  end
  return from, to
end

--- The lowest offset that is free for the buffer in the tier over these steps.
local function free_at(a, tier, first, last)
  for _, space in ipairs(a.room:free(a.buffer, tier, first, last)) do
    if not space.hi or space.hi - space.start >= a.buffer.size then
      return space.start
    end
  end
end

return {
  name = "split",
  propose = function(a)
    local b = a.buffer
    if a.place.first ~= b.first or a.place.last ~= b.last then
      return nil, "its life is split already"
    end
    local from, to = longest_rest(b, a.step)
    if not from then
      return nil, "it never rests between two uses"
    end
    local lower = false
    for _, tier in ipairs(a.problem.tiers) do
      if lower then
        local offset = free_at(a, tier, from + 1, to - 1)
        if offset then
          local list = {
            { tier = a.place.tier, offset = a.place.offset, first = b.first, last = from },
            { tier = tier, offset = offset, first = from + 1, last = to - 1 },
          }
          local back = free_at(a, a.place.tier, to, b.last)
          if not back then
            return nil, "there is no room to come back to"
          end
          list[3] = { tier = a.place.tier, offset = back, first = to, last = b.last }
          return list
        end
      end
      lower = lower or tier.name == a.place.tier
    end
    return nil, "no lower tier has room for it while it rests"
  end,
}
