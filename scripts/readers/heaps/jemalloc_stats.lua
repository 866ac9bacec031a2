-- What jemalloc's malloc_stats_print() writes: sums, and tables of the sizes that are in use.
--
--     ___ Begin jemalloc statistics ___
--     Allocated: 135168, active: 159744, metadata: 776000 (n_thp 0), resident: 802816, mapped: 4194304, retained: 0
--     Merged arenas stats:
--     bins:           size ind    allocated      nmalloc ...      curregs     curslabs regs pgs ...
--                        8   0          400           50 ...           50            1  512   1 ...
--                          ---
--     large:          size ind    allocated      nmalloc ...  curlextents
--     extents:        size ind       ndirty        dirty       nmuzzy        muzzy    nretained     retained ...
--
-- A table begins with the names of its columns; a row may be broken over lines. Tables of all arenas together stand first, where they are printed;
-- else those of the arenas are added up.
local byte_count = require("heap_sizes").bytes

local HEADER <const> = "^%s*(%a+):(%s.*%f[%a]size%f[%A].*)$"
local NAMES <const> = "^[%a%s_()#/%d]+$"
local LARGE_COUNTS <const> = { "curlextents", "curruns", "curhchunks" } -- of version 5, of 4 and before
local SLAB_COUNTS <const> = { "curslabs", "curruns" }

stowage.reader {
  name = "jemalloc-stats",
  summary = "jemalloc's malloc_stats_print(): sums, and what is in use by size: a moment, without times",
  extensions = ".log .txt",
  has = {"Begin jemalloc statistics", "Allocated: %d, active: %d, ", "bins:%ssize%sind%sallocated%snmalloc", "large:%ssize%sind%sallocated%snmalloc", "extents:%ssize%sind%sndirty%sdirty"},
  looks = "jemalloc's statistics",
  near = {"jemalloc statistics", "curregs", "curslabs", "nmalloc", "Merged arenas stats", "ndirty", "extent_avail", "opt.narenas"},
  paste = "from \"Begin jemalloc statistics\" on",
  gives = "moment",
  any_bytes = true,

  read = function(input, moment)
    local sums, several = {}, 0
    local scopes, scope = {}, nil -- "merged", or the number of an arena: its tables' rows
    local columns, table_name, names, pending = nil, nil, "", "" -- of a table; the names as they stand; a row as far as it was read
    local strange, dirty_left = 0, 0
    local free -- of slabs and extents

    local function open_scope(name)
      scope = { bins = {}, large = {}, extents = {} }
      scopes[name] = scope
    end

    local function of(row, names)
      for _, name in ipairs(names) do
        if row[name] then return row[name] end
      end
    end

    local function read_row(text)
      local row, at = {}, 0
      for word in text:gmatch "%S+" do
        at = at + 1
        if columns[at] and not row[columns[at]] then row[columns[at]] = byte_count(word) end
      end
      if at < #columns or not row.size then return false end
      local rows = scope[table_name == "huge" and "large" or table_name]
      if rows then rows[#rows + 1] = row end
      return true
    end

    local function read_header(name, text)
      if not scope then open_scope "?" end
      columns, table_name, names, pending = {}, name, text, ""
      for word in text:gmatch "%S+" do columns[#columns + 1] = word end
    end

    for line, _, cut in input:lines() do
      if cut then line = line:gsub("[%w.]+$", "") end
      local name, rest = line:match(HEADER)
      local arena = line:match "^%s*arenas%[(%d+)%]:"
      if line:find("Begin jemalloc statistics", 1, true) then
        several = several + (next(sums) and 1 or 0)
        sums, scopes, scope, columns = {}, {}, nil, nil
      elseif line:find("arenas stats:", 1, true) then -- "Merged", "Destroyed"
        columns = nil
        open_scope(line:find("Merged", 1, true) and "merged" or "destroyed")
      elseif arena then
        columns = nil
        open_scope(arena)
      elseif name and (rest:find("nmalloc", 1, true) or rest:find("ndirty", 1, true) or rest:find("allocated", 1, true)) then
        read_header(name, rest)
      elseif columns and names ~= "" and line:find(NAMES) and line:find "%a" then -- a terminal broke the names
        read_header(table_name, names .. line)
      elseif line:find("Allocated: %d") then
        columns = nil
        for key, value in line:gmatch "(%a+): (%d+)" do sums[key:lower()] = byte_count(value) end
      elseif columns and line:find "^%s*%-%-%-%s*$" then
        pending = ""
      elseif columns and line:find "^[%s%d.]+$" and line:find "%d" then
        names, pending = "", pending .. line
        if read_row(pending) then
          pending = ""
        elseif #pending > 4000 then
          strange, pending = strange + 1, ""
        end
      elseif not line:find "^%s*$" then
        columns = nil
      end
      if cut and pending ~= "" then strange = strange + 1 end
    end

    local function add_bins(rows)
      for _, row in ipairs(rows) do
        local regs, slabs = row.curregs, of(row, SLAB_COUNTS)
        local count_of = regs or (row.allocated and row.size > 0 and row.allocated // row.size)
        if count_of and count_of > 0 then moment:block { size = row.size, count = count_of } end
        local room = slabs and row.regs and slabs * row.regs - (regs or 0)
        if regs and room and room >= 0 then free = (free or 0) + room * row.size end
        if regs and room and room > 0 then moment:block { size = row.size, count = room, state = "free", name = "in slabs" } end
      end
    end

    local function add_large(rows)
      for _, row in ipairs(rows) do
        local count_of = of(row, LARGE_COUNTS) or (row.allocated and row.size > 0 and row.allocated // row.size)
        if count_of and count_of > 0 then moment:block { size = row.size, count = count_of } end
      end
    end

    -- Extents of one class differ in size: only where they come to that of the class is each known.
    local function add_extents(rows)
      for _, row in ipairs(rows) do
        for _, kind in ipairs { "dirty", "muzzy" } do
          local number, bytes = row["n" .. kind], row[kind]
          if number and bytes and number > 0 then
            free = (free or 0) + bytes
            if number == 1 or bytes == number * row.size then
              moment:block { size = bytes // number, count = number, state = "free", name = kind }
            else
              dirty_left = dirty_left + number
            end
          end
        end
      end
    end

    local chosen = scopes.merged and { scopes.merged } or {}
    if not scopes.merged then
      for key, of_arena in pairs(scopes) do
        if key ~= "destroyed" then chosen[#chosen + 1] = of_arena end
      end
    end
    for _, tables in ipairs(chosen) do
      add_bins(tables.bins)
      add_large(tables.large)
      add_extents(tables.extents)
    end
    if sums.allocated then moment:tell { figure = "in_use", bytes = sums.allocated } end
    if free then moment:tell { figure = "free", bytes = free } end
    if sums.mapped then moment:tell { figure = "reserved", bytes = sums.mapped } end
    local words = {}
    for _, key in ipairs { "active", "metadata", "resident", "retained" } do
      if sums[key] then words[#words + 1] = ("%s %s"):format(key, count(sums[key])) end
    end
    if #words > 0 then note("bytes: %s; retained ones are not among those mapped", table.concat(words, ", ")) end
    if dirty_left > 0 then note("of %s free extent%s only the class of sizes is told", count(dirty_left), dirty_left == 1 and "" or "s") end
    if strange > 0 then note("%d row%s cut, and left out", strange, strange == 1 and " is" or "s are") end
    if several > 0 then note("the text has %d more such report%s: the last one counts", several, several == 1 and "" or "s") end
    moment:about { what = "what jemalloc's malloc_stats_print() wrote" }
  end,
}
