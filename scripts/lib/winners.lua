--- winners(fitter): a selection for `select` of --breeding. Each place goes to the winner of a tournament of three that
--- are drawn at random. A weak member has a chance, and the population stays diverse for longer.
--- `fitter(a, b)`: is a fitter than b?
return function(fitter)
  --- `all`: those that may stay. Returns the numbers of those that do.
  return function(all, random, info)
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
  end
end
