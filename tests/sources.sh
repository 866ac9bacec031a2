#!/usr/bin/env bash
# Which sources are compiled by nothing, and which operands of decisions.def are misspelt, a sentence each; exit status 1 when there is
# one. File names are unique, so a name in a meson.build or a table (*.def) is that of one file.
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 2
forgotten=$(comm -23 \
    <(find app engine -name '*.c' ! -path 'engine/examples/*' ! -path 'engine/record/*' | sed 's#.*/##' | sort) \
    <(find app engine meson.build \( -name meson.build -o -name '*.def' \) -exec grep -ohE "[A-Za-z0-9_]+\.c['\"]" {} + | tr -d "'\"" | sort -u))
for name in $forgotten; do
    file=$(find app engine -name "$name")
    case $(grep -ohE '^const struct sw_(planner|view|format) ' "$file" | head -1) in
    *planner*) where=engine/planners/planners.def ;;
    *view*) where=app/view/views.def ;;
    *format*) where=app/formats.def ;;
    *) where="its folder's meson.build" ;;
    esac
    echo "$file is compiled by nothing: it wants a line in $where"
done
uncut=$(comm -23 <(sed -nE 's/^READER\(.*"([a-z_]+\/)?([a-z0-9_]+)"\).*/\2/p' app/formats.def | sort) \
    <(grep -oE "'[a-z0-9_]+'" tests/fuzz/meson.build | tr -d "'" | sort -u))
[ -z "$uncut" ] || echo "readers without a corpus in tests/fuzz/meson.build: $uncut"
# The names in a sentence's braces are operands of its decision, or what sentence.c knows of every one.
fields=$(grep -oE '^ +\{"[a-z]+"|memcmp\([a-z]+, "[a-z]+"' engine/search/sentence.c | grep -oE '"[a-z]+"' | tr -d '"')
awk -v fields="$fields" '
    /^(DECISION|VARIANT)\(/ {
        split($0, part, /[(,]/); split("", known); count = split(fields, name)
        for (i = 1; i <= count; i++) known[name[i]] = 1
    }
    {
        for (rest = $0; match(rest, /OPERAND\([a-z]+, [a-z0-9_]+/); rest = substr(rest, RSTART + RLENGTH)) {
            operand = substr(rest, RSTART, RLENGTH); sub(/.*, /, "", operand); known[operand] = 1
        }
        for (rest = $0; part[2] && match(rest, /[{][-a-z0-9_!#=<]+[?~}]/); rest = substr(rest, RSTART + RLENGTH)) {
            count = split(substr(rest, RSTART + 1, RLENGTH - 2), name, /[-!#=<]/)
            for (i = 1; i <= count; i++) if (name[i] !~ /^[0-9]*$/ && !(name[i] in known)) {
                print FILENAME ":" FNR ": the sentence of " part[2] " has {" name[i] "}, which is none of its operands"; wrong = 1
            }
        }
    }
    END { exit wrong }' engine/search/decisions.def && [ -z "$forgotten$uncut" ]
