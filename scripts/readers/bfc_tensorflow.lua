-- What TensorFlow's BFC allocators print with TF_CPP_MAX_VLOG_LEVEL=3 or more:
--
--     ... bfc_allocator.cc:260] AllocateRaw GPU_0_bfc  2053376
--     ... bfc_allocator.cc:174] Extending allocation by 2.00MiB bytes.
--     ... bfc_allocator.cc:181] Allocated memory at 0x7fb912c00000 to 0x7fb912e00000
--     ... bfc_allocator.cc:307] AllocateRaw GPU_0_bfc  2053376 0x7fb912c85100
--     ... bfc_allocator.cc:310] [mem-debug] AllocateRaw,GPU_0_bfc,2053376,0x7fb912c85100,STACK
--     ... bfc_allocator.cc:650] DeallocateRaw GPU_0_bfc 2053376
--     ... bfc_allocator.cc:652] [mem-debug] DeallocateRaw,GPU_0_bfc,2053376,0x7fb912c85100,STACK
--
-- The lines with [mem-debug] come with level 4, and tell all. Those before tell of a free only how many bytes it gives back. Until 2021 the
-- second line of an allocation, with its address, was missing, too. The most exact kind in the log is read. Beside them the lines of
-- __LOG_MEMORY__ say which kernel a tensor is of, and which tensor is about to be freed.
local bfc_log = require "bfc_log"

local ALLOCATE <const>, FREE <const> = "] AllocateRaw ", "] DeallocateRaw "
local DEBUG_ALLOCATE <const>, DEBUG_FREE <const> = "] [mem-debug] AllocateRaw,", "] [mem-debug] DeallocateRaw,"
local SIZES <const>, ADDRESSES <const>, EVERYTHING <const> = 1, 2, 3
local MOST_DOOMED <const> = 16 -- tensors that are about to be freed are looked for among the last so many
local MOST_FRAMES <const> = 8
local SHIFTS <const> = { K = 10, M = 20, G = 30, T = 40 }

