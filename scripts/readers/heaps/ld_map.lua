-- A map that GNU ld writes (-Map=FILE): output sections are segments, the sections of objects in them blocks.
--
--     Memory Configuration
--
--     Name             Origin             Length             Attributes
--     RAM              0x20000000         0x00020000         xrw
--
--     Linker script and memory map
--
--     .bss            0x20000010     0x4010
--      .bss.tensor_arena
--                     0x20000010     0x4000 main.o
--                     0x20000010                tensor_arena
--      *fill*         0x20004010        0x8
--
-- What stands before "Linker script and memory map" was discarded. Sections at address 0 (debug information) are in no memory, and .tbss takes none.
local byte_count = require("heap_sizes").bytes
local shown = require "shown"

stowage.reader {
  name = "ld-map",
  summary = "GNU ld's map of sections and objects in memory: a moment, without times",
  extensions = ".map .txt .log",
  has = {"Linker script and memory map", " *fill*%s0x%n", "Discarded input sections", ".bss%s0x ... 0x", ".data%s0x ... 0x"},
  looks = "a map of GNU ld",
  near = {"Linker script and", "Memory Configuration", "Archive member included to satisfy reference", "*fill*", "*(COMMON)", "*(.bss", "*(.data", "LOAD ... .o", ".text  ... 0x%w", ".rodata ... 0x%w"},
  paste = "from \"Linker script and memory map\" on",
  gives = "moment",
  any_bytes = true,

  read = function(input, moment)
    local regions, sections, section = {}, {}, nil
    local pieces, piece = {}, nil -- of all sections, in the order of the text
    local waiting, of_section = nil, false -- the name of a section of which the figures stand in the next line
    local discarded, in_regions = false, false
    local strange, fills = 0, 0

    local function clean(text)
      if not utf8.len(text) then text = text:gsub("[\x80-\xff]", "?") end
      return shown(text)
    end

    local function hexadecimal(text)
      return #text <= 16 and byte_count("0x" .. text) or nil
    end

    local function add_section(name, at, size)
      piece, section = nil, nil
      if at == 0 or size == 0 or name == ".tbss" then return end
      section = { name = name, from = at, to = at + size }
      sections[#sections + 1] = section
    end

    local function add_piece(name, at, size, object)
      piece = nil
      if at == 0 or size == 0 or name == ".tbss" then return end
      piece = { name = name, from = at, to = at + size, object = object ~= "" and object or nil, fill = name == "*fill*" }
      pieces[#pieces + 1] = piece
    end

    local function read_figures(name, whole, at, size, rest)
      at, size = hexadecimal(at), hexadecimal(size)
      if not at or not size then
        strange = strange + 1
      elseif whole then
        add_section(name, at, size)
      else
        add_piece(name, at, size, clean(rest:match "^%s*(.-)%s*$"))
      end
    end

    local function read_line(line)
      local name, at, size, rest = line:match "^ ?(%S+)%s+0x(%x+)%s+0x(%x+)%f[%X](.*)$"
      local whole = line:find "^[%._%a]" ~= nil
      local alone = line:match "^ ?(%S+)%s*$"
      local next_at, next_size, behind = line:match "^%s%s+0x(%x+)%s+0x(%x+)%f[%X](.*)$"
      local symbol_at, symbol = line:match "^%s%s+0x(%x+)%s+([%a_.$][%w_.$]*)%s*$"
      if name and (whole or line:find "^ [^%s]") and not name:find "^0x" then
        read_figures(clean(name), whole, at, size, rest)
      elseif waiting and next_at then
        read_figures(waiting, of_section, next_at, next_size, behind)
      elseif symbol and piece and not piece.symbol and hexadecimal(symbol_at) == piece.from then
        piece.symbol = clean(symbol)
      elseif alone and not alone:find "^[*(]" then
        waiting, of_section = clean(alone), whole
        return
      end
      waiting = nil
    end

    local function read_region(line)
      local name, from, length = line:match "^(%S+)%s+0x(%x+)%s+0x(%x+)"
      from, length = from and hexadecimal(from), length and hexadecimal(length)
      if from and length and name ~= "*default*" then regions[#regions + 1] = { name = clean(name), from = from, to = from + length, bytes = 0 } end
    end

    -- A line that a terminal broke begins with no blank, or with fewer than a name has behind it: such maps are not joined.
    for line, _, cut in input:lines() do
      if cut then line = line:gsub("%w+$", "") end
      if line:find("Linker script and memory map", 1, true) then
        discarded, in_regions, waiting, piece, section = false, false, nil, nil, nil
        sections, pieces = {}, {}
      elseif line:find("^Discarded input sections") then
        discarded = true
      elseif line:find("^Memory Configuration") then
        discarded, in_regions, regions = false, true, {}
      elseif in_regions then
        read_region(line)
      elseif not discarded then
        read_line(line)
      end
    end

    local function in_order(list)
      for i, one in ipairs(list) do one.order = i end
      table.sort(list, function(a, b) return a.from < b.from or (a.from == b.from and a.order < b.order) end)
    end
    in_order(sections)
    in_order(pieces)
    local kept, behind = {}, 0
    for _, one in ipairs(sections) do
      if one.from < behind then
        strange = strange + 1
      else
        behind = one.to
        kept[#kept + 1] = one
        local region
        for _, of in ipairs(regions) do
          if one.from >= of.from and one.to <= of.to then region = of end
        end
        if region then region.bytes = region.bytes + one.to - one.from end
        moment:segment { address = one.from, size = one.to - one.from, allocator = one.name, pool = region and region.name }
      end
    end
    local i = 1
    behind = 0
    for _, one in ipairs(pieces) do
      while kept[i] and kept[i].to <= one.from do i = i + 1 end
      local limit = kept[i] and (kept[i].from <= one.from and kept[i].to or kept[i].from) or math.maxinteger
      if one.from < behind or one.to > limit then
        strange = strange + 1
      else
        behind = one.to
        fills = fills + (one.fill and one.to - one.from or 0)
        moment:block { address = one.from, size = one.to - one.from, state = one.fill and "free" or "used",
          name = not one.fill and (one.symbol or one.name) or nil, origin = one.object }
      end
    end
    for _, of in ipairs(regions) do
      if of.bytes > 0 then note("%s: sections take %s of %s bytes", quote(of.name), count(of.bytes), count(of.to - of.from)) end
    end
    if fills > 0 then note("free is what the linker filled up so that the next section is aligned") end
    if strange > 0 then note("%d section%s overlap%s others, or %s cut, and left out", strange, strange == 1 and "" or "s", strange == 1 and "s" or "",
      strange == 1 and "is" or "are") end
    moment:about { what = "a linker's map" }
  end,
}
