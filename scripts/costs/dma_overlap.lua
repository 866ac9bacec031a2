--- Cycles of a run in which a DMA engine moves data while the core computes.
---
--- A step computes at `rate` bytes of operands per cycle, from wherever they lie. What lies in tier 1 feeds
--- the core directly. Operands in lower tiers are streamed in or out by DMA while the step computes, and so
--- are the transfers of the next step: a step takes as long as the longer of the two, computing and moving.
--- The first transfers have nothing to hide behind. So slow memory is free as long as there is enough to
--- compute, which no sum over accesses can say.

local rate = 16.0

local function moving(tier, bytes)
  return (tier.latency or 0) + ((tier.bandwidth or 0) > 0 and bytes / tier.bandwidth or 0.0)
end

return {
  name = "DMA overlapped with compute",
  whole = function(layout)
    local problem = layout:problem()
    local tiers, transfers = {}, {}
    for _, tier in ipairs(problem.tiers) do
      tiers[tier.name] = tier
    end
    for _, t in ipairs(layout:transfers()) do -- one read at its source, one write at its target
      local place = layout:at(t.buffer, t.step) or layout:at(t.buffer)
      local bytes = place and place.size or 0
      local cost = 0.0
      for _, name in ipairs { t.from or false, t.to or false } do
        cost = cost + (name and moving(tiers[name], bytes) or 0.0)
      end
      transfers[t.step] = (transfers[t.step] or 0.0) + cost
    end
    local total = transfers[0] or 0.0
    for step = 0, problem.steps - 1 do
      local compute, dma = 0.0, transfers[step + 1] or 0.0
      for _, a in ipairs(layout:accesses(step)) do
        compute = compute + a.size / rate
        if tiers[a.tier].id > 1 then
          dma = dma + moving(tiers[a.tier], a.size)
        end
      end
      total = total + math.max(compute, dma)
    end
    return total
  end,
}
