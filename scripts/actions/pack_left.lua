--- Pack to the left.
---
--- The block goes to the lowest free offset of its own tier, so that what is free collects at the high end,
--- in one piece, where a large block of a later step may find room. This alone costs nothing and gains
--- nothing; it pays through what the later steps make of it.

return {
  name = "pack to the left",
  propose = function(a)
    for _, space in ipairs(a.room:free(a.buffer, a.place.tier)) do
      if not space.hi or space.hi - space.start >= a.buffer.size then
        if space.start >= a.place.offset then
          return nil, "nothing lower is free"
        end
        return { offset = space.start }
      end
    end
    return nil, "nothing is free in its tier"
  end,
}
