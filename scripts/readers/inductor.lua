-- What PyTorch's Inductor writes for its simulator before it reorders a graph for less peak memory (the artifact NAME_fused of a
-- TORCH_TRACE log): nodes, the buffers that they write, and their sizes. It is a problem, no decision: which order was taken is not in it.
--
-- Inductor counts a buffer from the node that writes it to the last that reads it. Of a node with several results the whole is one buffer,
-- which costs memory (size_alloc) and is never given back (size_free is 0), and its results are buffers of other nodes, which cost nothing
-- and are given back. Here the results are what the first node writes, and the whole is none.

local function is_whole(buffer)
  return buffer.allocated > 0 and buffer.freed == 0
end

local function is_part(buffer)
  return buffer.allocated == 0 and buffer.freed > 0
end

-- Is it memory of its own in the graph?
local function has_memory(buffer)
  return buffer.freed > 0
end

stowage.reader {
  name = "inductor",
  summary = "PyTorch Inductor's graph before it is reordered for peak memory ({\"nodes\", \"buffers\"}): a problem, no decisions",
  extensions = ".json",
  members = {"nodes.buffer_names", "buffers.size_alloc"},
  gives = "graph",

  read = function(input, graph)
    local node_name = unique()
    local buffers, buffer_of, nodes = {}, {}, {}
    local unknown, uneven = 0, 0

    local function read_buffer(item)
      item:object():need("name", "size_alloc", "size_free")
      local buffer = { at = item, name = item:text("name"), allocated = item:bytes("size_alloc"), freed = item:bytes("size_free"),
                       input = item:flag("is_input"), output = item:flag("is_output"), deps = {}, parts = {} }
      for name in item:items("deps") do
        buffer.deps[#buffer.deps + 1] = name:type() == "text" and name:get() or false
      end
      if buffer.name == "" then item:fail("name", "the name of a buffer is empty") end
      if buffer_of[buffer.name] then item:fail("name", "there are two buffers with this name") end
      buffers[#buffers + 1], buffer_of[buffer.name] = buffer, buffer
    end

    local function read_node(item)
      item:object():need("name")
      local node = { at = item, buffers = {} }
      local name = item:text("name")
      for one in item:need("buffer_names"):items("buffer_names") do
        if one:type() ~= "text" then one:fail(nil, "this must be the name of a buffer") end
        local buffer = buffer_of[one:get()] or one:fail(nil, "there is no buffer with this name")
        if buffer.node then one:fail(nil, "another node writes this buffer already") end
        buffer.node = node
      end
      node.name = node_name(name ~= "" and name or "node")
      nodes[#nodes + 1] = node
    end

    -- A part's whole is the one that its node reads.
    local function find_whole(buffer)
      for _, name in ipairs(buffer.deps) do
        local whole = buffer_of[name]
        if whole and is_whole(whole) then return whole end
      end
    end

    local function link_buffers()
      for _, buffer in ipairs(buffers) do
        if is_part(buffer) then
          buffer.whole = find_whole(buffer)
        elseif buffer.allocated ~= buffer.freed and not is_whole(buffer) then
          uneven = uneven + 1
        end
        if buffer.node then table.insert(buffer.node.buffers, buffer) end
        if buffer.whole then table.insert(buffer.whole.parts, buffer) end
      end
    end

    local function add_buffers()
      for _, buffer in ipairs(buffers) do
        local given = buffer.input or not (buffer.node or buffer.whole)
        if has_memory(buffer) then
          graph:buffer { name = buffer.name, size = math.max(buffer.allocated, buffer.freed), output = buffer.output,
                         kind = given and "input" or buffer.output and "output" or "intermediate", at = buffer.at }
        end
      end
    end

    -- What a node writes: its buffers, and of a whole the parts.
    local function list_writes(node)
      local names = {}
      for _, buffer in ipairs(node.buffers) do
        if has_memory(buffer) and not buffer.whole and not buffer.input then names[#names + 1] = buffer.name end
        for _, part in ipairs(buffer.parts) do
          if not part.input then names[#names + 1] = part.name end
        end
      end
      return names
    end

    -- What it reads: what its buffers depend on; the node that takes a part out of a whole reads that part.
    local function list_reads(node)
      local names, listed = {}, {}
      local function add(buffer)
        if has_memory(buffer) and not listed[buffer] then
          names[#names + 1], listed[buffer] = buffer.name, true
        end
      end
      for _, buffer in ipairs(node.buffers) do
        if buffer.whole then add(buffer) end
        for _, name in ipairs(buffer.deps) do
          local found = buffer_of[name]
          if not found then
            unknown = unknown + 1
          elseif found.node ~= node then
            add(found)
          end
        end
      end
      return names
    end

    local root = input:json():object()
    for item in root:need("buffers"):items("buffers") do
      read_buffer(item)
    end
    for item in root:need("nodes"):items("nodes") do
      read_node(item)
    end
    link_buffers()
    add_buffers()
    for _, node in ipairs(nodes) do
      graph:operator { name = node.name, inputs = list_reads(node), outputs = list_writes(node), at = node.at }
    end
    note("Inductor writes this before it reorders the graph: it is a problem. Which order was taken is not in it, nor any decision; " ..
      "inputs that cannot be freed are left out")
    if unknown > 0 then note("%d time%s a buffer depends on one that is not listed", unknown, unknown == 1 and "" or "s") end
    if uneven > 0 then
      note("%d buffer%s another size when freed: the larger one counts", uneven, uneven == 1 and " has" or "s have")
    end
  end,
}
