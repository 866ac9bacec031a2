--- Split a lifetime: spill between uses and reload.
---
--- A block that is used, rests, and is used again need not rest in fast memory. The longest rest between two
--- of its uses is found; there the block lies in a lower tier, and before and after it in the highest one that
--- has room for it then. The two moves are transfers, which cost one read and one write each; what they
--- gain is the room that others have meanwhile, or fast uses where there was room for none of them. Takes
--- blocks with a life in one piece.

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

--- Where it can work: the highest tier with room both before and after the rest.
local function work_place(a, from, to)
  for _, tier in ipairs(a.problem.tiers) do
    local before = free_at(a, tier, a.buffer.first, from)
    local after = before and free_at(a, tier, to, a.buffer.last)
    if after then
      return tier, before, after
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
    local tier, before, after = work_place(a, from, to)
    if not tier then
      return nil, "no tier has room for it while it is used"
    end
    for id = tier.id + 1, #a.problem.tiers do
      local rest = free_at(a, id, from + 1, to - 1)
      if rest then
        return {
          { tier = tier, offset = before, first = b.first, last = from },
          { tier = id, offset = rest, first = from + 1, last = to - 1 },
          { tier = tier, offset = after, first = to, last = b.last },
        }
      end
    end
    return nil, "no lower tier has room for it while it rests"
  end,
}
