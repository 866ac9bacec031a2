--- One training step of a small transformer: forward, backward, and the update of every weight at the end, as a
--- framework records it. Updates that come earlier free gradients earlier: stowage plan ... -p order finds how much.
local nn, cores = require "nn", require "cores"
local arg = require("args")(..., {
  batch = 1, dtype = "float32", fused = true, layers = { 2, min = 1, max = 256 }, heads = { 4, min = 1, max = 1024 },
  width = { 256, min = 1, max = 1 << 20 }, tokens = { 64, min = 1, max = 1 << 20 }, inner = { 0, min = 0, max = 1 << 22 },
  vocabulary = { 1000, min = 1, max = 1 << 24 }, optimizer = { "momentum", choices = { "sgd", "momentum", "adam" } },
  update = { "late", choices = { "early", "late" } }, cores = 1, split = "rows", sync = "data",
})
local net = nn.net { name = "train_transformer", dtype = arg.dtype, fused = arg.fused, training = true }
local inner = arg.inner > 0 and arg.inner or 4 * arg.width

local ids = net:input("ids", { arg.batch, arg.tokens }, "int32", { rows = 2, channels = 2 })
local labels = net:input("labels", { arg.batch, arg.tokens }, "int32", { rows = 2, channels = 2 })
local x = net:embedding("embed", ids, arg.vocabulary, arg.width)
for i = 1, arg.layers do
  local name = "l" .. i
  x = net:add(name .. "_add1", net:attention(name, net:layer_norm(name .. "_ln1", x), { heads = arg.heads }), x)
  x = net:add(name .. "_add2", net:feed_forward(name .. "_ff", net:layer_norm(name .. "_ln2", x), inner), x)
end
local loss = net:cross_entropy("loss", net:dense("head", net:layer_norm("ln_last", x), arg.vocabulary), labels)
return cores.split(net:graph(net:backward(loss, { optimizer = arg.optimizer, update = arg.update })), arg)
