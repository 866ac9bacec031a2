--- Cycles of memory traffic where a tier is made of banks.
---
--- A tier is interleaved in blocks of `line` bytes over `banks` banks. What one operator reads and writes it
--- streams at the same time; two streams of one tier that start in the same bank meet in every cycle, and
--- each of them waits for the other. So a step costs, per tier, its bytes at full bandwidth, and the
--- bytes of every stream once more for each earlier one that starts in its bank. Placement matters, not
--- only the tier: the same layout moved by one line can be cheaper.

local banks, line = 8, 64

local function bank_of(offset)
  return (offset // line) % banks
end

local function step_cost(accesses, problem_tiers)
  local cycles = 0.0
  local met = {} -- tier -> bank -> how many streams start there
  for _, a in ipairs(accesses) do
    local tier = problem_tiers[a.tier]
    local seen = met[a.tier] or {}
    met[a.tier] = seen
    local bank = bank_of(a.offset)
    local others = seen[bank] or 0
    seen[bank] = others + 1
    local stream = (tier.bandwidth or 0) > 0 and a.size / tier.bandwidth or 0.0
    cycles = cycles + (tier.latency or 0) + stream * (1 + others)
  end
  return cycles
end

return {
  name = "bank conflicts",
  whole = function(layout)
    local problem = layout:problem()
    local tiers = {}
    for _, tier in ipairs(problem.tiers) do
      tiers[tier.name] = tier
    end
    local total = 0.0
    for step = 0, problem.steps - 1 do
      total = total + step_cost(layout:accesses(step), tiers)
    end
    return total
  end,
}
