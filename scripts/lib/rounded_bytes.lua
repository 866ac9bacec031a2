-- "510.00MiB", "3.0KiB", "12B", "1.5 GiB" or "530.00M" in bytes, and how far the exact figure may be from it; nil: the text begins with no such figure.
-- TensorFlow and XLA cut what is below the next smaller unit off before they round.
local SHIFTS <const> = { [""] = 0, K = 10, M = 20, G = 30, T = 40, P = 50, E = 60 }

return function(text)
  local whole, decimals, unit, byte = text:match("^(%d+)%.?(%d*)%s?([KMGTPE]?)i?(B?)")
  if not whole or #whole > 18 or #decimals > 6 or unit .. byte == "" then return end
  local shift = SHIFTS[unit]
  local value = tonumber(whole .. "." .. (decimals == "" and "0" or decimals)) * 2.0 ^ shift
  if value >= 2.0 ^ 61 then return end
  local half = shift == 0 and 0 or math.ceil(2.0 ^ shift / 10 ^ #decimals / 2)
  return math.floor(value + 0.5), half + (shift > 10 and 1 << shift - 10 or 0)
end
