--- Swap two blocks.
---
--- The block and another one that is alive at the same step change places. The rules of the planner put
--- the block that comes first into fast memory; when a later one is read more often, neither of the two can
--- move alone, since each lies where the other wants to go. Partners are those in other tiers that
--- are alive now; the one with the most traffic per byte is proposed, where the exchange moves traffic
--- up. The engine checks the pair, and refuses it with a reason when one of them does not fit.

local function traffic(buffer)
  return #buffer.accesses / math.max(buffer.size, 1)
end

return {
  name = "swap",
  propose = function(a)
    local problem, own = a.problem, a.buffer
    local own_tier
    for _, tier in ipairs(problem.tiers) do
      own_tier = tier.name == a.place.tier and tier or own_tier
    end
    local best, best_traffic
    for _, tier in ipairs(problem.tiers) do
      if tier.id ~= own_tier.id then
        for _, other in ipairs(a.state:blocks(tier, a.step)) do
          local gain = traffic(problem.buffers[other.id]) - traffic(own)
          if tier.id < own_tier.id then
            gain = -gain
          end
          local is_whole = other.first == problem.buffers[other.id].first
            and other.last == problem.buffers[other.id].last
          if gain > 0 and is_whole and (not best or gain > best_traffic) then
            best, best_traffic = other, gain
          end
        end
      end
    end
    if not best then
      return nil, "no buffer in another tier is worth the exchange"
    end
    return {
      { buffer = own, tier = best.tier, offset = best.offset },
      { buffer = best.id, tier = a.place.tier, offset = a.place.offset },
    }
  end,
}
