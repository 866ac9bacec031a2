--- A reuse condition of token-sharing: an input is written over only where its memory is at most twice as large as what
--- the tensor needs. A large memory id then stays free for a large tensor, and a small tensor takes a smaller one.
return {
  name = "close_tokens",
  planner = "token-sharing",
  reuse = function(one)
    if not one.possible then
      return false -- the graph forbids it: `one.refused` says why
    end
    if one.allocated > 2 * one.bytes then
      return false, "it is more than twice as large"
    end
    return true, "it is written over an input of about its size"
  end,
}
