--- The backward pass of nn.lua: reverse mode over the layers that were recorded.
---
---     local net = nn.net { name = "step", training = true }
---     ...
---     local loss = net:cross_entropy("loss", logits, labels)
---     return net:graph(net:backward(loss, { optimizer = "momentum" }))
---
--- For each layer, last first: the gradient through its activation, then of its inputs, then of its
--- parameters. A gradient operator reads the gradient of the output and what it needs of the forward pass,
--- so these tensors stay alive until then. Where a tensor has several readers their gradients are added as
--- they come. Gradients of what depends on no parameter are not computed.

---@class BackwardOptions
---@field optimizer? "sgd"|"momentum"|"adam" sgd
---@field update? "early"|"late" a parameter as soon as its gradient is known, or all at the end; late

---@param nn table
---@param Net Net
return function(nn, Net)
  -- What of the forward pass a gradient reads: x this input, o the other, a all inputs, y output, s second
  -- output, w parameters.
  local reads_input = {
    conv2d = "w", depthwise_conv2d = "w", conv2d_transpose = "w", dense = "w", batch_norm = "xsw",
    layer_norm = "xw", max_pool = "xy", avg_pool = "", global_avg_pool = "", resize = "", lrn = "xy",
    softmax = "y", mul = "o", matmul = "o", matmul_qk = "o", matmul_pv = "o", transpose = "", slice = "",
    fake_quantize = "",
    attention_scores = "oy", attention = "ay", lstm_state = "xo", lstm_output = "xo", concat = "", split = "",
    add = "",
  }
  local reads_params = {
    conv2d = "x", depthwise_conv2d = "x", conv2d_transpose = "x", dense = "x", embedding = "x",
  }
  local joint = { batch_norm = true, layer_norm = true } -- inputs and parameters in one operator
  -- Gradients that may be written over the one of the output.
  local by_element = { batch_norm = true, layer_norm = true, softmax = true, mul = true }
  local from_input = { gelu = true, silu = true, hard_swish = true, mish = true, elu = true, leaky_relu = true }

  --- Softmax and cross entropy over the last dimension; labels are class numbers. Returns the mean loss.
  ---@param name string
  ---@param x Tensor
  ---@param labels Tensor
  ---@return Tensor
  function Net:cross_entropy(name, x, labels)
    if nn.volume(labels.shape) * x.shape[#x.shape] ~= nn.volume(x.shape) then
      nn.fail("cross_entropy", name, { x, labels }, "there must be a label for each row")
    end
    return (self:op("cross_entropy", name, { x, labels }, {
      out = { { name, { 1 }, "float32" }, { name .. "_probs", x.shape, x.dtype } },
    }))
  end

  ---@class Backward the state of one backward pass
  ---@field net Net
  ---@field grads table<string, Tensor> of each buffer so far
  ---@field sums table<string, integer>
  ---@field needs table<string, boolean> buffers that depend on a parameter

  --- Adds a gradient of a tensor to those that are known.
  ---@param pass Backward
  ---@param x Tensor
  ---@param grad Tensor
  local function give(pass, x, grad)
    local name = x.buffer.name
    local old = pass.grads[name]
    grad = pass.net:reshape(grad, x.buffer.shape)
    if old then
      local count = (pass.sums[name] or 0) + 1
      pass.sums[name] = count
      grad = pass.net:op("accumulate", name .. "_dsum" .. (count > 1 and count or ""), { old, grad }, {
        out = { { name .. "_dsum" .. (count > 1 and count or ""), x.buffer.shape, x.dtype } }, inplace = true,
        ways = nn.pointwise(x.buffer.shape, 2),
      })
    end
    pass.grads[name] = grad
  end

  --- The saved tensors that a gradient reads.
  local function saved(entry, letters, input)
    local list = {}
    for letter in letters:gmatch(".") do
      if letter == "x" then
        list[#list + 1] = entry.inputs[input]
      elseif letter == "a" then
        table.move(entry.inputs, 1, #entry.inputs, #list + 1, list)
      elseif letter == "y" then
        list[#list + 1] = entry.outputs[1]
      elseif letter == "s" then
        list[#list + 1] = entry.outputs[2]
      elseif letter == "w" then
        list[#list + 1] = entry.params[1]
      elseif letter == "o" then
        list[#list + 1] = entry.inputs[3 - input]
      end
    end
    return list
  end

  --- How the gradient of an input can be split, for the kinds of images and what goes element by element.
  local function input_ways(entry, x, letters)
    local rule, how = entry.how.rule, entry.how
    if entry.kind == "conv2d" or entry.kind == "depthwise_conv2d" then
      local groups = how.groups
      local block = groups > 1 and { x.shape[2] // groups, entry.outputs[1].shape[2] // groups }
      return {
        rows = { axis = 3, ins = { { axis = 3, up = rule.stride, kernel = rule.kernel, pad = rule.pad }, "all" } },
        channels = { axis = 2, ins = { block and { axis = 2, block = block } or "all",
          block and { axis = 1, block = block } or { axis = 2 } } },
      }
    elseif entry.kind == "max_pool" or entry.kind == "avg_pool" then
      local up = { axis = 3, up = rule.stride, kernel = rule.kernel, pad = rule.pad }
      return {
        rows = { axis = 3, ins = { up, { axis = 3 }, up } },
        channels = { axis = 2, ins = { { axis = 2 }, { axis = 2 }, { axis = 2 } } },
      }
    elseif entry.kind == "batch_norm" then
      local own = { axis = 2 }
      return { channels = { axis = 2, ins = { own, own, own, own }, outs = { 2, 2 } } }
    elseif entry.kind == "global_avg_pool" then
      return { rows = { axis = 3, ins = { "all" } }, channels = { axis = 2, ins = { { axis = 2 } } } }
    elseif entry.kind == "dense" then
      local rank = #x.shape
      return {
        rows = { axis = rank - 1, ins = { { axis = rank - 1 }, "all" } },
        channels = { axis = rank, ins = { "all", { axis = 2 } } },
      }
    elseif letters == "" and nn.same(x.shape, entry.outputs[1].shape) then
      return nn.pointwise(x.shape, 1)
    end
    local axis = #x.shape == 4 and 2 or #x.shape -- anything else: each core a part, from all it reads
    return { channels = { axis = axis, ins = {}, outs = { axis, 2 } } }
  end

  --- Gradients of parameters are split by their first dimension.
  local function param_ways(entry, x)
    local channels = #x.shape == 4 and 2 or #x.shape
    local by = { axis = 1, ins = { { axis = channels }, "all" }, outs = { 1, 1 } }
    local groups = entry.how.groups or 1
    if groups > 1 then
      by.ins[2] = { axis = 2, block = { entry.outputs[1].shape[2] // groups, x.shape[2] // groups } }
    elseif entry.kind == "embedding" then
      by.ins = { "all", "all" }
    end
    return { channels = by }
  end

  --- Through the activation that the layer did itself.
  local function through_act(pass, entry, dy)
    local act = entry.how.act
    if not act then
      return dy
    end
    local name = entry.name .. "_dact"
    local needed = (from_input[act] and entry.inputs or entry.outputs)[1]
    return (pass.net:op(act .. "_grad", name, { dy, needed }, {
      out = { { name, dy.shape, dy.dtype } }, inplace = { { dy.buffer.name, name } }, ways = nn.pointwise(dy.shape, 2),
    }))
  end

  --- A gradient summed over the dimensions in which an operand was repeated.
  local function reduced(pass, name, grad, x)
    if nn.same(grad.shape, x.shape) then
      return grad
    end
    return (pass.net:op("reduce_sum", name, { grad }, { out = { { name, x.shape, x.dtype } } }))
  end

  local function input_gradient(pass, entry, i, dy)
    local net, x, letters = pass.net, entry.inputs[i], reads_input[entry.kind]
    local name = entry.name .. "_dx" .. (#entry.inputs > 1 and i or "")
    local reads, out = { dy }, { { name, x.shape, x.dtype } }
    if entry.kind == "add" or entry.kind == "fake_quantize" then -- straight through
      return reduced(pass, name, dy, x)
    end
    table.move(saved(entry, letters, i), 1, 5, 2, reads)
    local same = nn.same(x.shape, dy.shape)
    if joint[entry.kind] then
      local p = entry.params[1]
      out[2] = p and { entry.name .. "_dp", p.shape, p.dtype }
      if not pass.needs[x.buffer.name] then
        table.remove(out, 1)
      end
    elseif entry.kind == "mul" and not same then
      local full = net:op("mul_grad", name .. "_full", reads, { out = { { name .. "_full", dy.shape, x.dtype } } })
      return reduced(pass, name, full, x)
    end
    local grads = { net:op(entry.kind .. "_grad", name, reads, {
      out = out, ways = out[1][1] == name and input_ways(entry, x, letters) or nil,
      inplace = same and by_element[entry.kind] and out[1][1] == name and { { dy.buffer.name, name } } or nil,
    }) }
    if joint[entry.kind] and entry.params[1] then
      give(pass, entry.params[1], table.remove(grads))
    end
    return grads[1]
  end

  --- A concatenation is cut, a cut put together.
  local function pieces(pass, entry, dys)
    local net, axis, lengths, wanted, all = pass.net, entry.how.axis, {}, {}, true
    if entry.kind == "split" then
      give(pass, entry.inputs[1], net:concat(entry.name .. "_dx", dys, axis))
      return
    end
    for i, x in ipairs(entry.inputs) do
      lengths[i] = x.shape[axis]
      wanted[i] = pass.needs[x.buffer.name]
      all = all and wanted[i]
    end
    local parts = all and { net:split(entry.name .. "_dx", dys[1], lengths, axis) } or {}
    for i, x in ipairs(entry.inputs) do
      if wanted[i] then
        local name = entry.name .. "_dx_" .. i
        give(pass, x, parts[i] or (net:op("slice", name, { dys[1] }, { out = { { name, x.shape, x.dtype } } })))
      end
    end
  end

  local function layer(pass, entry, dys)
    local net, kind = pass.net, entry.kind
    if kind == "concat" or kind == "split" then
      return pieces(pass, entry, dys)
    elseif kind == "cross_entropy" then
      local x, probs = entry.inputs[1], entry.outputs[2]
      return give(pass, x, (net:op("cross_entropy_grad", entry.name .. "_dx", { probs, entry.inputs[2] }, {
        out = { { entry.name .. "_dx", x.shape, x.dtype } }, inplace = { { probs.buffer.name, entry.name .. "_dx" } },
      })))
    elseif not reads_input[kind] and not reads_params[kind] and not entry.how.act then
      error(("backward: %s %s has no gradient"):format(kind, entry.name), 0)
    end
    local dy = through_act(pass, entry, dys[1])
    if kind == entry.how.act then -- an activation by itself
      return give(pass, entry.inputs[1], dy)
    elseif kind == "transpose" then
      local back = {}
      for i, d in ipairs(entry.how.order) do
        back[d] = i
      end
      return give(pass, entry.inputs[1], net:transpose(entry.name .. "_dx", dy, back))
    end
    for i, x in ipairs(entry.inputs) do
      if reads_input[kind] and (pass.needs[x.buffer.name] or joint[kind] and #entry.params > 0) then
        local dx = input_gradient(pass, entry, i, dy)
        if pass.needs[x.buffer.name] then
          give(pass, x, dx)
        end
      end
    end
    if #entry.params > 0 and not joint[kind] then
      local out, reads = {}, { dy }
      table.move(saved(entry, reads_params[kind], 1), 1, 2, 2, reads)
      for i, p in ipairs(entry.params) do
        out[i] = { entry.name .. (i == 1 and "_dw" or "_db"), p.shape, p.dtype }
      end
      local grads = { net:op(kind .. "_grad_w", entry.name .. "_dw", reads, {
        out = out, ways = param_ways(entry, entry.inputs[1]),
      }) }
      for i, p in ipairs(entry.params) do
        give(pass, p, grads[i])
      end
    end
  end

  --- One parameter's update, in place where the planner lets it; adds what it writes to the list.
  local function update(pass, w, optimizer, results)
    local net, name = pass.net, w.buffer.name
    local grad = pass.grads[name]
    local states = ({ sgd = {}, momentum = { "_m" }, adam = { "_m", "_v" } })[optimizer]
    local reads, out, inplace = { w, grad }, { { name .. "_new", w.shape, w.dtype } }, { { name, name .. "_new" } }
    local ways = { channels = { axis = 1, ins = { { axis = 1 }, { axis = 1 }, { axis = 1 }, { axis = 1 } } } }
    for i, state in ipairs(states) do
      local s = net:input(name .. state, w.shape, w.dtype, { rows = 1, channels = 1 })
      reads[2 + i], out[1 + i] = s, { name .. state .. "_new", w.shape, w.dtype }
      inplace[1 + i] = { name .. state, name .. state .. "_new" }
    end
    local written = { net:op(optimizer, name .. "_update", reads, { out = out, inplace = inplace, ways = ways }) }
    table.move(written, 1, #written, #results + 1, results)
  end

  --- Adds the backward pass and the updates; returns the outputs of the step: the loss, new parameters and
  --- new states.
  ---@param loss Tensor of cross_entropy
  ---@param options? BackwardOptions
  ---@return Tensor[]
  function Net:backward(loss, options)
    local o = nn.options("backward", loss.buffer.name, options, "optimizer update")
    local optimizer, results = o.optimizer or "sgd", { loss }
    if not self.training or not ({ sgd = true, momentum = true, adam = true })[optimizer] then
      error(("backward: optimizer %s of a net with training = %s"):format(optimizer, tostring(self.training)), 0)
    end
    local tape = self.tape
    self.tape = {}
    local pass = { net = self, grads = {}, sums = {}, needs = {} }
    for _, entry in ipairs(tape) do
      local needed = #entry.params > 0
      for _, x in ipairs(entry.inputs) do
        needed = needed or pass.needs[x.buffer.name]
      end
      for _, y in ipairs(entry.outputs) do
        pass.needs[y.buffer.name] = needed
      end
    end
    local updated = {}
    for i = #tape, 1, -1 do
      local entry, dys, known = tape[i], {}, tape[i].outputs[1].buffer == loss.buffer
      for j, y in ipairs(entry.outputs) do
        local grad = pass.grads[y.buffer.name]
        dys[j] = grad and self:reshape(grad, y.shape)
        known = known or grad ~= nil
      end
      if known and pass.needs[entry.outputs[1].buffer.name] then
        layer(pass, entry, dys)
        for _, p in ipairs(o.update == "early" and entry.params or {}) do
          update(pass, p, optimizer, results)
          updated[p.buffer.name] = true
        end
      end
    end
    for _, p in ipairs(self.parameters) do
      if pass.grads[p.buffer.name] and not updated[p.buffer.name] then
        update(pass, p, optimizer, results)
      end
    end
    return results
  end
end
