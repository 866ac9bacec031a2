local heap_sizes = {}

-- A number of bytes in a text, of digits or 0x and hexadecimal digits; nil: it is none, or more than there can be.
function heap_sizes.bytes(text)
  local number = text and #text <= 19 and math.tointeger(tonumber(text))
  return number and number >= 0 and number <= stowage.most_bytes and number or nil
end

-- Of `count` pieces that come to `total` bytes, of which the smallest and the largest are told (nil: it is not): those of which the size follows, each
-- size with how many of it, and how many pieces have a size that does not follow.
function heap_sizes.known(count, total, smallest, largest)
  local sizes, left = {}, count
  if count < 1 or (count == 1 and not (total or smallest or largest)) then return sizes, count end
  if count == 1 then return { { total or largest or smallest, 1 } }, 0 end
  if smallest and smallest == largest then return { { smallest, count } }, 0 end
  for _, size in ipairs { largest or false, smallest or false } do
    if size then
      sizes[#sizes + 1] = { size, 1 }
      left, total = left - 1, total and total - size
    end
  end
  if not total or left < 0 or total < 0 then return sizes, math.max(left, 0) end
  local low, high = smallest or 0, largest or math.maxinteger
  if left == 1 and total >= low and total <= high then
    sizes[#sizes + 1] = { total, 1 }
    left = 0
  elseif left > 1 and (total == left * (smallest or -1) or total == left * (largest or -1)) then
    sizes[#sizes + 1] = { total // left, left }
    left = 0
  end
  return sizes, left
end

return heap_sizes
