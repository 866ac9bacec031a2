--- Selection for order-genetic: the two fittest stay in any case, then the winners of tournaments.
local winners = require("winners")

return {
  name = "tournament",
  elite = 2,
  select = winners(function(a, b)
    if a.above ~= b.above then return a.above < b.above end
    if a.peak ~= b.peak then return a.peak < b.peak end
    return a.continuity > b.continuity
  end),
}
