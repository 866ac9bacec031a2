-- The last place of a plain text in a line from `from` on, with all of it before `stop`; nil: there is none.
return function(line, text, from, stop)
  local at = line:sub(from, stop - 1):match("^.*()" .. text:gsub("%p", "%%%0"))
  return at and at + from - 1
end
