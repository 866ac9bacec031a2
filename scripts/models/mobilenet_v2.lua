--- MobileNetV2 (Sandler et al. 2018): inverted residuals; the first block does not expand.
local nn, cores, mobile = require "nn", require "cores", require "mobile"
local arg = require("args")(..., {
  batch = 1, dtype = "float32", fused = true, weights = false, size = 224, classes = 1000,
  alpha = { 1.0, min = 0.125, max = 4.0 }, cores = 1, split = "rows", sync = "data",
})
local net = nn.net { name = "mobilenet_v2", dtype = arg.dtype, fused = arg.fused, weights = arg.weights }
local x = mobile.v2(net, net:input("data", { arg.batch, 3, arg.size, arg.size }), arg.alpha)
x = net:dense("fc", net:flatten(net:global_avg_pool("pool", x)), arg.classes)
return cores.split(net:graph { net:softmax("prob", x) }, arg)
