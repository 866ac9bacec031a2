--- A GPT-style decoder with a cache of keys and values for `context` tokens. phase=decode computes one more
--- token and appends it to the cache; phase=prompt computes `prompt` tokens and fills an empty cache.
local nn, cores = require "nn", require "cores"
local arg = require("args")(..., {
  batch = 1, dtype = "float16", fused = true, weights = false, layers = { 12, min = 1, max = 1024 },
  heads = { 12, min = 1, max = 1024 }, kv_heads = { 0, min = 0, max = 1024 }, width = { 768, min = 1, max = 1 << 20 },
  context = { 1024, min = 1, max = 1 << 24 }, prompt = { 128, min = 1, max = 1 << 24 },
  phase = { "decode", choices = { "decode", "prompt" } }, vocabulary = { 50257, min = 1, max = 1 << 24 },
  flash = false, cores = 1, split = "rows", sync = "data",
})
local net = nn.net { name = "gpt_decoder", dtype = arg.dtype, fused = arg.fused, weights = arg.weights }
local decode = arg.phase == "decode"
local tokens = decode and 1 or arg.prompt
local kv_heads = arg.kv_heads > 0 and arg.kv_heads or arg.heads
local narrow = arg.width // arg.heads * kv_heads
local outputs = {}

local ids = net:input("ids", { arg.batch, tokens }, "int32", { rows = 2, channels = 2 })
local x = net:embedding("embed", ids, arg.vocabulary, arg.width)
for i = 1, arg.layers do
  local name = "l" .. i
  local cache = decode and {
    net:input(name .. "_kpast", { arg.batch, arg.context, narrow }),
    net:input(name .. "_vpast", { arg.batch, arg.context, narrow }),
  } or nil
  local y, k, v = net:attention(name, net:layer_norm(name .. "_ln1", x), {
    heads = arg.heads, kv_heads = kv_heads, cache = cache, flash = arg.flash,
  })
  if not decode then
    k = net:cache_fill(name .. "_kcache", k, arg.context)
    v = net:cache_fill(name .. "_vcache", v, arg.context)
  end
  outputs[#outputs + 1], outputs[#outputs + 2] = k, v
  x = net:add(name .. "_add1", y, x)
  y = net:feed_forward(name .. "_ff", net:layer_norm(name .. "_ln2", x), 4 * arg.width)
  x = net:add(name .. "_add2", y, x)
end
if tokens > 1 then
  x = net:slice("last", x, 2, tokens, 1) -- only the last token says what comes next
end
x = net:layer_norm("ln_last", x)
table.insert(outputs, 1, net:dense("logits", x, arg.vocabulary, { bias = false }))
return cores.split(net:graph(outputs), arg)
