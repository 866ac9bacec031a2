--- Selection for segment-genetic: the two fittest stay in any case; each other place goes to the winner of a tournament of
--- three that are drawn at random. A weak sequence has a chance, and the population stays diverse for longer.

local function fitter(a, b)
  if a.clashes ~= b.clashes then return a.clashes < b.clashes end
  return a.fitness < b.fitness
end

return {
  name = "tournament_segments",
  planner = "segment-genetic",
  elite = 2,

  --- `all`: the members of the population. Returns the numbers of those that stay.
  select = function(all, random, info)
    local left, chosen = {}, {}
    for i = 1, #all do left[i] = i end
    while #chosen < info.most and #left > 0 do
      local best = random(#left)
      for _ = 1, 2 do
        local other = random(#left)
        if fitter(all[left[other]], all[left[best]]) then best = other end
      end
      chosen[#chosen + 1] = left[best]
      left[best] = left[#left]
      left[#left] = nil
    end
    return chosen, "the elite, and the winners of tournaments of three"
  end,
}
