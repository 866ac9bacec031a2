-- What XLA decided about memory, NAME-buffer-assignment.txt, with NAME-live-range.txt beside it, or the scheduled module itself, NAME.txt.
-- The first says which values lie where in which allocation, the second when each value lives; since 2025 it is written with
-- --xla_dump_buffer_assignment_analysis only, and then the module tells.
local beside_as = require "beside_as"

local MOST_BYTES <const>, LATEST <const> = stowage.most_bytes, (1 << 31) - 2
local OURS <const> = "buffer-assignment"
local ROLES <const> = { -- "parameter 0, shape |f32[8]| at ShapeIndex {}, maybe-live-out:"
  { "thread-local", "thread" }, { ", constant", "constant" }, { ", parameter ", "parameter" }, { "maybe-live-out", "output" },
  { "preallocated-temp", "temporary" },
}

stowage.reader {
  name = "xla",
  summary = "XLA's NAME-buffer-assignment.txt, with NAME-live-range.txt or NAME.txt beside it: both ends of a range are inside",
  extensions = ".txt",
  begins = {" BufferAssignment:", " HloLiveRange (max", " allocation 0: "},
  looks = "XLA's NAME-buffer-assignment.txt",
  near = {"BufferAssignment:", "HloLiveRange (max", "BufferLiveRange:", "LiveRanges at ", "maybe-live-out", "preallocated-temp"},
  paste = "the whole file, from its first line on",
  gives = "plan",

  read = function(input, plan)
    local firsts, lasts, finish = {}, {}, 0 -- by "name{index}"; the last time of the schedule
    local of_module -- the live ranges follow from the module
    local allocations, rows, tiers, tier_of = {}, {}, {}, {} -- tiers: colors of memory
    local constants, threads, timeless, foreign = 0, 0, 0, 0
    plan:share("same start")

    -- ---- live ranges ----

    local function keep_range(name, first, last)
      if not firsts[name] then
        firsts[name], lasts[name] = first, last
      end
      finish = math.max(finish, last)
    end

    -- "    name{index}:3-17": what stands behind the last colon.
    local function parse_range(source, line, begin)
      local from = line:match("^[ \t]*()")
      local name, behind = line:match("^(.*}):()%-?%d+%-%-?%d+$", from)
      if not name then return end
      source:at(begin + behind - 1)
      local first, last = source:read("%n-%n")
      source:at(begin)
      return name, first, last
    end

    local function read_ranges(source)
      local inside = false
      for line, begin in source:lines() do
        local name, first, last
        if source:past("HloLiveRange (max ") then
          finish = source:read("%n") or finish
          if finish < 0 or finish > LATEST then source:fail(nil, "the live ranges end at %d", finish) end
        elseif source:past("BufferLiveRange:") then
          inside = true
        elseif inside then
          name, first, last = parse_range(source, line, begin)
          inside = name ~= nil or line == ""
          if not inside and not source:past("Live ranges at") then
            source:fail(nil, "this is no live range (name{index}:first-last)")
          end
        end
        if name then
          if first < 0 or last < first or last > LATEST then source:fail(nil, "the live range is %d to %d", first, last) end
          keep_range(name, first, last)
        end
      end
      return next(firsts) ~= nil
    end

    local function ranges_of_module()
      local module = beside_as(input, OURS, "")
      local text = module and module:live_ranges()
      for name, first, last in (text or ""):gmatch("([^\n]*):(%d+)%-(%d+)\n") do
        keep_range(name, math.tointeger(first), math.tointeger(last))
      end
      return text ~= nil
    end

    -- True: a part of the text was pasted, without its first line; it is a moment.
    local function find_ranges(pasted)
      if read_ranges(input) then return end
      local other = beside_as(input, OURS, "live-range")
      if other and not read_ranges(other) then other:fail(false, 'there is no live range below "BufferLiveRange:"') end
      of_module = not other and ranges_of_module()
      if not other and not of_module and pasted then
        instead "xla-moment"
        return true
      end
      if not other and not of_module then
        fail(false, "this says where values lie but not when they live: XLA writes that to NAME-live-range.txt (with " ..
          "--xla_dump_buffer_assignment_analysis) and to the scheduled NAME.txt, neither of which %s",
          input.name:find(OURS, 1, true) and "is beside this file" or "can be found: they must be beside NAME-buffer-assignment.txt")
      end
    end

    -- ---- allocations and values ----

    local function read_role()
      for _, role in ipairs(ROLES) do
        if input:find(role[1]) then return role[2] end
      end
    end

    local function read_allocation()
      local size = input:past("size ") and input:read("%n")
      if not size or size < 0 or size > MOST_BYTES then fail(nil, "the size of the allocation is not a number up to 2^61") end
      local allocation = { size = size, role = read_role() }
      allocation.color = input:read(", color %n")
      allocations[#allocations + 1] = allocation
    end

    -- A tier for each color, unless there is only one.
    local function find_tier(color)
      if not tier_of[color] then
        if #tiers == stowage.most_tiers then fail(nil, "more than %d colors of memory", stowage.most_tiers) end
        tier_of[color] = "color " .. color
        tiers[#tiers + 1] = color
      end
    end

    -- " value: <36 dot.1{0} @0> (size=64,offset=128): f32[4,4]{1,0}", after "value: <".
    local function parse_value()
      if not input:read("%n ") then return end
      local name = input:upto(" @")
      local color, size, offset = input:read(" @%n> (size=%n,offset=%n)")
      if not color or size < 0 or offset < 0 then return end
      if #name > 6 and name:sub(-6) == " (phi)" then name = name:sub(1, -7) end -- a loop's variable
      return name ~= "" and name, color, size, offset
    end

    local function add_value(allocation, at, name, color, size, offset)
      if size > allocation.size or offset > allocation.size - size then
        fail(nil, "%s ends behind the %d bytes of its allocation", quote(name), allocation.size)
      end
      allocation.color = allocation.color or color
      foreign = foreign + (allocation.color ~= color and 1 or 0) -- it lies in free space of another color's
      allocation.used = true
      local key = name:sub(-1) == "}" and name or name .. "{}" -- the whole result of an instruction has no index here, and an empty one there
      local first, last = firsts[key] or 0, lasts[key] or finish
      timeless = timeless + (firsts[key] and 0 or 1)
      find_tier(allocation.color)
      rows[#rows + 1] = { allocation = allocation, name = name, first = first, last = last, size = size, offset = offset, at = at,
                          kind = allocation.role == "parameter" and "input" or allocation.role == "output" and last == finish and "output" or nil }
    end

    local function read_value(at)
      local allocation = allocations[#allocations]
      if not allocation then fail(nil, "a value before the first allocation") end
      local role = allocation.role
      local name, color, size, offset = parse_value()
      if not name then fail(nil, "this is no value: <id name @color> (size=...,offset=...)") end
      if role == "constant" then
        constants = constants + 1
      elseif role == "thread" then
        threads = threads + 1
      else
        add_value(allocation, at, name, color, size, offset)
      end
    end

    local function read_lines()
      local again = false -- what follows is a list of values that stand above already
      for _, at in input:lines() do
        input:read("%s")
        if input:word("reused by buffers of a different color") then
          again = true
        elseif input:word("allocation ") then
          again = false
          read_allocation()
        elseif input:word("value: <") then
          if not again then read_value(at) end
        elseif input:word("Total bytes used") or input:word("Used values:") or input:word("HloLiveRange") then
          input:at(at)
          break -- what follows repeats the uses
        end
      end
      if #allocations == 0 then fail(nil, 'no allocation: "allocation 0: size ..."') end
    end

    -- Allocations have no addresses of their own: of each color they are put one after another, the temporary ones first, so that offsets in
    -- those are what the file says.
    local function place_allocations()
      for _, color in ipairs(tiers) do
        local at = 0
        for pass = 1, 2 do
          for _, allocation in ipairs(allocations) do
            if allocation.used and allocation.color == color and (allocation.role == "temporary") == (pass == 1) then
              allocation.base, at = at, at + allocation.size
              if at > MOST_BYTES then fail(false, "the allocations add up past 2^61 bytes") end
            end
          end
        end
      end
    end

    local first
    for line in input:lines() do
      local word = line:match("^[ \r]*(.*)")
      first = first or word ~= "" and word
      if word:sub(1, 12) == "HloLiveRange" then
        fail(false, "these are live ranges alone; open NAME-buffer-assignment.txt beside this file")
      elseif word ~= "" then
        break
      end
    end
    if find_ranges(first and first:sub(1, 12) == "allocation 0" and not input.name:find(OURS, 1, true)) then return end
    read_lines()
    place_allocations()
    for _, color in ipairs(#tiers > 1 and tiers or {}) do
      plan:tier { name = tier_of[color] }
    end
    for _, row in ipairs(rows) do
      plan:row { name = row.name, tier = #tiers > 1 and tier_of[row.allocation.color] or nil, kind = row.kind, first = row.first, last = row.last,
                 offset = row.offset + row.allocation.base, size = row.size, at = row.at }
    end
    note("live ranges: both ends are inside; times are places in XLA's schedule")
    note("allocations have no addresses: they stand one after another, temporary ones first")
    if constants + threads > 0 then note("constants (%d) and what is local to threads (%d) are left out", constants, threads) end
    if of_module then note("there is no NAME-live-range.txt: when values live follows from the schedule in NAME.txt") end
    if foreign > 0 then note("values that lie in an allocation of another color: %d", foreign) end
    if timeless > 0 then note("values without a live range, taken to live all the time: %d", timeless) end
  end,
}
