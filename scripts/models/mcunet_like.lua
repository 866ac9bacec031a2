--- A network like those of MCUNet (Lin et al. 2020), found by search for microcontrollers: inverted residuals with kernels
--- of 3, 5 and 7 rows, as an int8 model of TensorFlow Lite Micro has it.
local nn, cores, micro, mobile = require "nn", require "cores", require "micro", require "mobile"
local arg = require("args")(..., {
  batch = 1, dtype = "int8", fused = true, weights = false, size = 176, classes = 10,
  alpha = { 1.0, min = 0.125, max = 4.0 }, cores = 1, split = "rows", sync = "data",
})
local net = nn.net { name = "mcunet_like", dtype = arg.dtype, fused = arg.fused, weights = arg.weights }
local x = net:input("image", { arg.batch, 3, arg.size, arg.size })
x = net:conv("conv1", x, mobile.width(16, arg.alpha), { kernel = 3, stride = 2, pad = "same", norm = true, act = "relu6" })
local blocks = { -- expansion, kernel, stride, channels
  { 1, 3, 1, 8 }, { 3, 7, 2, 16 }, { 5, 3, 1, 16 }, { 4, 7, 1, 16 }, { 5, 5, 1, 16 }, { 5, 5, 2, 24 }, { 4, 5, 1, 24 },
  { 4, 7, 1, 24 }, { 5, 3, 2, 40 }, { 5, 7, 1, 40 }, { 4, 7, 1, 40 }, { 4, 5, 1, 48 }, { 5, 7, 1, 48 }, { 4, 5, 1, 48 },
  { 6, 7, 2, 96 }, { 5, 5, 1, 96 }, { 5, 5, 1, 96 }, { 5, 7, 1, 160 },
}
for i, block in ipairs(blocks) do
  x = mobile.block(net, "block" .. i, x, {
    expand = block[1], kernel = block[2], stride = block[3], channels = mobile.width(block[4], arg.alpha),
  })
end
return cores.split(micro.graph(net:graph { mobile.classify(net, x, arg.classes) }), arg)
