return {
 keys = {
 F5 = { x = 1 }, x = "step",
 x = "back" } }