-- A text as it may be shown: controls become "?", and so does what Unicode says is no character.
return function(text)
  if not text:find("[%c\xef-\xf4]") then return text end
  text = text:gsub("%c", "?"):gsub("\xef\xbf[\xbe\xbf]", "?"):gsub("\xef\xb7[\x90-\xaf]", "?")
  return (text:gsub("[\xf0-\xf4][\x8f\x9f\xaf\xbf]\xbf[\xbe\xbf]", "?"))
end
