-- What XLA's memory space assignment dumps: which values get a place in the alternate memory (a chip's fast memory), where and when. Three
-- tables; the names of their files differ in one word:
--
--     bufferinfo     the values in the order in which the algorithm takes them, with what they would gain
--     allocinfo      the places that were assigned; a value may have several, one after another
--     scheduleinfo   the instructions, which are the times
--
-- Any of them can be opened; the others are taken when they lie beside it. What is told is the result of each value, printed when all was
-- done, and so is what is written here: a place, or none. The default memory has no addresses.
local beside_as, lower_bound = require "beside_as", require "lower_bound"
local shown = require "shown"

local MOST_BYTES <const>, EARLIEST <const>, LATEST <const> = stowage.most_bytes, -(1 << 62), (1 << 62) - 1
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

-- What a row of each is made of.
local COMMA <const>, END <const> = { ",", "a comma is missing here" }, { "$", "nothing may follow in this row" }
local ID <const> = { "buffer_id", -math.maxinteger, math.maxinteger }
local VALUE <const> = { -- quotes inside of a name are not doubled
  ID, COMMA, { '"', "a text in quotes is missing here" }, { '(.-)",', "a text in quotes is missing here" }, { "([^,]*)" }, COMMA,
  { "size", 0, MOST_BYTES }, COMMA, { "definition_time", EARLIEST, LATEST }, COMMA, { '"()', "the times of the uses are missing here" },
}
local USE <const> = { { "the time of a use", EARLIEST, LATEST }, { "(;?)" }, { '("?)' } }
local USES <const> = { -- their names may hold quotes
  COMMA, { '"', "the names of the uses are missing here" }, { '(.*)"', "the names of the uses are missing here" },
}
local SCOPED <const> = { COMMA, { "is_scoped", 0, 1 }, END }
local PLACE <const> = {
  ID, COMMA, { "size", 0, MOST_BYTES }, COMMA, { "offset", 0, MOST_BYTES }, COMMA, { "start_time", EARLIEST, LATEST }, COMMA, { "()" },
  { "end_time", EARLIEST, LATEST },
}
local INSTRUCTION <const> = { { "time", EARLIEST, LATEST }, COMMA, { "(.+)", "the name of the instruction is missing" } }

