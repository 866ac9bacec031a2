#!/usr/bin/env bash
# The arrows between the rooms go one way, and the habits that a search can see.
. "$(dirname "$0")/lib.bash"
cd "$SOURCE" || exit 1

includes() { grep -rnE '^[[:space:]]*#[[:space:]]*include' --include='*.c' --include='*.h' --include='*.def' "$@"; }
# none NAME PATTERN FOLDER...: no include there matches.
none() {
    local name=$1 pattern=$2
    shift 2
    check "$name" same "" "$(includes "$@" | grep -E -- "$pattern")"
}

none "the engine includes nothing of the application" '[<"](app|cli|command|formats|attach|view|tui|export|lua)/' engine
none "the engine knows no terminal, Lua, cairo, JSON or glib" '[<"](n?cursesw?|lua|lauxlib|lualib|cairo|pango|jansson|expat|glib)' engine
# The examples are programs of others; the recorder is compiled into the programs of others, and is not a part of the library.
none "the engine reads and writes no files" '<(fcntl|unistd|sys/stat|dirent|sys/mman)\.h>' engine --exclude-dir=record
check "the library does not include the recorder" same "" "$(includes engine app --exclude-dir=record | grep -E 'stowage/record')"
check "the engine uses stdio for snprintf only" same "" \
    "$(includes engine --exclude-dir=examples --exclude-dir=record | grep '<stdio.h>' | grep -vE '/\* v?snprintf \*/')"
check "the engine neither prints nor exits" same "" \
    "$(grep -rnE '(^|[^a-z_n])(printf|fprintf|puts|fputs|putchar|fopen|exit|abort|assert)[[:space:]]*\(' --include='*.c' --exclude-dir=examples --exclude-dir=record engine)"
check "the engine reads no clock" same "" \
    "$(grep -rnE '(^|[^a-z_])(time|clock|clock_gettime|gettimeofday|rand|random)[[:space:]]*\(' --include='*.c' engine | grep -v '^[^:]*:[0-9]*: *\*')"
check "the engine allocates in base/mem.c only" same "" \
    "$(grep -rnE '(^|[^a-z_])(malloc|calloc|realloc|free|strdup|reallocarray|aligned_alloc)[[:space:]]*\(' --include='*.c' --include='*.h' --exclude-dir=record engine | grep -v '^engine/base/mem\.c:' | grep -vE ':[0-9]+: *(\*|/\*)')"
none "views know no terminal and no paper" '[<"](n?cursesw?|cairo|pango|tui/|export/)' app/view
none "views know no commands" '[<"](command|cli)/' app/view
none "the terminal knows no planners" '[<"]planners/' app/tui
none "the exporter knows no planners" '[<"]planners/' app/export
none "the exporter knows no terminal" '[<"](n?cursesw?|tui/)' app/export
none "the terminal knows no paper, but what paints for it" '[<"](cairo|pango|chafa|export/(drawing|export|late|terminal/protocols))' app/tui
none "formats know neither views nor commands" '[<"](attach|view|command|cli|tui|export)/' app/formats
none "only the command line includes the command line" '[<"]cli/' app/command app/formats app/view app/tui app/export app/lua
check "planners are named in the engine only" same "" \
    "$(grep -rnE 'sw_(first_fit|best_fit|greedy_by_size|greedy_by_breadth|lifetime_best_fit|as_built)\b' --include='*.[ch]' app)"
# What a table should list and does not is not compiled, or compiled for nothing. What a header declares is used by its name.
while read -r type table; do
    check "every $type has its line in $table" same "" "$(comm -23 \
        <(grep -rhoE "^const struct $type sw_[a-z0-9_]+" --include='*.c' app engine | sed 's/.* //' | sort -u) \
        <({ grep -oE 'sw_[a-z0-9_]+' "$table"
            grep -rhoE "extern const struct $type [a-z0-9_, ]+;" --include='*.h' app engine | grep -oE 'sw_[a-z0-9_]+'; } | sort -u))"
done <<'T'
sw_planner engine/planners/planners.def
sw_view app/view/views.def
sw_format app/formats.def
T
check "every source is compiled" same "" "$(tests/sources.sh)"
words='TO''DO|FIX''ME|X''XX|HA''CK|place''holder|not impl''emented|for n''ow'
check "nothing is unfinished by its own words" same "" \
    "$(grep -rnIE "\\b($words)\\b" app engine scripts tests themes README.md dev 2>/dev/null)"
# What git holds; without git, or outside of it, there is nothing to say.
if git rev-parse --is-inside-work-tree >/dev/null 2>&1; then
    check "the top level has what it may have" same "" \
        "$(git ls-files | sed 's#/.*##' | sort -u | grep -vxE 'app|engine|scripts|themes|tests|meson\.build|meson_options\.txt|README\.md|LICENSE|dev|\..*')"
