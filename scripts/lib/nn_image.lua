--- Layers of nn.lua on images {batch, channels, rows, columns}, and those on tensors of any shape.

---@param x integer
---@param y integer
---@return integer
local function ceil_div(x, y)
  return -(-x // y)
end

---@param value integer|integer[]|nil
---@param default integer
---@return integer, integer
local function pair(value, default)
  if type(value) == "table" then
    return value[1], value[2]
  end
  return value or default, value or default
end

---@class Window
---@field kernel? integer|integer[] one number, or {rows, columns}
---@field stride? integer|integer[]
---@field dilation? integer|integer[]
---@field pad? integer|integer[]|"same"|"valid" one number, {rows, columns} or {top, bottom, left, right}
---@field ceil? boolean round the output's shape up

---@class ConvOptions: Window
---@field groups? integer "depthwise" convolution: as many as channels
---@field norm? boolean followed by a batch norm
---@field act? string followed by an activation: relu, relu6, sigmoid, ...
---@field dtype? string of the output

---@param nn table
---@param Net Net
return function(nn, Net)
  --- One dimension of a window: output length, and what comes before and after.
  local function span(length, kernel, stride, pad, before, after, ceil)
    if pad == "same" then
      local out = ceil_div(length, stride)
      local total = math.max((out - 1) * stride + kernel - length, 0)
      return out, total // 2, total - total // 2
    elseif pad == "valid" then
      before, after = 0, 0
    end
    local room = length + before + after - kernel
    if room < 0 then
      return 0, before, after
    end
    if not ceil then
      return room // stride + 1, before, after
    end
    local out = ceil_div(room, stride) + 1
    if (out - 1) * stride >= length + before then
      out = out - 1 -- the last window would lie in the padding
    end
    return out, before, math.max(after, (out - 1) * stride + kernel - length - before)
  end

  --- The window over an image: output rows and columns, the rule of cores.lua for rows, and the window of the graph.
  local function window(kind, name, x, o)
    if #x.shape ~= 4 then
      nn.fail(kind, name, { x }, "an image has four dimensions")
    end
    local kh, kw = pair(o.kernel, 1)
    local sh, sw = pair(o.stride, 1)
    local dh, dw = pair(o.dilation, 1)
    local pad = o.pad or 0
    if type(pad) == "string" and pad ~= "same" and pad ~= "valid" then
      nn.fail(kind, name, { x }, "padding %s is neither same nor valid", pad)
    end
    local top, bottom, left, right = 0, 0, 0, 0
    if type(pad) == "table" and #pad == 4 then
      top, bottom, left, right = table.unpack(pad)
    elseif type(pad) ~= "string" then
      top, left = pair(pad, 0)
      bottom, right = top, left
    end
    for _, v in ipairs { kh or false, kw or false, sh or false, sw or false, dh or false, dw or false } do
      if math.type(v) ~= "integer" or v < 1 then
        nn.fail(kind, name, { x }, "kernel, stride and dilation are integers from 1 on, not %s", tostring(v))
      end
    end
    local eh, ew = (kh - 1) * dh + 1, (kw - 1) * dw + 1
    local oh, above, below = span(x.shape[3], eh, sh, pad, top, bottom, o.ceil)
    local ow, before, after = span(x.shape[4], ew, sw, pad, left, right, o.ceil)
    if oh < 1 or ow < 1 then
      nn.fail(kind, name, { x }, "a window of %dx%d does not fit", eh, ew)
    end
    return oh, ow, { axis = 3, kernel = eh, stride = sh, pad = above },
      { kernel = { kh, kw }, stride = { sh, sw }, dilation = { dh, dw }, pad = { above, below, before, after } }
  end

  --- Of an operator that works pixel by pixel.
  local function pixel(shape)
    return #shape == 4 and { kernel = { 1, 1 } } or nil
  end

  --- Ways of an operator that works element by element.
  local function pointwise(shape, count)
    local rows, channels = #shape == 4 and 3 or math.max(#shape - 1, 1), #shape == 4 and 2 or #shape
    local ways = { rows = { axis = rows, ins = {} }, channels = { axis = channels, ins = {} } }
    for i = 1, count do
      ways.rows.ins[i], ways.channels.ins[i] = { axis = rows }, { axis = channels }
    end
    return ways
  end
  nn.pointwise = pointwise

  --- An activation as an operator of its own.
  ---@param name string
  ---@param x Tensor
  ---@param act string
  ---@return Tensor
  function Net:activation(name, x, act)
    return (self:op(act, name, { x }, {
      out = { { name, x.shape, x.dtype } }, inplace = true, ways = pointwise(x.shape, 1), how = { act = act },
      window = pixel(x.shape),
    }))
  end

  --- Whether a layer does this activation itself. In training only where the output tells the gradient.
  ---@param act string?
  ---@return boolean
  function Net:fuses(act)
    if act ~= nil and type(act) ~= "string" then
      error(("act is the name of an activation, not a %s"):format(type(act)), 0)
    end
    local told = { relu = true, relu6 = true, sigmoid = true, tanh = true }
    return self.fused and (not self.training or act == nil or told[act] == true)
  end

  --- Unfused: what follows a layer, as operators.
  local function follow(self, name, x, act)
    return act and self:activation(name .. "_" .. act, x, act) or x
  end
  nn.follow = follow

  --- Convolution, with batch norm and activation by options.
  ---@param name string
  ---@param x Tensor
  ---@param channels integer of the output
  ---@param options? ConvOptions
  ---@return Tensor
  function Net:conv(name, x, channels, options)
    local o = nn.options("conv", name, options, "kernel stride dilation pad ceil groups norm act dtype")
    local oh, ow, rule, frame = window("conv", name, x, o)
    local kh, kw = table.unpack(frame.kernel)
    local groups, cin = o.groups or 1, x.shape[2]
    if math.type(channels) ~= "integer" or channels < 1 or math.type(groups) ~= "integer" then
      nn.fail("conv", name, { x }, "channels and groups are integers from 1 on, not %s and %s", tostring(channels),
        tostring(groups))
    elseif groups < 1 or cin % groups ~= 0 or channels % groups ~= 0 then
      nn.fail("conv", name, { x }, "%d groups do not divide %d and %d channels", groups, cin, channels)
    end
    local own = o.norm and self.training -- then the norm is an operator of its own
    local w = self:param(name .. "_w", { channels, cin // groups, kh, kw })
    local b = not own and self:param(name .. "_b", { channels }, self:bias_dtype()) or nil
    local fold = self:fuses(o.act) and not own
    local shape = { x.shape[1], channels, oh, ow }
    local y = self:op(groups > 1 and groups == cin and "depthwise_conv2d" or "conv2d", name, { x }, {
      out = { { name, shape, o.dtype or x.dtype } }, params = { w, b },
      ways = {
        rows = { axis = 3, ins = { rule, "all", "all" } },
        channels = { axis = 2, ins = {
          groups > 1 and { axis = 2, block = { channels // groups, cin // groups } } or "all", { axis = 1 },
          { axis = 1 },
        } },
      },
      how = { rule = rule, groups = groups, act = fold and o.act or nil, kernel = { kh, kw } },
      window = frame, macs = nn.volume(shape) * (cin // groups) * kh * kw,
    })
    if own then
      return self:norm(name .. "_bn", y, { act = o.act })
    end
    return fold and y or follow(self, name, y, o.act)
  end

  --- Biases of quantised layers are 32 bits wide.
  ---@return string
  function Net:bias_dtype()
    local narrow = { int4 = true, int8 = true, uint8 = true, int16 = true }
    return narrow[self.dtype] and "int32" or self.dtype
  end

  --- Transposed convolution: `stride` times the rows and columns (kernel = stride by default).
  ---@param name string
  ---@param x Tensor
  ---@param channels integer
  ---@param options? { kernel: integer?, stride: integer?, pad: integer?, act: string? }
  ---@return Tensor
  function Net:conv_transpose(name, x, channels, options)
    local o = nn.options("conv_transpose", name, options, "kernel stride pad act")
    local stride = o.stride or 2
    local kernel, pad = o.kernel or stride, o.pad or 0
    local oh, ow = (x.shape[3] - 1) * stride + kernel - 2 * pad, (x.shape[4] - 1) * stride + kernel - 2 * pad
    if #x.shape ~= 4 or oh < 1 or ow < 1 then
      nn.fail("conv_transpose", name, { x }, "no output of kernel %d, stride %d, padding %d", kernel, stride, pad)
    end
    local y = self:op("conv2d_transpose", name, { x }, {
      out = { { name, { x.shape[1], channels, oh, ow }, x.dtype } },
      params = {
        self:param(name .. "_w", { channels, x.shape[2], kernel, kernel }),
        self:param(name .. "_b", { channels }, self:bias_dtype()),
      },
      ways = {
        rows = { axis = 3, ins = { { axis = 3, up = stride, kernel = kernel, pad = pad }, "all", "all" } },
        channels = { axis = 2, ins = { "all", { axis = 1 }, { axis = 1 } } },
      },
      how = { act = self:fuses(o.act) and o.act or nil },
    })
    return self:fuses(o.act) and y or follow(self, name, y, o.act)
  end

  local function pool(self, kind, name, x, options)
    local o = nn.options(kind, name, options, "kernel stride pad ceil dilation")
    local oh, ow, rule, frame = window(kind, name, x, o)
    return (self:op(kind, name, { x }, {
      out = { { name, { x.shape[1], x.shape[2], oh, ow }, x.dtype } },
      ways = {
        rows = { axis = 3, ins = { rule } }, channels = { axis = 2, ins = { { axis = 2 } } },
      },
      how = { rule = rule }, window = frame,
    }))
  end

  ---@param name string
  ---@param x Tensor
  ---@param options Window
  ---@return Tensor
  function Net:max_pool(name, x, options)
    return pool(self, "max_pool", name, x, options)
  end

  ---@param name string
  ---@param x Tensor
  ---@param options Window
  ---@return Tensor
  function Net:avg_pool(name, x, options)
    return pool(self, "avg_pool", name, x, options)
  end

  --- The mean of each channel, {batch, channels, 1, 1}.
  ---@param name string
  ---@param x Tensor
  ---@return Tensor
  function Net:global_avg_pool(name, x)
    if #x.shape ~= 4 then
      nn.fail("global_avg_pool", name, { x }, "an image has four dimensions")
    end
    return (self:op("global_avg_pool", name, { x }, {
      out = { { name, { x.shape[1], x.shape[2], 1, 1 }, x.dtype } },
      ways = { channels = { axis = 2, ins = { { axis = 2 } } } },
    }))
  end

  --- `scale` times the rows and columns, nearest or bilinear.
  ---@param name string
  ---@param x Tensor
  ---@param scale integer
  ---@param mode? "nearest"|"bilinear"
  ---@return Tensor
  function Net:resize(name, x, scale, mode)
    if #x.shape ~= 4 or math.type(scale) ~= "integer" or scale < 1 then
      nn.fail("resize", name, { x }, "scale %s of an image", tostring(scale))
    end
    local near = mode ~= "bilinear"
    local rule = { axis = 3, up = scale, kernel = near and scale or 2 * scale, pad = near and 0 or scale // 2 }
    return (self:op("resize", name, { x }, {
      out = { { name, { x.shape[1], x.shape[2], x.shape[3] * scale, x.shape[4] * scale }, x.dtype } },
      ways = { rows = { axis = 3, ins = { rule } }, channels = { axis = 2, ins = { { axis = 2 } } } },
      how = { scale = scale },
    }))
  end

  --- Batch norm as an operator of its own, with an activation by option.
  ---@param name string
  ---@param x Tensor
  ---@param options? { act: string? }
  ---@return Tensor
  function Net:norm(name, x, options)
    local o = nn.options("norm", name, options, "act")
    local ways = pointwise(x.shape, 1)
    ways.rows.ins[2], ways.channels.ins[2] = "all", { axis = 2 }
    local out = { { name, x.shape, x.dtype } }
    if self.training then -- the statistics go over everything of a channel, and are kept
      ways.rows = nil
      out[2] = { name .. "_stat", { 2, x.shape[2] }, "float32" }
      ways.channels.outs = { 2, 2 }
    end
    local y = self:op("batch_norm", name, { x }, {
      out = out, params = { self:param(name .. "_p", { 2, x.shape[2] }) }, ways = ways,
      inplace = not self.training, how = { act = self:fuses(o.act) and o.act or nil },
    })
    return self:fuses(o.act) and y or follow(self, name, y, o.act)
  end

  --- Local response normalization over channels.
  ---@param name string
  ---@param x Tensor
  ---@return Tensor
  function Net:lrn(name, x)
    return (self:op("lrn", name, { x }, {
      out = { { name, x.shape, x.dtype } },
      ways = { rows = pointwise(x.shape, 1).rows, channels = { axis = 2, ins = { "all" } } },
    }))
  end

  --- Sum and product; one operand may have dimensions of 1 where the other has more.
  local function binary(self, kind, name, a, b, options)
    local o = nn.options(kind, name, options, "act")
    local shape, inplace = {}, true
    for i = 1, math.max(#a.shape, #b.shape) do
      local p, q = a.shape[i], b.shape[i]
      if not p or not q or (p ~= q and p ~= 1 and q ~= 1) then
        nn.fail(kind, name, { a, b }, "the shapes do not match")
      end
      shape[i] = math.max(p, q)
    end
    if not (nn.same(a.shape, shape) and nn.same(b.shape, shape)) then
      local whole = nn.same(a.shape, shape) and a or nn.same(b.shape, shape) and b
      inplace = whole and { { whole.buffer.name, name } } or false
    end
    local ways = pointwise(shape, 2)
    for _, way in pairs(ways) do
      for i, x in ipairs { a, b } do
        way.ins[i] = x.shape[way.axis] == shape[way.axis] and way.ins[i] or "all"
      end
    end
    local y = self:op(kind, name, { a, b }, {
      out = { { name, shape, a.dtype } }, inplace = inplace, ways = ways,
      how = { act = self:fuses(o.act) and o.act or nil },
      window = nn.same(a.shape, b.shape) and pixel(shape) or nil,
    })
    return self:fuses(o.act) and y or follow(self, name, y, o.act)
  end

  ---@param name string
  ---@param a Tensor
  ---@param b Tensor
  ---@param options? { act: string? }
  ---@return Tensor
  function Net:add(name, a, b, options)
    return binary(self, "add", name, a, b, options)
  end

  ---@param name string
  ---@param a Tensor
  ---@param b Tensor
  ---@param options? { act: string? }
  ---@return Tensor
  function Net:mul(name, a, b, options)
    return binary(self, "mul", name, a, b, options)
  end

  --- Tensors one after another along an axis (2, the channels, by default).
  ---@param name string
  ---@param list Tensor[]
  ---@param axis? integer
  ---@return Tensor
  function Net:concat(name, list, axis)
    axis = axis or 2
    self:check("concat", name, list, math.max(#list, 1))
    local shape, offsets = nn.copy(list[1].shape), {}
    shape[axis] = 0
    for i, x in ipairs(list) do
      for d = 1, math.max(#shape, #x.shape) do
        if not x.shape[d] or not shape[d] or (d ~= axis and x.shape[d] ~= shape[d]) then
          nn.fail("concat", name, list, "the shapes differ in dimension %d, not only in %d", d, axis)
        end
      end
      offsets[i] = shape[axis]
      shape[axis] = shape[axis] + x.shape[axis]
    end
    local ways = pointwise(shape, #list)
    for _, way in pairs(ways) do
      for i in ipairs(list) do
        way.ins[i].pad = way.axis == axis and offsets[i] or nil
      end
    end
    return (self:op("concat", name, list, {
      out = { { name, shape, list[1].dtype } }, ways = ways, how = { axis = axis },
      window = axis == 2 and pixel(shape) or nil,
    }))
  end

  --- One tensor cut along an axis into parts of these lengths; returns all of them.
  ---@param name string outputs are name_1, name_2, ...
  ---@param x Tensor
  ---@param lengths integer[]
  ---@param axis? integer
  ---@return Tensor ...
  function Net:split(name, x, lengths, axis)
    axis = axis or 2
    local total, out = 0, {}
    local ways = pointwise(x.shape, 1)
    for i, length in ipairs(lengths) do
      local shape = nn.copy(x.shape)
      shape[axis] = length
      out[i] = { name .. "_" .. i, shape, x.dtype }
      total = total + length
    end
    if total ~= x.shape[axis] then
      nn.fail("split", name, { x }, "the parts are %d long together in dimension %d", total, axis)
    end
    for key, way in pairs(ways) do -- along the axis that is cut, every core needs all
      way.outs = {}
      for i in ipairs(lengths) do
        way.outs[i] = way.axis
      end
      if way.axis == axis then
        way.ins[1] = "all"
      end
      ways[key] = way
    end
    return self:op("split", name, { x }, { out = out, ways = ways, how = { axis = axis } })
  end

  --- Part of a tensor: `length` from `first` on (the first is 1) along an axis.
  ---@param name string
  ---@param x Tensor
  ---@param axis integer
  ---@param first integer
  ---@param length integer
  ---@return Tensor
  function Net:slice(name, x, axis, first, length)
    local shape = nn.copy(x.shape)
    if not shape[axis] or first < 1 or length < 1 or first + length - 1 > shape[axis] then
      nn.fail("slice", name, { x }, "%d from %d on in dimension %d", length, first, axis)
    end
    shape[axis] = length
    local ways = pointwise(shape, 1)
    for _, way in pairs(ways) do
      way.ins[1].pad = way.axis == axis and 1 - first or nil
    end
    return (self:op("slice", name, { x }, { out = { { name, shape, x.dtype } }, ways = ways, how = { axis = axis } }))
  end

  --- Pseudo-quantisation: the values that `dtype` can hold. token-sharing lets its input be of that type.
  ---@param name string
  ---@param x Tensor
  ---@param dtype? string int8
  ---@return Tensor
  function Net:fake_quantize(name, x, dtype)
    return (self:op("fake_quantize", name, { x }, {
      out = { { name, x.shape, dtype or "int8" } }, dtype = dtype or "int8", inplace = true,
      ways = pointwise(x.shape, 1),
    }))
  end

  --- The last dimension to `width` others.
  ---@param name string
  ---@param x Tensor
  ---@param width integer
  ---@param options? { act: string?, bias: boolean?, dtype: string? }
  ---@return Tensor
  function Net:dense(name, x, width, options)
    local o = nn.options("dense", name, options, "act bias dtype")
    local rank, shape = #x.shape, nn.copy(x.shape)
    if rank < 2 or math.type(width) ~= "integer" or width < 1 then
      nn.fail("dense", name, { x }, "width %s of at least two dimensions", tostring(width))
    end
    shape[rank] = width
    local y = self:op("dense", name, { x }, {
      out = { { name, shape, o.dtype or x.dtype } },
      params = {
        self:param(name .. "_w", { width, x.shape[rank] }),
        o.bias ~= false and self:param(name .. "_b", { width }, self:bias_dtype()) or nil,
      },
      ways = {
        rows = { axis = rank - 1, ins = { { axis = rank - 1 }, "all", "all" } },
        channels = { axis = rank, ins = { "all", { axis = 1 }, { axis = 1 } } },
      },
      how = { act = self:fuses(o.act) and o.act or nil }, macs = nn.volume(shape) * x.shape[rank],
    })
    return self:fuses(o.act) and y or follow(self, name, y, o.act)
  end

  --- Over the last dimension.
  ---@param name string
  ---@param x Tensor
  ---@return Tensor
  function Net:softmax(name, x)
    local rank = #x.shape
    return (self:op("softmax", name, { x }, {
      out = { { name, x.shape, x.dtype } }, inplace = true,
      ways = {
        rows = { axis = math.max(rank - 1, 1), ins = { { axis = math.max(rank - 1, 1) } } },
        channels = { axis = rank, ins = { "all" } },
      },
    }))
  end
end
