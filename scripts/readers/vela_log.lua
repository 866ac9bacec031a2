-- The log of Arm's Vela compiler with --verbose-allocation (version 3): one table per memory area, with the peak at its foot.

local LARGEST_ALIGNMENT <const> = 256 -- the peak at the foot may be rounded up to the alignment of the last buffer
local LONGEST <const> = 40 -- of names of areas no more is needed to tell them apart

stowage.reader {
  name = "vela-log",
  summary = "the tables of Vela's --verbose-allocation: start and end time are both inside",
  extensions = ".log",
  has = "Tensor Allocation for mem_area ",
  looks = "the table of Vela's --verbose-allocation",
  near = {"Tensor Allocation for", "mem_type_set (", "Allocation Peak Memory Usage", "Start Time -", ": FeatureMap : ", "allocator HillClimb", "allocator Greedy"},
  paste = "from \"Tensor Allocation for mem_area\" on",
  gives = "plan",

  read = function(input, plan)
    local tiers, taken, tables = 0, {}, 0
    local inside, begins, tier, peak -- of the table that is being read
    local left_rows, left_bytes = 0, 0
    plan:share("same life")

    local function fail_unfinished(at)
      fail(at, 'the table that begins in line %d has no "Allocation Peak Memory Usage" at its foot: the log is cut off', begins)
    end

    -- The name of the area, with its memory types when there is one of that name already, and a number when there is even one of that.
    local function add_tier(area, types)
      local name, attempt = area, 0
      while taken[name] do
        attempt = attempt + 1
        name = ("%s (%s)"):format(area, types) .. (attempt > 1 and " " .. attempt or "")
      end
      if tiers == stowage.most_tiers then fail(nil, "more than %d tables of memory areas", stowage.most_tiers) end
      tiers, taken[name], tier = tiers + 1, true, name
      plan:tier { name = name }
    end

    -- "Tensor Allocation for mem_area Sram, of mem_type_set (Scratch), using ..."
    local function begin_table(at)
      if inside then fail_unfinished(at) end
      local area = input:upto(", of mem_type_set (")
      local types = input:word(", of mem_type_set (") and area ~= "" and input:upto(")")
      if not types or not input:word(")") then fail(nil, "the title of a table of tensors names no memory area and types") end
      inside, begins, peak, tier, tables = true, input:line(), 0, nil, tables + 1
      if types:sub(1, 9) ~= "Permanent" then add_tier(cut(area, LONGEST), cut(types, LONGEST)) end
    end

    local function add_row(first, last, from, to, size, purpose)
      if last < first or last >= 2 ^ 31 - 1 or first < -2 ^ 31 then fail(nil, "the lifetime is %d to %d", first, last) end
      if to < from or to - from ~= size then fail(nil, "size %d is not what lies between the addresses", size) end
      if not tier then
        left_rows, left_bytes = left_rows + 1, left_bytes + size
        return
      end
      plan:row { name = input:upto(), tier = tier, kind = purpose == "Scratch" and "scratch" or "intermediate",
                 first = first, last = last, offset = from, size = size }
      peak = math.max(peak, to)
    end

    -- "Allocation Peak Memory Usage:     74464 (   0x122e0) Bytes"
    local function end_table()
      local said = input:read("%s%n")
      if not said then fail(nil, "the peak of the table is not a number") end
      local wanted = math.max(said, 0)
      if tier and (peak > wanted or wanted - peak >= LARGEST_ALIGNMENT) then
        fail(nil, "the table's peak is %d bytes, but its rows end at %d: rows are missing or wrong", said, peak)
      end
      inside = false
    end

    local function fail_row(at)
      fail(at, "this is no row of the table of tensors")
    end

    local function read_row(at)
      local first = input:read("%s%n -") or fail_row(at)
      local last, from, to, size = input:read("%s%n:%s%x -%s%x:%s%n:%s%n:%s")
      if not last then fail_row() end
      local purpose = input:take("([^ :]*)[ \t]*")
      if not input:read(":%s") then fail_row() end
      add_row(first, last, from, to, size, purpose)
    end

    for line, at in input:lines() do
      if input:past("Tensor Allocation for mem_area ") then
        begin_table(at)
      elseif not inside or input:word("Start Time") then -- not a row
      elseif input:past("Allocation Peak Memory Usage:") then
        end_table()
      elseif input:past("Allocation Peak Tensor Size:") or not line:find("[^ \t]") then -- not a row
      elseif input:word("####") then -- the next table's
        fail_unfinished(at)
      else
        read_row(at)
      end
    end
    if inside then fail_unfinished() end
    if tables == 0 then fail(nil, "no table of tensors: run vela with --verbose-allocation") end
    note("start and end time are both inside; addresses count from the start of each area")
    if left_rows > 0 then
      note("weights and other permanent data (%d tensors, %d bytes) are left out; those copied to fast memory are here", left_rows, left_bytes)
    end
  end,
}
