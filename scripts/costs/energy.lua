--- Energy of memory traffic, in picojoules.
---
--- An access costs energy per byte that grows with the distance from the core, and writing costs somewhat
--- more than reading. The figures are of the order of those in the literature for a small on-chip SRAM,
--- a large one, flash and external DRAM; what counts is their ratio. A tier is known by its name; for
--- other names its place in the list decides: the first is taken as small SRAM, the last as DRAM.

local per_byte = { tcm = 0.6, sram = 1.2, l1 = 0.6, l2 = 3.0, l3 = 6.0, flash = 25.0, dram = 80.0, ddr = 80.0 }
local write_factor = 1.15
local first, last = 1.2, 80.0

local function of_place(tier, count)
  if count == 1 then
    return first
  end
  return first * (last / first) ^ ((tier.id - 1) / (count - 1))
end

return {
  name = "energy (pJ)",
  access = function(a)
    local picojoules = per_byte[a.tier.name:lower()] or of_place(a.tier, #a.problem.tiers)
    return a.bytes * picojoules * (a.write and write_factor or 1)
  end,
}
