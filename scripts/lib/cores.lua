--- A graph over several cores.
---
---     return cores.split(graph, { cores = 4, split = "rows", sync = "data" })
---
--- Every tensor is cut along one axis into as many parts as there are cores; part i lies with core i, and
--- the parts together are the tensor. Every operator becomes one operator per core that writes that core's
--- part. What a core must read of other cores' parts (a halo of rows, or all channels) a copy operator on
--- that core brings into a buffer of its own, before the first operator that needs it; later operators of
--- the same core that need no more of that tensor read the same copy. Constants are shared, not cut.
---
--- The axis is the operator's own: rows (of an image, tokens of a sequence) or channels as `split` says; an
--- axis that would leave half of the cores idle gives way to the other when that is longer. An axis of
--- length d over n cores gives the first d mod n cores one more; a core with nothing of it does nothing.
--- An operator that says nothing (no `_ways`) runs whole on core c0. Parts have no windows: strips of rows
--- are for models on one core.
---
--- Synchronization (`after`): a copy waits for the operators that wrote what it copies, unless its core
--- has waited for these or later ones of that core before. With `sync = "step"` every operator of the graph
--- begins, on each core that works on it, after all cores have ended the operators before it.

local nn = require "nn"

---@class Rule which rows (channels) of an input the rows lo .. hi-1 of the output need
---@field axis integer of the input
---@field kernel? integer window, 1
---@field stride? integer 1
---@field pad? integer before the first; also the place of a piece in a concatenation
---@field up? integer the other way round: `up` rows of output per row of input
---@field block? integer[] {a, b}: each a of the output need their b of the input

---@class Way how an operator can be split
---@field axis integer of the output
---@field ins (Rule|"all")[] for each input
---@field outs? integer[] the axis of each output, where they differ

---@class CoreOptions
---@field cores integer
---@field split? "rows"|"channels"
---@field sync? "data"|"step"

local cores = {}

---@alias Box integer[][] {lo, hi} for each dimension, hi exclusive

---@param shape integer[]
---@return Box
local function whole(shape)
  local box = {}
  for i, d in ipairs(shape) do
    box[i] = { 0, d }
  end
  return box
end

---@param shape integer[]
---@param axis integer
---@param lo integer
---@param hi integer
---@return Box? nil when there is nothing in it
local function slab(shape, axis, lo, hi)
  if lo >= hi then
    return nil
  end
  local box = whole(shape)
  box[axis] = { lo, hi }
  return box
end

---@param a Box
---@param b Box?
---@return Box?
local function meet(a, b)
  local box = {}
  for i = 1, b and #a or 0 do
    box[i] = { math.max(a[i][1], b[i][1]), math.min(a[i][2], b[i][2]) }
    if box[i][1] >= box[i][2] then
      return nil
    end
  end
  return b and box
end

---@param box Box?
---@return integer elements
local function volume(box)
  local n = box and 1 or 0
  for _, range in ipairs(box or {}) do
    n = n * (range[2] - range[1])
  end
  return n
end

---@param length integer
---@param n integer
---@param core integer 0 .. n-1
---@return integer lo
---@return integer hi exclusive
function cores.range(length, n, core)
  local each, more = length // n, length % n
  local lo = core * each + math.min(core, more)
  return lo, lo + each + (core < more and 1 or 0)
end

