-- The last place of a plain text in a line from `from` on, with all of it before `stop`; nil: there is none.
return function(line, text, from, stop)
  local last, at = nil, line:find(text, from, true)
  while at and at + #text <= stop do
    last, at = at, line:find(text, at + 1, true)
  end
  return last
end
