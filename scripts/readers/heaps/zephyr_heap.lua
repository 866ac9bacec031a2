-- Zephyr's heaps: what sys_heap_print_info() prints, and sums of sys_heap_runtime_stats_get() as its shell and its samples print them.
--
--     Heap at 0x20001000 contains 61 units in 6 buckets
--
--       bucket#    min units        total      largest      largest
--                  threshold       chunks      (units)      (bytes)
--       -----------------------------------------------------------
--             4           16            1           30          236
--
--     Chunk dump:
--     chunk    0: [*] size=9    left=0    right=9
--     chunk    9: [-] size=30   left=9    right=39
--
--     236 free bytes, 160 allocated bytes, overhead = 96 bytes (19.5%)
--
-- A unit has 8 bytes; a chunk's place is its number of units behind the heap. Chunk 0 is the heap's own; "." is one too small to be listed as
-- free. The sums leave out the header of each chunk, 4 bytes in small heaps and 8 in large ones.
local byte_count = require("heap_sizes").bytes

local UNIT <const> = 8

stowage.reader {
  name = "zephyr-heap",
  summary = "Zephyr's sys_heap_print_info() and runtime statistics: chunks of heaps: a moment, without times",
  extensions = ".log .txt",
  has = {"Heap at 0x ...  units in ", "chunk  ... : [*] size=%d", "chunk  ... : [-] size=%d", " allocated bytes, overhead = %d", "max allocated %d, heap size %d", "max. allocated: %d"},
  looks = "what Zephyr prints of a heap",
  near = {"sys_heap_print_info", "min units  ", "Chunk dump:", "[*] size=", "[-] size=", " units in %d buckets", "max allocated", "free bytes, ", "bucket#"},
  paste = "from \"Heap at\" on",
  gives = "moment",
  any_bytes = true,

  read = function(input, moment)
    local heaps, heap = {}, nil
    local strange = 0

    local function new_heap(of)
      of.chunks, of.places = {}, {}
      heap = of
      heaps[#heaps + 1] = of
    end

    local function read_chunk(at, mark, size)
      at, size = byte_count(at), byte_count(size)
      if not at or not size or at > 1 << 50 or size > 1 << 50 then
        strange = strange + 1
        return
      end
      if not heap or heap.free or heap.chunks[at] then new_heap {} end
      heap.chunks[at] = { size * UNIT, mark }
      heap.places[#heap.places + 1] = at
    end

    for line, _, cut in input:lines() do
      if cut then line = line:gsub("%w+$", "") end
      local address, units = line:match "Heap at 0x(%x+) contains (%d+) units"
      local at, mark, size = line:match "chunk%s+(%d+): %[([*.-])%] size=(%d+)%s"
      local free, used = line:match "(%d+) free bytes, (%d+) allocated bytes"
      local bucket, largest = line:match "^[^%d]*(%d+)%s+%d+%s+%d+%s+%d+%s+(%d+)%s*$"
      if address and #address <= 15 and byte_count(units) and byte_count(units) < 1 << 50 then
        new_heap { address = tonumber(address, 16), size = byte_count(units) * UNIT }
      elseif at then
        read_chunk(at, mark, size)
      elseif free and byte_count(free) and byte_count(used) then
        if not heap then new_heap {} end
        heap.free, heap.used = byte_count(free), byte_count(used)
      elseif bucket and heap and byte_count(largest) then
        heap.largest = math.max(heap.largest or 0, byte_count(largest))
      end
      local words = { used = "allocated:?%s+(%d+)", free = "free:?%s+(%d+)", peak = "max%.? allocated:?%s+(%d+)", total = "heap size%s+(%d+)" }
      local rest = line:gsub("max%.? allocated:?%s+%d+", "")
      if line:find "max%.? allocated" or rest:find "^%W*free:%s+%d" or rest:find "^%W*allocated:%s+%d" then
        if not heap or heap.address then new_heap {} end
        heap.used = byte_count(rest:match(words.used)) or heap.used
        heap.free = byte_count(rest:match(words.free)) or heap.free
        heap.peak = byte_count(line:match(words.peak)) or heap.peak
        heap.total = byte_count(rest:match(words.total)) or heap.total
      end
    end

    -- The chunks of a heap, and whether its sums agree with them, but for headers.
    local function add_chunks(of, name)
      local shown, numbers = { ["*"] = 0, ["-"] = 0, ["."] = 0 }, { ["*"] = 0, ["-"] = 0, ["."] = 0 }
      local past = 0
      table.sort(of.places)
      for _, at in ipairs(of.places) do
        local size, mark = of.chunks[at][1], of.chunks[at][2]
        if at * UNIT < past or (of.size and at * UNIT + size > of.size) then
          strange = strange + 1
        elseif size > 0 then
          past = at * UNIT + size
          local own = at == 0 and mark == "*"
          shown[mark], numbers[mark] = shown[mark] + (own and 0 or size), numbers[mark] + (own and 0 or 1)
          moment:block { address = of.address and of.address + at * UNIT, size = size, state = mark == "*" and "used" or "free",
            name = own and "the heap's own" .. name or nil }
        end
      end
      local function agrees(header)
        return shown["*"] - numbers["*"] * header == of.used and shown["-"] - numbers["-"] * header == of.free
      end
      return agrees(4) and 4 or agrees(8) and 8 or nil
    end

    local largest, sums = 0, { free = 0, used = 0, peak = 0, total = 0 }
    local told = { free = true, used = true, peak = true, total = true }
    table.sort(heaps, function(a, b) return (a.address or math.maxinteger) < (b.address or math.maxinteger) end)
    local behind = 0
    for i, of in ipairs(heaps) do
      if of.address and (of.address < behind or of.size > (1 << 60)) then
        strange = strange + 1
        of.dropped = true
      elseif of.address then
        behind = of.address + of.size
        moment:segment { address = of.address, size = of.size }
      end
      if not of.dropped then
        local header = #of.places > 0 and add_chunks(of, #heaps > 1 and " " .. i or "")
        if header then
          note("of the heap's chunks %s bytes are in use and %s free without their headers of %d bytes, as the text has it", count(of.used), count(of.free), header)
          told.free, told.used = false, false
        end
        for key in pairs(sums) do
          told[key] = told[key] and of[key] ~= nil
          sums[key] = sums[key] + (of[key] or 0)
        end
        largest = math.max(largest, #of.places == 0 and of.largest or 0)
      end
    end
    if told.free then moment:tell { figure = "free", bytes = sums.free } end
    if told.used then moment:tell { figure = "in_use", bytes = sums.used } end
    if told.peak and #heaps == 1 then moment:tell { figure = "peak_used", bytes = sums.peak } end
    if told.total then moment:tell { figure = "reserved", bytes = sums.total } end
    if largest > 0 then moment:tell { figure = "largest_free", bytes = largest } end
    if strange > 0 then note("%d line%s cut, or overlap%s others, and left out", strange, strange == 1 and " is" or "s are", strange == 1 and "s" or "") end
    moment:about { what = "what Zephyr prints of its heaps" }
  end,
}
