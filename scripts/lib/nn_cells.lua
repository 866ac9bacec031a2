--- What cells found by architecture search, and randomly wired ones, are made of. Activations are operators of their
--- own here, and batch norms are in the weights: which of these small operators runs when is what matters.
---
---     local cells = require "nn_cells"
---     y = cells.separable(net, "left", x, 32, { kernel = 5, stride = 1, twice = true })

local nn = require "nn"
local cells = {}

--- ReLU, then a 1x1 convolution.
---@param net Net
---@param name string
---@param x Tensor
---@param channels integer
---@return Tensor
function cells.squeeze(net, name, x, channels)
  return net:conv(name, net:activation(name .. "_relu", x, "relu"), channels)
end

--- Half the rows and columns: two 1x1 convolutions over every second pixel, one beside the other.
---@param net Net
---@param name string
---@param x Tensor
---@param channels integer
---@return Tensor
function cells.halve(net, name, x, channels)
  x = net:activation(name .. "_relu", x, "relu")
  local left = net:conv(name .. "_even", x, channels // 2, { stride = 2 })
  local right = net:conv(name .. "_odd", x, channels - channels // 2, { stride = 2 })
  return net:concat(name, { left, right })
end

--- ReLU, depthwise and 1x1 convolution; `twice`: the same again, without the stride.
---@param net Net
---@param name string
---@param x Tensor
---@param channels integer
---@param options { kernel: integer, stride: integer?, dilation: integer?, twice: boolean? }
---@return Tensor
function cells.separable(net, name, x, channels, options)
  local stride = options.stride or 1
  for round = 1, options.twice and 2 or 1 do
    local own = options.twice and name .. "_" .. round or name
    x = net:activation(own .. "_relu", x, "relu")
    x = net:conv(own .. "_dw", x, x.shape[2], {
      kernel = options.kernel, stride = stride, dilation = options.dilation, pad = "same", groups = x.shape[2],
    })
    x = net:conv(own .. "_pw", x, channels)
    stride = 1
  end
  return x
end

--- The sum of any number of tensors of one shape, each times a weight.
---@param net Net
---@param name string
---@param list Tensor[]
---@return Tensor
function cells.weighted_sum(net, name, list)
  return (net:op("weighted_sum", name, list, {
    out = { { name, list[1].shape, list[1].dtype } }, ways = nn.pointwise(list[1].shape, #list),
  }))
end

return cells
