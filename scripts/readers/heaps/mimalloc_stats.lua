-- What mimalloc's mi_stats_print() writes, rounded down to tenths:
--
--     heap stats:     peak      total      freed    current       unit      count
--       reserved:   944.2 mb   946.7 mb     2.5 mb   944.1 mb       1 b              not all freed!
--      committed:   339.4 mb   697.2 mb   357.7 mb   339.4 mb       1 b              not all freed!
--
--     subproc 0
--      arenas          peak       total     current       block      total#
--       reserved  :     1.0 GiB     1.0 GiB     1.0 GiB
--
-- The first version has no current: what was had in total less what was freed.

local SHIFTS <const> = { b = 0, k = 10, m = 20, g = 30, t = 40 }
local AMOUNT <const> = "^%s*(%-?)(%d+)%.?(%d*)%s*([kKmMgGtT]?i?[bB]?)()"
local ROWS <const> = { -- of a row: what its current value is, and its peak
  reserved = { "reserved", "peak_reserved" }, total = { "in_use", "peak_used" }, ["malloc req"] = { "requested" },
}

stowage.reader {
  name = "mimalloc-stats",
  summary = "mimalloc's mi_stats_print(): sums, rounded: a moment, without times",
  extensions = ".log .txt",
  has = {"heap stats:%speak%stotal", " arenas%speak%stotal%scurrent", " blocks%speak%stotal%scurrent", "committed:%s%d ... not all freed", "segments:%s%d ... not all freed"},
  looks = "mimalloc's statistics",
  near = {"heap stats:", "not all freed", "-abandoned:", "-cached:", "numa nodes:", "malloc req ", "bin S ", "subproc %d", "mimalloc: "},
  paste = "what mi_stats_print() prints, in whole lines",
  gives = "moment",
  any_bytes = true,

  read = function(input, moment)
    local columns = { "peak", "total", "freed", "current", "unit", "count" } -- as long as no line names them
    local committed, process = nil, nil
    local blocks, sized, whole = {}, 0, false -- of one size each; rows of which the number of blocks is not known; all of them are told, too
    local summed = false -- some sum is told
    local rows = { bytes = 0, about = 0, number = 0 } -- of all sizes

    -- "944.2 mb" in bytes, and how far more it may be; "16.9 K" is a number of things, and without a unit it is exact.
    local function amount(text)
      local sign, whole, tenths, unit, behind = text:match(AMOUNT)
      if not whole or #whole > 15 or #tenths > 1 then return nil, 0, text:sub(2) end
      local shift = SHIFTS[unit:sub(1, 1):lower()] or 0
      local bytes = math.tointeger(tonumber(whole)) << shift
      bytes = bytes + (tonumber(tenths) or 0) * (1 << shift) // 10
      if bytes > stowage.most_bytes then return nil, 0, text:sub(behind) end
      return sign == "-" and -bytes or bytes, shift == 0 and 0 or (1 << shift) // 10 + 1, text:sub(behind)
    end

    local function read_values(rest)
      local values = {}
      for _, name in ipairs(columns) do
        local bytes, about
        bytes, about, rest = amount(rest)
        if not bytes then break end
        values[name] = { bytes, about }
      end
      if not values.current and values.total and values.freed and not table.concat(columns, " "):find("current", 1, true) then
        values.current = { values.total[1] - values.freed[1], values.total[2] + values.freed[2] }
      end
      return values
    end

    local function tell(figure, value)
      if figure and value and value[1] >= 0 then moment:tell { figure = figure, bytes = value[1], about = value[2] } end
    end

    -- A row of one size of blocks counts where what is in use of it is exact.
    local function read_size(values)
      local now, unit = values.current, values.unit or values.block
      if not now or not unit or unit[1] <= 0 or now[1] < 0 then return end
      rows = { bytes = rows.bytes + now[1], about = rows.about + now[2], number = rows.number + 1 }
      if now[1] == 0 then return end
      if now[2] == 0 and unit[2] == 0 and now[1] % unit[1] == 0 then
        blocks[#blocks + 1] = { size = unit[1], count = now[1] // unit[1] }
      else
        sized = sized + 1
      end
    end

    for line, _, cut in input:lines() do
      if cut then line = line:gsub("[%w.]+$", "") end
      local names = line:match "%f[%a]peak%s+total%s+.*$"
      if names then
        columns = {}
        for word in names:gmatch "[%a#]+" do columns[#columns + 1] = word end
      else
        local before, rest = line:match "^(.-)%s*:(%s+%-?%d.*)$"
        while before and rest:find "^%s+%-?%d+%]?:" do -- a prefix has a colon, too
          before, rest = rest:match "^(.-)%s*:(%s+%-?%d.*)$"
        end
        local name = before and (before:match "([%a][%a ]-%s*%d*)$")
        local last = name and name:match "(%a+)$"
        if name and (name:find "normal%s+%d+$" or name:find "bin%s+%u?%s*%d+$") then
          read_size(read_values(rest))
        elseif name and (ROWS[last] or name:find "malloc req$") then
          local values, row = read_values(rest), ROWS[last] or ROWS["malloc req"]
          whole = whole or row[1] == "in_use" and values.current ~= nil
          summed = true
          tell(row[1], values.current)
          tell(row[2], values.peak)
        elseif last == "committed" then
          committed = read_values(rest).current
        end
        local rss = line:match "rss:%s*(.*)$"
        if rss then process = amount(rss) end
      end
    end
    if not summed and sized > 0 and rows.bytes <= stowage.most_bytes then
      moment:tell { figure = "in_use", bytes = rows.bytes, about = rows.about }
      note("in use is the sum of the %d row%s of sizes in the text", rows.number, rows.number == 1 and "" or "s")
    end
    for _, block in ipairs((sized == 0 or whole) and blocks or {}) do moment:block(block) end
    if sized > 0 then note("%d row%s of blocks of one size %s rounded: which number of blocks is in use does not follow", sized, sized == 1 and "" or "s",
      sized == 1 and "is" or "are") end
    if committed and committed[1] >= 0 then note("committed by the system: %s bytes%s", count(committed[1]), committed[2] > 0 and ", rounded" or "") end
    if process and process >= 0 then note("the process had %s bytes in memory at most, rounded", count(process)) end
    moment:about { what = "what mimalloc's mi_stats_print() wrote" }
  end,
}
