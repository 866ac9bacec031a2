--- The operators of segment-genetic as they are built in, in Lua: the same seed gives the same bytes. To change one, copy
--- the file and leave out what shall stay as it is.

--- The segments that the object fits, but for those where it would meet an object that it must not meet: those drawn
--- before it, and those that own a segment.
local function candidates(object, drawn, info, apart)
  local taken = {}
  if apart then
    for _, other in ipairs(info.objects[object].clashes) do
      local segment = other < object and drawn[other] or info.objects[other].owns
      if segment then
        taken[segment] = true
      end
    end
  end
  local found = {}
  for segment = 1, #info.segments do
    if not taken[segment] and info.fits(object, segment) then
      found[#found + 1] = segment
    end
  end
  return found
end

--- May `object` come after the last of the ring, which then goes where it is, while it goes where the first is?
local function can_follow(object, ring, segments, info)
  for _, before in ipairs(ring) do
    if segments[before] == segments[object] then
      return false
    end
  end
  return info.fits(ring[#ring], segments[object]) and info.fits(object, segments[ring[1]])
end

local function followers(ring, segments, info)
  local found = {}
  for _, object in ipairs(info.free) do
    if can_follow(object, ring, segments, info) then
      found[#found + 1] = object
    end
  end
  return found
end

return {
  name = "own_segments",
  planner = "segment-genetic",
  bytes = true, -- the fitness is the bytes that are moved

  --- Each object is in a random segment that it fits, away from those it must not meet where that can be.
  seed_population = function(_, random, info)
    local segments = {}
    for i, object in ipairs(info.objects) do
      if object.owns then
        segments[i] = object.owns
      else
        local found = candidates(i, segments, info, info.apart)
        if #found == 0 then
          found = candidates(i, segments, info, false)
        end
        if #found == 0 then
          return nil -- the planner says why
        end
        segments[i] = found[random(#found)]
      end
    end
    return segments, "each object but the chosen ones is in a random segment that it fits"
  end,

  --- Half of the objects that some parent has in the segment.
  crossover = function(parents, random, info)
    local there = {}
    for _, object in ipairs(info.free) do
      for _, parent in ipairs(parents) do
        if parent.segments[object] == info.segment then
          there[#there + 1] = object
          break
        end
      end
    end
    local half = (#there + 1) // 2
    local chosen = {}
    for i = 1, half do
      local other = i + random(#there - i + 1) - 1
      there[i], there[other] = there[other], there[i]
      chosen[i] = there[i]
    end
    return chosen, "half of the objects that any parent has in a random segment, where the parents differ"
  end,

  --- Objects of different segments that go round: two, or by lot up to `info.most`.
  mutate = function(one, random, info)
    local want = info.most > 2 and 1 + random(info.most - 1) or 2
    local begin = #info.free > 0 and random(#info.free) or 0
    local ring, found = {}, {}
    for i = 0, #info.free - 1 do
      ring[1] = info.free[(begin - 1 + i) % #info.free + 1]
      found = followers(ring, one.segments, info)
      if #found > 0 then
        break
      end
    end
    if #found == 0 then
      return {}, "no two objects of different segments can change places"
    end
    while #found > 0 and #ring < want do
      ring[#ring + 1] = found[random(#found)]
      found = #ring < want and followers(ring, one.segments, info) or {}
    end
    return ring, #ring > 2 and "each goes to the segment of the next, the last to that of the first"
      or "each goes to the segment of the other"
  end,

  --- Less is better.
  fitness = function(one)
    return one.migration
  end,
}
