-- every setting there is
return {
  theme = "light", ascii = true, mouse = false, pane = "blame", ghosts = false, raw_time = true,
  keys = { ["Ctrl-N"] = "step 10", x = false, X = "choose", ["F2"] = 'pane "card"', ["\\"] = "back" },
}
