# The fields of stowage.reader in scripts that ship, each on a line of its own, as initializers of a struct sw_format:
#   #define READER_sw_format_vela_log .name = "vela-log", ...
# Lua and C write such texts in the same way.
function flush() {
    if (stem != "" && words !~ /\.members = / && (words !~ /\.looks = / || words !~ /\.near = / || words !~ /\.paste = /)) {
        print stem ".lua: no looks, near or paste, on lines of their own" >"/dev/stderr"
        failed = 1
    }
    if (stem != "" && (words == "" || fields !~ /\.summary = /)) {
        print stem ".lua: no words, or no summary, on lines of their own" >"/dev/stderr"
        failed = 1
    }
    if (stem != "") {
        print "#define READER_sw_format_" stem " .rewrites = " rewrites fields ", .words = &(const struct sw_known_by){" words "}"
    }
}
function value() {
    sub(/^ *[a-z]+ = /, "")
    sub(/,$/, "")
    return $0
}
FNR == 1 {
    flush()
    stem = FILENAME
    sub(/.*\//, "", stem)
    sub(/\.lua$/, "", stem)
    fields = words = ""
    rewrites = "false"
    inside = 0
}
/^stowage\.reader *\{/ { inside = 1 }
inside && /^  (name|summary|extensions) = "/ { key = $1; fields = fields ", ." key " = " value() }
inside && /^  gives = "trace",/ { rewrites = "true" }
inside && /^  (looks|paste) = "/ { key = $1; words = words "." key " = " value() ", " }
inside && /^  (begins|has|members) = "/ { key = $1; words = words "." key " = (const char *const[]){" value() ", NULL}, " }
inside && /^  (begins|has|members|near) = \{.*\},$/ {
    key = $1
    list = value()
    sub(/\}$/, ", NULL}", list)
    words = words "." key " = (const char *const[])" list ", "
}
END {
    flush()
    exit failed
}
