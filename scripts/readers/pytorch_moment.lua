-- What PyTorch says when memory ran out: its message, in all wordings since 1.0, torch.cuda.memory_summary() and
-- torch.cuda.memory_stats().
--
--     CUDA out of memory. Tried to allocate 20.00 MiB (GPU 0; 10.92 GiB total capacity; 9.60 GiB already allocated; 17.50 MiB free; 9.76 GiB reserved in total by PyTorch)
--     CUDA out of memory. Tried to allocate 20.00 MiB. GPU 0 has a total capacity of 79.15 GiB of which 17.50 MiB is free. Including non-PyTorch memory, this process has 79.13 GiB memory in use. Of the allocated memory 70.00 GiB is allocated by PyTorch, and 5.00 GiB is reserved by PyTorch but unallocated.
--     | Allocated memory      |   14324 MiB |   14324 MiB |   14324 MiB |      0 B   |
--     OrderedDict([('active_bytes.all.current', 1024), ('allocated_bytes.all.current', 1024), ...])
--
-- The message may be broken anywhere: it is read without its blanks, whatever stood at the edges of its lines taken off.
local SHIFTS <const> = { bytes = 0, B = 0, K = 10, M = 20, G = 30, T = 40, P = 50 }
local MEBIBYTE <const> = 1 << 20
local LOOKED_AT <const> = 40 -- lines from the first words of a message on, at most
local EDGES <const> = {
  "^%s*[>|]%s*", "^%s*│%s*", "^%s*┃%s*", "^%s*[>|]%s*", "^%[%w*rank%d+%]:%s*", "^%s*%d+%s*|%s*", "^%s*%d+%s*│%s*", "^%s*%d+\t", "^E%s%s+",
  "^%d%d%d%d%-%d%d%-%d%d[T ]%d%d:%d%d:%d%d[%d.,]*Z?%s+", "^%(%w+ pid=%d+[^)]*%)%s*",
}
local TAILS <const> = { "%s*|%s*$", "%s*│%s*$", "%s*┃%s*$" }

-- A line without what stands at its edges and is not its own.
local function strip(line)
  for _, edge in ipairs(EDGES) do line = line:gsub(edge, "", 1) end
  if line:find("[|\x82\x83]%s*$", -8) then
    for _, tail in ipairs(TAILS) do line = line:gsub(tail, "", 1) end
  end
  return line
end

-- Rows of the summary, and what their columns "Cur Usage" and "Peak Usage" are.
local ROWS <const> = {
  { "Allocated memory", "in_use", "peak_used" }, { "Active memory", "active" }, { "Requested memory", "requested" },
  { "GPU reserved memory", "reserved", "peak_reserved" }, { "Reserved memory", "reserved", "peak_reserved" }, { "Non-releasable memory", "split" },
}
-- Of torch.cuda.memory_stats(): "allocated_bytes.all.current", and what its "peak" is.
local STATS <const> = {
  allocated_bytes = { "in_use", "peak_used" }, active_bytes = { "active" }, requested_bytes = { "requested" },
  reserved_bytes = { "reserved", "peak_reserved" }, inactive_split_bytes = { "split" },
}
local POOLS <const> = { all = "", large_pool = "large", small_pool = "small" }
local COUNTS <const> = {
  "Allocations", "Active allocs", "GPU reserved segments", "Non-releasable allocs", "Oversize allocations", "Oversize GPU segments",
}

