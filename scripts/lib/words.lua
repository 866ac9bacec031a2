-- words("a,b,c"): an iterator over the words between commas; a single value is a list of one.
return function(text)
  if type(text) == "nil" or type(text) == "table" or type(text) == "function" then
    error(("words: a list is text with commas, not a %s"):format(type(text)), 0)
  end
  return tostring(text):gmatch("[^,]+")
end
