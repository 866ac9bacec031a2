--- Networks as graphs of buffers.
---
---     local nn = require "nn"
---     local net = nn.net { name = "small", dtype = "int8", fused = true }
---     local x = net:input("data", { 1, 3, 32, 32 })
---     x = net:conv("conv1", x, 16, { kernel = 3, pad = "same", norm = true, act = "relu" })
---     x = net:global_avg_pool("pool", x)
---     return net:graph { net:dense("fc", net:flatten(x), 10) }
---
--- Images are {batch, channels, rows, columns}, sequences {batch, tokens, width}. Every layer is called
--- `net:layer(name, input, ..., options)`, adds its operators in execution order and returns its output.
--- An operator and the buffer it writes have the same name. Layers: nn_image.lua, nn_sequence.lua;
--- gradients: nn_train.lua.
---
--- `fused = true`: a convolution, its batch norm and its activation are one operator. `fused = false`: the
--- batch norm is folded into the weights and the activation is an operator of its own, which may work in
--- place. `training = true`: parameters are buffers, batch norms cannot be folded, and net:backward works.
--- `weights = true`: parameters are buffers of kind `constant`.
---
--- Operators and inputs carry `_ways` and `_axes`, which say how they can be split over cores, and images' operators
--- `_window` and `_macs`: micro.lua reads them, cores.lua too, which removes them all.

local nn = {}

---@class Tensor a buffer, or a view of one with another shape
---@field net Net
---@field buffer Buffer
---@field shape integer[]
---@field dtype string

---@class NetOptions
---@field name string
---@field dtype? string of every tensor that names no other; float32
---@field fused? boolean true
---@field weights? boolean false
---@field training? boolean false
---@field alignment? integer of every buffer

---@class TapeEntry what the backward pass needs to know of a layer
---@field kind string
---@field name string
---@field inputs Tensor[]
---@field outputs Tensor[]
---@field params Tensor[]
---@field how table

---@class Net
---@field name string
---@field dtype string
---@field fused boolean
---@field weights boolean
---@field training boolean
---@field operators Operator[]
---@field buffers Buffer[]
---@field parameters Tensor[]
---@field tape TapeEntry[]
local Net = {}
Net.__index = Net

--- Bits per element.
local bits = {
  bool = 8, int4 = 4, uint4 = 4, int8 = 8, uint8 = 8, int16 = 16, uint16 = 16, int32 = 32, uint32 = 32,
  int64 = 64, uint64 = 64, float8 = 8, float16 = 16, bfloat16 = 16, float32 = 32, float64 = 64,
  complex64 = 64, complex128 = 128,
}

---@param shape integer[]
---@return integer elements
function nn.volume(shape)
  local n = 1
  for _, d in ipairs(shape) do
    if d > 0 and n > math.maxinteger // 128 // d then
      error("the tensor " .. nn.text(shape) .. " is too large", 0)
    end
    n = n * d
  end
  return n
end

---@param count integer elements
---@param dtype string
---@return integer
function nn.bytes(count, dtype)
  local b = bits[dtype] or error("unknown dtype " .. tostring(dtype), 0)
  return (count * b + 7) // 8
end

---@param shape integer[]
---@return string such as [1,3,224,224]
function nn.text(shape)
  return "[" .. table.concat(shape, ",") .. "]"
end

