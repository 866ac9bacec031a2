--- Cycles of memory traffic: the built-in rule, written out.
---
--- An access takes the latency of its tier and then its bytes at the tier's bandwidth; a tier with shared
--- banks makes everything longer by its conflict factor. A tier without a bandwidth costs its latency
--- alone. The figures are the ones the engine computes itself, to the last bit: start from here to
--- change one thing.

return {
  name = "latency + size / bandwidth",
  access = function(a)
    local tier = a.tier
    local cycles = tier.latency or 0.0
    if (tier.bandwidth or 0) > 0 then
      cycles = cycles + a.bytes / tier.bandwidth
    end
    return cycles * (1 + (tier.conflict or 0))
  end,
}
