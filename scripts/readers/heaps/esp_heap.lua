-- ESP-IDF's heaps: what heap_caps_print_heap_info() and heap_caps_dump() print, and the message that an allocation failed.
--
--     Heap summary for capabilities 0x00000004:
--       At 0x3ffae6e0 len 6432 free 4 allocated 6236 min_free 4
--         largest_free_block 4 alloc_blocks 12 free_blocks 1 total_blocks 13
--       Totals:
--         free 4 allocated 6236 min_free 4 largest_free_block 4
--     Showing data for heap: 0x3ffae6e0
--     Block 0x3ffae2b8 data, size: 20 bytes, Free: No
--     Block 0x3ffae2b8 data size 0x00000014 bytes next block 0x3ffae2d0 FREE. Next free 0x3ffae400
--     Mem alloc fail. size 0x00000300 caps 0x00001800
--
-- A block of a dump has a header of 4 bytes in front (since version 4.3; before, its address is that of the header): it belongs to its size here.
local byte_count = require("heap_sizes").bytes

local HEADER <const> = 4

stowage.reader {
  name = "esp-heap",
  summary = "ESP-IDF's heap_caps_print_heap_info() and heap_caps_dump(): heaps and blocks: a moment, without times",
  extensions = ".log .txt",
  has = {"Heap summary for capabilities ", "largest_free_block %d alloc_blocks %d", " data, size: %d bytes, Free: ", " bytes next block 0x", "Mem alloc fail. size "},
  looks = "ESP-IDF's account of its heaps",
  near = {"Heap summary for", "largest_free_block", "alloc_blocks", "free_blocks", "min_free", "Showing data for heap", "bytes, Free: ", "Mem alloc fail", "heap_caps_", "First free block 0x", "Heap start 0x"},
  paste = "what heap_caps_print_heap_info() or heap_caps_dump() prints, in whole lines",
  gives = "moment",
  any_bytes = true,

  read = function(input, moment)
    local heaps, order, heap, caps = {}, {}, nil, nil
    local blocks, totals = {}, nil
    local failed_at, failed
    local headers = 0
    local strange, again, inside = 0, 0, 0

    local function address_of(text)
      local address = text and #text <= 16 and tonumber(text, 16)
      return address and address >= 0 and address <= stowage.most_bytes and address or nil
    end

    local function read_heap(address, rest)
      local at, size = address_of(address), byte_count(rest:match "^len (%d+)")
      heap = nil
      if not at or not size then return end
      if not heaps[at] then order[#order + 1] = at end
      again = again + (heaps[at] and heaps[at].caps ~= caps and 1 or 0)
      heap = { size = size, caps = caps, free = byte_count(rest:match " free (%d+)"), used = byte_count(rest:match " allocated (%d+)") }
      heaps[at] = heap
    end

    local function read_block(text, rest)
      local at = address_of(text)
      local size, state = rest:match "data, size: (%d+) bytes, Free: (%a+)"
      local next_block = address_of(rest:match "next block 0x(%x+)")
      if next_block and at and next_block > at then -- all that lies up to the next block
        blocks[at] = { next_block - at, rest:find("FREE", 1, true) ~= nil }
      elseif at and byte_count(size) and (state == "Yes" or state == "No") and at >= HEADER then
        blocks[at - HEADER] = { byte_count(size) + HEADER, state == "Yes" }
        headers = headers + 1
      elseif not rest:find("next block 0x0+%f[%X]", 1) and not rest:find("next block %(nil%)") then -- the last one ends the heap
        strange = strange + 1
      end
    end

    for line, _, cut in input:lines() do
      if cut then line = line:gsub("%w+$", "") end
      local address, rest = line:match "At%s+0?x?(%x+)%s+(len %d+.*)$"
      local block, of = line:match "Block 0?x?(%x+) (data.*)$"
      local from, to = line:match "Heap start 0?x?(%x+) end 0?x?(%x+)"
      local asked, by = line:match "Mem alloc fail%. size (0?x?%x+) caps (0?x?%x+)"
      if line:find("Heap summary for capabilities", 1, true) then
        caps, totals, heap = line:match "capabilities (0x%x+)", nil, nil
      elseif address then
        read_heap(address, rest)
      elseif line:find("Totals:", 1, true) then
        totals, heap = {}, nil
      elseif block then
        read_block(block, of)
      elseif from and address_of(from) and address_of(to) and address_of(to) > address_of(from) then
        local at = address_of(from)
        if not heaps[at] then order[#order + 1] = at end
        heaps[at] = { size = address_of(to) - at }
      elseif asked and byte_count(asked) then
        failed, failed_at = byte_count(asked), by
      end
      local largest = byte_count(line:match "largest_free_block (%d+)")
      if largest and heap then
        heap.largest = largest
      elseif largest and totals then
        totals = { free = byte_count(line:match "free (%d+) allocated"), used = byte_count(line:match "allocated (%d+)"), largest = largest,
          least = byte_count(line:match "min_free (%d+)") }
      end
    end

    table.sort(order)
    local past, kept = -1, {}
    for _, at in ipairs(order) do
      local one, apart = heaps[at], at >= past
      if apart then
        past = at + one.size
        kept[#kept + 1] = { at, past }
      end
      inside = inside + (apart and 0 or 1)
      moment:segment { address = apart and at or nil, size = one.size, pool = one.caps and ("capabilities " .. one.caps) or nil }
    end

    -- Blocks in order, each in one heap; one that overlaps another is of a line that was damaged.
    local places = {}
    for at in pairs(blocks) do places[#places + 1] = at end
    table.sort(places)
    local i, behind, sums = 1, -1, { used = 0, free = 0 }
    for _, at in ipairs(places) do
      local size, is_free = blocks[at][1], blocks[at][2]
      while kept[i] and kept[i][2] <= at do i = i + 1 end
      local limit = kept[i] and (kept[i][1] <= at and kept[i][2] or kept[i][1]) or math.maxinteger
      if at < behind or size > limit - at then
        strange = strange + 1
      else
        moment:block { address = at, size = size, state = is_free and "free" or "used" }
        behind = at + size
        sums.used, sums.free = sums.used + (is_free and 0 or size), sums.free + (is_free and size or 0)
      end
    end

    if #places == 0 and #order > 0 then
      local free, used, largest = 0, 0, 0
      for _, at in ipairs(order) do
        local one = heaps[at]
        free, used = free and one.free and free + one.free, used and one.used and used + one.used
        largest = largest and one.largest and math.max(largest, one.largest)
      end
      if free then moment:tell { figure = "free", bytes = free } end
      if used then moment:tell { figure = "in_use", bytes = used } end
      if largest then moment:tell { figure = "largest_free", bytes = largest } end
    elseif #places == 0 and totals then
      if totals.free then moment:tell { figure = "free", bytes = totals.free } end
      if totals.used then moment:tell { figure = "in_use", bytes = totals.used } end
      if totals.largest then moment:tell { figure = "largest_free", bytes = totals.largest } end
    end
    if totals and totals.least then note("at the worst moment of each heap %s bytes were free in all", count(totals.least)) end
    if failed then
      moment:failed { size = failed, rounded = headers > 0 and math.max(12, (failed + 3) // 4 * 4) + HEADER or nil, origin = "capabilities " .. failed_at }
    end
    if headers > 0 then note("a block's header of %d bytes is part of its size here", HEADER) end
    if again > 0 then note("%d heap%s told for more than one set of capabilities: the last one counts", again, again == 1 and " is" or "s are") end
    if inside > 0 then note("%d heap%s inside another: both count, as in the sums of the text", inside, inside == 1 and " lies" or "s lie") end
    if strange > 0 then note("%d line%s cut, or overlap%s others, and left out", strange, strange == 1 and " is" or "s are", strange == 1 and "s" or "") end
    moment:about { what = "what ESP-IDF prints of its heaps" }
  end,
}
