--- A transformer encoder (Vaswani et al. 2017), layer norm after each half as there; norm=before puts it before.
local nn, cores = require "nn", require "cores"
local arg = require("args")(..., {
  batch = 1, dtype = "float32", fused = true, weights = false, layers = { 6, min = 1, max = 1024 },
  heads = { 8, min = 1, max = 1024 }, width = { 512, min = 1, max = 1 << 20 }, tokens = { 128, min = 1, max = 1 << 24 },
  inner = { 0, min = 0, max = 1 << 22 }, vocabulary = { 30522, min = 1, max = 1 << 24 }, flash = false,
  norm = { "after", choices = { "after", "before" } }, cores = 1, split = "rows", sync = "data",
})
local net = nn.net { name = "transformer_encoder", dtype = arg.dtype, fused = arg.fused, weights = arg.weights }
local inner = arg.inner > 0 and arg.inner or 4 * arg.width
local before = arg.norm == "before"

local ids = net:input("ids", { arg.batch, arg.tokens }, "int32", { rows = 2, channels = 2 })
local x = net:embedding("embed", ids, arg.vocabulary, arg.width)
for i = 1, arg.layers do
  local name = "l" .. i
  local y = before and net:layer_norm(name .. "_ln1", x) or x
  y = net:attention(name, y, { heads = arg.heads, flash = arg.flash })
  x = net:add(name .. "_add1", y, x)
  x = before and x or net:layer_norm(name .. "_ln1", x)
  y = before and net:layer_norm(name .. "_ln2", x) or x
  y = net:feed_forward(name .. "_ff", y, inner)
  x = net:add(name .. "_add2", y, x)
  x = before and x or net:layer_norm(name .. "_ln2", x)
end
return cores.split(net:graph { before and net:layer_norm("ln_last", x) or x }, arg)
