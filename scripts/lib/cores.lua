return { split = function(graph, n) 
  for _, op in ipairs(graph.operators) do op._ways = nil; op._shapes=nil end
  for _, b in ipairs(graph.buffers) do b._axes = nil end
return graph end }
