local net = require("nn").net {name = "m"}
local x = net:input("data", {1, 1})
x = net:param("p", {3})
return net:graph {x}
