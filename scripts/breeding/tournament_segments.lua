--- Selection for segment-genetic: the two fittest stay in any case, then the winners of tournaments.
local winners = require("winners")

return {
  name = "tournament_segments",
  planner = "segment-genetic",
  elite = 2,
  select = winners(function(a, b)
    if a.clashes ~= b.clashes then return a.clashes < b.clashes end
    return a.fitness < b.fitness
  end),
}
