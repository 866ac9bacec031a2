#!/usr/bin/env bash
# A model of strangers, with names that would act on a terminal, a compiler, a web page or a spreadsheet, through
# every subcommand, every format and every pane. The raw bytes of all that comes out are searched.
. "$(dirname "$0")/lib.bash"
cd "$tmp" || exit 1

# Controls (C0 but the line break, DEL, C1), marks of direction and what else cannot be seen, as bytes.
raw='[\x00-\x08\x09\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|\xd8\x9c|\xe2\x80[\x8b\x8e\x8f\xa8-\xae]|\xe2\x81[\xa0-\xaf]|\xef\xbb\xbf|\xef\xbf[\xb9-\xbb]'
# clean FILE...: none of them, and no line that a name forged.
clean() {
    local file
    for file in "$@"; do
        if LC_ALL=C grep -anP -- "$raw" "$file" || grep -an '^forged' "$file"; then
            echo "in $file"
            return 1
        fi
    done
}

# ---- the model ----
jq -n '
  ["plain", "=cmd|calc!A0", "+1", "-1", "@SUM(A1)", "\u0027=x", "\u0027\u0027+x", "\u0027", "\u0027a", "\t=tab", " =blank",
   "\n=line", "a,b", "a;=b", "q\"uote", "nel\u0085", "csi\u009b31m", "osc\u009d0;x\u009c", "c1\u0080",
   "over\u202eride\u202c", "iso\u2066late\u2069", "\u200emark\u200f", "arab\u061c", "\ufeffbom", "zero\u200bwidth", "line\u2028sep",
   "esc\u001b[31mred", "bell\u0007", "nl\nforged line", "cr\rforged", "del\u007f", "literal\\u0085", "twice\\u005cu0085",
   "pair\\ud83f\\udffe", "back\\", "*/ int evil; /*", "end*/", "a??/", "??\u0001/", "&amp;@team#1", "$x$ ~~s~~ <b> [l](u)",
   "https://e.vil www.e.vil", "\uff1dwide", "\u00e9 \u65e5\u672c", "\u0645\u06cc\u200c\u062e", "\ud83d\udc69\u200d\ud83d\udc67",
   "non\ud83f\udffe", "tag\udb40\udc41", "#comment", " lead", "trail ", "ends\ttab\t", "|pipe|", "`tick`", "100%s%n"] as $names
  | {format: "stowage-graph", version: 1, name: "graph\u009b\u001b]0;x\u0007\u202e=@#&\nforged graph",
     tiers: [{name: "tier\u0085\u202e\nforged tier", capacity: 100000}],
     buffers: [range($names | length) | {name: $names[.], kind: "intermediate", size: (16 * (. + 1))}],
     operators: [range($names | length) | {name: ("=op" + $names[.]),
       inputs: (if . > 0 then [$names[. - 1]] else [] end), outputs: [$names[.]]}]}' >"h.json"
count=$(jq '.buffers | length' h.json)

# ---- every subcommand, every format ----
n=0
# harmless ARGUMENT...: what it prints and what it says.
harmless() {
    run "$@"
    n=$((n + 1))
    check "$*: printed" clean "$tmp/out"
    check "$*: said" clean "$tmp/err"
}
for format in text csv json; do
    harmless plan h.json --format $format
    harmless plan h.json -p greedy-by-size --capacity 700 --format $format
    harmless compare h.json --work 1000 --format $format
    harmless h.json --format $format
done
harmless plan h.json -p greedy-by-size --max-peak 100
harmless plan h.json --bounds
harmless compare h.json --work 1000 --format md
for planner in $("$STOWAGE" list planners | awk '{print $1}' | thin); do
    harmless plan h.json -p "$planner" --work 1000
    harmless trace h.json -p "$planner" --work 1000 --to 60
done
for level in event decision operator group run; do
    harmless trace h.json -p greedy-by-size --level $level
    check "trace $level: JSON" jq -e . "$tmp/out"
done
for end in csv json h md; do
    harmless plan h.json -p greedy-by-size -o "plan.$end"
    check "plan.$end" exits 0
    check "plan.$end: its bytes" clean "plan.$end"
done
for format in text json; do
    harmless check h.json plan.csv --format $format
    check "the names of plan.csv are those of the graph ($format)" exits 0
    harmless check h.json plan.json --format $format
    check "the names of plan.json are those of the graph ($format)" exits 0
done
jq '.buffers[].size += 16' h.json >grown.json
sed '5s/,[0-9]*$/,0/; 9d' plan.csv >bad.csv
harmless check h.json bad.csv
check "what is wrong with a plan" exits 1
harmless check grown.json plan.csv
for format in text csv json md; do
    harmless diff h.json grown.json -p greedy-by-size --format $format
    harmless diff plan.csv bad.csv --format $format
done
for end in csv json; do
    harmless convert h.json -o "copy.$end"
    check "copy.$end: its bytes" clean "copy.$end"
    harmless plan "copy.$end" -p greedy-by-size --format json
