--- Prefetch: wait in slow memory, work in fast memory.
---
--- A block that lies in a lower tier is brought into the highest one that has room just before the step in
--- which its uses come thickest, and stays there to its end. Until then it remains where it is. One transfer
--- is paid; every use from there on is a fast one. Weights and inputs, which are there from the start and used
--- late, are what this is for.

local function free_at(a, tier, first, last)
  for _, space in ipairs(a.room:free(a.buffer, tier, first, last)) do
    if not space.hi or space.hi - space.start >= a.buffer.size then
      return space.start
    end
  end
end

return {
  name = "prefetch",
  propose = function(a)
    local b = a.buffer
    if a.place.first ~= b.first or a.place.last ~= b.last then
      return nil, "its life is split already"
    end
    local why = "it lies in the highest tier it may live in"
    for _, tier in ipairs(a.problem.tiers) do
      if tier.name == a.place.tier then
        return nil, why
      end
      for _, use in ipairs(b.accesses) do -- the earlier it comes, the more uses are fast
        if use > b.first and use > a.step then
          local offset = free_at(a, tier, use, b.last)
          if offset then
            return {
              { tier = a.place.tier, offset = a.place.offset, first = b.first, last = use - 1 },
              { tier = tier, offset = offset, first = use, last = b.last },
            }
          end
        end
      end
      why = "no higher tier has room for it before a later use"
    end
    return nil, why
  end,
}