-- "9.76 GiB": bytes, and how far its rounding goes; exact where it counts bytes.
local function figure(number, unit)
  local decimals = number:match("%.(%d+)$") or ""
  local shift = SHIFTS[unit == "bytes" and unit or unit:sub(1, 1)]
  local value = shift and tonumber(number) and tonumber(number) * 2.0 ^ shift
  if not value or value >= 2.0 ^ 60 then return end
  return { bytes = math.floor(value + 0.5), about = shift == 0 and 0 or math.floor(2.0 ^ shift / 10 ^ #decimals / 2 + 0.5) }
end

local SIZE <const> = "(%d[%d.]*)([KMGTP]?i?B[yte]*s?)"
local function find(text, before, behind, from)
  local _, last, number, unit = text:find(before .. SIZE .. (behind or ""), from)
  local good = number and number:match("^%d+%.?%d*$")
  if not number then -- "0 bytes", "512 bytes"
    _, last, number = text:find(before .. "(%d+)bytes" .. (behind or ""), from)
    unit, good = "bytes", number ~= nil
  end
  return good and figure(number, unit) or nil, last
end

local function sum(a, b, sign)
  if not a or not b then return a end
  return { bytes = math.max(a.bytes + (sign or 1) * b.bytes, 0), about = a.about + b.about }
end

-- The message from its first words on, without blanks: its figures by name.
local function read_message(text)
  local said = { wanted = find(text, "riedtoallocate") }
  if not said.wanted then return end
  local stop = text:find("outofmemory", 20, true) -- where the next message begins
  text = stop and text:sub(1, stop - 1) or text
  said.device = find(text, "", "totalcapacity") or find(text, "totalcapaci?tyof") -- "capacty" in 2.1
  said.device_free = find(text, "ofwhich", "isfree") or find(text, "", "free;")
  said.limit = find(text, "", "allowed;")
  said.process = find(text, "thisprocesshas", "memoryinuse")
  said.active = find(text, "", "currentactive;")
  said.reserved = find(text, "", "reservedintotalbyPyTorch")
  said.idle = find(text, "", "cached%)") or find(text, "", "isreservedbyPyTorchbutunallocated")
  said.private = find(text, "with", "allocatedinprivatepools")
  said.in_use = find(text, "", "alreadyallocated;") or find(text, "Oftheallocatedmemory", "isallocatedbyPyTorch,and")
    or (said.private and find(text, "Oftheallocatedmemory", "isallocatedbyPyTorch,with")) -- cut before that it may be either
  if said.private then -- it is the free blocks there, which both other sums have on the wrong side
    said.in_use, said.idle = sum(said.in_use, said.private, -1), sum(said.idle, said.private)
  end
  said.reserved = said.reserved or (said.idle and sum(said.in_use, said.idle))
  local other = find(text, "otherallocations:")
  if other then -- of MPS: the limit is for both
    said.reserved = find(text, "MPSallocated:")
    said.limit = find(text, "maxallowed:")
    said.left = said.reserved and sum(sum(said.limit, other, -1), said.reserved, -1)
    said.metal = other
  end
  return said
end

-- "Process 7 has 9.00 GiB memory in use": of this process, of another one, or it cannot be told. In a container the
-- numbers are others than those that this process knows.
local function place_processes(text, said)
  local from, unknown = 1, {}
  local taken = said.device and said.device_free and said.reserved and {
    most = said.device.bytes + said.device.about - said.device_free.bytes + said.device_free.about - said.reserved.bytes + said.reserved.about,
  }
  while from do
    local has, last = find(text, "Process%d+has", "memoryinuse", from)
    local number = text:match("Process(%d+)has", from)
    from = last and last + 1
    if has and (said.process or (said.reserved and has.bytes + has.about < said.reserved.bytes - said.reserved.about)) then
      said.others = said.others and sum(said.others, has) or has
    elseif has and taken and has.bytes - has.about > taken.most then
      said.process = has
      note("process %s is this one, by a number that it does not know itself (in a container): it has more than what is neither free nor reserved by PyTorch", number)
    elseif has then
      unknown[#unknown + 1] = { number = number, has = has }
    end
  end
  local function is_less(a, b) return a and b and a.bytes + a.about < b.bytes - b.about end
  if is_less(said.process, said.reserved) then
    note("this process has %s bytes by the driver, less than PyTorch has reserved: that is left out", count(said.process.bytes))
    said.process = nil
  end
  if is_less(said.device, said.device_free) then note("the driver tells more bytes free than the device has: one of both figures is wrong") end
  local open = {}
  for _, process in ipairs(unknown) do
    if said.process then
      said.others = said.others and sum(said.others, process.has) or process.has
    else
      open[#open + 1] = process.number
    end
  end
  if #open > 0 then note("whether process %s is this one or another the text leaves open; what it has is left out", table.concat(open, ", or ")) end
end

-- The block that such a segment is for: small ones have segments of 2 MiB, those below 10 MiB one of 20 MiB, larger ones
-- the next multiple of 2 MiB. Before 1.1 a segment was as large as the block.
local function least_block(wanted)
  local low, high = wanted.bytes - wanted.about, wanted.bytes + wanted.about
  local step = 2 * MEBIBYTE
  if high <= MEBIBYTE or (low <= step and high >= step) then return math.min(512, high) end
  if low <= 20 * MEBIBYTE and high >= 20 * MEBIBYTE then return MEBIBYTE + 512 end
  if high // step * step >= low then return math.max(low - step + 512, 10 * MEBIBYTE) end
  return low
end

stowage.reader {
  name = "pytorch-moment",
  summary = "PyTorch's message that memory ran out, torch.cuda.memory_summary() and memory_stats(): a moment, without times",
  extensions = ".log .txt",
  has = {"CUDA out of mem", "HIP out of mem", "XPU out of mem", "MUSA out of mem", "NPU out of mem", "ut of memory. Tried to allocate %d", "reserved in total by PyTorch", "is allocated by PyTorch, ", "is reserved by PyTorch but unallocated", "PyTorch CUDA memory summary", "MPS backend out of memory (MPS allocated", "| Allocated memory ", "_bytes.all.current", "_bytes.all.peak", "_bytes.large_pool.current", "_bytes.small_pool.current"},
  looks = "PyTorch's account of its memory",
  near = {"OutOfMemoryError", "PYTORCH_CUDA_ALLOC_CONF", "PYTORCH_ALLOC_CONF", "PYTORCH_HIP_ALLOC_CONF", "PYTORCH_MPS_HIGH_WATERMARK_RATIO", "has a total capacity of", "iB already allocated;", "expandable_segments:", "max_split_size_mb", "Non-releasable memory", "GPU reserved memory", "Active memory", "Oversize allocations", "Tried to allocate", "iB memory in use. ", "iB is free. "},
  paste = "the whole message, or the whole table of memory_summary()",
  gives = "moment",
  any_bytes = true,

  read = function(input, moment)
    local first, window, messages = nil, nil, 0 -- the message that counts; lines of the one that is being read
    local at_row -- the row of the summary; its pools follow
    local summaries, decorated, counts = 0, false, {}

    local function end_message()
      local text = window and table.concat(window)
      local said = text and read_message(text)
      window = nil
      if said then
        messages, first = 1, said
        local device = text:match("[GN]PU(%d+)[;h]")
        if device then note("the message is of device %s", device) end
        if said.metal then
          note("of what is allowed %s%s bytes are other allocations", said.metal.about > 0 and "about " or "", count(said.metal.bytes))
        end
        place_processes(text, said)
      end
    end

    local function tell(name, value, pool)
      if value then moment:tell { figure = name, bytes = value.bytes, about = value.about, pool = pool } end
    end

    -- "| Allocated memory | 5624 MiB | 5673 MiB | ...": sums are cut off, not rounded, at a whole unit.
    local function read_row(line)
      local name, now, peak = line:match("|%s*([%w%- ]-)%s*|%s*(%d+ *%a*)%s*|%s*(%d+ *%a*)%s*|")
      if not name then return end
      local pool = name:match("^from (%l+) pool$")
      local row = nil
      for _, known in ipairs(ROWS) do
        if known[1] == name then row = known end
      end
      if row or not pool then at_row = row end
      for _, known in ipairs(COUNTS) do
        if known == name then counts[#counts + 1] = ("%s %s"):format(name, now:match("^%d+ *%a*"):gsub("%s+$", "")) end
      end
      if not at_row or not (row or pool) then return end
      for i, text in ipairs { now, peak } do
        local number, unit = text:match("^(%d+) *([KMGTP]?)i?B%s*$")
        local value = number and at_row[i + 1] and #number < 16 and figure(number, unit .. "B")
        if value then
          value.about = value.about == 0 and 0 or (1 << SHIFTS[unit]) - 1
          tell(at_row[i + 1], value, pool)
        end
      end
    end

    -- 'allocated_bytes.all.current': 1024, in a dictionary, a list or on a line of its own; a terminal may break the lines.
    local stats, several_stats, odd_stats, behind = {}, 0, false, ""
    local function read_stats(line, cut)
      line = behind .. line
      behind = ""
      if #line >= 60 and #line < 200000 and not cut and line:find "[%w_.'\"]$" then
        behind = line
        return
      end
      if cut then line = line:gsub("%d+$", "") end
      for of, pool, metric, number in line:gmatch "([%l_]+)%.([%l_]+)%.(%l+)['\"]?%s*[:,=]%s*(%d+)" do
        local row, place = STATS[of], POOLS[pool]
        local name = row and place and (metric == "current" and row[1] or metric == "peak" and row[2])
        local value = name and #number < 16 and figure(number, "bytes")
        if value and stats[name .. place] then
          several_stats, stats[name .. place] = several_stats + (name == "in_use" and place == "" and 1 or 0), true
        elseif value then
          stats[name .. place] = true
          odd_stats = odd_stats or (of ~= "requested_bytes" and value.bytes % 512 > 0)
          tell(name, value, place ~= "" and place or nil)
        end
      end
      stats.retries = stats.retries or line:match "num_alloc_retries['\"]?%s*[:,=]%s*(%d+)"
      stats.ooms = stats.ooms or line:match "num_ooms['\"]?%s*[:,=]%s*(%d+)"
    end

    for line, _, cut in input:lines() do
      local plain = line:find("\27", 1, true) and line:gsub("\27%[[%d;:?]*%a", "") or line
      if plain:find("PyTorch CUDA memory summary", 1, true) then
        summaries, at_row = summaries + 1, nil
        local device = summaries == 1 and plain:match("device ID (%d+)")
        if device then note("the summary is of device %s", device) end
      end
      if summaries <= 1 and plain:find("|", 1, true) then
        read_row(plain)
        local ooms, retries = plain:match("CUDA OOMs: (%d+)%s*|%s*cudaMalloc retries: (%d+)")
        if ooms then note("out of memory until then: %s; attempts to allocate again after giving memory back: %s", ooms, retries) end
      end
      if behind ~= "" or plain:find("_bytes%.%l+") or plain:find("num_%l+_?%l*['\": ,]") then read_stats(plain, cut) end
      local memory = plain:find("ut of memory", 1, true)
      local begins = memory or (not window and plain:find("Tried to allocate %d"))
      if window and (memory or #window == LOOKED_AT) then end_message() end
      if first then
        messages = messages + (plain:find("ried to allocate %d") and 1 or 0)
      elseif begins or window then
        if #plain > 4096 and begins then plain, begins = plain:sub(begins, begins + 4095), 1 end
        local bare = strip(plain)
        decorated = decorated or #plain < #line and #line <= 4096 or bare ~= plain
        if begins then
          local at = bare:find("ut of memory", 1, true) or bare:find("Tried to allocate", 1, true)
          window, bare = {}, "o" .. bare:sub(at or 1)
        end
        window[#window + 1] = (bare:gsub("%s+", ""))
      end
    end
    end_message()

    if first and decorated then note("quotes, colors, numbers and frames at the edges of lines are taken off") end
    if #counts > 0 then note("at that moment: %s", table.concat(counts, ", ")) end
    if summaries > 1 then note("%d summaries stand in the text; the first one counts", summaries) end
    if stats.ooms then
      note("out of memory until then: %s%s", stats.ooms, stats.retries and "; attempts to allocate again after giving memory back: " .. stats.retries or "")
    end
    if odd_stats then note("sums are no multiples of 512 bytes, as those of PyTorch are: the text may have them in another unit") end
    if several_stats > 0 then note("%d more such statistics stand in the text; the first ones count", several_stats) end
    if messages > 1 then note("%d messages stand in the text; the first one counts", messages) end
    if first then
      for _, name in ipairs { "device", "device_free", "limit", "left", "process", "others", "in_use", "active", "reserved", "idle", "private" } do
        tell(name, first[name])
      end
      local wanted = first.wanted
      moment:failed { size = wanted.bytes, about = wanted.about, least = not first.metal and least_block(wanted) or nil }
    end
    moment:about { what = first and "PyTorch's message that memory ran out" or next(stats) and "PyTorch's statistics of memory" or "PyTorch's summary of memory", planner = not (first and first.metal) and "cuda-caching" or nil }
  end,
}
