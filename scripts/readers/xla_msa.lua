-- What XLA's memory space assignment dumps: which values get a place in the alternate memory (a chip's fast memory), where and when. Three
-- tables; the names of their files differ in one word:
--
--     bufferinfo     the values in the order in which the algorithm takes them, with what they would gain
--     allocinfo      the places that were assigned; a value may have several, one after another
--     scheduleinfo   the instructions, which are the times
--
-- Any of them can be opened; the others are taken when they lie beside it. What is told is the result of each value, printed when all was
-- done, and so is what is written here: a place, or none. The default memory has no addresses.
local find_last, shown, unique = require "find_last", require "shown", require "unique"

local MOST_BYTES <const>, EARLIEST <const>, LATEST <const> = 1 << 61, -(1 << 62), (1 << 62) - 1
local MOST_AGAIN <const> = 200 -- bytes of the uses of a value that are told with each of its places
local MISSING <const> = {
  bufferinfo = "the order of the decisions, names and uses are not known",
  allocinfo = "what was decided about these values is not known",
  scheduleinfo = "what runs at a time is not known",
}
local TABLES <const> = {
  { "bufferinfo", "buffer_id,buffer_name,alt_mem_benefit,size,definition_time,use_times,use_names" },
  { "allocinfo", "buffer_id,size,offset,start_time,end_time" },
  { "scheduleinfo", "time,instruction_name" },
}

