--- The rules of lifetime-best-fit as they are built in, in Lua: the same bytes. To change one, copy the file and leave
--- out what shall stay as it is.

return {
  name = "own_fit",

  --- Of the free blocks that the buffer fits into the smallest, of equal ones the lowest.
  fit = function(_, free)
    local best = 1
    for i, block in ipairs(free) do
      if block.size < free[best].size then
        best = i
      end
    end
    return best, "smallest free block that fits"
  end,

  --- It fits into none. Of those that can be enlarged the largest, of equal ones the lowest.
  grow = function(_, free)
    local best = 1
    for i, block in ipairs(free) do
      if block.size > free[best].size then
        best = i
      end
    end
    return best, "the largest free block"
  end,
}
