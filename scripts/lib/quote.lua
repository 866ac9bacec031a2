-- A name of the input as messages show it: not longer than 1020 bytes, and cut between two characters.
local MOST <const> = 1020
return function(name)
  name = name:match("^[^\0]*")
  if #name <= MOST then return name end
  local stop = MOST
  while stop > 0 and name:byte(stop + 1) & 0xc0 == 0x80 do
    stop = stop - 1
  end
  return name:sub(1, stop) .. "..."
end
