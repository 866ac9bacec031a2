-- The place of the first element of a list that is not `before` what is looked for, or behind the end: those that are come first.
return function(list, before)
  local lo, hi = 1, #list + 1
  while lo < hi do
    local mid = (lo + hi) // 2
    if before(list[mid]) then
      lo = mid + 1
    else
      hi = mid
    end
  end
  return lo
end