else
    skip 'what the top level has: this is no clone'
fi
for folder in $(find app engine scripts tests themes -maxdepth 1 -type d) \
    $(find app engine -name '*.c' | sed 's#/[^/]*$##' | sort -u); do
    check "$folder has a README" [ -s "$folder/README.md" ]
done
# The table of app/README.md says which folder may include which. Its files may call no others, either: what a
# header declares below and a file defines above is an arrow as well. The table of formats stands above all folders.
declare -A allowed
while read -r folder folders; do
    allowed[$folder]=$folders
done < <(sed -n 's/^| `\([a-z]*\)\/` |.*| \(.*\)|$/\1 \2/p' app/README.md | tr ',' ' ')
strangers() { # FOLDER < the folders that it uses
    local used
    while read -r used; do
        case " ${allowed[$1]:-} $1 app " in *" everything "* | *" $used "*) ;; *) echo "$used" ;; esac
    done
}
links="$tmp/links"
python3 tests/cli/calls.py app | awk '
    function room(file) { return file ~ /^data|format_table/ || file !~ /\// ? "app" : substr(file, 1, index(file, "/") - 1) }
    { print room($1), room($2) }' | sort -u >"$links"
check "the calls were looked at" [ "$(wc -l <"$links")" -gt 5 ]
for folder in cli command formats attach view tui export lua; do
    check "$folder includes what app/README.md says" same "" \
        "$(includes app/$folder | grep -oE '"(cli|command|formats|attach|view|tui|export|lua)/' | tr -d '"/' | sort -u | strangers $folder)"
    check "$folder calls what app/README.md says" same "" "$(sed -n "s/^$folder //p" "$links" | strangers $folder)"
done
# A session is made of parts: files that can only be understood together, as each calls the others, are few. A calls B
# when A names a function that B defines; what is called through a table (tables.c) makes no arrow.
circle() { # < lines "A B": the largest set of files that all reach each other
    awk '
        { calls[$1, $2] = 1; files[$1]; files[$2] }
        END {
            for (k in files) for (i in files) if ((i, k) in calls) for (j in files) if ((k, j) in calls) calls[i, j] = 1
            for (i in files) {
                many = 1; names = i
                for (j in files) if (i != j && (i, j) in calls && (j, i) in calls) { many++; names = names " " j }
                if (many > most) { most = many; all = names }
            }
            print most + 0, all
        }'
}
python3 tests/cli/calls.py app/command | awk '$2 != "tables.c" { print $1, $2 }' | sort -u >"$tmp/calls"
check "the calls within app/command were looked at" [ "$(wc -l <"$tmp/calls")" -gt 100 ]
check "a circle of files is found" same "2 b c" "$(printf '%s\n' 'a b' 'b c' 'c b' | circle | tr ' ' '\n' | sort | tr '\n' ' ' | sed 's/ $//')"
largest=$(circle <"$tmp/calls")
check "at most 10 files of app/command call each other in a circle: $largest" [ "${largest%% *}" -le 10 ]
# NAME stands for NAME.c and NAME.h.
unnamed() {
    local file stem folder
    local -A pages
    find app engine -name '*.[ch]' -o -name '*.def' | while read -r file; do
        folder=${file%/*} stem=${file##*/} stem=${stem%.*}
        [ -n "${pages[$folder]:-}" ] || pages[$folder]=$(<"$folder/README.md")
        [[ ${pages[$folder]} =~ (^|[^a-z_])$stem\.(c|h|def) ]] || echo "$file"
    done
}
check "a folder's README names each of its files" same "" "$(unnamed)"
# The recorder's header is included by its folder's name, too.
check "no file name is used twice" same "" "$(find app engine -name '*.[ch]' ! -path engine/record/stowage/record.h | sed 's#.*/##' | sort | uniq -d)"
check "no folder has more than 20 files" same "" \
    "$(find app engine -type f | sed 's#/[^/]*$##' | sort | uniq -c | awk '$1 > 20')"
check "no file has more than 900 lines" same "" "$(find app engine -name '*.[ch]' -exec wc -l {} + | awk '$1 > 900 && $2 != "total" { print $2 }')"
broken_links() {
    local file link
    grep -roE --include='*.md' '\]\([^)#]+\)' README.md app engine scripts tests themes | while IFS=: read -r file link; do
        link=${link#](} link=${link%)}
        [[ $link == http* || -e ./${file%"${file##*/}"}$link ]] || echo "$file: $link"
    done
}
check "every link of a page leads somewhere" same "" "$(broken_links)"
# But for the reference of scripts, and the results of the experiments.
check "no README is longer than a screenful" same "" \
    "$(find app engine scripts tests themes -name README.md ! -path scripts/README.md ! -path scripts/experiments/README.md -exec awk 'FNR == 61 { print FILENAME ": more than 60" }' {} +)"
finish
