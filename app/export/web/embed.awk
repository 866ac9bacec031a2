# Files as C strings, a line each: #define WEB_PAGE_JS "...\n" ...
FNR == 1 {
    if (NR > 1) print ""
    name = FILENAME
    sub(/.*\//, "", name)
    gsub(/[^a-z]/, "_", name)
    printf "#define WEB_%s", toupper(name)
}
{
    gsub(/\\/, "&&")
    gsub(/"/, "\\\"")
    printf " \\\n    \"%s\\n\"", $0
}
END { print "" }
