#!/usr/bin/env bash
# The picture in README: the explorer in a terminal that shows sixels, xterm under Xvfb. It is made anew and compared.
#   UPDATE_GOLDEN=1 tests/tui/xterm.bash   writes it
# STOWAGE is the program; without it build/stowage. Fonts and what smooths them differ from one machine to the other: a
# fiftieth of the map's pixels may be of another color, and the text beside it is not compared.
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
program=${STOWAGE:-$root/build/stowage}
picture=$root/app/tui/explorer.png
columns=126 rows=31 map_columns=78
for tool in Xvfb xterm xwd convert compare; do
    if ! command -v "$tool" >/dev/null; then
        echo "skipped: $tool is not installed (Debian's xvfb, xterm, x11-apps, imagemagick)"
        echo '0 passed, 0 failed, 1 skipped'
        exit 0
    fi
done
tmp=$(mktemp -d) || exit 2
export LC_ALL=C.UTF-8 XDG_CONFIG_HOME=$tmp/config XDG_STATE_HOME=$tmp/state
unset TMUX STY SSH_CONNECTION STOWAGE_STATE NO_COLOR KITTY_WINDOW_ID TERM_PROGRAM LC_TERMINAL
mkfifo "$tmp/news"
exec 8<>"$tmp/news"
server= terminal=
trap 'kill $terminal $server 2>/dev/null; wait 2>/dev/null; rm -rf "$tmp"' EXIT
fail() {
    echo "FAILED: $*"
    echo '0 passed, 1 failed, 0 skipped'
    exit 1
}
# Only a test that fails waits for so long.
hear() { read -r -u 8 -t 60 "$@"; }

Xvfb -displayfd 8 -screen 0 1600x1000x24 -nolisten tcp >"$tmp/xvfb.log" 2>&1 &
server=$!
hear display || fail "Xvfb does not start: $(tail -n 1 "$tmp/xvfb.log")"
printf 'last\nsuggest\n' >"$tmp/script"
cat >"$tmp/inside" <<EOT
echo \$WINDOWID >&8
STOWAGE_SYNC_FD=8 exec "$program" "$root/scripts/models/mobilenet_v1_025_96.json" -p greedy-by-size --script "$tmp/script" \
    --theme dark
EOT
# Its own terminfo entry has 8 colors; it can show all.
DISPLAY=:$display xterm -ti vt340 -tn xterm-direct -xrm 'xterm*maxGraphicSize: 2000x2000' -xrm 'xterm*numColorRegisters: 256' \
    -bw 0 -b 0 +sb -fa 'DejaVu Sans Mono' -fs 9 -geometry "${columns}x$rows" -e bash "$tmp/inside" 2>"$tmp/xterm.log" &
terminal=$!
hear window || fail "xterm does not start: $(tail -n 1 "$tmp/xterm.log")"
read -r -N 1 -u 8 -t 60 _ || fail 'the explorer draws nothing'

shoot() { # FILE
    xwd -silent -display ":$display" -id "$window" 2>/dev/null | convert xwd:- +repage -strip +dither -colors 255 "png8:$1"
}
map_of() { # FROM TO
    convert "$1" -crop "${map_wide}x$map_high+0+$((height / rows))" +repage "$2"
}
if [ -n "${UPDATE_GOLDEN:-}" ]; then # when xterm has drawn all of it, three shots are the same
    for ((same = 0; same < 3; )); do
        read -rt 0.2 <> <(:) || :
        shoot "$tmp/new.png"
        if cmp -s "$tmp/new.png" "$tmp/old.png"; then same=$((same + 1)); else same=0; fi
        cp "$tmp/new.png" "$tmp/old.png"
    done
    cp "$tmp/new.png" "$picture"
fi
read -r width height < <(identify -format '%w %h\n' "$picture")
map_wide=$((width * map_columns / columns)) map_high=$((height * (rows - 3) / rows))
most=$((map_wide * map_high / 50))
map_of "$picture" "$tmp/wanted.png"
shoot "$tmp/shot.png"
if [ "$(identify -format '%w %h' "$tmp/shot.png")" != "$width $height" ]; then
    echo "skipped: letters have another size here than in app/tui/explorer.png"
    echo '0 passed, 0 failed, 1 skipped'
    exit 0
fi
# xterm may still be drawing.
for ((i = 0; i < 100; i++)); do
    shoot "$tmp/shot.png"
    map_of "$tmp/shot.png" "$tmp/is.png"
    apart=$(compare -metric AE -fuzz 12% "$tmp/wanted.png" "$tmp/is.png" null: 2>&1)
    if [[ $apart =~ ^[0-9]+$ ]] && [ "$apart" -le "$most" ]; then
        echo '1 passed, 0 failed, 0 skipped'
        exit 0
    fi
    read -rt 0.1 <> <(:) || :
done
fail "the map is not that of app/tui/explorer.png: $apart pixels differ, more than $most"
