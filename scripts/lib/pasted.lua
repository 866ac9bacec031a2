-- The lines of what people paste: without the colors of a terminal, the quotes of an answer ("> ") and the boxes of a table, and joined where a
-- terminal broke them. Readers look for words inside of lines, so that prompts, numbers and time stamps in front of them do no harm.
--
-- `fresh`: patterns of Lua that begin a line of what is read. Such a line does not go on the one before it.
local LEAST <const>, MOST <const> = 60, 250 -- columns of a terminal
local SHARE <const> = 12 -- where it broke lines, at least one of so many is as long as the longest

-- What the line begins with, without its figures: lines of one kind begin alike.
local function kind(line)
  return (line:sub(1, 8):gsub("%d", "0"))
end

return function(input, fresh)
  local longest, of_longest, count_lines = 0, 0, 0
  local colored, quoted, joined = false, false, 0
  for length in input:lines(true) do
    count_lines = count_lines + 1
    if length > longest then
      longest, of_longest = length, 0
    end
    of_longest = of_longest + (length == longest and 1 or 0)
  end
  local breaks = of_longest > 1 and of_longest * SHARE >= count_lines and longest >= LEAST and longest <= MOST

  local function clean(line)
    if line:find("\27", 1, true) then
      line, colored = line:gsub("\27%[[%d;:?]*[%a]", ""):gsub("\27", ""), true
    end
    while line:find("^ ?>") do
      line, quoted = line:gsub("^ ?>+ ?", ""), true
    end
    if line:sub(-1) == "\r" then line = line:sub(1, -2) end
    return line
  end

  local function goes_on(line, before)
    if kind(line) == kind(before) then return false end
    for _, pattern in ipairs(fresh) do
      if line:find(pattern) then return false end
    end
    return true
  end

  local paste = {}

  -- Line after line; where it begins; has the last no end?
  function paste.lines()
    local next_line = input:lines()
    local line, at, cut = next_line()
    return function()
      if not line then return end
      local whole, begin, ends = clean(line), at, cut
      local full = breaks and #line == longest
      line, at, cut = next_line()
      while full and line do
        local more = clean(line)
        if not goes_on(more, whole) then break end
        whole, ends, joined = whole .. more, cut, joined + 1
        full = #line == longest
        line, at, cut = next_line()
      end
      return whole, begin, ends
    end
  end

  -- A note on what was taken off.
  function paste.tell()
    local list = { colored and "colors" or nil }
    if quoted then list[#list + 1] = 'quotes ("> ")' end
    if joined > 0 then list[#list + 1] = ("the breaks of a terminal of %d columns"):format(longest) end
    if #list > 0 then note("taken off what was pasted: %s", table.concat(list, ", ")) end
  end

  return paste
end
