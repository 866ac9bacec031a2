--- A finished graph as an int8 model of TensorFlow Lite Micro has it: what `stowage fit` and plans of a whole arena need to
--- know. To be called before cores.split:
---
---     local micro = require "micro"
---     return cores.split(micro.graph(net:graph { x }), arg)
---
--- Images become {batch, rows, columns, channels}, so that rows lie one behind the other; operators have the kinds of that
--- format, windows and multiply-adds; offsets are multiples of 16; `outside` and `least_arena` are what the interpreter
--- keeps above the plan, and what it needs to start, on 32 bits with the reference kernels. Weights count there even when
--- the graph has none as buffers: the interpreter has a record of each.

local micro = {}

--- What an operator is called there, and bytes that it costs: its options with their alignment, and what its kernel keeps;
--- `channels`: 8 bytes for each channel besides. `constants`: weights, biases, shapes.
---@type table<string, { kind: string, options: integer, align: integer, own: integer, constants: integer?, channels: boolean? }>
local kernels = {
  add = { kind = "add", options = 2, align = 1, own = 60 },
  avg_pool = { kind = "average_pool_2d", options = 40, align = 4, own = 32 },
  concat = { kind = "concatenation", options = 8, align = 4, own = 24 },
  conv2d = { kind = "conv_2d", options = 28, align = 4, own = 56, constants = 2, channels = true },
  dense = { kind = "fully_connected", options = 5, align = 1, own = 48, constants = 2 },
  depthwise_conv2d = { kind = "depthwise_conv_2d", options = 28, align = 4, own = 56, constants = 2, channels = true },
  global_avg_pool = { kind = "mean", options = 1, align = 1, own = 44, constants = 1 },
  max_pool = { kind = "max_pool_2d", options = 40, align = 4, own = 32 },
  mul = { kind = "mul", options = 1, align = 1, own = 36 },
  relu = { kind = "relu", options = 0, align = 1, own = 28 },
  relu6 = { kind = "relu6", options = 0, align = 1, own = 8 },
  reshape = { kind = "reshape", options = 36, align = 4, own = 0, constants = 1 },
  sigmoid = { kind = "logistic", options = 0, align = 1, own = 16 },
  softmax = { kind = "softmax", options = 4, align = 4, own = 56 },
  tanh = { kind = "tanh", options = 0, align = 1, own = 16 },
}

---@param bytes integer
---@param alignment integer
---@return integer
local function align(bytes, alignment)
  return -(-bytes // alignment) * alignment
end

--- Dimension 2, the channels, goes behind rows and columns.
local moved = { 1, 4, 2, 3 }

---@param shape integer[]?
---@return integer[]?
local function channels_last(shape)
  return shape and #shape == 4 and { shape[1], shape[3], shape[4], shape[2] } or shape
end

--- The rules of cores.lua name axes of inputs, with shapes that are given, and of outputs.
---@param op Operator
---@param rank fun(name: string): integer
local function move_axes(op, rank)
  for _, way in pairs(op._ways or {}) do
    for i, rule in ipairs(way.ins) do
      if type(rule) == "table" and #(op._shapes[i] or {}) == 4 then
        local own = {} -- several operators may have the same table
        for key, value in pairs(rule) do
          own[key] = value
        end
        own.axis = moved[rule.axis]
        way.ins[i] = own
      end
    end
    for i, axis in ipairs(way.outs or {}) do
      way.outs[i] = rank(op.outputs[i]) == 4 and moved[axis] or axis
    end
    way.axis = rank(op.outputs[1]) == 4 and moved[way.axis] or way.axis
  end
  for i, shape in ipairs(op._shapes or {}) do
    op._shapes[i] = channels_last(shape)
  end
end

--- Bytes of the arena above the plan once the model is set up, at least while it is, and whether there may be more: a
--- kernel that is not known here. Allocation for allocation, as the interpreter makes them.
---@param graph Graph
---@param shapes table<string, integer[]>
---@return integer outside
---@return integer least
---@return boolean more
local function arena(graph, shapes)
  local used, planned, more = 0, 0, false
  local ends = { input = 0, output = 0 }
  local function add(bytes, alignment)
    used = align(used + bytes, alignment)
  end
  for _, buffer in ipairs(graph.buffers) do
    local counts = buffer.kind ~= "constant" and buffer.kind ~= "scratch"
    planned = planned + (counts and 1 or 0)
    if ends[buffer.kind] then
      ends[buffer.kind] = ends[buffer.kind] + 1
    end
  end
  local tensors = planned
  for _, op in ipairs(graph.operators) do
    local kernel = kernels[op.kind]
    tensors, more = tensors + (kernel and kernel.constants or 0), more or not kernel
  end
  add(36 + 44 + 36 + 8 + 8, 4) -- allocator, planner and the like
  add(12 * tensors, 4)
  add(32 * #graph.operators, 4)
  for _, op in ipairs(graph.operators) do
    local kernel = kernels[op.kind] or { options = 0, align = 1 }
    add(kernel.options, kernel.align)
  end
  for _, op in ipairs(graph.operators) do
    local own = kernels[op.kind] and kernels[op.kind].own or 0
    add(own, own > 0 and 16 or 1)
  end
  for _, op in ipairs(graph.operators) do
    if kernels[op.kind] and kernels[op.kind].channels then
      local shape = shapes[op.outputs[1]]
      add(2 * align(4 * shape[#shape], 16), 16)
    end
  end
  local least = align(used, 16) + align(148 + 24 * tensors, 16) + 40 * planned
  for _, kind in ipairs { "input", "output" } do
    add(4 * ends[kind], 16)
    add((32 + 12 + 8) * ends[kind], 4) -- a full tensor with its scale
  end
  return used, least, more
end

---@param graph Graph it is used up
---@return Graph
function micro.graph(graph)
  local shapes = {}
  for _, buffer in ipairs(graph.buffers) do
    shapes[buffer.name] = buffer.shape
  end
  for _, op in ipairs(graph.operators) do
    move_axes(op, function(name) return #shapes[name] end)
    op.window, op.macs = op._window, op._macs
  end
  for _, buffer in ipairs(graph.buffers) do
    if buffer._axes and #buffer.shape == 4 then
      local axes = buffer._axes
      buffer._axes = { rows = moved[axes.rows], channels = moved[axes.channels] }
    end
    buffer.shape = channels_last(buffer.shape)
    shapes[buffer.name] = buffer.shape
  end
  local more
  graph.outside, graph.least_arena, more = arena(graph, shapes)
  graph.more_outside = more or nil
  graph.alignment = graph.alignment or 16
  for _, op in ipairs(graph.operators) do
    op.kind = kernels[op.kind] and kernels[op.kind].kind or op.kind
  end
  return graph
end

return micro
