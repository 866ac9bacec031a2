-- The theme for paper: eight soft block colors that stay apart for color-blind readers, with all their tones. None is
-- near to the color of the peak.
local ink, grey, pale = "#1f2933", "#5f6b7a", "#c9d1da"
local paper = "#ffffff"
local edge = "#33414f"

return {
  name = "light",
  background = paper,
  foreground = ink,
  colours = true,
  blocks = {
    { fg = edge, bg = "#c1bbe5" }, -- lavender
    { fg = edge, bg = "#e4eb91" }, -- lime
    { fg = edge, bg = "#7de8d1" }, -- mint
    { fg = edge, bg = "#d1fdc4" }, -- pale green
    { fg = ink, bg = "#10abef" }, -- blue
    { fg = ink, bg = "#f49d8f" }, -- salmon
    { fg = ink, bg = "#c6949e" }, -- rose
    { fg = ink, bg = "#9fa354" }, -- olive
  },
  styles = {
    text     = { fg = ink },
    dim      = { fg = grey },
    strong   = { fg = "#0b1520", bold = true },
    header   = { fg = paper, bg = "#33475b" },
    footer   = { fg = ink, bg = "#e4e9ee" },
    key      = { fg = "#004f7c", bg = "#e4e9ee", bold = true },
    border   = { fg = pale },
    axis     = { fg = grey },
    block    = { fg = edge, bg = "#cfd8df" },
    merged   = { fg = "#6b7683", bg = "#dfe4e9" },
    current  = { fg = "#0b1520", bg = "#ffd23f", bold = true },
    selected = { fg = "#b3005e", bold = true },
    ghost    = { fg = "#b23a2e" },
    fits     = { fg = "#0b7a55" },
    chosen   = { fg = "#0a5fa5", bold = true },
    refused  = { fg = grey },
    gap      = { fg = pale },
    live     = { fg = "#2b6c99", bg = "#c3dbec" },
    peak     = { fg = "#c2410c", bold = true },
    bound    = { fg = "#0a5fa5" },
    capacity = { fg = "#7a1fa2" },
    cursor   = { fg = "#b3005e" },
    pinned   = { fg = "#7a1fa2", bold = true },
    transfer = { fg = "#0b7a55", bold = true },
    warning  = { fg = "#8a5200", bold = true },
    error    = { fg = "#b00020", bold = true },
  },
}
