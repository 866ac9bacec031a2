return function(nn, Net) end