---@param a integer[]
---@param b integer[]
---@return boolean
function nn.same(a, b)
  for i = 1, math.max(#a, #b) do
    if a[i] ~= b[i] then
      return false
    end
  end
  return true
end

---@param list any[]
---@return any[]
function nn.copy(list)
  return table.move(list, 1, #list, 1, {})
end

--- Stops with the layer, the shapes it was given and what is wrong.
---@param kind string
---@param name string
---@param inputs Tensor[]
---@param text string
---@param ... any
function nn.fail(kind, name, inputs, text, ...)
  local shapes = {}
  for i, x in ipairs(inputs) do
    shapes[i] = type(x) == "table" and x.shape and nn.text(x.shape) or type(x)
  end
  local values = table.pack(...) -- what was given may be anything
  for i = 1, values.n do
    values[i] = tostring(values[i])
  end
  error(("%s %s (%s): "):format(kind, tostring(name), table.concat(shapes, ", ")) ..
    text:gsub("%%d", "%%s"):format(table.unpack(values, 1, values.n)), 0)
end

--- Options with only known names.
---@param kind string
---@param name string
---@param options table?
---@param known string the names, with spaces between
---@return table
function nn.options(kind, name, options, known)
  if options ~= nil and type(options) ~= "table" then
    error(("%s %s: the options are a table {key = value}, not a %s"):format(kind, tostring(name), type(options)), 0)
  end
  for key in pairs(options or {}) do
    if not (" " .. known .. " "):find(" " .. tostring(key) .. " ", 1, true) then
      error(("%s %s: unknown option %s; known are %s"):format(kind, tostring(name), tostring(key), known), 0)
    end
  end
  return options or {}
end

---@param options NetOptions
---@return Net
function nn.net(options)
  if type(options) ~= "table" then
    error(("net: its options are a table with a name, not a %s"):format(type(options)), 0)
  end
  nn.options("net", options.name, options, "name dtype fused weights training alignment")
  if type(options.name) ~= "string" or options.name == "" then
    error("net: it needs a name", 0)
  end
  local net = {
    name = options.name, dtype = options.dtype or "float32", fused = options.fused ~= false,
    weights = options.weights == true, training = options.training == true, alignment = options.alignment,
    operators = {}, buffers = {}, parameters = {}, tape = {}, taken = {}, named = {}, readers = {},
  }
  nn.bytes(1, net.dtype)
  return setmetatable(net, Net)
end

--- A new buffer.
---@param name string
---@param shape integer[]
---@param dtype string?
---@param kind string?
---@return Tensor
function Net:tensor(name, shape, dtype, kind)
  if type(name) ~= "string" or name == "" then
    error(("tensor: its name is text, not %s"):format(type(name) == "string" and "empty" or "a " .. type(name)), 0)
  elseif type(shape) ~= "table" then
    error(("tensor %s: its shape is a list of dimensions, not a %s"):format(name, type(shape)), 0)
  elseif self.taken[name] then
    error(("two tensors are named %s"):format(name), 0)
  end
  for _, d in ipairs(shape) do
    if math.type(d) ~= "integer" or d < 1 then
      error(("tensor %s: %s is no shape"):format(name, nn.text(shape)), 0)
    end
  end
  nn.bytes(nn.volume(shape), dtype or self.dtype)
  local buffer = { name = name, kind = kind, shape = nn.copy(shape), dtype = dtype or self.dtype }
  self.taken[name] = true
  self.buffers[#self.buffers + 1] = buffer
  return { net = self, buffer = buffer, shape = nn.copy(shape), dtype = buffer.dtype }
end

--- A network input. `axes` says along which it may be split over cores.
---@param name string
---@param shape integer[]
---@param dtype string?
---@param axes { rows: integer?, channels: integer? }?
---@return Tensor
function Net:input(name, shape, dtype, axes)
  local x = self:tensor(name, shape, dtype, "input")
  local rank = #shape
  x.buffer._axes = axes or (rank == 4 and { rows = 3, channels = 2 }) or
    { rows = rank > 2 and rank - 1 or 1, channels = rank }
  return x
end

--- A parameter of a layer, when the net has any as buffers.
---@param name string
---@param shape integer[]
---@param dtype string?
---@return Tensor?
function Net:param(name, shape, dtype)
  if self.training then
    local w = self:input(name, shape, dtype, { rows = 1, channels = 1 })
    self.parameters[#self.parameters + 1] = w
    return w
  end
  return self.weights and self:tensor(name, shape, dtype, "constant") or nil
end

--- Stops unless a layer was given a name and tensors of this net.
---@param kind string
---@param name any
---@param inputs any[]
---@param count integer how many there must be
function Net:check(kind, name, inputs, count)
  if type(name) ~= "string" or name == "" then
    error(("%s: the first argument is the name of the operator, not a %s"):format(kind, type(name)), 0)
  end
  for i = 1, count do
    if type(inputs[i]) ~= "table" or inputs[i].net ~= self then
      nn.fail(kind, name, inputs, "input %d is no tensor of this net", i)
    end
  end
end

---@class OpSpec
---@field out { [1]: string, [2]: integer[], [3]: string? }[] name, shape and dtype of each output
---@field params? (Tensor|nil)[] read after the inputs
---@field inplace? boolean|string[][]
---@field scratch? integer bytes
---@field ways? table<string, Way> how it can be split, see cores.lua
---@field dtype? string of the operator, where that says more than its tensors
---@field func? string the function it belongs to
---@field how? table attributes for the gradient
---@field window? OpWindow which rows and columns of its inputs it needs, see graph_meta.lua
---@field macs? integer multiply-adds

--- Adds an operator; returns its outputs. Layers are made of this, and a script may add kinds of its own.
---@param kind string
---@param name string
---@param inputs Tensor[]
---@param spec OpSpec
---@return Tensor ...
function Net:op(kind, name, inputs, spec)
  self:check(kind, name, inputs, #inputs)
  if self.named[name] then
    error(("%s: two operators are named %s"):format(kind, name), 0)
  end
  local op = { name = name, kind = kind, inputs = {}, outputs = {}, ["function"] = spec.func or self.func,
    dtype = spec.dtype }
  local params, shapes = spec.params or {}, {}
  for _, list in ipairs { inputs, params } do
    for _, x in ipairs(list) do
      op.inputs[#op.inputs + 1] = x.buffer.name
      shapes[#shapes + 1] = x.shape
      self.readers[x.buffer.name] = true
    end
  end
  local outputs = {}
  for i, out in ipairs(spec.out) do
    outputs[i] = self:tensor(out[1], out[2], out[3])
    op.outputs[i] = out[1]
  end
  if spec.scratch then
    local tmp = { name = name .. "_tmp", kind = "scratch", size = spec.scratch }
    self.buffers[#self.buffers + 1] = tmp
    op.scratch = { tmp.name }
  end
  op.inplace = spec.inplace or nil
  op._ways, op._shapes, op._window, op._macs = spec.ways, shapes, spec.window, spec.macs
  self.named[name] = true
  self.operators[#self.operators + 1] = op
  if self.training then
    self.tape[#self.tape + 1] = {
      kind = kind, name = name, inputs = inputs, outputs = outputs, params = params, how = spec.how or {},
    }
  end
  return table.unpack(outputs)
end

--- The same bytes with another shape; costs nothing.
---@param x Tensor
---@param shape integer[]
---@return Tensor
function Net:reshape(x, shape)
  self:check("reshape", type(x) == "table" and x.buffer and x.buffer.name or "of nothing", { x }, 1)
  if type(shape) ~= "table" then
    nn.fail("reshape", x.buffer.name, { x }, "the shape is a list of dimensions, not a %s", type(shape))
  end
  if nn.volume(shape) ~= nn.volume(x.shape) then
    nn.fail("reshape", x.buffer.name, { x }, "%s has another number of elements", nn.text(shape))
  end
  return { net = self, buffer = x.buffer, shape = nn.copy(shape), dtype = x.dtype }
end

--- {batch, everything else}.
---@param x Tensor
---@return Tensor
function Net:flatten(x)
  self:check("flatten", type(x) == "table" and x.buffer and x.buffer.name or "of nothing", { x }, 1)
  return self:reshape(x, { x.shape[1], nn.volume(x.shape) // x.shape[1] })
end

--- Operators added inside `body` belong to this function of the graph (heterogeneous units).
---@param name string
---@param body fun(): any
---@return any
function Net:within(name, body)
  self.func = name
  local result = body()
  self.func = nil
  return result
end

--- The finished graph; `outputs` are those of the network.
---@param outputs Tensor[]
---@return Graph
function Net:graph(outputs)
  if type(outputs) ~= "table" or outputs.buffer then
    error(("graph %s: the outputs are a list of tensors, not a %s"):format(self.name,
      type(outputs) == "table" and "tensor" or type(outputs)), 0)
  end
  for i, x in ipairs(outputs) do
    if type(x) ~= "table" or x.net ~= self then
      error(("graph %s: output %d is no tensor of this net"):format(self.name, i), 0)
    end
    x.buffer.kind = "output"
    self.readers[x.buffer.name] = true
  end
  for _, buffer in ipairs(self.buffers) do
    if not self.readers[buffer.name] and buffer.kind ~= "scratch" then
      error(("graph %s: no operator reads %s %s, and it is no output"):format(self.name, buffer.name,
        nn.text(buffer.shape)), 0)
    end
  end
  return { name = self.name, alignment = self.alignment, operators = self.operators, buffers = self.buffers }
end

-- What the parts need of each other is in `nn`; they add their layers to Net.
nn.Net = Net
for _, part in ipairs { "nn_image", "nn_sequence", "nn_train" } do
  require(part)(nn, Net)
end

-- Layers take one tensor after their name, or as many as these; all are checked before anything is read.
local tensors = { add = 2, mul = 2, matmul = 2, cross_entropy = 2, lstm_cell = 3 }
local layers = {
  "activation", "add", "attention", "avg_pool", "cache_fill", "conv", "conv_transpose", "cross_entropy", "dense",
  "embedding", "fake_quantize", "feed_forward", "global_avg_pool", "layer_norm", "lrn", "lstm_cell", "matmul",
  "max_pool", "mul", "norm", "resize", "slice", "softmax", "split", "transpose",
}
local function results(...) -- so that the layer is called, and not jumped to: errors name it
  return ...
end
for _, kind in ipairs(layers) do
  local layer = Net[kind]
  Net[kind] = function(self, name, ...)
    if getmetatable(self) ~= Net then
      error(("%s: it is called as net:%s(...), with a colon"):format(kind, kind), 0)
    end
    self:check(kind, name, { ... }, tensors[kind] or 1)
    return results(layer(self, name, ...))
  end
end

return nn
