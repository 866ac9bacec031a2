--- Layers of nn.lua on sequences {batch, tokens, width}: attention, layer norm, embedding, LSTM cell.

---@class AttentionOptions
---@field heads integer
---@field kv_heads? integer heads of keys and values (grouped queries); as many as heads
---@field memory? Tensor keys and values come from this sequence, not from x
---@field cache? { [1]: Tensor, [2]: Tensor } keys and values so far, {batch, context, width}; x is appended
---@field flash? boolean one operator that never holds the scores

---@param nn table
---@param Net Net
return function(nn, Net)
  --- Normalizes the last dimension.
  ---@param name string
  ---@param x Tensor
  ---@return Tensor
  function Net:layer_norm(name, x)
    local rank = #x.shape
    return (self:op("layer_norm", name, { x }, {
      out = { { name, x.shape, x.dtype } }, params = { self:param(name .. "_p", { 2, x.shape[rank] }) },
      inplace = true,
      ways = {
        rows = { axis = math.max(rank - 1, 1), ins = { { axis = math.max(rank - 1, 1) }, "all" } },
        channels = { axis = rank, ins = { "all", { axis = 2 } } },
      },
    }))
  end

  --- Product of matrices {..., m, k} and {..., k, n}, the leading dimensions being equal.
  ---@param name string
  ---@param a Tensor
  ---@param b Tensor
  ---@return Tensor
  function Net:matmul(name, a, b)
    local rank = #a.shape
    local shape = nn.copy(a.shape)
    for i = 1, rank - 2 do
      if a.shape[i] ~= b.shape[i] then
        nn.fail("matmul", name, { a, b }, "dimension %d differs", i)
      end
    end
    if rank < 2 or #b.shape ~= rank or a.shape[rank] ~= b.shape[rank - 1] then
      nn.fail("matmul", name, { a, b }, "the columns of the first are not the rows of the second")
    end
    shape[rank] = b.shape[rank]
    local by = rank > 3 and rank - 2 or rank -- heads, else columns
    return (self:op("matmul", name, { a, b }, {
      out = { { name, shape, a.dtype } },
      ways = {
        rows = { axis = math.max(rank - 1, 1), ins = { { axis = math.max(rank - 1, 1) }, "all" } },
        channels = { axis = by, ins = { by < rank and { axis = by } or "all", { axis = by } } },
      },
    }))
  end

  --- Exchanges dimensions: dimension i of the output is dimension order[i] of x.
  ---@param name string
  ---@param x Tensor
  ---@param order integer[]
  ---@return Tensor
  function Net:transpose(name, x, order)
    local shape, seen = {}, {}
    for i, d in ipairs(order) do
      shape[i] = x.shape[d]
      seen[d] = true
    end
    for d = 1, math.max(#x.shape, #order) do
      if not seen[d] or not x.shape[d] then
        nn.fail("transpose", name, { x }, "%s is no order of the dimensions", nn.text(order))
      end
    end
    local ways = nn.pointwise(shape, 1)
    for _, way in pairs(ways) do
      way.ins[1] = { axis = order[way.axis] }
    end
    return (self:op("transpose", name, { x }, {
      out = { { name, shape, x.dtype } }, ways = ways, how = { order = order },
    }))
  end

  --- Token numbers {batch, tokens} to vectors {batch, tokens, width}.
  ---@param name string
  ---@param ids Tensor
  ---@param vocabulary integer
  ---@param width integer
  ---@return Tensor
  function Net:embedding(name, ids, vocabulary, width)
    if #ids.shape ~= 2 then
      nn.fail("embedding", name, { ids }, "token numbers have two dimensions")
    end
    return (self:op("embedding", name, { ids }, {
      out = { { name, { ids.shape[1], ids.shape[2], width } } },
      params = { self:param(name .. "_w", { vocabulary, width }) },
      ways = {
        rows = { axis = 2, ins = { { axis = 2 }, "all" } }, channels = { axis = 3, ins = { "all", { axis = 2 } } },
      },
    }))
  end

  --- A cache with the new keys or values written into it, in place where the planner lets it.
  local function append(self, name, cache, new)
    if cache.shape[1] ~= new.shape[1] or cache.shape[3] ~= new.shape[3] or cache.shape[2] < new.shape[2] then
      nn.fail("cache_append", name, { cache, new }, "the new tokens do not fit into the cache")
    end
    return (self:op("cache_append", name, { cache, new }, {
      out = { { name, cache.shape, cache.dtype } }, inplace = { { cache.buffer.name, name } },
      ways = {
        rows = { axis = 2, ins = { { axis = 2 }, "all" } },
        channels = { axis = 3, ins = { { axis = 3 }, { axis = 3 } } },
      },
    }))
  end

  --- A cache filled from its beginning, the rest unused.
  ---@param name string
  ---@param x Tensor
  ---@param context integer tokens
  ---@return Tensor
  function Net:cache_fill(name, x, context)
    if #x.shape ~= 3 or context < x.shape[2] then
      nn.fail("cache_fill", name, { x }, "a context of %d is too short", context)
    end
    return (self:op("cache_fill", name, { x }, {
      out = { { name, { x.shape[1], context, x.shape[3] }, x.dtype } },
      ways = { channels = { axis = 3, ins = { { axis = 3 } } } },
    }))
  end

  --- Scores and context; tensors are {batch, tokens, heads * depth}, read through views.
  local function attend(self, name, q, k, v, heads, kv_heads, flash)
    local batch, tokens, width, length = q.shape[1], q.shape[2], q.shape[3], k.shape[2]
    local depth, share = width // heads, heads // kv_heads
    local mine, other = { axis = 3, block = { depth, depth } }, { axis = 3, block = { depth * share, depth } }
    if flash then
      return (self:op("attention", name .. "_ctx", { q, k, v }, {
        out = { { name .. "_ctx", q.shape, q.dtype } },
        ways = {
          rows = { axis = 2, ins = { { axis = 2 }, "all", "all" } },
          channels = { axis = 3, ins = { mine, other, other } },
        },
      }))
    end
    local qh = self:reshape(q, { batch, tokens, heads, depth })
    local kh = self:reshape(k, { batch, length, kv_heads, depth })
    local scores = self:op(self.fused and "attention_scores" or "matmul_qk", name .. "_scores", { qh, kh }, {
      out = { { name .. "_scores", { batch, heads, tokens, length }, q.dtype } },
      ways = {
        rows = { axis = 3, ins = { { axis = 2 }, "all" } },
        channels = { axis = 2, ins = { { axis = 3 }, { axis = 3, block = { share, 1 } } } },
      },
    })
    if not self.fused then
      scores = self:op("softmax", name .. "_probs", { scores }, {
        out = { { name .. "_probs", scores.shape, scores.dtype } }, inplace = true,
        ways = { rows = { axis = 3, ins = { { axis = 3 } } }, channels = { axis = 2, ins = { { axis = 2 } } } },
      })
    end
    return (self:op("matmul_pv", name .. "_ctx", { scores, v }, {
      out = { { name .. "_ctx", q.shape, q.dtype } },
      ways = {
        rows = { axis = 2, ins = { { axis = 3 }, "all" } },
        channels = { axis = 3, ins = { { axis = 2, block = { depth, 1 } }, other } },
      },
    }))
  end

  --- Multi-head attention with its four projections. Returns the output, and the keys and values it read.
  ---@param name string
  ---@param x Tensor {batch, tokens, width}
  ---@param options AttentionOptions
  ---@return Tensor y
  ---@return Tensor k
  ---@return Tensor v
  function Net:attention(name, x, options)
    local o = nn.options("attention", name, options, "heads kv_heads memory cache flash")
    local heads, width = o.heads or 1, x.shape[3]
    local kv_heads = o.kv_heads or heads
    if #x.shape ~= 3 or width % heads ~= 0 or heads % kv_heads ~= 0 then
      nn.fail("attention", name, { x }, "%d heads with %d for keys do not divide the width", heads, kv_heads)
    end
    local from, narrow = o.memory or x, width // heads * kv_heads
    local q = self:dense(name .. "_q", x, width)
    local k = self:dense(name .. "_k", from, narrow)
    local v = self:dense(name .. "_v", from, narrow)
    if o.cache then
      k = append(self, name .. "_kcache", o.cache[1], k)
      v = append(self, name .. "_vcache", o.cache[2], v)
    end
    local y = attend(self, name, q, k, v, heads, kv_heads, o.flash)
    return self:dense(name .. "_out", y, width), k, v
  end

  --- Two dense layers, the first with the activation.
  ---@param name string
  ---@param x Tensor
  ---@param width integer in the middle
  ---@param act? string gelu
  ---@return Tensor
  function Net:feed_forward(name, x, width, act)
    local y = self:dense(name .. "_up", x, width, { act = act or "gelu" })
    return self:dense(name .. "_down", y, x.shape[#x.shape])
  end

  --- One step of an LSTM: x {batch, inputs}, state h and c {batch, width}; returns the new h and c.
  ---@param name string
  ---@param x Tensor
  ---@param h Tensor
  ---@param c Tensor
  ---@return Tensor h
  ---@return Tensor c
  function Net:lstm_cell(name, x, h, c)
    if #x.shape ~= 2 or #h.shape ~= 2 or not nn.same(h.shape, c.shape) or x.shape[1] ~= h.shape[1] then
      nn.fail("lstm_cell", name, { x, h, c }, "the input or the state has the wrong shape")
    end
    local batch, width = h.shape[1], h.shape[2]
    local gates = { batch, 4 * width }
    if self.fused and not self.training then
      return self:op("lstm_cell", name, { x, h, c }, {
        out = { { name, h.shape, h.dtype }, { name .. "_c", c.shape, c.dtype } },
        params = {
          self:param(name .. "_w", { 4 * width, x.shape[2] + width }),
          self:param(name .. "_b", { 4 * width }, self:bias_dtype()),
        },
        scratch = nn.bytes(nn.volume(gates), x.dtype), inplace = { { c.buffer.name, name .. "_c" } },
        ways = {
          rows = { axis = 1, ins = { { axis = 1 }, { axis = 1 }, { axis = 1 }, "all", "all" } },
          channels = { axis = 2, ins = { "all", "all", { axis = 2 }, "all", "all" } },
        },
      })
    end
    local sum = self:add(name .. "_gates", self:dense(name .. "_gx", x, 4 * width),
      self:dense(name .. "_gh", h, 4 * width))
    sum = self:activation(name .. "_act", sum, "lstm_gates")
    local ways = {
      rows = { axis = 1, ins = { { axis = 1 }, { axis = 1 } } }, channels = { axis = 2, ins = { "all", { axis = 2 } } },
    }
    local cell = self:op("lstm_state", name .. "_c", { sum, c }, {
      out = { { name .. "_c", c.shape, c.dtype } }, inplace = { { c.buffer.name, name .. "_c" } }, ways = ways,
    })
    local out = self:op("lstm_output", name, { sum, cell }, { out = { { name, h.shape, h.dtype } }, ways = ways })
    return out, cell
  end
end
