-- The theme for terminals: a dark ground, block colors of middle lightness that dark text can be read
-- on, and few bright accents. To color-blind eyes the block colors differ, too, with all their tones.
local text, grey, line = "#d5dce4", "#8593a1", "#3c4854"
local ground = "#12171d"
local ink = "#0d1318"

return {
  name = "dark",
  background = ground,
  foreground = text,
  colours = true,
  blocks = {
    { fg = ink, bg = "#61bee3" }, -- sky
    { fg = ink, bg = "#bc8101" }, -- amber
    { fg = ink, bg = "#58ad47" }, -- green
    { fg = ink, bg = "#fab477" }, -- apricot
    { fg = ink, bg = "#118bdf" }, -- blue
    { fg = ink, bg = "#f4897e" }, -- coral
    { fg = ink, bg = "#d47bff" }, -- violet
    { fg = ink, bg = "#c0ccd6" }, -- mist
  },
  styles = {
    text     = { fg = text },
    dim      = { fg = grey },
    strong   = { fg = "#ffffff", bold = true },
    header   = { fg = "#e8eef4", bg = "#28384a" },
    footer   = { fg = "#b8c4d0", bg = "#1d2730" },
    key      = { fg = "#ffd166", bg = "#1d2730", bold = true },
    border   = { fg = line },
    axis     = { fg = grey },
    block    = { fg = ink, bg = "#9aa8b3" },
    merged   = { fg = "#a7b3be", bg = "#2c3640" },
    current  = { fg = ink, bg = "#ffe066", bold = true },
    selected = { fg = "#ff7ab6", bold = true },
    ghost    = { fg = "#e0705f" },
    fits     = { fg = "#5fd0a0" },
    chosen   = { fg = "#7cc4ff", bold = true },
    refused  = { fg = grey },
    gap      = { fg = line },
    live     = { fg = "#79b8e0", bg = "#29465a" },
    peak     = { fg = "#ff9e5e", bold = true },
    bound    = { fg = "#7cc4ff" },
    capacity = { fg = "#d79bf0" },
    cursor   = { fg = "#ff7ab6" },
    pinned   = { fg = "#d79bf0", bold = true },
    transfer = { fg = "#5fd0a0", bold = true },
    warning  = { fg = "#ffcf70", bold = true },
    error    = { fg = "#ff6b6b", bold = true },
  },
}
