-- Greys only, for paper that is printed in black and white: blocks differ in lightness, and kinds of buffers by their
-- hatching; lines differ in lightness and are dashed or not. The greys of blocks are 24 apart: the tones of each lie
-- between it and the next darker one.
local ink, grey, pale = "#1a1a1a", "#5c5c5c", "#a8a8a8"
local paper = "#ffffff"

return {
  name = "grey",
  background = paper,
  foreground = ink,
  colours = true,
  blocks = {
    { fg = "#000000", bg = "#ededed" },
    { fg = "#ffffff", bg = "#757575" },
    { fg = "#000000", bg = "#a5a5a5" },
    { fg = "#000000", bg = "#8d8d8d" },
    { fg = "#000000", bg = "#bdbdbd" },
    { fg = "#ffffff", bg = "#5d5d5d" },
    { fg = "#000000", bg = "#d5d5d5" },
    { fg = "#ffffff", bg = "#454545" },
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
    merged   = { fg = "#303030", bg = "#e2e2e2" },
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
