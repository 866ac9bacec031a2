-- ST's NAME_generate_report.txt (X-CUBE-AI, ST Edge AI Core): the table C-Arrays has every array of the generated C code with its size and
-- its memory pool, the table C-Layers says in the order of execution which layer reads and writes which. Where the arrays lie is not in
-- it: what it tells of the tool's own plan is one figure.
local shown = require "shown"

local MOST_BYTES <const> = stowage.most_bytes
local DTYPES <const> = {
  float = "float32", bool = "bool", int8_t = "int8", s8 = "int8", uint8_t = "uint8", u8 = "uint8", int16_t = "int16", s16 = "int16",
  uint16_t = "uint16", u16 = "uint16", int32_t = "int32", s32 = "int32", uint32_t = "uint32", u32 = "uint32",
}
local ELEMENTWISE <const> = { nl = true, nonlinearity = true, eltwise = true, scalebias = true, bn = true }
local ROLES <const> = { I = "inputs", W = "inputs", O = "outputs", S = "scratch" }

stowage.reader {
  name = "st-report",
  summary = "ST's NAME_generate_report.txt: step i is layer i; lives from the layer that writes an array to the last that reads it, both inside",
  extensions = ".txt",
  begins = {"ST Edge AI Core v", "Neural Network Tools for STM32"},
  looks = "ST's NAME_generate_report.txt",
  near = {"Generated C-graph summary", "C-Arrays (%d", "c_id   name (*_array)", "domain/mem-pool", "activations size  ", "Created date  ", "model name   ", "weights (ro)", "activations (rw)"},
  paste = "the whole file, from its first line on",
  gives = "graph",

  read = function(input, graph)
    local arrays, array_of, layers, tiers, known_tier = {}, {}, {}, {}, {}
    local array_count, layer_count, plan = -1, -1, -1 -- as the titles say; -1: not seen
    local section -- "arrays", "layers"

    -- What follows the slash in "activations/POOL_0_DTCMRAM"; stars stand there for the only pool of all. In older reports pools are
    -- "activations" and "user".
    local function find_tier(pool)
      local name = pool:match("/(.*)") or pool
      if name == "" or name:sub(1, 1) == "*" then name = "activations" end
      if not known_tier[name] then
        if #tiers == stowage.most_tiers then fail(nil, "more than %d memory pools", stowage.most_tiers) end
        tiers[#tiers + 1], known_tier[name] = name, true
      end
      return name
    end

    -- "9   conv1d_1_output   18944/75776   activations/POOL   s8   fmt   /output"
    local function read_array(at)
      if input:read("%n") ~= #arrays then fail(nil, "this is no row of the table C-Arrays") end
      local name = input:read("%s%w")
      local items, size
      input:read("%s")
      if name ~= "" then items, size = input:read("%n/%n") end
      if not size or size < 0 or size >= MOST_BYTES then
        fail(nil, "items and size of the array are not two numbers up to 2^61")
      end
      local array = { at = at, name = name, size = size, kind = "intermediate" }
      local pool, type = input:read("%s%w%s%w")
      if pool:sub(1, 7) == "weights" or type == "const" then
        array.kind = "constant"
      else
        array.tier = find_tier(pool)
      end
      array.dtype = DTYPES[type]
      array.output = input:find("/output") ~= nil
      if input:find("/input") then array.kind = "input" end
      arrays[#arrays + 1], array_of[name] = array, array
    end

    -- "O: conv1d_output   f32(1x297x64) (14)": the array is told by its name, else by its number.
    local function read_tensor(role, begin)
      input:at(begin + 2)
      local name = input:read("%s%w")
      local array = array_of[name]
      local number = not array and input:upto():match("^.*%(([^(]*)$")
      number = number and number:match("^%d+")
      array = array or number and arrays[(math.tointeger(number) or -1) + 1]
      if not array then fail(begin, "%s is none of the C-Arrays", name) end
      if role == "S" and array.kind == "intermediate" then array.kind = "scratch" end
      array.touched = true
      local layer = layers[#layers]
      layer.arguments[#layer.arguments + 1] = { array = array, role = ROLES[role] }
    end

    -- "2   conv1d_1   7   Conv2D   7375104   98816   I: ...", or another tensor of the layer above.
    local function read_layer(line, at)
      local number = input:read("%n")
      if number then
        local name, _, kind = input:read("%s%w%s%w%s%w")
        if number ~= #layers or kind == "" then fail(nil, "this is no row of the table C-Layers") end
        layers[#layers + 1] = { at = at, name = name, kind = kind, inplace = ELEMENTWISE[kind:lower()], arguments = {} }
      elseif #layers == 0 then
        return -- the head of the table
      end
      local found = line:find(" [ISWO]: ", math.max(input:at() - at, 1))
      if found then read_tensor(line:sub(found + 1, found + 1), at + found) end
    end

    local function read_row(line, at)
      local rows = section == "arrays" and arrays or layers
      if line == "" then -- a table ends in a blank line
        section = #rows == 0 and section or nil
      elseif line:sub(1, 1) == "-" or section == "arrays" and not line:find("^%d") then
        return
      elseif section == "arrays" then
        read_array(at)
      else
        read_layer(line, at)
      end
    end

    -- "C-Arrays (32)"
    local function read_title()
      local title, number
      if array_count < 0 and input:word("C-Arrays (") then
        title, number = "arrays", input:read("%n")
        array_count = number or array_count
      elseif layer_count < 0 and input:word("C-Layers (") then
        title, number = "layers", input:read("%n")
        layer_count = number or layer_count
      end
      local whole = number and input:word(")")
      section = whole and title or section
      return whole
    end

    for line, at in input:lines() do
      if read_title() then -- and the rows of the table follow
      elseif plan < 0 and input:word("activations size") then
        plan = input:read("%s:%s%n") or plan
      elseif section then
        read_row(line, at)
      end
    end
    if array_count < 0 and layer_count < 0 then
      fail(nil, "this report has no tables C-Arrays and C-Layers (of networks on an NPU it has none); open NAME_c_info.json, " ..
        "which is written beside it")
    end
    if #arrays ~= array_count then
      fail(nil, "the table C-Arrays has %d rows, not %d: the report is cut off", #arrays, array_count)
    end
    if #layers ~= layer_count then
      fail(nil, "the table C-Layers has %d layers, not %d: the report is cut off", #layers, layer_count)
    end

    if #tiers > 1 then
      for _, name in ipairs(tiers) do
        graph:tier { name = name }
      end
    end
    local constants, constant_bytes, idle = 0, 0, 0
    local buffer_name, layer_name = unique(), unique()
    for _, array in ipairs(arrays) do
      if array.kind == "constant" then
        if array.touched or array.output then
          constants, constant_bytes = constants + 1, math.min(constant_bytes + array.size, MOST_BYTES)
        end
      elseif array.touched or array.output then
        array.buffer = buffer_name(shown(array.name))
        graph:buffer { name = array.buffer, size = array.size, dtype = array.dtype, output = array.output, at = array.at,
                       kind = array.kind == "intermediate" and array.output and "output" or array.kind,
                       tier = #tiers > 1 and array.tier or nil }
      elseif array.size > 0 then
        idle = idle + 1
      end
    end

    local function add_layer(layer)
      local names, listed, out, pairs = { inputs = {}, outputs = {}, scratch = {} }, {}, nil, {}
      for _, argument in ipairs(layer.arguments) do
        local list, buffer = names[argument.role], argument.array.buffer
        if buffer and not listed[argument.role .. buffer] then
          list[#list + 1], listed[argument.role .. buffer] = buffer, true
        end
        out = out or argument.role == "outputs" and argument.array
      end
      -- Over which arguments the first result may be written: those of its size.
      for i, argument in ipairs(layer.inplace and out and out.buffer and layer.arguments or {}) do
        local array = argument.array
        if i <= 64 and argument.role == "inputs" and array.buffer and array ~= out and array.size == out.size then
          pairs[#pairs + 1] = { array.buffer, out.buffer }
        end
      end
      local name = shown(layer.name)
      graph:operator { name = layer_name(name == "" and "operator" or name), kind = shown(layer.kind), inputs = names.inputs,
                       outputs = names.outputs, scratch = names.scratch, pairs = pairs, at = layer.at }
    end
    for _, layer in ipairs(layers) do
      add_layer(layer)
    end

    note("step i is layer i of the generated code; an array lives from the layer that writes it to the last that reads it, both inclusive")
    if constants > 0 then note("left out: %d constants that operators read (%s bytes)", constants, count(constant_bytes)) end
    if idle > 0 then note("left out: %d values that nothing uses", idle) end
    note("where ST's tool puts the arrays is not in this report; NAME_c_info.json beside it has that")
    if plan >= 0 then
      note("the activations take %s bytes in ST's own plan, which may write results over arguments (see --inplace safe)", count(plan))
    end
  end,
}