-- Is the first line of a file the header of the table? Newer versions of the first have one column more.
local function has_header(file, of_table)
  local line = file:bytes(1, math.min(file.length, 100)):gsub("^\xef\xbb\xbf", ""):match("^[^\r\n]*")
  return line == of_table[2] or of_table[1] == "bufferinfo" and line:sub(1, #of_table[2] + 1) == of_table[2] .. ","
end

-- A figure as a number; nil: it is infinite, or none.
local function figure_of(text)
  local number = (text:byte(-1) or 0) > 32 and tonumber(text)
  return number and number - number == 0 and number + 0.0 or nil
end

stowage.reader {
  name = "xla-memory-space",
  summary = "XLA's memory space assignment: its tables bufferinfo, allocinfo and scheduleinfo beside each other; both ends of a time are inside",
  extensions = ".csv",
  begins = {"buffer_id,buffer_name,alt_mem_benefit,size,definition_time,use_times,use_names,", "buffer_id,buffer_name,alt_mem_benefit,size,definition_time,use_times,use_names\n", "buffer_id,size,offset,start_time,end_time\n", "time,instruction_name\n"},
  looks = "a table of XLA's memory space assignment",
  near = {"buffer_id,", "alt_mem_benefit", "definition_time", "use_times", "time,instruction_name"},
  paste = "the whole file, from its first line on",
  gives = "trace",

  read = function(input, trace)
    local values, have = {}, {}
    -- Places may be a million: each is a number, by which lists have what is known of it.
    local place_count, line_of, id_of, size_of, offset_of, first_of, last_of = 0, {}, {}, {}, {}, {}, {}
    local name_of, operator_of = unique(), unique()
    local source -- the table that is read

    -- ---- rows ----
    --
    -- Most rows are read in few calls; one that has anything odd is read again part by part, which says what is wrong.

    -- "3;7;9": as a text, and the largest, which is the last use.
    local function read_uses(defined, from)
      local more, closed, last = ";", source:take('("?)'), nil
      while closed == "" do
        if more == "" or source:take("$") then source:fail(nil, "the times of the uses end with a quote") end
        local time
        time, more, closed = source:expect(USE)
        last = math.max(last or defined, time)
      end
      return source:bytes(from, source:at() - 1 - from), last
    end

    local function read_all_parts()
      local id, name, benefit, size, defined, from = source:expect(VALUE)
      local times, last = read_uses(defined, from)
      local uses = source:expect(USES)
      local scoped = not source:take("$") and source:expect(SCOPED) == 1
      return id, name, benefit, size, defined, times, last, uses, scoped
    end

    local function read_at_once()
      local id = source:read('%n,"')
      local name = source:upto('",')
      local benefit = source:word('",') and source:upto(",")
      local size, defined = source:read(',%n,%n,"')
      if not (id and benefit and defined and size >= 0 and size <= MOST_BYTES and defined >= EARLIEST and defined <= LATEST) then return end
      local from, last, closed = source:at(), nil, source:word('"')
      while not closed do
        local time = source:read("%n")
        if not time or time < EARLIEST or time > LATEST then return end
        last = math.max(last or defined, time)
        local more = source:word(";")
        closed = source:word('"')
        if not (more or closed) then return end
      end
      local times = source:bytes(from, source:at() - 1 - from)
      local uses, scoped = source:word(',"') and source:upto() or "", false
      if uses:byte(-1) ~= 34 then -- a quote
        scoped = uses:sub(-3) == '",1'
        if not scoped and uses:sub(-3) ~= '",0' then return end
        uses = uses:sub(1, -3)
      end
      return id, name, benefit, size, defined, times, last, uses:sub(1, -2), scoped
    end

    local function read_value(line, from)
      local id, name, benefit, size, defined, times, last, uses, scoped = read_at_once()
      if not id then
        source:at(from)
        id, name, benefit, size, defined, times, last, uses, scoped = read_all_parts()
      end
      values[#values + 1] = { id = id, line = line, name = name, benefit = benefit, size = size, defined = defined, times = times,
                              last = last, uses = uses, scoped = scoped }
    end

    local function read_place(line, from)
      local id, size, offset, first, last = source:read("%n,%n,%n,%n,%n%e")
      if not (last and first >= EARLIEST and first <= last and last <= LATEST and size >= 0 and
        size <= MOST_BYTES and offset >= 0 and offset <= MOST_BYTES - size) then
        local at
        source:at(from)
        id, size, offset, first, at, last = source:expect(PLACE)
        if last < first then source:fail(at, "it ends before it begins") end
        if offset > MOST_BYTES - size then source:fail(at, "it would end above 2^61 bytes") end
        source:expect { END }
      end
      local place = place_count + 1
      place_count, line_of[place], id_of[place], size_of[place] = place, line, id, size
      offset_of[place], first_of[place], last_of[place] = offset, first, last
    end

    local function read_instruction()
      local time, name = source:expect(INSTRUCTION)
      trace:operator { operator_of(name), step = time, at = false }
    end

    local ROWS <const> = { bufferinfo = read_value, allocinfo = read_place, scheduleinfo = read_instruction }

    local function read_table(file, of_table)
      local read_row, next_line = ROWS[of_table[1]], file:lines(true)
      next_line() -- the header
      local line = 1
      source, have[of_table[1]] = file, true
      for length, from in next_line do
        line = line + 1
        if length > 0 then read_row(line, from) end
      end
    end

    -- ---- which value a place is of ----

    -- Values that share a buffer have one id: the place is that of the last one defined before it begins, or of the first.
    local function match_places()
      local value_of, shared, unknown = {}, {}, {}
      for _, value in ipairs(place_count > 0 and values or {}) do
        local first = value_of[value.id]
        if not first then
          value_of[value.id] = value
        elseif first.same then
          table.insert(first.same, value)
        else
          first.same = { first, value }
          shared[#shared + 1] = first.same
        end
      end
      for _, list in ipairs(shared) do
        table.sort(list, function(a, b)
          if a.defined ~= b.defined then return a.defined < b.defined end
          return a.line < b.line
        end)
      end
      for place = 1, place_count do
        local value = value_of[id_of[place]]
        if value and value.same then
          local list = value.same
          local behind = lower_bound(list, function(one) return one.defined <= first_of[place] end)
          value = list[math.max(behind - 1, 1)]
        end
        if value then
          value.places = value.places or {}
          table.insert(value.places, place)
        else
          unknown[#unknown + 1] = place
        end
      end
      return unknown
    end

    -- ---- the trace ----

    -- Lines of the trace are told by tables that are used again.
    local size_figure <const>, benefit_figure <const> = { "size", 0 }, { "alt_mem_benefit", 0 }
    local figures <const> = { size_figure, benefit_figure }
    local group <const>, buffer <const>, alone <const> = { "", at = false }, { "", tier = "alternate", source = "allocinfo" }, { "", source = "bufferinfo" }
    local placed <const>, unplaced <const> = { "place", tier = "alternate", source = "allocinfo" }, { "", source = "bufferinfo" }

    -- What the table says about a value, as a reason, and its figures. Many uses are told once.
    local function tell_value(line_of_trace, value, what, again)
      local figure = figure_of(value.benefit)
      again = again and #value.times + #value.uses + #value.benefit > MOST_AGAIN
      local used = value.scoped and ", scoped" or ", never used"
      if value.last then used = again and ", last used at " .. value.last or ", used at " .. value.times .. ": " .. value.uses end
      line_of_trace.reason = ((figure or again) and "" or "benefit " .. value.benefit .. "; ") .. what .. (what ~= "" and "; " or "") ..
        "defined at " .. value.defined .. used
      size_figure[2], benefit_figure[2] = value.size, figure
      figures[2] = figure and benefit_figure
      line_of_trace.figures = figures
    end

    -- A place: a buffer for that stretch of a value's life, and the decision.
    local function put_place(place, value, again)
      local name = name_of(value and value.name ~= "" and shown(value.name) or "buffer " .. id_of[place])
      buffer[1], buffer.size, buffer.first, buffer.last, buffer.line = name, size_of[place], first_of[place], last_of[place], line_of[place]
      trace:buffer(buffer)
      placed.buffer, placed.offset, placed.line, placed.reason, placed.figures = name, offset_of[place], line_of[place], nil, nil
      if value then
        local late, early = first_of[place] > value.defined, value.last and last_of[place] < value.last
        tell_value(placed, value, (late and "it comes from the default memory" or "") .. (late and early and ", " or "") ..
          (early and "it leaves before its last use" or ""), again)
      end
      trace:decision(placed)
    end

    -- Without a table of places a value is a buffer that has none.
    local function put_buffer(value)
      local name = name_of(value.name ~= "" and shown(value.name) or "buffer")
      alone[1], alone.size, alone.first, alone.last, alone.line = name, value.size, value.defined, value.last or value.defined, value.line
      trace:buffer(alone)
      unplaced[1], unplaced.buffer, unplaced.line = "value", name, value.line
      tell_value(unplaced, value, "")
      trace:decision(unplaced)
    end

    local function put_value(value)
      group[1] = value.name
      trace:group(group)
      if not have.allocinfo then
        put_buffer(value)
      elseif not value.places then
        unplaced[1], unplaced.line = "default memory", value.line
        tell_value(unplaced, value, value.name)
        trace:decision(unplaced)
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
      local other = of_table ~= own and beside_as(input, own[1], of_table[1])
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
