--- U-Net (Ronneberger et al. 2015) with same padding: the tensors at the top wait for the way back up.
local nn, cores = require "nn", require "cores"
local arg = require("args")(..., {
  batch = 1, dtype = "float32", fused = true, weights = false, size = 256, channels = { 3, min = 1, max = 4096 },
  classes = 2, width = { 64, min = 1, max = 4096 }, depth = { 4, min = 1, max = 10 },
  up = { "transpose", choices = { "transpose", "resize" } }, cores = 1, split = "rows", sync = "data",
})
local net = nn.net { name = "unet", dtype = arg.dtype, fused = arg.fused, weights = arg.weights }
if arg.size % (1 << arg.depth) ~= 0 then
  error(("argument size: %d is no multiple of %d (depth %d)"):format(arg.size, 1 << arg.depth, arg.depth), 0)
end

local function double(name, x, width)
  for i = 1, 2 do
    x = net:conv(name .. "_conv" .. i, x, width, { kernel = 3, pad = "same", norm = true, act = "relu" })
  end
  return x
end

local x = net:input("data", { arg.batch, arg.channels, arg.size, arg.size })
local skips = {}
for i = 1, arg.depth do
  skips[i] = double("down" .. i, x, arg.width << (i - 1))
  x = net:max_pool("pool" .. i, skips[i], { kernel = 2, stride = 2 })
end
x = double("middle", x, arg.width << arg.depth)
for i = arg.depth, 1, -1 do
  local name, width = "up" .. i, arg.width << (i - 1)
  if arg.up == "transpose" then
    x = net:conv_transpose(name .. "_x2", x, width)
  else
    x = net:conv(name .. "_x2c", net:resize(name .. "_x2", x, 2, "bilinear"), width, { kernel = 3, pad = "same" })
  end
  x = double(name, net:concat(name .. "_cat", { skips[i], x }), width)
end
return cores.split(net:graph { net:conv("head", x, arg.classes) }, arg)
