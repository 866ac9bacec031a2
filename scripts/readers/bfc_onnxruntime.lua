-- What ONNX Runtime's arenas print with a log level of INFO (0 or 1):
--
--     ... bfc_arena.cc:26 BFCArena] Creating BFCArena for Cuda with following configs: initial_chunk_size_bytes: 1048576 ...
--     ... Extending BFCArena for Cuda. bin_num:9 (requested) num_bytes: 160000 (actual) rounded_bytes:160000
--     ... Extended allocation by 1048576 bytes.
--     ... Allocated memory at 0x7fa4c6800000 to 0x7fa4c6900000
--     ... Reserving memory in BFCArena for Cuda size: 33554432
--     ... Cuda BFC Arena shrunk by 1048576 bytes.
--
--     ... Total allocated bytes: 1048576
--
-- So a log tells each request that made an arena grow, and where its region lies: the request has the region's low end. It tells neither
-- requests that found room nor any free. What is reserved bypasses the arena: weights for the most part.
local bfc_log = require "bfc_log"

local MOST_BYTES <const> = stowage.most_bytes
local EXTENDING <const>, RESERVING <const> = "Extending BFCArena for ", "Reserving memory in BFCArena for "
local CREATING <const>, SHRUNK <const> = "Creating BFCArena for ", " BFC Arena shrunk by "
local SETTINGS <const> = { -- as settings of our bfc-arena. A limit is left to the user: without it one sees what the requests need.
  { "initial_chunk_size_bytes: ", "initial" }, { "max_dead_bytes_per_chunk: ", "max_dead" },
  { "initial_growth_chunk_size_bytes: ", "growth_after_shrink" }, { "max_power_of_two_extend_bytes: ", "max_extend" },
  { "arena_extend_strategy: ", "strategy" },
}

stowage.reader {
  name = "onnxruntime-bfc",
  summary = "what ONNX Runtime's arena prints (log level INFO): the requests that made it grow, one after the other",
  extensions = ".log",
  has = {"Extending BFCArena for %w ... bytes:", "Reserving memory in BFCArena for %w ...  size: ", "Creating BFCArena for %w ...  with following configs"},
  looks = "a log of ONNX Runtime's arenas",
  near = {"BFCArena", "bfc_arena.cc:", "initial_chunk_size_bytes:", "arena_extend_strategy:", "Extended allocation by"},
  paste = "what the log level INFO prints, in whole lines",
  gives = "requests",
  allocator = "bfc-arena",
  any_bytes = true,

  read = function(input, requests)
    local log = bfc_log(input, requests)
    local settings, reserved, reserved_bytes = "", {}, 0
    local pending   -- a request that waits for its region
    local last      -- it still waits where the log ends
    local here      -- the last line that names an arena names the chosen one
    local shrinking -- the line before said so, too
    local extended  -- the device gave memory; its address is not told yet

    local function odd_line()
      log.strange = log.strange + 1
    end

    -- Which arena does the line name? Its name ends in a blank, or in `ends`.
    local function read_arena(ends)
      return log.arena(log.name(ends))
    end

    -- "initial_chunk_size_bytes: 1048576 ... memory limit: N arena_extend_strategy: 0"
    local function read_settings()
      local from, list = input:at(), {}
      for _, setting in ipairs(SETTINGS) do
        local words, key = setting[1], setting[2]
        input:at(from)
        local value = input:past(words) and log.bytes()
        if value and key == "strategy" then
          list[#list + 1] = value == 0 and "strategy=next-power-of-two" or "strategy=same-as-requested"
        elseif value and value > 0 then
          list[#list + 1] = key .. "=" .. value
        end
      end
      settings = table.concat(list, ",")
    end

    -- Of this request no region is told: the device refused, or the log stops before it says what came of the request.
    local function end_pending(is_last)
      local size = pending
      pending = nil
      if is_last and not extended then last = size end
      if not size or last then return end
      if not extended then return requests:refuse(size) end
      extended = false
      log.alloc("line " .. input:line(), size)
    end

    local function read_region()
      local from, size = log.region(), pending
      if not from then return end
      pending, extended = nil, false
      if size then log.alloc(nil, size, from) end
    end

    -- "Cuda BFC Arena shrunk by N bytes.": each region that was given back has such a line.
    local function read_shrunk()
      local before = log.line:sub(1, log.here() - 1 - #SHRUNK)
      local again = shrinking
      here = log.arena(before:match("^.*[ %]](.*)$") or before) == log.chosen
      shrinking = here
      if not here then return end
      local size = log.bytes()
      if not size then return odd_line() end
      local freed = log.region_gone_of_size(size)
      if not again or freed then requests:empty() end
    end

    local function read_request()
      here = read_arena(".") == log.chosen
      if not here then return end
      if not input:past("num_bytes:") and not input:past("rounded_bytes:") then return odd_line() end
      end_pending(false)
      pending = log.bytes()
      if not pending then odd_line() end
    end

    local function read_reserved()
      if read_arena("\0") ~= log.chosen then return end
      local size = input:past("size:") and log.bytes()
      if not size then return odd_line() end
      reserved_bytes = reserved_bytes + size
      if reserved_bytes > MOST_BYTES then fail(nil, "what is reserved adds up to more than 2^61 bytes") end
      reserved[#reserved + 1] = { size, log.begin }
    end

    local function read_line()
      if input:past(SHRUNK) then
        read_shrunk()
      elseif input:past(EXTENDING) then
        shrinking = false
        read_request()
      elseif input:past(RESERVING) then
        read_reserved()
      elseif input:past(CREATING) then
        if read_arena("\0") == log.chosen then read_settings() end
      elseif not here then
        return
      elseif input:past("Extended allocation by ") then
        extended, log.total = true, nil
      elseif input:past("Total allocated bytes: ") then
        log.total = log.bytes()
      elseif input:past("Allocated memory at ") then
        read_region()
      end
    end

    for _ in log.lines() do -- how many requests has each arena?
      if input:past(EXTENDING) then
        log.count(read_arena("."))
      elseif input:past(RESERVING) or input:past(CREATING) then
        read_arena("\0")
      end
    end
    log.choose()
    for _, cut in log.lines() do
      if cut then
        odd_line()
      else
        read_line()
      end
    end
    end_pending(true)
    log.build(settings, true)
    for i, one in ipairs(reserved) do
      requests:buffer { name = "reserved " .. i, kind = "constant", size = one[1], at = one[2] }
    end
    if #reserved > 0 then
      local single = #reserved == 1
      note("%d reservation%s of %s bytes bypass%s the arena, and %s constant%s that are not planned", #reserved, single and "" or "s",
        count(reserved_bytes), single and "es" or "", single and "is a" or "are", single and "" or "s")
    end
    if last then note("the last request, of %s bytes, is left out: the log ends before it says what came of it", count(last)) end
    note("the log tells only requests that made the arena grow: neither those that found room nor any free")
    if settings ~= "" then note("settings of the arena, with which bfc-arena runs unless told otherwise: %s", settings) end
  end,
}
