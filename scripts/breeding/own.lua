--- The operators of order-genetic as they are built in, in Lua: the same seed gives the same bytes. To change one, copy
--- the file and leave out what shall stay as it is.

--- The window of `length` places with the most blocks that can reuse the one before, drawn among equals.
local function window(parent, length, random)
  local count = #parent.sequence
  local now, best, equals = 0, -1, {}
  for i = 2, length do
    now = now + (parent.reuse[i] and 1 or 0)
  end
  for at = 1, count - length + 1 do
    if at > 1 then
      now = now - (parent.reuse[at] and 1 or 0) + (parent.reuse[at + length - 1] and 1 or 0)
    end
    if now > best then
      best, equals = now, {}
    end
    if now == best then
      equals[#equals + 1] = at
    end
  end
  return equals[random(#equals)], #equals
end

return {
  name = "own",
  peak_first = true, -- a peak at the lower bound ends the search

  --- A random order.
  seed_population = function(_, random, info)
    local order = {}
    for i = 1, info.count do
      order[i] = i
    end
    for i = info.count, 2, -1 do
      local k = random(i)
      order[i], order[k] = order[k], order[i]
    end
    return order, "a random order, different from those before"
  end,

  --- The first parent's window stays where it is, the rest comes in the second parent's order.
  crossover = function(first, second, random, info)
    local length = info.window_min + random(info.window_max - info.window_min + 1) - 1
    local at, equals = window(first, length, random)
    local child, taken = {}, {}
    for i = at, at + length - 1 do
      child[i] = first.sequence[i]
      taken[child[i]] = true
    end
    local place = at == 1 and length + 1 or 1
    for _, block in ipairs(second.sequence) do
      if not taken[block] then
        child[place] = block
        place = place + 1
        place = place == at and at + length or place
      end
    end
    return child, {
      at = at, length = length,
      why = (equals > 1 and "one of the most" or "the most") .. " continuous window" .. (equals > 1 and "s" or "")
        .. ", the rest in the other's order",
    }
  end,

  --- Two places change; two more with the probability `swap`.
  mutate = function(child, random, info)
    local count = #child.order
    local a, b = random(count), random(count - 1)
    if b >= a then
      b = b + 1
    end
    local tenths = info.swap * 10
    local again
    if math.abs(tenths - math.floor(tenths + 0.5)) < 1e-9 then
      again = random(10) - 1 < math.floor(tenths + 0.5)
    else
      again = random(1000000) - 1 < info.swap * 1e6
    end
    return a, b, again, info.swaps == 0 and "two random positions, as a further adjustment"
      or "two more random positions, as happens with the probability `swap`"
  end,

  --- Less is better, the first number first: bytes above capacities, the arenas, the lowest tier's before all, and then
  --- the continuity, of which more is better.
  fitness = function(one)
    local figures = { one.above }
    if #one.arenas == 1 then
      figures[2] = one.peak
    end
    for tier = #one.arenas, 1, -1 do
      figures[#figures + 1] = one.arenas[tier]
    end
    figures[#figures + 1] = -one.continuity
    return table.unpack(figures)
  end,
}