--- The range of an input that lo .. hi-1 of the output need, within its length.
---@param rule Rule
---@param lo integer
---@param hi integer
---@param length integer
---@return integer, integer
function cores.need(rule, lo, hi, length)
  local pad, kernel = rule.pad or 0, rule.kernel or 1
  if rule.block then
    lo, hi = lo // rule.block[1] * rule.block[2], -(-hi // rule.block[1]) * rule.block[2]
  elseif rule.up then
    lo, hi = -(-(lo + pad - kernel + 1) // rule.up), (hi - 1 + pad) // rule.up + 1
  else
    local stride = rule.stride or 1
    lo, hi = lo * stride - pad, (hi - 1) * stride - pad + kernel
  end
  return math.max(lo, 0), math.min(hi, length)
end

--- A range along an axis of a view, as a box of the buffer; the whole buffer where it is no range there.
---@param view integer[]
---@param axis integer
---@param lo integer
---@param hi integer
---@param shape integer[] of the buffer
---@return Box?
local function through_view(view, axis, lo, hi, shape)
  if nn.same(view, shape) or lo >= hi then
    return slab(shape, axis, lo, hi)
  end
  local step = 1 -- elements from one row to the next
  for i = axis + 1, #view do
    step = step * view[i]
  end
  local under = 1
  for i = #shape, 1, -1 do
    if under * shape[i] == step * view[axis] and shape[i] > 1 then
      return slab(shape, i, lo * step // under, -(-hi * step // under))
    end
    under = under * shape[i]
  end
  return whole(shape)
end

---@class Split the work
---@field n integer
---@field mode string
---@field by_step boolean
---@field operators Operator[]
---@field buffers Buffer[]
---@field tensors table<string, table> of the original graph: buffer, shape, boxes, names, writers, copies
---@field place table<string, integer> of an operator in the list
---@field last table<integer, string> the newest operator of each core
---@field seen table<integer, table<integer, integer>> how far each core has waited for each other
local Split = {}
Split.__index = Split

--- A buffer like another, of another shape or size.
function Split:add_buffer(like, name, kind, shape, size)
  self.buffers[#self.buffers + 1] = {
    name = name, kind = kind, shape = shape, dtype = shape and like.dtype, size = size,
    alignment = like.alignment, tier = like.tier, tiers = like.tiers,
  }
  return name
end

--- Cuts a tensor along an axis; nil leaves it whole on core 0.
function Split:cut(tensor, axis)
  local buffer = tensor.buffer
  for core = 0, self.n - 1 do
    local lo, hi = 0, core == 0 and 1 or 0
    if axis then
      lo, hi = cores.range(tensor.shape[axis], self.n, core)
    end
    local box = axis and slab(tensor.shape, axis, lo, hi) or (not axis and hi > 0 and whole(tensor.shape)) or nil
    if box then
      local shape = {}
      for i, range in ipairs(box) do
        shape[i] = range[2] - range[1]
      end
      tensor.boxes[core] = box
      tensor.names[core] = self:add_buffer(buffer, buffer.name .. "_c" .. core, buffer.kind,
        buffer.shape and shape, not buffer.shape and volume(box) or nil)
    end
  end
end

--- Lets an operator of `core` wait for one of another core, if it has not waited for it already.
function Split:wait(op, core, other, name)
  local place = name and self.place[name]
  if place and other ~= core and (self.seen[core][other] or 0) < place then
    self.seen[core][other] = place
    op.after = op.after or {}
    op.after[#op.after + 1] = name
  end
end

function Split:push(op, core)
  if self.by_step then
    for other = 0, self.n - 1 do
      self:wait(op, core, other, self.before[other])
    end
  end
  op.core = "c" .. core
  self.operators[#self.operators + 1] = op
  self.place[op.name] = #self.operators
  self.last[core] = op.name
end

---@param a Box
---@param b Box
local function inside(a, b)
  for i, range in ipairs(a) do
    if range[1] < b[i][1] or range[2] > b[i][2] then
      return false
    end
  end
  return true
end

--- What other cores have of `box`, brought to this core; the name of the copy, or nil.
function Split:fetch(tensor, core, box, op)
  local missing = volume(box) - volume(meet(box, tensor.boxes[core]))
  if missing == 0 then
    return nil
  end
  tensor.copies[core] = tensor.copies[core] or {}
  local copies = tensor.copies[core]
  for _, copy in ipairs(copies) do
    if inside(box, copy.box) then
      return copy.name
    end
  end
  local name = ("%s_to_c%d%s"):format(tensor.buffer.name, core, #copies > 0 and "_" .. #copies + 1 or "")
  local get = { name = name, kind = "copy", inputs = {}, outputs = { name }, ["function"] = op["function"] }
  for other = 0, self.n - 1 do
    if other ~= core and meet(box, tensor.boxes[other]) then
      get.inputs[#get.inputs + 1] = tensor.names[other]
      self:wait(get, core, other, tensor.writers[other])
    end
  end
  self:add_buffer(tensor.buffer, name, nil, nil, nn.bytes(missing, tensor.buffer.dtype or "int8"))
  self:push(get, core)
  copies[#copies + 1] = { name = name, box = box }
  return name
end

--- The way and the axis of an operator's first output, or nil.
function Split:choose(op)
  local ways, out = op._ways or {}, self.tensors[op.outputs[1]]
  local one, two = ways[self.mode], ways[self.mode == "rows" and "channels" or "rows"]
  if not out or not (one or two) then
    return nil
  end
  local length = one and out.shape[one.axis] or 0
  if not one or (length * 2 <= self.n and two and out.shape[two.axis] > length) then
    return two
  end
  return one
end

--- Names of the inputs for one core; `straight[name]` for those it reads as its own part and nothing else.
function Split:gather(op, way, core, lo, hi)
  local inputs, straight = {}, {}
  for i, name in ipairs(op.inputs) do
    local tensor = self.tensors[name]
    local box
    if tensor.constant then
      inputs[#inputs + 1] = name
    else
      local rule = way and lo < hi and way.ins[i] or "all"
      if rule == "all" then
        box = whole(tensor.shape)
      else
        local view = op._shapes and op._shapes[i] or tensor.shape
        local from, to = cores.need(rule, lo, hi, view[rule.axis])
        box = through_view(view, rule.axis, from, to, tensor.shape)
      end
    end
    if box then
      local own = tensor.boxes[core]
      local copy = self:fetch(tensor, core, box, op)
      if meet(box, own) then
        inputs[#inputs + 1] = tensor.names[core]
        straight[name] = not copy and volume(box) == volume(own) or nil
      end
      inputs[#inputs + 1] = copy
    end
  end
  return inputs, straight
end

--- What of `inplace` still holds on one core.
function Split:inplace(op, core, straight)
  if op.inplace == true then
    for _, name in ipairs(op.inputs) do
      if not straight[name] and not self.tensors[name].constant then
        return nil
      end
    end
    return true
  end
  local pairs_left = {}
  for _, pair in ipairs(op.inplace or {}) do
    if straight[pair[1]] then
      pairs_left[#pairs_left + 1] = { self.tensors[pair[1]].names[core], self.tensors[pair[2]].names[core] }
    end
  end
  return #pairs_left > 0 and pairs_left or nil
end

--- Scratch is shared out like the output.
function Split:scratch(op, core, part, all)
  local list = {}
  for i, name in ipairs(op.scratch or {}) do
    local buffer = self.tensors[name].buffer
    local size = buffer.size or nn.bytes(nn.volume(buffer.shape), buffer.dtype)
    size = all > 0 and -(-(size // all * part) - (size % all * part + all - 1) // all) or size
    list[i] = self:add_buffer(buffer, name .. "_c" .. core, "scratch", nil, size)
  end
  return #list > 0 and list or nil
end

function Split:operator(op)
  local way = self:choose(op)
  local first = self.tensors[op.outputs[1]]
  local parts = {}
  for i, name in ipairs(op.outputs) do
    self:cut(self.tensors[name], way and (way.outs and way.outs[i] or way.axis) or nil)
  end
  for core = 0, self.n - 1 do
    local works = not op.outputs[1] and core == 0
    for _, name in ipairs(op.outputs) do
      works = works or self.tensors[name].names[core] ~= nil
    end
    if works then
      local lo, hi = 0, 1
      if way then
        lo, hi = cores.range(first.shape[way.axis], self.n, core)
      end
      local inputs, straight = self:gather(op, way, core, lo, hi)
      parts[#parts + 1] = { core = core, inputs = inputs, straight = straight, lo = lo, hi = hi }
    end
  end
  for _, part in ipairs(parts) do
    local core = part.core
    local new = {
      name = op.name .. "_c" .. core, kind = op.kind, dtype = op.dtype, ["function"] = op["function"],
      inputs = part.inputs, outputs = {},
    }
    for _, name in ipairs(op.outputs) do
      new.outputs[#new.outputs + 1] = self.tensors[name].names[core]
      self.tensors[name].writers[core] = self.tensors[name].names[core] and new.name
    end
    new.inplace = self:inplace(op, core, part.straight)
    new.scratch = self:scratch(op, core, part.hi - part.lo, way and first.shape[way.axis] or 1)
    self:push(new, core)
  end
end

--- The graph without what only this file reads.
---@param graph Graph
local function plain(graph)
  for _, op in ipairs(graph.operators) do
    op._ways, op._shapes, op._window, op._macs = nil, nil, nil, nil
  end
  for _, buffer in ipairs(graph.buffers) do
    buffer._axes = nil
  end
  return graph
end

---@param graph Graph it is used up: make it anew for another split
---@param options CoreOptions|integer
---@return Graph
function cores.split(graph, options)
  if type(graph) ~= "table" or type(graph.operators) ~= "table" then
    error(("cores.split: the first argument is a graph, as net:graph{...} gives it, not a %s"):format(type(graph)), 0)
  end
  local how = { split = "rows", sync = "data", cores = 1 }
  for key, value in pairs(type(options) == "table" and options or { cores = options }) do
    how[key] = value
  end
  local n = how.cores
  if math.type(n) ~= "integer" or n < 1 then
    error(("cores.split: %s cores"):format(tostring(n)), 0)
  elseif n == 1 then
    return plain(graph)
  end
  for _, key in ipairs { "overlays", "separate" } do
    if graph[key] and #graph[key] > 0 then
      error(("cores.split: %s has %s, which name buffers that would be cut"):format(tostring(graph.name), key), 0)
    end
  end
  local self = setmetatable({
    n = n, mode = how.split, by_step = how.sync == "step", operators = {}, buffers = {}, tensors = {}, place = {},
    last = {}, seen = {}, before = {},
  }, Split)
  for core = 0, n - 1 do
    self.seen[core] = {}
  end
  for _, buffer in ipairs(graph.buffers) do
    local tensor = {
      buffer = buffer, shape = buffer.shape or { buffer.size }, boxes = {}, names = {}, writers = {}, copies = {},
    }
    self.tensors[buffer.name] = tensor
    if buffer.kind == "constant" then
      tensor.constant = true
      buffer._axes = nil
      self.buffers[#self.buffers + 1] = buffer
    elseif buffer.kind == "input" then
      local axes = buffer._axes or {}
      local axis = axes[self.mode] or axes.rows or axes.channels
      if axis and tensor.shape[axis] * 2 <= n and (tensor.shape[axes.channels] or 0) > tensor.shape[axis] then
        axis = axes.channels
      end
      self:cut(tensor, axis)
    end
  end
  for _, op in ipairs(graph.operators) do
    if op.core then
      error(("cores.split: operator %s is on core %s already"):format(op.name, op.core), 0)
    end
    for core = 0, n - 1 do
      self.before[core] = self.last[core]
    end
    self:operator(op)
  end
  return {
    name = graph.name, alignment = graph.alignment, tiers = graph.tiers, units = graph.units,
    functions = graph.functions, reserved = graph.reserved, operators = self.operators, buffers = self.buffers,
  }
end

return cores
