-- The log of ggml's graph allocator: what ggml-alloc.c prints when it is built with AT_PRINTF.
--
-- For each node of a graph it says which of its parents the node may not, or does, take the place of; else where it finds room; then what
-- the node is, and which parents are free after it. That is a decision after another, with addresses, and most of what is looked at.
-- GGML_ALLOCATOR_DEBUG adds what lies in a chunk whenever it grows.
--
-- Loggers put something before lines, and other lines between them; lines are known by what they say first. Nothing says where one graph
-- ends and the next begins (is_another_run).
local find_last, lower_bound = require "find_last", require "lower_bound"

local MOST_BYTES <const>, MOST_COUNT <const> = stowage.most_bytes, 1 << 30
local ALLOCATING <const> = "ggml_dyn_tallocr_alloc: allocating "
local COUNTED <const>, HELD <const> = { "tensor", "children", "views", "allocated" }, { "tensor", "chunk", "offset", "end" }
local HELD_KINDS <const> = { "buffer", "count", "offset", "offset" }

-- What lies where: the tensors that have memory, by name and by address.
--
-- Names repeat: a tensor is another one each time that it gets memory, and is called NAME, NAME#2, NAME#3. Chunks are address spaces of
-- their own. Several back ends have an allocator each, and the log does not say which of them a line is of; but one allocator never hands
-- out what is taken. So a block at an address that is taken belongs to another pool. A block of no bytes takes nothing.
local function new_blocks()
  local latest, uses, name_of, spaces = {}, {}, unique(), {} -- latest: by name, the last that was alive; a space: a chunk of a pool
  local blocks = { spaces = spaces, lengths = {} } -- lengths: those that names have

  -- The last live block with the name.
  local function find(name)
    local first = latest[name]
    local block = first
    while block and not block.live do
      block = block.before
    end
    if block ~= first then latest[name] = block end -- what is dead is not looked at again
    return block
  end

  -- The last live block of a space with the name that begins at the offset.
  local function find_at(space, name, offset)
    local key = name .. " " .. offset
    local block = space.latest[key]
    while block and not block.live do
      block = block.before_there
    end
    space.latest[key] = block
    return block
  end

  -- The first live block of a space, of those with bytes, that begins at the offset or behind it.
  local function first_from(live, offset)
    return lower_bound(live, function(block) return block.offset < offset end)
  end

  local function is_taken(space, offset, size)
    local at = first_from(space.live, offset)
    local below, above = space.live[at - 1], space.live[at]
    return size > 0 and (below and below.offset + below.size > offset or above and above.offset < offset + size)
  end

  local function add(name, space, offset, size)
    local count = (uses[name] or 0) + 1
    local shown = name ~= "" and name or "(no name)"
    local block = { name = name, space = space, offset = offset, size = size, live = true, before = find(name) }
    block.id = name_of(count > 1 and shown .. "#" .. count or shown)
    block.before_there = find_at(space, name, offset)
    blocks.lengths[#name] = true
    uses[name], latest[name], space.latest[name .. " " .. offset] = count, block, block
    if size > 0 then table.insert(space.live, first_from(space.live, offset), block) end
    return block
  end

  -- The first pool that has room there.
  local function find_space(chunk, offset, size)
    local pool = 1
    for _, space in ipairs(spaces) do
      if space.chunk == chunk and not is_taken(space, offset, size) then return space end
      pool = pool + (space.chunk == chunk and 1 or 0)
    end
    if #spaces == stowage.most_tiers then fail(nil, "more than %d chunks", stowage.most_tiers) end
    local name = "chunk " .. chunk .. (pool > 1 and ", pool " .. pool or "")
    spaces[#spaces + 1] = { chunk = chunk, pool = pool, name = name, live = {}, latest = {} }
    return spaces[#spaces]
  end

  -- So many bytes at the end of a block are free.
  function blocks.shrink(block, extra)
    local live = block.space.live
    if block.size > 0 and block.size == extra then table.remove(live, first_from(live, block.offset)) end
    block.size = block.size - extra
  end

  function blocks.free(block)
    blocks.shrink(block, block.size)
    block.live = false
  end

  -- The live block with the name at the address, in any pool.
  function blocks.at(name, chunk, offset)
    for _, space in ipairs(spaces) do
      local block = space.chunk == chunk and find_at(space, name, offset)
      if block then return block end
    end
  end

  -- Is any byte of it taken in the first pool?
  function blocks.taken(chunk, offset, size)
    for _, space in ipairs(spaces) do
      if space.chunk == chunk and space.pool == 1 then return is_taken(space, offset, size) end
    end
  end

  function blocks.add(name, chunk, offset, size)
    return add(name, find_space(chunk, offset, size), offset, size)
  end

  -- At the place of a live block, which ends.
  function blocks.reuse(name, parent)
    local size = parent.size
    blocks.free(parent)
    return add(name, parent.space, parent.offset, size)
  end

  blocks.find = find
  return blocks
end

stowage.reader {
  name = "ggml-log",
  summary = "what ggml's graph allocator prints with AT_PRINTF: its decisions; time is the number of the event",
  extensions = ".log",
  has = "ggml_dyn_tallocr_alloc: allocating  ...  bytes) - ",
  looks = "a log of ggml's graph allocator",
  near = {"ggml_dyn_tallocr_", "ggml_gallocr_", "ggml_tallocr_", "ggml_vbuffer_", "reusing parent ", " bytes from parent "},
  paste = "what a build with AT_PRINTF prints, in whole lines",
  gives = "trace",

  read = function(input, trace)
    local next_line = input:lines()
    local whole = input:bytes()
    local line, begin, cut -- the present line
    local cut_line, runs = nil, 0
    local exec_ahead, alloc_ahead = 0, 0 -- behind the present line, as far as it was looked for
    local node_ahead, node_at            -- the node there, and where that was
    local blocks, rows   -- of the run: nil where it has no line; counts of the parents of the present node
    local over, named, executed, after_extra -- the log says that the run ends; the group has its name; a node is done
    local events, strangers, pools = 0, 0, 0
    local first_exec, first -- the run's first node and allocation, to know the graph again
    local waiting -- a node in the place of its parent, which waits for its size

    -- Where the cursor is in the line.
    local function here()
      return input:at() - begin + 1
    end

    -- A line that the allocator prints in another way: the end of a log that was cut off, or no log of its.
    local function odd_line(what)
      if not cut then fail(nil, "%s", what) end
      cut_line = input:line()
    end

    local function read_up_to(most)
      local number = input:read("%n")
      return number and number >= 0 and number <= most and number
    end

    -- ---- runs, groups ----

    -- A decision that stands at the last event.
    local function put_decision(kind, block, fields)
      fields[1], fields.buffer = kind, block and block.id
      fields.time = events > 0 and events - 1 or nil
      trace:decision(fields)
    end

    local function put_free(block, at)
      trace:free { block.id, at = at }
      events = events + 1
    end

    local function put_alloc(block, parent, at)
      trace:alloc { block.id, size = block.size, inplace_of = parent, at = at }
      events = events + 1
    end

    -- The node that reuses its parent's place: its size is known now, so tell it.
    local function settle()
      if not waiting then return end
      local node, parent, extra, at = waiting.node, waiting.parent.id, waiting.extra, waiting.at
      local place = { buffer = node.id, tier = node.space.name, offset = node.offset }
      local reason = "in the place of " .. parent .. (waiting.view and ", through a view" or "")
      blocks.shrink(node, extra)
      put_free(waiting.parent, at)
      put_alloc(node, parent, at)
      if extra > 0 then reason = reason .. ", of which the last " .. extra .. " bytes are free" end
      put_decision("reusing", node, { tier = place.tier, offset = place.offset, reason = reason, changes = { place },
                                      figures = extra > 0 and { { "extra", extra } } or nil, at = at })
      waiting = nil
    end

    local function put_rows()
      if #rows > 0 then trace:state { "parents", columns = COUNTED, rows = rows, at = false } end
      rows = {}
    end

    local function tell_run()
      note("ggml's log has neither alignment nor the tensors that lie outside of its pools, nor why a free block was taken; sizes are " ..
        "rounded up to the alignment")
      if pools > 0 then
        note('%d tensor%s at an address that is taken: another back end has %s there, which the log does not name; a tier "pool" stands ' ..
          "for it", pools, pools == 1 and " lies" or "s lie", pools == 1 and "it" or "them")
      end
      if strangers > 0 then
        note("%d time%s the log frees or reuses a tensor that it did not allocate before", strangers, strangers == 1 and "" or "s")
      end
      if cut_line then note("the last line of the log, %d, is cut and is left out", cut_line) end
      for _, space in ipairs(blocks.spaces) do
        trace:tier { name = space.name }
      end
    end

    local function end_run(is_whole)
      settle()
      if blocks then
        put_rows()
        tell_run()
        trace:done { planner = "ggml", cut = not is_whole }
        runs = runs + 1
      end
      blocks, over, named, executed, after_extra, first_exec, first = nil, nil, nil, nil, nil, nil, nil
      events, strangers, pools = 0, 0, 0
    end

    -- A line that belongs to a run.
    local function go_on()
      if over then end_run(true) end
      if not blocks then blocks, rows = new_blocks(), {} end
    end

    -- Where a text stands next behind the present line, looked for only once; behind the end where it does not.
    local function ahead(known, text)
      local from = begin + #line
      return known >= from and known or whole:find(text, from, true) or #whole + 1
    end

    -- "OP (NAME)" of the next exec line.
    local function next_node()
      exec_ahead = ahead(exec_ahead, "exec: ")
      if exec_ahead > #whole then return end
      if node_at ~= exec_ahead then
        local node = whole:match("^[^\n]*", exec_ahead + #"exec: ")
        local arrow = node:find(") <= ", 1, true)
        node_ahead, node_at = arrow and node:sub(1, arrow) or node, exec_ahead
      end
      return node_ahead
    end

    local function put_group(name)
      put_rows()
      trace:group { name, at = false }
    end

    -- The first line of a node opens a group with its name, which the log has further on.
    local function open_group()
      if not named then put_group(next_node() or "the end of the log") end
      named = true
    end

    -- Does this allocation begin another graph, or the same one again? The same: it is the first allocation of this run once more, and the
    -- next node is the run's first. Another: it lies at the bottom over what is live, and a second allocation follows before a node, as is
    -- so with the inputs of a graph.
    local function is_another_run(text, chunk, offset, size)
      if not executed or chunk ~= 0 or offset ~= 0 then return false end
      local node = next_node()
      if node and text == first and node == first_exec then return true end
      if not blocks.taken(chunk, 0, size) then return false end
      alloc_ahead = ahead(alloc_ahead, ALLOCATING)
      return alloc_ahead < exec_ahead
    end

    -- ---- lines ----

    -- "block 0, offset 0, chunk 0"; until September 2025 without the chunk.
    local function read_place()
      local block = input:past("block ") and read_up_to(MOST_COUNT)
      local offset = block and input:word(", offset ") and read_up_to(MOST_BYTES)
      if not offset then return end
      local chunk = 0
      if input:word(", chunk ") then chunk = read_up_to(MOST_COUNT) end
      return chunk and block, offset, chunk
    end

    local function read_alloc()
      local from, at = here(), begin
      local open = find_last(line, " bytes) - ", from, #line + 1)
      local paren = open and find_last(line, " (", from, open)
      if paren then input:at(begin + paren + 1) end
      local size = paren and read_up_to(MOST_BYTES)
      if not size or input:at() ~= begin + open - 1 then
        return odd_line("an allocation says: NAME (SIZE bytes) - block N, offset N, chunk N, with at most 2^61 bytes")
      end
      local place = begin + open - 1
      local text, name = line:sub(from, open - 1), line:sub(from, paren - 1)
      input:at(place + #" bytes) - ")
      local block, offset, chunk = read_place()
      if not block and cut then return odd_line() end
      if not block then -- it may stand in a line of its own: a logger that begins every message on a new line
        line, begin, cut = next_line()
        if line then
          block, offset, chunk = read_place()
        end
      end
      if not block then
        fail(place, "an allocation says its place: block N, offset N, chunk N, with an offset up to 2^61")
      end
      if offset > MOST_BYTES - size then fail(nil, "this block would end above 2^61 bytes") end
      settle()
      if is_another_run(text, chunk, offset, size) then end_run(true) end
      go_on()
      open_group()
      first = first or text
      local tensor = blocks.add(name, chunk, offset, size)
      pools = pools + (tensor.space.pool > 1 and 1 or 0)
      put_alloc(tensor, nil, at)
      put_decision("place", tensor, { tier = tensor.space.name, offset = offset, reason = "block " .. block .. " of the free list",
                                      figures = { { "block", block } }, at = at })
    end

    -- "P for N": where the two part, and the block that P is. Both may hold " for ", so that P must be a tensor that has memory.
    local function split_for(text)
      local first_at = text:find(" for ", 1, true)
      local at = first_at
      while at do
        local block = blocks.lengths[at - 1] and blocks.find(text:sub(1, at - 1))
        if block then return text:sub(1, at - 1), text:sub(at + 5), block end
        at = text:find(" for ", at + 1, true)
      end
      if first_at then return text:sub(1, first_at - 1), text:sub(first_at + 5) end
    end

    local function read_reuse(view)
      go_on()
      settle()
      local open = view and line:find(" (", here(), true) -- "VIEW (SOURCE) for N": the source has the memory
      if open then input:at(begin + open + 1) end
      local text = line:sub(here())
      local parent, node, block = split_for(text)
      if not parent then return odd_line("what reuses the parent is missing: reusing parent NAME for NAME") end
      open_group()
      if view and parent:sub(-1) == ")" then block = blocks.find(parent:sub(1, -2)) end
      if block then
        waiting = { node = blocks.reuse(node, block), parent = block, at = begin, extra = 0, view = view }
      else -- where it lies is not known
        strangers = strangers + 1
        put_decision("reusing", nil, { reason = text, at = begin })
      end
    end

    -- "freeing extra N bytes from parent P for N"
    local function read_extra()
      local size = input:read("%n bytes from parent ")
      if not size then return odd_line("this says: freeing extra SIZE bytes from parent NAME for NAME") end
      after_extra = true
      if not waiting then return end -- of a parent that the log did not allocate
      if size < 0 or size > waiting.node.size then fail(nil, "the parent has only %d bytes", waiting.node.size) end
      waiting.extra = size
    end

    -- "not reusing parent P for N as WHY"
    local function read_not_reuse()
      local from = here()
      local as = find_last(line, " as ", from, #line + 1)
      if not as then return odd_line("this says: not reusing parent NAME for NAME as REASON") end
      go_on()
      settle()
      open_group()
      local parent, _, block = split_for(line:sub(from, as - 1))
      trace:candidate { "in the place of " .. (block and block.id or parent or ""), verdict = "refused", reason = line:sub(as + 4), at = begin }
    end

    -- "N at {chunk=C, offset=O} (S bytes) - n_free_blocks = D", or "N at O (S bytes) ..." until September 2025
    local function parse_free(from)
      local at, chunk = find_last(line, " at ", from, #line + 1), 0
      if not at then return end
      input:at(begin + at + 3)
      local chunked = input:word("{chunk=")
      if chunked then
        chunk = read_up_to(MOST_COUNT)
        if not chunk or not input:word(", offset=") then return end
      end
      local offset = read_up_to(MOST_BYTES)
      if not offset or chunked and not input:word("}") then return end
      local size = input:word(" (") and read_up_to(MOST_BYTES)
      local count = size and input:word(" bytes) - n_free_blocks = ") and read_up_to(MOST_COUNT)
      return count and line:sub(from, at - 1), chunk, offset, size, count
    end

    local function read_free()
      local from = here()
      local name, chunk, offset, size, count = parse_free(from)
      if not name then return odd_line("this says: freeing NAME at {chunk=N, offset=N} (SIZE bytes) - n_free_blocks = N") end
      if after_extra then return end -- the extra bytes once more, under the name of the parent
      go_on()
      settle()
      local block = blocks.at(name, chunk, offset)
      local fields = { figures = { { "bytes", size }, { "n_free_blocks", count } }, at = begin }
      if block then
        put_free(block, begin)
        fields.tier, fields.offset = block.space.name, offset
        blocks.free(block)
      else
        strangers = strangers + 1
        fields.reason = line:sub(from)
      end
      put_decision("freeing", block, fields)
    end

    local function read_kept()
      go_on()
      settle()
      local name = line:sub(here())
      local block = blocks.find(name)
      put_decision("not freeing", block, { reason = block and "it is an output" or name, at = begin })
    end

    -- "OP (N) <= parent, parent": the node's memory is settled, and it runs.
    local function read_exec()
      local from = here()
      local open, arrow = line:find(" (", from, true), line:find(") <= ", from, true)
      if not open or not arrow or arrow < open + 2 then return end -- a line of something else, or cut
      go_on()
      settle()
      first_exec = first_exec or line:sub(from, arrow)
      if not named then put_group(line:sub(from, arrow)) end -- nothing was decided about its memory: a view
      put_decision("exec", blocks.find(line:sub(open + 2, arrow - 1)), { reason = line:sub(from), at = begin })
      named, executed = false, true
    end

    -- "P: 1 children, 0 views, allocated: 1", and the same of a view's source without the last
    local function read_counts(view)
      local from = here()
      local stop = find_last(line, " children, ", from, #line + 1)
      local colon = stop and find_last(line, ": ", from, stop)
      if not colon or not blocks then return end -- a line of something else, or cut
      input:at(begin + colon + 1)
      local children, views = input:read("%n children, %n views")
      local allocated = trace.null
      if children and not view then
        local number = input:read(", allocated: %n")
        children, allocated = number and children, number ~= 0
      end
      if not children then return end
      local name = line:sub(from, colon - 1)
      local block = blocks.find(name)
      rows[#rows + 1] = { block and block.id or name, children, views, allocated }
    end

    -- "NAME [0: 0-400] (0.00 MB) ": one tensor of max_size. Its name may hold anything.
    local function parse_held()
      local from = input:at()
      local at = input:find(" [")
      while at do
        input:at(at + 2)
        local chunk = read_up_to(MOST_COUNT)
        if chunk and input:word(": ") then
          local first_digits, last_digits, behind = line:match("^([%da-f]+)%-([%da-f]+)%] %(()", here())
          if first_digits and #first_digits <= 15 and #last_digits <= 15 then
            input:at(begin + behind - 1)
            if not input:past(" MB) ") then return end -- nor behind it
            return input:bytes(from, at - from), chunk, tonumber(first_digits, 16), tonumber(last_digits, 16)
          end
        end
        input:at(at + 1)
        at = input:find(" [")
      end
    end

    -- "0] = 0.00 MB: tensors: ..."
    local function read_max_size()
      local chunk = blocks and read_up_to(MOST_COUNT)
      if not chunk or not input:past("tensors: ") then return end
      local held = {}
      local name, of_chunk, offset, stop = parse_held()
      while name do
        local block = blocks.at(name, of_chunk, offset)
        held[#held + 1] = { block and block.id or name, of_chunk, offset, stop }
        name, of_chunk, offset, stop = parse_held()
      end
      trace:state { ("max_size[%d]"):format(chunk), columns = HELD, kinds = HELD_KINDS, rows = held, at = false }
    end

    -- "ggml_gallocr_reserve_n_impl: reallocating NAME buffer from size 0.00 MiB to 3.06 MiB": after a run, for each back end
    local function read_reserve()
      if not blocks or not input:past(": reallocating ") then return end
      settle()
      put_rows()
      put_decision("reallocating", nil, { reason = line:sub(here()), at = begin })
      over = true
    end

    -- ---- the whole ----

    local function read_over()
      over = blocks ~= nil
    end

    local WORDS <const> = { -- and whether the line tells nothing of the one before it
      { ALLOCATING, read_alloc, true }, { "ggml_gallocr_free_node: freeing ", read_free, true },
      { "ggml_dyn_tallocr_free_tensor: freeing ", read_free, true }, { "not reusing parent ", read_not_reuse, true },
      { "reusing view parent ", function() read_reuse(true) end, true }, { "reusing parent ", function() read_reuse(false) end, true },
      { "freeing extra ", read_extra }, { "not freeing output ", read_kept, true }, { "exec: ", read_exec, true },
      { "parent ", function() read_counts(false) end, true }, { "view_src ", function() read_counts(true) end, true },
      { "max_size[", read_max_size }, { "ggml_gallocr_needs_realloc: ", read_over, true },
      { "ggml_gallocr_alloc_graph: reallocating buffers automatically", read_over, true }, { "ggml_gallocr_reserve_n", read_reserve, true },
    }

    local BEGINNINGS <const> = {} -- words by their first byte
    for _, word in ipairs(WORDS) do
      local byte = word[1]:byte()
      BEGINNINGS[byte] = BEGINNINGS[byte] or {}
      table.insert(BEGINNINGS[byte], word)
    end

    -- What a line says first decides what it is: a logger's prefix stands before it, names behind it.
    local function find_word()
      local beginnings, found, from = BEGINNINGS[line:byte()], nil, nil
      for _, word in ipairs(beginnings or {}) do
        if input:word(word[1]) then return word end
      end
      for _, word in ipairs(WORDS) do
        local at = line:find(word[1], 1, true)
        if at and (not from or at < from) then
          found, from = word, at
          if at == 1 then break end
        end
      end
      if found then input:at(begin + from - 1 + #found[1]) end
      return found
    end

    line, begin, cut = next_line()
    while line do
      local word = find_word()
      if word then
        word[2]()
        after_extra = not word[3] and after_extra
      end
      line, begin, cut = next_line()
    end
    end_run(not cut_line and not named)
    if runs == 0 then fail(nil, "the log ends before the allocator's first whole line") end
  end,
}