-- Is the first line of a file the header of the table? Newer versions of the first have one column more.
local function has_header(file, of_table)
  local line = file:bytes(1, math.min(file.length, 100)):gsub("^\xef\xbb\xbf", ""):match("^[^\r\n]*")
  return line == of_table[2] or of_table[1] == "bufferinfo" and line:sub(1, #of_table[2] + 1) == of_table[2] .. ","
end

-- A figure as a number; nil: it is infinite, or none.
local function figure_of(text)
  local number = not text:find("%s$") and tonumber(text)
  return number and number - number == 0 and number + 0.0 or nil
end

stowage.reader {
  name = "xla-memory-space",
  summary = "XLA's memory space assignment: its tables bufferinfo, allocinfo and scheduleinfo beside each other; both ends of a time are inside",
  extensions = ".csv",
  begins = {"buffer_id,buffer_name,alt_mem_benefit,size,definition_time,use_times,use_names,", "buffer_id,buffer_name,alt_mem_benefit,size,definition_time,use_times,use_names\n", "buffer_id,size,offset,start_time,end_time\n", "time,instruction_name\n"},
  gives = "trace",

  read = function(input, trace)
    local values, places, schedule, have = {}, {}, {}, {}
    local name_of, operator_of = unique(), unique()
    local source, line, begin, number -- the table that is read, its present line

    -- ---- rows ----

    local function here()
      return source:at() - begin + 1
    end

    local function bad_row(what)
      source:fail(nil, "%s", what)
    end

    local function read_number(what, lowest, highest)
      local at = source:at()
      local value = source:read("%n") or source:fail(nil, "%s is not a number", what)
      if value < lowest or value > highest then source:fail(at, "%s must be from %d to %d", what, lowest, highest) end
      return value
    end

    local function read_comma()
      if not source:word(",") then bad_row("a comma is missing here") end
    end

    local function read_id()
      return read_number("buffer_id", -math.maxinteger, math.maxinteger)
    end

    local function read_size(what)
      return read_number(what, 0, MOST_BYTES)
    end

    local function read_time(what)
      return read_number(what, EARLIEST, LATEST)
    end

    -- "3;7;9": as a text, and the largest, which is the last use.
    local function read_uses(defined)
      local last
      if not source:word('"') then bad_row("the times of the uses are missing here") end
      local from = here()
      local closed = source:word('"')
      while not closed do
        local time = here() <= #line and read_time("the time of a use")
        local more = time and source:word(";")
        closed = source:word('"')
        if not more and not closed then bad_row("the times of the uses end with a quote") end
        last = math.max(last or defined, time)
      end
      return line:sub(from, here() - 2), last
    end

    local function read_value()
      local value = { id = read_id(), at = number }
      read_comma()
      if not source:word('"') or not source:find('",') then bad_row("a text in quotes is missing here") end
      value.name = source:upto('",') -- quotes inside are not doubled
      source:word('"')
      read_comma()
      value.benefit = source:upto(",")
      read_comma()
      value.size = read_size("size")
      read_comma()
      value.defined = read_time("definition_time")
      read_comma()
      value.times, value.last = read_uses(value.defined)
      read_comma()
      local from = here() + 1
      local stop = find_last(line, '"', from, #line + 1) -- names may hold some
      if not source:word('"') or not stop then bad_row("the names of the uses are missing here") end
      value.uses = line:sub(from, stop - 1)
      source:at(begin + stop)
      if here() <= #line then
        read_comma()
        value.scoped = read_number("is_scoped", 0, 1) == 1
      end
      if here() <= #line then bad_row("nothing may follow in this row") end
      values[#values + 1] = value
    end

    local function read_place()
      local place = { id = read_id(), at = number }
      read_comma()
      place.size = read_size("size")
      read_comma()
      place.offset = read_size("offset")
      read_comma()
      place.first = read_time("start_time")
      read_comma()
      local at = source:at()
      place.last = read_time("end_time")
      if place.last < place.first then source:fail(at, "it ends before it begins") end
      if place.offset > MOST_BYTES - place.size then source:fail(at, "it would end above 2^61 bytes") end
      if here() <= #line then bad_row("nothing may follow in this row") end
      places[#places + 1] = place
    end

    local function read_instruction()
      local time = read_time("time")
      read_comma()
      if here() > #line then bad_row("the name of the instruction is missing") end
      schedule[#schedule + 1] = { operator_of(source:upto()), step = time, at = false }
    end

    local ROWS <const> = { bufferinfo = read_value, allocinfo = read_place, scheduleinfo = read_instruction }

    local function read_table(file, of_table)
      local next_line = file:lines()
      next_line() -- the header
      source, have[of_table[1]] = file, true
      line, begin = next_line()
      while line do
        number = source:line()
        if line ~= "" then ROWS[of_table[1]]() end
        line, begin = next_line()
      end
    end

    -- The file of another table: its name is that of this one, with the other table's word in the last place of `own`.
    local function open_beside(own, other)
      local before, behind = input.name:match("^(.*)" .. own .. "(.*)$")
      return before and input:beside(before .. other .. behind)
    end

    -- ---- which value a place is of ----

    -- Values that share a buffer have one id: the place is that of the last one defined before it begins, or of the first.
    local function match_places()
      local by_id, unknown = {}, {}
      for _, value in ipairs(#places > 0 and values or {}) do
        by_id[value.id] = by_id[value.id] or {}
        table.insert(by_id[value.id], value)
      end
      for _, list in pairs(by_id) do
        table.sort(list, function(a, b)
          if a.defined ~= b.defined then return a.defined < b.defined end
          return a.at < b.at
        end)
      end
      for _, place in ipairs(places) do
        local list = by_id[place.id]
        if list then
          local lo, hi = 1, #list + 1
          while lo < hi do
            local mid = (lo + hi) // 2
            if list[mid].defined <= place.first then
              lo = mid + 1
            else
              hi = mid
            end
          end
          local value = list[math.max(lo - 1, 1)]
          value.places = value.places or {}
          table.insert(value.places, place)
        else
          unknown[#unknown + 1] = place
        end
      end
      return unknown
    end

    -- ---- the trace ----

    -- What the table says about a value, as a reason, and its figures. Many uses are told once.
    local function tell_value(line_of_trace, value, what, again)
      local figure = figure_of(value.benefit)
      again = again and #value.times + #value.uses + #value.benefit > MOST_AGAIN
      local text = (figure or again) and "" or "benefit " .. value.benefit .. "; "
      text = text .. what .. (what ~= "" and "; " or "") .. "defined at " .. value.defined
      if value.last then
        text = text .. (again and ", last used at " .. value.last or ", used at " .. value.times .. ": " .. value.uses)
      else
        text = text .. (value.scoped and ", scoped" or ", never used")
      end
      line_of_trace.reason = text
      line_of_trace.figures = { { "size", value.size }, figure and { "alt_mem_benefit", figure } or nil }
    end

    -- A place: a buffer for that stretch of a value's life, and the decision.
    local function put_place(place, value, again)
      local given = value and value.name ~= "" and shown(value.name) or "buffer " .. place.id
      local name, from = name_of(given), "allocinfo line " .. place.at
      trace:buffer { name, size = place.size, first = place.first, last = place.last, tier = "alternate", source = from, at = false }
      local decision = { "place", buffer = name, tier = "alternate", offset = place.offset, source = from, at = false }
      if value then
        local late, early = place.first > value.defined, value.last and place.last < value.last
        tell_value(decision, value, (late and "it comes from the default memory" or "") .. (late and early and ", " or "") ..
          (early and "it leaves before its last use" or ""), again)
      end
      trace:decision(decision)
    end

    -- Without a table of places a value is a buffer that has none.
    local function put_buffer(value, from)
      local name = name_of(value.name ~= "" and shown(value.name) or "buffer")
      trace:buffer { name, size = value.size, first = value.defined, last = value.last or value.defined, source = from, at = false }
      local decision = { "value", buffer = name, source = from, at = false }
      tell_value(decision, value, "")
      trace:decision(decision)
    end

    local function put_value(value)
      local from = "bufferinfo line " .. value.at
      trace:group { value.name, at = false }
      if not have.allocinfo then
        put_buffer(value, from)
      elseif not value.places then
        local decision = { "default memory", source = from, at = false }
        tell_value(decision, value, value.name)
        trace:decision(decision)
      end
      for i, place in ipairs(value.places or {}) do
        put_place(place, value, i > 1)
      end
    end

    -- ---- the whole ----

    local own
    for _, of_table in ipairs(TABLES) do
      own = own or has_header(input, of_table) and of_table or nil
    end
    if not own then fail(1, "the first line is the header of none of XLA's tables of memory space assignment") end
    read_table(input, own)
    for _, of_table in ipairs(TABLES) do
      local other = of_table ~= own and open_beside(own[1], of_table[1])
      if other then
        if not has_header(other, of_table) then other:fail(1, "the first line of this file is not %s", of_table[2]) end
        read_table(other, of_table)
      end
    end
    if not have.bufferinfo and not have.allocinfo then
      fail(false, "this is XLA's schedule alone; bufferinfo and allocinfo, which say what was decided, must lie beside it and have names " ..
        "like its own")
    end
    local unknown = match_places()
    for _, operator in ipairs(schedule) do
      trace:operator(operator)
    end
    for _, value in ipairs(values) do
      put_value(value)
    end
    for _, place in ipairs(unknown) do
      put_place(place)
    end
    note("both ends of a time are inside; times are places in XLA's schedule, and only the alternate memory has addresses")
    note("XLA's tables have results, not events: neither what was tried, evicted and packed again, nor reasons, nor the size of the " ..
      "alternate memory")
    for _, of_table in ipairs(TABLES) do
      if not have[of_table[1]] then note("there is no %s beside this file: %s", of_table[1], MISSING[of_table[1]]) end
    end
    if #unknown > 0 and have.bufferinfo then
      note("%d place%s of buffers that bufferinfo does not have", #unknown, #unknown == 1 and " is" or "s are")
    end
    if have.allocinfo then trace:tier { name = "alternate" } end
    trace:done { planner = "XLA memory space assignment", no_addresses = not have.allocinfo }
  end,
}
