-- words("a,b,c"): an iterator over the words between commas; a single value is a list of one.
return function(text)
  return tostring(text):gmatch("[^,]+")
end
