-- The dumps of chunks in a log of BFC allocators, line by line, and what of them makes a moment: of each allocator the last dump.
local rounded_bytes = require "rounded_bytes"
local shown = require "shown"

local MOST_BYTES <const> = stowage.most_bytes
local LAST_CHUNK <const> = "18446744073709551615" -- "next" of the last one in a region
local BINS <const> = 21 -- that an allocator has, from 256 bytes to 256 MiB
local MESSAGE <const>, BIN <const>, STATE <const>, CHUNKS <const>, SUMMARY <const>, SUM <const>, POOL <const>, STATS <const> = 1, 2, 3, 4, 5, 6, 7, 8
local FIGURES <const> = { Limit = "limit", InUse = "in_use", MaxInUse = "peak_used", TotalAllocated = "reserved", LargestFreeBlock = "largest_free" }
local LONG <const> = 1000 -- no line of a chunk or a figure is so long
local CHUNK_CUT <const> = { InUse = true, Free = true, Chunk = true } -- what begins the line of a chunk, which may be cut before its size
local TYPES <const> = { float = 4, double = 8, half = 2, bfloat16 = 2, int8 = 1, uint8 = 1, int16 = 2, uint16 = 2, int32 = 4, uint32 = 4, int64 = 8,
  uint64 = 8, bool = 1, complex64 = 8, complex128 = 16, qint8 = 1, quint8 = 1, qint16 = 2, quint16 = 2, qint32 = 4 }

local function integer(text)
  local number = text and #text <= 19 and math.tointeger(tonumber(text))
  return number and number <= MOST_BYTES and number or nil
end

-- A name that may be shown, of bytes that may be anything.
local function clean(text)
  if text and not utf8.len(text) then text = text:gsub("[\x80-\xff]", "?") end
  return text and shown(text)
end

local function rounded_up(bytes)
  return (bytes + 255) // 256 * 256
end