done
"$STOWAGE" plan h.json -p greedy-by-size --format json | jq '[.placements[].buffer] | sort' >names
check "every name is there, unchanged" same "$(jq -c '[.buffers[].name] | sort' h.json)" "$(jq -c . names)"
"$STOWAGE" plan copy.csv -p greedy-by-size --format json | jq '[.placements[].buffer] | sort' >names
check "every name comes back from CSV" same "$(jq -c '[.buffers[].name] | sort' h.json)" "$(jq -c . names)"
check "no cell of the CSV is a formula" same "" "$(cut -d, -f1 plan.csv | grep -E "^\"? *[=+@-]")"

# ---- a header compiles, without a warning, and says no more than it should ----
if [ -n "${CC:-}" ]; then
    printf '#include "plan.h"\nint main(void) { return 0; }\n' >main.c
    check "the header compiles" $CC -std=c99 -trigraphs -Wall -Wno-unused -Werror -I. -fsyntax-only main.c
fi
check "Markdown: no mark of a name is left" same "" "$(grep -E '(^|[^\\])[@#&$~]' plan.md)"

# ---- pictures ----
for view in $("$STOWAGE" list views | awk '{print $1}' | thin); do
    run export h.json -p greedy-by-size --view "$view" -o "view.svg"
    check "export $view: said" clean "$tmp/err"
    [ "$status" -ne 0 ] || check "export $view: its bytes" clean view.svg
done
run export h.json -p greedy-by-size --title "$(printf 'a\033[31m\xc2\x9b\xe2\x80\xae\xffb')" -o title.svg
check "a title: its bytes" clean title.svg

# ---- the explorer, every pane ----
{
    echo last
    for pane in $("$STOWAGE" h.json --script <(echo 'pane nosuch') --screen 80x24 2>&1 >/dev/null | grep -o '[a-z-]*' | sort -u) \
        decision decisions buffers card blame free live operators bounds conflicts branches log; do
        printf 'pane %s\n' "$pane"
    done
} >panes
while read -r line; do
    printf 'last\nselect-next\n%s\n' "$line" >script
    harmless h.json -p greedy-by-size --script script --screen 120x40
    harmless h.json -p greedy-by-size --script script --screen 120x40 --text
done < <(sort -u panes)
for line in copy notes bounds branches log 'find forged' 'lua error("\x1b[31m\n\xc2\x9b")' 'lua return "\xe2\x80\xae"' 'lua print("\xc2\x85")' \
    'pin "csi\u009b31m" 0' 'only named' "$(printf 'select "csi\xc2\x9b31m"')" "$(printf 'name \xe2\x80\xae')" "$(printf 'mark \xc2\x9b note')"; do
    printf 'last\n%s\nmarks\n' "$line" >script
    harmless h.json -p greedy-by-size --script script --screen 120x40
done

# ---- files with such names, and scripts that say such things ----
for name in "$(printf 'c1\xc2\x9b turn\xe2\x80\xae esc\033[2J nl\nforged.json')" "$(printf 'bad\xff.json')"; do
    harmless plan "$name"
    harmless "$name"
    harmless diff "$name" h.json
    harmless check h.json "$name"
    harmless plan h.json -o "nowhere/$name"
    harmless plan h.json -p "$name"
    harmless plan h.json --tiers "$name"
    harmless plan "--$name"
    harmless list "$name"
    harmless run "$name"
    harmless export h.json -o "$name"
    harmless h.json --theme "$name.lua" --screen 80x24
    harmless h.json --config "$name" --screen 80x24
    cp h.json "$name"
    harmless plan "$name" -p greedy-by-size
    harmless compare "$name" --work 1000
    harmless diff "$name" h.json -p greedy-by-size
    harmless diff "$name" h.json -p greedy-by-size --format md
    harmless diff "$name" h.json -p greedy-by-size --format csv
    harmless diff "$name" h.json -p greedy-by-size --format json
    harmless "$name" --screen 80x24
    harmless plan "$name" -o plan.h
    check "a header of $(printf %q "$name"): its bytes" clean plan.h
    harmless convert "$name" -o "$name.csv"
    rm -f "$name" "$name.csv"
done
printf 'print("\\x1b[31m\\xc2\\x9b\\xe2\\x80\\xae\\nforged")\nerror("\\xc2\\x9b\\xff\\nforged")\n' >bad.lua
harmless plan bad.lua
harmless run bad.lua
harmless plan h.json -p ./bad.lua
harmless plan h.json --cost bad.lua -p order-genetic
printf '[$x' | tr 'x' '\233' >bad.json
harmless plan bad.json
printf 'id,lower,upper,size\n"a\302\233\342\200\256",0,x,10\n' >bad.csv
harmless plan bad.csv
check "names come through unharmed" same "$count" "$(wc -l <copy.csv | awk '{print $1 - 1}')"
echo "commands: $n"
finish
