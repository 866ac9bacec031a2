-- For eyes that confuse red with green, or blue with yellow: the hues of the palette that Okabe and Ito
-- proposed (blue, sky, green, yellow, orange, vermilion, purple), spread in lightness so that no two are
-- told apart by hue alone.
local text, grey, line = "#c9e2f2", "#95999a", "#4a545c"
local ground, bar = "#0f1418", "#1b252d"
local ink, white = "#0b0f12", "#ffffff"

return {
  name = "colorblind",
  background = ground,
  foreground = text,
  colours = true,
  -- Blocks that touch are often three apart in this list: those differ most in lightness.
  blocks = {
    { fg = ink, bg = "#97d6ff" }, -- sky
    { fg = ink, bg = "#cec060" }, -- yellow
    { fg = ink, bg = "#1dffbd" }, -- green
    { fg = white, bg = "#675f31" }, -- olive, for black
    { fg = white, bg = "#2177a5" }, -- blue
    { fg = ink, bg = "#d78561" }, -- vermilion
    { fg = ink, bg = "#a67a89" }, -- purple
    { fg = ink, bg = "#9baec2" }, -- mist
  },
  styles = {
    text     = { fg = text },
    dim      = { fg = grey },
    strong   = { fg = white, bold = true },
    header   = { fg = white, bg = "#16405c" },
    footer   = { fg = text, bg = bar },
    key      = { fg = "#ffcf24", bg = bar, bold = true },
    border   = { fg = line },
    axis     = { fg = grey },
    block    = { fg = ink, bg = "#9baec2" },
    merged   = { fg = text, bg = "#2c3842" },
    current  = { fg = ink, bg = white, bold = true },
    selected = { fg = "#ffcf24", bold = true, underline = true },
    ghost    = { fg = "#e07038" },
    fits     = { fg = "#5497e5" },
    chosen   = { fg = white, bold = true },
    refused  = { fg = grey },
    gap      = { fg = line },
    live     = { fg = "#5497e5", bg = "#1d3d57" },
    peak     = { fg = "#cc7d08", bold = true },
    bound    = { fg = "#43a0d3" },
    capacity = { fg = "#f4e0ec" },
    cursor   = { fg = "#ad9e6d" },
    pinned   = { fg = "#a88a9c", bold = true },
    transfer = { fg = "#00ff9b", bold = true },
    warning  = { fg = "#e5bf1a", bold = true },
    error    = { fg = "#ef7a4f", bold = true },
  },
}
