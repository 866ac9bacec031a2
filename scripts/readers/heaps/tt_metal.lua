-- tt-metal's message that a buffer does not fit, and its table of the blocks of one bank (FreeListOpt's dump_blocks, MemoryReporter's CSV).
--
--     Out of Memory: Not enough space to allocate 3276800 B L1 buffer across 4 banks, where each bank needs to store 819200 B, but bank size is
--     1382720 B (allocated: 1000000 B, free: 382720 B, largest free block: 300000 B)
--     Statically allocated circular buffers on core range [(x=0,y=0) - (x=7,y=7)] grow to 1655296 B which is beyond max L1 size of 1499136 B
--
--            Block      Address         Size       PrevID       NextID    Allocated
--                0            0         2048         none            1          yes
--
-- A buffer lies in all banks at the same place, so that one bank stands for all: its figures, and what it needs to store, are those shown. Older
-- messages end before the size of a bank, or before what is free.
local byte_count = require("heap_sizes").bytes

stowage.reader {
  name = "tt-metal",
  summary = "tt-metal's message that memory ran out, and its table of blocks: a moment of one bank, without times",
  extensions = ".log .txt .csv",
  has = {"Out of Memory: Not enough space to allocate %d B ", "where each bank needs to store %d B", "Statically allocated circular buffers ... grow to %d B", "FreeListOpt allocator info:", "Block%sAddress%sSize%sPrevID%sNextID%sAllocated"},
  looks = "tt-metal's account of its memory",
  near = {"TT_FATAL @ ", "TT_THROW @ ", "bank_manager.cpp", "Not enough space to allocate", "circular buffers on core range", "FreeListOpt", "PrevID", "Block table:", "tt_metal/"},
  paste = "the whole message, or the table from \"FreeListOpt allocator info:\" on",
  gives = "moment",
  any_bytes = true,

  read = function(input, moment)
    local text, several, blocks, in_table = {}, 0, {}, false
    local failed, strange = nil, 0 -- the last message; blocks that are left out

    -- The figures of a message in words; how many there are.
    local function read_message(words)
      local total, kind, banks, each = words:match "Not enough space to allocate (%d+) B ([%w_]+) buffer across (%d+) banks, where each bank needs to store (%d+) B"
      local one, figures = { pool = kind, banks = banks, size = byte_count(each) }, 0
      if one.size and byte_count(total) then
        local behind = words:match "needs to store %d+ B(.*)$"
        one.origin = ("a buffer of %s bytes across %s banks"):format(count(byte_count(total)), banks)
        one.bank, one.used = byte_count(behind:match "^, but bank size is o?n?l?y? ?(%d+) B"), byte_count(behind:match "%(allocated: (%d+) B")
        one.free, one.largest = byte_count(behind:match ", free: (%d+) B"), byte_count(behind:match "largest free block: (%d+) B")
      else
        local size, most = words:match "circular buffers.- grow to (%d+) B which is beyond max L1 size of (%d+) B"
        one = { size = byte_count(size), limit = byte_count(most), pool = "L1", origin = "circular buffers" }
      end
      for _ in pairs(one) do figures = figures + 1 end
      return one.size and one, figures
    end

    -- Logs break messages at blanks, terminals anywhere: of both ways to join the lines the one that gives more.
    local function end_message()
      local at_blanks, of_blanks = read_message((table.concat(text, " "):gsub("%s+", " ")))
      local anywhere, of_anywhere = read_message((table.concat(text):gsub("%s+", " ")))
      local one = anywhere and (not at_blanks or of_anywhere > of_blanks) and anywhere or at_blanks
      several = several + (one and failed and 1 or 0)
      failed, text = one or failed, {}
    end

    for line, _, cut in input:lines() do
      if cut then line = line:gsub("%w+$", "") end
      local at, size, allocated = line:match "^%s*%d+%s+(%d+)%s+(%d+)%s+%S+%s+%S+%s+(%a+)%s*$"
      if not at then at, size, allocated = line:match "^,*%d+,(%d+),(%d+),[^,]*,[^,]*,(%a+)%s*$" end
      if line:find("Out of Memory:", 1, true) or line:find("Statically allocated circular", 1, true) then
        end_message()
        in_table = false
        text[1] = line
      elseif line:find "Block%s+Address%s+Size" then
        end_message()
        if #blocks > 0 then several = several + 1 end
        blocks, in_table = {}, true
      elseif in_table and at and (allocated == "yes" or allocated == "no") then
        if byte_count(at) and byte_count(size) then
          blocks[#blocks + 1] = { byte_count(at), byte_count(size), allocated == "yes" }
        else
          strange = strange + 1
        end
      elseif #text > 0 and #text < 12 then
        text[#text + 1] = line
      end
    end
    end_message()
    table.sort(blocks, function(a, b) return a[1] < b[1] end)
    local behind = 0
    for _, block in ipairs(blocks) do
      if block[1] < behind or block[1] > stowage.most_bytes - block[2] then
        strange = strange + 1
      else
        behind = block[1] + block[2]
        moment:block { address = block[1], size = block[2], state = block[3] and "used" or "free" }
      end
    end
    if failed then
      moment:failed { size = failed.size, pool = failed.pool, origin = failed.origin }
      local figures = { bank = "reserved", used = "in_use", free = "free", largest = "largest_free", limit = "limit" }
      for key, figure in pairs(figures) do
        if failed[key] then moment:tell { figure = figure, bytes = failed[key] } end
      end
      if failed.banks then note("all figures are those of one bank: %s banks have the same", failed.banks) end
      if failed.bank == 0 then note("the bank has no bytes: this kind of memory was not set up") end
    end
    if several > 0 then note("the text has %d more such message%s: the last one counts", several, several == 1 and "" or "s") end
    if strange > 0 then note("%d block%s overlap%s others, or %s cut, and left out", strange, strange == 1 and "" or "s", strange == 1 and "s" or "",
      strange == 1 and "is" or "are") end
    moment:about { what = "what tt-metal's allocator told" }
  end,
}
