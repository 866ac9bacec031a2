--- A residual network of eight layers for images of 32x32, the one of the MLPerf Tiny benchmark (Banbury et al. 2021), as an
--- int8 model of TensorFlow Lite Micro has it.
local nn, cores, micro, mobile = require "nn", require "cores", require "micro", require "mobile"
local arg = require("args")(..., {
  batch = 1, dtype = "int8", fused = true, weights = false, size = 32, classes = 10,
  alpha = { 1.0, min = 0.125, max = 4.0 }, cores = 1, split = "rows", sync = "data",
})
local net = nn.net { name = "resnet8", dtype = arg.dtype, fused = arg.fused, weights = arg.weights }
local x = net:input("image", { arg.batch, 3, arg.size, arg.size })
x = net:conv("conv1", x, mobile.width(16, arg.alpha), { kernel = 3, pad = "same", norm = true, act = "relu" })
for i, channels in ipairs { 16, 32, 64 } do
  local name, stride, width = "block" .. i, i == 1 and 1 or 2, mobile.width(channels, arg.alpha)
  local y = net:conv(name .. "_conv1", x, width, { kernel = 3, stride = stride, pad = "same", norm = true, act = "relu" })
  y = net:conv(name .. "_conv2", y, width, { kernel = 3, pad = "same", norm = true })
  if stride > 1 then
    x = net:conv(name .. "_shortcut", x, width, { stride = stride })
  end
  x = net:add(name .. "_add", x, y, { act = "relu" })
end
return cores.split(micro.graph(net:graph { net:softmax("prob", mobile.classify(net, x, arg.classes)) }), arg)