-- "shape[4,2048,128,128] and type float": its bytes.
local function tensor_bytes(shape, of_type)
  local bytes = TYPES[of_type]
  for number in shape:gmatch("[^,]+") do
    local length = integer(number)
    if not bytes or not length or (length > 0 and bytes > MOST_BYTES // length) then return end
    bytes = bytes * length
  end
  return bytes
end

return function(moment)
  local dumps, dump = {}, nil -- all of the text; the present one
  local failure, harmless     -- the last request that failed; one that may
  local strange, onnx = 0, false
  local times = { failed = 0, harmless = 0 } -- so many requests
  local refused, huge = {}, nil -- pieces that the device did not give; a size beyond all memory
  local usage = nil -- the last list of tensors
  local regions, reserved, left = {}, nil, nil -- of ONNX Runtime's lines of a log

  -- ---- dumps ----

  local function new_dump(name)
    dump = { name = name, phase = 0, chunks = {}, regions = {}, summary = {}, sizes = {}, states = {}, told = {}, bins = 0, allocated = 0, used = 0,
      requested = 0, about = { 0, 0, 0 } }
    dumps[#dumps + 1] = dump
  end

  -- A line of this part of a dump: one that comes before what was read begins another dump.
  local function at_phase(phase)
    if not dump or phase < dump.phase or (phase == MESSAGE and dump.phase == MESSAGE) then new_dump(nil) end
    dump.phase = phase
  end

  local function add_summary(count, size)
    dump.summary[size] = (dump.summary[size] or 0) + count
    dump.sizes[#dump.sizes + 1] = size
  end

  -- The region ends, where there is one.
  local function end_region()
    if dump then dump.region = nil end
  end

  local function read_region(size)
    at_phase(CHUNKS)
    dump.region = { size = size }
    dump.regions[#dump.regions + 1] = dump.region
  end

  local function read_chunk(word, address, size, rest)
    at_phase(CHUNKS)
    address, size = #address <= 16 and tonumber(address, 16), integer(size)
    if not address or not size or address < 0 or address > MOST_BYTES * 2 - size then
      strange = strange + 1
      return
    end
    local region = dump.region
    local origin = clean(rest:match(" by op (%S+)") or rest:match(" allocation_annotation (.-) next %d"))
    dump.later = dump.later or word == "Free"
    local later = word == "Free" and (integer(rest:match("freed_at_count (%d+)")) or 0) > 0
    dump.chunks[#dump.chunks + 1] = { address, size, word == "Free" and (later and "waiting" or "free") or "used", origin }
    if region then
      if region.from and (address < region.from or address - region.from >= region.size) then
        end_region() -- the line of its own region is missing
      elseif rest:match("next (%d+)") == LAST_CHUNK then
        region.from = address + size - region.size -- whatever of its beginning is missing
        end_region()
      else
        region.from = region.from or address
      end
    end
  end

  -- "Bin (256): \tTotal Chunks: 12, Chunks in use: 12. 3.0KiB allocated for chunks. 3.0KiB in use in bin. 100B client-requested in use in bin."
  local function read_bin(line)
    local size = line:match("Bin %((%d+)%)")
    at_phase(size == "256" and dump and dump.phase == BIN and MESSAGE or BIN)
    dump.phase = BIN
    local figures = { (line:match("(%d[%d.]*%s?[KMGT]?i?B) allocated for chunks")), (line:match("(%d[%d.]*%s?[KMGT]?i?B) in use in bin")),
      (line:match("(%d[%d.]*%s?[KMGT]?i?B) client%-requested in use in bin")) }
    dump.free_only = dump.free_only or line:find("client-requested for chunks", 1, true) ~= nil
    dump.later = dump.later or line:find("[/\\]bfc_allocator%.cc") ~= nil
    if not (figures[1] and figures[2] and figures[3]) then return end
    local sums = { "allocated", "used", "requested" }
    for i, key in ipairs(sums) do
      local bytes, about = rounded_bytes(figures[i])
      dump[key], dump.about[i] = dump[key] + (bytes or 0), dump.about[i] + (about or 0)
    end
    dump.bins = dump.bins + 1
  end

  -- ONNX Runtime's: "256: Chunks 12/12. Bytes 3072/3072. Requested 100.", of bins that have chunks.
  local function read_exact_bin(used, total, requested)
    at_phase(BIN)
    dump.used, dump.allocated, dump.requested = dump.used + used, dump.allocated + total, dump.requested + requested
    dump.exact = true
  end

  local function tell(figure, bytes, about)
    dump.told[figure] = { bytes, about or 0 }
  end

  -- "Total bytes in pool: N memory_limit_: N available bytes: N ..."
  local function read_pool(line)
    at_phase(POOL)
    local pool = integer(line:match("total_region_allocated_bytes_: (%d+) ") or line:match("Total bytes in pool: (%d+) "))
    local limit = integer(line:match("memory_limit_: (%d+) "))
    if pool then tell("reserved", pool) end
    if limit then tell("limit", limit) end
  end

  -- "Allocator memory summary: rounded request X, total free in pool X, largest free chunk usable by ... X, ..., pool size X, pool limit X"
  local function read_memory_summary(line)
    at_phase(POOL)
    for figure, words in pairs { free = "total free in pool ", reserved = "pool size ", limit = "pool limit " } do
      local _, behind = line:find(words, 1, true)
      local bytes, about = rounded_bytes(line:sub((behind or #line) + 1))
      if bytes then tell(figure, bytes, about) end
    end
  end

  -- ---- requests that failed ----

  local function fail_request(of)
    if not failure or failure.size ~= of.size then times.failed = times.failed + 1 end
    failure = of
    if dump and not dump.failure then dump.failure = of end
  end

  -- "Allocator (GPU_0_bfc) ran out of memory trying to allocate 510.00MiB (rounded to 534773760)requested by op X"
  local function read_failure(line, text, cut)
    local bytes, about = rounded_bytes(text or "")
    if not bytes then
      bytes, about = integer((text or ""):match("^(%d+)")), 0 -- ONNX Runtime's has no unit
      if not bytes or (cut and line:find("%d$")) then return end
    end
    local one = { size = bytes, about = about, allocator = clean(line:match("Allocator %(([^)]*)%)")), rounded = integer(line:match("%(rounded to (%d+)%)")),
      origin = clean(line:match("requested by op (%S+)")) }
    if one.rounded and math.abs(one.rounded - bytes) <= about + 255 then -- a block is rounded up to 256 bytes
      one.size, one.about = one.rounded, math.min(about, 255)
    elseif about == 0 then
      one.rounded = rounded_up(bytes)
    end
    if line:find("this is not a failure", 1, true) then
      harmless, times.harmless = one, times.harmless + 1
    elseif line:find("See logs", 1, true) then -- the oldest one comes behind its dump
      fail_request(one)
    else
      at_phase(MESSAGE)
      dump.name = one.allocator
      fail_request(one)
    end
  end

  -- "OOM when allocating tensor with shape[4,2048] and type float on ... by allocator GPU_0_bfc": the exact size of the same request.
  local function read_tensor(line, shape, of_type)
    local bytes, name = tensor_bytes(shape, of_type), clean(line:match("by allocator ([%w_./:-]*[%w_/:-])"))
    if not bytes or bytes == 0 then return end
    local words = ("a tensor of %s, shape [%s]"):format(of_type, shape)
    local same = failure and math.abs(failure.size - bytes) <= failure.about and (not failure.rounded or failure.rounded == rounded_up(bytes))
    if not same then
      fail_request { allocator = name }
    end
    failure.size, failure.about, failure.rounded = bytes, 0, rounded_up(bytes)
    failure.allocator = failure.allocator or name
    failure.tensor = words
  end

  -- ONNX Runtime's: "while running Conv node. Name:'Conv_3'", with a "\\" before each mark where a program quotes it.
  local function node_of(line)
    local kind, name = line:match("while running (%S+) node%. Name:\\?'(.-)\\?' ")
    return name and clean(("%s (%s)"):format(name, kind)) or nil
  end

  local function read_available(line)
    local have, asked = line:match("Available memory of (%d+) is smaller than requested bytes of (%d+)")
    have, asked = integer(have), integer(asked)
    if not have or not asked then return end
    onnx, left = true, have
    fail_request { size = asked, about = 0, rounded = asked, node = node_of(line) }
  end

  -- ---- tensors (report_tensor_allocations_upon_oom) ----

  -- "Current usage from device: /device:GPU:0, allocator: GPU_0_bfc", then "  450.14MiB from unet/Conv2D" and "  Remaining 12 nodes with 3.25GiB"
  local function read_usage(line, cut)
    local name = line:match("Current usage from device: .*, allocator: ([%w_/:-]+)")
    if name then
      usage = { allocator = clean(name), open = true }
      return true
    end
    if not usage or not usage.open then return false end
    local text, node = line:match("^%s*(%d[%d.]*[KMGT]?i?B) from (%S+)%s*$")
    local bytes, about = rounded_bytes(text or "")
    if bytes then
      usage[#usage + 1] = { bytes, about, clean(node) }
      usage.rest = nil
    else
      usage.rest = line:match("Remaining (%d+ nodes with %d[%d.]*[KMGT]?i?B)")
      usage.open = not line:find("%S")
    end
    return bytes ~= nil
  end

  -- ---- what ONNX Runtime logs of its regions ----

  local function read_range(from, to)
    from, to = #from <= 16 and tonumber(from, 16), #to <= 16 and tonumber(to, 16)
    if from and to and from >= 0 and from < to and to <= MOST_BYTES then regions[#regions + 1] = { from, to - from } end
  end

  local function read_shrunk(size)
    for i = #regions, 1, -1 do
      if regions[i][2] == size then return table.remove(regions, i) end
    end
  end

  -- ---- lines ----

  local function read_state(line)
    at_phase(STATE)
    for size, asked, used in line:gmatch("Size: (%d[^|]-) | Requested Size: (%d[^|]-) | in_use: (%d)") do
      local bytes = rounded_bytes(size)
      if bytes then
        dump.states[#dump.states + 1] = { bytes, rounded_bytes(asked), used == "1" and "used" or "free", text = size, first = line:find(size, 1, true) }
        if #dump.states > 1 and dump.states[#dump.states - 1].line == line then dump.states[#dump.states].beside = true end
        dump.states[#dump.states].line = line
      end
    end
  end

  local function read_chunk_line(line, cut)
    local word, address, size, rest = line:match("(%a+)%s+at 0?[xX]?(%x+) of size (%d+)(.*)$")
    if not word then -- of TensorFlow 1.14 to 2.1: "InUse at 0x7f00 next 30 of size 1536"
      local after
      word, address, after, size, rest = line:match("(%a+)%s+at 0?[xX]?(%x+)( next %d+) of size (%d+)(.*)$")
      if word and not (cut and rest == "") then rest = rest .. after end
    end
    if not word or (word ~= "InUse" and word ~= "Free" and word ~= "Chunk") then return false end
    if cut and rest == "" then
      strange = strange + 1
    else
      read_chunk(word, address, size, rest)
    end
    return true
  end

  local function read_summary(line, cut)
    local count, size = line:match("(%d+) [Cc]hunks of size (%d+)[ .]")
    count, size = integer(count), integer(size)
    if count and size and size > 0 and count > 0 and count <= MOST_BYTES // size then
      at_phase(SUMMARY)
      add_summary(count, size)
    end
  end

  local function read_sum(text, cut)
    local bytes, about = rounded_bytes(text)
    if not bytes then
      bytes, about = not cut and integer(text:match("^(%d+)%s*$")) or nil, 0
    end
    at_phase(SUM)
    if bytes then dump.sum = { bytes, about } end
  end

  local function read_log_line(line, cut)
    local total = integer(line:match("Total allocated bytes: (%d+)%s*$") or line:match("total allocated bytes is now (%d+)%s*$"))
    if total and not cut then reserved, onnx = total, true end
    local from, to = line:match("Allocated memory at 0?x?(%x+) to 0?x?(%x+)%s*$")
    if from and not cut then read_range(from, to) end
    local shrunk = integer(line:match("BFC Arena shrunk by (%d+) "))
    if shrunk then read_shrunk(shrunk) end
    if #line < LONG and CHUNK_CUT[line:match("(%a+)%s+at [%xxX]+[nextofsize%d ]*$")] then strange = strange + 1 end
    local node = failure and failure.tensor and line:match("{{node ([^}]+)}}")
    if node then failure.node = failure.node or clean(node) end
    if line:find("Available memory of ", 1, true) then read_available(line) end
    local piece = integer(line:match("ailed to allocate [%d.]+%a* %((%d+) bytes%) from device"))
    if piece then refused[#refused + 1] = piece end
    local plain = line:match("Failed to allocate memory for requested buffer of size (%d+)") or line:match("calling Extend%. rounded_bytes=(%d+)")
    if plain and not (cut and line:find("%d$")) then
      onnx, huge = true, not integer(plain) and plain or huge
      if integer(plain) then fail_request { size = integer(plain), about = 0, rounded = rounded_up(integer(plain)), node = node_of(line) } end
    end
  end

  local out = {}

  function out.read(line, cut)
    if read_usage(line, cut) then return end
    if line:find(" of size ", 1, true) and read_chunk_line(line, cut) then return end
    local figure, value = nil, nil
    if #line < LONG then figure, value = line:match("(%a+):%s+(%d+)%s*$") end
    if FIGURES[figure] then
      local bytes = not cut and integer(value)
      if not dump then new_dump(nil) end
      if dump.phase <= STATS and figure == "Limit" then dump.phase = STATS end
      if bytes and not (bytes == 0 and (figure == "Limit" or figure == "LargestFreeBlock")) then tell(FIGURES[figure], bytes) end
      onnx = onnx or figure == "TotalAllocated"
    elseif line:find("Next region of size ", 1, true) then
      local size = not (cut and line:find("%d$")) and integer(line:match("Next region of size (%d+)"))
      if size then read_region(size) else strange = strange + 1 end
    elseif line:find("hunks of size ", 1, true) then
      read_summary(line, cut)
    elseif line:find("Total Chunks: ", 1, true) then
      read_bin(line)
    elseif line:find(": Chunks ", 1, true) then
      local used, total, requested = line:match(": Chunks %d+/%d+%. Bytes (%d+)/(%d+)%. Requested (%d+)%.")
      if integer(used) and integer(total) and integer(requested) then read_exact_bin(integer(used), integer(total), integer(requested)) end
    elseif line:find(" | Requested Size: ", 1, true) then
      read_state(line)
    elseif line:find("um Total of in-use chunks: ", 1, true) then
      read_sum(line:match("chunks: (.*)$"), cut)
    elseif line:find("memory_limit_: ", 1, true) then
      read_pool(line)
    elseif line:find("Allocator memory summary: ", 1, true) then
      read_memory_summary(line)
    elseif line:find("dump for ", 1, true) or line:find("Allocator:", 1, true) then
      local name = clean(line:match("BFCAllocator dump for (%S+)") or line:match("Allocator:(%S+)$"))
      if name then
        if not dump or dump.phase ~= MESSAGE then new_dump(nil) end
        dump.name, dump.phase = dump.name or name, MESSAGE
      end
    elseif line:find("trying to allocate ", 1, true) then
      if line:find("an out of memory ", 1, true) then read_failure(line, line:match("trying to allocate (.*)$"), cut) end
    elseif line:find("OOM when allocating tensor with shape[", 1, true) then
      local shape, of_type = line:match("shape%[([%d,]*)%] and type (%w+)")
      if shape then read_tensor(line, shape, of_type) end
    else
      read_log_line(line, cut)
    end
  end

  -- In 2015 each chunk was in the list of those in use, free or not, and bins had the free ones alone. Later versions have lines of free chunks.
  local function lists_all(one)
    return one.free_only and not one.later and not one.told.limit
  end

  -- Is there more than messages?
  function out.shown()
    for _, one in ipairs(dumps) do
      if #one.chunks > 0 or #one.sizes > 0 or #one.states > 0 or one.sum or next(one.told) then return true end
    end
    return #regions > 0 or reserved ~= nil or usage ~= nil
  end

  -- ---- the moment ----

  -- All regions and chunks of these dumps by address, without those that overlap: lines of several processes may be mixed.
  local function in_order(order)
    local all_regions, all_chunks, kept, free = {}, {}, {}, 0
    for _, one in ipairs(order) do
      one.counts, one.shown_free, one.held = {}, {}, 0
      for _, region in ipairs(one.regions) do
        region.of = one
        all_regions[#all_regions + 1] = region
      end
      for _, chunk in ipairs(one.chunks) do
        chunk.of = one
        all_chunks[#all_chunks + 1] = chunk
      end
    end
    table.sort(all_regions, function(a, b) return (a.from or -1) < (b.from or -1) end)
    table.sort(all_chunks, function(a, b) return a[1] < b[1] end)
    for _, region in ipairs(all_regions) do
      if region.from and (region.from < free or region.size > MOST_BYTES * 2 - region.from) then
        strange = strange + 1
      else
        kept[#kept + 1] = region
        free = region.from and region.from + region.size or free
      end
    end
    return kept, all_chunks
  end

  local function tell_chunk(chunk)
    local one, address, size, state = chunk.of, table.unpack(chunk, 1, 3)
    if one.lists_all then state = "untold" end
    one.held, one.waits = one.held + size, one.waits or state == "waiting"
    moment:block { address = address, size = size, state = state, origin = chunk[4] }
    if state == "free" then
      one.shown_free[#one.shown_free + 1] = size
    elseif state ~= "waiting" then
      one.counts[size] = (one.counts[size] or 0) + 1
    end
  end

  local function tell_places(order)
    local all, chunks = in_order(order)
    local at, free = 1, 0 -- the region that ends behind the chunk, and where the chunk before it ends
    for _, region in ipairs(all) do
      moment:segment { address = region.from, size = region.size, allocator = region.of.name }
    end
    for _, chunk in ipairs(chunks) do
      local from, to = chunk[1], chunk[1] + chunk[2]
      while all[at] and (not all[at].from or all[at].from + all[at].size <= from) do
        at = at + 1
      end
      local region = all[at]
      if from < free or region and to > (from < region.from and region.from or region.from + region.size) then
        strange = strange + 1
      else
        free = to
        tell_chunk(chunk)
      end
    end
  end

  -- Chunks in use that only the summary counts, and where it counts fewer than are shown.
  local function tell_summary(one)
    local counts = one.counts
    local more, more_bytes, fewer = 0, 0, 0
    for _, size in ipairs(one.sizes) do
      local missing = one.summary[size] - (counts[size] or 0)
      one.summary[size] = counts[size] or 0
      if missing > 0 then
        moment:block { size = size, count = missing, state = one.lists_all and "untold" or "used" }
        more, more_bytes = more + missing, more_bytes + missing * size
      elseif missing < 0 then
        fewer = fewer - missing
      end
    end
    if more > 0 and #one.chunks > 0 then
      note("%d chunk%s of %s bytes stand%s only in the summary by size: where they lie is not told", more, more == 1 and "" or "s", count(more_bytes), more == 1 and "s" or "")
    end
    if fewer > 0 then note("the summary by size counts %d chunk%s fewer than the regions show", fewer, fewer == 1 and "" or "s") end
  end

  -- Free chunks of the bin that would have served the request, with the chunks beside them; sizes are rounded.
  local function tell_states(one)
    local lines, missing = 0, nil
    for _, state in ipairs(one.states) do
      lines = lines + (state.beside and 0 or 1)
      if not state.beside and #one.chunks > 0 and state[3] == "free" then
        local _, about = rounded_bytes(state.text)
        local found = false
        for i, size in ipairs(one.shown_free) do
          if math.abs(size - state[1]) <= about then
            found = true
            table.remove(one.shown_free, i)
            break
          end
        end
        if not found then missing = missing or state.text end
      end
    end
    if missing then note("a free chunk of %s, which the lines of its bin have, is in no region that is shown", missing) end
    if #one.chunks > 0 or #one.states == 0 then return end
    for _, state in ipairs(one.states) do
      if lines == 1 or not state.beside then moment:block { size = state[1], requested = state[3] == "used" and state[2] or nil, state = state[3] } end
    end
    note("sizes are rounded, as the lines of a bin have them%s", lines > 1 and "; of the chunks beside the free ones nothing is counted twice: they are left out" or "")
  end

  local function tell_figures(one)
    local told = one.told
    local function unless_told(figure, bytes, about)
      told[figure] = told[figure] or { bytes, about }
    end
    if one.sum then unless_told(one.lists_all and "reserved" or "in_use", one.sum[1], one.sum[2]) end
    if one.exact or one.bins == BINS then
      if one.free_only then
        unless_told("free", one.allocated, one.about[1])
      else
        unless_told("requested", one.requested, one.about[3])
        unless_told("in_use", one.used, one.about[2])
        unless_told("reserved", one.allocated, one.about[1])
      end
    end
    -- Of a dump that is shown in part: what the allocator counts is not in use, and so it is free.
    local pool, used = told.reserved, told.in_use
    if pool and used and pool[2] + used[2] == 0 and pool[1] >= used[1] and one.held < pool[1] and not one.waits then
      unless_told("free", pool[1] - used[1], 0)
    end
    if one.name == (failure or {}).allocator and left then unless_told("left", left, 0) end
    for _, figure in ipairs { "reserved", "in_use", "requested", "free", "largest_free", "peak_used", "limit", "left" } do
      local of = told[figure]
      if of then moment:tell { figure = figure, bytes = of[1], about = of[2], allocator = one.name } end
    end
  end

  -- Of each allocator the last dump with chunks, or else the last one that says something.
  local function choose()
    local chosen, order, others = {}, {}, 0
    for _, one in ipairs(dumps) do
      local name = one.name or ""
      one.lists_all = lists_all(one)
      local says = #one.chunks + #one.regions + #one.sizes + #one.states > 0 or one.sum or next(one.told) or one.bins > 0
      local old = chosen[name]
      if says then
        if not old then order[#order + 1] = name end
        if old and #old.chunks > 0 then others = others + 1 end
        if not old or #one.chunks > 0 or #old.chunks == 0 then chosen[name] = one end
      end
    end
    if others > 0 then note("the text has %d more dump%s of the same allocator%s: the last one counts", others, others == 1 and "" or "s", #order > 1 and "s" or "") end
    for i, name in ipairs(order) do
      order[i] = chosen[name]
    end
    return order
  end

  local function tell_usage(order)
    local names = unique()
    for _, one in ipairs(order) do
      if #one.chunks + #one.sizes > 0 then
        return note("the list of %d tensor%s, which the text has too, is left out: chunks show the same memory", #usage, #usage == 1 and "" or "s")
      end
    end
    for _, tensor in ipairs(usage) do
      moment:block { name = names(cut(tensor[3], 80)), size = tensor[1] }
    end
    note("tensors of %s, the largest first; their sizes are rounded%s", usage.allocator, usage.rest and ("; the text has " .. usage.rest .. " more") or "")
  end

  local function bins_shown(one)
    return ("%d of %d bins"):format(one.bins, BINS)
  end

  -- What the text has of requests besides the one that is shown.
  local function tell_requests(failed, last)
    if times.failed > 1 then note("%d requests failed: shown is %s", times.failed, last and failed == last.failure and "that of the last dump" or "the last one") end
    if failed == harmless and times.harmless > 1 then
      note("the text has %d such requests: shown is the last one", times.harmless)
    elseif failed ~= harmless and times.harmless > 0 then
      note("of %d request%s more the text says that %s no failure", times.harmless, times.harmless == 1 and "" or "s", times.harmless == 1 and "it is" or "they are")
    end
    if huge then
      local words = ("a request of %s bytes failed, which is more than 2^61: no memory is so large, and its size is wrong"):format(huge)
      if failed or last then note("%s", words) else fail(false, "%s", words) end
    end
    if #refused == 0 then return end
    local least, most = refused[1], 0
    for _, size in ipairs(refused) do
      least, most = math.min(least, size), math.max(most, size)
    end
    note("the device refused %s: the allocator asks for less and less, and never for less than the request", #refused == 1 and ("a piece of %s bytes"):format(count(most))
      or ("%d pieces of %s to %s bytes"):format(#refused, count(least), count(most)))
    if not failed and not last then moment:failed { size = least, about = 0, segment = least } end
  end

  function out.tell()
    local order = choose()
    local last = order[#order]
    tell_places(order)
    for _, one in ipairs(order) do
      tell_summary(one)
      tell_states(one)
      tell_figures(one)
      if one.lists_all and #one.chunks + #one.sizes > 0 then note("this version lists free chunks as it does those in use: which are free is not told") end
    end
    for _, region in ipairs(#order == 0 and regions or {}) do
      moment:segment { address = region[1], size = region[2] }
    end
    if reserved and #order == 0 then moment:tell { figure = "reserved", bytes = reserved } end
    if left and #order == 0 then moment:tell { figure = "left", bytes = left } end
    local failed = last and last.failure or failure or harmless
    if usage and #usage > 0 then tell_usage(order) end
    local shown_any = failed or (usage and #usage > 0) or reserved or left or #regions > 0
    for _, one in ipairs(order) do
      local part = one.bins > 0 and one.bins < BINS and not one.exact
      shown_any = shown_any or #one.chunks + #one.regions + #one.sizes + #one.states > 0 or one.sum or next(one.told)
      if part and not shown_any and one == last then
        fail(false, "of a BFC allocator's dump this has %s, with chunks of about %s bytes, about %s of them in use: all %d, or lines of chunks or sums, are missing",
          bins_shown(one), count(one.allocated), count(one.used), BINS)
      elseif part then
        note("the dump has %s: what these come to is left out", bins_shown(one))
      end
    end
    if failed then
      moment:failed { size = failed.size, about = failed.about, rounded = failed.rounded, allocator = failed.allocator,
        origin = failed.origin or failed.node or failed.tensor }
      if failed == harmless then note("the text says that the request is no failure: what asked for it can do without") end
    end
    tell_requests(failed, last)
    moment:about { what = onnx and "what an arena of ONNX Runtime held" or "TensorFlow's dump of a BFC allocator's chunks", planner = "bfc-arena",
      settings = not onnx and "flavor=tensorflow" or nil }
    if strange > 0 then note("%d line%s cut, or mixed with others, and left out", strange, strange == 1 and " is" or "s are") end
  end

  return out
end
