-- Greys only, for paper that is printed in black and white: blocks differ in lightness, what lies beside each
-- other most, and kinds of buffers by their hatching; lines differ in lightness and are dashed or not.
local ink, grey, pale = "#1a1a1a", "#5c5c5c", "#a8a8a8"
local paper = "#ffffff"

return {
  name = "grey",
  background = paper,
  foreground = ink,
  colours = true,
  blocks = {
    { fg = "#000000", bg = "#ebebeb" },
    { fg = "#000000", bg = "#a0a0a0" },
    { fg = "#000000", bg = "#bebebe" },
    { fg = "#000000", bg = "#afafaf" },
    { fg = "#000000", bg = "#cccccc" },
    { fg = "#000000", bg = "#848484" },
    { fg = "#000000", bg = "#dcdcdc" },
    { fg = "#000000", bg = "#929292" },
  },
  styles = {
    text     = { fg = ink },
    dim      = { fg = grey },
    strong   = { fg = "#000000", bold = true },
    header   = { fg = paper, bg = "#333333" },
    footer   = { fg = ink, bg = "#e6e6e6" },
    key      = { fg = "#000000", bg = "#e6e6e6", bold = true },
    border   = { fg = pale },
    axis     = { fg = grey },
    block    = { fg = "#000000", bg = "#cfcfcf" },
    merged   = { fg = "#5d5d5d", bg = "#e2e2e2" },
    current  = { fg = "#000000", bg = "#f9f9f9", bold = true, underline = true },
    selected = { fg = "#000000", bold = true, reverse = true },
    ghost    = { fg = "#707070" },
    fits     = { fg = "#3a3a3a" },
    chosen   = { fg = "#000000", bold = true },
    refused  = { fg = "#666666" },
    gap      = { fg = pale },
    live     = { fg = "#4a4a4a", bg = "#dcdcdc" },
    peak     = { fg = "#000000", bold = true },
    bound    = { fg = "#3a3a3a" },
    capacity = { fg = "#6b6b6b" },
    cursor   = { fg = "#000000", bold = true },
    pinned   = { fg = "#1f1f1f", bold = true },
    transfer = { fg = "#2a2a2a", bold = true },
    warning  = { fg = "#333333", bold = true },
    error    = { fg = "#000000", bold = true, underline = true },
  },
}
