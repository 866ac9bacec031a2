#!/usr/bin/env bash
# Pictures in the tree: each is shown by a page, is made by a command that stands below, and is what that makes now; the
# tables beside those of the experiments are what they print.
#   pictures_kept.sh update [WORD]   makes them anew, all or those whose line has the word in it; ./dev picture does so
if [ "${1-}" = update ]; then
    SOURCE=$(cd "$(dirname "$0")/../.." && pwd)
    STOWAGE=${STOWAGE:-$SOURCE/build/stowage}
fi
. "$(dirname "$0")/lib.bash"
made_with=$SOURCE/tests/cli/pictures_kept.txt
mobilenet="scripts/models/mobilenet_v1_025_96.json -p greedy-by-size"

# WHEN|PICTURES|COMMAND: it writes them to the folder where it is run, under their names. `full` ones, which take minutes,
# with STOWAGE_LONG; those of another test are made and looked at there.
pictures() {
    echo "always|app/tui/tour.svg|stowage $mobilenet --script scripts/tours/first.keys --screen 110x32 --record tour.svg"
    echo "another|app/tui/explorer.png|tests/tui/xterm.bash"
    for theme in $("$STOWAGE" list themes | awk '{ print $1 }'); do
        echo "always|themes/$theme.png|stowage export $mobilenet --step 18 --theme $theme --size 660x420 --dpi 90 -o $theme.png"
    done
    while read -r when name pictures; do
        echo "$when|$(printf ' scripts/experiments/%s.svg' ${pictures:-$name})|stowage run scripts/experiments/$name.lua -o ."
    done <<'EXPERIMENTS'
always sram_size
always one_more_kib one_more_kib one_more_kib_gain
always cost_models
always pinned
always planners
always suggestions
full orders orders_1 orders_4 orders_16
always segments
always units
always schedules
full less_sram
EXPERIMENTS
}

# What draws: other versions of these write the same picture with other bytes.
versions() {
    local library
    for library in cairo pango freetype2 fontconfig; do
        echo "$library $(pkg-config --modversion "$library" 2>&1)"
    done
    fc-match -f '%{family} %{fontversion}\n' 'DejaVu Sans' 2>&1
}
# What is written in an SVG, and its colors in whole percent.
words_of() {
    grep -oE '>[^<>]+</(text|title|desc)>' "$1"
    grep -oE 'rgb\([^)]*\)' "$1" | tr -dc '0-9.,\n' | awk -F, '{ printf "%.0f %.0f %.0f\n", $1, $2, $3 }' | sort -u
}
# A fiftieth of the pixels may differ.
pixels_alike() {
    local size apart
    size=$(identify -format '%w %h' "$1")
    [ "$size" = "$(identify -format '%w %h' "$2")" ] || return
    apart=$(compare -metric AE -fuzz 12% "$1" "$2" null: 2>&1)
    [[ $apart =~ ^[0-9]+$ ]] && [ "$apart" -le $((${size% *} * ${size#* } / 50)) ]
}
is_kept() { # KEPT MADE
    [ -s "$2" ] || return
    cmp "$1" "$2" && return
    if [ "$same_versions" = yes ]; then
        return 1
    elif [ "${1##*.}" = svg ]; then
        diff <(words_of "$1") <(words_of "$2")
    elif command -v identify compare >/dev/null; then
        pixels_alike "$1" "$2"
    else
        skip "the pixels of ${1##*/}: compare (Debian's imagemagick) is not installed"
    fi
}

versions >"$tmp/versions"
same_versions=no
cmp -s "$tmp/versions" "$made_with" && same_versions=yes
mkdir "$tmp/bin" "$tmp/room"
ln -s "$STOWAGE" "$tmp/bin/stowage"
PATH=$tmp/bin:$PATH
cd "$tmp/room" || exit 1
ln -s "$SOURCE/scripts" .
while IFS='|' read -r when kept command; do
    echo "$kept" | xargs -n 1 >>"$tmp/made"
    if [ "$when" = another ] || { [ "${1-}" = update ] && [[ $kept != *${2-}* ]]; }; then
        continue
    elif [ "$when" = full ] && [ -z "${STOWAGE_LONG-}" ] && [ "${1-}" != update ]; then
        skip "made with STOWAGE_LONG alone:$kept"
        continue
    fi
    bash -c "$command" >"$tmp/out" 2>"$tmp/err" </dev/null
    status=$?
    check "$command: exit 0" exits 0
    for picture in $kept; do
        if [ "${1-}" = update ]; then
            cp "$(basename "$picture")" "$SOURCE/$picture"
        else
            check "$picture is what is made now (./dev picture makes it anew)" is_kept "$SOURCE/$picture" "$(basename "$picture")"
        fi
    done
    [[ $command == *' run '* ]] &&
        check "$command: the page shows what it prints" same "" "$(grep '^|' "$tmp/out" | grep -vxFf "$SOURCE/scripts/experiments/README.md")"
done < <(pictures)
if [ "${1-}" = update ]; then
    cp "$tmp/versions" "$made_with"
    finish
    exit
fi
cd "$SOURCE" || exit 1
check "a picture is made by one command, and each in the tree by one" same "$(sort "$tmp/made")" \
    "$(find app engine scripts themes -name '*.svg' -o -name '*.png' -o -name '*.gif' -o -name '*.pdf' -o -name '*.jpg' | sort)"
grep -rlE --include='*.md' '^[|!].*!?\[.*\]\(.*\.(svg|png|gif)\)' README.md app engine scripts themes | while read -r page; do
    grep -oE '!\[[^]]*\]\([^)]+\)' "$page" | sed -E 's/.*\((.*)\)/\1/' | while read -r link; do
        realpath -m --relative-to=. "$(dirname "$page")/$link"
    done
done | sort -u >"$tmp/shown"
check "a page shows each, and no other" same "$(sort "$tmp/made")" "$(cat "$tmp/shown")"
finish
