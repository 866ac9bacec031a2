-- XLA's NAME-memory-usage-report.txt: what the memory of a compiled module is made of. It tells no lifetimes, so that all it lists lives at
-- one time, and the peak is the total that the report gives. Until 2025 it lists allocations,
--
--     512.0KiB( 67%);   256.0KiB; allocation 6: size 512.0KiB, preallocated-temp:
--
-- since then, of each allocation in each memory space, the places that values have in it. Sizes are rounded for people; shapes beside them
-- tell the exact ones.
local shown = require "shown"

local MOST_BYTES <const> = stowage.most_bytes
local UNITS <const> = "KMGTPE"
local TABLE_NAME <const> = 50 -- bytes of a space's name in the names of its allocations

-- The size that a shape has, if it rounds to this one.
local function made_exact(bytes, slack, shape)
  return math.abs(shape - bytes) <= slack and shape or bytes
end

stowage.reader {
  name = "xla-report",
  summary = "XLA's NAME-memory-usage-report.txt: it has no lifetimes, everything is there at one time",
  extensions = ".txt",
  begins = {" Total bytes used: ", " Memory Space: "},
  looks = "XLA's NAME-memory-usage-report.txt",
  near = {"Total bytes used", "Memory Space:", "cumulative_size;", "used_by_n_values", "Allocations sorted by size", "are less than 5% of the total size", "; allocation %d: size"},
  paste = "the whole file, from its first line on",
  gives = "graph",

  read = function(input, graph)
    local begin -- of the present line
    local rows, spaces = {}, {}
    local space, tables -- the last; which allocation of it is read: 0: none
    local rounded = 0 -- sizes that no shape makes exact

    -- "512.0KiB", "20B", and how far the exact size may be from it.
    local function read_human()
      local whole = input:read("%s%n")
      if not whole or whole < 0 then return end
      local hundredths, unit = 0, 1
      if input:word(".") then
        local from = input:at()
        hundredths = input:read("%n")
        local digits = input:at() - from
        if not hundredths or hundredths < 0 or digits > 2 then return end
        hundredths = digits == 1 and 10 * hundredths or hundredths
      end
      local letter = input:take("[" .. UNITS .. "]")
      if letter then
        unit = 1 << 10 * UNITS:find(letter, 1, true)
        if not input:word("i") then return end
      end
      if not input:word("B") or whole > MOST_BYTES // unit then return end
      local bytes = whole * unit + hundredths * (unit // 100) + hundredths * (unit % 100) // 100
      if bytes < MOST_BYTES then return bytes, unit == 1 and 0 or unit // 16 + 1 end
    end

    -- The largest (0: none is known) of "f32[256,256]×2, f32[4]" or "2×f32[256,256], f32[4]".
    local function largest_shape()
      local largest, more = 0, not input:take("$")
      while more do
        input:take("%d+×")
        local size = input:shape_size()
        if not size then return 0 end
        largest = math.max(largest, size)
        more = input:past(", ") and not input:take("$")
      end
      return largest
    end

    local function add_row(name, kind, size)
      if size > MOST_BYTES - space.sum then fail(nil, "the sizes add up past 2^61 bytes") end
      space.sum = space.sum + size
      rows[#rows + 1] = { name = name, tier = space, kind = kind, size = size, at = begin }
    end

    -- "  512.0KiB( 67%);   256.0KiB; allocation 6: size 512.0KiB, parameter 0, shape |f32[8]| at ShapeIndex {}:"
    local function read_allocation()
      local number = input:read("%n: size ")
      local size, slack
      if number then
        size, slack = read_human()
      end
      if not size then fail(nil, "this is no allocation with its size: allocation 0: size 4.0KiB") end
      local kind = input:find(", parameter ") and "input" or input:find(", maybe-live-out") and "output" or "intermediate"
      local name = ("allocation %d%s"):format(number, input:find("preallocated-temp") and " (temporary)" or "")
      local shape
      if input:past("hape ") then -- "shape |...|", or "output shape is |...|"
        input:word("is ")
        shape = input:word("|") and input:shape_size()
      end
      local exact = shape and made_exact(size, slack, shape) or size
      if slack > 0 and exact ~= shape then rounded = rounded + 1 end
      add_row(name, kind, exact)
    end

    -- "   256.0KiB( 50%);   256.0KiB;            0;                2; f32[256,256]×2": a place within an allocation. Its end may be
    -- that of the allocation.
    local function read_place()
      local size, slack
      if input:past(");") then
        size, slack = read_human()
      end
      local offset = size and input:word(";") and input:read("%s%n")
      local good = offset and offset >= 0 and input:word(";")
      input:read("%s")
      good = good and input:read("%n; ")
      if not good or offset > MOST_BYTES - size then fail(nil, "this is no place in an allocation: size; offset; values; shapes") end
      local shape = largest_shape()
      local exact = made_exact(size, slack, shape)
      if slack > 0 and exact ~= shape then rounded = rounded + 1 end
      local row = rows[#rows]
      if offset + exact > row.size then
        space.sum, row.size = space.sum + offset + exact - row.size, offset + exact
      end
    end

    -- "Total bytes used: 786452 (768.0KiB)", or "Memory Space: hbm (color=3)" and "Total bytes: 786452 (768.0KiB)"
    local function read_total()
      local total = input:read("%n")
      if not total or total < 0 or total >= MOST_BYTES then fail(nil, "the total is not a number up to 2^61") end
      space.total = total
    end

    local function begin_space(name)
      if #spaces == stowage.most_tiers then fail(nil, "more than %d memory spaces", stowage.most_tiers) end
      space, tables = { name = name, sum = 0 }, 0
      spaces[#spaces + 1] = space
    end

    -- True: what follows is the same again, with more words.
    local function read_line()
      input:read("%s")
      if input:word("Memory Space: ") then
        begin_space(input:upto(" (color="))
      elseif input:word("Total bytes used: ") then
        begin_space("memory")
        read_total()
      elseif space and input:word("Total bytes: ") then
        read_total()
      elseif input:word("Allocations sorted by size with their values") then
        return true
      elseif space and input:word("cumulative_size;       size;") then
        tables = tables + 1
        add_row(("%s %d"):format(cut(space.name, TABLE_NAME), tables), "intermediate", 0)
      elseif not space or not input:find("%); ") then
        return
      elseif tables > 0 then
        read_place()
      elseif input:past("; allocation ") then
        read_allocation()
      end
    end

    for _, at in input:lines() do
      begin = at
      if read_line() then break end
    end
    if #rows == 0 then
      fail(nil, "%s", input:bytes():find("Used values:", 1, true) and "these are names of values alone; open NAME-buffer-assignment.txt " ..
        "beside this file" or "the report lists no allocation")
    end

    local name_of = unique()
    local function add_buffer(name, tier, kind, size, at)
      graph:buffer { name = name_of(name), kind = kind, size = size, tier = #spaces > 1 and tier or nil, first = 0, last = 0, at = at }
    end
    for _, one in ipairs(#spaces > 1 and spaces or {}) do
      one.name = name_of(one.name)
      graph:tier { name = one.name }
    end
    local last
    for _, row in ipairs(rows) do
      add_buffer(shown(row.name), row.tier.name, row.kind, row.size, row.at)
      last = row.at
    end
    for _, one in ipairs(spaces) do
      if one.total and one.sum < one.total then add_buffer("not listed", one.name, "intermediate", one.total - one.sum, last) end
    end
    note("the report has no lifetimes: everything is there at one time; NAME-buffer-assignment.txt beside it has XLA's plan")
    for _, one in ipairs(spaces) do
      if one.total then note("%s: %s bytes in all as the report says, %s in what it lists", one.name, count(one.total), count(one.sum)) end
    end
    if rounded > 0 then note("sizes that are rounded, as the report has them: %d", rounded) end
  end,
}
