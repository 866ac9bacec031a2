--- The rules R1, R2, R4 and R5 of tier-search as they are built in, in Lua: the same plan. To change one, copy the file
--- and leave out what shall stay as it is.

--- R1: the tiers from the given one on downwards, and then those above it.
local function turn(place, info)
  local turn = place.tier.id - info.given.id
  return turn >= 0 and turn or #info.problem.tiers + place.tier.id
end

--- R5: it touches what dies later; when both die at once, the side that is nearer to a boundary of the tier.
local function later(a, b)
  if a.dies ~= b.dies then
    return not a.dies or (b.dies and a.dies > b.dies) -- a boundary never dies
  end
  local high_is_nearer = a.dies and (a.tier.capacity or math.huge) - a.hi < a.lo
  return (a.side == "high") == (high_is_nearer or false)
end

return {
  name = "own_places",

  places = function(_, places, info)
    local order = {}
    for i in ipairs(places) do
      order[i] = i
    end
    table.sort(order, function(i, j)
      local a, b = places[i], places[j]
      if a.tier.id ~= b.tier.id then
        return turn(a, info) < turn(b, info)
      end
      if a.lo ~= b.lo then -- R2: the smallest free space, of equal ones the lowest
        local one, other = (a.hi or math.huge) - a.lo, (b.hi or math.huge) - b.lo
        return one < other or (one == other and a.lo < b.lo)
      end
      return i ~= j and later(a, b)
    end)
    local tier = places[order[1]].tier.id
    local given = info.given.id > 1 and tier >= info.given.id
    return order, given and "smallest free space that fits in the tier that it is given, or below"
      or "smallest free space of the highest tier that fits"
  end,
}