stowage.reader {
  name = "tensorflow-bfc",
  summary = "what TensorFlow's BFC allocator prints (TF_CPP_MAX_VLOG_LEVEL=3 or 4); time is the number of the event",
  extensions = ".log",
  has = {"bfc_allocator.cc:%d] AllocateRaw ", "bfc_allocator.cc:%d] DeallocateRaw ", "bfc_allocator.cc:%d] [mem-debug] AllocateRaw,"},
  looks = "a log of TensorFlow's BFC allocators",
  near = {"AllocateRaw", "DeallocateRaw", "bfc_allocator.cc:", "[mem-debug]"},
  paste = "what TF_CPP_MAX_VLOG_LEVEL=3 prints, in whole lines",
  gives = "requests",
  allocator = "bfc-arena",
  any_bytes = true,

  read = function(input, requests)
    local log = bfc_log(input, requests)
    local detail = SIZES
    local tensors, places = {}, {} -- by allocation_id, by address: the buffer that came there last
    local sizes, told_origin = {}, {} -- by buffer
    local doomed, guessed = {}, 0 -- guessed: frees of one of several of a size
    local here  -- the chosen allocator spoke last: a region is its own
    local last, stack = nil, {} -- the stack that follows is of this buffer

    -- ---- one line's words ----

    local function at_end_or(text)
      local at = log.here()
      return at > #log.line or log.line:sub(at, at) == text
    end

    -- "NAME  SIZE ADDRESS", or "NAME,SIZE,ADDRESS,STACK": arena, size, address (nil: not told); nil: it has not these words.
    local function read_event(comma)
      local name = log.name(comma)
      local arena = log.arena(name)
      local size = name ~= "" and input:word(comma) and log.bytes()
      if not size then return end
      if not input:word(comma) then return at_end_or("\n") and arena or nil, size end
      local from = input:at()
      local address = log.address()
      if not address or not at_end_or(comma) then -- "alignment=64" of newer versions
        address = nil
        input:at(from)
      end
      return (comma == " " or address) and arena or nil, size, address
    end

    -- Which kinds of lines are there, and how many requests has each allocator?
    local function look()
      for _ in log.lines() do
        local debug = input:past(DEBUG_ALLOCATE)
        if debug or input:past(ALLOCATE) then
          local arena, _, address = read_event(debug and "," or " ")
          if arena then
            detail = math.max(detail, debug and EVERYTHING or address and ADDRESSES or SIZES)
            log.count(arena)
          end
        end
      end
      log.choose()
    end

    -- ---- what is asked for and given back ----

    local function take_alloc(arena, size, address)
      if arena ~= log.chosen or size == 0 then return end -- a request of no bytes gets nothing
      if address == 0 then return requests:refuse(size) end
      local buffer
      if detail == EVERYTHING then
        buffer = log.alloc(nil, size, address)
        last = buffer
      else
        local there = address and places[address]
        if there and requests:find(there) then requests:drop(there) end
        buffer = log.alloc(size .. "B", size, address)
        if address then places[address] = buffer end
      end
      sizes[buffer] = size
    end

    -- A tensor of these bytes that is about to be freed.
    local function take_doomed(size)
      for i, buffer in ipairs(doomed) do
        if sizes[buffer] == size and requests:find(buffer) then return table.remove(doomed, i) end
      end
    end

    local function take_free(arena, size, address)
      if arena ~= log.chosen or size == 0 then return end
      local living = detail ~= EVERYTHING and take_doomed(size)
      if not living then
        local others
        living, others = requests:find(detail == EVERYTHING and ("0x%x"):format(address or -1) or size .. "B")
        guessed = guessed + (others and 1 or 0)
      end
      requests:free(living or 0)
    end

    -- ---- what else is told ----

    local function digits_behind(word)
      local found = input:find(word)
      local digits = found and log.line:match("^%d*", found - log.begin + 1 + #word):sub(1, 23)
      return digits ~= "" and digits or nil
    end

    -- MemoryLogTensorAllocation { ... kernel_name: "NAME" ... allocation_id: N ... ptr: DECIMAL }
    local function read_tensor()
      local from = input:at()
      local address = detail ~= SIZES and input:past("ptr: ") and input:read("%n")
      if not address or address <= 0 then return end
      local buffer = places[address]
      if detail == EVERYTHING then buffer = requests:find(("0x%x"):format(address)) end
      if not buffer or not requests:find(buffer) then return end -- of another allocator
      input:at(from)
      if not told_origin[buffer] and input:past('kernel_name: "') then
        requests:origin(buffer, input:upto('"'))
        told_origin[buffer] = true
      end
      input:at(from)
      local number = digits_behind("allocation_id: ")
      if number then tensors[number] = buffer end
    end

    -- MemoryLogTensorDeallocation { allocation_id: N allocator_name: "NAME" }
    local function read_tensor_end()
      local number = digits_behind("allocation_id: ")
      local buffer = number and tensors[number]
      if buffer and requests:find(buffer) then
        if #doomed == MOST_DOOMED then table.remove(doomed, 1) end
        doomed[#doomed + 1] = buffer
      end
    end

    -- "Total allocated bytes: 34.00MiB", with two digits, of KiB one.
    local function read_total()
      local number, letter = input:upto():sub(1, 31):match("^(%d+%.?%d*)(%a?)")
      letter = letter and letter:upper()
      local shift = number and number:sub(-1) ~= "." and SHIFTS[letter] or 0
      local total = number and number:sub(-1) ~= "." and (shift > 0 or letter == "B") and tonumber(number) * 2.0 ^ shift
      log.total = total and total < 2.0 ^ 61 and math.floor(total) or nil
      log.about = shift == 0 and 0 or (1 << shift) // (shift == 10 and 20 or 200) + 1
    end

    -- "Extending allocation by 2.00MiB bytes for GPU_0_bfc.", of newer versions; older ones leave out the name.
    local function read_extending()
      if input:past(" bytes for ") then
        local name = input:upto()
        here = log.arena(name:sub(-1) == "." and name:sub(1, -2) or name) == log.chosen
      end
    end

    local function read_event_line(debug, allocates)
      local from = input:at()
      if not debug and allocates then
        local arena = read_event(" ")
        if arena then
          here = arena == log.chosen
          input:at(from)
        end
      end
      if debug ~= (detail == EVERYTHING) then return end
      local arena, size, address = read_event(debug and "," or " ")
      if not arena then
        log.strange = log.strange + 1
      elseif not allocates then
        if not debug or address ~= 0 then take_free(arena, size, address) end
      elseif detail ~= ADDRESSES or address then -- else what it got follows in a line of its own
        take_alloc(arena, size, address)
      end
    end

    -- A stack of level 4 has a line for each frame, which begin with a tab.
    local function read_stack()
      input:read("%s")
      local own = input:find("CurrentStackTrace") or input:find("BFCAllocator::AllocateRaw")
      local frame = input:upto()
      if last and not own and frame ~= "" and #stack < MOST_FRAMES then stack[#stack + 1] = frame end
    end

    local function end_stack()
      if last and #stack > 0 then
        requests:origin(last, table.concat(stack, "\n"))
        told_origin[last] = true
        stack = {}
      end
      last = nil
    end

    local function read_line()
      if log.line:sub(1, 1) == "\t" then return read_stack() end
      if not input:find("] ") then return end
      end_stack()
      if input:past(DEBUG_ALLOCATE) then
        read_event_line(true, true)
      elseif input:past(DEBUG_FREE) then
        read_event_line(true, false)
      elseif input:past(ALLOCATE) then
        read_event_line(false, true)
      elseif input:past(FREE) then
        read_event_line(false, false)
      elseif input:past("MemoryLogTensorAllocation {") then
        read_tensor()
      elseif input:past("MemoryLogTensorDeallocation {") then
        read_tensor_end()
      elseif input:past("] Extending allocation by ") then
        read_extending()
      elseif here and input:past("] Total allocated bytes: ") then
        read_total()
      elseif here and input:past("] Allocated memory at ") then
        log.region()
      elseif input:past("] Deallocate region with ptr = ") then
        local from = log.address()
        if from then log.region_gone(from) end
      end
    end

    -- ---- the whole ----

    look()
    for _, cut in log.lines() do
      if cut then
        log.strange = log.strange + 1
      else
        read_line()
      end
    end
    end_stack()
    log.build("flavor=tensorflow", false) -- of bfc-arena, which is ONNX Runtime's otherwise
    if guessed > 0 then
      note("the log does not say which of several allocations of one size is freed: %d time%s it is taken to be the youngest " ..
        "(TF_CPP_MAX_VLOG_LEVEL=4 tells addresses)", guessed, guessed == 1 and "" or "s")
    end
  end,
}
