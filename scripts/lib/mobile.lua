--- What networks for phones and microcontrollers are made of: inverted residuals (Sandler et al. 2018).
---
---     local mobile = require "mobile"
---     x = mobile.block(net, "block1", x, { expand = 6, channels = mobile.width(24, alpha), stride = 2 })

local mobile = {}

--- Channels are multiples of 8, and never less than 90 % of what was asked for.
---@param channels integer
---@param alpha number
---@return integer
function mobile.width(channels, alpha)
  local wanted = channels * alpha
  local rounded = math.max(8, (math.floor(wanted + 4) // 8) * 8)
  return rounded < 0.9 * wanted and rounded + 8 or rounded
end

--- Wide, a depthwise convolution, and narrow again; a sum where nothing changes its shape.
---@param net Net
---@param name string
---@param x Tensor
---@param o { expand: integer, channels: integer, stride: integer, kernel: integer? }
---@return Tensor
function mobile.block(net, name, x, o)
  local y = x
  if o.expand > 1 then
    y = net:conv(name .. "_expand", y, o.expand * x.shape[2], { norm = true, act = "relu6" })
  end
  y = net:conv(name .. "_dw", y, y.shape[2], {
    kernel = o.kernel or 3, stride = o.stride, pad = "same", groups = y.shape[2], norm = true, act = "relu6",
  })
  y = net:conv(name .. "_project", y, o.channels, { norm = true })
  if o.stride == 1 and o.channels == x.shape[2] then
    y = net:add(name .. "_add", y, x)
  end
  return y
end

--- MobileNetV2 from the image to the last convolution; the first block does not expand.
---@param net Net
---@param x Tensor
---@param alpha number
---@return Tensor
function mobile.v2(net, x, alpha)
  x = net:conv("conv1", x, mobile.width(32, alpha), { kernel = 3, stride = 2, pad = "same", norm = true, act = "relu6" })
  local stages = { -- expansion, channels, blocks, stride of the first
    { 1, 16, 1, 1 }, { 6, 24, 2, 2 }, { 6, 32, 3, 2 }, { 6, 64, 4, 2 }, { 6, 96, 3, 1 }, { 6, 160, 3, 2 },
    { 6, 320, 1, 1 },
  }
  for s, stage in ipairs(stages) do
    for i = 1, stage[3] do
      x = mobile.block(net, ("block%d_%d"):format(s, i), x, {
        expand = stage[1], channels = mobile.width(stage[2], alpha), stride = i == 1 and stage[4] or 1,
      })
    end
  end
  return net:conv("conv_last", x, math.max(1280, mobile.width(1280, alpha)), { norm = true, act = "relu6" })
end

--- The end of a network of TensorFlow Lite: the mean of the image, as one row, and its classes.
---@param net Net
---@param x Tensor
---@param classes integer
---@return Tensor
function mobile.classify(net, x, classes)
  local pooled = net:avg_pool("pool", x, { kernel = { x.shape[3], x.shape[4] }, stride = { x.shape[3], x.shape[4] } })
  local row = net:op("reshape", "flatten", { pooled }, { out = { { "flatten", { x.shape[1], x.shape[2] }, x.dtype } } })
  return net:dense("fc", row, classes)
end

return mobile
